"""Read transcripts that hold many sessions: one reading gives new turns of one of them.

A mark says how far a session was read and what state it was in then. Marks of sessions that
were read long ago are dropped: `marks[""]` says up to which age a session without one is read.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, Protocol

from hippod.errors import NotFound, StorageError
from hippod.transcripts.branches import abandoned
from hippod.transcripts.fields import digest, session_name
from hippod.transcripts.request import Request
from hippod.transcripts.turns import (
    UNKNOWN_FORMAT,
    Cursor,
    Node,
    Reading,
    SessionKind,
    Skip,
    Turn,
)

KEPT_MARKS = 300
"""How many sessions that are read keep their mark; each takes some 100 bytes of a cursor."""
_LONGEST_ID = 120
_DOUBTFUL = ("unknown_type", "no_text", "malformed")
_TRIVIAL_ROWS = 3
_UNREADABLE = "unreadable"
_FLOOR = ""


@dataclass(frozen=True, slots=True)
class Session:
    """A session as the store lists it.

    `newest` is not empty, and another text whenever something may have been added; `order` grows
    with the time of the last message, which is `changed`.
    """

    id: str
    newest: str
    order: float
    changed: datetime | None


@dataclass(frozen=True, slots=True)
class Row:
    """What one row of a session holds.

    `position`, a text without spaces, is where to read on behind it; `size` is in bytes.
    """

    position: str
    found: Turn | Skip | Literal["malformed", "too_long"]
    size: int = 0
    node: Node | None = None


Needs = Mapping[str, tuple[str, ...]]
"""Tables by which a format is recognised, with the columns that it cannot be read without."""


class Store(Protocol):
    """One agent's way to keep sessions, opened."""

    @property
    def form(self) -> str:
        """The name of the format."""

    def sessions(self) -> Iterator[Session]:
        """Yield the sessions that hold something."""

    def kind(self, session: str) -> SessionKind | None:
        """Return a session's kind, None if nothing tells it."""

    def continues(self, session: Session, position: str) -> bool:
        """Say whether `position` still means what it did: nothing before it was rewritten."""

    def rows(self, session: str, after: str | None) -> Iterator[Row]:
        """Yield the rows behind a position in order, no further than they are finished."""


def read_store(
    request: Request,
    opened: Callable[[Path], AbstractContextManager[Store]],
    state: Callable[[Path], str],
) -> Reading:
    """Return new turns of one session and a cursor behind them.

    The session that the last reading left half read goes first, then the one that was quiet for
    longest. `more` says that this session or another one holds more. What cannot be opened gives
    an alarm and no turns; `state` tells whether it was written to. Raises `NotFound`.
    """
    path, cursor = request.path, request.cursor
    try:
        info = path.stat()
    except OSError:
        raise NotFound(f"{path}: no such transcript") from None
    files = state(path)  # before anything is read: what is written meanwhile is seen next time
    same = cursor is not None and (cursor.device, cursor.inode) == (info.st_dev, info.st_ino)
    past = cursor if cursor and same else _start(path)
    fetched = _Fetched(past.format, dict(past.marks))
    trouble = None
    try:
        with opened(path) as store:
            fetched.fetch(store, request)
    except StorageError as error:
        trouble, files = error.message, _UNREADABLE
    judged = _Judged(request, datetime.fromtimestamp(info.st_mtime, UTC))
    judged.judge(fetched.rows)
    return Reading(
        turns=tuple(judged.turns),
        cursor=replace(
            past,
            device=info.st_dev,
            inode=info.st_ino,
            offset=info.st_size,
            format=fetched.form,
            session=session_name(fetched.session) or past.session,
            kind=_kind(request, fetched, past),
            marks=fetched.marks,
            files=files,
        ),
        more=fetched.more and trouble is None,
        rewritten=fetched.rewritten or (cursor is not None and not same),
        alarm=trouble or judged.alarm(fetched),
        skipped=dict(judged.skipped),
    )


def _start(path: Path) -> Cursor:
    return Cursor(
        device=0,
        inode=0,
        offset=0,
        line=0,
        prefix_size=0,
        prefix_hash="",
        tail_hash="",
        format=UNKNOWN_FORMAT,
        session=session_name(path.stem) or "session",
        kind="main",
    )


def _kind(request: Request, fetched: "_Fetched", past: Cursor) -> SessionKind:
    if request.kind != "auto":
        return request.kind
    return fetched.kind or ("main" if fetched.session else past.kind)


