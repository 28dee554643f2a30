"""The ways to tell people: real scripts first on PATH, a real server on loopback."""

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from hippod.config import Notify
from hippod.notifiers import Alert, AlertItem, Notifiers
from tests.endpoints import KEY, Misbehaving, answer, dripping, hung_up, misbehaving, silent
from tests.processes import wait_for

ALERT = Alert(
    "hippod: 1 thing needs you",
    "The number is 93, above 90.",
    (AlertItem("check: disk", "The number is 93, above 90.", ("HEARTBEAT.md#L4",)),),
    datetime(2026, 11, 30, 9, 5, tzinfo=ZoneInfo("Europe/Vienna")),
)
WIRE = {
    "source": "hippod",
    "title": "hippod: 1 thing needs you",
    "text": "The number is 93, above 90.",
    "items": [
        {
            "item": "check: disk",
            "reason": "The number is 93, above 90.",
            "evidence": ["HEARTBEAT.md#L4"],
            "urgent": False,
            "state": "attention",
        }
    ],
    "time": "2026-11-30T09:05:00+01:00",
    "urgent": False,
}


def alert(title: str = ALERT.title, text: str = ALERT.text, *, urgent: bool = False) -> Alert:
    return Alert(title, text, ALERT.items, ALERT.time, urgent)


def program(folder: Path, name: str, text: str = "exit 0") -> Path:
    """Make a program that notes its arguments and its input."""
    path = folder / name
    path.write_text(
        f"#!/bin/sh\nprintf '%s\\0' \"$@\" > '{folder}/{name}.arguments'\n"
        f"cat > '{folder}/{name}.input'\n{text}\n"
    )
    path.chmod(0o755)
    return path


def arguments(folder: Path, name: str) -> list[str]:
    return (folder / f"{name}.arguments").read_text().split("\0")[:-1]


def environ(folder: Path, **more: str) -> dict[str, str]:
    return {"PATH": f"{folder}:{os.environ['PATH']}", **more}


@pytest.fixture
def server() -> Iterator[Misbehaving]:
    with misbehaving() as one:
        yield one


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def hooked(server: Misbehaving, slept: list[float], tmp_path: Path) -> Callable[..., Notifiers]:
    def build(**notify: object) -> Notifiers:
        settings = Notify.model_validate({"webhook": server.url, "timeout": 5, **notify})
        return Notifiers(settings, environ(tmp_path, HOOK_TOKEN=KEY), sleep=slept.append)

    return build


def test_without_a_configured_way_nobody_is_told() -> None:
    assert Notifiers(Notify(), {}).tell(ALERT) == []


# -- desktop ---------------------------------------------------------------------------------------


def test_linux_shows_a_notification(tmp_path: Path) -> None:
    program(tmp_path, "notify-send", f"env > '{tmp_path}/env'")
    place = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/x", "SECRET": "no"}
    shown = Notifiers(Notify(desktop=True), environ(tmp_path, **place), platform="linux")
    assert shown.tell(ALERT) == []
    assert arguments(tmp_path, "notify-send") == [
        "--app-name=hippod", "--urgency=normal", "--", ALERT.title, ALERT.text,
    ]  # fmt: skip
    assert "DBUS_SESSION_BUS_ADDRESS=unix:path=/x" in (tmp_path / "env").read_text()
    assert "SECRET" not in (tmp_path / "env").read_text()


