"""The asynchronous client: the same verbs as the synchronous one, and what only it can do."""

import asyncio
import contextlib
import inspect
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hippod
from hippod import aclient, errors
from hippod import client as client_module
from hippod.aclient import AsyncClient
from hippod.client import Client
from tests.fake_door import FakeDoor, reply
from tests.processes import Daemon, running
from tests.test_client import BAD_ANSWERS, BAD_STREAMS, VERBS

STREAMS = {"events", "export"}
ALIASES = {"search", "list"}
NO_VERBS = {"line"}
"""What only one of them has, for programs of ours."""


@pytest.fixture
def folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="hd", dir="/tmp") as name:  # a socket's path must be short
        yield Path(name)


@pytest.fixture
def door(folder: Path) -> Iterator[FakeDoor]:
    with FakeDoor(folder / "d.sock") as made:
        yield made


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    without = {"HIPPOD_EMBEDDER__PROVIDER": "none", "HIPPOD_ENCODER__PROVIDER": "none"}
    with running(tmp_path_factory.mktemp("aclient"), without) as daemon:
        daemon.client.write("owls.md", "# Owls\n\nOwls hunt at night.\n")
        daemon.settle()
        yield daemon


@pytest.fixture
def daemon(started: Daemon) -> Daemon:
    if not started.answers():  # a test stopped it
        started.start()
    return started


def fields(verb: Callable[..., Any]) -> list[tuple[str, str, object]]:
    parameters = inspect.signature(verb).parameters.values()
    return [
        (
            each.name,
            each.kind.name,
            "callable" if inspect.isfunction(each.default) else each.default,
        )
        for each in parameters
    ]


def verbs(kind: type) -> dict[str, Callable[..., Any]]:
    return {
        name: each
        for name, each in inspect.getmembers(kind, callable)
        if name[0] != "_" and name not in NO_VERBS
    }


def test_it_is_exported_lazily() -> None:
    assert hippod.AsyncClient is AsyncClient


def test_it_has_the_verbs_of_the_synchronous_client_with_the_same_fields() -> None:
    ours, theirs = verbs(AsyncClient), verbs(Client)
    assert ours.keys() == theirs.keys()
    for name, verb in theirs.items():
        assert fields(ours[name]) == fields(verb), name
        assert ours[name].__doc__, name
        assert ours[name].__name__ == name or name in ALIASES
    assert fields(AsyncClient.__init__) == fields(Client.__init__)
    assert ("limit", "KEYWORD_ONLY", None) in fields(Client.recall)  # no bare *args, **kwargs


def test_each_verb_is_a_coroutine_but_for_streams() -> None:
    for name, verb in verbs(AsyncClient).items():
        streams = name in STREAMS
        assert inspect.isasyncgenfunction(verb) == streams, name
        assert inspect.iscoroutinefunction(verb) != streams, name


@pytest.mark.parametrize(("method", "target", "call"), VERBS)
def test_each_verb_asks_what_the_synchronous_one_asks(
    door: FakeDoor, method: str, target: str, call: Callable[[Any], Any]
) -> None:
    async def ask() -> object:
        async with AsyncClient(door.path) as client:
            return await call(client)

    door.answer = {"fine": True}
    assert asyncio.run(ask()) == call(Client(door.path)) == {"fine": True}
    first, second = door.sent
    assert first == second
    assert (first.method, first.target) == (method, target)


def test_one_field_or_a_text_is_taken_as_by_the_synchronous_client(door: FakeDoor) -> None:
    door.answer = {"text": "## Agent Instructions"}
    assert asyncio.run(AsyncClient(door.path).system_prompt()) == "## Agent Instructions"
    door.raw = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nx 1\n"
    assert asyncio.run(AsyncClient(door.path).metrics()) == "x 1\n"


@pytest.mark.parametrize("cls", errors.BY_CODE.values())
def test_every_error_comes_back_as_its_class(door: FakeDoor, cls: type[errors.HippodError]) -> None:
    door.fail(cls.http_status, cls.code, "what", "do this")
    with pytest.raises(cls, match="what") as caught:
        asyncio.run(AsyncClient(door.path).status())
    assert caught.value.hint == "do this"


def test_nobody_listening_says_how_to_start(folder: Path) -> None:
    with pytest.raises(errors.DaemonDown) as caught:
        asyncio.run(AsyncClient(folder / "none.sock").status())
    assert "hippod run" in caught.value.hint


def test_a_listener_of_another_user_gets_nothing(
    door: FakeDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module.paths, "socket_places", lambda *_, **__: (str(door.path),))
    monkeypatch.delenv("HIPPOD_SOCKET", raising=False)
    monkeypatch.setattr(client_module, "_peer_uid", lambda _: 54321)
    with pytest.raises(errors.Forbidden, match="54321"):
        asyncio.run(AsyncClient().recall("a secret"))
    assert door.sent == []


