"""Streams of events as their users have them: curl, the command line, the client, raw sockets."""

import json
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from hippod.client import Client
from hippod.errors import Busy, DaemonDown, InvalidInput
from hippod.state import State
from tests.asking import SECONDS, ask
from tests.processes import Daemon, running, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("events")]

needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no /proc")
Event = dict[str, Any]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running(tmp_path_factory.mktemp("events")) as daemon:
        daemon.settle()
        yield daemon
        assert "Traceback" not in daemon.log.read_text()
        assert daemon.stop() == 0


class Stream:
    """A stream over a raw socket, read only when asked."""

    def __init__(
        self, daemon: Daemon, query: str = "", *headers: str, version: str = "1.1"
    ) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(SECONDS)
        self.socket.connect(str(daemon.socket))
        head = [f"GET /v1/events?{query} HTTP/{version}", "Host: x", *headers, "", ""]
        self.socket.sendall("\r\n".join(head).encode())
        self.read = b""

    def until(self, what: bytes) -> bytes:
        """Read until `what` came, or all ended."""
        while what not in self.read and (piece := self.socket.recv(65_536)):
            self.read += piece
        return self.read

    def begun(self) -> "Stream":
        """Wait until the daemon listens for what is to come."""
        assert b" 200 OK" in self.until(b": hippod\n\n")
        return self

    def is_over(self) -> bool:
        """Read on to the end that is to come."""
        while piece := self.socket.recv(65_536):
            self.read += piece
        return self.read.endswith(b"0\r\n\r\n")

    def close(self) -> None:
        self.socket.close()


@contextmanager
def streams(daemon: Daemon, count: int, query: str = "") -> Iterator[list[Stream]]:
    with ExitStack() as stack:
        opened = []
        for _ in range(count):
            opened.append(Stream(daemon, query))
            stack.callback(opened[-1].close)
        yield [each.begun() for each in opened]


def say(daemon: Daemon, name: str) -> None:
    """State a fact, which is told as an event at once."""
    daemon.client.retain(facts=[f"W @Ina: Sails the {name}."])


def newest(daemon: Daemon) -> int:
    return int(ask(daemon.socket, "GET", "/v1/events?follow=false").data["last"])


def sse(text: str) -> list[Event]:
    """Return the events of a whole stream, each checked against its other lines."""
    found = []
    for block in text.split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith(":")]
        if not lines:
            continue
        fields = dict(line.split(": ", 1) for line in lines)
        event = json.loads(fields["data"])
        assert (fields["event"], fields["id"]) == (event["type"], str(event["id"]))
        found.append(event)
    return found


class Follower:
    """A program that follows, its output in files."""

    def __init__(self, daemon: Daemon, folder: Path, *command: str) -> None:
        self.out, self.err = folder / "out", folder / "err"
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.process = subprocess.Popen(
                command, env=daemon.environ, stdout=out, stderr=err, stdin=subprocess.DEVNULL
            )

    def shows(self, what: str) -> None:
        wait_for(lambda: what in self.out.read_text() or self.process.poll() is not None, what)
        assert what in self.out.read_text(), self.err.read_text()

    def ended(self, number: int | None = None) -> int:
        if number is not None:
            self.process.send_signal(number)
        return self.process.wait(15)


def curl(daemon: Daemon, folder: Path, query: str = "", *options: str) -> Follower:
    place = f"http://localhost/v1/events?{query}"
    return Follower(
        daemon, folder, "curl", "-sS", "-N", "--unix-socket", str(daemon.socket), *options, place
    )


def follow(daemon: Daemon, folder: Path, *options: str) -> Follower:
    command = [sys.executable, "-m", "hippod", "events", "--follow", *options]
    return Follower(daemon, folder, *command)


