"""Agents of other makers, as npm installs them, are given memory by hippod in a whole session.

Their model is a script on loopback that knows nothing: it says what it was sent. What it is asked
for stands in the workspace alone, in words drawn anew for each session.
"""

import json
import os
import random
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.loopback_models import Call, Heard, LoopbackModel, Say, loopback_model
from tests.node_clients import MODULES, node
from tests.processes import Daemon, running, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("agents")]

BIRDS = ("heron", "plover", "curlew", "avocet", "gannet", "dunlin", "turnstone", "kittiwake")
WEEDS = ("kelp", "dulse", "laver", "wrack", "tangle", "carrageen", "thongweed", "oarweed")
UNKNOWN = "unknown"
OLD_DAY = "2026-03-03"
QUESTION = "What is the code of the tide gate?"


def words() -> str:
    """Return two words that stand nowhere else; nothing in them looks like a secret."""
    return f"{random.choice(BIRDS)}-{random.choice(WEEDS)}-{random.choice(BIRDS)}"


@dataclass(frozen=True, slots=True)
class Agent:
    """How an agent is set up by its owner, run and heard; `{url}` is the model's address."""

    name: str
    """As `hippod connect` calls it."""
    argv: tuple[str, ...]
    """The script below node_modules and its options; the prompt comes last."""
    environ: dict[str, str]
    files: dict[str, str]
    """What its owner configured before: path below the home, and text."""
    answer: Callable[[str], str]
    """The model's last words out of what it prints."""


CLAUDE_CODE = Agent(
    "claude-code",
    (
        "@anthropic-ai/claude-code/cli-wrapper.cjs",
        *("--output-format", "json", "--allowedTools", "mcp__hippod__memory_search", "-p"),
    ),
    {
        "ANTHROPIC_BASE_URL": "{url}",
        "ANTHROPIC_API_KEY": "none",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    },
    {".claude/settings.json": '{\n  "model": "opus"\n}\n'},
    lambda printed: str(json.loads(printed)["result"]),
)
CODEX = Agent(
    "codex",
    (
        "@openai/codex/bin/codex.js",
        *("exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"),
    ),
    {},
    {
        ".codex/config.toml": """\
model = "scripted"
model_provider = "loopback"  # nothing leaves this machine
check_for_update_on_startup = false
mcp_optional_startup_grace_ms = 60000  # a busy machine is waited for

[model_providers.loopback]
name = "loopback"
base_url = "{url}/v1"
wire_api = "responses"

[analytics]
enabled = false

[features]
plugins = false
"""
    },
    str.strip,
)
GEMINI = Agent(
    "gemini",
    (
        "@google/gemini-cli/bundle/gemini.js",
        *("--output-format", "json", "--model", "gemini-2.5-pro", "--skip-trust"),
        *("--allowed-tools", "mcp_hippod_memory_search", "-p"),
    ),
    {"GOOGLE_GEMINI_BASE_URL": "{url}", "GEMINI_API_KEY": "none"},
    {
        ".gemini/settings.json": """\
{
  // no sign-in, no news
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  "privacy": { "usageStatisticsEnabled": false },
  "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false }
}
"""
    },
    lambda printed: str(json.loads(printed)["response"]),
)
AGENTS = (CLAUDE_CODE, CODEX, GEMINI)


def looks_it_up(heard: Heard) -> Say | Call:
    """Answer as a model that asks memory once and then says what it was told, or `UNKNOWN`."""
    search, loader = heard.tool("memory_search"), heard.tool("ToolSearch")
    if not search and loader and not heard.results:  # only named so far, or still connecting
        return Call(loader, {"query": "select:mcp__hippod__memory_search", "max_results": 1})
    if search and not any(heard.results):
        return Call(search, {"query": QUESTION})
    code = _found(r"code of the tide gate to ([a-z-]+)", "\n".join(heard.results))
    pilot = _found(r"name the pilot boat ([a-z-]+)", heard.told)
    return Say(f"The code is {code}, the boat is {pilot}.")


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    return found[1] if found else UNKNOWN


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A home with a daemon; facts come by the agents' hooks, for quiet takes half an hour."""
    with running(tmp_path_factory.mktemp("home"), {"HIPPOD_RETAIN__QUIET": "30m"}) as daemon:
        yield daemon


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_a_session_is_given_memory_and_becomes_memory(house: Daemon, agent: Agent) -> None:
    code, boat, berth = words(), words(), words()
    _know(house, code, boat)
    with _model(agent, house) as model, _connected(agent, house):
        prompt = f"We decided to moor the ferry at {berth}. {QUESTION}"
        said = _supplied_session(agent, house, model, prompt)
        wait_for(lambda: berth in _today(house), "the session's decision in the daily log")

    assert said == f"The code is {code}, the boat is {boat}.", model.heard[-1]
    assert boat in model.heard[0].told, "the context was there before anything was asked"
    assert code not in model.heard[0].told, "only the tool knew it"
    learnt = _today(house)
    assert code not in learnt, "what a tool supplied is not learnt again"
    assert boat not in learnt, "nor what the context did"


