"""Does the watcher tell of every change? What a look at all files finds is compared with it.

One change that nobody announced may be chance; some in two looks in a row are a fault.
"""

from collections import deque
from collections.abc import Iterable

_REMEMBERED = 120.0
"""Seconds for which an announcement counts."""
_LOOKS = 2


class Audit:
    """What was announced lately, and how many changes the last looks found beside it.

    Times are monotonic seconds. An empty key announces everything.
    """

    def __init__(self) -> None:
        self._announced: dict[str, float] = {}
        self._missed: deque[int] = deque(maxlen=_LOOKS)
        self._looking: list[float] = []

    def begin(self, now: float) -> None:
        """Note that a look begins: until its `end`, what it may find stays announced."""
        self._looking.append(now)

    def end(self, began: float) -> None:
        """Note that the look that began then was judged, or came to nothing."""
        self._looking.remove(began)

    def announce(self, key: str, now: float) -> None:
        """Note that a path was told to have changed."""
        self._announced.pop(key, None)  # to the end: the oldest stay in front
        self._announced[key] = now
        since = min([*self._looking, now]) - _REMEMBERED
        while self._announced:
            oldest = next(iter(self._announced))
            if self._announced[oldest] >= since:
                break
            del self._announced[oldest]

    def look(self, found: Iterable[str], began: float) -> int:
        """Take the changes that a look found that `began` then; return how many nobody announced.

        However long it takes, what was announced shortly before it and since then counts.
        """
        since = began - _REMEMBERED
        known = {key for key, when in self._announced.items() if when >= since}
        missed = 0 if "" in known else sum(path not in known for path in found)
        self._missed.append(missed)
        return missed

    def forget(self) -> None:
        """Begin anew, where nobody watched or looks cannot be compared."""
        self._missed.clear()

    @property
    def fault(self) -> str:
        """What to tell a person, empty while all is well."""
        if len(self._missed) < _LOOKS or not all(self._missed):
            return ""
        count = " and ".join(map(str, self._missed))
        return f"the watcher misses changes: {count} in the last {_LOOKS} looks"
