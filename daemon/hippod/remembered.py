"""The documents as they may be remembered: without what `bank/forgotten.md` says is forgotten."""

import hashlib
from dataclasses import replace
from datetime import date, tzinfo

from hippod import daylog, edits, erasing, facts, forgotten
from hippod.documents import FileStat, Scan
from hippod.errors import StorageError
from hippod.facts import Fact
from hippod.forgotten import Tombstone, Tombstones
from hippod.transcripts import Turn
from hippod.workspace import Loaded, Workspace


class Remembered:
    """Reads documents for all that remembers: the index, retain, reflection. Thread-safe.

    While the page of tombstones is there and cannot be read, nothing is: what it forgets must
    not come back.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._known: tuple[FileStat | None, Tombstones] = (None, Tombstones())

    def tombstones(self) -> Tombstones:
        """Return what is forgotten now; raises `StorageError` if that cannot be told."""
        stat = self._workspace.stat(forgotten.PATH)
        if stat != self._known[0] or stat is None:
            self._known = (stat, self._read() if stat else Tombstones())
        return self._known[1]

    def _read(self) -> Tombstones:
        data = self._workspace.raw(forgotten.PATH)
        if data is None:
            return Tombstones()
        decoded = edits.decode(data)
        if decoded is None:
            raise StorageError(
                f"{forgotten.PATH}: is not text, so what is forgotten cannot be told",
                "restore the page, or delete it to remember everything again",
            )
        return Tombstones.parse(decoded[0])

    def scan(self) -> Scan:
        """List every document."""
        return self._workspace.scan()

    def stat(self, path: str) -> FileStat | None:
        """Look at a file without opening it."""
        return self._workspace.stat(path)

    def load(self, path: str) -> Loaded | None:
        """Read a document with blanks where it says what is forgotten; None if it is gone or none.

        The hash is then that of the text. The page of tombstones itself says nothing.
        """
        loaded = self._workspace.load(path)
        if loaded is None or path == forgotten.PATH:
            return loaded and replace(loaded, text="")
        stones = self.tombstones()
        text = erasing.remembered(loaded.text, stones, daylog.day_of(path)) if stones else None
        if text is None or text is loaded.text:
            return loaded
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return replace(loaded, text=text, sha256=digest)

    def left_of(self, text: str, day: date | None = None) -> str:
        """Return a text, said on `day`, with blanks where it says what is forgotten."""
        stones = self.tombstones()
        return erasing.remembered(text, stones, day) if stones else text


def turn_left(stones: Tombstones, source: str, session: str, turn: Turn, zone: tzinfo) -> Turn:
    """Return a turn without what is forgotten of it; the same object if that is nothing."""
    if not stones or not turn.text:
        return turn
    if stones.forgets_turn(source, session, turn.id):
        return replace(turn, text="")
    day = turn.time.astimezone(zone).date() if turn.time else None
    text = erasing.remembered(turn.text, stones, day)
    return turn if text is turn.text else replace(turn, text=text)


def forgets_fact(stones: Tombstones, fact: Fact, day: date) -> Tombstone | None:
    """Return the tombstone of a fact that was said on `day`, by its id or by what it states."""
    if not stones:
        return None
    id_ = fact.id or facts.content_id(day, fact.content)
    if stone := stones.forgets_id(id_) or stones.forgets_text(forgotten.stated(fact)):
        return stone
    said = forgotten.words(fact.content)
    for start, end in stones.spans(said, day, in_fact=True):
        return stones.forgets_text(" ".join(said[start:end]))
    return None
