import math
from datetime import date, timedelta
from functools import partial
from itertools import pairwise, takewhile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.reflection import belief
from hippod.reflection.belief import Weight

DAY = date(2026, 3, 1)
quick = settings(max_examples=300, deadline=None)
shares = st.floats(0, 1, allow_nan=False)
priors = st.floats(0.05, 0.95).map(lambda value: round(value, 4))
stances = st.sampled_from(["supports", "contradicts"])
said = st.lists(st.tuples(stances, st.integers(0, 3)), max_size=40)


def on(day: int) -> date:
    return DAY + timedelta(days=day)


class Held:
    """An opinion to which evidence comes, as the ledger would keep it."""

    def __init__(self, prior: float) -> None:
        self.prior = prior
        self.counted: list[Weight] = []
        self.waiting: list[Weight] = []
        self.day = 0

    @property
    def c(self) -> float:
        return belief.confidence(self.prior, (each.weight for each in self.counted))

    def hear(self, stance: belief.Stance, days: int = 1) -> belief.Step:
        self.day += days
        step = belief.step(self.prior, self.counted, self.waiting, stance, on(self.day))
        if step.waits:
            self.waiting.append(Weight(step.weight, on(self.day)))
        elif step.weight:
            self.counted.append(Weight(step.weight, on(self.day)))
        self.counted += [self.waiting[place] for place in step.released]
        gone = {id(self.waiting[place]) for place in step.released}
        self.waiting = [each for each in self.waiting if id(each) not in gone]
        return step


@pytest.mark.parametrize("stated", [0.1, 0.25, 0.5, 0.6, 0.75, 0.9, 0.95])
def test_the_founding_fact_brings_an_opinion_to_what_it_says(stated: float) -> None:
    assert belief.confidence(belief.founding_prior(stated), [belief.SUPPORTS]) == stated


def test_an_opinion_without_confidence_is_held_at_three_quarters() -> None:
    assert belief.confidence(belief.founding_prior(None), [0.2]) == 0.75


@given(shares)
def test_nothing_is_certain_from_the_start(stated: float) -> None:
    assert 0.05 <= belief.founding_prior(stated) <= 0.95


def test_a_confidence_can_be_computed_by_hand() -> None:
    odds = math.log(0.8 / 0.2) + 0.2 - 0.4
    assert belief.confidence(0.8, [0.2, -0.4]) == round(1 / (1 + math.exp(-odds)), 2) == 0.77


def test_a_day_moves_an_opinion_by_little_however_much_is_said() -> None:
    held = Held(0.9)
    steps = [held.hear("contradicts", days=0) for _ in range(5)]
    assert [step.weight for step in steps] == [-0.4, -0.2, 0, 0, 0]
    assert held.hear("contradicts").weight == -0.4


def test_what_would_cross_the_middle_waits_for_a_second_day() -> None:
    held = Held(0.55)
    assert held.hear("contradicts").waits
    assert held.c == 0.55
    assert held.hear("contradicts", days=0).waits
    step = held.hear("contradicts")
    assert (step.waits, step.released) == (False, (0, 1))
    assert held.c < 0.5
    assert held.waiting == []


def test_the_way_back_is_as_slow() -> None:
    held = Held(0.45)
    first = held.hear("supports")
    assert (first.waits, first.weight) == (False, 0.2)  # 0.4998: not yet across
    assert held.hear("supports", days=0).waits
    assert not held.hear("supports").waits
    assert held.c > 0.5


def test_a_mind_that_changes_day_by_day_crosses_without_waiting_once_more() -> None:
    held = Held(0.75)
    assert [held.hear("contradicts").waits for _ in range(3)] == [False, False, False]
    assert held.c < 0.5


def test_evidence_before_the_last_of_the_other_side_confirms_no_crossing() -> None:
    held = Held(0.55)
    held.counted = [Weight(-0.4, DAY), Weight(0.2, on(1)), Weight(0.2, on(1))]
    held.day = 1
    assert held.hear("contradicts").waits


def test_what_waits_counts_once_it_would_not_cross_any_more() -> None:
    held = Held(0.55)
    held.hear("contradicts")
    step = held.hear("supports")
    assert step.released == (0,)
    assert [each.weight for each in held.counted] == [0.2, -0.4]
    assert held.c == 0.5


@quick
@given(priors, said)
def test_no_day_alone_changes_the_side_and_no_step_is_large(
    prior: float, heard: list[tuple[belief.Stance, int]]
) -> None:
    held = Held(prior)
    for stance, days in heard:
        before = held.c
        step = held.hear(stance, days)
        assert abs(step.weight) <= 0.4
        if not step.released:
            assert abs(held.c - before) <= 0.11
    by_day: dict[date | None, float] = {}
    for each in (*held.counted, *held.waiting):
        by_day[each.day] = by_day.get(each.day, 0) + abs(each.weight)
    assert all(spent <= belief.MOST_A_DAY + 1e-9 for spent in by_day.values())


@quick
@given(priors, said)
def test_crossing_takes_evidence_of_two_days(
    prior: float, heard: list[tuple[belief.Stance, int]]
) -> None:
    held = Held(prior)
    for stance, days in heard:
        before = belief.confidence(prior, (each.weight for each in held.counted))
        known = {id(each) for each in held.counted}
        held.hear(stance, days)
        if (before - 0.5) * (held.c - 0.5) < 0:
            new = [each for each in held.counted if id(each) not in known]
            old = [each for each in held.counted if id(each) in known]
            same = partial(_is_on_side, held.c > 0.5)
            days = {each.day for each in (*filter(same, new), *takewhile(same, reversed(old)))}
            assert len(days) >= 2


def _is_on_side(upper: bool, evidence: Weight) -> bool:
    return (evidence.weight > 0) == upper


def test_opposite_statements_day_after_day_are_contested_and_move_little() -> None:
    held = Held(belief.founding_prior(0.8))
    held.counted.append(Weight(0.2, DAY))
    trail = [held.c]
    for number in range(6):
        held.hear("supports" if number % 2 else "contradicts")
        trail.append(held.c)
    assert all(abs(one - other) <= 0.11 for one, other in pairwise(trail))
    assert belief.is_contested(held.c, held.counted)


def weights(*values: float, apart: int = 1) -> list[Weight]:
    return [Weight(value, on(number * apart)) for number, value in enumerate(values)]


@pytest.mark.parametrize(
    ("now", "evidence", "contested"),
    [
        (0.6, weights(0.2, 0.2), False),
        (0.6, weights(0.2, -0.4), True),
        (0.9, weights(0.2, 0.2, 0.2, -0.4), False),
        (0.9, weights(0.2, -0.4, 0.2), True),
        (0.6, weights(0.2, -0.4, apart=60), False),
        (0.6, [Weight(0.2, None), Weight(-0.4, None)], True),
        (0.6, [], False),
    ],
)
def test_what_is_contested(now: float, evidence: list[Weight], contested: bool) -> None:
    assert belief.is_contested(now, evidence) is contested


@pytest.mark.parametrize("newest", [date.min, date.min + timedelta(days=1), date.max])
def test_evidence_of_any_day_is_held_against_the_newest(newest: date) -> None:
    mixed = [Weight(0.2, newest), Weight(-0.4, newest), Weight(0.2, None)]
    assert belief.is_contested(0.5, mixed)
    assert not belief.is_contested(0.5, [Weight(0.2, newest)])
