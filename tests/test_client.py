import asyncio
import errno
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hippod
from hippod import client as client_module
from hippod import errors, wire
from hippod.client import Client, quote
from tests.fake_door import FakeDoor, reply


@pytest.fixture
def folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="hd", dir="/tmp") as name:  # a socket's path must be short
        yield Path(name)


@pytest.fixture
def door(folder: Path) -> Iterator[FakeDoor]:
    with FakeDoor(folder / "d.sock") as made:
        yield made


def test_client_is_exported_lazily() -> None:
    assert hippod.Client is Client
    assert hippod.PathRefused is errors.PathRefused
    code = "import hippod; hippod.errors.TooLarge; hippod.answer_types.RecallAnswer"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert {"errors", "answer_types", "Client"} <= set(dir(hippod))
    with pytest.raises(AttributeError):
        _ = hippod.nothing


VERBS: list[tuple[str, str, Callable[[Client], Any]]] = [
    ("POST", "/v1/recall", lambda c: c.recall("x")),
    ("POST", "/v1/recall", lambda c: c.search("x")),
    ("POST", "/v1/retain", lambda c: c.retain(flush=True)),
    ("GET", "/v1/files/a/b.md?scope=main", lambda c: c.read("a/b.md")),
    ("PUT", "/v1/files/a.md", lambda c: c.write("a.md", "x")),
    ("POST", "/v1/files/a.md", lambda c: c.append("a.md", "x")),
    ("POST", "/v1/files/a.md", lambda c: c.replace("a.md", "x", "y")),
    ("POST", "/v1/files/a.md", lambda c: c.insert("a.md", 3, "x")),
    ("POST", "/v1/files/a.md", lambda c: c.move("a.md", "b.md")),
    ("DELETE", "/v1/files/a.md?etag=e%221&scope=main", lambda c: c.delete("a.md", etag='e"1')),
    ("DELETE", "/v1/files/a.md?scope=main", lambda c: c.delete("a.md")),
    ("GET", "/v1/tree?directory=a%2Fb&recursive=true&scope=main",
     lambda c: c.tree("a/b", recursive=True)),
    ("GET", "/v1/tree?directory=&recursive=false&scope=main", lambda c: c.list()),
    ("GET", "/v1/daily/today?scope=main", lambda c: c.today_log()),
    ("GET", "/v1/daily/2026-03-03?scope=main", lambda c: c.daily_log("2026-03-03")),
    ("POST", "/v1/daily", lambda c: c.append_daily_log("x", date="2026-03-03")),
    ("GET", "/v1/status?scope=main", lambda c: c.status()),
    ("GET", "/v1/health?scope=main", lambda c: c.health()),
    ("GET", "/v1/jobs?scope=main", lambda c: c.jobs()),
    ("POST", "/v1/jobs/reconcile/run", lambda c: c.run_job("reconcile")),
    ("POST", "/v1/jobs/reflect/pause", lambda c: c.pause_job("reflect")),
    ("POST", "/v1/jobs/a%2Fb/resume", lambda c: c.resume_job("a/b")),
    ("POST", "/v1/reindex", lambda c: c.reindex(full=True)),
    ("GET", "/v1/config?scope=main", lambda c: c.config_show()),
]  # fmt: skip


@pytest.mark.parametrize(("method", "target", "call"), VERBS)
def test_each_verb_asks_its_endpoint(
    door: FakeDoor, method: str, target: str, call: Callable[[Client], Any]
) -> None:
    door.answer = {"fine": True}
    with Client(door.path) as client:
        assert call(client) == {"fine": True}
    assert (door.last.method, door.last.target) == (method, target)
    if method in ("POST", "PUT"):
        assert door.last.json["scope"] == "main"


def test_bodies_are_valid_wire_requests(door: FakeDoor) -> None:
    client = Client(door.path, scope="group")
    client.recall(
        "q", limit=3, since="30d", until="2026", as_of="2026-01", kind=["world"],
        entity=["Anna"], path="memory/*", mode="lexical", fusion="rrf", bm25_weight=0.2,
        vector_weight=0.8, min_score=0.1, budget_tokens=500,
    )  # fmt: skip
    asked = wire.RecallRequest.model_validate(door.last.json)
    assert (asked.scope, asked.kind, asked.budget_tokens) == ("group", ("world",), 500)
    client.recall("q")
    assert door.last.json == {"query": "q", "scope": "group"}  # the rest: the daemon's defaults
    client.retain([{"role": "user", "content": "hi"}], facts=["W : x"], session="s", explain=True)
    assert wire.RetainRequest.model_validate(door.last.json).explain
    client.write("a.md", "text", etag="")
    assert wire.WriteRequest.model_validate(door.last.json).etag == ""
    client.append("a.md", "text")
    assert wire.AppendAction.model_validate(door.last.json).content == "text"
    client.replace("a.md", "old", "new", etag="e")
    assert wire.ReplaceAction.model_validate(door.last.json).etag == "e"
    client.append_daily_log("note")
    assert wire.NoteRequest.model_validate(door.last.json).date is None
    client.reindex(full=True)
    assert wire.ReindexRequest.model_validate(door.last.json).full


