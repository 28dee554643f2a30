"""The archive of a backup: a gzipped tar with a manifest, read as if an enemy had written it.

Its members are, in this order, `hippod-backup.json` (the format), `state.sqlite` if there is
one, the workspace's regular files below `workspace/`, and `manifest.json`, which says of each
what it must be. A file that changed while it was read is there once more; the manifest tells
which one counts. `tar` unpacks it too.
"""

import contextlib
import fcntl
import gzip
import hashlib
import json
import os
import re
import secrets
import tarfile
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from hippod.errors import Conflict, HippodError, InvalidInput, StorageError

FORMAT: Final = 1
HEADER, STATE, MANIFEST = "hippod-backup.json", "state.sqlite", "manifest.json"
WORKSPACE = "workspace/"
DERIVED = ".memory"
"""The folder of a workspace of which nothing but the state is in a backup."""
_LONGEST_PATH = 4096
_LONGEST_PART = 255
_LONGEST_EXTENSION = 65_536
"""Bytes of a tar's extended header, where a long name stands."""
_LONGEST_MANIFEST = 256_000_000
_PIECE = 1 << 18
_SPEED = 6
_PART = ".part"


@dataclass(frozen=True, slots=True)
class File:
    """A file of a backup: `member` counts the archive's members from 0."""

    path: str
    size: int
    sha256: str
    mode: int
    mtime_ns: int
    member: int


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder; the path of the workspace itself is empty."""

    path: str
    mode: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What is not in a backup, and why; `lost`: a file that could not be read."""

    path: str
    reason: str
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup holds.

    `made` is an ISO time, `workspace` where the folder lay, `schema` the version of the state.
    `changing` are files that were written to all the while: as of one of those moments. `torn`
    are members that do not count.
    """

    version: str
    made: str
    workspace: str
    files: tuple[File, ...]
    state: File | None = None
    schema: int = 0
    folders: tuple[Folder, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    changing: tuple[str, ...] = ()
    torn: tuple[int, ...] = ()
    format: int = FORMAT

    @property
    def total_bytes(self) -> int:
        """What all files take."""
        return sum(each.size for each in self.files) + (self.state.size if self.state else 0)

    def encode(self) -> bytes:
        """Return it as JSON; names that are not UTF-8 stand as lone surrogates."""
        return json.dumps(asdict(self)).encode("ascii")


@dataclass(frozen=True, slots=True)
class Member:
    """One member while it is read; its bytes must be taken before the next one is asked for."""

    number: int
    name: str
    size: int
    pieces: Iterator[bytes] = field(repr=False)


# -- writing ---------------------------------------------------------------------------------


def head(name: str, size: int, *, mode: int = 0o600, mtime: float = 0) -> bytes:
    """Return what stands in front of a member's bytes."""
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = size, mode, max(0, int(mtime))
    return info.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape")


def padding(size: int) -> bytes:
    """Return what fills the last block of a member."""
    return bytes(-size % tarfile.BLOCKSIZE)


def whole(name: str, data: bytes) -> bytes:
    """Return a member that is at hand."""
    return head(name, len(data)) + data + padding(len(data))


def first() -> bytes:
    """Return the member that an archive begins with."""
    return whole(HEADER, json.dumps({"hippod-backup": FORMAT}).encode())


def last(manifest: Manifest) -> bytes:
    """Return what an archive ends with: without it nothing before counts."""
    return whole(MANIFEST, manifest.encode()) + bytes(2 * tarfile.BLOCKSIZE)


def save(pieces: Iterable[bytes], target: Path, *, force: bool = False) -> Manifest:
    """Write an archive (mode 0600), read it back, and only then give it its name.

    Raises `Conflict` if something stands there and not `force`, `StorageError` for the disk,
    and whatever is wrong with what came; nothing is left then, and what stood there stays.
    """
    with _written(target, force=force) as (temp, file):
        _compress(pieces, file)
        _flush(file)
        return _came_whole(temp, target)


def save_plain(pieces: Iterable[bytes], target: Path, *, force: bool = False) -> int:
    """Write pieces as they are and give the file (mode 0600) its name once all came; count them.

    Raises as `save`.
    """
    count = 0
    with _written(target, force=force) as (_, file):
        for piece in pieces:
            file.write(piece)
            count += 1
        _flush(file)
    return count


