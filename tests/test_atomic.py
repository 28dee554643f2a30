"""Replacing, creating, removing and appending beside a program that does the same."""

import errno
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hippod import atomic

LIMIT = 1_000_000


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    fd = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield fd
    os.close(fd)


@pytest.fixture(params=["exchange", "no exchange"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run with what the system offers, and as on a filesystem that offers nothing."""
    if request.param == "no exchange":

        def refuse(_folder: int, old: str, *_rest: object) -> None:
            raise OSError(errno.EINVAL, "not supported", old)

        monkeypatch.setattr(atomic, "renameat2", refuse)
    return str(request.param)


def names(path: Path) -> list[str]:
    return sorted(os.listdir(path))


def replace(folder: int, data: bytes, expected: bytes, kept: list[bytes] | None = None) -> None:
    found = atomic.read(folder, "a.md", LIMIT)
    atomic.replace(
        folder,
        "a.md",
        data,
        atomic.Found(expected, found.stat),
        kept.append if kept is not None else pytest.fail,
    )


@pytest.mark.usefixtures("system")
class TestReplace:
    def test_takes_the_place_and_leaves_nothing_else(self, folder: int, tmp_path: Path) -> None:
        (tmp_path / "a.md").write_bytes(b"old")
        replace(folder, b"new", b"old")
        assert (tmp_path / "a.md").read_bytes() == b"new"
        assert names(tmp_path) == ["a.md"]

    def test_keeps_the_mode(self, folder: int, tmp_path: Path) -> None:
        (tmp_path / "a.md").write_bytes(b"old")
        (tmp_path / "a.md").chmod(0o640)
        replace(folder, b"new", b"old")
        assert (tmp_path / "a.md").stat().st_mode & 0o7777 == 0o640

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
    def test_keeps_the_owner(self, folder: int, tmp_path: Path) -> None:
        (tmp_path / "a.md").write_bytes(b"old")
        os.chown(tmp_path / "a.md", 1234, 1235)
        replace(folder, b"new", b"old")
        info = (tmp_path / "a.md").stat()
        assert (info.st_uid, info.st_gid) == (1234, 1235)

    def test_refuses_other_bytes_and_touches_nothing(self, folder: int, tmp_path: Path) -> None:
        (tmp_path / "a.md").write_bytes(b"theirs")
        inode = (tmp_path / "a.md").stat().st_ino
        with pytest.raises(atomic.ChangedError):
            replace(folder, b"new", b"old", [])
        assert (tmp_path / "a.md").read_bytes() == b"theirs"
        assert (tmp_path / "a.md").stat().st_ino == inode
        assert names(tmp_path) == ["a.md"]

    def test_a_full_disk_leaves_the_original(
        self, folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "a.md").write_bytes(b"old")

        def full(fd: int, data: bytes) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space"):
            replace(folder, b"new", b"old")
        monkeypatch.undo()
        assert (tmp_path / "a.md").read_bytes() == b"old"
        assert names(tmp_path) == ["a.md"]

    def test_gone_is_changed(self, folder: int, tmp_path: Path) -> None:
        (tmp_path / "a.md").write_bytes(b"old")
        found = atomic.read(folder, "a.md", LIMIT)
        (tmp_path / "a.md").unlink()
        with pytest.raises(atomic.ChangedError):
            atomic.replace(folder, "a.md", b"new", found, pytest.fail)
        assert names(tmp_path) == []


def meddle(monkeypatch: pytest.MonkeyPatch, *acts: Callable[[], None]) -> None:
    """Let a stranger act right before each exchange, in order."""
    real = atomic.renameat2
    waiting = list(acts)

    def wrapped(folder: int, old: str, new: str, flags: int, into: int | None = None) -> None:
        if waiting:
            waiting.pop(0)()
        real(folder, old, new, flags, into)

    monkeypatch.setattr(atomic, "renameat2", wrapped)


class TestStrangers:
    """What another program does between two of our system calls is never lost."""

    def test_an_append_before_the_exchange(
        self, folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "a.md"
        path.write_bytes(b"old\n")
        meddle(monkeypatch, lambda: path.write_bytes(b"old\ntheirs\n"))
        with pytest.raises(atomic.ChangedError):
            replace(folder, b"new\n", b"old\n")
        assert path.read_bytes() == b"old\ntheirs\n"
        assert names(tmp_path) == ["a.md"]

    def test_an_append_to_our_version_before_it_goes_back(
        self, folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "a.md"
        path.write_bytes(b"old\n")

        def late() -> None:
            with path.open("ab") as file:
                file.write(b"late\n")

        meddle(monkeypatch, lambda: path.write_bytes(b"old\nearly\n"), late)
        with pytest.raises(atomic.ChangedError):
            replace(folder, b"new\n", b"old\n")
        assert path.read_bytes() == b"old\nearly\nlate\n"
        assert names(tmp_path) == ["a.md"]

    def test_a_save_over_our_version_before_it_goes_back(
        self, folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "a.md"
        path.write_bytes(b"old\n")
        kept: list[bytes] = []

        def save() -> None:
            other = tmp_path / "other"
            other.write_bytes(b"latest\n")
            other.replace(path)

        meddle(monkeypatch, lambda: path.write_bytes(b"early\n"), save)
        with pytest.raises(atomic.ChangedError):
            replace(folder, b"new\n", b"old\n", kept)
        assert path.read_bytes() == b"latest\n"
        assert kept == [b"early\n"]
        assert names(tmp_path) == ["a.md"]

    def test_a_removal_before_it_goes_back(
        self, folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "a.md"
        path.write_bytes(b"old\n")
        meddle(monkeypatch, lambda: path.write_bytes(b"theirs\n"), path.unlink)
        with pytest.raises(atomic.ChangedError):
            replace(folder, b"new\n", b"old\n")
        assert path.read_bytes() == b"theirs\n"
        assert names(tmp_path) == ["a.md"]

    @pytest.mark.skipif(not Path("/proc").exists(), reason="leases are Linux only")
    def test_a_file_held_open_for_writing_is_not_replaced(
        self, folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(atomic, "_ATTEMPTS", 2)
        path = tmp_path / "a.md"
        path.write_bytes(b"old\n")
        with path.open("ab", buffering=0) as stranger:
            with pytest.raises(atomic.ChangedError):
                replace(folder, b"new\n", b"old\n")
            stranger.write(b"theirs\n")
        assert path.read_bytes() == b"old\ntheirs\n"

    @pytest.mark.skipif(not Path("/proc").exists(), reason="leases are Linux only")
    def test_a_file_that_is_soon_closed_is_waited_for(self, folder: int, tmp_path: Path) -> None:
        path = tmp_path / "a.md"
        path.write_bytes(b"old\n")
        stranger = path.open("ab")
        timer = threading.Timer(0.05, stranger.close)
        timer.start()
        replace(folder, b"new\n", b"old\n")
        timer.join()
        assert path.read_bytes() == b"new\n"

    def test_without_exchange_displaced_bytes_are_kept_and_put_back(
        self, folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "a.md"
        path.write_bytes(b"old\n")
        real = os.rename
        kept: list[bytes] = []
        acts = [lambda: path.write_bytes(b"old\ntheirs\n")]

        def rename(*args: object, **kwargs: int) -> None:
            if acts:
                acts.pop()()
            real(*args, **kwargs)  # type: ignore[arg-type] # passed on as they are

        monkeypatch.setattr(atomic, "exchange", lambda *_: False)
        monkeypatch.setattr(os, "rename", rename)
        with pytest.raises(atomic.ChangedError):
            replace(folder, b"new\n", b"old\n", kept)
        assert path.read_bytes() == b"old\ntheirs\n"
        assert kept == [b"old\ntheirs\n"]
        assert names(tmp_path) == ["a.md"]


@pytest.mark.usefixtures("system")
class TestCreateAndRemove:
    def test_create(self, folder: int, tmp_path: Path) -> None:
        atomic.create(folder, "a.md", b"text")
        assert (tmp_path / "a.md").read_bytes() == b"text"
        assert names(tmp_path) == ["a.md"]

    def test_create_never_overwrites(self, folder: int, tmp_path: Path) -> None:
        (tmp_path / "a.md").write_bytes(b"theirs")
        with pytest.raises(FileExistsError):
            atomic.create(folder, "a.md", b"ours")
        assert (tmp_path / "a.md").read_bytes() == b"theirs"
        assert names(tmp_path) == ["a.md"]

    def test_remove(self, folder: int, tmp_path: Path) -> None:
        (tmp_path / "a.md").write_bytes(b"old")
        atomic.remove(folder, "a.md", atomic.read(folder, "a.md", LIMIT), pytest.fail)
        assert names(tmp_path) == []

    def test_remove_refuses_other_bytes(self, folder: int, tmp_path: Path) -> None:
        (tmp_path / "a.md").write_bytes(b"old")
        found = atomic.read(folder, "a.md", LIMIT)
        (tmp_path / "a.md").write_bytes(b"theirs")
        with pytest.raises(atomic.ChangedError):
            atomic.remove(folder, "a.md", found, pytest.fail)
        assert (tmp_path / "a.md").read_bytes() == b"theirs"
        assert names(tmp_path) == ["a.md"]


def test_create_without_hard_links(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object, **_kwargs: object) -> None:
        raise OSError(errno.EPERM, "not supported")

    def refuse_flags(*_args: object) -> None:
        raise OSError(errno.EINVAL, "not supported")

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(atomic, "renameat2", refuse_flags)
    atomic.create(folder, "a.md", b"text")
    with pytest.raises(FileExistsError):
        atomic.create(folder, "a.md", b"again")
    assert (tmp_path / "a.md").read_bytes() == b"text"
    assert names(tmp_path) == ["a.md"]


class TestAppend:
    def test_one_write(self, folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "a.md").write_bytes(b"one\n")
        writes: list[bytes] = []
        real = os.write
        monkeypatch.setattr(os, "write", lambda fd, data: writes.append(data) or real(fd, data))
        landed = atomic.append(folder, "a.md", b"two\n", (tmp_path / "a.md").stat().st_ino)
        assert writes == [b"two\n"]
        assert (landed.offset, landed.displaced) == (4, False)
        assert (tmp_path / "a.md").read_bytes() == b"one\ntwo\n"

    def test_a_disk_that_fills_up_in_the_middle(
        self, folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "a.md"
        path.write_bytes(b"one\n")
        real = os.write
        calls: list[int] = []

        def short(fd: int, data: bytes) -> int:
            calls.append(fd)
            if len(calls) > 1:
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(fd, data[:2])

        monkeypatch.setattr(os, "write", short)
        with pytest.raises(OSError, match="No space"):
            atomic.append(folder, "a.md", b"two\n", path.stat().st_ino)
        assert path.read_bytes() == b"one\n"

    def test_a_full_disk_leaves_no_new_file(
        self, folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(fd: int, data: bytes) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space"):
            atomic.append(folder, "a.md", b"two\n", None)
        assert names(tmp_path) == []

    def test_a_name_taken_meanwhile(self, folder: int, tmp_path: Path) -> None:
        (tmp_path / "a.md").write_bytes(b"theirs\n")
        with pytest.raises(atomic.ChangedError):
            atomic.append(folder, "a.md", b"ours\n", None)
        assert (tmp_path / "a.md").read_bytes() == b"theirs\n"

    def test_a_file_replaced_while_we_write_is_noticed(
        self, folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "a.md"
        path.write_bytes(b"one\n")
        real = os.fsync

        def fsync(fd: int) -> None:
            real(fd)
            (tmp_path / "b").write_bytes(b"saved\n")
            (tmp_path / "b").replace(path)

        monkeypatch.setattr(os, "fsync", fsync)
        assert atomic.append(folder, "a.md", b"two\n", path.stat().st_ino).displaced


class TestRead:
    def test_only_regular_files(self, folder: int, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe.md")
        (tmp_path / "folder.md").mkdir()
        (tmp_path / "link.md").symlink_to("/dev/zero")
        for name in ("pipe.md", "folder.md", "link.md"):
            with pytest.raises(atomic.NotRegularError):
                atomic.read(folder, name, LIMIT)

    def test_a_limit(self, folder: int, tmp_path: Path) -> None:
        (tmp_path / "a.md").write_bytes(b"12345")
        assert atomic.read(folder, "a.md", 5).data == b"12345"
        with pytest.raises(atomic.TooBigError):
            atomic.read(folder, "a.md", 4)
