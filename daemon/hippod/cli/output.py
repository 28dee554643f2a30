"""What the commands print: text that is safe on a terminal, JSON documents, complaints."""

import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence

from hippod.cli import columns
from hippod.errors import HippodError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    Answer = dict[str, Any]

MAX_WIDTH = 100
LEAST_WIDTH = 20
_BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)
_CONTROL = (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *_BIDI)
_ESCAPES = {code: ascii(chr(code))[1:-1] for code in _CONTROL}
_KEEP_LINES = {code: text for code, text in _ESCAPES.items() if code not in (0x09, 0x0A)}


def nothing(*_: object) -> None:
    """Print nothing: what most commands that change something do with `--quiet`."""


def show(
    args: "argparse.Namespace",
    answer: "Answer",
    render: "Callable[[Answer], None]",
    quiet: "Callable[[Answer], None]" = nothing,
) -> int:
    """Print an answer, as it is with `--json`, as `quiet` does with `--quiet`, else as `render`.

    Returns exit code 0.
    """
    if args.json:
        document(answer)
    elif args.quiet:
        quiet(answer)
    else:
        render(answer)
    return 0


def document(answer: "Mapping[str, Any]", *, one_line: bool = False) -> None:
    """Print one JSON document; control characters stand as escapes in it."""
    indent = 2 if terminal() and not one_line else None
    text = json.dumps(answer, ensure_ascii=not _unicode(), allow_nan=False, indent=indent)
    say(text.translate({code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), *_BIDI)}))


def say(text: str = "") -> None:
    """Print a line of our own words, which is safe already."""
    _write(lambda: print(text))


def tell(text: str, *, under: int = 0) -> None:
    """Print a line with words of others in it: control characters stand as escapes.

    One that is too long for a terminal goes on in lines that begin `under` columns further in
    than itself; into a pipe or file it is one line.
    """
    safe = printable(text)
    if terminal():
        indent = len(safe) - len(safe.lstrip(" ")) + under
        safe = "\n".join(columns.wrapped(safe, room(), indent=indent, mark=mark()))
    say(safe)


def names(values: "Iterable[object]") -> None:
    """Print one name a line, whole: what `--quiet` leaves of a list."""
    for value in values:
        say(printable(str(value)))


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
        tell(f"undo with: {', then '.join(f'hippod undo {number}' for number in entries)}")


def terminal() -> bool:
    """Say whether a person looks at stdout."""
    return sys.stdout is not None and sys.stdout.isatty()


def colour() -> bool:
    """Say whether colour is wanted: by a person at a terminal, or by the environment.

    NO_COLOR goes before FORCE_COLOR and CLICOLOR_FORCE, as in Python itself, and those before
    TERM=dumb and CLICOLOR=0.
    """
    environ = os.environ
    if environ.get("NO_COLOR"):
        return False
    if any(environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return terminal() and environ.get("TERM") != "dumb" and environ.get("CLICOLOR") != "0"


def tinted(code: str, text: str) -> str:
    """Return safe text in a colour of the terminal, such as `"1;31"`, where colour is wanted."""
    return f"\x1b[{code}m{text}\x1b[0m" if colour() and text else text


def wrapped(text: str, *, inside: int, most: int | None = None) -> list[str]:
    """Return safe text as lines that leave `inside` columns of the width free."""
    return columns.wrapped(text, width() - inside, most=most, mark=mark(), exact=terminal())


def room() -> int:
    """Return the columns of the terminal, at least 20."""
    try:
        there = int(os.environ.get("COLUMNS") or os.get_terminal_size(1).columns)
    except (OSError, ValueError):
        there = 80
    return max(LEAST_WIDTH, there)


def width() -> int:
    """Return the columns to fill with text: as many as there are, at most 100."""
    return min(room(), MAX_WIDTH)


def mark() -> str:
    """Return what stands for text that was cut off."""
    return "…" if _unicode() else "..."


def height() -> int:
    """Return the lines of the terminal."""
    try:
        rows = int(os.environ.get("LINES") or os.get_terminal_size(1).lines)
    except (OSError, ValueError):
        rows = 24
    return max(5, rows)


def fitted(text: str, taken: int = 0) -> str:
    """Make text safe, and cut it to the line of a terminal of which `taken` columns are used.

    Into a pipe or file it goes whole.
    """
    safe = printable(text)
    return columns.cut(safe, max(1, room() - taken), mark()) if terminal() else safe


def table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows, of which the first is the head, in aligned columns.

    A terminal that is too narrow gets the widest columns cut, and where that is not enough, each
    row as a paragraph. Into a pipe or file all goes whole.
    """
    clean = [[printable(cell) for cell in row] for row in rows]
    exact = terminal()
    widths = _widths(clean, exact=exact)
    if exact and columns.total(widths) > room():
        clean = columns.saying(clean)
        widths = columns.fitting(_widths(clean), room())
        if columns.total(widths) > room():
            _paragraphs(clean[0], clean[1:])
            return
        clean = [
            [columns.cut(cell, size, mark()) for cell, size in zip(row, widths, strict=True)]
            for row in clean
        ]
    for row in clean:
        cells = (
            columns.padded(cell, size, exact=exact) for cell, size in zip(row, widths, strict=True)
        )
        say((" " * columns.GAP).join(cells).rstrip())


def _widths(rows: Sequence[Sequence[str]], *, exact: bool = True) -> list[int]:
    return [
        max(columns.width(cell, exact=exact) for cell in column)
        for column in zip(*rows, strict=True)
    ]


def _paragraphs(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print each row as its first cell, and below it the others that say something."""
    title = next(place for place, name in enumerate(head) if name)
    for row in rows:
        tell(" ".join(filter(None, row[: title + 1])), under=2)
        said = [
            f"{name} {cell}".lstrip()
            for name, cell in zip(head[title + 1 :], row[title + 1 :], strict=True)
            if cell not in ("", "-")
        ]
        tell(f"  {' · '.join(said)}")


def many(count: int, what: str) -> str:
    """Return a count with the word for what is counted: "1 file", "2 files"."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


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
