"""The papers against the program: examples run, and nothing is left unmentioned."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from hippod.cli import ALIASES, COMMANDS
from hippod.config import Check, Config, Notify
from hippod.notifiers import Alert, AlertItem, Notifiers
from hippod.server.app import build
from tests.processes import Daemon, running, wait_for

ROOT = Path(__file__).parent.parent
GENERATED = ("api.md", "configuration.md")
PAGES = [
    ROOT / "README.md",
    *(page for page in sorted((ROOT / "docs").glob("*.md")) if page.name not in GENERATED),
]
"""What people wrote: what a program lists by itself is no mention."""
WRITTEN = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
README, API, CONTEXT, HEARTBEAT = (
    (ROOT / name).read_text(encoding="utf-8")
    for name in ("README.md", "docs/api.md", "docs/context.md", "docs/heartbeat.md")
)
EXAMPLE = (ROOT / "config.example.toml").read_text(encoding="utf-8")

pytestmark = pytest.mark.xdist_group("docs")


def code(text: str) -> str:
    """Return what stands in code spans and fenced blocks: names of things, not words."""
    fenced = re.findall(r"^```.*?^```", text, re.DOTALL | re.MULTILINE)
    rest = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    return "\n".join([*fenced, *re.findall(r"`[^`\n]+`", rest)])


def curl_commands() -> list[str]:
    """Return the shell commands of the block behind the marker, each with its further lines."""
    block = API.partition("<!-- curl -->")[2].partition("```console\n")[2].partition("```")[0]
    return [command.strip() for command in re.split(r"^\$ ", block, flags=re.MULTILINE) if command]


# -- examples --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running(tmp_path_factory.mktemp("docs")) as daemon:
        yield daemon


def shell(daemon: Daemon, *commands: str) -> str:
    """Run commands in one shell, as a reader of a page does, and return what they print."""
    here = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-ec", "\n".join(commands)],
        env={**daemon.environ, "PATH": here},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_curl_examples_of_the_api_work(daemon: Daemon) -> None:
    find_socket, _, *commands = curl_commands()
    assert len(commands) >= 6
    assert all("curl " in c and '--unix-socket "$SOCKET"' in c for c in commands)
    found = f"SOCKET={shell(daemon, find_socket, 'echo $SOCKET')}".strip()
    answers = []
    for command in commands:
        if "/v1/recall" in command:
            wait_for(lambda: daemon.client.recall("spare key")["hits"], "the note in the index")
        answers.append(json.loads(shell(daemon, found, command.partition("\n…")[0])))
    assert [answer for answer in answers if "error" in answer] == []
    assert "Ina" in answers[1]["hits"][0]["content"]
    assert "porch light" in answers[2]["stored"][0]["bullet"]
    assert "context/boats.md" in [entry["path"] for entry in answers[-1]["entries"]]


def test_the_python_example_of_a_session_works(daemon: Daemon) -> None:
    block = CONTEXT.partition("<!-- python -->")[2].partition("```python\n")[2].partition("```")[0]
    assert CONTEXT.count("```python") == 1
    daemon.client.write("context/porch.md", "The lamp of the porch has a new switch.\n")
    wait_for(
        lambda: "pages.changed" in str([*daemon.client.events(after=0, follow=False)]),
        "an event to show",
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{block}\nprint(prompt, kept, reply)"],
        env=daemon.environ, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "## Agent Instructions" in done.stdout
    assert "The hardware store calls back today." in done.stdout
    assert "pages.changed" in done.stdout


def test_the_message_of_the_page_is_what_a_command_gets(tmp_path: Path) -> None:
    block = HEARTBEAT.partition("gets the message as JSON")[2].partition("```json\n")[2]
    shown = json.loads(block.partition("```")[0])
    items = tuple(
        AlertItem(each["item"], each["reason"], tuple(each["evidence"]), each["urgent"])
        for each in shown["items"]
    )
    when = datetime.fromisoformat(shown["time"])
    alert = Alert(shown["title"], shown["text"], items, when, shown["urgent"])
    notify = Notify(command=("sh", "-c", f"cat > '{tmp_path}/got'"))
    assert Notifiers(notify, {"PATH": os.environ["PATH"]}).tell(alert) == []
    assert json.loads((tmp_path / "got").read_text()) == shown


def test_every_curl_stands_in_the_tested_block() -> None:
    assert API.count("curl -s") == "\n".join(curl_commands()).count("curl -s")
    assert "curl -s" not in WRITTEN


# -- nothing left out ------------------------------------------------------------------------


@pytest.mark.parametrize("command", [*COMMANDS, *ALIASES])
def test_every_command_is_in_the_readme_or_the_help(command: str) -> None:
    if command in ALIASES:
        assert command in COMMANDS[ALIASES[command]][1]
    else:
        assert re.search(rf"(hippod |`){command}\b", code(README)), command


def test_every_endpoint_is_on_a_page() -> None:
    named = re.findall(r"/(?:v1/|metrics)[\w./{}-]*", WRITTEN)
    for path in build(None, 1).openapi()["paths"]:  # type: ignore[arg-type]
        place = path.partition("{")[0].rstrip("/")
        assert any(name.startswith(place) for name in named), path


def test_every_section_of_the_configuration_is_in_the_example() -> None:
    for name, field in Config.model_fields.items():
        assert re.search(rf"^\[\[?{name}\]", EXAMPLE, re.MULTILINE), name
        model = type(field.default[0] if isinstance(field.default, tuple) else field.default)
        section = re.split(rf"^\[\[?{name}\]\]?$", EXAMPLE, flags=re.MULTILINE)[1]
        for key in model.model_fields.keys() - {"checks"}:  # tables of their own
            assert re.search(rf"^{key} = ", section.split("\n[")[0], re.MULTILINE), (name, key)
    for key in Check.model_fields:
        assert re.search(rf"^# {key} = ", EXAMPLE, re.MULTILINE), key


OF_AGENTS = {"features"}
"""Sections of agents' own configuration files, as docs/agents.md names them."""


