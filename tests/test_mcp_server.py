"""The MCP server at the socket: both eras of the protocol, headers, reloads, restarts, refusals."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import jsonschema
import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from hippod import config, wire
from hippod.aclient import AsyncClient
from hippod.errors import DaemonDown
from hippod.mcp.server import INSTRUCTIONS, build
from hippod.scope import Scope
from hippod.server.door import Door
from hippod.server.mcp import Mcp
from tests import mcp_clients
from tests.mcp_clients import ERAS, LEGACY, MODERN, call, connected, fails, gives, over, text
from tests.processes import Daemon, running

pytestmark = pytest.mark.xdist_group("mcp-server")

DEFAULT = [
    "memory_search", "memory_read", "memory_write", "memory_tree", "memory_retain",
    "update_working_memory",
]  # fmt: skip
MORE = [
    "memory_append", "memory_replace", "memory_insert", "memory_reflect", "memory_entity",
    "memory_opinions", "memory_why", "memory_forget", "memory_context", "heartbeat_run",
]  # fmt: skip
MAIN_ONLY = {
    "memory_retain", "memory_reflect", "memory_entity", "memory_opinions", "memory_why",
    "memory_forget", "heartbeat_run",
}  # fmt: skip
MOST_TOKENS = 1_800
"""Of the default tools, in every session of every agent."""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("mcp")
    (folder / "config.toml").write_text("")
    listeners = {"HIPPOD_MCP__SCOPE": "group", "HIPPOD_MCP__TOOLS": "all"}  # not the socket's
    settings = {"HIPPOD_CONFIG": str(folder / "config.toml"), **listeners}
    with running(folder, settings) as daemon:
        daemon.client.append_daily_log("Ina keeps the spare key in the blue bowl")
        daemon.settle()
        yield daemon


def tools(daemon: Daemon, era: str = MODERN, **headers: str) -> list[types.Tool]:
    listed = mcp_clients.ask(daemon.socket, lambda client: client.list_tools(), era=era, **headers)
    return listed.tools


# -- tools/list ------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
def test_both_eras_list_the_same_tools(daemon: Daemon, era: str) -> None:
    assert [tool.name for tool in tools(daemon, era)] == DEFAULT
    assert [tool.name for tool in tools(daemon, era, hippod_tools="all")] == DEFAULT + MORE


@pytest.mark.parametrize("toolset", ["default", "all"])
def test_a_group_has_no_tool_that_would_be_refused(daemon: Daemon, toolset: str) -> None:
    everything = DEFAULT + MORE if toolset == "all" else DEFAULT
    listed = tools(daemon, hippod_scope="group", hippod_tools=toolset)
    assert [tool.name for tool in listed] == [n for n in everything if n not in MAIN_ONLY]


def test_the_default_tools_cost_few_tokens(daemon: Daemon) -> None:
    listed = [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools(daemon)]
    assert (len(json.dumps(listed)) + len(INSTRUCTIONS)) / 4 <= MOST_TOKENS


def test_every_schema_is_valid_strict_and_shown_by_valid_examples(daemon: Daemon) -> None:
    for tool in tools(daemon, hippod_tools="all"):
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        assert tool.input_schema["additionalProperties"] is False, tool.name
        for field, about in tool.input_schema["properties"].items():
            assert "type" in about, f"{tool.name}.{field}"
            assert "title" not in about, f"{tool.name}.{field}"
            for example in about.get("examples", ()):
                jsonschema.validate(example, about)


def test_annotations_say_what_reads_and_what_destroys(daemon: Daemon) -> None:
    told = {tool.name: tool.annotations for tool in tools(daemon, hippod_tools="all")}
    assert all(each is not None and each.open_world_hint is False for each in told.values())
    assert {name for name, each in told.items() if each and each.read_only_hint} == {
        "memory_search", "memory_read", "memory_tree", "memory_entity", "memory_opinions",
        "memory_why", "memory_context",
    }  # fmt: skip
    assert {name for name, each in told.items() if each and each.destructive_hint} == {
        "memory_write", "memory_replace", "memory_forget",
    }  # fmt: skip


@pytest.mark.parametrize("era", ERAS)
def test_the_server_says_who_it_is(daemon: Daemon, era: str) -> None:
    async def instructions() -> str | None:
        async with connected(over(daemon.socket), era=era) as client:
            assert client.server_info is None or client.server_info.name == "hippod"
            return client.instructions

    assert anyio.run(instructions) in (INSTRUCTIONS, None if era == MODERN else INSTRUCTIONS)


# -- headers and methods ---------------------------------------------------------------------


def http(daemon: Daemon, method: str, body: Any = None, **headers: str) -> httpx2.Response:
    content = b"" if body is None else json.dumps(body).encode()
    return mcp_clients.post(daemon.socket, content, method, **headers)


PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.mark.parametrize(
    ("header", "name"), [("hippod_scope", "Hippod-Scope"), ("hippod_tools", "Hippod-Tools")]
)
def test_an_unknown_scope_or_toolset_is_refused(daemon: Daemon, header: str, name: str) -> None:
    answer = http(daemon, "POST", PING, **{header: "everything"})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith(f"{name}: 'everything'")


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_no_stream_stays_open_and_no_session_ends(daemon: Daemon, method: str) -> None:
    answer = http(daemon, method)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_a_page_in_a_browser_is_refused(daemon: Daemon) -> None:
    assert http(daemon, "POST", PING, origin="https://evil.example").status_code == 403


@pytest.mark.parametrize("body", [[], [PING], 5, "x", {"jsonrpc": "2.0"}, {"id": 1}])
@pytest.mark.parametrize("version", ["2025-06-18", MODERN, "1999-01-01", ""])
def test_what_is_no_message_is_answered_without_a_fault_of_ours(
    daemon: Daemon, body: object, version: str
) -> None:
    headers = {"mcp_protocol_version": version} if version else {}
    answer = http(daemon, "POST", body, **headers)
    assert 400 <= answer.status_code < 500
    assert "Traceback" not in answer.text


# -- calls -----------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
def test_a_tool_answers_in_both_eras(daemon: Daemon, era: str) -> None:
    found = call(daemon.socket, "memory_search", {"query": "spare key"}, era=era)
    assert gives(found)["hits"][0]["snippet"].endswith("in the blue bowl")
    assert "in the blue bowl" in text(found)


def test_a_tool_that_is_not_listed_says_why(daemon: Daemon) -> None:
    why = fails(call(daemon.socket, "memory_why", {"id": "abcd"}, hippod_tools="default"))
    assert why.startswith("memory_why is not among the tools of this connection")
    assert "memory_search" in why
    forget = {"text": "spare key"}
    why = fails(call(daemon.socket, "memory_forget", forget, hippod_scope="group"))
    assert why.startswith("memory_forget is not for scope 'group'")


def test_a_tool_that_nobody_knows_is_an_error_of_the_protocol(daemon: Daemon) -> None:
    with pytest.raises(MCPError, match="no such tool: memory_dance"):
        call(daemon.socket, "memory_dance")


def test_calls_go_on_while_the_configuration_is_read_again(daemon: Daemon) -> None:
    """What a call asks must not wait at a door that waits for the call."""
    file = Path(daemon.environ["HIPPOD_CONFIG"])
    results: list[types.CallToolResult] = []

    async def asked() -> None:
        reloaded, begun = anyio.Event(), anyio.Event()
        async with connected(over(daemon.socket)) as client, anyio.create_task_group() as tasks:

            async def search() -> None:
                while not reloaded.is_set():
                    results.append(await client.call_tool("memory_search", {"query": "key"}))
                    begun.set()

            for _ in range(4):
                tasks.start_soon(search)
            await begun.wait()
            async with AsyncClient(daemon.socket, timeout=60) as other:
                for text_ in ("[mcp]\nbudget_tokens = 3000\n", ""):
                    file.write_text(text_)
                    assert (await other.reload_config())["changed"] == ["mcp.budget_tokens"]
            reloaded.set()

    anyio.run(asked)
    assert results
    assert [text(each) for each in results if each.is_error] == []
    assert "requests.left" not in daemon.log.read_text()


def test_many_calls_at_once_are_all_answered(daemon: Daemon) -> None:
    async def asked() -> list[types.CallToolResult]:
        results: list[types.CallToolResult] = []
        limits = httpx2.Limits(max_connections=60)
        way = httpx2.AsyncHTTPTransport(uds=str(daemon.socket), limits=limits)
        async with connected(way) as client, anyio.create_task_group() as tasks:

            async def tree() -> None:
                results.append(await client.call_tool("memory_tree", {}))

            for _ in range(100):
                tasks.start_soon(tree)
        return results

    results = anyio.run(asked)
    assert len(results) == 100
    assert [text(each) for each in results if each.is_error] == []


@pytest.mark.slow
def test_clients_outlive_a_restart_and_have_what_they_ask_for_whatever_the_listener_has(
    daemon: Daemon,
) -> None:
    async def asked() -> None:
        async with (
            connected(over(daemon.socket), era=LEGACY) as old,
            connected(over(daemon.socket), era=MODERN) as new,
        ):
            listed = [await client.list_tools() for client in (old, new)]
            assert [[tool.name for tool in each.tools] for each in listed] == [DEFAULT] * 2
            await anyio.to_thread.run_sync(daemon.stop)
            await anyio.to_thread.run_sync(daemon.start)
            for client in (old, new):
                assert not (await client.call_tool("memory_tree", {})).is_error

    anyio.run(asked)
    assert [tool.name for tool in tools(daemon, hippod_tools="all")] == DEFAULT + MORE
    expected = [name for name in DEFAULT if name not in MAIN_ONLY]
    assert [tool.name for tool in tools(daemon, hippod_scope="group")] == expected


def test_who_hangs_up_or_asks_for_another_protocol_makes_no_noise(daemon: Daemon) -> None:
    before = len(daemon.log.read_text())
    head = b"POST /mcp HTTP/1.1\r\nhost: x\r\n"
    with socket.socket(socket.AF_UNIX) as leaving:
        leaving.connect(str(daemon.socket))
        leaving.sendall(head + b"content-length: 1000\r\n\r\n{")
    upgrade = {"connection": "upgrade", "upgrade": "websocket"}
    assert http(daemon, "POST", PING, **upgrade).status_code == 400
    call(daemon.socket, "memory_tree")  # whatever is logged has been
    noise = daemon.log.read_text()[before:]
    assert not [word for word in ("Traceback", "pip install", "upgrade") if word in noise]


def test_a_body_without_a_length_has_an_end_too(daemon: Daemon) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(60)
        connection.connect(str(daemon.socket))
        connection.sendall(b"POST /mcp HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n")
        piece = b"%x\r\n%b\r\n" % (1_000_000, b" " * 1_000_000)
        for _ in range(9):
            connection.sendall(piece)
        connection.sendall(b"0\r\n\r\n")
        assert connection.recv(4096).startswith(b"HTTP/1.1 413 ")


def test_calls_are_counted_by_route_and_nothing_of_them_is_logged(daemon: Daemon) -> None:
    call(daemon.socket, "memory_search", {"query": "zanzibar-in-a-query"})
    assert 'route="/mcp",status="200"' in daemon.client.metrics()
    assert "zanzibar" not in daemon.log.read_text()


def test_the_sdk_is_imported_only_when_somebody_asks(daemon: Daemon) -> None:
    code = "import hippod.process, sys; print('mcp' in sys.modules)"
    environ = daemon.environ | {"PYTHONWARNINGS": "error"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


# -- without a daemon ------------------------------------------------------------------------


def in_process(client_for: Any, **options: Any) -> httpx2.ASGITransport:
    return httpx2.ASGITransport(build(client_for, **options))


def nobody(folder: Path) -> Any:
    return lambda scope: AsyncClient(folder / "no.sock", scope=scope)


@pytest.mark.parametrize("era", ERAS)
def test_without_a_daemon_tools_are_listed_and_say_what_to_do(tmp_path: Path, era: str) -> None:
    way = in_process(nobody(tmp_path))
    listed = mcp_clients.ask(way, lambda client: client.list_tools(), era=era)
    assert [tool.name for tool in listed.tools] == DEFAULT
    why = fails(call(in_process(nobody(tmp_path)), "memory_tree", era=era))
    assert "no daemon answers at" in why
    assert "hippod run" in why


def test_without_a_daemon_a_resource_is_an_error_of_the_protocol(tmp_path: Path) -> None:
    way = in_process(nobody(tmp_path))
    with pytest.raises(MCPError, match="no daemon answers at"):
        mcp_clients.ask(way, lambda client: client.read_resource("hippod://daily/today"))


def test_what_is_fixed_no_header_changes(tmp_path: Path) -> None:
    way = in_process(nobody(tmp_path), scope="group", tools="default", by_headers=False)
    headers = {"hippod_scope": "main", "hippod_tools": "all"}
    listed = mcp_clients.ask(way, lambda client: client.list_tools(), **headers)
    assert [tool.name for tool in listed.tools] == [n for n in DEFAULT if n not in MAIN_ONLY]


class Fake(AsyncClient):
    """A client whose verb `tree` does as told."""

    def __init__(self, act: Any) -> None:
        super().__init__("/nowhere.sock")
        self._act = act

    async def tree(self, *_: Any, **__: Any) -> Any:
        return await self._act()


@pytest.mark.parametrize("era", ERAS)
def test_a_fault_of_ours_tells_nothing_of_itself(era: str) -> None:
    async def crash() -> None:
        raise RuntimeError("the secret is zanzibar")

    with pytest.raises(MCPError) as raised:
        call(in_process(lambda scope: Fake(crash)), "memory_tree", era=era)
    assert str(raised.value) == "something failed inside hippod: look at its log"


def test_an_error_of_the_client_is_told_whole() -> None:
    async def down() -> None:
        raise DaemonDown("the daemon sleeps", "wake it")

    assert fails(call(in_process(lambda scope: Fake(down)), "memory_tree")) == (
        "the daemon sleeps\nwake it"
    )


@pytest.mark.parametrize("era", ERAS)
def test_a_call_stands_in_no_door_that_waits_for_it(era: str) -> None:
    """Before a reload the door waits for who is inside: a call asks through it once more."""
    door, emptied = Door(), []

    async def pass_once_more() -> dict[str, Any]:
        door.close()
        emptied.append(await door.emptied(5))
        door.open()
        return {"directory": "", "entries": []}

    def client_for(scope: Scope) -> AsyncClient:
        return Fake(pass_once_more)

    door.lead_to(Mcp(config.Mcp, client_for, door.let_out))
    door.open()
    assert gives(call(httpx2.ASGITransport(door), "memory_tree", era=era))["entries"] == []
    assert emptied == [True]


@pytest.mark.parametrize("era", ERAS)
def test_who_hangs_up_ends_the_work(era: str) -> None:
    """A call that is cancelled closes its connection, and that the one behind it."""

    async def asked() -> bool:
        begun, ended = anyio.Event(), anyio.Event()

        async def wait() -> None:
            begun.set()
            try:
                await anyio.sleep_forever()
            finally:
                ended.set()

        app = build(lambda scope: Fake(wait))
        with anyio.fail_after(30):
            await hung_up(app, begun, era)
            await ended.wait()
        return True

    assert anyio.run(asked)


async def hung_up(app: Any, begun: anyio.Event, era: str) -> None:
    """Send a call of `memory_tree` to an app, and go away once it has begun."""
    params: dict[str, Any] = {"name": "memory_tree", "arguments": {}}
    headers = {
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": MODERN if era == MODERN else "2025-06-18",
        "mcp-method": "tools/call",
        "mcp-name": "memory_tree",
    }
    if era == MODERN:
        prefix = "io.modelcontextprotocol"
        params["_meta"] = {
            f"{prefix}/protocolVersion": MODERN,
            f"{prefix}/clientInfo": {"name": "t", "version": "1"},
            f"{prefix}/clientCapabilities": {},
        }
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    pending = [{"type": "http.request", "body": json.dumps(message).encode(), "more_body": False}]

    async def receive() -> dict[str, Any]:
        if pending:
            return pending.pop()
        await begun.wait()
        return {"type": "http.disconnect"}

    async def send(_: Any) -> None:
        await anyio.lowlevel.checkpoint()

    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http", "method": "POST", "path": "/mcp", "raw_path": b"/mcp",
        "query_string": b"", "headers": pairs, "http_version": "1.1", "scheme": "http",
    }  # fmt: skip
    await app(scope, receive, send)


def test_the_least_budget_still_gives_a_hit_and_a_way_on(tmp_path: Path) -> None:
    hit = wire.Hit(
        id="a" * 24, document_id="b" * 24, path="x.md", chunk_index=0, line_start=1, line_end=9,
        source="x.md#L1", kind="world", trust="written", content="word " * 400, score=1.0,
        entities=tuple(f"Somebody-{n}" for n in range(40)),
    )  # fmt: skip
    fresh = wire.Freshness(pending=0, vectors_pending=0, behind_seconds=0, updated=None)

    class Recalling(AsyncClient):
        async def recall(self, *_: Any, **__: Any) -> Any:
            legs = {"lexical": "ok", "vector": "ok"}
            answer = wire.RecallAnswer(hits=(hit,) * 3, legs=legs, freshness=fresh, took_ms=1)
            return answer.model_dump(mode="json")

    way = in_process(lambda scope: Recalling(tmp_path / "no.sock"), budget_tokens=200)
    page = gives(call(way, "memory_search", {"query": "word", "budget_tokens": 1}))
    assert len(page["hits"]) == 1
    assert (page["truncated"], page["cursor"]) == (True, "1")
