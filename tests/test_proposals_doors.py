"""Proposals through the verbs: shown, accepted, rejected, each step undoable."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hippod import wire
from hippod.errors import Conflict, Forbidden, InvalidInput, NotFound
from tests.processes import running
from tests.test_provenance import Home

MEMORY = (
    "# Memory\n\n## Nils\n- Builds kayaks.\n- Lives in Vienna.\n- Is tall.\n\n## Boat\n- Green.\n"
)
PAGE = """\
# Proposals

I look at these on Sundays.

## Add: Nils prefers cedar
- id: 7k2m9qx4mt
- action: add
- status: open
- day: 2026-03-04
- file: MEMORY.md
- section: Nils
- reason: said on 3 days
- evidence: [[2026-03-01#^9qx4mt83ze]]

```diff
+- Nils prefers cedar.
```

## Replace: Lives in Vienna.
- id: 8k2m9qx4mt
- action: replace
- status: open
- file: MEMORY.md
- reason: superseded

```diff
-- Lives in Vienna.
+- Lives in Berlin.
```

## Replace: everything
- id: 8k2mzzzzzz
- action: replace
- status: open

```diff
-- Builds kayaks.
-- Lives in Vienna.
-- Is tall.
+- Nils.
```

## Move out: Boat
- id: 9k2m9qx4mt
- action: move
- status: open
- to: bank/memory-archive.md

```diff
-## Boat
-- Green.
+## Boat
+- Green.
```
"""


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path)
    write(tmp_path)
    yield home
    home.close()


def write(root: Path, memory: str = MEMORY, page: str = PAGE) -> None:
    (root / "bank").mkdir(parents=True, exist_ok=True)
    (root / "bank/proposals.md").write_bytes(page.encode())
    (root / "MEMORY.md").write_bytes(memory.encode())


def memory_of(home: Home) -> str:
    return (home.root / "MEMORY.md").read_bytes().decode()


def page_of(home: Home) -> str:
    return (home.root / "bank/proposals.md").read_bytes().decode()


def statuses(home: Home) -> list[str]:
    return [each.status for each in home.memory.proposals().proposals]


def test_proposals_are_listed_and_shown(home: Home) -> None:
    listed = home.memory.proposals().proposals
    assert [(each.id, each.action) for each in listed] == [
        ("7k2m9qx4mt", "add"), ("8k2m9qx4mt", "replace"), ("8k2mzzzzzz", "replace"),
        ("9k2m9qx4mt", "move"),
    ]  # fmt: skip
    shown = home.memory.proposal("^7k2m")
    assert (shown.title, shown.section) == ("Add: Nils prefers cedar", "Nils")
    assert shown.diff == "+- Nils prefers cedar.\n"
    assert shown.evidence == ("[[2026-03-01#^9qx4mt83ze]]",)


def test_nothing_is_proposed_without_a_page(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert home.memory.proposals().proposals == ()
    with pytest.raises(NotFound):
        home.memory.proposal("7k2m")
    home.close()


def test_accepting_makes_exactly_the_change_and_notes_it(home: Home) -> None:
    done = home.memory.accept_proposal("7k2m")
    assert memory_of(home) == MEMORY.replace("- Is tall.\n", "- Is tall.\n- Nils prefers cedar.\n")
    assert page_of(home) == PAGE.replace("status: open", "status: accepted 2026-05-20", 1)
    assert done.status == "accepted"
    assert [each.path for each in done.changes] == ["MEMORY.md", "bank/proposals.md"]
    assert statuses(home) == ["accepted", "open", "open", "open"]
    for entry in done.entries:
        home.memory.undo(wire.UndoRequest(id=entry))
    assert (memory_of(home), page_of(home)) == (MEMORY, PAGE)


def test_replaced_lines_stay_in_their_place_and_an_edited_line_counts(home: Home) -> None:
    home.edit("bank/proposals.md", "+- Lives in Berlin.", "+- Lives in Berlin, near the canal.")
    home.memory.accept_proposal("8k2m9")
    assert memory_of(home) == MEMORY.replace("Vienna.", "Berlin, near the canal.")


def test_moved_lines_are_never_nowhere(home: Home) -> None:
    home.memory.accept_proposal("9k2m")
    assert memory_of(home) == MEMORY.replace("## Boat\n- Green.\n", "")
    archive = (home.root / "bank/memory-archive.md").read_text()
    assert archive == "# Memory archive\n\n## Boat\n- Green.\n"


def test_what_loses_many_lines_needs_force(home: Home) -> None:
    with pytest.raises(Conflict, match="would lose 43% of its lines"):
        home.memory.accept_proposal("8k2mz")
    assert memory_of(home) == MEMORY
    assert statuses(home)[2] == "open"
    home.memory.accept_proposal("8k2mz", force=True)
    assert "Vienna" not in memory_of(home)


@pytest.mark.parametrize("first", ["accept", "reject"])
def test_a_decision_is_made_once(home: Home, first: str) -> None:
    decide: dict[str, Callable[[str], object]] = {
        "accept": home.memory.accept_proposal,
        "reject": home.memory.reject_proposal,
    }
    decide[first]("7k2m")
    for again in decide.values():
        with pytest.raises(Conflict, match=f"was {first}ed already"):
            again("7k2m")


def test_rejecting_changes_the_page_alone(home: Home) -> None:
    done = home.memory.reject_proposal("8k2m9")
    assert memory_of(home) == MEMORY
    assert [each.path for each in done.changes] == ["bank/proposals.md"]
    assert statuses(home) == ["open", "rejected", "open", "open"]
    assert page_of(home).count("status: rejected 2026-05-20") == 1


def test_lines_that_stand_there_no_more_are_a_conflict(home: Home) -> None:
    home.edit("MEMORY.md", "Lives in Vienna.", "Lives in Linz.")
    with pytest.raises(Conflict, match="stand there no more"):
        home.memory.accept_proposal("8k2m9")
    assert statuses(home)[1] == "open"


def test_what_a_crash_left_half_done_is_finished(home: Home) -> None:
    home.memory.accept_proposal("8k2m9")
    write(home.root, memory_of(home))
    done = home.memory.accept_proposal("8k2m9")
    assert [each.path for each in done.changes] == ["bank/proposals.md"]
    assert memory_of(home) == MEMORY.replace("Vienna", "Berlin")


def test_every_write_can_be_taken_back(home: Home) -> None:
    home.memory.accept_proposal("8k2m9")
    entries = home.memory.log(wire.LogRequest()).entries
    assert [(each.path, each.actor) for each in entries] == [
        ("bank/proposals.md", "main"), ("MEMORY.md", "main"),
    ]  # fmt: skip
    for entry in entries:
        home.undo(entry.id)
    assert (memory_of(home), page_of(home)) == (MEMORY, PAGE)


def test_line_ends_and_marks_of_a_page_stay(home: Home) -> None:
    write(home.root, "\ufeff" + MEMORY.replace("\n", "\r\n"), "\ufeff" + PAGE.replace("\n", "\r\n"))
    home.memory.accept_proposal("8k2m9")
    home.memory.reject_proposal("7k2m")
    expected = "\ufeff" + MEMORY.replace("Vienna", "Berlin").replace("\n", "\r\n")
    assert memory_of(home) == expected
    assert page_of(home).startswith("\ufeff# Proposals\r\n")
    assert "\n" not in page_of(home).replace("\r\n", "")


def test_the_other_spelling_of_the_file_is_found(home: Home) -> None:
    (home.root / "MEMORY.md").unlink()
    (home.root / "memory.md").write_text(MEMORY)
    done = home.memory.accept_proposal("8k2m9")
    assert done.changes[0].path == "memory.md"
    assert "Berlin" in (home.root / "memory.md").read_text()


def test_a_memory_that_is_not_there_yet_is_made(home: Home) -> None:
    (home.root / "MEMORY.md").unlink()
    home.memory.accept_proposal("7k2m")
    assert memory_of(home) == "# Memory\n- Nils prefers cedar.\n"


@pytest.mark.parametrize(
    ("old", "new", "id_", "error"),
    [
        ("file: MEMORY.md\n- section", "file: AGENTS.md\n- section", "7k2m", InvalidInput),
        ("file: MEMORY.md\n- section", "file: ../x.md\n- section", "7k2m", InvalidInput),
        ("bank/memory-archive.md", "AGENTS.md", "9k2m", InvalidInput),
        ("bank/memory-archive.md", "memory/2026-03-03.md", "9k2m", InvalidInput),
        ("bank/memory-archive.md", "../out/x.md", "9k2m", InvalidInput),
        ("+- Nils prefers cedar.\n", "", "7k2m", InvalidInput),
        ("", "", "8k2m", InvalidInput),
        ("", "", "8k2", InvalidInput),
        ("", "", "zzzz", NotFound),
    ],
)
def test_what_cannot_be_right_is_refused(
    home: Home, old: str, new: str, id_: str, error: type[Exception]
) -> None:
    write(home.root, page=PAGE.replace(old, new) if old else PAGE)
    with pytest.raises(error):
        home.memory.accept_proposal(id_)
    assert memory_of(home) == MEMORY


@pytest.mark.parametrize("which", ["memory", "page"])
def test_conflict_marks_are_left_to_people(home: Home, which: str) -> None:
    texts = {"memory": MEMORY, "page": PAGE}
    texts[which] = f"<<<<<<< a\n{texts[which]}=======\n>>>>>>> b\n"
    write(home.root, **texts)
    with pytest.raises(Conflict, match="conflict marks"):
        home.memory.accept_proposal("7k2m")
    assert memory_of(home) == texts["memory"]
    assert len(home.memory.proposals().problems) == (which == "page")


@pytest.mark.parametrize(
    "archive",
    [
        "<<<<<<< a\n# Archive\n=======\n>>>>>>> b\n",
        "# Archive\n\n```\ncode\n",
        "# Archive\n\n<!-- hidden\n",
    ],
)
def test_lines_move_only_to_where_they_are_read(home: Home, archive: str) -> None:
    (home.root / "bank/memory-archive.md").write_text(archive)
    with pytest.raises(Conflict, match="memory-archive"):
        home.memory.accept_proposal("9k2m")
    assert (memory_of(home), page_of(home)) == (MEMORY, PAGE)
    assert (home.root / "bank/memory-archive.md").read_text() == archive


@pytest.mark.parametrize("opened", ["```\ncode\n", "<!-- later\n", "~~~\n- Nils prefers cedar.\n"])
@pytest.mark.parametrize("heading", ["Nils", "Else"])
def test_a_line_is_added_only_where_it_is_read(home: Home, opened: str, heading: str) -> None:
    memory = f"# Memory\n\n## {heading}\n{opened}"
    write(home.root, memory)
    with pytest.raises(Conflict, match="would swallow"):
        home.memory.accept_proposal("7k2m")
    assert (memory_of(home), page_of(home)) == (memory, PAGE)


@pytest.mark.parametrize("memory", ["", "\ufeff", "\n\n"])
def test_a_line_is_added_to_an_empty_memory(home: Home, memory: str) -> None:
    write(home.root, memory)
    home.memory.accept_proposal("7k2m")
    assert memory_of(home).endswith("# Memory\n- Nils prefers cedar.\n")


def test_a_proposal_that_a_merge_left_twice_is_decided_as_one(home: Home) -> None:
    section = PAGE[PAGE.index("## Add") : PAGE.index("## Replace: Lives")]
    write(home.root, page=PAGE + "\n" + section)
    home.memory.accept_proposal("7k2m")
    assert memory_of(home).count("Nils prefers cedar.") == 1
    assert statuses(home) == ["accepted", "open", "open", "open", "accepted"]


def test_a_proposal_that_stands_twice_with_other_lines_is_for_people(home: Home) -> None:
    section = PAGE[PAGE.index("## Add") : PAGE.index("## Replace: Lives")]
    write(home.root, page=PAGE + "\n" + section.replace("cedar", "oak"))
    with pytest.raises(Conflict, match="stands there twice") as caught:
        home.memory.accept_proposal("7k2m")
    assert "by hand" in caught.value.hint
    assert memory_of(home) == MEMORY


def test_proposals_are_not_for_groups(home: Home) -> None:
    for refused in (
        lambda: home.memory.proposals("group"),
        lambda: home.memory.proposal("7k2m", "group"),
        lambda: home.memory.accept_proposal("7k2m", scope="group"),
        lambda: home.memory.reject_proposal("7k2m", "group"),
    ):
        with pytest.raises(Forbidden):
            refused()


def test_the_command_line_lists_shows_and_decides(tmp_path: Path) -> None:
    write(tmp_path / "workspace")
    with running(tmp_path) as daemon:
        listed = daemon.cli("proposals").stdout
        assert listed.startswith("^7k2m9qx4mt  Add: Nils prefers cedar\n  said on 3 days\n")
        shown = daemon.cli("proposals", "show", "8k2m9").stdout
        assert shown.endswith("\n-- Lives in Vienna.\n+- Lives in Berlin.\n")
        refused = daemon.cli("proposals", "accept", "8k2mz")
        assert refused.returncode == 5
        assert "--force" in refused.stderr
        accepted = daemon.cli("proposals", "accept", "8k2m9")
        assert accepted.stdout.startswith("accepted ^8k2m9qx4mt  Replace: Lives in Vienna.\n")
        assert "  changed MEMORY.md\n" in accepted.stdout
        assert daemon.cli("proposals", "reject", "8k2m9").returncode == 5
        assert daemon.cli("proposals", "reject", "7k2m").returncode == 0
        assert "2 decided already" in daemon.cli("proposals", "list").stdout
        assert "rejected  Add:" in daemon.cli("proposals", "--all").stdout
        assert daemon.cli("proposals", "show", "zzzz").returncode == 4
        assert daemon.cli("proposals", "accept").returncode == 2
        assert daemon.cli("proposals", "list", "7k2m").returncode == 2
        assert '"status": "accepted"' in daemon.cli("proposals", "--json").stdout
