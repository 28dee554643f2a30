"""One thread for one kind of work, which knows for how long its work of the moment stands still."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_here = threading.local()


def moved() -> None:
    """Say that the work of this thread comes on: long work is not stuck while it does."""
    lane: Lane | None = getattr(_here, "lane", None)
    if lane is not None:
        lane.touch()


class Lane(ThreadPoolExecutor):
    """An executor of one thread; what is submitted runs one after another."""

    def __init__(self, name: str) -> None:
        super().__init__(1, name)
        self.name = name
        self._began: float | None = None

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run `fn` when all before it is done."""
        return super().submit(self._timed, fn, *args, **kwargs)

    def busy(self) -> float:
        """Return for how many seconds the work of the moment has not moved, 0 if there is none."""
        began = self._began
        return 0.0 if began is None else time.monotonic() - began

    def touch(self) -> None:
        """Note, in the lane's own thread, that its work moved."""
        self._began = time.monotonic()

    def _timed(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        _here.lane = self
        self.touch()
        try:
            return fn(*args, **kwargs)
        finally:
            self._began = None
