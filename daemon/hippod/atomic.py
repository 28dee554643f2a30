"""File primitives that lose nothing: create, replace, remove and append inside an open folder.

Every function takes the descriptor of the folder and the name of one entry in it, never
follows a link, and leaves either the old bytes or the new ones, also after a power cut. The
system calls go through `os` and `renameat2` by name, so that tests can stand in between.
"""

import contextlib
import ctypes
import errno
import fcntl
import os
import re
import secrets
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hippod import untouchable

TEMP_NAME = re.compile(r"\.hippod-[0-9a-f]{16}\.tmp")

_DARWIN = sys.platform == "darwin"
EXCHANGE = 2
NOREPLACE = 4 if _DARWIN else 1

_UNSUPPORTED = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})
_NO_LINKS = _UNSUPPORTED | {errno.EPERM, errno.EMLINK}
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

_ATTEMPTS = 25
_PAUSE_SECONDS = 0.02

Keep = Callable[[bytes], None]
"""Takes bytes of somebody else that could not stay in the folder."""


class ChangedError(Exception):
    """Somebody else wrote, replaced or removed the entry; nothing of ours stands there."""


class NotRegularError(Exception):
    """The entry is a link, folder, pipe, socket or device, or another name of a file of ours."""


class TooBigError(Exception):
    """The file holds more bytes than the limit."""


@dataclass(frozen=True, slots=True)
class Found:
    """The bytes of a regular file with its status at the time of reading."""

    data: bytes
    stat: os.stat_result


@dataclass(frozen=True, slots=True)
class Landed:
    """Where an append went; `displaced` if the name meanwhile stands for another file."""

    offset: int
    inode: int
    displaced: bool


def read(folder: int, name: str, limit: int) -> Found:
    """Read a regular file of at most `limit` bytes.

    Looks before opening, since opening a device or a pipe may have effects, and so has closing
    a database of ours. Raises `NotRegularError`, `TooBigError` and OSError.
    """
    info = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if not stat.S_ISREG(info.st_mode) or untouchable.is_ours(info):
        raise NotRegularError(name)
    with _opened(folder, name, _READ) as fd:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise NotRegularError(name)
        if info.st_size > limit:
            raise TooBigError(name)
        data = _read_all(fd, limit + 1)
        if len(data) > limit:
            raise TooBigError(name)
        return Found(data, info)


def read_if_there(folder: int, name: str, limit: int) -> Found | None:
    """Read as `read`; None if there is no such file."""
    try:
        return read(folder, name, limit)
    except FileNotFoundError:
        return None


def beside(folder: int, name: str) -> Keep:
    """Return what keeps bytes that have to give way, in a file of its own beside theirs."""

    def keep(data: bytes) -> None:
        create(folder, f"{name}.{secrets.token_hex(4)}.displaced", data, 0o600)

    return keep


def create(folder: int, name: str, data: bytes, mode: int = 0o666) -> None:
    """Create a file with its whole content; FileExistsError if the name is taken.

    The umask takes from `mode` as always.
    """
    temp = _write_temp(folder, data, like=None, mode=mode)
    try:
        _rename_new(folder, temp, name)
    except OSError:
        _unlink_quietly(folder, temp)
        raise
    os.fsync(folder)


def replace(folder: int, name: str, data: bytes, expected: Found, keep: Keep) -> None:
    """Replace a file by `data` if it still holds the bytes `expected`; keep mode and owner.

    Raises `ChangedError` if it does not, or if another program keeps it open for writing: what that
    writes next would go to a file without a name.
    """
    try:
        temp = _write_temp(folder, data, like=name)
    except FileNotFoundError:
        raise ChangedError(name) from None
    try:
        _await_writers(folder, name)
        _swap(folder, temp, name, data, expected.data, keep)
    except (OSError, ChangedError):
        _unlink_if(folder, temp, data)
        raise
    os.fsync(folder)


def remove(folder: int, name: str, expected: Found, keep: Keep) -> None:
    """Remove a file if it still holds the bytes `expected`, else raise `ChangedError`."""
    temp = _temp_name()
    try:
        _await_writers(folder, name)
        _rename_new(folder, name, temp)
    except FileNotFoundError:
        raise ChangedError(name) from None
    if _undisturbed(folder, temp, expected.data):
        os.unlink(temp, dir_fd=folder)
        os.fsync(folder)
        return
    try:
        _rename_new(folder, temp, name)
    except FileExistsError:
        keep(_bytes_of(folder, temp))
        os.unlink(temp, dir_fd=folder)
    os.fsync(folder)
    raise ChangedError(name)


def move(folder: int, name: str, target_folder: int, target: str, expected: Found) -> None:
    """Give a file that still holds the bytes `expected` another name, maybe in another folder.

    FileExistsError if that name is taken, `ChangedError` if the file was changed meanwhile; then
    it has its old name again, unless somebody saved another file under that: both stay.
    """
    try:
        _await_writers(folder, name)
        _rename_new(folder, name, target, target_folder)
    except FileNotFoundError:
        raise ChangedError(name) from None
    os.fsync(target_folder)
    os.fsync(folder)
    if _undisturbed(target_folder, target, expected.data):
        return
    with contextlib.suppress(FileExistsError, FileNotFoundError):
        _rename_new(target_folder, target, name, folder)
    os.fsync(folder)
    os.fsync(target_folder)
    raise ChangedError(name)


