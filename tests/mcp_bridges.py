"""`hippod mcp` as an agent has it: a process at the other end of two pipes."""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

Json = dict[str, Any]

PROGRAM = [sys.executable, "-m", "hippod", "mcp"]
PATIENCE_SECONDS = 60
VERSION = "2025-06-18"
HELLO: Json = {
    "jsonrpc": "2.0", "id": "hello", "method": "initialize",
    "params": {
        "protocolVersion": VERSION, "capabilities": {},
        "clientInfo": {"name": "pipes", "version": "1"},
    },
}  # fmt: skip


def request(id_: object, method: str, **params: object) -> Json:
    """Return a request of the handshake era."""
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


def tool(id_: object, name: str, **arguments: object) -> Json:
    """Return the call of a tool."""
    return request(id_, "tools/call", name=name, arguments=arguments)


def cancelled(id_: object) -> Json:
    """Return what takes a request back."""
    params = {"requestId": id_}
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}


class Agent:
    """Talks to one bridge; what it says is read as it comes."""

    def __init__(self, environ: Mapping[str, str], *options: str) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, *options], env=dict(environ),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self._said: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def say(self, *messages: Json | list[Json]) -> None:
        """Send messages, one on each line."""
        self.write(b"".join(json.dumps(each).encode() + b"\n" for each in messages))

    def write(self, data: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def hear(self, seconds: float = PATIENCE_SECONDS) -> Json:
        """Return the next message; raises `queue.Empty` if none comes in time."""
        line = self._said.get(timeout=seconds)
        assert line.endswith(b"\n"), line
        message = json.loads(line)
        assert isinstance(message, dict), line
        assert message["jsonrpc"] == "2.0", line
        return message

    def hear_all(self, count: int) -> dict[object, Json]:
        """Return the next messages by their ids, which differ."""
        heard = [self.hear() for _ in range(count)]
        by_id = {message["id"]: message for message in heard}
        assert len(by_id) == count, heard
        return by_id

    def ask(self, message: Json) -> Json:
        """Send a request and return the next message."""
        self.say(message)
        return self.hear()

    def is_silent(self) -> bool:
        """Say whether nothing was said that was not heard."""
        return self._said.empty()

    def leave(self) -> int:
        """Close its input and return its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(PATIENCE_SECONDS)

    def errors(self) -> str:
        """Return what it wrote to standard error, once it has ended."""
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()

    def end(self) -> None:
        """End it whatever it does, and close the pipes."""
        self.process.kill()
        self.process.wait()
        self._reader.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            with suppress(BrokenPipeError):  # what was not sent is not sent any more
                pipe.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._said.put(line)


@contextmanager
def agent(environ: Mapping[str, str], *options: str) -> Iterator[Agent]:
    """Yield an agent with a bridge, and end it whatever the test did."""
    made = Agent(environ, *options)
    try:
        yield made
    finally:
        made.end()


def environment(folder: Path) -> dict[str, str]:
    """Return what a bridge needs for a socket and workspace below `folder`."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "HIPPOD_WORKSPACE": str(folder / "workspace"),
        "HIPPOD_SOCKET": str(folder / "d.sock"),
    }


def has_ended(pid: int) -> bool:
    """Say whether a process that need not be our child has ended, reaped or not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"
