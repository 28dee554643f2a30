"""Beats in the workspace of the first argument, so many hours after noon as the second says.

Dies by SIGKILL at the n-th durable step of the beat, n being the third; 0: never. A step is one of
`killer`, a commit of the state, and each moment before and after people are told: what of is
written into the file `told`. Prints the steps that were.
"""

import os
import signal
import sys
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from pathlib import Path
from typing import Any

import apsw
import pytest

from hippod import atomic
from hippod.notifiers import Alert
from tests.beating import House, check

CHECKS = {
    "disk": check("echo 93 %", attention="number > 90"),
    "door": check("exit 1", message="The door is open."),
}
CALLS = ("write", "fsync", "rename", "replace", "link", "unlink", "mkdir", "ftruncate")
WATCHED = {f"hippod.{name}" for name in ("workspace", "atomic", "documents", "root")}

root, hours, kill_at = Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
steps: list[str] = []
beating = False


def step(name: str) -> None:
    """Count a step of the beat, and die at the chosen one."""
    if beating:
        steps.append(name)
        if len(steps) == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)


def deadly(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(call)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if sys._getframe(1).f_globals.get("__name__") in WATCHED:
            step(name)
        return call(*args, **kwargs)

    return wrapped


def on_commit() -> bool:
    step("commit")
    return False


def watch_commits(connection: apsw.Connection) -> None:
    if connection.filename.endswith("state.sqlite"):
        connection.set_commit_hook(on_commit)


def tell(alert: Alert) -> list[str]:
    step("tell")
    with (root / "told").open("a") as told:
        told.writelines(f"{each.item}\n" for each in alert.items)
    step("told")
    return []


for each in CALLS:
    setattr(os, each, deadly(each, getattr(os, each)))
atomic.renameat2 = deadly("renameat2", atomic.renameat2)
apsw.connection_hooks.append(watch_commits)
with pytest.MonkeyPatch.context() as patch:
    house = House(root / "w", patch, heartbeat={"checks": CHECKS})
    house.now += timedelta(hours=hours)
    house.checklist("- check: disk\n- check: door\n")
    house.start()
    patch.setattr(house.phone, "tell", tell)
    beating = True
    house.heartbeat.tick()
    beating = False
    house.stop()
sys.stdout.write(f"steps: {' '.join(steps)}")
