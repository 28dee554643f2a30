"""Codex: `config.toml` (MCP servers) and `hooks.json` beside it."""

from collections.abc import Mapping
from pathlib import Path

from hippod.connect import files, toml_text
from hippod.connect.agents import Agent, Setup, Source, configured, literal
from hippod.connect.claude_code import hook_group, hooks
from hippod.connect.entries import Entry, hook_table, mcp_table
from hippod.connect.instructions import instructions

NAME = "codex"
_HOOKS = {"SessionStart": "session-start"}
_KEEPING = {"Stop": "stop", "PreCompact": "pre-compact"}
_PROMPTS = {"UserPromptSubmit": "prompt"}


def folder(home: Path, environ: Mapping[str, str]) -> Path:
    """Return the folder of its settings."""
    return configured("CODEX_HOME", home / ".codex", environ)


def entries(setup: Setup) -> list[Entry]:
    """Return the MCP server, and the hooks, which have the form of Claude Code's."""
    command, args = setup.mcp_command()
    server = {"command": command, "args": args}
    file = _folder(setup) / "config.toml"
    found: list[Entry] = [mcp_table(file, ("mcp_servers", setup.name), server, setup)]
    if setup.hooks:
        found += _hooks(setup, setup.events(_HOOKS, _KEEPING, _PROMPTS))
    return found + instructions((setup.project or _folder(setup)) / "AGENTS.md", setup)


def source(setup: Setup) -> Source:
    """Return where its sessions lie."""
    where = literal(folder(setup.home, setup.environ), setup.home)
    return Source(NAME, f"{where}/{{sessions,archived_sessions}}/**/*.jsonl", "codex")


def _hooks(setup: Setup, wanted: Mapping[str, str]) -> list[Entry]:
    """Return the hooks: where there are some already, since Codex complains of two places."""
    file, config = _folder(setup) / "hooks.json", _folder(setup) / "config.toml"
    if not _are_inline(config) or files.read(file) is not None:
        return hooks(file, NAME, wanted, setup)
    return [
        hook_table(config, ("hooks", event), hook_group(setup.hook_command(NAME, ours)),
                   setup.hook_words(NAME, ours))
        for event, ours in wanted.items()
    ]  # fmt: skip


def _are_inline(config: Path) -> bool:
    held = toml_text.value(files.read(config), ("hooks",), str(config))
    return isinstance(held, dict) and any(isinstance(groups, list) for groups in held.values())


def _notes(setup: Setup) -> list[str]:
    config = _folder(setup) / "config.toml"
    features = toml_text.value(files.read(config), ("features",), str(config))
    if isinstance(features, dict) and False in (features.get("hooks"), features.get("codex_hooks")):
        return [f"{config}: [features] hooks = false keeps every hook from running"]
    return []


def _folder(setup: Setup) -> Path:
    return setup.project / ".codex" if setup.project else folder(setup.home, setup.environ)


AGENT = Agent(
    name=NAME,
    title="Codex",
    programs=("codex",),
    folder=folder,
    entries=entries,
    source=source,
    next_step="start codex and trust the new hooks under /hooks: it runs none before",
    notes=_notes,
)
