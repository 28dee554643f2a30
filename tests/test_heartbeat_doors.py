"""The heartbeat through HTTP and the command line of a real daemon."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hippod.client import Client
from hippod.errors import Forbidden, InvalidInput
from tests.processes import Daemon, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("heartbeat")]

CONFIG = """
[heartbeat]
active_hours = "00:00-24:00"

[heartbeat.checks.cellar]
command = ["cat", "cellar.txt"]
attention = "number > 60"
message = "The cellar is damp."

[notify]
command = ["sh", "-c", "cat >> told.jsonl; echo >> told.jsonl"]
"""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("heartbeat")
    (folder / "config.toml").write_text(CONFIG)
    daemon = Daemon(folder, {"HIPPOD_CONFIG": str(folder / "config.toml")})
    daemon.workspace.mkdir()
    (daemon.workspace / "memory").mkdir()
    (daemon.workspace / "cellar.txt").write_text("humidity 71 %\n")
    (daemon.workspace / "HEARTBEAT.md").write_text("# Watch\n\n- [ ] check: cellar\n")
    try:
        yield daemon.start()
    finally:
        if daemon.process is not None and daemon.process.poll() is None:
            daemon.kill()


def told(daemon: Daemon) -> list[str]:
    file = daemon.workspace / "told.jsonl"
    lines = file.read_text().splitlines() if file.exists() else []
    return [json.loads(line)["text"] for line in lines if line]


SEEN = "The cellar is damp. (The number is 71, above 60)"


def test_the_doors_tell_the_same_of_a_beat(daemon: Daemon) -> None:
    plan = daemon.cli("heartbeat", "--dry-run")
    assert (plan.returncode, "to do" in plan.stdout) == (0, True)
    assert daemon.client.heartbeat_history()["beats"] == []
    none = daemon.cli("heartbeat", "--last")
    assert (none.returncode, none.stdout.startswith("no heartbeat yet")) == (0, True)
    assert daemon.cli("heartbeat", "--last", "--json").stdout.strip() == "{}"
    assert "exit code" in daemon.cli("heartbeat", "--help").stdout
    beat = daemon.client.heartbeat()
    assert (beat["outcome"], beat["reply"]) == (
        "attention",
        f"- {SEEN}",
    )
    assert told(daemon) == [f"- {SEEN}"]
    assert f"Heartbeat: {SEEN} ^" in daemon.cli("today").stdout
    last = daemon.cli("heartbeat", "--last")
    assert (last.returncode, "! attention" in last.stdout) == (0, True)
    assert daemon.client.heartbeat_history(1)["beats"] == [beat]
    again = daemon.cli("heartbeat")
    assert again.stdout.startswith("nothing new: 1 of 1 items still need attention\n")
    history = daemon.cli("heartbeat", "history", "--limit", "1")
    assert len(history.stdout.splitlines()) == 2
    assert len(told(daemon)) == 1


def test_status_and_jobs_know_of_it(daemon: Daemon) -> None:
    daemon.client.run_job("heartbeat")
    about = daemon.client.status()["heartbeat"]
    [job] = [job for job in daemon.client.jobs()["jobs"] if job["name"] == "heartbeat"]
    assert about["next"] == job["next_run"]
    assert about["last_heartbeat"] == job["last_run"]
    assert (about["last_outcome"], job["last_outcome"]) == ("attention", "attention")
    assert "heartbeat" in daemon.cli("status").stdout
    assert daemon.cli("jobs", "run", "heartbeat").stdout.startswith("nothing new: ")


def test_the_event_reaches_who_listens(daemon: Daemon) -> None:
    daemon.client.heartbeat()
    [event] = daemon.client.events(types=["heartbeat.alert"], follow=False)
    assert (event["text"], event["item"]) == (
        SEEN,
        "check: cellar",
    )
    assert "The cellar is damp." in daemon.cli("events").stdout


def test_a_note_can_be_taken_back(daemon: Daemon) -> None:
    daemon.client.heartbeat()
    [entry] = [e for e in daemon.client.log()["entries"] if e["actor"] == "heartbeat"]
    assert daemon.cli("undo", str(entry["id"])).returncode == 0
    assert "cellar" not in daemon.cli("today").stdout
    daemon.client.heartbeat()
    assert "cellar" not in daemon.cli("today").stdout


def test_a_group_is_refused_and_options_that_do_not_fit_are_usage(daemon: Daemon) -> None:
    with Client(daemon.socket, scope="group") as group:
        for verb in (group.heartbeat, group.heartbeat_history):
            with pytest.raises(Forbidden):
                verb()
    with pytest.raises(InvalidInput):
        daemon.client.heartbeat_history(0)
    for words in (
        ["--dry-run", "--last"],
        ["--limit", "3"],
        ["history", "--dry-run"],
        ["history", "--last"],
        ["nonsense"],
    ):
        assert daemon.cli("heartbeat", *words).returncode == 2


def test_sigterm_in_the_middle_of_a_beat_ends_the_daemon_at_once(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[heartbeat.checks.slow]\ncommand = ["sh", "-c", "touch began; sleep 60"]\n')
    daemon = Daemon(tmp_path, {"HIPPOD_CONFIG": str(config)})
    daemon.workspace.mkdir()
    (daemon.workspace / "HEARTBEAT.md").write_text("- check: slow\n")
    daemon.start()
    codes: list[int] = []
    beating = threading.Thread(target=lambda: codes.append(daemon.cli("heartbeat").returncode))
    beating.start()
    wait_for(lambda: (daemon.workspace / "began").exists(), "the command to begin")
    assert daemon.stop() == 0
    beating.join()
    assert codes[0] != 0
    daemon.start()
    try:
        assert daemon.client.heartbeat_history()["beats"][0]["outcome"] == "interrupted"
    finally:
        daemon.kill()
