"""Gather the turns of one reading, line by line, and count what gives none."""

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hippod.transcripts import formats
from hippod.transcripts.branches import abandoned
from hippod.transcripts.fields import session_name
from hippod.transcripts.lines import Line
from hippod.transcripts.places import live_name
from hippod.transcripts.position import Position
from hippod.transcripts.turns import UNKNOWN_FORMAT, Cursor, Node, SessionKind, Turn

_BOM = b"\xef\xbb\xbf"
_TRIVIAL_LINES = 3
_TRIVIAL_BYTES = 2048
_NAMED_TYPES = 4
_PLAIN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,30}")


@dataclass(slots=True)
class Gathering:
    """What one reading has found so far."""

    form: str | None
    session: str | None
    fallback: str
    fate: Callable[[Turn], str | None]
    kind: SessionKind | None = None
    turns: list[tuple[str | None, Turn]] = field(default_factory=list)
    places: dict[str, str | None] = field(default_factory=dict)
    tip: str | None = None
    skipped: Counter[str] = field(default_factory=Counter)
    types: list[str] = field(default_factory=list)
    messages: int = 0

    @classmethod
    def begin(
        cls, path: Path, cursor: Cursor | None, form: str, fate: Callable[[Turn], str | None]
    ) -> "Gathering":
        """Take up format and session where the cursor left them.

        `fate` says why a turn is not new, None if it is.
        """
        fallback = session_name(live_name(path.name).removesuffix(".jsonl")) or "session"
        if form == "auto":
            form = cursor.format if cursor else UNKNOWN_FORMAT
        session = cursor.session if cursor and cursor.session != fallback else None
        return cls(form if form in formats.FORMATS else None, session, fallback, fate)

    @property
    def session_id(self) -> str:
        """The session that the records name, else the file's name."""
        return self.session or self.fallback

    def take(self, line: Line, number: int) -> None:
        """Take what a line holds, or count why it holds nothing."""
        if not line.whole:
            self.skipped["too_long"] += 1
            return
        raw = line.raw.removeprefix(_BOM) if number == 1 else line.raw
        if not raw.strip():
            return
        try:
            record = json.loads(raw.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            self.skipped["malformed"] += 1
            return
        if isinstance(record, dict):
            self._take_record(record, number)
        else:
            self.skipped["not_an_object"] += 1

    def _take_record(self, record: dict[str, Any], number: int) -> None:
        self._note_type(record)
        self.form = self.form or formats.recognise(record)
        if self.form is None:
            self.skipped["unknown_type"] += 1
            return
        reader = formats.FORMATS[self.form]
        self.session = self.session or reader.session(record)
        self.kind = self.kind or reader.kind(record, number)
        node, turn = reader.node(record), reader.turn(record, number, self.session_id)
        if isinstance(turn, str):
            self.skipped[turn] += 1
            self._place(node, is_new=True)
            return
        self.messages += 1
        fate = self.fate(turn)
        if fate:
            self.skipped[fate] += 1
        else:
            self.turns.append((node.id if node else None, turn))
        self._place(node, is_new=fate != "seen")

    def _place(self, node: Node | None, *, is_new: bool) -> None:
        """Put a node into the tree; one that was there before is a copy, not the new tip."""
        if node is None:
            return
        if is_new and node.id not in self.places:
            self.tip = node.id
        self.places.setdefault(node.id, node.parent)

    def _note_type(self, record: dict[str, Any]) -> None:
        """Remember the first kinds of record by name, for the alarm."""
        if len(self.types) < _NAMED_TYPES and (name := _type_name(record)) not in self.types:
            self.types.append(name)

    def new_turns(self) -> tuple[Turn, ...]:
        """Drop abandoned branches, then copies: a rewritten branch repeats the one it left.

        Where lines could not be read, links of the tree are missing and no branch is dropped.
        """
        unread = self.skipped["malformed"] + self.skipped["too_long"]
        left = frozenset[str]() if unread else abandoned(self.places, self.tip)
        turns: dict[str, Turn] = {}
        for node, turn in self.turns:
            if node in left:
                self.skipped["abandoned"] += 1
            elif turn.key in turns:
                self.skipped["duplicate"] += 1
            else:
                turns[turn.key] = turn
        return tuple(turns.values())

    def kind_of(self, path: Path, cursor: Cursor | None) -> SessionKind:
        """Decide the session's kind: what lies beside the file, its records, what it was."""
        listed = formats.FORMATS[self.form].file_kind(path, self.session_id) if self.form else None
        return listed or self.kind or (cursor.kind if cursor else "main")

    def alarm(self, path: Path, position: Position, *, from_start: bool) -> str | None:
        """Return a sentence if what was read should have held messages and none was found."""
        started = f" (it begins with {', '.join(self.types)})" if self.types else ""
        trivial = position.line < _TRIVIAL_LINES and position.offset <= _TRIVIAL_BYTES
        if self.form is None:
            return None if trivial else f"{path}: not a transcript format that is known{started}"
        unknown = self.skipped["unknown_type"]
        doubtful = unknown + self.skipped["no_text"] + self.skipped["malformed"]
        enough = doubtful and not trivial if from_start else unknown >= _TRIVIAL_LINES
        if self.messages or not enough:
            return None
        return f"{path}: read as {self.form}, but no message was found{started}"


def _type_name(record: dict[str, Any]) -> str:
    """Name a record by its type, else its first keys: names of a format, no content."""
    kind = record.get("type")
    if isinstance(kind, str) and _PLAIN_NAME.fullmatch(kind):
        return kind
    keys = [key for key in list(record)[:3] if _PLAIN_NAME.fullmatch(key)]
    return f"a record with {'/'.join(keys)}" if keys else "a record without a type"
