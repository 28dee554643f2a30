"""Which names are documents: path rules, ignore files, and the walk over the tree."""

import contextlib
import errno
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from pathspec import GitIgnoreSpec

from hippod import atomic, untouchable
from hippod.errors import PathRefused

MAX_COMPONENT = 255
MAX_PATH = 1000
"""Bytes; leaves room for the folder above under the system's limit of 4096."""
MAX_DEPTH = 64
MAX_LISTED = 1000
"""Skipped files and ignored links that a scan names; the rest is counted."""

PRUNED = frozenset(
    {"node_modules", "bower_components", "venv", "__pycache__", "site-packages", "CVS"}
)
"""Folders of tools; hidden ones (.git, .venv, .memory, .obsidian …) are pruned anyway."""
IGNORE_FILES = (".gitignore", ".hippodignore")
"""In each folder, the later one wins: `.hippodignore` can bring back what git ignores."""

_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?")
_DRIVE = re.compile(r"[A-Za-z]:")
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_CONFLICT_COPY = re.compile(
    r"(?i)\.sync-conflict-\d{8}|\([^()]*(conflicted copy|sfconflict)[^()]*\)|[ _-]conflict-\d{8}"
)
_IGNORE_BYTES = 1_000_000

Chain = tuple[tuple[str, GitIgnoreSpec], ...]
"""Ignore rules from the root down, each with the folder (ending in `/`) that it is relative to."""


