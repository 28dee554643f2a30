"""`hippod connect`: make hippod known to an agent, or take that back."""

import os
import sys

from hippod.cli import options, output
from hippod.errors import DaemonDown, HippodError, InvalidInput, NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from pathlib import Path
    from typing import Any

    from hippod.connect.agents import Agent, Setup
    from hippod.connect.planning import Done, Plan

    Answer = dict[str, Any]


def connect_options(parser: "argparse.ArgumentParser") -> None:
    """Add the agent, and what to write for it."""
    add = parser.add_argument
    known = "claude-code, codex, gemini, openclaw, cursor, vscode or opencode"
    add("agent", nargs="?", metavar="AGENT", help=f"{known}; without one they are listed")
    add("--dry-run", action="store_true", help="show the changes and write nothing")
    add("--yes", action="store_true", help="write them without a question")
    add("--undo", action="store_true", help="take the connection back")
    add("--project", metavar="DIR", help="write the files of a project, instead of yours")
    add("--name", default="hippod", help="the name of the server there (default: hippod)")
    add("--tools", choices=("default", "all"), default="default", help="the tools it is offered")
    add("--no-hooks", action="store_true", help="write no hooks")
    add("--prompt-hook", action="store_true", help="also look things up for each of your messages")
    add("--instructions", action="store_true", help="also tell it in the file that it reads first")
    add("--force", action="store_true", help="also where it is not installed or others wrote")


def connect(args: "argparse.Namespace") -> int:
    """Connect an agent, take a connection back, or list the agents."""
    if args.agent is None:
        return _list(args)
    from hippod.connect import agents, planning

    agent = agents.agent(args.agent)
    setup = _setup(args)
    if args.undo:
        plan = planning.plan_end(agent.name, setup, _config(args))
    else:
        _check_installed(agent, setup, force=args.force)
        plan = planning.plan(agent, setup, _config(args), force=args.force)
    return _carry_out(args, agent, plan)


def _carry_out(args: "argparse.Namespace", agent: "Agent", plan: "Plan") -> int:
    from hippod.connect import planning

    if args.dry_run or not plan.changes:
        if not args.dry_run:
            planning.apply(plan, os.environ)  # the record alone: what stands is known from now on
        return output.show(args, _answer(agent, plan, []), _print_plan)
    if not args.yes:
        _ask(args, agent, plan)
    done = planning.apply(plan, os.environ)
    answer = _answer(agent, plan, done, applied=True)
    output.show(args, answer, _print_done if not args.yes else _print_all)
    return _reload(args, plan)


# -- what is wished --------------------------------------------------------------------------


def _setup(args: "argparse.Namespace") -> "Setup":
    from pathlib import Path

    from hippod import paths
    from hippod.connect.agents import Setup

    _check_name(args.name)
    project = Path(paths.absolute(args.project, os.environ)).resolve() if args.project else None
    if project and not args.undo and not project.is_dir():
        raise NotFound(f"{args.project}: there is no such folder", "--project names a folder")
    return Setup(
        home=Path(paths.absolute("~", os.environ)),
        environ=os.environ,
        program=_program(),
        options=_chosen(args),
        project=project,
        name=args.name,
        scope=args.scope,
        tools=args.tools,
        hooks=not args.no_hooks,
        prompts=args.prompt_hook,
        instructions=args.instructions,
    )


def _check_name(name: str) -> None:
    import re

    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9-]{0,31}", name):
        raise InvalidInput(
            f"--name: {name!r}", "letters, digits and -, at most 32: agents put it before a tool"
        )


def _program() -> tuple[str, ...]:
    """Return the words that run this very installation, from whatever folder."""
    from pathlib import Path

    beside = Path(sys.executable).parent / "hippod"
    if os.access(beside, os.X_OK):
        return (str(beside),)
    return (sys.executable, "-P", "-m", "hippod")


def _chosen(args: "argparse.Namespace") -> tuple[str, ...]:
    """Return as options what names the daemon; an agent starts us in another environment."""
    from hippod import paths

    words = []
    for name in ("config", "workspace", "socket"):
        if value := getattr(args, name) or os.environ.get(f"HIPPOD_{name.upper()}"):
            words += [f"--{name}", paths.absolute(value, os.environ)]
    return tuple(words)


def _config(args: "argparse.Namespace") -> "Path":
    from pathlib import Path

    from hippod import paths

    return Path(paths.config_path(args.config, os.environ))


def _check_installed(agent: "Agent", setup: "Setup", *, force: bool) -> None:
    if force or agent.found(setup.home, setup.environ):
        return
    folder = agent.folder(setup.home, setup.environ)
    raise NotFound(
        f"{agent.title} is not installed: no {' or '.join(agent.programs)} on PATH, no {folder}",
        "--force writes its files all the same",
    )


# -- the question ----------------------------------------------------------------------------


