"""What a host may attach: the files about the agent, daily logs, any document, entities' pages."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import quote, unquote

import mcp_types as types
from mcp.shared.exceptions import MCPError

from hippod import redact
from hippod.aclient import AsyncClient
from hippod.errors import Forbidden, HippodError, NotFound
from hippod.markdown import split_lines
from hippod.mcp import budget, documents
from hippod.mcp.tool import QUOTED, on_one_line
from hippod.scope import Scope

MARKDOWN = "text/markdown"
_INSTRUCTING = {
    "AGENTS.md": "how agents work here",
    "SOUL.md": "core values",
    "USER.md": "about the user",
    "IDENTITY.md": "who the agent is",
}
_ABOUT_THE_AGENT = {**_INSTRUCTING, "MEMORY.md": "what should always be known"}
_DAYS = ("today", "yesterday")
_MOST_COMPLETED = 100
_MOST_OF_A_URI = 8_000
_URI = re.compile(r"hippod://(file|daily|entity)/(.+)", re.DOTALL)
_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})\.md\Z")

_TEMPLATES = {
    "hippod://file/{+path}": ("file", "a document by its path"),
    "hippod://daily/{date}": ("daily", "the daily log of a date such as 2026-03-03"),
    "hippod://entity/{name}": ("entity", "the page of a person, project or thing"),
}


async def listed(client: AsyncClient, scope: Scope) -> list[types.Resource]:
    """Return the files about the agent that are there, and the logs of these days."""
    found = [
        _resource("file", path, about)
        for path, about in _ABOUT_THE_AGENT.items()
        if await _is_there(client, path)
    ]
    if scope == "main":
        found += [_resource("daily", day, f"the daily log of {day}") for day in _DAYS]
    return found


async def _is_there(client: AsyncClient, path: str) -> bool:
    """Say whether there is a document and we may see it; what is not indexed is in no tree."""
    try:
        await client.read(path)
    except (NotFound, Forbidden):
        return False
    return True


def templates(scope: Scope) -> list[types.ResourceTemplate]:
    """Return how further resources are named."""
    return [
        types.ResourceTemplate(uri_template=uri, name=name, description=about, mime_type=MARKDOWN)
        for uri, (name, about) in _TEMPLATES.items()
        if scope == "main" or name == "file"
    ]


async def read(client: AsyncClient, uri: str, tokens: int) -> types.ReadResourceResult:
    """Return a resource, cut where it has more than `tokens`; what is memory in it is quoted.

    Raises `MCPError` if there is none.
    """
    if len(uri) > _MOST_OF_A_URI:
        raise MCPError(types.INVALID_PARAMS, f"uri: is longer than {_MOST_OF_A_URI} characters")
    match = _URI.fullmatch(uri)
    if match is None:
        raise MCPError(types.INVALID_PARAMS, f"no such resource: {uri[:200]}")
    kind, name = match[1], unquote(match[2])
    try:
        text = await _READERS[kind](client, name, tokens)
    except HippodError as error:
        raise failed(error) from None
    content = types.TextResourceContents(uri=uri, mime_type=MARKDOWN, text=text)
    return types.ReadResourceResult(contents=[content])


def failed(error: HippodError) -> MCPError:
    """Return an error of ours as the protocol has them."""
    code = types.INTERNAL_ERROR if error.http_status >= 500 else types.INVALID_PARAMS
    return MCPError(code, " - ".join(filter(None, (error.message, error.hint))))


async def completed(client: AsyncClient, uri: str, begun: str) -> list[str]:
    """Return what a template's field may be that begins so."""
    name, _ = _TEMPLATES.get(uri, ("", ""))
    try:
        known = await _COMPLETERS[name](client) if name else []
    except HippodError as error:
        raise failed(error) from None
    wanted = begun.casefold()
    return [each for each in known if each.casefold().startswith(wanted)][:_MOST_COMPLETED]


def _resource(kind: str, name: str, about: str) -> types.Resource:
    uri = f"hippod://{kind}/{quote(name)}"
    return types.Resource(uri=uri, name=name, description=about, mime_type=MARKDOWN)


async def _file(client: AsyncClient, path: str, tokens: int) -> str:
    document = await client.read(path)
    shown = _as_it_is if document["path"] in _INSTRUCTING else _quoted
    return shown(document, tokens)


async def _daily(client: AsyncClient, day: str, tokens: int) -> str:
    return _quoted(await client.daily_log(day), tokens)


async def _entity(client: AsyncClient, name: str, tokens: int) -> str:
    """Return the page of an entity, by any of its names."""
    path = (await client.entity(name, limit=0))["path"]
    if path is None:
        raise NotFound(f"{name}: has no page yet", "reflection makes one, or use memory_entity")
    return _quoted(await client.read(path), tokens)


def _as_it_is(document: Mapping[str, Any], tokens: int) -> str:
    whole = str(document["content"])
    if budget.fits(whole, tokens):
        return whole
    lines = split_lines(whole)

    def text_of(count: int) -> str:
        on = f"memory_read goes on with path={document['path']}, line={count + 1}"
        return "\n".join([*lines[:count], f"[Truncated: {on}]"])

    return text_of(budget.most(len(lines), text_of, tokens))


def _quoted(document: Mapping[str, Any], tokens: int) -> str:
    head = f"{on_one_line(document['path'])}. {QUOTED}"
    whole = redact.wrap_memory(f"{head}\n{document['content'].rstrip()}")
    return whole if budget.fits(whole, tokens) else documents.part(document, tokens)


_READERS: dict[str, Callable[[AsyncClient, str, int], Awaitable[str]]] = {
    "file": _file,
    "daily": _daily,
    "entity": _entity,
}


async def _paths(client: AsyncClient) -> list[str]:
    entries = (await client.tree(recursive=True))["entries"]
    return [each["path"] for each in entries if not each["is_directory"]]


async def _days(client: AsyncClient) -> list[str]:
    days = {match[1] for path in await _paths(client) if (match := _DAY.search(path))}
    return [*_DAYS, *sorted(days, reverse=True)]


async def _names(client: AsyncClient) -> list[str]:
    return [each["name"] for each in (await client.entities())["entities"]]


_COMPLETERS: dict[str, Callable[[AsyncClient], Awaitable[list[str]]]] = {
    "file": _paths,
    "daily": _days,
    "entity": _names,
}
