"""What is kept of the schedule: from when on a job's times count, and whether it is paused."""

from dataclasses import dataclass
from datetime import datetime

from hippod.state.database import Database, iso, moment


@dataclass(frozen=True, slots=True)
class Entry:
    """A job as it was last scheduled: its times count from `since` on, by its `rhythm`.

    `skipped` counts the times at which it was due and left out: too late, still running, paused.
    """

    rhythm: str
    since: datetime
    paused: bool
    skipped: int


class Agenda:
    """The table of jobs. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def entry(self, name: str) -> Entry | None:
        """Return what is kept of a job."""
        row = self._database.row(
            "SELECT rhythm, since, paused, skipped FROM job WHERE name=?", name
        )
        return Entry(row[0], moment(row[1]), bool(row[2]), row[3]) if row else None

    def settle(self, name: str, rhythm: str, now: datetime) -> Entry:
        """Note the rhythm of a job, as new if it changed, and return its entry."""
        known = self.entry(name)
        if known and known.rhythm == rhythm:
            return known
        with self._database.transaction():
            self._database.execute(
                "INSERT INTO job(name, rhythm, since) VALUES (?1,?2,?3) ON CONFLICT(name)"
                " DO UPDATE SET rhythm=?2, since=?3 WHERE rhythm<>?2",
                name,
                rhythm,
                iso(now),
            )
        entry = self.entry(name)
        assert entry is not None
        return entry

    def pause(self, name: str, *, paused: bool) -> None:
        """Pause a job that was settled, or let it go on."""
        with self._database.transaction():
            self._database.execute("UPDATE job SET paused=? WHERE name=?", int(paused), name)

    def set_back(self, name: str, ahead: datetime, since: datetime) -> None:
        """Let times count from `since` on, if that is still noted as `ahead`."""
        with self._database.transaction():
            self._database.execute(
                "UPDATE job SET since=? WHERE name=? AND since=?", iso(since), name, iso(ahead)
            )

    def skip(self, name: str, times: int, now: datetime) -> None:
        """Count times up to now at which a job was due and left out: none is made up for."""
        with self._database.transaction():
            self._database.execute(
                "UPDATE job SET skipped=skipped+?, since=? WHERE name=?", times, iso(now), name
            )
