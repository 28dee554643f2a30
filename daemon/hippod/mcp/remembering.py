"""The tools of a session: retain what was said, keep working memory, get the context."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from hippod import facts, wire
from hippod.aclient import AsyncClient
from hippod.errors import InvalidInput
from hippod.mcp.arguments import Arguments, Name, Several
from hippod.mcp.tool import Result, Tool, quoted

_MARK = re.compile(r"\s*(?:[-*+]\s+)?")
_HEAD = re.compile(r"[WBOS](?:\(c=[^)]*\))?(?:\s+@|\s*:)")
"""How a fact begins that is meant to be in our form, and told what is wrong in it."""
_MOST_TOLD = 3
"""Facts that were not stored and are told of in words; all of them are in `rejected`."""
SESSION = "this conversation's name"


class Retain(Arguments):
    """What to remember."""

    facts: Annotated[
        Several[wire.Text],
        Field(
            description="a sentence, or 'KIND @Entity: sentence' with KIND W (world), B"
            " (experience), O(c=0.9) (opinion)",
            examples=[["W @Ina: Moved to Graz in May 2026."]],
        ),
    ] = ()
    messages: Annotated[
        tuple[wire.Message, ...], Field(description="a conversation to take facts from")
    ] = ()
    session: Annotated[wire.Text | None, Field(description=SESSION)] = None
    flush: Annotated[bool, Field(description="extract now what waits")] = False


async def _retain(client: AsyncClient, asked: Retain, tokens: int) -> Result:
    if not (asked.facts or asked.messages or asked.flush):
        raise InvalidInput("facts, messages: neither is given", "give facts, or messages, or flush")
    answer = await client.retain(
        [each.model_dump(exclude_none=True) for each in asked.messages],
        facts=[_bullet(each) for each in asked.facts],
        session=asked.session,
        flush=asked.flush,
    )
    note = _not_stored(answer["rejected"])
    return quoted({"queued": answer["queued"], "note": note, **answer}, tokens)


def _not_stored(rejected: Sequence[Mapping[str, Any]]) -> str:
    """Say in a sentence what was not stored and why; nothing if all was."""
    told = [f"not stored: {each['text']}: {each['reason']}" for each in rejected[:_MOST_TOLD]]
    if len(rejected) > len(told):
        told.append(f"not stored: {len(rejected) - len(told)} more, see rejected")
    return "; ".join(told)


def _bullet(text: str) -> str:
    """Return a fact as hippod writes facts; a plain sentence is one about the world."""
    plain = _MARK.sub("", text, count=1)
    is_one = facts.parse_bullet(f"- {plain}") or _HEAD.match(plain)
    return plain if is_one else f"W : {plain}"


RETAIN = Tool(
    "memory_retain",
    "Remember for good what should outlast this conversation: decisions, preferences, dates, what"
    " was done. One sentence a fact, with full names and dates. No secrets.",
    Retain,
    _retain,
    always=True,
)


class Working(Arguments):
    """What a session keeps in mind."""

    session: Annotated[Name, Field(description=SESSION, examples=["main"])]
    content: wire.Text
    mode: Literal["replace", "append"] = "replace"


async def _keep(client: AsyncClient, asked: Working, _: int) -> Result:
    verb = client.append_working if asked.mode == "append" else client.set_working
    answer = await verb(asked.session, asked.content)
    data: dict[str, Any] = {
        name: value for name, value in answer.items() if name != "content" and value is not None
    }
    size, most = data["bytes"], data["max_bytes"]
    return Result(f"kept for session {asked.session}: {size} of {most} bytes", data)


WORKING = Tool(
    "update_working_memory",
    "Keep a short text (plan, state, open questions) for this session only; it comes back with"
    " the session's context.",
    Working,
    _keep,
    repeatable=True,
    always=True,
    group=True,
)


class Context(Arguments):
    """Whose context."""

    session: Annotated[Name | None, Field(description=SESSION)] = None
    budget_tokens: Annotated[int | None, Field(ge=1)] = None


async def _context(client: AsyncClient, asked: Context, tokens: int) -> Result:
    most = min(asked.budget_tokens or tokens, tokens)
    answer = await client.context(asked.session, budget_tokens=most)
    return Result(answer["text"] or "Nothing is known yet.")


CONTEXT = Tool(
    "memory_context",
    "Get what an agent is told at the start of a session: instructions, user, long-term memory,"
    " recent notes, working memory. Call it once, first.",
    Context,
    _context,
    changes=False,
    group=True,
)
