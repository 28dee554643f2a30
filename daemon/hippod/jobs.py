"""The scheduled jobs: which there are, when each is due, and what is kept of its runs."""

import contextlib
import functools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeVar
from zoneinfo import ZoneInfo

import structlog

from hippod import schedule, wire
from hippod.config import Config, Heartbeat, Hygiene, Reflect
from hippod.errors import DaemonDown, HippodError, NotFound
from hippod.index import Index
from hippod.schedule import Cron, Hours, Rhythm
from hippod.state import Run, State
from hippod.state.agenda import Entry

logger = structlog.get_logger()

CHECKPOINT: Final = "checkpoint"
CLOCK_STEP = timedelta(minutes=1)
"""A clock that is set back by less is as if it had not been."""
_NOT_SET = datetime(2026, 1, 1, tzinfo=UTC)
"""A clock that shows less was not set since the machine started: it puts nothing else right."""
_ALL = 1000

Clock = Callable[[], datetime]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Job:
    """Work of a name, done in a rhythm, or without one only when somebody asks.

    `work` records its run in the state itself. Outside of `window` what is due waits, or, where
    that is ajar, comes once more when it opens.
    """

    name: str
    rhythm: Rhythm | None
    work: Callable[[], object]
    window: Hours | None = None


@dataclass(frozen=True, slots=True)
class _Moment:
    """How a job stands: its last run, when it began last, and from when on its times count."""

    now: datetime
    entry: Entry
    last: Run | None
    ran: datetime | None
    since: datetime
    is_retry: bool


