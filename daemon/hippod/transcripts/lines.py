r"""Cut a growing file into complete lines in bounded memory: only `\n` ends a line."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

LINE_LIMIT = 4_000_000
KEPT = 4096
"""How many bytes remain of a line that is over the limit."""
_CHUNK = 1 << 18


@dataclass(frozen=True, slots=True)
class Line:
    r"""A line with its `\n`; if it is not `whole`, `raw` is only its last `KEPT` bytes.

    `end` is the offset behind it in the file.
    """

    raw: bytes
    whole: bool
    end: int


def complete_lines(
    pread: Callable[[int, int], bytes], offset: int, limit: int = LINE_LIMIT
) -> Iterator[Line]:
    r"""Yield the lines from `offset` on that a `\n` ends; what follows the last one waits.

    `pread(size, offset)` returns bytes of the file, none behind its end.
    """
    held, whole = bytearray(), True
    while chunk := pread(_CHUNK, offset):
        start = 0
        while cut := chunk.find(b"\n", start) + 1:
            held += chunk[start:cut]
            whole = whole and len(held) <= limit
            yield Line(bytes(held if whole else held[-KEPT:]), whole, offset + cut)
            held.clear()
            whole, start = True, cut
        held += chunk[start:]
        if len(held) > limit:
            whole = False
        if not whole:
            del held[:-KEPT]
        offset += len(chunk)
