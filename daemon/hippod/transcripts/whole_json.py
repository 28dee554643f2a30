"""Read a chat that is one JSON object, rewritten as a whole whenever something is added."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from hippod.transcripts.content import Content
from hippod.transcripts.gathering import Gathering
from hippod.transcripts.places import live_name
from hippod.transcripts.position import Position, resume, tail_before
from hippod.transcripts.request import Request
from hippod.transcripts.turns import Reading

LARGEST = 32_000_000
"""Bytes; the text and the parsed object must fit into memory together."""
_TOO_LARGE = f"larger than {LARGEST // 1_000_000} MB in one piece, not read"
_INCOMPLETE = "not complete JSON, so nothing was read"
_CHUNK = 1 << 20
_BOM = b"\xef\xbb\xbf"


def is_whole(request: Request, head: bytes) -> bool:
    """Say whether a transcript that begins with `head` is one value and not one a line."""
    name = live_name(request.path.name)
    if name.endswith(".jsonl"):
        return False
    first_line, _, rest = head.removeprefix(_BOM).lstrip().partition(b"\n")
    if name.endswith(".json"):
        return not (first_line.rstrip().endswith(b"}") and rest.strip())
    return first_line.strip() in (b"{", b"[")


def read_whole(content: Content, request: Request) -> Reading:
    """Return the messages that are new, all at once: the size of the file bounds them.

    While the file does not parse, the cursor stays: it may be half written.
    """
    position, rewritten = resume(content, request.cursor)
    changed = datetime.fromtimestamp(content.status.st_mtime, UTC)
    gathering = Gathering.begin(request, None if rewritten else request.cursor, changed)
    data = b"".join(_chunks(content))
    problem = _take(data, gathering, position) if len(data) <= LARGEST else _TOO_LARGE
    if problem != _INCOMPLETE:
        position.offset = len(data) if content.compressed else content.status.st_size
        position.tail = tail_before(content, position.offset)
    return Reading(
        turns=gathering.new_turns(),
        cursor=gathering.cursor(position),
        alarm=f"{request.path}: {problem}"
        if problem
        else gathering.alarm(position, from_start=True),
        skipped=dict(gathering.skipped),
    )


def _take(data: bytes, gathering: Gathering, position: Position) -> str | None:
    """Take all records; return what is wrong with them."""
    try:
        value = json.loads(data.removeprefix(_BOM).decode("utf-8", "replace") or "null")
    except (ValueError, RecursionError):
        return _INCOMPLETE
    position.line = 0
    for record in _records(value):
        position.line += 1
        gathering.take_record(record, position.line)
    return None


def _chunks(content: Content) -> Iterator[bytes]:
    """Yield the file's bytes, a little more than `LARGEST` at most."""
    offset = 0
    while offset <= LARGEST and (chunk := content.pread(_CHUNK, offset)):
        offset += len(chunk)
        yield chunk


def _records(value: object) -> Iterator[dict[str, Any]]:
    """Yield the object without its messages, then each of these."""
    if not isinstance(value, dict):
        return
    messages = value.get("messages")
    yield {name: field for name, field in value.items() if name != "messages"}
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, dict):
            yield message
