"""The embedder behind a network API: what it sends at once, and what it believes of a reply."""

import base64
import binascii
import hashlib
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from hippod.errors import ModelError, ModelTimeout, ModelUnavailable
from hippod.models import Spent, Vectors
from hippod.models.breaker import Breaker
from hippod.models.dialects import Ask, count
from hippod.models.families import Prefixes
from hippod.models.http import MAX_REPLY, Endpoint, Refused, Unanswered
from hippod.models.patience import QUESTION, START, Patience

_UNTOUCHED = (400, 413, 422)
"""Refusals of these texts, such as one that is too long: the endpoint itself is well."""
_CHARACTERS = 100_000
"""Of all texts of a request together."""
_BYTES_PER_NUMBER = 24
"""In JSON, written out in full."""
_WIDEST = 4096
_SHORTENINGS = 3
_CHARACTERS_PER_TOKEN = 4
_PROBE = "dimension"
_TOO_LONG = re.compile(r"\b(?:tokens?|context|too (?:long|large)|length|maximum|exceeds?)\b", re.I)


class EmbeddingDialect(Protocol):
    """One API: requests and replies as values."""

    def ask(self, texts: Sequence[str], dimensions: int) -> Ask:
        """Return the request for the vectors of `texts`; `dimensions` 0: the model's own."""
        ...

    def read(self, reply: Mapping[str, Any]) -> tuple[list[object], int | None]:
        """Return the vectors in the order of the texts, and the tokens that were counted.

        Raises `LookupError`, `TypeError`, `AttributeError` or `ValueError` for another shape.
        """
        ...


class OpenAIEmbeddings:
    """`/embeddings` as the many implementations of the OpenAI API have it."""

    def __init__(self, model: str) -> None:
        self._model = model

    def ask(self, texts: Sequence[str], dimensions: int) -> Ask:
        """Return the request for the vectors of `texts`."""
        body: dict[str, Any] = {"model": self._model, "input": list(texts)}
        if dimensions:  # many servers know no such field
            body["dimensions"] = dimensions
        return Ask("/embeddings", body)

    def read(self, reply: Mapping[str, Any]) -> tuple[list[object], int | None]:
        """Return the vectors by `index`, whatever their order."""
        items = reply["data"]
        places = [item.get("index", place) for place, item in enumerate(items)]
        if sorted(places) != list(range(len(items))):
            raise ValueError("places")
        ordered = [item for _, item in sorted(zip(places, items, strict=True), key=_place)]
        usage = reply.get("usage") or {}
        return [item["embedding"] for item in ordered], count(usage.get("prompt_tokens"))


class OllamaEmbeddings:
    """`/api/embed`; `keep_alive` (seconds) as for its generator: 0 is for good."""

    def __init__(self, model: str, keep_alive: float) -> None:
        self._model = model
        self._keep_alive = int(keep_alive) or -1

    def ask(self, texts: Sequence[str], dimensions: int) -> Ask:
        """Return the request; what is over the model's length is cut by its own tokenizer."""
        body: dict[str, Any] = {
            "model": self._model,
            "input": list(texts),
            "truncate": True,
            "keep_alive": self._keep_alive,
        }
        if dimensions:
            body["dimensions"] = dimensions
        return Ask("/api/embed", body)

    def read(self, reply: Mapping[str, Any]) -> tuple[list[object], int | None]:
        """Return the vectors, which come in the order of the texts."""
        return list(reply["embeddings"]), count(reply.get("prompt_eval_count"))


