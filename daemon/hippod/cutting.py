"""Cuts documents into units, those of a long job in a second process, beside other work.

The process is `python -m hippod.cutting`: pickles on its standard streams, the settings first,
then one document after the other. It ends with its input. What it does not cut, for whatever
reason, is cut by who asked: it changes nothing but the time.
"""

import contextlib
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import tzinfo
from operator import attrgetter
from typing import Any, BinaryIO, Self

from hippod import children, chunks, environment, leash
from hippod.entries import Entry, entries

_COMMAND = (sys.executable, "-P", "-m", "hippod.cutting")
"""`-P`: the working directory may hold files of other people, never import from it."""
_LEAST_BEHIND, _LEAST_AHEAD = 10, 190
"""Documents that were cut, and are to come, from which on a second process pays."""
_LEAST_SIZE = 1_000_000
"""Or characters that were cut: few documents, but long ones."""
_MOST_AHEAD, _MOST_SIZE = 256, 1_000_000
"""Documents and characters under way: some 0.3 s of work."""
_AT_ONCE = 8
"""Documents that are sent together."""
_PATIENCE = 30.0
"""Seconds without a sign from the process, and that one document may take there."""
_PIPE_BYTES = 1 << 20
_LENGTH = struct.Struct("!I")


@dataclass(frozen=True, slots=True)
class Settings:
    """How documents are cut; see `chunks.units`."""

    max_size: int
    overlap: int
    split_on: tuple[str, ...]
    zone: tzinfo

    def cut(self, path: str, text: str) -> list[Entry]:
        """Return the entries of a document's units."""
        units = chunks.units(
            path,
            text,
            max_size=self.max_size,
            overlap=self.overlap,
            split_on=self.split_on,
            zone=self.zone,
        )
        return entries(path, units)


_SETTINGS = attrgetter(*(field.name for field in fields(Settings)))


class Cutter:
    """Has the documents of one job cut in the order in which they are offered. For one thread.

    The process is started once the job turns out to be long, where there is a processor for it.
    If it fails it is given up for this job: `lost` says why.
    """

    def __init__(self, settings: Settings, command: Sequence[str] = _COMMAND) -> None:
        self.lost = ""
        self._settings = settings
        self._command = command
        self._process: _Process | None = None
        self._seen = self._size = 0
        self._under_way: deque[int] = deque()
        self._ahead = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    @property
    def pid(self) -> int | None:
        """The process, while there is one."""
        return self._process.pid if self._process else None

    @property
    def is_full(self) -> bool:
        """Whether so much is under way that it is time to `take`."""
        return len(self._under_way) >= _MOST_AHEAD or self._ahead >= _MOST_SIZE

    def offer(self, path: str, text: str, left: int) -> bool:
        """Send a document to the process; false if it is better cut here.

        `left` more documents may follow.
        """
        self._seen += 1
        self._size += len(text)
        if self._process is None and not self.lost and self._is_long(left):
            self._start()
        if not self._is_up():
            return False
        assert self._process is not None
        self._process.send((path, text))
        self._under_way.append(len(text))
        self._ahead += len(text)
        if self._seen % _AT_ONCE == 0:
            self._exchange(0)
        return True

    def is_ready(self) -> bool:
        """Say whether `take` would answer at once."""
        if self._process is not None and not self._process.received:
            self._exchange(0)
        return self._process is None or bool(self._process.received)

    def take(self) -> list[Entry] | None:
        """Wait for what was cut of the oldest document under way; None: it is to be cut here."""
        self._ahead -= self._under_way.popleft()
        while not self.is_ready():
            self._exchange(_PATIENCE)
        if self._process is None:
            return None
        rows = self._process.received.popleft()
        return None if rows is None else list(map(Entry._make, rows))

    def _is_long(self, left: int) -> bool:
        if _processors() < 2:
            return False
        return self._size > _LEAST_SIZE or (self._seen > _LEAST_BEHIND and left >= _LEAST_AHEAD)

    def _start(self) -> None:
        try:
            self._process = _Process(self._command)
            self._process.send(_SETTINGS(self._settings))
        except (OSError, TypeError, pickle.PicklingError) as error:
            self._give_up(f"it cannot be started: {error}")

    def _is_up(self) -> bool:
        """Say whether the process takes documents. Until it does they are cut here meanwhile."""
        if self._process is not None and not self._process.is_up:
            self._exchange(0)
        return self._process is not None and self._process.is_up

    def _exchange(self, patience: float) -> None:
        """Send and receive what can be; within `patience` seconds, if any, something must."""
        assert self._process is not None
        try:
            if not self._process.exchange(patience) and patience:
                self._give_up(f"no sign of it for {patience:g} s")
        except (OSError, EOFError, pickle.UnpicklingError):
            self._give_up("it ended")

    def _give_up(self, reason: str) -> None:
        self._end()
        self.lost = reason

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.close()


