"""The board: when jobs run, what is made up for, left out, paused and tried again."""

import itertools
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.config import Config, checked
from hippod.errors import ConfigError, DaemonDown, NotFound, StorageError
from hippod.index import Index
from hippod.jobs import checkpointing, rhythm_of, window_of
from hippod.schedule import Cron, Every, Hours, hours
from hippod.state import State
from tests.boards import DAY, HOUR, HOURLY, JOB, MINUTE, NOW, House

Open = Callable[..., House]


@pytest.fixture
def open_house(tmp_path: Path) -> Iterator[Open]:
    houses: list[House] = []

    def open_(*args: object, **fields: object) -> House:
        houses.append(House(tmp_path / str(len(houses)), *args, **fields))  # type: ignore[arg-type]
        return houses[-1]

    yield open_
    for house in houses:
        house.stop()


@pytest.fixture
def house(open_house: Open) -> House:
    return open_house()


# -- when it is due --------------------------------------------------------------------------


def test_what_was_never_done_comes_soon_and_then_in_its_rhythm(house: House) -> None:
    house.live_until(NOW + 3 * HOUR)
    assert house.ran == [NOW + 10 * MINUTE + number * HOUR for number in range(3)]
    assert house.job.last_outcome == "ok"
    assert house.job.missed == 0


def test_nothing_runs_before_its_time(house: House) -> None:
    assert not house.board.run_due(JOB)
    assert house.ran == []


def test_a_sleep_is_made_up_for_once_and_counted(house: House) -> None:
    house.live_until(NOW + HOUR)
    house.now += 10 * HOUR
    assert house.board.run_due(JOB)
    assert not house.board.run_due(JOB)
    assert len(house.ran) == 2
    assert house.job.missed == 9
    assert house.job.last_due == "2026-03-03T22:10:00+00:00"
    assert house.next == house.now + HOUR


def test_a_run_by_hand_moves_an_interval_and_no_cron_line(open_house: Open) -> None:
    for rhythm, expected in ((HOURLY, NOW + HOUR), (Cron("30 12 * * *"), NOW + HOUR / 2)):
        house = open_house(rhythm)
        job = house.board.run(JOB)
        assert (job.last_outcome, job.last_due) == ("ok", None)
        assert house.next == expected


def test_a_job_without_a_rhythm_runs_only_when_asked(house: House) -> None:
    nap = house.board.all()[1]
    assert (nap.name, nap.schedule, nap.next_run) == ("nap", "when asked", None)
    assert not house.board.run_due("nap")
    assert house.board.following("nap", NOW) is None
    assert house.board.run("nap").name == "nap"


def test_an_unknown_job_is_not_found(house: House) -> None:
    for ask in (house.board.run, house.board.run_due, house.board.pause, house.board.resume,
                house.board.next_run):  # fmt: skip
        with pytest.raises(NotFound, match="'dance'") as caught:
            ask("dance")
        assert "reflect, nap" in caught.value.hint


def test_what_follows_a_run_is_always_later(house: House) -> None:
    at = NOW
    for _ in range(50):
        following = house.board.following(JOB, at)
        assert following is not None
        assert following > at
        at = following


def test_a_window_holds_back_and_opens_once(open_house: Open) -> None:
    house = open_house(Every(1800), window=hours("08:00-23:00"))
    house.live_until(NOW + 12 * HOUR)
    night = len(house.ran)
    house.live_until(datetime(2026, 3, 4, 8, tzinfo=UTC))
    assert house.ran[night:] == [datetime(2026, 3, 4, 8, tzinfo=UTC)]
    assert house.job.missed == 0
    assert house.job.schedule == "every 30 min, 08:00-23:00"


# -- the clock -------------------------------------------------------------------------------


def test_a_clock_that_goes_back_brings_one_run_and_no_burst(house: House) -> None:
    house.live_until(NOW + 6 * HOUR)
    house.ran.clear()
    house.lag = MINUTE / 60
    house.now = NOW + 2 * HOUR
    house.live_until(NOW + 4 * HOUR)
    assert 2 <= len(house.ran) <= 3
    house.live_until(NOW + 8 * HOUR)
    assert len(house.ran) <= 7


