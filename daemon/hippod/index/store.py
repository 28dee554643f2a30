"""The index file in use: one writer, a pool of readers, and every write to the tables.

Readers see one commit from begin to end. Only `schema`, this module, `bank`,
`lexicon` and `view` know SQL.
"""

import contextlib
import itertools
import json
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

import apsw
import numpy as np
from numpy.typing import NDArray

from hippod import chunks, compaction
from hippod.entries import Entry, searched_text
from hippod.errors import IndexUnavailable
from hippod.index import bank, schema
from hippod.index.embedding import NO_WORDS, Rejected
from hippod.index.schema import LISTED, Damaged, select, translated
from hippod.index.vectors import Halves, Ids, Matrix
from hippod.workspace import Loaded

Table = Literal["vectors", "next_vectors"]
SERVING: Table = "vectors"
COMING: Table = "next_vectors"
"""Vectors of the embedder to come, complete before they take the place of those that serve."""

_WORDS_CHECKED = "words_checked"
_IDLE_READERS = 4
_READ_AT_ONCE = 5_000
"""Vectors that are read in one go; all of them at once would take the memory twice."""
_MERGED_PAGES = 200
"""Some 20 ms of work, for which a save waits."""
_IN_ROW = Entry._fields.index("text_hash") + 1
"""The first values of an entry are those of its row, in its order; the vector is found by it."""
_MOST_COMPACTED = 1_000_000_000
"""Bytes of a file that is made smaller: saves wait for it, some seconds."""
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
class Dropped:
    """Units that a change deleted, and vectors that nobody uses since."""

    units: Sequence[int] = ()
    vectors: Sequence[int] = ()


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
            self.checked = not schema.was_closed(self._writer)
            schema.mark_closed(self._writer, closed=False)
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
            with contextlib.suppress(apsw.Error):  # a full disk, or damage: it is checked then
                schema.mark_closed(self._writer, closed=self.checked)
            self._writer.close()

    def check(self) -> None:
        """Check a file that was believed when it was opened; raises `Damaged`."""
        with self.inspecting() as connection:
            if not schema.is_sound(connection):
                raise Damaged("the index is damaged", schema.REBUILT)
        self.checked = True

    def is_current(self) -> bool:
        """Say whether the file at our path is still the one that is open."""
        try:
            return self.path.stat().st_ino == self._inode
        except OSError:
            return False

    def compact(self) -> bool:
        """Shrink the file if much of it is free, as the one who writes; say whether it did.

        Readers go on meanwhile: they see the file as it was.
        """
        with translated():
            return compaction.compact(self._writer, _MOST_COMPACTED)

    def checkpoint(self) -> bool:
        """Fold what was written ahead into the file, as the one who writes; say whether."""
        with translated():
            return compaction.checkpoint(self._writer)

    def purge(self) -> None:
        """Write the file anew, as the one who writes: nothing that was deleted is left in it."""
        with translated():
            compaction.rewrite(self._writer)

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
    def inspecting(self) -> Iterator[apsw.Connection]:
        """Lend a connection that has read nothing yet, to check the file.

        One that has keeps the structure of the words in memory, and checking does not read it
        anew: FTS5 takes what was merged since for damage.
        """
        connection = self._take(fresh=True)
        try:
            with translated():
                connection.execute("BEGIN")
                yield connection
        finally:
            connection.close(True)
            self._release()

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

    def _take(self, *, fresh: bool = False) -> apsw.Connection:
        with self._state:
            if self._closed:
                raise IndexUnavailable("the index is closed")
            self._busy += 1
            if self._idle and not fresh:
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


# -- embedders -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Made:
    """Which embedder made the vectors: its identity, and the configuration to make it again."""

    identity: str
    spec: str


def embedder_of(connection: apsw.Connection, table: Table) -> Made | None:
    """Return which embedder the vectors of a table are of."""
    identity = schema.read_meta(connection, f"{table}.embedder")
    if not identity:
        return None
    return Made(identity, schema.read_meta(connection, f"{table}.spec") or "")


def set_embedder(connection: apsw.Connection, table: Table, made: Made) -> None:
    """Note which embedder the vectors of a table are of; those of another are forgotten."""
    before = embedder_of(connection, table)
    if before is None or before.identity != made.identity:
        _forget_all(connection, table)
    _write_embedder(connection, table, made)


def swap_in(connection: apsw.Connection) -> None:
    """Put the coming vectors, all of them, in place of those that serve."""
    made = embedder_of(connection, COMING)
    assert made is not None
    connection.execute(
        """UPDATE vectors SET vector = n.vector, attempts = n.attempts, problem = n.problem
           FROM next_vectors n WHERE n.id = vectors.id"""
    )
    _write_embedder(connection, SERVING, made)
    drop_coming(connection)


