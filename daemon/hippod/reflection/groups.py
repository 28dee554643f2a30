"""Facts that say the same, found among many without holding each against each."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from itertools import chain
from math import floor

from hippod import facts
from hippod.extraction import repetition, support
from hippod.language import content_stems, guess, is_spaceless
from hippod.questions import key
from hippod.reflection import restating
from hippod.reflection.known import KnownFact

_LEAST = 2
"""Stems of a fact that may be said by another; one word is too little to tell."""
_SAME_EVENT = timedelta(days=7)
"""How far apart two tellings of one event may lie: what happens again is another event."""
_MOST_TRIED = 20
"""Groups that a fact is held against, the newest ones."""


@dataclass(frozen=True, slots=True)
class Group:
    """Facts that say the same, newest first; `by` is the id of what superseded all of them."""

    facts: tuple[KnownFact, ...]
    by: str | None = None

    @property
    def newest(self) -> KnownFact:
        """The fact whose wording stands for all."""
        return self.facts[0]

    @property
    def day(self) -> date:
        """When it was said last."""
        return self.newest.day

    @property
    def days(self) -> int:
        """On how many days it was said."""
        return len({fact.day for fact in self.facts})


def grouped(known: Sequence[KnownFact], marks: Mapping[str, str]) -> tuple[Group, ...]:
    """Return all facts in groups, the group that was said last first.

    An older fact joins the newest one that says all of it about one of its entities: see
    `restating.says_again`. `marks` map a superseded fact to what superseded it; only facts
    superseded by the same one are together, and one that a person wrote is then alone.
    """
    newest_first = sorted(known, key=_order, reverse=True)
    rare = Counter(stem for fact in newest_first for stem in _look(fact.fact.content).stems)
    groups: list[list[KnownFact]] = []
    index: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for fact in newest_first:
        place = next(_saying(fact, groups, index, rare, marks), None)
        if place is not None:
            groups[place].append(fact)
            continue
        for handle in _handles(fact, _look(fact.fact.content).stems):
            index[handle].append(len(groups))
        groups.append([fact])
    return tuple(Group(tuple(each), marks.get(each[0].id)) for each in groups)


def _order(fact: KnownFact) -> tuple[str, str, int]:
    return fact.said, fact.path, fact.line


@dataclass(frozen=True, slots=True)
class _Looked:
    """A content taken apart; `said` are the stems of what is said, `stems` the speaker's too."""

    language: str
    said: frozenset[str]
    stems: frozenset[str]

    def could_be_in(self, other: "_Looked") -> bool:
        """Tell whether `other` has stems enough to say this: a quick look."""
        enough = repetition.OVERLAP * len(self.said)
        return is_spaceless(self.language) or len(self.said & other.stems) > enough


@lru_cache(maxsize=32_768)
def _look(content: str) -> _Looked:
    language = guess(content)
    text = support.without_dates(content)
    stems = frozenset(content_stems(text, language))
    quoted = support.quotation(text)
    said = stems if quoted is None else frozenset(content_stems(quoted, language))
    return _Looked(language, said, stems)


def _saying(
    fact: KnownFact,
    groups: Sequence[Sequence[KnownFact]],
    index: Mapping[tuple[str, str], Sequence[int]],
    rare: Counter[str],
    marks: Mapping[str, str],
) -> Iterator[int]:
    """Yield the groups that say what `fact` says, newest first."""
    looked = _look(fact.fact.content)
    if len(looked.said) < _LEAST or (fact.id in marks and not fact.has_block):
        return
    # What says it lacks at most so many of its stems, so two of two more are in it: the rarest.
    lacking = len(looked.said) - floor(len(looked.said) * repetition.OVERLAP) - 1
    telling = sorted(looked.said, key=lambda stem: (rare[stem], stem))[: lacking + 2]
    shared = Counter(chain.from_iterable(index.get(each, ()) for each in _handles(fact, telling)))
    near = (place for place, stems in shared.items() if stems > 1)
    alike = (n for n in near if looked.could_be_in(_look(groups[n][0].fact.content)))
    for place in sorted(alike)[:_MOST_TRIED]:
        newest = groups[place][0]
        may_join = _may_join(fact, newest, groups[place][-1], marks)
        if may_join and restating.says_again(fact.fact.content, newest.fact.content):
            yield place


def _handles(fact: KnownFact, stems: Sequence[str] | frozenset[str]) -> Iterator[tuple[str, str]]:
    names = {key(name) for name in fact.fact.entities} or {""}
    return ((name, stem) for name in names for stem in stems)


def _may_join(
    fact: KnownFact, newest: KnownFact, oldest: KnownFact, marks: Mapping[str, str]
) -> bool:
    if marks.get(fact.id) != marks.get(newest.id):
        return False
    if newest.id in marks and not newest.has_block:
        return False
    if (fact.fact.kind == "B") != (newest.fact.kind == "B"):
        return False
    if fact.fact.kind == "B" and oldest.day - fact.day > _SAME_EVENT:
        return False
    held = (facts.validity(each.fact.content, each.day) for each in (fact, newest))
    return next(held) == next(held)
