"""Backups: a workspace and its state in one file, made while others write, and checked."""

import contextlib
import fcntl
import gzip
import io
import json
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hippod import archive, backup, publishing, restoring
from hippod.backup import Backups
from hippod.errors import Busy, Conflict, HippodError, InvalidInput, NotFound, StorageError
from hippod.state import State
from hippod.workspace import Workspace
from tests.asking import ask
from tests.processes import Daemon, running, wait_for

COPIED = "state.sqlite.copy-"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "workspace"
    (made / ".memory").mkdir(parents=True)
    (made / "memory").mkdir()
    (made / "memory/2026-03-03.md").write_text("# Daily Log - 2026-03-03\n")
    (made / "photo.bin").write_bytes(b"\0\xff" * 700)
    return made


def written(root: Path, target: Path, copy: backup.Copy | None = None) -> archive.Manifest:
    with closing(Backups(root, copy).begin()) as made:
        return archive.save(iter(made), target)


def names(manifest: archive.Manifest) -> list[str]:
    return [each.path for each in manifest.files]


# -- what is in it ---------------------------------------------------------------------------


class TestContent:
    def test_every_regular_file_is_in_it_and_nothing_derived(
        self, root: Path, tmp_path: Path
    ) -> None:
        (root / ".memory/index.sqlite").write_bytes(b"derived")
        (root / ".obsidian").mkdir()
        (root / ".obsidian/app.json").write_text("{}")
        (root / "empty").mkdir()
        manifest = written(root, tmp_path / "b.tgz")
        assert names(manifest) == ["photo.bin", ".obsidian/app.json", "memory/2026-03-03.md"]
        assert {each.path for each in manifest.folders} == {"", ".obsidian", "empty", "memory"}
        assert manifest.state is None

    def test_tar_unpacks_it_too(self, root: Path, tmp_path: Path) -> None:
        long = "/".join(["folder with a long name " * 4] * 3)
        (root / long).mkdir(parents=True)
        (root / long / "Ünicode — ✓.md").write_text("found\n")
        written(root, tmp_path / "b.tgz")
        with tarfile.open(tmp_path / "b.tgz") as tar:
            tar.extractall(tmp_path / "out", filter="data")
        assert (tmp_path / f"out/workspace/{long}/Ünicode — ✓.md").read_text() == "found\n"

    def test_links_and_special_files_are_named_and_left_out(
        self, root: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "outside").mkdir()
        (tmp_path / "outside/secret.md").write_text("not ours")
        (root / "linked").symlink_to(tmp_path / "outside")
        (root / "memory/link.md").symlink_to("/etc/hostname")
        os.mkfifo(root / "pipe")
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as listener:
            cwd = os.open(root, os.O_RDONLY)
            listener.bind(
                f"/proc/self/fd/{cwd}/sock" if sys.platform == "linux" else str(root / "s")
            )
            os.close(cwd)
            manifest = written(root, tmp_path / "b.tgz")
        assert names(manifest) == ["photo.bin", "memory/2026-03-03.md"]
        reasons = {each.path: each.reason for each in manifest.left_out}
        assert reasons["linked"] == f"a link to {tmp_path / 'outside'}"
        assert reasons["memory/link.md"] == "a link to /etc/hostname"
        assert reasons["pipe"] == "a pipe"
        assert "a socket" in reasons.values()
        assert not any(each.lost for each in manifest.left_out)

    def test_names_that_are_not_utf8_and_odd_ones(self, root: Path, tmp_path: Path) -> None:
        odd = ["line\nbreak.md", "#hash & space.md", os.fsdecode(b"latin-\xe9.md"), "emoji 🪶.md"]
        for name in odd:
            (root / name).write_text(name.encode("utf-8", "replace").decode())
        manifest = written(root, tmp_path / "b.tgz")
        assert set(odd) <= set(names(manifest))
        assert archive.verify(tmp_path / "b.tgz") == manifest

    def test_modes_and_times(self, root: Path, tmp_path: Path) -> None:
        (root / "photo.bin").chmod(0o640)
        os.utime(root / "photo.bin", ns=(1, 1_700_000_000_123_456_789))
        manifest = written(root, tmp_path / "b.tgz")
        assert (manifest.files[0].mode, manifest.files[0].mtime_ns) == (
            0o640,
            1_700_000_000_123_456_789,
        )

    def test_a_workspace_that_is_gone(self, tmp_path: Path) -> None:
        with pytest.raises(StorageError, match="No such file"):
            Backups(tmp_path / "gone", None).begin()


