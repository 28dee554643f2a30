"""Which paths may have changed: the operating system's events, or polling where there are none.

Events are hints: they name a path to look at again, never what happened to it. What is missed
(queue overflow, a copied tree) is found by the periodic reconcile.
"""

import asyncio
import contextlib
import os
import re
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path

import structlog
from watchfiles import Change, awatch
from watchfiles._rust_notify import WatchfilesRustInternalError

from hippod import mounts

log = structlog.get_logger()

# The library closes a batch after this long without a new path; smaller steps wake the
# process more often (50 times a second at 20 ms) for nothing.
STEP_MS = 200
POLL_MS = 1000
REMOTE_POLL_MS = 2000
_UNDECODABLE = "Unable to decode path"
IGNORED_FOLDERS = frozenset(
    {".memory", ".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__"}
)


PROC = Path("/proc/self")
_INODE = re.compile(r"^inotify wd:\S+ ino:([0-9a-f]+)", re.MULTILINE)

HELD = ("/.memory", "/.memory/lock", "/.memory/state.sqlite")
"""Of what is ignored, what must not go away or be replaced while it is worked with."""


class Probe:
    """Files that are made only to see whether the watcher tells of them. Thread-safe."""

    def __init__(self) -> None:
        self._expected: dict[str, threading.Event] = {}

    def saw(self, path: Path) -> None:
        """Note that an event of `path` came."""
        if (expected := self._expected.get(path.name)) is not None:
            expected.set()

    def delivered(self, folder: Path, seconds: float) -> float | None:
        """Make a file in `folder` and wait for its event: after how long it came, None: not.

        It has the name of a temporary file, which nothing indexes. Raises OSError.
        """
        file = folder / f".hippod-{os.urandom(8).hex()}.tmp"
        self._expected[file.name] = expected = threading.Event()
        began = time.monotonic()
        try:
            file.touch(mode=0o600, exist_ok=False)
            return time.monotonic() - began if expected.wait(seconds) else None
        finally:
            del self._expected[file.name]
            file.unlink(missing_ok=True)


async def changes(
    roots: Sequence[Path], stop: asyncio.Event, *, poll: bool, on_mode: Callable[[str], None]
) -> AsyncIterator[set[Path]]:
    """Yield sets of absolute paths that may have changed, until `stop` is set.

    `on_mode` hears `events` or `polling: reason`. When the system has no event handles left,
    polling takes over by itself; the library does not fall back. On a network mount, where nobody
    tells what others change, it is polled from the start.
    """
    remote = _remote(roots)
    reason = "configured" if poll else remote
    if remote and not poll:
        log.warning(
            "watch.fell_back_to_polling", reason=remote, hint="keep the workspace on a local disk"
        )
    # Tolerant, the library also keeps silent when there are no watches left: strict at first.
    tolerant = False
    while not stop.is_set():
        on_mode(f"polling: {reason}" if reason else "events")
        try:
            async for batch in awatch(
                *roots,
                watch_filter=_wanted,
                step=STEP_MS,
                stop_event=stop,
                force_polling=bool(reason),
                poll_delay_ms=REMOTE_POLL_MS if remote else POLL_MS,
                rust_timeout=60_000,
                recursive=True,
                ignore_permission_denied=tolerant,
            ):
                yield {Path(path) for _, path in batch}
            return
        except (OSError, WatchfilesRustInternalError, ExceptionGroup) as failure:
            error = _cause(failure)
            if _UNDECODABLE in str(error):
                # One name that is not UTF-8 ends the library's watch: look at all, watch again.
                await asyncio.sleep(STEP_MS / 1000)
                yield set(roots)
                continue
            if isinstance(error, PermissionError) and not tolerant:
                tolerant = True  # a folder that we may not read; the others can be watched
                continue
            if reason or isinstance(error, FileNotFoundError):
                raise OSError(str(error)) from failure
            reason = str(error) or type(error).__name__
            log.warning(
                "watch.fell_back_to_polling",
                reason=reason,
                hint="raise fs.inotify.max_user_watches and fs.inotify.max_user_instances",
            )


def unwatched(root: Path, folders: Mapping[str, int], proc: Path = PROC) -> set[int]:
    """Return which folders below `root`, given by inode, this process has no inotify watch of.

    The library keeps silent when the system has no watch left for a new folder. Empty where
    nobody can tell: without inotify, or on a filesystem that numbers folders in its own way.
    """
    held = watched(proc)
    if folders.get("") not in held:
        return set()
    missing = ((path, inode) for path, inode in folders.items() if inode not in held)
    return {inode for path, inode in missing if _has_inode(root / path, inode)}


def watched(proc: Path = PROC) -> set[int]:
    """Return the inodes of all that this process watches."""
    found: set[int] = set()
    try:
        numbers = os.listdir(proc / "fd")
    except OSError:
        return found
    for number in numbers:
        with contextlib.suppress(OSError):  # closed meanwhile
            if str((proc / "fd" / number).readlink()) == "anon_inode:inotify":
                told = (proc / "fdinfo" / number).read_text()
                found |= {int(inode, 16) for inode in _INODE.findall(told)}
    return found


def _has_inode(path: Path, inode: int) -> bool:
    """Say whether a folder is still there, the same one, and may be watched."""
    try:
        return path.stat().st_ino == inode and os.access(path, os.R_OK)
    except OSError:
        return False


def _remote(roots: Sequence[Path]) -> str:
    """Say on what network mount one of the folders lies, empty if none does."""
    kinds = (mounts.filesystem_of(root, mounts.MOUNTS) or "" for root in roots)
    return next((f"lies on {kind}" for kind in kinds if mounts.is_remote(kind)), "")


def _cause(failure: Exception) -> OSError | WatchfilesRustInternalError:
    """Return what ended a watch; the library's task group wraps it."""
    while isinstance(failure, ExceptionGroup):
        failure = failure.exceptions[0]
    if not isinstance(failure, OSError | WatchfilesRustInternalError):
        raise failure
    return failure


def _wanted(change: Change, path: str) -> bool:
    if change != Change.modified and path.endswith(HELD):  # what takes a name counts as added
        return True
    return IGNORED_FOLDERS.isdisjoint(path.split("/"))
