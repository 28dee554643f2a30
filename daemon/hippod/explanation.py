"""Why a hit ranks where it does, in numbers and in a line for people."""

from collections.abc import Iterator, Mapping

from hippod import wire
from hippod.ranking import Candidate

_REASONS = {
    "summary": "the page about it",
    "about": "a fact about it",
    "entity": "names it",
    "opinion": "an opinion",
    "time": "from that time",
    "event": "from the time of the event",
    "held": "held then",
}


def of(
    candidate: Candidate, fused: float, prior: float, lifts: Mapping[str, float]
) -> wire.HitExplanation:
    """Explain a hit: what both legs say of it, and what else lifts it."""
    return wire.HitExplanation(
        lexical_rank=_from_one(candidate.lexical_rank),
        vector_rank=_from_one(candidate.vector_rank),
        bm25=_rounded(candidate.bm25),
        cosine=_rounded(candidate.cosine),
        fused=round(fused, 4),
        file_prior=round(prior, 4),
        boosts=dict(lifts),
        text=", ".join(_told(candidate, fused, prior, lifts)),
    )


def _told(
    candidate: Candidate, fused: float, prior: float, lifts: Mapping[str, float]
) -> Iterator[str]:
    if candidate.bm25_score is not None:
        place = "" if candidate.lexical_rank is None else f" #{candidate.lexical_rank + 1}"
        yield f"words{place} ({candidate.bm25_score:.0%} of the terms' weight)"
    if candidate.vector_rank is not None:
        yield f"meaning #{candidate.vector_rank + 1} (cosine {candidate.cosine or 0.0:.2f})"
    elif candidate.cosine is not None:
        yield f"cosine {candidate.cosine:.2f}"
    yield f"both {fused:.2f}"
    yield f"file +{prior:.2f}"
    for name, value in lifts.items():
        yield f"{_REASONS[name]} +{value:.2f}"


def _from_one(place: int | None) -> int | None:
    return None if place is None else place + 1


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
