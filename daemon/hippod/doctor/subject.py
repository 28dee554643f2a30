"""What the doctor looks at: a workspace with its configuration, and a running daemon's parts."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from hippod import wire
from hippod.config import Config
from hippod.doctor.tree import Tree
from hippod.index import Index
from hippod.lock import FOLDER
from hippod.models import Embedder, Generator
from hippod.state import State
from hippod.workspace import Workspace


class Watcher(Protocol):
    """The daemon's watcher."""

    def delivers(self, seconds: float) -> float | None:
        """Make a file and return after how many seconds its event came; None: it did not."""
        ...

    def restart(self) -> None:
        """Begin to watch anew."""
        ...


@dataclass(frozen=True, slots=True)
class Models:
    """The models as configured; `notes` says by role why one of them is not there."""

    generator: Generator | None = None
    encoder: Embedder | None = None
    embedder: Embedder | None = None
    notes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Parts:
    """What only the process has that holds the workspace.

    `began` is when it started by the wall clock and by one that nobody sets (both in seconds).
    `settled` says that nothing waits to be indexed.
    """

    workspace: Workspace
    index: Index
    state: State
    jobs: Callable[[], list[wire.Job]]
    recall: Callable[[wire.RecallRequest], wire.RecallAnswer]
    retain_status: Callable[[], Mapping[str, Any]]
    describe: Callable[[], Mapping[str, Any]]
    settled: Callable[[], bool]
    rebuild: Callable[[], object]
    watcher: Watcher | None
    began: tuple[float, float]


class NothingToLookAt(Exception):
    """What a check is about is not there, which another check tells of."""


@dataclass(frozen=True)
class Subject:
    """One workspace as it is examined once.

    `socket` is where its daemon listens (empty: a program holds the workspace without one),
    `parts` are those of whoever runs the doctor in itself; None: it is looked at from outside, and
    `is_locked` says that the workspace is held meanwhile, so that its databases may be opened.
    `proc` is where Linux tells of itself.
    """

    config: Config
    config_path: Path | None
    socket: str
    models: Models
    parts: Parts | None = None
    is_locked: bool = False
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    proc: Path = Path("/proc")
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    @property
    def root(self) -> Path:
        """The workspace."""
        return self.config.workspace.path

    @property
    def folder(self) -> Path:
        """The folder of what is derived, and of the state."""
        return self.root / FOLDER

    @property
    def has_folder(self) -> bool:
        """Whether it is there, and no link: databases behind one are none of ours."""
        return self.folder.is_dir() and not self.folder.is_symlink()

    @cached_property
    def tree(self) -> Tree:
        """All names in the workspace, listed once for all checks.

        Raises `NothingToLookAt` where there is no workspace.
        """
        if not self.root.is_dir():
            raise NothingToLookAt(f"there is no workspace at {self.root}")
        return Tree.of(self.root, self.config.indexing.max_file_bytes)
