"""The index file in use: one writer, a pool of readers, and every write to the tables.

Readers see one commit from begin to end. Only `schema`, this module and `view` know SQL.
"""

import contextlib
import hashlib
import json
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import apsw
import numpy as np

from hippod import chunks, facts, tokens
from hippod.chunks import Unit
from hippod.errors import IndexUnavailable
from hippod.index import schema
from hippod.index.embedding import Rejected
from hippod.index.schema import Damaged, select, translated
from hippod.index.vectors import Ids, Matrix
from hippod.query import entity_key
from hippod.workspace import Loaded

_IDLE_READERS = 4
_MOST_ATTEMPTS = 3
"""Times that a text alone may fail in the embedder before it is parked."""


@dataclass(frozen=True, slots=True)
class Known:
    """A document as it was when it was indexed."""

    sha256: str
    size: int
    mtime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class Pending:
    """A text without a vector yet."""

    vector: int
    text: str


@dataclass(frozen=True, slots=True)
class Counts:
    """What the index holds, for `status`."""

    documents: int
    units: int
    vectors: int
    pending: int
    rejected: int


class Store:
    """One index file, open. Any thread may read; callers let one thread at a time write."""

    def __init__(self, path: Path, fingerprint: str) -> None:
        self.path = path
        self._writer = schema.open_writer(path, fingerprint)
        self._inode = path.stat().st_ino
        self._idle: list[apsw.Connection] = []
        self._busy = 0
        self._closed = False
        self._state = threading.Condition()
        with translated():
            self.epoch = schema.read_meta(self._writer, "epoch") or ""
            self.journal_mode = str(self._writer.pragma("journal_mode"))

    def close(self) -> None:
        """Wait for the readers and close; whatever is asked afterwards is refused."""
        with self._state:
            self._closed = True
            self._state.wait_for(lambda: self._busy == 0)
            for connection in self._idle:
                connection.close()
            self._idle.clear()
        with translated():
            self._writer.close()

    def is_current(self) -> bool:
        """Say whether the file at our path is still the one that is open."""
        try:
            return self.path.stat().st_ino == self._inode
        except OSError:
            return False

    @contextlib.contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """Lend a connection inside a read transaction."""
        connection = self._take()
        try:
            with translated():
                connection.execute("BEGIN")
                yield connection
        finally:
            self._give_back(connection)

    @contextlib.contextmanager
    def writing(self) -> Iterator[apsw.Connection]:
        """Run one transaction of the writer: all of it or nothing."""
        with translated():
            try:
                with schema.immediate(self._writer):
                    yield self._writer
            except (apsw.ConstraintError, apsw.SQLError) as error:
                # Our statements fit our tables: the tables are not as we left them.
                raise Damaged("the index is not as it was left", schema.REBUILT) from error

    def _take(self) -> apsw.Connection:
        with self._state:
            if self._closed:
                raise IndexUnavailable("the index is closed")
            self._busy += 1
            if self._idle:
                return self._idle.pop()
        try:
            with translated():
                return schema.connect(self.path, read_only=True)
        except BaseException:
            self._release()
            raise

    def _give_back(self, connection: apsw.Connection) -> None:
        reusable = True
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except apsw.Error:
            reusable = False
        with self._state:
            if reusable and len(self._idle) < _IDLE_READERS:
                self._idle.append(connection)
            else:
                connection.close(True)
        self._release()

    def _release(self) -> None:
        with self._state:
            self._busy -= 1
            self._state.notify_all()


# -- meta ------------------------------------------------------------------------------------


def set_embedder(connection: apsw.Connection, identity: str) -> bool:
    """Note which embedder the vectors are of; say if there were others, now forgotten."""
    before = schema.read_meta(connection, "embedder")
    if before == identity:
        return False
    connection.execute("UPDATE vectors SET vector = NULL, attempts = 0, problem = NULL")
    schema.write_meta(connection, "embedder", identity)
    schema.write_meta(connection, "epoch", os.urandom(8).hex())
    return before is not None


# -- documents -------------------------------------------------------------------------------


def documents(connection: apsw.Connection) -> dict[str, Known]:
    """Return every indexed document by path."""
    rows = select(connection, "SELECT path, sha256, size, mtime_ns, inode FROM documents")
    return {row[0]: Known(*row[1:]) for row in rows}


def document(connection: apsw.Connection, path: str) -> Known | None:
    """Return one indexed document."""
    sql = "SELECT sha256, size, mtime_ns, inode FROM documents WHERE path = ?"
    for row in select(connection, sql, (path,)):
        return Known(*row)
    return None


