"""What people and agents wrote, and so what must be found at the end, and how often."""

import itertools
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

Place = Literal["file", "branch", "fact", "entry", "working"]

_SYLLABLES = [head + vowel for head in "bdfgklmnprtvz" for vowel in "aeiou"]


@dataclass(frozen=True, slots=True)
class Claim:
    """One of `texts` stands in a place, at `least` and at `most` so many times in all.

    In a `file` or on a `branch` (`main:pages/a.md`) a text is a whole line, of a session its
    `working` memory; as a `fact` or an `entry` it is a
    word in a bullet, or another line, of a daily log. `who` wrote it.
    """

    who: str
    kind: Place
    where: str
    texts: tuple[bytes, ...]
    least: int
    most: int = 1


class Ledger:
    """The claims, by the word that tells them apart. Any thread may write."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers = itertools.count(len(_SYLLABLES) ** 2)
        self._claims: dict[str, Claim] = {}

    def word(self) -> str:
        """Return a word that nobody wrote yet; it ends in a way that no stemmer cuts."""
        with self._lock:
            return _spoken(next(self._numbers))

    def must(self, word: str, who: str, kind: Place, where: str, *texts: bytes) -> None:
        """Claim that one of `texts` stands there exactly once."""
        self._set(word, Claim(who, kind, where, texts, 1))

    def may(self, word: str, who: str, kind: Place, where: str, *texts: bytes) -> None:
        """Claim that they stand there at most once."""
        self._set(word, Claim(who, kind, where, texts, 0))

    def never(self, word: str) -> None:
        """Claim that what was noted under `word` stands nowhere: its writer took it back."""
        with self._lock:
            self._claims[word] = replace(self._claims[word], least=0, most=0)

    def claims(self) -> dict[str, Claim]:
        """Return all claims by their words."""
        with self._lock:
            return dict(self._claims)

    def __len__(self) -> int:
        with self._lock:
            return len(self._claims)

    def _set(self, word: str, claim: Claim) -> None:
        with self._lock:
            self._claims[word] = claim


def _spoken(number: int) -> str:
    return "".join(reversed(list(_digits(number)))) + "k"


def _digits(number: int) -> Iterator[str]:
    while number:
        number, digit = divmod(number, len(_SYLLABLES))
        yield _SYLLABLES[digit]
