"""Read the new turns of one transcript: never write to it, never lock it, in bounded memory."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Literal

from hippod.errors import NotFound, PathRefused, StorageError
from hippod.transcripts.gathering import Gathering
from hippod.transcripts.lines import complete_lines
from hippod.transcripts.places import is_archive
from hippod.transcripts.position import resume
from hippod.transcripts.turns import Cursor, Reading, SessionKind, Turn


def read(
    path: Path,
    cursor: Cursor | None,
    *,
    seen: Callable[[str], bool],
    format: str = "auto",
    kind: SessionKind | Literal["auto"] = "auto",
    max_turns: int = 200,
    max_bytes: int = 8_000_000,
    since: datetime | None = None,
) -> Reading:
    r"""Return the complete turns behind `cursor` that are new, in order, and a cursor behind them.

    A turn is new unless `seen` knows its key, which must hold the keys of all turns returned
    before from this source. Only lines that a `\n` ends are read. A file that was rewritten,
    truncated or replaced is read from its start. Turns before `since` (aware) are passed over;
    one without a time counts as old as the file's last change. `format` and `kind` are names,
    or `auto`: told by the records, and by what lies beside the file.

    Stops after `max_turns` turns or `max_bytes` bytes, at least one line, and sets `more`.

    Raises `NotFound`, `PathRefused` if it is not a regular file, `StorageError`.
    """
    with _opened(path) as descriptor:
        position, rewritten = resume(descriptor, cursor)
        start, more = position.offset, False
        changed = datetime.fromtimestamp(position.status.st_mtime, UTC)
        fate = partial(_fate, seen=seen, since=since, changed=changed)
        gathering = Gathering.begin(path, None if rewritten else cursor, format, fate)
        for line in complete_lines(descriptor, start):
            position.advance(line)
            gathering.take(line, position.line)
            if len(gathering.turns) >= max_turns or position.offset - start >= max_bytes:
                more = position.offset < position.status.st_size
                break
    turns = gathering.new_turns()
    decided = kind if kind != "auto" else gathering.kind_of(path, cursor)
    return Reading(
        turns=turns,
        cursor=position.cursor(gathering.form, gathering.session_id, decided),
        more=more,
        ended=is_archive(path.name) and not more,
        rewritten=rewritten,
        alarm=gathering.alarm(path, position, from_start=start == 0),
        skipped=dict(gathering.skipped),
    )


def _fate(
    turn: Turn, *, seen: Callable[[str], bool], since: datetime | None, changed: datetime
) -> str | None:
    """Say why a turn is not new."""
    if since and (turn.time or changed) < since:
        return "before_since"
    return "seen" if seen(turn.key) else None


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """Open a regular file for reading, without waiting on a pipe or a device."""
    try:
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        descriptor = os.open(path, flags)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise PathRefused(f"{path}: not a regular file", "a transcript must be a file")
            yield descriptor
        finally:
            os.close(descriptor)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound(f"{path}: no such transcript") from None
    except OSError as error:
        raise StorageError(
            f"{path}: {error.strerror}", "check the permissions of the transcript"
        ) from None
