"""Gemini CLI's chats: a header, messages, and orders to patch or rewind; or all in one object.

The log repeats a message, by its id, whenever something was added to it, and a checkpoint
(`$set` with `messages`) repeats the conversation under ids that may be new ones: text and
session recognise a message.
"""

import re
from pathlib import Path

from hippod.transcripts.fields import (
    Record,
    digest,
    identifier,
    scalar_text,
    session_name,
    time_of,
    word,
)
from hippod.transcripts.harness import public_text, without_tags
from hippod.transcripts.turns import (
    Found,
    Memory,
    Node,
    Rewind,
    Role,
    SessionKind,
    Skip,
    Skipped,
    Turn,
)

_ROLES: dict[str, Role] = {"user": "user", "gemini": "assistant"}
_NOTICES = frozenset({"info", "warning", "error"})
_HARNESS_TAG = re.compile(
    r"<(session_context|state_snapshot|hook_context|system-reminder|loaded_context)"
    r"(?: [^<>]{0,200})?>"
)
_ACKNOWLEDGED = "Got it. Thanks for the additional context!"
"""What older versions let the model say to the context that they put first."""


def recognise(record: Record) -> bool:
    """Say whether a record is a header, a message with a type of Gemini's, or an order."""
    if "$rewindTo" in record or isinstance(record.get("$set"), dict):
        return True
    if word(record, "type") in _ROLES or word(record, "type") in _NOTICES:
        return "content" in record and "id" in record and "role" not in record
    return "type" not in record and bool(
        word(record, "sessionId") and (word(record, "projectHash") or word(record, "startTime"))
    )


def session(record: Record) -> str | None:
    """Return the session's id from the header."""
    return session_name(record.get("sessionId"))


def kind(record: Record, line: int) -> SessionKind | None:
    """Return `subagent` if the header says so."""
    return "subagent" if record.get("kind") == "subagent" else None


def file_kind(path: Path, session: str) -> SessionKind | None:
    """Return `subagent` for the files in a folder below `chats`, which bears the parent's id."""
    return "subagent" if path.parent.parent.name == "chats" else None


def node(record: Record) -> Node | None:
    """Return None: messages form a list."""
    return None


def turns(record: Record, line: int, session_id: str, memory: Memory) -> tuple[Found, ...]:
    """Return the record's messages, the order to rewind, or why there is neither."""
    if isinstance(target := record.get("$rewindTo"), str):
        return (Rewind(to=target),)
    if word(record, "type") or not recognise(record):
        return (_found(record, line, session_id),)
    patch = record.get("$set")
    return _messages_in(patch if isinstance(patch, dict) else record, line, session_id)


def _messages_in(record: Record, line: int, session_id: str) -> tuple[Found, ...]:
    """Return what a header or checkpoint holds as `messages`."""
    messages = record.get("messages")
    listed = messages if isinstance(messages, list) else []
    found = tuple(_found(m, line, session_id) for m in listed if isinstance(m, dict))
    return found or ("no_message",)


def _found(message: Record, line: int, session_id: str) -> Turn | Skipped:
    """Return the message; one that is no turn keeps its id, for an order to rewind to it."""
    found = _read(message, line, session_id)
    id_ = word(message, "id")
    return Skipped(id_, found) if isinstance(found, str) else found


def _read(message: Record, line: int, session_id: str) -> Turn | Skip:
    role = _ROLES.get(word(message, "type"))
    if role is None:
        return "hidden" if word(message, "type") in _NOTICES else "unknown_type"
    # What a person typed is in `displayContent` where the program added files to it.
    written = (role == "user" and _text(message.get("displayContent"))) or _text(
        message.get("content")
    )
    if not written.strip():
        # Before the words of an answer there may be its tool calls alone.
        return "no_message" if message.get("toolCalls") or _has_parts(message) else "no_text"
    text = without_tags(public_text(written), _HARNESS_TAG)
    if not text.strip() or (role == "assistant" and text.strip() == _ACKNOWLEDGED):
        return "hidden"
    return Turn(
        id=identifier(message.get("id")) or f"L{line}",
        key=digest(session_id, role, text),
        role=role,
        speaker=None,
        text=text,
        time=time_of(message.get("timestamp")),
        line=line,
    )


def _text(content: object) -> str:
    """Join the texts of a string, a part or parts, without the model's thoughts."""
    parts = content if isinstance(content, list) else [content]
    texts = (_part_text(part) for part in parts)
    return "\n".join(scalar_text(text) for text in texts if text)


def _part_text(part: object) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict) or part.get("thought"):
        return ""
    return word(part, "text")


def _has_parts(message: Record) -> bool:
    """Say whether parts other than text are there, such as the results of tools."""
    content = message.get("content")
    return isinstance(content, list) and any(
        isinstance(part, dict) and "text" not in part and len(part) > 0 for part in content
    )
