"""What a check finds, and how it can be mended; short names to say it with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hippod.wire_doctor import State

MOST_NAMED = 3
"""Paths that a finding names; the rest is counted."""

Mend = Callable[[], str]
"""Mends what was found and returns what was done; raises `HippodError` or OSError."""


@dataclass(frozen=True, slots=True)
class Found:
    """One finding of a check. `mend` is there only where mending can do no harm."""

    state: State
    said: str
    fix: str = ""
    mend: Mend | None = None


def ok(said: str) -> Found:
    """Say that something is as it should be."""
    return Found("ok", said)


def skipped(said: str) -> Found:
    """Say why something was not looked at."""
    return Found("skipped", said)


def warn(said: str, fix: str, mend: Mend | None = None) -> Found:
    """Say that something works, but will not for ever or not for everybody."""
    return Found("warn", said, fix, mend)


def fail(said: str, fix: str, mend: Mend | None = None) -> Found:
    """Say that something does not work."""
    return Found("fail", said, fix, mend)


def some(names: Sequence[str]) -> str:
    """Name the first of many: `a, b, c and 4 more`."""
    more = len(names) - MOST_NAMED
    shown = ", ".join(names[:MOST_NAMED])
    return f"{shown} and {more} more" if more > 0 else shown


def count(number: int, one: str, many: str = "") -> str:
    """Say how many there are: `1 file`, `2,000 files`."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def size(amount: float) -> str:
    """Say an amount of bytes for people."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return (
                f"{amount:.0f} {unit}"
                if amount >= 10 or unit == "bytes"
                else f"{amount:.1f} {unit}"
            )
        amount /= 1000
    raise AssertionError