class Board:
    """All jobs with their times and runs. Thread-safe; two runs of a job never overlap.

    Nothing here waits for a time: whoever has a clock asks `next_run` and then calls `run_due`.
    `ended` is told the name of a job that ended, what failed (empty: nothing) and what to do.
    """

    def __init__(self, config: Config, state: State, clock: Clock, jobs: Sequence[Job]) -> None:
        self.ended: Callable[[str, str, str], None] = lambda name, trouble, hint: None
        self._config = config
        self._state = state
        self._clock = clock
        self._max_late = {str(name): most for name, most in config.schedule.max_late.items()}
        self._jobs = {job.name: job for job in jobs}
        self._locks = {job.name: threading.Lock() for job in jobs}
        self._tried: dict[str, datetime] = {}
        """When each job began last: one that cannot even record its run must not run for ever."""
        self._void: dict[str, frozenset[datetime]] = {}
        """Starts of runs that lay in the future, for the clock was set back: they do not count."""
        self._began = clock()
        self._stopped = False
        for job in jobs:
            state.agenda.settle(job.name, self._text(job), self._began)

    def stop(self) -> None:
        """Let nothing begin any more."""
        self._stopped = True

    # -- when --------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all jobs."""
        return tuple(self._jobs)

    def job(self, name: str) -> Job:
        """Return a job; raises `NotFound`."""
        if name not in self._jobs:
            raise NotFound(f"no job {name!r}", f"there is: {', '.join(self._jobs)}")
        return self._jobs[name]

    def next_run(self, name: str) -> datetime | None:
        """Return when a job runs next, now if it is overdue; None: only when asked, or paused."""
        job = self.job(name)
        return self._next(job, self._moment(job))

    def following(self, name: str, now: datetime) -> datetime | None:
        """Return the time after `now` as if the job ran now: later than that in any case."""
        job = self.job(name)
        if job.rhythm is None:
            return None
        return schedule.due(job.rhythm, now, now, now, self._zone, job.window)

    def is_paused(self, name: str) -> bool:
        """Say whether a job waits for somebody to let it go on."""
        return self._moment(self.job(name)).entry.paused

    def pause(self, name: str) -> wire.Job:
        """Let a job run only when asked, until it is resumed; over restarts too."""
        job = self.job(name)
        self._state.agenda.pause(name, paused=True)
        return self._wire(job)

    def resume(self, name: str) -> wire.Job:
        """Let a paused job go on at its next time; the times meanwhile count as skipped."""
        job = self.job(name)
        moment = self._moment(job)
        if moment.entry.paused:
            self._state.agenda.skip(name, len(self._passed(job, moment)), moment.now)
            self._state.agenda.pause(name, paused=False)
        return self._wire(job)

    def _next(self, job: Job, moment: _Moment) -> datetime | None:
        if job.rhythm is None or moment.entry.paused:
            return None
        if moment.is_retry:
            return schedule.opened(moment.now, self._zone, job.window)
        return schedule.due(
            job.rhythm, moment.ran, moment.since, moment.now, self._zone, job.window
        )

    def _passed(self, job: Job, moment: _Moment) -> list[datetime]:
        if job.rhythm is None:
            return []
        return schedule.passed(
            job.rhythm, moment.ran, moment.since, moment.now, self._zone, job.window
        )

    def _is_late(self, job: Job, moment: _Moment) -> bool:
        most = self._max_late.get(job.name)
        if job.rhythm is None or most is None:
            return False
        return schedule.is_late(
            job.rhythm, moment.ran, moment.since, moment.now, self._zone, job.window, most=most
        )

    def _moment(self, job: Job) -> _Moment:
        now = self._clock()
        self._began = min(self._began, now)  # the clock went back
        entry = self._state.agenda.entry(job.name)
        assert entry is not None  # settled at the start
        runs = self._runs(job.name, now)
        tried = self._tried.get(job.name)
        began = [tried, *(min(run.started, now) for run in runs)]
        ran = max((at for at in began if at and at <= now), default=None)
        if entry.since > now + CLOCK_STEP and now >= _NOT_SET:
            entry = self._set_back(job, entry, ran or self._began)
        return _Moment(
            now=now,
            entry=entry,
            last=runs[0] if runs else None,
            ran=ran,
            since=entry.since if entry.since <= now else self._began,
            is_retry=tried is None and self._is_to_retry(job, runs, now),
        )

    def _set_back(self, job: Job, entry: Entry, since: datetime) -> Entry:
        """Put right what a clock that was ahead left, or each restart would begin from nothing."""
        with self._noting(job):
            self._state.agenda.set_back(job.name, entry.since, since)
        return replace(entry, since=since)

    def _runs(self, name: str, now: datetime) -> list[Run]:
        """Return the last two runs that count, newest first."""
        void, ahead = self._void.get(name, frozenset()), now + CLOCK_STEP
        newest = next(iter(self._state.runs(name, 1)), None)
        if newest and newest.started > ahead:
            void |= {run.started for run in self._state.runs(name, _ALL) if run.started > now}
        elif void and max(void) <= now:  # it was set forward again, or time passed
            void = frozenset()
        self._void[name] = void
        found = self._state.runs(name, 2 + len(void), until=ahead)
        return [run for run in found if run.started not in void][:2]

    def _is_to_retry(self, job: Job, runs: Sequence[Run], now: datetime) -> bool:
        """Say whether the last run ended with an earlier life of the daemon: once, not for ever.

        Nor where it is too late for it.
        """
        ends = [run.outcome == "interrupted" for run in runs]
        if ends[:1] != [True] or ends[1:] == [True] or runs[0].started >= self._began:
            return False
        most = self._max_late.get(job.name)
        wanted = runs[0].due or runs[0].started
        return most is None or (now - wanted).total_seconds() <= most

    # -- running -----------------------------------------------------------------------------

    def run_due(self, name: str) -> bool:
        """Run a job that is due, once for all times that passed; say whether it ran.

        It is left out where it is later than its `max_late`, paused or not due any more. While
        somebody else runs it there is no waiting: look again when that is done.
        """
        job = self.job(name)
        lock = self._locks[name]
        if not lock.acquire(blocking=False):
            return False
        try:
            moment = self._moment(job)
            at = self._next(job, moment)
            if self._stopped or at is None or at > moment.now:
                return False
            times = self._passed(job, moment)
            if times and not moment.is_retry and self._is_late(job, moment):
                self._skip(job, len(times), moment.now)
                return False
            wanted = times[-1] if times else moment.now
            self._run(job, wanted, missed=max(0, len(times) - 1))
        finally:
            lock.release()
        return True

    def run(self, name: str) -> wire.Job:
        """Run a job now because somebody asks, paused or not, and return what became of it.

        Raises `DaemonDown` after `stop`.
        """
        job = self.job(name)
        with self._locks[name]:
            self._refuse_after_stop(job)
            self._run(job, None)
        return self._wire(job)

    def run_as(self, name: str, work: Callable[[], T]) -> T:
        """Do `work`, which somebody asks for, as a run of a job and return or raise what it does.

        Raises `DaemonDown` after `stop`.
        """
        job = self.job(name)
        with self._locks[name]:
            self._refuse_after_stop(job)
            since = self._clock()
            try:
                done = work()
            finally:
                with self._noting(job):
                    self._state.note_run(name, since, due=None, missed=0)
                    began = self._moment(job).ran
                    if began and began >= since:  # else it was refused before it began
                        self._skip_overrun(job)
        self.ended(name, "", "")
        return done

    def run_early(self, name: str, work: Callable[[], object]) -> None:
        """Do `work` in place of a job's own, for a reason that lies outside of the schedule."""
        job = self.job(name)
        with self._locks[name]:
            if not self._stopped:
                self._guarded(job, work, self._clock())

    def is_held(self, name: str) -> bool:
        """Say whether a run of a job is going on here, so that no other can begin."""
        self.job(name)
        return self._locks[name].locked()

    def _refuse_after_stop(self, job: Job) -> None:
        if self._stopped:
            raise DaemonDown(f"{job.name} did not run: hippod is shutting down", "run it again")

    def _run(self, job: Job, due: datetime | None, missed: int = 0) -> None:
        self._tried[job.name] = self._clock()
        if self._guarded(job, job.work, due, missed):
            self.ended(job.name, "", "")
        with self._noting(job):
            self._skip_overrun(job)

    def _skip_overrun(self, job: Job) -> None:
        """Leave out the times at which a run that ended was still going on.

        But not where the hours that it began outside of opened meanwhile: more is to do in them.
        """
        moment = self._moment(job)
        overrun = self._passed(job, moment)
        window = job.window if job.window and job.window.ajar else None
        opens = schedule.opening(moment.ran, self._zone, window) if moment.ran and window else None
        if overrun and opens not in overrun:
            self._skip(job, len(overrun), moment.now)

    def _guarded(
        self, job: Job, work: Callable[[], object], due: datetime | None, missed: int = 0
    ) -> bool:
        """Do the work, tell of a failure, and note on the run what the schedule knows of it."""
        since, is_done = self._clock(), False
        try:
            work()
            is_done = True
        except HippodError as error:
            if self._stopped:  # that is why
                logger.info("job.left", job=job.name, reason=error.message)
            else:
                logger.warning("job.failed", job=job.name, reason=error.message, hint=error.hint)
                self.ended(job.name, error.message, error.hint)
        except Exception:
            logger.exception("job.crashed", job=job.name)
            self.ended(job.name, "an error of hippod's own", "see the log")
        with self._noting(job):
            self._state.note_run(job.name, since, due=due, missed=missed)
        return is_done

    def _skip(self, job: Job, times: int, now: datetime) -> None:
        logger.info("job.skipped", job=job.name, times=times)
        self._state.agenda.skip(job.name, times, now)

    @contextlib.contextmanager
    def _noting(self, job: Job) -> Iterator[None]:
        """Go on though the disk is full: the job itself is done."""
        try:
            yield
        except HippodError as error:
            logger.warning("job.not_recorded", job=job.name, reason=error.message, hint=error.hint)

    # -- telling -----------------------------------------------------------------------------

    def all(self) -> list[wire.Job]:
        """Return every job with its next and last run."""
        return [self._wire(job) for job in self._jobs.values()]

    def _wire(self, job: Job) -> wire.Job:
        moment = self._moment(job)
        following = self._next(job, moment)
        return wire.Job(
            name=job.name,
            schedule=self._said(job),
            next_run=self._local(following) if following else None,
            running=self._locks[job.name].locked() or self._state.is_running(job.name),
            paused=moment.entry.paused,
            skipped=moment.entry.skipped,
            **self._last(moment.last),
        )

    def _last(self, run: Run | None) -> dict[str, Any]:
        if run is None:
            return {"last_run": None, "last_seconds": None, "last_outcome": None}
        return {
            "last_run": self._local(run.started),
            "last_seconds": round(run.seconds, 3),
            "last_outcome": run.outcome,
            "last_error": run.error,
            "last_due": self._local(run.due) if run.due else None,
            "missed": run.missed,
            "tokens": run.tokens,
        }

    def _said(self, job: Job) -> str:
        """Say when a job runs, and by which zone where the times beside it are of another."""
        if job.rhythm is None:
            return "when asked"
        said = schedule.describe(job.rhythm, job.window)
        is_of_day = isinstance(job.rhythm, Cron) or job.window is not None
        return (
            f"{said} ({self._zone.key})" if is_of_day and self._zone != self._config.zone else said
        )

    def _text(self, job: Job) -> str:
        """Return what a rhythm is known by: a change of it makes up for nothing before."""
        if isinstance(job.rhythm, Cron):
            return f"{job.rhythm.line} {self._zone.key}"
        return str(job.rhythm.seconds) if job.rhythm else ""

    def _local(self, moment: datetime) -> str:
        return moment.astimezone(self._config.zone).isoformat(timespec="seconds")

    @property
    def _zone(self) -> ZoneInfo:
        return self._config.schedule_zone


