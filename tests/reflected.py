"""Facts as reflection sees them, made from the lines of daily logs."""

from collections.abc import Iterable
from datetime import date

from hippod import facts
from hippod.reflection import entities
from hippod.reflection.entities import Entity
from hippod.reflection.known import KnownFact, known

TODAY = date(2026, 3, 3)


def fact(line: str) -> KnownFact:
    """Return the fact of `2026-03-01 W @Peter: Rows. ^id`; no id: a person wrote it."""
    day, _, bullet = line.partition(" ")
    parsed = facts.parse_bullet(f"- {bullet}")
    assert parsed is not None, line
    return known(date.fromisoformat(day), parsed, f"memory/{day}.md", 5, 5)


def listed(*lines: str) -> list[KnownFact]:
    """Return the facts of lines."""
    return [fact(line) for line in lines]


def entity(known: Iterable[KnownFact], name: str = "Peter") -> Entity:
    """Return the entity of that name with its facts."""
    found = entities.resolve(list(known), []).named(name)
    assert found is not None
    return found


def by_id(known: Iterable[KnownFact]) -> dict[str, KnownFact]:
    """Return facts by id."""
    return {each.id: each for each in known}
