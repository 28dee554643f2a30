"""`hippod mcp`: what goes through the bridge, what it says itself, and when it ends."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.inbound import decode_header_value

from hippod.client import Client as Client_
from hippod.errors import NotResponding
from hippod.mcp import bridge, messages
from hippod.mcp.calls import Call
from hippod.mcp.messages import Lines
from tests.fake_door import FakeDoor, reply
from tests.mcp_bridges import (
    HELLO,
    PROGRAM,
    VERSION,
    Agent,
    agent,
    cancelled,
    environment,
    has_ended,
    request,
    tool,
)
from tests.mcp_clients import ERAS
from tests.processes import Daemon, running, wait_for

pytestmark = pytest.mark.xdist_group("mcp-bridge")

FIVE, MANY = range(5), range(10)
META = "io.modelcontextprotocol/protocolVersion"
MODERN = "2026-07-28"


@pytest.fixture
def folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="hd", dir="/tmp") as name:  # a socket's path must be short
        yield Path(name)


@pytest.fixture
def door(folder: Path) -> Iterator[FakeDoor]:
    with FakeDoor(folder / "d.sock") as made:
        made.answer = {"jsonrpc": "2.0", "id": 1, "result": {}}
        yield made


@pytest.fixture
def host(folder: Path, door: FakeDoor) -> Iterator[Agent]:
    with agent(environment(folder)) as made:
        yield made


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running(tmp_path_factory.mktemp("bridge")) as daemon:
        yield daemon


# -- lines ---------------------------------------------------------------------------------------


@given(st.lists(st.binary(max_size=30)), st.integers(1, 12))
def test_lines_are_the_same_however_they_come(pieces: list[bytes], limit: int) -> None:
    lines = Lines(limit)
    heard = [line for piece in pieces for line in lines.take(piece)]
    heard += lines.rest()
    wanted = []
    for raw in b"".join(pieces).split(b"\n"):
        line = raw.removeprefix(b"\xef\xbb\xbf").strip()
        if len(raw) > limit:
            wanted.append(None)
        elif line:
            wanted.append(line)
    assert heard == wanted


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=40))
def test_a_header_holds_any_text_and_the_sdk_reads_it_back(text: str) -> None:
    value = messages.header_value(text)
    assert value.isascii()
    assert value.isprintable()
    assert decode_header_value(value) == text


ODD = st.sampled_from("\r\n\x85\u2028\u2029\\ud\ud800\udc00")
WHATEVER = st.lists(st.characters() | ODD, max_size=30).map("".join)


@given(WHATEVER)
def test_json_on_one_line_says_the_same_and_has_no_break_of_any_kind(text: str) -> None:
    said = json.dumps({"text": text}, ensure_ascii=False, indent=1)
    line = messages.on_one_line(said)
    assert len(line.splitlines()) == 1
    assert json.loads(line) == {"text": text}


@given(WHATEVER)
def test_only_halves_of_surrogate_pairs_are_replaced(text: str) -> None:
    wanted = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert json.loads(messages.whole(json.dumps(text).encode())) == wanted
    plain = json.dumps(text.encode("utf-8", "replace").decode()).encode()
    assert messages.whole(plain) == plain


# -- there and back ------------------------------------------------------------------------------


def test_a_line_goes_as_it_is_and_its_answer_comes_as_it_is(host: Agent, door: FakeDoor) -> None:
    door.answer = {"jsonrpc": "2.0", "id": 1, "result": {"x": 1.50, "y": "ä"}}
    line = b'{"jsonrpc":"2.0", "id":1,  "method":"ping","params":{"a":1.50}}'
    host.write(b"\r\n\n  \n" + line + b"\r\n")
    assert host.hear()["result"] == {"x": 1.50, "y": "ä"}
    assert (door.last.target, door.last.body) == ("/mcp", line)
    assert door.last.headers["accept"] == "application/json, text/event-stream"
    assert not {"hippod-scope", "hippod-tools", "mcp-protocol-version"} & {*door.last.headers}
    assert host.leave() == 0
    assert host.errors() == ""


def test_options_choose_scope_and_tools(folder: Path, door: FakeDoor) -> None:
    with agent(environment(folder), "--scope", "group", "--tools", "all") as host:
        host.ask(request(1, "ping"))
    assert door.last.headers["hippod-scope"] == "group"
    assert door.last.headers["hippod-tools"] == "all"


def test_each_era_has_its_headers(host: Agent, door: FakeDoor) -> None:
    door.answer = {"jsonrpc": "2.0", "id": "hello", "result": {"protocolVersion": VERSION}}
    host.ask(HELLO)
    assert "mcp-protocol-version" not in door.last.headers
    host.ask(tool("hello", "memory_search"))
    assert door.last.headers["mcp-protocol-version"] == VERSION
    host.ask(request("hello", "resources/read", uri="hippod://file/ä", _meta={META: MODERN}))
    headers = door.last.headers
    assert headers["mcp-protocol-version"] == MODERN
    assert headers["mcp-method"] == "resources/read"
    assert decode_header_value(headers["mcp-name"]) == "hippod://file/ä"


@pytest.mark.parametrize(
    "odd", ["a\r\nHippod-Scope: main", "\x00", "\ud800", "ä", " ", "=?base64?x?="]
)
def test_no_message_forges_a_header(host: Agent, door: FakeDoor, odd: str) -> None:
    host.ask(request(1, "tools/call", name=odd, _meta={META: odd}))
    host.ask(request(1, odd))
    for sent in door.sent:
        assert "hippod-scope" not in sent.headers
        told = {name for name in sent.headers if name.startswith("mcp-")}
        assert told <= {"mcp-method", "mcp-name", "mcp-protocol-version"}


def test_events_of_a_stream_come_one_by_one_each_on_a_line(host: Agent, door: FakeDoor) -> None:
    progress = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}
    last = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {}}, indent=1).replace("\n", "\ndata: ")
    body = f": ping\r\n\r\ndata: {json.dumps(progress)}\r\n\r\ndata: {last}\n\n".encode()
    kind = b"content-type: text/event-stream\r\ntransfer-encoding: chunked"
    door.raw = b"HTTP/1.1 200 OK\r\n" + kind + b"\r\n\r\n"
    door.raw += b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    assert host.ask(request(1, "ping")) == progress
    assert host.hear() == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_breaks_within_texts_stay_and_break_no_line(host: Agent, door: FakeDoor) -> None:
    """Readers of lines other than ours end one at U+2028, too."""
    door.answer = {"jsonrpc": "2.0", "id": 1, "result": {"x": "a\u2028b\x85c\u2029d"}}
    assert host.ask(request(1, "ping"))["result"] == {"x": "a\u2028b\x85c\u2029d"}
    event = json.dumps(door.answer, ensure_ascii=False).encode()
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
    door.raw = head + b"data: " + event + b"\n\n"
    assert host.ask(request(1, "ping"))["result"] == {"x": "a\u2028b\x85c\u2029d"}


def test_half_a_surrogate_pair_reaches_nobody(host: Agent, door: FakeDoor) -> None:
    line = rb'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\ud800 \\ud800 \ud83d\ude00"}}'
    host.write(line + b"\n")
    assert host.hear()["id"] == 1
    assert door.last.body == line.replace(rb'"\ud800', rb'"\ufffd')


@pytest.mark.parametrize(
    ("method", "field"),
    [("tools/call", "name"), ("resources/read", "uri"), ("x" * 9_000, "method")],
)
def test_a_name_without_end_is_refused_by_name(
    host: Agent, door: FakeDoor, method: str, field: str
) -> None:
    """Case C188."""
    error = host.ask(request(1, method, name="x" * 1_000_000, uri="x" * 1_000_000))["error"]
    assert (error["code"], error["message"]) == (-32602, f"{field}: is longer than 8000 characters")
    assert not door.sent


def test_a_stopped_daemon_still_has_a_list_of_tools(
    door: FakeDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host waits for the list a few seconds, and for the answer of a tool much longer."""
    monkeypatch.setattr(bridge, "QUICK_SECONDS", 0.1)
    monkeypatch.setattr(bridge, "say", lambda text: None)
    door.hang = True
    courier = bridge.Courier(Client_(str(door.path), timeout=0.5), {})

    def answer(message: dict[str, Any]) -> dict[str, Any]:
        body = json.dumps(message).encode()
        call = Call(1, message["method"], body, messages.headers(message, VERSION))
        (text,) = courier.texts(call)
        told: dict[str, Any] = json.loads(text)["result"]
        return told

    assert len(answer(request(1, "tools/list"))["tools"]) == 6
    with pytest.raises(NotResponding):
        answer(tool(1, "memory_tree"))


