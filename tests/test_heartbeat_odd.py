"""The heartbeat in bad company: crashes, full disks, strange lists, commands, models, clocks."""

import hashlib
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from hippod.errors import BudgetExhausted, ModelUnavailable, StorageError
from tests.beating import House, Model, check, states

Build = Callable[..., House]

BOAT = "W @Boat: The bilge pump of the boat is broken. (09:00 main/s1#m1) ^aaaa111111"
PAINT = "W @Boat: The boat needs new paint. (09:05 main/s1#m2) ^aaaa111112"
BROKEN = "- [ ] Is the bilge pump of the boat still broken?\n"
NEEDS_PAINT = "- [ ] Does the boat need new paint?\n"
FULL = check("echo 93 %", attention="number > 90")


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Build]:
    houses: list[House] = []

    def made(**sections: Any) -> House:
        houses.append(House(tmp_path / "w", monkeypatch, **sections))
        return houses[-1]

    yield made
    for house in houses:
        house.stop()


def with_model(house: House, *replies: str | Exception) -> Model:
    house.model = Model()
    house.model.enqueue(*replies)
    house.start()
    return house.model


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
    house.phone.took = False
    house.beat()
    house.beat()
    assert len(house.phone.alerts) == 2
    assert len(house.notes()) == len(house.events("heartbeat.alert")) == 1
    house.phone.took = True
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


def test_two_hundred_items(build: Build) -> None:
    house = build(heartbeat={"checks": {"disk": FULL}})
    house.remember("2026-05-03", BOAT, PAINT)
    house.start()
    house.checklist("".join(f"- [ ] Is the pump number {n} of the boat broken?\n" for n in range(200)))
    beat = house.beat()
    print(beat.seconds, len(beat.items), len(house.notes()), len(house.phone.texts))
    again = house.beat()
    print(again.seconds, again.reply)


# -- dry runs ----------------------------------------------------------------------------------


def tree(root: Path) -> dict[str, tuple[str, int]]:
    return {
        str(path.relative_to(root)): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in root.rglob("*")
        if path.is_file()
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
    after = tree(house.root)
    print([k for k in before.keys() | after.keys() if before.get(k) != after.get(k)])
    print(beat)
    assert before == after
    assert not ran.exists()
    assert model.prompts == []


# -- what it costs -----------------------------------------------------------------------------


@pytest.mark.parametrize("reply", ["ATTENTION 1", "HEARTBEAT_OK", "UNKNOWN"])
def test_an_idle_week_costs_nothing(build: Build, reply: str) -> None:
    house = build()
    house.remember("2026-05-03", BOAT, PAINT)
    model = with_model(house, reply, *["UNKNOWN"] * 50)
    house.checklist(BROKEN)
    asked = []
    for n in range(28):
        house.tick()
        asked.append(len(model.prompts))
        house.later(6)
        day = f"{house.now:%Y-%m-%d}"
        text = house.read(f"memory/{day}.md") or f"# Daily Log - {day}\n\n"
        text += f"[{house.now:%H:%M:%S}] Cooked number {n} with the old pan and cleaned the kitchen\n"
        house.write(f"memory/{day}.md", text)
        house.write(
            f"memory/2026-04-{n + 1:02}.md",
            f"# Daily Log - 2026-04-{n + 1:02}\n\n## Retain\n"
            + "".join(
                f"- W @Guest{n}x{m}: Guest {n} likes dish number {m} of the old house. (09:00 main/s1#m1) ^bb{n:04}{m:04}\n"
                for m in range(8)
            ),
        )
    print(asked)
    assert asked[-1] == 1
