"""Which files a source's glob names, on disk and by name alone."""

import os
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hippod.config import Config
from hippod.errors import InvalidInput
from hippod.transcripts import discover, matches, owns, watch_root

ARCHIVE = "2026-03-04T03-00-00.000Z"
FILES = [
    "sessions/a.jsonl",
    "sessions/deep/er/b.jsonl",
    "sessions/with space #1 🌍.jsonl",
    f"sessions/c.jsonl.reset.{ARCHIVE}",
    f"sessions/c.jsonl.deleted.{ARCHIVE}",
    "sessions/a.trajectory.jsonl",
    "sessions/a.checkpoint.0b6f.jsonl",
    f"sessions/a.trajectory.jsonl.reset.{ARCHIVE}",
    "sessions/.hidden.jsonl",
    "sessions/.git/d.jsonl",
    "sessions/session-sqlite-import-archive/e.jsonl",
    "sessions/sessions.json",
    "sessions/a.jsonl.bak",
    "sessions/notes.md",
    "other/a.jsonl",
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in FILES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path


def found(pattern: str, root: Path) -> list[str]:
    return [path.relative_to(root).as_posix() for path in discover(pattern, root)]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        (
            "sessions/**/*.jsonl",
            [
                "sessions/a.jsonl",
                f"sessions/c.jsonl.deleted.{ARCHIVE}",
                f"sessions/c.jsonl.reset.{ARCHIVE}",
                "sessions/deep/er/b.jsonl",
                "sessions/with space #1 🌍.jsonl",
            ],
        ),
        ("sessions/?.jsonl", None),
        ("sessions/*/*/*.jsonl", ["sessions/deep/er/b.jsonl"]),
        ("*/a.jsonl", ["other/a.jsonl", "sessions/a.jsonl"]),
        ("sessions/a.jsonl", ["sessions/a.jsonl"]),
        ("sessions/../other/*.jsonl", ["other/a.jsonl"]),
        ("sessions/.git/*.jsonl", ["sessions/.git/d.jsonl"]),
        ("sessions/.hidden.jsonl", ["sessions/.hidden.jsonl"]),
        ("sessions/*.md", ["sessions/notes.md"]),
        ("nowhere/*.jsonl", []),
        ("sessions/a.jsonl/*.jsonl", []),
    ],
)
def test_discover(root: Path, pattern: str, names: list[str] | None) -> None:
    archived = [f"sessions/c.jsonl.{reason}.{ARCHIVE}" for reason in ("deleted", "reset")]
    expected = ["sessions/a.jsonl", *archived] if names is None else names
    assert found(pattern, root) == expected


def test_double_star_reaches_all_open_folders_once(root: Path) -> None:
    assert found("**", root) == found("**/**", root)
    assert found("**/b.jsonl", root) == ["sessions/deep/er/b.jsonl"]
    assert not [name for name in found("**", root) if "/." in name]


