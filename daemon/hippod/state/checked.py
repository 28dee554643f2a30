"""What the heartbeat found about each item of the checklist, as JSON of its own."""

import json
from collections.abc import Callable, Collection, Mapping

from hippod.state.database import Database, iso


class Checked:
    """The table of checked items. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> dict[str, str]:
        """Return what is kept, by the key of the item."""
        return dict(self._database.rows("SELECT item, value FROM checked"))

    def put(self, values: Mapping[str, str]) -> None:
        """Keep values, all of them or none."""
        now = iso(self._database.clock())
        with self._database.transaction():
            self._database.execute_many(
                "INSERT OR REPLACE INTO checked(item, value, updated) VALUES (?,?,?)",
                ((item, value, now) for item, value in values.items()),
            )

    def forget(
        self, paths: Collection[str], left: Callable[[str], str], others: Callable[[str], str]
    ) -> int:
        """Keep only what `left` leaves of values that name one of these documents.

        And what `others` leaves of all others. Returns how many name one.
        """
        names = {path.rpartition("/")[2] for path in paths}  # logs move to the archive
        said = [json.dumps(name, ensure_ascii=False)[1:-1] for name in names]
        with self._database.transaction():
            values = self.all()
            touched = {
                item for item, value in values.items() if any(name in value for name in said)
            }
            self._database.execute_many(
                "UPDATE checked SET value=? WHERE item=?",
                (
                    (left(value) if item in touched else others(value), item)
                    for item, value in values.items()
                ),
            )
        return len(touched)

    def drop(self, items: Collection[str]) -> None:
        """Forget items that stand in no checklist any more."""
        with self._database.transaction():
            self._database.execute_many(
                "DELETE FROM checked WHERE item=?", ((item,) for item in items)
            )
