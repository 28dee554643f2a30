"""Stand-ins for the two model roles: scripted replies, hashed vectors, no model and no wait."""

import hashlib
import math
from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from hippod.models import Completion, Grammar, Spent, Vectors

Chooser = Callable[[str, Sequence[str]], Sequence[float]]
"""Given a prompt and the labels, a weight per label; any positive scale."""


class FakeGenerator:
    """A generator that answers as told; without instructions it is undecided and silent.

    `chooser` decides `choose`; `enqueue` lines up the replies of `complete` (a string) and
    failures (an exception, raised by whichever method is called next).
    """

    def __init__(self, chooser: Chooser | None = None, model_id: str = "fake#0") -> None:
        self.chooser = chooser or (lambda _prompt, labels: [1.0] * len(labels))
        self.model_id = model_id
        self.prompts: list[str] = []
        """Every prompt seen, in order."""
        self._replies: deque[str | Completion | Exception] = deque()

    def enqueue(self, *replies: str | Completion | Exception) -> None:
        """Line up replies of `complete`, or exceptions for the next call of any kind."""
        self._replies.extend(replies)

    @property
    def spent(self) -> Spent:
        """Ten tokens in, five out and a tenth of a second for each prompt."""
        calls = len(self.prompts)
        return Spent(calls, 10 * calls, 5 * calls, 0.1 * calls)

    def choose(self, prompts: Sequence[str], labels: Sequence[str]) -> list[list[float]]:
        """Return normalised log-probabilities from the chooser's weights."""
        self._fail_if_told()
        self.prompts += prompts
        return [_log_normalised(self.chooser(prompt, labels)) for prompt in prompts]

    def complete(
        self, prompt: str, grammar: Grammar, max_tokens: int, *, system: str = ""
    ) -> Completion:
        """Return the next enqueued reply, empty when there is none."""
        self._fail_if_told()
        self.prompts.append(prompt)
        reply = self._replies.popleft() if self._replies else ""
        if isinstance(reply, str):
            reply = Completion(reply, True, 10, 5, 0.1)
        assert isinstance(reply, Completion)
        return reply

    def _fail_if_told(self) -> None:
        if self._replies and isinstance(self._replies[0], Exception):
            failure = self._replies.popleft()
            assert isinstance(failure, Exception)
            raise failure


class FakeEmbedder:
    """Bag-of-words vectors from hashed words: texts that share words are near, the same always.

    `failure`, when set, is raised by the next embedding call and then cleared.
    """

    def __init__(self, dimension: int = 64, model_id: str = "fake-hash-1") -> None:
        self.dimension = dimension
        self.model_id = model_id
        self.embedded: list[str] = []
        """Every document text embedded, in order: shows what was not skipped."""
        self.failure: Exception | None = None

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts; a text without words gives a zero row."""
        self._fail_if_told()
        self.embedded += texts
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = self._vector(text)
        return rows

    def embed_query(self, text: str) -> Vectors:
        """Embed one text."""
        self._fail_if_told()
        return self._vector(text)

    def _vector(self, text: str) -> Vectors:
        vector = np.zeros(self.dimension, dtype=np.float32)
        for word in text.casefold().split():
            digest = hashlib.sha256(word.strip(".,:;!?()").encode()).digest()
            slot = int.from_bytes(digest[:4], "big") % self.dimension
            vector[slot] += 1.0 if digest[4] & 1 else -1.0
        norm = float(np.linalg.norm(vector))
        return vector / np.float32(norm) if norm else vector

    def _fail_if_told(self) -> None:
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure


def _log_normalised(weights: Sequence[float]) -> list[float]:
    total = math.fsum(weights)
    return [math.log(max(weight, 1e-12) / total) for weight in weights]
