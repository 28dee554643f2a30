"""A circuit breaker: calls to what keeps failing are refused for a growing time."""

import time
from collections.abc import Callable

from hippod.errors import ModelUnavailable

PATIENCE = 3
"""Failures in a row after which the circuit opens."""
PAUSES = (60.0, 300.0, 900.0, 3600.0)
"""Seconds that it stays open, longer each time until something works."""


class Breaker:
    """Counts failures in a row; while open every call is refused, then one is let through.

    Not thread-safe: whoever calls serialises the calls. `clock` counts seconds.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        meanwhile: str = "retain goes on by the rules meanwhile",
    ) -> None:
        self._clock = clock
        self._meanwhile = meanwhile
        self._failures = 0
        self._openings = 0
        self._closes_at = 0.0
        self.reason = ""
        """Why the last failure was one; empty after a success."""

    @property
    def remaining(self) -> float:
        """Seconds until the next call is let through; 0 when one is now."""
        return max(0.0, self._closes_at - self._clock())

    def check(self) -> None:
        """Raise `ModelUnavailable` while the circuit is open."""
        if self.remaining > 0:
            raise ModelUnavailable(
                f"{self.reason}; next try in {self.remaining:.0f} s",
                self._meanwhile,
            )

    def succeed(self) -> None:
        """Close the circuit."""
        self._failures = self._openings = 0
        self._closes_at = 0.0
        self.reason = ""

    def fail(self, reason: str, *, pause: float = 0.0, at_once: bool = False) -> None:
        """Count a failure; with `at_once` or a `pause` (seconds at least) the circuit opens now."""
        self._failures += 1
        self.reason = reason
        if at_once or pause or self._openings or self._failures >= PATIENCE:
            step = PAUSES[min(self._openings, len(PAUSES) - 1)]
            self._openings += 1
            self._closes_at = self._clock() + max(pause, step)
