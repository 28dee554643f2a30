"""The official SDK's client at the socket of a daemon, in both eras of the protocol."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import anyio
import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

T = TypeVar("T")

URL = "http://localhost/mcp"
LEGACY, MODERN = "legacy", "2026-07-28"
ERAS = (LEGACY, MODERN)


@asynccontextmanager
async def connected(
    transport: httpx2.AsyncBaseTransport, *, era: str = MODERN, **headers: str
) -> AsyncIterator[Client]:
    """Yield a client; `headers` as keywords, such as `hippod_scope="group"`."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    async with (
        httpx2.AsyncClient(transport=transport, headers=given, timeout=60) as http,
        Client(streamable_http_client(URL, http_client=http), mode=era) as client,
    ):
        yield client


def over(socket: Path) -> httpx2.AsyncHTTPTransport:
    """Return the way to a daemon's socket."""
    return httpx2.AsyncHTTPTransport(uds=str(socket))


def ask(
    way: Path | httpx2.AsyncBaseTransport,
    question: Callable[[Client], Awaitable[T]],
    *,
    era: str = MODERN,
    **headers: str,
) -> T:
    """Return what `question` returns of a connected client; raises `MCPError` bare, in no group."""

    async def asked() -> T | MCPError:
        transport = over(way) if isinstance(way, Path) else way
        async with connected(transport, era=era, **headers) as client:
            try:
                return await question(client)
            except MCPError as error:
                return error

    outcome = anyio.run(asked)
    if isinstance(outcome, MCPError):
        raise outcome
    return outcome


def call(
    way: Path | httpx2.AsyncBaseTransport,
    tool: str,
    arguments: dict[str, Any] | None = None,
    **options: str,
) -> types.CallToolResult:
    """Call one tool, of all of them unless told otherwise."""
    options = {"hippod_tools": "all", **options}
    return ask(way, lambda client: client.call_tool(tool, arguments or {}), **options)


def text(result: types.CallToolResult) -> str:
    """Return the text of a result, which is one piece."""
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


def fails(result: types.CallToolResult) -> str:
    """Return what a tool says is wrong."""
    assert result.is_error, text(result)
    return text(result)


def gives(result: types.CallToolResult) -> dict[str, Any]:
    """Return the data of a result."""
    assert not result.is_error, text(result)
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def post(socket: Path, body: bytes, method: str = "POST", **headers: str) -> httpx2.Response:
    """Send what the client would not send."""
    given = {"accept": "application/json, text/event-stream"} | headers
    named = {name.replace("_", "-"): value for name, value in given.items()}

    async def asked() -> httpx2.Response:
        async with httpx2.AsyncClient(transport=over(socket), timeout=60) as client:
            return await client.request(method, URL, content=body, headers=named)

    return anyio.run(asked)
