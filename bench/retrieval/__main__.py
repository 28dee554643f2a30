"""Measure recall on LoCoMo conversations: per leg, per level (see `score`) and per category.

    python -m bench.retrieval --data FOLDER [--json] [--embedder NAME]

The data set is not part of the project; give a folder of its files (`*.json` as published). Each
session becomes a daily log, each question a recall through the whole pipeline with the defaults.
"""

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.retrieval import locomo, score
from bench.retrieval.locomo import Conversation, Documents, Faulty
from bench.retrieval.score import Found, Scores
from hippod import config, log, wire
from hippod.errors import HippodError
from hippod.index import Index
from hippod.models import Embedder
from hippod.models.factory import embedder_from
from hippod.recall import recall

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LEGS: Mapping[str, Mapping[str, Any]] = {
    "hybrid": {"mode": "hybrid"},
    "lexical": {"mode": "lexical"},
    "vector": {"mode": "vector"},
    "rrf": {"mode": "hybrid", "fusion": "rrf"},
}
ALL = "all"

Means = dict[str, dict[str, Scores]]
"""By level, then by leg."""


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    log.configure("warning", "console")
    try:
        embedder = _embedder(options.embedder)
        means = measure(locomo.conversations(options.data), embedder)
    except Faulty as error:
        raise SystemExit(str(error)) from None
    except HippodError as error:
        raise SystemExit(
            f"{error.message}: {error.hint}" if error.hint else error.message
        ) from None
    if options.json:
        categories = {name: of for name, of in means.items() if name != ALL}
        print(json.dumps({**means[ALL], "categories": categories}, indent=2))
    else:
        _print(means)
    return 0


def measure(conversations: Sequence[Conversation], embedder: Embedder | None) -> dict[str, Means]:
    """Ask every question of every leg; return the means of all and of each category.

    Raises `Faulty` if there is no question with evidence.
    """
    rows: dict[tuple[str, str, str], list[Scores]] = defaultdict(list)
    for conversation in conversations:
        for category, leg, scores in _asked(conversation, embedder):
            for level, of_level in scores.items():
                rows[ALL, level, leg].append(of_level)
                rows[category, level, leg].append(of_level)
    if not rows:
        raise Faulty("no question has evidence in its conversation")
    names = [ALL, *sorted({category for category, _, _ in rows} - {ALL})]
    return {
        name: {
            level: {leg: score.mean(rows[name, level, leg]) for leg in LEGS}
            for level in score.LEVELS
        }
        for name in names
    }


def _asked(
    conversation: Conversation, embedder: Embedder | None
) -> Iterator[tuple[str, str, dict[str, Scores]]]:
    documents = Documents(conversation.texts)
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(
            Index(Path(folder), documents, embedder, chunking=config.Chunking(), zone=UTC)
        ) as index,
    ):
        index.reconcile()
        for question in conversation.questions:
            for leg, fields in LEGS.items():
                request = wire.RecallRequest(query=question.text, limit=score.DEPTH, **fields)
                answer = recall(request, index, config.Recall(), now=NOW, zone=UTC, group_paths=())
                found = Found.of(answer.hits, conversation.turns)
                yield question.category, leg, score.judge(found, question.evidence)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.retrieval", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of LoCoMo JSON files")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--embedder", default="wordllama", metavar="NAME", help="a provider that needs no address"
    )
    return parser.parse_args(arguments)


def _embedder(name: str) -> Embedder | None:
    try:
        settings = config.EmbedderConfig.model_validate({"provider": name})
    except ValueError:
        raise Faulty(f"--embedder {name}: there is no such provider") from None
    embedder, why_not = embedder_from(settings)
    if embedder is None and name != "none":
        raise Faulty(f"--embedder {name}: {why_not}")
    return embedder


def _print(means: Mapping[str, Means]) -> None:
    for name, of_levels in means.items():
        questions = int(of_levels["chunk"]["hybrid"]["questions"])
        print(f"\n{name} ({questions} questions), percent")
        print(f"{'':17}{'R@5':>7}{'R@10':>7}{'R@20':>7}{'MRR':>7}{'nDCG':>7}")
        for level, of_legs in of_levels.items():
            for leg, scores in of_legs.items():
                shown = [value for key, value in scores.items() if key != "questions"]
                print(f"{level:8} {leg:8}" + "".join(f"{100 * each:7.1f}" for each in shown))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
