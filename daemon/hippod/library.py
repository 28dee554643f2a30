"""The library mode: the verbs over a workspace in this process, without a daemon."""

import contextlib
import functools
import os
import threading
import time
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Concatenate, Final, ParamSpec, Self, TypeVar, cast, get_args

import structlog
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from hippod import (
    __version__,
    archive,
    compose,
    log,
    paths,
    publishing,
    wanted,
    wire,
    wire_bank,
    wire_context,
    wire_doctor,
    wire_events,
    wire_exchange,
    wire_heartbeat,
)
from hippod import config as configuration
from hippod.client import ExportedLines, counted
from hippod.compose import Assembly
from hippod.config import Config
from hippod.errors import Busy, HippodError, InvalidInput
from hippod.jobs import Board, Job, rhythm_of
from hippod.metrics import Metrics, Requests
from hippod.scope import Scope
from hippod.service import Jobs, Memory
from hippod.state.events import PAGE
from hippod.verbs import VERBS, Request, Verbs, named_after

logger = structlog.get_logger()

P = ParamSpec("P")
T = TypeVar("T")

RECONCILE: Final = "reconcile"
_EntryId = Annotated[int, Field(ge=1, le=wire.MAX_ENTRY)]
_MOST_FAULTS = 10


def open(
    path: str | os.PathLike[str] | None = None,
    *,
    config: str | os.PathLike[str] | None = None,
    scope: Scope = "main",
) -> "Library":
    """Open a workspace (made if absent) in this process.

    Without `path` it is the one that the command line finds: `HIPPOD_WORKSPACE`, the config
    (`config`, `HIPPOD_CONFIG`, `~/.hippod/config.toml`), `~/.hippod/workspace`. Raises `Busy`
    while a daemon, or this process already, holds it, and `ConfigError` for a config with faults.
    """
    if scope not in get_args(Scope):
        raise InvalidInput(f"scope: {scope!r} is neither main nor group")
    settings, file = _settings(path, config)
    log.hand_on()
    return Library(settings, file, scope)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request with the memory that answers it and the scope of who asks."""

    memory: Memory
    request: Request[Any]
    scope: Scope

    @property
    def subject(self) -> str:
        return self.request.subject

    def fields(self, kind: type[T]) -> T:
        """Return the fields as the daemon would take them; raises `InvalidInput` as it does."""
        return cast("T", _checked(kind, self.request.all_fields(self.scope)))

    def number(self) -> int:
        return int(_valid(lambda: _adapter(_EntryId).validate_python(self.subject), "entry"))


def _verb(
    build: Callable[Concatenate[Verbs, P], Request[T]],
    answer: Callable[[_Asked], object],
    *,
    looks: bool = False,
) -> Callable[Concatenate["Library", P], T]:
    """Return the method that answers a verb; if it `looks`, then at all files first."""

    def ask(self: "Library", /, *args: P.args, **kwargs: P.kwargs) -> T:
        request = build(VERBS, *args, **kwargs)
        with self._call(looks=looks) as parts:
            said = _plain(answer(_Asked(parts.memory, request, self.scope)))
        return cast("T", said if request.take is None else said[request.take])

    named_after(ask, build)
    return ask


def _retained(asked: _Asked) -> wire.RetainAnswer:
    """Extract inline what the daemon would extract soon: nobody does it later."""
    request = asked.fields(wire.RetainRequest)
    wait = request.wait or request.flush or request.ended
    return asked.memory.retain(request.model_copy(update={"wait": wait}))


def _changed(asked: _Asked) -> wire.Written:
    request: Any = asked.fields(cast("type[Any]", wire.FileAction))
    given = request.model_dump(exclude={"action"})
    return cast("wire.Written", getattr(asked.memory, request.action)(asked.subject, **given))


def _entity_changed(asked: _Asked) -> wire_bank.EntityChanged:
    action: Any = asked.fields(cast("type[Any]", wire_bank.EntityAction))
    return asked.memory.change_entity(asked.subject, action)


def _decided(asked: _Asked) -> wire_bank.ProposalDecided:
    request, id_ = asked.fields(wire_bank.ProposalDecision), asked.subject
    if request.action == "accept":
        return asked.memory.accept_proposal(id_, force=request.force, scope=asked.scope)
    return asked.memory.reject_proposal(id_, asked.scope)


def _written(asked: _Asked) -> wire.Written:
    request = asked.fields(wire.WriteRequest)
    return asked.memory.write(
        asked.subject, request.content, etag=request.etag, scope=request.scope
    )


def _deleted(asked: _Asked) -> wire.Written:
    request = asked.fields(wire.DeleteRequest)
    return asked.memory.delete(asked.subject, etag=request.etag, scope=request.scope)


def _listed(asked: _Asked) -> wire.Tree:
    request = asked.fields(wire.TreeRequest)
    return asked.memory.tree(request.directory, recursive=request.recursive, scope=request.scope)


def _noted(asked: _Asked) -> wire.Written:
    request = asked.fields(wire.NoteRequest)
    return asked.memory.append_daily_log(request.text, date=request.date, scope=request.scope)


def _context(asked: _Asked) -> wire_context.Context:
    return asked.memory.context(asked.fields(wire_context.ContextRequest))


def _working_set(asked: _Asked) -> wire_context.WorkingContent:
    content = asked.fields(wire_context.WorkingRequest).content
    return asked.memory.set_working(asked.subject, content, asked.scope)


def _working_appended(asked: _Asked) -> wire_context.WorkingContent:
    content = asked.fields(wire_context.WorkingRequest).content
    return asked.memory.append_working(asked.subject, content, asked.scope)


def _entity(asked: _Asked) -> wire_bank.EntityDetail:
    limit = asked.fields(wire_bank.EntityRequest).limit
    return asked.memory.entity(asked.subject, limit=limit, scope=asked.scope)


def _opinions(asked: _Asked) -> wire_bank.OpinionList:
    entity = asked.fields(wire_bank.OpinionsRequest).entity
    return asked.memory.opinions(entity, scope=asked.scope)


def _recomputed(asked: _Asked) -> wire_bank.OpinionsRecomputed:
    dry_run = asked.fields(wire_bank.RecomputeRequest).dry_run
    return asked.memory.recompute_opinions(dry_run=dry_run, scope=asked.scope)


def _beats(asked: _Asked) -> wire_heartbeat.BeatList:
    limit = asked.fields(wire_heartbeat.HistoryRequest).limit
    return asked.memory.heartbeat_history(limit, asked.scope)


def _reindexed(asked: _Asked) -> wire.Reindexed:
    full = asked.fields(wire.ReindexRequest).full
    return asked.memory.reindex(full=full, scope=asked.scope)


def _imported(asked: _Asked) -> wire_exchange.Imported:
    action: Any = asked.fields(cast("type[Any]", wire_exchange.ImportAction))
    return asked.memory.import_(action)


def _figures(asked: _Asked) -> str:
    text, _ = Metrics(lambda scope: asked.memory.figures(scope), Requests()).text(asked.scope)
    return text.decode()


def _effective_config(asked: _Asked) -> dict[str, Any]:
    found = asked.memory.effective_config(asked.scope)
    return {key: _plain(wire.ConfigValue(**value)) for key, value in found.items()}


def _not_reloaded(asked: _Asked) -> object:
    raise InvalidInput("without a daemon there is nothing to reload", "open the workspace again")


class Library:
    """The verbs of `hippod.Client` over a workspace that this process holds, without a daemon.

    Names, fields, answers and errors are the client's. Nothing runs beside the calls: no watcher,
    no schedule, no server. So verbs that answer from the index first look at all files (one
    `stat` each, about 50 ms per 1,000 documents), index what changed and embed it, however long
    the embedder takes. `retain(flush=True)` extracts before it returns; messages that are only
    handed over wait for the next flush, or for a daemon. `reflect`, `hygiene`, `heartbeat` and
    `forget` run inline.

    Threads may share it. A process that was forked off must not use it, and leaves it alone.
    `close`, the end of a `with`, the last reference and the interpreter's exit all end the model
    children and release the workspace.
    """

    def __init__(self, config: Config, config_path: Path | None, scope: Scope) -> None:
        self.scope: Scope = scope
        self.daemon_version = None
        self._pid = os.getpid()
        self._in_flight = 0
        self._idle = threading.Condition()
        self._is_closed = False
        with ExitStack() as stack:
            parts = stack.enter_context(_assembled(config, config_path))
            self._parts, self._looking = parts, _Looking(parts)
            self._end = weakref.finalize(self, _end, parts, stack.pop_all(), self._pid)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Make calls in flight end soon, wait for them, and release the workspace."""
        if os.getpid() != self._pid:
            return
        with self._idle:
            self._is_closed = True
        self._parts.memory.events.close()
        self._parts.interrupt()
        with self._idle:
            self._idle.wait_for(lambda: not self._in_flight)
        self._end()

    @property
    def root(self) -> Path:
        """The workspace."""
        return self._parts.workspace.root

    # -- questions ---------------------------------------------------------------------------

    recall = _verb(
        Verbs.recall,
        lambda asked: asked.memory.recall(asked.fields(wire.RecallRequest)),
        looks=True,
    )
    search = recall
    retain = _verb(Verbs.retain, _retained, looks=True)

    # -- documents ---------------------------------------------------------------------------

    read = _verb(Verbs.read, lambda asked: asked.memory.read(asked.subject, scope=asked.scope))
    write = _verb(Verbs.write, _written)
    append = _verb(Verbs.append, _changed)
    replace = _verb(Verbs.replace, _changed)
    insert = _verb(Verbs.insert, _changed)
    move = _verb(Verbs.move, _changed)
    delete = _verb(Verbs.delete, _deleted)
    tree = _verb(Verbs.tree, _listed)
    list = tree

    # -- daily logs --------------------------------------------------------------------------

    today_log = _verb(
        Verbs.today_log, lambda asked: asked.memory.today_log(asked.scope), looks=True
    )
    daily_log = _verb(
        Verbs.daily_log,
        lambda asked: asked.memory.daily_log(asked.subject, asked.scope),
        looks=True,
    )
    append_daily_log = _verb(Verbs.append_daily_log, _noted)

    # -- context -----------------------------------------------------------------------------

    context = _verb(Verbs.context, _context, looks=True)
    system_prompt = _verb(Verbs.system_prompt, _context, looks=True)
    get_working = _verb(
        Verbs.get_working, lambda asked: asked.memory.get_working(asked.subject, asked.scope)
    )
    set_working = _verb(Verbs.set_working, _working_set)
    append_working = _verb(Verbs.append_working, _working_appended)
    clear_working = _verb(
        Verbs.clear_working, lambda asked: asked.memory.clear_working(asked.subject, asked.scope)
    )

    # -- provenance --------------------------------------------------------------------------

    why = _verb(Verbs.why, lambda asked: asked.memory.why(asked.subject, asked.scope), looks=True)
    log = _verb(Verbs.log, lambda asked: asked.memory.log(asked.fields(wire.LogRequest)))
    logged = _verb(Verbs.logged, lambda asked: asked.memory.logged(asked.number(), asked.scope))
    undo = _verb(Verbs.undo, lambda asked: asked.memory.undo(asked.fields(wire.UndoRequest)))

    # -- the bank ----------------------------------------------------------------------------

    entities = _verb(Verbs.entities, lambda asked: asked.memory.entities(asked.scope), looks=True)
    entity = _verb(Verbs.entity, _entity, looks=True)
    merge_entities = _verb(Verbs.merge_entities, _entity_changed, looks=True)
    split_entity = _verb(Verbs.split_entity, _entity_changed, looks=True)
    rename_entity = _verb(Verbs.rename_entity, _entity_changed, looks=True)
    adopt_entity = _verb(Verbs.adopt_entity, _entity_changed, looks=True)
    reflect = _verb(
        Verbs.reflect,
        lambda asked: asked.memory.reflect(asked.fields(wire_bank.ReflectRequest)),
        looks=True,
    )
    hygiene = _verb(
        Verbs.hygiene,
        lambda asked: asked.memory.hygiene(asked.fields(wire_bank.HygieneRequest)),
        looks=True,
    )
    forget = _verb(
        Verbs.forget,
        lambda asked: asked.memory.forget(asked.fields(wire_bank.ForgetRequest)),
        looks=True,
    )
    opinions = _verb(Verbs.opinions, _opinions, looks=True)
    opinion = _verb(
        Verbs.opinion, lambda asked: asked.memory.opinion(asked.subject, asked.scope), looks=True
    )
    recompute_opinions = _verb(Verbs.recompute_opinions, _recomputed, looks=True)
    proposals = _verb(Verbs.proposals, lambda asked: asked.memory.proposals(asked.scope))
    proposal = _verb(
        Verbs.proposal, lambda asked: asked.memory.proposal(asked.subject, asked.scope)
    )
    accept_proposal = _verb(Verbs.accept_proposal, _decided)
    reject_proposal = _verb(Verbs.reject_proposal, _decided)

    # -- operations --------------------------------------------------------------------------

    status = _verb(Verbs.status, lambda asked: asked.memory.status(asked.scope), looks=True)
    metrics = _verb(Verbs.metrics, _figures)
    doctor = _verb(
        Verbs.doctor,
        lambda asked: asked.memory.doctor(asked.fields(wire_doctor.DoctorRequest)),
        looks=True,
    )
    health = _verb(Verbs.health, lambda asked: wire.Health(version=__version__))
    jobs = _verb(Verbs.jobs, lambda asked: wire.JobList(jobs=tuple(asked.memory.jobs(asked.scope))))
    run_job = _verb(
        Verbs.run_job, lambda asked: asked.memory.run_job(asked.subject, asked.scope), looks=True
    )
    heartbeat = _verb(
        Verbs.heartbeat,
        lambda asked: asked.memory.heartbeat(asked.fields(wire_heartbeat.HeartbeatRequest)),
        looks=True,
    )
    heartbeat_history = _verb(Verbs.heartbeat_history, _beats)
    pause_job = _verb(
        Verbs.pause_job, lambda asked: asked.memory.pause_job(asked.subject, asked.scope)
    )
    resume_job = _verb(
        Verbs.resume_job, lambda asked: asked.memory.resume_job(asked.subject, asked.scope)
    )
    reindex = _verb(Verbs.reindex, _reindexed)
    import_ = _verb(Verbs.import_, _imported, looks=True)
    undo_import = _verb(Verbs.undo_import, _imported, looks=True)
    config_show = _verb(Verbs.config_show, _effective_config)
    reload_config = _verb(Verbs.reload_config, _not_reloaded)

    def events(
        self,
        *,
        after: int | None = None,
        types: Iterable[str] = (),
        follow: bool = True,
        limit: int | None = None,
    ) -> Generator[dict[str, Any], None, None]:
        """Yield what happens from now on, first what came behind the event `after`.

        As `Client.events`, but only what this process does is noticed as it happens; ends with
        an error when the memory is closed.
        """
        asked = VERBS.events(after=after, types=types, follow=follow, limit=limit)
        request = _checked(wire_events.EventsRequest, asked.all_fields(self.scope))
        if request.follow:
            yield from self._follow(request)
        else:
            yield from self._page(request)["events"]

    def backup(
        self,
        path: str | os.PathLike[str],
        *,
        force: bool = False,
        heard: Callable[[int], None] = lambda count: None,
    ) -> dict[str, Any]:
        """Write a backup of the workspace and its state to a file; return what is in it.

        As `Client.backup`.
        """
        target = Path(os.fspath(path)).absolute()
        publishing.check_target(target, force=force)
        publishing.refuse_inside(target, self.root)
        with self._call() as parts, contextlib.closing(parts.memory.backup(self.scope)) as made:
            manifest = archive.save(counted(iter(made), heard), target, force=force)
        return archive.summary(manifest, target)

    def export(
        self, *, since: str | None = None, types: Iterable[str] = ()
    ) -> Generator[str, None, None]:
        """Yield facts, opinions and entities as lines of JSON, the first and last about them."""
        asked = VERBS.export(since=since, types=types)
        request = _checked(wire_exchange.ExportRequest, asked.all_fields(self.scope))
        lines = ExportedLines()
        with self._call(looks=True) as parts:
            pieces = parts.memory.export(request)
        while True:
            with self._call():  # not over a `yield`: `close` would wait for who does not read on
                piece = next(pieces, None)
            if piece is None:
                break
            yield from lines.take(piece)
        lines.end()

    # ----------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _call(self, *, looks: bool = False) -> Iterator[Assembly]:
        """Count a call in flight, and look at all files first if it `looks`."""
        if os.getpid() != self._pid:
            raise HippodError(
                f"this memory belongs to process {self._pid}, which was forked",
                "open it after the fork, or use hippod.Client with a daemon",
            )
        with self._idle:
            if self._is_closed:
                raise HippodError("this memory is closed", "open it again by hippod.open()")
            self._in_flight += 1
        try:
            if looks:
                self._looking.now()
            yield self._parts
        finally:
            with self._idle:
                self._in_flight -= 1
                self._idle.notify_all()

    def _follow(self, request: wire_events.EventsRequest) -> Iterator[dict[str, Any]]:
        rung, events = threading.Event(), self._parts.memory.events
        with self._call():
            after = request.after if request.after is not None else events.bounds()[1]
        with events.subscribed(lambda _event: rung.set()):
            while True:
                rung.clear()
                page = self._page(request.model_copy(update={"after": after, "limit": PAGE}))
                yield from page["events"]
                after = page["last"]
                if not page["more"]:
                    rung.wait()

    def _page(self, request: wire_events.EventsRequest) -> dict[str, Any]:
        with self._call() as parts:
            return cast("dict[str, Any]", _plain(parts.memory.events_since(request)))


