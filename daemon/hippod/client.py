"""The synchronous client of a running daemon: one method per verb, over the Unix socket.

Raw HTTP/1.0 and json on purpose: `http.client` alone costs more than all the rest of a command
(email.parser and ssl, 26 ms), httpx 100 ms. Nothing beyond the cheap standard library here.
"""

from __future__ import annotations

import _socket as socket  # `socket` itself adds selectors and enum, 4 ms, and nothing used here
import os
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping

from hippod import errors, paths
from hippod.plain_http import (
    answer_body,
    answer_head,
    nonsense,
    request_bytes,
    result,
    whole_answer,
)
from hippod.verbs import VERBS, Verbs, named_after
from hippod.verbs import quote as quote

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing.TYPE_CHECKING without the 8 ms of importing typing
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Any, Concatenate, ParamSpec, Self, TypeVar

    from hippod.plain_http import Reading
    from hippod.scope import Scope
    from hippod.verbs import Request

    P = ParamSpec("P")
    T = TypeVar("T")

READ_TIMEOUT = 10.0
"""Seconds for a verb that answers from what is there."""
WORK_TIMEOUT = 600.0
"""Seconds for a verb that waits for work: a job, a reindex, an extraction."""
SILENCE_TIMEOUT = 150.0
"""Seconds without a sign of life, of which a stream of events has one a minute."""
SCOPES = ("main", "group")
OLDER = "older"
"""The version of a daemon that does not name its own."""


class Endpoint:
    """Where a daemon is dialled, for which scope, and how long its answers may take.

    Without `socket_path` the socket is found from `workspace` and `config` as the command line
    finds it. A daemon of another workspace than these name refuses every call. `timeout`
    (seconds) holds for every call; None: 10 s, and 10 minutes for calls that wait for work.
    """

    def __init__(
        self,
        socket_path: str | os.PathLike[str] | None = None,
        *,
        workspace: str | os.PathLike[str] | None = None,
        config: str | os.PathLike[str] | None = None,
        scope: Scope = "main",
        timeout: float | None = None,
    ) -> None:
        if scope not in SCOPES:
            raise errors.InvalidInput(f"scope: {scope!r} is neither main nor group")
        if timeout is not None and not _is_some_time(timeout):
            raise errors.InvalidInput(f"timeout: {timeout!r} is not between 0 and 86400 seconds")
        self.scope: Scope = scope
        self.timeout = timeout
        self.daemon_version: str | None = None
        """The version that the last answer named; None before there was one."""
        self._start_with = "hippod run"
        self._trusted = socket_path is not None
        self._meant = ""
        """The workspace that was named, if one was."""
        if socket_path is not None:
            self._places: tuple[str, ...] = (os.fspath(socket_path),)
            if workspace or config:
                self._meant = os.path.realpath(self._root(workspace, config))
        else:
            self._places = self._find(workspace, config)

    @property
    def socket_path(self) -> str:
        """The socket that is dialled first."""
        return self._places[0]

    # ----------------------------------------------------------------------------------------

    def _root(
        self,
        workspace: str | os.PathLike[str] | None,
        config: str | os.PathLike[str] | None,
    ) -> str:
        """Return the workspace that is named, by itself or by a config."""
        if workspace:
            return paths.workspace_path(os.fspath(workspace), None, os.environ)
        file = paths.config_path(os.fspath(config) if config else None, os.environ)
        folder = os.path.dirname(file)  # noqa: PTH120 - pathlib costs 8 ms
        set_path, _ = paths.configured(file, os.environ)
        return paths.workspace_path(None, set_path, os.environ, config_dir=folder)

    def _find(
        self,
        workspace: str | os.PathLike[str] | None,
        config: str | os.PathLike[str] | None,
    ) -> tuple[str, ...]:
        environ = os.environ
        if environ.get("HIPPOD_SOCKET") and not workspace and not config:
            self._trusted = True
            return paths.socket_places("", "", environ)
        file = paths.config_path(os.fspath(config) if config else None, environ)
        folder = os.path.dirname(file)  # noqa: PTH120 - pathlib costs 8 ms
        set_path, set_socket = paths.configured(file, environ)
        given = os.fspath(workspace) if workspace else None
        root = paths.workspace_path(given, set_path, environ, config_dir=folder)
        self._start_with = _start_command(given, config)
        if workspace or config:
            self._meant = os.path.realpath(root)
        self._trusted = bool(set_socket or environ.get("HIPPOD_SOCKET"))
        return paths.socket_places(root, set_socket, environ, config_dir=folder)

    def _bytes(self, request: Request[Any]) -> bytes:
        target, body = request.target(self.scope), request.body(self.scope)
        return request_bytes(request.method, target, body, self._meant)

    def _patience(self, request: Request[Any]) -> float:
        """Return the seconds that an answer may take."""
        return self.timeout or (WORK_TIMEOUT if request.work else READ_TIMEOUT)

    def _read(self, request: Request[T], status: int, headers: dict[str, str], content: bytes) -> T:
        """Return what an answer says, or raise the error that it is."""
        self._note(headers)
        if request.as_text and status == 200:
            return content.decode("utf-8", "replace")  # type: ignore[return-value]
        answer = result(status, content)
        return answer if request.take is None else answer[request.take]  # type: ignore[return-value]

    def _note(self, headers: dict[str, str]) -> None:
        self.daemon_version = headers.get("hippod-version", OLDER)

    def _silent(self, seconds: float) -> errors.NotResponding:
        return errors.NotResponding(
            f"the daemon at {self.socket_path} is not responding (waited {seconds:g} s)",
            "it may be stopped or overloaded: look at its log, or allow more by --timeout",
        )

    def _stopped(self) -> errors.DaemonDown:
        return errors.DaemonDown(
            f"the daemon at {self.socket_path} ended the stream: it stopped",
            f"start it with: {self._start_with}",
        )

    def _down(self) -> errors.DaemonDown:
        return errors.DaemonDown(
            f"no daemon answers at {self.socket_path}", f"start it with: {self._start_with}"
        )

    def _check(self, connection: socket.socket, place: str) -> None:
        """Refuse a listener of another user: anyone may make a socket below /tmp before we do."""
        uid = None if self._trusted else _peer_uid(connection)
        if uid not in (None, os.geteuid(), 0):
            raise errors.Forbidden(
                f"{place}: belongs to a process of user {uid}; nothing was sent",
                "name the right socket by --socket or HIPPOD_SOCKET",
            )


