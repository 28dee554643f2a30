"""The two model roles: `Generator` and `Embedder`, as everything else sees them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""Shape (n, dimension), rows L2-normalised."""

Grammar = Literal["facts", "items", "json", "line"]
"""Names of the fixed grammars that ship with the worker; never built from input."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model wrote, and what it cost.

    `finished` is False where the token limit cut the text. `tokens_in` counts the prompt tokens
    that were evaluated: a prefix kept from an earlier call is free where the model runs here.
    """

    text: str
    finished: bool
    tokens_in: int
    tokens_out: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Spent:
    """What a generator has used since it was made; two readings subtract."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.seconds + other.seconds,
        )

    def __sub__(self, earlier: "Spent") -> "Spent":
        return Spent(
            self.calls - earlier.calls,
            self.tokens_in - earlier.tokens_in,
            self.tokens_out - earlier.tokens_out,
            self.seconds - earlier.seconds,
        )


class Generator(Protocol):
    """A language model that picks labels or writes under a fixed grammar.

    Every method blocks; call it from a worker thread. Raises `ModelUnavailable`,
    `ModelTimeout` or `ModelCrashed`.
    """

    @property
    def spent(self) -> Spent:
        """All calls, tokens and seconds so far, failed calls included where they are known."""
        ...

    @property
    def model_id(self) -> str:
        """Name and content hash of the model, for caches and status."""
        ...

    def choose(self, prompts: Sequence[str], labels: Sequence[str]) -> list[list[float]]:
        """Return, for each prompt, the log-probability of each label's first token.

        Each row is normalised over the labels (its exponentials sum to 1). The labels' first
        tokens differ under the model's tokenizer, else `ModelError`. Prompts that share a
        prefix should stand next to each other: the prefix is evaluated once.
        """
        ...

    def complete(
        self, prompt: str, grammar: Grammar, max_tokens: int, *, system: str = ""
    ) -> Completion:
        """Return the greedy answer to `prompt` under a fixed grammar.

        `system` holds the fixed instructions, the same for many prompts: models that run here
        evaluate it once. Nothing in either text ever becomes a control token of the model.
        """
        ...


class Embedder(Protocol):
    """Turns texts into vectors.

    Everything here, `model_id` and `dimension` too, may load a model or ask an endpoint at
    first, and raise `ModelUnavailable` until that works.
    """

    @property
    def model_id(self) -> str:
        """Name of model and prompt format: part of the index fingerprint."""
        ...

    @property
    def dimension(self) -> int:
        """Width of the vectors."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts to be found, cut to what the model reads; shape (len(texts), dimension)."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """Embed one question; shape (dimension,)."""
        ...


class ManagedEmbedder(Embedder, Protocol):
    """An embedder with a life of its own: processes or a connection."""

    def close(self) -> None:
        """End it for good; calls in progress and later ones raise `ModelUnavailable`."""
        ...

    def status(self) -> dict[str, object]:
        """Return state and meters, without waiting for a running call."""
        ...


class TokenCounter(Protocol):
    """Counts tokens as a model would, by its vocabulary alone."""

    @property
    def name(self) -> str:
        """Whose tokens these are."""
        ...

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text; raises `ModelError`."""
        ...

    def close(self) -> None:
        """End it for good."""
        ...
