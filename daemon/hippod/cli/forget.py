"""`hippod forget`: what would go for good, and letting it go."""

from hippod.cli import options, output
from hippod.errors import Conflict, HippodError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

_WHY = {
    "fact": "the fact",
    "text": "says it",
    "within": "says it among other words",
    "paraphrase": "says the same",
    "derived": "derived from it",
    "evidence": "evidence of an opinion",
    "opinion": "an opinion that rests on it",
    "proposal": "a proposal that cites it",
}
_LEFT = {
    "transcript": "transcript",
    "file": "no document",
    "name": "its name says it",
    "nameless": "stays without the name: somebody wrote there",
    "git": "git keeps every version of its files",
}
_DOES = {"remove": "-", "change": "~", "delete": "-"}


def forget_options(parser: "argparse.ArgumentParser") -> None:
    """Add what to forget, and whether to do it."""
    parser.add_argument("what", metavar="TEXT|ID", help="words as they stand, or the id of a fact")
    parser.add_argument("--yes", action="store_true", help="do it; there is no undo")
    parser.add_argument(
        "--all", action="store_true", help="even a short text that stands in many places"
    )


def forget(args: "argparse.Namespace") -> int:
    """Print what would go, or let it go; not 0 if something of it still stands."""
    what = {"id": args.what} if args.what.startswith("^") else {"text": args.what}
    wanted = {**what, "dry_run": not args.yes, "every": args.all}
    answer = options.ask(args, lambda client: client.forget(**wanted))
    output.show(args, answer, _print, _print_quietly)
    problems = answer.get("problems") or []
    if not answer["applied"] or not problems:
        return 0
    all_conflicts = all(problem["conflict"] for problem in problems)
    return Conflict.exit_code if all_conflicts else HippodError.exit_code


def _print_quietly(answer: "dict[str, Any]") -> None:
    output.names(f"{place['path']}:{place['line']}" for place in answer["places"])
    _complain(answer)


def _complain(answer: "dict[str, Any]") -> None:
    for problem in answer["problems"]:
        still = "still stands in" if answer["applied"] else "will stay in"
        output.complain(f"{still} {problem['path']}: {problem['reason']}")


def _print(answer: "dict[str, Any]") -> None:
    _print_places(answer)
    _print_left(answer)
    _complain(answer)
    if not answer["applied"]:
        output.say()
        if answer["widespread"]:
            output.tell("so short a text stands in many places: better give more of it")
        again = "--yes --all" if answer["widespread"] else "--yes"
        output.tell(f"nothing was changed. To forget this for good, run it again with {again}")
        return
    output.say()
    kept = ", ".join(f"{count} {name}" for name, count in answer["kept"].items() if count)
    lines = output.many(answer["tombstones"], "line")
    output.say(f"forgotten, {lines} added to bank/forgotten.md")
    if kept:
        output.say(f"and of what was kept: {kept}")
    output.tell("backups and exports that you made still say it: delete them, and make new ones")


def _print_places(answer: "dict[str, Any]") -> None:
    path = None
    for place in answer["places"]:
        if place["path"] != path:
            path = place["path"]
            whole = "  (the whole page)" if place["action"] == "delete" else ""
            output.tell(f"{path}{whole}")
        mark, why = _DOES[place["action"]], _WHY[place["why"]]
        output.tell(f"  {mark} {place['line']}: {place['text']}  ({why})", under=4)
    if path is None:
        output.say("no document says it")


def _print_left(answer: "dict[str, Any]") -> None:
    copies = [each for each in answer["left"] if each["why"] != "similar"]
    similar = [each for each in answer["left"] if each["why"] == "similar"]
    if copies:
        output.say("not changed, look yourself:")
    for each in copies:
        line = f":{each['line']}" if each.get("line") else ""
        output.tell(f"  {each['path']}{line}  ({_LEFT[each['why']]})")
    if similar:
        output.say("left, but similar:")
    for each in similar:
        name = f"^{each['id']}" if each.get("id") else f"{each['path']}:{each['line']}"
        output.tell(f"  {name}  {each['text']}")
