"""A workspace as one archive: its files as they stand, and a consistent copy of its state.

The state is copied first. Logs may then be ahead of it, which repeats work and doubles nothing;
state that is ahead of the logs would lose facts.
"""

import contextlib
import hashlib
import os
import secrets
import stat
import threading
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from hippod import __version__, archive, documents, forgotten
from hippod.archive import File, Folder, LeftOut, Manifest
from hippod.errors import Busy, Conflict, StorageError

Identity = tuple[int, int, int, int]
"""Device, inode, size and time of change: what a file takes along when it moves."""
Copy = Callable[[Path], int]
"""Copies the state to a new file and returns its schema."""
COPY_NAME: Final = "state.sqlite.copy-"
"""What the copy is called while it is read; `forget` deletes one that a killed run left."""
AT_ONCE = 4_000_000
"""Bytes of a file that are held in memory: up to here a change is noticed before they are sent."""
_PIECE = 1 << 18
_TRIES = 3
_ROUNDS = 4
"""How often the workspace is walked at most; once more than needed if nothing moves."""
_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class Backups:
    """Makes backups of a workspace, one at a time. Thread-safe.

    `copy_state` is None where there is no state. `moment` is odd while something is being
    forgotten, and another number once it was.
    """

    def __init__(
        self, root: Path, copy_state: Copy | None, moment: Callable[[], int] = lambda: 0
    ) -> None:
        self._root = root
        self._copy_state = copy_state
        self._moment = moment
        self._lock = threading.Lock()
        self.whole: Callable[[], None] = lambda: None
        """Called once all of a backup was read."""

    def begin(self) -> "Backup":
        """Copy the state and return the backup, which its owner closes.

        Raises `Busy` while another one is made or something is forgotten, and `StorageError`.
        """
        if not self._lock.acquire(blocking=False):
            raise Busy("a backup is being made already", "wait until it is done")
        try:
            made = Backup(self._root, self._copy_state, self._moment, self._lock.release)
            made.whole = self.whole
            return made
        except BaseException:
            self._lock.release()
            raise


@dataclass(slots=True)
class Draft:
    """What the manifest will say; `members` counts what was sent so far."""

    members: int = 0
    state: File | None = None
    files: list[File] = field(default_factory=list)
    folders: dict[str, Folder] = field(default_factory=dict)
    left_out: dict[str, LeftOut] = field(default_factory=dict)
    changing: list[str] = field(default_factory=list)
    torn: list[int] = field(default_factory=list)
    seen: dict[str, Identity] = field(default_factory=dict)
    """The files in it by path, as they were when they were read."""

    def has(self, path: str) -> bool:
        """Say whether a path was dealt with."""
        return path in self.seen or path in self.left_out

    def keep(self, path: str, size: int, digest: str, info: os.stat_result) -> None:
        """Note that the member just sent counts."""
        mode, mtime = info.st_mode & 0o777, max(0, info.st_mtime_ns)
        self.files.append(File(path, size, digest, mode, mtime, self.members - 1))
        self.seen[path] = _identity(info)

    def leave_out(self, path: str, reason: str, *, lost: bool = False) -> None:
        """Note what is not in it."""
        self.left_out[path] = LeftOut(path, reason, lost)

    def drop(self, path: str) -> None:
        """Let a file not count any more: it moved, and is in it once more where it went."""
        self.torn += [each.member for each in self.files if each.path == path]
        self.files = [each for each in self.files if each.path != path]

    def manifest(self, root: Path, made: datetime, schema: int) -> Manifest:
        """Return what the archive ends with."""
        return Manifest(
            version=__version__,
            made=made.isoformat(timespec="seconds"),
            workspace=str(root),
            files=tuple(self.files),
            state=self.state,
            schema=schema,
            folders=tuple(self.folders.values()),
            left_out=tuple(self.left_out.values()),
            changing=tuple(self.changing),
            torn=tuple(self.torn),
        )


