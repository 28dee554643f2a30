"""What goes when something is forgotten: which facts and lines, and the documents without them.

Pure: documents in, documents out. A fact goes with its whole line, with other facts that say the
same of the same, and with what was derived from it.
"""

import functools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final, Literal

from hippod import daylog, erasing, facts, forgotten, markdown, pages
from hippod.erasing import Block, Piece
from hippod.errors import InvalidInput
from hippod.extraction import repetition
from hippod.extraction.support import numbers
from hippod.facts import Fact
from hippod.language import guess
from hippod.reflection import belief, front_matter
from hippod.reflection.known import DERIVED, repeated

Why = Literal["fact", "text", "within", "paraphrase", "derived", "evidence", "opinion", "proposal"]
Action = Literal["remove", "change", "delete"]

CONFLICTED: Final = "has git conflict marks"
PROPOSALS: Final = "bank/proposals.md"
_ALIKE = 0.5
_MOST_COMPARED = 50
_LEAST_STATED = 3
"""Words of a statement that goes for saying the same."""
_NEAR = 0.6
"""Part of the words of a statement that are in a document which might say the same."""
_LEAST_SHARED = 3
MOST_SIMILAR = 10
_TOLERANCE = 0.006


@dataclass(frozen=True)
class Read:
    """A document as it was read; `text` gives its bytes back.

    With a `problem` it cannot be written.
    """

    path: str
    etag: str
    text: str
    problem: str = ""

    @property
    def day(self) -> date | None:
        """The day of a daily log."""
        return daylog.day_of(self.path)

    @functools.cached_property
    def document(self) -> markdown.Markdown:
        """The document taken apart."""
        return markdown.parse(self.text)

    @functools.cached_property
    def blocks(self) -> list[Block]:
        """Its blocks, in order."""
        return erasing.blocks(self.text, self.document)


@dataclass(frozen=True, slots=True)
class Standing:
    """A fact where it stands; `id` is an internal one if a person wrote it."""

    id: str
    fact: Fact
    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Target:
    """What goes: facts and opinions by id, statements by their words, words wherever they stand.

    `stated` are the contents of the facts that go, as they are written. `in_facts` says whether
    words go that stand in other facts, too. `paraphrases` and `derived` are those of the ids that
    go for that reason. `dated` are day and words of those facts that pages link to by their day
    alone, `staying` those of the facts of these days that do not go.
    """

    ids: frozenset[str]
    texts: frozenset[str]
    needles: tuple[tuple[str, ...], ...]
    stated: tuple[str, ...]
    in_facts: bool = True
    paraphrases: frozenset[str] = frozenset()
    derived: frozenset[str] = frozenset()
    dated: frozenset[tuple[str, str]] = frozenset()
    staying: frozenset[tuple[str, str]] = frozenset()

    def forgets_id(self, id_: str) -> bool:
        """Say whether a fact or opinion goes."""
        return id_ in self.ids

    def forgets_text(self, text: str) -> bool:
        """Say whether a statement goes, as one that says this and no more."""
        return forgotten.joined(text) in self.texts

    def spans(
        self, said: Sequence[str], day: date | None = None, *, in_fact: bool = False
    ) -> list[tuple[int, int]]:
        """Return where, in a sequence of words, those stand that go."""
        if in_fact and not self.in_facts:
            return []
        return [
            (start, start + len(needle))
            for needle in self.needles
            for start in _places(said, needle)
        ]


