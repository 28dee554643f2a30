"""Server-sent events out of the pieces of an HTTP body, chunked or not. Pure.

Cheap to import: the command line waits for it.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

MAX_LINE = 16_000_000
"""Bytes of a line, or characters of an event, that are taken: no event is nearly as long."""


class Payloads:
    """The data of events, out of a stream that comes in pieces.

    Comments and whatever else lines say are passed over.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[str] = []
        self._length = 0
        """Characters of the data."""

    def take(self, piece: bytes) -> list[str]:
        """Return the data of each event that is whole now; raises `ValueError` as `payloads`."""
        *whole, self._rest = (self._rest + piece).split(b"\n")
        if len(self._rest) > MAX_LINE:
            raise ValueError("a line without end")
        lines = (line.removesuffix(b"\r").decode(errors="replace") for line in whole)
        return [data for line in lines if (data := self._ended_by(line)) is not None]

    def _ended_by(self, line: str) -> str | None:
        """Return the data of the event that ends with this line, if one does."""
        name, _, value = line.partition(":")
        if name == "data":
            self._add(value.removeprefix(" "))
        elif not line and self._data:
            data = "\n".join(self._data)
            self._data.clear()
            self._length = 0
            return data
        return None

    def _add(self, value: str) -> None:
        self._data.append(value)
        self._length += len(value) + 1
        if self._length > MAX_LINE:
            raise ValueError("an event without end")


class Chunks:
    """The contents of a body in chunks that comes in pieces; `ended` with the last chunk."""

    def __init__(self) -> None:
        self.ended = False
        self._read = bytearray()
        self._left = 0
        """Bytes that are still to come of the chunk."""
        self._is_behind = False
        """Whether the line that ends a chunk is to come."""

    def take(self, piece: bytes) -> bytes:
        """Return what came of the contents; raises `ValueError` for what are no chunks."""
        self._read += piece
        contents = bytearray()
        while not self.ended and (self._part(contents) if self._left else self._line()):
            pass
        return bytes(contents)

    def _part(self, contents: bytearray) -> bool:
        part = self._taken(self._left)
        contents += part
        self._left -= len(part)
        self._is_behind = not self._left
        return bool(part)

    def _line(self) -> bool:
        line = self._taken(self._read.find(b"\n") + 1)
        if not line and len(self._read) > MAX_LINE:
            raise ValueError("a line without end")
        if line and not self._is_behind:
            self._left = _size(line)
            self.ended = not self._left
        elif line:
            self._is_behind = False
        return bool(line)

    def _taken(self, count: int) -> bytes:
        taken = bytes(self._read[:count])
        del self._read[:count]
        return taken


def payloads(pieces: Iterable[bytes]) -> Iterator[str]:
    """Yield the data of each whole event.

    Ends with the pieces. Raises `ValueError` for a line or an event without end.
    """
    stream = Payloads()
    for piece in pieces:
        yield from stream.take(piece)


def read_object(text: str) -> dict[str, Any]:
    """Return the JSON object that an event's data is; raises `ValueError` for anything else."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("JSON but not an object")
    return value


def unchunked(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the contents of a body in chunks as they come.

    Ends with the last chunk, or with the pieces. Raises `ValueError` for what are no chunks.
    """
    body = Chunks()
    for piece in pieces:
        if contents := body.take(piece):
            yield contents
        if body.ended:
            return


def _size(line: bytes) -> int:
    """Return the size of the chunk that a line announces, 0 for the last."""
    digits = line.partition(b";")[0].strip()
    if not digits.isalnum():  # int() takes signs and underscores too
        raise ValueError("no size of a chunk")
    return int(digits, 16)
