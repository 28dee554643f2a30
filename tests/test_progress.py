import argparse
import threading
from pathlib import Path

import pytest

from hippod.cli import progress as shown
from hippod.index.progress import Progress
from tests.documents import Notes, open_index
from tests.fakes import FakeEmbedder


def test_what_remains_follows_from_what_was_done() -> None:
    work = Progress("embedding", 100, began=10.0)
    assert work.describe(11.0)["remaining_seconds"] is None
    work.advance(25)
    about = work.describe(15.0)
    assert about == {
        "phase": "embedding", "done": 25, "total": 100, "seconds": 5.0, "remaining_seconds": 15.0,
    }  # fmt: skip
    work.advance(100)
    assert work.describe(20.0)["total"] == 125
    assert work.describe(20.0)["remaining_seconds"] == 0.0


@pytest.mark.parametrize(
    ("done", "cells"), [(0, "-" * 24), (20, "#" * 12 + "-" * 12), (40, "#" * 24)]
)
def test_a_bar_shows_the_share(done: int, cells: str) -> None:
    line = shown.bar(
        {"phase": "reading", "done": done, "total": 40, "seconds": 1, "remaining_seconds": None}
    )
    assert line == f"reading [{cells}] {done} of 40 files"


def test_status_shows_each_phase_while_it_goes_on(tmp_path: Path) -> None:
    notes = Notes({f"{n}.md": f"Note {n}\n" for n in range(60)})
    seen: list[object] = []

    class Watched(FakeEmbedder):
        def embed_documents(self, texts: list[str]):  # type: ignore[no-untyped-def,override]
            seen.append(index.status()["progress"])
            return super().embed_documents(texts)

    load = notes.load

    def load_and_look(path: str):  # type: ignore[no-untyped-def]
        seen.append(index.status()["progress"])
        return load(path)

    notes.load = load_and_look  # type: ignore[method-assign]
    index = open_index(tmp_path, notes, Watched())
    try:
        index.reconcile()
        phases = [each["phase"] for each in seen if isinstance(each, dict)]
        assert set(phases) == {"reading", "embedding"}
        assert phases.index("embedding") > phases.index("reading")
        last = [each for each in seen if isinstance(each, dict) and each["phase"] == "reading"][-1]
        assert (last["done"], last["total"]) == (59, 60)
        assert index.status()["progress"] is None
    finally:
        index.close()


def test_a_live_bar_is_only_for_a_person(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = threading.Event()
    answer = {"phase": "graph", "done": 1, "total": 2, "seconds": 2.0, "remaining_seconds": 2.0}

    def ask(*_: object) -> dict[str, object]:
        asked.set()
        return {"index": {"progress": answer}}

    monkeypatch.setattr(shown.options, "ask", ask)
    monkeypatch.setattr(shown, "_EVERY_SECONDS", 0.01)
    args = argparse.Namespace(json=False, quiet=False)
    with shown.live(args):
        assert not asked.wait(0.1)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with shown.live(argparse.Namespace(json=True, quiet=False)):
        assert not asked.wait(0.1)
    with shown.live(args):
        assert asked.wait(10)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.endswith("\r\x1b[K")
