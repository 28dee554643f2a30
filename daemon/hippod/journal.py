"""What a write leaves behind: the values that workspace and state exchange about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, Protocol

Operation = Literal[
    "create", "write", "replace", "insert", "append", "rename", "move", "delete", "displaced",
    "leftover", "forget", "purged",
]  # fmt: skip
"""`rename`: a document got another path. `move`: bytes that we had appended changed place within
their file. `displaced`: bytes of somebody else that had to give way to a newer version of theirs.
`leftover`: a temporary file that a dead run left behind. `forget`: something was removed for good,
so nothing is kept of what stood there. `purged`: what an entry kept held something that was
forgotten since."""

PREVIEW_CHARACTERS: Final = 80
"""How much of a line a preview shows."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a document, as it is journalled before it happens.

    `before` holds the whole bytes that stood there, None if nothing did. Appends have `offset`
    and `length` in bytes instead (and an empty `before` if the file was there), and `digest` is
    the sha256 of the bytes appended; else it is that of the whole file afterwards, None for a
    deletion, and `length` its size. A renaming goes from `path` to `target` and has no
    `before`: no byte changes. `undoes` is the entry that this change takes back. `preview` begins
    what is new, or what went.
    """

    operation: Operation
    path: str
    actor: str
    before: bytes | None = None
    offset: int | None = None
    length: int | None = None
    digest: str | None = None
    undoes: int | None = None
    preview: str = ""
    target: str | None = None


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A journalled change.

    `begun` and never committed means that we died in the middle; the next opening of the
    workspace finds out what became of it. `undone_by` is the entry that took it back, if that
    one still holds.
    """

    id: int
    time: datetime
    status: Literal["begun", "committed"]
    change: Change
    undone_by: int | None = None


class Journal(Protocol):
    """Where changes are written down; `State` is one, tests use a list."""

    def begin(self, change: Change) -> int:
        """Write down a change that is about to happen and return the entry's number."""
        ...

    def commit(self, entry: int, offset: int | None = None) -> None:
        """Note that the change happened; `offset`: where an append really landed."""
        ...

    def abort(self, entry: int) -> None:
        """Forget an entry whose change did not happen."""
        ...

    def amend(self, entry: int, offset: int, length: int, digest: str) -> None:
        """Note that the bytes of an append stand elsewhere, or as others, by now."""
        ...

    def unfinished(self) -> Sequence[JournalEntry]:
        """Return the entries that were begun and neither committed nor aborted, oldest first."""
        ...


@dataclass(frozen=True, slots=True)
class PlannedAppend:
    """Bytes about to be appended; `inode` is None where the file is still to be created."""

    path: str
    offset: int
    data: bytes
    inode: int | None


@dataclass(frozen=True, slots=True)
class Appended:
    """Bytes that stand in a file; `data` is empty where nothing had to be written."""

    path: str
    offset: int
    data: bytes
    inode: int
