"""The generator behind a network API: what it asks, what it learns from refusals, what it spent."""

import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from hippod import redact
from hippod.errors import ModelError, ModelUnavailable, Unsupported
from hippod.models import Completion, Grammar, Spent
from hippod.models.breaker import Breaker
from hippod.models.dialects import Ask, Dialect, Manner, Reply, label_row
from hippod.models.http import Endpoint, Refused, Unanswered

_UNTOUCHED = (400, 413, 422)
"""Refusals of one request, such as a prompt that is too long: the endpoint itself is well."""
_CHARACTERS_PER_TOKEN = 4
_LONGEST_NOTICE = 400
# What services write in place of an answer. Bounded and linear.
_NOTICE = re.compile(
    r"\b(?:usage|rate|token|request|message|spending|credit|plan|daily|weekly|monthly|hourly)s?"
    r"[ -]limits?\b|\blimit (?:has been |was )?(?:reached|exceeded|hit)\b|\bquota\b"
    r"|\b(?:too many requests|insufficient (?:credits?|balance|funds)|out of credits)\b"
    r"|\b(?:please|you (?:must|need to)) (?:log|sign) ?in\b|/login\b"
    r"|\b(?:login|session|token|subscription|trial) (?:has )?expired\b"
    r"|\b(?:invalid|incorrect|missing) api[ _-]?key\b"
    r"|\bservice (?:is )?(?:temporarily )?unavailable\b",
    re.IGNORECASE,
)