@dataclass(frozen=True, slots=True)
class FileStat:
    """A document as the folder lists it."""

    path: str
    size: int
    mtime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic link in the workspace: followed, or ignored for a reason."""

    path: str
    target: str
    followed: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Scan:
    """Every document of the workspace, and what was left out.

    `skipped` gives reasons by path, `unreadable` names files and folders that could not be
    looked into, `excluded` counts what ignore files exclude, `unlisted` what did not fit into
    `skipped` and `links`; `folders` gives inodes by path.
    """

    files: Mapping[str, FileStat]
    skipped: Mapping[str, str]
    links: tuple[Link, ...]
    unreadable: tuple[str, ...]
    excluded: int
    unlisted: int
    folders: Mapping[str, int] = field(default_factory=dict)

    def absent(self, path: str) -> bool:
        """Say whether `path` is known to be no document; what cannot be seen may still be one."""
        if path in self.files:
            return False
        return not any(path == u or path.startswith(f"{u}/") for u in self.unreadable)


def check_path(path: str) -> tuple[str, ...]:
    """Split a workspace-relative path into its parts.

    Percent signs and the like are ordinary characters. Raises `PathRefused` for what leaves
    the workspace, is hidden, too long, or not text.
    """
    fault = _fault(path)
    if fault:
        raise PathRefused(
            f"{path!r}: {fault}", "give a path relative to the workspace, such as memory/note.md"
        )
    return tuple(path.split("/"))


def check_new(path: str) -> None:
    """Raise `PathRefused` if `path` would be a bad name for a new file.

    What people already have is read and edited under any name; new files get only names that
    every system and every terminal can handle.
    """
    for part in check_path(path):
        fault = _new_fault(part)
        if fault:
            raise PathRefused(f"{path!r}: {fault}", "choose another name for the new file")


def is_markdown(name: str) -> bool:
    """Say whether a file name is that of Markdown: `.md`, in any case."""
    return len(name) > 3 and name[-3:].lower() == ".md"


def _fault(path: str) -> str:
    try:
        size = len(path.encode())
    except UnicodeEncodeError:
        return "is not UTF-8 text"
    if not path:
        return "is empty"
    if "\0" in path:
        return "holds a NUL"
    if path.startswith("/"):
        return "is absolute"
    if size > MAX_PATH:
        return f"is longer than {MAX_PATH} bytes"
    parts = path.split("/")
    if len(parts) > MAX_DEPTH:
        return f"is nested deeper than {MAX_DEPTH} folders"
    return next(filter(None, map(_part_fault, parts)), "")


def _part_fault(part: str) -> str:
    if part in ("", ".", ".."):
        return "has a part that is empty, '.' or '..'"
    if part.startswith("."):
        return f"goes through the hidden name {part!r}"
    if len(part.encode()) > MAX_COMPONENT:
        return f"has a part longer than {MAX_COMPONENT} bytes"
    return ""


def _new_fault(part: str) -> str:
    if _UNPRINTABLE.search(part):
        return "holds control characters"
    if "\\" in part:
        return "holds a backslash"
    if _DRIVE.match(part):
        return "begins with a drive letter"
    if part[-1] in ". ":
        return "has a part that ends in a dot or space"
    if _RESERVED.fullmatch(part):
        return f"uses the reserved name {part!r}"
    return ""


# -- what one name is ------------------------------------------------------------------------


def skip_reason(name: str, info: os.stat_result, max_bytes: int) -> str:
    """Say why a Markdown file is not a document; empty if it is one."""
    if not stat.S_ISREG(info.st_mode):
        return "not a regular file"
    if untouchable.is_ours(info):
        return "a file that hippod keeps for itself, under another name"
    if is_copy(name):
        return "a temporary or conflict copy"
    if info.st_size > max_bytes:
        return f"larger than {max_bytes} bytes"
    # macOS marks files whose content is only in the cloud; reading would download or hang.
    if getattr(info, "st_flags", 0) & 0x40000000:
        return "not downloaded"
    return ""


def is_copy(name: str) -> bool:
    """Say whether a file name is that of a temporary or conflict copy."""
    return name.startswith("~$") or _CONFLICT_COPY.search(name) is not None


def pruned(name: str) -> bool:
    """Say whether a folder is never looked into."""
    return name.startswith(".") or name in PRUNED


def ignored(chain: Chain, path: str, *, folder: bool) -> bool:
    """Say whether ignore files exclude `path`; the deepest and latest rule wins."""
    for prefix, spec in reversed(chain):
        include = spec.check_file(path[len(prefix) :] + ("/" if folder else "")).include
        if include is not None:
            return include
    return False


def rules_in(fd: int, folder: str) -> Chain:
    """Read the ignore files of an open folder."""
    prefix = f"{folder}/" if folder else ""
    found = ((prefix, _rules_file(fd, name)) for name in IGNORE_FILES)
    return tuple((prefix, spec) for prefix, spec in found if spec is not None)


@lru_cache(maxsize=256)
def rules(lines: tuple[str, ...]) -> GitIgnoreSpec:
    """Compile gitignore patterns; a line that is none is left out, as git does."""
    return GitIgnoreSpec.from_lines([line for line in lines if _compiles(line)])


def _rules_file(fd: int, name: str) -> GitIgnoreSpec | None:
    try:
        data = atomic.read(fd, name, _IGNORE_BYTES).data
    except (OSError, atomic.NotRegularError, atomic.TooBigError):
        return None
    return rules(tuple(data.decode("utf-8-sig", "replace").splitlines()))


def _compiles(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return True


# -- links -----------------------------------------------------------------------------------


def root_links(root: Path, fd: int) -> tuple[Link, ...]:
    """Decide for each link directly under the root whether it is followed.

    Followed are links to folders outside of the workspace, each folder once: one that lies
    within (or is) the target of another link is found there.
    """
    with opened(fd, ".") as listing, os.scandir(listing) as entries:
        names = sorted(entry.name for entry in entries if entry.is_symlink())
    links = [_root_link(root, fd, name) for name in names]
    followed: list[Link] = []
    for link in sorted(links, key=lambda link: (len(Path(link.target).parts), link.path)):
        if link.followed and not any(_within(link, other) for other in followed):
            followed.append(link)
    chosen = {link.path for link in followed}
    return tuple(
        Link(link.path, link.target, False, "already reached through another link")
        if link.followed and link.path not in chosen
        else link
        for link in links
    )


def _root_link(root: Path, fd: int, name: str) -> Link:
    target = Path(os.path.realpath(root / name))
    shown = printable(str(target))
    reason = _link_fault(root, fd, name, target)
    return Link(printable(name), shown, not reason, reason)


def _link_fault(root: Path, fd: int, name: str, target: Path) -> str:
    try:
        info = os.stat(name, dir_fd=fd)
    except OSError:
        return "its target is missing"
    if pruned(name) or printable(name) != name:
        return "hidden or reserved"
    if not stat.S_ISDIR(info.st_mode):
        return "not a link to a folder"
    if target.is_relative_to(root):
        return "its target is in the workspace already"
    if root.is_relative_to(target):
        return "its target contains the workspace"
    return ""


def _within(link: Link, other: Link) -> bool:
    return Path(link.target).is_relative_to(other.target)


def printable(name: str) -> str:
    """Return a file name as text that can be shown, escaping what is not UTF-8."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


# -- the walk --------------------------------------------------------------------------------


