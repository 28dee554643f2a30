"""When a burst of changes is over: quiet time and longest wait per key, without any timer."""

from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class Debouncer(Generic[K]):
    """Collects keys and says when each is due.

    A key is due `quiet` seconds after its last touch, but no later than `longest_wait` seconds
    after its first. Times are seconds of one monotonic clock, passed in.
    """

    def __init__(self, quiet: float, longest_wait: float) -> None:
        self._quiet = quiet
        self._longest_wait = longest_wait
        self._due: dict[K, tuple[float, float]] = {}
        self._came: dict[K, float] = {}

    def __len__(self) -> int:
        return len(self._due)

    def touch(self, key: K, now: float, *, at_once: bool = False) -> None:
        """Note that `key` changed at `now`; `at_once` makes it due without a quiet time."""
        _, last = self._due.get(key, (0.0, now + self._longest_wait))
        self._came.setdefault(key, now)
        quiet = 0.0 if at_once else self._quiet
        self._due[key] = (min(now + quiet, last), now if at_once else last)

    def next_due(self) -> float | None:
        """Return when the first key is due, None if nothing waits."""
        return min((due for due, _ in self._due.values()), default=None)

    def oldest(self) -> float | None:
        """Return when the key that waits longest was first touched, None if nothing waits.

        Any thread may ask.
        """
        return min(tuple(self._came.values()), default=None)  # a copy: others may touch meanwhile

    def take(self, now: float) -> list[K]:
        """Remove and return the keys that are due at `now`, longest due first."""
        ready = [key for key, (due, _) in self._due.items() if due <= now]
        ready.sort(key=lambda key: self._due[key][0])
        for key in ready:
            del self._due[key], self._came[key]
        return ready
