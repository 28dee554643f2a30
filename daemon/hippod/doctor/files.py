"""Checks of the files: the workspace, its filesystem, space, modes, owners and what lies about."""

import os
import stat
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from hippod import mounts
from hippod.doctor.finding import Found, count, fail, ok, size, skipped, some, warn
from hippod.doctor.mending import Seen
from hippod.doctor.subject import Subject
from hippod.doctor.tree import mode, probe

_IN_MEMORY = frozenset({"tmpfs", "ramfs"})
_LITTLE, _TOO_LITTLE = 500_000_000, 20_000_000
_FEW_FILES, _TOO_FEW_FILES = 10_000, 100
_OLD = 86_400.0
_MOST_DAYS = 31
_WRITTEN = ("", "memory", "daily", "bank", "bank/entities", ".memory")
"""Folders that hippod writes to, as far as they are there."""


def workspace(subject: Subject) -> Iterator[Found]:
    """The workspace is there and can really be written."""
    root = subject.root
    if subject.parts is not None and (gone := subject.parts.workspace.absence()):
        yield fail(gone, "put it back or mount it; make no new one there while the daemon runs")
        return
    if not root.is_dir():
        yield fail(f"{root}: there is no such folder", "make it by: hippod init; or mount it")
        return
    tried = 0
    for name in _WRITTEN:
        folder = root / name
        if name and (folder.is_symlink() or not folder.is_dir()):
            continue
        tried += 1
        try:
            probe(folder)
        except OSError as error:
            yield fail(
                f"{folder}: cannot be written: {error.strerror}",
                "check its owner and mode, free space, and whether it is mounted read-only",
            )
    yield ok(f"{root}: {count(tried, 'folder')} written to and cleaned up")


def filesystem(subject: Subject) -> Iterator[Found]:
    """The workspace lies on a disk that locks, tells of changes and stays."""
    kind = mounts.filesystem_of(subject.root, subject.proc / "self" / "mountinfo")
    if kind is None:
        yield skipped("this system does not tell what the workspace lies on")
    elif mounts.is_remote(kind):
        yield warn(
            f"the workspace lies on {kind}: changes by others come without events, so that files"
            " are looked at every few seconds, and SQLite's log needs memory that such a"
            " filesystem does not share",
            "keep the workspace on a local disk and let a sync client copy it; else let one"
            " machine alone run hippod",
        )
    elif kind in _IN_MEMORY:
        yield warn(
            f"the workspace lies on {kind}, in memory: all is lost when the machine restarts",
            "keep it on a disk",
        )
    else:
        yield ok(f"the workspace lies on {kind}")


def space(subject: Subject) -> Iterator[Found]:
    """There is room for bytes and for files, in the workspace and for temporary files."""
    temporary = Path(subject.environ.get("TMPDIR") or tempfile.gettempdir())
    free: list[str] = []
    if not temporary.is_dir():
        yield warn(f"{temporary}: there is no such folder", "set TMPDIR to one that is there")
    for place in dict.fromkeys((subject.root, temporary)):
        if not place.is_dir():
            continue
        about = os.statvfs(place)
        available = about.f_bavail * about.f_frsize
        yield from _too_little(place, available, about.f_favail if about.f_files else None)
        free.append(f"{size(available)} in {place}")
    yield ok(f"free: {', '.join(free)}")


def private(subject: Subject) -> Iterator[Found]:
    """Nobody else can read what hippod keeps, or write where it reads."""
    folder = subject.folder
    try:
        seen = Seen.at(folder)
    except FileNotFoundError:
        yield _no_folder(subject)
    else:
        yield from _own_folder(seen)
    yield from _root_mode(subject.root)
    yield from _umask(subject)
    if (bits := mode(folder)) is not None:
        yield ok(f"{folder} has mode {bits:04o}")


def owners(subject: Subject) -> Iterator[Found]:
    """All files belong to the user that hippod runs as."""
    user = os.geteuid()
    foreign = subject.tree.foreign
    ours = [path for path in foreign if path.startswith(".memory")]
    fix = f"sudo chown -R {user} {subject.root}"
    if user == 0 and "." in foreign:
        yield warn(
            f"hippod runs as root, but {subject.root} belongs to another user",
            "run it as that user: what root writes, others cannot change",
        )
        return
    if ours:
        yield fail(f"of another user: {some(ours)} (was something run by sudo?)", fix)
    if others := [path for path in foreign if path not in ours]:
        yield warn(f"of another user: {some(others)} (was something run by sudo?)", fix)
    yield ok(f"all belong to user {user}")


