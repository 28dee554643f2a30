"""A format that the configuration describes: which fields of a JSON record hold what.

Fields are dotted paths; `[]` goes through a list: `body.parts[].text`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Literal

from hippod.transcripts.fields import (
    Record,
    digest,
    identifier,
    session_name,
    speaker_name,
    text_of,
    time_of,
)
from hippod.transcripts.turns import Found, Memory, Node, Role, SessionKind, Turn

FieldPath = tuple[str, ...]
"""Names from the outside in; `[]` stands for every element of a list."""
Meaning = Role | Literal["ignore"]
"""What a value of the role field means; `ignore`: no message."""
Scalar = str | int | float | bool | None

ROLES: Mapping[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
    "system": "system",
    "developer": "system",
}
_STEP = re.compile(r"(?P<name>[^.\[\]]+)(?P<lists>(?:\[\])*)")


@dataclass(frozen=True, slots=True)
class FieldMap:
    """Where a record's fields lie.

    A record counts if each path of `where` holds one of its values. `roles` come on top of
    `ROLES`; `default_role` is that of a record without one.
    """

    text: FieldPath
    role: FieldPath = ()
    time: FieldPath = ()
    id: FieldPath = ()
    session: FieldPath = ()
    speaker: FieldPath = ()
    roles: Mapping[str, Meaning] = field(default_factory=dict)
    default_role: Role | None = None
    where: tuple[tuple[FieldPath, tuple[Scalar, ...]], ...] = ()


def parse_path(text: str) -> FieldPath:
    """Split `body.parts[].text` into its steps; an empty text has none.

    Raises `ValueError` that says what is wrong.
    """
    steps: list[str] = []
    for part in text.split(".") if text else ():
        step = _STEP.fullmatch(part)
        if step is None:
            raise ValueError("a dotted path of fields such as 'body.parts[].text'")
        steps += [step["name"], *["[]"] * (len(step["lists"]) // 2)]
    return tuple(steps)


@dataclass(frozen=True, slots=True)
class MappedFormat:
    """Reads records by a `FieldMap`; times without a zone are ones of `zone`."""

    fields: FieldMap
    zone: tzinfo = UTC

    def recognise(self, record: Record) -> bool:
        """Return True: the configuration says so."""
        return True

    def session(self, record: Record) -> str | None:
        """Return the session that a record names."""
        return session_name(_plain_text(_first(record, self.fields.session)))

    def kind(self, record: Record, line: int) -> SessionKind | None:
        """Return None: the source's `kind` says it."""
        return None

    def file_kind(self, path: Path, session: str) -> SessionKind | None:
        """Return None, as `kind` does."""
        return None

    def node(self, record: Record) -> Node | None:
        """Return None: records form a list."""
        return None

    def turns(self, record: Record, line: int, session_id: str, memory: Memory) -> tuple[Found]:
        """Return the record's message, or why it has none."""
        return (self._found(record, line, session_id),)

    def _found(self, record: Record, line: int, session_id: str) -> Found:
        if not all(_holds(record, path, values) for path, values in self.fields.where):
            return "no_message"
        role = self._role(record)
        if role == "ignore":
            return "no_message"
        if role is None:
            return "unknown_type"
        text = text_of(list(_values(record, self.fields.text)))
        if not text.strip():
            return "no_text"
        return self._turn(record, line, session_id, role, text)

    def _turn(self, record: Record, line: int, session_id: str, role: Role, text: str) -> Turn:
        time = time_of(_first(record, self.fields.time), self.zone)
        message_id = identifier(_first(record, self.fields.id))
        own_session = self.session(record) or session_id
        scope = time.isoformat() if time else f"{own_session}:{message_id or ''}"
        return Turn(
            id=message_id or f"L{line}",
            key=digest(scope, role, text),
            role=role,
            speaker=speaker_name(_first(record, self.fields.speaker)),
            text=text,
            time=time,
            line=line,
        )

    def _role(self, record: Record) -> Meaning | None:
        value = _plain_text(_first(record, self.fields.role))
        if value is None:
            return self.fields.default_role
        return self.fields.roles.get(value) or ROLES.get(value)


def _values(value: object, path: FieldPath) -> Iterator[object]:
    """Yield what lies at `path`; a list at its end yields its elements."""
    if not path:
        yield from value if isinstance(value, list) else (value,)
    elif path[0] == "[]":
        for element in value if isinstance(value, list) else ():
            yield from _values(element, path[1:])
    elif isinstance(value, dict) and path[0] in value:
        yield from _values(value[path[0]], path[1:])


def _first(record: Record, path: FieldPath) -> object:
    return next(iter(_values(record, path)), None) if path else None


def _holds(record: Record, path: FieldPath, values: Iterable[Scalar]) -> bool:
    """Say whether one of `values` lies at `path`; true and 1 are not the same."""
    wanted = [(type(value), value) for value in values]
    return any((type(found), found) in wanted for found in _values(record, path))


def _plain_text(value: object) -> str | None:
    """Return a name, also where numbers serve as names."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return str(value) if not isinstance(value, str) or value else None
