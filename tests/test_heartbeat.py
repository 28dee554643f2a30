"""The heartbeat over real files, state, index and commands, on a clock that is set by hand."""

import os
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hippod import wire
from hippod.errors import DaemonDown, Forbidden, ModelCrashed, NotFound, StorageError
from hippod.service import Jobs
from hippod.wire_bank import ForgetRequest, HygieneRequest, ReflectRequest
from hippod.wire_heartbeat import HeartbeatRequest
from tests.beating import Build, building, check, states, with_model

BOAT = "W @Boat: The bilge pump of the boat is broken. (09:00 main/s1#m1) ^aaaa111111"
PAINT = "W @Boat: The boat needs new paint. (09:05 main/s1#m2) ^aaaa111112"
BROKEN = "- [ ] Is the bilge pump of the boat still broken?\n"


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Build]:
    with building(tmp_path / "w", monkeypatch) as made:
        yield made


# -- what is told ------------------------------------------------------------------------------


def test_a_check_that_wants_attention_is_told_everywhere_once(build: Build) -> None:
    house = build(heartbeat={"checks": {"disk": check("echo 93 %", attention="number > 90")}})
    house.start().checklist("- [ ] check: disk\n")
    beat = house.beat()
    assert (beat.outcome, states(beat)) == ("attention", ["attention"])
    assert beat.reply == "- disk: The number is 93, above 90."
    assert house.notes() == ["disk: The number is 93, above 90."]
    assert house.phone.texts == ["disk: The number is 93, above 90."]
    [event] = house.events("heartbeat.alert")
    assert (event["item"], event["state"], event["urgent"]) == ("check: disk", "attention", False)
    house.later(6)
    again = house.beat()
    assert (again.outcome, again.items[0].told) == ("attention", False)
    assert again.reply.splitlines() == [
        "nothing new: 1 of 1 items still need attention",
        "- disk: The number is 93, above 90. (told before)",
    ]
    assert len(house.notes()) == len(house.phone.texts) == 1


def test_a_quiet_beat_says_so_and_writes_nothing(build: Build) -> None:
    house = build(heartbeat={"checks": {"disk": check("echo 12 %", attention="number > 90")}})
    house.start().checklist("- [ ] check: disk\n")
    beat = house.beat()
    assert (beat.outcome, beat.reply, states(beat)) == ("ok", "HEARTBEAT_OK", ["fine"])
    assert (house.notes(), house.phone.alerts, house.events("heartbeat.alert")) == ([], [], [])


def test_the_words_of_the_configuration_are_told(build: Build) -> None:
    disk = check("echo 93 %", attention="number > 90", message="Clean up the disk.")
    house = build(heartbeat={"checks": {"disk": disk}}).start()
    house.checklist("- [ ] check: disk\n")
    assert house.beat().reply == "- Clean up the disk. (The number is 93, above 90)"


def test_no_secret_and_no_open_tag_comes_into_the_log(build: Build) -> None:
    leaky = check("echo 'password: hunter2hunter2 <private> <!-- 3 < 4'", attention="number > 2")
    leaky["message"] = ""
    leaky["attention"] = 'output contains "private"'
    house = build(heartbeat={"checks": {"a": leaky, "b": check("exit 1")}}).start()
    house.checklist("- check: a\n- check: b\n")
    beat = house.beat()
    log = house.read("memory/2026-05-04.md")
    assert "hunter2" not in log + beat.model_dump_json() + str(house.events("heartbeat.alert"))
    assert "<private" not in log
    assert "<!--" not in log
    assert len(house.notes()) == 2


def test_a_check_that_breaks_is_told_and_ends_nothing(build: Build) -> None:
    checks = {"gone": {"command": ["/no/such/program"]}, "fine": check("true")}
    house = build(heartbeat={"checks": checks}).start()
    house.checklist("- check: gone\n- check: fine\n")
    beat = house.beat()
    assert (beat.outcome, states(beat)) == ("failed", ["failed", "fine"])
    assert "no program" in house.phone.texts[0]
    again = house.beat().reply
    assert again.startswith("nothing new: 1 of 2 items still could not be looked at\n- failed: ")
    assert again.endswith("(told before)")


def test_several_alerts_are_one_notification(build: Build) -> None:
    house = build(heartbeat={"checks": {"a": check("exit 1"), "b": check("exit 2")}}).start()
    house.checklist("- check: a\n- check: b\n")
    house.beat()
    [alert] = house.phone.alerts
    assert len(alert.items) == 2
    assert alert.title == "hippod: 2 items need attention"
    assert len(house.notes()) == 2


def test_a_notifier_that_fails_is_in_the_report_and_no_failure(build: Build) -> None:
    house = build(heartbeat={"checks": {"a": check("exit 1")}}).start()
    house.phone.faults = ["notify.webhook: it refused"]
    house.checklist("- check: a\n")
    beat = house.beat()
    assert beat.outcome == "attention"
    assert beat.problems == ("notify.webhook: it refused",)
    assert [fault["message"] for fault in house.events("fault")] == ["notify.webhook: it refused"]
    house.later(24)
    house.beat()
    assert len(house.events("fault")) == 1


