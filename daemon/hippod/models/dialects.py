"""What network APIs have in common: how a request may be phrased, and what a reply holds."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from hippod.models import Grammar

Format = Literal["json_schema", "json_object"]
"""What an endpoint can be asked to force its answer into."""
_FORMATS: Mapping[Grammar, tuple[Format, ...]] = {
    "items": ("json_schema", "json_object"),
    "json": ("json_object",),
}
"""What each grammar asks for, strictest first; the other grammars are plain text."""

TOP = 20
"""Alternatives asked for at the first token: no endpoint lists more."""
_FLOOR = 1e-9


@dataclass(frozen=True, slots=True)
class Ask:
    """One request: a path below the base URL and its body."""

    path: str
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back; None where the endpoint does not tell."""

    text: str
    finished: bool
    tokens_in: int | None
    tokens_out: int | None
    alternatives: Mapping[str, float] | None
    """The likeliest first tokens with their log-probabilities."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How requests have to be phrased for one endpoint: what it was found not to take."""

    refused: frozenset[Format] = frozenset()
    limit: str = "max_tokens"
    """The name of the field for the longest answer."""
    cool: bool = True
    """Whether a temperature of 0 may be asked for."""

    def format(self, grammar: Grammar) -> Format | None:
        """Return the strictest form of answer to ask for."""
        forms = (form for form in _FORMATS.get(grammar, ()) if form not in self.refused)
        return next(forms, None)

    def gentler(self, grammar: Grammar, detail: str) -> "Manner | None":
        """Return the manner to try after a refusal for `detail`; None when nothing is left."""
        if "max_completion_tokens" in detail and self.limit == "max_tokens":
            return replace(self, limit="max_completion_tokens")
        if "temperature" in detail and self.cool:
            return replace(self, cool=False)
        return self.looser(grammar)

    def looser(self, grammar: Grammar) -> "Manner | None":
        """Return the manner without the form that is asked for now; None when there is none."""
        form = self.format(grammar)
        return replace(self, refused=self.refused | {form}) if form else None


class Dialect(Protocol):
    """One network API; everything here is a function of its arguments."""

    @property
    def label_forms(self) -> Sequence[str]:
        """Ways to ask for the first token's alternatives, best first."""
        ...

    def chat(
        self, manner: Manner, system: str, prompt: str, grammar: Grammar, max_tokens: int
    ) -> Ask:
        """Return the request for an answer."""
        ...

    def label(self, form: str, prompt: str, labels: Sequence[str]) -> Ask:
        """Return the request for the alternatives of one token behind `prompt`."""
        ...

    def read(self, reply: Mapping[str, Any]) -> Reply:
        """Return what a reply holds; raises `LookupError` or `TypeError` for another shape."""
        ...


def messages(system: str, prompt: str) -> list[dict[str, str]]:
    """Return a conversation of instructions, if there are any, and one message."""
    said = [{"role": "user", "content": prompt}]
    return [{"role": "system", "content": system}, *said] if system else said


def one_of(labels: Sequence[str]) -> str:
    """Return the instruction to answer with a label."""
    return f"Answer with one of these words and nothing else: {', '.join(labels)}."


def label_row(alternatives: Mapping[str, float], labels: Sequence[str]) -> list[float]:
    """Return normalised log-probabilities of labels from the likeliest first tokens.

    A token counts for a label that it begins, if for one alone. A label that is not listed gets
    the most that it can have: as much as the last one listed, or as all together left over.
    """
    masses = dict.fromkeys(labels, 0.0)
    for token, value in alternatives.items():
        if len(begun := _begun_by(token, labels)) == 1:
            masses[begun[0]] += math.exp(value)
    left = 1.0 - sum(map(math.exp, alternatives.values()))
    bound = max(_FLOOR, min(left, *map(math.exp, alternatives.values())))
    row = [math.log(masses[label] or bound) for label in labels]
    total = math.log(math.fsum(map(math.exp, row)))
    return [value - total for value in row]


def _begun_by(token: str, labels: Sequence[str]) -> list[str]:
    start = token.strip().casefold()
    return [label for label in labels if start and label.casefold().startswith(start)]


def count(value: object) -> int | None:
    """Return a number of tokens, None for what is none."""
    known = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if known else None  # type: ignore[return-value]  # an int where known


def log_probability(value: object) -> float:
    """Return a log-probability as a number; raises `TypeError` for anything else.

    Some endpoints send -9999 or null for "very unlikely".
    """
    if value is None:
        return math.log(_FLOOR)
    if not isinstance(value, int | float) or math.isnan(value):
        raise TypeError("no log-probability")
    return min(0.0, max(float(value), math.log(_FLOOR)))
