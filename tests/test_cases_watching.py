"""Replays of field cases on seeing changes: watchers, editors that save, an index gone stale."""

import asyncio
import contextlib
import errno
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from hippod import mounts, watch
from hippod.errors import StorageError
from hippod.index import Index, reader
from hippod.workspace import Loaded
from tests.documents import Notes, ask, index_of, open_index
from tests.fakes import FakeEmbedder, FakeGenerator
from tests.processes import Daemon, wait_for
from tests.test_cases_bank import House

DAY = "memory/2026-05-14.md"
JUNK = (".venv/lib", "node_modules/left", ".git/objects")

COUNTED = """
import sys
import hippod.watch
from hippod.cli import main

real = hippod.watch.awatch

def counted(*roots, **options):
    print("it begins to watch", file=sys.stderr, flush=True)
    return real(*roots, **options)

hippod.watch.awatch = counted
sys.exit(main(sys.argv[1:]))
"""
"""A daemon that says each time when it begins to watch."""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    daemon = Daemon(tmp_path_factory.mktemp("watching"), program=(sys.executable, "-c", COUNTED))
    for folder in JUNK:
        for number in range(400):
            put(daemon, f"{folder}/{number % 20}/{number}.md", f"junk{number}\n")
    try:
        daemon.start()
        daemon.settle()
        yield daemon
    finally:
        if daemon.process is not None and daemon.process.poll() is None:
            daemon.kill()


def put(daemon: Daemon, path: str, text: str) -> Path:
    file = daemon.workspace / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def found(daemon: Daemon, query: str) -> list[str]:
    return [hit["content"] for hit in daemon.client.recall(query, mode="lexical")["hits"]]


def paths(daemon: Daemon, query: str) -> set[str]:
    return {hit["path"] for hit in daemon.client.recall(query, mode="lexical", limit=50)["hits"]}


def seen(daemon: Daemon, word: str) -> None:
    wait_for(lambda: found(daemon, word), f"{word!r}", seconds=20)


def gone(daemon: Daemon, word: str) -> None:
    wait_for(lambda: not found(daemon, word), f"the end of {word!r}", seconds=20)


def one_daemon(*marks: Any) -> Any:
    return [pytest.mark.slow, pytest.mark.xdist_group("cases-watching"), *marks]


# -- watchers --------------------------------------------------------------------------------------


