"""Texts to sound vectors: what the embedder gives is checked before anything believes it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hippod.entries import has_words
from hippod.errors import ModelError, ModelTimeout, ModelUnavailable
from hippod.index.vectors import Matrix
from hippod.models import Embedder

_LEAST_NORM = 1e-6


@dataclass(frozen=True, slots=True)
class Rejected:
    """Why a text has no vector; `final` if trying again would give the same."""

    reason: str
    final: bool


NO_WORDS = Rejected("there are no words in it", final=True)
_NOT_FINITE = Rejected("the vector is not finite", final=True)
_ZERO = Rejected("the vector is zero", final=True)
_NO_VECTOR = Rejected("the embedder gave no vector", final=True)
_HALVINGS = 3
"""How often a text that the embedder refuses is cut in half and tried again."""


def embed_texts(embedder: Embedder, texts: Sequence[str]) -> list[Matrix | Rejected]:
    """Return a normalised vector for each text, or why there is none.

    A failure of a batch is narrowed down to the texts that cause it. Raises `ModelError` if the
    embedder itself fails: it is unavailable, too slow, or gives the wrong width.
    """
    return _narrowed(embedder, texts)


def embed_question(embedder: Embedder, text: str) -> Matrix | None:
    """Return the normalised vector of a query, None if the model sees nothing in it.

    Raises `ModelError` if the embedder fails or gives something that is no vector.
    """
    row = np.asarray(embedder.embed_query(text), dtype=np.float32).reshape(-1)
    _check_width(embedder, len(row))
    checked = _sound(row)
    if checked is _NOT_FINITE:
        raise ModelError("the embedder gives no usable vector for the query")
    return None if isinstance(checked, Rejected) else checked


def _narrowed(embedder: Embedder, texts: Sequence[str]) -> list[Matrix | Rejected]:
    try:
        return _checked(embedder, texts)
    except (ModelUnavailable, ModelTimeout):
        raise
    except ModelError as error:
        if len(texts) == 1:
            return [_shortened(embedder, texts[0], error)]
    middle = len(texts) // 2
    return _narrowed(embedder, texts[:middle]) + _narrowed(embedder, texts[middle:])


def _shortened(embedder: Embedder, text: str, error: ModelError) -> Matrix | Rejected:
    """Embed the head of a text that is refused as a whole: it may be too long for the model."""
    for _ in range(_HALVINGS):
        text = text[: len(text) // 2]
        if not has_words(text):
            break
        try:
            return _checked(embedder, [text])[0]
        except (ModelUnavailable, ModelTimeout):
            raise
        except ModelError:
            continue
    return Rejected(error.message, final=False)


def _checked(embedder: Embedder, texts: Sequence[str]) -> list[Matrix | Rejected]:
    given = embedder.embed_documents(texts)
    if len(given) != len(texts):
        raise ModelError(f"the embedder gave {len(given)} vectors for {len(texts)} texts")
    try:
        rows = np.asarray(given, dtype=np.float32)
    except (TypeError, ValueError):  # rows of several widths, or none for some
        return _one_by_one(embedder, given)
    if rows.ndim != 2:
        raise ModelError(f"the embedder gave shape {rows.shape} for {len(texts)} texts")
    _check_width(embedder, rows.shape[1])
    return _sound_rows(rows)


def _one_by_one(embedder: Embedder, given: Iterable[object]) -> list[Matrix | Rejected]:
    found: list[Matrix | Rejected] = []
    for each in given:
        try:
            row = np.asarray(each, dtype=np.float32)
        except (TypeError, ValueError):
            found.append(_NO_VECTOR)
            continue
        right = row.shape == (embedder.dimension,)
        found.append(_sound(row) if right else _NO_VECTOR)
    return found


def _sound_rows(rows: Matrix) -> list[Matrix | Rejected]:
    norms = np.linalg.norm(rows, axis=1)
    if np.isfinite(norms).all() and (norms > _LEAST_NORM).all():
        return list(rows / norms[:, np.newaxis])
    return [_sound(row) for row in rows]


def _check_width(embedder: Embedder, width: int) -> None:
    if width != embedder.dimension:
        raise ModelUnavailable(
            f"the embedder gave {width} numbers a text where {embedder.dimension} were asked for",
            "check its configured dimension",
        )


def _sound(row: Matrix) -> Matrix | Rejected:
    if not np.isfinite(row).all():
        return _NOT_FINITE
    norm = float(np.linalg.norm(row))
    return _ZERO if norm < _LEAST_NORM else row / np.float32(norm)
