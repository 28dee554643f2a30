"""The verbs, one method each: what the library, HTTP, the CLI and MCP all call.

Methods block and are safe to call from several threads. Each takes the scope of its caller
and lets `may_see` decide; a refusal never says whether the path exists.
"""

import os
import time
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

from hippod import __version__, daylog, redact, wire
from hippod.config import Config, explain
from hippod.errors import Forbidden, InvalidInput, NotFound
from hippod.index import Index
from hippod.models import Embedder
from hippod.recall import recall as recall_hits
from hippod.retain import Retainer
from hippod.scope import Scope, may_see
from hippod.state import State
from hippod.workspace import Workspace, Written


class Jobs:
    """The scheduled jobs as the verbs see them; the daemon replaces this by its scheduler."""

    def all(self) -> list[wire.Job]:
        """Return every job; none without a daemon."""
        return []

    def run(self, name: str) -> wire.Job:
        """Run a job now and wait for it."""
        raise NotFound(f"no job {name!r}", "without a daemon there are no jobs")


class Memory:
    """One workspace with its index, state and models: every verb of hippod.

    `changed`, `pending`, `describe` and `jobs_door` are the daemon's hooks: where a changed
    path is reported (here: indexed at once), how many paths wait, what else `status` tells, and
    the scheduler.
    """

    def __init__(
        self,
        *,
        config: Config,
        config_path: Path | None,
        workspace: Workspace,
        state: State,
        index: Index,
        embedder: Embedder | None,
        retainer: Retainer,
        clock: Callable[[], datetime],
    ) -> None:
        self.jobs_door = Jobs()
        self.changed: Callable[[str], None] = self._index_now
        self.pending: Callable[[], int] = lambda: 0
        self.describe: Callable[[], dict[str, Any]] = dict
        self._config = config
        self._config_path = config_path
        self._workspace = workspace
        self._state = state
        self._index = index
        self._embedder = embedder
        self._retainer = retainer
        self._clock = clock
        self._started = time.monotonic()

    # -- questions ---------------------------------------------------------------------------

    def recall(self, request: wire.RecallRequest) -> wire.RecallAnswer:
        """Search the memory: hits with citations, best first."""
        answer = recall_hits(
            request,
            self._index,
            self._embedder,
            self._config.recall,
            now=self._clock(),
            zone=self._config.zone,
            group_paths=self._config.privacy.group_paths,
            pending=self.pending(),
        )
        if request.scope == "group":
            hits = tuple(
                hit.model_copy(update={"content": redact.strip_private(hit.content)})
                for hit in answer.hits
            )
            return answer.model_copy(update={"hits": hits})
        return answer

    search = recall

    def retain(self, request: wire.RetainRequest) -> wire.RetainAnswer:
        """Take messages or facts, or extract now what waits."""
        self._main_only(request.scope, "retain")
        return self._retainer.take(request)

    # -- documents ---------------------------------------------------------------------------

    def read(self, path: str, *, scope: Scope = "main") -> wire.FileContent:
        """Read a document of the workspace."""
        self._check(scope, path)
        document = self._workspace.read(path)
        text = redact.strip_private(document.text) if scope == "group" else document.text
        return wire.FileContent(
            path=document.path,
            content=text,
            etag=document.etag,
            size=document.size,
            modified=document.modified.astimezone(self._config.zone).isoformat(),
        )

    def write(
        self, path: str, content: str, *, etag: str | None = None, scope: Scope = "main"
    ) -> wire.Written:
        """Write a whole document; what stood there stays in the journal."""
        self._check(scope, path)
        return self._written(self._workspace.write(path, content, etag))

    def append(
        self, path: str, content: str, *, etag: str | None = None, scope: Scope = "main"
    ) -> wire.Written:
        """Add text on a line of its own at the end of a document, which may be new."""
        self._check(scope, path)
        return self._written(self._workspace.append(path, content, etag))

    def replace(
        self, path: str, old: str, new: str, *, etag: str | None = None, scope: Scope = "main"
    ) -> wire.Written:
        """Replace the one place where `old` stands."""
        self._check(scope, path)
        return self._written(self._workspace.replace(path, old, new, etag))

    def delete(self, path: str, *, etag: str | None = None, scope: Scope = "main") -> wire.Written:
        """Delete a document; its bytes stay in the journal."""
        self._check(scope, path)
        return self._written(self._workspace.delete(path, etag))

    def tree(
        self, directory: str = "", *, recursive: bool = False, scope: Scope = "main"
    ) -> wire.Tree:
        """List a folder; a group scope sees only what it may read."""
        entries = [
            wire.TreeEntry(name=e.name, path=e.path, is_directory=e.is_directory)
            for e in self._workspace.tree(directory, recursive=recursive)
        ]
        if scope == "group":
            entries = [e for e in entries if self._group_sees(e)]
        return wire.Tree(directory=directory, entries=tuple(entries))

    # -- daily logs --------------------------------------------------------------------------

    def today_log(self, scope: Scope = "main") -> wire.DailyLog:
        """Return today's daily log, in the user's zone."""
        return self._daily(self._today(), scope)

    def daily_log(self, day: str, scope: Scope = "main") -> wire.DailyLog:
        """Return the daily log of an ISO date."""
        return self._daily(_iso_day(day), scope)

    def append_daily_log(
        self, text: str, *, date: str | None = None, scope: Scope = "main"
    ) -> wire.Written:
        """Append `[HH:MM:SS] text` to a daily log, by default today's."""
        day = _iso_day(date) if date else self._today()
        self._check(scope, daylog.log_path(day, self._config.workspace.layout))
        line = " ".join(text.split())
        if not line:
            raise InvalidInput("text: nothing to note")
        stamp = self._clock().astimezone(self._config.zone).strftime("%H:%M:%S")
        return self._written(self._workspace.append_log(day, f"[{stamp}] {line}"))

    # -- operations --------------------------------------------------------------------------

    def status(self, scope: Scope = "main") -> dict[str, Any]:
        """Describe workspace, index, models, sources and jobs; a group learns only the version."""
        brief: dict[str, Any] = {"ok": True, "version": __version__, "wire": wire.WIRE_VERSION}
        if scope == "group":
            return brief
        return {
            **brief,
            "pid": os.getpid(),
            "uptime_seconds": round(time.monotonic() - self._started, 1),
            "workspace": {
                "path": str(self._workspace.root),
                "layout": self._config.workspace.layout,
                "timezone": self._config.zone.key,
            },
            "index": self._index.status(),
            "retain": self._retainer.status(),
            **self.describe(),
            "jobs": [job.model_dump() for job in self.jobs_door.all()],
        }

    def effective_config(self, scope: Scope = "main") -> dict[str, Any]:
        """Return every configured value and where it comes from."""
        self._main_only(scope, "config")
        return explain(self._config, self._config_path, os.environ)

    def jobs(self, scope: Scope = "main") -> list[wire.Job]:
        """List the scheduled jobs."""
        self._main_only(scope, "jobs")
        return self.jobs_door.all()

    def run_job(self, name: str, scope: Scope = "main") -> wire.Job:
        """Run a job now and wait for it."""
        self._main_only(scope, "jobs")
        return self.jobs_door.run(name)

    def reindex(self, *, full: bool = False, scope: Scope = "main") -> dict[str, Any]:
        """Look at every file again; `full` rebuilds the index from nothing."""
        self._main_only(scope, "reindex")
        report = self._index.rebuild() if full else self._index.reconcile(verify=True)
        return report.summary()

    # ----------------------------------------------------------------------------------------

    def _written(self, written: Written) -> wire.Written:
        if written.changed:
            self.changed(written.path)
        return wire.Written(
            path=written.path, etag=written.etag, changed=written.changed, line=written.line
        )

    def _index_now(self, path: str) -> None:
        self._index.update([path])

    def _check(self, scope: Scope, path: str) -> None:
        if not may_see(scope, path, self._config.privacy.group_paths):
            raise Forbidden(
                f"{path}: outside what scope {scope!r} may see", "see [privacy] group_paths"
            )

    def _main_only(self, scope: Scope, verb: str) -> None:
        if scope != "main":
            raise Forbidden(f"{verb} is not for scope {scope!r}")

    def _group_sees(self, entry: wire.TreeEntry) -> bool:
        path = f"{entry.path}/x" if entry.is_directory else entry.path
        return may_see("group", path, self._config.privacy.group_paths)

    def _today(self) -> date:
        return self._clock().astimezone(self._config.zone).date()

    def _daily(self, day: date, scope: Scope) -> wire.DailyLog:
        path = daylog.log_path(day, self._config.workspace.layout)
        try:
            found = self.read(path, scope=scope)
        except NotFound:
            return wire.DailyLog(date=day.isoformat(), path=path, content="", exists=False)
        return wire.DailyLog(date=day.isoformat(), path=path, content=found.content, exists=True)


def _iso_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InvalidInput(f"date: {text!r} is not a day such as 2026-03-03") from None
