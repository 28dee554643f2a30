"""What should happen in a month, minute by minute, by plain arithmetic: nothing of hippod is asked.

The walk looks at each minute of the person's watch: what the script does, what the machine's
clock shows then, and which job is owed a run.
"""

from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Final

from bench.month.script import (
    Changed,
    Daily,
    Deadlines,
    Edited,
    Gauge,
    Look,
    Month,
    Open,
    Rhythm,
    Told,
    deeds,
)

MINUTE: Final = timedelta(minutes=1)
NEVER_DONE: Final = 10
"""Minutes until a job comes that was never done."""
COOL_DOWN: Final = timedelta(hours=6)
REMIND: Final = timedelta(days=1)
NEARLY: Final = timedelta(minutes=5)
"""A pause that is over but for so much is over: beats do not come to the second."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run that should be, by the watch, and the times that it makes up for beside its own.

    `why`: the schedule, somebody `asked`, the `heartbeat`, a `retry`. A heartbeat `ended` in
    `attention`, or was `skipped` or `failed` where there was nothing to look at or no reading it.
    """

    job: str
    at: datetime
    made_up: int = 0
    why: str = "schedule"
    ended: str = "ok"


@dataclass(slots=True)
class Expected:
    """What a month should come to; moments but those of runs are by the machine's clock.

    `told` are items that reach the notifier, `logged` those that get a line in the log, `shown`
    those among them that nobody could judge, `asked` when the model is asked about one.
    """

    runs: list[Run] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    told: list[tuple[datetime, Look]] = field(default_factory=list)
    logged: list[tuple[datetime, Look]] = field(default_factory=list)
    shown: list[tuple[datetime, Look]] = field(default_factory=list)
    asked: list[datetime] = field(default_factory=list)


def expect(month: Month) -> Expected:
    """Walk through a month."""
    return _Walk(month).walk()


@dataclass(slots=True)
class _Job:
    """A job: `since`, `ran` and `void` are moments of the machine's clock.

    `void` are runs that lay ahead when the clock was set back: they count once it is past them.
    """

    name: str
    rhythm: Rhythm
    since: datetime
    ran: list[datetime] = field(default_factory=list)
    void: list[datetime] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    paused: bool = False
    to_retry: bool = False


@dataclass(slots=True)
class _Item:
    """What was said of an item; it is kept for 30 days when that leaves the list."""

    news: object = None
    told: datetime | None = None
    held: bool = False
    noted: object = None
    judged: object = None


_LIST: Final = Open("HEARTBEAT.md", "")
"""The list itself, which is told of where it cannot be read."""


