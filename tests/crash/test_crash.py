"""A daemon killed at any durable step leaves, after a restart, what an undisturbed one leaves."""

import json
import signal
import sys
from pathlib import Path

import apsw
import pytest

from hippod.errors import Conflict, HippodError
from tests.processes import Daemon, wait_for

KILLER = Path(__file__).parent / "killer.py"
LANES = 6
"""The steps are dealt out to this many tests, so that they can run side by side."""
TRIED = (0, 3)
"""The lanes of every run of the tests, every third step: all six take six minutes and more."""
FEWEST_STEPS = 20

SAID = (
    ("2026-03-02T08:00:00Z", "user", "I prefer tea over coffee in the morning."),
    ("2026-03-02T08:01:00Z", "assistant", "Noted."),
    ("2026-03-02T08:02:00Z", "user", "We decided to host the wiki on the small server."),
    ("2026-03-03T09:00:00Z", "user", "Remember that the bike lock code is with Olaf."),
    ("2026-03-03T09:01:00Z", "assistant", "I installed the backup timer on the small server."),
)
PLAN = "context/plan.md"


class Killable(Daemon):
    """A daemon that dies at step `kill_at`; 0: never."""

    def __init__(self, folder: Path, kill_at: int) -> None:
        folder.mkdir()
        self.steps = folder / "steps"
        super().__init__(
            folder,
            {
                "HIPPOD_EMBEDDER__PROVIDER": "none",
                "HIPPOD_ENCODER__PROVIDER": "none",
                "HIPPOD_RETAIN__QUIET": "0",
                "HIPPOD_KILL_AT": str(kill_at),
                "HIPPOD_KILL_LOG": str(self.steps),
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            (sys.executable, str(KILLER)),
        )
        self.workspace.mkdir()
        sessions = self.workspace / "sessions"
        sessions.mkdir()
        lines = [
            json.dumps({"role": role, "content": text, "timestamp": time})
            for time, role, text in SAID
        ]
        (sessions / "talk.jsonl").write_text("\n".join(lines) + "\n")
        (self.workspace / "memory").mkdir()
        log = self.workspace / "memory" / "2026-03-03.md"
        log.write_text("# Daily Log - 2026-03-03\n\n[07:00:00] Slept well\n")

    def run_to_the_end(self) -> bool:
        """Start, wait until all is retained, edit, stop; False if it died on the way."""
        process = self.spawn()
        wait_for(lambda: self.is_done() or process.poll() is not None, "retain to finish")
        try:
            if process.poll() is None:
                self.edit()
                process.terminate()
        except HippodError:  # it died under us
            assert process.wait(20) == -signal.SIGKILL
        return process.wait(20) == 0

    def edit(self) -> None:
        """Create, rewrite, move and delete documents through the API; safe to repeat."""
        self.client.write(PLAN, "# Plan\n\nBuy paint\n")
        self.client.write(PLAN, "# Plan\n\nBuy paint and brushes\n")
        self.client.write("projects/old.md", "Gone soon\n")
        self.client.delete("projects/old.md")
        self.client.insert(PLAN, 3, "Buy rope")
        self.client.write("projects/draft.md", "The draft\n")
        try:
            self.client.move("projects/draft.md", "context/final.md")
        except Conflict:  # the run that died has moved it
            self.client.delete("projects/draft.md")
        wait_for(self.status_index_is_idle, "the index")

    def is_done(self) -> bool:
        try:
            retain = self.client.status()["retain"]
            done = bool(retain["sources"][0]["turns"]) and not retain["batches_open"]
            return done and self.status_index_is_idle()
        except HippodError:  # not up yet, or died under us
            return False

    def markdown(self) -> dict[str, bytes]:
        """Return every file of the workspace except the derived folder."""
        return {
            path.relative_to(self.workspace).as_posix(): path.read_bytes()
            for path in sorted(self.workspace.rglob("*"))
            if path.is_file() and ".memory" not in path.parts
        }

    def units(self) -> list[tuple[object, ...]]:
        """Return what the index holds, in an order of its own."""
        with apsw.Connection(
            str(self.workspace / ".memory" / "index.sqlite"), flags=apsw.SQLITE_OPEN_READONLY
        ) as db:
            return sorted(db.execute(UNITS), key=repr)


UNITS = """
SELECT d.path, d.sha256, u.unit_id, u.kind, u.content, u.line_start, u.line_end, u.entities
FROM units u JOIN documents d ON d.id = u.document
"""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Killable:
    daemon = Killable(tmp_path_factory.mktemp("whole") / "w", 0)
    assert daemon.run_to_the_end(), daemon.log.read_text()
    return daemon


def test_the_undisturbed_run_did_its_work(undisturbed: Killable) -> None:
    text = b"".join(undisturbed.markdown().values()).decode()
    assert len(undisturbed.steps.read_text().splitlines()) >= FEWEST_STEPS
    for word in ("tea", "wiki", "bike lock", "backup timer"):
        assert word in text
    assert "Slept well" in text


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("lane", TRIED)
def test_killed_at_every_step(undisturbed: Killable, tmp_path: Path, lane: int) -> None:
    deaths = 0
    kill_at = lane + 1
    while True:
        daemon = Killable(tmp_path / f"at{kill_at}", kill_at)
        died = not daemon.run_to_the_end()
        if died:
            deaths += 1
            daemon.environ["HIPPOD_KILL_AT"] = "0"
            assert daemon.run_to_the_end(), daemon.log.read_text()
        step = daemon.steps.read_text().splitlines()[kill_at - 1 : kill_at]
        assert daemon.markdown() == undisturbed.markdown(), f"killed at {step}"
        assert daemon.units() == undisturbed.units(), f"killed at {step}"
        if not died:
            break
        kill_at += LANES
    assert deaths >= FEWEST_STEPS // LANES
