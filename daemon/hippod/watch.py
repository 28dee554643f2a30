"""Which paths may have changed: the operating system's events, or polling where there are none.

Events are hints: they name a path to look at again, never what happened to it. What is missed
(queue overflow, network mounts, a copied tree) is found by the periodic reconcile.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import structlog
from watchfiles import Change, awatch
from watchfiles._rust_notify import WatchfilesRustInternalError

log = structlog.get_logger()

# The library closes a batch after this long without a new path; smaller steps wake the
# process more often (50 times a second at 20 ms) for nothing.
STEP_MS = 200
POLL_MS = 1000
_UNDECODABLE = "Unable to decode path"
IGNORED_FOLDERS = frozenset(
    {".memory", ".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__"}
)


async def changes(
    roots: Sequence[Path], stop: asyncio.Event, *, poll: bool, on_mode: Callable[[str], None]
) -> AsyncIterator[set[Path]]:
    """Yield sets of absolute paths that may have changed, until `stop` is set.

    `on_mode` hears `events` or `polling: reason`. When the system has no event handles left,
    polling takes over by itself; the library does not fall back.
    """
    reason = "configured" if poll else ""
    while not stop.is_set():
        on_mode(f"polling: {reason}" if reason else "events")
        try:
            async for batch in awatch(
                *roots,
                watch_filter=_wanted,
                step=STEP_MS,
                stop_event=stop,
                force_polling=bool(reason),
                poll_delay_ms=POLL_MS,
                rust_timeout=60_000,
                recursive=True,
                ignore_permission_denied=True,
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
            if reason or isinstance(error, FileNotFoundError):
                raise OSError(str(error)) from failure
            reason = str(error) or type(error).__name__
            log.warning(
                "watch.fell_back_to_polling",
                reason=reason,
                hint="raise fs.inotify.max_user_watches and fs.inotify.max_user_instances",
            )


def _cause(failure: Exception) -> OSError | WatchfilesRustInternalError:
    """Return what ended a watch; the library's task group wraps it."""
    while isinstance(failure, ExceptionGroup):
        failure = failure.exceptions[0]
    if not isinstance(failure, OSError | WatchfilesRustInternalError):
        raise failure
    return failure


def _wanted(_change: Change, path: str) -> bool:
    return IGNORED_FOLDERS.isdisjoint(path.split("/"))