def _is_some_time(seconds: object) -> bool:
    return isinstance(seconds, int | float) and 0 < seconds <= 86_400


def _verb(
    build: Callable[Concatenate[Verbs, P], Request[T]],
) -> Callable[Concatenate[Client, P], T]:
    def ask(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._answer(build(VERBS, *args, **kwargs))

    named_after(ask, build)
    return ask


class Client(Endpoint):
    """The verbs of the daemon behind a socket; each call blocks and returns the wire object.

    Each call has a connection of its own, so that threads may share a client. In `help` the
    arrow of a verb says what it answers: `Request[Tree]` stands for a `Tree`.
    Raises the classes of `hippod.errors`: `DaemonDown` if nobody answers, `NotResponding` if the
    answer does not come in time, else whatever the daemon reports.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
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

    def events(
        self,
        *,
        after: int | None = None,
        types: Iterable[str] = (),
        follow: bool = True,
        limit: int | None = None,
    ) -> Generator[dict[str, Any], None, None]:
        """Yield what happens from now on, first what came behind the event `after`.

        All, or events of some `types`; each has an `id`, a `time` and a `type`. Blocks between
        them, and raises `DaemonDown` when the daemon stops: go on with the last id. Without
        `follow` it yields the newest ones, or the first behind `after`, and ends; `limit` of them.
        """
        request = VERBS.events(after=after, types=types, follow=follow, limit=limit)
        if follow:
            yield from self._follow(request)
        else:
            yield from self._answer(request)["events"]

    def backup(
        self,
        path: str | os.PathLike[str],
        *,
        force: bool = False,
        heard: Callable[[int], None] = lambda count: None,
    ) -> dict[str, Any]:
        """Write a backup of the workspace and its state to a file; return what is in it.

        It is read back before it gets its name. `heard` is told how many bytes have come. Raises
        `Conflict` if something stands there and not `force`.
        """
        from pathlib import Path

        from hippod import archive, publishing

        target = Path(os.fspath(path)).absolute()
        publishing.check_target(target, force=force)
        about = self.status().get("workspace")
        if about:  # a group is not told, and refused next
            publishing.refuse_inside(target, Path(about["path"]))
        connection, pieces = self._opened(VERBS.backup())
        try:
            manifest = archive.save(counted(self._in_time(pieces), heard), target, force=force)
        finally:
            connection.close()
        return archive.summary(manifest, target)

    def export(
        self, *, since: str | None = None, types: Iterable[str] = ()
    ) -> Generator[str, None, None]:
        """Yield facts, opinions and entities as lines of JSON, the first and last about them."""
        lines = ExportedLines()
        connection, pieces = self._opened(VERBS.export(since=since, types=types))
        try:
            for piece in self._in_time(pieces):
                yield from lines.take(piece)
        finally:
            connection.close()
        lines.end()

    # ----------------------------------------------------------------------------------------

    def _answer(self, request: Request[T]) -> T:
        sent, seconds = self._bytes(request), self._patience(request)
        deadline = time.monotonic() + seconds
        try:
            connection = self._dial(deadline)
            try:
                _send_all(connection, sent, deadline)
                status, headers, content = _received(whole_answer(), connection, deadline)
            finally:
                connection.close()
        except TimeoutError:
            raise self._silent(seconds) from None
        return self._read(request, status, headers, content)

    def _follow(self, request: Request[Any]) -> Iterator[dict[str, Any]]:
        """Yield the events of a stream, until the daemon ends it."""
        from hippod.event_stream import payloads, read_object

        connection, pieces = self._opened(request)
        try:
            yield from map(read_object, payloads(pieces))
        except TimeoutError:
            raise self._silent(SILENCE_TIMEOUT) from None
        except ValueError:
            raise nonsense("no stream of events") from None
        finally:
            connection.close()
        raise self._stopped()

    def _in_time(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        try:
            yield from pieces
        except TimeoutError:
            raise self._silent(SILENCE_TIMEOUT) from None

    def _opened(self, request: Request[Any]) -> tuple[socket.socket, Iterator[bytes]]:
        """Ask for a stream; return its connection, and what comes over it."""
        sent, seconds = self._bytes(request), self._patience(request)
        deadline = time.monotonic() + seconds
        try:
            connection = self._dial(deadline)
            try:
                _send_all(connection, sent, deadline)
                status, headers, begun = _received(answer_head(), connection, deadline)
                if status != 200:
                    content = _received(answer_body(headers, begun), connection, deadline)
                    self._read(request, status, headers, content)
                self._note(headers)
            except BaseException:
                connection.close()
                raise
        except TimeoutError:
            raise self._silent(seconds) from None
        pieces = _pieces(connection, begun)
        return connection, _unchunked(pieces) if "transfer-encoding" in headers else pieces

    def line(self, seconds: float = WORK_TIMEOUT) -> Line:
        """Connect for a request of the caller's own, whose answer begins within `seconds`."""
        deadline = time.monotonic() + seconds
        try:
            return Line(self._dial(deadline), self._meant, deadline)
        except TimeoutError:
            raise self._silent(seconds) from None

    def _dial(self, deadline: float) -> socket.socket:
        """Connect to the first place that answers."""
        for place in self._places:
            connection = new_socket()
            try:
                _connect(connection, place, deadline)
                self._check(connection, place)
            except BaseException as error:
                connection.close()
                if not is_nobody(error, place):
                    raise
            else:
                return connection
        raise self._down()


class Line:
    """A connection for one request, whose answer may be a stream."""

    def __init__(self, connection: socket.socket, workspace: str, deadline: float) -> None:
        self._connection = connection
        self._workspace = workspace
        self._deadline = deadline

    def post(
        self, target: str, body: bytes, headers: Mapping[str, str]
    ) -> tuple[int, dict[str, str], Iterator[bytes]]:
        """Send `body`; return status and headers of the answer, and its body as it comes.

        Raises `TimeoutError`, later for a piece that takes longer than `SILENCE_TIMEOUT`.
        """
        sent = request_bytes("POST", target, body, self._workspace, headers)
        _send_all(self._connection, sent, self._deadline)
        status, answered, begun = _received(answer_head(), self._connection, self._deadline)
        if "content-length" in answered:
            whole = _received(answer_body(answered, begun), self._connection, self._deadline)
            return status, answered, iter((whole,))
        pieces = _pieces(self._connection, begun)
        if "transfer-encoding" not in answered:
            return status, answered, pieces
        return status, answered, _unchunked(pieces)

    def cut(self) -> None:
        """End it from any thread: who waits for the answer finds that it broke off."""
        try:
            self._connection.shutdown(socket.SHUT_RDWR)
        except OSError:  # it has ended already
            return

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class ExportedLines:
    """The lines of an export that comes in pieces, the last of which says that it was whole."""

    def __init__(self) -> None:
        self._rest = b""
        self._last = ""

    def take(self, piece: bytes) -> list[str]:
        """Return the lines that are whole now."""
        *whole, self._rest = (self._rest + piece).split(b"\n")
        try:
            lines = [line.decode() for line in whole]
        except UnicodeDecodeError:
            raise nonsense("no lines of UTF-8") from None
        self._last = lines[-1] if lines else self._last
        return lines

    def end(self) -> None:
        """Raise if the export broke off."""
        if self._rest or not self._last.startswith('{"type":"end"'):
            raise errors.HippodError("the export broke off", "look at the daemon's log")


def new_socket() -> socket.socket:
    """Return a Unix socket; raises `HippodError` where this process has no descriptor left."""
    try:
        return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    except OSError as error:
        raise errors.HippodError(
            f"cannot open a socket: {error.strerror}",
            "this process has too many files open: close some, or raise its limit (ulimit -n)",
        ) from None


def is_nobody(error: BaseException, place: str) -> bool:
    """Say whether `error` tells that nobody listens at `place`; raise what it means else."""
    if isinstance(error, FileNotFoundError | NotADirectoryError | ConnectionRefusedError):
        return True
    if isinstance(error, PermissionError):
        raise errors.Forbidden(
            f"{place}: this user may not use the socket", "run as the daemon's user"
        ) from None
    if isinstance(error, OSError) and not isinstance(error, TimeoutError):
        raise errors.InvalidInput(f"{place}: cannot connect: {error}") from None
    return False


def _start_command(workspace: str | None, config: str | os.PathLike[str] | None) -> str:
    options = [("--workspace", workspace), ("--config", config)]
    words = [f"{option} {_shell(os.fspath(value))}" for option, value in options if value]
    return " ".join(["hippod", *words, "run"])


def _shell(word: str) -> str:
    from shlex import quote as shell_quote

    return shell_quote(word)


def _connect(connection: socket.socket, place: str, deadline: float) -> None:
    while True:
        connection.settimeout(_left(deadline))
        try:
            return connection.connect(place)
        except BlockingIOError:  # the listener's queue is full at the moment
            time.sleep(0.02)


def _left(deadline: float) -> float:
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def _peer_uid(connection: socket.socket) -> int | None:
    if not hasattr(socket, "SO_PEERCRED"):
        return None  # macOS: the socket lies in the user's own Caches folder
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)  # pid, uid, gid
    return int.from_bytes(raw[4:8], sys.byteorder)


