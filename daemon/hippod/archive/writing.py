"""Writes an archive, and looks at it once more before it gets its name."""

import gzip
import json
import tarfile
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, cast

from hippod import publishing
from hippod.archive.manifest import FORMAT, HEADER, MANIFEST, Manifest
from hippod.archive.reading import padding, verify
from hippod.errors import HippodError, StorageError

_SPEED = 6


def head(name: str, size: int, *, mode: int = 0o600, mtime: float = 0) -> bytes:
    """Return what stands in front of a member's bytes."""
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = size, mode, max(0, int(mtime))
    return info.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape")


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
    with publishing.written(target, force=force) as (temp, file):
        _compress(pieces, file)
        publishing.flush(file)
        return _came_whole(temp, target)


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
