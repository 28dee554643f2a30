"""`hippod mcp`: the door of an agent that speaks MCP over its pipes, and the listener's token."""

import os

from hippod import paths
from hippod.cli import local, options, output
from hippod.errors import DaemonDown, InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from hippod.client import Client

_NAMED = (
    ("config", "HIPPOD_CONFIG"), ("workspace", "HIPPOD_WORKSPACE"), ("socket", "HIPPOD_SOCKET"),
)  # fmt: skip
_DIAL_SECONDS = 2.0


def mcp_options(parser: "argparse.ArgumentParser") -> None:
    """Add what the agent sees, and what is done where there is no daemon."""
    parser.add_argument(
        "action", nargs="?", choices=["token"],
        help="token: print the token of the listener, made if there is none",
    )  # fmt: skip
    parser.add_argument("--start", action="store_true", help="start the daemon if it is down")
    parser.add_argument("--tools", choices=["default", "all"], help="six tools, or all of them")
    parser.add_argument(
        "--new",
        action="store_true",
        help="token: make a new one in place of the old one",
    )


def mcp(args: "argparse.Namespace") -> int:
    """Serve an agent at our standard input and output, or print the token."""
    if args.action == "token":
        return _token(args)
    if args.new:
        raise InvalidInput("--new: of what?", "hippod mcp token --new")
    from hippod.mcp import bridge

    client = options.connect(args)
    begin = starter(args, client) if args.start else None
    return bridge.run(client, _headers(args), begin, paths.config_path(args.config, os.environ))


def _headers(args: "argparse.Namespace") -> dict[str, str]:
    """Return what was chosen for this agent; what was not is main, and six tools."""
    told = {"Hippod-Scope": args.scope if args.names_scope else "", "Hippod-Tools": args.tools}
    return {name: value for name, value in told.items() if value}


def starter(
    args: "argparse.Namespace", client: "Client", seconds: float | None = None
) -> "Callable[[], None]":
    """Return what starts the daemon that is meant, waiting for it at most so long."""
    chosen = {name: getattr(args, name) or os.environ.get(variable) for name, variable in _NAMED}
    places = {name: paths.absolute(p, os.environ) for name, p in chosen.items() if p}
    words = [word for name, place in places.items() for word in (f"--{name}", place)]

    def begin() -> None:
        from hippod.mcp import starting

        meant = starting.Meant(local.root(args), tuple(words), not words)
        starting.start(meant, lambda: dials(client), seconds)

    return begin


def dials(client: "Client") -> bool:
    """Say whether a daemon can be reached."""
    try:
        client.line(_DIAL_SECONDS).close()
    except DaemonDown:
        return False
    return True


def _token(args: "argparse.Namespace") -> int:
    from pathlib import Path

    from hippod import bearer
    from hippod.config import load

    file = Path(paths.config_path(args.config, os.environ))
    settings = load(file, os.environ).mcp
    place = bearer.place(settings, file)
    token = bearer.renew(place) if args.new else bearer.ensure(place)
    answer = {"token": token, "file": str(place), "listen": settings.listen}
    if not settings.listen and not args.json:
        output.complain("no listener is configured", 'set [mcp] listen = "127.0.0.1:7777"')
    return output.show(args, answer, _print_token, quiet=_print_token)


def _print_token(answer: "dict[str, object]") -> None:
    output.say(str(answer["token"]))
