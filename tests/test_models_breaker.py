"""The circuit breaker over a clock that only the test moves."""

import pytest

from hippod.errors import ModelUnavailable
from hippod.models.breaker import PATIENCE, PAUSES, Breaker


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def is_open(breaker: Breaker) -> bool:
    try:
        breaker.check()
    except ModelUnavailable:
        return True
    return False


def test_a_few_failures_are_endured(clock: Clock) -> None:
    breaker = Breaker(clock)
    for _ in range(PATIENCE - 1):
        breaker.fail("no answer")
    assert not is_open(breaker)
    breaker.succeed()
    for _ in range(PATIENCE - 1):
        breaker.fail("no answer")
    assert not is_open(breaker), "a success starts the count anew"


def test_failures_in_a_row_open_it_and_say_why_and_until_when(clock: Clock) -> None:
    breaker = Breaker(clock)
    for _ in range(PATIENCE):
        breaker.fail("HTTP 500")
    with pytest.raises(ModelUnavailable, match="HTTP 500; next try in 60 s"):
        breaker.check()
    clock.now += PAUSES[0] - 0.1
    assert is_open(breaker)
    clock.now += 0.1
    assert not is_open(breaker)


def test_one_failure_after_a_pause_opens_it_for_longer(clock: Clock) -> None:
    breaker = Breaker(clock)
    for _ in range(PATIENCE):
        breaker.fail("down")
    seen = []
    for _ in range(6):
        seen.append(breaker.remaining)
        clock.now += breaker.remaining
        breaker.check()
        breaker.fail("still down")
    assert seen == [60, 300, 900, 3600, 3600, 3600]


def test_one_success_after_a_pause_closes_it(clock: Clock) -> None:
    breaker = Breaker(clock)
    breaker.fail("denied", at_once=True)
    assert is_open(breaker)
    clock.now += PAUSES[0]
    breaker.succeed()
    assert breaker.reason == ""
    breaker.fail("once")
    assert not is_open(breaker)


def test_a_pause_that_was_asked_for_is_kept(clock: Clock) -> None:
    breaker = Breaker(clock)
    breaker.fail("come back later", pause=500)
    assert breaker.remaining == 500
    short = Breaker(clock)
    short.fail("come back soon", pause=5)
    assert short.remaining == PAUSES[0], "never shorter than its own pause"
