"""The daemon: one asyncio process that watches, indexes, retains, schedules and serves.

Composition root of `hippod run`. Everything blocking runs in threads (one for the index, one
for retain, the server's pool for requests); the loop only routes events. Order of shutdown:
stop accepting, end the workers, close index and models, remove the socket.
"""

import asyncio
import contextlib
import functools
import gc
import itertools
import logging
import os
import signal
import socket as sockets
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

import sdnotify
import structlog
import uvicorn

from hippod import __version__, daylog, log, watch
from hippod.audit import Audit
from hippod.clockwork import Clockwork, DaemonJobs
from hippod.compose import Assembly, assemble
from hippod.config import Config
from hippod.debounce import Debouncer
from hippod.errors import Busy, HippodError
from hippod.heartbeat import JOB as HEARTBEAT
from hippod.index import Report
from hippod.jobs import Board, Job, rhythm_of
from hippod.reflect import JOB as REFLECT
from hippod.retain import SourceFile
from hippod.server import app as routes
from hippod.server import socket as listening
from hippod.server.connection import OwnersProtocol

logger = structlog.get_logger()

K = TypeVar("K", SourceFile, str)

RECONCILE = "reconcile"
SWITCH_SECONDS = 0.0005
STOP_SECONDS = 4
RETRY_SECONDS = (2, 5, 15, 60)
"""When to look again after the workspace or the index could not be read at all."""
EMBED_RETRY_SECONDS = (2, 10, 60, 300)
"""When to try again after the embedder failed, or failed at some texts."""
AUDIT_SECONDS = 3
"""How long after a look the watcher may still tell of what it found."""
FIRST_QUESTION_SECONDS = 0.5
"""Between being ready and the first look at all files, beside which a question takes longer."""
GATHER_SECONDS = 5
"""Between a change of a log and counting its facts: they come several at a time."""
TIDY_SECONDS = 0.5
"""Pause between steps of tidying, for whoever wants to write."""