class _Looking:
    """Brings the index up to date with the files, and tells how far behind it is.

    Holds no `Library`: what the parts hold would keep that alive.
    """

    def __init__(self, parts: Assembly) -> None:
        self._parts = parts
        self._lock = threading.Lock()
        self._began = -1.0
        self._trouble = ""
        """Why the last look failed, if it did: answers say then that something waits."""
        memory, retainer = parts.memory, parts.retainer
        memory.describe, memory.measure = parts.describe, parts.measure
        memory.pending = lambda: int(bool(self._trouble))
        memory.jobs_door = _LibraryJobs(parts, self)
        retainer.changed = memory.changed
        parts.heartbeat.reconcile = self.now

    def now(self) -> None:
        """Look at all files, unless another thread began to after we were asked."""
        asked = time.monotonic()
        with self._lock:
            if self._began < asked:
                if self._began < 0:
                    self._parts.hygiene.expire(datetime.now(UTC))
                self._began = time.monotonic()
                self._look()

    def recorded(self) -> None:
        """Look as a run of the job."""
        began, steady = datetime.now(UTC), time.monotonic()
        self.now()
        outcome, seconds = "failed" if self._trouble else "ok", time.monotonic() - steady
        self._parts.state.record_run(RECONCILE, began, seconds, outcome, self._trouble)

    def _look(self) -> None:
        parts = self._parts
        try:
            parts.memory.events.changed(parts.index.reconcile().changed, "other")
            self._trouble = ""
        except HippodError as error:  # what is indexed answers all the same
            self._trouble = error.message
            logger.warning("index.update_failed", reason=error.message, hint=error.hint)
        if not parts.retainer.is_working:
            parts.retainer.confirm()


