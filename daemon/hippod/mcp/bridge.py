"""`hippod mcp`: carries messages between the pipes of an agent and the daemon's socket.

It opens nothing of the workspace and keeps nothing: a restart of the daemon costs it nothing.
Only what is cheap to import: an agent waits for it at each start of a session.
"""

from __future__ import annotations

import os
import select
import signal
import threading
import time

from hippod import errors
from hippod.client import WORK_TIMEOUT, Client, Line
from hippod.mcp import messages
from hippod.mcp.calls import MOST, Call, Calls
from hippod.mcp.parent import Parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, NoReturn

    from hippod.mcp.alone import Alone

LAST_SECONDS = 1.5
"""How long, once nobody asks any more, answers that are under way are waited for."""
FIRST_SECONDS = 10.0
"""How long a first word is waited for where our parent may have died before we looked."""
AGAIN_SECONDS = 10.0
"""How soon after a start that failed another one is tried."""
QUICK_SECONDS = 10.0
"""How long a daemon is waited for by what can be answered without it: hosts wait no longer."""
_READ_BYTES = 65_536
_BY_AN_AGENT = "an agent starts it: see hippod connect"
_FAULT = errors.HippodError("something failed inside hippod", "that is worth a report")
_SILENT = errors.NotResponding("the daemon does not answer", "see: hippod status")
_GONE = errors.HippodError(
    "the daemon went away before it answered",
    "it may have done what was asked, or not: look, then ask again; hippod status tells if it runs",
)


def run(
    client: Client,
    headers: Mapping[str, str],
    begin: Callable[[], None] | None = None,
    settings: str = "",
) -> int:
    """Serve the agent at our pipes until it is gone; return the exit code.

    `headers` go with each request. `begin` starts a daemon that is down; raises `HippodError`.
    `settings` is the config file that counts where there is no daemon.
    """
    _check_pipes()
    signal.signal(signal.SIGTERM, _end)
    output = Output()
    bridge = Bridge(Courier(client, headers, begin, settings), output)
    for line in incoming(0, output.fd, Parent()):
        bridge.take(line)
    bridge.finish()
    return 0


def incoming(source: int, target: int, parent: Parent) -> Iterator[bytes | None]:
    """Yield each line of `source`, None for one that is too long; end when nobody is there.

    That is when `source` ends, nobody reads `target` any more, or `parent` has ended.
    """
    lines, ends = messages.Lines(), (target, parent.fd)
    waiting = select.poll()
    waiting.register(source, select.POLLIN)
    waiting.register(target, 0)
    if parent.fd is not None:
        waiting.register(parent.fd, select.POLLIN)
    patience = FIRST_SECONDS * 1000 if parent.may_be_adoption else None
    while not parent.is_gone and (ready := dict(waiting.poll(patience))):
        if source in ready:
            patience = None
            data = os.read(source, _READ_BYTES)
            yield from lines.take(data)
            if not data:
                yield from lines.rest()
                return
        if any(end in ready for end in ends):
            return


class Output:
    """Our standard output, for messages alone: whatever else is printed goes to standard error."""

    def __init__(self) -> None:
        self.fd = os.dup(1)
        self._writing = threading.Lock()
        try:
            os.dup2(2, 1)
        except OSError:  # there is no standard error
            return

    def put(self, text: str) -> None:
        """Write a message; ends us where nobody reads any more."""
        data = memoryview(text.encode("utf-8", "surrogatepass") + b"\n")
        try:
            with self._writing:
                while data:
                    data = data[self._write(data) :]
        except OSError:
            os.kill(os.getpid(), signal.SIGTERM)

    def _write(self, data: memoryview) -> int:
        try:
            return os.write(self.fd, data)
        except BlockingIOError:  # the agent made its pipe so
            room = select.poll()
            room.register(self.fd, select.POLLOUT)
            room.poll()
            return 0


class Bridge:
    """Takes what the agent says, line by line, and puts out what comes of it."""

    def __init__(self, courier: Courier, output: Output) -> None:
        self._courier = courier
        self._put = output.put
        self._calls = Calls(self._answer)

    def take(self, line: bytes | None) -> None:
        """Begin to do what a line asks for."""
        if line is None:
            self._refuse(None, f"a line of over {messages.MAX_LINE} bytes")
            return
        try:
            line = messages.whole(line)
            message = messages.read(line)
        except (ValueError, RecursionError):
            self._put(messages.refusal(None, messages.PARSE_ERROR, "the line is not JSON"))
            return
        if isinstance(message, list):
            self._refuse_batch(message)
        elif not isinstance(message, dict):
            self._refuse(None, "a message is a JSON object")
        elif "id" not in message:
            self._notice(message)
        elif "method" in message:
            self._call(message, line)

    def finish(self) -> None:
        """Wait a moment for answers that are under way."""
        self._calls.finish(LAST_SECONDS)

    def _call(self, message: dict[str, Any], line: bytes) -> None:
        id_, method = message["id"], message["method"]
        if not _is_id(id_):
            self._refuse(None, "id: neither a string nor a whole number")
        elif not isinstance(method, str):
            self._refuse(id_, "method: not a string")
        elif field := messages.too_long(message):
            said = f"{field}: is longer than {messages.MAX_NAME} characters"
            self._put(messages.refusal(id_, messages.INVALID_PARAMS, said))
        else:
            headers = messages.headers(message, self._courier.negotiated)
            if not self._calls.add(Call(id_, method, line, headers)):
                self._put(messages.failed(id_, errors.Busy(f"over {MOST} calls wait", "ask later")))

    def _notice(self, message: dict[str, Any]) -> None:
        """Do what a notification says: the server keeps no session that one could concern."""
        params = message.get("params")
        if message.get("method") == "notifications/cancelled" and isinstance(params, dict):
            id_ = params.get("requestId")
            if _is_id(id_):
                self._calls.cancel(id_)

    def _refuse_batch(self, batch: list[Any]) -> None:
        ids = [each["id"] for each in batch if isinstance(each, dict) and _is_id(each.get("id"))]
        for id_ in ids or [None]:
            self._refuse(id_, "MCP has no batches any more: one message on each line")

    def _refuse(self, id_: Any, why: str) -> None:
        self._put(messages.refusal(id_, messages.INVALID_REQUEST, why))

    def _answer(self, call: Call) -> None:
        try:
            for text in self._courier.texts(call):
                if not call.is_cancelled:
                    self._put(text)
        except errors.HippodError as error:
            if not call.is_cancelled:
                self._put(messages.failed(call.id, error))
        except Exception as error:  # the edge of one call's work: the others go on
            say(f"{call.method!a} failed inside hippod: {type(error).__name__}")
            self._put(messages.failed(call.id, _FAULT))


