"""A month lived: the real parts do what the script makes them do, on our clock.

Times come as in the daemon: the board says when each job is due, the daemon's own trigger answers
APScheduler, and `_Timer` does what the scheduler and the clockwork around it do with that.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.month.model import Reader
from bench.month.place import CHECKLIST, Clock, Killed, Machine, Recorded
from bench.month.script import Edited, Month, Rhythm, Told, deeds
from hippod.clockwork import Following
from hippod.jobs import Board

_ENTRY = re.compile(r"^\[(\d\d:\d\d:\d\d)\] Heartbeat: (.*) \^[0-9a-z]{10,}$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Lived:
    """What a month came to.

    `letters` are what the notifier's command got, `entries` the lines of the heartbeat in the
    logs with their moments by the machine's clock, `tokens` those of each day of the user's.
    """

    runs: tuple[Recorded, ...]
    skipped: dict[str, int]
    overlaps: int
    letters: tuple[dict[str, Any], ...]
    alerts: tuple[dict[str, Any], ...]
    entries: tuple[tuple[datetime, str], ...]
    tokens: dict[date, int]
    calls: int
    facts_on_pages: int


def live(month: Month, folder: Path) -> Lived:
    """Live through a month in a new workspace below `folder`."""
    return _Life(month, folder).live()


class _Timer:
    """APScheduler and the clockwork around it, without a loop: what is due runs when asked to."""

    def __init__(self, board: Board, clock: Clock) -> None:
        self._board = board
        self._clock = clock
        self._triggers = {name: Following(board, name) for name in board.names}
        self._next: dict[str, datetime | None] = {}
        self.look()

    def look(self) -> None:
        """Compute all times anew, as every minute and after every run."""
        self._next = {name: self._board.next_run(name) for name in self._board.names}

    @property
    def next(self) -> datetime | None:
        """What the machine's clock shows when the next job is due."""
        return min((at for at in self._next.values() if at), default=None)

    def work(self) -> None:
        """Run what is due, one after the other; each once, however often its time came."""
        now = self._clock()
        due = sorted((at, name) for name, at in self._next.items() if at and at <= now)
        for at, name in due:
            following = self._triggers[name].get_next_fire_time(at, now)
            assert following is None or following > now, f"{name}: {following} is not after {now}"
            self._next[name] = following
        for _, name in due:
            self._board.run_due(name)
        self.look()


