"""The heartbeat: reflection, hygiene, then the checklist; quiet unless something needs a person."""

import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

import structlog

from hippod import beats, erasing, lanes, markdown, redact, schedule
from hippod.alerting import ACTOR, Alerting
from hippod.beats import Spending
from hippod.checklist import reading, telling
from hippod.checklist.items import Checklist, Item
from hippod.checklist.telling import Kept, Manner, Tell
from hippod.checklist.verdict import Verdict
from hippod.checks import Runner
from hippod.config import Config
from hippod.errors import DaemonDown, HippodError, InvalidInput, NotFound, StorageError
from hippod.events import Events
from hippod.examining import BUSY, Examiner, Finding, Purse
from hippod.hygiene import Hygiene
from hippod.looking import Looking, Sources
from hippod.notifiers import AlertItem, Notifiers
from hippod.reflect import BUSY_SECONDS, Reflector
from hippod.remembered import Remembered
from hippod.rounds import Round
from hippod.state import State
from hippod.upkeep import Upkeep
from hippod.wire_heartbeat import Beat
from hippod.workspace import Workspace

if TYPE_CHECKING:
    from hippod.capabilities import Capabilities
    from hippod.models import Embedder, Generator

logger = structlog.get_logger()

JOB: Final = ACTOR
MOST_WAITS = 1
"""How often a beat that nobody asked for waits a minute for a model that is busy."""
_LIST = Item("agent", reading.FILE, 1)
"""What is kept of the list as a whole is kept as of an item: what is not understood of it."""
_PUT_RIGHT = "put it right, or delete it"
_LINE = re.compile(rf"^{re.escape(reading.FILE)}:[0-9]+: ")


