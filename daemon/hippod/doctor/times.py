"""Checks of time: the zone, the clock, and the jobs that come by it."""

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

from hippod import wire
from hippod.config import system_zone
from hippod.doctor.finding import Found, count, fail, ok, some, warn
from hippod.doctor.subject import Parts, Subject

_BUILT = datetime(2026, 1, 1, tzinfo=UTC)
"""A clock that shows less was not set since the machine started."""
_AHEAD = timedelta(minutes=2)
_JUMP_SECONDS = 120.0
_PATIENCE_SECONDS = 2.5
_FAILED = ("failed", "interrupted")


def clock(subject: Subject) -> Iterator[Found]:
    """The zone is known, and the clock runs forward."""
    config, now = subject.config, subject.clock()
    zone = config.zone.key
    if not config.workspace.timezone and zone == "UTC" and system_zone() == "UTC":
        told = f"{zone} (neither [workspace] timezone nor the system names another)"
    else:
        told = zone
    if now < _BUILT:
        yield fail(f"the clock shows {now:%Y-%m-%d}", "set it, or switch on time synchronisation")
    if (newest := _newest(subject.parts)) and newest > now + _AHEAD:
        yield warn(
            f"the clock is behind what hippod noted at {newest.astimezone(config.zone):%F %H:%M}",
            "set the clock; jobs count from now on, and dates of today's notes may be wrong",
        )
    if subject.parts and abs(jump := _jump(subject.parts.began)) > _JUMP_SECONDS:
        yield warn(
            f"the clock was set by {jump:+.0f} s since the daemon started",
            "nothing is to be done if it is right now; else switch on time synchronisation",
        )
    yield ok(f"{now.astimezone(config.zone):%Y-%m-%d %H:%M} in {told}")


def schedule(subject: Subject) -> Iterator[Found]:
    """Each job has a next time, ended well last, and is not overdue."""
    parts = subject.parts
    assert parts is not None
    jobs = parts.jobs()
    for job in jobs:
        if job.last_outcome in _FAILED and not job.running:
            why = job.last_error or "the daemon stopped"
            yield warn(
                f"{job.name} ended with {job.last_outcome}: {why}",
                f"try it: hippod jobs run {job.name}",
            )
        if job.paused:
            yield warn(f"{job.name} is paused", f"let it go on: hippod jobs resume {job.name}")
    for name in _overdue(parts, jobs, subject.clock):
        yield warn(
            f"{name} is due and does not run",
            "after a sleep of the machine it begins within a minute; else see the daemon's log,"
            f" and run it: hippod jobs run {name}",
        )
    asked = [job.name for job in jobs if job.next_run is None and not job.paused]
    only = f"; only when asked: {some(asked)}" if asked else ""
    yield ok(f"{count(len(jobs) - len(asked), 'job')} with a next time{only}")


def _overdue(
    parts: Parts, jobs: Sequence[wire.Job], clock: Callable[[], datetime]
) -> Sequence[str]:
    """Name the jobs that are due and do not begin within seconds, though no other one runs."""
    due = _due(jobs, clock())
    if not due or not parts.settled():  # times count from the first look at all files on
        return []
    time.sleep(_PATIENCE_SECONDS)
    later = parts.jobs()
    return [] if any(job.running for job in later) else sorted({*due} & {*_due(later, clock())})


def _due(jobs: Sequence[wire.Job], now: datetime) -> list[str]:
    times = {job.name: job.next_run for job in jobs if not (job.running or job.paused)}
    return [name for name, at in times.items() if at and datetime.fromisoformat(at) <= now]


def _newest(parts: Parts | None) -> datetime | None:
    """Return the latest moment that the state knows of."""
    if parts is None:
        return None
    moments = [run.started for name in _names(parts) for run in parts.state.runs(name, 1)]
    moments += [entry.time for entry in parts.state.recent(1)]
    return max(moments, default=None)


def _names(parts: Parts) -> list[str]:
    return [job.name for job in parts.jobs()]


def _jump(began: tuple[float, float]) -> float:
    """Return by how many seconds the wall clock went another way than time itself."""
    wall, steady = began
    return (time.time() - wall) - (steady_clock() - steady)


def steady_clock() -> float:
    """Return seconds by a clock that nobody sets and that goes on while the machine sleeps."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
