"""Daily logs: their names, entries and facts, and the exact bytes that an append adds.

Facts stand in a Retain section: a heading of level 2 to 6, ATX or setext, whose text is
`Retain` in any case, with or without a colon; it reaches to the next heading of its level or
above, and there may be several. In it every item of a `-`, `*` or `+` list, at any depth but
not in a quote, whose first paragraph fits the grammar is a fact. Continuation lines belong to
it, up to a line that ends in `^id` or an entry that follows. What else an item holds (further
paragraphs, code, nested items that fit no grammar) is ordinary text.
"""

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Final, Literal

from hippod import facts, markdown
from hippod.errors import Conflict, InvalidInput
from hippod.facts import Fact
from hippod.markdown import BOM, Bullet, Markdown, Section

Layout = Literal["openclaw", "ironclaw"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A `[HH:MM:SS] text` line (`[HH:MM]` too) with what follows it.

    It reaches to the next entry, fact or heading; `text` is without the time, comments and
    blank lines at its ends. `line` and `line_end` count from 1.
    """

    time: str
    text: str
    line: int
    line_end: int


@dataclass(frozen=True, slots=True)
class PlacedFact:
    """A fact and the lines (from 1, inclusive) that it stands on."""

    fact: Fact
    line_start: int
    line_end: int


@dataclass(frozen=True, slots=True)
class DayLog:
    """What a daily log holds, in the order of its lines.

    A conflicted log holds the facts of both sides. `misfits` are the lines of bullets in a
    Retain section that begin like a fact but fit no grammar, for a warning.
    """

    entries: tuple[Entry, ...]
    facts: tuple[PlacedFact, ...]
    ends_in_retain: bool
    conflicted: bool
    misfits: tuple[int, ...]


def parse(text: str) -> DayLog:
    """Read a daily log. Any text is safe."""
    if len(text) <= _KEPT_CHARACTERS:
        return _parsed_before(text)
    return _parsed_last(text) if len(text) <= _MOST_CHARACTERS else _parsed(text)


_KEPT_CHARACTERS, _MOST_CHARACTERS = 100_000, 1_000_000
"""How long logs are that stay parsed, and how long the one is at most that does beside them."""


def _parsed(text: str) -> DayLog:
    document = markdown.parse(text)
    placed = retained(document)
    return DayLog(
        entries=tuple(_entries(document, placed)),
        facts=placed,
        ends_in_retain=bool(document.sections) and in_retain(document.sections[-1]),
        conflicted=bool(document.marks),
        misfits=tuple(_misfits(document, placed)),
    )


# Who appends a fact looks at the same text before, in between and after, and again the next time.
_parsed_before = lru_cache(maxsize=16)(_parsed)
_parsed_last = lru_cache(maxsize=1)(_parsed)


def retained(document: Markdown) -> tuple[PlacedFact, ...]:
    """Return the facts of the Retain sections of any document."""
    return tuple(
        placed for bullet in _retain_bullets(document) if (placed := _place(bullet)) is not None
    )


def in_retain(section: Section) -> bool:
    """Say whether bullets of `section` may be facts."""
    return any(is_retain(heading) for heading in section.path)


def is_retain(heading: markdown.Heading) -> bool:
    """Say whether `heading` opens a Retain section."""
    return heading.level > 1 and heading.text.removesuffix(":").strip().casefold() == "retain"


def is_log(heading: markdown.Heading) -> bool:
    """Say whether `heading` is the one that `log_block` writes behind a Retain section."""
    return heading.level == 2 and heading.text == _LOG


_LOG: Final = "Log"
_DAY_PATH = re.compile(
    r"(?:(?:memory|daily)/|archive/(?:.+/)?)([0-9]{4}-[0-9]{2}-[0-9]{2})\.md", re.DOTALL
)


def day_of(path: str) -> date | None:
    """Return the day of the daily log at `path` (relative to the workspace), or None.

    Daily logs are `memory/2026-03-03.md`, `daily/2026-03-03.md` and archived ones at any depth
    below `archive/`; `memory/2026-06-02 2.md` is none.
    """
    match = _DAY_PATH.fullmatch(path)
    if match is None:
        return None
    try:
        return date.fromisoformat(match[1])
    except ValueError:
        return None


def log_path(day: date, layout: Layout = "openclaw") -> str:
    """Return where the daily log of `day` stands, relative to the workspace."""
    folder = "daily" if layout == "ironclaw" else "memory"
    return f"{folder}/{day.isoformat()}.md"


def archive_path(day: date) -> str:
    """Return where hygiene moves the daily log of `day`."""
    return f"archive/{day:%Y}/{day.isoformat()}.md"


def new_log(day: date) -> str:
    """Return what a new daily log begins with."""
    return f"# Daily Log - {day.isoformat()}\n"


def retain_block(existing: bytes | None, day: date, bullets: Sequence[str]) -> bytes:
    """Return the bytes to append to a daily log, so that `bullets` are its last facts.

    `bullets` are rendered facts. They go into the last section if it is Retain, else under a
    new `## Retain`, on a fresh line and with the file's own line ends; a new file (None, or
    blank) gets its title first. An open fence or comment is left open (see `markdown`); if a
    `>` in a bullet would close it, that is written as `&gt;`. Raise Conflict if the file has
    conflict marks, InvalidInput if it is UTF-16 or a bullet is not a fact.
    """
    file = _File.of(existing)
    new = [_fact_of(bullet) for bullet in bullets]
    if not new:
        return b""
    openings = ["", file.eol] if file.log.ends_in_retain else []
    openings.append(file.section("Retain"))
    for written in (new, [replace(fact, content=_escaped(fact.content)) for fact in new]):
        for block in file.blocks(day, openings, list(map(facts.render, written))):
            if _facts(file.with_(block)) == _facts(file.log) + written:
                return block.encode()
    raise _hidden()


def log_block(existing: bytes | None, day: date, line: str) -> bytes:
    """Return the bytes to append to a daily log for the entry `line`, `[HH:MM:SS] text`.

    The text may have several lines. It stands on a fresh line, under a new `## Log` if the
    file ends in a Retain section. Otherwise as `retain_block`, with the same errors; where a
    line of the text would close what is open, the lines behind the first are indented.
    """
    file = _File.of(existing)
    lines = markdown.split_lines(facts.writable(line.strip()))
    if not lines or not _ENTRY.match(lines[0]):
        raise InvalidInput(f"{line[:40]!r} is not an entry", "begin it with [HH:MM:SS]")
    openings = [] if file.log.ends_in_retain else ["" if file.ends_in_entry else file.gap]
    openings.append(file.section(_LOG))
    old = _facts(file.log)
    for written in (lines, _escaped("\n    ".join(lines)).split("\n")):
        for block in file.blocks(day, openings, written):
            log = file.with_(block)
            is_seen = len(log.entries) > len(file.log.entries) and not log.conflicted
            if is_seen and _facts(log)[: len(old)] == old:
                return block.encode()
    raise _hidden()


@dataclass(frozen=True, slots=True)
class _File:
    """The daily log to which something is to be appended."""

    text: str
    log: DayLog
    eol: str

    @classmethod
    def of(cls, existing: bytes | None) -> "_File":
        data = existing or b""
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise InvalidInput("the daily log is UTF-16", "save it as UTF-8")
        text = data.decode(errors="replace")
        log = parse(text)
        if log.conflicted:
            raise Conflict("the daily log has git conflict marks", "resolve the merge first")
        return cls(text, log, _line_end(text))

    def with_(self, block: str) -> DayLog:
        return parse(self.text + block)

    def blocks(self, day: date, openings: Sequence[str], lines: Sequence[str]) -> Iterator[str]:
        """Yield the block to append with each of the openings, the least first."""
        is_blank = not self.text.removeprefix(BOM).strip()
        title = f"{new_log(day)}\n".replace("\n", self.eol) if is_blank else ""
        body = "".join(line + self.eol for line in lines)
        for opening in openings:
            yield f"{self.fresh}{title}{opening}{body}"

    def section(self, title: str) -> str:
        return f"{self.gap}## {title}{self.eol}"

    @property
    def fresh(self) -> str:
        """What ends the last line."""
        if self.text.endswith("\r") and self.eol != "\r":
            return "\n"  # else that CR would swallow the first line feed of the block
        return "" if self.text in ("", BOM) or self.text.endswith(("\n", "\r")) else self.eol

    @property
    def gap(self) -> str:
        """What puts a blank line behind the last line, if that is not one."""
        lines = markdown.split_lines(self.text)
        return self.eol if lines and lines[-1].strip() else ""

    @property
    def ends_in_entry(self) -> bool:
        lines = markdown.split_lines(self.text)
        return bool(self.log.entries) and self.log.entries[-1].line == len(lines)


def _facts(log: DayLog) -> list[Fact]:
    return [placed.fact for placed in log.facts]


def _escaped(text: str) -> str:
    return text.replace(">", "&gt;")


def _hidden() -> Conflict:
    return Conflict(
        "the daily log ends in markup that hides what would be appended",
        "close the code block or comment at its end",
    )


def _line_end(text: str) -> str:
    """Return the line end that `text` uses most; LF if it has none."""
    windows = text.count("\r\n")
    counts = {"\n": text.count("\n") - windows, "\r\n": windows, "\r": text.count("\r") - windows}
    return max(counts, key=lambda end: counts[end])


def _fact_of(bullet: str) -> Fact:
    fact = facts.parse_bullet(bullet)
    if fact is None:
        raise InvalidInput(f"{bullet[:60]!r} is not a fact", "write - W @Entity: content")
    return facts.canonical(fact)


BEAT: Final = "Heartbeat: "
"""How the lines of the heartbeat begin behind their time."""
_ENTRY = re.compile(r"\[((?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?)\](?:[ \t]+|$)")
_ENDS_IN_ID = re.compile(rf"(?:^|.*\S) \^{facts.ID_PATTERN}[ \t]*", re.DOTALL)
_ALMOST_A_FACT = re.compile(r"[wbos](?:\(c=|\s*:|\s+@)", re.IGNORECASE)


def entry_time(document: Markdown, line: int) -> str | None:
    """Return the time (`HH:MM` or `HH:MM:SS`) of the entry that begins on `line`, if one does."""
    match = None if line in document.code else _ENTRY.match(document.visible(line))
    return match[1] if match else None


def split_time(line: str) -> tuple[str | None, str]:
    """Split the first line of an entry into its time and its text; other lines have no time."""
    match = _ENTRY.match(line)
    return (match[1], line[match.end() :]) if match else (None, line)


def is_beat(document: Markdown, line: int) -> bool:
    """Say whether a line is the heartbeat's: `[HH:MM:SS] Heartbeat: … ^id`."""
    if entry_time(document, line) is None:
        return False
    said = split_time(document.visible(line))[1]
    return said.startswith(BEAT) and ends_in_id(said)


