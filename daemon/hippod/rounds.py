"""A heartbeat in the making: what it looked at, told and spent so far, and what went wrong."""

from collections.abc import Iterator, Sequence
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

    `asked` says that a person waits for it, `only_urgent` that it is no hour for anything else,
    `alerts` are what the notifiers are to tell, with what is kept of each item then.
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
        """Note an item, and the words that it was told in."""
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
        if told:
            self.told.append(words)

    def beat(self, outcome: Outcome, reason: str, seconds: float) -> Beat:
        """Return it as it is told and kept; with an empty `reason`, `ok` is what the items say."""
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
            reply=telling.reply(self.told),
            problems=tuple(self.problems),
        )


def _outcome(items: Sequence[BeatItem]) -> tuple[Outcome, str]:
    for outcome, what in _OUTCOMES:
        if count := sum(item.state == outcome for item in items):
            return outcome, f"{count} of {len(items)} items {what}"
    return "ok", ""


_OUTCOMES: tuple[tuple[Outcome, str], ...] = (
    ("attention", "need attention"),
    ("failed", "could not be looked at"),
)
