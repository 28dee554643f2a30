"""When jobs are due, in any zone, whatever the clock does."""

import itertools
import time as clock
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.schedule import (
    MOST_COUNTED,
    Cron,
    Every,
    Hours,
    Rhythm,
    describe,
    due,
    hours,
    is_late,
    opened,
    passed,
    rhythm,
)

NOW = datetime(2026, 3, 3, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
LONG_AGO = NOW - 90 * DAY
VIENNA, NEW_YORK, LORD_HOWE, APIA = (
    ZoneInfo(name)
    for name in ("Europe/Vienna", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia")
)
ZONES = (VIENNA, NEW_YORK, LORD_HOWE, APIA, ZoneInfo("UTC"))


def local(text: str, zone: ZoneInfo = VIENNA, *, fold: int = 0) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone, fold=fold)


# -- intervals -------------------------------------------------------------------------------


def test_an_interval_counts_from_the_last_run_not_from_the_start() -> None:
    last = NOW - timedelta(minutes=50)
    for minutes in range(0, 10, 2):  # restarts do not move it
        at = NOW + timedelta(minutes=minutes)
        assert due(Every(3600), last, LONG_AGO, at, UTC) == last + HOUR


def test_a_missed_run_is_due_at_once_and_once() -> None:
    assert due(Every(3600), NOW - 30 * HOUR, LONG_AGO, NOW, UTC) == NOW
    assert due(Every(3600), NOW, LONG_AGO, NOW, UTC) == NOW + HOUR
    assert len(passed(Every(3600), NOW - 30 * HOUR, LONG_AGO, NOW, UTC)) == 30


@pytest.mark.parametrize(("seconds", "wait"), [(60, 60), (86_400, 600)])
def test_what_was_never_done_is_due_soon_after_it_was_scheduled(seconds: int, wait: int) -> None:
    first = NOW + timedelta(seconds=wait)
    assert due(Every(seconds), None, NOW, NOW, UTC) == first
    later = first - timedelta(seconds=1)  # a restart meanwhile does not put it off
    assert due(Every(seconds), None, NOW, later, UTC) == first


def test_a_last_run_in_the_future_counts_as_none() -> None:
    assert due(Every(3600), NOW + 48 * HOUR, NOW, NOW, UTC) == NOW + timedelta(minutes=10)
    assert due(Cron("0 3 * * *"), NOW + 48 * HOUR, NOW, NOW, UTC) == NOW + 15 * HOUR


def test_a_new_interval_makes_up_for_nothing_before_it() -> None:
    last = NOW - 5 * HOUR - timedelta(minutes=30)
    assert due(Every(3600), last, NOW, NOW, UTC) == NOW + timedelta(minutes=30)


# -- cron lines ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "after", "first"),
    [
        ("30 6 * * *", "2026-03-03T05:00", "2026-03-03T06:30"),
        ("0 4 * * sun", "2026-03-03T05:00", "2026-03-08T04:00"),
        ("0 4 * * 0", "2026-03-03T05:00", "2026-03-08T04:00"),
        ("0 4 * * 7", "2026-03-03T05:00", "2026-03-08T04:00"),
        ("0 9 1 * *", "2026-03-03T05:00", "2026-04-01T09:00"),
        ("0 9 29 2 *", "2026-03-03T05:00", "2028-02-29T09:00"),
    ],
)
def test_cron_lines_are_read_as_cron_does(line: str, after: str, first: str) -> None:
    at = local(after)
    assert due(Cron(line), None, at, at, VIENNA) == local(first)