def test_runs_in_the_future_never_hide_those_of_today(house: House) -> None:
    house.now = datetime(2036, 1, 1, tzinfo=UTC)
    house.restart()
    for _ in range(120):  # more than is kept of a job
        house.now += HOUR
        house.board.run_due(JOB)
    house.ran.clear()
    house.now = NOW
    house.restart()
    house.live_until(NOW + 5 * HOUR)
    assert len(house.ran) in (5, 6)
    assert house.job.last_run.startswith("2026-03-03T")
    house.restart()
    assert not house.board.run_due(JOB)


def test_a_clock_that_goes_back_leaves_what_is_noted_of_runs_ahead(house: House) -> None:
    house.live_until(NOW + 6 * HOUR)
    ahead = [(run.started, run.due, run.asked) for run in house.state.runs(JOB, 3)]
    house.now = NOW + 2 * HOUR
    house.board.run(JOB)
    assert [(run.started, run.due, run.asked) for run in house.state.runs(JOB, 3)] == ahead
    assert not any(asked for _, _, asked in ahead)
    assert [run.asked for run in house.state.runs(JOB, 1, until=house.now)] == [True]


def test_a_clock_that_starts_in_1970_brings_one_run(house: House) -> None:
    house.now = datetime(1970, 1, 1, tzinfo=UTC)
    house.restart(rhythm=Every(60))
    house.live_until(house.now + 3 * MINUTE)
    house.ran.clear()
    house.now = NOW
    house.live_until(NOW)
    assert house.ran == [NOW]
    assert house.job.missed == 999
    house.now = NOW - 2 * HOUR
    house.live_until(house.now + MINUTE)
    assert len(house.ran) in (2, 3)


@pytest.mark.parametrize("how", ["start", "resume", "skip"])
def test_what_was_set_by_a_clock_ahead_is_put_right_for_all_restarts(
    open_house: Open, how: str
) -> None:
    start = datetime(2026, 5, 4, 4, tzinfo=UTC)
    ahead = datetime(2027, 1, 1, tzinfo=UTC)
    nightly = Cron("0 3 * * *")
    house = open_house(nightly, now=ahead if how == "start" else start)
    if how == "resume":
        house.board.pause(JOB)
        house.now = ahead
        house.board.resume(JOB)
    elif how == "skip":
        house.state.agenda.skip(JOB, 1, ahead)
    for day in range(5, 15):  # a laptop that is on in the daytime alone
        house.now = datetime(2026, 5, day, 9, tzinfo=UTC)
        house.restart()
        house.board.run_due(JOB)
        house.now += 13 * HOUR
    assert len(house.ran) >= 9
    assert house.state.agenda.entry(JOB).since <= house.now  # type: ignore[union-attr]


def test_a_clock_ahead_counts_from_the_last_run_when_it_is_right_again(open_house: Open) -> None:
    house = open_house(Cron("0 3 * * *"), now=datetime(2026, 5, 4, 3, tzinfo=UTC))
    house.board.run(JOB)
    house.state.agenda.skip(JOB, 1, datetime(2027, 1, 1, tzinfo=UTC))
    house.now = datetime(2026, 5, 6, 9, tzinfo=UTC)
    house.restart()
    assert house.board.run_due(JOB)
    assert house.job.missed == 1


def test_a_clock_that_starts_in_1970_takes_nothing_back(open_house: Open) -> None:
    house = open_house(Cron("0 3 * * *"))
    house.now = datetime(1970, 1, 1, tzinfo=UTC)
    house.restart()
    assert house.next == datetime(1970, 1, 1, 3, tzinfo=UTC)
    house.now = NOW + HOUR
    assert house.next == datetime(2026, 3, 4, 3, tzinfo=UTC)
    assert house.ran == []


# -- left out --------------------------------------------------------------------------------


@pytest.mark.parametrize(("most", "runs"), [("12h", 0), ("21h", 1)])
def test_what_is_later_than_its_most_is_left_out(open_house: Open, most: str, runs: int) -> None:
    start = datetime(2026, 5, 2, 3, tzinfo=UTC)
    house = open_house(Cron("0 3 * * *"), now=start, schedule={"max_late": {JOB: most}})
    house.board.run(JOB)
    house.ran.clear()
    house.now = datetime(2026, 5, 5, 23, 10, tzinfo=UTC)  # three nights asleep
    assert house.next == house.now
    assert house.board.run_due(JOB) is bool(runs)
    assert len(house.ran) == runs
    assert house.job.skipped == (0 if runs else 3)
    assert house.next == datetime(2026, 5, 6, 3, tzinfo=UTC)
    house.restart()
    assert house.next == datetime(2026, 5, 6, 3, tzinfo=UTC)


