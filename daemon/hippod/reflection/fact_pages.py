"""Pages of facts, `bank/world.md` and `bank/experience.md`: what hippod keeps on them."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import groupby
from typing import Final

from hippod import pages
from hippod.reflection import regions
from hippod.reflection.bullets import bullet
from hippod.reflection.groups import Group, grouped
from hippod.reflection.known import KnownFact
from hippod.reflection.regions import Part, Refreshed

REGION: Final = "facts"
_KINDS: Final = {"world": "W", "experience": "B"}


def refresh(
    path: str,
    text: str | None,
    facts: Sequence[KnownFact],
    marks: Mapping[str, str],
    by_id: Mapping[str, KnownFact],
    today: date,
    limit: int,
) -> Refreshed:
    """Return the page at `path` with the facts of its kind: the `limit` newest bullets.

    Superseded facts are kept beyond the limit: their marks are what recall goes by. `text` is
    None for a page that is not there; `marks` map a superseded fact to what superseded it.
    """
    kind = pages.FACT_PAGES[path]
    own = [each for each in facts if each.fact.kind == _KINDS[kind] and not each.is_derived]
    known = {old: new for old, new in marks.items() if new in by_id}
    lines = tuple(_lines(_newest(grouped(own, known), limit), by_id))
    part = Part(REGION, lines)
    if text is None:
        return Refreshed(regions.new_page([f"# {kind.capitalize()}"], [part]) if lines else None)
    return regions.refreshed(text, [part], today)


def _newest(groups: Sequence[Group], limit: int) -> list[Group]:
    return [group for place, group in enumerate(groups) if place < limit or group.by]


def _lines(groups: Sequence[Group], by_id: Mapping[str, KnownFact]) -> Iterator[str]:
    """Yield the lines of the region: months newest first, a blank line between."""
    for place, (month, of_month) in enumerate(groupby(groups, key=lambda each: _month(each.day))):
        yield from ([""] if place else [])
        yield f"## {month}"
        yield from (bullet(group, by_id, names=True) for group in of_month)


def _month(day: date) -> str:
    return f"{day.year:04}-{day.month:02}"
