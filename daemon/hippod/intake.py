"""What of an exported record may be kept, and how it is written: the guards of an import. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from hippod import erasing, facts, forgotten, markdown, pages, redact
from hippod.errors import InvalidInput
from hippod.extraction import foreign
from hippod.facts import Fact
from hippod.forgotten import Tombstones
from hippod.reflection import belief, ledger_text
from hippod.remembered import forgets_fact
from hippod.wire_exchange import EntityRecord, EvidenceRecord, FactRecord, OpinionRecord

LONGEST: Final = 4_000
"""Characters of a fact or statement: people write longer ones than clients may state."""
EARLIEST, AHEAD = date(1900, 1, 1), timedelta(days=366)
"""Days that a fact may be of: since then, and so far ahead of today."""
_LETTERS = {name: letter for letter, name in facts.KIND_NAMES.items()}
_LINK = re.compile(r"\[\[([^\[\]\n]{1,400})\]\]")
_PRIVATE_TAG = re.compile(r"<\s{0,9}(/?)\s{0,9}private\b[^<>]{0,200}>", re.IGNORECASE)
_NOT_KEPT = "holds nothing that may be kept"
_FORGOTTEN = "says what was forgotten"


class RefusedError(Exception):
    """Why a record is not taken."""


@dataclass(frozen=True, slots=True)
class NewOpinion:
    """An opinion as the ledger would read it, and the lines of its section."""

    opinion: pages.Opinion
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Names:
    """Whom an entity record is about, in the grammar's form."""

    name: str
    aliases: tuple[str, ...]
    others: tuple[str, ...]


def fact_of(record: FactRecord, stones: Tombstones, today: date) -> tuple[date, Fact]:
    """Return the day of a fact, and the fact as it may be written; raises `RefusedError`."""
    day = _day(record.day, today)
    source = record.source
    if source and any(map(_is_foreign, (source.name, source.session, source.turn))):
        raise RefusedError("source: names a secret, or instructs a model")
    fact = Fact(
        _LETTERS[record.kind],
        _private_kept(_cleaned(record.content), whole=record.private),
        tuple(name for name in record.entities if not redact.redact(name).found),
        record.confidence,
        facts.Source(source.name, source.session, source.turn, source.time) if source else None,
        record.id,
    )
    fact = _canonical(fact)
    _check_not_injected(fact.content, *fact.entities)
    check_not_forgotten(day, fact, stones)
    return day, fact


def check_not_forgotten(day: date, fact: Fact, stones: Tombstones) -> None:
    """Raise `RefusedError` if a fact was forgotten here."""
    if stone := forgets_fact(stones, fact, day):
        raise RefusedError(_was_forgotten(stone))


def known_as(day: date, fact: Fact) -> frozenset[str]:
    """Return what tells that a fact stands there: its id, and what it says of whom on its day."""
    said = facts.normalise(_PRIVATE_TAG.sub("", fact.content))
    whom = " ".join(sorted(map(facts.normalise, fact.entities)))
    return frozenset([f"{day} {whom}: {said}", *([f"^{fact.id}"] if fact.id else [])])


def opinion_of(record: OpinionRecord, stones: Tombstones) -> NewOpinion:
    """Return an opinion as it would be read once it is written; raises `RefusedError`."""
    statement = " ".join(_cleaned(record.statement).split())
    quotes = [
        " ".join(_cleaned(each.quote).split()) if each.quote else "" for each in record.evidence
    ]
    links = [_link(each.target) for each in record.evidence]
    _check_not_injected(statement, *record.entities, *filter(None, quotes))
    lines = tuple(_lines(record, statement, list(map(_item, record.evidence, links, quotes))))
    text = "".join(f"{line}\n" for line in lines)
    if erasing.may_say(text, stones) or (record.id and stones.forgets_id(record.id)):
        raise RefusedError(_FORGOTTEN)
    found = pages.opinions(markdown.parse(text))
    if len(found) != 1 or (found[0].statement, found[0].id) != (statement, record.id):
        raise RefusedError("cannot be written as an opinion")
    if [each.quote for each in ledger_text.items(found[0])] != quotes:
        raise RefusedError("evidence: some of it cannot be written")
    return NewOpinion(found[0], lines)