def drop_coming(connection: apsw.Connection) -> None:
    """Forget vectors that were to come."""
    _forget_all(connection, COMING)
    _write_embedder(connection, COMING, Made("", ""))


def follow(connection: apsw.Connection) -> None:
    """Make the coming vectors wait for exactly the texts that there are."""
    connection.execute("DELETE FROM next_vectors WHERE id NOT IN (SELECT id FROM vectors)")
    connection.execute(
        """INSERT INTO next_vectors(id, problem)
           SELECT id, CASE WHEN problem = ? THEN problem END FROM vectors
           WHERE id > (SELECT coalesce(max(id), 0) FROM next_vectors)""",
        (NO_WORDS.reason,),
    )


def _forget_all(connection: apsw.Connection, table: Table) -> None:
    if table == COMING:
        connection.execute("DELETE FROM next_vectors")
        return
    connection.execute(
        """UPDATE vectors SET vector = NULL, attempts = 0, problem = NULL
           WHERE (vector IS NOT NULL OR attempts > 0) OR problem IS NOT ?""",
        (NO_WORDS.reason,),
    )


def _write_embedder(connection: apsw.Connection, table: Table, made: Made) -> None:
    schema.write_meta(connection, f"{table}.embedder", made.identity)
    schema.write_meta(connection, f"{table}.spec", made.spec)


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


def versions(connection: apsw.Connection, paths: Iterable[str]) -> dict[str, Known]:
    """Return these documents by path, as far as they are indexed."""
    sql = f"""SELECT path, sha256, size, mtime_ns, inode FROM documents
        WHERE path IN {LISTED}"""
    rows = select(connection, sql, (json.dumps(list(paths)),))
    return {row[0]: Known(*row[1:]) for row in rows}


def touch(connection: apsw.Connection, loaded: Loaded) -> None:
    """Note that a document with the same bytes has another stat."""
    stat = loaded.stat
    connection.execute(
        "UPDATE documents SET size = ?, mtime_ns = ?, inode = ? WHERE path = ?",
        (stat.size, stat.mtime_ns, stat.inode, loaded.path),
    )


def replace(connection: apsw.Connection, loaded: Loaded, entries: Sequence[Entry]) -> Dropped:
    """Store a document's units in place of those it had; return what is not used any more."""
    stat = loaded.stat
    found = list(select(connection, "SELECT id FROM documents WHERE path = ?", (loaded.path,)))
    number = int(found[0][0]) if found else None
    seen = (loaded.sha256, stat.size, stat.mtime_ns, stat.inode)
    deleted = Dropped()
    # No upsert and no RETURNING: SQLite sets a savepoint for them, at which FTS5 writes out all
    # that it would else write once at the end of the transaction.
    if number is None:
        connection.execute(
            """INSERT INTO documents(path, document_id, sha256, size, mtime_ns, inode)
               VALUES(?, ?, ?, ?, ?, ?)""",
            (loaded.path, chunks.document_id(loaded.path), *seen),
        )
        number = connection.last_insert_rowid()
    else:
        connection.execute(
            "UPDATE documents SET sha256 = ?, size = ?, mtime_ns = ?, inode = ? WHERE id = ?",
            (*seen, number),
        )
        deleted = _delete_units(connection, number)
    _insert_units(connection, number, entries)
    bank.insert(connection, number, loaded.path, loaded.text)
    return _drop_unused(connection, deleted)


def remove(connection: apsw.Connection, path: str) -> Dropped | None:
    """Forget a document; return what is not used any more, None if it was not there."""
    rows = list(select(connection, "DELETE FROM documents WHERE path = ? RETURNING id", (path,)))
    if not rows:
        return None
    return _drop_unused(connection, _delete_units(connection, rows[0][0]))


def _delete_units(connection: apsw.Connection, number: int) -> Dropped:
    """Delete the units of a document; return them and all their vectors."""
    mine = "(SELECT id FROM units WHERE document = ?)"
    connection.execute(f"DELETE FROM words WHERE rowid IN {mine}", (number,))
    connection.execute(f"DELETE FROM mentions WHERE unit IN {mine}", (number,))
    bank.delete(connection, number)
    sql = "DELETE FROM units WHERE document = ? RETURNING id, vector"
    rows = list(select(connection, sql, (number,)))
    return Dropped([row[0] for row in rows], [row[1] for row in rows])


def _drop_unused(connection: apsw.Connection, deleted: Dropped) -> Dropped:
    if not deleted.vectors:
        return deleted
    rows = select(
        connection,
        f"""DELETE FROM vectors WHERE id IN {LISTED}
           AND NOT EXISTS (SELECT 1 FROM units WHERE units.vector = vectors.id)
           RETURNING id""",
        (json.dumps(deleted.vectors),),
    )
    return Dropped(deleted.units, [row[0] for row in rows])