class Heartbeat:
    """Beats, one at a time. Thread-safe.

    `changed(path)` hears of each log that was written, `reconcile` looks at all files again, and
    `next_run` says when the next beat is due.
    """

    def __init__(
        self,
        config: Config,
        workspace: Workspace,
        state: State,
        clock: Callable[[], datetime],
        *,
        reflector: Reflector,
        hygiene: Hygiene,
        sources: Sources,
        runner: Runner,
        notifiers: Notifiers,
        events: Events,
        models: "tuple[Embedder | None, Generator | None]" = (None, None),
    ) -> None:
        self.changed: Callable[[str], None] = lambda path: None
        self.reconcile: Callable[[], object] = lambda: None
        self.next_run: Callable[[], str | None] = lambda: None
        self._upkeep = Upkeep(config, state, reflector, hygiene, lambda: self.reconcile())
        self._alerting = Alerting(
            config, workspace, events, notifiers, lambda path: self.changed(path)
        )
        self._config = config
        self._workspace = workspace
        self._remembered = Remembered(workspace)
        self._state = state
        self._spending = Spending(state)
        self._clock = clock
        self._reflector = reflector
        self._sources = sources
        self._runner = runner
        self._notifiers = notifiers
        self._events = events
        self._models = models
        self._running = threading.Lock()
        self._silent = False
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Make a beat end soon, its commands with it; the next one looks at everything anew."""
        self._stopped.set()
        self._runner.stop()
        self._notifiers.stop()

    # -- verbs -------------------------------------------------------------------------------

    def tick(self) -> None:
        """Beat as the schedule wants it: outside of the active hours for what is urgent alone."""
        with self._running:
            self._recorded(asked=False)

    def run(self, dry_run: bool = False) -> Beat:
        """Beat now, at whatever hour, or say what that would do: no command, model or write."""
        with self._running:
            if dry_run:
                return self._beat(self._clock(), asked=True, dry_run=True)
            return self._recorded(asked=True)

    def history(self, limit: int = 20) -> list[Beat]:
        """Return the last beats, the newest first; none in the future, which a wrong clock left."""
        runs = self._state.runs(JOB, limit, until=self._clock())
        return [beats.read(run, self._config.zone) for run in runs]

    def status(self) -> dict[str, Any]:
        """Return what `status` tells of the heartbeat."""
        last = next(iter(self.history(1)), None)
        chosen = self._config.heartbeat
        return {
            "enabled": chosen.enabled,
            "running": self._running.locked(),
            "last_heartbeat": last.started if last else None,
            "last_outcome": last.outcome if last else None,
            "last_reason": last.reason if last else "",
            "problems": self._problems(last),
            "next": self.next_run(),
            "tokens_today": self._spending.on(self._today(self._clock())),
            "daily_tokens": chosen.daily_tokens,
        }

    def _problems(self, last: Beat | None) -> list[str]:
        """Return what is wrong now, then what was in the last beat."""
        now = self._notifiers.faults_now() if self._config.heartbeat.enabled else []
        return list(dict.fromkeys([*now, *(last.problems if last else ())]))

    def _today(self, now: datetime) -> date:
        return now.astimezone(self._config.zone).date()

    # -- a beat ------------------------------------------------------------------------------

    def _recorded(self, *, asked: bool) -> Beat:
        """Beat, and note how it went, however it ends."""
        if self._stopped.is_set():  # it waited behind another one: it never began
            raise DaemonDown("no heartbeat: hippod is shutting down", "run it again")
        now, began = self._clock(), time.monotonic()
        started = beats.local(now, self._config.zone)
        crashed = "it crashed: see the daemon's log"
        beat = Beat(started=started, outcome="failed", reason=crashed, reply=f"failed: {crashed}")
        self._begin(now)
        try:
            beat = self._beat(now, asked=asked, dry_run=False)
        finally:
            error = beat.reason if beat.outcome == "failed" else ""
            self._state.record_run(
                JOB, now, time.monotonic() - began, beat.outcome, error,
                tokens=beat.tokens, detail=beat.model_dump_json(),
            )  # fmt: skip
        self._tell_of(beat)
        return beat

    def _begin(self, now: datetime) -> None:
        """Note that a beat begins; where that fails there is none, and people are told once."""
        try:
            self._state.start_run(JOB, now)
        except StorageError as error:
            self._tell_of_silence(error, now.astimezone(self._config.zone))
            raise
        self._silent = False

    def _tell_of_silence(self, error: StorageError, now: datetime) -> None:
        """Say that there are no beats; a full disk is often just what one was to tell of."""
        if self._silent or not self._is_active(now) or self._is_hushed(now):
            return
        why = f"no heartbeat can be kept, so none is done: {error.message}"
        _, self._silent = self._alerting.notify([AlertItem(JOB, why)], now)

    def _tell_of(self, beat: Beat) -> None:
        if beat.outcome == "failed":
            self._events.fault(JOB, beat.reason)
        elif beat.outcome != "interrupted":
            self._events.well(JOB)
        told = sum(item.told for item in beat.items)
        logger.info(
            "heartbeat.done", outcome=beat.outcome, items=len(beat.items), told=told,
            tokens=beat.tokens, seconds=beat.seconds,
        )  # fmt: skip

    def _beat(self, now: datetime, *, asked: bool, dry_run: bool) -> Beat:
        began = time.monotonic()
        limit, today = self._config.heartbeat.daily_tokens, self._today(now)
        paid = partial(self._spending.add, today)
        purse = Purse(limit, limit - self._spending.on(today), paid)
        round_ = Round(now.astimezone(self._config.zone), asked, dry_run, purse)
        round_.only_urgent = not asked and not self._is_active(now)
        if not round_.only_urgent and not self._stopped.is_set():
            self._upkeep.do_due(round_)
        skipped, failed = "", ""
        try:
            skipped = self._look_through(self._checklist(round_), round_)
        except HippodError as error:
            failed = f"{error.message}; {error.hint or _PUT_RIGHT}"
        round_.leave_out(self._may_tell)
        seconds = time.monotonic() - began
        if self._stopped.is_set():
            return round_.beat("interrupted", "hippod was stopped in the middle of it", seconds)
        if failed:
            return round_.beat("failed", failed, seconds)
        return round_.beat("skipped" if skipped else "ok", skipped, seconds)

    def _look_through(self, checklist: Checklist, round_: Round) -> str:
        """Look at the items, or return why there is nothing to look at."""
        round_.problems += checklist.notes
        round_.quiet = self._is_quiet(round_.now, checklist)
        items = [each for each in checklist.items if not round_.only_urgent or self._urgent(each)]
        if items or (checklist.notes and not round_.only_urgent):
            self._look_at(items, checklist.notes, round_)
        if checklist.skipped not in ("missing", "empty"):  # an editor may be saving it just now
            self._drop_others([*checklist.items, _LIST], round_)
        if checklist.skipped:
            return f"{reading.FILE}: {checklist.skipped}"
        return "" if items else "outside of the active hours"

    # -- when --------------------------------------------------------------------------------

    def _is_active(self, now: datetime) -> bool:
        return self._is_within(self._config.heartbeat.active_hours, now)

    def _is_quiet(self, now: datetime, checklist: Checklist) -> bool:
        local = now.astimezone(self._config.schedule_zone).time()
        if checklist.quiet is not None and checklist.quiet.contains(local):
            return True
        return self._is_hushed(now) or not self._is_active(now)

    def _is_hushed(self, now: datetime) -> bool:
        return self._is_within(self._config.heartbeat.quiet_hours, now)

    def _is_within(self, hours: str, now: datetime) -> bool:
        local = now.astimezone(self._config.schedule_zone).time()
        return bool(hours) and schedule.hours(hours).contains(local)

    def _urgent(self, item: Item) -> bool:
        check = self._config.heartbeat.checks.get(item.name) if item.kind == "check" else None
        return check is not None and check.urgent

    # -- the checklist -----------------------------------------------------------------------

    def _checklist(self, round_: Round) -> Checklist:
        """Read HEARTBEAT.md; tells and raises `HippodError` if there is one that cannot be read."""
        try:
            return self._read_list()
        except HippodError as error:
            if reading.FILE in error.message:  # else it is the workspace that is not there
                round_.quiet = self._is_quiet(round_.now, Checklist())
                self._look_at((), [f"{error.message}; {error.hint or _PUT_RIGHT}"], round_)
                round_.told.clear()  # the beat itself says why it failed
            raise

    def _read_list(self) -> Checklist:
        try:
            document = self._workspace.read(reading.FILE)
        except NotFound:
            return reading.read(None, self._config.heartbeat.checks)
        if document.note:
            raise InvalidInput(f"{reading.FILE}: {document.note}", "save it as UTF-8")
        if markdown.is_conflicted(document.text):
            raise InvalidInput(f"{reading.FILE}: has git conflict marks", "resolve the merge")
        stones = self._remembered.tombstones()
        text = erasing.remembered(document.text, stones) if stones else document.text
        # Items are told in the log, by events and notifiers, and kept in the history.
        sayable = redact.redact(redact.blank(text)).text
        return reading.read(sayable, self._config.heartbeat.checks)

    def _look_at(self, items: Sequence[Item], notes: Sequence[str], round_: Round) -> None:
        known = self._state.checked.all()
        looking = Looking(self._sources, round_.now)
        examiner = self._examiner(looking, round_)
        for item in items:
            if self._stopped.is_set():
                return
            before = telling.load(known.get(item.key, ""))
            kept = replace(before, left=None)
            finding = self._found(item, kept, examiner, round_)
            if self._stopped.is_set():  # it is about a command or a model that was cut short
                return
            self._take(item, before, finding, round_)
        round_.problems += looking.unread
        if not round_.only_urgent:
            self._tell_of_list(notes, telling.load(known.get(_LIST.key, "")), round_)
        self._notify(round_)

    def _tell_of_list(self, notes: Sequence[str], kept: Kept, round_: Round) -> None:
        """Tell what of the list is not understood: it would never be looked at. Once is enough."""
        said = "; ".join(notes)
        if not self._may_tell(said):
            return
        sameness = "; ".join(_LINE.sub("", each) for each in notes)
        verdict = Verdict("attention", said, (), sameness) if notes else Verdict("fine", "")
        manner = replace(self._manner(_LIST, round_), remind_after=timedelta())
        tell, after = telling.decide(verdict, "", kept, manner, round_.now)
        self._tell(_LIST, tell, kept, Finding(verdict, kept=kept), after, round_)

    def _examiner(self, looking: Looking, round_: Round) -> Examiner:
        return Examiner(
            self._config,
            lambda: self._capabilities,
            looking,
            self._runner,
            round_.purse,
            round_.now,
            load=self._sources.load,
            ready=lambda: self._is_ready(round_),
            dry_run=round_.dry_run,
        )

    def _found(self, item: Item, kept: Kept, examiner: Examiner, round_: Round) -> Finding:
        if item.kind == "action":
            return self._acted(item, kept, round_)
        finding = None
        with round_.guarded(f"{reading.FILE}:{item.line}") as went:
            finding = examiner.examine(item, kept)
        if finding is None:
            return Finding(Verdict("failed", went.why), kept=kept, waits=True)
        reason = redact.redact(finding.verdict.reason).text
        return replace(finding, verdict=replace(finding.verdict, reason=reason))

    def _acted(self, item: Item, kept: Kept, round_: Round) -> Finding:
        if round_.dry_run:
            return Finding(Verdict("done", f"{item.name} would run"), kept=kept, planned=True)
        if item.name == "reflect" and self._upkeep.is_busy(round_):
            return Finding(Verdict("left", f"put off: {BUSY}"), kept=kept, waits=True)
        if failed := self._upkeep.do(item.name, round_):
            return Finding(Verdict("failed", failed, (), item.name), kept=kept)
        return Finding(Verdict("done", f"{item.name} ran"), kept=kept)

    def _is_ready(self, round_: Round) -> bool:
        """Wait a while for a model that is at work elsewhere, unless a person waits for us."""
        while not round_.asked and self._reflector.busy():
            round_.waited += 1
            if round_.waited > MOST_WAITS or self._stopped.wait(BUSY_SECONDS):
                return False
            lanes.moved()
        return True

    @cached_property
    def _capabilities(self) -> "Capabilities":
        from hippod.capabilities import Capabilities

        return Capabilities(*self._models, self._config.generator.tasks, self._state, self._stopped)

    # -- telling -----------------------------------------------------------------------------

    def _take(self, item: Item, before: Kept, finding: Finding, round_: Round) -> None:
        """Note what was found, tell it as it is to be told, and keep that."""
        tell: Tell = "nothing"
        kept, manner = finding.kept, self._manner(item, round_)
        if not finding.waits and not finding.planned:
            tell, kept = telling.decide(finding.verdict, finding.evidence, kept, manner, round_.now)
        words = telling.words(item.text, finding.verdict)
        if not self._may_tell(item.text, finding.verdict.reason, words):
            return  # it was forgotten while it was looked at
        if not finding.waits:  # a fault of the model is nobody's news
            words = telling.standing(words, finding.verdict, before)
        round_.add(item, finding, told=tell != "nothing", words=words)
        self._tell(item, tell, before, finding, kept, round_)

    def _tell(
        self, item: Item, tell: Tell, before: Kept, finding: Finding, kept: Kept, round_: Round
    ) -> None:
        """Tell a finding and keep that it was: `kept`, once a person was told."""
        again = telling.is_reminder(finding.verdict, before)
        words = telling.words(item.text, finding.verdict, again=again)
        if tell != "nothing":
            round_.told.append(words)
        if round_.dry_run:
            return
        if tell in ("now", "log"):
            self._put_down(item, words, before, finding, round_)
        outward = tell in ("now", "later")
        # As held, before it is told: behind a crash, or where nobody takes it, the next beat does.
        held = finding.kept if tell == "later" else replace(kept, held=kept.held or outward)
        self._keep(item, before, _with_old_output(held, before, finding.verdict))
        if outward:
            urgent = self._urgent(item)
            state = finding.verdict.state
            told = AlertItem(item.text, words, finding.verdict.evidence, urgent, state)
            round_.alerts.append((item, kept, told))

    def _put_down(
        self, item: Item, words: str, before: Kept, finding: Finding, round_: Round
    ) -> None:
        """Tell it in the log and as an event: once, even if a crash comes before it is kept."""
        is_judged = finding.verdict.state != "not judged"
        once = str(before.told) if is_judged else finding.evidence
        note = self._alerting.note_id(item, words, once, round_.now)
        is_new = True
        with round_.guarded("daily log"):
            is_new = self._alerting.write(words, note, round_.now)
        if is_new or not self._alerting.is_published(note):
            manner = self._manner(item, round_)
            self._alerting.publish(item, finding.verdict, words, manner, note)

    def _manner(self, item: Item, round_: Round) -> Manner:
        chosen = self._config.heartbeat
        check = chosen.checks.get(item.name) if item.kind == "check" else None
        own = check.cool_down if check else None
        return Manner(
            timedelta(seconds=chosen.cool_down if own is None else own),
            timedelta(seconds=chosen.remind_after),
            round_.quiet,
            self._urgent(item),
        )

    def _notify(self, round_: Round) -> None:
        round_.leave_out(self._may_tell)
        if not round_.alerts or self._stopped.is_set():
            return
        with round_.guarded("notifiers"):
            told = [alert for _, _, alert in round_.alerts]
            faults, taken = self._alerting.notify(told, round_.now)
            round_.problems += faults
            if taken:
                kept = {item.key: self._dump(kept) for item, kept, _ in round_.alerts}
                self._state.checked.put(kept)

    def _keep(self, item: Item, before: Kept, kept: Kept) -> None:
        if kept != before:
            self._state.checked.put({item.key: self._dump(kept)})

    def _dump(self, kept: Kept) -> str:
        """Return what is kept of an item, without a verdict on what was forgotten since."""
        if kept.verdict is not None and not self._may_tell(kept.verdict.reason):
            kept = replace(kept, inputs="", verdict=None, grounds=(), noted="")
        return telling.dump(kept)

    def _may_tell(self, *texts: str) -> bool:
        """Say whether nothing of it is forgotten: that may happen at any moment of a beat."""
        try:
            return self._events.may_tell("\n\n".join(texts))
        except HippodError:
            return False

    def _drop_others(self, items: Sequence[Item], round_: Round) -> None:
        """Forget in a while what is kept of items that stand in the list no more."""
        if round_.dry_run or self._stopped.is_set():
            return
        present = {item.key for item in items}
        gone = {
            key: telling.load(text)
            for key, text in self._state.checked.all().items()
            if key not in present
        }
        if not gone:
            return
        after = {key: telling.leave(kept, round_.now) for key, kept in gone.items()}
        self._state.checked.put(
            {key: self._dump(kept) for key, kept in after.items() if kept and kept != gone[key]}
        )
        self._state.checked.drop([key for key, kept in after.items() if kept is None])


def _with_old_output(kept: Kept, before: Kept, verdict: Verdict) -> Kept:
    """Return what is kept of a change that no person was told of: it is one until then."""
    if verdict.state != "attention" or before.output is None:
        return kept
    return replace(kept, output=before.output)
