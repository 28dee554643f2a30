import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hippod import nesting, workspace_seed
from hippod.checklist import dates, reading
from hippod.config import Config
from hippod.state import State
from hippod.workspace import Workspace

LOOKED_FOR = {"AGENTS.md", "SOUL.md", "USER.md", "IDENTITY.md", "MEMORY.md", "HEARTBEAT.md"}


def test_a_new_workspace_is_private_and_explains_itself(tmp_path: Path) -> None:
    root = tmp_path / "w"
    made = workspace_seed.init(root)
    assert {"memory", "sessions", "README.md", ".hippodignore", *LOOKED_FOR} <= set(made)
    assert stat.S_IMODE(root.stat().st_mode) == 0o700
    assert stat.S_IMODE((root / "memory").stat().st_mode) == 0o700
    assert stat.S_IMODE((root / "MEMORY.md").stat().st_mode) == 0o600
    readme = (root / "README.md").read_text()
    assert all(f"`{name}`" in readme for name in LOOKED_FOR | {"index.sqlite"})


def test_again_it_makes_only_what_is_missing(tmp_path: Path) -> None:
    workspace_seed.init(tmp_path)
    (tmp_path / "MEMORY.md").write_text("mine")
    (tmp_path / "memory").rmdir()
    assert workspace_seed.init(tmp_path) == ["memory"]
    assert (tmp_path / "MEMORY.md").read_text() == "mine"


def test_somebodys_workspace_gets_only_the_files_that_agents_look_for(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("mine")
    (tmp_path / "SOUL.md").write_text("mine too")
    made = workspace_seed.init(tmp_path)
    assert {name for name in made if "." in name} == LOOKED_FOR - {"SOUL.md"}
    files = {path.name for path in tmp_path.iterdir() if path.is_file()}
    assert files == {"notes.md", *LOOKED_FOR}
    assert (tmp_path / "SOUL.md").read_text() == "mine too"


@pytest.mark.parametrize("name", ["memory.md", "Memory.md", "agents.md", "user.MD"])
def test_no_file_is_made_beside_one_of_that_name_in_other_case(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    (tmp_path / "notes.md").write_text("mine")
    made = workspace_seed.init(tmp_path)
    assert name.upper().replace(".MD", ".md") not in made
    assert (tmp_path / name).read_text() == "mine"


def test_a_vault_gets_no_file_about_hippod_nor_a_folder_beside_one_of_its_own(
    tmp_path: Path,
) -> None:
    for name in (".obsidian", "Projects", "Journal"):
        (tmp_path / name).mkdir()
    (tmp_path / "Journal/one.md").write_text("mine")
    made = set(workspace_seed.init(tmp_path))
    assert LOOKED_FOR | {"memory"} <= made
    assert not made & {"README.md", ".hippodignore", "projects"}


@pytest.mark.parametrize("name", [".git", ".DS_Store", "sessions"])
def test_a_folder_that_only_waits_for_us_is_a_new_workspace(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    assert {"README.md", ".hippodignore"} <= set(workspace_seed.init(tmp_path))


def test_a_dangling_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "w/USER.md").symlink_to(tmp_path / "elsewhere.md")
    assert "USER.md" not in workspace_seed.init(tmp_path / "w")
    assert not (tmp_path / "elsewhere.md").exists()


def test_what_is_to_be_filled_in_counts_as_empty_until_it_is(tmp_path: Path) -> None:
    workspace_seed.init(tmp_path)
    said = {name: nesting.told((tmp_path / name).read_text()) for name in LOOKED_FOR}
    assert {name for name, text in said.items() if text} == {"AGENTS.md", "SOUL.md", "HEARTBEAT.md"}
    user = (tmp_path / "USER.md").read_text().replace("Name:", "Name: Ada")
    assert nesting.told(user).startswith("Name: Ada")


def test_an_agent_is_told_of_its_tools_before_the_shell_and_of_nothing_that_is_not_its_own(
    tmp_path: Path,
) -> None:
    workspace_seed.init(tmp_path)
    said = (tmp_path / "AGENTS.md").read_text()
    for tool, command in (("memory_search", "hippod recall"), ("memory_retain", "hippod note")):
        assert 0 < said.index(tool) < said.index(command)
    assert "--scope" not in said


def test_what_is_always_read_whole_is_no_hit(tmp_path: Path) -> None:
    workspace_seed.init(tmp_path)
    (tmp_path / ".memory").mkdir()
    state = State(tmp_path / ".memory/state.sqlite")
    listed = set(Workspace(tmp_path, state).scan().files)
    state.close()
    assert listed == {"USER.md", "MEMORY.md"}


def test_the_checklist_reads_as_it_is_meant() -> None:
    found = reading.read(workspace_seed.IDENTITY["HEARTBEAT.md"], Config().heartbeat.checks)
    questions = [item for item in found.items if item.kind == "question"]
    assert [item.text for item in questions] == [
        "Anything due in the next 2 days?",
        "Anything overdue?",
        "Any birthdays in the next 7 days?",
    ]
    assert {item.kind for item in found.items} - {"question"} == {"agent"}
    assert found.quiet is not None
    assert (found.quiet.start, found.quiet.end) == (23 * 60, 8 * 60)
    assert found.notes == ()
    assert not found.skipped


def test_code_alone_judges_the_items_of_the_checklist() -> None:
    now = datetime(2026, 3, 3, 12, tzinfo=UTC)
    found = reading.read(workspace_seed.IDENTITY["HEARTBEAT.md"], ())
    for item in found.items:
        if item.kind == "question":
            assert dates.judge(item.text, (), now) is not None, item.text
