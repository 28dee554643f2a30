"""What a question means in this index: whom its names are, when its event was, whom it lifts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from hippod import tokens, wire
from hippod.boosts import Aims, Traits, boosts
from hippod.errors import HippodError
from hippod.index import Brief, View
from hippod.query import Query, Where, edge, entity_key
from hippod.questions import Event

_LINKED = 20
"""Units about the entities of a question that are candidates, whatever their words."""
_EVENT_SHARE = 0.6
"""How much of an event's words (by idf) a unit must have to stand for it."""
_EVENT_DEPTH = 5
_EVENT_MARGIN = 3
"""Days around an event that are its time."""
_NO_AIMS = Aims()
_NO_KEYS: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Dated:
    """The unit that was taken for an event, and its day."""

    day: date
    source: str


@dataclass(frozen=True, slots=True)
class Meaning:
    """A question understood as far as this index can tell.

    `entities` maps names of the question to all keys of the same entity, `linked` are units
    about them.
    """

    query: Query
    entities: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    linked: tuple[int, ...] = ()
    event: Dated | None = None

    @property
    def about(self) -> tuple[str, ...]:
        """The names that the whole question is about."""
        return tuple(name for name in self.query.question.subjects if name in self.entities)

    @property
    def aims(self) -> Aims:
        """What a unit is compared with."""
        return Aims(
            entities=frozenset().union(*self.entities.values()),
            about=frozenset().union(*(self.entities[name] for name in self.about)),
            opinion=self.query.question.asks_opinion,
            when=self.query.asks_only_when,
        )


def interpret(view: View, query: Query, user: frozenset[str] = _NO_KEYS) -> Meaning:
    """Look up the names of a question, units about them, and the day of its event.

    Only what the scope of the question sees is asked. `user` are names of one person: the user.
    """
    names = view.entities_in(query.question.names, query.where) if query.question.names else {}
    if user.intersection(query.question.names):
        names = _with_user(names, view.entities_in(user, query.where), query, user)
    names = {name: same for name, same in names.items() if not _is_within(name, names)}
    keys = list(dict.fromkeys(key for same in names.values() for key in same))
    return Meaning(
        query=query,
        entities=names,
        linked=tuple(view.of_entities(keys, query.where, _LINKED)) if keys else (),
        event=_dated(view, query) if query.question.event and not query.times else None,
    )


def _with_user(
    names: Mapping[str, tuple[str, ...]],
    known: Mapping[str, tuple[str, ...]],
    query: Query,
    user: frozenset[str],
) -> dict[str, tuple[str, ...]]:
    """Let each name of the user in a question stand for all of them, of which some are `known`."""
    theirs = [key for keys in known.values() for key in keys]
    asked = user.intersection(query.question.names) if theirs else ()
    return {
        **names,
        **{name: tuple(dict.fromkeys((*names.get(name, (name,)), *theirs))) for name in asked},
    }


def _is_within(name: str, names: Iterable[str]) -> bool:
    """Tell whether a name is only a part of a longer one: "Peter" of "Peter Doe"."""
    return any(name != longer and f" {name} " in f" {longer} " for longer in names)


def spans(query: Query) -> list[Where]:
    """Return filters for the times that a question names, within its own; none with a range."""
    where = query.where
    if where.since or where.until:
        return []
    days = dict.fromkeys((each.since, each.until) for each in query.times)
    return [
        replace(where, since=_first_second(since), until=_last_second(until))
        for since, until in days
    ]


def lifts(
    view: View, meaning: Meaning, units: Sequence[Brief], held: frozenset[int]
) -> dict[int, dict[str, float]]:
    """Return for each unit what lifts it, by name; `held` as `held_then` returns it."""
    aims, where = meaning.aims, _visible(meaning.query.where)
    spans = [(each.since, each.until) for each in meaning.query.times]
    in_time = _meeting(view, units, where, spans)
    bounds = _bounds(meaning.query.question.event, meaning.event)
    near_event = _meeting(view, units, where, [bounds])
    if aims == _NO_AIMS and not (in_time or near_event or held):
        return {each.unit: {} for each in units}
    return {
        each.unit: boosts(
            aims,
            Traits(
                kind=each.kind,
                keys=frozenset(map(entity_key, each.entities)) if aims.entities else _NO_KEYS,
                is_summary=each.role == "summary",
                in_time=each.unit in in_time,
                near_event=each.unit in near_event,
                held=each.unit in held,
            ),
        )
        for each in units
    }


