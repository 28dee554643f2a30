"""Counting tokens as a model would, without loading more of it than its vocabulary."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tokenizers import Tokenizer

from hippod.errors import ModelUnavailable
from hippod.models.gguf_file import GgufFile
from hippod.models.keeper import Keeper
from hippod.models.patience import Patience

_CALL_TIMEOUT = 5.0
_PATIENCE = 2.0
"""Seconds for a count with the start of its process; beyond them the caller estimates."""


class GgufCounter:
    """The vocabulary of a GGUF in a child process; about 1 ms a call once that runs.

    The child comes on demand and ends after `idle_unload` seconds without a call. A start that
    takes long goes on alone, and counts are refused meanwhile.
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
        self._counting = Patience(self._count, _PATIENCE, subject="the token counter")

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, without start and end; raises `ModelError`."""
        return self._counting.ask(list(texts))

    def close(self) -> None:
        """End the child for good."""
        self._counting.close()
        self._keeper.close()

    def _count(self, texts: list[str]) -> list[int]:
        numbers = self._keeper.ask("count", _CALL_TIMEOUT, texts=texts)
        return [int(number) for number in numbers]


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
