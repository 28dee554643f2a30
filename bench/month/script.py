"""The words that a month is written in: what a person, a machine and the days do. Pure.

All times are those of the person's own watch, `MM-DD HH:MM`; it is right, whatever the machine's
clock says.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any, Protocol
from zoneinfo import ZoneInfo

# -- rhythms ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Period:
    """Every so many minutes, counted from the last run."""

    minutes: int


@dataclass(frozen=True, slots=True)
class Daily:
    """Each day at these times of the watch on the wall, as (hour, minute)."""

    times: tuple[tuple[int, int], ...]


Rhythm = Period | Daily

# -- what stands in the checklist, with its words --------------------------------------------------


@dataclass(frozen=True, slots=True)
class Gauge:
    """A check of the configuration that wants attention above a figure."""

    text: str
    name: str
    above: float


@dataclass(frozen=True, slots=True)
class Deadlines:
    """The question what is due today or within so many days."""

    text: str
    days: int


@dataclass(frozen=True, slots=True)
class Open:
    """A question about a subject that only a model can judge."""

    text: str
    subject: str


Look = Gauge | Deadlines | Open

# -- what happens ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Asleep:
    """The lid is closed: the process and its timers stand still."""

    start: str
    end: str


@dataclass(frozen=True, slots=True)
class Off:
    """The daemon does not run: stopped in order, or `killed`."""

    start: str
    end: str
    killed: bool = False


@dataclass(frozen=True, slots=True)
class Broken:
    """The daemon ends in the middle of the first reflection from `start` on; back at `end`."""

    start: str
    end: str
    killed: bool


@dataclass(frozen=True, slots=True)
class WrongClock:
    """The machine's clock is so many hours off."""

    start: str
    end: str
    hours: int


@dataclass(frozen=True, slots=True)
class Slow:
    """The next run of a job takes so many minutes."""

    start: str
    job: str
    minutes: int


@dataclass(frozen=True, slots=True)
class Paused:
    """A job is paused."""

    start: str
    end: str
    job: str


@dataclass(frozen=True, slots=True)
class Changed:
    """A job gets another rhythm: the configuration is edited and the daemon started anew."""

    start: str
    job: str
    setting: float | str
    rhythm: Rhythm


@dataclass(frozen=True, slots=True)
class Asked:
    """Somebody runs a job by hand."""

    start: str
    job: str


@dataclass(frozen=True, slots=True)
class Told:
    """A fact stands in the log of its day. It may be `due`, or be about an open question's subject.

    `pressing`: whoever understands it sees that the subject wants attention.
    """

    start: str
    entity: str
    content: str
    due: date | None = None
    subject: str = ""
    pressing: bool = False


@dataclass(frozen=True, slots=True)
class Shows:
    """A gauge shows another figure."""

    start: str
    name: str
    figure: float


@dataclass(frozen=True, slots=True)
class Edited:
    """HEARTBEAT.md is written anew, byte for byte; `looks` is what stands open in it.

    A `broken` one cannot be read at all.
    """

    start: str
    text: bytes
    looks: tuple[Look, ...] = ()
    broken: bool = False


Event = Asleep | Off | Broken | WrongClock | Slow | Paused | Changed | Asked | Told | Shows | Edited


