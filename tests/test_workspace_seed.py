import stat
from pathlib import Path

from hippod import workspace_seed


def test_a_new_workspace_is_private_and_explains_itself(tmp_path: Path) -> None:
    root = tmp_path / "w"
    made = workspace_seed.init(root)
    assert {"memory", "sessions", "MEMORY.md", "README.md"} <= set(made)
    assert stat.S_IMODE((root / "memory").stat().st_mode) == 0o700
    assert stat.S_IMODE((root / "MEMORY.md").stat().st_mode) == 0o600
    assert "index.sqlite" in (root / "README.md").read_text()


def test_again_it_makes_only_what_is_missing(tmp_path: Path) -> None:
    workspace_seed.init(tmp_path)
    (tmp_path / "MEMORY.md").write_text("mine")
    (tmp_path / "memory").rmdir()
    assert workspace_seed.init(tmp_path) == ["memory"]
    assert (tmp_path / "MEMORY.md").read_text() == "mine"


def test_somebodys_workspace_gets_no_files(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("mine")
    made = workspace_seed.init(tmp_path)
    assert all((tmp_path / name).is_dir() for name in made)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["notes.md"]
