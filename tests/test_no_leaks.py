"""A day of a real daemon, with secrets planted through every door: where do they come out?

Everything that it writes but Markdown is searched: both logs, metrics, status, events, answers of
refusal, the state. Secrets are nowhere, at any level; what is merely private is in no log.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hippod.errors import HippodError
from tests.endpoints import KEY, Misbehaving, answer, echoing, half, misbehaving, says
from tests.planted import SENTENCES, WORDS, Secret, secrets
from tests.processes import Daemon

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("leaks")]

TOKEN = "webhook-tok-" + "8Zr4Kq1Vx7Lm2Tn9"
CONFIG = """
[log]
level = "debug"
file = "{folder}/logs/daemon.log"

[generator]
provider = "openai"
model = "obedient"
base_url = "{url}"
api_key_env = "FAR_AWAY_KEY"
tasks = ["rewrite", "transcript", "check", "summary"]
retries = 0

[heartbeat]
active_hours = "00:00-24:00"

[heartbeat.checks.backup]
command = ["cat", "check.txt"]
attention = 'output contains "failed"'
message = "The backup failed."

[heartbeat.checks.broken]
command = ["sh", "-c", "cat check.txt >&2; exit 3"]

[notify]
webhook = "{url}/hook"
webhook_token_env = "HOOK_TOKEN"
"""


@dataclass
class Day:
    """What was written in the run, by where."""

    logs: str
    stderr: str
    metrics: str
    status: str
    events: str
    refusals: str
    state: bytes
    document: str
    keys_sent: int

    def shown(self) -> str:
        """Return all that is no content by nature."""
        return "\n".join([self.logs, self.stderr, self.metrics, self.status, self.refusals])


TALK, HANDED, FACTS, ASKED, KEPT, CHECKED, SENT, WRITTEN = (
    secrets(mark) for mark in ("T4lk", "Hn3d", "F4ct", "Ask5", "Kp7t", "Ch3k", "S3nt", "Wr1t")
)
"""By the door that they come through: transcripts, messages, facts, questions, working memory,
output of checks, malformed requests, documents."""


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Day]:
    folder = tmp_path_factory.mktemp("leaks")
    with misbehaving() as server:
        (folder / "config.toml").write_text(CONFIG.format(folder=folder, url=server.url))
        environ = {
            "HIPPOD_CONFIG": str(folder / "config.toml"),
            "HIPPOD_GENERATOR__PROVIDER": "",
            "FAR_AWAY_KEY": KEY,
            "HOOK_TOKEN": TOKEN,
            "AWS_SECRET_ACCESS_KEY": SENT[5].part,
        }
        replies = (echoing(500), echoing(401), answer(429, {"error": KEY}), says(KEY), half)
        server.enqueue(*replies * 40, echoing(500))
        daemon = Daemon(folder, environ)
        (daemon.workspace / "memory").mkdir(parents=True)
        try:
            yield _lived(daemon.start(), folder, server)
        finally:
            if daemon.process is not None and daemon.process.poll() is None:
                daemon.kill()


def _lived(daemon: Daemon, folder: Path, server: Misbehaving) -> Day:
    refusals: list[str] = []
    _talk(daemon)
    _ask(daemon, refusals)
    _write(daemon)
    _beat(daemon)
    _misbehave(daemon, refusals)
    _crash(daemon, folder)
    daemon.settle()
    status = [json.dumps(daemon.client.status(), ensure_ascii=False)]
    status.append(
        _told(daemon, "status", "status --verbose", "doctor", "jobs", "config", "heartbeat --last")
    )
    metrics = daemon.client.metrics()
    daemon.client.clear_working("desk")
    events = json.dumps(list(daemon.client.events(after=0, follow=False)), ensure_ascii=False)
    document = daemon.client.read("context/private.md")["content"]
    assert daemon.stop() == 0
    files = sorted((folder / "logs").iterdir())
    state = (daemon.workspace / ".memory").glob("state.sqlite*")
    return Day(
        logs="\n".join(file.read_text() for file in files),
        stderr=daemon.log.read_text(),
        metrics=metrics,
        status="\n".join(status),
        events=events,
        refusals="\n".join(refusals),
        state=b"\n".join(file.read_bytes() for file in state),
        document=document,
        keys_sent=sum(KEY in seen.headers.get("Authorization", "") for seen in server.seen),
    )


def _talk(daemon: Daemon) -> None:
    """Let agents' conversations be read: from disk, and handed over."""
    turns = [secret.said for secret in TALK] + list(SENTENCES)
    records = [
        {"role": "user", "content": text, "timestamp": f"2026-02-11T18:{n:02d}:00Z"}
        for n, text in enumerate(turns)
    ]
    file = daemon.workspace / "sessions" / "evening.jsonl"
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(f"{json.dumps(record)}\n" for record in records) + '{"role": "us')
    odd = daemon.workspace / "sessions" / "odd.jsonl"
    odd.write_text("".join(f'{{"weird": {json.dumps(text)}}}\n' for text in turns))
    _try(lambda: daemon.client.retain(session="evening", flush=True, wait=True))
    messages = [{"role": "user", "content": secret.said} for secret in HANDED]
    _try(lambda: daemon.client.retain(messages, session="handed", wait=True))
    for secret in FACTS:
        _try(lambda said=secret.said: daemon.client.retain(facts=[f"W @Ada: {said}"]))
    _try(lambda: daemon.client.retain(facts=["no fact " + FACTS[0].said], session="x\n" * 9))


