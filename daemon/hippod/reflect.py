"""The reflection job: what the facts of the daily logs make of the bank's pages."""

import base64
import functools
import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Any, Final

import structlog

from hippod import (
    daylog,
    facts,
    forgotten,
    lanes,
    markdown,
    pagebook,
    pages,
    plans,
    query,
    wire_bank,
)
from hippod.config import Config
from hippod.documents import FileStat
from hippod.errors import Conflict, DaemonDown, HippodError, ModelError
from hippod.factbook import Factbook
from hippod.journal import PlannedAppend
from hippod.pagebook import Pagebook
from hippod.plans import DailyFacts, Done, Edit, PageEdit
from hippod.reflection.known import Book
from hippod.reflection.proposals import PROPOSALS
from hippod.state import State
from hippod.workspace import Workspace

if TYPE_CHECKING:
    from hippod.capabilities import Capabilities
    from hippod.models import Embedder, Generator
    from hippod.reflection.ledger import Near
    from hippod.reflection.planning import Bounds, Notes, PagePlan, Plan, Seen, Tools
    from hippod.reflection.summary import Summarise
    from hippod.reflection.verdicts import Judge

logger = structlog.get_logger()

JOB: Final = "reflect"
"""Name of the job, and of the actor in the journal."""
REST: Final = timedelta(minutes=30)
"""Time between two runs that nobody asked for."""
BUSY_SECONDS: Final = 60.0
MOST_WAITS: Final = 60
"""How often a run that nobody asked for waits so long for an extraction to end."""
NO_MODEL: Final = "extractive: no model"
NOT_PASSED: Final = "extractive: the model did not pass its self-test for summaries"
_QUALITY = "reflect.quality"
_PROBLEMS = "reflect.left_alone"
_LOST = "reflect.lost"


