"""The asynchronous client of a running daemon: the verbs of `hippod.client` as coroutines."""

import asyncio
import contextlib
import os
import socket
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Generator, Iterable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from hippod import client, errors
from hippod.event_stream import Chunks, Payloads, read_object
from hippod.plain_http import answer_body, answer_head, nonsense, whole_answer
from hippod.verbs import VERBS, Request, Verbs, named_after

P = ParamSpec("P")
T = TypeVar("T")

MOST_AT_ONCE = 64
"""Calls that one event loop has in flight; further ones wait: a daemon takes 128 connections."""


def _verb(
    build: Callable[Concatenate[Verbs, P], Request[T]],
) -> Callable[Concatenate["AsyncClient", P], Coroutine[None, None, T]]:
    async def ask(self: "AsyncClient", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._answer(build(VERBS, *args, **kwargs))

    named_after(ask, build)
    return ask


class AsyncClient(client.Endpoint):
    """The verbs of the daemon behind a socket as coroutines, which return the wire object.

    For asyncio. Takes what `hippod.Client` takes and raises what it raises. Each call has a
    connection of its own; one that is cancelled closes it. Any number may be made at once: 64 of
    an event loop are in flight, and the others wait for their turn, which counts for no timeout.
    A client belongs to no event loop.
    """

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Do nothing: every call has a connection of its own, closed when it returns."""

    recall = _verb(Verbs.recall)
    search = recall
    retain = _verb(Verbs.retain)

    read = _verb(Verbs.read)
    write = _verb(Verbs.write)
    append = _verb(Verbs.append)
    replace = _verb(Verbs.replace)
    insert = _verb(Verbs.insert)
    move = _verb(Verbs.move)
    delete = _verb(Verbs.delete)
    tree = _verb(Verbs.tree)
    list = tree

    today_log = _verb(Verbs.today_log)
    daily_log = _verb(Verbs.daily_log)
    append_daily_log = _verb(Verbs.append_daily_log)

    context = _verb(Verbs.context)
    system_prompt = _verb(Verbs.system_prompt)
    get_working = _verb(Verbs.get_working)
    set_working = _verb(Verbs.set_working)
    append_working = _verb(Verbs.append_working)
    clear_working = _verb(Verbs.clear_working)

    why = _verb(Verbs.why)
    log = _verb(Verbs.log)
    logged = _verb(Verbs.logged)
    undo = _verb(Verbs.undo)

    entities = _verb(Verbs.entities)
    entity = _verb(Verbs.entity)
    merge_entities = _verb(Verbs.merge_entities)
    split_entity = _verb(Verbs.split_entity)
    rename_entity = _verb(Verbs.rename_entity)
    adopt_entity = _verb(Verbs.adopt_entity)
    reflect = _verb(Verbs.reflect)
    hygiene = _verb(Verbs.hygiene)
    forget = _verb(Verbs.forget)
    opinions = _verb(Verbs.opinions)
    opinion = _verb(Verbs.opinion)
    recompute_opinions = _verb(Verbs.recompute_opinions)
    proposals = _verb(Verbs.proposals)
    proposal = _verb(Verbs.proposal)
    accept_proposal = _verb(Verbs.accept_proposal)
    reject_proposal = _verb(Verbs.reject_proposal)

    status = _verb(Verbs.status)
    metrics = _verb(Verbs.metrics)
    doctor = _verb(Verbs.doctor)
    health = _verb(Verbs.health)
    jobs = _verb(Verbs.jobs)
    run_job = _verb(Verbs.run_job)
    heartbeat = _verb(Verbs.heartbeat)
    heartbeat_history = _verb(Verbs.heartbeat_history)
    pause_job = _verb(Verbs.pause_job)
    resume_job = _verb(Verbs.resume_job)
    reindex = _verb(Verbs.reindex)
    import_ = _verb(Verbs.import_)
    undo_import = _verb(Verbs.undo_import)
    config_show = _verb(Verbs.config_show)
    reload_config = _verb(Verbs.reload_config)

    async def events(
        self,
        *,
        after: int | None = None,
        types: Iterable[str] = (),
        follow: bool = True,
        limit: int | None = None,
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Yield what happens from now on, first what came behind the event `after`.

        As `Client.events`: raises `DaemonDown` when the daemon stops, to go on with the last id.
        Who leaves before the end closes the connection at once by `contextlib.aclosing`.
        """
        request = VERBS.events(after=after, types=types, follow=follow, limit=limit)
        if not follow:
            for event in (await self._answer(request))["events"]:
                yield event
            return
        stream = Payloads()
        async with contextlib.aclosing(self._contents(request)) as contents:
            async for piece in contents:
                for event in _events(stream, piece):
                    yield event
        raise self._stopped()

    async def backup(
        self,
        path: str | os.PathLike[str],
        *,
        force: bool = False,
        heard: Callable[[int], None] = lambda count: None,
    ) -> dict[str, Any]:
        """Write a backup of the workspace and its state to a file; return what is in it.

        As `Client.backup`, in a thread, which also calls `heard`. Cancelled, it leaves no file.
        """
        left = threading.Event()

        def told(count: int) -> None:
            if left.is_set():
                raise errors.HippodError("the backup was broken off", "make it again")
            heard(count)

        try:
            return await asyncio.to_thread(self._blocking().backup, path, force=force, heard=told)
        except asyncio.CancelledError:
            left.set()
            raise

    async def export(
        self, *, since: str | None = None, types: Iterable[str] = ()
    ) -> AsyncGenerator[str, None]:
        """Yield facts, opinions and entities as lines of JSON, the first and last about them."""
        lines = client.ExportedLines()
        request = VERBS.export(since=since, types=types)
        async with contextlib.aclosing(self._contents(request)) as contents:
            async for piece in contents:
                for line in lines.take(piece):
                    yield line
        lines.end()

    # ----------------------------------------------------------------------------------------

    def _blocking(self) -> client.Client:
        """Return a client of the same daemon that blocks."""
        other = client.Client.__new__(client.Client)
        vars(other).update(vars(self))
        return other

    async def _answer(self, request: Request[T]) -> T:
        sent, seconds = self._bytes(request), self._patience(request)
        try:
            async with _turn(), asyncio.timeout(seconds):
                connection = await self._dial()
                with connection:
                    await _send_all(connection, sent)
                    status, headers, content = await _received(whole_answer(), connection)
        except TimeoutError:
            raise self._silent(seconds) from None
        return self._read(request, status, headers, content)

    async def _contents(self, request: Request[Any]) -> AsyncGenerator[bytes, None]:
        """Ask for a stream, and yield what comes of it."""
        connection, headers, begun = await self._opened(request)
        with connection:
            pieces = self._pieces(connection, begun)
            async with contextlib.aclosing(pieces):
                if "transfer-encoding" not in headers:
                    async for piece in pieces:
                        yield piece
                    return
                chunks = Chunks()
                async for piece in pieces:
                    yield _unchunked(chunks, piece)
                    if chunks.ended:
                        return

    async def _opened(self, request: Request[Any]) -> tuple[socket.socket, dict[str, str], bytes]:
        """Return the connection of a stream, with the headers and what came behind them."""
        sent, seconds = self._bytes(request), self._patience(request)
        with contextlib.ExitStack() as on_failure:
            try:
                async with asyncio.timeout(seconds):
                    connection = on_failure.enter_context(await self._dial())
                    await _send_all(connection, sent)
                    status, headers, begun = await _received(answer_head(), connection)
                    if status != 200:
                        content = await _received(answer_body(headers, begun), connection)
                        self._read(request, status, headers, content)
            except TimeoutError:
                raise self._silent(seconds) from None
            on_failure.pop_all()
        self._note(headers)
        return connection, headers, begun

    async def _pieces(self, connection: socket.socket, begun: bytes) -> AsyncGenerator[bytes, None]:
        """Yield what comes until the other end closes; each may take `SILENCE_TIMEOUT`."""
        yield begun
        while True:
            try:
                async with asyncio.timeout(client.SILENCE_TIMEOUT):
                    piece = await _piece(connection)
            except TimeoutError:
                raise self._silent(client.SILENCE_TIMEOUT) from None
            if not piece:
                return
            yield piece

    async def _dial(self) -> socket.socket:
        """Connect to the first place that answers."""
        for place in self._places:
            connection = _new_socket()
            try:
                await _connect(connection, place)
                self._check(connection, place)
            except BaseException as error:
                connection.close()
                if not client.is_nobody(error, place):
                    raise
            else:
                return connection
        raise self._down()


@dataclass(slots=True)
class _Turns:
    """Whose turn it is in one event loop, and how many calls want one."""

    free: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MOST_AT_ONCE))
    calls: int = 0


