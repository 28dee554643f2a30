"""Retain: which transcripts have new turns, and what becomes of a retain request."""

import functools
import hashlib
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from hippod import (
    daylog,
    facts,
    forgotten,
    lanes,
    logsource,
    pages,
    redact,
    remembered,
    transcripts,
    wire,
)
from hippod.config import API_SOURCE, LOG_SOURCE, Config, Source
from hippod.errors import DaemonDown, HippodError, InvalidInput, NotFound
from hippod.events import Events
from hippod.extraction import foreign
from hippod.models import Embedder, Generator
from hippod.remembered import Remembered
from hippod.state import Batch, BatchFact, Rejected, State
from hippod.transcripts import Cursor, Reading, Turn
from hippod.transcripts.turns import LONGEST_TURN
from hippod.username import UserName
from hippod.workspace import Workspace

if TYPE_CHECKING:
    from hippod.batches import Batches

logger = structlog.get_logger()

API = API_SOURCE
"""Name of the source behind `POST /v1/retain`."""
BATCH_TURNS = 12
"""With at most 8 facts a batch, longer ones would drop what a dense conversation says."""
CONTEXT_TURNS = 4
"""Earlier turns that a batch carries for understanding."""
REDACTED_CHARACTERS = 2 * LONGEST_TURN
"""How much of a turn is searched for secrets: twice what is read."""
CUT_CHARACTERS = 512
"""How much is dropped at the end of a turn of which not all was searched."""
EARLIEST, FURTHEST = datetime(1900, 1, 1, tzinfo=UTC), timedelta(days=366)
"""When a turn may have been said: since then, and so far ahead of the clock."""
BARREN_READINGS = 20
"""After how many readings without a new turn a transcript lets others go first."""
MAX_SESSION_NAME = 64
MAX_SPEAKER_NAME = 80
MAX_FACT = 1000
"""Characters of a fact that a client states: one bullet is one thing to know."""
MAX_BACKFILL_DAYS = 36_500


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One transcript of a source; for `api`, `path` is the session's name, for `log` a log."""

    source: str
    path: Path


