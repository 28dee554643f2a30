"""The verb recall: ask both legs, fuse, and cite. A leg that fails is named, never hidden."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, tzinfo
from typing import TypeVar

from hippod import boosts, config, edits, explanation, facts, interpretation, ranking, tokens, wire
from hippod.errors import HippodError
from hippod.index import Brief, Index, LexicalHit, Row, View
from hippod.index.embedding import embed_question
from hippod.interpretation import Meaning
from hippod.lint import reads_like_instructions
from hippod.models import Vectors
from hippod.query import Query, Where, understand
from hippod.ranking import Candidate, Weights
from hippod.repeats import Statement, distinct

_CANDIDATES = 50
"""Units that each leg contributes: fewer lose recall, more add nothing (measured)."""
_IN_TIME = 20
"""Units of each time that a question names which each leg adds: else some find none of them."""
_SOME_WORDS, _SOME_MEANING = 0.3, 0.35
"""Scores of a leg from which a hit has something to do with the question.

The cosine is that of the built-in embedder; other models rarely stay below it.
"""
_BY_NAME = frozenset({"summary", "about", "entity"})
"""Boosts that need no word of the question in the text: a name has other names."""
_BY_TIME = _BY_NAME | {"time", "event", "held"}
"""The same where a question asks for hardly more than a time: "what happened last week"."""

T = TypeVar("T")


def recall(
    request: wire.RecallRequest,
    index: Index,
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
    legs = _Legs(index, request, query)
    found = _search(query, request, legs, settings)
    return wire.RecallAnswer(
        hits=tuple(_hit(each, found.parts.get(each.row.unit)) for each in found.ranked),
        understood=interpretation.understood(found.meaning) if request.explain else None,
        legs=legs.states,
        weak=_is_weak(found.ranked, _BY_TIME if query.asks_little_but_when else _BY_NAME),
        degraded="failed" in legs.states.values(),
        truncated=query.truncated,
        freshness=index.freshness(pending, now),
        took_ms=round((time.monotonic() - began) * 1000, 3),
    )


def _is_weak(ranked: Sequence["_Ranked"], enough: frozenset[str]) -> bool:
    """Tell whether there are hits, but none with much of the question in it.

    `enough` are the boosts that need no word or meaning of the question.
    """
    return bool(ranked) and not any(
        (each.candidate.bm25_score or 0.0) >= _SOME_WORDS
        or (each.candidate.vector_score or 0.0) >= _SOME_MEANING
        or not enough.isdisjoint(each.lifts)
        for each in ranked
    )


class _Legs:
    """The state of each leg in one recall, as the answer tells it."""

    def __init__(self, index: Index, request: wire.RecallRequest, query: Query) -> None:
        self.index = index
        self.states = {
            "lexical": _state(asked=request.mode != "vector", has_input=bool(query.terms)),
            "vector": _state(asked=request.mode != "lexical", has_input=bool(query.text)),
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


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A unit in its place; `lifts` are its boosts by name."""

    row: Row
    candidate: Candidate
    score: float
    lifts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Found:
    """What the question meant, and its best units in order; `parts` only if asked to explain."""

    meaning: Meaning
    ranked: Sequence[_Ranked] = ()
    parts: Mapping[int, tuple[float, float]] = field(default_factory=dict)


def _search(
    query: Query, request: wire.RecallRequest, legs: _Legs, settings: config.Recall
) -> _Found:
    vector = legs.ask("vector", lambda: _question(query, legs), None)
    meaning = Meaning(query)
    try:
        with legs.index.view() as view:
            meaning = interpretation.interpret(view, query)
            candidates = _candidates(view, meaning, vector, legs)
            rows = view.fetch((each.unit for each in candidates), query.where)
            weights = _weights(request, legs, settings)
            least = settings.min_score if request.min_score is None else request.min_score
            ranked = _ranked(view, meaning, candidates, rows, weights, least)
    except HippodError as error:
        legs.fail("lexical", error)
        legs.fail("vector", error)
        return _Found(meaning)
    parts = _parts(candidates, weights) if request.explain else {}
    return _Found(meaning, _without_repeats(ranked, request.limit), parts)


def _ranked(
    view: View,
    meaning: Meaning,
    candidates: Sequence[Candidate],
    rows: Mapping[int, Row],
    weights: Weights,
    least: float,
) -> list[_Ranked]:
    """Order candidates by score, but for facts that replaced others: those come before them."""
    held = interpretation.held_then(view, meaning, rows)
    lifts = interpretation.lifts(view, meaning, rows, held)
    sums = {unit: sum(by_name.values()) for unit, by_name in lifts.items()}
    scored = {
        candidate.unit: _Ranked(rows[candidate.unit], candidate, score, lifts[candidate.unit])
        for candidate, score in ranking.rank(candidates, weights, min_score=least, boosts=sums)
    }
    before = interpretation.successions(rows, held)
    return _descending([scored[unit] for unit in boosts.in_succession(list(scored), before)])


