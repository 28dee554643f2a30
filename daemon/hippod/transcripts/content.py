"""The bytes of a transcript by their place: as they lie on disk, or decompressed on the way."""

import errno
import gzip
import io
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

import zstandard

from hippod import untouchable
from hippod.errors import NotFound, PathRefused, StorageError

_CHUNK = 1 << 18
_EXPECTED = 64_000_000
_LARGEST, _LARGEST_RATIO = 2_000_000_000, 100
"""Up to how many bytes are decompressed, and how many times the file's size beyond `_EXPECTED`;
transcripts shrink to a tenth or so."""
_LARGEST_WINDOW = 1 << 27
"""How much memory a zstd archive may ask for: what `zstd` itself grants."""


class Content(Protocol):
    """An open transcript.

    `damage` says why the bytes end before they should, None if nothing is wrong. `compressed`
    means that places are not those of the file.
    """

    status: os.stat_result
    compressed: bool
    damage: str | None

    def pread(self, size: int, offset: int) -> bytes:
        """Return up to `size` bytes from `offset` on, fewer only at the end."""


@contextmanager
def opened(path: Path) -> Iterator[Content]:
    """Open a regular file for reading, without waiting on a pipe or a device.

    Raises `NotFound`, `PathRefused` if it is a link or no regular file, `StorageError`.
    """
    if untouchable.is_ours_at(path):
        raise PathRefused(f"{path}: a file of hippod's own", "give the path of a transcript")
    try:
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(path, flags)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise PathRefused(f"{path}: not a regular file", "a transcript must be a file")
            yield _content(descriptor)
        finally:
            os.close(descriptor)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound(f"{path}: no such transcript") from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise PathRefused(f"{path}: a link", "give the path of the file itself") from None
        raise StorageError(
            f"{path}: {error.strerror}", "check the permissions of the transcript"
        ) from None


def _content(descriptor: int) -> Content:
    magic = os.pread(descriptor, 4, 0)
    if magic == zstandard.FRAME_HEADER:
        return _Inflated(descriptor, _zstd)
    if magic.startswith(b"\x1f\x8b"):
        return _Inflated(descriptor, _gzip)
    return _Plain(descriptor)


class _Plain:
    compressed = False

    def __init__(self, descriptor: int) -> None:
        self.status = os.fstat(descriptor)
        self.damage: str | None = None
        self._descriptor = descriptor

    def pread(self, size: int, offset: int) -> bytes:
        return os.pread(self._descriptor, size, offset)


class _Inflated:
    """A compressed file; reading forward is one pass, each step back begins anew."""

    compressed = True

    def __init__(self, descriptor: int, start: Callable[[int], io.BufferedIOBase]) -> None:
        self.status = os.fstat(descriptor)
        self.damage: str | None = None
        self._begin = partial(start, descriptor)
        ratio = self.status.st_size * _LARGEST_RATIO
        self._limit = min(_LARGEST, max(_EXPECTED, ratio))
        self._stream, self._place = self._begin(), 0

    def pread(self, size: int, offset: int) -> bytes:
        if offset < self._place:
            self._stream, self._place = self._begin(), 0
        while self._place < offset:
            if not self._read(min(_CHUNK, offset - self._place)):
                return b""
        return self._read(size)

    def _read(self, size: int) -> bytes:
        if self._place >= self._limit:
            self.damage = f"holds more than {self._limit} bytes, the rest is not read"
            return b""
        try:
            data = self._stream.read(size)
        except (EOFError, zlib.error, gzip.BadGzipFile, zstandard.ZstdError) as error:
            self.damage = f"cannot be decompressed to its end ({type(error).__name__})"
            return b""
        self._place += len(data)
        return data


def _gzip(descriptor: int) -> io.BufferedIOBase:
    return gzip.GzipFile(fileobj=_raw(descriptor), mode="rb")


def _zstd(descriptor: int) -> io.BufferedIOBase:
    decompressor = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
    reader = decompressor.stream_reader(_raw(descriptor), read_across_frames=True)
    return io.BufferedReader(reader, _CHUNK)


def _raw(descriptor: int) -> io.FileIO:
    raw = io.FileIO(descriptor, "rb", closefd=False)
    raw.seek(0)
    return raw
