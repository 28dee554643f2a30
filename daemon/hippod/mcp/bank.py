"""The tools of the bank and the jobs: who is who, what is believed and why, and forgetting."""

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from hippod import wire
from hippod.aclient import AsyncClient
from hippod.errors import InvalidInput
from hippod.mcp import budget
from hippod.mcp.arguments import Arguments
from hippod.mcp.tool import Result, Tool, quoted

Id = Annotated[
    wire.Text, Field(min_length=1, description="or its first 4+ letters", examples=["k3f9ab27qt"])
]


class Entity(Arguments):
    """Which entity."""

    name: Annotated[wire.Text | None, Field(description="none: list all", examples=["Ina"])] = None


async def _entity(client: AsyncClient, asked: Entity, tokens: int) -> Result:
    if not asked.name:
        return quoted(await client.entities(), tokens)
    return quoted(await client.entity(asked.name), tokens)


class Opinions(Arguments):
    """Which opinions."""

    entity: Annotated[wire.Text | None, Field(examples=["Ina"])] = None
    id: Annotated[Id | None, Field(description="one opinion, with its evidence")] = None


async def _opinions(client: AsyncClient, asked: Opinions, tokens: int) -> Result:
    if asked.id:
        return quoted(await client.opinion(asked.id), tokens)
    return quoted(await client.opinions(asked.entity), tokens)


class Why(Arguments):
    """Which fact, opinion or hit."""

    id: Id


async def _why(client: AsyncClient, asked: Why, tokens: int) -> Result:
    return quoted(await client.why(asked.id), tokens)


class Reflect(Arguments):
    """Which facts."""

    since: Annotated[wire.Text | None, Field(examples=["7d"])] = None
    dry_run: bool = False


async def _reflect(client: AsyncClient, asked: Reflect, tokens: int) -> Result:
    return quoted(await client.reflect(since=asked.since, dry_run=asked.dry_run), tokens)


class Heartbeat(Arguments):
    """Whether only to say what it would do."""

    dry_run: bool = False


async def _heartbeat(client: AsyncClient, asked: Heartbeat, tokens: int) -> Result:
    return quoted(await client.heartbeat(dry_run=asked.dry_run), tokens)


# -- forget ----------------------------------------------------------------------------------


class Forget(Arguments):
    """What to forget, and the plan that was agreed to."""

    text: wire.Text | None = None
    id: Id | None = None
    every: Annotated[bool, Field(description="a short text that stands in many places")] = False
    confirm: Annotated[
        wire.Text | None, Field(description="of the plan, once the person agreed to it")
    ] = None


async def _forget(client: AsyncClient, asked: Forget, tokens: int) -> Result:
    plan = await client.forget(asked.text, id=asked.id, every=asked.every, dry_run=True)
    agreed = _token(plan, asked)
    if not asked.confirm:
        return _planned(plan, agreed, asked, tokens)
    if asked.confirm != agreed:
        raise InvalidInput(
            "confirm: is not of this plan; nothing was forgotten",
            "call it without confirm, show the plan to the person, and then give its token",
        )
    done = await client.forget(asked.text, id=asked.id, every=asked.every, dry_run=False)
    return quoted(done, tokens)


def _token(plan: Mapping[str, Any], asked: Forget) -> str:
    """Return a name of what would go; lines are no part of it, for they move."""
    places = [[each[name] for name in ("path", "text", "action")] for each in plan["places"]]
    what = [asked.text, asked.id, asked.every, sorted(places), sorted(plan["facts"])]
    return hashlib.sha256(budget.as_json(what).encode()).hexdigest()[:12]


def _planned(plan: Mapping[str, Any], token: str, asked: Forget, tokens: int) -> Result:
    if plan["widespread"] and not asked.every:
        return quoted(
            {"next": "it stands in many places: give more, or every=true", **plan}, tokens
        )
    said = "Nothing was forgotten yet, and it cannot be undone. Show this plan to the person;"
    return quoted(
        {"confirm": token, "next": f"{said} if they agree, repeat with it.", **plan}, tokens
    )


# --------------------------------------------------------------------------------------------

ENTITY = Tool(
    "memory_entity",
    "What is known of a person, project or thing: aliases, summary, newest facts, opinions.",
    Entity,
    _entity,
    changes=False,
)
OPINIONS = Tool(
    "memory_opinions",
    "List beliefs with their confidence and evidence.",
    Opinions,
    _opinions,
    changes=False,
)
WHY = Tool(
    "memory_why",
    "Trace a fact, opinion or hit back to what was said, by whom and when.",
    Why,
    _why,
    changes=False,
)
REFLECT = Tool(
    "memory_reflect",
    "Bring entity pages and opinions up to date with new facts. Takes a while; also runs by"
    " itself.",
    Reflect,
    _reflect,
    repeatable=True,
)
FORGET = Tool(
    "memory_forget",
    "Forget a fact, opinion or text for good. The first call only returns a plan with a `confirm`"
    " token; the second, with that token, does it.",
    Forget,
    _forget,
    destroys=True,
    repeatable=True,
)
HEARTBEAT = Tool(
    "heartbeat_run",
    "Look at the checklist in HEARTBEAT.md now; `reply` is HEARTBEAT_OK or what needs a person.",
    Heartbeat,
    _heartbeat,
)
