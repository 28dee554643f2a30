"""Finds out what a service must be told, from the configuration of the account it is for."""

import os
import pwd
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hippod import config as configuration
from hippod import paths
from hippod.errors import InvalidInput, NotFound
from hippod.units.setup import Setup

_ALSO_ITS_OWN = ("HOME", "XDG_RUNTIME_DIR")
"""Variables that a service manager sets as a login does."""
_USER = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,31}")
PROGRAM = (sys.executable, "-P", "-m", "hippod")
"""This installation. `-P`: what lies in the folder that it starts in is no part of it."""


@dataclass(frozen=True, slots=True)
class Named:
    """What a person named on the command line or in the environment; None: nothing."""

    config: str | None = None
    workspace: str | None = None
    socket: str | None = None


def own(named: Named, environ: Mapping[str, str]) -> Setup:
    """Return the setup of the account that we run as.

    Raises `ConfigError` for a faulty configuration: the service would not start.
    """
    file = paths.config_path(named.config, environ)
    root, socket = _settled(file, named, environ)
    # What a shell was told, in whatever way, the service would not know.
    bare = {name: environ[name] for name in _ALSO_ITS_OWN if name in environ}
    usual_root = _settled(file, Named(), bare)[0]
    usual_socket = _settled(file, Named(workspace=root), bare)[1]
    chosen = {
        "HIPPOD_CONFIG": (named.config or environ.get("HIPPOD_CONFIG")) and file,
        "HIPPOD_WORKSPACE": (named.workspace or root != usual_root) and root,
        "HIPPOD_SOCKET": (named.socket or socket != usual_socket) and socket,
        "HIPPOD_MODELS": environ.get("HIPPOD_MODELS") and paths.models_path(environ),
    }
    return Setup(
        program=PROGRAM,
        socket=socket,
        settings=tuple((name, value) for name, value in chosen.items() if value),
        runs_commands=_runs_commands(configuration.load(Path(file), environ)),
        workspace=os.path.realpath(root),
    )


def of_user(user: str, named: Named) -> tuple[Setup, tuple[str, ...]]:
    """Return the setup of another account under the system's manager, and what it may write.

    Raises `NotFound` where there is no such user or no workspace, `ConfigError`.
    """
    account = _account(user)
    environ = {"HOME": account.pw_dir}
    file = paths.config_path(named.config, environ)
    root, _ = _places(file, named, environ)
    if not Path(root).is_dir():
        raise NotFound(f"{root}: no workspace there", f"make it first: sudo -u {user} hippod init")
    name = paths.instance_name(root, account.pw_uid)
    chosen = {"HIPPOD_CONFIG": named.config and file, "HIPPOD_WORKSPACE": named.workspace and root}
    setup = Setup(
        program=PROGRAM,
        socket=f"{paths.system_folder(user)}/{name}.sock",
        settings=tuple((name, value) for name, value in chosen.items() if value),
        runs_commands=_runs_commands(configuration.load(Path(file), {})),
        workspace=os.path.realpath(root),
    )
    own_folder = f"{account.pw_dir}/.hippod"
    writable = dict.fromkeys((own_folder, os.path.realpath(root)))
    return setup, tuple(writable)


def _settled(file: str, named: Named, environ: Mapping[str, str]) -> tuple[str, str]:
    """Return workspace and socket, whoever chose them."""
    root, socket = _places(file, named, environ)
    given = {**environ, "HIPPOD_SOCKET": named.socket} if named.socket else environ
    folder = os.path.dirname(file)  # noqa: PTH120 - paths are text here
    return root, paths.socket_path(root, socket, given, config_dir=folder)


def _places(file: str, named: Named, environ: Mapping[str, str]) -> tuple[str, str]:
    root, socket = paths.configured(file, environ)
    folder = os.path.dirname(file)  # noqa: PTH120 - paths are text here
    return paths.workspace_path(named.workspace, root, environ, config_dir=folder), socket


def _account(user: str) -> pwd.struct_passwd:
    if not _USER.fullmatch(user):  # it becomes part of names of units and of paths
        raise InvalidInput(f"{user!r}: no name of a user")
    try:
        return pwd.getpwnam(user)
    except KeyError:
        raise NotFound(f"there is no user {user!r} on this machine") from None


def _runs_commands(config: configuration.Config) -> bool:
    checks = config.heartbeat.checks.values()
    return bool(config.notify.command or config.notify.desktop or list(checks))
