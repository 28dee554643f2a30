"""What was measured, beside its baseline and its budget: as a table, and as JSON."""

import math
import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import apsw

from hippod import __version__

VERSION = 1
"""Of the JSON report."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Samples in short; a thing that was measured once has only `p50`."""

    p50: float
    p99: float | None = None
    most: float | None = None

    @classmethod
    def of(cls, samples: Sequence[float]) -> "Spread":
        """Sum up samples; quantiles are values that occurred (nearest rank)."""
        return cls(quantile(samples, 0.5), quantile(samples, 0.99), max(samples))


@dataclass(frozen=True, slots=True)
class Budget:
    """Bounds of a row's value, of its ratio to the baseline, or of its `tail`: p99 over p50."""

    of: Literal["p50", "p99", "ratio", "tail"]
    most: float | None = None
    least: float | None = None

    def holds(self, value: float | None) -> bool:
        """Say whether a measured value is within the bounds; what could not be measured is not."""
        if value is None:
            return False
        most, least = self.most, self.least
        return (most is None or value <= most) and (least is None or value >= least)

    def __str__(self) -> str:
        name = "p99 / p50" if self.of == "tail" else self.of
        bounds = ((">=", self.least), ("<=", self.most))
        return " and ".join(
            f"{name} {sign} {_number(bound)}" for sign, bound in bounds if bound is not None
        )


@dataclass(frozen=True, slots=True)
class Row:
    """One measured thing, in `unit`, and what the same run says of `against`."""

    what: str
    unit: str
    here: Spread
    against: str = ""
    base: Spread | None = None
    budget: Budget | None = None

    @property
    def ratio(self) -> float | None:
        """Of the medians."""
        return _ratio(self.here.p50, self.base.p50 if self.base else None)

    @property
    def ratio_p99(self) -> float | None:
        """Of the 99th percentiles."""
        return _ratio(self.here.p99, self.base.p99 if self.base else None)

    @property
    def tail(self) -> float | None:
        """How far the slowest hundredth is from the usual."""
        return _ratio(self.here.p99, self.here.p50)

    @property
    def met(self) -> bool | None:
        """Whether the budget holds; None without one."""
        if self.budget is None:
            return None
        of = self.budget.of
        return self.budget.holds(getattr(self.here if of in ("p50", "p99") else self, of))

    def as_json(self) -> dict[str, Any]:
        """Return the row with what follows from it."""
        derived = {
            "ratio": self.ratio,
            "ratio_p99": self.ratio_p99,
            "tail": self.tail,
            "met": self.met,
        }
        return asdict(self) | derived


@dataclass(frozen=True, slots=True)
class Result:
    """One measurement: its rows, the conditions in `facts`, or in `skipped` why there is none."""

    title: str
    rows: tuple[Row, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)
    skipped: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return it as the report has it."""
        return asdict(self) | {"rows": [row.as_json() for row in self.rows]}


def quantile(samples: Sequence[float], share: float) -> float:
    """Return the smallest sample that `share` of them do not exceed."""
    return sorted(samples)[max(0, math.ceil(share * len(samples)) - 1)]


def machine() -> dict[str, Any]:
    """Describe where this runs; `load` is that of the last minute."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "hippod": __version__,
        "load": round(os.getloadavg()[0], 2),
    }


def table(results: Sequence[Result]) -> str:
    """Return the results for people."""
    lines = [line for result in results for line in _section(result)]
    return "\n".join([*lines, *_summary(results)])


_COLUMNS = f"{'':40}{'p50':>10}{'p99':>10}{'max':>10} {'':8}{'ratio':>7}{'of p99':>8}"


def _section(result: Result) -> Iterator[str]:
    yield f"\n{result.title}"
    if result.skipped:
        yield f"  not measured: {result.skipped}"
        return
    yield f"{_COLUMNS}  against (p50, p99)"
    yield from map(_line, result.rows)
    if result.facts:
        yield "  " + ", ".join(f"{name} {_fact(value)}" for name, value in result.facts.items())


def _summary(results: Sequence[Result]) -> Iterator[str]:
    bounded = [(result, row) for result in results for row in result.rows if row.budget]
    missed = [(result, row) for result, row in bounded if not row.met]
    if bounded:
        yield f"\nBudgets: {len(bounded) - len(missed)} met, {len(missed)} not met"
    for result, row in missed:
        yield f"  {result.title.partition(':')[0]}: {row.what} [{row.budget}]"


def _line(row: Row) -> str:
    here = "".join(f"{_number(value):>10}" for value in asdict(row.here).values())
    ratios = f"{_number(row.ratio, 'x'):>7}{_number(row.ratio_p99, 'x'):>8}"
    return f"  {row.what:<38}{here} {row.unit:<8}{ratios}  {_against(row)}{_verdict(row)}".rstrip()


def _against(row: Row) -> str:
    if row.base is None:
        return ""
    values = " / ".join(_number(v) for v in (row.base.p50, row.base.p99) if v is not None)
    return f"{row.against} {values}"


def _verdict(row: Row) -> str:
    if row.budget is None:
        return ""
    return f"  [{row.budget}: {'met' if row.met else 'NOT MET'}]"


def _number(value: float | None, unit: str = "") -> str:
    """Return three telling digits, none lost before the point."""
    if value is None:
        return ""
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3
    return f"{value:,.{digits}f}{unit}"


def _fact(value: object) -> str:
    if isinstance(value, float):
        return _number(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def _ratio(value: float | None, base: float | None) -> float | None:
    return value / base if value is not None and base else None


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