def test_requests_carry_no_header_that_the_daemon_refuses(door: FakeDoor) -> None:
    Client(door.path).recall("x")
    assert not {"origin", "referer"} & door.last.headers.keys()
    assert door.last.headers["content-type"] == "application/json"


NASTY = ["a b.md", "🦉.md", "a#b.md", "a?b.md", "a%20b.md", "a\nb.md", "ü/日本.md", "-x", "a&b=c"]


@pytest.mark.parametrize("path", NASTY)
def test_a_path_arrives_as_it_is(door: FakeDoor, path: str) -> None:
    Client(door.path).read(path)
    target = door.last.target.removeprefix("/v1/files/").removesuffix("?scope=main")
    assert "?" not in target
    assert urllib.parse.unquote(target, errors="strict") == path


@given(st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(NASTY))
@settings(max_examples=100, deadline=None)
def test_quoting_agrees_with_the_standard_library(text: str) -> None:
    assert quote(text) == urllib.parse.quote(text)
    assert quote(text, safe_slash=False) == urllib.parse.quote(text, safe="")


def test_bytes_of_a_name_that_are_not_utf8_pass_through() -> None:
    assert quote("caf\udce9.md") == "caf%E9.md"
    with pytest.raises(errors.InvalidInput):
        quote("\ud800")


def test_a_query_cut_inside_a_character_is_asked_all_the_same(door: FakeDoor) -> None:
    Client(door.path).recall("caf\udcc3")
    assert door.last.json["query"].startswith("caf�")


def test_content_that_is_not_text_is_refused_before_anything_is_sent(door: FakeDoor) -> None:
    with pytest.raises(errors.InvalidInput, match="UTF-8"):
        Client(door.path).write("a.md", "caf\udce9")
    with pytest.raises(errors.InvalidInput, match="JSON"):
        Client(door.path).recall("x", min_score=float("nan"))
    with pytest.raises(errors.InvalidInput, match="path"):
        Client(door.path).read("")
    assert door.sent == []


@given(answer=st.dictionaries(st.text(), st.text() | st.integers() | st.none(), max_size=5))
@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_answers_come_back_as_they_were_sent(door: FakeDoor, answer: dict[str, Any]) -> None:
    door.answer = answer
    assert Client(door.path).status() == answer


@pytest.mark.parametrize("cls", sorted(errors.BY_CODE.values(), key=lambda c: c.code))
def test_every_error_comes_back_as_its_class(door: FakeDoor, cls: type[errors.HippodError]) -> None:
    door.fail(cls.http_status, cls.code, "what happened", "what to do")
    with pytest.raises(cls) as caught:
        Client(door.path).status()
    assert type(caught.value) is cls
    assert (caught.value.message, caught.value.hint) == ("what happened", "what to do")


