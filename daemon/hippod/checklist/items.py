"""HEARTBEAT.md taken apart: what is to be looked at, and when to be quiet."""

import hashlib
from dataclasses import dataclass
from typing import Literal

from hippod.schedule import Hours

Kind = Literal["action", "check", "question", "agent"]
"""Work that hippod does itself, a named check of the configuration, a question for recall, work
that only an agent can do."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to look at.

    `text` is what stands there, without the mark before it; `name` is that of the action or check.
    """

    kind: Kind
    text: str
    line: int
    name: str = ""

    @property
    def key(self) -> str:
        """What stays the same while the item stands in the list, wherever it stands."""
        said = " ".join(self.text.split()).casefold()
        known = f"{self.kind} {self.name or said}".encode(errors="surrogatepass")
        return hashlib.sha256(known).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Checklist:
    """The items of a checklist, in order.

    Where there is none `skipped` says why: `missing`, `empty`, `headings or comments only`,
    `all done`, `conflict marks`, or `no items` where it only says how to reply, or names what is
    not there. `quiet` are the hours that a sentence of it asks for; `notes` say, with their line,
    what was not understood.
    """

    items: tuple[Item, ...] = ()
    quiet: Hours | None = None
    skipped: str = ""
    notes: tuple[str, ...] = ()