def _insert_units(connection: apsw.Connection, number: int, entries: Sequence[Entry]) -> None:
    connection.executemany(
        "INSERT INTO vectors(text_hash, problem) VALUES(?, ?) ON CONFLICT DO NOTHING",
        ((each.text_hash, None if each.telling else NO_WORDS.reason) for each in entries),
    )
    ((first,),) = select(
        connection, "SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'units'"
    )
    numbered = list(enumerate(entries, first))
    connection.executemany(
        """INSERT INTO units VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
           (SELECT id FROM vectors WHERE text_hash = ?))""",
        ((id_, number, *each[:_IN_ROW]) for id_, each in numbered),
    )
    connection.executemany(
        "INSERT INTO words(rowid, text) VALUES(?, ?)", ((id_, each.words) for id_, each in numbered)
    )
    connection.executemany(
        "INSERT OR IGNORE INTO mentions(key, unit, name) VALUES(?, ?, ?)",
        ((key, id_, name) for id_, each in numbered for key, name in each.mentions),
    )


def check_words(connection: apsw.Connection, now: datetime) -> None:
    """Let FTS5 check that its index is consistent in itself, and note when."""
    connection.execute("INSERT INTO words(words) VALUES('integrity-check')")
    schema.write_meta(connection, _WORDS_CHECKED, now.isoformat(timespec="seconds"))


def words_checked(connection: apsw.Connection) -> datetime | None:
    """Return when the index of words was found consistent last."""
    stored = schema.read_meta(connection, _WORDS_CHECKED)
    return datetime.fromisoformat(stored) if stored else None


def merge_words(connection: apsw.Connection) -> bool:
    """Merge some pages of the words' index, as deletes and many small changes scatter it.

    Returns whether there is more to merge.
    """
    before = connection.total_changes()
    connection.execute("INSERT INTO words(words, rank) VALUES('merge', ?)", (_MERGED_PAGES,))
    return connection.total_changes() - before >= 2  # as FTS5 documents it


def purge_words(connection: apsw.Connection) -> None:
    """Write the index of words anew: until then words of deleted units stand in it."""
    connection.execute("INSERT INTO words(words) VALUES('optimize')")


# -- vectors ---------------------------------------------------------------------------------


def pending(
    connection: apsw.Connection, table: Table, passed: Collection[int], limit: int
) -> list[Pending]:
    """Return texts that wait for a vector, the newest first, without those that were `passed`."""
    rows = select(
        connection,
        f"""SELECT v.id, u.header, u.content, u.role
            FROM {table} v JOIN units u ON u.id = (
                SELECT min(id) FROM units WHERE vector = v.id)
            WHERE v.vector IS NULL AND v.problem IS NULL
            AND v.id NOT IN {LISTED}
            ORDER BY v.id DESC LIMIT ?""",
        (json.dumps(list(passed)), limit),
    )
    return [Pending(row[0], chunks.embedded_text(searched_text(*row[1:]))) for row in rows]


def rounded(rows: Matrix) -> Matrix:
    """Return vectors as they come back from the file, where they are float16.

    A cosine changes by less than a thousandth, and the file is half as large.
    """
    return rows.astype(np.float16).astype(np.float32)


def set_vectors(
    connection: apsw.Connection, table: Table, ids: Sequence[int], rows: Matrix
) -> list[int]:
    """Store vectors; return the places in `ids` of those that are still wanted."""
    found = select(
        connection,
        f"SELECT id FROM {table} WHERE id IN {LISTED}",
        (json.dumps(list(ids)),),
    )
    wanted = {row[0] for row in found}
    stored = [place for place, id_ in enumerate(ids) if id_ in wanted]
    halves = rows.astype(np.float16)
    connection.executemany(
        f"UPDATE {table} SET vector = ?, problem = NULL WHERE id = ?",
        ((halves[place].tobytes(), ids[place]) for place in stored),
    )
    return stored


def reject(connection: apsw.Connection, table: Table, rejected: Mapping[int, Rejected]) -> None:
    """Count a failed attempt for texts; a final one, or the last allowed, parks them for good."""
    connection.executemany(
        f"""UPDATE {table} SET attempts = attempts + 1,
            problem = CASE WHEN ? OR attempts + 1 >= ? THEN ? END WHERE id = ?""",
        ((why.final, _MOST_ATTEMPTS, why.reason, id_) for id_, why in rejected.items()),
    )


def retry_parked(connection: apsw.Connection) -> int:
    """Let texts that were parked wait again, for one more attempt; return how many.

    Those without words stay: no embedder could do anything with them.
    """
    retried = 0
    for table in (SERVING, COMING):
        connection.execute(
            f"UPDATE {table} SET problem = NULL, attempts = ?"
            " WHERE problem IS NOT NULL AND problem <> ?",
            (_MOST_ATTEMPTS - 1, NO_WORDS.reason),
        )
        retried += connection.changes() if table == SERVING else 0
    return retried