def test_nobody_listening_says_how_to_start(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(errors.DaemonDown) as caught:
        Client(folder / "none.sock").status()
    assert "hippod run" in caught.value.hint
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.delenv("HIPPOD_SOCKET", raising=False)
    with pytest.raises(errors.DaemonDown) as caught:
        Client(workspace=folder / "my notes", config=folder / "c.toml").status()
    assert f"--workspace '{folder}/my notes' --config {folder}/c.toml run" in caught.value.hint


def test_a_daemon_is_told_which_workspace_is_meant(
    folder: Path, door: FakeDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HIPPOD_SOCKET", str(door.path))
    (folder / "c.toml").write_text('[workspace]\npath = "my notes"\n')
    monkeypatch.delenv("HIPPOD_WORKSPACE", raising=False)
    Client(workspace=folder / "my notes").status()
    Client(config=folder / "c.toml").status()
    Client(door.path, workspace=folder / "my notes").status()
    Client().status()
    meant = [sent.headers.get("hippod-workspace", "") for sent in door.sent]
    assert meant == [quote(str((folder / "my notes").resolve()))] * 3 + [""]


def test_a_named_socket_is_told_the_workspace_of_a_config(
    folder: Path, door: FakeDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HIPPOD_WORKSPACE", raising=False)
    (folder / "c.toml").write_text('[workspace]\npath = "my notes"\n')
    Client(door.path, config=folder / "c.toml").status()
    Client(door.path, config=folder / "c.toml", workspace=folder / "others").status()
    Client(door.path).status()
    meant = [sent.headers.get("hippod-workspace", "") for sent in door.sent]
    named = [quote(str((folder / name).resolve())) for name in ("my notes", "others")]
    assert meant == [*named, ""]


def test_a_dead_socket_or_another_file_is_nobody_listening(folder: Path) -> None:
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(folder / "dead.sock"))
    dead.close()
    (folder / "file.sock").write_text("")
    for name in ("dead.sock", "file.sock", "file.sock/x.sock"):
        with pytest.raises(errors.DaemonDown):
            Client(folder / name).status()


def test_a_path_no_socket_can_have_is_refused() -> None:
    with pytest.raises(errors.InvalidInput, match="cannot connect"):
        Client("/" + "s" * 200).status()


def test_the_daemon_is_found_where_another_environment_put_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = (str(folder / "first.sock"), str(folder / "second.sock"))
    monkeypatch.setattr(client_module.paths, "socket_places", lambda *_, **__: places)
    monkeypatch.delenv("HIPPOD_SOCKET", raising=False)
    with FakeDoor(folder / "second.sock") as door:
        Client(workspace=folder, config=folder / "none.toml").status()
        assert len(door.sent) == 1


def test_a_listener_of_another_user_gets_nothing(
    folder: Path, door: FakeDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module.paths, "socket_places", lambda *_, **__: (str(door.path),))
    monkeypatch.delenv("HIPPOD_SOCKET", raising=False)
    monkeypatch.setattr(client_module, "_peer_uid", lambda _: 54321)
    with pytest.raises(errors.Forbidden, match="user 54321"):
        Client(workspace=folder, config=folder / "none.toml").recall("secret")
    assert door.sent == []


def test_a_hanging_daemon_is_not_responding(door: FakeDoor) -> None:
    door.hang = True
    with pytest.raises(errors.NotResponding, match=r"not responding \(waited 0.2 s\)"):
        Client(door.path, timeout=0.2).status()


def test_a_full_queue_is_waited_for_and_then_not_responding(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "full.sock"))
        listener.listen(0)
        with socket.socket(socket.AF_UNIX) as first:
            first.connect(str(folder / "full.sock"))
            with pytest.raises(errors.NotResponding):
                Client(folder / "full.sock", timeout=0.2).status()


def test_the_timeout_is_for_the_whole_answer_not_for_each_byte(folder: Path) -> None:
    stop = threading.Event()

    def trickle(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
            while not stop.wait(0.05):
                connection.sendall(b" ")

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "slow.sock"))
        listener.listen()
        thread = threading.Thread(target=trickle, args=(listener,))
        thread.start()
        started = time.monotonic()
        with pytest.raises(errors.NotResponding):
            Client(folder / "slow.sock", timeout=0.3).status()
        assert time.monotonic() - started < 5
        stop.set()
        thread.join()


def test_work_is_given_more_time_than_a_question(
    door: FakeDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "READ_TIMEOUT", 0.1)
    door.hang = True
    monkeypatch.setattr(client_module, "WORK_TIMEOUT", 0.3)
    for call, seconds in (
        (lambda c: c.status(), "0.1"),
        (lambda c: c.retain(flush=True), "0.1"),
        (lambda c: c.retain(flush=True, wait=True), "0.3"),
        (lambda c: c.run_job("reconcile"), "0.3"),
        (lambda c: c.reindex(), "0.3"),
    ):
        with pytest.raises(errors.NotResponding, match=f"waited {seconds} s"):
            call(Client(door.path))


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), "5", [5]])
def test_a_timeout_that_cannot_be_is_refused(timeout: Any) -> None:
    with pytest.raises(errors.InvalidInput, match="timeout"):
        Client("/x.sock", timeout=timeout)


def test_a_scope_that_there_is_not_is_refused() -> None:
    with pytest.raises(errors.InvalidInput, match="scope"):
        Client("/x.sock", scope="everything")


