"""Facts that clients state themselves: which are new, which stand already, which are refused."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from hippod import facts
from hippod.extraction import foreign, repetition
from hippod.facts import Fact
from hippod.language import content_stems, guess, word_set

KNOWN = "already known"


class Claims:
    """Holds stated facts, one by one, against the `known` ones of recent days and each other.

    A client chose its words: only what says the same of the same, number by number and word by
    word, is known. It may begin elsewhere, and be inflected otherwise in English.
    """

    def __init__(self, known: Sequence[tuple[date, Fact]]) -> None:
        self.new: list[Fact] = []
        """To be written, in the order in which they were stated."""
        self.standing: list[tuple[date, Fact]] = []
        """New ones, and for those that restate a known one that, with its day; each once."""
        self.refused: list[tuple[str, str]] = []
        """Text and reason of the others."""
        self._known: dict[_Key, list[_Claim]] = {}
        self._told: set[tuple[date, Fact]] = set()
        for day, fact in known:
            claim = _claim(day, fact)
            self._known.setdefault(claim.key, []).append(claim)

    def add(self, day: date, fact: Fact) -> None:
        """Take a fact stated on `day`; an opinion said again on another day is evidence for it."""
        if any(map(foreign.is_injection, (fact.content, *map(_spaced, fact.entities)))):
            self.refused.append((fact.content, foreign.INJECTED))
            return
        claim = _claim(day, fact)
        alike = self._known.setdefault(claim.key, [])
        said = [each for each in alike if _says(each, claim)]
        same = [each for each in said if _is_restated(each, claim)]
        if same:
            self._stands(same[-1])
        elif said:
            self.refused.append((fact.content, f"{KNOWN} as ^{said[-1].id}"))
        else:
            alike.append(claim)
            self._stands(claim)
            self.new.append(fact)

    def _stands(self, claim: "_Claim") -> None:
        if (told := (claim.day, claim.fact)) not in self._told:
            self._told.add(told)
            self.standing.append(told)


# -- what is claimed -------------------------------------------------------------------------

_Key = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Claim:
    """A fact with what it is compared by.

    `words` are the written ones, `key` is the same of all that may say the same: their stems,
    wherever they begin, and the numbers in their order.
    """

    day: date
    fact: Fact
    words: tuple[str, ...]
    key: _Key
    names: frozenset[str]

    @property
    def id(self) -> str:
        return self.fact.id or facts.content_id(self.day, self.fact.content)


@lru_cache(maxsize=4096)  # each request is held against the same facts
def _claim(day: date, fact: Fact) -> _Claim:
    text = unicodedata.normalize("NFKC", fact.content).casefold().replace("’", "'")
    found = list(filter(_counts, _WORD.findall(text)))
    words = tuple(word for word in found if word not in _SILENT) or tuple(found)
    stems = _stems(words) if guess(fact.content) == "en" else words
    numbers = tuple(word for word in words if any(map(str.isdigit, word)))
    names = frozenset(name.casefold() for name in fact.entities)
    return _Claim(day, fact, words, (_turned(stems), numbers), names)


def _spaced(name: str) -> str:
    return name.replace("-", " ").replace("_", " ")


_WORD = re.compile(r"(?:(?<![\w.,)])[-+−.])?\w+(?:(?:[-'.:/@+]|(?<=\d),(?=\d))\w+)*|[^\w\s]")
"""A word, a number with its sign, its points and units ("-5", "1.2.3", "5,1"), or a mark."""
_MARKS = frozenset("%#&*/@?§")
"""Punctuation that says something, as all symbols do ("$", "<", "→"); other only parts."""
_SILENT = word_set(
    "a an the is are am be being der die das den dem des ein eine einen einem einer"
    " el la los las un una unos unas le les une des o os as um uma"
)
"""Articles, and of the forms of "be" those that also stand where nothing is past or to come."""


def _counts(word: str) -> bool:
    return len(word) > 1 or word in _MARKS or unicodedata.category(word)[0] in "LMNS"


def _stems(words: Sequence[str]) -> tuple[str, ...]:
    """Return the stems of English words, but of those in the past tense all: it is news."""
    return tuple(
        " ".join(content_stems(word, "en") or [word]) if _is_inflected(word) else word
        for word in words
    )


def _is_inflected(word: str) -> bool:
    return word.isalpha() and not word.endswith(_PAST)


_PAST = ("ed", "te", "ten")
"""Also German ends: a short sentence of two languages looks English."""


def _turned(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words as from the place where they come first in the alphabet.

    "On 3 May Ina left Graz" and "Ina left Graz on 3 May" begin at different places of the same
    round; in "Graz left Ina" the words go round in another order.
    """
    start = _least_turn(words)
    return (*words[start:], *words[:start])


def _least_turn(words: Sequence[str]) -> int:
    """Return where the words begin to come first in the alphabet, in linear time.

    Two beginnings are compared; at the first difference the greater one goes on behind it, since
    no beginning up to there can be the least.
    """
    count, one, other, same = len(words), 0, 1, 0
    while max(one, other, same) < count:
        left, right = words[(one + same) % count], words[(other + same) % count]
        if left == right:
            same += 1
            continue
        if left > right:
            one += same + 1
        else:
            other += same + 1
        other += one == other
        same = 0
    return min(one, other)


# -- the same --------------------------------------------------------------------------------


def _says(earlier: _Claim, claim: _Claim) -> bool:
    """Tell whether `earlier` says the same of the same: a content may leave its subject out."""
    if claim.fact.kind == "O" and earlier.day != claim.day:
        return False
    if not _is_of_the_same(earlier, claim):
        return False
    if earlier.words == claim.words:
        return True
    return repetition.is_repeated(claim.fact.content, earlier.fact.content, "en")


def _is_of_the_same(earlier: _Claim, claim: _Claim) -> bool:
    """Tell whether nobody is new whom the content does not name anyway."""
    if claim.names <= earlier.names:
        return True
    new = {word for name in claim.names - earlier.names for word in _spaced(name).split()}
    return earlier.names <= claim.names and new <= set(earlier.words)


def _is_restated(earlier: _Claim, claim: _Claim) -> bool:
    """Tell whether one says it in the other's words, and as sure of it."""
    held = earlier.fact.kind, earlier.fact.confidence
    return earlier.words == claim.words and held == (claim.fact.kind, claim.fact.confidence)
