"""A board of jobs over a real state, with a clock that the test sets."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hippod.config import checked
from hippod.jobs import Board, Job
from hippod.schedule import Every, Hours, Rhythm
from hippod.state import State

NOW = datetime(2026, 3, 3, 12, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
HOURLY = Every(3600)
JOB = "reflect"


class House:
    """A daemon's life, or several: each `start` makes a new board over the same state file."""

    def __init__(
        self,
        folder: Path,
        rhythm: Rhythm | None = HOURLY,
        *,
        window: Hours | None = None,
        now: datetime = NOW,
        schedule: Mapping[str, Any] | None = None,
    ) -> None:
        folder.mkdir(exist_ok=True)
        self.path = folder / "state.sqlite"
        self.now = now
        self.config = checked({"schedule": dict(schedule or {})}, "a test", {})
        self.rhythm = rhythm
        self.window = window
        self.ran: list[datetime] = []
        self.takes = timedelta(0)
        self.lag = timedelta(0)
        """Between the time of a job and its start."""
        self.fails: Exception | None = None
        self.records = True
        self.told: list[tuple[str, str, str]] = []
        self.start()

    def clock(self) -> datetime:
        return self.now

    def start(self) -> None:
        self.state = State(self.path, clock=self.clock)
        jobs = [Job(JOB, self.rhythm, self.work, self.window), Job("nap", None, list)]
        self.board = Board(self.config, self.state, self.clock, jobs)
        self.board.ended = lambda *told: self.told.append(told)

    def stop(self) -> None:
        self.state.close()

    def restart(self, **changes: Any) -> None:
        """Stop and start again, with another rhythm or whatever else is given."""
        self.stop()
        for name, value in changes.items():
            assert hasattr(self, name), name
            setattr(self, name, value)
        self.start()

    def work(self) -> None:
        started = self.now
        self.ran.append(started)
        if self.records:
            self.state.start_run(JOB, started)
        self.now += self.takes
        outcome = "failed" if self.fails else "ok"
        if self.records:
            self.state.record_run(JOB, started, self.takes.total_seconds(), outcome)
        if self.fails:
            raise self.fails

    def dies(self) -> None:
        """End in the middle of a run, as by SIGKILL."""
        self.state.start_run(JOB, self.now)
        self.now += MINUTE
        self.restart()

    @property
    def next(self) -> datetime | None:
        return self.board.next_run(JOB)

    @property
    def job(self) -> Any:
        return self.board.all()[0]

    def live_until(self, end: datetime) -> None:
        """Let time go on, running what is due as a scheduler does."""
        while (at := self.next) is not None and at <= end:
            self.now = max(self.now, at + self.lag)
            assert self.board.run_due(JOB) or self.next != at, "it is due and does not run"
        self.now = max(self.now, end)
