"""How candidates of the two legs become one order: fusion, file prior, duplicates, ties.

Pure functions of values. The choices were measured: z-scores over the union of both legs beat
reciprocal ranks, a unit of a file with a better one is better, and the first hits of several files
find more than those of one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippod.wire import Fusion

_HEAD = 5
_NEARLY = 0.8
"""Among the first five, a file not yet seen goes first if its best unit is nearly as good."""
_NO_RANK = 10**9
_NONE: Mapping[int, float] = MappingProxyType({})


class Candidate(NamedTuple):
    """A unit that a leg found; `unit` is its number in the index.

    `bm25` grows with relevance, None where the lexical leg did not return it; `cosine` is None
    where there is no vector. The ranks count from 0 within each leg. `same` is equal for units
    of equal content.
    """

    unit: int
    id: str
    path: str
    same: int
    timestamp: str | None = None
    bm25: float | None = None
    cosine: float | None = None
    lexical_rank: int | None = None
    vector_rank: int | None = None
    bm25_score: float | None = None

    @property
    def best_rank(self) -> int:
        """The better of its ranks."""
        by_words = _NO_RANK if self.lexical_rank is None else self.lexical_rank
        by_meaning = _NO_RANK if self.vector_rank is None else self.vector_rank
        return min(by_words, by_meaning)

    @property
    def vector_score(self) -> float | None:
        """The cosine clipped to 0..1."""
        return None if self.cosine is None else min(1.0, max(0.0, self.cosine))


@dataclass(frozen=True, slots=True)
class Weights:
    """How the legs are combined; a leg that did not answer has weight 0."""

    fusion: Fusion = "zscore"
    bm25: float = 0.6
    vector: float = 0.4
    rrf_k: int = 60
    file_prior: float = 0.3


def rank(
    candidates: Sequence[Candidate],
    weights: Weights,
    *,
    min_score: float = 0.0,
    boosts: Mapping[int, float] = _NONE,
) -> list[tuple[Candidate, float]]:
    """Return candidates with scores in 0..1, best first.

    `boosts` are added to the scores of units; where that exceeds 1, all are scaled back. Of units
    with equal content only the best stays. `min_score` looks at the evidence of each leg, never at
    the fused score, which only orders. Equal scores are ordered by the better rank, then the
    newer, then the id.
    """
    if not candidates:
        return []
    fused, prior = parts(candidates, weights)
    scores = fused + prior + np.array([boosts.get(c.unit, 0.0) for c in candidates])
    scores = scores / max(1.0, float(scores.max()))
    ordered = _distinct(_ordered(zip(candidates, scores.tolist(), strict=True)))
    if min_score:
        ordered = [pair for pair in ordered if _evidence(pair[0]) >= min_score]
    return _mixed(ordered)


def parts(
    candidates: Sequence[Candidate], weights: Weights
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what the legs and what the file adds to the score of each candidate."""
    fuse = _reciprocal_ranks if weights.fusion == "rrf" else _z_scores
    fused = _min_max(fuse(candidates, weights))
    prior = weights.file_prior * _best_of_files(fused, candidates)
    return fused / (1 + weights.file_prior), prior / (1 + weights.file_prior)


def _z_scores(candidates: Sequence[Candidate], weights: Weights) -> NDArray[np.float64]:
    bm25 = np.array([c.bm25 or 0.0 for c in candidates])
    cosine = np.array([c.cosine or 0.0 for c in candidates])
    return weights.bm25 * _standard(bm25) + weights.vector * _standard(cosine)


def _standard(values: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = values - values.mean()
    deviation = float(values.std())
    # Rounding leaves a tiny deviation where all values are equal.
    return centred / deviation if deviation > 1e-12 else np.zeros_like(values)


def _reciprocal_ranks(candidates: Sequence[Candidate], weights: Weights) -> NDArray[np.float64]:
    def share(weight: float, place: int | None) -> float:
        return 0.0 if place is None else weight / (weights.rrf_k + place + 1)

    return np.array(
        [
            share(weights.bm25, c.lexical_rank) + share(weights.vector, c.vector_rank)
            for c in candidates
        ]
    )


def _min_max(values: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = float(values.min()), float(values.max())
    return (values - low) / (high - low) if high > low else np.ones_like(values)


def _best_of_files(
    scores: NDArray[np.float64], candidates: Sequence[Candidate]
) -> NDArray[np.float64]:
    """Return for each candidate the best score of its file."""
    best: dict[str, float] = {}
    for candidate, score in zip(candidates, scores.tolist(), strict=True):
        best[candidate.path] = max(score, best.get(candidate.path, 0.0))
    return np.array([best[c.path] for c in candidates])


def _ordered(scored: Iterable[tuple[Candidate, float]]) -> list[tuple[Candidate, float]]:
    # Python's sort is stable, so the last key is sorted first.
    by_id = sorted(scored, key=lambda pair: pair[0].id)
    by_age = sorted(by_id, key=lambda pair: pair[0].timestamp or "", reverse=True)
    return sorted(by_age, key=lambda pair: (-round(pair[1], 9), pair[0].best_rank))


def _distinct(ordered: Iterable[tuple[Candidate, float]]) -> list[tuple[Candidate, float]]:
    best: dict[int, tuple[Candidate, float]] = {}
    for candidate, score in ordered:
        best.setdefault(candidate.same, (candidate, score))
    return list(best.values())


def _mixed(ordered: list[tuple[Candidate, float]]) -> list[tuple[Candidate, float]]:
    """Let files not yet seen into the head, with the score of the unit they go ahead of."""
    rest = ordered.copy()
    head: list[tuple[Candidate, float]] = []
    seen: set[str] = set()
    while rest and len(head) < _HEAD:
        score = rest[0][1]
        new = (n for n, each in enumerate(rest) if each[0].path not in seen)
        at = next(new, 0)
        if rest[at][1] < _NEARLY * score:
            at = 0
        chosen = rest.pop(at)[0]
        head.append((chosen, score))
        seen.add(chosen.path)
    return head + rest


def _evidence(candidate: Candidate) -> float:
    return max(candidate.bm25_score or 0.0, candidate.vector_score or 0.0)
