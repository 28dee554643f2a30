"""Restoring: hostile and damaged archives are refused with the target as it was."""

import errno
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hippod import archive, lock, publishing, restoring
from hippod.archive import File, Folder, Manifest, manifest, reading
from hippod.backup import Backups
from hippod.errors import Busy, Conflict, HippodError, InvalidInput, StorageError
from hippod.restoring import restore
from hippod.state import State
from hippod.transcripts.turns import Cursor
from tests.processes import wait_for

NOW = datetime(2026, 3, 3, 12, tzinfo=UTC)


def packed(place: Path, *members: tuple[str, bytes], **manifest: Any) -> Path:
    """Write an archive whose manifest says of its members what they are, unless told else."""
    files = [
        File(
            name.removeprefix(archive.WORKSPACE), len(data), hashlib.sha256(data).hexdigest(),
            0o644, 0, number,
        )
        for number, (name, data) in enumerate(members, 1)
    ]  # fmt: skip
    made = Manifest("0", NOW.isoformat(), "/home/ada/old", tuple(files))
    body = b"".join(archive.whole(name, data) for name, data in members)
    data = archive.first() + body + archive.last(replace(made, **manifest))
    place.write_bytes(gzip.compress(data))
    return place


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "workspace"
    (made / "memory").mkdir(parents=True)
    (made / "memory/2026-03-03.md").write_text("# Daily Log - 2026-03-03\n")
    (made / "empty").mkdir(mode=0o500)
    (made / "run.sh").write_text("#!/bin/sh\n")
    (made / "run.sh").chmod(0o750)
    os.utime(made / "run.sh", ns=(0, 1_700_000_000_123_456_789))
    return made


@pytest.fixture
def file(root: Path, tmp_path: Path) -> Path:
    state = State(lock.prepare(root) / "state.sqlite")
    state.set_meta("there", "yes")
    with closing(Backups(root, state.copy_to).begin()) as made:
        archive.save(iter(made), tmp_path / "b.tgz")
    state.close()
    return tmp_path / "b.tgz"


# -- where it goes ---------------------------------------------------------------------------