def run(config: Config, *, config_path: Path | None) -> int:
    """Run the daemon in the foreground until SIGTERM or SIGINT; return the exit code.

    `config` has workspace and socket settled. Raises `Busy` if another daemon is running.
    """
    log.configure(config.log.level, config.log.format)
    # Extraction computes in a thread; at the default of 5 ms every step of the loop and of
    # SQLite would wait that long for it.
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        with assemble(config, config_path) as assembly:
            gc.freeze()  # a full collection would else look through all modules, for 50 ms
            gc.enable()
            return asyncio.run(Daemon(assembly).run())
    except Busy:
        # A service manager must not restart us for ever beside a daemon that is well.
        if os.environ.get("INVOCATION_ID") or os.environ.get("XPC_SERVICE_NAME", "0") != "0":
            logger.info("daemon.already_running")
            return 0
        raise


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

    def __init__(self, assembly: Assembly) -> None:
        self._parts = assembly
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
        self._index_thread = ThreadPoolExecutor(1, "index")
        self._retain_thread = ThreadPoolExecutor(1, "retain")
        self._vector_thread = ThreadPoolExecutor(1, "vectors")
        self._job_thread = ThreadPoolExecutor(1, "jobs")
        self._look_thread = ThreadPoolExecutor(1, "looks")
        self._event_thread = ThreadPoolExecutor(1, "events")
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
        self._failing: dict[str, str] = {}
        self._trouble = ""
        self._watch_mode = "starting"
        self._last_event: str | None = None
        self._roots: set[Path] = set()
        self._new_roots = asyncio.Event()
        self._reconcile_asked: asyncio.Queue[asyncio.Future[None]] = asyncio.Queue()
        self._waiting_for_look: set[asyncio.Future[None]] = set()
        self._notifier = sdnotify.SystemdNotifier()

    async def run(self) -> int:
        """Serve until told to stop; return the exit code."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop.set)
        path = Path(self._config.server.socket)
        self._board = self._new_board(loop)
        clockwork = Clockwork(
            self._board,
            self._config.schedule_zone,
            self._job_thread,
            beside={RECONCILE: self._look_thread},
        )
        self._connect(loop, clockwork)
        listener = listening.bind(path)
        inode = path.stat().st_ino
        try:
            await self._run_tasks(listener, path, clockwork)
        finally:
            listening.release(listener, path, inode)
            await self._interrupt()  # once more: where something crashed, nobody did
            # Beside the loop: a job that ends may still ask it for a look at all files.
            for thread in (self._job_thread, self._look_thread):
                await asyncio.to_thread(thread.shutdown, wait=True, cancel_futures=True)
            self._index_thread.shutdown(wait=True)
            self._retain_thread.shutdown(wait=True)
            self._vector_thread.shutdown(wait=True)
            self._event_thread.shutdown(wait=True)
            logger.info("daemon.stopped")
        return 0

    async def _run_tasks(self, listener: sockets.socket, path: Path, clockwork: Clockwork) -> None:
        server = _server(self._parts, self._config)
        async with asyncio.TaskGroup() as tasks:
            serving = tasks.create_task(server.serve(sockets=[listener]))
            workers = [
                tasks.create_task(work())
                for work in (
                    self._watch,
                    self._index_changes,
                    self._give_vectors,
                    self._build_graphs,
                    self._tidy,
                    self._retain_changes,
                    self._reflect_on_facts,
                    self._reconcile_when_asked,
                )
            ]
            while not server.started and not serving.done():
                await asyncio.sleep(0.01)
            self._say_ready(path)
            await asyncio.to_thread(self._warm_up)
            await asyncio.sleep(FIRST_QUESTION_SECONDS)
            workers.append(tasks.create_task(self._keep_time(clockwork)))
            await self._stop.wait()
            logger.info("daemon.stopping")
            self._notifier.notify("STOPPING=1")
            self._parts.memory.events.close()
            server.stop()
            for worker in workers:
                worker.cancel()
            await self._interrupt()

    async def _interrupt(self) -> None:
        """Let nothing begin any more, and make end soon what is at work."""
        self._stop.set()
        self._board.stop()
        for waiting in self._waiting_for_look:
            waiting.cancel()
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
        memory.jobs_door = DaemonJobs(self._board, clockwork, loop)
        self._parts.retainer.changed = changed
        self._parts.retainer.waiting = waiting

    def _describe(self) -> dict[str, Any]:
        return {
            "watch": {
                "mode": self._watch_mode,
                "last_event": self._last_event,
                "not_indexed": self._failing,
                "fault": self._audit.fault,
            },
            **self._parts.describe(),
        }

    def _say_ready(self, path: Path) -> None:
        root = self._parts.workspace.root
        self._notifier.notify(f"READY=1\nSTATUS=serving {root} on {path}")
        logger.info("daemon.ready", version=__version__, workspace=str(root), socket=str(path))
        if sys.stderr.isatty() or self._config.log.format == "console":
            with contextlib.suppress(OSError):
                sys.stderr.write(_welcome(root, path))
                sys.stderr.flush()

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
                    self._last_event = _local(self._config, datetime.now(UTC))
                    for path in batch:
                        self._route(path)
            except OSError as error:
                self._set_mode(f"failed: {error}")
                logger.warning("watch.failed", reason=str(error))
                await self._new_roots.wait()
            self._touch(RESCAN)  # for what happens while nobody watches

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
        transcript = self._parts.retainer.source_of(path)
        if transcript is not None:
            self._retain_queue.touch(transcript)
        root = self._parts.workspace.root
        if not path.is_relative_to(root):
            return
        relative = path.relative_to(root).as_posix()
        # Of a new, moved or deleted folder only the folder itself is reported.
        key = relative if path.suffix == ".md" and not path.is_dir() else RESCAN
        if key != RESCAN or path.suffix == "" or path.is_dir():
            self._touch(key)

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
            self._behind = 0 if done else 1
            if done:
                retries = itertools.count()
            else:  # no event may come when a workspace is mounted again or a disk has room
                wait = RETRY_SECONDS[min(next(retries), len(RETRY_SECONDS) - 1)]
                asyncio.get_running_loop().call_later(wait, self._index_queue.touch, RESCAN)

    async def _in_index_thread(self, changed: list[str]) -> Report | None:
        loop = asyncio.get_running_loop()
        report = await loop.run_in_executor(self._index_thread, self._update_index, changed)
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
            self._failing = report.failed if RESCAN in changed else self._failing | report.failed
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
                await loop.run_in_executor(
                    self._retain_thread, self._retain, retainer.process, source_file
                )
                # Read back at every change of a document, and for the last time when nothing
                # more is to be feared from an editor that was open meanwhile.
                loop.call_later(self._config.retain.settle + 1, self._read_back)

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

    def _retain(self, work: Callable[..., object], *values: SourceFile) -> None:
        what = " ".join(["retain", *(f"{file.source}: {file.path}" for file in values)])
        try:
            work(*values)
            self._note(what, "")
        except HippodError as error:
            logger.warning("retain.failed", reason=error.message, hint=error.hint)
            self._note(what, error.message, error.hint)
        except Exception:
            logger.exception("retain.crashed")
            self._note(what, CRASHED, SEE_LOG)

    def _read_back(self) -> None:
        # Never in the index thread: it waits for the batch that the model is working on.
        with contextlib.suppress(RuntimeError):  # the thread is gone: we are stopping
            self._retain_thread.submit(self._retain, self._parts.retainer.confirm)

    # -- jobs --------------------------------------------------------------------------------

    def _new_board(self, loop: asyncio.AbstractEventLoop) -> Board:
        """Return the jobs, with the look at all files that only a daemon knows."""

        def look() -> None:
            with contextlib.suppress(CancelledError):  # we are stopping
                asyncio.run_coroutine_threadsafe(self.reconcile(), loop).result()

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

    async def _keep_time(self, clockwork: Clockwork) -> None:
        """Look at all files, whenever that was done last, and from then on by the schedule."""
        await self.reconcile()
        await clockwork.run()

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
            for done in asked:
                if not done.done():
                    done.set_result(None)
            self._vectors_due.set()
            self._graph_due.set()
            self._tidy_due.set()
            self._logs_changed.set()
            judging = asyncio.create_task(self._judge_watcher(report, began))
            self._judging.add(judging)
            judging.add_done_callback(self._judging.discard)

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


CRASHED = "something failed inside hippod"
SEE_LOG = "look at the daemon's log"
RESCAN = ""
"""Key of the index queue: look at the whole workspace."""


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers and its ten ticks a second: the daemon stops it."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Accept no more and let `serve` return."""
        self.should_exit = True
        self._stopping.set()

    async def main_loop(self) -> None:
        """Sleep until told to stop."""
        await self.on_tick(0)
        await self._stopping.wait()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone."""
        yield


def _server(parts: Assembly, config: Config) -> _Server:
    return _Server(
        uvicorn.Config(
            routes.build(
                parts.memory, config.server.max_body_bytes, os.path.realpath(parts.workspace.root)
            ),
            http=OwnersProtocol,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=STOP_SECONDS - 1,
        )
    )


def _not_indexed(failing: dict[str, str]) -> str:
    """Say which documents the index could not take, empty if it took all."""
    if not failing:
        return ""
    path, reason = next(iter(sorted(failing.items())))
    others = f", and {len(failing) - 1} others" if len(failing) > 1 else ""
    return f"not in the index: {path} ({reason}){others}"


def _local(config: Config, moment: datetime) -> str:
    return moment.astimezone(config.zone).isoformat(timespec="seconds")


def _welcome(root: Path, path: Path) -> str:
    return f"""
  hippod {__version__} is running.
    workspace  {root}
    socket     {path}

  Try, in another terminal (from a checkout: source .venv/bin/activate):
    hippod note "The spare key is with Ina"
    hippod recall "where is the spare key?"
    hippod status

"""
