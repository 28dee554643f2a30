"""The local generator: a GGUF in a child process that comes on demand and goes when idle."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from hippod.models import Completion, Grammar, Spent
from hippod.models.gguf_file import GgufFile
from hippod.models.keeper import Keeper

_BATCH = 512
_SLICE = 16
"""Prompts per exchange: the kill deadline is for one slice, not for a whole day's turns."""
_SHARE = 0.8
"""Part of the call deadline after which an answer is cut, so that it is not lost."""


class LlamaGenerator:
    """Runs a GGUF through llama.cpp in a child; calls queue, each with two deadlines.

    `prompt_timeout` is kept inside the child (which stays usable), for each prompt of `choose`;
    `call_timeout` by killing it, and an answer is cut shortly before. Both are in seconds. The
    child ends after `idle_unload` seconds without a call (0: never). After failures in a row
    calls are refused for a growing time, unless the file changes.
    """

    def __init__(
        self,
        path: Path,
        context: int = 2048,
        threads: int = 0,
        idle_unload: float = 300.0,
        prompt_timeout: float = 20.0,
        call_timeout: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.path = path
        self._prompt_timeout = prompt_timeout
        self._call_timeout = call_timeout
        self._file = GgufFile(path, "generator")
        load: dict[str, object] = {
            "op": "load",
            "path": str(path),
            "context": context,
            "batch": _BATCH,
            "threads": threads or max(1, _cores() - 1),
        }
        self._keeper = Keeper(
            f"the model {path.name}",
            load,
            section="generator",
            idle_unload=idle_unload,
            file=self._file,
            clock=clock,
        )

    @property
    def model_id(self) -> str:
        """Stem and content hash of the file; hashes once per change, a second per GB or so.

        Raises `ModelUnavailable` when the file cannot be read.
        """
        return self._file.identity

    @property
    def spent(self) -> Spent:
        """All calls, tokens and seconds so far; those of a child that died are not known."""
        return self._keeper.spent

    def choose(self, prompts: Sequence[str], labels: Sequence[str]) -> list[list[float]]:
        """Return normalised log-probabilities of the labels' first tokens, a row per prompt.

        A label is joined to its prompt by a space, unless the prompt ends in white space.
        """
        rows: list[list[float]] = []
        with self._keeper.lock:
            for some in _slices(prompts, _SLICE):
                rows += self._keeper.ask(
                    "choose",
                    self._call_timeout,
                    prompts=some,
                    labels=list(labels),
                    timeout=self._prompt_timeout,
                )
        return rows

    def complete(
        self, prompt: str, grammar: Grammar, max_tokens: int, *, system: str = ""
    ) -> Completion:
        """Return the greedy answer, through the model's own chat template if it has one."""
        with self._keeper.lock:
            before = self.spent
            result = self._keeper.ask(
                "complete",
                self._call_timeout,
                system=system,
                prompt=prompt,
                grammar=grammar,
                max_tokens=max_tokens,
                timeout=max(self._prompt_timeout, _SHARE * self._call_timeout),
            )
            cost = self.spent - before
        return Completion(
            str(result["text"]),
            result["finish"] == "stop",
            cost.tokens_in,
            cost.tokens_out,
            cost.seconds,
        )

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text."""
        numbers = self._keeper.ask("count", self._call_timeout, texts=list(texts))
        return [int(number) for number in numbers]

    def unload_if_idle(self, now: float) -> float | None:
        """End an unused child; return the seconds until it is due, None when nothing is."""
        return self._keeper.unload_if_idle(now)

    def close(self) -> None:
        """End the child for good, also in the middle of a call; later calls are refused."""
        self._keeper.close()

    def status(self) -> dict[str, object]:
        """Return state, process and meters, without waiting for a running call."""
        status = self._keeper.status()
        return {
            "state": status.pop("state"),
            "model_id": self._file.name,
            "path": str(self.path),
        } | status


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _slices(items: Sequence[str], size: int) -> Iterator[list[str]]:
    for start in range(0, len(items), size):
        yield list(items[start : start + size])
