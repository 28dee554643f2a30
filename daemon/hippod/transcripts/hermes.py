"""Hermes' `state.db`: sessions and messages, numbered over all sessions and never anew.

A session that was branched off or continues a compressed one begins with copies of messages of
its parents.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, ClassVar

from hippod.transcripts.database_file import LARGEST_CELL, Database, Value, each
from hippod.transcripts.fields import digest, text_of, time_of
from hippod.transcripts.harness import public_text
from hippod.transcripts.stores import Needs, Row, Session
from hippod.transcripts.turns import Role, SessionKind, Skip, Turn

_ROLES: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "system": "system",
}
_JOBS: dict[str, SessionKind] = {
    "cron": "cron",
    "heartbeat": "heartbeat",
    "subagent": "subagent",
    "tool": "subagent",
}
_DIRECT_CHATS = frozenset({"", "dm", "direct", "private"})
_GOES_ON = frozenset(
    {
        "branched",
        "compression",
        "daily",
        "idle",
        "resume_pending_expired",
        "session_reset",
        "session_switch",
        "suspended",
    }
)
"""How a session ends that a child goes on from; other children are sub-agents."""
_GOES_ON_MARKS = frozenset({"_branched_from", "_reset_from"})
_ABOUT_SESSIONS = (
    "source",
    "chat_type",
    "hidden",
    "parent_session_id",
    "started_at",
    "model_config",
    "end_reason",
)
_HIDES = {
    "display_kind": "coalesce(display_kind, '')='hidden'",
    "_compressed_summary": "coalesce(_compressed_summary, 0)<>0",
}
_OTHER_ROLES = frozenset({"session_meta"})
_JSON_CONTENT = "\0json:"
_REVIEW = "Review the conversation above and "
_SUMMARIES = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]:")
_NOTE = re.compile(r"\s*+\[(?:System note|System|SYSTEM|Runtime note|Note): [^\n]*\](?:\n\n|\Z)")
_MEMORY = re.compile(r"<memory-context>.*?(?:</memory-context>|\Z)", re.DOTALL)
_COPIED_WITHIN_SECONDS = 60
_MOST_ANCESTORS = 50
_MOST_COPIES = 10_000


class HermesStore:
    """An open database with `messages`; columns that came later may be missing."""

    form = "hermes"
    needs: ClassVar[Needs] = {
        "sessions": ("id", "source"),
        "messages": ("id", "session_id", "role", "content", "timestamp"),
    }

    def __init__(self, database: Database) -> None:
        self._database = database

    def sessions(self) -> Iterator[Session]:
        """Yield the sessions with the number of their last message."""
        rows = self._database.rows(
            f"{each('messages', 'session_id')} SELECT each.value, id, timestamp"
            " FROM each JOIN messages ON id="
            "(SELECT max(id) FROM messages WHERE session_id=each.value)"
        )
        for session, number, time in rows:
            if isinstance(number, int):
                yield Session(str(session), str(number), float(number), time_of(time))

    def kind(self, session: str) -> SessionKind | None:
        """Return the kind by who started the session, in what chat, and from which session."""
        about = self._about(session)
        if job := _JOBS.get(str(about.get("source"))):
            return job
        if about.get("hidden"):
            return "subagent"
        if str(about.get("chat_type") or "") not in _DIRECT_CHATS:
            return "group"
        return "subagent" if self._was_delegated(about) else "main"

    def continues(self, session: Session, position: str) -> bool:
        """Say whether the message that was read last is not beyond the end."""
        return int(position) <= int(session.newest)

    def rows(self, session: str, after: str | None) -> Iterator[Row]:
        """Yield the session's messages behind a position."""
        start = int(after) if after is not None else -1
        copies, copied_until = self._copies(session, start)
        in_review = self._is_in_review(session, start)
        for number, size, role, content, time, hidden in self._messages(session, start):
            position, text = str(number), _text(content)
            if role in ("user", "system"):
                in_review = text.lstrip().startswith(_REVIEW)
            is_copy = _epoch(time) <= copied_until and _said(role, text) in copies
            if size > LARGEST_CELL:
                yield Row(position, "too_long")
            elif hidden or in_review or is_copy:
                yield Row(position, "hidden", size)
            else:
                yield Row(position, _turn(session, number, role, text, time), size)

    def _messages(
        self, session: str, after: int
    ) -> Iterator[tuple[int, int, str, Value, Value, bool]]:
        """Yield number, size, role, content, time, and whether Hermes itself hides it.

        What was compacted was said all the same; what is neither active nor that was taken back.
        """
        hides = [sql for column, sql in _HIDES.items() if self._database.has("messages", column)]
        marks_valid = self._database.has("messages", "active", "compacted")
        rows = self._database.rows(
            "SELECT id, coalesce(octet_length(content), 0), role,"
            " iif(octet_length(content) > ?1, NULL, content), timestamp,"
            f" {' OR '.join(hides) or '0'} FROM messages WHERE session_id=?2 AND id>?3"
            f"{' AND (active=1 OR compacted=1)' if marks_valid else ''} ORDER BY id",
            LARGEST_CELL,
            session,
            after,
        )
        for number, size, role, content, time, hidden in rows:
            assert isinstance(number, int)
            assert isinstance(size, int)
            yield number, size, str(role), content, time, bool(hidden)

    def _is_in_review(self, session: str, position: int) -> bool:
        """Say whether the harness, not a person, asked for what follows a position."""
        row = self._database.row(
            "SELECT substr(content, 1, 200) FROM messages WHERE session_id=? AND id<=?"
            " AND role IN ('user', 'system') ORDER BY id DESC LIMIT 1",
            session,
            position,
        )
        return row is not None and _text(row[0]).lstrip().startswith(_REVIEW)

    # -- sessions that come from others ----------------------------------------------------------

    def _about(self, session: Value) -> dict[str, Value]:
        return self._database.about("sessions", "id", session, _ABOUT_SESSIONS)

    def _was_delegated(self, about: dict[str, Value]) -> bool:
        """Say whether a session has a parent whose talk it does not go on with."""
        parent = self._about(about.get("parent_session_id"))
        if not parent or str(parent.get("end_reason")) in _GOES_ON:
            return False
        marks = _json(about.get("model_config"))
        return not isinstance(marks, dict) or not _GOES_ON_MARKS & marks.keys()

    def _copies(self, session: str, position: int) -> tuple[frozenset[str], float]:
        """Return what a session may begin with copies of, and until when they are written.

        Later on, what was said before and is said again was said again.
        """
        about = self._about(session)
        until = _epoch(about.get("started_at")) + _COPIED_WITHIN_SECONDS
        last = self._database.row("SELECT timestamp FROM messages WHERE id=?", position)
        if not about.get("parent_session_id") or (last and _epoch(last[0]) > until):
            return frozenset(), 0.0
        copies: set[str] = set()
        for ancestor in self._ancestors(about):
            rows = self._database.rows(
                "SELECT role, content FROM messages WHERE session_id=? AND octet_length(content)<?"
                " ORDER BY id DESC LIMIT ?",
                ancestor,
                LARGEST_CELL,
                max(0, _MOST_COPIES - len(copies)),
            )
            copies.update(_said(str(role), _text(content)) for role, content in rows)
        return frozenset(copies), until

    def _ancestors(self, about: dict[str, Value]) -> Iterator[Value]:
        for _ in range(_MOST_ANCESTORS):
            parent = about.get("parent_session_id")
            if not parent:
                return
            yield parent
            about = self._about(parent)


