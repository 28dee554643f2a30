"""Units of recall: each fact of a document is one, all other text is cut into chunks.

Facts are those of Retain sections, the bullets of the bank's pages of facts and, each with its
ledger, the opinions (see `pages`). No text is in both. What is in neither is structure: front
matter, comments, conflict marks, the title of a daily log, the headings of its Retain sections,
those that hippod puts over notes behind them (`## Log`) and those of the months of a page of
facts; the day, links and mark of a bullet there; the history of an entity page and the
heartbeat's lines in a log, which only say again what facts say, unless (the history) a person
edited it; and what has no word in it.

A chunk's `content` is a piece of its lines, joined by line feeds, of at most `max_size`
characters: the end of the chunk before (at most `overlap` characters, from a word's start),
then the lines `line_start` to `line_end`, the first and last of which may be cut. Lines that
are structure or facts are left out of it. The words of `header` go to search only.
"""

import hashlib
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, tzinfo
from itertools import accumulate, groupby, zip_longest
from operator import itemgetter
from typing import TYPE_CHECKING, Final, Literal

from hippod import daylog, facts, markdown, pages, templates
from hippod.daylog import PlacedFact
from hippod.markdown import Heading, Markdown, Section
from hippod.pages import Evidence, Opinion, Statement

if TYPE_CHECKING:  # pydantic, for a name: the process that only cuts starts without it
    from hippod.wire import Kind

SPLIT_ON: Final = ("\n\n", "\n", ". ")

Role = Literal["", "summary"]
_BEGUN_BY_US = frozenset(
    ("MEMORY.md", "memory.md", "USER.md", "AGENTS.md", "SOUL.md", "IDENTITY.md", "HEARTBEAT.md")
)
"""Files that begin as templates."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of recall; see the module for `content` and the lines (from 1).

    `heading` is the path of headings from the top down. `header` is searched with the content
    but is not part of it. `timestamp` is ISO, with the user's offset where a time is known,
    else a day. `valid_from` and `valid_until` are ISO days. `fact_id` is set for facts. A
    `private` unit touches a `<private>` span, of which others hold nothing: it is not for
    scope `group`. `role` marks the summary of an entity page. `restates` is the id of the fact
    that a bullet of a bank page says again, `evidence` that of an opinion.
    """

    kind: "Kind"
    index: int
    line_start: int
    line_end: int
    heading: tuple[str, ...]
    content: str
    header: str
    entities: tuple[str, ...] = ()
    confidence: float | None = None
    timestamp: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    fact_id: str | None = None
    private: bool = False
    role: Role = ""
    restates: str | None = None
    evidence: tuple[Evidence, ...] = ()


def units(
    path: str,
    text: str,
    *,
    max_size: int = 500,
    overlap: int = 50,
    split_on: Sequence[str] = SPLIT_ON,
    zone: tzinfo,
) -> list[Unit]:
    """Return the units of the document at `path` (relative to the workspace), in line order.

    `split_on` lists where to cut, best first: `"\\n\\n"` is a paragraph, `"\\n"` a list item,
    entry or line, `". "` the end of a sentence; then follow blanks and, last, any character.
    A document with conflict marks has no facts; its text is chunks. Proposals and tombstones
    are no units at all: a refused proposal would else answer questions. Nor are files about the
    user and the agent that nobody filled in yet.
    """
    if path in pages.UNDECIDED:
        return []
    page = _Page.of(path, text, zone)
    if path in _BEGUN_BY_US and not templates.is_filled_in(page.document):
        return []
    cutter = _Cutter(max_size, overlap, tuple(split_on))
    found = [_fact_unit(page, placed) for placed in page.facts]
    found += [_opinion_unit(page, opinion) for opinion in page.opinions]
    found += [_statement_unit(page, statement) for statement in page.statements]
    for run in _runs(page):
        found += [_chunk(page, run, piece) for piece in cutter.pieces(run)]
    found.sort(key=lambda unit: (unit.line_start, unit.line_end))
    return [replace(unit, index=index) for index, unit in enumerate(found)]


