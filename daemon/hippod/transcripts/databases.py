"""Transcripts in SQLite databases: which agent wrote one, and how to read it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from hippod.errors import StorageError
from hippod.transcripts import database_file
from hippod.transcripts.database_file import Database
from hippod.transcripts.hermes import HermesStore
from hippod.transcripts.openclaw_db import OpenClawStore
from hippod.transcripts.opencode_db import OpenCodeStore
from hippod.transcripts.request import Request
from hippod.transcripts.stores import Needs, Store, read_store
from hippod.transcripts.turns import Reading

_HEAD = b"SQLite format 3\0"
_Make = Callable[[Database], Store]
_STORES: tuple[tuple[str, Needs, _Make], ...] = (
    ("openclaw", OpenClawStore.needs, OpenClawStore),
    ("hermes", HermesStore.needs, HermesStore),
    ("opencode", OpenCodeStore.needs_v2, OpenCodeStore),
    ("opencode", OpenCodeStore.needs, OpenCodeStore),
)
_NAMED_TABLES = 4


def is_database(head: bytes) -> bool:
    """Say whether a file that begins with `head` is an SQLite database."""
    return head.startswith(_HEAD)


def read_database(request: Request) -> Reading:
    """Return new turns of one session of a database.

    Opens it read-only, for one snapshot; a database that cannot be understood gives an alarm.
    Raises `NotFound`.
    """
    return read_store(request, partial(_opened, request.format), database_file.state)


@contextmanager
def _opened(form: str, path: Path) -> Iterator[Store]:
    with database_file.opened(path) as database:
        yield _recognised(path, form, database)


def _recognised(path: Path, form: str, database: Database) -> Store:
    """Return the store that a database is by its tables; raises `StorageError`."""
    for name, needs, make in _STORES:
        if form not in ("auto", name) or not needs.keys() <= database.tables.keys():
            continue
        for table, columns in needs.items():
            if lacking := sorted(set(columns) - database.tables[table]):
                raise StorageError(
                    f"{path}: read as {name}, but {table} has no column {lacking[0]}",
                    "a newer hippod may know this version of the agent",
                )
        return make(database)
    names = ", ".join(sorted(database.tables)[:_NAMED_TABLES])
    holds = f" (it holds {names})" if names else ""
    raise StorageError(
        f"{path}: not a transcript database that is known{holds}", "check the source's path"
    )
