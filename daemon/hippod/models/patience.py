"""Model calls that must not be waited for long: a recall answers by words alone instead."""

from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Generic, ParamSpec, TypeVar

from hippod.errors import ModelTimeout, ModelUnavailable

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class Patience(Generic[Given, Answer]):
    """Runs one call at a time on a thread; who asks waits `seconds` at most.

    What takes longer goes on behind (a model that is being loaded gets loaded), and while it
    does other calls are refused at once. `hint` is what helps against that.
    """

    def __init__(
        self,
        call: Callable[Given, Answer],
        seconds: float,
        hint: str = "",
        subject: str = "the embedder",
    ) -> None:
        self._call = call
        self._seconds = seconds
        self._hint = hint
        self._subject = subject
        self._thread = ThreadPoolExecutor(1, "patience")
        self._overdue: Future[Answer] | None = None
        self._closed = False

    def ask(self, *args: Given.args, **kwargs: Given.kwargs) -> Answer:
        """Return what the call returns; raises what it raises, `ModelTimeout` when it is late,
        `ModelUnavailable` once closed.
        """
        if self._overdue is not None and not self._overdue.done():
            raise ModelTimeout(f"{self._subject} is still busy with an earlier call", self._hint)
        if self._closed:
            raise ModelUnavailable(f"{self._subject} is closed")
        try:
            running = self._thread.submit(self._call, *args, **kwargs)
        except RuntimeError:  # closed since the line above
            raise ModelUnavailable(f"{self._subject} is closed") from None
        try:
            return running.result(self._seconds)
        except TimeoutError:
            if not running.cancel():
                self._overdue = running
            message = f"{self._subject} gave no answer within {self._seconds:g} s"
            raise ModelTimeout(message, self._hint) from None
        except CancelledError:
            raise ModelUnavailable(f"{self._subject} is closed") from None

    def close(self) -> None:
        """Refuse further calls; the one in progress is ended by whoever answers it."""
        self._closed = True
        self._thread.shutdown(wait=False, cancel_futures=True)


QUESTION = "a higher embedder.query_timeout gives it longer"
"""What helps where a question took too long."""
START = 2.0
"""Seconds that a caller waits to learn what an embedder is."""
