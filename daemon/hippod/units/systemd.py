"""The systemd units: one user's own (`hippod.service`) and the system's (`hippod@.service`)."""

import re
from collections.abc import Iterable, Sequence

from hippod.errors import InvalidInput
from hippod.units.setup import Setup, UnitFile, absolute, filled, sayable

COMMANDS_FILE = "heartbeat-commands.conf"
SYSTEM_SOCKET = "/run/hippod/%i/default.sock"

_PLAIN_WORD = re.compile(r"[A-Za-z0-9_./=:+-]+")


def user_units(setup: Setup, runtime: str) -> list[UnitFile]:
    """Return the units of one user's own manager, whose runtime folder is `runtime`."""
    service = filled(
        "hippod.service",
        command=command_line((*setup.program, "run")),
        environment=_environment(setup.settings),
    )
    return [
        UnitFile(
            "hippod.socket",
            filled("hippod.socket", socket=_below(setup.socket, runtime)),
            setup.workspace,
        ),
        UnitFile("hippod.service", service, setup.workspace),
        *_loosened("hippod.service.d", setup),
    ]


def system_units(setup: Setup, user: str, writable: Sequence[str]) -> list[UnitFile]:
    """Return the template units of the system, and the drop-ins of `user`.

    `writable` are the absolute paths that the daemon may write.
    """
    service = f"hippod@{user}.service.d"
    return [
        *system_templates(setup.program),
        UnitFile(f"hippod@{user}.socket.d/path.conf", _socket_path(setup.socket), setup.workspace),
        UnitFile(f"{service}/paths.conf", _paths(setup, writable), setup.workspace),
        *_loosened(service, setup),
    ]


def system_templates(program: Sequence[str]) -> list[UnitFile]:
    """Return `hippod@.service` and `hippod@.socket`, the same for every user."""
    command = command_line((*program, "run"))
    return [
        UnitFile("hippod@.socket", filled("hippod@.socket", socket=SYSTEM_SOCKET)),
        UnitFile("hippod@.service", filled("hippod@.service", command=command)),
    ]


def commands_drop_in() -> str:
    """Return the drop-in that opens the service for the programs of heartbeat checks."""
    return filled(COMMANDS_FILE)


def command_line(words: Sequence[str]) -> str:
    """Return a command line for `ExecStart=:`, which leaves `$` alone."""
    absolute(words[0])
    return " ".join(quoted(word) for word in words)


def quoted(word: str) -> str:
    """Return `word` as one word of a setting that splits words and expands `%`."""
    if _PLAIN_WORD.fullmatch(word):
        return word
    escaped = sayable(word).replace("%", "%%").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def plain(value: str) -> str:
    """Return `value` for a setting that takes the line as it is but for `%`."""
    if value != value.strip() or value.endswith("\\"):
        raise InvalidInput(f"{value!r}: a unit file cannot hold this", "use another path")
    return sayable(value).replace("%", "%%")


def _below(path: str, runtime: str) -> str:
    """Return a path for `ListenStream=`, from the runtime folder on where it lies there."""
    inside = path.removeprefix(f"{runtime.rstrip('/')}/") if runtime else path
    return plain(path) if inside == path else f"%t/{plain(inside)}"


def _environment(settings: Iterable[tuple[str, str]]) -> str:
    return "".join(f"Environment={quoted(f'{name}={value}')}\n" for name, value in settings)


def _loosened(folder: str, setup: Setup) -> list[UnitFile]:
    return [UnitFile(f"{folder}/{COMMANDS_FILE}", commands_drop_in())] * setup.runs_commands


def _socket_path(path: str) -> str:
    return filled("socket-path.conf", socket=plain(path))


def _paths(setup: Setup, writable: Sequence[str]) -> str:
    lines = "".join(f"ReadWritePaths={quoted(f'-{path}')}\n" for path in writable)
    text = filled("paths.conf", paths=lines, environment=_environment(setup.settings))
    return text.rstrip("\n") + "\n"
