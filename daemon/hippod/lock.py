"""One daemon per workspace: a kernel lock on `.memory/lock`, and the folder `.memory` itself.

Only the lock counts, and the kernel releases it however its holder ends. What the file says is
for people.
"""

import contextlib
import errno
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from hippod import untouchable
from hippod.errors import Busy, StorageError

FOLDER = ".memory"
_LOCK = "lock"
_STRANGE = (stat.S_IFLNK, stat.S_IFIFO, stat.S_IFBLK, stat.S_IFCHR)
_TRIES = 10
_LOOK_SECONDS = 0.2
"""For how long who finds it locked tries again: it may be somebody who looks who holds it."""
_SOCKET = "socket "
"""Begins the line of the lock file that says where its holder answers."""
_MOST_SIGNED = 4_096
_LOOK = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_OPEN: set[int] = set()
"""Descriptors of lock files: a child that is forked off would hold what they hold."""


def _let_go_in_child() -> None:
    for fd in _OPEN:
        with contextlib.suppress(OSError):
            os.close(fd)
    _OPEN.clear()


os.register_at_fork(after_in_child=_let_go_in_child)


@contextlib.contextmanager
def hold(root: Path, purpose: str = "") -> Iterator[Path]:
    """Hold the workspace at `root` and yield its folder `.memory`, made if absent.

    `purpose` is a word for people: what it is held for, if not for a daemon. Raises `Busy`,
    naming the holder's pid, while another process (or another object of this one) holds it, and
    `StorageError` where it cannot be locked.
    """
    with held(root, purpose) as mine:
        yield mine.folder


@dataclass(frozen=True, slots=True)
class Identity:
    """Which file a name meant."""

    name: str
    device: int
    inode: int


@dataclass(frozen=True, slots=True)
class Held:
    """A workspace that we hold."""

    folder: Path
    _fd: int
    _root: tuple[int, int]
    """Device and inode of the workspace."""

    def answers_at(self, socket: str) -> None:
        """Note in the lock file, if there is room, where the holder can be asked how it is."""
        with contextlib.suppress(OSError):
            _sign(self._fd, socket=socket)

    def identify(self, name: str) -> "Identity":
        """Return what tells a file of the folder from another one that takes its name.

        Raises `StorageError` where it cannot be seen.
        """
        try:
            return self._identified(name)
        except OSError as error:
            raise _unusable(self.folder / name, error) from None

    def _identified(self, name: str) -> "Identity":
        return Identity(name, *_identity(self.folder / name))

    def has_lost(self, file: "Identity | None") -> bool:
        """Say whether another file, or none, has the name of `file` by now."""
        if file is None or self.is_away():
            return False
        try:
            return self._identified(file.name) != file
        except FileNotFoundError:
            return True
        except OSError:
            return False

    def is_lost(self) -> bool:
        """Say whether the lock file was deleted or replaced, so that others might lock it too.

        While the whole workspace is away nothing is lost.
        """
        if self.is_away():
            return False
        try:
            return not _same_file(self._fd, self.folder / _LOCK)
        except OSError:  # a disk in trouble: nobody else can lock there either
            return False

    def is_away(self) -> bool:
        """Say whether the workspace is unmounted or renamed: another folder may have its name.

        One that has a lock file of its own is a copy that a person put there: the workspace.
        """
        try:
            is_other = _identity(self.folder.parent) != self._root
            return is_other and not (self.folder / _LOCK).exists()
        except OSError:
            return True


@contextlib.contextmanager
def held(root: Path, purpose: str = "") -> Iterator[Held]:
    """Hold the workspace as `hold` does, and yield what tells whether it still is held."""
    folder = prepare(root)
    with _ours(_acquire(root, folder / _LOCK, purpose)) as fd, untouchable.kept(folder):
        yield Held(folder, fd, _root_identity(root))


@contextlib.contextmanager
def _ours(fd: int) -> Iterator[int]:
    """Unlock and close at the end, in the process that began; a forked child did so already."""
    pid = os.getpid()
    try:
        yield fd
    finally:
        if os.getpid() == pid:
            _close(fd)


def _open(path: Path, flags: int) -> int:
    fd = os.open(path, flags, 0o600)
    _OPEN.add(fd)
    return fd


def _close(fd: int) -> None:
    """Unlock and close, in this order: what a child has inherited would keep the lock else."""
    _OPEN.discard(fd)
    with contextlib.suppress(OSError):
        fcntl.flock(fd, fcntl.LOCK_UN)
    os.close(fd)


def _root_identity(root: Path) -> tuple[int, int]:
    try:
        return _identity(root)
    except OSError as error:  # it is being deleted
        raise _unusable(root, error) from None


@contextlib.contextmanager
def borrowed(root: Path, purpose: str = "") -> Iterator[bool]:
    """Hold the workspace for a look, making nothing; yield whether we hold it.

    False: another process does. Where nobody ever held it there is nothing to hold: True.
    """
    try:
        opened = _open(root / FOLDER / _LOCK, _LOOK)
    except OSError:
        yield not (root / FOLDER / _LOCK).exists()
        return
    with _ours(opened) as fd:
        is_ours = _locked(fd)
        if is_ours:
            _sign_over(root, purpose)
        with untouchable.kept(root / FOLDER):
            yield is_ours


