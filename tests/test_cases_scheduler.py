"""Replays of field cases on the schedule: sleep, restarts, clocks, windows, overlaps."""

import asyncio
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine

from hippod import clockwork
from hippod.clockwork import Clockwork
from hippod.config import Config, checked
from hippod.errors import ConfigError
from hippod.jobs import Board, Job
from hippod.schedule import Cron, Every, due, hours, passed
from hippod.state import State
from tests.boards import DAY, HOUR, JOB, MINUTE, House

Open = Callable[..., House]
SHANGHAI, NEW_YORK, VIENNA = (
    ZoneInfo(name) for name in ("Asia/Shanghai", "America/New_York", "Europe/Vienna")
)


@pytest.fixture
def open_house(tmp_path: Path) -> Iterator[Open]:
    houses: list[House] = []

    def open_(*args: object, **fields: object) -> House:
        houses.append(House(tmp_path / str(len(houses)), *args, **fields))  # type: ignore[arg-type]
        return houses[-1]

    yield open_
    for house in houses:
        house.stop()


def at(text: str, zone: ZoneInfo | None = None, fold: int = 0) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone or UTC, fold=fold)


# -- hours -----------------------------------------------------------------------------------


def test_c141_hours_are_those_of_the_user_and_leave_no_gap(open_house: Open) -> None:
    house = open_house(
        Every(4 * 3600),
        window=hours("08:00-23:00"),
        now=at("2026-04-14T00:56", SHANGHAI),
        schedule={"zone": "Asia/Shanghai"},
    )
    house.live_until(at("2026-04-15T10:00", SHANGHAI))
    assert [ran.astimezone(SHANGHAI).strftime("%d %H:%M") for ran in house.ran] == [
        "14 08:00", "14 12:00", "14 16:00", "14 20:00", "15 08:00",
    ]  # fmt: skip


def test_c142_hours_over_midnight_and_hours_that_are_none() -> None:
    window = hours("21:30-05:15")
    inside = [window.contains(at(f"2026-04-14T{t}").time())
              for t in ("21:29", "21:30", "05:14", "05:15")]  # fmt: skip
    assert inside == [False, True, True, False]
    for settings in (
        {"heartbeat": {"active_hours": "10:00-10:00"}},
        {"heartbeat": {"active_hours": "7-26"}},
        {"heartbeat": {"quiet_hours": "22:00-22:00"}},
        {"schedule": {"zone": "Moon/Tycho"}},
    ):
        [(section, fields)] = settings.items()
        with pytest.raises(ConfigError) as caught:
            checked(settings, "hippod.toml", {})
        assert f"hippod.toml: {section}.{next(iter(fields))}" in caught.value.message


def test_c142_ticks_outside_of_the_hours_do_not_pile_up(open_house: Open) -> None:
    house = open_house(Every(900), window=hours("22:00-06:00"), now=at("2026-04-14T05:50"))
    house.board.run(JOB)
    house.now = at("2026-04-14T22:00")
    assert house.board.run_due(JOB)
    assert not house.board.run_due(JOB)
    assert house.job.missed == 0


def test_c143_hours_of_the_heartbeat_hold_back_nothing_else(open_house: Open) -> None:
    nightly = open_house(Cron("0 3 * * *"), now=at("2026-04-14T01:00"))
    assert nightly.window is None
    nightly.live_until(at("2026-04-14T04:00"))
    assert nightly.ran == [at("2026-04-14T03:00")]
    beat = open_house(Every(900), window=hours("08:00-23:00"), now=at("2026-04-14T02:00"))
    assert beat.next == at("2026-04-14T08:00")
    assert beat.board.run(JOB).last_outcome == "ok"  # somebody asks in the night
    assert beat.ran == [at("2026-04-14T02:00")]


# -- restarts --------------------------------------------------------------------------------


def test_c146_many_restarts_are_no_reason_to_run(open_house: Open) -> None:
    house = open_house(Every(7200))
    house.board.run(JOB)
    house.now += 110 * MINUTE
    for _ in range(5):
        house.now += 3.5 * MINUTE
        house.restart()
        house.live_until(house.now)
    assert len(house.ran) == 2
    assert house.next == house.ran[-1] + 2 * HOUR


