"""One daemon per workspace: a kernel lock on `.memory/lock`, and the folder `.memory` itself.

Only the lock counts, and the kernel releases it however its holder ends. What the file says is
for people.
"""

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from hippod.errors import Busy, StorageError

FOLDER = ".memory"
_LOCK = "lock"
_TRIES = 10


@contextlib.contextmanager
def hold(root: Path) -> Iterator[Path]:
    """Hold the workspace at `root` and yield its folder `.memory`, made if absent.

    Raises `Busy`, naming the holder's pid, while another process (or another object of this
    one) holds it, and `StorageError` where it cannot be locked.
    """
    folder = prepare(root)
    fd = _acquire(root, folder / _LOCK)
    try:
        yield folder
    finally:
        os.close(fd)


def prepare(root: Path) -> Path:
    """Make `.memory` (0700, invisible to git) below an existing `root` and return its path."""
    folder = root / FOLDER
    try:
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        if folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
        with contextlib.suppress(FileExistsError), (folder / ".gitignore").open("x") as file:
            file.write("*\n")
    except OSError as error:
        raise _unusable(folder, error) from None
    return folder


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
