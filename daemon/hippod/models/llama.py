"""The local generator: a GGUF in a child process that comes on demand and goes when idle."""

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from hippod.errors import ModelCrashed, ModelError, ModelTimeout, ModelUnavailable
from hippod.models import Completion, Grammar, Spent
from hippod.models.child import Child, ChildDied, ChildHung

_MAGIC = b"GGUF"
_BATCH = 512
_SLICE = 16
"""Prompts per exchange: the kill deadline is for one slice, not for a whole day's turns."""
_READY_TIMEOUT = 60.0
_LOAD_TIMEOUT = 300.0
_SHARE = 0.8
"""Part of the call deadline after which an answer is cut, so that it is not lost."""
_BACKOFF = (0.0, 2.0, 10.0, 60.0, 300.0)
"""Seconds to wait after the n-th failure in a row; the first crash is retried at once."""

_FATAL = ("internal", "decode", "damaged", "load")
"""Replies after which the child is not trusted any more."""
_HINTS = {
    "too_long": "shorten the text or raise generator.context",
    "damaged": "fetch the model file again",
}

Signature = tuple[int, int, int]
"""Inode, size and modification time: a changed file is another chance."""


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
        self._context = context
        self._threads = threads or max(1, _cores() - 1)
        self._idle_unload = idle_unload
        self._prompt_timeout = prompt_timeout
        self._call_timeout = call_timeout
        self._clock = clock
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._timer: threading.Timer | None = None
        self._closed = False
        self._phase = "ready"
        self._identity: tuple[Signature, str] | None = None
        self._failures = 0
        self._failed_file: Signature | None = None
        self._retry_at = 0.0
        self._used_at = 0.0
        self._last_error = ""
        self._restarts = 0
        self._calls = 0
        self._evaluated = 0
        self._generated = 0
        self._seconds = 0.0

    @property
    def model_id(self) -> str:
        """Stem and content hash of the file; hashes once per change, a second per GB or so.

        Raises `ModelUnavailable` when the file cannot be read.
        """
        signature = self._signature()
        known = self._identity
        if known is not None and known[0] == signature:
            return known[1]
        self._check_file()
        try:
            with self.path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise self._unusable(error.strerror or "cannot be read") from None
        identity = f"{self.path.stem}#{digest[:12]}"
        if signature is not None:
            self._identity = (signature, identity)
        return identity

    @property
    def spent(self) -> Spent:
        """All calls, tokens and seconds so far; those of a child that died are not known."""
        return Spent(self._calls, self._evaluated, self._generated, self._seconds)

    def choose(self, prompts: Sequence[str], labels: Sequence[str]) -> list[list[float]]:
        """Return normalised log-probabilities of the labels' first tokens, a row per prompt.

        A label is joined to its prompt by a space, unless the prompt ends in white space.
        """
        rows: list[list[float]] = []
        with self._lock:
            for some in _slices(prompts, _SLICE):
                rows += self._call("choose", prompts=some, labels=list(labels))
        return rows

    def complete(
        self, prompt: str, grammar: Grammar, max_tokens: int, *, system: str = ""
    ) -> Completion:
        """Return the greedy answer, through the model's own chat template if it has one."""
        with self._lock:
            before = self.spent
            result = self._call(
                "complete",
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
        with self._lock:
            return [int(number) for number in self._call("count", texts=list(texts))]

    def unload_if_idle(self, now: float) -> float | None:
        """End an unused child; return the seconds until it is due, None when nothing is.

        `now` is a reading of the clock. Waits for a running call. While a model is loaded a
        timer calls this by itself, about once per `idle_unload`.
        """
        with self._lock:
            return self._unload_or_wait(now)

    def close(self) -> None:
        """End the child for good, also in the middle of a call; later calls are refused."""
        self._closed = True
        child = self._child
        if child is not None:
            child.kill()
        with self._lock:
            self._discard()
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def status(self) -> dict[str, object]:
        """Return state, process and meters, without waiting for a running call.

        `state` is stopped, loading, ready, busy, backoff or closed; `restarts` counts starts
        after a death or a failure, not those after idleness.
        """
        child = self._child
        known = self._identity
        return {
            "state": self._state(child),
            "model_id": known[1] if known else self.path.stem,
            "path": str(self.path),
            "pid": child.pid if child else None,
            "rss": _resident_bytes(child.pid) if child and child.alive else None,
            "restarts": self._restarts,
            "last_error": self._last_error,
            "calls": self._calls,
            "tokens": self._evaluated + self._generated,
            "tokens_evaluated": self._evaluated,
            "tokens_generated": self._generated,
            "seconds": round(self._seconds, 3),
        }

    def _call(self, op: str, **fields: object) -> Any:
        """Exchange one request; the lock is held."""
        child = self._running_child()
        self._phase = "busy"
        try:
            reply = self._exchange(child, {"op": op, **fields}, self._call_timeout)
        except ModelError as error:
            self._count_failure(error, patience=0)
            raise
        finally:
            self._phase = "ready"
            self._used_at = self._clock()
        self._failures = 0
        self._meter(reply)
        self._arm_timer(self._idle_unload)
        return self._result(child, reply)

    def _running_child(self) -> Child:
        """Return the loaded child, starting one if need be; raises `ModelUnavailable`."""
        self._refuse_when_closed()
        if self._child is not None and self._child.alive:
            return self._child
        again = self._child is not None or self._failures > 0
        self._discard()
        self._refuse_in_backoff()
        self._check_file()
        self._restarts += again
        try:
            return self._start()
        except ModelError as error:
            self._refuse_when_closed()
            unusable = self._unusable(f"cannot be loaded: {error.message}")
            self._count_failure(unusable, patience=1)
            raise unusable from None

    def _start(self) -> Child:
        self._phase = "loading"
        try:
            self._child = child = Child()
        except OSError as error:
            raise ModelUnavailable(f"no process could be started: {error.strerror}") from None
        if self._closed:  # close() may have looked before the child stood there
            child.kill()
        self._exchange(child, None, _READY_TIMEOUT)
        load: dict[str, object] = {
            "op": "load",
            "path": str(self.path),
            "context": self._context,
            "batch": _BATCH,
            "threads": self._threads,
        }
        self._result(child, self._exchange(child, load, _LOAD_TIMEOUT))
        return child

    def _exchange(
        self, child: Child, request: dict[str, object] | None, timeout: float
    ) -> dict[str, Any]:
        """Send `request` (None: only listen) and return the reply; a failure ends the child."""
        answered = False
        try:
            if request:
                reply = child.exchange({"timeout": self._prompt_timeout, **request}, timeout)
            else:
                reply = child.receive(timeout)
            answered = True
        except ChildDied:
            self._refuse_when_closed()
            raise _crash(self.path, child) from None
        except ChildHung:
            message = f"the model did not answer within {timeout:g} s and was stopped"
            raise ModelTimeout(message, "a higher generator.call_timeout gives it longer") from None
        finally:
            if not answered:  # whatever the reason, the pipes are out of step
                self._discard()
        return reply

    def _result(self, child: Child, reply: dict[str, Any]) -> Any:
        fault = reply.get("error")
        if fault is None:
            return reply.get("result")
        code, message = str(fault.get("code")), str(fault.get("message"))
        self._last_error = message
        if code == "timeout":
            raise ModelTimeout(message, "a higher generator.prompt_timeout gives it longer")
        if code in _FATAL:
            self._discard()
        raise ModelError(f"{self.path.name}: {message}", _HINTS.get(code, ""))

    def _meter(self, reply: dict[str, Any]) -> None:
        self._calls += 1
        self._evaluated += int(reply.get("evaluated", 0))
        self._generated += int(reply.get("generated", 0))
        self._seconds += float(reply.get("seconds", 0.0))

    def _count_failure(self, error: ModelError, patience: int) -> None:
        """Set the time of the next try; `patience` skips steps of the back-off."""
        step = min(self._failures + patience, len(_BACKOFF) - 1)
        self._failures += 1
        self._retry_at = self._clock() + _BACKOFF[step]
        self._failed_file = self._signature()
        self._last_error = error.message

    def _refuse_in_backoff(self) -> None:
        wait = self._retry_at - self._clock()
        if self._failures and wait > 0 and self._signature() == self._failed_file:
            raise ModelUnavailable(
                f"the model failed {self._failures} times in a row, next try in {wait:.0f} s: "
                f"{self._last_error}",
                "it is tried at once when the file changes",
            )

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise ModelUnavailable("the generator is closed")

    def _check_file(self) -> None:
        """Refuse what is plainly no model before a process is started for it."""
        if self.path.exists() and not self.path.is_file():  # opening a pipe would wait
            raise self._unusable("is a directory" if self.path.is_dir() else "is not a file")
        try:
            with self.path.open("rb") as file:
                magic = file.read(len(_MAGIC))
        except OSError as error:
            raise self._unusable(error.strerror or "cannot be read") from None
        if magic != _MAGIC:
            raise self._unusable("is not a GGUF file" if magic else "is empty")

    def _unusable(self, why: str) -> ModelUnavailable:
        error = ModelUnavailable(
            f"model file {self.path}: {why}",
            "set generator.model to a whole GGUF file, or to 'embedded'",
        )
        self._last_error = error.message
        return error

    def _signature(self) -> Signature | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return (found.st_ino, found.st_size, found.st_mtime_ns)

    def _discard(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.close()

    def _arm_timer(self, delay: float) -> None:
        if self._timer is None and delay > 0 and not self._closed:
            self._timer = threading.Timer(delay, self._tick)
            self._timer.daemon = True
            self._timer.start()

    def _tick(self) -> None:
        with self._lock:
            self._timer = None
            wait = self._unload_or_wait(self._clock())
            if wait is not None:
                self._arm_timer(wait)

    def _unload_or_wait(self, now: float) -> float | None:
        if self._child is None or not self._idle_unload:
            return None
        wait = self._used_at + self._idle_unload - now
        if wait > 0:
            return wait
        self._discard()
        return None

    def _state(self, child: Child | None) -> str:
        if self._closed:
            return "closed"
        if child is not None and child.alive:
            return self._phase
        waiting = self._failures and self._clock() < self._retry_at
        return "backoff" if waiting else "stopped"


def _crash(path: Path, child: Child) -> ModelCrashed:
    end = child.describe_end()
    detail = next(iter(child.last_words.splitlines()), "")
    return ModelCrashed(
        f"the model process of {path.name} ended inside a call: {end}"
        + (f" ({detail})" if detail else ""),
        "the next call starts it again",
    )


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _slices(items: Sequence[str], size: int) -> Iterator[list[str]]:
    for start in range(0, len(items), size):
        yield list(items[start : start + size])


def _resident_bytes(pid: int) -> int | None:
    """Return the resident memory of a process, None where the system does not tell."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
    except (OSError, IndexError):
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
