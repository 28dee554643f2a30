"""HTTP/1.0 as the clients speak it: the bytes of a request, and an answer out of its pieces. Pure.

Who reads an answer is a generator: it is sent each piece that came, b"" where the other end
closed, and returns what it read. So the same reading serves sockets that block and those that
do not. Cheap to import: the command line waits for it.
"""

from __future__ import annotations

import json

from hippod import __version__, errors
from hippod.verbs import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from typing import Any, TypeAlias, TypeVar

    T = TypeVar("T")
    Reading: TypeAlias = Generator[None, bytes, T]

MAX_ANSWER = 64_000_000
"""Bytes of an answer that are read."""
MAX_HEAD = 64_000
_MOST_DIGITS = 18
"""Of a size; Python refuses to read a number of thousands of them."""


def request_bytes(
    method: str,
    target: str,
    body: bytes,
    workspace: str,
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """Return what is sent; a daemon of another workspace than is named refuses it."""
    head = [f"{method} {target} HTTP/1.0", "Host: hippod", f"User-Agent: hippod/{__version__}"]
    head += [f"{name}: {value}" for name, value in (headers or {}).items()]
    if workspace:
        head += [f"Hippod-Workspace: {quote(workspace)}"]
    if body:
        head += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*head, "", ""]).encode("ascii") + body


def whole_answer() -> Reading[tuple[int, dict[str, str], bytes]]:
    """Read status, headers and body."""
    status, headers, begun = yield from answer_head()
    body = yield from answer_body(headers, begun)
    return status, headers, body


def answer_head() -> Reading[tuple[int, dict[str, str], bytes]]:
    """Read status and headers, and return with them what came of the body already."""
    data = bytearray()
    while b"\r\n\r\n" not in data:
        piece = yield
        if not piece and not data:
            raise errors.HippodError(
                "the daemon closed the connection without an answer",
                "it may be stopping, or run as another user: look at its log",
            )
        if not piece or len(data) > MAX_HEAD:
            raise nonsense("no complete HTTP head")
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    return *_head(bytes(head)), bytes(body)


def answer_body(headers: Mapping[str, str], begun: bytes) -> Reading[bytes]:
    """Read a body of the size that the headers declare."""
    size = _size(headers)
    body = bytearray(begun)
    while len(body) < size:
        piece = yield
        if not piece:
            raise errors.HippodError(
                f"the answer broke off after {len(body)} of {size} bytes",
                "the daemon may have stopped: try again",
            )
        body += piece
    return bytes(body[:size])


def result(status: int, content: bytes) -> dict[str, Any]:
    """Return the object that was answered, or raise the error that was."""
    try:
        answer = json.loads(content, parse_constant=_no_constant) if content else {}
    except (ValueError, RecursionError):
        raise nonsense(f"status {status}, not JSON") from None
    if not isinstance(answer, dict):
        raise nonsense(f"status {status}, JSON but not an object")
    if 200 <= status < 300:
        return answer
    failure = answer.get("error")
    if not isinstance(failure, dict):
        raise nonsense(f"status {status} without an error")
    raise errors.from_wire({str(key): str(value) for key, value in failure.items()})


def nonsense(what: str) -> errors.HippodError:
    """Return the error for what no hippod daemon answers."""
    return errors.HippodError(
        f"the answer is not one of a hippod daemon ({what})",
        "is something else listening at the socket?",
    )


def _head(head: bytes) -> tuple[int, dict[str, str]]:
    first, *lines = head.decode("latin-1").split("\r\n")
    version, _, rest = first.partition(" ")
    code = rest[:3]
    if not version.startswith("HTTP/1.") or not (code.isascii() and code.isdigit()):
        raise nonsense("not HTTP")
    pairs = (line.partition(":") for line in lines)
    return int(code), {name.strip().lower(): value.strip() for name, _, value in pairs}


def _size(headers: Mapping[str, str]) -> int:
    declared = headers.get("content-length", "")
    if "transfer-encoding" in headers or not (declared.isascii() and declared.isdigit()):
        raise nonsense("no Content-Length")
    if len(declared) > _MOST_DIGITS:
        raise nonsense(f"a Content-Length of {len(declared)} digits")
    size = int(declared)
    if size > MAX_ANSWER:
        raise errors.HippodError(
            f"the answer has {size} bytes, over the limit of {MAX_ANSWER}", "ask for less"
        )
    return size


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
