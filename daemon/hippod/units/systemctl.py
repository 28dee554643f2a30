"""The service under systemd: what `systemctl`, `journalctl` and `loginctl` are asked to do."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from hippod.errors import HippodError, NotFound
from hippod.units import calling
from hippod.units.setup import Setup, UnitFile
from hippod.units.systemd import COMMANDS_FILE, commands_drop_in, system_units, user_units

_SHOWN = (
    "LoadState", "UnitFileState", "ActiveState", "SubState", "Result", "ExecMainStatus",
    "MainPID", "NRestarts", "ActiveEnterTimestamp", "StatusText",
)  # fmt: skip


class Systemd:
    """The service of this user, or of `system_user` under the system's own manager."""

    name = "systemd"

    def __init__(self, environ: Mapping[str, str], system_user: str = "") -> None:
        self._user = system_user
        self.runtime = "" if system_user else runtime_folder(environ)
        self._environ = {**environ, "XDG_RUNTIME_DIR": self.runtime} if self.runtime else environ
        stem = f"hippod@{system_user}" if system_user else "hippod"
        self.service, self.socket = f"{stem}.service", f"{stem}.socket"
        self._control = ("systemctl",) if system_user else ("systemctl", "--user")
        self.folder = Path("/etc/systemd/system") if system_user else _own_folder(environ)

    def units(self, setup: Setup, writable: Sequence[str]) -> list[UnitFile]:
        """Return the files to install; `writable` counts for the system's unit alone."""
        if self._user:
            return system_units(setup, self._user, writable)
        return user_units(setup, self.runtime)

    def installed(self) -> list[str]:
        """Return the names of the files that a removal concerns."""
        drop_ins = [f"{self.service}.d/{name}" for name in ("paths.conf", COMMANDS_FILE)]
        drop_ins.append(f"{self.socket}.d/path.conf")
        if not self._user:
            return [self.service, self.socket, *drop_ins]
        ours = (f"{self.service}.d", f"{self.socket}.d")
        others = [p for p in self.folder.glob("hippod@?*.d") if p.name not in ours]
        return drop_ins if others else ["hippod@.service", "hippod@.socket", *drop_ins]

    def check(self) -> None:
        """Raise `HippodError` where there is no such manager to talk to."""
        self._ask("show", "--property=Version")

    def enable(self) -> None:
        """Make the manager read its files again, and start the service with the session."""
        self._ask("daemon-reload")
        self._ask("enable", self.service, self.socket)

    def disable(self) -> None:
        """Stop the service and start it no more."""
        units = (self.socket, self.service)
        known = [u for u in units if self._properties(u)["LoadState"] != "not-found"]
        if known:
            self._ask("disable", "--now", *known)

    def reload(self) -> None:
        """Make the manager read its files again."""
        self._ask("daemon-reload")

    def start(self) -> None:
        """Start the service and wait until it is ready."""
        self._known()
        self._ask("reset-failed", self.service, self.socket)
        self._ask("start", self.socket, self.service)

    def stop(self) -> None:
        """Stop the service, and the socket that would start it again."""
        self._known()
        self._ask("stop", self.socket, self.service)

    def restart(self) -> None:
        """Stop and start the service; a daemon that hangs is killed. Clients wait meanwhile."""
        self._known()
        self._ask("reset-failed", self.service, self.socket)
        self._ask("restart", self.service)

    def status(self) -> dict[str, object]:
        """Return how the service is. Raises `NotFound` where it is not installed."""
        shown = self._properties(self.service)
        if shown["LoadState"] == "not-found":
            raise self._not_installed()
        return {
            "manager": self.name,
            "unit": self.service,
            "state": shown["ActiveState"],
            "pid": int(shown["MainPID"]) or None,
            "since": shown["ActiveEnterTimestamp"] or None,
            "restarts": int(shown["NRestarts"]),
            "result": shown["Result"],
            "exit_code": int(shown["ExecMainStatus"]),
            "at_start": shown["UnitFileState"] == "enabled",
            "said": shown["StatusText"],
            "socket": self._properties(self.socket)["ActiveState"],
        }

    def logs(self, lines: int, *, follow: bool) -> int:
        """Print the last lines of the log; return an exit code."""
        of = f"--unit={self.service}" if self._user else f"--user-unit={self.service}"
        words = ["journalctl", of, f"--lines={lines}", "--no-pager"]
        return calling.show([*words, *["--follow"] * follow], self._environ)

    def lingers(self) -> bool | None:
        """Say whether the service outlives the user's last session; None if nobody knows."""
        if self._user:
            return True
        asked = ["loginctl", "show-user", str(os.getuid()), "--property=Linger", "--value"]
        try:
            answer = calling.ask(asked).strip()
        except HippodError:
            return None
        return {"yes": True, "no": False}.get(answer)

    def linger(self) -> None:
        """Let the service outlive the user's last session."""
        calling.ask(["loginctl", "enable-linger"])

    def _known(self) -> None:
        if self._properties(self.service)["LoadState"] == "not-found":
            raise self._not_installed()

    def _not_installed(self) -> NotFound:
        option = f" --system {self._user}" if self._user else ""
        return NotFound(f"no service {self.service}", f"hippod service install{option}")

    def _properties(self, unit: str) -> dict[str, str]:
        text = self._ask("show", unit, f"--property={','.join(_SHOWN)}")
        rows = dict(line.partition("=")[::2] for line in text.splitlines())
        return {name: rows.get(name) or _EMPTY.get(name, "") for name in _SHOWN}

    def _ask(self, *words: str) -> str:
        if not self._user and not self.runtime:
            raise HippodError(
                "there is no systemd of this user here (XDG_RUNTIME_DIR is not set)", _WITHOUT
            )
        done = calling.attempt([*self._control, *words], self._environ)
        if done.returncode == 0:
            return done.stdout
        said = (done.stderr.strip().splitlines() or ["it failed without a word"])[0]
        if "bus" in said or "not been booted" in said:
            whose = "systemd" if self._user else "systemd of this user"
            raise HippodError(f"there is no {whose} here ({said})", _WITHOUT)
        raise HippodError(f"systemctl {' '.join(words)}: {said}", "see: hippod service logs")


