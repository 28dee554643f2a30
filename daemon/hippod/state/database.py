"""The file behind `state.sqlite`: opening, migrating, transactions.

One connection behind one lock. The live file is never opened by other means: closing such a
descriptor would drop SQLite's locks on it.
"""

import contextlib
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import structlog

from hippod.errors import StorageError
from hippod.state import snapshot
from hippod.state.migrations import MIGRATIONS

logger = structlog.get_logger()

Clock = Callable[[], datetime]
Row = tuple[Any, ...]

_BUSY_MS = 5000
_OPEN_TRIES = 20
_BACKUPS_KEPT = 2
_ROOM = 3
"""How many times its size a file that is migrated may need: the copy, the log, what it gains."""


class Database:
    """A database of rows, opened and migrated. Thread-safe.

    `journal_mode` is what SQLite really uses; `recovered_from` names the damaged file that was
    moved aside when this one was opened, else it is None. Raises `StorageError` where the file
    cannot be used, and if it was written by a newer hippod.
    """

    def __init__(self, path: Path, *, clock: Clock = lambda: datetime.now(UTC)) -> None:
        self.path = path
        self.recovered_from: Path | None = None
        self.journal_mode = ""
        self.clock = clock
        self._lock = threading.RLock()
        with storage(path):
            self._connection = self._open()
            self._migrate()

    def close(self) -> None:
        """Close the file; the state cannot be used any more."""
        with self._lock, storage(self.path):
            self._connection.close()

    def _open(self) -> apsw.Connection:
        try:
            return self._connect()
        except (apsw.NotADBError, apsw.CorruptError):
            self.recovered_from = aside = _move_aside(self.path, self.clock())
            logger.warning("state.moved_aside", kept_as=str(aside))
            return self._connect()

    def _connect(self) -> apsw.Connection:
        connection = apsw.Connection(str(self.path))
        try:
            # First of all: every other pragma may already meet a lock.
            connection.set_busy_timeout(_BUSY_MS)
            self._refuse_newer(connection)
            _check(connection)
            self.journal_mode = _use_wal(connection)
            for pragma in ("synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
                connection.execute(f"PRAGMA {pragma}")
        except (apsw.Error, StorageError):
            connection.close()
            raise
        return connection

    def _refuse_newer(self, connection: apsw.Connection) -> None:
        """Leave a file of a newer hippod as it is, to the byte."""
        version = snapshot.schema_of(connection)
        if version > len(MIGRATIONS):
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            raise StorageError(
                f"{self.path}: written by a newer hippod (schema {version}, this one knows"
                f" {len(MIGRATIONS)})",
                "run that version, or move the file away to start with empty state",
            )

    def _migrate(self) -> None:
        version = self._version()
        if 0 < version < len(MIGRATIONS):
            self._back_up(version)
        with self.transaction():
            # Again inside the transaction: another process may have been faster.
            for number in range(self._version(), len(MIGRATIONS)):
                for statement in MIGRATIONS[number]:
                    self.execute(statement)
                self.execute(f"PRAGMA user_version={number + 1}")
        if 0 < version < len(MIGRATIONS):
            _drop_older_backups(self.path)
            logger.info(
                "state.migrated",
                schema=len(MIGRATIONS),
                before=version,
                kept_as=str(_backup_of(self.path, version)),
            )

    def _version(self) -> int:
        return int(self.only("PRAGMA user_version")[0])

    def _back_up(self, version: int) -> None:
        """Keep the file as it is beside it, whole or not at all."""
        _check_room(self.path, self._connection)
        made = Path(f"{self.path}.v{version}.bak.tmp")
        made.unlink(missing_ok=True)
        snapshot.copy(self._connection, self._lock, made)
        made.replace(_backup_of(self.path, version))

    def copy_to(self, target: Path) -> int:
        """Write a consistent copy to a new file while others go on; return its schema.

        Raises `StorageError`; nothing is left then.
        """
        with storage(target):
            snapshot.copy(self._connection, self._lock, target)
            with self._lock:
                return snapshot.schema_of(self._connection)

    def faults(self) -> list[str]:
        """Look through the whole file and say what is wrong with it; with WAL no save waits."""
        with storage(self.path):
            if self.journal_mode.lower() == "wal":
                return _faults_beside(self.path)
            with self._lock:
                found = _faults(self._connection)
        return [*found, f"it is kept in mode {self.journal_mode}: the filesystem refuses WAL"]

    # -- SQL ---------------------------------------------------------------------------------

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Make what is executed inside one transaction."""
        with self._lock, storage(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                commit(self._connection)
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Let no other thread change anything between queries that belong together."""
        with self._lock:
            yield

    def execute(self, sql: str, *values: object) -> None:
        """Run a statement; inside of `transaction` only."""
        self._connection.execute(sql, values)

    def execute_many(self, sql: str, rows: Iterable[tuple[object, ...]]) -> None:
        """Run a statement for each row of values; inside of `transaction` only."""
        self._connection.executemany(sql, rows)

    def rows(self, sql: str, *values: object) -> list[Row]:
        """Return the rows of a query."""
        with self._lock, storage(self.path):
            return self._connection.execute(sql, values).fetchall()

    def row(self, sql: str, *values: object) -> Row | None:
        """Return the first row of a query, None if there is none."""
        return next(iter(self.rows(sql, *values)), None)

    def only(self, sql: str, *values: object) -> Row:
        """Return the one row of a query that has one."""
        return self.rows(sql, *values)[0]


def commit(connection: apsw.Connection) -> None:
    """Commit: the one place where a change of state becomes durable."""
    connection.execute("COMMIT")


# -- opening ---------------------------------------------------------------------------------


def _check(connection: apsw.Connection) -> None:
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchall()[0]
    if verdict != "ok":
        raise apsw.CorruptError(str(verdict))


def faults_of_file(path: Path) -> list[str]:
    """Look through a state that no process has open, changing nothing; none if it is absent.

    Whoever calls holds the workspace's lock. Raises `StorageError`.
    """
    if not path.exists():
        return []
    with storage(path):
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            return _faults(connection)
        except (apsw.NotADBError, apsw.CorruptError):
            return ["it is damaged: the daemon will move it aside and begin a new one"]
        finally:
            connection.close()


def is_outdated(path: Path) -> bool:
    """Say whether a state that no process has open is to be migrated; raises `StorageError`."""
    with storage(path):
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            return 0 < snapshot.schema_of(connection) < len(MIGRATIONS)
        finally:
            connection.close()


def _faults_beside(path: Path) -> list[str]:
    """Look through one snapshot, over a connection of its own, while others write."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        connection.set_busy_timeout(_BUSY_MS)
        connection.execute("BEGIN")
        return _faults(connection)
    finally:
        connection.close()


def _faults(connection: apsw.Connection) -> list[str]:
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchall()[0]
    found = [] if verdict == "ok" else ["SQLite finds it damaged"]
    if connection.execute("PRAGMA foreign_key_check").fetchall():
        found.append("rows refer to others that are gone")
    version = int(connection.execute("PRAGMA user_version").fetchall()[0][0] or 0)
    if version > len(MIGRATIONS):
        found.append(f"a newer hippod wrote it (schema {version}, known are {len(MIGRATIONS)})")
    return found


def _use_wal(connection: apsw.Connection) -> str:
    """Switch to WAL and return the mode in force; some filesystems refuse without an error."""
    for _ in range(_OPEN_TRIES):
        try:
            return str(connection.execute("PRAGMA journal_mode=WAL").fetchall()[0][0])
        except apsw.BusyError:
            # Processes that open a new file at once can fail here despite the timeout.
            time.sleep(0.05)
    return str(connection.execute("PRAGMA journal_mode=WAL").fetchall()[0][0])


def _check_room(path: Path, connection: apsw.Connection) -> None:
    size = int(connection.pragma("page_count")) * int(connection.pragma("page_size"))
    free = shutil.disk_usage(path.parent).free
    if free < _ROOM * size:
        raise StorageError(
            f"{path}: must be brought up to date, which takes up to {_ROOM * size} bytes;"
            f" {free} are free",
            "free some space, then start again; nothing was changed",
        )


def _backup_of(path: Path, version: int) -> Path:
    return Path(f"{path}.v{version}.bak")


def _drop_older_backups(path: Path) -> None:
    """Keep the newest copies that were made before a migration."""
    name = re.compile(rf"{re.escape(path.name)}\.v([0-9]{{1,6}})\.bak")
    found = [
        (int(m[1]), each) for each in path.parent.iterdir() if (m := name.fullmatch(each.name))
    ]
    for _, each in sorted(found)[:-_BACKUPS_KEPT]:
        each.unlink(missing_ok=True)


def _move_aside(path: Path, now: datetime) -> Path:
    aside = path.with_name(f"{path.name}.corrupt-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}")
    path.rename(aside)
    for suffix in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            Path(f"{path}{suffix}").rename(f"{aside}{suffix}")
    return aside


@contextlib.contextmanager
def storage(path: Path) -> Iterator[None]:
    """Turn what SQLite and the disk complain of into `StorageError`."""
    try:
        yield
    except (apsw.FullError, apsw.IOError) as error:
        raise StorageError(f"{path}: {error}", "free some space and check the disk") from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError) as error:
        raise StorageError(f"{path}: {error}", "check owner and mode of the folder") from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StorageError(f"{path}: another program locks it", "close that program") from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise StorageError(f"{path}: {error}", "restart hippod: it starts anew") from error
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}", "check owner, mode and space") from error


def iso(moment: datetime) -> str:
    """Return UTC with a fixed width, so that text compares as time does."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def moment(text: str) -> datetime:
    """Return what `iso` wrote."""
    return datetime.fromisoformat(text)
