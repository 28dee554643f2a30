"""Replays of field cases about processes, sockets and waiting: each in the spirit of one."""

import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hippod import lock
from hippod.server.socket import bind
from tests.endpoints import Misbehaving, misbehaving, silent
from tests.processes import Daemon, running, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cases_process")]
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

BEATS = 6
CHECKS = """
[heartbeat]
active_hours = "00:00-24:00"

[heartbeat.checks.lighthouse]
command = ["sh", "-c", "sleep 611 & echo $RANDOM; exit 1"]
cool_down = "0s"

[heartbeat.checks.foghorn]
command = ["sh", "-c", "trap '' TERM; sleep 612 & sleep 613"]
timeout = "100ms"
cool_down = "0s"

[heartbeat.checks.endless]
command = ["sh", "-c", "setsid sleep 614 & touch began; sleep 615"]
timeout = "10m"
"""


# -- children ---------------------------------------------------------------------------------


def descendants(pid: int) -> set[int]:
    """Return the processes that a process started, theirs too; zombies are among them."""
    found: set[int] = set()
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, listed.read_text().split()):
            found |= {child} | descendants(child)
    return found


def sleepers() -> list[str]:
    """Return the command lines of what our checks started and is still there."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = file.read_bytes().rstrip(b"\0").split(b"\0")
        except OSError:  # it ended meanwhile
            continue
        if words[0] == b"sleep" and words[-1] in (b"611", b"612", b"613", b"614", b"615"):
            found.append(b" ".join(words).decode())
    return found


@on_linux
def test_c178_c181_beats_leave_no_child_and_no_descriptor_behind(tmp_path: Path) -> None:
    """Checks that fail, that hang and hear no signal, that leave children; and a stop between."""
    (tmp_path / "config.toml").write_text(CHECKS)
    with running(tmp_path, {"HIPPOD_CONFIG": str(tmp_path / "config.toml")}) as daemon:
        assert daemon.process is not None
        pid = daemon.process.pid
        checklist = daemon.workspace / "HEARTBEAT.md"
        checklist.write_text("- check: lighthouse\n- check: foghorn\n")
        daemon.client.heartbeat()
        before = descriptors(pid)
        for _ in range(BEATS):
            states = [item["state"] for item in daemon.client.heartbeat()["items"]]
            assert len(states) == 2
            wait_for(lambda: not descendants(pid), "all children to end")
            assert sleepers() == []
        # One left by each would be `BEATS` more; what is open just now, as a connection, is fewer.
        wait_for(lambda: descriptors(pid) < before + BEATS, "descriptors as before")
        checklist.write_text("- check: endless\n")
        asking = threading.Thread(target=daemon.cli, args=("heartbeat",))
        asking.start()
        wait_for((daemon.workspace / "began").exists, "the check to begin")
        assert daemon.stop() == 0
        asking.join()
        wait_for(lambda: sleepers() == [], "all that it started to end", 10)


def descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


# -- one daemon -------------------------------------------------------------------------------


@on_linux
def test_c179_a_zombie_in_the_lock_file_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / ".memory").mkdir(mode=0o700)
    zombie = subprocess.Popen(["true"])
    wait_for(lambda: state(zombie.pid) == "Z", "it to end unreaped")
    started = "started 2026-02-02T10:00:00+00:00"
    (tmp_path / ".memory" / "lock").write_text(f"pid {zombie.pid}\n{started}\n")
    assert lock.holder(tmp_path) is None
    with lock.hold(tmp_path):
        assert lock.holder(tmp_path) == os.getpid()
    zombie.wait()


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_c182_of_three_that_start_at_once_on_a_dead_socket_one_serves(tmp_path: Path) -> None:
    first = Daemon(tmp_path)
    bind(first.socket).close()
    assert first.socket.exists(), "a socket that nobody serves"
    rivals = [Daemon(tmp_path) for _ in range(3)]
    processes = [rival.spawn() for rival in rivals]
    try:
        wait_for(lambda: sum(each.poll() is not None for each in processes) == 2, "two to end")
        wait_for(first.answers, "the one that is left to answer")
        codes = [each.returncode for each in processes]
        assert sorted(codes, key=str) == [5, 5, None]
        assert first.log.read_text().count("hippod: ") == 2
        [winner] = [each for each in processes if each.returncode is None]
        assert first.client.status()["pid"] == winner.pid
    finally:
        for each in processes:
            each.kill()
            each.wait()


# -- waiting ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mute() -> Iterator[Misbehaving]:
    """An endpoint that takes every question and never answers."""
    with misbehaving() as endpoint:
        endpoint.enqueue(silent)
        yield endpoint


@pytest.fixture(scope="module")
def deaf(mute: Misbehaving, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon whose embedder lies at that endpoint, with 300 texts that wait for vectors."""
    settings = {
        "HIPPOD_EMBEDDER__PROVIDER": "openai", "HIPPOD_EMBEDDER__BASE_URL": mute.url,
        "HIPPOD_EMBEDDER__MODEL": "mute", "HIPPOD_EMBEDDER__DIMENSIONS": "64",
        "HIPPOD_EMBEDDER__QUERY_TIMEOUT": "400ms", "HIPPOD_EMBEDDER__CALL_TIMEOUT": "60s",
    }  # fmt: skip
    with running(tmp_path_factory.mktemp("deaf"), settings) as daemon:
        (daemon.workspace / "many").mkdir()
        for n in range(300):
            (daemon.workspace / "many" / f"{n}.md").write_text(f"The buoy number {n} is red.\n")
        wait_for(lambda: daemon.client.recall("buoy", mode="lexical")["hits"], "the words")
        wait_for(lambda: not daemon.client.recall("buoy")["freshness"]["pending"], "all of them")
        yield daemon


def test_c192_an_embedder_that_never_answers_holds_up_nobody(
    deaf: Daemon, mute: Misbehaving
) -> None:
    assert deaf.process is not None
    began = time.monotonic()
    with ThreadPoolExecutor(20) as pool:
        asked = [pool.submit(deaf.client.recall, f"buoy number {n}") for n in range(20)]
        pings = []
        while not all(each.done() for each in asked):
            pinged = time.monotonic()
            deaf.client.health()
            pings.append(time.monotonic() - pinged)
            time.sleep(0.02)
        answers = [each.result() for each in asked]
    assert time.monotonic() - began < 10
    for answer in answers:
        assert answer["hits"]
        assert (answer["degraded"], answer["legs"]["vector"]) == (True, "failed")
    assert max(pings) < 1
    asked_before = len(mute.seen)
    again = [deaf.client.recall("buoy")["took_ms"] for _ in range(5)]
    assert max(again) < 400, "the circuit is open: nobody waits for the endpoint"
    assert len(mute.seen) == asked_before
    assert deaf.cli("status").returncode == 0


def test_c191_a_miss_is_answered_as_fast_as_a_hit_while_work_waits(deaf: Daemon) -> None:
    assert deaf.client.recall("buoy")["freshness"]["vectors_pending"] >= 300
    hit, miss = (
        statistics.median(deaf.client.recall(query)["took_ms"] for _ in range(5))
        for query in ("buoy", "xylograph")
    )
    assert not [h for h in deaf.client.recall("xylograph")["hits"] if h["bm25_score"]]
    assert miss < hit + 100
    began = time.monotonic()
    assert deaf.cli("recall", "xylograph").returncode == 0
    assert time.monotonic() - began < 3, "a client stays for no work in the background"
    began = time.monotonic()
    assert deaf.stop() == 0
    assert time.monotonic() - began < 5, "nor does the daemon wait for the endpoint"