def test_c148_a_weekly_job_that_a_restart_missed_comes_at_the_start(open_house: Open) -> None:
    house = open_house(Cron("0 4 * * sun"), now=at("2026-04-05T03:00"))
    house.live_until(at("2026-04-11T18:00"))
    assert house.ran == [at("2026-04-05T04:00")]
    house.stop()
    house.now = at("2026-04-12T06:00")
    house.start()
    house.live_until(at("2026-04-18T00:00"))
    assert house.ran[1:] == [at("2026-04-12T06:00")]
    assert house.job.last_due == "2026-04-12T04:00:00+00:00"
    assert house.next == at("2026-04-19T04:00")


def test_c153_a_run_that_the_end_cut_off_is_tried_once_more(open_house: Open) -> None:
    house = open_house(Cron("0 6 * * *"), now=at("2026-04-14T05:00"))
    house.now = at("2026-04-14T06:00")
    house.dies()
    assert house.job.last_outcome == "interrupted"
    assert house.board.run_due(JOB)
    assert not house.board.run_due(JOB)
    house.now += MINUTE
    house.dies()
    house.dies()
    assert house.next == at("2026-04-15T06:00")


def test_c154_neither_a_restart_nor_a_change_skips_a_day(open_house: Open) -> None:
    house = open_house(Cron("0 6 * * *"), now=at("2026-04-14T05:59"))
    house.live_until(at("2026-04-14T17:20"))
    house.restart()
    assert house.next == at("2026-04-15T06:00")
    house.restart(rhythm=Cron("0 18 * * *"))
    assert house.next == at("2026-04-14T18:00")


# -- sleep -----------------------------------------------------------------------------------


def test_c147_a_night_asleep_is_made_up_for_once(open_house: Open) -> None:
    house = open_house(Cron("0 3 * * *"), now=at("2026-04-14T01:00"))
    house.now = at("2026-04-14T08:10")
    house.live_until(at("2026-04-14T23:00"))
    assert house.ran == [at("2026-04-14T08:10")]
    house.now = at("2026-04-18T08:10")
    house.live_until(at("2026-04-18T23:00"))
    assert len(house.ran) == 2
    assert house.job.missed == 3


def test_c152_three_nights_asleep_and_awake_in_the_quiet_hours(open_house: Open) -> None:
    start, awake = at("2026-04-14T20:00"), at("2026-04-17T23:10")
    nightly = open_house(Cron("0 3 * * *"), now=start)
    strict = open_house(Cron("0 3 * * *"), now=start, schedule={"max_late": {JOB: "6h"}})
    beat = open_house(Every(1800), window=hours("08:00-23:00"), now=start)
    for house in (nightly, strict, beat):
        house.board.run(JOB)
        house.ran.clear()
        house.now = awake
        house.live_until(at("2026-04-18T02:00"))
    assert nightly.ran == [awake]
    assert strict.ran == []
    assert strict.job.skipped == 3
    assert beat.ran == []
    for house in (nightly, strict, beat):
        house.live_until(at("2026-04-18T08:00"))
    assert nightly.ran[1:] == strict.ran == [at("2026-04-18T03:00")]
    assert beat.ran == [at("2026-04-18T08:00")]


# -- clocks ----------------------------------------------------------------------------------


def test_c149_a_clock_from_1970_and_one_that_goes_back(open_house: Open) -> None:
    house = open_house(Every(60), now=datetime(1970, 1, 1, tzinfo=UTC))
    house.live_until(house.now + 5 * MINUTE)
    house.ran.clear()
    house.now = at("2026-04-14T12:00")
    began = time.process_time()
    house.live_until(house.now)
    assert len(house.ran) == 1
    assert time.process_time() - began < 1
    house.live_until(house.now + 30 * MINUTE)
    assert len(house.ran) == 31
    house.now -= 2 * HOUR
    house.ran.clear()
    back = house.now
    house.live_until(back + 10 * MINUTE)
    assert house.ran[0] - back <= MINUTE
    assert 10 <= len(house.ran) <= 11


@pytest.mark.parametrize("every", [3600, 86_400])
def test_c161_times_are_counted_in_real_hours(every: int) -> None:
    first, second = (at("2026-11-01T01:30", NEW_YORK, fold) for fold in (0, 1))
    assert first == second.replace(fold=0)
    assert second.astimezone(UTC) - first.astimezone(UTC) == HOUR
    next_ = due(Every(every), first, first, first, NEW_YORK)
    assert next_ - first.astimezone(UTC) == timedelta(seconds=every)
    keys = {due(Every(3600), moment, moment, moment, NEW_YORK) for moment in (first, second)}
    assert len(keys) == 2
    times = passed(Every(1800), first, first, second, NEW_YORK)
    assert [later - first.astimezone(UTC) for later in times] == [HOUR / 2, HOUR]