PATTERNS = [
    "sessions/**/*.jsonl", "sessions/?.jsonl", "*/a.jsonl", "sessions/a.jsonl", "**/*", "**",
    "sessions/.git/*.jsonl", "sessions/**", "*/*/*/*.jsonl", "sessions/[ab].jsonl", "**/er/*",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_matches_says_what_discover_finds(root: Path, pattern: str) -> None:
    expected = set(found(pattern, root))
    assert {name for name in FILES if matches(pattern, root, Path(name))} == expected
    assert {name for name in FILES if matches(pattern, root, root / name)} == expected
    elsewhere = discover(str(root / pattern), root / "elsewhere")
    assert {path.relative_to(root).as_posix() for path in elsewhere} == expected


@settings(max_examples=100, deadline=None)
@given(
    pattern=st.text("ab*?[]!./~ -", min_size=1, max_size=10),
    path=st.text("ab*[]./ ", max_size=10),
)
@example(pattern="./~?", path="")
def test_any_pattern_and_path_are_safe(pattern: str, path: str) -> None:
    root = Path("/nowhere/in particular")
    try:
        assert isinstance(matches(pattern, root, Path(path)), bool)
    except InvalidInput:
        assert not pattern.strip() or pattern.startswith("~")


def test_home_and_absolute_patterns(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(root))
    workspace = root / "workspace"
    assert discover("~/other/*.jsonl", workspace) == [root / "other" / "a.jsonl"]
    assert matches("~/other/*.jsonl", workspace, root / "other" / "new.jsonl")
    assert not matches("~/other/*.jsonl", workspace, Path("other/new.jsonl"))


def test_a_workspace_may_have_wildcards_in_its_name(tmp_path: Path) -> None:
    root = tmp_path / "my [notes] *"
    (root / "sessions").mkdir(parents=True)
    (root / "sessions" / "a.jsonl").touch()
    assert found("sessions/*.jsonl", root) == ["sessions/a.jsonl"]
    assert watch_root("sessions/*.jsonl", root) == root / "sessions"


def test_links_are_followed_only_where_a_person_wrote_them(root: Path, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (outside / "x.jsonl").touch()
    (root / "sessions" / "loop").symlink_to(root / "sessions")
    (root / "sessions" / "away").symlink_to(outside)
    (root / "sessions" / "y.jsonl").symlink_to(outside / "x.jsonl")
    (root / "linked").symlink_to(outside)
    assert not [name for name in found("sessions/**/*.jsonl", root) if name.endswith("x.jsonl")]
    assert "sessions/y.jsonl" not in found("sessions/**/*.jsonl", root)
    assert found("linked/*.jsonl", root) == ["linked/x.jsonl"]
    assert owns("linked/*.jsonl", root, root / "linked" / "x.jsonl")
    assert owns("sessions/**/*.jsonl", root, root / "sessions" / "a.jsonl")
    assert owns("sessions/*.jsonl", root, root / "sessions" / "gone.jsonl")
    for link in ("y.jsonl", "away/x.jsonl", "loop/a.jsonl"):
        assert matches("sessions/**/*.jsonl", root, root / "sessions" / link)
        assert not owns("sessions/**/*.jsonl", root, root / "sessions" / link)


@pytest.mark.parametrize(
    "pattern",
    [".memory/*.sqlite", ".memory/state.sqlite", "{.memory,sessions}/*.sqlite", "own/*.sqlite",
     "../{name}/.memory/*.sqlite", "aside/own/state.sqlite", "**/*.sqlite"],
)  # fmt: skip
def test_what_hippod_keeps_for_itself_is_no_transcript(tmp_path: Path, pattern: str) -> None:
    """In the spirit of C170; a workspace below a folder of that name is one like any other."""
    root = tmp_path / ".memory" / "notes"
    (root / ".memory").mkdir(parents=True)
    (root / "sessions").mkdir()
    (root / "own").symlink_to(root / ".memory")
    (root / "aside").symlink_to(root)
    for name in (".memory/state.sqlite", "sessions/agent.sqlite"):
        (root / name).write_bytes(b"SQLite format 3\0")
    written = pattern.replace("{name}", root.name)
    assert set(discover(written, root)) <= {root / "sessions" / "agent.sqlite"}
    for path in (".memory/state.sqlite", "own/state.sqlite", "aside/own/state.sqlite"):
        assert not owns(written, root, Path(path))
    assert discover("sessions/*.sqlite", root) == [root / "sessions" / "agent.sqlite"]
    assert matches("sessions/*.sqlite", root, Path("sessions/agent.sqlite"))


def test_only_regular_files_are_found(root: Path) -> None:
    (root / "sessions" / "dir.jsonl").mkdir()
    os.mkfifo(root / "sessions" / "pipe.jsonl")
    assert "sessions/a.jsonl" in found("sessions/*.jsonl", root)
    assert not {"sessions/dir.jsonl", "sessions/pipe.jsonl"} & set(found("sessions/*.jsonl", root))


@pytest.mark.parametrize(
    ("pattern", "folder"),
    [
        ("sessions/**/*.jsonl", "sessions"),
        ("sessions/deep/*.jsonl", "sessions/deep"),
        ("sessions/a.jsonl", "sessions"),
        ("*.jsonl", "."),
    ],
)
def test_watch_root_is_the_folder_before_the_first_wildcard(
    root: Path, pattern: str, folder: str
) -> None:
    assert watch_root(pattern, root) == root / folder


@pytest.mark.parametrize("pattern", ["later/*.jsonl", "sessions/later/**/*.jsonl", "/no/x/*.jsonl"])
def test_watch_root_never_climbs_to_a_folder_that_holds_more(root: Path, pattern: str) -> None:
    assert watch_root(pattern, root) is None


@pytest.mark.parametrize("pattern", ["", "  ", "a\0b", "~nobody-of-this-name/x.jsonl"])
def test_patterns_that_cannot_be_right_are_refused(root: Path, pattern: str) -> None:
    with pytest.raises(InvalidInput):
        discover(pattern, root)


# Alternatives


def test_braces_stand_for_either(root: Path) -> None:
    assert found("sessions/*.{jsonl,md}", root) == [
        "sessions/a.jsonl",
        f"sessions/c.jsonl.deleted.{ARCHIVE}",
        f"sessions/c.jsonl.reset.{ARCHIVE}",
        "sessions/notes.md",
        "sessions/with space #1 🌍.jsonl",
    ]
    assert found("{other,sessions/deep/er}/*.{jsonl,{md,txt}}", root) == [
        "other/a.jsonl",
        "sessions/deep/er/b.jsonl",
    ]
    assert watch_root("sessions/{a,b}.jsonl", root) == root / "sessions"
    assert watch_root("{other,sessions}/*.jsonl", root) == root


@pytest.mark.parametrize(
    "pattern", ["sessions/*.{jsonl,md}", "{other,sessions}/{a,b}.jsonl", "**/*.{md,x}", "s{,x}/*"]
)
def test_alternatives_match_what_they_find(root: Path, pattern: str) -> None:
    expected = set(found(pattern, root))
    assert {name for name in FILES if matches(pattern, root, Path(name))} == expected


def test_braces_without_a_choice_are_part_of_the_name(root: Path) -> None:
    for name in ("{a}.jsonl", "{.jsonl", "a}{b.jsonl"):
        (root / "sessions" / name).touch()
        assert found(f"sessions/{name}", root) == [f"sessions/{name}"]


def test_the_workspaces_own_source_takes_lines_and_markdown(root: Path) -> None:
    (own,) = Config().sources
    assert matches(own.path, root, Path("sessions/deep/talk.md"))
    assert matches(own.path, root, Path("sessions/a.jsonl"))
    assert not matches(own.path, root, Path("sessions/sessions.json"))
    assert not matches(own.path, root, Path("memory/2026-02-03.md"))


def test_too_many_alternatives_are_refused(root: Path) -> None:
    with pytest.raises(InvalidInput, match="alternatives"):
        discover("{a,b}" * 30, root)


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_compressed_transcripts_go_by_their_live_name(root: Path, ending: str) -> None:
    name = f"sessions/z.jsonl.deleted.{ARCHIVE}{ending}"
    assert matches("sessions/*.jsonl", root, Path(name))
    assert matches("sessions/z.jsonl", root, Path(name))
    assert matches("sessions/*.jsonl", root, Path(f"sessions/rollout-1.jsonl{ending}"))
    assert not matches("sessions/*.jsonl", root, Path("sessions/rollout-1.jsonl.bak"))