@pytest.mark.parametrize(("off", "is_tried"), [(0.5 * HOUR, True), (4 * DAY, False)])
def test_a_run_that_was_cut_off_is_left_out_when_it_is_too_late(
    open_house: Open, off: timedelta, is_tried: bool
) -> None:
    start = datetime(2026, 5, 6, 3, tzinfo=UTC)
    house = open_house(Cron("0 3 * * *"), now=start, schedule={"max_late": {JOB: "1h"}})
    house.dies()
    house.now = start + off + 6 * HOUR * (not is_tried)
    house.restart()
    assert house.board.run_due(JOB) is is_tried
    assert len(house.ran) == is_tried
    assert house.job.skipped == (0 if is_tried else 4)
    assert house.next is not None
    assert house.next > house.now


def test_an_interval_that_was_left_out_keeps_its_times(open_house: Open) -> None:
    house = open_house(Every(86_400), schedule={"max_late": {JOB: "2h"}})
    house.board.run(JOB)
    house.now = NOW + 3 * DAY + 5 * HOUR
    assert not house.board.run_due(JOB)
    assert house.next == NOW + 4 * DAY
    house.now = NOW + 4 * DAY + HOUR
    assert house.board.run_due(JOB)
    assert house.job.missed == 0


def test_times_that_pass_while_it_runs_are_left_out(open_house: Open) -> None:
    house = open_house(Every(60))
    house.takes = 2.5 * MINUTE
    house.live_until(NOW + 12 * MINUTE)
    gaps = [later - earlier for earlier, later in itertools.pairwise(house.ran)]
    assert gaps == [3 * MINUTE] * 3
    assert house.job.skipped == 2 * len(house.ran)
    assert house.job.missed == 0


# -- paused ----------------------------------------------------------------------------------


def test_a_paused_job_waits_over_restarts_and_can_be_asked(house: House) -> None:
    house.live_until(NOW + HOUR)
    paused = house.board.pause(JOB)
    assert (paused.paused, paused.next_run, paused.schedule) == (True, None, "every 1 h")
    house.restart()
    house.now += 5 * HOUR
    assert house.next is None
    assert not house.board.run_due(JOB)
    assert house.board.is_paused(JOB)
    assert house.board.run(JOB).last_outcome == "ok"
    assert len(house.ran) == 2


def test_a_resumed_job_makes_up_for_nothing(open_house: Open) -> None:
    house = open_house(Cron("0 * * * *"))
    house.board.pause(JOB)
    house.now += 5.5 * HOUR
    resumed = house.board.resume(JOB)
    assert (resumed.paused, resumed.skipped) == (False, 5)
    assert house.next == NOW + 6 * HOUR
    assert house.board.resume(JOB).skipped == 5  # again: nothing to do


# -- tried again -----------------------------------------------------------------------------


def test_an_interrupted_run_is_tried_once_more(house: House) -> None:
    house.board.run(JOB)
    house.now += HOUR
    house.dies()
    assert house.job.last_outcome == "interrupted"
    assert house.next == house.now
    assert house.board.run_due(JOB)
    assert house.job.last_outcome == "ok"
    assert house.next == house.ran[-1] + HOUR


def test_when_that_is_interrupted_too_its_normal_time_counts(house: House) -> None:
    house.board.run(JOB)
    house.now += HOUR
    house.dies()
    died = house.now
    house.dies()
    assert house.next == died + HOUR
    house.live_until(died + HOUR)
    assert house.job.last_outcome == "ok"


def test_a_retry_that_records_nothing_is_not_repeated(house: House) -> None:
    house.dies()
    house.records = False
    assert house.board.run_due(JOB)
    assert not house.board.run_due(JOB)


def test_a_paused_job_is_not_tried_again(house: House) -> None:
    house.board.pause(JOB)
    house.dies()
    assert house.next is None


