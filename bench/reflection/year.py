"""A year of facts whose truth is known: what holds when, what replaces what, who believes what.

`make` draws it from a seed; `write` puts days of it into a workspace as daily logs, as a person
or an agent would: plain file writing, facts in the grammar, some of them without an id.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Literal

from bench.reflection import subjects, vocabulary
from bench.reflection.subjects import Subject
from bench.reflection.vocabulary import Attribute, Predicate
from hippod import facts
from hippod.facts import Fact, Letter, Source

FIRST = date(2025, 1, 1)
DAYS = 365

Sort = Literal["state", "opinion", "event", "list", "alias", "trap"]
Course = Literal["steady", "change", "flip-flop", "noise"]

COURSES: dict[Course, float] = {"steady": 0.4, "change": 0.3, "flip-flop": 0.15, "noise": 0.15}
_SHARES = {"state": 0.28, "opinion": 0.22, "list": 0.06, "trap": 0.04}
"""Of all facts; the rest are events."""
_AN_OPINION = 13
"""Facts about each opinion, on average."""
_SLIPS = 0.05
"""Share of the facts of an opinion that go against what is held."""
_NEITHER = 0.2
"""Share of the facts about an opinion's topic that take no side."""
_BY_HAND = 0.03
"""Share of the facts that have neither source nor id."""
_REPEATED = 0.03
"""Share of the events that are told again, word by word, on one of the next days."""
_VALUES = 4
"""Most values that an attribute has in the year."""
_SEVERAL = 0.3
"""Share of the facts naming another subject in their text that carry its name as entity too."""


@dataclass(frozen=True, slots=True)
class Told:
    """A fact and its truth.

    `about` is the name of its subject ("" for a trap: nobody can know whom it means); `also` of
    others that it names. `attribute` and `value` are of a state; `topic` and `side` (for +1,
    against -1, neither 0) of an opinion. `changes` says that the value is a new one.
    """

    day: date
    fact: Fact
    sort: Sort
    about: str
    also: tuple[str, ...] = ()
    attribute: str = ""
    value: str = ""
    changes: bool = False
    topic: str = ""
    side: int = 0

    @property
    def id(self) -> str:
        """The id by which pages know it."""
        return self.fact.id or facts.content_id(self.day, self.fact.content)


@dataclass(frozen=True, slots=True)
class Belief:
    """What somebody holds of a topic: the side from each day on."""

    about: str
    topic: str
    course: Course
    sides: tuple[tuple[date, int], ...]

    def side(self, day: date) -> int:
        """Return the side held on a day: +1 or -1."""
        return [side for since, side in self.sides if since <= day][-1]


@dataclass(frozen=True, slots=True)
class Year:
    """The subjects, all facts in order, the beliefs by (subject, topic)."""

    subjects: tuple[Subject, ...]
    told: tuple[Told, ...]
    beliefs: dict[tuple[str, str], Belief]

    def by_id(self) -> dict[str, Told]:
        """Return the facts by the id that pages know them by."""
        return {each.id: each for each in self.told}

    def current(self, day: date) -> dict[tuple[str, str], Told]:
        """Return the last statement of each (subject, attribute) until the end of a day."""
        return {
            (each.about, each.attribute): each
            for each in self.told
            if each.sort == "state" and each.day <= day
        }

    def outdated(self) -> set[str]:
        """Return the ids of the statements whose value was replaced later."""
        replaced: set[str] = set()
        earlier: dict[tuple[str, str], list[Told]] = defaultdict(list)
        for each in self.told:
            if each.sort != "state":
                continue
            stated = earlier[each.about, each.attribute]
            if stated and stated[-1].value != each.value:
                replaced.update(one.id for one in stated)
                stated.clear()
            stated.append(each)
        return replaced


