"""One daemon per workspace."""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from hippod import lock
from hippod.errors import Busy, StorageError

HOLD = (
    "import sys, time; from pathlib import Path; from hippod import lock\n"
    "with lock.hold(Path(sys.argv[1])):\n"
    "    print('held', flush=True); time.sleep(60)\n"
)


def test_makes_a_private_folder_that_git_does_not_see(tmp_path: Path) -> None:
    with lock.hold(tmp_path) as folder:
        assert folder == tmp_path / ".memory"
        assert folder.stat().st_mode & 0o777 == 0o700
        assert (folder / ".gitignore").read_text() == "*\n"
        assert f"pid {os.getpid()}\n" in (folder / "lock").read_text()


def test_closes_a_folder_that_was_open_to_others(tmp_path: Path) -> None:
    (tmp_path / ".memory").mkdir(mode=0o755)
    (tmp_path / ".memory" / ".gitignore").write_text("mine\n")
    with lock.hold(tmp_path) as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        assert (folder / ".gitignore").read_text() == "mine\n"


def test_files_that_came_from_a_read_only_place_are_made_writable(tmp_path: Path) -> None:
    (tmp_path / ".memory").mkdir()
    for name, mode in (("index.sqlite", 0o444), ("lock", 0o400), ("state.sqlite", 0o640)):
        (tmp_path / ".memory" / name).touch()
        (tmp_path / ".memory" / name).chmod(mode)
    with lock.hold(tmp_path) as folder:
        modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
    assert modes["index.sqlite"] == 0o644
    assert (modes["lock"], modes["state.sqlite"]) == (0o600, 0o640)


def test_a_second_holder_is_refused_until_the_first_ends(tmp_path: Path) -> None:
    with lock.hold(tmp_path):
        with pytest.raises(Busy, match=f"pid {os.getpid()}") as caught, lock.hold(tmp_path):
            pytest.fail("held twice")
        assert caught.value.hint
    with lock.hold(tmp_path):
        pass


def test_a_killed_holder_leaves_no_lock(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    with pytest.raises(Busy, match=f"pid {child.pid}"), lock.hold(tmp_path):
        pytest.fail("held twice")
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert f"pid {child.pid}\n" in (tmp_path / ".memory/lock").read_text()
    with lock.hold(tmp_path):
        assert f"pid {os.getpid()}\n" in (tmp_path / ".memory/lock").read_text()


def test_a_file_with_nonsense_in_it_is_taken_over(tmp_path: Path) -> None:
    (tmp_path / ".memory").mkdir()
    (tmp_path / ".memory/lock").write_bytes(b"\xff pid of nobody at all" * 20)
    with lock.hold(tmp_path):
        text = (tmp_path / ".memory/lock").read_text()
    assert text.startswith(f"pid {os.getpid()}\nstarted ")
    assert len(text.splitlines()) == 2


def test_no_workspace(tmp_path: Path) -> None:
    with pytest.raises(StorageError) as caught, lock.hold(tmp_path / "none"):
        pytest.fail("held nothing")
    assert "init" in caught.value.hint


def test_a_lock_file_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".memory").mkdir()
    (tmp_path / ".memory/lock").symlink_to(tmp_path / "victim")
    with pytest.raises(StorageError), lock.hold(tmp_path):
        pytest.fail("held a link")
    assert not (tmp_path / "victim").exists()


def test_the_lock_says_what_it_is_held_for_and_where_its_holder_answers(tmp_path: Path) -> None:
    assert lock.socket_of_holder(tmp_path) == ""
    with lock.held(tmp_path) as mine:
        assert lock.socket_of_holder(tmp_path) == ""
        mine.answers_at("/run/höhle/\udcff.sock")
        assert lock.socket_of_holder(tmp_path) == "/run/höhle/\udcff.sock"
        assert lock.holder(tmp_path) == os.getpid()
    assert lock.socket_of_holder(tmp_path) == ""
    with lock.hold(tmp_path, "backup"):
        assert lock.socket_of_holder(tmp_path) == ""
        with pytest.raises(Busy, match=f"pid {os.getpid()}, backup"), lock.hold(tmp_path):
            pytest.fail("held twice")