# -- a changed rhythm ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rhythm", "zone", "expected"),
    [
        (Cron("0 18 * * *"), "UTC", "2026-03-03T18:00"),
        (Cron("0 12 * * *"), "UTC", "2026-03-04T12:00"),  # it was noon when it was not noon yet
        (Cron("0 6 * * *"), "UTC", "2026-03-04T06:00"),
        (Cron("0 6 * * *"), "America/New_York", "2026-03-04T11:00"),
        (Every(3600), "UTC", "2026-03-03T18:00"),
    ],
)
def test_a_new_rhythm_counts_from_when_it_was_set(
    open_house: Open, rhythm: Cron | Every, zone: str, expected: str
) -> None:
    house = open_house(Cron("0 6 * * *"), now=NOW - 6 * HOUR, schedule={"zone": "UTC"})
    house.board.run(JOB)
    house.now = NOW + 5 * HOUR + 20 * MINUTE
    config = checked({"schedule": {"zone": zone}}, "a test", {})
    house.restart(rhythm=rhythm, config=config)
    assert house.next == datetime.fromisoformat(expected).replace(tzinfo=UTC)
    assert house.job.missed == 0


def test_a_job_that_was_switched_off_makes_up_for_nothing(open_house: Open) -> None:
    house = open_house(Cron("0 * * * *"))
    house.live_until(NOW + HOUR)
    house.restart(rhythm=None)
    house.now += 5.5 * HOUR
    house.restart(rhythm=Cron("0 * * * *"))
    assert house.next == NOW + 7 * HOUR


# -- failures --------------------------------------------------------------------------------


def test_a_failure_is_told_and_the_next_time_comes(house: House) -> None:
    house.fails = StorageError("the disk is full", "free some space")
    house.live_until(NOW + 10 * MINUTE)
    assert house.job.last_outcome == "failed"
    assert house.next == NOW + 70 * MINUTE
    house.fails = None
    house.live_until(NOW + 70 * MINUTE)
    assert house.told == [(JOB, "the disk is full", "free some space"), (JOB, "", "")]


def test_a_crash_is_told_without_what_it_said(house: House) -> None:
    house.fails = ValueError("something private")
    house.board.run(JOB)
    [(name, trouble, _)] = house.told
    assert name == JOB
    assert trouble
    assert "private" not in trouble


def test_a_run_that_cannot_be_recorded_is_no_burst(house: House) -> None:
    house.records = False
    house.live_until(NOW + 3 * HOUR)
    assert len(house.ran) == 3


def test_after_stop_nothing_begins(house: House) -> None:
    house.now += DAY
    house.board.stop()
    assert not house.board.run_due(JOB)
    with pytest.raises(DaemonDown):
        house.board.run(JOB)
    house.board.run_early(JOB, house.work)
    assert house.ran == []


# -- whatever happens ------------------------------------------------------------------------

EVENTS = ("live", "sleep", "set back", "restart", "die", "ask", "pause", "resume")


@given(
    events=st.lists(st.tuples(st.sampled_from(EVENTS), st.integers(1, 3000)), max_size=12),
    rhythm=st.sampled_from([HOURLY, Every(5000), Cron("20 */3 * * *"), Cron("0 3 * * *")]),
    window=st.sampled_from([None, hours("08:00-23:00"), hours("22:00-04:00")]),
)
@settings(max_examples=30, deadline=None)
def test_whatever_happens_runs_are_as_many_as_their_times(
    events: list[tuple[str, int]], rhythm: Cron | Every, window: Hours | None
) -> None:
    with TemporaryDirectory() as folder:
        house = House(Path(folder), rhythm, window=window)
        house.lag = MINUTE / 60
        for event, minutes in events:
            before = len(house.ran)
            happen(house, event, minutes)
            most = minutes / 60 + 2 if event == "live" else 1
            assert len(house.ran) - before <= most
            house.live_until(house.now)
            at = house.next
            assert at is None or at > house.now
            assert at is None or at - house.now <= 2 * DAY
        house.stop()