class Retainer:
    """Reads transcripts and writes facts. Thread-safe; one transcript at a time.

    `changed(path)` hears of each daily log that was written, `waiting(file, seconds)` of a
    transcript that wants to be processed after that many seconds, `ended(session)` of a session
    that was reset or deleted, `events` of facts that were written and of transcripts that are not
    understood.
    """

    def __init__(
        self,
        config: Config,
        workspace: Workspace,
        state: State,
        generator: Generator | None,
        known_entities: Callable[[], Sequence[str]],
        clock: Callable[[], datetime],
        encoder: Embedder | None = None,
    ) -> None:
        self.changed: Callable[[str], None] = lambda path: None
        self.waiting: Callable[[SourceFile, float], None] = lambda file, seconds: None
        self.ended: Callable[[str], None] = lambda session: None
        self.events = Events(state.events)
        self._config = config
        self._workspace = workspace
        self._remembered = Remembered(workspace)
        self._user = UserName(workspace, config.workspace.user)
        self._state = state
        self._clock = clock
        built_in = (logsource.SOURCE,) if config.retain.logs else ()
        self._sources = {source.name: source for source in (*config.sources, *built_in)}
        self._counts: dict[str, Counter[str]] = {name: Counter() for name in self._sources}
        self._alarms: dict[SourceFile, str] = {}
        self._again: dict[SourceFile, float] = {}
        self._knew_nothing = not state.cursors() and not state.open_batches()
        self._cited: dict[tuple[str, str], set[str]] | None = None
        self._lock = threading.Lock()
        self._queue_lock = threading.Lock()
        self._stopped = threading.Event()
        self._models = (encoder, generator)
        self._known_entities = known_entities

    @functools.cached_property
    def _batches(self) -> "Batches":
        # The patterns of all rules take a third of the daemon's start: when the first text comes.
        from hippod.batches import Batches
        from hippod.capabilities import Capabilities

        config, state = self._config, self._state
        capabilities = Capabilities(*self._models, config.generator.tasks, state, self._stopped)
        return Batches(
            config, self._workspace, state, capabilities, self._known_entities, self._clock,
            self._stopped,
        )  # fmt: skip

    @property
    def is_working(self) -> bool:
        """Whether a transcript is being processed at this moment."""
        return self._lock.locked()

    # -- where transcripts lie -----------------------------------------------------------------

    def folders(self) -> set[Path]:
        """Return the existing folders to watch for transcripts."""
        roots = (
            transcripts.watch_root(source.path, self._workspace.root)
            for source in self._sources.values()
        )
        return {root for root in roots if root is not None}

    def source_of(self, path: Path) -> SourceFile | None:
        """Return the transcript that the file at `path` belongs to, under its first source.

        None if no source has it.
        """
        root, transcript = self._workspace.root, transcripts.subject(path)
        for name, source in self._sources.items():
            if transcripts.owns(source.path, root, transcript):
                return SourceFile(name, transcript)
        return None

    def unread(self) -> list[SourceFile]:
        """Return the transcripts that changed since they were read, or have open batches."""
        if not self._config.retain.enabled:
            return []
        owners: dict[Path, str] = {}
        for name, source in self._sources.items():
            for path in self._discovered(source):
                owners.setdefault(path, name)
        changed = [SourceFile(n, p) for p, n in owners.items() if self._has_changed(n, p)]
        resumed = {SourceFile(b.source, Path(b.path)) for b in self._state.open_batches()}
        return [*changed, *sorted(resumed - set(changed), key=lambda file: str(file.path))]

    def _discovered(self, source: Source) -> list[Path]:
        paths = transcripts.discover(source.path, self._workspace.root)
        if source.name != LOG_SOURCE:
            return paths
        first = self._beginning(source).astimezone(self._config.zone).date()
        return [path for path in paths if (day := logsource.day_of(path)) and day >= first]

    # -- one transcript ------------------------------------------------------------------------

    def process(self, file: SourceFile) -> list[BatchFact]:
        """Extract what is new in one transcript; return the facts that were written.

        Of a source that is configured no more only what was read before is worked off. Raises
        what models and workspace raise; what was done stays done and goes on later.
        """
        with self._lock:
            try:
                written = self._work_off(file)
                if file.source in self._sources and self._config.retain.enabled:
                    for _ in self._store_readings(file):
                        written += self._work_off(file)
                return written
            finally:
                self._ask_again(file)

    def confirm(self) -> None:
        """Read back the ids of appended facts and finish their batches."""
        with self._lock:
            appended = [b for b in self._state.open_batches() if b.status == "appended"]
            if not appended:
                return
            # Many batches wait at once, and most share a log: each log is read once.
            standing = functools.cache(self._batches.standing)
            for batch in appended:
                try:
                    self._batches.read_back(batch, standing)
                except HippodError as error:  # one log that cannot be read must not stop the others
                    logger.warning("facts.not_read_back", batch=batch.id, reason=error.message)

    def is_writing(self, path: str) -> bool:
        """Say whether facts were just appended to a daily log, or are about to be."""
        return any(
            append.path == path for batch in self._state.open_batches() for append in batch.planned
        )

    def stop(self) -> None:
        """Start no further batch: the daemon is shutting down."""
        self._stopped.set()

    def _work_off(self, file: SourceFile) -> list[BatchFact]:
        written: list[BatchFact] = []
        for batch in self._open_batches(file):
            if self._stopped.is_set() or self._is_early(batch):
                break
            made = self._work_off_one(batch)
            written += made
            lanes.moved()
            self._tell(file.source, made)
        return written

    def _tell(self, source: str, made: Sequence[BatchFact]) -> None:
        for day in sorted({fact.day for fact in made}):
            path = daylog.log_path(day, self._config.workspace.layout)
            self.changed(path)
            written = [fact for fact in made if fact.day == day and not fact.undone]
            self.events.retained(path, source, [(fact.id, fact.bullet) for fact in written])

    def _work_off_one(self, batch: Batch) -> tuple[BatchFact, ...]:
        what = f"retain {batch.source}"
        try:
            made = self._batches.work_off(batch)
            self.events.well(what)
            return made
        except HippodError:
            raise
        except Exception as error:
            # The edge of one batch: a fault of ours must not hold up the rest of a transcript.
            logger.exception("batch.crashed", batch=batch.id)
            self._state.fail(batch.id, f"crashed: {type(error).__name__}")
            self.events.fault(
                what,
                f"something failed inside hippod: turns of {batch.source} were given up",
                "look at the daemon's log",
            )
            return ()

    def _is_early(self, batch: Batch) -> bool:
        return self._wait(batch) > 0

    def _wait(self, batch: Batch) -> float:
        """Return the seconds until a batch is tried again; none if the clock was set back since."""
        now = self._clock()
        if batch.next_try is None or now < batch.updated:
            return 0.0
        return max(0.0, (batch.next_try - now).total_seconds())

    def _ask_again(self, file: SourceFile) -> None:
        delays = [self._wait(b) for b in self._open_batches(file) if b.next_try is not None]
        if (again := self._again.pop(file, None)) is not None:
            delays.append(again)
        if delays and not self._stopped.is_set():
            self.waiting(file, min(delays))

    def _open_batches(self, file: SourceFile) -> list[Batch]:
        return self._state.open_batches(file.source, str(file.path))

    def _store_readings(self, file: SourceFile) -> Iterator[None]:
        """Store new turns as batches, one reading at a time, until the transcript is read."""
        source = self._sources[file.source]
        cursor = self._state.reading_cursor(file.source, str(file.path))
        if cursor is None and self._knew_nothing:
            self._pass_over_cited(file, source)
        more, barren = True, 0
        while more and not self._stopped.is_set():
            try:
                reading = self._read(source, file.path, cursor)
            except NotFound:
                return  # rotated away; its facts stay
            self._note(file, reading)
            if reading.ended:  # first: once it is stored, it is not read again
                self.ended(reading.cursor.session)
            self._store(file, reading)
            lanes.moved()
            barren = 0 if reading.turns else barren + 1
            yields = reading.more and barren >= BARREN_READINGS
            if yields or reading.unfinished:
                self._again[file] = 0.0 if yields else self._config.retain.quiet
            yield
            if yields:
                return
            cursor, more = reading.cursor, reading.more

    def _pass_over_cited(self, file: SourceFile, source: Source) -> None:
        """Count turns up to the last one that a daily log cites as seen.

        For a state that was lost: facts that stand have the same ids and are not repeated
        anyway, but those that a person deleted since would come back.
        """
        turns: dict[str, list[Turn]] = {}
        passed: dict[str, int] = {}
        cursor, more = None, True
        while more and not self._stopped.is_set():
            try:
                reading = self._read(source, file.path, cursor)
            except NotFound:
                return
            session = reading.cursor.session
            heard = turns.setdefault(session, [])
            cited = self._citations().get((file.source, _citable(session)), set())
            for turn in reading.turns:
                heard.append(replace(turn, text=""))
                if turn.id in cited:
                    passed[session] = len(heard)
            cursor, more = reading.cursor, reading.more
        for session, count in passed.items():
            batch = self._state.create_batch(
                file.source, _citable(session), str(file.path), turns[session][:count], None
            )
            self._state.finish(batch.id)
            logger.info("transcript.resumed", source=file.source, turns=count)

    def _citations(self) -> dict[tuple[str, str], set[str]]:
        """Return the turns that facts in daily logs cite, by source and session."""
        if self._cited is None:
            self._cited = {}
            for path in self._workspace.scan().files:
                loaded = self._workspace.load(path) if daylog.day_of(path) else None
                for placed in daylog.parse(loaded.text).facts if loaded else ():
                    if (where := placed.fact.source) is not None:
                        self._cited.setdefault((where.name, where.session), set()).add(where.turn)
        return self._cited

    def _read(self, source: Source, path: Path, cursor: Cursor | None) -> Reading:
        """Return what is new in a transcript; what names its turns may be cited and stored."""
        if source.name == LOG_SOURCE:
            return self._read_log(source, path)
        reading = self._read_transcript(source, path, cursor)
        return replace(reading, turns=tuple(map(_with_citable_names, reading.turns)))

    def _read_transcript(self, source: Source, path: Path, cursor: Cursor | None) -> Reading:
        return transcripts.read(
            path,
            cursor,
            seen=lambda key: bool(self._state.seen(source.name, [_storable(key)])),
            format=source.format,
            kind=source.kind,
            since=self._beginning(source),
            mapping=source.mapping.field_map(),
            zone=self._config.zone,
        )

    def _read_log(self, source: Source, path: Path) -> Reading:
        day = logsource.day_of(path)
        loaded = self._remembered.load(path.relative_to(self._workspace.root).as_posix())
        if day is None or loaded is None:
            raise NotFound(f"{path}: no daily log")
        return logsource.read(
            day,
            loaded,
            seen=lambda key: bool(self._state.seen(source.name, [key])),
            since=self._beginning(source),
            now=self._clock(),
            zone=self._config.zone,
        )

    def _beginning(self, source: Source) -> datetime:
        """Return from when on turns of `source` count: some days before it was first seen."""
        key = f"source.{source.name}.first_seen"
        first_seen = self._state.get_meta(key)
        if first_seen is None:
            first_seen = self._clock().isoformat()
            self._state.set_meta(key, first_seen)
        days = min(self._config.retain.backfill_days, MAX_BACKFILL_DAYS)
        return datetime.fromisoformat(first_seen) - timedelta(days=days)

    def _store(self, file: SourceFile, reading: Reading) -> None:
        turns = [self._cleaned(turn) for turn in reading.turns]
        if reading.cursor.kind != "main" or not turns:
            if not self._open_batches(file):  # they move the cursor themselves when done
                self._state.set_cursor(file.source, str(file.path), reading.cursor)
            return
        session = _citable(reading.cursor.session)
        with self._workspace.held():  # what is forgotten from now on is purged behind us
            turns = self._left_of(file.source, session, turns)
            for start in range(0, len(turns), BATCH_TURNS):
                chunk = turns[start : start + BATCH_TURNS]
                last = start + BATCH_TURNS >= len(turns)
                self._state.create_batch(
                    source=file.source,
                    session=session,
                    path=str(file.path),
                    turns=chunk,
                    cursor_after=reading.cursor if last else None,
                    context=turns[max(0, start - CONTEXT_TURNS) : start],
                )

    def _left_of(self, source: str, session: str, turns: Sequence[Turn]) -> list[Turn]:
        """Return turns without what is forgotten of them."""
        stones, zone = self._remembered.tombstones(), self._config.zone
        return [remembered.turn_left(stones, source, session, turn, zone) for turn in turns]

    def _cleaned(self, turn: Turn) -> Turn:
        """Drop what must never be stored (our own output, private spans, secrets) or is not read.

        Where the time is not known, or cannot be true, it is that of the reading.
        """
        now = self._clock()
        time = turn.time if turn.time and EARLIEST < turn.time < now + FURTHEST else now
        if turn.role not in ("user", "assistant"):
            return replace(turn, text="", time=time)
        if turn.speaker and _is_foreign(turn.speaker):
            return replace(turn, text="", speaker=None, time=time)
        return replace(turn, text=_clean(turn.text), speaker=_speaker(turn.speaker), time=time)

    def _has_changed(self, name: str, path: Path) -> bool:
        cursor = self._state.reading_cursor(name, str(path))
        if name == LOG_SOURCE:
            return logsource.has_changed(path, cursor)
        mapped = self._sources[name].mapping.field_map() is not None
        return transcripts.has_changed(path, cursor, mapped=mapped)

    # -- requests ------------------------------------------------------------------------------

    def take(self, request: wire.RetainRequest) -> wire.RetainAnswer:
        """Store facts, queue messages, or extract now what waits, as the request says."""
        began = self._clock()
        standing, refused = self._store_bullets(request)
        stored = self._stored(standing)
        if request.messages:
            self._queue(request)
        flush = request.flush or request.ended
        files = self._meant(request) if request.messages or flush else []
        if request.wait or request.explain:
            stored += self._stored([fact for file in files for fact in self.process(file)])
        else:
            delay = 0.0 if flush else self._config.retain.quiet
            for file in files:
                self.waiting(file, delay)
        open_batches = [batch for file in files for batch in self._open_batches(file)]
        return wire.RetainAnswer(
            queued=sum(len(b.turns) for b in open_batches if b.status == "read"),
            stored=tuple(stored),
            rejected=(*refused, *self._rejected_since(began, refused))
            if request.explain
            else refused,
        )

    def _rejected_since(
        self, began: datetime, told: Sequence[wire.Rejected]
    ) -> Iterator[wire.Rejected]:
        """Yield what was rejected since then, but for what is told anyway."""
        items = self._state.rejected(limit=500 + len(told))
        found = (_rejected(item) for item in items if item.time >= began)
        return (each for each in found if each not in told)

    def _meant(self, request: wire.RetainRequest) -> list[SourceFile]:
        """Return the transcripts that a request is about: its session's, or all unread ones."""
        if request.messages:
            return [SourceFile(API, Path(_citable(request.session or API)))]
        if request.session is None:
            return self.unread()
        return [file for file in self.unread() if self._may_hold(file, request.session)]

    def _may_hold(self, file: SourceFile, session: str) -> bool:
        """Say whether what is unread in a transcript may belong to a session."""
        cursor = self._state.reading_cursor(file.source, str(file.path))
        if cursor is None:
            if file.source == API:
                return str(file.path) == str(Path(_citable(session)))
            return session == file.path.stem
        return session in (file.path.stem, cursor.session) or bool(cursor.files)

    def _queue(self, request: wire.RetainRequest) -> None:
        session = request.session or API
        if len(session) > MAX_SESSION_NAME:
            raise InvalidInput(f"session: longer than {MAX_SESSION_NAME} characters")
        session = _citable(session)
        turns = [_turn(n, message, session) for n, message in enumerate(request.messages)]
        # Held: two equal requests at once would both find it new; and see `_store`.
        with self._queue_lock, self._workspace.held():
            new = [
                self._cleaned(turn)
                for turn in {turn.key: turn for turn in turns}.values()
                if not self._state.seen(API, [turn.key])
            ]
            if new:
                self._state.create_batch(
                    source=API,
                    session=session,
                    path=str(Path(session)),  # as a `SourceFile` has it
                    turns=self._left_of(API, session, new),
                    cursor_after=None,
                )

    def _store_bullets(
        self, request: wire.RetainRequest
    ) -> tuple[list[BatchFact], tuple[wire.Rejected, ...]]:
        """Append facts that a client states itself to today's log.

        Return those that stand now, also where they stood before, and those that were refused.
        """
        from hippod.claims import Claims  # later, as the rules of `_batches`

        stated = [self._checked(bullet) for bullet in dict.fromkeys(request.facts)]
        if not stated:
            return [], ()
        today = self._clock().astimezone(self._config.zone).date()
        with self._queue_lock:  # or two equal requests at once would both find them new
            claims = Claims(self._batches.recent(today))
            stones = self._remembered.tombstones()
            gone = []
            for fact in (_named(fact, request.session or "", today) for fact in stated):
                self._check_not_stopped()
                if stone := remembered.forgets_fact(stones, fact, today):
                    gone.append((fact.content, _was_forgotten(stone)))
                else:
                    claims.add(today, fact)
            self._append_claims(today, claims.new)
        self._state.reject(None, claims.refused)  # not what is forgotten: it must not be kept
        refused = tuple(
            wire.Rejected(text=text, reason=why) for text, why in (*gone, *claims.refused)
        )
        standing = [
            BatchFact(fact.id or "", day, facts.render(fact), True) for day, fact in claims.standing
        ]
        return standing, refused

    def _checked(self, bullet: str) -> facts.Fact:
        self._check_not_stopped()
        return _stated(bullet)

    def _check_not_stopped(self) -> None:
        """Raise `DaemonDown` once the daemon ends: what is not written yet is not taken."""
        if self._stopped.is_set():
            raise DaemonDown("the daemon stops: no fact was stored", "state them again")

    def _append_claims(self, day: date, new: Sequence[facts.Fact]) -> None:
        if new:
            bullets = [facts.render(fact) for fact in new]
            path = self._workspace.append_facts(day, bullets, actor=API).path
            self.changed(path)
            told = [(fact.id or "", bullet) for fact, bullet in zip(new, bullets, strict=True)]
            self.events.retained(path, API, told)

    def _stored(self, made: Sequence[BatchFact]) -> list[wire.StoredFact]:
        """Return where facts stand now; each log is read once."""
        logs = functools.cache(self._logs)
        return [_stored_at(fact, logs(fact.day)) for fact in made]

    def _logs(self, day: date) -> "list[_Log]":
        """Return the logs of a day: its own, and the one that hygiene archived."""
        paths = daylog.log_path(day, self._config.workspace.layout), daylog.archive_path(day)
        return [self._log(path) for path in paths]

    def _log(self, path: str) -> "_Log":
        try:
            text = self._workspace.read(path).text
        except NotFound:
            text = ""
        return _Log(path, daylog.parse(text).facts)

    # -- models and status ---------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """Return counts and alarms per source, what waits, and what the user is called if known."""
        # Before the batches: turns are counted with their batch, so what was counted is done or
        # waits. The other way round it could look done before its batch was seen.
        sources = [self._source_status(source) for source in self._sources.values()]
        open_batches = self._state.open_batches()
        return {
            "enabled": self._config.retain.enabled,
            "user": self._user(),
            "batches_open": len(open_batches),
            "turns_waiting": sum(len(b.turns) for b in open_batches if b.status == "read"),
            "batches_failed": len(self._state.failed_batches()),
            "last_error": next((b.error for b in open_batches if b.error), None),
            "sources": sources,
        }

    def _source_status(self, source: Source) -> dict[str, Any]:
        counts = self._counts[source.name]
        return {
            "name": source.name,
            "path": source.path,
            "folder_exists": transcripts.watch_root(source.path, self._workspace.root) is not None,
            "files": len(self._files_read(source.name)),
            "turns": self._state.turns_seen(source.name),
            "skipped": dict(sorted(counts.items())),
            "alarms": [alarm for file, alarm in self._alarms.items() if file.source == source.name],
        }

    def _files_read(self, name: str) -> set[str]:
        finished = {path for source, path in self._state.cursors() if source == name}
        return finished | {batch.path for batch in self._state.open_batches(name)}

    def _note(self, file: SourceFile, reading: Reading) -> None:
        self._counts[file.source].update(reading.skipped)
        if older := reading.skipped.get("before_since"):
            logger.info(
                "transcript.older",
                path=str(file.path),
                turns=older,
                reason=f"retain.backfill_days is {self._config.retain.backfill_days}",
            )
        what = f"source {file.source}: {file.path}"
        if reading.alarm is None:
            self._alarms.pop(file, None)
            self.events.well(what)
        elif self._alarms.get(file) != reading.alarm:
            self._alarms[file] = reading.alarm
            logger.warning("transcript.not_understood", path=str(file.path), reason=reading.alarm)
            self.events.fault(what, reading.alarm, "see [[sources]], format and mapping")


