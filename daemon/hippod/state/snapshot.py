"""Copies of a `state.sqlite`: a consistent one while it is used, and one that goes elsewhere."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import apsw

from hippod.errors import StorageError
from hippod.state.migrations import MIGRATIONS

_PAGES = 2_000
"""Pages that are copied at once: between two steps others may write."""


Lock = contextlib.AbstractContextManager[object]
"""What keeps other threads away from a connection."""


def copy(source: apsw.Connection, lock: Lock, target: Path) -> None:
    """Copy the database of `source` to a new file, mode 0600, and bring it to the disk.

    What is written meanwhile by the same connection is in the copy or not, as a whole. Raises
    apsw's errors and OSError; then no file is left.
    """
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
    try:
        with contextlib.closing(apsw.Connection(str(target))) as made:
            made.execute("PRAGMA synchronous=OFF")
            _copy(source, lock, made)
        _sync(target)
    except BaseException:
        for ending in ("", "-journal", "-wal", "-shm"):
            Path(f"{target}{ending}").unlink(missing_ok=True)
        raise


def _copy(source: apsw.Connection, lock: Lock, made: apsw.Connection) -> None:
    with lock:
        backup = made.backup("main", source, "main")
    try:
        while not backup.done:
            with lock:
                backup.step(_PAGES)
    finally:
        with lock:
            backup.finish()


def _sync(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def copy_unused(path: Path, target: Path) -> int:
    """Copy a state that no daemon uses; return its schema. The caller holds the lock."""
    with _told(path), contextlib.closing(apsw.Connection(str(path))) as source:
        source.set_busy_timeout(5000)
        _check(path, source)
        copy(source, contextlib.nullcontext(), target)
        return schema_of(source)


def settle(path: Path, old: str, new: str) -> None:
    """Make a copy ready for a workspace at `new` that lay at `old`: transcripts in it moved too.

    Raises `StorageError` if it is damaged, or of a newer hippod.
    """
    with _told(path), contextlib.closing(apsw.Connection(str(path))) as connection:
        _check(path, connection)
        connection.execute("PRAGMA journal_mode=DELETE")
        if old != new:
            with connection:
                for table in ("cursor", "batch"):
                    connection.execute(
                        f"UPDATE OR REPLACE {table} SET path=?2||substr(path, length(?1)+1)"
                        " WHERE substr(path, 1, length(?1)+1)=?1||'/'",
                        (old, new),
                    )


def schema_of(connection: apsw.Connection) -> int:
    """Return how many migrations a database has."""
    return int(str(connection.pragma("user_version")))


def _check(path: Path, connection: apsw.Connection) -> None:
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchall()[0]
    if verdict != "ok":
        raise StorageError(f"{path}: is damaged: {verdict}", "start the daemon once: it mends it")
    if schema_of(connection) > len(MIGRATIONS):
        raise StorageError(
            f"{path}: written by a newer hippod (schema {schema_of(connection)}, this one knows"
            f" {len(MIGRATIONS)})",
            "use that version",
        )


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        raise StorageError(f"{path}: {error}", "check the disk, its space and the file") from error
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}", "check owner, mode and space") from error