class TestTarget:
    def test_what_was_there_is_there_again(self, root: Path, file: Path, tmp_path: Path) -> None:
        done = restore(file, tmp_path / "a/new")
        new = tmp_path / "a/new"
        assert (done.target, done.aside) == (new, None)
        assert (new / "memory/2026-03-03.md").read_text() == "# Daily Log - 2026-03-03\n"
        assert (new / "empty").stat().st_mode & 0o777 == 0o500
        info = (new / "run.sh").stat()
        assert (info.st_mode & 0o777, info.st_mtime_ns) == (0o750, 1_700_000_000_123_456_789)
        assert (new / ".memory").stat().st_mode & 0o777 == 0o700
        assert (new / ".memory/state.sqlite").stat().st_mode & 0o777 == 0o600
        assert [path.name for path in (tmp_path / "a").iterdir()] == ["new"]
        state = State(new / ".memory/state.sqlite")
        assert state.get_meta("there") == "yes"
        state.close()

    def test_an_empty_folder_is_filled(self, file: Path, tmp_path: Path) -> None:
        (tmp_path / "new").mkdir()
        restore(file, tmp_path / "new")
        assert (tmp_path / "new/run.sh").exists()

    def test_what_stands_there_is_not_touched_without_replace(self, root: Path, file: Path) -> None:
        (root / "memory/2026-03-03.md").write_text("newer\n")
        with pytest.raises(Conflict, match="is not empty"):
            restore(file, root)
        assert (root / "memory/2026-03-03.md").read_text() == "newer\n"

    def test_replace_moves_it_aside_whole(self, root: Path, file: Path) -> None:
        (root / "memory/2026-03-03.md").write_text("newer\n")
        done = restore(file, root, replace=True, now=NOW)
        assert done.aside == root.with_name("workspace.replaced-20260303T120000Z")
        assert (done.aside / "memory/2026-03-03.md").read_text() == "newer\n"
        assert (root / "memory/2026-03-03.md").read_text() == "# Daily Log - 2026-03-03\n"

    def test_a_file_in_its_place(self, file: Path, tmp_path: Path) -> None:
        (tmp_path / "new").write_text("a file")
        with pytest.raises(Conflict):
            restore(file, tmp_path / "new")
        done = restore(file, tmp_path / "new", replace=True)
        assert done.aside is not None
        assert done.aside.read_text() == "a file"

    def test_a_link_in_its_place_is_followed(self, file: Path, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(tmp_path / "real")
        restore(file, tmp_path / "link")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "real/run.sh").exists()

    def test_not_in_place_of_the_root(self, file: Path) -> None:
        for dry_run in (True, False):
            with pytest.raises(InvalidInput, match="is the root"):
                restore(file, Path("/"), replace=True, dry_run=dry_run)

    def test_a_name_as_long_as_may_be(self, root: Path, file: Path, tmp_path: Path) -> None:
        target = tmp_path / ("ü" * 127)
        restore(file, target)
        done = restore(file, target, replace=True, now=NOW)
        assert (target / "run.sh").exists()
        assert done.aside is not None
        assert (done.aside / "run.sh").exists()

    def test_dry_run_writes_nothing(self, root: Path, file: Path, tmp_path: Path) -> None:
        before = sorted(path.name for path in tmp_path.iterdir())
        done = restore(file, root, replace=True, dry_run=True)
        assert done.aside is not None
        assert not done.aside.exists()
        restore(file, tmp_path / "new", dry_run=True)
        assert sorted(path.name for path in tmp_path.iterdir()) == before

    def test_not_while_a_daemon_runs(self, root: Path, file: Path) -> None:
        with lock.hold(root), pytest.raises(Busy):
            restore(file, root, replace=True)
        assert not list(root.parent.glob("*.replaced-*"))

    def test_transcripts_in_the_workspace_are_known_where_they_lie_now(
        self, root: Path, tmp_path: Path
    ) -> None:
        state = State(lock.prepare(root) / "state.sqlite")
        cursor = Cursor(1, 42, 300, 3, 10, "aa", "bb", "generic", "3f2a", "main")
        for path in (root / "sessions/a.jsonl", Path("/elsewhere/b.jsonl")):
            state.set_cursor("main", str(path), cursor)
        with closing(Backups(root, state.copy_to).begin()) as made:
            archive.save(iter(made), tmp_path / "b.tgz")
        state.close()
        restore(tmp_path / "b.tgz", tmp_path / "new")
        moved = State(tmp_path / "new/.memory/state.sqlite")
        assert sorted(path for _, path in moved.cursors()) == [
            "/elsewhere/b.jsonl",
            str(tmp_path / "new/sessions/a.jsonl"),
        ]
        moved.close()