class _Life:
    """The stage on which the script plays: a machine with a daemon, and its clock."""

    def __init__(self, month: Month, folder: Path) -> None:
        self._month = month
        self._clock = Clock(month.start)
        self._reader = Reader() if month.trusted else None
        gauges = set(month.settings["heartbeat"]["checks"])
        self._machine = Machine(folder, self._clock, _settings(month), self._reader, gauges)
        self._machine.wrote = self._wrote
        self._board: Board | None = None
        self._timer: _Timer | None = None
        self._asleep = False
        self._slow: dict[str, int] = {}
        self._to_break: bool | None = None
        """Whether the next reflection is killed (or told to end); None: neither."""
        self._ending = False
        self._inside = 0
        self._overlaps = 0
        self._skipped: dict[str, int] = {}

    def live(self) -> Lived:
        """Play the script."""
        happening, end = deeds(self._month, self), self._month.end
        while happening or self._clock.real < end:
            at = min(happening[0][0] if happening else end, self._due(), end)
            self._clock.real = max(self._clock.real, at)
            while happening and happening[0][0] <= self._clock.real:
                happening.pop(0)[1]()
                self._look()
            if self._clock.real >= end:
                break
            self._work()
        return self._result()

    def _due(self) -> datetime:
        """Return when the next job is due, by the watch."""
        if self._timer is None or self._asleep or self._timer.next is None:
            return self._month.end
        return self._timer.next - self._clock.off

    def _look(self) -> None:
        if self._timer is not None and not self._asleep:
            self._timer.look()

    def _work(self) -> None:
        if self._timer is None or self._asleep:
            return
        try:
            self._timer.work()
        except Killed:
            self._gone(killed=True)
        if self._ending:
            self._gone(killed=False)

    def _around(self, name: str, work: Callable[[], object]) -> None:
        """Do the work of a job, for as long as the script wants it to take."""
        self._overlaps += self._inside > 0
        self._inside += 1
        try:
            work()
        finally:
            self._inside -= 1
        self._clock.real += timedelta(minutes=self._slow.pop(name, 0))

    def _wrote(self, path: str) -> None:
        """Break a reflection off behind its first page, where the script says so."""
        if self._to_break is None or not path.startswith("bank/"):
            return
        killed, self._to_break = self._to_break, None
        if killed:
            self._machine.die()
            raise Killed
        self._ending = True
        assert self._board is not None
        self._board.stop()
        self._machine.running.interrupt()

    def _gone(self, *, killed: bool) -> None:
        self._note_skipped()
        if killed:
            self._machine.kill()
        else:
            self._machine.stop()
        self._board = self._timer = None
        self._ending, self._inside = False, 0

    def _note_skipped(self) -> None:
        agenda = self._machine.running.state.agenda
        entries = {name: agenda.entry(name) for name in self._month.rhythms}
        self._skipped = {name: entry.skipped for name, entry in entries.items() if entry}

    # -- what happens ------------------------------------------------------------------------

    def sleep(self, *, asleep: bool) -> None:
        self._asleep = asleep

    def stop(self, *, killed: bool) -> None:
        if self._board is not None:
            self._board.stop()
            self._gone(killed=killed)

    def start(self) -> None:
        if self._board is None:
            self._machine.start()
            self._board = self._machine.board(self._around)
            self._timer = _Timer(self._board, self._clock)

    def break_off(self, *, killed: bool) -> None:
        self._to_break = killed

    def set_clock(self, hours: int) -> None:
        self._clock.off = timedelta(hours=hours)

    def slow_down(self, job: str, minutes: int) -> None:
        self._slow[job] = minutes

    def pause(self, job: str, *, paused: bool) -> None:
        assert self._board is not None
        if paused:
            self._board.pause(job)
        else:
            self._board.resume(job)

    def change(self, job: str, setting: float | str, rhythm: Rhythm) -> None:
        self._machine.settings["schedule"] = {**self._machine.settings["schedule"], job: setting}

    def ask(self, job: str) -> None:
        assert self._board is not None
        self._board.run(job)

    def tell(self, fact: Told) -> None:
        day = self._clock.real.astimezone(self._month.zone).date()
        self._machine.tell(day, f"W @{fact.entity}: {fact.content}")

    def show(self, name: str, figure: float) -> None:
        self._machine.show(name, figure)

    def edit(self, sheet: Edited) -> None:
        self._machine.write(CHECKLIST, sheet.text)

    # -- what came of it ---------------------------------------------------------------------

    def _result(self) -> Lived:
        parts = self._machine.running
        self._note_skipped()
        usage = parts.state.usage(date.min)
        result = Lived(
            runs=tuple(self._machine.runs),
            skipped=self._skipped,
            overlaps=self._overlaps,
            letters=tuple(self._letters()),
            alerts=tuple(
                each.data for each in parts.state.events.since(0) if each.type == "heartbeat.alert"
            ),
            entries=tuple(self._entries()),
            tokens={day.day: day.tokens_in + day.tokens_out for day in usage},
            calls=len(self._reader.prompts) if self._reader else 0,
            facts_on_pages=self._facts_on_pages(),
        )
        self._gone(killed=False)
        return result

    def _letters(self) -> list[dict[str, Any]]:
        if not self._machine.letters.exists():
            return []
        return [json.loads(line) for line in self._machine.letters.read_text().splitlines()]

    def _entries(self) -> list[tuple[datetime, str]]:
        logs = sorted((self._machine.root / "memory").glob("*.md"))
        return [
            (self._moment(log.stem, time), words)
            for log in logs
            for time, words in _ENTRY.findall(log.read_text())
        ]

    def _moment(self, day: str, time: str) -> datetime:
        local = datetime.fromisoformat(f"{day}T{time}")
        return local.replace(tzinfo=self._month.zone).astimezone(UTC)

    def _facts_on_pages(self) -> int:
        pages = "".join(page.read_text() for page in self._machine.root.glob("bank/**/*.md"))
        return sum(
            event.content.rstrip(".") in pages
            for event in self._month.events
            if isinstance(event, Told)
        )


def _settings(month: Month) -> dict[str, Any]:
    """Return the configuration of a month: no model but the one that may stand in."""
    return {
        "workspace": {"timezone": month.zone.key},
        "embedder": {"provider": "none"},
        "encoder": {"provider": "none"},
        "retain": {"enabled": False},
        **month.settings,
    }