class Reflector:
    """Runs reflections, one at a time. Thread-safe.

    `changed(path)` hears of each document that was written. `busy` says that a model is wanted
    elsewhere: runs that nobody asked for wait.
    """

    def __init__(
        self,
        config: Config,
        workspace: Workspace,
        state: State,
        clock: Callable[[], datetime],
        generator: "Generator | None" = None,
        encoder: "Embedder | None" = None,
        near: "Near | None" = None,
        factbook: Factbook | None = None,
    ) -> None:
        self.changed: Callable[[str], None] = lambda path: None
        self.busy: Callable[[], bool] = lambda: False
        self._config = config
        self._workspace = workspace
        self._state = state
        self._clock = clock
        self._models = (encoder, generator)
        self._near = near
        self._factbook = factbook or Factbook(workspace)
        self._reading = threading.Lock()
        self._running = threading.Lock()
        self._stopped = threading.Event()
        self._waiting: dict[str, int] | None = None
        self._quality = ""
        self._is_lost = False
        self._tombstones: FileStat | None = None

    def stop(self) -> None:
        """Make a run in progress end soon; the next one goes on."""
        self._stopped.set()

    def look_again(self, paths: Iterable[str]) -> None:
        """Look at pages the next time as if they had never been seen: a person handed them back."""
        self._state.drop_reflected("page", paths)

    # -- when --------------------------------------------------------------------------------

    def run_unasked(self) -> None:
        """Run as the schedule wants it: not beside an extraction, for they share a model."""
        for _ in range(MOST_WAITS):
            if not self.busy() or self._stopped.wait(BUSY_SECONDS):
                break
            lanes.moved()
        if not self._stopped.is_set():
            self.run()

    def run_if_due(self, paths: Iterable[str]) -> None:
        """Run if enough facts are new, now that the logs at `paths` changed."""
        self.notice(paths)
        enough = self._config.reflect.after_facts
        due = self._config.reflect.enabled and 0 < enough <= (self.waiting or 0)
        if due and self.rest() == 0:
            self.run_unasked()

    def rest(self) -> float:
        """Return for how many seconds no run shall begin that nobody asks for."""
        now = self._clock()
        last = self._state.last_run(JOB, until=now)
        if last is None:
            return 0.0
        return max(0.0, (last.started + REST - now).total_seconds())

    def notice(self, paths: Iterable[str]) -> None:
        """Count again which facts of these logs are new; at the first call those of all."""
        with self._reading:
            if self._waiting is None:
                logs = {fact.path for fact in self._factbook.read().facts}
            else:
                logs = {path for path in paths if daylog.day_of(path)}
            judged = self._state.reflected("fact") if logs else {}
            counts = {path: self._count_new(path, judged) for path in logs}
            self._waiting = {**(self._waiting or {}), **counts}

    def _count_new(self, path: str, judged: Collection[str]) -> int:
        said = self._factbook.of(path)
        return sum(not fact.is_derived and fact.id not in judged for fact in said)

    @property
    def waiting(self) -> int | None:
        """How many facts are new to reflection; None before anybody counted."""
        counts = self._waiting
        return None if counts is None else sum(counts.values())

    def status(self) -> dict[str, Any]:
        """Return what `status` tells of reflection."""
        last = self._state.last_run(JOB, until=self._clock())
        return {
            "last_run": _local(last.started, self._config.zone) if last else None,
            "last_outcome": last.outcome if last else None,
            "facts_waiting": self.waiting,
            "quality": self._state.get_meta(_QUALITY),
            "problems": [{"path": path, "reason": why} for path, why in self._known_problems()],
        }

    def _known_problems(self) -> list[tuple[str, str]]:
        known = json.loads(self._state.get_meta(_PROBLEMS) or "[]")
        return [(path, reason) for path, reason in known]

    # -- a run -------------------------------------------------------------------------------

    def run(self, since: str | None = None, dry_run: bool = False) -> wire_bank.Reflected:
        """Bring the bank up to date with the facts, or say what that would change.

        `since` is a date or an age such as `7d`: facts of earlier days wait for another time.
        """
        now = self._clock()
        local = now.astimezone(self._config.zone)
        day = query.first_day("since", since, local) if since is not None else None
        with self._running:
            if dry_run:
                return self._reflect(local.date(), day, dry_run=True)
            if self._stopped.is_set():  # it waited behind another one: it never began
                raise DaemonDown("no reflection: hippod is shutting down", "run it again")
            return self._recorded(now, lambda: self._reflect(local.date(), day, dry_run=False))

    def _recorded(
        self, now: datetime, work: Callable[[], wire_bank.Reflected]
    ) -> wire_bank.Reflected:
        began, spent = time.monotonic(), self._state.tokens_used()
        outcome, error = "failed", "see the log"
        self._state.start_run(JOB, now)
        try:
            done = work()
            outcome, error = "interrupted" if done.interrupted else "ok", ""
        except HippodError as failure:
            error = failure.message
            raise
        finally:
            if outcome == "failed" and self._stopped.is_set():  # what it needs was taken away
                outcome = "interrupted"
            seconds, tokens = time.monotonic() - began, self._state.tokens_used() - spent
            self._state.record_run(JOB, now, seconds, outcome, error, tokens=tokens)
        logger.info(
            "reflect.done", facts=done.facts, entities=done.entities, opinions=done.opinions,
            changes=len(done.changes), problems=len(done.problems), seconds=done.seconds,
        )  # fmt: skip
        return done

    def _reflect(self, today: date, since: date | None, *, dry_run: bool) -> wire_bank.Reflected:
        from hippod.reflection import planning  # with all rules: as `Retainer._batches`

        began = time.monotonic()
        if not dry_run:
            self._settle()
        self._quality, self._is_lost = "", False
        self._tombstones = self._workspace.stat(forgotten.PATH)
        book = self._factbook.read()
        bank = pagebook.read(self._workspace)
        plan = planning.plan(
            book,
            planning.Bank(bank.texts, bank.unread, self._stated(), self._refused),
            self._notes(bank, dry_run=dry_run),
            self._tools(),
            self._bounds(today, since),
            self._seen,
        )
        edits = [edit for edit in _edits(plan, bank) if self._has_place(edit)]
        if dry_run:
            return self._answer(plan, edits, plan.problems, began, dry_run=True)
        done = self._apply(plan, edits)
        problems = [*plan.problems, *((self._path(edit), why) for edit, why in done.failed)]
        is_whole = since is None and not self._is_broken(plan)
        passed = () if is_whole else set(bank.texts) - plan.reached
        self._keep(problems, passed, book, is_whole=is_whole)
        return self._answer(plan, done.made, problems, began, dry_run=False)

    def _answer(
        self,
        plan: "Plan",
        edits: Sequence[Edit],
        problems: Sequence[tuple[str, str]],
        began: float,
        *,
        dry_run: bool,
    ) -> wire_bank.Reflected:
        return wire_bank.Reflected(
            dry_run=dry_run,
            facts=len(plan.new),
            entities=plan.looked,
            opinions=len(plan.ledger.opinions_touched) if plan.ledger else 0,
            changes=tuple(self._change(edit, dry_run=dry_run) for edit in edits),
            problems=tuple(wire_bank.PageProblem(path=path, reason=why) for path, why in problems),
            quality=self._quality or self._last_quality(),
            seconds=round(time.monotonic() - began, 3),
            interrupted=self._is_broken(plan),
        )

    def _is_broken(self, plan: "Plan") -> bool:
        return plan.interrupted or self._stopped.is_set()

    def _refused(self, path: str) -> str:
        """Return why no page can be written at `path`; empty if one can."""
        try:
            self._workspace.refuse_excluded(path)
        except HippodError as error:
            return error.message
        return ""

    def _has_place(self, edit: Edit) -> bool:
        """Say no to a summary of a day whose log lies elsewhere: it would begin another one."""
        return isinstance(edit, PageEdit) or self._workspace.exists(self._path(edit))

    def _change(self, edit: Edit, *, dry_run: bool) -> wire_bank.PageChange:
        diff = plans.shown(edit, self._path(edit)) if dry_run else ""
        return wire_bank.PageChange(path=self._path(edit), reason=edit.reason, diff=diff)

    def _path(self, edit: Edit) -> str:
        if isinstance(edit, DailyFacts):
            return daylog.log_path(edit.day, self._config.workspace.layout)
        return edit.path

    @functools.cached_property
    def _seen(self) -> "Seen":
        from hippod.reflection.planning import Seen

        return Seen()

    def _notes(self, bank: Pagebook, *, dry_run: bool) -> "Notes":
        from hippod.reflection.planning import UNKNOWN, Notes

        noted = self._state.reflected
        made = {id_: frozenset(cited.split()) for id_, cited in noted("proposal").items()}
        lost = self._state.get_meta(_LOST) or ""
        notes = Notes(
            frozenset(noted("fact")), noted("page"), frozenset(noted("summary")), made, lost
        )
        if not notes.are_none and lost != UNKNOWN:
            return notes
        lost = _newest(bank)
        if not dry_run:  # before anything is noted: this run may not come to its end
            self._state.set_meta(_LOST, lost)
        return replace(notes, lost=lost)

    def _bounds(self, today: date, since: date | None) -> "Bounds":
        from hippod.reflection.planning import Bounds

        chosen = self._config.reflect
        return Bounds(today, chosen.page_facts, chosen.memory_tokens, chosen.daily_summary, since)

    def _stated(self) -> list[str]:
        from hippod.lasting import stated

        try:
            return list(stated(self._workspace.read("USER.md").text))
        except HippodError:
            return []

    def _settle(self) -> None:
        """Finish what a crash broke off: an append, and noting which facts were judged."""
        for path, planned in self._state.reflected("append").items():
            try:
                if self._workspace.exists(path):  # else it was archived or deleted meanwhile
                    self._workspace.complete_append(_planned(path, planned), actor=JOB)
            except HippodError as error:  # conflict marks, say: the next run tries again
                logger.warning("reflect.append_waits", path=path, reason=error.message)
                continue
            self._state.drop_reflected("append", [path])
        for digest, judged in self._state.reflected("judging").items():
            if digest == self._digest_of(pages.OPINIONS):
                self._state.note_reflected({"fact": dict.fromkeys(json.loads(judged), "")})
        self._state.drop_reflected("judging")

    def _digest_of(self, path: str) -> str:
        try:
            return _digest(self._workspace.read(path).text)
        except HippodError:
            return ""

    # -- models ------------------------------------------------------------------------------

    @functools.cached_property
    def _capabilities(self) -> "Capabilities":
        from hippod.capabilities import Capabilities

        return Capabilities(*self._models, self._config.generator.tasks, self._state, self._stopped)

    def _tools(self) -> "Tools":
        from hippod.reflection.planning import Tools

        # Once a run: a model that cannot be had is not to be waited for at every page.
        judge, summarise = functools.cache(self._judge), functools.cache(self._summarise)
        return Tools(judge, summarise, self._near, lambda: not self._stopped.is_set())

    def _judge(self) -> "Judge":
        from hippod.reflection import verdicts

        if self._is_lost:
            return verdicts.judge
        try:
            return self._capabilities.opinion_judge() or verdicts.judge
        except ModelError:
            return verdicts.judge

    def _summarise(self) -> "Summarise | None":
        """Return what words summaries, and note who that is."""
        self._quality = NO_MODEL
        if self._models[1] is None:
            return None
        try:
            summarise = self._capabilities.summariser(self._lost)
        except ModelError as error:
            self._lost(error)
            return None
        self._quality = f"worded by {self._capabilities.model}" if summarise else NOT_PASSED
        return summarise

    def _lost(self, error: ModelError) -> None:
        """Note that the model is of no use to this run: no task waits for it again."""
        self._is_lost = True
        self._quality = f"partly extractive: {error.message}"

    def _last_quality(self) -> str:
        known = self._state.get_meta(_QUALITY)
        return known or (NO_MODEL if self._models[1] is None else "not tried yet")

    # -- applying ----------------------------------------------------------------------------

    def _apply(self, plan: "Plan", edits: Sequence[Edit]) -> "_Outcome":
        """Make the edits, those of the opinions last, and then note what was done."""
        outcome = _Outcome()
        ledger = [each for each in edits if self._path(each) == pages.OPINIONS]
        self._make([each for each in edits if each not in ledger], outcome)
        judged = list(plan.ledger.judged) if plan.ledger else []
        for edit in ledger:
            if isinstance(edit, PageEdit):
                self._state.note_reflected({"judging": {_digest(edit.after): json.dumps(judged)}})
            self._make([edit], outcome)
            judged = judged if edit in outcome.made else []
        self._note(plan, outcome, judged)
        return outcome

    def _make(self, edits: Sequence[Edit], outcome: "_Outcome") -> None:
        for edit in edits:
            if self._stopped.is_set():
                return
            done = self._made(edit)
            outcome.add(done)
            for path in done.changed:
                self.changed(path)

    def _made(self, edit: Edit) -> Done:
        with self._workspace.held():  # nothing is forgotten between this look and the edit
            if self._workspace.stat(forgotten.PATH) != self._tombstones:
                raise Conflict(f"{forgotten.PATH}: changed meanwhile", "reflect once more")
            [done] = plans.apply([edit], self._workspace, JOB, self._note_append)
        return done

    def _note_append(self, planned: PlannedAppend) -> None:
        value = [planned.offset, base64.b64encode(planned.data).decode(), planned.inode]
        self._state.note_reflected({"append": {planned.path: json.dumps(value)}})

    def _note(self, plan: "Plan", outcome: "_Outcome", judged: Sequence[str]) -> None:
        left = {page.path: page.note for page in plan.pages if outcome.stands(page)}
        summed = [fact.id or "" for day, found in plan.summaries.items()
                  if day in outcome.days for fact in found]  # fmt: skip
        made = plan.proposals if PROPOSALS in left else ()
        self._state.note_reflected(
            {
                "fact": dict.fromkeys(judged, ""),
                "page": left,
                "proposal": {each.id: " ".join(sorted(each.cited)) for each in made},
                "summary": dict.fromkeys([*plan.known_summaries, *summed], ""),
            }
        )
        self._state.drop_reflected("judging")
        self._state.drop_reflected("append", outcome.logs)

    def _keep(
        self,
        problems: Sequence[tuple[str, str]],
        passed: Collection[str],
        book: Book,
        *,
        is_whole: bool,
    ) -> None:
        """Keep what `status` tells, of pages that were passed over too; count what waits."""
        if self._quality:
            self._state.set_meta(_QUALITY, self._quality)
        earlier = [each for each in self._known_problems() if each[0].partition("#")[0] in passed]
        self._state.set_meta(_PROBLEMS, json.dumps(list(dict.fromkeys([*problems, *earlier]))))
        judged = self._state.reflected("fact")
        new = Counter(fact.path for fact in book.evidence if fact.id not in judged)
        if is_whole and not new:
            self._state.set_meta(_LOST, "")
        with self._reading:
            self._waiting = dict(new)