@dataclass(slots=True)
class _Fetched:
    """What one look into a store found: rows of one session, and the marks behind them."""

    form: str
    marks: dict[str, str]
    session: str = ""
    kind: SessionKind | None = None
    rows: list[Row] = field(default_factory=list)
    from_start: bool = False
    rewritten: bool = False
    more: bool = False

    def fetch(self, store: Store, request: Request) -> None:
        """Fetch rows of the session whose turn it is.

        What was fetched stands even if the store then turns out to be damaged.
        """
        listed = {_name(session.id): session for session in store.sessions()}
        self._forget_all_but(listed if self.form == store.form else {})
        self.form = store.form
        unread = [s for s in listed.values() if self._is_unread(s) and _counts(s, request)]
        if not unread:
            return
        chosen = min(unread, key=lambda s: (not self._is_half_read(s), s.order, s.id))
        self._fetch_rows(store, chosen, request)
        waiting = [session.order for session in unread if self._is_unread(session)]
        self.more = bool(waiting)
        self._drop_old(listed, min(waiting, default=chosen.order))

    def _fetch_rows(self, store: Store, session: Session, request: Request) -> None:
        position, _ = _split(self.marks.get(_name(session.id)))
        if position is not None and not store.continues(session, position):
            position, self.rewritten = None, True
        self.session, self.kind = session.id, store.kind(session.id)
        self.from_start = position is None
        turns = size = 0
        for row in store.rows(session.id, position):
            if turns >= request.max_turns or size >= request.max_bytes:
                return
            self.rows.append(row)
            turns, size = turns + isinstance(row.found, Turn), size + row.size
            position = row.position
            self._mark(session, position, "")
        self._mark(session, position or "", session.newest)

    def _mark(self, session: Session, position: str, newest: str) -> None:
        self.marks[_name(session.id)] = f"{position} {newest}"

    def _is_unread(self, session: Session) -> bool:
        mark = self.marks.get(_name(session.id))
        if mark is not None:
            return _split(mark)[1] != session.newest
        floor = self.marks.get(_FLOOR)
        return floor is None or session.order > float(floor)

    def _is_half_read(self, session: Session) -> bool:
        mark = self.marks.get(_name(session.id))
        return mark is not None and not _split(mark)[1]

    def _forget_all_but(self, listed: Mapping[str, Session]) -> None:
        """Forget sessions that were deleted; their facts stay."""
        known = {*listed, _FLOOR} if listed else set()
        self.marks = {name: mark for name, mark in self.marks.items() if name in known}

    def _drop_old(self, listed: Mapping[str, Session], waiting: float) -> None:
        """Let the floor stand for marks of sessions that are read and older than those to come."""
        kept = sorted((listed[name].order, name) for name in self.marks if name != _FLOOR)
        for order, name in kept[: max(0, len(kept) - KEPT_MARKS)]:
            if order < waiting and not self._is_unread(listed[name]):
                del self.marks[name]
                self.marks[_FLOOR] = repr(max(order, float(self.marks.get(_FLOOR, "-inf"))))


def _name(session: str) -> str:
    return session if len(session) <= _LONGEST_ID else digest(session)


def _split(mark: str | None) -> tuple[str | None, str]:
    position, _, newest = (mark or "").partition(" ")
    return position or None, newest


def _counts(session: Session, request: Request) -> bool:
    """Say whether a session may hold anything that is not too old."""
    return request.since is None or session.changed is None or session.changed >= request.since


@dataclass(slots=True)
class _Judged:
    """Which of the rows are new turns, and why the others are not."""

    request: Request
    changed: datetime
    turns: list[Turn] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    messages: int = 0

    def judge(self, rows: list[Row]) -> None:
        """Judge each row; no branch counts as left where a row could not be read."""
        fates = [self._fate(row.found) for row in rows]
        unread = {"malformed", "too_long"}.intersection(filter(None, fates))
        left = frozenset[str]() if unread else _left_branches(rows, fates)
        keys: set[str] = set()
        for row, fate in zip(rows, fates, strict=True):
            turn = row.found
            if not isinstance(turn, Turn):
                self.skipped[turn] += 1
                continue
            self.messages += 1
            if fate is None and row.node is not None and row.node.id in left:
                fate = "abandoned"
            if fate is None and turn.key in keys:
                fate = "duplicate"
            if fate is not None:
                self.skipped[fate] += 1
                continue
            keys.add(turn.key)
            self.turns.append(turn)

    def _fate(self, found: Turn | str) -> str | None:
        return found if isinstance(found, str) else self.request.fate(found, self.changed)

    def alarm(self, fetched: _Fetched) -> str | None:
        """Return a sentence if rows should have held messages and none was found."""
        doubtful = _DOUBTFUL if fetched.from_start else _DOUBTFUL[:1]
        if self.messages or sum(self.skipped[why] for why in doubtful) < _TRIVIAL_ROWS:
            return None
        return f"{self.request.path}: read as {fetched.form}, but no message was found"


def _left_branches(rows: list[Row], fates: list[str | None]) -> frozenset[str]:
    places: dict[str, str | None] = {}
    tip = None
    for row, fate in zip(rows, fates, strict=True):
        if row.node is None:
            continue
        if fate != "seen" and row.node.id not in places:
            tip = row.node.id
        places.setdefault(row.node.id, row.node.parent)
    return abandoned(places, tip) if places else frozenset()
