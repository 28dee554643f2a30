"""The bridge of an agent, `hippod mcp`, from its cold start to the list of its tools."""

import compileall
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from tests.processes import Daemon

import hippod
from bench import live
from bench.cold import run_program
from bench.report import Budget, Result, Row, Spread
from bench.scale import Scale

MOST_TIMES_PYTHON = 5
_BARE = "python -c pass"
_WARM_UP = 2
_VERSION = "2026-07-28"
_ABOUT = {"capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
_META = {
    "io.modelcontextprotocol/protocolVersion": _VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
}

Message = dict[str, Any]
HANDSHAKE: tuple[Message, ...] = (
    {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", **_ABOUT}},
    {"id": 2, "method": "tools/list", "params": {}},
)
"""What an agent of the handshake era says first; one of today says the second alone."""
TODAY: tuple[Message, ...] = ({"id": 2, "method": "tools/list", "params": {"_meta": _META}},)


def measure(scale: Scale, folder: Path) -> Result:
    """Start bridges and `python -c pass` in turn; the daemon's first request is told apart."""
    script = Path(sys.executable).with_name("hippod")
    title = f"Cold bridge of an agent (hippod mcp) to tools/list: {scale.starts} starts"
    if not script.exists():
        return Result(title, skipped=f"there is no console script {script}")
    compileall.compile_dir(Path(hippod.__file__).parent, quiet=1)
    with live.daemon(folder, scale.small_files) as daemon:
        first = Bridge(daemon, script, HANDSHAKE)
        bare, handshake, today = _starts(daemon, script, scale.starts)
    budget = Budget("ratio", MOST_TIMES_PYTHON)
    rows = [
        Row(f"{what}, {name}", "ms", Spread(of(here)), _BARE, Spread(of(bare)), kept)
        for what, here in (("with handshake", handshake), (_VERSION, today))
        for name, of, kept in (("min", min, budget), ("median", median, None))
    ]
    rows.append(Row("first of a daemon's life", "ms", Spread(first.milliseconds)))
    rows.append(Row("memory of a bridge", "MB", Spread(first.megabytes)))
    return Result(title, tuple(rows))


def _starts(
    daemon: Daemon, script: Path, count: int
) -> tuple[list[float], list[float], list[float]]:
    """Return the milliseconds of bare Python, and of a bridge of each era, each time."""
    environ, nowhere = _environ(daemon), Path(os.devnull)
    rows = [
        (
            run_program([sys.executable, "-c", "pass"], environ, nowhere),
            Bridge(daemon, script, HANDSHAKE).milliseconds,
            Bridge(daemon, script, TODAY).milliseconds,
        )
        for _ in range(count + _WARM_UP)
    ]
    bares, handshakes, todays = zip(*rows[_WARM_UP:], strict=True)
    return list(bares), list(handshakes), list(todays)


class Bridge:
    """One bridge from its start to its end: what it took to answer, and its memory then."""

    def __init__(self, daemon: Daemon, script: Path, messages: Sequence[Message]) -> None:
        began = time.perf_counter()
        with subprocess.Popen(
            [str(script), "mcp"], env=_environ(daemon),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
        ) as process:  # fmt: skip
            for message in messages:
                answer = _asked(process, message)
            self.milliseconds = 1000 * (time.perf_counter() - began)
            self.megabytes = _memory(process.pid)
        if not answer["result"]["tools"]:
            raise SystemExit("the bridge lists no tools")


def _asked(process: "subprocess.Popen[bytes]", message: Message) -> Message:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    line = bytearray()
    while not line.endswith(b"\n"):
        piece = os.read(process.stdout.fileno(), 65_536)
        if not piece:
            raise SystemExit("the bridge ended without an answer")
        line += piece
    answer: Message = json.loads(line)
    return answer


def _memory(pid: int) -> float:
    """Return the memory that is resident, in MB."""
    with Path(f"/proc/{pid}/status").open(encoding="ascii") as status:
        line = next(line for line in status if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1000


def _environ(daemon: Daemon) -> dict[str, str]:
    return {name: daemon.environ[name] for name in ("PATH", "HOME", "HIPPOD_SOCKET")}
