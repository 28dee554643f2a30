"""Starts processes that end with us, however we end: killed, stopped or crashed.

Linux can signal a child when its parent ends, but takes the thread that started it for its
parent. So one thread, which lives as long as we do, starts all of them.
"""

import contextlib
import errno
import io
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hippod import leash

START_SECONDS = 30.0
"""How long starting a process may take; only a lost disk needs that long."""
_LEASH = (sys.executable, "-I", "-S", leash.__file__)
_starter = ThreadPoolExecutor(1, "starter")


def start(command: Sequence[str], **options: Any) -> "subprocess.Popen[bytes]":
    """Start a process as `subprocess.Popen` does; it may ask to be signalled when we end.

    Raises OSError, also where it takes too long.
    """
    starting = _starter.submit(lambda: subprocess.Popen(command, **options))
    try:
        return starting.result(START_SECONDS)
    except TimeoutError:
        if not starting.cancel():
            starting.add_done_callback(_end)
        raise TimeoutError(errno.ETIMEDOUT, "it does not start") from None


def _end(started: "Future[subprocess.Popen[bytes]]") -> None:
    """End what was started after nobody waited for it any more."""
    with contextlib.suppress(OSError, ValueError):
        started.result().kill()


@dataclass(frozen=True, slots=True)
class Leashed:
    """A program that runs, with all that it starts, until `let_go` at the latest."""

    process: "subprocess.Popen[bytes]"
    """The process that holds it: it exits as the program does, and passes SIGTERM on."""
    _pipe: io.FileIO
    _report: io.FileIO

    def fault(self) -> OSError | None:
        """Return why the program could not be started, None if it was, or is not yet."""
        said = b"" if self._report.closed else self._report.read()
        return OSError(int(said), os.strerror(int(said))) if said else None

    def let_go(self) -> None:
        """Have all of it killed, also what has a session of its own; safe to repeat."""
        self._pipe.close()

    def close(self) -> None:
        """Let go, and hear no more of it."""
        self.let_go()
        self._report.close()


def leashed(
    program: str, words: Sequence[str], *, cwd: Path, env: Mapping[str, str], **options: Any
) -> Leashed:
    """Begin to start `program` (a path) with its arguments `words`, and do not wait for it.

    Where it lies on a lost disk that may take for ever. Raises OSError.
    """
    pipe, kept = os.pipe()
    heard, report = os.pipe()
    try:
        process = start(
            [*_LEASH, str(pipe), str(report), program, *words],
            cwd=cwd, env=env, pass_fds=(pipe, report), start_new_session=True, **options,
        )  # fmt: skip
    except BaseException:
        os.close(kept)
        os.close(heard)
        raise
    finally:
        os.close(pipe)
        os.close(report)
    os.set_blocking(heard, False)
    return Leashed(process, io.FileIO(kept, "wb"), io.FileIO(heard, "rb"))
