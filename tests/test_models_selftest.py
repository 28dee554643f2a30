"""Verdicts of the self-test over scorers that are good, useless and broken."""

from collections.abc import Sequence

import pytest

from hippod.errors import ModelTimeout
from hippod.models import selftest

Pairs = Sequence[tuple[str, str]]


def perfect(pairs: Pairs) -> list[float]:
    """The first half of the sentences is the half worth keeping."""
    return [1.0 if number < len(pairs) / 2 else -1.0 for number in range(len(pairs))]


def inverted(pairs: Pairs) -> list[float]:
    return [-value for value in perfect(pairs)]


def undecided(pairs: Pairs) -> list[float]:
    return [0.3] * len(pairs)


def half_right(pairs: Pairs) -> list[float]:
    """Every second kept sentence stands out, the rest are level."""
    return [1.0 if number < len(pairs) / 2 and number % 2 else 0.0 for number in range(len(pairs))]


def test_a_good_scorer_passes_and_says_why() -> None:
    verdict = selftest.select(perfect)
    assert verdict.passed
    assert verdict.task == "select"
    assert verdict.score == 1.0
    assert "1.00" in verdict.detail


@pytest.mark.parametrize(("scorer", "area"), [(inverted, 0.0), (undecided, 0.5)])
def test_useless_scorers_fail(scorer: selftest.Scorer, area: float) -> None:
    verdict = selftest.select(scorer)
    assert not verdict.passed
    assert verdict.score == area


def test_the_length_of_a_sentence_is_not_enough() -> None:
    for sign in (1.0, -1.0):
        assert not selftest.select(
            lambda pairs, sign=sign: [sign * len(text) for _, text in pairs]
        ).passed


def test_rules_that_do_as_well_keep_the_task() -> None:
    alone = selftest.select(half_right)
    assert alone.passed
    assert not selftest.select(half_right, rules=half_right).passed
    assert selftest.select(perfect, rules=perfect).passed, "nothing can beat a perfect score"
    assert selftest.select(half_right, rules=inverted).passed, "bad rules count as chance"


@pytest.mark.parametrize("values", [[], [1.0], [float("nan")] * 18, [float("inf")] * 18])
def test_unusable_numbers_fail(values: list[float]) -> None:
    assert not selftest.select(lambda _pairs: values).passed


def test_a_model_that_cannot_be_reached_is_not_judged() -> None:
    def late(_pairs: Pairs) -> list[float]:
        raise ModelTimeout("late")

    with pytest.raises(ModelTimeout):
        selftest.select(late)
