"""What differs from one installation to the next, and the files that come of it."""

import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

from hippod.errors import InvalidInput

_UNSAYABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Control characters, bytes that are not UTF-8, and what XML cannot hold."""


@dataclass(frozen=True, slots=True)
class Setup:
    """One service: the words that start hippod, and what its daemon cannot find by itself.

    `settings` are environment variables; `runs_commands` says that the configuration lets the
    heartbeat or the notifier start programs; `workspace` is the real path of what is served.
    """

    program: tuple[str, ...]
    socket: str
    settings: tuple[tuple[str, str], ...] = ()
    runs_commands: bool = False
    workspace: str = ""


@dataclass(frozen=True, slots=True)
class UnitFile:
    """A file for a service manager: its place below the manager's folder, and its text.

    `workspace` is what it serves; empty where it serves any.
    """

    name: str
    text: str
    workspace: str = ""


def filled(template: str, **values: str) -> str:
    """Return a template of this package with its `$names` filled in."""
    folder = files("hippod.units").joinpath("templates")
    return Template(folder.joinpath(template).read_text("utf-8")).substitute(values)


def sayable(text: str) -> str:
    """Return `text` if a unit file can hold it, else raise `InvalidInput`."""
    if not _UNSAYABLE.search(text):
        return text
    raise InvalidInput(
        f"{text!a}: a service's file cannot hold this",
        "use a path in UTF-8 without control characters",
    )


def absolute(program: str) -> str:
    """Return the path of a program if it is absolute, else raise `InvalidInput`."""
    if Path(program).is_absolute():
        return program
    raise InvalidInput(f"{program!r}: a service manager wants whole paths")