@pytest.mark.parametrize(
    ("zone", "line", "evening", "runs"),
    [
        # The clock goes from 2:00 to 3:00: what it skips comes right after, once.
        (VIENNA, "30 2 * * *", "2026-03-28T20:00", ["2026-03-29T03:00", "2026-03-30T02:30"]),
        (VIENNA, "0,30 2 * * *", "2026-03-28T20:00", ["2026-03-29T03:00", "2026-03-30T02:00"]),
        # It goes from 3:00 back to 2:00: once, the first time.
        (VIENNA, "30 2 * * *", "2026-10-24T20:00", ["2026-10-25T02:30", "2026-10-26T02:30"]),
        (NEW_YORK, "30 2 * * *", "2026-03-07T20:00", ["2026-03-08T03:00", "2026-03-09T02:30"]),
        (NEW_YORK, "30 1 * * *", "2026-10-31T20:00", ["2026-11-01T01:30", "2026-11-02T01:30"]),
        # Half an hour: from 2:00 to 2:30 in spring, from 2:00 back to 1:30 in autumn.
        (LORD_HOWE, "15 2 * * *", "2026-10-03T20:00", ["2026-10-04T02:30", "2026-10-05T02:15"]),
        (LORD_HOWE, "45 1 * * *", "2026-04-04T20:00", ["2026-04-05T01:45", "2026-04-06T01:45"]),
    ],
)
def test_nights_when_the_clock_changes(
    zone: ZoneInfo, line: str, evening: str, runs: list[str]
) -> None:
    now = local(evening, zone)
    for expected in runs:
        now = due(Cron(line), now, LONG_AGO, now, zone)
        assert now == local(expected, zone).astimezone(UTC)


def test_every_hour_means_every_hour_also_when_one_comes_twice() -> None:
    start = local("2026-10-25T00:30").astimezone(UTC)
    times = passed(Cron("0 * * * *"), start, start, start + 6 * HOUR, VIENNA)
    assert [later - earlier for earlier, later in itertools.pairwise(times)] == [HOUR] * 5


def test_after_the_first_pass_of_an_hour_its_second_is_no_new_time() -> None:
    first, second = (local("2026-10-25T02:30", fold=fold).astimezone(UTC) for fold in (0, 1))
    assert second - first == HOUR
    between = first + timedelta(minutes=40)
    for now in (between, second, second + timedelta(minutes=1)):
        assert due(Cron("30 2 * * *"), first, LONG_AGO, now, VIENNA) == local("2026-10-26T02:30")
        assert passed(Cron("30 2 * * *"), first, LONG_AGO, now, VIENNA) == []


# -- windows ---------------------------------------------------------------------------------


def test_a_window_may_go_over_midnight() -> None:
    night = hours("22:00-06:00")
    seen = [night.contains(time.fromisoformat(at)) for at in ("21:59", "22:00", "05:59", "06:00")]
    assert seen == [False, True, True, False]


@pytest.mark.parametrize(("text", "said"), [("8-23", "08:00-23:00"), ("22-6:30", "22:00-06:30")])
def test_hours_are_said_as_they_are_written(text: str, said: str) -> None:
    assert str(hours(text)) == said
    assert hours(said) == hours(text)


def test_outside_of_the_window_a_time_waits_for_the_opening() -> None:
    day = hours("08:00-23:00")
    last = local("2026-05-05T22:10")
    for at in ("2026-05-05T23:10", "2026-05-06T03:00", "2026-05-06T08:00"):
        found = due(Every(1800), last, LONG_AGO, local(at), VIENNA, day)
        assert found == local("2026-05-06T08:00")
    assert due(Every(1800), last, LONG_AGO, local("2026-05-06T09:00"), VIENNA, day) == local(
        "2026-05-06T09:00"
    )


def test_a_night_outside_of_the_window_is_one_time_not_many() -> None:
    last = local("2026-05-05T22:50")
    times = passed(
        Every(600), last, LONG_AGO, local("2026-05-06T08:05"), VIENNA, hours("08:00-23:00")
    )
    assert times == [local("2026-05-06T08:00")]


@pytest.mark.parametrize(
    ("window", "at", "opens"),
    [
        # Twice half past one: the second time it opens again.
        ("01:30-01:45", local("2026-11-01T01:50", NEW_YORK), "2026-11-01T06:30"),
        # No time between two and three: it opens the next day.
        ("02:10-02:50", local("2026-03-08T01:00", NEW_YORK), "2026-03-09T06:10"),
        # The thirtieth was left out on Samoa.
        ("08:00-09:00", local("2011-12-29T10:00", APIA), "2011-12-30T18:00"),
    ],
)
def test_openings_when_the_clock_changes(window: str, at: datetime, opens: str) -> None:
    zone = at.tzinfo
    assert isinstance(zone, ZoneInfo)
    assert opened(at.astimezone(UTC), zone, hours(window)) == local(opens, ZoneInfo("UTC"))


