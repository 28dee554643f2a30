"""Cursor's agent transcripts: `{"role", "message": {"content"}}` a line, without ids.

What a person typed stands in `<user_query>`, beside context of Cursor's own; some versions put a
`<timestamp>` before it.
"""

import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from hippod.transcripts.fields import Record, digest, text_of, time_of, word
from hippod.transcripts.harness import inside_tag, public_text, without_tags
from hippod.transcripts.turns import Memory, Node, Role, SessionKind, Skip, Turn

_ROLES: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "system": "system",
}
_TIMESTAMP = re.compile(r"<timestamp>([^<]{1,80})</timestamp>")
_WRITTEN_TIME = re.compile(
    r"([A-Z][a-z]{2})[a-z]* (\d{1,2}), (\d{4}), (\d{1,2}):(\d\d) ([AP]M)"
    r" \((?:UTC|GMT)(?:([+-]\d{1,2})(?::?(\d\d))?)?\)"
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_HARNESS_TAG = re.compile(
    r"<(timestamp|system_reminder|system-reminder|additional_data|attached_files|open_and_recently"
    r"_viewed_files|user_info|git_status|project_layout|rules|agent_skills|agent_transcripts"
    r"|cursor_commands|manually_attached_skills|system_notification)(?: [^<>]{0,200})?>"
)


def recognise(record: Record) -> bool:
    """Say whether a record has a role and, beside it, a message with content."""
    message = record.get("message")
    return (
        "type" not in record
        and word(record, "role") in _ROLES
        and isinstance(message, dict)
        and "content" in message
    )


def session(record: Record) -> str | None:
    """Return None: the file's name is the session."""
    return None


def kind(record: Record, line: int) -> SessionKind | None:
    """Return None: a record says nothing about the kind of its session."""
    return None


def file_kind(path: Path, session: str) -> SessionKind | None:
    """Return `subagent` for the files in a folder of that name."""
    return "subagent" if path.parent.name == "subagents" else None


def node(record: Record) -> Node | None:
    """Return None: records form a list."""
    return None


def turns(record: Record, line: int, session_id: str, memory: Memory) -> tuple[Turn | Skip]:
    """Return the record's message, or why it has none."""
    return (_found(record, line, session_id, memory),)


def _found(record: Record, line: int, session_id: str, memory: Memory) -> Turn | Skip:
    message = record.get("message")
    role = _ROLES.get(word(record, "role"))
    if not isinstance(message, dict) or role is None:
        return "no_message" if word(record, "type") == "turn_ended" else "unknown_type"
    written = text_of(message.get("content"))
    if not written.strip():
        return "no_text"
    text = _typed(public_text(written)) if role == "user" else written
    if not text.strip():
        return "hidden"
    time = _time(written, memory) if role == "user" else time_of(memory.get("time"))
    return Turn(
        id=f"L{line}",
        key=digest(time.isoformat() if time else session_id, role, text),
        role=role,
        speaker=None,
        text=text,
        time=time,
        line=line,
    )


def _typed(written: str) -> str:
    queries = [query.strip() for query in inside_tag(written, "user_query")]
    return "\n".join(queries) if queries else without_tags(written, _HARNESS_TAG)


def _time(written: str, memory: Memory) -> datetime | None:
    """Return the time a user's message gives, and keep it for the answers to it."""
    stamp = _TIMESTAMP.search(written)
    time = _read_time(stamp[1]) if stamp else None
    memory.pop("time", None)
    if time:
        memory["time"] = time.isoformat()
    return time


def _read_time(text: str) -> datetime | None:
    written = _WRITTEN_TIME.search(text)
    if written is None or written[1] not in _MONTHS:
        return time_of(text)
    month, day, year = _MONTHS.index(written[1]) + 1, int(written[2]), int(written[3])
    hour = int(written[4]) % 12 + (12 if written[6] == "PM" else 0)
    hours = int(written[7] or 0)
    offset = timedelta(hours=hours, minutes=int(written[8] or 0) * (-1 if hours < 0 else 1))
    try:
        time = datetime(year, month, day, hour, int(written[5]), tzinfo=timezone(offset))
        return time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
