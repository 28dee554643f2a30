"""Where alerts go: a notification of the desktop, a command, a webhook. Each fails alone."""

import html
import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from hippod import config, redact
from hippod.commands import Command, Commands, Outcome

if TYPE_CHECKING:
    from hippod.webhook import Webhook

_ENVIRONMENT = (
    "PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ",
    "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
)  # fmt: skip
"""What a command sees: enough to reach the user's desktop."""
_OUTPUT = 4_000
_LONGEST_TITLE = 120
_LONGEST_TEXT = 1_000
_LONGEST_FAULT = 200
_TOKEN = re.compile(r"[!-~]+")
"""What the header of a request can carry."""


@dataclass(frozen=True, slots=True)
class AlertItem:
    """One thing that needs attention: what stands in the list, why, and where that is written.

    `state` is `attention`, or `failed` where it could not be looked at.
    """

    item: str
    reason: str
    evidence: tuple[str, ...] = ()
    urgent: bool = False
    state: str = "attention"


@dataclass(frozen=True, slots=True)
class Alert:
    """What people are told at once; `time` is their local time, aware."""

    title: str
    text: str
    items: tuple[AlertItem, ...]
    time: datetime
    urgent: bool = False


class Notifiers:
    """The configured ways to tell people; any thread may `stop` them.

    `cwd` is where commands run. `platform` is as in `sys.platform`.
    """

    def __init__(
        self,
        notify: config.Notify,
        environ: Mapping[str, str],
        *,
        cwd: Path = Path("/"),
        platform: str = sys.platform,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        self._notify = notify
        self._platform = platform
        self._commands = Commands(cwd, environ)
        self._token = environ.get(notify.webhook_token_env, "").strip()
        self._webhook = self._door(sleep) if notify.webhook else None

    def tell(self, alert: Alert) -> list[str]:
        """Send an alert every configured way; return one sentence for each that failed.

        Secrets and private spans are cut from it. Never raises; takes a few timeouts at most.
        """
        said = _sayable(alert)
        ways = (
            (self._notify.desktop, "desktop", self._show),
            (self._notify.command, "command", self._hand_over),
            (self._notify.webhook, "webhook", self._post),
        )
        faults = [(name, way(said)) for wanted, name, way in ways if wanted]
        return [f"notify.{name}: {fault}" for name, fault in faults if fault]

    @property
    def ways(self) -> int:
        """How many ways are configured."""
        return sum(map(bool, (self._notify.desktop, self._notify.command, self._notify.webhook)))

    def faults_now(self) -> list[str]:
        """Say which ways cannot work as they are configured; nothing is sent."""
        desktop = "osascript" if self._platform == "darwin" else "notify-send"
        programs = {
            "desktop": (desktop,) if self._notify.desktop else (),
            "command": self._notify.command,
        }
        found = {
            name: self._commands.fault(self._command(words))
            for name, words in programs.items()
            if words
        }
        found["webhook"] = self._token_fault() if self._notify.webhook else ""
        return [f"notify.{name}: {fault}" for name, fault in found.items() if fault]

    def stop(self) -> None:
        """End what is under way, and send nothing more."""
        self._commands.stop()
        if self._webhook is not None:
            self._webhook.close()

    def _show(self, alert: Alert) -> str:
        words = (_osascript if self._platform == "darwin" else _notify_send)(alert)
        outcome = self._run(words)
        if outcome.error and self._platform != "darwin":
            return f"{outcome.error} (notify-send is part of libnotify; else set desktop = false)"
        if outcome.exit:
            said = " ".join(outcome.output.split())[:_LONGEST_FAULT]
            return f"{words[0]} failed with exit code {outcome.exit}: {said or 'it says nothing'}"
        return outcome.error

    def _hand_over(self, alert: Alert) -> str:
        outcome = self._run(self._notify.command, json.dumps(_wire(alert)).encode())
        if outcome.exit:
            name = Path(self._notify.command[0]).name
            said = f": {outcome.complaint}" if outcome.complaint else ""  # its output is the alert
            return f"{name} failed with exit code {outcome.exit}{said}"
        return outcome.error

    def _door(self, sleep: Callable[[float], None] | None) -> "Webhook":
        from hippod.webhook import Webhook  # with an HTTP client: every start would wait for it

        token = SecretStr(self._token)
        return Webhook(self._notify.webhook, token, timeout=self._notify.timeout, sleep=sleep)

    def _post(self, alert: Alert) -> str:
        from hippod.webhook import Undelivered

        assert self._webhook is not None
        if fault := self._token_fault():
            return fault
        try:
            self._webhook.post(_wire(alert))
        except Undelivered as error:
            return f"{error.message}: {error.hint}" if error.hint else error.message
        return ""

    def _token_fault(self) -> str:
        variable = self._notify.webhook_token_env
        if not variable or _TOKEN.fullmatch(self._token):
            return ""
        said = "holds no token: one word of ASCII" if self._token else "is not set"
        return f"the environment variable {variable} {said}"

    def _command(self, words: tuple[str, ...], stdin: bytes = b"") -> Command:
        return Command(words, _ENVIRONMENT, self._notify.timeout, _OUTPUT, stdin)

    def _run(self, words: tuple[str, ...], stdin: bytes = b"") -> Outcome:
        return self._commands.run(self._command(words, stdin))


def _wire(alert: Alert) -> dict[str, object]:
    """Return what commands and webhooks get."""
    return {"source": "hippod", **asdict(alert), "time": alert.time.isoformat(timespec="seconds")}


def _notify_send(alert: Alert) -> tuple[str, ...]:
    """Return the command; the body is read as markup and with backslash escapes, the title not."""
    body = html.escape(_cut(alert.text, _LONGEST_TEXT), quote=False).replace("\\", "\\\\")
    urgency = "critical" if alert.urgent else "normal"
    title = _cut(alert.title, _LONGEST_TITLE)
    return "notify-send", "--app-name=hippod", f"--urgency={urgency}", "--", title, body


_SCRIPT = """on run argv
display notification (item 2 of argv) with title (item 1 of argv)
end run"""


def _osascript(alert: Alert) -> tuple[str, ...]:
    """Return the command; the texts are arguments and never part of the script."""
    title = _cut(alert.title, _LONGEST_TITLE).lstrip("-") or "hippod"  # else an option
    return "osascript", "-e", _SCRIPT, title, _cut(alert.text, _LONGEST_TEXT)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def _sayable(alert: Alert) -> Alert:
    items = tuple(
        replace(each, item=_clean(each.item), reason=_clean(each.reason)) for each in alert.items
    )
    return Alert(_clean(alert.title), _clean(alert.text), items, alert.time, alert.urgent)


_UNSAYABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def _clean(text: str) -> str:
    """Return `text` without secrets, private spans and what no program takes as an argument."""
    return _UNSAYABLE.sub("", redact.redact(redact.strip_private(text)).text)
