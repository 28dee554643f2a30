"""What became of the faults, as lines of a table and as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from bench.faults.harness import Outcome

HEAD = f"{'fault':<54}{'survived':>9}{'lost bytes':>12}{'duplicates':>12}{'recovery':>10}  remark"


def line(outcome: Outcome) -> str:
    """Return a fault's line, and below it whatever is wrong."""
    if outcome.reason:
        return f"{outcome.name:<54}{'n/a':>9}{'':34}  {outcome.reason}"
    seconds = outcome.recovery_seconds
    recovery = "" if seconds is None else f"{seconds:.1f} s"
    first = (
        f"{outcome.name:<54}{'yes' if outcome.survived else 'NO':>9}{outcome.lost_bytes:>12,}"
        f"{outcome.duplicates:>12,}{recovery:>10}  {outcome.remark}"
    ).rstrip()
    return "\n".join([first, *(f"    {finding}" for finding in outcome.findings)])


def totals(outcomes: Sequence[Outcome]) -> str:
    """Return the last line."""
    tried = [each for each in outcomes if not each.reason]
    slowest = max((each.recovery_seconds or 0 for each in tried), default=0)
    return (
        f"{len(tried)} faults tried, {sum(each.survived for each in tried)} survived, "
        f"{sum(each.lost_bytes for each in tried):,} bytes lost, "
        f"{sum(each.duplicates for each in tried):,} duplicates, "
        f"slowest recovery {slowest:.1f} s, {len(outcomes) - len(tried)} not possible here"
    )


def good(outcomes: Sequence[Outcome]) -> bool:
    """Say whether all that could be tried was survived, and something was."""
    tried = [each for each in outcomes if not each.reason]
    return bool(tried) and all(each.survived for each in tried)


def as_json(outcomes: Sequence[Outcome]) -> Iterator[dict[str, Any]]:
    """Yield the outcomes as the report has them."""
    for each in outcomes:
        yield asdict(each) | {"survived": None if each.reason else each.survived}
