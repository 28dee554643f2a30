"""The built-in embedder: mean word-piece vectors from the files that `wordllama` carries.

Only its data is used. Importing the package would set up logging for the whole process and
load an HTTP client; like this nothing here can reach the network.
"""

import hashlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from tokenizers import Tokenizer

from hippod.errors import ModelUnavailable
from hippod.models import Vectors

_PACKAGE = "wordllama"
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_TENSOR = "embedding.weight"
_LONGEST = 20_000
"""Characters of a text that are read: far over any chunk, and a bound on time and memory."""


class WordLlamaEmbedder:
    """Static 256-wide embeddings, about 0.2 ms a chunk; thread-safe.

    A text without any known word piece (empty, only spaces) has no direction: its row is zero,
    and the caller must not put it into a vector index.
    """

    immediate = True
    """Answers from the memory of this process: there is nothing to wait for."""

    def __init__(self, folder: Path | None = None) -> None:
        """Load from `folder` (default: the installed package); raises `ModelUnavailable`."""
        home = folder or _package_folder()
        weights, tokenizer = home / _WEIGHTS, home / _TOKENIZER
        self._table = _read_table(weights)
        self._tokenizer = _read_tokenizer(tokenizer)
        self.dimension = int(self._table.shape[1])
        self.model_id = f"wordllama-{self.dimension}#{_digest(weights, tokenizer)}"

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return one L2-normalised row per text, zero for a text without words."""
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = self.embed_query(text)
        return rows

    def embed_query(self, text: str) -> Vectors:
        """Return the L2-normalised vector of one text, zero without words."""
        pieces = self._pieces(text)
        if not pieces:
            return np.zeros(self.dimension, dtype=np.float32)
        vector: Vectors = self._table[pieces].mean(axis=0, dtype=np.float32)
        length = np.linalg.norm(vector)
        if length:
            vector /= length
        return vector

    def close(self) -> None:
        """Do nothing: there is neither a process nor a connection."""

    def status(self) -> dict[str, object]:
        """Return what it is; it is always ready."""
        return {
            "state": "ready",
            "model_id": self.model_id,
            "dimension": self.dimension,
            "last_error": "",
        }

    def _pieces(self, text: str) -> list[int]:
        clean = text[:_LONGEST].encode("utf-8", "replace").decode("utf-8")
        if not clean.strip():
            return []
        last = len(self._table) - 1
        encoded = self._tokenizer.encode(clean, add_special_tokens=False)
        return [min(piece, last) for piece in encoded.ids]


def tokenizer_file() -> Path:
    """Return where the vocabulary lies; raises `ModelUnavailable` without the package."""
    return _package_folder() / _TOKENIZER


def _package_folder() -> Path:
    """Find the package without importing it."""
    spec = importlib.util.find_spec(_PACKAGE)
    folders = (spec.submodule_search_locations if spec else None) or ()
    for folder in folders:
        if (Path(folder) / _WEIGHTS).is_file():
            return Path(folder)
    raise ModelUnavailable(
        "the built-in embedder is not installed", "install the package wordllama"
    )


def _read_table(path: Path) -> NDArray[np.floating]:
    """Read the vectors as stored, in half precision: widened only where they are used."""
    try:
        with safe_open(path, framework="np") as file:
            table: NDArray[np.floating] = file.get_tensor(_TENSOR)
    except (OSError, SafetensorError) as error:
        raise _damaged(path, str(error)) from None
    if table.ndim != 2 or not np.isfinite(table).all():
        raise _damaged(path, "not a table of finite numbers")
    return table


def _read_tokenizer(path: Path) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_str(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise _damaged(path, error.strerror or "cannot be read") from None
    except Exception as error:  # the library raises bare Exception for a faulty file
        raise _damaged(path, str(error)) from None
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _damaged(path: Path, why: str) -> ModelUnavailable:
    return ModelUnavailable(f"{path}: {why}", "reinstall the package wordllama")


def _digest(*paths: Path) -> str:
    whole = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()[:12]
