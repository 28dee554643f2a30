"""The options that every command has, wherever they stand, and the daemon that they mean."""

import argparse
import math
import os
import sys
from collections.abc import Callable, Iterable, Mapping

from hippod import __version__, paths
from hippod.cli import output
from hippod.client import Client
from hippod.errors import HippodError, InvalidInput, NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from _typeshed import SupportsWrite

    Answer = dict[str, Any]

SCOPES = ("main", "group")
_asked: list[Client] = []
"""The client that was made last, which knows of which version the daemon is."""
_WITH_VALUE = ("--workspace", "--config", "--socket", "--scope", "--timeout")


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Knows its width: argparse would import shutil (4 ms) for it, for every command."""

    def __init__(self, prog: str) -> None:
        super().__init__(f"{prog} [options]", width=output.width() - 2)

    def add_usage(
        self,
        usage: str | None,
        actions: "Iterable[argparse.Action]",
        groups: "Iterable[argparse._MutuallyExclusiveGroup]",
        prefix: str | None = None,
    ) -> None:
        """Show what must be given; the options stand below, each on a line of its own."""
        needed = [each for each in actions if each.required or not each.option_strings]
        super().add_usage(usage, needed, [], prefix)


class Parser(argparse.ArgumentParser):
    """An `ArgumentParser` that raises `InvalidInput` instead of printing its usage."""

    def format_help(self) -> str:
        """Return the help with examples of the command."""
        from hippod.cli import examples

        return f"{super().format_help()}{examples.shown(self.prog)}"

    def _print_message(self, message: str, file: "SupportsWrite[str] | None" = None) -> None:
        """Print; argparse itself says nothing of a disk that is full."""
        if file is sys.stdout and file is not None:
            output.raw(message)
        else:
            super()._print_message(message, file)

    def error(self, message: str) -> "NoReturn":
        """Raise; the hint tells how to pass text that looks like an option."""
        hint = f"see: {self.prog} --help"
        if message.startswith(("unrecognized arguments: -", "the following arguments are")):
            hint = f'put -- before text that starts with "-"; {hint}'
        raise InvalidInput(message, hint)


def split_command(words: list[str]) -> tuple[str | None, list[str]]:
    """Return the command and the words without it; options may stand on both sides of it."""
    place = 0
    while place < len(words) and words[place].startswith("-"):
        place += 2 if words[place] in _WITH_VALUE else 1
    if place >= len(words):
        return None, words
    return words[place], words[:place] + words[place + 1 :]


def parser(command: str | None, summary: str) -> Parser:
    """Return a parser with the options that every command has."""
    made = Parser(
        prog=f"hippod {command}" if command else "hippod",
        usage=None if command else "hippod [options] COMMAND ...",
        description=summary,
        formatter_class=_Formatter,
        allow_abbrev=False,
    )
    add_common(made)
    return made


def add_common(made: Parser) -> None:
    """Add the options that every command has."""
    common = made.add_argument_group("options of every command")
    common.add_argument("--workspace", metavar="DIR", help="else HIPPOD_WORKSPACE, the config")
    common.add_argument(
        "--config", metavar="FILE", help="else HIPPOD_CONFIG, ~/.hippod/config.toml"
    )
    common.add_argument("--socket", metavar="PATH", help="else HIPPOD_SOCKET, the config")
    common.add_argument("--scope", choices=SCOPES, help="whose eyes: main (default) or group")
    common.add_argument("--timeout", type=_seconds, metavar="SECONDS", help="wait at most so long")
    common.add_argument("--json", action="store_true", help="print the daemon's answer as JSON")
    common.add_argument("--quiet", "-q", action="store_true",
        help="only what was asked for, as bare as it can be")  # fmt: skip


def complete(args: argparse.Namespace, environ: Mapping[str, str]) -> argparse.Namespace:
    """Fill in what the environment says; raise `InvalidInput` for what cannot be right."""
    args.names_scope = bool(args.scope or environ.get("HIPPOD_SCOPE"))
    if args.scope is None:
        args.scope = environ.get("HIPPOD_SCOPE") or "main"
        if args.scope not in SCOPES:
            raise InvalidInput(f"HIPPOD_SCOPE: {args.scope!r} is neither main nor group")
    named = args.config or environ.get("HIPPOD_CONFIG")
    if named and not os.path.exists(paths.config_path(args.config, environ)):  # noqa: PTH110
        raise NotFound(f"{named}: no such config file", "see --config and HIPPOD_CONFIG")
    return args


def ask(args: argparse.Namespace, verb: "Callable[[Client], Any]") -> "Answer":
    """Call one verb of the daemon; say once if it is of another version."""
    with connect(args) as client:
        try:
            answer: Answer = verb(client)
            return answer
        finally:
            seen = client.daemon_version
            if seen not in (None, __version__):
                output.complain(
                    f"the daemon is {seen}, this client is {__version__}", "hippod service restart"
                )


def of_another_version(error: Exception) -> HippodError | None:
    """Return what to say of an answer that cannot be read; None if it is of our version."""
    seen = _asked[-1].daemon_version if _asked else None
    if seen in (None, __version__):
        return None
    lacks = f"lacks {error}" if isinstance(error, KeyError) else "is of another form"
    return HippodError(
        f"the daemon is {seen}, this client is {__version__}: its answer {lacks}",
        "what was asked for may be done; then: hippod service restart",
    )


def unknown_action(word: str, known: Iterable[str], instead: str) -> InvalidInput:
    """Return the error for a word that is no action: misspelled, or a name meant for `instead`."""
    from difflib import get_close_matches

    listed = list(known)
    close = get_close_matches(word, listed, n=1)
    meant = repr(close[0]) if close else instead
    return InvalidInput(
        f"no action {word!r}", f"did you mean: {meant}; the actions are {', '.join(listed)}"
    )


def number(text: str) -> float:
    """Read a finite number."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError
    return value


def listed(values: Iterable[str] | None) -> list[str] | None:
    """Flatten an option that may be repeated and take commas; None if it was not given."""
    if values is None:
        return None
    return [part.strip() for value in values for part in value.split(",") if part.strip()]


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value <= 86_400:
        raise argparse.ArgumentTypeError("between 0 and 86400 seconds")
    return value


def connect(args: argparse.Namespace) -> Client:
    """Return the client of the daemon that is meant."""
    client = Client(
        args.socket,
        workspace=args.workspace,
        config=args.config,
        scope=args.scope,
        timeout=args.timeout,
    )
    _asked[:] = [client]
    return client
