"""Generated workspaces, each indexed once a run as the daemon does it, with bare legs beside it.

What is measured on a large workspace starts a daemon on a ready index: making it takes minutes.
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar, get_args

import numpy as np

from bench import bare, corpus, live
from hippod import chunks, config
from hippod.models import Vectors
from hippod.models.wordllama import WordLlamaEmbedder

T = TypeVar("T")

_FULL_TEXT = "bare.sqlite"
_VECTORS = "vectors.npy"
_PLACES = "places.json"
_TUNING = 50


@dataclass(frozen=True, slots=True)
class Indexed:
    """A workspace below `folder` with its index; how many seconds each part of making it took."""

    folder: Path
    files: int
    units: int
    searchable: float
    """Until all of it is found by words and by exact vectors."""
    graph: float | None
    """More, until the graph answers; None where there are too few vectors for one."""
    unchanged: float
    """To look at all files again and find nothing to do."""
    embedding: float
    """For the bare embedder to embed the same texts."""
    full_text: float
    """For a bare FTS5 table of the same texts."""

    def vectors(self) -> Vectors:
        """Return the bare embedder's vector of every unit."""
        rows: Vectors = np.load(self.folder / _VECTORS)
        return rows

    def places(self) -> list[tuple[str, int]]:
        """Return path and first line of every unit, by its row in the bare legs."""
        rows = json.loads((self.folder / _PLACES).read_bytes())
        return [(path, line) for path, line in rows]

    def words(self) -> bare.Words:
        """Open the bare lexical leg."""
        return bare.Words(self.folder / _FULL_TEXT)


@cache
def workspace(base: Path, files: int) -> Indexed:
    """Make and index a workspace of `files` documents below `base`, once.

    Half of the texts are embedded before and half after the indexing, so that what else the
    machine does at the moment weighs on both sides.
    """
    folder = base / f"indexed-{files}"
    made = corpus.documents(files)
    corpus.fill(folder / "workspace", made)
    units = _units(made)
    texts = [text for _, _, text in units]
    embedder = WordLlamaEmbedder()
    embedder.embed_query("warm")
    half = len(texts) // 2
    first, before = _timed(lambda: bare.embed(embedder, texts[:half]))
    with live.assembled(folder) as parts:
        report, searchable = _timed(parts.index.reconcile)
        has_graph, graph = _timed(parts.index.build_graph)
        _, unchanged = _timed(parts.index.reconcile)
    second, after = _timed(lambda: bare.embed(embedder, texts[half:]))
    (folder / _PLACES).write_text(json.dumps([(path, line) for path, line, _ in units]))
    np.save(folder / _VECTORS, np.concatenate([first, second]))
    _, full_text = _timed(lambda: bare.full_text(folder / _FULL_TEXT, texts))
    return Indexed(
        folder, files, report.units, searchable, graph if has_graph else None, unchanged,
        before + after, full_text,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Graph:
    """A bare graph of a workspace's vectors, as wide as needed; the seconds that it took."""

    graph: bare.Graph
    seconds: float
    recall: float


@cache
def graph(base: Path, files: int) -> Graph:
    """Build a graph once, and tune it with questions of all classes."""
    vectors = workspace(base, files).vectors()
    made, seconds = _timed(lambda: bare.Graph(vectors))
    return Graph(made, seconds, made.widen(bare.Exact(vectors), question_vectors(_TUNING)))


def question_vectors(count: int) -> list[Vectors]:
    """Return the vectors of `count` questions of each class."""
    embedder = WordLlamaEmbedder()
    kinds = get_args(corpus.QuestionClass)
    return [embedder.embed_query(text) for kind in kinds for text in corpus.questions(kind, count)]


def legs(base: Path, files: int) -> bare.Legs:
    """Return the bare legs over the texts of a workspace."""
    made = workspace(base, files)
    searches = (bare.Exact(made.vectors()), graph(base, files).graph)
    return bare.Legs(made.words(), searches, WordLlamaEmbedder())


def _units(made: dict[str, str]) -> list[tuple[str, int, str]]:
    """Return path, first line and what is searched of every unit, as the daemon cuts them."""
    cut = config.Chunking()
    return [
        (path, unit.line_start, f"{unit.header}\n{unit.content}")
        for path, text in made.items()
        for unit in chunks.units(
            path, text, max_size=cut.max_chunk_size, overlap=cut.overlap, split_on=cut.split_on,
            zone=config.Config().zone,
        )
    ]  # fmt: skip


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    began = time.perf_counter()
    made = work()
    return made, time.perf_counter() - began
