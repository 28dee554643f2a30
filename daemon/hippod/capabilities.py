"""Which tasks the generator is trusted with: by its self-test, once per model, or by the config."""

import functools
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal

import structlog

from hippod.checklist import asking
from hippod.checklist.verdict import Evidence
from hippod.checklist.verdict import Verdict as PointVerdict
from hippod.config import Task
from hippod.errors import ModelError, ModelRefused, ModelUnavailable, Unsupported
from hippod.extraction import probe, rewrite, selection
from hippod.extraction.fidelity import Said
from hippod.models import Completion, Embedder, Generator, Spent, selftest
from hippod.models.breaker import Breaker
from hippod.models.selftest import Rambling, Trial, Verdict
from hippod.reflection import judging, summary, verdicts
from hippod.reflection.entities import Entity
from hippod.reflection.known import KnownFact
from hippod.reflection.summary import Sentence, Summarise
from hippod.reflection.verdicts import Judge
from hippod.state import State
from hippod.transcripts import Turn

logger = structlog.get_logger()

POSTPONED = 3600.0
"""Seconds until a self-test that the model broke off is tried again."""


class Capabilities:
    """Hands models out for the tasks that they may do; the rules do the others.

    The encoder judges sentences; a generator labels them only where there is no encoder, or
    where the configuration says so: on sentences of strangers a small one adds nothing to it.
    A self-test runs when its task is first needed, never at the start. Not thread-safe: it
    belongs to whoever works off batches, one at a time. `clock` counts seconds.
    """

    def __init__(
        self,
        encoder: Embedder | None,
        generator: Generator | None,
        tasks: Literal["auto"] | Sequence[Task],
        state: State,
        stopped: threading.Event,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._encoder = encoder
        self._generator = generator
        self._tasks = tasks
        self._state = state
        self._stopped = stopped
        self._clock = clock
        self._refusals = Breaker(clock)
        self._again_at: dict[Task, float] = {}
        self._writes = False
        self.model = ""
        """Name of the model that was handed out last."""

    @property
    def spent(self) -> Spent:
        """What the generator has used since the start."""
        return self._generator.spent if self._generator else Spent()

    def judge(self) -> probe.Judge | None:
        """Return the learned score of sentences if the encoder can be had and passes its test."""
        if self._encoder is None or (self._tasks != "auto" and "select" in self._tasks):
            return None
        judge = probe.judge(self._encoder)
        if judge is None or not self._judges(self._encoder.model_id, judge):
            return None
        return judge

    def _judges(self, model: str, judge: probe.Judge) -> bool:
        known = self._state.get_verdict(model, "select")
        if known is not None:
            return known.passed
        verdict = selftest.select(
            lambda said: judge([probe.sentence(text, "user") for _, text in said])
        )
        self._state.set_verdict(model, "select", verdict.passed, verdict.score, verdict.detail)
        logger.info("model.self_tested", model=model, task="select", passed=verdict.passed)
        return verdict.passed

    def selector(self) -> Generator | None:
        """Return the generator if it can be had and may label sentences."""
        return self._trusted("select")

    def strategies(self) -> selection.Strategies:
        """Return what the generator may do beside the rules; tested when it is first asked for."""
        return selection.Strategies(
            transcript=lambda: self._trusted("transcript"),
            rewrite=lambda: self._trusted("rewrite"),
        )

    def opinion_judge(self) -> Judge | None:
        """Return the rules with the generator beside them, if it can be had and may judge opinions.

        None: the rules judge alone. A model that fails later leaves them alone too.
        """
        generator = self._trusted("opinion")
        if generator is None:
            return None
        return judging.ModelJudge(generator, functools.partial(self._note_lost, "opinion"))

    def _note_lost(self, task: Task, error: ModelError) -> None:
        if not self._stopped.is_set():
            logger.warning("model.lost", task=task, reason=error.message, hint="rules go on alone")

    def summariser(
        self, lost: Callable[[ModelError], None] = lambda error: None
    ) -> Summarise | None:
        """Return what says facts in fewer sentences, if the generator can be had and may do so.

        Once the model fails it is asked no more, for every page would wait for it: `lost` is told
        why, nothing is given, and the rules go on alone. Ask for another one for each run.
        """
        generator = self._trusted("summary")
        if generator is None:
            return None
        summarise = summary.summariser(generator, self._note_refused)
        failed = threading.Event()

        def guarded(entity: Entity, known: Sequence[KnownFact]) -> list[Sentence] | None:
            try:
                return None if failed.is_set() else summarise(entity, known)
            except ModelError as error:
                failed.set()
                self._note_lost("summary", error)
                lost(error)
                return None

        return guarded

    def _note_refused(self, sentences: int) -> None:
        logger.info("summary.refused", model=self.model, sentences=sentences)

    def checker(
        self, pay: Callable[[Completion], object] = lambda answer: None
    ) -> asking.Checker | None:
        """Return what puts points of the checklist to the generator, if it can be had and may.

        None: such points are not judged. It raises what makes the model of no use to any point;
        one that it refuses or cannot read has no verdict, and costs that point alone. `pay` hears
        of each completion what it cost.
        """
        generator = self._trusted("check")
        if generator is None:
            return None
        check = asking.checker(generator, pay)

        def guarded(question: str, evidence: Sequence[Evidence], when: str) -> PointVerdict | None:
            try:
                return check(question, evidence, when)
            except ModelError as error:
                if error.code != ModelError.code:
                    raise
                logger.warning("check.refused", model=self.model, reason=error.message)
                return None

        return guarded

    def is_ruled_out(self, task: Task) -> bool:
        """Say whether the generator may not do a task, and will not later either."""
        if self._generator is None:
            return True
        if self._tasks != "auto":
            return task not in self._tasks
        try:
            known = self._state.get_verdict(self._generator.model_id, task)
        except ModelUnavailable:
            return False
        return known is not None and not known.passed

    def note(self, refusal: ModelRefused | None) -> None:
        """Note how an extraction ended: after some refusals in a row the model writes no more.

        That is for a growing time, so that limits and expired keys cost no tokens.
        """
        if refusal is not None:
            self._refusals.fail(refusal.message)
        elif self._writes:
            self._refusals.succeed()
        self._writes = False

    def _trusted(self, task: Task) -> Generator | None:
        if self._generator is None or not self._may_be_tried(task):
            return None
        try:
            self.model = self._generator.model_id
            passed = self._tasks != "auto" or self._passes(task, self._generator)
        except ModelUnavailable as error:
            if self._stopped.is_set():
                raise
            logger.warning("model.unavailable", reason=error.message, hint="rules go on alone")
            return None
        self._writes |= passed and task not in ("select", "opinion", "summary", "check")
        return self._generator if passed else None

    def _may_be_tried(self, task: Task) -> bool:
        if self._tasks != "auto" and task not in self._tasks:
            return False
        if task != "select" and self._refusals.remaining > 0:
            return False
        return self._clock() >= self._again_at.get(task, 0.0)

    def _passes(self, task: Task, generator: Generator) -> bool:
        model = self.model
        known = self._state.get_verdict(model, task)
        if known is not None:
            return known.passed
        verdict = selftest.KNOWN.get((model, task)) or self._tested(task, generator)
        if verdict is None:
            self._again_at[task] = self._clock() + POSTPONED
            return False
        self._state.set_verdict(model, task, verdict.passed, verdict.score, verdict.detail)
        logger.info("model.self_tested", model=model, task=task, passed=verdict.passed)
        return verdict.passed

    def _tested(self, task: Task, generator: Generator) -> Verdict | None:
        """Return the verdict, None if the model broke the test off: it is not judged then.

        `select` comes first and is short: what breaks it is a failure of the batch.
        """
        try:
            return self._test(task, Trial(generator))
        except (Rambling, Unsupported) as error:
            return Verdict(task, False, 0.0, error.message)
        except ModelUnavailable:
            raise
        except ModelError as error:
            if task == "select" or self._stopped.is_set():
                raise
            logger.warning("model.not_tested", task=task, reason=error.message)
            return None

    def _test(self, task: Task, generator: Generator) -> Verdict:
        match task:
            case "select":
                return _select(generator)
            case "rewrite":
                return _rewrite(generator)
            case "transcript":
                return _transcript(generator, self.judge())
            case "opinion":
                return _opinion(generator)
            case "summary":
                return _summary(generator)
            case "check":
                return _check(generator)


def _select(generator: Generator) -> Verdict:
    return selftest.select(selection.scorer(generator))


def _rewrite(generator: Generator) -> Verdict:
    return selftest.rewrite(
        lambda speaker, text, language: rewrite.reworded(
            generator, Said(speaker, text, language, (text,)), ()
        )
    )


def _summary(generator: Generator) -> Verdict:
    """Hold what the model writes, unchecked, against what the rules would repeat."""
    return selftest.summary(
        lambda name, told: summary.proposed(generator, name, told), summary.is_supported
    )


def _check(generator: Generator) -> Verdict:
    """Put the points to the model as the heartbeat does.

    One refusal is an answer, a wrong one; two in a row are a limit, and no test.
    """
    now = datetime(2026, 3, 10, 9, tzinfo=UTC)
    refused = 0

    def found(question: str, notes: Sequence[selftest.Note]) -> selftest.Found:
        nonlocal refused
        evidence = [Evidence("", text, (now - timedelta(age)).date()) for age, text in notes]
        answer = asking.answer(generator, asking.ask(question, evidence, asking.local_time(now)))
        refused = refused + 1 if answer is None else 0
        if refused > 1:
            raise ModelRefused("the model answered the points with a refusal or a limit")
        return (answer.said, [n - 1 for n in answer.notes]) if answer else ("refused", ())

    return selftest.check(found)


def _opinion(generator: Generator) -> Verdict:
    """Hold the model, beside the rules, against the rules alone."""

    def failed(error: ModelError) -> None:
        raise error

    return selftest.opinion(judging.ModelJudge(generator, failed), verdicts.judge)


def _transcript(generator: Generator, judge: probe.Judge | None) -> Verdict:
    """Hold the model, beside all that selects without it, against that alone."""
    beside = selection.Strategies(transcript=lambda: generator, splits=0)
    return selftest.transcript(
        lambda said: _facts(said, judge, beside), lambda said: _facts(said, judge, selection.RULES)
    )


def _facts(
    said: Sequence[tuple[str, str]], judge: probe.Judge | None, strategies: selection.Strategies
) -> list[str]:
    when = datetime(2026, 3, 10, 9, tzinfo=UTC)
    turns = [
        Turn(f"t{n}", f"t{n}", "user", speaker, text, when, n)
        for n, (speaker, text) in enumerate(said, 1)
    ]
    found = selection.extract(
        turns, user="User", agent=None, zone=UTC, judge=judge, strategies=strategies
    )
    return [draft.content for draft in found.facts]
