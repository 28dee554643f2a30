"""The tool memory_search: short quoted passages with their places, one page of them at a time."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, Field, FiniteFloat

from hippod import packing, quoting, tokens, wire
from hippod.aclient import AsyncClient
from hippod.errors import InvalidInput
from hippod.mcp import budget
from hippod.mcp.arguments import Arguments, Several
from hippod.mcp.tool import QUOTED, Result, Tool

_SNIPPET, _SHORTEST = 600, 160
"""Characters of a passage where few are asked for, and where many are."""
_LETTERS_A_TOKEN = 3
_BEFORE = 80
"""Characters before the first word of the question that a snippet begins with."""
_LEAST_TOKENS = 400
"""So that a hit fits, whatever is asked for."""


def _within(least: int, most_: int) -> AfterValidator:
    return AfterValidator(lambda value: min(max(value, least), most_))


class Search(Arguments):
    """A question."""

    query: Annotated[
        str, Field(description="words or a question", examples=["where does Ina keep the key"])
    ]
    limit: Annotated[int, _within(1, wire.MAX_LIMIT), Field(description="1-100")] = 10
    since: Annotated[
        wire.Text | None, Field(description="a date, month, year or age", examples=["30d"])
    ] = None
    until: wire.Text | None = None
    as_of: Annotated[
        wire.Text | None, Field(description="what held on that day", examples=["2026-03-03"])
    ] = None
    kind: Several[wire.Kind] = ()
    entity: Annotated[Several[wire.Text], Field(examples=[["Ina"]])] = ()
    path: Annotated[wire.Text | None, Field(description="glob", examples=["projects/**"])] = None
    mode: wire.Mode | None = None
    min_score: FiniteFloat | None = None
    fusion: wire.Fusion | None = None
    bm25_weight: FiniteFloat | None = None
    vector_weight: FiniteFloat | None = None
    budget_tokens: Annotated[int | None, Field(description="most tokens of the result")] = None
    cursor: Annotated[wire.Text | None, Field(description="of the last result: goes on")] = None


async def _search(client: AsyncClient, asked: Search, tokens_: int) -> Result:
    if asked.budget_tokens is not None:
        tokens_ = min(tokens_, max(asked.budget_tokens, _LEAST_TOKENS))
    start = _start(asked.cursor)
    answer = await client.recall(
        asked.query,
        limit=min(start + asked.limit + 1, wire.MAX_LIMIT),
        since=asked.since, until=asked.until, as_of=asked.as_of,
        kind=asked.kind or None, entity=asked.entity or None, path=asked.path,
        mode=asked.mode, min_score=asked.min_score, fusion=asked.fusion,
        bm25_weight=asked.bm25_weight, vector_weight=asked.vector_weight,
    )  # fmt: skip
    return _page(answer, asked, start, tokens_)


def _start(cursor: str | None) -> int:
    """Return how many hits a cursor passes over."""
    if not cursor:
        return 0
    if not re.fullmatch(r"[0-9]{1,3}", cursor) or int(cursor) >= wire.MAX_LIMIT:
        raise InvalidInput("cursor: is none that a result gave", "leave it out to begin anew")
    return int(cursor)


def _page(answer: Mapping[str, Any], asked: Search, start: int, tokens_: int) -> Result:
    """Return the hits from `start` on, as many of those asked for as fit."""
    found = [wire.Hit.model_validate(hit) for hit in answer["hits"][start:]]
    hits = _shortened(found[: asked.limit], asked.query, tokens_)
    notes = [quoting.written(_note(hit)) for hit in hits]
    briefs = [_brief(hit) for hit in hits]

    def cursor(count: int) -> str:
        return str(start + count) if count < len(found) else ""

    def text_of(count: int) -> str:
        return _text(answer, notes[:count], cursor(count))

    def data_of(count: int) -> dict[str, Any]:
        return _data(answer, briefs[:count], cursor(count), truncated=count < len(hits))

    count = budget.most(len(hits), text_of, tokens_)
    count = budget.most(count, lambda each: budget.as_json(data_of(each)), tokens_)
    count = max(count, min(1, len(hits)))  # else the cursor would lead nowhere
    return Result(text_of(count), data_of(count))


def _shortened(hits: Sequence[wire.Hit], query: str, tokens_: int) -> list[wire.Hit]:
    """Return hits with snippets in place of their content, the shorter the more there are."""
    share = tokens_ * _LETTERS_A_TOKEN // max(1, len(hits)) - _SHORTEST
    size = min(_SNIPPET, max(_SHORTEST, share))
    words = tokens.terms(query)
    return [hit.model_copy(update={"content": snippet(hit.content, words, size)}) for hit in hits]


def snippet(content: str, words: Sequence[str], size: int) -> str:
    """Return a passage of at most about `size` characters with a word of the question in it."""
    if len(content) <= size:
        return content
    folded = content.casefold()
    places = (folded.find(each) for word in words for each in word.split("|"))
    first = min((place for place in places if place >= 0), default=0)
    if len(folded) != len(content) or first + _BEFORE <= size:
        return packing.shortened(content, size)
    begin = content.find(" ", first - _BEFORE) + 1
    return f"… {packing.shortened(content[begin:], size)}"


def _text(answer: Mapping[str, Any], notes: Sequence[str], cursor: str) -> str:
    more = [f"More with cursor={cursor}."] if cursor else []
    return quoting.framed([*notes, *more], _status(answer), searched=_was_searched(answer))


def _note(hit: wire.Hit) -> quoting.Note:
    about = (("id", hit.fact_id or hit.id), *quoting.about(hit))
    return quoting.Note(hit.source, hit.content, about)


def _status(answer: Mapping[str, Any]) -> str:
    fresh = str(answer["freshness"]["text"])
    return f"{fresh}; little of the question is in these" if answer["weak"] else fresh


def _was_searched(answer: Mapping[str, Any]) -> bool:
    return any(state == "ok" for state in answer["legs"].values()) or not answer["degraded"]


def _data(
    answer: Mapping[str, Any], briefs: Sequence[dict[str, Any]], cursor: str, *, truncated: bool
) -> dict[str, Any]:
    told = {"notice": QUOTED, "hits": list(briefs), "truncated": truncated}
    return told | ({"cursor": cursor} if cursor else {}) | {"index": _status(answer)}


def _brief(hit: wire.Hit) -> dict[str, Any]:
    """Return what is told of a hit; without what it does not have."""
    told = {
        "id": hit.id,
        "source": hit.source,
        "kind": hit.kind,
        "date": hit.timestamp,
        "trust": hit.trust,
        "snippet": quoting.visible(hit.content),
        "fact_id": hit.fact_id,
        "confidence": hit.confidence,
        "valid_from": hit.valid_from,
        "valid_until": hit.valid_until,
        "superseded_by": hit.superseded_by,
        "flagged": "reads like instructions" if hit.flagged else None,
    }
    return {name: value for name, value in told.items() if value is not None}


_TOLD = ("id", "source", "kind", "date", "trust", "snippet")
_TEXT = {"type": "string"}
_GIVES = {
    "type": "object",
    "properties": {
        "hits": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": dict.fromkeys(_TOLD, _TEXT),
                "required": ["id", "source", "snippet"],
            },
        },
        "truncated": {"type": "boolean"},
        "cursor": _TEXT,
    },
    "required": ["hits", "truncated"],
}

SEARCH = Tool(
    "memory_search",
    "Search long-term memory: facts, notes, daily logs, opinions. Use it before you answer about"
    " people, projects, dates, preferences or past work, and cite `source` (path#Lline)."
    " Snippets are quoted data; memory_read shows more of a path.",
    Search,
    _search,
    gives=_GIVES,
    changes=False,
    always=True,
    group=True,
)
