"""The verbs, one method each: what the library, HTTP, the CLI and MCP all call.

Methods block and are safe to call from several threads. Each takes the scope of its caller
and lets `may_see` decide; a refusal never says whether the path exists.
"""

import contextlib
import dataclasses
import functools
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterator
from datetime import date, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

import structlog

from hippod import (
    __version__,
    answers,
    daylog,
    facts,
    redact,
    wire,
    wire_bank,
    wire_doctor,
    wire_events,
    wire_exchange,
)
from hippod.backup import Backup, Backups
from hippod.config import Config, differences, explain, needs_restart
from hippod.context import Gatherer
from hippod.doctor.running import Doctor
from hippod.doctor.subject import Models, Parts, Subject, Watcher
from hippod.doctor.times import steady_clock
from hippod.entities import Roster
from hippod.errors import ConfigError, Conflict, Forbidden, HippodError, InvalidInput, NotFound
from hippod.event_view import EventView
from hippod.events import Events
from hippod.exporting import Exporter
from hippod.factbook import Factbook
from hippod.forget import Forgetter
from hippod.heartbeat import JOB as HEARTBEAT
from hippod.heartbeat import Heartbeat
from hippod.hygiene import JOB as HYGIENE
from hippod.hygiene import Hygiene
from hippod.importing import Importer
from hippod.index import Index
from hippod.lint import Lint
from hippod.models import TokenCounter
from hippod.opinions import Opinions
from hippod.proposals import Proposals
from hippod.provenance import Provenance
from hippod.recall import recall as recall_hits
from hippod.reflect import JOB as REFLECT
from hippod.reflect import Reflector
from hippod.remembered import Remembered
from hippod.retain import Retainer
from hippod.scope import Scope, may_see
from hippod.state import State
from hippod.state.working import Working
from hippod.wire_context import Context, ContextRequest, WorkingCleared, WorkingContent
from hippod.wire_heartbeat import Beat, BeatList, HeartbeatRequest
from hippod.working import WorkingMemories
from hippod.workspace import Scan, TreeItem, Workspace, Written

logger = structlog.get_logger()

T = TypeVar("T")

_FILES = {"index": "index.sqlite", "state": "state.sqlite", "graph": "vectors.hnsw"}
_MOST_ROOTS = 20
_MOST_ENTRIES = 1_000
"""Entries of the journal among which those of one command are looked for."""


class Jobs:
    """The scheduled jobs as the verbs see them; the daemon replaces this by its scheduler."""

    def all(self) -> list[wire.Job]:
        """Return every job; none without a daemon."""
        return []

    def run(self, name: str) -> wire.Job:
        """Run a job now and wait for it."""
        raise NotFound(f"no job {name!r}", "without a daemon there are no jobs")

    def run_as(self, name: str, work: Callable[[], T]) -> T:
        """Do `work` as a run of a job, never beside another one."""
        return work()

    def pause(self, name: str) -> wire.Job:
        """Let a job run only when asked, until it is resumed."""
        raise NotFound(f"no job {name!r}", "without a daemon there are no jobs")

    def resume(self, name: str) -> wire.Job:
        """Let a paused job go on."""
        raise NotFound(f"no job {name!r}", "without a daemon there are no jobs")