def rhythm_of(config: Config, name: str) -> Rhythm | None:
    """Return the rhythm that is configured for a job; None if it runs only when asked."""
    own: dict[str, Reflect | Hygiene | Heartbeat] = {
        "reflect": config.reflect,
        "hygiene": config.hygiene,
        "heartbeat": config.heartbeat,
    }
    if name not in own:
        return schedule.rhythm(getattr(config.schedule, name))
    if not own[name].enabled:
        return None
    return schedule.rhythm(getattr(config.schedule, name) or own[name].interval_hours * 3600)


def window_of(config: Config) -> Hours:
    """Return the hours outside of which a heartbeat waits; ajar where a check is urgent."""
    beat = config.heartbeat
    is_urgent = any(check.urgent for check in beat.checks.values())
    return replace(schedule.hours(beat.active_hours), ajar=is_urgent)


def checkpointing(config: Config, state: State, index: Index) -> Job:
    """Return the job that folds the databases' logs into their files, and drops what expired."""

    def work() -> None:
        state.working.expire(state.clock() - timedelta(seconds=config.working.ttl))
        state.checkpoint()
        index.checkpoint()

    done = functools.partial(_recorded, state, CHECKPOINT, work)
    return Job(CHECKPOINT, rhythm_of(config, CHECKPOINT), done)


def _recorded(state: State, name: str, work: Callable[[], object]) -> None:
    """Do work as a run of a job, and record how it ended."""
    started, began = state.clock(), time.monotonic()
    outcome, error = "failed", "see the log"
    state.start_run(name, started)
    try:
        work()
        outcome, error = "ok", ""
    except HippodError as failure:
        error = failure.message
        raise
    finally:
        state.record_run(name, started, time.monotonic() - began, outcome, error)
