"""The index as the rest sees it: keep it equal to the documents, and ask it.

A document's units are stored in one transaction and found by their words at once; vectors
follow in a second step, so a slow embedder never delays a save. Whatever is interrupted is
found unfinished by the next reconcile.
"""

import contextlib
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any, Protocol

import apsw
import numpy as np
import structlog

from hippod import chunks, config, markdown
from hippod.chunks import Unit
from hippod.documents import FileStat, Scan
from hippod.errors import HippodError, IndexUnavailable, ModelError, StorageError
from hippod.index import graph, schema, store
from hippod.index.embedding import Rejected, embed_texts
from hippod.index.report import Report
from hippod.index.store import Known, Pending, Store
from hippod.index.vectors import Vectors
from hippod.index.view import View
from hippod.models import Embedder
from hippod.wire import Freshness
from hippod.workspace import Loaded

logger = structlog.get_logger()

_BATCH_FILES = 200
_BATCH_UNITS = 2_000
_TEXTS_AT_ONCE = (8, 512)
_EMBED_SECONDS = (0.3, 2.0)
"""A batch that is faster than the first is doubled, one that is slower than the second halved."""


class Documents(Protocol):
    """Where the documents come from; `Workspace` in life."""

    def scan(self) -> Scan:
        """List every document; raises `StorageError` if the workspace is gone."""
        ...

    def load(self, path: str) -> Loaded | None:
        """Read a document; None if it is gone or none."""
        ...


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A document read and cut; `units` None: its bytes are as they were."""

    loaded: Loaded
    units: list[Unit] | None


class Index:
    """The index in `directory`. Any thread may ask; changes take turns under one lock.

    Storage that fails does not raise here: questions then get `IndexUnavailable`, changes
    `StorageError`, and every change tries to open the index again.
    """

    def __init__(
        self,
        directory: Path,
        documents: Documents,
        embedder: Embedder | None,
        *,
        chunking: config.Chunking,
        zone: tzinfo,
    ) -> None:
        self._path = directory / "index.sqlite"
        self._documents = documents
        self._embedder = embedder
        self._chunking = chunking
        self._zone = zone
        self._fingerprint = schema.fingerprint(chunking.model_dump(mode="json"), str(zone))
        self._changing = threading.RLock()
        self._opening = threading.RLock()
        self._stop = threading.Event()
        self._store: Store | None = None
        self._vectors: Vectors | None = None
        self._frequencies: dict[str, int] = {}
        self._damaged = False
        self._problem = ""
        self._remaining = 0
        self._successor: Index | None = None
        self._updated: datetime | None = None
        self._embedding_error = ""
        self._failures = {"lexical": 0, "vector": 0}
        with contextlib.suppress(HippodError):
            self._open()

    # -- changes -----------------------------------------------------------------------------

    def update(self, paths: Iterable[str]) -> Report:
        """Look at these paths again: equal bytes are nothing to do, gone ones are removed.

        What one document does wrong is in the report and does not touch the others. Raises
        `StorageError` or `IndexUnavailable` if the index cannot be written.
        """
        wanted = [path for path in dict.fromkeys(paths) if _is_text(path)]
        with self._reporting() as report:
            self._mending(lambda new: self._follow(report) if new else self._look(wanted, report))
        return report

    def reconcile(self, *, verify: bool = False) -> Report:
        """Make the index equal to the documents; `verify` reads even those that look unchanged.

        Raises `StorageError`, changing nothing, if the workspace is gone.
        """
        with self._reporting() as report:
            self._mending(lambda _new: self._follow(report, verify=verify))
        return report

    def rebuild(self) -> Report:
        """Make the index anew from the documents; the old one answers until it is ready."""
        with self._reporting() as report, _folder(self._path.with_name("rebuild")) as folder:
            report.take_over(self._build_in(folder))
            if not report.stopped:
                self._swap_in(folder / self._path.name)
        return report

    def embed_pending(self) -> Report:
        """Embed the texts that have no vector yet."""
        with self._reporting() as report:
            self._mending(lambda new: self._follow(report) if new else self._embed(report))
        return report

    def build_graph(self) -> bool:
        """Make or save the graph that speeds up large indexes; say whether one is in use.

        May take minutes: call it beside the thread that updates, which it does not hold up.
        """
        vectors = self._vectors
        return vectors is not None and vectors.build_graph(self._stop.is_set)

    def stop(self) -> None:
        """Make running changes end soon; the next reconcile takes up what is left."""
        self._stop.set()
        if self._successor is not None:
            self._successor.stop()

    def close(self) -> None:
        """Stop, wait for running changes, and close."""
        self.stop()
        with self._changing:
            if self._vectors is not None:
                self._vectors.save()
            self._close_store()

    # -- questions ---------------------------------------------------------------------------

    @contextlib.contextmanager
    def view(self) -> Iterator[View]:
        """Lend the index as it is at this moment, to one thread.

        Raises `IndexUnavailable` or `StorageError` on entering, or from the questions asked.
        """
        try:
            with self._lend() as (connection, vectors, frequencies):
                yield View(connection, vectors, frequencies)
        except schema.Damaged:
            self._damaged = True
            raise

    def entities(self) -> list[str]:
        """Return the entities that documents name, the most mentioned first.

        None where the index cannot answer: what else is done with a text must not depend on it.
        """
        with contextlib.suppress(HippodError), self._lend() as (connection, *_):
            return store.entities(connection)
        return []

    def freshness(self, pending: int, now: datetime) -> Freshness:
        """Say how far the index is behind; `pending` paths wait outside of it."""
        waiting = pending + self._to_do()
        vectors = self._count_pending() if self._embedder else 0
        behind = (now - self._updated).total_seconds() if waiting and self._updated else 0.0
        return Freshness(
            pending=waiting,
            vectors_pending=vectors,
            behind_seconds=round(max(0.0, behind), 3),
            updated=self._updated.astimezone(self._zone).isoformat(timespec="seconds")
            if self._updated
            else None,
        )

    def failed(self, leg: str, error: HippodError) -> None:
        """Count a leg that could not answer, for `status`."""
        self._failures[leg] += 1
        self._damaged |= isinstance(error, schema.Damaged)
        logger.warning("recall.leg_failed", leg=leg, reason=error.message)

    def status(self) -> dict[str, Any]:
        """Describe the index: what it holds, what waits, what is wrong."""
        embedder = self._embedder
        about: dict[str, Any] = {
            "state": self._state(),
            "problem": self._problem,
            "remaining": self._to_do(),
            "updated": self._updated.isoformat(timespec="seconds") if self._updated else None,
            "leg_failures": dict(self._failures),
            "embedding_error": self._embedding_error,
            "embedder": embedder.model_id if embedder else None,
            "dimension": embedder.dimension if embedder else None,
            "engine": self._vectors.engine if self._vectors else None,
        }
        with contextlib.suppress(HippodError), self._lend() as (connection, *_):
            counts = store.counts(connection)
            about |= {
                "documents": counts.documents,
                "units": counts.units,
                "vectors": {
                    "embedded": counts.vectors,
                    "pending": counts.pending if embedder else 0,
                    "rejected": counts.rejected,
                },
                "journal_mode": self._require().journal_mode,
            }
        return about

    # -- opening -----------------------------------------------------------------------------

    @contextlib.contextmanager
    def _lend(self) -> Iterator[tuple[apsw.Connection, Vectors | None, dict[str, int]]]:
        with contextlib.ExitStack() as stack:
            with self._opening:  # never between an old file and a new one
                connection = stack.enter_context(self._require().reading())
                held = (connection, self._vectors, self._frequencies)
            yield held

    def _to_do(self) -> int:
        successor = self._successor
        return self._remaining + (successor._remaining if successor else 0)

    def _open(self) -> None:
        try:
            self._store = Store(self._path, self._fingerprint)
            self._load_vectors(self._store)
        except HippodError as error:
            self._problem = error.message
            self._close_store()
            raise
        self._problem = ""
        self._damaged = False
        self._frequencies = {}

    def _load_vectors(self, open_store: Store) -> None:
        self._vectors = None
        if self._embedder is None:
            return
        identity = f"{self._embedder.model_id} {self._embedder.dimension}"
        with open_store.writing() as connection:
            if store.set_embedder(connection, identity):
                logger.info("vectors.reset", embedder=identity)
            epoch = schema.read_meta(connection, "epoch")
            ids, rows, wrong = store.load_vectors(connection, self._embedder.dimension)
            store.forget_vectors(connection, wrong)
        vectors = Vectors(self._embedder.dimension, self._path.parent, f"{epoch} {identity}")
        vectors.load(ids, rows)
        self._vectors = vectors

    def _mending(self, change: Callable[[bool], None]) -> None:
        """Run a change, told whether the index is new; once more if it turns out damaged."""
        try:
            change(self._renew())
        except schema.Damaged:
            self._damaged = True
            change(self._renew())

    def _renew(self) -> bool:
        """Open the index again if it is lost or damaged; say whether it is new and empty."""
        if self._store is not None and self._store.is_current() and not self._damaged:
            return False
        if self._store is not None:
            logger.warning("index.lost", damaged=self._damaged)
            self._start_anew()
        else:
            self._open()
        return True

    def _start_anew(self) -> None:
        with self._opening:
            self._close_store()
            self._discard_files()
            self._open()

    def _build_in(self, folder: Path) -> Report:
        self._successor = Index(
            folder, self._documents, self._embedder, chunking=self._chunking, zone=self._zone
        )
        if self._stop.is_set():
            self._successor.stop()
        try:
            return self._successor.reconcile()
        finally:
            self._successor.close()
            self._successor = None

    def _swap_in(self, file: Path) -> None:
        with self._opening:
            self._close_store()
            self._discard_files()
            file.replace(self._path)
            self._open()

    def _discard_files(self) -> None:
        try:
            schema.discard(self._path)
            graph.discard(self._path.with_name("vectors.hnsw"))
        except OSError as error:
            self._problem = f"the old index cannot be deleted: {error.strerror}"
            raise StorageError(self._problem, "check the owner and mode of .memory/") from error

    def _close_store(self) -> None:
        if self._store is not None:
            with contextlib.suppress(HippodError):
                self._store.close()
            self._store = None
        self._vectors = None

    def _require(self) -> Store:
        if self._store is None:
            raise IndexUnavailable(f"there is no index: {self._problem}", "see `hippod status`")
        return self._store

    # -- documents ---------------------------------------------------------------------------

    @contextlib.contextmanager
    def _reporting(self) -> Iterator[Report]:
        report = Report()
        began = time.monotonic()
        with self._changing:
            try:
                yield report
                if not report.stopped:
                    self._updated = datetime.now(self._zone)
            except schema.Damaged as error:
                self._damaged = True
                self._problem = error.message
                raise
            except HippodError as error:
                self._problem = error.message
                raise
            else:
                self._problem = ""
            finally:
                self._remaining = 0
                report.seconds = time.monotonic() - began

    def _follow(self, report: Report, *, verify: bool = False) -> None:
        scan = self._documents.scan()
        with self._require().reading() as connection:
            known = store.documents(connection)
        changed = [
            path
            for path, stat in scan.files.items()
            if verify or (before := known.get(path)) is None or not _same_stat(before, stat)
        ]
        report.unchanged += len(scan.files) - len(changed)
        gone = [path for path in known if scan.absent(path)]
        self._process(changed + gone, known, report)

    def _look(self, paths: Sequence[str], report: Report) -> None:
        with self._require().reading() as connection:
            found = {path: store.document(connection, path) for path in paths}
        known = {path: document for path, document in found.items() if document is not None}
        self._process(paths, known, report)

    def _process(self, paths: Sequence[str], known: Mapping[str, Known], report: Report) -> None:
        """Store the documents of `paths` batch by batch, then embed what is new."""
        self._remaining = len(paths)
        batch: list[_Prepared | str] = []
        size = 0
        for path in paths:
            if self._stop.is_set():
                report.stopped = True
                break
            prepared = self._prepare(path, known.get(path), report)
            if prepared is not None:
                batch.append(prepared)
                size += len(prepared.units or ()) if isinstance(prepared, _Prepared) else 0
            if len(batch) >= _BATCH_FILES or size >= _BATCH_UNITS:
                self._commit(batch, report)
                batch, size = [], 0
            self._remaining -= 1
        self._commit(batch, report)
        self._embed(report)

    def _prepare(self, path: str, known: Known | None, report: Report) -> _Prepared | str | None:
        """Read and cut a document. A path alone: it is gone; None: nothing to do."""
        try:
            loaded = self._documents.load(path)
            if loaded is None:
                return path if known else None
            if known is None or known.sha256 != loaded.sha256:
                if known is not None and markdown.is_conflicted(loaded.text):
                    report.failed[path] = "has merge conflict marks: the last version stays indexed"
                    return None
                return _Prepared(loaded, self._cut(loaded))
            report.unchanged += 1
            return None if _same_stat(known, loaded.stat) else _Prepared(loaded, None)
        except HippodError as error:
            report.failed[path] = error.message
        except Exception as error:
            # The edge of one document's work: a fault of ours at one must not hide the others.
            logger.exception("document.crashed", path=path)
            report.failed[path] = f"{type(error).__name__} (see the log)"
        return None

    def _cut(self, loaded: Loaded) -> list[Unit]:
        return chunks.units(
            loaded.path,
            loaded.text,
            max_size=self._chunking.max_chunk_size,
            overlap=self._chunking.overlap,
            split_on=self._chunking.split_on,
            zone=self._zone,
        )

    def _commit(self, batch: Sequence[_Prepared | str], report: Report) -> None:
        if not batch:
            return
        unused: list[int] = []
        indexed = removed = units = 0
        with self._require().writing() as connection:
            for item in batch:
                if isinstance(item, str):
                    dropped = store.remove(connection, item)
                    removed += dropped is not None
                    unused += dropped or ()
                elif item.units is None:
                    store.touch(connection, item.loaded)
                else:
                    unused += store.replace(connection, item.loaded, item.units)
                    indexed += 1
                    units += len(item.units)
        self._frequencies = {}
        if self._vectors is not None:
            self._vectors.remove(unused)
        report.indexed += indexed
        report.removed += removed
        report.units += units

    # -- vectors -----------------------------------------------------------------------------

    def _embed(self, report: Report) -> None:
        if self._embedder is None or self._vectors is None:
            return
        after, size = 0, _TEXTS_AT_ONCE[0]
        while not self._stop.is_set():
            with self._require().reading() as connection:
                waiting = store.pending(connection, after, size)
            if not waiting:
                return
            began = time.monotonic()
            try:
                found = embed_texts(self._embedder, [each.text for each in waiting])
            except ModelError as error:
                if error.message != self._embedding_error:
                    logger.warning("vectors.embedder_failed", reason=error.message)
                self._embedding_error = error.message
                return
            self._embedding_error = ""
            self._store_vectors(waiting, found, report)
            after = waiting[-1].vector
            size = _next_size(size, time.monotonic() - began)
        report.stopped = True

    def _store_vectors(
        self,
        waiting: Sequence[Pending],
        found: Sequence[np.ndarray[Any, Any] | Rejected],
        report: Report,
    ) -> None:
        sound = [
            (each.vector, row)
            for each, row in zip(waiting, found, strict=True)
            if not isinstance(row, Rejected)
        ]
        rejected = {
            each.vector: row
            for each, row in zip(waiting, found, strict=True)
            if isinstance(row, Rejected)
        }
        ids = [id_ for id_, _ in sound]
        rows = store.rounded(np.array([row for _, row in sound], dtype=np.float32))
        with self._require().writing() as connection:
            store.set_vectors(connection, ids, rows)
            store.reject(connection, rejected)
        if self._vectors is not None:
            self._vectors.add(ids, rows)
        report.embedded += len(ids)
        report.rejected += len(rejected)

    def _count_pending(self) -> int:
        try:
            with self._lend() as (connection, *_):
                return store.count_pending(connection)
        except HippodError:
            return 0

    def _state(self) -> str:
        if self._store is None:
            return "unavailable"
        if self._damaged:
            return "damaged"
        return "updating" if self._to_do() else "ready"


@contextlib.contextmanager
def _folder(path: Path) -> Iterator[Path]:
    """Lend a new folder, deleted afterwards."""
    try:
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
        yield path
    except OSError as error:
        raise StorageError(
            f"the index cannot be rebuilt: {error.strerror}", "see the log"
        ) from error
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _same_stat(known: Known, stat: FileStat) -> bool:
    return (known.size, known.mtime_ns, known.inode) == (stat.size, stat.mtime_ns, stat.inode)


def _is_text(path: str) -> bool:
    """Say whether a path can be stored: names that are not UTF-8 are no documents."""
    return not any("\ud800" <= ch <= "\udfff" for ch in path)


def _next_size(size: int, seconds: float) -> int:
    least, most = _TEXTS_AT_ONCE
    fast, slow = _EMBED_SECONDS
    if seconds < fast:
        return min(most, size * 2)
    return max(least, size // 2) if seconds > slow else size
