"""`hippod completion`: a script that teaches a shell our commands, and the names it asks us for."""

import argparse
import itertools
import os
from contextlib import suppress

from hippod.cli import options, output
from hippod.errors import HippodError, InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from hippod.client import Client

SHELLS = ("bash", "zsh", "fish")
CANDIDATES = "candidates"
"""What the scripts call: `hippod completion candidates KIND -- TOKEN [WORDS OF THE LINE]`."""
_PATIENCE_SECONDS = 2.0
"""Somebody waits for what the TAB key does: rather nothing than late."""
_MOST_CHANGES = 20
_MOST_FACTS = 20
_DEEPEST = 32


def completion_options(parser: "argparse.ArgumentParser") -> None:
    """Add the shell."""
    parser.add_argument("shell", metavar="SHELL", help=", ".join(SHELLS))
    parser.add_argument("words", nargs="*", help=argparse.SUPPRESS)


def completion(args: "argparse.Namespace") -> int:
    """Print the script of a shell, or the names that its script asks for."""
    if args.shell == CANDIDATES:
        return _offer(args)
    if args.shell not in SHELLS:
        raise InvalidInput(f"no shell {args.shell!r}", f"there is: {', '.join(SHELLS)}")
    if args.words:
        raise InvalidInput(f"unrecognized arguments: {' '.join(args.words)}")
    from hippod.cli import completion_scripts

    answer = {"shell": args.shell, "script": completion_scripts.script(args.shell)}
    return output.show(args, answer, _print_script, quiet=_print_script)


def _print_script(answer: "dict[str, str]") -> None:
    output.verbatim(answer["script"])


# -- names that only the daemon knows --------------------------------------------------------


def _offer(args: "argparse.Namespace") -> int:
    """Print what may stand where the cursor is, one a line; nothing where nobody knows."""
    kind, token, *line = [*args.words, "", ""][: max(2, len(args.words))]
    _take_over(args, line)
    args.timeout = _PATIENCE_SECONDS
    with suppress(HippodError, KeyError, TypeError), options.connect(args) as client:
        for name in candidates(client, kind, unquoted(token)):
            output.say(name)
    return 0


def candidates(client: "Client", kind: str, prefix: str) -> list[str]:
    """Return the names of a kind that begin with `prefix` and can stand on a command line."""
    found = _KINDS[kind](client, prefix)
    return [name for name in found if name.startswith(prefix) and _is_safe(name)]


def _take_over(args: "argparse.Namespace", line: list[str]) -> None:
    """Mean the daemon that the line means so far."""
    for option, value in itertools.pairwise(line):
        if option in ("--workspace", "--config", "--socket"):
            setattr(args, option[2:], os.path.expanduser(unquoted(value)))  # noqa: PTH111
        elif option == "--scope" and value in options.SCOPES:
            args.scope = value


def unquoted(token: str) -> str:
    """Return what a shell would make of a word that is being typed; nothing in it is expanded."""
    import shlex

    for end in ("", "\\", "'", '"'):
        with suppress(ValueError):
            return " ".join(shlex.split(token + end))
    return token


def _is_safe(name: str) -> bool:
    """Say whether a name can stand on a command line: no control characters, no option."""
    return output.printable(name) == name and name.isprintable() and not name.startswith("-")


def _documents(client: "Client", prefix: str) -> "Iterable[str]":
    return _below(client, prefix, folders_only=False)


def _folders(client: "Client", prefix: str) -> "Iterable[str]":
    return _below(client, prefix, folders_only=True)


def _below(client: "Client", prefix: str, *, folders_only: bool) -> list[str]:
    """Return paths of one folder. A folder alone is opened, lest the shell ends the word there."""
    found = list(_listed(client, prefix, folders_only))
    for _ in range(_DEEPEST):
        if len(found) != 1 or not found[0].endswith("/"):
            break
        [folder] = found
        inside = [path for path in _listed(client, folder, folders_only) if path != folder]
        if not inside:
            break
        found = [folder, *inside] if folders_only else inside
    return found


def _listed(client: "Client", prefix: str, folders_only: bool) -> "Iterator[str]":
    folder = prefix.rpartition("/")[0]
    for entry in client.tree(folder)["entries"]:
        path = entry["path"] + "/" * entry["is_directory"]
        if path.startswith(prefix) and (entry["is_directory"] or not folders_only):
            yield path


def _entities(client: "Client", prefix: str) -> "Iterable[str]":
    at = "@" if prefix.startswith("@") else ""
    return [at + each["name"] for each in client.entities()["entities"]]


def _jobs(client: "Client", _prefix: str) -> "Iterable[str]":
    return [job["name"] for job in client.jobs()["jobs"]]


def _proposals(client: "Client", _prefix: str) -> "Iterable[str]":
    found = client.proposals()["proposals"]
    return [each["id"] for each in found if each["status"] == "open"]


def _changes(client: "Client", _prefix: str) -> "Iterable[str]":
    return [str(entry["id"]) for entry in client.log(limit=_MOST_CHANGES)["entries"]]


def _facts(client: "Client", _prefix: str) -> "Iterable[str]":
    """Return the facts of today's log, the newest first."""
    import re

    found = re.findall(r" \^([0-9a-z]+)$", client.today_log()["content"], re.MULTILINE)
    return list(dict.fromkeys(reversed(found)))[:_MOST_FACTS]


_KINDS: "dict[str, Callable[[Client, str], Iterable[str]]]" = {
    "documents": _documents,
    "folders": _folders,
    "entities": _entities,
    "jobs": _jobs,
    "proposals": _proposals,
    "changes": _changes,
    "facts": _facts,
}
