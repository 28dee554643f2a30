"""The door of the daemon: one application behind a socket that stays open, over the memory of the
moment, which a reload of the configuration replaces by another one.
"""

import asyncio
import contextlib
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from hippod.errors import HippodError
from hippod.server.answers import answer
from hippod.service import Memory


class Present:
    """Stands for the memory of the moment, so that routes are made once and counters go on."""

    def __init__(self) -> None:
        self._memory: Memory | None = None

    def become(self, memory: Memory | None) -> None:
        """Stand for another memory, or for none."""
        self._memory = memory

    def __getattr__(self, name: str) -> Any:
        return getattr(self._memory, name)


class Door:
    """Passes requests to `app` while it is open; while it is closed, they wait.

    All methods are for the loop's own thread.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._is_open = asyncio.Event()
        self._refusal: HippodError | None = None
        self._inside = 0
        self._left = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, as soon as somebody is there to answer it."""
        while not self._is_open.is_set():  # again: it may be closed before we are woken
            await self._is_open.wait()
        if self._refusal is not None:
            await answer(self._refusal)(scope, receive, send)
            return
        self._inside += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._inside -= 1
            self._left.set()

    def open(self) -> None:
        """Let requests in, also those that wait."""
        self._is_open.set()

    def close(self) -> None:
        """Let nobody in until it is opened again; who is inside may finish."""
        self._is_open.clear()

    def lock(self, why: HippodError) -> None:
        """Close for good: who waits or comes is told `why`."""
        self._refusal = why
        self._is_open.set()

    async def emptied(self, besides: int, seconds: float) -> bool:
        """Wait until no more than `besides` requests are inside; say whether that came true."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._inside > besides:
                    self._left.clear()
                    await self._left.wait()
        return self._inside <= besides
