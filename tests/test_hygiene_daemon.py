"""Tidying by a running daemon: the job, the command line, and a death in the middle of it."""

import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from hippod.errors import Conflict, Forbidden, HippodError, InvalidInput, NotFound
from tests.crash.test_crash import KILLER
from tests.processes import Daemon, running, wait_for

PROSE = " ".join(f"word{number}" for number in range(80))
SETTINGS = {
    "HIPPOD_HYGIENE__MAX_DAILY_LOGS": "3",
    "HIPPOD_EMBEDDER__PROVIDER": "none",
    "HIPPOD_RETAIN__LOGS": "false",
}
LOGS = 33
FEWEST_STEPS = 60


def put(workspace: Path, path: str, text: str, *, days_old: int = 0) -> Path:
    file = workspace / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    moment = time.time() - 86_400 * days_old
    os.utime(file, (moment, moment))
    return file


def put_logs(workspace: Path, count: int) -> None:
    for number in range(count):
        day = date.today() - timedelta(days=number)
        put(workspace, f"memory/{day}.md", f"# Daily Log - {day}\n\n## Plans {number}\n")


def tree(workspace: Path) -> dict[str, str]:
    return {
        path.relative_to(workspace).as_posix(): path.read_text()
        for path in sorted(workspace.rglob("*.md"))
        if ".memory" not in path.parts
    }


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running(tmp_path_factory.mktemp("tidy"), SETTINGS) as daemon:
        daemon.cli("hygiene")  # what the first start wrote is as tidy as can be
        yield daemon


@pytest.fixture
def tidy(daemon: Daemon) -> Iterator[Daemon]:
    yield daemon
    for folder in ("memory", "archive", "projects"):
        shutil.rmtree(daemon.workspace / folder, ignore_errors=True)
    daemon.client.run_job("reconcile")


def indexed(daemon: Daemon, path: str) -> bool:
    return any(hit["path"] == path for hit in daemon.client.recall("plans", limit=50)["hits"])


def test_a_tidy_workspace_takes_one_line(tidy: Daemon) -> None:
    shown = tidy.cli("hygiene")
    assert (shown.returncode, shown.stdout) == (0, "nothing to tidy\n")


def test_the_job_is_listed_with_its_interval(tidy: Daemon) -> None:
    (job,) = [job for job in tidy.client.jobs()["jobs"] if job["name"] == "hygiene"]
    assert job["schedule"] == "every 1 d"
    assert job["next_run"]


def test_old_logs_move_and_are_found_there(tidy: Daemon) -> None:
    put_logs(tidy.workspace, 5)
    oldest = date.today() - timedelta(days=4)
    wait_for(lambda: indexed(tidy, f"memory/{oldest}.md"), "the logs")
    shown = tidy.cli("hygiene", "--dry-run")
    assert "to be archived" in shown.stdout
    assert len(list((tidy.workspace / "memory").iterdir())) == 5
    shown = tidy.cli("hygiene")
    assert shown.returncode == 0, shown.stderr
    first = oldest + timedelta(days=1)
    assert shown.stdout.startswith(f"archived: {oldest} to {first} (2 daily logs) to archive/")
    archived = f"archive/{oldest.year}/{oldest}.md"
    wait_for(lambda: indexed(tidy, archived), "the archived log")
    wait_for(lambda: not indexed(tidy, f"memory/{oldest}.md"), "the old place to be forgotten")
    status = tidy.client.status()["hygiene"]
    assert status["last_outcome"] == "ok"
    assert status["counts"]["archive"] == 2


def test_logs_that_stay_for_one_reason_take_one_line(tidy: Daemon) -> None:
    put_logs(tidy.workspace, 5)
    days = [date.today() - timedelta(days=number) for number in (4, 3)]
    for day in days:
        put(tidy.workspace, f"memory/{day}.md", "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n")
    shown = tidy.cli("hygiene").stdout
    assert shown == f"not archived: {days[0]} to {days[1]} (2 daily logs): has git conflict marks\n"


