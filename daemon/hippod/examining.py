"""One item of the checklist looked at: by rules where these can tell, else by a trusted model."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

import structlog

from hippod import __version__, redact
from hippod.checklist import asking, dates, figures, grounds, rules
from hippod.checklist.grounds import Ground
from hippod.checklist.items import Item
from hippod.checklist.telling import Kept
from hippod.checklist.verdict import Evidence, Verdict, digest
from hippod.checks import Outcome, Runner
from hippod.config import Check, Config
from hippod.errors import HippodError, ModelError, ModelUnavailable
from hippod.looking import Looking
from hippod.models import Completion
from hippod.workspace import Loaded

if TYPE_CHECKING:
    from hippod.capabilities import Capabilities

logger = structlog.get_logger()

NO_MODEL = "no model here is trusted to judge it"
SPENT = "the tokens of the day for judging are used up"
TOO_MUCH = "memory holds more about it than is looked at"
BUSY = "the model is busy"
LOST = "the model cannot be asked now"
_CITED = 3
"""What a question that nobody judges names of what may answer it."""
_LONGEST_LINE = 120
"""Characters of a command's first line that an alert shows."""
STRIKES = 2
"""Items in a row at which a model crashes or hangs, and then is left alone until the next beat."""


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
    """What the judging of a beat may cost, and has cost; with `limit` 0 no model is asked.

    `paid` hears the tokens of each answer.
    """

    limit: int
    left: int
    paid: Callable[[int], object] = lambda tokens: None
    tokens: int = 0
    calls: int = 0

    def pay(self, answer: Completion) -> None:
        """Count an answer of the model."""
        cost = answer.tokens_in + answer.tokens_out
        self.calls += 1
        self.tokens += cost
        self.left -= cost
        self.paid(cost)


