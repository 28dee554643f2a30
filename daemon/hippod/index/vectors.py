"""Vectors in memory: an exact search over one matrix, and a graph above a size.

Below `GRAPH_FROM` vectors a matrix product is as fast as needed, exact and crash-proof. Above,
an HNSW graph (module `graph`) answers, which holds all vectors itself; the matrix beside it, in
half precision, still gives exact cosines and answers what is filtered. All of it is a copy of
the rows in SQLite, which are in half precision, too.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import structlog
from numpy.typing import NDArray

from hippod.index import graph as graphs
from hippod.index.graph import Graph
from hippod.index.progress import Progress

logger = structlog.get_logger()

Ids = NDArray[np.int64]
Matrix = NDArray[np.float32]
"""Shape (n, dimension), rows L2-normalised."""
Halves = NDArray[np.float16]
"""The same in half precision."""

GRAPH_FROM = 20_000
_FIRST_CAPACITY = 256
_DEAD_SHARE = 0.3
_BUILD_STEP = 500
_FEW = 64
"""Vectors that may be added while changes wait: some 50 ms."""
_LOOK_SECONDS = 0.2
"""Who waits for a graph that is read looks so often whether all is to stop."""
_BLOCK = 2_048
"""Rows that are taken out, and widened, at once: few enough to stay near the processor."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The vectors at one moment; never changes, so that threads can search it freely.

    `order` sorts `ids`. `alive` masks rows that were deleted since the matrix was packed.
    """

    ids: Ids
    matrix: Matrix | Halves
    order: Ids
    alive: NDArray[np.bool_]

    def __len__(self) -> int:
        return int(np.count_nonzero(self.alive))

    def nearest(self, query: Matrix, limit: int, among: Ids | None = None) -> tuple[Ids, Matrix]:
        """Return the ids of the `limit` nearest rows with their cosines, nearest first.

        `among` restricts the search to some ids; equal cosines are ordered by id.
        """
        rows = np.flatnonzero(self.alive) if among is None else np.sort(self._rows(among))
        whole = len(rows) == len(self.ids) and self.matrix.dtype == np.float32
        scores = _products(self.matrix, query) if whole else self._products(rows, query)
        if limit < len(scores):
            best = np.argpartition(scores, -limit)[-limit:]
            # All rows as near as the last one, so that ties do not depend on the row order.
            best = np.flatnonzero(scores >= scores[best].min())
        else:
            best = np.arange(len(scores))
        found, cosines = self.ids[rows[best]], scores[best]
        order = np.lexsort((found, -cosines))[:limit]
        return found[order], cosines[order]

    def cosines(self, query: Matrix, ids: Sequence[int]) -> dict[int, float]:
        """Return the exact cosine of each id that has a vector."""
        rows = self._rows(np.array(ids, dtype=np.int64))
        scores = self._products(rows, query)
        return dict(zip(self.ids[rows].tolist(), scores.tolist(), strict=True))

    def live(self) -> tuple[Ids, Matrix | Halves]:
        """Return the ids and rows that are not deleted, by id."""
        ids = self.live_ids()
        return ids, self.matrix[self._rows(ids)]

    def live_ids(self) -> Ids:
        """Return the ids that are not deleted, ascending."""
        return self.ids[self.order[self.alive[self.order]]]

    def wide(self, ids: Ids) -> Matrix:
        """Return the rows of some ids, of those that are known."""
        return self.matrix[self._rows(ids)].astype(np.float32)

    def _products(self, rows: Ids, query: Matrix) -> Matrix:
        scores = np.empty(len(rows), np.float32)
        for start in range(0, len(rows), _BLOCK):
            part = slice(start, start + _BLOCK)
            taken = self.matrix[rows[part]].astype(np.float32, copy=False)
            scores[part] = _products(taken, query)
        return scores

    def _rows(self, ids: Ids) -> Ids:
        if not len(self.ids):
            return np.empty(0, dtype=np.int64)
        places = np.searchsorted(self.ids, ids, sorter=self.order)
        rows = self.order[np.minimum(places, len(self.ids) - 1)]
        known: Ids = rows[(self.ids[rows] == ids) & self.alive[rows]]
        return known


def _products(rows: Any, query: Matrix) -> Matrix:
    # Not `@`: BLAS starts spinning threads, which on busy cores cost 8 ms where this takes 0.3.
    scores: Matrix = np.einsum("ij,j->i", rows, query)
    return scores


class Vectors:
    """The current snapshot and the graph beside it. Writers take turns; readers never wait."""

    def __init__(self, dimension: int, directory: Path, identity: str) -> None:
        self.dimension = dimension
        self._file = directory / "vectors.hnsw"
        self._identity = identity
        self._changing = threading.Lock()
        self._graph: Graph | None = None
        self._loading: threading.Thread | None = None
        self._ending = False
        self._graph_seconds: float | None = None
        self.building: Progress | None = None
        """How far a graph is that is built now."""
        self._buffer: Matrix | Halves
        self._snapshot: Snapshot
        self._fill(np.empty(0, dtype=np.int64), np.empty((0, dimension), dtype=np.float32))

    @property
    def engine(self) -> str:
        """`hnsw` where the graph answers, else `exact`, as while a saved graph is read."""
        return "hnsw" if self._graph else "exact"

    @property
    def wants_graph(self) -> bool:
        """Whether there are vectors enough for a graph, and none that is sound and used.

        While a saved one is read it is not known; then not. Never waits.
        """
        if self._is_loading():
            return False
        graph = self._graph
        enough = len(self._snapshot) >= GRAPH_FROM and self.building is None
        return enough and not graphs.problem() and (graph is None or graph.worn)

    def graph_status(self) -> dict[str, Any]:
        """Say whether a graph is in use, read or built, and how long the last one took to build.

        Never waits.
        """
        return {
            "state": self._graph_state(),
            "seconds": self._graph_seconds,
            "from": GRAPH_FROM,
            "problem": graphs.problem(),
        }

    def snapshot(self) -> Snapshot:
        """Return the vectors as they are now."""
        return self._snapshot

    def load(self, ids: Ids, rows: Matrix | Halves) -> None:
        """Take all vectors, and then, in a thread, the graph that was saved for them if sound."""
        with self._changing:
            self._graph = None
            self._fill(ids, rows)
            if len(ids) >= GRAPH_FROM and self._file.exists() and not graphs.problem():
                self._keep_as(np.float16)
                self._loading = threading.Thread(target=self._load_graph, name="graph")
                self._loading.start()
            else:
                self._keep_as(np.float32)

    def add(self, ids: Sequence[int], rows: Matrix) -> None:
        """Add vectors under new ids."""
        if not len(ids):
            return
        with self._changing:
            self._append(np.array(ids, dtype=np.int64), rows)
            if self._graph:
                self._graph.add(np.array(ids, dtype=np.int64), rows)

    def remove(self, ids: Sequence[int]) -> None:
        """Remove vectors; unknown ids are ignored."""
        if not len(ids):
            return
        with self._changing:
            old = self._snapshot
            alive = old.alive.copy()
            alive[old._rows(np.array(ids, dtype=np.int64))] = False
            self._snapshot = Snapshot(old.ids, old.matrix, old.order, alive)
            if len(alive) - np.count_nonzero(alive) > max(
                _FIRST_CAPACITY, _DEAD_SHARE * len(alive)
            ):
                self._fill(*self._snapshot.live())
            if self._graph:
                self._graph.remove(ids)

    def nearest(self, snapshot: Snapshot, query: Matrix, limit: int) -> tuple[Ids, Matrix]:
        """Return the nearest ids with their exact cosines; by the graph where there is one."""
        graph = self._graph
        found = graph.nearest(query, min(limit, len(snapshot))) if graph else None
        if found is None:
            return snapshot.nearest(query, limit)
        return snapshot.nearest(query, limit, among=np.array(found, dtype=np.int64))

    def build_graph(self, stopped: Callable[[], bool]) -> bool:
        """Make the graph if there are enough vectors and none is usable, and save it.

        Takes minutes for some 100,000 vectors; searches and changes go on meanwhile. Returns
        whether a graph is in use.
        """
        while self._is_loading() and not stopped():
            self._await_loaded(_LOOK_SECONDS)
        if stopped():
            return False
        graph = self._graph
        if len(self._snapshot) < GRAPH_FROM or graphs.problem():
            return False
        if graph is None or graph.worn:
            graph = self._built(stopped)
        if graph is None:
            return False
        with self._changing:
            self._catch_up(graph)
            self._graph = graph
            self._keep_as(np.float16)
        if graph.changed:
            graph.save(self._file, self._identity)
        return True

    def save(self) -> None:
        """Save the graph if it changed; what is just read and not complete is given up."""
        self._ending = True
        self._await_loaded()
        with self._changing:
            if self._graph and self._graph.changed:
                self._graph.save(self._file, self._identity)

    def purge(self) -> None:
        """Let go of what was removed: it stands in the matrix and the graph until made anew."""
        self._await_loaded()
        with self._changing:
            self._fill(*self._snapshot.live())
            if self._graph is None or self._graph.has_dead:
                self._graph = None
                graphs.discard(self._file)

    def _load_graph(self) -> None:
        try:
            graph = Graph.load(self._file, self.dimension, self._identity)
            if graph is not None and self._approach(graph, lambda: self._ending):
                with self._changing:
                    self._catch_up(graph)
                    self._graph = graph
        except (RuntimeError, ValueError, MemoryError) as error:
            logger.warning("vectors.graph_refused", reason=f"{type(error).__name__}: {error}")
        finally:
            with self._changing:
                if self._graph is None and not self._ending:
                    self._keep_as(np.float32)

    def _is_loading(self) -> bool:
        return self._loading is not None and self._loading.is_alive()

    def _graph_state(self) -> str:
        if self.building:
            return "building"
        if self._graph is not None:
            return "in use"
        return "loading" if self._is_loading() else "none"

    def _await_loaded(self, seconds: float | None = None) -> None:
        """Wait for a graph that is just read, no longer than told."""
        if self._loading is not None:
            self._loading.join(seconds)

    def _built(self, stopped: Callable[[], bool]) -> Graph | None:
        size = len(self._snapshot)
        self.building = progress = Progress("graph", size)
        try:
            graph = Graph(self.dimension, size)
            if not self._approach(graph, stopped, progress.advance):
                return None
        finally:
            self.building = None
        self._graph_seconds = round(time.monotonic() - progress.began, 1)
        logger.info("vectors.graph_built", vectors=progress.done, seconds=self._graph_seconds)
        return graph

    def _approach(
        self,
        graph: Graph,
        stopped: Callable[[], bool],
        advance: Callable[[int], None] = lambda _: None,
    ) -> bool:
        """Add what a graph lacks, and what comes meanwhile, until that is little.

        Searches and changes go on. Returns false if it was stopped.
        """
        snapshot, missing = self._missing(graph)
        while len(missing) > _FEW:
            for start in range(0, len(missing), _BUILD_STEP):
                if stopped():
                    return False
                part = missing[start : start + _BUILD_STEP]
                graph.add(part, snapshot.wide(part))
                advance(len(part))
            snapshot, missing = self._missing(graph)
        return True

    def _catch_up(self, graph: Graph) -> None:
        """Make a graph hold exactly the live ids: they are never used for two texts."""
        snapshot, missing = self._missing(graph)
        graph.add(missing, snapshot.wide(missing))
        gone = np.setdiff1d(graph.ids(), snapshot.live_ids(), assume_unique=True)
        graph.remove(gone.tolist())

    def _missing(self, graph: Graph) -> tuple[Snapshot, Ids]:
        """Return the vectors as they are now, and the ids of those that a graph lacks."""
        snapshot = self._snapshot
        return snapshot, np.setdiff1d(snapshot.live_ids(), graph.ids(), assume_unique=True)

    def _keep_as(self, precision: type[np.floating[Any]]) -> None:
        """Hold the matrix so that it is fast, or, where a graph answers, so that it is small."""
        old = self._snapshot
        if self._buffer.dtype != precision:
            rows: Any = old.matrix.astype(precision)
            self._buffer = rows
            self._publish(old.ids, old.alive)

    def _fill(self, ids: Ids, rows: Matrix | Halves) -> None:
        if len(ids) >= _FIRST_CAPACITY:
            self._buffer = rows
        else:
            self._buffer = np.empty((_FIRST_CAPACITY, self.dimension), rows.dtype)
            self._buffer[: len(ids)] = rows
        self._publish(ids, np.ones(len(ids), dtype=np.bool_))

    def _append(self, ids: Ids, rows: Matrix) -> None:
        """Write behind what readers see, into a buffer that doubles when it is full."""
        old = self._snapshot
        size = len(old.ids) + len(ids)
        if size > len(self._buffer):
            capacity = max(size, 2 * len(self._buffer))
            grown = np.empty((capacity, self.dimension), self._buffer.dtype)
            grown[: len(old.ids)] = old.matrix
            self._buffer = grown
        self._buffer[len(old.ids) : size] = rows
        alive = np.concatenate([old.alive, np.ones(len(ids), dtype=np.bool_)])
        self._publish(np.concatenate([old.ids, ids]), alive)

    def _publish(self, ids: Ids, alive: NDArray[np.bool_]) -> None:
        in_order = len(ids) < 2 or bool(np.all(ids[1:] > ids[:-1]))
        order = np.arange(len(ids)) if in_order else np.argsort(ids, kind="stable")
        self._snapshot = Snapshot(ids, self._buffer[: len(ids)], order, alive)
