"""Other programs' files on the disk: read whole, replaced whole, never over a change of others."""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from hippod import atomic, private
from hippod.errors import Conflict, StorageError

_MAX_BYTES = 100_000_000
_BACKUPS = 1000


def read(path: Path) -> bytes | None:
    """Return what a file holds, a link followed; None if there is none. Raises `StorageError`."""
    real = _real(path)
    if not real.parent.is_dir():
        return None
    with _folder(real.parent, path) as folder:
        found = atomic.read_if_there(folder, real.name, _MAX_BYTES)
        return found.data if found else None


def check(path: Path, before: bytes | None) -> None:
    """Raise `Conflict` unless a file holds what it held, `StorageError` if it is read-only."""
    if read(path) != before:
        raise _changed(path)
    real = _real(path)
    if before is not None and not (real.stat().st_mode & 0o222 and os.access(real, os.W_OK)):
        raise StorageError(f"{path}: is read-only", "change it where it comes from, or chmod u+w")


def write(path: Path, before: bytes | None, after: bytes | None, *, private_file: bool) -> None:
    """Give a file the bytes `after` (None: remove it) if it still holds `before`.

    A link stays one, mode and owner too. A new file is made with its folders: for nobody else
    with `private_file`, else as the umask says.
    """
    real = _real(path)
    _make_folder(real.parent, path, private_file=private_file)
    with _folder(real.parent, path) as folder:
        found = atomic.read_if_there(folder, real.name, _MAX_BYTES)
        if (found.data if found else None) != before:
            raise _changed(path)
        keep = atomic.beside(folder, real.name)
        if found is None:
            if after is not None:
                atomic.create(folder, real.name, after, 0o600 if private_file else 0o666)
        elif after is None:
            atomic.remove(folder, real.name, found, keep)
        else:
            atomic.replace(folder, real.name, after, found, keep)


def free_name(path: Path) -> Path:
    """Return a name for a copy beside a file that is not taken."""
    for number in range(1, _BACKUPS):
        copy = path.with_name(f"{path.name}.hippod.bak" + (f".{number}" if number > 1 else ""))
        if not os.path.lexists(copy):
            return copy
    raise StorageError(f"{path}: too many copies beside it", "remove those ending in .hippod.bak")


def back_up(path: Path, data: bytes, copy: Path) -> None:
    """Write what a file held to a new file beside it, with its mode. Raises `Conflict`."""
    mode = stat.S_IMODE(_real(path).stat().st_mode) & 0o700
    with _folder(copy.parent, copy) as folder:
        atomic.create(folder, copy.name, data, mode | 0o600)


def missing_folders(path: Path) -> tuple[str, ...]:
    """Return the folders that have to be made for a file, the innermost one last."""
    above = [folder for folder in _real(path).parents if not folder.exists()]
    return tuple(str(folder) for folder in reversed(above))


def remove_empty(folder: Path) -> None:
    """Remove a folder if nothing is in it."""
    with contextlib.suppress(OSError):
        folder.rmdir()


def has_other_names(path: Path) -> bool:
    """Say whether a file is a hard link: replacing it leaves the others as they are."""
    try:
        return _real(path).stat().st_nlink > 1
    except OSError:
        return False


def _real(path: Path) -> Path:
    """Return where a path leads; a link may lead to a file that is not there yet."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # a ring of links
        raise StorageError(f"{path}: links that lead nowhere", "mend them by hand") from None


def _make_folder(folder: Path, path: Path, *, private_file: bool) -> None:
    with _told(path):
        if private_file:
            private.make_folder(folder)
        else:
            folder.mkdir(parents=True, exist_ok=True)


def _changed(path: Path) -> Conflict:
    return Conflict(f"{path}: changed meanwhile, so nothing was written to it", "try again")


@contextlib.contextmanager
def _folder(folder: Path, path: Path) -> Iterator[int]:
    with _told(path):
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            yield fd
        finally:
            os.close(fd)


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn what the file system says into errors that name the file."""
    try:
        yield
    except (atomic.ChangedError, FileExistsError):
        raise _changed(path) from None
    except atomic.NotRegularError:
        raise StorageError(f"{path}: not a regular file") from None
    except atomic.TooBigError:
        raise StorageError(f"{path}: over {_MAX_BYTES} bytes, so hardly settings") from None
    except OSError as error:
        hint = "check owner, mode and free space"
        raise StorageError(f"{path}: {error.strerror}", hint) from None
