"""Named checks of the configuration: the command of each is run in the workspace."""

from collections.abc import Mapping
from pathlib import Path

from hippod import config, lanes
from hippod.commands import Command, Commands, Outcome

__all__ = ["Outcome", "Runner"]

_LOCALE = ("LC_ALL", "LANG")
"""Variables that choose the language of programs."""


class Runner:
    """Runs the commands of checks in the folder `cwd`; any thread may `stop` it."""

    def __init__(self, cwd: Path, environ: Mapping[str, str]) -> None:
        self._commands = Commands(cwd, environ)

    def run(self, check: config.Check) -> Outcome:
        """Run the command of a check and return what came of it. Never raises.

        Where its `error` is not empty the check failed, whatever was printed. Numbers and dates
        are printed as everywhere, unless the check's list of variables names a locale.
        """
        lanes.moved()
        return self._commands.run(
            Command(
                check.command,
                check.environment,
                check.timeout,
                check.output_bytes,
                settings=() if set(_LOCALE) & set(check.environment) else (("LC_ALL", "C"),),
            )
        )

    def stop(self) -> None:
        """End what runs, and start nothing more."""
        self._commands.stop()
