"""OpenClaw's and Pi's JSONL, version 3: a header, then entries that form a tree of messages."""

import re
from pathlib import Path
from typing import Any

from hippod.transcripts.envelope import unwrap
from hippod.transcripts.fields import (
    Record,
    digest,
    identifier,
    session_name,
    text_of,
    time_of,
    word,
)
from hippod.transcripts.harness import public_text
from hippod.transcripts.places import live_name
from hippod.transcripts.session_store import listed_kind
from hippod.transcripts.turns import Memory, Node, Role, SessionKind, Skip, Turn

_ROLES: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "toolResult": "tool",
    "tool": "tool",
    "system": "system",
}
_OTHER_ROLES = frozenset({"custom", "bashExecution", "branchSummary", "compactionSummary"})
_OTHER_TYPES = frozenset(
    {
        "session",
        "branch_summary",
        "compaction",
        "custom",
        "custom_message",
        "label",
        "leaf",
        "model_change",
        "session_info",
        "thinking_level_change",
        "title",
    }
)
_JOB_WITHIN_LINES = 20
_REPLY_TAG = re.compile(r"\[\[ ?reply_to[^]\n]{0,80}\]\][ \t]*")


def recognise(record: Record) -> bool:
    """Say whether a record is the header, or an entry with a parent or a message."""
    record_type, message = word(record, "type"), record.get("message")
    if record_type == "session":
        return isinstance(record.get("id"), str)
    if record_type == "message":
        return isinstance(message, dict) and "role" in message
    return record_type in _OTHER_TYPES and "parentId" in record


def session(record: Record) -> str | None:
    """Return the session's id from the header."""
    return session_name(record.get("id")) if record.get("type") == "session" else None


def kind(record: Record, line: int) -> SessionKind | None:
    """Return what a user message's wrapping says: from a group, or the order for a job.

    A job's order stands at the beginning of its session; later on it is only quoted.
    """
    message = _message(record)
    if message.get("role") != "user":
        return None
    said = unwrap(text_of(message.get("content")))
    if said.job and line <= _JOB_WITHIN_LINES:
        return said.job
    return "group" if said.group else None


def file_kind(path: Path, session: str) -> SessionKind | None:
    """Return what the `sessions.json` beside a transcript says about its session."""
    return listed_kind(path.with_name("sessions.json"), session, live_name(path.name))


def node(record: Record) -> Node | None:
    """Return the entry's place in the tree."""
    own, parent = record.get("id"), record.get("parentId")
    if not isinstance(own, str) or "parentId" not in record:
        return None
    return Node(own, parent if isinstance(parent, str) else None)


def turns(record: Record, line: int, session_id: str, memory: Memory) -> tuple[Turn | Skip]:
    """Return what `turn` returns: a record holds one message at most."""
    return (turn(record, line, session_id),)


def turn(record: Record, line: int, session_id: str) -> Turn | Skip:
    """Return the entry's message, or why it has none."""
    record_type, message = word(record, "type"), _message(record)
    if record_type != "message":
        return "no_message" if record_type in _OTHER_TYPES else "unknown_type"
    if word(message, "role") in _OTHER_ROLES or message.get("model") == "delivery-mirror":
        return "hidden"
    role = _ROLES.get(word(message, "role"))
    if role is None:
        return "unknown_type"
    written = text_of(message.get("content"))
    if not written.strip():
        return "no_text"
    return _turn(record, message, role, written, line, session_id)


def _turn(
    record: Record, message: Record, role: Role, written: str, line: int, session_id: str
) -> Turn:
    text, speaker = written, None
    if role == "user":
        public = public_text(written)
        said = unwrap(public)
        text, speaker = said.text or public, said.speaker
        role = "system" if said.machine else role
    if role == "assistant":
        text = _REPLY_TAG.sub("", written)
    time = time_of(message.get("timestamp")) or time_of(record.get("timestamp"))
    entry_id = identifier(record.get("id"))
    # Entry ids are short and a rewritten branch gets new ones, while forks and successors copy
    # time and text: these recognise a message better.
    if entry_id and not time:
        key = f"{session_id}:{entry_id}"
    else:
        key = digest(time or session_id, message.get("role"), written)
    return Turn(entry_id or f"L{line}", key, role, speaker, text, time, line)


def _message(record: Record) -> dict[str, Any]:
    message = record.get("message")
    return message if isinstance(message, dict) and record.get("type") == "message" else {}
