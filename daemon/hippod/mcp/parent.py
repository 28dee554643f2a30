"""Tells that the process that started us is gone, also where somebody else keeps its pipes open.

Cheap to import: an agent waits for it.
"""

from __future__ import annotations

import os
import select
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ADOPTERS = frozenset(
    {"systemd", "init", "launchd", "tini", "dumb-init", "docker-init", "catatonit"}
)


class Parent:
    """Our parent from now on. `fd` is readable when it has ended; None where nobody can tell.

    `is_gone`: it ended while we started. `may_be_adoption`: that may be so, or it is a parent
    that adopts orphans and started us itself, as the first process of a container does.
    """

    def __init__(self) -> None:
        pid = os.getppid()
        self.may_be_adoption = pid == 1 or _name(pid) in _ADOPTERS
        self.fd = _watched(pid)
        self.is_gone = os.getppid() != pid


def _watched(pid: int) -> int | None:
    if sys.platform == "darwin":
        return _watched_by_queue(pid)
    try:
        return os.pidfd_open(pid)
    except OSError:  # an old kernel, a container that forbids it, a parent outside of it
        _ask_for_signal(pid)
        return None


_queues: list[Any] = []
"""They end with their object."""


def _watched_by_queue(pid: int) -> int | None:
    made: Any = select
    try:
        queue = made.kqueue()
        event = made.kevent(
            pid, made.KQ_FILTER_PROC, made.KQ_EV_ADD | made.KQ_EV_ONESHOT, made.KQ_NOTE_EXIT
        )
        queue.control([event], 0)
    except OSError:
        return None
    _queues.append(queue)
    return int(queue.fileno())


def _ask_for_signal(pid: int) -> None:
    """Have the kernel tell us; it also does so when only the thread ends that started us."""
    from hippod import leash

    def told(*_: object) -> None:
        if os.getppid() != pid:
            raise SystemExit(0)

    signal.signal(signal.SIGUSR1, told)
    leash.control(leash.SET_PDEATHSIG, signal.SIGUSR1)


def _name(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            return file.read().strip()
    except OSError:
        return ""
