"""The verb recall: ask both legs, fuse, and cite. A leg that fails is named, never hidden."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, tzinfo
from itertools import islice
from typing import NamedTuple, TypeVar

from hippod import boosts, config, edits, explanation, facts, interpretation, ranking, tokens, wire
from hippod.errors import HippodError, IndexUnavailable
from hippod.index import Brief, Index, LexicalHit, Row, View
from hippod.index.embedding import embed_question
from hippod.interpretation import Meaning
from hippod.lint import reads_like_instructions
from hippod.models import Vectors
from hippod.query import Query, Where, entity_key, understand
from hippod.ranking import Candidate, Weights
from hippod.repeats import Statement, distinct

_CANDIDATES = 50
"""Units that each leg contributes: fewer lose recall, more add nothing (measured)."""
_IN_TIME = 20
"""Units of each time that a question names which each leg adds: else some find none of them."""
_SPARE = 5
"""Units beyond the limit that are fetched at once, in the place of repeats."""
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
    waited: float = 0.0,
    user: str = "",
) -> wire.RecallAnswer:
    """Answer a request: hits with citations, best first, whatever the query text is.

    `pending` counts changed paths that the index has not seen yet, of which the oldest waits
    `waited` seconds. `user` is what the user is called. Raises `InvalidInput` for a date or path
    pattern that cannot be read; a leg that cannot answer is named in the answer.
    """
    began = time.monotonic()
    query = understand(request, now=now, zone=zone, group_paths=group_paths)
    named = _names_of(user, query)
    if named.intersection(query.where.entities):
        asked = dict.fromkeys((*query.where.entities, *sorted(named)))
        query = replace(query, where=replace(query.where, entities=tuple(asked)))
    legs = _Legs(index, request, query)
    found = _search(query, request, legs, settings, named)
    return wire.RecallAnswer(
        hits=tuple(_hit(row, each, found.parts.get(row.unit)) for row, each in found.hits),
        understood=interpretation.understood(found.meaning) if request.explain else None,
        legs=legs.states,
        weak=_is_weak(found.hits, _BY_TIME if query.asks_little_but_when else _BY_NAME),
        degraded="failed" in legs.states.values(),
        truncated=query.truncated,
        freshness=index.freshness(pending, waited),
        took_ms=round((time.monotonic() - began) * 1000, 3),
    )


def _names_of(user: str, query: Query) -> frozenset[str]:
    """Return the keys of the user's names; none for a group, which does not know who it is."""
    if not user or query.where.scope == "group":
        return frozenset()
    return frozenset((entity_key(user), entity_key(facts.NAMELESS_USER)))


