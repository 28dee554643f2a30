"""Whether an index file is sound: in itself, in its tables, and beside its graph."""

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import apsw

from hippod import markdown
from hippod.documents import Scan
from hippod.index import schema
from hippod.index.schema import select, translated
from hippod.index.store import Known
from hippod.workspace import Loaded

_COUNTS = {
    "units without a document": (
        "SELECT count(*) FROM units WHERE document NOT IN (SELECT id FROM documents)"
    ),
    "units without a row for their vector": (
        "SELECT count(*) FROM units WHERE vector NOT IN (SELECT id FROM vectors)"
    ),
    "vectors that no unit uses": (
        "SELECT count(*) FROM vectors WHERE id NOT IN (SELECT vector FROM units)"
    ),
    "units without words": (
        "SELECT count(*) FROM units WHERE id NOT IN (SELECT id FROM words_docsize)"
    ),
    "words of units that are gone": (
        "SELECT count(*) FROM words_docsize WHERE id NOT IN (SELECT id FROM units)"
    ),
    "mentions in units that are gone": (
        "SELECT count(*) FROM mentions WHERE unit NOT IN (SELECT id FROM units)"
    ),
}
"""Rows that a sound index has none of."""


class _Documents(Protocol):
    """Where the documents come from."""

    def scan(self) -> Scan:
        """List every document."""
        ...

    def load(self, path: str) -> Loaded | None:
        """Read a document; None if it is gone or none."""
        ...


@dataclass(frozen=True, slots=True)
class Examined:
    """What was found: `faults` are sentences, none if all is sound; the rest are counts."""

    faults: tuple[str, ...]
    documents: int = 0
    units: int = 0
    vectors: int = 0
    journal_mode: str = ""


def examine(connection: apsw.Connection) -> Examined:
    """Look through the file and its tables; it may be read-only."""
    if not schema.is_sound(connection):
        return Examined(("SQLite finds it damaged",))
    try:
        counted = [(what, _one(connection, sql)) for what, sql in _COUNTS.items()]
        return Examined(
            tuple(f"{number:,} {what}" for what, number in counted if number),
            _one(connection, "SELECT count(*) FROM documents"),
            _one(connection, "SELECT count(*) FROM units"),
            _one(connection, "SELECT count(*) FROM vectors WHERE vector IS NOT NULL"),
            str(connection.pragma("journal_mode")),
        )
    except apsw.SQLError:
        return Examined(("its tables are not as they were left",))


def examine_file(path: Path) -> Examined | None:
    """Look through an index that no process has open, its words too; None: there is none.

    Whoever calls holds the workspace's lock. Raises `StorageError` or `IndexUnavailable`.
    """
    if not path.exists():
        return None
    try:
        with translated():
            connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
            try:
                found = examine(connection)
                return found if found.faults else _with_words(connection, found)
            finally:
                connection.close()
    except schema.Damaged as error:
        return Examined((error.message,))


def stale(
    documents: _Documents, known: Mapping[str, Known], sample: int, only: Collection[str] = ()
) -> list[str]:
    """Name documents that came, went or changed without the index: all names, some contents.

    The contents are those of `only`, else of `sample` documents at random. Raises `StorageError`.
    """
    scan = documents.scan()
    gone = {path for path in known if scan.absent(path)}
    new = {path for path in scan.files.keys() - known.keys() if documents.load(path) is not None}
    both = sorted(scan.files.keys() & known.keys())
    looked_at = [path for path in both if path in only] if only else _some(both, sample)
    changed = {path for path in looked_at if _is_other(documents.load(path), known[path])}
    return sorted(gone | new | changed)


def _some(paths: list[str], sample: int) -> list[str]:
    return random.sample(paths, min(sample, len(paths)))


def _is_other(loaded: Loaded | None, known: Known) -> bool:
    """Say whether a document has other bytes than were indexed, and none that are held back."""
    if loaded is None or loaded.sha256 == known.sha256:
        return False
    return not markdown.is_conflicted(loaded.text)


def _with_words(connection: apsw.Connection, found: Examined) -> Examined:
    connection.execute("INSERT INTO words(words) VALUES('integrity-check')")
    return found


def _one(connection: apsw.Connection, sql: str) -> int:
    ((number,),) = select(connection, sql)
    return int(number)
