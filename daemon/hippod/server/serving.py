"""uvicorn as the daemon runs it: no signal handlers, no ticks, no logs of its own."""

import asyncio
import contextlib
from collections.abc import Iterator

import uvicorn
from starlette.types import ASGIApp

from hippod.server.connection import OwnersProtocol

STOP_SECONDS = 4


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


def serving(app: ASGIApp, protocol: type[OwnersProtocol] = OwnersProtocol) -> uvicorn.Config:
    """Return how `app` is served over connections of that protocol."""
    return uvicorn.Config(
        app,
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
