"""The watcher where the system gives less than it wants: watches, folders it may not read."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from hippod import watch

_SCRIPT = """
import asyncio, sys
from pathlib import Path
from hippod import watch

async def main() -> None:
    root, stop = Path(sys.argv[1]), asyncio.Event()
    heard = []
    async def save() -> None:
        while not heard:
            await asyncio.sleep(0.05)
        for number in range(200):
            (root / "deep" / "down" / "note.md").write_text(f"{number}")
            await asyncio.sleep(0.1)
    saving = asyncio.create_task(save())
    async for batch in watch.changes([root], stop, poll=False, on_mode=heard.append):
        if any(path.name == "note.md" for path in batch):
            break
    saving.cancel()
    print(heard[-1])

asyncio.run(asyncio.wait_for(main(), 30))
"""


def left(kind: str, count: int) -> list[str]:
    """Return a command that runs another where `count` inotify handles of a kind are left."""
    script = f'echo {count} > /proc/sys/user/max_inotify_{kind} && exec "$@"'
    command = ["unshare", "-Ur", "sh", "-c", script, "sh"]
    try:
        tried = subprocess.run([*command, "true"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no unshare (util-linux)")
    if tried.returncode:
        pytest.skip(f"no user namespace: {tried.stderr.strip()}")
    return command


@pytest.mark.parametrize(("kind", "count"), [("instances", 0), ("watches", 0), ("watches", 2)])
def test_without_handles_it_polls_and_says_so(tmp_path: Path, kind: str, count: int) -> None:
    (tmp_path / "deep" / "down").mkdir(parents=True)
    said = subprocess.run(
        [*left(kind, count), sys.executable, "-c", _SCRIPT, str(tmp_path)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert said.stdout.splitlines()[-1].startswith("polling: "), said.stderr


class Denied:
    """The library's watch where one folder may not be read: refused unless told to ignore it."""

    def __init__(self, *_roots: Path, ignore_permission_denied: bool, **_options: object) -> None:
        self._batches = [{(1, "/w/a.md")}] if ignore_permission_denied else []
        self._ignores = ignore_permission_denied

    def __aiter__(self) -> "Denied":
        return self

    async def __anext__(self) -> set[tuple[int, str]]:
        if not self._ignores:
            raise PermissionError(13, "Permission denied", "/w/locked")
        if not self._batches:
            raise StopAsyncIteration
        return self._batches.pop()


def test_a_folder_that_may_not_be_read_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "awatch", Denied)
    modes: list[str] = []

    async def watched() -> list[set[Path]]:
        stop = asyncio.Event()
        changes = watch.changes([Path("/w")], stop, poll=False, on_mode=modes.append)
        return [batch async for batch in changes]

    assert asyncio.run(watched()) == [{Path("/w/a.md")}]
    assert set(modes) == {"events"}


def test_a_lock_that_another_file_replaces_is_told(tmp_path: Path) -> None:
    memory = tmp_path / ".memory"
    memory.mkdir()
    (memory / "lock").touch()

    async def told() -> set[Path]:
        stop = asyncio.Event()
        changes = watch.changes([tmp_path], stop, poll=False, on_mode=lambda _: None)

        async def replace() -> None:
            while not stop.is_set():  # the watch may not be there yet
                (memory / "other").touch()
                (memory / "other").rename(memory / "lock")
                await asyncio.sleep(0.3)

        replacing = asyncio.create_task(replace())
        async for batch in changes:
            stop.set()
            await replacing
            return batch
        return set()

    assert asyncio.run(asyncio.wait_for(told(), 30)) == {memory / "lock"}


# -- folders that nobody watches ---------------------------------------------------------------

_FOLDERS = """
import asyncio, os, sys
from pathlib import Path
from hippod import watch

async def main() -> None:
    root, stop, modes = Path(sys.argv[1]), asyncio.Event(), []
    def lacking() -> set[int]:
        folders = {each.relative_to(root).as_posix(): each.stat().st_ino for each in root.iterdir()}
        return watch.unwatched(root, folders | {"": root.stat().st_ino})
    async def listen() -> None:
        async for batch in watch.changes([root], stop, poll=False, on_mode=modes.append):
            heard.set()
    heard = asyncio.Event()
    listening = asyncio.create_task(listen())
    while not (modes and lacking() == set() and watch.watched()):
        await asyncio.sleep(0.02)
    (root / "first").mkdir()
    await heard.wait()
    while lacking():
        await asyncio.sleep(0.02)
    for number in range(20):
        (root / f"more-{number}").mkdir()
    heard.clear()
    await heard.wait()
    while len(watch.watched()) < 8:
        await asyncio.sleep(0.02)
    print(modes[-1], len(lacking()) > 10)
    stop.set()
    await listening

asyncio.run(asyncio.wait_for(main(), 30))
"""


def test_folders_for_which_no_watch_is_left_are_noticed(tmp_path: Path) -> None:
    said = subprocess.run(
        [*left("watches", 8), sys.executable, "-c", _FOLDERS, str(tmp_path)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert said.stdout == "events True\n", said.stderr


def test_what_cannot_be_compared_is_not_missed(tmp_path: Path) -> None:
    root, proc = tmp_path / "root", tmp_path / "proc"
    inodes = {}
    for path in ("", "watched", "unwatched", "gone"):
        (root / path).mkdir(parents=True)
        inodes[path] = (root / path).stat().st_ino
    assert watch.unwatched(root, inodes, proc) == set()  # no such system
    (proc / "fd").mkdir(parents=True)
    (proc / "fd" / "7").symlink_to("anon_inode:inotify")
    (proc / "fd" / "8").symlink_to("socket:[7]")
    (proc / "fd" / "9").symlink_to("anon_inode:inotify")  # closed meanwhile
    (proc / "fdinfo").mkdir()
    lines = [f"inotify wd:{n} ino:{inodes[path]:x} sdev:0" for n, path in ((3, "watched"),)]
    (proc / "fdinfo" / "7").write_text("pos:\t0\n" + "\n".join(lines) + "\n")
    assert watch.unwatched(root, inodes, proc) == set()  # numbers of another kind: not the root's
    lines.append(f"inotify wd:c ino:{inodes['']:x} sdev:0 mask:fce")
    (proc / "fdinfo" / "7").write_text("pos:\t0\n" + "\n".join(lines) + "\n")
    (root / "gone").rmdir()
    assert watch.unwatched(root, inodes, proc) == {inodes["unwatched"]}
