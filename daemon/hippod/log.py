"""Structured logs, on stderr or in a file of limited size: JSON lines, or a console for people.

Event names are stable, dotted and past tense (`document.indexed`), see docs/logs.md. No content
and no secrets at any level: callers log paths, ids and counts, what an error says is redacted
and cut short, and what is said over and over is folded.
"""

import contextlib
import io
import logging
import logging.handlers
import math
import os
import re
import select
import stat
import sys
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from hippod import private, redact
from hippod.config import Config
from hippod.errors import ConfigError, HippodError, StorageError

Form = Literal["auto", "console", "json"]

MOST_CHARACTERS = 500
"""Of a value; a traceback has as many per message."""
MOST_AT_ONCE: Final = 10
WINDOW_SECONDS: Final = 60
"""So many events of a name pass in so long; the others are counted."""
PATIENCE_SECONDS = 0.2
"""How long a line waits for a reader of stderr that does not read."""
_PIECE = 1_000
"""Characters that a pipe takes without waiting if it takes any: 4096 bytes."""
_MOST_NAMES = 1_000
_WHO = ("job", "worker", "check", "source")
"""Fields that say whose trouble an event tells of."""
_MOST_KINDS = 50
"""Troubles of one name that are counted apart; all others are counted as one."""
_MOST_READ = 20 * MOST_CHARACTERS
"""Characters of a value that are looked at: what is cut off later hides no half of a secret."""
_MOST_ENTRIES, _MOST_DEPTH = 20, 3
_MOST_FRAMES, _MOST_CAUSES = 30, 5
_OURS = "hippod"


def begin(config: Config) -> None:
    """Log as `config` says, at the start and after each reload; raises like `configure`.

    Raises `ConfigError` for a file that lies among the documents: each line would be a change.
    """
    chosen = config.log
    root = os.path.realpath(config.workspace.path)
    if chosen.file and Path(os.path.realpath(chosen.file)).is_relative_to(root):
        raise ConfigError(
            [f"log.file: {chosen.file} is inside of the workspace {root}"],
            "name a file elsewhere, such as ~/.hippod/log/daemon.log",
        )
    configure(
        chosen.level,
        chosen.format,
        file=chosen.file,
        max_bytes=chosen.max_bytes,
        keep=chosen.keep,
    )


def configure(
    level: str, form: Form, *, file: str = "", max_bytes: int = 10_000_000, keep: int = 3
) -> None:
    """Send our events, and the warnings of libraries, where they belong.

    With a `file` (absolute) all goes there, and to stderr as well where a person looks at it;
    what ends the process stands on stderr in any case. Raises `StorageError` if it cannot be
    written.
    """
    _keep_standard_descriptors()
    handlers: list[logging.Handler] = []
    if file:
        handlers.append(_shown(_open_file(Path(file), max_bytes, keep), form, terminal=False))
    if not file or _is_terminal():
        handlers.append(_shown(_Stream(_Lossy()), form, terminal=_is_terminal()))
    global _folding
    folding = _folding = _folding or Folding()
    for handler in handlers[:1]:
        handler.addFilter(_Limit(folding))
    for handler in handlers[1:]:
        handler.addFilter(lambda record: not getattr(record, "is_folded", False))
    _route(level.upper(), handlers, folding)
    sys.excepthook = _say_crash
    threading.excepthook = lambda crash: _say_crash(
        crash.exc_type, crash.exc_value, crash.exc_traceback
    )


def hand_on() -> None:
    """Hand our events to the `logging` of the program that we are part of, as logger `hippod`.

    Nothing is said where it does not listen. A program that uses structlog itself decides alone.
    """
    if structlog.is_configured():
        return
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            _tell_exception,
            _without_content,
            structlog.processors.JSONRenderer(ensure_ascii=False),
            _escaped,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=lambda *_: logging.getLogger(_OURS),
        cache_logger_on_first_use=False,
    )
    logging.getLogger(_OURS).addHandler(logging.NullHandler())


def folded() -> int:
    """Return how many lines were left out since the start because others said the same."""
    return _folding.total if _folding else 0


