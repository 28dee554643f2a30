"""The learned score of a sentence: a logistic probe over its embedding and its cue.

The embedding of a small multilingual encoder says what kind of sentence it is, in any language
and wording; the cue says what the rules make of it. The weights are those of a plain logistic
regression, learnt by `python -m bench.extraction.train` from sentences that are no test case.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippod.extraction import cues
from hippod.extraction.cues import FLOOR, Cue, Role
from hippod.models import Embedder

SCALE: Final = 10.0
"""Brings the coordinates of unit vectors to the size of the other features."""
LONGEST: Final = 600
"""Characters of a sentence that are embedded."""
_WEIGHTS: Final = "probe.json"
_ROLES: Final[Mapping[Role, str]] = {"user": "User", "assistant": "Assistant"}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence to be scored: who said it and what the rules make of it."""

    text: str
    role: Role
    cue: Cue


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights over an embedding, shape (dimension,), and over named features of the cue."""

    bias: float
    embedding: NDArray[np.float32]
    features: Mapping[str, float]

    def score(self, vector: NDArray[np.float32], sentence: Sentence) -> float:
        """Return the log-odds of being worth keeping, 0 at the threshold."""
        told = sum(self.features.get(k, 0.0) * value for k, value in features(sentence).items())
        return SCALE * float(vector @ self.embedding) + self.bias + told


@dataclass(frozen=True, slots=True)
class Probe:
    """Weights by role: what a person says lasts for other reasons than what an agent reports.

    `encoder` names the embeddings that they were learnt on; with others they mean nothing.
    `corpus` is the sha256 of what they were learnt from.
    """

    encoder: str
    corpus: str
    weights: Mapping[str, Weights]

    def fits(self, encoder: Embedder) -> bool:
        """Tell whether the encoder is the one whose embeddings the weights are for."""
        return encoder.model_id == self.encoder

    def scores(self, sentences: Sequence[Sentence], encoder: Embedder) -> list[float]:
        """Return one score per sentence: log-odds of being worth keeping, 0 at the threshold.

        Raises `ModelError` if the encoder fails.
        """
        if not sentences:
            return []
        vectors = encoder.embed_documents([embedded_text(each) for each in sentences])
        return [
            self.weights[each.role].score(vector, each)
            for vector, each in zip(vectors, sentences, strict=True)
        ]


Judge = Callable[[Sequence[Sentence]], list[float]]
"""Scores sentences: log-odds of being worth keeping, 0 at the threshold."""


def judge(encoder: Embedder) -> Judge | None:
    """Return the probe over the embeddings of `encoder`, None if it was learnt on others."""
    probe = load()
    return (lambda asked: probe.scores(asked, encoder)) if probe.fits(encoder) else None


def sentence(text: str, role: Role) -> Sentence:
    """Return a sentence with what the rules make of it."""
    return Sentence(text, role, cues.score(text, role))


def embedded_text(sentence: Sentence) -> str:
    """Return what is embedded: the same words of a person and of an agent are not the same."""
    return f"{_ROLES.get(sentence.role, 'Tool')}: {sentence.text[:LONGEST]}"


def features(sentence: Sentence) -> dict[str, float]:
    """Return the features beside the embedding, by name; absent ones are 0."""
    cue = sentence.cue
    found = {"cue score": cue.score / -FLOOR, "length": math.log1p(len(sentence.text)) / 3}
    return found | {f"cue {name}": 1.0 for name in cue.reason.split(", ")}


@cache
def load() -> Probe:
    """Return the weights that come with hippod; read once, each batch asks for them."""
    text = resources.files(__package__).joinpath(_WEIGHTS).read_text(encoding="utf-8")
    return parse(text)


def parse(text: str) -> Probe:
    """Read weights from JSON, as `render` writes them."""
    data = json.loads(text)
    weights = {
        role: Weights(w["bias"], np.array(w["embedding"], dtype=np.float32), w["features"])
        for role, w in data["weights"].items()
    }
    return Probe(data["encoder"], data["corpus"], weights)


def render(probe: Probe) -> str:
    """Write weights as JSON, rounded: a fourth digit decides nothing."""
    weights = {
        role: {
            "bias": round(w.bias, 4),
            "features": {name: round(value, 4) for name, value in sorted(w.features.items())},
            "embedding": [round(float(value), 4) for value in w.embedding],
        }
        for role, w in probe.weights.items()
    }
    data = {"encoder": probe.encoder, "corpus": probe.corpus, "weights": weights}
    return json.dumps(data, indent=1) + "\n"
