"""Checks of the process: does it answer, who holds the lock, its socket, children and service."""

import os
import platform
import pwd
import re
import stat
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from socket import create_connection

import apsw

from hippod import __version__, bearer, lock
from hippod.client import Client
from hippod.config import listen_address
from hippod.doctor.finding import Found, count, fail, ok, size, skipped, some, warn
from hippod.doctor.mending import Seen
from hippod.doctor.subject import Subject
from hippod.doctor.tree import mode
from hippod.errors import Conflict, DaemonDown, Forbidden, HippodError, NotResponding
from hippod.units.launchd import NAME as PLIST

_ANSWER_SECONDS = 3.0
_SLOW_SECONDS = 1.0
_WORKER = "hippod.models.worker"
SYSTEM_UNITS = Path("/etc/systemd/system")
_WITHOUT = "without a daemon: this program holds the workspace itself"
_START = "hippod service start, or: hippod run"
_EXEC = re.compile(r"^ExecStart=[:@+!-]*(?P<program>\"[^\"]+\"|\S+)", re.M)


def daemon(subject: Subject) -> Iterator[Found]:
    """The daemon answers, soon and with this version."""
    if _is_without_daemon(subject):
        yield skipped(_WITHOUT)
        return
    client = Client(subject.socket, timeout=_ANSWER_SECONDS)
    began = time.monotonic()
    try:
        client.health()
    except DaemonDown:
        yield _not_running(subject)
    except NotResponding:
        who = None if subject.is_locked else lock.holder(subject.root)
        yield fail(
            f"the daemon{_pid(who)} takes connections at {subject.socket} but does not answer",
            f"see its log, then: hippod service restart{_or_kill(who)}",
        )
    except Forbidden as error:
        yield fail(error.message, error.hint)
    except HippodError as error:
        yield fail(f"{subject.socket}: {error.message}", error.hint)
    else:
        yield from _answered(time.monotonic() - began, client.daemon_version)


def socket(subject: Subject) -> Iterator[Found]:
    """The socket is there, and for its owner alone."""
    if _is_without_daemon(subject):
        yield skipped(_WITHOUT)
        return
    path = Path(subject.socket)
    try:
        info = path.lstat()
    except OSError:
        if subject.parts is not None:
            yield fail(f"{path} is gone: nobody can reach the daemon", "hippod service restart")
        else:
            yield skipped(f"{path} is made when the daemon starts")
        return
    if not stat.S_ISSOCK(info.st_mode):
        yield fail(f"{path} is no socket", "move it away, or set another [server] socket")
        return
    if info.st_uid != os.geteuid():
        yield fail(f"{path} belongs to user {info.st_uid}", "delete it as that user, or as root")
    seen = Seen(path, info)
    if info.st_mode & 0o077:
        yield fail(
            f"{path} has mode {stat.S_IMODE(info.st_mode):04o}: others may connect",
            f"chmod 600 {path}",
            lambda: seen.with_mode(0o600),
        )
    yield from _folder_of_socket(Seen.at(path.parent))
    if subject.parts is None and _is_dead(subject.socket):
        yield warn(
            f"{path} is left of a daemon that ended",
            "the next start replaces it, and so does: hippod doctor --fix",
            lambda: _removed(seen),
        )
    folder = mode(path.parent) or 0
    yield ok(f"{path} has mode {stat.S_IMODE(info.st_mode):04o} in a folder of {folder:04o}")


def held(subject: Subject) -> Iterator[Found]:
    """The workspace is held by the daemon that answers, and by nobody else."""
    holder = None if subject.is_locked else lock.holder(subject.root)
    if subject.parts is None and holder is None:
        yield ok("nobody else holds the workspace")
    elif subject.parts is None:
        yield warn(
            f"a hippod{_pid(holder)} holds the workspace",
            "it may be a program that uses hippod as a library, or a daemon at another socket",
        )
    elif holder is None:
        yield fail(
            "nobody holds the lock of the workspace: its file was deleted or replaced",
            "restart it before a second daemon begins to write: hippod service restart",
        )
    elif holder not in (0, os.getpid()):
        yield fail(
            f"process {holder} holds the lock of the workspace beside this daemon",
            f"stop both, look at memory/ and bank/, start one: {_START}",
        )
    else:
        whom = "this program, without a daemon" if _is_without_daemon(subject) else "this daemon"
        yield ok(f"held by {whom}{_pid(os.getpid())}")


def children(subject: Subject) -> Iterator[Found]:
    """The daemon's children are models at work; none is left of an earlier daemon."""
    processes = _processes(subject.proc)
    if processes is None:
        yield skipped("this system does not list processes in /proc")
        return
    own = {pid: each for pid, each in processes.items() if each["parent"] == os.getpid()}
    zombies = [pid for pid, each in own.items() if each["state"] == "Z"]
    orphans = [
        pid
        for pid, each in processes.items()
        if _WORKER in str(each["command"]) and _is_orphan(each, processes)
    ]
    if orphans:
        yield warn(
            f"models of a daemon that ended still run: {some([str(pid) for pid in orphans])}",
            f"end them: kill {' '.join(map(str, orphans))}",
        )
    if zombies and subject.parts is not None:
        yield warn(f"{count(len(zombies), 'child', 'children')} ended unnoticed", "restart hippod")
    models = [each for each in own.values() if _WORKER in str(each["command"])]
    used = sum(int(each["rss"]) for each in models)
    yield ok(f"{count(len(models), 'model')} running, {size(used)}" if models else "none running")


