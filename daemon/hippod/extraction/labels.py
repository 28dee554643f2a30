"""The label score: how much likelier a model finds "this lasts" than "this passes"."""

import math
from collections.abc import Sequence

from hippod.extraction import prompts
from hippod.models import Generator


class Calibration:
    """The bias of each model, measured once: keep one as long as the process lives."""

    def __init__(self) -> None:
        self._bias: dict[str, float] = {}

    def bias(self, generator: Generator) -> float:
        """Return the mean margin that the model gives content-free messages."""
        model = generator.model_id
        if model not in self._bias:
            nulls = [(prompts.NULL_SPEAKER, text) for text in prompts.NULL_MESSAGES]
            self._bias[model] = sum(_raw(generator, nulls)) / len(nulls)
        return self._bias[model]


def margins(
    generator: Generator, items: Sequence[tuple[str, str]], calibration: Calibration
) -> list[float]:
    """Return one margin per (speaker, sentence), 0 where the model sees no content.

    A margin is the log-odds of the keeping labels against the others, less the model's bias.
    Raises `ModelError` when the generator fails.
    """
    if not items:
        return []
    bias = calibration.bias(generator)
    return [margin - bias for margin in _raw(generator, items)]


def _raw(generator: Generator, items: Sequence[tuple[str, str]]) -> list[float]:
    texts = [prompts.label_prompt(speaker, sentence) for speaker, sentence in items]
    return [_margin(row) for row in generator.choose(texts, prompts.LABELS)]


def _margin(row: Sequence[float]) -> float:
    keep = sum(math.exp(value) for value in row[: len(prompts.KEEP)])
    skip = sum(math.exp(value) for value in row[len(prompts.KEEP) :])
    return math.log(max(keep, 1e-9)) - math.log(max(skip, 1e-9))
