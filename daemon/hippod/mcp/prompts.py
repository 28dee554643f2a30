"""The prompts that a person may pick: what a session begins and ends with."""

from collections.abc import Mapping

import mcp_types as types
from mcp.shared.exceptions import MCPError

from hippod.aclient import AsyncClient
from hippod.errors import HippodError
from hippod.mcp.arguments import MOST_OF_A_PATH
from hippod.mcp.resources import failed
from hippod.scope import Scope

START, END = "start_session", "end_session"
_SESSION = types.PromptArgument(
    name="session", description="name of the conversation", required=False
)
_ABOUT = {
    START: "What the agent should know before it begins.",
    END: "Have the agent write down what should outlast this conversation.",
}

_RETAIN = """\
This session ends. Look back over our conversation and call memory_retain once with the facts that
should outlast it: decisions and their reasons, preferences, dates, what was done and what is still
open. One sentence a fact, with full names and absolute dates, as 'KIND @Entity: sentence' (W world,
B experience, O(c=0.9) opinion). Leave out secrets, small talk and what memory already holds."""
_KEEP = """\
This session ends. Call update_working_memory once with what is still open here, so that it can be
taken up again: the state, the next step, open questions. Leave out secrets."""


def listed() -> list[types.Prompt]:
    """Return the prompts."""
    return [
        types.Prompt(name=name, description=about, arguments=[_SESSION])
        for name, about in _ABOUT.items()
    ]


async def got(
    client: AsyncClient, scope: Scope, name: str, given: Mapping[str, str] | None
) -> types.GetPromptResult:
    """Return a prompt. Raises `MCPError` if there is none, or nobody can say."""
    session = (given or {}).get("session") or None
    if session and len(session) > MOST_OF_A_PATH:
        said = f"session: is longer than {MOST_OF_A_PATH} characters"
        raise MCPError(types.INVALID_PARAMS, said)
    if name not in _ABOUT:
        raise MCPError(types.INVALID_PARAMS, f"no such prompt: {name[:200]}")
    text = await _start(client, session) if name == START else _end(scope, session)
    content = types.TextContent(text=text)
    message = types.PromptMessage(role="user", content=content)
    return types.GetPromptResult(description=_ABOUT[name], messages=[message])


async def _start(client: AsyncClient, session: str | None) -> str:
    try:
        answer = await client.context(session)
    except HippodError as error:
        raise failed(error) from None
    return str(answer["text"]) or "Nothing is known yet."


def _end(scope: Scope, session: str | None) -> str:
    text = _RETAIN if scope == "main" else _KEEP
    return f"{text}\nThe session is {session!r}." if session else text