class _LibraryJobs(Jobs):
    """The scheduled jobs, each run in the thread of who asks; none comes by its time."""

    def __init__(self, parts: Assembly, looking: _Looking) -> None:
        config, state = parts.config, parts.state
        look = Job(RECONCILE, rhythm_of(config, RECONCILE), looking.recorded)
        self._board = Board(config, state, state.clock, [look, *parts.jobs])

    def all(self) -> list[wire.Job]:
        """Return every job with its last run."""
        return [_without_time(job) for job in self._board.all()]

    def run(self, name: str) -> wire.Job:
        """Run a job now and return what became of it."""
        return _without_time(self._board.run(name))

    def run_as(self, name: str, work: Callable[[], T]) -> T:
        """Do `work` as a run of a job and return or raise what it does."""
        return self._board.run_as(name, work)

    def pause(self, name: str) -> wire.Job:
        """Let a daemon run a job only when asked, until it is resumed."""
        return _without_time(self._board.pause(name))

    def resume(self, name: str) -> wire.Job:
        """Let a daemon run a paused job at its next time."""
        return _without_time(self._board.resume(name))


def _without_time(job: wire.Job) -> wire.Job:
    return job.model_copy(update={"next_run": None})


def _settings(
    path: str | os.PathLike[str] | None, config: str | os.PathLike[str] | None
) -> tuple[Config, Path | None]:
    """Load the configuration with the workspace settled; also return its file, if any."""
    file = paths.config_path(os.fspath(config) if config else None, os.environ)
    if config and not paths.is_there(file):
        raise InvalidInput(f"{file}: no such config file", "leave out config for the default one")
    loaded = configuration.load(Path(file), os.environ)
    configured, _ = paths.configured(file, os.environ)
    given = os.fspath(path) if path else None
    folder = str(Path(file).parent)
    root = Path(paths.workspace_path(given, configured, os.environ, config_dir=folder))
    workspace = loaded.workspace.model_copy(update={"path": root})
    server = loaded.server.model_copy(update={"socket": ""})  # nobody serves one
    settled = loaded.model_copy(update={"workspace": workspace, "server": server})
    return settled, Path(file) if paths.is_there(file) else None