def happen(house: House, event: str, minutes: int) -> None:
    if event == "live":
        house.live_until(house.now + minutes * MINUTE)
    elif event == "sleep":
        house.now += 10 * minutes * MINUTE
    elif event == "set back":
        house.now -= minutes * MINUTE
    elif event == "restart":
        house.restart()
    elif event == "die":
        house.dies()
    elif event == "ask":
        house.board.run(JOB)
    elif event == "pause":
        house.board.pause(JOB)
    else:
        house.board.resume(JOB)


# -- more than one thread --------------------------------------------------------------------


def test_two_runs_of_a_job_never_overlap(house: House) -> None:
    inside, most = 0, 0
    gate = threading.Barrier(4)

    def work() -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        threading.Event().wait(0.02)
        inside -= 1

    def ask() -> None:
        gate.wait(5)
        house.board.run_early(JOB, work)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_what_somebody_runs_is_not_waited_for_and_counts(house: House) -> None:
    house.now += DAY
    due: list[bool] = []

    def work() -> str:
        due.append(house.board.run_due(JOB))
        assert house.board.is_held(JOB)
        house.takes = 90 * MINUTE
        house.work()
        return "done"

    assert house.board.run_as(JOB, work) == "done"
    assert due == [False]
    assert not house.board.is_held(JOB)
    assert not house.board.run_due(JOB)
    assert len(house.ran) == 1
    assert house.job.last_due is None
    assert house.job.skipped == 1
    assert house.next == house.ran[0] + 2 * HOUR


def test_what_is_refused_before_it_begins_leaves_out_nothing(house: House) -> None:
    house.board.run(JOB)
    house.now += DAY

    def refused() -> None:
        raise StorageError("no such day")

    with pytest.raises(StorageError):
        house.board.run_as(JOB, refused)
    assert house.next == house.now
    assert house.job.skipped == 0
    assert house.board.run_due(JOB)


def test_what_fails_for_somebody_is_raised(house: House) -> None:
    house.fails = StorageError("no such folder")
    with pytest.raises(StorageError):
        house.board.run_as(JOB, house.work)
    assert house.told == []
    house.fails = None
    house.board.run_as(JOB, house.work)
    assert house.told == [(JOB, "", "")]
    assert not house.board.is_held(JOB)
    house.board.stop()
    with pytest.raises(DaemonDown):
        house.board.run_as(JOB, list)


def test_hours_that_open_during_a_run_are_not_left_out(open_house: Open) -> None:
    window = Hours(13 * 60, 23 * 60, ajar=True)
    house = open_house(Every(6 * 3600), window=window, schedule={"zone": "UTC"})
    house.now = NOW.replace(hour=12, minute=59)
    house.takes = 3 * MINUTE
    house.board.run(JOB)
    assert house.next == house.now == NOW.replace(hour=13, minute=2)
    assert house.board.run_due(JOB)
    assert house.next == NOW.replace(hour=19, minute=2)
    assert house.job.skipped == 0


def test_the_zone_of_a_schedule_is_said_where_it_is_another(open_house: Open) -> None:
    zone = {"zone": "Asia/Tokyo"}
    assert open_house(Cron("0 3 * * *"), schedule=zone).job.schedule == "0 3 * * * (Asia/Tokyo)"
    windowed = open_house(Every(3600), window=hours("08:00-23:00"), schedule=zone)
    assert windowed.job.schedule == "every 1 h, 08:00-23:00 (Asia/Tokyo)"
    assert open_house(Every(3600), schedule=zone).job.schedule == "every 1 h"
    assert open_house(Cron("0 3 * * *")).job.schedule == "0 3 * * *"


def test_a_cron_line_shows_runs_that_will_happen(open_house: Open) -> None:
    house = open_house(Cron("0 3 * * *"), window=hours("08:00-23:00"), schedule={"zone": "UTC"})
    assert house.next == NOW.replace(hour=8) + DAY


def test_a_running_job_says_so(house: House) -> None:
    seen = []
    house.board.run_early(JOB, lambda: seen.append(house.job.running))
    assert seen == [True]
    assert not house.job.running


def test_a_job_that_runs_by_other_doors_says_so_too(house: House) -> None:
    house.state.start_run(JOB, house.now)
    assert house.job.running
    house.state.record_run(JOB, house.now, 1.0, "ok")
    assert not house.job.running


