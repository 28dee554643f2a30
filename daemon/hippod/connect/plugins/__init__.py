"""The plug-ins that agents load where they have no hooks that run a command: their texts."""

import json
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hippod.connect.agents import Setup

_COMMON = "run.js"


def text(agent: str, setup: "Setup") -> str:
    """Return the plug-in for an agent, with the commands of `setup` by moments of a session."""
    moments = ("start", "stop", "compact", "end") if setup.keeps else ("start",)
    commands = {moment: setup.hook_words(agent, moment) for moment in moments}
    common = _read(_COMMON).replace("AGENT", agent, 1)
    written = f"const COMMANDS = {json.dumps(commands, indent=2)}"
    return common.replace("const COMMANDS = {}", written, 1) + _read(f"{agent}.js")


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
