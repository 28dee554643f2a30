"""One connection to the socket: who may open it, for how long, and how much it may say."""

import asyncio
import os
import socket
from http import HTTPStatus
from typing import Any, cast

import structlog
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from hippod import __version__
from hippod.errors import Busy, HippodError, InvalidInput, TooLarge
from hippod.server.answers import error_body
from hippod.server.socket import peer_uid

logger = structlog.get_logger()

MAX_CONNECTIONS = 128
"""Below the 256 descriptors that some systems give a process."""
MAX_HEAD_BYTES = 65_536
REQUEST_SECONDS = 30.0
"""How long a client may take from connecting to the last byte of its request."""

STALLED_SECONDS = 120.0
"""How long a client may take nothing of what it was sent; one that takes a little has longer."""
STUCK_SECONDS = 0.5
"""How long, when all ends, a client may leave unread what it was sent."""


class OwnersProtocol(HttpToolsProtocol):
    """uvicorn's HTTP protocol, for peers of our own user (or root), with limits of its own.

    A client that says nothing, or never ends its request, loses its connection after
    `REQUEST_SECONDS`, and earlier if others need the room; nobody else is affected. So does one
    that stops to take its answer, after `STALLED_SECONDS`.
    """

    most_connections = MAX_CONNECTIONS

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._in_head = True
        self._head_bytes = 0
        self._deadline: asyncio.TimerHandle | None = None
        self._waiting_since = 0.0
        self._untaken: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, if the peer may have one and there is room."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(0)  # so that we are told of the last byte as well
        connection = cast("socket.socket", transport.get_extra_info("socket"))
        if not self._may_come(connection):
            transport.abort()
        elif not self._has_room():
            self._refuse_for_room()
        else:
            self._await_request()

    def shutdown(self) -> None:
        """End when the answer that is under way is sent; who does not take it is not waited for."""
        super().shutdown()
        self.loop.call_later(STUCK_SECONDS, self._give_up_if_stuck)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._end_wait()
        self._taken()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Wait for the client, which does not take at once what it is sent."""
        super().pause_writing()
        self._await_taking()

    def resume_writing(self) -> None:
        """Take note that the client took all."""
        self._taken()
        super().resume_writing()

    def data_received(self, data: bytes) -> None:
        """Parse what came, and end the connection where a head grows without end."""
        super().data_received(data)
        if self._in_head and not self.transport.is_closing():
            self._head_bytes += len(data)
            if self._head_bytes > MAX_HEAD_BYTES:
                self._refuse(TooLarge(f"the request head is over {MAX_HEAD_BYTES} bytes"))

    def on_message_begin(self) -> None:
        """Give the client its time for a further request."""
        super().on_message_begin()
        self._in_head = True
        self._await_request()

    def on_headers_complete(self) -> None:
        """Start the request."""
        self._in_head, self._head_bytes = False, 0
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Take note that the client has said all."""
        self._end_wait()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request, as long as `timeout_keep_alive` allows."""
        self._waiting_since = self.loop.time()
        super().on_response_complete()

    def _unsupported_upgrade_warning(self) -> None:
        """Say nothing: the request is answered as one over HTTP."""

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP as every other error is answered."""
        self._refuse(InvalidInput(msg), HTTPStatus.BAD_REQUEST)

    def _refuse(self, error: HippodError, status: int | None = None) -> None:
        body = error_body(error)
        phrase = HTTPStatus(status or error.http_status)
        head = (
            f"HTTP/1.1 {phrase.value} {phrase.phrase}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nhippod-version: {__version__}\r\n"
            "connection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()

    # -- waiting -----------------------------------------------------------------------------

    def _may_come(self, connection: socket.socket) -> bool:
        return peer_uid(connection) in (os.geteuid(), 0)

    def _has_room(self) -> bool:
        """Say whether one more connection fits, after closing the one that waits longest."""
        everyone = cast("set[OwnersProtocol]", self.connections)
        others = [each for each in everyone - {self} if not each.transport.is_closing()]
        if len(others) < self.most_connections:
            return True
        waiting = [other for other in others if not other._is_served()]
        if not waiting:
            return False
        min(waiting, key=lambda other: other._waiting_since)._make_room()
        return True

    def _make_room(self) -> None:
        """End a connection that others need; one that has not been answered yet is told so."""
        if self.cycle is None:
            self._refuse_for_room()
        else:
            self.transport.abort()

    def _refuse_for_room(self) -> None:
        self._end_wait()
        self._refuse(
            Busy(
                f"the daemon has {self.most_connections} connections, which is all it takes",
                "try again, with fewer at once",
            ),
            HTTPStatus.SERVICE_UNAVAILABLE,
        )

    def _is_served(self) -> bool:
        """Say whether a complete request is being answered."""
        answering = self.cycle is not None and not self.cycle.response_complete
        return bool(self.pipeline) or (answering and not self.cycle.more_body)

    def _await_request(self) -> None:
        self._end_wait()
        self._waiting_since = self.loop.time()
        self._deadline = self.loop.call_later(REQUEST_SECONDS, self._give_up)

    def _end_wait(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _await_taking(self) -> None:
        left = self.transport.get_write_buffer_size()
        self._untaken = self.loop.call_later(STALLED_SECONDS, self._give_up_if_stalled, left)

    def _taken(self) -> None:
        if self._untaken is not None:
            self._untaken.cancel()
            self._untaken = None

    def _give_up_if_stalled(self, before: int) -> None:
        if self.transport.get_write_buffer_size() < before:
            self._await_taking()
            return
        logger.warning("stream.stalled", seconds=STALLED_SECONDS)
        self.transport.abort()

    def _give_up_if_stuck(self) -> None:
        if self.transport.get_write_buffer_size():
            self.transport.abort()

    def _give_up(self) -> None:
        if self._is_served():
            self._await_request()
        else:
            self.transport.abort()
