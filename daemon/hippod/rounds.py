"""A heartbeat in the making: what it looked at, told and spent so far, and what went wrong."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from hippod.checklist import telling
from hippod.checklist.items import Item
from hippod.checklist.telling import Kept
from hippod.errors import HippodError
from hippod.examining import Finding, Purse
from hippod.notifiers import AlertItem
from hippod.wire_heartbeat import Beat, BeatItem, Outcome

logger = structlog.get_logger()


@dataclass(slots=True)
class Went:
    """How a guarded part went; `why` says why not well."""

    well: bool = False
    why: str = ""


@dataclass(slots=True)
class Round:
    """What a beat did so far; `now` is local, in the user's zone.

    `asked` says that a person waits for it, `only_urgent` that it is no hour for anything else.
    `told` is what it tells, `standing` what else needs a person; `alerts` are what the
    notifiers are to tell, with what is kept of each item then.
    """

    now: datetime
    asked: bool
    dry_run: bool
    purse: Purse
    only_urgent: bool = False
    quiet: bool = False
    reflected: bool = False
    tidied: bool = False
    waited: int = 0
    items: list[BeatItem] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    standing: list[str] = field(default_factory=list)
    alerts: list[tuple[Item, Kept, AlertItem]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @contextmanager
    def guarded(self, what: str) -> Iterator[Went]:
        """Note what fails and go on: one part of a beat that fails never ends the others."""
        went = Went()
        try:
            yield went
            went.well = True
        except HippodError as error:
            went.why = error.message
        except Exception:
            logger.exception("heartbeat.part_crashed", part=what)
            went.why = "it crashed: see the daemon's log"
        if went.why:
            self.problems.append(f"{what}: {went.why}")

    def add(self, item: Item, finding: Finding, *, told: bool, words: str) -> None:
        """Note an item; `words` say one that is not told."""
        verdict = finding.verdict
        self.items.append(
            BeatItem(
                text=item.text,
                kind=item.kind,
                line=item.line,
                state="to do" if finding.planned else verdict.state,
                reason=verdict.reason,
                evidence=verdict.evidence,
                told=told,
            )
        )
        if not told and verdict.state in telling.PRESSING and not finding.planned:
            self.standing.append(words)

    def leave_out(self, may_tell: Callable[..., bool]) -> None:
        """Leave out what may not be told any more, because it was forgotten since."""
        self.items = [each for each in self.items if may_tell(each.text, each.reason)]
        self.told = [each for each in self.told if may_tell(each)]
        self.standing = [each for each in self.standing if may_tell(each)]
        self.alerts = [each for each in self.alerts if may_tell(each[2].item, each[2].reason)]

    def beat(self, outcome: Outcome, reason: str, seconds: float) -> Beat:
        """Return it as it is told and kept; with an empty `reason`, `ok` is what the items say."""
        # An empty list asks for nothing: that is well, as the reason behind it says.
        went_wrong = reason and outcome != "skipped"
        failure = f"{outcome}: {reason}" if went_wrong else self._plan()
        if outcome == "ok" and not reason:
            outcome, reason = _outcome(self.items)
        return Beat(
            started=self.now.isoformat(timespec="seconds"),
            outcome=outcome,
            reason=reason,
            items=tuple(self.items),
            reflected=self.reflected,
            tidied=self.tidied,
            tokens=self.purse.tokens,
            calls=self.purse.calls,
            seconds=round(seconds, 3),
            quiet=self.quiet,
            dry_run=self.dry_run,
            reply=self._reply(failure),
            problems=tuple(self.problems),
        )

    def _plan(self) -> str:
        """Return how much a dry run leaves open: of that nobody knows whether it is well."""
        left = sum(item.state == "to do" for item in self.items)
        said = f"{left} of {len(self.items)} items take a command, a model or work to tell"
        pressing = _counted(self.items)
        return f"dry run: {'; '.join(filter(None, [pressing, said]))}" if left else ""

    def _reply(self, failure: str) -> str:
        """Return what the beat says in the end: of a look that was none, why."""
        if failure:
            return "\n".join([failure, *filter(None, [telling.listed(self.told)])])
        return telling.reply(self.told, self.standing, _counted(self.items, still=True))


def _outcome(items: Sequence[BeatItem]) -> tuple[Outcome, str]:
    for outcome in ("attention", "failed"):
        if any(item.state == outcome for item in items):
            return outcome, _counted(items)
    return "ok", ""


def _counted(items: Sequence[BeatItem], *, still: bool = False) -> str:
    return telling.counted([item.state for item in items], f" of {len(items)}", still=still)
