"""Jobs of a running daemon: cut off and tried again, missed and made up for, paused."""

import signal
import sys
import threading
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hippod.errors import HippodError
from hippod.state import State
from tests.processes import Daemon, running, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("jobs_daemon")]

# A hippod whose tidying takes a minute, unless it is stopped.
SLOW = """
import sys
from hippod.cli import main
from hippod.findings import Findings
from hippod.hygiene import Hygiene
Findings.all = lambda self: []
Hygiene._optimised = lambda self: self._go_on(60)
sys.exit(main(sys.argv[1:]))
"""


def job(daemon: Daemon, name: str) -> dict[str, Any]:
    [found] = [each for each in daemon.client.jobs()["jobs"] if each["name"] == name]
    return dict(found)


def ask_for(daemon: Daemon, name: str) -> None:
    """Run a job of a daemon that may go down meanwhile."""
    with suppress(HippodError):
        daemon.client.run_job(name)


def begin(daemon: Daemon, name: str) -> threading.Thread:
    """Ask for a job, and wait until tidying runs."""
    asking = threading.Thread(target=ask_for, args=(daemon, name))
    asking.start()
    wait_for(lambda: daemon.client.status()["hygiene"]["running"], "the job to begin")
    return asking


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_was_cut_off_is_tried_once_more(tmp_path: Path, number: signal.Signals) -> None:
    daemon = Daemon(tmp_path, program=(sys.executable, "-c", SLOW))
    try:
        daemon.start()
        asking = begin(daemon, "hygiene")
        assert daemon.process is not None
        daemon.process.send_signal(number)
        assert daemon.process.wait(15) == (0 if number == signal.SIGTERM else -number)
        asking.join(15)
    finally:
        daemon.kill()
    with closing(State(tmp_path / "workspace" / ".memory" / "state.sqlite")) as state:
        assert [run.outcome for run in state.runs("hygiene")] == ["interrupted"]
    with running(tmp_path) as daemon:
        wait_for(lambda: job(daemon, "hygiene")["last_outcome"] == "ok", "it to be tried again")
        done = job(daemon, "hygiene")
        assert done["last_due"]
        tomorrow = datetime.fromisoformat(done["last_run"]) + timedelta(days=1)
        assert abs(datetime.fromisoformat(done["next_run"]) - tomorrow) < timedelta(seconds=2)
        assert daemon.stop() == 0


def test_what_was_missed_is_made_up_for_once_but_not_what_is_paused(tmp_path: Path) -> None:
    with running(tmp_path) as daemon:
        paused = daemon.cli("jobs", "pause", "reflect")
        assert paused.returncode == 0, paused.stderr
        assert "hippod jobs resume reflect" in paused.stdout
        assert daemon.stop() == 0
    then = datetime.now(UTC) - timedelta(days=3, hours=1)
    state = State(tmp_path / "workspace" / ".memory" / "state.sqlite")
    for name in ("hygiene", "reflect"):
        state.record_run(name, then, 1.0, "ok")
        state.agenda.skip(name, 0, then)  # as if it had been scheduled since then
    state.close()
    with running(tmp_path) as daemon:
        wait_for(lambda: job(daemon, "hygiene")["last_due"], "the job that was missed")
        assert job(daemon, "hygiene")["missed"] == 2
        reflect = job(daemon, "reflect")
        assert (reflect["paused"], reflect["next_run"]) == (True, None)
        assert datetime.fromisoformat(reflect["last_run"]) < then + timedelta(seconds=1)
        shown = daemon.cli("jobs").stdout.splitlines()
        assert [row.split()[0] for row in shown[1:4]] == ["reconcile", "checkpoint", "reflect"]
        assert "paused" in shown[3]
        assert daemon.client.run_job("reflect")
        resumed = daemon.cli("jobs", "resume", "reflect").stdout
        assert resumed.startswith("reflect runs next at ")
        assert job(daemon, "reflect")["skipped"] == 0
        assert daemon.cli("jobs", "run", "checkpoint").returncode == 0
        assert job(daemon, "checkpoint")["last_outcome"] == "ok"
        assert daemon.stop() == 0


def test_what_waits_behind_a_run_that_is_cut_off_never_begins(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, program=(sys.executable, "-c", SLOW))
    try:
        daemon.start()
        asking = [begin(daemon, "hygiene")]
        assert job(daemon, "hygiene")["running"]
        asking += [begin(daemon, name) for name in ("hygiene", "hygiene", "heartbeat")]
        assert daemon.stop() == 0
        for each in asking:
            each.join(15)
    finally:
        daemon.kill()
    with closing(State(tmp_path / "workspace" / ".memory" / "state.sqlite")) as state:
        assert [run.outcome for run in state.runs("hygiene")] == ["interrupted"]


def test_many_looks_at_once_leave_room_for_what_they_wait_for(tmp_path: Path) -> None:
    with running(tmp_path) as daemon:
        asking = [
            threading.Thread(target=daemon.client.run_job, args=["reconcile"], daemon=True)
            for _ in range(30)
        ]
        for each in asking:
            each.start()
        assert "hits" in daemon.client.recall("where is the key?")
        for each in asking:
            each.join(20)
        assert not any(each.is_alive() for each in asking)
        assert not job(daemon, "reconcile")["running"]
        assert daemon.stop() == 0


# A hippod whose look at all files takes for ever, and in which a worker crashes meanwhile.
BROKEN = """
import asyncio, sys
from hippod import daemon
from hippod.cli import main
async def look(self):
    await asyncio.sleep(3600)
async def fail(self):
    while not self._board.all()[0].running:
        await asyncio.sleep(0.1)
    raise RuntimeError("broken")
daemon.CRASH_SECONDS = (60,)
daemon.Daemon._reconcile = look
daemon.Daemon._tidy = fail
sys.exit(main(sys.argv[1:]))
"""


def test_a_worker_that_crashes_is_told_and_holds_up_no_job_and_no_end(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, program=(sys.executable, "-c", BROKEN))
    try:
        daemon.start()
        asking = threading.Thread(target=ask_for, args=(daemon, "reconcile"))
        asking.start()
        wait_for(lambda: daemon.client.status()["crashes"], "the crash to be told")
        assert daemon.client.status()["crashes"]["tidy"]["error"] == "RuntimeError"
        assert "! worker  tidy crashed" in daemon.cli("status").stdout
        assert daemon.client.health()["ok"]
        asking.join(15)
        assert not asking.is_alive(), "it is told instead of waiting for ever"
        assert daemon.stop() == 0
    finally:
        daemon.kill()
