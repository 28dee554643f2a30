"""What a write leaves behind: the values that workspace and state exchange about it."""

from dataclasses import dataclass
from typing import Literal, Protocol

Operation = Literal[
    "create", "write", "replace", "append", "move", "delete", "displaced", "leftover"
]
"""`move`: bytes that we had appended changed place within their file. `displaced`: bytes of
somebody else that had to give way to a newer version of theirs. `leftover`: a temporary file
that a dead run left behind."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a document, as it is journalled before it happens.

    `before` holds the whole bytes that stood there (None: nothing did, or it is an append).
    Appends have `offset` and `length` in bytes instead, and `digest` is the sha256 of the bytes
    appended; else it is that of the whole file afterwards, None for a deletion.
    """

    operation: Operation
    path: str
    actor: str
    before: bytes | None = None
    offset: int | None = None
    length: int | None = None
    digest: str | None = None


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
