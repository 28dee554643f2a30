"""What the system does not give any more: watches, descriptors, memory, the right time."""

import contextlib
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from bench.faults.harness import Fault, House, NotHere
from bench.faults.indexes import ALTERED

_FEW_DESCRIPTORS = 40
_CONNECTIONS = 60
_HEADROOM = 48 << 20
_DAY = 86_400


def no_watches(kind: str) -> Callable[[House], str]:
    """Return a fault: the system has no inotify handles of a kind left."""

    def inject(house: House) -> str:
        house.daemon.stop()
        usual = house.daemon.program
        house.daemon.program = [*_without_inotify(kind, 0), *usual]
        house.restart()
        house.wait(lambda: "polling" in _mode(house), "the fallback to polling")
        house.lift()
        return "falls back to polling, status says so"

    return inject


def watches_run_out(house: House) -> str:
    """Let the watches run out in the middle, as folders come; what is in them is found still."""
    house.daemon.stop()
    house.daemon.program = [*_without_inotify("watches", 40), *house.daemon.program]
    house.restart()
    for number in range(60):
        house.save(f"projects/more-{number}/page.md", f"# {house.word()}\n")
    house.save("projects/more-59/deep/down/last.md", "# Last\n\nAs it was.\n")
    house.lift()
    house.wait(lambda: "polling" in _mode(house), "the fallback to polling")
    word = house.word()
    house.save("projects/more-59/deep/down/last.md", f"# Last\n\nThe {word} was the last.\n")
    house.wait(lambda: house.finds(word), "an edit in the last folder")
    return "falls back to polling, status says so"


def no_descriptors(house: House) -> str:
    """Leave the daemon no descriptors: connections that stay open take them all."""
    before = resource.prlimit(house.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(house.pid, resource.RLIMIT_NOFILE, (_FEW_DESCRIPTORS, before[1]))
    with contextlib.ExitStack() as held:
        for _ in range(_CONNECTIONS):
            connection = held.enter_context(socket.socket(socket.AF_UNIX))
            connection.settimeout(1)
            with contextlib.suppress(OSError):
                connection.connect(str(house.daemon.socket))
        house.save("projects/without.md", f"# Without\n\n{house.word()}\n")
        house.say(3)
        time.sleep(2)
    resource.prlimit(house.pid, resource.RLIMIT_NOFILE, before)
    house.lift()
    return f"{_CONNECTIONS} connections, {_FEW_DESCRIPTORS} descriptors"


def no_memory(house: House) -> str:
    """Let allocations fail while large documents and questions come."""
    with open(f"/proc/{house.pid}/statm", encoding="ascii") as statm:  # noqa: PTH123
        mapped = int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    before = resource.prlimit(house.pid, resource.RLIMIT_AS)
    resource.prlimit(house.pid, resource.RLIMIT_AS, (mapped + _HEADROOM, before[1]))
    for number in range(4):
        paragraph = " ".join(house.rng.sample(_words(), 200)) + ".\n\n"
        house.save(f"projects/large-{number}.md", "# Large\n\n" + paragraph * 6_000)
        house.attempt(lambda: house.client.recall("water house light", limit=50))
    house.say(3)
    house.attempt(lambda: house.client.run_job("reconcile"))
    survived = house.alive()
    if survived:
        resource.prlimit(house.pid, resource.RLIMIT_AS, before)
    house.lift()
    return "goes on" if survived else "ended, started again"


def clock_jumps(house: House) -> str:
    """Let the clock jump by days, forwards and backwards, while the daemon runs."""
    clock = house.folder / "clock"
    clock.write_text("0")
    house.daemon.stop()
    house.daemon.program = list(ALTERED)
    house.daemon.environ["FAULTS_CLOCK"] = str(clock)
    house.restart()
    jumps = (_DAY, -3 * _DAY, 40 * _DAY, 3_600, -3_600, 0)
    for off in jumps:
        clock.write_text(str(off))
        house.say(2)
        assert house.note(day=None), "refused a note"
        today = (datetime.now(UTC) + timedelta(seconds=off)).date()
        log = house.root / "memory" / f"{today}.md"
        assert list(house.ledger.noted)[-1] in log.read_text(), "the clock did not jump"
        house.attempt(lambda: house.client.run_job("reconcile"))
        house.wait(house.retained, "the facts")
    house.lift()
    return f"{len(jumps)} jumps of our own clock"


def system_clock(_house: House) -> str:
    """Let the machine's clock jump: only where nobody else lives by it."""
    raise NotHere(
        "time namespaces have no wall clock, and the machine's is others' too; tests/test_jobs.py "
        "and tests/test_cases_scheduler.py jump it for the schedule, the fault above for the daemon"
    )


def _without_inotify(kind: str, left: int) -> list[str]:
    if sys.platform != "linux":
        raise NotHere("inotify is Linux's")
    script = f'echo {left} > /proc/sys/user/max_inotify_{kind} && exec "$@"'
    command = ["unshare", "-Ur", "sh", "-c", script, "sh"]
    try:
        tried = subprocess.run([*command, "true"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise NotHere("there is no unshare (util-linux)") from None
    if tried.returncode:
        raise NotHere(f"no user namespace: {tried.stderr.strip()}")
    return command


def _mode(house: House) -> str:
    return str(house.client.status()["watch"]["mode"])


def _words() -> list[str]:
    from bench import corpus

    return list(corpus.vocabulary()[:2_000])


FAULTS = (
    Fault("inotify instances exhausted", no_watches("instances")),
    Fault("inotify watches exhausted", no_watches("watches")),
    Fault("inotify watches run out while it runs", watches_run_out),
    Fault(
        "descriptors exhausted", no_descriptors, logs=("socket.accept() out of system resource",)
    ),
    Fault("memory limit (RLIMIT_AS)", no_memory, ends=(1, -signal.SIGABRT, -signal.SIGSEGV)),
    Fault("clock jumps by days and hours", clock_jumps),
    Fault("clock of the machine jumps", system_clock),
)
