"""`hippod opinions`: what is believed, how surely, and on how much evidence."""

from hippod.cli import options, output
from hippod.errors import InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any

RECOMPUTE = "recompute"


def opinions_options(parser: "argparse.ArgumentParser") -> None:
    """Add whom to ask about, or `recompute`."""
    parser.add_argument(
        "what",
        nargs="?",
        metavar="@ENTITY|ID|recompute",
        help="only opinions about it, or that one; or: set each c to what its evidence gives",
    )
    parser.add_argument("--dry-run", action="store_true", help="with recompute: only say which")


def opinions(args: "argparse.Namespace") -> int:
    """List opinions, or recompute their confidence from the ledger."""
    if args.what == RECOMPUTE:
        answer = options.ask(args, lambda client: client.recompute_opinions(dry_run=args.dry_run))
        return output.show(
            args, answer, _print_recomputed, lambda done: _print_ids(done["changed"])
        )
    if args.dry_run:
        raise InvalidInput("--dry-run is for: hippod opinions recompute")
    answer = options.ask(args, lambda client: client.opinions(args.what))
    return output.show(args, answer, _print_opinions, lambda found: _print_ids(found["opinions"]))


def _print_opinions(answer: "dict[str, Any]") -> None:
    for opinion in answer["opinions"]:
        output.tell(_line(opinion), under=6)
    if not answer["opinions"]:
        output.say("no opinions")
    for problem in answer.get("problems") or ():
        output.complain(
            problem, "set it by: hippod opinions recompute" if "its c" in problem else ""
        )


def _print_ids(opinions: "list[dict[str, Any]]") -> None:
    output.names(f"^{each['id']}" for each in opinions if each.get("id"))


def _line(opinion: "dict[str, Any]") -> str:
    confidence = opinion["confidence"]
    shown = "   ?" if confidence is None else f"{confidence:.2f}"
    id_ = f" ^{opinion['id']}" if opinion.get("id") else ""
    return f"{shown}  {opinion['statement']}  ({', '.join(_remarks(opinion))}){id_}"


def _remarks(opinion: "dict[str, Any]") -> "Iterator[str]":
    yield f"{opinion['supports']} for"
    yield f"{opinion['contradicts']} against"
    if opinion.get("pending"):
        yield f"{opinion['pending']} pending"
    if opinion.get("prior") is None:
        yield "without prior"
    if opinion.get("contested"):
        yield "contested"
    if opinion.get("edited"):
        yield "edited by hand"
    if opinion.get("updated"):
        yield opinion["updated"]


def _print_recomputed(answer: "dict[str, Any]") -> None:
    changed, total = answer["changed"], answer["opinions"]
    would = "would set" if answer["dry_run"] else "set"
    for each in changed:
        before = "none" if each["before"] is None else f"{each['before']:.2f}"
        id_ = f" ^{each['id']}" if each.get("id") else ""
        line = f"{would} {before} to {each['after']:.2f}: {each['statement']}{id_}"
        output.tell(line)
    if not changed:
        output.say(f"{total} opinions, each as its evidence gives")
