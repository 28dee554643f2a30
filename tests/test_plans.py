"""Plans are made one by one, each by compare-and-swap, and shown as diffs."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hippod import plans
from hippod.journal import PlannedAppend
from hippod.plans import DailyFacts, Edit, Move, PageEdit
from hippod.state import State
from hippod.workspace import Workspace

DAY = date(2026, 3, 19)
BULLET = "- S @Ines: Baked bread. [[2026-03-19]] (reflect/2026-03-19#Ines) ^aaaa111111"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    state = State(tmp_path / "state.sqlite")
    (tmp_path / "w").mkdir()
    yield Workspace(tmp_path / "w", state)
    state.close()


def page(workspace: Workspace, path: str, after: str) -> PageEdit:
    now = workspace.read(path)
    return PageEdit(path, now.etag, now.text, after, "because")


def test_edits_are_made_in_order_and_say_what_changed(workspace: Workspace) -> None:
    workspace.write("bank/a.md", "old\n")
    workspace.write("memory/2026-03-19.md", "# Daily Log\n")
    edits: list[Edit] = [
        page(workspace, "bank/a.md", "new\n"),
        PageEdit("bank/b.md", "", "", "fresh\n", "because"),
        DailyFacts(DAY, (BULLET,), "because"),
        Move("bank/c.md", "", "bank/d.md", "because"),
    ]
    workspace.write("bank/c.md", "here\n")
    edits[3] = Move("bank/c.md", workspace.read("bank/c.md").etag, "bank/d.md", "because")
    done = plans.apply(edits, workspace, "tester")
    assert [each.changed for each in done] == [
        ("bank/a.md",), ("bank/b.md",), ("memory/2026-03-19.md",), ("bank/c.md", "bank/d.md"),
    ]  # fmt: skip
    assert workspace.read("bank/a.md").text == "new\n"
    assert BULLET in workspace.read("memory/2026-03-19.md").text


def test_what_somebody_came_before_is_left_out_and_the_rest_is_done(workspace: Workspace) -> None:
    workspace.write("bank/a.md", "old\n")
    edits = [page(workspace, "bank/a.md", "new\n"), PageEdit("bank/b.md", "", "", "mine\n", "x"),
             PageEdit("bank/c.md", "", "", "mine\n", "x")]  # fmt: skip
    workspace.write("bank/a.md", "theirs\n")
    workspace.write("bank/b.md", "theirs\n")
    first, second, third = plans.apply(edits, workspace, "tester")
    assert "bank/a.md" in first.problem
    assert second.problem
    assert third.changed == ("bank/c.md",)
    assert workspace.read("bank/a.md").text == workspace.read("bank/b.md").text == "theirs\n"


def test_what_stands_already_changes_nothing(workspace: Workspace) -> None:
    workspace.write("bank/a.md", "old\n")
    heard: list[PlannedAppend] = []
    facts = DailyFacts(DAY, (BULLET,), "because")
    assert plans.apply([page(workspace, "bank/a.md", "old\n")], workspace, "t")[0].changed == ()
    assert plans.apply([facts], workspace, "t", heard.append)[0].changed
    assert plans.apply([facts], workspace, "t", heard.append)[0].changed == ()
    assert [each.path for each in heard] == ["memory/2026-03-19.md"]


def test_edits_are_shown_as_diffs() -> None:
    change = plans.shown(PageEdit("a.md", "e", "one\ntwo\n", "one\nthree\n", "x"))
    assert "-two\n+three\n" in change
    assert plans.shown(PageEdit("a.md", "", "", "one\n", "x")).startswith("--- /dev/null\n")
    head = "--- memory/2026-03-19.md\n+++ memory/2026-03-19.md\n"
    assert plans.shown(DailyFacts(DAY, ("- a", "- b"), "x")) == f"{head}+- a\n+- b\n"
    assert plans.shown(DailyFacts(DAY, ("- a",), "x"), "daily/a.md").startswith("--- daily/a.md\n")
    assert plans.shown(Move("a.md", "e", "b.md", "x")) == "rename from a.md\nrename to b.md\n"
