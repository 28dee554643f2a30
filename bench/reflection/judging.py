"""How well the rules and a model judge the labelled pairs."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import get_args

from bench.reflection.sets import FactPair, OpinionPair, Stance
from hippod import facts
from hippod.facts import Fact
from hippod.reflection.known import KnownFact, known
from hippod.reflection.verdicts import Judge

STANCES: tuple[Stance, ...] = get_args(Stance)
_SIDES = frozenset({"supports", "contradicts"})
_OLD_DAY, _NEW_DAY = date(2026, 1, 10), date(2026, 3, 10)


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge said of each pair, and its seconds for all of them."""

    verdicts: tuple[tuple[OpinionPair, Stance], ...]
    seconds: float

    @property
    def confusion(self) -> Counter[tuple[Stance, Stance]]:
        """How often each label got each verdict."""
        return Counter((pair.stance, said) for pair, said in self.verdicts)

    @property
    def accuracy(self) -> float:
        """The share of verdicts that are the label."""
        return _share(sum(pair.stance == said for pair, said in self.verdicts), len(self.verdicts))

    @property
    def moves(self) -> int:
        """How many verdicts would move a confidence."""
        return sum(said in _SIDES for _, said in self.verdicts)

    @property
    def flips(self) -> int:
        """How many verdicts would move it the wrong way: for is against, or against is for."""
        return sum({pair.stance, said} == _SIDES for pair, said in self.verdicts)

    @property
    def moved_rightly(self) -> float:
        """Of the verdicts that would move a confidence, the share that are the label."""
        right = sum(said in _SIDES and said == pair.stance for pair, said in self.verdicts)
        return _share(right, self.moves)

    def of(self, wanted: Callable[[OpinionPair], bool]) -> "Judged":
        """Return the verdicts on some of the pairs."""
        return Judged(tuple(each for each in self.verdicts if wanted(each[0])), self.seconds)


@dataclass(frozen=True, slots=True)
class Found:
    """Which pairs of facts were found to replace each other."""

    marked: tuple[tuple[FactPair, bool], ...]

    @property
    def precision(self) -> float:
        """Of what was marked, the share that is replaced."""
        return _share(sum(p.replaces and said for p, said in self.marked),
                      sum(said for _, said in self.marked))  # fmt: skip

    @property
    def recall(self) -> float:
        """Of what is replaced, the share that was marked."""
        return _share(sum(p.replaces and said for p, said in self.marked),
                      sum(p.replaces for p, _ in self.marked))  # fmt: skip

    def of(self, wanted: Callable[[FactPair], bool]) -> "Found":
        """Return what was found of some of the pairs."""
        return Found(tuple(each for each in self.marked if wanted(each[0])))


def judge_all(pairs: Sequence[OpinionPair], judge: Judge) -> Judged:
    """Have all pairs judged."""
    began = time.perf_counter()
    verdicts = tuple((pair, judge(pair.statement, pair.text).stance) for pair in pairs)
    return Judged(verdicts, time.perf_counter() - began)


def find_all(
    pairs: Sequence[FactPair], find: Callable[[Sequence[KnownFact]], dict[str, str]]
) -> Found:
    """Look at each pair of facts by itself: two months lie between them."""
    return Found(tuple((pair, _replaces(pair, find)) for pair in pairs))


def _replaces(pair: FactPair, find: Callable[[Sequence[KnownFact]], dict[str, str]]) -> bool:
    older, newer = _known(_OLD_DAY, pair.older), _known(_NEW_DAY, pair.newer)
    return find([older, newer]).get(older.id) == newer.id


def _known(day: date, content: str) -> KnownFact:
    id_ = facts.content_id(day, content)
    return known(day, Fact("W", content, ("Rosa",), id=id_), f"memory/{day}.md", 3, 3)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