def test_without_hippod_the_model_knows_nothing(house: Daemon) -> None:
    _know(house, words(), words())
    with _model(CODEX, house) as model:
        with _connected(CODEX, house):
            pass  # and disconnected again
        said = _session(CODEX, house, model, QUESTION)
    assert said == f"The code is {UNKNOWN}, the boat is {UNKNOWN}."


def _know(house: Daemon, code: str, boat: str) -> None:
    """Let an old day tell of the code, which only a search finds, and MEMORY.md of the boat.

    Both are sentences that become facts where they are read as somebody's words.
    """
    fact = f"- W: We decided to change the code of the tide gate to {code}.\n"
    house.client.write(f"memory/{OLD_DAY}.md", f"# Daily Log - {OLD_DAY}\n\n## Retain\n{fact}")
    house.client.write("MEMORY.md", f"# Memory\n\nWe decided to name the pilot boat {boat}.\n")
    house.settle()


@contextmanager
def _model(agent: Agent, house: Daemon) -> Iterator[LoopbackModel]:
    """Yield the model, with the agent set up for it by its owner."""
    with loopback_model(looks_it_up) as model:
        for name, text in agent.files.items():
            path = Path(house.environ["HOME"], name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace("{url}", model.url))
        yield model


@contextmanager
def _connected(agent: Agent, house: Daemon) -> Iterator[None]:
    """Connect it by the command that a person types, and take that back to the very bytes."""
    home = Path(house.environ["HOME"])
    before = {name: (home / name).read_bytes() for name in agent.files}
    _connect(agent, house)
    yield
    _connect(agent, house, "--undo")
    assert {name: (home / name).read_bytes() for name in agent.files} == before


def _connect(agent: Agent, house: Daemon, *options: str) -> None:
    done = house.cli("connect", agent.name, "--yes", *options)
    assert done.returncode == 0, done.stderr


def _supplied_session(agent: Agent, house: Daemon, model: LoopbackModel, prompt: str) -> str:
    """Run a session, and another one if a busy machine was too late for the agent's patience."""
    said = _session(agent, house, model, prompt)
    if UNKNOWN in said:
        model.heard.clear()
        said = _session(agent, house, model, prompt)
    return said


def _session(agent: Agent, house: Daemon, model: LoopbackModel, prompt: str) -> str:
    """Run one session in a project of its own and return the model's last words."""
    home = Path(house.environ["HOME"])
    project = home / f"project-{agent.name}"
    project.mkdir(exist_ok=True)
    environ = {name: value.replace("{url}", model.url) for name, value in agent.environ.items()}
    script, *options = agent.argv
    done = subprocess.run(
        [node(), str(MODULES / script), *options, prompt], cwd=project, stdin=subprocess.DEVNULL,
        env={"PATH": _path(), "HOME": str(home), **_no_way_out(model), **environ},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}\n{model.strays}"
    return agent.answer(done.stdout)


def _path() -> str:
    return os.pathsep.join([str(Path(node()).parent), os.environ["PATH"]])


def _no_way_out(model: LoopbackModel) -> dict[str, str]:
    """Return what leads all that is not on loopback to the model, which refuses and notes it."""
    names = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
    loopback = "127.0.0.1,localhost"
    return {**dict.fromkeys(names, model.url), "NO_PROXY": loopback, "no_proxy": loopback}


def _today(house: Daemon) -> str:
    days = sorted((house.workspace / "memory").glob(f"{datetime.now(UTC):%Y}-*.md"))
    return "\n".join(day.read_text() for day in days if day.stem != OLD_DAY)
