"""OpenCode: the MCP server in opencode.json(c), a plug-in for its hooks, and its database.

Formats: opencode.ai/docs/config, /mcp-servers and /plugins.
"""

from collections.abc import Mapping
from pathlib import Path

from hippod.connect import files, json_text, plugins
from hippod.connect.agents import Agent, Setup, Source, literal
from hippod.connect.entries import Entry, WholeFile, mcp_server
from hippod.connect.instructions import instructions

NAME = "opencode"
_CONFIGS = ("opencode.jsonc", "opencode.json")
"""All that are there count, merged; the first one is what is read last."""


def _folder(home: Path, environ: Mapping[str, str]) -> Path:
    return _base(environ, "XDG_CONFIG_HOME", home / ".config") / NAME


def _base(environ: Mapping[str, str], name: str, default: Path) -> Path:
    configured = environ.get(name, "")
    return Path(configured) if configured.startswith("/") else default


def _entries(setup: Setup) -> list[Entry]:
    own = _folder(setup.home, setup.environ)
    at = ("mcp", setup.name)
    program, words = setup.mcp_command()
    server = {"type": "local", "command": [program, *words], "enabled": True}
    entries: list[Entry] = [mcp_server(_config(setup.project or own, at), at, server, setup)]
    if setup.hooks:
        folder = setup.project / ".opencode" if setup.project else own
        file = folder / "plugins" / f"{setup.name}.js"
        entries.append(WholeFile(file, plugins.text(NAME, setup)))
    return entries + instructions((setup.project or own) / "AGENTS.md", setup)


def _config(folder: Path, at: tuple[str, ...]) -> Path:
    """Return the file that has the entry already, else one that is there, else a new one."""
    found = {file: files.read(file) for file in (folder / name for name in _CONFIGS)}
    there = {file: data for file, data in found.items() if data is not None}
    for file, data in there.items():
        if json_text.value(data, at, str(file)) is not None:
            return file
    return next(iter(there), folder / _CONFIGS[-1])


def _source(setup: Setup) -> Source | None:
    data = _base(setup.environ, "XDG_DATA_HOME", setup.home / ".local" / "share") / NAME
    return Source(NAME, f"{literal(data, setup.home)}/opencode*.db", NAME)


AGENT = Agent(
    name=NAME,
    title="OpenCode",
    programs=("opencode",),
    folder=_folder,
    entries=_entries,
    source=_source,
    next_step="start opencode anew",
    expands=r"\{(env|file):",
)
