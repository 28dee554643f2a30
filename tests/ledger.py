"""A journal in memory, for tests of what writes Markdown."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from hippod.journal import Change, JournalEntry


@dataclass
class ListJournal:
    """Keeps changes in order; `open` holds those begun and neither committed nor aborted."""

    changes: list[Change] = field(default_factory=list)
    offsets: dict[int, int | None] = field(default_factory=dict)
    open: set[int] = field(default_factory=set)
    aborted: set[int] = field(default_factory=set)

    def begin(self, change: Change) -> int:
        self.changes.append(change)
        self.open.add(len(self.changes) - 1)
        return len(self.changes) - 1

    def commit(self, entry: int, offset: int | None = None) -> None:
        self.open.remove(entry)
        self.offsets[entry] = offset

    def abort(self, entry: int) -> None:
        self.open.remove(entry)
        self.aborted.add(entry)

    def amend(self, entry: int, offset: int, length: int, digest: str) -> None:
        self.offsets[entry] = offset
        self.changes[entry] = replace(
            self.changes[entry], offset=offset, length=length, digest=digest
        )

    def unfinished(self) -> list[JournalEntry]:
        return [self.entry(number) for number in sorted(self.open)]

    def entry(self, number: int) -> JournalEntry:
        change, offset = self.changes[number], self.offsets.get(number)
        if offset is not None:
            change = replace(change, offset=offset)
        status = "begun" if number in self.open else "committed"
        return JournalEntry(number, datetime.now(UTC), status, change)

    @property
    def done(self) -> list[Change]:
        return [c for n, c in enumerate(self.changes) if n not in self.open | self.aborted]
