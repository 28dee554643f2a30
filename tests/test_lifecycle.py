"""How a daemon begins and ends, and what it does when the ground goes away under it."""

import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hippod.client import Client
from hippod.commands import Command, Commands
from hippod.errors import NotResponding
from tests.processes import Daemon, running, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("lifecycle")]
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of our end")


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running(tmp_path_factory.mktemp("life")) as made:
        yield made


def found(daemon: Daemon, word: str) -> bool:
    return any(word in hit["content"] for hit in daemon.client.recall(word)["hits"])


def is_alive(pid: int) -> bool:
    """Say whether a process runs; one that only waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# -- ends -------------------------------------------------------------------------------------


def test_a_terminal_that_is_closed_ends_it_cleanly(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path)
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [*daemon.program, "run"], env=daemon.environ, stdin=follower, stdout=follower,
        stderr=follower, start_new_session=True,
        # Where the tests themselves outlive their terminal, it is ignored from the start.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    )  # fmt: skip
    os.close(follower)
    try:
        wait_for(lambda: daemon.answers() or process.poll() is not None, "the daemon to answer")
        os.close(leader)
        process.send_signal(signal.SIGHUP)
        assert process.wait(15) == 0
        assert not daemon.socket.exists()
    finally:
        process.kill()
        process.wait()


def test_a_stopped_daemon_is_not_responding(daemon: Daemon) -> None:
    """Case C180."""
    assert daemon.process is not None
    daemon.process.send_signal(signal.SIGSTOP)
    try:
        for words in (["status"], ["recall", "x"], ["config", "reload"], ["events"]):
            ran = daemon.cli(*words, "--timeout", "0.3")
            assert ran.returncode == 3, words
            assert "is not responding" in ran.stderr, words
        with pytest.raises(NotResponding):
            Client(str(daemon.socket), timeout=0.3).status()
    finally:
        daemon.process.send_signal(signal.SIGCONT)
    wait_for(daemon.answers, "it to go on")


# -- the ground -------------------------------------------------------------------------------


def held_again(daemon: Daemon) -> int:
    return daemon.log.read_text().count("workspace.held_again")


def holder(daemon: Daemon) -> str:
    lock = daemon.workspace / ".memory" / "lock"
    return lock.read_text() if lock.exists() else ""


@pytest.mark.parametrize("what", ["folder", "lock", "state"])
def test_a_memory_folder_deleted_under_it_is_made_again(daemon: Daemon, what: str) -> None:
    memory = daemon.workspace / ".memory"
    (daemon.workspace / f"{what}.md").write_text(f"# Birds\n\nA {what}lark sings\n")
    wait_for(lambda: found(daemon, f"{what}lark"), "the page")
    daemon.client.append_daily_log(f"Before the {what} went")
    changes = len(daemon.client.log()["entries"])
    renewals = held_again(daemon)
    if what == "folder":
        memory.rename(daemon.workspace.parent / f"gone-{time.monotonic_ns()}")
    elif what == "lock":
        (memory / "lock").unlink()
    else:
        for file in memory.glob("state.sqlite*"):
            file.unlink()
    wait_for((memory / "state.sqlite").exists, "the state")
    wait_for(lambda: f"pid {daemon.process.pid}" in holder(daemon), "the lock")  # type: ignore[union-attr]
    wait_for(lambda: held_again(daemon) > renewals, "the lock to be taken again")
    wait_for(lambda: found(daemon, f"{what}lark"), "the index")
    assert len(daemon.client.log()["entries"]) == changes, "the state was put back"
    daemon.client.append_daily_log(f"After the {what} went")
    text = daemon.client.today_log()["content"]
    assert text.count(f"Before the {what} went") == text.count(f"After the {what} went") == 1


# -- children ---------------------------------------------------------------------------------

STARTER = """
import os, sys, time
from pathlib import Path
from hippod.commands import Command, Commands
from hippod.models.child import Child
import threading
words = ("sh", "-c", "echo $$ > one; setsid sh -c 'echo $$ > two; sleep 600' & sleep 600")
command = Command(words, ("PATH",), 600, 1000)
run = Commands(Path(sys.argv[1]), os.environ).run
threading.Thread(target=run, args=[command], daemon=True).start()
child = Child.worker()
child.receive(60)
(Path(sys.argv[1]) / "three").write_text(str(child.pid))
time.sleep(600)
"""


@on_linux
@pytest.mark.parametrize("stopped", [False, True])
def test_children_end_with_a_parent_that_is_killed(tmp_path: Path, stopped: bool) -> None:
    """Case C178, and what a SIGKILL leaves: also children that are stopped and hear nothing."""

    def pids() -> list[int]:
        files = [tmp_path / name for name in ("one", "two", "three")]
        return [int(file.read_text()) for file in files if file.exists() and file.read_text()]

    parent = subprocess.Popen([sys.executable, "-c", STARTER, str(tmp_path)])
    try:
        wait_for(lambda: len(pids()) == 3, "the children")
        started = pids()
        if stopped:
            for pid in (*started, *holders(parent.pid)):
                os.kill(pid, signal.SIGSTOP)
        parent.kill()
        parent.wait()
        wait_for(lambda: not any(map(is_alive, started)), "the children to end", 10)
    finally:
        parent.kill()
        for pid in filter(is_alive, pids()):
            os.kill(pid, signal.SIGKILL)


def holders(pid: int) -> list[int]:
    """Return the children of a process, of all its threads."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for file in lists for child in file.read_text().split()]


def test_a_workspace_that_is_deleted_is_not_made_again(tmp_path: Path) -> None:
    """Of what is deleted `.memory` may be the first."""
    with running(tmp_path) as daemon:
        daemon.settle()
        seen = daemon.client.status()["watch"]["last_event"]
        shutil.rmtree(daemon.workspace / ".memory")
        wait_for(lambda: daemon.client.status()["watch"]["last_event"] != seen, "the deletion")
        shutil.rmtree(daemon.workspace)
        assert daemon.stop() == 0
        assert "workspace.lost_hold" not in daemon.log.read_text()
        assert not daemon.workspace.exists()


def test_a_program_that_cannot_be_started_tells_why(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    outcome = Commands(tmp_path, os.environ).run(Command((str(script),), ("PATH",), 10, 1000))
    assert outcome.exit is None
    assert outcome.error


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM])
def test_how_a_program_ended_is_told_through_what_holds_it(
    tmp_path: Path, number: signal.Signals
) -> None:
    words = ("sh", "-c", f"kill -{number.value} $$")
    outcome = Commands(tmp_path, os.environ).run(Command(words, ("PATH",), 10, 1000))
    assert outcome.error == f"sh was killed by {number.name}."