def test_a_hanging_daemon_is_not_responding(door: FakeDoor) -> None:
    door.hang = True
    with pytest.raises(errors.NotResponding, match=r"waited 0\.1 s"):
        asyncio.run(AsyncClient(door.path, timeout=0.1).status())


def test_work_is_given_more_time_than_a_question(
    door: FakeDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    door.hang = True
    monkeypatch.setattr(client_module, "READ_TIMEOUT", 0.1)
    monkeypatch.setattr(client_module, "WORK_TIMEOUT", 0.3)
    with pytest.raises(errors.NotResponding, match=r"waited 0\.1 s"):
        asyncio.run(AsyncClient(door.path).status())
    with pytest.raises(errors.NotResponding, match=r"waited 0\.3 s"):
        asyncio.run(AsyncClient(door.path).reindex())


@pytest.mark.parametrize("raw", BAD_ANSWERS, ids=range(len(BAD_ANSWERS)))
def test_an_answer_that_makes_no_sense_is_an_error_not_a_crash(door: FakeDoor, raw: bytes) -> None:
    door.raw = raw
    with pytest.raises(errors.HippodError) as caught:
        asyncio.run(AsyncClient(door.path, timeout=5).status())
    assert caught.value.hint


@pytest.mark.parametrize("raw", BAD_STREAMS, ids=range(len(BAD_STREAMS)))
def test_a_stream_that_makes_no_sense_is_an_error_not_a_crash(door: FakeDoor, raw: bytes) -> None:
    door.raw = raw
    with pytest.raises(errors.HippodError, match="not one of a hippod daemon"):
        asyncio.run(anext(AsyncClient(door.path, timeout=5).events()))


@given(st.binary(max_size=200))
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_bytes_end_a_stream_with_an_error(door: FakeDoor, raw: bytes) -> None:
    door.raw = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + raw

    async def follow() -> None:
        async for _ in AsyncClient(door.path, timeout=5).events():
            pass

    with pytest.raises(errors.HippodError):
        asyncio.run(follow())


def test_a_refusal_sent_before_the_body_was_read_is_reported(folder: Path) -> None:
    def refuse(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(1000)
            connection.sendall(reply(413, {"error": {"code": "too_large", "message": "too much"}}))

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "early.sock"))
        listener.listen()
        thread = threading.Thread(target=refuse, args=(listener,))
        thread.start()
        client = AsyncClient(folder / "early.sock", timeout=10)
        with pytest.raises(errors.TooLarge, match="too much"):
            asyncio.run(client.write("a.md", "x" * 20_000_000))
        thread.join()


def test_wrong_types_are_refused_before_anything_is_sent(door: FakeDoor) -> None:
    client: Any = AsyncClient(door.path)
    calls: list[Callable[[], Awaitable[Any]]] = [
        lambda: client.recall(None),
        lambda: client.recall("x", kind="world"),
        lambda: client.recall("x", entity=[1]),
        lambda: client.retain("hello"),
        lambda: client.retain(facts="W : x"),
        lambda: client.read(3),
        lambda: client.read(""),
        lambda: client.why(""),
        lambda: client.get_working(None),
        lambda: client.write("a.md", b"bytes"),
        lambda: client.hygiene(apply="id"),
    ]
    for call in calls:
        with pytest.raises(errors.InvalidInput) as caught:
            asyncio.run(_of(call()))
        assert ":" in caught.value.message or "JSON" in caught.value.message
    assert door.sent == []


async def _of(answer: Awaitable[Any]) -> Any:
    return await answer


def test_a_call_that_is_cancelled_closes_its_connection(folder: Path) -> None:
    async def cancel() -> bytes:
        loop = asyncio.get_running_loop()
        calling = asyncio.create_task(AsyncClient(folder / "slow.sock").recall("x"))
        connection, _ = await loop.sock_accept(listener)
        with connection:
            connection.setblocking(False)
            await loop.sock_recv(connection, 65_536)
            calling.cancel()
            with pytest.raises(asyncio.CancelledError):
                await calling
            async with asyncio.timeout(30):
                return await loop.sock_recv(connection, 65_536)

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "slow.sock"))
        listener.listen()
        listener.setblocking(False)
        assert asyncio.run(cancel(), debug=True) == b""


def test_many_calls_at_once_wait_for_a_full_queue(door: FakeDoor) -> None:
    door.answer = {"hits": []}

    async def ask() -> list[Any]:
        client = AsyncClient(door.path, timeout=60)
        return await asyncio.gather(*(client.recall(f"q{n}") for n in range(200)))

    assert asyncio.run(ask()) == [{"hits": []}] * 200
    assert {sent.json["query"] for sent in door.sent} == {f"q{n}" for n in range(200)}