class _Walk:
    """The month by the watch (`now`), beside what the machine's clock shows (`wall`)."""

    def __init__(self, month: Month) -> None:
        self.month = month
        self.result = Expected()
        self.now = month.start
        self.off = timedelta(0)
        self.up = self.asleep = self.breaks = False
        self.jobs = {
            name: _Job(name, rhythm, month.start) for name, rhythm in sorted(month.rhythms.items())
        }
        self.slow: dict[str, int] = {}
        self.sheet: Edited | None = None
        self.items: dict[Look, _Item] = {}
        self.figures: dict[str, float] = {}
        self.facts: list[Told] = []
        self.waiting = 0
        self.days = _days(month)

    @property
    def wall(self) -> datetime:
        """What the machine's clock shows, in UTC."""
        return self.now + self.off

    def walk(self) -> Expected:
        """Live through the month."""
        happening, end = deeds(self.month, self), self.month.end
        while self.now < end:
            while happening and happening[0][0] <= self.now:
                happening.pop(0)[1]()
            while self.up and not self.asleep and self._work():
                pass
            self.now += MINUTE
        return self.result

    # -- what happens ------------------------------------------------------------------------

    def sleep(self, *, asleep: bool) -> None:
        self.asleep = asleep

    def stop(self, *, killed: bool) -> None:
        self.up = False

    def start(self) -> None:
        """What was interrupted is tried once more."""
        if self.up:
            return
        self.up = True
        for job in self.jobs.values():
            job.to_retry = job.ends[-1:] == ["interrupted"] != job.ends[-2:-1]
            job.since = min(job.since, self.wall)

    def break_off(self, *, killed: bool) -> None:
        self.breaks = True

    def set_clock(self, hours: int) -> None:
        self.off = timedelta(hours=hours)
        for job in self.jobs.values():
            known = sorted([*job.ran, *job.void])
            number = bisect_right(known, self.wall)
            job.ran, job.void = known[:number], known[number:]

    def slow_down(self, job: str, minutes: int) -> None:
        self.slow[job] = minutes

    def pause(self, job: str, *, paused: bool) -> None:
        one = self.jobs[job]
        if not paused:
            self._skip(one, len(self._times(one)))
        one.paused = paused

    def change(self, job: str, setting: float | str, rhythm: Rhythm) -> None:
        self.jobs[job].rhythm = rhythm
        self.jobs[job].since = self.wall

    def ask(self, job: str) -> None:
        self._run(self.jobs[job], 0, "asked")

    def tell(self, fact: Told) -> None:
        self.facts.append(fact)
        self.waiting += 1

    def show(self, name: str, figure: float) -> None:
        self.figures[name] = figure

    def edit(self, sheet: Edited) -> None:
        self.sheet = sheet

    # -- which job is owed a run -------------------------------------------------------------

    def _work(self) -> bool:
        """Do the job whose turn it is; say whether there was one."""
        for job in self.jobs.values():
            if not self._is_open(job, self.wall):
                continue
            times = self._owed(job)
            if job.to_retry:
                self._run(job, max(0, len(times) - 1), "retry")
                return True
            if times:
                return self._run_or_skip(job, times)
        return False

    def _run_or_skip(self, job: _Job, times: list[datetime]) -> bool:
        late = self.month.late.get(job.name)
        if late is not None and self.wall - times[-1] > late * MINUTE:
            self._skip(job, len(times))
        else:
            self._run(job, len(times) - 1, "schedule")
        return True

    def _owed(self, job: _Job) -> list[datetime]:
        return [] if job.paused else self._times(job)

    def _times(self, job: _Job) -> list[datetime]:
        """Return the times since the last run, by the machine's clock, at which it was due."""
        last = self._last(job)
        after = min(job.since, self.wall)
        after = max(after, last) if last else after
        if isinstance(job.rhythm, Daily):
            times = self.days[job.rhythm]
            found = times[bisect_right(times, after) : bisect_right(times, self.wall)]
        else:
            found = list(_each(job.rhythm.minutes, last, after, self.wall))
        opened = sorted({self._opened(job, at) for at in found} | self._openings(job, last, found))
        return [at for at in opened if after < at <= self.wall]

    def _last(self, job: _Job) -> datetime | None:
        """Return when a job ran last; what the clock says is still to come counts as none."""
        if job.void and job.void[-1] <= self.wall:
            job.ran, job.void = sorted([*job.ran, *job.void]), []
        number = bisect_right(job.ran, self.wall)
        return job.ran[number - 1] if number else None

    def _openings(self, job: _Job, last: datetime | None, found: list[datetime]) -> set[datetime]:
        """Return when the hours open for what urgent beats outside of them leave undone."""
        if job.name != "heartbeat" or not self.month.urgent:
            return set()
        outside = [at for at in (last, *found) if at and not self._is_active(self._local(at))]
        return {self._opening(at) for at in outside}

    def _opening(self, at: datetime) -> datetime:
        while not self._is_active(self._local(at)):
            at = at.replace(second=0, microsecond=0) + MINUTE
        return at

    def _local(self, at: datetime) -> datetime:
        return at.astimezone(self.month.zone)

    def _opened(self, job: _Job, at: datetime) -> datetime:
        while not self._is_open(job, at):
            at = at.replace(second=0, microsecond=0) + MINUTE
        return at

    def _is_open(self, job: _Job, at: datetime) -> bool:
        if job.name != "heartbeat" or self.month.urgent:
            return True
        return self._is_active(at.astimezone(self.month.zone))

    def _skip(self, job: _Job, times: int) -> None:
        self.result.skipped[job.name] += times
        job.since = self.wall

    # -- runs --------------------------------------------------------------------------------

    def _run(self, job: _Job, made_up: int, why: str) -> None:
        at, started = self.now, self.wall
        ended = "ok"
        if job.name == "heartbeat":
            ended = self._beat(why)
        elif job.name == "reflect":
            ended = self._reflect()
        insort(job.ran, started)
        job.ends.append(ended)
        job.to_retry = False
        self.result.runs.append(Run(job.name, at, made_up, why, ended))
        if self.up and why != "heartbeat":
            self._take_time(job)

    def _take_time(self, job: _Job) -> None:
        """Let a slow run go by; the times at which it was still running are left out."""
        minutes = self.slow.pop(job.name, 0)
        if minutes:
            self.now += minutes * MINUTE
            if times := self._times(job):
                self._skip(job, len(times))

    def _reflect(self) -> str:
        if self.breaks and self.waiting:
            self.breaks = self.up = False
            return "interrupted"
        self.waiting = 0
        return "ok"

    # -- a heartbeat -------------------------------------------------------------------------

    def _beat(self, why: str) -> str:
        local = self.wall.astimezone(self.month.zone)
        hushed = why != "asked" and not self._is_active(local)
        if not hushed:
            for name in ("reflect", "hygiene"):
                if self._is_wanted(self.jobs[name]):
                    self._run(self.jobs[name], 0, "heartbeat")
                if not self.up:
                    return "interrupted"
        if self.sheet is None:
            return "failed"
        if not hushed:
            self._tell(_LIST, self.items.setdefault(_LIST, _Item()), self.sheet.broken or None)
        if self.sheet.broken:
            return "failed"
        looks = self.sheet.looks
        asked = [look for look in looks if not hushed or self._is_urgent(look)]
        found = [self._look(look, self.items.setdefault(look, _Item())) for look in asked]
        return "attention" if any(found) else "ok" if found else "skipped"

    def _is_wanted(self, job: _Job) -> bool:
        """Say whether a beat does the work of another job: facts wait, or its interval is over."""
        last = self._last(job)
        rest = self.wall - last if last else timedelta.max
        if job.paused:
            return False
        if job.name == "reflect":
            return self.waiting > 0 and rest >= timedelta(minutes=30)
        if isinstance(job.rhythm, Daily):
            return False
        return rest >= job.rhythm.minutes * MINUTE - NEARLY

    def _is_urgent(self, look: Look) -> bool:
        return isinstance(look, Gauge) and look.name in self.month.urgent

    def _is_active(self, local: datetime) -> bool:
        return self.month.active is None or _within(self.month.active, local)

    def _look(self, look: Look, item: _Item) -> bool:
        """Look at an item; say whether it needs attention."""
        if isinstance(look, Open):
            return self._judge(look, item)
        news = self._news(look)
        self._tell(look, item, news)
        return news is not None

    def _news(self, look: Gauge | Deadlines) -> object:
        """Return what is to be told of an item, None where all is fine."""
        if isinstance(look, Gauge):
            return "high" if self.figures[look.name] > look.above else None
        today = self.wall.astimezone(self.month.zone).date()
        last = today + timedelta(look.days)
        due = [fact for fact in self.facts if fact.due and today <= fact.due <= last]
        return tuple(fact.content for fact in due) or None

    def _judge(self, look: Open, item: _Item) -> bool:
        """Have the model judge what is new; what nobody can judge is shown once."""
        evidence = [fact for fact in self.facts if fact.subject == look.subject]
        said = tuple(fact.content for fact in evidence)
        if not self.month.trusted or not evidence:
            if item.noted != said:
                item.noted = said
                self.result.shown.append((self.wall, look))
                self.result.logged.append((self.wall, look))
            return False
        if item.judged != said:
            self.result.asked.append(self.wall)
        item.judged, item.noted = said, None
        self._tell(look, item, evidence[-1].content if evidence[-1].pressing else None)
        return evidence[-1].pressing

    def _tell(self, look: Look, item: _Item, news: object) -> None:
        if news is None:
            item.news, item.held = None, False
            return
        quiet = self._is_quiet() and not self._is_urgent(look)
        if self._is_due(item, news):
            item.news, item.told, item.held = news, self.wall, quiet
            self.result.logged.append((self.wall, look))
            if not quiet:
                self.result.told.append((self.wall, look))
        elif item.held and not quiet:
            item.told, item.held = self.wall, False
            self.result.told.append((self.wall, look))

    def _is_due(self, item: _Item, news: object) -> bool:
        if item.told is None:
            return True
        item.told = min(item.told, self.wall)
        return self.wall - item.told >= (REMIND if news == item.news else COOL_DOWN) - NEARLY

    def _is_quiet(self) -> bool:
        local = self.wall.astimezone(self.month.zone)
        quiet = self.month.quiet
        return not self._is_active(local) or (quiet is not None and _within(quiet, local))


