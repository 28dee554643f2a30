"""What people and agents wrote in a daily log, outside of its Retain sections: its notes.

A note is a paragraph, a list item or a `[HH:MM:SS]` entry, so that an edit changes one of them
and leaves the others what they were. None are: headings, code, quotes, tables, front matter,
comments, `<private>` spans, `<hippod-memory>` blocks, open to-dos, lines that end in `^id`, and
what stands in the same section behind the announcement of somebody else's text.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hippod import daylog, facts, markdown, pages, redact
from hippod.extraction import foreign, sentences
from hippod.markdown import Paragraph


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that somebody wrote down, as plain text; sentences may stand on several lines.

    `time` is the `HH:MM` or `HH:MM:SS` in front of it, or of the entry that it follows without a
    blank line between. `line` counts from 1.
    """

    text: str
    time: str | None
    line: int


def notes(text: str) -> Iterator[Note]:
    """Yield the notes of a daily log in order; one with git conflict marks has none."""
    document = markdown.parse(redact.blank(text))
    if document.marks:
        return
    starts = [paragraph.start for paragraph in document.paragraphs]
    for section in document.sections:
        if not daylog.in_retain(section):
            first, behind = bisect_left(starts, section.start), bisect_left(starts, section.end + 1)
            yield from _trusted(_pieces(document.paragraphs[first:behind]))


@dataclass(frozen=True, slots=True)
class _Piece:
    """The lines of a note as they stand; `begins` says that a time stands in front of it."""

    start: int
    lines: tuple[str, ...]
    time: str | None
    begins: bool


def _pieces(paragraphs: Sequence[Paragraph]) -> Iterator[_Piece]:
    """Cut paragraphs where an entry begins, and hand its time on."""
    time, end = None, 0
    for paragraph in paragraphs:
        if _is_table(paragraph):
            continue
        if paragraph.start > end + 1:
            time = None
        for start, lines in _entries(paragraph):
            own, first = daylog.split_time(lines[0])
            time = own or time
            yield _Piece(start, (first, *lines[1:]), time, own is not None)
        end = paragraph.start + len(paragraph.lines) - 1


def _entries(paragraph: Paragraph) -> Iterator[tuple[int, list[str]]]:
    begun: list[str] = []
    for line in paragraph.lines:
        if begun and daylog.split_time(line)[0]:
            yield paragraph.start, begun
            paragraph = Paragraph(paragraph.start + len(begun), ())
            begun = []
        begun.append(line)
    yield paragraph.start, begun


def _trusted(pieces: Iterator[_Piece]) -> Iterator[Note]:
    """Yield the notes; behind somebody else's text only from the next entry with a time on."""
    trusted = True
    for piece in pieces:
        trusted = trusted or piece.begins
        text = _plain(piece.lines)
        if trusted and any(map(str.isalpha, text)) and not _is_marked(piece.lines):
            yield Note(text, piece.time, piece.start)
        trusted = trusted and _goes_on(text)


_NEUTRAL = sentences.Piece("The shelf is blue.")


def _goes_on(text: str) -> bool:
    """Say whether what follows `text` would be taken for its author's own words."""
    own = foreign.with_user_named(text, "Somebody")
    return sentences.pieces(f"{own}\n{_NEUTRAL.text}")[-1] == _NEUTRAL


_DELIMITER = re.compile(r"[ \t|:]*-[ \t|:-]*")
_OPEN_TASK = re.compile(r"\s*\[ \]\s")
_DONE_TASK = re.compile(r"\s*\[[xX]\]\s+")


def _is_table(paragraph: Paragraph) -> bool:
    if any(line.lstrip().startswith("|") for line in paragraph.lines):
        return True
    below = paragraph.lines[1:2]
    return any("|" in line and _DELIMITER.fullmatch(line) is not None for line in below)


def _is_marked(lines: Sequence[str]) -> bool:
    """Tell what is hippod's own, a fact in the wrong place, or still to be done."""
    if _OPEN_TASK.match(lines[0]):
        return True
    if any(daylog.ends_in_id(line) or pages.is_kept(line) for line in lines):
        return True
    return facts.parse_bullet(f"- {lines[0]}") is not None


# -- plain text --------------------------------------------------------------------------------

_LINK = re.compile(r"!?\[([^\[\]]{1,300})\]\([^()\s]{1,2000}(?: \"[^\"]{0,200}\")?\)")
_WIKI_LINK = re.compile(r"!?\[\[(?:[^\[\]|]{1,200}\|)?([^\[\]|]{1,200})\]\]")
_EMPHASIS = re.compile(r"(\*\*|__|~~|(?<![\w*])\*(?=\S)|(?<!\w)_(?=\S))(.{1,500}?)(?<=\S)\1(?!\w)")
_WRAPPED = 60
"""Characters of a line from which on the next one may be its continuation."""


def _plain(lines: Sequence[str]) -> str:
    """Return the lines without inline markup, joined where an editor wrapped them."""
    text = _DONE_TASK.sub("", lines[0], count=1).strip()
    before = text
    for line in map(str.strip, lines[1:]):
        goes_on = len(before) >= _WRAPPED or line[:1].islower()
        text += f" {line}" if goes_on else f"\n{line}"
        before = line
    for pattern, kept in ((_WIKI_LINK, r"\1"), (_LINK, r"\1"), (_EMPHASIS, r"\2")):
        text = pattern.sub(kept, text)
    return text.strip()
