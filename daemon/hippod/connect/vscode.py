"""VS Code: the MCP server in mcp.json, of the user's profile or of a workspace.

Format: code.visualstudio.com/docs/agents/reference/mcp-configuration. Its hooks are a preview,
and its chats are in no form that hippod reads, so there are neither hooks nor a source.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

from hippod.connect.agents import Agent, Setup, Source
from hippod.connect.entries import Entry, mcp_server
from hippod.connect.instructions import instructions

_EDITIONS = ("Code", "Code - Insiders", "VSCodium")


def _folder(home: Path, environ: Mapping[str, str]) -> Path:
    """Return the folder of the edition that is installed; of several, the first."""
    return _profiles(home, environ)[0].parent


def _profiles(home: Path, environ: Mapping[str, str]) -> list[Path]:
    """Return the user profiles that there are, else where VS Code would make one."""
    base = _base(home, environ)
    there = [base / edition / "User" for edition in _EDITIONS if (base / edition).is_dir()]
    return there or [base / _EDITIONS[0] / "User"]


def _base(home: Path, environ: Mapping[str, str]) -> Path:
    if sys.platform == "darwin":
        return home / "Library" / "Application Support"
    configured = environ.get("XDG_CONFIG_HOME", "")
    return Path(configured) if configured.startswith("/") else home / ".config"


def _entries(setup: Setup) -> list[Entry]:
    command, words = setup.mcp_command()
    server = {"type": "stdio", "command": command, "args": words}
    folders = [setup.project / ".vscode"] if setup.project else _profiles(setup.home, setup.environ)
    entries: list[Entry] = [
        mcp_server(folder / "mcp.json", ("servers", setup.name), server, setup)
        for folder in folders
    ]
    if setup.project:
        entries += instructions(setup.project / "AGENTS.md", setup)
    return entries


def _source(setup: Setup) -> Source | None:
    return None


AGENT = Agent(
    name="vscode",
    title="VS Code",
    programs=("code", "code-insiders", "codium"),
    folder=_folder,
    entries=_entries,
    source=_source,
    next_step="run the command MCP: List Servers in VS Code, and start hippod there",
    expands=r"\$\{",
)