@dataclass(frozen=True, slots=True)
class Place:
    """A line, or more, and what happens to it."""

    line: int
    line_end: int
    text: str
    why: Why
    action: Action = "remove"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A document as it is to be; `after` None: it goes. With a `problem` it is left alone.

    `nameless`: the page of an entity loses the name, and stays for what somebody wrote there.
    """

    path: str
    etag: str
    after: str | None
    places: tuple[Place, ...]
    problem: str = ""
    nameless: bool = False


def standing(read: Read) -> list[Standing]:
    """Return the facts of a document, private ones too."""
    if not may_have_facts(read.text):
        return []
    return [
        Standing(
            block.fact.id or facts.content_id(read.day, block.fact.content),
            block.fact,
            read.path,
            block.pieces[0].line,
            block.text,
        )
        for block in read.blocks
        if block.fact is not None
    ]


def may_have_facts(text: str) -> bool:
    """Say whether a document may state facts: a quick look."""
    return _FACT.search(text) is not None


_FACT = re.compile(r"^[ \t]*[-*+][ \t]+[WBOS](?:\(c=[^)\n]{1,20}\))?(?:[ \t]+@\S+)*[ \t]*:", re.M)


def says(standing: Standing, needle: Sequence[str]) -> bool:
    """Say whether the words stand in the line of a fact."""
    return any(True for _ in _places(forgotten.words(standing.text), needle))


def target(
    seeds: Sequence[Standing],
    all_facts: Sequence[Standing],
    asked: Sequence[str],
    ids: Iterable[str] = (),
    *,
    in_facts: bool = True,
) -> Target:
    """Return all that goes with the facts `seeds`, and with the texts that were `asked` for.

    `ids` go too, where they no longer stand. Without `in_facts` texts go, where they are long
    enough to be telling, but facts of others that say the same stay.
    """
    chosen = {each.id: each for each in seeds}
    paraphrases = [
        each for each in all_facts
        if each.id not in chosen and _says_same_as_any(each.fact, seeds, asked if in_facts else ())
    ]  # fmt: skip
    chosen |= {each.id: each for each in paraphrases}
    going = {*chosen, *ids}
    derived = _derived(all_facts, going)
    going |= {each.id for each in derived}
    least = 1 if in_facts else forgotten.TELLING_WORDS
    needles = (tuple(forgotten.words(text)) for text in asked)
    told = [*seeds, *paraphrases, *derived]
    dated = frozenset(filter(None, map(_dated, told)))
    return Target(
        ids=frozenset(going),
        texts=frozenset(filter(None, (forgotten.stated(each.fact) for each in told))),
        needles=tuple(dict.fromkeys(each for each in needles if len(each) >= least)),
        stated=tuple(
            dict.fromkeys([*asked, *(said for e in told for said in with_subject(e.fact))])
        ),
        in_facts=in_facts,
        paraphrases=frozenset(each.id for each in paraphrases),
        derived=frozenset(each.id for each in derived),
        dated=dated,
        staying=_staying(all_facts, going, {day for day, _ in dated}),
    )


def similar(
    all_facts: Sequence[Standing], gone: Target, seeds: Sequence[Standing]
) -> list[Standing]:
    """Return facts that stay but sound alike, the most alike first."""
    stated = [each.fact.content for each in seeds] or [*gone.stated]
    wanted = [_word_set(text) for text in stated[:_MOST_COMPARED]]
    found = []
    for each in all_facts:
        if each.id in gone.ids:
            continue
        said = _word_set(each.fact.content)
        alike = max((_share(said, one) for one in wanted), default=0.0)
        if alike >= _ALIKE:
            found.append((alike, each))
    found.sort(key=lambda pair: -pair[0])
    return [each for _, each in found[:MOST_SIMILAR]]


def unnamed(read: Read, seeds: Sequence[Standing], gone: Sequence[Place]) -> Iterator[Place]:
    """Yield what stays and states the same of nobody: whether it is meant, a person has to tell."""
    wanted = {forgotten.joined(e.fact.content) for e in seeds if forgotten.words(e.fact.content)}
    plain = forgotten.folded(read.text)
    if not any(all(word in plain for word in said.split()) for said in wanted):
        return
    lines = {line for place in gone for line in range(place.line, place.line_end + 1)}
    for block in read.blocks:
        for piece in block.pieces if block.fact is None else ():
            if piece.line not in lines and forgotten.joined(_said(piece.text)) in wanted:
                yield Place(piece.line, piece.line_end, piece.text.strip(), "text")


def outcome(read: Read, gone: Target) -> Outcome | None:
    """Return a document without what goes; None if nothing of it does."""
    if not _may_hold(read, gone):
        return None
    document = read.document
    pieces = _pieces(read, document, gone)
    if not pieces:
        return None
    if problem := read.problem or (CONFLICTED if document.marks else ""):
        return Outcome(read.path, read.etag, read.text, _listed(pieces), problem)
    edit = _Edit(read, document, pieces)
    return edit.outcome()


def holds(read: Read, gone: Target) -> bool:
    """Say whether anything of a document goes."""
    return _may_hold(read, gone) and bool(_pieces(read, read.document, gone))


def told(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """Yield the statements of lines that go for saying the same, to be known again.

    Of an opinion that is its heading: the other lines may stand anywhere.
    """
    for each in outcomes:
        for place in each.places:
            is_heading = place.why == "opinion" and place.text.startswith("#")
            if (is_heading or place.why == "paraphrase") and place.action == "remove":
                yield erasing.statement(place.text)


# -- facts that go ---------------------------------------------------------------------------


def _says_same_as_any(fact: Fact, seeds: Sequence[Standing], asked: Sequence[str]) -> bool:
    if any(says_same(said, text) for text in asked for said in _spoken(fact)):
        return True
    return any(_of_the_same(fact, each.fact) and says_same(fact.content, each.fact.content)
               for each in seeds)  # fmt: skip


def with_subject(fact: Fact) -> list[str]:
    """Return what a fact states so that it tells of whom: others may have the same said of them."""
    said = set(forgotten.words(fact.content))
    names = [facts.display_name(name) for name in fact.entities]
    if not names or any(word in said for name in names for word in forgotten.words(name)):
        return [fact.content]
    return [f"{name} {fact.content}" for name in dict.fromkeys([*names, " ".join(names)])]


def _spoken(fact: Fact) -> tuple[str, str]:
    """Return what a fact states, alone and with its subject in front."""
    content = fact.content
    names = " ".join(map(facts.display_name, fact.entities))
    return content, f"{names} {content[:1].lower()}{content[1:]}"


def _of_the_same(one: Fact, other: Fact) -> bool:
    """Say whether two facts are about the same: a content may leave its subject out."""
    mine, yours = ({name.casefold() for name in each.entities} for each in (one, other))
    return mine <= yours or yours <= mine


def says_same(one: str, other: str) -> bool:
    """Say whether two texts say the same, with the same numbers."""
    mine, yours = _word_set(one), _word_set(other)
    if 2 * len(mine & yours) < min(len(mine), len(yours)) or not mine & yours:
        return False
    if set(numbers(one)) != set(numbers(other)) or _asks(one) != _asks(other):
        return False
    language = guess(one)
    if repetition.is_restated(one, other, language):
        return True
    ways = [repetition.is_repeated(*pair, language) for pair in ((one, other), (other, one))]
    # Of the same words, one way is enough: a word that begins a sentence may pass for a name.
    return any(ways) if mine == yours else all(ways)


def _asks(text: str) -> bool:
    return text.rstrip(" \t\r\n\"'*_)]”’").endswith(("?", "？"))


def _derived(all_facts: Sequence[Standing], going: Collection[str]) -> list[Standing]:
    """Return facts that were derived from those that go, and from these again."""
    found: dict[str, Standing] = {}
    before = -1
    while len(found) != before:
        before = len(found)
        for each in all_facts:
            is_derived = each.fact.source is not None and each.fact.source.name == DERIVED
            if not is_derived or each.id in going:
                continue
            if {*erasing.linked(each.fact.content), *_repeated(each.fact)} & {*going, *found}:
                found[each.id] = each
    return list(found.values())


def _repeated(derived: Fact) -> Iterator[str]:
    """Yield the internal ids of the facts without a block that a derived one says again."""
    for each in repeated(derived.content):
        day = daylog.day_of(f"memory/{each.day}.md")
        if not each.block and day is not None:
            yield facts.content_id(day, each.content)


def _dated(each: Standing) -> tuple[str, str] | None:
    """Return day and words of a fact without an id that a page could link to."""
    day = daylog.day_of(each.path)
    said = forgotten.joined(each.fact.content)
    return (day.isoformat(), said) if day and said and each.fact.id is None else None


def _staying(
    all_facts: Iterable[Standing], going: Collection[str], days: Collection[str]
) -> frozenset[tuple[str, str]]:
    found = (_dated(each) for each in all_facts if each.id not in going)
    return frozenset(each for each in found if each and each[0] in days)


@functools.lru_cache(maxsize=32_768)
def _word_set(text: str) -> frozenset[str]:
    return frozenset(forgotten.words(text))


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    shared = len(one & other)
    return shared / len(one | other) if shared >= _LEAST_SHARED else 0.0


def _places(said: Sequence[str], needle: Sequence[str]) -> Iterator[int]:
    size, first = len(needle), needle[0] if needle else ""
    wanted = list(needle)
    for start in range(len(said) - size + 1):
        if said[start] == first and list(said[start : start + size]) == wanted:
            yield start


# -- lines that go ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Gone:
    piece: Piece
    why: Why
    to: str | None = None
    """What stands there instead."""


def _may_hold(read: Read, gone: Target) -> bool:
    if any(id_ in gone.ids for id_ in erasing.linked(read.text)):
        return True
    if read.path == pages.OPINIONS or any(f"{day}]]" in read.text for day, _ in gone.dated):
        return True
    plain = forgotten.folded(read.text)
    texts = [*(text.split() for text in gone.texts), *map(forgotten.words, gone.stated)]
    return any(all(word in plain for word in needle) for needle in gone.needles) or any(
        sum(word in plain for word in text) >= _NEAR * len(text) for text in texts
    )


def _pieces(read: Read, document: markdown.Markdown, gone: Target) -> list[_Gone]:
    found: dict[int, _Gone] = {}
    whole = read.blocks
    ours = _own_lines(document) if gone.dated else frozenset()
    for block in whole:
        for each in (*_of_block(read, block, gone), *_of_days(block, gone, ours)):
            found.setdefault(each.piece.start, each)
    by_line = {piece.line: piece for block in whole for piece in block.pieces if piece.whole}
    if read.path == pages.OPINIONS:
        _with_opinions(document, gone, by_line, found)
    if read.path == PROPOSALS and found:
        _with_sections(document, by_line, found)
    if document.front_matter and found:
        _with_fields(document, by_line, found)
    return [found[start] for start in sorted(found)]


def _of_block(read: Read, block: Block, gone: Target) -> Iterator[_Gone]:
    literal = erasing.goes(block, gone, read.day)
    for piece in literal:
        yield _Gone(piece, _why(read, block, piece, gone), _unmarked(piece, gone))
    for piece in block.pieces if block.fact is None else ():
        is_other = not any(piece.start <= each.start < piece.end for each in literal)
        if is_other and _says_same_as(_said(piece.text), gone):
            yield _Gone(piece, "paraphrase")


def _of_days(block: Block, gone: Target, ours: Collection[int]) -> Iterator[_Gone]:
    """Yield what links to the day of a fact that goes, and tells it."""
    for piece in block.pieces if block.fact is None and gone.dated else ():
        mark = _MARK.search(piece.text)
        rest = piece.text if mark is None else _outside(piece.text, mark)
        if _tells(rest, gone, is_ours=piece.line in ours):
            yield _Gone(piece, "derived")
        elif mark is not None and _tells(mark[0], gone):
            yield _Gone(piece, "derived", rest.replace("~~", ""))


def _tells(text: str, gone: Target, *, is_ours: bool = False) -> bool:
    """Say whether a text tells a fact of the day that it links to.

    What is ours, and no other fact of the day in its words, may be the fact in other words.
    """
    days = {match[1] for match in _DAY_LINK.finditer(text)}
    said = f" {forgotten.joined(text)} " if days else ""
    others = [each for day, each in gone.staying if day in days and f" {each} " in said]
    for day, content in gone.dated:
        if day not in days or any(len(each) > len(content) for each in others):
            continue
        if f" {content} " in said or (is_ours and not others):
            return True
        if len(_word_set(content)) >= _LEAST_STATED and says_same(_said(text), content):
            return True
    return False


def _own_lines(document: markdown.Markdown) -> frozenset[int]:
    """Return the lines of regions that nobody edited: they are written anew."""
    ours = (region for region in pages.regions(document) if not region.edited)
    return frozenset(line for region in ours for line in range(region.start, region.end + 1))


def _says_same_as(said: str, gone: Target) -> bool:
    if len(_word_set(said)) < _LEAST_STATED:
        return False
    return any(says_same(said, each) for each in gone.stated[:_MOST_COMPARED])


_DATED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:\s*:)?\s+")
_NAMED = re.compile(r"@\S+(?:\s+@\S+)*\s*:\s+")


def _said(line: str) -> str:
    """Return what a line of a page states, without day and names in front."""
    said = _DATED.sub("", erasing.statement(line), count=1)
    return _NAMED.sub("", said, count=1).strip(" ~")


def _why(read: Read, block: Block, piece: Piece, gone: Target) -> Why:
    if block.fact is not None:
        id_ = block.fact.id or facts.content_id(read.day, block.fact.content)
        if id_ in gone.ids:
            return ("derived" if id_ in gone.derived
                    else "paraphrase" if id_ in gone.paraphrases else "fact")  # fmt: skip
    if any(id_ in gone.ids for id_ in erasing.linked(piece.text)):
        return "evidence" if read.path == pages.OPINIONS else "derived"
    return "within" if _has_more(piece, gone) else "text"


def _has_more(piece: Piece, gone: Target) -> bool:
    """Say whether a piece says something else, too: the person should see that it goes."""
    said = forgotten.words(_said(piece.text))
    covered = {n for start, end in gone.spans(said) for n in range(start, end)}
    return bool(covered) and len(said) - len(covered) >= _LEAST_STATED


_MARK = re.compile(
    r"[ \t]?(?:[,;—–-][ \t]?)?superseded by[ \t]+\[\[[^\[\]\n]+\]\](?:[ \t]+\"[^\r\n]*\")?", re.I
)
_DAY_LINK = re.compile(
    r"\[\[(?:[^\[\]\n|#]*/)?([0-9]{4}-[0-9]{2}-[0-9]{2})(?:\.md)?(?:\|[^\[\]\n]*)?\]\]"
)


def _unmarked(piece: Piece, gone: Target) -> str | None:
    """Return a line without its mark, where only what superseded it goes."""
    mark = _MARK.search(piece.text)
    if mark is None:
        return None
    rest = _outside(piece.text, mark)
    if gone.spans(forgotten.words(rest)) or set(erasing.linked(rest)) & gone.ids:
        return None
    if _tells(rest, gone) or gone.forgets_text(erasing.statement(rest)):
        return None
    is_new = set(erasing.linked(mark[0])) & gone.ids or gone.spans(forgotten.words(mark[0]))
    return rest.replace("~~", "") if is_new else None


def _outside(text: str, mark: re.Match[str]) -> str:
    return text[: mark.start()] + text[mark.end() :]


def _with_opinions(
    document: markdown.Markdown,
    gone: Target,
    by_line: Mapping[int, Piece],
    found: dict[int, _Gone],
) -> None:
    """Add opinions that nothing carries any more, and the confidence of the others."""
    matched = {each.piece.line for each in found.values()}
    for opinion in pages.opinions(document):
        left = [each for each in opinion.evidence if each.block not in gone.ids]
        fewer = len(left) < len(opinion.evidence)
        if _opinion_goes(opinion, left, gone, matched):
            for line in opinion.lines:
                if piece := by_line.get(line):
                    found[piece.start] = _Gone(piece, "opinion")
        elif fewer and (change := _with_confidence(opinion, left, document, by_line)):
            found[change.piece.start] = change


def _opinion_goes(
    opinion: pages.Opinion,
    left: Sequence[pages.Evidence],
    gone: Target,
    matched: Collection[int],
) -> bool:
    if opinion.id in gone.ids or opinion.lines[0] in matched:
        return True
    founding = next(iter(opinion.evidence), None)
    return founding is not None and (founding.block in gone.ids or not left)


_CONFIDENCE = re.compile(r"([-*+][ \t]+c:[ \t]*)([0-9.]+)")


def _with_confidence(
    opinion: pages.Opinion,
    left: Sequence[pages.Evidence],
    document: markdown.Markdown,
    by_line: Mapping[int, Piece],
) -> _Gone | None:
    """Return the line of the confidence with what is left; None if a person set it."""
    if opinion.prior is None or opinion.confidence is None:
        return None
    before = belief.confidence(opinion.prior, (each.weight for each in opinion.evidence))
    after = belief.confidence(opinion.prior, (each.weight for each in left))
    if abs(before - opinion.confidence) > _TOLERANCE or before == after:
        return None
    for line in opinion.lines:
        piece = by_line.get(line)
        if piece and _CONFIDENCE.match(document.lines[line - 1].lstrip()):
            changed = _CONFIDENCE.sub(rf"\g<1>{after:.2f}", piece.text, count=1)
            return _Gone(piece, "evidence", changed)
    return None


def _with_sections(
    document: markdown.Markdown, by_line: Mapping[int, Piece], found: dict[int, _Gone]
) -> None:
    """Let the whole of a proposal go of which a part does."""
    matched = {each.piece.line for each in found.values()}
    for section in document.sections:
        lines = range(section.start, section.end + 1)
        is_one = section.path and section.path[-1].level > 1 and section.path[-1].start == lines[0]
        if is_one and not matched.isdisjoint(lines):
            for line in lines:
                if piece := by_line.get(line):
                    found[piece.start] = _Gone(piece, "proposal")


_KEY = re.compile(r"[^\s#-][^:]*:")
_OPENED = re.compile(rf"{_KEY.pattern}\s*[\[{{\"']")
"""A field whose value ends at a bracket or quote, maybe on a later line."""


def _with_fields(
    document: markdown.Markdown, by_line: Mapping[int, Piece], found: dict[int, _Gone]
) -> None:
    """Let the whole of a field of the front matter go whose rest could not be read."""
    gone = {each.piece.line: each for each in found.values()}
    for lines in _fields(document):
        hit = [line for line in lines if line in gone]
        is_whole = lines[0] in hit or _OPENED.match(document.lines[lines[0] - 1])
        for line in lines if hit and is_whole else ():
            if piece := by_line.get(line):
                found.setdefault(piece.start, _Gone(piece, gone[hit[0]].why))


def _fields(document: markdown.Markdown) -> list[list[int]]:
    """Return the lines of each field of the front matter, without comments."""
    fields: list[list[int]] = []
    for line in range(2, document.front_matter):
        text = document.lines[line - 1]
        if _KEY.match(text):
            fields.append([line])
        elif fields and not text.startswith("#"):
            fields[-1].append(line)
    return fields


def _listed(pieces: Sequence[_Gone]) -> tuple[Place, ...]:
    return tuple(
        Place(
            each.piece.line,
            each.piece.line_end,
            each.piece.text.strip("\r\n"),
            each.why,
            "remove" if each.to is None else "change",
        )
        for each in pieces
    )


# -- the document without them ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Edit:
    read: Read
    document: markdown.Markdown
    pieces: Sequence[_Gone]
    ours: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        found = pages.regions(self.document)
        object.__setattr__(self, "ours", tuple(each.name for each in found if not each.edited))

    def outcome(self) -> Outcome:
        after = self._with_hashes(self._text())
        places = _listed(self.pieces)
        if not pages.is_entity_page(self.read.path):
            return Outcome(self.read.path, self.read.etag, after, places)
        is_nameless = self._loses_name()
        if _is_bare(after) or (is_nameless and self._is_ours(after)):
            return Outcome(self.read.path, self.read.etag, None, places)
        return Outcome(self.read.path, self.read.etag, after, places, nameless=is_nameless)

    def _loses_name(self) -> bool:
        head = [e.piece for e in self.pieces if e.piece.line <= self.document.front_matter]
        return any(_ENTITY.match(piece.text) for piece in head)

    def _is_ours(self, text: str) -> bool:
        """Say whether nobody but hippod wrote what is left of a page."""
        if any(region.edited for region in pages.regions(self.document)):
            return False
        try:
            if front_matter.lines_besides(text, _OUR_KEYS):
                return False
        except InvalidInput:
            return False
        document = markdown.parse(text)
        return not _says_anything(document, _own_lines(document))

    def _text(self) -> str:
        text = self.read.text
        for each in sorted(self.pieces, key=lambda gone: -gone.piece.start):
            if each.to is not None:
                text = text[: each.piece.start] + each.to + text[each.piece.end :]
        shift = _Shift(self.pieces)
        return erasing.without(text, [shift.moved(e.piece) for e in self.pieces if e.to is None])

    def _with_hashes(self, text: str) -> str:
        """Put the hash of what is left into the markers of regions that nobody edited."""
        for region in pages.regions(markdown.parse(text)):
            if region.name in self.ours and region.edited:
                lines = markdown.split_lines(text)[region.start - 1 : region.end]
                marker = f"hippod:{region.name} sha256:"
                text = re.sub(
                    rf"({re.escape(marker)})[0-9a-f]{{64}}",
                    rf"\g<1>{pages.digest(lines)}", text, count=1,
                )  # fmt: skip
        return text


class _Shift:
    """Moves pieces by what changed in front of them."""

    def __init__(self, pieces: Sequence[_Gone]) -> None:
        self._grown = [
            (each.piece.start, len(each.to) - (each.piece.end - each.piece.start))
            for each in pieces
            if each.to is not None
        ]

    def moved(self, piece: Piece) -> Piece:
        by = sum(grown for start, grown in self._grown if start < piece.start)
        return Piece(
            piece.start + by, piece.end + by, piece.line, piece.line_end, piece.text, piece.whole
        )


_ENTITY = re.compile(r"\ufeff?[\"']?entity[\"']?[ \t]*:")
_MARKER = re.compile(r"[ \t]*<!-- /?hippod:")
_OUR_KEYS = ("entity", "aliases", "not", "updated")
_OUR_FIELD = re.compile(r"\ufeff?(?:---|(?:entity|updated):.*|aliases:[ \t]*(?:\[\])?|)\s*")


def _is_bare(text: str) -> bool:
    """Say whether a page says nothing: our front matter, headings and empty regions alone."""
    document = markdown.parse(text)
    front = (document.visible(n) for n in range(1, document.front_matter + 1))
    if not all(map(_OUR_FIELD.fullmatch, front)):
        return False
    return not _says_anything(document)


def _says_anything(document: markdown.Markdown, besides: Collection[int] = ()) -> bool:
    """Say whether more than headings and markers stands below the front matter."""
    heads = {h.start for section in document.sections for h in section.path[-1:]}
    return any(
        line.strip() and not _MARKER.match(line)
        for number, line in enumerate(document.lines, 1)
        if number > document.front_matter and number not in heads and number not in besides
    )
