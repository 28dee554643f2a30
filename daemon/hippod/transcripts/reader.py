"""Read the new turns of one transcript: never write to it, never lock it, in bounded memory."""

from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Literal

from hippod.transcripts import opencode_tree
from hippod.transcripts.content import Content, opened
from hippod.transcripts.database_file import state
from hippod.transcripts.databases import is_database, read_database
from hippod.transcripts.formats import FORMATS
from hippod.transcripts.gathering import Gathering
from hippod.transcripts.lines import complete_lines
from hippod.transcripts.mapping import FieldMap
from hippod.transcripts.markdown_chat import is_markdown, read_markdown
from hippod.transcripts.places import is_archive
from hippod.transcripts.position import resume
from hippod.transcripts.request import Request
from hippod.transcripts.turns import MAPPED_FORMAT, Cursor, Reading, SessionKind
from hippod.transcripts.whole_json import is_whole, read_whole

_HEAD = 4096
_MOST_LINES = 20_000
"""Lines of one reading; a compressed file is read through, as each reading starts it anew."""
_MOST_JUNK = 20_000
"""How many lines in a row may hold nothing that is known before a compressed file is given up."""
_GIVEN_UP = "its lines hold nothing that is known, the rest is not read"


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
    mapping: FieldMap | None = None,
    zone: tzinfo = UTC,
) -> Reading:
    r"""Return the complete turns behind `cursor` that are new, in order, and a cursor behind them.

    A turn is new unless `seen` knows its key, which must hold the keys of all turns returned
    before from this source. Only lines that a `\n` ends are read. A file that was rewritten,
    truncated or replaced is read from its start. Turns before `since` (aware) are passed over;
    one without a time counts as old as the file's last change. `format` and `kind` are names,
    or `auto`: told by the records, and by what lies beside the file. `mapping` describes the
    format in place of `format`. Times without a zone are ones of `zone` in Markdown and mapped
    formats, elsewhere UTC.

    Stops after `max_turns` turns, `max_bytes` bytes or some thousand lines, at least one line, and
    sets `more`.

    Raises `NotFound`, `PathRefused` if it is not a regular file, `StorageError`.
    """
    request = Request(path, cursor, seen, format, kind, max_turns, max_bytes, since, mapping, zone)
    if opencode_tree.is_session(path):
        return opencode_tree.read_tree(request)
    with opened(path) as content:
        if is_database(content.pread(_HEAD, 0)):
            return read_database(request)
        if is_markdown(request):
            return read_markdown(content, request)
        if is_whole(request, content.pread(_HEAD, 0)):
            return read_whole(content, request)
        return _read_lines(content, request)


def _read_lines(content: Content, request: Request) -> Reading:
    position, rewritten = resume(content, _usable(request))
    start, more = position.offset, False
    changed = datetime.fromtimestamp(content.status.st_mtime, UTC)
    gathering = Gathering.begin(request, None if start == 0 else request.cursor, changed)
    for lines, line in enumerate(complete_lines(content.pread, start), 1):
        position.advance(line)
        gathering.take(line, position.line)
        if content.compressed and gathering.unread_in_a_row >= _MOST_JUNK:
            content.damage = _GIVEN_UP
            break
        full = len(gathering.turns) >= request.max_turns
        long = lines >= _MOST_LINES and not content.compressed
        if full or long or position.offset - start >= request.max_bytes:
            more = bool(content.pread(1, position.offset))
            break
    return Reading(
        turns=gathering.new_turns(),
        cursor=gathering.cursor(position, _files(content, request)),
        more=more,
        ended=is_archive(request.path.name) and not more,
        rewritten=rewritten,
        alarm=_damage(content, request) or gathering.alarm(position, from_start=start == 0),
        skipped=dict(gathering.skipped),
    )


def _usable(request: Request) -> Cursor | None:
    """Return the cursor, None if what lies before it was read as another format than now."""
    cursor = request.cursor
    if cursor is None or (cursor.format == MAPPED_FORMAT) != (request.mapping is not None):
        return None
    named = request.format in FORMATS and request.format != cursor.format
    return None if named else cursor


def _files(content: Content, request: Request) -> str:
    """Return what recognises a file whose size says nothing about the place reached in it."""
    return state(request.path) if content.compressed else ""


def _damage(content: Content, request: Request) -> str | None:
    return f"{request.path}: {content.damage}" if content.damage else None
