"""Files of `.memory` that this process has open by SQLite: no other code may open them.

POSIX locks belong to the process: closing any descriptor of a database drops SQLite's locks on
it, by whatever name it was opened. A hard link among the notes is such a name.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_folders: list[Path] = []
"""Each `.memory` that is held; a process may hold several workspaces."""


@contextmanager
def kept(folder: Path) -> Iterator[None]:
    """Let nobody open the files of a folder by another name meanwhile."""
    _folders.append(folder)
    try:
        yield
    finally:
        _folders.remove(folder)


def is_ours(info: os.stat_result) -> bool:
    """Say whether what was looked at, and not opened yet, is a file of a folder that is kept."""
    if info.st_nlink < 2 or not stat.S_ISREG(info.st_mode):
        return False
    return any(_holds(folder, info) for folder in list(_folders))


def is_ours_at(path: str | Path) -> bool:
    """Say so of what a path leads to; False if nothing is there."""
    try:
        return is_ours(Path(path).stat())
    except OSError:
        return False


def _holds(folder: Path, info: os.stat_result) -> bool:
    try:
        if folder.stat().st_dev != info.st_dev:
            return False
        with os.scandir(folder) as entries:
            return any(entry.inode() == info.st_ino for entry in entries)
    except OSError:
        return False
