"""The daemon's life: killed, stopped and reloaded at random, then left alone and looked at."""

import os
import random
import signal
import statistics
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.processes import wait_for

from bench import idle
from bench.soak.stage import Stage, until

_MIB = 1 << 20
_PATIENCE_SECONDS = 120
_AMID_START = 0.2
"""How often a kill is followed by one in the middle of the start."""
_SAMPLE_SECONDS = 0.5
_STANDARD_ERROR = 2


@dataclass(frozen=True, slots=True)
class Sample:
    """What the daemon holds at a moment: MiB, counts."""

    at: float
    resident: float
    descriptors: int
    deleted: tuple[str, ...]
    """Descriptors of files that have no name any more."""
    threads: int
    children: int


@dataclass(slots=True)
class Life:
    """What happened to the daemon: seconds until it answered again, and samples in calm."""

    recoveries: list[float] = field(default_factory=list)
    kills: int = 0
    stops: int = 0
    reloads: int = 0
    children_killed: int = 0
    calm: list[Sample] = field(default_factory=list)


def storm(stage: Stage, life: Life, seconds: float, gap: tuple[float, float]) -> None:
    """Kill, stop or reload the daemon again and again, with pauses within `gap` seconds."""
    draw = random.Random(f"{stage.seed}/storm")
    end = time.monotonic() + seconds
    while until(min(end, time.monotonic() + draw.uniform(*gap)), stage.over):
        if time.monotonic() >= end:
            return
        choice = draw.random() if life.kills else 1.0  # whatever follows, it is killed once
        if choice < 0.25:
            _reload(stage, life)
        elif choice < 0.35:
            life.children_killed += _kill_children(stage)
        elif choice < 0.5:
            _end_and_start(stage, life, draw, signal.SIGTERM)
            life.stops += 1
        else:
            _end_and_start(stage, life, draw, signal.SIGKILL)
            life.kills += 1


def watch(stage: Stage, life: Life, seconds: float) -> None:
    """Leave the daemon alone beside all who work with it, and look at it twice a second."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        life.calm.append(sample(stage))
        until(min(end, time.monotonic() + _SAMPLE_SECONDS), stage.over)


def sample(stage: Stage) -> Sample:
    """Look at what the daemon holds."""
    process = stage.daemon.process
    assert process is not None
    usage = idle.usage(process.pid)
    return Sample(
        at=usage.at,
        resident=usage.resident / _MIB,
        descriptors=usage.descriptors,
        deleted=_deleted(process.pid),
        threads=usage.threads,
        children=len(idle.children(process.pid)),
    )


def trend(samples: Sequence[Sample], of: str) -> tuple[float, float]:
    """Return the medians of `of` in the first and last fifth of the last two thirds."""
    window = samples[len(samples) // 3 :]
    fifth = max(1, len(window) // 5)
    first, last = window[:fifth], window[-fifth:]
    values = ([getattr(each, of) for each in part] for part in (first, last))
    begin, end = (statistics.median(part) for part in values)
    return begin, end


def minutes(samples: Sequence[Sample]) -> float:
    """Return how long the window of `trend` is."""
    window = samples[len(samples) // 3 :]
    return (window[-1].at - window[0].at) / 60


def _end_and_start(stage: Stage, life: Life, draw: random.Random, how: signal.Signals) -> None:
    process = stage.daemon.process
    assert process is not None
    stage.shaken += 1
    process.send_signal(how)
    process.wait(_PATIENCE_SECONDS)
    if draw.random() < _AMID_START:
        process = stage.daemon.spawn()
        time.sleep(draw.uniform(0, 1.5))
        process.kill()
        process.wait()
        life.kills += 1
    began = time.monotonic()
    stage.daemon.start()
    life.recoveries.append(time.monotonic() - began)
    stage.shaken += 1


def _kill_children(stage: Stage) -> int:
    assert stage.daemon.process is not None
    children = idle.children(stage.daemon.process.pid)
    for child in children:
        try:
            os.kill(child, signal.SIGKILL)
        except ProcessLookupError:
            continue
    return len(children)


def _reload(stage: Stage, life: Life) -> None:
    """Have a changed configuration read, with all built anew; nobody may notice."""
    limit = 11 + life.reloads
    Path(stage.daemon.environ["HIPPOD_CONFIG"]).write_text(f"[recall]\nlimit = {limit}\n")
    stage.counts["reloads begun"] += 1
    assert stage.daemon.process is not None
    stage.daemon.process.send_signal(signal.SIGHUP)
    wait_for(lambda: _limit(stage) == limit, "the new configuration", _PATIENCE_SECONDS)
    life.reloads += 1


def _limit(stage: Stage) -> object:
    return stage.daemon.client.config_show()["recall.limit"]["value"]


def _deleted(pid: int) -> tuple[str, ...]:
    found = []
    for descriptor in (Path("/proc") / str(pid) / "fd").iterdir():
        with suppress(FileNotFoundError):
            if int(descriptor.name) > _STANDARD_ERROR:  # those before are whoever's started it
                found.append(str(descriptor.readlink()))
    return tuple(sorted(name for name in found if name.endswith("(deleted)")))
