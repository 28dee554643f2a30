"""What a heartbeat must not swallow, and what it must not say twice."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from hippod.checklist import telling, verdict
from hippod.cli import status as shown
from hippod.models import Completion
from hippod.wire_bank import ForgetRequest
from tests.beating import Build, House, Model, building, check, states, with_model

BOAT = "W @Boat: The bilge pump of the boat is broken. (09:00 main/s1#m1) ^aaaa111111"
BROKEN = "- [ ] Is the bilge pump of the boat still broken?\n"
PAGE = {"command": ["cat", "page.txt"], "attention": "output changes"}


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Build]:
    with building(tmp_path / "w", monkeypatch) as made:
        yield made


def watching(build: Build, **settings: Any) -> House:
    """Return a house that watches a page of which one change was told."""
    chosen = {"active_hours": "00:00-24:00", "checks": {"page": PAGE}, **settings}
    house = build(heartbeat=chosen).start()
    house.checklist("- check: page\n")
    house.write("page.txt", "one\n")
    assert states(house.beat()) == ["fine"]
    return house


# -- output changes ----------------------------------------------------------------------------


def test_a_change_within_the_pause_is_told_once_it_is_over(build: Build) -> None:
    house = watching(build, cool_down="6h")
    house.write("page.txt", "two\n")
    house.beat()
    house.write("page.txt", "three\n")
    for _ in range(2):
        house.later(2)
        assert states(house.beat()) == ["attention"]
    assert len(house.phone.texts) == 1
    house.later(3)
    house.beat()
    house.later(7)
    assert states(house.beat()) == ["fine"]
    assert len(house.phone.texts) == 2


def test_a_change_in_quiet_hours_is_told_when_they_end(build: Build) -> None:
    house = watching(build, quiet_hours="13:00-18:00")
    house.write("page.txt", "two\n")
    for _ in range(3):
        house.later(2)
        house.tick()
    assert house.now.hour == 18
    assert (len(house.phone.texts), len(house.notes())) == (1, 1)
    house.later(1)
    assert states(house.tick()) == ["fine"]


def test_a_change_that_no_notifier_took_is_told_later(build: Build) -> None:
    house = watching(build)
    house.write("page.txt", "two\n")
    house.phone.faults = ["notify.webhook: nobody answers"]
    house.beat()
    house.later(1)
    house.phone.faults = []
    house.beat()
    house.later(1)
    assert states(house.beat()) == ["fine"]
    assert len(house.phone.texts) == 2


def test_a_change_that_was_taken_back_is_none(build: Build) -> None:
    house = watching(build, quiet_hours="13:00-18:00")
    for hours, text in ((2, "two\n"), (5, "one\n")):
        house.later(hours)
        house.write("page.txt", text)
        house.tick()
    assert house.phone.texts == []


# -- what it says ------------------------------------------------------------------------------


def test_a_look_that_was_broken_off_is_no_all_clear_but_an_empty_list_is(build: Build) -> None:
    house = build().start()
    assert (house.beat().outcome, house.beat().reply) == ("skipped", "HEARTBEAT_OK")
    house.state.start_run("heartbeat", house.now + timedelta(seconds=1))
    house.stop()
    house.later(1)
    house.start()
    assert house.heartbeat.history(1)[0].reply.startswith("interrupted: ")


def test_new_and_old_things_are_told_apart_and_counted_together(build: Build) -> None:
    checks = {name: {"command": ["sh", f"{name}.sh"]} for name in ("old", "new", "fine")}
    checks["gone"] = {"command": ["/no/such/program"]}
    house = build(heartbeat={"checks": checks})
    for name, code in (("old", 1), ("new", 0), ("fine", 0)):
        house.write(f"{name}.sh", f"exit {code}\n")
    house.start().checklist("".join(f"- check: {name}\n" for name in checks))
    house.beat()
    house.write("new.sh", "exit 1\n")
    house.later(1)
    beat = house.beat()
    assert beat.reason == "2 of 4 items need attention, 1 could not be looked at"
    new, *rest = beat.reply.splitlines()
    assert new.startswith("- new: ")
    assert [line.endswith("(told before)") for line in rest] == [True, True]
    again = house.beat()
    said = "nothing new: 2 of 4 items still need attention, 1 still could not be looked at"
    assert again.reply.splitlines()[0] == said


def test_a_reminder_says_that_it_is_one(build: Build) -> None:
    house = build(heartbeat={"checks": {"a": check("exit 1")}}).start()
    house.checklist("- check: a\n")
    house.beat()
    house.later(24)
    house.beat()
    first, second = house.phone.texts
    assert second == f"still: {first}"


def test_a_complaint_of_a_command_is_told_and_is_no_other_news(build: Build) -> None:
    checks = {"mount": check('echo "no mount at $(date +%N)" >&2; exit 3', attention="number > 1")}
    house = build(heartbeat={"checks": checks, "cool_down": "1h"}).start()
    house.checklist("- check: mount\n")
    assert ": no mount at " in house.beat().items[0].reason
    house.later(2)
    house.beat()
    assert len(house.phone.texts) == 1


# -- a list that is not understood -------------------------------------------------------------


def test_what_is_not_understood_of_the_list_reaches_the_person_once(build: Build) -> None:
    checks = {"disk": check("true")}
    house = build(heartbeat={"active_hours": "00:00-24:00", "checks": checks}).start()
    house.checklist("# Watch\n\n- check: dsk\n")
    beat = house.tick()
    assert "did you mean 'disk'" in beat.reply
    assert house.phone.texts[0].startswith("HEARTBEAT.md:3: there is no check 'dsk'")
    house.checklist("# Watch\n\n\n- check: disk\n- check: dsk\n")
    for _ in range(5):
        house.later(13)
        house.beat()
    assert len(house.phone.texts) == len(house.events("heartbeat.alert")) == 1
    house.checklist("- check: disk\n- check: dks\n")
    house.beat()
    assert len(house.phone.texts) == 2


# -- not judged --------------------------------------------------------------------------------


def test_only_what_speaks_of_the_thing_shows_again_what_nobody_judges(build: Build) -> None:
    house = build(heartbeat={"cool_down": "6h"})
    house.remember("2026-05-03", BOAT)
    house.start().checklist(BROKEN)
    house.beat()
    for n, loose in enumerate(("The boat has two oars", "The tyre pump works", "The mast broke")):
        house.later(7)
        house.remember(f"2026-04-0{n + 1}", f"W @Harbour: {loose}. ^bbbb11111{n}")
        assert house.beat().reply == "HEARTBEAT_OK"
    house.remember("2026-05-04", "W @Boat: A new bilge pump is in the boat. ^cccc111111")
    assert house.beat().items[0].told
    house.remember("2026-05-05", "W @Boat: The bilge pump of the boat hums. ^cccc111112")
    assert not house.beat().items[0].told, "the pause holds for it, too"
    house.later(6)
    assert house.beat().items[0].told


# -- models ------------------------------------------------------------------------------------


def test_a_kept_verdict_on_days_ends_with_the_day(build: Build) -> None:
    house = build(heartbeat={"active_hours": "00:00-24:00"})
    house.remember("2026-05-03", "W @Boat: The boat goes to the yard on 2026-05-06. ^aaaa111111")
    model = with_model(house, *["HEARTBEAT_OK"] * 9)
    house.checklist("- [ ] Is the boat ready for the yard?\n")
    asked = []
    for _ in range(6):
        house.tick()
        asked.append(len(model.prompts))
        house.later(24)
    assert asked == [1, 2, 3, 4, 4, 4], "it comes closer, it is there, it is over"


def test_only_its_own_calls_are_charged_to_the_heartbeat(build: Build) -> None:
    house = build()
    house.remember("2026-05-03", BOAT)

    class Shared(Model):
        def complete(self, *args: Any, **options: Any) -> Completion:
            super().complete("an extraction beside it", "facts", 9)
            return super().complete(*args, **options)

    house.model = Shared()
    house.model.enqueue('{"facts": []}', "ATTENTION 1")
    house.start().checklist(BROKEN)
    assert (house.beat().tokens, house.heartbeat.status()["tokens_today"]) == (15, 15)


def test_the_tokens_of_the_day_are_counted_beyond_the_beats_that_are_kept(build: Build) -> None:
    house = build()
    house.remember("2026-05-03", BOAT)
    with_model(house, "ATTENTION 1")
    house.checklist(BROKEN)
    house.beat()
    for _ in range(101):
        house.now += timedelta(seconds=1)
        house.state.record_run("heartbeat", house.now, 0.1, "ok", detail="{}")
    assert house.heartbeat.status()["tokens_today"] == 15
    house.later(24)
    assert house.heartbeat.status()["tokens_today"] == 0


def test_a_busy_model_puts_reflection_off(build: Build) -> None:
    house = build(reflect={"enabled": True})
    house.remember("2026-05-03", BOAT)
    house.start().checklist("- action: reflect\n")
    house.parts.reflector.busy = lambda: True
    beat = house.tick()
    assert (beat.reflected, states(beat), beat.problems) == (False, ["left"], ())
    house.parts.reflector.busy = lambda: False
    assert house.tick().reflected


# -- forgetting --------------------------------------------------------------------------------


def test_no_digest_of_what_was_forgotten_is_kept(build: Build) -> None:
    house = build()
    house.remember("2026-05-03", BOAT)
    with_model(house, "ATTENTION 1")
    house.checklist(BROKEN)
    house.beat()
    [before] = house.state.checked.all().values()
    assert "memory/2026-05-03.md" in before
    house.memory.forget(ForgetRequest(id="aaaa111111", dry_run=False))
    [after] = map(telling.load, house.state.checked.all().values())
    assert after == telling.Kept(told=house.now, sameness="?")


# -- status ------------------------------------------------------------------------------------


def test_notifiers_that_cannot_work_are_in_the_status_before_any_alert(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = build().start()
    monkeypatch.setattr(house.phone, "faults_now", lambda: ["notify.command: it is not there"])
    assert house.heartbeat.status()["problems"] == ["notify.command: it is not there"]


def test_a_heartbeat_that_is_switched_off_is_shown_as_off(build: Build) -> None:
    house = build(heartbeat={"enabled": False}).start()
    assert list(shown._heartbeat(house.heartbeat.status())) == [("heartbeat", "switched off")]
    house.beat()
    [(_, off)] = shown._heartbeat(house.heartbeat.status())
    assert off.startswith("switched off, last 2026-05-04T12:00:00")


# -- what is known once something was forgotten ------------------------------------------------


DUE = "W @Vera: The mooring fee is due on 2026-05-06. (09:00 main/s1#m1) ^aaaa222221"
HULL = "W @Vera: The hull survey is due on 2026-05-05. (09:00 main/s1#m2) ^aaaa222222"
COOK = "W @Vera: Vera likes soup. (09:00 main/s1#m3) ^aaaa222223"
SAIL = "W @Vera: The sail repair is due on 2026-05-06. (09:00 main/s1#m4) ^aaaa222224"
SOON = "- [ ] Is anything due in the next 3 days?\n"


def forgotten(house: House, text: str) -> None:
    assert house.memory.forget(ForgetRequest(text=text, dry_run=False)).applied


def sameness(house: House) -> set[str]:
    """Return the digests that are kept of what was told."""
    values = map(telling.load, house.state.checked.all().values())
    return {piece for kept in values for piece in verdict.members(kept.sameness)} - {"?"}


def test_what_was_forgotten_leaves_no_digest_and_the_rest_is_not_told_anew(build: Build) -> None:
    house = build(heartbeat={"cool_down": "1h", "remind_after": "0s"})
    house.remember("2026-05-03", DUE, HULL)
    house.start().checklist(SOON)
    house.beat()
    assert len(sameness(house)) == 2
    forgotten(house, "The mooring fee is due on 2026-05-06.")
    assert sameness(house) == set()
    house.later(6)
    assert house.beat().reply.startswith("nothing new")
    assert len(sameness(house)) == 1
    assert len(house.phone.texts) == 1


def test_after_something_else_was_forgotten_what_is_new_is_told_and_nothing_else(
    build: Build,
) -> None:
    house = build(heartbeat={"cool_down": "1h", "remind_after": "0s"})
    house.remember("2026-05-02", COOK)
    house.remember("2026-05-03", DUE, HULL)
    house.start().checklist(SOON)
    house.beat()
    forgotten(house, "Vera likes soup.")
    house.later(6)
    house.beat()
    assert len(house.phone.texts) == 1
    house.remember("2026-05-04", SAIL)
    house.later(2)
    house.beat()
    assert len(house.phone.texts) == 2


def test_what_could_not_be_judged_is_not_noted_anew_when_something_else_is_forgotten(
    build: Build,
) -> None:
    house = build(heartbeat={"cool_down": "1h"})
    house.remember("2026-05-02", COOK)
    house.remember("2026-05-03", BOAT)
    house.start().checklist(BROKEN)
    assert states(house.beat()) == ["not judged"]
    forgotten(house, "Vera likes soup.")
    [kept] = map(telling.load, house.state.checked.all().values())
    assert kept.noted == "?"
    house.later(6)
    assert states(house.beat()) == ["not judged"]
    assert len(house.notes()) == 1
    again = "W @Boat: The pump in the bilge of the boat is noisy. (10:00 main/s2#m1) ^aaaa111119"
    house.remember("2026-05-03", BOAT, again)
    house.later(2)
    house.beat()
    assert len(house.notes()) == 2
