"""A soak's figures, each beside its bound."""

from collections.abc import Iterator

from bench import report
from bench.report import Budget, Result, Row, Spread
from bench.soak import life
from bench.soak.run import Outcome

_NONE = Budget("p50", 0)
_MOST_MIB_A_MINUTE = 3.0
_MOST_DESCRIPTORS = 8
_MOST_THREADS = 8
_SHOWN = 8


def result(outcome: Outcome) -> Result:
    """Return the table of a soak."""
    seconds = outcome.scale.seconds
    title = f"Soak of {seconds / 60:g} minutes: {outcome.claims:,} things written"
    return Result(title, (*_done(outcome), *_kept(outcome), *_held(outcome)))


def holds(outcome: Outcome) -> bool:
    """Say whether every bound holds."""
    return all(row.met is not False for row in result(outcome).rows)


def complaints(outcome: Outcome) -> list[str]:
    """Return what is wrong, in words, the first of each kind."""
    kinds = {
        "not kept": map(str, outcome.broken),
        "twice": outcome.duplicates,
        "not as a fresh index, or answered otherwise after a restart": outcome.differences,
        "unexpected": outcome.unexpected,
        "logged": outcome.faults,
        "open without a name": outcome.rest[1].deleted,
    }
    return [f"  {kind}: {each}" for kind, found in kinds.items() for each in list(found)[:_SHOWN]]


def _done(outcome: Outcome) -> Iterator[Row]:
    lived, counts = outcome.life, outcome.counts
    yield Row("minutes", "min", Spread(outcome.scale.seconds / 60))
    for name in ("requests", "writes", "saves", "turns", "checkouts", "jobs", "events"):
        yield Row(name, "", Spread(counts.get(name, 0)))
    yield Row("kills", "", Spread(lived.kills), budget=Budget("p50", least=1))
    yield Row("stops and starts", "", Spread(lived.stops))
    yield Row("reloads", "", Spread(lived.reloads))
    yield Row("children killed", "", Spread(lived.children_killed))
    yield Row("requests that a kill cut off", "", Spread(counts.get("interrupted", 0)))


def _kept(outcome: Outcome) -> Iterator[Row]:
    lost = sum(wrong.bytes for wrong in outcome.broken)
    twice = sum(wrong.seen > wrong.claim.most for wrong in outcome.broken)
    yield Row("lost bytes", "B", Spread(lost), budget=_NONE)
    yield Row("duplicates", "", Spread(twice + len(outcome.duplicates)), budget=_NONE)
    yield Row("index differences", "", Spread(len(outcome.differences)), budget=_NONE)
    yield Row("unexpected answers", "", Spread(len(outcome.unexpected)), budget=_NONE)
    yield Row("errors in the log", "", Spread(len(outcome.faults)), budget=_NONE)
    yield Row("exit code", "", Spread(outcome.exit_code), budget=_NONE)


def _held(outcome: Outcome) -> Iterator[Row]:
    calm, scale = outcome.life.calm, outcome.scale
    begin, end = outcome.rest
    if outcome.life.recoveries:
        yield Row("answers again after", "s", Spread.of(outcome.life.recoveries))
    yield Row("at rest again after", "s", Spread(outcome.settled_seconds))
    first, last = life.trend(calm, "resident")
    yield Row("memory (RSS)", "MiB", Spread(last), "begin of calm", Spread(first))
    growth = (last - first) / life.minutes(calm)
    yield Row("memory, growth a minute", "MiB", Spread(growth),
              budget=Budget("p50", _MOST_MIB_A_MINUTE) if scale.flat else None)  # fmt: skip
    first, last = life.trend(calm, "threads")
    yield Row("threads, growth", "", Spread(last - first), budget=Budget("p50", _MOST_THREADS))
    yield Row("open descriptors at rest", "", Spread(end.descriptors), "before",
              Spread(begin.descriptors),
              Budget("p50", begin.descriptors + _MOST_DESCRIPTORS))  # fmt: skip
    yield Row("descriptors of deleted files", "", Spread(len(end.deleted)), budget=_NONE)
    yield Row("children", "", Spread(end.children), budget=_NONE)
    yield Row("processor at rest, of a core", "%", Spread(outcome.idle_percent),
              budget=Budget("p50", scale.most_percent))  # fmt: skip


def text(outcome: Outcome) -> str:
    """Return the table and what is wrong, for people."""
    return "\n".join([report.table([result(outcome)]), *complaints(outcome)])
