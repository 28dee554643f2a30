"""Questions to the index at one moment: both search legs, and the units they name.

Scope and filters hold before anything is ranked. For scope `group` even the statistics come
only from what it may see, so nothing about other documents can be read from an answer.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple, get_args

import apsw
import numpy as np

from hippod.chunks import Role
from hippod.index.bank import Bank
from hippod.index.lexicon import Lexicon, Words
from hippod.index.schema import LISTED, select, translated
from hippod.index.vectors import Ids, Matrix, Vectors
from hippod.query import Where, entity_key, path_pattern
from hippod.scope import Scope, may_see
from hippod.wire import Evidence, Kind

_NARROW = 0.1
"""Share of the vectors up to which a filter is applied before vectors are compared."""
_WIDENING = (1, 4, 16, 64)
"""How many times the limit is looked at until enough of the best pass a filter and differ."""
_EVERYTHING = Where()
_NO_LIMIT = -1
_NO_VECTOR = -1


class LexicalHit(NamedTuple):
    """A unit that has some of the terms; `bm25` grows with relevance, `share` is 0..1."""

    unit: int
    bm25: float
    share: float


class Brief(NamedTuple):
    """What ranking needs of a unit, of a hundred in a question; `fetch` brings the rest.

    `same` is equal for units of equal content, `names` are its entities as JSON.
    """

    unit: int
    id: str
    path: str
    same: int
    timestamp: str | None
    vector: int
    kind: Kind
    role: Role
    fact_id: str | None
    restates: str | None
    names: str

    @property
    def entities(self) -> tuple[str, ...]:
        """The names that it mentions."""
        return _decoded(self.names)


@dataclass(frozen=True, slots=True)
class Row:
    """A unit as it is stored, and what marks on other lines say of it.

    `role` is "summary" for the summary of an entity page. `restates` is the id of the fact that
    a bullet of a bank page says again, `superseded_by` that of the fact which replaced this one.
    `sha256` is that of the document's bytes when it was indexed.
    """

    entities: tuple[str, ...]
    unit: int
    id: str
    document_id: str
    path: str
    index: int
    line_start: int
    line_end: int
    kind: Kind
    content: str
    confidence: float | None
    timestamp: str | None
    valid_from: str | None
    valid_until: str | None
    fact_id: str | None
    role: Role = ""
    restates: str | None = None
    sha256: str = ""
    superseded_by: str | None = None
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Scanned:
    """A unit as a look over all of them sees it."""

    unit: int
    path: str
    line_start: int
    content: str


@dataclass(frozen=True, slots=True)
class Named:
    """Where a unit stands that was asked for by its name; `fact_id` is None for other text."""

    fact_id: str | None
    unit_id: str
    path: str
    line_start: int
    line_end: int
    content: str


class View:
    """One commit of the index, for one thread and one question."""

    def __init__(
        self,
        connection: apsw.Connection,
        vectors: Vectors | None,
        lexicon: Lexicon,
    ) -> None:
        self._connection = connection
        self._words = Words(lexicon, connection)
        self._vectors = vectors
        self._snapshot = vectors.snapshot() if vectors else None
        self._passing_documents: dict[tuple[str | None, Scope, tuple[str, ...]], list[int]] = {}

    @translated()
    def lexical(self, terms: Sequence[str], limit: int, where: Where) -> list[LexicalHit]:
        """Return the units that have any of `terms`, best first by BM25, no content twice."""
        if not terms:
            return []
        condition = self._condition(where)
        hidden = where.scope == "group"
        found = self._words.rank(terms, self._passing(condition) if hidden else None)
        kept: list[tuple[int, float]] = []
        for depth in (*(factor * limit for factor in _WIDENING), len(found)):
            best = found.best(depth)
            kept = self._distinct(best, condition)[:limit]
            if len(kept) == limit or len(best) == len(found):
                break
            if depth == limit and condition.sql and not hidden:
                found.keep(self._passing(condition))
        shares = found.shares([unit for unit, _ in kept])
        return [LexicalHit(*hit, share) for hit, share in zip(kept, shares, strict=True)]

    @translated()
    def common(self, terms: Sequence[str], where: Where) -> frozenset[str]:
        """Return the terms that tell nothing apart: more than half of what can be seen has them.

        Filters do not count, only the scope: a group learns nothing from what it cannot see.
        """
        if where.scope != "group":
            return self._words.common(terms)
        seen = Where(scope=where.scope, group_paths=where.group_paths)
        return self._words.common(terms, self._passing(self._condition(seen)))

    @translated()
    def nearest(self, query: Matrix, limit: int, where: Where) -> list[tuple[int, float]]:
        """Return the units nearest to `query` with their cosines, no content twice."""
        if self._vectors is None or self._snapshot is None:
            return []
        condition = self._condition(where)
        among = self._vectors_within(condition, where)
        if among is not None:
            ids, cosines = self._snapshot.nearest(query, _WIDENING[-1] * limit, among)
            return self._units_of(ids, cosines, condition)[:limit]
        found: list[tuple[int, float]] = []
        for factor in _WIDENING:
            ids, cosines = self._vectors.nearest(self._snapshot, query, factor * limit)
            found = self._units_of(ids, cosines, condition)
            if len(found) >= limit or len(ids) < factor * limit:
                break
        return found[:limit]

    def cosines(self, query: Matrix, units: Iterable[Brief]) -> dict[int, float]:
        """Return the exact cosine of each unit that has a vector."""
        if self._snapshot is None:
            return {}
        vector_of = {each.unit: each.vector for each in units}
        found = self._snapshot.cosines(query, list(vector_of.values()))
        return {unit: found[vector] for unit, vector in vector_of.items() if vector in found}

    @translated()
    def likeness(self, fact: str, others: Iterable[str]) -> dict[str, float]:
        """Return the cosine of a fact to others, by id; of those whose vectors are stored.

        Opinions have ids of the same kind. No text is embedded for this.
        """
        if self._snapshot is None:
            return {}
        rows = self._select(
            f"SELECT u.fact_id, u.vector FROM units u WHERE u.fact_id IN {LISTED}",
            (json.dumps([fact, *others]),),
        )
        vector_of = dict(rows)
        own = self._snapshot.wide(np.array([vector_of.pop(fact, _NO_VECTOR)], dtype=np.int64))
        if not len(own):
            return {}
        found = self._snapshot.cosines(own[0], list(vector_of.values()))
        return {id_: found[vector] for id_, vector in vector_of.items() if vector in found}

    @translated()
    def briefs(self, units: Iterable[int]) -> list[Brief]:
        """Return what ranking needs of each unit, once, whatever the order."""
        rows = self._select(
            f"""SELECT u.id, u.unit_id, d.path, u.same, u.timestamp, u.vector, u.kind, u.role,
                    u.fact_id, u.restates, u.entities
                FROM units u JOIN documents d ON d.id = u.document WHERE u.id IN {LISTED}""",
            (json.dumps(list(units)),),
        )
        return list(map(Brief._make, rows))

    @translated()
    def superseded(self, units: Iterable[Brief], where: Where) -> dict[int, str]:
        """Return the ids of the facts that replaced units, as far as `where` sees that."""
        facts = {each.unit: fact for each in units if (fact := each.fact_id or each.restates)}
        newer = self._bank(where).superseded(set(facts.values())) if facts else {}
        return {unit: newer[fact] for unit, fact in facts.items() if fact in newer}

    @translated()
    def replaced(self, facts: Iterable[str]) -> frozenset[str]:
        """Return which of these facts, by their ids, are superseded."""
        return frozenset(self._bank(_EVERYTHING).superseded(facts))

    @translated()
    def fetch(self, units: Iterable[int], where: Where = _EVERYTHING) -> dict[int, Row]:
        """Return stored units by number; what others say of them as far as `where` sees those."""
        found = self._select(
            f"""SELECT u.evidence, u.entities, u.id, u.unit_id, d.document_id, d.path, u.position,
                    u.line_start, u.line_end, u.kind, u.content, u.confidence,
                    u.timestamp, u.valid_from, u.valid_until, u.fact_id, u.role, u.restates,
                    d.sha256
                FROM units u JOIN documents d ON d.id = u.document WHERE u.id IN {LISTED}""",
            (json.dumps(list(units)),),
        )
        stored: dict[int, str] = {}
        rows: dict[int, Row] = {}
        for evidence, entities, unit, *others in found:
            rows[unit] = Row(_decoded(entities), unit, *others)
            if evidence:
                stored[unit] = evidence
        return self._with_marks(rows, stored, self._bank(where))

    @translated()
    def originals(self, units: Iterable[int], where: Where) -> dict[int, int]:
        """Map the units that only restate a fact to that fact's unit, if it passes `where`.

        The fact is the one to cite: it stands where it was said.
        """
        condition = self._condition(where)
        rows = self._select(
            f"""SELECT page.id, u.id FROM units page
                JOIN units u ON u.fact_id = page.restates
                JOIN documents d ON d.id = u.document
                WHERE page.id IN {LISTED} {condition.sql} ORDER BY d.path DESC, u.position DESC""",
            (json.dumps(list(units)), *condition.values),
        )
        return dict(rows)

    @translated()
    def entities_in(self, keys: Iterable[str], where: Where) -> dict[str, tuple[str, ...]]:
        """Return which of `keys` name an entity, each with all keys of the same entity.

        Keys are in the form of `entity_key`. The one that an entity page has as its own comes
        first. Of `where` only the scope counts: what a group may not see names nobody.
        """
        wanted = list(dict.fromkeys(keys))
        bank = self._bank(where)
        same, mentioned = bank.same_entities(wanted), bank.mentioned(wanted)
        return {key: same.get(key, (key,)) for key in wanted if key in same or key in mentioned}

    @translated()
    def of_entities(self, keys: Iterable[str], where: Where, limit: int) -> list[int]:
        """Return the units about entities: page summaries, then facts, then text, newest first.

        `keys` are taken as they are: see `entities_in` for the other names of an entity. No
        content comes twice, nor a fact beside the bullet that restates it.
        """
        condition = self._condition(where)
        rows = self._select(
            f"""SELECT u.same, u.id FROM units u
                WHERE u.id IN (SELECT unit FROM mentions WHERE key IN {LISTED}) {condition.sql}
                ORDER BY u.role = 'summary' DESC, u.kind = 'document',
                    u.timestamp DESC NULLS LAST, u.unit_id LIMIT ?""",
            (json.dumps(list(keys)), *condition.values, _WIDENING[1] * limit),
        )
        first: dict[int, int] = {}
        for same, unit in rows:
            first.setdefault(same, unit)
        original = self.originals(first.values(), where)
        return list(dict.fromkeys(original.get(unit, unit) for unit in first.values()))[:limit]

    @translated()
    def passing(self, units: Iterable[int], where: Where) -> frozenset[int]:
        """Return which of these units pass a filter."""
        condition = self._condition(where)
        rows = self._select(
            f"SELECT u.id FROM units u WHERE u.id IN {LISTED} {condition.sql}",
            (json.dumps(list(units)), *condition.values),
        )
        return frozenset(row[0] for row in rows)

    @translated()
    def named(self, name: str) -> list[Named]:
        """Return the facts whose id begins with `name`, and the unit of that very id."""
        rows = self._select(
            """SELECT u.fact_id, u.unit_id, d.path, u.line_start, u.line_end, u.content
                FROM units u JOIN documents d ON d.id = u.document
                WHERE (u.fact_id >= ?1 AND u.fact_id < ?1 || '~') OR u.unit_id = ?1
                ORDER BY d.path, u.line_start""",
            (name,),
        )
        return [Named(*row) for row in rows]

    @translated()
    def scan(self, after: int, limit: int) -> list[Scanned]:
        """Return units in the order of their numbers, beginning behind `after`."""
        rows = self._select(
            """SELECT u.id, d.path, u.line_start, u.content
                FROM units u JOIN documents d ON d.id = u.document
                WHERE u.id > ? ORDER BY u.id LIMIT ?""",
            (after, limit),
        )
        return [Scanned(*row) for row in rows]

    @translated()
    def last_unit(self) -> int:
        """Return the largest number of a unit, 0 if there is none."""
        rows = self._select("SELECT coalesce(max(id), 0) FROM units")
        return int(next(iter(rows))[0])

    @translated()
    def epoch(self) -> str:
        """Return what is another text after a rebuild: unit numbers then begin anew."""
        rows = self._select("SELECT value FROM meta WHERE key = 'epoch'")
        return str(next(iter(rows), ("",))[0])

    def _select(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        return select(self._connection, sql, values)

    # -- the lexical leg ---------------------------------------------------------------------

    def _distinct(
        self, best: Sequence[tuple[int, float]], condition: "_Condition"
    ) -> list[tuple[int, float]]:
        """Drop units that are gone or do not pass, and all but the first of equal content."""
        rows = self._select(
            f"SELECT u.id, u.same FROM units u WHERE u.id IN {LISTED} {condition.sql}",
            (json.dumps([unit for unit, _ in best]), *condition.values),
        )
        same_of = dict(rows)
        first: dict[int, tuple[int, float]] = {}
        for unit, bm25 in best:
            if unit in same_of:
                first.setdefault(same_of[unit], (unit, bm25))
        return list(first.values())

    def _passing(self, condition: "_Condition") -> Ids:
        sql = f"SELECT u.id FROM units u WHERE true {condition.sql}"
        return np.array([row[0] for row in self._select(sql, condition.values)], dtype=np.int64)

    # -- the vector leg ----------------------------------------------------------------------

    def _units_of(
        self, ids: Ids, cosines: Matrix, condition: "_Condition"
    ) -> list[tuple[int, float]]:
        cosine_of = dict(zip(ids.tolist(), cosines.tolist(), strict=True))
        found = self._select(
            f"""SELECT min(u.id), u.vector, u.same FROM units u
                WHERE u.vector IN {LISTED} {condition.sql}
                GROUP BY u.vector, u.same""",
            (json.dumps(list(cosine_of)), *condition.values),
        )
        rows = sorted(found, key=lambda row: (-cosine_of[row[1]], row[0]))
        distinct: dict[int, tuple[int, float]] = {}
        for unit, vector, same in rows:
            distinct.setdefault(same, (unit, cosine_of[vector]))
        return list(distinct.values())

    def _vectors_within(self, condition: "_Condition", where: Where) -> Ids | None:
        """Return the vectors that pass a filter; None if they are many or there is no filter.

        Of many, enough are among the nearest of all. For a group always all are compared: what
        it may not see must not even decide which of the nearest the graph reaches.
        """
        if not condition.sql:
            return None
        if where.scope == "group":
            return self._vectors_passing(condition, _NO_LIMIT)
        most = int(len(self._snapshot.ids) * _NARROW) if self._snapshot else 0
        found = self._vectors_passing(condition, most + 1)
        return found if len(found) <= most else None

    def _vectors_passing(self, condition: "_Condition", limit: int) -> Ids:
        """Return the vectors of passing units, also those still to be made."""
        rows = self._select(
            f"SELECT DISTINCT u.vector FROM units u WHERE true {condition.sql} LIMIT ?",
            (*condition.values, limit),
        )
        return np.array([row[0] for row in rows], dtype=np.int64)

    # -- names and marks ---------------------------------------------------------------------

    def _bank(self, where: Where) -> Bank:
        if where.scope != "group":
            return Bank(self._connection, None)
        seen = Where(scope=where.scope, group_paths=where.group_paths)
        return Bank(self._connection, self._documents(seen))

    def _all_names(self, where: Where) -> list[str]:
        asked = [entity_key(name) for name in where.entities]
        same = self._bank(where).same_entities(asked)
        return list(dict.fromkeys(key for each in asked for key in same.get(each, (each,))))

    def _with_marks(
        self, rows: Mapping[int, Row], stored: Mapping[int, str], bank: Bank
    ) -> dict[int, Row]:
        ids = {unit: fact for unit, row in rows.items() if (fact := row.fact_id or row.restates)}
        newer = bank.superseded(set(ids.values())) if ids else {}
        evidence = bank.evidence(stored) if stored else {}
        marked = {
            unit: replace(
                rows[unit],
                superseded_by=newer.get(ids.get(unit, "")),
                evidence=evidence.get(unit, ()),
            )
            for unit in {unit for unit, fact in ids.items() if fact in newer} | evidence.keys()
        }
        return {**rows, **marked}

    # -- filters -----------------------------------------------------------------------------

    def _condition(self, where: Where) -> "_Condition":
        parts: list[tuple[str, Sequence[Any]]] = []
        if where.kinds and set(where.kinds) != set(get_args(Kind)):
            parts.append((f"u.kind IN {LISTED}", [json.dumps(where.kinds)]))
        if where.entities:
            named = f"SELECT unit FROM mentions WHERE key IN {LISTED}"
            parts.append((f"u.id IN ({named})", [json.dumps(self._all_names(where))]))
        if where.path or where.scope == "group":
            parts.append((f"u.document IN {LISTED}", [json.dumps(self._documents(where))]))
        if where.scope == "group":
            parts.append(("u.private = 0", []))
        if where.since or where.until:
            parts.append(_in_time(where.since or datetime.min, where.until or datetime.max))
        if where.as_of:
            parts.append(_held_at(where.as_of))
            day = where.as_of.date().isoformat()
            parts.append(self._bank(where).not_superseded_by(day))
        sql = "".join(f" AND {part}" for part, _ in parts)
        return _Condition(sql, tuple(value for _, values in parts for value in values))

    def _documents(self, where: Where) -> list[int]:
        limits = (where.path, where.scope, where.group_paths)
        if limits not in self._passing_documents:
            self._passing_documents[limits] = [
                number
                for number, path in self._select("SELECT id, path FROM documents")
                if _passes(path, *limits)
            ]
        return self._passing_documents[limits]


@dataclass(frozen=True, slots=True)
class _Condition:
    """SQL that begins with AND, about units `u`, and the values of its parameters."""

    sql: str
    values: tuple[Any, ...]


_RECORDED = "substr(u.timestamp, 1, 19)"


def _in_time(since: datetime, until: datetime) -> tuple[str, Sequence[str]]:
    """Units recorded in the span (of a day without time: that day), or whose validity meets it.

    An interval that is open at one end counts by the end that is known: what once began would
    else be in every later span.
    """
    first, last = since.isoformat(timespec="seconds"), until.isoformat(timespec="seconds")
    recorded = (
        f"(({_RECORDED} >= ? OR (length(u.timestamp) = 10 AND u.timestamp >= ?))"
        f" AND {_RECORDED} <= ?)"
    )
    valid = (
        "(coalesce(u.valid_until, u.valid_from) >= ?"
        " AND coalesce(u.valid_from, u.valid_until) <= ?)"
    )
    return f"({recorded} OR {valid})", [first, first[:10], last, first[:10], last[:10]]


def _held_at(moment: datetime) -> tuple[str, Sequence[str]]:
    """Units known by then, or said later to have begun before, that had not ended."""
    stamp = moment.isoformat(timespec="seconds")
    known = f"(u.timestamp IS NULL OR {_RECORDED} <= ? OR u.valid_from IS NOT NULL)"
    held = "coalesce(u.valid_from, '') <= ? AND coalesce(u.valid_until, '9999') >= ?"
    return f"({known} AND {held})", [stamp, stamp[:10], stamp[:10]]


@lru_cache(maxsize=4_096)
def _decoded(names: str) -> tuple[str, ...]:
    return tuple(json.loads(names))


@lru_cache(maxsize=65_536)
def _passes(path: str, pattern: str | None, scope: Any, group_paths: tuple[str, ...]) -> bool:
    if not may_see(scope, path, group_paths):
        return False
    return pattern is None or path == pattern or path_pattern(pattern).match_file(path)
