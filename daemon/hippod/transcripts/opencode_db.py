"""OpenCode's database: `message` and `part` of version 1, `session_message` of version 2.

A database may hold both; a session that version 2 knows is read there.
"""

from collections.abc import Iterator
from typing import ClassVar

from hippod.transcripts.database_file import LARGEST_CELL, Database, Value, each
from hippod.transcripts.fields import time_of
from hippod.transcripts.opencode import (
    Message,
    Record,
    Unread,
    message_v1,
    message_v2,
    parsed,
    part_text,
    rows_of,
)
from hippod.transcripts.stores import Needs, Row, Session
from hippod.transcripts.turns import SessionKind

_TEXT_PART = "iif(json_valid(data), json_extract(data, '$.type'), '')='text'"
# The last message with its last change and its parts: it is completed in place.
_SESSIONS_V1 = (
    f"{each('message', 'session_id')} SELECT each.value, time_updated, id || '/' || "
    "time_updated || '/' || (SELECT count(*) FROM part WHERE message_id=message.id)"
    " FROM each JOIN message ON message.rowid=(SELECT rowid FROM message"
    " WHERE session_id=each.value ORDER BY time_created DESC, id DESC LIMIT 1)"
)
_SESSIONS_V2 = (
    f"{each('session_message', 'session_id')} SELECT each.value, time_updated,"
    " seq || '/' || time_updated FROM each JOIN session_message ON session_id=each.value"
    " AND seq=(SELECT max(seq) FROM session_message WHERE session_id=each.value)"
)


class OpenCodeStore:
    """An open database; the tables of one of the versions may be missing."""

    form = "opencode"
    needs: ClassVar[Needs] = {
        "message": ("id", "session_id", "time_created", "time_updated", "data"),
        "part": ("id", "message_id", "data"),
    }
    needs_v2: ClassVar[Needs] = {
        "session_message": ("id", "session_id", "type", "seq", "time_updated", "data"),
    }

    def __init__(self, database: Database) -> None:
        self._database = database

    def sessions(self) -> Iterator[Session]:
        """Yield the sessions of both versions with their last message."""
        current: set[str] = set()
        if self._has(self.needs_v2):
            for session in self._listed(_SESSIONS_V2):
                current.add(session.id)
                yield session
        if self._has(self.needs):
            yield from (s for s in self._listed(_SESSIONS_V1) if s.id not in current)

    def _listed(self, sql: str) -> Iterator[Session]:
        for session, time, newest in self._database.rows(sql):
            changed = time_of(time)
            order = changed.timestamp() if changed else 0.0
            yield Session(str(session), str(newest), order, changed)

    def kind(self, session: str) -> SessionKind | None:
        """Return `subagent` for the sessions that tasks start."""
        for table in ("session_v2", "session"):
            about = self._database.about(table, "id", session, ("parent_id",))
            if about.get("parent_id"):
                return "subagent"
        return "main"

    def continues(self, session: Session, position: str) -> bool:
        """Say whether the session is still read in the same version."""
        return position.startswith("v2:") == self._is_v2(session.id)

    def rows(self, session: str, after: str | None) -> Iterator[Row]:
        """Yield the session's complete messages behind a position."""
        read = self._v2 if self._is_v2(session) else self._v1
        return rows_of(read(session, after), session)

    def _v2(self, session: str, after: str | None) -> Iterator[Message]:
        rows = self._database.rows(
            "SELECT seq, id, type, octet_length(data), iif(octet_length(data) > ?1, NULL, data)"
            " FROM session_message WHERE session_id=?2 AND seq>?3 ORDER BY seq",
            LARGEST_CELL,
            session,
            int(after.removeprefix("v2:")) if after else -1,
        )
        for seq, id_, kind, size, data in rows:
            record: Record | Unread = "too_long" if data is None else parsed(data)
            yield message_v2(f"v2:{_int(seq)}", str(id_), str(kind), record, _int(size))

    def _v1(self, session: str, after: str | None) -> Iterator[Message]:
        _, created, last = (after or "v1:-1:").split(":", 2)
        rows = self._database.rows(
            "SELECT time_created, id, octet_length(data), iif(octet_length(data) > ?1, NULL, data)"
            " FROM message WHERE session_id=?2 AND (time_created, id) > (?3, ?4)"
            " ORDER BY time_created, id",
            LARGEST_CELL,
            session,
            int(created),
            last,
        )
        for time, id_, size, data in rows:
            record: Record | Unread = "too_long" if data is None else parsed(data)
            name = str(id_)
            texts = tuple(self._texts(name))
            read = _int(size) + sum(map(len, texts))
            yield message_v1(f"v1:{_int(time)}:{name}", name, record, texts, read)

    def _texts(self, message: str) -> Iterator[str]:
        rows = self._database.rows(
            f"SELECT data FROM part WHERE message_id=? AND octet_length(data)<=? AND {_TEXT_PART}"
            " ORDER BY id",
            message,
            LARGEST_CELL,
        )
        return filter(None, (part_text(parsed(data)) for (data,) in rows))

    def _is_v2(self, session: str) -> bool:
        return self._has(self.needs_v2) and bool(
            self._database.row("SELECT 1 FROM session_message WHERE session_id=? LIMIT 1", session)
        )

    def _has(self, needs: Needs) -> bool:
        return all(self._database.has(table, *columns) for table, columns in needs.items())


def _int(value: Value) -> int:
    return value if isinstance(value, int) else 0
