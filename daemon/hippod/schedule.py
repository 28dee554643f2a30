"""When the daemon's jobs are due, as pure functions of the configuration and the last run."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo

from cronsim import CronSim, CronSimError

FIRST_SECONDS = 600
"""When an interval job is due that was never done: a daemon that is started anew each morning
would else never come to it."""
MOST_COUNTED = 1000
"""Times that are counted as missed: a clock that jumps from 1970 to today has millions of them."""
_MOMENT = timedelta(microseconds=1)
_DAY = 24 * 60
_BOUND = re.compile(r"([01]?[0-9]|2[0-4])(?::([0-5][0-9]))?")


@dataclass(frozen=True, slots=True)
class Every:
    """So many seconds between two runs."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Cron:
    """At the times of a cron line of five fields, as Debian's cron reads it.

    Fixed times that a change of the clock skips come right after it, those that it repeats come
    once. Where the minute or the hour is a wildcard, it goes on in the hour that comes twice.
    """

    line: str


@dataclass(frozen=True, slots=True)
class Hours:
    """A part of each day in minutes from midnight: from `start`, before `end`.

    Over midnight where `end` is not after `start`. Where they are `ajar` they hold nothing back:
    what comes outside of them comes once more when they open.
    """

    start: int
    end: int
    ajar: bool = False

    def contains(self, at: time) -> bool:
        """Say whether a time of the user's day lies within."""
        minute = at.hour * 60 + at.minute
        if self.start < self.end:
            return self.start <= minute < self.end
        return minute >= self.start or minute < self.end

    def __str__(self) -> str:
        """Return them as they are written in the configuration."""
        bounds = (divmod(bound, 60) for bound in (self.start, self.end))
        return "-".join(f"{hour:02}:{minute:02}" for hour, minute in bounds)


Rhythm = Every | Cron


def rhythm(value: float | str) -> Rhythm:
    """Read seconds or a cron line; raises `ValueError`."""
    if not isinstance(value, str):
        return Every(float(value))
    try:
        next(CronSim(value, datetime(2026, 1, 1, tzinfo=UTC)))
    except CronSimError as error:
        raise ValueError(f"not a cron line: {error}") from None
    except StopIteration:
        raise ValueError("a cron line that never comes") from None
    return Cron(value)


def hours(text: str) -> Hours:
    """Read `08:00-23:00`, `22-6` or, for all of the day, `00:00-24:00`; raises `ValueError`."""
    first, dash, last = (part.strip() for part in text.replace("–", "-").partition("-"))
    bounds = [_BOUND.fullmatch(bound) for bound in (first, last)]
    if not dash or not all(bounds):
        raise ValueError("hours such as 08:00-23:00 or 22:00-06:00")
    start, end = (int(m[1]) * 60 + int(m[2] or 0) for m in bounds if m)
    if start >= _DAY or end > _DAY:
        raise ValueError("a day has no such time: hours such as 08:00-23:00")
    if start == end:
        raise ValueError("they begin when they end; all of the day is 00:00-24:00")
    return Hours(start, end)


def due(
    rhythm: Rhythm,
    last: datetime | None,
    since: datetime,
    now: datetime,
    zone: tzinfo,
    window: Hours | None = None,
) -> datetime:
    """Return when a job is to run next, in UTC; `now` if a time was missed, however many were.

    `last` is when it ran last, `since` from when on it has this rhythm: earlier times are not
    made up for. What lies in the future (the clock went back) counts as none. An interval counts
    from the last run; one that was never done is due `FIRST_SECONDS` after `since`. Outside of
    `window` (hours in `zone`) a time waits for its opening; or, if that is ajar, a run outside of
    it is followed by one at the opening, if none comes before. Datetimes are aware.
    """
    first = next(_times(rhythm, last, since, now, zone, window))
    return opened(max(first, now.astimezone(UTC)), zone, window)


def passed(
    rhythm: Rhythm,
    last: datetime | None,
    since: datetime,
    now: datetime,
    zone: tzinfo,
    window: Hours | None = None,
) -> list[datetime]:
    """Return the times at which a job was due since its last run, at most `MOST_COUNTED`.

    Arguments are those of `due`.
    """
    times = _times(rhythm, last, since, now, zone, window)
    return list(itertools.islice(itertools.takewhile(lambda at: at <= now, times), MOST_COUNTED))


