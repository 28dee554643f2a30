"""The daemon's clockwork on real timers for some seconds: APScheduler, a loop, threads.

The rhythms are far shorter than the configuration allows. In the middle the loop is held up, as
all timers are while a laptop sleeps.
"""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Final

from bench.month.figures import Figure, Report
from hippod.clockwork import Clockwork
from hippod.config import Config
from hippod.jobs import Board, Job
from hippod.schedule import Every
from hippod.state import Run, State

SECONDS: Final = 2.4
HELD_UP: Final = 1.0
PERIODS: Final = {"reconcile": 0.2, "checkpoint": 0.5, "reflect": 0.3}
TAKES: Final = {"reflect": 0.4}
"""Seconds: one job takes longer than its period."""
_SLACK = 0.02
"""Seconds by which a run may seem to come sooner than its period."""


class _Work:
    """What a job does: nothing, for a while; it sees itself begun twice at once."""

    def __init__(self, name: str, state: State) -> None:
        self.name = name
        self.overlaps = 0
        self._state = state
        self._inside = threading.Lock()

    def __call__(self) -> None:
        if not self._inside.acquire(blocking=False):
            self.overlaps += 1
            return
        started, takes = datetime.now(UTC), TAKES.get(self.name, 0.0)
        self._state.start_run(self.name, started)
        time.sleep(takes)
        self._state.record_run(self.name, started, takes, "ok")
        self._inside.release()


def run(folder: Path) -> Report:
    """Let the clockwork tick, and hold what it did against what it should do at least."""
    folder.mkdir(parents=True, exist_ok=True)
    with closing(State(folder / "state.sqlite")) as state:
        work = {name: _Work(name, state) for name in PERIODS}
        jobs = [Job(name, Every(PERIODS[name]), work[name]) for name in PERIODS]
        board = Board(Config(), state, lambda: datetime.now(UTC), jobs)
        asyncio.run(_tick(board))
        runs = {name: state.runs(name, 100)[::-1] for name in PERIODS}
        skipped = {job.name: job.skipped for job in board.all()}
    return _report(runs, skipped, sum(each.overlaps for each in work.values()))


async def _tick(board: Board) -> None:
    with ThreadPoolExecutor(1) as thread, ThreadPoolExecutor(1) as looks:
        clockwork = Clockwork(board, UTC, thread, beside={"reconcile": looks})
        ticking = asyncio.create_task(clockwork.run())
        await asyncio.sleep(SECONDS / 3)
        await asyncio.gather(*(clockwork.run_now("reflect") for _ in range(2)))  # by hand
        time.sleep(HELD_UP)
        await asyncio.sleep(SECONDS / 3)
        board.pause("checkpoint")
        await asyncio.sleep(SECONDS / 3)
        board.stop()
        ticking.cancel()
        with suppress(asyncio.CancelledError):
            await ticking


def _report(runs: dict[str, list[Run]], skipped: dict[str, int], overlaps: int) -> Report:
    looked = runs["reconcile"]
    figures = (
        Figure("runs that overlapped", 0, overlaps),
        Figure("runs sooner than their period", 0, sum(map(_hasty, runs.values()))),
        Figure("a long sleep made up for, in one", 1, int(any(run.missed >= 3 for run in looked))),
        Figure("runs by hand", 2, sum(run.asked for run in runs["reflect"])),
        Figure("a slow job left times out", 1, int(skipped["reflect"] > 0)),
    )
    counts = ", ".join(f"{name} {len(done)}" for name, done in runs.items())
    wrong = [
        f"{each.what}: {each.expected} expected, {each.seen} seen"
        for each in figures
        if each.expected != each.seen
    ]
    return Report(f"Real timers for some seconds: runs of {counts}", (), figures, {}, tuple(wrong))


def _hasty(runs: list[Run]) -> int:
    """Count the runs by the schedule that came too soon behind the one before them."""
    name = runs[0].name if runs else "reconcile"
    least = PERIODS[name] - _SLACK
    return sum(
        not after.asked and (after.started - before.started).total_seconds() < least
        for before, after in pairwise(runs)
    )
