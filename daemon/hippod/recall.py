"""The verb recall: ask both legs, fuse, and cite. A leg that fails is named, never hidden."""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, tzinfo
from typing import TypeVar

from hippod import config, facts, ranking, wire
from hippod.errors import HippodError
from hippod.index import Brief, Index, LexicalHit, Row, View
from hippod.index.embedding import embed_question
from hippod.lint import reads_like_instructions
from hippod.models import Embedder, Vectors
from hippod.query import Query, understand
from hippod.ranking import Candidate, Weights
from hippod.repeats import Statement, distinct

_CANDIDATES = 50
"""Units that each leg contributes: fewer lose recall, more add nothing (measured)."""

T = TypeVar("T")


def recall(
    request: wire.RecallRequest,
    index: Index,
    embedder: Embedder | None,
    settings: config.Recall,
    *,
    now: datetime,
    zone: tzinfo,
    group_paths: Sequence[str],
    pending: int = 0,
) -> wire.RecallAnswer:
    """Answer a request: hits with citations, best first, whatever the query text is.

    `pending` counts changed paths that the index has not seen yet. Raises `InvalidInput` for a
    date or path pattern that cannot be read; a leg that cannot answer is named in the answer.
    """
    began = time.monotonic()
    query = understand(request, now=now, zone=zone, group_paths=group_paths)
    legs = _Legs(index, request, query, embedder)
    hits = _search(query, request, legs, settings)
    return wire.RecallAnswer(
        hits=tuple(hits),
        legs=legs.states,
        degraded="failed" in legs.states.values(),
        truncated=query.truncated,
        freshness=index.freshness(pending, now),
        took_ms=round((time.monotonic() - began) * 1000, 3),
    )


class _Legs:
    """The state of each leg in one recall, as the answer tells it."""

    def __init__(
        self, index: Index, request: wire.RecallRequest, query: Query, embedder: Embedder | None
    ) -> None:
        self.index = index
        self.embedder = embedder
        self.states = {
            "lexical": _state(asked=request.mode != "vector", has_input=bool(query.terms)),
            "vector": _state(
                asked=request.mode != "lexical" and embedder is not None,
                has_input=bool(query.text),
            ),
        }

    def ask(self, leg: str, question: Callable[[], T], otherwise: T) -> T:
        """Return the answer of a leg that is still to be asked, else `otherwise`."""
        if self.states[leg] != "ok":
            return otherwise
        try:
            return question()
        except HippodError as error:
            self.fail(leg, error)
            return otherwise

    def fail(self, leg: str, error: HippodError) -> None:
        """Note that a leg could not answer."""
        if self.states[leg] == "ok":
            self.states[leg] = "failed"
            self.index.failed(leg, error)


def _state(*, asked: bool, has_input: bool) -> str:
    if not asked:
        return "off"
    return "ok" if has_input else "empty"


def _search(
    query: Query, request: wire.RecallRequest, legs: _Legs, settings: config.Recall
) -> list[wire.Hit]:
    vector = legs.ask("vector", lambda: _question(query, legs), None)
    try:
        with legs.index.view() as view:
            found = _candidates(view, query, vector, legs, max(_CANDIDATES, request.limit))
            ranked = _ranked(found, request, legs, settings)
            rows = view.fetch(candidate.unit for candidate, _ in ranked)
            ranked = _without_repeats(ranked, rows, request.limit)
    except HippodError as error:
        legs.fail("lexical", error)
        legs.fail("vector", error)
        return []
    hits = [_hit(rows[candidate.unit], candidate, score) for candidate, score in ranked]
    lengths = (len(hit.content) + len(hit.source) for hit in hits)
    return hits[: ranking.within_budget(lengths, request.budget_tokens)]


def _question(query: Query, legs: _Legs) -> Vectors | None:
    assert legs.embedder is not None
    vector = embed_question(legs.embedder, query.text)
    if vector is None:
        legs.states["vector"] = "empty"
    return vector


