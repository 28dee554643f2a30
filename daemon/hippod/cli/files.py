"""`hippod read write append replace insert move delete tree`: the documents of the workspace."""

import sys

from hippod.cli import options, output
from hippod.errors import InvalidInput, TooLarge

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

MAX_INPUT = 64_000_000
"""Bytes that are read from stdin; the daemon's own limit is lower and says so."""


def read_options(parser: "argparse.ArgumentParser") -> None:
    """Add the path."""
    parser.add_argument("path", help="relative to the workspace")


def read(args: "argparse.Namespace") -> int:
    """Print a document, byte for byte unless a person looks."""
    answer = options.ask(args, lambda client: client.read(args.path))
    return output.show(args, answer, _print_content, quiet=_print_content)


def _print_content(found: "dict[str, Any]") -> None:
    output.verbatim(str(found["content"]))


def write_options(parser: "argparse.ArgumentParser") -> None:
    """Add path, content and etag."""
    parser.add_argument("path", help="relative to the workspace")
    parser.add_argument("content", nargs="?", help="the text; - or nothing: from stdin")
    _etag(parser)


def write(args: "argparse.Namespace") -> int:
    """Write a whole document."""
    content = text_of(args.content)
    answer = options.ask(args, lambda client: client.write(args.path, content, etag=args.etag))
    return output.show(args, answer, lambda done: print_written("wrote", done))


append_options = write_options


def append(args: "argparse.Namespace") -> int:
    """Add text at the end of a document."""
    content = text_of(args.content)
    answer = options.ask(args, lambda client: client.append(args.path, content, etag=args.etag))
    return output.show(args, answer, lambda done: print_written("appended to", done))


def replace_options(parser: "argparse.ArgumentParser") -> None:
    """Add path, old, new and etag."""
    parser.add_argument("path", help="relative to the workspace")
    parser.add_argument("old", help="the passage; it must stand there exactly once")
    parser.add_argument("new", help="what stands there afterwards")
    _etag(parser)


def replace(args: "argparse.Namespace") -> int:
    """Replace the one place where a passage stands."""
    answer = options.ask(
        args, lambda client: client.replace(args.path, args.old, args.new, etag=args.etag)
    )
    return output.show(args, answer, lambda done: print_written("changed", done))


def insert_options(parser: "argparse.ArgumentParser") -> None:
    """Add path, line, content and etag."""
    parser.add_argument("path", help="relative to the workspace")
    parser.add_argument("content", nargs="?", help="the text; - or nothing: from stdin")
    parser.add_argument(
        "--line", type=int, required=True, metavar="N", help="before line N; last + 1 appends"
    )
    _etag(parser)


def insert(args: "argparse.Namespace") -> int:
    """Insert text on lines of its own."""
    content = text_of(args.content)
    answer = options.ask(
        args, lambda client: client.insert(args.path, args.line, content, etag=args.etag)
    )
    return output.show(args, answer, lambda done: print_written("inserted into", done))


def move_options(parser: "argparse.ArgumentParser") -> None:
    """Add both paths and the etag."""
    parser.add_argument("path", help="relative to the workspace")
    parser.add_argument("to", help="the new path; nothing may stand there")
    _etag(parser)


def move(args: "argparse.Namespace") -> int:
    """Give a document another path."""
    answer = options.ask(args, lambda client: client.move(args.path, args.to, etag=args.etag))
    old = output.printable(args.path)
    return output.show(args, answer, lambda done: print_written(f"moved {old} to", done))


def delete_options(parser: "argparse.ArgumentParser") -> None:
    """Add path and etag."""
    parser.add_argument("path", help="relative to the workspace")
    _etag(parser)


def delete(args: "argparse.Namespace") -> int:
    """Delete a document."""
    answer = options.ask(args, lambda client: client.delete(args.path, etag=args.etag))
    return output.show(
        args, answer, lambda done: output.say(f"deleted {output.printable(str(done['path']))}")
    )


def tree_options(parser: "argparse.ArgumentParser") -> None:
    """Add the folder and the shape."""
    parser.add_argument("directory", nargs="?", default="", help="default: the whole workspace")
    parser.add_argument("--flat", action="store_true", help="one path a line instead of a tree")
    parser.add_argument(
        "--no-recursive", dest="recursive", action="store_false", help="this folder only"
    )


def tree(args: "argparse.Namespace") -> int:
    """List a folder and what is below it."""
    answer = options.ask(args, lambda client: client.tree(args.directory, recursive=args.recursive))
    return output.show(args, answer, lambda found: _print_tree(found, flat=args.flat), _print_flat)


def text_of(argument: str | None) -> str:
    """Return the argument, or stdin where it is `-` or missing."""
    if argument not in (None, "-"):
        return str(argument)
    if argument is None and sys.stdin is not None and sys.stdin.isatty():
        raise InvalidInput("no content given", "pass it as an argument, or - to type it")
    try:
        return from_stdin().decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"stdin: not UTF-8 at byte {error.start}", "convert it first") from None


def from_stdin() -> bytes:
    """Read stdin to its end; raise `TooLarge` over 64 MB."""
    if sys.stdin is None:
        raise InvalidInput("stdin is closed", "pass the text as an argument")
    raw = sys.stdin.buffer.read(MAX_INPUT + 1)
    if len(raw) > MAX_INPUT:
        raise TooLarge(f"stdin has over {MAX_INPUT} bytes")
    return raw


def print_written(verb: str, done: "dict[str, Any]") -> None:
    """Print what a write did, with the line and the new etag."""
    place = output.printable(str(done["path"]))
    if done.get("line"):
        place += f"#L{done['line']}"
    if not done.get("changed", True):
        verb = "unchanged:"
    output.say(f"{verb} {place}  etag {output.printable(str(done['etag']))}")


def _print_tree(answer: "dict[str, Any]", *, flat: bool) -> None:
    if flat:
        _print_flat(answer)
        return
    base = str(answer.get("directory") or "").strip("/")
    for entry in answer["entries"]:
        below = str(entry["path"]).removeprefix(base).strip("/")
        indent = "  " * below.count("/")
        output.say(indent + output.fitted(entry["name"] + _slash(entry), len(indent)))


def _print_flat(answer: "dict[str, Any]") -> None:
    output.names(entry["path"] + _slash(entry) for entry in answer["entries"])


def _slash(entry: "dict[str, Any]") -> str:
    return "/" if entry["is_directory"] else ""


def _etag(parser: "argparse.ArgumentParser") -> None:
    parser.add_argument("--etag", help='only over that version ("": only if it does not exist)')
