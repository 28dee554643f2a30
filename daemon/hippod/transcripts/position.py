"""Know whether a transcript is still the one that a cursor was taken from, and take cursors."""

import hashlib
import os
from dataclasses import dataclass

from hippod.transcripts.content import Content
from hippod.transcripts.lines import KEPT, Line
from hippod.transcripts.turns import UNKNOWN_FORMAT, Cursor, Memory, SessionKind

_PREFIX = 4096
_TAIL = KEPT


@dataclass(slots=True)
class Position:
    """A place in an open transcript, with the bytes that will recognise what lies before it."""

    status: os.stat_result
    head: bytes
    offset: int = 0
    line: int = 0
    tail: bytes = b""

    def advance(self, line: Line) -> None:
        """Move behind `line`."""
        self.offset = line.end
        self.line += 1
        self.tail = (line.raw if len(line.raw) >= _TAIL else self.tail + line.raw)[-_TAIL:]

    def cursor(
        self, form: str | None, session: str, kind: SessionKind, marks: Memory, files: str
    ) -> Cursor:
        """Return a cursor at this place."""
        prefix = self.head[: self.offset]
        return Cursor(
            device=self.status.st_dev,
            inode=self.status.st_ino,
            offset=self.offset,
            line=self.line,
            prefix_size=len(prefix),
            prefix_hash=_hash(prefix),
            tail_hash=_hash(self.tail),
            format=form or UNKNOWN_FORMAT,
            session=session,
            kind=kind,
            marks=dict(marks),
            files=files,
        )


def resume(content: Content, cursor: Cursor | None) -> tuple[Position, bool]:
    """Return where to read on, and whether that is the start because the past was rewritten.

    The bytes decide, not the inode: a copy or rotated file that begins and goes on as the one
    read before continues it.
    """
    status, head = content.status, content.pread(_PREFIX, 0)
    start = Position(status, head)
    if cursor is None:
        return start, False
    tail = tail_before(content, cursor.offset)
    same = (
        (content.compressed or status.st_size >= cursor.offset)
        and _hash(head[: cursor.prefix_size]) == cursor.prefix_hash
        and _hash(tail) == cursor.tail_hash
    )
    if not same:
        return start, True
    return Position(status, head, cursor.offset, cursor.line, tail), False


def tail_before(content: Content, offset: int) -> bytes:
    """Return the bytes before `offset` that recognise it."""
    size = min(_TAIL, offset)
    return content.pread(size, offset - size)


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