# -- what cannot be right ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "code", "id_"),
    [
        (b"nonsense", -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"meth', -32700, None),
        (b"\xff\xfe\x00", -32700, None),
        (b"[" * 100_000, -32700, None),
        (b"9" * 5_000, -32700, None),
        (b"17", -32600, None),
        (b"[]", -32600, None),
        (b'[{"jsonrpc":"2.0","id":7,"method":"ping"}]', -32600, 7),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', -32700, None),
        (b'[{"jsonrpc":"2.0","id":1e999,"method":"ping"}]', -32600, None),
        (b'{"jsonrpc":"2.0","id":1,"method":5}', -32600, 1),
    ],
)
def test_what_is_no_request_is_an_error_and_the_next_one_is_answered(
    host: Agent, line: bytes, code: int, id_: object
) -> None:
    host.write(line + b"\n")
    answer = host.hear()
    assert (answer["error"]["code"], answer["id"]) == (code, id_)
    assert host.ask(request(1, "ping"))["result"] == {}


def test_notifications_and_answers_go_nowhere(host: Agent, door: FakeDoor) -> None:
    host.say(
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        cancelled("none"),
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": []},
        cancelled({"a": [1]}),
        cancelled(1.5),
        {"jsonrpc": "2.0", "id": 3, "result": {}},
    )
    assert host.ask(request(1, "ping"))["id"] == 1
    assert len(door.sent) == 1