AJAR = Hours(8 * 60, 23 * 60, ajar=True)


@pytest.mark.parametrize(
    ("every", "last", "follow"),
    [
        (Every(6 * 3600), "01:59", ("07:59", "08:00", "14:00", "20:00")),
        (Every(6 * 3600), "03:00", ("08:00", "14:00", "20:00")),
        (Every(6 * 3600), "12:00", ("18:00",)),
        (Every(24 * 3600), "09:00", ()),
        (Cron("30 7 * * *"), "00:10", ("07:30", "08:00")),
        (Cron("0 9 * * *"), "09:00", ()),
    ],
)
def test_what_is_ajar_lets_through_and_opens_for_the_rest(
    every: Rhythm, last: str, follow: tuple[str, ...]
) -> None:
    at, found = local(f"2026-05-05T{last}"), []
    while (at := due(every, at, LONG_AGO, at, VIENNA, AJAR)) < local("2026-05-05T23:59"):
        found.append(at.astimezone(VIENNA).strftime("%H:%M"))
    assert tuple(found) == follow


def test_openings_that_were_slept_through_are_counted_once_each() -> None:
    last, now = local("2026-05-05T01:59"), local("2026-05-05T09:00")
    times = passed(Every(6 * 3600), last, LONG_AGO, now, VIENNA, AJAR)
    assert times == [local("2026-05-05T07:59"), local("2026-05-05T08:00")]
    since = local("2026-05-05T08:30")  # what was before is not made up for
    assert passed(Every(6 * 3600), last, since, now, VIENNA, AJAR) == []


def test_years_before_an_opening_are_stepped_over() -> None:
    began = clock.process_time()
    start = datetime(1970, 1, 1, tzinfo=UTC)
    for every in (Cron("* * * * *"), Every(60)):
        times = passed(every, start, start, NOW, VIENNA, hours("08:00-08:01"))
        assert len(times) == MOST_COUNTED
        assert times[-1] - times[-2] == DAY
    assert clock.process_time() - began < 3


# -- too late --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("most", "late"), [(3600, True), (12 * 3600, True), (21 * 3600, False), (80 * 3600, False)]
)
def test_the_newest_time_decides_whether_it_is_too_late(most: float, late: bool) -> None:
    last, now = local("2026-05-02T03:00"), local("2026-05-05T23:10")  # three nights asleep
    nightly = Cron("0 3 * * *")
    assert is_late(nightly, last, LONG_AGO, now, VIENNA, most=most) is late
    assert len(passed(nightly, last, LONG_AGO, now, VIENNA)) == 3


def test_an_interval_that_was_never_done_is_late_by_its_own_times() -> None:
    since, now = NOW, NOW + 20 * HOUR
    assert is_late(Every(86_400), None, since, now, UTC, most=3600)
    assert not is_late(Every(86_400), None, since, now, UTC, most=20 * 3600)


def test_to_wait_for_the_opening_is_not_to_be_late() -> None:
    last, opening = local("2026-05-05T22:00"), local("2026-05-06T08:00")
    soon = opening + timedelta(seconds=1)
    for every in (Every(1800), Every(6 * 3600), Cron("0 */6 * * *")):
        args = (every, last, LONG_AGO)
        assert not is_late(*args, soon, VIENNA, hours("08:00-23:00"), most=60)
    later = opening + HOUR
    assert is_late(Every(6 * 3600), last, LONG_AGO, later, VIENNA, hours("08:00-23:00"), most=60)


# -- for people ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "window", "said"),
    [
        (900, "", "every 15 min"), (86_400, "", "every 1 d"), (90, "", "every 90 s"),
        ("0 3 * * *", "", "0 3 * * *"), (21_600, "8-23", "every 6 h, 08:00-23:00"),
    ],
)  # fmt: skip
def test_describe(value: float | str, window: str, said: str) -> None:
    assert describe(rhythm(value), hours(window) if window else None) == said


