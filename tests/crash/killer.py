"""Runs `hippod` and kills it by SIGKILL at the n-th durable step of workspace or state.

A step is a call of `os.write`, `os.fsync`, a rename, link, unlink or truncate made by the
modules that write Markdown, or a commit of `state.sqlite`. `HIPPOD_KILL_AT=n` chooses the step
(0: none), `HIPPOD_KILL_LOG` the file that gets one line per step. A write that is to die has
written its first half.
"""

import functools
import itertools
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import apsw

from hippod import atomic
from hippod.cli import main

WATCHED = {f"hippod.{name}" for name in ("workspace", "atomic", "documents", "root", "state")}
CALLS = ("write", "fsync", "rename", "replace", "link", "unlink", "mkdir", "ftruncate")

kill_at = int(os.environ["HIPPOD_KILL_AT"])
steps = itertools.count(1)
log = os.open(os.environ["HIPPOD_KILL_LOG"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
write = os.write


def step(name: str) -> bool:
    """Count a step; say whether it is the one to die at. Several threads come here at once."""
    ours = next(steps)
    write(log, f"{ours} {name}\n".encode())
    return ours == kill_at


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def deadly(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if sys._getframe(1).f_globals.get("__name__") in WATCHED and step(name):
            if name == "write":
                write(args[0], bytes(args[1])[: len(args[1]) // 2])
            die()
        return call(*args, **kwargs)

    return wrapped


def on_commit() -> bool:
    if step("commit"):
        die()
    return False


def watch_commits(connection: apsw.Connection) -> None:
    if connection.filename.endswith("state.sqlite"):
        connection.set_commit_hook(on_commit)


for name in CALLS:
    setattr(os, name, deadly(name, getattr(os, name)))
atomic.renameat2 = deadly("renameat2", atomic.renameat2)
apsw.connection_hooks.append(watch_commits)
sys.exit(main())
