"""The MCP listener: /mcp and nothing else over TCP, on this machine alone, for who has the token.

A listener that cannot open is told in the log and by `hippod status`, and tried again; the daemon
goes on without it. A reload opens, closes or moves it; what it asks of a request is read anew at
each one, so a new token counts at once.
"""

import asyncio
import hmac
import re
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from hippod import bearer
from hippod.config import Config, listen_address
from hippod.errors import Forbidden, HippodError, InvalidInput, NotFound, StorageError
from hippod.server.answers import answer
from hippod.server.connection import OwnersProtocol
from hippod.server.guard import Guard
from hippod.server.mcp import PATH
from hippod.server.serving import Server, serving
from hippod.server.socket import BACKLOG

logger = structlog.get_logger()

MOST_CONNECTIONS = 32
RETRY_SECONDS = 60.0
"""How soon a listener that could not open is tried again."""
MOST_DRAINED = 1_000_000
"""Bytes of a refused body that are read: a client cut off while it writes reads no answer."""
_LOCAL = ("localhost", "127.0.0.1", "[::1]")
_ASKED_BY_PAGES = (
    "accept", "authorization", "content-type", "mcp-method", "mcp-name", "mcp-protocol-version",
)  # fmt: skip
_NOT_PASSED_ON = re.compile(rb"authorization|origin|referer|hippod-.*")


class TokensProtocol(OwnersProtocol):
    """The same protocol for whoever can connect, with less room."""

    most_connections = MOST_CONNECTIONS

    def _may_come(self, connection: socket.socket) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class _Rules:
    """What a request must say."""

    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    token_file: Path = Path()


class Listener:
    """Serves `app` where the configuration says, if it says so. For the loop's own thread."""

    def __init__(self, app: ASGIApp, max_body_bytes: int) -> None:
        self._app = Guard(app, max_body_bytes)
        self._address = ""
        self._config: Config | None = None
        self._trouble: HippodError | None = None
        self._server: Server | None = None
        self._served: asyncio.Task[None] | None = None
        self._retry: asyncio.TimerHandle | None = None
        self._gate: ASGIApp = self._app
        self._rules = _Rules()

    async def follow(self, config: Config, file: Path | None) -> None:
        """Open, close or move it as `config`, read from `file`, says; never raises."""
        mcp = config.mcp
        self._config = config
        self._rules = _Rules(mcp.hosts, mcp.origins, bearer.place(mcp, file))
        self._gate = Gate(self._app, self._rules)
        if mcp.listen != self._address or self._server is None:
            await self.close()
            self._address = mcp.listen
            self._open()
        elif self._address:
            self._ensure_token()

    async def close(self) -> None:
        """Close it; answers under way have a moment."""
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        server, served = self._server, self._served
        self._server = self._served = None
        if server is not None and served is not None:
            server.stop()
            await served

    def status(self) -> dict[str, Any] | None:
        """Return how it is, from any thread; None where none is configured."""
        config, trouble = self._config, self._trouble
        if config is None or not config.mcp.listen:
            return None
        if trouble is None:
            trouble = _trouble_of_token(self._rules.token_file)
        return {
            "listen": config.mcp.listen,
            "url": f"http://{config.mcp.listen}{PATH}",
            "open": self._server is not None,
            "scope": config.mcp.scope,
            "tools": config.mcp.tools,
            "token_file": str(self._rules.token_file),
            "error": trouble.message if trouble else "",
            "hint": trouble.hint if trouble else "",
        }

    def _open(self) -> None:
        self._trouble = None
        if not self._address:
            return
        try:
            listener = _bound(self._address)
            self._ensure_token()
        except HippodError as error:
            self._trouble = error
            logger.error("listener.not_open", reason=error.message, hint=error.hint)
            self._retry = asyncio.get_running_loop().call_later(RETRY_SECONDS, self._open)
            return
        self._server = Server(serving(self._answer, TokensProtocol))
        self._served = asyncio.create_task(self._server.serve(sockets=[listener]))
        logger.info("listener.open", address=self._address)

    def _ensure_token(self) -> None:
        """Make a token if there is none; what is wrong with one is told again at each request."""
        try:
            bearer.ensure(self._rules.token_file)
        except HippodError as error:
            logger.error("listener.token_unusable", reason=error.message, hint=error.hint)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._gate(scope, receive, send)


