"""Programs of other people, run once and to a certain end: no shell, bounded time and output."""

import codecs
import contextlib
import errno
import os
import re
import selectors
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from hippod import children, redact

GRACE = 1.0
"""Seconds between asking a program to end and ending it."""
_CHUNK = 1 << 16
_MOST_READ = 256_000_000
"""Bytes of output after which a program is ended: it would not stop by itself."""


@dataclass(frozen=True, slots=True)
class Command:
    """A program with its arguments, and what it gets.

    `environment` names the variables that it sees; `timeout` is in seconds; `output_bytes` of
    what it prints are kept.
    """

    words: tuple[str, ...]
    environment: tuple[str, ...]
    timeout: float
    output_bytes: int
    stdin: bytes = b""
    settings: tuple[tuple[str, str], ...] = ()
    """Variables that are set for it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a program ended and what it printed: standard output, then standard error.

    `output` is without secrets, escape sequences and control characters; where it is `truncated`
    also without the word at the cut. Where the program did not end by itself `exit` is None, and
    `error` is one sentence that says why and what to do.
    """

    exit: int | None
    output: str = ""
    truncated: bool = False
    timed_out: bool = False
    seconds: float = 0.0
    error: str = ""
    complaint: str = ""
    """The last line of standard error, without secrets, cut."""


class Commands:
    """Runs programs in the folder `cwd` with variables of `environ`; any thread may `stop` it."""

    def __init__(self, cwd: Path, environ: Mapping[str, str]) -> None:
        self._cwd = cwd
        self._environ = environ
        self._lock = threading.Lock()
        self._running: set[_Run] = set()
        self._stopped = False

    def run(self, command: Command) -> Outcome:
        """Run a program to its end, and end with it all that it started. Never raises."""
        began = time.monotonic()
        try:
            run = self._start(command)
        except _Unusable as error:
            return Outcome(None, error=str(error))
        try:
            run.watch(began + command.timeout)
            return run.outcome(time.monotonic() - began)
        finally:
            with self._lock:
                self._running.discard(run)
            run.close()

    def stop(self) -> None:
        """End what runs, and start nothing more."""
        with self._lock:
            self._stopped = True
            for run in self._running:
                run.stop()

    def _start(self, command: Command) -> "_Run":
        environ = self._seen_by(command)
        program = _program(command.words[0], self._cwd, environ.get("PATH", os.defpath))
        if self._stopped:
            raise _Unusable("It was not started: the daemon stops.")
        try:
            run = _Run(program, command, self._cwd, environ)
        except (OSError, ValueError) as error:
            raise _Unusable(_why_not(program, error)) from None
        with self._lock:
            self._running.add(run)
            if self._stopped:  # meanwhile
                run.stop()
        return run

    def _seen_by(self, command: Command) -> dict[str, str]:
        passed = {k: self._environ[k] for k in command.environment if k in self._environ}
        return {**dict(command.settings), **passed}

    def fault(self, command: Command) -> str:
        """Return why a program could not even be started now, one sentence; else nothing."""
        path = self._seen_by(command).get("PATH", os.defpath)
        try:
            program = _program(command.words[0], self._cwd, path)
        except _Unusable as error:
            return str(error)
        missing = OSError(errno.EACCES, "")
        return "" if os.access(program, os.X_OK) else _why_not(program, missing)


class _Unusable(Exception):
    """A program cannot be started; the text is a sentence that says why and what to do."""


def _program(name: str, cwd: Path, path: str) -> str:
    """Return the file that `name` means: a path from `cwd`, or the first in folders of `path`.

    Folders that `path` names relatively do not count: in the workspace, others write too.
    """
    if not _is_folder(cwd):
        raise _Unusable(f"It was not started: {cwd} is no folder that can be entered.")
    place = str(cwd / name) if "/" in name else name
    folders = os.pathsep.join(each for each in path.split(os.pathsep) if each.startswith("/"))
    found = shutil.which(place, path=folders) or shutil.which(place, os.F_OK, folders)
    if found is not None:
        return found
    if "/" not in name:
        raise _Unusable(
            f"There is no program {name!r} on the PATH that it sees: install it or write its "
            "whole path."
        )
    if _is_folder(Path(place)):
        raise _Unusable(f"{name!r} is a folder: write the path of a program in it.")
    raise _Unusable(f"There is no program {name!r}: install it or correct the path.")


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir() and os.access(path, os.X_OK)
    except OSError:
        return False


