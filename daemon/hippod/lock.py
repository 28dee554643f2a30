"""One daemon per workspace: a kernel lock on `.memory/lock`, and the folder `.memory` itself.

Only the lock counts, and the kernel releases it however its holder ends. What the file says is
for people.
"""

import contextlib
import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from hippod.errors import Busy, StorageError

FOLDER = ".memory"
_LOCK = "lock"
_STRANGE = (stat.S_IFLNK, stat.S_IFIFO, stat.S_IFBLK, stat.S_IFCHR)
_TRIES = 10
_LOOK = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextlib.contextmanager
def hold(root: Path) -> Iterator[Path]:
    """Hold the workspace at `root` and yield its folder `.memory`, made if absent.

    Raises `Busy`, naming the holder's pid, while another process (or another object of this
    one) holds it, and `StorageError` where it cannot be locked.
    """
    with held(root) as mine:
        yield mine.folder


@dataclass(frozen=True, slots=True)
class Identity:
    """Which file a name meant."""

    name: str
    device: int
    inode: int


@dataclass(frozen=True, slots=True)
class Held:
    """A workspace that we hold."""

    folder: Path
    _fd: int

    def identify(self, name: str) -> "Identity":
        """Return what tells a file of the folder from another one that takes its name."""
        info = (self.folder / name).stat()
        return Identity(name, info.st_dev, info.st_ino)

    def has_lost(self, file: "Identity | None") -> bool:
        """Say whether another file, or none, has the name of `file` by now."""
        if file is None or not os.path.isdir(self.folder.parent):  # noqa: PTH112 - never raises
            return False
        try:
            return self.identify(file.name) != file
        except FileNotFoundError:
            return True
        except OSError:
            return False

    def is_lost(self) -> bool:
        """Say whether the lock file was deleted or replaced, so that others might lock it too.

        While the whole workspace is away (unmounted, renamed) nothing is lost.
        """
        if not os.path.isdir(self.folder.parent):  # noqa: PTH112 - never raises
            return False
        try:
            return not _same_file(self._fd, self.folder / _LOCK)
        except OSError:  # a disk in trouble: nobody else can lock there either
            return False


@contextlib.contextmanager
def held(root: Path) -> Iterator[Held]:
    """Hold the workspace as `hold` does, and yield what tells whether it still is held."""
    folder = prepare(root)
    fd = _acquire(root, folder / _LOCK)
    try:
        yield Held(folder, fd)
    finally:
        os.close(fd)


@contextlib.contextmanager
def borrowed(root: Path) -> Iterator[bool]:
    """Hold the workspace for a look, making and changing nothing; yield whether we hold it.

    False: another process does. Where nobody ever held it there is nothing to hold: True.
    """
    try:
        fd = os.open(root / FOLDER / _LOCK, _LOOK)
    except OSError:
        yield not (root / FOLDER / _LOCK).exists()
        return
    try:
        yield _try(fd, fcntl.LOCK_EX)
    finally:
        os.close(fd)


def holder(root: Path) -> int | None:
    """Return the pid of the process that holds the workspace, 0 if it is not known, None: nobody.

    Of the lock file that stands there now: who holds one that was deleted holds nothing.
    """
    try:
        fd = os.open(root / FOLDER / _LOCK, _LOOK)
    except OSError:
        return None
    try:
        if _try(fd, fcntl.LOCK_SH):
            return None
        words = os.pread(fd, 100, 0).decode(errors="replace").split()
        return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
    finally:
        os.close(fd)


def _try(fd: int, kind: int) -> bool:
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def prepare(root: Path) -> Path:
    """Make `.memory` (0700, invisible to git) below an existing `root` and return its path."""
    folder = root / FOLDER
    try:
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        _refuse_strange(folder)
        if folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
        _make_writable(folder)
        with contextlib.suppress(FileExistsError), (folder / ".gitignore").open("x") as file:
            file.write("*\n")
    except OSError as error:
        raise _unusable(folder, error) from None
    return folder


def _refuse_strange(folder: Path) -> None:
    """Refuse a folder that is a link, or holds what leads elsewhere or waits: agents write here."""
    if not stat.S_ISDIR(folder.lstat().st_mode):
        raise _strange(folder)
    for name in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError):
            if stat.S_IFMT((folder / name).lstat().st_mode) in _STRANGE:
                raise _strange(folder / name)


def _make_writable(folder: Path) -> None:
    """Allow ourselves to write our own files again: a copy from a read-only place is read-only."""
    for path in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):
            found = path.lstat()
            ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()
            if ours and found.st_mode & 0o600 != 0o600:
                path.chmod(stat.S_IMODE(found.st_mode) | 0o600)


def _strange(path: Path) -> StorageError:
    return StorageError(
        f"{path}: is a link, a pipe or a device; what hippod keeps for itself is not written there",
        "remove it; what is derived is made anew",
    )


def _acquire(root: Path, path: Path) -> int:
    for _ in range(_TRIES):
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise _unusable(path, error) from None
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Somebody may have removed the file in between: then we hold a lock on nothing.
            if _same_file(fd, path):
                _sign(fd)
                return fd
        except OSError as error:
            holder = _holder(fd)
            os.close(fd)
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                raise Busy(
                    f"{root}: another hippod holds this workspace{holder}",
                    "stop it, or talk to it: hippod status, hippod.Client",
                ) from None
            raise _unusable(path, error) from None
        os.close(fd)
    raise StorageError(f"{path}: the lock file keeps disappearing", "find out what removes it")


def _sign(fd: int) -> None:
    started = datetime.now(UTC).isoformat(timespec="seconds")
    os.ftruncate(fd, 0)
    os.pwrite(fd, f"pid {os.getpid()}\nstarted {started}\n".encode(), 0)


def _holder(fd: int) -> str:
    words = os.pread(fd, 100, 0).decode(errors="replace").split()
    return f" (pid {words[1]})" if len(words) > 1 and words[1].isdigit() else ""


def _same_file(fd: int, path: Path) -> bool:
    try:
        there = path.stat()
    except FileNotFoundError:
        return False
    held = os.fstat(fd)
    return (there.st_dev, there.st_ino) == (held.st_dev, held.st_ino)


def _unusable(path: Path, error: OSError) -> StorageError:
    hints = {
        errno.ENOENT: "make the workspace first: hippod init",
        errno.ENOLCK: "the filesystem has no locks; keep the workspace on a local disk",
    }
    hint = hints.get(error.errno or 0, "check owner, mode and free space")
    return StorageError(f"{path}: {error.strerror}", hint)
