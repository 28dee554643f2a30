"""The two search legs without hippod: plain FTS5, and vectors by the faster of two searches."""

import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import apsw
import hnswlib
import numpy as np

from hippod import tokens
from hippod.models import Embedder, Vectors

DEPTH = 50
"""How many each leg finds."""
LINKS, BUILD_WIDTH = 32, 200
"""M and ef_construction of the graph, as hippod's."""
WIDTHS = (128, 200, 300, 400, 600, 800, 1_200)
"""ef, of which the graph takes the first that finds `ENOUGH` of the ten nearest."""
ENOUGH = 0.98
BEST = 10
_AT_ONCE = 512
_TRIALS = 20
_PAGES_BYTES = 256 << 20


def embed(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Return one row a text, in batches as the index makes them."""
    parts = [
        embedder.embed_documents(texts[start : start + _AT_ONCE])
        for start in range(0, len(texts), _AT_ONCE)
    ]
    return np.concatenate(parts)


def full_text(path: Path, texts: Sequence[str]) -> None:
    """Make a database with one FTS5 table `words` of the texts, rowids from 0."""
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "WAL")
    connection.execute(
        f'CREATE VIRTUAL TABLE words USING fts5(text, tokenize="{tokens.FTS5_TOKENIZE}")'
    )
    with connection:
        connection.executemany(
            "INSERT INTO words(rowid, text) VALUES(?, ?)",
            ((row, tokens.fts_text(text)) for row, text in enumerate(texts)),
        )
    connection.close()


class Words:
    """The lexical leg alone: FTS5 by BM25, all of it in memory once it is warm."""

    def __init__(self, path: Path) -> None:
        self._connection = apsw.Connection(str(path))
        self._connection.pragma("cache_size", -_PAGES_BYTES // 1024)
        self._connection.pragma("mmap_size", _PAGES_BYTES)

    def ask(self, question: str) -> list[int]:
        """Return the rows of the best 50, best first."""
        expression = tokens.match_expression(tokens.terms(question))
        found = self._connection.execute(
            "SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?",
            (expression, DEPTH),
        )
        return [row for row, _ in found]

    def close(self) -> None:
        """Close the database."""
        self._connection.close()


class Exact:
    """Every row compared: one matrix product by the linear algebra library, on one thread."""

    def __init__(self, matrix: Vectors) -> None:
        self._matrix = matrix

    def nearest(self, query: Vectors, count: int = DEPTH) -> list[int]:
        """Return the rows nearest to `query`, nearest first."""
        scores = self._matrix @ query
        count = min(count, len(scores))
        best = np.argpartition(scores, -count)[-count:]
        found: list[int] = best[np.argsort(-scores[best])].tolist()
        return found

    def cosines(self, query: Vectors, count: int = DEPTH) -> list[float]:
        """Return the largest cosines, the largest first."""
        best: list[float] = np.sort(self._matrix @ query)[::-1][:count].tolist()
        return best


class Graph:
    """An HNSW graph of hnswlib, asked and built on one thread."""

    def __init__(self, matrix: Vectors) -> None:
        self._index: Any = hnswlib.Index("ip", matrix.shape[1])
        self._index.init_index(len(matrix), M=LINKS, ef_construction=BUILD_WIDTH)
        self._index.set_num_threads(1)
        self._index.add_items(matrix, np.arange(len(matrix)))
        self.width = DEPTH

    def widen(self, exact: Exact, queries: Sequence[Vectors]) -> float:
        """Search as widely as finds enough of what `exact` finds; return the share it finds."""
        nearest = [{*exact.nearest(query, BEST)} for query in queries]
        share = 0.0
        for self.width in WIDTHS:
            self._index.set_ef(self.width)
            found = [{*self.nearest(query)[:BEST]} for query in queries]
            pairs = zip(nearest, found, strict=True)
            share = sum(len(a & b) for a, b in pairs) / sum(map(len, nearest))
            if share >= ENOUGH:
                break
        return share

    @property
    def size(self) -> int:
        """Bytes, its own copy of the vectors included."""
        return int(self._index.index_file_size())

    def nearest(self, query: Vectors, count: int = DEPTH) -> list[int]:
        """Return about the rows nearest to `query`, nearest first."""
        count = min(count, self._index.get_current_count())
        labels, _ = self._index.knn_query(query, k=count, num_threads=1)
        found: list[int] = labels[0].tolist()
        return found


class Legs:
    """Both legs in this process, the vectors by whichever of the two searches is faster here."""

    def __init__(self, words: Words, searches: Sequence[Exact | Graph], embedder: Embedder) -> None:
        self._words = words
        self._embedder = embedder
        self._vectors = min(searches, key=self._milliseconds)

    @property
    def engine(self) -> str:
        """Which search answers: `exact` or `graph`."""
        return type(self._vectors).__name__.lower()

    def ask(self, question: str) -> int:
        """Find the best 50 by words and the best 50 by vector; return how many there are."""
        by_words = self._words.ask(question)
        return len({*by_words, *self._vectors.nearest(self._embedder.embed_query(question))})

    def _milliseconds(self, search: Exact | Graph) -> float:
        return median(
            milliseconds(search, self._embedder.embed_query(f"trial {n}")) for n in range(_TRIALS)
        )


def milliseconds(search: Exact | Graph, query: Vectors) -> float:
    """Return how long one search takes."""
    began = time.perf_counter()
    search.nearest(query)
    return 1000 * (time.perf_counter() - began)
