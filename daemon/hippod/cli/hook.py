"""`hippod hook`: what an agent runs at the start, in the course and at the end of a session."""

import os
import time

from hippod import paths
from hippod.cli import options, output
from hippod.errors import DaemonDown, HippodError, InvalidInput
from hippod.hooks import agents, payload, turning

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from hippod.client import Client

STDIN = 0
START_SECONDS = 5.0
"""How long the start of a session waits for a daemon that is down; agents give it 10 s."""
PAYLOAD_SECONDS = 1.0
"""How long a hook waits for the end of what the agent writes to it."""


def hook_options(parser: "argparse.ArgumentParser") -> None:
    """Add agent, event and budget."""
    add = parser.add_argument
    add("agent", metavar="AGENT", help=", ".join(agents.EVENTS))
    add("event", metavar="EVENT", help=f"as the agent names it, or {', '.join(agents.MOMENTS)}")
    add("--budget", type=int, metavar="TOKENS", default=turning.BUDGET,
        help=f"most tokens of the context (default {turning.BUDGET})")  # fmt: skip
    add("--start", action="store_true", help="start the daemon if it is down as a session starts")
    parser.set_defaults(completes_itself=True)


def hook(args: "argparse.Namespace") -> int:
    """Answer one event of an agent, which waits for it but never fails by it."""
    if args.agent not in agents.EVENTS:
        raise _unknown_agent(args.agent)
    if args.budget < 1:
        raise InvalidInput(f"--budget: {args.budget} is less than 1")
    answer: dict[str, object] = {}
    try:
        answer = _answer(options.complete(args, os.environ))
    except HippodError as error:
        _complain(args, error)
    _print(args, answer)
    return 0


def _print(args: "argparse.Namespace", answer: "dict[str, object]") -> None:
    """Print the answer; an agent that takes none is not failed by it."""
    try:
        output.document(answer, one_line=True)
        output.flush()
    except BrokenPipeError:
        output.silence()
    except HippodError as error:
        _complain(args, error)


def _complain(args: "argparse.Namespace", error: HippodError) -> None:
    output.complain(f"hook {args.agent} {args.event}: {error.message}", error.hint)


def _answer(args: "argparse.Namespace") -> "dict[str, Any]":
    if agents.moment(args.agent, args.event) is None:
        known = ", ".join(agents.EVENTS[args.agent])
        raise InvalidInput("nothing is to be done at this event", f"the events are {known}")
    told = payload.received(STDIN, PAYLOAD_SECONDS)
    if _shows_the_files_itself(args, told):
        return {}
    with options.connect(args) as client:
        try:
            asking = turning.Hook(client, args.agent, budget=args.budget)
            return asking.answer(args.event, told)
        except DaemonDown:
            if not _is_begun(args):
                raise
        left = _waited(args, client)
        asking = turning.Hook(client, args.agent, budget=args.budget, seconds=left)
        return asking.answer(args.event, told)


def _is_begun(args: "argparse.Namespace") -> bool:
    """Say whether a session starts, and a daemon too: by us with `--start`, or by somebody else."""
    if agents.moment(args.agent, args.event) != agents.START:
        return False
    if args.start:
        return True
    from hippod.cli import local
    from hippod.mcp import starting

    return starting.is_begun(local.root(args))


def _waited(args: "argparse.Namespace", client: "Client") -> float:
    """Wait for the daemon; return the seconds that are left to ask it.

    Raises `DaemonDown` if it does not come up soon enough.
    """
    from hippod.cli import mcp
    from hippod.mcp import starting

    began = time.monotonic()
    if args.start:
        mcp.starter(args, client, START_SECONDS)()
    else:
        starting.wait_for_it(lambda: mcp.dials(client), START_SECONDS)
    return max(turning.DEADLINE, START_SECONDS - (time.monotonic() - began))


def _shows_the_files_itself(args: "argparse.Namespace", told: "dict[str, Any]") -> bool:
    """Say whether a session starts in hippod's own workspace: OpenClaw shows its files anyway."""
    folder = told.get("workspaceDir")
    if not isinstance(folder, str) or agents.moment(args.agent, args.event) != agents.START:
        return False
    config = paths.config_path(args.config, os.environ)
    configured, _ = paths.configured(config, os.environ)
    beside = os.path.dirname(config)  # noqa: PTH120 - pathlib costs 8 ms
    ours = paths.workspace_path(args.workspace, configured, os.environ, config_dir=beside)
    return os.path.realpath(folder) == os.path.realpath(ours)


def _unknown_agent(name: str) -> InvalidInput:
    from difflib import get_close_matches

    close = get_close_matches(name, agents.EVENTS, n=1)
    known = f"the agents are {', '.join(agents.EVENTS)}"
    return InvalidInput(
        f"no agent {name!r}", f"did you mean {close[0]!r}? {known}" if close else known
    )
