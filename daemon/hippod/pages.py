"""Bank pages as hippod reads them: entity pages, the ledger of opinions, pages of facts, and marks.

What fits no form below is ordinary Markdown, never an error. A *block link* is
`[[2025-11-27#^k3f9ab27qt]]`: a note's name, and the id of a block in it; a folder before the
name and a label (`|…`) behind the id are allowed.

Entity page, `bank/entities/<Slug>.md`. YAML between `---` lines may have `entity` (else the
file's name is it), `aliases` (other names of it), `not` (names that are somebody else, whatever
a page says) and `updated` (a day). YAML that cannot be read counts as none.

Region, on any page: what hippod keeps up to date, between two comments that stand alone on
their lines. `sha256` is of the lines between, each with a line feed; another one means that a
person edited them. Markers that are nested, doubled or not closed make no region::

    <!-- hippod:summary sha256:9f86d0… -->
    Peter lives in Berlin. [[2026-01-05#^k3f9ab27qt]]
    <!-- /hippod:summary -->

Ledger of opinions, `bank/opinions.md`: a `##` section for each, whose heading is the statement.
Its bullets of these forms are the ledger; other text of the section is no part of it. Without
`id`, `c`, `prior` and evidence a section is ordinary text::

    ## Peter prefers short replies
    - id: 7k2m9qx4mt
    - prior: 0.80
    - c: 0.83
    - entities: @Peter
    - updated: 2026-03-03
    - supports: [[2025-11-27#^9qx4mt83ze]] +0.20
    - contradicts: [[2025-12-02]] "Wrote to him at length, he was glad" -0.40
    - pending: [[2026-03-03#^p07d2c5hn1]] -0.40
    - related: [[2026-03-04#^k3f9ab27qt]] 0
    - contested: true

A fact that a person wrote has no block id: its evidence quotes it. `pending` waits to count,
`related` speaks for neither side, `contested` says that recent evidence speaks for both.

Page of facts, `bank/world.md` and `bank/experience.md`: bullets that end in block links, under
headings of months. In front of the statement may stand a day and entities with a colon. The
first link's day is when it became known. One link alone means that the bullet restates that
fact; several, that it sums them up, or in a region that it restates the first and the others say
the same. A region may link a fact that a person wrote by its day alone: as the first link, and
behind a mark with a quote::

    ## 2026-01
    - 2026-01-05 @Peter: Lives in Berlin since 2026-01. [[2026-01-05#^k3f9ab27qt]]
    - ~~2025-11-03 @Peter: Lives in Vienna.~~ [[2025-11-03#^p07d2c5hn1]] superseded by [[2026-01-05#^k3f9ab27qt]]
    - ~~2025-11-02 @Peter: Rows.~~ [[2025-11-02]] superseded by [[2026-01-06]] "Has sold the boat"

In a region a backslash stands in what would be a comment, a block or day link, names or a mark
if it were not the words of a fact: see `escaped`. The history of an entity page is such bullets.

Supersession, on any line of any document outside of code and comments: block links, the words
`superseded by`, a block link. Each fact linked in front is superseded by the one behind.
"""  # noqa: E501

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain
from typing import Any, Final, Literal

from hippod import facts
from hippod.markdown import Bullet, Markdown, Section

ENTITIES: Final = "bank/entities/"
OPINIONS: Final = "bank/opinions.md"
FACT_PAGES: Final[dict[str, Literal["world", "experience"]]] = {
    "bank/world.md": "world",
    "bank/experience.md": "experience",
}

UNDECIDED: Final = frozenset(("bank/proposals.md", "bank/forgotten.md"))
"""Pages that say nothing of the world: what nobody decided yet, and hashes."""

Stance = Literal["supports", "contradicts", "related"]


@dataclass(frozen=True, slots=True)
class Link:
    """A block link: the note's name without folder and `.md`, and the block's id."""

    note: str
    block: str

    @property
    def day(self) -> date | None:
        """The day of the daily log that the note is."""
        return _day(self.note)

    def __str__(self) -> str:
        """The link as it is written."""
        return f"[[{self.note}#^{self.block}]]" if self.block else f"[[{self.note}]]"


@dataclass(frozen=True, slots=True)
class EntityPage:
    """Who an entity page is about; names in the grammar's form (`Dana-Whitfield`)."""

    entity: str
    aliases: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    """What stands under `not`."""
    updated: date | None = None