def _ask(daemon: Daemon, refusals: list[str]) -> None:
    for text in (*(secret.said for secret in ASKED), *SENTENCES):
        _try(lambda said=text: daemon.client.recall(said))
        _try(lambda said=text: daemon.client.recall("x", since=said), refusals)
    working = "\n".join(secret.said for secret in KEPT)
    daemon.client.set_working("desk", "\n".join(SENTENCES))
    _try(lambda: daemon.client.append_working("desk", working))


def _write(daemon: Daemon) -> None:
    """Write what a person may: secrets in documents stay there, and in the journal for undo."""
    text = "\n\n".join([*(secret.said for secret in WRITTEN), *SENTENCES])
    daemon.client.write("context/private.md", f"# Private\n\n{text}\n")
    daemon.client.append_daily_log(SENTENCES[0])
    _try(lambda: daemon.client.replace("context/private.md", SENTENCES[3], SENTENCES[4]))
    _try(lambda: daemon.client.write("context/private.md", "x", etag="stale"))
    _try(lambda: daemon.client.forget(SENTENCES[1], dry_run=True))
    daemon.client.run_job("reconcile")
    daemon.settle()
    _try(daemon.client.reflect)
    _try(daemon.client.hygiene)


def _beat(daemon: Daemon) -> None:
    lines = [f"failed: {secret.said}" for secret in CHECKED]
    (daemon.workspace / "check.txt").write_text("\n".join([*lines, *SENTENCES]))
    items = ["- [ ] check: backup", "- [ ] check: broken", f"- [ ] {SENTENCES[2]}"]
    (daemon.workspace / "HEARTBEAT.md").write_text("\n".join(["# Watch", "", *items, ""]))
    _try(daemon.client.heartbeat)


def _misbehave(daemon: Daemon, refusals: list[str]) -> None:
    """Send what is no request, or one that cannot be right, with secrets in every part of it."""
    for secret in (*SENT, *(Secret(text, text) for text in SENTENCES)):
        said = secret.said.replace("\n", " ")
        quoted = urllib.parse.quote(said, safe="")
        body = json.dumps({"query": 7, said: said, "limit": said})
        for request in (
            f"GET /v1/{quoted} HTTP/1.1\r\nHost: x\r\n\r\n",
            f"POST /v1/recall HTTP/1.1\r\nHost: x\r\nX-Key: {said}\r\nOrigin: {said}\r\n\r\n",
            f"POST /v1/recall HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n{body}",
            f"{said} / HTTP/1.1\r\n\r\n",
            f"POST /v1/retain HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n{{{said}",
        ):
            _raw(daemon, request.encode())


