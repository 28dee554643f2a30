"""The two search legs without hippod: plain FTS5 and a plain matrix product on the same texts."""

from collections.abc import Sequence
from pathlib import Path

import apsw
import numpy as np

from hippod import tokens
from hippod.models import Embedder, Vectors

_DEPTH = 50
_AT_ONCE = 512


def embed(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Return one row a text, in batches as the index makes them."""
    parts = [
        embedder.embed_documents(texts[start : start + _AT_ONCE])
        for start in range(0, len(texts), _AT_ONCE)
    ]
    return np.concatenate(parts)


def full_text(path: Path, texts: Sequence[str]) -> apsw.Connection:
    """Return a new database with one FTS5 table `words` of the texts, rowids from 0."""
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
    return connection


class Legs:
    """Both legs in this process."""

    def __init__(self, path: Path, texts: Sequence[str], embedder: Embedder) -> None:
        self._connection = full_text(path, texts)
        self._embedder = embedder
        self._matrix = embed(embedder, texts)

    def ask(self, question: str) -> int:
        """Find the best 50 by words and the best 50 by vector; return how many there are."""
        expression = tokens.match_expression(tokens.terms(question))
        by_words = self._connection.execute(
            "SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?",
            (expression, _DEPTH),
        ).fetchall()
        scores = self._matrix @ self._embedder.embed_query(question)
        best = np.argpartition(scores, -min(_DEPTH, len(scores)))[-_DEPTH:]
        return len({row for row, _ in by_words} | set(best.tolist()))

    def close(self) -> None:
        """Close the database."""
        self._connection.close()
