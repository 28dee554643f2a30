"""Progress of long indexing: one line with a bar, and a live one while a request runs."""

import contextlib
import sys
import threading
import time

from hippod.cli import columns, options, output
from hippod.errors import HippodError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any, Self

_CELLS = 24
_EVERY_SECONDS = 1.0
_LINE_EVERY_SECONDS = 10.0
"""Between two lines where no terminal shows one that changes."""
_UNITS = {"reading": "files", "embedding": "texts", "graph": "vectors"}


def bar(progress: "dict[str, Any]") -> str:
    """Return a line such as `reading [####----] 40 of 80 files, 3s left`."""
    done, total, phase = progress["done"], progress["total"], progress["phase"]
    filled = _CELLS * done // total if total else _CELLS
    cells = "#" * filled + "-" * (_CELLS - filled)
    left = progress["remaining_seconds"]
    remaining = f", {output.duration(left)} left" if left is not None else ""
    return f"{phase} [{cells}] {done} of {total} {_UNITS.get(phase, '')}{remaining}"


class Told:
    """How far a long transfer has come, on stderr; nothing of one that is over at once."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._changes = sys.stderr is not None and sys.stderr.isatty()
        self._every = _EVERY_SECONDS if self._changes else _LINE_EVERY_SECONDS
        self._next = time.monotonic() + self._every
        self._drawn = False

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_: object) -> None:
        if self._drawn:
            _draw("")

    def tell(self, line: str) -> None:
        """Show a line, unless one was shown a moment ago."""
        if self._quiet or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + self._every
        if self._changes:
            self._drawn = True
            _draw(columns.cut(output.printable(line), output.room() - 1, output.mark()))
        else:
            output.complain(line)


@contextlib.contextmanager
def live(args: "argparse.Namespace") -> "Iterator[None]":
    """Show the daemon's progress on stderr while the body waits; only to a person."""
    if args.json or args.quiet or not sys.stderr.isatty():
        yield
        return
    over = threading.Event()
    thread = threading.Thread(target=_follow, args=(args, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        _draw("")


def _follow(args: "argparse.Namespace", over: threading.Event) -> None:
    with contextlib.suppress(HippodError, OSError):  # the request itself tells what is wrong
        while not over.wait(_EVERY_SECONDS):
            progress = options.ask(args, lambda client: client.status())["index"].get("progress")
            if progress and not over.is_set():
                _draw(bar(progress))


def _draw(line: str) -> None:
    sys.stderr.write(f"\r\x1b[K{output.printable(line)}")
    sys.stderr.flush()