def ends_in_id(line: str) -> bool:
    """Say whether a line ends in ` ^id`, as every line does that hippod itself wrote."""
    return _ENDS_IN_ID.fullmatch(line) is not None


def _retain_bullets(document: Markdown) -> Iterator[Bullet]:
    sections = iter(document.sections)
    section = next(sections, None)
    for bullet in document.bullets:
        while section and section.end < bullet.start:
            section = next(sections, None)
        if section and in_retain(section):
            yield bullet


def _place(bullet: Bullet) -> PlacedFact | None:
    lines: list[str] = []
    for line in bullet.lines:
        if lines and _ENTRY.match(line):
            break
        lines.append(line)
        if _ENDS_IN_ID.fullmatch(line):
            break
    fact = facts.parse_bullet("- " + "\n".join(lines))
    return PlacedFact(fact, bullet.start, bullet.start + len(lines) - 1) if fact else None


def _misfits(document: Markdown, placed: Sequence[PlacedFact]) -> Iterator[int]:
    taken = {each.line_start for each in placed}
    for bullet in _retain_bullets(document):
        if bullet.start not in taken and _ALMOST_A_FACT.match(bullet.lines[0]):
            yield bullet.start


def _entries(document: Markdown, placed: Sequence[PlacedFact]) -> Iterator[Entry]:
    stops = {number for fact in placed for number in range(fact.line_start, fact.line_end + 1)}
    stops |= {heading.start for section in document.sections for heading in section.path[-1:]}
    start: int | None = None
    for number in range(document.front_matter + 1, len(document.lines) + 1):
        begins = entry_time(document, number) is not None
        if start and (begins or number in stops):
            yield _entry(document, start, number - 1)
            start = None
        if begins:
            start = number
    if start:
        yield _entry(document, start, len(document.lines))


def _entry(document: Markdown, start: int, end: int) -> Entry:
    numbers = [number for number in range(start, end + 1) if number not in document.marks]
    while len(numbers) > 1 and not document.visible(numbers[-1]).strip():
        numbers.pop()
    first, *others = map(document.visible, numbers)
    text = "\n".join([_ENTRY.sub("", first), *others]).strip()
    return Entry(entry_time(document, start) or "", text, start, numbers[-1])
