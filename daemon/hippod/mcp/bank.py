"""The tools of the bank and the jobs: who is who, what is believed and why, and forgetting."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from hippod import wire
from hippod.aclient import AsyncClient
from hippod.errors import Conflict, InvalidInput
from hippod.mcp.arguments import Arguments, Name
from hippod.mcp.tool import Result, Tool, quoted

Id = Annotated[
    wire.Text,
    Field(
        min_length=1,
        max_length=64,
        description="or its first 4+ letters",
        examples=["k3f9ab27qt"],
    ),
]


class Entity(Arguments):
    """Which entity."""

    name: Annotated[Name | None, Field(description="none: list all", examples=["Ina"])] = None


async def _entity(client: AsyncClient, asked: Entity, tokens: int) -> Result:
    if not asked.name:
        return quoted(await client.entities(), tokens)
    return quoted(await client.entity(asked.name), tokens)


class Opinions(Arguments):
    """Which opinions."""

    entity: Annotated[Name | None, Field(examples=["Ina"])] = None
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
        wire.Text | None,
        Field(max_length=64, description="of the plan, once the person agreed to it"),
    ] = None


async def _forget(client: AsyncClient, asked: Forget, tokens: int) -> Result:
    ask = partial(client.forget, asked.text, id=asked.id, every=asked.every)
    if not asked.confirm:
        return _planned(await ask(dry_run=True), asked, tokens)
    try:
        return quoted(await ask(dry_run=False, agreed=asked.confirm), tokens)
    except Conflict as other:
        if not other.message.startswith("agreed:"):
            raise
    raise InvalidInput(
        "confirm: is not of this plan; nothing was forgotten",
        "call it without confirm, show the plan to the person, and then give its token",
    )


def _planned(plan: Mapping[str, Any], asked: Forget, tokens: int) -> Result:
    """Return a plan, with its size first: of a long one only a part is shown."""
    told = {name: value for name, value in plan.items() if name != "plan"}
    total = len(plan["places"])
    if plan["widespread"] and not asked.every:
        many = f"It stands in {total} places: give more of the text, or every=true."
        return quoted({"next": many, **told}, tokens)
    size = f"{total} places of {len({each['path'] for each in plan['places']})} documents go"

    def shown(count: int) -> Result:
        cut = f" ({count} of {total} are shown here)" if count < total else ""
        return quoted({"confirm": plan["plan"], "next": f"{size}{cut}. {_NEXT}", **told}, tokens)

    longest = shown(max(0, total - 1))
    return shown(len((longest.data or {})["places"]))


_NEXT = (
    "Nothing was forgotten yet, and it cannot be undone. Show this plan to the person; if they"
    " agree, repeat with it."
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
