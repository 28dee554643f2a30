"""What `hippod connect` did: one file for each agent, which `--undo` reads."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from hippod import paths
from hippod.connect import files
from hippod.connect.entries import Trace
from hippod.errors import StorageError

_VERSION = 1


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file that was written: what it was before, and its hash after."""

    path: str
    existed: bool
    backup: str | None
    """The copy of what it was; None if there is none."""
    before: str
    """SHA-256 of what it was."""
    after: str
    """SHA-256 of what it became."""
    clean: bool
    """Whether nothing of ours stood in what it was, so that it may be restored."""
    traces: Mapping[str, Trace] = field(default_factory=dict)
    """The entries in it, by their keys."""
    folders: tuple[str, ...] = ()
    """The folders that were made for it, the innermost one last."""


@dataclass(frozen=True, slots=True)
class Connection:
    """One connection of an agent."""

    name: str
    project: str | None
    scope: str
    files: tuple[FileRecord, ...] = ()

    @property
    def key(self) -> str:
        """Return what tells it from the others of its agent."""
        return f"{self.name} {self.project}" if self.project else self.name


def path(agent: str, environ: Mapping[str, str]) -> Path:
    """Return where the record of an agent lies."""
    return Path(paths.absolute(f"~/.hippod/connect/{agent}.json", environ))


def load(agent: str, environ: Mapping[str, str]) -> dict[str, Connection]:
    """Return the connections of an agent by their keys. Raises `StorageError` if damaged."""
    file = path(agent, environ)
    data = files.read(file)
    if data is None:
        return {}
    try:
        held = json.loads(data)["connections"]
        found = [_connection(each) for each in held]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        hint = "move it away: entries that stand are then found by their looks"
        raise StorageError(f"{file}: cannot be read", hint) from None
    return {connection.key: connection for connection in found}


def save(agent: str, environ: Mapping[str, str], connections: Mapping[str, Connection]) -> None:
    """Write the connections of an agent; without any the file goes."""
    file = path(agent, environ)
    before = files.read(file)
    held = [asdict(connection) for connection in connections.values()]
    text = json.dumps({"version": _VERSION, "connections": held}, indent=1, ensure_ascii=False)
    after = f"{text}\n".encode() if held else None
    if before != after:
        files.write(file, before, after, private_file=True)
    if after is None:
        files.remove_empty(file.parent)


def _connection(held: dict[str, Any]) -> Connection:
    written = tuple(
        FileRecord(**{**each, "folders": tuple(each.get("folders", ()))})
        for each in held.pop("files")
    )
    return Connection(**held, files=written)
