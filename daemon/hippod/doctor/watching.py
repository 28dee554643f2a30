"""Checks of the watcher: it delivers what happens, and the system lets it watch all folders."""

import os
from collections.abc import Iterator
from pathlib import Path

from hippod.doctor.finding import Found, count, fail, ok, skipped, warn
from hippod.doctor.subject import Subject

_DELIVERY_SECONDS = 3.0
_MEANT = ("polling: configured", "polling: lies on ")
"""Beginnings of modes that are no failure of the watcher."""
_FULL = 0.8
"""Share of a limit from which on it is told of."""
_MOST_FOLDERS = 100_000


def watcher(subject: Subject) -> Iterator[Found]:
    """A change of a file is told of within seconds."""
    parts = subject.parts
    assert parts is not None
    door = parts.watcher
    if door is None:
        yield skipped("nobody watches here")
        return
    about = parts.describe().get("watch", {})
    mode = str(about.get("mode", ""))
    # On what it lies is told by the check of the filesystem.
    if mode.startswith("polling: ") and not mode.startswith(_MEANT):
        yield warn(
            f"files are looked at every second instead of being watched ({mode[9:]})",
            "raise fs.inotify.max_user_watches and max_user_instances, then restart it",
            lambda: _restarted(door.restart),
        )
    if about.get("fault"):
        yield warn("the watcher missed changes lately", "changes are found by the reconcile")
    seconds = door.delivers(_DELIVERY_SECONDS)
    if seconds is None:
        yield fail(
            f"a change was not told of within {_DELIVERY_SECONDS:g} s (mode: {mode})",
            "hippod doctor --fix begins to watch anew; else set [indexing] polling = 'always'",
            lambda: _restarted(door.restart),
        )
    else:
        yield ok(f"a change was told of after {seconds:.2f} s ({mode})")


def inotify(subject: Subject) -> Iterator[Found]:
    """The kernel lets one user watch as many folders as there are."""
    limits = subject.proc / "sys" / "fs" / "inotify"
    watches, instances = (_number(limits / f"max_user_{each}") for each in ("watches", "instances"))
    if watches is None or instances is None:
        yield skipped("this system does not watch by inotify")
        return
    folders = _folders(subject)
    if folders > _FULL * watches:
        yield warn(
            f"{count(folders, 'folder')} are to be watched, a user may watch {watches:,}",
            "sudo sysctl fs.inotify.max_user_watches=524288, and keep it in /etc/sysctl.d",
        )
    if instances < 16:
        yield warn(
            f"a user may have {instances} watchers, which other programs use up soon",
            "sudo sysctl fs.inotify.max_user_instances=512, and keep it in /etc/sysctl.d",
        )
    yield ok(f"{count(folders, 'folder')} of {watches:,} that a user may watch")


def _folders(subject: Subject) -> int:
    """Count the folders of the workspace and of the sources that lie elsewhere."""
    from hippod import transcripts

    found = len(subject.tree.names)
    roots = {
        root
        for source in subject.config.sources
        if (root := transcripts.watch_root(source.path, subject.root)) is not None
    }
    outside = [root for root in roots if not root.is_relative_to(subject.root)]
    return found + sum(map(_folders_below, outside))


def _folders_below(root: Path) -> int:
    found = 0
    for _ in os.walk(root):
        found += 1
        if found >= _MOST_FOLDERS:
            break
    return found


def _number(file: Path) -> int | None:
    try:
        return int(file.read_text())
    except (OSError, ValueError):
        return None


def _restarted(restart: object) -> str:
    assert callable(restart)
    restart()
    return "the watcher began anew"
