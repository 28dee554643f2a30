"""The index as the rest sees it: keep it equal to the documents, and ask it.

A document's units are stored in one transaction and found by their words at once; vectors
follow in a second step, so a slow embedder never delays a save. Whatever is interrupted is
found unfinished by the next reconcile.
"""

import contextlib
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any, Protocol

import apsw
import structlog

from hippod import config, forgotten, lanes, markdown
from hippod.cutting import Cutter, Settings
from hippod.documents import FileStat, Scan
from hippod.entries import Entry
from hippod.errors import HippodError, IndexUnavailable, StorageError, is_passing
from hippod.index import graph, schema, store
from hippod.index.backfill import Backfill
from hippod.index.examination import Examined, examine, stale
from hippod.index.lexicon import Lexicon
from hippod.index.progress import Progress
from hippod.index.reader import Loads, Reader
from hippod.index.report import Report
from hippod.index.store import Dropped, Known, Store
from hippod.index.vectors import Vectors
from hippod.index.view import View
from hippod.models import Embedder
from hippod.query import Where
from hippod.wire import Freshness
from hippod.workspace import Loaded

logger = structlog.get_logger()

_LOOKED_CLOSELY_EVERY = timedelta(days=1)
"""To check the words takes 0.4 s for 100,000 units; all files are read again, too."""
_COMPARISONS, _COMPARE_SECONDS = 5, 0.1
_BATCH_FILES = 200
_BATCH_UNITS = 2_000
_REBUILT = "rebuild"
_HALF_MADE = (_REBUILT, "vectors.hnsw.new")
_LONG = 50
"""Files from which on a change is shown as progress."""


