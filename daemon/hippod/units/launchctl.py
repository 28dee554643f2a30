"""The service under launchd: what `launchctl` is asked to do."""

import os
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from hippod import private
from hippod.errors import HippodError, NotFound
from hippod.units import calling, launchd
from hippod.units.setup import Setup, UnitFile

_STOP_SECONDS = 40
"""launchd itself kills what does not end within `ExitTimeOut`."""


class Launchd:
    """The agent of this user. Where launchd has no word for a wish, it is said."""

    name = "launchd"
    service = launchd.LABEL

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._home = environ.get("HOME") or str(Path.home())
        self._domain = f"gui/{os.getuid()}"
        self._target = f"{self._domain}/{launchd.LABEL}"
        self.folder = Path(self._home, "Library/LaunchAgents")
        self._plist = self.folder / launchd.NAME

    def units(self, setup: Setup, writable: Sequence[str]) -> list[UnitFile]:
        """Return the file to install; launchd closes nothing off, so all may be written."""
        del writable
        return [launchd.agent(setup, self._home)]

    def installed(self) -> list[str]:
        """Return the name of the file that a removal concerns."""
        return [launchd.NAME]

    def check(self) -> None:
        """Raise `HippodError` where the user has no session that agents run in."""
        if calling.attempt(["launchctl", "print", self._domain]).returncode != 0:
            raise HippodError(
                f"launchd has no session {self._domain}",
                "log in at the screen, or run the daemon yourself: hippod run",
            )

    def enable(self) -> None:
        """Let the agent start at each login; what is loaded is loaded anew by `start`."""
        private.make_folder(launchd.log_folder(self._home))
        calling.ask(["launchctl", "enable", self._target])

    def disable(self) -> None:
        """Stop the agent and start it no more."""
        if not self._loaded():
            return
        calling.attempt(["launchctl", "bootout", self._target])  # "in progress" is its failure, too
        deadline = time.monotonic() + _STOP_SECONDS
        while self._loaded():  # what is loaded meanwhile would be refused
            if time.monotonic() > deadline:
                raise HippodError(f"launchctl bootout {self._target}: it is still loaded")
            time.sleep(0.2)

    def reload(self) -> None:
        """Do nothing: launchd reads a file only when it loads it."""

    def start(self) -> None:
        """Load the agent, which starts it; start it if it is loaded and not at work."""
        self._known()
        if self._loaded():
            calling.ask(["launchctl", "kickstart", self._target])
        else:
            calling.ask(["launchctl", "bootstrap", self._domain, str(self._plist)])

    def stop(self) -> None:
        """Unload the agent: it would be started again otherwise. The next login loads it."""
        self._known()
        self.disable()

    def restart(self) -> None:
        """Unload and load the agent, with its file as it is now; what hangs is killed."""
        self.stop()
        self.start()

    def status(self) -> dict[str, object]:
        """Return how the agent is. Raises `NotFound` where it is not installed."""
        self._known()
        said = calling.attempt(["launchctl", "print", self._target])
        text = said.stdout if said.returncode == 0 else ""
        pid, code = _number(text, "pid"), _number(text, "last exit code")
        return {
            "manager": self.name,
            "unit": self.service,
            "state": "active" if pid else "inactive",
            "pid": pid,
            "since": None,
            "restarts": max(0, (_number(text, "runs") or 1) - 1),
            "result": "success" if not code else "exit-code",
            "exit_code": code or 0,
            "at_start": True,
            "said": "" if text else "not loaded",
            "socket": None,
        }

    def logs(self, lines: int, *, follow: bool) -> int:
        """Print the last lines of the log; return an exit code."""
        file = launchd.log_file(self._home)
        if not file.exists():
            raise NotFound(f"{file}: no log yet", "hippod service start")
        return calling.show(["tail", "-n", str(lines), *["-F"] * follow, str(file)])

    def lingers(self) -> bool | None:
        """Say that nobody knows: an agent ends with its user's session, as macOS wants it."""
        return None

    def linger(self) -> None:
        """Raise: launchd has no such thing for agents."""
        raise HippodError("launchd has no lingering: an agent runs while its user is logged in")

    def _known(self) -> None:
        if not self._plist.exists():
            raise NotFound(f"no service {launchd.LABEL}", "hippod service install")

    def _loaded(self) -> bool:
        return calling.attempt(["launchctl", "print", self._target]).returncode == 0


def _number(text: str, name: str) -> int | None:
    found = re.search(rf"^\s*{name} = (-?\d+)", text, re.MULTILINE)
    return int(found[1]) if found else None
