"""Common words: how fast they are answered, and how far the bound on them changes the answer.

What is compared with is plain FTS5 on the same texts, which scores every row that has a word.
"""

import time
from pathlib import Path

from bench import corpus, indexed, live
from bench.report import Budget, Result, Row, Spread
from bench.scale import Scale
from hippod import wire

LEAST_OVERLAP = 0.9
BEST = 10
_ONLY_BM25 = {"HIPPOD_RECALL__FILE_PRIOR": "0"}

Place = tuple[str, int]


def measure(scale: Scale, folder: Path) -> Result:
    """Ask common words by words alone, of hippod and of plain FTS5, in one process."""
    made = indexed.workspace(folder.parent, scale.files)
    questions = corpus.questions("common", scale.queries)
    places, words = made.places(), made.words()
    ours: list[float] = []
    whole: list[float] = []
    shares: list[float] = []
    with live.assembled(made.folder, _ONLY_BM25) as parts:
        for question in questions:
            request = wire.RecallRequest(query=question, mode="lexical", limit=BEST)
            began = time.perf_counter()
            answer = parts.memory.recall(request)
            between = time.perf_counter()
            rows = words.ask(question)
            whole.append(1000 * (time.perf_counter() - between))
            ours.append(1000 * (between - began))
            found = [(hit.path, hit.line_start) for hit in answer.hits]
            shares.append(overlap(found, [places[row] for row in rows]))
    words.close()
    title = f"Common words: {made.units:,} units, {len(questions)} questions of eight words"
    return Result(title, (
        Row("words alone, in one process", "ms", Spread.of(ours), "FTS5 top 50", Spread.of(whole)),
        Row(f"overlap@{BEST} with FTS5, mean", "", Spread(sum(shares) / len(shares)),
            budget=Budget("p50", least=LEAST_OVERLAP)),
    ))  # fmt: skip


def overlap(ours: list[Place], whole: list[Place]) -> float:
    """Return the share of the best ten of `whole` that are among ours.

    1 where both are empty.
    """
    best = whole[:BEST]
    return len({*ours} & {*best}) / len({*best}) if best else float(not ours)
