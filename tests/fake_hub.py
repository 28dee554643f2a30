"""A model hub on loopback: real HTTP, with the ways in which one fails."""

import hashlib
import http.server
import json
import threading
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self
from urllib.parse import unquote, urlsplit

COMMIT = "c0ffee" * 6 + "c0ff"


class Asked(NamedTuple):
    """One request as it arrived; `host` is the name that the client dialled."""

    method: str
    host: str
    target: str
    headers: dict[str, str]


@dataclass
class Shelf:
    """A file of the hub and how it is served."""

    data: bytes
    announced: bytes | None = None
    """The bytes that the checksum is of, where it is not of `data`."""
    status: int = 200
    code: str = ""
    """Of the error: what the hub's clients tell cases apart by."""
    cuts: list[int] = field(default_factory=list)
    """After how many bytes each of the next replies breaks off."""
    hold_after: int | None = None
    """After how many bytes a reply stops and waits for `FakeHub.go_on`."""
    ranges: bool = True
    checksum: bool = True


class FakeHub(http.server.ThreadingHTTPServer):
    """Serves `files` by `org/repo` and name; bodies come from a second host, like a CDN's."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[tuple[str, str], Shelf] = {}
        self.asked: list[Asked] = []
        self.holding = threading.Event()
        self.go_on = threading.Event()
        self.revisions = {"main", COMMIT}
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.go_on.set()
        self.shutdown()
        self._thread.join()
        self.server_close()

    @property
    def endpoint(self) -> str:
        """The address for `HF_ENDPOINT`."""
        return f"http://127.0.0.1:{self.server_port}"

    def downloads(self) -> list[Asked]:
        """Return the requests for the bytes of a file."""
        return [one for one in self.asked if one.target.startswith("/cdn/")]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients of these tests are killed in the middle."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FakeHub

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _answer(self) -> None:
        host = self.headers["Host"]
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.asked.append(Asked(self.command, host, self.path, headers))
        parts = unquote(urlsplit(self.path).path).strip("/").split("/")
        match parts:
            case ["api", "models", org, name]:
                self._describe(f"{org}/{name}")
            case [org, name, "resolve", revision, *file]:
                self._resolve(f"{org}/{name}", revision, "/".join(file))
            case ["cdn", org, name, *file]:
                self._serve(self.server.files[f"{org}/{name}", "/".join(file)])
            case _:
                self._refuse(404, "")

    def _describe(self, repo: str) -> None:
        names = [file for owner, file in self.server.files if owner == repo]
        if not names:
            self._refuse(401, "RepoNotFound")
            return
        siblings = [{"rfilename": name} for name in names]
        body = json.dumps({"id": repo, "modelId": repo, "siblings": siblings}).encode()
        self._head(200, {"Content-Type": "application/json"}, len(body))
        self.wfile.write(body)

    def _resolve(self, repo: str, revision: str, file: str) -> None:
        if not any(owner == repo for owner, _ in self.server.files):
            self._refuse(401, "RepoNotFound")
        elif revision not in self.server.revisions:
            self._refuse(404, "RevisionNotFound")
        elif (repo, file) not in self.server.files:
            self._refuse(404, "EntryNotFound")
        elif (shelf := self.server.files[repo, file]).status >= 400:
            self._refuse(shelf.status, shelf.code)
        else:
            place = f"http://localhost:{self.server.server_port}/cdn/{repo}/{file}"
            headers = {"Location": f"{place}?Signature=s3cr3t", "X-Repo-Commit": COMMIT}
            self._head(302, headers | _linked(shelf), 0)

    def _serve(self, shelf: Shelf) -> None:
        asked = self.headers.get("Range")
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and shelf.ranges else 0
        body = shelf.data[start:]
        total = len(shelf.data)
        partial = {"Content-Range": f"bytes {start}-{total - 1}/{total}"} if start else {}
        self._head(206 if start else 200, partial, len(body))
        if shelf.cuts:
            self.wfile.write(body[: shelf.cuts.pop(0)])
            self.close_connection = True
            return
        if shelf.hold_after is not None:
            self.wfile.write(body[: shelf.hold_after])
            self.server.holding.set()
            self.server.go_on.wait(60)
            body = body[shelf.hold_after :]
        self.wfile.write(body)

    def _refuse(self, status: int, code: str) -> None:
        self._head(status, {"X-Error-Code": code} if code else {}, 0)

    def _head(self, status: int, headers: dict[str, str], length: int) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()


def _linked(shelf: Shelf) -> dict[str, str]:
    """Return what the hub says of a large file on the redirect to it."""
    whole = shelf.data if shelf.announced is None else shelf.announced
    digest = hashlib.sha256(whole).hexdigest() if shelf.checksum else "0123456789abcdef"
    return {
        "ETag": f'"{COMMIT}"',
        "X-Linked-Size": str(len(shelf.data)),
        "X-Linked-Etag": f'"{digest}"',
        "X-Xet-Hash": "ab" * 32,
        "X-Xet-Refresh-Route": "/api/models/x/y/xet-read-token/main",
    }