class Memory:
    """One workspace with its index, state and models: every verb of hippod.

    `changed`, `rescan`, `pending`, `waited`, `describe`, `measure` and `jobs_door` are the
    daemon's hooks:
    where a changed path is reported (here: indexed at once), who looks at everything again when
    that failed, how many paths wait and for how many seconds the oldest does, what else `status`
    and `figures` tell, and the scheduler.
    """

    def __init__(
        self,
        *,
        config: Config,
        config_path: Path | None,
        workspace: Workspace,
        state: State,
        index: Index,
        retainer: Retainer,
        clock: Callable[[], datetime],
        counter: TokenCounter | None = None,
        hygiene: Hygiene | None = None,
        reflector: Reflector | None = None,
        factbook: Factbook | None = None,
        user: Callable[[], str] = str,
        events: Events | None = None,
        heartbeat: Heartbeat | None = None,
    ) -> None:
        self.jobs_door = Jobs()
        self.changed: Callable[[str], None] = self._index_now
        self.rescan: Callable[[], None] = lambda: None
        self.pending: Callable[[], int] = lambda: 0
        self.waited: Callable[[], float] = lambda: 0.0
        self.describe: Callable[[], dict[str, Any]] = dict
        self.reload: Callable[[], Awaitable[wire.ConfigReloaded]] = _nothing_to_reload
        self.reread: Callable[[], Config] = lambda: self._config
        self.mcp_status: Callable[[], dict[str, Any] | None] = lambda: None
        """Reads what a reload would; raises `ConfigError`."""
        self.models = Models()
        self.watcher: Watcher | None = None
        self._began = time.time(), steady_clock()
        self.measure: Callable[[], dict[str, Any]] = dict
        self._config = config
        self._config_path = config_path
        self._workspace = workspace
        self._state = state
        self._index = index
        self._retainer = retainer
        self._clock = clock
        self._counter = counter
        self._lint = Lint(index)
        self._provenance = Provenance(workspace, state, index, config.zone)
        self._hygiene = hygiene or Hygiene(config, workspace, state, index, retainer, clock)
        self._hygiene.changed = lambda path: self.changed(path)
        self._reflector = reflector or Reflector(config, workspace, state, clock)
        self._reflector.changed = lambda path: self.changed(path)
        self._forgetter = Forgetter(config, workspace, state, index, clock)
        self._remembered = Remembered(workspace)
        self._working = WorkingMemories(config.working, state, clock)
        self._gatherer = Gatherer(
            config, workspace, self._remembered, self._working, counter, clock
        )
        retainer.ended = self._end_session
        self._heartbeat = heartbeat
        if heartbeat is not None:
            heartbeat.changed = lambda path: self.changed(path)
            heartbeat.reconcile = index.reconcile
        self.events = events or Events(state.events, config.privacy.group_paths)
        self._event_view = EventView(
            self.events, self._remembered.tombstones, self._group_sees, clock, config.zone
        )
        self.events.may_tell = self._event_view.may_tell
        self._user = user
        self._roster = Roster(workspace, factbook)
        self._roster.changed = lambda path: self.changed(path)
        self._opinions = Opinions(workspace, factbook)
        self._opinions.changed = lambda path: self.changed(path)
        self._proposals = Proposals(workspace, lambda: self._now().date())
        self._proposals.changed = lambda path: self.changed(path)
        self._backups = Backups(workspace.root, state.copy_to, lambda: self._forgetter.moment)
        self._backups.whole = self._note_backup
        self._exporter = Exporter(workspace, state, clock, config.zone)
        self._importer = Importer(workspace, state, self._provenance, clock, config.zone)
        self._importer.changed = lambda path: self.changed(path)
        self.started = time.monotonic()
        self._configured: dict[str, wire.ConfigValue] | None = None

    # -- questions ---------------------------------------------------------------------------

    def recall(self, request: wire.RecallRequest) -> wire.RecallAnswer:
        """Search the memory: hits with citations, best first."""
        answer = recall_hits(
            request,
            self._index,
            self._config.recall,
            now=self._clock(),
            zone=self._config.zone,
            group_paths=self._config.privacy.group_paths,
            pending=self.pending(),
            waited=self.waited(),
            user=self._user(),
        )
        if request.scope == "group":
            hits = tuple(
                hit.model_copy(update={"content": redact.strip_private(hit.content)})
                for hit in answer.hits
            )
            answer = answer.model_copy(update={"hits": hits})
        return answers.complete(answer, request, self._remembered, self._index, self._counter)

    search = recall

    def retain(self, request: wire.RetainRequest) -> wire.RetainAnswer:
        """Take messages or facts, or extract now what waits."""
        self._main_only(request.scope, "retain")
        if request.ended and not request.session:
            raise InvalidInput("ended: no session is named", "name the one that is over")
        answer = self._retainer.take(request)
        if request.ended and request.session:
            self._end_session(request.session)
        return answer

    # -- documents ---------------------------------------------------------------------------

    def read(self, path: str, *, scope: Scope = "main") -> wire.FileContent:
        """Read a document of the workspace."""
        self._check(scope, path)
        document = self._workspace.read(path)
        text = redact.strip_private(document.text) if scope == "group" else document.text
        return wire.FileContent(
            path=document.path,
            content=text,
            etag=document.etag,
            size=document.size,
            modified=document.modified.astimezone(self._config.zone).isoformat(),
        )

    def write(
        self, path: str, content: str, *, etag: str | None = None, scope: Scope = "main"
    ) -> wire.Written:
        """Write a whole document; what stood there stays in the journal."""
        self._check_write(scope, path)
        expected = self._whole(scope, path, etag)
        return self._written(self._workspace.write(path, content, expected, actor=_actor(scope)))

    def append(
        self, path: str, content: str, *, etag: str | None = None, scope: Scope = "main"
    ) -> wire.Written:
        """Add text on a line of its own at the end of a document, which may be new."""
        self._check_write(scope, path)
        return self._written(self._workspace.append(path, content, etag, actor=_actor(scope)))

    def replace(
        self, path: str, old: str, new: str, *, etag: str | None = None, scope: Scope = "main"
    ) -> wire.Written:
        """Replace the one place where `old` stands."""
        self._check_write(scope, path)
        expected = self._whole(scope, path, etag)
        written = self._workspace.replace(path, old, new, expected, actor=_actor(scope))
        return self._written(written)

    def insert(
        self,
        path: str,
        line: int,
        content: str,
        *,
        etag: str | None = None,
        scope: Scope = "main",
    ) -> wire.Written:
        """Insert text on lines of its own before a line, counted from 1; last + 1 appends."""
        self._check_write(scope, path)
        expected = self._whole(scope, path, etag)
        written = self._workspace.insert(path, line, content, expected, actor=_actor(scope))
        return self._written(written)

    def move(
        self, path: str, to: str, *, etag: str | None = None, scope: Scope = "main"
    ) -> wire.Written:
        """Give a document another path, where nothing stands yet; ids of its hits change."""
        self._check_write(scope, path)
        self._check_write(scope, to)
        if self._retainer.is_writing(path):  # they would be missed there, and written once more
            raise Conflict(f"{path}: facts are being written to it", "try again in a few minutes")
        expected = self._whole(scope, path, etag)
        written = self._workspace.move(path, to, expected, actor=_actor(scope))
        done = self._written(written)
        self.changed(path)  # last: the vectors of its texts are in use again by now
        return done.model_copy(update={"moved_from": path})

    def delete(self, path: str, *, etag: str | None = None, scope: Scope = "main") -> wire.Written:
        """Delete a document; its bytes stay in the journal."""
        self._check_write(scope, path)
        expected = self._whole(scope, path, etag)
        return self._written(self._workspace.delete(path, expected, actor=_actor(scope)))

    def tree(
        self, directory: str = "", *, recursive: bool = False, scope: Scope = "main"
    ) -> wire.Tree:
        """List a folder; a group scope sees only what it may read."""
        directory = directory.removesuffix("/")
        if scope == "group":
            items = self._group_tree(directory, recursive=recursive)
        else:
            items = self._workspace.tree(directory, recursive=recursive)
        entries = (
            wire.TreeEntry(name=item.name, path=item.path, is_directory=item.is_directory)
            for item in items
        )
        return wire.Tree(directory=directory, entries=tuple(entries))

    # -- daily logs --------------------------------------------------------------------------

    def today_log(self, scope: Scope = "main") -> wire.DailyLog:
        """Return today's daily log, in the user's zone."""
        return self.daily_log("today", scope)

    def daily_log(self, day: str, scope: Scope = "main") -> wire.DailyLog:
        """Return the daily log of an ISO date, of `today` or `yesterday`; archived ones too."""
        date = _day(day, self._now().date())
        path = daylog.log_path(date, self._config.workspace.layout)
        self._check(scope, path)
        found = self._logs_of(date, scope)
        try:
            content, exists = self.read(found[0] if found else path, scope=scope).content, True
        except NotFound:
            content, exists = "", False
        return wire.DailyLog(
            date=date.isoformat(),
            path=found[0] if found else path,
            content=content,
            exists=exists,
            others=tuple(found[1:]),
        )

    def append_daily_log(
        self, text: str, *, date: str | None = None, scope: Scope = "main"
    ) -> wire.Written:
        """Append `[HH:MM:SS] text` to a daily log, by default today's, as one line.

        `date` is an ISO date, `today` or `yesterday`; the time is now, whatever the day.
        """
        now = self._now()
        day = _day(date or "today", now.date())
        self._check(scope, daylog.log_path(day, self._config.workspace.layout))
        # One line: an entry cannot open a heading or a Retain section of its own.
        if "\0" in text:
            raise InvalidInput("text: holds a NUL", "send text")
        line = " ".join(facts.writable(text).split())
        if not line:
            raise InvalidInput("text: nothing to note")
        entry = f"[{now:%H:%M:%S}] {line}"
        return self._written(self._workspace.append_log(day, entry, actor=_actor(scope)))

    def _logs_of(self, day: date, scope: Scope) -> list[str]:
        """Return the daily logs of a day that are there: where it is written, then archived."""
        scan, name = self._workspace.last_scan, f"/{day.isoformat()}.md"
        named = (path for path in (scan.files if scan else ()) if path.endswith(name))
        listed = [path for path in named if daylog.day_of(path) == day]
        usual = [daylog.log_path(day, self._config.workspace.layout), daylog.archive_path(day)]
        paths = dict.fromkeys([*usual, *sorted(listed)])
        seen = [path for path in paths if may_see(scope, path, self._config.privacy.group_paths)]
        return [path for path in seen if self._workspace.stat(path)]

    # -- context -----------------------------------------------------------------------------

    def context(self, request: ContextRequest) -> Context:
        """Return what an agent is given at the start of a session."""
        return self._gatherer.gather(request)

    def system_prompt(
        self,
        session: str | None = None,
        *,
        budget_tokens: int | None = None,
        scope: Scope = "main",
    ) -> str:
        """Return the text of `context` alone."""
        request = ContextRequest(session=session, budget_tokens=budget_tokens, scope=scope)
        return self.context(request).text

    def get_working(self, session: str, scope: Scope = "main") -> WorkingContent:
        """Return the working memory of a session: what clients of this scope wrote."""
        return self._working_content(session, self._working.get(session, scope))

    def set_working(self, session: str, content: str, scope: Scope = "main") -> WorkingContent:
        """Keep a text as the working memory of a session."""
        return self._working_content(session, self._working.set(session, content, scope))

    def append_working(self, session: str, content: str, scope: Scope = "main") -> WorkingContent:
        """Add a text, on a line of its own, to the working memory of a session."""
        return self._working_content(session, self._working.append(session, content, scope))

    def clear_working(self, session: str, scope: Scope = "main") -> WorkingCleared:
        """Drop the working memory of a session."""
        return WorkingCleared(session=session, cleared=self._working.clear(session, scope))

    def _working_content(self, session: str, kept: Working | None) -> WorkingContent:
        content = kept.content if kept else ""
        zone = self._config.zone
        return WorkingContent(
            session=session,
            content=content,
            bytes=len(content.encode()),
            max_bytes=self._config.working.max_bytes,
            updated=kept.updated.astimezone(zone).isoformat() if kept else None,
            expires=self._working.expires(kept).astimezone(zone).isoformat() if kept else None,
        )

    def _end_session(self, session: str) -> None:
        """Drop what a session kept in mind; a name that none could have had has nothing."""
        with contextlib.suppress(InvalidInput):
            self._working.clear(session)

    # -- provenance --------------------------------------------------------------------------

    def why(self, id_: str, scope: Scope = "main") -> wire.Why:
        """Trace a fact, by its id or a beginning of it, down to the turns that it rests on."""
        self._main_only(scope, "why")
        return self._provenance.why(id_)

    def log(self, request: wire.LogRequest) -> wire.Log:
        """List the changes that hippod made, the newest first."""
        self._main_only(request.scope, "log")
        return self._provenance.log(request)

    def logged(self, number: int, scope: Scope = "main") -> wire.LoggedChange:
        """Return one change with its diff."""
        self._main_only(scope, "log")
        return self._provenance.entry(number)

    def undo(self, request: wire.UndoRequest) -> wire.Undone:
        """Take a change back if what it wrote still stands; facts in it are not written again."""
        self._main_only(request.scope, "undo")
        actor = _actor(request.scope)
        done = self._provenance.undo(request.id, dry_run=request.dry_run, actor=actor)
        if done.applied:
            self.changed(done.path)
            if done.moved_from:
                self.changed(done.moved_from)
        return done

    # -- the bank ----------------------------------------------------------------------------

    def entities(self, scope: Scope = "main") -> wire_bank.EntityList:
        """List who is who, with what is unclear or looks alike."""
        self._main_only(scope, "entities")
        return self._roster.all()

    def entity(
        self, name: str, *, limit: int = wire_bank.FACTS_SHOWN, scope: Scope = "main"
    ) -> wire_bank.EntityDetail:
        """Describe an entity with its `limit` newest facts."""
        self._main_only(scope, "entities")
        return self._roster.one(name, limit)

    def merge_entities(
        self, name: str, into: str, *, dry_run: bool = False, scope: Scope = "main"
    ) -> wire_bank.EntityChanged:
        """Make an entity and all its names names of another one; facts are not rewritten."""
        action = wire_bank.MergeAction(action="merge", into=into, dry_run=dry_run, scope=scope)
        return self.change_entity(name, action)

    def split_entity(
        self, name: str, alias: str, *, dry_run: bool = False, scope: Scope = "main"
    ) -> wire_bank.EntityChanged:
        """Say that `alias` is somebody else than the entity."""
        action = wire_bank.SplitAction(action="split", alias=alias, dry_run=dry_run, scope=scope)
        return self.change_entity(name, action)

    def rename_entity(
        self, name: str, new: str, *, dry_run: bool = False, scope: Scope = "main"
    ) -> wire_bank.EntityChanged:
        """Give an entity another name; the old one becomes an alias."""
        action = wire_bank.RenameAction(action="rename", new=new, dry_run=dry_run, scope=scope)
        return self.change_entity(name, action)

    def adopt_entity(
        self, name: str, *, dry_run: bool = False, scope: Scope = "main"
    ) -> wire_bank.EntityChanged:
        """Let hippod rewrite the regions of a page again that a person edited."""
        action = wire_bank.AdoptAction(action="adopt", dry_run=dry_run, scope=scope)
        return self.change_entity(name, action)

    def change_entity(self, name: str, action: wire_bank.EntityAction) -> wire_bank.EntityChanged:
        """Do what a person decided about an entity: merge, split, rename or adopt."""
        self._main_only(action.scope, "entities")
        newest = self._newest_entry()
        done = self._roster.change(name, action)
        paths = [change.path for change in done.changes]
        if done.applied:
            self._reflector.look_again(paths)
        return done.model_copy(update={"entries": self._entries(newest, "main", paths)})

    def reflect(self, request: wire_bank.ReflectRequest) -> wire_bank.Reflected:
        """Bring the bank's pages up to date with the facts, or say what that would change."""
        self._main_only(request.scope, "reflect")
        work = functools.partial(self._reflector.run, request.since, request.dry_run)
        return work() if request.dry_run else self.jobs_door.run_as(REFLECT, work)

    def hygiene(self, request: wire_bank.HygieneRequest) -> wire_bank.HygieneReport:
        """Tidy up: archive old daily logs, report copies and what got stale, or merge some."""
        self._main_only(request.scope, "hygiene")
        newest = self._newest_entry()
        work = functools.partial(self._hygiene.run, request)
        is_whole = not (request.dry_run or request.apply)
        report = self.jobs_door.run_as(HYGIENE, work) if is_whole else work()
        applied = [item for item in report.items if item.applied] if request.apply else ()
        paths = [path for item in applied for path in (item.path, item.target or "")]
        return report.model_copy(update={"entries": self._entries(newest, "hygiene", paths)})

    def heartbeat(self, request: HeartbeatRequest) -> Beat:
        """Reflect and tidy up if it is time to, look at the checklist, and say what it came to."""
        self._main_only(request.scope, "heartbeat")
        work = functools.partial(self._beating().run, request.dry_run)
        return work() if request.dry_run else self.jobs_door.run_as(HEARTBEAT, work)

    def heartbeat_history(self, limit: int = 20, scope: Scope = "main") -> BeatList:
        """List the last heartbeats, the newest first."""
        self._main_only(scope, "heartbeat")
        return BeatList(beats=tuple(self._beating().history(limit)))

    def _beating(self) -> Heartbeat:
        if self._heartbeat is None:
            raise NotFound("no heartbeat", "this memory was made without one")
        return self._heartbeat

    def forget(self, request: wire_bank.ForgetRequest) -> wire_bank.Forgotten:
        """Forget for good, or say what that would remove: there is no undo."""
        self._main_only(request.scope, "forget")
        done = self._forgetter.forget(request)
        if done.applied:
            self.events.changed(sorted({place.path for place in done.places}), "hippod")
        return done

    def opinions(
        self, entity: str | None = None, *, scope: Scope = "main"
    ) -> wire_bank.OpinionList:
        """List the opinions of the ledger, or those about an entity."""
        self._main_only(scope, "opinions")
        return self._opinions.all(entity)

    def opinion(self, id_: str, scope: Scope = "main") -> wire.OpinionDetail:
        """Return an opinion, by its id or a beginning of it, with its evidence."""
        self._main_only(scope, "opinions")
        return self._opinions.one(id_)

    def recompute_opinions(
        self, *, dry_run: bool = False, scope: Scope = "main"
    ) -> wire_bank.OpinionsRecomputed:
        """Set each confidence to what prior and weights in the ledger give; asks no model."""
        self._main_only(scope, "opinions")
        return self._opinions.recompute(dry_run=dry_run, actor=scope)

    def proposals(self, scope: Scope = "main") -> wire_bank.ProposalList:
        """List the proposals for MEMORY.md, decided ones too."""
        self._main_only(scope, "proposals")
        return self._proposals.all()

    def proposal(self, id_: str, scope: Scope = "main") -> wire_bank.ProposalDetail:
        """Return a proposal, by its id or a beginning of it, with what it changes."""
        self._main_only(scope, "proposals")
        return self._proposals.one(id_)

    def accept_proposal(
        self, id_: str, *, force: bool = False, scope: Scope = "main"
    ) -> wire_bank.ProposalDecided:
        """Make the change of a proposal; one that loses over a quarter of the lines by `force`."""
        self._main_only(scope, "proposals")
        newest = self._newest_entry()
        done = self._proposals.accept(id_, force=force, actor=scope)
        paths = [change.path for change in done.changes]
        return done.model_copy(update={"entries": self._entries(newest, scope, paths)})

    def reject_proposal(self, id_: str, scope: Scope = "main") -> wire_bank.ProposalDecided:
        """Turn a proposal down: it does not come back."""
        self._main_only(scope, "proposals")
        return self._proposals.reject(id_, actor=scope)

    def _newest_entry(self) -> int:
        return max((entry.id for entry in self._state.recent(1)), default=0)

    def _entries(self, behind: int, actor: str, paths: Collection[str]) -> tuple[int, ...]:
        """Return what `actor` wrote at `paths` since an entry, in the order of taking it back."""
        return tuple(
            entry.id
            for entry in self._state.recent(_MOST_ENTRIES)
            if entry.id > behind and entry.change.actor == actor and entry.change.path in paths
        )

    # -- operations --------------------------------------------------------------------------

    def events_since(self, request: wire_events.EventsRequest) -> wire_events.EventList:
        """List the newest events, or those behind `after`; a group gets changes of its pages."""
        limit, types, scope = request.limit, request.types, request.scope
        if request.after is None:
            return self._event_view.newest(limit, types, scope)
        return self._event_view.behind(request.after, limit, types, scope)

    def status(self, scope: Scope = "main") -> wire.Status:
        """Describe workspace, index, models, sources and jobs; a group learns only the version."""
        if scope == "group":
            return wire.Status(version=__version__)
        recovered_from, last_backup = self._state.recovered_from, self._state.last_backup
        return wire.Status(
            version=__version__,
            pid=os.getpid(),
            uptime_seconds=round(time.monotonic() - self.started, 1),
            socket=self._config.server.socket or None,
            workspace=self._workspace_status(),
            index=self._index.status(),
            retain=self._retainer.status(),
            state=wire.StateStatus(
                journal_mode=self._state.journal_mode,
                recovered_from=str(recovered_from) if recovered_from else None,
                last_backup=last_backup.isoformat() if last_backup else None,
            ),
            jobs=tuple(self.jobs_door.all()),
            bank=self._bank_status(),
            hygiene=self._hygiene.status(),
            heartbeat=self._heartbeat.status() if self._heartbeat else None,
            mcp=self.mcp_status(),
            settings=self._settings(),
            config=self._config_status(),
            **self.describe(),
        )

    def doctor(self, request: wire_doctor.DoctorRequest) -> wire_doctor.Diagnosis:
        """Test what a running daemon claims, and with `fix` mend what can safely be mended."""
        self._main_only(request.scope, "doctor")
        return self._doctor.examine(self.as_subject(), fix=request.fix, only=request.only)

    @functools.cached_property
    def _doctor(self) -> Doctor:
        from hippod.doctor.checks import CHECKS  # 20 ms that no start of the daemon pays

        return Doctor(CHECKS)

    def as_subject(self) -> Subject:
        """Return what the doctor looks at."""
        parts = Parts(
            workspace=self._workspace,
            index=self._index,
            state=self._state,
            jobs=self.jobs_door.all,
            recall=self.recall,
            retain_status=self._retainer.status,
            describe=self.describe,
            settled=lambda: not self.pending(),
            rebuild=lambda: self.reindex(full=True),
            watcher=self.watcher,
            began=self._began,
        )
        return Subject(
            config=self._config,
            config_path=self._config_path,
            socket=self._config.server.socket,
            models=self.models,
            parts=parts,
            clock=self._clock,
        )

    def figures(self, scope: Scope = "main") -> dict[str, Any]:
        """Return what can be counted in a few milliseconds and without holding up a save."""
        self._main_only(scope, "metrics")
        root, state = self._workspace.root, None
        with contextlib.suppress(HippodError):
            state = self._state.census()
        return {
            "index": self._index.tally(),
            "waiting": self.pending(),
            "waited_seconds": self.waited(),
            "state": state,
            "runs": dict(self._state.ended),
            "faults": len(self.events.failing),
            "listeners": self.events.listeners,
            "disk": _disk(root),
            "bytes": {name: _size(root / ".memory" / file) for name, file in _FILES.items()},
            **self.measure(),
        }

    def effective_config(self, scope: Scope = "main") -> dict[str, Any]:
        """Return every configured value and where it comes from."""
        self._main_only(scope, "config")
        return explain(self._config, self._config_path, os.environ)

    async def reload_config(self, scope: Scope = "main") -> wire.ConfigReloaded:
        """Have the daemon read its configuration again, and wait until it counts."""
        self._main_only(scope, "config")
        return await self.reload()

    def jobs(self, scope: Scope = "main") -> list[wire.Job]:
        """List the scheduled jobs."""
        self._main_only(scope, "jobs")
        return self.jobs_door.all()

    def run_job(self, name: str, scope: Scope = "main") -> wire.Job:
        """Run a job now and wait for it."""
        self._main_only(scope, "jobs")
        return self.jobs_door.run(name)

    def pause_job(self, name: str, scope: Scope = "main") -> wire.Job:
        """Let a job run only when asked, until it is resumed; over restarts too."""
        self._main_only(scope, "jobs")
        return self.jobs_door.pause(name)

    def resume_job(self, name: str, scope: Scope = "main") -> wire.Job:
        """Let a paused job go on at its next time."""
        self._main_only(scope, "jobs")
        return self.jobs_door.resume(name)

    def reindex(self, *, full: bool = False, scope: Scope = "main") -> wire.Reindexed:
        """Look at every file again; `full` rebuilds the index from nothing."""
        self._main_only(scope, "reindex")
        try:
            report = self._index.rebuild() if full else self._index.reconcile(verify=True)
        except HippodError:
            self.rescan()  # what a rebuild threw away comes back as soon as it can
            raise
        self.events.changed(report.changed, "reindex" if full else "other")
        self.rescan()  # what failed before and is well now is forgotten by who told of it
        return wire.Reindexed(**report.summary(), vectors_pending=self._index.texts_waiting())

    # -- taking it elsewhere -----------------------------------------------------------------

    def backup(self, scope: Scope = "main") -> Backup:
        """Begin a backup of the workspace and its state, which the caller reads and closes."""
        self._main_only(scope, "backup")
        return self._backups.begin()

    def _note_backup(self) -> None:
        with contextlib.suppress(HippodError):  # a full disk: the backup is whole all the same
            self._state.note_backup(self._now())

    def export(self, request: wire_exchange.ExportRequest) -> Iterator[bytes]:
        """Return facts, opinions and entities as lines of JSON."""
        self._main_only(request.scope, "export")
        return self._exporter.export(request)

    def import_(self, request: wire_exchange.ImportAction) -> wire_exchange.Imported:
        """Add what is missing of an export, or take an import back."""
        self._main_only(request.scope, "import")
        if isinstance(request, wire_exchange.UndoImport):
            return self._importer.undo(request)
        return self._importer.add(request)

    # ----------------------------------------------------------------------------------------

    def _written(self, written: Written) -> wire.Written:
        if written.changed:
            self.changed(written.path)
        return wire.Written(
            path=written.path, etag=written.etag, changed=written.changed, line=written.line
        )

    def _index_now(self, path: str) -> None:
        try:
            self.events.changed(self._index.update([path]).changed, "hippod")
        except HippodError as error:  # the document is written; the next reconcile catches up
            logger.warning("index.update_failed", path=path, reason=error.message)

    def _check_write(self, scope: Scope, path: str) -> None:
        """Let a group change shared notes, never the files that instruct the agent everywhere."""
        self._check(scope, path)
        if scope == "group" and "/" not in path:
            raise Forbidden(f"{path}: scope {scope!r} may read it, not change it")

    def _check(self, scope: Scope, path: str) -> None:
        if not may_see(scope, path, self._config.privacy.group_paths):
            raise Forbidden(
                f"{path}: outside what scope {scope!r} may see", "see [privacy] group_paths"
            )

    def _main_only(self, scope: Scope, verb: str) -> None:
        if scope != "main":
            raise Forbidden(f"{verb} is not for scope {scope!r}")

    def _whole(self, scope: Scope, path: str, etag: str | None) -> str | None:
        """Return the etag to write over: a group never overwrites what it cannot see.

        Else a group that writes back what it read would lose the private spans, and could
        search them by `replace`.
        """
        if scope == "main":
            return etag
        try:
            document = self._workspace.read(path)
        except NotFound:
            return "" if etag is None else etag
        if redact.strip_private(document.text) != document.text:
            raise Forbidden(f"{path}: holds parts that scope {scope!r} may not change")
        return document.etag if etag is None else etag

    def _group_tree(self, directory: str, *, recursive: bool) -> list[TreeItem]:
        """List the documents that a group may see, with the folders that lead there."""
        may_list = not directory or self._group_sees(f"{directory}/x")
        try:
            items = self._workspace.tree(directory, recursive=True)
        except NotFound:
            if may_list:
                raise
            items = []
        files = {i.path for i in items if not i.is_directory and self._group_sees(i.path)}
        folders = {str(parent) for path in files for parent in PurePosixPath(path).parents}
        folders |= {i.path for i in items if i.is_directory and self._group_sees(f"{i.path}/x")}
        seen = [item for item in items if item.path in files | folders]
        if not seen and not may_list:
            self._check("group", directory)
        depth = len(PurePosixPath(directory).parts)
        return [item for item in seen if recursive or item.path.count("/") == depth]

    def _group_sees(self, path: str) -> bool:
        return may_see("group", path, self._config.privacy.group_paths)

    def _workspace_status(self) -> wire.WorkspaceStatus:
        workspace = self._workspace
        about = wire.WorkspaceStatus(
            path=str(workspace.root),
            layout=self._config.workspace.layout,
            timezone=self._config.zone.key,
            gone=workspace.absence(),
            oddities={**self._instructions(), **workspace.notes},
        )
        scan = workspace.last_scan
        if scan is None:
            return about
        return about.model_copy(
            update={
                "documents": len(scan.files),
                "skipped": dict(scan.skipped),
                "unreadable": scan.unreadable,
                "links": tuple(wire.LinkStatus(**dataclasses.asdict(link)) for link in scan.links),
                "excluded": scan.excluded,
                "unlisted": scan.unlisted,
                "roots": self._roots(scan),
            }
        )

    def _roots(self, scan: Scan) -> dict[str, int]:
        """Count the documents of each folder at the top, also where a folder or link has none."""
        usual = [daylog.log_path(self._now().date(), self._config.workspace.layout), "bank/x"]
        tops = [path.partition("/")[0] for path in usual]
        tops += [link.path for link in scan.links if "/" not in link.path]
        counts = Counter(path.partition("/")[0] if "/" in path else "" for path in scan.files)
        found = {"": 0, **dict.fromkeys(tops, 0), **counts}
        return dict(sorted(found.items(), key=lambda root: -root[1])[:_MOST_ROOTS])

    def _config_status(self) -> wire.ConfigStatus:
        file = str(self._config_path) if self._config_path else None
        try:
            differing = differences(self._config, self.reread())
        except ConfigError as error:
            return wire.ConfigStatus(file=file, faults=error.problems)
        fixed = tuple(key for key in differing if needs_restart(key))
        waiting = tuple(key for key in differing if key not in fixed)
        return wire.ConfigStatus(file=file, waiting=waiting, needs_restart=fixed)

    def _settings(self) -> dict[str, wire.ConfigValue]:
        """Return what is configured otherwise than by default; as it was when first asked."""
        if self._configured is None:
            self._configured = {}
            with contextlib.suppress(HippodError, OSError, ValueError):  # the file was changed
                found = explain(self._config, self._config_path, os.environ)
                self._configured = {
                    key: wire.ConfigValue(**each)
                    for key, each in found.items()
                    if each["source"] != "default"
                }
        return self._configured

    def _bank_status(self) -> dict[str, Any]:
        """Tell what reflection did, which pages it leaves alone, and what waits for a person."""
        about = self._reflector.status()
        with contextlib.suppress(HippodError):
            about["pages"] = self._roster.report()
            listed = self._proposals.all().proposals
            about["proposals_open"] = sum(each.status == "open" for each in listed)
        return about

    def _instructions(self) -> dict[str, str]:
        """Return by path what reads like instructions; nothing while the index cannot answer."""
        with contextlib.suppress(HippodError):
            return self._lint.oddities()
        return {}

    def _now(self) -> datetime:
        return self._clock().astimezone(self._config.zone)


def _disk(root: Path) -> tuple[int, int] | None:
    """Return the bytes that are free on the disk of a folder, and all."""
    try:
        found = os.statvfs(root)
    except OSError:
        return None
    return found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize


def _size(file: Path) -> int | None:
    try:
        return file.stat().st_size
    except OSError:
        return None


async def _nothing_to_reload() -> wire.ConfigReloaded:
    raise InvalidInput("without a daemon there is nothing to reload", "open the workspace again")


def _actor(scope: Scope) -> str:
    """Name in the journal who asked for a change."""
    return "api" if scope == "main" else f"api ({scope})"


def _day(text: str, today: date) -> date:
    named = text.strip().lower()
    if named == "today":
        return today
    if named == "yesterday":
        return today - timedelta(days=1)
    try:
        return date.fromisoformat(named)
    except ValueError:
        raise InvalidInput(
            f"date: {text!r} is not a day such as 2026-03-03",
            "`today` and `yesterday` are days too",
        ) from None
