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

    def write(self, item: Item, words: str, once: str, now: datetime) -> None:
        """Note a finding in the log of the user's day; raises `HippodError`.

        `once` is what makes this note another one than those before: a note that stands there
        already, because a crash came behind it, is not written again.
        """
        id_ = facts.fact_id(ACTOR, now.date().isoformat(), item.key, f"{words} {once}")
        try:
            shown = _TAG.sub("&lt;", words)
            self._append(f"[{now:%H:%M:%S}] Heartbeat: {shown} ^{id_}", id_, now)
        except HippodError as error:
            self._events.fault(_LOG, error.message, error.hint)
            raise
        self._events.well(_LOG)

    def _append(self, entry: str, id_: str, now: datetime) -> None:
        path = daylog.log_path(now.date(), self._config.workspace.layout)
        if f"^{id_}".encode() not in (self._workspace.raw(path) or b""):
            written = self._workspace.append_log(now.date(), entry, actor=ACTOR)
            self._changed(written.path)

    def publish(self, item: Item, verdict: Verdict, words: str, manner: Manner) -> None:
        """Publish a finding as an event."""
        self._events.publish(
            "heartbeat.alert",
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
            },
        )

    def notify(self, items: Sequence[AlertItem], now: datetime) -> list[str]:
        """Send what needs attention everywhere at once; return what was wrong."""
        title = f"hippod: {len(items)} things need attention" if items[1:] else "hippod: attention"
        text = telling.reply([each.reason for each in items])
        urgent = any(each.urgent for each in items)
        faults = self._notifiers.tell(Alert(title, text, tuple(items), now, urgent))
        if faults:
            self._events.fault(_NOTIFIERS, "; ".join(faults))
        else:
            self._events.well(_NOTIFIERS)
        return faults
