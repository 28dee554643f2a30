"""Index throughput: the whole way from files to words and vectors, against the bare embedder."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from bench import bare, corpus
from bench.report import Result, Row, Spread
from bench.scale import Scale
from hippod import config
from hippod.index import Index
from hippod.models import Embedder, Vectors
from hippod.models.wordllama import WordLlamaEmbedder
from hippod.state import State
from hippod.workspace import Workspace


class Recorder:
    """An embedder that keeps the texts it was given to embed."""

    def __init__(self, embedder: Embedder) -> None:
        self.texts: list[str] = []
        self._embedder = embedder
        self.model_id = embedder.model_id
        self.dimension = embedder.dimension

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return self._embedder.embed_documents(texts)

    def embed_query(self, text: str) -> Vectors:
        return self._embedder.embed_query(text)


def measure(scale: Scale, folder: Path) -> Result:
    """Index a workspace several times, and embed the same texts beside it each time."""
    corpus.fill(folder / "workspace", corpus.documents(scale.files))
    embedder = WordLlamaEmbedder()
    runs = [
        _run(folder / "workspace", folder / f"run-{n}", embedder) for n in range(scale.index_runs)
    ]
    indexing, looking, embedding, words, units, texts = map(median, zip(*runs, strict=True))
    each = Spread(1000 * indexing / units)
    return Result(
        f"Index: {scale.files:,} files, {units:,.0f} units, median of {scale.index_runs} runs",
        (
            Row("index, a unit", "ms", each, "bare embedder", Spread(1000 * embedding / texts)),
            Row("index, a unit", "ms", each, "bare embedder + FTS5",
                Spread(1000 * (embedding + words) / texts)),
            Row("look at all files, nothing changed", "ms", Spread(1000 * looking)),
        ),
        {
            "units a second": units / indexing,
            "bare embedder, texts a second": texts / embedding,
            "whole index, seconds": indexing,
        },
    )  # fmt: skip


def _run(root: Path, folder: Path, embedder: Embedder) -> tuple[float, ...]:
    """Return seconds to index, to find nothing new, to embed, to fill FTS5; units and texts."""
    folder.mkdir()
    recorder = Recorder(embedder)
    state = State(folder / "state.sqlite")
    index = Index(
        folder,
        Workspace(root, state),
        recorder,
        chunking=config.Chunking(),
        zone=config.Config().zone,
    )
    first, again = index.reconcile(), index.reconcile()
    index.close()
    state.close()
    embedding = _seconds(lambda: bare.embed(embedder, recorder.texts))
    words = _seconds(lambda: bare.full_text(folder / "bare.sqlite", recorder.texts).close())
    return first.seconds, again.seconds, embedding, words, first.units, len(recorder.texts)


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