def _candidates(
    view: View, query: Query, vector: Vectors | None, legs: _Legs, depth: int
) -> list[Candidate]:
    """Ask the legs for their best `depth` units each, and give every one its exact cosine."""
    lexical: list[LexicalHit] = []
    lexical = legs.ask("lexical", lambda: view.lexical(query.terms, depth, query.where), lexical)
    near: list[tuple[int, float]] = []
    if vector is not None:
        near = legs.ask("vector", lambda: view.nearest(vector, depth, query.where), near)
    units = {hit.unit for hit in lexical} | {unit for unit, _ in near}
    briefs = view.briefs(units)
    cosines = view.cosines(vector, briefs) if vector is not None else {}
    return _joined(briefs, lexical, near, cosines)


def _joined(
    briefs: Sequence[Brief],
    lexical: Sequence[LexicalHit],
    near: Sequence[tuple[int, float]],
    cosines: Mapping[int, float],
) -> list[Candidate]:
    by_words = {hit.unit: hit for hit in lexical}
    word_ranks = _ranks([(hit.unit, hit.bm25) for hit in lexical])
    vector_ranks = _ranks(near)
    return [
        Candidate(
            unit=each.unit,
            id=each.id,
            path=each.path,
            same=each.same,
            timestamp=each.timestamp,
            bm25=by_words[each.unit].bm25 if each.unit in by_words else None,
            bm25_score=by_words[each.unit].share if each.unit in by_words else None,
            cosine=cosines.get(each.unit),
            lexical_rank=word_ranks.get(each.unit),
            vector_rank=vector_ranks.get(each.unit),
        )
        for each in briefs
    ]


def _ranks(scored: Sequence[tuple[int, float]]) -> dict[int, int]:
    """Return ranks from 0; equal scores share one, so that row order decides nothing."""
    ranks: dict[int, int] = {}
    rank, last = 0, None
    for place, (unit, score) in enumerate(scored):
        if score != last:
            rank, last = place, score
        ranks[unit] = rank
    return ranks


def _ranked(
    found: Sequence[Candidate],
    request: wire.RecallRequest,
    legs: _Legs,
    settings: config.Recall,
) -> list[tuple[Candidate, float]]:
    weights = _weights(request, legs, settings)
    least = settings.min_score if request.min_score is None else request.min_score
    return ranking.rank(found, weights, min_score=least)


def _without_repeats(
    ranked: Sequence[tuple[Candidate, float]], rows: Mapping[int, Row], limit: int
) -> list[tuple[Candidate, float]]:
    ordered = (rows[candidate.unit] for candidate, _ in ranked)
    said = (Statement(row.content, row.entities, row.kind != "document") for row in ordered)
    return [ranked[place] for place in distinct(said, limit)]


def _weights(request: wire.RecallRequest, legs: _Legs, settings: config.Recall) -> Weights:
    bm25 = settings.bm25_weight if request.bm25_weight is None else request.bm25_weight
    vector = settings.vector_weight if request.vector_weight is None else request.vector_weight
    return Weights(
        fusion=request.fusion or settings.fusion,
        bm25=bm25 if legs.states["lexical"] == "ok" else 0.0,
        vector=vector if legs.states["vector"] == "ok" else 0.0,
        rrf_k=settings.rrf_k,
        file_prior=settings.file_prior,
    )


def _hit(row: Row, candidate: Candidate, score: float) -> wire.Hit:
    return wire.Hit(
        id=row.id,
        document_id=row.document_id,
        path=row.path,
        chunk_index=row.index,
        line_start=row.line_start,
        line_end=row.line_end,
        source=f"{row.path}#L{row.line_start}",
        kind=row.kind,
        trust=_trust(row),
        flagged=reads_like_instructions(row.path, row.content),
        timestamp=row.timestamp,
        valid_from=row.valid_from,
        valid_until=row.valid_until,
        entities=row.entities,
        confidence=row.confidence,
        content=row.content,
        score=round(score, 6),
        bm25_score=_rounded(candidate.bm25_score),
        vector_score=_rounded(candidate.vector_score),
    )


def _trust(row: Row) -> wire.Trust:
    """A fact that somebody wrote has no id of its own: its internal one comes from its content."""
    if row.fact_id is None:
        return "written"
    day = date.fromisoformat(row.timestamp[:10]) if row.timestamp else None
    written = row.fact_id == facts.content_id(day, row.content)
    return "written" if written else "extracted"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
