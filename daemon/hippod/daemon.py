"""The daemon's work over one assembled workspace: it watches, indexes, retains and schedules.

Everything blocking runs in threads (one for the index, one for retain, the server's pool for
requests); the loop only routes events. `hippod.process` starts it, serves what it answers and
starts another one when the configuration is read again.
"""

import asyncio
import contextlib
import functools
import itertools
import logging
import math
import os
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

import structlog

from hippod import daylog, lanes, watch
from hippod.audit import Audit
from hippod.clockwork import Clockwork, DaemonJobs
from hippod.compose import Assembly
from hippod.config import Config
from hippod.debounce import Debouncer
from hippod.errors import HippodError, is_passing
from hippod.heartbeat import JOB as HEARTBEAT
from hippod.index import Report
from hippod.jobs import Board, Job, rhythm_of
from hippod.lanes import Lane
from hippod.lock import FOLDER, Held
from hippod.reflect import JOB as REFLECT
from hippod.retain import SourceFile

logger = structlog.get_logger()

K = TypeVar("K", SourceFile, str)

RECONCILE = "reconcile"
CRASH_SECONDS = (1, 5, 30, 300)
"""When to begin a worker again that crashed."""
CALM_SECONDS = 600
"""After so long without a crash the next one counts as the first."""
STUCK_SECONDS = {"index": 3_600, "retain": 3_600, "jobs": 3_600, "events": 600, "pulse": 60}
"""How long the work of a thread may stand still; others may take as long as they like."""
LOOK_SECONDS = 60.0
"""How often who waits for a look at all files says that it is not stuck."""
RETRY_SECONDS = (2, 5, 15, 60)
"""When to look again after the workspace or the index could not be read at all, and after what
may well succeed in a moment: then as many times as there are numbers."""
EMBED_RETRY_SECONDS = (2, 10, 60, 300)
"""When to try again after the embedder failed, or failed at some texts."""
WATCHING_SECONDS = 3
"""By when a watch that was started anew surely watches."""
AUDIT_SECONDS = 3
"""How long after a look the watcher may still tell of what it found."""
FIRST_QUESTION_SECONDS = 0.5
"""Between being ready and the first look at all files, beside which a question takes longer."""
GATHER_SECONDS = 5
"""Between a change of a log and counting its facts: they come several at a time."""
TIDY_SECONDS = 0.5
"""Pause between steps of tidying, for whoever wants to write."""


@dataclass(frozen=True, slots=True)
class _Round:
    """What a run of the embedder did, and what is to follow."""

    embedded: int = 0
    left: bool = True
    wants_graph: bool = False


class Waiting(Generic[K]):
    """A debouncer that can be awaited. `touch` is for the loop's own thread."""

    def __init__(self, quiet: float, longest_wait: float) -> None:
        self._debouncer: Debouncer[K] = Debouncer(quiet, longest_wait)
        self._touched = asyncio.Event()
        self._taken: float | None = None
        self._in_hand = 0
        self._counting = threading.Lock()

    def __len__(self) -> int:
        """Return how many keys wait, those taken last among them. Any thread may ask."""
        with self._counting:
            return len(self._debouncer) + self._in_hand

    def touch(self, key: K, *, at_once: bool = False) -> None:
        """Note that `key` changed."""
        self._debouncer.touch(key, time.monotonic(), at_once=at_once)
        self._touched.set()

    def age(self) -> float:
        """Return for how many seconds the oldest key waits, those taken last among them.

        They wait until more are taken.
        """
        since = [each for each in (self._debouncer.oldest(), self._taken) if each is not None]
        return max(0.0, time.monotonic() - min(since)) if since else 0.0

    async def take(self) -> list[K]:
        """Wait until keys are due and return them."""
        self._taken = None
        self._in_hand = 0
        while not (ready := self._take_due()):
            self._touched.clear()
            due = self._debouncer.next_due()
            wait = None if due is None else max(0.0, due - time.monotonic())
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._touched.wait()
        return ready

    def _take_due(self) -> list[K]:
        oldest = self._debouncer.oldest()
        with self._counting:
            ready = self._debouncer.take(time.monotonic())
            self._in_hand = len(ready)
        if ready:
            self._taken = oldest
        return ready


