"""A cheap first look at all windows of a text: a short mark of each, before a hash is tried. Pure.

A text of n words has n windows of every length; a keyed hash of each would take seconds.
"""

import functools
import hashlib
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

MARKS: Final = 1 << 16
"""How many marks there are: so many texts have one mark that it tells nothing of a text."""
_BASE = 0x9E37_79B9_7F4A_7C15
_BACK = pow(_BASE, -1, 1 << 64)
_MIX = np.uint64(0xD6E8_FEB8_6659_FD93)
_KEY_BYTES = 64


class Windows:
    """The windows of a sequence of words, marked by a key."""

    def __init__(self, words: Sequence[str], key: bytes) -> None:
        size = len(words)
        values = np.fromiter((_value(word, key) for word in words), np.uint64, size)
        self._sums = np.zeros(size + 1, np.uint64)
        np.cumsum(values * _powers(_BASE, size), out=self._sums[1:])
        self._back = _powers(_BACK, size)

    def marks(self, length: int) -> NDArray[np.uint64]:
        """Return the mark of each window of `length` words, 1 or more, in order."""
        if length >= len(self._sums):
            return np.zeros(0, np.uint64)
        sums = self._sums[length:] - self._sums[:-length]
        sums *= self._back[: len(sums)]
        sums ^= sums >> np.uint64(29)
        sums *= _MIX
        return sums >> np.uint64(48)


def mark(words: Sequence[str], key: bytes) -> int:
    """Return the mark of one or more words as a whole."""
    return int(Windows(words, key).marks(len(words))[0])


@functools.lru_cache(maxsize=65_536)
def _value(word: str, key: bytes) -> int:
    said = word.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(said, digest_size=8, key=key[:_KEY_BYTES]).digest())


def _powers(base: int, size: int) -> NDArray[np.uint64]:
    powers = np.full(size, base, np.uint64)
    powers[:1] = 1
    return np.cumprod(powers, dtype=np.uint64)
