"""The text of `bank/opinions.md`: opinions as they are held, and their lines put back into it.

Only lines of the ledger are touched, one by one; all else stays byte for byte.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal, TypeVar

from hippod import facts, markdown, pages
from hippod.markdown import Markdown
from hippod.reflection import belief
from hippod.reflection.belief import Weight
from hippod.reflection.known import KnownFact
from hippod.reflection.lines import Changes, Lines, line_end, raw_lines

ItemName = Literal["supports", "contradicts", "pending", "related"]
_EVIDENCE = ("supports", "contradicts")
_NO_PRIOR = "lacks its prior"
_Cited = TypeVar("_Cited", "Item", pages.Evidence)


@dataclass(frozen=True, slots=True)
class Item:
    """A bullet that cites a fact: `cited` is the link, with the quote of a person's fact.

    `block` is the id of the fact. `lines` are where it stands; None: nowhere yet.
    """

    name: ItemName
    block: str
    cited: str
    weight: float
    day: date | None
    lines: Lines | None = None
    quote: str = ""

    @property
    def text(self) -> str:
        """The bullet as hippod writes it."""
        weight = f"{self.weight:+.2f}" if self.weight else "0"
        return f"- {self.name}: {self.cited} {weight}"


@dataclass(slots=True)
class Held:
    """An opinion while facts are weighed; `items` in the order of their lines.

    `read` is its section as it was, None of a new one. One with a `problem`, or without an id
    because a person wrote it, is not changed.
    """

    id: str
    statement: str
    entities: tuple[str, ...]
    prior: float
    confidence: float
    items: list[Item]
    read: pages.Opinion | None = None
    problem: str = ""
    touched: bool = False
    is_waited_for: bool = False
    """Whether a fact is kept from it by its problem."""
    disputed: bool = False
    """Marked as contested although its evidence is not divided: what is undecided on it founded
    an opinion beside it."""

    @property
    def is_ours(self) -> bool:
        """Whether its lines may be changed."""
        return bool(self.id) and not self.problem

    @property
    def complaint(self) -> str:
        """The problem if a person is to hear of it: without a prior a section may well stand."""
        is_bare = self.problem.endswith(_NO_PRIOR) and not self.is_waited_for
        return "" if is_bare else self.problem

    def counted(self) -> list[Item]:
        """Return what counts, in the order of its lines; a fact counts once."""
        return _once([item for item in self.items if item.name in _EVIDENCE])

    def waiting(self) -> list[Item]:
        """Return what waits to count."""
        return [item for item in self.items if item.name == "pending"]

    def related(self) -> list[Item]:
        """Return what says something of it, for neither side, the oldest line first."""
        return [item for item in self.items if item.name == "related"]

    def add(self, item: Item) -> None:
        """Put an item where it belongs: evidence by its day, behind it what waits, the rest."""
        self.items.insert(self._place(item), item)
        self.touched = True

    def requote(self, old: Item, fact: KnownFact) -> None:
        """Let an item cite `fact`, as which a person has edited the one that it quotes."""
        place = self.items.index(old)
        new = item(old.name, fact, old.weight)
        self.items[place] = replace(new, lines=old.lines)
        self.touched = True

    def dispute(self) -> None:
        """Mark it as contested while it is held and what is undecided on it is recent."""
        self.disputed = self.touched = self.is_ours

    def release(self, items: Iterable[Item]) -> None:
        """Let what waited count."""
        for item in items:
            self.items.remove(item)
            name: ItemName = "supports" if item.weight > 0 else "contradicts"
            self.add(replace(item, name=name, lines=None))

    def settle(self) -> None:
        """Compute the confidence anew."""
        weights = (item.weight for item in self.counted())
        self.confidence = belief.confidence(self.prior, weights)

    @property
    def is_contested(self) -> bool:
        """Whether recent evidence speaks for both sides, or it is disputed lately."""
        return self.is_divided or (self.disputed and self.confidence >= 0.5 and self._is_open)

    @property
    def is_divided(self) -> bool:
        """Whether recent evidence speaks for both sides."""
        said = [*self.counted(), *self.waiting()]
        said.sort(key=lambda item: item.day or date.min)
        return belief.is_contested(self.confidence, weights_of(said))

    @property
    def _is_open(self) -> bool:
        """Whether something undecided was said of it not long before the newest evidence."""
        undecided = max((item.day for item in self.related() if item.day), default=None)
        decided = max((item.day for item in self.counted() if item.day), default=date.min)
        return undecided is not None and decided - undecided <= belief.LATELY

    def _place(self, item: Item) -> int:
        if item.name in _EVIDENCE:
            day = item.day or date.max
            before = [n for n, each in enumerate(self.items, 1)
                      if each.name in _EVIDENCE and (each.day or date.min) <= day]  # fmt: skip
            return max(before, default=0)
        if item.name == "related":
            return len(self.items)
        before = [n for n, each in enumerate(self.items, 1) if each.name != "related"]
        return max(before, default=0)


def weights_of(items: Iterable[Item]) -> list[Weight]:
    """Return what items weigh and when."""
    return [Weight(item.weight, item.day) for item in items]


def item(name: ItemName, fact: KnownFact, weight: float) -> Item:
    """Return the item that cites `fact`; one that a person wrote is quoted."""
    if fact.has_block:
        return Item(name, fact.id, fact.link, weight, fact.day)
    quote = fact.fact.content
    return Item(name, fact.id, f'{fact.link} "{quote}"', weight, fact.day, quote=quote)


def held(document: Markdown) -> list[Held]:
    """Return the opinions of the ledger, in order."""
    found = pages.opinions(document)
    ids = Counter(opinion.id for opinion in found)
    return [_held(each, is_doubled=ids[each.id] > 1) for each in found]


def computed(opinion: pages.Opinion) -> float | None:
    """Return the confidence that prior and written weights give; None without a prior."""
    if opinion.prior is None:
        return None
    weights = (each.weight for each in _once(opinion.evidence))
    return belief.confidence(opinion.prior, weights)


def is_edited(opinion: pages.Opinion) -> bool:
    """Say whether the written confidence is not what its evidence gives."""
    now = computed(opinion)
    if now is None or opinion.confidence is None:
        return False
    return abs(opinion.confidence - now) > belief.TOLERANCE


def items(opinion: pages.Opinion) -> list[Item]:
    """Return what an opinion cites, in the order of its lines."""
    pieces = [*opinion.evidence, *opinion.pending, *opinion.related]
    pieces.sort(key=lambda each: each.line)
    return [_item(each, waits=each in opinion.pending) for each in pieces]


def _item(each: pages.Evidence, *, waits: bool) -> Item:
    quote = f' "{each.quote}"' if each.quote else ""
    name: ItemName = "pending" if waits else each.stance
    lines = each.line, each.line_end
    return Item(name, each.block, f"{each.target}{quote}", each.weight, each.day, lines, each.quote)


def _held(opinion: pages.Opinion, *, is_doubled: bool) -> Held:
    held = Held(
        id=opinion.id or "",
        statement=opinion.statement,
        entities=opinion.entities or facts.mentions(opinion.statement),
        prior=0.5 if opinion.prior is None else opinion.prior,
        confidence=0.5 if opinion.confidence is None else opinion.confidence,
        items=items(opinion),
        read=opinion,
        problem=_problem(opinion, is_doubled=is_doubled) if opinion.id else "",
    )
    held.disputed = opinion.contested and not held.is_divided
    return held


def _once(cited: Iterable[_Cited]) -> list[_Cited]:
    """Return each fact's first line: two opinions that a person joined may share some."""
    first: dict[str, _Cited] = {}
    for each in cited:
        first.setdefault(each.block, each)
    return list(first.values())


