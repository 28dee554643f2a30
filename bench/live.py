"""A real daemon on a generated workspace, indexed and at rest before anything is measured."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.processes import Daemon, running, wait_for

from bench import corpus
from hippod import config
from hippod.compose import Assembly, assemble

_PATIENCE_SECONDS = 600
_SETTINGS = {"HIPPOD_RETAIN__LOGS": "false", "HIPPOD_WORKSPACE__TIMEZONE": "UTC"}
"""Nobody wrote the generated logs: extracting from them would go on beside what is measured."""
_LOG_END = 4_000
"""Characters of the daemon's log that are shown when something goes wrong."""


@contextmanager
def daemon(folder: Path, files: int, settings: Mapping[str, str] | None = None) -> Iterator[Daemon]:
    """Yield a daemon whose index holds `files` generated documents."""
    corpus.fill(folder / "workspace", corpus.documents(files))
    with at_rest(folder, settings) as started:
        yield started


@contextmanager
def at_rest(folder: Path, settings: Mapping[str, str] | None = None) -> Iterator[Daemon]:
    """Yield a daemon on the workspace below `folder` that has nothing to do."""
    with running(folder, {**_SETTINGS, **(settings or {})}) as started:
        try:
            wait_for(lambda: is_settled(started), "the first index", _PATIENCE_SECONDS)
            yield started
        except Exception:
            code = started.process.poll() if started.process else None
            print(f"the daemon ({code=}) wrote last:", file=sys.stderr)
            print(started.log.read_text()[-_LOG_END:], file=sys.stderr)
            raise


def stopped(folder: Path, settings: Mapping[str, str] | None = None) -> Daemon:
    """Return a daemon on the workspace below `folder` that is not started."""
    return Daemon(folder, {**_SETTINGS, **(settings or {})})


@contextmanager
def assembled(folder: Path, settings: Mapping[str, str] | None = None) -> Iterator[Assembly]:
    """Yield the daemon's parts over the workspace below `folder`, in this process."""
    daemon = stopped(folder, settings)
    loaded = config.load(None, daemon.environ)
    root = loaded.workspace.model_copy(update={"path": daemon.workspace})
    with assemble(loaded.model_copy(update={"workspace": root}), None) as parts:
        yield parts


def units(daemon: Daemon) -> int:
    """Return how many units the daemon's index holds."""
    return int(daemon.client.status()["index"]["units"])


def is_settled(daemon: Daemon) -> bool:
    """Say whether a daemon has looked at everything and has nothing left to index."""
    status = daemon.client.status()
    index = status["index"]
    scanned = any(job["name"] == "reconcile" and job["last_run"] for job in status["jobs"])
    return scanned and index["state"] == "ready" and not index["vectors"]["pending"]
