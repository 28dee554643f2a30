"""A daemon killed at any durable step of a reflection: the next one ends as an undisturbed one."""

import signal
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hippod.errors import HippodError
from tests.crash.test_crash import KILLER
from tests.processes import Daemon, wait_for

LANES = 8
TRIED = (0, 4)
"""The lanes of every run of the tests, a fourth of all steps: all take six minutes."""
FEWEST_STEPS = 40
TODAY = datetime.now(UTC).date()
"""A date that passes during the tests only makes one more day that is over."""
LOGS = {
    9: "- W @Ines: Lives in Porto since 2024. (14:02 main/s1#m1) ^aaaa111111\n"
    "- O(c=0.8) @Ines: Prefers voice messages to mails. (14:05 main/s1#m3) ^dddd444444\n",
    8: "- O @Ines: Prefers voice messages to mails, also at work. (14:05 main/s2#m3) ^eeee555555\n",
    1: "- B @Loft: Ordered oak planks for 3 rooms. (09:10 main/s3#m1) ^cccc333333\n"
    "- W @Loft: The budget is 42,000 euros. (09:12 main/s3#m2) ^ffff666666\n",
}
ROSA = "---\nentity: Rosa\naliases: []\n---\n# Rosa\n\nMy words.\n"


class Reflecting(Daemon):
    """A daemon over logs of a few days, that dies at step `kill_at`; 0: never."""

    def __init__(self, folder: Path, kill_at: int) -> None:
        folder.mkdir()
        self.steps = folder / "steps"
        super().__init__(
            folder,
            {
                "HIPPOD_EMBEDDER__PROVIDER": "none",
                "HIPPOD_ENCODER__PROVIDER": "none",
                "HIPPOD_KILL_AT": str(kill_at),
                "HIPPOD_KILL_LOG": str(self.steps),
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            (sys.executable, str(KILLER)),
        )
        for ago, bullets in LOGS.items():
            day = (TODAY - timedelta(days=ago)).isoformat()
            self.put(f"memory/{day}.md", f"# Daily Log - {day}\n\n## Retain\n{bullets}")
        self.put("bank/entities/Rosa.md", ROSA)

    def put(self, path: str, text: str) -> None:
        file = self.workspace / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def reflect(self) -> bool:
        """Start, reflect, stop; False if it died on the way. Safe to repeat."""
        process = self.spawn()
        wait_for(lambda: self.answers() or process.poll() is not None, "the daemon to answer")
        try:
            if process.poll() is None:
                self.client.reflect()
                process.terminate()
        except HippodError:  # it died under us
            assert process.wait(20) == -signal.SIGKILL
        return process.wait(20) == 0

    def markdown(self) -> dict[str, str]:
        """Return the bank and the logs."""
        files = [*self.workspace.glob("bank/**/*"), *self.workspace.glob("memory/*")]
        return {
            file.relative_to(self.workspace).as_posix(): file.read_text()
            for file in sorted(files)
            if file.is_file()
        }


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Reflecting:
    daemon = Reflecting(tmp_path_factory.mktemp("whole") / "w", 0)
    assert daemon.reflect(), daemon.log.read_text()
    return daemon


def test_the_undisturbed_run_did_its_work(undisturbed: Reflecting) -> None:
    pages = undisturbed.markdown()
    assert len(undisturbed.steps.read_text().splitlines()) >= FEWEST_STEPS
    assert "3 rooms" in pages["bank/entities/Loft.md"]
    assert pages["bank/entities/Rosa.md"] == ROSA
    assert pages["bank/opinions.md"].count("- supports: ") == 2
    assert any("(reflect/" in text for path, text in pages.items() if path.startswith("memory/"))


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("lane", TRIED)
def test_killed_at_every_step(undisturbed: Reflecting, tmp_path: Path, lane: int) -> None:
    deaths = 0
    kill_at = lane + 1
    while True:
        daemon = Reflecting(tmp_path / f"at{kill_at}", kill_at)
        died = not daemon.reflect()
        if died:
            deaths += 1
            daemon.environ["HIPPOD_KILL_AT"] = "0"
            assert daemon.reflect(), daemon.log.read_text()
        step = daemon.steps.read_text().splitlines()[kill_at - 1 : kill_at]
        assert daemon.markdown() == undisturbed.markdown(), f"killed at {step}"
        if not died:
            break
        kill_at += LANES
    assert deaths >= FEWEST_STEPS // LANES