# -- always ----------------------------------------------------------------------------------

zones = st.sampled_from(ZONES)
moments = st.datetimes(
    datetime(2009, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC), allow_imaginary=False
)
windows = st.one_of(
    st.none(),
    st.tuples(st.integers(0, 1439), st.integers(0, 1440))
    .filter(lambda bounds: bounds[0] != bounds[1] and (bounds[1] - bounds[0]) % 1440 >= 120)
    .map(lambda bounds: Hours(*bounds)),
)
minutes, daytimes = st.integers(0, 59), st.integers(0, 23)
daily = st.builds(lambda minute, hour: f"{minute} {hour} * * *", minutes, daytimes)
rhythms: st.SearchStrategy[Rhythm] = st.one_of(
    st.floats(60, 40 * 86_400).map(Every),
    daily.map(Cron),
    st.sampled_from(["*/7 * * * *", "0 */5 * * *", "15 2 * * mon-fri", "0 0 1 * *"]).map(Cron),
)
spans = st.timedeltas(timedelta(0), timedelta(days=40))


@given(zone=zones, first=moments, line=daily)
@settings(max_examples=40, deadline=None)
def test_a_daily_job_runs_once_on_every_day(zone: ZoneInfo, first: datetime, line: str) -> None:
    now, seen = first, []
    for _ in range(40):
        now = due(Cron(line), now, first, now, zone)
        seen.append(now.astimezone(zone).date())
    if date(2011, 12, 31) in seen and zone is APIA:  # the day before never came there
        seen.remove(date(2011, 12, 31))
    assert len(set(seen)) == len(seen)
    assert set(days(seen[0], seen[-1])) - {date(2011, 12, 30)} <= {*seen, date(2011, 12, 31)}


def days(first: date, last: date) -> Iterator[date]:
    while first <= last:
        yield first
        first += DAY


@given(
    zone=zones, every=rhythms, window=windows, start=moments, idle=spans, asleep=spans
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_what_is_due_lies_ahead_and_in_the_window(
    zone: ZoneInfo,
    every: Rhythm,
    window: Hours | None,
    start: datetime,
    idle: timedelta,
    asleep: timedelta,
) -> None:
    now = start + idle
    later = now + asleep
    for last in (None, start, start + 400 * DAY):
        at = due(every, last, start, now, zone, window)
        assert at.tzinfo is not None
        assert at >= now
        assert window is None or window.contains(at.astimezone(zone).time())
        assert at <= due(every, last, start, later, zone, window)  # time never turns it back
        if at <= later and (window is None or window.contains(later.astimezone(zone).time())):
            assert due(every, last, start, later, zone, window) == later  # nothing is lost


@given(zone=zones, every=rhythms, window=windows, start=moments, asleep=spans)
@settings(max_examples=100, deadline=None)
def test_after_a_run_nothing_is_due_at_once(
    zone: ZoneInfo, every: Rhythm, window: Hours | None, start: datetime, asleep: timedelta
) -> None:
    now = start + asleep
    times = passed(every, start, start, now, zone, window)
    assert len(times) <= MOST_COUNTED
    assert times == sorted(set(times))
    assert all(start < at <= now for at in times)
    assert due(every, now, start, now, zone, window) > now
    assert passed(every, now, start, now, zone, window) == []


@given(zone=zones, line=daily, year=st.sampled_from([1970, 1999]))
@settings(max_examples=20, deadline=None)
def test_a_clock_that_jumps_by_decades_is_no_endless_loop(
    zone: ZoneInfo, line: str, year: int
) -> None:
    start = datetime(year, 1, 1, tzinfo=UTC)
    for every in (Every(60), Cron(line), Cron("* * * * *")):
        assert due(every, start, start, NOW, zone) == NOW
        assert len(passed(every, start, start, NOW, zone)) == MOST_COUNTED
        assert not is_late(every, start, start, NOW, zone, most=2 * 86_400)
