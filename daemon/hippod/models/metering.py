"""What a generator spends: counted by day and model, and refused beyond the day's budget."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Protocol

from hippod import lanes
from hippod.errors import BudgetExhausted
from hippod.models import Completion, Generator, Grammar, Spent

_SLICE = 16
"""Prompts of `choose` between two looks at the budget."""


class ManagedGenerator(Generator, Protocol):
    """A generator with a life of its own: a process or a connection."""

    def close(self) -> None:
        """End it for good; calls in progress and later ones raise `ModelUnavailable`."""
        ...

    def status(self) -> dict[str, object]:
        """Return state and meters, without waiting for a running call."""
        ...


class Record(Protocol):
    """Where usage is kept."""

    def __call__(
        self, day: date, model: str, *,
        tokens_in: int, tokens_out: int, seconds: float, calls: int = 1,
    ) -> None:  # fmt: skip
        """Add to what a model used on a day."""
        ...


class Budget:
    """The tokens that may be used in a day of the user's; `limit` 0 means any number.

    `used` returns the tokens of a day so far; the day changes at midnight in `zone`.
    """

    def __init__(
        self,
        limit: int,
        used: Callable[[date], int],
        clock: Callable[[], datetime],
        zone: tzinfo,
    ) -> None:
        self.limit = limit
        self._used = used
        self._clock = clock
        self._zone = zone

    @property
    def today(self) -> date:
        """The user's day."""
        return self._clock().astimezone(self._zone).date()

    @property
    def used(self) -> int:
        """Tokens used today."""
        return self._used(self.today)

    @property
    def exhausted_until(self) -> datetime | None:
        """The next midnight if today's tokens are used up, else None."""
        if not self.limit or self.used < self.limit:
            return None
        return datetime.combine(self.today + timedelta(days=1), time(), self._zone)

    def check(self) -> None:
        """Raise `BudgetExhausted` when today's tokens are used up."""
        until = self.exhausted_until
        if until is not None:
            raise BudgetExhausted(
                f"the {self.limit} tokens of {self.today} are used up; again from {until:%F %H:%M}",
                "raise generator.daily_tokens; the rules go on meanwhile",
            )


class MeteredGenerator:
    """A generator under a budget. Thread-safe if the generator is.

    The last call before the limit may go beyond it: what a call costs is known at its end.
    """

    def __init__(self, generator: ManagedGenerator, budget: Budget, record: Record) -> None:
        self._generator = generator
        self._budget = budget
        self._record = record
        self._recorded = generator.spent
        self._lock = threading.Lock()

    @property
    def model_id(self) -> str:
        """Name of the model; raises `BudgetExhausted` while it may not be used."""
        self._budget.check()
        return self._generator.model_id

    @property
    def spent(self) -> Spent:
        """All calls, tokens and seconds so far."""
        return self._generator.spent

    def choose(self, prompts: Sequence[str], labels: Sequence[str]) -> list[list[float]]:
        """Return what the generator returns; raises `BudgetExhausted` also between prompts."""
        rows: list[list[float]] = []
        for start in range(0, len(prompts), _SLICE):
            with self._metered():
                rows += self._generator.choose(prompts[start : start + _SLICE], labels)
        return rows

    def complete(
        self, prompt: str, grammar: Grammar, max_tokens: int, *, system: str = ""
    ) -> Completion:
        """Return what the generator returns; raises `BudgetExhausted`."""
        with self._metered():
            return self._generator.complete(prompt, grammar, max_tokens, system=system)

    def close(self) -> None:
        """Close the generator."""
        self._generator.close()

    def status(self) -> dict[str, object]:
        """Return the generator's status."""
        return self._generator.status()

    @contextmanager
    def _metered(self) -> Iterator[None]:
        self._budget.check()
        try:
            yield
        finally:
            self._note()

    def _note(self) -> None:
        """Record what was spent since the last time, by whichever thread."""
        lanes.moved()
        with self._lock:
            now = self._generator.spent
            new, self._recorded = now - self._recorded, now
        if new.calls:
            self._record(
                self._budget.today,
                str(self._generator.status()["model_id"]),
                tokens_in=new.tokens_in,
                tokens_out=new.tokens_out,
                seconds=new.seconds,
                calls=new.calls,
            )