def held_then(view: View, meaning: Meaning, units: Sequence[Brief]) -> frozenset[int]:
    """Return the facts that held on the day whose state is asked for; none if none is."""
    moment = meaning.query.where.as_of or _last_second(meaning.query.state_at)
    if moment is None:
        return frozenset()
    stated = (each.unit for each in units if each.kind != "document")
    return view.passing(stated, replace(_visible(meaning.query.where), as_of=moment))


def successions(
    units: Sequence[Brief],
    superseded: Mapping[int, str],
    held: frozenset[int],
    lifts: Mapping[int, Mapping[str, float]],
) -> dict[int, list[int]]:
    """Map units to those that must stand before them; `superseded` is by which facts they are.

    A fact that replaced another stands before it, unless the other one held at the time that
    the question is about, or is from that time alone.
    """
    if not superseded:
        return {}
    by_fact: dict[str, list[int]] = {}
    for each in units:
        for fact in {each.fact_id, each.restates} - {None}:
            by_fact.setdefault(str(fact), []).append(each.unit)
    before: dict[int, list[int]] = {}
    for old, fact in superseded.items():
        for new in by_fact.get(fact, ()):
            if "time" in lifts.get(old, ()) and "time" not in lifts.get(new, ()):
                continue
            first, second = (old, new) if old in held else (new, old)
            before.setdefault(second, []).append(first)
    return before


def understood(meaning: Meaning) -> wire.Understood:
    """Return what a question was taken to mean, for people to read."""
    query, question = meaning.query, meaning.query.question
    return wire.Understood(
        terms=query.terms,
        dropped_terms=query.dropped_terms,
        entities=dict(meaning.entities),
        about=meaning.about,
        asks_opinion=question.asks_opinion,
        times=tuple(
            wire.ReadTime(
                text=each.text,
                since=_iso(each.since),
                until=_iso(each.until),
                precision=each.precision,
                around=each.around,
            )
            for each in query.times
        ),
        state_at=_iso(query.state_at),
        event=_told(question.event, meaning.event) if not query.times else None,
        since=_iso(query.where.since),
        until=_iso(query.where.until),
        as_of=_iso(query.where.as_of),
    )


def _told(event: Event | None, dated: Dated | None) -> wire.ReadEvent | None:
    if event is None:
        return None
    return wire.ReadEvent(
        text=event.text,
        bound=event.bound,
        day=_iso(dated.day) if dated else None,
        source=dated.source if dated else None,
    )


def _dated(view: View, query: Query) -> Dated | None:
    """Return the best dated unit for the words of an event, whatever else the question filters.

    A fact that tells what was lived through goes before other text: plans have the same words.
    """
    event = query.question.event
    assert event is not None
    where = _visible(query.where)
    try:
        found = view.lexical(tokens.terms(event.text), _EVENT_DEPTH, where)
    except HippodError:  # the leg itself fails for the same reason, and says so
        return None
    rows = view.fetch((hit.unit for hit in found if hit.share >= _EVENT_SHARE), where)
    told = [rows[hit.unit] for hit in found if hit.unit in rows]
    for row in sorted(told, key=lambda row: row.kind != "experience"):
        if stamp := row.valid_from or row.timestamp:
            return Dated(date.fromisoformat(stamp[:10]), f"{row.path}#L{row.line_start}")
    return None


def _bounds(event: Event | None, dated: Dated | None) -> tuple[date | None, date | None]:
    """Return the days that an event bounds; open at the far end, or at both without a date."""
    if event is None or dated is None:
        return None, None
    if event.bound == "around":
        days = (dated.day.toordinal() + step for step in (-_EVENT_MARGIN, _EVENT_MARGIN))
        first, last = (min(max(day, 1), date.max.toordinal()) for day in days)
        return date.fromordinal(first), date.fromordinal(last)
    return (dated.day, None) if event.bound == "since" else (None, dated.day)


def _meeting(
    view: View,
    units: Sequence[Brief],
    where: Where,
    spans: Iterable[tuple[date | None, date | None]],
) -> frozenset[int]:
    """Return the units that are of any of the spans: exactly those that a filter would pass."""
    found: frozenset[int] = frozenset()
    for since, until in spans:
        if since or until:
            span = replace(where, since=_first_second(since), until=_last_second(until))
            found |= view.passing((each.unit for each in units), span)
    return found


def _visible(where: Where) -> Where:
    """Return the scope of a filter without its other conditions."""
    return Where(scope=where.scope, group_paths=where.group_paths)


def _first_second(day: date | None) -> datetime | None:
    return edge(day, end=False) if day else None


def _last_second(day: date | None) -> datetime | None:
    return edge(day, end=True) if day else None


def _iso(when: date | None) -> str | None:
    return when.isoformat() if when else None
