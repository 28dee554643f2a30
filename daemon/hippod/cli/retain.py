"""`hippod retain`: messages, facts, or the order to extract now what waits."""

import json

from hippod.cli import files, options, output
from hippod.errors import InvalidInput, NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any


def retain_options(parser: "argparse.ArgumentParser") -> None:
    """Add the fields of a retain."""
    add = parser.add_argument
    add("file", nargs="?", metavar="FILE|-",
        help='JSON messages {"role", "content", ...}: a list, or one a line')  # fmt: skip
    add("--fact", action="append", metavar="BULLET", help='such as "W @Anna: Moved to Graz."')
    add("--session", metavar="ID", help="the session they belong to, or to flush")
    add("--flush", action="store_true", help="extract now what waits")
    add("--ended", action="store_true", help="also: the session is over, its working memory goes")
    add("--wait", action="store_true", help="answer after the extraction")
    add("--explain", action="store_true", help="also show what was rejected, and why")


def retain(args: "argparse.Namespace") -> int:
    """Hand over, and print what became of it."""
    if not (args.file or args.fact or args.flush or args.ended):
        raise InvalidInput(
            "nothing to retain", "give FILE, - for stdin, --fact or --flush; see --help"
        )
    messages = parse_messages(_source(args.file), args.file) if args.file else []
    answer = options.ask(
        args,
        lambda client: client.retain(
            messages, facts=args.fact or (), session=args.session, flush=args.flush,
            ended=args.ended, wait=args.wait, explain=args.explain,
        ),
    )  # fmt: skip
    return output.show(args, answer, _print, _print_places)


def parse_messages(text: str, name: str) -> "list[dict[str, Any]]":
    """Read messages from a JSON list, an object with `messages`, or JSON lines.

    Raises `InvalidInput` naming the line that is not a JSON object.
    """
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
        return [_message(line, f"{name}: line {n}") for n, line in lines]
    if isinstance(whole, dict):
        whole = whole.get("messages", [whole])
    if not isinstance(whole, list) or not all(isinstance(item, dict) for item in whole):
        raise InvalidInput(f"{name}: not a list of messages", "see: hippod retain --help")
    return whole


def _message(line: str, place: str) -> "dict[str, Any]":
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{place}: not JSON: {error}") from None
    if not isinstance(message, dict):
        raise InvalidInput(f"{place}: not a message", 'it must look like {"role": …, "content": …}')
    return message


def _source(name: str) -> str:
    """Read a transcript; bytes that are not UTF-8 are replaced, a hook cannot mend them."""
    if name == "-":
        return files.from_stdin().decode("utf-8-sig", "replace")
    try:
        with open(name, "rb") as file:  # noqa: PTH123 - pathlib costs 8 ms
            return file.read(files.MAX_INPUT).decode("utf-8-sig", "replace")
    except FileNotFoundError:
        raise NotFound(f"{name}: no such file") from None
    except OSError as error:
        raise InvalidInput(f"{name}: {error.strerror}") from None


def _print_places(answer: "dict[str, Any]") -> None:
    output.names(_place(fact) for fact in answer.get("stored") or ())


def _place(fact: "dict[str, Any]") -> str:
    return f"{fact['path']}#L{fact['line']}"


def _print(answer: "dict[str, Any]") -> None:
    stored, rejected = answer.get("stored") or [], answer.get("rejected") or []
    for fact in stored:
        output.tell(f"{_place(fact)}  {fact['bullet']}", under=2)
    for item in rejected:
        where = f"  {item['source']}" if item.get("source") else ""
        output.tell(f"not stored: {item['text']}: {item['reason']}{where}")
    counts = [f"{len(stored)} stored"]
    counts += [f"{len(rejected)} not stored"] if rejected else []
    counts += [f"{output.many(answer['queued'], 'turn')} queued"] if answer.get("queued") else []
    output.say(", ".join(counts))