class _Log:
    """Where the facts of a log stand, by what is known of them; of equal ones the first."""

    def __init__(self, path: str, found: Sequence[daylog.PlacedFact]) -> None:
        self.path = path
        self._found = found[::-1]

    def place(self, fact: BatchFact) -> daylog.PlacedFact | None:
        return self._by_id.get(fact.id) if fact.id else self._by_bullet.get(fact.bullet)

    @functools.cached_property
    def _by_id(self) -> dict[str | None, daylog.PlacedFact]:
        return {each.fact.id: each for each in self._found}

    @functools.cached_property
    def _by_bullet(self) -> dict[str, daylog.PlacedFact]:
        return {facts.render(each.fact): each for each in self._found}


def _stored_at(fact: BatchFact, logs: Sequence[_Log]) -> wire.StoredFact:
    """Return a fact with its place; line 0 of its day where a person deleted it meanwhile."""
    there = ((log.path, found) for log in logs if (found := log.place(fact)) is not None)
    path, found = next(there, (logs[0].path, None))
    line = found.line_start if found else 0
    id_ = fact.id or facts.content_id(fact.day, found.fact.content if found else "")
    return wire.StoredFact(
        id=id_, path=path, line=line, source=f"{path}#L{line}", bullet=fact.bullet
    )


