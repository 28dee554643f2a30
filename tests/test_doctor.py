"""The doctor: for each check something broken that it tells of, and what is well passes."""

import dataclasses
import itertools
import json
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from importlib import metadata
from pathlib import Path
from typing import Any

import apsw
import pytest

from hippod import cli, lock, wire, workspace_seed
from hippod.client import Client
from hippod.compose import assemble
from hippod.config import Config, load
from hippod.doctor import databases, process, times
from hippod.doctor.checks import CHECKS
from hippod.doctor.configuration import line_of
from hippod.doctor.finding import Found, fail, ok, size, some, warn
from hippod.doctor.running import Check, Doctor
from hippod.doctor.subject import Models, Subject
from hippod.errors import Forbidden, InvalidInput, ModelUnavailable
from hippod.service import Jobs, Memory
from hippod.wire_doctor import DoctorRequest, Finding
from tests.fake_door import FakeDoor
from tests.fakes import FakeEmbedder, FakeGenerator
from tests.test_upgrade import old_state, schema_of

Broken = Callable[["House"], Subject | None]

SECRET = "sk-live-" + "9fQ2xT7bLm4Zc8Vn1Rk6Wp3Y"
NOTE = "# Boats\n\nThe blue boat lies behind the old mill until the spring flood is over.\n"
MOUNT = "36 25 0:32 / {} rw,relatime shared:1 - {} /dev/x rw\n"


class Watching:
    """A watcher that delivers what it is told to."""

    def __init__(self, seconds: float | None = 0.2) -> None:
        self.seconds = seconds
        self.restarts = 0

    def delivers(self, seconds: float) -> float | None:
        return self.seconds

    def restart(self) -> None:
        self.restarts += 1
        self.seconds = 0.1


class Listed(Jobs):
    """Jobs as they are listed."""

    def __init__(self, *jobs: wire.Job) -> None:
        self.jobs = list(jobs)

    def all(self) -> list[wire.Job]:
        return self.jobs


