"""Another program's SQLite database: opened to read, without ever holding up its writer."""

import contextlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import apsw

from hippod.errors import StorageError

Value = str | int | float | bytes | None
LARGEST_CELL = 4_000_000
"""Bytes; a longer cell is not fetched."""
LONGEST_VALUE = 100_000_000
"""Bytes of a value or row that SQLite may make: a column may be computed, by a hostile schema."""
LOOK_SECONDS = 60.0
"""How long one look may take; a hostile schema can make a query that never ends."""
_STEPS = 100_000
"""Of SQLite's machine between two glances at the clock, some milliseconds."""
_BUSY_MS = 2000
_SETTINGS = ("query_only=1", "trusted_schema=0", "cell_size_check=1", "mmap_size=0")
_ATTEMPTS, _PAUSE_SECONDS = 4, 0.05


class Database:
    """One snapshot of an open database; every query sees the same state."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, *values: Value) -> Iterator[tuple[Value, ...]]:
        """Run a query and yield its rows as they are read."""
        return self._connection.execute(sql, values)

    def row(self, sql: str, *values: Value) -> tuple[Value, ...] | None:
        """Return the first row of a query, None if there is none."""
        return next(iter(self.rows(sql, *values)), None)

    @cached_property
    def tables(self) -> dict[str, frozenset[str]]:
        """The columns of each table."""
        names = self.rows("SELECT name FROM sqlite_master WHERE type='table' ORDER BY name")
        return {str(name): self._columns(str(name)) for (name,) in list(names)}

    def _columns(self, table: str) -> frozenset[str]:
        rows = self.rows("SELECT name FROM pragma_table_info(?)", table)
        return frozenset(str(name) for (name,) in rows)

    def has(self, table: str, *columns: str) -> bool:
        """Say whether there is a table with these columns."""
        return table in self.tables and set(columns) <= self.tables[table]

    def about(self, table: str, key: str, value: Value, columns: Sequence[str]) -> dict[str, Value]:
        """Return those of the columns that exist for the row with this key; empty if none is."""
        columns = [column for column in columns if self.has(table, key, column)]
        if not columns:
            return {}
        row = self.row(f"SELECT {', '.join(columns)} FROM {table} WHERE {key}=?", value)
        return dict(zip(columns, row, strict=True)) if row else {}


def each(table: str, column: str) -> str:
    """Return the beginning of a query that may select from `each(value)`.

    Its rows are the different texts of an indexed column, found by one step of the index each.
    """
    return (
        f"WITH RECURSIVE steps(value) AS (SELECT min({column}) FROM {table} UNION ALL"
        f" SELECT (SELECT min({column}) FROM {table} WHERE {column} > steps.value)"
        " FROM steps WHERE value NOT NULL),"
        " each(value) AS (SELECT value FROM steps WHERE typeof(value)='text') "
    )


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """Open a database for one short look at a snapshot of it.

    Raises `StorageError` if it is locked, damaged or not to be opened, then or while it is read.
    """
    with _translated(path):
        connection = _connect(path)
        try:
            yield Database(connection)
        finally:
            connection.close(True)


def state(path: Path) -> str:
    """Return what tells that a database was written to; it can be had without opening it.

    Opening it by anything but SQLite would drop the locks that this process holds on it.
    """
    stamps = []
    real = path.resolve()  # a WAL lies beside the file itself, not beside a link to it
    for file in (real, real.with_name(f"{real.name}-wal")):
        with contextlib.suppress(OSError):
            info = file.stat()
            if info.st_size:  # reading may leave an empty WAL behind
                stamps.append(f"{info.st_size}:{info.st_mtime_ns}")
    return " ".join(stamps) or "empty"


def _connect(path: Path, attempts: int = _ATTEMPTS) -> apsw.Connection:
    """Open and begin a snapshot; in the instant in which a WAL is reset, that fails."""
    connection = apsw.Connection(
        f"{path.absolute().as_uri()}?mode=ro",
        flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
    )
    try:
        _begin(connection)
    except apsw.Error as error:
        connection.close(True)
        if not isinstance(error, apsw.IOError) or attempts == 1:
            raise
        time.sleep(_PAUSE_SECONDS)
        return _connect(path, attempts - 1)
    return connection


def _begin(connection: apsw.Connection) -> None:
    connection.set_busy_timeout(_BUSY_MS)
    connection.limit(apsw.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    deadline = time.monotonic() + LOOK_SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
    for setting in _SETTINGS:
        connection.execute(f"PRAGMA {setting}")
    connection.execute("BEGIN")
    connection.execute("SELECT count(*) FROM sqlite_master").fetchall()


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except (apsw.BusyError, apsw.LockedError):
        raise StorageError(
            f"{path}: the database is locked", "it is read when its agent lets go of it"
        ) from None
    except (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError) as error:
        raise StorageError(
            f"{path}: the database is damaged ({error})", "check it with `PRAGMA integrity_check`"
        ) from None
    except (apsw.InterruptError, apsw.TooBigError):
        raise StorageError(
            f"{path}: the database takes too long or too much memory to read",
            "look at who made it: a schema can be made to do harm",
        ) from None
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        raise StorageError(
            f"{path}: the database cannot be opened",
            "SQLite needs its -shm: the folder must be writable for us, or the agent be running",
        ) from None
    except apsw.Error as error:
        raise StorageError(f"{path}: the database cannot be read ({error})") from None