def _within(hours: tuple[int, int], local: datetime) -> bool:
    minute, (start, end) = local.hour * 60 + local.minute, hours
    return start <= minute < end if start < end else minute >= start or minute < end


def _each(
    minutes: int, last: datetime | None, after: datetime, now: datetime
) -> Iterator[datetime]:
    period = minutes * MINUTE
    at = last + period if last else after + min(minutes, NEVER_DONE) * MINUTE
    while at <= now:
        if at > after:
            yield at
        at += period


def _days(month: Month) -> dict[Rhythm, list[datetime]]:
    """Return, for each daily rhythm, the first minute of each day at which the wall shows its time.

    Where the clock skips the time that is the minute behind the gap; where it repeats it, the
    first of the two.
    """
    changed = [event.rhythm for event in month.events if isinstance(event, Changed)]
    daily = [each for each in (*month.rhythms.values(), *changed) if isinstance(each, Daily)]
    found: dict[Rhythm, list[datetime]] = {rhythm: [] for rhythm in daily}
    passed: set[tuple[Rhythm, date, int, int]] = set()
    at, end = month.start - timedelta(days=1), month.end + timedelta(days=1)
    while at < end:
        local = at.astimezone(month.zone)
        for rhythm in daily:
            for hour, minute in rhythm.times:
                key = (rhythm, local.date(), hour, minute)
                if (local.hour, local.minute) >= (hour, minute) and key not in passed:
                    passed.add(key)
                    found[rhythm].append(at)
        at += MINUTE
    return found