def _send_all(connection: socket.socket, request: bytes, deadline: float) -> None:
    connection.settimeout(_left(deadline))
    try:
        connection.sendall(request)
    except (BrokenPipeError, ConnectionResetError):
        return  # a daemon that refuses a body early has already sent its answer


def _received(reading: Reading[T], connection: socket.socket, deadline: float) -> T:
    """Give what comes to who reads, until that is all."""
    try:
        next(reading)
        while True:
            reading.send(_piece(connection, deadline))
    except StopIteration as done:
        answer: T = done.value
        return answer


def _piece(connection: socket.socket, deadline: float) -> bytes:
    connection.settimeout(_left(deadline))
    try:
        return connection.recv(65_536)
    except ConnectionResetError:
        return b""


def _pieces(connection: socket.socket, begun: bytes) -> Iterator[bytes]:
    """Yield what comes until the other end closes; each may take `SILENCE_TIMEOUT`."""
    yield begun
    while piece := _piece(connection, time.monotonic() + SILENCE_TIMEOUT):
        yield piece


def _unchunked(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the contents of a body in chunks as they come."""
    from hippod.event_stream import unchunked

    try:
        yield from unchunked(pieces)
    except ValueError:
        raise nonsense("no chunks") from None


def counted(pieces: Iterator[bytes], heard: Callable[[int], None]) -> Iterator[bytes]:
    """Yield the pieces, and tell how many bytes they are by now."""
    count = 0
    for piece in pieces:
        yield piece
        count += len(piece)
        heard(count)