def is_late(
    rhythm: Rhythm,
    last: datetime | None,
    since: datetime,
    now: datetime,
    zone: tzinfo,
    window: Hours | None = None,
    *,
    most: float,
) -> bool:
    """Say whether the newest time at which a job was due is more than `most` seconds ago.

    Arguments are otherwise those of `due`.
    """
    oldest = now - timedelta(seconds=most)
    # What waited for an opening was first due up to a day, perhaps of 25 hours, before.
    begin = oldest - (timedelta(hours=25) if window else _MOMENT)
    times = _times(rhythm, last, since, now, zone, window, begin)
    return not any(at >= oldest for at in itertools.takewhile(lambda at: at <= now, times))


def opened(at: datetime, zone: tzinfo, window: Hours | None) -> datetime:
    """Return `at` (UTC) if the window lets it through, else when that opens next."""
    return at if window is None or window.ajar else opening(at, zone, window)


def opening(at: datetime, zone: tzinfo, window: Hours) -> datetime:
    """Return `at` (UTC) if it lies in the window, else when that opens next."""
    if window.contains(at.astimezone(zone).time()):
        return at
    start = time(*divmod(window.start, 60))
    for days in itertools.count():
        day = at.astimezone(zone).date() + timedelta(days=days)
        for fold in (0, 1):  # where the clock goes back, an opening may come twice
            opens = datetime.combine(day, start.replace(fold=fold), zone).astimezone(UTC)
            if opens >= at and window.contains(opens.astimezone(zone).time()):
                return opens
    raise AssertionError("days do not end")


def describe(rhythm: Rhythm, window: Hours | None = None) -> str:
    """Say a rhythm for people: `every 15 min`, `0 3 * * *`, `every 6 h, 08:00-23:00`."""
    said = rhythm.line if isinstance(rhythm, Cron) else _interval(rhythm.seconds)
    if window is None:
        return said
    return f"{said}, in full {window}" if window.ajar else f"{said}, {window}"


# --------------------------------------------------------------------------------------------


def _times(
    rhythm: Rhythm,
    last: datetime | None,
    since: datetime,
    now: datetime,
    zone: tzinfo,
    window: Hours | None,
    begin: datetime | None = None,
) -> Iterator[datetime]:
    """Yield the times after the last run, without end, each later than the one before.

    Those before `begin` are passed over.
    """
    last = last.astimezone(UTC) if last and last <= now else None
    since = min(since, now).astimezone(UTC)
    after = max(at for at in (last, since, begin) if at).astimezone(UTC)
    while True:
        if isinstance(rhythm, Cron):
            times = _cron_times(rhythm.line, after, zone)
        else:
            times = _interval_times(rhythm.seconds, last, since, after)
        if window and window.ajar:
            times = _with_openings(times, last, zone, window)
        for at in times:
            moved = opened(at, zone, window)
            if moved > after:
                yield (after := moved)
                if moved != at:  # years of times may wait for openings: step over them
                    break


def _with_openings(
    times: Iterator[datetime], last: datetime | None, zone: tzinfo, window: Hours
) -> Iterator[datetime]:
    """Yield the times, and the opening that follows those outside of the window and `last`."""
    following = opening(last, zone, window) if last else None
    for at in times:
        if following and following < at:
            yield following
        yield at
        following = opening(at, zone, window)


def _interval_times(
    seconds: float, last: datetime | None, since: datetime, after: datetime
) -> Iterator[datetime]:
    period = timedelta(seconds=seconds)
    first = last + period if last else since + min(period, timedelta(seconds=FIRST_SECONDS))
    if first <= after:
        first += ((after - first) // period + 1) * period
    return (first + number * period for number in itertools.count())


def _cron_times(line: str, after: datetime, zone: tzinfo) -> Iterator[datetime]:
    """Yield times from about `after` on; in an hour that comes twice they may lie before it."""
    return (at.astimezone(UTC) for at in CronSim(line, after.astimezone(zone)))


def _interval(seconds: float) -> str:
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size and seconds % size == 0:
            return f"every {seconds / size:g} {unit}"
    return f"every {seconds:g} s"