def connections(daemon: Daemon) -> list[str]:
    """Return the descriptors of the daemon that are sockets."""
    assert daemon.process is not None
    found = []
    for descriptor in Path(f"/proc/{daemon.process.pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            found += [descriptor.name] if str(descriptor.readlink()).startswith("socket:") else []
    return found


# -- curl ------------------------------------------------------------------------------------


@needs_curl
def test_curl_follows_and_goes_on_where_it_was(daemon: Daemon, tmp_path: Path) -> None:
    before = newest(daemon)
    first = curl(daemon, tmp_path, f"after={before}&types=facts.retained")
    say(daemon, "cutter")
    first.shows("cutter")
    first.ended(signal.SIGTERM)
    (seen,) = sse(first.out.read_text())
    assert seen["facts"][0]["bullet"].startswith("- W @Ina: Sails the cutter. ^")
    assert seen["path"].startswith("memory/")
    assert time.strptime(seen["time"][:19], "%Y-%m-%dT%H:%M:%S")
    assert seen["time"][19:] == "+00:00"
    say(daemon, "ketch")
    second = curl(
        daemon, tmp_path, "after=0&types=facts.retained", "-H", f"Last-Event-ID: {seen['id']}"
    )
    second.shows("ketch")
    second.ended(signal.SIGTERM)
    assert "cutter" not in second.out.read_text()


def test_who_asks_for_nothing_before_gets_what_comes(daemon: Daemon) -> None:
    say(daemon, "punt")
    with streams(daemon, 1, "types=facts.retained") as (stream,):
        say(daemon, "dory")
        assert b"Sails the dory" in stream.until(b"dory")
        assert b"punt" not in stream.read


def test_documents_that_change_are_told_with_who_changed_them(daemon: Daemon) -> None:
    with streams(daemon, 1, "types=pages.changed") as (stream,):
        daemon.client.write("context/locks.md", "# Locks\n")
        stream.until(b"locks.md")
        assert b'"by":"hippod","paths":["context/locks.md"],"count":1' in stream.read
        (daemon.workspace / "context" / "weirs.md").write_text("# Weirs\n")
        stream.until(b"weirs.md")
        assert b'"by":"other","paths":["context/weirs.md"],"count":1' in stream.read


def test_a_group_follows_its_own_pages_alone(daemon: Daemon) -> None:
    with streams(daemon, 1, "scope=group") as (stream,):
        say(daemon, "skiff")
        daemon.client.write("MEMORY.md", "# Memory\n\nThe skiff leaks.\n")
        daemon.client.write("context/tides.md", "# Tides\n")
        text = stream.until(b"tides.md")
    assert b"skiff" not in text
    assert b"MEMORY.md" not in text
    assert b"memory/" not in text


def test_a_checkout_of_many_files_is_few_events_of_bounded_size(daemon: Daemon) -> None:
    before = newest(daemon)
    folder = daemon.workspace / "projects" / "atlas"
    folder.mkdir(parents=True)
    for number in range(600):
        (folder / f"{number}.md").write_text(f"# Map {number}\n")
    daemon.client.reindex()
    daemon.settle()
    target = f"/v1/events?follow=false&after={before}&types=pages.changed&limit=1000"
    told = ask(daemon.socket, "GET", target).data["events"]
    assert sum(each["count"] for each in told) >= 600
    assert len(told) < 20
    assert max(len(json.dumps(each)) for each in told) < 4_000


def test_what_cannot_be_asked_is_refused_before_a_stream_begins(daemon: Daemon) -> None:
    for query, headers, what in [
        ("types=nope", {}, "facts.retained, pages.changed, heartbeat.alert, fault"),
        ("after=x", {}, "after"),
        ("after=-1", {}, "after"),
        ("", {"Last-Event-ID": "yesterday"}, "last-event-id"),
        ("since=3", {}, "since"),
    ]:
        answer = ask(daemon.socket, "GET", f"/v1/events?{query}", None, headers)
        assert answer.status == 422
        assert what in answer.error["message"]


def test_an_id_from_before_the_state_was_lost_is_told_and_all_that_is_kept(daemon: Daemon) -> None:
    say(daemon, "sloop")
    with streams(daemon, 1, "after=4000000") as (stream,):
        stream.until(b"sloop")
    gap, first, *_ = sse(body(stream))
    assert (gap["type"], gap["from"], gap["to"], gap["reason"]) == ("gap", 4_000_000, 0, "reset")
    assert first["id"] == 1


def body(stream: Stream) -> str:
    """Return the body of a stream as far as it was read, without the chunks around it."""
    lines = stream.read.partition(b"\r\n\r\n")[2].split(b"\r\n")
    return b"".join(lines[1::2]).decode()


# -- many, slow, gone ------------------------------------------------------------------------


@needs_proc
def test_fifty_streams_hear_the_same_and_leave_nothing_behind(daemon: Daemon) -> None:
    before = len(connections(daemon))
    with streams(daemon, 50, "types=facts.retained") as opened:
        assert len(connections(daemon)) > 50
        began = time.monotonic()
        daemon.client.status()
        daemon.client.recall("Ina")
        assert time.monotonic() - began < 3
        say(daemon, "barge")
        assert all(b"barge" in stream.until(b"barge") for stream in opened)
    wait_for(lambda: len(connections(daemon)) <= before, "the descriptors to be closed")
    say(daemon, "tender")  # to nobody


@needs_proc
def test_clients_that_half_close_or_vanish_leave_nothing_behind(daemon: Daemon) -> None:
    before = len(connections(daemon))
    with streams(daemon, 10) as opened:
        for stream in opened[:5]:
            stream.socket.shutdown(socket.SHUT_WR)
        for stream in opened[5:]:
            stream.close()
        wait_for(lambda: len(connections(daemon)) <= before, "the descriptors to be closed")


def test_too_many_streams_are_told_so_and_all_else_goes_on(daemon: Daemon) -> None:
    with streams(daemon, 64):
        with pytest.raises(Busy, match="64 clients"):
            next(daemon.client.events())
        assert daemon.client.health()["ok"]
        assert list(daemon.client.events(follow=False, limit=1))
    wait_for(lambda: is_taken(daemon), "room for another stream")


def test_as_many_that_come_at_once_leave_room_for_all_else(daemon: Daemon) -> None:
    everyone = [Stream(daemon) for _ in range(100)]
    try:
        answered = [stream.until(b"\r\n\r\n").split()[1] for stream in everyone]
        assert (answered.count(b"200"), answered.count(b"423")) == (64, 36)
        assert daemon.client.recall("anything")
    finally:
        for stream in everyone:
            stream.close()
    wait_for(lambda: is_taken(daemon), "room for another stream")


def is_taken(daemon: Daemon) -> bool:
    stream = Stream(daemon)
    try:
        return b" 200 OK" in stream.until(b"\r\n\r\n")
    finally:
        stream.close()


def test_an_old_client_gets_its_stream_too(daemon: Daemon) -> None:
    stream = Stream(daemon, "types=facts.retained", version="1.0").begun()
    say(daemon, "galley")
    assert b"galley" in stream.until(b"galley")
    stream.close()


# -- the client and the command line ---------------------------------------------------------


def test_the_client_yields_what_comes(daemon: Daemon) -> None:
    before = newest(daemon)
    say(daemon, "yawl")
    coming = daemon.client.events(after=before, types=["facts.retained"])
    event = next(coming)
    assert (event["type"], event["count"], event["source"]) == ("facts.retained", 1, "api")
    say(daemon, "xebec")
    assert "xebec" in next(coming)["facts"][0]["bullet"]
    coming.close()
    (last,) = daemon.client.events(follow=False, limit=1, types=["facts.retained"])
    assert "xebec" in last["facts"][0]["bullet"]


def test_the_client_tells_what_is_wrong(daemon: Daemon, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="nope"):
        next(daemon.client.events(types=["nope"]))
    with pytest.raises(DaemonDown):
        next(Client(tmp_path / "none.sock").events())


def test_the_command_line_lists_what_happened_last(daemon: Daemon) -> None:
    say(daemon, "coracle")
    done = daemon.cli("events", "--types", "facts.retained", "--limit", "1")
    assert done.returncode == 0
    first, second = done.stdout.splitlines()
    assert "facts.retained  1 fact of api in memory/" in first
    assert second.startswith("    - W @Ina: Sails the coracle.")
    (line,) = daemon.cli("events", "--limit", "1", "--json").stdout.splitlines()
    assert json.loads(line)["id"] == newest(daemon)
    wrong = daemon.cli("events", "--types", "nope")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "heartbeat.alert" in wrong.stderr


@needs_proc
def test_following_ends_quietly_with_ctrl_c(daemon: Daemon, tmp_path: Path) -> None:
    before = len(connections(daemon))
    following = follow(daemon, tmp_path, "--json")
    wait_for(lambda: len(connections(daemon)) > before, "the stream")
    say(daemon, "gondola")
    following.shows("gondola")
    assert following.ended(signal.SIGINT) == 130
    assert following.err.read_text() == ""
    lines = following.out.read_text().splitlines()
    assert [json.loads(line)["type"] for line in lines][:1] == ["facts.retained"]


# -- the end of the daemon -------------------------------------------------------------------


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Daemon]:
    """A daemon with megabytes of events, of which the first are not kept any more."""
    daemon = Daemon(tmp_path)
    folder = daemon.workspace / ".memory"
    folder.mkdir(parents=True)
    state = State(folder / "state.sqlite")
    rows = (
        (
            number,
            "2026-03-03T12:00:00.000000+00:00",
            json.dumps({"what": "x", "message": "y" * 2_000}),
        )
        for number in range(1_001, 3_001)
    )
    with state.transaction():
        state.execute_many("INSERT INTO event(id, time, type, data) VALUES (?,?,'fault',?)", rows)
    state.close()
    try:
        yield daemon.start()
    finally:
        if daemon.process is not None and daemon.process.poll() is None:
            daemon.kill()


