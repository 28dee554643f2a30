"""Codex rollouts: lines of `{timestamp, type, payload}`; also what `codex exec --json` prints.

A message mostly stands there twice, for the model (`response_item`) and for the screen
(`event_msg`, since 0.147 as `item_completed`), in either order and by version and role in only
one of them. So no channel is preferred: the n-th time that a text appears in one channel is the
same message as the n-th time in another one, among the messages shortly before.

A fork repeats the messages of its parent under new times and no ids, so a message is recognised
by its text and the two messages before it.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hippod.transcripts.fields import (
    Record,
    digest,
    identifier,
    scalar_text,
    session_name,
    time_of,
    word,
)
from hippod.transcripts.harness import public_texts, without_tags
from hippod.transcripts.turns import Found, Memory, Node, Rewind, Role, SessionKind, Skip, Turn

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant"}
_LINE_TYPES = frozenset(
    {"session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"}
)
_EXEC_TYPE = re.compile(r"(?:thread|turn|item)\.[a-z_]+")
_OTHER_PAYLOADS = re.compile(
    r"reasoning|other|compaction|ghost_snapshot|token_count|error|warning|stream_error"
    r"|agent_reasoning\w*|(?:custom_tool|function|local_shell|web_search|image_generation"
    r"|tool_search|mcp_tool|view_image_tool)_(?:call|output)\w*|view_image_tool_call"
    r"|tool_search_output|context_compacted|background_event|session_configured|turn_diff"
    r"|(?:entered|exited)_review_mode|thread_rolled_back|thread_settings_applied"
    r"|\w+_(?:begin|end|started|completed?|aborted|delta|updated?|request|response)"
)
_EVENTS: dict[str, Role] = {"user_message": "user", "agent_message": "assistant"}
_ITEMS: dict[str, Role] = {
    "usermessage": "user",
    "agentmessage": "assistant",
    "assistantmessage": "assistant",
}
_TEXT_TYPES = frozenset({"text", "input_text", "output_text"})
_HARNESS_TAG = re.compile(
    r"<(environment_context|user_instructions|INSTRUCTIONS|recommended_plugins|turn_aborted"
    r"|permissions instructions|collaboration_mode|subagent_notification|user_shell_command"
    r"|(?:apps|plugins|skills)_instructions|skill|image|user_action|model_switch"
    r"|personality_spec)(?: [^<>]{0,200})?>"
)
_AGENTS_FILE = "# AGENTS.md instructions"
_IDE_CONTEXT, _IDE_REQUEST = "# Context from my IDE setup:", "## My request for Codex:"
_RECENT = 24
"""Among how many messages the second record of one is looked for; they are mostly neighbours."""


def recognise(record: Record) -> bool:
    """Say whether a record is a rollout's line, also of the first versions, or one of `exec`."""
    if isinstance(record.get("payload"), dict) and word(record, "type") in _LINE_TYPES:
        return True
    if _EXEC_TYPE.fullmatch(word(record, "type")):
        return "thread_id" in record or "item" in record or record["type"] == "turn.started"
    return _is_first_line(record) or _is_bare_item(record)


def session(record: Record) -> str | None:
    """Return the session's id from the header; a fork's own stands before those it copied."""
    payload = _payload(record)
    if word(record, "type") == "session_meta":
        return session_name(payload.get("id")) or session_name(payload.get("session_id"))
    if _is_first_header(record):
        return session_name(record.get("id"))
    return session_name(record.get("thread_id"))


def kind(record: Record, line: int) -> SessionKind | None:
    """Return `subagent` if the header names a parent or such a source."""
    if line > 1 or word(record, "type") != "session_meta":
        return None
    payload = _payload(record)
    source = payload.get("source")
    spawned = (
        word(payload, "parent_thread_id")
        or word(payload, "thread_source") == "subagent"
        or (isinstance(source, dict) and "subagent" in source)
        or (isinstance(source, str) and source.startswith("subagent"))
    )
    return "subagent" if spawned else None


def file_kind(path: Path, session: str) -> SessionKind | None:
    """Return None: the header tells it."""
    return None


def node(record: Record) -> Node | None:
    """Return None: messages form a list."""
    return None


def turns(record: Record, line: int, session_id: str, memory: Memory) -> tuple[Found]:
    """Return the record's message, the order to rewind, or why there is neither."""
    payload = _payload(record)
    if word(payload, "type") == "thread_rolled_back":
        count = payload.get("num_turns")
        return (Rewind(users=count) if isinstance(count, int) and count > 0 else "no_message",)
    said = _said(record, payload)
    if isinstance(said, str):
        return (said,)
    channel, role, texts = said
    written = "\n".join(texts)
    if not written.strip():
        return ("no_text",)
    text = _typed(texts) if role == "user" else written
    if not text.strip():
        return ("hidden",)
    if _is_copy(memory, channel, digest(role, " ".join(text.split()))[:8]):
        return ("copy",)
    return (_turn(record, payload, role, text, line, memory),)