@dataclass(slots=True)
class _Outcome:
    """What became of the edits: those that were made, the others with the reason.

    `pages` are those that were written, `logs` the daily logs that got summaries.
    """

    made: list[Edit] = field(default_factory=list)
    failed: list[tuple[Edit, str]] = field(default_factory=list)
    pages: set[str] = field(default_factory=set)
    logs: list[str] = field(default_factory=list)

    def add(self, done: Done) -> None:
        if done.problem:
            self.failed.append((done.edit, done.problem))
            return
        self.made.append(done.edit)
        if isinstance(done.edit, PageEdit):
            self.pages.add(done.edit.path)
        elif isinstance(done.edit, DailyFacts):
            self.logs += done.changed

    def stands(self, page: "PagePlan") -> bool:
        """Say whether a page is as it was planned."""
        return page.text is None or page.path in self.pages

    @property
    def days(self) -> set[date]:
        return {edit.day for edit in self.made if isinstance(edit, DailyFacts)}


def _edits(plan: "Plan", bank: Pagebook) -> list[Edit]:
    found: list[Edit] = [
        PageEdit(page.path, bank.etag(page.path), bank.text(page.path), page.text, page.reason)
        for page in plan.pages
        if page.text is not None
    ]
    for day, summed in plan.summaries.items():
        bullets = tuple(facts.render(fact) for fact in summed)
        found.append(DailyFacts(day, bullets, "what the day was about"))
    if plan.ledger and plan.ledger.opinions_touched and plan.ledger.text is not None:
        path = pages.OPINIONS
        count = len(plan.ledger.opinions_touched)
        reason = f"evidence for {count} opinion{'s' if count != 1 else ''}"
        found.append(PageEdit(path, bank.etag(path), bank.text(path), plan.ledger.text, reason))
    return found


def _newest(bank: Pagebook) -> str:
    """Return up to which day the ledger was kept, as it is noted for `Notes.lost`."""
    from hippod.reflection import ledger, planning

    if pages.OPINIONS in bank.unread or markdown.is_conflicted(bank.text(pages.OPINIONS)):
        return planning.UNKNOWN
    newest = ledger.newest(bank.text(pages.OPINIONS))
    return newest.isoformat() if newest else planning.NEVER


def _planned(path: str, noted: str) -> PlannedAppend:
    offset, data, inode = json.loads(noted)
    return PlannedAppend(path, offset, base64.b64decode(data), inode)


def _local(moment: datetime, zone: tzinfo) -> str:
    return moment.astimezone(zone).isoformat(timespec="seconds")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
