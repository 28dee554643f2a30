"""What is found about an item of the checklist, and by what."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

State = Literal["fine", "attention", "not judged", "failed", "done", "left"]
"""Nothing to say; to be told; nobody here can tell; the check itself broke; the work was done; it
is left to an agent."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Something that memory holds about an item.

    `source` is `path#L12`. `day` is when it was said; `first` and `last` are the days that it
    speaks of, where it names any.
    """

    source: str
    text: str
    day: date | None = None
    first: date | None = None
    last: date | None = None
    superseded: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is found about an item.

    `reason` is one sentence for people; `evidence` are citations (`path#L12`). Two verdicts with
    one `sameness` are the same news: by it, what was told once is not told again.
    """

    state: State
    reason: str
    evidence: tuple[str, ...] = ()
    sameness: str = ""


_BETWEEN = "\x1e"


def together(members: Iterable[str]) -> str:
    """Return the `sameness` of several pieces of news: that one of them is over is no news."""
    return _BETWEEN.join(sorted(members))


def members(sameness: str) -> frozenset[str]:
    """Return the pieces of news that stand in a `sameness`."""
    return frozenset(filter(None, sameness.split(_BETWEEN)))


def digest(parts: Sequence[str]) -> str:
    """Return what changes when one of the parts does."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