class Documents(Loads, Protocol):
    """Where the documents come from; `Workspace` in life."""

    def scan(self) -> Scan:
        """List every document; raises `StorageError` if the workspace is gone."""
        ...


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A document read and cut; `units` None: its bytes are as they were."""

    loaded: Loaded
    units: list[Entry] | None


@dataclass(frozen=True, slots=True)
class _Read:
    """A document read, to be cut."""

    loaded: Loaded


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
        spec: str = "",
        former: Callable[[str], Embedder | None] = lambda _: None,
    ) -> None:
        """`spec` is stored with the vectors; `former` makes the embedder of a stored one again."""
        self._path = directory / "index.sqlite"
        self._documents = documents
        self._reader = Reader(documents)
        self._chunking = chunking
        self._zone = zone
        self._cutting = Settings(
            chunking.max_chunk_size, chunking.overlap, tuple(chunking.split_on), zone
        )
        self._fingerprint = schema.fingerprint(chunking.model_dump(mode="json"), str(zone))
        self._changing = threading.RLock()
        self._opening = threading.RLock()
        self._stop = threading.Event()
        self._backfill = Backfill(embedder, spec, former, directory, self._stop.is_set)
        self.embed_later: Callable[[], None] | None = None
        """If set, it is told that texts may wait for vectors; else changes embed them at once."""
        self.embeds_ahead = True
        self._store: Store | None = None
        self._lexicon = Lexicon()
        self._damaged = False
        self._problem = ""
        self._reading: Progress | None = None
        self._successor: Index | None = None
        self._updated: datetime | None = None
        self._failures = {"lexical": 0, "vector": 0}
        self._failed_last: dict[str, str] = {}
        self._sweep()
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
            everything = forgotten.PATH in wanted
            self._mending(
                report,
                lambda new: (
                    self._follow(report) if new or everything else self._look(wanted, report)
                ),
            )
        return self._embedded(report)

    def reconcile(self, *, verify: bool = False) -> Report:
        """Make the index equal to the documents; `verify` reads even those that look unchanged.

        Raises `StorageError`, changing nothing, if the workspace is gone.
        """
        with self._reporting() as report:
            self._mending(report, lambda _new: self._follow(report, verify=verify))
        return self._embedded(report)

    def rebuild(self) -> Report:
        """Make the index anew from the documents; the old one answers until it is ready.

        Vectors of texts that are as they were are taken over.
        """
        with self._reporting() as report, _folder(self._path.with_name(_REBUILT)) as folder:
            report.take_over(self._build_in(folder))
            if not report.stopped:
                self._swap_in(folder / self._path.name)
        return self._embedded(report)

    def embed_pending(self) -> Report:
        """Embed the texts that have no vector yet, the newest first; changes may go on beside it.

        What the embedder does wrong does not raise: it is in the status, the texts wait on.
        """
        report = Report()
        began = time.monotonic()
        try:
            self._backfill.run(report)
        except schema.Damaged as error:
            self._damaged, self._problem = True, error.message
        except IndexUnavailable:  # closed or replaced meanwhile: the next run finds what waits
            report.stopped = True
        report.seconds = time.monotonic() - began
        return report

    def build_graph(self) -> bool:
        """Make or save the graph that speeds up large indexes; say whether one is in use.

        May take minutes: call it beside the thread that updates, which it does not hold up.
        """
        serving = self._backfill.serving
        return serving is not None and serving.vectors.build_graph(self._stop.is_set)

    def wants_graph(self) -> bool:
        """Say whether `build_graph` has something to build."""
        serving = self._backfill.serving
        return serving is not None and serving.vectors.wants_graph

    def tidy(self) -> bool:
        """Merge a bounded piece of the words' index; say whether more may be gained."""
        try:
            with self._backfill.writing, self._require().writing() as connection:
                return store.merge_words(connection)
        except schema.Damaged as error:
            self._damaged, self._problem = True, error.message
            return False

    def purge(self) -> None:
        """Leave nothing in the files of what was removed: words, vectors, free pages.

        Takes some seconds for 100,000 units; saves wait meanwhile. Raises `StorageError` or
        `IndexUnavailable`.
        """
        with self._changing, self._backfill.writing:
            with self._require().writing() as connection:
                store.purge_words(connection)
                if store.embedder_of(connection, store.COMING):
                    store.follow(connection)
            if self._backfill.serving is not None:
                self._backfill.serving.vectors.purge()
            self._require().purge()
        if self.embed_later is not None:
            self.embed_later()

    @property
    def embedding_error(self) -> str:
        """What the embedder failed with last; empty while it works."""
        return self._backfill.error

    def compact(self) -> bool:
        """Shrink the file if much of it is free; say whether it did. Saves wait meanwhile."""
        with self._backfill.writing:
            return self._require().compact()

    def checkpoint(self) -> bool:
        """Fold what SQLite wrote ahead into the file, unless somebody reads; say whether."""
        with self._backfill.writing:
            return self._require().checkpoint()

    def examine(self) -> Examined:
        """Look through the whole file, its words too, and compare vectors in memory and graph.

        Takes a second for 100,000 units, half of which saves wait. Changes nothing: what is
        damaged is made anew at the next change. Raises `StorageError` or `IndexUnavailable`.
        """
        if not self._require().is_current():
            return Examined(("the file was deleted or replaced under the daemon",))
        try:
            with self._require().inspecting() as connection:
                found = examine(connection)
            if not found.faults:
                self._check_words(datetime.now(self._zone))
            self._damaged |= bool(found.faults)
            return found if found.faults else self._compared(found)
        except schema.Damaged as error:
            self._damaged = True
            return Examined((error.message,))

    def stale(self, sample: int, only: Collection[str] = ()) -> list[str]:
        """Name documents that came, went or changed without the index: see `examination.stale`."""
        with self._require().reading() as connection:
            known = store.documents(connection)
        return stale(self._documents, known, sample, only)

    def graph_fault(self) -> str:
        """Say why the saved graph will not be believed; empty if it will, or if there is none."""
        return graph.fault(self._path.with_name("vectors.hnsw"))

    def _compared(self, found: Examined) -> Examined:
        """Compare the vectors in memory with those stored; a change follows within moments."""
        held = stored = 0
        for _ in range(_COMPARISONS):
            with self._backfill.writing, self._require().reading() as connection:
                serving, stored = self._backfill.serving, store.counts(connection).vectors
                held = len(serving.vectors.snapshot()) if serving else stored
            if held == stored:
                return found
            time.sleep(_COMPARE_SECONDS)
        return replace(found, faults=(f"{held:,} vectors are in memory, {stored:,} stored",))

    def retry_parked(self) -> int:
        """Let the embedder try once more what it could not embed; return how many texts."""
        with self._backfill.writing, self._require().writing() as connection:
            retried = store.retry_parked(connection)
        self._embedded(Report())
        return retried

    def warm_up(self) -> None:
        """Read what the first question would else wait for: half a second for 100,000 units."""
        with contextlib.suppress(HippodError), self.view() as view:
            view.lexical(("anything",), 1, Where())

    def stop(self) -> None:
        """Make running changes end soon; the next reconcile takes up what is left."""
        self._stop.set()
        if self._successor is not None:
            self._successor.stop()

    def close(self) -> None:
        """Stop, wait for running changes, and close."""
        self.stop()
        with self._changing, self._backfill.writing:
            if self._backfill.serving is not None:
                self._backfill.serving.vectors.save()
            self._close_store()
            self._reader.close()

    # -- questions ---------------------------------------------------------------------------

    @contextlib.contextmanager
    def view(self) -> Iterator[View]:
        """Lend the index as it is at this moment, to one thread.

        Raises `IndexUnavailable` or `StorageError` on entering, or from the questions asked.
        """
        try:
            with self._lend() as (connection, vectors, lexicon):
                yield View(connection, vectors, lexicon)
        except schema.Damaged:
            self._damaged = True
            raise

    def entities(self) -> list[str]:
        """Return the entities that documents name, the most mentioned first.

        Empty where the index cannot answer: what else is done with a text must not depend on it.
        """
        with contextlib.suppress(HippodError), self._lend() as (connection, *_):
            return store.entities(connection)
        return []

    def known(self, paths: Iterable[str]) -> dict[str, Known]:
        """Return these documents as they were indexed; none while the index cannot answer."""
        with contextlib.suppress(HippodError), self._lend() as (connection, *_):
            return store.versions(connection, paths)
        return {}

    def freshness(self, pending: int, waited: float = 0.0) -> Freshness:
        """Say how far the index is behind.

        `pending` paths wait outside of it, the oldest for `waited` seconds; what a look found
        waits since it began.
        """
        reading, to_do = self._reading, self._to_do()
        if reading is not None and to_do:
            waited = max(waited, time.monotonic() - reading.began)
        vectors, parked = self._count_pending()
        return Freshness(
            pending=pending + to_do,
            vectors_pending=vectors,
            vectors_parked=parked,
            behind_seconds=round(waited, 3) if pending + to_do else 0.0,
            updated=self._updated.astimezone(self._zone).isoformat(timespec="seconds")
            if self._updated
            else None,
        )

    def serving_embedder(self) -> Embedder | None:
        """Return the embedder that questions are for: the one whose vectors answer.

        None if there shall be no vectors. Raises `IndexUnavailable` if there should be but none
        can answer yet.
        """
        with self._opening:  # never between an old file and a new one
            return self._backfill.asked()

    def texts_waiting(self) -> int:
        """Count the texts that wait for the embedder, of all vectors that are made."""
        with contextlib.suppress(HippodError):
            return self._backfill.count_waiting()
        return 0

    def failed(self, leg: str, error: HippodError) -> None:
        """Count a leg that could not answer, for `status`; the same reason is logged once."""
        self._failures[leg] += 1
        self._damaged |= isinstance(error, schema.Damaged)
        if self._failed_last.get(leg) != error.message:
            logger.warning("recall.leg_failed", leg=leg, reason=error.message)
        self._failed_last[leg] = error.message

    def tally(self) -> dict[str, Any]:
        """Count what the index holds, cheaply; nothing while it cannot answer."""
        about: dict[str, Any] = {
            "state": self._state(),
            "remaining": self._to_do(),
            "updated": self._updated,
            "leg_failures": dict(self._failures),
        }
        with contextlib.suppress(HippodError), self._lend() as (connection, *_):
            about |= store.tally(connection)
        return about

    def status(self) -> dict[str, Any]:
        """Describe the index: what it holds, what waits, what is wrong."""
        about: dict[str, Any] = {
            "state": self._state(),
            "problem": self._problem,
            "remaining": self._to_do(),
            "updated": self._updated.isoformat(timespec="seconds") if self._updated else None,
            "leg_failures": dict(self._failures),
            "progress": self._progress(),
            "embedder": None,
            "dimension": None,
            "embedding_error": "",
            "engine": None,
            "graph": None,
        }
        with contextlib.suppress(HippodError):
            about |= self._backfill.status()
        with contextlib.suppress(HippodError), self._lend() as (connection, *_):
            counts = store.counts(connection)
            checked = store.words_checked(connection)
            about |= {
                "documents": counts.documents,
                "units": counts.units,
                "vectors": {
                    "embedded": counts.vectors,
                    "pending": counts.pending if about["embedder"] else 0,
                    "rejected": counts.rejected,
                },
                "stale_vectors": counts.pending if about["embedder"] else 0,
                "parked": store.problems(connection),
                "words_checked": checked.isoformat() if checked else None,
                "journal_mode": self._require().journal_mode,
            }
        return about

    # -- opening -----------------------------------------------------------------------------

    @contextlib.contextmanager
    def _lend(self) -> Iterator[tuple[apsw.Connection, Vectors | None, Lexicon]]:
        with contextlib.ExitStack() as stack:
            with self._opening:  # never between an old file and a new one
                connection = stack.enter_context(self._require().reading())
                serving = self._backfill.serving
                held = (connection, serving.vectors if serving else None, self._lexicon)
            yield held

    def _to_do(self) -> int:
        own = self._reading
        mine = own.total - own.done if own else 0
        return mine + (self._successor._to_do() if self._successor else 0)

    def _progress(self) -> dict[str, Any] | None:
        """Return how far the first of reading, embedding and the graph is that goes on now."""
        if self._successor is not None:
            return self._successor._progress()
        serving = self._backfill.serving
        graph = serving.vectors.building if serving else None
        reading = self._reading if self._reading and self._reading.total >= _LONG else None
        current = reading or self._backfill.progress or graph
        return current.describe(time.monotonic()) if current else None

    def _sweep(self) -> None:
        """Delete what a run that was killed left half made; nobody else makes it meanwhile."""
        left = [path for name in _HALF_MADE if (path := self._path.with_name(name)).exists()]
        for path in left:
            shutil.rmtree(path, ignore_errors=True)
            with contextlib.suppress(OSError):  # a folder, gone by now
                path.unlink(missing_ok=True)
        if left:
            logger.info("index.swept", names=[path.name for path in left])

    def _open(self) -> None:
        self._lexicon = Lexicon()
        try:
            self._store = Store(self._path, self._fingerprint)
            self._backfill.attach(self._store)
        except HippodError as error:
            self._problem = error.message
            self._close_store()
            raise
        self._problem = ""
        self._damaged = False

    def _mending(self, report: Report, change: Callable[[bool], None]) -> None:
        """Run a change, told whether the index is new; once more if it turns out damaged."""
        try:
            report.renewed = self._renew()
            change(report.renewed)
        except schema.Damaged:
            self._damaged = True
            report.renewed = self._renew()
            change(report.renewed)

    def _renew(self) -> bool:
        """Open the index again if it is lost or damaged; say whether it is new and empty."""
        if self._store is not None and self._store.is_current() and not self._damaged:
            return False
        if self._store is not None:
            self._check_folder()
            logger.warning("index.lost", damaged=self._damaged)
            self._start_anew()
        else:
            with self._backfill.writing, self._opening:
                self._open()
        return True

    def _check_folder(self) -> None:
        """Raise `StorageError` while no file could be made: what is open answers until then."""
        if not self._path.parent.is_dir():
            raise StorageError(
                f"{self._path.parent}: is gone", "mount or restore the workspace that it was in"
            )

    def _start_anew(self) -> None:
        with self._backfill.writing, self._opening:
            self._close_store()
            self._discard_files()
            self._open()

    def _build_in(self, folder: Path) -> Report:
        self._successor = Index(
            folder, self._documents, self._backfill.embedder, chunking=self._chunking,
            zone=self._zone, spec=self._backfill.spec,
        )  # fmt: skip
        self._successor.embed_later = _nothing
        self._successor.embeds_ahead = False  # most vectors are taken over
        if self._stop.is_set():
            self._successor.stop()
        try:
            report = self._successor.reconcile()
            with contextlib.suppress(HippodError):  # of a damaged index: they are embedded again
                self._successor._adopt(self._require())
            return report
        finally:
            self._successor.close()
            self._successor = None

    def _adopt(self, old: Store) -> None:
        with old.reading() as before, self._require().writing() as connection:
            store.adopt(connection, before)

    def _swap_in(self, file: Path) -> None:
        with self._backfill.writing, self._opening:
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
        self._backfill.detach()
        if self._store is not None:
            with contextlib.suppress(HippodError):
                self._store.close()
            self._store = None

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
                self._reading = None
                report.seconds = time.monotonic() - began

    def _embedded(self, report: Report) -> Report:
        """Embed what a change left waiting, or tell who does it; the report grows by it."""
        if self.embed_later is not None:
            self.embed_later()
        elif not report.stopped:
            embedding = self.embed_pending()
            report.embedded += embedding.embedded
            report.rejected += embedding.rejected
            report.seconds += embedding.seconds
            report.stopped = embedding.stopped
        return report

    def _follow(self, report: Report, *, verify: bool = False) -> None:
        scan = self._documents.scan()
        if not self._require().checked:
            self._require().check()
        with self._require().reading() as connection:
            known = store.documents(connection)
            checked = store.words_checked(connection)
        now = datetime.now(self._zone)
        is_due = checked is None or not checked <= now < checked + _LOOKED_CLOSELY_EVERY
        # An edit may leave size and time as they were.
        # What is forgotten is left out of any document.
        verify = verify or is_due or _is_other(forgotten.PATH, known, scan)
        if verify:
            self._check_words(now)
        changed = [
            path
            # The newest last: vectors are made for the texts that were stored last, first.
            for path, stat in sorted(scan.files.items(), key=_age)
            if verify or (before := known.get(path)) is None or not _same_stat(before, stat)
        ]
        report.unchanged += len(scan.files) - len(changed)
        gone = [path for path in known if scan.absent(path)]
        self._process(changed + gone, known, report)

    def _check_words(self, now: datetime) -> None:
        """Let FTS5 check itself; raises `Damaged`."""
        with self._backfill.writing, self._require().writing() as connection:
            store.check_words(connection, now)

    def _look(self, paths: Sequence[str], report: Report) -> None:
        with self._require().reading() as connection:
            found = {path: store.document(connection, path) for path in paths}
        known = {path: document for path, document in found.items() if document is not None}
        self._process(paths, known, report)

    def _process(self, paths: Sequence[str], known: Mapping[str, Known], report: Report) -> None:
        """Store the documents of `paths` batch by batch."""
        self._reading = progress = Progress("reading", len(paths))
        batch: list[_Prepared | str] = []
        size = 0
        with contextlib.closing(self._prepared(paths, known, report)) as found:
            for prepared in found:
                if prepared is not None:
                    batch.append(prepared)
                    size += len(prepared.units or ()) if isinstance(prepared, _Prepared) else 0
                if len(batch) >= _BATCH_FILES or size >= _BATCH_UNITS:
                    self._commit(batch, report)
                    batch, size = [], 0
                progress.advance()
                lanes.moved()
        self._commit(batch, report)

    def _prepared(
        self, paths: Sequence[str], known: Mapping[str, Known], report: Report
    ) -> Generator[_Prepared | str | None, None, None]:
        """Read and cut documents, in order; those of a long job some way ahead.

        A path alone: it is gone; None: nothing to do. Ends early when all is to stop.
        """
        ahead: deque[tuple[_Prepared | _Read | str | None, bool]] = deque()
        with Cutter(self._cutting) as cutter:
            for done, path in enumerate(paths, 1):
                if self._stop.is_set():
                    report.stopped = True
                    break
                read = self._read(path, known.get(path), report)
                left = len(paths) - done
                sent = isinstance(read, _Read) and cutter.offer(path, read.loaded.text, left)
                ahead.append((read, sent))
                while ahead and (cutter.is_full or not ahead[0][1]):
                    yield self._cut(*ahead.popleft(), cutter, report)
            while ahead and not self._stop.is_set():
                yield self._cut(*ahead.popleft(), cutter, report)
            report.stopped |= bool(ahead)
            if cutter.lost:
                logger.warning("index.cutting_here", reason=cutter.lost)

    def _read(
        self, path: str, known: Known | None, report: Report
    ) -> _Prepared | _Read | str | None:
        with self._alone(path, report):
            loaded = self._reader.load(path)
            if loaded is None:
                return path if known else None
            if known is None or known.sha256 != loaded.sha256:
                if known is not None and markdown.is_conflicted(loaded.text):
                    report.failed[path] = "has merge conflict marks: the last version stays indexed"
                    return None
                return _Read(loaded)
            report.unchanged += 1
            return None if _same_stat(known, loaded.stat) else _Prepared(loaded, None)
        return None

    def _cut(
        self, read: _Prepared | _Read | str | None, sent: bool, cutter: Cutter, report: Report
    ) -> _Prepared | str | None:
        if not isinstance(read, _Read):
            return read
        units = self._cut_there(cutter, report) if sent else None
        with self._alone(read.loaded.path, report):
            if units is None:
                units = self._cutting.cut(read.loaded.path, read.loaded.text)
            return _Prepared(read.loaded, units)
        return None

    def _cut_there(self, cutter: Cutter, report: Report) -> list[Entry] | None:
        """Take what the cutter cut, embedding a little of what is stored while it is not ready."""
        while not cutter.is_ready() and self.embeds_ahead and self._backfill.step(report):
            pass
        return cutter.take()

    @contextlib.contextmanager
    def _alone(self, path: str, report: Report) -> Iterator[None]:
        """Keep what goes wrong at one document from the others."""
        try:
            yield
        except HippodError as error:
            report.failed[path] = error.message
            report.passing |= is_passing(error)
        except Exception as error:  # a fault of ours at one must not hide the others
            logger.exception("document.crashed", path=path)
            report.failed[path] = f"{type(error).__name__} (see the log)"
            report.passing |= is_passing(error)

    def _commit(self, batch: Sequence[_Prepared | str], report: Report) -> None:
        if not batch:
            return
        dropped: list[Dropped] = []
        indexed = removed = units = 0
        with self._backfill.writing, self._require().writing() as connection:
            for item in batch:
                if isinstance(item, str):
                    gone = store.remove(connection, item)
                    removed += gone is not None
                    dropped += [gone] if gone else []
                elif item.units is None:
                    store.touch(connection, item.loaded)
                else:
                    dropped.append(store.replace(connection, item.loaded, item.units))
                    indexed += 1
                    units += len(item.units)
        self._lexicon = self._lexicon.without([unit for each in dropped for unit in each.units])
        serving = self._backfill.serving
        if serving is not None:
            serving.vectors.remove([vector for each in dropped for vector in each.vectors])
        report.changed += [_path_of(item) for item in batch if not _only_touched(item)]
        report.indexed += indexed
        report.removed += removed
        report.units += units

    def _count_pending(self) -> tuple[int | None, int]:
        """Count the texts that wait for a vector, None if nobody can tell, and those parked."""
        if self._backfill.embedder is None:
            return 0, 0
        try:
            with self._require().reading() as connection:
                parked = sum(store.problems(connection).values())
            return self._backfill.count_pending(), parked
        except HippodError:
            return None, 0

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


def _is_other(path: str, known: Mapping[str, Known], scan: Scan) -> bool:
    """Say whether a document is another than it was, came or went."""
    before, now = known.get(path), scan.files.get(path)
    if before is None or now is None:
        return (now is not None) if before is None else scan.absent(path)
    return not _same_stat(before, now)


def _age(item: tuple[str, FileStat]) -> tuple[bool, int]:
    """Put documents in order, the oldest first; the page that all depend on is last."""
    return item[0] == forgotten.PATH, item[1].mtime_ns


def _is_text(path: str) -> bool:
    """Say whether a path can be stored: names that are not UTF-8 are no documents."""
    return not any("\ud800" <= ch <= "\udfff" for ch in path)


def _path_of(item: _Prepared | str) -> str:
    return item if isinstance(item, str) else item.loaded.path


def _only_touched(item: _Prepared | str) -> bool:
    return isinstance(item, _Prepared) and item.units is None


def _nothing() -> None:
    """Stand in for a callback."""
