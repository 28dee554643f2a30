"""The working memory of sessions: a text each, for as long as the session lasts."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from hippod.state.database import Database, iso, moment


@dataclass(frozen=True, slots=True)
class Working:
    """The working memory of a session, as clients of one scope see it."""

    content: str
    updated: datetime


class WorkingMemory:
    """The table of working memories. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, session: str, scope: str) -> Working | None:
        """Return the working memory of a session."""
        row = self._database.row(
            "SELECT content, updated FROM working WHERE session=? AND scope=?", session, scope
        )
        return Working(row[0], moment(row[1])) if row else None

    def set(self, session: str, scope: str, content: str) -> Working:
        """Keep a text for a session in place of what was kept."""
        return self.change(session, scope, lambda _: content)

    def change(self, session: str, scope: str, make: Callable[[Working | None], str]) -> Working:
        """Keep what `make` returns for what is kept, in one step; what it raises passes through."""
        with self._database.transaction():
            content = make(self.get(session, scope))
            now = self._database.clock()
            self._put(session, scope, content, now)
        return Working(content, now)

    def clear(self, session: str, scope: str | None = None) -> bool:
        """Drop the working memory of a session, of every scope by default; say if there was one."""
        with self._database.transaction():
            there = self._database.row(
                "SELECT 1 FROM working WHERE session=?1 AND (?2 IS NULL OR scope=?2)",
                session,
                scope,
            )
            self._database.execute(
                "DELETE FROM working WHERE session=?1 AND (?2 IS NULL OR scope=?2)",
                session,
                scope,
            )
        return there is not None

    def expire(self, before: datetime) -> int:
        """Drop what was not touched since `before`; return how many sessions that were."""
        with self._database.transaction():
            (count,) = self._database.only(
                "SELECT count(*) FROM working WHERE updated<?", iso(before)
            )
            self._database.execute("DELETE FROM working WHERE updated<?", iso(before))
        return int(count)

    def purge(self, left_of: Callable[[str], str]) -> int:
        """Cut out what is forgotten, within a transaction; return of how many sessions.

        `left_of` returns a text without it. Of a session that is named so nothing stays.
        """
        count = 0
        for session, scope, content in self._database.rows(
            "SELECT session, scope, content FROM working"
        ):
            left = left_of(content)
            if left == content and left_of(session) == session:
                continue
            count += 1
            if left.strip() and left_of(session) == session:
                self._database.execute(
                    "UPDATE working SET content=? WHERE session=? AND scope=?", left, session, scope
                )
            else:
                self._database.execute(
                    "DELETE FROM working WHERE session=? AND scope=?", session, scope
                )
        return count

    def _put(self, session: str, scope: str, content: str, now: datetime) -> None:
        self._database.execute(
            "INSERT OR REPLACE INTO working(session, scope, content, updated) VALUES (?,?,?,?)",
            session,
            scope,
            content,
            iso(now),
        )
