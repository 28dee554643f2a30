"""The door of the daemon: one application behind a socket that stays open, over the memory of the
moment, which a reload of the configuration replaces by another one.
"""

import asyncio
import contextlib
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hippod.errors import Busy, HippodError
from hippod.server.answers import answer
from hippod.service import Memory

CUT = Busy("the daemon reads its configuration again and broke this off", "ask again")


class Present:
    """Stands for the memory of the moment, so that routes are made once and counters go on."""

    def __init__(self) -> None:
        self._memory: Memory | None = None

    def become(self, memory: Memory | None) -> None:
        """Stand for another memory, or for none."""
        self._memory = memory

    def __getattr__(self, name: str) -> Any:
        return getattr(self._memory, name)


@dataclass(slots=True)
class _Visit:
    """A request that is inside."""

    has_begun: bool = False
    """Its answer has."""
    awaits_client: bool = False
    """Its client is to send the rest of the request, or to take some of the answer."""
    is_cut: bool = False


class Door:
    """Passes requests on while it is open; while it is closed, they wait.

    All methods are for the loop's own thread.
    """

    def __init__(self) -> None:
        self._app: ASGIApp | None = None
        self._is_open = asyncio.Event()
        self._refusal: HippodError | None = None
        self._inside: dict[asyncio.Task[Any] | None, _Visit] = {}
        self._left = asyncio.Event()
        self._is_hurried = False

    def lead_to(self, app: ASGIApp) -> None:
        """Set what is behind it."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, as soon as somebody is there to answer it."""
        while not self._is_open.is_set():  # again: it may be closed before we are woken
            await self._is_open.wait()
        if self._refusal is not None or self._app is None:
            await answer(self._refusal or CUT)(scope, receive, send)
            return
        task, visit = asyncio.current_task(), _Visit()
        self._inside[task] = visit
        try:
            await self._app(scope, _heard(visit, receive), _said(visit, send))
        except asyncio.CancelledError:
            if not visit.is_cut:
                raise
            if not visit.has_begun:
                await answer(CUT)(scope, receive, send)
        finally:
            self._leave(task)

    def let_out(self) -> None:
        """Wait no more for the request that is answered at the moment: it waits for us."""
        self._leave(asyncio.current_task())

    def open(self) -> None:
        """Let requests in, also those that wait."""
        self._refusal = None
        self._is_open.set()

    def close(self) -> None:
        """Let nobody in until it is opened again; who is inside may finish."""
        self._is_open.clear()

    def refuse(self, why: HippodError) -> None:
        """Tell who waits or comes `why` nobody is let in."""
        self._refusal = why
        self._is_open.set()

    def hurry(self) -> None:
        """Let nobody wait for who is inside any more."""
        self._is_hurried = True
        self._left.set()

    async def emptied(self, seconds: float) -> bool:
        """Wait until nobody is inside, for so long at most; say whether that came true."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._inside and not self._is_hurried:
                    self._left.clear()
                    await self._left.wait()
        return not self._inside

    def cut(self, *, held_up: bool = False) -> int:
        """Break off requests (`held_up`: those that wait for their client); return how many.

        One whose answer has not begun is told so.
        """
        meant = [
            (task, visit)
            for task, visit in self._inside.items()
            if task is not None and (not held_up or visit.has_begun or visit.awaits_client)
        ]
        for task, visit in meant:
            visit.is_cut = True
            task.cancel()
        return len(meant)

    def _leave(self, task: asyncio.Task[Any] | None) -> None:
        self._inside.pop(task, None)
        self._left.set()


def _heard(visit: _Visit, receive: Receive) -> Receive:
    async def heard() -> Message:
        visit.awaits_client = True
        message = await receive()
        visit.awaits_client = False
        return message

    return heard


def _said(visit: _Visit, send: Send) -> Send:
    async def said(message: Message) -> None:
        visit.has_begun = True
        await send(message)

    return said