def unit_id(path: str, content: str, occurrence: int) -> str:
    """Return the id of a unit: the same after a rebuild, whatever its line.

    `occurrence` counts units of this document with equal content, from 0.
    """
    return _digest("unit", path, content, str(occurrence))


def embedded_text(text: str) -> str:
    """Return what is embedded of a unit's text: each speaker is named once, not at every line.

    A vector is a mean, and would else be about who speaks more than about what is said.
    """
    if "**:" not in text:
        return text
    named: set[str] = set()

    def once(match: re.Match[str]) -> str:
        is_new = match[1] not in named
        named.add(match[1])
        return match[0] if is_new else ""

    return _SPEAKER.sub(once, text)


def document_id(path: str) -> str:
    """Return the id of a document."""
    return _digest("document", path)


def _digest(*parts: str) -> str:
    data = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class _Page:
    """A document with what all its units share.

    `entity` is whom an entity page is about, `updated` when, `summary` the lines of its summary,
    `history` those of its history that say nothing new.
    """

    path: str
    name: str
    day: date | None
    zone: tzinfo
    document: Markdown
    facts: tuple[PlacedFact, ...]
    opinions: tuple[Opinion, ...]
    statements: tuple[Statement, ...]
    entity: tuple[str, ...]
    updated: str | None
    summary: frozenset[int]
    history: frozenset[int]
    private: frozenset[int]

    @property
    def beats(self) -> Iterator[int]:
        """The lines that the heartbeat wrote in a daily log."""
        numbers = range(1, len(self.document.lines) + 1) if self.day else ()
        return (number for number in numbers if daylog.is_beat(self.document, number))

    @classmethod
    def of(cls, path: str, text: str, zone: tzinfo) -> "_Page":
        document = markdown.parse(text)
        day = _day_in(path)
        private = private_lines(document.lines)
        entity = pages.entity_page(path, document, private) if pages.is_entity_page(path) else None
        name = facts.display_name(entity.entity) if entity else path.removesuffix(".md")
        retained = () if document.marks else daylog.retained(document)
        return cls(
            path=path,
            name=_date_in_words(day) if day else _name(name, document, private),
            day=day,
            zone=zone,
            document=document,
            facts=retained,
            opinions=pages.opinions(document) if path == pages.OPINIONS else (),
            statements=_statements(document, retained) if path in pages.FACT_PAGES else (),
            entity=(entity.entity,) if entity else (),
            updated=entity.updated.isoformat() if entity and entity.updated else None,
            summary=_summary(document) if entity else frozenset(),
            history=_history(document) if entity else frozenset(),
            private=private,
        )

    def headings(self, path: Iterable[Heading], private: bool) -> tuple[str, ...]:
        """Return the headings that say something; private ones only to private units."""
        return tuple(
            heading.text
            for heading in path
            if not self.is_structure(heading) and (private or heading.start not in self.private)
        )

    def is_structure(self, heading: Heading) -> bool:
        if self.path in pages.FACT_PAGES and pages.is_month(heading.text):
            return True
        if self.day and daylog.is_log(heading):
            return True
        return daylog.is_retain(heading) or _DAY_TITLE.fullmatch(heading.text) is not None

    def header(
        self, clock: time | None, path: Sequence[str], names: Sequence[str] = (), said: str = ""
    ) -> str:
        """Return the words of a unit under these headings; `said` is its day if it has one."""
        name = said or self.name
        if self.day:
            stamp = f"{self.day.isoformat()} {clock:%H:%M}" if clock else self.day.isoformat()
            name = f"{name} ({stamp})"
        parts = (*path, *map(facts.display_name, names))
        return " > ".join([f"# {name}", *(part[:_LONGEST_HEADING] for part in parts)])

    def is_private(self, lines: Iterable[int]) -> bool:
        return not self.private.isdisjoint(lines)

    def about(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the entities of a unit that names these."""
        return tuple(dict.fromkeys((*self.entity, *names)))

    def timestamp(self, clock: time | None) -> str | None:
        if self.day is None:
            return None
        if clock is None:
            return self.day.isoformat()
        return datetime.combine(self.day, clock, self.zone).isoformat()


_LONGEST_HEADING = 100
_DAY_TITLE = re.compile(r"Daily Log - [0-9]{4}-[0-9]{2}-[0-9]{2}", re.IGNORECASE)
_DAY = re.compile(r"(?<![0-9])([0-9]{4}-[0-9]{2}-[0-9]{2})(?![0-9])")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def _day_in(path: str) -> date | None:
    """Return the day that a file's name holds."""
    match = _DAY.search(path.rpartition("/")[2])
    try:
        return date.fromisoformat(match[1]) if match else None
    except ValueError:
        return None


def _date_in_words(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def _statements(document: Markdown, retained: Sequence[PlacedFact]) -> tuple[Statement, ...]:
    taken = {placed.line_start for placed in retained}
    return tuple(each for each in pages.statements(document) if each.line_start not in taken)


def _summary(document: Markdown) -> frozenset[int]:
    """Return the lines of a page's summary; without markers its first section with text."""
    found = [region for region in pages.regions(document) if region.name == "summary"]
    if found or document.marks:
        return frozenset(number for each in found for number in range(each.start, each.end + 1))
    for section in document.sections:
        body = section.path[-1].end + 1 if section.path else section.start
        lines = range(body, section.end + 1)
        if any(document.visible(number).strip() for number in lines):
            return frozenset(lines)
    return frozenset()


def _history(document: Markdown) -> frozenset[int]:
    """Return the lines of a history as hippod wrote it, with the heading that stands over it."""
    found = (region for region in pages.regions(document) if region.name == "history")
    region = next((each for each in found if not each.edited), None)
    if region is None:
        return frozenset()
    heading = next(reversed(_section_at(document.sections, region.start - 1).path), None)
    start = heading.end + 1 if heading else region.start
    is_over = not any(document.lines[n - 1].strip() for n in range(start, region.start - 1))
    titles = range(heading.start, start) if heading and heading.level > 1 and is_over else ()
    return frozenset((*titles, *range(region.start, region.end + 1)))


def _name(name: str, document: Markdown, private: frozenset[int]) -> str:
    """Return what an undated document is called: its own name, title and aliases."""
    numbers = range(2, document.front_matter)
    names = [name, *_names([document.lines[n - 1] for n in numbers if n not in private])]
    return " > ".join(" ".join(name.split())[:_LONGEST_HEADING] for name in names)


_NAMED = re.compile(r"(title|aliases|alias):\s*(.*)", re.IGNORECASE)
_LISTED = re.compile(r"\s*-\s+(.*)")
_MOST_NAMES = 20


def _names(front_matter: Sequence[str]) -> list[str]:
    """Return title and aliases as written; broken YAML around them does no harm."""
    names: list[str] = []
    in_list = False
    for line in front_matter:
        if key := _NAMED.match(line):
            in_list = not key[2] and key[1].lower() != "title"
            names += [key[2]] if key[1].lower() == "title" else key[2].strip("[] ").split(",")
        elif in_list and (item := _LISTED.match(line)):
            names.append(item[1])
        else:
            in_list = False
    clean = (name.strip().strip("\"'") for name in names)
    return [name for name in clean if name and "<private" not in name.lower()][:_MOST_NAMES]


# As in `redact`, which cuts the same spans: what one sees the other must see.
_PRIVATE = re.compile(r"<[ \t]{0,9}(/?)[ \t]{0,9}private\b", re.IGNORECASE)


def private_lines(lines: Sequence[str]) -> frozenset[int]:
    """Return the lines (from 1) that a `<private>` span touches; an open one reaches to the end."""
    private: set[int] = set()
    depth = 0
    for number, line in enumerate(lines, 1):
        tags = _PRIVATE.findall(line) if "<" in line else []
        if depth or "" in tags:
            private.add(number)
        for closes in tags:
            depth = max(0, depth - 1) if closes else depth + 1
    return frozenset(private)


def _fact_unit(page: _Page, placed: PlacedFact) -> Unit:
    fact = placed.fact
    private = page.is_private(range(placed.line_start, placed.line_end + 1))
    section = _section_at(page.document.sections, placed.line_start)
    heading = page.headings(section.path, private)
    clock = time.fromisoformat(fact.source.time) if fact.source and fact.source.time else None
    start, end = facts.validity(fact.content, page.day)
    return Unit(
        kind=facts.KIND_NAMES[fact.kind],
        index=0,
        line_start=placed.line_start,
        line_end=placed.line_end,
        heading=heading,
        content=fact.content,
        header=page.header(clock, heading, fact.entities),
        entities=page.about(fact.entities),
        confidence=fact.confidence,
        timestamp=page.timestamp(clock),
        valid_from=start.isoformat() if start else None,
        valid_until=end.isoformat() if end else None,
        fact_id=fact.id or facts.content_id(page.day, fact.content),
        private=private,
    )


def _opinion_unit(page: _Page, opinion: Opinion) -> Unit:
    private = page.is_private(opinion.lines)
    section = _section_at(page.document.sections, opinion.lines[0])
    heading = page.headings(section.path[:-1], private)
    entities = opinion.entities or facts.mentions(opinion.statement)
    return Unit(
        kind="opinion",
        index=0,
        line_start=opinion.lines[0],
        line_end=max(opinion.lines),
        heading=heading,
        content=opinion.statement,
        header=page.header(None, heading, entities),
        entities=entities,
        confidence=opinion.confidence,
        timestamp=opinion.updated.isoformat() if opinion.updated else None,
        fact_id=opinion.id,
        private=private,
        evidence=opinion.evidence,
    )


def _statement_unit(page: _Page, statement: Statement) -> Unit:
    private = page.is_private(range(statement.line_start, statement.line_end + 1))
    section = _section_at(page.document.sections, statement.line_start)
    heading = page.headings(section.path, private)
    day = statement.day
    start, end = facts.validity(statement.content, day)
    said = f"{_date_in_words(day)} ({day.isoformat()})" if day else ""
    return Unit(
        kind=pages.FACT_PAGES[page.path],
        index=0,
        line_start=statement.line_start,
        line_end=statement.line_end,
        heading=heading,
        content=statement.content,
        header=page.header(None, heading, statement.entities, said),
        entities=statement.entities,
        timestamp=day.isoformat() if day else None,
        valid_from=start.isoformat() if start else None,
        valid_until=end.isoformat() if end else None,
        private=private,
        restates=statement.restates,
    )


def _section_at(sections: Sequence[Section], line: int) -> Section:
    return sections[bisect_right(sections, line, key=lambda section: section.start) - 1]


@dataclass(frozen=True, slots=True)
class _Run:
    """Lines of one section that are packed together: their numbers and their text.

    `items` are the indices of lines that begin a list item, an entry or a speaker's turn.
    `clocks` are the entries of the section: line and time of each.
    """

    path: tuple[Heading, ...]
    private: bool
    role: Role
    numbers: tuple[int, ...]
    lines: tuple[str, ...]
    items: frozenset[int]
    clocks: tuple[tuple[int, time], ...]

    def clock(self, first: int, last: int) -> time | None:
        """Return the time of the entry that `first` is in, else of one up to `last`."""
        at = bisect_right(self.clocks, first, key=itemgetter(0))
        if at == 0 and self.clocks and self.clocks[0][0] <= last:
            at = 1
        return self.clocks[at - 1][1] if at else _clock_of(self.path)


_CLOCK = re.compile(r"(?<![0-9:])((?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?)(?![0-9:])")


def _clock_of(path: Sequence[Heading]) -> time | None:
    """Return the time that a heading such as `## 14:23 Stand-up` holds, the innermost one."""
    found = (_CLOCK.search(heading.text) for heading in reversed(path))
    return next((time.fromisoformat(match[1]) for match in found if match), None)


_ITEM = re.compile(r"\s*(?:[-*+]|[0-9]{1,9}[.)])\s|\*\*[^*]+\*\*:|\[[0-9]{2}:[0-9]{2}")


def _runs(page: _Page) -> Iterator[_Run]:
    """Yield what is packed together: the text of a section, under headings that have none."""
    hidden = {*page.document.marks, *page.history, *page.beats}
    for placed in page.facts:
        hidden.update(range(placed.line_start, placed.line_end + 1))
    for statement in page.statements:
        hidden.update(range(statement.line_start, statement.line_end + 1))
    hidden.update(number for opinion in page.opinions for number in opinion.lines)
    sections = page.document.sections
    waiting: list[int] = []
    for section, following in zip_longest(sections, sections[1:]):
        body = section.start
        if section.path and section.path[-1].start == section.start:
            heading = section.path[-1]
            body = heading.end + 1
            is_known = page.is_structure(heading) or pages.is_title(page.path, heading.text)
            if not is_known and section.start not in hidden:
                waiting += range(section.start, body)
        numbers = [number for number in range(body, section.end + 1) if number not in hidden]
        waiting += numbers
        is_empty = not any(page.document.visible(number).strip() for number in numbers)
        if is_empty and following and following.path[: len(section.path)] == section.path:
            continue
        yield from _split(page, section, waiting)
        waiting = []


def _split(page: _Page, section: Section, numbers: Sequence[int]) -> Iterator[_Run]:
    clocks = tuple(
        (number, time.fromisoformat(clock))
        for number in numbers
        if (clock := daylog.entry_time(page.document, number))
    )
    titles = _titles_of_summary(page, section, numbers)
    numbers = [n for n in numbers if n not in titles or page.document.visible(n).strip()]
    summary = page.summary.union(titles)
    for (private, is_summary), group in groupby(
        numbers, key=lambda number: (number in page.private, number in summary)
    ):
        part = tuple(group)
        lines = tuple(map(page.document.visible, part))
        items = frozenset(n for n, line in enumerate(lines) if _ITEM.match(line))
        role: Role = "summary" if is_summary else ""
        yield _Run(section.path, private, role, part, lines, items, clocks)


def _titles_of_summary(page: _Page, section: Section, numbers: Sequence[int]) -> Sequence[int]:
    """Return the lines before a summary if they are headings alone: they say nothing without it."""
    first = next((n for n in numbers if n in page.summary), 0)
    before = [number for number in numbers if number < first]
    titles = {n for heading in section.path for n in range(heading.start, heading.end + 1)}
    text = (n for n in before if n not in titles and page.document.visible(n).strip())
    return before if next(text, None) is None else []


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of a run's text; `first` and `last` are the indices of its lines.

    The text begins with the overlap; the lines are those of what is new in it.
    """

    text: str
    first: int
    last: int


def _chunk(page: _Page, run: _Run, piece: _Piece) -> Unit:
    numbers = run.numbers[piece.first : piece.last + 1]
    heading = page.headings(run.path, run.private)
    clock = run.clock(numbers[0], numbers[-1]) if page.day else None
    lines = zip(numbers, piece.text.split("\n")[-len(numbers) :], strict=True)
    prose = [line for number, line in lines if number not in page.document.code]
    return Unit(
        kind="document",
        index=0,
        line_start=numbers[0],
        line_end=numbers[-1],
        heading=heading,
        content=piece.text,
        header=page.header(clock, heading),
        entities=page.entity if run.role else page.about(facts.mentions("\n".join(prose))),
        timestamp=page.updated if run.role else page.timestamp(clock),
        private=run.private,
        role=run.role,
    )


_SPEAKER = re.compile(r"^\*\*([^*\n]{1,100})\*\*:[ \t]*", re.MULTILINE)
_WORD = re.compile(r"[^\W_]|[^\x00-\u25ff]")
"""A letter or digit of any script, or a symbol such as an emoji."""
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]*_]*\s+|[。！？]")
_JOINERS = "\u200d\ufe0e\ufe0f"


@dataclass(frozen=True, slots=True)
class _Cutter:
    """Cuts the text of runs into pieces of at most `size` characters."""

    size: int
    overlap: int
    split_on: tuple[str, ...]

    def pieces(self, run: _Run) -> Iterator[_Piece]:
        """Yield the pieces of a run that hold a word, in order."""
        text = _Text.of(run)
        back = start = text.skip_blank_lines(0)
        while start < len(text.text):
            end = self._end(text, start, max(1, self.size - (start - back)))
            if _WORD.search(text.text, start, end):
                content = text.text[back:end].rstrip()
                last = max(start, back + len(content) - 1)
                yield _Piece(content, text.line_at(start), text.line_at(last))
            previous, start = start, text.skip_blank_lines(end)
            back = self._overlap_start(text.text, previous, start)

    def _end(self, text: "_Text", start: int, limit: int) -> int:
        """Return where the piece from `start` on ends: at the best place within `limit`.

        Only a whole line or item may leave a piece shorter than a third.
        """
        stop = start + limit
        if stop >= len(text.text):
            return len(text.text)
        least = start + max(1, limit // 3)
        for separator in self.split_on:
            if separator == "\n":
                end = text.line_start(start, least, stop)
            elif separator == ". ":
                end = _sentence_end(text.text, least, stop)
            else:
                end = text.text.rfind(separator, least - len(separator), stop) + len(separator)
            if end >= least or (separator == "\n" and end > start):
                return end
            if separator == "\n" and text.text[stop] == "\n":
                return stop + 1  # the line that fills the piece
        return _word_start(text.text, least, stop) or _character_start(text.text, start, stop)

    def _overlap_start(self, text: str, previous: int, start: int) -> int:
        """Return where the overlap before `start` begins: at a word, behind `previous`."""
        back = max(previous, start - min(self.overlap, self.size // 2))
        if back > previous and not text[back - 1].isspace():
            blank = next((n for n in range(back, start) if text[n].isspace()), None)
            if blank is not None:
                back = blank
            elif text[back:start].isascii():
                return start
        while back < start and (text[back].isspace() or unicodedata.combining(text[back])):
            back += 1
        return back


def _sentence_end(text: str, least: int, stop: int) -> int:
    ends = [match.end() for match in _SENTENCE_END.finditer(text, least, stop)]
    return ends[-1] if ends else 0


def _word_start(text: str, least: int, stop: int) -> int:
    return next((n + 1 for n in range(stop - 1, least - 1, -1) if text[n].isspace()), 0)


def _character_start(text: str, start: int, stop: int) -> int:
    """Return the last place up to `stop` that does not tear a character from its marks."""
    for at in range(stop, max(start, stop - 20), -1):
        is_mark = unicodedata.combining(text[at]) or text[at] in _JOINERS
        if not is_mark and text[at - 1] != "\u200d":
            return at
    return stop


@dataclass(frozen=True, slots=True)
class _Text:
    """The text of a run, with the place at which each line starts."""

    text: str
    starts: tuple[int, ...]
    items: frozenset[int]

    @classmethod
    def of(cls, run: _Run) -> "_Text":
        lines = [line if line.strip() else "" for line in run.lines]
        starts = tuple(accumulate((len(line) + 1 for line in lines[:-1]), initial=0))
        return cls("\n".join(lines), starts, run.items)

    def line_at(self, place: int) -> int:
        return bisect_right(self.starts, place) - 1

    def skip_blank_lines(self, place: int) -> int:
        while place < len(self.text) and self.text[place] == "\n":
            place += 1
        return place

    def line_start(self, start: int, least: int, stop: int) -> int:
        """Return where the last item or line begins that `stop` would cut; 0 if at none.

        Before `least` only if the item or line fits into a piece of its own.
        """
        last = self.line_at(stop)
        if self.starts[last] <= start:
            return 0
        limit = stop - start
        for first, end in (self._item_around(last, start, limit), (last, last + 1)):
            place = self.starts[first]
            if place >= least or self._place_of(end) - 1 - place <= limit:
                return place
        return 0

    def _item_around(self, line: int, start: int, limit: int) -> tuple[int, int]:
        """Return the first line of the item around `line` and the line behind the item.

        Without an item that begins behind `start`, these are of `line` alone. An item longer
        than `limit` need not be measured to its end.
        """
        first = line
        while first not in self.items:
            if self._is_blank(first) or self.starts[first - 1] <= start:
                return line, line + 1
            first -= 1
        end = line + 1
        while end not in self.items and not self._is_blank(end):
            if self.starts[end] - self.starts[first] > limit:
                break
            end += 1
        return first, end

    def _is_blank(self, line: int) -> bool:
        place = self._place_of(line)
        return place >= len(self.text) or self.text[place] == "\n"

    def _place_of(self, line: int) -> int:
        """Return where `line` starts; behind the last one, where it would."""
        return self.starts[line] if line < len(self.starts) else len(self.text) + 1
