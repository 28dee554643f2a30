"""Cutting in a second process: the same result, whatever becomes of that process."""

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from structlog.testing import capture_logs

from hippod import cutting
from hippod.cutting import Cutter, Settings
from hippod.index import Index
from hippod.models.wordllama import WordLlamaEmbedder
from tests.documents import Notes, dump, dump_marks, open_index
from tests.fakes import FakeEmbedder
from tests.processes import wait_for

SETTINGS = Settings(500, 50, ("\n\n", "\n", ". "), ZoneInfo("Europe/Vienna"))
MANY = 450


@pytest.fixture(autouse=True)
def two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "_processors", lambda: 2)


def many() -> Notes:
    """Logs, notes, an entity page, the ledger; the same text twice; not ASCII."""
    notes = {
        f"memory/{year}-03-{day:02}.md": f"# Daily Log - {year}-03-{day:02}\n\n"
        f"[09:15:00] Übte Nr. {day} with @Zoë\n\n## Retain\n"
        f"- W @Ina: Keeps key {day} since {year}-03. (14:23 main/3f#m{day})\n"
        for year in range(2015, 2026)
        for day in range(1, 31)
    }
    rest = MANY - len(notes) - 2
    notes |= {f"notes/{n}.md": f"# Part {n % 50}\n\nThe {n % 7} boilers.\n" for n in range(rest)}
    notes["bank/entities/Ina.md"] = "---\naliases: [Ina R]\n---\n# Ina\n\nKeeps keys. 鍵\n"
    notes["bank/opinions.md"] = "## Tea is best\n- id: ^9qx4mt83ze\n- c: 0.8\n- entities: @Ina\n"
    return Notes(notes)


def held(index: Index) -> tuple[object, object]:
    return dump(index), dump_marks(index)


def built(folder: Path, notes: Notes) -> tuple[object, object]:
    """What an index of these notes holds that was cut in this process alone."""
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "_processors", lambda: 1)
        with contextlib.closing(open_index(folder, notes, FakeEmbedder())) as index:
            assert index.reconcile().failed == {}
            return held(index)


class Watched:
    """Notes that call `act` with the process once it cuts, at their nth reading from then on."""

    def __init__(self, notes: Notes, cutters: list[Cutter], act: Callable[[int], None]) -> None:
        self._notes, self._cutters, self._act = notes, cutters, act
        self.scan = notes.scan
        self.pids: list[int] = []

    def load(self, path: str) -> object:
        pid = self._cutters[-1].pid if self._cutters else None
        if pid is not None and is_up(self._cutters[-1]):
            self.pids.append(pid)
            if len(self.pids) == 20:
                self._act(pid)
        elif pid is not None:
            time.sleep(0.01)  # this process is not to be done before the other one is up
        return self._notes.load(path)


def is_up(cutter: Cutter) -> bool:
    return cutter._process is not None and cutter._process.is_up


@pytest.fixture
def cutters(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Cutter]]:
    """The cutters that were made; none may leave a process behind."""
    made: list[Cutter] = []
    monkeypatch.setattr("hippod.index.engine.Cutter", lambda settings: kept(Cutter(settings)))

    def kept(cutter: Cutter) -> Cutter:
        made.append(cutter)
        return cutter

    yield made
    assert [cutter.pid for cutter in made] == [None] * len(made)


def index_of(folder: Path, watched: Watched) -> Index:
    folder.mkdir()
    return open_index(folder, watched, FakeEmbedder())  # type: ignore[arg-type]


def nothing(_pid: int) -> None:
    """Let it work."""


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (nothing, None),
        (lambda pid: os.kill(pid, signal.SIGKILL), "it ended"),
        (lambda pid: os.kill(pid, signal.SIGSTOP), "no sign of it for 0.5 s"),
    ],
    ids=["well", "killed", "hung"],
)
def test_the_index_is_the_same_whatever_becomes_of_the_process(
    tmp_path: Path,
    cutters: list[Cutter],
    monkeypatch: pytest.MonkeyPatch,
    act: Callable[[int], None],
    reason: str | None,
) -> None:
    if reason and "0.5" in reason:
        monkeypatch.setattr(cutting, "_PATIENCE", 0.5)
    notes = many()
    watched = Watched(notes, cutters, act)
    with contextlib.closing(index_of(tmp_path / "a", watched)) as index, capture_logs() as logs:
        report = index.reconcile()
        assert (report.indexed, report.failed) == (MANY, {})
        assert held(index) == built(tmp_path / "b", notes)
    assert len(watched.pids) >= 20
    assert all(map(gone, watched.pids))
    told = [each["reason"] for each in logs if each["event"] == "index.cutting_here"]
    assert told == ([reason] if reason else [])


def test_stopping_in_the_middle_ends_the_process_and_the_next_run_goes_on(
    tmp_path: Path, cutters: list[Cutter]
) -> None:
    notes = many()
    watched = Watched(notes, cutters, lambda _pid: index.stop())
    index = index_of(tmp_path / "a", watched)
    with contextlib.closing(index):
        report = index.reconcile()
        assert report.stopped
        assert report.indexed < MANY
    assert all(map(gone, watched.pids))
    with contextlib.closing(open_index(tmp_path / "a", notes, FakeEmbedder())) as index:
        assert index.reconcile().indexed == MANY - report.indexed
        assert held(index) == built(tmp_path / "b", notes)