class RemoteEmbedder:
    """An `Embedder` that asks an endpoint; documents and questions have a line each.

    `width` is what a vector must have, 0 where the first reply tells; `dimensions` is asked for
    if it is not 0. `documents` and `questions` are two endpoints of one address. Whoever asks a
    question waits `query_timeout` seconds at most, and not at all while the endpoint fails.
    A text without anything but space has a zero row and is never sent. `missing` tells what to
    do about a model that is not there.
    """

    def __init__(
        self,
        name: str,
        dialect: EmbeddingDialect,
        documents: Endpoint,
        questions: Endpoint,
        *,
        prefixes: Prefixes,
        dimensions: int = 0,
        width: int = 0,
        batch: int = 64,
        query_timeout: float = 3.0,
        missing: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name = name
        self._dialect = dialect
        self._prefixes = prefixes
        self._dimensions = dimensions
        self._width = dimensions or width
        self._batch = batch
        self._documents = _Line(documents, dialect, missing, clock)
        self._asked = _Line(questions, dialect, missing, clock)
        self._questions = Patience(self._embed_query, query_timeout, QUESTION)
        self._probing = Patience(self._probe, START)

    @property
    def model_id(self) -> str:
        """Model, host, and a digest of prefixes and dimensions where there are any."""
        name = f"{self._name}@{self._documents.endpoint.host}"
        parts = (self._prefixes.query, self._prefixes.document, self._dimensions)
        if not any(parts):
            return name
        return f"{name}#{hashlib.sha256(repr(parts).encode()).hexdigest()[:8]}"

    @property
    def dimension(self) -> int:
        """Width of the vectors; asks the endpoint once where nothing tells."""
        return self._width or self._soon()

    @property
    def spent(self) -> Spent:
        """All calls, tokens and seconds so far; what an unanswered call cost is not known."""
        return self._documents.spent + self._asked.spent

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return one L2-normalised row per text; raises `ModelError` for all of them or none."""
        rows = np.zeros((len(texts), self._width or self._probe()), dtype=np.float32)
        wanted = [place for place, text in enumerate(texts) if text.strip()]
        sent = [self._prefixes.document + texts[place] for place in wanted]
        for some in self._batches(sent):
            rows[wanted[some.start : some.stop]] = self._fitting(
                self._documents, sent[some.start : some.stop]
            )
        return rows

    def embed_query(self, text: str) -> Vectors:
        """Return the L2-normalised vector of one question."""
        if not text.strip():
            return np.zeros(self.dimension, dtype=np.float32)
        self._asked.check()
        return self._questions.ask(text)

    def close(self) -> None:
        """Refuse further calls and end those that wait."""
        self._asked.endpoint.close()
        self._documents.endpoint.close()
        self._questions.close()
        self._probing.close()

    def status(self) -> dict[str, object]:
        """Return state and meters, without waiting for a running call."""
        spent = self.spent
        waits = max(self._documents.remaining, self._asked.remaining)
        return {
            "state": "closed" if self._asked.endpoint.closed else "backoff" if waits else "ready",
            "model_id": self.model_id,
            "dimension": self._width or None,
            "endpoint": self._documents.endpoint.base_url,
            "last_error": self._documents.last_error or self._asked.last_error,
            "retry_in": round(waits),
            "repeated": self._documents.endpoint.repeated,
            "calls": spent.calls,
            "tokens": spent.tokens_in,
            "seconds": round(spent.seconds, 3),
        }

    def _soon(self) -> int:
        """Return the width if the endpoint tells it in a moment."""
        self._documents.check()
        try:
            return self._probing.ask()
        except ModelTimeout:
            raise ModelUnavailable(
                f"{self._documents.endpoint.host} has not answered yet"
            ) from None

    def _probe(self) -> int:
        self._vectors(self._documents, [_PROBE])
        return self._width

    def _embed_query(self, text: str) -> Vectors:
        row: Vectors = self._fitting(self._asked, [self._prefixes.query + text])[0]
        return row

    def _batches(self, texts: Sequence[str]) -> Iterator[range]:
        """Yield ranges of texts that go in one request, by number and by characters."""
        most = max(1, min(self._batch, MAX_REPLY // (_BYTES_PER_NUMBER * (self._width or _WIDEST))))
        start = characters = 0
        for place, text in enumerate(texts):
            characters += len(text)
            if place > start and (place - start >= most or characters > _CHARACTERS):
                yield range(start, place)
                start, characters = place, len(text)
        if texts:
            yield range(start, len(texts))

    def _fitting(self, line: "_Line", texts: Sequence[str]) -> Vectors:
        """Ask for the vectors; a single text that is refused as too long is halved a few times."""
        for _ in range(_SHORTENINGS):
            try:
                return self._vectors(line, texts)
            except Refused as refusal:
                if not _is_too_long(refusal):
                    self._find_the_blame(line, refusal)
                if len(texts) > 1 or not _is_too_long(refusal):
                    raise
                texts = [texts[0][: len(texts[0]) // 2]]
        return self._vectors(line, texts)

    def _find_the_blame(self, line: "_Line", refusal: Refused) -> None:
        """Return if a plain word is taken, so that the texts are to blame; raise if it is not."""
        try:
            self._vectors(line, [_PROBE])
        except Refused:
            raise line.failed(refusal.message, refusal.hint) from None

    def _vectors(self, line: "_Line", texts: Sequence[str]) -> Vectors:
        """Return checked rows; the first reply of all tells their width, if nothing else did."""
        rows = line.vectors(self._dialect.ask(texts, self._dimensions), len(texts))
        width = rows.shape[1]
        if self._width and width != self._width:
            raise line.failed(
                f"{line.endpoint.host} gave {width} numbers a text where {self._width} "
                "were asked for",
                "set embedder.dimensions to what the model gives",
            )
        self._width = width
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        normal: Vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths != 0)
        return normal


class _Line:
    """One way to the endpoint: calls queue, and stop for a while when it keeps failing."""

    def __init__(
        self,
        endpoint: Endpoint,
        dialect: EmbeddingDialect,
        missing: str,
        clock: Callable[[], float],
    ) -> None:
        self.endpoint = endpoint
        self.spent = Spent()
        self.last_error = ""
        self._dialect = dialect
        self._missing = missing
        self._clock = clock
        self._breaker = Breaker(clock, "recall answers by words alone meanwhile")
        self._lock = threading.RLock()

    @property
    def remaining(self) -> float:
        """Seconds until a call is let through."""
        return self._breaker.remaining

    def check(self) -> None:
        """Raise `ModelUnavailable` while calls are refused, without waiting."""
        self._breaker.check()

    def vectors(self, ask: Ask, expected: int) -> Vectors:
        """Return what a request brings, as finite numbers; raises `ModelError`."""
        with self._lock:
            self._breaker.check()
            try:
                rows = self._numbers(self._post(ask), expected)
            except ModelError as error:
                self._fail(error)
                raise self._explained(error) from None
            self._breaker.succeed()
            self.last_error = ""
            return rows

    def failed(self, message: str, hint: str) -> ModelUnavailable:
        """Refuse calls for a while from now on, for a reason that no repetition cures."""
        with self._lock:
            self._breaker.fail(message, at_once=True)
            self.last_error = message
        return ModelUnavailable(message, hint)

    def _post(self, ask: Ask) -> list[object]:
        """Send one request and count what it cost."""
        began = self._clock()
        tokens: int | None = 0
        try:
            found, tokens = self._dialect.read(self.endpoint.post(ask.path, ask.body))
            return found
        except (LookupError, TypeError, AttributeError, ValueError):  # any JSON may come
            raise ModelUnavailable(
                f"{self.endpoint.host} sent JSON of another shape",
                "check embedder.provider and embedder.base_url",
            ) from None
        finally:
            said = sum(map(len, ask.body["input"])) // _CHARACTERS_PER_TOKEN
            used = said if tokens is None else tokens
            self.spent += Spent(1, used, 0, self._clock() - began)

    def _numbers(self, found: list[object], expected: int) -> Vectors:
        host = self.endpoint.host
        if len(found) != expected:
            raise ModelUnavailable(f"{host} sent {len(found)} vectors for {expected} texts")
        try:
            rows = np.stack([_row(each) for each in found])
        except (TypeError, ValueError, OverflowError):
            raise ModelUnavailable(f"{host} sent vectors that are no rows of numbers") from None
        if rows.ndim != 2 or not rows.shape[1]:
            raise ModelUnavailable(f"{host} sent vectors that are no rows of numbers")
        sound = np.isfinite(rows).all(axis=1)
        if not sound.all():
            kind = ModelError if sound.any() or expected == 1 else ModelUnavailable
            raise kind(f"{host} sent a vector with entries that are no finite numbers")
        return rows

    def _fail(self, error: ModelError) -> None:
        if self.endpoint.closed:
            return
        self.last_error = error.message
        if type(error) is ModelError or _is_about_texts(error):
            return
        waits = error if isinstance(error, Unanswered) else Unanswered("")
        self._breaker.fail(error.message, pause=waits.pause, at_once=waits.denied)

    def _explained(self, error: ModelError) -> ModelError:
        """Add what to do about a model that is not there, and stop asking for it for a while."""
        if not isinstance(error, Refused) or error.status != 404:
            return error
        hint = self._missing or error.hint
        return self.failed(error.message, hint)


def _row(found: object) -> Vectors:
    """Return one vector, sent as a list or as float32 in base64."""
    if isinstance(found, str):
        try:
            return np.frombuffer(base64.b64decode(found, validate=True), dtype="<f4")
        except binascii.Error:
            raise ValueError("base64") from None
    if not isinstance(found, list):
        raise TypeError("no list")
    with np.errstate(over="ignore"):  # what is too big becomes infinite, and is refused
        return np.array(found, dtype=np.float32)


def _place(pair: tuple[int, Any]) -> int:
    return pair[0]


def _is_about_texts(error: ModelError) -> bool:
    return isinstance(error, Refused) and error.status in _UNTOUCHED


def _is_too_long(refusal: Refused) -> bool:
    return refusal.status == 413 or bool(_TOO_LONG.search(refusal.detail))
