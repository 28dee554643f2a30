"""The HTTP route of events: a stream of server-sent events, or a list."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any

import structlog
from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI, Header, Query, Response
from fastapi.sse import format_sse_event
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from hippod import wire_events
from hippod.errors import Busy, HippodError
from hippod.service import Memory
from hippod.state.events import PAGE, Event

logger = structlog.get_logger()

MAX_STREAMS = 64
"""Half of the connections that may be open at once."""
KEEP_ALIVE_SECONDS = 60
STALE_SECONDS = 1.0
"""How old what was read may be when it is sent."""
READERS = 2
"""Threads in which all streams together read."""

_GREETING = format_sse_event(comment="hippod")
_KEEP_ALIVE = format_sse_event(comment="still here")
_AS_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A stream, each event with its `id`, its type and one line of JSON; with"
        " `follow=false` a list.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}

LastEventId = Annotated[
    wire_events.EventId | None,
    Header(description="The last event that was seen; goes before `after`."),
]


def routes(app: FastAPI, memory: Memory) -> None:
    """Add it to the application."""
    streams = _Streams(memory)

    @app.get("/v1/events", response_model=wire_events.EventList, responses=_AS_STREAM)
    async def events(
        request: Annotated[wire_events.EventsRequest, Query()],
        last_event_id: LastEventId = None,
    ) -> Response:
        """Follow what happens, from an event on or from now, or list what happened last."""
        if last_event_id is not None:
            request = request.model_copy(update={"after": last_event_id})
        if request.follow:
            return await streams.open(request)
        listed = await to_thread.run_sync(memory.events_since, request)
        return Response(listed.model_dump_json(), media_type="application/json")


class _Streams:
    """The streams that are open. Between events none of them holds a thread."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._readers = CapacityLimiter(READERS)
        self._open = 0

    async def open(self, request: wire_events.EventsRequest) -> Response:
        """Return the answer to one who follows; raises `Busy` if too many do."""
        if request.after is None:
            _, newest = await to_thread.run_sync(self._memory.events.bounds, limiter=self._readers)
            request = request.model_copy(update={"after": newest})
        if self._open >= MAX_STREAMS:
            raise Busy(
                f"{MAX_STREAMS} clients follow the events already",
                "close some, or ask with follow=false",
            )
        self._open += 1  # with nothing to wait for since we looked: many may come at once
        following = self._following(request.model_copy(update={"limit": PAGE}))
        return _EventStream(following, self._ended)

    def _ended(self) -> None:
        self._open -= 1

    async def _following(self, request: wire_events.EventsRequest) -> AsyncIterator[bytes]:
        """Yield what is kept behind an event, then what comes, until the daemon stops.

        Each page is read when the client took the one before: a slow one costs nothing else. What
        of a page it did not take soon is read again: some of it may be forgotten by then.
        """
        events, rung, after = self._memory.events, _Bell(), request.after
        with events.subscribed(rung.ring):
            yield _GREETING
            while True:
                rung.clear()
                page = await self._read(request.model_copy(update={"after": after}))
                read = time.monotonic()
                for event in page.events:
                    if time.monotonic() - read > STALE_SECONDS:
                        break
                    yield _encoded(event)
                    after = event.id
                else:
                    after = page.last
                    if page.more:
                        continue
                    if events.closed:
                        return
                    if not await rung.within(KEEP_ALIVE_SECONDS):
                        yield _KEEP_ALIVE

    async def _read(self, request: wire_events.EventsRequest) -> wire_events.EventList:
        return await to_thread.run_sync(self._memory.events_since, request, limiter=self._readers)


class _Bell:
    """Wakes a stream, from any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._rung = asyncio.Event()

    def ring(self, _event: Event | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is gone: we are stopping
            self._loop.call_soon_threadsafe(self._rung.set)

    def clear(self) -> None:
        self._rung.clear()

    async def within(self, seconds: float) -> bool:
        """Wait until somebody rings, at most so long; say whether one did."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._rung.wait()
        return self._rung.is_set()


class _EventStream(StreamingResponse):
    """A stream that ends with its client, and quietly where the state cannot be read."""

    media_type = "text/event-stream"

    def __init__(self, content: AsyncIterator[bytes], ended: Callable[[], None]) -> None:
        super().__init__(content, headers={"cache-control": "no-store"})
        self._ended = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, and take note of the end even where the client left before the beginning."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._ended()

    async def stream_response(self, send: Send) -> None:
        """Send what comes; whatever ends it, the subscription ends at once."""
        async with contextlib.aclosing(self.body_iterator):  # type: ignore[type-var]
            try:
                await super().stream_response(send)
            except HippodError as error:  # the client comes back, and is told then
                logger.warning("events.stream_failed", reason=error.message, hint=error.hint)
                await send({"type": "http.response.body", "body": b"", "more_body": False})


def _encoded(event: wire_events.Event) -> bytes:
    return format_sse_event(data_str=event.model_dump_json(), event=event.type, id=str(event.id))
