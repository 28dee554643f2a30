"""Postings of the words that were asked for, kept in memory, and BM25 over them.

FTS5 looks up length and places of every row it ranks, 1.5 µs each at every question. Here a
word costs that once; later questions read only the rows that came since.
"""

import math
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import apsw
import numpy as np
from numpy.typing import NDArray

from hippod import tokens
from hippod.index import schema
from hippod.index.schema import select

_MOST_SCORED = 500_000
"""Postings that one question may score, the rarest words first: some 10 ms."""
_MOST_KEPT = 6_000_000
"""Postings kept in memory, 5 bytes each; the words that were not asked for longest go first."""
_ENTRY = 100
"""What a word costs beside its postings, in postings."""
_GONE_LEAST, _GONE_SHARE = 1_000, 0.3
_MOST_COUNTED = 50_000
"""Words whose counts alone are kept; then all are forgotten, and counted again when asked for."""
_STALE = 1.2
"""A count of a word that is not kept is believed until the index has grown by this factor."""
_K1, _B = 1.2, 0.75
_LEAST_WEIGHT = 1e-6
"""As in FTS5's own bm25()."""

_FEW = 20
"""Units of which half is no crowd."""

Ids = NDArray[np.int64]
Slots = NDArray[np.int32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Unit numbers, ascending, with their lengths in words; a slot is a place in them."""

    ids: Ids
    lengths: NDArray[np.float32]
    newest: int

    def slots(self, ids: Ids) -> tuple[Slots, Mask]:
        """Return the slots of those ids that are known, and which of `ids` are."""
        places = np.searchsorted(self.ids, ids)
        known = places < len(self.ids)
        known[known] = self.ids[places[known]] == ids[known]
        return places[known].astype(np.int32), known


@dataclass(frozen=True, slots=True)
class _Postings:
    """Where a term stands, by ascending slot, and how often; complete up to unit `newest`."""

    slots: Slots
    often: NDArray[np.uint8]
    newest: int

    def within(self, rows: _Rows) -> "_Postings":
        """Return those in `rows`: a reader that sees more may have kept further ones."""
        if not len(self.slots) or self.slots[-1] < len(rows.ids):
            return self
        end = int(np.searchsorted(self.slots, len(rows.ids)))
        return _Postings(self.slots[:end], self.often[:end], self.newest)


class _Statistics(NamedTuple):
    """Which slots count, how many they are, and how much the length of each damps a term."""

    alive: Mask
    total: int
    damping: NDArray[np.float32]

    @classmethod
    def of(cls, rows: _Rows, alive: Mask) -> "_Statistics":
        mean = float(rows.lengths[alive].mean()) if alive.any() else 1.0
        damping = _K1 * (1 - _B + _B * rows.lengths / max(mean, _LEAST_WEIGHT))
        return cls(alive, int(np.count_nonzero(alive)), damping.astype(np.float32))


class Lexicon:
    """What is kept between questions. Safe to use from several threads.

    Deleted units stay in the postings, masked; `without` starts afresh when they are many.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows = _Rows(np.empty(0, np.int64), np.empty(0, np.float32), 0)
        self._gone: Ids = np.empty(0, np.int64)
        self._statistics: list[tuple[_Rows, Ids, _Statistics]] = []
        self._postings: OrderedDict[str, _Postings] = OrderedDict()
        self._counted: dict[str, tuple[int, int]] = {}
        self._size = 0

    def without(self, units: Sequence[int]) -> "Lexicon":
        """Note deleted units, once their transaction is over; use what is returned from now on."""
        if not units:
            return self
        with self._lock:
            gone = np.concatenate([self._gone, np.array(units, dtype=np.int64)])
            if len(gone) > max(_GONE_LEAST, _GONE_SHARE * len(self._rows.ids)):
                return Lexicon()
            self._gone = gone
            return self


class Words:
    """The words of the index as one reader sees them, to be made before it reads anything."""

    def __init__(self, lexicon: Lexicon, connection: apsw.Connection) -> None:
        self._lexicon = lexicon
        self._connection = connection
        self._gone = lexicon._gone
        self._newest = 0

    def rank(self, terms: Sequence[str], within: Ids | None = None) -> "Ranking":
        """Score the units that have any of `terms`; of very common ones only the rarest count.

        `within` gives the only units that exist for the asker, for the statistics too.
        """
        rows = self._read_rows()
        alive, total, damping = self._statistics(rows, within)
        scores = np.zeros(len(rows.ids))
        scored = []
        for term in self._affordable(terms, rows) if within is None else terms:
            held = self._read_postings(term, rows)
            seen = alive[held.slots]
            if not seen.any() and (beginning := tokens.beginning(term)):
                held = self._read_postings(beginning, rows)
                seen = alive[held.slots]
            slots, often = held.slots[seen], held.often[seen].astype(np.float32)
            weight = max(_LEAST_WEIGHT, math.log((total - len(slots) + 0.5) / (len(slots) + 0.5)))
            scores[slots] += weight * (_K1 + 1) * often / (often + damping[slots])
            scored.append((slots, _idf(len(slots), total)))
        return Ranking(rows, scores, scored)

    def common(self, terms: Sequence[str], within: Ids | None = None) -> frozenset[str]:
        """Return which terms stand in more than half of the units, if these are not few.

        `within` as for `rank`.
        """
        rows = self._read_rows()
        alive, total, _ = self._statistics(rows, within)
        if total < _FEW:
            return frozenset()

        def frequency(term: str) -> int:
            if within is None and not _all_affordable(terms, rows):
                return self._count(term, rows)
            return int(np.count_nonzero(alive[self._read_postings(term, rows).slots]))

        return frozenset(term for term in terms if 2 * frequency(term) > total)

    def _statistics(self, rows: _Rows, within: Ids | None) -> "_Statistics":
        """Return what the scores depend on beside the postings."""
        if within is not None:
            alive = np.zeros(len(rows.ids), dtype=np.bool_)
            alive[rows.slots(within)[0]] = True
            return _Statistics.of(rows, alive)
        lexicon = self._lexicon
        with lexicon._lock:
            kept = lexicon._statistics
        for known_rows, known_gone, known in kept:
            if known_rows is rows and known_gone is self._gone:
                return known
        alive = np.ones(len(rows.ids), dtype=np.bool_)
        alive[rows.slots(self._gone)[0]] = False
        made = _Statistics.of(rows, alive)
        with lexicon._lock:
            lexicon._statistics = [(rows, self._gone, made)]
        return made

    def _affordable(self, terms: Sequence[str], rows: _Rows) -> list[str]:
        """Keep the rarest terms, as many as can be scored in time, and at least one."""
        if _all_affordable(terms, rows):
            return list(terms)
        spent = 0
        kept: set[str] = set()
        for count, term in sorted((self._count(term, rows), term) for term in terms):
            if spent and spent + count > _MOST_SCORED:  # a word that stands nowhere is none
                break
            spent += count
            kept.add(term)
        return [term for term in terms if term in kept]

    def _count(self, term: str, rows: _Rows) -> int:
        lexicon = self._lexicon
        with lexicon._lock:
            held = lexicon._postings.get(term)
            count, newest = lexicon._counted.get(term, (0, 0))
        if held is not None:
            return len(held.within(rows).slots)
        if rows.newest > _STALE * newest:
            sql = "SELECT count(*) FROM words WHERE words MATCH ?"
            ((count,),) = select(self._connection, sql, (tokens.match_expression([term]),))
            with lexicon._lock:
                if len(lexicon._counted) >= _MOST_COUNTED:
                    lexicon._counted.clear()
                lexicon._counted[term] = (count, rows.newest)
        return count

    def _read_rows(self) -> _Rows:
        """Return the rows, with those that came since they were read last."""
        sql = "SELECT seq FROM sqlite_sequence WHERE name = 'units'"
        self._newest = next((int(row[0]) for row in select(self._connection, sql)), 0)
        lexicon = self._lexicon
        with lexicon._lock:
            rows = lexicon._rows
            if rows.newest < self._newest:
                ids, lengths = self._rows_after(rows.newest)
                ids = np.concatenate([rows.ids, ids])
                rows = _Rows(ids, np.concatenate([rows.lengths, lengths]), self._newest)
                lexicon._rows = rows
        return rows

    def _rows_after(self, newest: int) -> tuple[Ids, NDArray[np.float32]]:
        # FTS5 documents this table: a row's length in words as one varint.
        sql = "SELECT id, sz FROM words_docsize WHERE id > ? ORDER BY id"
        found = list(select(self._connection, sql, (newest,)))
        lengths = np.array([_varint(row[1]) for row in found], dtype=np.float32)
        return np.array([row[0] for row in found], dtype=np.int64), lengths

    def _read_postings(self, term: str, rows: _Rows) -> _Postings:
        """Return the postings of a term, with those that came since they were read last."""
        lexicon = self._lexicon
        with lexicon._lock:
            held = lexicon._postings.get(term)
            if held is not None:
                lexicon._postings.move_to_end(term)
        if held is not None and held.newest >= self._newest:
            return held.within(rows)
        more = self._postings_after(term, held.newest if held else 0, rows)
        if held is not None:
            more = _joined(held, more)
        _keep(lexicon, term, more)
        return more

    def _postings_after(self, term: str, after: int, rows: _Rows) -> _Postings:
        found = schema.tokens_of(self._connection, term) if after == 0 else []
        ids, often = self._all_of(found) if found else self._matches(term, after)
        slots, known = rows.slots(ids)
        return _Postings(slots, np.minimum(often[known], 255).astype(np.uint8), self._newest)

    def _all_of(self, tokens_: Sequence[str]) -> tuple[Ids, Ids]:
        """Read all places of tokens: five times as fast as matching them, row by row."""
        sql = "SELECT group_concat(doc) FROM temp.places WHERE term = ?"
        listed = [row[0] for token in tokens_ for row in select(self._connection, sql, (token,))]
        places = np.fromstring(",".join(filter(None, listed)), dtype=np.int64, sep=",")
        ids, often = np.unique(places, return_counts=True)
        return ids, often

    def _matches(self, term: str, after: int) -> tuple[Ids, Ids]:
        """Ask for a term, phrase or prefix in rows that came later."""
        sql = """SELECT rowid, occurrences(words) FROM words
                 WHERE words MATCH ? AND rowid > ? ORDER BY rowid"""
        rows = select(self._connection, sql, (tokens.match_expression([term]), after))
        found = np.fromiter(rows, dtype=[("id", np.int64), ("often", np.int64)])
        return found["id"], found["often"]


def _all_affordable(terms: Sequence[str], rows: _Rows) -> bool:
    return len(terms) * len(rows.ids) <= _MOST_SCORED


class Ranking:
    """The units that a question found, by BM25; equal scores by unit number."""

    def __init__(
        self, rows: _Rows, scores: NDArray[np.float64], scored: Sequence[tuple[Slots, float]]
    ) -> None:
        self._rows = rows
        self._scores = scores
        self._scored = scored
        self._found = np.flatnonzero(scores > 0)

    def __len__(self) -> int:
        return len(self._found)

    def keep(self, units: Ids) -> None:
        """Drop all other units; scores stay."""
        self._found = np.intersect1d(self._found, self._rows.slots(units)[0])

    def best(self, limit: int) -> list[tuple[int, float]]:
        """Return the best units with their scores."""
        found, scores = self._found, self._scores[self._found]
        if limit < len(found):
            least = np.partition(scores, -limit)[-limit]
            found, scores = found[scores >= least], scores[scores >= least]
        order = np.argsort(-scores, kind="stable")[:limit]
        return list(zip(self._rows.ids[found[order]].tolist(), scores[order].tolist(), strict=True))

    def shares(self, units: Sequence[int]) -> list[float]:
        """Return which share of the terms' idf mass each unit has."""
        places = self._rows.slots(np.array(units, dtype=np.int64))[0]
        mass = np.zeros(len(places))
        for slots, idf in self._scored:
            mass[_contains(slots, places)] += idf
        total = sum(idf for _, idf in self._scored)
        shares: list[float] = np.minimum(1.0, mass / total).tolist() if total else mass.tolist()
        return shares


def _contains(slots: Slots, places: Slots) -> Mask:
    """Say which of `places` are among ascending slots."""
    if not len(slots):
        return np.zeros(len(places), dtype=np.bool_)
    near = np.minimum(np.searchsorted(slots, places), len(slots) - 1)
    return np.asarray(slots[near] == places)


def _joined(held: _Postings, more: _Postings) -> _Postings:
    slots = np.concatenate([held.slots, more.slots])
    return _Postings(slots, np.concatenate([held.often, more.often]), more.newest)


def _keep(lexicon: Lexicon, term: str, postings: _Postings) -> None:
    with lexicon._lock:
        before = lexicon._postings.pop(term, None)
        if before is not None:
            lexicon._size -= len(before.slots) + _ENTRY
            if before.newest > postings.newest:
                postings = before
        lexicon._counted.pop(term, None)
        lexicon._postings[term] = postings
        lexicon._size += len(postings.slots) + _ENTRY
        while lexicon._size > _MOST_KEPT and len(lexicon._postings) > 1:
            _, oldest = lexicon._postings.popitem(last=False)
            lexicon._size -= len(oldest.slots) + _ENTRY


def _idf(frequency: int, total: int) -> float:
    return math.log(1 + (max(total - frequency, 0) + 0.5) / (frequency + 0.5))


def _varint(blob: bytes) -> int:
    """Decode SQLite's variable-length integer."""
    value = 0
    for byte in blob:
        value = value << 7 | byte & 0x7F
    return value
