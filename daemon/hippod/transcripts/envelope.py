"""Take off what OpenClaw puts around a person's words before it stores them as a user message.

A stored message may begin with blocks of JSON metadata, lines about system events and a bracket
with channel, sender and time; only the rest was said by someone.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from hippod.transcripts.fields import speaker_name
from hippod.transcripts.turns import SessionKind

_METADATA = re.compile(
    r"\s*+(?P<label>[^\n]{1,60}?)(?:\(untrusted[^\n]{0,60}|⟦openclaw:ctx⟧)[ \t]*\n"
    r"```json[ \t]*\n(?P<json>.*?)\n```[ \t]*(?:\n|\Z)",
    re.DOTALL,
)
_EVENT = re.compile(r"\s*+System(?: \(untrusted\))?: \[[^\n]*(?:\n|\Z)")
_BRACKET = re.compile(
    r"\s*+\[(?:[A-Z][a-z]{2}|[A-Z]\w{1,30} [^]\n]{1,200}) "
    r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d[^]\n]{0,40}\] ?"
)
_MESSAGE_ID = re.compile(r"^\[message_id: [^]\n]*\][ \t]*(?:\n|\Z)", re.MULTILINE)
_MACHINE = re.compile(
    r"\s*+(?:\[System Message\]|Read HEARTBEAT\.md\b|\[OpenClaw heartbeat poll\]"
    r"|Pre-compaction memory flush\b)"
)
_GROUP_HISTORY = "[Chat messages since your last reply"
_JOBS: tuple[tuple[str, SessionKind], ...] = (
    ("[cron:", "cron"),
    ("[Subagent Context]", "subagent"),
)


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """The words of a user message and what the wrapping told about them.

    `job` is the kind of session that begins with such a message; `group` says that the message
    came from a group chat; `machine` that no person wrote it.
    """

    text: str
    speaker: str | None
    job: SessionKind | None
    group: bool
    machine: bool


def unwrap(text: str) -> Unwrapped:
    """Split a stored user message into the words and what stood around them.

    Text without such wrapping comes back as it is.
    """
    metadata, words = _split(text)
    if bracket := _BRACKET.match(words):
        words = words[bracket.end() :]
    words = _MESSAGE_ID.sub("", words)
    job = next((job for opening, job in _JOBS if words.lstrip().startswith(opening)), None)
    return Unwrapped(
        text=words,
        speaker=_speaker(metadata),
        job=job,
        group=words.startswith(_GROUP_HISTORY)
        or metadata.get("Conversation info", {}).get("is_group_chat") is True,
        machine=job is not None or not words.strip() or _MACHINE.match(words) is not None,
    )


def _split(text: str) -> tuple[dict[str, dict[str, Any]], str]:
    """Take metadata blocks and event lines off the front; the first block of a label counts."""
    metadata: dict[str, dict[str, Any]] = {}
    position = 0
    while True:
        if block := _METADATA.match(text, position):
            metadata.setdefault(block["label"].strip(" :"), _json_object(block["json"]))
            position = block.end()
        elif event := _EVENT.match(text, position):
            position = event.end()
        else:
            break
    return metadata, text[position:].lstrip("\n") if position else text


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _speaker(metadata: dict[str, dict[str, Any]]) -> str | None:
    """Return the sender's name, unless the channel gave its id in place of one."""
    sender, info = metadata.get("Sender", {}), metadata.get("Conversation info", {})
    name = speaker_name(sender.get("name")) or speaker_name(info.get("sender"))
    ids = (sender.get("id"), sender.get("e164"), info.get("sender_id"))
    return None if name in ids else name
