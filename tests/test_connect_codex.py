"""Codex: its files as people have them, and what stands in them after connecting."""

import json
import os
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.connecting import connect, tree
from tests.node_clients import MODULES, node

CONFIG = """# my codex
model = "gpt-5"            # the good one
approval_policy = "on-request"
notify = ["notify-send", "Codex"]

[mcp_servers.docs]
command = "npx"
args = [
  "-y",
  "docs-mcp", # trailing comma below
]

[mcp_servers.docs.env]
TOKEN = "abc"

[projects."/home/ada/porch"]
trust_level = "trusted"
"""
HOOKS = """{
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "say done", "timeout": 30 }] }
    ]
  }
}
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    (folder / ".codex").mkdir(parents=True)
    (folder / ".codex/config.toml").write_text(CONFIG)
    return folder


def test_the_server_comes_below_and_all_else_stays(home: Path) -> None:
    assert connect(home, "codex", "--yes").code == 0
    text = (home / ".codex/config.toml").read_text()
    assert text.startswith(CONFIG)
    servers = tomllib.loads(text)["mcp_servers"]
    assert set(servers) == {"docs", "hippod"}
    assert servers["hippod"]["args"][-2:] == ["mcp", "--start"]


def test_hooks_stand_in_its_file_of_hooks(home: Path) -> None:
    (home / ".codex/hooks.json").write_text(HOOKS)
    assert connect(home, "codex", "--yes").code == 0
    found = json.loads((home / ".codex/hooks.json").read_text())
    assert set(found) == {"hooks"}, "it refuses a file with other keys at the top"
    assert set(found["hooks"]) == {"SessionStart", "Stop", "PreCompact"}
    assert len(found["hooks"]["Stop"]) == 2


def test_hooks_join_those_of_a_person_in_the_configuration(home: Path) -> None:
    file = home / ".codex/config.toml"
    own = '\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "say done"\n'
    file.write_text(CONFIG + own)
    assert connect(home, "codex", "--yes").code == 0
    found = tomllib.loads(file.read_text())["hooks"]
    assert [group["hooks"][0]["command"].split()[-1] for group in found["Stop"]] == ["done", "stop"]
    assert set(found) == {"SessionStart", "Stop", "PreCompact"}
    assert not (home / ".codex/hooks.json").exists()
    assert connect(home, "codex").out == "nothing to do\n"
    file.write_text(file.read_text() + "[tui]\nx = 1\n")
    connect(home, "codex", "--undo", "--yes")
    assert file.read_text() == CONFIG + own + "[tui]\nx = 1\n"


def test_that_hooks_are_off_is_said(home: Path) -> None:
    (home / ".codex/config.toml").write_text("[features]\nhooks = false\n")
    assert "keeps every hook from running" in connect(home, "codex", "--dry-run").out
    assert "keeps" not in connect(home, "codex", "--dry-run", "--no-hooks").out


def test_undo_gives_the_files_back(home: Path) -> None:
    (home / ".codex/hooks.json").write_text(HOOKS)
    before = tree(home)
    connect(home, "codex", "--yes", "--prompt-hook", "--instructions")
    connect(home, "codex", "--undo", "--yes")
    assert tree(home) == before


def test_undo_keeps_what_codex_wrote_since(home: Path) -> None:
    connect(home, "codex", "--yes")
    file = home / ".codex/config.toml"
    trusted = '\n[hooks.state."x:stop:0"]\ntrusted_hash = "sha256:1"\n'
    file.write_text(file.read_text() + trusted)
    connect(home, "codex", "--undo", "--yes")
    assert file.read_text() == CONFIG + trusted


def test_an_entry_with_other_options_is_changed_in_its_place(home: Path) -> None:
    connect(home, "codex", "--yes")
    file = home / ".codex/config.toml"
    file.write_text(file.read_text() + "\n[tui]\nnotifications = true\n")
    connect(home, "codex", "--yes", "--tools", "all")
    found = tomllib.loads(file.read_text())
    assert found["mcp_servers"]["hippod"]["args"][-2:] == ["--tools", "all"]
    assert found["tui"] == {"notifications": True}
    assert file.read_text().startswith(CONFIG)


def test_a_server_of_others_and_one_by_hand_are_noticed(home: Path) -> None:
    file = home / ".codex/config.toml"
    file.write_text('[mcp_servers.hippod]\ncommand = "other"\n')
    assert connect(home, "codex", "--yes").code == 5
    text = '[mcp_servers.memory]\ncommand = "python"\nargs = ["-m", "hippod", "mcp"]\n'
    file.write_text(text)
    said = connect(home, "codex", "--yes")
    assert "mcp_servers.memory runs hippod already" in said.out
    assert file.read_text() == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = 1\nb =\n", "config.toml:2:4: not valid TOML"),
        ("a = 1\na = 2\n", "config.toml:2:6: not valid TOML: Cannot overwrite a value"),
        ("mcp_servers = 'x'\n", "mcp_servers is not a table"),
    ],
)
def test_a_broken_file_is_named_and_nothing_is_written(home: Path, text: str, said: str) -> None:
    (home / ".codex/config.toml").write_text(text)
    before = tree(home)
    told = connect(home, "codex", "--yes")
    assert told.code == 2
    assert said in told.err
    assert tree(home) == before


def test_its_folder_may_be_elsewhere_and_a_project_has_its_own(home: Path) -> None:
    (home / "c").mkdir()
    (home / "p").mkdir()
    environ = {"CODEX_HOME": str(home / "c")}
    assert connect(home, "codex", "--yes", environ=environ).code == 0
    assert set(tree(home / "c")) == {"config.toml", "hooks.json"}
    assert connect(home, "codex", "--yes", "--project", str(home / "p")).code == 0
    assert set(tree(home / "p")) == {".codex/config.toml", ".codex/hooks.json"}
    assert (home / ".codex/config.toml").read_text() == CONFIG


def test_where_to_find_its_sessions_stands_in_our_configuration(home: Path) -> None:
    connect(home, "codex", "--yes")
    [source] = tomllib.loads((home / ".hippod/config.toml").read_text())["sources"]
    assert source == {
        "name": "codex",
        "path": "~/.codex/{sessions,archived_sessions}/**/*.jsonl",
        "format": "codex",
    }


@pytest.mark.slow
@pytest.mark.xdist_group("agents")
def test_the_real_codex_reads_the_entry(home: Path) -> None:
    connect(home, "codex", "--yes")
    environ = {"HOME": str(home), "PATH": os.environ["PATH"]}
    listed = subprocess.run(
        [node(), str(MODULES / "@openai/codex/bin/codex.js"), "mcp", "list", "--json"],
        env=environ, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    found = {server["name"]: server["transport"] for server in json.loads(listed.stdout)}
    assert found["hippod"]["args"][-2:] == ["mcp", "--start"]
    assert found["docs"]["env"] == {"TOKEN": "abc"}