def _why_not(program: str, error: OSError | ValueError) -> str:
    hints = {
        errno.EACCES: "may not be run: make it executable, chmod +x",
        errno.EPERM: "may not be run: look at its permissions",
        errno.ENOEXEC: "is no program for this machine: a script begins with a line like #!/bin/sh",
        errno.ENOENT: "needs a program that is not there: look at its first line",
    }
    if isinstance(error, OSError) and error.errno in hints:
        return f"{program} {hints[error.errno]}."
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"{program} cannot be run: {reason}."


class _Run:
    """One started program. The thread that made it watches it; any thread may `stop` it."""

    def __init__(
        self, program: str, command: Command, cwd: Path, environ: Mapping[str, str]
    ) -> None:
        self._program, self._command = program, command
        self._stopped = self._timed_out = False
        self._ended = threading.Event()
        self._bell, self._rung = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        try:
            self._leashed = children.leashed(
                program, command.words, cwd=cwd, env=environ,
                stdin=subprocess.PIPE if command.stdin else subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
            )  # fmt: skip
            self._process = self._leashed.process
        except (OSError, ValueError):
            self._release()
            raise
        self._stdout = _Printed(self._process.stdout, command.output_bytes)
        self._stderr = _Printed(self._process.stderr, command.output_bytes)
        try:
            threading.Thread(target=self._await_end, name="command-end", daemon=True).start()
        except RuntimeError as error:
            self._signal(signal.SIGKILL)
            self._await_end()
            self.close()
            raise OSError(errno.EAGAIN, str(error)) from None

    def stop(self) -> None:
        """Have the watching thread end it."""
        self._stopped = True
        self._ring()

    def watch(self, deadline: float) -> None:
        """Return once it ended, by itself or by force; what it printed is read then."""
        self._listen()
        self._serve(deadline, lambda: self._stopped or self._endless)
        if not self._ended.is_set():
            self._timed_out = not self._stopped and not self._endless
            self._signal(signal.SIGTERM)
            self._serve(time.monotonic() + GRACE, lambda: False)
        self._leashed.let_go()  # and all that it left behind
        self._ended.wait(GRACE)
        self._signal(signal.SIGKILL)
        self._ended.wait(GRACE)  # in vain where the kernel waits for a lost disk
        self._stdout.drain()
        self._stderr.drain()

    def outcome(self, seconds: float) -> Outcome:
        """Return how it ended; after `watch`."""
        error = self._error()
        output, truncated = self._output()
        code = None if error else self._process.returncode
        said = self._stderr.last_line()
        return Outcome(code, output, truncated, self._timed_out, seconds, error, said)

    def close(self) -> None:
        """Release the pipes, and end what still runs; for the thread that watched."""
        if not self._ended.is_set():
            self._signal(signal.SIGKILL)
        self._leashed.close()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        self._release()

    @property
    def _endless(self) -> bool:
        return self._stdout.read + self._stderr.read > _MOST_READ

    def _error(self) -> str:
        name, code = Path(self._command.words[0]).name, self._process.returncode
        if (fault := self._leashed.fault()) is not None:
            return _why_not(self._program, fault)
        if self._stopped:
            return f"{name} was ended: the daemon stops."
        if self._timed_out:
            limit = f"{self._command.timeout:g} s"
            return f"{name} did not end within {limit}: raise its timeout, or see why it hangs."
        if self._endless:
            return f"{name} printed without end and was ended."
        if code is None:
            return f"{name} does not end, not even when it is killed."
        return f"{name} was killed by {_signal_name(-code)}." if code < 0 else ""

    def _output(self) -> tuple[str, bool]:
        """Return what is shown of the output, and whether anything of it is missing."""
        limit = self._command.output_bytes
        first, cut_first = self._stdout.text(limit)
        last, cut_last = self._stderr.text(max(limit - len(self._stdout.kept), 0))
        gap = "\n" if first and last and not first.endswith("\n") else ""
        return redact.redact(first + gap + last).text, cut_first or cut_last

    def _listen(self) -> None:
        self._selector.register(self._rung, selectors.EVENT_READ, self._hear)
        for printed in (self._stdout, self._stderr):
            self._selector.register(printed.pipe, selectors.EVENT_READ, self._reading(printed))
        if self._process.stdin is not None:
            self._outgoing = memoryview(self._command.stdin)
            os.set_blocking(self._process.stdin.fileno(), False)
            self._selector.register(self._process.stdin, selectors.EVENT_WRITE, self._write)

    def _serve(self, deadline: float, enough: Callable[[], bool]) -> None:
        """Read and write until it ended, `enough` says so, or the deadline passed."""
        while not self._ended.is_set() and not enough():
            left = deadline - time.monotonic()
            if left <= 0:
                return
            for key, _ in self._selector.select(left):
                with contextlib.suppress(BlockingIOError):
                    key.data()

    def _reading(self, printed: "_Printed") -> Callable[[], None]:
        def read() -> None:
            if printed.take() == 0:
                self._selector.unregister(printed.pipe)

        return read

    def _write(self) -> None:
        pipe = self._process.stdin
        assert pipe is not None, "there is something to write"
        try:
            self._outgoing = self._outgoing[os.write(pipe.fileno(), self._outgoing) :]
        except BrokenPipeError:  # it ended, or reads nothing
            self._outgoing = memoryview(b"")
        if not self._outgoing:
            self._selector.unregister(pipe)
            pipe.close()

    def _hear(self) -> None:
        self._rung.recv(64)

    def _ring(self) -> None:
        with contextlib.suppress(OSError):  # the watching thread gave up
            self._bell.send(b"!")

    def _await_end(self) -> None:
        self._process.wait()
        self._ended.set()
        self._ring()

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _release(self) -> None:
        self._selector.close()
        self._bell.close()
        self._rung.close()


