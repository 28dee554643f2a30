"""The Unix socket: bound by us, private from the first moment, never stolen from a live daemon."""

import contextlib
import os
import socket
import stat
import struct
import sys
from pathlib import Path

from hippod.errors import Busy, StorageError
from hippod.paths import MAX_SOCKET_BYTES

BACKLOG = 128


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


def peer_uid(connection: socket.socket) -> int:
    """Return the user id of the process at the other end."""
    if sys.platform == "darwin":  # struct xucred: version, uid, ngroups, groups[16]
        raw = connection.getsockopt(0, 1, 76)
        return int(struct.unpack_from("=II", raw)[1])
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return int(struct.unpack("3i", raw)[1])


def _private_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
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