class Refusing:
    """The library's watch on a system that has nothing left; polled it works."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __call__(self, *roots: Path, **options: Any) -> AsyncIterator[set[Any]]:
        if not options["force_polling"]:
            raise OSError(self._number, os.strerror(self._number))
        return _REAL(*roots, **{**options, "poll_delay_ms": 50})


_REAL = watch.awatch


async def first_batch(root: Path, edited: Path, modes: list[str]) -> set[Path]:
    """Watch, edit a file once it is watched, and return what is told first."""
    stop = asyncio.Event()

    async def edit() -> None:
        for number in range(200):
            edited.write_text("later " * (number + 2))
            await asyncio.sleep(0.1)

    watched = watch.changes([root], stop, poll=False, on_mode=modes.append)
    editing = asyncio.create_task(edit())
    try:
        async with asyncio.timeout(20):
            return await anext(watched)
    finally:
        editing.cancel()
        stop.set()
        await watched.aclose()


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOSPC])
def test_c040_c041_without_handles_there_is_one_warning_and_polling_sees_an_edit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    for n in range(400):
        (tmp_path / f"{n}.md").write_text("earlier")
    monkeypatch.setattr(watch, "awatch", Refusing(number))
    modes: list[str] = []
    with structlog.testing.capture_logs() as logged:
        batch = asyncio.run(first_batch(tmp_path, tmp_path / "7.md", modes))
    assert batch == {tmp_path / "7.md"}
    assert modes[0] == "events"
    assert modes[1].startswith("polling: ")
    (warning,) = [line for line in logged if line["log_level"] == "warning"]
    assert "fs.inotify.max_user_watches" in warning["hint"]


@pytest.mark.parametrize(
    ("kind", "mode"),
    [
        ("nfs4", "polling: lies on nfs4"),
        ("cifs", "polling: lies on cifs"),
        ("9p", "polling: lies on 9p"),
        ("fuse.sshfs", "polling: lies on fuse.sshfs"),
        ("ext4", "events"),
        ("fuseblk", "events"),
    ],
)
def test_c046_a_network_mount_is_polled_from_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, mode: str
) -> None:
    told = tmp_path / "mountinfo"
    root = tmp_path / "my notes"
    root.mkdir()
    point = str(root).replace(" ", "\\040")
    told.write_text(
        "22 1 8:1 / / rw - ext4 /dev/a rw\n"
        f"36 22 0:32 / {point} rw,relatime shared:1 - {kind} host:/x rw\n"
    )
    (root / "a.md").write_text("earlier")
    monkeypatch.setattr(mounts, "MOUNTS", told)
    monkeypatch.setattr(watch, "REMOTE_POLL_MS", 50)
    modes: list[str] = []
    with structlog.testing.capture_logs() as logged:
        batch = asyncio.run(first_batch(root, root / "a.md", modes))
    assert batch == {root / "a.md"}
    assert modes == [mode]
    assert len(logged) == (mode != "events")


def test_c046_a_system_that_does_not_tell_its_mounts_has_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mounts, "MOUNTS", tmp_path / "nothing")
    modes: list[str] = []
    asyncio.run(first_batch(tmp_path, tmp_path / "a.md", modes))
    assert modes == ["events"]


@pytest.mark.skipif(sys.platform != "linux", reason="descriptors are counted in /proc")
class TestIdle:
    pytestmark = one_daemon()

    def test_c042_what_tools_keep_costs_no_descriptors_and_is_no_document(
        self, daemon: Daemon
    ) -> None:
        assert daemon.process is not None
        assert len(os.listdir(f"/proc/{daemon.process.pid}/fd")) < 100
        assert found(daemon, "junk7") == []
        assert daemon.client.status()["workspace"]["documents"] < 50

    def test_c044_nothing_is_watched_anew_and_no_time_is_spent(self, daemon: Daemon) -> None:
        daemon.settle()
        wait_for(lambda: spent_in_a_second(daemon) < 0.05, "a quiet second", seconds=20)
        assert daemon.log.read_text().count("it begins to watch") == 1


def spent_in_a_second(daemon: Daemon) -> float:
    before = processor_seconds(daemon)
    time.sleep(1)
    return processor_seconds(daemon) - before


def processor_seconds(daemon: Daemon) -> float:
    assert daemon.process is not None
    fields = Path(f"/proc/{daemon.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_c047_reading_and_touching_costs_neither_vectors_nor_model_calls(tmp_path: Path) -> None:
    model = FakeGenerator()
    house = House(tmp_path / "w", model).start()
    house.log("2026-04-18", "W @Ylva: Keeps the spare oar in the loft.")
    house.put("memory/2026-04-19.md", "# Daily Log - 2026-04-19\n\n[09:00:00] Oiled the winch.\n")
    house.say("Remember that the winch takes 12 mm rope.", at="2026-04-18T10:00:00Z")
    house.look()
    house.retain()
    house.look()
    embedded, asked = house.index.status()["vectors"], len(model.prompts)
    before = house.markdown()
    files = [file for file in house.root.rglob("*.*") if ".memory" not in file.parts]
    for file in files:
        os.utime(file, (1_700_000_000, file.stat().st_mtime))
        file.chmod(0o640)
        file.read_bytes()
        os.utime(file)
    report = house.index.update([file.relative_to(house.root).as_posix() for file in files])
    house.retain()
    assert (report.indexed, report.embedded, report.changed) == (0, 0, [])
    assert (house.index.status()["vectors"], len(model.prompts)) == (embedded, asked)
    assert house.markdown() == before
    house.stop()


class TestChanges:
    pytestmark = one_daemon()

    def test_c045_c050_a_file_that_is_written_straight_after_its_folder(
        self, daemon: Daemon, tmp_path: Path
    ) -> None:
        script = "mkdir -p bank/more/new && echo '- the gannet nests' > bank/more/new/Noor.md"
        subprocess.run(["sh", "-c", script], cwd=daemon.workspace, check=True)
        clone = tmp_path / "clone"
        for name in ("README.md", "docs/a.md", ".git/info.md"):
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            (clone / name).write_text("A turnstone turns stones\n")
        shutil.copytree(clone, daemon.workspace / "projects" / "cloned")
        shutil.move(clone, daemon.workspace / "memory" / "moved")
        seen(daemon, "gannet")
        copies = {"projects/cloned/README.md", "projects/cloned/docs/a.md"}
        moved = {"memory/moved/README.md", "memory/moved/docs/a.md"}
        documents = copies | moved

        def indexed() -> bool:
            return {path for path in documents if readable(daemon, path)} == documents

        wait_for(indexed, "both trees")
        (daemon.workspace / "memory/moved/docs/a.md").write_text("A dunlin probes the mud\n")
        seen(daemon, "dunlin")
        assert not any(".git" in path for path in paths(daemon, "turnstone"))

    def test_c054_every_way_to_save_a_log_keeps_its_facts_and_leaves_no_debris(
        self, daemon: Daemon
    ) -> None:
        log = put(daemon, DAY, saved("zeroth"))
        seen(daemon, "zeroth")
        before = ids(daemon)
        assert len(before) == 2
        for word, save in SAVES.items():
            save(log, saved(word))
            seen(daemon, word)
            assert ids(daemon) == before
        for word in ("zeroth", *SAVES)[:-1]:
            assert found(daemon, word) == []
        assert paths(daemon, "ferryman") == {DAY}

    def test_c055_what_a_name_becomes_is_what_counts(self, daemon: Daemon, tmp_path: Path) -> None:
        draft = put(daemon, "notes/plan.tmp", "The plover runs\n")
        note = draft.with_suffix(".md")
        draft.replace(note)
        seen(daemon, "plover")
        note.rename(note.with_suffix(".bak"))
        gone(daemon, "plover")
        outside = tmp_path / "in.md"
        outside.write_text("The knot migrates\n")
        shutil.move(outside, note)
        seen(daemon, "knot migrates")

    def test_c056_files_at_the_root_are_seen_each_time_they_are_replaced(
        self, daemon: Daemon
    ) -> None:
        for name in ("MEMORY.md", "HEARTBEAT.md"):
            stem = name[:3].lower()
            for number in range(3):
                new = put(daemon, f"{name}.new", f"# List\n\nThe {stem}bird{number} sings\n")
                new.replace(daemon.workspace / name)
                seen(daemon, f"{stem}bird{number}")
            assert [found(daemon, f"{stem}bird{number}") for number in range(2)] == [[], []]

    def test_c057_a_file_that_is_still_written_is_found_as_it_is_in_the_end(
        self, daemon: Daemon
    ) -> None:
        log = daemon.workspace / "memory" / "2026-05-15.md"
        pieces = "# Daily Log - 2026-05-15\n\n## Retain\n- W @Kaja: Rows across the fjord in 40 min"
        with log.open("w") as file:
            for at in range(0, len(pieces), 6):
                file.write(pieces[at : at + 6])
                file.flush()
                time.sleep(0.06)  # as a slow writer does
            file.write("utes at slack tide.\n")
        seen(daemon, "slack tide")
        hits = daemon.client.recall("Kaja rows fjord", kind=["world"])["hits"]
        assert [hit["content"] for hit in hits if "Kaja" in hit["entities"]] == [
            "Rows across the fjord in 40 minutes at slack tide."
        ]
        with (daemon.workspace / "long.md").open("w") as file:
            for number in range(2000):
                file.write(f"{'petrel ' * 140}{number}\n" if number % 100 == 0 else "a line\n")
                file.flush()
            file.write("\nand at last a fulmar\n")
        seen(daemon, "fulmar")

    def test_c048_c060_what_happens_just_before_and_after_the_end_is_found(
        self, daemon: Daemon
    ) -> None:
        put(daemon, "before.md", "The razorbill dives\n")
        seen(daemon, "razorbill")
        put(daemon, "last.md", "The puffin digs\n")
        daemon.stop()  # before anybody could look
        put(daemon, "while.md", "The guillemot breeds\n")
        (daemon.workspace / "before.md").rename(daemon.workspace / "after.md")
        daemon.start()
        for word in ("puffin", "guillemot", "razorbill"):
            seen(daemon, word)
        wait_for(lambda: paths(daemon, "razorbill") == {"after.md"}, "the old name to go")
        (daemon.workspace / "after.md").rename(daemon.workspace / "final.md")
        wait_for(lambda: paths(daemon, "razorbill") == {"final.md"}, "the last name")

    def test_c061_a_reindex_goes_through_the_daemon_and_is_seen_at_once(
        self, daemon: Daemon
    ) -> None:
        put(daemon, "again.md", "The skua robs\n")
        said = daemon.cli("reindex", "--full")
        assert said.returncode == 0, said.stderr
        assert found(daemon, "skua")

    def test_c052_a_workspace_that_was_replaced_is_noticed_and_watched_again(
        self, daemon: Daemon
    ) -> None:
        put(daemon, "kept.md", "The bittern booms\n")
        seen(daemon, "bittern")
        aside = daemon.workspace.with_name("aside")
        daemon.workspace.rename(aside)
        wait_for(lambda: daemon.client.run_job("reconcile")["last_outcome"] == "failed", "a loss")
        shutil.copytree(aside, daemon.workspace, symlinks=True)
        wait_for(lambda: outcome(daemon) == "ok", "the new one")
        assert found(daemon, "bittern")
        put(daemon, "new.md", "The spoonbill sieves\n")
        seen(daemon, "spoonbill")
        note = daemon.client.append_daily_log("The new folder is in use")
        assert (daemon.workspace / note["path"]).exists()
        assert not (aside / note["path"]).exists()


def outcome(daemon: Daemon) -> str:
    with contextlib.suppress(Exception):
        return str(daemon.client.run_job("reconcile")["last_outcome"])
    return "down"


def readable(daemon: Daemon, path: str) -> bool:
    stem = path.rpartition("/")[0]
    hits = daemon.client.recall("turnstone", mode="lexical", path=f"{stem}/*.md")["hits"]
    return any(hit["path"] == path for hit in hits)


def saved(word: str) -> str:
    return (
        "# Daily Log - 2026-05-14\n\n## Retain\n"
        "- W @Birk: Is the ferryman of the inner isles.\n"
        "- W @Birk: Has a ferryman's licence since 2019.\n\n"
        f"## Log\n\nIt was the {word} save.\n"
    )


def ids(daemon: Daemon) -> set[str]:
    hits = daemon.client.recall("ferryman", mode="lexical", kind=["world"], path=DAY)["hits"]
    return {hit["id"] for hit in hits}


def as_vim(file: Path, text: str) -> None:
    probe, backup = file.with_name("4913"), Path(f"{file}~")
    probe.touch()
    probe.unlink()
    file.rename(backup)
    file.write_text(text)
    backup.unlink()


def with_swap(file: Path, text: str) -> None:
    swap = file.with_name(f".{file.name}.swp")
    swap.write_text(text)
    file.write_text(text)
    swap.unlink()


def renamed(file: Path, text: str) -> None:
    new = file.with_name(f"sed{os.getpid()}.md.tmp")
    new.write_text(text)
    new.replace(file)


def truncated(file: Path, text: str) -> None:
    with file.open("r+") as opened:
        opened.truncate()
        opened.write(text)


def copied(file: Path, text: str) -> None:
    source = file.parent.parent.parent / "outside.md"
    source.write_text(text)
    shutil.copy(source, file)


def recreated(file: Path, text: str) -> None:
    file.unlink()
    threading.Event().wait(0.2)
    file.write_text(text)


SAVES = {
    "vimlike": as_vim, "swapped": with_swap, "renamed": renamed, "truncated": truncated,
    "copied": copied, "recreated": recreated,
}  # fmt: skip


# -- events are hints ------------------------------------------------------------------------------


class Telling:
    """The library's watch that tells of these changes, in this order, and ends."""

    def __init__(self, *batches: list[tuple[int, str]]) -> None:
        self._batches = list(batches)

    def __call__(self, *_roots: Path, **_options: Any) -> "Telling":
        return self

    def __aiter__(self) -> "Telling":
        return self

    async def __anext__(self) -> list[tuple[int, str]]:
        if not self._batches:
            raise StopAsyncIteration
        return self._batches.pop(0)


