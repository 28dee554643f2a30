"""One item of the checklist looked at: by rules where these can tell, else by a trusted model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

import structlog

from hippod import __version__, redact
from hippod.checklist import asking, dates, figures, rules
from hippod.checklist.items import Item
from hippod.checklist.telling import Kept
from hippod.checklist.verdict import Evidence, Verdict, digest
from hippod.checks import Outcome, Runner
from hippod.config import Check, Config
from hippod.errors import BudgetExhausted, ModelError, ModelUnavailable
from hippod.looking import Looking

if TYPE_CHECKING:
    from hippod.capabilities import Capabilities

logger = structlog.get_logger()

NO_MODEL = "no model here is trusted to judge it"
SPENT = "the tokens of the day for judging are used up"
BUSY = "the model is busy"


@dataclass(frozen=True, slots=True)
class Finding:
    """What is found about an item.

    `evidence` is the digest of what it was judged by, `kept` what is to be remembered of it.
    `waits` says that a later beat will judge it, without a word until then; `planned` that a dry
    run only says what would be done.
    """

    verdict: Verdict
    evidence: str = ""
    kept: Kept = field(default_factory=Kept)
    waits: bool = False
    planned: bool = False


@dataclass(slots=True)
class Purse:
    """What the judging of a beat may cost, and has cost; with `limit` 0 no model is asked."""

    limit: int
    left: int
    tokens: int = 0
    calls: int = 0


class Examiner:
    """Looks at items during one beat.

    `ready()` says whether a model may be used now; it may wait for that a while.
    """

    def __init__(
        self,
        config: Config,
        capabilities: "Callable[[], Capabilities]",
        looking: Looking,
        runner: Runner,
        purse: Purse,
        now: datetime,
        *,
        ready: Callable[[], bool],
        dry_run: bool = False,
    ) -> None:
        self._config = config
        self._capabilities = capabilities
        self._looking = looking
        self._runner = runner
        self._purse = purse
        self._now = now
        self._ready = ready
        self._dry_run = dry_run
        self._lost = ""
        """Why the model is of no use to this beat any more."""

    def examine(self, item: Item, kept: Kept) -> Finding:
        """Return what is found about an item that is no action; raises `HippodError`."""
        if item.kind == "check":
            check = self._config.heartbeat.checks.get(item.name)
            if check is None:
                why = f"no check {item.name!r} is configured"
                return Finding(Verdict("not judged", why), item.name, kept)
            return self._check(item, check, kept)
        if item.kind == "question":
            return self._question(item, kept)
        return Finding(Verdict("left", "for an agent"), kept=kept)

    # -- questions ---------------------------------------------------------------------------

    def _question(self, item: Item, kept: Kept) -> Finding:
        found = self._looking.find(item.text)
        ruled = dates.judge(item.text, found.statements, self._now)
        if ruled is None:
            ruled = figures.judge(item.text, found.statements)
        if ruled is not None:
            return Finding(ruled, _digest(item.text, found.statements), kept)
        return self._modelled(item.text, found.texts, kept)

    # -- checks ------------------------------------------------------------------------------

    def _check(self, item: Item, check: Check, kept: Kept) -> Finding:
        if self._dry_run:
            return _planned(f"its command would run: {item.name}", kept)
        ran = self._runner.run(check)
        seen = digest([item.name, str(ran.exit), ran.output, ran.error])
        if ran.error or ran.exit is None:
            broken = ran.error or "the command gave no answer"
            return Finding(Verdict("failed", broken, (), "broken"), seen, kept)
        if check.judge == "generator":
            said = Evidence(f"check: {item.name}", redact.redact(ran.output).text)
            found = self._modelled(check.question or item.text, [said], kept)
            # That nobody can judge it is no news each time that it prints something else.
            found = replace(found, evidence=digest([item.name, str(ran.exit)]))
        else:
            found = self._ruled(check, ran, seen, kept)
        return replace(found, verdict=_in_words(found.verdict, item.name, check))

    def _ruled(self, check: Check, ran: Outcome, seen: str, kept: Kept) -> Finding:
        rule = rules.parse(check.attention, check.value)
        answer = rules.Answer(ran.exit or 0, ran.output, kept.output, ran.truncated)
        verdict = rule.judge(answer, self._now)
        if rule.looks_back:
            kept = replace(kept, output=rules.digest_of(ran.output))
        return Finding(verdict, seen, kept)

    # -- the model ---------------------------------------------------------------------------

    def _modelled(self, question: str, evidence: Sequence[Evidence], kept: Kept) -> Finding:
        """Return what the model finds, or found when it was asked the same about the same."""
        seen = _digest(question, evidence)
        inputs = digest([__version__, self._who, seen])
        if kept.verdict is not None and kept.inputs == inputs:
            return Finding(kept.verdict, seen, kept)
        if not evidence:
            return Finding(Verdict("not judged", "memory holds nothing about it"), seen, kept)
        if self._dry_run:
            return _planned("a model would be asked, if one is trusted with it", kept)
        if why := self._why_later():
            return Finding(Verdict("not judged", why), seen, kept, waits=True)
        try:
            verdict = self._asked(question, evidence)
        except ModelError as error:
            return self._without_model(error, seen, kept)
        if verdict is None:
            return Finding(Verdict("not judged", NO_MODEL), seen, kept)
        if verdict.state == "failed":  # a fault of the model is nobody's news
            return Finding(verdict, seen, kept, waits=True)
        return Finding(verdict, seen, replace(kept, inputs=inputs, verdict=verdict))

    @property
    def _who(self) -> str:
        chosen = self._config.generator
        return f"{chosen.provider} {chosen.model} {chosen.tasks}"

    def _why_later(self) -> str:
        """Return why no model is asked now, though one may be in a later beat; else nothing."""
        if self._lost:
            return self._lost
        if self._purse.limit and self._purse.left <= 0:
            return SPENT
        return "" if self._ready() else BUSY

    def _asked(self, question: str, evidence: Sequence[Evidence]) -> Verdict | None:
        """Return what the model finds, None if there is none that may be asked."""
        if not self._purse.limit:
            return None
        capabilities = self._capabilities()
        before = capabilities.spent
        try:
            checker = capabilities.checker()
            if checker is None:
                return None
            found = checker(question, evidence, asking.local_time(self._now))
            return found or Verdict("failed", "the model refused to answer")
        finally:
            spent = capabilities.spent - before
            self._purse.calls += spent.calls
            self._purse.tokens += spent.tokens_in + spent.tokens_out
            self._purse.left -= spent.tokens_in + spent.tokens_out

    def _without_model(self, error: ModelError, seen: str, kept: Kept) -> Finding:
        """Note that the model is of no use to this beat: no other item waits for it."""
        self._lost = error.message
        logger.warning("heartbeat.model_lost", reason=error.message)
        later = isinstance(error, BudgetExhausted | ModelUnavailable)
        verdict = Verdict("not judged" if later else "failed", error.message)
        return Finding(verdict, seen, kept, waits=True)


def _planned(reason: str, kept: Kept) -> Finding:
    return Finding(Verdict("left", reason), kept=kept, planned=True)


def _digest(question: str, evidence: Sequence[Evidence]) -> str:
    """Return what changes with what is known, not with the line that it stands on."""
    known = sorted(f"{_document(each.source)} {each.superseded} {each.text}" for each in evidence)
    return digest([question, *known])


def _document(source: str) -> str:
    """Return the name of a document: it stays when hygiene moves a log to the archive."""
    return source.partition("#")[0].rpartition("/")[2]


def _in_words(verdict: Verdict, name: str, check: Check) -> Verdict:
    """Return the verdict of a check with the words that the configuration has for it."""
    if verdict.state != "attention":
        return verdict
    said = check.message or f"{name}: {verdict.reason}"
    return replace(verdict, reason=said, sameness=verdict.sameness or verdict.reason)
