"""Structured logs on stderr: a console for people on a terminal, JSON lines otherwise.

Event names are stable, dotted and past tense (`document.indexed`). No content and no secrets
at any level: callers log paths, ids and counts, and what an error says is redacted.
"""

import contextlib
import io
import logging
import sys
from typing import Literal, TextIO, cast

import structlog

from hippod import redact


def configure(level: str, form: Literal["auto", "console", "json"]) -> None:
    """Set up structlog and send the libraries' own warnings the same way."""
    console = form == "console" or (form == "auto" and sys.stderr.isatty())
    render: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer(pad_event_to=24, colors=sys.stderr.isatty())
        if console
        else structlog.processors.JSONRenderer(ensure_ascii=False)
    )
    stamp = structlog.processors.TimeStamper(fmt="%H:%M:%S" if console else "iso", utc=not console)
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        stamp,
    ]
    structlog.configure(
        processors=[*shared, structlog.processors.format_exc_info, _redacted, render],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        logger_factory=structlog.PrintLoggerFactory(cast("TextIO", _Lossy())),
        cache_logger_on_first_use=True,
    )
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[structlog.stdlib.add_logger_name, *shared],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            _redacted,
            render,
        ],
    )
    handler = logging.StreamHandler(_Lossy())
    handler.setFormatter(formatter)
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)


def _redacted(
    _logger: structlog.typing.WrappedLogger, _method: str, event: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    """Blank secrets in all that is said: messages of errors may quote what they could not read."""
    for name, value in event.items():
        if isinstance(value, str):
            event[name] = redact.redact(value).text
    return event


class _Lossy(io.TextIOBase):
    """Standard error that loses lines rather than raise: its disk may be full, its reader gone."""

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.flush()