ADDED, MODIFIED, DELETED = 1, 2, 3


@pytest.mark.parametrize("exists", [True, False])
@pytest.mark.parametrize(
    "order", [(DELETED, ADDED), (ADDED, DELETED), (MODIFIED,), (DELETED,), (ADDED,)], ids=str
)
def test_c058_what_an_event_calls_itself_decides_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exists: bool, order: tuple[int, ...]
) -> None:
    root = tmp_path / "w"
    root.mkdir()
    note = root / "note.md"
    note.write_text("The avocet sweeps\n")
    with index_of(root) as index:
        index.reconcile()
        if exists:
            note.write_text("The stilt wades\n")
        else:
            note.unlink()
        told = Telling([(change, str(note)) for change in order])
        monkeypatch.setattr(watch, "awatch", told)

        async def follow() -> None:
            changes = watch.changes([root], asyncio.Event(), poll=False, on_mode=lambda _: None)
            async for batch in changes:
                index.update([path.relative_to(root).as_posix() for path in batch])

        asyncio.run(follow())
        contents = [hit.content for hit in ask(index, "avocet stilt").hits]
        assert contents == (["The stilt wades"] if exists else [])


# -- an index gone stale ---------------------------------------------------------------------------


def test_c053_c063_an_edit_that_left_size_and_time_is_found_within_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "w"
    root.mkdir()
    note = root / "note.md"
    note.write_text("The tide turns at 4 o'clock\n")
    embedder = FakeEmbedder()
    with index_of(root, embedder) as index:
        index.reconcile()
        info = note.stat()
        with note.open("r+b") as file:
            file.write(b"The tide turns at 9 o'clock\n")
        os.utime(note, ns=(info.st_atime_ns, info.st_mtime_ns))
        assert index.reconcile().indexed == 0  # it looks as it did
        yesterday(index)
        assert index.reconcile().indexed == 1
        assert [hit.content for hit in ask(index, "tide turns").hits] == [
            "The tide turns at 9 o'clock"
        ]
        assert index.status()["vectors"]["pending"] == 0
        assert index.reconcile().indexed == 0


