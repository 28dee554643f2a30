"""Gather the turns of one reading, line by line, and count what gives none."""

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from itertools import takewhile
from typing import Any

from hippod.transcripts import formats
from hippod.transcripts.branches import abandoned
from hippod.transcripts.fields import session_name
from hippod.transcripts.formats import Format
from hippod.transcripts.lines import Line
from hippod.transcripts.mapping import MappedFormat
from hippod.transcripts.places import live_name
from hippod.transcripts.position import Position
from hippod.transcripts.request import Request
from hippod.transcripts.turns import (
    MAPPED_FORMAT,
    Cursor,
    Found,
    Memory,
    Node,
    Rewind,
    SessionKind,
    Skipped,
    Turn,
)

_BOM = b"\xef\xbb\xbf"
_TRIVIAL_LINES = 3
_TRIVIAL_BYTES = 2048
_NAMED_TYPES = 4
_PLAIN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,30}")


@dataclass(slots=True)
class Gathering:
    """What one reading has found so far."""

    request: Request
    changed: datetime
    form: str | None
    session: str | None
    fallback: str
    memory: Memory
    kind: SessionKind | None = None
    turns: list[tuple[str | None, Turn]] = field(default_factory=list)
    places: dict[str, str | None] = field(default_factory=dict)
    starts: dict[str, int] = field(default_factory=dict)
    tip: str | None = None
    skipped: Counter[str] = field(default_factory=Counter)
    types: list[str] = field(default_factory=list)
    messages: int = 0
    unread_in_a_row: int = 0
    _known: int = 0

    @classmethod
    def begin(cls, request: Request, cursor: Cursor | None, changed: datetime) -> "Gathering":
        """Take up format, session and memory where `cursor` left them.

        `changed` is when the file was changed last.
        """
        fallback = fallback_session(request)
        session = cursor.session if cursor and cursor.session != fallback else None
        marks = dict(cursor.marks) if cursor else {}
        return cls(request, changed, _form(request, cursor), session, fallback, marks)

    @property
    def session_id(self) -> str:
        """The session that the records name, else the file's name."""
        return self.session or self.fallback

    def take(self, line: Line, number: int) -> None:
        """Take what a line holds, or count why it holds nothing."""
        known = self._known
        self._take(line, number)
        self.unread_in_a_row = 0 if self._known > known else self.unread_in_a_row + 1

    def _take(self, line: Line, number: int) -> None:
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
            self.take_record(record, number)
        else:
            self.skipped["not_an_object"] += 1

    def take_record(self, record: dict[str, Any], number: int) -> None:
        """Take what the record on line `number` holds."""
        if not record:
            self.skipped["unknown_type"] += 1
            return
        self._note_type(record)
        self.form = self.form or formats.recognise(record)
        reader = self._reader()
        if reader is None:
            self.skipped["unknown_type"] += 1
            return
        self.session = self.session or reader.session(record)
        self.kind = self.kind or reader.kind(record, number)
        node = reader.node(record)
        for found in reader.turns(record, number, self.session_id, self.memory):
            self.take_found(found, node)

    def _reader(self) -> Format | None:
        if self.request.mapping and self.form == MAPPED_FORMAT:
            return MappedFormat(self.request.mapping, self.request.zone)
        return formats.FORMATS.get(self.form or "")

    def take_found(self, found: Found, node: Node | None) -> None:
        """Take what a record held; `node` is its place in a tree of messages."""
        self._known += found != "unknown_type"
        if isinstance(found, Rewind):
            self._rewind(found)
            return
        if isinstance(found, Skipped):
            self.starts.setdefault(found.id, len(self.turns))
            found = found.reason
        if isinstance(found, str):
            self.skipped[found] += 1
            self._place(node, is_new=True)
            return
        self.messages += 1
        self.starts.setdefault(found.id, len(self.turns))
        fate = self.request.fate(found, self.changed)
        if fate:
            self.skipped[fate] += 1
        else:
            self.turns.append((node.id if node else None, found))
        self._place(node, is_new=fate != "seen")

    def _rewind(self, order: Rewind) -> None:
        """Drop the turns that were taken back; what an earlier reading returned stays."""
        if order.to is not None:
            start = self.starts.get(order.to, 0)
            before = takewhile(lambda id_: id_ != order.to, self.starts)
            kept = set(before) if order.to in self.starts else set()
        else:
            asked = [at for at, (_, turn) in enumerate(self.turns) if turn.role == "user"]
            start = asked[-order.users] if order.users <= len(asked) else 0
            kept = {id_ for id_, at in self.starts.items() if at < start}
        self.skipped["abandoned"] += len(self.turns) - start
        del self.turns[start:]
        self.starts = {id_: at for id_, at in self.starts.items() if id_ in kept}

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

    def kind_of_session(self) -> SessionKind:
        """Decide the kind: by the request, what lies beside the file, its records, what it was."""
        request, reader = self.request, self._reader()
        if request.kind != "auto":
            return request.kind
        listed = reader.file_kind(request.path, self.session_id) if reader else None
        return listed or self.kind or (request.cursor.kind if request.cursor else "main")

    def cursor(self, position: Position, files: str = "") -> Cursor:
        """Return a cursor at `position`; `files` as in `Cursor`."""
        kind = self.kind_of_session()
        return position.cursor(self.form, self.session_id, kind, self.memory, files)

    def alarm(self, position: Position, *, from_start: bool) -> str | None:
        """Return a sentence if what was read should have held messages and none was found."""
        path = self.request.path
        started = f" (it begins with {', '.join(self.types)})" if self.types else ""
        trivial = position.line < _TRIVIAL_LINES and position.offset <= _TRIVIAL_BYTES
        if self.form is None:
            return None if trivial else f"{path}: not a transcript format that is known{started}"
        unknown = self.skipped["unknown_type"]
        doubtful = unknown + sum(self.skipped[why] for why in ("no_text", "malformed", "too_long"))
        enough = doubtful and not trivial if from_start else unknown >= _TRIVIAL_LINES
        if self.messages or not enough:
            return None
        return f"{path}: read as {self.form}, but no message was found{started}"


def fallback_session(request: Request) -> str:
    """Return the session's name where no record tells it: that of the file."""
    stem = live_name(request.path.name)
    for ending in (".jsonl", ".json", ".md"):
        stem = stem.removesuffix(ending)
    return session_name(stem) or "session"


def _form(request: Request, cursor: Cursor | None) -> str | None:
    if request.mapping:
        return MAPPED_FORMAT
    name = request.format if request.format != "auto" or cursor is None else cursor.format
    return name if name in formats.FORMATS else None


def _type_name(record: dict[str, Any]) -> str:
    """Name a record by its type, else its first keys: names of a format, no content."""
    kind = record.get("type")
    if isinstance(kind, str) and _PLAIN_NAME.fullmatch(kind):
        return kind
    keys = [key for key in list(record)[:3] if _PLAIN_NAME.fullmatch(key)]
    return f"a record with {'/'.join(keys)}" if keys else "a record without a type"
