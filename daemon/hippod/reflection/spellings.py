"""Which names are one by how they are spelled: without accents, and with initials for first names.

Names come as forms: see `entities.form`. What is certain here joins names; what only looks alike
is in `likeness`.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import combinations

from hippod.folding import transcribed, unaccented

_INITIALS = re.compile(r"(?:[^\W\d_]\.)+")
"""With dots: `E Mail` and `A Team` have no initials."""
_SPELLED_OUT = re.compile(r"[^\W\d_][\w'’.]+")
_MOST_SPELLINGS = 12
"""Spellings of one name; of more, being alike says nothing."""


# -- accents ---------------------------------------------------------------------------------------


def variants(forms: Iterable[str]) -> list[tuple[str, ...]]:
    """Return groups of forms that are one name, but for accents that somebody did not write.

    Two that have different accents on one letter are two names (Hùng, Hưng), and then nobody can
    tell whose the plain one is. A name of one word has one other spelling at most. Full names come
    first.
    """
    every = list(dict.fromkeys(forms))
    if all(map(str.isascii, every)):
        return []
    heaps = [*_heaps(every, unaccented), *_heaps(every, _written_out)]
    others: defaultdict[str, set[str]] = defaultdict(set)
    for heap in heaps:
        for each in heap:
            others[each].update(heap)
    found = dict.fromkeys(heap for heap in heaps if _are_one(heap, others))
    return sorted(found, key=lambda heap: " " not in heap[0])


def most_accented(forms: Iterable[str]) -> str:
    """Return the form that is spelled most carefully, the first by letters of several."""
    return min(forms, key=lambda each: (-_accents(each), each))


def _heaps(forms: Iterable[str], look: Callable[[str], str]) -> Iterator[tuple[str, ...]]:
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for each in forms:
        alike[look(each)].append(each)
    return (tuple(sorted(heap)) for heap in alike.values() if 1 < len(heap) <= _MOST_SPELLINGS)


def _written_out(form: str) -> str:
    return unaccented(transcribed(form))


def _are_one(heap: Sequence[str], others: dict[str, set[str]]) -> bool:
    every = set().union(*(others[each] for each in heap))
    if " " not in heap[0]:
        return len(every) == 2
    return all(_may_be_one(one, other) for one, other in combinations(sorted(every), 2))


def _may_be_one(one: str, other: str) -> bool:
    """Say whether no letter has one accent here and another there."""
    if unaccented(one) != unaccented(other):
        one, other = transcribed(one), transcribed(other)
    ours, theirs = _letters(one), _letters(other)
    if len(ours) != len(theirs):  # one is written out, and both are of a third spelling
        return True
    return all(
        a == b or unaccented(a) == b or unaccented(b) == a
        for a, b in zip(ours, theirs, strict=True)
    )


def _letters(form: str) -> list[str]:
    return list(unicodedata.normalize("NFC", form))


def _accents(form: str) -> int:
    return sum(letter != unaccented(letter) for letter in _letters(form))


# -- initials --------------------------------------------------------------------------------------


class FullNames:
    """Names by their last word, to look up whom initials may stand for."""

    def __init__(self, forms: Iterable[str]) -> None:
        self._by_last: defaultdict[str, list[str]] = defaultdict(list)
        for each in forms:
            if " " in each and not initials(each):
                self._by_last[_last(each)].append(each)

    def of(self, short: str) -> Collection[str]:
        """Return the full names that may be meant, some perhaps only with more names between."""
        first = unaccented(short)[0]
        return [each for each in self._by_last[_last(short)] if unaccented(each).startswith(first)]


def initials(form: str) -> tuple[str, ...]:
    """Return the letters before the surname, `p` and `j` of "p. j. moreau"; empty if it has none.

    A letter alone has no surname.
    """
    words = form.split()
    letters: list[str] = []
    while words and _INITIALS.fullmatch(words[0]):
        letters += words.pop(0).replace(".", "")
    is_name = bool(words) and all(map(_SPELLED_OUT.fullmatch, words))
    return tuple(letters) if is_name else ()


def stands_for(short: str, full: str) -> bool:
    """Say whether initials and surname are those of a full name, none more and none less."""
    letters, ours, theirs = initials(short), short.split(), full.split()
    surname = [word for word in ours if not _INITIALS.fullmatch(word)]
    given = theirs[: len(letters)]
    return (
        _plain(theirs[len(letters) :]) == _plain(surname)
        and all(map(_SPELLED_OUT.fullmatch, given))
        and all(
            unaccented(word)[0] == unaccented(ch)[0]
            for word, ch in zip(given, letters, strict=True)
        )
    )


def _plain(words: Iterable[str]) -> list[str]:
    return [_written_out(word) for word in words]


def _last(form: str) -> str:
    return _written_out(form.split()[-1])
