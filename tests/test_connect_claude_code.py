"""Claude Code: its files as people have them, and what stands in them after connecting."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.connecting import connect, tree
from tests.node_clients import MODULES, node
from tests.processes import running

SETTINGS = """{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": {
    "allow": ["Bash(npm run lint)"],
    "deny": ["Read(./.env)"]
  },
  "hooks": {
    "SessionStart": [
      {
        "matcher": "startup",
        "hooks": [
          {"type": "command", "command": "~/bin/hello.sh"}
        ]
      }
    ],
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "guard"}]}
    ]
  },
  "model": "opus"
}
"""
STATE = """{
  "numStartups": 12,
  "projects": {
    "/home/ada/porch": {"mcpServers": {"local": {"command": "x"}}, "history": []}
  },
  "mcpServers": {
    "github": {
      "type": "http",
      "url": "https://example.org/mcp"
    }
  },
  "userID": "ada"
}"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    (folder / ".claude").mkdir(parents=True)
    (folder / ".claude/settings.json").write_text(SETTINGS)
    (folder / ".claude.json").write_text(STATE)
    return folder


def hooks(file: Path) -> dict[str, list[str]]:
    """Return the commands of each event."""
    held = json.loads(file.read_text())["hooks"]
    return {
        event: [hook["command"] for group in groups for hook in group["hooks"]]
        for event, groups in held.items()
    }


def test_the_server_stands_beside_the_others_of_the_user(home: Path) -> None:
    assert connect(home, "claude-code", "--yes").code == 0
    state = json.loads((home / ".claude.json").read_text())
    entry = state["mcpServers"].pop("hippod")
    assert state == json.loads(STATE)
    assert entry["type"] == "stdio"
    assert entry["args"][-2:] == ["mcp", "--start"]


def test_hooks_start_and_end_a_session_beside_those_of_others(home: Path) -> None:
    connect(home, "claude-code", "--yes")
    found = hooks(home / ".claude/settings.json")
    assert found["PreToolUse"] == ["guard"]
    assert found["SessionStart"][0] == "~/bin/hello.sh"
    ours = {event: commands[-1] for event, commands in found.items() if event != "PreToolUse"}
    words = {event: shlex.split(command) for event, command in ours.items()}
    assert {event: each[each.index("hook") :] for event, each in words.items()} == {
        "SessionStart": ["hook", "claude-code", "session-start", "--start"],
        "Stop": ["hook", "claude-code", "stop"],
        "PreCompact": ["hook", "claude-code", "pre-compact"],
        "SessionEnd": ["hook", "claude-code", "session-end"],
    }


def test_a_hook_per_message_only_where_it_is_wished(home: Path) -> None:
    connect(home, "claude-code", "--yes", "--prompt-hook")
    assert hooks(home / ".claude/settings.json")["UserPromptSubmit"][0].endswith(" prompt")


def test_a_hook_that_a_person_put_beside_another_is_left(home: Path) -> None:
    group = {"hooks": [{"type": "command", "command": "hippod hook claude-code stop"},
                       {"type": "command", "command": "say done"}]}  # fmt: skip
    (home / ".claude/settings.json").write_text(json.dumps({"hooks": {"Stop": [group]}}))
    said = connect(home, "claude-code", "--yes")
    assert "among other hooks" in said.out
    assert json.loads((home / ".claude/settings.json").read_text())["hooks"]["Stop"] == [group]


def test_a_hook_of_an_older_installation_is_brought_up_to_date(home: Path) -> None:
    group = {"hooks": [{"type": "command", "command": "/old/bin/hippod hook claude-code stop"}]}
    (home / ".claude/settings.json").write_text(json.dumps({"hooks": {"Stop": [group]}}))
    connect(home, "claude-code", "--yes")
    [command] = hooks(home / ".claude/settings.json")["Stop"]
    assert "/old/bin" not in command


def test_that_hooks_are_off_is_said(home: Path) -> None:
    (home / ".claude/settings.json").write_text('{"disableAllHooks": true}')
    assert "keeps every hook from running" in connect(home, "claude-code", "--dry-run").out


def test_undo_gives_both_files_back(home: Path) -> None:
    before = tree(home)
    connect(home, "claude-code", "--yes", "--prompt-hook", "--instructions")
    assert connect(home, "claude-code", "--undo", "--yes").code == 0
    assert tree(home) == before


def test_its_folder_may_be_elsewhere(home: Path) -> None:
    other = home / "other"
    other.mkdir()
    before = tree(home / ".claude")
    environ = {"CLAUDE_CONFIG_DIR": str(other)}
    assert connect(home, "claude-code", "--yes", environ=environ).code == 0
    assert set(tree(other)) == {".claude.json", "settings.json"}
    assert tree(home / ".claude") == before
    assert 'path = "~/other/projects/**/*.jsonl"' in (home / ".hippod/config.toml").read_text()


def test_a_project_has_files_of_its_own(home: Path) -> None:
    project = home / "porch"
    project.mkdir()
    (project / ".mcp.json").write_text('{"mcpServers": {}}')
    before = tree(home / ".claude")
    assert connect(home, "claude-code", "--yes", "--project", str(project)).code == 0
    assert "hippod" in json.loads((project / ".mcp.json").read_text())["mcpServers"]
    assert "SessionStart" in hooks(project / ".claude/settings.local.json")
    assert tree(home / ".claude") == before
    assert connect(home, "claude-code", "--undo", "--yes").code == 4, "that is another connection"
    assert connect(home, "claude-code", "--undo", "--yes", "--project", str(project)).code == 0
    assert tree(project) == {".mcp.json": b'{"mcpServers": {}}'}


def test_instructions_stand_between_markers_and_go_again(home: Path) -> None:
    file = home / ".claude/CLAUDE.md"
    file.write_text("# How I work\nShort answers.")
    connect(home, "claude-code", "--yes", "--instructions")
    text = file.read_text()
    assert text.startswith("# How I work\nShort answers.\n\n<!-- hippod:begin hippod -->\n")
    assert "memory_search" in text
    file.write_text(f"{text}\nMore of mine.\n")
    connect(home, "claude-code", "--undo", "--yes")
    assert file.read_text() == "# How I work\nShort answers.\nMore of mine.\n"


@pytest.mark.slow
@pytest.mark.xdist_group("agents")
def test_the_real_claude_reads_the_entry(home: Path, tmp_path: Path) -> None:
    """It starts the server to see whether it answers: a daemon runs, so that it starts none."""
    (home / ".claude.json").write_text("{}")
    claude = [node(), str(MODULES / "@anthropic-ai/claude-code/cli-wrapper.cjs")]
    with running(tmp_path) as daemon:
        places = ("--socket", str(daemon.socket), "--workspace", str(daemon.workspace))
        connect(home, "claude-code", "--yes", *places)
        listed = subprocess.run(
            [*claude, "mcp", "get", "hippod"], env={"HOME": str(home), "PATH": os.environ["PATH"]},
            cwd=home, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert listed.returncode == 0, listed.stderr
    assert "mcp --start --workspace" in listed.stdout
    assert "Connected" in listed.stdout