class House:
    """A workspace with all that belongs to it below one folder, and a /proc of its own."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, stack: ExitStack) -> None:
        self.folder = folder
        self.patch = patch
        self.root = folder / "workspace"
        self.config_file = folder / "config.toml"
        self.socket = folder / "hippod-run" / "d.sock"
        self.proc = folder / "proc"
        self.environ = {"HOME": str(folder), "TMPDIR": str(folder)}
        self._stack = stack
        self._make_proc()
        workspace_seed.init(self.root)
        self.write("context/boats.md", NOTE)

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def configured(self, text: str, bits: int = 0o600) -> Config:
        self.config_file.write_text(text)
        self.config_file.chmod(bits)
        return load(self.config_file, {})

    def config(self, **sections: dict[str, Any]) -> Config:
        given = {
            "workspace": {"path": str(self.root), "timezone": "Europe/Vienna"},
            "server": {"socket": str(self.socket)},
            "embedder": {"provider": "none"},
            "generator": {"provider": "none"},
            "encoder": {"provider": "none"},
        }
        return Config.model_validate({**given, **sections})

    def subject(self, **more: Any) -> Subject:
        """Return the house as it is seen from outside, without a daemon."""
        given = {
            "config": self.config(),
            "config_path": self.config_file,
            "socket": str(self.socket),
            "models": Models(notes={"generator": "switched off", "encoder": "switched off"}),
            "is_locked": True,
            "environ": self.environ,
            "proc": self.proc,
        }
        return Subject(**{**given, **more})

    def open(self, **sections: dict[str, Any]) -> Memory:
        """Open the workspace in this process, as a daemon does."""
        return self.open_with(self.config(**sections))

    def open_with(self, config: Config) -> Memory:
        path = self.config_file if self.config_file.exists() else None
        memory = self._stack.enter_context(assemble(config, path)).memory
        memory.reindex()
        memory.watcher = Watching()
        return memory

    def living(self, memory: Memory | None = None, **parts: Any) -> Subject:
        """Return the house as its daemon sees it."""
        seen = (memory or self.open()).as_subject()
        assert seen.parts is not None
        return dataclasses.replace(
            seen,
            parts=dataclasses.replace(seen.parts, **parts),
            environ=self.environ,
            proc=self.proc,
        )

    def listen(self, bits: int = 0o600) -> None:
        """Put a socket in place; nobody answers on it."""
        self.socket.parent.mkdir(mode=0o700, exist_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(str(self.socket))
        self.socket.chmod(bits)

    def process(self, number: int, parent: int, command: str, state: str = "S") -> None:
        place = self.proc / str(number)
        place.mkdir(parents=True)
        numbers = " ".join(["0"] * 30)
        (place / "stat").write_text(f"{number} (python (x)) {state} {parent} {numbers}")
        (place / "cmdline").write_bytes(command.replace(" ", "\0").encode())

    def _make_proc(self) -> None:
        own = self.proc / "self"
        (own / "fd").mkdir(parents=True)
        (own / "mountinfo").write_text(MOUNT.format("/", "ext4"))
        (own / "status").write_text("Name:\tx\nUmask:\t0077\n")
        (own / "maps").write_text("7f0 r-xp 0 0:0 1 /usr/lib/libc.so.6\n")
        limits = self.proc / "sys" / "fs" / "inotify"
        limits.mkdir(parents=True)
        (limits / "max_user_watches").write_text("524288\n")
        (limits / "max_user_instances").write_text("512\n")


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with ExitStack() as stack:
        yield House(tmp_path, monkeypatch, stack)


def look(name: str, subject: Subject, *, fix: bool = False) -> list[Finding]:
    return list(Doctor(CHECKS).examine(subject, only=[name], fix=fix).findings)


def bad(findings: list[Finding]) -> list[Finding]:
    return [each for each in findings if each.state in ("warn", "fail")]


def only(findings: list[Finding]) -> Finding:
    (finding,) = findings
    return finding


# -- something broken for each check -----------------------------------------------------------

BREAKS: list[tuple[str, str, Broken]] = []


def breaks(check: str, said: str) -> Callable[[Broken], Broken]:
    """Note what breaks a check, and words that its finding then says."""

    def note(broken: Broken) -> Broken:
        BREAKS.append((check, said, broken))
        return broken

    return note


@breaks("daemon", "not running")
def nobody_runs(house: House) -> Subject:
    return house.subject()


@breaks("daemon", "nobody answers")
def held_without_an_answer(house: House) -> Subject:
    house.open()
    return house.subject(is_locked=False)


@breaks("socket", "left of a daemon that ended")
def a_stale_socket(house: House) -> Subject:
    house.listen()
    return house.subject()


@breaks("socket", "others may connect")
def an_open_socket(house: House) -> Subject:
    house.listen(0o666)
    return house.living()


@breaks("socket", "not 0700")
def an_open_folder_of_the_socket(house: House) -> Subject:
    house.listen()
    house.socket.parent.chmod(0o755)
    return house.living()


@breaks("socket", "is no socket")
def a_file_at_the_socket(house: House) -> Subject:
    house.socket.parent.mkdir(mode=0o700)
    house.socket.write_text("hm")
    return house.subject()


@breaks("socket", "nobody can reach")
def a_socket_that_was_deleted(house: House) -> Subject:
    return house.living()


@breaks("lock", "holds the workspace")
def somebody_else_holds_it(house: House) -> Subject:
    house.open()
    return house.subject(is_locked=False)


@breaks("lock", "deleted or replaced")
def a_lock_that_was_deleted(house: House) -> Subject:
    living = house.living()
    (house.root / ".memory" / "lock").unlink()
    return living


@breaks("children", "still run: 200")
def a_model_without_a_parent(house: House) -> Subject:
    house.process(1, 0, "/sbin/init")
    house.process(200, 1, "python -m hippod.models.worker")
    house.process(201, 50, "python -m hippod.models.worker")
    house.process(50, 1, "python -m hippod run")
    return house.living()


@breaks("children", "ended unnoticed")
def a_zombie(house: House) -> Subject:
    house.process(300, os.getpid(), "", state="Z")
    return house.living()


@breaks("workers", "the worker watch crashed 2 times")
def a_worker_that_crashed(house: House) -> Subject:
    crash = {"times": 2, "last": "2026-03-03T12:00:00", "error": "KeyError"}
    return house.living(describe=lambda: {"crashes": {"watch": crash}})


@breaks("versions", "hippod 99.0 is installed")
def a_newer_version_on_the_disk(house: House) -> Subject:
    real = metadata.version
    house.patch.setattr(
        metadata, "version", lambda name: "99.0" if name == "hippod" else real(name)
    )
    return house.subject()


@breaks("service", "is not there any more")
def a_unit_for_another_python(house: House) -> Subject:
    unit(house, "/gone/bin/python -P -m hippod run", enabled=True)
    return house.subject()


@breaks("service", "is not enabled")
def a_unit_that_nobody_enabled(house: House) -> Subject:
    unit(house, "/bin/sh -c true", enabled=False)
    return house.subject()


def unit(house: House, command: str, *, enabled: bool) -> None:
    folder = house.folder / ".config" / "systemd" / "user"
    (folder / "default.target.wants").mkdir(parents=True)
    (folder / "hippod.service").write_text(f"[Service]\nType=notify\nExecStart=:{command}\n")
    if enabled:
        (folder / "default.target.wants" / "hippod.service").symlink_to(folder / "hippod.service")


@breaks("log", "others may read")
def a_log_for_everybody(house: House) -> Subject:
    file = house.folder / "hippod.log"
    file.touch(0o644)
    file.chmod(0o644)
    return house.subject(config=house.config(log={"file": str(file)}))


@breaks("listener", "others can read the token")
def a_token_for_everybody(house: House) -> Subject:
    (house.folder / "mcp.token").touch()
    (house.folder / "mcp.token").chmod(0o640)
    return house.subject(config=house.config(mcp={"listen": "127.0.0.1:7777"}))


@breaks("listener", "nobody listens at 127.0.0.1:")
def a_listener_that_could_not_open(house: House) -> Subject:
    with socket.socket() as probe:  # nobody listens where somebody just was
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    return house.open(mcp={"listen": f"127.0.0.1:{port}"}).as_subject()


@breaks("config", "config.toml:4: recall.bm25_weight")
def a_faulty_value(house: House) -> Subject:
    house.config_file.write_text('[log]\nlevel = "info"\n[recall]\nbm25_weight = "much"\n')
    return house.subject()


@breaks("config", "config.toml:2: not valid TOML")
def no_toml(house: House) -> Subject:
    house.config_file.write_text('[log]\nlevel = "info\n')
    return house.subject()


@breaks("config", "was changed since the daemon read it")
def an_edit_that_was_not_read(house: House) -> Subject:
    memory = house.open()
    house.config_file.write_text("[recall]\nrrf_k = 61\n")
    return dataclasses.replace(house.living(memory), config_path=house.config_file)


@breaks("secrets", "looks like a secret")
def a_secret_for_everybody(house: House) -> Subject:
    house.configured(f'# api_key = "{SECRET}"\n', 0o644)
    return house.subject()


@breaks("secrets", "others may write")
def a_config_for_everybody(house: House) -> Subject:
    house.configured("", 0o622)
    return house.subject()


@breaks("endpoints", "embedder.base_url: what goes to models.example")
def an_endpoint_in_the_clear(house: House) -> Subject:
    remote = {"provider": "ollama", "base_url": "http://models.example:11434"}
    return house.subject(config=house.config(embedder=remote))


@breaks("workspace", "no such folder")
def no_workspace(house: House) -> Subject:
    house.root.rename(house.folder / "elsewhere")
    return house.subject()


@breaks("workspace", "cannot be written: No space left")
def a_full_disk(house: House) -> Subject:
    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    house.patch.setattr(os, "fsync", full)
    return house.subject()


@breaks("filesystem", "lies on nfs4")
def a_network_mount(house: House) -> Subject:
    return mounted(house, "nfs4")


@breaks("filesystem", "lies on 9p")
def a_mount_of_a_virtual_machine(house: House) -> Subject:
    return mounted(house, "9p")


@breaks("filesystem", "lies on fuse.sshfs")
def a_mount_over_ssh(house: House) -> Subject:
    return mounted(house, "fuse.sshfs")


@breaks("filesystem", "in memory")
def a_mount_in_memory(house: House) -> Subject:
    return mounted(house, "tmpfs")


def mounted(house: House, kind: str) -> Subject:
    """In the spirit of C046 and C172."""
    with (house.proc / "self" / "mountinfo").open("a") as file:
        file.write(MOUNT.format(house.root, kind))
        file.write(MOUNT.format(f"{house.root}-beside", "ext4"))
    return house.subject()


@breaks("space", "only 5.0 MB are free")
def a_disk_that_is_nearly_full(house: House) -> Subject:
    return with_free(house, blocks=1_220, files=1_000_000)


@breaks("space", "only 40 more files can be made")
def no_inodes(house: House) -> Subject:
    return with_free(house, blocks=10**9, files=40)


def with_free(house: House, *, blocks: int, files: int) -> Subject:
    real = os.statvfs
    house.patch.setattr(
        os, "statvfs",
        lambda path: os.statvfs_result(
            (4096, 4096, 10**9, blocks, blocks, 10**7, files, files, *real("/")[8:])
        ),
    )  # fmt: skip
    return house.subject()


@breaks("modes", "others may look into it")
def an_open_folder(house: House) -> Subject:
    living = house.living()
    (house.root / ".memory").chmod(0o755)
    return living


@breaks("modes", "no .gitignore")
def nothing_tells_git(house: House) -> Subject:
    living = house.living()
    (house.root / ".memory" / ".gitignore").unlink()
    return living


@breaks("modes", "is gone under the running daemon")
def a_folder_that_was_deleted(house: House) -> Subject:
    living = house.living()
    (house.root / ".memory").rename(house.folder / "gone")
    return living


@breaks("modes", "umask 0000")
def an_open_umask(house: House) -> Subject:
    (house.proc / "self" / "status").write_text("Umask:\t0000\n")
    return house.subject()


@breaks("owners", "of another user")
def files_of_another_user(house: House) -> Subject:
    house.patch.setattr(os, "geteuid", lambda: 54_321)
    return house.subject()


@breaks("owners", "runs as root")
def root_in_somebodys_folder(house: House) -> Subject:
    real = os.lstat

    def theirs(path: Any, **more: Any) -> os.stat_result:
        info = real(path, **more)
        return os.stat_result((*info[:4], 1000, *info[5:]))

    house.patch.setattr(os, "geteuid", lambda: 0)
    house.patch.setattr(os, "lstat", theirs)
    return house.subject()


@breaks("leftovers", "memory/.hippod-0123456789abcdef.tmp")
def an_old_temporary_file(house: House) -> Subject:
    memory = house.open()
    leave_behind(house)
    return house.living(memory)


def leave_behind(house: House, days: float = 3) -> Path:
    file = house.write("memory/.hippod-0123456789abcdef.tmp", "what somebody wrote\n")
    then = time.time() - days * 86_400
    os.utime(file, (then, then))
    return file


@breaks("backup", "the last one is 40 days old")
def a_backup_of_long_ago(house: House) -> Subject:
    memory = house.open()
    subject = house.living(memory)
    assert subject.parts is not None
    then = datetime.now(UTC) - timedelta(days=40, hours=1)
    subject.parts.state.note_backup(then)
    return subject


@breaks("aside", "state.sqlite.corrupt-20260303T120000Z")
def a_database_that_was_moved_aside(house: House) -> Subject:
    living = house.living()
    (house.root / ".memory" / "state.sqlite.corrupt-20260303T120000Z").write_bytes(b"x" * 5000)
    return living


@breaks("copies", "3 conflict copies")
def copies_of_sync_clients(house: House) -> Subject:
    """In the spirit of C074."""
    house.write("memory/2026-06-02.md", "# Daily Log - 2026-06-02\n")
    house.write("memory/2026-06-02 (Ada's conflicted copy 2026-06-02).md", "")
    house.write("memory/2026-06-02.sync-conflict-20260602-101010-ABCDEFG.md", "x\n")
    house.write("memory/2026-06-02 2.md", "")
    return house.subject()


@breaks("copies", "that editors or sync clients left")
def what_editors_left(house: House) -> Subject:
    for name in (".#day.md", "day.md~", "~$day.md", ".day.md.icloud", "day.md.tmp"):
        house.write(f"memory/{name}", "x\n")
    return house.subject()


@breaks("pages", "conflict marks stand in bank/world.md")
def conflict_marks(house: House) -> Subject:
    house.write("bank/world.md", "# W\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n")
    return house.subject()


@breaks("pages", "bank/entities/ina.md: its front matter cannot be read in line 3")
def broken_front_matter(house: House) -> Subject:
    house.write("bank/entities/ina.md", "---\nentity: Ina\naliases: [a, b\n---\n\n# Ina\n")
    return house.subject()


@breaks("links", "which has no documents")
def a_link_to_nothing(house: House) -> Subject:
    """In the spirit of C070."""
    (house.folder / "vault").mkdir()
    (house.root / "vault").symlink_to(house.folder / "vault")
    return house.subject()


@breaks("links", "hippod would write there is refused")
def a_linked_folder_that_we_write(house: House) -> Subject:
    (house.folder / "vault").mkdir()
    (house.root / "archive").symlink_to(house.folder / "vault")
    return house.subject()


@breaks("links", "its target is missing")
def a_link_into_the_void(house: House) -> Subject:
    (house.root / "gone").symlink_to(house.folder / "nowhere")
    return house.subject()


@breaks("names", "MEMORY.md and memory.md are two files")
def two_memories(house: House) -> Subject:
    """In the spirit of C071."""
    house.write("memory.md", "# Another\n")
    return house.subject()


@breaks("sources", "mail: nothing in")
def a_source_without_files(house: House) -> Subject:
    return with_source(house, str(house.root / "context" / "*.nothing"))


@breaks("sources", "is not there")
def a_source_without_a_folder(house: House) -> Subject:
    return with_source(house, "/nowhere/at/all/*.jsonl")


@breaks("sources", "mail: not understood: talk.jsonl")
def a_source_in_another_format(house: House) -> Subject:
    lines = "".join(json.dumps({"q": n, "z": "w"}) + "\n" for n in range(30))
    house.write("mail/talk.jsonl", lines)
    return with_source(house, "mail/*.jsonl")


def with_source(house: House, path: str) -> Subject:
    return house.subject(config=house.config(sources=[{"name": "mail", "path": path}]))  # type: ignore[arg-type]


@breaks("watcher", "was not told of within")
def a_watcher_that_is_deaf(house: House) -> Subject:
    return house.living(watcher=Watching(None))


@breaks("watcher", "instead of being watched")
def a_watcher_that_fell_back(house: House) -> Subject:
    return house.living(describe=lambda: {"watch": {"mode": "polling: limit reached"}})


@breaks("inotify", "a user may watch 3")
def too_many_folders(house: House) -> Subject:
    (house.proc / "sys/fs/inotify/max_user_watches").write_text("3\n")
    return house.subject()


@breaks("index", "units without words")
def words_that_are_lost(house: House) -> Subject:
    memory = house.open()
    change_index(house, "DELETE FROM words")
    return house.living(memory)


@breaks("index", "vectors that no unit uses")
def rows_without_a_unit(house: House) -> Subject:
    memory = house.open()
    change_index(house, "INSERT INTO vectors(text_hash) VALUES(x'00')")
    return house.living(memory)


@breaks("index", "vectors are in memory")
def vectors_that_only_the_file_lost(house: House) -> Subject:
    memory = house.open(embedder={"provider": "wordllama"})
    change_index(house, "UPDATE vectors SET vector = NULL")
    return house.living(memory)


@breaks("index", "deleted or replaced under the daemon")
def an_index_that_was_deleted(house: House) -> Subject:
    memory = house.open()
    (house.root / ".memory" / "index.sqlite").unlink()
    return house.living(memory)


@breaks("index", "the saved graph will not be used")
def a_damaged_graph(house: House) -> Subject:
    living = house.living()
    (house.root / ".memory" / "vectors.hnsw").write_bytes(b"x" * 500)
    (house.root / ".memory" / "vectors.hnsw.json").write_text('{"sha256": "0"}')
    return living


@breaks("index", "damaged")
def a_damaged_index_without_a_daemon(house: House) -> Subject:
    with assemble(house.config(), None) as assembly:
        assembly.memory.reindex()
    file = house.root / ".memory" / "index.sqlite"
    data = bytearray(file.read_bytes())
    data[8192:20480] = b"\xa5" * 12288
    file.write_bytes(data)
    return house.subject()


def change_index(house: House, sql: str) -> None:
    connection = apsw.Connection(str(house.root / ".memory" / "index.sqlite"))
    connection.execute(sql)
    connection.close()


@breaks("agreement", "is behind for context/boats.md")
def a_change_that_nobody_told_of(house: House) -> Subject:
    memory = house.open()
    house.write("context/boats.md", NOTE.replace("blue", "grey"))
    return house.living(memory)


@breaks("agreement", "not in the index: context/x.md (too deep)")
def a_document_that_failed(house: House) -> Subject:
    trouble = {"watch": {"not_indexed": {"context/x.md": "too deep"}}}
    return house.living(describe=lambda: trouble)


@breaks("canary", "recall does not find what stands in")
def a_recall_that_finds_nothing(house: House) -> Subject:
    memory = house.open()
    nothing = memory.recall(wire.RecallRequest(query="xylophone quartz", kind=("opinion",)))
    return house.living(memory, recall=lambda request: nothing)


@breaks("state", "a newer hippod wrote it")
def a_newer_state(house: House) -> Subject:
    with assemble(house.config(), None):
        pass
    connection = apsw.Connection(str(house.root / ".memory" / "state.sqlite"))
    connection.execute("PRAGMA user_version=999")
    connection.close()
    return house.subject()


@breaks("state", "it is damaged")
def a_damaged_state(house: House) -> Subject:
    (house.root / ".memory").mkdir(exist_ok=True)
    (house.root / ".memory" / "state.sqlite").write_bytes(b"no database at all" * 500)
    return house.subject()


@breaks("state", "kept in mode delete")
def a_filesystem_without_wal(house: House) -> Subject:
    """In the spirit of C172."""
    living = house.living()
    assert living.parts is not None
    living.parts.state.journal_mode = "delete"
    return living


@breaks("state", "moved aside to state.sqlite.corrupt")
def a_state_that_was_lost(house: House) -> Subject:
    (house.root / ".memory").mkdir(exist_ok=True)
    (house.root / ".memory" / "state.sqlite").write_bytes(b"no database at all" * 500)
    return house.living()


@breaks("sqlite", "other SQLite libraries are loaded")
def a_second_sqlite(house: House) -> Subject:
    """In the spirit of C171."""
    libraries = [house.folder / "libsqlite3.so.0", house.folder / "odd.cpython.so"]
    libraries[0].write_bytes(b"\x7fELF")
    libraries[1].write_bytes(b"\x7fELF" + b"SQLite format 3\0")
    lines = "".join(f"7f0 r-xp 0 0:0 1 {path}\n" for path in libraries)
    (house.proc / "self" / "maps").write_text(lines)
    return house.living()


@breaks("descriptors", "1 file of")
def a_deleted_database_in_use(house: House) -> Subject:
    gone = house.root / ".memory" / "index.sqlite-wal (deleted)"
    (house.proc / "self" / "fd" / "7").symlink_to(gone)
    (house.proc / "self" / "fd" / "8").symlink_to("/tmp/else (deleted)")
    return house.living()


@breaks("generator", "the endpoint is down")
def a_generator_that_is_down(house: House) -> Subject:
    generator = FakeGenerator()
    generator.enqueue(ModelUnavailable("the endpoint is down", "start it"))
    return house.subject(models=Models(generator=generator))


@breaks("generator", "no generator: the package is not installed")
def no_generator(house: House) -> Subject:
    return house.subject(models=Models(notes={"generator": "the package is not installed"}))


@breaks("generator", "no answer")
def a_generator_that_writes_nothing(house: House) -> Subject:
    class Mute(FakeGenerator):
        def complete(self, *values: Any, **more: Any) -> Any:
            return dataclasses.replace(super().complete(*values, **more), tokens_out=0)

    return house.subject(models=Models(generator=Mute()))


@breaks("encoder", "it crashed")
def an_encoder_that_crashes(house: House) -> Subject:
    encoder = FakeEmbedder()
    encoder.failure = ModelUnavailable("it crashed", "")
    return house.subject(models=Models(encoder=encoder))


@breaks("embedder", "gives 32 numbers, the vectors of the index have 256")
def an_embedder_of_another_width(house: House) -> Subject:
    memory = house.open(embedder={"provider": "wordllama"})
    memory.models = Models(embedder=FakeEmbedder(32))
    return house.living(memory)


@breaks("clock", "the clock shows 1970")
def a_clock_that_was_never_set(house: House) -> Subject:
    return house.subject(clock=lambda: datetime(1970, 1, 1, tzinfo=UTC))


@breaks("clock", "the clock is behind")
def a_clock_that_was_set_back(house: House) -> Subject:
    memory = house.open()
    living = house.living(memory, jobs=lambda: [job("reconcile")])
    assert living.parts is not None
    living.parts.state.record_run("reconcile", datetime.now(UTC), 1.0, "ok", "")
    return dataclasses.replace(living, clock=lambda: datetime.now(UTC) - timedelta(hours=2))


@breaks("clock", "was set by +3600 s")
def a_clock_that_jumped(house: House) -> Subject:
    return house.living(began=(time.time() - 3610, times.steady_clock() - 10))


@breaks("schedule", "hygiene ended with failed: disk full")
def a_job_that_failed(house: House) -> Subject:
    failed = {"last_outcome": "failed", "last_error": "disk full"}
    return house.living(jobs=lambda: [job("hygiene", **failed)])


@breaks("schedule", "reflect is paused")
def a_job_that_is_paused(house: House) -> Subject:
    return house.living(jobs=lambda: [job("reflect", paused=True, next_run=None)])


@breaks("schedule", "heartbeat is due and does not run")
def a_job_that_never_begins(house: House) -> Subject:
    past = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    return house.living(jobs=lambda: [job("heartbeat", next_run=past)])


def job(name: str, **fields: Any) -> wire.Job:
    soon = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    given = {
        "schedule": "every 1 h", "next_run": soon,
        "last_run": None, "last_seconds": None, "last_outcome": None,
    }  # fmt: skip
    return wire.Job.model_validate({"name": name, **given, **fields})


@pytest.mark.parametrize(
    ("check", "said", "broken"), BREAKS, ids=[f"{c}-{b.__name__}" for c, _, b in BREAKS]
)
def test_what_is_broken_is_told_with_what_to_do(
    house: House, monkeypatch: pytest.MonkeyPatch, check: str, said: str, broken: Broken
) -> None:
    monkeypatch.setattr(databases, "_SETTLE_SECONDS", 0.0)
    monkeypatch.setattr(times, "_PATIENCE_SECONDS", 0.0)
    found = bad(look(check, broken(house)))
    assert said in " | ".join(each.said for each in found)
    assert all(each.fix for each in found)
    assert "blue boat" not in str(found)


def test_something_breaks_each_check() -> None:
    assert {check for check, _, _ in BREAKS} == {check.name for check in CHECKS}


# -- what is well --------------------------------------------------------------------------------


def test_what_is_well_passes_every_check(house: House) -> None:
    config = house.configured(f"""
