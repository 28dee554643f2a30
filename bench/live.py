"""A real daemon on a generated workspace, indexed and at rest before anything is measured."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.processes import Daemon, running, wait_for

from bench import corpus

_PATIENCE_SECONDS = 600
_NO_NOTES = {"HIPPOD_RETAIN__LOGS": "false"}
"""Nobody wrote the generated logs: extracting from them would go on beside what is measured."""
_LOG_END = 4_000
"""Characters of the daemon's log that are shown when something goes wrong."""


@contextmanager
def daemon(folder: Path, files: int, settings: Mapping[str, str] | None = None) -> Iterator[Daemon]:
    """Yield a daemon whose index holds `files` generated documents."""
    corpus.fill(folder / "workspace", corpus.documents(files))
    with running(folder, {**_NO_NOTES, **(settings or {})}) as started:
        try:
            wait_for(lambda: _is_settled(started), "the first index", _PATIENCE_SECONDS)
            yield started
        except Exception:
            code = started.process.poll() if started.process else None
            print(f"the daemon ({code=}) wrote last:", file=sys.stderr)
            print(started.log.read_text()[-_LOG_END:], file=sys.stderr)
            raise


def units(daemon: Daemon) -> int:
    """Return how many units the daemon's index holds."""
    return int(daemon.client.status()["index"]["units"])


def _is_settled(daemon: Daemon) -> bool:
    status = daemon.client.status()
    index = status["index"]
    scanned = all(job["last_run"] for job in status["jobs"])
    return scanned and index["state"] == "ready" and not index["vectors"]["pending"]