def test_a_borrower_is_named_and_not_who_held_it_last(tmp_path: Path) -> None:
    with lock.hold(tmp_path):
        (tmp_path / ".memory/lock").write_text("pid 99999999\nstarted long ago\nsocket /x\n")
    with lock.borrowed(tmp_path, "doctor") as is_ours:
        assert is_ours
        assert lock.holder(tmp_path) == os.getpid()
        assert lock.socket_of_holder(tmp_path) == ""


def test_who_looks_who_holds_it_keeps_nobody_out(tmp_path: Path) -> None:
    with lock.hold(tmp_path) as folder:
        looking = os.open(folder / "lock", os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH)
    ending = threading.Timer(0.05, os.close, [looking])
    ending.start()
    with lock.hold(tmp_path):
        pass
    ending.join()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
def test_a_full_disk_keeps_no_holder_from_its_work(tmp_path: Path) -> None:
    with lock.held(tmp_path) as mine:
        full = os.open("/dev/full", os.O_RDWR)
        try:
            lock.Held(mine.folder, full, (0, 0)).answers_at("/run/s.sock")
        finally:
            os.close(full)


def test_a_workspace_that_is_being_deleted_is_an_error_with_a_name(tmp_path: Path) -> None:
    root = tmp_path / "w"
    root.mkdir()
    with lock.held(root) as mine:
        (root / ".memory/state.sqlite").touch()
        state = mine.identify("state.sqlite")
        shutil.rmtree(root / ".memory")
        assert mine.is_lost()
        assert mine.has_lost(state)
        with pytest.raises(StorageError, match=r"state\.sqlite"):
            mine.identify("state.sqlite")
        root.rmdir()
        assert not mine.is_lost()
        assert not mine.has_lost(state)
        with pytest.raises(StorageError, match=r"\.memory"):
            lock.prepare(root)
    assert not root.exists()


def forked(work: Callable[[], None]) -> int:
    """Do `work` in a child that is forked off, and return its pid."""
    if pid := os.fork():
        return pid
    try:
        work()
    finally:
        os._exit(0)


def test_a_child_that_was_forked_off_holds_nothing(tmp_path: Path) -> None:
    until, ended = os.pipe()

    def outlive() -> None:
        os.close(ended)
        os.read(until, 1)

    with lock.hold(tmp_path), lock.borrowed(tmp_path):
        child = forked(outlive)
        with pytest.raises(Busy):
            lock.refuse_if_held(tmp_path)
    with lock.hold(tmp_path):
        pass
    os.close(ended)
    os.close(until)
    os.waitpid(child, 0)


def test_a_child_outlives_a_holder_that_was_killed_and_holds_nothing(tmp_path: Path) -> None:
    until, ended = os.pipe()
    told, tell = os.pipe()

    def outlive() -> None:
        os.close(ended)
        os.write(tell, b"x")
        os.read(until, 1)

    def hold() -> None:
        with lock.hold(tmp_path):
            forked(outlive)
            os.read(told, 1)
            os._exit(0)

    os.waitpid(forked(hold), 0)
    with lock.hold(tmp_path):
        pass
    for fd in (until, ended, told, tell):
        os.close(fd)


def test_a_child_that_leaves_a_with_unlocks_nothing(tmp_path: Path) -> None:
    def leave() -> None:
        holding.__exit__(None, None, None)

    holding = lock.hold(tmp_path)
    holding.__enter__()
    os.waitpid(forked(leave), 0)
    with pytest.raises(Busy):
        lock.refuse_if_held(tmp_path)
    holding.__exit__(None, None, None)
