"""When does HNSW pay: the exact product against a graph, on vectors of generated texts."""

from collections.abc import Sequence
from pathlib import Path

from bench import bare, indexed, live
from bench.indexed import Indexed
from bench.report import Budget, Result, Row, Spread
from bench.scale import Scale
from hippod.models import Vectors
from hippod.query import Where

LEAST_RECALL = 0.98
_ROUNDING = 2e-4
"""By so much cosines differ because the index keeps vectors in half precision."""


def measure(scale: Scale, folder: Path) -> Result:
    """Ask both for the nearest 50 at every size, then hippod's index for what it finds."""
    questions = indexed.question_vectors(scale.queries // 2)
    rows: list[Row] = []
    facts: dict[str, str] = {}
    for files in scale.sizes:
        made = indexed.workspace(folder.parent, files)
        built = indexed.graph(folder.parent, files)
        rows += _rows(made, built.graph, questions)
        width = f"ef {built.graph.width}, recall@{bare.BEST} {built.recall:.3f}"
        facts[f"HNSW of {made.units:,}"] = f"{width}, built in {built.seconds:.1f} s"
    kind = f"M={bare.LINKS}, ef_construction={bare.BUILD_WIDTH}, ef for recall {bare.ENOUGH}"
    return Result(f"When does HNSW pay: nearest {bare.DEPTH}, {kind}", tuple(rows), facts)


def _rows(made: Indexed, graph: bare.Graph, questions: Sequence[Vectors]) -> list[Row]:
    exact = bare.Exact(made.vectors())
    product = Spread.of([bare.milliseconds(exact, question) for question in questions])
    links = Spread.of([bare.milliseconds(graph, question) for question in questions])
    engine, share = _of_hippod(made, exact, questions)
    size = f"{made.units:,} vectors"
    return [
        Row(f"{size}: HNSW", "ms", links, "exact product", product),
        Row(f"{size}: recall@{bare.BEST} of hippod ({engine})", "", Spread(share),
            budget=Budget("p50", least=LEAST_RECALL)),
    ]  # fmt: skip


def _of_hippod(made: Indexed, exact: bare.Exact, questions: Sequence[Vectors]) -> tuple[str, float]:
    """Return what searches vectors in hippod's index, and which share of the ten it finds."""
    shares = []
    with live.assembled(made.folder) as parts:
        parts.index.build_graph()  # the saved one is still read
        for question in questions:
            least = exact.cosines(question, bare.BEST)[-1] - _ROUNDING
            with parts.index.view() as view:
                found = view.nearest(question, bare.DEPTH, Where())
            near = sum(cosine >= least for _, cosine in found)
            shares.append(min(near, bare.BEST) / bare.BEST)
        engine = str(parts.index.status()["engine"])
    return engine, sum(shares) / len(shares)