def _is_weak(hits: Sequence[tuple[Row, "_Ranked"]], enough: frozenset[str]) -> bool:
    """Tell whether there are hits, but none with much of the question in it.

    `enough` are the boosts that need no word or meaning of the question.
    """
    return bool(hits) and not any(
        (each.candidate.bm25_score or 0.0) >= _SOME_WORDS
        or (each.candidate.vector_score or 0.0) >= _SOME_MEANING
        or not enough.isdisjoint(each.lifts)
        for _, each in hits
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


class _Ranked(NamedTuple):
    """A unit in its place; `lifts` are its boosts by name."""

    candidate: Candidate
    score: float
    lifts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Found:
    """What the question meant, and its best units in order; `parts` only if asked to explain."""

    meaning: Meaning
    hits: Sequence[tuple[Row, _Ranked]] = ()
    parts: Mapping[int, tuple[float, float]] = field(default_factory=dict)


def _search(
    query: Query,
    request: wire.RecallRequest,
    legs: _Legs,
    settings: config.Recall,
    user: frozenset[str],
) -> _Found:
    vector = legs.ask("vector", lambda: _question(query, legs), None)
    meaning = Meaning(query)
    try:
        with legs.index.view() as view:
            meaning = interpretation.interpret(view, query, user)
            units, candidates = _candidates(view, meaning, vector, legs)
            weights = _weights(request, legs, settings)
            least = settings.min_score if request.min_score is None else request.min_score
            ranked = _ranked(view, meaning, units, candidates, weights, least)
            hits = _without_repeats(view, query, ranked, request.limit)
    except HippodError as error:
        legs.fail("lexical", error)
        legs.fail("vector", error)
        return _Found(meaning)
    parts = _parts(candidates, weights) if request.explain else {}
    return _Found(meaning, hits, parts)


def _ranked(
    view: View,
    meaning: Meaning,
    units: Sequence[Brief],
    candidates: Sequence[Candidate],
    weights: Weights,
    least: float,
) -> list[_Ranked]:
    """Order candidates by score, but for facts that replaced others: those come before them."""
    held = interpretation.held_then(view, meaning, units)
    lifts = interpretation.lifts(view, meaning, units, held)
    sums = {unit: sum(by_name.values()) for unit, by_name in lifts.items()}
    scored = {
        candidate.unit: _Ranked(candidate, score, lifts[candidate.unit])
        for candidate, score in ranking.rank(candidates, weights, min_score=least, boosts=sums)
    }
    superseded = view.superseded(units, meaning.query.where)
    before = interpretation.successions(units, superseded, held, lifts)
    if not before:
        return list(scored.values())
    return _descending([scored[unit] for unit in boosts.in_succession(list(scored), before)])


def _descending(ordered: Sequence[_Ranked]) -> list[_Ranked]:
    """Give a unit that was moved ahead of others the score of the best behind it."""
    best = 0.0
    fallen: list[_Ranked] = []
    for each in reversed(ordered):
        best = max(best, each.score)
        fallen.append(each._replace(score=best))
    return fallen[::-1]


def _without_repeats(
    view: View, query: Query, ranked: Sequence[_Ranked], limit: int
) -> list[tuple[Row, _Ranked]]:
    """Fetch the best units, and no more of them than it takes."""
    rows: list[Row] = []

    def said() -> Iterator[Statement]:
        for start in range(0, len(ranked), limit + _SPARE):
            part = [each.candidate.unit for each in ranked[start : start + limit + _SPARE]]
            fetched = view.fetch(part, query.where)
            for unit in part:
                rows.append(fetched[unit])
                yield _statement(fetched[unit])

    return [(rows[place], ranked[place]) for place in distinct(said(), limit)]


def _statement(row: Row) -> Statement:
    held = (row.valid_from, row.valid_until, row.superseded_by)
    return Statement(row.content, row.entities, row.kind != "document", held)


def _question(query: Query, legs: _Legs) -> Vectors | None:
    embedder = legs.index.serving_embedder()
    vector = embed_question(embedder, _telling_text(query, legs.index)) if embedder else None
    if legs.index.serving_embedder() is not embedder:
        raise IndexUnavailable("the embedder was changed during the question", "ask again")
    if vector is None:
        legs.states["vector"] = "empty" if embedder else "off"
    return vector


def _telling_text(query: Query, index: Index) -> str:
    """Leave out the words that most units have, such as the names of two who write each other.

    They would decide where the vector points; BM25 ignores them, too. Asked in a view of its
    own: a slow embedder must not hold the snapshot that the legs will read.
    """
    try:
        with index.view() as view:
            return tokens.without(query.text, view.common(query.terms, query.where))
    except HippodError:  # the legs meet the same fault, and say so
        return query.text


def _candidates(
    view: View, meaning: Meaning, vector: Vectors | None, legs: _Legs
) -> tuple[list[Brief], list[Candidate]]:
    """Ask the legs for their best units, whatever the limit; all get their exact cosine.

    What a time of the question adds stands behind the others and has no rank among them.
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
    units = view.briefs({*by_words, *by_meaning, *meaning.linked})
    restating = [each.unit for each in units if each.restates]
    if original := view.originals(restating, query.where) if restating else {}:
        by_words, by_meaning = _originals(original, by_words, by_meaning)
        units = view.briefs({*by_words, *by_meaning, *meaning.linked})
    cosines = view.cosines(vector, units) if vector is not None else {}
    return units, _joined(units, by_words, by_meaning, cosines)


def _by_words(view: View, query: Query, legs: _Legs, where: Where, most: int) -> list[LexicalHit]:
    return legs.ask("lexical", lambda: view.lexical(query.terms, most, where), [])


def _by_meaning(
    view: View, vector: Vectors | None, legs: _Legs, where: Where, most: int
) -> list[tuple[int, float]]:
    if vector is None:
        return []
    return legs.ask("vector", lambda: view.nearest(vector, most, where), [])


def _originals(
    original: Mapping[int, int], by_words: Mapping[int, LexicalHit], by_meaning: Mapping[int, float]
) -> tuple[dict[int, LexicalHit], dict[int, float]]:
    """Put facts in the place of the bullets that only restate them."""
    words: dict[int, LexicalHit] = {}
    for unit, hit in by_words.items():
        words.setdefault(original.get(unit, unit), hit)
    meanings: dict[int, float] = {}
    for unit, cosine in by_meaning.items():
        meanings.setdefault(original.get(unit, unit), cosine)
    return words, meanings


def _joined(
    units: Sequence[Brief],
    by_words: Mapping[int, LexicalHit],
    by_meaning: Mapping[int, float],
    cosines: Mapping[int, float],
) -> list[Candidate]:
    word_ranks = _ranks((unit, hit.bm25) for unit, hit in islice(by_words.items(), _CANDIDATES))
    vector_ranks = _ranks(islice(by_meaning.items(), _CANDIDATES))
    return [
        Candidate(
            unit=each.unit,
            id=each.id,
            path=each.path,
            same=each.same,
            timestamp=each.timestamp,
            bm25=hit.bm25 if (hit := by_words.get(each.unit)) else None,
            bm25_score=hit.share if hit else None,
            cosine=cosines.get(each.unit),
            lexical_rank=word_ranks.get(each.unit),
            vector_rank=vector_ranks.get(each.unit),
        )
        for each in units
    ]


def _ranks(scored: Iterable[tuple[int, float]]) -> dict[int, int]:
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


def _hit(row: Row, ranked: _Ranked, parts: tuple[float, float] | None) -> wire.Hit:
    candidate = ranked.candidate
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
        fact_id=row.fact_id or row.restates,
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
        return "extracted" if row.restates else "written"
    day = date.fromisoformat(row.timestamp[:10]) if row.timestamp else None
    written = row.fact_id == facts.content_id(day, row.content)
    return "written" if written else "extracted"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
