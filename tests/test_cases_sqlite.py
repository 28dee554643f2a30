"""Replays of field cases about SQLite files and crashes: each in the spirit of one, own inputs."""

import contextlib
import errno
import functools
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from structlog.testing import capture_logs

from hippod import atomic
from hippod.errors import StorageError
from hippod.state import State
from tests.documents import Notes, open_index
from tests.processes import Daemon, running, wait_for
from tests.test_forget import LOG, SECRET, Home, planted
from tests.unprivileged import somebody

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cases_sqlite")]

OWN_FILES_AS_A_SOURCE = '[[sources]]\nname = "own"\npath = ".memory/*.sqlite"\n'
DATABASES = ("index.sqlite", "state.sqlite")


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("sqlite")
    (folder / "config.toml").write_text(OWN_FILES_AS_A_SOURCE)
    with running(folder, {"HIPPOD_CONFIG": str(folder / "config.toml")}) as made:
        yield made


def outside(path: Path, script: str) -> str:
    """Open a database in another process with apsw as `db`, and return what `script` prints."""
    head = "import apsw, sys, time\ndb = apsw.Connection(sys.argv[1])\n"
    words = [sys.executable, "-c", head + script, str(path)]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def count(path: Path, table: str) -> int:
    return int(outside(path, f"print(db.execute('SELECT count(*) FROM {table}').get)"))


