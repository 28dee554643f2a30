"""`hippod heartbeat`: what of the checklist needs attention, now or in earlier looks."""

from hippod.cli import options, output
from hippod.errors import InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any

    Beat = dict[str, Any]

_MARKS = {"attention": "!", "failed": "!", "not judged": "?", "to do": ">", "left": "-"}
_PRESSING = ("attention", "failed")
_LIMIT = 20
"""Beats of the history that are shown."""


def heartbeat_options(parser: "argparse.ArgumentParser") -> None:
    """Add `history`, `--dry-run`, `--last` and `--limit`."""
    parser.epilog = (
        "exit code: 0 if it looked at the list, whatever it found; 1 if a look, or all that it\n"
        "found, failed or was interrupted."
    )
    parser.add_argument(
        "action", nargs="?", choices=["history"], help="list earlier ones, newest first"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="only say what would be done: nothing is run"
    )
    parser.add_argument("--last", action="store_true", help="show the last one, run none")
    parser.add_argument("--limit", type=int, metavar="N", help=f"so many of them ({_LIMIT})")


def heartbeat(args: "argparse.Namespace") -> int:
    """Look at the checklist and print what needs attention, or what earlier looks found."""
    if args.dry_run and (args.last or args.action):
        raise InvalidInput("--dry-run: is about a look now, not an earlier one")
    if args.last and args.action:
        raise InvalidInput("--last: is not for: hippod heartbeat history", "see --limit")
    if args.limit is not None and not args.action:
        raise InvalidInput("--limit: is for: hippod heartbeat history")
    if args.last:
        return _show_last(args)
    if args.action:
        limit = _LIMIT if args.limit is None else args.limit
        answer = options.ask(args, lambda client: client.heartbeat_history(limit))
        return output.show(
            args,
            answer,
            _print_history,
            lambda found: output.names(_line(b) for b in found["beats"]),
        )
    answer = options.ask(args, lambda client: client.heartbeat(dry_run=args.dry_run))
    output.show(args, answer, print_beat, _print_reply)
    return 1 if answer["outcome"] in ("failed", "interrupted") else 0


def _show_last(args: "argparse.Namespace") -> int:
    found = options.ask(args, lambda client: client.heartbeat_history(1))["beats"]
    if found:
        return output.show(args, found[0], print_beat, _print_reply)
    none = "no heartbeat yet: hippod heartbeat looks now"
    return output.show(args, {}, lambda _: output.say(none))


def _print_reply(beat: "Beat") -> None:
    output.say(output.printable(beat["reply"], lines=True))


def _line(beat: "Beat") -> str:
    return f"{beat['started']} {beat['outcome']}"


def print_beat(beat: "Beat") -> None:
    """Print what a heartbeat came to: what it told first, then each item with its state."""
    _print_reply(beat)
    output.say()
    for item in beat["items"]:
        mark = _MARKS.get(item["state"], " ")
        output.tell(f"{mark} {item['state']:<10}  {item['text']}", under=14)
        if item["reason"] and item["state"] not in ("fine", "done"):
            cited = f" ({', '.join(item['evidence'])})" if item["evidence"] else ""
            output.tell(f"{'':14}{item['reason']}{cited}")
    for problem in beat["problems"]:
        output.tell(f"! {problem}")
    output.tell(f"{beat['started']}: {', '.join(_facts(beat))}")


def _facts(beat: "Beat") -> "Iterator[str]":
    reason = f" ({beat['reason']})" if beat["reason"] else ""
    yield f"{beat['outcome']}{reason}"
    would = "would have " if beat["dry_run"] else ""
    if beat["reflected"]:
        yield f"{would}reflected"
    if beat["tidied"]:
        yield f"{would}tidied up"
    if beat["tokens"]:
        yield f"{beat['tokens']} tokens"
    if beat["quiet"]:
        yield "quiet hours"
    yield output.duration(beat["seconds"])


def _print_history(answer: "Beat") -> None:
    if not answer["beats"]:
        output.say("no heartbeat yet")
        return
    rows = [["started", "outcome", "items", "told", "tokens", "took", "reason"]]
    for beat in answer["beats"]:
        told = sum(item["told"] and item["state"] in _PRESSING for item in beat["items"])
        row = [
            str(beat["started"]).replace("T", " ")[:16],
            beat["outcome"],
            str(len(beat["items"])),
            str(told),
        ]
        took = output.duration(beat["seconds"])
        rows.append([*row, str(beat["tokens"]), took, beat["reason"] or ""])
    output.table(rows)