class _Printed:
    """What came out of a pipe; beyond `limit` bytes it is counted and thrown away."""

    def __init__(self, pipe: IO[bytes] | None, limit: int) -> None:
        assert pipe is not None, "both streams are pipes"
        os.set_blocking(pipe.fileno(), False)
        self.pipe = pipe
        self.kept = bytearray()
        self.end = b""
        self.read = 0
        self._limit = limit

    def take(self) -> int:
        """Read once, what is there; return 0 at the end. Raises BlockingIOError."""
        chunk = os.read(self.pipe.fileno(), _CHUNK)
        self.read += len(chunk)
        self.end = (self.end + chunk)[-_LONGEST_END:]
        self.kept += chunk[: self._limit - len(self.kept)]
        return len(chunk)

    def drain(self) -> None:
        """Read what still stands there, without waiting for whoever holds the other end."""
        with contextlib.suppress(BlockingIOError):
            while self.read <= self._limit and self.take():
                pass

    def last_line(self) -> str:
        """Return the last line that says something, as one may tell it."""
        lines = _plain(self.end.decode("utf-8", "replace")).split("\n")
        said = [line.strip() for line in lines if line.strip()]
        if said and len(said) == 1 and self.read > _LONGEST_END:
            said = [_FIRST_WORD.sub("", said[0])]  # half a word of it may be half a secret
        return _cut(redact.redact(said[-1]).text) if said else ""

    def text(self, limit: int) -> tuple[str, bool]:
        """Return the text of the first `limit` bytes, and whether there were more."""
        more = self.read > min(limit, len(self.kept))
        text = codecs.getincrementaldecoder("utf-8")("replace").decode(
            bytes(self.kept[:limit]), final=not more
        )
        text = _plain(text)
        return (_LAST_WORD.sub("", text) if more else text), more


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE - 1]}…"


_LONGEST_LINE = 200
_LONGEST_END = 2_000
_FIRST_WORD = re.compile(r"\A\S+\s?")
_LAST_WORD = re.compile(r"(?<!\S)\S+\Z")
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]{0,4000}(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]"
)
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]"
)


def _plain(text: str) -> str:
    """Return `text` as a terminal without colours would show it, every line that was drawn."""
    lines = _ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROLS.sub("", lines)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
