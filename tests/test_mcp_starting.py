"""`hippod mcp --start`: a daemon comes of it, exactly one, and a failure is told."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from hippod import lock
from hippod.cli import hook, main, stop
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
    """And one that was killed is started again by the next call."""
    hosts = [Agent(house.environ, "--start") for _ in range(5)]
    try:
        for host in hosts:
            host.say(HELLO)
        assert {host.hear()["result"]["serverInfo"]["name"] for host in hosts} == {"hippod"}
        assert len(processes(house)) == 1
        for number, host in enumerate(hosts):
            fact = f"W @Crate: Crate {number} holds lamp {number}."
            assert not host.ask(tool(number, "memory_retain", facts=[fact]))["result"]["isError"]
        (first,) = processes(house)
        os.kill(first, signal.SIGKILL)
        # Not even as a zombie: the bridge, whose child it is, has waited for it.
        wait_for(lambda: not Path(f"/proc/{first}").exists(), "the daemon to be gone")
        assert not hosts[0].ask(tool(9, "memory_tree"))["result"]["isError"]
        assert processes(house) != [first]
        assert [host.leave() for host in hosts] == [0] * 5
        assert "".join(host.errors() for host in hosts) == ""
    finally:
        for host in hosts:
            host.end()
    assert processes(house) == [house.client.status()["pid"]]
    log = house.client.today_log()["content"]
    assert [log.count(f"Crate {number} holds") for number in range(5)] == [1] * 5
    (file,) = (house.workspace.parent / ".hippod/log").iterdir()
    assert '"daemon.ready"' in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600


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


def test_nobodys_folder_is_locked_but_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before there is a workspace, its home is somebody else's to lock."""
    monkeypatch.setenv("HOME", str(tmp_path))
    workspace, ours = tmp_path / "not/there", tmp_path / ".hippod"
    ours.mkdir()
    for folder, is_begun in ((tmp_path, False), (ours, True)):
        descriptor = os.open(folder, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        assert starting.is_begun(str(workspace)) is is_begun
        os.close(descriptor)
    assert not starting.is_begun(str(workspace))


def test_it_starts_nothing_that_answers_already(tmp_path: Path) -> None:
    meant = starting.Meant(str(tmp_path / "not/there/yet"), ("--socket", "nowhere"), is_usual=True)
    starting.start(meant, lambda: True)
    assert list(tmp_path.iterdir()) == []


def test_a_holder_that_is_no_daemon_is_named(
    house: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A backup or a doctor may hold the workspace for a while."""
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


# -- the hook at the start of a session, and the end of what was started ---------------------


def started(house: Daemon, *options: str) -> "subprocess.Popen[bytes]":
    words = ["hook", "claude-code", "session-start", "--socket", str(house.socket), *options]
    return subprocess.Popen(
        [*house.program, *words], env=house.environ,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def answer(asked: "subprocess.Popen[bytes]") -> Any:
    out, errors = asked.communicate(timeout=60)
    assert asked.returncode == 0, errors
    return json.loads(out)


def test_the_first_session_has_its_memory_and_stop_ends_what_served_it(house: Daemon) -> None:
    house.workspace.mkdir()
    (house.workspace / "SOUL.md").write_text("# Soul\n\nBe brief.\n")
    hooks = [started(house, "--start") for _ in range(3)]
    told = [answer(each) for each in hooks]  # `{}` where this machine took over five seconds
    wait_for(house.answers, "the daemon to answer")
    # Where one of them gave up, the next one may have started another, which ends by itself.
    wait_for(lambda: len(processes(house)) == 1, "exactly one daemon")
    told.append(answer(started(house, "--start")))
    assert "Be brief." in told[-1]["hookSpecificOutput"]["additionalContext"]
    assert all(each in ({}, told[-1]) for each in told)
    done = house.cli("stop")
    assert (done.returncode, done.stderr) == (0, "")
    assert "has ended" in done.stdout
    wait_for(lambda: not processes(house), "the daemon to be gone")
    again = house.cli("stop", "--json")
    assert again.returncode == 3
    assert json.loads(again.stdout)["error"]["code"] == "daemon_down"
    assert answer(started(house)) == {}
    assert processes(house) == []


def test_a_hook_waits_for_a_daemon_that_somebody_else_starts(
    house: Daemon, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(hook, "START_SECONDS", 0.3)
    monkeypatch.setattr(hook, "STDIN", os.open(os.devnull, os.O_RDONLY))
    for name, value in house.environ.items():
        monkeypatch.setenv(name, value)
    house.workspace.mkdir()
    began = time.monotonic()
    with lock.hold(house.workspace):
        assert main(["hook", "codex", "SessionStart"]) == 0
    assert time.monotonic() - began >= 0.3
    said = capsys.readouterr()
    assert (json.loads(said.out), "after 0.3 s" in said.err) == ({}, True)
    os.close(hook.STDIN)


def test_stop_leaves_alone_what_is_no_daemon(house: Daemon) -> None:
    house.workspace.mkdir()
    with lock.hold(house.workspace, "backup"):
        done = house.cli("stop")
        assert (done.returncode, "backup" in done.stderr) == (5, True)
    with lock.hold(house.workspace):  # we are no `hippod run`
        done = house.cli("stop")
        assert (done.returncode, f"process {os.getpid()}" in done.stderr) == (5, True)


@pytest.mark.parametrize(
    ("group", "is_one"),
    [
        ("0::/user.slice/user-7.slice/user@7.service/app.slice/hippod.service", True),
        ("0::/system.slice/system-hippod.slice/hippod@ada.service", True),
        ("0::/user.slice/user-7.slice/user@7.service/tmux-spawn-1.scope", False),
        ("0::/system.slice/hippod.service/../ssh.service", False),
    ],
)
def test_what_a_service_manager_runs_is_known_by_its_group(
    tmp_path: Path, group: str, is_one: bool
) -> None:
    if sys.platform == "darwin":
        pytest.skip("launchd is asked there")
    (tmp_path / "12").mkdir()
    (tmp_path / "12/cgroup").write_text(f"{group}\n")
    assert stop._is_a_service(12, str(tmp_path)) is is_one
    assert not stop._is_a_service(13, str(tmp_path))
