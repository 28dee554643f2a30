"""What a bank made of a year, held against the year's truth.

Pages are read from outside: by their links, each of which leads to a fact whose truth is known.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from bench.reflection import check
from bench.reflection.subjects import Way
from bench.reflection.year import Told, Year
from hippod import facts
from hippod.facts import Fact
from hippod.reflection import summary
from hippod.reflection.entities import Entities
from hippod.reflection.known import KnownFact

_LINK = re.compile(r"\[\[(\d{4}-\d\d-\d\d)(?:#\^([0-9a-z]+))?\]\](?: \"(.*)\")?")
_MARK = re.compile(
    r"((?:\[\[[^\]]*\]\],?\s*)+)superseded by \[\[(\d{4}-\d\d-\d\d)(?:#\^(\w+))?\]\](?: \"(.*)\")?"
)
_REGION = re.compile(r"<!-- hippod:(\w+)[^>]*-->\n(.*?)<!-- /hippod:\1 -->", re.S)
_OWNER = re.compile(r"^entity: *['\"]?(.*?)['\"]?$", re.M)
_SUMMARY = re.compile(r"^(?:- S @\S+: )(.*) \(reflect/\S+\) \^\w+$", re.M)


@dataclass(frozen=True, slots=True)
class Bank:
    """The text of each page of the bank, by its path in the workspace."""

    pages: Mapping[str, str]

    @classmethod
    def read(cls, root: Path) -> "Bank":
        """Read the pages that stand in a workspace."""
        found = sorted((root / "bank").rglob("*.md"))
        return cls({
            str(path.relative_to(root)): path.read_text(encoding="utf-8") for path in found
        })  # fmt: skip

    @property
    def size(self) -> int:
        """How many bytes the pages have."""
        return sum(len(text.encode()) for text in self.pages.values())

    def entities(self) -> dict[str, str]:
        """Return the texts of the entity pages, by path."""
        return {path: text for path, text in self.pages.items() if "/entities/" in path}

    def owners(self) -> dict[str, str]:
        """Return whom each entity page is about, by path."""
        found = ((path, _OWNER.search(text)) for path, text in self.entities().items())
        return {path: match[1] for path, match in found if match}


# -- support ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Support:
    """How many sentences pages have, what is wrong with some, links to nothing, lines twice."""

    sentences: int
    wrong: tuple[check.Wrong, ...]
    broken: tuple[str, ...]
    doubled: tuple[str, ...]

    @property
    def unsupported(self) -> int:
        """How many sentences have a fault."""
        return len({(each.sentence.path, each.sentence.line) for each in self.wrong})


def support(bank: Bank, told: Iterable[Told]) -> Support:
    """Check every sentence and link of the bank against the facts told so far."""
    places: dict[tuple[date, str], list[Fact]] = defaultdict(list)
    for each in told:
        places[each.day, each.fact.id or ""].append(each.fact)
    known = dict(places)
    said = [one for path, text in bank.pages.items() for one in check.sentences(path, text)]
    return Support(
        len(said),
        tuple(check.wrong(said, known, bank.owners())),
        tuple(one for path, text in bank.pages.items() for one in check.broken(path, text, known)),
        tuple(_doubled(bank)),
    )


def derived(logs: Path, told: Iterable[Told]) -> Support:
    """Check the summaries of days, which stand in the daily logs, in the same way."""
    lines = {
        path.name: [match[1] for match in _SUMMARY.finditer(path.read_text(encoding="utf-8"))]
        for path in sorted(logs.glob("*.md"))
    }
    return support(Bank({name: "\n".join(texts) for name, texts in lines.items()}), told)


def refused(bank: Bank, known: Iterable[KnownFact]) -> list[str]:
    """Return the sentences of summaries that hippod's own check does not let pass."""
    places: dict[tuple[date, str], list[KnownFact]] = defaultdict(list)
    for fact in known:
        places[fact.day, fact.id if fact.has_block else ""].append(fact)
    return [
        f"{path}: {sentence.text}"
        for path, text in bank.entities().items()
        for name, lines in _REGION.findall(text) if name == "summary"
        for number, line in enumerate(lines.splitlines())
        for sentence in check.parts(path, number, line)
        if not _passes(sentence, places)
    ]  # fmt: skip


def _passes(sentence: check.Sentence, places: Mapping[tuple[date, str], list[KnownFact]]) -> bool:
    """Say whether it passes with the facts that it links to; of those without id any may do."""
    linked = [places.get(link, []) for link in sentence.links]
    certain = [each[0] for each in linked if len(each) == 1]
    doubtful = [fact for each in linked if len(each) > 1 for fact in each]
    tries = [(*certain, fact) for fact in doubtful] or [tuple(certain)]
    return any(summary.check(summary.Sentence(sentence.text, each)) for each in tries)


def _doubled(bank: Bank) -> Iterator[str]:
    """Yield the lines of a region that say word by word, of the same day, what another one says.

    Summaries have no days: there each line may stand once.
    """
    for path, text in bank.pages.items():
        for name, lines in _REGION.findall(text):
            said = Counter(filter(None, map(_bare, lines.splitlines())))
            yield from (f"{path} {name}: {line}" for line, times in said.items() if times > 1)


def _bare(line: str) -> str:
    without = re.sub(r"\[\[[^\]]*\]\],?|superseded by|~~|^- ", "", line)
    return "" if line.startswith("#") else " ".join(without.split()).casefold()


# -- who is who ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Merges:
    """Entities that mix subjects, by their names; by way of writing a name, seen and missed."""

    wrong: tuple[tuple[str, ...], ...]
    seen: Counter[Way]
    missed: Counter[Way]
    examples: tuple[tuple[str, str], ...]
    proposed: int
    """Missed merges that are shown to people as candidates."""
    strays: tuple[str, ...]
    """Facts that stand on the page of somebody whom they are not about."""


