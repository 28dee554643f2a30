"""The life of one batch of turns, each step durable before the next.

read (turns and their keys stored in one transaction) → extracted (facts stored) → appended
(the append planned, then done) → done (ids read back, cursor moved). A crash anywhere repeats
a step and neither loses nor doubles a fact.
"""

import functools
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

import structlog

from hippod import daylog, erasing, facts, username
from hippod.capabilities import Capabilities
from hippod.config import DERIVED_SOURCE, LOG_SOURCE, Config
from hippod.errors import (
    HippodError,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    NotFound,
    Unsupported,
)
from hippod.extraction import selection
from hippod.extraction.probe import Judge
from hippod.forgotten import Tombstones
from hippod.lasting import LastingText
from hippod.models import Generator
from hippod.remembered import Remembered, forgets_fact
from hippod.state import FACTS_BY, Batch, BatchFact, State
from hippod.transcripts import Turn
from hippod.workspace import PlannedAppend, Workspace

logger = structlog.get_logger()

Standing = Callable[[date], Sequence[facts.Fact]]
"""The facts in the daily log of a day; cached for as long as nothing is appended."""
RECENT_DAYS = 7
"""How far back facts count as known when a new one might repeat them."""
MODEL_ATTEMPTS = 3
"""Failures of the model on one batch after which the rules extract it alone."""
RETRY_SECONDS = (30.0, 120.0, 600.0, 1800.0)


