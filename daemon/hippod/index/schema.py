"""The index file: its tables, its fingerprint, and opening it so that damage never stays.

The file is derived from Markdown, so there are no migrations: what does not fit is deleted and
built again. It is never opened by other means than SQLite: a plain `open` and `close` in this
process would drop SQLite's locks on it.
"""

import contextlib
import json
import os
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import apsw
import structlog

from hippod import __version__, tokens
from hippod.errors import IndexUnavailable, StorageError

logger = structlog.get_logger()

SCHEMA_VERSION = 7
_CLOSED = "closed"
REBUILT = "it is built again at the next change or reconcile"
_BUSY_MS = 10_000
_OPEN_TRIES = 20
_CACHE_KIB = 16_384
"""Pages that the writer keeps: a first index puts hashes all over a tree of some MB."""
_CHECKPOINT_PAGES = 4_000
"""16 MB of log: pages that change again and again are copied into the file less often."""

_TABLES = f"""
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT;

CREATE TABLE documents(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL UNIQUE,
    document_id TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL
) STRICT;

-- Ids are never used again, so a reader with an older snapshot cannot take one for another.
CREATE TABLE units(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL,
    unit_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    line_start INTEGER NOT NULL,
    line_end INTEGER NOT NULL,
    header TEXT NOT NULL,
    content TEXT NOT NULL,
    same INTEGER NOT NULL,
    entities TEXT NOT NULL,
    confidence REAL,
    timestamp TEXT,
    valid_from TEXT,
    valid_until TEXT,
    fact_id TEXT,
    private INTEGER NOT NULL,
    role TEXT NOT NULL,
    restates TEXT,
    evidence TEXT,
    vector INTEGER NOT NULL
) STRICT;
CREATE INDEX units_document ON units(document);
CREATE INDEX units_fact ON units(fact_id) WHERE fact_id IS NOT NULL;
CREATE INDEX units_vector ON units(vector);

CREATE TABLE mentions(
    key TEXT NOT NULL,
    unit INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY(key, unit)
) WITHOUT ROWID, STRICT;
CREATE INDEX mentions_unit ON mentions(unit);

-- What entity pages say: `key` names `entity` too, or (`other`) names somebody else.
CREATE TABLE names(
    key TEXT NOT NULL,
    entity TEXT NOT NULL,
    document INTEGER NOT NULL,
    other INTEGER NOT NULL,
    private INTEGER NOT NULL,
    PRIMARY KEY(key, entity, document, other)
) WITHOUT ROWID, STRICT;
CREATE INDEX names_entity ON names(entity);
CREATE INDEX names_document ON names(document);

-- Marks: the fact `old` is superseded by the fact `new`, known on `day`.
CREATE TABLE supersessions(
    old TEXT NOT NULL,
    new TEXT NOT NULL,
    document INTEGER NOT NULL,
    day TEXT,
    private INTEGER NOT NULL,
    PRIMARY KEY(old, new, document)
) WITHOUT ROWID, STRICT;
CREATE INDEX supersessions_document ON supersessions(document);

-- One row a distinct text. NULL vector: waits for the embedder, or is parked with a problem.
CREATE TABLE vectors(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    text_hash BLOB NOT NULL UNIQUE,
    vector BLOB,
    attempts INTEGER NOT NULL DEFAULT 0,
    problem TEXT
) STRICT;
CREATE INDEX vectors_pending ON vectors(id) WHERE vector IS NULL AND problem IS NULL;
CREATE INDEX vectors_parked ON vectors(problem) WHERE problem IS NOT NULL;

-- After a change of the embedder: its vectors, while those of the old one still serve.
CREATE TABLE next_vectors(
    id INTEGER PRIMARY KEY,
    vector BLOB,
    attempts INTEGER NOT NULL DEFAULT 0,
    problem TEXT
) STRICT;
CREATE INDEX next_pending ON next_vectors(id) WHERE vector IS NULL AND problem IS NULL;

CREATE VIRTUAL TABLE words USING fts5(
    text, content='', contentless_delete=1, tokenize="{tokens.FTS5_TOKENIZE}"
);
"""

_TOKENIZER, *_TOKENIZER_OPTIONS = shlex.split(tokens.FTS5_TOKENIZE)
_PLACES = "CREATE VIRTUAL TABLE temp.places USING fts5vocab(main, words, instance)"


class Damaged(IndexUnavailable):
    """The file is not a sound database; the next reconcile builds it again."""


