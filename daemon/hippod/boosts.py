"""What lifts a unit beyond its words and meaning: whom, when and what kind a question asks for.

Boosts are added to the fused score (0..1) and filter nothing. They are small, so that they decide
between units of about equal evidence: measured, a time of the question is worth half a point of
MRR, and nothing is gained by more. Only what is the whole question is lifted above everything:
the page about somebody, the time of "what happened on Monday".
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hippod.wire import Kind

_ENTITY = 0.1
_ABOUT = 0.2
_SUMMARY = 2.0
_OPINION = 0.2
_THEIR_OPINION = 0.4
_OTHER_OPINION = 0.1
_TIME = 0.15
_WHEN = 1.5
_EVENT = 0.05
_HELD = 0.2


@dataclass(frozen=True, slots=True)
class Aims:
    """What a question asks for: keys of entities, those it is about alone, an opinion.

    `when` says that it asks for what happened at a time and nothing else.
    """

    entities: frozenset[str] = frozenset()
    about: frozenset[str] = frozenset()
    opinion: bool = False
    when: bool = False


@dataclass(frozen=True, slots=True)
class Traits:
    """What counts of a unit: the keys of its entities, and which times of the question it meets.

    `held` says that it is a fact that was true at the time whose state is asked for.
    """

    kind: Kind
    keys: frozenset[str] = frozenset()
    is_summary: bool = False
    in_time: bool = False
    near_event: bool = False
    held: bool = False


def boosts(aims: Aims, unit: Traits) -> dict[str, float]:
    """Return what lifts a unit, by name; empty if nothing does.

    What held then is no better for being written down then.
    """
    about = not aims.about.isdisjoint(unit.keys)
    named = about or not aims.entities.isdisjoint(unit.keys)
    lifted = {
        "summary": _SUMMARY if about and unit.is_summary else 0.0,
        "about": _ABOUT if about and unit.kind != "document" else 0.0,
        "entity": _ENTITY if named else 0.0,
        "opinion": _opinion(aims, named) if aims.opinion and unit.kind == "opinion" else 0.0,
        "time": _time(aims) if unit.in_time and not unit.held else 0.0,
        "event": _EVENT if unit.near_event else 0.0,
        "held": _HELD if unit.held else 0.0,
    }
    return {name: value for name, value in lifted.items() if value}


def _opinion(aims: Aims, named: bool) -> float:
    if not aims.entities:
        return _OPINION
    return _THEIR_OPINION if named else _OTHER_OPINION


def _time(aims: Aims) -> float:
    return _WHEN if aims.when else _TIME


def in_succession(order: Sequence[int], before: Mapping[int, Iterable[int]]) -> list[int]:
    """Return units in their order, except that those in `before[unit]` come ahead of `unit`."""
    place = {unit: number for number, unit in enumerate(order)}
    done: dict[int, None] = {}
    for unit in order:
        path = [unit]  # a ring of units that should all come first keeps its order
        while path:
            ahead = [
                each
                for each in before.get(path[-1], ())
                if each in place and each not in done and each not in path
            ]
            if ahead:
                path.append(min(ahead, key=place.__getitem__))
            else:
                done.setdefault(path.pop())
    return list(done)
