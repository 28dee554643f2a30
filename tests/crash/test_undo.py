"""A daemon killed at any durable step of an undo: done or not done, never half, and known which."""

import shutil
import signal
import sys
from pathlib import Path

import apsw
import pytest

from hippod.errors import Conflict, HippodError
from tests.crash.test_crash import KILLER
from tests.processes import Daemon, wait_for

LANES = 6
TRIED = (0, 3)
"""The lanes of every run of the tests, every third step: all six take four minutes."""
FEWEST_STEPS = 20
MESSAGE = {
    "role": "user",
    "content": "Remember that the bike lock code is with Olaf.",
    "timestamp": "2026-03-03T09:00:00Z",
}
LOG = "memory/2026-03-03.md"
HAND = "# Daily Log - 2026-03-03\n\n[07:00:00] Slept well\n"


class Undoing(Daemon):
    """A daemon over a copy of a workspace, that dies at step `kill_at`; 0: never."""

    def __init__(self, folder: Path, kill_at: int, workspace: Path | None = None) -> None:
        folder.mkdir()
        self.steps = folder / "steps"
        super().__init__(
            folder,
            {
                "HIPPOD_EMBEDDER__PROVIDER": "none",
                "HIPPOD_KILL_AT": str(kill_at),
                "HIPPOD_KILL_LOG": str(self.steps),
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            (sys.executable, str(KILLER)),
        )
        if workspace is not None:
            shutil.copytree(workspace, self.workspace)

    def undo_all(self) -> bool:
        """Start, take everything back, stop; False if it died on the way. Safe to repeat."""
        process = self.spawn()
        wait_for(lambda: self.answers() or process.poll() is not None, "the daemon to answer")
        try:
            if process.poll() is None:
                for entry in reversed(self.client.log(limit=100)["entries"]):
                    if entry["undoes"] is None and entry["operation"] != "leftover":
                        self.take_back(entry["id"])
                process.terminate()
        except HippodError:  # it died under us
            assert process.wait(20) == -signal.SIGKILL
        return process.wait(20) == 0

    def take_back(self, number: int) -> None:
        try:
            self.client.undo(number)
        except Conflict as refused:
            assert "was taken back by" in refused.message  # noqa: PT017 - by the run that died

    def markdown(self) -> dict[str, bytes]:
        return {
            path.relative_to(self.workspace).as_posix(): path.read_bytes()
            for path in sorted(self.workspace.rglob("*"))
            if path.is_file() and ".memory" not in path.parts
        }

    def journal(self) -> list[tuple[object, ...]]:
        """Return what was changed and taken back, without what dead runs left behind."""
        path = self.workspace / ".memory" / "state.sqlite"
        with apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY) as db:
            return db.execute(
                "SELECT operation, path, status, undoes FROM journal"
                " WHERE operation NOT IN ('leftover', 'displaced') ORDER BY id"
            ).fetchall()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a workspace in which hippod created, changed, deleted and appended."""
    daemon = Undoing(tmp_path_factory.mktemp("written") / "w", 0)
    (daemon.workspace / "memory").mkdir(parents=True)
    (daemon.workspace / LOG).write_text(HAND)
    (daemon.workspace / "gone.md").write_text("Gone soon\n")
    (daemon.workspace / "plan.md").write_text("# Plan\n")
    (daemon.workspace / "plan2.md").write_text("Plan two\n")
    (daemon.workspace / "draft.md").write_text("Draft\n")
    daemon.start()
    daemon.client.write("plan.md", "# Plan\n\nBuy paint\n")
    daemon.client.write("new.md", "New\n")
    daemon.client.delete("gone.md")
    daemon.client.append("list.md", "- milk")
    daemon.client.insert("plan2.md", 1, "# Title")
    daemon.client.move("draft.md", "projects/final.md")
    daemon.client.retain([MESSAGE], wait=True)
    assert "bike lock" in (daemon.workspace / LOG).read_text()
    assert daemon.stop() == 0
    return daemon.workspace


@pytest.fixture(scope="module")
def undisturbed(written: Path, tmp_path_factory: pytest.TempPathFactory) -> Undoing:
    daemon = Undoing(tmp_path_factory.mktemp("whole") / "w", 0, written)
    assert daemon.undo_all(), daemon.log.read_text()
    return daemon


def test_the_undisturbed_run_took_all_back(undisturbed: Undoing) -> None:
    found = undisturbed.markdown()
    assert found[LOG].decode() == HAND
    assert found["plan.md"] == b"# Plan\n"
    assert found["gone.md"] == b"Gone soon\n"
    assert found["plan2.md"] == b"Plan two\n"
    assert found["draft.md"] == b"Draft\n"
    assert "projects/final.md" not in found
    assert "new.md" not in found
    assert "list.md" not in found
    assert len(undisturbed.steps.read_text().splitlines()) >= FEWEST_STEPS


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("lane", TRIED)
def test_killed_at_every_step(
    written: Path, undisturbed: Undoing, tmp_path: Path, lane: int
) -> None:
    deaths, kill_at = 0, lane + 1
    while True:
        daemon = Undoing(tmp_path / f"at{kill_at}", kill_at, written)
        died = not daemon.undo_all()
        if died:
            deaths += 1
            daemon.environ["HIPPOD_KILL_AT"] = "0"
            assert daemon.undo_all(), daemon.log.read_text()
        step = daemon.steps.read_text().splitlines()[kill_at - 1 : kill_at]
        assert daemon.markdown() == undisturbed.markdown(), f"killed at {step}"
        assert daemon.journal() == undisturbed.journal(), f"killed at {step}"
        if not died:
            break
        kill_at += LANES
    assert deaths >= FEWEST_STEPS // LANES
