"""A daemon's socket with canned answers: records what a client sent, answers as told."""

import json
import socketserver
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self, cast

from hippod import __version__


class Sent(NamedTuple):
    """One request as it arrived."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        return cast("dict[str, Any]", json.loads(self.body))


class FakeDoor(socketserver.ThreadingUnixStreamServer):
    """Answers every request with `answer` (or `raw` bytes, or silence until closed)."""

    daemon_threads = True
    request_queue_size = 16

    def __init__(self, path: Path) -> None:
        super().__init__(str(path), _Handler)
        self.path = path
        self.version = __version__
        self.status = 200
        self.answer: Mapping[str, Any] = {}
        self.raw: bytes | None = None
        self.hang = False
        self.sent: list[Sent] = []
        self.asked = threading.Event()
        self.closing = threading.Event()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self.shutdown()
        self._thread.join()
        self.server_close()
        self.path.unlink()

    @property
    def last(self) -> Sent:
        return self.sent[-1]

    def fail(self, status: int, code: str, message: str, hint: str = "") -> None:
        """Answer with an error from now on."""
        self.status = status
        self.answer = {"error": {"code": code, "message": message, "hint": hint}}


class _Handler(socketserver.StreamRequestHandler):
    server: FakeDoor

    def handle(self) -> None:
        first = self.rfile.readline().decode("ascii").split()
        if not first:
            return
        headers = {}
        while line := self.rfile.readline().decode("latin-1").strip():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        body = self.rfile.read(int(headers.get("content-length", 0)))
        self.server.sent.append(Sent(first[0], first[1], headers, body))
        self.server.asked.set()
        if self.server.hang:
            self.server.closing.wait()
        elif self.server.raw is not None:
            self.wfile.write(self.server.raw)
        else:
            self.wfile.write(reply(self.server.status, self.server.answer, self.server.version))


def reply(status: int, answer: object, version: str = __version__) -> bytes:
    """Return the bytes of an answer as uvicorn sends it."""
    body = json.dumps(answer, ensure_ascii=False).encode()
    head = [
        f"HTTP/1.1 {status} Whatever",
        "content-type: application/json",
        f"content-length: {len(body)}",
        f"Hippod-Version: {version}",
        "",
        "",
    ]
    return "\r\n".join(head).encode() + body
