"""`hippod reflect`: what the facts make of the bank's pages."""

from hippod.cli import options, output
from hippod.cli.provenance import print_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any


def reflect_options(parser: "argparse.ArgumentParser") -> None:
    """Add `--since` and `--dry-run`."""
    parser.add_argument(
        "--since", metavar="7d", help="leave facts of days before this date or age for later"
    )
    parser.add_argument("--dry-run", action="store_true", help="only show what would change")


def reflect(args: "argparse.Namespace") -> int:
    """Bring the pages up to date and print what changed, or would."""
    answer = options.ask(args, lambda c: c.reflect(since=args.since, dry_run=args.dry_run))
    return output.show(args, answer, print_reflected, _print_paths)


def _print_paths(answer: "dict[str, Any]") -> None:
    output.names(change["path"] for change in answer["changes"])
    for problem in answer["problems"]:
        output.complain(f"{problem['path']}: {problem['reason']}")


def print_reflected(answer: "dict[str, Any]") -> None:
    """Print the answer of a reflection."""
    for change in answer["changes"]:
        if answer["dry_run"]:
            print_diff(change["diff"])
        else:
            output.tell(f"{change['path']}: {change['reason']}")
    for problem in answer["problems"]:
        output.tell(f"! {problem['path']}: {problem['reason']}")
    output.tell(", ".join(_counts(answer)))


def _counts(answer: "dict[str, Any]") -> "Iterator[str]":
    count = len(answer["changes"])
    if not count:
        yield "nothing to change"
    else:
        yield f"{count} {'change' if count == 1 else 'changes'}{' to do' * answer['dry_run']}"
    new = f"{answer['facts']} new fact{'s' if answer['facts'] != 1 else ''}"
    yield f"{new}, summaries {answer['quality']}"
    if answer["interrupted"]:
        yield "broken off: the next run goes on"
