"""`state.sqlite`: cursors, batches, journal and job history; the only database that migrates.

One connection behind one lock; every method is one transaction. The live file is never opened
by other means: closing such a descriptor would drop SQLite's locks on it.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Literal, Protocol

from hippod import compaction
from hippod import facts as grammar
from hippod.errors import NotFound
from hippod.journal import (
    PREVIEW_CHARACTERS,
    Appended,
    Change,
    JournalEntry,
    Operation,
    PlannedAppend,
)
from hippod.state import census
from hippod.state.agenda import Agenda
from hippod.state.checked import Checked
from hippod.state.database import Clock, Database, Row, iso, moment, storage
from hippod.state.events import EventLog, left_of
from hippod.state.working import WorkingMemory
from hippod.transcripts.turns import Cursor, Turn

BatchStatus = Literal["read", "extracted", "appended", "done", "failed"]
Reflected = Literal["fact", "judging", "page", "summary", "append", "proposal"]
"""What reflection takes notes of: facts that it judged, facts that it is just judging, pages as
it left them, summaries of days that it wrote, appends to logs that it began, and proposals that
it made, each with the ids of the facts that it cited."""

FACTS_BY = "facts of batches read by "
"""Name of a model's counter, before the model's name: `status` tells what a fact costs."""
_LAST_BACKUP = "last_backup"
_REJECTED_KEPT = 500
_FOREVER = "9999"
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
    """One run of a job; outcome `running` or `interrupted` if it never ended.

    `due` is when the schedule wanted it, None for runs that somebody `asked` for; `missed` counts
    earlier times at which it was due too, all made up for by this one run. `detail` is JSON of
    the job's own; a reader must take an empty or cut one, for `forget` blanks it.
    """

    name: str
    started: datetime
    seconds: float
    outcome: str
    error: str
    due: datetime | None = None
    missed: int = 0
    asked: bool = True
    tokens: int = 0
    detail: str = ""


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


class State(Database):
    """The daemon's own memory. Thread-safe.

    `agenda` holds what is kept of the schedule, `checked` what the heartbeat found, `working`
    the sessions' working memory, `events` the last events.
    """

    def __init__(self, path: Path, *, clock: Clock = lambda: datetime.now(UTC)) -> None:
        super().__init__(path, clock=clock)
        self.agenda = Agenda(self)
        self.checked = Checked(self)
        self.working = WorkingMemory(self)
        self.events = EventLog(self)
        self.ended: Counter[tuple[str, str]] = Counter()
        """Runs that ended since the start, by job and outcome."""
        with self.transaction():
            self.execute("UPDATE run SET outcome='interrupted' WHERE outcome='running'")

    # -- cursors -----------------------------------------------------------------------------

    def get_cursor(self, source: str, path: str) -> Cursor | None:
        """Return how far a transcript is finished."""
        row = self.row("SELECT value FROM cursor WHERE source=? AND path=?", source, path)
        return _cursor(row[0]) if row else None

    def reading_cursor(self, source: str, path: str) -> Cursor | None:
        """Return how far a transcript was read, counting batches that are not done yet."""
        row = self.row(
            "SELECT cursor_after FROM batch WHERE source=? AND path=? AND cursor_after NOT NULL"
            " AND status NOT IN ('done','failed') ORDER BY id DESC LIMIT 1",
            source,
            path,
        )
        return _cursor(row[0]) if row else self.get_cursor(source, path)

    def set_cursor(self, source: str, path: str, cursor: Cursor) -> None:
        """Move a cursor where there is no batch to finish."""
        with self.transaction():
            self._put_cursor(source, path, cursor)

    def cursors(self) -> dict[tuple[str, str], Cursor]:
        """Return all cursors by (source, path)."""
        rows = self.rows("SELECT source, path, value FROM cursor ORDER BY source, path")
        return {(source, path): _cursor(value) for source, path, value in rows}

    # -- turns -------------------------------------------------------------------------------

    def seen(self, source: str, keys: Iterable[str]) -> frozenset[str]:
        """Return those turn keys that already belong to a batch of this source.

        Whichever session it was: a forked or resumed session replays turns of an earlier one.
        """
        rows = self.rows(
            "SELECT key FROM seen WHERE source=? AND key IN (SELECT value FROM json_each(?))",
            source,
            json.dumps(list(keys)),
        )
        return frozenset(key for (key,) in rows)

    def turns_seen(self, source: str) -> int:
        """Count the turns of a source that were ever stored in a batch."""
        return int(self.only("SELECT count(*) FROM seen WHERE source=?", source)[0])

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
        now = iso(self.clock())
        with self.transaction():
            (number,) = self.only(
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
            self.execute_many(
                "INSERT OR IGNORE INTO seen(source, key) VALUES (?,?)",
                ((source, turn.key) for turn in turns),
            )
            return self.batch(number)

    def batch(self, number: int) -> Batch:
        """Return one batch; raises `NotFound`."""
        with self._lock:
            row = self.row(f"SELECT {_BATCH} FROM batch WHERE id=?", number)
            if row is None:
                raise NotFound(f"no batch {number}")
            return self._read_batch(row)

    def open_batches(self, source: str | None = None, path: str | None = None) -> list[Batch]:
        """Return the batches (of one transcript) that are neither done nor failed, oldest first."""
        with self._lock:
            rows = self.rows(
                f"SELECT {_BATCH} FROM batch WHERE status NOT IN ('done','failed')"
                " AND (?1 IS NULL OR source=?1) AND (?2 IS NULL OR path=?2) ORDER BY id",
                source,
                path,
            )
            return [self._read_batch(row) for row in rows]

    def failed_batches(self) -> list[Batch]:
        """Return the batches that were given up, oldest first."""
        with self._lock:
            rows = self.rows(f"SELECT {_BATCH} FROM batch WHERE status='failed' ORDER BY id")
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
        with self.transaction():
            self._set_status(number, "extracted")
            self.execute("DELETE FROM batch_fact WHERE batch=?", number)
            self.execute_many(
                f"INSERT INTO batch_fact(batch, position, {_FACT})"
                " VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
                (_fact_row(number, position, fact) for position, fact in enumerate(facts)),
            )
            self.execute(
                "UPDATE batch SET tokens=tokens+?, seconds=seconds+?, error='' WHERE id=?",
                tokens,
                seconds,
                number,
            )
            self._put_rejected(number, rejected)

    def plan_append(self, number: int, planned: PlannedAppend) -> None:
        """Store bytes that are about to be appended; replaces the batch's plan for that log."""
        with self.transaction():
            self.execute(
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
        with self.transaction():
            if appended.data:
                self.execute(
                    "INSERT OR REPLACE INTO planned(batch, path, offset, data, inode, landed)"
                    " VALUES (?,?,?,?,?,1)",
                    number,
                    appended.path,
                    appended.offset,
                    appended.data,
                    _column(appended.inode),
                )
            self.execute(
                "UPDATE planned SET landed=1 WHERE batch=? AND path=?", number, appended.path
            )
            self._set_facts(number, ids, "path=?", appended.path)
            left = self.row(
                "SELECT 1 FROM batch_fact WHERE batch=? AND path='' AND NOT undone", number
            )
            if left is None:
                self._set_status(number, "appended")

    def mark_read_back(self, number: int, ids: Iterable[str]) -> None:
        """Note that facts were seen in their logs."""
        with self.transaction():
            self._set_facts(number, ids, "read_back=?", 1)

    def mark_reappended(self, number: int, ids: Iterable[str]) -> None:
        """Note that facts were missing and are appended once more; call it before doing so."""
        with self.transaction():
            self._set_facts(number, ids, "reappended=?", 1)

    def finish(self, number: int) -> None:
        """Make a batch `done` and move the cursor of its transcript, at once.

        The cursor never passes a batch of the same transcript that is still open.
        """
        with self.transaction():
            self._close_batch(number, "done", "")

    def fail(self, number: int, error: str) -> None:
        """Give a batch up: it stays to be seen, and the cursor moves on."""
        with self.transaction():
            self._close_batch(number, "failed", error)

    def retry_later(self, number: int, error: str, next_try: datetime) -> None:
        """Count a failed attempt and say when to try again."""
        with self.transaction():
            self.execute(
                "UPDATE batch SET attempts=attempts+1, error=?, next_try=?, updated=? WHERE id=?",
                error,
                iso(next_try),
                iso(self.clock()),
                number,
            )

    def drop_turns(self, before: datetime) -> int:
        """Drop the turns of batches that ended before a time, and return how many batches.

        What their facts rest on stays, with a little around it, so that `origin` can quote it.
        """
        with self._lock:
            rows = self.rows(
                f"SELECT {_BATCH} FROM batch WHERE status IN ('done','failed') AND NOT thinned"
                " AND updated<? ORDER BY id LIMIT ?",
                iso(before),
                _THINNED_AT_ONCE,
            )
            batches = [self._read_batch(row) for row in rows]
            with self.transaction():
                for batch in batches:
                    self.execute(
                        "UPDATE batch SET turns=?, context='[]', thinned=1 WHERE id=?",
                        _turns_json(_quotable(batch, batch.facts)),
                        batch.id,
                    )
            return len(batches)

    # -- facts -------------------------------------------------------------------------------

    def facts_on(self, day: date) -> int:
        """Count the facts of a day that count towards its cap (not the pinned ones)."""
        row = self.row(
            "SELECT count(DISTINCT id) FROM batch_fact WHERE day=? AND NOT pinned",
            day.isoformat(),
        )
        return int(row[0]) if row else 0

    def known_facts(self, ids: Iterable[str]) -> dict[str, BatchFact]:
        """Return those of the facts with these ids that any batch has, the latest of each."""
        rows = self.rows(
            f"SELECT {_FACT} FROM batch_fact WHERE id IN (SELECT value FROM json_each(?))"
            " ORDER BY batch, position",
            json.dumps(list(ids)),
        )
        return {row[0]: _fact(row) for row in rows}

    def facts_like(self, prefix: str) -> list[BatchFact]:
        """Return the facts whose id begins so, the latest of each, in the order of their ids."""
        rows = self.rows(
            f"SELECT {_FACT} FROM batch_fact WHERE id>=?1 AND id<?1||'~' ORDER BY id, batch",
            prefix,
        )
        return list({row[0]: _fact(row) for row in rows}.values())

    def origin(self, id_: str) -> Origin | None:
        """Return what a fact rests on; None for one that no batch has, the latest of several."""
        with self._lock:
            row = self.row("SELECT max(batch) FROM batch_fact WHERE id=?", id_)
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
        with self.transaction():
            wanted = json.dumps(list(ids))
            found = self._connection.execute(
                "UPDATE batch_fact SET undone=?1, path=CASE path WHEN '' THEN ?2 ELSE path END"
                " WHERE undone<>?1 AND id IN (SELECT value FROM json_each(?3)) RETURNING id",
                (int(undone), path, wanted),
            ).fetchall()
            if undone:
                # Else its bytes would be completed as those of an append that was torn.
                self.execute(
                    "DELETE FROM planned WHERE path=? AND NOT landed AND batch IN (SELECT batch"
                    " FROM batch_fact WHERE id IN (SELECT value FROM json_each(?)))",
                    path,
                    wanted,
                )
                self.execute(
                    "UPDATE batch SET status='appended', updated=?1 WHERE status='extracted' AND id"
                    " IN (SELECT batch FROM batch_fact GROUP BY batch HAVING sum(path='' AND"
                    " NOT undone)=0 AND sum(undone AND id IN (SELECT value FROM json_each(?2)))>0)",
                    iso(self.clock()),
                    wanted,
                )
            return [str(id_) for (id_,) in found]

    # -- rejected ----------------------------------------------------------------------------

    def reject(self, batch: int | None, items: Iterable[Refusal]) -> None:
        """Remember rejected (text, reason, turn) items; the text must be redacted."""
        with self.transaction():
            self._put_rejected(batch, items)

    def rejected(self, limit: int = 100, *, batch: int | None = None) -> list[Rejected]:
        """Return what was rejected last, newest first."""
        rows = self.rows(
            "SELECT r.time, r.text, r.reason, r.batch, r.turn, coalesce(b.source, ''),"
            " coalesce(b.session, ''), coalesce(b.path, '') FROM rejected r"
            " LEFT JOIN batch b ON b.id=r.batch WHERE ?1 IS NULL OR r.batch=?1"
            " ORDER BY r.id DESC LIMIT ?2",
            batch,
            limit,
        )
        return [
            Rejected(text, reason, of, moment(at), *where) for at, text, reason, of, *where in rows
        ]

    # -- journal -----------------------------------------------------------------------------

    def begin(self, change: Change) -> int:
        """Write down a change that is about to happen and return the entry's number."""
        with self.transaction():
            (number,) = self.only(
                "INSERT INTO journal(time, status, operation, path, actor, before, start, length,"
                " digest, undoes, preview, target)"
                " VALUES (?,'begun',?,?,?,?,?,?,?,?,?,?) RETURNING id",
                iso(self.clock()),
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
        with self.transaction():
            self.execute(
                "UPDATE journal SET status='committed', start=coalesce(?, start) WHERE id=?",
                offset,
                entry,
            )

    def abort(self, entry: int) -> None:
        """Forget an entry whose change did not happen."""
        with self.transaction():
            self.execute("DELETE FROM journal WHERE id=?", entry)

    def amend(self, entry: int, offset: int, length: int, digest: str) -> None:
        """Note that the bytes of an append stand elsewhere, or as others, by now."""
        with self.transaction():
            self.execute(
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

    def entries_by(self, actor: str) -> list[JournalEntry]:
        """Return what an actor did, newest first."""
        return self._entries("WHERE actor=? ORDER BY id DESC", actor)

    def entries_since(self, number: int, path: str) -> list[JournalEntry]:
        """Return the entries of a path behind one of them, oldest first."""
        return self._entries("WHERE id>?1 AND (path=?2 OR target=?2) ORDER BY id", number, path)

    def _entries(self, which: str, *values: object) -> list[JournalEntry]:
        with self._lock:
            rows = self.rows(f"SELECT {_ENTRY} FROM journal {which}", *values)
            undoers = self.rows(
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
        with self.transaction():
            self.execute("DELETE FROM journal WHERE time<?", iso(before))
            dropped = self._connection.changes()
            self.execute(
                "DELETE FROM journal WHERE id IN (SELECT id FROM (SELECT id,"
                " sum(length(before)) OVER (ORDER BY id DESC) AS held FROM journal"
                " WHERE length(before)>0) WHERE held>?)",
                max_bytes,
            )
            return dropped + self._connection.changes()

    # -- the file's size ---------------------------------------------------------------------

    def compact(self) -> bool:
        """Give free pages back if they are many and the file is not large; say whether it did."""
        with self._lock, storage(self.path):
            return compaction.compact(self._connection, _MOST_COMPACTED)

    def checkpoint(self) -> bool:
        """Fold what SQLite wrote ahead into the file, unless somebody reads it; say whether."""
        with self._lock, storage(self.path):
            return compaction.checkpoint(self._connection)

    def census(self) -> census.Census:
        """Count what there is, without holding up a save; raises `StorageError`."""
        return census.take(self.path)

    # -- jobs --------------------------------------------------------------------------------

    def start_run(self, name: str, started: datetime) -> None:
        """Note that a job runs, so that an interrupted run is seen after a crash."""
        with self.transaction():
            self._put_run(Run(name, started, 0.0, "running", ""))

    def record_run(
        self,
        name: str,
        started: datetime,
        seconds: float,
        outcome: str,
        error: str = "",
        *,
        tokens: int = 0,
        detail: str = "",
    ) -> None:
        """Record the end of a run (that began with `start_run`, or not)."""
        self.ended[name, outcome] += 1
        with self.transaction():
            run = Run(name, started, seconds, outcome, error, tokens=tokens, detail=detail)
            self._put_run(run)
            self.execute(
                # Runs in the future (the clock went back) do not count.
                "DELETE FROM run WHERE name=?1 AND started<=?2 AND started NOT IN (SELECT started"
                " FROM run WHERE name=?1 AND started<=?2 ORDER BY started DESC LIMIT ?3)",
                name,
                iso(started),
                _RUNS_KEPT,
            )

    def note_run(self, name: str, since: datetime, *, due: datetime | None, missed: int) -> None:
        """Add to the runs of a job since `since` when it was due, None if somebody asked.

        Not to those in the future, which a clock that was set back since has left.
        """
        with self.transaction():
            self.execute(
                "UPDATE run SET due=?, missed=?, asked=? WHERE name=? AND started BETWEEN ? AND ?",
                iso(due) if due else None,
                missed,
                int(due is None),
                name,
                iso(since),
                iso(max(since, self.clock())),
            )

    def last_run(self, name: str, *, until: datetime | None = None) -> Run | None:
        """Return the last run of a job that ended or was interrupted; arguments as for `runs`."""
        return next(iter(self.runs(name, limit=1, until=until)), None)

    def is_running(self, name: str) -> bool:
        """Say whether a job began and has not ended, whoever asked for it."""
        row = self.row("SELECT outcome FROM run WHERE name=? ORDER BY started DESC LIMIT 1", name)
        return row is not None and row[0] == "running"

    def runs(self, name: str, limit: int = 20, *, until: datetime | None = None) -> list[Run]:
        """Return the last runs of a job that ended or were interrupted, newest first.

        None that began after `until`: a clock that was wrong leaves some in the future.
        """
        rows = self.rows(
            "SELECT name, started, seconds, outcome, error, due, missed, asked, tokens, detail"
            " FROM run WHERE name=? AND outcome<>'running' AND started<=?"
            " ORDER BY started DESC LIMIT ?",
            name,
            iso(until) if until else _FOREVER,
            limit,
        )
        return [_run(row) for row in rows]

    # -- reflection --------------------------------------------------------------------------

    def reflected(self, what: Reflected) -> dict[str, str]:
        """Return what reflection noted of facts, pages or summaries, by key."""
        return dict(self.rows("SELECT key, value FROM reflected WHERE what=?", what))

    def note_reflected(self, notes: Mapping[Reflected, Mapping[str, str]]) -> None:
        """Add what reflection did, all of it or nothing."""
        with self.transaction():
            self.execute_many(
                "INSERT OR REPLACE INTO reflected(what, key, value) VALUES (?,?,?)",
                ((what, key, value) for what, each in notes.items() for key, value in each.items()),
            )

    def drop_reflected(self, what: Reflected, keys: Iterable[str] | None = None) -> None:
        """Forget notes of one sort, by default all of them."""
        chosen = None if keys is None else json.dumps(list(keys))
        with self.transaction():
            self.execute(
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
        with self.transaction():
            self.execute(
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
        rows = self.rows(
            "SELECT day, model, calls, tokens_in, tokens_out, seconds FROM usage WHERE day>=?"
            " ORDER BY day DESC, model",
            since.isoformat(),
        )
        return [Usage(date.fromisoformat(row[0]), *row[1:]) for row in rows]

    def tokens_on(self, day: date) -> int:
        """Count the tokens, in and out, that all models used on a day."""
        row = self.only(
            "SELECT coalesce(sum(tokens_in + tokens_out), 0) FROM usage WHERE day=?",
            day.isoformat(),
        )
        return int(row[0])

    def tokens_used(self) -> int:
        """Count the tokens, in and out, that all models ever used."""
        return int(self.only("SELECT coalesce(sum(tokens_in + tokens_out), 0) FROM usage")[0])

    # -- self-tests, counters, anything else -------------------------------------------------

    def get_verdict(self, model: str, task: str) -> Verdict | None:
        """Return what the self-test of a model (by hash) said about a task."""
        row = self.row(
            "SELECT passed, score, detail, time FROM selftest WHERE model=? AND task=?",
            model,
            task,
        )
        return Verdict(bool(row[0]), row[1], row[2], moment(row[3])) if row else None

    def verdicts(self, model: str) -> dict[str, Verdict]:
        """Return what the self-tests of a model said, by task."""
        rows = self.rows(
            "SELECT task, passed, score, detail, time FROM selftest WHERE model=? ORDER BY task",
            model,
        )
        return {row[0]: Verdict(bool(row[1]), row[2], row[3], moment(row[4])) for row in rows}

    def set_verdict(
        self, model: str, task: str, passed: bool, score: float = 0.0, detail: str = ""
    ) -> None:
        """Keep the verdict of a self-test."""
        with self.transaction():
            self.execute(
                "INSERT OR REPLACE INTO selftest(model, task, passed, score, detail, time)"
                " VALUES (?,?,?,?,?,?)",
                model,
                task,
                int(passed),
                score,
                detail,
                iso(self.clock()),
            )

    def get_meta(self, key: str) -> str | None:
        """Return a value that was kept under a name."""
        row = self.row("SELECT value FROM meta WHERE key=?", key)
        return row[0] if row else None

    @property
    def last_backup(self) -> datetime | None:
        """When the last backup was made that a daemon was asked for."""
        made = self.get_meta(_LAST_BACKUP)
        return datetime.fromisoformat(made) if made else None

    def note_backup(self, made: datetime) -> None:
        """Keep when a backup was made."""
        self.set_meta(_LAST_BACKUP, made.isoformat(timespec="seconds"))

    def set_meta(self, key: str, value: str) -> None:
        """Keep a value under a name."""
        with self.transaction():
            self.execute("INSERT OR REPLACE INTO meta(key, value) VALUES (?,?)", key, value)

    def count(self, name: str, by: int = 1) -> None:
        """Raise a counter."""
        with self.transaction():
            self.execute(
                "INSERT INTO counter(name, value) VALUES (?1,?2)"
                " ON CONFLICT(name) DO UPDATE SET value=value+?2",
                name,
                by,
            )

    def counters(self) -> Mapping[str, int]:
        """Return all counters."""
        return dict(self.rows("SELECT name, value FROM counter ORDER BY name"))

    # -- forgetting --------------------------------------------------------------------------

    def cited_turns(self, ids: Iterable[str]) -> set[tuple[str, str, str]]:
        """Return source, session and id of the turns that facts rest on."""
        rows = self.rows(
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
        with self.transaction():
            self._purge_journal(goes, done)
            self._purge_batches(goes, done)
            self._purge_facts(goes, done)
            for table, keys, column in _TOLD:
                self._purge_column(table, keys, column, goes, done)
            done += Counter(event=self.events.purge(goes.text))
            done += Counter(working=self.working.purge(goes.text))
        with self._lock, storage(self.path):
            compaction.rewrite(self._connection)
        return done

    def says(self, goes: Forgotten) -> bool:
        """Say whether a turn, a fact, a refusal or a change that is kept says it."""
        facts = self.rows("SELECT id, bullet FROM batch_fact WHERE bullet<>''")
        if any(goes.fact(id_, bullet) for id_, bullet in facts):
            return True
        if any(goes.text(text) != text for (text,) in self.rows("SELECT text FROM rejected")):
            return True
        for (number,) in self.rows("SELECT id FROM batch"):
            batch = self.batch(number)
            for turn in (*batch.turns, *batch.context):
                if goes.turn(batch.source, batch.session, turn) is not turn:
                    return True
        numbers = self.rows("SELECT id FROM journal WHERE length(before)>0")
        image = "SELECT path, before FROM journal WHERE id=?"
        return any(goes.in_bytes(*self.only(image, *row)) for row in numbers)

    def drop_backups(self) -> list[str]:
        """Delete copies of this file that were made before a migration or moved aside."""
        dropped = []
        with storage(self.path):
            name = self.path.name
            for pattern in (f"{name}.v*.bak*", f"{name}.corrupt-*", f"{name}.copy-*"):
                for path in sorted(self.path.parent.glob(pattern)):
                    path.unlink(missing_ok=True)
                    dropped.append(path.name)
        return dropped

    def _purge_journal(self, goes: Forgotten, done: Counter[str]) -> None:
        for (number,) in self.rows("SELECT id FROM journal WHERE before NOT NULL"):
            image = self.only("SELECT path, before FROM journal WHERE id=?", number)
            if goes.in_bytes(*image):
                self.execute(
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
        rows = self.rows(
            "SELECT id, path, preview, EXISTS(SELECT 1 FROM journal f WHERE f.operation='forget'"
            " AND f.path=j.path AND f.id>j.id) FROM journal j"
            " WHERE preview<>'' AND operation<>'rename'"
        )
        for number, path, preview, is_earlier in rows:
            is_cut = len(preview) >= PREVIEW_CHARACTERS
            if is_earlier or is_cut or goes.in_bytes(path, preview.encode()):
                self.execute("UPDATE journal SET preview='' WHERE id=?", number)
                done["previews"] += 1

    def _purge_pages(self, done: Counter[str]) -> None:
        """Delete what is kept of pages that went whole: their names may say it."""
        gone = (
            "SELECT path, max(id) AS last FROM journal WHERE operation='forget'"
            " AND status='committed' AND digest IS NULL GROUP BY path"
        )
        self.execute(
            f"DELETE FROM reflected WHERE what='page' AND key IN (SELECT path FROM ({gone}))"
        )
        self.execute(
            "DELETE FROM journal WHERE id IN (SELECT j.id FROM journal j"
            f" JOIN ({gone}) g ON j.path=g.path AND j.id<=g.last)"
        )
        done["changes"] += self._connection.changes()

    def _purge_batches(self, goes: Forgotten, done: Counter[str]) -> None:
        for (number,) in self.rows("SELECT id FROM batch"):
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
                self.execute(
                    "UPDATE batch SET turns=?, context=? WHERE id=?",
                    _turns_json(turns),
                    _turns_json(context),
                    number,
                )
                done["turns"] += changed
            for planned in batch.planned:
                if goes.in_bytes(planned.path, planned.data):
                    self.execute(
                        "DELETE FROM planned WHERE batch=? AND path=?", number, planned.path
                    )

    def _purge_facts(self, goes: Forgotten, done: Counter[str]) -> None:
        rows = self.rows("SELECT DISTINCT id, bullet FROM batch_fact WHERE bullet<>''")
        ids = [id_ for id_, bullet in rows if goes.fact(id_, bullet)]
        self.execute(
            "UPDATE batch_fact SET bullet='', undone=1 WHERE id IN"
            " (SELECT value FROM json_each(?))",
            json.dumps(ids),
        )
        done["facts"] += len(ids)
        self.execute(
            "UPDATE batch SET status='appended' WHERE status='extracted' AND id IN (SELECT batch"
            " FROM batch_fact GROUP BY batch HAVING sum(path='' AND NOT undone)=0)"
        )

    def _purge_column(
        self, table: str, keys: str, column: str, goes: Forgotten, done: Counter[str]
    ) -> None:
        for *key, value in self.rows(f"SELECT {keys}, {column} FROM {table}"):
            if value and goes.text(value) != value:
                where = " AND ".join(f"{name}=?" for name in keys.split(", "))
                if column in ("error", "detail"):  # the row itself says something else
                    left = left_of(value, goes.text) if column == "detail" else ""
                    self.execute(f"UPDATE {table} SET {column}=? WHERE {where}", left, *key)
                else:
                    self.execute(f"DELETE FROM {table} WHERE {where}", *key)
                done[table] += 1

    # -- rows --------------------------------------------------------------------------------

    def _read_batch(self, row: Row) -> Batch:
        number = row[0]
        facts = self.rows(f"SELECT {_FACT} FROM batch_fact WHERE batch=? ORDER BY position", number)
        planned = self.rows(
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
            next_try=moment(row[9]) if row[9] else None,
            error=row[10],
            created=moment(row[11]),
            updated=moment(row[12]),
            tokens=row[13],
            seconds=row[14],
        )

    def _set_status(self, number: int, status: BatchStatus) -> None:
        self.execute(
            "UPDATE batch SET status=?, updated=? WHERE id=?",
            status,
            iso(self.clock()),
            number,
        )
        if self._connection.changes() != 1:
            raise NotFound(f"no batch {number}")

    def _set_facts(self, number: int, ids: Iterable[str], what: str, value: object) -> None:
        self.execute(
            f"UPDATE batch_fact SET {what} WHERE batch=?"
            " AND id IN (SELECT value FROM json_each(?))",
            value,
            number,
            json.dumps(list(ids)),
        )

    def _close_batch(self, number: int, status: BatchStatus, error: str) -> None:
        self._set_status(number, status)
        self.execute("UPDATE batch SET error=?, next_try=NULL WHERE id=?", error, number)
        self.execute("DELETE FROM planned WHERE batch=?", number)
        source, path = self.only("SELECT source, path FROM batch WHERE id=?", number)
        row = self.row(
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
        self.execute(
            "INSERT OR REPLACE INTO cursor(source, path, value, updated) VALUES (?,?,?,?)",
            source,
            path,
            json.dumps(asdict(cursor)),
            iso(self.clock()),
        )

    def _put_rejected(self, batch: int | None, items: Iterable[Refusal]) -> None:
        now = iso(self.clock())
        self.execute_many(
            "INSERT INTO rejected(batch, time, text, reason, turn) VALUES (?,?,?,?,?)",
            ((batch, now, *item[:2], item[2] if len(item) > 2 else "") for item in items),
        )
        self.execute(
            "DELETE FROM rejected WHERE id<=(SELECT max(id) FROM rejected)-?", _REJECTED_KEPT
        )

    def _put_run(self, run: Run) -> None:
        self.execute(
            "INSERT OR REPLACE INTO run(name, started, seconds, outcome, error, tokens, detail,"
            " asked) VALUES (?,?,?,?,?,?,?,1)",
            run.name,
            iso(run.started),
            run.seconds,
            run.outcome,
            run.error,
            run.tokens,
            run.detail,
        )


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
    ("run", "name, started", "detail"),
    ("checked", "item", "value"),
    ("meta", "key", "value"),
    ("reflected", "what, key", "value"),
)
"""Texts that may quote anything, by table, its key and the column."""
_ENTRY = (
    "id, time, status, operation, path, actor, before, start, length, digest, undoes, preview,"
    " target"
)


def _run(row: Row) -> Run:
    name, started, seconds, outcome, error, due, missed, asked, tokens, detail = row
    return Run(
        name=name,
        started=moment(started),
        seconds=seconds,
        outcome=outcome,
        error=error,
        due=moment(due) if due else None,
        missed=missed,
        asked=bool(asked),
        tokens=tokens,
        detail=detail,
    )


def _cursor(text: str) -> Cursor:
    return Cursor(**json.loads(text))


def _turns_json(turns: Sequence[Turn]) -> str:
    rows = [asdict(turn) | {"time": iso(turn.time) if turn.time else None} for turn in turns]
    return json.dumps(rows, ensure_ascii=True)


def _turns(text: str) -> tuple[Turn, ...]:
    turns = (Turn(**row) for row in json.loads(text))
    return tuple(
        replace(turn, time=moment(str(turn.time)) if turn.time else None) for turn in turns
    )


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
    return JournalEntry(row[0], moment(row[1]), row[2], Change(operation, *row[4:]), undone_by)


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
