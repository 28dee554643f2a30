"""Mends of what lies at a path: of what the check saw there, never of what took its place."""

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hippod.errors import Conflict


@dataclass(frozen=True, slots=True)
class Seen:
    """What stood at a path when it was looked at; not what a link there leads to.

    Every mend raises `Conflict` if something else stands there by now, and OSError.
    """

    path: Path
    info: os.stat_result

    @classmethod
    def at(cls, path: Path) -> "Seen":
        """Look at a path; raises OSError if nothing is there."""
        return cls(path, path.lstat())

    def with_mode(self, bits: int) -> str:
        """Give it these permission bits."""
        _set_mode(self.path, bits, self.info)
        return f"{self.path} has mode {bits:04o} now"

    def removed(self) -> str:
        """Remove a socket."""
        _check(self.path, self.path.lstat(), self.info)
        self.path.unlink()
        return f"{self.path} was removed"

    def closed(self) -> str:
        """Close a folder and what lies in it to others."""
        with self._opened() as folder:
            os.fchmod(folder, 0o700)
            closed = sum(_close(name, folder) for name in os.listdir(folder))
        return f"{self.path} has mode 0700 now, and {closed} in it were closed"

    def ignored_by_git(self) -> str:
        """Make the `.gitignore` of a folder of ours."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with self._opened() as folder:
            file = os.open(".gitignore", flags, 0o600, dir_fd=folder)
            try:
                os.write(file, b"*\n")
            finally:
                os.close(file)
        return f"{self.path}/.gitignore was made again"

    @contextmanager
    def _opened(self) -> Iterator[int]:
        _check(self.path, self.path.lstat(), self.info)
        fd = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            _check(self.path, os.fstat(fd), self.info)
            yield fd
        finally:
            os.close(fd)


def _close(name: str, folder: int) -> bool:
    """Take from others what they may do with an entry; say whether there was anything."""
    info = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if stat.S_ISLNK(info.st_mode) or not info.st_mode & 0o077:
        return False
    _set_mode(name, 0o700 if stat.S_ISDIR(info.st_mode) else 0o600, info, folder)
    return True


def _set_mode(path: Path | str, bits: int, seen: os.stat_result, folder: int | None = None) -> None:
    """Set the bits of what was seen, without opening it: that would drop a database's locks."""
    if sys.platform != "linux":
        _check(path, os.stat(path, dir_fd=folder, follow_symlinks=False), seen)
        os.chmod(path, bits, dir_fd=folder, follow_symlinks=False)
        return
    # Such a descriptor only names what it stands for.
    fd = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        _check(path, os.fstat(fd), seen)
        os.chmod(f"/proc/self/fd/{fd}", bits)  # noqa: PTH101
    finally:
        os.close(fd)


def _check(path: Path | str, now: os.stat_result, seen: os.stat_result) -> None:
    if stat.S_ISLNK(now.st_mode) or _identity(now) != _identity(seen):
        raise Conflict(f"{path}: something else stands there by now", "look again: hippod doctor")


def _identity(info: os.stat_result) -> tuple[int, ...]:
    # A new socket may get the number of the old one; neither is written to.
    made = info.st_mtime_ns if stat.S_ISSOCK(info.st_mode) else 0
    return info.st_dev, info.st_ino, stat.S_IFMT(info.st_mode), made
