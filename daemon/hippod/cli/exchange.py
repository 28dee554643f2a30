"""`hippod export import`: facts, opinions and entities as lines of JSON."""

import os
import sys
from contextlib import contextmanager

from hippod.cli import options, output, progress
from hippod.errors import HippodError, InvalidInput, NotFound, NotResponding

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from typing import Any, BinaryIO

    from hippod.client import Client

PART_BYTES = 100_000
"""How much of an export is sent at once: a second or a few of the daemon's work."""
LONGEST_LINE = 4_000_000
_MOST_SHOWN = 20
_TYPES = ("facts", "opinions", "entities")
TYPES = ("fact", "opinion", "entity")
"""As they are asked for."""


def export_options(parser: "argparse.ArgumentParser") -> None:
    """Add where it goes, and what of it."""
    parser.add_argument("file", nargs="?", default="-", metavar="FILE|-", help="default: stdout")
    parser.add_argument("--since", metavar="WHEN", help="what is of a date, or of 30d, or later")
    parser.add_argument(
        "--type", action="append", metavar="TYPE", help=f"{', '.join(TYPES)} (also a,b)"
    )
    parser.add_argument("--force", action="store_true", help="write over a file that is there")


def export(args: "argparse.Namespace") -> int:
    """Write an export; a file gets its name once it is whole."""
    types = options.listed(args.type) or []
    with options.connect(args) as client:
        lines = client.export(since=args.since, types=types)
        if args.file == "-":
            for line in lines:
                output.verbatim(f"{line}\n")
            return 0
        count = _write(client, args.file, lines, force=args.force)
    answer = {"file": os.path.abspath(args.file), "records": max(0, count - 2)}  # noqa: PTH100
    return output.show(args, answer, _print_exported)


def _write(client: "Client", file: str, lines: "Iterator[str]", *, force: bool) -> int:
    from pathlib import Path

    from hippod import publishing

    target = Path(file).absolute()
    publishing.check_target(target, force=force)
    about = client.status().get("workspace")
    if about:  # a group is not told, and refused next
        publishing.refuse_inside(target, Path(about["path"]))
    return publishing.save((f"{line}\n".encode() for line in lines), target, force=force)


def _print_exported(answer: "dict[str, Any]") -> None:
    output.tell(f"{answer['file']}: {answer['records']} records")


# -- import ----------------------------------------------------------------------------------


def import_options(parser: "argparse.ArgumentParser") -> None:
    """Add what to import, and how."""
    parser.add_argument("file", nargs="?", metavar="FILE|-", help="what hippod export wrote")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be added")
    parser.add_argument("--strict", action="store_true", help="add nothing if a line is refused")
    parser.add_argument("--undo", metavar="NAME", help="take an import back")


def import_(args: "argparse.Namespace") -> int:
    """Add what is missing; not 0 if a line was refused."""
    with options.connect(args) as client:
        if args.undo:
            return _undo(args, client)
        if not args.file:
            raise InvalidInput("nothing to import", "give FILE, or - for stdin")
        if args.strict and not args.dry_run:
            return _strictly(args, client)
        answer = _sent(client, args.file, dry_run=args.dry_run, quiet=args.json or args.quiet)
    return _told(args, answer)


def _strictly(args: "argparse.Namespace", client: "Client") -> int:
    """Look at every line first; add nothing unless all can be taken."""
    if args.file == "-":
        raise InvalidInput("--strict reads twice, which stdin cannot", "name a file")
    answer = _sent(client, args.file, dry_run=True, quiet=args.json or args.quiet)
    if answer["refused"]:
        return _told(args, answer)
    return _told(args, _sent(client, args.file, dry_run=False, quiet=args.json or args.quiet))


def _undo(args: "argparse.Namespace", client: "Client") -> int:
    answer: dict[str, Any] = dict(client.undo_import(args.undo, dry_run=args.dry_run))
    output.show(args, answer, _print_undone, _complain_of_conflicts)
    return HippodError.exit_code if answer["conflicts"] else 0


def _sent(client: "Client", file: str, *, dry_run: bool, quiet: bool = False) -> "dict[str, Any]":
    """Send an export in parts and return all answers as one."""
    import secrets

    total: dict[str, Any] = {}
    batch = secrets.token_hex(4)  # ours, so that it is known whatever becomes of an answer
    size, done = _size(file), 0
    with (
        _opened(file) as stream,
        _telling_what_is_in(total, batch, dry_run=dry_run),
        progress.Told(quiet=quiet) as told,
    ):
        for line, text in _parts(stream, file):
            total["from"] = line
            answer: dict[str, Any] = dict(
                client.import_(text, line=line, batch=batch, dry_run=dry_run)
            )
            total |= _joined(total, answer) if "batch" in total else answer
            done += len(text.encode())
            what = "looked at" if dry_run else "imported"
            told.tell(f"{what} {done / 1e6:.1f}{size} MB, {_counted(total['added'])} are new")
    total.pop("from", None)
    if not total:
        raise InvalidInput(f"{file}: is empty", "import what hippod export wrote")
    return total


