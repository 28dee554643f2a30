"""The least of a document that goes together, and the document without some of it. Pure.

A fact, another list item and an entry of a daily log go as a whole, of prose one sentence, of
anything else (headings, tables, code) one line.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from hippod import daylog, facts, forgotten, markdown, pages
from hippod.facts import Fact
from hippod.markdown import Markdown, Paragraph


class Forgets(Protocol):
    """What is to go; `Tombstones` are one such, a plan another."""

    def forgets_id(self, id_: str, /) -> object:
        """Say whether a fact or opinion goes, and what links to it."""
        ...

    def forgets_text(self, text: str, /) -> object:
        """Say whether a text goes that says this and no more."""
        ...

    def spans(
        self, said: Sequence[str], day: date | None = None, *, in_fact: bool = False
    ) -> list[tuple[int, int]]:
        """Return where, in a sequence of words, those stand that go."""
        ...


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters `start` to `end` of a text, on lines `line` to `line_end` (from 1).

    `whole`: whole lines with their ends; else a sentence with the blanks behind it.
    """

    start: int
    end: int
    line: int
    line_end: int
    text: str
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Block:
    """Pieces between which a text may go on; `fact` if it is a bullet that states one."""

    pieces: tuple[Piece, ...]
    fact: Fact | None = None

    @property
    def text(self) -> str:
        """The text of all pieces."""
        return "".join(piece.text for piece in self.pieces)


def blocks(text: str, document: Markdown | None = None) -> list[Block]:
    """Take a document apart, in order; blank lines belong to none."""
    document = document or markdown.parse(text)
    lines = _Lines(text)
    found: dict[int, Block] = {}
    taken: set[int] = set()
    for start, end, fact in _bullets(document):
        if taken.isdisjoint(range(start, end + 1)):
            found[start] = Block((lines.piece(start, end),), fact)
            taken.update(range(start, end + 1))
    for paragraph in document.paragraphs:
        for block in _prose(document, lines, paragraph, taken):
            found[block.pieces[0].line] = block
            taken.update(range(block.pieces[0].line, block.pieces[-1].line_end + 1))
    for run in _runs(lines, taken):
        found[run[0]] = Block(tuple(_line_pieces(document, lines, run)))
    return [found[number] for number in sorted(found)]


def goes(block: Block, what: Forgets, day: date | None) -> list[Piece]:
    """Return the pieces of a block that go; `day` is that of its daily log.

    Of a sentence over several lines these are lines alone, if the words are whole lines: such
    lines were often written one by one.
    """
    if block.fact is not None and _fact_goes(block.fact, what, day):
        return list(block.pieces)
    found = {n: piece for n, piece in enumerate(block.pieces) if _piece_goes(piece, what)}
    for start, end in _spans(block, what, day):
        for n, piece in enumerate(block.pieces):
            if n not in found and piece.start < end and start < piece.end:
                found[n] = _whole_lines(piece, start, end) or piece
    return [found[n] for n in sorted(found)]


def _spans(block: Block, what: Forgets, day: date | None) -> list[tuple[int, int]]:
    """Return from where to where in the document words of a block stand that go."""
    is_fact, offset = block.fact is not None, block.pieces[0].start
    found = []
    for text in _readings(block.text):
        if what.spans(forgotten.words(text), day, in_fact=is_fact):
            said = forgotten.placed_words(text)
            for first, last in what.spans([word.text for word in said], day, in_fact=is_fact):
                found.append((said[first].start + offset, said[last - 1].end + offset))
    return found


def _readings(text: str) -> tuple[str, ...]:
    """Return a text as it is written and as it is read: with blanks for targets and tags."""
    read = _UNSEEN.sub(lambda match: " " * len(match[0]), text)
    return (text,) if read == text else (text, read)


def _whole_lines(piece: Piece, start: int, end: int) -> Piece | None:
    """Return the lines of a sentence that words fill; None if it has one line, or they do not."""
    if piece.whole or piece.line == piece.line_end:
        return None
    line = piece.line
    first = last = None
    for match in _ENDS.finditer(piece.text):
        at, behind = piece.start + match.start(), piece.start + match.end()
        if at < end and start < behind:
            first, last = first or (at, line), (behind, line)
        line += 1
    if first is None or last is None:
        return None
    text = piece.text[first[0] - piece.start : last[0] - piece.start]
    around = text[: start - first[0]] + text[end - first[0] :]
    if forgotten.words(around) or last[0] - first[0] == len(piece.text):
        return None
    return Piece(first[0], last[0], first[1], last[1], text, whole=False)


