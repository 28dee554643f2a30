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
from hippod.mcp.tool import QUOTED
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


async def read(client: AsyncClient, uri: str) -> types.ReadResourceResult:
    """Return a resource; what is memory in it is quoted. Raises `MCPError` if there is none."""
    match = _URI.fullmatch(uri)
    if match is None:
        raise MCPError(types.INVALID_PARAMS, f"no such resource: {uri[:200]}")
    kind, name = match[1], unquote(match[2])
    try:
        text = await _READERS[kind](client, name)
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


async def _file(client: AsyncClient, path: str) -> str:
    document = await client.read(path)
    return _as_it_is(document) if document["path"] in _INSTRUCTING else _quoted(document)


async def _daily(client: AsyncClient, day: str) -> str:
    return _quoted(await client.daily_log(day))


async def _entity(client: AsyncClient, name: str) -> str:
    """Return the page of an entity, by any of its names."""
    path = (await client.entity(name, limit=0))["path"]
    if path is None:
        raise NotFound(f"{name}: has no page yet", "reflection makes one, or use memory_entity")
    return _quoted(await client.read(path))


def _as_it_is(document: Mapping[str, Any]) -> str:
    return str(document["content"])


def _quoted(document: Mapping[str, Any]) -> str:
    head = f"{document['path']}. {QUOTED}"
    return redact.wrap_memory(f"{head}\n{document['content'].rstrip()}")


_READERS: dict[str, Callable[[AsyncClient, str], Awaitable[str]]] = {
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
