"""What a loaded model is trusted with: small labelled tests, one per task, run once per model.

Capability decides, never size or name. Verdicts hold for a model hash; callers cache them.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Scorer = Callable[[Sequence[tuple[str, str]]], Sequence[float]]
"""Given (speaker, sentence) pairs, a number per pair: higher is more worth keeping."""

MARGIN = 0.15
"""How far the area under the ROC curve must lie above the baseline."""
_CHANCE = 0.5

# Both kinds are short and long alike: the length of a sentence must not pass.
_WORTH_KEEPING = (
    ("Mara", "We moved the nightly export to Tuesday because the disk fills up on Mondays."),
    ("Emre", "Clara is my sister."),
    ("Priya", "I can't stand meetings before ten."),
    ("Owen", "The key to the shed hangs behind the kitchen clock."),
    ("Oda", "We chose Hugo for the blog."),
    ("Tomás", "Mi hermano vive en Valparaíso."),
    ("Birte", "Ich trinke nur noch grünen Tee."),
    ("Luc", "J'ai vendu la voiture."),
    ("Haruka", "Our rent is 1450 a month."),
)
_PASSING = (
    ("Mara", "Can you show me the last ten lines of the export log from Monday night?"),
    ("Emre", "Thanks, that looks great!"),
    ("Priya", "Hmm, still the same error when I open the page."),
    ("Owen", "Okay, try again please."),
    ("Oda", "Let me look at the template first and then we will see what is going on."),
    ("Tomás", "¿Puedes repetir la última parte, por favor?"),
    ("Birte", "Guten Morgen!"),
    ("Luc", "Un instant, je regarde le fichier."),
    ("Haruka", "What does this line do?"),
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a model does a task better than what does it without one."""

    task: str
    passed: bool
    score: float
    """Area under the ROC curve, 0 to 1; 0.5 is chance."""
    detail: str


def select(score: Scorer, rules: Scorer | None = None) -> Verdict:
    """Try the task `select`: tell sentences worth keeping from passing talk.

    `score` is the model's calibrated margin. It must beat chance, and `rules` on the same
    sentences if given, by `MARGIN`. Whatever `score` raises comes through: a model that cannot
    be reached has not been judged.
    """
    baseline = max(_CHANCE, _area(rules)) if rules else _CHANCE
    area = _area(score)
    needed = min(baseline + MARGIN, 1.0)
    detail = f"area {area:.2f} on {len(_WORTH_KEEPING + _PASSING)} sentences, needs {needed:.2f}"
    return Verdict("select", area >= needed, area, detail)


def _area(score: Scorer) -> float:
    """Return how often a kept sentence outranks a passing one; 0 for unusable numbers."""
    values = list(score(_WORTH_KEEPING + _PASSING))
    if len(values) != len(_WORTH_KEEPING) + len(_PASSING) or not all(map(math.isfinite, values)):
        return 0.0
    kept, passing = values[: len(_WORTH_KEEPING)], values[len(_WORTH_KEEPING) :]
    wins = sum((high > low) + (high == low) / 2 for high in kept for low in passing)
    return wins / (len(kept) * len(passing))
