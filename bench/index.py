"""Index throughput: from files to words and exact vectors, against the bare embedder."""

from pathlib import Path

from bench import indexed
from bench.indexed import Indexed
from bench.report import Budget, Result, Row, Spread
from bench.scale import Scale

LEAST_THROUGHPUT = 0.7
"""Of the bare embedder's."""


def measure(scale: Scale, folder: Path) -> Result:
    """Index the large workspaces; the graph is built later and reported by itself."""
    made = [indexed.workspace(folder.parent, files) for files in scale.sizes]
    rows = [row for each in made for row in _rows(each)]
    largest = made[-1]
    facts = {
        "units a second": largest.units / largest.searchable,
        "bare embedder, texts a second": largest.units / largest.embedding,
    }
    return Result("Index: searchable by words and exact vectors, a unit", tuple(rows), facts)


def _rows(made: Indexed) -> list[Row]:
    size = f"{made.units:,} units"
    speed = Spread(made.units / made.searchable)
    embedder = Spread(made.units / made.embedding)
    both = Spread(made.units / (made.embedding + made.full_text))
    rows = [
        Row(size, "1/s", speed, "bare embedder", embedder,
            Budget("ratio", least=LEAST_THROUGHPUT)),
        Row(size, "1/s", speed, "bare embedder + FTS5", both),
        Row(f"{size}: look again, no change", "s", Spread(made.unchanged)),
    ]  # fmt: skip
    if made.graph is not None:
        built = Spread(made.graph)
        rows.append(Row(f"{size}: HNSW graph, later", "s", built, "until searchable",
                        Spread(made.searchable)))  # fmt: skip
    return rows
