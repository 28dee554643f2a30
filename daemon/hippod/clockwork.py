"""What drives the jobs in the daemon: APScheduler wakes, threads work, the board decides."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Executor
from datetime import datetime, tzinfo
from typing import TypeVar

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.base import BaseTrigger

from hippod import wire
from hippod.errors import Busy, HippodError
from hippod.jobs import Board
from hippod.service import Jobs

logger = structlog.get_logger()

T = TypeVar("T")

LOOK_SECONDS = 60
"""How often the wall clock is looked at: timers stand still while a laptop sleeps, and know
nothing of a clock that is set."""


class Clockwork:
    """Runs the jobs of a board at their times.

    They share `thread` and so follow each other, but for those that have one of their own
    `beside` it. Never the loop's default threads: jobs that wait for each other would take all
    of them from the work that they wait for. All methods are for the loop's own thread.
    """

    def __init__(
        self,
        board: Board,
        zone: tzinfo,
        thread: Executor,
        beside: Mapping[str, Executor] | None = None,
    ) -> None:
        self._board = board
        self._thread = thread
        self._beside = beside or {}
        self._busy: set[str] = set()
        """Jobs that were begun by their time: what is next is known when they end."""
        self._changed = asyncio.Event()
        # What a long run leaves out is counted by the board: that is no reason to warn.
        logging.getLogger("apscheduler.scheduler").setLevel(logging.ERROR)
        self._scheduler = AsyncIOScheduler(
            timezone=zone,
            job_defaults={"coalesce": True, "misfire_grace_time": None, "max_instances": 1},
        )

    async def run(self) -> None:
        """Run what is due until cancelled.

        All times are computed anew every minute and after every run: also when the clock was
        set, the machine slept or somebody ran a job by hand, a job is due once and no more.
        """
        for name in self._board.names:
            trigger = Following(self._board, name)
            self._scheduler.add_job(self._run_due, trigger, [name], id=name, next_run_time=None)
        self._scheduler.start()
        try:
            while True:
                self._changed.clear()
                await self._look()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_SECONDS):
                        await self._changed.wait()
        finally:
            self._scheduler.shutdown(wait=False)

    def look_again(self) -> None:
        """Compute at once when each job runs next."""
        self._changed.set()

    async def run_now(self, name: str) -> wire.Job:
        """Run a job because somebody asks, wait for it, and return what became of it."""
        try:
            return await self._in_thread(name, lambda: self._board.run(name))
        finally:
            self.look_again()

    async def _look(self) -> None:
        try:
            times = await asyncio.to_thread(self._times)
        except HippodError as error:  # what was known holds until the next look
            logger.warning("jobs.unknown_times", reason=error.message, hint=error.hint)
            return
        except Exception:  # so does it after an error of our own, as everywhere in the daemon
            logger.exception("jobs.times_crashed")
            return
        for name, at in times.items():
            job = self._scheduler.get_job(name)
            if job is not None and name not in self._busy and job.next_run_time != at:
                job.modify(next_run_time=at)
        self._scheduler.wakeup()

    def _times(self) -> dict[str, datetime | None]:
        board = self._board  # of what somebody runs the next time is known when that ends
        return {n: None if board.is_held(n) else board.next_run(n) for n in board.names}

    async def _run_due(self, name: str) -> None:
        self._busy.add(name)
        try:
            await self._in_thread(name, lambda: self._board.run_due(name))
        except HippodError as error:
            logger.warning("job.not_run", job=name, reason=error.message, hint=error.hint)
        except asyncio.CancelledError:
            logger.debug("job.left", job=name)  # we are stopping
        finally:
            self._busy.discard(name)
            self.look_again()

    async def _in_thread(self, name: str, work: Callable[[], T]) -> T:
        thread = self._beside.get(name, self._thread)
        return await asyncio.get_running_loop().run_in_executor(thread, work)


class Following(BaseTrigger):  # type: ignore[misc]
    """Gives APScheduler a time that lies ahead of any run; the true one is computed after it."""

    def __init__(self, board: Board, name: str) -> None:
        self._board = board
        self._name = name

    def get_next_fire_time(
        self, previous_fire_time: datetime | None, now: datetime
    ) -> datetime | None:
        """Return the time after `now`."""
        return self._board.following(self._name, now)


class DaemonJobs(Jobs):
    """The jobs as the verbs see them; called from the server's threads."""

    def __init__(self, board: Board, clockwork: Clockwork, loop: asyncio.AbstractEventLoop) -> None:
        self._board = board
        self._clockwork = clockwork
        self._loop = loop

    def all(self) -> list[wire.Job]:
        """Return every job with its next and last run."""
        return self._board.all()

    def run(self, name: str) -> wire.Job:
        """Run a job now, wait for it, and return what became of it."""
        self._board.job(name)
        work = self._clockwork.run_now(name)
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result()
        except CancelledError:
            raise Busy(
                f"{name} did not begin: the daemon was stopped or its configuration read again",
                "ask again",
            ) from None

    def run_as(self, name: str, work: Callable[[], T]) -> T:
        """Do `work` as a run of a job and return or raise what it does."""
        try:
            return self._board.run_as(name, work)
        finally:
            self._loop.call_soon_threadsafe(self._clockwork.look_again)

    def pause(self, name: str) -> wire.Job:
        """Let a job run only when asked, until it is resumed."""
        job = self._board.pause(name)
        self._loop.call_soon_threadsafe(self._clockwork.look_again)
        return job

    def resume(self, name: str) -> wire.Job:
        """Let a paused job go on."""
        job = self._board.resume(name)
        self._loop.call_soon_threadsafe(self._clockwork.look_again)
        return job
