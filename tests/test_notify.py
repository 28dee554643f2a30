"""What the service manager is told, and the socket that it passes: with systemd's own tool."""

import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hippod.client import Client
from hippod.errors import InvalidInput
from hippod.notify import LAUNCHD_LABEL, ServiceManager, is_managed
from hippod.server import socket as sockets
from hippod.units import launchd
from tests.processes import Daemon, wait_for


class Manager:
    """A service manager that listens."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._socket.settimeout(30)

    def hear(self) -> dict[str, str]:
        """Return the next message, a value by name."""
        lines = self._socket.recv(65_536).decode().splitlines()
        return dict(line.split("=", 1) for line in lines)

    def hear_until(self, name: str) -> dict[str, str]:
        """Return the next message that has `name`."""
        while name not in (message := self.hear()):
            pass
        return message

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    made = Manager(tmp_path / "notify")
    yield made
    made.close()


# -- alone ------------------------------------------------------------------------------------


def test_what_is_for_us_alone_goes_to_no_child(
    manager: Manager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", str(manager.path))
    monkeypatch.setenv("WATCHDOG_USEC", "2000000")
    monkeypatch.setenv("WATCHDOG_PID", str(os.getpid()))
    found = ServiceManager()
    assert (found.present, found.listens, found.watchdog) == (True, True, 2.0)
    assert not {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"} & set(os.environ)
    found.ready("serving /home/Zoë/жизнь 🦆\nand more")
    assert manager.hear() == {"READY": "1", "STATUS": "serving /home/Zoë/жизнь 🦆 and more"}
    found.reloading()
    said = manager.hear()
    assert said["RELOADING"] == "1"
    assert abs(int(said["MONOTONIC_USEC"]) / 1e6 - time.monotonic()) < 5


def test_without_a_manager_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NOTIFY_SOCKET", "WATCHDOG_USEC", "INVOCATION_ID", "XPC_SERVICE_NAME"):
        monkeypatch.delenv(name, raising=False)
    found = ServiceManager()
    found.ready("well")
    assert (found.present, found.listens, found.watchdog) == (False, False, None)


@pytest.mark.parametrize(
    ("variables", "managed"),
    [
        ({}, False),
        ({"INVOCATION_ID": "ab"}, False),  # as every shell of a desktop has it
        ({"SYSTEMD_EXEC_PID": "{pid}"}, True),
        ({"SYSTEMD_EXEC_PID": "1"}, False),
        ({"LISTEN_PID": "{pid}"}, True),
        ({"XPC_SERVICE_NAME": "application.com.apple.Terminal.1"}, False),
        ({"NOTIFY_SOCKET": "/run/n"}, True),
        ({"XPC_SERVICE_NAME": "io.hippod.daemon"}, True),
        ({"XPC_SERVICE_NAME": "0"}, False),
    ],
)
def test_who_started_us(variables: dict[str, str], managed: bool) -> None:
    environ = {name: value.format(pid=os.getpid()) for name, value in variables.items()}
    assert is_managed(environ) == managed


def test_the_agent_is_known_by_the_name_that_it_is_given() -> None:
    assert LAUNCHD_LABEL == launchd.LABEL


@pytest.mark.parametrize("period", ["", "0", "-1", "soon", "²"])
def test_a_watchdog_needs_a_period(monkeypatch: pytest.MonkeyPatch, period: str) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", period)
    monkeypatch.delenv("WATCHDOG_PID", raising=False)
    assert ServiceManager().watchdog is None


def test_a_watchdog_of_another_process_is_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "1000000")
    monkeypatch.setenv("WATCHDOG_PID", "1")
    assert ServiceManager().watchdog is None


def test_variables_that_are_not_for_us_pass_no_socket() -> None:
    for variables in ({}, {"LISTEN_PID": "1", "LISTEN_FDS": "1"}, {"LISTEN_FDS": "x"}):
        environ = {**variables, "LISTEN_FDNAMES": "hippod", "PATH": "/bin"}
        assert sockets.passed(environ) is None
        assert environ == {"PATH": "/bin"}


# What another process does with what is passed to it: the descriptors begin at 3.
TAKER = """
import os, socket, sys
kind = sys.argv[1]
how = socket.SOCK_DGRAM if kind == "datagram" else socket.SOCK_STREAM
made = socket.socket(socket.AF_UNIX, how)
made.bind(sys.argv[2])
os.chmod(sys.argv[2], 0o755)
if kind == "listening":
    made.listen()