@contextlib.contextmanager
def _written(target: Path, *, force: bool) -> Iterator[tuple[Path, BinaryIO]]:
    """Yield a new file beside `target`, which becomes it at the end; none is left else."""
    check_target(target, force=force)
    sweep(target, _PART)
    with _reading_disk(target):
        temp, fd = _temp(target)
        try:
            with os.fdopen(fd, "wb") as file:
                yield temp, file
                _publish(temp, target, force=force)
        finally:
            temp.unlink(missing_ok=True)


def _flush(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def summary(manifest: Manifest, file: Path) -> dict[str, Any]:
    """Return what people are told of a backup."""
    return {
        "file": str(file),
        "bytes": file.stat().st_size,
        "made": manifest.made,
        "version": manifest.version,
        "workspace": manifest.workspace,
        "files": len(manifest.files),
        "content_bytes": manifest.total_bytes,
        "state": manifest.state is not None,
        "left_out": [asdict(each) for each in manifest.left_out],
        "changing": list(manifest.changing),
    }


def refuse_inside(target: Path, root: Path) -> None:
    """Raise `InvalidInput` for a backup that would lie in what it is of."""
    if Path(os.path.realpath(target)).is_relative_to(os.path.realpath(root)):
        raise InvalidInput(
            f"{target}: lies in the workspace itself", "put the backup elsewhere, best another disk"
        )


def check_target(target: Path, *, force: bool) -> None:
    """Raise `Conflict` if something stands at `target` that is not to be written over."""
    if not os.path.lexists(target):
        return
    if not target.is_file() or target.is_symlink():
        raise Conflict(f"{target}: is there and no regular file", "name another file")
    if not force:
        raise Conflict(f"{target}: exists already", "name another file, or use --force")


def sweep(target: Path, ending: str) -> list[Path]:
    """Return what runs that were killed left beside `target`; files are removed at once.

    What is locked belongs to a run that still works.
    """
    left = []
    with contextlib.suppress(OSError):
        for path in sorted(target.parent.iterdir()):
            if re.fullmatch(rf"\.{re.escape(target.name)}\.[0-9a-f]{{16}}{ending}", path.name):
                left += [path] if _is_abandoned(path) else []
    for path in left:
        if path.is_file():
            path.unlink(missing_ok=True)
    return left


def temp_path(target: Path, ending: str) -> Path:
    """Return an unused name beside `target`."""
    return target.with_name(f".{target.name}.{secrets.token_hex(8)}{ending}")


def _temp(target: Path) -> tuple[Path, int]:
    temp = temp_path(target, _PART)
    fd = os.open(temp, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return temp, fd


def _is_abandoned(path: Path) -> bool:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(fd)
    return True


def _compress(pieces: Iterable[bytes], file: BinaryIO) -> None:
    with gzip.GzipFile("", "wb", _SPEED, cast("gzip._WritableFileobj", file), mtime=0) as packed:
        for piece in pieces:
            packed.write(piece)


def _came_whole(temp: Path, target: Path) -> Manifest:
    try:
        return verify(temp)
    except StorageError:
        raise
    except HippodError as error:
        why = error.message.removeprefix(f"{temp}: ")
        raise HippodError(
            f"{target}: not written, the backup broke off: {why}",
            "look at the daemon's log, then make it again",
        ) from None


def _publish(temp: Path, target: Path, *, force: bool) -> None:
    if force:
        temp.replace(target)
    else:
        try:
            os.link(temp, target)
        except FileExistsError:
            raise Conflict(f"{target}: exists by now", "name another file") from None
        except OSError:  # no hard links there
            check_target(target, force=False)
            temp.replace(target)
    folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


# -- reading ---------------------------------------------------------------------------------


def verify(path: Path) -> Manifest:
    """Read a whole archive and compare every byte with its manifest; write nothing.

    Raises `HippodError` for one that is damaged, cut off, newer, or that could write outside of
    a folder.
    """
    found: list[tuple[str, int, str]] = []
    manifest: Manifest | None = None
    with _damage_told(path):
        for member in members(path):
            if manifest is not None:
                raise ValueError("something stands behind its manifest")
            if member.name == MANIFEST:
                manifest = _manifest(_taken(member, _LONGEST_MANIFEST))
                continue
            digest = hashlib.sha256()
            for piece in member.pieces:
                digest.update(piece)
            found.append((member.name, member.size, digest.hexdigest()))
        if manifest is None:
            raise ValueError("it has no manifest: it was cut off")
        _compare(manifest, found)
    return manifest


def members(path: Path) -> Iterator[Member]:
    """Yield what an archive is made of, without believing any of it.

    Raises `ValueError` and `OSError`: see `verify`.
    """
    with gzip.open(path, "rb") as packed:
        stream = cast("BinaryIO", packed)
        number = 0
        while (name_and_size := _next_head(stream)) is not None:
            name, size = name_and_size
            if not number and name != HEADER:
                raise ValueError("it does not begin as a backup of hippod")
            pieces = _body(stream, size)
            if not number:
                _check_format(b"".join(pieces))
            else:
                yield Member(number, name, size, pieces)
                for _ in pieces:
                    pass
            _exactly(stream, len(padding(size)))
            number += 1
        if stream.read(1):
            raise ValueError("something stands behind its end")
        if not number:
            raise ValueError("it is empty")


def _next_head(stream: BinaryIO) -> tuple[str, int] | None:
    """Read up to the bytes of the next member; None at the end. Nothing but files is let in."""
    block = _exactly(stream, tarfile.BLOCKSIZE)
    if not any(block):
        if any(_exactly(stream, tarfile.BLOCKSIZE)):
            raise ValueError("its end is damaged")
        return None
    info, extended = _info(block), {}
    if info.type == tarfile.XHDTYPE:
        if info.size > _LONGEST_EXTENSION:
            raise ValueError("a name in it is too long")
        extended = _extension(_exactly(stream, info.size))
        _exactly(stream, len(padding(info.size)))
        info = _info(_exactly(stream, tarfile.BLOCKSIZE))
    name = extended.get("path", info.name)
    if info.type not in (tarfile.REGTYPE, tarfile.AREGTYPE):
        raise ValueError(f"{name!a} in it is no regular file")
    size = int(extended.get("size", info.size))
    if size < 0:
        raise ValueError(f"{name!a} in it has a size below zero")
    return name, size


def _info(block: bytes) -> tarfile.TarInfo:
    try:
        info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError as error:
        raise ValueError(f"it is no tar: {error}") from None
    if info.size < 0:
        raise ValueError("a member of it has a size below zero")
    return info


_RECORD = re.compile(rb"([0-9]{1,6}) ([^=\n]{1,100})=")


def _extension(data: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    place = 0
    while place < len(data):
        match = _RECORD.match(data, place)
        if match is None or not match.end() <= place + int(match[1]) - 1 < len(data):
            raise ValueError("an extended header of it is damaged")
        end = place + int(match[1])
        key = match[2].decode("utf-8", "surrogateescape")
        if key.startswith("GNU."):
            raise ValueError("it holds a file with holes")
        found[key] = data[match.end() : end - 1].decode("utf-8", "surrogateescape")
        place = end
    return found


def _body(stream: BinaryIO, size: int) -> Iterator[bytes]:
    while size:
        piece = _exactly(stream, min(size, _PIECE))
        size -= len(piece)
        yield piece


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise ValueError("it was cut off")
    return data


def _taken(member: Member, most: int) -> bytes:
    if member.size > most:
        raise ValueError(f"{member.name} has {member.size} bytes")
    return b"".join(member.pieces)


def _check_format(data: bytes) -> None:
    try:
        found = json.loads(data)["hippod-backup"]
    except (ValueError, RecursionError, KeyError, TypeError):
        raise ValueError("it does not begin as a backup of hippod") from None
    if found != FORMAT:
        raise ValueError(f"it has format {found!a}, this hippod knows {FORMAT}")


def _compare(manifest: Manifest, found: Sequence[tuple[str, int, str]]) -> None:
    """Raise `ValueError` unless the members are what the manifest says, each once."""
    torn = set(manifest.torn)
    told = [*manifest.files, *([manifest.state] if manifest.state else [])]
    for each in told:
        name = each.path if each is manifest.state else WORKSPACE + each.path
        place = each.member - 1  # the first member is read before
        if not 0 <= place < len(found) or found[place] != (name, each.size, each.sha256):
            raise ValueError(f"{name!a} is not what its manifest says")
    counted = {each.member for each in told}
    every = set(range(1, len(found) + 1))
    if len(counted) != len(told) or counted & torn or counted | torn != every:
        raise ValueError("it holds members that its manifest does not name")
    check_paths(manifest)


def check_paths(manifest: Manifest) -> None:
    """Raise `ValueError` for names that leave a folder, or that cannot stand side by side."""
    files = {each.path for each in manifest.files}
    if len(files) < len(manifest.files):
        raise ValueError("it holds a file twice")
    for path in (*files, *(each.path for each in manifest.folders if each.path)):
        if fault := path_fault(path):
            raise ValueError(f"{path!a} in it {fault}")
        parts = path.split("/")
        above = ("/".join(parts[:count]) for count in range(1, len(parts)))
        if any(each in files for each in above):
            raise ValueError(f"{path!a} in it lies in a file")
    if any(each.path in files for each in manifest.folders):
        raise ValueError("it holds a file and a folder of one name")


def path_fault(path: str) -> str:
    """Say why a path may not be written below a folder; empty if it may."""
    if path.startswith("/"):
        return "is absolute"
    if "\0" in path:
        return "holds a NUL"
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts):
        return "leaves the workspace, or has an empty part"
    if unicodedata.normalize("NFKC", parts[0]).casefold() == DERIVED:
        return f"lies in {DERIVED}"
    try:
        sizes = [len(os.fsencode(part)) for part in parts]
    except UnicodeEncodeError:
        return "is no name of a file"
    if max(sizes) > _LONGEST_PART or sum(sizes) + len(sizes) > _LONGEST_PATH:
        return "is too long"
    return ""


# -- the manifest's JSON ---------------------------------------------------------------------


def _manifest(data: bytes) -> Manifest:
    try:
        found = json.loads(data)
        if found["format"] != FORMAT:
            raise ValueError(f"it has format {found['format']!a}, this hippod knows {FORMAT}")
        return Manifest(
            version=_text(found["version"]),
            made=_text(found["made"]),
            workspace=_text(found["workspace"]),
            files=tuple(map(_file, found["files"])),
            state=_file(found["state"]) if found["state"] else None,
            schema=_count(found["schema"]),
            folders=tuple(
                Folder(_text(each["path"]), _count(each["mode"])) for each in found["folders"]
            ),
            left_out=tuple(map(_left_out, found["left_out"])),
            changing=tuple(map(_text, found["changing"])),
            torn=tuple(map(_count, found["torn"])),
        )
    except (KeyError, TypeError, AttributeError, RecursionError, UnicodeDecodeError) as error:
        raise ValueError(f"its manifest cannot be read ({type(error).__name__})") from None


def _file(found: Mapping[str, Any]) -> File:
    return File(
        _text(found["path"]),
        _count(found["size"]),
        _text(found["sha256"]),
        _count(found["mode"]),
        _count(found["mtime_ns"]),
        _count(found["member"]),
    )


def _left_out(found: Mapping[str, Any]) -> LeftOut:
    return LeftOut(_text(found["path"]), _text(found["reason"]), bool(found["lost"]))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _count(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value < 2**62:
        raise TypeError
    return value


# -- errors ----------------------------------------------------------------------------------


@contextlib.contextmanager
def _damage_told(path: Path) -> Iterator[None]:
    """Turn what is wrong with an archive into one line about it."""
    try:
        yield
    except FileNotFoundError:
        raise InvalidInput(f"{path}: no such file", "name the file of a backup") from None
    except (ValueError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        what = "it was cut off" if isinstance(error, EOFError) else str(error)
        raise HippodError(f"{path}: cannot be used: {what}", "use another backup") from None
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}", "check the file") from None


@contextlib.contextmanager
def _reading_disk(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = "check that the folder is there and may be written, and its free space"
        raise StorageError(f"{path}: {error.strerror or error}", hint) from None
