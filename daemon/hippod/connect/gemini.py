"""Gemini CLI: `settings.json` (MCP servers and hooks)."""

from collections.abc import Mapping
from pathlib import Path

from hippod.connect import files, json_text
from hippod.connect.agents import Agent, Setup, Source, configured, literal
from hippod.connect.entries import Entry, hook_item, mcp_server
from hippod.connect.instructions import instructions

NAME = "gemini"
_TIMEOUT = 10_000
"""Milliseconds."""
_HOOKS = {"SessionStart": "session-start"}
_KEEPING = {"AfterAgent": "stop", "PreCompress": "pre-compact", "SessionEnd": "session-end"}
_PROMPTS = {"BeforeAgent": "prompt"}


def folder(home: Path, environ: Mapping[str, str]) -> Path:
    """Return the folder of its settings; its variable names the home folder, not this one."""
    return configured("GEMINI_CLI_HOME", home, environ) / ".gemini"


def entries(setup: Setup) -> list[Entry]:
    """Return the MCP server, and the hooks."""
    command, args = setup.mcp_command()
    file = _folder(setup) / "settings.json"
    server = {"command": command, "args": args}
    found: list[Entry] = [mcp_server(file, ("mcpServers", setup.name), server, setup)]
    wanted = setup.events(_HOOKS, _KEEPING, _PROMPTS) if setup.hooks else {}
    for event, ours in wanted.items():
        words = setup.hook_words(NAME, ours)
        found.append(hook_item(file, ("hooks", event), _group(ours, setup), words))
    return found + instructions((setup.project or _folder(setup)) / "GEMINI.md", setup)


def source(setup: Setup) -> Source:
    """Return where its sessions lie."""
    where = literal(folder(setup.home, setup.environ), setup.home)
    return Source(NAME, f"{where}/tmp/*/chats/**/*.{{json,jsonl}}", "gemini-cli")


def _group(event: str, setup: Setup) -> dict[str, object]:
    hook = {
        "name": f"{setup.name}-{event}",
        "type": "command",
        "command": setup.hook_command(NAME, event),
        "timeout": _TIMEOUT,
    }
    return {"hooks": [hook]}


def _folder(setup: Setup) -> Path:
    return setup.project / ".gemini" if setup.project else folder(setup.home, setup.environ)


def _notes(setup: Setup) -> list[str]:
    file = _folder(setup) / "settings.json"
    if json_text.value(files.read(file), ("hooksConfig", "enabled"), str(file)) is False:
        return [f"{file}: hooksConfig.enabled = false keeps every hook from running"]
    return []


AGENT = Agent(
    name=NAME,
    title="Gemini CLI",
    programs=("gemini",),
    folder=folder,
    entries=entries,
    source=source,
    next_step="start gemini again; /mcp list there shows the server",
    notes=_notes,
    expands=r"\$",
)
