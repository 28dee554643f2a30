"""Claude Code: `~/.claude.json` (MCP servers) and `settings.json` (hooks)."""

from collections.abc import Mapping
from pathlib import Path

from hippod.connect import files, json_text
from hippod.connect.agents import Agent, Setup, Source, configured, literal
from hippod.connect.entries import Entry, hook_item, mcp_server
from hippod.connect.instructions import instructions

NAME = "claude-code"
_TIMEOUT = 10
"""Seconds. SessionEnd has a second and a half for all hooks, whatever stands here."""
_HOOKS = {"SessionStart": "session-start"}
_KEEPING = {"Stop": "stop", "PreCompact": "pre-compact", "SessionEnd": "session-end"}
_PROMPTS = {"UserPromptSubmit": "prompt"}


def folder(home: Path, environ: Mapping[str, str]) -> Path:
    """Return the folder of its settings."""
    return configured("CLAUDE_CONFIG_DIR", home / ".claude", environ)


def entries(setup: Setup) -> list[Entry]:
    """Return the MCP server, and the hooks."""
    command, args = setup.mcp_command()
    server = {"type": "stdio", "command": command, "args": args}
    found: list[Entry] = [mcp_server(_servers(setup), ("mcpServers", setup.name), server, setup)]
    if setup.hooks:
        found += hooks(_settings(setup), NAME, setup.events(_HOOKS, _KEEPING, _PROMPTS), setup)
    return found + instructions(_read_by_it(setup), setup)


def source(setup: Setup) -> Source:
    """Return where its sessions lie."""
    where = literal(folder(setup.home, setup.environ), setup.home)
    return Source(NAME, f"{where}/projects/**/*.jsonl", "claude-code")


def hooks(file: Path, agent: str, wanted: Mapping[str, str], setup: Setup) -> list[Entry]:
    """Return the hooks as Claude Code and Codex write them."""
    return [
        hook_item(file, ("hooks", event), hook_group(setup.hook_command(agent, ours)),
                  setup.hook_words(agent, ours))
        for event, ours in wanted.items()
    ]  # fmt: skip


def hook_group(command: str) -> dict[str, object]:
    """Return what an event's list holds for a command."""
    return {"hooks": [{"type": "command", "command": command, "timeout": _TIMEOUT}]}


def _servers(setup: Setup) -> Path:
    if setup.project:
        return setup.project / ".mcp.json"
    return configured("CLAUDE_CONFIG_DIR", setup.home, setup.environ) / ".claude.json"


def _settings(setup: Setup) -> Path:
    """Return the file of hooks; in a project the one that is not shared: ours are paths of here."""
    if setup.project:
        return setup.project / ".claude" / "settings.local.json"
    return folder(setup.home, setup.environ) / "settings.json"


def _read_by_it(setup: Setup) -> Path:
    return (setup.project or folder(setup.home, setup.environ)) / "CLAUDE.md"


def _notes(setup: Setup) -> list[str]:
    file = _settings(setup)
    if json_text.value(files.read(file), ("disableAllHooks",), str(file)) is True:
        return [f"{file}: disableAllHooks keeps every hook from running"]
    return []


AGENT = Agent(
    name=NAME,
    title="Claude Code",
    programs=("claude",),
    folder=folder,
    entries=entries,
    source=source,
    next_step="start a new session of claude; /mcp and /hooks there show what it took up",
    notes=_notes,
    expands=r"\$\{",
)
