"""`hippod hook`: what an agent runs at the start, in the course and at the end of a session."""

import os

from hippod import paths
from hippod.cli import options, output
from hippod.errors import HippodError, InvalidInput
from hippod.hooks import agents, payload, turning

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

STDIN = 0
PAYLOAD_SECONDS = 1.0
"""How long a hook waits for the end of what the agent writes to it."""


def hook_options(parser: "argparse.ArgumentParser") -> None:
    """Add agent, event and budget."""
    add = parser.add_argument
    add("agent", metavar="AGENT", help=", ".join(agents.EVENTS))
    add("event", metavar="EVENT", help=f"as the agent names it, or {', '.join(agents.MOMENTS)}")
    add("--budget", type=int, metavar="TOKENS", default=turning.BUDGET,
        help=f"most tokens of the context (default {turning.BUDGET})")  # fmt: skip


def hook(args: "argparse.Namespace") -> int:
    """Answer one event of an agent, which waits for it but never fails by it."""
    if args.agent not in agents.EVENTS:
        raise _unknown_agent(args.agent)
    if args.budget < 1:
        raise InvalidInput(f"--budget: {args.budget} is less than 1")
    answer: dict[str, object] = {}
    try:
        answer = _answer(args)
    except HippodError as error:
        output.complain(f"hook {args.agent} {args.event}: {error.message}", error.hint)
    output.document(answer, one_line=True)
    return 0


def _answer(args: "argparse.Namespace") -> "dict[str, Any]":
    if agents.moment(args.agent, args.event) is None:
        known = ", ".join(agents.EVENTS[args.agent])
        raise InvalidInput("nothing is to be done at this event", f"the events are {known}")
    told = payload.received(STDIN, PAYLOAD_SECONDS)
    if _shows_the_files_itself(args, told):
        return {}
    with options.connect(args) as client:
        asking = turning.Hook(client, args.agent, budget=args.budget)
        return asking.answer(args.event, told)


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
