"""The Unix socket: bound by us, private from the first moment, never stolen from a live daemon.

Or passed by systemd, which made it and keeps it: it is used as it is and its name stays.
"""

import contextlib
import os
import socket
import stat
import struct
import sys
from collections.abc import Iterator, MutableMapping
from pathlib import Path

import structlog

from hippod import private
from hippod.errors import Busy, InvalidInput, StorageError
from hippod.paths import MAX_SOCKET_BYTES

logger = structlog.get_logger()

BACKLOG = 128
NAME = "hippod"
"""What a passed socket is called (`FileDescriptorName=`) where several are passed."""
_PASSED = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID")
_FIRST_PASSED = 3
_SEE = "see [Socket] of the unit: ListenStream=, FileDescriptorName=hippod"


@contextlib.contextmanager
def listening(path: Path, given: socket.socket | None = None) -> Iterator[socket.socket]:
    """Yield the socket to listen on: `given`, or one bound at `path`, whose name goes at the end.

    Raises as `bind` does.
    """
    if given is not None:
        with given:
            yield given
        return
    listener = bind(path)
    inode = path.stat().st_ino
    try:
        yield listener
    finally:
        release(listener, path, inode)


def passed(environ: MutableMapping[str, str]) -> socket.socket | None:
    """Return the listening Unix socket that a service manager passed to this process, if any.

    Takes the variables that say so out of `environ`. Of several sockets it is the one named
    `hippod`, and the others are closed. Raises `InvalidInput` if what was passed is not one.
    """
    meant, count, names = (environ.get(name, "") for name in _PASSED[:3])
    for name in _PASSED:
        environ.pop(name, None)
    if not (count.isascii() and count.isdigit() and int(count)):
        return None
    if meant != str(os.getpid()):
        logger.info("socket.passed_to_another", pid=meant)
        return None
    sockets = [_taken(_FIRST_PASSED + number) for number in range(int(count))]
    chosen = _chosen(sockets, names.split(":"))
    for other in sockets:
        if other is not None and other is not chosen:
            other.close()
    _check_listens(chosen)
    chosen.setblocking(False)
    return chosen


def place(listener: socket.socket) -> str:
    """Return the path at which `listener` listens."""
    return str(listener.getsockname())


def bind(path: Path) -> socket.socket:
    """Listen at `path`, mode 0600 in a 0700 folder of ours.

    A socket that nobody answers on is replaced; a live one raises `Busy`; anything else at the
    path, or a folder that another user owns, raises `StorageError` and is left alone.
    """
    size = len(os.fsencode(path))
    if size > MAX_SOCKET_BYTES:
        raise StorageError(
            f"{path}: {size} bytes, but a socket path may have {MAX_SOCKET_BYTES}",
            "set a shorter [server] socket or HIPPOD_SOCKET",
        )
    _private_folder(path.parent)
    _remove_dead(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    # Bound under a name of our own and linked into place: no moment at which the socket has
    # the wrong mode, and of several daemons that start at once exactly one gets the name.
    draft = path.with_name(f".{path.name[:8]}.{os.getpid()}")
    try:
        with contextlib.suppress(FileNotFoundError):
            draft.unlink()
        listener.bind(str(draft))
        draft.chmod(0o600)
        listener.listen(BACKLOG)
        os.link(draft, path)
    except FileExistsError:
        listener.close()
        raise Busy(
            f"{path}: another daemon has just taken this socket", "see: hippod status"
        ) from None
    except OSError as error:
        listener.close()
        raise StorageError(f"{path}: cannot listen: {error.strerror}") from None
    finally:
        with contextlib.suppress(FileNotFoundError):
            draft.unlink()
    listener.setblocking(False)
    return listener


def release(listener: socket.socket, path: Path, inode: int) -> None:
    """Close `listener` and remove its name, unless another socket has taken the name since."""
    listener.close()
    with contextlib.suppress(OSError):
        if path.stat(follow_symlinks=False).st_ino == inode:
            path.unlink()


def _taken(descriptor: int) -> socket.socket | None:
    """Return what was passed as a socket that no child inherits; None if it is none."""
    try:
        os.set_inheritable(descriptor, False)
        return socket.socket(fileno=descriptor)
    except OSError:
        return None


def _chosen(sockets: list[socket.socket | None], names: list[str]) -> socket.socket:
    named = [each for each, name in zip(sockets, names, strict=False) if name == NAME]
    found = named or (sockets if len(sockets) == 1 else [])
    if len(found) != 1:
        raise InvalidInput(
            f"{len(sockets)} sockets were passed, {len(named) or 'none'} of them named {NAME!r}",
            _SEE,
        )
    if found[0] is None:
        raise InvalidInput("what the service manager passed is not a socket", _SEE)
    return found[0]


def _check_listens(listener: socket.socket) -> None:
    """Raise unless it is a stream socket at a path on which somebody may already wait."""
    path = listener.getsockname() if listener.family == socket.AF_UNIX else None
    if not isinstance(path, str) or not path or listener.type != socket.SOCK_STREAM:
        raise InvalidInput("the socket that was passed is not a Unix stream socket at a path", _SEE)
    with contextlib.suppress(OSError):  # macOS does not tell
        if not listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            raise InvalidInput(f"{path}: the socket that was passed does not listen", _SEE)
    with contextlib.suppress(OSError):  # its name may be gone: whoever made it knows why
        mode = stat.S_IMODE(Path(path).stat().st_mode)
        if mode & 0o077:  # other users are refused by their uid all the same
            logger.warning("socket.open_to_others", path=path, mode=f"{mode:04o}",
                           hint="set SocketMode=0600 in the socket unit")  # fmt: skip


def peer_uid(connection: socket.socket) -> int:
    """Return the user id of the process at the other end."""
    if sys.platform == "darwin":  # struct xucred: version, uid, ngroups, groups[16]
        raw = connection.getsockopt(0, 1, 76)
        return int(struct.unpack_from("=II", raw)[1])
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return int(struct.unpack("3i", raw)[1])


def _private_folder(folder: Path) -> None:
    try:
        private.make_folder(folder)
        info = folder.lstat()
    except OSError as error:
        raise StorageError(f"{folder}: cannot make it: {error.strerror}") from None
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid():
        raise StorageError(
            f"{folder}: not a folder of user {os.geteuid()}; refusing to listen there",
            "set [server] socket or HIPPOD_SOCKET to a folder of your own",
        )
    if stat.S_IMODE(info.st_mode) & 0o077 and folder.name.startswith("hippod"):
        folder.chmod(0o700)  # ours by name; a folder that the user chose keeps its mode
    elif info.st_mode & 0o022:
        raise StorageError(
            f"{folder}: others may write there; refusing to listen in it",
            "set [server] socket or HIPPOD_SOCKET to a folder of your own",
        )


def _remove_dead(path: Path) -> None:
    try:
        info = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(info.st_mode):
        raise StorageError(
            f"{path}: stands in the way and is not a socket; it was left alone",
            "move it away, or set another [server] socket",
        )
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(2)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
        except OSError as error:
            raise Busy(f"{path}: in use ({error.strerror})", "see: hippod status") from None
        else:
            raise Busy(f"{path}: another daemon answers on this socket", "see: hippod status")
