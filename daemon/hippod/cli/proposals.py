"""`hippod proposals`: changes of MEMORY.md that wait for a person's word."""

from hippod.cli import options, output
from hippod.cli.provenance import print_diff
from hippod.errors import InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

ACTIONS = ("list", "show", "accept", "reject")


def proposals_options(parser: "argparse.ArgumentParser") -> None:
    """Add what to do, and with which."""
    parser.add_argument(
        "action", nargs="?", metavar="ACTION", default="list", help=", ".join(ACTIONS)
    )
    parser.add_argument("id", nargs="?", help="of a proposal; a beginning of 4 is enough")
    parser.add_argument("--all", action="store_true", help="list those that are decided too")
    parser.add_argument(
        "--force", action="store_true", help="accept although over 25 %% of the lines would go"
    )


def proposals(args: "argparse.Namespace") -> int:
    """List proposals, show one, or decide it."""
    if args.action not in ACTIONS:
        close = f"hippod proposals show {args.action}"
        raise options.unknown_action(args.action, ACTIONS, close)
    if args.action == "list":
        if args.id:
            raise InvalidInput("list takes no id", f"try: hippod proposals show {args.id}")
        answer = options.ask(args, lambda client: client.proposals())
        return output.show(
            args,
            answer,
            lambda found: _print_list(found, every=args.all),
            lambda found: output.names(f"^{each['id']}" for each in _chosen(found, args.all)),
        )
    if not args.id:
        raise InvalidInput(f"{args.action}: no id given", "list them with: hippod proposals")
    if args.action == "show":
        answer = options.ask(args, lambda client: client.proposal(args.id))
        return output.show(args, answer, _print_proposal, lambda found: print_diff(found["diff"]))
    if args.action == "accept":
        answer = options.ask(args, lambda client: client.accept_proposal(args.id, force=args.force))
    else:
        answer = options.ask(args, lambda client: client.reject_proposal(args.id))
    return output.show(args, answer, _print_decided)


def _print_list(answer: "dict[str, Any]", *, every: bool) -> None:
    shown = _chosen(answer, every)
    for each in shown:
        status = f"{each['status']}  " if every else ""
        output.tell(f"^{each['id']}  {status}{each['title']}")
        if each.get("reason"):
            output.tell(f"  {each['reason']}")
    decided = len(answer["proposals"]) - len(shown)
    if not shown:
        output.say("no open proposals")
    if decided:
        output.say(f"{decided} decided already (hippod proposals --all)")
    for problem in answer.get("problems") or ():
        output.complain(problem)


def _chosen(answer: "dict[str, Any]", every: bool) -> "list[dict[str, Any]]":
    return [each for each in answer["proposals"] if every or each["status"] == "open"]


def _print_proposal(answer: "dict[str, Any]") -> None:
    head = f"^{answer['id']}  {answer['status']}  {answer['title']}"
    place = f"{answer['file']} to {answer['to']}" if answer.get("to") else answer["file"]
    section = f", under {answer['section']!r}" if answer.get("section") else ""
    output.tell(head)
    output.tell(f"  {answer.get('day') or ''}  {answer.get('reason') or ''}")
    output.tell(f"  in {place}{section}")
    if answer.get("evidence"):
        output.tell(f"  {' '.join(answer['evidence'])}")
    output.say()
    print_diff(answer["diff"])


def _print_decided(answer: "dict[str, Any]") -> None:
    output.tell(f"{answer['status']} ^{answer['id']}  {answer['title']}")
    for change in answer.get("changes") or ():
        output.tell(f"  changed {change['path']}")
    output.undo_hint(answer)