def test_all_streams_end_at_once_with_the_daemon_even_for_who_does_not_read(
    full: Daemon, tmp_path: Path
) -> None:
    (tmp_path / "curl").mkdir()
    (tmp_path / "cli").mkdir()
    with streams(full, 5) as opened, streams(full, 3, "after=0") as (reads_on, *_stuck):
        following = follow(full, tmp_path / "cli", "--json", "--after", "2999")
        following.shows('"id": 3000')
        say(full, "raft")
        following.shows("raft")
        for stream in opened:
            stream.until(b"raft")
        began = time.monotonic()
        assert full.stop() == 0
        assert time.monotonic() - began < 2
        assert all(stream.is_over() for stream in opened)
        assert not reads_on.is_over()  # cut off: it had not read for half a second
    assert following.ended() == 3
    last = json.loads(following.out.read_text().splitlines()[-2])["id"]
    (told,) = following.err.read_text().splitlines()
    assert "ended the stream" in told
    assert f"go on with --after {last})" in told
    assert "Traceback" not in full.log.read_text()


def test_a_slow_reader_misses_nothing_that_is_kept(full: Daemon) -> None:
    with streams(full, 1, "after=500") as (slow,):
        with streams(full, 1) as (other,):
            say(full, "ferry")
            other.until(b"ferry")
        slow.until(b"ferry")
    gap, *events = sse(body(slow))
    assert (gap["type"], gap["from"], gap["reason"]) == ("gap", 500, "expired")
    ids = [event["id"] for event in events]
    assert ids == list(range(gap["to"] + 1, ids[-1] + 1))
    assert len(ids) >= 1_990


def test_following_goes_on_after_a_restart_and_after_a_crash(full: Daemon) -> None:
    last = newest(full)
    coming = full.client.events(after=last)
    say(full, "liner")
    ids = [next(coming)["id"]]
    full.kill()
    with pytest.raises(DaemonDown, match="ended the stream"):
        ids += [event["id"] for event in coming]
    full.start()
    say(full, "tanker")
    for event in full.client.events(after=ids[-1]):
        ids.append(event["id"])
        if "tanker" in str(event):
            break
    assert ids == list(range(last + 1, ids[-1] + 1))
