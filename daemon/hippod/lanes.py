"""One thread for one kind of work, which knows for how long its work of the moment lasts."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


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
        """Return for how many seconds the work of the moment lasts, 0 if there is none."""
        began = self._began
        return 0.0 if began is None else time.monotonic() - began

    def _timed(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        self._began = time.monotonic()
        try:
            return fn(*args, **kwargs)
        finally:
            self._began = None