@dataclass(frozen=True, slots=True)
class Month:
    """A person's month: `settings` are tables of the configuration, `rhythms` say the same.

    `quiet` are the hours in which nobody is told, as minutes of the day, over midnight where the
    second is the smaller one; `active` those of the heartbeat, None: all of the day.
    `late` is how many minutes late a job may be; `trusted`: a model may judge open questions.
    """

    who: str
    zone: ZoneInfo
    first: date
    days: int
    change: str
    settings: Mapping[str, Any]
    rhythms: Mapping[str, Rhythm]
    events: tuple[Event, ...]
    active: tuple[int, int] | None
    quiet: tuple[int, int] | None
    urgent: frozenset[str] = frozenset()
    late: Mapping[str, int] = field(default_factory=dict)
    trusted: bool = False

    @property
    def start(self) -> datetime:
        """Eight in the morning of the first day, when the daemon is started."""
        return self.at(f"{self.first:%m-%d} 08:00")

    @property
    def end(self) -> datetime:
        """Midnight behind the last day."""
        return self.at(f"{self.first + timedelta(self.days):%m-%d} 00:00")

    def part(self, first: date, days: int) -> "Month":
        """Return some days of it: as if it began with what stood there and was shown then."""
        start, end = f"{first:%m-%d} 08:00", f"{first + timedelta(days):%m-%d} 00:00"
        within = [event for event in self.events if start < event.start < end and _end(event) < end]
        before = [event for event in self.events if event.start <= start]
        shown = {
            each.name: replace(each, start=start) for each in before if isinstance(each, Shows)
        }
        sheets = [replace(each, start=start) for each in before if isinstance(each, Edited)]
        return replace(
            self, first=first, days=days, events=(*shown.values(), *sheets[-1:], *within)
        )

    def at(self, watch: str) -> datetime:
        """Return a time of the watch as a moment in UTC; of a repeated hour the first one."""
        local = datetime.strptime(f"{self.first.year}-{watch}", "%Y-%m-%d %H:%M")
        return local.replace(tzinfo=self.zone).astimezone(UTC)


def _end(event: Event) -> str:
    return str(getattr(event, "end", event.start))


# -- what it means ---------------------------------------------------------------------------------


class Stage(Protocol):
    """Whoever lives through a month: the machine, or the arithmetic beside it."""

    def sleep(self, *, asleep: bool) -> None:
        """Close the lid, or open it."""

    def stop(self, *, killed: bool) -> None:
        """End the daemon, if it runs."""

    def start(self) -> None:
        """Start the daemon, unless it runs."""

    def break_off(self, *, killed: bool) -> None:
        """End the daemon as soon as a reflection has written its first page."""

    def set_clock(self, hours: int) -> None:
        """Let the machine's clock be off by so many hours."""

    def slow_down(self, job: str, minutes: int) -> None:
        """Let the next run of a job take so long."""

    def pause(self, job: str, *, paused: bool) -> None:
        """Pause a job, or let it go on."""

    def change(self, job: str, setting: float | str, rhythm: Rhythm) -> None:
        """Give a job another rhythm, from the next start on."""

    def ask(self, job: str) -> None:
        """Run a job by hand."""

    def tell(self, fact: Told) -> None:
        """Write a fact down."""

    def show(self, name: str, figure: float) -> None:
        """Let a gauge show a figure."""

    def edit(self, sheet: Edited) -> None:
        """Write HEARTBEAT.md."""


Deed = Callable[[], None]


def deeds(month: Month, stage: Stage) -> list[tuple[datetime, Deed]]:
    """Return all that happens in a month, in order; the daemon's start comes behind the first."""
    happening = [
        (month.at(watch), deed) for event in month.events for watch, deed in _deeds(event, stage)
    ]
    return sorted([*happening, (month.start, stage.start)], key=lambda each: each[0])


def _deeds(event: Event, stage: Stage) -> Iterator[tuple[str, Deed]]:
    match event:
        case Asleep(start, end):
            yield start, partial(stage.sleep, asleep=True)
            yield end, partial(stage.sleep, asleep=False)
        case Off(start, end, killed):
            yield start, partial(stage.stop, killed=killed)
            yield end, stage.start
        case Broken(start, end, killed):
            yield start, partial(stage.break_off, killed=killed)
            yield end, stage.start
        case WrongClock(start, end, hours):
            yield start, partial(stage.set_clock, hours)
            yield end, partial(stage.set_clock, 0)
        case Slow(start, job, minutes):
            yield start, partial(stage.slow_down, job, minutes)
        case Paused(start, end, job):
            yield start, partial(stage.pause, job, paused=True)
            yield end, partial(stage.pause, job, paused=False)
        case Changed(start, job, setting, rhythm):
            yield start, partial(stage.change, job, setting, rhythm)
            yield start, partial(stage.stop, killed=False)
            yield start, stage.start
        case Asked(start, job):
            yield start, partial(stage.ask, job)
        case Told(start):
            yield start, partial(stage.tell, event)
        case Shows(start, name, figure):
            yield start, partial(stage.show, name, figure)
        case Edited(start):
            yield start, partial(stage.edit, event)