class Walk:
    """One pass over the tree below an open folder, in sorted order.

    Follows no link but those in `follow` (names directly under the root). With `respect`
    False, ignore files do not count. `leftovers` collects (folder, name) of temporary files;
    with `only_leftovers` nothing else is looked at.
    """

    def __init__(
        self,
        *,
        max_bytes: int,
        chain: Chain = (),
        excluded: Callable[[str], bool],
        follow: Sequence[str] = (),
        respect: bool = True,
        deepest: int = MAX_DEPTH,
        only_leftovers: bool = False,
    ) -> None:
        self.files: dict[str, FileStat] = {}
        self.folders: list[str] = []
        self.inodes: dict[str, int] = {}
        """Of the folders that were looked into, by path."""
        self.skipped: dict[str, str] = {}
        self.links: list[Link] = []
        self.unreadable: list[str] = []
        self.leftovers: list[tuple[str, str]] = []
        self.owners: dict[tuple[int, int], str] = {}
        """Paths of files with several names, by device and inode."""
        self.ignored = 0
        self.unlisted = 0
        self._max_bytes = max_bytes
        self._excluded = excluded
        self._follow = frozenset(follow)
        self._respect = respect
        self._deepest = deepest
        self._only_leftovers = only_leftovers
        self._seen: set[tuple[int, int]] = set()
        self._chain = chain

    def run(self, fd: int, folder: str = "", depth: int = 0, chain: Chain | None = None) -> None:
        """Walk the open folder whose path is `folder`."""
        info = os.fstat(fd)
        if (info.st_dev, info.st_ino) in self._seen:
            return
        self._seen.add((info.st_dev, info.st_ino))
        self.inodes[folder] = info.st_ino
        above = self._chain if chain is None else chain
        here = above + rules_in(fd, folder) if self._respect else ()
        below: list[str] = []
        with os.scandir(fd) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if self._look(entry, folder, here):
                    below.append(entry.name)
        for name in below:
            self._enter(fd, folder, name, depth + 1, here)

    def _look(self, entry: "os.DirEntry[str]", folder: str, chain: Chain) -> bool:
        """Take note of one name; say whether it is a folder to walk into."""
        path = f"{folder}/{entry.name}" if folder else entry.name
        if atomic.TEMP_NAME.fullmatch(entry.name):
            self.leftovers.append((folder, entry.name))
        if self._only_leftovers and not entry.is_dir(follow_symlinks=False):
            return False
        if pruned(entry.name):
            return False
        if printable(path) != path:
            self._skip(printable(path), "its name is not UTF-8")
            return False
        if entry.is_symlink():
            return self._link(path)
        is_folder = entry.is_dir(follow_symlinks=False)
        if not is_folder and not is_markdown(entry.name):
            return False
        if ignored(chain, path, folder=is_folder):
            self.ignored += 1
            return False
        if not is_folder:
            self._file(entry, path)
        return is_folder

    def _file(self, entry: "os.DirEntry[str]", path: str) -> None:
        try:
            info = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return
        except OSError:
            self.unreadable.append(path)
            return
        if self._excluded(path):
            return
        reason = skip_reason(entry.name, info, self._max_bytes) or self._twin(path, info)
        if reason:
            self._skip(path, reason)
        else:
            self.files[path] = FileStat(path, info.st_size, info.st_mtime_ns, info.st_ino)

    def _twin(self, path: str, info: os.stat_result) -> str:
        if info.st_nlink < 2:
            return ""
        owner = self.owners.setdefault((info.st_dev, info.st_ino), path)
        return "" if owner == path else f"the same file as {owner}"

    def _link(self, path: str) -> bool:
        if path in self._follow:
            return True
        if "/" in path:  # those under the root are judged by `root_links`
            self._note(Link(path, "", False, "only links directly under the root are followed"))
        return False

    def _enter(self, fd: int, folder: str, name: str, depth: int, chain: Chain) -> None:
        path = f"{folder}/{name}" if folder else name
        if depth > MAX_DEPTH or len(path.encode()) > MAX_PATH:
            self._skip(path, "nested too deep")
            return
        self.folders.append(path)
        if depth > self._deepest:
            return
        try:
            with opened(fd, name, follow=path in self._follow) as inner:
                self.run(inner, path, depth, chain)
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                raise
            if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                self.unreadable.append(path)

    def _skip(self, path: str, reason: str) -> None:
        if len(self.skipped) < MAX_LISTED:
            self.skipped[path] = reason
        else:
            self.unlisted += 1

    def _note(self, link: Link) -> None:
        if len(self.links) < MAX_LISTED:
            self.links.append(link)
        else:
            self.unlisted += 1


@contextlib.contextmanager
def opened(folder: int, name: str, *, follow: bool = False) -> Iterator[int]:
    """Open a folder inside another; a link only if `follow` allows it."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    fd = os.open(name, flags, dir_fd=folder)
    try:
        yield fd
    finally:
        os.close(fd)
