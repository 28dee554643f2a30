"""The simulated month: its arithmetic against dates worked out by hand, and a quick run of it."""

import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from bench.month import __main__ as command
from bench.month import expected, figures, months, ticking
from bench.month.expected import Expected
from bench.month.figures import Report
from bench.month.living import Lived
from bench.month.place import Recorded
from bench.month.script import (
    Asked,
    Asleep,
    Broken,
    Changed,
    Daily,
    Edited,
    Event,
    Gauge,
    Month,
    Off,
    Paused,
    Period,
    Rhythm,
    Shows,
    Slow,
    Told,
    WrongClock,
)

VIENNA = ZoneInfo("Europe/Vienna")
LOAD = Gauge("check: load", "load", 5)
SHEET = Edited("03-25 08:00", b"- [ ] check: load\n", (LOAD,))
CALM = Shows("03-25 08:00", "load", 1)


def month(*events: Event, **changes: Any) -> Month:
    rhythms: dict[str, Rhythm] = {
        "heartbeat": Period(360), "reflect": Period(1440), "hygiene": Daily(((2, 30),)),
    }  # fmt: skip
    given = Month(
        who="somebody", zone=VIENNA, first=date(2026, 3, 25), days=6, change="", settings={},
        rhythms=rhythms, events=(CALM, SHEET, *events), active=(480, 1380), quiet=None,
    )  # fmt: skip
    return replace(given, **changes)


def runs(made: Month, job: str, zone: ZoneInfo = VIENNA) -> list[str]:
    """Return when a job should run, by the watch."""
    found = [run for run in expected.expect(made).runs if run.job == job]
    return [f"{run.at.astimezone(zone):%d %H:%M}" for run in found]


def alone(job: str, rhythm: Rhythm) -> dict[str, Rhythm]:
    """Return rhythms of which only one ever comes."""
    never = Daily(())
    return {"heartbeat": never, "reflect": never, "hygiene": never, job: rhythm}


# -- the arithmetic, by hand -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("zone", "first", "at", "moments"),
    [  # UTC of the night in which the clock changes, and of those beside it
        ("Europe/Vienna", date(2026, 3, 27), (2, 30), ["28 01:30", "29 01:00", "30 00:30"]),
        ("America/New_York", date(2026, 10, 30), (1, 30), ["31 05:30", "01 05:30", "02 06:30"]),
        ("Australia/Lord_Howe", date(2026, 10, 2), (2, 15), ["02 15:45", "03 15:30", "04 15:15"]),
        ("Australia/Lord_Howe", date(2026, 4, 3), (1, 45), ["03 14:45", "04 14:45", "05 15:15"]),
    ],
)
def test_a_daily_time_comes_once_each_night(
    zone: str, first: date, at: tuple[int, int], moments: list[str]
) -> None:
    made = month(
        zone=ZoneInfo(zone), first=first, days=4, events=(), rhythms=alone("hygiene", Daily((at,)))
    )
    found = expected.expect(made).runs
    assert [f"{run.at.astimezone(UTC):%d %H:%M}" for run in found] == moments


def test_beats_come_every_six_hours_and_wait_for_the_morning() -> None:
    found = runs(month(), "heartbeat")
    assert found[:4] == ["25 08:10", "25 14:10", "25 20:10", "26 08:00"]
    assert found[-9:-3] == ["28 08:00", "28 14:00", "28 20:00", "29 08:00", "29 14:00", "29 20:00"]


def test_what_sleep_misses_comes_once_and_in_its_hours() -> None:
    made = month(Asleep("03-25 21:00", "03-28 23:10"))
    done = expected.expect(made)
    woken = made.at("03-28 23:10")
    assert [(run.job, run.made_up) for run in done.runs if run.at == woken] == [
        ("hygiene", 2), ("reflect", 2),
    ]  # fmt: skip
    assert "28 23:10" not in runs(made, "heartbeat")
    assert runs(made, "heartbeat")[3] == "29 08:00"


def test_what_comes_too_late_is_left_out() -> None:
    made = month(Asleep("03-25 21:00", "03-26 09:00"), late={"hygiene": 60})
    assert runs(made, "hygiene")[0] == "27 02:30"
    assert expected.expect(made).skipped == Counter(hygiene=1)


