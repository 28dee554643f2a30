"""What the index stores of a unit: plain values, made where the unit is cut."""

import hashlib
import json
from collections.abc import Sequence
from typing import NamedTuple

import regex

from hippod import chunks, facts, pages, questions, tokens
from hippod.chunks import Unit

_TELLING = regex.compile(r"[\p{L}\p{N}\p{So}]")


class Entry(NamedTuple):
    """A unit as its row holds it up to `evidence`; the rest is for other tables.

    `same` is equal for units that say the same. `entities` and `evidence` are JSON. `words` is
    what the full-text table stores, `text_hash` is of the text that both legs search, `telling`
    whether there is anything in it to embed. `mentions` are pairs of key and name.
    """

    unit_id: str
    position: int
    kind: str
    line_start: int
    line_end: int
    header: str
    content: str
    same: int
    entities: str
    confidence: float | None
    timestamp: str | None
    valid_from: str | None
    valid_until: str | None
    fact_id: str | None
    private: bool
    role: str
    restates: str | None
    evidence: str | None
    text_hash: bytes
    telling: bool
    words: str
    mentions: tuple[tuple[str, str], ...]


def entries(path: str, units: Sequence[Unit]) -> list[Entry]:
    """Return the entries of the units of a document."""
    occurrences: dict[str, int] = {}
    return [_entry(path, unit, occurrences) for unit in units]


def searched_text(header: str, content: str, role: str) -> str:
    """Return the text of a unit that both legs search."""
    return f"{header}\n{pages.without_links(content, days=role == 'summary')}"


def has_words(text: str) -> bool:
    """Say whether a text has a letter, a digit or a symbol: rules and dashes mean nothing."""
    return _TELLING.search(text) is not None


def _entry(path: str, unit: Unit, occurrences: dict[str, int]) -> Entry:
    text = searched_text(unit.header, unit.content, unit.role)
    occurrence = occurrences.get(unit.content, 0)
    occurrences[unit.content] = occurrence + 1
    return Entry(
        unit_id=chunks.unit_id(path, unit.content, occurrence),
        position=unit.index,
        kind=unit.kind,
        line_start=unit.line_start,
        line_end=unit.line_end,
        header=unit.header,
        content=unit.content,
        same=_same(unit),
        entities=json.dumps(unit.entities, ensure_ascii=False),
        confidence=unit.confidence,
        timestamp=unit.timestamp,
        valid_from=unit.valid_from,
        valid_until=unit.valid_until,
        fact_id=unit.fact_id,
        private=unit.private,
        role=unit.role,
        restates=unit.restates,
        evidence=_stored(unit.evidence),
        text_hash=hashlib.blake2b(text.encode(), digest_size=16).digest(),
        telling=has_words(unit.content),
        words=tokens.fts_text(text),
        mentions=tuple((questions.key(name), name) for name in unit.entities),
    )


def _same(unit: Unit) -> int:
    """Return a number that is equal for units that say the same, facts of the same entities."""
    about = sorted(unit.entities) if unit.kind != "document" else []
    said = facts.normalise("\n".join([unit.content, *about]))
    digest = hashlib.blake2b(said.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _stored(evidence: Sequence[pages.Evidence]) -> str | None:
    if not evidence:
        return None
    rows = [(each.stance, each.target, each.block, each.quote, each.weight) for each in evidence]
    return json.dumps(rows, ensure_ascii=False)
