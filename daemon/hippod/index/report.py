"""What a change of the index did, for logs, answers and `status`."""

from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(slots=True)
class Report:
    """What an update did. `failed` gives reasons by path; `stopped` if it did not finish.

    `changed` are the paths that were stored or removed; `renewed` if the index was lost, so that
    all were; `passing` if something failed that may well succeed in a moment.
    """

    indexed: int = 0
    unchanged: int = 0
    removed: int = 0
    units: int = 0
    embedded: int = 0
    rejected: int = 0
    seconds: float = 0.0
    stopped: bool = False
    renewed: bool = False
    passing: bool = False
    failed: dict[str, str] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)

    def take_over(self, other: "Report") -> None:
        """Become a copy of another report."""
        for each in fields(self):
            setattr(self, each.name, getattr(other, each.name))

    def summary(self) -> dict[str, Any]:
        """Return the counts, for logs and answers."""
        return {
            "indexed": self.indexed,
            "unchanged": self.unchanged,
            "removed": self.removed,
            "units": self.units,
            "embedded": self.embedded,
            "rejected": self.rejected,
            "failed": len(self.failed),
            "stopped": self.stopped,
            "seconds": round(self.seconds, 3),
        }