taken = os.open("/dev/null", os.O_RDONLY) if kind == "file" else made.fileno()
os.dup2(taken, 3)
os.dup2(taken, 4)
from hippod.errors import HippodError
from hippod.server import socket as sockets
from hippod.units import launchd
environ = {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": sys.argv[3], "LISTEN_FDNAMES": sys.argv[4]}
try:
    found = sockets.passed(environ)
    print(sockets.place(found), os.get_inheritable(found.fileno()))
except HippodError as error:
    print(type(error).__name__, error.message)
os._exit(0)
"""


@pytest.mark.parametrize(
    ("kind", "count", "names", "said"),
    [
        ("listening", "1", "anything", "{path} False"),
        ("listening", "2", "other:hippod", "{path} False"),
        ("listening", "2", "a:b", "InvalidInput 2 sockets were passed, none of them named"),
        ("listening", "2", "hippod:hippod", "InvalidInput 2 sockets were passed, 2 of them named"),
        ("stream", "1", "hippod", "InvalidInput {path}: the socket that was passed does not"),
        ("datagram", "1", "hippod", "InvalidInput the socket that was passed is not a Unix stream"),
        ("file", "1", "hippod", "InvalidInput what the service manager passed is not a socket"),
    ],
)  # fmt: skip
def test_what_is_passed_is_looked_at(
    tmp_path: Path, kind: str, count: str, names: str, said: str
) -> None:
    path = tmp_path / "s"
    words = [sys.executable, "-c", TAKER, kind, str(path), count, names]
    ran = subprocess.run(words, capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1].startswith(said.format(path=path)), ran.stderr
    assert path.exists(), "it is not ours to remove"
    if kind == "listening" and "InvalidInput" not in said:
        assert "socket.open_to_others" in ran.stdout, "others are refused by their uid"
        assert stat.S_IMODE(path.stat().st_mode) == 0o755, "nor to change"
    assert InvalidInput.exit_code == 2


# -- a daemon ---------------------------------------------------------------------------------

activate = shutil.which("systemd-socket-activate")
needs_activate = pytest.mark.skipif(not activate, reason="systemd-socket-activate is not installed")


PASSED_ON = (
    "HIPPOD_WORKSPACE", "HIPPOD_CONFIG", "HIPPOD_GENERATOR__PROVIDER", "PYTHONPATH", "TZ", "HOME",
)  # fmt: skip


class Activated(Daemon):
    """A daemon that systemd's own tool starts at the first connection."""

    def __init__(self, folder: Path, manager: Manager, *options: str) -> None:
        self.passed = folder / "passed.sock"
        heard = [f"NOTIFY_SOCKET={manager.path}", *options]
        variables = [word for each in heard for word in ("-E", each)]
        inherited = [word for name in PASSED_ON for word in ("-E", name)]
        super().__init__(
            folder,
            {"HIPPOD_CONFIG": str(folder / "config.toml")},
            [str(activate), "-l", str(self.passed), "--fdname=hippod", *inherited, *variables,
             sys.executable, "-m", "hippod"],
        )  # fmt: skip
        (folder / "config.toml").write_text("")
        self.client = Client(str(self.passed), timeout=30)


@needs_activate
@pytest.mark.slow
@pytest.mark.xdist_group("notify")
def test_the_life_of_a_daemon_that_systemd_starts(tmp_path: Path, manager: Manager) -> None:
    daemon = Activated(tmp_path, manager, "WATCHDOG_USEC=1000000")
    try:
        process = daemon.spawn()
        wait_for(daemon.passed.exists, "the socket")
        inode = daemon.passed.stat().st_ino
        assert daemon.client.health()["ok"], "who connects first waits for the start"
        assert manager.hear_until("READY")["STATUS"].endswith(f"on {daemon.passed}")
        assert daemon.client.status()["socket"] == str(daemon.passed)
        assert not daemon.socket.exists()
        for _ in range(2):
            assert manager.hear_until("WATCHDOG") == {"WATCHDOG": "1"}
        (tmp_path / "config.toml").write_text("[hygiene]\nmax_daily_logs = 12\n")
        process.send_signal(signal.SIGHUP)
        assert "MONOTONIC_USEC" in manager.hear_until("RELOADING")
        assert manager.hear_until("READY")["STATUS"].startswith("serving ")
        assert daemon.client.config_show()["hygiene.max_daily_logs"]["value"] == 12
        assert daemon.stop() == 0
        assert manager.hear_until("STOPPING")["STOPPING"] == "1"
        assert daemon.passed.stat().st_ino == inode, "its name is systemd's"
    finally:
        daemon.kill()
