"""`hippod status` as people see it: what is wrong first, on one screen, again and again."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hippod import __version__
from hippod.cli import main
from tests.fake_door import FakeDoor
from tests.processes import Daemon, running, wait_for

pytestmark = pytest.mark.xdist_group("status-view")

JOBS = ("reconcile", "checkpoint", "reflect", "hygiene", "heartbeat")


def job(name: str, **values: Any) -> dict[str, Any]:
    return {
        "name": name, "schedule": "every 15 min", "next_run": "2099-01-01T00:00:00+00:00",
        "last_run": "2026-03-03T10:00:00+00:00", "last_seconds": 1.0, "last_outcome": "ok",
        "last_error": "", "paused": False, "running": False, **values,
    }  # fmt: skip


def well(**parts: Any) -> dict[str, Any]:
    """Return the status of a daemon that is well."""
    source = {"name": "main", "path": "sessions/**", "folder_exists": True, "files": 3,
              "turns": 40, "skipped": {}, "alarms": []}  # fmt: skip
    return {
        "ok": True, "version": __version__, "pid": 77, "uptime_seconds": 7200.0,
        "socket": "/run/user/1/hippod/default.sock",
        "workspace": {"path": "/home/ada/notes", "layout": "openclaw", "timezone": "Europe/Vienna",
                      "roots": {"memory": 31, "": 7, "bank": 0}},
        "index": {"state": "ready", "problem": "", "documents": 38, "units": 120, "progress": None,
                  "vectors": {"embedded": 120, "pending": 0, "rejected": 0}, "stale_vectors": 0,
                  "embedder": "wordllama-256", "embedding_error": "", "leg_failures": {}},
        "retain": {"enabled": True, "turns_waiting": 0, "batches_failed": 0, "last_error": None,
                   "sources": [source]},
        "watch": {"mode": "events", "fault": "", "not_indexed": {},
                  "last_event": "2026-03-03T10:00:00+00:00", "last_event_age": 3600.0,
                  "last_look": "2026-03-03T10:10:00+00:00", "last_look_age": 3000.0},
        "encoder": {"state": "none"}, "embedder": {"state": "ready", "model_id": "wordllama-256"},
        "generator": {"state": "none"}, "notes": {"generator": "rules alone"},
        "state": {"recovered_from": None}, "jobs": [job(name) for name in JOBS],
        "bank": {}, "hygiene": {}, "heartbeat": {}, "settings": {}, "crashes": {}, **parts,
    }  # fmt: skip


@pytest.fixture
def door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeDoor]:
    folder = Path(f"/tmp/{tmp_path.name[:20]}-{os.getpid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    monkeypatch.setenv("HIPPOD_SOCKET", str(folder / "d.sock"))
    with FakeDoor(folder / "d.sock") as door:
        door.answer = well()
        yield door
    folder.rmdir()


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["status", *words]) == 0
    return capsys.readouterr().out


# -- once ------------------------------------------------------------------------------------


def test_all_is_well_is_said_first(door: FakeDoor, capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys).splitlines()
    assert lines[0] == f"hippod is well  {__version__}, up 2.0 h, pid 77"
    assert not any(line.startswith("!") for line in lines)
    text = "\n".join(lines)
    for part in ("memory 31", "bank 0", "38 documents", "events, last change", "last look", "main"):
        assert part in text
    assert "\x1b" not in text


def test_what_is_wrong_comes_first_with_what_to_do(
    door: FakeDoor, capsys: pytest.CaptureFixture[str]
) -> None:
    index = {**well()["index"], "problem": "it cannot be read"}
    workspace = {**well()["workspace"], "oddities": {"a.md": "reads like an instruction"}}
    jobs = [job("hygiene", last_outcome="failed", last_error="no space left")]
    door.answer = well(index=index, workspace=workspace, jobs=jobs)
    lines = shown(capsys).splitlines()
    assert lines[0].startswith("hippod: 2 things need attention")
    assert lines[1] == "! index  it cannot be read"
    assert lines[2].startswith("    > hippod reindex")
    assert lines[3] == "! job  hygiene failed: no space left"
    assert lines[5].startswith("! odd  a.md")


def test_turns_that_are_too_old_to_count_are_told_of(
    door: FakeDoor, capsys: pytest.CaptureFixture[str]
) -> None:
    source = {**well()["retain"]["sources"][0], "skipped": {"before_since": 4}}
    door.answer = well(retain={**well()["retain"], "sources": [source]})
    assert "40 turns, 4 older (retain.backfill_days)" in shown(capsys)
    assert "4 turns left out: older than retain.backfill_days" in shown(capsys, "--verbose")


@pytest.mark.parametrize(("turns", "alarm"), [(0, False), (40, True)])
def test_the_folder_of_an_agent_not_used_yet_is_no_alarm(
    door: FakeDoor, capsys: pytest.CaptureFixture[str], turns: int, alarm: bool
) -> None:
    source = {**well()["retain"]["sources"][0], "name": "codex", "folder_exists": False}
    source |= {"turns": turns, "files": 0}
    door.answer = well(retain={**well()["retain"], "sources": [source]})
    short, long = shown(capsys), shown(capsys, "--verbose")
    assert ("! source" in short) == ("! source" in long) == alarm
    assert ("no session yet" in long) != alarm


def test_a_cause_is_told_and_not_what_follows_from_it(
    door: FakeDoor, capsys: pytest.CaptureFixture[str]
) -> None:
    index = {**well()["index"], "problem": "the disk is full: the index was not changed"}
    door.answer = well(index=index)
    lines = shown(capsys).splitlines()
    assert lines[1].startswith("! disk  the disk is full")
    assert "free some space" in lines[2]
    gone = {**well()["workspace"], "gone": "/home/ada/notes: the workspace is gone"}
    door.answer = well(index=index, workspace=gone)
    lines = shown(capsys).splitlines()
    assert lines[0].startswith("hippod: 1 thing needs attention")
    assert lines[1] == "! workspace  /home/ada/notes: the workspace is gone"
    assert not any(line.startswith("!") for line in lines[2:])


def test_a_file_that_says_otherwise_than_the_daemon_does_is_told_of(
    door: FakeDoor, capsys: pytest.CaptureFixture[str]
) -> None:
    door.answer = well(
        config={"file": "/c.toml", "waiting": ["retain.quiet"], "needs_restart": ["server.socket"]},
        generator={"state": "stopped", "model_id": "m", "path": "/m.gguf", "missing": True,
                   "calls": 0, "tokens": 0},
    )  # fmt: skip
    lines = shown(capsys).splitlines()
    assert "needs attention" in lines[0]
    assert lines[1] == "! generator  there is no model /m.gguf"
    assert "! changed  /c.toml: retain.quiet" in lines
    assert "    > it counts after: hippod config reload" in lines
    assert "! restart  /c.toml: server.socket" in lines


def test_an_index_that_cannot_be_opened_is_said_first_and_counts_nothing(
    door: FakeDoor, capsys: pytest.CaptureFixture[str]
) -> None:
    counted = ("documents", "units", "vectors", "stale_vectors")
    index = {key: value for key, value in well()["index"].items() if key not in counted}
    door.answer = well(index={**index, "state": "unavailable", "problem": "it cannot be written"})
    lines = shown(capsys).splitlines()
    assert lines[0].startswith("hippod: 1 thing needs attention")
    assert lines[1] == "! index  it cannot be written"
    assert "index      unavailable" in lines
    assert "workspace  /home/ada/notes" in shown(capsys, "--verbose")


def test_many_troubles_leave_room_for_the_rest(
    door: FakeDoor, capsys: pytest.CaptureFixture[str]
) -> None:
    door.answer = well(crashes={f"worker{n}": {"times": n, "last": "today"} for n in range(30)})
    lines = shown(capsys).splitlines()
    assert lines[0].startswith("hippod: 30 things need attention")
    assert "and 25 more: hippod status --verbose" in "\n".join(lines)
    assert len(lines) < 40
    assert shown(capsys, "--verbose").count("! worker") == 30


def test_c196_a_switch_of_the_environment_is_said_with_its_source(
    door: FakeDoor, capsys: pytest.CaptureFixture[str]
) -> None:
    source = "HIPPOD_HEARTBEAT__ENABLED"
    settings = {
        "retain.quiet": {"value": 60, "source": "/etc/hippod.toml"},
        "heartbeat.enabled": {"value": False, "source": source},
    }
    door.answer = well(heartbeat={"enabled": False, "problems": []}, settings=settings)
    text = shown(capsys)
    assert f"heartbeat   switched off by {source}" in text
    assert f"heartbeat.enabled = False ({source})" in text
    assert "1 more set otherwise than by default: hippod config" in text
    assert "retain.quiet = 60 (/etc/hippod.toml)" in shown(capsys, "--verbose")


def test_c064_texts_without_vectors_are_counted(
    door: FakeDoor, capsys: pytest.CaptureFixture[str]
) -> None:
    index = {**well()["index"], "stale_vectors": 9}
    door.answer = well(index=index)
    assert "9 texts wait for theirs and are found by words alone" in shown(capsys)


def test_names_cannot_draw_on_the_terminal(
    door: FakeDoor, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = "a\x1b[2Jb\nhippod is well\u202e"
    workspace = {**well()["workspace"], "oddities": {evil: evil}, "roots": {evil: 1}, "path": evil}
    door.answer = well(workspace=workspace, settings={evil: {"value": evil, "source": evil}})
    for words in ([], ["--verbose"]):
        text = shown(capsys, *words)
        assert not set(text) & {"\x1b", "\u202e"}
        assert text.count("\nhippod is well") == 0


@pytest.mark.parametrize("part", ["index", "workspace", "retain", "jobs", "watch"])
def test_an_answer_of_another_shape_is_shown_all_the_same(
    door: FakeDoor, capsys: pytest.CaptureFixture[str], part: str
) -> None:
    door.answer = well(**{part: {"new": "form"}})
    assert "new form" in shown(capsys)


# -- on a terminal ---------------------------------------------------------------------------


class Terminal:
    """A terminal of 24 lines of 80 columns with a command on it."""

    def __init__(self, words: Sequence[str], environ: dict[str, str]) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        plain = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hippod", *words],
            stdin=theirs, stdout=theirs, stderr=theirs,
            env={**plain, "TERM": "xterm", **environ}, start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        self.text = ""

    def wait_for(self, words: str, seconds: float = 30) -> None:
        """Read until `words` were drawn since the last call."""
        before, deadline = len(self.text), time.monotonic() + seconds
        while words not in self.text[before:]:
            assert time.monotonic() < deadline, self.text
            self._read(0.2)

    def rest(self) -> str:
        """Read to the end of the command."""
        while self.process.poll() is None or select.select([self._ours], [], [], 0)[0]:
            if not self._read(0.2) and self.process.poll() is not None:
                break
        return self.text

    def _read(self, seconds: float) -> bool:
        if not select.select([self._ours], [], [], seconds)[0]:
            return False
        try:
            self.text += os.read(self._ours, 65_536).decode()
        except OSError:  # the other end is closed
            return False
        return True

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._ours)


def on_terminal(*words: str, **environ: str) -> "closing[Terminal]":
    return closing(Terminal(words, environ))


def test_a_healthy_daemon_fits_on_a_screen_of_24_by_80(door: FakeDoor) -> None:
    sources = [{**well()["retain"]["sources"][0], "name": f"agent{n}"} for n in range(9)]
    settings = {f"retain.k{n}": {"value": "x" * 99, "source": f"HIPPOD_K{n}"} for n in range(9)}
    door.answer = well(retain={**well()["retain"], "sources": sources}, settings=settings)
    with on_terminal("status") as terminal:
        text = terminal.rest()
    assert "\x1b[32mhippod is well\x1b[0m" in text
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text).replace("\r", "").splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    with on_terminal("status", NO_COLOR="1") as terminal:
        assert "\x1b" not in terminal.rest()


def test_watching_draws_over_ends_clean_and_finds_the_daemon_again(door: FakeDoor) -> None:
    with on_terminal("status", "--watch", "0.2") as terminal:
        terminal.wait_for("hippod is well")
        terminal.wait_for("\x1b[H")
        door.fail(503, "daemon_down", "the daemon at x ended")
        terminal.wait_for("! hippod")
        door.status, door.answer = 200, well()
        terminal.wait_for("hippod is well")
        terminal.process.send_signal(signal.SIGINT)
        text = terminal.rest()
        assert terminal.process.wait(20) == 0
    assert "Traceback" not in text
    assert "\x1b[2J" not in text  # it would flicker
    frames = text.split("\x1b[H")[1:]
    assert all(frame.replace("\r", "").count("\n") <= 25 for frame in frames)


def test_watching_into_a_pipe_writes_blocks(door: FakeDoor) -> None:
    for words, sign in (([], "hippod is well"), (["--json"], '"ok": true')):
        process = subprocess.Popen(
            [sys.executable, "-m", "hippod", "status", "--watch", "0.2", *words],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stdout is not None
        seen = ""
        while seen.count(sign) < 3:
            seen += process.stdout.readline()
        process.send_signal(signal.SIGINT)
        seen += process.communicate(timeout=20)[0]
        assert process.returncode == 0
        assert "\x1b" not in seen
        if words:
            assert all(json.loads(line)["ok"] for line in seen.splitlines())
        else:
            assert re.search(r"\n\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\nhippod is well", seen)


@pytest.mark.parametrize("interval", ["0", "-1", "soon", "nan"])
def test_odd_intervals_are_refused(interval: str) -> None:
    assert main(["status", "--watch", interval]) == 2


# -- a real daemon ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("status")
    (folder / "c.toml").write_text("[heartbeat]\nenabled = true\n")
    environ = {"HIPPOD_CONFIG": str(folder / "c.toml"), "HIPPOD_HEARTBEAT__ENABLED": "false"}
    (folder / "vault").mkdir()
    (folder / "vault" / "boat.md").write_text("# Boat\n")
    (folder / "workspace" / "memory").mkdir(parents=True)
    (folder / "workspace" / "linked").symlink_to(folder / "vault")
    with running(folder, environ) as daemon:
        daemon.settle()
        yield daemon


@pytest.mark.slow
def test_c196_the_effective_value_and_where_it_comes_from(daemon: Daemon) -> None:
    settings = daemon.client.status()["settings"]
    assert settings["heartbeat.enabled"] == {
        "value": False,
        "source": "HIPPOD_HEARTBEAT__ENABLED",
    }
    assert "retain.enabled" not in settings
    assert "switched off by HIPPOD_HEARTBEAT__ENABLED" in daemon.cli("status").stdout


@pytest.mark.slow
def test_c070_documents_are_counted_by_folder_links_and_empty_ones_too(daemon: Daemon) -> None:
    (daemon.workspace / "context").mkdir(exist_ok=True)
    daemon.client.write("context/a.md", "# A\n")
    daemon.client.run_job("reconcile")
    roots = daemon.client.status()["workspace"]["roots"]
    assert (roots["linked"], roots["memory"], roots["bank"]) == (1, 0, 0)
    assert roots["context"] >= 1
    assert sum(roots.values()) == daemon.client.status()["workspace"]["documents"]


@pytest.mark.slow
def test_c043_the_ages_of_the_last_event_and_the_last_look(daemon: Daemon) -> None:
    daemon.client.run_job("reconcile")
    before = daemon.client.status()["watch"]
    assert before["last_look_age"] < 30
    (daemon.workspace / "new.md").write_text("# New\n")
    wait_for(lambda: daemon.client.status()["watch"]["last_event_age"] is not None, "an event")
    watch = daemon.client.status()["watch"]
    assert watch["last_event_age"] < 30
    assert watch["last_event"] is not None


@pytest.mark.slow
def test_c064_what_waits_for_the_embedder_is_counted(daemon: Daemon) -> None:
    daemon.settle()
    assert daemon.client.status()["index"]["stale_vectors"] == 0