def test_c161_a_daily_job_comes_once_in_the_long_night(open_house: Open) -> None:
    house = open_house(
        Cron("30 1 * * *"),
        now=at("2026-10-31T12:00", NEW_YORK),
        schedule={"zone": "America/New_York"},
    )
    house.live_until(at("2026-11-02T12:00", NEW_YORK))
    assert house.ran == [
        at(text).astimezone(UTC) for text in ("2026-11-01T05:30", "2026-11-02T06:30")
    ]
    assert house.ran[1] - house.ran[0] == DAY + HOUR


# -- with the real scheduler and the real clock --------------------------------------------------


class Real:
    """A board that APScheduler drives, with a job that takes as long as it is told."""

    def __init__(self, folder: Path, every: float, takes: float = 0.0) -> None:
        self.state = State(folder / "state.sqlite")
        self.takes = takes
        self.spans: list[tuple[float, float]] = []
        self.done = threading.Event()
        self.wanted = 1
        board = Board(Config(), self.state, self.state.clock, [Job(JOB, Every(every), self.work)])
        self.board = board
        self.thread = ThreadPoolExecutor(1)
        self.clockwork = Clockwork(board, VIENNA, self.thread)

    def work(self) -> None:
        started, began = self.state.clock(), time.monotonic()
        time.sleep(self.takes)
        self.spans.append((began, time.monotonic()))
        self.state.record_run(JOB, started, self.takes, "ok")
        if len(self.spans) >= self.wanted:
            self.done.set()

    async def until(self, runs: int, block: float = 0.0) -> None:
        """Let it work until so many runs are done, the loop being blocked for a while first."""
        self.wanted = runs
        driving = asyncio.create_task(self.clockwork.run())
        await asyncio.sleep(0.05)
        time.sleep(block)
        assert await asyncio.to_thread(self.done.wait, 20)
        await asyncio.to_thread(self.settle)
        driving.cancel()
        await asyncio.gather(driving, return_exceptions=True)

    def settle(self) -> None:
        """Wait until what is known of the last run is noted too."""
        deadline = time.monotonic() + 20
        while self.board.is_held(JOB):
            assert time.monotonic() < deadline, "the run does not end"
            time.sleep(0.005)

    def close(self) -> None:
        self.thread.shutdown()
        self.state.close()


@pytest.fixture
def real(tmp_path: Path) -> Iterator[Callable[..., Real]]:
    made: list[Real] = []

    def make(*args: float) -> Real:
        made.append(Real(tmp_path, *args))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_c147_a_loop_that_is_late_loses_no_run(real: Callable[..., Real]) -> None:
    late = real(0.5)
    asyncio.run(late.until(1, block=2.2))
    [job] = late.board.all()
    assert job.last_due is not None
    assert job.missed >= 2


def test_c150_a_job_that_takes_longer_than_its_rhythm(
    real: Callable[..., Real], caplog: pytest.LogCaptureFixture
) -> None:
    slow = real(0.2, 0.3)
    asyncio.run(slow.until(4))
    assert all(later[0] >= earlier[1] for earlier, later in itertools.pairwise(slow.spans))
    gaps = [later[0] - earlier[0] for earlier, later in itertools.pairwise(slow.spans)]
    assert all(gap >= 0.39 for gap in gaps), gaps  # the next but one of its times
    [job] = slow.board.all()
    assert job.skipped >= 3
    assert not [record for record in caplog.records if "maximum number" in record.message]


def test_an_error_of_our_own_in_a_look_ends_nothing(
    real: Callable[..., Real], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clockwork, "LOOK_SECONDS", 0.05)
    house = real(0.2)
    looks = 0
    whole = house.board.next_run

    def broken(name: str) -> datetime | None:
        nonlocal looks
        looks += 1
        if looks <= 2:
            raise ZeroDivisionError
        return whole(name)

    monkeypatch.setattr(house.board, "next_run", broken)
    asyncio.run(house.until(1))
    assert looks > 2