# -- consistent while others write -----------------------------------------------------------


class TestMeanwhile:
    def test_a_file_that_changes_is_read_again(
        self, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.changed_while_read(root, monkeypatch, times=1)
        manifest = written(root, tmp_path / "b.tgz")
        assert manifest.changing == ()
        assert b"version 1" in unpacked(tmp_path / "b.tgz")["workspace/photo.bin"]

    def test_one_that_never_rests_is_named(
        self, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.changed_while_read(root, monkeypatch, times=99)
        assert written(root, tmp_path / "b.tgz").changing == ("photo.bin",)

    def test_a_large_one_is_sent_again_and_the_torn_one_does_not_count(
        self, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(backup, "AT_ONCE", 100)
        self.changed_while_read(root, monkeypatch, times=1)
        manifest = written(root, tmp_path / "b.tgz")
        assert len(manifest.torn) == 1
        assert manifest.changing == ()
        with tarfile.open(tmp_path / "b.tgz") as tar:
            assert tar.getnames().count("workspace/photo.bin") == 2
        restoring.restore(tmp_path / "b.tgz", tmp_path / "new")
        assert (tmp_path / "new/photo.bin").read_bytes().startswith(b"version 1")

    def changed_while_read(self, root: Path, monkeypatch: pytest.MonkeyPatch, times: int) -> None:
        """Let a program rewrite the photo right after each of the first looks at it."""
        real, seen = backup._unchanged, []

        def unchanged(fd: int, before: os.stat_result) -> bool:
            if before.st_size > 1000 and len(seen) < times:
                seen.append(fd)
                (root / "photo.bin").write_bytes(f"version {len(seen)}".encode() + b"x" * 2000)
            return real(fd, before)

        monkeypatch.setattr(backup, "_unchanged", unchanged)

    def test_a_file_that_goes_meanwhile_is_just_gone(self, root: Path, tmp_path: Path) -> None:
        for number in range(5):
            (root / f"z{number}.md").write_text("soon gone")
        made = Backups(root, None).begin()
        (root / "memory").chmod(0o700)
        pieces = made._workspace()
        next(pieces)
        for number in range(5):
            (root / f"z{number}.md").unlink()
        rest = b"".join(pieces)
        assert b"soon gone" not in rest
        assert not made.draft.left_out
        made.close()

    @pytest.mark.parametrize("to", ["archive/2026/2026-03-03.md", "aaa.md", "photo.bin~"])
    def test_a_file_that_moves_meanwhile_is_in_it(
        self, root: Path, tmp_path: Path, to: str
    ) -> None:
        """Hygiene archives logs, editors rename the old one away."""
        (root / "archive/2026").mkdir(parents=True)
        (root / "archive/old.md").write_text("old")
        made = Backups(root, None).begin()
        pieces = moved_after(root, made, "archive/old.md", {"memory/2026-03-03.md": to})
        with closing(made):
            manifest = archive.save(pieces, tmp_path / "b.tgz")
        assert sorted(names(manifest)) == sorted(["archive/old.md", "photo.bin", to])

    def test_one_that_was_read_and_moves_then_is_there_once(
        self, root: Path, tmp_path: Path
    ) -> None:
        (root / "zoo.d").mkdir()
        (root / "zoo.d/last.md").write_text("last")
        made = Backups(root, None).begin()
        moves = {"memory/2026-03-03.md": "2026-03-03.md"}
        pieces = moved_after(root, made, "memory/2026-03-03.md", moves)
        with closing(made):
            manifest = archive.save(pieces, tmp_path / "b.tgz")
        assert sorted(names(manifest)) == ["2026-03-03.md", "photo.bin", "zoo.d/last.md"]
        restoring.restore(tmp_path / "b.tgz", tmp_path / "new")
        assert (tmp_path / "new/2026-03-03.md").read_text() == "# Daily Log - 2026-03-03\n"

    def test_a_hard_link_to_what_sqlite_holds_is_not_opened(
        self, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """To close it would drop the locks of this process on that file."""
        state = State(root / ".memory/state.sqlite")
        os.link(root / ".memory/state.sqlite", root / "hard.bin")
        os.link(root / "photo.bin", root / "twin.bin")
        opened: list[object] = []
        real = os.open
        monkeypatch.setattr(os, "open", lambda *a, **k: opened.append(a[0]) or real(*a, **k))
        manifest = written(root, tmp_path / "b.tgz", state.copy_to)
        state.close()
        assert "hard.bin" not in opened
        assert [(each.path, each.reason) for each in manifest.left_out] == [
            ("hard.bin", "a hard link to .memory/state.sqlite")
        ]
        assert {"photo.bin", "twin.bin"} <= set(names(manifest))

    def test_none_is_made_while_something_is_forgotten(self, root: Path) -> None:
        moment = 4
        backups = Backups(root, None, lambda: moment)
        begun = backups.begin()
        moment += 1
        with closing(begun), pytest.raises(Conflict, match="was forgotten while"):
            b"".join(begun)
        with pytest.raises(Busy, match="being forgotten"):
            backups.begin()
        moment += 1
        with closing(backups.begin()) as made:
            assert b"".join(made)

    def test_the_state_is_one_transaction_and_the_logs_are_not_behind_it(
        self, root: Path, tmp_path: Path
    ) -> None:
        """Retain writes to log, then to state; whatever the copy says is there stands there."""
        state = State(root / ".memory/state.sqlite")
        workspace = Workspace(root, state)
        over = threading.Event()

        def write() -> None:
            number = 0
            while not over.is_set():
                workspace.append("memory/2026-03-03.md", f"line {number}")
                state.set_meta("newest", str(number))
                number += 1

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for number in range(5):
                target = tmp_path / f"{number}.tgz"
                written(root, target, state.copy_to)
                restoring.restore(target, tmp_path / str(number))
                copy = State(tmp_path / str(number) / ".memory/state.sqlite")
                newest = copy.get_meta("newest")
                copy.close()
                log = (tmp_path / str(number) / "memory/2026-03-03.md").read_text()
                assert newest is None or f"line {newest}\n" in log
        finally:
            over.set()
            writer.join()
            state.close()

    def test_what_was_forgotten_meanwhile_ends_it(self, root: Path, tmp_path: Path) -> None:
        (root / "bank").mkdir()
        made = Backups(root, None).begin()
        (root / "bank/forgotten.md").write_text("- 2026-03-04 id " + "0" * 64)
        with closing(made), pytest.raises(Conflict, match="was forgotten while"):
            b"".join(made)

    def test_one_at_a_time(self, root: Path) -> None:
        backups = Backups(root, None)
        first = backups.begin()
        with pytest.raises(Busy):
            backups.begin()
        first.close()
        first.close()
        backups.begin().close()

    def test_who_has_read_the_end_of_one_may_begin_another(self, root: Path) -> None:
        """The last bytes are out before its owner closes it."""
        backups = Backups(root, None)
        first = backups.begin()
        assert b"".join(first)
        with closing(backups.begin()) as second:
            assert b"".join(second)
        first.close()

    def test_a_state_that_cannot_be_copied_lets_others_go_on(self, root: Path) -> None:
        def fails(target: Path) -> int:
            raise StorageError("disk full")

        backups = Backups(root, fails)
        for _ in range(2):
            with pytest.raises(StorageError, match="disk full"):
                backups.begin()

    def test_the_copy_of_a_killed_run_goes(self, root: Path, tmp_path: Path) -> None:
        state = State(root / ".memory/state.sqlite")
        (root / f".memory/{COPIED}0123456789abcdef").write_text("left over")
        assert written(root, tmp_path / "b.tgz", state.copy_to).state is not None
        assert not list((root / ".memory").glob(f"{COPIED}*"))
        (root / f".memory/{COPIED}0123456789abcdef").write_text("left over")
        assert state.drop_backups() == [f"{COPIED}0123456789abcdef"]
        state.close()


def moved_after(
    root: Path, made: backup.Backup, path: str, moves: dict[str, str]
) -> Iterator[bytes]:
    """Yield a backup, and move files once it has sent the one at `path`."""
    is_moved = False
    for piece in made._pieces():
        yield piece
        if not is_moved and path in [each.path for each in made.draft.files]:
            for old, new in moves.items():
                (root / old).rename(root / new)
            is_moved = True


# -- writing the file ------------------------------------------------------------------------


class TestFile:
    def test_it_is_for_its_owner_alone(self, root: Path, tmp_path: Path) -> None:
        written(root, tmp_path / "b.tgz")
        assert (tmp_path / "b.tgz").stat().st_mode & 0o777 == 0o600

    def test_nothing_is_written_over_unless_told_to(self, root: Path, tmp_path: Path) -> None:
        (tmp_path / "b.tgz").write_text("precious")
        with pytest.raises(Conflict, match="exists already"):
            written(root, tmp_path / "b.tgz")
        assert (tmp_path / "b.tgz").read_text() == "precious"
        with closing(Backups(root, None).begin()) as made:
            archive.save(iter(made), tmp_path / "b.tgz", force=True)
        archive.verify(tmp_path / "b.tgz")

    @pytest.mark.parametrize("make", [Path.mkdir, lambda path: path.symlink_to("elsewhere")])
    def test_what_is_no_file_is_never_replaced(
        self, root: Path, tmp_path: Path, make: Callable[[Path], object]
    ) -> None:
        make(tmp_path / "b.tgz")
        with pytest.raises(Conflict, match="no regular file"):
            archive.save([], tmp_path / "b.tgz", force=True)

    @pytest.mark.parametrize("end", [0, 100, 5000, -1])
    def test_a_stream_that_breaks_off_leaves_nothing(
        self, root: Path, tmp_path: Path, end: int
    ) -> None:
        with closing(Backups(root, None).begin()) as made:
            data = b"".join(made)
        (tmp_path / "b.tgz").write_text("the one of yesterday")
        with pytest.raises(HippodError, match="broke off"):
            archive.save([data[:end]], tmp_path / "b.tgz", force=True)
        assert (tmp_path / "b.tgz").read_text() == "the one of yesterday"
        assert sorted(path.name for path in tmp_path.iterdir()) == ["b.tgz", "workspace"]

    def test_what_a_killed_run_left_goes_and_what_works_stays(
        self, root: Path, tmp_path: Path
    ) -> None:
        dead = tmp_path / ".b.tgz.0123456789abcdef.hippod-part"
        dead.write_text("half")
        live, fd = publishing._temp(tmp_path / "b.tgz")
        try:
            written(root, tmp_path / "b.tgz")
            assert not dead.exists()
            assert live.exists()
        finally:
            os.close(fd)

    @pytest.mark.parametrize("name", ["n" * 255, "ü" * 127])
    def test_a_name_as_long_as_may_be(self, root: Path, tmp_path: Path, name: str) -> None:
        written(root, tmp_path / name)
        archive.verify(tmp_path / name)

    def test_no_folder(self, root: Path, tmp_path: Path) -> None:
        with pytest.raises(StorageError, match="No such file"):
            written(root, tmp_path / "none/b.tgz")

    def test_what_killed_runs_of_other_names_left_is_swept(
        self, root: Path, tmp_path: Path
    ) -> None:
        dead = tmp_path / f".day1.tgz.{'a1' * 8}.hippod-part"
        young, theirs = dead.with_name(f".day2.tgz.{'a1' * 8}.hippod-part"), tmp_path / ".x.part"
        works = dead.with_name(f".day3.tgz.{'a1' * 8}.hippod-part")
        for each in (dead, young, theirs, works):
            each.write_text("half")
            os.utime(each, (1, 1) if each is not young else None)
        with works.open() as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            written(root, tmp_path / "day4.tgz")
        assert [each.exists() for each in (dead, young, theirs, works)] == [False, True, True, True]

    def test_not_into_the_workspace(self, root: Path, tmp_path: Path) -> None:
        (tmp_path / "way in").symlink_to(root)
        for target in (root / "b.tgz", root / "x/../b.tgz", tmp_path / "way in/b.tgz"):
            with pytest.raises(InvalidInput, match="lies in the workspace"):
                publishing.refuse_inside(target, root)
        publishing.refuse_inside(tmp_path / "workspace-b.tgz", root)

    def test_memory_stays_flat(self, root: Path, tmp_path: Path) -> None:
        """A file of 100 MB (with a hole) goes through pieces."""
        import tracemalloc

        with (root / "large.bin").open("wb") as file:
            file.truncate(100_000_000)
        tracemalloc.start()
        with closing(Backups(root, None).begin()) as made:
            size = sum(map(len, made))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert size > 100_000_000
        assert peak < 12_000_000


def unpacked(file: Path) -> dict[str, bytes]:
    with tarfile.open(file) as tar:
        members = [(each.name, tar.extractfile(each)) for each in tar]
        return {name: stream.read() for name, stream in members if stream}


# -- damaged ones ----------------------------------------------------------------------------


@pytest.fixture
def whole(root: Path, tmp_path: Path) -> Path:
    written(root, tmp_path / "whole.tgz")
    return tmp_path / "whole.tgz"


class TestDamage:
    def test_cut_anywhere(self, whole: Path, tmp_path: Path) -> None:
        data = whole.read_bytes()
        cut = tmp_path / "cut.tgz"
        for end in [*range(0, len(data), 37), len(data) - 1]:
            cut.write_bytes(data[:end])
            with pytest.raises(HippodError):
                archive.verify(cut)

    def test_a_bit_flipped_anywhere(self, whole: Path, tmp_path: Path) -> None:
        data = whole.read_bytes()
        wrong = tmp_path / "wrong.tgz"
        good = archive.verify(whole)
        for place in range(0, len(data), 11):
            flipped = bytearray(data)
            flipped[place] ^= 1 << place % 8
            wrong.write_bytes(flipped)
            with contextlib.suppress(HippodError):
                # a byte of gzip's that means nothing, or another way to pack the same
                assert archive.verify(wrong) == good

    def test_other_files(self, tmp_path: Path) -> None:
        file = tmp_path / "other"
        for data in (b"", b"hello", gzip.compress(b""), gzip.compress(b"x" * 2000)):
            file.write_bytes(data)
            with pytest.raises(HippodError, match="cannot be used"):
                archive.verify(file)
        with pytest.raises(NotFound, match="no such file"):
            archive.verify(tmp_path / "none")

    def test_something_behind_the_end(self, whole: Path) -> None:
        with whole.open("ab") as file:
            file.write(gzip.compress(b"more"))
        with pytest.raises(HippodError, match="behind the end"):
            archive.verify(whole)

    def test_a_newer_format_is_said(self, whole: Path) -> None:
        whole.write_bytes(
            gzip.compress(archive.whole(archive.HEADER, b'{"hippod-backup": 2}') + bytes(1024))
        )
        with pytest.raises(HippodError, match="has format 2, this hippod knows 1"):
            archive.verify(whole)


# -- over the socket -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running(tmp_path_factory.mktemp("backup")) as daemon:
        daemon.client.retain(facts=["W @Ina: Has the spare key."])
        yield daemon
        assert "Traceback" not in daemon.log.read_text()


over_the_socket = [pytest.mark.slow, pytest.mark.xdist_group("backup")]


class TestDaemon:
    pytestmark = over_the_socket

    def test_the_command_while_the_daemon_runs(self, daemon: Daemon, tmp_path: Path) -> None:
        made = daemon.cli("backup", str(tmp_path / "b.tgz"))
        assert made.returncode == 0, made.stderr
        assert "with its state" in made.stdout
        checked = daemon.cli("--json", "backup", "--verify", str(tmp_path / "b.tgz"))
        assert json.loads(checked.stdout)["workspace"] == str(daemon.workspace)
        assert daemon.cli("backup", str(tmp_path / "b.tgz")).returncode == 5
        assert daemon.cli("backup", "--force", str(tmp_path / "b.tgz")).returncode == 0
        inside = daemon.cli("backup", str(daemon.workspace / "b.tgz"))
        assert (inside.returncode, "lies in the workspace" in inside.stderr) == (2, True)

    def test_the_daemon_knows_when_the_last_one_was_made(
        self, daemon: Daemon, tmp_path: Path
    ) -> None:
        assert daemon.cli("backup", str(tmp_path / "b.tgz")).returncode == 0
        made = daemon.client.status()["state"]["last_backup"]
        assert datetime.now(UTC) - datetime.fromisoformat(made) < timedelta(minutes=1)
        assert made in daemon.cli("status", "--verbose").stdout

    def test_not_for_a_group(self, daemon: Daemon, tmp_path: Path) -> None:
        refused = daemon.cli("--scope", "group", "backup", str(tmp_path / "b.tgz"))
        assert (refused.returncode, refused.stderr.count("\n")) == (1, 1), refused.stderr
        assert ask(daemon.socket, "GET", "/v1/backup?scope=group").status == 403
        assert not (tmp_path / "b.tgz").exists()

    def test_a_client_that_goes_away_ends_the_work(self, daemon: Daemon) -> None:
        with (daemon.workspace / "large.bin").open("wb") as file:
            file.truncate(200_000_000)
        try:
            client = socket.socket(socket.AF_UNIX)
            client.connect(str(daemon.socket))
            client.sendall(b"GET /v1/backup HTTP/1.1\r\nHost: x\r\n\r\n")
            assert client.recv(1000).startswith(b"HTTP/1.1 200")
            assert ask(daemon.socket, "GET", "/v1/backup").status == 423
            client.close()
            wait_for(self.is_free(daemon), "the next backup to be possible")
            assert not list((daemon.workspace / ".memory").glob(f"{COPIED}*"))
        finally:
            (daemon.workspace / "large.bin").unlink()

    def is_free(self, daemon: Daemon) -> Callable[[], bool]:
        def answers() -> bool:
            client = socket.socket(socket.AF_UNIX)
            with closing(client):
                client.connect(str(daemon.socket))
                client.sendall(b"GET /v1/backup HTTP/1.1\r\nHost: x\r\n\r\n")
                return client.recv(1000).startswith(b"HTTP/1.1 200")

        return answers

    def test_kill_9_in_the_middle_leaves_no_file(self, daemon: Daemon, tmp_path: Path) -> None:
        with (daemon.workspace / "large.bin").open("wb") as file:
            file.truncate(400_000_000)
        try:
            target = tmp_path / "b.tgz"
            client = subprocess.Popen(
                [sys.executable, "-m", "hippod", "backup", str(target)], env=daemon.environ
            )
            wait_for(lambda: list(tmp_path.glob(".b.tgz.*.hippod-part")), "the backup to begin")
            client.kill()
            client.wait()
            assert not target.exists()
        finally:
            (daemon.workspace / "large.bin").unlink()
        wait_for(lambda: daemon.cli("backup", str(target)).returncode == 0, "the next run")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["b.tgz"]

    def test_made_while_retain_writes_a_restored_one_finishes_and_remembers_the_same(
        self, daemon: Daemon, tmp_path: Path
    ) -> None:
        """Facts that the backup finds half done are there once in the end; recall, ids and the
        undo history are as they were."""
        daemon.client.write("context/heron.md", "The heron fishes at the weir.\n")
        daemon.settle()
        logged = [each["id"] for each in daemon.client.log()["entries"]]
        session = daemon.workspace / "sessions/talk.jsonl"
        session.parent.mkdir(exist_ok=True)
        session.write_text("".join(said()))
        made = [tmp_path / f"{number}.tgz" for number in range(2)]
        for target in made:
            daemon.client.backup(target)
        wait_for(lambda: is_done(daemon), "the facts of the talk")
        other = Daemon(tmp_path)
        restored = other.cli("restore", str(made[1]))
        assert restored.returncode == 0, restored.stderr
        other.start()
        try:
            wait_for(lambda: is_done(other), "the facts of the talk")
            assert facts(other.workspace) == facts(daemon.workspace) != []
            other.settle()
            daemon.settle()
            assert first_hit(other, "heron") == first_hit(daemon, "heron")
            assert set(logged) <= {each["id"] for each in other.client.log(limit=50)["entries"]}
            other.client.undo(logged[0])
            assert not (other.workspace / "context/heron.md").exists()
            assert other.stop() == 0
        finally:
            if other.process and other.process.poll() is None:
                other.kill()


THINGS = ("loom", "kayak", "anvil", "cello", "easel", "sextant", "trowel")
KEEPERS = ("Olaf", "Ina", "Marek")


def said() -> Iterator[str]:
    """Yield the lines of a transcript that says 21 things: several batches."""
    for hour, keeper in enumerate(KEEPERS, 9):
        for minute, thing in enumerate(THINGS, 10):
            text = f"Remember that the {thing} of {keeper} is in room {hour * minute}."
            time = f"2026-03-03T{hour:02}:{minute}:00Z"
            yield json.dumps({"role": "user", "content": text, "timestamp": time}) + "\n"


def is_done(daemon: Daemon) -> bool:
    retain = daemon.client.status()["retain"]
    turns = next(each["turns"] for each in retain["sources"] if each["name"] != "log")
    return turns >= len(THINGS) * len(KEEPERS) and not retain["batches_open"]


def facts(workspace: Path) -> list[str]:
    """Return the facts of the talk, however often each stands there."""
    log = workspace / "memory/2026-03-03.md"
    return sorted(line for line in log.read_text().splitlines() if " ^" in line)


def first_hit(daemon: Daemon, query: str) -> tuple[str, str]:
    hit = daemon.client.recall(query, limit=1)["hits"][0]
    return hit["id"], hit["source"]


@pytest.mark.slow
def test_without_a_daemon(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path)
    assert daemon.cli("init").returncode == 0
    assert "without a state" in daemon.cli("backup", str(tmp_path / "a.tgz")).stdout
    state = State(daemon.workspace / ".memory/state.sqlite")
    state.set_meta("there", "yes")
    state.close()
    made = daemon.cli("backup", str(tmp_path / "b.tgz"))
    assert (made.returncode, "with its state" in made.stdout) == (0, True)
    shutil.rmtree(daemon.workspace)
    assert daemon.cli("restore", str(tmp_path / "b.tgz")).returncode == 0
    state = State(daemon.workspace / ".memory/state.sqlite")
    assert state.get_meta("there") == "yes"
    state.close()


def test_many_files(root: Path, tmp_path: Path) -> None:
    for number in range(400):
        (root / f"n{number}.md").write_text(f"note {number}\n")
    manifest = written(root, tmp_path / "b.tgz")
    assert len(manifest.files) == 402
    assert io.BytesIO(archive.last(manifest)).getbuffer().nbytes < 260_000
