"""`state.sqlite`: cursors, batches, journal and job history; the only database that migrates.

One connection behind one lock; every method is one transaction. The live file is never opened
by other means: closing such a descriptor would drop SQLite's locks on it.
"""

import contextlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Literal, Protocol

import apsw

from hippod import compaction
from hippod import facts as grammar
from hippod.errors import NotFound, StorageError
from hippod.journal import (
    PREVIEW_CHARACTERS,
    Appended,
    Change,
    JournalEntry,
    Operation,
    PlannedAppend,
)
from hippod.transcripts.turns import Cursor, Turn

BatchStatus = Literal["read", "extracted", "appended", "done", "failed"]
Reflected = Literal["fact", "judging", "page", "summary", "append", "proposal"]
"""What reflection takes notes of: facts that it judged, facts that it is just judging, pages as
it left them, summaries of days that it wrote, appends to logs that it began, and proposals that
it made, each with the ids of the facts that it cited."""
Clock = Callable[[], datetime]
Row = tuple[Any, ...]

_BUSY_MS = 5000
_OPEN_TRIES = 20
FACTS_BY = "facts of batches read by "
"""Name of a model's counter, before the model's name: `status` tells what a fact costs."""
_REJECTED_KEPT = 500
_RUNS_KEPT = 100
"""Of each job."""
_THINNED_AT_ONCE = 500
_MOST_COMPACTED = 256_000_000
"""Bytes of a file that is made smaller within a second or two."""
_AROUND = range(-2, 2)
"""Turns that are quoted with a cited one, by distance."""
_NEIGHBOUR_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class BatchFact:
    """A fact of a batch: `bullet` is the line of Markdown as it is (to be) appended.

    `pinned` facts ("remember …") do not count towards the daily cap. `path` is the log that it
    was appended to; `read_back` says that it was seen there, `reappended` that it was missing
    once and appended once more: missing again, it is a person's deletion; `undone` that a
    person took it back. `turns` are the ids of the turns that it rests on (empty: the one that
    the bullet cites), `made_by` the model or strategy that worded it.
    """

    id: str
    day: date
    bullet: str
    pinned: bool = False
    path: str = ""
    read_back: bool = False
    reappended: bool = False
    turns: tuple[str, ...] = ()
    made_by: str = ""
    undone: bool = False

    @property
    def cited(self) -> frozenset[str]:
        """The ids of the turns that the fact rests on."""
        if self.turns:
            return frozenset(self.turns)
        fact = grammar.parse_bullet(self.bullet)
        return frozenset({fact.source.turn} if fact and fact.source else ())


@dataclass(frozen=True, slots=True)
class Batch:
    """Turns that are extracted together, and what became of them.

    `turns` are redacted; `context` are earlier turns for understanding only. `cursor_after` is
    None where there is no transcript file. `planned` are the appends that were planned last,
    one a log; those `landed` are in `landed`, by path.
    """

    id: int
    source: str
    session: str
    path: str
    status: BatchStatus
    turns: tuple[Turn, ...]
    context: tuple[Turn, ...]
    cursor_after: Cursor | None
    facts: tuple[BatchFact, ...]
    planned: tuple[PlannedAppend, ...]
    landed: frozenset[str]
    attempts: int
    next_try: datetime | None
    error: str
    created: datetime
    updated: datetime
    tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Rejected:
    """A candidate that was not stored (text redacted), why, and the turn that it stood in."""

    text: str
    reason: str
    batch: int | None
    time: datetime
    turn: str = ""
    source: str = ""
    session: str = ""
    path: str = ""


Refusal = tuple[str, str] | tuple[str, str, str]
"""Text and reason of a candidate, and the id of its turn where one is known."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The turns that a fact rests on, with a little of what was said around them.

    `path` is the transcript as it was called when it was read, `cursor` how far it went then,
    if this batch was the last of a reading.
    """

    fact: BatchFact
    batch: int
    source: str
    session: str
    path: str
    status: BatchStatus
    written: datetime
    turns: tuple[Turn, ...]
    cursor: Cursor | None


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a job; outcome `running` or `interrupted` if it never ended."""

    name: str
    started: datetime
    seconds: float
    outcome: str
    error: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the self-test of a model said about a task."""

    passed: bool
    score: float
    detail: str
    time: datetime


@dataclass(frozen=True, slots=True)
class Usage:
    """What the calls of a model cost on one day, in tokens and seconds."""

    day: date
    model: str
    calls: int
    tokens_in: int
    tokens_out: int
    seconds: float


class Forgotten(Protocol):
    """What is to be purged: judges texts by what they say."""

    def text(self, text: str, /) -> str:
        """Return a text without what is forgotten."""
        ...

    def in_bytes(self, path: str, data: bytes, /) -> bool:
        """Say whether the bytes of the document at `path` say something forgotten."""
        ...

    def turn(self, source: str, session: str, turn: Turn, /) -> Turn:
        """Return a turn without what is forgotten; the same object if that is nothing."""
        ...

    def fact(self, id_: str, bullet: str, /) -> bool:
        """Say whether a fact is forgotten."""
        ...