def test_what_the_texts_hold_is_shown_and_never_obeyed(tmp_path: Path) -> None:
    for name in ("notify-send", "osascript"):
        program(tmp_path, name)
    hostile = alert('-e "x" & $(touch pwned)', 'a <b>b</b> & \\n "q"\0\x1b[1m\ud800', urgent=True)
    for platform in ("linux", "darwin"):
        shown = Notifiers(Notify(desktop=True), environ(tmp_path), cwd=tmp_path, platform=platform)
        assert shown.tell(hostile) == []
    assert arguments(tmp_path, "notify-send")[1:] == [
        "--urgency=critical", "--", '-e "x" & $(touch pwned)',
        'a &lt;b&gt;b&lt;/b&gt; &amp; \\\\n "q"[1m',
    ]  # fmt: skip
    option, source, title, body = arguments(tmp_path, "osascript")
    assert (option, title, body) == ("-e", 'e "x" & $(touch pwned)', 'a <b>b</b> & \\n "q"[1m')
    assert "(item 2 of argv) with title (item 1 of argv)" in source
    assert not (tmp_path / "pwned").exists()


def test_long_texts_are_cut(tmp_path: Path) -> None:
    program(tmp_path, "notify-send")
    shown = Notifiers(Notify(desktop=True), environ(tmp_path), platform="linux")
    assert shown.tell(alert("ab; " * 100, "cd; " * 5000)) == []
    *_, title, body = arguments(tmp_path, "notify-send")
    assert (len(title), len(body)) == (120, 1000)
    assert title.endswith("…")


def test_a_desktop_without_notifications_is_a_fault_with_a_hint(tmp_path: Path) -> None:
    empty = {"PATH": str(tmp_path)}
    (fault,) = Notifiers(Notify(desktop=True), empty, platform="linux").tell(ALERT)
    assert fault.startswith("notify.desktop: There is no program 'notify-send'")
    assert "libnotify" in fault
    assert "desktop = false" in fault
    (fault,) = Notifiers(Notify(desktop=True), empty, platform="darwin").tell(ALERT)
    assert "'osascript'" in fault


def test_what_notify_send_says_of_its_failure_is_reported(tmp_path: Path) -> None:
    program(tmp_path, "notify-send", "echo 'Cannot autolaunch D-Bus' >&2; exit 1")
    (fault,) = Notifiers(Notify(desktop=True), environ(tmp_path), platform="linux").tell(ALERT)
    assert fault == ("notify.desktop: notify-send failed with exit code 1: Cannot autolaunch D-Bus")


# -- command ---------------------------------------------------------------------------------------


def test_a_command_gets_the_alert_as_json_on_its_input(tmp_path: Path) -> None:
    path = program(tmp_path, "tell")
    told = Notifiers(Notify(command=(str(path), "to me")), environ(tmp_path))
    assert told.tell(ALERT) == []
    assert arguments(tmp_path, "tell") == ["to me"]
    assert json.loads((tmp_path / "tell.input").read_text()) == WIRE


def test_a_command_that_reads_nothing_or_all_of_a_long_alert_is_fine(tmp_path: Path) -> None:
    path = program(tmp_path, "tell")
    (tmp_path / "deaf").write_text("#!/bin/sh\nexec <&-\nsleep 0.2\n")
    (tmp_path / "deaf").chmod(0o755)
    long = alert(text="a long text " * 20_000)
    for name in (str(path), str(tmp_path / "deaf")):
        assert Notifiers(Notify(command=(name,)), environ(tmp_path)).tell(long) == []
    assert json.loads((tmp_path / "tell.input").read_text())["text"] == long.text


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("cat; exit 7", "notify.command: tell failed with exit code 7"),
        ("echo a >&2; echo no route: password: hunter2hunter2 >&2; exit 7",
         "notify.command: tell failed with exit code 7: no route: password: [REDACTED]"),
        ("sleep 71", "notify.command: tell did not end within 0.3 s: raise its timeout, or see "
         "why it hangs."),
        ("kill -KILL $$", "notify.command: tell was killed by SIGKILL."),
    ],
)  # fmt: skip
def test_a_command_that_fails_is_reported_without_what_it_prints(
    tmp_path: Path, text: str, fault: str
) -> None:
    path = program(tmp_path, "tell", text)
    patience = "300ms" if text.startswith("sleep") else "20s"
    settings = Notify.model_validate({"command": [str(path)], "timeout": patience})
    assert Notifiers(settings, environ(tmp_path)).tell(ALERT) == [fault]


