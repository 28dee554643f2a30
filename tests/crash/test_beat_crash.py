"""A heartbeat killed at any durable step: after it nothing is lost, and nothing written twice."""

import json
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import apsw
import pytest

ROOT = Path(__file__).parents[2]
LANES = 6
"""The steps are dealt out to this many tests, so that they can run side by side."""
TRIED = (0, 3)
"""Of which these run: every third step; all of them ran when this was written."""
FEWEST_STEPS = 15
ITEMS = Counter(["check: disk", "check: door"])


def beat(root: Path, hours: float, kill_at: int = 0) -> list[str] | None:
    """Beat; return the steps that it took, None if it died on the way."""
    root.mkdir(exist_ok=True)
    words = [sys.executable, "-m", "tests.crash.beat", str(root), str(hours), str(kill_at)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode == -signal.SIGKILL:
        return None
    assert done.returncode == 0, done.stderr
    return done.stdout.partition("steps: ")[2].split()


def notes(root: Path) -> list[str]:
    lines = (root / "w/memory/2026-05-04.md").read_text().splitlines()
    return [line.partition("Heartbeat: ")[2] for line in lines if "Heartbeat: " in line]


def events(root: Path) -> Counter[str]:
    with apsw.Connection(str(root / "w/.memory/state.sqlite")) as db:
        rows = db.execute("SELECT data FROM event WHERE type='heartbeat.alert'").fetchall()
    return Counter(json.loads(data)["item"] for (data,) in rows)


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    taken = beat(tmp_path_factory.mktemp("whole"), 0)
    assert taken is not None
    assert len(taken) >= FEWEST_STEPS
    return taken


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("lane", TRIED)
def test_killed_at_any_step_it_tells_all_of_it(lane: int, steps: list[str], tmp_path: Path) -> None:
    telling = steps.index("told") + 1
    for number in range(1 + lane, len(steps) + 1, LANES):
        root = tmp_path / str(number)
        assert beat(root, 0, number) is None
        assert beat(root, 0.5) is not None
        assert len(notes(root)) == len(set(notes(root))) == len(ITEMS), number
        assert events(root) == ITEMS, number
        told = Counter((root / "told").read_text().splitlines())
        is_unknowable = number in (telling, telling + 1)  # died before that could be kept
        assert told == (ITEMS + ITEMS if is_unknowable else ITEMS), number