def leftovers(subject: Subject) -> Iterator[Found]:
    """No temporary files of dead runs lie about."""
    tree, now = subject.tree, time.time()
    old = [path for path in tree.leftovers if tree.age(path, now) > _OLD]
    parts = subject.parts
    if old:
        yield warn(
            f"temporary files of dead runs: {some(old)}",
            "they go when the daemon starts, or by: hippod doctor --fix",
            (lambda: _swept(parts.workspace.sweep(_OLD))) if parts else None,
        )
    yield ok("none older than a day")


def backed_up(subject: Subject) -> Iterator[Found]:
    """The last backup is not older than a month."""
    made = subject.parts.state.last_backup if subject.parts else None
    if made is None:
        yield ok("none was made yet through this daemon: hippod backup FILE")
        return
    days = (datetime.now(UTC) - made).days
    told = f"the last one is {count(max(0, days), 'day')} old"
    if days > _MOST_DAYS:
        yield warn(told, "hippod backup FILE, best on another disk")
    yield ok(told)


def set_aside(subject: Subject) -> Iterator[Found]:
    """No damaged or old copies of databases wait for somebody to look at them."""
    names = sorted(os.listdir(subject.folder)) if subject.has_folder else []
    damaged = [name for name in names if ".corrupt-" in name]
    if damaged:
        total = sum((subject.folder / name).lstat().st_size for name in damaged)
        yield warn(
            f"damaged databases were moved aside: {some(damaged)} ({size(total)})",
            f"hippod goes on with new ones; delete them in {subject.folder} when nobody wants"
            " to look into them, and have the disk checked",
        )
    backups = [name for name in names if name.endswith(".bak")]
    yield ok(f"{count(len(backups), 'copy', 'copies')} of older databases kept")


def _too_little(place: Path, available: int, files: int | None) -> Iterator[Found]:
    fix = "free some space; old journal entries go earlier by [retention] journal_bytes"
    if available < _LITTLE:
        say = fail if available < _TOO_LITTLE else warn
        yield say(f"{place}: only {size(available)} are free", fix)
    if files is not None and files < _FEW_FILES:
        say = fail if files < _TOO_FEW_FILES else warn
        yield say(f"{place}: only {count(files, 'more file')} can be made (inodes)", fix)


def _no_folder(subject: Subject) -> Found:
    if subject.parts is None:
        return skipped(f"{subject.folder} is made when the daemon starts for the first time")
    return fail(f"{subject.folder} is gone under the running daemon", "hippod service restart")


def _own_folder(seen: Seen) -> Iterator[Found]:
    """Look at `.memory`: a link is never followed, since everything behind it would be changed."""
    folder, kind = seen.path, seen.info.st_mode
    if not stat.S_ISDIR(kind):
        what = "a link" if stat.S_ISLNK(kind) else "no folder"
        yield fail(f"{folder} is {what}", "move it away: hippod makes a folder of its own there")
        return
    if kind & 0o077:
        yield fail(
            f"{folder} has mode {stat.S_IMODE(kind):04o}: others may look into it",
            f"chmod -R go-rwx {folder}",
            seen.closed,
        )
    if not (folder / ".gitignore").exists():
        yield warn(
            f"{folder} has no .gitignore: git may take in what is derived",
            f"echo '*' > {folder}/.gitignore",
            seen.ignored_by_git,
        )


def _root_mode(root: Path) -> Iterator[Found]:
    bits = mode(root)
    if bits is None or not _reachable(root):
        return
    if bits & 0o002:
        yield fail(f"{root} has mode {bits:04o}: anybody may write there", f"chmod go-w {root}")
    elif bits & 0o005 == 0o005:
        yield warn(f"{root} has mode {bits:04o}: anybody may read it", f"chmod 700 {root}")


def _reachable(path: Path) -> bool:
    """Say whether every folder above lets other users through."""
    return all((mode(parent) or 0) & 0o001 for parent in path.parents)


def _umask(subject: Subject) -> Iterator[Found]:
    try:
        text = (subject.proc / "self" / "status").read_text()
    except OSError:
        return
    found = next((line.split()[1] for line in text.splitlines() if line.startswith("Umask:")), None)
    if found is not None and not int(found, 8) & 0o002:
        yield warn(
            f"the umask {found} lets anybody write the files that hippod makes",
            "set umask 077 where it is started (UMask= in a unit)",
        )


def _swept(gone: tuple[str, ...]) -> str:
    return f"{count(len(gone), 'temporary file')} swept; their bytes are in the journal: hippod log"
