"""A real daemon in a process of its own, for tests that look at it from outside."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from hippod.client import Client
from hippod.errors import HippodError

PATIENCE_SECONDS = 60


def wait_for(condition: Callable[[], object], what: str, seconds: float = PATIENCE_SECONDS) -> None:
    """Look until `condition()` is true; fail naming `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"gave up waiting for {what} after {seconds} s"
        time.sleep(0.02)


class Daemon:
    """`hippod run` on a workspace below `folder`, with everything it writes below it too."""

    def __init__(
        self,
        folder: Path,
        settings: Mapping[str, str] | None = None,
        program: Sequence[str] = (sys.executable, "-m", "hippod"),
    ) -> None:
        self.workspace = folder / "workspace"
        self.socket = folder / "run" / "d.sock"
        self.log = folder / "daemon.log"
        self.program = list(program)
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PYTHONPATH": os.pathsep.join(sys.path),
            "TZ": "UTC",
            "HIPPOD_WORKSPACE": str(self.workspace),
            "HIPPOD_SOCKET": str(self.socket),
            "HIPPOD_GENERATOR__PROVIDER": "none",
            "HIPPOD_WORKSPACE__USER": "Ada",
            "HIPPOD_RETAIN__QUIET": "200ms",
            "HIPPOD_RETAIN__SETTLE": "0",
            "HIPPOD_RETAIN__BACKFILL_DAYS": "36500",
            **(settings or {}),
        }
        self.client = Client(socket_path=str(self.socket), timeout=30)
        self.process: subprocess.Popen[bytes] | None = None

    def spawn(self) -> "subprocess.Popen[bytes]":
        """Start the process and return at once."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*self.program, "run"], env=self.environ, stderr=log, stdin=subprocess.DEVNULL
            )
        return self.process

    def start(self) -> "Daemon":
        """Start the process and wait until it answers."""
        process = self.spawn()
        wait_for(lambda: self.answers() or process.poll() is not None, "the daemon to answer")
        assert process.poll() is None, self.log.read_text()
        return self

    def answers(self) -> bool:
        """Say whether the daemon answers on its socket."""
        try:
            return bool(self.client.health()["ok"])
        except HippodError:
            return False

    def stop(self, seconds: float = 15) -> int:
        """End it by SIGTERM and return the exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(seconds)

    def kill(self) -> None:
        """End it by SIGKILL."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def cli(self, *args: str, stdin: str | None = None) -> "subprocess.CompletedProcess[str]":
        """Run the command line client against it."""
        return subprocess.run(
            [sys.executable, "-m", "hippod", *args],
            env=self.environ, input=stdin, text=True, capture_output=True, timeout=60, check=False,
        )  # fmt: skip

    def settle(self) -> None:
        """Wait until nothing waits to be indexed, nor any text for its vector."""
        wait_for(lambda: self.status_index_is_idle(), "the index to be idle")

    def status_index_is_idle(self) -> bool:
        fresh = self.client.recall("anything", limit=1)["freshness"]
        return fresh["pending"] == fresh["vectors_pending"] == 0


@contextmanager
def running(folder: Path, settings: Mapping[str, str] | None = None) -> Iterator[Daemon]:
    """Yield a started daemon, and end it whatever the test did."""
    daemon = Daemon(folder, settings)
    try:
        yield daemon.start()
    finally:
        if daemon.process is not None and daemon.process.poll() is None:
            daemon.kill()