def _is_id(given: object) -> bool:
    """Say whether that can be a request's id: a fraction comes back as another number."""
    return isinstance(given, str | int) and not isinstance(given, bool)


class Courier:
    """Takes a call to the daemon and brings its answer, and does without one that is down."""

    def __init__(
        self,
        client: Client,
        headers: Mapping[str, str],
        begin: Callable[[], None] | None = None,
        settings: str = "",
    ) -> None:
        self.negotiated = ""
        """The protocol version that a handshake came to."""
        self._client = client
        self._seconds = client.timeout or WORK_TIMEOUT
        self._headers = {"Accept": "application/json, text/event-stream", **headers}
        self._begin = begin
        self._beginning = threading.Lock()
        self._failure: tuple[float, errors.HippodError] | None = None
        """When the last start failed, and how."""
        self._settings = settings
        self._loading = threading.Lock()
        self._alone: Alone | None = None
        self._told = ""

    def texts(self, call: Call) -> Iterator[str]:
        """Yield the messages that answer a call, its response last; raises `HippodError`."""
        try:
            for text in self._answer(call):
                if (end := messages.ending(text, call.id)) is not None:
                    self._learn(call, end[1])
                    yield end[0]
                    return
                yield text
        except TimeoutError:
            raise _SILENT from None
        except (OSError, ValueError) as error:
            raise errors.HippodError(f"the daemon's answer: {error}", "look at its log") from None
        raise _GONE

    def _answer(self, call: Call) -> Iterator[str]:
        headers = {**self._headers, **call.headers}
        try:
            yield from self._by_daemon(call, headers)
            return
        except errors.DaemonDown as error:
            trouble: errors.HippodError = error
        except (TimeoutError, errors.NotResponding):
            if not messages.is_quick(call.method):
                raise
            trouble = _SILENT
        self._tell(trouble)
        yield from messages.of_answer(*self._without(trouble, call.body, headers))

    def _by_daemon(self, call: Call, headers: Mapping[str, str]) -> Iterator[str]:
        is_quick = messages.is_quick(call.method)
        line = self._line(min(QUICK_SECONDS, self._seconds) if is_quick else self._seconds)
        try:
            call.goes_over(line)
            answered = line.post("/mcp", call.body, headers)
            self._told = ""
            yield from messages.of_answer(*answered)
        finally:
            line.close()

    def _learn(self, call: Call, response: dict[str, Any]) -> None:
        result = response.get("result")
        if call.method == "initialize" and isinstance(result, dict):
            self.negotiated = str(result.get("protocolVersion", ""))

    # -- a daemon that is down ---------------------------------------------------------------

    def _line(self, seconds: float) -> Line:
        try:
            return self._client.line(seconds)
        except errors.DaemonDown:
            if self._begin is None:
                raise
        with self._beginning:
            self._start(self._begin)
        return self._client.line(seconds)

    def _start(self, begin: Callable[[], None]) -> None:
        """Start the daemon; one that just did not start is not tried again at once."""
        if self._failure is not None and time.monotonic() < self._failure[0] + AGAIN_SECONDS:
            raise self._failure[1]
        try:
            begin()
        except errors.DaemonDown as error:
            self._failure = time.monotonic(), error
            raise
        self._failure = None

    def _without(
        self, trouble: errors.HippodError, body: bytes, headers: Mapping[str, str]
    ) -> tuple[int, dict[str, str], list[bytes]]:
        with self._loading:
            if self._alone is None:
                from hippod.mcp.alone import Alone

                self._alone = Alone(self._settings)
        return self._alone.post(body, headers, trouble)

    def _tell(self, trouble: errors.HippodError) -> None:
        """Say once on standard error what is wrong."""
        if trouble.message != self._told:
            self._told = trouble.message
            say(f"{trouble.message}; {trouble.hint}")


def say(text: str) -> None:
    """Write one line to standard error, where a host keeps it."""
    line = " ".join(text.split())
    try:
        os.write(2, f"hippod mcp: {line}\n".encode("utf-8", "replace"))
    except OSError:  # nobody takes it
        return


def _check_pipes() -> None:
    for descriptor, name in enumerate(("input", "output")):
        try:
            os.fstat(descriptor)
        except OSError:
            raise errors.InvalidInput(f"standard {name} is closed", _BY_AN_AGENT) from None
    if os.isatty(0):
        say(f"waits for messages of an agent, one on each line; {_BY_AN_AGENT}")


def _end(*_: object) -> NoReturn:
    raise SystemExit(0)
