"""What every transcript reader returns: turns, a cursor behind them, and what it noticed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Role = Literal["user", "assistant", "tool", "system"]
SessionKind = Literal["main", "group", "cron", "heartbeat", "subagent"]
"""Only `main` sessions are extracted."""
UNKNOWN_FORMAT = "unknown"
MAPPED_FORMAT = "mapping"
"""The format that a source's own mapping describes."""
LONGEST_TURN = 8_000
"""Characters of a turn that are read for facts; nobody types more."""
Skip = Literal["unknown_type", "no_message", "no_text", "hidden", "copy"]
"""Why a record is no turn: its type is not known; it is a known one but never a message; its
message holds no text; the agent itself hides it (injected text, summaries, sub-agents); it is
the second record of a message that the format writes twice."""
Memory = dict[str, str]
"""What a format remembers of the records before, bounded in size; it travels in the cursor."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a session.

    `id` is the format's message id, else `L120` (the 1-based line); it is fit for a citation.
    `key` recognises the same message when a file is rewritten, rotated, forked or replayed, in
    this session or another one of the source: the id where that holds everywhere, else a hash
    of role, time and text. `time` is aware, in UTC, or None if the format has none. `day_only`
    says that of the time only the day is known, in the user's zone.
    """

    id: str
    key: str
    role: Role
    speaker: str | None
    text: str
    time: datetime | None
    line: int
    day_only: bool = False


@dataclass(frozen=True, slots=True)
class Rewind:
    """An order to take messages back, as far as they have not been returned yet.

    From the message with the id `to` on (all, if it is none of this reading: then it is an earlier
    one), or from the last `users` messages of the user on.
    """

    to: str | None = None
    users: int = 0


@dataclass(frozen=True, slots=True)
class Skipped:
    """A message that gives no turn, in a format whose orders may name it: its id, and why."""

    id: str
    reason: Skip


Found = Turn | Skip | Skipped | Rewind
"""What a format finds in a record."""


@dataclass(frozen=True, slots=True)
class Node:
    """A record's place in a tree of messages; `parent` is None at a root."""

    id: str
    parent: str | None


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a transcript was read: identity, offset and a hash of what lies before it.

    `offset` is in bytes and always behind a newline, `line` counts the lines before it;
    `prefix_hash` covers the first `prefix_size` bytes, `tail_hash` the last bytes before
    `offset`. `format` is `UNKNOWN_FORMAT` until a record of a known one was seen. Plain values, so
    that it goes into `state.sqlite` as JSON.

    Where one transcript holds many sessions (a database), `session` and `kind` are those that
    were read last, `marks` say how far each of them was read, and `files` is the state that the
    files had, empty for a transcript that `offset` describes.
    """

    device: int
    inode: int
    offset: int
    line: int
    prefix_size: int
    prefix_hash: str
    tail_hash: str
    format: str
    session: str
    kind: SessionKind
    marks: Mapping[str, str] = field(default_factory=dict)
    files: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """New complete turns of one transcript, in order, and the cursor behind them.

    `more` says that the size limit of one reading was reached: read again. `alarm` is a
    sentence for `status` if the file could not be understood. `skipped` counts what gave no
    turn: lines that are `malformed`, `too_long` or `not_an_object`, records by their `Skip`,
    and turns that are `seen`, `duplicate`, `before_since` or on an `abandoned` branch.
    `rewritten` says that the file was read from its start because what lay before the cursor
    had changed. `ended` says that the session was reset or deleted and all of it is read.
    `unfinished` says that a last message waits until the file was left alone for a while: read
    again then, although it will not have changed.
    """

    turns: tuple[Turn, ...]
    cursor: Cursor
    more: bool = False
    ended: bool = False
    rewritten: bool = False
    unfinished: bool = False
    alarm: str | None = None
    skipped: Mapping[str, int] = field(default_factory=dict)