def _turn(session: str, number: int, role: str, text: str, time: Value) -> Turn | Skip:
    if role not in _ROLES:
        return "no_message" if role in _OTHER_ROLES else "unknown_type"
    if text.lstrip().startswith(_SUMMARIES):
        return "hidden"
    if not text.strip():
        return "no_text"
    said = _without_notes(text) if role == "user" else text
    moment = time_of(time)
    return Turn(
        id=str(number),
        key=digest(moment.isoformat() if moment else session, role, text),
        role=_ROLES[role] if said.strip() else "system",
        speaker=None,
        text=said if said.strip() else text,
        time=moment,
        line=number,
    )


def _without_notes(text: str) -> str:
    """Cut what Hermes puts into a person's message: notes before it, recalled memory."""
    text = _MEMORY.sub("", public_text(text))
    while note := _NOTE.match(text):
        text = text[note.end() :]
    return text


def _text(content: Value) -> str:
    """Return a message's text; a list of blocks is stored as JSON behind a mark."""
    if not isinstance(content, str):
        return ""
    if content.startswith(_JSON_CONTENT):
        return text_of(_json(content.removeprefix(_JSON_CONTENT)))
    return content


def _json(text: Value) -> Any:
    try:
        return json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None


def _said(role: str, text: str) -> str:
    return digest(role, " ".join(text.split()))


def _epoch(time: Value) -> float:
    moment = time_of(time)
    return moment.timestamp() if moment else 0.0