def test_copies_are_listed_and_merged_by_id(tidy: Daemon) -> None:
    put(tidy.workspace, "projects/boat.md", f"# Boat\n\n{PROSE}\n")
    copy = put(tidy.workspace, "projects/boat copy.md", f"# Boat\n\n{PROSE}\n\nIt leaks.\n")
    old = put(tidy.workspace, "projects/old.md", "Was due on 2020-01-05.\n", days_old=200)
    shown = tidy.cli("hygiene").stdout
    assert "documents that are nearly the same (1)" in shown
    assert "projects/old.md: not changed for 200 days; its last date 2020-01-05 is past" in shown
    (item,) = [
        each
        for each in json.loads(tidy.cli("hygiene", "--dry-run", "--json").stdout)["items"]
        if each["kind"] == "duplicate_document"
    ]
    assert f"hippod hygiene --apply {item['id']}" in shown
    applied = tidy.cli("hygiene", "--apply", item["id"])
    assert applied.returncode == 0, applied.stderr
    assert f"{item['id']}  done: " in applied.stdout
    by = [each["id"] for each in tidy.client.log(path="projects/*")["entries"]]
    assert by
    undo = ", then ".join(f"hippod undo {id_}" for id_ in by)
    assert applied.stdout.endswith(f"undo with: {undo}\n")
    assert not (tidy.workspace / item["path"]).exists()
    assert "It leaks." in (tidy.workspace / item["target"]).read_text()
    assert tidy.cli("hygiene", "--apply", item["id"]).returncode == NotFound.exit_code
    assert tidy.cli("hygiene", "--apply", "ab").returncode == InvalidInput.exit_code
    assert old.exists()
    assert not copy.exists() or not (tidy.workspace / "projects/boat.md").exists()


def test_what_changed_since_is_a_conflict(tidy: Daemon) -> None:
    put(tidy.workspace, "projects/one.md", f"{PROSE}\n")
    put(tidy.workspace, "projects/two.md", f"{PROSE}\n")
    answer = tidy.client.hygiene()
    (item,) = [each for each in answer["items"] if each["kind"] == "duplicate_document"]
    put(tidy.workspace, "projects/two.md", f"{PROSE}\nIt goes on.\n")
    with pytest.raises(Conflict):
        tidy.client.hygiene(apply=[item["id"]])


def test_only_scope_main_and_known_fields(tidy: Daemon) -> None:
    group = type(tidy.client)(socket_path=str(tidy.socket), scope="group")
    with pytest.raises(Forbidden):
        group.hygiene(dry_run=True)
    assert group.status()["hygiene"] is None


def test_the_generic_door_runs_it_too(tidy: Daemon) -> None:
    put_logs(tidy.workspace, 5)
    done = tidy.cli("jobs", "run", "hygiene")
    assert done.returncode == 0
    assert done.stdout.startswith("archived: ")
    assert len(list((tidy.workspace / "memory").iterdir())) == 3


def test_switched_off_it_runs_only_when_asked(tmp_path: Path) -> None:
    with running(tmp_path, {**SETTINGS, "HIPPOD_HYGIENE__ENABLED": "false"}) as daemon:
        (job,) = [job for job in daemon.client.jobs()["jobs"] if job["name"] == "hygiene"]
        assert job["next_run"] is None
        put_logs(daemon.workspace, 5)
        assert daemon.client.hygiene()["archived"] == 2
        assert daemon.client.status()["hygiene"]["enabled"] is False
        assert daemon.stop() == 0


# -- kill -9 ---------------------------------------------------------------------------------


class Tidying(Daemon):
    """A daemon that dies at step `kill_at` of its durable steps; 0: never."""

    def __init__(self, folder: Path, kill_at: int) -> None:
        folder.mkdir()
        self.steps = folder / "steps"
        super().__init__(
            folder,
            {
                **SETTINGS,
                "HIPPOD_KILL_AT": str(kill_at),
                "HIPPOD_KILL_LOG": str(self.steps),
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            (sys.executable, str(KILLER)),
        )
        if not self.workspace.exists():
            put_logs(self.workspace, LOGS)

    def tidy_up(self) -> bool:
        """Start, tidy up, stop; False if it died on the way. Safe to repeat."""
        process = self.spawn()
        wait_for(lambda: self.answers() or process.poll() is not None, "the daemon to answer")
        try:
            if process.poll() is None:
                self.client.hygiene()
                process.terminate()
        except HippodError:  # it died under us
            assert process.wait(20) == -signal.SIGKILL
        return process.wait(20) == 0


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_death_in_the_middle_loses_and_doubles_nothing(tmp_path: Path) -> None:
    whole = Tidying(tmp_path / "whole", 0)
    assert whole.tidy_up(), whole.log.read_text()
    expected = tree(whole.workspace)
    archived = [path for path in expected if path.startswith("archive/")]
    assert len(archived) == LOGS - 3
    steps = len(whole.steps.read_text().splitlines())
    assert steps >= FEWEST_STEPS
    deaths = 0
    for kill_at in range(steps // 8, steps, max(1, steps // 7)):
        daemon = Tidying(tmp_path / f"at{kill_at}", kill_at)
        if not daemon.tidy_up():
            deaths += 1
            daemon.environ["HIPPOD_KILL_AT"] = "0"
            assert daemon.tidy_up(), daemon.log.read_text()
        assert tree(daemon.workspace) == expected, f"killed at {kill_at} of {steps}"
    assert deaths >= 4
