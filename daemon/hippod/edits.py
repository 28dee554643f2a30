"""What an edit makes of the bytes of a document: decoding, places, line ends, appends. Pure."""

import codecs
import hashlib
import re
from collections.abc import Callable, Sequence
from itertools import takewhile

from hippod.errors import Conflict, InvalidInput, NotFound
from hippod.journal import PREVIEW_CHARACTERS, PlannedAppend

Make = Callable[[bytes | None], bytes]
"""Computes bytes from those that stand in a file (None: no file)."""

_FRAGMENT_BYTES = 16
"""Shortest torn tail that is recognised behind bytes of somebody else."""
_BLOCK_ID = re.compile(rb"\^([0-9a-z]{4,64})[ \t]*$")
_LINE_END = re.compile(rb"\r\n|\r|\n")
_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_BINARY_SHARE = 0.01
"""More NULs than this and a file is no text."""


ETAG = 32
"""Hex digits of the sha256 that name a version of a document."""


def digest(data: bytes, length: int = ETAG) -> str:
    """Return the first `length` hex digits of the sha256; by default an etag."""
    return hashlib.sha256(data).hexdigest()[:length]


def encode(text: str) -> bytes:
    """Return text as UTF-8; raises `InvalidInput` for NULs and lone surrogates."""
    if "\0" in text:
        raise InvalidInput("content: holds a NUL", "send text")
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise InvalidInput("content: is not valid Unicode text", "send UTF-8") from None


def decode(data: bytes) -> tuple[str, str] | None:
    """Return text and a note on what it leaves out; None if the bytes are no text."""
    for bom, encoding in _UTF16.items():
        if data.startswith(bom):
            text = data[len(bom) :].decode(encoding, "replace")
            return text.replace("\0", ""), "UTF-16, can only be read"
    data = data.removeprefix(codecs.BOM_UTF8)
    nuls = data.count(b"\0")
    if nuls > len(data) * _BINARY_SHARE and nuls > 1:
        return None
    try:
        text, note = data.decode(), ""
    except UnicodeDecodeError:
        text, note = data.decode(errors="replace"), "not valid UTF-8, some bytes are replaced"
    return text.replace("\0", ""), note or ("holds NUL bytes" if nuls else "")


def is_utf16(data: bytes) -> bool:
    """Say whether a byte order mark announces UTF-16."""
    return any(data.startswith(bom) for bom in _UTF16)


def require_text(path: str, data: bytes) -> None:
    """Raise `Conflict` if a reader could not see every byte of a document."""
    decoded = decode(data)
    if decoded is None or decoded[1]:
        why = decoded[1] if decoded else "not text"
        raise Conflict(
            f"{path}: {why}; writing it whole would lose bytes",
            "use append or replace, or delete it first",
        )


def keep_mark(current: bytes, data: bytes) -> bytes:
    """Return data with the byte order mark that the document has."""
    marked = current.startswith(codecs.BOM_UTF8) and not data.startswith(codecs.BOM_UTF8)
    return codecs.BOM_UTF8 + data if marked else data


def fresh_line(current: bytes | None, payload: bytes) -> bytes:
    """Return what to append so that the payload has lines of its own, in the file's style."""
    current = current or b""
    end = _line_ending(current)
    if end != b"\n":
        payload = _LINE_END.sub(end, payload)
    fresh = not current or current == codecs.BOM_UTF8 or current.endswith((b"\n", b"\r"))
    return (b"" if fresh else end) + payload + (b"" if payload.endswith(end) else end)


def _line_ending(data: bytes) -> bytes:
    first = _LINE_END.search(data)
    return first.group() if first else b"\n"


def inserted(current: bytes, line: int, payload: bytes) -> bytes:
    """Return the document with the payload on lines of its own before line `line` (from 1).

    One more than the last line appends. Its line ends become those of the line before. Raises
    `InvalidInput` for any other line, and for an empty payload.
    """
    if not payload:
        raise InvalidInput("content: nothing to insert", 'a blank line is "\\n"')
    starts = _line_starts(current)
    if not 1 <= line <= len(starts):
        raise InvalidInput(
            f"line: {line} is not in 1..{len(starts)}",
            f"the document has {len(starts) - 1} lines; {len(starts)} appends",
        )
    place = starts[line - 1]
    before, after = current[:place], current[place:]
    end = _last_line_ending(before) or _line_ending(current)
    payload = _LINE_END.sub(end, payload)
    open_line = before.removeprefix(codecs.BOM_UTF8) and not _last_line_ending(before)
    return b"".join(
        (before, end if open_line else b"", payload, b"" if payload.endswith(end) else end, after)
    )