async def settled(condition: Callable[[], object], seconds: float = 10) -> None:
    """Let the loop go on until `condition()` is true."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "gave up waiting"
        await asyncio.sleep(0.01)


def test_c149_c147_the_real_scheduler_on_a_clock_that_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clockwork, "LOOK_SECONDS", 0.05)
    ran: list[datetime] = []
    looks: list[str] = []

    class Counting(Board):
        def next_run(self, name: str) -> datetime | None:
            looks.append(name)
            return super().next_run(name)

    async def once_after(change: Callable[[], None]) -> None:
        """Set the clock, and see one run, and no further one for all of ten looks."""
        ran.clear()
        change()
        await settled(lambda: ran)
        enough = len(looks) + 10
        began = time.process_time()
        await settled(lambda: len(looks) >= enough)
        assert len(ran) == 1
        assert time.process_time() - began < 1

    async def lived(clock: Any) -> None:
        state = State(tmp_path / "state.sqlite")

        def work() -> None:
            ran.append(state.clock())
            state.record_run(JOB, ran[-1], 0.0, "ok")

        board = Counting(Config(), state, state.clock, [Job(JOB, Every(60), work)])
        thread = ThreadPoolExecutor(1)
        driving = asyncio.create_task(Clockwork(board, VIENNA, thread).run())
        await once_after(lambda: clock.shift(61))
        await once_after(lambda: clock.move_to(at("2026-05-01T12:00")))
        await once_after(lambda: clock.shift(-2 * HOUR))
        await once_after(lambda: clock.shift(MINUTE))
        await once_after(lambda: clock.shift(9 * HOUR))
        assert board.all()[0].missed > 400
        driving.cancel()
        await asyncio.gather(driving, return_exceptions=True)
        thread.shutdown()
        state.close()

    with time_machine.travel(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), tick=True) as clock:
        asyncio.run(lived(clock))


# -- what else happens to people ---------------------------------------------------------------


@pytest.mark.parametrize(
    "zone",
    [
        "Antarctica/Troll", "Australia/Lord_Howe", "Africa/Casablanca", "America/Havana",
        "Atlantic/Azores", "Asia/Beirut", "America/Santiago", "Africa/Cairo",
    ],
)  # fmt: skip
@pytest.mark.parametrize("line", ["0 0 * * *", "30 0 * * *", "15 2 * * *"])
def test_a_year_of_a_zone_with_odd_changes_has_a_run_on_each_day(zone: str, line: str) -> None:
    there = ZoneInfo(zone)
    last = first = at("2026-01-01T12:00", there)
    days = []
    for _ in range(364):
        last = due(Cron(line), last, first, last, there)
        days.append(last.astimezone(there).date())
    assert days == [first.date() + n * DAY for n in range(1, 365)]


def test_a_journey_to_another_zone_makes_up_for_nothing(open_house: Open) -> None:
    house = open_house(
        Cron("0 6 * * *"), now=at("2026-04-14T05:30", VIENNA), schedule={"zone": "Europe/Vienna"}
    )
    house.live_until(at("2026-04-14T08:00", VIENNA))
    house.config = checked({"schedule": {"zone": "Asia/Shanghai"}}, "a test", {})
    house.restart()
    assert house.next == at("2026-04-15T06:00", SHANGHAI)
    house.config = checked({"schedule": {"zone": "America/New_York"}}, "a test", {})
    house.restart()
    assert house.next == at("2026-04-14T06:00", NEW_YORK)
    house.live_until(at("2026-04-15T05:00", NEW_YORK))
    assert len(house.ran) == 2


def test_a_run_that_is_killed_each_time_comes_no_more_often_for_it(open_house: Open) -> None:
    house = open_house(Every(7200))
    began = house.now
    for _ in range(8):
        assert house.next is not None
        house.now = max(house.now, house.next)
        house.dies()
    assert [run.outcome for run in house.state.runs(JOB, 20)] == ["interrupted"] * 8
    assert house.now - began > 12 * HOUR  # one retry at the most, then its normal time


def test_a_job_that_fails_each_time_keeps_its_rhythm(open_house: Open) -> None:
    house = open_house(Every(3600))
    house.fails = OSError("the disk is full")
    house.live_until(house.now + 3 * HOUR)
    assert len(house.ran) == 3
    assert house.job.last_outcome == "failed"
    assert len(house.told) == 3