def versions(subject: Subject) -> Iterator[Found]:
    """What runs is what is installed."""
    installed = _version_of("hippod")
    if installed not in (None, __version__):
        yield warn(
            f"hippod {installed} is installed, {__version__} is running", "hippod service restart"
        )
    llama = _version_of("llama-cpp-python") or "none"
    yield ok(
        f"hippod {__version__}, Python {platform.python_version()}, SQLite "
        f"{apsw.sqlite_lib_version()}, llama-cpp-python {llama}, {platform.system()}"
    )


def service(subject: Subject) -> Iterator[Found]:
    """Where a service is installed, it starts what is installed, at each login or boot."""
    units = [each for each in (_user_unit(subject.environ), _system_unit()) if each is not None]
    if not units:
        yield skipped("no service is installed for this user: hippod service install")
        return
    for unit in units:
        yield from _unit_faults(unit)
    told = " and ".join(unit.name for unit in units)
    if len(units) > 1:
        yield warn(f"{told} both start a daemon for this user", "uninstall one of them")
    yield ok(f"{told} is installed in {units[0].file.parent}")


def log_file(subject: Subject) -> Iterator[Found]:
    """The log can be written, and is for its owner alone."""
    name = subject.config.log.file
    if not name:
        yield ok("the log goes to stderr")
        return
    file = Path(name)
    bits = mode(file)
    if bits is None:
        yield skipped(f"{file} is made when the daemon starts")
        return
    if not os.access(file, os.W_OK):
        yield fail(f"{file} cannot be written", "check its owner and mode")
    if file.is_symlink():
        yield fail(f"{file} is a link, which the log does not follow", "move it away")
        return
    seen = Seen.at(file)
    if bits & 0o077:
        yield warn(
            f"{file} has mode {bits:04o}: others may read paths and counts in it",
            f"chmod 600 {file}",
            lambda: seen.with_mode(0o600),
        )
    yield ok(f"{file}, {size(file.stat().st_size)}")


def listener(subject: Subject) -> Iterator[Found]:
    """The MCP listener, if there is to be one, listens, and its token is for its owner alone."""
    mcp = subject.config.mcp
    if not mcp.listen:
        yield ok("none is configured")
        return
    if _is_without_daemon(subject):
        yield skipped(_WITHOUT)
        return
    file = bearer.place(mcp, subject.config_path)
    bits = mode(file)
    if bits is not None and bits & 0o077:
        seen = Seen.at(file)
        yield fail(
            f"{file} has mode {bits:04o}: others can read the token, so it opens to nobody",
            "hippod mcp token --new",
            lambda: seen.with_mode(0o600),
        )
    elif subject.parts is not None:
        try:
            bearer.read(file)
        except HippodError as error:
            yield fail(error.message, error.hint)
    if subject.parts is not None and not _is_reachable(mcp.listen):
        yield fail(f"nobody listens at {mcp.listen}", "see the daemon's log: listener.not_open")
    yield ok(f"http://{mcp.listen}/mcp, token in {file}")


def _is_reachable(address: str) -> bool:
    try:
        with create_connection(listen_address(address), _ANSWER_SECONDS):
            return True
    except OSError:
        return False


def workers(subject: Subject) -> Iterator[Found]:
    """None of the daemon's workers crashed."""
    assert subject.parts is not None
    crashes = subject.parts.describe().get("crashes", {})
    for name, crash in crashes.items():
        yield warn(
            f"the worker {name} crashed {count(crash['times'], 'time')}, last at {crash['last']}"
            f" ({crash['error']})",
            "it was started again; see the log, and report it",
        )
    yield ok("none crashed since the start")


def _is_without_daemon(subject: Subject) -> bool:
    """Say whether the program that holds the workspace is no daemon, but uses the library."""
    return subject.parts is not None and not subject.socket


def _not_running(subject: Subject) -> Found:
    who = None if subject.is_locked else lock.holder(subject.root)
    if who is None:
        return warn("the daemon is not running", f"start it: {_START}")
    return fail(
        f"a hippod{_pid(who)} holds the workspace, but nobody answers at {subject.socket}",
        "name its socket by --socket or HIPPOD_SOCKET; or it hangs: see its log, then restart it",
    )


def _answered(seconds: float, version: str | None) -> Iterator[Found]:
    if version not in (None, __version__):
        yield warn(
            f"the daemon is version {version}, this is {__version__}", "hippod service restart"
        )
    if seconds > _SLOW_SECONDS:
        yield warn(f"the daemon took {seconds:.1f} s to answer", "see: hippod status")
    yield ok(f"answers in {1000 * seconds:.1f} ms")