def _descending(ordered: Sequence[_Ranked]) -> list[_Ranked]:
    """Give a unit that was moved ahead of others the score of the best behind it."""
    best = 0.0
    fallen: list[_Ranked] = []
    for each in reversed(ordered):
        best = max(best, each.score)
        fallen.append(replace(each, score=best))
    return fallen[::-1]


def _without_repeats(ranked: Sequence[_Ranked], limit: int) -> list[_Ranked]:
    said = (_statement(each.row) for each in ranked)
    return [ranked[place] for place in distinct(said, limit)]


def _statement(row: Row) -> Statement:
    held = (row.valid_from, row.valid_until, row.superseded_by)
    return Statement(row.content, row.entities, row.kind != "document", held)


def _question(query: Query, legs: _Legs) -> Vectors | None:
    embedder = legs.index.serving_embedder()
    vector = embed_question(embedder, _telling_text(query, legs.index)) if embedder else None
    if vector is None:
        legs.states["vector"] = "empty" if embedder else "off"
    return vector


def _telling_text(query: Query, index: Index) -> str:
    """Leave out the words that most units have, such as the names of two who write each other.

    They would decide where the vector points; BM25 ignores them, too.
    """
    try:
        with index.view() as view:
            return tokens.without(query.text, view.common(query.terms, query.where))
    except HippodError:  # the legs meet the same fault, and say so
        return query.text


def _candidates(
    view: View, meaning: Meaning, vector: Vectors | None, legs: _Legs
) -> list[Candidate]:
    """Ask the legs for their best units, whatever the limit; all get their exact cosine.

    What a time of the question adds stands behind the others: its best are among those already.
    """
    query = meaning.query
    by_words: dict[int, LexicalHit] = {}
    by_meaning: dict[int, float] = {}
    asked = [
        (query.where, _CANDIDATES),
        *((span, _IN_TIME) for span in interpretation.spans(query)),
    ]
    for where, most in asked:
        for hit in _by_words(view, query, legs, where, most):
            by_words.setdefault(hit.unit, hit)
        for unit, cosine in _by_meaning(view, vector, legs, where, most):
            by_meaning.setdefault(unit, cosine)
    lexical, near = list(by_words.values()), list(by_meaning.items())
    lexical, near = _originals(view, query, lexical, near)
    units = {hit.unit for hit in lexical} | {unit for unit, _ in near} | set(meaning.linked)
    briefs = view.briefs(units)
    cosines = view.cosines(vector, briefs) if vector is not None else {}
    return _joined(briefs, lexical, near, cosines)


def _by_words(view: View, query: Query, legs: _Legs, where: Where, most: int) -> list[LexicalHit]:
    return legs.ask("lexical", lambda: view.lexical(query.terms, most, where), [])


def _by_meaning(
    view: View, vector: Vectors | None, legs: _Legs, where: Where, most: int
) -> list[tuple[int, float]]:
    if vector is None:
        return []
    return legs.ask("vector", lambda: view.nearest(vector, most, where), [])


def _originals(
    view: View, query: Query, lexical: list[LexicalHit], near: list[tuple[int, float]]
) -> tuple[list[LexicalHit], list[tuple[int, float]]]:
    """Put facts in the place of the bullets that only restate them."""
    units = {hit.unit for hit in lexical} | {unit for unit, _ in near}
    original = view.originals(units, query.where)
    if not original:
        return lexical, near
    by_words: dict[int, LexicalHit] = {}
    for hit in lexical:
        unit = original.get(hit.unit, hit.unit)
        by_words.setdefault(unit, replace(hit, unit=unit))
    by_meaning: dict[int, float] = {}
    for each, cosine in near:
        by_meaning.setdefault(original.get(each, each), cosine)
    return list(by_words.values()), list(by_meaning.items())


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


def _weights(request: wire.RecallRequest, legs: _Legs, settings: config.Recall) -> Weights:
    bm25 = settings.bm25_weight if request.bm25_weight is None else request.bm25_weight
    vector = settings.vector_weight if request.vector_weight is None else request.vector_weight
    return Weights(
        fusion=request.fusion or settings.fusion,
        bm25=bm25 if legs.states["lexical"] == "ok" else 0.0,
        vector=vector if legs.states["vector"] == "ok" else 0.0,
        rrf_k=request.rrf_k or settings.rrf_k,
        file_prior=settings.file_prior,
    )


def _parts(candidates: Sequence[Candidate], weights: Weights) -> dict[int, tuple[float, float]]:
    if not candidates:
        return {}
    fused, prior = ranking.parts(candidates, weights)
    pairs = zip(fused.tolist(), prior.tolist(), strict=True)
    return dict(zip((each.unit for each in candidates), pairs, strict=True))


def _hit(ranked: _Ranked, parts: tuple[float, float] | None) -> wire.Hit:
    row, candidate = ranked.row, ranked.candidate
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
        superseded_by=row.superseded_by,
        entities=row.entities,
        confidence=row.confidence,
        content=row.content,
        evidence=row.evidence,
        etag=row.sha256[: edits.ETAG],
        score=round(ranked.score, 6),
        bm25_score=_rounded(candidate.bm25_score),
        vector_score=_rounded(candidate.vector_score),
        explanation=explanation.of(candidate, *parts, ranked.lifts) if parts else None,
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
