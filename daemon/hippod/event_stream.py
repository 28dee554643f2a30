"""Server-sent events out of the pieces of an HTTP body, chunked or not. Pure.

Cheap to import: the command line waits for it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_LINE = 16_000_000
"""Bytes of a line that are taken: no event is nearly as long."""


def payloads(pieces: Iterable[bytes]) -> Iterator[str]:
    """Yield the data of each whole event; comments and whatever else lines say are passed over.

    Ends with the pieces. Raises `ValueError` for a line without end.
    """
    data: list[str] = []
    for line in _lines(pieces):
        name, _, value = line.partition(":")
        if name == "data":
            data.append(value.removeprefix(" "))
        elif not line and data:
            yield "\n".join(data)
            data.clear()


def unchunked(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the contents of a body in chunks as they come.

    Ends with the last chunk, or with the pieces. Raises `ValueError` for what are no chunks.
    """
    body = _Body(pieces)
    while left := _size(body.line()):
        while left and (part := body.part(left)):
            left -= len(part)
            yield part
        body.line()  # the end of the chunk


class _Body:
    """A body of which lines and parts are taken; both are empty once it ended."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._more = iter(pieces)
        self._read = bytearray()

    def line(self) -> bytes:
        while (end := self._read.find(b"\n")) < 0 and self._grows():
            if len(self._read) > MAX_LINE:
                raise ValueError("a line without end")
        return self._taken(end + 1)

    def part(self, most: int) -> bytes:
        while not self._read and self._grows():
            pass
        return self._taken(most)

    def _grows(self) -> bool:
        piece = next(self._more, None)
        self._read += piece or b""
        return piece is not None

    def _taken(self, count: int) -> bytes:
        taken = bytes(self._read[:count])
        del self._read[:count]
        return taken


def _size(line: bytes) -> int:
    """Return the size of the chunk that a line announces, 0 for the last or where all ended."""
    digits = line.partition(b";")[0].strip()
    if line and not digits.isalnum():  # int() takes signs and underscores too
        raise ValueError("no size of a chunk")
    return int(digits or b"0", 16)


def _lines(pieces: Iterable[bytes]) -> Iterator[str]:
    buffer = bytearray()
    for piece in pieces:
        buffer += piece
        *whole, rest = buffer.split(b"\n")
        buffer = bytearray(rest)
        if len(buffer) > MAX_LINE:
            raise ValueError("a line without end")
        for line in whole:
            yield line.removesuffix(b"\r").decode(errors="replace")