@contextlib.contextmanager
def _assembled(config: Config, file: Path | None) -> Iterator[Assembly]:
    with ExitStack() as stack:
        try:
            parts = stack.enter_context(compose.assemble(config, file))
        except Busy as error:
            raise Busy(
                error.message,
                "while a daemon holds a workspace use hippod.Client; what this process opened"
                " itself is to be shared, or closed first",
            ) from None
        yield parts


def _end(parts: Assembly, stack: ExitStack, pid: int) -> None:
    """Release everything; in a process that was forked off it is not ours to release."""
    if os.getpid() == pid:
        parts.interrupt()
        stack.close()


@functools.cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _checked(kind: Any, raw: bytes) -> Any:
    return _valid(lambda: _adapter(kind).validate_json(raw))


def _valid(validate: Callable[[], Any], name: str = "") -> Any:
    try:
        return validate()
    except ValidationError as error:
        faults = [_fault(fault, name) for fault in error.errors()[:_MOST_FAULTS]]
        raise InvalidInput("; ".join(faults), "see help(hippod.Client)") from None


def _fault(fault: Mapping[str, Any], name: str) -> str:
    place = ".".join(str(part) for part in fault["loc"]) or name
    return f"{place}: {wanted.of_a_request(fault)}"


def _plain(answer: object) -> Any:
    return answer.model_dump(mode="json") if isinstance(answer, BaseModel) else answer
