"""What a request must be before a route sees it: same user, no browser, a bounded body."""

import asyncio
import os
import socket
from typing import Any, cast

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from hippod import __version__
from hippod.errors import Forbidden, HippodError, TooLarge
from hippod.server.socket import peer_uid


class PeerCheckedProtocol(HttpToolsProtocol):
    """uvicorn's HTTP protocol, closed at once for a peer of another user (root may come in)."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, if the peer may have one."""
        connection = cast("socket.socket", transport.get_extra_info("socket"))
        if peer_uid(connection) not in (os.geteuid(), 0):
            transport.abort()
            return
        super().connection_made(transport)


class Guard:
    """Refuses requests that a browser sent and bodies over the limit; names our version."""

    def __init__(self, app: ASGIApp, max_body_bytes: int) -> None:
        self._app = app
        self._limit = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(Headers(scope=scope))
        if refusal is not None:
            await self._refuse(refusal, scope, receive, send)
            return
        seen = 0

        async def bounded() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._limit:
                raise self._too_large()
            return message

        async def named(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message["headers"], (b"hippod-version", __version__.encode()),
                ]  # fmt: skip
            await send(message)

        await self._app(scope, bounded, named)

    def _refusal(self, headers: Headers) -> HippodError | None:
        # No page in a browser has a reason to talk to this socket, whatever proxies it.
        if "origin" in headers or "referer" in headers:
            return Forbidden("requests with an Origin or Referer header are refused")
        declared = headers.get("content-length", "0")
        if not declared.isdigit() or int(declared) > self._limit:
            return self._too_large()
        return None

    def _too_large(self) -> TooLarge:
        return TooLarge(
            f"the request body is over {self._limit} bytes", "see [server] max_body_bytes"
        )

    async def _refuse(self, error: HippodError, scope: Scope, receive: Receive, send: Send) -> None:
        body: dict[str, Any] = {"error": error.wire()}
        response = JSONResponse(body, error.http_status, headers={"connection": "close"})
        await response(scope, receive, send)
