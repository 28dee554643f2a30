"""A month's figures: what should have been beside what was, and where the two differ."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Any

from bench.month.expected import Expected
from bench.month.living import Lived
from bench.month.script import Month, Told

BETWEEN = timedelta(hours=5, minutes=55)
"""What is told of an item sooner after the last time than this is told twice."""
_MOST = 12
"""Differences that are printed of a month."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing that was counted, beside what it should be."""

    what: str
    expected: int
    seen: int


@dataclass(frozen=True, slots=True)
class JobFigures:
    """The runs of a job; `elsewhen` came at a time at which none should, or did not come."""

    job: str
    runs: Figure
    elsewhen: int
    made_up: Figure
    skipped: Figure
    interrupted: Figure


@dataclass(frozen=True, slots=True)
class Report:
    """A month's figures; `tokens` are of each day on which there were any."""

    title: str
    jobs: tuple[JobFigures, ...]
    figures: tuple[Figure, ...]
    tokens: dict[str, int]
    differences: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether all is as it should be."""
        return not self.differences

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "title": self.title,
            "holds": self.holds,
            "jobs": {
                each.job: {
                    **_both(each.runs),
                    "elsewhen": each.elsewhen,
                    "made_up": _both(each.made_up),
                    "skipped": _both(each.skipped),
                    "interrupted": _both(each.interrupted),
                }
                for each in self.jobs
            },
            "figures": {each.what: _both(each) for each in self.figures},
            "tokens": self.tokens,
            "differences": list(self.differences),
        }


def _both(figure: Figure) -> dict[str, int]:
    return {"expected": figure.expected, "seen": figure.seen}


def compare(month: Month, expected: Expected, lived: Lived) -> Report:
    """Hold a month that was lived against what should have come of it."""
    differences = [*_wrong_runs(month, expected, lived), *_wrong_words(month, expected, lived)]
    jobs = tuple(_job(name, expected, lived) for name in month.rhythms)
    figures = tuple(_figures(month, expected, lived))
    for job in jobs:
        figure = job.skipped
        if figure.expected != figure.seen:
            differences.append(f"{job.job} skipped: {figure.expected} expected, {figure.seen} seen")
    differences += [
        f"{each.what}: {each.expected} expected, {each.seen} seen"
        for each in figures
        if each.expected != each.seen
    ]
    return Report(
        f"{month.zone.key}: {month.who}\n"
        f"  {month.days} days from {month.first}; the clock: {month.change}",
        jobs,
        figures,
        {str(day): count for day, count in sorted(lived.tokens.items()) if count},
        tuple(differences),
    )


def _job(name: str, expected: Expected, lived: Lived) -> JobFigures:
    should = [run for run in expected.runs if run.job == name]
    were = [run for run in lived.runs if run.job == name]
    differing = Counter(run.at for run in should)
    differing.subtract(run.at for run in were)
    return JobFigures(
        name,
        Figure("runs", len(should), len(were)),
        sum(map(abs, differing.values())),
        Figure("made up", sum(r.made_up for r in should), sum(r.made_up for r in were)),
        Figure("skipped", expected.skipped[name], lived.skipped[name]),
        Figure("interrupted", _broken(should), _broken(were)),
    )


def _broken(runs: Sequence[Any]) -> int:
    return sum(run.ended == "interrupted" for run in runs)


def _figures(month: Month, expected: Expected, lived: Lived) -> Iterator[Figure]:
    asked = {at.astimezone(month.zone).date() for at in expected.asked}
    facts = [event for event in month.events if isinstance(event, Told)]
    shown = sum(words.startswith("not judged: ") for _, words in lived.entries)
    letters = sum(len(letter["items"]) for letter in lived.letters)
    yield Figure("runs that overlapped", 0, lived.overlaps)
    yield Figure("items that the notifier got", len(expected.told), letters)
    yield Figure("of them told twice", 0, _twice(lived))
    yield Figure("entries in the logs", len(expected.logged), len(lived.entries))
    yield Figure("of them not judged", len(expected.shown), shown)
    yield Figure("events", len(expected.logged), len(lived.alerts))
    yield Figure("questions to the model", len(expected.asked), lived.calls)
    yield Figure("idle days that cost tokens", 0, len(_costing(lived) - asked))
    yield Figure("other days that cost tokens", len(asked), len(_costing(lived) & asked))
    yield Figure("facts that stand on pages", len(facts), lived.facts_on_pages)


def _costing(lived: Lived) -> set[Any]:
    return {day for day, count in lived.tokens.items() if count}


def _twice(lived: Lived) -> int:
    last: dict[str, datetime] = {}
    twice = 0
    for letter in lived.letters:
        at = datetime.fromisoformat(letter["time"])
        for item in letter["items"]:
            before = last.get(item["item"])
            twice += before is not None and timedelta(0) <= at - before < BETWEEN
            last[item["item"]] = at
    return twice


def _wrong_runs(month: Month, expected: Expected, lived: Lived) -> Iterator[str]:
    """Yield each run that differs: in its time, its end, or in what it made up for."""
    should = _counted(
        (_when(run.at, month.zone), run.job, run.ended, f"made up {run.made_up}")
        for run in expected.runs
    )
    were = _counted(
        (_when(run.at, month.zone), run.job, run.ended, f"made up {run.made_up}")
        for run in lived.runs
    )
    yield from _apart(should, were)


def _wrong_words(month: Month, expected: Expected, lived: Lived) -> Iterator[str]:
    """Yield each item that was told, or noted in a log, at another time or another one."""
    told = _counted((_when(at, month.zone), "told", look.text) for at, look in expected.told)
    got = _counted(
        (_when(datetime.fromisoformat(letter["time"]), month.zone), "told", item["item"])
        for letter in lived.letters
        for item in letter["items"]
    )
    noted = _counted((_when(at, month.zone), "in the log") for at, _ in expected.logged)
    found = _counted((_when(at, month.zone), "in the log") for at, _ in lived.entries)
    yield from _apart(told, got)
    yield from _apart(noted, found)


def _counted(things: Iterable[tuple[str, ...]]) -> Counter[tuple[str, ...]]:
    return Counter(things)


def _apart(should: Counter[tuple[str, ...]], were: Counter[tuple[str, ...]]) -> Iterator[str]:
    sides = [(each, "missing") for each in should - were]
    for each, side in sorted(sides + [(each, "not expected") for each in were - should]):
        yield f"{side}: {', '.join(each)}"


def _when(at: datetime, zone: tzinfo) -> str:
    return f"{at.astimezone(zone):%m-%d %H:%M}"


# -- as a table ------------------------------------------------------------------------------------

_HEAD = f"  {'':12}{'runs':>16}{'':>10}{'made up':>16}{'skipped':>16}{'broken off':>16}"
_HEAD_2 = (
    f"  {'':12}{'expected':>10}{'seen':>6}{'elsewhen':>10}" + f"{'expected':>10}{'seen':>6}" * 3
)


def table(reports: Sequence[Report]) -> str:
    """Return the figures for people."""
    lines = [line for report in reports for line in _section(report)]
    wrong = sum(len(report.differences) for report in reports)
    said = f"{wrong} differences" if wrong else "all as expected"
    return "\n".join([*lines, "", f"{len(reports)} months: {said}"])


def _section(report: Report) -> Iterator[str]:
    yield f"\n{report.title}"
    yield from (_HEAD, _HEAD_2) if report.jobs else ()
    for job in report.jobs:
        elsewhen = f"{job.elsewhen:>10}"
        pairs = [job.runs, job.made_up, job.skipped, job.interrupted]
        first, *others = (f"{each.expected:>10}{each.seen:>6}" for each in pairs)
        yield f"  {job.job:12}{first}{elsewhen}{''.join(others)}"
    for each in report.figures:
        yield f"  {each.what:32}{each.expected:>6} expected{each.seen:>6} seen"
    if report.jobs:
        days = "".join(f"{day}: {count}, " for day, count in report.tokens.items())
        yield f"  tokens a day: {days}0 on {'all others' if days else 'each'}"
    yield from (f"  DIFFERS  {each}" for each in report.differences[:_MOST])
    if report.differences[_MOST:]:
        yield f"  ... and {len(report.differences) - _MOST} more: see the JSON"
