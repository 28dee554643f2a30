"""Clients that stop to take their answer: each loses its connection, and what it held is let go."""

import socket
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from hippod.state import State
from tests.processes import Daemon, wait_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("server-stalled"),
    pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc, which only Linux has"),
]

SECONDS = 1.0
"""How long a client may take nothing, in this daemon."""
PROGRAM = f"""
import sys
from hippod.cli import main
from hippod.server import connection
connection.STALLED_SECONDS = {SECONDS}
sys.exit(main())
"""
LINE = "The heron stood at the weir until the evening came and the harbor was quiet again.\n"
BIG = LINE * 12_000


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    daemon = Daemon(tmp_path_factory.mktemp("stalled"), program=(sys.executable, "-c", PROGRAM))
    _fill(daemon.workspace)
    try:
        yield daemon.start()
        assert "Traceback" not in daemon.log.read_text()
        assert daemon.stop() == 0
    finally:
        if daemon.process is not None and daemon.process.poll() is None:
            daemon.kill()


def _fill(root: Path) -> None:
    """Write so much that the system does not take it all for a client that reads none of it."""
    (root / "notes").mkdir(parents=True)
    (root / "notes" / "big.md").write_text(BIG)
    (root / "memory").mkdir()
    facts = (f"- W @Ada: Saw heron {number}. ^{number:010}\n" for number in range(2_500))
    (root / "memory" / "2026-02-03.md").write_text("## Retain\n" + "".join(facts))
    (root / ".memory").mkdir()
    state = State(root / ".memory" / "state.sqlite")
    for _ in range(60):
        state.events.add("pages.changed", {"by": "other", "paths": [LINE * 100], "count": 1})
    state.close()


def asking(daemon: Daemon, path: str) -> socket.socket:
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(30)
    client.connect(str(daemon.socket))
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    return client


def held(daemon: Daemon) -> list[str]:
    """Return what the daemon has open for somebody: connections, and files without a name."""
    assert daemon.process is not None
    found = []
    for descriptor in Path(f"/proc/{daemon.process.pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            found.append(str(descriptor.readlink()))
    return [each for each in found if each.startswith("socket:") or each.endswith("(deleted)")]


@pytest.fixture
def before(daemon: Daemon) -> int:
    """How much is held for nobody: what was asked for lately may still be on its way out."""
    seen: list[int] = []

    def is_steady() -> bool:
        seen.append(len(held(daemon)))
        return seen[-15:].count(seen[-1]) == 15

    wait_for(is_steady, "rest")
    return seen[-1]


@pytest.mark.parametrize("path", ["/v1/backup", "/v1/export", "/v1/events?after=0"])
def test_who_takes_nothing_of_a_stream_loses_it(daemon: Daemon, before: int, path: str) -> None:
    told = daemon.log.read_text().count("stream.stalled")
    with asking(daemon, path) as client:
        wait_for(lambda: len(held(daemon)) > before, "the answer to begin")
        wait_for(lambda: len(held(daemon)) <= before, "the connection to be given up")
        assert daemon.log.read_text().count("stream.stalled") == told + 1
        assert len(_all_of(client)) > 0


def test_so_does_who_takes_nothing_of_a_whole_answer(daemon: Daemon, before: int) -> None:
    with asking(daemon, "/v1/files/notes/big.md"):
        wait_for(lambda: len(held(daemon)) > before, "the answer to begin")
        wait_for(lambda: len(held(daemon)) <= before, "the connection to be given up")


def test_a_slow_client_gets_all(daemon: Daemon) -> None:
    whole = len(_all_of(asking(daemon, "/v1/backup")))
    began = time.monotonic()
    with asking(daemon, "/v1/backup") as client:
        slowly = len(_all_of(client, pause=0.15))
    assert time.monotonic() - began > 2 * SECONDS
    assert slowly == pytest.approx(whole, rel=0.01)


def _all_of(client: socket.socket, pause: float = 0.0) -> bytes:
    """Read until the end of a chunked answer, or of the connection."""
    found = b""
    try:
        while not found.endswith(b"\r\n0\r\n\r\n") and (piece := client.recv(65_536)):
            found += piece
            time.sleep(pause)
    except ConnectionResetError:
        pass
    return found
