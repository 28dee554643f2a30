"""JSON-RPC messages as lines and as HTTP: cut out of a stream, given headers, refused. Pure.

Cheap to import: an agent waits for it.
"""

from __future__ import annotations

import binascii
import json
import re

from hippod.errors import HippodError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    Message = dict[str, Any]
    Id = str | int | None

MAX_LINE = 64_000_000
"""Bytes of a line that are taken; the daemon's own limit for a request is far lower."""
MAX_NAME = 8_000
"""Characters of a name: it goes as a header too, and a request's head has an end."""
PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS, SERVER_ERROR = -32700, -32600, -32602, -32000
_VERSION = "io.modelcontextprotocol/protocolVersion"
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Where the methods that the header `Mcp-Name` is for have what it says."""
_ON_THEIR_OWN = frozenset(
    {"initialize", "ping", "server/discover", "tools/list", "prompts/list",
     "resources/list", "resources/templates/list"}
)  # fmt: skip
"""Methods that ask little or nothing of memory."""
_PLAIN = frozenset(map(chr, range(0x20, 0x7F)))
_ESCAPES = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_ON_ONE_LINE = str.maketrans(
    {"\r": " ", "\n": " ", "\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)
"""Breaks between values, and within texts what some readers of lines take for a break."""


class Lines:
    """The lines of a stream that comes in pieces; one that is too long comes as None."""

    def __init__(self, limit: int = MAX_LINE) -> None:
        self._limit = limit
        self._begun = bytearray()
        self._is_too_long = False

    def take(self, piece: bytes) -> Iterator[bytes | None]:
        """Yield each line that is whole now and holds anything."""
        *whole, rest = piece.split(b"\n")
        for end in whole:
            self._grow(end)
            yield from self.rest()
        self._grow(rest)

    def rest(self) -> Iterator[bytes | None]:
        """Yield what has begun, as if it were whole."""
        line = bytes(self._begun).removeprefix(b"\xef\xbb\xbf").strip()
        is_too_long = self._is_too_long
        self._begun, self._is_too_long = bytearray(), False
        if is_too_long:
            yield None
        elif line:
            yield line

    def _grow(self, part: bytes) -> None:
        if len(self._begun) + len(part) > self._limit:
            self._begun, self._is_too_long = bytearray(), True
        elif not self._is_too_long:
            self._begun += part


def key(id_: object) -> str:
    """Return a text that is the same for the same id only: 1 and "1" are two."""
    return json.dumps(id_)


def read(line: bytes) -> Any:
    """Return what a line says; raises `ValueError` and `RecursionError` for what is no JSON."""
    return json.loads(line, parse_constant=_no_number)


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def whole(body: bytes) -> bytes:
    """Return JSON with U+FFFD in place of each half of a surrogate pair, which no text can hold."""
    if b"\\ud" not in body and b"\\uD" not in body:
        return body
    return _ESCAPES.sub(lambda each: rb"\ufffd" if each[1] else each[0], body)


def on_one_line(text: str) -> str:
    """Return JSON as one line, by whatever a reader knows the end of a line; it says the same."""
    return text.translate(_ON_ONE_LINE)


def too_long(message: Message) -> str:
    """Return the name of a field that is too long to be a name of anything; empty: none is."""
    params = message.get("params")
    field = _NAMED_BY.get(message["method"], "")
    name = params.get(field) if isinstance(params, dict) else None
    if len(message["method"]) > MAX_NAME:
        return "method"
    return field if isinstance(name, str) and len(name) > MAX_NAME else ""


def is_quick(method: str) -> bool:
    """Say whether what a method asks for can be answered without memory, if need be."""
    return method in _ON_THEIR_OWN


def headers(message: Message, negotiated: str) -> dict[str, str]:
    """Return the headers that go with a request; `negotiated` is what a handshake came to."""
    method, params = message["method"], message.get("params")
    fields = params if isinstance(params, dict) else {}
    meta = fields.get("_meta")
    version = meta.get(_VERSION) if isinstance(meta, dict) else None
    if not isinstance(version, str) or len(version) > MAX_NAME:
        version = "" if method == "initialize" else negotiated
    name = fields.get(_NAMED_BY.get(method, ""))
    told = {
        "Mcp-Protocol-Version": version,
        "Mcp-Method": method,
        "Mcp-Name": name if isinstance(name, str) else "",
    }
    return {header: header_value(value) for header, value in told.items() if value}


def header_value(text: str) -> str:
    """Return a text as a header can hold it, of whatever it consists; as MCP lays down."""
    wrapped = text.startswith("=?base64?") and text.endswith("?=")
    if _PLAIN.issuperset(text) and text == text.strip() and not wrapped:
        return text
    coded = binascii.b2a_base64(text.encode("utf-8", "surrogatepass"), newline=False)
    return f"=?base64?{coded.decode('ascii')}?="


def refusal(id_: Id, code: int, message: str, data: Mapping[str, str] | None = None) -> str:
    """Return an error as the answer to a request."""
    error: Message = {"code": code, "message": message}
    if data:
        error["data"] = dict(data)
    return json.dumps({"jsonrpc": "2.0", "id": id_, "error": error}, allow_nan=False)


def failed(id_: Id, error: HippodError) -> str:
    """Return one of our own errors as the answer to a request."""
    said = f"{error.message}; {error.hint}" if error.hint else error.message
    return refusal(id_, SERVER_ERROR, said, error.wire())


def of_answer(status: int, answered: Mapping[str, str], pieces: Iterable[bytes]) -> Iterator[str]:
    """Yield the messages that the body of an HTTP answer holds, as it comes, each on one line.

    Raises `HippodError` for what the daemon refused, and `ValueError` for what it never says.
    """
    if answered.get("content-type", "").startswith("text/event-stream"):
        from hippod.event_stream import payloads

        for text in payloads(pieces):
            yield on_one_line(text)
        return
    body = b"".join(pieces)
    answer = json.loads(body) if body else None
    if isinstance(answer, dict) and "jsonrpc" in answer:
        yield on_one_line(body.decode())
    elif status >= 400:
        from hippod.plain_http import result

        result(status, body)


def ending(text: str, id_: Id) -> tuple[str, Message] | None:
    """Return the response to the request `id_` that a text is, and what it says.

    None: it is a notification. An error without id is a response too: whoever could not read the
    request does not know its id. Raises `ValueError` for what is no message.
    """
    message = json.loads(text)
    if not isinstance(message, dict) or "jsonrpc" not in message:
        raise ValueError("no message")
    if "method" in message:
        return None
    if message.get("id") is None:
        message["id"] = id_
        text = json.dumps(message, allow_nan=False)
    return text, message
