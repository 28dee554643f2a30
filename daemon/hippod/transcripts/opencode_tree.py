"""OpenCode before version 1.2: a tree of JSON files, `storage/{session,message,part}/`.

The file of a session, `storage/session/PROJECT/ses_….json`, stands for all that belongs to it.
"""

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hippod import untouchable
from hippod.errors import StorageError
from hippod.transcripts.database_file import LARGEST_CELL
from hippod.transcripts.fields import time_of, word
from hippod.transcripts.opencode import (
    Message,
    Record,
    message_v1,
    parsed,
    part_text,
    rows_of,
)
from hippod.transcripts.request import Request
from hippod.transcripts.stores import Row, Session, read_store
from hippod.transcripts.turns import Reading, SessionKind

_STORAGE, _SESSION, _MESSAGE, _PART = "storage", "session", "message", "part"
_READ = ("role", "time", "summary", "finish", "error")


def is_session(path: Path) -> bool:
    """Say whether a file is, by its place and name, a session of such a tree."""
    return path.name.startswith("ses_") and path.suffix == ".json" and _place(path) == _SESSION


def session_file(path: Path) -> Path | None:
    """Return the session's file for the file of a message or part, None if it is neither."""
    place = _place(path) if path.suffix == ".json" else None
    if place == _MESSAGE:
        session = path.parent.name
    elif place == _PART:
        session = word(_record(path), "sessionID")
    else:
        return None
    storage = path.parents[2]
    is_name = session.startswith("ses_") and session.isidentifier()
    return next(storage.glob(f"{_SESSION}/*/{session}.json"), None) if is_name else None


def state(path: Path) -> str:
    """Return what tells that a session was written to: its newest message, by its file's time."""
    newest = 0
    for file in (path, *_files(_messages(path))):
        with contextlib.suppress(OSError):
            newest = max(newest, file.stat().st_mtime_ns)
    return f"newest {newest}"


def read_tree(request: Request) -> Reading:
    """Return new turns of the session whose file is asked for. Raises `NotFound`."""
    return read_store(request, _opened, state)


@contextmanager
def _opened(path: Path) -> Iterator["Tree"]:
    record = _record(path)
    if not record:
        raise StorageError(f"{path}: not an OpenCode session", "it is read when it changes")
    yield Tree(path, record)


class Tree:
    """A session's files; what messages say is read when they are asked for."""

    form = "opencode"

    def __init__(self, path: Path, record: Record) -> None:
        self._path = path
        self._record = record
        infos = ((file.stem, _record(file)) for file in _files(_messages(path)))
        self._messages = sorted(
            (_created(info), id_, {key: info[key] for key in _READ if key in info})
            for id_, info in infos
            if info
        )

    def sessions(self) -> Iterator[Session]:
        """Yield the one session, if it has a message."""
        if self._messages:
            created, id_, info = self._messages[-1]
            newest = f"{id_}/{info.get('time')}"
            yield Session(self._path.stem, newest, float(created), time_of(created))

    def kind(self, session: str) -> SessionKind | None:
        """Return `subagent` for the sessions that tasks start."""
        return "subagent" if self._record.get("parentID") else "main"

    def continues(self, session: Session, position: str) -> bool:
        """Return True: a message that is there does not move."""
        return True

    def rows(self, session: str, after: str | None) -> Iterator[Row]:
        """Yield the complete messages behind a position."""
        return rows_of(self._behind(after), session)

    def _behind(self, after: str | None) -> Iterator[Message]:
        _, created, last = (after or "v1:-1:").split(":", 2)
        parts = self._path.parents[2] / _PART
        for time, id_, info in self._messages:
            if (time, id_) > (int(created), last):
                texts = tuple(filter(None, map(part_text, map(_record, _files(parts / id_)))))
                yield message_v1(f"v1:{time}:{id_}", id_, info, texts, sum(map(len, texts)))


def _place(path: Path) -> str | None:
    """Return the folder of `storage` that a file lies in, None if it lies in none."""
    parts = path.parts[-4:]
    return parts[1] if len(parts) == 4 and parts[0] == _STORAGE else None


def _messages(path: Path) -> Path:
    return path.parents[2] / _MESSAGE / path.stem


def _files(folder: Path) -> list[Path]:
    """Return the JSON files of a folder by name; none if there is no such folder."""
    try:
        return sorted(folder / name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError:
        return []


def _record(path: Path) -> Record:
    """Read a JSON object; empty for what is gone, half written or too long."""
    if untouchable.is_ours_at(path):
        return {}
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            record = parsed(file.read(LARGEST_CELL))
    except OSError:
        return {}
    return {} if isinstance(record, str) else record


def _created(info: Record) -> int:
    times = info.get("time")
    created = times.get("created") if isinstance(times, dict) else None
    return int(created) if isinstance(created, int | float) else 0
