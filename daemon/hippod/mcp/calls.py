"""The calls of one agent that are under way: a few at once, the others wait their turn."""

from __future__ import annotations

import threading
from collections import deque

from hippod.mcp import messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hippod.client import Line
    from hippod.mcp.messages import Id

AT_ONCE = 8
"""Calls of one bridge; each takes two of the 128 connections that the daemon's socket has."""
MOST = 1_000
"""Calls that are under way or wait."""


class Call:
    """One request of the agent."""

    __slots__ = ("_line", "body", "headers", "id", "is_cancelled", "method")

    def __init__(self, id_: Id, method: str, body: bytes, headers: dict[str, str]) -> None:
        self.id = id_
        self.method = method
        self.body = body
        self.headers = headers
        self.is_cancelled = False
        self._line: Line | None = None

    def goes_over(self, line: Line) -> None:
        """Note the connection, which a cancellation cuts."""
        self._line = line
        if self.is_cancelled:
            line.cut()

    def cancel(self) -> None:
        """End it: nobody waits for its answer any more."""
        self.is_cancelled = True
        if self._line is not None:
            self._line.cut()


class Calls:
    """Runs `work` for each call, in threads that begin when they are needed."""

    def __init__(self, work: Callable[[Call], None]) -> None:
        self._work = work
        self._waiting: deque[Call] = deque()
        self._open: dict[str, Call] = {}
        self._changed = threading.Condition()
        self._workers = self._idle = 0

    def add(self, call: Call) -> bool:
        """Take a call on; False: there are too many."""
        with self._changed:
            if len(self._waiting) >= MOST:
                return False
            self._waiting.append(call)
            self._open[messages.key(call.id)] = call
            if len(self._waiting) > self._idle and self._workers < AT_ONCE:
                self._workers += 1
                threading.Thread(target=self._run, daemon=True).start()
            self._changed.notify_all()
        return True

    def cancel(self, id_: object) -> None:
        """Cancel a call; one that is answered, or never was, is passed over."""
        with self._changed:
            call = self._open.get(messages.key(id_))
        if call is not None:
            call.cancel()

    def finish(self, seconds: float) -> None:
        """Wait until all are answered, for so long at most."""
        with self._changed:
            self._changed.wait_for(lambda: not self._open, seconds)

    def _run(self) -> None:
        while True:
            call = self._next()
            if not call.is_cancelled:
                self._work(call)
            self._ended(call)

    def _next(self) -> Call:
        with self._changed:
            self._idle += 1
            self._changed.wait_for(lambda: self._waiting)
            self._idle -= 1
            return self._waiting.popleft()

    def _ended(self, call: Call) -> None:
        with self._changed:
            name = messages.key(call.id)
            if self._open.get(name) is call:
                del self._open[name]
            self._changed.notify_all()