def test_what_ends_because_of_the_stop_is_no_failure(house: House) -> None:
    def stopped() -> None:
        house.board.stop()
        raise StorageError("it was stopped")

    house.board.run_early(JOB, stopped)
    assert house.told == []


def test_work_for_another_reason_fails_aloud_and_heals_nothing(house: House) -> None:
    def broken() -> None:
        raise StorageError("no such folder")

    house.board.run_early(JOB, broken)
    house.board.run_early(JOB, list)
    assert house.told == [(JOB, "no such folder", "")]


# -- what is configured ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "settings", "expected"),
    [
        ("reconcile", {}, Every(900)),
        ("reconcile", {"schedule": {"reconcile": "2h"}}, Every(7200)),
        ("checkpoint", {}, Every(3600)),
        ("reflect", {}, Every(86_400)),
        ("reflect", {"reflect": {"interval_hours": 6}}, Every(21_600)),
        ("reflect", {"schedule": {"reflect": "0 3 * * mon-fri"}}, Cron("0 3 * * mon-fri")),
        ("hygiene", {"hygiene": {"enabled": False}}, None),
        ("heartbeat", {}, Every(21_600)),
    ],
)
def test_rhythms_come_from_the_configuration(
    name: str, settings: dict[str, dict[str, object]], expected: Cron | Every | None
) -> None:
    assert rhythm_of(checked(settings, "a test", {}), name) == expected


def test_an_urgent_check_opens_all_hours() -> None:
    assert window_of(Config()) == Hours(8 * 60, 23 * 60)
    checks = {"disk": {"command": ["df"], "urgent": True}}
    window = window_of(checked({"heartbeat": {"checks": checks}}, "a test", {}))
    assert window == Hours(8 * 60, 23 * 60, ajar=True)


@pytest.mark.parametrize("value", ["", "400d", "30s"])
def test_a_rhythm_of_its_own_is_one(value: str) -> None:
    with pytest.raises(Exception, match=r"schedule\.checkpoint"):
        checked({"schedule": {"checkpoint": value}}, "a test", {})


# -- the checkpoint --------------------------------------------------------------------------


def test_the_checkpoint_empties_the_log_and_drops_what_expired(tmp_path: Path) -> None:
    now = NOW
    state = State(tmp_path / "state.sqlite", clock=lambda: now)
    log = tmp_path / "state.sqlite-wal"
    state.working.set("old", "main", "forgotten soon")
    now += 6 * DAY
    state.working.set("new", "main", "kept")
    now += 2 * DAY
    folded: list[bool] = []
    index = cast(Index, SimpleNamespace(checkpoint=lambda: folded.append(True)))
    before = log.stat().st_size
    assert before > 0
    job = checkpointing(Config(), state, index)
    job.work()
    assert log.stat().st_size < before
    assert folded == [True]
    assert state.working.get("old", "main") is None
    assert state.working.get("new", "main") is not None
    last = state.last_run(job.name)
    assert last is not None
    assert (last.started, last.outcome) == (now, "ok")
    assert state.checkpoint()
    assert log.stat().st_size == 0
    state.close()


def test_a_checkpoint_that_fails_is_recorded(tmp_path: Path) -> None:
    def fail() -> None:
        raise StorageError("no index")

    state = State(tmp_path / "state.sqlite")
    job = checkpointing(Config(), state, cast(Index, SimpleNamespace(checkpoint=fail)))
    with pytest.raises(StorageError):
        job.work()
    last = state.last_run(job.name)
    assert last is not None
    assert (last.outcome, last.error) == ("failed", "no index")
    state.close()


@pytest.mark.parametrize("where", ["schedule.max_late.reflect", "working.ttl", "retain.quiet"])
def test_a_time_that_no_clock_can_reach_is_refused_at_the_start(where: str) -> None:
    section, *keys = where.split(".")
    value: Any = "99999999999d"
    for key in reversed(keys):
        value = {key: value}
    with pytest.raises(ConfigError, match=where.replace(".", r"\.")):
        checked({section: value}, "a test", {})


def test_never_too_late_may_be_said_by_a_long_time(open_house: Open) -> None:
    house = open_house(schedule={"max_late": {"reflect": "36500d"}})
    house.now += DAY
    assert house.board.run_due(JOB)
