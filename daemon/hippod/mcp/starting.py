"""Starts the daemon for an agent that finds none: the installed service, or `hippod run` in the
background. However many ask for it at once, exactly one daemon comes of it.
"""

import contextlib
import fcntl
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from hippod import lock, paths, private
from hippod.errors import DaemonDown

START_SECONDS = 30.0
"""How long a daemon that starts may take until it can be dialled."""
PAUSE_SECONDS = 0.05
_BUSY = 5
"""The exit code of a daemon that finds the workspace held."""
_MOST_SAID = 4_000
_ASK = "start it by hand to see more: hippod run"


@dataclass(frozen=True, slots=True)
class Meant:
    """Which daemon is meant: what was named by options and environment, and where it listens."""

    workspace: str
    """The workspace, whoever chose it."""
    options: tuple[str, ...]
    """Options of `hippod` that name config, workspace and socket, with absolute paths."""
    is_usual: bool
    """Whether nothing at all was named, so that the installed service is the one."""


def start(meant: Meant, answers: Callable[[], bool], seconds: float | None = None) -> None:
    """Start the daemon and return when `answers()`.

    Raises `DaemonDown` if it does not come up, or not within `seconds` (None: `START_SECONDS`);
    then it may come up later.
    """
    patience = _Patience(START_SECONDS if seconds is None else seconds)
    if answers():
        return
    with _alone(Path(meant.workspace), answers, patience):
        if answers():  # somebody else has just started it
            return
        if meant.is_usual and _begin_service(patience):
            _wait(answers, patience)
            return
        with tempfile.TemporaryFile() as errors:
            child = _in_background(meant.options, errors)
            threading.Thread(target=child.wait, daemon=True).start()  # it leaves no zombie
            _wait(answers, patience, child, lambda: _last_line(errors))


def is_begun(workspace: str) -> bool:
    """Say whether somebody starts a daemon for the workspace, or one holds it and may answer."""
    if lock.holder(Path(workspace)) is not None:
        return True
    try:
        descriptor = os.open(_locked(Path(workspace)), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not _is_ours(descriptor, fcntl.LOCK_SH)
    finally:
        os.close(descriptor)


def wait_for_it(answers: Callable[[], bool], seconds: float) -> None:
    """Wait for a daemon that somebody else starts; raises `DaemonDown` if it does not come up."""
    _wait(answers, _Patience(seconds))


class _Patience:
    """How long is waited, from now on."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Return the seconds that are left, which may be less than none."""
        return self._end - time.monotonic()


@contextlib.contextmanager
def _alone(workspace: Path, answers: Callable[[], bool], patience: _Patience) -> Iterator[None]:
    """Be the only one to start this daemon, as far as the folder can be locked.

    Who has to wait for another one goes on as soon as the daemon answers, or is late.
    """
    there = _locked(workspace)
    try:
        private.make_folder(there)
        descriptor = os.open(there, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:  # the daemon will say what is wrong with it
        yield
        return
    try:
        while not _is_ours(descriptor, fcntl.LOCK_EX) and not answers():
            if patience.left < 0:
                raise _late(patience)
            time.sleep(PAUSE_SECONDS)
        yield
    finally:
        os.close(descriptor)


def _locked(workspace: Path) -> Path:
    """Return the folder that is locked: the workspace, or before there is one, our own folder.

    Nothing else: a home, or the root, is not ours to lock.
    """
    if workspace.is_dir():
        return workspace
    return Path(paths.absolute("~/.hippod", os.environ))


def _is_ours(descriptor: int, kind: int) -> bool:
    """Lock a folder; false if somebody else has it, true also where nothing can be locked."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _begin_service(patience: _Patience) -> bool:
    """Start the installed service, if there is one; False: there is none that starts."""
    if not is_installed():
        return False
    nothing = subprocess.DEVNULL
    try:
        done = subprocess.run(
            [*_PROGRAM, "service", "start"],
            stdin=nothing, stdout=nothing, stderr=nothing,
            timeout=max(0.0, patience.left), check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:  # it may come up yet
        return True
    return done.returncode == 0


_PROGRAM = (sys.executable, "-P", "-m", "hippod")


def is_installed() -> bool:
    """Say whether a service of this user is installed."""
    if sys.platform == "darwin":
        from hippod import notify

        agents = Path(paths.absolute("~/Library/LaunchAgents", os.environ))
        return (agents / f"{notify.LAUNCHD_LABEL}.plist").exists()
    from hippod.units.systemctl import Systemd

    return (Systemd(os.environ).folder / "hippod.service").exists()


def _in_background(options: Sequence[str], errors: BinaryIO) -> "subprocess.Popen[bytes]":
    """Run a daemon that outlives us, our terminal and our folder."""
    return subprocess.Popen(
        [*_PROGRAM, *options, "run", "--background"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
        cwd="/", start_new_session=True, env=_environment(),
    )  # fmt: skip


def _environment() -> dict[str, str]:
    """Return our environment without what a service manager told our parents."""
    managers = ("NOTIFY_", "LISTEN_", "WATCHDOG_", "SYSTEMD_", "INVOCATION_ID", "XPC_SERVICE_NAME")
    ours = {name: value for name, value in os.environ.items() if not name.startswith(managers)}
    usual = f"/run/user/{os.getuid()}"  # which a host that passes few variables leaves out
    if "XDG_RUNTIME_DIR" not in ours and os.access(usual, os.W_OK):
        ours["XDG_RUNTIME_DIR"] = usual
    return ours


def _wait(
    answers: Callable[[], bool],
    patience: _Patience,
    child: "subprocess.Popen[bytes] | None" = None,
    said: Callable[[], str] = lambda: "",
) -> None:
    """Wait until it `answers()`, or until `child` ended by more than finding another one there."""
    while not answers():
        if child is not None and child.poll() not in (None, _BUSY):
            raise DaemonDown(f"the daemon does not start: {said() or child.returncode}", _ASK)
        if patience.left < 0:
            raise _late(patience, said())
        time.sleep(PAUSE_SECONDS)


def _late(patience: _Patience, said: str = "") -> DaemonDown:
    late = f"the daemon does not answer after {patience.seconds:g} s"
    return DaemonDown(f"{late}: {said}" if said else late, _ASK)


def _last_line(errors: BinaryIO) -> str:
    errors.seek(0)
    lines = errors.read(_MOST_SAID).decode("utf-8", "replace").strip().splitlines()
    told = [line.removeprefix("hippod: ") for line in lines if line.startswith("hippod: ")]
    return next(reversed(told or lines), "")