def test_no_more_calls_of_a_loop_than_a_daemon_takes_are_in_flight(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aclient, "MOST_AT_ONCE", 3)
    open_now, most = 0, 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal open_now, most
        open_now += 1
        most = max(most, open_now)
        await reader.readuntil(b"\r\n\r\n")
        await asyncio.sleep(0.01)
        open_now -= 1
        writer.write(reply(200, {}))
        await writer.drain()
        writer.close()

    async def ask() -> None:
        server = await asyncio.start_unix_server(serve, str(folder / "few.sock"))
        one, other = (AsyncClient(folder / "few.sock", timeout=60) for _ in range(2))
        calls = [asyncio.create_task(each.status()) for each in (one, other) * 10]
        cancelled = calls.pop()
        cancelled.cancel()
        await asyncio.gather(*calls)
        assert cancelled.cancelled()
        server.close()

    asyncio.run(ask())
    assert most == 3
    assert aclient._turns == {}


def test_a_client_serves_one_loop_after_the_other(door: FakeDoor) -> None:
    client = AsyncClient(door.path)
    assert asyncio.run(client.status()) == asyncio.run(client.status()) == {}
    assert client.daemon_version == hippod.__version__


def test_it_runs_under_anyio_too(door: FakeDoor) -> None:
    door.hang = True

    async def ask() -> bool:
        with anyio.move_on_after(0.1) as waited:
            await AsyncClient(door.path).status()
        return waited.cancelled_caught

    assert anyio.run(ask)


def test_neither_client_costs_the_other() -> None:
    code = (
        "import sys, hippod.client\n"
        "print(*({'asyncio', 'typing', 'socket', 'inspect', 'dataclasses'} & sys.modules.keys()))\n"
        "import hippod.aclient\n"
        "print(*({'pydantic', 'apsw', 'structlog', 'hippod.library'} & sys.modules.keys()))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.slow
@pytest.mark.xdist_group("aclient")
class TestOfARealDaemon:
    def test_answers_are_those_of_the_synchronous_client(self, daemon: Daemon) -> None:
        async def ask() -> list[Any]:
            client = AsyncClient(daemon.socket)
            found, read = await asyncio.gather(client.recall("owls"), client.read("owls.md"))
            return [found["hits"], read, await client.tree(), await client.entities()]

        one = daemon.client
        expected = [one.recall("owls")["hits"], one.read("owls.md"), one.tree(), one.entities()]
        assert asyncio.run(ask()) == expected

    def test_events_are_followed_until_one_leaves(self, daemon: Daemon) -> None:
        async def follow() -> list[str]:
            client, seen = AsyncClient(daemon.socket, timeout=60), []
            async with contextlib.aclosing(client.events(after=0)) as events:
                async for event in events:
                    seen += event.get("paths", [])
                    if "owls.md" in seen and "bats.md" not in seen:
                        await client.write("bats.md", "Bats too.\n")
                    if "bats.md" in seen:
                        break
            listed = [event async for event in client.events(after=0, follow=False, limit=1)]
            assert len(listed) == 1
            return seen

        assert "bats.md" in asyncio.run(asyncio.wait_for(follow(), 60))

    def test_an_export_and_a_backup_are_those_of_the_synchronous_client(
        self, daemon: Daemon, tmp_path: Path
    ) -> None:
        heard: list[int] = []

        async def take() -> tuple[list[str], dict[str, Any]]:
            client = AsyncClient(daemon.socket, timeout=60)
            lines = [line async for line in client.export(types=["fact"])]
            return lines, await client.backup(tmp_path / "one.tar", heard=heard.append)

        lines, backup = asyncio.run(take())
        expected = list(daemon.client.export(types=["fact"]))
        assert lines[1:] == expected[1:]  # the first says when
        assert backup["files"] == daemon.client.backup(tmp_path / "two.tar")["files"]
        assert heard == sorted(heard)
        assert heard[-1] > backup["content_bytes"]

    def test_a_backup_that_is_cancelled_leaves_no_file(
        self, daemon: Daemon, tmp_path: Path
    ) -> None:
        begun, go_on = threading.Event(), threading.Event()

        def heard(_count: int) -> None:
            begun.set()
            go_on.wait(60)

        async def cancel() -> None:
            client = AsyncClient(daemon.socket)
            making = asyncio.create_task(client.backup(tmp_path / "b.tar", heard=heard))
            await asyncio.to_thread(begun.wait, 60)
            making.cancel()
            with pytest.raises(asyncio.CancelledError):
                await making
            go_on.set()

        asyncio.run(cancel())  # which waits for its threads
        assert list(tmp_path.iterdir()) == []

    def test_followers_hear_that_the_daemon_stops(self, daemon: Daemon) -> None:
        async def follow() -> None:
            async for _ in AsyncClient(daemon.socket, timeout=60).events(after=0):
                if daemon.process and daemon.process.poll() is None:
                    await asyncio.to_thread(daemon.stop)

        daemon.client.write("a.md", "x\n")
        began = time.monotonic()
        with pytest.raises(errors.DaemonDown, match="stopped"):
            asyncio.run(follow())
        assert time.monotonic() - began < client_module.SILENCE_TIMEOUT
