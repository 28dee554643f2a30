"""The launchd agent of one user: a property list."""

import plistlib
from pathlib import Path
from typing import Any

from hippod.units.setup import Setup, UnitFile, absolute, sayable

LABEL = "io.hippod.daemon"
NAME = f"{LABEL}.plist"
_PATH = "/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


def agent(setup: Setup, home: str) -> UnitFile:
    """Return the agent of the user whose home folder is `home`."""
    text = plistlib.dumps(_content(setup, home), sort_keys=False).decode()
    return UnitFile(NAME, text, setup.workspace)


def log_folder(home: str) -> Path:
    """Return where the daemon's log and the output of a crash lie."""
    return Path(home, "Library/Logs/hippod")


def log_file(home: str) -> Path:
    """Return the log that the daemon itself writes and keeps small."""
    return log_folder(home) / "hippod.log"


def _content(setup: Setup, home: str) -> dict[str, Any]:
    absolute(setup.program[0])
    settings = {
        "PATH": f"{home}/.local/bin:{_PATH}",
        "HIPPOD_LOG__FILE": str(log_file(home)),
        **dict(setup.settings),
    }
    return {
        "Label": LABEL,
        "ProgramArguments": [sayable(word) for word in (*setup.program, "run")],
        "EnvironmentVariables": {name: sayable(value) for name, value in settings.items()},
        "WorkingDirectory": sayable(home),
        "RunAtLoad": True,
        # An exit code of 0 is meant: told to stop, or another daemon is at work.
        "KeepAlive": {"SuccessfulExit": False},
        # launchd has no limit of starts: what fails at once is tried once a minute.
        "ThrottleInterval": 60,
        "ExitTimeOut": 30,
        "ProcessType": "Background",
        "LowPriorityIO": True,
        "Nice": 5,
        "Umask": 0o077,
        "HardResourceLimits": {"Core": 0},
        "StandardErrorPath": sayable(str(log_folder(home) / "crash.log")),
    }