@dataclass(frozen=True, slots=True)
class Region:
    """What hippod keeps up to date: `start` to `end` are the lines between the markers.

    `end` is `start - 1` in an empty one. `sha256` is what the marker says.
    """

    name: str
    sha256: str
    start: int
    end: int
    edited: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for or against an opinion.

    `target` is as written: a block link or `[[day]]`. `block` is the id of the fact, of a
    quoted one the internal id that `day` and `quote` give. `weight` is in log-odds. The bullet
    stands on `line` to `line_end`.
    """

    stance: Stance
    target: str
    block: str
    quote: str
    weight: float
    line: int
    line_end: int

    @property
    def day(self) -> date | None:
        """The day of the daily log that `target` names."""
        links = _links(self.target)
        note = None if links else _NOTE.fullmatch(self.target)
        return links[0].day if links else note and _day(note[1].removesuffix(".md"))


@dataclass(frozen=True, slots=True)
class Opinion:
    """One section of the ledger; `lines` are those of its heading and of its ledger's bullets.

    `fields` are the other fields with their first and last lines; the last of a name counts.
    """

    statement: str
    id: str | None
    prior: float | None
    confidence: float | None
    entities: tuple[str, ...]
    updated: date | None
    evidence: tuple[Evidence, ...]
    pending: tuple[Evidence, ...]
    lines: tuple[int, ...]
    related: tuple[Evidence, ...] = ()
    contested: bool = False
    fields: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """A bullet of a page of facts, on lines `line_start` to `line_end`.

    `in_region` says that hippod keeps it. The block of a link is empty if no id is known.
    """

    content: str
    entities: tuple[str, ...]
    day: date | None
    links: tuple[Link, ...]
    superseded_by: Link | None
    line_start: int
    line_end: int
    in_region: bool = False

    @property
    def restates(self) -> str | None:
        """The id of the one fact that this bullet says again."""
        is_one = len(self.links) == 1 or self.in_region
        return (self.links[0].block or None) if is_one else None


@dataclass(frozen=True, slots=True)
class Supersession:
    """A mark on a line: the fact `old` is superseded by `new`, which was known on `day`."""

    old: str
    new: str
    day: date | None
    line: int


def is_entity_page(path: str) -> bool:
    """Say whether the document at `path` is about one entity."""
    return path.startswith(ENTITIES) and "/" not in path[len(ENTITIES) :]


def entity_page(path: str, document: Markdown, hidden: Set[int] = frozenset()) -> EntityPage | None:
    """Read whom the page at `path` is about; None if neither it nor its file name says so.

    What stands on `hidden` lines is not read.
    """
    front = _front_matter(document, hidden)
    slug = path.rpartition("/")[2].removesuffix(".md")
    entity = next(filter(None, map(facts.entity_name, [*_texts(front.get("entity")), slug])), "")
    if not entity:
        return None
    return EntityPage(
        entity=entity,
        aliases=_names(front.get("aliases"), front.get("alias")),
        others=_names(front.get("not")),
        updated=_day(next(iter(_texts(front.get("updated"))), "")),
    )


def regions(document: Markdown) -> tuple[Region, ...]:
    """Return the regions of a page in order; none if its markers are broken or it has conflicts."""
    found: list[Region] = []
    start: tuple[str, str, int] | None = None
    for number, name, sha256 in () if document.marks else _markers(document):
        if bool(start) == bool(sha256) or (start and start[0] != name):
            return ()
        if start:
            found.append(_region(document, *start, number - 1))
        start = None if start else (name, sha256, number + 1)
    names = {region.name for region in found}
    return () if start or len(names) < len(found) else tuple(found)


def has_broken_markers(document: Markdown) -> bool:
    """Say whether a page has what looks like a region's marker, but no regions by all of them."""
    lines = (document.lines[number - 1] for number in document.uncommented)
    looks = sum(_LIKE_A_MARKER.search(line) is not None for line in lines)
    return looks != 2 * len(regions(document))


def opinions(document: Markdown) -> tuple[Opinion, ...]:
    """Return the opinions of the ledger, in order; none of a page with conflict marks."""
    if document.marks:
        return ()
    found = (_opinion(document, section) for section in document.sections)
    return tuple(opinion for opinion in found if opinion is not None)


