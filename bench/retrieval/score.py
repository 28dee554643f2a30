"""What one answer is worth, at three levels, and the means of many.

All levels judge the same hits, the first 20 in their order; `recall@k` looks at the first k
results of the level, `mrr` is one over the place of the first result that answers (0 without
one), `ndcg@10` discounts each result that answers by the logarithm of its place.

chunk    A result is a hit, and answers if an evidence turn is in its lines. recall@k: the share
         of the evidence turns that are in the first k hits.
turn     A result is a turn: each hit is cut into the turns of its lines, in their order, without
         those that a hit before it showed. A hit thus uses up as many places as it has turns to
         read. recall@k: the share of the evidence turns among the first k turns that one reads.
session  A result is a hit, and answers if it is from the file of an evidence turn. recall@k: 1 if
         any of the first k does, else 0. For nDCG a file counts where it comes first.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.retrieval.locomo import Place
from hippod.wire import Hit

LEVELS = ("chunk", "turn", "session")
DEPTHS = (5, 10, 20)
DEPTH = max(DEPTHS)
_NDCG = 10

Scores = dict[str, float]
"""Of each measure, by its name, 0..1."""


@dataclass(frozen=True)
class Found:
    """The first 20 hits as path, first and last line, and which lines of each path are turns."""

    hits: tuple[tuple[str, int, int], ...]
    turns: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, hits: Sequence[Hit], turns: Mapping[str, Sequence[int]]) -> "Found":
        """Take what is judged from an answer."""
        return cls(tuple((hit.path, hit.line_start, hit.line_end) for hit in hits[:DEPTH]), turns)


def judge(found: Found, evidence: Sequence[Place]) -> dict[str, Scores]:
    """Return the scores of one answer at each level; `evidence` is not empty."""
    wanted = frozenset(evidence)
    chunks = [_within(hit, wanted) for hit in found.hits]
    turns = [wanted & {turn} for turn in _read(found)]
    files = frozenset(path for path, _ in wanted)
    sessions = [files & {path} for path, _, _ in found.hits]
    return {
        "chunk": _scores(chunks, len(wanted)),
        "turn": _scores(turns, len(wanted)),
        "session": _of_sessions(sessions, len(files)),
    }


def mean(rows: Sequence[Scores]) -> Scores:
    """Return the mean of each measure, and how many questions there were."""
    means = {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}
    return {**means, "questions": len(rows)}


def _within(hit: tuple[str, int, int], wanted: frozenset[Place]) -> frozenset[Place]:
    path, first, last = hit
    return frozenset(place for place in wanted if place[0] == path and first <= place[1] <= last)


def _read(found: Found) -> Iterator[Place]:
    seen: set[Place] = set()
    for path, first, last in found.hits:
        for line in found.turns.get(path, ()):
            if first <= line <= last and (path, line) not in seen:
                seen.add((path, line))
                yield path, line


def _scores(results: Sequence[frozenset[Place]], wanted: int) -> Scores:
    recall = {k: len(frozenset().union(*results[:k])) / wanted for k in DEPTHS}
    places = [place for place, result in enumerate(results) if result]
    return _named(recall, places, wanted)


def _of_sessions(results: Sequence[frozenset[str]], wanted: int) -> Scores:
    recall = {k: float(any(results[:k])) for k in DEPTHS}
    firsts: dict[frozenset[str], int] = {}
    for place, result in enumerate(results):
        if result:
            firsts.setdefault(result, place)
    return _named(recall, list(firsts.values()), wanted)


def _named(recall: Mapping[int, float], places: Sequence[int], wanted: int) -> Scores:
    near = [place for place in places if place < _NDCG]
    # Overlapping chunks can show one turn twice: no answer may be better than the ideal one.
    best = range(min(_NDCG, max(wanted, len(near))))
    return {
        **{f"recall@{k}": recall[k] for k in DEPTHS},
        "mrr": 1 / (places[0] + 1) if places else 0.0,
        "ndcg@10": sum(map(_gain, near)) / sum(map(_gain, best)),
    }


def _gain(place: int) -> float:
    return 1 / math.log2(place + 2)
