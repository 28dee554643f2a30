"""A workspace out of a backup: checked, unpacked beside its place, and only then put there.

The one writer of documents beside `Workspace`: it writes a new folder that nobody uses yet.
"""

import contextlib
import errno
import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from hippod import archive, lock, private, publishing
from hippod.archive import File, Manifest
from hippod.errors import Busy, Conflict, HippodError, InvalidInput, NotFound, StorageError
from hippod.state import snapshot

_PART: Final = ".restoring"
_SPARE = 16_000_000
"""Bytes that are to stay free on the disk."""
_BLOCK = 4096


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did, or with `dry_run` would do; `aside` is where the former folder is."""

    manifest: Manifest
    target: Path
    aside: Path | None


def restore(
    file: Path,
    target: Path,
    *,
    replace: bool = False,
    dry_run: bool = False,
    now: datetime | None = None,
) -> Restored:
    """Check a backup and make it the workspace at `target`, which must be absent or empty.

    `replace` moves what stands there aside, whatever it is. Raises `HippodError` with the target
    as it was; `Busy` while a daemon uses it.
    """
    manifest = archive.verify(file)
    target = Path(os.path.realpath(target))
    if target == target.parent:
        raise InvalidInput(f"{target}: is the root of the file system", "name a folder below it")
    _refuse_inside_another(target)
    with _kept_for_us(target):
        aside = _aside(target, now or datetime.now(UTC)) if _is_taken(target) else None
        if aside and not replace:
            raise Conflict(
                f"{target}: is not empty",
                "restore beside it by --into, or use --replace, which moves it aside",
            )
        _check_room(target, manifest)
        if not dry_run:
            _put(file, manifest, target, aside)
    return Restored(manifest, target, aside)


@contextlib.contextmanager
def _kept_for_us(target: Path) -> Iterator[None]:
    """Keep daemons away from a workspace that stands there already."""
    if not (target / lock.FOLDER).is_dir():
        yield
        return
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(lock.hold(target, "restore"))
        except Busy as busy:
            raise Busy(
                busy.message, "stop it first: hippod stop; a service: hippod service stop"
            ) from None
        yield


def _refuse_inside_another(target: Path) -> None:
    """Raise `InvalidInput` for a place whose documents another workspace would take for its own."""
    for each in target.parents:
        if any((each / lock.FOLDER / name).exists() for name in ("lock", archive.STATE)):
            raise InvalidInput(f"{target}: lies in the workspace {each}", "name a place outside")


def _is_taken(target: Path) -> bool:
    try:
        return any(target.iterdir())
    except FileNotFoundError:
        return False
    except NotADirectoryError:
        return True
    except OSError as error:
        raise StorageError(f"{target}: {error.strerror}", "check owner and mode") from None


def _aside(target: Path, now: datetime) -> Path:
    name = f"{publishing.stem(target)}.replaced-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    place = target.with_name(name)
    if os.path.lexists(place):
        raise Conflict(f"{place}: exists already", "wait a second, then try again")
    return place


def _check_room(target: Path, manifest: Manifest) -> None:
    parent = next((each for each in target.parents if each.is_dir()), None)
    if parent is None:
        raise NotFound(f"{target.parent}: no such folder")
    needed = manifest.total_bytes + _BLOCK * (len(manifest.files) + len(manifest.folders)) + _SPARE
    free = shutil.disk_usage(parent).free
    if free < needed:
        raise StorageError(
            f"{parent}: the backup takes up to {needed} bytes, {free} are free", "free some space"
        )


def _put(file: Path, manifest: Manifest, target: Path, aside: Path | None) -> None:
    """Unpack beside the target, then give each folder its name."""
    with _told(target):
        private.make_folder(target.parent)
        for left in publishing.sweep(target, _PART):
            _remove(left)
        temp = publishing.temp_path(target, _PART)
        temp.mkdir(mode=0o700)
        fd = os.open(temp, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)  # so that another run leaves it alone
            _unpack(file, manifest, temp, target)
            os.sync()  # once for all: a sync for each of many files would take minutes
            _name(temp, target, aside)
        finally:
            os.close(fd)
            if temp.exists():
                _remove(temp)


def _name(temp: Path, target: Path, aside: Path | None) -> None:
    if aside is not None:
        target.rename(aside)
    try:
        temp.rename(target)
    except OSError:
        if aside is not None:
            aside.rename(target)
        raise
    folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


# -- unpacking -------------------------------------------------------------------------------


def _unpack(file: Path, manifest: Manifest, temp: Path, target: Path) -> None:
    """Write what the manifest names, each byte compared once more."""
    archive.check_paths(manifest)  # it decides where is written
    for folder in manifest.folders:
        private.make_folder(temp / folder.path)
    told = {each.member: temp / each.path for each in manifest.files}
    files = {each.member: each for each in manifest.files}
    if manifest.state is not None:
        files[manifest.state.member] = manifest.state
        told[manifest.state.member] = lock.prepare(temp) / archive.STATE
    for member in archive.members(file):
        each = files.pop(member.number, None)
        if each is not None:
            _write(told[member.number], each, member)
    if files:
        raise HippodError(f"{file}: changed while it was read", "try again")
    if manifest.state is not None:
        snapshot.settle(temp / archive.DERIVED / archive.STATE, manifest.workspace, str(target))
    for folder in reversed(manifest.folders):  # last: one may not be writable
        (temp / folder.path).chmod(folder.mode & 0o777)


def _write(place: Path, each: File, member: archive.Member) -> None:
    if member.size != each.size:
        raise HippodError(f"{each.path}: changed while it was read", "try again")
    private.make_folder(place.parent)
    digest = hashlib.sha256()
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(place, flags, 0o600), "wb") as out:
        for piece in member.pieces:
            digest.update(piece)
            out.write(piece)
        os.fchmod(out.fileno(), each.mode & 0o777)
    if digest.hexdigest() != each.sha256:
        raise HippodError(f"{each.path}: changed while it was read", "try again")
    os.utime(place, ns=(each.mtime_ns, each.mtime_ns))


def _remove(folder: Path) -> None:
    """Delete what was only half restored, folders without write permission too."""
    for path, _, _ in os.walk(folder):
        with contextlib.suppress(OSError):
            Path(path).chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


_REASONS = {
    errno.EBUSY: "is a place where something is mounted",
    errno.EXDEV: "is another filesystem than its parent",
    errno.EEXIST: "takes two names of the backup for one",
}


@contextlib.contextmanager
def _told(target: Path) -> Iterator[None]:
    """Turn what the system says into one line."""
    try:
        yield
    except (ValueError, EOFError) as error:
        raise HippodError(f"{target}: not restored: {error}", "try again") from None
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, error.strerror or str(error))
        where = error.filename or target
        hint = "check owner, mode and space, or restore elsewhere by --into"
        raise StorageError(f"{os.fsdecode(where)}: {reason}", hint) from None
