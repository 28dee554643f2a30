"""A model's opinion of what a later statement is to an earlier one, where the rules have none.

The prompt is fixed text whose prefix never changes. The model picks a label; its bias, read off
from pairs that say nothing, is taken from every answer.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from hippod.errors import ModelError
from hippod.extraction import prompts
from hippod.models import Generator
from hippod.reflection import verdicts
from hippod.reflection.matters import DOUBTS
from hippod.reflection.verdicts import Judge, Stance, Verdict

LABELS: Final[Mapping[str, Stance]] = {
    "same": "supports",
    "opposite": "contradicts",
    "other": "related",
}
"""What `Generator.choose` picks from, and what it means."""
MARGIN: Final = 1.0
"""Log-odds by which an answer must lead the next one, bias taken off, to count."""
LONGEST: Final = 300
"""Characters of a statement that go into a prompt."""
NEAR: Final = 0.5
"""Overlap of topics from which the model is asked."""

_EXAMPLES: Final = (
    ("Mirela is fond of long train rides", "Mirela took the night train again and loved it",
     "same"),
    ("Odd finds the ferry reliable", "Odd missed work because the ferry broke down once more",
     "opposite"),
    ("Zanele likes her new bicycle", "Zanele parks her bicycle in the shed", "other"),
    ("Takumi thinks the choir sings too loudly", "Takumi asked the choir to sing softer", "same"),
    ("Bogdan avoids the harbour market", "Bogdan goes to the harbour market every week with joy",
     "opposite"),
    ("Mirela distrusts the weather app", "Mirela compared three weather apps", "other"),
)  # fmt: skip
_PREFIX: Final = (
    "Two notes about the same thing. Does the later one mean the same, the opposite, or "
    "something other?\n\n"
    + "".join(f"Earlier: {old}\nLater: {new}\nAnswer: {label}\n\n" for old, new, label in _EXAMPLES)
)
_NOTHING: Final = (("...", "..."), ("N/A", "N/A"), ("A note", "A note"), ("ok", "hello"))
"""Pairs that say nothing: what a model answers to them is its bias."""


def prompt(statement: str, text: str) -> str:
    """Return the prompt behind which a label follows. Control tokens and newlines are cut."""
    return f"{_PREFIX}Earlier: {_line(statement)}\nLater: {_line(text)}\nAnswer:"


class ModelJudge:
    """The rules, and a model where they are undecided about statements that share a topic.

    A verdict of the rules stands. Once the model fails it is not asked again: the rules go on
    alone. Make one for each run.
    """

    def __init__(
        self,
        generator: Generator,
        failed: Callable[[ModelError], None],
        rules: Judge = verdicts.judge,
    ) -> None:
        """`failed` is told why the model is asked no more; what it raises comes through."""
        self._generator = generator
        self._rules = rules
        self._failed = failed
        self._bias: Sequence[float] = ()
        self._is_lost = False

    def __call__(self, statement: str, text: str) -> Verdict:
        """Return the verdict of the rules, or the model's where they have none."""
        ruled = self._rules(statement, text)
        decided = ruled.stance != "related" or ruled.reason in DOUBTS
        if decided or ruled.score < NEAR or self._is_lost:
            return ruled
        try:
            stance, margin = self.ask(statement, text)
        except ModelError as error:
            self._is_lost = True
            self._failed(error)
            return ruled
        if stance == "related" or margin <= MARGIN:
            return ruled
        return Verdict(stance, f"the model, by {margin:.1f}", ruled.score)

    def ask(self, statement: str, text: str) -> tuple[Stance, float]:
        """Return the model's answer and its lead in log-odds. Raises `ModelError`."""
        if not self._bias:
            rows = self._generator.choose([prompt(*pair) for pair in _NOTHING], tuple(LABELS))
            self._bias = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
        (row,) = self._generator.choose([prompt(statement, text)], tuple(LABELS))
        levels = [value - bias for value, bias in zip(row, self._bias, strict=True)]
        first, second = sorted(levels, reverse=True)[:2]
        return list(LABELS.values())[levels.index(first)], first - second


def _line(text: str) -> str:
    return prompts.clean(text)[:LONGEST]
