"""Endpoints on loopback: one that misbehaves as told, and llama-cpp-python's own server."""

import json
import os
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from tests.processes import wait_for

KEY = "test-key-ZZZ/9+sekret"
"""A key with characters that change in an address."""

Behaviour = Callable[["Handler"], None]


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


class Handler(BaseHTTPRequestHandler):
    """Hands each request to the next behaviour."""

    server: "Misbehaving"

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.seen.append(Seen(self.path, dict(self.headers), json.loads(text or b"{}")))
        with suppress(ConnectionError):
            self.server.next_behaviour()(self)

    def log_message(self, *_args: object) -> None:
        """Stay silent."""

    def send(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Send a whole answer, or what `headers` makes of it."""
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class Misbehaving(ThreadingHTTPServer):
    """Answers each request with the next enqueued behaviour, the last one for ever."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.seen: list[Seen] = []
        self.released = threading.Event()
        """Set at the end: whoever holds a connection open lets go."""
        self.poured = 0
        """Bytes of endless bodies that were taken."""
        self._behaviours: deque[Behaviour] = deque()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def enqueue(self, *behaviours: Behaviour) -> None:
        """Line up behaviours; what was the last one before is forgotten."""
        self._behaviours = deque(behaviours)

    def next_behaviour(self) -> Behaviour:
        return self._behaviours[0] if len(self._behaviours) == 1 else self._behaviours.popleft()


@contextmanager
def misbehaving(port: int = 0) -> Iterator[Misbehaving]:
    """Yield a server on `port`, else on a free one; behaviours must be enqueued."""
    with Misbehaving(port) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            server.released.set()
            server.shutdown()
            thread.join()


def answer(status: int, body: object, headers: Mapping[str, str] | None = None) -> Behaviour:
    """Answer with JSON, or with bytes as they are."""
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda handler: handler.send(status, text, headers)


def says(text: str | None, finish: str = "stop", **more: object) -> Behaviour:
    """Answer as a chat model would."""
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": finish}
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    return answer(200, {"choices": [choice], "usage": usage, **more})


def lists(**tokens: float) -> Behaviour:
    """Answer a chat request for log-probabilities."""
    top = [{"token": token, "logprob": value} for token, value in tokens.items()]
    place = {"token": top[0]["token"], "logprob": top[0]["logprob"], "top_logprobs": top}
    choice = {"message": {"content": top[0]["token"]}, "logprobs": {"content": [place]}}
    return answer(200, {"choices": [choice]})


def silent(handler: Handler) -> None:
    """Never answer."""
    handler.server.released.wait()


def dripping(handler: Handler) -> None:
    """Send a byte now and then, for ever: each read succeeds, the whole never ends."""
    handler.send(200, b"", {"Content-Length": "100000"})
    while not handler.server.released.wait(0.02):
        handler.wfile.write(b" ")


def endless(handler: Handler) -> None:
    """Send a body without end as fast as it goes."""
    handler.send(200, b"{", {"Content-Length": str(10**12)})
    while not handler.server.released.is_set():
        handler.server.poured += handler.wfile.write(b" " * 65536)


def half(handler: Handler) -> None:
    """Promise more than is sent, then close."""
    handler.send(200, b'{"choices": [{"mess', {"Content-Length": "500"})
    handler.close_connection = True


def hung_up(handler: Handler) -> None:
    """Close without a word."""
    handler.close_connection = True


def echoing(status: int) -> Behaviour:
    """Repeat the key in header, address and body, as debugging proxies do."""

    def behave(handler: Handler) -> None:
        said = handler.headers["Authorization"]
        place = f"https://elsewhere.invalid/?key={said.removeprefix('Bearer ')}"
        body = {"error": {"message": f"Bad request to {place} with {said}"}}
        handler.send(status, json.dumps(body).encode(), {"X-Echo": said, "Location": place})

    return behave


# -- llama-cpp-python's own server ---------------------------------------------------------------

# Some builds die with SIGILL in buffers that its command line cannot switch off.
_LAUNCHER = """
import runpy
from llama_cpp import llama_cpp

default = llama_cpp.llama_model_default_params

def without_extra_buffers():
    parameters = default()
    parameters.use_extra_bufts = False
    return parameters

llama_cpp.llama_model_default_params = without_extra_buffers
runpy.run_module("llama_cpp.server", run_name="__main__")
"""


@contextmanager
def llama_server(gguf: Path, folder: Path, context: int = 1024, **more: str) -> Iterator[str]:
    """Yield the base URL of a server with `gguf` loaded, which it calls `small`.

    `more` are further options of its command line.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = {
        "model": str(gguf), "model_alias": "small", "host": "127.0.0.1", "port": str(port),
        "n_ctx": str(context), "n_threads": "1", "n_threads_batch": "1", "logits_all": "true",
        "verbose": "false", **more,
    }  # fmt: skip
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", _LAUNCHER, *words],
            stdout=log, stderr=log, stdin=subprocess.DEVNULL, env={**os.environ, "TZ": "UTC"},
        )  # fmt: skip
    url = f"http://127.0.0.1:{port}/v1"

    def answers() -> bool:
        assert process.poll() is None, (folder / "server.log").read_text()
        with suppress(OSError), urlopen(f"{url}/models", timeout=5) as reply:
            return bool(reply.status == 200)
        return False

    try:
        wait_for(answers, "the model server")
        yield url
    finally:
        process.kill()
        process.wait()
