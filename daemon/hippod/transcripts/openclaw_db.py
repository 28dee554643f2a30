"""OpenClaw's database, one for each agent: the records of its JSONL, one a row.

A rewrite of a session gives it another generation and counts its rows from 0 again. Sessions
that OpenClaw put into its cold archive are not there any more.
"""

import json
from collections.abc import Iterator
from typing import Any, ClassVar, Literal

import zstandard

from hippod.transcripts import openclaw
from hippod.transcripts.database_file import LARGEST_CELL, Database, Value, each
from hippod.transcripts.fields import digest, session_name, time_of
from hippod.transcripts.session_store import kind_of_key
from hippod.transcripts.stores import Needs, Row, Session
from hippod.transcripts.turns import SessionKind

_KIND_WITHIN_ROWS = 20
_BEFORE_ALL = -(2**63)
_GENERATIONS = "transcript_rewrite_watermarks"
_ABOUT_SESSIONS = ("session_key", "chat_type", "session_scope", "spawned_by")


class OpenClawStore:
    """An open database with `transcript_events`; the other tables may be missing."""

    form = "openclaw"
    needs: ClassVar[Needs] = {
        "transcript_events": ("session_id", "seq", "event_json", "created_at")
    }

    def __init__(self, database: Database) -> None:
        self._database = database

    def sessions(self) -> Iterator[Session]:
        """Yield the sessions with their last row and its generation."""
        has_generations = self._database.has(_GENERATIONS, "session_id", "generation")
        generation = f"(SELECT generation FROM {_GENERATIONS} WHERE session_id=each.value)"
        rows = self._database.rows(
            f"{each('transcript_events', 'session_id')} SELECT each.value, seq, created_at,"
            f" {generation if has_generations else 'NULL'}"
            " FROM each JOIN transcript_events ON session_id=each.value AND seq="
            "(SELECT max(seq) FROM transcript_events WHERE session_id=each.value)"
        )
        for session, seq, created, current in rows:
            changed = time_of(created)
            order = changed.timestamp() if changed else 0.0
            yield Session(str(session), _position(seq, current), order, changed)

    def kind(self, session: str) -> SessionKind | None:
        """Return the kind by the session's key, else by how its first messages are wrapped."""
        about = self._database.about("session_windows", "session_id", session, _ABOUT_SESSIONS)
        if about.get("spawned_by"):
            return "subagent"
        if isinstance(key := about.get("session_key"), str):
            kinds = {kind_of_key(key, about.get(told)) for told in ("chat_type", "session_scope")}
            return next(iter(kinds - {"main"}), "main")
        rows = self._events(session, _BEFORE_ALL, _KIND_WITHIN_ROWS)
        records = ((seq, _record(data, packed)) for seq, _, data, packed in rows)
        found = (openclaw.kind(r, seq + 1) for seq, r in records if isinstance(r, dict))
        return next(filter(None, found), None)

    def continues(self, session: Session, position: str) -> bool:
        """Say whether the generation is the same and no row is gone."""
        seq, generation = _split(position)
        newest, current = _split(session.newest)
        return generation == current and seq <= newest

    def rows(self, session: str, after: str | None) -> Iterator[Row]:
        """Yield the session's records behind a position."""
        name = session_name(session) or "session"
        about = self._database.about(_GENERATIONS, "session_id", session, ("generation",))
        start = _BEFORE_ALL if after is None else _split(after)[0]
        for seq, size, data, packed in self._events(session, start, -1):
            position, record = _position(seq, about.get("generation")), _record(data, packed)
            if isinstance(record, str):
                yield Row(position, record, size)
            else:
                turn = openclaw.turn(record, seq + 1, name)
                yield Row(position, turn, size, openclaw.node(record))

    def _events(
        self, session: str, after: int, limit: int
    ) -> Iterator[tuple[int, int, bytes | None, bytes | None]]:
        """Yield number, size, JSON and compressed JSON of rows; None for what is too long."""
        is_packed = self._database.has("transcript_events", "event_zstd")
        packed = "event_zstd" if is_packed else "NULL"
        rows = self._database.rows(
            f"SELECT seq, coalesce(octet_length(event_json), octet_length({packed}), 0),"
            " iif(octet_length(event_json) > ?1, NULL, CAST(event_json AS BLOB)),"
            f" iif(octet_length({packed}) > ?1, NULL, {packed})"
            " FROM transcript_events WHERE session_id=?2 AND seq>?3 ORDER BY seq LIMIT ?4",
            LARGEST_CELL,
            session,
            after,
            limit,
        )
        for seq, size, data, packed_data in rows:
            yield _int(seq), _int(size), _bytes(data), _bytes(packed_data)


def _record(
    data: bytes | None, packed: bytes | None
) -> dict[str, Any] | Literal["malformed", "too_long"]:
    """Parse a row's JSON, of which one of the two forms holds the text."""
    try:
        text = _unpacked(packed) if data is None and packed is not None else data
        if text is None:
            return "too_long"
        record = json.loads(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError, zstandard.ZstdError):
        return "malformed"
    return record if isinstance(record, dict) else "malformed"


def _unpacked(packed: bytes) -> bytes | None:
    """Decompress one frame, None if it says that it holds more than is fetched."""
    if zstandard.frame_content_size(packed) > LARGEST_CELL:
        return None
    return zstandard.ZstdDecompressor().decompress(packed, max_output_size=LARGEST_CELL)


def _position(seq: Value, generation: Value) -> str:
    return f"{_int(seq)}:{digest(generation)[:12] if generation is not None else ''}"


def _split(position: str) -> tuple[int, str]:
    seq, _, generation = position.partition(":")
    return int(seq), generation


def _int(value: Value) -> int:
    return value if isinstance(value, int) else 0


def _bytes(value: Value) -> bytes | None:
    return value if isinstance(value, bytes) else None