def append(folder: int, name: str, data: bytes, inode: int | None) -> Landed:
    """Append `data` in one write and make it durable.

    `inode` is the file that was looked at, None to create it. Raises `ChangedError` if the name
    stands for another one by now (or was taken, or is gone); then nothing was written.
    """
    flags = _APPEND if inode is not None else _APPEND | os.O_CREAT | os.O_EXCL
    try:
        with _opened(folder, name, flags) as fd:
            info = os.fstat(fd)
            if not stat.S_ISREG(info.st_mode) or inode not in (None, info.st_ino):
                raise ChangedError(name)
            offset = _append_whole(fd, data)
            os.fsync(fd)
    except (FileExistsError, FileNotFoundError):
        raise ChangedError(name) from None
    except OSError:
        if inode is None:
            _unlink_if(folder, name, b"")
        raise
    if inode is None:
        os.fsync(folder)
    return Landed(offset, info.st_ino, displaced=_inode(folder, name) != info.st_ino)


def exchange(folder: int, one: str, other: str) -> bool:
    """Let two names of a folder change places; False where the filesystem cannot."""
    try:
        renameat2(folder, one, other, EXCHANGE)
    except OSError as error:
        if error.errno in _UNSUPPORTED:
            return False
        raise
    return True


def renameat2(folder: int, old: str, new: str, flags: int, into: int | None = None) -> None:
    """Rename with the flag `EXCHANGE` or `NOREPLACE`, within a folder or `into` another one.

    Raises OSError.
    """
    call = _RENAME
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), old)
    ctypes.set_errno(0)
    target = folder if into is None else into
    if call(folder, os.fsencode(old), target, os.fsencode(new), flags) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), old, None, new)


def sweep(folder: int, name: str, keep: Keep, limit: int) -> None:
    """Remove a temporary file of a dead run after handing over its bytes."""
    with contextlib.suppress(NotRegularError, TooBigError):
        keep(read(folder, name, limit).data)
    os.unlink(name, dir_fd=folder)


# -- swapping --------------------------------------------------------------------------------


def _swap(folder: int, temp: str, name: str, data: bytes, expected: bytes, keep: Keep) -> None:
    try:
        if not exchange(folder, temp, name):
            _overwrite(folder, temp, name, expected, keep)
            return
    except FileNotFoundError:
        raise ChangedError(name) from None
    if _undisturbed(folder, temp, expected):
        os.unlink(temp, dir_fd=folder)
        return
    _swap_back(folder, temp, name, data, keep)
    os.fsync(folder)
    raise ChangedError(name)


def _swap_back(folder: int, temp: str, name: str, ours: bytes, keep: Keep) -> None:
    """Give a name back to the stranger's file, and what was written on top of ours as well."""
    try:
        exchange(folder, temp, name)
    except FileNotFoundError:
        # Our version was removed within these microseconds; the stranger's is the newer will.
        _rename_new(folder, temp, name)
        return
    _await_no_writer(folder, temp)
    written = _bytes_of(folder, temp)
    if written == ours:
        return
    if written.startswith(ours):
        with _opened(folder, name, _APPEND) as fd:
            _append_whole(fd, written[len(ours) :])
            os.fsync(fd)
    else:
        exchange(folder, temp, name)
        keep(_bytes_of(folder, temp))
    os.unlink(temp, dir_fd=folder)


def _overwrite(folder: int, temp: str, name: str, expected: bytes, keep: Keep) -> None:
    """Replace without an exchange: look, rename, look again at what was displaced."""
    with _opened(folder, name, _READ) as fd:
        same = _inode(folder, name) == os.fstat(fd).st_ino
        if not same or _read_all(fd, len(expected) + 1) != expected:
            raise ChangedError(name)
        os.rename(temp, name, src_dir_fd=folder, dst_dir_fd=folder)
        os.lseek(fd, 0, os.SEEK_SET)
        displaced = _read_all(fd)
    if displaced == expected:
        return
    keep(displaced)
    back = _write_temp(folder, displaced, like=name)
    os.rename(back, name, src_dir_fd=folder, dst_dir_fd=folder)
    os.fsync(folder)
    raise ChangedError(name)


def _undisturbed(folder: int, name: str, expected: bytes) -> bool:
    """Say whether a displaced file holds what we read, and nobody can still write to it."""
    try:
        with _opened(folder, name, _READ) as fd:
            regular = stat.S_ISREG(os.fstat(fd).st_mode)
            # The order matters: no writer any more, then the bytes are final.
            return regular and not has_writer(fd) and _read_all(fd) == expected
    except OSError:
        return False


def has_writer(fd: int) -> bool:
    """Say whether any process has the file open for writing; False where none can tell.

    A read lease is granted only while there is no writer. Linux only, and only for files of
    our own user.
    """
    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    try:
        # SIGURG is ignored by default; SIGIO, what a broken lease sends, would end the process.
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return error.errno == errno.EAGAIN
    return False