def _turn(
    record: Record, payload: Record, role: Role, text: str, line: int, memory: Memory
) -> Turn:
    before = memory.get("before", "")
    memory["before"] = f"{before[-16:]}{digest(role, text)[:16]}"
    item = payload.get("item") or record.get("item")
    named = item if isinstance(item, dict) else payload
    return Turn(
        id=identifier(named.get("id")) or f"L{line}",
        key=digest(before, role, text),
        role=role,
        speaker=None,
        text=text,
        time=time_of(record.get("timestamp")),
        line=line,
    )


def _said(record: Record, payload: Record) -> tuple[str, Role, list[str]] | Skip:
    """Return channel, role and texts of the message that a record holds."""
    record_type, payload_type = word(record, "type"), word(payload, "type")
    if record_type == "response_item" or _is_bare_item(record):
        return _model_item(payload or record)
    if record_type == "event_msg" and payload_type in _EVENTS:
        return "e", _EVENTS[payload_type], list(_texts(payload.get("message")))
    if record_type == "event_msg" and payload_type == "item_completed":
        return _screen_item(payload.get("item"))
    if record_type == "item.completed":
        return _screen_item(record.get("item"))
    known = record_type in _LINE_TYPES - {"event_msg"} or _EXEC_TYPE.fullmatch(record_type)
    if known or _OTHER_PAYLOADS.fullmatch(payload_type):
        return "no_message"
    first_version = _is_first_line(record)
    bare = not payload and _OTHER_PAYLOADS.fullmatch(record_type)
    return "no_message" if first_version or bare else "unknown_type"


def _model_item(item: Record) -> tuple[str, Role, list[str]] | Skip:
    if word(item, "type") != "message":
        return "no_message" if _OTHER_PAYLOADS.fullmatch(word(item, "type")) else "unknown_type"
    role = _ROLES.get(word(item, "role"))
    if role is None:
        return "hidden" if word(item, "role") in ("developer", "system") else "unknown_type"
    return "r", role, list(_texts(item.get("content")))


def _screen_item(item: object) -> tuple[str, Role, list[str]] | Skip:
    if not isinstance(item, dict):
        return "unknown_type"
    name = word(item, "type") or word(item, "item_type")
    role = _ITEMS.get(name.replace("_", "").lower())
    if role is None:
        return "unknown_type" if "message" in name.lower() else "no_message"
    return "i", role, list(_texts(item.get("content") or item.get("text")))


def _texts(content: object) -> Iterator[str]:
    for block in content if isinstance(content, list) else [content]:
        if isinstance(block, str):
            yield scalar_text(block)
        elif isinstance(block, dict) and word(block, "type").lower() in _TEXT_TYPES:
            yield scalar_text(word(block, "text"))


def _typed(texts: list[str]) -> str:
    """Return what a person wrote, without the blocks that Codex put into their message."""
    return "\n".join(text for text in map(_typed_block, public_texts(texts)) if text.strip())


def _typed_block(text: str) -> str:
    if text.lstrip().startswith(_AGENTS_FILE) or text.strip() in ("</image>",):
        return ""
    if text.lstrip().startswith("<image ") and "\n" not in text.strip():
        return ""
    if text.lstrip().startswith(_IDE_CONTEXT) and _IDE_REQUEST in text:
        return text.partition(_IDE_REQUEST)[2].strip()
    return without_tags(text, _HARNESS_TAG)


def _is_copy(memory: Memory, channel: str, text: str) -> bool:
    """Say whether another channel had this message before; note that this one has it now."""
    recent = memory.get("recent", "").split()
    for place, entry in enumerate(recent):
        hashed, _, channels = entry.partition(":")
        if hashed == text and channel not in channels:
            recent[place] = entry + channel
            memory["recent"] = " ".join(recent)
            return True
    memory["recent"] = " ".join([*recent, f"{text}:{channel}"][-_RECENT:])
    return False


def _payload(record: Record) -> dict[str, Any]:
    payload = record.get("payload")
    return payload if isinstance(payload, dict) else {}


def _is_first_header(record: Record) -> bool:
    """Say whether this is the header of 2025's first versions, which had no `payload`."""
    return {"id", "timestamp", "instructions"} <= record.keys() and "type" not in record


def _is_first_line(record: Record) -> bool:
    return _is_first_header(record) or record.get("record_type") == "state"


def _is_bare_item(record: Record) -> bool:
    """Say whether this is a response item of those versions."""
    content = record.get("content")
    return (
        word(record, "type") == "message"
        and word(record, "role") != ""
        and isinstance(content, list)
        and any(isinstance(b, dict) and b.get("type") in _TEXT_TYPES - {"text"} for b in content)
    )
