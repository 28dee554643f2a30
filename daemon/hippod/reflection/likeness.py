"""Which names look like one entity's, and why: suggestions for people, never a decision."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from hippod.folding import transcribed, unaccented

Pair = tuple[str, str, str]
"""Two keys and the reason."""

_LEAST_OF_A_TYPO = 6
"""Letters of names that may differ by one: "Anna" and "Anne" are two."""
_MOST_ALIKE = 12
"""Names in one heap; of more, being alike says nothing."""
_MOST_INITIALS = 3
"""Names that initials may stand for."""
_BETWEEN = re.compile(r"[\s._\-]+")


@dataclass(frozen=True, slots=True)
class Candidate:
    """Two names that may mean one entity; only a person joins them."""

    names: tuple[str, str]
    reason: str


def pairs(names: Mapping[str, str]) -> list[Pair]:
    """Return pairs of keys of `names` (key to display name) that may mean one, each once.

    The first reason of several is given; costs a few seconds for some 10,000 names.
    """
    found: dict[frozenset[str], Pair] = {}
    for look in (_punctuated, _accented, _first_names, _initials, _mistyped):
        for one, other, reason in look(names):
            first, second = sorted((one, other))
            found.setdefault(frozenset((one, other)), (first, second, reason))
    return sorted(found.values())


def are_namesakes(one: str, other: str) -> bool:
    """Say whether two names are full names with one first name: two people, for all we know."""
    ours, theirs = one.split(), other.split()
    return min(len(ours), len(theirs)) > 1 and ours[0] == theirs[0] and ours[-1] != theirs[-1]


def _punctuated(names: Mapping[str, str]) -> Iterator[Pair]:
    return _same(names, _squeezed, "the names differ only in dots, hyphens or spaces")


def _accented(names: Mapping[str, str]) -> Iterator[Pair]:
    yield from _same(names, _unaccented, "the names differ only in accents")
    reason = "the names differ only in how umlauts are written"
    yield from _same(names, lambda key: _unaccented(transcribed(key)), reason)


def _first_names(names: Mapping[str, str]) -> Iterator[Pair]:
    """A first name alone, and the only full name that begins with it."""
    full: defaultdict[str, list[str]] = defaultdict(list)
    for key in names:
        first, _, rest = key.partition(" ")
        if rest:
            full[first].append(key)
    for first, longer in full.items():
        if first in names and len(longer) == 1 and len(first) > 1:
            shown = names[longer[0]]
            yield first, longer[0], f"{shown} is the only full name that begins like this"


def _initials(names: Mapping[str, str]) -> Iterator[Pair]:
    """`PF` and `P.-Falk` for Peter Falk."""
    stands_for: defaultdict[str, list[str]] = defaultdict(list)
    for key in names:
        words = _words(key)
        if len(words) > 1 and all(word[0].isalpha() for word in words):
            stands_for["".join(word[0] for word in words)].append(key)
            if len(words[0]) > 1:
                stands_for[f"{words[0][0]} {words[-1]}"].append(key)
    for key, shown in names.items():
        short = _short_of(key, shown)
        longer = [each for each in stands_for.get(short, ()) if each != key] if short else []
        if len(longer) <= _MOST_INITIALS:
            for each in longer:
                yield key, each, f"{shown} may be short for {names[each]}"


def _short_of(key: str, shown: str) -> str:
    """Return the initials that a name is, "pf" or "p falk"; empty if it is written out."""
    words = _words(key)
    bare = "".join(words)
    if len(words) == 2 and len(words[0]) == 1 and len(words[1]) > 1:
        return f"{words[0]} {words[1]}"
    is_capitals = shown == shown.upper() and bare.isalpha()
    return bare if is_capitals and 2 <= len(bare) <= 4 else ""


def _mistyped(names: Mapping[str, str]) -> Iterator[Pair]:
    """Names one letter apart, found by what is left of them without one letter."""
    heaps: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    plain = {key: _squeezed(key) for key in names}
    for key, text in plain.items():
        if len(text) >= _LEAST_OF_A_TYPO:
            digits = "".join(filter(str.isdigit, text))
            for left in {text, *(text[:n] + text[n + 1 :] for n in range(len(text)))}:
                heaps[left, digits].append(key)
    # Imported here because it costs 20 ms and most processes compare no names.
    from rapidfuzz.distance import OSA

    for heap in heaps.values():
        if 1 < len(heap) <= _MOST_ALIKE:
            for one, other in combinations(heap, 2):
                if OSA.distance(plain[one], plain[other], score_cutoff=1) == 1:
                    yield one, other, "the names are spelled alike but for one letter"


def _same(names: Mapping[str, str], look: Callable[[str], str], reason: str) -> Iterator[Pair]:
    heaps: defaultdict[str, list[str]] = defaultdict(list)
    for key in names:
        heaps[look(key)].append(key)
    for heap in heaps.values():
        for one, other in combinations(heap[:_MOST_ALIKE], 2):
            yield one, other, reason


def _squeezed(key: str) -> str:
    return _BETWEEN.sub("", key) or key


def _unaccented(key: str) -> str:
    apart = unicodedata.normalize("NFD", unaccented(key))
    return "".join(ch for ch in apart if not unicodedata.combining(ch)) or key


def _words(key: str) -> list[str]:
    return [word for word in _BETWEEN.split(key) if word]