class _Process:
    """The process and its pipes; nothing waits longer than it is told to."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = children.start(
            command,
            env=environment.inherited(os.environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            pipesize=_PIPE_BYTES,
            start_new_session=True,  # Ctrl-C is for who asked
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._sink, self._source = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._sink, False)
        os.set_blocking(self._source, False)
        self.pid = self._process.pid
        self.is_up = False
        self.received: deque[Any] = deque()
        self._outgoing: deque[memoryview] = deque()
        self._incoming = bytearray()

    def send(self, message: object) -> None:
        """Queue a message."""
        self._outgoing.append(memoryview(_framed(message)))

    def exchange(self, seconds: float) -> bool:
        """Write and read what can be, waiting for the first that can; false if nothing could.

        Raises `OSError` or `EOFError` when the process has ended.
        """
        waiting = select.poll()
        waiting.register(self._source, select.POLLIN)
        if self._outgoing:
            waiting.register(self._sink, select.POLLOUT)
        ready = {descriptor for descriptor, _ in waiting.poll(int(seconds * 1000))}
        if self._sink in ready:
            self._write()
        if self._source in ready:
            self._read()
        return bool(ready)

    def close(self) -> None:
        """End the process: it holds nothing that could be lost."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _write(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._outgoing:
                rest = self._outgoing[0][os.write(self._sink, self._outgoing[0]) :]
                self._outgoing.popleft()
                if rest:
                    self._outgoing.appendleft(rest)

    def _read(self) -> None:
        part = os.read(self._source, _PIPE_BYTES)
        if not part:
            raise EOFError
        self._incoming += part
        while len(self._incoming) >= _LENGTH.size:
            end = _LENGTH.size + _LENGTH.unpack_from(self._incoming)[0]
            if len(self._incoming) < end:
                break
            self._receive(pickle.loads(self._incoming[_LENGTH.size : end]))
            del self._incoming[:end]

    def _receive(self, message: Any) -> None:
        if self.is_up:
            self.received.append(message)
        self.is_up = True  # the first one says only that


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def main() -> None:
    """Cut documents until the input ends, or who asked does, however."""
    leash.control(leash.SET_PDEATHSIG, signal.SIGKILL)
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # where whatever prints does no harm
    settings = Settings(*_next(source))
    _put(sink, None)
    while True:
        path, text = _next(source)
        # The default action ends the process: also where its parent has gone meanwhile.
        signal.alarm(int(_PATIENCE))
        _put(sink, _cut(settings, path, text))
        signal.alarm(0)


def _cut(settings: Settings, path: str, text: str) -> list[tuple[Any, ...]] | None:
    """Return the entries as plain tuples; None if it fails, as it will for who asked."""
    try:
        return list(map(tuple, settings.cut(path, text)))
    except Exception:  # who meets it again can say more
        return None


def _next(source: BinaryIO) -> Any:
    """Return the next message; the end of the input is that of the process."""
    head = source.read(_LENGTH.size)
    body = source.read(_LENGTH.unpack(head)[0]) if len(head) == _LENGTH.size else b""
    if not body:
        raise SystemExit
    return pickle.loads(body)


def _put(sink: BinaryIO, message: object) -> None:
    try:
        sink.write(_framed(message))
        sink.flush()
    except BrokenPipeError:
        os._exit(0)


def _framed(message: object) -> bytes:
    body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(body)) + body


if __name__ == "__main__":
    main()
