"""The heartbeat in bad company: crashes, full disks, strange lists, commands, models, clocks."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hippod.errors import ModelCrashed, ModelUnavailable, StorageError
from hippod.models import selftest
from hippod.wire_bank import ForgetRequest
from tests.beating import Build, House, Model, building, check, states, with_model

BOAT = "W @Boat: The bilge pump of the boat is broken. (09:00 main/s1#m1) ^aaaa111111"
PAINT = "W @Boat: The boat needs new paint. (09:05 main/s1#m2) ^aaaa111112"
BROKEN = "- [ ] Is the bilge pump of the boat still broken?\n"
NEEDS_PAINT = "- [ ] Does the boat need new paint?\n"
FULL = check("echo 93 %", attention="number > 90")


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Build]:
    with building(tmp_path / "w", monkeypatch) as made:
        yield made


# -- commands ----------------------------------------------------------------------------------


def test_what_a_broken_command_printed_is_no_evidence(build: Build) -> None:
    mail = check("echo connection refused; exit 2", judge="generator", question="Any mail?")
    house = build(heartbeat={"checks": {"mail": mail}})
    model = with_model(house, "HEARTBEAT_OK")
    house.checklist("- check: mail\n")
    beat = house.beat()
    assert states(beat) == ["failed"]
    assert "exit code 2" in beat.items[0].reason
    assert model.prompts == []


# -- notifiers ---------------------------------------------------------------------------------


def test_what_no_notifier_took_is_told_at_the_next_beat(build: Build) -> None:
    house = build(heartbeat={"checks": {"disk": FULL}}).start()
    house.checklist("- check: disk\n")
    house.phone.faults = ["notify.webhook: nobody answers"]
    house.beat()
    house.beat()
    assert len(house.phone.alerts) == 2
    assert len(house.notes()) == len(house.events("heartbeat.alert")) == 1
    house.phone.faults = []
    house.beat()
    house.beat()
    assert len(house.phone.alerts) == 3
    assert len(house.notes()) == len(house.events("heartbeat.alert")) == 1


# -- the list ----------------------------------------------------------------------------------


def test_an_item_that_stands_there_twice_is_one(build: Build) -> None:
    house = build(heartbeat={"checks": {"disk": FULL}}).start()
    house.checklist("- check: disk\n\n## Again\n\n- check: disk\n")
    beat = house.beat()
    assert states(beat) == ["attention"]
    assert len(house.phone.texts) == len(house.events("heartbeat.alert")) == 1


def test_two_hundred_items_are_looked_at(build: Build) -> None:
    house = build()
    house.remember("2026-05-03", BOAT, PAINT)
    house.start().checklist(
        "".join(f"- [ ] Is the pump number {n} of the boat broken?\n" for n in range(200))
    )
    beat = house.beat()
    assert len(beat.items) == len(house.notes()) == 200
    assert house.beat().reply == "HEARTBEAT_OK"


def test_a_list_that_is_just_being_saved_is_not_taken_for_an_empty_one(build: Build) -> None:
    house = build(heartbeat={"checks": {"disk": FULL}}).start()
    for text in ("- check: disk\n", "", "- check: disk\n"):
        house.checklist(text)
        house.beat()
    assert len(house.phone.texts) == 1


@pytest.mark.parametrize("content", [b"- check: disk\n" * 750_000, b"\xff\xfe- check", b"a\0b"])
def test_a_list_that_is_none_is_a_failure_and_no_crash(build: Build, content: bytes) -> None:
    house = build(heartbeat={"checks": {"disk": FULL}}).start()
    (house.root / "HEARTBEAT.md").write_bytes(content)
    beat = house.tick()
    assert (beat.outcome, beat.items) == ("failed", ())
    assert beat.reason.startswith("HEARTBEAT.md: ")


def test_a_beat_goes_by_the_list_as_it_was_when_it_began(build: Build) -> None:
    checks = {"a": check("rm HEARTBEAT.md; mkdir HEARTBEAT.md; exit 1"), "b": check("exit 1")}
    house = build(heartbeat={"checks": checks}).start()
    house.checklist("- check: a\n- check: b\n")
    assert states(house.beat()) == ["attention", "attention"]
    assert house.beat().outcome == "failed"
    (house.root / "HEARTBEAT.md").rmdir()
    house.checklist("- check: b\n")
    house.beat()
    assert [text.split()[0] for text in house.phone.texts] == ["a:", "b:", "'HEARTBEAT.md':"]


# -- the place ---------------------------------------------------------------------------------


def test_where_no_beat_can_be_kept_people_are_told_once(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = build(heartbeat={"checks": {"disk": FULL}, "quiet_hours": "12:00-13:00"}).start()
    house.checklist("- check: disk\n")

    def full(*_run: object) -> None:
        raise StorageError("state.sqlite: database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(house.state, "start_run", full)
        told = []
        for _ in range(5):
            with pytest.raises(StorageError):
                house.heartbeat.tick()
            told.append(len(house.phone.texts))
            house.later(6)
    assert told == [0, 1, 1, 1, 1], "the first one is in quiet hours"
    assert house.phone.texts[0].startswith("no heartbeat can be kept, so none is done")
    house.tick()
    assert house.phone.texts[1:] == ["disk: The number is 93, above 90."]


def test_beats_of_a_clock_that_was_wrong_are_not_the_last_ones(build: Build) -> None:
    house = build(heartbeat={"checks": {"disk": FULL}}).start()
    house.checklist("- check: disk\n")
    house.later(24 * 400)
    house.beat()
    house.later(-24 * 400)
    beat = house.beat()
    assert house.heartbeat.history()[0].started == beat.started
    assert house.heartbeat.status()["last_heartbeat"] == beat.started
    house.later(24)
    house.beat()
    assert len(house.phone.texts) == 2, "the pause counts from the day that it is now"


# -- dry runs ----------------------------------------------------------------------------------


def tree(root: Path) -> dict[str, tuple[str, int]]:
    """Return what lies there, but for the marks of who reads a database."""
    files = (path for path in root.rglob("*") if path.is_file() and not path.name.endswith("-shm"))
    return {
        path.as_posix(): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in files
    }


def test_a_dry_run_leaves_every_byte_alone(build: Build, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    house = build(
        heartbeat={"checks": {"touch": check(f"touch {ran}")}},
        reflect={"enabled": True},
        hygiene={"enabled": True},
    )
    house.remember("2026-05-03", BOAT, PAINT)
    model = with_model(house)
    house.checklist(BROKEN + "- check: touch\n- [ ] Reflect on recent logs\n")
    before = tree(house.root)
    beat = house.beat(dry_run=True)
    assert tree(house.root) == before
    assert (beat.dry_run, beat.reflected, beat.tidied) == (True, True, True)
    assert beat.reply.startswith("dry run: ")
    assert not ran.exists()
    assert (model.prompts, house.phone.alerts) == ([], [])


# -- models ------------------------------------------------------------------------------------


def test_an_item_that_crashes_the_model_does_not_hold_up_the_others(build: Build) -> None:
    house = build()
    house.remember("2026-05-03", BOAT, PAINT)
    model = with_model(house, ModelCrashed("the child died"), "ATTENTION 1")
    house.checklist(BROKEN + NEEDS_PAINT)
    assert states(house.beat()) == ["failed", "attention"]
    model.enqueue(ModelCrashed("the child died"))
    assert states(house.beat()) == ["failed", "attention"]


def test_the_test_of_a_new_model_is_not_paid_from_the_tokens_of_the_day(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = build(generator={"tasks": "auto"}, heartbeat={"daily_tokens": 100})
    house.remember("2026-05-03", BOAT)
    model = with_model(house)

    def tested(generator: Model) -> selftest.Verdict:
        for _ in range(30):
            generator.complete("a point", "line", 9)
        model.enqueue("ATTENTION 1")
        return selftest.Verdict("check", True, 1.0, "fine")

    monkeypatch.setattr("hippod.capabilities._check", tested)
    house.checklist(BROKEN)
    beat = house.tick()
    assert states(beat) == ["attention"]
    assert (beat.tokens, house.heartbeat.status()["tokens_today"]) == (15, 15)


def test_a_model_that_is_away_for_its_test_is_waited_for_without_a_word(build: Build) -> None:
    house = build(generator={"tasks": "auto"})
    house.remember("2026-05-03", BOAT)
    with_model(house, ModelUnavailable("it is not running"))
    house.checklist(BROKEN)
    beat = house.tick()
    assert (states(beat), beat.items[0].reason) == (["not judged"], "the model cannot be asked now")
    assert house.notes() == house.events("heartbeat.alert") == []


# -- what it costs -----------------------------------------------------------------------------


TOPIC = (
    "The boat lies in the north harbour", "The pump of the well is blue", "The boat is insured",
    "The broken chair stands in the shed", "The bilge is dry in summer", "The boat is named Ida",
    "A bilge pump was bought in March", "The boat race is in June", "The broken mast was sold",
    "The pump needs two fuses", "The boat has two oars", "The old pump stands in the shed",
    "The boat house has a new roof", "The bilge hatch sticks", "The tyre pump works",
    "The pump station is closed on Mondays", "Somebody has broken the lamp of the boat",
)  # fmt: skip
WORDS = "boat pump bilge broken"


def live_on(house: House, n: int, about: str) -> None:
    """Have a quarter of a day go by in which a line and some facts are written."""
    house.later(6)
    day = f"{house.now:%Y-%m-%d}"
    log = house.read(f"memory/{day}.md") or f"# Daily Log - {day}\n\n"
    house.write(f"memory/{day}.md", f"{log}[{house.now:%H:%M:%S}] Cooked soup number {n}\n")
    guests = [
        f"W @Guest{n}x{m}: Guest {n} likes {about} number {m} of the house near the lake and the"
        f" forest. (09:00 main/s1#m1) ^bb{n:04}{m:04}"
        for m in range(8)
    ]
    house.remember(f"2026-04-{n + 1:02}", *guests)


@pytest.mark.parametrize("reply", ["ATTENTION 1", "HEARTBEAT_OK", "UNKNOWN"])
def test_an_idle_week_costs_nothing_whatever_else_is_written(build: Build, reply: str) -> None:
    house = build()
    topic = [f"W @Place: {text}. ^cc{n:08}" for n, text in enumerate(TOPIC)]
    house.remember("2026-05-03", BOAT, PAINT, *topic)
    model = with_model(house, reply)
    house.checklist(BROKEN)
    for n in range(28):
        house.tick()
        live_on(house, n, "dish")
    assert len(model.prompts) == 1


def test_facts_that_share_a_word_cost_little(build: Build) -> None:
    house = build()
    topic = [f"W @Place: {text}. ^cc{n:08}" for n, text in enumerate(TOPIC)]
    house.remember("2026-05-03", BOAT, PAINT, *topic)
    model = with_model(house, *["HEARTBEAT_OK"] * 30)
    house.checklist(BROKEN)
    for n in range(28):
        house.tick()
        live_on(house, n, WORDS.split()[n % 4])
    assert len(model.prompts) <= 3


def test_what_it_was_judged_by_is_taken_away_and_it_is_judged_anew(build: Build) -> None:
    house = build()
    mended = "W @Boat: The bilge pump of the boat is mended. ^aaaa111113"
    house.remember("2026-05-03", BOAT)
    house.remember("2026-05-04", mended)
    model = with_model(house, "HEARTBEAT_OK", "ATTENTION 1")
    house.checklist(BROKEN)
    assert states(house.beat()) == ["fine"]
    house.write("memory/2026-05-04.md", "# Daily Log - 2026-05-04\n")
    assert states(house.beat()) == ["attention"]
    assert len(model.prompts) == 2


# -- forgetting --------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [1, 2], ids=["while it is judged", "once it was told"])
def test_what_is_forgotten_during_a_beat_stays_nowhere(
    build: Build, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    house = build()
    house.remember("2026-05-03", BOAT, PAINT)
    model = with_model(house, "ATTENTION 1", "HEARTBEAT_OK")
    house.checklist(BROKEN + NEEDS_PAINT)
    complete = model.complete

    def forgetting(*args: Any, **options: Any) -> Any:
        answer = complete(*args, **options)
        if len(model.prompts) == at:
            house.memory.forget(ForgetRequest(id="aaaa111111", dry_run=False))
        return answer

    monkeypatch.setattr(model, "complete", forgetting)
    beat = house.beat()
    kept = [*house.state.checked.all().values()]
    kept += [run.detail for run in house.state.runs("heartbeat")]
    kept += [str(event.data) for event in house.state.events.since(0)]
    kept += [beat.model_dump_json(), *house.notes(), *house.phone.texts]
    assert "pump of the boat is broken" not in " ".join(kept)
    assert beat.items[-1].text.startswith("Does the boat")
