"""The command line: finds the command, runs it, and turns its failure into a line and a code.

A command lives in the module that `COMMANDS` names, as `name_options(parser)` and
`name(args) -> exit code`; only that module is imported and only its options are built.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from hippod import __version__
from hippod.cli import options, output
from hippod.errors import ConfigError, DaemonDown, HippodError, InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

COMMANDS = {
    "init": ("local", "create a workspace with its first files"),
    "run": ("local", "run the daemon in the foreground"),
    "stop": ("stop", "end the daemon that no service manager runs"),
    "service": ("service", "run the daemon as a service: install, start, stop, status, logs"),
    "doctor": ("doctor", "test each claim, say what to do, and mend what is safe (--fix)"),
    "status": ("status", "show whether all is well, once or again and again"),
    "metrics": ("status", "print the daemon's figures as Prometheus reads them"),
    "recall": ("recall", "search the memory (also: search)"),
    "retain": ("retain", "hand over messages or facts, or extract now what waits"),
    "note": ("daily", "add a line to a daily log"),
    "today": ("daily", "print today's daily log"),
    "day": ("daily", "print the daily log of a date"),
    "context": ("context", "print what an agent is given at the start of a session"),
    "working": ("context", "get, set, append to or clear the working memory of a session"),
    "mcp": ("mcp", "serve an agent over MCP; print the token of the listener"),
    "hook": ("hook", "answer an agent that runs this at the start or end of a session"),
    "read": ("files", "print a document"),
    "write": ("files", "write a whole document"),
    "append": ("files", "add text at the end of a document"),
    "replace": ("files", "replace one passage of a document"),
    "insert": ("files", "insert lines into a document"),
    "move": ("files", "give a document another path"),
    "delete": ("files", "delete a document"),
    "tree": ("files", "list the workspace"),
    "connect": ("connect", "make hippod known to an agent, or take that back; alone: list agents"),
    "why": ("provenance", "show where a fact comes from, down to what was said"),
    "log": ("provenance", "list what hippod wrote, or show one change"),
    "undo": ("provenance", "take one of those changes back"),
    "entities": ("entities", "list who is who; merge, split, rename or adopt (also: entity NAME)"),
    "entity": ("entities", "show an entity with its newest facts"),
    "reflect": ("reflect", "bring the bank's pages up to date with the facts"),
    "opinions": ("opinions", "list what is believed and how surely, or recompute it"),
    "proposals": ("proposals", "list proposals for MEMORY.md; show, accept or reject one"),
    "hygiene": ("hygiene", "tidy up: archive old logs, list copies and stale documents"),
    "heartbeat": ("heartbeat", "look at the checklist in HEARTBEAT.md, or list earlier looks"),
    "forget": ("forget", "forget a text, fact or opinion for good"),
    "reindex": ("operations", "look at every file again"),
    "jobs": ("jobs", "list the scheduled jobs; run, pause or resume one"),
    "events": ("events", "show what happened last, or follow what happens"),
    "backup": ("backup", "write workspace and state to one file, or verify such a file"),
    "restore": ("backup", "make a workspace of a backup"),
    "export": ("exchange", "write facts, opinions and entities as lines of JSON"),
    "import": ("exchange", "add what is missing of an export, or take an import back"),
    "config": ("configuration", "show the configuration, get or set a value of it, reload it"),
    "models": ("models", "list local models, pull one, or use one"),
    "completion": ("completion", "print what completes commands by TAB in bash, zsh or fish"),
}
GROUPS = {
    "ask": ("recall", "context", "entity", "entities", "opinions", "why", "working"),
    "read and write": (
        "note", "today", "day", "read", "write", "append", "replace", "insert", "move", "delete",
        "tree", "retain", "forget",
    ),
    "what hippod does": (
        "reflect", "heartbeat", "hygiene", "proposals", "log", "undo", "jobs", "events", "reindex",
    ),
    "look after it": ("status", "doctor", "metrics", "backup", "restore", "export", "import"),
    "set it up": ("init", "run", "stop", "service", "config", "models", "completion"),
    "in your agents": ("connect", "mcp", "hook"),
}  # fmt: skip
"""Under which headings the overview lists the commands."""
ALIASES = {"search": "recall"}
MEANT = {
    "logs": "hippod service logs",
    "reload": "hippod config reload",
    "restart": "hippod service restart",
    "start": "hippod service start, or: hippod run",
}
"""What may be meant by words that are no commands."""

INTERRUPTED = 130
BROKEN_PIPE = 141
"""128 + SIGPIPE, as a shell reports a program that the signal ended."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    0 ok, 1 failure, 2 usage, 3 daemon not running, 4 not found, 5 conflict.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    output.prepare()
    try:
        code = _ended(words)
        output.flush()
    except HippodError as error:
        return _told(words, _report(error, as_json=_wants_json(words)))
    except (KeyError, TypeError) as error:
        told = options.of_another_version(error)
        if told is None:
            raise
        return _report(told, as_json=_wants_json(words))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        output.silence()
        return BROKEN_PIPE
    return code


