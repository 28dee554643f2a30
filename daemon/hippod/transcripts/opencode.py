"""OpenCode's messages as its versions store them, whether in a database or in files.

They are written while the model speaks, so the last one counts only when it is complete.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from hippod.transcripts.fields import digest, identifier, scalar_text, time_of, word
from hippod.transcripts.stores import Row
from hippod.transcripts.turns import Role, Skip, Turn

Record = Mapping[str, Any]
Unread = Literal["malformed", "too_long"]
_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant"}
_OTHER_TYPES = frozenset(
    {
        "agent-switched",
        "compaction",
        "idle",
        "location-switched",
        "model-switched",
        "shell",
        "skill",
        "synthetic",
        "system",
    }
)


@dataclass(frozen=True, slots=True)
class Message:
    """A message with its text parts; `record` may be why it could not be read.

    `size` counts what was read for it, in bytes.
    """

    position: str
    id: str
    role: str
    record: Record | Unread
    texts: tuple[str, ...]
    is_complete: bool
    size: int

    def row(self, session: str) -> Row:
        """Return it as a row of a session."""
        if isinstance(self.record, str):
            return Row(self.position, self.record, self.size)
        return Row(self.position, self._found(session, self.record), self.size)

    def _found(self, session: str, record: Record) -> Turn | Skip:
        if self.role not in _ROLES:
            return "no_message" if self.role in _OTHER_TYPES else "unknown_type"
        if record.get("summary") is True:
            return "hidden"
        text = "\n".join(self.texts)
        if not text.strip():
            return "no_text"
        time = time_of(_times(record).get("created"))
        # Forks and version 2 copy time and text; a copy may be cut into parts anew.
        said = " ".join(text.split())
        return Turn(
            id=identifier(self.id) or digest(self.id)[:12],
            key=digest(time.isoformat() if time else session, self.role, said),
            role=_ROLES[self.role],
            speaker=None,
            text="\n".join(map(_unwrapped, self.texts)) if self.role == "user" else text,
            time=time,
            line=0,
        )


def _unwrapped(text: str) -> str:
    """Return what was said: `opencode run "some words"` puts an argument with spaces in quotes."""
    match = _ARGUMENT.fullmatch(text.strip())
    return match[1].replace('\\"', '"') if match else text


_ARGUMENT = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
"""Quotes within it are escaped; with others it is somebody's own wording."""


def rows_of(messages: Iterable[Message], session: str) -> Iterator[Row]:
    """Yield complete messages; one that others follow is as complete as it will ever be."""
    last = None
    for message in messages:
        if last is not None:
            yield last.row(session)
        last = message
    if last is not None and last.is_complete:
        yield last.row(session)


def parsed(data: object) -> Record | Literal["malformed"]:
    """Parse the JSON object of a message or part."""
    try:
        record = json.loads(data) if isinstance(data, str | bytes) else None
    except (ValueError, RecursionError):
        return "malformed"
    return record if isinstance(record, dict) else "malformed"


def part_text(part: Record | str) -> str:
    """Return what a part says; empty for tools and for what OpenCode itself puts in."""
    if isinstance(part, str) or part.get("type") != "text":
        return ""
    if part.get("synthetic") is True or part.get("ignored") is True:
        return ""
    return scalar_text(word(part, "text"))


def message_v1(
    position: str,
    id_: str,
    record: Record | Unread,
    texts: tuple[str, ...],
    size: int,
) -> Message:
    """Make a message of version 1 from its record and the texts of its parts."""
    if isinstance(record, str):
        return Message(position, id_, "", record, (), True, size)
    role = word(record, "role")
    is_complete = bool(texts) if role == "user" else _is_completed(record)
    return Message(position, id_, role, record, texts, is_complete, size)


def message_v2(
    position: str,
    id_: str,
    kind: str,
    record: Record | Unread,
    size: int,
) -> Message:
    """Make a message of version 2 from its type and record."""
    if isinstance(record, str):
        return Message(position, id_, kind, record, (), True, size)
    content = record.get("content")
    if kind == "assistant" and isinstance(content, list):
        texts = [part_text(part) for part in content if isinstance(part, dict)]
    else:
        texts = [scalar_text(word(record, "text"))]
    is_complete = kind != "assistant" or _is_completed(record)
    return Message(position, id_, kind, record, tuple(filter(None, texts)), is_complete, size)


def _is_completed(record: Record) -> bool:
    return any((_times(record).get("completed"), record.get("finish"), record.get("error")))


def _times(record: Record) -> Record:
    times = record.get("time")
    return times if isinstance(times, dict) else {}