class TestFaults:
    def test_too_little_space(
        self, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        usage = shutil.disk_usage(tmp_path)
        monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1000))
        with pytest.raises(StorageError, match="1000 are free"):
            restore(file, tmp_path / "new")
        assert not (tmp_path / "new").exists()

    @pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EBUSY])
    def test_a_disk_that_fails_leaves_the_target_as_it_was(
        self, root: Path, file: Path, monkeypatch: pytest.MonkeyPatch, code: int
    ) -> None:
        def fails(temp: Path, target: Path, aside: Path | None) -> None:
            raise OSError(code, os.strerror(code), str(target))

        (root / "memory/2026-03-03.md").write_text("newer\n")
        monkeypatch.setattr(restoring, "_name", fails)
        with pytest.raises(StorageError):
            restore(file, root, replace=True)
        assert (root / "memory/2026-03-03.md").read_text() == "newer\n"
        assert sorted(path.name for path in root.parent.iterdir()) == ["b.tgz", "workspace"]

    def test_what_was_moved_aside_comes_back_if_the_new_one_cannot_go_there(
        self, root: Path, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = Path.rename

        def rename(self: Path, target: Path) -> Path:
            if self.name.endswith(".restoring"):
                raise OSError(errno.EXDEV, "no")
            return real(self, target)

        monkeypatch.setattr(Path, "rename", rename)
        with pytest.raises(StorageError):
            restore(file, root, replace=True)
        assert (root / "run.sh").exists()

    def test_a_damaged_state_is_refused(self, tmp_path: Path) -> None:
        data = b"not a database" * 100
        state = File("state.sqlite", len(data), hashlib.sha256(data).hexdigest(), 0o600, 0, 1)
        made = packed(tmp_path / "b.tgz", ("state.sqlite", data), files=(), state=state)
        with pytest.raises(StorageError):
            restore(made, tmp_path / "new")
        assert not (tmp_path / "new").exists()

    def test_a_state_of_a_newer_hippod_is_refused(self, root: Path, tmp_path: Path) -> None:
        state = State(lock.prepare(root) / "state.sqlite")
        with state.transaction():
            state.execute("PRAGMA user_version=99")
        with closing(Backups(root, state.copy_to).begin()) as made:
            archive.save(iter(made), tmp_path / "b.tgz")
        state.close()
        with pytest.raises(StorageError, match="newer hippod"):
            restore(tmp_path / "b.tgz", tmp_path / "new")
        assert not (tmp_path / "new").exists()

    def test_an_archive_that_changes_between_the_looks(
        self, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other = packed(tmp_path / "other.tgz", ("workspace/a.md", b"x"))
        real = archive.members
        monkeypatch.setattr(restoring.archive, "verify", lambda path: VERIFIED)
        monkeypatch.setattr(restoring.archive, "members", lambda path: real(other))
        VERIFIED = Manifest(  # noqa: N806
            "0", "", "", (File("a.md", 1, hashlib.sha256(b"y").hexdigest(), 0o644, 0, 1),)
        )
        with pytest.raises(HippodError, match="changed while"):
            restore(file, tmp_path / "new")
        assert not (tmp_path / "new").exists()

    @pytest.mark.slow
    def test_kill_9_leaves_no_half_workspace_and_the_next_run_works(
        self, file: Path, tmp_path: Path
    ) -> None:
        target = tmp_path / "new"
        code = (
            "import sys; from pathlib import Path; from hippod import restoring\n"
            "restoring.os.sync = sys.stdin.read  # all is written, nothing has its name\n"
            "restoring.restore(Path(sys.argv[1]), Path(sys.argv[2]))"
        )
        child = subprocess.Popen(
            [sys.executable, "-c", code, str(file), str(target)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
        )
        wait_for(lambda: list(tmp_path.glob(".new.*.restoring/run.sh")), "the unpacking")
        assert publishing.sweep(target, ".restoring") == []  # it works: it is left alone
        child.kill()
        child.communicate()
        assert not target.exists()
        assert len(list(tmp_path.glob(".new.*.restoring"))) == 1
        restore(file, target)
        assert (target / "run.sh").exists()
        assert not list(tmp_path.glob(".new.*"))


# -- hostile archives ------------------------------------------------------------------------


def refused(made: Path, target: Path) -> str:
    """Return the one line with which an archive is refused, and nothing is written."""
    before = sorted(map(str, target.parent.rglob("*")))
    with pytest.raises(HippodError) as caught:
        restore(made, target)
    assert sorted(map(str, target.parent.rglob("*"))) == before
    assert "\n" not in caught.value.message
    return caught.value.message


PARTS = st.sampled_from(["..", ".", "", "a", "b.md", ".memory", ".MEMORY", "\0", "a" * 256, "ü"])


class TestHostile:
    @pytest.mark.parametrize(
        "path",
        ["/etc/cron.d/x", "../x", "a/../../x", "a//b", "./x", ".memory/lock", ".Memory/lock",
         "．memory/x", "a\0b", "x" * 300, "a/" * 3000 + "x", ""],
    )  # fmt: skip
    def test_paths_that_leave(self, tmp_path: Path, path: str) -> None:
        file = File(path, 1, hashlib.sha256(b"x").hexdigest(), 0o644, 0, 1)
        name = "workspace/" + path.replace("\0", "")
        made = packed(tmp_path / "b.tgz", (name, b"x"), files=(file,))
        refused(made, tmp_path / "new")

    @given(st.lists(PARTS, min_size=1, max_size=5).map("/".join))
    @settings(max_examples=200, deadline=None)
    @example("a/../b")
    def test_a_path_is_let_in_only_if_it_stays_inside(self, path: str) -> None:
        root = Path("/srv/workspace")
        if not archive.path_fault(path):
            assert not {"..", ".", ""} & set(path.split("/"))
            assert Path(os.path.normpath(root / path)).is_relative_to(root)
            assert path.split("/")[0].casefold() != ".memory"

    @given(st.text(max_size=30))
    @settings(max_examples=300, deadline=None)
    def test_any_text_as_a_path(self, path: str) -> None:
        if not archive.path_fault(path):
            assert Path(os.path.normpath(f"/srv/w/{path}")).is_relative_to("/srv/w")
            assert os.fsencode(path)

    @given(st.lists(st.sampled_from(["a", "a/b", "a/b/c", "b", "A"]), min_size=1, max_size=4))
    @settings(max_examples=100, deadline=None)
    def test_names_that_cannot_stand_side_by_side(self, paths: list[str]) -> None:
        files = tuple(File(path, 0, "", 0, 0, n) for n, path in enumerate(paths))
        try:
            archive.check_paths(Manifest("", "", "", files))
        except ValueError:
            return
        assert len(set(paths)) == len(paths)
        assert not any(a.startswith(f"{b}/") for a in paths for b in paths)

    @pytest.mark.parametrize(
        "kind",
        [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE,
         tarfile.DIRTYPE, tarfile.CONTTYPE, tarfile.GNUTYPE_SPARSE, tarfile.GNUTYPE_LONGNAME,
         tarfile.XGLTYPE],
    )  # fmt: skip
    def test_links_devices_and_the_like(self, tmp_path: Path, kind: bytes) -> None:
        info = tarfile.TarInfo("workspace/x")
        info.type, info.linkname = kind, "/etc/passwd"
        block = info.tobuf(tarfile.GNU_FORMAT)
        data = archive.first() + block + archive.last(Manifest("0", "", "", ()))
        (tmp_path / "b.tgz").write_bytes(gzip.compress(data))
        refused(tmp_path / "b.tgz", tmp_path / "new")

    def test_a_file_twice(self, tmp_path: Path) -> None:
        one = ("workspace/a.md", b"x")
        assert "a file twice" in refused(packed(tmp_path / "b.tgz", one, one), tmp_path / "new")

    def test_a_member_that_no_one_named(self, tmp_path: Path) -> None:
        made = packed(tmp_path / "b.tgz", ("workspace/a.md", b"x"), files=())
        assert "does not name" in refused(made, tmp_path / "new")

    def test_a_member_that_is_missing(self, tmp_path: Path) -> None:
        file = File("a.md", 1, "00", 0o644, 0, 7)
        refused(packed(tmp_path / "b.tgz", files=(file,)), tmp_path / "new")

    def test_torn_members_that_are_none(self, tmp_path: Path) -> None:
        made = packed(tmp_path / "b.tgz", ("workspace/a.md", b"x"), files=(), torn=(9,))
        refused(made, tmp_path / "new")

    def test_a_file_in_a_file(self, tmp_path: Path) -> None:
        made = packed(tmp_path / "b.tgz", ("workspace/a", b"x"), ("workspace/a/b", b"y"))
        assert "lies in a file" in refused(made, tmp_path / "new")

    def test_folders_that_leave(self, tmp_path: Path) -> None:
        for path in ("../up", "/abs", ".memory"):
            made = packed(tmp_path / "b.tgz", folders=(Folder(path, 0o755),))
            refused(made, tmp_path / "new")

    def test_set_uid_is_not_taken_over(self, tmp_path: Path) -> None:
        file = File("a", 1, hashlib.sha256(b"x").hexdigest(), 0o4755, 0, 1)
        restore(packed(tmp_path / "b.tgz", ("workspace/a", b"x"), files=(file,)), tmp_path / "new")
        assert (tmp_path / "new/a").stat().st_mode & 0o7777 == 0o755

    def test_a_bomb_is_refused_before_a_byte_is_written(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Sizes are those of the manifest, and it is compared before anything is unpacked."""
        data = bytes(30_000_000)
        made = packed(tmp_path / "b.tgz", ("workspace/zeros", data))
        assert made.stat().st_size < 50_000
        usage = shutil.disk_usage(tmp_path)
        monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=20_000_000))
        assert "are free" in refused(made, tmp_path / "new")
        lies = File("zeros", 10, hashlib.sha256(bytes(10)).hexdigest(), 0o644, 0, 1)
        made = packed(tmp_path / "c.tgz", ("workspace/zeros", data), files=(lies,))
        assert "is not what its manifest says" in refused(made, tmp_path / "new")

    def test_a_first_member_without_end(self, tmp_path: Path) -> None:
        """It is refused by what it says of its size, before it is held in memory."""
        data = archive.head(archive.HEADER, 8_000_000_000) + bytes(3_000_000)
        (tmp_path / "b.tgz").write_bytes(gzip.compress(data))
        assert "has 8000000000 bytes" in refused(tmp_path / "b.tgz", tmp_path / "new")

    def test_members_without_end(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(reading, "_MOST_MEMBERS", 3)
        names = [(f"workspace/{number}", b"") for number in range(4)]
        made = packed(tmp_path / "b.tgz", *names)
        assert "more than 3 members" in refused(made, tmp_path / "new")

    def test_a_manifest_without_end(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(reading, "_LONGEST_MANIFEST", 100)
        made = packed(tmp_path / "b.tgz", folders=(Folder("x" * 200, 0o700),))
        assert "manifest.json has" in refused(made, tmp_path / "new")

    def test_a_name_without_end(self, tmp_path: Path) -> None:
        info = tarfile.TarInfo("x")
        info.type, info.size = tarfile.XHDTYPE, 2_000_000_000
        data = archive.first() + info.tobuf(tarfile.USTAR_FORMAT) + bytes(1_000_000)
        (tmp_path / "b.tgz").write_bytes(gzip.compress(data))
        assert "too long" in refused(tmp_path / "b.tgz", tmp_path / "new")

    @given(st.binary(max_size=300))
    @settings(max_examples=150, deadline=None)
    @example(b"30 path=workspace/../../etc/x\n")
    @example(b"9999 path=x\n")
    @example(b"6 a=b\n")
    @example(b"0 a=\n")
    def test_any_extended_header(self, data: bytes) -> None:
        try:
            found = reading._extension(data)
        except ValueError:
            return
        assert all(isinstance(value, str) for value in found.values())

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(
                        ["format", "files", "state", "path", "torn", "folders", "member"]
                    ),
                    inner,
                    max_size=4,
                )
            ),
            max_leaves=12,
        )
    )
    @settings(max_examples=200, deadline=None)
    def test_any_manifest(self, found: object) -> None:
        import json

        with pytest.raises(ValueError, match=r"manifest|format"):
            manifest.decode(json.dumps(found).encode())

    def test_a_deep_manifest(self, tmp_path: Path) -> None:
        data = archive.first() + archive.whole(archive.MANIFEST, b"[" * 200_000) + bytes(1024)
        (tmp_path / "b.tgz").write_bytes(gzip.compress(data))
        refused(tmp_path / "b.tgz", tmp_path / "new")


def test_the_state_is_a_single_file_that_sqlite_finds_sound(file: Path, tmp_path: Path) -> None:
    restore(file, tmp_path / "new")
    names = {path.name for path in (tmp_path / "new/.memory").iterdir()}
    assert names == {"state.sqlite", ".gitignore"}
    with closing(apsw.Connection(str(tmp_path / "new/.memory/state.sqlite"))) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_not_inside_another_workspace(file: Path, root: Path) -> None:
    (root / ".memory/lock").touch()
    with pytest.raises(InvalidInput, match="lies in the workspace"):
        restore(file, root / "inner")
    assert not (root / "inner").exists()


def test_a_running_daemon_is_to_be_stopped_first(file: Path, root: Path) -> None:
    with lock.hold(root), pytest.raises(Busy) as caught:
        restore(file, root, replace=True)
    assert "hippod service stop" in caught.value.hint
