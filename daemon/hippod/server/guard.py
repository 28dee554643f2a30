"""What a request must be before a route sees it, and what becomes of one that fails inside."""

import os
import time
from collections.abc import Callable
from urllib.parse import unquote_to_bytes

import structlog
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hippod import __version__
from hippod.errors import Forbidden, HippodError, InvalidInput, PathRefused, TooLarge
from hippod.metrics import NO_ROUTE
from hippod.server.answers import answer

MAX_DRAINED = 100_000_000
"""Bytes of a refused body that are read and thrown away."""

logger = structlog.get_logger()


class Guard:
    """Refuses requests that a browser sent, or for another workspace, and bodies over the limit.

    Names our version in each answer. `workspace` is the real path; empty: any may be meant.
    `saw` is told method, route, status and seconds of every answer, when it begins.

    The edge of one request's work: a fault of ours inside is logged here, once, and told to
    the client without any detail.
    """

    def __init__(
        self,
        app: ASGIApp,
        max_body_bytes: int,
        workspace: str = "",
        saw: Callable[[str, str, int, float], None] = lambda *_: None,
    ) -> None:
        self._app = app
        self._saw = saw
        self._limit = max_body_bytes
        self._workspace = workspace

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_begun, came = False, time.perf_counter()
        inner = _as_json(scope)

        async def named(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                seconds = time.perf_counter() - came
                self._saw(scope["method"], _route(inner), message["status"], seconds)
                ours = (b"hippod-version", __version__.encode())
                message["headers"] = [*message["headers"], ours]
            await send(message)

        try:
            await self._handle(inner, receive, named)
        except Exception:
            logger.exception("request.crashed", method=scope["method"], route=_route(inner))
            if not has_begun:
                failed = HippodError("something failed inside hippod", "look at the daemon's log")
                await answer(failed)(scope, receive, named)

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, self._bounded(receive), send)
            return
        if "expect" not in Headers(scope=scope):  # else the client has not begun to send
            await _drain(receive)
        response = answer(refusal)
        response.headers["connection"] = "close"
        await response(scope, receive, send)

    def _refusal(self, scope: Scope) -> HippodError | None:
        headers = Headers(scope=scope)
        # No page in a browser has a reason to talk to this socket, whatever proxies it.
        if "origin" in headers or "referer" in headers:
            return Forbidden("requests with an Origin or Referer header are refused")
        meant = unquote_to_bytes(headers.get("hippod-workspace", ""))
        if meant and self._workspace and meant != os.fsencode(self._workspace):
            return InvalidInput(
                f"the daemon at this socket serves another workspace: {self._workspace}",
                "unset HIPPOD_SOCKET, or name the right one by --socket",
            )
        declared = headers.get("content-length", "0")
        if not declared.isdigit() or int(declared) > self._limit:
            return self._too_large()
        if not _is_text(scope["raw_path"]) or not _is_text(scope["query_string"]):
            # Decoded leniently it would name another document.
            return PathRefused("the URL is not UTF-8 text", "percent-encode the bytes of UTF-8")
        return None

    def _bounded(self, receive: Receive) -> Receive:
        seen = 0

        async def bounded() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._limit:
                if message.get("more_body"):
                    await _drain(receive)
                raise self._too_large()
            return message

        return bounded

    def _too_large(self) -> TooLarge:
        return TooLarge(
            f"the request body is over {self._limit} bytes", "see [server] max_body_bytes"
        )


def _route(scope: Scope) -> str:
    """Return the template of the route that a request reached: a path may name somebody."""
    return str(getattr(scope.get("route"), "path_format", NO_ROUTE))


async def _drain(receive: Receive) -> None:
    """Let the client finish, within reason: one cut off while it writes never reads the answer."""
    seen, more = 0, True
    while more and seen < MAX_DRAINED:
        message = await receive()
        seen += len(message.get("body", b""))
        more = message.get("more_body", False)


def _is_text(encoded: bytes) -> bool:
    try:
        unquote_to_bytes(encoded).decode()
    except UnicodeDecodeError:
        return False
    return True


def _as_json(scope: Scope) -> Scope:
    """Declare the body as JSON, which it must be: `curl -d` calls everything a form."""
    others = [(name, value) for name, value in scope["headers"] if name != b"content-type"]
    return {**scope, "headers": [*others, (b"content-type", b"application/json")]}
