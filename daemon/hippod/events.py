"""What happened, for whoever listens: kept in the state, told to subscribers at once."""

import contextlib
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Literal

import structlog

from hippod.errors import HippodError
from hippod.scope import DEFAULT_GROUP_PATHS, may_see
from hippod.state.events import Event, EventLog, Page, told
from hippod.wire_events import EventType

__all__ = ["EventType", "Events"]

logger = structlog.get_logger()

By = Literal["hippod", "other", "reindex"]
"""Who changed documents: hippod (a verb or a job), somebody else, or nobody can tell, because the
index was made anew."""

MOST_PATHS = 50
MOST_FACTS = 20
MOST_CHARACTERS = 500
"""Of a message, and of a fact, that an event repeats."""


class Events:
    """Keeps events and tells subscribers. Thread-safe; never to be called in the event loop.

    `may_tell` says whether a text may be told: what is forgotten may not.
    """

    def __init__(self, log: EventLog, group_paths: Sequence[str] = DEFAULT_GROUP_PATHS) -> None:
        self._log = log
        self._group_paths = tuple(group_paths)
        self._lock = threading.Lock()
        self._listeners: set[Callable[[Event | None], None]] = set()
        self._faults: dict[str, str] = {}
        self.may_tell: Callable[[str], bool] = lambda text: True
        self.closed = False

    # -- publishing --------------------------------------------------------------------------

    def publish(self, type_: EventType, data: Mapping[str, Any]) -> bool:
        """Keep an event and tell it; return whether it was kept, which is no reason to fail."""
        try:
            if not self.may_tell(told(data)):
                return False
            event = self._log.add(type_, data)
        except HippodError as error:
            logger.warning("event.not_kept", type=type_, reason=error.message)
            return False
        self._tell(event)
        return True

    def retained(self, path: str, source: str, facts: Collection[tuple[str, str]]) -> None:
        """Tell that facts, each an id and a bullet, were written to a daily log."""
        if not facts:
            return
        listed = [{"id": id_, "bullet": _cut(bullet)} for id_, bullet in list(facts)[:MOST_FACTS]]
        data = {"path": path, "source": source, "count": len(facts), "facts": listed}
        self.publish("facts.retained", data)

    def changed(self, paths: Collection[str], by: By) -> None:
        """Tell that the index took changes of documents; of many paths only some are named."""
        if not paths:
            return
        data = {"by": by, **self._listed(paths)}
        if len(paths) > MOST_PATHS:  # a group must not miss its own among those not named
            seen = [path for path in paths if may_see("group", path, self._group_paths)]
            data["group"] = self._listed([*filter(self._may_name, seen)])
        self.publish("pages.changed", data)

    def _listed(self, paths: Collection[str]) -> dict[str, Any]:
        named = islice(filter(self._may_name, sorted(paths)), MOST_PATHS)
        return {"paths": list(named), "count": len(paths)}

    def _may_name(self, path: str) -> bool:
        """Say whether a document may be named: the page of somebody forgotten may not."""
        name = path.rpartition("/")[2].removesuffix(".md").replace("-", " ")
        try:
            return self.may_tell(f"{path}\n\n{name}")
        except HippodError:
            return False

    def fault(self, what: str, message: str, hint: str = "") -> None:
        """Tell that `what` fails, once for as long as it does so in the same way.

        One that could not be kept counts as not told.
        """
        with self._lock:
            if self._faults.get(what) == message:
                return
            before = self._faults.get(what)
            self._faults[what] = message
        if not self._publish_fault(what, message, hint, over=False):
            self._restore(what, before)

    def well(self, what: str) -> None:
        """Tell that `what` does not fail any more, if it did."""
        with self._lock:
            message = self._faults.pop(what, None)
        if message is not None and not self._publish_fault(what, message, "", over=True):
            self._restore(what, message)

    def _publish_fault(self, what: str, message: str, hint: str, *, over: bool) -> bool:
        data = {"what": what, "message": _cut(message), "hint": _cut(hint), "over": over}
        return self.publish("fault", data)

    def _restore(self, what: str, message: str | None) -> None:
        """Hold what was told last of `what`: what came after it was not kept."""
        with self._lock:
            if message is None:
                self._faults.pop(what, None)
            else:
                self._faults[what] = message

    # -- reading -----------------------------------------------------------------------------

    def since(self, id_: int) -> list[Event]:
        """Return the events behind one that are still kept, oldest first."""
        return self._log.since(id_)

    def page(self, after: int, limit: int, types: Collection[str] = ()) -> Page:
        """Return the first `limit` events behind one, all or those of some types."""
        return self._log.page(after, limit, types)

    def newest(self, types: Collection[str] = ()) -> Iterator[Event]:
        """Yield all events that are kept, the newest first, all or those of some types."""
        return self._log.newest(types)

    def bounds(self) -> tuple[int, int]:
        """Return the ids of the oldest event to be kept and of the newest; (1, 0) before any."""
        return self._log.bounds()

    # -- listening ---------------------------------------------------------------------------

    @contextlib.contextmanager
    def subscribed(self, listener: Callable[[Event | None], None]) -> Iterator[None]:
        """Call `listener` with each event, from any thread, and with None when all is over."""
        with self._lock:
            self._listeners.add(listener)
        try:
            yield
        finally:
            with self._lock:
                self._listeners.discard(listener)

    @property
    def failing(self) -> tuple[str, ...]:
        """What fails at the moment."""
        with self._lock:
            return tuple(sorted(self._faults))

    @property
    def listeners(self) -> int:
        """How many listen at the moment."""
        return len(self._listeners)

    def close(self) -> None:
        """Tell every listener that nothing more comes; does not block."""
        self.closed = True
        self._tell(None)

    def _tell(self, event: Event | None) -> None:
        with self._lock:
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener(event)


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"
