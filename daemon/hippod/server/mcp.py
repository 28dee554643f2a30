"""The endpoint /mcp: brings the MCP server in when somebody first asks for it.

A daemon that nobody asks over MCP never imports the SDK, which takes a second and 50 MB.
"""

import asyncio
import gc
import importlib
from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from hippod import config
from hippod.aclient import AsyncClient
from hippod.scope import Scope

PATH = "/mcp"
MOST_AT_ONCE = 32
"""Requests that are answered at once, each of which has a connection more; further ones queue."""


class Mcp:
    """An ASGI app. `settings` are asked at each request, so that a reload needs nothing else.

    `client_for` makes a client of a scope, for one call. `let_out` is called when a request came
    in: what it asks comes in by the same door, which must not wait for both.
    """

    path_format = PATH
    """For the figures of requests, as routes have it."""

    def __init__(
        self,
        settings: Callable[[], config.Mcp],
        client_for: Callable[[Scope], AsyncClient],
        let_out: Callable[[], None] = lambda: None,
        *,
        by_headers: bool = True,
    ) -> None:
        self._settings = settings
        self._client_for = client_for
        self._let_out = let_out
        self._by_headers = by_headers
        self._room = asyncio.Semaphore(MOST_AT_ONCE)
        self._build: Callable[..., ASGIApp] | None = None
        self._built: tuple[config.Mcp, ASGIApp] | None = None

    async def __call__(self, scope: Connection, receive: Receive, send: Send) -> None:
        """Answer a request."""
        self._let_out()
        scope["route"] = self
        async with self._room:
            app = await self._app()
            await app(scope, receive, send)

    async def _app(self) -> ASGIApp:
        """Return the server for the settings of the moment."""
        if self._build is None:
            self._build = await asyncio.to_thread(_imported)
        wanted = self._settings()
        if self._built is None or self._built[0] != wanted:
            app = self._build(
                self._client_for,
                scope=wanted.scope,
                tools=wanted.tools,
                budget_tokens=wanted.budget_tokens,
                by_headers=self._by_headers,
            )
            self._built = wanted, app
        return self._built[1]


def _imported() -> Callable[..., ASGIApp]:
    """Bring the server in, beside the loop."""
    build: Callable[..., ASGIApp] = importlib.import_module("hippod.mcp.server").build
    gc.collect()
    gc.freeze()  # its modules stay: a full collection need not look through them
    return build
