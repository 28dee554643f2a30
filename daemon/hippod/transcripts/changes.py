"""Tell to which transcript a changed file belongs, and whether one changed since it was read."""

from pathlib import Path

from hippod.transcripts import database_file, opencode_tree
from hippod.transcripts.turns import MAPPED_FORMAT, Cursor

_WAL = "-wal"


def subject(path: Path) -> Path:
    """Return the transcript that changed when the file at `path` did.

    That is the database whose WAL it is, the session whose message it is, else the file itself.
    A database's `-shm` is not followed: it changes when we read.
    """
    if path.name.endswith(_WAL):
        return path.with_name(path.name.removesuffix(_WAL))
    return opencode_tree.session_file(path) or path


def has_changed(path: Path, cursor: Cursor | None, *, mapped: bool = False) -> bool:
    """Say whether there may be something to read that was not there when `cursor` was taken.

    `mapped` says that the transcript is read by a mapping now: what was read without one may say
    more. A file that cannot be found has not changed.
    """
    try:
        info = path.stat()
    except OSError:
        return False
    if cursor is None:
        return True
    if cursor.files:
        state = opencode_tree.state if opencode_tree.is_session(path) else database_file.state
        return cursor.files != state(path)
    if mapped != (cursor.format == MAPPED_FORMAT):
        return True
    taken = (cursor.device, cursor.inode, cursor.offset)
    return taken != (info.st_dev, info.st_ino, info.st_size)
