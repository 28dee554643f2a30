"""What the daemon and its service manager say to each other: systemd's notify protocol.

Without systemd everything here is silent. What the manager put into the environment for us alone
is taken out of it, so that no child of ours speaks in our name.
"""

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator, Mapping, MutableMapping

import sdnotify

LAUNCHD_LABEL = "io.hippod.daemon"
_OURS = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")
EXTEND_SECONDS = 30.0
"""For how much more time one asks at once; asked again after a third of it."""
SEND_SECONDS = 1.0
"""How long a manager that reads nothing may hold us up."""


class ServiceManager:
    """The manager that started us, if any. `watchdog` is in seconds, None without one."""

    def __init__(self, environ: MutableMapping[str, str] = os.environ) -> None:
        self.present = is_managed(environ)
        self.watchdog = _watchdog(environ)
        self._notifier = sdnotify.SystemdNotifier()  # reads the process's own NOTIFY_SOCKET
        if self._notifier.socket is not None:
            self._notifier.socket.settimeout(SEND_SECONDS)
        for name in _OURS:
            environ.pop(name, None)

    @property
    def listens(self) -> bool:
        """Whether anybody hears what is said."""
        return self._notifier.socket is not None

    def ready(self, status: str) -> None:
        """Say that the start, or a reload, is over."""
        self._say("READY=1", _status(status))

    def reloading(self) -> None:
        """Say that a reload begins; `ready` ends it."""
        now = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        self._say("RELOADING=1", f"MONOTONIC_USEC={now}", _status("reloading the configuration"))

    def stopping(self) -> None:
        """Say that the end begins."""
        self._say("STOPPING=1", _status("stopping"))

    def status(self, text: str) -> None:
        """Set the line that `systemctl status` shows."""
        self._say(_status(text))

    def alive(self) -> None:
        """Feed the watchdog."""
        self._say("WATCHDOG=1")

    @contextlib.asynccontextmanager
    async def patience(self, most: float) -> AsyncIterator[None]:
        """Ask for more time while what is inside takes long, for `most` seconds at most."""
        asking = asyncio.create_task(self._ask_for_time(most)) if self.listens else None
        try:
            yield
        finally:
            if asking is not None:
                asking.cancel()

    async def _ask_for_time(self, most: float) -> None:
        end = time.monotonic() + most
        while time.monotonic() < end:
            await asyncio.sleep(EXTEND_SECONDS / 3)
            self._say(f"EXTEND_TIMEOUT_USEC={EXTEND_SECONDS * 1e6:.0f}")

    def _say(self, *lines: str) -> None:
        # The library writes Latin-1 and drops what is not; the manager wants UTF-8.
        text = "\n".join(lines).encode("utf-8", "replace").decode("latin-1")
        self._notifier.notify(text)


def is_managed(environ: Mapping[str, str]) -> bool:
    """Say whether systemd or launchd started this very process.

    Not whether one of them started something above it: on a desktop that is true of every shell.
    """
    us = str(os.getpid())
    meant = (environ.get("SYSTEMD_EXEC_PID"), environ.get("LISTEN_PID"))
    by_systemd = environ.get("NOTIFY_SOCKET") or us in meant
    return bool(by_systemd) or environ.get("XPC_SERVICE_NAME") == LAUNCHD_LABEL


def _watchdog(environ: Mapping[str, str]) -> float | None:
    period, meant = environ.get("WATCHDOG_USEC", ""), environ.get("WATCHDOG_PID", "")
    if meant not in ("", str(os.getpid())):
        return None
    is_number = period.isascii() and period.isdigit()
    return int(period) / 1e6 if is_number and int(period) > 0 else None


def _status(text: str) -> str:
    return f"STATUS={' '.join(text.split())}"
