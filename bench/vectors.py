"""When does HNSW pay: the exact product against a graph, on vectors of generated texts."""

from pathlib import Path

from bench import bare, corpus, indexed
from bench.report import Budget, Result, Row, Spread
from bench.scale import Scale
from hippod.models import Vectors
from hippod.models.wordllama import WordLlamaEmbedder

LEAST_RECALL = 0.98
"""Share of the ten nearest that the graph finds."""
_BEST = 10


def measure(scale: Scale, folder: Path) -> Result:
    """Ask both for the nearest 50, at every size, with the vectors of mixed questions."""
    embedder = WordLlamaEmbedder()
    questions = [embedder.embed_query(text) for text in corpus.questions("mixed", scale.queries)]
    rows: list[Row] = []
    facts: dict[str, float] = {}
    for files in scale.sizes:
        matrix = indexed.workspace(folder.parent, files).vectors()
        graph, seconds = indexed.graph(folder.parent, files)
        size = f"{len(matrix):,} vectors"
        rows += _rows(size, bare.Exact(matrix), graph, questions)
        facts[f"build of {size}, s"] = seconds
    kind = f"M={bare.LINKS}, ef_construction={bare.BUILD_WIDTH}, ef={bare.WIDTH}"
    return Result(f"When does HNSW pay: the nearest {bare.DEPTH}, {kind}", tuple(rows), facts)


def _rows(
    size: str, exact: bare.Exact, graph: bare.Graph, questions: list[Vectors]
) -> tuple[Row, Row]:
    product = Spread.of([bare.milliseconds(exact, question) for question in questions])
    links = Spread.of([bare.milliseconds(graph, question) for question in questions])
    found = sum(
        len({*exact.nearest(question)[:_BEST]} & {*graph.nearest(question)[:_BEST]})
        for question in questions
    )
    share = Spread(found / (_BEST * len(questions)))
    return (
        Row(f"{size}: HNSW", "ms", links, "exact product", product),
        Row(f"{size}: HNSW recall@10", "", share, budget=Budget("p50", least=LEAST_RECALL)),
    )
