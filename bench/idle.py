"""What the daemon costs when nothing happens: processor time, memory, threads, descriptors."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.processes import Daemon, wait_for

from bench import corpus, live
from bench.report import Budget, Result, Row, Spread
from bench.scale import Scale
from hippod.models.embedded import embedded_gguf

MOST_PERCENT = 0.5
"""Of one core."""
_WITH_MODEL = {
    "HIPPOD_GENERATOR__PROVIDER": "llama-cpp",
    "HIPPOD_GENERATOR__IDLE_UNLOAD": "1s",
}
_MIB = 1 << 20
_PATIENCE_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process has used and holds: processor seconds, bytes, counts."""

    at: float
    cpu: float
    wakeups: dict[str, int]
    resident: int
    threads: int
    descriptors: int


def measure(scale: Scale, folder: Path) -> Result:
    """Let the model be used once and unloaded, then look at the daemon doing nothing."""
    use_model = scale.idle_after_model and embedded_gguf() is not None
    title = (
        f"Idle for {scale.idle_seconds:g} s, model {'unloaded' if use_model else 'never loaded'}"
    )
    if sys.platform != "linux":
        return Result(title, skipped="it reads /proc, which only Linux has")
    with live.daemon(folder, scale.small_files, _WITH_MODEL if use_model else None) as daemon:
        assert daemon.process is not None
        pid = daemon.process.pid
        before = usage(pid)
        facts = _use_model_once(daemon) if use_model else {}
        first = usage(pid)
        time.sleep(scale.idle_seconds)
        last = usage(pid)
        assert not children(pid), "a child appeared while nothing happened"
        units = live.units(daemon)
    seconds = last.at - first.at
    percent = 100 * (last.cpu - first.cpu) / seconds
    rows = (
        Row("processor, of one core", "%", Spread(percent), budget=Budget("p50", MOST_PERCENT)),
        Row("wake-ups a second", "1/s", Spread(_wakeups(first, last) / seconds)),
        Row("memory (RSS)", "MiB", Spread(last.resident / _MIB),
            "before the model", Spread(before.resident / _MIB)),
        Row("threads", "", Spread(last.threads)),
        Row("open descriptors", "", Spread(last.descriptors)),
    )  # fmt: skip
    return Result(title, rows, {"units": units, **facts})


def usage(pid: int) -> Usage:
    """Read what a process has used so far."""
    process = Path("/proc") / str(pid)
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    tasks = list((process / "task").iterdir())
    return Usage(
        at=time.monotonic(),
        cpu=(int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"),
        wakeups=dict(_voluntary_switches(tasks)),
        resident=int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE"),
        threads=len(tasks),
        descriptors=sum(1 for _ in (process / "fd").iterdir()),
    )


def children(pid: int) -> list[int]:
    """Return the child processes of all threads of a process."""
    found: list[int] = []
    for task in (Path("/proc") / str(pid) / "task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):
            found += map(int, (task / "children").read_text().split())
    return found


def _use_model_once(daemon: Daemon) -> dict[str, object]:
    """Have a few messages extracted, and wait until the child is gone again."""
    assert daemon.process is not None
    pid = daemon.process.pid
    daemon.client.timeout = _PATIENCE_SECONDS
    daemon.client.retain(corpus.messages(1), session="bench", wait=True)
    resident = [usage(child).resident / _MIB for child in children(pid)]
    wait_for(lambda: not children(pid), "the model to be unloaded", _PATIENCE_SECONDS)
    return {"model child while loaded, MiB": max(resident, default=0.0)}


def _wakeups(first: Usage, last: Usage) -> int:
    """Count over the threads that still run: those that ended took their counts with them."""
    return sum(n - first.wakeups.get(task, 0) for task, n in last.wakeups.items())


def _voluntary_switches(tasks: list[Path]) -> Iterator[tuple[str, int]]:
    """Yield how often each thread gave way, but for those that end meanwhile."""
    for task in tasks:
        with suppress(FileNotFoundError, ProcessLookupError):
            lines = (task / "status").read_text().splitlines()
            found = next(line for line in lines if line.startswith("voluntary_ctxt"))
            yield task.name, int(found.split()[1])