def merges(year: Year, told: Sequence[Told], entities: Entities, bank: Bank) -> Merges:
    """Compare who hippod takes for whom with who is who."""
    written = {name for each in told for name in each.fact.entities}
    mixed: dict[str, set[str]] = defaultdict(set)
    seen: Counter[Way] = Counter()
    missed: Counter[Way] = Counter()
    examples = []
    for subject in year.subjects:
        usual = entities.named(subject.name)
        for form in subject.forms:
            found = entities.named(form.text)
            if form.text not in written or usual is None or form.way == "usual":
                continue
            seen[form.way] += 1
            if found is None or found.key != usual.key:
                missed[form.way] += 1
                examples.append((subject.name, form.text))
            if found is not None:
                mixed[found.key].add(subject.name)
        if usual is not None:
            mixed[usual.key].add(subject.name)
        for trap in subject.traps:
            taken = entities.named(trap) if trap in written else None
            if taken is not None and taken.key in mixed:
                mixed[taken.key].add(trap)
    wrong = tuple(tuple(sorted(names)) for names in mixed.values() if len(names) > 1)
    proposed = {frozenset(map(_plain, each.names)) for each in entities.candidates}
    return Merges(
        wrong, seen, missed, tuple(examples),
        sum(frozenset(map(_plain, pair)) in proposed for pair in examples),
        tuple(_strays(year, told, bank)),
    )  # fmt: skip


def _strays(year: Year, told: Sequence[Told], bank: Bank) -> Iterator[str]:
    subjects = _subjects(year)
    ids = {each.fact.id: each for each in told if each.fact.id}
    owners = bank.owners()
    for path, text in bank.entities().items():
        owner = subjects.get(_plain(owners.get(path, "")))
        if owner is None:
            continue
        for _, block, _ in _LINK.findall("\n".join(part for _, part in _regions(text))):
            fact = ids.get(block)
            if fact and owner not in (fact.about, *fact.also):
                yield f"{path}: {fact.fact.content} ({fact.about or fact.fact.entities[0]})"


def _subjects(year: Year) -> dict[str, str]:
    """Return whom each name that is nobody else's means."""
    return {_plain(form.text): one.name for one in year.subjects for form in one.forms}


def _plain(name: str) -> str:
    return name.strip().lstrip("@").replace("-", " ").replace("_", " ").casefold()


def _regions(text: str) -> list[tuple[str, str]]:
    """Return names and lines of the regions, without the links behind a mark of supersession."""
    return [
        (name, re.sub(r"superseded by \[\[[^\]]*\]\]", "", lines))
        for name, lines in _REGION.findall(text)
    ]


# -- how things are --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class State:
    """Of what holds on a day: how much the summaries say, how much they say that no longer does."""

    day: date
    holding: int
    stated: int
    outdated: tuple[str, ...]
    torn: int
    """How many of the outdated stand on a page that never got the newer fact: a missed merge."""

    @property
    def accuracy(self) -> float:
        """Of the values that the summaries tell, the share that holds."""
        return _share(self.stated, self.stated + len(self.outdated))


def state(year: Year, bank: Bank, day: date) -> State:
    """Compare the summaries of entity pages with what holds at the end of a day."""
    current = year.current(day)
    ids = {each.fact.id: each for each in year.told if each.fact.id and each.sort == "state"}
    stated: set[tuple[str, str]] = set()
    outdated: dict[tuple[str, str, str], str] = {}
    torn = set()
    for path, text in bank.entities().items():
        for name, lines in _regions(text):
            for _, block, _ in _LINK.findall(lines) if name == "summary" else ():
                fact = ids.get(block)
                if fact is None:
                    continue
                key = (fact.about, fact.attribute)
                if current[key].value == fact.value:
                    stated.add(key)
                    continue
                outdated[*key, fact.value] = (
                    f"{path}: {fact.fact.content} -> {current[key].fact.content}"
                )
                if f"^{current[key].id}" not in text:
                    torn.add((*key, fact.value))
    return State(day, len(current), len(stated), tuple(outdated.values()), len(torn))


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks of supersession: right ones, wrong ones as texts, outdated facts without one."""

    right: int
    wrong: tuple[str, ...]
    missed: tuple[str, ...]

    @property
    def precision(self) -> float:
        return _share(self.right, self.right + len(self.wrong))

    @property
    def recall(self) -> float:
        return _share(self.right, self.right + len(self.missed))


def marks(year: Year, told: Sequence[Told], bank: Bank) -> Marks:
    """Compare the marks on all pages with what was replaced; facts without id cannot bear one."""
    ids = {each.id: each for each in told}
    found: dict[str, str] = {}
    for text in bank.pages.values():
        for links, day, block, quote in _MARK.findall(text):
            new = block or facts.content_id(date.fromisoformat(day), quote)
            found |= {old: new for _, old, _ in _LINK.findall(links) if old}
    with_id = {each.fact.id for each in told if each.fact.id}
    outdated = Year(year.subjects, tuple(told), year.beliefs).outdated() & with_id
    right, wrong = set(), []
    for old, new in found.items():
        if old in outdated and new in ids and _replaces(ids[old], ids[new]):
            right.add(old)
        else:
            texts = [ids[each].fact.content if each in ids else each for each in (old, new)]
            wrong.append(" -> ".join(texts))
    missed = [ids[each].fact.content for each in outdated - right - set(found)]
    return Marks(len(right), tuple(wrong), tuple(missed))


def _replaces(old: Told, new: Told) -> bool:
    same = (old.about, old.attribute) == (new.about, new.attribute)
    return same and old.value != new.value and old.day <= new.day


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
