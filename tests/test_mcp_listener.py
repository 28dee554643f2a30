"""The MCP listener: /mcp alone over TCP, for who has the token and names it rightly."""

import contextlib
import json
import os
import re
import socket
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from hippod import bearer
from hippod.cli import main
from hippod.errors import Forbidden, StorageError
from tests.mcp_bridges import HELLO, tool
from tests.mcp_clients import ERAS
from tests.processes import Daemon, running, wait_for

pytestmark = [pytest.mark.xdist_group("mcp-listener")]

PAGE = "https://app.example.org"
NAME = "memory.internal:8080"
ACCEPT = "application/json, text/event-stream"


def free_port() -> int:
    """Return a port that nobody listens at; another program may take it before we do."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class House:
    """A daemon with a listener."""

    def __init__(self, daemon: Daemon, config: Path, port: int) -> None:
        self.daemon = daemon
        self.config = config
        self.port = port

    @property
    def token_file(self) -> Path:
        return self.config.parent / "mcp.token"

    @property
    def token(self) -> str:
        return self.token_file.read_text().strip()

    def status(self) -> dict[str, Any]:
        told = self.daemon.client.status()["mcp"]
        assert isinstance(told, dict)
        return told

    def ask(
        self, message: object = HELLO, *, path: str = "/mcp", method: str = "POST", **headers: str
    ) -> tuple[HTTPResponse, bytes]:
        """Send a request with the token; `headers` as keywords, empty ones are left out."""
        given = {
            "Accept": ACCEPT, "Content-Type": "application/json",
            "Authorization": f"Bearer {self.token}", "Host": f"127.0.0.1:{self.port}",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }  # fmt: skip
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(connection):
            body = message if isinstance(message, bytes) else json.dumps(message).encode()
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in {**given, "Content-Length": str(len(body))}.items():
                if value:
                    connection.putheader(name, value)
            connection.endheaders(body)
            response = connection.getresponse()
            return response, response.read()

    def refused(self, message: object = HELLO, **options: Any) -> int:
        """Return the status of a request that is refused in our own words."""
        response, body = self.ask(message, **options)
        assert json.loads(body)["error"]["message"]
        assert response.status >= 400
        return response.status


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder, port = tmp_path_factory.mktemp("listener"), free_port()
    config = folder / "config.toml"
    config.write_text(
        f'[mcp]\nlisten = "127.0.0.1:{port}"\nscope = "group"\norigins = ["{PAGE}"]\n'
        f'hosts = ["{NAME}", "named"]\n'
    )
    with running(folder, {"HIPPOD_CONFIG": str(config)}) as daemon:
        yield House(daemon, config, port)


def data(body: bytes) -> dict[str, Any]:
    """Return the message of an answer, be it a stream or not."""
    text = body.decode()
    line = next((each for each in text.splitlines() if each.startswith("data: ")), text)
    message: dict[str, Any] = json.loads(line.removeprefix("data: "))
    return message


# -- who gets in -----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
def test_the_official_client_gets_in_with_the_token(house: House, era: str) -> None:
    async def visit() -> set[str]:
        headers = {"Authorization": f"Bearer {house.token}"}
        url = f"http://localhost:{house.port}/mcp"
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(url, http_client=http), mode=era) as client,
        ):
            assert not (await client.call_tool("memory_tree", {})).is_error
            return {each.name for each in (await client.list_tools()).tools}

    assert "memory_search" in anyio.run(visit)


@pytest.mark.parametrize(
    "given",
    [
        "", "Bearer", "Bearer ", "Bearer wrong", "Basic {token}", "{token}", "Bearer {token}x",
        "Bearer {token},", "Bearer {half}", "Bearer\t{token}", "Bearer ünïcode",
    ],
)  # fmt: skip
def test_nothing_without_the_token(house: House, given: str) -> None:
    said = given.format(token=house.token, half=house.token[:-1])
    response, body = house.ask(authorization=said.encode().decode("latin-1"), Authorization="")
    assert response.status == 401
    assert response.headers["www-authenticate"].startswith("Bearer")
    assert json.loads(body)["error"]["hint"] == "see: hippod mcp token"


def test_names_of_ours_are_taken_at_any_port(house: House) -> None:
    for host in ("localhost", "LOCALHOST:9", "127.0.0.1", "[::1]:7777", NAME, "named", "named:1"):
        assert house.ask(Host=host)[0].status == 200, host


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "localhost.evil", "127.0.0.1:1@evil",
     "memory.internal", "127.0.0.2", "[::2]", "localhost:", "localhost:123456", ""],
)  # fmt: skip
def test_a_page_that_rebinds_its_name_gets_nothing(house: House, host: str) -> None:
    """A missing Host is no HTTP/1.1 at all, but HTTP/1.0 has none."""
    assert house.refused(Host=host) in (400, 403)
    assert house.refused(Host=host, Authorization="") in (400, 403)  # whatever else is right


def test_only_pages_that_are_allowed_may_ask(house: House) -> None:
    for page in ("https://evil.example", "null", f"{PAGE}:8443", "http://localhost"):
        assert house.refused(Origin=page) == 403
    response, _ = house.ask(Origin=PAGE)
    assert response.status == 200
    assert response.headers["access-control-allow-origin"] == PAGE
    asked = {"Access-Control-Request-Method": "POST",
             "Access-Control-Request-Headers": "authorization, content-type"}  # fmt: skip
    before, _ = house.ask(b"", method="OPTIONS", Origin=PAGE, Authorization="", **asked)
    assert before.status == 200
    assert house.refused(b"", method="OPTIONS", Origin="https://evil.example", **asked) == 403


def test_there_is_nothing_else_at_the_listener(house: House) -> None:
    for path in ("/", "/v1/status", "/v1/forget", "/v1/config", "/metrics", "/mcp/",
                 "/mcp/../v1/status", "/MCP", "/%6dcp/x", "/.well-known/oauth"):  # fmt: skip
        assert house.refused(path=path) == 404, path
    for method in ("GET", "DELETE", "PUT", "OPTIONS", "PATCH"):
        response, _ = house.ask(b"", method=method)
        assert (response.status, response.headers["allow"]) == (405, "POST")


def test_scope_and_tools_are_fixed_whatever_a_request_says(house: House) -> None:
    asked = {"Hippod-Scope": "main", "Hippod-Tools": "all", "Hippod-Workspace": "/elsewhere"}
    listed = data(house.ask({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, **asked)[1])
    names = {each["name"] for each in listed["result"]["tools"]}
    assert "memory_search" in names
    assert "memory_forget" not in names
    _, body = house.ask(tool(2, "memory_read", path="MEMORY.md"), **asked)
    assert data(body)["result"]["isError"]


# -- bounds ----------------------------------------------------------------------------------


def test_heads_and_bodies_have_an_end(house: House) -> None:
    assert house.refused(b'{"x":"' + b"y" * 8_000_001 + b'"}') == 413
    assert house.refused(b"x" * 500_000, Authorization="") == 401
    with socket.create_connection(("127.0.0.1", house.port), timeout=60) as connection:
        connection.sendall(b"POST /mcp HTTP/1.1\r\nX: " + b"y" * 100_000)
        assert b" 413 " in connection.recv(4096)
    slow = [socket.create_connection(("127.0.0.1", house.port), timeout=60) for _ in range(40)]
    try:
        for connection in slow:
            connection.sendall(b"POST /mcp HTTP/1.1\r\n")
        assert house.ask()[0].status == 200  # the one that waits longest makes room
    finally:
        for connection in slow:
            connection.close()


def test_what_is_no_http_or_no_message_is_answered(house: House) -> None:
    with socket.create_connection(("127.0.0.1", house.port), timeout=60) as connection:
        connection.sendall(b"\x16\x03\x01 nonsense\r\n\r\n")
        assert b" 400 " in connection.recv(4096)
    assert house.ask(b"{")[0].status == 400


# -- the token -------------------------------------------------------------------------------


def test_the_token_is_made_for_its_owner_alone(house: House) -> None:
    assert house.token_file.stat().st_mode & 0o777 == 0o600
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", house.token)  # 256 bits
    told = house.status()
    assert (told["open"], told["error"], told["scope"]) == (True, "", "group")
    assert told["url"] == f"http://127.0.0.1:{house.port}/mcp"
    shown = house.daemon.cli("status").stdout
    assert f"http://127.0.0.1:{house.port}/mcp" in shown
    assert house.token not in shown + house.daemon.cli("status", "--verbose").stdout


def test_a_new_token_counts_at_once_and_the_old_one_no_more(house: House) -> None:
    before = house.token
    assert house.daemon.cli("mcp", "token").stdout.strip() == before
    after = house.daemon.cli("mcp", "token", "--new").stdout.strip()
    assert after == house.token != before
    assert house.token_file.stat().st_mode & 0o777 == 0o600
    assert house.ask()[0].status == 200
    assert house.ask(Authorization=f"Bearer {before}")[0].status == 401


def test_a_token_that_others_can_read_shuts_the_listener(house: House) -> None:
    house.token_file.chmod(0o640)
    try:
        assert house.refused() == 503
        assert "others can read it" in house.status()["error"]
        done = house.daemon.cli("mcp", "token")
        assert done.returncode == 1
        assert "hippod mcp token --new" in done.stderr
    finally:
        house.token_file.chmod(0o600)
    assert house.ask()[0].status == 200


def test_a_reload_makes_a_token_that_was_removed(house: House) -> None:
    before = house.token
    house.token_file.unlink()
    assert house.daemon.client.reload_config()["changed"] == []
    assert house.token != before
    assert house.ask()[0].status == 200


def test_no_log_holds_a_token(house: House) -> None:
    wrong = "w" * 43
    house.ask(Authorization=f"Bearer {wrong}")
    wait_for(lambda: "listener.refused" in house.daemon.log.read_text(), "the refusal in the log")
    log = house.daemon.log.read_text()
    assert wrong not in log
    assert house.token not in log


@pytest.mark.parametrize("content", ["", "short", "ä" * 43, "x" * 20 + "\n" + "y" * 40])
def test_what_is_no_token_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "mcp.token"
    file.touch(0o600)
    file.write_text(content)
    with pytest.raises(StorageError, match="token"):
        bearer.read(file)


def test_links_folders_and_pipes_are_no_token(tmp_path: Path) -> None:
    made = tmp_path / "made"
    token = bearer.ensure(made)
    assert bearer.ensure(made) == token
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(made)
    os.mkfifo(pipe, 0o600)
    with pytest.raises(StorageError, match="link: is a link"):
        bearer.read(link)
    for odd in (link, pipe, tmp_path, tmp_path / "none"):
        with pytest.raises((StorageError, Forbidden)):
            bearer.read(odd)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "made", "pipe"]


def test_a_token_is_made_without_any_listener_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("HIPPOD_CONFIG", "HIPPOD_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    assert main(["mcp", "token"]) == 0
    out, err = capsys.readouterr()
    assert out.strip() == bearer.read(tmp_path / ".hippod/mcp.token")
    assert "mcp.listen" in err or "[mcp] listen" in err
    assert main(["mcp", "--new"]) == 2


# -- opened, closed, moved -------------------------------------------------------------------


@pytest.mark.slow
def test_a_reload_opens_moves_and_closes_it_and_a_port_in_use_is_no_end(house: House) -> None:
    """The last of this module: it ends the daemon."""
    daemon, config, port = house.daemon, house.config, house.port
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    with taken:
        config.write_text("[mcp]\n")
        daemon.client.reload_config()
        assert daemon.client.status()["mcp"] is None
        config.write_text(f'[mcp]\nlisten = "127.0.0.1:{port}"\n')
        assert daemon.client.reload_config()["changed"] == ["mcp.listen"]
        assert house.ask()[0].status == 200
        held = HTTPConnection("127.0.0.1", port, timeout=60)
        held.connect()
        config.write_text(f'[mcp]\nlisten = "127.0.0.1:{port}"\ntools = "all"\n')
        daemon.client.reload_config()
        body = house.ask({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})[1]
        assert len(data(body)["result"]["tools"]) == 16
        config.write_text(f'[mcp]\nlisten = "127.0.0.1:{taken.getsockname()[1]}"\n')
        daemon.client.reload_config()
        with pytest.raises(ConnectionError):
            house.ask()
        told = house.status()
        assert not told["open"]
        assert "cannot listen: Address already in use" in told["error"]
        assert daemon.cli("status", "--quiet").stdout.strip() == "attention"
        assert '"listener.not_open"' in daemon.log.read_text()
        config.write_text("[mcp]\n")
        daemon.client.reload_config()
        assert daemon.client.status()["mcp"] is None
        held.close()
        began = time.monotonic()
        assert daemon.stop() == 0
        assert time.monotonic() - began < 15
