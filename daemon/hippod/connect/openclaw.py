"""OpenClaw: the MCP server in openclaw.json, a hook of its gateway, and its agents' sessions.

Formats: docs.openclaw.ai/cli/mcp and /automation/hooks.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from hippod.connect import files, json_text, plugins
from hippod.connect.agents import Agent, Setup, Source, literal
from hippod.connect.entries import Entry, JsonMember, WholeFile, mcp_server
from hippod.errors import InvalidInput

NAME = "openclaw"
_STARTING = ("agent:bootstrap",)
_KEEPING = (
    "command:new",
    "command:reset",
    "command:stop",
    "session:auto-reset",
    "session:compact:before",
)
_HOOKS = ("hooks", "internal")


def _folder(home: Path, environ: Mapping[str, str]) -> Path:
    """Return its state folder."""
    if configured := environ.get("OPENCLAW_STATE_DIR", "").strip():
        return _in(home, configured)
    own = environ.get("OPENCLAW_HOME", "").strip()
    return (_in(home, own) if own else home) / ".openclaw"


def _in(home: Path, configured: str) -> Path:
    if configured == "~" or configured.startswith("~/"):
        return home / configured[2:]
    return Path(configured).absolute()


def _config(setup: Setup) -> Path:
    configured = setup.environ.get("OPENCLAW_CONFIG_PATH", "").strip()
    if configured:
        return _in(setup.home, configured)
    return _folder(setup.home, setup.environ) / "openclaw.json"


def _entries(setup: Setup) -> list[Entry]:
    if setup.project:
        raise InvalidInput(
            "OpenClaw has no settings for one project", "leave --project out: it is for the user"
        )
    config = _config(setup)
    command, words = setup.mcp_command()
    server = {"command": command, "args": words}
    entries: list[Entry] = [mcp_server(config, ("mcp", "servers", setup.name), server, setup)]
    return entries + (_hook(config, setup) if setup.hooks else [])


def _hook(config: Path, setup: Setup) -> list[Entry]:
    folder = _folder(setup.home, setup.environ) / "hooks" / setup.name
    entries: list[Entry] = [
        WholeFile(folder / "HOOK.md", _about(setup)),
        WholeFile(folder / "handler.js", plugins.text(NAME, setup)),
    ]
    if not _runs_all_hooks(config):
        at = (*_HOOKS, "entries", setup.name)
        entries.append(JsonMember(config, at, {"enabled": True}))
    return entries


def _runs_all_hooks(config: Path) -> bool:
    """Say whether it runs whatever hook it finds: a first one by name would switch off others."""
    data = files.read(config)
    if data is None:
        return False
    set_ = json_text.value(data, _HOOKS, str(config))
    return isinstance(set_, dict) and set_.get("enabled") is True and not set_.get("entries")


def _about(setup: Setup) -> str:
    events = [*_STARTING, *(_KEEPING if setup.keeps else ())]
    return (
        "---\n"
        f"name: {setup.name}\n"
        'description: "Give each session what hippod remembers, and have hippod remember it"\n'
        "metadata:\n"
        f"  {json.dumps({'openclaw': {'emoji': '🦛', 'events': events}}, ensure_ascii=False)}\n"
        "---\n\n"
        f"# {setup.name}\n\n"
        "Written by `hippod connect openclaw`, which also updates it; taken away with `--undo`.\n"
        "Sessions of groups, of schedules and of sub-agents are left alone.\n"
    )


def _source(setup: Setup) -> Source | None:
    agents = literal(_folder(setup.home, setup.environ) / "agents", setup.home)
    return Source(NAME, f"{agents}/*/{{agent,sessions}}/*.{{sqlite,jsonl}}", "auto")


AGENT = Agent(
    name=NAME,
    title="OpenClaw",
    programs=("openclaw",),
    folder=_folder,
    entries=_entries,
    source=_source,
    next_step="restart its gateway: openclaw gateway restart",
    expands=r"\$\{",
)
