"""Many clients at once, slow ones and rude ones, on a real daemon: the others notice nothing."""

import os
import socket
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.asking import SECONDS, ask, raw, received
from tests.processes import Daemon, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("server-load")]
needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="it reads /proc")

REQUEST_SECONDS = 1.5
PROGRAM = (
    sys.executable,
    "-c",
    "import sys; from hippod.server import connection; from hippod.cli import main; "
    f"connection.REQUEST_SECONDS = {REQUEST_SECONDS}; sys.exit(main())",
)
"""`hippod` that gives a client less time, so that slow ones are waited for less long."""
LARGE = 4_000_000
HEALTH = b"GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n"
LAST = b"GET /v1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
SOON = 0.1
"""Within which others are answered, or ten times of what it takes on an idle machine."""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    daemon = Daemon(tmp_path_factory.mktemp("load"), program=PROGRAM)
    try:
        daemon.start()
        (daemon.workspace / "large.md").write_text("# Large\n\n" + "heron " * (LARGE // 6))
        daemon.settle()
        yield daemon
        assert "Traceback" not in daemon.log.read_text()
        assert daemon.stop() == 0
    finally:
        if daemon.process is not None and daemon.process.poll() is None:
            daemon.kill()


@pytest.fixture
def path(daemon: Daemon) -> Iterator[Path]:
    """Give the socket, and look afterwards that nothing is left of what the test opened."""
    before = descriptors(daemon)
    yield daemon.socket
    wait_for(lambda: descriptors(daemon) <= before, "the connections to be gone", 20)
    assert ask(daemon.socket, "POST", "/v1/recall", {"query": "heron"}).status == 200


def descriptors(daemon: Daemon) -> int:
    """Count what the daemon has open, but for files of the database that come and go."""
    assert daemon.process is not None
    folder = Path(f"/proc/{daemon.process.pid}/fd")
    if not folder.is_dir():
        return 0
    found = 0
    for each in folder.iterdir():
        try:
            found += str(each.readlink()).startswith("socket:")
        except FileNotFoundError:
            continue
    return found


def resident(daemon: Daemon) -> int:
    assert daemon.process is not None
    pages = int(Path(f"/proc/{daemon.process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def connected(path: Path, *requests: bytes) -> Iterator[list[socket.socket]]:
    """Open a connection for each request, and send it."""
    with ExitStack() as stack:
        clients = []
        for request in requests:
            client = stack.enter_context(socket.socket(socket.AF_UNIX))
            client.settimeout(SECONDS)
            client.connect(str(path))
            if request:
                client.sendall(request)
            clients.append(client)
        yield clients


def seconds_of_a_question(path: Path) -> float:
    """Ask until there is room, as the 503 says: the time of it all."""
    began = time.perf_counter()
    while (status := ask(path, "GET", "/v1/health").status) == 503:
        assert time.perf_counter() - began < SECONDS
    assert status == 200
    return time.perf_counter() - began


@contextmanager
def others_are_answered(path: Path) -> Iterator[None]:
    """Ask for something beside what happens within, and hold it against asking in peace."""
    peace = statistics.median(seconds_of_a_question(path) for _ in range(30))
    over, busy = threading.Event(), []

    def ask_on() -> None:
        while not over.is_set():
            busy.append(seconds_of_a_question(path))
            time.sleep(0.005)

    asker = threading.Thread(target=ask_on)
    asker.start()
    try:
        yield
    finally:
        over.set()
        asker.join()
    assert len(busy) >= 2
    assert statistics.median(busy) < max(SOON, 10 * peace), (peace, sorted(busy)[-5:])


# -- many ------------------------------------------------------------------------------------


def test_five_hundred_at_once_are_answered_or_closed(path: Path) -> None:
    with connected(path, *[LAST] * 500) as clients, others_are_answered(path):
        answers = [received(client) for client in clients]
        time.sleep(0.1)
    assert {answer[:12] for answer in answers} <= {b"HTTP/1.1 200", b"HTTP/1.1 503", b""}
    assert sum(answer.startswith(b"HTTP/1.1 200") for answer in answers) >= 100


def test_five_hundred_that_say_nothing_do_not_shut_others_out(path: Path) -> None:
    with connected(path, *[b""] * 500) as clients, others_are_answered(path):
        time.sleep(0.2)
        clients[-1].sendall(LAST)
        assert received(clients[-1]).startswith(b"HTTP/1.1 200")


def test_slow_clients_are_cut_off_and_nobody_waits_for_them(path: Path) -> None:
    """Each sends a byte now and then, and never comes to an end."""
    body = b'POST /v1/recall HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n{"query": "'
    with others_are_answered(path), connected(path, *[HEALTH[:10], body] * 40) as clients:
        began = time.monotonic()
        while clients and time.monotonic() - began < 4 * REQUEST_SECONDS:
            time.sleep(REQUEST_SECONDS / 5)
            clients = [client for client in clients if still_open(client)]
        assert not clients
        assert time.monotonic() - began >= REQUEST_SECONDS / 2


def still_open(client: socket.socket) -> bool:
    try:
        client.sendall(b"x")
    except (BrokenPipeError, ConnectionResetError):
        return False
    return True


def test_two_hundred_requests_in_one_breath_are_answered_in_order(path: Path) -> None:
    targets = [f"/v1/no-{number}" for number in range(200)]
    requests = "".join(f"GET {each} HTTP/1.1\r\nHost: x\r\n\r\n" for each in targets)
    with others_are_answered(path):
        answer = raw(path, requests.encode() + LAST).decode()
    parts = answer.split("HTTP/1.1 ")[1:]
    assert [part[:3] for part in parts] == ["404"] * 200 + ["200"]
    assert all(target + '"' in part for target, part in zip(targets, parts, strict=False))


@needs_proc
def test_two_thousand_connections_come_and_go_and_leave_nothing(daemon: Daemon, path: Path) -> None:
    churn(path, 300)
    before = resident(daemon)
    churn(path, 2_000)
    assert resident(daemon) - before < 16_000_000


def churn(path: Path, count: int) -> None:
    """Connect so many times: to ask, to ask and not listen, to say half, to say nothing."""
    for number in range(count):
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(SECONDS)
            client.connect(str(path))
            match number % 4:
                case 0:
                    client.sendall(LAST)
                    assert received(client).startswith(b"HTTP/1.1 200")
                case 1:
                    client.sendall(HEALTH)
                case 2:
                    client.sendall(HEALTH[:17])


# -- large answers ---------------------------------------------------------------------------


@needs_proc
def test_clients_that_vanish_in_the_middle_of_an_answer(daemon: Daemon, path: Path) -> None:
    request = b"GET /v1/files/large.md HTTP/1.1\r\nHost: x\r\n\r\n"
    before = resident(daemon)
    with others_are_answered(path):
        for _ in range(8):
            with connected(path, request) as (client,):
                assert client.recv(10_000).startswith(b"HTTP/1.1 200")
    assert resident(daemon) - before < 20 * LARGE


def test_clients_that_never_read_their_answer_shut_nobody_out(path: Path) -> None:
    """As many as there may be connections: who waits longest gives way."""
    request = b"GET /v1/log HTTP/1.1\r\nHost: x\r\n\r\n"
    large = b"GET /v1/files/large.md HTTP/1.1\r\nHost: x\r\n\r\n"
    with connected(path, *[large] * 4, *[request] * 140), others_are_answered(path):
        time.sleep(0.3)


@needs_proc
def test_streams_that_nobody_reads_cost_no_memory(daemon: Daemon, path: Path) -> None:
    follow = b"GET /v1/events?follow=true HTTP/1.1\r\nHost: x\r\n\r\n"
    with connected(path, *[follow] * 64) as clients:
        for client in clients:
            assert client.recv(12) == b"HTTP/1.1 200"
        before = resident(daemon)
        with others_are_answered(path):
            for number in range(25):
                daemon.client.retain(facts=[f"W @Ina: Sails {number} boats to the weir."])
        assert resident(daemon) - before < 40_000_000


# -- nonsense, at every endpoint -------------------------------------------------------------

BODIES = (
    b"", b"{}",
    b"\0", b'{"\0": 1}', b'{"query": "\\u0000", "content": "\\u0000"}', b"\xff\xfe", b"[]",
    b"null", b"0", b'"x"', b"{", b"[" * 3_000, b'{"a":' * 3_000, b'{"scope": "\\ud800"}',
    b"[" * 3_000 + b"]" * 3_000, b'{"a": 1e999}', b'{"a": NaN}', b'{"content": ["x"], "text": {}}',
)  # fmt: skip
WITHOUT_FIELDS = 2
"""How many of them ask for something where no field must be given."""
WORKING = ("/run", "/reindex", "/doctor", "/reload", "/import", "/recompute", "/retain")
STAND_INS = {"path": "a.md", "date": "today", "name": "none", "id": "zzzz", "session": "s"}


def test_nonsense_is_refused_at_every_endpoint(path: Path) -> None:
    paths = ask(path, "GET", "/v1/openapi.json").data["paths"]
    changing = [(m.upper(), p) for p in paths for m in paths[p] if m in ("post", "put")]
    assert len(changing) > 15
    for method, target in changing:
        works = target.endswith(WORKING)  # asked in earnest it works for seconds
        for body in BODIES[WITHOUT_FIELDS if works else 0 :]:
            answer = ask(path, method, target.format(**STAND_INS), body)
            assert answer.status < 500, (method, target, body, answer)
            assert answer.status < 400 or len(answer.error["message"]) < 500