def ours(daemon: Daemon) -> list[str]:
    """Return what the daemon's descriptors lead to, as far as it lies in `.memory`."""
    assert daemon.process is not None
    found = []
    for each in Path(f"/proc/{daemon.process.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            found.append(str(each.readlink()))
    return [target for target in found if ".memory" in target]


def write_pages(daemon: Daemon, folder: str, number: int, word: str) -> None:
    place = daemon.workspace / folder
    place.mkdir(parents=True, exist_ok=True)
    for n in range(number):
        (place / f"{n}.md").write_text(f"# {folder} {n}\n\nThe {word} number {n} was counted.\n")


def finds(daemon: Daemon, word: str) -> bool:
    return any(word in hit["content"] for hit in daemon.client.recall(word)["hits"])


# -- others beside us -------------------------------------------------------------------------

HOLD = """
db.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
db.execute("ROLLBACK")
"""


def test_c162_saves_wait_for_another_process_that_holds_the_index(daemon: Daemon) -> None:
    head = "import apsw, sys, time\ndb = apsw.Connection(sys.argv[1])\ndb.set_busy_timeout(5000)\n"
    words = [sys.executable, "-c", head + HOLD, str(daemon.workspace / ".memory" / "index.sqlite")]
    daemon.settle()
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdin is not None
        assert other.stdout.readline() == b"held\n"
        for n in range(5):
            daemon.client.write(f"projects/held-{n}.md", f"The sluice gate {n} is shut.\n")
        wait_for(lambda: daemon.client.recall("x")["freshness"]["pending"], "a save to wait")
        time.sleep(1.5)  # longer than any save takes, shorter than the patience of ten seconds
        other.stdin.close()
        assert other.wait(10) == 0
    daemon.settle()
    paths = {hit["path"] for hit in daemon.client.recall("sluice gate", limit=20)["hits"]}
    assert {f"projects/held-{n}.md" for n in range(5)} <= paths
    assert daemon.client.status()["index"]["problem"] == ""
    assert "locked" not in daemon.log.read_text()


def test_c170_nothing_of_ours_opens_a_live_database_but_sqlite(daemon: Daemon) -> None:
    """Not even a source that names them; others may open and close them meanwhile."""
    memory = daemon.workspace / ".memory"
    daemon.client.doctor()
    daemon.client.metrics()
    daemon.client.status()
    for words in (
        ["backup", str(daemon.socket.parent.parent / "all.tar.gz")],
        ["export", str(daemon.socket.parent.parent / "all.jsonl")],
        ["retain", "--flush"],
        ["forget", "nothing that anybody said"],
    ):
        daemon.cli(*words)
    for name in DATABASES:
        outside(memory / name, "db.execute('PRAGMA user_version').get; db.close()")
        stranger = f"db.execute('CREATE TABLE stranger_{name[:5]}(x)'); db.close()"
        outside(memory / name, stranger)
    assert [target for target in ours(daemon) if "(deleted)" in target] == []
    before = count(memory / "state.sqlite", "journal"), count(memory / "index.sqlite", "documents")
    daemon.client.write("projects/third.md", "A third process sees the otter.\n")
    daemon.settle()
    after = count(memory / "state.sqlite", "journal"), count(memory / "index.sqlite", "documents")
    assert after == (before[0] + 1, before[1] + 1)
    [own] = [s for s in daemon.client.status()["retain"]["sources"] if s["name"] == "own"]
    assert (own["files"], own["alarms"]) == (0, [])


def test_c164_c168_clients_only_ask_and_are_answered_while_much_is_indexed(
    daemon: Daemon, tmp_path: Path
) -> None:
    daemon.client.write("projects/heron.md", "The heron stands in the reeds.\n")
    wait_for(lambda: finds(daemon, "heron"), "the page")
    writing = threading.Thread(target=write_pages, args=(daemon, "storm", 1000, "pebble"))
    writing.start()
    took = []
    for _ in range(20):
        began = time.monotonic()
        asked = daemon.cli("recall", "heron", "--timeout", "5")
        took.append(time.monotonic() - began)
        assert (asked.returncode, "reeds" in asked.stdout) == (0, True), asked.stderr
    writing.join()
    assert statistics.quantiles(took, n=20)[-1] < 2
    assert "locked" not in daemon.log.read_text()
    alone = Daemon(tmp_path)
    (alone.workspace / ".memory").mkdir(parents=True)
    assert alone.cli("recall", "heron").returncode == 3
    assert list((alone.workspace / ".memory").iterdir()) == [], "a client opens no index"


# -- files that cannot be used ----------------------------------------------------------------


def test_c167_files_that_cannot_be_used_are_said_and_mended_without_a_restart() -> None:
    """As somebody without privileges: files that are read-only, and a log of somebody else's."""
    with somebody() as person, person.running() as daemon:
        memory = daemon.workspace / ".memory"
        daemon.client.write("projects/kayak.md", "The kayak is yellow.\n")
        wait_for(lambda: finds(daemon, "kayak"), "the page")
        assert daemon.stop() == 0
        for name in DATABASES:
            (memory / name).chmod(0o444)
        (memory / "index.sqlite-wal").write_bytes(b"of somebody else")
        (memory / "index.sqlite-wal").chmod(0o600)
        daemon.start()
        answer = daemon.client.recall("kayak")
        assert (answer["hits"], answer["legs"]["lexical"]) == ([], "failed")
        assert answer["degraded"]
        said = daemon.cli("status").stdout
        assert said.startswith("hippod: "), "it is not called well"
        assert "! index  the index cannot be written" in said
        assert "index      unavailable" in said
        assert daemon.client.append_daily_log("Written all the same")["changed"]
        person.own(memory / "index.sqlite-wal")
        daemon.client.run_job("reconcile")
        wait_for(lambda: finds(daemon, "kayak"), "the index to serve again")
        assert "kayak is yellow" in (daemon.workspace / "projects" / "kayak.md").read_text()


def test_c172_a_filesystem_without_shared_memory_is_worked_on_without_wal_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite refuses WAL there without an error: it only answers with another mode."""
    without = functools.partial(apsw.Connection, vfs="unix-dotfile")
    monkeypatch.setattr(apsw, "Connection", without)
    index = open_index(tmp_path, Notes({"a.md": "The magpie takes the spoon.\n"}))
    assert index.reconcile().indexed == 1
    about = index.status()
    assert (about["state"], about["journal_mode"]) == ("ready", "delete")
    assert not list(tmp_path.glob("*-wal"))
    index.close()
    state = State(tmp_path / "state.sqlite")
    state.set_meta("spoon", "1")
    assert (state.get_meta("spoon"), state.journal_mode) == ("1", "delete")
    assert state.faults() == ["it is kept in mode delete: the filesystem refuses WAL"]
    state.close()


# -- crashes ----------------------------------------------------------------------------------


def test_c162_c175_kills_during_a_first_index_leave_it_sound_and_it_goes_on(
    tmp_path: Path,
) -> None:
    daemon = Daemon(tmp_path)
    index = daemon.workspace / ".memory" / "index.sqlite"
    write_pages(daemon, "notes", 1000, "limpet")
    indexed = [0]
    try:
        for number in range(2):
            daemon.start()
            wait_for(lambda: documents(daemon) > min(indexed[-1], 999), "more to be indexed")
            time.sleep(0.02 * number)
            daemon.kill()
            assert outside(index, "print(db.execute('PRAGMA integrity_check').get)") == "ok"
            assert outside(index, "print(db.execute('PRAGMA journal_mode').get)") == "wal"
            indexed.append(count(index, "documents"))
            assert indexed[-1] >= indexed[-2], "it began again"
        daemon.start()
        wait_for(lambda: documents(daemon) >= 1000, "all to be indexed")
        wait_for(lambda: finds(daemon, "limpet number 999"), "the last one")
        assert "index.discarded" not in daemon.log.read_text()
        assert daemon.stop() == 0
    finally:
        if daemon.process is not None and daemon.process.poll() is None:
            daemon.kill()
    numbers = "SELECT count(*), max(id) FROM documents"
    there, highest = map(int, outside(index, f"print(*db.execute('{numbers}').fetchone())").split())
    assert highest == there, "no document was indexed twice"


def documents(daemon: Daemon) -> int:
    return int(daemon.client.status()["index"].get("documents") or 0)


def test_c173_what_a_killed_run_left_half_made_goes_at_the_next_start(tmp_path: Path) -> None:
    notes = Notes({"a.md": "The plover limps.\n"})
    (tmp_path / "rebuild").mkdir()
    (tmp_path / "rebuild" / "index.sqlite-wal").write_bytes(b"half")
    (tmp_path / "vectors.hnsw.new").write_bytes(b"half")
    (tmp_path / "of-a-person.md").write_text("kept\n")
    with capture_logs() as logs, contextlib.closing(open_index(tmp_path, notes)) as index:
        index.reconcile()
        index.rebuild()
    assert not {"rebuild", "vectors.hnsw.new"} & set(os.listdir(tmp_path))
    assert (tmp_path / "of-a-person.md").exists()
    swept = [entry["names"] for entry in logs if entry["event"] == "index.swept"]
    assert swept == [["rebuild", "vectors.hnsw.new"]], "said once"


@pytest.mark.parametrize("room", [0, 1, 3, 5])
def test_c174_a_disk_that_fills_up_during_forget_leaves_no_half_of_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    """It is full after so many writes: what could not be written whole is as it was."""
    home = Home(tmp_path / "w")
    planted(home)
    pages = (LOG, "bank/world.md", "context/notes.md")
    before = {path: home.text(path) for path in pages}
    failed = None
    with monkeypatch.context() as patch, contextlib.suppress(StorageError):
        patch.setattr(atomic.os, "fsync", Disk(room).fsync)
        failed = {each.path for each in home.forget(SECRET).problems}
    standing = {path for path in pages if home.text(path) == before[path]}
    assert failed is None or standing <= failed, "what was left is named"
    for path in set(pages) - standing:
        assert "7319" not in home.text(path)
        assert len(home.text(path)) > len(before[path]) - 4 * len(SECRET), "the rest of it stands"
    assert standing, "the disk was full before it was done"
    if failed is None:
        assert home.hits("Quillon"), "nothing was removed, so the index has it too"
    assert not home.forget(SECRET).problems
    assert home.holders("Quillon at pier 7319") == []
    home.stop()


class Disk:
    """A disk on which so many files can be made to last; then it is full."""

    def __init__(self, room: int) -> None:
        self.room = room

    def fsync(self, _fd: int) -> None:
        self.room -= 1
        if self.room < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
