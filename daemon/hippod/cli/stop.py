"""`hippod stop`: ends the daemon of a workspace, however it was started, but not a service's."""

import os
import signal
import sys
import time

from hippod.cli import local, output
from hippod.errors import Busy, DaemonDown, Forbidden, HippodError, NotResponding

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from pathlib import Path

END_SECONDS = 90.0
"""How long a daemon may take to end, as long as a service manager gives it."""
PAUSE_SECONDS = 0.05


def stop_options(parser: "argparse.ArgumentParser") -> None:
    """Add nothing: the workspace says which daemon is meant."""


def stop(args: "argparse.Namespace") -> int:
    """Tell the daemon to end, and wait until it has let go of the workspace."""
    from pathlib import Path

    from hippod import lock

    root = Path(local.root(args))
    pid = lock.holder(root)
    if pid is None:
        raise DaemonDown(f"{root}: no daemon runs there", "to start one: hippod run")
    _check(root, pid)
    _tell(pid)
    _wait(root, pid, args.timeout or END_SECONDS)
    answer = {"workspace": str(root), "pid": pid}
    return output.show(args, answer, lambda _: output.tell(f"the daemon of {root} has ended"))


def _check(root: "Path", pid: int) -> None:
    """Raise unless who holds the workspace is a daemon of ours that nobody would start again."""
    from hippod import lock

    if purpose := lock.purpose_of_holder(root):
        raise Busy(
            f"{root}: it is no daemon that holds it (pid {pid}, {purpose})", "it ends by itself"
        )
    owner, words = _process(pid)
    if "run" not in words or not any(word.rsplit("/", 1)[-1] == "hippod" for word in words):
        raise Busy(f"{root}: process {pid} holds it, and is no `hippod run`", "end it yourself")
    if owner != os.geteuid():
        raise Forbidden(f"{root}: the daemon (pid {pid}) is another user's", "ask that user")
    if _is_a_service(pid):
        raise Busy(f"{root}: a service manager runs the daemon (pid {pid})", "hippod service stop")


def _process(pid: int) -> "tuple[int, list[str]]":
    """Return whose a process is, and its words; nobody's and none if that cannot be seen."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:  # noqa: PTH123
            words = file.read().decode("utf-8", "replace").split("\0")
            return os.fstat(file.fileno()).st_uid, words
    except OSError:
        return _told_by_ps(pid)


def _told_by_ps(pid: int) -> "tuple[int, list[str]]":
    import subprocess

    command = ["ps", "-o", "uid=", "-o", "args=", "-p", str(pid)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return -1, []
    owner, *words = done.stdout.decode("utf-8", "replace").split() or ["-1"]
    return int(owner), words


def _is_a_service(pid: int, proc: str = "/proc") -> bool:
    if sys.platform == "darwin":
        from hippod.units.launchctl import Launchd

        try:
            return bool(Launchd(os.environ).status()["pid"] == pid)
        except HippodError:  # none is installed
            return False
    import re

    try:
        with open(f"{proc}/{pid}/cgroup", encoding="utf-8") as file:  # noqa: PTH123
            return re.search(r"/hippod(@[^/]*)?\.service$", file.read(), re.MULTILINE) is not None
    except OSError:
        return False


def _tell(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:  # it has just ended
        return
    except PermissionError:
        raise Forbidden(f"the daemon (pid {pid}) may not be told to end", "do it as root") from None


def _wait(root: "Path", pid: int, seconds: float) -> None:
    from hippod import lock

    end = time.monotonic() + seconds
    while lock.holder(root) == pid:
        if time.monotonic() > end:
            raise NotResponding(
                f"the daemon (pid {pid}) has not ended within {seconds:g} s",
                f"if it hangs: kill -9 {pid}; nothing that was kept is lost",
            )
        time.sleep(PAUSE_SECONDS)
