"""An opinion of the ledger as the verbs show it, its evidence followed to where it stands."""

from collections.abc import Callable
from dataclasses import dataclass

from hippod import pages, wire
from hippod.reflection import ledger_text


@dataclass(frozen=True, slots=True)
class Place:
    """Where a fact stands now (`path#L12`), and what it says."""

    source: str
    content: str


Find = Callable[[str], Place | None]
"""Given the id of a fact, where it stands now."""


def row(opinion: pages.Opinion) -> wire.Opinion:
    """Return an opinion with counts of its evidence."""
    stances = [each.stance for each in opinion.evidence]
    return wire.Opinion(
        id=opinion.id,
        statement=opinion.statement,
        confidence=opinion.confidence,
        prior=opinion.prior,
        entities=opinion.entities,
        updated=opinion.updated.isoformat() if opinion.updated else None,
        source=f"{pages.OPINIONS}#L{opinion.lines[0]}",
        supports=stances.count("supports"),
        contradicts=stances.count("contradicts"),
        pending=len(opinion.pending),
        related=len(opinion.related),
        contested=opinion.contested,
        edited=ledger_text.is_edited(opinion),
    )


def detail(opinion: pages.Opinion, find: Find) -> wire.OpinionDetail:
    """Return an opinion with its evidence in the order of the ledger."""
    return wire.OpinionDetail(
        **row(opinion).model_dump(),
        computed=ledger_text.computed(opinion),
        evidence=tuple(_evidence(item, find) for item in ledger_text.items(opinion)),
    )


def _evidence(item: ledger_text.Item, find: Find) -> wire.OpinionEvidence:
    place = find(item.block)
    return wire.OpinionEvidence(
        role=item.name,
        weight=item.weight,
        link=item.cited,
        fact=item.block,
        day=item.day.isoformat() if item.day else None,
        source=place.source if place else None,
        content=place.content if place else item.quote,
    )
