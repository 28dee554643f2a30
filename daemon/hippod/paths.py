"""Where config, workspace and socket lie: one answer for the daemon and for every client.

Everything is a function of its arguments (`environ` is handed in); only `configured` reads a
file. Nothing beyond the cheap standard library is imported: the CLI needs this in milliseconds.
"""

# pathlib would cost 8 ms of the 25 that a client has.
# ruff: noqa: PTH100, PTH111, PTH116, PTH118, PTH119, PTH123

import os
import pwd
import stat
import sys
from collections.abc import Mapping

from hippod.errors import ConfigError, InvalidInput

_MAX_CONFIG_BYTES = 1_000_000
MAX_SOCKET_BYTES = 100
"""Below every system's limit (104 on macOS, 108 on Linux, with the closing NUL)."""


def config_path(arg: str | None, environ: Mapping[str, str]) -> str:
    """Return the config file: `--config`, `HIPPOD_CONFIG`, `~/.hippod/config.toml`."""
    return _absolute(arg or environ.get("HIPPOD_CONFIG") or "~/.hippod/config.toml", environ)


def absolute(path: str, environ: Mapping[str, str]) -> str:
    """Return a path from the current folder on, with the home folder for a leading `~`.

    Raises `InvalidInput` where it is relative and the current folder is gone.
    """
    return _absolute(path, environ)


def workspace_path(
    arg: str | None, configured: str | None, environ: Mapping[str, str], *, config_dir: str = ""
) -> str:
    """Return the workspace: `--workspace`, `HIPPOD_WORKSPACE`, the config, the default.

    A relative `configured` value starts at `config_dir`, the others at the current folder.
    """
    chosen = arg or environ.get("HIPPOD_WORKSPACE")
    if chosen:
        return _absolute(chosen, environ)
    return _absolute(configured or "~/.hippod/workspace", environ, config_dir)


def models_path(environ: Mapping[str, str]) -> str:
    """Return the folder of pulled models: `HIPPOD_MODELS`, `~/.hippod/models`."""
    return _absolute(environ.get("HIPPOD_MODELS") or "~/.hippod/models", environ)


def instance_name(workspace: str | os.PathLike[str], uid: int | None = None) -> str:
    """Return the short ASCII name of a workspace of `uid` (ours), different for every real path.

    `default` is the default workspace of the *account*: a process with another `HOME` (a test,
    a sandbox) must never reach the daemon of the user it runs as.
    """
    real = os.path.realpath(workspace)
    if real == _account_default(os.getuid() if uid is None else uid):
        return "default"
    from hashlib import sha256  # 6 ms (OpenSSL) that the default workspace does not pay

    digest = sha256(os.fsencode(real)).hexdigest()[:8]
    return f"{_slug(os.path.basename(real))}-{digest}"


def socket_path(
    workspace: str | os.PathLike[str],
    configured: str | None,
    environ: Mapping[str, str],
    *,
    config_dir: str = "",
    uid: int | None = None,
    platform: str = sys.platform,
) -> str:
    """Return where the daemon of `workspace` listens.

    `HIPPOD_SOCKET` or the configured path as they are (`InvalidInput` if over 100 bytes), else
    `<runtime folder>/hippod/<name>.sock`, else `/tmp/hippod-<uid>/<name>.sock` where there is
    no runtime folder or the path would be over 100 bytes.
    """
    return socket_places(
        workspace, configured, environ, config_dir=config_dir, uid=uid, platform=platform
    )[0]


def socket_places(
    workspace: str | os.PathLike[str],
    configured: str | None,
    environ: Mapping[str, str],
    *,
    config_dir: str = "",
    uid: int | None = None,
    platform: str = sys.platform,
) -> tuple[str, ...]:
    """Return every place where that daemon may listen, `socket_path` first.

    A client under cron or ssh often lacks the `XDG_RUNTIME_DIR` that the daemon had, or the
    other way round, so it dials the others too.
    """
    if environ.get("HIPPOD_SOCKET"):
        return (_bindable(_absolute(environ["HIPPOD_SOCKET"], environ)),)
    if configured:
        return (_bindable(_absolute(configured, environ, config_dir)),)
    user = os.getuid() if uid is None else uid
    file = f"{instance_name(workspace)}.sock"
    paths = [os.path.join(folder, file) for folder in _folders(environ, user, platform)]
    short = (path for path in paths if len(os.fsencode(path)) <= MAX_SOCKET_BYTES)
    return tuple(dict.fromkeys(short))


