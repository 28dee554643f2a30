"""The machine that a month is lived on: real files and the daemon's real parts, on our clock."""

import functools
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench.month.model import Reader
from hippod import compose, workspace_seed
from hippod.compose import Assembly
from hippod.config import Config
from hippod.daemon import RECONCILE
from hippod.jobs import Board, Job, rhythm_of
from hippod.state import State

CHECKLIST = "HEARTBEAT.md"
_GAUGE = '#!/bin/sh\ncat "$1"\n'
_MAILBOX = '#!/bin/sh\ncat >>"$1"\necho >>"$1"\n'


class Killed(BaseException):
    """The process is gone: nothing behind this point happens."""


@dataclass(slots=True)
class Recorded:
    """A run as the daemon recorded it; `at` is by the watch, `wall` by the machine's clock.

    `ended` is `interrupted` for what never came to an end.
    """

    job: str
    at: datetime
    wall: datetime
    ended: str = "interrupted"
    made_up: int = 0
    asked: bool = True


class Mortal(State):
    """A state that nobody writes to any more once the process was killed; hears of all runs."""

    def __init__(self, path: Path, *, clock: "Clock", runs: list[Recorded]) -> None:
        self.dead = False
        self.runs_seen = runs
        self._ours = clock
        super().__init__(path, clock=clock)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Raise `Killed` where the process is dead."""
        if self.dead:
            raise Killed
        with super().transaction():
            yield

    def start_run(self, name: str, started: datetime) -> None:
        """Note that a job runs."""
        super().start_run(name, started)
        self.runs_seen.append(Recorded(name, self._ours.real, started))

    def record_run(
        self, name: str, started: datetime, seconds: float, outcome: str, *rest: Any, **more: Any
    ) -> None:
        """Note how it ended."""
        super().record_run(name, started, seconds, outcome, *rest, **more)
        self._run_of(name, started).ended = outcome

    def note_run(
        self, name: str, since: datetime, *, due: datetime | None, missed: int, **more: Any
    ) -> None:
        """Note what the schedule knows of it."""
        super().note_run(name, since, due=due, missed=missed, **more)
        for run in self.runs_seen[-_LATELY:]:
            if run.job == name and run.wall >= since:
                run.made_up, run.asked = missed, due is None

    def _run_of(self, name: str, started: datetime) -> Recorded:
        return next(
            run for run in reversed(self.runs_seen) if (run.job, run.wall) == (name, started)
        )


_LATELY = 4
"""Runs among which the one is that just ended."""


@dataclass(slots=True)
class Clock:
    """What time it is, and how far the machine's clock is from it."""

    real: datetime
    off: timedelta = timedelta(0)

    def __call__(self) -> datetime:
        """Return what the machine takes for the time."""
        return self.real + self.off


class Machine:
    """A workspace below `folder`, with the daemon's parts over it from `start` to `stop`.

    `settings` are tables of the configuration; a change counts from the next start on. `reader`
    stands in for the generator.
    """

    def __init__(
        self,
        folder: Path,
        clock: Clock,
        settings: Mapping[str, Any],
        reader: Reader | None,
        gauges: Collection[str],
    ) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        self.root = folder / "workspace"
        self.clock = clock
        self.reader = reader
        self.runs: list[Recorded] = []
        self.parts: Assembly | None = None
        self.wrote: Callable[[str], None] = lambda path: None
        """Hears of each document that the daemon wrote, before it is indexed."""
        workspace_seed.init(self.root)
        self._gauges = folder / "gauges"
        self._gauges.mkdir()
        self.letters = folder / "letters.jsonl"
        """What the notifier's command got, one a line."""
        self.settings = {**settings, **self._commands(folder, settings, gauges)}

    def _commands(
        self, folder: Path, settings: Mapping[str, Any], gauges: Collection[str]
    ) -> dict[str, Any]:
        """Return the tables that name the scripts of the gauges and of the notifier."""
        for name, text in (("gauge", _GAUGE), ("mailbox", _MAILBOX)):
            (folder / name).write_text(text)
        heartbeat = dict(settings.get("heartbeat", {}))
        heartbeat["checks"] = {
            name: {
                **heartbeat.get("checks", {}).get(name, {}),
                "command": ("/bin/sh", str(folder / "gauge"), str(self._gauges / name)),
            }
            for name in gauges
        }
        command = ("/bin/sh", str(folder / "mailbox"), str(self.letters))
        return {"heartbeat": heartbeat, "notify": {"command": command}}

    # -- the process -------------------------------------------------------------------------

    def start(self) -> Assembly:
        """Start the daemon's parts, with all looked at as after each start."""
        workspace = {**self.settings.get("workspace", {}), "path": str(self.root)}
        config = Config.model_validate({**self.settings, "workspace": workspace})
        self._stack = ExitStack()
        state = functools.partial(Mortal, runs=self.runs)
        model = (self.reader, "" if self.reader else "none here")
        with (
            patch.object(compose, "State", state),
            patch.object(compose, "generator_from", lambda _: model),
        ):
            self.parts = self._stack.enter_context(compose.assemble(config, None, self.clock))
        self.parts.memory.changed = self._changed
        self.parts.retainer.changed = self._changed
        self.look()
        return self.parts

    def board(self, around: Callable[[str, Callable[[], object]], None]) -> Board:
        """Return the board of jobs, as the daemon makes it; `around(name, work)` does the work."""
        parts = self.running
        looking = Job(RECONCILE, rhythm_of(parts.config, RECONCILE), self._reconcile)
        jobs = [
            replace(job, work=functools.partial(around, job.name, job.work))
            for job in (looking, *parts.jobs)
        ]
        return Board(parts.config, parts.state, self.clock, jobs)

    def _reconcile(self) -> None:
        """Look at everything again, as the daemon does."""
        now, state = self.clock(), self.running.state
        state.start_run(RECONCILE, now)
        self.look()
        self.running.hygiene.expire(now)
        state.record_run(RECONCILE, now, 0.0, "ok")

    def stop(self) -> None:
        """Stop in order: what is in progress was told to end."""
        assert self.parts is not None
        self.parts.interrupt()
        self._stack.close()
        self.parts = None

    def die(self) -> None:
        """Let nothing be written any more; what runs meets `Killed` at its next word."""
        state = self.running.state
        assert isinstance(state, Mortal)
        state.dead = True

    def kill(self) -> None:
        """End without any last word."""
        self.die()
        self._stack.close()
        self.parts = None

    @property
    def running(self) -> Assembly:
        """The parts of the daemon that runs."""
        assert self.parts is not None
        return self.parts

    def look(self) -> None:
        """Look at all files, as the daemon does at its start and at each reconcile."""
        report = self.running.index.reconcile()
        self.running.reflector.notice(report.changed)

    def _changed(self, path: str) -> None:
        self.wrote(path)
        self.running.index.update([path])
        self.running.reflector.notice([path])

    # -- what people do ----------------------------------------------------------------------

    def write(self, path: str, data: bytes) -> None:
        """Write a file as a person does; the watcher of a daemon that runs sees it."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        if self.parts is not None:
            self.running.index.update([path])
            self.running.reflector.notice([path])

    def tell(self, day: date, bullet: str) -> None:
        """Write a fact into the log of a day as an agent does: plain file writing."""
        path = f"memory/{day}.md"
        file = self.root / path
        old = file.read_bytes() if file.exists() else f"# Daily Log - {day}\n".encode()
        self.write(path, old + f"\n## Retain\n- {bullet}\n".encode())

    def show(self, name: str, figure: float) -> None:
        """Let a gauge show a figure."""
        (self._gauges / name).write_text(f"{figure:g}\n")