def test_secrets_and_private_spans_go_nowhere(tmp_path: Path) -> None:
    path = program(tmp_path, "tell")
    told = alert(
        "Renew <private>the affair</private>it",
        "The token is ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8.",
    )
    Notifiers(Notify(command=(str(path),)), environ(tmp_path)).tell(told)
    sent = json.loads((tmp_path / "tell.input").read_text())
    assert sent["title"] == "Renew it"
    assert sent["text"] == "The token is [REDACTED]."


# -- webhook ---------------------------------------------------------------------------------------


def test_a_webhook_is_posted_to_with_its_token(
    server: Misbehaving, hooked: Callable[..., Notifiers]
) -> None:
    server.enqueue(answer(204, b""))
    assert hooked(webhook_token_env="HOOK_TOKEN").tell(ALERT) == []
    (seen,) = server.seen
    assert seen.body == WIRE
    assert seen.headers["Authorization"] == f"Bearer {KEY}"
    assert seen.headers["Content-Type"] == "application/json"


def test_without_a_token_none_is_sent(
    server: Misbehaving, hooked: Callable[..., Notifiers]
) -> None:
    server.enqueue(answer(200, b"any <words>"))
    assert hooked().tell(ALERT) == []
    assert "Authorization" not in server.seen[0].headers


def test_a_token_that_is_not_there_is_a_fault_and_nothing_is_sent(
    server: Misbehaving, hooked: Callable[..., Notifiers]
) -> None:
    (fault,) = hooked(webhook_token_env="ABSENT").tell(ALERT)
    assert fault == "notify.webhook: the environment variable ABSENT is not set"
    assert server.seen == []


@pytest.mark.parametrize(
    "trouble", [hung_up, answer(503, b""), answer(429, b"", {"Retry-After": "2"})]
)
def test_passing_trouble_is_tried_again_and_is_the_same_message(
    server: Misbehaving, hooked: Callable[..., Notifiers], slept: list[float],
    trouble: Callable[..., None],
) -> None:  # fmt: skip
    server.enqueue(trouble, trouble, answer(200, b""))
    assert hooked().tell(ALERT) == []
    assert len(server.seen) == 3
    assert len({seen.headers["Idempotency-Key"] for seen in server.seen}) == 1
    assert len(slept) == 2
    assert all(0 < pause < 30 for pause in slept)


def test_after_three_attempts_it_is_a_fault(
    server: Misbehaving, hooked: Callable[..., Notifiers]
) -> None:
    server.enqueue(answer(500, b"secret words"))
    (fault,) = hooked().tell(ALERT)
    assert fault == f"notify.webhook: 127.0.0.1:{server.server_port} answers HTTP 500"
    assert len(server.seen) == 3


def test_a_pause_is_waited_for_and_a_long_one_is_not(
    server: Misbehaving, hooked: Callable[..., Notifiers], slept: list[float]
) -> None:
    server.enqueue(answer(429, b"", {"Retry-After": "20"}), answer(200, b""))
    assert hooked().tell(ALERT) == []
    assert slept[0] >= 20
    server.enqueue(answer(429, b"", {"Retry-After": "900"}))
    (fault,) = hooked().tell(ALERT)
    assert "answers HTTP 429" in fault
    assert len(server.seen) == 3


@pytest.mark.parametrize(
    ("status", "hint"), [(400, "check the address"), (401, "check the token"), (404, "address")]
)
def test_a_refusal_is_not_tried_again(
    server: Misbehaving, hooked: Callable[..., Notifiers], status: int, hint: str
) -> None:
    server.enqueue(answer(status, b""))
    (fault,) = hooked().tell(ALERT)
    assert f"answers HTTP {status}: " in fault
    assert hint in fault
    assert len(server.seen) == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(
    server: Misbehaving, hooked: Callable[..., Notifiers], status: int
) -> None:
    with misbehaving() as elsewhere:
        elsewhere.enqueue(answer(200, b""))
        server.enqueue(answer(status, b"", {"Location": elsewhere.url}))
        (fault,) = hooked(webhook_token_env="HOOK_TOKEN").tell(ALERT)
        assert elsewhere.seen == []
    assert "a redirect: write the address that it leads to" in fault
    assert len(server.seen) == 1


