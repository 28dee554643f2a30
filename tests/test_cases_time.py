"""Replays of field cases on time: whose day it is, midnight, dates, the repeated hour."""

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import apsw
import pytest

from hippod import schedule, wire
from hippod.models import Completion, Grammar
from hippod.wire_context import ContextRequest
from tests.fakes import FakeGenerator
from tests.test_cases_bank import TASKS, House

Build = Callable[..., House]


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Build]:
    built: list[House] = []

    def make(now: str, zone: str, generator: FakeGenerator | None = None, *able: str) -> House:
        house = House(tmp_path / f"w{len(built)}", generator, zone)
        house.now, house.able = datetime.fromisoformat(now), able
        built.append(house.start())
        return house

    yield make
    for house in built:
        house.stop()


@pytest.fixture
def machine_in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


GLUE = "W @Runa: Glues the oars with resin since 2024. ^aaaa000001"
ROPE = "W @Runa: Owns 12 ropes. ^aaaa000002"


# -- whose day it is -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "zone", "today"),
    [
        ("2026-06-09T18:40:00+00:00", "Asia/Tokyo", "2026-06-10"),
        ("2026-01-15T02:05:00+00:00", "America/Denver", "2026-01-14"),
        ("2026-06-09T12:10:00+00:00", "Pacific/Auckland", "2026-06-10"),
        ("2026-06-09T10:50:00+00:00", "Pacific/Niue", "2026-06-08"),
    ],
)
def test_c155_reflection_writes_with_the_users_day(
    build: Build, now: str, zone: str, today: str
) -> None:
    house = build(now, zone)
    yesterday = str(date.fromisoformat(today) - timedelta(days=1))
    house.log(yesterday, GLUE, ROPE)
    house.log(today, "B @Runa: Sanded 4 oars. ^aaaa000003", "B @Runa: Oiled 4 oars. ^aaaa000004")
    house.memory.append_daily_log("The slip is wet")
    assert "The slip is wet" in house.read(f"memory/{today}.md")
    house.reflect()
    assert f"updated: {today}" in house.entity("Runa")
    assert [fact.kind for fact in house.facts(yesterday)].count("S") == 1
    assert [fact.kind for fact in house.facts(today)].count("S") == 0  # it is not over
    assert {file.stem for file in (house.root / "memory").iterdir()} == {yesterday, today}


@pytest.mark.usefixtures("machine_in_utc")
def test_c156_every_verb_has_the_same_today_whatever_the_machine_says(build: Build) -> None:
    house = build("2026-08-03T12:20:00+00:00", "Pacific/Auckland")
    today, yesterday = "2026-08-04", "2026-08-03"
    house.log(yesterday, GLUE, ROPE)
    house.memory.append_daily_log("The cutter Ternen was launched")
    (stored,) = house.memory.retain(
        wire.RetainRequest(facts=("B @Ternen: The cutter Ternen carries 3 sails.",))
    ).stored
    assert stored.path == f"memory/{today}.md"
    assert house.memory.today_log().date == today
    house.reflect()
    assert f"updated: {today}" in house.entity("Ternen")
    assert [fact.kind for fact in house.facts(yesterday)].count("S") == 1
    for since in (today, "0d"):
        found = house.found("cutter Ternen Runa oars", since=since, path="memory/**", limit=50)
        assert any("launched" in text for text in found), since
        assert any("3 sails" in text for text in found), since
        assert not [text for text in found if "resin" in text]
    before = house.found("cutter Ternen", until=yesterday, path="memory/**")
    assert before
    assert "Ternen" not in "".join(before)
    assert {file.stem for file in (house.root / "memory").iterdir()} == {yesterday, today}
    status = house.memory.status().bank or {}
    assert status["last_run"].startswith("2026-08-04T00:20")
    assert status["last_run"].endswith("+12:00")


def test_c156_since_of_a_reflection_counts_days_of_the_user(build: Build) -> None:
    house = build("2026-08-03T12:20:00+00:00", "Pacific/Auckland")
    house.log("2026-08-02", GLUE)
    house.log("2026-08-03", "W @Ternen: Has 3 sails. ^bbbb000001")
    house.log("2026-08-04", "W @Slip: Is wet. ^cccc000001")
    house.look()
    assert house.reflector.run(since="1d").facts == 2
    assert house.entity("Ternen")
    assert house.entity("Slip")
    assert not house.entity("Runa")