def _folder_of_socket(seen: Seen) -> Iterator[Found]:
    """Look at the folder of the socket; it is mended only where it is surely ours."""
    path, bits = seen.path, stat.S_IMODE(seen.info.st_mode)
    mend = (lambda: seen.with_mode(0o700)) if _is_ours(seen) else None
    if bits & 0o022 and not bits & stat.S_ISVTX:
        yield fail(
            f"{path} has mode {bits:04o}: others may put another socket there",
            f"chmod 700 {path}",
            mend,
        )
    elif bits & 0o077 and mend is not None:
        yield warn(f"{path} has mode {bits:04o}, not 0700", f"chmod 700 {path}", mend)


def _is_ours(folder: Seen) -> bool:
    """Say whether a folder was made for sockets of ours, and holds nothing else."""
    info = folder.info
    if not folder.path.name.startswith("hippod") or info.st_uid != os.geteuid():
        return False
    if not stat.S_ISDIR(info.st_mode):
        return False
    return all(stat.S_ISSOCK(each.lstat().st_mode) for each in folder.path.iterdir())


def _is_dead(place: str) -> bool:
    try:
        Client(place, timeout=_ANSWER_SECONDS).health()
    except DaemonDown:
        return True
    except HippodError:
        return False
    return False


def _removed(seen: Seen) -> str:
    """Remove a socket on which nobody answers now either: a daemon may have begun meanwhile."""
    if not _is_dead(str(seen.path)):
        raise Conflict(f"{seen.path}: a daemon answers by now", "nothing is to be mended")
    return seen.removed()


def _pid(number: int | None) -> str:
    return f" (pid {number})" if number else ""


def _or_kill(number: int | None) -> str:
    return f", or kill -9 {number}" if number else ""


_Process = dict[str, int | str]


def _processes(proc: Path) -> dict[int, _Process] | None:
    """Return this user's processes by number: parent, state, command line, memory in bytes."""
    try:
        numbers = [int(name) for name in os.listdir(proc) if name.isdigit()]
    except OSError:
        return None
    found = {number: _process(proc / str(number)) for number in numbers}
    return {number: each for number, each in found.items() if each is not None}


def _process(folder: Path) -> _Process | None:
    try:
        if folder.stat().st_uid != os.geteuid():
            return None
        state, parent, *rest = (folder / "stat").read_text().rpartition(")")[2].split()
        command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except (OSError, ValueError):  # it ended meanwhile
        return None
    rss = int(rest[19]) * os.sysconf("SC_PAGE_SIZE") if len(rest) > 19 else 0
    return {"parent": int(parent), "state": state, "command": command, "rss": rss}


def _is_orphan(process: _Process, processes: Mapping[int, _Process]) -> bool:
    """Say whether whoever started it is gone, so that init or a service manager has it."""
    parent = processes.get(int(process["parent"]))
    command = str(parent["command"]) if parent else ""
    if int(process["parent"]) == 1:
        return "hippod" not in command  # in a container the daemon itself may be number 1
    return "systemd" in command


def _version_of(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


@dataclass(frozen=True, slots=True)
class _Unit:
    """A service that is installed. `name` is what the service manager calls it."""

    name: str
    file: Path
    install: str
    enable: str


def _unit_faults(unit: _Unit) -> Iterator[Found]:
    text = unit.file.read_text(encoding="utf-8", errors="replace")
    found = _EXEC.search(text)
    program = found["program"].strip('"') if found else ""
    if program and not os.access(program, os.X_OK):
        yield fail(
            f"{unit.file} starts {program}, which is not there any more", f"{unit.install} --force"
        )
    if unit.enable and not any(unit.file.parent.glob(f"*.wants/{unit.name}")):
        yield warn(f"{unit.name} is not enabled", f"{unit.enable} {unit.name}")


def _user_unit(environ: Mapping[str, str]) -> _Unit | None:
    home, install = Path(environ.get("HOME") or Path.home()), "hippod service install"
    if sys.platform == "darwin":
        file = home / "Library" / "LaunchAgents" / PLIST
        return _Unit(PLIST, file, install, "") if file.exists() else None
    folder = Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "systemd" / "user"
    file = folder / "hippod.service"
    unit = _Unit(file.name, file, install, "systemctl --user enable")
    return unit if file.exists() else None


def _system_unit() -> _Unit | None:
    """Return the system's service for this user, if it is enabled or set up for them."""
    user = user_name()
    name = f"hippod@{user}.service"
    file = SYSTEM_UNITS / "hippod@.service"
    is_meant = (SYSTEM_UNITS / f"{name}.d").is_dir() or any(SYSTEM_UNITS.glob(f"*.wants/{name}"))
    install = f"sudo hippod service install --system {user}"
    unit = _Unit(name, file, install, "sudo systemctl enable")
    return unit if is_meant and file.exists() else None


def user_name() -> str:
    """Return the name of the user that we run as, their number if they have none."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())
