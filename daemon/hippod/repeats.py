"""Which hits say again what a better one says: restatements, but never a contradiction."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hippod import daylog
from hippod.extraction import repetition
from hippod.language import content_stems, guess

LONGEST = 400
"""Characters of a text that is compared; a longer one is no single statement."""
_LEAST, _ALIKE = 3, 0.5
"""Words, and part of the words, that two texts must share; so many must be content words."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Statement:
    """What a hit says: a fact of `entities`, or other text.

    `held` is what is known of when it held: from, until, and what replaced it.
    """

    content: str
    entities: tuple[str, ...]
    is_fact: bool
    held: tuple[str | None, ...] = ()


def distinct(statements: Iterable[Statement], limit: int) -> list[int]:
    """Return the places of the first `limit` statements that none before them says already.

    A fact is said only by another fact, and only by one about the same entities that held at the
    same time; other text only by one that says no more.
    """
    kept: list[_Looked] = []
    places: list[int] = []
    for place, statement in enumerate(statements):
        looked = _look(statement)
        if not _is_said(looked, kept):
            kept.append(looked)
            places.append(place)
        if len(places) == limit:
            break
    return places


@dataclass(frozen=True, slots=True)
class _Looked:
    said: Statement
    text: str
    words: frozenset[str]
    names: frozenset[str]


def _look(statement: Statement) -> _Looked:
    lines = statement.content.split("\n") if len(statement.content) <= LONGEST else []
    text = "\n".join(daylog.split_time(line)[1] for line in lines)
    words = frozenset(_WORD.findall(text.casefold()))
    names = frozenset(name.casefold() for name in statement.entities)
    return _Looked(statement, text, words, names)


def _is_said(looked: _Looked, kept: Sequence[_Looked]) -> bool:
    shared = max(_LEAST, _ALIKE * len(looked.words))
    near = [earlier for earlier in kept if len(looked.words & earlier.words) >= shared]
    if not near:
        return False
    language = guess(looked.text)
    if len(content_stems(looked.text, language)) < _LEAST:
        return False
    return any(_says(earlier, looked, language) for earlier in near)


def _says(earlier: _Looked, later: _Looked, language: str) -> bool:
    if not repetition.is_repeated(later.text, earlier.text, language):
        return False
    if not later.said.is_fact:
        return repetition.is_repeated(earlier.text, later.text, language)
    of_the_same = earlier.names <= later.names or later.names <= earlier.names
    of_the_time = earlier.said.held == later.said.held
    return earlier.said.is_fact and of_the_same and of_the_time
