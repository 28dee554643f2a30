"""Questions to the index at one moment: both search legs, and the units they name.

Scope and filters hold before anything is ranked. For scope `group` even the statistics come
only from what it may see, so nothing about other documents can be read from an answer.
"""

import json
import math
from array import array
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, get_args

import apsw
import numpy as np

from hippod import ranking, tokens
from hippod.index.schema import select, translated
from hippod.index.vectors import Ids, Matrix, Vectors
from hippod.query import Where, entity_key, path_pattern
from hippod.scope import may_see
from hippod.wire import Kind

_MOST_POSTINGS = 50_000
"""Rows that one query may score: FTS5 scores every row with any of the terms."""
_NARROW = 0.1
"""Share of the vectors up to which a filter is applied before vectors are compared."""
_WIDENING = (1, 4, 16, 64)
"""How many times the limit is looked at until enough of the nearest pass a wide filter."""
_K1, _B = 1.2, 0.75
_LEAST_IDF = 1e-6
"""As in FTS5's own bm25()."""


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """A unit that has some of the terms; `bm25` grows with relevance, `share` is 0..1."""

    unit: int
    bm25: float
    share: float


@dataclass(frozen=True, slots=True)
class Brief:
    """What ranking needs of a unit; `same` is equal for units of equal content."""

    unit: int
    id: str
    path: str
    same: int
    timestamp: str | None
    vector: int


@dataclass(frozen=True, slots=True)
class Row:
    """A unit as it is stored."""

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
    """One commit of the index, for one thread and one question.

    `frequencies` caches in how many units a term stands; it must be new for each commit.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        vectors: Vectors | None,
        frequencies: MutableMapping[str, int],
    ) -> None:
        self._connection = connection
        self._vectors = vectors
        self._snapshot = vectors.snapshot() if vectors else None
        self._frequencies = frequencies

    @translated()
    def lexical(self, terms: Sequence[str], limit: int, where: Where) -> list[LexicalHit]:
        """Return the units that have any of `terms`, best first by BM25, no content twice."""
        if not terms:
            return []
        condition = self._condition(where)
        if where.scope == "group":
            return self._lexical_within(condition, terms, limit)
        total = self._frequency("")
        kept = self._affordable(terms)
        idf = [_idf_of_share(self._frequency(term), total) for term in kept]
        rows = self._select(
            f"""SELECT each.id, -words.rank, evidence(words), each.same
                FROM words CROSS JOIN units each ON each.id = words.rowid
                WHERE words MATCH ? {condition.on_words} ORDER BY words.rank""",
            (tokens.match_expression(kept), *condition.values),
        )
        return [
            LexicalHit(unit, bm25, ranking.idf_share(_matched(counts), idf))
            for unit, bm25, counts in _first_of_each(rows, limit)
        ]

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
    def briefs(self, units: Iterable[int]) -> list[Brief]:
        """Return what ranking needs of each unit, once, whatever the order."""
        rows = self._select(
            f"""SELECT u.id, u.unit_id, d.path, u.same, u.timestamp, u.vector
                FROM units u JOIN documents d ON d.id = u.document WHERE u.id IN {_LISTED}""",
            (json.dumps(list(units)),),
        )
        return [Brief(*row) for row in rows]

    @translated()
    def fetch(self, units: Iterable[int]) -> dict[int, Row]:
        """Return stored units by number."""
        rows = self._select(
            f"""SELECT u.entities, u.id, u.unit_id, d.document_id, d.path, u.position,
                    u.line_start, u.line_end, u.kind, u.content, u.confidence,
                    u.timestamp, u.valid_from, u.valid_until, u.fact_id
                FROM units u JOIN documents d ON d.id = u.document WHERE u.id IN {_LISTED}""",
            (json.dumps(list(units)),),
        )
        return {row[1]: Row(tuple(json.loads(row[0])), *row[1:]) for row in rows}

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
    def epoch(self) -> str:
        """Return what is another text after a rebuild: unit numbers then begin anew."""
        rows = self._select("SELECT value FROM meta WHERE key = 'epoch'")
        return str(next(iter(rows), ("",))[0])

    def _select(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        return select(self._connection, sql, values)

    # -- the lexical leg ---------------------------------------------------------------------

    def _affordable(self, terms: Sequence[str]) -> list[str]:
        """Keep the rarest terms, as many as can be scored in time; in a small index all."""
        left = _MOST_POSTINGS
        kept: set[str] = set()
        for term in sorted(terms, key=self._frequency):
            left -= self._frequency(term)
            if left < 0 and kept:
                break
            kept.add(term)
        return [term for term in terms if term in kept]

    def _frequency(self, term: str) -> int:
        """Return in how many units a term stands; of the empty term: how many there are."""
        known = self._frequencies.get(term)
        if known is None:
            known = self._count(term) if term else self._count_units(_ANYTHING)
            self._frequencies[term] = known
        return known

    def _count(self, term: str) -> int:
        sql = "SELECT count(*) FROM words WHERE words MATCH ?"
        ((count,),) = self._select(sql, (tokens.match_expression([term]),))
        return int(count)

    def _lexical_within(
        self, condition: "_Condition", terms: Sequence[str], limit: int
    ) -> list[LexicalHit]:
        """BM25 as FTS5 computes it, but with the statistics of the visible units alone."""
        found = self._select(
            f"""SELECT each.id, evidence(words), each.same
                FROM words CROSS JOIN units each ON each.id = words.rowid
                WHERE words MATCH ? {condition.on_words} ORDER BY each.id""",
            (tokens.match_expression(terms), *condition.values),
        )
        rows = list(found)
        if not rows:
            return []
        counts = np.array([array("I", row[1]) for row in rows], dtype=np.float64)
        lengths, hits = counts[:, :1], counts[:, 1:]
        total = self._count_units(condition)
        frequency = np.count_nonzero(hits, axis=0)
        weight = np.maximum(_LEAST_IDF, np.log((total - frequency + 0.5) / (frequency + 0.5)))
        damping = _K1 * (1 - _B + _B * lengths / lengths.mean())
        scores = (weight * hits * (_K1 + 1) / (hits + damping)).sum(axis=1)
        best = np.lexsort((np.arange(len(rows)), -scores))
        idf = [_idf_of_share(int(each), total) for each in frequency]
        ordered = ((rows[i][0], float(scores[i]), rows[i][1], rows[i][2]) for i in best)
        return [
            LexicalHit(unit, bm25, ranking.idf_share(_matched(evidence), idf))
            for unit, bm25, evidence in _first_of_each(ordered, limit)
        ]

    # -- the vector leg ----------------------------------------------------------------------

    def _units_of(
        self, ids: Ids, cosines: Matrix, condition: "_Condition"
    ) -> list[tuple[int, float]]:
        cosine_of = dict(zip(ids.tolist(), cosines.tolist(), strict=True))
        found = self._select(
            f"""SELECT min(u.id), u.vector, u.same FROM units u
                WHERE u.vector IN (SELECT value FROM json_each(?)) {condition.sql}
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
        size = len(self._snapshot.ids) if self._snapshot else 0
        most = size if where.scope == "group" else int(size * _NARROW)
        rows = self._select(
            f"SELECT DISTINCT u.vector FROM units u WHERE true {condition.sql} LIMIT ?",
            (*condition.values, most + 1),
        )
        found = np.array([row[0] for row in rows], dtype=np.int64)
        return found if len(found) <= most or where.scope == "group" else None

    # -- filters -----------------------------------------------------------------------------

    def _count_units(self, condition: "_Condition") -> int:
        sql = f"SELECT count(*) FROM units u WHERE true {condition.sql}"
        ((count,),) = self._select(sql, condition.values)
        return int(count)

    def _condition(self, where: Where) -> "_Condition":
        parts: list[tuple[str, Sequence[Any]]] = []
        if where.kinds and set(where.kinds) != set(get_args(Kind)):
            parts.append((f"u.kind IN {_LISTED}", [json.dumps(where.kinds)]))
        if where.entities:
            named = f"SELECT unit FROM mentions WHERE key IN {_LISTED}"
            keys = json.dumps([entity_key(name) for name in where.entities])
            parts.append((f"u.id IN ({named})", [keys]))
        if where.path or where.scope == "group":
            parts.append((f"u.document IN {_LISTED}", [json.dumps(self._documents(where))]))
        if where.scope == "group":
            parts.append(("u.private = 0", []))
        if where.since or where.until:
            parts.append(_in_time(where.since or datetime.min, where.until or datetime.max))
        if where.as_of:
            parts.append(_held_at(where.as_of))
        sql = "".join(f" AND {part}" for part, _ in parts)
        return _Condition(sql, tuple(value for _, values in parts for value in values))

    def _documents(self, where: Where) -> list[int]:
        return [
            number
            for number, path in self._select("SELECT id, path FROM documents")
            if _passes(path, where.path, where.scope, where.group_paths)
        ]