def _route(level: str, handlers: list[logging.Handler], folding: "Folding") -> None:
    structlog.configure(
        processors=[
            folding,
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level)),
        logger_factory=lambda *_: logging.getLogger(_OURS),
        cache_logger_on_first_use=False,  # the level may change by a reload
    )
    logging.basicConfig(level=logging.WARNING, handlers=handlers, force=True)
    logging.getLogger(_OURS).setLevel(level)
    logging.captureWarnings(capture=True)


def _shown(handler: logging.Handler, form: Form, *, terminal: bool) -> logging.Handler:
    """Give a handler its form."""
    console = form == "console" or (form == "auto" and terminal)
    stamp = structlog.processors.TimeStamper(fmt="%H:%M:%S" if console else "iso", utc=not console)
    rendered: list[Processor] = (
        [_on_one_line, structlog.dev.ConsoleRenderer(pad_event_to=24, colors=terminal)]
        if console
        else [structlog.processors.JSONRenderer(ensure_ascii=False), _escaped]
    )
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[
                structlog.stdlib.add_logger_name,
                structlog.stdlib.add_log_level,
                _note_folded,
            ],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                stamp,
                _tell_exception,
                _without_content,
                *rendered,
            ],
        )
    )
    return handler


# -- folding ---------------------------------------------------------------------------------


class Folding:
    """Lets the first events of a name pass, and counts the others until the minute is over.

    The next one then says how many were `folded`. Debugging wants all of them. Thread-safe;
    needs no timer, and no more memory however many names there are.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.total = 0
        self._clock = clock
        self._lock = threading.Lock()
        self._windows: OrderedDict[str, tuple[float, int]] = OrderedDict()
        """By name: when the window began, and how many came in it."""
        self._kinds: dict[str, set[str]] = {}
        """By name of a trouble: of whom, and of which error, it was told."""

    def __call__(self, _logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
        """Pass an event on, or drop it."""
        if method == "debug":
            return event
        name = str(event.get("event"))
        left_out = self.take(name if method == "info" else self._key(name, event))
        if left_out is None:
            raise structlog.DropEvent
        return {**event, "folded": left_out} if left_out else event

    def _key(self, name: str, event: EventDict) -> str:
        """Return by what a trouble is counted: those of others must not hide it."""
        key = " ".join([name, *(f"{event[field]!s:.100}" for field in _WHO if field in event)])
        key = f"{key} {_kind_of_error(event.get('exc_info'))}"
        with self._lock:
            kinds = self._kinds.setdefault(name, set())
            if len(kinds) < _MOST_KINDS and len(self._kinds) < _MOST_NAMES:
                kinds.add(key)
            return key if key in kinds else name

    def take(self, name: str) -> int | None:
        """Return how many of a name were left out before this one; None: leave it out too."""
        now = self._clock()
        with self._lock:
            began, count = self._windows.get(name, (now, 0))
            if now - began < WINDOW_SECONDS:
                self._windows[name] = began, count + 1
                self._bound()
                if count < MOST_AT_ONCE:
                    return 0
                self.total += 1
                return None
            self._windows[name] = now, 1
            self._windows.move_to_end(name)
            return max(0, count - MOST_AT_ONCE)

    def _bound(self) -> None:
        while len(self._windows) > _MOST_NAMES:
            self._windows.popitem(last=False)


def _kind_of_error(said: object) -> str:
    """Return the name of the class of an exception that goes with an event."""
    error = sys.exc_info()[1] if said is True else said[1] if isinstance(said, tuple) else said
    return type(error).__name__ if isinstance(error, BaseException) else ""


_folding: Folding | None = None


class _Limit(logging.Filter):
    """Folds what libraries say by logger and message before its values are filled in."""

    def __init__(self, folding: Folding) -> None:
        super().__init__()
        self._folding = folding

    def filter(self, record: logging.LogRecord) -> bool:
        """Say whether a record is to be written; ours were asked before."""
        if record.name == _OURS:
            return True
        left_out = self._folding.take(f"{record.name} {record.msg!s:.200}")
        record.is_folded = left_out is None
        record.folded = left_out
        return left_out is not None


def _note_folded(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    left_out = getattr(event["_record"], "folded", None)
    return {**event, "folded": left_out} if left_out else event


# -- what is said ----------------------------------------------------------------------------


def _without_content(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Blank secrets and cut short: messages of errors may quote what they could not read."""
    return {
        name: value if name == "exception" else _plain(value)
        for name, value in list(event.items())[: 2 * _MOST_ENTRIES]
    }