class Backup:
    """One backup while it is made: iterate over it once for the bytes of a tar, then close it."""

    def __init__(
        self,
        root: Path,
        copy_state: Copy | None,
        moment: Callable[[], int],
        ended: Callable[[], None],
    ) -> None:
        self._root = root
        self._ended = ended
        self._moment = moment
        self._began = moment()
        if self._began % 2:
            raise Busy("something is being forgotten", "make the backup in a moment")
        self.draft = Draft()
        self._made = datetime.now(UTC)
        self._state: int | None = None
        self._schema = 0
        self.files: int | None = None
        """Files in it, once it is complete."""
        self.left_out = 0
        self.whole: Callable[[], None] = lambda: None
        self._fd = _opened(root)
        self._tombstones = self._look_at_tombstones()
        try:
            if copy_state is not None:
                self._state, self._schema = _copied(root / archive.DERIVED, copy_state)
        except BaseException:
            os.close(self._fd)
            raise

    def close(self) -> None:
        """Let go of everything, however far it came."""
        if self._fd < 0:
            return
        os.close(self._fd)
        self._fd = -1
        if self._state is not None:
            os.close(self._state)
        self._ended()

    def __iter__(self) -> Iterator[bytes]:
        """Yield the archive in pieces of about 256 KiB.

        Raises `StorageError`, and `Conflict` if something was forgotten meanwhile: the copy of the
        state still says it.
        """
        held: list[bytes] = []
        size = 0
        for piece in self._pieces():
            held.append(piece)
            size += len(piece)
            if size >= _PIECE:
                yield b"".join(held)
                held, size = [], 0
        yield b"".join(held)
        self.files, self.left_out = len(self.draft.files), len(self.draft.left_out)
        self.whole()
        self.close()  # who has read the end may begin another one

    def _pieces(self) -> Iterator[bytes]:
        yield archive.first()
        self.draft.members += 1
        yield from self._state_file()
        for _ in range(_ROUNDS):
            members = self.draft.members
            yield from self._workspace()
            if self.draft.members == members:
                break
        self._drop_moved()
        if self._moment() != self._began or self._look_at_tombstones() != self._tombstones:
            raise Conflict("something was forgotten while the backup was made", "make it again")
        yield archive.last(self.draft.manifest(self._root, self._made, self._schema))

    def _look_at_tombstones(self) -> tuple[int, int, int] | None:
        try:
            info = os.stat(forgotten.PATH, dir_fd=self._fd)
        except OSError:
            return None
        return info.st_ino, info.st_size, info.st_mtime_ns

    # -- the state ---------------------------------------------------------------------------

    def _state_file(self) -> Iterator[bytes]:
        if self._state is None:
            return
        info = os.fstat(self._state)
        digest = yield from self._streamed(archive.STATE, self._state, info)
        if not digest:
            raise StorageError(f"{self._root}: the copy of the state cannot be read")
        number = self.draft.members - 1
        self.draft.state = File(archive.STATE, info.st_size, digest, 0o600, 0, number)

    # -- the files ---------------------------------------------------------------------------

    def _workspace(self) -> Iterator[bytes]:
        """Yield the regular files below the workspace but what is derived, in order.

        Only those that were not there before: what moves from a folder that is still to come to
        one that was read already is found by walking again.
        """
        for path, names, files, folder in os.fwalk(
            ".", dir_fd=self._fd, onerror=self._unlisted, follow_symlinks=False
        ):
            prefix = path[2:] + "/" if path != "." else ""
            self._note_folder(prefix.rstrip("/"), folder)
            if not prefix:
                names[:] = [name for name in names if name != archive.DERIVED]
            names.sort()
            self._note_links(names, prefix, folder)
            for name in sorted(files):
                if not self.draft.has(prefix + name):
                    yield from self._file(prefix + name, name, folder)

    def _drop_moved(self) -> None:
        """Let each file that moved after it was read count where it is now alone."""
        last = {identity: path for path, identity in self.draft.seen.items()}
        for path, identity in self.draft.seen.items():
            if last[identity] != path and not self._is_there(path):
                self.draft.drop(path)

    def _is_there(self, path: str) -> bool:
        try:
            os.stat(path, dir_fd=self._fd, follow_symlinks=False)
        except OSError:
            return False
        return True

    def _unlisted(self, error: OSError) -> None:
        path = os.fsdecode(error.filename or "").removeprefix("./")
        if path in ("", "."):
            raise StorageError(
                f"{self._root}: {error.strerror}", "check owner and mode of the workspace"
            ) from None
        if not isinstance(error, FileNotFoundError):
            self.draft.leave_out(path, str(error.strerror), lost=True)

    def _note_folder(self, path: str, folder: int) -> None:
        self.draft.folders[path] = Folder(path, stat.S_IMODE(os.fstat(folder).st_mode))

    def _note_links(self, names: list[str], prefix: str, folder: int) -> None:
        for name in names:
            target = _link_target(name, folder)
            if target is not None:
                self.draft.leave_out(prefix + name, f"a link to {target}")

    def _file(self, path: str, name: str, folder: int) -> Iterator[bytes]:
        """Yield a file, again if it changed while it was read: as it was at one moment."""
        for again in reversed(range(_TRIES)):
            try:
                fd = self._opened(path, name, folder)
            except FileNotFoundError:
                return
            except OSError as error:
                self.draft.leave_out(path, error.strerror or "cannot be read", lost=True)
                return
            if fd is None:
                return
            try:
                is_whole = yield from self._tried(path, fd, is_last=not again)
            except OSError as error:
                self.draft.leave_out(path, error.strerror or "cannot be read", lost=True)
                return
            finally:
                os.close(fd)
            if is_whole:
                return

    def _opened(self, path: str, name: str, folder: int) -> int | None:
        """Open a regular file; None, and a note of it, for anything else."""
        info = os.stat(name, dir_fd=folder, follow_symlinks=False)
        why = _not_a_file(info)
        if stat.S_ISLNK(info.st_mode):
            why = f"a link to {_link_target(name, folder)}"
        why = why or self._derived(info)
        if why:
            self.draft.leave_out(path, why)
            return None
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        return os.open(name, flags, dir_fd=folder)

    def _derived(self, info: os.stat_result) -> str:
        """Say of which file of `.memory` this is another name.

        SQLite holds them: to close any descriptor of one drops the locks of the process on it.
        """
        if info.st_nlink < 2:
            return ""
        with contextlib.suppress(OSError):
            for each in (self._root / archive.DERIVED).iterdir():
                if os.path.samestat(info, each.lstat()):
                    return f"a hard link to {archive.DERIVED}/{documents.printable(each.name)}"
        return ""

    def _tried(self, path: str, fd: int, *, is_last: bool) -> Generator[bytes, None, bool]:
        """Yield an open file; return whether there is no need to try again."""
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):  # replaced since we looked
            return False
        if info.st_size > AT_ONCE:
            return (yield from self._large(path, fd, info, is_last=is_last))
        data = _read(fd, info.st_size)
        is_whole = len(data) == info.st_size and _unchanged(fd, info)
        if is_whole or is_last:
            yield _head(archive.WORKSPACE + path, len(data), info)
            yield data
            yield archive.padding(len(data))
            self.draft.members += 1
            self.draft.keep(path, len(data), hashlib.sha256(data).hexdigest(), info)
            self.draft.changing += [] if is_whole else [path]
        return is_whole

    def _large(
        self, path: str, fd: int, info: os.stat_result, *, is_last: bool
    ) -> Generator[bytes, None, bool]:
        """Yield a file that is sent before it is known whether it changed meanwhile."""
        digest = yield from self._streamed(archive.WORKSPACE + path, fd, info)
        is_whole = bool(digest) and _unchanged(fd, info)
        if digest and (is_whole or is_last):
            self.draft.keep(path, info.st_size, digest, info)
            self.draft.changing += [] if is_whole else [path]
            return True
        self.draft.torn.append(self.draft.members - 1)
        if not digest:
            self.draft.leave_out(path, "cannot be read to its end", lost=True)
        return not digest

    def _streamed(self, name: str, fd: int, info: os.stat_result) -> Generator[bytes, None, str]:
        """Yield a member of exactly the size that it had.

        Return its hash, empty if it could not be read to its end: it is filled up then.
        """
        digest, left, is_read = hashlib.sha256(), info.st_size, True
        yield _head(name, left, info)
        while left:
            piece = _piece(fd, left) if is_read else None
            is_read = piece is not None
            piece = piece or bytes(min(left, _PIECE))
            digest.update(piece)
            left -= len(piece)
            yield piece
        yield archive.padding(info.st_size)
        self.draft.members += 1
        return digest.hexdigest() if is_read else ""