def test_a_last_line_without_its_end_is_taken(host: Agent) -> None:
    host.write(json.dumps(request(1, "ping")).encode())
    assert host.leave() == 0
    assert host.hear()["id"] == 1


def test_five_megabytes_go_through_and_come_back(host: Agent, door: FakeDoor) -> None:
    text = "x" * 5_000_000
    door.answer = {"jsonrpc": "2.0", "id": 1, "result": {"text": text}}
    assert host.ask(tool(1, "memory_write", content=text))["result"]["text"] == text
    assert door.last.json["params"]["arguments"]["content"] == text


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (reply(413, {"error": {"code": "too_large", "message": "big", "hint": "?"}}), "big; ?"),
        (reply(200, {"no": "message"}), "hippod status"),
        (reply(200, [1]), "hippod status"),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "not HTTP"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{", "broke off"),
        (b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n", "hippod status"),
        (b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {\n\n", "answer"),
        (b"", "without an answer"),
    ],
)
def test_whatever_the_daemon_does_a_request_has_an_answer(
    host: Agent, door: FakeDoor, raw: bytes, told: str
) -> None:
    door.raw = raw
    answer = host.ask(request(1, "ping"))
    assert answer["id"] == 1
    assert told in answer["error"]["message"]
    door.raw = None
    assert host.ask(request(1, "ping"))["result"] == {}


def test_an_error_without_id_is_the_answer_to_what_was_asked(host: Agent, door: FakeDoor) -> None:
    door.raw = reply(400, {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "?"}})
    assert host.ask(request(1, "ping"))["id"] == 1


# -- several at once -----------------------------------------------------------------------------


def test_a_slow_call_holds_up_no_other_and_can_be_cancelled(host: Agent, door: FakeDoor) -> None:
    door.hang = True
    host.say(request("slow", "ping"))
    assert door.asked.wait(30)
    door.hang = False
    assert host.ask(request(1, "ping"))["id"] == 1
    host.say(cancelled("slow"))
    assert host.ask(request(1, "ping"))["id"] == 1
    assert host.leave() == 0  # at once: nothing is under way
    assert host.is_silent()


def test_few_are_under_way_the_others_wait_and_those_can_be_cancelled_too(
    host: Agent, door: FakeDoor
) -> None:
    door.hang = True
    host.say(*(request(number, "ping") for number in range(12)))
    wait_for(lambda: len(door.sent) == 8, "as many as are sent at once")
    host.say(*(cancelled(number) for number in reversed(range(12))))
    door.hang = False
    assert host.ask(request(1, "ping"))["id"] == 1
    assert len(door.sent) == 9


# -- with the official client --------------------------------------------------------------------


def through_the_sdk(daemon: Daemon, era: str, *options: str) -> dict[str, Any]:
    """Return what the client of the official SDK gets through a bridge."""
    server = StdioServerParameters(
        command=PROGRAM[0], args=[*PROGRAM[1:], *options], env=daemon.environ
    )

    async def visit() -> dict[str, Any]:
        async with Client(stdio_client(server), mode=era) as client:
            tools = await client.list_tools()
            found = await client.call_tool("memory_search", {"query": "boathouse"})
            read = await client.read_resource("hippod://file/AGENTS.md")
            prompts = await client.list_prompts()
            return {
                "tools": {each.name for each in tools.tools},
                "found": found,
                "read": read,
                "prompts": {each.name for each in prompts.prompts},
            }

    return anyio.run(visit)


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
def test_both_eras_work_for_the_official_client(daemon: Daemon, era: str) -> None:
    seen = through_the_sdk(daemon, era)
    assert len(seen["tools"]) == 6
    assert not seen["found"].is_error
    assert "# Agent" in seen["read"].contents[0].text
    assert seen["prompts"] == {"start_session", "end_session"}


@pytest.mark.slow
def test_a_group_sees_what_a_group_may(daemon: Daemon) -> None:
    with agent(daemon.environ, "--scope", "group") as host:
        host.ask(HELLO)
        refused = host.ask(tool(2, "memory_read", path="MEMORY.md"))
        assert refused["result"]["isError"]


# -- a daemon that goes, comes, or is busy -------------------------------------------------------


@pytest.mark.slow
def test_a_daemon_killed_in_a_call_is_told_and_the_next_one_is_used(daemon: Daemon) -> None:
    with agent(daemon.environ) as host:
        assert "result" in host.ask(HELLO)
        assert daemon.process is not None
        daemon.process.send_signal(signal.SIGSTOP)
        host.say(tool(2, "memory_search", query="x"))
        time.sleep(0.1)  # whether it is sent before or after the end, the answer is an error
        daemon.kill()
        answer = host.hear()
        assert answer["id"] == 2
        assert "daemon" in str(answer)
        daemon.start()
        assert "content" in host.ask(tool(3, "memory_search", query="x"))["result"]
        daemon.process.send_signal(signal.SIGHUP)
        host.say(*(tool(number, "memory_tree") for number in range(10, 30)))
        heard = host.hear_all(20)
        assert all("result" in message for message in heard.values()), heard


@pytest.mark.slow
def test_without_a_daemon_it_lists_its_tools_and_says_what_to_do(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path)
    with agent(daemon.environ, "--tools", "all") as host:
        assert host.ask(HELLO)["result"]["serverInfo"]["name"] == "hippod"
        assert len(host.ask(request(2, "tools/list"))["result"]["tools"]) == 16
        answer = host.ask(tool(3, "memory_search", query="x"))["result"]
        assert answer["isError"]
        assert "no daemon answers" in answer["content"][0]["text"]
        assert "hippod run" in answer["content"][0]["text"]
        daemon.socket.parent.mkdir()
        with FakeDoor(daemon.socket) as door:  # one comes up
            door.answer = {"jsonrpc": "2.0", "id": 4, "result": {}}
            assert host.ask(tool(4, "memory_tree"))["result"] == {}
        assert host.leave() == 0
        assert host.errors().count("\n") == 1  # once, whatever was asked


# -- C189: when it ends --------------------------------------------------------------------------


@pytest.mark.slow
def test_it_ends_soon_after_its_input(daemon: Daemon) -> None:
    most, hello = two_seconds(), json.dumps(HELLO).encode()
    began = time.monotonic()
    done = subprocess.run(
        PROGRAM, input=hello, env=daemon.environ, capture_output=True, check=True, timeout=60
    )
    assert json.loads(done.stdout)["id"] == "hello"
    assert time.monotonic() - began < most
    assert done.stderr == b""


def two_seconds() -> float:
    """Return the seconds in which a machine as busy as this one does what takes one at rest two."""
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return 2 + 40 * (time.monotonic() - began)


def test_an_answer_that_never_comes_keeps_it_for_a_moment_only(host: Agent, door: FakeDoor) -> None:
    door.hang = True
    host.say(request(1, "ping"))
    assert door.asked.wait(30)
    most, began = two_seconds(), time.monotonic()
    assert host.leave() == 0
    assert time.monotonic() - began < most


def test_it_ends_when_nobody_reads_any_more(folder: Path, door: FakeDoor) -> None:
    reading, writing = os.pipe()
    with subprocess.Popen(
        PROGRAM, env=environment(folder), stdin=subprocess.PIPE, stdout=writing
    ) as process:
        os.close(writing)
        assert process.stdin is not None
        process.stdin.write(json.dumps(request(1, "ping")).encode() + b"\n")
        process.stdin.flush()
        assert os.read(reading, 1)
        os.close(reading)  # it need not even say another word to find out
        assert process.wait(60) == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_ends_it_quietly(host: Agent, number: int, code: int) -> None:
    host.ask(request(1, "ping"))
    host.process.send_signal(number)
    assert host.process.wait(60) == code
    assert host.errors() == ""


CLIENT = """
import os, subprocess, sys, time
program, held, count = sys.argv[1:-2], int(sys.argv[-2]), int(sys.argv[-1])
source = os.dup(0) if held else subprocess.PIPE
for _ in range(count):
    bridge = subprocess.Popen(program, stdin=source, stdout=1)
    print(f"pid {bridge.pid}", flush=True)
    if not held:
        globals().setdefault("kept", []).append(bridge)
time.sleep(600)
"""
"""A client with several bridges, whose input it holds alone or (`held`) somebody else does."""


def deserted(daemon: Daemon, count: int, *, held: bool, at_once: bool = False) -> list[int]:
    """Start bridges of a client, kill it by SIGKILL, and return their pids once they ended."""
    holding, theirs = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-c", CLIENT, *PROGRAM, str(int(held)), str(count)],
        env=daemon.environ, stdin=holding, stdout=subprocess.PIPE,
    ) as client:  # fmt: skip
        assert client.stdout is not None
        pids = [int(client.stdout.readline().split()[1]) for _ in range(count)]
        if not at_once:
            wait_for(lambda: all(is_waiting(pid) for pid in pids), "the bridges to wait")
        most = two_seconds()
        client.kill()
        client.wait()
        began = time.monotonic()
        wait_for(lambda: all(map(has_ended, pids)), "the bridges to end")
        if not at_once:
            assert time.monotonic() - began < most
        os.close(theirs)
        os.close(holding)
    return pids


