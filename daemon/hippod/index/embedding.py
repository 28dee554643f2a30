"""Texts to sound vectors: what the embedder gives is checked before anything believes it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hippod.errors import ModelError, ModelTimeout, ModelUnavailable
from hippod.index.vectors import Matrix
from hippod.models import Embedder

_LEAST_NORM = 1e-6


@dataclass(frozen=True, slots=True)
class Rejected:
    """Why a text has no vector; `final` if trying again would give the same."""

    reason: str
    final: bool


_NOT_FINITE = Rejected("the vector is not finite", final=True)
_ZERO = Rejected("the vector is zero", final=True)


def embed_texts(embedder: Embedder, texts: Sequence[str]) -> list[Matrix | Rejected]:
    """Return a normalised vector for each text, or why there is none.

    A failure of a batch is narrowed down to the texts that cause it. Raises `ModelError` if the
    embedder itself fails: it is unavailable, too slow, gives the wrong width, or no text of
    several succeeds.
    """
    found = _narrowed(embedder, texts)
    failures = [each for each in found if isinstance(each, Rejected) and not each.final]
    if len(failures) == len(found) > 1:
        raise ModelError(f"the embedder fails at every text: {failures[0].reason}")
    return found


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
            return [Rejected(error.message, final=False)]
    middle = len(texts) // 2
    return _narrowed(embedder, texts[:middle]) + _narrowed(embedder, texts[middle:])


def _checked(embedder: Embedder, texts: Sequence[str]) -> list[Matrix | Rejected]:
    rows = np.asarray(embedder.embed_documents(texts), dtype=np.float32)
    if rows.ndim != 2 or len(rows) != len(texts):
        raise ModelError(f"the embedder gave shape {rows.shape} for {len(texts)} texts")
    _check_width(embedder, rows.shape[1])
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