def _line_starts(data: bytes) -> list[int]:
    """Return where each line begins, and the end, where a line could."""
    first = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    starts = [first, *(match.end() for match in _LINE_END.finditer(data))]
    return starts if starts[-1] == len(data) else [*starts, len(data)]


def _last_line_ending(data: bytes) -> bytes:
    for end in (b"\r\n", b"\n", b"\r"):
        if data.endswith(end):
            return end
    return b""


def in_style(current: bytes, old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """Give a replacement the line ends of the file, where as written it would not be found."""
    end = _line_ending(current)
    if end == b"\n" or old in current:
        return old, new
    return _LINE_END.sub(end, old), _LINE_END.sub(end, new)


def only_place(path: str, data: bytes, old: bytes) -> int:
    """Return the offset of the one `old`; raises `NotFound` or `Conflict` with the lines."""
    places = _places(data, old)
    if not places:
        raise NotFound(f"{path}: the text to replace is not in it", _near(data, old))
    if len(places) > 1:
        numbers = ", ".join(str(line_at(data, place)) for place in places[:10])
        raise Conflict(
            f"{path}: the text to replace stands in {len(places)} places, on lines {numbers}",
            "give more of the text around the one you mean",
        )
    return places[0]


def _places(data: bytes, old: bytes) -> list[int]:
    """Return every offset of `old`, overlapping ones too (at most 100)."""
    found: list[int] = []
    at = data.find(old)
    while at >= 0 and len(found) < 100:
        found.append(at)
        at = data.find(old, at + 1)
    return found


def _near(data: bytes, old: bytes) -> str:
    wanted = b" ".join(next(iter(old.strip().splitlines()), b"").split())
    for number, line in enumerate(_LINE_END.split(data), start=1):
        if wanted and b" ".join(line.split()) == wanted:
            return f"line {number} differs only in white space; read the document again"
    return "read the document again and copy the text exactly"


def line_at(data: bytes, offset: int) -> int:
    """Return the 1-based number of the line at an offset."""
    return len(_LINE_END.findall(data[:offset])) + 1


# -- appends ---------------------------------------------------------------------------------


def once(make: Make, payload: bytes) -> Make:
    """Let `make` return nothing once the payload stands there once more than at first."""
    at_first: int | None = None

    def again(current: bytes | None) -> bytes:
        nonlocal at_first
        count = (current or b"").count(payload)
        if at_first is None:
            at_first = count
        return b"" if count > at_first else make(current)

    return again


def missing_bullets(data: bytes, bullets: Sequence[str]) -> list[str]:
    """Return the bullets whose `^id` ends no line yet, each id once."""
    present = block_ids(data)
    missing: list[str] = []
    for bullet in bullets:
        ids = block_ids(bullet.encode())
        if not ids & present:
            missing.append(bullet)
        present |= ids
    return missing


def block_ids(data: bytes) -> set[str]:
    """Return the `^id`s that end a line."""
    found = (_BLOCK_ID.search(line) for line in _LINE_END.split(data))
    return {match.group(1).decode() for match in found if match}


def torn(data: bytes, planned: PlannedAppend) -> int:
    """Return how many of the planned bytes stand, torn off, at the end of the file."""
    longest = min(len(planned.data) - 1, len(data) - planned.offset)
    for size in range(longest, 0, -1):
        exact = len(data) - size == planned.offset
        if not exact and size < _FRAGMENT_BYTES:
            continue
        if data.endswith(planned.data[:size]):
            return size
    return 0


def first_line(block: bytes, payload: bytes) -> int:
    """Return where the first line of a payload begins in the block that carries it."""
    wanted = next(iter(_LINE_END.split(payload.strip())))
    return max(block.find(wanted), 0)


def preview(before: bytes | None, after: bytes | None) -> str:
    """Begin what is new in `after`, or what went: one line that says something."""
    old, new = _LINE_END.split(before or b""), _LINE_END.split(after or b"")
    start = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    said = [line.strip() for line in (*new[start:], *old[start:]) if line.strip()]
    first = next((line for line in said if not line.startswith(b"#")), said[0] if said else b"")
    return first.decode(errors="replace")[:PREVIEW_CHARACTERS]


def cut(data: bytes, offset: int, length: int) -> tuple[bytes, bytes, bytes]:
    """Cut bytes into those before, in and behind a span."""
    return data[:offset], data[offset : offset + length], data[offset + length :]


def lines(data: bytes) -> list[str]:
    """Return the lines of UTF-8 bytes without their ends."""
    return [line.decode() for line in _LINE_END.split(data)]
