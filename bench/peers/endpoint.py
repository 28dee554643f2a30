"""An OpenAI-compatible embeddings endpoint with hippod's own embedder, on this machine only.

    python -m bench.peers.endpoint

Prints its port. So tools that know no local embedder without a download run offline, too.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from hippod.models import Embedder
from hippod.models.wordllama import WordLlamaEmbedder


@contextmanager
def serving() -> Iterator[str]:
    """Yield the base URL of an endpoint that runs in a thread."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(WordLlamaEmbedder()))
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(embedder: Embedder) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            body = json.dumps(_answer(embedder, request["input"])).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


def _answer(embedder: Embedder, given: str | list[str]) -> dict[str, Any]:
    texts = [given] if isinstance(given, str) else given
    rows = embedder.embed_documents(texts)
    data = [
        {"object": "embedding", "index": index, "embedding": row.tolist()}
        for index, row in enumerate(rows)
    ]
    usage = {"prompt_tokens": 0, "total_tokens": 0}
    return {"object": "list", "model": embedder.model_id, "data": data, "usage": usage}
