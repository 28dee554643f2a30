"""Entity pages, `bank/entities/<Slug>.md`: how things are now, and what else was said before."""

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from hippod import facts, markdown, pages
from hippod.markdown import Markdown
from hippod.pages import Link, Region
from hippod.reflection import regions, summary
from hippod.reflection.bullets import bullet, linked
from hippod.reflection.entities import Entity
from hippod.reflection.groups import Group, grouped
from hippod.reflection.known import KnownFact
from hippod.reflection.regions import Part, Refreshed
from hippod.reflection.summary import Choice, Sentence, Summarise

SUMMARY: Final = "summary"
HISTORY: Final = "history"
MOST_BULLETS: Final = 40
"""Bullets of a history; superseded facts go last, for recall goes by their marks."""


def refresh(
    text: str | None,
    entity: Entity,
    marks: Mapping[str, str],
    by_id: Mapping[str, KnownFact],
    summarise: Summarise | None,
    today: date,
    doubted: Collection[str] = (),
) -> Refreshed:
    """Return the page of `entity` with its facts; the same facts change nothing and ask no model.

    `text` is None for a page that is not there; `marks` map a superseded fact to what superseded
    it. A summary that says what it should stays, whoever worded it. What only `doubted` facts say
    is history.
    """
    known = {old: new for old, new in marks.items() if new in by_id}
    groups = grouped([each for each in entity.facts if _tells(each)], known)
    told = _Told(entity, groups, summary.choose(groups, today, doubted), by_id, summarise)
    return _renewed(text, told, today) if text is not None else _new(told, today)


@dataclass(frozen=True, slots=True)
class _Told:
    """What a page is to tell, and with what."""

    entity: Entity
    groups: tuple[Group, ...]
    choice: Choice
    by_id: Mapping[str, KnownFact]
    summarise: Summarise | None

    @property
    def now(self) -> frozenset[str]:
        """The ids of the facts that the summary tells, the newest of each group."""
        return frozenset(group.newest.id for group in (*self.choice.state, *self.choice.lately))


def _tells(fact: KnownFact) -> bool:
    return fact.fact.kind != "S" and not fact.is_derived


def _new(told: _Told, today: date) -> Refreshed:
    if not told.groups:
        return Refreshed(None)
    name = told.entity.name
    head = [
        *("---", f"entity: {_scalar(name)}", "aliases: []", f"updated: {today.isoformat()}", "---"),
        f"# {facts.display_name(name)}",
    ]
    parts = [Part(SUMMARY, _summary(told)), Part(HISTORY, _history(told, told.now), "History")]
    return Refreshed(regions.new_page(head, parts))


def _renewed(text: str, told: _Told, today: date) -> Refreshed:
    document = markdown.parse(text)
    if problem := regions.fault(text, document):
        return Refreshed(None, problem)
    found = pages.regions(document)
    old = next((region for region in found if region.name == SUMMARY), None)
    lines: tuple[str, ...] = ()
    if old and old.edited:
        now = _cited(told.groups, pages.sentences(document, old))
    elif found and not old:  # a person took it out
        now = frozenset()
    else:
        now, lines = told.now, _standing(told, document, old)
    parts = [Part(SUMMARY, lines, "Summary"), Part(HISTORY, _history(told, now), "History")]
    return regions.refreshed(text, parts, today)


def _cited(groups: Sequence[Group], said: Sequence[tuple[str, Sequence[Link]]]) -> frozenset[str]:
    """Return the ids of the facts that sentences link; a link to a day means the one of that day.

    Of several that people wrote on a day, it means those that a sentence has word for word.
    """
    links = {str(link) for _, linked in said for link in linked}
    known = [fact for group in groups for fact in group.facts if fact.link in links]
    alike = Counter(fact.link for fact in known)
    texts = {text for text, _ in said}
    return frozenset(
        fact.id
        for fact in known
        if alike[fact.link] == 1 or summary.told(fact.fact.content) in texts
    )


# --- the summary --------------------------------------------------------------------------------


def _standing(told: _Told, document: Markdown, old: Region | None) -> tuple[str, ...]:
    """Return the lines of the summary that is there, those that say what they should as they are.

    Where only what was done lately changed, nobody is asked for how things are.
    """
    if old is None:
        return _summary(told)
    lines = regions.held(document, old)
    if _says(told, document, old, told.choice):
        return lines
    end = lines.index("") if "" in lines else len(lines)
    state = replace(old, end=old.start + end - 1)
    if lines[:end] and _says(told, document, state, Choice(told.choice.state, ())):
        return _joined(lines[:end], _lately(told))
    return _summary(told)


def _says(told: _Told, document: Markdown, part: Region, choice: Choice) -> bool:
    said = [(text, set(map(str, links))) for text, links in pages.sentences(document, part)]
    return summary.standing(said, choice, told.entity.keys)


def _summary(told: _Told) -> tuple[str, ...]:
    """Return the lines of a new summary: how things are, then what was done lately."""
    known = [group.newest for group in told.choice.state]
    said = told.summarise(told.entity, known) if told.summarise and len(known) > 1 else None
    state = summary.sentences(told.choice, said or (), told.entity.keys)
    return _joined(tuple(map(_line, state)), _lately(told))


def _lately(told: _Told) -> tuple[str, ...]:
    return tuple(_line(summary.sentence(group)) for group in told.choice.lately)


def _joined(state: tuple[str, ...], lately: tuple[str, ...]) -> tuple[str, ...]:
    return (*state, *([""] if state and lately else []), *lately)


def _line(said: Sentence) -> str:
    return f"{pages.escaped(said.text, begins=True)} {', '.join(linked(said.facts))}"


# --- the history --------------------------------------------------------------------------------


def _history(told: _Told, now: Collection[str]) -> tuple[str, ...]:
    """Return the bullets of all that the summary, which tells of the facts `now`, does not tell."""
    others = [group for group in told.groups if not any(fact.id in now for fact in group.facts)]
    least = sorted(others, key=lambda group: group.by is None)  # stable: the newest of each first
    kept = {group.newest.id for group in least[:MOST_BULLETS]}
    return tuple(
        bullet(group, told.by_id, names=False) for group in others if group.newest.id in kept
    )


# --- front matter -------------------------------------------------------------------------------

_PLAIN = re.compile(r"[^\W\d_][\w-]*")
_NO_STRINGS = frozenset(("yes", "no", "true", "false", "null", "on", "off", "y", "n"))


def _scalar(name: str) -> str:
    """Return a name as YAML that every reader takes for a string."""
    is_plain = _PLAIN.fullmatch(name) and name.casefold() not in _NO_STRINGS
    return name if is_plain else json.dumps(name, ensure_ascii=False)
