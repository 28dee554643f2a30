"""How good recall is on LoCoMo conversations: recall@10, MRR and nDCG@10 of evidence turns.

The data set is not part of the project; give its folder (`*.json`, a list of conversations as
published). Each session becomes a daily log, each question a recall through the whole pipeline.

    python -m bench.retrieval --data FOLDER [--json]
"""

import argparse
import hashlib
import json
import math
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hippod import config, log, wire
from hippod.documents import FileStat, Scan
from hippod.index import Index
from hippod.models.wordllama import WordLlamaEmbedder
from hippod.recall import recall
from hippod.workspace import Loaded

DEPTH = 10
NOW = datetime(2026, 1, 1, tzinfo=UTC)
MODES: dict[str, dict[str, Any]] = {
    "lexical": {"mode": "lexical"},
    "vector": {"mode": "vector"},
    "hybrid": {"mode": "hybrid"},
    "hybrid, RRF": {"mode": "hybrid", "fusion": "rrf"},
}


@dataclass(frozen=True)
class Score:
    """Means over all questions, in percent."""

    questions: int
    recall: float
    mrr: float
    ndcg: float


class Notes:
    """A conversation as daily logs in memory; `place` tells the line of each turn."""

    def __init__(self, conversation: dict[str, Any]) -> None:
        self.texts: dict[str, list[str]] = {}
        self.place: dict[str, tuple[str, int]] = {}
        number = 1
        while turns := conversation.get(f"session_{number}"):
            self._add(datetime_of(conversation[f"session_{number}_date_time"]), turns)
            number += 1

    def _add(self, when: datetime, turns: Sequence[dict[str, Any]]) -> None:
        path = f"memory/{when:%Y-%m-%d}.md"
        lines = self.texts.setdefault(path, [f"# Daily Log - {when:%Y-%m-%d}", ""])
        lines += [f"## {when:%H:%M}", ""]
        for turn in turns:
            lines.append(f"**{turn['speaker']}**: {' '.join(turn['text'].split())}")
            self.place[turn["dia_id"]] = (path, len(lines))
        lines.append("")

    def scan(self) -> Scan:
        files = {path: self.load(path).stat for path in self.texts}
        return Scan(files, {}, (), (), 0, 0)

    def load(self, path: str) -> Loaded:
        text = "\n".join(self.texts[path])
        digest = hashlib.sha256(text.encode()).hexdigest()
        return Loaded(path, text, digest, FileStat(path, len(text), 0, 0))


def datetime_of(text: str) -> datetime:
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def questions_of(sample: dict[str, Any], notes: Notes) -> Iterator[tuple[str, list[str]]]:
    for asked in sample["qa"]:
        named = re.findall(r"D\d+:\d+", " ".join(asked.get("evidence", ())))
        evidence = [turn for turn in dict.fromkeys(named) if turn in notes.place]
        if evidence:
            yield asked["question"], evidence


def judge(hits: Sequence[wire.Hit], places: Sequence[tuple[str, int]]) -> tuple[float, ...]:
    """Return recall, reciprocal rank and nDCG of one question."""
    found = [
        {p for p in places if p[0] == hit.path and hit.line_start <= p[1] <= hit.line_end}
        for hit in hits
    ]
    covered: set[tuple[str, int]] = set().union(*found)
    ranks = [rank for rank, turns in enumerate(found) if turns]
    gain = sum(1 / math.log2(rank + 2) for rank in ranks)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(DEPTH, max(len(places), len(ranks)))))
    return len(covered) / len(places), 1 / (ranks[0] + 1) if ranks else 0.0, gain / ideal


def measure(samples: Sequence[dict[str, Any]]) -> dict[str, Score]:
    embedder = WordLlamaEmbedder()
    results: dict[str, list[tuple[float, ...]]] = {name: [] for name in MODES}
    for sample in samples:
        notes = Notes(sample["conversation"])
        with tempfile.TemporaryDirectory() as folder:
            index = Index(Path(folder), notes, embedder, chunking=config.Chunking(), zone=UTC)
            index.reconcile()
            for question, evidence in questions_of(sample, notes):
                places = [notes.place[turn] for turn in evidence]
                for name, fields in MODES.items():
                    request = wire.RecallRequest(query=question, limit=DEPTH, **fields)
                    answer = recall(
                        request, index, embedder, config.Recall(),
                        now=NOW, zone=UTC, group_paths=(),
                    )  # fmt: skip
                    results[name].append(judge(answer.hits, places))
            index.close()
    return {name: mean(rows) for name, rows in results.items()}


def mean(rows: Sequence[tuple[float, ...]]) -> Score:
    columns = [100 * sum(column) / len(rows) for column in zip(*rows, strict=True)]
    return Score(len(rows), *(round(value, 1) for value in columns))


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of LoCoMo JSON files")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args(arguments)
    log.configure("warning", "console")
    files = sorted(given.data.glob("*.json"))
    scores = measure([sample for file in files for sample in json.loads(file.read_text())])
    if given.json:
        print(json.dumps({name: asdict(score) for name, score in scores.items()}, indent=2))
        return 0
    print(f"{'':14}{'R@10':>7}{'MRR':>7}{'nDCG':>7}   ({scores['hybrid'].questions} questions)")
    for name, score in scores.items():
        print(f"{name:14}{score.recall:7.1f}{score.mrr:7.1f}{score.ndcg:7.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
