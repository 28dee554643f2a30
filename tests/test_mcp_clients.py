"""MCP clients of other makers list and call everything, over stdio, the listener and the socket."""

import json
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.node_clients import (
    CURRENT,
    Door,
    Report,
    Visit,
    by_inspector,
    by_python,
    by_typescript,
)
from tests.processes import Daemon, running

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("mcp-clients")]

Json = dict[str, Any]

DEFAULT = {
    "memory_search", "memory_read", "memory_write", "memory_tree", "memory_retain",
    "update_working_memory",
}  # fmt: skip
ALL = DEFAULT | {
    "memory_append", "memory_replace", "memory_insert", "memory_reflect", "memory_entity",
    "memory_opinions", "memory_why", "memory_forget", "memory_context", "heartbeat_run",
}  # fmt: skip
FACT = "k3f9ab27qt"
LOG = f"""\
# Daily Log - 2026-03-03

## Retain
- W @Ina: Keeps the key of the boathouse under the third stone. ^{FACT}
"""
KEY = "third stone"
READS = ("hippod://file/AGENTS.md", "hippod://file/memory/2026-03-03.md")
PROMPTS = (("start_session", {"session": "visit"}), ("end_session", {}))


def calls(name: str) -> dict[str, Json]:
    """Return arguments for every tool, on a document of the visitor's own."""
    path = f"projects/{name}.md"
    return {
        "memory_search": {"query": "Where does Ina keep the key of the boathouse?"},
        "memory_read": {"path": "memory/2026-03-03.md", "line": 3, "lines": 2},
        "memory_write": {"path": f"projects/{name}-new.md", "content": "# New\n", "mode": "write"},
        "memory_tree": {"directory": "memory"},
        "memory_retain": {"facts": [f"W @Ina: Lent the {name} oars to Jo in March 2026."]},
        "update_working_memory": {"session": name, "content": "next: the mast"},
        "memory_append": {"path": f"projects/{name}-appended.md", "content": "more\n"},
        "memory_replace": {"path": path, "old": "pine", "new": "spruce"},
        "memory_insert": {"path": f"projects/{name}-lines.md", "line": 1, "content": "first\n"},
        "memory_reflect": {"dry_run": True},
        "memory_entity": {"name": "Ina"},
        "memory_opinions": {},
        "memory_why": {"id": FACT},
        "memory_forget": {"id": FACT},
        "memory_context": {"session": name},
        "heartbeat_run": {"dry_run": True},
    }


@dataclass(frozen=True, slots=True)
class House:
    """A daemon whose listener has all tools."""

    daemon: Daemon
    port: int

    def door(self, way: str, toolset: str) -> Door:
        """Return the way in: stdio, listener or socket."""
        if way == "stdio":
            command = (sys.executable, "-m", "hippod", "mcp", "--tools", toolset)
            return Door(command, environ=self.daemon.environ)
        if way == "socket":
            headers = {"Hippod-Tools": toolset}
            return Door(url="http://hippod/mcp", headers=headers, socket=str(self.daemon.socket))
        token = (Path(self.daemon.environ["HOME"]) / ".hippod/mcp.token").read_text().strip()
        headers = {"Authorization": f"Bearer {token}"}
        return Door(url=f"http://127.0.0.1:{self.port}/mcp", headers=headers)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    port = _free_port()
    settings = {"HIPPOD_MCP__LISTEN": f"127.0.0.1:{port}", "HIPPOD_MCP__TOOLS": "all"}
    with running(tmp_path_factory.mktemp("house"), settings) as daemon:
        daemon.client.write("memory/2026-03-03.md", LOG)
        daemon.settle()
        yield House(daemon, port)


Visitor = Callable[[Door, Visit, Path], Report]

VISITORS: dict[str, Visitor] = {
    "typescript-handshake": lambda door, visit, _: by_typescript(door, visit, "handshake"),
    "typescript-2026": lambda door, visit, _: by_typescript(door, visit, "current"),
    "python-handshake": lambda door, visit, _: by_python(door, visit, "legacy"),
    "python-2026": lambda door, visit, _: by_python(door, visit, CURRENT),
    "inspector-handshake": partial(by_inspector, "legacy"),
    "inspector-2026": partial(by_inspector, "modern"),
}
EVERY_WAY = [
    *((name, way) for name in VISITORS if "inspector" not in name for way in ("stdio", "listener")),
    ("python-handshake", "socket"),
    ("python-2026", "socket"),
    ("inspector-handshake", "listener"),  # a process a call: each era one way
    ("inspector-2026", "stdio"),
]


@pytest.mark.parametrize(("name", "way"), EVERY_WAY)
def test_every_tool_resource_and_prompt_is_listed_and_works(
    house: House, tmp_path: Path, name: str, way: str
) -> None:
    visitor = f"{name}-{way}"
    asked = calls(visitor)
    house.daemon.client.write(f"projects/{visitor}.md", "The mast is of pine.\n")
    house.daemon.client.write(f"projects/{visitor}-lines.md", "second\n")

    visit = Visit([*asked.items()], READS, PROMPTS)
    report = VISITORS[name](house.door(way, "all"), visit, tmp_path)

    assert (report.version == CURRENT) == name.endswith("2026")
    assert {tool["name"] for tool in report.tools} == ALL == set(asked)
    told = dict(zip(asked, map(_said, report.results), strict=True))
    for tool in ("memory_search", "memory_read", "memory_entity", "memory_why", "memory_forget"):
        assert KEY in told[tool], f"{tool}: {told[tool]}"
    assert KEY in house.daemon.client.read("memory/2026-03-03.md")["content"], "only planned"
    assert "2026-03-03.md" in told["memory_tree"]
    assert "next: the mast" in told["memory_context"], "what update_working_memory kept"
    _is_written(house, visitor)
    assert {each["uri"] for each in report.resources} >= {READS[0]}
    assert {each["name"] for each in report.templates} == {"file", "daily", "entity"}
    assert [each["uri"] for each in report.contents] == [*READS]
    assert KEY in report.contents[1]["text"]
    assert {each["name"] for each in report.prompts} == {each for each, _ in PROMPTS}
    assert "memory_retain" in report.messages[1]["content"]["text"]


@pytest.mark.parametrize(("name", "way"), [("typescript-2026", "stdio"), ("python-2026", "socket")])
def test_the_default_set_is_the_six_that_every_session_pays_for(
    house: House, tmp_path: Path, name: str, way: str
) -> None:
    asked = {tool: given for tool, given in calls(f"{name}-six").items() if tool in DEFAULT}
    report = VISITORS[name](house.door(way, "default"), Visit([*asked.items()]), tmp_path)
    assert {tool["name"] for tool in report.tools} == DEFAULT == set(asked)
    told = dict(zip(asked, map(_said, report.results), strict=True))
    assert KEY in told["memory_search"]
    assert KEY in told["memory_read"]


def _said(result: Json) -> str:
    """Return what a result says to a model, in both forms; it must not be an error."""
    said = json.dumps([result["content"], result.get("structuredContent")], ensure_ascii=False)
    assert not result.get("isError"), said
    return said


def _is_written(house: House, visitor: str) -> None:
    read = house.daemon.client.read
    assert read(f"projects/{visitor}-new.md")["content"] == "# New\n"
    assert read(f"projects/{visitor}-appended.md")["content"] == "more\n"
    assert read(f"projects/{visitor}.md")["content"] == "The mast is of spruce.\n"
    assert read(f"projects/{visitor}-lines.md")["content"] == "first\nsecond\n"
    assert f"{visitor} oars" in house.daemon.client.today_log()["content"]