class Batches:
    """Works off batches one step at a time; whoever calls serialises the calls.

    `capabilities` says what the model may do beside the rules; `stopped` that the daemon is
    shutting down.
    """

    def __init__(
        self,
        config: Config,
        workspace: Workspace,
        state: State,
        capabilities: Capabilities,
        known_entities: Callable[[], Sequence[str]],
        clock: Callable[[], datetime],
        stopped: threading.Event,
    ) -> None:
        self._config = config
        self._workspace = workspace
        self._state = state
        self._capabilities = capabilities
        self._known_entities = known_entities
        self._clock = clock
        self._stopped = stopped
        self._calibration = selection.Calibration()
        self._lasting = LastingText(workspace)
        self._remembered = Remembered(workspace)

    def work_off(self, batch: Batch) -> tuple[BatchFact, ...]:
        """Take `batch` as far as it goes now; return the facts that were appended.

        Raises the `HippodError` for which it has to wait; the batch is then
        as far as it came, with the error and the time of the next try noted.
        """
        if batch.status == "appended":
            return ()
        try:
            if batch.status == "read":
                batch = self._extract(batch)
            self._append(batch)
        except HippodError as error:
            if self._stopped.is_set():  # the model was closed under us: no failure of the batch
                raise
            wait = RETRY_SECONDS[min(batch.attempts, len(RETRY_SECONDS) - 1)]
            next_try = self._clock() + timedelta(seconds=wait)
            self._state.retry_later(batch.id, error.message, next_try)
            raise
        return batch.facts

    def standing(self, day: date) -> list[facts.Fact]:
        """Return the facts in the daily log of `day`, and in the one that hygiene archived."""
        paths = (daylog.log_path(day, self._config.workspace.layout), daylog.archive_path(day))
        return [fact for path in paths for fact in self._facts_in(path)]

    def _facts_in(self, path: str) -> list[facts.Fact]:
        try:
            text = self._workspace.read(path).text
        except NotFound:
            return []
        return [placed.fact for placed in daylog.parse(text).facts]

    def recent(self, day: date) -> list[tuple[date, facts.Fact]]:
        """Return the facts in the daily logs of `day` and the week before, with their days."""
        days = _days_near(day)
        return [(each, fact) for each in days for fact in _stated(self.standing(each))]

    def read_back(self, batch: Batch, standing: Standing) -> None:
        """Append once more what is missing; finish the batch when its ids have stood a while.

        An editor may save, over our append, the text that it read before. What is missing again
        after that was deleted by a person, and stays deleted.
        """
        for append in batch.planned:
            if append.path not in batch.landed:  # a crash left it torn, maybe
                self._complete(batch, append.path)
                standing = self.standing  # what was read before may lack it
        missing = [fact for fact in _missing(batch, standing) if not fact.reappended]
        if not missing:
            age = (self._clock() - batch.updated).total_seconds()
            if not 0 <= age < self._config.retain.settle:  # below 0 the clock was set back
                self._state.finish(batch.id)
            return
        for day, made in _by_day(missing).items():
            self._append_day(batch, day, made)
        self._state.mark_reappended(batch.id, [fact.id for fact in missing])
        logger.info("facts.appended_again", batch=batch.id, facts=len(missing))

    # -- extraction ----------------------------------------------------------------------------

    def _extract(self, batch: Batch) -> Batch:
        before = self._capabilities.spent
        standing = functools.cache(self.standing)  # nothing is appended before the end
        found = self._found(batch, standing)
        kept, rejected = self._within_day_caps(found)
        made = [self._fact(batch, draft, standing) for draft in kept]
        cost = self._capabilities.spent - before
        logger.info(
            "batch.extracted", source=batch.source, turns=len(batch.turns), facts=len(made),
            rejected=len(rejected), model=cost.calls > 0,
        )  # fmt: skip
        with self._workspace.held():  # what is forgotten from now on is purged behind us
            stones = self._remembered.tombstones()
            gone = [fact for fact in made if _is_forgotten(fact, batch, stones)]
            made = [fact for fact in made if fact not in gone]
            refused = [(item.text, item.reason, item.turn) for item in rejected]
            self._state.store_facts(
                batch.id,
                made,
                # Of what is forgotten not even the text is kept.
                rejected=[
                    *((erasing.remembered(text, stones), why, turn) for text, why, turn in refused),
                    *(("", "forgotten", min(fact.cited, default="")) for fact in gone),
                ],
                tokens=cost.tokens_in + cost.tokens_out,
                seconds=cost.seconds,
            )
        if cost.calls:
            self._state.count(FACTS_BY + self._capabilities.model, len(made))
        return self._state.batch(batch.id)

    def _found(self, batch: Batch, standing: Standing) -> selection.Extraction:
        """Extract with the model as far as it may help; without one that cannot be had."""
        if batch.attempts >= MODEL_ATTEMPTS:
            return self._drafted(batch, standing)
        try:
            judge = self._capabilities.judge()
            selector = None if judge else self._capabilities.selector()
            strategies = self._capabilities.strategies()
            found = self._drafted(batch, standing, judge, selector, strategies)
        except (ModelUnavailable, ModelTimeout, Unsupported) as error:
            if self._stopped.is_set():
                raise
            logger.warning("model.unavailable", reason=error.message, hint="the others go on")
            return self._found_without_generator(batch, standing)
        except ModelRefused as refusal:
            self._capabilities.note(refusal)
            raise
        self._capabilities.note(None)
        return found

    def _found_without_generator(self, batch: Batch, standing: Standing) -> selection.Extraction:
        try:
            return self._drafted(batch, standing, self._capabilities.judge())
        except ModelUnavailable:
            return self._drafted(batch, standing)

    def _drafted(
        self,
        batch: Batch,
        standing: Standing,
        judge: Judge | None = None,
        generator: Generator | None = None,
        strategies: selection.Strategies = selection.RULES,
    ) -> selection.Extraction:
        days = sorted({self._day(turn) for turn in batch.turns})
        return selection.extract(
            batch.turns,
            context=batch.context,
            user=self._user_name(),
            agent=None,
            zone=self._config.zone,
            known_entities=self._known_entities(),
            recent=[*self._lasting.statements(), *_recent(days, standing)],
            unsigned=batch.source == LOG_SOURCE,
            judge=judge,
            generator=generator,
            calibration=self._calibration,
            strategies=strategies,
            max_facts=self._config.retain.max_per_batch,
        )

    def _fact(self, batch: Batch, draft: selection.Draft, standing: Standing) -> BatchFact:
        day = self._day(draft.turn)
        clock = None if draft.turn.day_only else f"{self._local(draft.turn):%H:%M}"
        source = facts.Source(batch.source, batch.session, draft.turn.id, clock)
        fact = facts.Fact(
            draft.kind,
            draft.content,
            draft.entities,
            draft.confidence if draft.kind == "O" else None,
            source,
        )
        fact = facts.canonical(fact)
        id_ = _free_id(fact, draft.sentence, standing(day))
        by_model = f" by {self._capabilities.model}" if draft.worded_by != "rules" else ""
        return BatchFact(
            id_,
            day,
            facts.render(replace(fact, id=id_)),
            draft.explicit,
            turns=draft.turns,
            made_by=draft.worded_by + by_model,
        )

    def _within_day_caps(
        self, found: selection.Extraction
    ) -> tuple[list[selection.Draft], list[selection.Rejection]]:
        """Keep what the caps of the days allow; what was asked to be remembered always."""
        limit = self._config.retain.max_per_day
        counts: dict[date, int] = {}
        kept, rejected = [], list(found.rejected)
        for draft in found.facts:
            day = self._day(draft.turn)
            count = counts.setdefault(day, self._state.facts_on(day))
            if count >= limit and not draft.explicit:
                reason = f"over {limit} facts a day"
                rejected.append(selection.Rejection(draft.content, reason, draft.turn.id))
                continue
            counts[day] += 1
            kept.append(draft)
        return kept, rejected

    # -- writing -------------------------------------------------------------------------------

    def _append(self, batch: Batch) -> None:
        begun = {append.path for append in batch.planned}
        for day, made in _by_day(batch.facts).items():
            path = daylog.log_path(day, self._config.workspace.layout)
            if path in batch.landed:
                continue
            if path in begun:  # before a crash: its tail may be torn
                self._complete(batch, path)
            self._append_day(batch, day, made)
        if not batch.facts:
            self._state.finish(batch.id)

    def _append_day(self, batch: Batch, day: date, made: Sequence[BatchFact]) -> None:
        ids = [fact.id for fact in made]
        with self._workspace.held():  # nobody takes them back at this very moment
            known = self._state.known_facts(ids)
            bullets = [fact.bullet for fact in made if not known[fact.id].undone]
            appended = self._workspace.append_facts(day, bullets, self._planner(batch))
            self._state.mark_appended(batch.id, appended, ids)

    def _complete(self, batch: Batch, path: str) -> None:
        """Bring an append that broke off to its end, unless a person took it back since."""
        with self._workspace.held():
            for append in self._state.batch(batch.id).planned:
                if append.path == path:
                    self._workspace.complete_append(append, self._planner(batch))

    def _planner(self, batch: Batch) -> Callable[[PlannedAppend], None]:
        return lambda planned: self._state.plan_append(batch.id, planned)

    # -- what is known -------------------------------------------------------------------------

    def _user_name(self) -> str:
        if self._config.workspace.user:
            return self._config.workspace.user
        try:
            name = username.in_text(self._workspace.read(username.PATH).text)
        except NotFound:  # with any other error the batch waits: its facts would bear no name
            name = ""
        return name or facts.NAMELESS_USER

    def _local(self, turn: Turn) -> datetime:
        return (turn.time or self._clock()).astimezone(self._config.zone)

    def _day(self, turn: Turn) -> date:
        return self._local(turn).date()


