"""Gives texts their vectors, in small batches beside all changes, and switches embedders.

After a change of the embedder the old vectors go on serving, with the old embedder for the
questions, until those of the new one are complete; then they are swapped in one transaction.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import structlog

from hippod.errors import IndexUnavailable, ModelError
from hippod.index import store
from hippod.index.embedding import Rejected, embed_texts
from hippod.index.progress import Progress
from hippod.index.report import Report
from hippod.index.store import COMING, SERVING, Made, Pending, Store, Table
from hippod.index.vectors import Vectors
from hippod.models import Embedder

logger = structlog.get_logger()

_TEXTS_AT_ONCE = (8, 512)
_EMBED_SECONDS = (0.3, 2.0)
"""A batch that is faster than the first is doubled, one that is slower than the second halved."""


_STEP = 256
"""Texts that are embedded while something else is waited for: some 50 ms."""
_MOST_IN_A_ROW = 12
"""Batches that may fail as a whole, one after the other, until a run gives up."""


@dataclass(frozen=True, slots=True)
class Serving:
    """The vectors that answer, and the embedder that they are of."""

    vectors: Vectors
    embedder: Embedder
    identity: str


class Backfill:
    """The vectors of one index. Whoever holds `writing` may change index and vectors."""

    def __init__(
        self,
        embedder: Embedder | None,
        spec: str,
        former: Callable[[str], Embedder | None],
        directory: Path,
        stopped: Callable[[], bool],
    ) -> None:
        self.writing = threading.RLock()
        self.serving: Serving | None = None
        self.error = ""
        self.embedder = embedder
        self.progress: Progress | None = None
        self.spec = spec
        self._former = former
        self._directory = directory
        self._stopped = stopped
        self._running = threading.Lock()
        self._store: Store | None = None
        self._coming = False
        self._settled = ""
        self._size = _TEXTS_AT_ONCE[0]

    # -- opening -----------------------------------------------------------------------------

    def attach(self, open_store: Store) -> None:
        """Take the vectors of an index that was opened.

        Asking an embedder what it is may load a model, so this is left to the next run wherever
        it is known from which configuration the vectors are.
        """
        with self.writing:
            self._store, self._coming, self._settled = open_store, False, ""
            self._answer_with(None)
            if self.embedder is None:
                return
            with open_store.reading() as connection:
                before = store.embedder_of(connection, SERVING)
            if not self.spec:
                self._settle(open_store, self.embedder)
            elif before is not None:
                if before.spec == self.spec:
                    self._serve(open_store, self.embedder, before)
                else:
                    self._serve_former(open_store, before)

    def detach(self) -> None:
        """Let go of an index that is closed."""
        with self.writing:
            self._store = None
            self._answer_with(None)

    def _settle(self, open_store: Store, embedder: Embedder) -> bool:
        """Compare the embedder with the one that the vectors are of; false if it cannot tell.

        To be asked again before each work: the file of a model may be replaced at any time.
        """
        try:
            made = Made(_identity(embedder), self.spec)
        except ModelError as error:
            self._fail(error.message)
            return False
        with self.writing:
            if self._store is open_store and made.identity != self._settled:
                self._choose(open_store, embedder, made)
                self._settled = made.identity
        return True

    def _choose(self, open_store: Store, embedder: Embedder, made: Made) -> None:
        with open_store.writing() as connection:
            before = store.embedder_of(connection, SERVING)
            other = before is not None and before.identity != made.identity
            self._coming = other and store.has_vectors(connection)
            if self._coming:
                store.set_embedder(connection, COMING, made)
                store.follow(connection)
            else:
                store.set_embedder(connection, SERVING, made)
                store.drop_coming(connection)
        if not self._coming:
            self._serve(open_store, embedder, made)
            return
        assert before is not None
        logger.info("vectors.switching", old=before.identity, new=made.identity)
        if self.serving is None or self.serving.embedder is embedder:
            self._answer_with(None)
            if before.spec != made.spec:  # else it would be the new one again
                self._serve_former(open_store, before)

    def _serve_former(self, open_store: Store, made: Made) -> None:
        """Let the old vectors serve, if the embedder that they are of can be made again."""
        old = self._again(made)
        if old is None:
            return
        try:
            self._serve(open_store, old, made)
        finally:
            if self.serving is None:
                _close(old)

    def _again(self, made: Made) -> Embedder | None:
        """Make the embedder of the old vectors again; None if it cannot be made or is another.

        One that must be loaded to tell is believed until then.
        """
        try:
            old = self._former(made.spec) if made.spec else None
        except ModelError as error:
            logger.warning("vectors.old_embedder_lost", reason=error.message)
            return None
        if old is None or _may_be(old, made.identity):
            return old
        logger.warning("vectors.old_embedder_lost", reason="its model was replaced")
        _close(old)
        return None

    def _answer_with(self, serving: Serving | None) -> None:
        """Let these vectors answer; an embedder that was made again for others is closed."""
        before, self.serving = self.serving, serving
        if before is None or before.embedder is self.embedder:
            return
        if serving is None or serving.embedder is not before.embedder:
            _close(before.embedder)

    def _serve(self, open_store: Store, embedder: Embedder, made: Made) -> None:
        serving = self.serving
        if serving is not None and serving.identity == made.identity:
            self._answer_with(replace(serving, embedder=embedder))
            return
        width = int(made.identity.rpartition(" ")[2])
        with open_store.reading() as connection:  # not the writer, who has a large cache to fill
            ids, rows, wrong = store.load_vectors(connection, width)
        if wrong:
            with open_store.writing() as connection:
                store.forget_vectors(connection, wrong)
        vectors = Vectors(width, self._directory, f"{open_store.epoch} {made.identity}")
        vectors.load(ids, rows)
        self._answer_with(Serving(vectors, embedder, made.identity))

    # -- questions ---------------------------------------------------------------------------

    def asked(self) -> Embedder | None:
        """Return the embedder for questions, None if there shall be none.

        Raises `IndexUnavailable` where one is configured but no vectors serve.
        """
        serving = self.serving
        if serving is not None and _may_be(serving.embedder, serving.identity):
            return serving.embedder
        if self.embedder is None:
            return None
        if serving is not None:
            raise IndexUnavailable(
                "the model of the embedder was replaced, the vectors are of the one before",
                "the next run embeds again; until then words alone are searched",
            )
        if self._coming:
            raise IndexUnavailable(
                "the vectors of the new embedder are not complete, the old ones cannot be asked",
                "until then words alone are searched; see `hippod status`",
            )
        raise IndexUnavailable(f"there are no vectors yet: {self.error or 'they are to be made'}")

    def count_pending(self) -> int:
        """Count the texts that wait for a vector of the embedder that serves, or will."""
        if self.embedder is None or self._store is None:
            return 0
        table = COMING if self._coming and self.serving is None else SERVING
        with self._store.reading() as connection:
            return store.count_pending(connection, table)

    def count_waiting(self) -> int:
        """Count the texts that the next run would embed."""
        if self.embedder is None or self._store is None:
            return 0
        with self._store.reading() as connection:
            serving = (
                0
                if self.serving is None and self._coming
                else store.count_pending(connection, SERVING)
            )
            return serving + (store.count_pending(connection, COMING) if self._coming else 0)

    def status(self) -> dict[str, Any]:
        """Describe the embedder and, while it is changed, what serves and what is to come."""
        about: dict[str, Any] = {"embedder": None, "dimension": None, "embedding_error": self.error}
        if self.embedder is not None:
            with contextlib.suppress(ModelError):
                about["embedder"], about["dimension"] = _described(self.embedder)
        serving, open_store = self.serving, self._store
        about["engine"] = serving.vectors.engine if serving else None
        about["graph"] = serving.vectors.graph_status() if serving else None
        if self._coming and open_store is not None:
            answers = serving is not None and _may_be(serving.embedder, serving.identity)
            with open_store.reading() as connection:
                stored = store.embedder_of(connection, SERVING)
                about["switching"] = {
                    "stored": stored.identity if stored else None,
                    "active": f"{about['embedder']} {about['dimension']}",
                    "serving": "old vectors" if answers else "words alone",
                    "pending": store.count_pending(connection, COMING),
                }
        return about

    # -- a run -------------------------------------------------------------------------------

    def run(self, report: Report) -> None:
        """Embed what waits, the newest first; whatever fails is tried again by the next run."""
        with self._running:
            open_store = self._store
            if open_store is None or self.embedder is None:
                return
            if not self._settle(open_store, self.embedder):
                return
            try:
                self._fill(open_store, report)
            finally:
                self.progress = None

    def step(self, report: Report) -> bool:
        """Embed a few of the texts that wait; false if that is better left to a run.

        It is where the embedder is not at hand, a run goes on, or something is out of the way.
        """
        open_store, embedder = self._store, self.embedder
        if open_store is None or embedder is None or not getattr(embedder, "immediate", False):
            return False
        if not self._running.acquire(blocking=False):
            return False
        try:
            settled = self._settle(open_store, embedder)
            return settled and not self._coming and self._take_step(open_store, embedder, report)
        finally:
            self._running.release()

    def _take_step(self, open_store: Store, embedder: Embedder, report: Report) -> bool:
        with open_store.reading() as connection:
            waiting = store.pending(connection, SERVING, (), _STEP)
        if len(waiting) < _STEP:
            return False
        try:
            found = embed_texts(embedder, [each.text for each in waiting])
        except ModelError:
            return False
        if any(isinstance(each, Rejected) and not each.final for each in found):
            return False
        self._keep(open_store, SERVING, waiting, found, report)
        return True

    def _fill(self, open_store: Store, report: Report) -> None:
        serving = self.serving
        if serving is not None:
            self._embed(open_store, SERVING, serving.embedder, serving.identity, report)
        if not self._coming or self.embedder is None or self._stopped():
            return
        with self._turn(open_store) as current, open_store.writing() as connection:
            if current:
                store.follow(connection)
        if self._embed(open_store, COMING, self.embedder, self._settled, report):
            self._swap(open_store)

    def _embed(
        self, open_store: Store, table: Table, embedder: Embedder, identity: str, report: Report
    ) -> bool:
        """Embed what waits in a table; say whether nothing is left that could be tried now.

        Where all texts of a batch fail, the embedder is to blame, unless others succeed.
        """
        passed: set[int] = set()
        doubtful: dict[int, Rejected] = {}
        in_a_row, worked = 0, False
        while not self._stopped() and in_a_row < _MOST_IN_A_ROW:
            waiting = self._waiting(open_store, table, passed)
            if not waiting:
                break
            began = time.monotonic()
            try:
                found = embed_texts(embedder, [each.text for each in waiting])
                same = _identity(embedder) == identity
            except ModelError as error:
                self._fail(error.message)
                return False
            if not same:
                self._fail("the model of the embedder was replaced")
                return False
            failed = _all_failed(waiting, found)
            in_a_row = in_a_row + 1 if failed else 0
            worked |= not failed
            doubtful |= failed
            passed |= failed.keys() or self._keep(open_store, table, waiting, found, report)
            self._size = _next_size(self._size, time.monotonic() - began)
        report.stopped |= self._stopped()
        self._blame(open_store, table, doubtful, worked=worked)
        return not passed and not report.stopped

    def _blame(
        self, open_store: Store, table: Table, doubtful: dict[int, Rejected], *, worked: bool
    ) -> None:
        """Say that texts failed; count it against them if the embedder is well otherwise."""
        if not doubtful:
            self.error = ""
            return
        reason = next(reversed(doubtful.values())).reason
        self._fail(f"the embedder failed at {len(doubtful)} texts, the last time: {reason}")
        with self._turn(open_store) as current:
            if worked and current:
                with open_store.writing() as connection:
                    store.reject(connection, table, doubtful)

    def _waiting(self, open_store: Store, table: Table, passed: set[int]) -> list[Pending]:
        with open_store.reading() as connection:
            waiting = store.pending(connection, table, passed, self._size)
            if self.progress is None and len(waiting) == self._size:
                left = store.count_pending(connection, table)
                self.progress = Progress("embedding", left, time.monotonic())
        return waiting

    def _keep(
        self,
        open_store: Store,
        table: Table,
        waiting: Sequence[Pending],
        found: Sequence[np.ndarray[Any, Any] | Rejected],
        report: Report,
    ) -> set[int]:
        """Store a batch; return the texts that may be tried again, but not in this run."""
        pairs = list(zip(waiting, found, strict=True))
        sound = [(each.vector, row) for each, row in pairs if not isinstance(row, Rejected)]
        rejected = {each.vector: row for each, row in pairs if isinstance(row, Rejected)}
        ids = np.array([id_ for id_, _ in sound], dtype=np.int64)
        rows = store.rounded(np.array([row for _, row in sound], dtype=np.float32))
        with self._turn(open_store) as current:
            if not current:
                return set()
            with open_store.writing() as connection:
                kept = store.set_vectors(connection, table, ids.tolist(), rows)
                store.reject(connection, table, rejected)
            if self.serving is not None and table == SERVING:
                self.serving.vectors.add(ids[kept].tolist(), rows[kept])
        report.embedded += len(kept)
        report.rejected += len(rejected)
        if self.progress is not None:
            self.progress.advance(len(waiting))
        return {id_ for id_, why in rejected.items() if not why.final}

    def _swap(self, open_store: Store) -> None:
        """Let the coming vectors serve, unless a text came meanwhile."""
        assert self.embedder is not None
        with self._turn(open_store) as current:
            if not current:
                return
            with open_store.writing() as connection:
                store.follow(connection)
                if store.count_pending(connection, COMING):
                    return
                made = store.embedder_of(connection, COMING)
                store.swap_in(connection)
            assert made is not None
            self._coming = False
            self._serve(open_store, self.embedder, made)
        logger.info("vectors.switched", new=made.identity)

    @contextlib.contextmanager
    def _turn(self, open_store: Store) -> Any:
        """Take the turn to write; false if the index was replaced meanwhile."""
        with self.writing:
            yield self._store is open_store

    def _fail(self, reason: str) -> None:
        if reason != self.error:
            logger.warning("vectors.embedder_failed", reason=reason)
        self.error = reason


def _identity(embedder: Embedder) -> str:
    """Return what its vectors are told apart by; raises `ModelError` if that is not known yet."""
    return f"{embedder.model_id} {embedder.dimension}"


def _may_be(embedder: Embedder, identity: str) -> bool:
    """Say whether it is that embedder as far as is known without loading its model."""
    try:
        model_id, dimension = _described(embedder)
    except ModelError:
        return True
    return dimension is None or f"{model_id} {dimension}" == identity


def _close(embedder: Embedder) -> None:
    close = getattr(embedder, "close", None)
    if close is not None:
        close()


def _described(embedder: Embedder) -> tuple[str, int | None]:
    """Return model and width as far as they are known: asking for them may load the model."""
    status = getattr(embedder, "status", None)
    told = status() if status is not None else {}
    for name in {"model_id", "dimension"} - told.keys():
        told = {**told, name: getattr(embedder, name)}
    return told["model_id"], told["dimension"]


def _all_failed(
    waiting: Sequence[Pending], found: Sequence[np.ndarray[Any, Any] | Rejected]
) -> dict[int, Rejected]:
    """Return the failures by text if no text of several succeeded, else nothing."""
    failures = {
        each.vector: row
        for each, row in zip(waiting, found, strict=True)
        if isinstance(row, Rejected) and not row.final
    }
    return failures if len(failures) == len(waiting) > 1 else {}


def _next_size(size: int, seconds: float) -> int:
    least, most = _TEXTS_AT_ONCE
    fast, slow = _EMBED_SECONDS
    if seconds < fast:
        return min(most, size * 2)
    return max(least, size // 2) if seconds > slow else size
