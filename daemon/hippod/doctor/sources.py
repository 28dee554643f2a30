"""Checks of the transcript sources: their files are found and understood."""

from collections.abc import Iterator
from pathlib import Path

from hippod import transcripts
from hippod.config import SESSIONS, Source
from hippod.doctor.finding import Found, count, fail, ok, some, warn
from hippod.doctor.subject import Subject
from hippod.errors import HippodError
from hippod.transcripts.turns import UNKNOWN_FORMAT

_NEWEST = 3
"""Files of each source that are read to see whether their format is known."""
_MOST_TURNS, _MOST_BYTES = 20, 500_000
_FORMATS = "set format or mapping in [[sources]]; see config.example.toml"


def found(subject: Subject) -> Iterator[Found]:
    """Each source has files, and the newest of them are understood."""
    config = subject.config
    if not config.retain.enabled:
        yield ok("[retain] enabled = false: nothing is read")
        return
    for source in config.sources:
        try:
            yield from _of(source, subject.root)
        except HippodError as error:
            yield fail(f"{source.name}: {error.message}", error.hint)
    if subject.parts is not None:
        yield from _told(subject)


def _of(source: Source, root: Path) -> Iterator[Found]:
    files = transcripts.discover(source.path, root)
    if not files:
        yield _without_files(source, root)
        return
    newest = sorted(files, key=_changed, reverse=True)[:_NEWEST]
    unknown: list[str] = []
    turns = 0
    for file in newest:
        reading = transcripts.read(
            file,
            None,
            seen=lambda key: False,
            format=source.format,
            kind=source.kind,
            max_turns=_MOST_TURNS,
            max_bytes=_MOST_BYTES,
            mapping=source.mapping.field_map(),
        )
        turns += len(reading.turns)
        if reading.alarm or (reading.cursor.format == UNKNOWN_FORMAT and reading.skipped):
            unknown.append(file.name)
    if unknown:
        yield warn(f"{source.name}: not understood: {some(unknown)}", _FORMATS)
    if not turns and not unknown and any(file.stat().st_size for file in newest):
        yield warn(f"{source.name}: no message in the newest files: {newest[0].name}", _FORMATS)
    yield ok(f"{source.name}: {count(len(files), 'file')}, the newest understood")


def _without_files(source: Source, root: Path) -> Found:
    folder = transcripts.watch_root(source.path, root)
    if source.name == SESSIONS.name and source.path == SESSIONS.path:
        return ok(f"{source.name}: no file yet")
    if folder is None:
        return warn(f"{source.name}: the folder of {source.path} is not there", _PATHS)
    return warn(f"{source.name}: nothing in {folder} matches {source.path}", _PATHS)


_PATHS = "check the path in [[sources]], and whether its agent keeps transcripts"


def _changed(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def _told(subject: Subject) -> Iterator[Found]:
    """Tell what retain itself met: alarms of files, and batches that failed."""
    assert subject.parts is not None
    status = subject.parts.retain_status()
    for source in status["sources"]:
        if alarms := list(source["alarms"]):
            yield warn(f"{source['name']}: {some(alarms)}", _FORMATS)
    if failed := status["batches_failed"]:
        yield warn(
            f"{count(failed, 'batch', 'batches')} could not be extracted",
            "hippod status tells why; try them again: hippod retain --flush",
        )
    if error := status["last_error"]:
        yield warn(f"extraction failed last: {error}", "hippod tries again by itself")
