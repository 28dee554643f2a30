"""What a day that is over was about: one derived fact for each of its main topics."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from hippod import facts
from hippod.facts import Fact, Source
from hippod.reflection import restating
from hippod.reflection.entities import Entities, Entity
from hippod.reflection.known import DERIVED, KnownFact, repeated

FEWEST_FACTS: Final = 2
"""Facts of a day that make their entity a topic of it."""
MOST_TOPICS: Final = 5
MOST_FACTS: Final = 3
"""Facts that a summary repeats."""
LONGEST: Final = 400
"""Characters of a summary, its links included."""


def summaries(day: date, said: Sequence[KnownFact], entities: Entities) -> list[Fact]:
    """Return a fact of kind S for each topic of a day, those said most about first.

    Topics of which the same is told share one, which has the id of the first.
    `said` are facts of any days. The same facts give the same summaries; those that hippod
    derived itself are passed over.
    """
    topics = _topics(day, said, entities)
    return _joined(fact for topic, its in topics for fact in _summary(day, topic, its))


def summary_id(day: date, topic: Entity) -> str:
    """Return the id of the summary of a topic's day, whatever it says."""
    return _id(day, topic.key)


def ids(day: date, summary: Fact, entities: Entities) -> frozenset[str]:
    """Return the ids that a summary has under any name of any of its topics."""
    topics = filter(None, map(entities.named, summary.entities))
    return frozenset(_id(day, key) for topic in topics for key in (topic.key, *topic.keys))


def is_told(summary: Fact, standing: Iterable[KnownFact]) -> bool:
    """Say whether derived facts that stand in the day's log repeat all that a summary does."""
    told = {piece for fact in standing for piece in _pieces(fact.fact.content)}
    return told.issuperset(_pieces(summary.content))


def _pieces(content: str) -> set[tuple[str, str]]:
    """Return what is repeated: by its block, of what a person wrote by its text."""
    return {("" if each.block else each.content, each.link) for each in repeated(content)}


def _joined(summaries: Iterable[Fact]) -> list[Fact]:
    """Make one of those that repeat the same facts: it is about both topics."""
    found: dict[str, Fact] = {}
    for each in summaries:
        first = found.setdefault(each.content, each)
        if first is not each:
            heads = (*first.entities, *each.entities)
            found[each.content] = replace(first, entities=heads)
    return list(found.values())


def _id(day: date, key: str) -> str:
    return facts.fact_id(DERIVED, day.isoformat(), key, "summary")


def _topics(
    day: date, said: Sequence[KnownFact], entities: Entities
) -> list[tuple[Entity, list[KnownFact]]]:
    found: dict[str, tuple[Entity, list[KnownFact]]] = {}
    for fact in said:
        if fact.day == day and not fact.is_derived:
            for entity in entities.of(fact):
                found.setdefault(entity.key, (entity, []))[1].append(fact)
    topics = [topic for topic in found.values() if len(topic[1]) >= FEWEST_FACTS]
    topics.sort(key=lambda topic: (-len(topic[1]), topic[0].key))
    return topics[:MOST_TOPICS]


def _summary(day: date, topic: Entity, its: Sequence[KnownFact]) -> Iterator[Fact]:
    told = _telling(its)
    if told:
        yield Fact(
            kind="S",
            content=" ".join(map(_linked, told)),
            entities=(topic.name,),
            source=Source(DERIVED, day.isoformat(), topic.name),
            id=summary_id(day, topic),
        )


def _telling(its: Sequence[KnownFact]) -> list[KnownFact]:
    """Choose the facts that say most, each something else, in the order in which they were said."""
    chosen: list[KnownFact] = []
    room = LONGEST
    for fact in sorted(its, key=_weight, reverse=True):
        length = len(_linked(fact)) + bool(chosen)
        if len(chosen) < MOST_FACTS and length <= room and not _is_told(fact, chosen):
            chosen.append(fact)
            room -= length
    return [fact for fact in its if fact in chosen]


def _weight(fact: KnownFact) -> tuple[int, int]:
    """Rank by what can be held on to (names, numbers), then by how much is said."""
    content = fact.fact.content
    numbers = any(map(str.isdigit, content))
    return len(fact.fact.entities) + len(facts.mentions(content)) + numbers, len(content)


def _is_told(fact: KnownFact, chosen: Iterable[KnownFact]) -> bool:
    content = fact.fact.content
    if "[[" in content:  # its links would be taken for those of the summary
        return True
    return any(restating.says_again(content, each.fact.content) for each in chosen)


def _linked(fact: KnownFact) -> str:
    return f"{fact.fact.content} {fact.link}"