def test_every_configuration_key_that_a_page_names_exists() -> None:
    for name, key in re.findall(r"`\[(\w+)\] ?(\w*)", WRITTEN):
        if name in OF_AGENTS:
            continue
        assert name in Config.model_fields, name
        section = Config.model_fields[name].default
        assert not key or isinstance(section, tuple) or key in type(section).model_fields, key


# -- nothing let out -------------------------------------------------------------------------

# Written in pieces, so that this file is not itself what it looks for.
FOREIGN = re.compile(
    r"(?<![\w.}])/wor" + r"k/|(?<![\w.}])/tmp/" + r"w/|\.\./sha" + r"red|/ro" + r"ot/"
    r"|\b(DESI" + r"GN|AESTH" + r"ETICS|EXTR" + r"ACTION|RETR" + r"IEVAL|CONT" + r"RACT)\.md"
)
TEXTS = (".py", ".md", ".toml", ".txt", ".cfg", ".yml", ".yaml", ".sh", "")


def project_files() -> list[Path]:
    """Return the files of the project, without what tools and builds leave beside them."""
    found: list[Path] = []
    for name in ("daemon", "tests", "bench", "examples", ".ci"):
        found += [path for path in (ROOT / name).rglob("*") if path.suffix in TEXTS]
    found += [path for path in ROOT.iterdir() if path.suffix in TEXTS]
    built = ("__pycache__", "egg-info", "reports", "node_modules")
    return [f for f in found if f.is_file() and not any(part in str(f) for part in built)]


def test_no_place_of_one_machine_is_in_the_project() -> None:
    files = project_files()
    assert len(files) > 80
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")
        assert not FOREIGN.search(text), (file.relative_to(ROOT), FOREIGN.search(text))
