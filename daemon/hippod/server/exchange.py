"""The HTTP routes of backup, export and import: streams that hold no more than a piece of it."""

import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Annotated, Any

import structlog
from anyio import CancelScope, CapacityLimiter, to_thread
from fastapi import FastAPI, Query, Response
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from hippod import wire, wire_exchange
from hippod.errors import HippodError
from hippod.server.patience import BODY_ONLY, Patiently
from hippod.service import Memory

logger = structlog.get_logger()

READERS = 2
"""Threads in which streams read."""


def _as_bytes(media: str, meaning: str) -> dict[int | str, dict[str, Any]]:
    content = {media: {"schema": {"type": "string", "format": "binary"}}}
    return {200: {"description": meaning, "content": content}}


_TAR = _as_bytes("application/x-tar", "A tar whose last member is a manifest of the others.")
_LINES = _as_bytes("application/x-ndjson", "One JSON object a line, the last of type `end`.")


class _Streamed(StreamingResponse):
    """An answer that is made in threads while it is sent; `ended` is called whatever happens."""

    def __init__(
        self,
        pieces: Iterator[bytes],
        media: str,
        limiter: CapacityLimiter,
        ended: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(_each(pieces, limiter), headers={"cache-control": "no-store"})
        self.media_type = media
        self.headers["content-type"] = media
        self._ended = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, and let go of everything even where the client left before the beginning."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            with CancelScope(shield=True):
                await to_thread.run_sync(self._ended)

    async def stream_response(self, send: Send) -> None:
        """Send what comes; what breaks it off leaves it without its end."""
        async with contextlib.aclosing(self.body_iterator):  # type: ignore[type-var]
            try:
                await super().stream_response(send)
            except HippodError as error:
                logger.warning("stream.failed", reason=error.message, hint=error.hint)
                raise


async def _each(pieces: Iterator[bytes], limiter: CapacityLimiter) -> AsyncIterator[bytes]:
    while (piece := await to_thread.run_sync(next, pieces, None, limiter=limiter)) is not None:
        yield piece


def routes(app: FastAPI, memory: Memory, patiently: Patiently) -> None:
    """Add them to the application; `patiently` runs what waits for work in threads of its own."""
    limiter = CapacityLimiter(READERS)

    @app.get("/v1/backup", response_class=Response, responses=_TAR)
    async def backup(request: Annotated[wire.Request, Query()]) -> Response:
        """Return the workspace's files and a consistent copy of its state."""
        made = await patiently(lambda: memory.backup(request.scope))

        def ended() -> None:
            made.close()
            if made.files is not None:
                logger.info("backup.sent", files=made.files, left_out=made.left_out)

        return _Streamed(iter(made), "application/x-tar", limiter, ended)

    @app.get("/v1/export", response_class=Response, responses=_LINES)
    async def export(request: Annotated[wire_exchange.ExportRequest, Query()]) -> Response:
        """Return facts, opinions and entities, with where they come from."""
        lines = await patiently(lambda: memory.export(request))
        return _Streamed(lines, "application/x-ndjson", limiter)

    @app.post("/v1/import", dependencies=BODY_ONLY)
    async def import_(request: wire_exchange.ImportAction) -> wire_exchange.Imported:
        """Add what is missing of an export, or take an import back."""
        return await patiently(lambda: memory.import_(request))