def _plain(value: object, depth: int = 0) -> Any:
    """Return a value that any form of log can hold, without secrets and not too long."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 1 << 63 else "a very large number"
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping) and depth < _MOST_DEPTH:
        some = list(value.items())[:_MOST_ENTRIES]
        return {_said(key): _plain(inner, depth + 1) for key, inner in some}
    if isinstance(value, list | tuple | set | frozenset) and depth < _MOST_DEPTH:
        return [_plain(inner, depth + 1) for inner in list(value)[:_MOST_ENTRIES]]
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {_message(value)}"
    return _said(value)


def _said(value: object) -> str:
    try:
        text = str(value)
    except Exception:  # a value of whatever kind must not cost the line that names it
        text = f"a {type(value).__name__} that cannot be shown"
    told = redact.redact(text[:_MOST_READ]).text
    return told if len(told) <= MOST_CHARACTERS else f"{told[: MOST_CHARACTERS - 1]}…"


_QUOTED = re.compile(r"'[^'\n]+'|\"[^\"\n]+\"")
_ABOUT_CODE = (HippodError, OSError, AttributeError, TypeError, NameError, ImportError)
"""What these quote is a name: of a file, or of something in the program."""


def _message(error: BaseException) -> str:
    """Return what an exception says; what it quotes may be content, so that is left out."""
    if isinstance(error, UnicodeDecodeError | UnicodeEncodeError):
        return f"{error.reason} ({error.encoding})"
    told = " ".join(_said(error).split("\n"))
    return told if isinstance(error, _ABOUT_CODE) else _QUOTED.sub("'…'", told)


def _tell_exception(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Put a traceback in place of an exception: lines of the program, never values."""
    said = event.pop("exc_info", None)
    if said is True:
        said = sys.exc_info()
    error = said[1] if isinstance(said, tuple) else said
    if isinstance(error, BaseException):
        event["exception"] = "\n".join(_traced(error, set()))
    return event


def _traced(error: BaseException, told: set[int]) -> Iterator[str]:
    """Yield the lines of a traceback, of what came before it and of what is in its group."""
    told.add(id(error))
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None and id(before) not in told and len(told) < _MOST_CAUSES:
        yield from _traced(before, told)
        yield "which led to:"
    frames = traceback.format_tb(error.__traceback__, -_MOST_FRAMES)
    yield "Traceback (most recent call last):"
    yield from "".join(frames).splitlines()
    yield f"{type(error).__name__}: {_message(error)}"
    for inner in error.exceptions if isinstance(error, BaseExceptionGroup) else ():
        if id(inner) not in told and len(told) < _MOST_CAUSES:
            yield from (f"  | {line}" for line in _traced(inner, told))