@contextmanager
def _telling_what_is_in(total: "dict[str, Any]", batch: str, *, dry_run: bool) -> "Iterator[None]":
    """Where an import breaks off, say how far it came and how to take that back."""
    try:
        yield
    except (HippodError, KeyboardInterrupt) as error:
        line = total.get("from", 0)
        is_sent = line and isinstance(error, KeyboardInterrupt | NotResponding)
        if (line > 1 or is_sent) and not dry_run:
            before = f"the lines before {line} are in" if line > 1 else ""
            behind = f"what was sent from line {line} on may be" if is_sent else ""
            output.complain(
                f"the import broke off: {', '.join(filter(None, (before, behind)))}",
                f"import it again to go on, or take it back: hippod import --undo {batch}",
            )
        raise


def _size(file: str) -> str:
    """Return how much there is to import, empty if nobody knows."""
    try:
        return f" of {os.stat(file).st_size / 1e6:.1f}" if file != "-" else ""  # noqa: PTH116
    except OSError:
        return ""


def _opened(file: str) -> "AbstractContextManager[BinaryIO]":
    from contextlib import nullcontext

    if file == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return open(file, "rb")  # noqa: PTH123 - pathlib costs 8 ms
    except FileNotFoundError:
        raise NotFound(f"{file}: no such file") from None
    except OSError as error:
        raise InvalidInput(f"{file}: {error.strerror}") from None


def _parts(stream: "BinaryIO", name: str) -> "Iterator[tuple[int, str]]":
    """Yield parts of whole lines, each with the number of its first line."""
    held: list[bytes] = []
    size = first = 0
    number = 0
    while line := stream.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise InvalidInput(f"{name}: line {number} is over {LONGEST_LINE} bytes")
        if held and size + len(line) > PART_BYTES:
            yield first, _text(held)
            held, size = [], 0
        first = first if held else number
        held.append(line)
        size += len(line)
    if held:
        yield first, _text(held)


def _text(lines: list[bytes]) -> str:
    """Return bytes as text; what is no UTF-8 makes its line no JSON, which is refused."""
    text = b"".join(lines)
    return text.decode("utf-8-sig", "replace")


def _joined(total: "dict[str, Any]", answer: "dict[str, Any]") -> "dict[str, Any]":
    counts = {
        key: {name: total[key][name] + answer[key][name] for name in _TYPES}
        for key in ("added", "extended", "standing")
    }
    return {
        **answer,
        **counts,
        "reworded": total.get("reworded", 0) + answer.get("reworded", 0),
        "refused": total["refused"] + answer["refused"],
        "paths": list(dict.fromkeys(total["paths"] + answer["paths"])),
    }


def _told(args: "argparse.Namespace", answer: "dict[str, Any]") -> int:
    output.show(args, answer, _print_imported, _print_batch)
    if not answer["ended"]:
        output.complain(f"{args.file}: has no end: the export was cut off")
    return HippodError.exit_code if answer["refused"] or not answer["ended"] else 0


def _print_batch(answer: "dict[str, Any]") -> None:
    _complain_of_lines(answer)
    if answer["entries"]:
        output.names([answer["batch"]])


def _complain_of_lines(answer: "dict[str, Any]") -> None:
    for each in answer["refused"][:_MOST_SHOWN]:
        output.complain(f"line {each['line']}: {each['reason']}")
    if len(answer["refused"]) > _MOST_SHOWN:
        more = len(answer["refused"]) - _MOST_SHOWN
        verb = "was" if more == 1 else "were"
        output.complain(f"and {output.many(more, 'more line')} {verb} refused", "see --json")


def _print_imported(answer: "dict[str, Any]") -> None:
    _complain_of_lines(answer)
    would = "would add" if answer["dry_run"] else "added"
    output.say(f"{would} {_counted(answer['added'])}")
    if any(answer["extended"].values()):
        output.say(f"of those there, extended: {_counted(answer['extended'])}")
    output.say(f"there already: {_counted(answer['standing'])}")
    if answer.get("reworded"):
        output.say(f"there in other words, which stay: {output.many(answer['reworded'], 'fact')}")
    if answer["entries"]:
        output.tell(f"undo with: hippod import --undo {answer['batch']}")


def _complain_of_conflicts(answer: "dict[str, Any]") -> None:
    for each in answer["conflicts"]:
        output.complain(each)


def _print_undone(answer: "dict[str, Any]") -> None:
    _complain_of_conflicts(answer)
    would = "would take back" if answer["dry_run"] else "took back"
    changes = output.many(len(answer["undone"]), "change")
    output.say(f"{would} {changes} in {output.many(len(answer['paths']), 'document')}")


def _counted(counts: "dict[str, int]") -> str:
    return ", ".join(f"{counts[name]} {name}" for name in _TYPES)