def fingerprint(chunking: Mapping[str, Any], zone: str) -> str:
    """Return what the stored units depend on; another value means building again."""
    parts = {
        "hippod": __version__,
        "schema": SCHEMA_VERSION,
        "tokens": tokens.VERSION,
        "chunking": dict(chunking),
        "zone": zone,
    }
    return json.dumps(parts, sort_keys=True)


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """Turn SQLite's errors into ours: short, without SQL, with what to do."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise Damaged("the index is damaged", REBUILT) from error
    except apsw.FullError as error:
        raise StorageError("the disk is full: the index was not changed", "free space") from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError) as error:
        raise StorageError(
            "the index cannot be written", "check the owner and mode of .memory/"
        ) from error
    except apsw.IOError as error:
        raise StorageError("the disk reports an error at the index", "check the disk") from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise IndexUnavailable(
            "the index is locked", "another program holds .memory/index.sqlite"
        ) from error
    except apsw.Error as error:
        raise IndexUnavailable("the index cannot answer", "see the daemon's log") from error


def open_writer(path: Path, wanted: str) -> apsw.Connection:
    """Open the index for its one writer, new and empty if it is absent, damaged or outdated.

    `wanted` is the fingerprint. What was not closed properly is checked whole, else the caller is
    to `check` it when there is time: `was_closed` tells. Raises `StorageError` or
    `IndexUnavailable` if it can neither be opened nor made.
    """
    with translated():
        try:
            return _open(path, wanted)
        except (apsw.CorruptError, apsw.NotADBError, _Unfit) as error:
            logger.info("index.discarded", reason=str(error))
        discard(path)
        return _open(path, wanted)


def connect(path: Path, *, read_only: bool = False) -> apsw.Connection:
    """Open a connection: the busy timeout first, then the journal mode, read back."""
    flags = apsw.SQLITE_OPEN_READWRITE | (0 if read_only else apsw.SQLITE_OPEN_CREATE)
    connection = apsw.Connection(str(path), flags=flags)
    connection.set_busy_timeout(_BUSY_MS)
    connection.pragma("mmap_size", 0)
    if read_only:
        connection.execute(_PLACES)
        connection.pragma("query_only", True)
        connection.register_fts5_function("occurrences", _occurrences)
    else:
        _use_wal(connection)
        connection.pragma("synchronous", "NORMAL")
        connection.pragma("cache_size", -_CACHE_KIB)
        connection.pragma("wal_autocheckpoint", _CHECKPOINT_PAGES)
        connection.pragma("secure_delete", True)
    return connection


def _occurrences(row: apsw.FTS5ExtensionApi, *_: object) -> int:
    """The SQL function `occurrences(words)`: how often the one term that is asked for stands."""
    return row.inst_count


def tokens_of(connection: apsw.Connection, term: str) -> list[str]:
    """Return the stemmed tokens any of which is a term; none for phrases and prefixes."""
    if tokens.match_expression([term]).endswith("*"):
        return []
    tokenize = connection.fts5_tokenizer(_TOKENIZER, _TOKENIZER_OPTIONS)
    found = [
        list(tokenize(each.encode(), apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False))
        for each in term.split("|")
    ]
    single = {str(each[0][0]) for each in found if len(each) == 1}
    return sorted(single) if all(len(each) == 1 for each in found) else []


def discard(path: Path) -> None:
    """Delete the index file and what belongs to it."""
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm", f"{path.name}-journal"):
        path.with_name(name).unlink(missing_ok=True)


class _Unfit(Exception):
    """A sound file that holds something else than we want."""


def _open(path: Path, wanted: str) -> apsw.Connection:
    connection = connect(path)
    try:
        with immediate(connection):
            if not list(select(connection, "SELECT 1 FROM sqlite_schema LIMIT 1")):
                _make_tables(connection, wanted)
        if not was_closed(connection) and not is_sound(connection):
            raise _Unfit("damaged")
        if _fingerprint_of(connection) != wanted:
            raise _Unfit("fingerprint changed")
    except BaseException:
        connection.close()
        raise
    return connection


def is_sound(connection: apsw.Connection) -> bool:
    """Read the whole file and say whether it is as SQLite left it; half a second for 100 MB."""
    return list(select(connection, "PRAGMA quick_check(1)")) == [("ok",)]


def was_closed(connection: apsw.Connection) -> bool:
    """Say whether the last one who opened the index closed it, too."""
    try:
        return read_meta(connection, _CLOSED) == "yes"
    except apsw.SQLError:
        return False


def mark_closed(connection: apsw.Connection, *, closed: bool) -> None:
    """Note that the index is in use, or that all of it is written."""
    write_meta(connection, _CLOSED, "yes" if closed else "no")


def _fingerprint_of(connection: apsw.Connection) -> str | None:
    try:
        return read_meta(connection, "fingerprint")
    except apsw.SQLError:
        raise _Unfit("not an index") from None


LISTED = "(SELECT value FROM json_each(?))"
"""A list as one parameter, in JSON."""


def select(
    connection: apsw.Connection, sql: str, values: Sequence[Any] = ()
) -> Iterator[tuple[Any, ...]]:
    """Run a statement and yield its rows as they are found."""
    return connection.execute(sql, tuple(values))


def read_meta(connection: apsw.Connection, key: str) -> str | None:
    """Return a value of the meta table."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else str(row[0])


def write_meta(connection: apsw.Connection, key: str, value: str) -> None:
    """Set a value of the meta table."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (key, value))


def _use_wal(connection: apsw.Connection) -> None:
    # Changing the mode ignores the busy timeout when another connection does the same.
    for attempt in range(_OPEN_TRIES):
        try:
            connection.pragma("journal_mode", "WAL")
            return
        except apsw.BusyError:
            if attempt == _OPEN_TRIES - 1:
                raise
            time.sleep(0.05)


def _make_tables(connection: apsw.Connection, wanted: str) -> None:
    connection.execute(_TABLES)
    write_meta(connection, "fingerprint", wanted)
    write_meta(connection, "epoch", os.urandom(8).hex())


@contextlib.contextmanager
def immediate(connection: apsw.Connection) -> Iterator[None]:
    """Run a write transaction that takes its lock at once, so that the busy timeout applies."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk may have ended the transaction already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