def test_a_log_that_cannot_be_written_holds_nothing_else_up(build: Build) -> None:
    house = build(heartbeat={"checks": {"a": check("exit 1")}}).start()
    house.write("memory/2026-05-04.md", "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n")
    house.checklist("- check: a\n")
    beat = house.beat()
    assert "git conflict marks" in beat.problems[0]
    assert len(house.phone.texts) == len(house.events("heartbeat.alert")) == 1
    assert house.notes() == []


def test_a_note_of_a_beat_is_taken_back_by_undo_and_stays_away(build: Build) -> None:
    house = build(heartbeat={"checks": {"a": check("exit 1")}}).start()
    house.write("memory/2026-05-04.md", "# Daily Log - 2026-05-04\n\n[08:00:00] Coffee\n")
    before = house.read("memory/2026-05-04.md")
    house.checklist("- check: a\n")
    house.beat()
    assert len(house.notes()) == 1
    [entry] = house.memory.log(wire.LogRequest(limit=1)).entries
    assert entry.actor == "heartbeat"
    house.memory.undo(wire.UndoRequest(id=entry.id))
    assert house.read("memory/2026-05-04.md") == before
    house.later(1)
    house.beat()
    assert house.read("memory/2026-05-04.md") == before


def test_a_crash_behind_the_note_writes_it_once_and_notifies(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = build(heartbeat={"checks": {"a": check("exit 1")}}).start()
    house.checklist("- check: a\n")

    def full(_values: object) -> None:
        raise StorageError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(house.state.checked, "put", full)
        house.beat()
    assert (len(house.notes()), house.phone.alerts) == (1, [])
    house.later(0.5)
    house.beat()
    assert (len(house.notes()), len(house.phone.alerts)) == (1, 1)


def test_what_was_not_notified_before_a_crash_is_notified_after_it(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = build(heartbeat={"checks": {"a": check("exit 1")}}).start()
    house.checklist("- check: a\n")

    class Killed(BaseException):
        pass

    def die(_alert: object) -> list[str]:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(house.phone, "tell", die)
        with pytest.raises(Killed):
            house.heartbeat.tick()
    assert house.heartbeat.history(1)[0].outcome == "failed"
    house.later(1)
    house.tick()
    assert (len(house.notes()), len(house.phone.alerts)) == (1, 1)


# -- when --------------------------------------------------------------------------------------


def test_quiet_hours_hold_notifications_back_until_they_end(build: Build) -> None:
    house = build(
        heartbeat={"quiet_hours": "12:00-15:00", "checks": {"a": check("exit 1")}}
    ).start()
    house.checklist("- check: a\n")
    assert house.tick().quiet
    assert (len(house.notes()), house.phone.alerts) == (1, [])
    house.later(1)
    house.tick()
    assert house.phone.alerts == []
    house.later(2)
    house.tick()
    assert (len(house.notes()), len(house.phone.alerts)) == (1, 1)


def test_a_sentence_of_the_list_asks_for_quiet_too(build: Build) -> None:
    house = build(heartbeat={"checks": {"a": check("exit 1")}}).start()
    house.checklist("Quiet hours: 11:00-14:00\n\n- [ ] check: a\n")
    beat = house.tick()
    assert (beat.quiet, beat.outcome, house.phone.alerts) == (True, "attention", [])


def test_quiet_hours_are_those_of_the_users_zone(build: Build) -> None:
    house = build(
        workspace={"timezone": "Asia/Tokyo"},
        heartbeat={"quiet_hours": "21:00-21:30", "checks": {"a": check("exit 1")}},
    ).start()  # noon UTC is 21:00 in Tokyo
    house.checklist("- check: a\n")
    assert house.tick().quiet


def test_a_zone_of_the_schedule_goes_before_that_of_the_user(build: Build) -> None:
    house = build(
        workspace={"timezone": "Asia/Tokyo"},
        schedule={"zone": "UTC"},
        heartbeat={"quiet_hours": "21:00-21:30", "checks": {"a": check("exit 1")}},
    ).start()
    house.checklist("- check: a\n")
    assert not house.tick().quiet


def test_an_urgent_check_runs_and_is_told_at_night(build: Build) -> None:
    checks = {"fire": check("echo burns; exit 1", urgent=True), "disk": check("exit 1")}
    house = build(heartbeat={"checks": checks}).start()
    house.checklist("- check: disk\n- check: fire\n- Is the boat painted?\n")
    house.later(13)  # one o'clock
    beat = house.tick()
    assert [item.text for item in beat.items] == ["check: fire"]
    assert (beat.quiet, len(house.phone.texts)) == (True, 1)
    assert house.phone.alerts[0].urgent
    house.later(8)  # nine o'clock
    assert states(house.tick())[:2] == ["attention", "attention"]
    assert len(house.phone.texts) == 2


def test_a_night_with_nothing_urgent_is_skipped(build: Build) -> None:
    house = build(heartbeat={"checks": {"disk": check("exit 1")}}).start()
    house.checklist("- check: disk\n")
    house.later(13)
    beat = house.tick()
    assert (beat.outcome, beat.reason) == ("skipped", "outside of the active hours")
    assert house.beat().outcome == "attention"  # a person may look at any hour


def test_each_check_may_have_a_pause_of_its_own(build: Build) -> None:
    checks = {"a": check("date +%N", attention="number >= 0", cool_down="1h")}
    house = build(heartbeat={"checks": checks}).start()
    house.checklist("- check: a\n")
    house.beat()
    house.later(24)
    house.beat()
    assert len(house.notes()) + len(house.notes("2026-05-05")) == 2


def test_a_note_stands_in_the_log_of_the_users_day(build: Build) -> None:
    house = build(
        workspace={"timezone": "Pacific/Auckland"}, heartbeat={"checks": {"a": check("exit 1")}}
    ).start()  # noon UTC is midnight there
    house.checklist("- check: a\n")
    house.beat()
    assert house.notes("2026-05-04") == []
    assert len(house.notes("2026-05-05")) == 1
    assert "[00:00:00] Heartbeat: " in house.read("memory/2026-05-05.md")


# -- before the list ---------------------------------------------------------------------------


def test_it_reflects_only_if_facts_wait(build: Build) -> None:
    house = build(reflect={"enabled": True})
    house.remember("2026-05-03", BOAT)
    house.start()
    beat = house.tick()
    assert beat.reflected
    assert "bilge pump" in house.read("bank/entities/Boat.md")
    house.later(6)
    assert not house.tick().reflected


def test_it_does_not_reflect_where_that_is_switched_off(build: Build) -> None:
    house = build()
    house.remember("2026-05-03", BOAT)
    house.start()
    assert not house.tick().reflected
    house.checklist("- action: reflect\n")
    assert states(house.tick()) == ["done"]  # but a person may ask for it
    assert house.state.last_run("reflect") is not None


def test_it_tidies_up_when_that_is_due(build: Build) -> None:
    house = build(hygiene={"enabled": True}).start()
    assert house.tick().tidied
    house.later(12)
    assert not house.tick().tidied
    house.later(12)
    assert house.tick().tidied


def test_a_clock_that_was_set_back_tidies_up_once_not_at_each_beat(build: Build) -> None:
    house = build(hygiene={"enabled": True}).start()
    house.state.record_run("hygiene", house.now + timedelta(days=30), 1.0, "ok")
    assert house.tick().tidied
    house.later(6)
    assert not house.tick().tidied


def test_what_a_beat_does_by_itself_was_not_asked_for(build: Build) -> None:
    house = build(hygiene={"enabled": True}).start()
    house.tick()
    assert house.state.runs("hygiene")[0].asked is False
    house.later(24)
    house.beat()
    assert house.state.runs("hygiene")[0].asked is True


def test_what_somebody_asks_for_is_a_run_of_its_job(build: Build) -> None:
    house, runs = build().start(), []

    class Door(Jobs):
        def run_as(self, name: str, work: Callable[[], Any]) -> Any:
            runs.append(name)
            return work()

    house.memory.jobs_door = Door()
    for dry_run in (True, False):
        assert runs == []
        house.memory.heartbeat(HeartbeatRequest(dry_run=dry_run))
        house.memory.hygiene(HygieneRequest(dry_run=dry_run))
        house.memory.reflect(ReflectRequest(dry_run=dry_run))
    assert runs == ["heartbeat", "hygiene", "reflect"]


def test_it_leaves_tidying_to_the_times_of_a_cron_line(build: Build) -> None:
    house = build(hygiene={"enabled": True}, schedule={"hygiene": "30 4 * * *"}).start()
    assert not house.tick().tidied


def test_it_does_no_work_of_a_job_that_is_paused(build: Build) -> None:
    house = build(hygiene={"enabled": True}, reflect={"enabled": True}).start()
    house.remember("2026-05-03", BOAT)
    for job in ("hygiene", "reflect"):
        house.state.agenda.settle(job, "86400", house.now)
        house.state.agenda.pause(job, paused=True)
    beat = house.tick()
    assert (beat.reflected, beat.tidied) == (False, False)
    for job in ("hygiene", "reflect"):
        house.state.agenda.pause(job, paused=False)
    beat = house.tick()
    assert (beat.reflected, beat.tidied) == (True, True)


def test_an_action_is_done_once_in_a_beat(build: Build) -> None:
    house = build(hygiene={"enabled": True}).start()
    house.checklist("- action: hygiene\n- action: reconcile\n")
    looks: list[int] = []
    house.heartbeat.reconcile = lambda: looks.append(1)
    assert states(house.tick()) == ["done", "done"]
    assert len(house.state.runs("hygiene")) == len(looks) == 1


def test_what_fails_before_the_list_does_not_keep_it_from_being_looked_at(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = build(hygiene={"enabled": True}, heartbeat={"checks": {"a": check("true")}}).start()
    house.checklist("- check: a\n")

    def fail(_request: object) -> None:
        raise StorageError("the disk is gone")

    monkeypatch.setattr(house.parts.hygiene, "run", fail)
    beat = house.tick()
    assert (beat.outcome, beat.tidied) == ("ok", False)
    assert beat.problems == ("hygiene: the disk is gone",)


# -- questions ---------------------------------------------------------------------------------


def test_an_item_with_a_date_is_told_on_its_day_and_not_each_beat(build: Build) -> None:
    house = build().start()
    house.checklist("- [ ] Ring the harbour on 2026-05-04\n- [ ] Paint the boat on 2026-06-01\n")
    beat = house.beat()
    assert states(beat) == ["attention", "fine"]
    assert beat.items[0].reason == "2026-05-04 (today): Ring the harbour on 2026-05-04"
    assert beat.items[1].reason == "It will be told on 2026-06-01."
    house.later(6)
    assert states(house.beat()) == ["attention", "fine"]
    assert len(house.phone.alerts) == 1
    house.checklist("- [x] Ring the harbour on 2026-05-04\n")
    assert house.beat().outcome == "skipped"


def test_a_question_is_put_to_a_trusted_model_once_for_its_evidence(build: Build) -> None:
    house = build()
    house.remember("2026-05-03", BOAT)
    model = with_model(house, "ATTENTION 1")
    house.checklist(BROKEN)
    beat = house.beat()
    assert (states(beat), beat.calls, beat.tokens) == (["attention"], 1, 15)
    assert beat.items[0].evidence == ("memory/2026-05-03.md#L4",)
    assert "memory/2026-05-03.md#L4" in house.notes()[0]
    for _ in range(3):
        house.later(6)
        again = house.beat()
        assert (states(again), again.calls) == (["attention"], 0)
    house.remember("2026-05-05", "W @Boat: The bilge pump of the boat is mended. ^aaaa111113")
    model.enqueue("HEARTBEAT_OK")
    house.later(6)
    assert (states(house.beat()), len(model.prompts)) == (["fine"], 2)


def test_what_the_heartbeat_wrote_is_neither_evidence_nor_news(build: Build) -> None:
    house = build()
    house.remember("2026-05-03", BOAT)
    model = with_model(house, "ATTENTION 1", "HEARTBEAT_OK")
    house.write("memory/2026-05-04.md", "# Daily Log - 2026-05-04\n\n[08:00:00] Coffee\n")
    house.checklist(BROKEN)
    house.beat()
    assert len(house.notes()) == 1
    house.later(6)
    house.beat()
    assert len(model.prompts) == 1
    assert "Heartbeat" not in model.prompts[0]
    assert "Coffee" not in model.prompts[0]


@pytest.mark.parametrize(
    "path",
    ["AGENTS.md", "SOUL.md", "IDENTITY.md", "README.md", "HEARTBEAT.md", "bank/proposals.md"],
)
def test_what_instructs_is_no_evidence(build: Build, path: str) -> None:
    house = build()
    model = with_model(house, "ATTENTION 1")
    house.write(path, "# Notes\n\nThe bilge pump of the boat is broken.\n")
    if path != "HEARTBEAT.md":
        house.checklist(BROKEN)
    else:
        house.checklist(BROKEN + "\nThe bilge pump of the boat is broken.\n")
    beat = house.beat()
    assert beat.items[0].state == "not judged"
    assert "holds nothing" in beat.items[0].reason
    assert model.prompts == []


def test_private_spans_are_no_evidence(build: Build) -> None:
    house = build()
    model = with_model(house, "ATTENTION 1")
    house.write(
        "projects/boat.md",
        "# Boat\n\n<private>\nThe bilge pump of the boat is broken.\n</private>\n",
    )
    house.checklist(BROKEN)
    assert states(house.beat()) == ["not judged"]
    assert model.prompts == []


def test_without_a_trusted_model_it_is_shown_once_as_not_judged(build: Build) -> None:
    house = build()
    house.remember("2026-05-03", BOAT)
    house.start().checklist(BROKEN)
    beat = house.beat()
    assert (beat.outcome, states(beat)) == ("ok", ["not judged"])
    assert house.notes()[0].startswith("not judged: Is the bilge pump")
    assert house.phone.alerts == []
    house.later(30)
    assert house.beat().reply == "HEARTBEAT_OK"
    house.remember("2026-05-05", PAINT.replace("new paint", "a bilge pump"))
    assert house.beat().items[0].told


def test_a_check_that_nobody_can_judge_is_shown_once_whatever_it_prints(build: Build) -> None:
    mail = check("date +%N", judge="generator", question="Is any letter about money?")
    house = build(heartbeat={"checks": {"mail": mail}}).start()
    house.checklist("- check: mail\n")
    assert states(house.beat()) == states(house.beat()) == ["not judged"]
    assert len(house.notes()) == 1


def test_work_of_an_agent_is_left_to_it(build: Build) -> None:
    house = build().start()
    house.checklist("## Proactive Work\n\n- Read and organise memory files\n")
    beat = house.beat()
    assert all(item.state in ("left", "done") for item in beat.items)
    assert beat.reply == "HEARTBEAT_OK"


def test_the_tokens_of_the_day_are_not_exceeded_by_more_than_a_call(build: Build) -> None:
    house = build(heartbeat={"daily_tokens": 10})
    house.remember("2026-05-03", BOAT, PAINT)
    model = with_model(house, "HEARTBEAT_OK", "ATTENTION 1")
    house.checklist(BROKEN + "- [ ] Does the boat need new paint?\n")
    beat = house.tick()
    assert states(beat) == ["fine", "not judged"]
    assert "used up" in beat.items[1].reason
    assert (house.notes(), house.phone.alerts) == ([], [])
    house.later(6)
    assert states(house.tick()) == ["fine", "not judged"]
    assert house.heartbeat.status()["tokens_today"] == 15
    house.later(18)
    assert states(house.tick()) == ["fine", "attention"]
    assert len(model.prompts) == 2


def test_no_model_is_asked_where_judging_may_cost_nothing(build: Build) -> None:
    house = build(heartbeat={"daily_tokens": 0})
    house.remember("2026-05-03", BOAT)
    model = with_model(house, "ATTENTION 1")
    house.checklist(BROKEN)
    assert states(house.beat()) == ["not judged"]
    assert model.prompts == []


def test_a_model_that_crashes_holds_up_nobody(build: Build) -> None:
    checks = {"a": check("exit 1")}
    house = build(heartbeat={"checks": checks})
    house.remember("2026-05-03", BOAT, PAINT)
    crash = ModelCrashed("the child died")
    model = with_model(house, crash, crash, "ATTENTION 1", "HEARTBEAT_OK", "UNKNOWN")
    house.checklist(
        f"{BROKEN}- [ ] Does the boat need new paint?\n- [ ] Does the pump leak?\n- check: a\n"
    )
    beat = house.tick()
    assert states(beat) == ["failed", "failed", "not judged", "attention"]
    assert len(house.phone.texts) == len(house.notes()) == 1
    house.later(6)
    assert states(house.tick())[:3] == ["attention", "fine", "not judged"]
    assert len(model.prompts) == 3


def test_a_tick_waits_for_a_busy_model_only_so_long(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hippod.heartbeat.BUSY_SECONDS", 0.001)
    house = build()
    house.remember("2026-05-03", BOAT)
    model = with_model(house, "ATTENTION 1")
    house.checklist(BROKEN)
    house.parts.reflector.busy = lambda: True
    beat = house.tick()
    assert (states(beat), beat.items[0].reason) == (["not judged"], "the model is busy")
    assert (house.notes(), model.prompts) == ([], [])
    house.parts.reflector.busy = lambda: False
    assert states(house.tick()) == ["attention"]


def test_a_check_is_judged_by_a_model_on_what_it_printed(build: Build) -> None:
    mail = check("cat mail", judge="generator", question="Is any letter about money?")
    house = build(heartbeat={"checks": {"mail": mail}})
    model = with_model(house, "HEARTBEAT_OK", "ATTENTION 1")
    (house.root / "mail").write_text("From Runa: regatta on Sunday. password: hunter2hunter2\n")
    house.checklist("- check: mail\n")
    assert states(house.beat()) == ["fine"]
    assert "regatta" in model.prompts[0]
    assert "hunter2" not in model.prompts[0]
    house.beat()
    assert len(model.prompts) == 1
    (house.root / "mail").write_text("From the harbour: the bill of 300 euros is late.\n")
    assert states(house.beat()) == ["attention"]


def test_an_index_that_cannot_answer_fails_its_item_and_no_other(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = build(heartbeat={"checks": {"a": check("true")}}).start()
    house.checklist(BROKEN + "- check: a\n")

    def fail() -> None:
        raise StorageError("the index is damaged")

    monkeypatch.setattr(house.parts.index, "view", fail)
    beat = house.beat()
    assert (beat.outcome, states(beat)) == ("failed", ["failed", "fine"])
    assert house.events("fault")[-1]["what"] == "heartbeat"
    assert (house.notes(), house.phone.alerts) == ([], [])


def test_an_error_of_our_own_in_an_item_ends_no_beat(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = build(heartbeat={"checks": {"a": check("true")}}).start()
    house.checklist(BROKEN + "- check: a\n")

    def fail(*_values: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("hippod.checklist.dates.judge", fail)
    assert states(house.beat()) == ["failed", "fine"]


# -- a list that cannot be read ----------------------------------------------------------------


def conflicted(path: Path) -> None:
    path.write_text("<<<<<<< ours\n- check: a\n=======\n- check: b\n>>>>>>> theirs\n")


def no_text(path: Path) -> None:
    path.write_bytes("- [ ] Wäsche?\n".encode("latin-1"))


def folder(path: Path) -> None:
    path.mkdir()


def a_way_out(path: Path) -> None:
    path.symlink_to("/etc/hostname")


@pytest.mark.parametrize("breaking", [conflicted, no_text, folder, a_way_out])
def test_a_list_that_cannot_be_read_is_a_failure_that_is_told_once(
    build: Build, breaking: Callable[[Path], None]
) -> None:
    house = build(heartbeat={"checks": {"a": check("exit 1")}}).start()
    house.checklist("- check: a\n")
    house.beat()
    path = house.root / "HEARTBEAT.md"
    path.unlink()
    breaking(path)
    for _ in range(3):
        house.later(1)
        beat = house.tick()
        assert beat.outcome == "failed"
        assert "HEARTBEAT.md" in beat.reason
        assert ";" in beat.reason  # what to do
        assert beat.reply == f"failed: {beat.reason}"
    assert len(house.events("fault")) == 1
    assert house.state.last_run("heartbeat").error == beat.reason  # type: ignore[union-attr]
    path.rmdir() if path.is_dir() else path.unlink()
    house.checklist("- check: a\n")
    house.later(1)
    beat = house.tick()
    assert (beat.outcome, beat.reply[:12]) == ("attention", "nothing new:")  # it was told before
    assert house.events("fault")[-1]["over"]


def test_of_a_list_that_cannot_be_read_a_person_is_told_once_a_reason(build: Build) -> None:
    house = build(heartbeat={"checks": {"a": check("exit 0")}}).start()
    path = house.root / "HEARTBEAT.md"
    for breaking, words in ((no_text, "UTF-8"), (conflicted, "git conflict marks")):
        breaking(path)
        for _ in range(3):
            assert house.tick().outcome == "failed"
            house.later(2)
        house.later(18)
        house.tick()
        assert words in house.phone.texts[-1]
    assert len(house.phone.texts) == len(house.events("heartbeat.alert")) == 2
    house.checklist("- check: a\n")
    assert house.tick().outcome == "ok"
    conflicted(path)
    house.later(24)
    house.tick()
    assert len(house.phone.texts) == 3


def test_of_a_list_that_cannot_be_read_nobody_is_told_at_night(build: Build) -> None:
    house = build(heartbeat={"quiet_hours": "11:00-14:00"}).start()
    conflicted(house.root / "HEARTBEAT.md")
    assert house.tick().outcome == "failed"
    assert (house.phone.texts, len(house.notes())) == ([], 1)
    house.later(3)
    house.tick()
    assert (len(house.phone.texts), len(house.notes())) == (1, 1)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_list_without_permission_is_a_failure(build: Build) -> None:
    house = build().start()
    house.checklist("- Is it?\n")
    (house.root / "HEARTBEAT.md").chmod(0)
    assert house.beat().outcome == "failed"


def test_a_list_that_is_not_indexed_is_looked_at_all_the_same(build: Build) -> None:
    house = build(heartbeat={"checks": {"a": check("exit 1")}})
    house.write(".hippodignore", "/HEARTBEAT.md\n")
    house.start().checklist("- check: a\n")
    assert states(house.beat()) == ["attention"]


# -- dry runs, stops, overlaps -----------------------------------------------------------------


def test_a_dry_run_does_nothing_but_say_what_would_be_done(build: Build) -> None:
    checks = {"touch": check("touch ran; exit 1")}
    house = build(
        reflect={"enabled": True}, hygiene={"enabled": True}, heartbeat={"checks": checks}
    )
    house.remember("2026-05-03", BOAT)
    model = with_model(house, "ATTENTION 1")
    house.checklist(f"- check: touch\n- action: reconcile\n{BROKEN}")
    before = sorted(path for path in house.root.rglob("*") if ".memory" not in path.parts)
    beat = house.beat(dry_run=True)
    assert (beat.dry_run, beat.reflected, beat.tidied) == (True, True, True)
    assert states(beat) == ["to do", "to do", "to do"]
    assert before == sorted(path for path in house.root.rglob("*") if ".memory" not in path.parts)
    assert (model.prompts, house.phone.alerts, house.state.events.since(0)) == ([], [], [])
    assert (house.heartbeat.history(), house.state.checked.all()) == ([], {})


def test_a_dry_run_of_a_broken_list_tells_nobody(build: Build) -> None:
    house = build().start()
    conflicted(house.root / "HEARTBEAT.md")
    assert house.beat(dry_run=True).outcome == "failed"
    assert house.state.events.since(0) == []


def test_a_stop_in_the_middle_is_an_interruption_and_nothing_is_told(build: Build) -> None:
    checks = {"slow": check("touch began; sleep 60; exit 1"), "other": check("exit 1")}
    house = build(heartbeat={"checks": checks}).start()
    house.checklist("- check: slow\n- check: other\n")

    def stop() -> None:
        while not (house.root / "began").exists():
            pass
        house.heartbeat.stop()

    stopper = threading.Thread(target=stop)
    stopper.start()
    beat = house.tick()
    stopper.join()
    assert (beat.outcome, beat.items) == ("interrupted", ())
    assert (house.notes(), house.phone.alerts, house.state.checked.all()) == ([], [], {})
    assert house.state.last_run("heartbeat").outcome == "interrupted"  # type: ignore[union-attr]


def test_two_beats_never_overlap(build: Build) -> None:
    overlap = check("mkdir here || exit 3; sleep 0.2; rmdir here", attention="exit == 3")
    house = build(heartbeat={"checks": {"a": overlap}}).start()
    house.checklist("- check: a\n")
    beats: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: beats.append(states(house.beat()))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert beats == [["fine"]] * 3


def test_after_a_stop_no_beat_begins(build: Build) -> None:
    house = build().start()
    house.heartbeat.stop()
    with pytest.raises(DaemonDown):
        house.tick()
    assert house.state.last_run("heartbeat") is None


def test_a_beat_that_was_killed_is_seen_as_interrupted(build: Build) -> None:
    house = build().start()
    house.state.start_run("heartbeat", house.now)
    house.stop()
    house.later(1)
    house.start()
    assert [beat.outcome for beat in house.heartbeat.history()] == ["interrupted"]


# -- what is kept ------------------------------------------------------------------------------


def test_what_was_told_is_known_after_a_restart(build: Build) -> None:
    house = build(heartbeat={"checks": {"a": check("exit 1")}}).start()
    house.checklist("- check: a\n")
    house.beat()
    house.stop()
    house.start()
    house.later(1)
    house.beat()
    assert len(house.phone.alerts) == 1


def test_nothing_is_kept_of_items_that_are_long_gone(build: Build) -> None:
    house = build(heartbeat={"checks": {"a": check("exit 1")}}).start()
    house.checklist("- check: a\n")
    house.beat()
    assert len(house.state.checked.all()) == 1
    (house.root / "HEARTBEAT.md").rename(house.root / "away.md")
    assert house.beat().reason == "HEARTBEAT.md: missing"
    assert len(house.state.checked.all()) == 1  # an editor saves it, say
    house.checklist("# Nothing\n")
    house.beat()
    house.later(29 * 24)
    house.beat()
    assert len(house.state.checked.all()) == 1
    house.later(24)
    house.beat()
    assert house.state.checked.all() == {}


def test_what_changes_while_an_item_is_out_of_the_list_is_news_and_nothing_else(
    build: Build,
) -> None:
    changes = check("cat out", attention="output changes")
    house = build(heartbeat={"checks": {"a": changes, "b": check("exit 1")}}).start()
    house.write("out", "one\n")
    house.checklist("- check: a\n- check: b\n")
    house.beat()
    house.checklist("# Nothing\n")
    house.later(1)
    house.beat()
    house.write("out", "two\n")
    house.checklist("- check: a\n- check: b\n")
    house.later(1)
    house.beat()
    assert house.phone.texts[1:] == ["a: The output changed since the last time: two"]


@pytest.mark.parametrize(
    ("command", "settings", "said"),
    [
        ("echo 93", {"attention": "number > 90"}, "a: The number is 93, above 90."),
        ("echo; echo up; echo 2", {"attention": "lines > 1"},
         "a: The number of lines is 2, above 1: up"),
        ("echo 2026-05-05", {"attention": "date within 3d", "message": "Pay."},
         "Pay. (The date is 2026-05-05, in 1 day, within 3d)"),
        ("echo late", {"attention": 'output contains "late"', "message": "Go!"},
         'Go! (The output contains "late": late)'),
        ("true", {"attention": "output is empty"}, "a: The output is empty"),
    ],
)  # fmt: skip
def test_an_alert_of_a_check_says_what_it_saw(
    build: Build, command: str, settings: dict[str, str], said: str
) -> None:
    house = build(heartbeat={"checks": {"a": check(command, **settings)}}).start()
    house.checklist("- check: a\n")
    house.beat()
    assert house.phone.texts == [said]


def test_the_line_that_a_check_saw_is_short_and_holds_no_secret(build: Build) -> None:
    long = f"echo 'password: hunter2hunter2 {'x' * 300}'"
    house = build(heartbeat={"checks": {"a": check(long, attention="lines > 0")}}).start()
    house.checklist("- check: a\n")
    house.beat()
    [text] = house.phone.texts
    assert "hunter2" not in text
    assert "[REDACTED]" in text
    assert len(text.partition("above 0: ")[2]) == 120


def test_an_alert_names_all_that_is_near(build: Build) -> None:
    house = build()
    bills = [
        f"W @Bill{n}: The bill number {n} for {'timber and ' * 9}nails is due on 2026-05-05. "
        f"(09:00 main/s1#m{n}) ^aaaa11111{n}"
        for n in range(1, 8)
    ]
    house.remember("2026-05-03", *bills)
    house.start().checklist("- [ ] Is anything due within the next 3 days?\n")
    house.beat()
    [alert] = house.phone.alerts
    for said in (alert.items[0].reason, house.notes()[0]):
        assert said.count("2026-05-05 (tomorrow): ") == 5
        assert "; and 2 more (" in said


def test_a_dry_run_counts_what_needs_attention_and_what_is_left_open(build: Build) -> None:
    house = build(heartbeat={"checks": {"a": check("exit 1")}})
    bill = "W @Bill: The bill is due on 2026-05-05. (09:00 main/s1#m1) ^aaaa111111"
    house.remember("2026-05-03", bill)
    house.start().checklist("- check: a\n- [ ] Is anything due within the next 3 days?\n")
    said = house.beat(dry_run=True).reply.splitlines()[0]
    assert said == (
        "dry run: 1 of 2 items need attention; 1 of 2 items take a command, a model or work to tell"
    )


def test_a_check_that_fails_anew_is_told_at_once_if_it_is_urgent(build: Build) -> None:
    commands = {name: {"command": ["sh", "job.sh"], "urgent": name == "u"} for name in ("u", "n")}
    house = build(heartbeat={"checks": commands}).start()
    house.checklist("- check: n\n- check: u\n")
    for code in (1, 0):
        house.write("job.sh", f"exit {code}\n")
        house.beat()
        house.later(0.5)
    house.write("job.sh", "exit 2\n")
    reply = house.beat().reply.splitlines()
    assert [text[:2] for text in house.phone.texts] == ["n:", "u:", "u:"]
    assert reply[0].startswith("- u: ")
    assert reply[1].startswith("- new, told when the cool-down is over: n: ")


def test_what_is_new_within_the_cool_down_comes_first_and_is_called_so(build: Build) -> None:
    checks = {name: {"command": ["sh", f"{name}.sh"]} for name in ("old", "new")}
    house = build(heartbeat={"checks": checks}).start()
    house.write("old.sh", "exit 1\n")
    house.write("new.sh", "exit 1\n")
    house.checklist("- check: old\n- check: new\n")
    house.beat()
    house.write("new.sh", "exit 0\n")
    house.beat()
    house.write("new.sh", "exit 1\n")
    head, new, old = house.beat().reply.splitlines()
    assert head == "1 new: 2 of 2 items still need attention"
    assert new.startswith("- new, told when the cool-down is over: new: ")
    assert old.endswith(" (told before)")


def test_what_no_notifier_took_is_marked_as_held_back(build: Build) -> None:
    quiet = {"checks": {"a": check("exit 1")}, "quiet_hours": "11:00-14:00"}
    house = build(heartbeat=quiet).start()
    house.checklist("- check: a\n")
    house.beat()
    assert house.beat().reply.endswith("(held back until it can be told)")


def test_to_forget_one_fact_makes_no_news_of_its_neighbours(build: Build) -> None:
    house = build(heartbeat={"checks": {"a": check("exit 1")}})
    house.remember("2026-05-03", BOAT, PAINT)
    house.start().checklist("- check: a\n- [ ] Does the boat still need new paint?\n")
    house.beat()
    assert [note[:10] for note in house.notes()] == ["a: The exi", "not judged"]
    house.later(7)
    house.memory.forget(ForgetRequest(id="aaaa111111", dry_run=False))
    house.beat()
    assert len(house.notes()) == 2


def test_the_history_loses_only_what_says_the_forgotten(build: Build) -> None:
    house = build(heartbeat={"checks": {"a": check("exit 1")}})
    house.remember("2026-05-03", BOAT)
    with_model(house, "ATTENTION 1")
    house.checklist(f"- check: a\n{BROKEN}")
    house.beat()
    house.memory.forget(ForgetRequest(id="aaaa111111", dry_run=False))
    [beat] = house.heartbeat.history()
    assert [item.text for item in beat.items][:1] == ["check: a"]
    assert "a: The exit code is 1" in beat.reply
    assert "bilge pump of the boat is broken" not in beat.model_dump_json()


def test_a_note_is_taken_back_after_something_else_there_was_forgotten(build: Build) -> None:
    house = build(heartbeat={"checks": {"a": check("exit 1")}})
    house.remember("2026-05-04", BOAT, PAINT)
    house.start().checklist("- check: a\n")
    house.beat()
    [entry] = house.memory.log(wire.LogRequest(limit=1)).entries
    house.memory.forget(ForgetRequest(id="aaaa111111", dry_run=False))
    house.memory.undo(wire.UndoRequest(id=entry.id))
    assert house.notes() == []
    assert "new paint" in house.read("memory/2026-05-04.md")


def test_history_is_newest_first_and_takes_runs_of_which_something_was_forgotten(
    build: Build,
) -> None:
    house = build().start()
    house.tick()
    house.later(6)
    house.tick()
    house.state.record_run(
        "heartbeat", house.now + timedelta(hours=1), 2.5, "ok", tokens=7, detail='{"started": '
    )
    house.later(1)
    beats = house.heartbeat.history()
    assert [beat.started[11:16] for beat in beats] == ["19:00", "18:00", "12:00"]
    assert (beats[0].tokens, beats[0].outcome, beats[0].items) == (7, "ok", ())
    assert len(house.memory.heartbeat_history(2).beats) == 2


def test_forgetting_takes_it_out_of_what_the_heartbeat_keeps(build: Build) -> None:
    house = build()
    house.remember("2026-05-03", BOAT)
    with_model(house, "ATTENTION 1")
    house.checklist(BROKEN)
    house.beat()
    house.later(1)
    house.memory.forget(ForgetRequest(id="aaaa111111", dry_run=False))
    kept = [*house.state.checked.all().values()]
    kept += [run.detail for run in house.state.runs("heartbeat")]
    kept += [str(event.data) for event in house.state.events.since(0)]
    assert "pump of the boat is broken" not in " ".join(kept)
    assert house.beat().outcome in ("ok", "failed")


def test_status_tells_of_heartbeats_alone(build: Build) -> None:
    house = build().start()
    about = house.memory.status().heartbeat
    assert about is not None
    assert (about["last_heartbeat"], about["tokens_today"]) == (None, 0)
    house.tick()
    house.later(1)
    house.memory.append_daily_log("A heartbeat of my own")
    about = house.memory.status().heartbeat
    assert about is not None
    assert about["last_heartbeat"] == "2026-05-04T12:00:00+00:00"
    assert about["last_reason"] == "HEARTBEAT.md: missing"


def test_a_group_gets_nothing_of_it(build: Build) -> None:
    house = build().start()
    with pytest.raises(Forbidden):
        house.memory.heartbeat(HeartbeatRequest(scope="group"))
    with pytest.raises(Forbidden):
        house.memory.heartbeat_history(scope="group")
    assert house.memory.status("group").heartbeat is None


def test_no_word_of_what_was_found_is_logged(
    build: Build, capsys: pytest.CaptureFixture[str]
) -> None:
    house = build(heartbeat={"checks": {"a": check("echo Regatta; exit 1", message="Sail!")}})
    house.remember("2026-05-03", BOAT)
    with_model(house, "ATTENTION 1")
    house.checklist(f"- check: a\n{BROKEN}")
    house.beat()
    said = capsys.readouterr()
    assert "heartbeat.done" in said.out + said.err
    for word in ("Regatta", "Sail", "bilge"):
        assert word not in said.out + said.err


def test_a_memory_without_a_heartbeat_says_so(build: Build) -> None:
    house = build().start()
    house.memory._heartbeat = None
    with pytest.raises(NotFound):
        house.memory.heartbeat_history()
    assert house.memory.status().heartbeat is None


@pytest.mark.parametrize("hour", [datetime(2026, 5, 4, 22, 59, 59, tzinfo=UTC)])
def test_the_last_second_of_the_active_hours_counts(build: Build, hour: datetime) -> None:
    house = build(heartbeat={"checks": {"a": check("exit 1")}}).start()
    house.checklist("- check: a\n")
    house.now = hour
    assert not house.tick().quiet
    house.now += timedelta(seconds=1)
    assert house.tick().outcome == "skipped"
