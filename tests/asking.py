"""A plain HTTP client on the daemon's socket that sends whatever a test wants to send."""

import http.client
import json
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

SECONDS = 20.0


class Answer(NamedTuple):
    """What came back; `data` is the parsed body, of one that is not JSON its text."""

    status: int
    headers: dict[str, str]
    data: Any

    @property
    def error(self) -> dict[str, str]:
        """The error of an answer that must be one, in exactly the shape that is promised."""
        assert self.status >= 400, self
        assert set(self.data) == {"error"}, self
        error = self.data["error"]
        assert set(error) == {"code", "message", "hint"}, self
        assert all(isinstance(value, str) for value in error.values()), self
        assert "Traceback" not in error["message"]
        return error


class Door(http.client.HTTPConnection):
    """An HTTP connection to a Unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("hippod", timeout=SECONDS)
        self._path = str(path)

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)

    def answer(self) -> Answer:
        """Read the answer to the last request."""
        response = self.getresponse()
        text = response.read()
        headers = {name.lower(): value for name, value in response.getheaders()}
        is_json = "json" in headers.get("content-type", "").partition("x-ndjson")[0]
        data = json.loads(text) if is_json and text else text.decode("latin-1") or None
        return Answer(response.status, headers, data)


def ask(
    path: Path,
    method: str,
    target: str,
    body: object = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """Send one request on a connection of its own; `body` bytes as they are, else as JSON."""
    door = Door(path)
    try:
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        door.request(method, target, data, dict(headers or {}))
        return door.answer()
    finally:
        door.close()


def file(path: str) -> str:
    """Return the target of a document."""
    return f"/v1/files/{quote(path)}"


def raw(path: Path, data: bytes, *, finish: bool = False) -> bytes:
    """Send bytes, read until the daemon closes; `finish` says that no more will come."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(SECONDS)
        connection.connect(str(path))
        try:
            connection.sendall(data)
            if finish:
                connection.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError):
            pass
        return received(connection)


def received(connection: socket.socket) -> bytes:
    """Read until the other end closes."""
    found = bytearray()
    try:
        while piece := connection.recv(65_536):
            found += piece
    except ConnectionResetError:
        pass
    return bytes(found)
