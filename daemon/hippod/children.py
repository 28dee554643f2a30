"""Starts processes that end with us, however we end: killed, stopped or crashed.

Linux can signal a child when its parent ends, but takes the thread that started it for its
parent. So one thread, which lives as long as we do, starts all of them.
"""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from hippod import leash

_LEASH = (sys.executable, "-I", "-S", leash.__file__)
_starter = ThreadPoolExecutor(1, "starter")


def start(command: Sequence[str], **options: Any) -> "subprocess.Popen[bytes]":
    """Start a process as `subprocess.Popen` does; it may ask to be signalled when we end."""
    return _starter.submit(lambda: subprocess.Popen(command, **options)).result()


@dataclass(frozen=True, slots=True)
class Leashed:
    """A program that runs, with all that it starts, until `let_go` at the latest."""

    process: "subprocess.Popen[bytes]"
    """The process that holds it: it exits as the program does, and passes SIGTERM on."""
    _pipe: IO[bytes]

    def let_go(self) -> None:
        """Have all of it killed, also what has a session of its own; safe to repeat."""
        self._pipe.close()


def leashed(
    program: str, words: Sequence[str], *, cwd: Path, env: Mapping[str, str], **options: Any
) -> Leashed:
    """Start `program` (a path) with its arguments `words`; raises OSError as if we ran it."""
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
    with open(heard, "rb") as file:  # noqa: PTH123 - its end comes when the program runs
        fault = file.read()
    if fault:
        os.close(kept)
        process.wait()
        number = int(fault)
        raise OSError(number, os.strerror(number))
    return Leashed(process, open(kept, "wb", buffering=0))  # noqa: PTH123 - not a path