@pytest.mark.usefixtures("machine_in_utc")
@pytest.mark.parametrize(
    ("now", "zone", "today"),
    [
        ("2026-09-09T15:05:00+00:00", "Asia/Tokyo", "2026-09-10"),
        ("2026-09-10T05:59:00+00:00", "America/Denver", "2026-09-09"),
        ("2026-09-27T11:30:00+00:00", "Pacific/Auckland", "2026-09-28"),
    ],
)
def test_c155_c156_what_an_agent_is_given_is_of_the_day_that_notes_go_to(
    build: Build, now: str, zone: str, today: str
) -> None:
    house = build(now, zone)
    house.memory.append_daily_log("The mast was stepped")
    house.memory.append_daily_log("The keel was laid", date="yesterday")
    (stored,) = house.memory.retain(
        wire.RetainRequest(facts=("B @Slip: The slip was greased by Runa.",))
    ).stored
    answer = house.memory.context(ContextRequest())
    assert answer.day == today == house.memory.today_log().date
    assert stored.path == house.memory.today_log().path == f"memory/{today}.md"
    of_today, _, of_yesterday = answer.text.partition("## Yesterday's Notes")
    assert "mast" in of_today
    assert "greased" in of_today
    assert "keel" in of_yesterday
    assert "keel" in house.memory.daily_log("yesterday").content
    house.look()
    since = house.found("mast keel", since="0d", path="memory/**")
    assert "mast" in "".join(since)
    assert "keel" not in "".join(since)


# -- midnight on the way ---------------------------------------------------------------------------

SLOW = timedelta(minutes=3)


class Slow(FakeGenerator):
    """Lets the clock run on at every question."""

    house: House

    def choose(self, prompts: Sequence[str], labels: Sequence[str]) -> list[list[float]]:
        self.house.now += SLOW
        return super().choose(prompts, labels)

    def complete(
        self, prompt: str, grammar: Grammar, max_tokens: int, *, system: str = ""
    ) -> Completion:
        self.house.now += SLOW
        return super().complete(prompt, grammar, max_tokens, system=system)


def test_c157_facts_keep_the_day_of_their_line_when_midnight_passes_meanwhile(
    build: Build,
) -> None:
    model = Slow()
    house = build("2026-05-10T21:59:58+00:00", "Europe/Vienna", model, "select", "transcript")
    model.house = house
    house.say("I prefer the small oars for the harbour.", at="2026-05-10T21:50:00Z")
    house.say("We decided to rent the long slip.", at="2026-05-10T21:59:57Z")
    house.say("the tar stands behind the winch", at="2026-05-10T21:59:58Z")
    house.put(
        "memory/2026-05-09.md",
        "# Daily Log - 2026-05-09\n\n[23:58:00] Remember that the tide table hangs by the door.\n",
    )
    said = [{"turns": [3], "kind": "W", "text": "The tar stands behind the winch."}]
    for _ in range(4):
        model.enqueue(json.dumps({"facts": said}))
    house.retain()
    assert house.now.astimezone(ZoneInfo("Europe/Vienna")).date() == date(2026, 5, 11)
    of_the_day = " ".join(fact.content for fact in house.facts("2026-05-10"))
    for word in ("small oars", "long slip", "tar"):
        assert word in of_the_day
    assert [fact.source.time for fact in house.facts("2026-05-10") if fact.source] == [
        "23:50", "23:59", "23:59",
    ]  # fmt: skip
    assert "tide table" in " ".join(fact.content for fact in house.facts("2026-05-09"))
    assert not house.read("memory/2026-05-11.md")
    before = house.markdown()
    house.restart()
    house.retain()
    assert house.markdown() == before


def test_c157_a_reflection_that_midnight_overtakes_is_of_the_day_it_began(build: Build) -> None:
    model = Slow()
    house = build("2026-05-10T21:59:00+00:00", "Europe/Vienna", model, "summary", "opinion")
    model.house = house
    house.log("2026-05-09", GLUE, ROPE)
    house.log(
        "2026-05-10", "W @Slip: Is 30 m long. ^bbbb000001", "W @Slip: Has 2 winches. ^bbbb000002"
    )
    house.reflect()
    assert house.now.astimezone(ZoneInfo("Europe/Vienna")).date() == date(2026, 5, 11)
    assert "updated: 2026-05-10" in house.entity("Runa")
    assert [fact.kind for fact in house.facts("2026-05-09")].count("S") == 1
    assert [fact.kind for fact in house.facts("2026-05-10")].count("S") == 0
    house.reflect()
    assert [fact.kind for fact in house.facts("2026-05-10")].count("S") == 1  # nothing is dropped


# -- what a model is told of time, and what is stored ----------------------------------------------

MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d|current (?:time|date)|today is|it is now", re.I)


def test_c158_no_prompt_depends_on_when_it_is_asked(build: Build) -> None:
    told = []
    for now in ("2026-05-27T16:25:00+00:00", "2026-05-28T03:40:00+00:00"):  # one day in Bogota
        model = Seeing()
        house = build(now, "America/Bogota", model, *TASKS)
        house.say("We decided to sell the dinghy tomorrow.", at="2026-05-27T16:20:00Z")
        house.say("I prefer cotton sails over nylon.", at="2026-05-27T16:21:00Z")
        note = "Yesterday Runa paid the slip."
        house.put("memory/2026-05-26.md", f"# Daily Log - 2026-05-26\n\n{note}\n")
        house.log("2026-05-25", GLUE, ROPE, "O(c=0.7) @Runa: Dislikes nylon sails. ^aaaa000005")
        house.log("2026-05-24", "O(c=0.7) @Runa: Is fine with nylon sails. ^aaaa000006")
        house.retain()
        extracting = len(model.seen)
        house.reflect()
        assert 0 < extracting < len(model.seen)
        told.append(model.seen)
    assert told[0] == told[1]
    assert not [each for each in told[0] if MOMENT.search(each)]
    assert "tomorrow (2026-05-28)" in "".join(told[0])  # the code's, anchored at the message


