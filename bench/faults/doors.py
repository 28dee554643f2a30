"""Paths that lead out, through every door: HTTP as it is sent, the command line, facts."""

import contextlib
import json
import socket
from collections.abc import Iterator
from pathlib import Path

from bench.faults.harness import Fault, House

_DIARY = "diary.md"
_OUTWARD = (
    "../outside/diary.md", "projects/../../outside/diary.md", "%2e%2e/outside/diary.md",
    "..%2foutside%2fdiary.md", "..%5coutside%5cdiary.md", "%2e%2e%2foutside%2fdiary.md",
    "%252e%252e%252foutside%252fdiary.md", "..%c0%afoutside%c0%afdiary.md",
    "projects/%2e%2e/%2e%2e/outside/diary.md", "./../outside/diary.md", "..;/outside/diary.md",
    "projects%00/../../outside/diary.md", "//{outside}/diary.md", "%2f{outside}%2fdiary.md",
    "file:%2f%2f{outside}%2fdiary.md", ".memory/state.sqlite", ".memory/../.memory/lock",
    ".git/config.md", "sessions/talk.jsonl", "../outside/new.md", "..%2foutside%2fnew.md",
)  # fmt: skip
_METHODS = ("GET", "PUT", "POST", "DELETE")


def every_door(house: House) -> str:
    """Ask for paths outside by each door; nothing outside is read, written, moved or removed."""
    outside = house.folder / "outside"
    outside.mkdir()
    secret = house.word()
    (outside / _DIARY).write_text(f"# Diary\n\nThe {secret} is private.\n")
    before = beside(house.folder)
    answers = [*_by_http(house, outside), *_by_cli(house, outside), *_by_facts(house)]
    after = beside(house.folder)
    assert secret not in "".join(answers), "a file outside was read"
    assert after == before, f"outside of the workspace changed: {after ^ before}"
    house.lift()
    return f"{len(answers)} attempts"


def _by_http(house: House, outside: Path) -> Iterator[str]:
    for path in _OUTWARD:
        target = path.format(outside=str(outside).strip("/"))
        for method in _METHODS:
            body: dict[str, object] = {"content": "Planted.\n"}
            if method == "POST":
                body = {"op": "move", "to": "../outside/moved.md"}
            yield _raw(house.daemon.socket, method, f"/v1/files/{target}", body)
        yield _raw(house.daemon.socket, "GET", f"/v1/tree?directory={target}", {})
        yield _raw(house.daemon.socket, "GET", f"/v1/daily/{target}", {})
        yield _raw(house.daemon.socket, "GET", f"/v1/entities/{target}", {})
        yield _raw(house.daemon.socket, "PUT", f"/v1/sessions/{target}/working", {"content": "x"})


def _by_cli(house: House, outside: Path) -> Iterator[str]:
    for arguments in (
        ("read", "../outside/diary.md"), ("read", str(outside / _DIARY)), ("tree", "../outside"),
        ("move", "MEMORY.md", "../outside/moved.md"), ("delete", "../outside/diary.md"),
        ("append", "../outside/diary.md", "Planted."), ("day", "../../outside/diary"),
    ):  # fmt: skip
        said = house.daemon.cli(*arguments)
        assert said.returncode != 0, f"hippod {' '.join(arguments)} succeeded"
        yield said.stdout + said.stderr


def _by_facts(house: House) -> Iterator[str]:
    """Name entities and sessions like paths; pages are named after entities."""
    facts = [f"W @../../outside/{name}: The gate is open {n}." for n, name in enumerate("abc")]
    facts += ["W @..: Two dots.", "W @/etc/passwd: A path.", "W @a/../../../outside/x: A path."]
    for fact in facts:
        yield json.dumps(_tried(house, fact))
    house.attempt(house.client.reflect)


def _tried(house: House, fact: str) -> object:
    accepted = house.attempt(
        lambda: house.client.retain(facts=[fact], session="../../../outside/session")
    )
    return [fact, accepted]


def _raw(at: Path, method: str, target: str, body: dict[str, object]) -> str:
    """Send a request exactly as written, and return all that comes back."""
    content = json.dumps(body).encode()
    head = (
        f"{method} {target} HTTP/1.0\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    )
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(str(at))
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(head.encode() + content)
        pieces = []
        with contextlib.suppress(ConnectionResetError):
            while piece := connection.recv(1 << 16):
                pieces.append(piece)
    return b"".join(pieces).decode(errors="replace")


def beside(folder: Path) -> set[tuple[str, bytes]]:
    """Return every file beside the workspace with its bytes, but for the daemon's log."""
    return {
        (str(path.relative_to(folder)), path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
        and not path.is_relative_to(folder / "workspace")
        and path.name != "daemon.log"
    }


FAULTS = (Fault("path traversal through every door", every_door),)