def _was_forgotten(stone: forgotten.Tombstone) -> str:
    place = f"line {stone.line} of {forgotten.PATH}"
    return f"was forgotten on {stone.day}; delete {place} to allow it again"


def _rejected(item: Rejected) -> wire.Rejected:
    turn = f"#{item.turn}" if item.turn else ""
    return wire.Rejected(
        text=item.text,
        reason=item.reason,
        source=f"{item.source}/{item.session}{turn}" if item.source else None,
        path=item.path if item.path and item.source != API else None,
    )


def _clean(text: str) -> str:
    """Return what may be stored of a turn: without secrets, private spans and our own output."""
    own = _own(text)
    clean = redact.redact(own[:REDACTED_CHARACTERS]).text
    clean = _BEFORE_SECRET.sub(" ", clean)
    if len(own) > REDACTED_CHARACTERS:  # a secret that was cut in two there is not known as one
        clean = clean[:-CUT_CHARACTERS]
    lines = clean[:LONGEST_TURN].split("\n")
    return "\n".join(line for line in lines if not pages.is_kept(line))


_BEFORE_SECRET = re.compile(r"(?<=[\w:=])[ \t]{0,9}\r?\n\s{0,20}(?=\[REDACTED\])")
"""A line break there would leave "the password is" as a sentence of its own."""