def _raw(daemon: Daemon, request: bytes) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(10)
        connection.connect(str(daemon.socket))
        with contextlib.suppress(OSError):
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65_536):
                pass


def _crash(daemon: Daemon, folder: Path) -> None:
    """End a worker, take the index away, damage a document, and make a backup and an export."""
    pid = (daemon.client.status()["encoder"] or {}).get("pid")
    if pid:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    (daemon.workspace / "context" / "bytes.md").write_bytes(
        b"# Bytes\n\n\xff\xfe " + SENTENCES[0].encode() + b"\x00"
    )
    for file in (daemon.workspace / ".memory").glob("index.sqlite*"):
        file.unlink()
    _try(lambda: daemon.client.recall(SENTENCES[0]))
    _try(lambda: daemon.client.reindex(full=True))
    _told(daemon, f"backup {folder / 'backup.tar.gz'}", "export")
    _try(lambda: daemon.client.retain([{"role": "user", "content": SENTENCES[3]}], wait=True))


def _told(daemon: Daemon, *commands: str) -> str:
    """Return what commands print, made in one process since each would take a second to start."""
    program = "import sys; from hippod import cli; [cli.main(c.split()) for c in sys.argv[1:]]"
    done = subprocess.run(
        [sys.executable, "-c", program, *commands],
        env=daemon.environ, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout
    return done.stdout + done.stderr


def _try(work: "object", refusals: list[str] | None = None) -> None:
    """Do it, whatever comes of it."""
    try:
        work()  # type: ignore[operator]
    except HippodError as error:
        if refusals is not None:
            refusals.append(error.hint)


# -- what came out ---------------------------------------------------------------------------


def parts(*planted: list[Secret]) -> list[str]:
    return [secret.part for secrets in planted for secret in secrets]


def found(needles: list[str], text: str) -> list[str]:
    return [needle for needle in needles if needle in text]


def test_the_day_left_traces(day: Day) -> None:
    lines = [json.loads(line) for line in day.logs.splitlines()]
    names = {line["event"] for line in lines}
    assert {"daemon.ready", "batch.extracted", "heartbeat.done", "index.updated"} <= names
    assert {line["level"] for line in lines} >= {"debug", "info", "warning"}
    assert found(parts(WRITTEN), day.document) == parts(WRITTEN)
    assert day.keys_sent >= 2  # then the circuit breaker opens
    assert "hippod_documents" in day.metrics
    assert len(day.state) > 50_000
    assert SENTENCES[0] in day.events or "private.md" in day.events


def test_no_secret_is_in_a_log_at_any_level(day: Day) -> None:
    planted = parts(TALK, HANDED, FACTS, ASKED, KEPT, CHECKED, SENT, WRITTEN)
    assert len(planted) == 200
    assert found([*planted, KEY, TOKEN], day.logs + day.stderr) == []


def test_no_secret_is_in_metrics_status_events_or_refusals(day: Day) -> None:
    planted = parts(TALK, HANDED, FACTS, ASKED, KEPT, CHECKED, SENT, WRITTEN)
    assert found([*planted, KEY, TOKEN], day.shown() + day.events) == []


def test_no_secret_of_agents_commands_or_keys_is_in_the_state(day: Day) -> None:
    """What a person wrote into a document is in the journal, which takes changes back.

    Working memory is kept as it was given, and nothing of it is left when it is cleared.
    """
    planted = parts(TALK, HANDED, FACTS, ASKED, KEPT, CHECKED, SENT)
    kept = day.state.decode("utf-8", "replace")
    assert found([*planted, KEY, TOKEN], kept) == []


def test_nothing_private_is_in_a_log_from_info_on(day: Day) -> None:
    lines = [json.loads(line) for line in day.logs.splitlines()]
    told = "\n".join(json.dumps(line) for line in lines if line["level"] != "debug")
    assert found([*SENTENCES, *WORDS], told) == []
    assert found([*SENTENCES, *WORDS], day.metrics) == []


def test_with_a_file_stderr_stays_empty(day: Day) -> None:
    assert day.stderr == ""
