"""Programs that answer one line for each line they are given: a library loop, or an MCP server."""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from bench.peers.tool import NotRunnable

_PROTOCOL = "2025-06-18"


class Lines:
    """A running program, asked by a line on its standard input."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    def ask(self, line: str) -> str:
        """Send a line and return the next one that comes back."""
        self.tell(line)
        return self.read()

    def read(self) -> str:
        """Return the next line that comes."""
        assert self._process.stdout is not None
        answer = self._process.stdout.readline()
        if not answer:
            raise NotRunnable(f"it ended with exit code {self._process.wait()}")
        return answer.decode()

    def tell(self, line: str) -> None:
        """Send a line."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())
        self._process.stdin.flush()


class Mcp:
    """An MCP server over standard input and output: as much of a client as a call needs."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._number = 0
        about = {"name": "bench", "version": "1"}
        self._request("initialize", {
            "protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": about,
        })  # fmt: skip
        lines.tell('{"jsonrpc": "2.0", "method": "notifications/initialized"}')

    def call(self, tool: str, fields: Mapping[str, Any]) -> str:
        """Call a tool; return its answer as text, refusing one that reports an error."""
        answer = self._request("tools/call", {"name": tool, "arguments": fields})
        result = answer.get("result", {})
        if "result" not in answer or result.get("isError"):
            raise NotRunnable(f"{tool}: {json.dumps(answer)[:300]}")
        return json.dumps(result)

    def _request(self, method: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": fields}
        answer = json.loads(self._lines.ask(json.dumps(request)))
        while answer.get("id") != self._number:  # a notification
            answer = json.loads(self._lines.read())
        return dict(answer)


@contextmanager
def started(program: Sequence[str], environ: Mapping[str, str]) -> Iterator[Lines]:
    """Yield a running program, and end it."""
    process = subprocess.Popen(
        program, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield Lines(process)
    finally:
        process.kill()
        process.communicate()