class Examiner:
    """Looks at items during one beat.

    `load` reads documents. `ready()` says whether a model may be used now; it may wait for that a
    while.
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
        load: Callable[[str], Loaded | None],
        ready: Callable[[], bool],
        dry_run: bool = False,
    ) -> None:
        self._config = config
        self._capabilities = capabilities
        self._looking = looking
        self._runner = runner
        self._purse = purse
        self._now = now
        self._load = load
        self._ready = ready
        self._dry_run = dry_run
        self._lost = ""
        """Why the model is of no use to this beat any more."""
        self._strikes = 0

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
        if ruled is not None and ruled.state == "fine" and found.cut:
            ruled = Verdict("not judged", TOO_MUCH)
        if ruled is not None:
            return Finding(ruled, digest([item.text]), kept)
        return self._modelled(item.text, found.texts, kept)

    # -- checks ------------------------------------------------------------------------------

    def _check(self, item: Item, check: Check, kept: Kept) -> Finding:
        if self._dry_run:
            return _planned(f"its command would run: {item.name}", kept)
        ran = self._runner.run(check)
        seen = digest([item.name, str(ran.exit), ran.output, ran.error])
        if ran.error or ran.exit is None:
            broken = ran.error or "the command gave no answer"
            return Finding(_saying(Verdict("failed", broken, (), "broken"), ran), seen, kept)
        if check.judge == "generator" and ran.exit:  # as rules have it: no evidence of anything
            broken = f"the command failed: exit code {ran.exit}"
            return Finding(_saying(Verdict("failed", broken, (), "exit"), ran), seen, kept)
        if check.judge == "generator":
            said = Evidence(f"check: {item.name}", redact.redact(ran.output).text)
            found = self._modelled(check.question or item.text, [said], kept)
            # That nobody can judge it is no news each time that it prints something else.
            found = replace(found, evidence=digest([item.name, str(ran.exit)]))
        else:
            found = self._ruled(check, ran, seen, kept)
        return replace(found, verdict=_in_words(found.verdict, item.name, check, ran))

    def _ruled(self, check: Check, ran: Outcome, seen: str, kept: Kept) -> Finding:
        answer = rules.Answer(ran.exit or 0, ran.output, kept.output, ran.truncated)
        verdict = check.rule.judge(answer, self._now)
        if ran.exit:
            verdict = _saying(verdict, ran)
        if check.rule.looks_back and verdict.state != "failed":
            kept = replace(kept, output=rules.digest_of(ran.output))
        return Finding(verdict, seen, kept)

    # -- the model ---------------------------------------------------------------------------

    def _modelled(self, question: str, evidence: Sequence[Evidence], kept: Kept) -> Finding:
        """Return what the model finds, or found when it was asked the same about the same."""
        found = grounds.grounds(question, evidence, self._text)
        is_known = grounds.hold(kept.grounds, found, self._text)
        kept = kept if is_known else replace(kept, grounds=found)
        seen = grounds.news(question, evidence)
        if kept.verdict is not None and kept.inputs == self._inputs(question, kept.grounds):
            return Finding(kept.verdict, seen, kept)
        if not evidence:
            return Finding(Verdict("not judged", "memory holds nothing about it"), seen, kept)
        if self._dry_run:
            return _planned("a model would be asked, if one is trusted with it", kept)
        if why := self._why_later():
            return Finding(Verdict("not judged", why), seen, kept, waits=True)
        cited = tuple(each.source for each in evidence[:_CITED])
        if not self._purse.limit:
            return Finding(Verdict("not judged", NO_MODEL, cited), seen, kept)
        try:
            verdict = self._asked(question, evidence)
        except ModelError as error:
            return self._without_model(error, seen, kept)
        self._strikes = 0
        if verdict is None:
            later = not self._capabilities().is_ruled_out("check")
            why = LOST if later else NO_MODEL
            return Finding(Verdict("not judged", why, cited), seen, kept, waits=later)
        if verdict.state == "failed":  # a fault of the model is nobody's news
            return Finding(verdict, seen, kept, waits=True)
        inputs = self._inputs(question, found)
        kept = replace(kept, inputs=inputs, verdict=verdict, grounds=found)
        return Finding(verdict, seen, kept)

    def _text(self, path: str) -> str | None:
        try:
            loaded = self._load(path)
        except HippodError:
            return None
        return loaded.text if loaded else None

    def _inputs(self, question: str, judged_by: Collection[Ground]) -> str:
        """Return what changes with what is judged by, and with who judges."""
        chosen = self._config.generator
        who = f"{chosen.provider} {chosen.model} {chosen.tasks}"
        return digest([__version__, who, grounds.key(question, judged_by, self._now.date())])

    def _why_later(self) -> str:
        """Return why no model is asked now, though one may be in a later beat; else nothing."""
        if self._lost:
            return self._lost
        if self._purse.limit and self._purse.left <= 0:
            return SPENT
        return "" if self._ready() else BUSY

    def _asked(self, question: str, evidence: Sequence[Evidence]) -> Verdict | None:
        """Return what the model finds, None if there is none that may be asked.

        The test of a model that is new here is no judging: the purse does not pay for it.
        """
        checker = self._capabilities().checker(self._purse.pay)
        if checker is None:
            return None
        found = checker(question, evidence, asking.local_time(self._now))
        return found or Verdict("failed", "the model refused to answer")

    def _without_model(self, error: ModelError, seen: str, kept: Kept) -> Finding:
        """Note what is of no use to this beat: the model, or it with this item.

        It may be the item that crashes the model each time: that must not hold up all others.
        """
        later = isinstance(error, ModelUnavailable)
        self._strikes += 1
        if later or self._strikes == STRIKES:
            self._lost = error.message
            logger.warning("heartbeat.model_lost", reason=error.message)
        verdict = Verdict("not judged" if later else "failed", error.message)
        return Finding(verdict, seen, kept, waits=True)


def _planned(reason: str, kept: Kept) -> Finding:
    return Finding(Verdict("left", reason), kept=kept, planned=True)


def _first_line(output: str) -> str:
    """Return the first line that says something; cut only where no secret can be torn."""
    said = redact.redact(redact.strip_private(output)).text
    line = next((" ".join(line.split()) for line in said.splitlines() if line.strip()), "")
    return line if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE - 1].rstrip()}…"


def _saying(verdict: Verdict, ran: Outcome) -> Verdict:
    """Return a verdict with what the command complained of; that is no other news."""
    if not ran.complaint or verdict.state == "fine":
        return verdict
    said = f"{verdict.reason.rstrip('.')}: {ran.complaint}"
    return replace(verdict, reason=said, sameness=verdict.sameness or verdict.reason)


def _in_words(verdict: Verdict, name: str, check: Check, ran: Outcome) -> Verdict:
    """Return the verdict of a check with the words that are configured, and what it saw."""
    if verdict.state != "attention":
        return verdict
    is_ruled = check.judge != "generator"
    seen = verdict.reason if is_ruled else _first_line(ran.output)
    if is_ruled and not ran.exit and not check.rule.looks_at_value:
        seen = ": ".join(filter(None, [seen.rstrip("."), _first_line(ran.output)]))
    said = f"{name}: {seen if is_ruled else verdict.reason}"
    if check.message:
        said = f"{check.message} ({seen.rstrip('.')})" if seen else check.message
    return replace(verdict, reason=said, sameness=verdict.sameness or verdict.reason)