_turns: dict[asyncio.AbstractEventLoop, _Turns] = {}


@contextlib.asynccontextmanager
async def _turn() -> AsyncIterator[None]:
    """Wait until this event loop has room for one more call."""
    loop = asyncio.get_running_loop()
    turns = _turns.setdefault(loop, _Turns())
    turns.calls += 1
    try:
        async with turns.free:
            yield
    finally:
        turns.calls -= 1
        if not turns.calls:  # or loops would be kept for good
            _turns.pop(loop, None)


def _new_socket() -> socket.socket:
    return socket.socket(fileno=client.new_socket().detach())


async def _connect(connection: socket.socket, place: str) -> None:
    connection.setblocking(False)
    while True:
        try:
            return connection.connect(place)  # never waits; asyncio's own takes "full" for "yes"
        except BlockingIOError:  # the listener's queue is full at the moment
            await asyncio.sleep(0.02)


async def _send_all(connection: socket.socket, request: bytes) -> None:
    # A daemon that refuses a body early has already sent its answer.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        await asyncio.get_running_loop().sock_sendall(connection, request)


async def _received(reading: Generator[None, bytes, T], connection: socket.socket) -> T:
    """Give what comes to who reads, until that is all."""
    try:
        next(reading)
        while True:
            reading.send(await _piece(connection))
    except StopIteration as done:
        answer: T = done.value
        return answer


async def _piece(connection: socket.socket) -> bytes:
    try:
        return await asyncio.get_running_loop().sock_recv(connection, 65_536)
    except ConnectionResetError:
        return b""


def _unchunked(chunks: Chunks, piece: bytes) -> bytes:
    try:
        return chunks.take(piece)
    except ValueError:
        raise nonsense("no chunks") from None


def _events(stream: Payloads, piece: bytes) -> list[dict[str, Any]]:
    try:
        return [read_object(text) for text in stream.take(piece)]
    except ValueError:
        raise nonsense("no stream of events") from None