def statements(document: Markdown) -> tuple[Statement, ...]:
    """Return the bullets of a page of facts, in order; none of a page with conflict marks."""
    if document.marks:
        return ()
    ours = _lines_of_regions(document)
    found = (_statement(each.start, each.lines, each.start in ours) for each in document.bullets)
    return tuple(statement for statement in found if statement is not None)


def sentences(document: Markdown, region: Region) -> tuple[tuple[str, tuple[Link, ...]], ...]:
    """Return the lines of a summary that say something: the words of each, and its links."""
    lines = (line.strip() for line in document.lines[region.start - 1 : region.end])
    tails = ((line, _tail(line, _TARGET)) for line in lines if line)
    return tuple(
        (unescaped(line[:tail].strip(), begins=True), _links(line[tail:], _TARGET) if tail else ())
        for line, tail in tails
    )


def may_supersede(text: str) -> bool:
    """Say whether a document could have marks of supersession: a quick look before parsing."""
    return "superseded by" in text.casefold()


def supersessions(document: Markdown) -> tuple[Supersession, ...]:
    """Return the marks of any document, in order; none of one with conflict marks."""
    if document.marks:
        return ()
    marked = (each for each in statements(document) if each.in_region and each.superseded_by)
    found = [*map(_marks_on, *_prose(document)), *map(_marks_of, marked)]
    return tuple(sorted(set(chain.from_iterable(found)), key=lambda mark: (mark.line, mark.old)))


def is_title(path: str, heading: str) -> bool:
    """Tell whether a heading only names a page of facts or opinions: "# World"."""
    if path != OPINIONS and path not in FACT_PAGES:
        return False
    return heading.casefold() == path.removeprefix("bank/").removesuffix(".md")


def is_month(heading: str) -> bool:
    """Say whether a heading of a page of facts only sorts what stands under it: `2026-01`."""
    return _MONTH.fullmatch(heading.strip()) is not None


def links(text: str) -> tuple[Link, ...]:
    """Return the block links of a text, in order."""
    return _links(text)


def is_kept(line: str) -> bool:
    """Say whether a line reads like one that hippod keeps on a page: wherever it is pasted, it
    says again what is known. It cites a block, is a marker, or a number of the ledger."""
    return bool(_links(line) or _MARKER.search(line) or _LEDGER_LINE.fullmatch(line.strip()))


def without_links(text: str, *, days: bool = False) -> str:
    """Return `text` without block links: their days and ids are no words of it.

    `days`: nor are links to days, as in a summary that cites what people wrote.
    """
    if days:
        return _TARGET_AND_BLANK.sub("", text)
    return _LINK_AND_BLANK.sub("", text) if "#^" in text else text


def escaped(content: str, *, begins: bool = False) -> str:
    """Return the words of a fact as they may stand in a region: see `unescaped`.

    `begins`: a line begins with them, so that they must be no heading, item, fence or the like.
    """
    for pattern, _ in _ESCAPES + (_ESCAPES_OF_A_LINE if begins else ()):
        content = pattern.sub(r"\1\\\2", content)
    return content


def unescaped(text: str, *, begins: bool = False) -> str:
    """Return what was `escaped`."""
    for _, pattern in reversed(_ESCAPES + (_ESCAPES_OF_A_LINE if begins else ())):
        text = pattern.sub(r"\1\2", text)
    return text


_BLOCK = r"[0-9A-Za-z][0-9A-Za-z-]{0,63}"
_LINK = re.compile(
    r"\[\[(?:[^\[\]|#^\n]{0,200}/)?([^\[\]|#^/\n]{1,200}?)(?:\.md)?"
    rf"#\^({_BLOCK})(?:\|[^\[\]\n]{{0,200}})?\]\]"
)
_LINK_AND_BLANK = re.compile(rf"[ \t]?{_LINK.pattern}")
_ISO_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TARGET = re.compile(rf"{_LINK.pattern}|\[\[({_ISO_DAY})\]\]")
_TARGET_AND_BLANK = re.compile(rf"[ \t]?(?:{_TARGET.pattern})")
_SUPERSEDED = re.compile(r"(?<!\bnot )\bsuperseded by\b", re.IGNORECASE)
_MONTH = re.compile(r"[0-9]{4}(?:-[0-9]{2})?")


