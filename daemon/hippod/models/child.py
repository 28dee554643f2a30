"""A worker process and its pipes: lines out, lines in, a deadline, and a certain end."""

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Self

from hippod import children, environment

_COMMAND = (sys.executable, "-P", "-X", "faulthandler", "-m", "hippod.models.worker")
"""`-P`: the working directory may hold files of other people, never import from it."""
URGENT = "--urgent"
"""Tells the worker to keep its priority: a person waits for its answers."""
_CHUNK = 1 << 16
_STDERR_KEPT = 8192
_LAST_BREATH = 2.0


class ChildDied(Exception):
    """The process ended or spoke nonsense before it answered."""


class ChildHung(Exception):
    """No answer came before the deadline."""


class Child:
    """A started worker. One thread at a time exchanges; any thread may `kill`.

    Standard error is kept (its last 8 KiB) to explain a death.
    """

    def __init__(self, command: Sequence[str] = _COMMAND) -> None:
        self._process = children.start(
            command,
            env=environment.inherited(os.environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        self.pid = self._process.pid
        self._outgoing = memoryview(b"")
        self._incoming = bytearray()
        self._stderr = b""
        self._selector = selectors.DefaultSelector()
        self._watch(self._process.stdout, selectors.EVENT_READ, self._read)
        self._watch(self._process.stderr, selectors.EVENT_READ, self._listen)

    @classmethod
    def worker(cls, *, urgent: bool = False) -> Self:
        """Start a worker; raises OSError."""
        return cls((*_COMMAND, URGENT) if urgent else _COMMAND)

    @property
    def alive(self) -> bool:
        """Whether the process still runs; reaps it when it does not."""
        return self._process.poll() is None

    @property
    def last_words(self) -> str:
        """The end of what the process wrote to standard error."""
        return self._stderr.decode("utf-8", "replace").strip()

    def exchange(self, request: Mapping[str, object], timeout: float) -> dict[str, object]:
        """Send a request and return the reply; raises `ChildDied` or `ChildHung`."""
        self._outgoing = memoryview(json.dumps(dict(request)).encode() + b"\n")
        self._watch(self._process.stdin, selectors.EVENT_WRITE, self._write)
        return self.receive(timeout)

    def receive(self, timeout: float) -> dict[str, object]:
        """Return the next message of the child; raises `ChildDied` or `ChildHung`."""
        deadline = time.monotonic() + timeout
        while b"\n" not in self._incoming:
            left = deadline - time.monotonic()
            if left <= 0:
                raise ChildHung
            for key, _ in self._selector.select(left):
                key.data(key.fd)
        line, _, rest = self._incoming.partition(b"\n")
        self._incoming = rest
        return _message(line)

    def describe_end(self) -> str:
        """Wait a moment for the end and say how it came, such as `killed by SIGSEGV`."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_LAST_BREATH)
        code = self._process.returncode
        if code is None:
            return "closed its pipe"
        return f"killed by {_signal_name(-code)}" if code < 0 else f"exit code {code}"

    def kill(self) -> None:
        """End the process and all it started; safe to repeat and from any thread."""
        if self.alive:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()

    def close(self) -> None:
        """Kill the process and release the pipes; only the exchanging thread may."""
        self.kill()
        self._selector.close()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def _watch(self, pipe: IO[bytes] | None, event: int, act: Callable[[int], None]) -> None:
        assert pipe is not None, "all three streams are pipes"
        os.set_blocking(pipe.fileno(), False)
        self._selector.register(pipe.fileno(), event, act)

    def _write(self, descriptor: int) -> None:
        try:
            self._outgoing = self._outgoing[os.write(descriptor, self._outgoing) :]
        except BrokenPipeError:
            raise ChildDied from None
        if not self._outgoing:
            self._selector.unregister(descriptor)

    def _read(self, descriptor: int) -> None:
        chunk = os.read(descriptor, _CHUNK)
        if not chunk:
            raise ChildDied
        self._incoming += chunk

    def _listen(self, descriptor: int) -> None:
        chunk = os.read(descriptor, _CHUNK)
        self._stderr = (self._stderr + chunk)[-_STDERR_KEPT:]
        if not chunk:
            self._selector.unregister(descriptor)


def _message(line: bytes | bytearray) -> dict[str, object]:
    try:
        message = json.loads(line)
    except ValueError:
        raise ChildDied from None
    if not isinstance(message, dict):
        raise ChildDied
    return message


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
