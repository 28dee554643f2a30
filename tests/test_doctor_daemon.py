"""The doctor at a real daemon: all is well, it harms nothing, and what is broken is mended."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hippod.errors import Forbidden, InvalidInput
from tests.asking import ask
from tests.processes import Daemon, running, wait_for
from tests.unprivileged import UID, somebody

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("doctor")]

SECRET_WORDS = "The copper kettle hums beside Marguerite's window at dawn."


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    settings = {"HIPPOD_ENCODER__PROVIDER": "none"}
    with running(tmp_path_factory.mktemp("doctor"), settings) as daemon:
        daemon.client.write("context/kettle.md", f"# Kettle\n\n{SECRET_WORDS}\n")
        daemon.settle()
        yield daemon


def by_name(answer: dict[str, object]) -> dict[str, dict[str, object]]:
    found = answer["findings"]
    assert isinstance(found, list)
    return {each["name"]: each for each in found}


def test_all_is_well_within_seconds_and_nothing_of_the_notes_is_told(daemon: Daemon) -> None:
    began = time.monotonic()
    done = daemon.cli("doctor")
    assert done.returncode == 0, done.stdout
    assert time.monotonic() - began < 15
    assert re.search(r"^  ok    daemon +answers in \d", done.stdout, re.M)
    assert re.search(r"^all is well, in ", done.stdout, re.M)
    assert "\x1b" not in done.stdout
    assert not {"kettle hums", "Marguerite"} & {*re.findall(r"kettle hums|Marguerite", done.stdout)}


def test_json_is_the_wire_object(daemon: Daemon) -> None:
    answer = json.loads(daemon.cli("doctor", "--json", "--only", "watcher,canary").stdout)
    assert [each["name"] for each in answer["findings"]] == ["watcher", "canary"]
    assert answer["state"] == "ok"
    by_hand = ask(daemon.socket, "GET", "/v1/doctor?only=watcher&only=canary").data
    assert by_hand.keys() == answer.keys()
    assert {each["state"] for each in by_hand["findings"]} == {"ok"}


def test_the_watcher_really_delivers(daemon: Daemon) -> None:
    found = by_name(daemon.client.doctor(only=["watcher"]))["watcher"]
    assert re.fullmatch(r"a change was told of after \d\.\d\d s \(events\)", str(found["said"]))
    assert [path for path in daemon.workspace.iterdir() if path.name.startswith(".hippod-")] == []


def test_a_group_and_unknown_names_are_refused(daemon: Daemon) -> None:
    assert daemon.cli("doctor", "--scope", "group").returncode == Forbidden.exit_code
    with pytest.raises(InvalidInput, match="no check 'nonsense'") as refused:
        daemon.client.doctor(only=["nonsense"])
    assert refused.value.hint.startswith("there is: daemon, socket, ")


def test_examinations_drop_no_lock_and_no_log(daemon: Daemon) -> None:
    """In the spirit of C166 and C170: others open and close the databases between."""
    assert daemon.process is not None
    for number in range(3):
        daemon.client.doctor(fix=True)
        subprocess.run(
            ["python3", "-c", _OUTSIDER, str(daemon.workspace / ".memory" / "state.sqlite")],
            check=True,
        )
        daemon.client.append_daily_log(f"Harbour note number {number} about the ferry")
    descriptors = Path(f"/proc/{daemon.process.pid}/fd")
    targets = [str(path.readlink()) for path in descriptors.iterdir() if path.is_symlink()]
    assert [each for each in targets if "(deleted)" in each and ".memory" in each] == []
    daemon.settle()
    found = daemon.client.recall("harbour note number 2")["hits"]
    assert "number 2" in found[0]["content"]
    assert daemon.client.doctor(only=["descriptors", "index", "state", "lock"])["state"] == "ok"


_OUTSIDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
connection.close()
"""


def test_fix_mends_a_running_daemon(daemon: Daemon) -> None:
    memory = daemon.workspace / ".memory"
    memory.chmod(0o755)
    (memory / ".gitignore").unlink()
    old = daemon.workspace / "context" / ".hippod-00112233445566aa.tmp"
    old.write_text("half of something\n")
    os.utime(old, (time.time() - 200_000,) * 2)
    daemon.socket.chmod(0o666)
    before = daemon.cli("doctor")
    assert before.returncode == 1
    assert "what to do" in before.stdout
    assert before.stdout.index("warn  leftovers:") < before.stdout.index("FAIL  modes:")
    after = daemon.client.doctor(fix=True)
    assert after["state"] != "fail", after
    assert sum(each["fixed"] for each in after["findings"]) == 4
    assert memory.stat().st_mode & 0o777 == 0o700
    assert not old.exists()
    assert daemon.socket.stat().st_mode & 0o777 == 0o600


def test_a_daemon_that_hangs_is_a_failure_that_is_told_soon(daemon: Daemon) -> None:
    assert daemon.process is not None
    daemon.process.send_signal(signal.SIGSTOP)
    try:
        began = time.monotonic()
        done = daemon.cli("doctor", "--only", "daemon,lock,index,workspace")
        assert time.monotonic() - began < 20
    finally:
        daemon.process.send_signal(signal.SIGCONT)
    assert done.returncode == 1
    assert f"(pid {daemon.process.pid}) takes connections" in done.stdout
    assert re.search(r"-     index +another process holds the workspace", done.stdout)
    assert re.search(r"ok    workspace ", done.stdout)
    wait_for(daemon.answers, "the daemon to go on")


def test_what_somebody_without_privileges_cannot_write_is_told() -> None:
    with somebody() as person:
        environ = {"HIPPOD_WORKSPACE": str(person.home / "notes")}
        assert person.hippod("init", environ=environ).returncode == 0
        root = person.home / "notes"
        (root / "memory").chmod(0o500)
        foreign = root / "context" / "by-sudo.md"
        foreign.write_text("as root\n")
        names = "workspace,owners"
        done = person.hippod("doctor", "--json", "--only", names, environ=environ)
    found = by_name(json.loads(done.stdout))
    assert done.returncode == 1
    assert f"{root}/memory: cannot be written" in str(found["workspace"]["said"])
    assert "context/by-sudo.md" in str(found["owners"]["said"])
    assert f"chown -R {UID}" in str(found["owners"]["fix"])
