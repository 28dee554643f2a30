"""Which paths are allowed, and what a scan of odd folders finds."""

import os
import socket
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hippod.documents import check_new, check_path, root_links
from hippod.errors import PathRefused, StorageError
from hippod.workspace import Workspace
from tests.ledger import ListJournal


def open_at(root: Path, **options: object) -> Workspace:
    return Workspace(root, ListJournal(), **options)  # type: ignore[arg-type] # as given


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


def put(path: Path, text: str = "text\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


class TestPaths:
    @pytest.mark.parametrize(
        "path",
        [
            "",
            "/etc/passwd.md",
            "../x.md",
            "memory/../../x.md",
            "memory//x.md",
            "memory/./x.md",
            "memory/",
            ".memory/x.md",
            "memory/.git/x.md",
            ".md",
            "a\0b.md",
            "\udce9.md",
            f"{'x' * 256}.md",
            f"{'é' * 127}x.md",
            "/".join(["folder"] * 200) + "/x.md",
            "/".join(["f"] * 80) + "/x.md",
        ],
    )
    def test_refused_always(self, path: str) -> None:
        with pytest.raises(PathRefused) as caught:
            check_path(path)
        assert caught.value.hint

    @pytest.mark.parametrize(
        "path",
        [
            "C:/temp/a.md",
            "memory\\..\\x.md",
            "CON.md",
            "bank/nul.md",
            "com1.md",
            "folder /x.md",
            "folder./x.md",
            "a\nb.md",
            "tab\t.md",
            "bell\x07.md",
            "evil\u202e.md",
        ],
    )
    def test_refused_for_new_files_only(self, path: str) -> None:
        check_path(path)
        with pytest.raises(PathRefused):
            check_new(path)

    @pytest.mark.parametrize(
        "path",
        [
            "MEMORY.md",
            "memory/2026-03-03.md",
            "a%2f..%2fx.md",
            "a b/c#d?e.md",
            "🦉.md",
            "👩‍👩‍👧.md",
            "-rf.md",
            "console.md",
            "x..y.md",
            "بنك/ไทย.md",
        ],
    )
    def test_fine(self, path: str) -> None:
        check_new(path)
        assert check_path(path) == tuple(path.split("/"))

    @given(st.text(max_size=60) | st.from_regex(r"(\.{1,2}|[a-z%~\\]{1,4}|/){1,8}"))
    @settings(max_examples=100, deadline=None)
    @example("../../../../etc/passwd")
    def test_never_escapes(self, path: str) -> None:
        try:
            parts = check_path(path)
        except PathRefused:
            return
        assert os.path.normpath(f"/workspace/{path}") == f"/workspace/{path}"
        assert "/".join(parts) == path
        assert not any(part.startswith(".") for part in parts)


class TestScan:
    def test_finds_markdown_only(self, root: Path) -> None:
        for name in ("a.md", "B.MD", "memory/2026-03-03.md", "deep/er/c.md"):
            put(root / name)
        for name in ("notes.txt", "x.md.tmp", "x.md~", "4913", ".x.md.swp", "x.markdown", ".md"):
            put(root / name)
        scan = open_at(root).scan()
        assert sorted(scan.files) == ["B.MD", "a.md", "deep/er/c.md", "memory/2026-03-03.md"]
        assert scan.skipped == {}
        listed = scan.files["a.md"]
        info = (root / "a.md").stat()
        assert (listed.size, listed.mtime_ns, listed.inode) == (
            info.st_size,
            info.st_mtime_ns,
            info.st_ino,
        )

    def test_prunes_hidden_and_tool_folders(self, root: Path) -> None:
        for folder in (".git", ".memory", ".obsidian", "node_modules", ".venv", "venv", "x/venv"):
            put(root / folder / "README.md")
        put(root / "environment/README.md")
        assert list(open_at(root).scan().files) == ["environment/README.md"]

    def test_names_of_every_kind_come_back_exactly(self, root: Path) -> None:
        names = [
            "🦉.md", "].md", "¶.md", "====.md", "}.md", "a b.md", "a#b.md", "a?b.md", "a%20b.md",
            "it's.md", 'say "hi".md', "-rf.md", "new\nline.md", "tab\t.md", "x" * 247 + ".md",
            "my_tool.md", "my-tool.md", "my tool.md", "2026-06-02 2.md", "2026-06-02 (1).md",
        ]  # fmt: skip
        for name in names:
            put(root / name, name)
        workspace = open_at(root)
        assert sorted(workspace.scan().files) == sorted(names)
        for name in names:
            loaded = workspace.load(name)
            assert loaded is not None
            assert loaded.text == name

    @pytest.mark.skipif(sys.platform == "darwin", reason="macOS refuses such names")
    def test_a_name_that_is_not_utf8_skips_itself(self, root: Path) -> None:
        put(root / "good.md")
        (root / os.fsdecode(b"caf\xe9.md")).write_text("x")
        scan = open_at(root).scan()
        assert list(scan.files) == ["good.md"]
        assert scan.skipped == {"caf\\xe9.md": "its name is not UTF-8"}

    def test_conflict_copies_are_listed_but_no_documents(self, root: Path) -> None:
        copies = [
            "2026-06-02 (Ana's conflicted copy 2026-06-02).md",
            "2026-06-02.sync-conflict-20260602-101010-ABCDEFG.md",
            "2026-06-02 (SFConflict ana@example.org 2026-06-02-10-10-10).md",
            "~$x.md",
        ]
        for name in [*copies, "2026-06-02.md", ".2026-06-02.md.icloud", ".#2026-06-02.md"]:
            put(root / name)
        workspace = open_at(root)
        scan = workspace.scan()
        assert list(scan.files) == ["2026-06-02.md"]
        assert sorted(scan.skipped) == sorted(copies)
        assert not any(workspace.is_document(name) for name in copies)

    def test_special_files(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        os.mkfifo(root / "pipe.md")
        (root / "folder.md").mkdir()
        put(root / "folder.md/inside.md")
        (root / "empty.md").touch()
        with (root / "sparse.md").open("wb") as file:
            file.truncate(10_000_000_000)
        server = socket.socket(socket.AF_UNIX)
        monkeypatch.chdir(root)  # the path would be too long for a socket
        server.bind("socket.md")
        server.close()
        workspace = open_at(root)
        scan = workspace.scan()
        assert sorted(scan.files) == ["empty.md", "folder.md/inside.md"]
        assert scan.skipped == {
            "pipe.md": "not a regular file",
            "socket.md": "not a regular file",
            "sparse.md": "larger than 10000000 bytes",
        }
        for name in ("pipe.md", "folder.md", "socket.md", "sparse.md"):
            assert workspace.load(name) is None
        empty = workspace.load("empty.md")
        assert empty is not None
        assert empty.text == ""

    def test_sources_are_no_documents(self, root: Path) -> None:
        put(root / "sessions/one.md")
        put(root / "a.md")
        workspace = open_at(root, sources_match=lambda path: path.startswith("sessions/"))
        assert list(workspace.scan().files) == ["a.md"]
        assert workspace.load("sessions/one.md") is None
        with pytest.raises(PathRefused, match="transcript"):
            workspace.read("sessions/one.md")

    def test_what_cannot_be_looked_into_is_not_absent(
        self, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(root / "memory/a.md")
        put(root / "b.md")
        real = os.open

        def deny(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
            if path == "memory":
                raise PermissionError(13, "Permission denied", path)
            return real(path, flags, mode, dir_fd=dir_fd)

        workspace = open_at(root)
        monkeypatch.setattr(os, "open", deny)
        scan = workspace.scan()
        monkeypatch.undo()
        assert list(scan.files) == ["b.md"]
        assert scan.unreadable == ("memory",)
        assert not scan.absent("memory/a.md")
        assert scan.absent("memory2/a.md")
        assert scan.absent("c.md")

    def test_a_workspace_that_is_gone_is_no_empty_scan(self, root: Path) -> None:
        put(root / "a.md")
        workspace = open_at(root)
        root.rename(root.with_name("moved"))
        for use in (workspace.scan, lambda: workspace.load("a.md"), workspace.tree):
            with pytest.raises(StorageError, match="is gone"):
                use()
        root.mkdir()
        with pytest.raises(StorageError, match="is gone"):
            workspace.scan()

    def test_deep_nesting_ends(self, root: Path) -> None:
        fd = os.open(root, os.O_RDONLY)
        for _ in range(80):
            os.mkdir("d", dir_fd=fd)
            inner = os.open("d", os.O_RDONLY, dir_fd=fd)
            os.close(fd)
            fd = inner
        os.close(fd)
        assert list(open_at(root).scan().skipped.values()) == ["nested too deep"]

    def test_hard_links_count_once(self, root: Path) -> None:
        put(root / "MEMORY.md")
        os.link(root / "MEMORY.md", root / "memory.md")
        workspace = open_at(root)
        scan = workspace.scan()
        assert list(scan.files) == ["MEMORY.md"]
        assert scan.skipped == {"memory.md": "the same file as MEMORY.md"}
        assert workspace.load("memory.md") is None
        (root / "MEMORY.md").unlink()
        assert workspace.load("memory.md") is not None


class TestIgnoreFiles:
    def test_nested_rules_and_exceptions(self, root: Path) -> None:
        for name in ("a.md", "draft.md", "sub/draft.md", "sub/keep/draft.md", "build/x.md"):
            put(root / name)
        put(root / ".gitignore", "draft.md\nbuild/\n# a comment\n\\\n!\n")
        put(root / "sub/keep/.gitignore", "!draft.md\n")
        workspace = open_at(root)
        scan = workspace.scan()
        assert sorted(scan.files) == ["a.md", "sub/keep/draft.md"]
        assert scan.excluded == 3
        assert workspace.is_document("sub/keep/draft.md")
        assert not workspace.is_document("sub/draft.md")
        assert not workspace.is_document("build/x.md")

    def test_hippodignore_has_the_last_word(self, root: Path) -> None:
        put(root / "memory/a.md")
        put(root / "private/b.md")
        put(root / ".gitignore", "memory/\n")
        put(root / ".hippodignore", "!memory/\nprivate\n")
        assert list(open_at(root).scan().files) == ["memory/a.md"]

    def test_more_patterns_by_option(self, root: Path) -> None:
        put(root / "a.md")
        put(root / "b.md")
        assert list(open_at(root, ignore=["b.*"]).scan().files) == ["a.md"]

    def test_a_changed_ignore_file_counts_at_once(self, root: Path) -> None:
        put(root / "a.md")
        workspace = open_at(root)
        assert workspace.is_document("a.md")
        put(root / ".gitignore", "a.md\n")
        assert not workspace.is_document("a.md")

    def test_ignored_documents_can_still_be_read_and_written(self, root: Path) -> None:
        put(root / ".gitignore", "memory/\n")
        workspace = open_at(root)
        workspace.write("memory/a.md", "x\n")
        assert workspace.read("memory/a.md").text == "x\n"


class TestLinks:
    def test_a_linked_folder_under_the_root(self, root: Path, tmp_path: Path) -> None:
        put(tmp_path / "vault/memory/2026-03-03.md", "one\n")
        (tmp_path / "vault/memory/loop").symlink_to(tmp_path / "vault/memory")
        (root / "memory").symlink_to(tmp_path / "vault/memory")
        (root / "again").symlink_to(tmp_path / "vault/memory")
        workspace = open_at(root)
        scan = workspace.scan()
        assert list(scan.files) == ["again/2026-03-03.md"]
        followed = {link.path: link.followed for link in scan.links}
        assert followed == {"again": True, "memory": False, "again/loop": False}
        assert workspace.load("memory/2026-03-03.md") is None
        assert workspace.read("again/2026-03-03.md").text == "one\n"
        for change in (
            lambda: workspace.write("again/2026-03-03.md", "x"),
            lambda: workspace.append("again/2026-03-03.md", "x"),
            lambda: workspace.delete("again/2026-03-03.md"),
            lambda: workspace.write("again/new/x.md", "x"),
        ):
            with pytest.raises(PathRefused, match="through links") as caught:
                change()
            assert str(tmp_path / "vault/memory") in caught.value.hint
        assert (tmp_path / "vault/memory/2026-03-03.md").read_text() == "one\n"

    def test_other_links_are_named_and_left_alone(self, root: Path, tmp_path: Path) -> None:
        secret = put(tmp_path / "secret.md", "secret")
        put(root / "memory/a.md")
        (root / "MEMORY.md").symlink_to(secret)
        (root / "memory/x.md").symlink_to(secret)
        (root / "memory/dangling.md").symlink_to(tmp_path / "nowhere")
        (root / "inside").symlink_to(root / "memory")
        (root / "up").symlink_to(tmp_path)
        (root / "gone").symlink_to(tmp_path / "nowhere")
        workspace = open_at(root)
        scan = workspace.scan()
        assert list(scan.files) == ["memory/a.md"]
        assert {link.path for link in scan.links} == {
            "MEMORY.md", "memory/x.md", "memory/dangling.md", "inside", "up", "gone",
        }  # fmt: skip
        assert not any(link.followed for link in scan.links)
        assert not scan.absent("gone/a.md"), "a vault that is not mounted is not forgotten"
        for path in ("MEMORY.md", "memory/x.md", "inside/a.md", "up/secret.md"):
            assert workspace.load(path) is None
            with pytest.raises(PathRefused, match="is a link") as caught:
                workspace.read(path)
            assert "real path" in caught.value.hint
            with pytest.raises(PathRefused):
                workspace.write(path, "x")
        assert secret.read_text() == "secret"

    def test_a_folder_within_another_linked_one(self, root: Path, tmp_path: Path) -> None:
        put(tmp_path / "vault/sub/a.md")
        (root / "a_sub").symlink_to(tmp_path / "vault/sub")
        (root / "vault").symlink_to(tmp_path / "vault")
        scan = open_at(root).scan()
        assert list(scan.files) == ["vault/sub/a.md"]

    def test_a_link_swapped_in_cannot_lead_out(
        self, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(root / "notes/a.md", "mine\n")
        outside = put(tmp_path / "outside/a.md", "theirs\n").parent
        workspace = open_at(root)
        real = os.open

        def swap(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
            if path == "notes" and not (root / "notes").is_symlink():
                (root / "notes").rename(root / "old")
                (root / "notes").symlink_to(outside)
            return real(path, flags, mode, dir_fd=dir_fd)

        monkeypatch.setattr(os, "open", swap)
        with pytest.raises(PathRefused):
            workspace.write("notes/a.md", "x")
        assert (outside / "a.md").read_text() == "theirs\n"

    def test_hidden_links_are_never_followed(self, root: Path, tmp_path: Path) -> None:
        put(tmp_path / "vault/a.md")
        (root / ".vault").symlink_to(tmp_path / "vault")
        (root / "node_modules").symlink_to(tmp_path / "vault")
        fd = os.open(root, os.O_RDONLY)
        links = root_links(root.resolve(), fd)
        os.close(fd)
        assert not any(link.followed for link in links)
        assert not open_at(root).scan().files


class TestTree:
    def test_one_level_and_all(self, root: Path) -> None:
        for name in ("a.md", "memory/b.md", "memory/deep/c.md", "x.txt", ".git/d.md"):
            put(root / name)
        workspace = open_at(root)
        assert [(i.path, i.is_directory) for i in workspace.tree()] == [
            ("a.md", False),
            ("memory", True),
        ]
        assert [i.path for i in workspace.tree("memory")] == ["memory/b.md", "memory/deep"]
        assert [i.path for i in workspace.tree(recursive=True)] == [
            "a.md", "memory", "memory/b.md", "memory/deep", "memory/deep/c.md",
        ]  # fmt: skip
        assert [i.name for i in workspace.tree("memory/deep")] == ["c.md"]

    def test_outside_is_refused(self, root: Path) -> None:
        workspace = open_at(root)
        for directory in ("..", "/", ".memory", "a/../.."):
            with pytest.raises(PathRefused):
                workspace.tree(directory)
