"""`hippod mcp --start`: a daemon comes of it, exactly one, and a failure is told."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from hippod.client import Client
from hippod.errors import DaemonDown
from hippod.mcp import starting
from tests.mcp_bridges import HELLO, Agent, agent, has_ended, tool
from tests.processes import Daemon, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("mcp-starting")]


@pytest.fixture
def house() -> Iterator[Daemon]:
    """Yield where a daemon would run; what was started there is ended."""
    with TemporaryDirectory(prefix="hd", dir="/tmp") as name:
        daemon = Daemon(Path(name))
        with ended(daemon):
            yield daemon


@contextmanager
def ended(daemon: Daemon) -> Iterator[None]:
    try:
        yield
    finally:
        for pid in processes(daemon):
            os.kill(pid, signal.SIGTERM)
        wait_for(lambda: not processes(daemon), "the daemon to end")


def processes(daemon: Daemon) -> list[int]:
    """Return the pids of daemons of this socket that were started in the background."""
    return [
        int(folder.name)
        for folder in Path("/proc").iterdir()
        if folder.name.isdigit() and is_daemon(folder, str(daemon.socket))
    ]


def is_daemon(folder: Path, socket: str) -> bool:
    try:
        words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return False
    return "--background" in words and socket in words and not has_ended(int(folder.name))


def test_five_bridges_at_once_start_one_daemon_that_outlives_them(house: Daemon) -> None:
    hosts = [Agent(house.environ, "--start") for _ in range(5)]
    try:
        for host in hosts:
            host.say(HELLO)
        assert {host.hear()["result"]["serverInfo"]["name"] for host in hosts} == {"hippod"}
        assert len(processes(house)) == 1
        for number, host in enumerate(hosts):
            fact = f"W @Crate: Crate {number} holds lamp {number}."
            assert not host.ask(tool(number, "memory_retain", facts=[fact]))["result"]["isError"]
    finally:
        for host in hosts:
            host.end()
    assert processes(house) == [house.client.status()["pid"]]
    log = house.client.today_log()["content"]
    assert [log.count(f"Crate {number} holds") for number in range(5)] == [1] * 5
    (file,) = (house.workspace.parent / ".hippod/log").iterdir()
    assert '"daemon.ready"' in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600


def test_one_that_was_killed_is_started_again_by_the_next_call(house: Daemon) -> None:
    with agent(house.environ, "--start") as host:
        host.ask(HELLO)
        (first,) = processes(house)
        os.kill(first, signal.SIGKILL)
        # Not even as a zombie: the bridge, whose child it is, has waited for it.
        wait_for(lambda: not Path(f"/proc/{first}").exists(), "the daemon to be gone")
        assert not host.ask(tool(2, "memory_tree"))["result"]["isError"]
        (second,) = processes(house)
        assert first != second
        assert host.leave() == 0
        assert host.errors() == ""


def test_a_start_that_fails_is_explained_by_each_tool(house: Daemon) -> None:
    file = house.workspace.parent / "config.toml"
    file.write_text("[recall]\nlimit = 'many'\n")
    with agent({**house.environ, "HIPPOD_CONFIG": str(file)}, "--start") as host:
        assert "result" in host.ask(HELLO)
        answer = host.ask(tool(2, "memory_search", query="x"))["result"]
        assert answer["isError"]
        assert "recall.limit" in answer["content"][0]["text"]
        assert host.leave() == 0
        assert "recall.limit" in host.errors()
    assert processes(house) == []


def test_it_starts_nothing_that_answers_already(tmp_path: Path) -> None:
    meant = starting.Meant(str(tmp_path / "not/there/yet"), ("--socket", "nowhere"), is_usual=True)
    starting.start(meant, lambda: True)
    assert list(tmp_path.iterdir()) == []


def test_a_holder_that_is_no_daemon_is_named(
    house: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A backup or a doctor may hold the workspace for a while."""
    from hippod import lock

    monkeypatch.setattr(starting, "START_SECONDS", 3.0)
    for name, value in house.environ.items():
        monkeypatch.setenv(name, value)
    words = ("--workspace", str(house.workspace), "--socket", str(house.socket))
    meant = starting.Meant(str(house.workspace), words, is_usual=False)
    client = Client(house.socket)

    def answers() -> bool:
        try:
            client.line(1).close()
        except DaemonDown:
            return False
        return True

    house.workspace.mkdir(parents=True)
    with lock.hold(house.workspace, "backup"), pytest.raises(DaemonDown, match="after 3 s") as told:
        starting.start(meant, answers)
    assert str(os.getpid()) in told.value.message
