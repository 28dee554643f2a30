"""Hygiene: what is old moves to the archive, what is kept twice or gets stale is reported, and
index and state are kept small. Merging and deleting is done only for what a person named."""

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any, get_args

import structlog

from hippod.archiving import Archiving
from hippod.config import Config
from hippod.errors import Conflict, HippodError, InvalidInput, NotFound
from hippod.factbook import Factbook
from hippod.findings import ACTOR, Findings, Proposal
from hippod.index import Index
from hippod.reflection import tidiness
from hippod.reflection.tidiness import OldLog
from hippod.retain import Retainer
from hippod.state import State
from hippod.wire_bank import HygieneItem, HygieneKind, HygieneReport, HygieneRequest
from hippod.workspace import Workspace

logger = structlog.get_logger()

JOB = "hygiene"
MOST_SHOWN = 500
"""Items of each kind in a report."""
MOST_IN_STATUS = 20
MAX_DAYS = 36_500
SHORTEST_ID = 4
KINDS: tuple[HygieneKind, ...] = get_args(HygieneKind)
_KEPT = "hygiene.report"
_MERGE_PAUSE_SECONDS = 0.2
"""How long others go first after each merge of words."""


class Stopped(HippodError):
    """The daemon is shutting down in the middle of a run."""


class Hygiene:
    """Keeps one workspace tidy. Thread-safe; one run at a time.

    `changed(path)` hears of each document that a run changed.
    """

    def __init__(
        self,
        config: Config,
        workspace: Workspace,
        state: State,
        index: Index,
        retainer: Retainer,
        clock: Callable[[], datetime],
        factbook: Factbook | None = None,
    ) -> None:
        self.changed: Callable[[str], None] = lambda path: None
        self._config = config
        self._workspace = workspace
        self._state = state
        self._index = index
        self._clock = clock
        self._archiving = Archiving(config, workspace, state, retainer)
        known = factbook or Factbook(workspace)
        self._findings = Findings(config, workspace, state, retainer, clock, self._go_on, known)
        self._running = threading.Lock()
        self._stopped = threading.Event()

    # -- verbs -------------------------------------------------------------------------------

    def run(self, request: HygieneRequest) -> HygieneReport:
        """Tidy up, or apply what `request.apply` names, or with `dry_run` only say what is to do.

        Raises `NotFound` for an id that never was, `Conflict` for one that is about something
        that changed since, `StorageError` if the workspace is gone.
        """
        with self._running:
            self._go_on()  # what waited behind another run until shutdown never begins
            began = time.monotonic()
            started = self._clock()
            if request.apply:
                report = self._apply(request)
            elif request.dry_run:
                report = _report(self._proposals(), dry_run=True)
            else:
                report = self._recorded(started)
            return report.model_copy(
                update={
                    "started": started.astimezone(self._config.zone).isoformat(timespec="seconds"),
                    "seconds": round(time.monotonic() - began, 3),
                }
            )

    def expire(self, now: datetime) -> dict[str, int]:
        """Drop turns and journal entries that are older, or more, than is to be kept."""
        keep, state = self._config.retention, self._state
        journal = state.prune_journal(_before(now, keep.journal_days), keep.journal_bytes)
        batches = 0
        while dropped := state.drop_turns(_before(now, keep.turns_days)):
            batches += dropped
        return {"journal_entries": journal, "batches": batches}

    def status(self) -> dict[str, Any]:
        """Return when it ran last, and what is to be looked at since."""
        last = self._state.last_run(JOB, until=self._clock())
        kept = self._kept()
        when = last.started.astimezone(self._config.zone) if last else None
        return {
            "enabled": self._config.hygiene.enabled,
            "running": self._running.locked(),
            "last_run": when.isoformat(timespec="seconds") if when else None,
            "last_outcome": last.outcome if last else None,
            "last_error": last.error if last else "",
            "counts": kept.get("counts", {}),
            "items": kept.get("items", [])[:MOST_IN_STATUS],
        }

    def stop(self) -> None:
        """Make a run end after the step that it is at; the next one takes up what is left."""
        self._stopped.set()

    # -- a run -------------------------------------------------------------------------------

    def _recorded(self, started: datetime) -> HygieneReport:
        """Run, and note how it went; one that never came to its end is tried again."""
        began = time.monotonic()
        outcome, error = "failed", "see the log"
        self._state.start_run(JOB, started)
        try:
            report = self._tidy(started)
            outcome, error = "ok", ""
        except Stopped:
            outcome, error = "interrupted", ""
            raise
        except HippodError as failure:
            error = failure.message
            raise
        finally:
            self._state.record_run(JOB, started, time.monotonic() - began, outcome, error)
        self._keep(report)
        counts = {str(kind): count for kind, count in report.counts.items() if count}
        logger.info("hygiene.done", archived=report.archived, **counts)
        return report

    def _tidy(self, now: datetime) -> HygieneReport:
        expired = self.expire(now)
        archived = [self._done(proposal) for proposal in self._old_logs()]
        self._go_on()
        report = _report([*archived, *self._findings.all()])
        optimised = self._optimised()
        return report.model_copy(update={"expired": expired, "optimised": optimised})

    def _optimised(self) -> dict[str, Any]:
        """Keep index and state small; what cannot be done now waits for the next run."""
        done: dict[str, Any] = {}
        try:
            for name, step in self._steps():
                self._go_on()
                done[name] = step()
        except Stopped:
            raise
        except HippodError as error:
            done["problem"] = error.message
        return done

    def _steps(self) -> Iterator[tuple[str, Callable[[], object]]]:
        index = self._index
        yield "texts_retried", index.retry_parked
        yield "words_merged", self._merge_words
        yield "index_compacted", index.compact
        yield "state_compacted", self._state.compact
        yield "graph_rebuilt", lambda: index.wants_graph() and index.build_graph()

    def _merge_words(self) -> int:
        """Merge the words' index in small steps; return how many it took."""
        merges = 0
        while self._index.tidy():
            merges += 1
            self._go_on(_MERGE_PAUSE_SECONDS)
        return merges

    def _apply(self, request: HygieneRequest) -> HygieneReport:
        """Do what was named, if it is still the same: else nothing at all."""
        proposals = self._proposals()
        chosen = [self._named(name, proposals) for name in dict.fromkeys(request.apply)]
        if request.dry_run:
            return _report(chosen, dry_run=True)
        done = [self._done(proposal) for proposal in chosen]
        gone = {proposal.item.id for proposal in done if proposal.item.applied}
        self._keep(_report(p for p in proposals if p.item.id not in gone))
        return _report(done)

    def _proposals(self) -> list[Proposal]:
        return [*self._old_logs(), *self._findings.all()]

    def _named(self, name: str, proposals: Sequence[Proposal]) -> Proposal:
        """Return the one proposal whose id begins so."""
        prefix = name.strip().casefold()
        if len(prefix) < SHORTEST_ID:
            raise InvalidInput(f"apply: {name!r} is too short", f"give {SHORTEST_ID} characters")
        found = [p for p in proposals if p.item.id.startswith(prefix)]
        if len(found) > 1:
            ids = ", ".join(p.item.id for p in found[:8])
            raise InvalidInput(f"apply: {name!r} begins {len(found)} of them: {ids}", "give more")
        if found:
            return _applicable(found[0])
        if any(each["id"].startswith(prefix) for each in self._kept().get("items", [])):
            raise Conflict(
                f"{name}: what it is about changed since", "look again: hippod hygiene --dry-run"
            )
        raise NotFound(f"nothing to tidy has the id {name}", "see: hippod hygiene --dry-run")

    def _done(self, proposal: Proposal) -> Proposal:
        """Do what is proposed; what cannot be done now is in the item, with the reason."""
        item = proposal.item
        try:
            if proposal.act is not None:
                for path in proposal.act():
                    self.changed(path)
                item = item.model_copy(update={"applied": True})
        except Stopped:
            raise
        except HippodError as error:
            logger.info("hygiene.left", kind=item.kind, id=item.id)
            item = item.model_copy(update={"problem": error.message})
        return replace(proposal, item=item)

    def _go_on(self, pause: float = 0.0) -> None:
        """Let others go first for a while; raises `Stopped` at shutdown."""
        if self._stopped.wait(pause):
            raise Stopped("hygiene was stopped: hippod is shutting down", "run it again")

    # -- the archive -------------------------------------------------------------------------

    def _old_logs(self) -> list[Proposal]:
        """Return the daily logs to archive; one that is to stay where it is, with the reason."""
        return [self._old_log(log, why) for log, why in self._archiving.due(self._today())]

    def _old_log(self, log: OldLog, why_left: str) -> Proposal:
        item = HygieneItem(
            id=tidiness.item_id("archive", log.path, log.to),
            kind="archive",
            action="move",
            path=log.path,
            target=log.to,
            problem=why_left,
        )
        return Proposal(item, None if why_left else lambda: self._archive(log))

    def _archive(self, log: OldLog) -> tuple[str, ...]:
        self._go_on()
        self._archiving.move(log, ACTOR)
        return log.to, log.path  # in this order: the vectors of its texts are in use again then

    # -- what a run leaves -------------------------------------------------------------------

    def _keep(self, report: HygieneReport) -> None:
        """Keep what `status` shows, without a word of what documents say."""
        fields = {"id", "kind", "action", "path", "line", "target"}
        waiting = [item.model_dump(include=fields) for item in report.items if not item.applied]
        kept = {"counts": report.counts, "items": waiting}
        self._state.set_meta(_KEPT, json.dumps(kept))

    def _kept(self) -> dict[str, Any]:
        kept: dict[str, Any] = json.loads(self._state.get_meta(_KEPT) or "{}")
        return kept

    def _today(self) -> date:
        return self._clock().astimezone(self._config.zone).date()


def _report(proposals: Iterable[Proposal], *, dry_run: bool = False) -> HygieneReport:
    items = [proposal.item for proposal in proposals]
    counts = dict.fromkeys(KINDS, 0)
    shown = []
    for item in items:
        counts[item.kind] += 1
        if counts[item.kind] <= MOST_SHOWN:
            shown.append(item)
    return HygieneReport(
        dry_run=dry_run,
        items=tuple(shown),
        counts=counts,
        archived=sum(item.applied for item in items if item.kind == "archive"),
    )


def _applicable(proposal: Proposal) -> Proposal:
    item = proposal.item
    if proposal.act is not None:
        return proposal
    if item.problem:
        raise Conflict(f"{item.path}: {item.problem}")
    what = "; ".join(item.reasons)
    raise InvalidInput(f"{item.id}: only to be looked at ({what})", f"see {item.path}")


def _before(now: datetime, days: int) -> datetime:
    return now - timedelta(days=min(days, MAX_DAYS))