def test_a_restart_and_a_new_time_make_up_for_nothing_before() -> None:
    restarted = month(Off("03-26 17:20", "03-26 17:21"))
    assert runs(restarted, "hygiene")[:2] == ["26 02:30", "27 02:30"]
    changed = month(Changed("03-26 17:20", "hygiene", "", Daily(((18, 0),))))
    assert runs(changed, "hygiene")[:3] == ["26 02:30", "26 18:00", "27 18:00"]


def test_an_interrupted_run_is_tried_once_more() -> None:
    fact = Told("03-26 09:00", "Ada", "Ada is here.")
    made = month(fact, Broken("03-26 09:01", "03-26 16:00", killed=True))
    found = [run for run in expected.expect(made).runs if run.job in ("heartbeat", "reflect")]
    assert [(run.job, run.why, run.ended) for run in found if made.at("03-26 14:00") <= run.at][
        :5
    ] == [
        ("reflect", "heartbeat", "interrupted"),
        ("heartbeat", "schedule", "interrupted"),
        ("reflect", "heartbeat", "ok"),
        ("heartbeat", "retry", "ok"),
        ("heartbeat", "schedule", "ok"),
    ]
    assert runs(made, "heartbeat")[3:7] == ["26 08:00", "26 14:00", "26 16:00", "26 22:00"]


def test_a_clock_set_back_doubles_no_night() -> None:
    made = month(WrongClock("03-26 15:00", "03-26 18:00", -2))
    assert Counter(runs(made, "hygiene")) == Counter(runs(month(), "hygiene"))
    assert runs(made, "heartbeat") == runs(month(), "heartbeat")
    ahead = month(WrongClock("03-26 15:00", "03-26 18:00", 3))
    assert runs(ahead, "heartbeat")[3:7] == ["26 08:00", "26 14:00", "26 17:00", "27 08:00"]


def test_pauses_slowness_and_people() -> None:
    made = month(
        Paused("03-25 12:00", "03-27 12:00", "hygiene"),
        Slow("03-28 07:00", "heartbeat", 7 * 60),
        Asked("03-29 10:00", "reflect"),
    )
    done = expected.expect(made)
    assert done.skipped == Counter(hygiene=2, heartbeat=1)
    assert runs(made, "hygiene")[0] == "28 02:30"
    assert "28 14:00" not in runs(made, "heartbeat")
    assert "29 10:00" in runs(made, "reflect")


def test_an_alarm_is_told_once_a_day_until_it_is_over_and_not_at_night() -> None:
    made = month(
        Shows("03-25 19:00", "load", 9), Shows("03-27 15:00", "load", 1),
        quiet=(20 * 60, 8 * 60 + 15),
    )  # fmt: skip
    done = expected.expect(made)
    assert [f"{at.astimezone(VIENNA):%d %H:%M}" for at, _ in done.logged] == [
        "25 20:10",
        "27 14:00",
    ]
    assert [f"{at.astimezone(VIENNA):%d %H:%M}" for at, _ in done.told] == ["26 14:00", "27 14:00"]


# -- differences are seen --------------------------------------------------------------------------


def lived(should: Expected, **changes: Any) -> Lived:
    """Return a month that went as it should."""
    seen = Lived(
        runs=tuple(
            Recorded(run.job, run.at, run.at, run.ended, run.made_up) for run in should.runs
        ),
        skipped=dict.fromkeys(("heartbeat", "reflect", "hygiene"), 0),
        overlaps=0,
        letters=tuple(
            {"time": at.isoformat(), "items": [{"item": look.text}]} for at, look in should.told
        ),
        alerts=tuple({} for _ in should.logged),
        entries=tuple((at, "load: The number is 9.") for at, _ in should.logged),
        tokens={},
        calls=0,
        facts_on_pages=0,
    )
    return replace(seen, **changes)