def test_the_deadline_holds_and_bodies_are_not_waited_for(
    server: Misbehaving, hooked: Callable[..., Notifiers]
) -> None:
    server.enqueue(dripping)
    assert hooked().tell(ALERT) == []
    server.enqueue(silent)
    began = time.monotonic()
    (fault,) = hooked(timeout="200ms").tell(ALERT)
    assert fault.endswith("did not answer within 0.2 s")
    assert time.monotonic() - began < 10


def test_nobody_listens(slept: list[float]) -> None:
    with misbehaving() as gone:
        url = gone.url
    settings = Notify.model_validate({"webhook": f"{url}/T0KEN/hidden"})
    (fault,) = Notifiers(settings, {}, sleep=slept.append).tell(ALERT)
    assert "cannot be reached: " in fault
    assert "hidden" not in fault
    assert len(slept) == 2


@pytest.mark.parametrize(
    ("token", "said"), [("two\nlines", "holds no token"), ("ünïcode", "no token"), (" ", "not set")]
)
def test_what_no_header_can_carry_is_a_fault_and_nothing_is_sent(
    server: Misbehaving, token: str, said: str
) -> None:
    settings = Notify.model_validate({"webhook": server.url, "webhook_token_env": "HOOK_TOKEN"})
    (fault,) = Notifiers(settings, {"HOOK_TOKEN": token}).tell(ALERT)
    assert said in fault
    assert "lines" not in fault
    assert server.seen == []


def test_stopping_ends_a_call_and_the_wait_for_another(server: Misbehaving) -> None:
    told: list[list[str]] = []
    for behaviour in (silent, answer(429, b"", {"Retry-After": "25"})):
        server.seen.clear()
        server.enqueue(behaviour)
        settings = Notify.model_validate({"webhook": server.url, "timeout": 60})
        notifiers = Notifiers(settings, {})
        thread = threading.Thread(target=lambda n=notifiers: told.append(n.tell(ALERT)))
        thread.start()
        wait_for(lambda: bool(server.seen), "the first attempt")
        notifiers.stop()
        thread.join(15)
        assert not thread.is_alive()
    assert all("the daemon stops" in faults[0] for faults in told)
    assert len(told) == 2


# -- all of them -----------------------------------------------------------------------------------


def test_each_fails_alone(
    server: Misbehaving, hooked: Callable[..., Notifiers], tmp_path: Path
) -> None:
    server.enqueue(answer(200, b""))
    program(tmp_path, "notify-send", "exit 1")
    faults = hooked(desktop=True, command=["/no/such/program"]).tell(ALERT)
    assert [fault.split(": ")[0] for fault in faults] == ["notify.desktop", "notify.command"]
    assert len(server.seen) == 1


def test_what_cannot_work_is_known_without_an_alert(tmp_path: Path) -> None:
    settings = Notify.model_validate(
        {
            "desktop": True,
            "command": ["no-such-program"],
            "webhook": "http://127.0.0.1:9/",
            "webhook_token_env": "ABSENT",
        }
    )
    told = Notifiers(settings, {"PATH": str(tmp_path)}, platform="linux")
    assert [fault.split(":")[0] for fault in told.faults_now()] == [
        "notify.desktop", "notify.command", "notify.webhook",
    ]  # fmt: skip
    program(tmp_path, "notify-send")
    fine = Notifiers(Notify(desktop=True), {"PATH": str(tmp_path)}, platform="linux")
    assert fine.faults_now() == []
    assert Notifiers(Notify(), {}).faults_now() == []