def _ask(args: "argparse.Namespace", agent: "Agent", plan: "Plan") -> None:
    """Show what would change; go on after a yes of a person only."""
    hint = "--yes writes it, --dry-run only shows it"
    if args.json:
        raise InvalidInput("nothing was written: this needs a yes", hint)
    _print_plan(_answer(agent, plan, []))
    if not (output.terminal() and sys.stdin is not None and sys.stdin.isatty()):
        raise InvalidInput("nothing was written: this needs a yes", hint)
    output.flush()
    try:
        said = input("write this? [y/N] ")
    except EOFError:
        said = ""
    if said.strip().lower() not in ("y", "yes"):
        raise HippodError("nothing was written")


# -- what is shown ---------------------------------------------------------------------------


def _answer(agent: "Agent", plan: "Plan", done: "list[Done]", *, applied: bool = False) -> "Answer":
    return {
        "agent": agent.name,
        "name": plan.connection.name,
        "project": plan.connection.project,
        "scope": plan.connection.scope,
        "connected": not plan.ends,
        "needed": bool(plan.changes),
        "applied": applied,
        "files": [
            {"path": str(d.path), "done": d.done, "backup": str(d.backup) if d.backup else None}
            for d in done
        ],
        "diff": _diff(plan),
        "notes": list(plan.notes),
        "next": agent.next_step if not plan.ends else f"start {agent.title} again",
    }


def _diff(plan: "Plan") -> str:
    """Return what changes, without the secrets that such files hold."""
    from hippod.connect.showing import shown

    return "".join(shown(str(c.path), c.before, c.after, plan.texts) for c in plan.changes)


def _print_plan(answer: "Answer") -> None:
    if answer["diff"]:
        output.raw(output.printable(answer["diff"], lines=True))
    _print_notes(answer)
    if not answer["needed"]:
        output.say("nothing to do")


def _print_all(answer: "Answer") -> None:
    if answer["diff"]:
        output.raw(output.printable(answer["diff"], lines=True))
    _print_notes(answer)
    _print_files(answer)


def _print_done(answer: "Answer") -> None:
    _print_files(answer)


def _print_notes(answer: "Answer") -> None:
    for note in answer["notes"]:
        output.say(output.printable(f"! {note}"))


def _print_files(answer: "Answer") -> None:
    for file in answer["files"]:
        kept = f", as it was: {file['backup']}" if file["backup"] else ""
        output.say(output.printable(f"{file['done']} {file['path']}{kept}"))
    output.say(output.printable(f"next: {answer['next']}"))
    if answer["connected"] and not _has_a_service():
        output.say("it starts the daemon; for one that is always there: hippod service install")


def _has_a_service() -> bool:
    from hippod.mcp import starting

    return starting.is_installed()


def _reload(args: "argparse.Namespace", plan: "Plan") -> int:
    """Let a daemon that runs take up its changed configuration; return the exit code.

    It is asked as the owner asks, whose eyes the agent is given notwithstanding.
    """
    if not any(change.path == plan.config for change in plan.changes):
        return 0
    try:
        with options.connect(_copy(args, scope="main")) as client:
            client.reload_config()
    except DaemonDown:
        return 0
    except HippodError as error:
        output.complain(
            f"all is written, but the daemon that runs goes on with the sources that it had:"
            f" {error.message}",
            "hippod config reload, or start it again",
        )
        return 1
    return 0


def _copy(args: "argparse.Namespace", **changed: "Any") -> "argparse.Namespace":
    """Return arguments with some of them changed."""
    return type(args)(**{**vars(args), **changed})


# -- the list --------------------------------------------------------------------------------


def _list(args: "argparse.Namespace") -> int:
    if args.undo:
        raise InvalidInput("--undo: of which agent?", "see: hippod connect")
    from hippod.connect import agents

    answer = {"agents": [_row(args, name) for name in agents.REGISTRY]}
    return output.show(args, answer, _print_agents, _print_connected)


def _row(args: "argparse.Namespace", name: str) -> "Answer":
    from hippod.connect import agents, planning, record

    agent, setup = agents.agent(name), _setup(args)
    known = record.load(name, os.environ).values()
    return {
        "agent": name,
        "title": agent.title,
        "found": agent.found(setup.home, setup.environ) or None,
        "connections": [
            {
                "name": connection.name,
                "project": connection.project,
                "scope": connection.scope,
                "standing": planning.is_standing(connection),
            }
            for connection in known
        ],
    }


def _print_connected(answer: "Answer") -> None:
    output.names(agent["agent"] for agent in answer["agents"] if agent["connections"])


def _print_agents(answer: "Answer") -> None:
    rows = [("agent", "found", "connected")]
    for agent in answer["agents"]:
        shown = ", ".join(_shown(connection) for connection in agent["connections"])
        rows.append((agent["agent"], agent["found"] or "-", shown or "-"))
    output.table([[output.printable(cell) for cell in row] for row in rows])


def _shown(connection: "Answer") -> str:
    where = f" in {connection['project']}" if connection["project"] else ""
    scope = f" ({connection['scope']})" if connection["scope"] != "main" else ""
    changed = "" if connection["standing"] else ", but what it wrote was changed"
    return f"as {connection['name']}{where}{scope}{changed}"
