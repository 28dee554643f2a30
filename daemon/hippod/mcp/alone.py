"""The MCP server without a daemon, in this process: it says what its tools are, and each of them
says what is wrong. Imports the SDK, so it is for the bridge whose daemon is down.
"""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn, Self, cast

from hippod import config as configuration
from hippod.aclient import AsyncClient
from hippod.errors import HippodError
from hippod.mcp.server import build
from hippod.scope import Scope


class Alone:
    """Answers as the daemon's /mcp would. `settings` is the config file, which may be missing."""

    def __init__(self, settings: str) -> None:
        logging.getLogger().addHandler(logging.NullHandler())  # else it would go to the host
        mcp = _settings(settings)
        self._why = HippodError("no daemon answers")
        self._app = build(
            self._nobody, scope="main", tools="default", budget_tokens=mcp.budget_tokens
        )

    def post(
        self, body: bytes, headers: Mapping[str, str], why: HippodError
    ) -> tuple[int, dict[str, str], list[bytes]]:
        """Return status, headers and body; every tool says `why` nothing can be done."""
        self._why = why
        return asyncio.run(_posted(self._app, body, headers))

    def _nobody(self, _scope: Scope) -> AsyncClient:
        return cast("AsyncClient", _Nobody(self._why))


class _Nobody:
    """A client each of whose verbs fails."""

    def __init__(self, why: HippodError) -> None:
        self._why = why

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None

    def __getattr__(self, verb: str) -> Callable[..., Awaitable[NoReturn]]:
        async def fail(*_: object, **__: object) -> NoReturn:
            raise type(self._why)(self._why.message, self._why.hint)

        return fail


def _settings(file: str) -> configuration.Mcp:
    """Return what the configuration says; a faulty one is told by the daemon that is started."""
    try:
        return configuration.load(Path(file) if file else None, os.environ).mcp
    except HippodError:
        return configuration.Mcp()


async def _posted(
    app: Callable[..., Awaitable[None]], body: bytes, headers: Mapping[str, str]
) -> tuple[int, dict[str, str], list[bytes]]:
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http",
        "method": "POST", "path": "/mcp", "raw_path": b"/mcp", "root_path": "",
        "query_string": b"", "client": None, "server": ("hippod", None),
        "headers": [(b"host", b"hippod"), (b"content-type", b"application/json"), *(
            (name.lower().encode(), value.encode()) for name, value in headers.items()
        )],
    }  # fmt: skip
    said: list[dict[str, Any]] = []
    asked = [{"type": "http.request", "body": body, "more_body": False}]
    ended = asyncio.Event()

    async def receive() -> dict[str, Any]:
        if asked:
            return asked.pop()
        await ended.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        said.append(message)

    await app(scope, receive, send)
    start = next(message for message in said if message["type"] == "http.response.start")
    answered = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    return start["status"], answered, [message.get("body", b"") for message in said[1:]]