def without(text: str, pieces: Collection[Piece], *, blank: bool = False) -> str:
    """Return a text without pieces of it; `blank`: only their line ends stay, so numbers hold."""
    spans = [_cut(text, piece, pieces) for piece in sorted(pieces, key=lambda p: p.start)]
    kept, done = [], 0
    for start, end in spans:
        start = max(start, done)
        kept.append(text[done:start])
        if blank:
            kept += _LINE_ENDS.findall(text[start:end])
        done = max(done, end)
    return "".join([*kept, text[done:]])


def remembered(text: str, what: Forgets, day: date | None = None) -> str:
    """Return a document with blanks where it says what goes; the same object if nothing does."""
    if not may_say(text, what, day):
        return text
    gone = [piece for block in blocks(text) for piece in goes(block, what, day)]
    return without(text, gone, blank=True) if gone else text


def may_say(text: str, what: Forgets, day: date | None = None) -> bool:
    """Say, without taking a text apart, whether it may say what goes."""
    if any(what.forgets_id(match[1]) for match in _ID.finditer(text)):
        return True
    if any(map(what.forgets_text, _statements(text))):
        return True
    said = (forgotten.words(reading) for reading in _readings(text))
    return any(what.spans(words, day) for words in said) or any(
        _fact_goes(fact, what, day) for fact in map(facts.parse_bullet, text.splitlines()) if fact
    )


def linked(text: str) -> list[str]:
    """Return the ids of blocks that a text ends in or links to."""
    return [match[1] for match in _ID.finditer(text)]


def statement(line: str) -> str:
    """Return what a line states, without list mark, heading mark, time and block links."""
    return pages.without_links(_HEAD.sub("", line, count=1)).strip(" *_~\t\r\n")


_ID = re.compile(rf"\^({facts.ID_PATTERN})(?![0-9A-Za-z])")
_HEAD = re.compile(
    r"\s*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)?(?:#{1,6}[ \t]+)?"
    r"(?:\[[0-9]{2}:[0-9]{2}(?::[0-9]{2})?\][ \t]*)?"
)
_UNSEEN = re.compile(r"(?<=\])\([^()\s]{1,2000}\)|</?[A-Za-z][^<>\n]{0,200}>")
"""The target of a link, and a tag of HTML."""
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)\s*")
_ENDS = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_LINE_ENDS = re.compile(r"\r\n|\r|\n")
_SENTENCE = re.compile(
    r"[.!?…][\"'”’)\]*_~]*(?:[ \t]*\[\[[^\[\]\n]{1,400}\]\][.,;]?)*(?:\s+|\Z)"
    r"|[。！？][\"'”’」』）)*_~]*(?:[ \t]*\[\[[^\[\]\n]{1,400}\]\])*\s*|\]\][ \t]*(?:\r\n|\r|\n)\s*"
)
_BEFORE_DOT = re.compile(
    r"(?:^|[\s(.])(?:\w|\d{1,2}|mrs?|ms|dr|prof|st|jr|sr|vs|no|vol|fig|inc|ltd|co|mt|approx|dept|"
    r"ca|nr|hr|fr|bzw|evtl|inkl|str|sra?|srta|ud|av|mme|mlle|env)\Z",
    re.IGNORECASE,
)
"""A letter, a number or a short form before a full stop, which then may end no sentence."""


class _Lines:
    """Where the lines of a text stand, as `markdown.split_lines` counts them."""

    def __init__(self, text: str) -> None:
        start = 1 if text.startswith(markdown.BOM) else 0
        self._text = text
        self._spans = [m.span() for m in _ENDS.finditer(text, start) if m[0]]

    def __len__(self) -> int:
        return len(self._spans)

    def text(self, number: int) -> str:
        start, end = self._spans[number - 1]
        return self._text[start:end]

    def piece(self, first: int, last: int) -> Piece:
        start, end = self._spans[first - 1][0], self._spans[last - 1][1]
        return Piece(start, end, first, last, self._text[start:end])

    def sentences(self, first: int, last: int) -> tuple[Piece, ...]:
        whole = self.piece(first, last)
        body = whole.text.rstrip("\r\n")
        found, start, line = [], 0, first
        for end in [*_sentence_ends(body), len(body)]:
            if end <= start:
                continue
            text = body[start:end]
            ends = len(_LINE_ENDS.findall(text.rstrip()))
            found.append(
                Piece(whole.start + start, whole.start + end, line, line + ends, text, whole=False)
            )
            line += len(_LINE_ENDS.findall(text))
            start = end
        return tuple(found) if len(found) > 1 or _LINE_ENDS.search(body) else (whole,)


