"""What a heartbeat does before the checklist, and what an item of it can ask for."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from hippod import schedule
from hippod.checklist.telling import PUNCTUAL
from hippod.config import Config
from hippod.hygiene import JOB as HYGIENE
from hippod.hygiene import Hygiene
from hippod.reflect import JOB as REFLECT
from hippod.reflect import Reflector
from hippod.rounds import Round
from hippod.schedule import Cron
from hippod.state import State
from hippod.wire_bank import HygieneRequest


class Upkeep:
    """Reflects and tidies up, each at most once in a beat; `reconcile` looks at all files again.

    What fails is among the problems of the beat.
    """

    def __init__(
        self,
        config: Config,
        state: State,
        reflector: Reflector,
        hygiene: Hygiene,
        reconcile: Callable[[], object],
    ) -> None:
        self._config = config
        self._state = state
        self._reflector = reflector
        self._hygiene = hygiene
        self._reconcile = reconcile

    def do_due(self, round_: Round) -> None:
        """Reflect if facts wait, tidy up if it is time to; a dry run only says so."""
        if self._should_reflect(round_) and not self.is_busy(round_):
            round_.reflected = round_.dry_run or self._reflect(round_)
        if self._should_tidy(round_.now):
            round_.tidied = round_.dry_run or self._tidy(round_)

    def is_busy(self, round_: Round) -> bool:
        """Say whether the model is at work elsewhere, unless a person waits for us."""
        return not round_.asked and self._reflector.busy()

    def do(self, name: str, round_: Round) -> str:
        """Do the work of that name, unless this beat did; return why it failed, else nothing."""
        if (name == "reflect" and round_.reflected) or (name == "hygiene" and round_.tidied):
            return ""
        before = len(round_.problems)
        if name == "reflect":
            round_.reflected = self._reflect(round_)
        elif name == "hygiene":
            round_.tidied = self._tidy(round_)
        else:
            with round_.guarded(name):
                self._reconcile()
        return "; ".join(round_.problems[before:])

    def _should_reflect(self, round_: Round) -> bool:
        if not self._config.reflect.enabled or self._is_paused(REFLECT):
            return False
        with round_.guarded("reflection"):
            if self._reflector.waiting is None:
                self._reflector.notice(())
        return bool(self._reflector.waiting) and self._reflector.rest() == 0

    def _is_paused(self, job: str) -> bool:
        """Say whether somebody paused a job: then a beat does not do its work either."""
        entry = self._state.agenda.entry(job)
        return entry is not None and entry.paused

    def _should_tidy(self, now: datetime) -> bool:
        """Say whether its interval has passed; to the times of a cron line it is left."""
        if not self._config.hygiene.enabled or self._is_paused(HYGIENE):
            return False
        every = self._config.hygiene.interval_hours * 3600
        rhythm = schedule.rhythm(self._config.schedule.hygiene or every)
        if isinstance(rhythm, Cron):
            return False
        last = self._state.last_run(HYGIENE, until=now)
        if last is None:
            return True
        return now - last.started + PUNCTUAL >= timedelta(seconds=rhythm.seconds)

    def _reflect(self, round_: Round) -> bool:
        with round_.guarded("reflection") as went, self._noted(REFLECT, round_):
            self._reflector.run()
        return went.well

    def _tidy(self, round_: Round) -> bool:
        with round_.guarded("hygiene") as went, self._noted(HYGIENE, round_):
            self._hygiene.run(HygieneRequest())
        return went.well

    @contextmanager
    def _noted(self, job: str, round_: Round) -> Iterator[None]:
        """Note of a run within a scheduled beat that nobody asked for it."""
        since = self._state.clock()
        try:
            yield
        finally:
            if not round_.asked:
                self._state.note_run(job, since, due=round_.now, missed=0)