def make(seed: int, entities: int, count: int) -> Year:
    """Draw a year of about `count` facts about that many subjects."""
    rng = random.Random(seed)
    cast = subjects.make(rng, entities)
    drawn = _Draw(rng, tuple(cast), _weights(rng, cast))
    told = [
        *drawn.states(round(count * _SHARES["state"])),
        *drawn.opinions(round(count * _SHARES["opinion"])),
        *drawn.lists(round(count * _SHARES["list"])),
        *drawn.traps(round(count * _SHARES["trap"])),
        *drawn.nicknames(),
    ]
    told += drawn.events(count - len(told))
    rng.shuffle(told)
    ordered = sorted(told, key=lambda each: each.day)
    return Year(tuple(cast), tuple(_sourced(rng, ordered)), drawn.beliefs)


def write(folder: Path, told: Iterable[Told]) -> None:
    """Write the daily logs of these facts, whole days of them, below `folder`."""
    days: dict[date, list[Told]] = defaultdict(list)
    for each in told:
        days[each.day].append(each)
    for day, of_day in days.items():
        bullets = "\n".join(_line(each) for each in of_day)
        entries = "\n\n".join(
            f"[{9 + 4 * n:02}:15:00] {vocabulary.ENTRIES[(day.toordinal() + n) % 7]}"
            for n in range(3)
        )
        text = f"# Daily Log - {day}\n\n{entries}\n\n## Retain\n{bullets}\n"
        (folder / f"{day}.md").write_text(text, encoding="utf-8", newline="")


def _line(told: Told) -> str:
    """Render a fact; its names stay as they were typed, in whatever Unicode form."""
    return facts.render(told.fact)


def _weights(rng: random.Random, cast: Sequence[Subject]) -> list[float]:
    """Return how much each is talked about: a few very often, most of them now and then."""
    ranks = list(range(1, len(cast) + 1))
    rng.shuffle(ranks)
    return [1 / (rank + 10) for rank in ranks]


def _sourced(rng: random.Random, told: Sequence[Told]) -> Iterator[Told]:
    """Give the facts their sources and ids; some are left as a person writes them."""
    clocks: Counter[date] = Counter()
    by_hand: set[str] = set()
    for number, each in enumerate(told):
        if rng.random() < _BY_HAND and each.id not in by_hand:
            by_hand.add(each.id)
            yield each
            continue
        clocks[each.day] += 1
        hours, minutes = divmod(8 * 60 + clocks[each.day], 60)
        source = Source("main", f"{each.day:%m%d}", f"m{number}", f"{hours:02}:{minutes:02}")
        id_ = facts.fact_id(source.name, source.session, source.turn, each.fact.content)
        yield replace(each, fact=replace(each.fact, source=source, id=id_))