class Gate:
    """Lets nothing in but POST /mcp with the token, for a name and from a page that are allowed.

    What a request says of scope and tools, and the token, goes no further than here.
    """

    def __init__(self, app: ASGIApp, rules: _Rules) -> None:
        self._app = app
        self._rules = rules
        self._behind_names: ASGIApp = self._check_token
        if rules.origins:
            self._behind_names = CORSMiddleware(
                self._check_token,
                allow_origins=rules.origins,
                allow_methods=("POST",),
                allow_headers=_ASKED_BY_PAGES,
                allow_private_network=True,
            )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse names of others first: to a page in a browser not even a 401 is said."""
        headers = Headers(scope=scope)
        if not _is_ours(headers.getlist("host"), self._rules.hosts):
            await _refuse(scope, receive, send, "host", Forbidden(
                "the Host header does not name this listener", "see [mcp] hosts"))  # fmt: skip
        elif any(page not in self._rules.origins for page in headers.getlist("origin")):
            await _refuse(scope, receive, send, "origin", Forbidden(
                "requests of this web page are refused", "see [mcp] origins"))  # fmt: skip
        else:
            await self._behind_names(scope, receive, send)

    async def _check_token(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] != PATH:
            error: HippodError = NotFound(f"there is {PATH} here, and nothing else")
            await _refuse(scope, receive, send, "path", error)
        elif scope["method"] != "POST":
            error = InvalidInput(f"{PATH} takes POST alone")
            await _refuse(scope, receive, send, "method", error, 405, {"allow": "POST"})
        else:
            try:
                token = bearer.read(self._rules.token_file)
            except HippodError as unusable:
                logger.error("listener.token_unusable", reason=unusable.message, hint=unusable.hint)
                error = StorageError("the listener's token cannot be read", "see: hippod status")
                await _refuse(scope, receive, send, "token file", error, 503)
                return
            if not _names(Headers(scope=scope).getlist("authorization"), token):
                error = Forbidden("no token, or not the right one", "see: hippod mcp token")
                challenge = {"www-authenticate": 'Bearer realm="hippod"'}
                await _refuse(scope, receive, send, "token", error, 401, challenge)
                return
            await self._app(_stripped(scope), receive, send)


def _is_ours(hosts: list[str], allowed: tuple[str, ...]) -> bool:
    """Say whether the one Host header names us: a page that rebinds its own name to us does not.

    The port does not matter for our own names: it is another one at the end of a tunnel.
    """
    if len(hosts) != 1:
        return False
    host = hosts[0].lower()
    name = re.sub(r":\d{1,5}$", "", host)
    return name in _LOCAL or host in allowed or name in allowed


def _names(given: list[str], token: str) -> bool:
    """Say whether the one Authorization header holds the token, in a time that tells nothing."""
    scheme, _, said = (given[0] if len(given) == 1 else "").partition(" ")
    is_right = hmac.compare_digest(said.strip().encode("utf-8", "replace"), token.encode())
    return is_right and scheme.lower() == "bearer"


def _stripped(scope: Scope) -> Scope:
    kept = [each for each in scope["headers"] if not _NOT_PASSED_ON.fullmatch(each[0])]
    return {**scope, "headers": kept}


async def _refuse(
    scope: Scope,
    receive: Receive,
    send: Send,
    what: str,
    error: HippodError,
    status: int | None = None,
    headers: dict[str, str] | None = None,
) -> None:
    """Answer with an error, and close the connection."""
    logger.warning("listener.refused", reason=what)
    await _drain(scope, receive)
    response = answer(error, status)
    response.headers.update({**(headers or {}), "connection": "close"})
    await response(scope, receive, send)


async def _drain(scope: Scope, receive: Receive) -> None:
    if "expect" in Headers(scope=scope):  # the client has not begun to send
        return
    seen, more = 0, True
    while more and seen < MOST_DRAINED:
        message = await receive()
        seen += len(message.get("body", b""))
        more = message.get("more_body", False)


def _trouble_of_token(file: Path) -> HippodError | None:
    try:
        bearer.read(file)
    except HippodError as error:
        return error
    return None


def _bound(address: str) -> socket.socket:
    """Listen at an address of this machine; raises `StorageError`."""
    host, port = listen_address(address)
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise StorageError(
            f"{address}: cannot listen: {error.strerror}", "choose another [mcp] listen"
        ) from None
    listener.setblocking(False)
    return listener
