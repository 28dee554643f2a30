"""Bullets of facts on pages: a day, names, what was said, links, and what superseded it."""

from collections.abc import Mapping, Sequence

from hippod import facts, pages
from hippod.reflection.groups import Group
from hippod.reflection.known import KnownFact

MOST_LINKS = 8
"""Links of a sentence or bullet: to the newest of the facts that say it."""


def bullet(group: Group, by_id: Mapping[str, KnownFact], names: bool) -> str:
    """Return the bullet of facts that say the same; `names`: with their entities in front."""
    newest = group.newest
    head = [f"@{name}" for name in newest.fact.entities if _can_be_read(name)] if names else []
    said = " ".join([newest.day.isoformat(), *head]) + f": {pages.escaped(newest.fact.content)}"
    by = by_id.get(group.by) if group.by else None
    links = ", ".join(linked(group.facts))
    return f"- ~~{said}~~ {links} superseded by {_new(by)}" if by else f"- {said} {links}"


def linked(known: Sequence[KnownFact]) -> tuple[str, ...]:
    """Return the links to facts, each once, as many as there may be."""
    return tuple(dict.fromkeys(fact.link for fact in known[:MOST_LINKS]))


def _new(by: KnownFact) -> str:
    """Return the link to what superseded a fact; one that a person wrote is quoted."""
    return by.link if by.has_block else f'{by.link} "{pages.escaped(by.fact.content)}"'


def _can_be_read(name: str) -> bool:
    return facts.mentions(f"@{name}") == (name,)
