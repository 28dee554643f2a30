"""`hippod context working`: what an agent is given, and what its session keeps in mind."""

from hippod.cli import files, options, output
from hippod.errors import InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

ACTIONS = ("get", "set", "append", "clear")


def context_options(parser: "argparse.ArgumentParser") -> None:
    """Add session and budget."""
    parser.add_argument("--session", metavar="NAME", help="also its working memory")
    parser.add_argument("--budget", type=int, metavar="TOKENS", help="most tokens of all of it")


def context(args: "argparse.Namespace") -> int:
    """Print what an agent is given at the start of a session."""
    answer = options.ask(
        args, lambda client: client.context(args.session, budget_tokens=args.budget)
    )
    return output.show(args, answer, _print_context, quiet=_print_context)


def working_options(parser: "argparse.ArgumentParser") -> None:
    """Add action, text and session."""
    parser.add_argument("action", nargs="?", metavar="ACTION", help=", ".join(ACTIONS))
    parser.add_argument("text", nargs="*", help="to set or append; - alone or none: from stdin")
    parser.add_argument("--session", required=True, metavar="NAME", help="as its agent names it")


def working(args: "argparse.Namespace") -> int:
    """Print, write or clear the working memory of a session."""
    if args.action is None:
        raise InvalidInput("no action given", f"the actions are {', '.join(ACTIONS)}")
    if args.action not in ACTIONS:
        raise options.unknown_action(args.action, ACTIONS, "get")
    if args.action in ("set", "append"):
        return _write(args)
    if args.text:
        raise InvalidInput(f"{args.action} takes no text", "write it with: set, append")
    if args.action == "clear":
        answer = options.ask(args, lambda client: client.clear_working(args.session))
        return output.show(args, answer, _print_cleared)
    answer = options.ask(args, lambda client: client.get_working(args.session))
    return output.show(args, answer, _print_content, quiet=_print_content)


def _write(args: "argparse.Namespace") -> int:
    text = files.text_of(" ".join(args.text) if args.text else None)
    if not text.strip():
        raise InvalidInput("the text is empty", "empty it with: hippod working clear")
    if args.action == "set":
        answer = options.ask(args, lambda client: client.set_working(args.session, text))
    else:
        answer = options.ask(args, lambda client: client.append_working(args.session, text))
    return output.show(args, answer, _print_kept)


def _print_context(answer: "dict[str, Any]") -> None:
    output.verbatim(str(answer["text"]))
    for part in answer["parts"]:
        if part["fault"]:
            output.complain(str(part["fault"]))


def _print_content(kept: "dict[str, Any]") -> None:
    content = str(kept["content"])
    output.verbatim(content if content.endswith("\n") or not content else f"{content}\n")


def _print_kept(answer: "dict[str, Any]") -> None:
    output.say(f"keeps {answer['bytes']} of at most {answer['max_bytes']} bytes")


def _print_cleared(answer: "dict[str, Any]") -> None:
    output.say("cleared" if answer["cleared"] else "there was nothing to clear")