def _ended(words: list[str]) -> int:
    """Run a command; `--help` and `--version` of argparse end it where they stand."""
    try:
        return _dispatch(words)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0


def _told(words: list[str], code: int) -> int:
    """Return the exit code of a failure; to the agent that runs a hook, 2 means: refuse that."""
    is_usage = code == InvalidInput.exit_code
    return 1 if is_usage and options.split_command(words)[0] == "hook" else code


def _dispatch(words: list[str]) -> int:
    command, rest = options.split_command(words)
    if command == "help":
        command, rest = options.split_command([*rest, "--help"])
    if command is None:
        return _without_command(rest)
    name = ALIASES.get(command, command)
    if name not in COMMANDS:
        raise InvalidInput(f"no command {command!r}", _suggestion(command))
    module = import_module(f"hippod.cli.{COMMANDS[name][0]}")
    parser = options.parser(command, COMMANDS[name][1])
    getattr(module, f"{name}_options")(parser)
    # Intermixed: `insert PATH --line 3 TEXT`; it cannot tell what stands behind `--`.
    parse = parser.parse_args if "--" in rest else parser.parse_intermixed_args
    args = parse(rest)
    if not getattr(args, "completes_itself", False):
        options.complete(args, os.environ)
    try:
        return int(getattr(module, f"{name}_" if name == "import" else name)(args))
    except DaemonDown as error:
        from hippod.cli import local

        raise local.starting(args, error) from None


def _without_command(words: list[str]) -> int:
    parser = _overview()
    if not words:
        parser.print_help(sys.stderr)
        return InvalidInput.exit_code
    parser.parse_args(words)
    raise InvalidInput("no command given", "see: hippod --help")


def _overview() -> "argparse.ArgumentParser":
    parser = options.parser(None, "offline-first long-term memory for AI agents")
    commands = "\n\n".join(_group(title, names) for title, names in GROUPS.items())
    parser.epilog = f"{commands}\n\nhippod COMMAND --help shows the options of a command."
    parser.add_argument("--version", action="version", version=f"hippod {__version__}")
    return parser


def _group(title: str, names: "tuple[str, ...]") -> str:
    """Return a heading with the commands below it, their summaries wrapped beside their names."""
    from hippod.cli import columns

    indent = max(map(len, COMMANDS)) + 4
    rows = [
        line
        for name in names
        if name in COMMANDS
        for line in columns.wrapped(
            f"  {name:<{indent - 4}}  {COMMANDS[name][1]}", output.width(), indent=indent
        )
    ]
    return "\n".join([f"{title}:", *rows])


def _wants_json(words: list[str]) -> bool:
    """Say whether `--json` is among the options; behind `--` it is a word like any other."""
    return "--json" in (words[: words.index("--")] if "--" in words else words)


def _suggestion(command: str) -> str:
    from difflib import get_close_matches

    if command in MEANT:
        return f"see: {MEANT[command]}"
    close = get_close_matches(command, [*COMMANDS, *ALIASES], n=1)
    return f"did you mean {close[0]!r}?" if close else "see: hippod --help"


def _report(error: HippodError, *, as_json: bool) -> int:
    problems = error.problems if isinstance(error, ConfigError) else (error.message,)
    for problem in problems[:-1]:
        output.complain(problem)
    output.complain(problems[-1] if problems else error.message, error.hint)
    if as_json:
        try:
            output.document({"error": error.wire()})
            output.flush()
        except (BrokenPipeError, HippodError):
            output.silence()
    return error.exit_code
