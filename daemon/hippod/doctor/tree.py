"""The workspace's files as they lie on the disk: names, owners and documents, listed once."""

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hippod import atomic, documents, untouchable
from hippod.documents import FileStat, Link

MOST_FILES = 200_000
"""Names that are looked at; a home folder by mistake must not take hours."""


@dataclass(frozen=True, slots=True)
class Tree:
    """What lies in a workspace.

    `files` are the documents by the rules of the index, but for ignore files. `names` holds the
    names in each folder, hidden ones too, `foreign` the paths that another user owns.
    """

    root: Path
    files: Mapping[str, FileStat]
    skipped: Mapping[str, str]
    links: tuple[Link, ...]
    unreadable: tuple[str, ...]
    leftovers: tuple[str, ...]
    names: Mapping[str, Sequence[str]]
    foreign: tuple[str, ...]

    @classmethod
    def of(cls, root: Path, max_bytes: int) -> "Tree":
        """List the workspace at `root`; raises OSError if it is not there."""
        fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            links = documents.root_links(root, fd)
            walk = documents.Walk(
                max_bytes=max_bytes,
                excluded=lambda path: False,
                follow=[link.path for link in links if link.followed],
            )
            walk.run(fd)
        finally:
            os.close(fd)
        names, foreign = _names(root, os.geteuid())
        return cls(
            root,
            walk.files,
            walk.skipped,
            links + tuple(walk.links),
            tuple(walk.unreadable),
            tuple(f"{folder}/{name}" if folder else name for folder, name in walk.leftovers),
            names,
            foreign,
        )

    def text(self, path: str) -> str | None:
        """Return a document's text, None if it is gone or cannot be read."""
        if untouchable.is_ours_at(self.root / path):
            return None
        try:
            return (self.root / path).read_text(encoding="utf-8-sig", errors="replace")
        except OSError:
            return None

    def age(self, path: str, now: float) -> float:
        """Return for how many seconds a file was not changed; 0 if it is gone."""
        try:
            return now - os.lstat(self.root / path).st_mtime
        except OSError:
            return 0.0


def _names(root: Path, user: int) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """List all names by folder, and the paths of another user; folders of tools are left out."""
    names: dict[str, list[str]] = {}
    foreign: list[str] = []
    left = MOST_FILES
    for folder, folders, files in os.walk(root):
        relative = os.path.relpath(folder, root)
        place = "" if relative == "." else f"{relative}/"
        if os.lstat(folder).st_uid != user:
            foreign.append(place or ".")
        folders[:] = sorted(each for each in folders if not _is_of_tools(each))
        names[place] = sorted(files)
        foreign += [f"{place}{name}" for name in files if _owner(folder, name) not in (user, None)]
        left -= len(files) + len(folders)
        if left < 0:
            break
    return names, tuple(foreign)


def _is_of_tools(folder: str) -> bool:
    """Say whether a folder is none of ours; `.memory` is, and so are hidden ones of notes."""
    return folder in documents.PRUNED or folder in (".git", ".hg", ".svn", ".venv")


def _owner(folder: str, name: str) -> int | None:
    try:
        return os.lstat(f"{folder}/{name}").st_uid
    except OSError:
        return None


def mode(path: Path) -> int | None:
    """Return the permission bits of a file or folder, None if it is not there."""
    try:
        return stat.S_IMODE(path.lstat().st_mode)
    except OSError:
        return None


def probe(folder: Path) -> None:
    """Write, rename and delete a file in a folder; raises OSError where one of them fails.

    It is named as our temporary files are, which nothing indexes and everything sweeps.
    """
    first, second = (folder / f".hippod-{os.urandom(8).hex()}.tmp" for _ in range(2))
    assert atomic.TEMP_NAME.fullmatch(first.name)
    fd = os.open(first, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.write(fd, b"hippod doctor\n")
        os.fsync(fd)
    except OSError:
        first.unlink(missing_ok=True)
        raise
    finally:
        os.close(fd)
    try:
        first.rename(second)
    except OSError:
        first.unlink(missing_ok=True)
        raise
    second.unlink()