def _links(text: str, link: re.Pattern[str] = _LINK) -> tuple[Link, ...]:
    found = link.finditer(text)
    return tuple(Link(m[1].strip(), m[2]) if m[1] else Link(m[3], "") for m in found)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip()) if len(text.strip()) == 10 else None
    except ValueError:
        return None


# -- front matter ----------------------------------------------------------------------------

LONGEST_FRONT_MATTER = 8_192
"""Characters; the reader takes at most half a second for them, whatever they are."""
DEEPEST_FRONT_MATTER = 8
MOST_NAMES = 100
_LONGEST_NAME = 200


def _front_matter(document: Markdown, hidden: Set[int]) -> dict[Any, Any]:
    """Return the YAML at the top, every scalar a string; empty if it cannot be read."""
    numbers = range(2, document.front_matter)
    text = "\n".join(document.lines[n - 1] for n in numbers if n not in hidden)
    if not text.strip() or len(text) > LONGEST_FRONT_MATTER:
        return {}
    # Imported here because it costs 30 ms and most processes read no entity page.
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    reader = YAML(typ="base", pure=True)
    reader.max_depth = DEEPEST_FRONT_MATTER
    reader.composer.warn_double_anchors = False
    try:
        found = reader.load(text)
    except (YAMLError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _texts(value: object) -> list[str]:
    """Return a scalar or a list of scalars as strings."""
    values = value if isinstance(value, list) else [value]
    return [text for text in values[:MOST_NAMES] if isinstance(text, str)]


def _names(*values: object) -> tuple[str, ...]:
    texts = chain.from_iterable(map(_texts, values))
    clean = (text for text in texts if "<private" not in text.lower())
    names = (facts.entity_name(text[:_LONGEST_NAME].removeprefix("@")) for text in clean)
    return tuple(dict.fromkeys(filter(None, names)))


# -- regions ---------------------------------------------------------------------------------

_MARKER = re.compile(
    r"<!--[ \t]*(?:hippod:([a-z][a-z-]{0,31})[ \t]+sha256:([0-9a-f]{64})"
    r"|/hippod:([a-z][a-z-]{0,31}))[ \t]*-->[ \t]*"
)


_LIKE_A_MARKER = re.compile(r"<!--[ \t]*/?[ \t]*hippod:", re.IGNORECASE)


def _markers(document: Markdown) -> Iterator[tuple[int, str, str]]:
    """Yield line, name and sha256 of each marker; the closing ones have an empty sha256."""
    for number in sorted(document.uncommented):
        if match := _MARKER.fullmatch(document.lines[number - 1]):
            yield number, match[1] or match[3], match[2] or ""


def _lines_of_regions(document: Markdown) -> frozenset[int]:
    found = regions(document)
    return frozenset(chain.from_iterable(range(each.start, each.end + 1) for each in found))


def _region(document: Markdown, name: str, sha256: str, start: int, end: int) -> Region:
    return Region(name, sha256, start, end, digest(document.lines[start - 1 : end]) != sha256)


def digest(lines: Iterable[str]) -> str:
    """Return the sha256 of a region's lines, as its marker has it."""
    text = "".join(f"{line}\n" for line in lines)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# -- opinions --------------------------------------------------------------------------------

_FIELD = re.compile(
    r"(id|prior|c|entities|updated|contested|supports|contradicts|pending|related):\s*(.*)"
)
_LEDGER_LINE = re.compile(
    r"(?:[-*+]\s+)?(?:id:\s*\^?[0-9a-z]{10,52}|(?:prior|c):\s*[01](?:\.[0-9]+)?"
    r"|updated:\s*[0-9]{4}-[0-9]{2}-[0-9]{2}|contested:\s*true|entities:(?:\s*@\S+)+"
    r"|(?:supports|contradicts|pending|related):\s*\[\[.*)"
)
_PIECES = ("supports", "contradicts", "pending", "related")
_ID = re.compile(r"\^?([0-9a-z]{4,52})")
_SHARE = re.compile(r"[01](?:\.[0-9]{1,9})?|\.[0-9]{1,9}")
_EVIDENCE = re.compile(
    r"(\[\[[^\[\]\n]{1,400}\]\])\s*(?:[\"“](.*)[\"”]\s*)?([+\-−]?[0-9]{1,2}(?:\.[0-9]{1,4})?)"
)
_NOTE = re.compile(r"\[\[(?:[^\[\]|#^]{0,200}/)?([^\[\]|#^/]{1,200})\]\]")


def _opinion(document: Markdown, section: Section) -> Opinion | None:
    heading = section.path[-1] if section.path else None
    if heading is None or heading.level != 2 or heading.start != section.start or not heading.text:
        return None
    lines = tuple(range(heading.start, heading.end + 1))
    opinion = Opinion(heading.text, None, None, None, (), None, (), (), lines)
    for bullet in _bullets_of(document, section):
        match = _FIELD.fullmatch(" ".join(" ".join(bullet.lines).split()))
        place = bullet.start, bullet.start + len(bullet.lines) - 1
        field = match and _with_field(opinion, match[1], match[2], place)
        if match and field:
            lines = (*lines, *range(bullet.start, place[1] + 1))
            named = () if match[1] in _PIECES else ((match[1], *place),)
            opinion = replace(field, lines=lines, fields=(*opinion.fields, *named))
    says = (opinion.id, opinion.confidence, opinion.prior, *opinion.evidence, *opinion.pending)
    return opinion if any(each is not None for each in says) else None


def _bullets_of(document: Markdown, section: Section) -> Sequence[Bullet]:
    start = bisect_left(document.bullets, section.start, key=lambda bullet: bullet.start)
    end = bisect_right(document.bullets, section.end, key=lambda bullet: bullet.start)
    return document.bullets[start:end]


def _with_field(opinion: Opinion, name: str, value: str, place: tuple[int, int]) -> Opinion | None:
    """Return `opinion` with what a bullet of its ledger says; None if that cannot be read."""
    if name in _PIECES:
        evidence = _evidence(name, value, place)
        if evidence is None:
            return None
        if name == "pending":
            return replace(opinion, pending=(*opinion.pending, evidence))
        if name == "related":
            return replace(opinion, related=(*opinion.related, evidence))
        return replace(opinion, evidence=(*opinion.evidence, evidence))
    if name == "contested":
        return replace(opinion, contested=value.casefold() in ("true", "yes"))
    if name == "id":
        match = _ID.fullmatch(value)
        return replace(opinion, id=match[1]) if match else None
    if name == "updated":
        day = _day(value)
        return replace(opinion, updated=day) if day else None
    if name == "entities":
        names = facts.mentions(value.replace(",", " "))
        return replace(opinion, entities=names) if names else None
    share = float(value) if _SHARE.fullmatch(value) else 2.0
    if share > 1:
        return None
    return replace(opinion, prior=share) if name == "prior" else replace(opinion, confidence=share)


def _evidence(name: str, value: str, place: tuple[int, int]) -> Evidence | None:
    match = _EVIDENCE.fullmatch(value)
    if match is None:
        return None
    target, quote = match[1], (match[2] or "").strip()
    weight = float(match[3].replace("−", "-"))
    links, note = _links(target), _NOTE.fullmatch(target)
    if links:
        block = links[0].block
    elif note and quote:
        block = facts.content_id(_day(note[1].removesuffix(".md")), quote)
    else:
        return None
    stance: Stance = "supports" if weight > 0 else "contradicts" if weight else "related"
    is_signed = match[3][0] in "+-−"
    if name != stance and not (name == "pending" and weight):
        return None
    return (
        Evidence(stance, target, block, quote, weight, *place) if is_signed or not weight else None
    )


# -- words of facts in regions ---------------------------------------------------------------


def _escape(before: str, after: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what puts a backslash between two patterns that meet, and what takes it away."""
    return (
        re.compile(rf"({before})(\\*)(?={after})", re.IGNORECASE),
        re.compile(rf"({before})\\(\\*)(?={after})", re.IGNORECASE),
    )


_ESCAPES = (
    _escape("<", "!--"),
    _escape(r"\[", rf"\[[^\[\]\n]*?(?:#\^|{_ISO_DAY})"),
    _escape(r"\bsuperseded", r" by\W*\Z"),
    _escape("^", "@"),
)
_ESCAPES_OF_A_LINE = (
    _escape("^", r"(?:#{1,6}|[-*+]|<{7})(?:\s|\Z)|>|`{3}|~{3}|<[a-z/!?]|\[[^\]]*\]:"),
    _escape("^[0-9]{1,9}", r"[.)](?:\s|\Z)"),
)

# -- pages of facts --------------------------------------------------------------------------

_BETWEEN_LINKS = re.compile(r" ?(?:[,;] ?)?")
_BEFORE_THE_NEW = re.compile(r" ?(?:[,;—–-] ?)?superseded by ", re.IGNORECASE)
_BY_A_QUOTED_ONE = re.compile(rf' ?superseded by \[\[({_ISO_DAY})\]\] "(.+)"$')
_DATED = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:\s*:\s+|\s+)")


def _statement(start: int, lines: Sequence[str], in_region: bool) -> Statement | None:
    text = " ".join(" ".join(lines).split())
    quoted = _BY_A_QUOTED_ONE.search(text) if in_region else None
    text = text[: quoted.start()] if quoted else text
    link = _TARGET if in_region else _LINK
    tail = _tail(text, link)
    if tail is None:
        return None
    before, words, after = _split_mark(text[tail:])
    content = text[:tail].strip()
    if len(content) > 4 and content.startswith("~~") and content.endswith("~~"):
        content = content[2:-2].strip()
    dated = _DATED.match(content)
    content = content[dated.end() :] if dated else content
    names, content = _split_names(content)
    if not content:
        return None
    content = unescaped(content) if in_region else content
    links = _links(before, link)
    return Statement(
        content=content,
        entities=names or facts.mentions(content),
        day=links[0].day or (_day(dated[1]) if dated else None),
        links=(_written(links[0], content), *links[1:]),
        superseded_by=_by_a_quoted_one(quoted) if quoted else _links(after)[0] if words else None,
        line_start=start,
        line_end=start + len(lines) - 1,
        in_region=in_region,
    )


def _written(link: Link, content: str) -> Link:
    """Return the link to a fact with its id, the internal one if a person wrote it."""
    return link if link.block else Link(link.note, facts.content_id(link.day, content))


def _by_a_quoted_one(quoted: re.Match[str]) -> Link:
    return _written(Link(quoted[1], ""), unescaped(quoted[2]))


def _tail(text: str, link: re.Pattern[str]) -> int | None:
    """Return where the links begin that `text` ends in, a mark before the last or not."""
    links = list(link.finditer(text))
    if not links or text[links[-1].end() :].strip(" ."):
        return None
    start = links.pop().start()
    between = _BEFORE_THE_NEW
    while links and (
        between.fullmatch(text, links[-1].end(), start)
        or _BETWEEN_LINKS.fullmatch(text, links[-1].end(), start)
    ):
        start = links.pop().start()
        between = _BETWEEN_LINKS
    return None if _SUPERSEDED.search(text, max(0, start - 15), start) else start


def _split_mark(text: str) -> tuple[str, str, str]:
    match = _SUPERSEDED.search(text)
    return (text[: match.start()], match[0], text[match.end() :]) if match else (text, "", "")


def _split_names(text: str) -> tuple[tuple[str, ...], str]:
    """Split `@Peter @Dana: Lives …` into the names and what is said."""
    head, colon, content = text.partition(":")
    tokens = head.split()
    names = [name for token in tokens for name in facts.mentions(token) if token == f"@{name}"]
    if not colon or not tokens or len(names) < len(tokens):
        return (), text
    return tuple(dict.fromkeys(names)), content.strip()


# -- supersession ----------------------------------------------------------------------------


def _prose(document: Markdown) -> tuple[list[int], list[str]]:
    numbers = [
        number
        for number in range(document.front_matter + 1, len(document.lines) + 1)
        if number not in document.code
    ]
    return numbers, [document.visible(number) for number in numbers]


def _marks_of(statement: Statement) -> Iterator[Supersession]:
    new = statement.superseded_by
    for old in dict.fromkeys(link.block for link in statement.links):
        if new and old not in ("", new.block):
            yield Supersession(old, new.block, new.day, statement.line_start)


def _marks_on(number: int, line: str) -> Iterator[Supersession]:
    before, words, after = _split_mark(line)
    while words and not _links(before):  # words of what is said
        said, words, after = _split_mark(after)
        before += said
    new = _links(after)[:1] if words else ()
    for link in new:
        for old in dict.fromkeys(each.block for each in _links(before)):
            if old != link.block:
                yield Supersession(old, link.block, link.day, number)