def load_vectors(connection: apsw.Connection, dimension: int) -> tuple[Ids, Halves, list[int]]:
    """Read all vectors; also return the ids of those that cannot be right."""
    width = dimension * 2
    ((count,),) = select(connection, "SELECT count(*) FROM vectors")
    ids, rows = np.empty(count, np.int64), np.empty((count, dimension), np.float16)
    sound = np.empty(count, np.bool_)
    size = 0
    wrong: list[int] = []
    sql = "SELECT id, vector FROM vectors WHERE vector IS NOT NULL ORDER BY id"
    found = select(connection, sql)
    while part := list(itertools.islice(found, _READ_AT_ONCE)):
        right = [row for row in part if len(row[1]) == width]
        wrong += [row[0] for row in part if len(row[1]) != width]
        until = size + len(right)
        ids[size:until] = [row[0] for row in right]
        blob = b"".join(row[1] for row in right)
        halves = np.frombuffer(blob, dtype=np.float16).reshape(-1, dimension)
        rows[size:until], sound[size:until] = halves, _are_unit(halves)
        size = until
    ids, rows, sound = ids[:size], rows[:size], sound[:size]
    if not sound.all():
        wrong += ids[~sound].tolist()
        ids, rows = ids[sound], rows[sound]
    return ids, rows, wrong


def _are_unit(halves: Halves) -> NDArray[np.bool_]:
    rows = halves.astype(np.float32)
    squares = np.einsum("ij,ij->i", rows, rows)
    return np.asarray(np.abs(squares - 1) < 0.05)  # false for NaN, too


def forget_vectors(connection: apsw.Connection, ids: Sequence[int]) -> None:
    """Make texts wait for the embedder again."""
    connection.executemany("UPDATE vectors SET vector = NULL WHERE id = ?", ((id_,) for id_ in ids))


def adopt(connection: apsw.Connection, old: apsw.Connection) -> None:
    """Take over what another index has: of equal texts the vectors and problems, those that
    are to come too, and which embedders they are of.
    """
    for table in (SERVING, COMING):
        made = embedder_of(old, table)
        if made is not None:
            set_embedder(connection, table, made)
            _adopt_table(connection, old, table)


def _adopt_table(connection: apsw.Connection, old: apsw.Connection, table: Table) -> None:
    if table == COMING:
        follow(connection)
    rows = select(
        old,
        f"""SELECT n.vector, n.attempts, n.problem, v.text_hash
            FROM vectors v JOIN {table} n ON n.id = v.id
            WHERE n.vector IS NOT NULL OR n.problem IS NOT NULL""",
    )
    connection.executemany(
        f"""UPDATE {table} SET vector = ?, attempts = ?, problem = ?
            WHERE id = (SELECT id FROM vectors WHERE text_hash = ?)""",
        rows,
    )


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


def tally(connection: apsw.Connection) -> dict[str, int]:
    """Count what the index holds by what small indexes know: no row is read for it."""
    (row,) = select(
        connection,
        """SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM units),
           (SELECT count(*) FROM units WHERE fact_id IS NOT NULL),
           (SELECT count(*) FROM vectors),
           (SELECT count(*) FROM vectors WHERE vector IS NULL AND problem IS NULL),
           (SELECT count(*) FROM vectors WHERE problem IS NOT NULL)""",
    )
    documents, units, facts, texts, pending, parked = map(int, row)
    return {
        "documents": documents,
        "units": units,
        "facts": facts,
        "embedded": texts - pending - parked,
        "pending": pending,
        "rejected": parked,
    }


def count_pending(connection: apsw.Connection, table: Table) -> int:
    """Count the texts that wait for a vector."""
    sql = f"SELECT count(*) FROM {table} WHERE vector IS NULL AND problem IS NULL"
    ((count,),) = select(connection, sql)
    return int(count)


def has_vectors(connection: apsw.Connection) -> bool:
    """Say whether any vector serves."""
    return bool(list(select(connection, "SELECT 1 FROM vectors WHERE vector IS NOT NULL LIMIT 1")))


def problems(connection: apsw.Connection) -> dict[str, int]:
    """Return why texts are parked, and how many for each reason."""
    rows = select(
        connection,
        """SELECT problem, count(*) FROM vectors WHERE problem IS NOT NULL
           GROUP BY problem ORDER BY count(*) DESC, problem""",
    )
    return dict(rows)


def entities(connection: apsw.Connection) -> list[str]:
    """Return the entities that units name, one spelling each, the most mentioned first."""
    rows = select(
        connection,
        "SELECT min(name), count(*) FROM mentions GROUP BY key ORDER BY 2 DESC, key",
    )
    return [row[0] for row in rows]
