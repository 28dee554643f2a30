"""What the commands print: text that is safe on a terminal, JSON documents, complaints."""

import io
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence

from hippod.errors import HippodError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    Answer = dict[str, Any]

MAX_WIDTH = 100
_BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)
_CONTROL = (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *_BIDI)
_ESCAPES = {code: ascii(chr(code))[1:-1] for code in _CONTROL}
_KEEP_LINES = {code: text for code, text in _ESCAPES.items() if code not in (0x09, 0x0A)}


def show(args: "argparse.Namespace", answer: "Answer", render: "Callable[[Answer], None]") -> int:
    """Print an answer, as it is with `--json`, else as `render` does; return exit code 0."""
    if args.json:
        document(answer)
    else:
        render(answer)
    return 0


def document(answer: "Mapping[str, Any]", *, one_line: bool = False) -> None:
    """Print one JSON document; control characters stand as escapes in it."""
    indent = 2 if terminal() and not one_line else None
    text = json.dumps(answer, ensure_ascii=not _unicode(), allow_nan=False, indent=indent)
    say(text.translate({code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), *_BIDI)}))


def say(text: str = "") -> None:
    """Print a line."""
    _write(lambda: print(text))


def raw(text: str) -> None:
    """Print text with what moves the cursor of a terminal; its parts are safe already."""
    _write(lambda: sys.stdout.write(text))


def verbatim(content: str) -> None:
    """Print a document: byte for byte into a pipe or file, control characters escaped for eyes."""
    if terminal():
        shown = printable(content.replace("\r\n", "\n"), lines=True)
        _write(
            lambda: sys.stdout.write(shown if shown.endswith("\n") or not shown else f"{shown}\n")
        )
    elif isinstance(sys.stdout, io.TextIOWrapper):
        binary = sys.stdout.buffer
        _write(lambda: binary.write(content.encode("utf-8", "surrogatepass")))


def complain(message: str, hint: str = "") -> None:
    """Print one line on stderr: what is wrong, and in brackets what to do."""
    tail = f" ({hint})" if hint else ""
    if sys.stderr is not None:
        print(f"hippod: {printable(message + tail)}", file=sys.stderr)


def printable(text: str, *, lines: bool = False) -> str:
    """Escape what could move a cursor or reorder text; newlines and tabs too unless `lines`."""
    return text.translate(_KEEP_LINES if lines else _ESCAPES)


def undo_hint(answer: "Answer") -> None:
    """Say how to take back what was just written, if anything was."""
    entries = answer.get("entries")
    if entries:
        say(f"undo with: {', then '.join(f'hippod undo {number}' for number in entries)}")


def terminal() -> bool:
    """Say whether a person looks at stdout."""
    return sys.stdout is not None and sys.stdout.isatty()


def colour() -> bool:
    """Say whether colour is wanted: a terminal, and neither NO_COLOR nor TERM=dumb."""
    return terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int:
    """Return the columns to fill, at most 100."""
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size(1).columns)
    except (OSError, ValueError):
        columns = 80
    return max(40, min(columns, MAX_WIDTH))


def height() -> int:
    """Return the lines of the terminal."""
    try:
        rows = int(os.environ.get("LINES") or os.get_terminal_size(1).lines)
    except (OSError, ValueError):
        rows = 24
    return max(5, rows)


def table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows in aligned columns."""
    clean = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*clean, strict=True)]
    for row in clean:
        cells = (cell.ljust(size) for cell, size in zip(row, widths, strict=True))
        say("  ".join(cells).rstrip())


def duration(seconds: float) -> str:
    """Say a time span for people: `1.5 h`."""
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.3g} s"


def prepare() -> None:
    """Make stdout and stderr take any text: what their encoding lacks is escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def flush() -> None:
    """Bring out what is buffered, so that a full disk or a closed pipe is noticed here."""
    if sys.stdout is not None:
        _write(sys.stdout.flush)


def silence() -> None:
    """Send the rest of stdout nowhere: the interpreter flushes once more when it ends."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _write(action: "Callable[[], object]") -> None:
    try:
        action()
    except BrokenPipeError:
        raise
    except OSError as error:
        silence()
        raise HippodError(f"cannot write the answer: {error.strerror}") from None


def _unicode() -> bool:
    return sys.stdout is not None and (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