def _speaker(name: str | None) -> str | None:
    """Return a name to be kept with a turn, None where it is or holds a secret, or is no name."""
    if not name or len(name) > MAX_SPEAKER_NAME or redact.redact(name).found:
        return None
    return name


def _is_foreign(name: str) -> bool:
    """Tell whether a speaker's name is private, ours, or an instruction to a model.

    What such a speaker says is nobody's: it must not become a statement of the user.
    """
    return _own(name) != name or _instructs(name)


def _own(text: str) -> str:
    return redact.strip_private(redact.strip_memory(text))


def _instructs(name: str) -> bool:
    return foreign.is_injection(re.sub("[-_]", " ", name))


def _with_citable_names(turn: Turn) -> Turn:
    return replace(turn, id=_citable(turn.id), key=_storable(turn.key))


def _citable(name: str) -> str:
    """Return what a citation calls a session or turn: its name, or a hash of one not to be read."""
    # "user:3" only numbers what users say; as a speaker's name it would imitate a prompt.
    return _hashed(name) if _instructs(name.replace(":", " ")) else _storable(name)


def _storable(name: str) -> str:
    """Return an identifier, or a hash of one that is private or holds a secret."""
    return name if _own(name) == name and not redact.names_key(name) else _hashed(name)


def _hashed(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:16]


