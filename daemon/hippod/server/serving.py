"""uvicorn as the daemon runs it: no signal handlers, no ticks, no logs of its own."""

import asyncio
import contextlib
import logging
from collections.abc import Iterator

import structlog
import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hippod.errors import DaemonDown
from hippod.server.answers import answer
from hippod.server.connection import OwnersProtocol

logger = structlog.get_logger()

STOP_SECONDS = 4
_STOPPED = DaemonDown(
    "the daemon stopped before it had answered",
    "it may have done what was asked, or not: look, then ask again",
)


class Server(uvicorn.Server):
    """uvicorn without its signal handlers and its ten ticks a second: the daemon stops it."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Accept no more and let `serve` return."""
        self.should_exit = True
        self._stopping.set()

    async def main_loop(self) -> None:
        """Sleep until told to stop."""
        await self.on_tick(0)
        await self._stopping.wait()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone."""
        yield


class _Ending:
    """Tells a client whose request is cut off at the end why, where its answer has not begun."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_begun = False

        async def said(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, said)
        except asyncio.CancelledError:
            if has_begun:
                raise
            await answer(_STOPPED)(scope, receive, send)


def _is_news(record: logging.LogRecord) -> bool:
    """Say whether a line of uvicorn's is one for the log: what is cut off at the end is told once.

    A client that is cut off in the middle of its answer is none: it is told nothing but that.
    """
    if str(record.msg).startswith("Cancel %s running task"):
        count = record.args[0] if isinstance(record.args, tuple) else 0
        logger.warning("requests.left", requests=count)
        return False
    return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))


def serving(app: ASGIApp, protocol: type[OwnersProtocol] = OwnersProtocol) -> uvicorn.Config:
    """Return how `app` is served over connections of that protocol."""
    logging.getLogger("uvicorn.error").addFilter(_is_news)
    return uvicorn.Config(
        _Ending(app),
        interface="asgi3",
        http=protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=STOP_SECONDS - 1,
    )
