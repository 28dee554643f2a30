"""What clients do wrong on the socket: each gets an error or loses its own connection, no more."""

import asyncio
import json
import os
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from hippod.server import connection as limits
from hippod.server.connection import OwnersProtocol
from tests.asking import SECONDS, Door, ask, raw
from tests.processes import Daemon, running, wait_for

pytestmark = pytest.mark.xdist_group("server-abuse")
LIMIT = 50_000


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    settings = {"HIPPOD_SERVER__MAX_BODY_BYTES": str(LIMIT)}
    with running(tmp_path_factory.mktemp("abuse"), settings) as daemon:
        yield daemon
        assert "Traceback" not in daemon.log.read_text()
        assert daemon.stop() == 0


@pytest.fixture
def path(daemon: Daemon) -> Iterator[Path]:
    yield daemon.socket
    began = time.monotonic()
    assert ask(daemon.socket, "GET", "/v1/health").status == 200
    assert ask(daemon.socket, "POST", "/v1/recall", {"query": "x"}).status == 200
    assert time.monotonic() - began < 2


def request(
    body: bytes = b"", *headers: str, method: str = "POST", to: str = "/v1/recall"
) -> bytes:
    return "\r\n".join([f"{method} {to} HTTP/1.1", "Host: x", *headers, "", ""]).encode() + body