def test_a_month_that_differs_in_anything_does_not_hold() -> None:
    made = month(Shows("03-25 19:00", "load", 9))
    should = expected.expect(made)
    right = lived(should)
    first, day = right.runs[0], timedelta(days=1)
    wrong = {
        "a run is missing": {"runs": right.runs[1:]},
        "a run came twice": {"runs": (*right.runs, first)},
        "a run came late": {"runs": (replace(first, at=first.at + day), *right.runs[1:])},
        "a run failed": {"runs": (replace(first, ended="failed"), *right.runs[1:])},
        "made up for too much": {"runs": (replace(first, made_up=4), *right.runs[1:])},
        "skipped": {"skipped": right.skipped | {"reflect": 1}},
        "overlapped": {"overlaps": 1},
        "told twice": {"letters": (*right.letters, right.letters[-1])},
        "not told": {"letters": right.letters[1:]},
        "noted twice": {"entries": (*right.entries, right.entries[-1])},
        "an event is missing": {"alerts": right.alerts[1:]},
        "cost something": {"tokens": {date(2026, 3, 26): 1}},
        "asked the model": {"calls": 1},
        "a page is missing": {"facts_on_pages": -1},
    }
    assert figures.compare(made, should, right).differences == ()
    for what, changes in wrong.items():
        assert not figures.compare(made, should, replace(right, **changes)).holds, what


def test_the_table_shows_what_differs() -> None:
    made = month()
    should = expected.expect(made)
    late = lived(should, runs=lived(should).runs[1:])
    shown = figures.table([figures.compare(made, should, late)])
    assert "DIFFERS  missing: 03-25 08:10, heartbeat" in shown
    assert "1 months: 1 differences" in shown


# -- frozen ----------------------------------------------------------------------------------------

FULL = {
    "Europe/Vienna": ({"heartbeat": 85, "reflect": 33, "hygiene": 28}, {}, 8, 11, 3, 0),
    "America/New_York": (
        {"heartbeat": 186, "reflect": 59, "hygiene": 28}, {"hygiene": 4, "reconcile": 3},
        10, 11, 1, 3,
    ),
    "Australia/Lord_Howe": (
        {"heartbeat": 104, "reflect": 48, "hygiene": 29}, {"reflect": 3, "heartbeat": 8},
        6, 8, 2, 0,
    ),
}  # fmt: skip
"""Of each month: runs, times left out, items told, noted, not judged, questions to the model."""


def test_the_months_are_what_they_were() -> None:
    for made in months.all_of(quick=False):
        done = expected.expect(made)
        counts, skipped, *others = FULL[made.zone.key]
        seen = Counter(run.job for run in done.runs)
        assert made.days >= 30
        assert {name: seen[name] for name in counts} == counts
        assert +done.skipped == Counter(skipped)
        found = [len(each) for each in (done.told, done.logged, done.shown, done.asked)]
        assert found == others, made.zone


# -- lived -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, dict[str, Any]]:
    file = tmp_path_factory.mktemp("month") / "month.json"
    code = command.main(["--quick", "--json", str(file)])
    return code, json.loads(file.read_text())


@pytest.mark.slow
@pytest.mark.xdist_group("month")
def test_a_quick_run_differs_in_nothing(reports: tuple[int, dict[str, Any]]) -> None:
    code, written = reports
    assert [each["differences"] for each in written["months"]] == [[], [], [], []]
    assert code == 0
    assert written["quick"] is True


@pytest.mark.slow
@pytest.mark.xdist_group("month")
def test_a_quick_run_meets_what_it_is_for(reports: tuple[int, dict[str, Any]]) -> None:
    vienna, new_york, lord_howe = reports[1]["months"][:3]
    assert vienna["jobs"]["reflect"]["interrupted"]["seen"] == 1
    assert lord_howe["jobs"]["reflect"]["skipped"]["seen"] == 3
    assert lord_howe["jobs"]["heartbeat"]["made_up"]["seen"] > 0
    assert len(new_york["tokens"]) == new_york["figures"]["questions to the model"]["seen"] == 3
    for each in (vienna, new_york, lord_howe):
        assert each["jobs"]["hygiene"]["seen"] >= 8
        assert each["figures"]["items that the notifier got"]["seen"] > 0
        assert each["figures"]["of them not judged"]["seen"] > 0
        assert not each["tokens"] or each is new_york


@pytest.mark.slow
def test_the_clockwork_ticks_on_real_timers(tmp_path: Path) -> None:
    report: Report = ticking.run(tmp_path)
    assert report.differences == ()