class RemoteGenerator:
    """Asks an endpoint; calls queue, and stop for a while when the endpoint keeps failing.

    What an endpoint refuses (a schema, the name of a field) is left out from then on, if that
    helps. `choose` raises `Unsupported` where no log-probabilities can be had. `missing` tells
    what to do about a model that the endpoint does not have.
    """

    def __init__(
        self,
        name: str,
        endpoint: Endpoint,
        dialect: Dialect,
        missing: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.endpoint = endpoint
        self._model_id = f"{name}@{endpoint.host}"
        self._dialect = dialect
        self._missing = missing
        self._clock = clock
        self._breaker = Breaker(clock)
        self._lock = threading.Lock()
        self._manner = Manner()
        self._label_forms = list(dialect.label_forms)
        self._labelled = False
        self._busy = False
        self._spent = Spent()
        self._last_error = ""

    @property
    def model_id(self) -> str:
        """Name of the model and the host that runs it."""
        return self._model_id

    @property
    def spent(self) -> Spent:
        """All calls, tokens and seconds so far; what an unanswered call cost is not known."""
        return self._spent

    def choose(self, prompts: Sequence[str], labels: Sequence[str]) -> list[list[float]]:
        """Return normalised log-probabilities of the labels' first tokens, a row per prompt.

        They are read from the likeliest tokens that the endpoint lists. Raises `Unsupported`
        when it lists none.
        """
        rows = []
        for prompt in prompts:
            with self._call():
                rows.append(self._weigh(prompt, labels))
        return rows

    def complete(
        self, prompt: str, grammar: Grammar, max_tokens: int, *, system: str = ""
    ) -> Completion:
        """Return the answer, forced into the grammar only as far as the endpoint can do that."""
        with self._call():
            before = self._spent
            reply = self._write(system, prompt, grammar, max_tokens)
            cost = self._spent - before
        return Completion(reply.text, reply.finished, cost.tokens_in, cost.tokens_out, cost.seconds)

    def close(self) -> None:
        """Refuse further calls and end the one that waits."""
        self.endpoint.close()

    def status(self) -> dict[str, object]:
        """Return state and meters, without waiting for a running call.

        `state` is ready, busy, backoff (failures in a row: refused for a while) or closed.
        """
        spent = self._spent
        return {
            "state": self._state(),
            "model_id": self._model_id,
            "endpoint": self.endpoint.base_url,
            "last_error": self._last_error,
            "retry_in": round(self._breaker.remaining),
            "repeated": self.endpoint.repeated,
            "without": sorted(self._manner.refused),
            "calls": spent.calls,
            "tokens": spent.tokens_in + spent.tokens_out,
            "tokens_evaluated": spent.tokens_in,
            "tokens_generated": spent.tokens_out,
            "seconds": round(spent.seconds, 3),
        }

    @contextmanager
    def _call(self) -> Iterator[None]:
        """Hold the lock and the breaker around one call, and learn from how it ends."""
        with self._lock:
            self._breaker.check()
            self._busy = True
            try:
                yield
            except Unsupported:
                raise
            except ModelError as error:
                self._fail(error)
                raise
            finally:
                self._busy = False
            self._breaker.succeed()
            self._last_error = ""

    def _fail(self, error: ModelError) -> None:
        if self.endpoint.closed:
            return
        self._last_error = error.message
        if isinstance(error, Refused):
            if error.status not in _UNTOUCHED:
                self._breaker.fail(error.message)
        elif isinstance(error, Unanswered):
            self._breaker.fail(error.message, pause=error.pause, at_once=error.denied)
        else:
            self._breaker.fail(error.message)

    def _write(self, system: str, prompt: str, grammar: Grammar, max_tokens: int) -> Reply:
        """Ask, more gently after each refusal; keep to the manner that worked."""
        manner: Manner | None = self._manner
        while manner is not None:
            try:
                reply = self._ask(self._dialect.chat(manner, system, prompt, grammar, max_tokens))
            except Refused as refusal:
                gentler = manner.gentler(grammar, refusal.detail)
                if gentler is None or refusal.status not in (*_UNTOUCHED, 500):
                    raise self._explained(refusal) from None
                manner = gentler
                continue
            if reply.text.strip() or not reply.finished:
                self._refuse_notice(reply.text, prompt, grammar)
                self._manner = manner
                return reply
            manner = manner.looser(grammar)  # some answer nothing when a schema is asked for
        raise ModelUnavailable(f"{self.endpoint.host} answers with an empty text")

    def _weigh(self, prompt: str, labels: Sequence[str]) -> list[float]:
        """Ask for the first token's alternatives in the first form that the endpoint knows."""
        while self._label_forms:
            form = self._label_forms[0]
            try:
                reply = self._ask(self._dialect.label(form, prompt, labels))
            except Refused as refusal:
                if self._labelled or (refusal.status == 404 and len(self._label_forms) == 1):
                    raise self._explained(refusal) from None
                reply = None
            if reply and reply.alternatives:
                self._labelled = True
                return label_row(reply.alternatives, labels)
            if reply:
                self._refuse_notice(reply.text, prompt, "line")
            if self._labelled:
                raise ModelUnavailable(f"{self.endpoint.host} left out the log-probabilities")
            del self._label_forms[0]
        raise Unsupported(f"{self.endpoint.host} tells no log-probabilities of labels")

    def _ask(self, ask: Ask) -> Reply:
        """Send one request and count what it cost."""
        began = self._clock()
        reply: Reply | None = None
        try:
            reply = self._read(self.endpoint.post(ask.path, ask.body))
            return reply
        finally:
            self._meter(ask, reply, self._clock() - began)

    def _read(self, reply: dict[str, Any]) -> Reply:
        try:
            return self._dialect.read(reply)
        except (LookupError, TypeError, AttributeError):  # any JSON may come
            raise ModelUnavailable(
                f"{self.endpoint.host} sent JSON of another shape",
                "check generator.provider and generator.base_url",
            ) from None

    def _meter(self, ask: Ask, reply: Reply | None, seconds: float) -> None:
        spent, tokens_in, tokens_out = self._spent, 0, 0
        if reply is not None:
            said = len(str(ask.body)) // _CHARACTERS_PER_TOKEN
            heard = len(reply.text) // _CHARACTERS_PER_TOKEN
            tokens_in = said if reply.tokens_in is None else reply.tokens_in
            tokens_out = heard if reply.tokens_out is None else reply.tokens_out
        self._spent = Spent(
            spent.calls + 1,
            spent.tokens_in + tokens_in,
            spent.tokens_out + tokens_out,
            spent.seconds + seconds,
        )

    def _refuse_notice(self, text: str, prompt: str, grammar: Grammar) -> None:
        """Raise for a message of the service that comes as an answer."""
        found = _NOTICE.search(text) if len(text) <= _LONGEST_NOTICE else None
        if found is None or "{" in text or found[0].casefold() in prompt.casefold():
            return
        if grammar == "facts" and text.lstrip().startswith("- "):
            return
        said = redact.redact(" ".join(text.split()[:20])).text
        raise ModelUnavailable(f"{self.endpoint.host} answers with a notice: {said}")

    def _explained(self, refusal: Refused) -> ModelError:
        """Add what to do about a model that is not there."""
        if refusal.status != 404 or not self._missing:
            return refusal
        message = f"{refusal.message}; {self._missing}"
        return Refused(message, refusal.hint, refusal.status, refusal.detail)

    def _state(self) -> str:
        if self.endpoint.closed:
            return "closed"
        if self._busy:
            return "busy"
        return "backoff" if self._breaker.remaining > 0 else "ready"