def _sign_over(root: Path, purpose: str) -> None:
    """Name ourselves in the lock file that we hold, if it can be written, not who held it last."""
    with contextlib.suppress(OSError):
        fd = os.open(root / FOLDER / _LOCK, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            _sign(fd, purpose)
        finally:
            os.close(fd)


def holder(root: Path) -> int | None:
    """Return the pid of the process that holds the workspace, 0 if it is not known, None: nobody.

    Of the lock file that stands there now: who holds one that was deleted holds nothing.
    """
    said = _said_by_holder(root)
    return None if said is None else _pid(said)


def purpose_of_holder(root: Path) -> str:
    """Return what the workspace is held for; empty: for a daemon, or nobody holds it."""
    return _purpose(_said_by_holder(root) or "")


def socket_of_holder(root: Path) -> str:
    """Return where the daemon that holds the workspace answers; empty: no daemon, or not yet."""
    lines = (_said_by_holder(root) or "").splitlines()
    return next((line.removeprefix(_SOCKET) for line in lines if line.startswith(_SOCKET)), "")


def refuse_if_held(root: Path) -> None:
    """Raise `Busy`, as `hold` does, while anybody holds the workspace; nothing is written."""
    said = _said_by_holder(root)
    if said is not None:
        raise _busy(root, said)


def _said_by_holder(root: Path) -> str | None:
    """Return what stands in the lock file while somebody holds it."""
    try:
        fd = _open(root / FOLDER / _LOCK, _LOOK)
    except OSError:
        return None
    with _ours(fd):
        return None if _try(fd, fcntl.LOCK_SH) else _read(fd)


def _identity(path: Path) -> tuple[int, int]:
    info = path.stat()
    return info.st_dev, info.st_ino


def _locked(fd: int) -> bool:
    """Lock a file for ourselves, past those who only look; false if somebody holds it."""
    end = time.monotonic() + _LOOK_SECONDS
    while not _try(fd, fcntl.LOCK_EX):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def _try(fd: int, kind: int) -> bool:
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def prepare(root: Path) -> Path:
    """Make `.memory` (0700, invisible to git) below an existing `root` and return its path."""
    folder = root / FOLDER
    try:
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        _refuse_strange(folder)
        if folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
        _make_writable(folder)
        with contextlib.suppress(FileExistsError), (folder / ".gitignore").open("x") as file:
            file.write("*\n")
    except OSError as error:
        raise _unusable(folder, error) from None
    return folder


def _refuse_strange(folder: Path) -> None:
    """Refuse a folder that is a link, or holds what leads elsewhere or waits: agents write here."""
    if not stat.S_ISDIR(folder.lstat().st_mode):
        raise _strange(folder)
    for name in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError):
            if stat.S_IFMT((folder / name).lstat().st_mode) in _STRANGE:
                raise _strange(folder / name)


def _make_writable(folder: Path) -> None:
    """Allow ourselves to write our own files again: a copy from a read-only place is read-only."""
    for path in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):
            found = path.lstat()
            ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()
            if ours and found.st_mode & 0o600 != 0o600:
                path.chmod(stat.S_IMODE(found.st_mode) | 0o600)


def _strange(path: Path) -> StorageError:
    return StorageError(
        f"{path}: is a link, a pipe or a device; what hippod keeps for itself is not written there",
        "remove it; what is derived is made anew",
    )


def _acquire(root: Path, path: Path, purpose: str) -> int:
    for _ in range(_TRIES):
        try:
            fd = _open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as error:
            raise _unusable(path, error) from None
        try:
            if not _locked(fd):
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)  # says why not
            # Somebody may have removed the file in between: then we hold a lock on nothing.
            if _same_file(fd, path):
                _sign(fd, purpose)
                return fd
        except OSError as error:
            said = _read(fd)
            _close(fd)
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                raise _busy(root, said) from None
            raise _unusable(path, error) from None
        _close(fd)
    raise StorageError(f"{path}: the lock file keeps disappearing", "find out what removes it")


def _sign(fd: int, purpose: str = "", socket: str = "") -> None:
    started = datetime.now(UTC).isoformat(timespec="seconds")
    lines = [f"pid {os.getpid()} {purpose}".rstrip(), f"started {started}"]
    lines += [f"{_SOCKET}{socket}"] if socket else []
    os.ftruncate(fd, 0)
    os.pwrite(fd, "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"), 0)


def _busy(root: Path, said: str) -> Busy:
    return Busy(
        f"{root}: another hippod holds this workspace{_holder(said)}",
        "stop it (hippod stop), or talk to it: hippod status, hippod.Client",
    )


def _holder(said: str) -> str:
    purpose = _purpose(said)
    told = f"pid {_pid(said)}, {purpose}" if purpose else f"pid {_pid(said)}"
    return f" ({told})" if _pid(said) else ""


def _purpose(said: str) -> str:
    word = " ".join(said.partition("\n")[0].split()[2:3])
    return word if word.isalpha() else ""


def _read(fd: int) -> str:
    return os.pread(fd, _MOST_SIGNED, 0).decode(errors="surrogateescape")


def _pid(said: str) -> int:
    words = said.split()
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0


def _same_file(fd: int, path: Path) -> bool:
    try:
        there = path.stat()
    except FileNotFoundError:
        return False
    held = os.fstat(fd)
    return (there.st_dev, there.st_ino) == (held.st_dev, held.st_ino)


def _unusable(path: Path, error: OSError) -> StorageError:
    hints = {
        errno.ENOENT: "make the workspace first: hippod init",
        errno.ENOLCK: "the filesystem has no locks; keep the workspace on a local disk",
    }
    hint = hints.get(error.errno or 0, "check owner, mode and free space")
    return StorageError(f"{path}: {error.strerror}", hint)
