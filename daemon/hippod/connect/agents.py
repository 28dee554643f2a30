"""The agents that hippod connects to, and what a connection is made of."""

import os
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Literal

from hippod import paths
from hippod.connect.entries import Entry
from hippod.errors import NotFound

REGISTRY = {
    "claude-code": "claude_code",
    "codex": "codex",
    "gemini": "gemini",
    "openclaw": "openclaw",
    "cursor": "cursor",
    "vscode": "vscode",
    "opencode": "opencode",
}
"""The modules here, each with its `AGENT`, by the names of the agents."""


_STARTING = ("start", "sessionstart")
"""The event, however it is written, at which a hook may start the daemon."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where an agent writes its transcripts, as hippod's configuration says it."""

    name: str
    path: str
    format: str


@dataclass(frozen=True, slots=True)
class Setup:
    """What one connection shall be."""

    home: Path
    environ: Mapping[str, str]
    program: tuple[str, ...]
    """The absolute words that run hippod."""
    options: tuple[str, ...] = ()
    """What tells hippod its workspace, config or socket where they are not the default."""
    project: Path | None = None
    """The folder whose files are written, instead of the user's."""
    name: str = "hippod"
    scope: Literal["main", "group"] = "main"
    tools: Literal["default", "all"] = "default"
    hooks: bool = True
    prompts: bool = False
    """Also look things up for each message of the user."""
    instructions: bool = False
    """Also tell the agent of its memory, in the file of instructions that it reads."""

    @property
    def keeps(self) -> bool:
        """Say whether what is said there may become memory: never in a group."""
        return self.scope == "main"

    def events(
        self, always: dict[str, str], keeping: dict[str, str], prompts: dict[str, str]
    ) -> dict[str, str]:
        """Return the events that are wanted, each with the name that `hippod hook` has for it."""
        return always | (prompts if self.prompts else {}) | (keeping if self.keeps else {})

    def mcp_command(self) -> tuple[str, list[str]]:
        """Return the program and the arguments of the MCP server."""
        program, *words = self.program
        tools = ["--tools", self.tools] if self.tools != "default" else []
        return program, [*words, "mcp", "--start", *self._scope(), *tools, *self.options]

    def hook_words(self, agent: str, event: str) -> list[str]:
        """Return the words that run hippod at an event of an agent."""
        start = ["--start"] if event.replace("-", "").lower() in _STARTING else []
        return [*self.program, "hook", agent, event, *start, *self._scope(), *self.options]

    def hook_command(self, agent: str, event: str) -> str:
        """Return those words as a shell reads them."""
        return shlex.join(self.hook_words(agent, event))

    def _scope(self) -> list[str]:
        return ["--scope", self.scope] if self.scope != "main" else []


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent: how to find it, and what connects hippod to it."""

    name: str
    title: str
    programs: tuple[str, ...]
    """The names under which PATH may have it."""
    folder: Callable[[Path, Mapping[str, str]], Path]
    """Return the folder of its settings, by home and environment."""
    entries: Callable[[Setup], list[Entry]]
    source: Callable[[Setup], Source | None]
    next_step: str
    """What to do after connecting, in a few words."""
    notes: Callable[[Setup], list[str]] = field(default=lambda _setup: [])
    """Return what to say of its settings: that they keep hooks from running."""
    expands: str = ""
    """A pattern of what it replaces in its settings by values of its own."""

    def found(self, home: Path, environ: Mapping[str, str]) -> str:
        """Return where it is: its program, else its folder; empty if it is not installed."""
        for program in self.programs:
            if path := _which(program, environ):
                return path
        folder = self.folder(home, environ)
        return str(folder) if folder.is_dir() else ""


def agent(name: str) -> Agent:
    """Return an agent by its name; `NotFound` names those that there are."""
    if name not in REGISTRY:
        raise NotFound(f"no agent {name!r} is known", f"known are: {', '.join(REGISTRY)}")
    found: Agent = import_module(f"hippod.connect.{REGISTRY[name]}").AGENT
    return found


def configured(name: str, default: Path, environ: Mapping[str, str]) -> Path:
    """Return the folder that a variable names, absolute, with `~` for the home folder."""
    named = environ.get(name, "").strip()
    return Path(paths.absolute(named, environ)) if named else default


def literal(path: Path, home: Path) -> str:
    """Return a folder as the beginning of a glob that means it alone, with `~` for the home."""
    escaped = re.sub(r"[*?\[]", r"[\g<0>]", in_home(path, home))
    return escaped.replace("{", "?")  # braces cannot be escaped


def in_home(path: Path, home: Path) -> str:
    """Return a path with `~` for the home folder."""
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def _which(program: str, environ: Mapping[str, str]) -> str:
    from shutil import which

    return which(program, path=environ.get("PATH", os.defpath)) or ""
