"""An HNSW graph over vectors, and its file: a cache that is believed only if it is intact.

hnswlib crashes when searched and changed at once, loads damaged files and files of another
width without a word, and rewrites its file in place. So every call holds a lock, and the file
is replaced as a whole and has its description and hash beside it.
"""

import contextlib
import functools
import hashlib
import json
import math
import os
import struct
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hnswlib
import numpy as np
import structlog
from numpy.typing import NDArray

logger = structlog.get_logger()

_LINKS = 32
"""Costs 140 bytes a vector more than 16, and to find as much half the time."""
_EF_CONSTRUCTION = 200
_LEAST_EF, _EF_GROWTH = 128, 1.5
"""Candidates that a search keeps: at least so many, and so many times the square root of the size.

On vectors of random sentences, which crowd least, it then finds 98 % of the nearest ten, be they
20,000 or 100,000.
"""
_ADD_STEP = 32
"""Rows that are added while searches wait: some 20 ms."""
_WORN_SHARE = 0.3
_HEADER = struct.Struct("=QQQQQQiIQQQdQ")
"""As hnswlib 0.8 writes it: offset of level 0, capacity, count, size of an element, offset of its
label and of its vector, highest level, entry point, most links, those on level 0, ...
"""


class Graph:
    """Labels and unit vectors, nearest by inner product. Safe to use from several threads."""

    def __init__(self, dimension: int, capacity: int) -> None:
        self.dimension = dimension
        self.changed = False
        self._dead: set[int] = set()
        self._lock = threading.Lock()
        self._index: Any = hnswlib.Index("ip", dimension)
        self._index.init_index(max(capacity, 1024), M=_LINKS, ef_construction=_EF_CONSTRUCTION)
        self._index.set_num_threads(1)

    @classmethod
    def load(cls, file: Path, dimension: int, identity: str) -> "Graph | None":
        """Read a saved graph; None if there is none for these vectors or it is damaged."""
        try:
            about = json.loads(_sidecar(file).read_bytes())
            expected = {"identity": identity, "dimension": dimension, "sha256": _sha256(file)}
            if any(about.get(key) != value for key, value in expected.items()):
                raise ValueError("it belongs to other vectors, or is damaged")
            _check_header(file, dimension, about["count"])
            graph = cls(dimension, 1)
            graph._index = hnswlib.Index("ip", dimension)
            graph._index.load_index(os.fsencode(file), max_elements=about["count"] + 1024)
            graph._index.set_num_threads(1)
            graph._dead = set(about["dead"])
        except FileNotFoundError:
            return None
        except (
            OSError,
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
            RuntimeError,
            struct.error,
        ) as error:
            logger.warning("vectors.graph_refused", reason=str(error))
            return None
        return graph

    @property
    def worn(self) -> bool:
        """Whether so much was deleted that it should be built anew."""
        return len(self._dead) > _WORN_SHARE * int(self._index.get_current_count())

    @property
    def has_dead(self) -> bool:
        """Whether something that was deleted still stands in it."""
        return bool(self._dead)

    def ids(self) -> NDArray[np.int64]:
        """Return the labels that are not deleted."""
        with self._lock:
            held = np.array(self._index.get_ids_list(), dtype=np.int64)
            dead = np.array(sorted(self._dead), dtype=np.int64)
        return np.setdiff1d(held, dead)

    def add(self, ids: NDArray[np.int64], rows: NDArray[np.float32]) -> None:
        """Add vectors under new labels, growing as needed."""
        for start in range(0, len(ids), _ADD_STEP):
            part = slice(start, start + _ADD_STEP)
            with self._lock:
                self._grow(len(ids[part]))
                self._index.add_items(rows[part], ids[part])
                self.changed = True

    def remove(self, ids: Sequence[int]) -> None:
        """Mark labels as deleted; unknown ones are ignored."""
        with self._lock:
            for label in ids:
                try:
                    self._index.mark_deleted(label)
                except RuntimeError:  # unknown, or deleted already
                    continue
                self._dead.add(label)
                self.changed = True

    def nearest(self, query: NDArray[np.float32], limit: int) -> list[int] | None:
        """Return about the nearest labels; None where the graph cannot answer."""
        with self._lock:
            limit = min(limit, self._index.get_current_count() - len(self._dead))
            if limit < 1 or query.shape != (self.dimension,):
                return None
            try:
                self._index.set_ef(max(_ef(self._index.get_current_count()), limit))
                labels, _ = self._index.knn_query(query, k=limit, num_threads=1)
            except RuntimeError:  # fewer were reached than asked for
                return None
        return [int(label) for label in labels[0]]

    def save(self, file: Path, identity: str) -> None:
        """Replace the file; on failure the old one stays and is refused by its hash or ids."""
        temporary = file.with_name(f"{file.name}.new")
        try:
            with self._lock:
                self._index.save_index(os.fsencode(temporary))
                about = {
                    "identity": identity,
                    "dimension": self.dimension,
                    "count": self._index.get_current_count(),
                    "dead": sorted(self._dead),
                }
                self.changed = False
                # A full disk is no error to hnswlib: it leaves a short file.
                if temporary.stat().st_size != self._index.index_file_size():
                    raise OSError("the file could not be written whole")
            about["sha256"] = _sha256(temporary)
            _sync(temporary)
            temporary.replace(file)
            temporary.write_text(json.dumps(about))
            _sync(temporary)
            temporary.replace(_sidecar(file))
            _sync(file.parent)
        except (OSError, RuntimeError) as error:
            self.changed = True
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            logger.warning("vectors.graph_not_saved", reason=str(error))

    def _grow(self, more: int) -> None:
        needed = self._index.get_current_count() + more
        if needed > self._index.get_max_elements():
            self._index.resize_index(max(needed, 2 * self._index.get_max_elements()))