def names_of(record: EntityRecord, stones: Tombstones) -> Names:
    """Return the names of an entity as pages have them; raises `RefusedError`."""
    name = facts.entity_name(record.name)
    aliases = tuple(filter(None, map(facts.entity_name, record.aliases)))
    others = tuple(filter(None, map(facts.entity_name, record.others)))
    if not name:
        raise RefusedError("name: has no letter or digit")
    if any(redact.redact(each).found for each in (name, *aliases, *others)):
        raise RefusedError("a name in it holds a secret")
    _check_not_injected(name, *aliases, *others)
    shown = "".join(f"{facts.display_name(each)}\n\n" for each in (name, *aliases, *others))
    if erasing.may_say(shown, stones):
        raise RefusedError(_FORGOTTEN)
    return Names(name, aliases, others)


# -- guards ----------------------------------------------------------------------------------


def _cleaned(text: str) -> str:
    """Return a text without secrets and our own output."""
    if len(text) > LONGEST:
        raise RefusedError(f"has {len(text)} characters, at most {LONGEST} may be")
    clean = redact.redact(redact.strip_memory(facts.writable(text))).text.strip()
    if not clean:
        raise RefusedError(_NOT_KEPT)
    return clean


def _private_kept(content: str, *, whole: bool) -> str:
    """Return a content whose private spans begin and end in it.

    One that does not would hide what stands behind it in the log, or let it out.
    """
    tags = [match[1] for match in _PRIVATE_TAG.finditer(content)]
    if not tags and not whole:
        return content
    if tags and tags == ["", "/"] * (len(tags) // 2):
        return content
    bare = " ".join(_PRIVATE_TAG.sub(" ", content).split())
    if not bare:
        raise RefusedError(_NOT_KEPT)
    return f"<private>{bare}</private>"


def _link(target: str) -> str:
    """Return the link that evidence cites; words beside it would pass no guard."""
    link = _LINK.fullmatch(" ".join(target.split()))
    if link is None:
        raise RefusedError("evidence: its target is no link")
    if _is_foreign(link[1]) or redact.redact(link[1]).found:
        raise RefusedError("evidence: its target names a secret, or instructs a model")
    return link[0]


def _check_not_injected(*texts: str) -> None:
    for text in texts:
        if any(map(foreign.is_injection, {text, re.sub("[-_]", " ", text)})):
            raise RefusedError(foreign.INJECTED)


def _is_foreign(name: str) -> bool:
    spaced = re.sub("[-_:#^|/]", " ", name)
    return redact.names_key(name) or foreign.is_injection(spaced)


def _was_forgotten(stone: forgotten.Tombstone) -> str:
    place = f"line {stone.line} of {forgotten.PATH}"
    return f"was forgotten on {stone.day}; delete {place} to allow it again"


def _day(text: str, today: date) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise RefusedError("day: is none") from None
    if not EARLIEST <= day <= today + AHEAD:
        raise RefusedError(f"day: {text} cannot be")
    return day


def _canonical(fact: Fact) -> Fact:
    try:
        fact = facts.canonical(fact)
        is_sound = facts.parse_bullet(facts.render(fact)) == fact
    except InvalidInput as error:
        raise RefusedError(error.message) from None
    if not is_sound:
        raise RefusedError("cannot be written as a fact")
    return fact


# -- opinions as text ------------------------------------------------------------------------


def _lines(record: OpinionRecord, statement: str, items: Sequence[str]) -> list[str]:
    names = " ".join(f"@{name}" for name in map(facts.entity_name, record.entities) if name)
    confidence = record.confidence
    if confidence is None and record.prior is not None:
        stances = ("supports", "contradicts")
        counted = (each.weight for each in record.evidence if each.stance in stances)
        confidence = belief.confidence(record.prior, counted)
    fields = [
        f"- id: {record.id}" if record.id else "",
        f"- prior: {_share(record.prior)}" if record.prior is not None else "",
        f"- c: {_share(confidence)}" if confidence is not None else "",
        f"- entities: {names}" if names else "",
        f"- updated: {record.updated}" if record.updated else "",
        "- contested: true" if record.contested else "",
    ]
    return [f"## {statement}", *filter(None, fields), *items]


def _item(record: EvidenceRecord, link: str, quote: str) -> str:
    quoted = f' "{quote}"' if quote else ""
    short = f"{record.weight:+.2f}"
    weight = short if float(short) == record.weight else f"{record.weight:+.4f}"
    return f"- {record.stance}: {link}{quoted} {weight if record.weight else '0'}"


def _share(value: float) -> str:
    """Return a share with two digits, or as many as it has."""
    short = f"{value:.2f}"
    return short if float(short) == value else f"{value:.9f}".rstrip("0")
