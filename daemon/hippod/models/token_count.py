"""Counting tokens as a model would, without loading more of it than its vocabulary."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tokenizers import Tokenizer

from hippod.errors import ModelTimeout, ModelUnavailable
from hippod.models.gguf_file import GgufFile
from hippod.models.keeper import Keeper

_PATIENCE = 5.0


class GgufCounter:
    """The vocabulary of a GGUF in a child process; about 1 ms a call once that runs.

    The child comes on demand and ends after `idle_unload` seconds without a call.
    """

    def __init__(
        self,
        path: Path,
        section: str,
        idle_unload: float = 300.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = path.stem
        self._keeper = Keeper(
            f"the vocabulary of {path.name}",
            {"op": "load_vocabulary", "path": str(path)},
            section=section,
            idle_unload=idle_unload,
            file=GgufFile(path, section),
            urgent=True,
            clock=clock,
        )

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, without start and end; raises `ModelError`."""
        if not self._keeper.lock.acquire(timeout=_PATIENCE):
            raise ModelTimeout("the token counter is busy")
        try:
            numbers = self._keeper.ask("count", _PATIENCE, texts=list(texts))
        finally:
            self._keeper.lock.release()
        return [int(number) for number in numbers]

    def close(self) -> None:
        """End the child for good."""
        self._keeper.close()


class FileCounter:
    """The vocabulary in a file of the library `tokenizers`, read at the first call."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self._path = path
        self._tokenizer: Tokenizer | None = None

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, without start and end; raises `ModelError`."""
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        found = self._loaded().encode_batch(clean, add_special_tokens=False)
        return [len(each.ids) for each in found]

    def close(self) -> None:
        """Forget the vocabulary."""
        self._tokenizer = None

    def _loaded(self) -> Tokenizer:
        if self._tokenizer is None:
            try:
                self._tokenizer = Tokenizer.from_str(self._path.read_text(encoding="utf-8"))
            except Exception as error:  # the library raises bare Exception for a faulty file
                raise ModelUnavailable(f"{self._path}: {error}") from None
            self._tokenizer.no_padding()
            self._tokenizer.no_truncation()
        return self._tokenizer