def status_of(answer: bytes) -> int:
    """Return the status of an answer that must be an error in the usual shape."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert set(json.loads(body)["error"]) == {"code", "message", "hint"}
    assert b"application/json" in head
    return int(head.split()[1])


# -- what is not a request -------------------------------------------------------------------


def test_nothing_and_close(path: Path) -> None:
    assert raw(path, b"", finish=True) == b""


@pytest.mark.parametrize("part", [b"POST", b"POST /v1/recall HTTP/1.1\r\nHost", request()[:-2]])
def test_half_a_head_and_close(path: Path, part: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        client.sendall(part)


def test_half_a_body_and_close(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        client.sendall(request(b'{"query": "ha', "Content-Length: 500"))


@pytest.mark.parametrize(
    "junk",
    [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20, b"hello\r\n\r\n", b'{"query": "x"}\n',
     b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\0" * 1000, b"GET /\xff\xfe HTTP/1.1\r\n\r\n",
     request(b"", "Content-Length: -5"), request(b"", "Content-Length: ten"),
     request(b"", "Content-Length: 1", "Content-Length: 2"),
     request(b"zz\r\n", "Transfer-Encoding: chunked"), request(b"", "bad header")],
)  # fmt: skip
def test_what_is_not_http_is_said_to_be_so(path: Path, junk: bytes) -> None:
    assert status_of(raw(path, junk)) in (400, 413)


def test_a_line_without_end(path: Path) -> None:
    assert status_of(raw(path, b"GET /v1/" + b"a" * 50_000_000)) == 413
    assert raw(path, b"x" * 50_000_000).count(b"HTTP/1.1 400") == 1


def test_headers_without_end(path: Path) -> None:
    lines = "".join(f"X-{n}: {'y' * 100}\r\n" for n in range(20_000))
    answer = raw(path, b"GET /v1/health HTTP/1.1\r\n" + lines.encode())
    assert status_of(answer) == 413


# -- bodies ----------------------------------------------------------------------------------


def query_of(size: int) -> bytes:
    empty = len(json.dumps({"query": ""}))
    return json.dumps({"query": "x" * (size - empty)}).encode()


def test_a_body_at_the_limit_is_taken_and_one_byte_more_is_not(path: Path) -> None:
    assert ask(path, "POST", "/v1/recall", query_of(LIMIT)).status == 200
    answer = ask(path, "POST", "/v1/recall", query_of(LIMIT + 1))
    assert (answer.status, answer.error["code"]) == (413, "too_large")
    assert str(LIMIT) in answer.error["message"]
    assert "max_body_bytes" in answer.error["hint"]


def test_a_chunked_body_has_the_same_limit(path: Path) -> None:
    for size, status in ((LIMIT, 200), (LIMIT + 1, 413), (20 * LIMIT, 413)):
        door = Door(path)
        body = query_of(size)
        pieces = (body[start : start + 7000] for start in range(0, size, 7000))
        door.request("POST", "/v1/recall", pieces, encode_chunked=True)
        assert door.answer().status == status
        door.close()


def test_a_lie_about_the_length_is_refused_unread(path: Path) -> None:
    answer = raw(path, request(b"", "Content-Length: 999999999999", "Expect: 100-continue"))
    assert status_of(answer) == 413


@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE", "GET", "PATCH"])
def test_fifty_megabytes_are_refused_whatever_the_endpoint(path: Path, method: str) -> None:
    answer = ask(path, method, "/v1/files/a.md", b"x" * 50_000_000)
    assert answer.status == 413


@pytest.mark.parametrize(
    "body",
    [b"", b"\xff\xfe\xfa", b"\xc3\x28", b'{"query": "\xff"}', b"[]", b"null", b"3", b'"x"', b"{",
     b"{'query': 'x'}", b'{"query": "x"} trailing', b"[" * 20_000, b'{"a":' * 8_000,
     b"[" * 20_000 + b"]" * 20_000, b"NaN", b"1" * 10_000, b'{"query": 1e999}',
     b'\xef\xbb\xbf[]', b"query=x&limit=3"],
)  # fmt: skip
def test_bodies_that_are_no_request(path: Path, body: bytes) -> None:
    answer = ask(path, "POST", "/v1/recall", body)
    assert answer.status in (400, 422)
    assert answer.error["code"] == "invalid"
    assert len(answer.error["message"]) < 300


def test_a_hundred_thousand_brackets(tmp_path: Path) -> None:
    with running(tmp_path) as daemon:
        for body in (b"[" * 100_000, b"[" * 100_000 + b"]" * 100_000, b'{"query":' * 100_000):
            assert ask(daemon.socket, "POST", "/v1/recall", body).status in (400, 422)
        assert ask(daemon.socket, "GET", "/v1/health").status == 200


# -- connections -----------------------------------------------------------------------------


def test_idle_connections_do_not_shut_others_out(daemon: Daemon, path: Path) -> None:
    with ExitStack() as stack:
        for _ in range(300):
            client = stack.enter_context(socket.socket(socket.AF_UNIX))
            client.connect(str(path))
        assert ask(path, "GET", "/v1/health").status == 200
        late = Door(path)
        late.request("GET", "/v1/health")
        assert late.answer().status == 200
        assert daemon.process is not None
        descriptors = len(os.listdir(f"/proc/{daemon.process.pid}/fd"))
        assert descriptors < limits.MAX_CONNECTIONS + 60
        late.close()


def test_unfinished_requests_do_not_shut_others_out(path: Path) -> None:
    with ExitStack() as stack:
        for number in range(300):
            client = stack.enter_context(socket.socket(socket.AF_UNIX))
            client.connect(str(path))
            client.sendall(request(b"{", "Content-Length: 100") if number % 2 else b"GET /v1/he")
        assert ask(path, "GET", "/v1/health").status == 200


def test_whoever_finds_no_room_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OwnersProtocol, "most_connections", 2)

    async def run() -> list[bytes]:
        path = tmp_path / "d.sock"
        server = await serve(path)
        silent = [await asyncio.open_unix_connection(str(path)) for _ in range(3)]
        told = [await asyncio.wait_for(silent[0][0].read(), SECONDS)]  # it waited longest
        monkeypatch.setattr(OwnersProtocol, "_is_served", lambda _: True)
        reader, writer = await asyncio.open_unix_connection(str(path))
        told.append(await asyncio.wait_for(reader.read(), SECONDS))
        for each in (writer, *(other for _, other in silent)):
            each.close()
        server.close()
        return told

    for answer in asyncio.run(run()):
        assert status_of(answer) == 503
        assert b'"busy"' in answer


def test_http_1_0_is_answered_and_closed(path: Path) -> None:
    answer = raw(path, b"GET /v1/health HTTP/1.0\r\n\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.split()[1] == b"200"
    assert json.loads(body)["ok"] is True


def test_pipelined_requests_are_answered_in_order(path: Path) -> None:
    first = request(b"", method="GET", to="/v1/health")
    second = request(b"", "Connection: close", method="GET", to="/v1/nope")
    answer = raw(path, first + second)
    assert [int(part.split()[0]) for part in answer.split(b"HTTP/1.1 ")[1:]] == [200, 404]


def test_an_upgrade_is_not_made(path: Path) -> None:
    headers = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")  # fmt: skip
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(SECONDS)
        client.connect(str(path))
        client.sendall(request(b"", *headers, method="GET", to="/v1/health"))
        assert client.recv(12) == b"HTTP/1.1 200"


def test_a_client_that_goes_while_it_is_answered(path: Path) -> None:
    for _ in range(20):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
            client.sendall(request(b"", method="GET", to="/v1/status"))


# -- the protocol alone: its clock and its peers ----------------------------------------------


async def serve(path: Path) -> asyncio.Server:
    from uvicorn.config import Config
    from uvicorn.server import ServerState

    async def app(_scope: object, receive: object, send: object) -> None:
        while (await receive()).get("more_body"):  # type: ignore[operator]
            pass
        await send({"type": "http.response.start", "status": 204, "headers": []})  # type: ignore[operator]
        await send({"type": "http.response.body", "body": b""})  # type: ignore[operator]

    config = Config(app, ws="none", lifespan="off", log_config=None, timeout_keep_alive=30)
    config.load()
    state = ServerState()
    return await asyncio.get_running_loop().create_unix_server(
        lambda: OwnersProtocol(config=config, server_state=state, app_state={}), str(path)
    )


async def talk(path: Path, *pieces: bytes, pause: float = 0.0) -> bytes:
    reader, writer = await asyncio.open_unix_connection(str(path))
    for piece in pieces:
        writer.write(piece)
        await asyncio.sleep(pause)
    try:
        answer = await asyncio.wait_for(reader.read(), 5)
    except (BrokenPipeError, ConnectionResetError):
        answer = b""
    writer.close()
    return answer


@pytest.mark.parametrize(
    "pieces",
    [(), (b"GET /v1", b"/hea", b"lth HT", b"TP/1.1\r\n", b"Host:", b" x\r\n"),
     (request(b"{", "Content-Length: 100"), b" ", b" ", b" ", b" ")],
    ids=["silent", "slow head", "slow body"],
)  # fmt: skip
def test_a_request_has_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pieces: tuple[bytes, ...]
) -> None:
    monkeypatch.setattr(limits, "REQUEST_SECONDS", 0.2)

    async def run() -> None:
        async with await serve(tmp_path / "s"):
            began = time.monotonic()
            assert await talk(tmp_path / "s", *pieces, pause=0.1) == b""
            assert 0.15 < time.monotonic() - began < 3

    asyncio.run(run())


def test_a_request_in_two_pieces_is_answered(tmp_path: Path) -> None:
    async def run() -> bytes:
        async with await serve(tmp_path / "s"):
            whole = request(b"{}", "Content-Length: 2", "Connection: close")
            return await talk(tmp_path / "s", whole[:30], whole[30:], pause=0.01)

    assert asyncio.run(run()).startswith(b"HTTP/1.1 204")


@pytest.mark.parametrize(("uid", "status"), [(0, b"204"), (os.geteuid(), b"204"), (64_000, b"")])
def test_only_our_own_user_and_root_may_come_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, uid: int, status: bytes
) -> None:
    monkeypatch.setattr(limits, "peer_uid", lambda connection: uid)

    async def run() -> bytes:
        faults: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _loop, about: faults.append(about))
        async with await serve(tmp_path / "s"):
            answer = await talk(tmp_path / "s", request(b"", "Connection: close", method="GET"))
        assert faults == []
        return answer

    assert asyncio.run(run())[9:12] == status


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_process_of_another_user_is_closed_at_once() -> None:
    """Even where the modes of folder and socket would let it in."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as daemon:
        for each in (Path(folder), daemon.socket.parent, daemon.socket):
            each.chmod(0o777)
        assert ask_as(64_000, daemon.socket) == b""
        assert ask_as(0, daemon.socket).startswith(b"HTTP/1.1 200")


def ask_as(uid: int, path: Path) -> bytes:
    """Ask for health from a child process that runs as `uid`."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        try:
            os.setuid(uid)
            os.write(writing, raw(path, b"GET /v1/health HTTP/1.0\r\n\r\n")[:100])
        finally:
            os._exit(0)
    os.close(writing)
    _, status = os.waitpid(child, 0)
    assert status == 0
    with os.fdopen(reading, "rb") as answer:
        return answer.read()


def test_stopping_does_not_wait_for_clients(tmp_path: Path) -> None:
    with running(tmp_path) as daemon, ExitStack() as stack:
        for piece in (b"", b"GET /v1", request(b"{", "Content-Length: 100")):
            client = stack.enter_context(socket.socket(socket.AF_UNIX))
            client.settimeout(SECONDS)
            client.connect(str(daemon.socket))
            client.sendall(piece)
        kept = Door(daemon.socket)
        kept.request("GET", "/v1/health")
        kept.answer()
        wait_for(daemon.answers, "an answer")
        began = time.monotonic()
        assert daemon.stop() == 0
        assert time.monotonic() - began < 5
        kept.close()