def touch(connection: apsw.Connection, loaded: Loaded) -> None:
    """Note that a document with the same bytes has another stat."""
    stat = loaded.stat
    connection.execute(
        "UPDATE documents SET size = ?, mtime_ns = ?, inode = ? WHERE path = ?",
        (stat.size, stat.mtime_ns, stat.inode, loaded.path),
    )


def replace(connection: apsw.Connection, loaded: Loaded, units: Sequence[Unit]) -> list[int]:
    """Store a document's units in place of those it had; return vectors that nobody uses now."""
    stat = loaded.stat
    ((number,),) = select(
        connection,
        """INSERT INTO documents(path, document_id, sha256, size, mtime_ns, inode)
           VALUES(?, ?, ?, ?, ?, ?)
           ON CONFLICT(path) DO UPDATE SET sha256 = excluded.sha256, size = excluded.size,
               mtime_ns = excluded.mtime_ns, inode = excluded.inode
           RETURNING id""",
        (
            loaded.path, chunks.document_id(loaded.path), loaded.sha256,
            stat.size, stat.mtime_ns, stat.inode,
        ),
    )  # fmt: skip
    used = _delete_units(connection, number)
    _insert_units(connection, number, loaded.path, units)
    return _drop_unused(connection, used)


def remove(connection: apsw.Connection, path: str) -> list[int] | None:
    """Forget a document; return vectors that nobody uses now, None if it was not there."""
    rows = list(select(connection, "DELETE FROM documents WHERE path = ? RETURNING id", (path,)))
    if not rows:
        return None
    return _drop_unused(connection, _delete_units(connection, rows[0][0]))


def searched_text(header: str, content: str) -> str:
    """Return the text of a unit that both legs search."""
    return f"{header}\n{content}"


def _delete_units(connection: apsw.Connection, number: int) -> list[int]:
    mine = "(SELECT id FROM units WHERE document = ?)"
    connection.execute(f"DELETE FROM words WHERE rowid IN {mine}", (number,))
    connection.execute(f"DELETE FROM mentions WHERE unit IN {mine}", (number,))
    rows = select(connection, "DELETE FROM units WHERE document = ? RETURNING vector", (number,))
    return [row[0] for row in rows]


def _drop_unused(connection: apsw.Connection, vectors: Sequence[int]) -> list[int]:
    rows = select(
        connection,
        """DELETE FROM vectors WHERE id IN (SELECT value FROM json_each(?))
           AND NOT EXISTS (SELECT 1 FROM units WHERE units.vector = vectors.id)
           RETURNING id""",
        (json.dumps(vectors),),
    )
    return [row[0] for row in rows]


def _insert_units(
    connection: apsw.Connection, number: int, path: str, units: Sequence[Unit]
) -> None:
    texts = [searched_text(unit.header, unit.content) for unit in units]
    hashes = [_text_hash(text) for text in texts]
    connection.executemany(
        "INSERT INTO vectors(text_hash) VALUES(?) ON CONFLICT DO NOTHING",
        ((each,) for each in hashes),
    )
    ((first,),) = select(
        connection, "SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'units'"
    )
    ids = range(first, first + len(units))
    occurrences: dict[str, int] = {}
    connection.executemany(
        """INSERT INTO units VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
           (SELECT id FROM vectors WHERE text_hash = ?))""",
        (
            (
                id_, number, _unit_id(path, unit.content, occurrences), unit.index, unit.kind,
                unit.line_start, unit.line_end, unit.header, unit.content,
                _same(unit), json.dumps(unit.entities, ensure_ascii=False),
                unit.confidence, unit.timestamp, unit.valid_from, unit.valid_until,
                unit.fact_id, unit.private, text_hash,
            )
            for id_, unit, text_hash in zip(ids, units, hashes, strict=True)
        ),
    )  # fmt: skip
    connection.executemany(
        "INSERT INTO words(rowid, text) VALUES(?, ?)",
        ((id_, tokens.fts_text(text)) for id_, text in zip(ids, texts, strict=True)),
    )
    connection.executemany(
        "INSERT OR IGNORE INTO mentions(key, unit, name) VALUES(?, ?, ?)",
        (
            (entity_key(name), id_, name)
            for id_, unit in zip(ids, units, strict=True)
            for name in unit.entities
        ),
    )


