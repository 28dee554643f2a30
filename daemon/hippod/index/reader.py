"""Reads documents with a deadline: a file that never answers holds up no other."""

import contextlib
import errno
import threading
import time
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Protocol

from hippod.errors import StorageError
from hippod.workspace import Loaded

_Turns = SimpleQueue[tuple[str, Future[Loaded | None]] | None]

_PATIENCE, _LESS_PATIENCE = 10.0, 2.0
"""Seconds for a document, and for each while another hangs."""
_SLICE = 0.1
"""Seconds after which a wait is looked at: what comes late then is this process, not the disk."""
_MOST_HANGING = 16
"""Threads that are left behind at most; beyond that the disk itself does not answer."""


class Loads(Protocol):
    """Where documents are read."""

    def load(self, path: str) -> Loaded | None:
        """Read a document; None if it is gone or none."""
        ...


class Reader:
    """Loads documents in a thread of its own, which is left behind where a file hangs.

    What a cloud client evicted and what lies on a mount that is gone looks like any other file
    until its first byte is wanted, and then nobody can end the wait. For one thread at a time.
    """

    def __init__(self, documents: Loads) -> None:
        self._documents = documents
        self._hanging: set[str] = set()
        self._turns: _Turns | None = None

    def load(self, path: str) -> Loaded | None:
        """Load a document; raises `StorageError` if no answer comes."""
        if path in self._hanging or len(self._hanging) >= _MOST_HANGING:
            raise _unanswered(path) from _no_answer()
        answer: Future[Loaded | None] = Future()
        turns = self._turns = self._turns or self._begin()
        turns.put((path, answer))
        if not _came(answer, _LESS_PATIENCE if self._hanging else _PATIENCE):
            self._leave_behind(path, answer)
            raise _unanswered(path) from _no_answer()
        return answer.result()

    def close(self) -> None:
        """End the thread once it has done what it does."""
        if self._turns is not None:
            self._turns.put(None)
            self._turns = None

    def _begin(self) -> _Turns:
        turns: _Turns = SimpleQueue()
        threading.Thread(target=self._work, args=[turns], name="reader", daemon=True).start()
        return turns

    def _work(self, turns: _Turns) -> None:
        while (turn := turns.get()) is not None:
            path, answer = turn
            try:
                answer.set_result(self._documents.load(path))
            except Exception as error:  # whoever asked hears of it
                answer.set_exception(error)

    def _leave_behind(self, path: str, answer: Future[Loaded | None]) -> None:
        self._hanging.add(path)
        answer.add_done_callback(lambda _: self._hanging.discard(path))
        self.close()


def _came(answer: Future[Loaded | None], patience: float) -> bool:
    """Wait for an answer; a machine so busy that we are late ourselves does not use up patience."""
    while patience > 0:
        piece = min(patience, _SLICE)
        began = time.monotonic()
        with contextlib.suppress(TimeoutError):
            answer.exception(piece)  # it only waits
            return True
        late = time.monotonic() - began - piece
        patience -= piece if late < piece else _SLICE / 10  # one that hangs ends it all the same
    return answer.done()


def _no_answer() -> TimeoutError:
    """Return a cause that tells `is_passing` that another look may help."""
    return TimeoutError(errno.EAGAIN, "no answer yet")


def _unanswered(path: str) -> StorageError:
    return StorageError(
        f"{path}: cannot be read: its disk does not answer",
        "it may be only in the cloud, or on a mount that hangs; it is looked at again later",
    )