@functools.cache
def problem() -> str:
    """Add and find one vector; return what is wrong with the library, empty if it works."""
    row = np.eye(1, 4, dtype=np.float32)
    try:
        graph = Graph(4, 1)
        graph.add(np.array([7]), row)
        found = graph.nearest(row[0], 1)
    except (AttributeError, OSError, RuntimeError, TypeError, ValueError) as error:
        found, reason = None, f"{type(error).__name__}: {error}"
    else:
        reason = "it does not find what was added"
    if found == [7]:
        return ""
    logger.error("vectors.graph_library_broken", reason=reason)
    return f"the library hnswlib does not work ({reason}): searches stay exact, and slower"


def fault(file: Path) -> str:
    """Say why a saved graph will not be believed; empty if it will, or if there is none."""
    if not file.exists():
        return ""
    try:
        about = json.loads(_sidecar(file).read_bytes())
        if about["sha256"] != _sha256(file):
            return "it is not as it was saved"
        _check_header(file, about["dimension"], about["count"])
    except FileNotFoundError:
        return "its description is missing"
    except (OSError, ValueError, LookupError, TypeError, struct.error) as error:
        return str(error) or type(error).__name__
    return ""


def discard(file: Path) -> None:
    """Delete a saved graph."""
    for path in (file, _sidecar(file), file.with_name(f"{file.name}.new")):
        path.unlink(missing_ok=True)


def _ef(count: int) -> int:
    return max(_LEAST_EF, int(_EF_GROWTH * math.sqrt(count)))


def _check_header(file: Path, dimension: int, count: int) -> None:
    """Compare the file's own header with what it must say: the library only believes it."""
    with file.open("rb") as stream:
        header = _HEADER.unpack(stream.read(_HEADER.size))
    _, most, held, size, label, data, _, _, links, links_0 = header[:10]
    expected = (count, 4 * dimension, _LINKS, 2 * _LINKS)
    if (held, label - data, links, links_0) != expected or held > most:
        raise ValueError("its header tells of other vectors")
    if file.stat().st_size < _HEADER.size + held * size:
        raise ValueError("it is shorter than its header says")


def _sidecar(file: Path) -> Path:
    return file.with_name(f"{file.name}.json")


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