def yesterday(index: Index) -> None:
    """Let the last close look be more than a day ago."""
    with index._require().writing() as connection:
        connection.execute(
            "UPDATE meta SET value = '2026-01-02T03:04:05+00:00' WHERE key = 'words_checked'"
        )


@pytest.mark.parametrize("way", ["update", "reconcile"])
def test_c061_an_index_file_that_was_replaced_is_noticed(tmp_path: Path, way: str) -> None:
    texts = Notes({"a.md": "The curlew calls\n"})
    old, live = tmp_path / "old", tmp_path / "live"
    old.mkdir()
    live.mkdir()
    with contextlib.closing(open_index(old, texts)) as index:
        index.reconcile()
    with contextlib.closing(open_index(live, texts)) as index:
        index.reconcile()
        texts["b.md"] = "The whimbrel whistles\n"
        index.update(["b.md"])
        (old / "index.sqlite").replace(live / "index.sqlite")
        texts["c.md"] = "The godwit wades\n"
        if way == "update":
            index.update(["c.md"])
        else:
            index.reconcile()
        for word in ("curlew", "whimbrel", "godwit"):
            assert [hit.path for hit in ask(index, word).hits], word
    with contextlib.closing(open_index(live, texts)) as index:
        index.reconcile()
        assert [hit.path for hit in ask(index, "godwit").hits] == ["c.md"]


