"""Upgrading: every released schema opens, a crash leaves the old file, a newer one is refused."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import apsw
import pytest
from structlog.testing import capture_logs

import hippod.state.database as states
from hippod.errors import StorageError
from hippod.state import State
from hippod.state.migrations import MIGRATIONS
from tests.processes import Daemon, wait_for

HERE = Path(__file__).parent
RELEASED = range(1, len(MIGRATIONS))
NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
Old = Callable[[int], Path]


def old_state(folder: Path, schema: int) -> Path:
    """Write a state as an earlier hippod left it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "state.sqlite"
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute((HERE / f"state_v{schema}.sql").read_text())
    return path


def schema_of(path: Path) -> int:
    with closing(apsw.Connection(str(path))) as connection:
        return int(str(connection.pragma("user_version")))


def backups(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.bak*"))


# -- every release ---------------------------------------------------------------------------


@pytest.mark.parametrize("schema", RELEASED)
class TestReleased:
    def test_it_opens_with_all_that_it_knew(self, tmp_path: Path, schema: int) -> None:
        with capture_logs() as logged:
            state = State(old_state(tmp_path, schema), clock=lambda: NOW)
        assert state.recovered_from is None
        (told,) = [line for line in logged if line["event"] == "state.migrated"]
        assert (told["before"], told["kept_as"]) == (
            schema,
            str(tmp_path / f"state.sqlite.v{schema}.bak"),
        )
        assert schema_of(tmp_path / f"state.sqlite.v{schema}.bak") == schema
        found = state.origin("k3f9ab27qt")
        assert found is not None
        assert [turn.text for turn in found.turns][1] == "The spare key is with Ina."
        assert found.fact.cited == {"m2"}
        assert state.seen("main", ["key1", "key9"]) == {"key1"}
        assert state.get_cursor("main", "/home/ada/talk.jsonl") is not None
        assert len(state.recent()) == {1: 3, 2: 4, 3: 5, 4: 5}[schema]
        assert [entry.change.path for entry in state.unfinished()] == ["old.md"]
        assert [run.outcome for run in state.runs("reconcile")] == ["ok"]
        assert state.get_meta("source.main.first_seen") == "2026-03-03T09:15:00+00:00"
        state.close()

    def test_what_its_own_release_added(self, tmp_path: Path, schema: int) -> None:
        state = State(old_state(tmp_path, schema), clock=lambda: NOW)
        assert state.tokens_on(date(2026, 3, 3)) == (1020 if schema >= 2 else 0)
        if schema >= 2:
            assert state.entry(1).undone_by == 4
            assert [item.turn for item in state.rejected()] == ["m3", ""]
        if schema >= 3:
            assert state.entry(5).change.target == "archive/2026/2026-01-02.md"
        if schema >= 4:
            assert state.reflected("fact") == {"k3f9ab27qt": ""}
        assert len(state.runs("reflect")) == (schema >= 4)
        state.close()

    def test_it_works_as_a_new_one(self, tmp_path: Path, schema: int) -> None:
        state = State(old_state(tmp_path, schema), clock=lambda: NOW)
        state.record_run("reflect", NOW, 1.0, "ok", detail="{}")
        state.working.set("s", "main", "in mind")
        state.events.add("fault", {"what": "x"})
        assert state.drop_turns(NOW + timedelta(days=9)) == (schema == 1)
        state.close()
        again = State(tmp_path / "state.sqlite")
        assert again.recovered_from is None
        assert next(run.outcome for run in again.runs("reflect")) == "ok"
        again.close()

    def test_its_tables_are_those_of_a_new_file(self, tmp_path: Path, schema: int) -> None:
        State(old_state(tmp_path / "old", schema)).close()
        (tmp_path / "new").mkdir()
        State(tmp_path / "new/state.sqlite").close()
        assert columns(tmp_path / "old/state.sqlite") == columns(tmp_path / "new/state.sqlite")

    def test_the_backup_goes_back_a_version(self, tmp_path: Path, schema: int) -> None:
        """What the paper tells: put the copy in place of the file, without what lies beside it."""
        path = old_state(tmp_path, schema)
        State(path).close()
        for ending in ("", "-wal", "-shm"):
            Path(f"{path}{ending}").unlink(missing_ok=True)
        (tmp_path / f"state.sqlite.v{schema}.bak").rename(path)
        assert schema_of(path) == schema
        again = State(path)
        assert again.origin("k3f9ab27qt") is not None
        again.close()


def columns(path: Path) -> dict[str, set[tuple[object, ...]]]:
    with closing(apsw.Connection(str(path))) as connection:
        names = [str(n) for (n,) in connection.execute("SELECT name FROM sqlite_schema")]
        return {
            name: set(
                connection.execute("SELECT name, type, pk FROM pragma_table_info(?)", (name,))
            )
            for name in names
        }


def test_every_release_has_a_fixture() -> None:
    assert [path.name for path in sorted(HERE.glob("state_v*.sql"))] == [
        f"state_v{schema}.sql" for schema in RELEASED
    ]


# -- the copy --------------------------------------------------------------------------------


class TestCopy:
    def test_it_is_for_its_owner_alone(self, tmp_path: Path) -> None:
        State(old_state(tmp_path, 2)).close()
        assert (tmp_path / "state.sqlite.v2.bak").stat().st_mode & 0o777 == 0o600

    def test_only_the_newest_two_are_kept(self, tmp_path: Path) -> None:
        for schema in (1, 2, 3):
            (tmp_path / f"state.sqlite.v{schema}.bak").write_text("of earlier times")
        (tmp_path / "state.sqlite.v9.bak.mine").write_text("a person's")
        State(old_state(tmp_path, 4)).close()
        assert backups(tmp_path) == [
            "state.sqlite.v3.bak",
            "state.sqlite.v4.bak",
            "state.sqlite.v9.bak.mine",
        ]

    def test_a_start_without_a_migration_makes_none(self, tmp_path: Path) -> None:
        State(tmp_path / "state.sqlite").close()
        State(tmp_path / "state.sqlite").close()
        assert backups(tmp_path) == []

    def test_too_little_space_is_said_before_anything_is_written(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = old_state(tmp_path, 3)
        usage = shutil.disk_usage(tmp_path)
        monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage._replace(free=1000))
        with pytest.raises(StorageError, match="1000 are free"):
            State(path)
        assert backups(tmp_path) == []
        assert schema_of(path) == 3

    def test_half_a_copy_of_a_killed_run_is_made_anew(self, tmp_path: Path) -> None:
        path = old_state(tmp_path, 3)
        (tmp_path / "state.sqlite.v3.bak.tmp").write_text("half")
        State(path).close()
        assert backups(tmp_path) == ["state.sqlite.v3.bak"]
        assert schema_of(tmp_path / "state.sqlite.v3.bak") == 3

    def test_a_copy_that_fails_leaves_the_file_as_it_was(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fails(*_: object) -> None:
            raise apsw.FullError("database or disk is full")

        path = old_state(tmp_path, 3)
        monkeypatch.setattr(states.snapshot, "_copy", fails)
        with pytest.raises(StorageError):
            State(path)
        assert schema_of(path) == 3
        assert backups(tmp_path) == []


# -- crashes ---------------------------------------------------------------------------------

DIES = """
import os, signal, sys
from pathlib import Path
import hippod.state.database as states
step, real, seen = int(sys.argv[2]), states.Database.execute, []
def execute(self, sql, *values):
    seen.append(sql)
    if len(seen) == step:
        os.kill(os.getpid(), signal.SIGKILL)
    real(self, sql, *values)
states.Database.execute = execute
commit = states.commit
def dies(connection):
    if step == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    commit(connection)
states.commit = dies
states.Database(Path(sys.argv[1]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("step", [3, 0])
def test_kill_9_in_the_middle_leaves_the_old_file_usable(tmp_path: Path, step: int) -> None:
    """Between two migrations, and right before the commit."""
    path = old_state(tmp_path, 3)
    ended = subprocess.run(
        [sys.executable, "-c", DIES, str(path), str(step)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert ended.returncode == -signal.SIGKILL
    assert schema_of(path) == 3
    state = State(path)
    assert state.recovered_from is None
    assert state.origin("k3f9ab27qt") is not None
    state.close()
    assert backups(tmp_path) == ["state.sqlite.v3.bak"]


# -- a newer one -----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.xdist_group("upgrade")
class TestDaemon:
    def test_a_newer_state_is_refused_in_one_line_and_the_index_is_not_touched(
        self, tmp_path: Path
    ) -> None:
        daemon = Daemon(tmp_path)
        daemon.cli("init")
        memory = daemon.workspace / ".memory"
        State(self.made(memory)).close()
        with closing(apsw.Connection(str(memory / "state.sqlite"))) as connection:
            connection.execute("PRAGMA user_version=99")
        (memory / "index.sqlite").write_bytes(b"not to be touched")
        ran = daemon.cli("run")
        assert ran.returncode == 1
        (line,) = [each for each in ran.stderr.splitlines() if each.startswith("hippod: ")]
        assert "written by a newer hippod (schema 99, this one knows" in line
        assert "Traceback" not in ran.stderr
        assert (memory / "index.sqlite").read_bytes() == b"not to be touched"
        assert schema_of(memory / "state.sqlite") == 99

    def made(self, memory: Path) -> Path:
        memory.mkdir(mode=0o700, exist_ok=True)
        return memory / "state.sqlite"

    def test_an_old_state_and_a_newer_index_just_work(self, tmp_path: Path) -> None:
        """The state migrates, the index is built again; nothing of either is asked of anybody."""
        daemon = Daemon(tmp_path)
        daemon.cli("init")
        (daemon.workspace / "heron.md").write_text("The heron fishes at the weir.\n")
        memory = daemon.workspace / ".memory"
        old_state(memory, 1)
        (memory / "old.md").parent.mkdir(exist_ok=True)
        daemon.start()
        daemon.settle()
        assert daemon.stop() == 0
        assert backups(memory) == ["state.sqlite.v1.bak"]
        with closing(apsw.Connection(str(memory / "index.sqlite"))) as connection:
            connection.execute(
                "UPDATE meta SET value=json_set(value, '$.schema', 99) WHERE key='fingerprint'"
            )
            assert connection.changes() == 1
        daemon.start()
        try:
            wait_for(lambda: daemon.client.recall("heron")["hits"], "the index")
            daemon.settle()
        finally:
            assert daemon.stop() == 0
        assert "Traceback" not in daemon.log.read_text()
