"""The workspace's folder on the disk: opened step by step, so that no path leads out of it."""

import contextlib
import errno
import os
import stat
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from hippod import documents
from hippod.errors import NotFound, PathRefused, StorageError

_THROUGH = "is a link; hippod does not write through links"


class Root:
    """The root folder as it was when opened; raises `StorageError` once it is gone.

    Its descriptor stays open: its inode cannot be given to another folder, and a workspace that
    was unmounted or replaced is never taken for an empty one.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.realpath(path))
        try:
            self._fd = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            raise self._gone() from None
        except NotADirectoryError:
            raise StorageError(f"{self.path}: is not a folder", "choose another") from None
        weakref.finalize(self, os.close, self._fd)

    def fd(self) -> int:
        """Return the descriptor of the root: not to be closed, and not to be listed."""
        held = os.fstat(self._fd)
        try:
            there = self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            raise self._gone() from None
        if (held.st_dev, held.st_ino) != (there.st_dev, there.st_ino):
            raise self._gone()
        return self._fd

    @contextlib.contextmanager
    def parent(
        self, parts: Sequence[str], *, writing: bool = False, create: bool = False
    ) -> Iterator[int]:
        """Open the folder of a document; `create` makes missing ones.

        Raises `PathRefused` if the document itself is a link, and for writing if anything on
        the way is one; `NotFound` if a folder is missing.
        """
        path = "/".join(parts)
        if create:
            self._make_folders(parts[:-1], path)
        with self.folder(parts[:-1], path, follow=not writing) as folder:
            self._refuse_link(folder, path, _THROUGH if writing else "is a link")
            yield folder

    @contextlib.contextmanager
    def folder(
        self,
        parts: Sequence[str],
        path: str,
        wanted: Callable[[int, str], bool] = lambda folder, prefix: True,
        *,
        follow: bool = True,
    ) -> Iterator[int]:
        """Open a folder below the root, one part after the other.

        A link directly under the root to a folder outside is followed if `follow`; any other
        raises `PathRefused`. Raises `NotFound`, also where `wanted(folder, prefix)` says no.
        Errors name `path`.
        """
        with contextlib.ExitStack() as stack:
            # A descriptor of its own: those that share a file position must not list at once.
            folder = stack.enter_context(documents.opened(self.fd(), "."))
            for count, part in enumerate(parts, start=1):
                prefix = "/".join(parts[:count])
                linked = follow and count == 1 and self._followed(part)
                try:
                    folder = stack.enter_context(documents.opened(folder, part, follow=linked))
                except OSError as error:
                    if error.errno in (errno.ENOTDIR, errno.ELOOP):
                        self._refuse_link(folder, prefix, "is a link" if follow else _THROUGH)
                    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                        raise missing(path) from None
                    raise
                if not wanted(folder, prefix):
                    raise missing(path)
            yield folder

    def _make_folders(self, parts: Sequence[str], path: str) -> None:
        for count in range(1, len(parts) + 1):
            with self.folder(parts[: count - 1], path, follow=False) as folder:
                name = parts[count - 1]
                try:
                    there = os.stat(name, dir_fd=folder, follow_symlinks=False)
                    if stat.S_ISREG(there.st_mode):
                        raise NotFound(
                            f"{'/'.join(parts[:count])!r}: is a file, not a folder",
                            "give it another name",
                        )
                except FileNotFoundError:
                    documents.check_new(path)
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(name, dir_fd=folder)
                    os.fsync(folder)

    def _followed(self, name: str) -> bool:
        try:
            info = os.stat(name, dir_fd=self._fd, follow_symlinks=False)
        except FileNotFoundError:
            return False
        if not stat.S_ISLNK(info.st_mode):
            return False
        links = documents.root_links(self.path, self._fd)
        return any(link.path == name and link.followed for link in links)

    def _refuse_link(self, folder: int, path: str, what: str) -> None:
        try:
            info = os.stat(path.rpartition("/")[2], dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return
        if stat.S_ISLNK(info.st_mode):
            real = documents.printable(os.path.realpath(self.path / path))
            raise PathRefused(f"{path!r}: {what}", f"its real path is {real}")

    def _gone(self) -> StorageError:
        return StorageError(
            f"{self.path}: the workspace is gone, or another folder stands in its place",
            "put it back, mount it, or put a copy with its .memory there: the daemon then goes on;"
            " nothing was forgotten",
        )


def missing(path: str) -> NotFound:
    """Return the error for a document that is not there."""
    return NotFound(f"{path}: no such document", "see what there is with: hippod tree")
