"""The keeper of a model's child process: it comes on demand, waits after failures and goes when
idle. The generator, the encoder, local embedders and the token counter each have their own.
"""

import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hippod import lanes
from hippod.errors import ModelCrashed, ModelError, ModelTimeout, ModelUnavailable
from hippod.models import Spent
from hippod.models.child import Child, ChildDied, ChildHung
from hippod.models.gguf_file import GgufFile, Signature

_READY_TIMEOUT = 60.0
_LOAD_TIMEOUT = 300.0
_BACKOFF = (0.0, 2.0, 10.0, 60.0, 300.0)
"""Seconds to wait after the n-th failure in a row; the first crash is retried at once."""
_FATAL = ("internal", "decode", "damaged", "load")
"""Replies after which the child is not trusted any more."""


class Keeper:
    """Keeps the child that runs one model; calls queue, each with a deadline.

    `load` is the request that gives a new child its model, `file` what it reads it from. The
    child ends after `idle_unload` seconds without a call (0: never). After failures in a row
    calls are refused for a growing time, unless the file changes. `section` is the part of the
    configuration that the hints name; an `urgent` child runs at normal priority.
    """

    def __init__(
        self,
        subject: str,
        load: Mapping[str, object],
        *,
        section: str,
        idle_unload: float,
        file: GgufFile | None = None,
        urgent: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.subject = subject
        self.lock = threading.RLock()
        """Held for one call; whoever needs several in a row holds it around them."""
        self.loaded: Any = None
        """What the child answered when it had loaded its model."""
        self._load = load
        self._file = file
        self._urgent = urgent
        self._hints = _hints(section)
        self._idle_unload = idle_unload
        self._clock = clock
        self._child: Child | None = None
        self._timer: threading.Timer | None = None
        self._closed = False
        self._phase = "ready"
        self._failures = 0
        self._failed_file: Signature | None = None
        self._loaded_file: Signature | None = None
        self._retry_at = 0.0
        self._used_at = 0.0
        self._last_error = ""
        self._restarts = 0
        self._spent = Spent()

    @property
    def spent(self) -> Spent:
        """All calls, tokens and seconds so far; those of a child that died are not known."""
        return self._spent

    @property
    def closed(self) -> bool:
        """Whether it takes no calls any more."""
        return self._closed

    def ask(self, op: str, timeout: float, /, **fields: object) -> Any:
        """Return the result of one request, from a child that is started if need be.

        `timeout` (seconds) is for the answer, not for the start. Raises `ModelUnavailable`,
        `ModelTimeout`, `ModelCrashed`, or `ModelError` for a request that the child refuses.
        """
        with self.lock:
            child = self._running_child()
            self._phase = "busy"
            try:
                reply = self._exchange(child, {"op": op, **fields}, timeout)
            except ModelError as error:
                self._count_failure(error, patience=0)
                raise
            finally:
                self._phase = "ready"
                self._used_at = self._clock()
            self._failures = 0
            lanes.moved()
            self._meter(reply)
            self._arm_timer(self._idle_unload)
            return self._result(child, reply)

    def start(self) -> Any:
        """Return what the model told when it was loaded, loading it if need be."""
        with self.lock:
            self._running_child()
            self._used_at = self._clock()
            self._arm_timer(self._idle_unload)
            return self.loaded

    def unload_if_idle(self, now: float) -> float | None:
        """End an unused child; return the seconds until it is due, None when nothing is.

        `now` is a reading of the clock. Waits for a running call. While a model is loaded a
        timer calls this by itself, about once per `idle_unload`.
        """
        with self.lock:
            if self._child is None or not self._idle_unload:
                return None
            wait = self._used_at + self._idle_unload - now
            if wait > 0:
                return wait
            self._discard()
            return None

    def close(self) -> None:
        """End the child for good, also in the middle of a call; later calls are refused."""
        self._closed = True
        child = self._child
        if child is not None:
            child.kill()
        with self.lock:
            self._discard()
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def status(self) -> dict[str, object]:
        """Return state, process and meters, without waiting for a running call.

        `state` is stopped, loading, ready, busy, backoff or closed; `restarts` counts starts
        after a death or a failure, not those after idleness.
        """
        child, spent = self._child, self._spent
        return {
            "state": self._state(child),
            "pid": child.pid if child else None,
            "rss": _resident_bytes(child.pid) if child and child.alive else None,
            "restarts": self._restarts,
            "last_error": self._last_error,
            "calls": spent.calls,
            "tokens": spent.tokens_in + spent.tokens_out,
            "tokens_evaluated": spent.tokens_in,
            "tokens_generated": spent.tokens_out,
            "seconds": round(spent.seconds, 3),
        }

    def _running_child(self) -> Child:
        """Return the loaded child, starting one if need be; raises `ModelUnavailable`."""
        self._refuse_when_closed()
        if self._child is not None and self._child.alive and not self._is_outdated():
            return self._child
        again = self._failures > 0 or (self._child is not None and not self._child.alive)
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
        self._loaded_file = self._signature()
        try:
            self._child = child = Child.worker(urgent=self._urgent)
        except OSError as error:
            raise ModelUnavailable(f"no process could be started: {error.strerror}") from None
        if self._closed:  # close() may have looked before the child stood there
            child.kill()
        self._exchange(child, None, _READY_TIMEOUT)
        reply = self._exchange(child, self._load, _LOAD_TIMEOUT)
        self.loaded = self._result(child, reply)
        return child

    def _exchange(
        self, child: Child, request: Mapping[str, object] | None, timeout: float
    ) -> dict[str, Any]:
        """Send `request` (None: only listen) and return the reply; a failure ends the child."""
        answered = False
        try:
            reply = child.exchange(request, timeout) if request else child.receive(timeout)
            answered = True
        except ChildDied:
            self._refuse_when_closed()
            raise self._crash(child) from None
        except ChildHung:
            message = f"{self.subject} did not answer within {timeout:g} s and was stopped"
            raise ModelTimeout(message, self._hints["hung"]) from None
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
            raise ModelTimeout(message, self._hints["timeout"])
        if code in _FATAL:
            self._discard()
        raise ModelError(f"{self.subject}: {message}", self._hints.get(code, ""))

    def _crash(self, child: Child) -> ModelCrashed:
        end = child.describe_end()
        detail = next(iter(child.last_words.splitlines()), "")
        return ModelCrashed(
            f"the process of {self.subject} ended inside a call: {end}"
            + (f" ({detail})" if detail else ""),
            "the next call starts it again",
        )

    def _meter(self, reply: dict[str, Any]) -> None:
        self._spent = Spent(
            self._spent.calls + 1,
            self._spent.tokens_in + int(reply.get("evaluated", 0)),
            self._spent.tokens_out + int(reply.get("generated", 0)),
            self._spent.seconds + float(reply.get("seconds", 0.0)),
        )

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
            hint = "it is tried at once when the file changes" if self._file else ""
            raise ModelUnavailable(
                f"{self.subject} failed {self._failures} times in a row, next try in "
                f"{wait:.0f} s: {self._last_error}",
                hint,
            )

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise ModelUnavailable(f"{self.subject} is closed")

    def _check_file(self) -> None:
        if self._file is None:
            return
        try:
            self._file.check()
        except ModelUnavailable as error:
            self._last_error = error.message
            raise

    def _unusable(self, why: str) -> ModelUnavailable:
        if self._file is not None:
            return self._file.unusable(why)
        return ModelUnavailable(f"{self.subject} {why}")

    def _is_outdated(self) -> bool:
        """Say whether another file lies where the child read its model; none is no other."""
        return self._signature() not in (None, self._loaded_file)

    def _signature(self) -> Signature | None:
        return self._file.signature() if self._file else None

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
        with self.lock:
            self._timer = None
            wait = self.unload_if_idle(self._clock())
            if wait is not None:
                self._arm_timer(wait)

    def _state(self, child: Child | None) -> str:
        if self._closed:
            return "closed"
        if child is not None and child.alive:
            return self._phase
        waiting = self._failures and self._clock() < self._retry_at
        return "backoff" if waiting else "stopped"


def _hints(section: str) -> dict[str, str]:
    """Return what helps, by the code of a failure."""
    return {
        "hung": f"a higher {section}.call_timeout gives it longer",
        "timeout": f"a higher {section}.prompt_timeout gives it longer",
        "too_long": f"shorten the text or raise {section}.context",
        "damaged": "fetch the model file again",
        "pooling": f"choose an embedding model, or set {section}.pooling",
    }


def _resident_bytes(pid: int) -> int | None:
    """Return the resident memory of a process, None where the system does not tell."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
    except (OSError, IndexError):
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
