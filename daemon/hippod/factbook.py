"""The facts that stand in the daily logs; a log is parsed again when it changed."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from hippod import chunks, daylog, forgotten, markdown
from hippod.documents import FileStat
from hippod.errors import HippodError
from hippod.reflection.known import Book, KnownFact, known
from hippod.remembered import Remembered
from hippod.workspace import Loaded, Workspace

CONFLICTED = "has git conflict marks"


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A log as it was read: its facts, or why they are not to be gone by."""

    stat: FileStat
    facts: tuple[KnownFact, ...] = ()
    unread: str = ""


class Factbook:
    """Reads the facts of the workspace's daily logs, archived ones too. Thread-safe: share one.

    `user` tells what the user is called.
    """

    def __init__(self, workspace: Workspace, user: Callable[[], str] = str) -> None:
        self._workspace = workspace
        self._user = user
        self._remembered = Remembered(workspace)
        self._lock = threading.Lock()
        self._tombstones: FileStat | None = None
        self._parsed: dict[str, _Parsed] = {}

    def read(self) -> Book:
        """Return all facts as they stand now; raises `StorageError` if the workspace is gone.

        Facts that touch a `<private>` span are left out: on a page they would lose it.
        """
        with self._lock:
            return self._read()

    def _read(self) -> Book:
        found: dict[str, KnownFact] = {}
        unread: dict[str, str] = {}
        parsed: dict[str, _Parsed] = {}
        scan = self._workspace.scan()
        for path in _in_order(scan.files):
            try:
                now = self._look(path)
            except HippodError as error:
                unread[path] = error.message
                continue
            if now is None:
                continue
            parsed[path] = now
            if now.unread:
                unread[path] = now.unread
            for fact in now.facts:
                found[fact.id] = _joined(found.get(fact.id), fact)
        unread |= dict.fromkeys(scan.unreadable, "cannot be read")
        self._parsed = parsed
        ordered = tuple(sorted(found.values(), key=lambda each: each.said))
        return Book(ordered, unread, self._user())

    def of(self, path: str) -> tuple[KnownFact, ...]:
        """Return the facts of one log, none if it cannot be read."""
        with self._lock:
            try:
                now = self._look(path)
            except HippodError:
                now = None
            self._parsed.pop(path, None)
            if now is not None:
                self._parsed[path] = now
        return now.facts if now else ()

    def _look(self, path: str) -> _Parsed | None:
        tombstones = self._workspace.stat(forgotten.PATH)
        if tombstones != self._tombstones:
            self._tombstones, self._parsed = tombstones, {}
        before = self._parsed.get(path)
        if before is not None and before.stat == self._workspace.stat(path):
            return before
        loaded = self._remembered.load(path)
        return None if loaded is None else _parsed(path, loaded)


def _in_order(paths: Iterable[str]) -> list[str]:
    """Daily logs, archived ones last: a copy left in the archive does not stand for the log."""
    logs = (path for path in paths if daylog.day_of(path))
    return sorted(logs, key=lambda path: (path.startswith("archive/"), path))


def _parsed(path: str, loaded: Loaded) -> _Parsed:
    document = markdown.parse(loaded.text)
    day = daylog.day_of(path)
    if loaded.note or document.marks or day is None:  # bytes that are no text would go to pages
        return _Parsed(loaded.stat, unread=loaded.note or CONFLICTED)
    private = chunks.private_lines(document.lines)
    found = (
        known(day, placed.fact, path, placed.line_start, placed.line_end)
        for placed in daylog.retained(document)
        if private.isdisjoint(range(placed.line_start, placed.line_end + 1))
    )
    return _Parsed(loaded.stat, tuple(found))


def _joined(first: KnownFact | None, fact: KnownFact) -> KnownFact:
    """Return the first of several facts with one id.

    What a person says in the same words of two, on one day, has one internal id: it is of both.
    """
    if first is None:
        return fact
    if first.has_block or first.fact.kind != fact.fact.kind:
        return first
    names = tuple(dict.fromkeys((*first.fact.entities, *fact.fact.entities)))
    return replace(first, fact=replace(first.fact, entities=names))
