"""Text as a reader sees it: without invisible characters, and wide or styled letters as plain ones.

For patterns only: what is stored stays as it was written.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from unicodedata import category, combining, normalize

_KEPT = frozenset("，：；！？（）…")
"""Ordinary punctuation of Chinese and Japanese: in patterns it differs from the ASCII one."""
_INVISIBLE = re.compile("[\u034f\u115f\u1160\u3164\ufe00-\ufe0f]")
"""What is drawn as nothing, beyond the format characters (category Cf)."""
_ACCENTED = re.compile("([A-Za-z\u0370-\u03ff\u0415\u0435])[\u0300-\u036f]+")
_STROKES = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "ħ": "h", "ı": "i"}
    | {"æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ß": "ss", "þ": "th", "Þ": "Th"}
)
"""Letters whose stroke is no mark of its own, and what is written where they are not to be had."""
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text; `places[n]` is where its character n begins and ends in the original."""

    text: str
    places: tuple[tuple[int, int], ...] | None
    """None where nothing changed."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return which part of the original is seen from `start` to before `end` (not empty)."""
        if self.places is None:
            return start, end
        return self.places[start][0], self.places[end - 1][1]


def fold(text: str) -> str:
    """Return `text` in compatibility form (NFKC) and without invisible characters."""
    return folded(text).text


def folded(text: str) -> Folded:
    """Fold `text` and remember where each character came from."""
    if text.isascii():
        return Folded(text, None)
    parts: list[str] = []
    places: list[tuple[int, int]] = []
    for start, cluster in _clusters(text):
        plain = _plain(cluster)
        parts.append(plain)
        places += [(start, start + len(cluster))] * len(plain)
    whole = "".join(parts)
    return Folded(whole, None if whole == text else tuple(places))


def unaccented(text: str) -> str:
    """Return `text` without the accents of Latin and Greek letters, and with `ё` as `е`.

    Marks of other scripts make other letters, and stay.
    """
    if text.isascii():
        return text
    marked = normalize("NFD", text.translate(_STROKES))
    return normalize("NFC", _ACCENTED.sub(r"\1", marked))


def transcribed(text: str) -> str:
    """Return `text` in lower case with umlauts as they are written where there are none."""
    return text if text.isascii() else normalize("NFC", text).translate(_UMLAUTS)


def _clusters(text: str) -> Iterator[tuple[int, str]]:
    """Yield each character with the accents that combine with it."""
    start = 0
    for position in range(1, len(text) + 1):
        if position == len(text) or not combining(text[position]):
            yield start, text[start:position]
            start = position


def _plain(cluster: str) -> str:
    if cluster.isascii() or cluster in _KEPT:
        return cluster
    if category(cluster[0]) == "Cf" or _INVISIBLE.match(cluster):
        return ""
    return normalize("NFKC", cluster)
