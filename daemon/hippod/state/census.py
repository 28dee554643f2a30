"""How much the state holds, counted beside it: no save waits for a count."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import apsw

from hippod.state.database import Row, moment, storage

_BUSY_MS = 200


@dataclass(frozen=True, slots=True)
class LastRun:
    """How a job ended last."""

    started: datetime
    seconds: float
    outcome: str


@dataclass(frozen=True, slots=True)
class Census:
    """Batches by status, facts that were extracted, ids given to events, last runs by job."""

    batches: Mapping[str, int]
    facts: int
    events: int
    runs: Mapping[str, LastRun]


def take(path: Path) -> Census:
    """Count in one snapshot, over a connection of its own; raises `StorageError`.

    The lock of the state's connection, which every write holds, is left alone.
    """
    with storage(path):
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            connection.set_busy_timeout(_BUSY_MS)
            connection.execute("BEGIN")
            return _count(connection)
        finally:
            connection.close()


def _count(connection: apsw.Connection) -> Census:
    def rows(sql: str) -> list[Row]:
        return connection.execute(sql).fetchall()

    ((facts, events),) = rows(
        "SELECT (SELECT count(*) FROM batch_fact),"
        " (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name='event')"
    )
    # The other columns are those of the row that has the maximum.
    runs = rows(
        "SELECT name, max(started), seconds, outcome FROM run"
        " WHERE outcome<>'running' GROUP BY name"
    )
    return Census(
        batches=dict(rows("SELECT status, count(*) FROM batch GROUP BY status")),
        facts=facts,
        events=events,
        runs={name: LastRun(moment(began), *rest) for name, began, *rest in runs},
    )
