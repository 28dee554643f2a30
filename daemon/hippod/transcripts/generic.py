"""The plain format for any agent: lines of `{"role", "content", "timestamp"}`.

Optional: `id`, `name` (who speaks) and `session`. Times are ISO, or an epoch in s or ms.
"""

from pathlib import Path

from hippod.transcripts.fields import (
    Record,
    digest,
    identifier,
    session_name,
    speaker_name,
    text_of,
    time_of,
    word,
)
from hippod.transcripts.mapping import ROLES
from hippod.transcripts.turns import Memory, Node, Role, SessionKind, Skip, Turn

_TIMES = ("timestamp", "time", "created_at", "ts")
_SESSIONS = ("session", "session_id", "sessionId", "conversation_id")


def recognise(record: Record) -> bool:
    """Say whether a record has a known role and a content."""
    return _role(record) is not None and isinstance(record.get("content"), str | list)


def session(record: Record) -> str | None:
    """Return the session that a record names."""
    return next((name for key in _SESSIONS if (name := session_name(record.get(key)))), None)


def kind(record: Record, line: int) -> SessionKind | None:
    """Return None: a plain record says nothing about the kind of its session."""
    return None


def file_kind(path: Path, session: str) -> SessionKind | None:
    """Return None: neither does a plain file."""
    return None


def node(record: Record) -> Node | None:
    """Return None: plain records form a list."""
    return None


def turns(record: Record, line: int, session_id: str, memory: Memory) -> tuple[Turn | Skip]:
    """Return what `turn` returns: a record holds one message at most."""
    return (turn(record, line, session_id),)


def turn(record: Record, line: int, session_id: str) -> Turn | Skip:
    """Return the record's message, or why it has none."""
    role = _role(record)
    if role is None:
        return "unknown_type"
    text = text_of(record.get("content"))
    if not text.strip():
        return "no_text"
    time = next((time for key in _TIMES if (time := time_of(record.get(key)))), None)
    own_session = session(record) or session_id
    message_id = identifier(record.get("id"))
    # A time tells copies of a message from repetitions of it wherever they lie; without one,
    # only the session and the id bound what an equal text can be a copy of. An id alone tells
    # nothing: many agents count from 1 in every file of the same name.
    scope = time.isoformat() if time else f"{own_session}:{message_id or ''}"
    return Turn(
        id=message_id or f"L{line}",
        key=digest(scope, role, text),
        role=role,
        speaker=speaker_name(record.get("name")),
        text=text,
        time=time,
        line=line,
    )


def _role(record: Record) -> Role | None:
    return ROLES.get(word(record, "role"))