class Seeing(FakeGenerator):
    """Keeps all that it is told, the instructions with the rest."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def choose(self, prompts: Sequence[str], labels: Sequence[str]) -> list[list[float]]:
        self.seen += prompts
        return super().choose(prompts, labels)

    def complete(
        self, prompt: str, grammar: Grammar, max_tokens: int, *, system: str = ""
    ) -> Completion:
        self.seen.append(f"{system}\n{prompt}")
        return super().complete(prompt, grammar, max_tokens, system=system)


def test_c158_moments_are_stored_in_utc(build: Build) -> None:
    house = build("2026-05-27T16:25:00+00:00", "America/Bogota")
    house.say("We decided to sell the dinghy tomorrow.", at="2026-05-27T11:20:00-05:00")
    house.retain()
    house.reflect()
    path = house.root / ".memory/state.sqlite"
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    tables = [
        row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")
    ]
    stored = "".join(
        repr(connection.execute(f"SELECT * FROM {name}").fetchall()) for name in tables
    )
    connection.close()
    moments = re.findall(r"\d{4}-\d\d-\d\dT\d\d:\d\d:[^\"',]*", stored)
    assert len(moments) > 3
    assert all(moment.endswith("+00:00") for moment in moments)
    assert "2026-05-27T16:20:00.000000+00:00" in moments


# -- dates that are relative -----------------------------------------------------------------------


def test_c160_a_backlog_is_dated_by_its_own_days(build: Build) -> None:
    house = build("2026-05-20T12:00:00+00:00", "America/Los_Angeles")
    house.settings["retain"]["backfill_days"] = 3650
    house.restart()
    house.put(
        "memory/2025-03-10.md",
        "# Daily Log - 2025-03-10\n\n- Yesterday Runa signed the charter.\n\n"
        "- We decided to hold the regatta next Friday.\n\n- Remember that the winch is rusty.\n",
    )
    house.put(
        "sessions/old.jsonl",
        json.dumps(
            {
                "role": "user", "content": "We decided to repaint the dinghy tomorrow.",
                "timestamp": "2026-05-15T23:30:00-07:00",
            }
        ) + "\n",
    )  # fmt: skip
    house.retain()
    contents = " ".join(fact.content for fact in house.facts("2025-03-10"))
    assert "2025-03-09" in contents
    assert "2025-03-14" in contents
    (winch,) = (fact for fact in house.facts("2025-03-10") if "winch" in fact.content)
    assert not re.search(r"\d{4}", winch.content)  # none is made up
    (dinghy,) = house.facts("2026-05-15")
    assert "tomorrow (2026-05-16)" in dinghy.content
    assert dinghy.source is not None
    assert dinghy.source.time == "23:30"
    assert not {path.stem for path in (house.root / "memory").iterdir()} - {
        "2025-03-10", "2026-05-15",
    }  # fmt: skip
    house.reflect()
    for path, text in house.markdown().items():
        assert b"2026-05-19" not in text, path  # "yesterday" of the reading
        assert b"2026-05-22" not in text, path  # its next Friday
    assert "2025-03-09" in "".join(house.found("When did Runa sign the charter?"))


@pytest.mark.parametrize(
    ("said", "zone", "day", "tomorrow"),
    [
        ("2025-12-31T22:40:00-08:00", "America/Los_Angeles", "2025-12-31", "2026-01-01"),
        ("2026-01-01T06:40:00Z", "America/Los_Angeles", "2025-12-31", "2026-01-01"),
        ("2025-12-31T11:20:00Z", "Pacific/Auckland", "2026-01-01", "2026-01-02"),
        ("2028-02-28T23:10:00-05:00", "America/New_York", "2028-02-28", "2028-02-29"),
        ("2026-03-08T01:59:00-05:00", "America/New_York", "2026-03-08", "2026-03-09"),
    ],
)
def test_c160_tomorrow_is_the_day_after_the_users_day_of_the_message(
    build: Build, said: str, zone: str, day: str, tomorrow: str
) -> None:
    house = build("2028-07-01T12:00:00+00:00", zone)
    house.settings["retain"]["backfill_days"] = 3650
    house.restart()
    house.say("We decided to lift the keel tomorrow.", at=said)
    house.say("I prefer the brass lamp over the tin one.", at=said)
    house.retain()
    (keel,) = (fact for fact in house.facts(day) if "keel" in fact.content)
    assert f"tomorrow ({tomorrow})" in keel.content
    (lamp,) = (fact for fact in house.facts(day) if "lamp" in fact.content)
    assert not re.search(r"\d{4}", lamp.content)  # none is made up
    assert {path.stem for path in (house.root / "memory").iterdir()} == {day}


def test_c160_what_a_model_words_is_dated_by_the_message_that_it_cites(build: Build) -> None:
    model = Seeing()
    house = build("2026-06-30T12:00:00+00:00", "America/Los_Angeles", model, "transcript")
    house.settings["retain"]["backfill_days"] = 3650
    house.restart()
    for day, offset, text in (
        ("2025-11-02", "-08:00", "the tide took the ladder yesterday"),
        ("2026-02-27", "-08:00", "the rigger comes tomorrow"),
        ("2026-06-29", "-07:00", "next Friday the crane is ours"),
    ):
        house.say(text, at=f"{day}T23:30:00{offset}")
    said = [
        {"turns": [1], "kind": "B", "text": "The tide took the ladder yesterday."},
        {"turns": [2], "kind": "W", "text": "The rigger comes tomorrow."},
        {"turns": [3], "kind": "W", "text": "The crane is ours next Friday."},
    ]
    model.enqueue(json.dumps({"facts": said}))
    house.retain()
    contents = {
        day: " ".join(fact.content for fact in house.facts(day))
        for day in ("2025-11-02", "2026-02-27", "2026-06-29")
    }
    assert "yesterday (2025-11-01)" in contents["2025-11-02"]
    assert "tomorrow (2026-02-28)" in contents["2026-02-27"]
    assert "next Friday (2026-07-03)" in contents["2026-06-29"]
    assert len(re.findall(r"\d{4}-", "".join(contents.values()))) == 3
    assert not [each for each in model.seen if "2026-06-30" in each or "2026-07-01" in each]


# -- the repeated hour -----------------------------------------------------------------------------

NEW_YORK = ZoneInfo("America/New_York")
FIRST, SECOND = (datetime(2026, 11, 1, 1, 30, tzinfo=NEW_YORK, fold=fold) for fold in (0, 1))


@pytest.mark.parametrize("zone", [UTC, NEW_YORK])
def test_c161_in_the_repeated_hour_a_job_is_due_by_real_time(build: Build, zone: ZoneInfo) -> None:
    house = build("2026-11-01T05:30:00+00:00", "America/New_York")
    house.now = FIRST.astimezone(UTC).astimezone(zone)
    house.log("2026-10-30", GLUE)
    house.reflect()
    last = house.state.last_run("reflect")
    assert last is not None
    assert last.started == FIRST.astimezone(UTC)
    house.now = (FIRST.astimezone(UTC) + timedelta(minutes=20)).astimezone(zone)
    assert house.reflector.rest() == 600
    house.now = SECOND.astimezone(UTC).astimezone(zone)
    assert house.reflector.rest() == 0
    hour, day = (
        schedule.due(schedule.Every(seconds), last.started, last.started, house.now, NEW_YORK)
        for seconds in (3600, 86_400)
    )
    assert hour == SECOND.astimezone(UTC)
    assert day - last.started == timedelta(hours=24)
    house.reflect()
    starts = [run.started for run in house.state.runs("reflect")]
    assert starts[0] - starts[1] == timedelta(hours=1)


def test_c161_what_was_said_in_either_hour_is_kept_once_each(build: Build) -> None:
    house = build("2026-11-01T12:00:00+00:00", "America/New_York")
    for moment, text in (
        (FIRST, "We decided to haul the boat on the long slip."),
        (SECOND, "We decided to sell the old anchor to Runa."),
    ):
        house.now = moment.astimezone(UTC)
        house.say(text, at=moment.isoformat())
        house.memory.append_daily_log("The buoy light went out")
    house.now = datetime(2026, 11, 1, 12, tzinfo=UTC)
    house.retain()
    stored = house.facts("2026-11-01")
    assert [fact.source.time for fact in stored if fact.source and fact.source.name == "main"] == [
        "01:30", "01:30",
    ]  # fmt: skip
    turns = [turn for batch in (1,) for turn in house.state.batch(batch).turns if turn.time]
    assert turns[1].time - turns[0].time == timedelta(hours=1)
    log = house.read("memory/2026-11-01.md")
    assert log.count("[01:30:00] The buoy light went out\n") == 2
    before = house.markdown()
    house.restart()
    house.retain()
    assert house.markdown() == before


def test_c161_a_working_memory_lives_by_real_time_in_the_repeated_hour(build: Build) -> None:
    house = build("2026-11-01T05:30:00+00:00", "America/New_York")
    house.settings["working"] = {"ttl": "45m"}
    house.restart()
    house.now = FIRST.astimezone(UTC)
    kept = house.memory.set_working("talk", "furl the sail")
    assert kept.updated == "2026-11-01T01:30:00-04:00"
    assert kept.expires == "2026-11-01T01:15:00-05:00"
    house.now += timedelta(minutes=44)
    assert house.memory.get_working("talk").content == "furl the sail"
    house.now = SECOND.astimezone(UTC)
    assert house.memory.get_working("talk").content == ""


def test_c161_notes_of_both_hours_stand_in_the_order_of_their_writing(build: Build) -> None:
    house = build("2026-11-01T05:30:00+00:00", "America/New_York")
    for moment, note in ((FIRST, "first bell"), (SECOND, "second bell")):
        house.now = moment.astimezone(UTC)
        house.memory.append_daily_log(note)
    text = house.memory.context(ContextRequest()).text
    assert "[01:30:00] first bell\n[01:30:00] second bell" in text
    assert "Yesterday" not in text


# -- days that meet --------------------------------------------------------------------------------


def test_around_midnight_a_note_moves_on_to_yesterday(build: Build) -> None:
    house = build("2026-05-04T21:59:30+00:00", "Europe/Vienna")
    house.put("memory/2026-05-06.md", "# Daily Log - 2026-05-06\n\n[09:00:00] from another zone\n")
    house.memory.append_daily_log("late note")
    assert "## Today's Notes\n\n[23:59:30] late" in house.memory.context(ContextRequest()).text
    house.now += timedelta(minutes=1)
    text = house.memory.context(ContextRequest()).text
    assert "## Today's Notes" not in text
    assert "## Yesterday's Notes\n\n[23:59:30] late note" in text
    house.memory.append_daily_log("early note")
    text = house.memory.context(ContextRequest()).text
    assert text.index("[00:00:30] early note") < text.index("## Yesterday's Notes")
    assert "another zone" not in text  # a day that has not come yet


def test_yesterday_is_a_day_and_not_24_hours(build: Build) -> None:
    house = build("2026-03-29T22:10:00+00:00", "Europe/Vienna")  # 00:10, the day before had 23 h
    house.put("memory/2026-03-29.md", "# Daily Log - 2026-03-29\n\n[00:05:00] short day\n")
    house.put("memory/2026-03-28.md", "# Daily Log - 2026-03-28\n\n[23:55:00] long ago\n")
    assert "short day" in house.memory.daily_log("yesterday").content
    text = house.memory.context(ContextRequest()).text
    assert "short day" in text
    assert "long ago" not in text
    house.look()
    assert "short day" in "".join(house.found("short day", since="1d", path="memory/**"))
    assert "long ago" not in "".join(house.found("long ago", since="1d", path="memory/**"))


def test_a_log_of_the_leap_day_is_one(build: Build) -> None:
    house = build("2028-03-01T06:00:00+00:00", "America/Denver")  # still the 29th there, at 23:00
    house.memory.append_daily_log("The leap day is cold")
    assert house.memory.today_log().date == "2028-02-29"
    house.now += timedelta(hours=2)
    assert house.memory.today_log().date == "2028-03-01"
    assert "leap day" in house.memory.daily_log("yesterday").content
