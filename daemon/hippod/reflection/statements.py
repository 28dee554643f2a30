"""What a fact says when it stands alone, and how much of it another text says."""

from collections.abc import Collection, Iterable, Sequence, Set
from functools import lru_cache

from hippod import facts
from hippod.language import content_stems, guess
from hippod.reflection.entities import Entities, form
from hippod.reflection.known import KnownFact


def statement(fact: KnownFact, entities: Entities) -> str:
    """Return what `fact` says, with "Name: " in front if it names none of its entities."""
    content = fact.fact.content.replace("<!--", "&lt;!--")
    names = named_by(fact, entities)
    if not names or is_named(forms_of(fact, entities), content):
        return content
    return f"{facts.display_name(names[0])}: {content}"


def named_by(fact: KnownFact, entities: Entities) -> Sequence[str]:
    """Return the names of a fact's entities; those that nobody knows as they are written."""
    known = (entities.named(name) for name in fact.fact.entities)
    pairs = zip(known, fact.fact.entities, strict=True)
    return tuple(dict.fromkeys(each.name if each else name for each, name in pairs))


def forms_of(fact: KnownFact, entities: Entities) -> frozenset[str]:
    """Return all forms of the names of a fact's entities."""
    known = {form_ for each in entities.of(fact) for form_ in each.keys}
    return frozenset(known | {form(name) for name in fact.fact.entities})


def is_named(forms: Iterable[str], text: str) -> bool:
    """Say whether one of the names stands in the text as a word."""
    words = facts.normalise(text).replace("-", " ").replace("_", " ")
    return any(_stands_in(name, words) for name in forms)


@lru_cache(maxsize=16_384)
def stems(text: str) -> frozenset[str]:
    """Return the stems of the content words."""
    return frozenset(content_stems(text, guess(text)))


def stems_without(text: str, names: Collection[str]) -> frozenset[str]:
    """Return the stems of the content words that are of none of the names."""
    return stems(text).difference(*(stems(name) for name in names))


def overlap(one: Set[str], other: Set[str]) -> float:
    """Return the part of the smaller set that the other one has too."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0


def _stands_in(name: str, text: str) -> bool:
    start = text.find(name) if name else -1
    while start >= 0:
        around = text[:start][-1:] + text[start + len(name) :][:1]
        if not any(map(str.isalnum, around)):
            return True
        start = text.find(name, start + 1)
    return False