def _opened(root: Path) -> int:
    try:
        return os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise StorageError(f"{root}: {error.strerror}", "check that it is there") from None


def _copied(folder: Path, copy_state: Copy) -> tuple[int, int]:
    """Return an open copy of the state, whose name is gone already, and its schema."""
    for left in folder.glob(f"{COPY_NAME}*"):
        left.unlink(missing_ok=True)
    path = folder / f"{COPY_NAME}{secrets.token_hex(8)}"
    try:
        schema = copy_state(path)
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), schema
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}", "check owner, mode and space") from None
    finally:
        path.unlink(missing_ok=True)


def _identity(info: os.stat_result) -> Identity:
    return info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns


def _head(name: str, size: int, info: os.stat_result) -> bytes:
    return archive.head(name, size, mode=info.st_mode & 0o777, mtime=info.st_mtime)


def _piece(fd: int, left: int) -> bytes | None:
    """Read on: nothing where the file has lost its end, None where the disk fails."""
    try:
        return os.read(fd, min(left, _PIECE))
    except OSError:
        return None


def _read(fd: int, size: int) -> bytes:
    pieces = []
    while size and (piece := os.read(fd, size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _unchanged(fd: int, before: os.stat_result) -> bool:
    now = os.fstat(fd)
    return (now.st_size, now.st_mtime_ns) == (before.st_size, before.st_mtime_ns)


def _not_a_file(info: os.stat_result) -> str:
    # macOS marks files whose content is only in the cloud; reading would download or hang.
    if getattr(info, "st_flags", 0) & 0x40000000:
        return "not downloaded"
    return "" if stat.S_ISREG(info.st_mode) else _KINDS.get(stat.S_IFMT(info.st_mode), "no file")


def _link_target(name: str, folder: int) -> str | None:
    try:
        return documents.printable(os.readlink(name, dir_fd=folder))
    except OSError:
        return None
