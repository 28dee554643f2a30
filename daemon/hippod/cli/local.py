"""`hippod init run`: what works on the workspace itself, without a daemon that answers."""

import os

from hippod import paths
from hippod.cli import output
from hippod.errors import ConfigError, DaemonDown, HippodError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from hippod.config import Config


def init_options(parser: "argparse.ArgumentParser") -> None:
    """Add the folder."""
    parser.add_argument("path", nargs="?", help="default: the workspace that --workspace means")


def init(args: "argparse.Namespace") -> int:
    """Create the workspace's first files; existing ones stay as they are."""
    from pathlib import Path

    from hippod import workspace_seed

    file = paths.config_path(args.config, os.environ)
    configured = paths.configured(file, os.environ)[0]
    folder = paths.workspace_path(
        args.path or args.workspace, configured, os.environ, config_dir=_folder(file)
    )
    made = workspace_seed.init(Path(folder))
    return output.show(args, {"workspace": folder, "created": made}, _print_made)


def run_options(parser: "argparse.ArgumentParser") -> None:
    """Add whether somebody looks on: the config says the rest."""
    parser.add_argument(
        "--background", action="store_true",
        help="log to a file in ~/.hippod/log unless the config names one (hippod mcp --start)",
    )  # fmt: skip


def run(args: "argparse.Namespace") -> int:
    """Run the daemon until it is told to stop."""
    import gc
    from pathlib import Path

    gc.disable()  # all that is loaded stays; the daemon has garbage collected from then on
    from hippod import lock, notify

    if not notify.is_managed(os.environ):
        lock.refuse_if_held(Path(root(args)))  # before all that takes seconds to load
    from hippod import process

    is_named = bool(args.config or os.environ.get("HIPPOD_CONFIG"))
    _fix(args)
    if args.background:
        _log_to_a_file(args)
    return process.run(lambda: _read(args, is_named=is_named))


def _read(args: "argparse.Namespace", *, is_named: bool) -> "tuple[Config, Path | None]":
    """Load the settings; without a file the defaults count, unless a person named one."""
    found = settings(args)
    if is_named and found[1] is None:
        raise ConfigError([f"{args.config}: it is gone"], "put it back, or name another one")
    return found


def _log_to_a_file(args: "argparse.Namespace") -> None:
    """Choose a file for the log where the configuration names none: nobody reads our errors."""
    config, _ = settings(args)
    if not config.log.file:
        name = paths.instance_name(config.workspace.path)
        file = "daemon.log" if name == "default" else f"{name}.log"
        os.environ["HIPPOD_LOG__FILE"] = paths.absolute(f"~/.hippod/log/{file}", os.environ)


def _fix(args: "argparse.Namespace") -> None:
    """Make absolute what names a place: the current folder may be gone at a reload."""
    args.config = paths.config_path(args.config, os.environ)
    for name, variable in (("workspace", "HIPPOD_WORKSPACE"), ("socket", "HIPPOD_SOCKET")):
        if chosen := getattr(args, name) or os.environ.get(variable):
            setattr(args, name, paths.absolute(chosen, os.environ))


def starting(args: "argparse.Namespace", error: DaemonDown) -> DaemonDown:
    """Say who holds the workspace while no daemon answers: most often one that only begins.

    Who was answered first, and then left by a daemon that stopped, knows more already.
    """
    if not error.message.startswith("no daemon answers"):
        return error
    try:
        folder = root(args)
    except HippodError:
        return error
    if not _is_locked(folder):
        return error
    from pathlib import Path

    from hippod import lock

    place = Path(folder)
    pid = lock.holder(place)
    if not pid:
        return error
    elsewhere = lock.socket_of_holder(place)
    if elsewhere and elsewhere != args.socket and elsewhere not in error.message:
        return DaemonDown(error.message, f"process {pid} answers at {elsewhere}")
    return DaemonDown(
        f"{error.message}: process {pid} holds the workspace; it starts, ends or works on it alone",
        "try again in a moment",
    )


def settings(args: "argparse.Namespace") -> "tuple[Config, Path | None]":
    """Load the configuration with workspace and socket settled; also return its file, if any.

    The workspace path in it is absolute, and the socket is the path to listen on.
    """
    from pathlib import Path

    from hippod import config as configuration

    file = paths.config_path(args.config, os.environ)
    loaded = configuration.load(Path(file), os.environ)
    path, socket = paths.configured(file, os.environ)
    where = paths.workspace_path(args.workspace, path, os.environ, config_dir=_folder(file))
    chosen = args.socket and {**os.environ, "HIPPOD_SOCKET": args.socket}
    listen = paths.socket_path(where, socket, chosen or os.environ, config_dir=_folder(file))
    settled = loaded.model_copy(
        update={
            "workspace": loaded.workspace.model_copy(update={"path": Path(where)}),
            "server": loaded.server.model_copy(update={"socket": listen}),
        }
    )
    return settled, Path(file) if paths.is_there(file) else None


def root(args: "argparse.Namespace") -> str:
    """Return the workspace that is meant, without reading more of the configuration."""
    file = paths.config_path(args.config, os.environ)
    configured = paths.configured(file, os.environ)[0]
    return paths.workspace_path(args.workspace, configured, os.environ, config_dir=_folder(file))


def _is_locked(root: str) -> bool:
    """Say so without what `hippod.lock` costs to load."""
    import fcntl

    try:
        fd = os.open(f"{root}/.memory/lock", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(fd)
    return False


def _folder(file: str) -> str:
    return os.path.dirname(file)  # noqa: PTH120 - pathlib costs 8 ms


def _print_made(answer: "dict[str, object]") -> None:
    made = answer["created"]
    assert isinstance(made, list)
    for name in made:
        output.tell(f"created {name}")
    output.tell(f"workspace {answer['workspace']} is ready; start the daemon with: hippod run")