def test_a_small_job_starts_no_process(tmp_path: Path, cutters: list[Cutter]) -> None:
    notes = Notes({f"{n}.md": f"Note {n}\n" for n in range(120)})
    watched = Watched(notes, cutters, nothing)
    with contextlib.closing(index_of(tmp_path / "a", watched)) as index:
        assert index.reconcile().indexed == 120
        watched._notes["7.md"] = "Another\n"
        assert index.update(["7.md"]).indexed == 1
    assert watched.pids == []


def test_texts_are_embedded_while_others_are_cut(tmp_path: Path, cutters: list[Cutter]) -> None:
    notes = many()
    watched = Watched(notes, cutters, nothing)
    embedder = WordLlamaEmbedder()
    with contextlib.closing(open_index(tmp_path, watched, embedder)) as index:  # type: ignore[arg-type]
        index.embed_later = lambda: None
        report = index.reconcile()
        ahead = index.status()["vectors"]
        assert report.embedded == ahead["embedded"]
        index.embed_pending()
        after = index.status()["vectors"]
        assert (after["pending"], after["embedded"]) == (0, ahead["embedded"] + ahead["pending"])


# -- the process itself ----------------------------------------------------------------------


def long_job(cutter: Cutter) -> None:
    """Offer documents until the process takes one."""
    deadline = time.monotonic() + 60
    while not cutter.offer("a.md", "One.\n", 1_000):
        assert time.monotonic() < deadline
        assert not cutter.lost
        if cutter.pid:
            time.sleep(0.01)
    assert cutter.take() == SETTINGS.cut("a.md", "One.\n")


def test_answers_come_in_order_and_may_be_larger_than_a_pipe() -> None:
    texts = ["word " * size for size in (1, 700_000, 5)]
    with Cutter(SETTINGS) as cutter:
        long_job(cutter)
        for n, text in enumerate(texts):
            assert cutter.offer(f"{n}.md", text, 1_000)
        assert cutter.is_full
        for n, text in enumerate(texts):
            assert cutter.take() == SETTINGS.cut(f"{n}.md", text)


def test_a_document_that_fails_there_is_left_to_who_asked_and_the_next_is_cut() -> None:
    with Cutter(SETTINGS) as cutter:
        long_job(cutter)
        assert cutter.offer("a.md", "half a character: \ud800", 1_000)
        assert cutter.offer("b.md", "Two.\n", 1_000)
        assert cutter.take() is None
        assert cutter.take() == SETTINGS.cut("b.md", "Two.\n")
        assert cutter.lost == ""


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (["/nowhere/python"], "it cannot be started"),
        ([sys.executable, "-c", "raise SystemExit(3)"], "it ended"),
        ([sys.executable, "-c", "print('\\0\\0\\0\\3abc', flush=True); input()"], "it ended"),
    ],
    ids=["absent", "ends at once", "speaks nonsense"],
)
def test_a_process_that_does_not_come_up_is_done_without(
    command: Sequence[str], reason: str
) -> None:
    deadline = time.monotonic() + 60
    with Cutter(SETTINGS, command) as cutter:
        while not cutter.lost:
            assert not cutter.offer("a.md", "One.\n", 1_000)
            assert time.monotonic() < deadline
        assert cutter.lost.startswith(reason)
        assert cutter.pid is None


def test_one_processor_is_no_place_for_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "_processors", lambda: 1)
    with Cutter(SETTINGS) as cutter:
        assert not any(cutter.offer("a.md", "One.\n", 1_000) for _ in range(200))
        assert cutter.pid is None


def test_it_ends_with_its_input_and_imports_little() -> None:
    script = (
        "import sys, hippod.cutting; "
        "assert not {'pydantic', 'numpy', 'apsw', 'structlog', 'pathspec'} & set(sys.modules)"
    )
    process = cutting._Process([sys.executable, "-P", "-c", script])
    assert process._process.wait(60) == 0
    process.close()
    process = cutting._Process(cutting._COMMAND)
    assert process._process.stdin is not None
    process._process.stdin.close()
    assert process._process.wait(60) == 0
    assert process._process.stdout is not None
    process._process.stdout.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child that hangs")
def test_it_does_not_outlive_who_asked_not_even_when_it_hangs() -> None:
    script = (
        "import os, pickle, signal; from hippod import cutting; "
        "process = cutting._Process(cutting._COMMAND); process.send(cutting._SETTINGS(settings)); "
        "[process.exchange(20) for _ in range(99) if not process.is_up]; "
        "os.kill(process.pid, signal.SIGSTOP); "
        "print(process.pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    ).replace("(settings)", f"(pickle.loads({pickle.dumps(SETTINGS)!r}))")
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60
    )
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    wait_for(lambda: has_ended(int(ran.stdout)), "its end")


def has_ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True