def _problem(opinion: pages.Opinion, *, is_doubled: bool) -> str:
    place = f"{pages.OPINIONS}#L{opinion.lines[0]}: ^{opinion.id}"
    if is_doubled:
        return f"{place} stands there twice"
    if opinion.prior is None:
        return f"{place} {_NO_PRIOR}"
    if opinion.confidence is None:
        return f"{place} lacks its c"
    if is_edited(opinion):
        return f"{place}: its c is not the {computed(opinion):.2f} that its evidence gives"
    return ""


# -- writing ---------------------------------------------------------------------------------


def takes_sections(text: str, document: Markdown) -> bool:
    """Say whether a section at the end of the page is read as one.

    It is not inside a code block or comment that nobody closed; that begins in the last section,
    so nothing above that needs to be parsed again.
    """
    start = document.sections[-1].start if document.sections else 1
    probe = with_sections("".join(raw_lines(text)[start - 1 :]), [["## Probe", "- id: 0000"]])
    found = pages.opinions(markdown.parse(probe))
    return any(opinion.statement == "Probe" for opinion in found)


def rewritten(text: str | None, opinions: Sequence[Held], today: date) -> str:
    """Return the text with the touched opinions as they are now; new ones go to the end."""
    changes = Changes(text or "")
    for each in opinions:
        if each.touched and each.read:
            _change(changes, each, each.read, today)
    new = [section(each, today) for each in opinions if each.read is None]
    return with_sections(changes.text() if text else "# Opinions\n", new)


def _change(changes: Changes, opinion: Held, read: pages.Opinion, today: date) -> None:
    places = {name: (start, end) for name, start, end in read.fields}
    if read.confidence != opinion.confidence:
        changes.put(places["c"], f"{opinion.confidence:.2f}")
    if "updated" in places:
        changes.put(places["updated"], today.isoformat())
    if read.contested and not opinion.is_contested:
        changes.drop(places["contested"])
    elif opinion.is_contested and "contested" not in places:
        changes.behind(places.get("updated", places["c"])[1], _CONTESTED)
    _change_items(changes, opinion, read)


_CONTESTED = "- contested: true"


def _change_items(changes: Changes, opinion: Held, read: pages.Opinion) -> None:
    standing = {item.lines: item for item in opinion.items}
    for each in items(read):
        now = standing.get(each.lines)
        if each.lines and now is None:
            changes.drop(each.lines)
        elif each.lines and now and now.cited != each.cited:
            changes.put(each.lines, now.text.partition(": ")[2], whole=True)
    ends = [end for _, _, end in read.fields]
    first = min((each.lines[0] for each in items(read) if each.lines), default=None)
    last = max([read.lines[0], *(end for end in ends if first is None or end < first)])
    for item in opinion.items:
        if item.lines:
            last = item.lines[1]
        else:
            changes.behind(last, item.text)


def section(opinion: Held, today: date) -> list[str]:
    """Return the lines of a new section."""
    names = " ".join(f"@{name}" for name in opinion.entities)
    fields = [
        f"- id: {opinion.id}",
        f"- prior: {opinion.prior:.4f}",
        f"- c: {opinion.confidence:.2f}",
        f"- entities: {names}" if names else "",
        f"- updated: {today.isoformat()}",
        _CONTESTED if opinion.is_contested else "",
    ]
    items = (item.text for item in opinion.items)
    return [f"## {opinion.statement}", *filter(None, fields), *items]


def with_sections(text: str, sections: Iterable[Sequence[str]]) -> str:
    """Return a ledger with sections, each given by its lines, at its end."""
    end = line_end(text)
    for section in sections:
        text += "" if text.endswith(("\n", "\r")) else end
        text += "" if text.endswith(end * 2) else end
        text += "".join(f"{line}{end}" for line in section)
    return text