_CONTROL = re.compile("[\x7f-\x9f\u200e\u200f\u061c\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_MOVES = re.compile(f"[\x00-\x1f]|{_CONTROL.pattern}")


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _escaped(_logger: WrappedLogger, _method: str, line: Any) -> str:
    """Escape what is no part of a line, whatever reads it: outside of strings JSON has none."""
    return _CONTROL.sub(_escape, line)


def _on_one_line(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Escape what could move the cursor of a terminal, but for the lines of a traceback."""
    for name, value in event.items():
        if name == "exception":
            event[name] = "\n".join(_MOVES.sub(_escape, line) for line in value.split("\n"))
        elif isinstance(value, str):
            event[name] = _MOVES.sub(_escape, value)
    return event


def _say_crash(
    kind: type[BaseException], error: BaseException | None, where: TracebackType | None
) -> None:
    """Log what nobody caught, and say it on stderr too where the log is a file."""
    if error is None or issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error or kind(), where)
        return
    structlog.get_logger().critical("process.crashed", exc_info=(kind, error, where))
    if not any(isinstance(each, _Stream) for each in logging.getLogger().handlers):
        lossy = _Lossy()
        lossy.write("\n".join(_traced(error, set())) + "\n")
        lossy.flush()


# -- where to --------------------------------------------------------------------------------


class _Stream(logging.StreamHandler[io.TextIOBase]):
    """Writes to stderr; a line that cannot be made is lost and nobody fails for it."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Lose the line."""


class _File(logging.handlers.RotatingFileHandler):
    """A file of our own, 0600; a full disk loses lines and never ends who writes them."""

    def __init__(self, path: Path, max_bytes: int, keep: int) -> None:
        self._is_torn = False
        self._is_told = False
        super().__init__(path, maxBytes=max_bytes, backupCount=keep, encoding="utf-8")

    def _open(self) -> io.TextIOWrapper:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(self.baseFilename, flags, 0o600)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.fchmod(descriptor, 0o600)
        # Unbuffered: what a full disk refused must not be tried again with every later line.
        raw = io.FileIO(descriptor, "ab")
        return io.TextIOWrapper(raw, "utf-8", "backslashreplace", "\n", write_through=True)

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, on a line of its own though the one before was cut off."""
        try:
            line = f"{self.format(record)}\n"
            stream = self._with_room(len(line.encode("utf-8", "backslashreplace")))
            if self._is_torn:
                stream.write("\n")
                self._is_torn = False
            stream.write(line)
        except Exception:  # what is wrong with a line must not end who says it
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Lose the line."""
        self._is_torn = True

    def _with_room(self, size: int) -> io.TextIOWrapper:
        """Return the open file, with room for a line."""
        self.stream = self.stream or self._open()
        there = os.fstat(self.stream.fileno())
        if stat.S_ISREG(there.st_mode) and 0 < there.st_size > self.maxBytes - size:
            self.doRollover()
        return self.stream

    def doRollover(self) -> None:  # noqa: N802
        """Begin a new file; where the old one cannot be moved away, it is emptied."""
        try:
            super().doRollover()
        except OSError as error:
            self._say_once(error)
            self.stream = self._open()
            os.ftruncate(self.stream.fileno(), 0)

    def _say_once(self, error: OSError) -> None:
        if not self._is_told:
            self._is_told = True
            place = error.filename2 or error.filename or self.baseFilename
            lossy = _Lossy()
            lossy.write(
                f"hippod: {self.baseFilename}: old lines cannot be moved away and are dropped:"
                f" {place}: {error.strerror}\n"
            )


def _open_file(path: Path, max_bytes: int, keep: int) -> _File:
    try:
        private.make_folder(path.parent)
        return _File(path, max_bytes, keep)
    except OSError as error:
        raise StorageError(
            f"{path}: cannot write the log: {error.strerror}", "see [log] file"
        ) from None


def _is_terminal() -> bool:
    return sys.stderr.isatty()


class _Lossy(io.TextIOBase):
    """Standard error that loses lines rather than raise, or wait for a reader that sleeps.

    Its disk may be full, its reader gone, or stopped with the pipe full.
    """

    def __init__(self) -> None:
        self._stalled = False

    def write(self, text: str) -> int:
        """Write what can be written."""
        with contextlib.suppress(OSError, ValueError, AttributeError):
            for start in range(0, len(text), _PIECE):
                if not self._has_room():
                    break
                sys.stderr.write(text[start : start + _PIECE])
                sys.stderr.flush()
        return len(text)

    def _has_room(self) -> bool:
        """Wait a moment for a slow reader; one that slept through it is not waited for again."""
        with contextlib.suppress(io.UnsupportedOperation):
            wait = 0 if self._stalled else PATIENCE_SECONDS
            self._stalled = not select.select([], [sys.stderr.fileno()], [], wait)[1]
        return not self._stalled


def _keep_standard_descriptors() -> None:
    """Put nothing else in the place of standard descriptors that were closed.

    A database that got number 2 would be written over by whatever a library complains of.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
    if sys.stderr is None:
        sys.stderr = open(2, "w", errors="backslashreplace", closefd=False)  # noqa: SIM115