def _await_writers(folder: int, name: str) -> None:
    """Wait a moment while another program has the file open for writing; else `ChangedError`."""
    try:
        free = _await_no_writer(folder, name)
    except OSError:
        raise ChangedError(name) from None
    if not free:
        raise ChangedError(name)


def _await_no_writer(folder: int, name: str) -> bool:
    with _opened(folder, name, _READ) as fd:
        for _ in range(_ATTEMPTS):
            if not has_writer(fd):
                return True
            time.sleep(_PAUSE_SECONDS)
    return False


# -- pieces ----------------------------------------------------------------------------------


def _write_temp(folder: int, data: bytes, like: str | None, mode: int = 0o666) -> str:
    """Write a durable temporary file with mode, owner and attributes of `like`."""
    temp = _temp_name()
    try:
        with _opened(folder, temp, _CREATE, mode if like is None else 0o600) as fd:
            if like is not None:
                _dress(folder, fd, like)
            _write_all(fd, data)
            os.fsync(fd)
    except OSError:
        _unlink_quietly(folder, temp)
        raise
    return temp


def _dress(folder: int, fd: int, like: str) -> None:
    with _opened(folder, like, _READ) as model:
        info = os.fstat(model)
        mine = os.fstat(fd)
        if (info.st_uid, info.st_gid) != (mine.st_uid, mine.st_gid):
            with contextlib.suppress(PermissionError):
                os.fchown(fd, info.st_uid, info.st_gid)
        os.fchmod(fd, stat.S_IMODE(info.st_mode))
        if sys.platform == "linux":
            _copy_attributes(model, fd)


def _copy_attributes(model: int, fd: int) -> None:
    """Copy what can be copied: access lists and tags; the rest belongs to the system."""
    with contextlib.suppress(OSError):
        for name in os.listxattr(model):
            with contextlib.suppress(OSError):
                os.setxattr(fd, name, os.getxattr(model, name))


def _rename_new(folder: int, old: str, new: str, into: int | None = None) -> None:
    """Rename without ever replacing: FileExistsError if `new` is taken."""
    target = folder if into is None else into
    try:
        renameat2(folder, old, new, NOREPLACE, target)
        return
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
    try:
        os.link(old, new, src_dir_fd=folder, dst_dir_fd=target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # No hard links either (FAT): claim the name, then take its place.
        os.close(os.open(new, _CREATE, dir_fd=target))
        os.rename(old, new, src_dir_fd=folder, dst_dir_fd=target)
        return
    os.unlink(old, dir_fd=folder)


def _append_whole(fd: int, data: bytes) -> int:
    """Append in one write (the rest of a short one follows) and return where it begins."""
    done = 0
    try:
        while done < len(data):
            done += os.write(fd, data[done:])
    except OSError:
        end = os.lseek(fd, 0, os.SEEK_CUR)
        if done and os.fstat(fd).st_size == end:
            os.ftruncate(fd, end - done)
        raise
    return os.lseek(fd, 0, os.SEEK_CUR) - len(data)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _bytes_of(folder: int, name: str) -> bytes:
    with _opened(folder, name, _READ) as fd:
        return _read_all(fd) if stat.S_ISREG(os.fstat(fd).st_mode) else b""


def _read_all(fd: int, limit: int | None = None) -> bytes:
    pieces: list[bytes] = []
    left = limit
    while left is None or left > 0:
        piece = os.read(fd, 1 << 20 if left is None else min(left, 1 << 20))
        if not piece:
            break
        pieces.append(piece)
        left = None if left is None else left - len(piece)
    return b"".join(pieces)


def _inode(folder: int, name: str) -> int | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_ino
    except OSError:
        return None


def _unlink_quietly(folder: int, name: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(name, dir_fd=folder)


def _unlink_if(folder: int, name: str, data: bytes) -> None:
    """Remove a file of ours; one with other bytes is somebody's and stays for the sweep."""
    with contextlib.suppress(OSError):
        if _bytes_of(folder, name) == data:
            os.unlink(name, dir_fd=folder)


@contextlib.contextmanager
def _opened(folder: int, name: str, flags: int, mode: int = 0o666) -> Iterator[int]:
    fd = os.open(name, flags, mode, dir_fd=folder)
    try:
        yield fd
    finally:
        os.close(fd)


def _temp_name() -> str:
    return f".hippod-{secrets.token_hex(8)}.tmp"


def _load_rename() -> Callable[[int, bytes, int, bytes, int], int] | None:
    library = ctypes.CDLL(None, use_errno=True)
    try:
        call = library.renameatx_np if _DARWIN else library.renameat2
    except AttributeError:
        return None
    call.argtypes = (
        ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint,
    )  # fmt: skip
    call.restype = ctypes.c_int

    def rename(old_folder: int, old: bytes, new_folder: int, new: bytes, flags: int) -> int:
        return int(call(old_folder, old, new_folder, new, flags))

    return rename


_RENAME = _load_rename()