class State:
    """The daemon's own memory. Thread-safe.

    `journal_mode` is what SQLite really uses; `recovered_from` names the damaged file that was
    moved aside when this one was opened, else it is None. Raises `StorageError` where the file
    cannot be used, and if it was written by a newer hippod.
    """

    def __init__(self, path: Path, *, clock: Clock = lambda: datetime.now(UTC)) -> None:
        self.path = path
        self.recovered_from: Path | None = None
        self.journal_mode = ""
        self._clock = clock
        self._lock = threading.RLock()
        with _storage(path):
            self._connection = self._open()
            self._migrate()
            self._mark_interrupted()

    def close(self) -> None:
        """Close the file; the state cannot be used any more."""
        with self._lock, _storage(self.path):
            self._connection.close()

    # -- cursors -----------------------------------------------------------------------------

    def get_cursor(self, source: str, path: str) -> Cursor | None:
        """Return how far a transcript is finished."""
        row = self._one("SELECT value FROM cursor WHERE source=? AND path=?", source, path)
        return _cursor(row[0]) if row else None

    def reading_cursor(self, source: str, path: str) -> Cursor | None:
        """Return how far a transcript was read, counting batches that are not done yet."""
        row = self._one(
            "SELECT cursor_after FROM batch WHERE source=? AND path=? AND cursor_after NOT NULL"
            " AND status NOT IN ('done','failed') ORDER BY id DESC LIMIT 1",
            source,
            path,
        )
        return _cursor(row[0]) if row else self.get_cursor(source, path)

    def set_cursor(self, source: str, path: str, cursor: Cursor) -> None:
        """Move a cursor where there is no batch to finish."""
        with self._transaction():
            self._put_cursor(source, path, cursor)

    def cursors(self) -> dict[tuple[str, str], Cursor]:
        """Return all cursors by (source, path)."""
        rows = self._all("SELECT source, path, value FROM cursor ORDER BY source, path")
        return {(source, path): _cursor(value) for source, path, value in rows}

    # -- turns -------------------------------------------------------------------------------

    def seen(self, source: str, keys: Iterable[str]) -> frozenset[str]:
        """Return those turn keys that already belong to a batch of this source.

        Whichever session it was: a forked or resumed session replays turns of an earlier one.
        """
        rows = self._all(
            "SELECT key FROM seen WHERE source=? AND key IN (SELECT value FROM json_each(?))",
            source,
            json.dumps(list(keys)),
        )
        return frozenset(key for (key,) in rows)

    def turns_seen(self, source: str) -> int:
        """Count the turns of a source that were ever stored in a batch."""
        return int(self._required("SELECT count(*) FROM seen WHERE source=?", source)[0])

    # -- batches -----------------------------------------------------------------------------

    def create_batch(
        self,
        source: str,
        session: str,
        path: str,
        turns: Sequence[Turn],
        cursor_after: Cursor | None,
        *,
        context: Sequence[Turn] = (),
    ) -> Batch:
        """Store turns as a batch of status `read`, and their keys as seen, at once."""
        now = _iso(self._clock())
        with self._transaction():
            (number,) = self._required(
                "INSERT INTO batch(source, session, path, status, turns, context, cursor_after,"
                " created, updated) VALUES (?,?,?,'read',?,?,?,?,?) RETURNING id",
                source,
                session,
                path,
                _turns_json(turns),
                _turns_json(context),
                json.dumps(asdict(cursor_after)) if cursor_after else None,
                now,
                now,
            )
            self._many(
                "INSERT OR IGNORE INTO seen(source, key) VALUES (?,?)",
                ((source, turn.key) for turn in turns),
            )
            return self.batch(number)

    def batch(self, number: int) -> Batch:
        """Return one batch; raises `NotFound`."""
        with self._lock:
            row = self._one(f"SELECT {_BATCH} FROM batch WHERE id=?", number)
            if row is None:
                raise NotFound(f"no batch {number}")
            return self._read_batch(row)

    def open_batches(self, source: str | None = None, path: str | None = None) -> list[Batch]:
        """Return the batches (of one transcript) that are neither done nor failed, oldest first."""
        with self._lock:
            rows = self._all(
                f"SELECT {_BATCH} FROM batch WHERE status NOT IN ('done','failed')"
                " AND (?1 IS NULL OR source=?1) AND (?2 IS NULL OR path=?2) ORDER BY id",
                source,
                path,
            )
            return [self._read_batch(row) for row in rows]

    def failed_batches(self) -> list[Batch]:
        """Return the batches that were given up, oldest first."""
        with self._lock:
            rows = self._all(f"SELECT {_BATCH} FROM batch WHERE status='failed' ORDER BY id")
            return [self._read_batch(row) for row in rows]

    def store_facts(
        self,
        number: int,
        facts: Sequence[BatchFact],
        *,
        rejected: Iterable[Refusal] = (),
        tokens: int = 0,
        seconds: float = 0.0,
    ) -> None:
        """Store what was extracted: facts, rejected (text, reason, turn), and what it cost."""
        with self._transaction():
            self._set_status(number, "extracted")
            self._run("DELETE FROM batch_fact WHERE batch=?", number)
            self._many(
                f"INSERT INTO batch_fact(batch, position, {_FACT})"
                " VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
                (_fact_row(number, position, fact) for position, fact in enumerate(facts)),
            )
            self._run(
                "UPDATE batch SET tokens=tokens+?, seconds=seconds+?, error='' WHERE id=?",
                tokens,
                seconds,
                number,
            )
            self._put_rejected(number, rejected)

    def plan_append(self, number: int, planned: PlannedAppend) -> None:
        """Store bytes that are about to be appended; replaces the batch's plan for that log."""
        with self._transaction():
            self._run(
                "INSERT OR REPLACE INTO planned(batch, path, offset, data, inode, landed)"
                " VALUES (?,?,?,?,?,0)",
                number,
                planned.path,
                planned.offset,
                planned.data,
                _column(planned.inode),
            )

    def mark_appended(self, number: int, appended: Appended, ids: Iterable[str]) -> None:
        """Note that facts stand in a log; once all of the batch do, it is `appended`."""
        with self._transaction():
            if appended.data:
                self._run(
                    "INSERT OR REPLACE INTO planned(batch, path, offset, data, inode, landed)"
                    " VALUES (?,?,?,?,?,1)",
                    number,
                    appended.path,
                    appended.offset,
                    appended.data,
                    _column(appended.inode),
                )
            self._run("UPDATE planned SET landed=1 WHERE batch=? AND path=?", number, appended.path)
            self._set_facts(number, ids, "path=?", appended.path)
            left = self._one(
                "SELECT 1 FROM batch_fact WHERE batch=? AND path='' AND NOT undone", number
            )
            if left is None:
                self._set_status(number, "appended")

    def mark_read_back(self, number: int, ids: Iterable[str]) -> None:
        """Note that facts were seen in their logs."""
        with self._transaction():
            self._set_facts(number, ids, "read_back=?", 1)

    def mark_reappended(self, number: int, ids: Iterable[str]) -> None:
        """Note that facts were missing and are appended once more; call it before doing so."""
        with self._transaction():
            self._set_facts(number, ids, "reappended=?", 1)

    def finish(self, number: int) -> None:
        """Make a batch `done` and move the cursor of its transcript, at once.

        The cursor never passes a batch of the same transcript that is still open.
        """
        with self._transaction():
            self._close_batch(number, "done", "")

    def fail(self, number: int, error: str) -> None:
        """Give a batch up: it stays to be seen, and the cursor moves on."""
        with self._transaction():
            self._close_batch(number, "failed", error)

    def retry_later(self, number: int, error: str, next_try: datetime) -> None:
        """Count a failed attempt and say when to try again."""
        with self._transaction():
            self._run(
                "UPDATE batch SET attempts=attempts+1, error=?, next_try=?, updated=? WHERE id=?",
                error,
                _iso(next_try),
                _iso(self._clock()),
                number,
            )

    def drop_turns(self, before: datetime) -> int:
        """Drop the turns of batches that ended before a time, and return how many batches.

        What their facts rest on stays, with a little around it, so that `origin` can quote it.
        """
        with self._lock:
            rows = self._all(
                f"SELECT {_BATCH} FROM batch WHERE status IN ('done','failed') AND NOT thinned"
                " AND updated<? ORDER BY id LIMIT ?",
                _iso(before),
                _THINNED_AT_ONCE,
            )
            batches = [self._read_batch(row) for row in rows]
            with self._transaction():
                for batch in batches:
                    self._run(
                        "UPDATE batch SET turns=?, context='[]', thinned=1 WHERE id=?",
                        _turns_json(_quotable(batch, batch.facts)),
                        batch.id,
                    )
            return len(batches)

    # -- facts -------------------------------------------------------------------------------

    def facts_on(self, day: date) -> int:
        """Count the facts of a day that count towards its cap (not the pinned ones)."""
        row = self._one(
            "SELECT count(DISTINCT id) FROM batch_fact WHERE day=? AND NOT pinned",
            day.isoformat(),
        )
        return int(row[0]) if row else 0

    def known_facts(self, ids: Iterable[str]) -> dict[str, BatchFact]:
        """Return those of the facts with these ids that any batch has, the latest of each."""
        rows = self._all(
            f"SELECT {_FACT} FROM batch_fact WHERE id IN (SELECT value FROM json_each(?))"
            " ORDER BY batch, position",
            json.dumps(list(ids)),
        )
        return {row[0]: _fact(row) for row in rows}

    def facts_like(self, prefix: str) -> list[BatchFact]:
        """Return the facts whose id begins so, the latest of each, in the order of their ids."""
        rows = self._all(
            f"SELECT {_FACT} FROM batch_fact WHERE id>=?1 AND id<?1||'~' ORDER BY id, batch",
            prefix,
        )
        return list({row[0]: _fact(row) for row in rows}.values())

    def origin(self, id_: str) -> Origin | None:
        """Return what a fact rests on; None for one that no batch has, the latest of several."""
        with self._lock:
            row = self._one("SELECT max(batch) FROM batch_fact WHERE id=?", id_)
            if row is None or row[0] is None:
                return None
            batch = self.batch(row[0])
        fact = next(fact for fact in batch.facts if fact.id == id_)
        return Origin(
            fact=fact,
            batch=batch.id,
            source=batch.source,
            session=batch.session,
            path=batch.path,
            status=batch.status,
            written=batch.updated,
            turns=_quotable(batch, [fact]),
            cursor=batch.cursor_after,
        )

    def set_undone(self, ids: Iterable[str], path: str, *, undone: bool) -> list[str]:
        """Note that a person took facts back from the log at `path`, or back again.

        What is undone is never appended again. Return the ids that any batch has.
        """
        with self._transaction():
            wanted = json.dumps(list(ids))
            found = self._connection.execute(
                "UPDATE batch_fact SET undone=?1, path=CASE path WHEN '' THEN ?2 ELSE path END"
                " WHERE undone<>?1 AND id IN (SELECT value FROM json_each(?3)) RETURNING id",
                (int(undone), path, wanted),
            ).fetchall()
            if undone:
                # Else its bytes would be completed as those of an append that was torn.
                self._run(
                    "DELETE FROM planned WHERE path=? AND NOT landed AND batch IN (SELECT batch"
                    " FROM batch_fact WHERE id IN (SELECT value FROM json_each(?)))",
                    path,
                    wanted,
                )
                self._run(
                    "UPDATE batch SET status='appended', updated=?1 WHERE status='extracted' AND id"
                    " IN (SELECT batch FROM batch_fact GROUP BY batch HAVING sum(path='' AND"
                    " NOT undone)=0 AND sum(undone AND id IN (SELECT value FROM json_each(?2)))>0)",
                    _iso(self._clock()),
                    wanted,
                )
            return [str(id_) for (id_,) in found]

    # -- rejected ----------------------------------------------------------------------------

    def reject(self, batch: int | None, items: Iterable[Refusal]) -> None:
        """Remember rejected (text, reason, turn) items; the text must be redacted."""
        with self._transaction():
            self._put_rejected(batch, items)

    def rejected(self, limit: int = 100, *, batch: int | None = None) -> list[Rejected]:
        """Return what was rejected last, newest first."""
        rows = self._all(
            "SELECT r.time, r.text, r.reason, r.batch, r.turn, coalesce(b.source, ''),"
            " coalesce(b.session, ''), coalesce(b.path, '') FROM rejected r"
            " LEFT JOIN batch b ON b.id=r.batch WHERE ?1 IS NULL OR r.batch=?1"
            " ORDER BY r.id DESC LIMIT ?2",
            batch,
            limit,
        )
        return [
            Rejected(text, reason, of, _time(at), *where) for at, text, reason, of, *where in rows
        ]

    # -- journal -----------------------------------------------------------------------------

    def begin(self, change: Change) -> int:
        """Write down a change that is about to happen and return the entry's number."""
        with self._transaction():
            (number,) = self._required(
                "INSERT INTO journal(time, status, operation, path, actor, before, start, length,"
                " digest, undoes, preview, target)"
                " VALUES (?,'begun',?,?,?,?,?,?,?,?,?,?) RETURNING id",
                _iso(self._clock()),
                change.operation,
                change.path,
                change.actor,
                change.before,
                change.offset,
                change.length,
                change.digest,
                change.undoes,
                change.preview,
                change.target,
            )
            return int(number)

    def commit(self, entry: int, offset: int | None = None) -> None:
        """Note that the change happened; `offset`: where an append really landed."""
        with self._transaction():
            self._run(
                "UPDATE journal SET status='committed', start=coalesce(?, start) WHERE id=?",
                offset,
                entry,
            )

    def abort(self, entry: int) -> None:
        """Forget an entry whose change did not happen."""
        with self._transaction():
            self._run("DELETE FROM journal WHERE id=?", entry)

    def amend(self, entry: int, offset: int, length: int, digest: str) -> None:
        """Note that the bytes of an append stand elsewhere, or as others, by now."""
        with self._transaction():
            self._run(
                "UPDATE journal SET start=?, length=?, digest=? WHERE id=?",
                offset,
                length,
                digest,
                entry,
            )

    def unfinished(self) -> list[JournalEntry]:
        """Return the entries that were begun and neither committed nor aborted, oldest first."""
        return self._entries("WHERE status='begun' ORDER BY id")

    def recent(self, limit: int = 50, *, path: str | None = None) -> list[JournalEntry]:
        """Return the newest entries (of a path, or of those that fit a glob), newest first."""
        return self._entries(
            "WHERE ?1 IS NULL OR path=?1 OR path GLOB ?1 OR target=?1 OR target GLOB ?1"
            " ORDER BY id DESC LIMIT ?2",
            path,
            limit,
        )

    def entry(self, number: int) -> JournalEntry:
        """Return an entry of the journal; raises `NotFound`."""
        found = self._entries("WHERE id=?", number)
        if not found:
            raise NotFound(f"no entry {number} in the journal", "list them with: hippod log")
        return found[0]

    def entries_since(self, number: int, path: str) -> list[JournalEntry]:
        """Return the entries of a path behind one of them, oldest first."""
        return self._entries("WHERE id>?1 AND (path=?2 OR target=?2) ORDER BY id", number, path)

    def _entries(self, which: str, *values: object) -> list[JournalEntry]:
        with self._lock:
            rows = self._all(f"SELECT {_ENTRY} FROM journal {which}", *values)
            undoers = self._all(
                "SELECT id, undoes FROM journal WHERE undoes NOT NULL AND status='committed'"
                " ORDER BY id DESC"
            )
        undone: dict[int, int] = {}
        for number, of in undoers:  # newest first: whether an undo was undone is known by then
            if number not in undone:
                undone.setdefault(of, number)
        return [_journal_entry(row, undone.get(row[0])) for row in rows]

    def prune_journal(self, before: datetime, max_bytes: int) -> int:
        """Drop entries older than a time, then the oldest until before-images fit; count them.

        Entries without an image, as appended facts have none, only go by age.
        """
        with self._transaction():
            self._run("DELETE FROM journal WHERE time<?", _iso(before))
            dropped = self._connection.changes()
            self._run(
                "DELETE FROM journal WHERE id IN (SELECT id FROM (SELECT id,"
                " sum(length(before)) OVER (ORDER BY id DESC) AS held FROM journal"
                " WHERE length(before)>0) WHERE held>?)",
                max_bytes,
            )
            return dropped + self._connection.changes()

    # -- the file's size ---------------------------------------------------------------------

    def compact(self) -> bool:
        """Give free pages back if they are many and the file is not large; say whether it did."""
        with self._lock, _storage(self.path):
            return compaction.compact(self._connection, _MOST_COMPACTED)

    # -- jobs --------------------------------------------------------------------------------

    def start_run(self, name: str, started: datetime) -> None:
        """Note that a job runs, so that an interrupted run is seen after a crash."""
        with self._transaction():
            self._put_run(Run(name, started, 0.0, "running", ""))

    def record_run(
        self, name: str, started: datetime, seconds: float, outcome: str, error: str = ""
    ) -> None:
        """Record the end of a run (that began with `start_run`, or not)."""
        with self._transaction():
            self._put_run(Run(name, started, seconds, outcome, error))
            self._run(
                "DELETE FROM run WHERE name=?1 AND started NOT IN (SELECT started FROM run"
                " WHERE name=?1 ORDER BY started DESC LIMIT ?2)",
                name,
                _RUNS_KEPT,
            )

    def last_run(self, name: str) -> Run | None:
        """Return the last run of a job that ended or was interrupted."""
        return next(iter(self.runs(name, limit=1)), None)

    def runs(self, name: str, limit: int = 20) -> list[Run]:
        """Return the last runs of a job that ended or were interrupted, newest first."""
        rows = self._all(
            "SELECT name, started, seconds, outcome, error FROM run WHERE name=?"
            " AND outcome<>'running' ORDER BY started DESC LIMIT ?",
            name,
            limit,
        )
        return [Run(job, _time(at), seconds, how, why) for job, at, seconds, how, why in rows]

    # -- reflection --------------------------------------------------------------------------

    def reflected(self, what: Reflected) -> dict[str, str]:
        """Return what reflection noted of facts, pages or summaries, by key."""
        return dict(self._all("SELECT key, value FROM reflected WHERE what=?", what))

    def note_reflected(self, notes: Mapping[Reflected, Mapping[str, str]]) -> None:
        """Add what reflection did, all of it or nothing."""
        with self._transaction():
            self._many(
                "INSERT OR REPLACE INTO reflected(what, key, value) VALUES (?,?,?)",
                ((what, key, value) for what, each in notes.items() for key, value in each.items()),
            )

    def drop_reflected(self, what: Reflected, keys: Iterable[str] | None = None) -> None:
        """Forget notes of one sort, by default all of them."""
        chosen = None if keys is None else json.dumps(list(keys))
        with self._transaction():
            self._run(
                "DELETE FROM reflected WHERE what=?1"
                " AND (?2 IS NULL OR key IN (SELECT value FROM json_each(?2)))",
                what,
                chosen,
            )

    # -- usage of models ---------------------------------------------------------------------

    def add_usage(
        self,
        day: date,
        model: str,
        *,
        tokens_in: int,
        tokens_out: int,
        seconds: float,
        calls: int = 1,
    ) -> None:
        """Add what calls of a model cost to its sum of the day."""
        with self._transaction():
            self._run(
                "INSERT INTO usage(day, model, calls, tokens_in, tokens_out, seconds)"
                " VALUES (?,?,?,?,?,?) ON CONFLICT(day, model) DO UPDATE SET"
                " calls=calls+excluded.calls, tokens_in=tokens_in+excluded.tokens_in,"
                " tokens_out=tokens_out+excluded.tokens_out, seconds=seconds+excluded.seconds",
                day.isoformat(),
                model,
                calls,
                tokens_in,
                tokens_out,
                seconds,
            )

    def usage(self, since: date) -> list[Usage]:
        """Return what each model cost on each day from `since` on, newest day first."""
        rows = self._all(
            "SELECT day, model, calls, tokens_in, tokens_out, seconds FROM usage WHERE day>=?"
            " ORDER BY day DESC, model",
            since.isoformat(),
        )
        return [Usage(date.fromisoformat(row[0]), *row[1:]) for row in rows]

    def tokens_on(self, day: date) -> int:
        """Count the tokens, in and out, that all models used on a day."""
        row = self._required(
            "SELECT coalesce(sum(tokens_in + tokens_out), 0) FROM usage WHERE day=?",
            day.isoformat(),
        )
        return int(row[0])

    # -- self-tests, counters, anything else -------------------------------------------------

    def get_verdict(self, model: str, task: str) -> Verdict | None:
        """Return what the self-test of a model (by hash) said about a task."""
        row = self._one(
            "SELECT passed, score, detail, time FROM selftest WHERE model=? AND task=?",
            model,
            task,
        )
        return Verdict(bool(row[0]), row[1], row[2], _time(row[3])) if row else None

    def verdicts(self, model: str) -> dict[str, Verdict]:
        """Return what the self-tests of a model said, by task."""
        rows = self._all(
            "SELECT task, passed, score, detail, time FROM selftest WHERE model=? ORDER BY task",
            model,
        )
        return {row[0]: Verdict(bool(row[1]), row[2], row[3], _time(row[4])) for row in rows}

    def set_verdict(
        self, model: str, task: str, passed: bool, score: float = 0.0, detail: str = ""
    ) -> None:
        """Keep the verdict of a self-test."""
        with self._transaction():
            self._run(
                "INSERT OR REPLACE INTO selftest(model, task, passed, score, detail, time)"
                " VALUES (?,?,?,?,?,?)",
                model,
                task,
                int(passed),
                score,
                detail,
                _iso(self._clock()),
            )

    def get_meta(self, key: str) -> str | None:
        """Return a value that was kept under a name."""
        row = self._one("SELECT value FROM meta WHERE key=?", key)
        return row[0] if row else None

    def set_meta(self, key: str, value: str) -> None:
        """Keep a value under a name."""
        with self._transaction():
            self._run("INSERT OR REPLACE INTO meta(key, value) VALUES (?,?)", key, value)

    def count(self, name: str, by: int = 1) -> None:
        """Raise a counter."""
        with self._transaction():
            self._run(
                "INSERT INTO counter(name, value) VALUES (?1,?2)"
                " ON CONFLICT(name) DO UPDATE SET value=value+?2",
                name,
                by,
            )

    def counters(self) -> Mapping[str, int]:
        """Return all counters."""
        return dict(self._all("SELECT name, value FROM counter ORDER BY name"))

    # -- forgetting --------------------------------------------------------------------------

    def cited_turns(self, ids: Iterable[str]) -> set[tuple[str, str, str]]:
        """Return source, session and id of the turns that facts rest on."""
        rows = self._all(
            f"SELECT b.source, b.session, {_FACT_OF_BATCH} FROM batch_fact f JOIN batch b"
            " ON b.id=f.batch WHERE f.id IN (SELECT value FROM json_each(?))",
            json.dumps(list(ids)),
        )
        return {
            (source, session, turn)
            for source, session, *row in rows
            for turn in _fact(tuple(row)).cited
        }

    def purge(self, goes: Forgotten) -> Counter[str]:
        """Blank all that says something forgotten; count it by what it was.

        Facts keep their ids and are never appended again; changes whose before-image goes cannot
        be taken back any more. Nothing is left of it in the file.
        """
        done: Counter[str] = Counter()
        with self._transaction():
            self._purge_journal(goes, done)
            self._purge_batches(goes, done)
            self._purge_facts(goes, done)
            for table, keys, column in _TOLD:
                self._purge_column(table, keys, column, goes, done)
        with self._lock, _storage(self.path):
            compaction.rewrite(self._connection)
        return done

    def says(self, goes: Forgotten) -> bool:
        """Say whether a turn, a fact, a refusal or a change that is kept says it."""
        facts = self._all("SELECT id, bullet FROM batch_fact WHERE bullet<>''")
        if any(goes.fact(id_, bullet) for id_, bullet in facts):
            return True
        if any(goes.text(text) != text for (text,) in self._all("SELECT text FROM rejected")):
            return True
        for (number,) in self._all("SELECT id FROM batch"):
            batch = self.batch(number)
            for turn in (*batch.turns, *batch.context):
                if goes.turn(batch.source, batch.session, turn) is not turn:
                    return True
        numbers = self._all("SELECT id FROM journal WHERE length(before)>0")
        image = "SELECT path, before FROM journal WHERE id=?"
        return any(goes.in_bytes(*self._required(image, *row)) for row in numbers)

    def drop_backups(self) -> list[str]:
        """Delete copies of this file that were made before a migration or moved aside."""
        dropped = []
        with _storage(self.path):
            for pattern in (f"{self.path.name}.v*.bak*", f"{self.path.name}.corrupt-*"):
                for path in sorted(self.path.parent.glob(pattern)):
                    path.unlink(missing_ok=True)
                    dropped.append(path.name)
        return dropped

    def _purge_journal(self, goes: Forgotten, done: Counter[str]) -> None:
        for (number,) in self._all("SELECT id FROM journal WHERE before NOT NULL"):
            image = self._required("SELECT path, before FROM journal WHERE id=?", number)
            if goes.in_bytes(*image):
                self._run(
                    "UPDATE journal SET before=NULL, preview='', operation='purged' WHERE id=?",
                    number,
                )
                done["changes"] += 1
        self._purge_previews(goes, done)
        self._purge_pages(done)

    def _purge_previews(self, goes: Forgotten, done: Counter[str]) -> None:
        """Blank previews that say it, and those that may begin to.

        Only the first line, or its first words, are kept: by these alone nobody can tell.
        """
        rows = self._all(
            "SELECT id, path, preview, EXISTS(SELECT 1 FROM journal f WHERE f.operation='forget'"
            " AND f.path=j.path AND f.id>j.id) FROM journal j"
            " WHERE preview<>'' AND operation<>'rename'"
        )
        for number, path, preview, is_earlier in rows:
            is_cut = len(preview) >= PREVIEW_CHARACTERS
            if is_earlier or is_cut or goes.in_bytes(path, preview.encode()):
                self._run("UPDATE journal SET preview='' WHERE id=?", number)
                done["previews"] += 1

    def _purge_pages(self, done: Counter[str]) -> None:
        """Delete what is kept of pages that went whole: their names may say it."""
        gone = (
            "SELECT path, max(id) AS last FROM journal WHERE operation='forget'"
            " AND status='committed' AND digest IS NULL GROUP BY path"
        )
        self._run(f"DELETE FROM reflected WHERE what='page' AND key IN (SELECT path FROM ({gone}))")
        self._run(
            "DELETE FROM journal WHERE id IN (SELECT j.id FROM journal j"
            f" JOIN ({gone}) g ON j.path=g.path AND j.id<=g.last)"
        )
        done["changes"] += self._connection.changes()

    def _purge_batches(self, goes: Forgotten, done: Counter[str]) -> None:
        for (number,) in self._all("SELECT id FROM batch"):
            batch = self.batch(number)
            turns, context = (
                [goes.turn(batch.source, batch.session, turn) for turn in each]
                for each in (batch.turns, batch.context)
            )
            changed = sum(
                new is not old
                for new, old in zip([*turns, *context], [*batch.turns, *batch.context], strict=True)
            )
            if changed:
                self._run(
                    "UPDATE batch SET turns=?, context=? WHERE id=?",
                    _turns_json(turns),
                    _turns_json(context),
                    number,
                )
                done["turns"] += changed
            for planned in batch.planned:
                if goes.in_bytes(planned.path, planned.data):
                    self._run("DELETE FROM planned WHERE batch=? AND path=?", number, planned.path)

    def _purge_facts(self, goes: Forgotten, done: Counter[str]) -> None:
        rows = self._all("SELECT DISTINCT id, bullet FROM batch_fact WHERE bullet<>''")
        ids = [id_ for id_, bullet in rows if goes.fact(id_, bullet)]
        self._run(
            "UPDATE batch_fact SET bullet='', undone=1 WHERE id IN"
            " (SELECT value FROM json_each(?))",
            json.dumps(ids),
        )
        done["facts"] += len(ids)
        self._run(
            "UPDATE batch SET status='appended' WHERE status='extracted' AND id IN (SELECT batch"
            " FROM batch_fact GROUP BY batch HAVING sum(path='' AND NOT undone)=0)"
        )

    def _purge_column(
        self, table: str, keys: str, column: str, goes: Forgotten, done: Counter[str]
    ) -> None:
        for *key, value in self._all(f"SELECT {keys}, {column} FROM {table}"):
            if value and goes.text(value) != value:
                where = " AND ".join(f"{name}=?" for name in keys.split(", "))
                is_rest = column == "error"  # the row itself says something else
                blank = f"UPDATE {table} SET {column}=''" if is_rest else f"DELETE FROM {table}"
                self._run(f"{blank} WHERE {where}", *key)
                done[table] += 1

    # -- rows --------------------------------------------------------------------------------

    def _read_batch(self, row: Row) -> Batch:
        number = row[0]
        facts = self._all(f"SELECT {_FACT} FROM batch_fact WHERE batch=? ORDER BY position", number)
        planned = self._all(
            "SELECT path, offset, data, inode, landed FROM planned WHERE batch=? ORDER BY path",
            number,
        )
        return Batch(
            id=number,
            source=row[1],
            session=row[2],
            path=row[3],
            status=row[4],
            turns=_turns(row[5]),
            context=_turns(row[6]),
            cursor_after=_cursor(row[7]) if row[7] else None,
            facts=tuple(_fact(fact) for fact in facts),
            planned=tuple(PlannedAppend(*plan[:4]) for plan in planned),
            landed=frozenset(plan[0] for plan in planned if plan[4]),
            attempts=row[8],
            next_try=_time(row[9]) if row[9] else None,
            error=row[10],
            created=_time(row[11]),
            updated=_time(row[12]),
            tokens=row[13],
            seconds=row[14],
        )

    def _set_status(self, number: int, status: BatchStatus) -> None:
        self._run(
            "UPDATE batch SET status=?, updated=? WHERE id=?",
            status,
            _iso(self._clock()),
            number,
        )
        if self._connection.changes() != 1:
            raise NotFound(f"no batch {number}")

    def _set_facts(self, number: int, ids: Iterable[str], what: str, value: object) -> None:
        self._run(
            f"UPDATE batch_fact SET {what} WHERE batch=?"
            " AND id IN (SELECT value FROM json_each(?))",
            value,
            number,
            json.dumps(list(ids)),
        )

    def _close_batch(self, number: int, status: BatchStatus, error: str) -> None:
        self._set_status(number, status)
        self._run("UPDATE batch SET error=?, next_try=NULL WHERE id=?", error, number)
        self._run("DELETE FROM planned WHERE batch=?", number)
        source, path = self._required("SELECT source, path FROM batch WHERE id=?", number)
        row = self._one(
            "SELECT cursor_after FROM batch WHERE source=?1 AND path=?2 AND cursor_after NOT NULL"
            " AND status IN ('done','failed') AND id<coalesce((SELECT min(id) FROM batch"
            " WHERE source=?1 AND path=?2 AND status NOT IN ('done','failed')), 1<<62)"
            " AND id>=?3 ORDER BY id DESC LIMIT 1",
            source,
            path,
            number,
        )
        if row:
            self._put_cursor(source, path, _cursor(row[0]))

    def _put_cursor(self, source: str, path: str, cursor: Cursor) -> None:
        self._run(
            "INSERT OR REPLACE INTO cursor(source, path, value, updated) VALUES (?,?,?,?)",
            source,
            path,
            json.dumps(asdict(cursor)),
            _iso(self._clock()),
        )

    def _put_rejected(self, batch: int | None, items: Iterable[Refusal]) -> None:
        now = _iso(self._clock())
        self._many(
            "INSERT INTO rejected(batch, time, text, reason, turn) VALUES (?,?,?,?,?)",
            ((batch, now, *item[:2], item[2] if len(item) > 2 else "") for item in items),
        )
        self._run("DELETE FROM rejected WHERE id<=(SELECT max(id) FROM rejected)-?", _REJECTED_KEPT)

    def _put_run(self, run: Run) -> None:
        self._run(
            "INSERT OR REPLACE INTO run(name, started, seconds, outcome, error) VALUES (?,?,?,?,?)",
            run.name,
            _iso(run.started),
            run.seconds,
            run.outcome,
            run.error,
        )

    # -- the file ----------------------------------------------------------------------------

    def _open(self) -> apsw.Connection:
        try:
            return self._connect()
        except (apsw.NotADBError, apsw.CorruptError):
            self.recovered_from = _move_aside(self.path, self._clock())
            return self._connect()

    def _connect(self) -> apsw.Connection:
        connection = apsw.Connection(str(self.path))
        try:
            # First of all: every other pragma may already meet a lock.
            connection.set_busy_timeout(_BUSY_MS)
            _check(connection)
            self.journal_mode = _use_wal(connection)
            for pragma in ("synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
                connection.execute(f"PRAGMA {pragma}")
        except apsw.Error:
            connection.close()
            raise
        return connection

    def _migrate(self) -> None:
        version = self._version()
        if version > len(MIGRATIONS):
            self._connection.close()
            raise StorageError(
                f"{self.path}: written by a newer hippod (schema {version}, this one knows"
                f" {len(MIGRATIONS)})",
                "run that version, or move the file away to start with empty state",
            )
        if 0 < version < len(MIGRATIONS):
            self._back_up(version)
        with self._transaction():
            # Again inside the transaction: another process may have been faster.
            for number in range(self._version(), len(MIGRATIONS)):
                for statement in MIGRATIONS[number]:
                    self._run(statement)
                self._run(f"PRAGMA user_version={number + 1}")

    def _version(self) -> int:
        return int(self._required("PRAGMA user_version")[0])

    def _back_up(self, version: int) -> None:
        copy = apsw.Connection(f"{self.path}.v{version}.bak")
        try:
            with copy.backup("main", self._connection, "main") as backup:
                while not backup.done:
                    backup.step(1000)
        finally:
            copy.close()

    def _mark_interrupted(self) -> None:
        with self._transaction():
            self._run("UPDATE run SET outcome='interrupted' WHERE outcome='running'")

    # -- SQL ---------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock, _storage(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                commit(self._connection)
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _run(self, sql: str, *values: object) -> None:
        self._connection.execute(sql, values)

    def _many(self, sql: str, rows: Iterable[tuple[object, ...]]) -> None:
        self._connection.executemany(sql, rows)

    def _all(self, sql: str, *values: object) -> list[Row]:
        with self._lock, _storage(self.path):
            return self._connection.execute(sql, values).fetchall()

    def _one(self, sql: str, *values: object) -> Row | None:
        return next(iter(self._all(sql, *values)), None)

    def _required(self, sql: str, *values: object) -> Row:
        return self._all(sql, *values)[0]


def commit(connection: apsw.Connection) -> None:
    """Commit: the one place where a change of state becomes durable."""
    connection.execute("COMMIT")


# -- opening ---------------------------------------------------------------------------------


def _check(connection: apsw.Connection) -> None:
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchall()[0]
    if verdict != "ok":
        raise apsw.CorruptError(str(verdict))


def _use_wal(connection: apsw.Connection) -> str:
    """Switch to WAL and return the mode in force; some filesystems refuse without an error."""
    for _ in range(_OPEN_TRIES):
        try:
            return str(connection.execute("PRAGMA journal_mode=WAL").fetchall()[0][0])
        except apsw.BusyError:
            # Processes that open a new file at once can fail here despite the timeout.
            time.sleep(0.05)
    return str(connection.execute("PRAGMA journal_mode=WAL").fetchall()[0][0])


def _move_aside(path: Path, now: datetime) -> Path:
    aside = path.with_name(f"{path.name}.corrupt-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}")
    path.rename(aside)
    for suffix in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            Path(f"{path}{suffix}").rename(f"{aside}{suffix}")
    return aside


@contextlib.contextmanager
def _storage(path: Path) -> Iterator[None]:
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


# -- values ----------------------------------------------------------------------------------

_BATCH = (
    "id, source, session, path, status, turns, context, cursor_after, attempts, next_try, error,"
    " created, updated, tokens, seconds"
)
_FACT = "id, day, bullet, pinned, path, read_back, reappended, turns, made_by, undone"
_FACT_OF_BATCH = ", ".join(f"f.{name}" for name in _FACT.split(", "))
_TOLD = (
    ("rejected", "id", "text"),
    ("batch", "id", "error"),
    ("run", "name, started", "error"),
    ("meta", "key", "value"),
    ("reflected", "what, key", "value"),
)
"""Texts that may quote anything, by table, its key and the column."""
_ENTRY = (
    "id, time, status, operation, path, actor, before, start, length, digest, undoes, preview,"
    " target"
)


def _iso(moment: datetime) -> str:
    """Return UTC with a fixed width, so that text compares as time does."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _cursor(text: str) -> Cursor:
    return Cursor(**json.loads(text))


def _turns_json(turns: Sequence[Turn]) -> str:
    rows = [asdict(turn) | {"time": _iso(turn.time) if turn.time else None} for turn in turns]
    return json.dumps(rows, ensure_ascii=True)


def _turns(text: str) -> tuple[Turn, ...]:
    turns = (Turn(**row) for row in json.loads(text))
    return tuple(replace(turn, time=_time(str(turn.time)) if turn.time else None) for turn in turns)


def _fact_row(number: int, position: int, fact: BatchFact) -> Row:
    return (
        number,
        position,
        fact.id,
        fact.day.isoformat(),
        fact.bullet,
        int(fact.pinned),
        fact.path,
        int(fact.read_back),
        int(fact.reappended),
        json.dumps(fact.turns),
        fact.made_by,
        int(fact.undone),
    )


def _fact(row: Row) -> BatchFact:
    return BatchFact(
        id=row[0],
        day=date.fromisoformat(row[1]),
        bullet=row[2],
        pinned=bool(row[3]),
        path=row[4],
        read_back=bool(row[5]),
        reappended=bool(row[6]),
        turns=tuple(json.loads(row[7])),
        made_by=row[8],
        undone=bool(row[9]),
    )


def _column(inode: int | None) -> int | None:
    """Fit an inode number into SQLite's signed 64 bits."""
    return None if inode is None else inode & (2**63 - 1)


def _journal_entry(row: Row, undone_by: int | None) -> JournalEntry:
    operation: Operation = row[3]
    return JournalEntry(row[0], _time(row[1]), row[2], Change(operation, *row[4:]), undone_by)


def _quotable(batch: Batch, rested_on: Sequence[BatchFact]) -> tuple[Turn, ...]:
    """Return the turns that facts rest on whole, and of their neighbours what is short."""
    turns = [*batch.context, *batch.turns]
    cited = {id_ for fact in rested_on for id_ in fact.cited}
    places = [place for place, turn in enumerate(turns) if turn.id in cited]
    near = {place + step for place in places for step in _AROUND}
    return tuple(
        turn if turn.id in cited else replace(turn, text=turn.text[:_NEIGHBOUR_CHARACTERS])
        for place, turn in enumerate(turns)
        if place in near and turn.text
    )


# -- migrations ------------------------------------------------------------------------------

_M001_INITIAL = (
    "CREATE TABLE cursor(source TEXT NOT NULL, path TEXT NOT NULL, value TEXT NOT NULL,"
    " updated TEXT NOT NULL, PRIMARY KEY(source, path)) STRICT, WITHOUT ROWID",
    "CREATE TABLE seen(source TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY(source, key))"
    " STRICT, WITHOUT ROWID",
    "CREATE TABLE batch(id INTEGER PRIMARY KEY AUTOINCREMENT, source TEXT NOT NULL,"
    " session TEXT NOT NULL, path TEXT NOT NULL, status TEXT NOT NULL"
    " CHECK(status IN ('read','extracted','appended','done','failed')),"
    " turns TEXT NOT NULL, context TEXT NOT NULL, cursor_after TEXT,"
    " attempts INTEGER NOT NULL DEFAULT 0, next_try TEXT, error TEXT NOT NULL DEFAULT '',"
    " created TEXT NOT NULL, updated TEXT NOT NULL, tokens INTEGER NOT NULL DEFAULT 0,"
    " seconds REAL NOT NULL DEFAULT 0) STRICT",
    "CREATE INDEX batch_by_status ON batch(status)",
    "CREATE INDEX batch_by_path ON batch(source, path)",
    "CREATE TABLE batch_fact(batch INTEGER NOT NULL REFERENCES batch(id) ON DELETE CASCADE,"
    " position INTEGER NOT NULL, id TEXT NOT NULL, day TEXT NOT NULL, bullet TEXT NOT NULL,"
    " pinned INTEGER NOT NULL, path TEXT NOT NULL, read_back INTEGER NOT NULL,"
    " reappended INTEGER NOT NULL, PRIMARY KEY(batch, position)) STRICT, WITHOUT ROWID",
    "CREATE INDEX batch_fact_by_id ON batch_fact(id)",
    "CREATE INDEX batch_fact_by_day ON batch_fact(day)",
    "CREATE TABLE planned(batch INTEGER NOT NULL REFERENCES batch(id) ON DELETE CASCADE,"
    " path TEXT NOT NULL, offset INTEGER NOT NULL, data BLOB NOT NULL, inode INTEGER,"
    " landed INTEGER NOT NULL, PRIMARY KEY(batch, path)) STRICT",
    "CREATE TABLE rejected(id INTEGER PRIMARY KEY AUTOINCREMENT, batch INTEGER,"
    " text TEXT NOT NULL, reason TEXT NOT NULL, time TEXT NOT NULL) STRICT",
    "CREATE TABLE journal(id INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT NOT NULL,"
    " status TEXT NOT NULL CHECK(status IN ('begun','committed')), operation TEXT NOT NULL,"
    " path TEXT NOT NULL, actor TEXT NOT NULL, before BLOB, start INTEGER, length INTEGER,"
    " digest TEXT) STRICT",
    "CREATE INDEX journal_by_time ON journal(time)",
    "CREATE TABLE run(name TEXT NOT NULL, started TEXT NOT NULL, seconds REAL NOT NULL,"
    " outcome TEXT NOT NULL, error TEXT NOT NULL, PRIMARY KEY(name, started))"
    " STRICT, WITHOUT ROWID",
    "CREATE TABLE selftest(model TEXT NOT NULL, task TEXT NOT NULL, passed INTEGER NOT NULL,"
    " score REAL NOT NULL, detail TEXT NOT NULL, time TEXT NOT NULL,"
    " PRIMARY KEY(model, task)) STRICT, WITHOUT ROWID",
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE counter(name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID",
)

_M002_PROVENANCE = (
    "CREATE TABLE usage(day TEXT NOT NULL, model TEXT NOT NULL, calls INTEGER NOT NULL,"
    " tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, seconds REAL NOT NULL,"
    " PRIMARY KEY(day, model)) STRICT, WITHOUT ROWID",
    "ALTER TABLE batch ADD COLUMN thinned INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE batch_fact ADD COLUMN turns TEXT NOT NULL DEFAULT '[]'",
    "ALTER TABLE batch_fact ADD COLUMN made_by TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE batch_fact ADD COLUMN undone INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE rejected ADD COLUMN turn TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE journal ADD COLUMN undoes INTEGER",
    "ALTER TABLE journal ADD COLUMN preview TEXT NOT NULL DEFAULT ''",
    "CREATE INDEX journal_by_path ON journal(path)",
    "CREATE INDEX journal_by_undoes ON journal(undoes) WHERE undoes NOT NULL",
)

_M003_RENAMES = (
    "ALTER TABLE journal ADD COLUMN target TEXT",
    "CREATE INDEX journal_by_target ON journal(target) WHERE target NOT NULL",
)

_M004_REFLECTED = (
    "CREATE TABLE reflected(what TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,"
    " PRIMARY KEY(what, key)) STRICT, WITHOUT ROWID",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    _M001_INITIAL,
    _M002_PROVENANCE,
    _M003_RENAMES,
    _M004_REFLECTED,
)
"""Forward only; `user_version` counts those applied. Never change one that was released."""
