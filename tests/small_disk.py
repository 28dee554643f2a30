"""A disk that is soon full: a tmpfs of a few kilobytes, mounted for the length of a test."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

_FILLER = ".filler"
_BLOCK = 4096


@dataclass(frozen=True, slots=True)
class SmallDisk:
    """A mounted file system of its own."""

    path: Path

    def fill(self, leave: int = 0) -> None:
        """Take all space but `leave` bytes (whole blocks of 4 kB), until `free`."""
        blocks = os.statvfs(self.path).f_bavail - leave // _BLOCK
        if blocks > 0:
            with (self.path / _FILLER).open("ab") as filler:
                os.posix_fallocate(filler.fileno(), filler.tell(), blocks * _BLOCK)

    def free(self) -> None:
        """Give back what `fill` took."""
        (self.path / _FILLER).unlink(missing_ok=True)

    def remount(self, options: str) -> None:
        """Change it while it is in use: `size=900k`, `ro`, `rw`; fails as mount does."""
        _mount("-o", f"remount,{options}", str(self.path))


@contextmanager
def small_disk(path: Path, kilobytes: int, uid: int = -1) -> Iterator[SmallDisk]:
    """Yield an empty disk of `kilobytes` mounted at the folder `path`, which is made if missing.

    `uid` is whom its top folder belongs to. It is unmounted afterwards, lazily if somebody still
    holds a file on it. Skips the test with the reason where nothing can be mounted.
    """
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can mount a small disk")
    path.mkdir(parents=True, exist_ok=True)
    try:
        _mount("-t", "tmpfs", "-o", f"size={kilobytes}k,mode=0755", "tmpfs", str(path))
    except OSError as error:
        pytest.skip(f"a small disk cannot be mounted here: {error}")
    try:
        os.chown(path, uid, uid)
        yield SmallDisk(path)
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True, capture_output=True)


def _mount(*arguments: str) -> None:
    """Run mount; OSError with what it says if it fails."""
    said = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if said.returncode != 0:
        raise OSError(said.stderr.strip())
