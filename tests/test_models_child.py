"""The pipes to a worker process, with small scripts in its place."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hippod.models.child import Child, ChildDied, ChildHung

ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"


@pytest.fixture
def start() -> Iterator[Callable[[str], Child]]:
    children: list[Child] = []

    def run(script: str) -> Child:
        children.append(Child([sys.executable, "-c", script]))
        return children[-1]

    yield run
    for child in children:
        child.close()


def test_messages_larger_than_a_pipe_go_both_ways(start: Callable[[str], Child]) -> None:
    child = start(ECHO)
    for size in (1, 70_000, 3_000_000):
        request: dict[str, object] = {"text": "ö" * size}
        assert child.exchange(request, 30) == request


def test_no_answer_is_a_hang(start: Callable[[str], Child]) -> None:
    child = start("import time; time.sleep(600)")
    started = time.monotonic()
    with pytest.raises(ChildHung):
        child.exchange({"text": "x" * 1_000_000}, 0.2)
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    ("script", "end"),
    [
        ("import sys; sys.exit(3)", "exit code 3"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "killed by SIGKILL"),
        ("import os, time; os.close(1); time.sleep(600)", "closed its pipe"),
    ],
)
def test_a_death_says_how_it_came(start: Callable[[str], Child], script: str, end: str) -> None:
    child = start(script)
    with pytest.raises(ChildDied):
        child.receive(30)
    assert child.describe_end() == end


@pytest.mark.parametrize("text", ["nonsense", "[1]", "", "{"])
def test_nonsense_counts_as_death(start: Callable[[str], Child], text: str) -> None:
    with pytest.raises(ChildDied):
        start(f"print({text!r}, flush=True); import time; time.sleep(600)").receive(30)


def test_a_flood_on_standard_error_blocks_nobody(start: Callable[[str], Child]) -> None:
    child = start(
        "import sys\nsys.stderr.write('noise\\n' * 300000 + 'the end\\n')\nprint('{}', flush=True)"
        "\nsys.stdin.read()"
    )
    assert child.receive(30) == {}
    with pytest.raises(ChildHung):
        child.receive(0.2)
    assert child.last_words.endswith("the end")
    assert len(child.last_words) <= 8192


def test_kill_from_another_thread_ends_a_wait(start: Callable[[str], Child]) -> None:
    child = start("import time; time.sleep(600)")
    killer = threading.Timer(0.1, child.kill)
    killer.start()
    with pytest.raises(ChildDied):
        child.receive(30)
    killer.join()
    assert not child.alive


def test_kill_takes_what_the_child_started(start: Callable[[str], Child]) -> None:
    child = start(
        "import subprocess, sys, json\n"
        "inner = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(json.dumps({'pid': inner.pid}), flush=True)\n"
        "sys.stdin.read()\n"
    )
    inner = int(str(child.receive(30)["pid"]))
    child.kill()
    child.kill()
    assert _gone(inner)


def test_a_killed_child_leaves_no_zombie_and_no_descriptor() -> None:
    before = set(os.listdir("/proc/self/fd"))
    child = Child([sys.executable, "-c", ECHO])
    child.exchange({"x": 1}, 30)
    os.kill(child.pid, signal.SIGKILL)
    child.close()
    assert not Path(f"/proc/{child.pid}").exists()
    assert set(os.listdir("/proc/self/fd")) == before


def _gone(pid: int) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state in "ZX":
            return True
        time.sleep(0.01)
    return False
