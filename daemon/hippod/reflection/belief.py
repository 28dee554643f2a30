"""The arithmetic of beliefs: log-odds, what one piece of evidence may weigh, and what waits.

c = logistic(logit(prior) + sum of weights). All of it can be done by hand from what the ledger
says; nothing decays.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise, takewhile
from typing import Final, Literal

Stance = Literal["supports", "contradicts"]

SUPPORTS: Final = 0.20
CONTRADICTS: Final = -0.40
"""Log-odds of one piece of evidence; less where its day has little left."""
MOST_A_DAY: Final = 0.60
"""Log-odds, signs aside, by which the evidence of one day may move an opinion."""
UNSTATED: Final = 0.75
"""Confidence of an opinion that was stated without one."""
TOLERANCE: Final = 0.006
"""How far a written confidence may be from the computed one: both are rounded."""
_LEAST_PRIOR, _MOST_PRIOR = 0.05, 0.95
_UNDECIDED = 0.2
"""Distance from 0.5 within which evidence of both sides leaves an opinion contested."""
LATELY: Final = timedelta(days=30)
"""What is of so long before the newest evidence is recent."""
_TURNS = 2
"""Changes of side among recent evidence that make an opinion contested wherever it stands."""


@dataclass(frozen=True, slots=True)
class Weight:
    """What a piece of evidence weighs in log-odds, and the day it is of, if that is known."""

    weight: float
    day: date | None


@dataclass(frozen=True, slots=True)
class Step:
    """What becomes of new evidence: its weight (0: its day is used up), and whether it waits.

    `released` are the places, among those that waited, of what counts from now on.
    """

    weight: float
    waits: bool
    released: tuple[int, ...] = ()


def founding_prior(confidence: float | None) -> float:
    """Return the prior of an opinion whose founding fact, as first evidence, brings it to that.

    Clipped to 0.05..0.95, so what was stated as certain is held as a little less.
    """
    stated = UNSTATED if confidence is None else confidence
    if not 0 < stated < 1:
        return _clipped(stated)
    return _clipped(round(_logistic(_logit(stated) - SUPPORTS), 4))


def confidence(prior: float, weights: Iterable[float]) -> float:
    """Return c with two decimals, as the ledger writes it."""
    return round(_logistic(_total(prior, weights)), 2)


def step(
    prior: float, counted: Sequence[Weight], waiting: Sequence[Weight], stance: Stance, day: date
) -> Step:
    """Return what evidence of `day` does to an opinion.

    A step that would cross 0.5 needs evidence of the same direction from another day: what waits,
    or what was counted since the last of the other side. Without it waits too; then both count.
    What waits also counts as soon as it would not cross any more.
    """
    weight = _left_of(day, stance, (*counted, *waiting))
    if not weight:
        return Step(0.0, waits=False)
    alike = tuple(n for n, each in enumerate(waiting) if each.weight * weight > 0)
    before = [*(waiting[n] for n in alike), *_lately_alike(counted, weight)]
    confirmed = any(each.day != day for each in before)
    weights = [each.weight for each in counted]
    together = math.fsum((weight, *(waiting[n].weight for n in alike)))
    if not confirmed and _crosses(prior, weights, together):
        return Step(weight, waits=True)
    released = alike if confirmed else ()
    weights += [weight, *(waiting[n].weight for n in released)]
    return Step(
        weight, waits=False, released=(*released, *_harmless(prior, weights, waiting, released))
    )


def is_contested(now: float, evidence: Sequence[Weight]) -> bool:
    """Say whether recent evidence, in order of days, speaks for both sides and decides neither.

    Recent is what is of the 30 days before the newest. Undecided is a confidence `now` near 0.5,
    or evidence that goes to and fro; what waits is evidence too.
    """
    days = [each.day for each in evidence if each.day]
    newest = max(days, default=None)
    recent = [
        each.weight > 0
        for each in evidence
        if not newest or not each.day or newest - each.day <= LATELY
    ]
    turns = sum(one != other for one, other in pairwise(recent))
    return turns >= _TURNS or (turns > 0 and abs(now - 0.5) <= _UNDECIDED)


def _lately_alike(counted: Sequence[Weight], weight: float) -> Iterator[Weight]:
    """Yield the evidence of one direction back to the last of the other."""
    return takewhile(lambda each: each.weight * weight > 0, reversed(counted))


def _left_of(day: date, stance: Stance, taken: Iterable[Weight]) -> float:
    full = SUPPORTS if stance == "supports" else CONTRADICTS
    spent = math.fsum(abs(each.weight) for each in taken if each.day == day)
    left = round(MOST_A_DAY - spent, 2)
    return math.copysign(min(abs(full), left), full) if left > 0 else 0.0


def _harmless(
    prior: float, weights: list[float], waiting: Sequence[Weight], released: Sequence[int]
) -> tuple[int, ...]:
    """Return the places of what waits in vain: counted now it leaves the side as it is."""
    found: list[int] = []
    for place, each in enumerate(waiting):
        if place not in released and not _crosses(prior, weights, each.weight):
            weights.append(each.weight)
            found.append(place)
    return tuple(found)


def _crosses(prior: float, weights: Sequence[float], weight: float) -> bool:
    return _is_held(_total(prior, weights)) != _is_held(_total(prior, (*weights, weight)))


def _is_held(total: float) -> bool:
    return round(total, 9) >= 0


def _total(prior: float, weights: Iterable[float]) -> float:
    return math.fsum((_logit(_clipped(prior)), *weights))


def _clipped(share: float) -> float:
    return min(max(share, _LEAST_PRIOR), _MOST_PRIOR)


def _logit(share: float) -> float:
    return math.log(share / (1 - share))


def _logistic(odds: float) -> float:
    return 1 / (1 + math.exp(-odds)) if odds >= 0 else math.exp(odds) / (1 + math.exp(odds))