def _unit_id(path: str, content: str, occurrences: dict[str, int]) -> str:
    occurrence = occurrences.get(content, 0)
    occurrences[content] = occurrence + 1
    return chunks.unit_id(path, content, occurrence)


def _same(unit: Unit) -> int:
    """Return a number that is equal for units that say the same, facts of the same entities."""
    about = sorted(unit.entities) if unit.kind != "document" else []
    said = facts.normalise("\n".join([unit.content, *about]))
    digest = hashlib.blake2b(said.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _text_hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


# -- vectors ---------------------------------------------------------------------------------


def pending(connection: apsw.Connection, after: int, limit: int) -> list[Pending]:
    """Return texts that wait for a vector, by vector id from `after` on."""
    rows = select(
        connection,
        """SELECT v.id, u.header, u.content
           FROM vectors v JOIN units u ON u.id = (
               SELECT min(id) FROM units WHERE vector = v.id)
           WHERE v.vector IS NULL AND v.problem IS NULL AND v.id > ?
           ORDER BY v.id LIMIT ?""",
        (after, limit),
    )
    return [Pending(row[0], searched_text(row[1], row[2])) for row in rows]


def rounded(rows: Matrix) -> Matrix:
    """Return vectors as they come back from the file, where they are float16.

    A cosine changes by less than a thousandth, and the file is half as large.
    """
    return rows.astype(np.float16).astype(np.float32)


def set_vectors(connection: apsw.Connection, ids: Sequence[int], rows: Matrix) -> None:
    """Store vectors."""
    connection.executemany(
        "UPDATE vectors SET vector = ?, problem = NULL WHERE id = ?",
        ((half.tobytes(), id_) for half, id_ in zip(rows.astype(np.float16), ids, strict=True)),
    )


def reject(connection: apsw.Connection, rejected: Mapping[int, Rejected]) -> None:
    """Count a failed attempt for texts; a final one, or the last allowed, parks them for good."""
    connection.executemany(
        """UPDATE vectors SET attempts = attempts + 1,
           problem = CASE WHEN ? OR attempts + 1 >= ? THEN ? END WHERE id = ?""",
        ((why.final, _MOST_ATTEMPTS, why.reason, id_) for id_, why in rejected.items()),
    )


def load_vectors(connection: apsw.Connection, dimension: int) -> tuple[Ids, Matrix, list[int]]:
    """Read all vectors; also return the ids of those that cannot be right."""
    width = dimension * 2
    ids: list[int] = []
    blobs: list[bytes] = []
    wrong: list[int] = []
    for id_, blob in select(
        connection, "SELECT id, vector FROM vectors WHERE vector IS NOT NULL ORDER BY id"
    ):
        if len(blob) == width:
            ids.append(id_)
            blobs.append(blob)
        else:
            wrong.append(id_)
    rows = np.frombuffer(b"".join(blobs), dtype=np.float16).astype(np.float32)
    matrix = rows.reshape(len(ids), dimension)
    sound = np.abs(np.einsum("ij,ij->i", matrix, matrix) - 1) < 0.05  # false for NaN, too
    numbers = np.array(ids, dtype=np.int64)
    return numbers[sound], matrix[sound], wrong + numbers[~sound].tolist()


def forget_vectors(connection: apsw.Connection, ids: Sequence[int]) -> None:
    """Make texts wait for the embedder again."""
    connection.executemany("UPDATE vectors SET vector = NULL WHERE id = ?", ((id_,) for id_ in ids))


# -- questions -------------------------------------------------------------------------------


def counts(connection: apsw.Connection) -> Counts:
    """Count what the index holds."""
    (row,) = select(
        connection,
        """SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM units),
           (SELECT count(*) FROM vectors WHERE vector IS NOT NULL),
           (SELECT count(*) FROM vectors WHERE vector IS NULL AND problem IS NULL),
           (SELECT count(*) FROM vectors WHERE problem IS NOT NULL)""",
    )
    return Counts(*row)


def count_pending(connection: apsw.Connection) -> int:
    """Count the texts that wait for a vector."""
    ((count,),) = select(
        connection, "SELECT count(*) FROM vectors WHERE vector IS NULL AND problem IS NULL"
    )
    return int(count)


def entities(connection: apsw.Connection) -> list[str]:
    """Return the entities that units name, one spelling each, the most mentioned first."""
    rows = select(
        connection,
        "SELECT min(name), count(*) FROM mentions GROUP BY key ORDER BY 2 DESC, key",
    )
    return [row[0] for row in rows]
