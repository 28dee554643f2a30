"""Reads an archive without believing any of it."""

import contextlib
import gzip
import hashlib
import json
import re
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final, cast

from hippod.archive import manifest as manifests
from hippod.archive.manifest import FORMAT, HEADER, MANIFEST, WORKSPACE, Manifest
from hippod.errors import HippodError, NotFound, StorageError

_PIECE: Final = 1 << 18
_LONGEST_HEADER = 4096
_LONGEST_EXTENSION = 65_536
"""Bytes of a tar's extended header, where a long name stands."""
_MOST_MEMBERS = 1_000_000
_LONGEST_MANIFEST = 16_000_000
"""Bytes, beside those that it may have for each member."""
_LONGEST_ENTRY = 1000


@dataclass(frozen=True, slots=True)
class Member:
    """One member while it is read; its bytes must be taken before the next one is asked for."""

    number: int
    name: str
    size: int
    pieces: Iterator[bytes] = field(repr=False)


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
                most = _LONGEST_MANIFEST + _LONGEST_ENTRY * len(found)
                manifest = manifests.decode(_taken(member, most))
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
            member = Member(number, name, size, pieces)
            if not number:
                _check_format(_taken(member, _LONGEST_HEADER))
            elif number > _MOST_MEMBERS:
                raise ValueError(f"it holds more than {_MOST_MEMBERS} members")
            else:
                yield member
                for _ in pieces:
                    pass
            _exactly(stream, len(padding(size)))
            number += 1
        if stream.read(1):
            raise ValueError(
                "there is more behind the end of the backup: two files joined, or it was written to"
            )
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
    manifests.check_paths(manifest)


def padding(size: int) -> bytes:
    """Return what fills the last block of a member."""
    return bytes(-size % tarfile.BLOCKSIZE)


@contextlib.contextmanager
def _damage_told(path: Path) -> Iterator[None]:
    """Turn what is wrong with an archive into one line about it."""
    try:
        yield
    except FileNotFoundError:
        raise NotFound(f"{path}: no such file", "name the file of a backup") from None
    except (ValueError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        what = "it was cut off" if isinstance(error, EOFError) else str(error)
        raise HippodError(f"{path}: cannot be used: {what}", "use another backup") from None
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}", "check the file") from None