_EMPTY = {"MainPID": "0", "NRestarts": "0", "ExecMainStatus": "0"}
_WITHOUT = "run the daemon yourself: hippod run"


def runtime_folder(environ: Mapping[str, str]) -> str:
    """Return the runtime folder of this user, also where cron, su or ssh did not say it."""
    usual = f"/run/user/{os.getuid()}"
    given = environ.get("XDG_RUNTIME_DIR", "")
    return given or (usual if Path(usual, "systemd/private").exists() else "")


def exposures(units: Sequence[UnitFile]) -> dict[str, str]:
    """Return what `systemd-analyze security` says of the service, alone and with the drop-in.

    Raises `HippodError` where there is no such program.
    """
    service = next(unit for unit in units if unit.name in ("hippod.service", "hippod@.service"))
    loosened = UnitFile(f"{service.name}.d/{COMMANDS_FILE}", commands_drop_in())
    return {
        "exposure": _exposure(service),
        "exposure with heartbeat commands": _exposure(service, loosened),
    }


def _exposure(service: UnitFile, *drop_ins: UnitFile) -> str:
    import tempfile

    with tempfile.TemporaryDirectory(prefix="hippod-") as folder:
        for unit in (service, *drop_ins):
            path = Path(folder, unit.name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(unit.text, encoding="utf-8")
        words = ["systemd-analyze", "security", "--offline=true", "--no-pager"]
        said = calling.ask([*words, str(Path(folder, service.name))])
    found = re.search(r": (\d+\.\d+ \w+)", said.splitlines()[-1] if said else "")
    return found[1] if found else "unknown"


def _own_folder(environ: Mapping[str, str]) -> Path:
    base = environ.get("XDG_CONFIG_HOME", "")
    home = environ.get("HOME") or str(Path.home())
    return Path(base if base.startswith("/") else f"{home}/.config", "systemd/user")
