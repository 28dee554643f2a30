"""A new file beside its place, with a name of its own until it is whole.

For what people name themselves, outside of the workspace: backups and exports.
"""

import contextlib
import fcntl
import os
import re
import secrets
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

from hippod.errors import Conflict, InvalidInput, StorageError

_PART: Final = ".hippod-part"
_DEAD_SECONDS: Final = 60.0
"""Age from which on a part of another name counts as left behind: a new one is not locked yet."""
_LONGEST_STEM = 200
"""Bytes: with what we put around it, a name stays below the 255 of file systems."""


def save(pieces: Iterable[bytes], target: Path, *, force: bool = False) -> int:
    """Write a file (mode 0600), give it its name once all pieces came, and return their number.

    Raises `Conflict` if something stands there and not `force`, and `StorageError`; nothing is
    left then, and what stood there stays.
    """
    count = 0
    with written(target, force=force) as (_, file):
        for piece in pieces:
            file.write(piece)
            count += 1
        flush(file)
    return count


@contextlib.contextmanager
def written(target: Path, *, force: bool) -> Iterator[tuple[Path, BinaryIO]]:
    """Yield a new file beside `target`, which becomes it at the end; none is left else."""
    check_target(target, force=force)
    sweep(target, _PART)
    _sweep_parts(target.parent)
    with _reading_disk(target):
        temp, fd = _temp(target)
        try:
            with os.fdopen(fd, "wb") as file:
                yield temp, file
                _publish(temp, target, force=force)
        finally:
            temp.unlink(missing_ok=True)


def flush(file: BinaryIO) -> None:
    """Bring what was written to the disk."""
    file.flush()
    os.fsync(file.fileno())


def refuse_inside(target: Path, root: Path) -> None:
    """Raise `InvalidInput` for a file that would lie in the workspace that it is of."""
    if Path(os.path.realpath(target)).is_relative_to(os.path.realpath(root)):
        raise InvalidInput(
            f"{target}: lies in the workspace itself", "put it elsewhere, best on another disk"
        )


def check_target(target: Path, *, force: bool) -> None:
    """Raise `Conflict` if something stands at `target` that is not to be written over."""
    if not os.path.lexists(target):
        return
    if not target.is_file() or target.is_symlink():
        raise Conflict(f"{target}: is there and no regular file", "name another file")
    if not force:
        raise Conflict(f"{target}: exists already", "name another file, or use --force")


def sweep(target: Path, ending: str) -> list[Path]:
    """Return what runs that were killed left beside `target`; files are removed at once.

    What is locked belongs to a run that still works.
    """
    left = []
    with contextlib.suppress(OSError):
        for path in sorted(target.parent.iterdir()):
            if re.fullmatch(
                rf"\.{re.escape(stem(target))}\.[0-9a-f]{{16}}{re.escape(ending)}", path.name
            ):
                left += [path] if _is_abandoned(path) else []
    for path in left:
        if path.is_file():
            path.unlink(missing_ok=True)
    return left


def _sweep_parts(folder: Path) -> None:
    """Remove what runs that were killed left in a folder, whatever they were to become."""
    with contextlib.suppress(OSError):
        for path in folder.glob(f".*{_PART}"):
            is_ours = re.fullmatch(rf"\..+\.[0-9a-f]{{16}}{re.escape(_PART)}", path.name)
            is_old = time.time() - path.lstat().st_mtime > _DEAD_SECONDS
            if is_ours and is_old and _is_abandoned(path) and path.is_file():
                path.unlink(missing_ok=True)


def temp_path(target: Path, ending: str) -> Path:
    """Return an unused name beside `target`."""
    return target.with_name(f".{stem(target)}.{secrets.token_hex(8)}{ending}")


def stem(target: Path) -> str:
    """Return as much of a name as leaves room for what makes another one of it."""
    name = target.name
    if len(os.fsencode(name)) <= _LONGEST_STEM:
        return name
    return os.fsencode(name)[:_LONGEST_STEM].decode("utf-8", "ignore")


def _temp(target: Path) -> tuple[Path, int]:
    temp = temp_path(target, _PART)
    fd = os.open(temp, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return temp, fd


def _is_abandoned(path: Path) -> bool:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(fd)
    return True


def _publish(temp: Path, target: Path, *, force: bool) -> None:
    if force:
        temp.replace(target)
    else:
        try:
            os.link(temp, target)
        except FileExistsError:
            raise Conflict(f"{target}: exists by now", "name another file") from None
        except OSError:  # no hard links there
            check_target(target, force=False)
            temp.replace(target)
    folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextlib.contextmanager
def _reading_disk(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = "check that the folder is there and may be written, and its free space"
        raise StorageError(f"{path}: {error.strerror or error}", hint) from None
