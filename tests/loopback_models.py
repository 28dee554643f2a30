"""Scripted models on loopback that agents take for their provider's: three dialects, one script.

A script sees what the agent sent and nothing else, so what it answers came from there.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as the agent offered it; `space` is the group that some dialects put it into."""

    name: str
    space: str = ""


@dataclass(frozen=True, slots=True)
class Heard:
    """What a model reads in one request, whatever the dialect."""

    told: str
    """Every text of instructions and of the user, in order."""
    tools: tuple[Tool, ...]
    results: tuple[str, ...]
    """What the tools answered, in order."""

    def tool(self, name: str) -> Tool | None:
        """Return the tool of that name, with or without the agent's prefix for its server."""
        return next((tool for tool in self.tools if tool.name.endswith(name)), None)


@dataclass(frozen=True, slots=True)
class Say:
    """End the turn with a text."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """Ask the agent to run a tool."""

    tool: Tool
    arguments: Json


Script = Callable[[Heard], Say | Call]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one provider's requests are read and its streams are written."""

    path: str
    """The end of the path that asks for an answer."""
    read: Callable[[Json], Heard]
    write: Callable[[Say | Call, int], Iterator[tuple[str, Json]]]
    """The events of an answer with a number of its own: name (may be empty) and data."""


class LoopbackModel(ThreadingHTTPServer):
    """Answers every dialect's requests by one script and remembers them."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.heard: list[Heard] = []
        self.requests: list[Json] = []
        self.strays: list[str] = []
        """What was asked besides, also of a proxy that this is not: `CONNECT example.org:443`."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, heard: Heard) -> tuple[Say | Call, int]:
        """Return the script's answer and how many there were before."""
        self.heard.append(heard)
        return self.script(heard), len(self.heard)


@contextmanager
def loopback_model(script: Script) -> Iterator[LoopbackModel]:
    """Yield a model that answers by `script` on a free port."""
    with LoopbackModel(script) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: LoopbackModel

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = urlsplit(self.path).path
        dialect = next((each for each in DIALECTS if path.endswith(each.path)), None)
        with suppress(ConnectionError):
            if dialect is None:
                self._stray()
            else:
                self._answer(dialect, json.loads(body))

    def do_GET(self) -> None:
        with suppress(ConnectionError):
            self._stray()

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_CONNECT(self) -> None:
        self.do_GET()

    def log_message(self, *_args: object) -> None:
        """Stay silent."""

    def _stray(self) -> None:
        self.server.strays.append(f"{self.command} {self.path}")
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _answer(self, dialect: Dialect, body: Json) -> None:
        self.server.requests.append(body)
        answer, number = self.server.answer(dialect.read(body))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for name, data in dialect.write(answer, number):
            line = f"event: {name}\n" if name else ""
            self.wfile.write(f"{line}data: {json.dumps(data)}\n\n".encode())


# --- Anthropic messages ---


def _read_messages(body: Json) -> Heard:
    told, results = [_text(body.get("system", ""))], []
    for message in body["messages"]:
        for part in _parts(message["content"]):
            if part["type"] == "tool_result":
                results.append(_text(part.get("content", "")))
            elif message["role"] != "assistant":
                told.append(part.get("text", ""))
    tools = tuple(Tool(tool["name"]) for tool in body.get("tools", []))
    return Heard("\n".join(told), tools, tuple(results))


