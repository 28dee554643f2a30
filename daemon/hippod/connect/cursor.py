"""Cursor: the MCP server in mcp.json, hooks in hooks.json, and its agents' transcripts.

Formats: cursor.com/docs/mcp and cursor.com/docs/hooks.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from hippod.connect import json_text
from hippod.connect.agents import Agent, Setup, Source
from hippod.connect.entries import Entry, Known, Placed, hook_item, mcp_server
from hippod.connect.instructions import instructions
from hippod.errors import Conflict

NAME = "cursor"
_VERSION = 1
"""The form of hooks.json that Cursor demands to be named in it."""
_KEEPING = ("stop", "preCompact", "sessionEnd")


def _folder(home: Path, environ: Mapping[str, str]) -> Path:
    return home / ".cursor"


def _entries(setup: Setup) -> list[Entry]:
    folder = (setup.project or setup.home) / ".cursor"
    command, words = setup.mcp_command()
    server = {"type": "stdio", "command": command, "args": words}
    entries: list[Entry] = [
        mcp_server(folder / "mcp.json", ("mcpServers", setup.name), server, setup)
    ]
    if setup.hooks:
        entries += _hooks(folder / "hooks.json", setup)
    if setup.project:  # the rules of a user are in no file
        entries += instructions(setup.project / "AGENTS.md", setup)
    return entries


def _hooks(file: Path, setup: Setup) -> list[Entry]:
    events = [
        "sessionStart",
        *(["beforeSubmitPrompt"] if setup.prompts else []),
        *(_KEEPING if setup.keeps else []),
    ]
    return [
        _Version(file),
        *(
            hook_item(
                file,
                ("hooks", event),
                {"command": setup.hook_command(NAME, event)},
                setup.hook_words(NAME, event),
            )
            for event in events
        ),
    ]


@dataclass(frozen=True, slots=True)
class _Version:
    """The version of hooks.json: it stays as long as anybody's hook is in the file."""

    file: Path

    @property
    def key(self) -> str:
        """Return its place."""
        return "json version"

    def place(self, data: bytes | None, known: Known, *, force: bool) -> Placed:
        """Set the version where there is none; raises `Conflict` for another one."""
        where, at = str(self.file), ("version",)
        found = json_text.value(data, at, where)
        if found not in (None, _VERSION):
            hint = "hippod knows version 1 only; --no-hooks leaves the file alone"
            raise Conflict(f"{where}: is of version {found!r}", hint)
        done = json_text.put(data, at, _VERSION, where)
        if done.made is None:
            return Placed(done.data, known.trace)
        trace = {"kind": "json-version", "at": list(at), "value": _VERSION}
        return Placed(done.data, {**trace, "made": asdict(done.made)})


def _source(setup: Setup) -> Source | None:
    return Source(NAME, "~/.cursor/projects/*/agent-transcripts/**/*.jsonl", "cursor-agent")


AGENT = Agent(
    name=NAME,
    title="Cursor",
    programs=("cursor", "cursor-agent"),
    folder=_folder,
    entries=_entries,
    source=_source,
    next_step="open a new chat in Cursor, and switch hippod on under Settings, MCP, if it asks",
    expands=r"\$\{",
)