def test_c062_a_small_change_leaves_what_lies_behind_a_link_alone(tmp_path: Path) -> None:
    root, vault = tmp_path / "w", tmp_path / "vault"
    root.mkdir()
    vault.mkdir()
    for number in range(30):
        (vault / f"{number}.md").write_text(f"Vault note {number} on lapwings\n")
    (root / "vault").symlink_to(vault)
    (root / "MEMORY.md").write_text("# Memory\n")
    with index_of(root) as index:

        def behind() -> int:
            return len(ask(index, "lapwings", limit=50, path="vault/*.md").hits)

        index.reconcile()
        assert behind() == 30
        (root / "MEMORY.md").write_text("# Memory\n\nOne line more.\n")
        assert index.update(["MEMORY.md"]).changed == ["MEMORY.md"]
        assert index.reconcile().changed == []
        assert behind() == 30
        vault.rename(tmp_path / "unplugged")  # a disk that is away is no deletion
        index.reconcile()
        assert behind() == 30


# -- files that do not answer ----------------------------------------------------------------------


class Evicted(Notes):
    """Documents of which some are only in the cloud: their first byte does not come."""

    def __init__(self, texts: dict[str, str], away: set[str]) -> None:
        super().__init__(texts)
        self.away = away
        self.arrived = threading.Event()

    def load(self, path: str) -> Loaded | None:
        if path in self.away:
            self.arrived.wait(60)
        return super().load(path)