[workspace]
path = "{house.root}"
timezone = "Europe/Vienna"
[server]
socket = "{house.socket}"
[log]
file = "{house.folder}/hippod.log"
""")
    house.listen()
    (house.folder / "hippod.log").touch(0o600)
    house.write("sessions/talk.jsonl", '{"role": "user", "content": "The boat is blue."}\n')
    house.write("bank/entities/ina.md", "---\nentity: Ina\naliases: [Ines]\n---\n\n# Ina\n")
    house.process(400, os.getpid(), "python -m hippod.models.worker")
    unit(house, "/bin/sh -c true", enabled=True)
    memory = house.open_with(config)
    memory.models = Models(FakeGenerator(), FakeEmbedder(), memory.models.embedder)
    memory.jobs_door = Listed(job("reconcile", last_outcome="ok"))
    answers = [check for check in CHECKS if check.name != "daemon"]  # none listens here
    found = Doctor(answers).examine(house.living(memory)).findings
    assert [each for each in found if each.state != "ok"] == []
    assert {each.name for each in found} == {check.name for check in answers}


def test_a_workspace_that_is_not_there_is_told_once(house: House) -> None:
    (house.root).rename(house.folder / "away")
    found = Doctor(CHECKS).examine(house.subject())
    assert [each.name for each in found.findings if each.state == "fail"] == ["workspace"]
    skipped = {each.name for each in found.findings if each.state == "skipped"}
    assert {"pages", "copies", "links", "owners", "index", "canary"} <= skipped


def test_numbers_at_the_end_of_a_name_make_no_copy(house: House) -> None:
    house.write("context/Chapter.md", "One thing.\nAnother thing.\n")
    house.write("context/Chapter 2.md", "What follows.\nIt is new.\n")
    house.write("context/Chapter (1).md", "What follows.\nIt is other.\n")
    house.write("context/Family conflict 2024.md", "What follows.\n")
    house.write("context/Call (conflict with Bob).md", "What follows.\n")
    assert bad(look("copies", house.subject())) == []


@pytest.mark.parametrize(
    "name",
    [
        "n (conflicted copy 2026-06-02 101010).md",
        "n (Ada's conflicted copy 2026-06-02).md",
        "n.sync-conflict-20260602-101010-ABCDEFG.md",
        "n (SFConflict ada@example.org 2026-06-02-10-10-10).md",
        "n_conflict-20260602-101010.md",
        "n (In Konflikt stehende Kopie von Ada 2026-06-02).md",
        "n (Copie en conflit de Ada 2026-06-02).md",
        "n [conflicted].md",
        "n.conflict.md",
        "n_NAS_Jun-02-101010-2026_Conflict.md",
        "n - Copy.md",
        "n (1).md",
        "n 2.md",
        "n-LAPTOP-7Q2KX.md",
    ],
)
def test_copies_are_known_in_every_clients_spelling(house: House, name: str) -> None:
    house.write("context/n.md", "One line.\nAnother line.\n")
    house.write(f"context/{name}", "One line.\nAnother line.\nA third.\n")
    assert name in only(bad(look("copies", house.subject()))).said


# -- mending -------------------------------------------------------------------------------------


def mended(name: str, subject: Subject) -> Finding:
    """Mend, and return what was mended once nothing is found any more."""
    found = look(name, subject, fix=True)
    assert bad(found) == []
    assert bad(look(name, dataclasses.replace(subject))) == []
    return next(each for each in found if each.fixed)


def test_modes_are_mended(house: House) -> None:
    living = an_open_folder(house)
    (house.root / ".memory" / "state.sqlite").chmod(0o644)
    assert "0700" in mended("modes", living).said
    folder = house.root / ".memory"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert all(not file.stat().st_mode & 0o077 for file in folder.iterdir())


def test_a_missing_gitignore_is_made_again(house: House) -> None:
    mended("modes", nothing_tells_git(house))
    assert (house.root / ".memory" / ".gitignore").read_text() == "*\n"


def test_modes_of_the_config_are_mended_and_its_text_is_not(house: House) -> None:
    subject = a_secret_for_everybody(house)
    text = house.config_file.read_text()
    mended("secrets", subject)
    assert house.config_file.stat().st_mode & 0o777 == 0o600
    assert house.config_file.read_text() == text


def test_old_temporary_files_are_swept_and_their_bytes_kept(house: House) -> None:
    memory = house.open()
    old, new = leave_behind(house), house.write("memory/.hippod-fedcba9876543210.tmp", "new\n")
    assert "1 temporary file swept" in mended("leftovers", house.living(memory)).said
    assert not old.exists()
    assert new.exists()
    entry = memory.log(wire.LogRequest(limit=1)).entries[0]
    assert "what somebody wrote" in memory.logged(entry.id).diff


def test_a_stale_socket_is_removed(house: House) -> None:
    mended("socket", a_stale_socket(house))
    assert not house.socket.exists()


def test_a_socket_for_everybody_is_closed(house: House) -> None:
    living = an_open_socket(house)
    mended("socket", living)
    assert house.socket.stat().st_mode & 0o777 == 0o600


def test_an_index_that_is_not_sound_is_made_again(house: House) -> None:
    memory = house.open()
    change_index(house, "DELETE FROM words")
    living = house.living(memory)
    assert memory.recall(wire.RecallRequest(query="mill", mode="lexical")).hits == ()
    mended("index", living)
    found = memory.recall(wire.RecallRequest(query="mill", mode="lexical")).hits
    assert [hit.path for hit in found] == ["context/boats.md"]


def test_an_index_that_is_behind_looks_again(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "_SETTLE_SECONDS", 0.0)
    mended("agreement", a_change_that_nobody_told_of(house))


def test_a_deaf_watcher_begins_anew(house: House) -> None:
    watching = Watching(None)
    mended("watcher", house.living(watcher=watching))
    assert watching.restarts == 1


def test_without_fix_nothing_changes(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "_SETTLE_SECONDS", 0.0)
    living = an_open_folder(house)
    (house.root / ".memory" / ".gitignore").unlink()
    leave_behind(house)
    house.listen(0o666)
    before = {path: (path.lstat().st_mode, path.lstat().st_mtime_ns) for path in notes(house)}
    Doctor(CHECKS).examine(living)
    assert {
        path: (path.lstat().st_mode, path.lstat().st_mtime_ns) for path in notes(house)
    } == before
    assert (house.root / ".memory").stat().st_mode & 0o777 == 0o755
    assert not (house.root / ".memory" / ".gitignore").exists()


def notes(house: House) -> list[Path]:
    found = (path for path in house.root.rglob("*") if ".memory" not in path.parts)
    return sorted([*(path for path in found if path.is_file()), house.socket])


def test_a_folder_that_is_a_link_is_told_and_nothing_behind_it_is_touched(house: House) -> None:
    shared = house.folder / "shared"
    (shared / "inner").mkdir(parents=True)
    (shared / "run.sh").write_text("true\n")
    for path in (shared, shared / "inner", shared / "run.sh"):
        path.chmod(0o755)
    (house.root / ".memory").symlink_to(shared)
    found = look("modes", house.subject(), fix=True)
    assert "is a link" in only(bad(found)).said
    assert not any(each.fixed for each in found)
    assert {path.stat().st_mode & 0o777 for path in (shared, *shared.iterdir())} == {0o755}
    assert sorted(path.name for path in shared.iterdir()) == ["inner", "run.sh"]


def test_a_file_in_the_place_of_the_folder_is_told(house: House) -> None:
    (house.root / ".memory").write_text("mine\n")
    (house.root / ".memory").chmod(0o644)
    assert "is no folder" in only(bad(look("modes", house.subject(), fix=True))).said
    assert (house.root / ".memory").stat().st_mode & 0o777 == 0o644


Swap = Callable[[House], None]


def _another_daemon(house: House) -> None:
    house.socket.unlink()
    house.listen()


def _a_link_for_the_folder(house: House) -> None:
    (house.root / ".memory").rename(house.folder / "memory-of-old")
    (house.folder / "shared").mkdir(mode=0o755)
    (house.root / ".memory").symlink_to(house.folder / "shared")


def _a_link_for_the_config(house: House) -> None:
    (house.folder / "victim").touch(0o644)
    house.config_file.unlink()
    house.config_file.symlink_to(house.folder / "victim")


def _a_link_for_the_log(house: House) -> None:
    (house.folder / "hippod.log").unlink()
    (house.folder / "victim").touch(0o644)
    (house.folder / "hippod.log").symlink_to(house.folder / "victim")


@pytest.mark.parametrize(
    ("check", "broken", "swap"),
    [
        ("socket", a_stale_socket, _another_daemon),
        ("modes", an_open_folder, _a_link_for_the_folder),
        ("secrets", a_secret_for_everybody, _a_link_for_the_config),
        ("log", a_log_for_everybody, _a_link_for_the_log),
    ],
    ids=["socket", "modes", "secrets", "log"],
)
def test_what_took_the_place_of_what_was_found_is_left_alone(
    house: House, check: str, broken: Broken, swap: Swap
) -> None:
    """Between the look and the mend may lie half a minute."""
    subject = broken(house)
    assert subject is not None
    made = next(each for each in CHECKS if each.name == check)

    def look_and_swap(subject: Subject) -> list[Found]:
        found = list(made.look(subject))
        if any(each.mend for each in found):
            swap(house)
        return found

    doctor = Doctor([dataclasses.replace(made, look=look_and_swap)])
    first, *_ = doctor.examine(subject, fix=True).findings
    assert "could not be mended" in first.said
    assert "something else" in first.said
    assert house.socket.exists() or check != "socket"
    for path in (house.folder / "shared", house.folder / "victim"):
        assert not path.exists() or path.stat().st_mode & 0o044


def test_a_socket_on_which_somebody_answers_by_now_is_left(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.listen()
    answers = iter([True, False])
    monkeypatch.setattr(process, "_is_dead", lambda place: next(answers))
    found = look("socket", house.subject(), fix=True)
    assert "could not be mended" in found[0].said
    assert house.socket.exists()


def test_the_folder_of_the_socket_is_closed_only_if_it_is_ours(house: House) -> None:
    house.listen()
    house.socket.parent.chmod(0o755)
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    os.chown(house.socket.parent, 65534, 65534)
    look("socket", house.living(), fix=True)
    assert house.socket.parent.stat().st_mode & 0o777 == 0o755


def test_the_system_unit_of_this_user_is_looked_at(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = house.folder / "system"
    (folder / "multi-user.target.wants").mkdir(parents=True)
    monkeypatch.setattr(process, "SYSTEM_UNITS", folder)
    text = "[Service]\nType=notify\nExecStart=/gone/hippod run\n"
    (folder / "hippod@.service").write_text(text)
    assert only(look("service", house.subject())).state == "skipped"
    name = f"hippod@{process.user_name()}.service"
    (folder / "multi-user.target.wants" / name).symlink_to(folder / "hippod@.service")
    found = only(bad(look("service", house.subject())))
    assert "/gone/hippod, which is not there any more" in found.said
    assert "--system" in found.fix
    (folder / "hippod@.service").write_text(text.replace("/gone/hippod", "/bin/sh"))
    assert f"{name} is installed" in only(look("service", house.subject())).said


def test_what_cannot_be_mended_is_told(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    living = an_open_folder(house)

    def refused(*_: Any, **__: Any) -> None:
        raise PermissionError(1, "Operation not permitted", "x")

    monkeypatch.setattr(os, "fchmod", refused)
    found = look("modes", living, fix=True)
    assert "could not be mended" in found[0].said
    assert not any(each.fixed for each in found)
    assert len(bad(found)) == 2


# -- how checks are made -------------------------------------------------------------------------


def test_one_that_hangs_holds_up_none(house: House) -> None:
    """In the spirit of C075: a file whose first byte never comes."""
    release, began = threading.Event(), itertools.count()

    def hang(subject: Subject) -> Iterator[Found]:
        next(began)
        release.wait(30)
        yield ok("at last")

    checks = [Check("slow", "x", hang, 0.2), Check("quick", "x", lambda subject: [ok("fine")])]
    doctor, subject = Doctor(checks), house.subject()
    try:
        for _ in range(3):
            start = time.monotonic()
            found = doctor.examine(subject)
            assert time.monotonic() - start < 5
            assert [(each.name, each.state) for each in found.findings] == [
                ("slow", "fail"),
                ("quick", "ok"),
            ]
            assert "no answer within 0.2 s" in found.findings[0].said
        assert next(began) == 1  # it was not begun again and again
    finally:
        release.set()


def test_checks_are_made_side_by_side(house: House) -> None:
    def wait(subject: Subject) -> Iterator[Found]:
        time.sleep(0.2)
        yield ok("fine")

    checks = [Check(str(number), "x", wait) for number in range(20)]
    start = time.monotonic()
    assert Doctor(checks).examine(house.subject()).state == "ok"
    assert time.monotonic() - start < 2


def test_a_check_that_crashes_is_a_failure_of_its_own(house: House) -> None:
    def crash(subject: Subject) -> list[Found]:
        raise KeyError("x")

    found = Doctor([Check("bad", "x", crash)]).examine(house.subject())
    assert only(list(found.findings)).said == "the check itself failed"


def test_the_worst_counts(house: House) -> None:
    def three(subject: Subject) -> list[Found]:
        return [ok("a"), warn("b", "do"), fail("c", "do")]

    found = Doctor([Check("x", "x", three)]).examine(house.subject())
    assert found.state == "fail"
    assert [each.state for each in found.findings] == ["warn", "fail"]


def test_an_unknown_check_is_refused(house: House) -> None:
    with pytest.raises(InvalidInput, match="no check 'sokcet'"):
        Doctor(CHECKS).examine(house.subject(), only=["sokcet"])


def test_a_group_is_not_examined(house: House) -> None:
    with pytest.raises(Forbidden):
        house.open().doctor(DoctorRequest(scope="group"))


# -- from outside, by the command line -----------------------------------------------------------


@pytest.fixture
def command(house: House, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Return what runs `hippod doctor` where no daemon is."""
    environ = {
        **house.environ,
        "HIPPOD_WORKSPACE": str(house.root),
        "HIPPOD_SOCKET": str(house.socket),
        "HIPPOD_CONFIG": str(house.config_file),
    }
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    house.configured("")
    return lambda *words: cli.main(["doctor", *words])