@dataclass(frozen=True, slots=True)
class _Condition:
    """SQL that begins with AND, about units `u`, and the values of its parameters."""

    sql: str
    values: tuple[Any, ...]

    @property
    def on_words(self) -> str:
        """The condition as one on rows of `words`.

        The plus keeps SQLite from asking FTS5 once for each row that passes.
        """
        if not self.sql:
            return ""
        return f" AND +words.rowid IN (SELECT u.id FROM units u WHERE true {self.sql})"


_ANYTHING = _Condition("", ())
_LISTED = "(SELECT value FROM json_each(?))"
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


@lru_cache(maxsize=65_536)
def _passes(path: str, pattern: str | None, scope: Any, group_paths: tuple[str, ...]) -> bool:
    if not may_see(scope, path, group_paths):
        return False
    return pattern is None or path == pattern or path_pattern(pattern).match_file(path)


def _matched(counts: bytes) -> Iterable[int]:
    return (term for term, count in enumerate(array("I", counts)[1:]) if count)


def _first_of_each(
    rows: Iterable[tuple[Any, ...]], limit: int
) -> Iterable[tuple[int, float, bytes]]:
    """Yield rows until `limit` different contents are found."""
    seen: set[int] = set()
    for unit, bm25, counts, same in rows:
        if same not in seen:
            seen.add(same)
            yield unit, bm25, counts
            if len(seen) == limit:
                return


def _idf_of_share(frequency: int, total: int) -> float:
    return math.log(1 + (max(total - frequency, 0) + 0.5) / (frequency + 0.5))