def test_c075_files_whose_first_byte_never_comes_hold_up_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_PATIENCE", 0.3)
    monkeypatch.setattr(reader, "_LESS_PATIENCE", 0.05)
    away = {f"cloud/{n}.md": f"Cloud note {n} on eiders\n" for n in range(10)}
    here = {f"here/{n}.md": f"Local note {n} on teals\n" for n in range(5)}
    texts = Evicted({**away, **here}, set(away))
    threads = threading.active_count()
    with contextlib.closing(open_index(tmp_path, texts)) as index:
        began = time.monotonic()
        report = index.reconcile()
        assert time.monotonic() - began < 10
        assert (report.indexed, set(report.failed)) == (5, set(away))
        assert "does not answer" in report.failed["cloud/0.md"]
        assert len(ask(index, "teals", limit=20).hits) == 5
        again = time.monotonic()
        assert set(index.reconcile().failed) == set(away)  # nobody waits for them once more
        assert time.monotonic() - again < 1
        assert threading.active_count() - threads <= len(away) + 1
        texts["here/0.md"] = "Local note 0 on wigeons\n"
        assert index.update(["here/0.md"]).indexed == 1
        texts.arrived.set()
        wait_for(lambda: not index.reconcile().failed, "the cloud")
        assert len(ask(index, "eiders", limit=20).hits) == 10
    wait_for(lambda: threading.active_count() == threads, "the threads to end")


def test_c075_a_disk_that_answers_nothing_at_all_takes_few_threads_and_no_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_PATIENCE", 0.2)
    monkeypatch.setattr(reader, "_LESS_PATIENCE", 0.01)
    texts = Evicted({f"{n}.md": f"Note {n} on smews\n" for n in range(40)}, set())
    threads = threading.active_count()
    with contextlib.closing(open_index(tmp_path, texts)) as index:
        index.reconcile()
        for path in list(texts):
            texts[path] += "and more\n"
        texts.away = set(texts)
        assert len(index.reconcile().failed) == 40
        assert threading.active_count() - threads <= 20
        assert len(ask(index, "smews", limit=50).hits) == 40  # as they were
        texts.arrived.set()
        wait_for(lambda: not index.reconcile().failed, "the disk")


def test_c075_what_goes_wrong_in_reading_is_told_as_it_is(tmp_path: Path) -> None:
    texts = Notes({"a.md": "The smew dives\n", "b.md": "x\n"})
    texts.broken["b.md"] = StorageError("b.md: cannot be read")
    with contextlib.closing(open_index(tmp_path, texts)) as index:
        assert index.reconcile().failed == {"b.md": "b.md: cannot be read"}