def configured(path: str, environ: Mapping[str, str]) -> tuple[str, str]:
    """Return `workspace.path` and `server.socket` as the config and the environment set them.

    Empty where unset. Raises `ConfigError` for a file that cannot be read or is not TOML; all
    else in it is for the daemon to judge.
    """
    values = []
    tables = _tables(path)
    for section, key in (("workspace", "path"), ("server", "socket")):
        table = tables.get(section)
        value = table.get(key) if isinstance(table, dict) else None
        from_file = value if isinstance(value, str) else ""
        values.append(_override(environ, f"HIPPOD_{section}__{key}") or from_file)
    return values[0], values[1]


def is_there(path: str) -> bool:
    """Say whether there is a config file; raises `ConfigError` where nobody can say."""
    try:
        os.stat(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise ConfigError([f"{path}: {error.strerror}"]) from None
    return True


def config_text(path: str) -> str:
    """Return the text of a config file, empty if there is none.

    Raises `ConfigError` for one that cannot be read, is no text, over a megabyte, or a pipe: it is
    read more than once, and a pipe may never end.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                raise ConfigError([f"{path}: is a pipe, not a file"])
            data = file.read(_MAX_CONFIG_BYTES + 1)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise ConfigError([f"{path}: {error.strerror}"]) from None
    if len(data) > _MAX_CONFIG_BYTES:
        raise ConfigError([f"{path}: over {_MAX_CONFIG_BYTES} bytes, so hardly a configuration"])
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise ConfigError([f"{path}: not valid TOML: {error}"], "fix the line named") from None


def _folders(environ: Mapping[str, str], uid: int, platform: str) -> list[str]:
    shared = f"/tmp/hippod-{uid}"  # always short enough: a socket's name has at most 33 bytes
    if platform == "darwin":
        return [_absolute("~/Library/Caches/hippod", environ), shared]
    given = environ.get("XDG_RUNTIME_DIR", "")
    own = [f"{given}/hippod"] if given.startswith("/") else []  # its rule: absolute or ignored
    return [*own, shared, f"/run/user/{uid}/hippod", *_of_the_system(uid)]


def _of_the_system(uid: int) -> list[str]:
    try:
        return [system_folder(pwd.getpwuid(uid).pw_name)]
    except KeyError:
        return []


def _bindable(path: str) -> str:
    size = len(os.fsencode(path))
    if size > MAX_SOCKET_BYTES:
        raise InvalidInput(
            f"{path}: {size} bytes, but a socket path may have {MAX_SOCKET_BYTES}",
            "set a shorter [server] socket or HIPPOD_SOCKET, or none at all",
        )
    return path


def system_folder(user: str) -> str:
    """Return where a service of the system (systemd's `hippod@USER`) listens for its user."""
    return f"/run/hippod/{user}"


def _account_default(uid: int) -> str:
    try:
        account_home = pwd.getpwuid(uid).pw_dir
    except KeyError:  # a container that runs as a bare number
        return ""
    return os.path.realpath(os.path.join(account_home, ".hippod/workspace"))


def in_home(path: str) -> str:
    """Return a path with the home folder in place of a leading `~` or `~name`.

    Raises `InvalidInput` where there is no such home folder.
    """
    found = os.path.expanduser(path)
    if path.startswith("~") and found == path:
        raise InvalidInput(f"{path}: there is no such home folder", "write the path in full")
    return found


def _slug(name: str) -> str:
    kept = "".join(c if c.isascii() and c.isalnum() else "-" for c in name.lower())
    return "-".join(part for part in kept.split("-") if part)[:19].rstrip("-") or "workspace"


def _absolute(path: str, environ: Mapping[str, str], start: str = "") -> str:
    home = environ.get("HOME")
    if home and (path == "~" or path.startswith("~/")):
        path = home + path[1:]
    joined = os.path.join(start, in_home(path))
    try:
        return os.path.abspath(joined)
    except FileNotFoundError:
        raise InvalidInput(
            f"{joined}: it starts at the current folder, which is gone", "write the path in full"
        ) from None


def _override(environ: Mapping[str, str], variable: str) -> str:
    """Find a `HIPPOD_SECTION__KEY` value as `hippod.config` does: whatever its case."""
    wanted = variable.lower()
    found = [
        value
        for name, value in sorted(environ.items())
        if name.startswith("HIPPOD_") and name.lower() == wanted
    ]
    return found[-1] if found else ""


def _tables(path: str) -> dict[str, object]:
    text = config_text(path)
    if not _names_a_place(text):
        return {}
    import tomllib  # 16 ms that a config which moves neither workspace nor socket does not cost

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError([f"{path}: not valid TOML: {error}"], "fix the line named") from None


def _names_a_place(text: str) -> bool:
    lines = (line.lstrip() for line in text.splitlines())
    return any(
        not line.startswith("#") and ("workspace" in line or "server" in line or "\\" in line)
        for line in lines
    )