def test_not_running_alone_is_a_warning(
    house: House, command: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("--only", "daemon,workspace,index,state,lock,config") == 0
    told = capsys.readouterr().out
    assert "warn  daemon: the daemon is not running" in told
    assert "hippod service start" in told
    assert not (house.root / ".memory").exists()


def test_a_state_that_is_not_there_is_not_called_sound_and_an_old_one_is_told(
    house: House, command: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    command("--only", "state")
    assert "is made when the daemon starts" in capsys.readouterr().out
    folder = house.root / ".memory"
    folder.mkdir(mode=0o700)
    old_state(folder, 2)
    assert command("--only", "state") == 0
    assert "the next start brings it up to date" in capsys.readouterr().out
    assert schema_of(folder / "state.sqlite") == 2


def test_a_full_disk_is_one_thing_to_do(
    house: House,
    command: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert command("--only", "workspace") == 1
    told = capsys.readouterr().out.partition("what to do")[2]
    assert "the disk is full" in told
    assert told.count("free some space") == 1


def test_a_faulty_configuration_is_told_by_line_and_the_rest_is_looked_at(
    house: House, command: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    house.config_file.write_text('[recall]\nrrf_k = "many"\nrrf_q = 3\n')
    assert command("--only", "config,workspace") == 1
    told = capsys.readouterr().out
    assert f"{house.config_file}:2: recall.rrf_k" in told
    assert f"{house.config_file}:3: recall.rrf_q: unknown key; did you mean 'rrf_k'?" in told
    assert re.search(r"^  ok    workspace ", told, re.MULTILINE)


def test_a_configuration_that_is_no_toml_is_told_by_line(
    house: House, command: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    house.config_file.write_text('[log]\nlevel = "info"\n[recall\n')
    assert command("--json", "--only", "config") == 1
    answer = json.loads(capsys.readouterr().out)
    assert f"{house.config_file}:3: not valid TOML" in answer["findings"][0]["said"]


def test_the_models_are_asked_without_a_daemon_too(
    command: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("--json", "--only", "embedder") == 0
    answer = json.loads(capsys.readouterr().out)
    assert "gives 256 numbers" in answer["findings"][0]["said"]


def test_fix_from_outside_mends_files(
    house: House, command: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    with assemble(house.config(), None):
        pass
    a_stale_socket(house)
    (house.root / ".memory").chmod(0o755)
    assert command("--only", "modes,socket") == 1
    assert command("--fix", "--only", "modes,socket") == 0
    assert capsys.readouterr().out.count("mended: ") == 2
    assert not house.socket.exists()


def test_an_older_daemon_without_the_verb_is_looked_at_from_outside(
    house: House,
    command: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    house.socket.parent.mkdir(mode=0o700)
    monkeypatch.setattr(Client, "health", lambda client: {"ok": True})
    with FakeDoor(house.socket) as door:
        door.fail(404, "not_found", "no such route")
        assert command("--only", "workspace") == 0
    told = capsys.readouterr()
    assert "ok    workspace" in told.out
    assert "the daemon that runs has no doctor: it is looked at from outside" in told.err


def test_a_group_gets_nothing_from_outside_either(command: Callable[..., int]) -> None:
    assert command("--scope", "group") == Forbidden.exit_code


# -- small things --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("log.level", 2),
        ("log.other", 1),
        ("sources.0.path", 5),
        ("sources.1.path", 8),
        ("heartbeat.checks.disk.command", 11),
        ("retain.quiet", None),
        ("recall.rrf_k", 12),
    ],
)
def test_the_line_of_a_key_is_found(key: str, line: int | None) -> None:
    text = (
        '[log]\nlevel = "info"\n[[sources]]\nname = "a"\npath = "x" # y\n'
        '[[ sources ]]\nname = "b"\n"path" = "x"\n\n[heartbeat.checks."disk"]\n'
        'command = ["df"]\n[recall]\n'
    )
    assert line_of(text, key.split(".")) == line


def test_many_names_are_counted() -> None:
    assert some(["a", "b"]) == "a, b"
    assert some(list("abcde")) == "a, b, c and 2 more"


@pytest.mark.parametrize(
    ("amount", "said"), [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 kB"), (5e10, "50 GB")]
)
def test_sizes_are_said_for_people(amount: float, said: str) -> None:
    assert size(amount) == said


def test_a_borrowed_lock_makes_nothing_and_is_given_back(tmp_path: Path) -> None:
    with lock.borrowed(tmp_path) as is_ours:
        assert is_ours
    assert list(tmp_path.iterdir()) == []
    assert lock.holder(tmp_path) is None
    with lock.hold(tmp_path), lock.borrowed(tmp_path) as is_ours:
        assert not is_ours
        assert lock.holder(tmp_path) == os.getpid()
    with lock.borrowed(tmp_path) as is_ours:
        assert is_ours
    with lock.hold(tmp_path):
        pass
