"""How far a long change of the index is, for `status` and the bar of the command line."""

import time
from dataclasses import dataclass, field
from typing import Any, Literal

_LEAST_SHOWN = 0.5
"""Seconds after which what remains can be told from what was done."""


@dataclass(slots=True)
class Progress:
    """A phase of work: `done` of `total` files, texts or vectors since `began` (monotonic)."""

    phase: Literal["reading", "embedding", "graph"]
    total: int
    began: float = field(default_factory=time.monotonic)
    done: int = 0

    def advance(self, count: int = 1) -> None:
        """Note what is done; more than was expected makes the total grow."""
        self.done += count
        self.total = max(self.total, self.done)

    def describe(self, now: float) -> dict[str, Any]:
        """Return the fields for `status`; what remains is None while nobody can tell."""
        seconds = max(0.0, now - self.began)
        known = self.done > 0 and seconds >= _LEAST_SHOWN
        remaining = seconds * (self.total - self.done) / self.done if known else None
        return {
            "phase": self.phase,
            "done": self.done,
            "total": self.total,
            "seconds": round(seconds, 1),
            "remaining_seconds": None if remaining is None else round(remaining, 1),
        }
