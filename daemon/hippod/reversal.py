"""What takes a journalled change back, as bytes; and whether one that broke off happened. Pure.

A change is taken back only where what it wrote still stands as it was written: what somebody
did since is never lost with it.
"""

import re
from collections.abc import Iterator

from hippod import daylog, edits
from hippod.errors import Conflict
from hippod.journal import Change, JournalEntry

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_ENDS = (b"\n", b"\r")
_HEADING = re.compile(rb" {0,3}#{1,6}(?:\s|\Z)")
_OURS = re.compile(rb"(?P<title># Daily Log - [0-9-]{10})|## (?:Retain|Log)")

FINAL = {
    "forget": "it made hippod forget something, and what is forgotten is not kept",
    "purged": "what it kept held something that was forgotten since",
}
"""Operations that nothing takes back, and why."""


def reverse(entry: JournalEntry, current: bytes | None) -> bytes | None:
    """Return what the document holds once `entry` is taken back; None: it does not exist.

    `current` is what stands there now. Raises `Conflict` if the entry cannot be taken back.
    """
    change = entry.change
    if change.operation in FINAL:
        raise Conflict(f"entry {entry.id} cannot be taken back: {FINAL[change.operation]}")
    if change.operation in ("move", "displaced", "leftover"):
        raise Conflict(
            f"entry {entry.id} is no change of its own ({change.operation})",
            f"see what it holds: hippod log {entry.id}",
        )
    if change.operation == "append":
        return _without(entry, current)
    if _digest(current) != change.digest:
        raise _edited(entry, current)
    return change.before


def happened(change: Change, current: bytes | None) -> int | None:
    """Say whether a change that broke off is to be counted as done: None if it is not.

    For an append the number is where its bytes stand, else 0. A document that is neither what
    it was before nor what it was to become was edited since; then the change counts, so that
    its before-image stays.
    """
    if change.operation == "append":
        places = places_of(change, current or b"")
        return places[0] if len(places) == 1 else None
    if change.operation in ("displaced", "leftover", "purged"):
        return 0
    if change.operation == "forget":
        return 0 if _digest(current) == change.digest else None
    same = _digest(current) == _digest(change.before) and _digest(current) != change.digest
    return None if same else 0


def places_of(change: Change, data: bytes) -> list[int]:
    """Return where the bytes of an append stand: where they were written, else all over."""
    start, length = change.offset or 0, change.length or 0
    if _is_at(start, change, data):
        return [start]
    return [at for at in _line_starts(data, length) if _is_at(at, change, data)]


def _is_at(start: int, change: Change, data: bytes) -> bool:
    piece = data[start : start + (change.length or 0)]
    return len(piece) == change.length and edits.digest(piece) == change.digest


def _line_starts(data: bytes, length: int) -> Iterator[int]:
    """Yield where `length` bytes that end with a line may begin: with a line, or its end."""
    for match in _LINE.finditer(data):
        text_end = len(match.group().rstrip(b"\r\n")) + match.start()
        for start in {match.start(), text_end}:
            end = start + length
            if end <= len(data) and (end == len(data) or data[end - 1 : end] in _ENDS):
                yield start


# -- appends ---------------------------------------------------------------------------------


def _without(entry: JournalEntry, current: bytes | None) -> bytes | None:
    change = entry.change
    places = places_of(change, current or b"")
    if current is None or len(places) != 1:
        raise _edited(entry, current, times=len(places))
    before, ours, after = edits.cut(current, places[0], change.length or 0)
    kept = _frame(before, ours, after) if daylog.day_of(change.path) else b""
    if not kept and after and before and not before.endswith(_ENDS):
        kept = _LINE.findall(ours)[0] if ours.startswith(_ENDS) else b""
    rest = before + kept + after
    _check_facts(entry, before, ours, current, rest)
    made_by_us = change.before is None and change.offset == 0
    return None if made_by_us and not rest else rest


def _frame(before: bytes, ours: bytes, after: bytes) -> bytes:
    """Return the headings of our block that others' text still stands under, each with its gap."""
    following = next((line for line in _LINE.findall(after) if line.strip()), b"")
    under_section = bool(following) and not _HEADING.match(following)
    kept, gap = b"", b""
    for line in _LINE.findall(ours):
        if not line.strip():
            gap += line
            continue
        match = _OURS.fullmatch(line.rstrip())
        if match and (under_section or (match["title"] and (before + after).strip())):
            kept += gap + line
        gap = b""
    return kept


def _check_facts(
    entry: JournalEntry, before: bytes, ours: bytes, current: bytes, rest: bytes
) -> None:
    """Raise `Conflict` if facts of others would no longer be facts."""
    if b"retain" not in current.lower():
        return
    blank = len(ours) - len(ours.lstrip(b"\r\n"))
    first = edits.line_at(current, len(before) + blank)
    last = edits.line_at(current, len(before) + len(ours.rstrip(b"\r\n")))
    now = daylog.parse(current.decode(errors="replace")).facts
    others = [placed.fact for placed in now if not first <= placed.line_start <= last]
    then = [placed.fact for placed in daylog.parse(rest.decode(errors="replace")).facts]
    if then != others:
        raise Conflict(
            f"{entry.change.path}: other facts depend on what entry {entry.id} wrote",
            "edit the document by hand",
        )


# -- refusals --------------------------------------------------------------------------------


def _edited(entry: JournalEntry, current: bytes | None, times: int = 0) -> Conflict:
    path = entry.change.path
    hint = f"see what would change: hippod undo {entry.id} --diff"
    if current is None:
        return Conflict(f"{path}: was moved or deleted since entry {entry.id}", hint)
    if entry.change.digest is None:
        return Conflict(f"{path}: exists again since entry {entry.id} deleted it", hint)
    if times > 1:
        return Conflict(f"{path}: what entry {entry.id} wrote stands there {times} times", hint)
    return Conflict(f"{path}: was edited since entry {entry.id}", hint)


def _digest(data: bytes | None) -> str | None:
    return None if data is None else edits.digest(data)