def _stated(text: str) -> facts.Fact:
    """Return the fact that a client states, without what must not be written."""
    fact = facts.parse_bullet(text if text.lstrip().startswith(("-", "*", "+")) else f"- {text}")
    if fact is None:
        raise InvalidInput(
            f"facts: not a fact: {text[:80]!r}",
            "write them as `W @Entity: content`, kinds W B O S, `O(c=0.9) @Ada: …`",
        )
    if len(fact.content) > MAX_FACT:
        raise InvalidInput(
            f"facts: {len(fact.content)} characters in one, at most {MAX_FACT} may be",
            "state several facts, or hand the text over as `messages`",
        )
    content = redact.redact(_own(fact.content)).text.strip()
    if not content:
        raise InvalidInput(
            "facts: nothing to retain", "what is private, or hippod's own, stays out"
        )
    entities = tuple(name for name in fact.entities if _speaker(name))
    return facts.canonical(replace(fact, content=content, entities=entities))


def _named(fact: facts.Fact, session: str, day: date) -> facts.Fact:
    """Return a client's fact with its id; what it says may leave out of whom."""
    said = " ".join([fact.content, *sorted(fact.entities)])
    return replace(fact, id=facts.fact_id(API, session, day.isoformat(), said))


def _turn(number: int, message: wire.Message, session: str) -> Turn:
    time = None
    if message.timestamp:
        try:
            time = datetime.fromisoformat(message.timestamp).astimezone(UTC)
        except (ValueError, OverflowError):
            raise InvalidInput(
                f"messages.{number}.timestamp: {message.timestamp!r} is not an ISO time"
            ) from None
    said = json.dumps([message.role, message.name, message.timestamp, message.content])
    name = (message.id and _storable(message.id)) or hashlib.sha256(said.encode()).hexdigest()[:24]
    return Turn(
        id=_citable(message.id) if message.id else name[:8],
        key=f"{session}:{name}",  # clients number their messages anew in each session
        role=message.role,
        speaker=message.name,
        text=message.content,
        time=time,
        line=number + 1,
    )