def _is_forgotten(made: BatchFact, batch: Batch, stones: Tombstones) -> bool:
    """Say whether a fact, or a turn that it rests on, is forgotten."""
    if not stones:
        return False
    fact = facts.parse_bullet(made.bullet)
    if fact is None or forgets_fact(stones, fact, made.day):
        return True
    return any(stones.forgets_turn(batch.source, batch.session, turn) for turn in made.cited)


def _free_id(fact: facts.Fact, sentence: str, standing: Sequence[facts.Fact]) -> str:
    """Return the fact's id, longer where a fact of another source already has it."""
    assert fact.source is not None
    taken = {f.id: f.source for f in standing if f.id}
    where = fact.source
    for length in range(facts.ID_LENGTH, facts.LONGEST_ID + 1):
        id_ = facts.fact_id(where.name, where.session, where.turn, sentence, length)
        if taken.get(id_, where) == where:
            break
    return id_


def _recent(days: Sequence[date], standing: Standing) -> list[str]:
    """Return the contents of facts of the days of the batch and of the week before.

    Not the opinions of other days: one that is said again is evidence for it.
    """
    near = {near for day in days for near in _days_near(day)}
    return [
        fact.content
        for day in sorted(near)
        for fact in _stated(standing(day))
        if day in days or fact.kind != "O"
    ]


def _stated(standing: Sequence[facts.Fact]) -> list[facts.Fact]:
    """Return facts without those that hippod derived: what they repeat may have been deleted."""
    return [f for f in standing if f.source is None or f.source.name != DERIVED_SOURCE]


def _days_near(day: date) -> list[date]:
    span = range(RECENT_DAYS + 1)
    return [day - timedelta(days=n) for n in reversed(span) if day.toordinal() > n]


def _missing(batch: Batch, standing: Standing) -> list[BatchFact]:
    ids = {day: {fact.id for fact in standing(day)} for day in {f.day for f in batch.facts}}
    return [f for f in batch.facts if f.id not in ids[f.day] and not f.undone]


def _by_day(made: Sequence[BatchFact]) -> dict[date, list[BatchFact]]:
    days: dict[date, list[BatchFact]] = {}
    for fact in made:
        if not fact.undone:
            days.setdefault(fact.day, []).append(fact)
    return dict(sorted(days.items()))
