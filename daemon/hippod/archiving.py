"""The archive: which daily logs are old enough for it, which stay all the same, and moving them."""

from datetime import date

from hippod import markdown
from hippod.config import LOG_SOURCE, Config
from hippod.errors import Conflict, HippodError, PathRefused
from hippod.factbook import CONFLICTED
from hippod.reflection import tidiness
from hippod.reflection.tidiness import OldLog
from hippod.retain import Retainer
from hippod.state import State
from hippod.workspace import Workspace


class Archiving:
    """Moves daily logs beyond `[hygiene] max_daily_logs` to `archive/YYYY/`."""

    def __init__(
        self, config: Config, workspace: Workspace, state: State, retainer: Retainer
    ) -> None:
        self._config = config
        self._workspace = workspace
        self._state = state
        self._retainer = retainer

    def due(self, today: date) -> list[tuple[OldLog, str]]:
        """Return the logs to move, oldest first, each with why it must stay; empty: it may go."""
        files = self._workspace.scan().files
        logs = tidiness.old_logs(files, self._config.hygiene.max_daily_logs, today)
        if not logs:
            return []
        unread = self._unread()
        busy = self._busy_days()
        first = {log.to: log.path for log in reversed(logs)}
        return [
            (log, self._why_left(log, unread, busy) or _why_second(log, first[log.to]))
            for log in logs
        ]

    def move(self, log: OldLog, actor: str) -> None:
        """Move a log, as it is; raises `Conflict` while facts are written to it."""
        with self._workspace.held():  # nobody begins to write to it at this very moment
            if self._retainer.is_writing(log.path):
                raise Conflict(f"{log.path}: facts are being written to it", "try again later")
            self._workspace.move(log.path, log.to, actor=actor)

    def _why_left(self, log: OldLog, unread: set[str], busy: set[date]) -> str:
        if log.path in unread:
            return "its notes are not read yet"
        if log.day in busy:
            return "facts of its day are being written"
        try:
            return self._why_not_movable(log)
        except HippodError as error:
            return error.message

    def _why_not_movable(self, log: OldLog) -> str:
        if self._workspace.exists(log.to):
            return f"{log.to} exists already: merge the two by hand"
        if self._is_hidden(log.to):
            return "the archive is excluded from the memory by an ignore file"
        if self._was_brought_back(log):
            return "it was archived, and brought back by undo"
        loaded = self._workspace.load(log.path)
        if loaded is None:
            return "it is not text"
        return CONFLICTED if markdown.is_conflicted(loaded.text) else ""

    def _unread(self) -> set[str]:
        """Return the daily logs whose notes wait to be extracted: elsewhere they never would."""
        root = self._workspace.root
        waiting = (file.path for file in self._retainer.unread() if file.source == LOG_SOURCE)
        return {path.relative_to(root).as_posix() for path in waiting if path.is_relative_to(root)}

    def _busy_days(self) -> set[date]:
        """Return the days for which facts may come: they go to the log at its usual place."""
        days: set[date] = set()
        for batch in self._state.open_batches():
            days |= {fact.day for fact in batch.facts}
            times = (turn.time for turn in batch.turns if turn.time is not None)
            days |= {time.astimezone(self._config.zone).date() for time in times}
        return days

    def _is_hidden(self, path: str) -> bool:
        try:
            self._workspace.refuse_excluded(path)
        except PathRefused:
            return True
        return False

    def _was_brought_back(self, log: OldLog) -> bool:
        entries = self._state.entries_since(0, log.path)
        return any(
            each.change.operation == "rename"
            and (each.change.path, each.change.target) == (log.path, log.to)
            and each.undone_by is not None
            for each in entries
        )


def _why_second(log: OldLog, first: str) -> str:
    same = first == log.path
    return "" if same else f"{first} is of the same day: merge the two by hand"
