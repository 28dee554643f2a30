"""What a beat found, told: in the daily log, as an event, through the notifiers."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

import structlog

from hippod import daylog, facts
from hippod.checklist import telling
from hippod.checklist.items import Item
from hippod.checklist.telling import Manner
from hippod.checklist.verdict import Verdict
from hippod.config import Config
from hippod.errors import HippodError
from hippod.events import Events
from hippod.notifiers import Alert, AlertItem, Notifiers
from hippod.workspace import Workspace

logger = structlog.get_logger()

ACTOR: Final = "heartbeat"
"""Name in the journal."""
_ALERT: Final = "heartbeat.alert"
_LOG, _NOTIFIERS = "heartbeat.log", "notifiers"
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
"""What opens a comment or a tag: in the log it would hide what stands behind it."""


class Alerting:
    """Tells findings; `changed(path)` hears of each log that was written."""

    def __init__(
        self,
        config: Config,
        workspace: Workspace,
        events: Events,
        notifiers: Notifiers,
        changed: Callable[[str], None],
    ) -> None:
        self._config = config
        self._workspace = workspace
        self._events = events
        self._notifiers = notifiers
        self._changed = changed

    def note_id(self, item: Item, words: str, once: str, now: datetime) -> str:
        """Return the id of a note; `once` is what makes it another one than those before."""
        return facts.fact_id(ACTOR, now.date().isoformat(), item.key, f"{words} {once}")

    def write(self, words: str, note: str, now: datetime) -> bool:
        """Note a finding in the log of the user's day; raises `HippodError`.

        A note that stands there already, because a crash came behind it, is not written again:
        return whether it is new.
        """
        try:
            shown = _TAG.sub("&lt;", words)
            is_new = self._append(f"[{now:%H:%M:%S}] {daylog.BEAT}{shown} ^{note}", note, now)
        except HippodError as error:
            self._events.fault(_LOG, error.message, error.hint)
            raise
        self._events.well(_LOG)
        return is_new

    def _append(self, entry: str, note: str, now: datetime) -> bool:
        path = daylog.log_path(now.date(), self._config.workspace.layout)
        if f"^{note}".encode() in (self._workspace.raw(path) or b""):
            return False
        written = self._workspace.append_log(now.date(), entry, actor=ACTOR)
        self._changed(written.path)
        return True

    def is_published(self, note: str) -> bool:
        """Say whether there is an event of a note."""
        return any(each.data.get("note") == note for each in self._events.newest([_ALERT]))

    def publish(self, item: Item, verdict: Verdict, words: str, manner: Manner, note: str) -> None:
        """Publish a finding as an event."""
        self._events.publish(
            _ALERT,
            {
                "title": f"Heartbeat: {verdict.state}",
                "text": words,
                "item": item.text,
                "kind": item.kind,
                "state": verdict.state,
                "reason": verdict.reason,
                "evidence": list(verdict.evidence),
                "urgent": manner.urgent,
                "quiet": manner.quiet,
                "note": note,
            },
        )

    def notify(self, items: Sequence[AlertItem], now: datetime) -> tuple[list[str], bool]:
        """Send what needs attention everywhere at once.

        Return what was wrong, and whether it was taken: by one notifier, or there is none.
        """
        counts = telling.counted([each.state for each in items])
        title = f"hippod: {counts}" if items[1:] else "hippod: attention"
        text = telling.listed([each.reason for each in items])
        urgent = any(each.urgent for each in items)
        faults = self._notifiers.tell(Alert(title, text, tuple(items), now, urgent))
        if faults:
            self._events.fault(_NOTIFIERS, "; ".join(faults))
        else:
            self._events.well(_NOTIFIERS)
        return faults, len(faults) < max(self._notifiers.ways, 1)