def is_waiting(pid: int) -> bool:
    """Say whether a bridge has got as far as to wait for a message: it watches its parent then."""
    with contextlib.suppress(FileNotFoundError):  # a descriptor may be closed while we look
        links = (fd.readlink() for fd in Path(f"/proc/{pid}/fd").iterdir())
        return any("pidfd" in str(link) for link in links)
    return False


@pytest.mark.slow
@pytest.mark.parametrize("held", [False, True])
def test_it_ends_when_its_client_is_gone(daemon: Daemon, held: bool) -> None:
    assert len(deserted(daemon, 10, held=held)) == 10


@pytest.mark.slow
def test_it_ends_when_its_client_is_killed_while_it_starts(daemon: Daemon) -> None:
    assert deserted(daemon, 1, held=False, at_once=True)


@pytest.mark.parametrize(("may_be_adoption", "is_gone"), [(True, False), (False, True)])
def test_a_parent_that_went_before_anybody_looked(
    may_be_adoption: bool, is_gone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pipe is open still; it is left as soon as no first word comes."""
    monkeypatch.setattr(bridge, "FIRST_SECONDS", 0.05)
    parent = bridge.Parent()
    parent.may_be_adoption, parent.is_gone = may_be_adoption, is_gone
    source, kept_open = os.pipe()
    nobody, target = os.pipe()
    assert list(bridge.incoming(source, target, parent)) == []
    os.write(kept_open, b"{}\n")
    if may_be_adoption:  # who said a word is waited for
        coming = bridge.incoming(source, target, parent)
        assert next(coming) == b"{}"
        os.close(kept_open)
        assert list(coming) == []
    else:
        os.close(kept_open)
    for descriptor in (source, nobody, target):
        os.close(descriptor)


@pytest.mark.slow
def test_it_holds_nothing_of_the_workspace(daemon: Daemon) -> None:
    with agent(daemon.environ) as host:
        host.ask(HELLO)
        assert not host.ask(tool(2, "memory_search", query="boathouse"))["result"]["isError"]
        links = [str(fd.readlink()) for fd in Path(f"/proc/{host.process.pid}/fd").iterdir()]
        assert not [link for link in links if str(daemon.workspace) in link or ".sqlite" in link]
        status = Path(f"/proc/{host.process.pid}/status").read_text()
        kilobytes = int(status.partition("VmRSS:")[2].split()[0])
        assert kilobytes < 30_000


# -- C190: many at once --------------------------------------------------------------------------


@pytest.mark.slow
def test_five_bridges_that_retain_at_once_lose_and_double_nothing(daemon: Daemon) -> None:
    """The case has 100 each; a fact costs the more, the more its day has."""
    facts = {
        (host, each): f"Crate {host}-{each} holds a lamp." for host, each in product(FIVE, MANY)
    }
    hosts = [Agent(daemon.environ) for _ in FIVE]
    try:
        for number, host in enumerate(hosts):
            kept = {each: f"W @Crate: {facts[number, each]}" for each in MANY}
            host.say(*(tool(each, "memory_retain", facts=[fact]) for each, fact in kept.items()))
        for host in hosts:
            heard = host.hear_all(len(MANY))
            assert not [m for m in heard.values() if m.get("error") or m["result"]["isError"]]
    finally:
        for host in hosts:
            host.end()
    log = daemon.client.today_log()["content"]
    assert {fact: log.count(fact) for fact in facts.values()} == dict.fromkeys(facts.values(), 1)


def test_a_fault_of_ours_is_answered_and_ends_no_other_call() -> None:
    heard: list[str] = []

    class Broken:
        negotiated = ""

        def texts(self, call: Call) -> Iterator[str]:
            if call.id == 1:
                raise AssertionError("a fault")
            yield "well"

    class Ear:
        put = heard.append

    host = bridge.Bridge(cast("bridge.Courier", Broken()), cast("bridge.Output", Ear()))
    for number in (1, 2):
        host.take(json.dumps(request(number, "ping")).encode())
        host.finish()
    assert "failed inside hippod" in heard[0]
    assert heard[1:] == ["well"]