OK = b"HTTP/1.1 200 OK\r\n"
BAD_ANSWERS = [
    b"",
    b"\x00\xff\xfe",
    b"SSH-2.0-OpenSSH_9\r\n\r\n",
    b"HTTP/1.1 abc\r\ncontent-length: 2\r\n\r\n{}",
    OK + b"content-length: 2\r\n",
    OK + b"\r\n{}",
    OK + b"content-length: -2\r\n\r\n{}",
    OK + "content-length: ²\r\n\r\n{}".encode("latin-1"),
    OK + b"transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    OK + b"content-length: 50\r\n\r\n{}",
    OK + b"content-length: 99999999999\r\n\r\n{}",
    OK + b"content-length: " + b"9" * 5_000 + b"\r\n\r\n{}",
    OK + b"content-length: 4\r\n\r\n[{}]",
    OK + b"content-length: 9\r\n\r\n{\"a\":NaN}",
    OK + b"content-length: 3\r\n\r\n\"\xff\"",
    OK + b"content-length: 200000\r\n\r\n" + b"[" * 200_000,
    OK + b"x: " + b"y" * 200_000 + b"\r\n\r\n{}",
    reply(500, {}),
    reply(404, {"detail": "Not Found"}),
    reply(302, {}),
]  # fmt: skip


CHUNKED = b"transfer-encoding: chunked\r\n\r\n"
_DEEP = b"[" * 100_000
BAD_STREAMS = [
    OK + CHUNKED + b"zz\r\n{}\r\n",
    OK + CHUNKED + b"%x\r\ndata: %s\n\n\r\n0\r\n\r\n" % (len(_DEEP) + 8, _DEEP),
    OK + b"\r\ndata: " + _DEEP + b"\n\n",
    OK + b"\r\ndata: [1]\n\n",
    OK + b"\r\ndata: 3\n\n",
    OK + b"\r\ndata: {\n\n",
]  # fmt: skip


@pytest.mark.parametrize("raw", BAD_STREAMS, ids=range(len(BAD_STREAMS)))
def test_a_stream_that_makes_no_sense_is_an_error_not_a_crash(door: FakeDoor, raw: bytes) -> None:
    door.raw = raw
    with pytest.raises(errors.HippodError, match="not one of a hippod daemon"):
        next(Client(door.path, timeout=5).events())


def test_bad_chunks_end_an_export_a_backup_and_a_line_with_an_error(
    door: FakeDoor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    door.raw = BAD_STREAMS[0]
    client = Client(door.path, timeout=5)
    monkeypatch.setattr(client, "status", lambda: {"workspace": None})
    asked: list[Callable[[], object]] = [
        lambda: list(client.export()),
        lambda: client.backup(tmp_path / "b.tar"),
        lambda: list(client.line(5).post("/mcp", b"{}", {})[2]),
    ]
    for ask in asked:
        with pytest.raises(errors.HippodError, match="no chunks"):
            ask()
    assert list(tmp_path.iterdir()) == []


def test_without_a_descriptor_left_it_says_so(
    door: FakeDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    without = SimpleNamespace(AF_UNIX=1, SOCK_STREAM=1, socket=none)
    monkeypatch.setattr("hippod.client.socket", without)
    for ask in (Client(door.path).status, lambda: asyncio.run(_status(door.path))):
        with pytest.raises(errors.HippodError, match="cannot open a socket: Too many") as caught:
            ask()
        assert "ulimit" in caught.value.hint


async def _status(place: Path) -> object:
    return await hippod.AsyncClient(place).status()


@pytest.mark.parametrize("raw", BAD_ANSWERS, ids=range(len(BAD_ANSWERS)))
def test_an_answer_that_makes_no_sense_is_an_error_not_a_crash(door: FakeDoor, raw: bytes) -> None:
    door.raw = raw
    with pytest.raises(errors.HippodError) as caught:
        Client(door.path, timeout=5).status()
    assert caught.value.exit_code == 1
    assert caught.value.hint


@given(st.binary(max_size=200))
@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_bytes_as_answer_end_in_an_error(door: FakeDoor, raw: bytes) -> None:
    door.raw = b"HTTP/1.1 " + raw if len(raw) % 2 else raw
    with pytest.raises(errors.HippodError):
        Client(door.path, timeout=5).status()


def test_a_refusal_sent_before_the_body_was_read_is_reported(folder: Path) -> None:
    def refuse(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(1000)
            error = {"error": {"code": "too_large", "message": "too much", "hint": ""}}
            connection.sendall(reply(413, error))

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "early.sock"))
        listener.listen()
        thread = threading.Thread(target=refuse, args=(listener,))
        thread.start()
        with pytest.raises(errors.TooLarge, match="too much"):
            Client(folder / "early.sock", timeout=10).write("a.md", "x" * 20_000_000)
        thread.join()


def test_the_version_of_the_daemon_is_noticed(door: FakeDoor) -> None:
    door.version = "9.9.9"
    client = Client(door.path)
    assert client.daemon_version is None
    client.status()
    assert client.daemon_version == "9.9.9"
