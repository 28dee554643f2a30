"""The last events, so that who was away can read on from the last one that it saw."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hippod.state.database import Database, iso, moment

KEPT = 2_000


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened; ids grow and are never used again."""

    id: int
    time: datetime
    type: str
    data: dict[str, Any]


class EventLog:
    """The table of events. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, type_: str, data: Mapping[str, Any]) -> Event:
        """Keep an event, and the newest `KEPT` of them."""
        now = self._database.clock()
        text = json.dumps(dict(data), ensure_ascii=False)
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
        rows = self._database.rows(
            "SELECT id, time, type, data FROM event WHERE id>? ORDER BY id LIMIT ?", id_, limit
        )
        return [Event(row[0], moment(row[1]), row[2], json.loads(row[3])) for row in rows]

    def bounds(self) -> tuple[int, int]:
        """Return the ids of the oldest event that is kept and of the newest; (0, 0) if none is."""
        first, last = self._database.only(
            "SELECT coalesce(min(id), 0), coalesce(max(id), 0) FROM event"
        )
        return int(first), int(last)
