"""What calls cost is kept by day, and the day's budget holds."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from hippod.errors import BudgetExhausted, ModelCrashed, ModelUnavailable
from hippod.models.metering import Budget, MeteredGenerator
from hippod.state import State
from tests.fakes import FakeGenerator

VIENNA = ZoneInfo("Europe/Vienna")
DAY = date(2026, 3, 4)


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 4, 22, 30, tzinfo=UTC)
        """23:30 in Vienna."""

    def __call__(self) -> datetime:
        return self.now


class Managed(FakeGenerator):
    """A fake with a life."""

    closed = False

    def close(self) -> None:
        self.closed = True

    def status(self) -> dict[str, object]:
        return {"state": "ready", "model_id": self.model_id}


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    state = State(tmp_path / "state.sqlite")
    yield state
    state.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def inner() -> Managed:
    return Managed()


def metered(inner: Managed, state: State, clock: Clock, limit: int = 0) -> MeteredGenerator:
    budget = Budget(limit, state.tokens_on, clock, VIENNA)
    return MeteredGenerator(inner, budget, state.add_usage)


def test_calls_are_kept_by_day_and_model(inner: Managed, state: State, clock: Clock) -> None:
    generator = metered(inner, state, clock)
    inner.enqueue("done")
    assert generator.complete("p", "line", 5, system="s").text == "done"
    assert len(generator.choose(["a", "b"], ["x", "y"])) == 2
    (usage,) = state.usage(DAY)
    assert (usage.day, usage.model, usage.calls) == (DAY, "fake#0", 3)
    assert (usage.tokens_in, usage.tokens_out) == (30, 15)
    assert usage.seconds == pytest.approx(0.3)


def test_a_call_that_fails_costs_what_it_cost(inner: Managed, state: State, clock: Clock) -> None:
    generator = metered(inner, state, clock)
    inner.prompts.append("spent before the crash")
    inner.enqueue(ModelCrashed("boom"))
    with pytest.raises(ModelCrashed):
        generator.complete("p", "line", 5)
    assert state.tokens_on(DAY) == 15


def test_what_was_spent_before_is_not_counted(inner: Managed, state: State, clock: Clock) -> None:
    inner.prompts.append("earlier")
    generator = metered(inner, state, clock)
    generator.complete("p", "line", 5)
    assert state.tokens_on(DAY) == 15


def test_beyond_the_budget_nothing_runs_until_midnight_of_the_user(
    inner: Managed, state: State, clock: Clock
) -> None:
    generator = metered(inner, state, clock, limit=30)
    generator.complete("p", "line", 5)
    generator.complete("p", "line", 5)
    for call in (
        lambda: generator.complete("p", "line", 5),
        lambda: generator.choose(["p"], ["a", "b"]),
        lambda: generator.model_id,
    ):
        with pytest.raises(BudgetExhausted, match=r"30 tokens .* again from 2026-03-05 00:00"):
            call()
    assert issubclass(BudgetExhausted, ModelUnavailable), "retain goes on by the rules"
    assert len(inner.prompts) == 2
    clock.now = datetime(2026, 3, 4, 23, 0, tzinfo=UTC)
    assert generator.model_id == "fake#0"
    generator.complete("p", "line", 5)
    assert state.tokens_on(date(2026, 3, 5)) == 15


def test_many_labels_stop_soon_after_the_budget(inner: Managed, state: State, clock: Clock) -> None:
    generator = metered(inner, state, clock, limit=100)
    with pytest.raises(BudgetExhausted):
        generator.choose(["p"] * 500, ["a", "b"])
    assert len(inner.prompts) < 40


def test_a_restart_does_not_reset_the_budget(
    inner: Managed, state: State, clock: Clock, tmp_path: Path
) -> None:
    metered(inner, state, clock, limit=10).complete("p", "line", 5)
    state.close()
    again = State(tmp_path / "state.sqlite")
    generator = metered(Managed(), again, clock, limit=10)
    with pytest.raises(BudgetExhausted):
        generator.complete("p", "line", 5)
    again.close()


def test_the_budget_tells_until_when(state: State, clock: Clock) -> None:
    state.add_usage(DAY, "m", tokens_in=5, tokens_out=5, seconds=1.0)
    assert Budget(0, state.tokens_on, clock, VIENNA).exhausted_until is None
    assert Budget(11, state.tokens_on, clock, VIENNA).exhausted_until is None
    until = Budget(10, state.tokens_on, clock, VIENNA).exhausted_until
    assert until == datetime(2026, 3, 5, tzinfo=VIENNA)


def test_the_rest_is_the_generators_own(inner: Managed, state: State, clock: Clock) -> None:
    generator = metered(inner, state, clock)
    assert generator.status() == inner.status()
    assert generator.spent == inner.spent
    generator.close()
    assert inner.closed