@dataclass
class _Draw:
    """Draws one sort of facts after another; `told_on` says when nicknames were told."""

    rng: random.Random
    cast: tuple[Subject, ...]
    weights: list[float]
    beliefs: dict[tuple[str, str], Belief] = field(default_factory=dict)

    def __post_init__(self) -> None:
        nicknamed = (each for each in self.cast if each.nickname)
        self.told_on = {each.name: self._day(5, 200) for each in nicknamed}
        self.people = tuple(each for each in self.cast if each.sort == "person")
        companies = [each.shown for each in self.cast if each.sort == "company"]
        self.names = {vocabulary.EMPLOYERS: companies,
                      vocabulary.PEOPLE: [each.shown for each in self.people]}  # fmt: skip
        self.shown = {each.shown: each.name for each in self.cast}

    # -- what holds ------------------------------------------------------------------------------

    def states(self, count: int) -> list[Told]:
        """Draw statements of attributes: a value, repeats of it, a new value, repeats of that."""
        pool = [
            (self.rng.random() ** (1 / weight), subject, attribute)
            for subject, weight in zip(self.cast, self.weights, strict=True)
            for attribute in vocabulary.ATTRIBUTES[subject.sort]
        ]
        made: list[Told] = []
        for _, subject, attribute in sorted(pool, key=lambda each: each[0], reverse=True):
            if len(made) >= count:
                break
            made += self._attribute(subject, attribute)
        return made

    def _attribute(self, subject: Subject, attribute: Attribute) -> Iterator[Told]:
        values = self._values(attribute, subject)
        changes = self.rng.choices((0, 1, 2, 3), (3, 4, 2, 1))[0]
        days = sorted(self.rng.sample(range(DAYS), changes + 1))
        old = ""
        for n, (start, value) in enumerate(zip(days, values, strict=False)):
            end = days[n + 1] if n < changes else DAYS
            wordings = attribute.changes if n else attribute.says
            yield self._state(subject, attribute, wordings, start, value, old)
            repeats = self.rng.choices((0, 1, 2, 3), (3, 3, 2, 1))[0]
            for day in sorted(
                self.rng.sample(range(start + 1, end), min(repeats, end - start - 1))
            ):
                yield self._state(subject, attribute, attribute.says, day, value, "")
            old = value

    def _values(self, attribute: Attribute, subject: Subject) -> list[str]:
        values = self.names.get(attribute.values[0], list(attribute.values))
        others = [each for each in values if each != subject.shown]
        return self.rng.sample(others, min(_VALUES, len(others)))

    def _state(
        self, subject: Subject, attribute: Attribute, wordings: Sequence[str], day: int, value: str,
        old: str,
    ) -> Told:  # fmt: skip
        when = FIRST + timedelta(day)
        text = self._worded(wordings, subject, v=value, old=old)
        other = self.shown.get(value) if self.rng.random() < _SEVERAL else None
        entities, also = self._entities(subject, when, other)
        return Told(when, Fact("W", text, entities), "state", subject.name, also,
                    attribute.name, value, changes=bool(old))  # fmt: skip

    # -- what is believed ------------------------------------------------------------------------

    def opinions(self, count: int) -> list[Told]:
        """Draw what people say of topics; what they hold goes to `beliefs`."""
        made: list[Told] = []
        while len(made) < count:
            person = self.rng.choices(self.people, self.weights[: len(self.people)])[0]
            predicate = self.rng.choice(tuple(vocabulary.PREDICATES.values()))
            topic = self.rng.choice(predicate.topics)
            if any((person.name, one) in self.beliefs for one in (topic[0], topic[-1])):
                continue
            made += self._belief(person, predicate, topic)
        return made

    def _belief(
        self, person: Subject, predicate: Predicate, topic: tuple[str, ...]
    ) -> Iterator[Told]:
        course = self.rng.choices(tuple(COURSES), tuple(COURSES.values()))[0]
        number = max(4, round(self.rng.gauss(_AN_OPINION, 4)))
        days = sorted(self.rng.choices(range(DAYS), k=number))
        sides = self._sides(course, days)
        belief = Belief(person.name, topic[0], course, sides)
        self.beliefs[person.name, topic[0]] = belief
        before = 0
        for n, day in enumerate(days):
            when = FIRST + timedelta(day)
            side = self._said(course, belief.side(when), first=n == 0)
            yield self._opinion(person, predicate, topic, when, side, turned=before == 1)
            before = side or before

    def _sides(self, course: Course, days: Sequence[int]) -> tuple[tuple[date, int], ...]:
        side = self.rng.choice((1, 1, -1))
        turns = {"change": [days[len(days) * 2 // 5]], "flip-flop": [60, 120, 180, 240, 300]}
        sides = [(FIRST, side)]
        for day in turns.get(course, []):
            side = -side
            sides.append((FIRST + timedelta(day), side))
        return tuple(sides)

    def _said(self, course: Course, side: int, *, first: bool) -> int:
        """Return the side that is heard: mostly what is held; in noise either."""
        if first:
            return side
        if self.rng.random() < _NEITHER:
            return 0
        if course == "noise":
            return self.rng.choice((1, -1))
        return -side if self.rng.random() < _SLIPS else side

    def _opinion(
        self, person: Subject, predicate: Predicate, topic: tuple[str, ...], when: date, side: int,
        *, turned: bool,
    ) -> Told:  # fmt: skip
        wordings = {1: predicate.pro, -1: predicate.contra, 0: predicate.neither}[side]
        if side == -1 and turned:
            wordings = (*wordings, *predicate.turns)
        text = self._worded(wordings, person, t=topic[0], a=topic[0], b=topic[-1])
        kind: Letter = "O" if side else "W"
        confidence = self.rng.choice((None, 0.75, 0.8, 0.9)) if kind == "O" else None
        entities, _ = self._entities(person, when)
        return Told(when, Fact(kind, text, entities, confidence), "opinion", person.name,
                    topic=topic[0], side=side)  # fmt: skip

    # -- what happens ----------------------------------------------------------------------------

    def lists(self, count: int) -> list[Told]:
        """Draw facts of which several hold at a time."""
        made = []
        for _ in range(count):
            subject, day = self._subject(), self._day()
            wording, values = self.rng.choice(vocabulary.LISTS[subject.sort])
            text = self._worded((wording,), subject, v=self.rng.choice(values))
            entities, _ = self._entities(subject, day)
            made.append(Told(day, Fact("W", text, entities), "list", subject.name))
        return made

    def events(self, count: int) -> list[Told]:
        """Draw events with numbers, places and other people; a few are told twice."""
        made: list[Told] = []
        while len(made) < count:
            event = self._event()
            made.append(event)
            again = event.day + timedelta(self.rng.randint(1, 3))
            if self.rng.random() < _REPEATED and again < FIRST + timedelta(DAYS):
                made.append(replace(event, day=again))
        return made[:count]

    def _event(self) -> Told:
        subject, day = self._subject(), self._day()
        other = self.rng.choice([each for each in self.people if each is not subject])
        wording = self.rng.choice(vocabulary.EVENTS[subject.sort])
        text = self._worded((wording,), subject, **self._details(other))
        named = other.name if "{person}" in wording and self.rng.random() < _SEVERAL else None
        entities, also = self._entities(subject, day, named)
        kind: Letter = self.rng.choice(("W", "B", "B"))
        return Told(day, Fact(kind, text, entities), "event", subject.name, also)

    def traps(self, count: int) -> list[Told]:
        """Draw events under names that several people have."""
        made = []
        risky = [each for each in self.people if each.traps]
        for _ in range(count):
            person, day = self.rng.choice(risky), self._day()
            other = self.rng.choice(self.people)
            wordings = vocabulary.EVENTS["person"]
            text = self._worded((self.rng.choice(wordings),), person, **self._details(other))
            name = self.rng.choice(person.traps)
            made.append(Told(day, Fact("B", text, (name,)), "trap", ""))
        return made

    def nicknames(self) -> Iterator[Told]:
        """Tell the nicknames."""
        for person in self.cast:
            if person.nickname is None:
                continue
            day, nickname = self.told_on[person.name], person.nickname.text
            text = self._worded(vocabulary.ALIASES, person, v=nickname)
            names = (person.name, nickname) if self.rng.random() < _SEVERAL else (person.name,)
            yield Told(day, Fact("W", text, names), "alias", person.name)

    # -- parts -----------------------------------------------------------------------------------

    def _details(self, other: Subject) -> dict[str, str]:
        pick = self.rng.choice
        return {"person": other.shown, "number": str(self.rng.randint(2, 900)),
                "city": pick(vocabulary.CITIES), "thing": pick(vocabulary.THINGS),
                "theme": pick(vocabulary.THEMES), "part": pick(vocabulary.PARTS)}  # fmt: skip

    def _subject(self) -> Subject:
        return self.rng.choices(self.cast, self.weights)[0]

    def _day(self, first: int = 0, last: int = DAYS - 1) -> date:
        return FIRST + timedelta(self.rng.randint(first, last))

    def _worded(self, wordings: Sequence[str], subject: Subject, **parts: str) -> str:
        text = self.rng.choice(wordings).format(n=subject.shown, **parts)
        return text[0].upper() + text[1:]

    def _entities(
        self, subject: Subject, day: date, other: str | None = None
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the names as written, and the usual names of the others among them."""
        told = self.told_on.get(subject.name)
        forms = subjects.clear_forms(subject, told is not None and day > told)
        usual, *rest = forms
        form = usual if not rest or self.rng.random() < 0.8 else self.rng.choice(rest)
        others = (other,) if other and other != subject.name else ()
        return (form.text, *others), others