class Daemon:
    """The running daemon over one assembled workspace."""

    def __init__(self, assembly: Assembly, held: Held | None = None) -> None:
        self.lost: Callable[[], None] = lambda: None
        """Called in the loop when the workspace is not `held` any more."""
        self.tell: Callable[[], None] = lambda: None
        """Called, in any thread, when `line` changed."""
        self._told = ""
        self._parts = assembly
        self._held = held
        self._state_file = held.identify("state.sqlite") if held else None
        self._config = assembly.config
        self._stop = asyncio.Event()
        self._index_queue: Waiting[str] = Waiting(
            self._config.indexing.quiet, self._config.indexing.longest_wait
        )
        self._retain_queue: Waiting[SourceFile] = Waiting(
            self._config.retain.quiet, self._config.retain.longest_wait
        )
        self._behind = 0
        """1 while an update failed and waits to be tried again."""
        self._first_look = 1
        """Counts as waiting until it is done: before it nobody knows what changed meanwhile."""
        self._job_thread = Lane("jobs")
        self._look_thread = Lane("looks")
        self._index_thread = Lane("index")
        self._retain_thread = Lane("retain")
        self._vector_thread = Lane("vectors")
        self._event_thread = Lane("events")
        self._pulse_thread = Lane("pulse")
        self._lanes = (
            self._job_thread, self._look_thread, self._index_thread, self._retain_thread,
            self._vector_thread, self._event_thread, self._pulse_thread,
        )  # fmt: skip
        """In the order in which they end."""
        self._crashes: dict[str, dict[str, Any]] = {}
        """Of workers, since the start, by name."""
        self._ours: set[str] = set()
        """Documents that hippod wrote and the index did not look at since."""
        self._vectors_due = asyncio.Event()
        self._graph_due = asyncio.Event()
        self._graph_failed = False
        self._tidy_due = asyncio.Event()
        self._logs_changed = asyncio.Event()
        self._changed_logs: set[str] = set()
        self._judging: set[asyncio.Task[None]] = set()
        self._audit = Audit()
        self._watched = False
        self._counting_watches = False
        self._unwatched: set[int] = set()
        """Folders, by inode, for which watching was begun anew."""
        self._lacking = ""
        self._looked_again = 0
        self._retained_again: dict[SourceFile, int] = {}
        """How often documents, and each transcript, were read again after what may pass."""
        self._failing: dict[str, str] = {}
        self._trouble = ""
        self._watch_mode = "starting"
        self._last_event: tuple[datetime, float] | None = None
        self._last_look: tuple[datetime, float] | None = None
        """By both clocks: the one tells when, the other how long ago."""
        self._roots: set[Path] = set()
        self._new_roots = asyncio.Event()
        self._probe = watch.Probe()
        self._reconcile_asked: asyncio.Queue[asyncio.Future[None]] = asyncio.Queue()
        self._waiting_for_look: set[asyncio.Future[None]] = set()

    def connect(self) -> None:
        """Connect the verbs with the running loop."""
        loop = asyncio.get_running_loop()
        self._board = self._new_board(loop)
        self._clockwork = Clockwork(
            self._board,
            self._config.schedule_zone,
            self._job_thread,
            beside={RECONCILE: self._look_thread},
        )
        self._connect(loop, self._clockwork)

    async def run(self) -> None:
        """Work until `stop`, then end what is at work; after `connect`."""
        try:
            async with asyncio.TaskGroup() as tasks:
                await self._work(tasks)
        finally:
            await self._interrupt()  # once more: where something crashed, nobody did
            # Beside the loop: a job that ends may still ask it for a look at all files.
            for lane in self._lanes:
                ends_now = lane in (self._job_thread, self._look_thread)
                await asyncio.to_thread(lane.shutdown, wait=True, cancel_futures=ends_now)

    def quieten(self) -> None:
        """End the streams of events, so that only requests that end are left."""
        self._parts.memory.events.close()

    def stop(self) -> None:
        """Let nothing begin any more and `run` return."""
        self._stop.set()

    def line(self) -> str:
        """Say in a few words how it stands, for a service manager."""
        failing = self._parts.memory.events.failing
        return f"failing: {', '.join(failing)}" if failing else ""

    async def _work(self, tasks: asyncio.TaskGroup) -> None:
        workers = [
            tasks.create_task(self._kept_alive(name, work))
            for name, work in (
                ("watch", self._watch),
                ("index", self._index_changes),
                ("vectors", self._give_vectors),
                ("graph", self._build_graphs),
                ("tidy", self._tidy),
                ("retain", self._retain_changes),
                ("reflect", self._reflect_on_facts),
                ("looks", self._reconcile_when_asked),
            )
        ]
        await asyncio.to_thread(self._warm_up)
        if not await self._stopped_within(FIRST_QUESTION_SECONDS):
            keep_time = self._kept_alive("schedule", self._keep_time)
            workers.append(tasks.create_task(keep_time))
            await self._stop.wait()
        for worker in workers:
            worker.cancel()
        await self._interrupt()

    async def _kept_alive(self, name: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do a worker's work; where it crashes, tell, and begin it again after a while."""
        crashes = 0
        while not self._stop.is_set():
            began = time.monotonic()
            try:
                await work()
            except Exception as error:  # whatever it is: the others go on, and status tells
                logger.exception("worker.crashed", worker=name)
                self._note_crash(name, error)
            if time.monotonic() - began > CALM_SECONDS:
                crashes = 0
            await self._stopped_within(CRASH_SECONDS[min(crashes, len(CRASH_SECONDS) - 1)])
            crashes += 1

    def _note_crash(self, worker: str, error: Exception) -> None:
        """Tell of a crash, and have looked at again what the worker may have had in hand."""
        before = self._crashes.get(worker, {"times": 0})
        self._crashes[worker] = {
            "times": before["times"] + 1,
            "last": _local(self._config, datetime.now(UTC)),
            "error": type(error).__name__,
        }
        self._note(f"worker {worker}", CRASHED, SEE_LOG)
        for waiting in self._waiting_for_look:
            if not waiting.done():
                waiting.set_exception(HippodError(CRASHED, SEE_LOG))
        self._touch(RESCAN)

    async def _stopped_within(self, seconds: float) -> bool:
        """Wait so long, or until all is to stop; say whether it is."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stop.wait()
        return self._stop.is_set()

    def has_lost_hold(self) -> bool:
        """Say whether the lock or the state was deleted or replaced: what is open is not there."""
        held = self._held
        return held is not None and (held.is_lost() or held.has_lost(self._state_file))

    # -- health ------------------------------------------------------------------------------

    def ailment(self) -> str:
        """Return what is stuck, empty if nothing is; asks anew, without waiting for the answer.

        Stuck is a thread whose work of the moment has not moved (a batch, an entity, a file, an
        answer of a model) for longer than `STUCK_SECONDS`, and state or index when they cannot
        even be read for a minute: then something holds a lock that everybody needs. A slow model,
        a full disk or a missing workspace is no ailment.
        """
        stuck = [f"{lane.name} for {lane.busy():.0f} s" for lane in self._lanes if _is_stuck(lane)]
        if not self._pulse_thread.busy():
            with contextlib.suppress(RuntimeError):  # the thread is gone: we are stopping
                self._pulse_thread.submit(self._feel_pulse)
        return ", ".join(stuck)

    def _feel_pulse(self) -> None:
        with contextlib.suppress(HippodError):
            self._parts.state.runs(RECONCILE)
            self._parts.index.texts_waiting()

    async def _interrupt(self) -> None:
        """Let nothing begin any more, and make end soon what is at work."""
        self._stop.set()
        self._board.stop()
        for unfinished in (*self._waiting_for_look, *self._judging):
            unfinished.cancel()
        await asyncio.to_thread(self._parts.interrupt)

    def _connect(self, loop: asyncio.AbstractEventLoop, clockwork: Clockwork) -> None:
        """Give the service its way back into the loop."""

        def changed(path: str) -> None:
            loop.call_soon_threadsafe(self._touch, path, True)

        def waiting(file: SourceFile, seconds: float) -> None:
            touch = functools.partial(self._retain_queue.touch, file, at_once=True)
            loop.call_soon_threadsafe(loop.call_later, seconds, touch)

        def embed_later() -> None:
            with contextlib.suppress(RuntimeError):  # the loop is gone: we are stopping
                loop.call_soon_threadsafe(self._vectors_due.set)

        self._parts.index.embed_later = embed_later
        memory = self._parts.memory
        memory.changed = changed
        memory.rescan = lambda: changed(RESCAN)
        memory.pending = lambda: len(self._index_queue) + self._behind + self._first_look
        memory.waited = self._index_queue.age
        memory.describe = self._describe
        memory.measure = self._measure
        memory.watcher = _WatcherDoor(
            loop, self._probe, self._new_roots, self._parts.workspace.root
        )
        memory.jobs_door = DaemonJobs(self._board, clockwork, loop)
        self._parts.retainer.changed = changed
        self._parts.retainer.waiting = waiting

    def _describe(self) -> dict[str, Any]:
        return {
            "watch": {
                "mode": self._watch_mode,
                **_when("last_event", self._last_event, self._config),
                **_when("last_look", self._last_look, self._config),
                "not_indexed": self._failing,
                "fault": self._audit.fault or self._lacking,
            },
            "crashes": self._crashes,
            **self._parts.describe(),
        }

    def _measure(self) -> dict[str, Any]:
        return {
            "watching": self._watch_mode in ("events", "polling: configured"),
            "not_indexed": len(self._failing),
            "transcripts_waiting": len(self._retain_queue),
            "crashes": sum(crash["times"] for crash in self._crashes.values()),
            **self._parts.measure(),
        }

    # -- tasks -------------------------------------------------------------------------------

    async def _watch(self) -> None:
        """Route what changed; start again when a folder to watch appears or a watch ends."""
        while True:
            self._roots = self._wanted_roots()
            self._new_roots.clear()
            try:
                async for batch in watch.changes(
                    sorted(self._roots),
                    self._new_roots,
                    poll=self._config.indexing.polling == "always",
                    on_mode=self._set_mode,
                ):
                    self._last_event = datetime.now(UTC), time.monotonic()
                    for path in batch:
                        self._route(path)
            except OSError as error:
                self._set_mode(f"failed: {error}")
                logger.warning("watch.failed", reason=str(error))
                await self._new_roots.wait()
            self._touch(RESCAN)  # for what happens while nobody watches
            # ... and for transcripts, once the new watch stands: it does not say when.
            asyncio.get_running_loop().call_later(WATCHING_SECONDS, self._look_again)

    def _look_again(self) -> None:
        """Ask for a look at everything that nobody waits for."""
        self._reconcile_asked.put_nowait(asyncio.get_running_loop().create_future())

    def _set_mode(self, mode: str) -> None:
        self._watch_mode = mode
        is_fine = mode in ("events", "polling: configured")
        self._note("watcher", "" if is_fine else mode, "changes are found later, see hippod status")

    def _wanted_roots(self) -> set[Path]:
        """The workspace and the sources' folders, none inside another."""
        found = {self._parts.workspace.root, *self._parts.retainer.folders()}
        found = {root for root in found if os.path.isdir(root)}  # noqa: PTH112 - never raises
        return {r for r in found if not any(o != r and r.is_relative_to(o) for o in found)}

    def _route(self, path: Path) -> None:
        self._probe.saw(path)
        transcript = self._parts.retainer.source_of(path)
        if transcript is not None:
            self._retain_queue.touch(transcript)
        root = self._parts.workspace.root
        if not path.is_relative_to(root):
            return
        if path.is_relative_to(root / FOLDER):
            self._check_hold()
            return
        relative = path.relative_to(root).as_posix()
        # Of a new, moved or deleted folder only the folder itself is reported.
        key = relative if path.suffix == ".md" and not path.is_dir() else RESCAN
        if key != RESCAN or path.suffix == "" or path.is_dir():
            self._touch(key)

    def _check_hold(self) -> None:
        if self.has_lost_hold() and not self._stop.is_set():
            self.lost()

    def _touch(self, key: str, at_once: bool = False) -> None:
        if at_once and key != RESCAN:
            self._ours.add(key)
        self._audit.announce(key, time.monotonic())
        self._index_queue.touch(key, at_once=at_once)

    async def _index_changes(self) -> None:
        retries = itertools.count()
        while True:
            changed = await self._index_queue.take()
            done = await self._in_index_thread(changed) is not None
            if done and self._behind:  # a workspace that was away: look at transcripts, watch anew
                self._look_again()
            self._behind = 0 if done else 1
            if done:
                retries = itertools.count()
            else:  # no event may come when a workspace is mounted again or a disk has room
                wait = RETRY_SECONDS[min(next(retries), len(RETRY_SECONDS) - 1)]
                asyncio.get_running_loop().call_later(wait, self._index_queue.touch, RESCAN)

    def _look_soon(self, *, again: bool) -> None:
        """Look at the documents again a moment later, unless that was done often."""
        times = self._looked_again
        self._looked_again = times + 1 if again else 0
        if again and times < len(RETRY_SECONDS):
            wait = RETRY_SECONDS[times]
            asyncio.get_running_loop().call_later(wait, self._index_queue.touch, RESCAN)

    async def _in_index_thread(self, changed: list[str]) -> Report | None:
        loop = asyncio.get_running_loop()
        self._check_hold()
        report = await loop.run_in_executor(self._index_thread, self._update_index, changed)
        self._look_soon(again=report is not None and report.passing)
        if RESCAN in changed and not self._counting_watches:
            self._counting_watches = True
            loop.call_later(WATCHING_SECONDS, self._in_background, self._count_watches)
        self._tell_changes(changed, report)
        self._changed_logs |= set(filter(daylog.day_of, report.changed if report else ()))
        if self._changed_logs:
            self._logs_changed.set()
        return report

    def _tell_changes(self, looked_at: list[str], report: Report | None) -> None:
        """Publish which documents changed, those that hippod wrote apart."""
        if report is None:
            return
        found = report.changed
        ours = [path for path in found if path in self._ours]
        others = [path for path in found if path not in self._ours]
        self._ours.difference_update(looked_at, found)
        events = self._parts.memory.events
        if report.renewed:
            self._publish(events.changed, found, "reindex")
        else:
            self._publish(events.changed, ours, "hippod")
            self._publish(events.changed, others, "other")

    def _note(self, what: str, trouble: str, hint: str = "") -> None:
        """Publish that something fails, or (no `trouble`) does not any more; else nothing."""
        events = self._parts.memory.events
        if trouble:
            self._publish(events.fault, what, trouble, hint)
        else:
            self._publish(events.well, what)
        self._publish(self._tell_if_changed)

    def _tell_if_changed(self) -> None:
        if (line := self.line()) != self._told:
            self._told = line
            self.tell()

    def _publish(self, publish: Callable[..., None], *values: object) -> None:
        # In a thread of its own: keeping an event waits for the disk, and nobody else should.
        with contextlib.suppress(RuntimeError):  # the thread is gone: we are stopping
            self._event_thread.submit(self._guarded_publishing, publish, *values)

    def _guarded_publishing(self, publish: Callable[..., None], *values: object) -> None:
        try:
            publish(*values)
        except Exception:
            logger.exception("event.crashed")

    def _update_index(self, changed: list[str]) -> Report | None:
        """Bring the index up to date; None if all of it failed and is to be tried again."""
        index = self._parts.index
        trouble = hint = ""
        report: Report | None = None
        try:
            report = index.reconcile() if RESCAN in changed else index.update(changed)
            for path, reason in report.failed.items():
                if self._failing.get(path) != reason:
                    logger.warning("document.failed", path=path, reason=reason)
            self._failing = self._still_failing(changed) | report.failed
            self._note("documents", _not_indexed(self._failing))
            logger.debug("index.updated", **report.summary())
            self._read_back()
        except HippodError as error:
            trouble, hint = error.message, error.hint
            if trouble != self._trouble:
                logger.warning("index.update_failed", reason=trouble, hint=error.hint)
        except Exception:
            logger.exception("index.update_crashed")
            report = report or Report(stopped=True)
            trouble, hint = CRASHED, SEE_LOG
        self._trouble = trouble
        self._note("index", trouble, hint)
        return report

    def _still_failing(self, changed: list[str]) -> dict[str, str]:
        """Return what failed before and was not looked at now."""
        looked_at = set(changed)
        failing = {} if RESCAN in looked_at else self._failing
        return {path: reason for path, reason in failing.items() if path not in looked_at}

    async def _give_vectors(self) -> None:
        """Embed what waits, beside the index thread: a slow model holds up no save."""
        loop = asyncio.get_running_loop()
        failures = 0
        self._vectors_due.set()
        while True:
            await self._vectors_due.wait()
            self._vectors_due.clear()
            done = await loop.run_in_executor(self._vector_thread, self._embed)
            if done.wants_graph and not self._graph_failed:
                self._graph_due.set()
            if done.embedded or not done.left:
                failures = 0
                if done.embedded:  # some may have come meanwhile, or be left
                    self._vectors_due.set()
                continue
            wait = EMBED_RETRY_SECONDS[min(failures, len(EMBED_RETRY_SECONDS) - 1)]
            failures += 1
            # What is saved meanwhile need not wait for texts, or a moment, that failed.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._vectors_due.wait()
            self._vectors_due.set()

    def _embed(self) -> _Round:
        """Embed what waits, and say what is to follow."""
        index = self._parts.index
        try:
            report = index.embed_pending()
            logger.debug("vectors.updated", **report.summary())
            self._note("embedder", index.embedding_error)
            self._note("vectors", "")
            return _Round(report.embedded, index.texts_waiting() > 0, index.wants_graph())
        except HippodError as error:
            logger.warning("vectors.update_failed", reason=error.message, hint=error.hint)
            self._note("vectors", error.message, error.hint)
        except Exception:
            logger.exception("vectors.update_crashed")
        return _Round()

    async def _build_graphs(self) -> None:
        """Build the graph when vectors are many; seconds to minutes, searches go on meanwhile."""
        while True:
            await self._graph_due.wait()
            self._graph_due.clear()
            await asyncio.to_thread(self._build_graph)

    def _build_graph(self) -> None:
        """Build the graph; without one searches are slower, and the next look tries again."""
        try:
            self._parts.index.build_graph()
            self._graph_failed = False
        except Exception:
            logger.exception("vectors.graph_crashed")
            self._graph_failed = True

    def _warm_up(self) -> None:
        try:
            self._parts.index.warm_up()
        except Exception:
            logger.exception("index.warm_up_crashed")

    async def _retain_changes(self) -> None:
        loop = asyncio.get_running_loop()
        retainer = self._parts.retainer
        while True:
            for source_file in await self._retain_queue.take():
                may_pass = await loop.run_in_executor(
                    self._retain_thread, self._retain, retainer.process, source_file
                )
                self._retain_soon(source_file, again=may_pass)
                # Read back at every change of a document, and for the last time when nothing
                # more is to be feared from an editor that was open meanwhile.
                loop.call_later(self._config.retain.settle + 1, self._read_back)

    def _retain_soon(self, file: SourceFile, *, again: bool) -> None:
        """Read a transcript again a moment later, unless that was done often."""
        times = self._retained_again.pop(file, 0)
        if again and times < len(RETRY_SECONDS):
            self._retained_again[file] = times + 1
            wait = RETRY_SECONDS[times]
            asyncio.get_running_loop().call_later(wait, self._retain_queue.touch, file)

    async def _reflect_on_facts(self) -> None:
        """Reflect when enough facts are new; told of after changes of logs and every look."""
        loop = asyncio.get_running_loop()
        while True:
            await self._logs_changed.wait()
            await asyncio.sleep(GATHER_SECONDS)
            self._logs_changed.clear()
            paths, self._changed_logs = self._changed_logs, set()
            await loop.run_in_executor(self._job_thread, self._reflect_if_due, paths)

    def _reflect_if_due(self, paths: set[str]) -> None:
        reflector = self._parts.reflector

        def work() -> None:
            if self._board.is_paused(REFLECT):
                reflector.notice(paths)
            else:
                reflector.run_if_due(paths)

        self._board.run_early(REFLECT, work)

    def _retain(self, work: Callable[..., object], *values: SourceFile) -> bool:
        """Do a piece of work; say whether it failed in a way that may well pass."""
        what = " ".join(["retain", *(f"{file.source}: {file.path}" for file in values)])
        try:
            work(*values)
            self._note(what, "")
        except HippodError as error:
            logger.warning("retain.failed", reason=error.message, hint=error.hint)
            self._note(what, error.message, error.hint)
            return is_passing(error)
        except Exception as error:
            logger.exception("retain.crashed")
            self._note(what, CRASHED, SEE_LOG)
            return is_passing(error)
        return False

    def _read_back(self) -> None:
        # Never in the index thread: it waits for the batch that the model is working on.
        with contextlib.suppress(RuntimeError):  # the thread is gone: we are stopping
            self._retain_thread.submit(self._retain, self._parts.retainer.confirm)

    # -- jobs --------------------------------------------------------------------------------

    def _new_board(self, loop: asyncio.AbstractEventLoop) -> Board:
        """Return the jobs, with the look at all files that only a daemon knows."""

        def look() -> None:
            asked = asyncio.run_coroutine_threadsafe(self.reconcile(), loop)
            with contextlib.suppress(CancelledError):  # we are stopping
                while not _is_done_within(asked, LOOK_SECONDS):
                    lanes.moved()  # the index thread has a bound of its own

        def next_beat() -> str | None:
            at = board.next_run(HEARTBEAT)
            return _local(self._config, at) if at else None

        state, heartbeat = self._parts.state, self._parts.heartbeat
        looking = Job(RECONCILE, rhythm_of(self._config, RECONCILE), look)
        board = Board(self._config, state, state.clock, [looking, *self._parts.jobs])
        board.ended = lambda name, trouble, hint: self._note(f"job {name}", trouble, hint)
        heartbeat.reconcile = look
        heartbeat.next_run = next_beat
        return board

    async def _keep_time(self) -> None:
        """Look at all files, whenever that was done last, and from then on by the schedule."""
        await self.reconcile()
        await self._clockwork.run()

    async def reconcile(self) -> None:
        """Ask for a look at everything, and wait until it is done."""
        if self._stop.is_set():
            return
        done = asyncio.get_running_loop().create_future()
        self._reconcile_asked.put_nowait(done)
        self._waiting_for_look.add(done)
        try:
            await done
        finally:
            self._waiting_for_look.discard(done)

    async def _reconcile_when_asked(self) -> None:
        while True:
            asked = [await self._reconcile_asked.get()]
            while not self._reconcile_asked.empty():
                asked.append(self._reconcile_asked.get_nowait())
            began = time.monotonic()
            self._audit.begin(began)
            report = await self._reconcile()
            self._first_look = 0
            self._last_look = datetime.now(UTC), time.monotonic()
            for done in asked:
                if not done.done():
                    done.set_result(None)
            self._vectors_due.set()
            self._graph_due.set()
            self._tidy_due.set()
            self._logs_changed.set()
            self._in_background(functools.partial(self._judge_watcher, report, began))

    def _in_background(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        if self._stop.is_set():
            return
        judging = asyncio.create_task(work())
        self._judging.add(judging)
        judging.add_done_callback(self._judging.discard)

    async def _count_watches(self) -> None:
        """Begin to watch anew when the watcher lacks folders: it falls back to polling then.

        The library says nothing when the system has no watch left for a folder that is new.
        """
        self._counting_watches = False
        before, missing = self._unwatched, await self._still_unwatched()
        self._unwatched, lacking = missing, len(missing & before)
        self._lacking = f"{lacking} folders are not watched" if lacking else ""
        self._note("watches", self._lacking, "raise fs.inotify.max_user_watches")
        if missing - before and not self._stop.is_set():
            logger.warning("watch.lacks_folders", folders=len(missing))
            self._new_roots.set()

    async def _still_unwatched(self) -> set[int]:
        """Return the folders that the watcher lacks; one that is new is given a moment."""
        missing: set[int] = set()
        for _ in range(2):
            scan = self._parts.workspace.last_scan
            if scan is None or self._watch_mode != "events":
                return set()
            root = self._parts.workspace.root
            missing = await asyncio.to_thread(watch.unwatched, root, scan.folders)
            if missing <= self._unwatched:
                break
            await asyncio.sleep(WATCHING_SECONDS)
        return missing

    async def _judge_watcher(self, report: Report | None, began: float) -> None:
        """Compare what a look found with what the watcher told, some seconds later."""
        try:
            await self._compare(report, began)
        finally:
            self._audit.end(began)

    async def _compare(self, report: Report | None, began: float) -> None:
        if report is None or report.renewed or report.stopped or self._watch_mode != "events":
            self._watched = self._watch_mode == "events"
            self._audit.forget()
            return
        if not self._watched:  # the first look finds what happened before anybody watched
            self._watched = True
            return
        if report.changed:
            await asyncio.sleep(AUDIT_SECONDS)
        missed = self._audit.look(report.changed, began)
        self._note("missed changes", "the watcher misses changes" if self._audit.fault else "")
        if missed:
            logger.log(
                logging.WARNING if self._audit.fault else logging.INFO,
                "watch.missed_changes",
                missed=missed,
                fault=self._audit.fault,
            )

    async def _tidy(self) -> None:
        """Merge the words' index after a look, step by step, until there is nothing to gain."""
        loop = asyncio.get_running_loop()
        while True:
            await self._tidy_due.wait()
            self._tidy_due.clear()
            while await loop.run_in_executor(self._index_thread, self._tidy_a_little):
                await asyncio.sleep(TIDY_SECONDS)

    def _tidy_a_little(self) -> bool:
        try:
            return self._parts.index.tidy()
        except HippodError:  # the next look finds what is wrong
            return False
        except Exception:
            logger.exception("index.tidy_crashed")
            return False

    async def _reconcile(self) -> Report | None:
        """Look at every document and every transcript again."""
        started, began = datetime.now(UTC), time.monotonic()
        error = ""
        report: Report | None = None
        try:
            report = await self._in_index_thread([RESCAN])
            if report is None:
                error = self._trouble
            await asyncio.to_thread(self._parts.hygiene.expire, started)
            for source_file in await asyncio.to_thread(self._parts.retainer.unread):
                self._retain_queue.touch(source_file)
        except (HippodError, OSError) as failure:
            error = str(failure)
            logger.warning("reconcile.failed", reason=error)
        try:
            await asyncio.to_thread(
                self._parts.state.record_run,
                RECONCILE,
                started,
                time.monotonic() - began,
                "failed" if error else "ok",
                error,
            )
        except HippodError as failure:  # a full disk must not end the daemon
            logger.warning("reconcile.not_recorded", reason=failure.message, hint=failure.hint)
        if self._wanted_roots() != self._roots:
            self._new_roots.set()
        return report


@dataclass(frozen=True, slots=True)
class _WatcherDoor:
    """The watcher as the doctor sees it, from any thread."""

    loop: asyncio.AbstractEventLoop
    probe: watch.Probe
    new_roots: asyncio.Event
    root: Path

    def delivers(self, seconds: float) -> float | None:
        """Make a file and return after how many seconds its event came; None: it did not."""
        return self.probe.delivered(self.root, seconds)

    def restart(self) -> None:
        """Begin to watch anew."""
        self.loop.call_soon_threadsafe(self.new_roots.set)


CRASHED = "something failed inside hippod"
SEE_LOG = "look at the daemon's log"
RESCAN = ""
"""Key of the index queue: look at the whole workspace."""


def _is_done_within(asked: "Future[None]", seconds: float) -> bool:
    """Wait for so long at most; raises what came of it."""
    with contextlib.suppress(TimeoutError):
        asked.result(seconds)
    return asked.done()


def _is_stuck(lane: Lane) -> bool:
    return lane.busy() > STUCK_SECONDS.get(lane.name, math.inf)


def _not_indexed(failing: dict[str, str]) -> str:
    """Say which documents the index could not take, empty if it took all."""
    if not failing:
        return ""
    path, reason = next(iter(sorted(failing.items())))
    others = f", and {len(failing) - 1} others" if len(failing) > 1 else ""
    return f"not in the index: {path} ({reason}){others}"


def _when(what: str, moment: tuple[datetime, float] | None, config: Config) -> dict[str, Any]:
    """Tell when something was, and for how many seconds that is past; None: never yet."""
    if moment is None:
        return {what: None, f"{what}_age": None}
    age = round(time.monotonic() - moment[1], 1)
    return {what: _local(config, moment[0]), f"{what}_age": age}


def _local(config: Config, moment: datetime) -> str:
    return moment.astimezone(config.zone).isoformat(timespec="seconds")
