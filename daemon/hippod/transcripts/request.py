"""What one reading was asked for."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Literal

from hippod.transcripts.mapping import FieldMap
from hippod.transcripts.turns import Cursor, SessionKind, Turn


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments of `reader.read`, which explains them."""

    path: Path
    cursor: Cursor | None
    seen: Callable[[str], bool]
    format: str
    kind: SessionKind | Literal["auto"]
    max_turns: int
    max_bytes: int
    since: datetime | None
    mapping: FieldMap | None
    zone: tzinfo

    def fate(self, turn: Turn, changed: datetime) -> str | None:
        """Say why a turn is not new; `changed` is when the file was."""
        if self.since and (turn.time or changed) < self.since:
            return "before_since"
        return "seen" if self.seen(turn.key) else None
