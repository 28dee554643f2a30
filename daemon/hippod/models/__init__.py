"""The two model roles: `Generator` and `Embedder`, as everything else sees them."""

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""Shape (n, dimension), rows L2-normalised."""

Grammar = Literal["facts", "json", "line"]
"""Names of the fixed grammars that ship with the worker; never built from input."""


class Generator(Protocol):
    """A language model that picks labels or writes under a fixed grammar.

    Every method blocks; call it from a worker thread. Raises `ModelUnavailable`,
    `ModelTimeout` or `ModelCrashed`.
    """

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

    def complete(self, prompt: str, grammar: Grammar, max_tokens: int) -> str:
        """Return the greedy completion of `prompt` under a fixed grammar."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def model_id(self) -> str:
        """Name of model and prompt format: part of the index fingerprint."""
        ...

    @property
    def dimension(self) -> int:
        """Width of the vectors."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts to be found; shape (len(texts), dimension)."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """Embed one question; shape (dimension,)."""
        ...
