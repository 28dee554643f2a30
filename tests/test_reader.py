"""What is said of documents that cannot be read: only while it is true."""

import threading
from concurrent.futures import Future
from pathlib import Path

import pytest

from hippod.errors import StorageError, is_passing
from hippod.index import reader
from hippod.workspace import Loaded
from tests.processes import running, wait_for


class Slow:
    """Documents that come once `arrived` is set."""

    def __init__(self) -> None:
        self.arrived = threading.Event()

    def load(self, path: str) -> Loaded | None:
        self.arrived.wait(30)
        return None


def test_a_file_that_does_not_answer_is_looked_at_again_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reader, "_PATIENCE", 0.05)
    slow = Slow()
    reads = reader.Reader(slow)
    for _ in range(2):  # the second time nobody waits for it
        with pytest.raises(StorageError, match="does not answer") as caught:
            reads.load("cloud/a.md")
        assert is_passing(caught.value)
    slow.arrived.set()
    wait_for(lambda: _comes(reads, "cloud/a.md"), "the file")
    reads.close()


def _comes(reads: reader.Reader, path: str) -> bool:
    try:
        return reads.load(path) is None
    except StorageError:
        return False


class LateClock:
    """A clock on a machine so busy that each wait takes a second longer than was asked for."""

    def __init__(self, answer: Future[Loaded | None], comes_after: float) -> None:
        self.now, self._answer, self._comes_after = 0.0, answer, comes_after

    def monotonic(self) -> float:
        self.now += 1.0
        if self.now >= self._comes_after and not self._answer.done():
            self._answer.set_result(None)
        return self.now


@pytest.mark.parametrize(("comes_after", "came"), [(20.0, True), (1e9, False)])
def test_a_machine_that_is_busy_is_not_taken_for_a_disk_that_hangs(
    comes_after: float, came: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer: Future[Loaded | None] = Future()
    monkeypatch.setattr(reader, "time", LateClock(answer, comes_after))
    monkeypatch.setattr(reader, "_SLICE", 0.001)
    assert reader._came(answer, 0.005) is came


@pytest.mark.slow
@pytest.mark.xdist_group("reader")
def test_a_document_that_is_well_again_is_told_of_no_longer(tmp_path: Path) -> None:
    with running(tmp_path) as daemon:
        page = daemon.workspace / "bank/boats.md"

        def failing() -> bool:
            return "bank/boats.md" in daemon.client.status()["watch"]["not_indexed"]

        daemon.client.write("bank/boats.md", "# Boats\n\nThe boat is red.\n")
        daemon.settle()
        page.write_text("# Boats\n\n<<<<<<< ours\nred\n=======\nblue\n>>>>>>> theirs\n")
        wait_for(failing, "the conflict to be told")
        page.write_text("# Boats\n\nThe boat is blue.\n")
        wait_for(lambda: not failing(), "the conflict to be forgotten", 10)
        page.write_text("# Boats\n\n<<<<<<< ours\nred\n=======\nblue\n>>>>>>> theirs\n")
        wait_for(failing, "the conflict to be told again")
        page.unlink()
        daemon.client.reindex(full=True)
        wait_for(lambda: not failing(), "the reindex to be heard of", 10)
