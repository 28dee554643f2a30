"""Faults that heartbeats of other programs had in the field, played again on this one."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hippod import config, wire
from hippod.checklist.asking import MOST_BYTES, SYSTEM
from hippod.errors import ConfigError
from hippod.jobs import Board
from hippod.models import Completion, Grammar
from hippod.wire_bank import ReflectRequest
from tests.beating import Build, Model, building, check, states, with_model

WELL = "W @Well: The pump of the well is broken. (09:00 main/s1#m1) ^aaaa111111"
ITEM = "- [ ] Is the pump of the well broken?\n"


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Build]:
    with building(tmp_path / "w", monkeypatch) as made:
        yield made


# -- C137: a list without anything to do -------------------------------------------------------

NOTHING = {
    "": "empty",
    "\n\n  \n\t\n": "empty",
    "# Things to watch\n": "headings or comments only",
    "# Watch\n\n## Daily\n\n## Weekly\n": "headings or comments only",
    "<!-- put your items below -->\n": "headings or comments only",
    "# Watch\n\n<!--\n- [ ] an example\n-->\n": "headings or comments only",
    "- [ ]\n- [ ]   \n": "",
    "---\n\n***\n": "",
}


@pytest.mark.parametrize("text", NOTHING)
def test_c137_a_list_that_asks_for_nothing_costs_nothing(build: Build, text: str) -> None:
    house = build()
    house.remember("2026-05-03", WELL)
    model = with_model(house)
    house.checklist(text)
    for _ in range(4):
        beat = house.tick()
        assert (beat.outcome, beat.items, beat.calls, beat.tokens) == ("skipped", (), 0, 0)
        assert beat.reason.startswith("HEARTBEAT.md: ")
        assert NOTHING[text] in beat.reason
        house.later(2)
    assert model.prompts == []
    assert len(house.heartbeat.history()) == 4
    assert (house.phone.alerts, house.notes(), house.events("fault")) == ([], [], [])


# -- C077: boxes that are shown, not set ------------------------------------------------------

PUMP = "- [ ] Is the pump of the well broken?"
SHOWN = [
    f"```\n{PUMP}\n```\n",
    f"~~~ markdown\n{PUMP}\n~~~\n",
    f"# Watch\n\n   ```\n   {PUMP}\n   ```\n",
    f"````\n```\n{PUMP}\n```\n{PUMP}\n````\n",
    f"<!-- so it is written:\n{PUMP}\n-->\n",
    f"# Watch\n\n```\n{PUMP}\n",
]


@pytest.mark.parametrize("text", SHOWN)
def test_c077_a_box_in_a_code_block_or_a_comment_is_no_item(build: Build, text: str) -> None:
    house = build()
    house.remember("2026-05-03", WELL)
    model = with_model(house, "ATTENTION 1")
    house.checklist(text)
    beat = house.tick()
    assert (beat.outcome, beat.items, model.prompts) == ("skipped", (), [])
    house.checklist(f"{text}```\n\n{PUMP}\n" if text.count("```") == 1 else f"{text}\n{PUMP}\n")
    assert states(house.tick()) == ["attention"]


# -- C066: nothing there at all ---------------------------------------------------------------


@pytest.mark.parametrize("folders", [(), ("memory",), ("memory", "bank", "sessions")])
def test_c066_in_an_empty_workspace_nothing_is_asked_or_written(
    build: Build, folders: tuple[str, ...]
) -> None:
    house = build(reflect={"enabled": True}, hygiene={"enabled": True})
    for folder in house.root.iterdir():
        folder.rmdir()
    for name in folders:
        (house.root / name).mkdir()
    model = with_model(house, "ATTENTION 1")
    for beat in (house.beat(dry_run=True), house.tick(), house.beat()):
        assert (beat.outcome, beat.reply) == ("skipped", "HEARTBEAT_OK")
        assert (beat.reflected, beat.problems) == (False, ())
    done = house.memory.reflect(ReflectRequest())
    assert (done.facts, done.changes, done.problems) == (0, (), ())
    assert (model.prompts, house.phone.alerts) == ([], [])
    assert not list(house.root.rglob("*.md"))


# -- C139: a missing list, and what counts as an item -----------------------------------------


def test_c139_a_missing_list_is_skipped_and_the_rest_of_the_beat_goes_on(build: Build) -> None:
    house = build(hygiene={"enabled": True})
    model = with_model(house)
    beat = house.tick()
    assert (beat.outcome, beat.reason) == ("skipped", "HEARTBEAT.md: missing")
    assert (beat.tidied, model.prompts) == (True, [])


@pytest.mark.parametrize("text", [ITEM, "Look at the pump of the well.\n"])
def test_c139_an_open_item_or_prose_is_looked_at_by_one_call(build: Build, text: str) -> None:
    house = build()
    house.remember("2026-05-03", WELL)
    model = with_model(house, "ATTENTION 1")
    house.checklist(text)
    assert states(house.tick()) == ["attention"]
    assert len(model.prompts) == 1


def test_c139_what_is_ticked_off_is_done(build: Build) -> None:
    house = build()
    house.remember("2026-05-03", WELL)
    model = with_model(house)
    house.checklist("- [x] Is the pump of the well broken?\n")
    beat = house.tick()
    assert (beat.outcome, beat.reason) == ("skipped", "HEARTBEAT.md: all done")
    assert model.prompts == []


# -- C140: the token that says that there is nothing to say -----------------------------------


@pytest.mark.parametrize("reply", ["HEARTBEAT_OK", "  HEARTBEAT_OK.\n", "**HEARTBEAT_OK**"])
def test_c140_the_token_is_a_quiet_success(build: Build, reply: str) -> None:
    house = build()
    house.remember("2026-05-03", WELL)
    model = with_model(house, reply, "ATTENTION 1")
    house.checklist(ITEM)
    beat = house.tick()
    assert (beat.outcome, states(beat), beat.reply) == ("ok", ["fine"], "HEARTBEAT_OK")
    assert len(model.prompts) == 1
    assert (house.phone.alerts, house.notes(), house.events("heartbeat.alert")) == ([], [], [])


def test_c140_an_empty_reply_is_asked_for_once_more_and_then_a_failure(build: Build) -> None:
    house = build()
    house.remember("2026-05-03", WELL)
    model = with_model(house, "", "", "HEARTBEAT_OK")
    house.checklist(ITEM)
    beat = house.tick()
    assert (beat.outcome, states(beat), len(model.prompts)) == ("failed", ["failed"], 2)
    assert (house.phone.alerts, house.notes(), house.events("heartbeat.alert")) == ([], [], [])
    house.later(6)
    assert states(house.tick()) == ["fine"]  # it is not kept for an answer


# -- C142: overnight windows, equal bounds, bad zones -----------------------------------------


@pytest.mark.parametrize(
    ("clock", "quiet"), [("21:59", False), ("22:00", True), ("05:59", True), ("06:00", False)]
)
def test_c142_quiet_hours_over_midnight(build: Build, clock: str, quiet: bool) -> None:
    house = build(
        workspace={"timezone": "America/Lima"},
        heartbeat={
            "active_hours": "00:00-24:00",
            "quiet_hours": "22:00-06:00",
            "checks": {"a": check("exit 1")},
        },
    ).start()
    house.checklist("- check: a\n")
    hour, minute = map(int, clock.split(":"))
    house.now = datetime(2026, 5, 4, hour, minute, tzinfo=UTC) + timedelta(hours=5)
    beat = house.tick()
    assert (beat.quiet, len(house.phone.alerts)) == (quiet, 0 if quiet else 1)


@pytest.mark.parametrize(
    ("section", "values", "said"),
    [
        ("heartbeat", {"quiet_hours": "09:00-09:00"}, "heartbeat.quiet_hours"),
        ("heartbeat", {"quiet_hours": "9-25"}, "heartbeat.quiet_hours"),
        ("heartbeat", {"active_hours": "8-8"}, "heartbeat.active_hours"),
        ("schedule", {"zone": "Moon/Tycho"}, "Moon/Tycho"),
    ],
)
def test_c142_what_cannot_be_hours_or_a_zone_is_refused_at_the_start(
    section: str, values: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        config.checked({section: values}, "config.toml", {})
    assert said in refused.value.message


def test_c142_nights_without_beats_do_not_pile_up(build: Build) -> None:
    house = build(heartbeat={"active_hours": "08:00-20:00", "interval_hours": 1}).start()
    board = Board(house.parts.config, house.state, lambda: house.now, house.parts.jobs)
    assert board.run_due("heartbeat") is False
    house.later(21)  # nine o'clock of the next day
    assert board.run_due("heartbeat")
    assert board.run_due("heartbeat") is False
    assert len(house.heartbeat.history()) == 1


# -- C143: quiet hours are for heartbeats alone -----------------------------------------------


def test_c143_quiet_hours_keep_no_other_job_from_running(build: Build) -> None:
    house = build(
        reflect={"enabled": True},
        schedule={"reflect": "0 3 * * *"},
        heartbeat={"quiet_hours": "22:00-07:00", "checks": {"a": check("exit 1")}},
    )
    house.remember("2026-05-03", WELL)
    house.start().checklist("- check: a\n")
    house.now = datetime(2026, 5, 5, 1, 30, tzinfo=UTC)
    board = Board(house.parts.config, house.state, lambda: house.now, house.parts.jobs)
    house.now = datetime(2026, 5, 5, 2, tzinfo=UTC)
    assert house.memory.reflect(ReflectRequest()).facts == 1
    house.now = datetime(2026, 5, 5, 3, 0, 1, tzinfo=UTC)
    assert board.run_due("reflect")
    assert board.run_due("heartbeat") is False
    starts = [run.started.hour for run in house.state.runs("reflect")]
    assert starts == [3, 2]
    assert house.heartbeat.history() == []
    house.heartbeat.tick()  # even a beat that came at such an hour would tell nobody
    assert house.phone.alerts == []


# -- C144: a model that sees what it said before ----------------------------------------------


class Parrot(Model):
    """Says that all is well as soon as it reads that it said anything before."""

    def complete(
        self, prompt: str, grammar: Grammar, max_tokens: int, *, system: str = ""
    ) -> Completion:
        self.prompts.append(prompt)
        read = prompt.replace(SYSTEM, "")
        seen = "HEARTBEAT_OK" in read or "ATTENTION" in read or "Heartbeat:" in read
        return Completion("HEARTBEAT_OK" if seen else "ATTENTION 1", True, 10, 5, 0.1)


def test_c144_each_beat_asks_anew_and_shows_no_earlier_answer(build: Build) -> None:
    house = build(heartbeat={"cool_down": "1m"})
    parrot = Parrot()
    house.model = parrot
    house.start().checklist(ITEM)
    for beat in range(8):
        house.remember(f"2026-04-{10 + beat}", WELL.replace("broken", f"broken, report {beat}"))
        assert states(house.tick()) == ["attention"]
        house.later(0.5)
    assert len(parrot.prompts) == 8
    assert all(prompt.count("Point:") == 1 for prompt in parrot.prompts)


def test_c144_while_nothing_is_new_nothing_is_asked(build: Build) -> None:
    house = build()
    house.remember("2026-05-03", WELL)
    house.model = parrot = Parrot()
    house.start().checklist(ITEM)
    for _ in range(8):
        assert states(house.tick()) == ["attention"]
        house.later(0.5)
    assert len(parrot.prompts) == 1


# -- C145: what a beat reads, and what counts as one ------------------------------------------


def test_c145_a_prompt_stays_small_whatever_the_memory_holds(build: Build) -> None:
    house = build()
    facts = [
        f"W @Well: Report {n} on the pump of the well: {'it leaks and rattles ' * 9}. ^aaaa{n:06d}"
        for n in range(200)
    ]
    house.remember("2026-05-03", *facts)
    house.write("MEMORY.md", "# Memory\n\n" + "- The pump of the well is old.\n" * 12_000)
    house.model = parrot = Parrot()
    house.start().checklist(ITEM)
    beat = house.tick()
    [prompt] = parrot.prompts
    assert len(prompt.encode()) + len(SYSTEM.encode()) <= MOST_BYTES
    assert beat.tokens == 15


def test_c145_only_a_heartbeat_is_the_last_heartbeat(build: Build) -> None:
    house = build(reflect={"enabled": True})
    house.remember("2026-05-03", WELL)
    with_model(house, "ATTENTION 1")
    house.checklist(ITEM)
    house.tick()
    house.later(1)
    house.memory.reflect(ReflectRequest())
    house.memory.append_daily_log("heartbeat of the engine is fine")
    house.beat(dry_run=True)
    about = house.memory.status().heartbeat
    assert about is not None
    assert about["last_heartbeat"] == "2026-05-04T12:00:00+00:00"
    assert (about["tokens_today"], about["daily_tokens"]) == (15, 20_000)
    house.later(24)
    about = house.memory.status().heartbeat
    assert about is not None
    assert about["tokens_today"] == 0


# -- C153: a reflection that the end of the daemon cut off -------------------------------------


def test_c153_a_reflection_cut_off_by_a_stop_is_done_once_and_not_doubled(build: Build) -> None:
    house = build(reflect={"enabled": True})
    for n in range(1, 5):
        house.remember(
            f"2026-04-0{n}", f"W @Well{n}: The well has {n} valves since 2019. ^aaaa11111{n}"
        )
    house.start()
    reflector = house.parts.reflector
    reflector.changed = lambda _path: reflector.stop()
    board = Board(house.parts.config, house.state, lambda: house.now, house.parts.jobs)
    assert board.run("reflect").last_outcome == "interrupted"
    assert len(list(house.root.glob("bank/**/*.md"))) == 1
    house.stop()
    house.later(0.01)
    house.start()
    board = Board(house.parts.config, house.state, lambda: house.now, house.parts.jobs)
    assert [board.run_due("reflect") for _ in range(3)] == [True, False, False]
    assert [run.outcome for run in house.state.runs("reflect")] == ["ok", "interrupted"]
    pages = house.read("bank/world.md")
    for n in range(1, 5):
        assert pages.count(f"^aaaa11111{n}") == 1
        assert house.read(f"bank/entities/Well{n}.md").count(f"{n} valves") == 1
    assert house.memory.reflect(ReflectRequest()).changes == ()


# -- C157: midnight in the middle of a beat ---------------------------------------------------


def test_c157_a_beat_that_midnight_overtakes_is_of_the_day_it_began(build: Build) -> None:
    house = build(heartbeat={"active_hours": "00:00-24:00"})

    class Slow(Model):
        def complete(
            self, prompt: str, grammar: Grammar, max_tokens: int, *, system: str = ""
        ) -> Completion:
            house.later(0.1)
            return super().complete(prompt, grammar, max_tokens, system=system)

    house.remember("2026-05-03", WELL)
    house.model = model = Slow()
    model.enqueue("ATTENTION 1")
    house.start().checklist(f"{ITEM}- check: none\n")
    house.now = datetime(2026, 5, 4, 23, 59, 58, tzinfo=UTC)
    beat = house.tick()
    assert house.now.day == 5
    assert (beat.started[:10], states(beat)) == ("2026-05-04", ["attention"])
    assert (len(house.notes("2026-05-04")), house.notes("2026-05-05")) == (2, [])
    assert len(house.phone.alerts) == 1
    assert states(house.tick()) == ["attention"]
    assert house.notes("2026-05-05") == []


# -- C156: one day for all parts --------------------------------------------------------------


def test_c156_all_parts_agree_on_the_users_day(build: Build) -> None:
    house = build(
        workspace={"timezone": "Pacific/Kiritimati"},
        heartbeat={"active_hours": "00:00-24:00", "checks": {"a": check("exit 1")}},
    ).start()
    house.now = datetime(2026, 5, 4, 10, 30, tzinfo=UTC)  # 00:30 of the 5th there
    house.checklist("- check: a\n- What is due today?\n")
    house.memory.append_daily_log("Fed the hens before sunrise")
    house.remember("2026-04-01", "W @Henhouse: The egg tax is due on 2026-05-05. ^aaaa111119")
    house.parts.index.reconcile()
    beat = house.tick()
    assert beat.started == "2026-05-05T00:30:00+14:00"
    assert states(beat) == ["attention", "attention"]
    assert "2026-05-05" in beat.items[1].reason
    assert (len(house.notes("2026-05-05")), house.notes("2026-05-04")) == (2, [])
    assert "Fed the hens" in house.memory.today_log().content
    assert house.memory.today_log().date == "2026-05-05"
    found = house.memory.recall(wire.RecallRequest(query="hens sunrise", since="2026-05-05"))
    assert [hit.path for hit in found.hits] == ["memory/2026-05-05.md"]
    house.now = datetime(2026, 5, 4, 9, 59, tzinfo=UTC)  # 23:59 of the 4th
    assert house.memory.today_log().date == "2026-05-04"
    assert house.beat().started.startswith("2026-05-04")


# -- far away, and replaced -------------------------------------------------------------------


def test_a_due_date_far_behind_newer_facts_is_found(build: Build) -> None:
    house = build()
    house.remember("2025-11-02", "W @Van: The insurance of the van expires on 2026-05-12.")
    for month in range(1, 5):
        facts = [f"W @Clerk: Insurance letter {month}-{n} went out. ^{month}bbb{n:06d}"
                 for n in range(100)]  # fmt: skip
        house.remember(f"2026-0{month}-10", *facts)
    house.start().checklist("- Does any insurance expire in the next two weeks?\n")
    beat = house.tick()
    assert states(beat) == ["attention"]
    assert beat.items[0].evidence == ("memory/2025-11-02.md#L4",)


def test_a_due_date_that_was_replaced_is_not_told(build: Build) -> None:
    house = build()
    house.remember(
        "2026-04-02", "W @Van: The insurance of the van expires on 2026-05-12. ^cccc111111"
    )
    house.remember(
        "2026-04-20", "W @Van: The insurance of the van expires on 2027-05-12. ^cccc111112"
    )
    house.write(
        "bank/entities/Van.md",
        "---\nentity: Van\n---\n# Van\n\n## History\n- ~~2026-04-02 @Van: The insurance of the van"
        " expires on 2026-05-12.~~ [[2026-04-02#^cccc111111]] superseded by"
        " [[2026-04-20#^cccc111112]]\n",
    )
    house.start().checklist("- Does any insurance expire in the next two weeks?\n")
    assert states(house.tick()) == ["fine"]


def test_what_was_done_about_a_due_date_is_seen_with_it(build: Build) -> None:
    house = build()
    house.remember("2025-11-02", "W @Van: The insurance of the van expires on 2026-05-12.")
    house.remember("2026-04-29", "B @Van: Renewed the insurance of the van for a year.")
    for month in range(1, 5):
        facts = [f"W @Clerk: Insurance letter {month}-{n} went out. ^{month}bbb{n:06d}"
                 for n in range(100)]  # fmt: skip
        house.remember(f"2026-0{month}-10", *facts)
    house.start().checklist("- Does any insurance expire in the next two weeks?\n")
    assert states(house.tick()) == ["fine"]


# -- from day to day --------------------------------------------------------------------------


def test_a_number_that_drifts_is_the_same_news(build: Build) -> None:
    disk = {"command": ["cat", "disk.txt"], "attention": "number > 90"}
    house = build(heartbeat={"active_hours": "00:00-24:00", "checks": {"disk": disk}}).start()
    house.checklist("- check: disk\n")
    for beat in range(8):
        house.write("disk.txt", f"{91 + beat / 4} % of /home\n")
        assert states(house.tick()) == ["attention"]
        house.later(6)
    assert house.phone.texts == [
        "disk: The number is 91.0, above 90.", "still: disk: The number is 92.0, above 90.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "# Watch\n\n- [ ] check: b\n- [ ] check: a\n",
        "\ufeff# Watch\r\n* [ ] check: a  \r\n* [ ] check: b\r\n",
        "## Doors\n\n1. `check: a`\n2. **check: b** (at the back)\n\n## Again\n\n- check: a\n",
        "- Check: A\n",
    ],
)
def test_a_list_that_is_written_in_another_way_is_no_news(build: Build, text: str) -> None:
    house = build(heartbeat={"checks": {"a": check("exit 1"), "b": check("exit 0")}}).start()
    house.checklist("- [ ] check: a\n- [ ] check: b\n")
    house.tick()
    house.later(7)
    house.checklist(text)
    assert "attention" in states(house.tick())
    assert (len(house.phone.alerts), len(house.notes())) == (1, 1)


def test_a_log_in_a_merge_keeps_nobody_from_being_told(build: Build) -> None:
    house = build(heartbeat={"checks": {"a": check("exit 1")}}).start()
    house.checklist("- check: a\n")
    merging = "# Daily Log - 2026-05-04\n<<<<<<< here\nhens\n=======\ngeese\n>>>>>>> there\n"
    house.write("memory/2026-05-04.md", merging)
    beat = house.tick()
    assert (beat.outcome, len(house.phone.alerts)) == ("attention", 1)
    assert "memory/2026-05-04.md" in beat.problems[0]
    assert house.read("memory/2026-05-04.md") == merging


def test_a_workspace_that_is_not_mounted_is_not_made_anew(build: Build) -> None:
    house = build(heartbeat={"checks": {"a": check("exit 1")}}).start()
    house.checklist("- check: a\n")
    house.root.rename(house.root.with_name("away"))
    beat = house.tick()
    assert beat.outcome == "failed"
    assert "the workspace is gone" in beat.reason
    assert (house.root.exists(), house.phone.alerts) == (False, [])
