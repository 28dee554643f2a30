"""What every compared memory can do, and how it is set up in a scratch folder of its own."""

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

_PATIENCE_SECONDS = 3_600
_SHOWN = 400


class NotRunnable(Exception):
    """A tool cannot be measured here; says why."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a tool lives: programs in `programs` (kept), everything else below `home` (new)."""

    programs: Path
    home: Path
    notes: Path
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def environ(self) -> dict[str, str]:
        """The environment of its processes: nothing of the user's, nothing online."""
        offline = {"HF_HUB_OFFLINE": "1", "DO_NOT_TRACK": "1", "NO_COLOR": "1"}
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), **offline, **self.settings}

    def run(self, *program: str | Path, environ: Mapping[str, str] | None = None) -> str:
        """Run a program to its end and return what it printed; raises `NotRunnable`."""
        words = [str(word) for word in program]
        try:
            ended = subprocess.run(
                words, env=environ or self.environ, cwd=self.home, capture_output=True, text=True,
                timeout=_PATIENCE_SECONDS, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            raise NotRunnable(f"{' '.join(words[:3])}: {error}") from None
        if ended.returncode:
            said = (ended.stderr or ended.stdout).strip()[-_SHOWN:]
            raise NotRunnable(f"{' '.join(words[:3])}: exit code {ended.returncode}: {said}")
        return ended.stdout


class Tool(Protocol):
    """A memory for agents that can be asked from the command line and from a running process."""

    name: str
    mode: str
    """How it searches offline, and what of it does not run offline."""

    def install(self) -> None:
        """Install it from its package registry; raises `NotRunnable`."""
        ...

    def index(self) -> None:
        """Index the notes, from nothing."""
        ...

    def cold(self, question: str) -> Sequence[str]:
        """Return the program that asks one question and ends."""
        ...

    def warm(self) -> AbstractContextManager[Callable[[str], str]]:
        """Yield a function that asks a running process one question."""
        ...
