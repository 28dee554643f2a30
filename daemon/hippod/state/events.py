"""The last events, so that who was away can read on from the last one that it saw."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hippod.state.database import Database, Row, iso, moment

KEPT = 2_000
PAGE = 100
"""Events that are read at once by who follows them."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened; ids grow and are never used again.

    Of one that cannot be read any more `data` is empty.
    """

    id: int
    time: datetime
    type: str
    data: dict[str, Any]

    @property
    def told(self) -> str:
        """All that its data says, one text a paragraph."""
        return told(self.data)


@dataclass(frozen=True, slots=True)
class Page:
    """Events in order, of all with the ids `first` to `last` that are kept.

    In between some may be missing: they told what was forgotten since.
    """

    first: int
    last: int
    events: tuple[Event, ...]


class EventLog:
    """The table of events. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, type_: str, data: Mapping[str, Any]) -> Event:
        """Keep an event, and the newest `KEPT` of them."""
        now = self._database.clock()
        text = json.dumps(dict(data), ensure_ascii=False).encode(errors="replace").decode()
        with self._database.transaction():
            (number,) = self._database.only(
                "INSERT INTO event(time, type, data) VALUES (?,?,?) RETURNING id",
                iso(now),
                type_,
                text,
            )
            self._database.execute("DELETE FROM event WHERE id<=?", number - KEPT)
        return Event(number, now, type_, dict(data))

    def since(self, id_: int, limit: int = KEPT) -> list[Event]:
        """Return events behind one, oldest first."""
        return list(self.page(id_, limit).events)

    def page(self, after: int, limit: int = PAGE, types: Collection[str] = ()) -> Page:
        """Return the first `limit` events behind one, all or those of some types."""
        with self._database.held():
            rows = self._database.rows(
                f"SELECT {_EVENT} WHERE {_OF_TYPES} AND id>?2 ORDER BY id LIMIT ?3",
                json.dumps(list(types)),
                after,
                limit,
            )
            return Page(*self.bounds(), tuple(map(_event, rows)))

    def newest(self, types: Collection[str] = ()) -> Iterator[Event]:
        """Yield all events that are kept, the newest first, all or those of some types."""
        named = json.dumps(list(types))
        rows = self._database.rows(f"SELECT {_EVENT} WHERE {_OF_TYPES} ORDER BY id DESC", named)
        return map(_event, rows)

    def bounds(self) -> tuple[int, int]:
        """Return the ids of the oldest event to be kept and of the newest; (1, 0) before any."""
        row = self._database.row("SELECT seq FROM sqlite_sequence WHERE name='event'")
        last = int(row[0]) if row else 0
        return max(1, last - KEPT + 1), last

    def purge(self, left: Callable[[str], str]) -> int:
        """Drop the events of which `left` leaves less than they tell; return how many.

        Inside of a transaction only.
        """
        gone = [event.id for event in self.newest() if left(event.told) != event.told]
        self._database.execute_many("DELETE FROM event WHERE id=?", ((id_,) for id_ in gone))
        return len(gone)


_EVENT = "id, time, type, data FROM event"
_OF_TYPES = "(?1='[]' OR type IN (SELECT value FROM json_each(?1)))"


def _event(row: Row) -> Event:
    number, time, type_, text = row
    try:
        data = json.loads(text)
    except ValueError:
        data = None
    return Event(number, moment(time), type_, data if isinstance(data, dict) else {})


def told(data: Mapping[str, Any]) -> str:
    """Return all that data says, one text a paragraph."""
    return "\n\n".join(_texts(data))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


def left_of(text: str, left: Callable[[str], str]) -> str:
    """Return JSON without the entries and lines of which `left` leaves less than they tell.

    Empty where that is not all of it.
    """

    def says_it(value: object) -> bool:
        told = "\n\n".join(_texts(value))
        return left(told) != told

    try:
        data = json.loads(text)
    except ValueError:
        return ""
    if not isinstance(data, dict):
        return ""
    for key, value in data.items():
        if isinstance(value, list):
            data[key] = [each for each in value if not says_it(each)]
        elif isinstance(value, str):
            data[key] = "\n".join(line for line in value.split("\n") if not says_it(line))
    rest = json.dumps(data, ensure_ascii=False)
    return "" if says_it(data) or left(rest) != rest else rest
