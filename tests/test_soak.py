"""The soak: a quick run of it, and that its audit notices what it is there to notice."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bench.soak import __main__ as command
from bench.soak import audit, figures, life
from bench.soak.ledger import Claim, Ledger
from bench.soak.life import Life, Sample
from bench.soak.run import QUICK, Outcome

LOG = """# Daily Log - 2026-02-03

By hand: bebek beside the harbor.

## Retain
- W @Ada: Owns the bebik since May. ^k3f9ab27qt
- W @Ada: Owns the bebok since June. ^p07d2c5hn1
"""
PATH = "memory/2026-02-03.md"
LINE = b"By hand: bebek beside the harbor."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / PATH).parent.mkdir()
    (tmp_path / PATH).write_text(LOG)
    return tmp_path


@pytest.fixture
def ledger() -> Ledger:
    ledger = Ledger()
    ledger.must("bebek", "editor", "file", PATH, LINE)
    ledger.must("bebik", "facts", "fact", "", b"bebik")
    ledger.may("bebok", "facts", "fact", "", b"bebok")
    return ledger


def edit(root: Path, old: str, new: str) -> None:
    (root / PATH).write_text((root / PATH).read_text().replace(old, new))


def wrong(root: Path, ledger: Ledger) -> list[str]:
    return [each.word for each in audit.broken_claims(root, ledger.claims(), {})]


def test_what_is_as_it_was_written_is_right(root: Path, ledger: Ledger) -> None:
    assert wrong(root, ledger) == []
    assert audit.duplicates(root) == []
    edit(root, "Owns the bebok", "Sold it")
    assert wrong(root, ledger) == []


def test_a_lost_line_is_noticed_by_its_bytes(root: Path, ledger: Ledger) -> None:
    edit(root, LINE.decode() + "\n", "")
    (lost,) = audit.broken_claims(root, ledger.claims(), {})
    assert (lost.word, lost.bytes) == ("bebek", len(LINE))
    assert "0 times, not 1 to 1" in str(lost)


@pytest.mark.parametrize("damage", [" beside the harbor.", "By hand: "])
def test_a_torn_line_is_a_lost_one(root: Path, ledger: Ledger, damage: str) -> None:
    edit(root, damage, "")
    assert wrong(root, ledger) == ["bebek"]


def test_a_line_that_stands_twice_is_noticed(root: Path, ledger: Ledger) -> None:
    edit(root, "## Retain", LINE.decode() + "\n\n## Retain")
    assert wrong(root, ledger) == ["bebek"]


def test_a_lost_fact_and_one_that_may_be_there_once(root: Path, ledger: Ledger) -> None:
    edit(root, "- W @Ada: Owns the bebik since May. ^k3f9ab27qt\n", "")
    edit(root, "June. ^p07d2c5hn1\n", "June. ^p07d2c5hn1\n- W @Ada: Sold the bebok. ^9qx4mt83ze\n")
    assert wrong(root, ledger) == ["bebik", "bebok"]


def test_what_was_taken_back_may_not_stand_there(root: Path, ledger: Ledger) -> None:
    ledger.never("bebek")
    assert wrong(root, ledger) == ["bebek"]


def test_a_line_is_the_old_one_or_the_new_one(root: Path, ledger: Ledger) -> None:
    ledger.must("bebek", "replace", "file", PATH, LINE, b"another")
    assert wrong(root, ledger) == []
    edit(root, "## Retain", "another\n\n## Retain")
    assert wrong(root, ledger) == ["bebek"]


def test_working_memory_is_compared_as_a_whole(root: Path) -> None:
    claim = Claim("working", "working", "s", (b"Step 1", b"Step 2"), 1)
    assert audit.broken_claims(root, {"x": claim}, {"s": "Step 2\n"}) == []
    assert len(audit.broken_claims(root, {"x": claim}, {"s": "Step 3"})) == 1


def test_an_id_that_stands_twice_is_noticed_also_on_another_day(root: Path) -> None:
    (root / "memory/2026-02-04.md").write_text("## Retain\n- B @Ada: Else. ^k3f9ab27qt\n")
    assert audit.duplicates(root) == ["^k3f9ab27qt stands 2 times"]


def test_a_text_that_stands_twice_on_a_day_is_noticed(root: Path) -> None:
    edit(root, "June. ^p07d2c5hn1\n", "May.\n- W @Ada: owns  the BEBIK since May. ^9qx4mt83ze\n")
    (twice,) = audit.duplicates(root)
    assert "owns the bebik since may." in twice
    (root / "memory/2026-02-04.md").write_text("## Retain\n- W @Ada: Owns the bebik since May.\n")
    assert len(audit.duplicates(root)) == 1


HIT: dict[str, Any] = dict.fromkeys(audit._FIELDS, "x") | dict.fromkeys(audit._SCORES, 0.5)


@pytest.mark.parametrize(
    ("found", "count"),
    [([HIT], 0), ([{**HIT, "score": 0.500001}], 0), ([], 1), ([HIT, HIT], 1),
     ([{**HIT, "line_end": 7}], 1), ([{**HIT, "score": 0.6}], 1), ([{**HIT, "id": "y"}], 1)],
)  # fmt: skip
def test_a_difference_of_the_index_is_noticed(found: list[dict[str, Any]], count: int) -> None:
    def before(_question: str, **_options: object) -> Mapping[str, Any]:
        return {"hits": [HIT]}

    def after(_question: str, **_options: object) -> Mapping[str, Any]:
        return {"hits": found}

    both = (audit.hits(ask, ["heron"]) for ask in (before, after))
    assert len(audit.differences(*both)) == count


def test_a_traceback_and_an_error_in_the_log_are_noticed() -> None:
    lines = ('{"event": "a", "level": "info"}', '{"event": "b", "level": "error"}',
             "Traceback (most recent call last):")  # fmt: skip
    assert audit.faults_in("\n".join(lines)) == list(lines[1:])


def samples(grown: float) -> list[Sample]:
    return [Sample(n, 100 + (50 if n < 20 else n * grown), 26, (), 9, 0) for n in range(60)]


def outcome(**changed: Any) -> Outcome:
    lived = Life(recoveries=[1.0], kills=1, calm=samples(0))
    rest = (samples(0)[0], samples(0)[-1])
    good = Outcome(replace(QUICK, flat=True), {}, lived, 9, (), (), (), (), (), rest, 0.1, 0, 3)
    return replace(good, **changed)


def test_memory_that_grows_is_noticed_and_what_is_there_from_the_start_is_not() -> None:
    assert life.trend(samples(0), "resident") == (100, 100)
    assert figures.holds(outcome())
    assert not figures.holds(outcome(life=Life([1.0], 1, calm=samples(0.5))))


@pytest.mark.parametrize(
    "changed",
    [{"duplicates": ("x",)}, {"differences": ("x",)}, {"unexpected": ("x",)}, {"faults": ("x",)},
     {"idle_percent": 30}, {"exit_code": 1}, {"life": Life([1.0], 0, calm=samples(0))},
     {"broken": (audit.Wrong("x", Claim("a", "file", "a.md", (b"x",), 1), 0),)},
     {"rest": (samples(0)[0], replace(samples(0)[0], deleted=("/a (deleted)",)))},
     {"rest": (samples(0)[0], replace(samples(0)[0], descriptors=60))}],
)  # fmt: skip
def test_each_bound_is_one_that_can_be_missed(changed: dict[str, Any]) -> None:
    assert not figures.holds(outcome(**changed))
    assert "NOT MET" in figures.text(outcome(**changed))


@pytest.mark.slow
@pytest.mark.xdist_group("soak")
def test_a_quick_soak_loses_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = command.main(["--quick", "--seed", "7", "--json", str(tmp_path / "soak.json")])
    printed = capsys.readouterr().out
    assert code == 0, printed
    assert "lost bytes" in printed
    written = json.loads((tmp_path / "soak.json").read_text())
    assert (written["holds"], written["seed"]) == (True, 7)
    assert written["counts"]["requests"] > 50
