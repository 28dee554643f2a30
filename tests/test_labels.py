from collections.abc import Sequence

import pytest

from hippod.errors import ModelTimeout
from hippod.extraction import labels, prompts
from tests.fakes import FakeGenerator


def biased(prompt: str, found: Sequence[str]) -> list[float]:
    """Weigh every keeping label 3, and 9 where the sentence speaks of a harbour."""
    message = prompt.splitlines()[-2]
    keep = 9.0 if "harbour" in message else 3.0
    return [keep if label in prompts.KEEP else 1.0 for label in found]


def test_a_model_that_keeps_everything_alike_is_worth_nothing() -> None:
    margins = labels.margins(
        FakeGenerator(biased),
        [("Vera", "the harbour closes at six"), ("Vera", "ok then")],
        labels.Calibration(),
    )
    assert margins[0] == pytest.approx(1.0986, abs=1e-3)
    assert margins[1] == pytest.approx(0.0, abs=1e-9)


def test_the_bias_is_measured_once_per_model() -> None:
    calibration = labels.Calibration()
    generator = FakeGenerator(biased)
    labels.margins(generator, [("Vera", "a")], calibration)
    labels.margins(generator, [("Vera", "b")], calibration)
    assert len(generator.prompts) == len(prompts.NULL_MESSAGES) + 2
    other = FakeGenerator(biased, model_id="other#1")
    labels.margins(other, [("Vera", "c")], calibration)
    assert len(other.prompts) == len(prompts.NULL_MESSAGES) + 1


def test_nothing_to_score_asks_nothing() -> None:
    generator = FakeGenerator(biased)
    assert labels.margins(generator, [], labels.Calibration()) == []
    assert generator.prompts == []


def test_failures_come_through_and_leave_no_bias() -> None:
    calibration = labels.Calibration()
    generator = FakeGenerator(biased)
    generator.enqueue(ModelTimeout("too slow"))
    with pytest.raises(ModelTimeout):
        labels.margins(generator, [("Vera", "a")], calibration)
    assert labels.margins(generator, [("Vera", "a")], calibration) == [pytest.approx(0.0)]


def test_certainty_is_finite() -> None:
    sure = FakeGenerator(lambda _, found: [1.0 if x == "fact" else 1e-300 for x in found])
    assert labels.margins(sure, [("Vera", "a")], labels.Calibration()) == [0.0]