def _sentence_ends(text: str) -> Iterator[int]:
    for match in _SENTENCE.finditer(text):
        before = text[max(0, match.start() - 8) : match.start()]
        if not (match[0].strip(" ") == "." and _BEFORE_DOT.search(before)):
            yield match.end()


def _bullets(document: Markdown) -> Iterator[tuple[int, int, Fact | None]]:
    """Yield first and last line of list items, the facts first."""
    stated = daylog.retained(document)
    for placed in stated:
        yield placed.line_start, placed.line_end, placed.fact
    starts = {placed.line_start for placed in stated}
    for bullet in document.bullets:
        if bullet.start not in starts:
            fact = facts.parse_bullet("- " + "\n".join(bullet.lines))
            yield bullet.start, bullet.start + len(bullet.lines) - 1, fact


def _prose(
    document: Markdown, lines: _Lines, paragraph: Paragraph, taken: Collection[int]
) -> Iterator[Block]:
    numbers = range(paragraph.start, paragraph.start + len(paragraph.lines))
    if any(number in taken for number in numbers) or _is_table(paragraph):
        return
    starts = [n for n in numbers if daylog.split_time(lines.text(n).strip())[0]]
    first = lines.text(paragraph.start).lstrip()
    is_item = not first.startswith(paragraph.lines[0].strip()[:20])
    if is_item:
        yield Block((lines.piece(numbers[0], numbers[-1]),))
        return
    begin = starts[0] if starts else numbers[-1] + 1
    if begin > numbers[0]:
        yield Block(lines.sentences(numbers[0], begin - 1))
    for start, behind in zip(starts, [*starts[1:], numbers[-1] + 1], strict=False):
        yield Block((lines.piece(start, behind - 1),))


def _runs(lines: _Lines, taken: Collection[int]) -> Iterator[list[int]]:
    """Yield lines that nothing took and that stand together: a text may go on in the next."""
    run: list[int] = []
    for number in range(1, len(lines) + 2):
        if number <= len(lines) and number not in taken and lines.text(number).strip():
            run.append(number)
        elif run:
            yield run
            run = []


def _line_pieces(document: Markdown, lines: _Lines, run: Sequence[int]) -> Iterator[Piece]:
    """Yield lines one by one, but a heading with the line below that makes it one."""
    heads = {head.start for section in document.sections for head in section.path[-1:]}
    first = run[0]
    for number in run:
        is_head = first in heads and not lines.text(first).lstrip().startswith("#")
        if is_head and number < run[-1] and not _UNDERLINE.fullmatch(lines.text(number)):
            continue
        yield lines.piece(first, number)
        first = number + 1


def _is_table(paragraph: Paragraph) -> bool:
    return any(line.lstrip().startswith("|") for line in paragraph.lines)


def _fact_goes(fact: Fact, what: Forgets, day: date | None) -> bool:
    id_ = fact.id or facts.content_id(day, fact.content)
    return bool(what.forgets_id(id_) or what.forgets_text(forgotten.stated(fact)))


def _piece_goes(piece: Piece, what: Forgets) -> bool:
    if any(map(what.forgets_id, linked(piece.text))):
        return True
    said = statement(piece.text)
    return bool(said and what.forgets_text(said))


def _statements(text: str) -> Iterator[str]:
    for line in text.splitlines():
        said = statement(line)
        if said:
            yield said
            ends = list(_sentence_ends(said))
            if len(ends) > 1:
                for start, end in zip([0, *ends], ends, strict=False):
                    yield said[start:end]


def _cut(text: str, piece: Piece, gone: Collection[Piece]) -> tuple[int, int]:
    """Return what is to be cut for a piece: a paragraph's last sentence takes the blanks before."""
    if piece.whole:
        return piece.start, piece.end
    begin = max(text.rfind("\n", 0, piece.start), text.rfind("\r", 0, piece.start)) + 1
    behind = text[piece.end : piece.end + 2]
    if behind[:1] not in ("", "\r", "\n"):
        return piece.start, piece.end
    if not text[begin : piece.start].strip() or _all_gone(begin, piece.start, gone, text):
        end = piece.end + (len(_LINE_ENDS.match(behind)[0]) if _LINE_ENDS.match(behind) else 0)  # type: ignore[index]
        return begin, end
    return len(text[: piece.start].rstrip()), piece.end


def _all_gone(begin: int, end: int, gone: Collection[Piece], text: str) -> bool:
    """Say whether all that stands between two places goes too."""
    at = begin
    for piece in sorted(gone, key=lambda p: p.start):
        if piece.start <= at < piece.end:
            at = piece.end
    return at >= end or not text[at:end].strip()