def _write_messages(answer: Say | Call, number: int) -> Iterator[tuple[str, Json]]:
    block, delta, stop = _messages_block(answer, number)
    usage = {"input_tokens": 7, "output_tokens": 3}
    message = {
        "id": f"msg_{number:04}", "type": "message", "role": "assistant", "model": "scripted",
        "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    yield _named("message_start", message=message)
    yield _named("content_block_start", index=0, content_block=block)
    yield _named("content_block_delta", index=0, delta=delta)
    yield _named("content_block_stop", index=0)
    ended = {"stop_reason": stop, "stop_sequence": None}
    yield _named("message_delta", delta=ended, usage={"output_tokens": 3})
    yield _named("message_stop")


def _messages_block(answer: Say | Call, number: int) -> tuple[Json, Json, str]:
    if isinstance(answer, Say):
        delta = {"type": "text_delta", "text": answer.text}
        return {"type": "text", "text": ""}, delta, "end_turn"
    block = {"type": "tool_use", "id": f"toolu_{number:04}", "name": answer.tool.name, "input": {}}
    delta = {"type": "input_json_delta", "partial_json": json.dumps(answer.arguments)}
    return block, delta, "tool_use"


# --- OpenAI responses ---


def _read_responses(body: Json) -> Heard:
    told, results = [body.get("instructions") or ""], []
    for item in _parts(body["input"]):
        if item["type"].endswith("_call_output"):
            results.append(_text(item["output"]))
        elif item["type"] == "message" and item["role"] != "assistant":
            told.append(_text(item["content"]))
    return Heard("\n".join(told), tuple(_responses_tools(body)), tuple(results))


def _responses_tools(body: Json) -> Iterator[Tool]:
    for tool in body.get("tools", []):
        if tool["type"] == "namespace":
            yield from (Tool(each["name"], tool["name"]) for each in tool["tools"])
        elif "name" in tool:
            yield Tool(tool["name"])


def _write_responses(answer: Say | Call, number: int) -> Iterator[tuple[str, Json]]:
    response: Json = {"id": f"resp_{number:04}", "object": "response", "output": []}
    item = _responses_item(answer, number)
    yield _named("response.created", response={**response, "status": "in_progress"})
    yield _named("response.output_item.added", output_index=0, item=item)
    if isinstance(answer, Say):
        place = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        yield _named("response.output_text.delta", **place, delta=answer.text)
    yield _named("response.output_item.done", output_index=0, item=item)
    usage = {
        "input_tokens": 7, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 3,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 10,
    }  # fmt: skip
    done = {**response, "status": "completed", "output": [item], "usage": usage}
    yield _named("response.completed", response=done)


def _responses_item(answer: Say | Call, number: int) -> Json:
    if isinstance(answer, Say):
        content = {"type": "output_text", "text": answer.text, "annotations": []}
        made = {"type": "message", "role": "assistant", "content": [content]}
        return {"id": f"msg_{number:04}", "status": "completed", **made}
    called = {
        "type": "function_call", "id": f"fc_{number:04}", "call_id": f"call_{number:04}",
        "name": answer.tool.name, "arguments": json.dumps(answer.arguments),
        "status": "completed",
    }  # fmt: skip
    return called | ({"namespace": answer.tool.space} if answer.tool.space else {})


# --- Gemini ---


def _read_gemini(body: Json) -> Heard:
    told, results = [_gemini_text(body.get("systemInstruction", {}))], []
    for content in body["contents"]:
        for part in content["parts"]:
            if "functionResponse" in part:
                results.append(_strings(part["functionResponse"]["response"]))
        if content.get("role") != "model":
            told.append(_gemini_text(content))
    declared = [
        each for group in body.get("tools", []) for each in group.get("functionDeclarations", [])
    ]
    return Heard("\n".join(told), tuple(Tool(each["name"]) for each in declared), tuple(results))


def _gemini_text(content: Json) -> str:
    return "\n".join(part.get("text", "") for part in content.get("parts", []))


def _strings(value: object) -> str:
    """Return every text within, however deep: an agent wraps what a tool said in its own way."""
    if isinstance(value, Mapping):
        value = list(value.values())
    return "\n".join(map(_strings, value)) if isinstance(value, list) else str(value)


def _write_gemini(answer: Say | Call, number: int) -> Iterator[tuple[str, Json]]:
    part: Json
    if isinstance(answer, Say):
        part = {"text": answer.text}
    else:
        called = {"name": answer.tool.name, "args": answer.arguments}
        part = {"functionCall": {"id": f"call_{number:04}", **called}}
    candidate = {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
    usage = {"promptTokenCount": 7, "candidatesTokenCount": 3, "totalTokenCount": 10}
    yield "", {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}


DIALECTS = (
    Dialect("/messages", _read_messages, _write_messages),
    Dialect("/responses", _read_responses, _write_responses),
    Dialect(":streamGenerateContent", _read_gemini, _write_gemini),
)


def _named(name: str, **data: object) -> tuple[str, Json]:
    return name, {"type": name, **data}


def _parts(content: str | list[Json]) -> list[Json]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _text(content: str | list[Json] | None) -> str:
    return "\n".join(str(part.get("text", "")) for part in _parts(content or ""))
