"""The built-in source `log`: the notes of daily logs as turns of one session a day.

A note is recognised by its day and its text alone. So moving it, touching the file or appending
facts below it is no change; an edited note is a new one, and the fact of the old one stays.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import islice
from pathlib import Path

from hippod import daylog, facts, lognotes, markdown
from hippod.config import LOG_SOURCE, Source
from hippod.transcripts import Cursor, Reading, Turn
from hippod.workspace import FileStat, Loaded

SOURCE = Source(name=LOG_SOURCE, path="{memory,daily}/????-??-??.md")
MOST_NOTES = 500
"""Notes of one log that are read; nobody writes more in a day."""
_AHEAD = timedelta(days=300)
_FORMAT = "daily-log"
_CHANGED = "changed"
_NOON = time(12)


def day_of(path: Path) -> date | None:
    """Return the day of the daily log at `path`, None if its name is no day."""
    return daylog.day_of(f"{path.parent.name}/{path.name}")


def read(
    day: date,
    loaded: Loaded,
    *,
    seen: Callable[[str], bool],
    since: datetime,
    now: datetime,
    zone: tzinfo,
) -> Reading:
    """Return those notes of a daily log as turns that `seen` does not know the keys of.

    A log of a day before `since` or far ahead of `now` has none, nor has one with git conflict
    marks.
    """
    cursor = _cursor(day, loaded.stat)
    if day < since.astimezone(zone).date():
        return Reading((), cursor, skipped={"before_since": 1})
    if day > (now + _AHEAD).date():
        return Reading((), cursor, alarm=f"{loaded.path}: a day so far ahead is not read")
    if markdown.is_conflicted(loaded.text):
        return Reading((), cursor, alarm=f"{loaded.path}: has git conflict marks")
    found = list(islice(lognotes.notes(loaded.text), MOST_NOTES + 1))
    turns = {turn.key: turn for turn in (_turn(day, each, zone) for each in found[:MOST_NOTES])}
    new = tuple(turn for turn in turns.values() if not seen(turn.key))
    return Reading(
        new,
        cursor,
        alarm=f"{loaded.path}: only {MOST_NOTES} notes are read" if found[MOST_NOTES:] else None,
        skipped={"seen": len(turns) - len(new)} if len(new) < len(turns) else {},
    )


def line_of(session: str, name: str, text: str) -> int | None:
    """Return the line on which the note of that id stands now in its log, None if nowhere."""
    day = date.fromisoformat(session)
    found = (each for each in lognotes.notes(text) if facts.content_id(day, each.text) == name)
    return next((each.line for each in found), None)


def has_changed(path: Path, cursor: Cursor | None) -> bool:
    """Say whether a log is another than when `cursor` was taken; one that is gone is not."""
    try:
        info = path.stat()
    except OSError:
        return False
    if cursor is None:
        return True
    taken = (cursor.inode, cursor.offset, cursor.marks.get(_CHANGED))
    return taken != (info.st_ino, info.st_size, str(info.st_mtime_ns))


def _cursor(day: date, stat: FileStat) -> Cursor:
    return Cursor(
        device=0,
        inode=stat.inode,
        offset=stat.size,
        line=0,
        prefix_size=0,
        prefix_hash="",
        tail_hash="",
        format=_FORMAT,
        session=day.isoformat(),
        kind="main",
        marks={_CHANGED: str(stat.mtime_ns)},
    )


def _turn(day: date, note: lognotes.Note, zone: tzinfo) -> Turn:
    clock = time.fromisoformat(note.time) if note.time else _NOON
    name = facts.content_id(day, note.text)
    return Turn(
        id=name,
        key=f"{day.isoformat()}:{name}",
        role="user",
        speaker=None,
        text=note.text,
        time=datetime.combine(day, clock, zone).astimezone(UTC),
        line=note.line,
        day_only=note.time is None,
    )
