"""Gemini CLI: its settings as people have them, and what stands in them after connecting."""

import json
import tomllib
from pathlib import Path

import pytest

from tests.connecting import connect, tree

SETTINGS = """{
  // Gemini CLI strips comments
  "security": { "auth": { "selectedType": "oauth-personal" } },
  "mcpServers": {
    "git": { "command": "uvx", "args": ["mcp-server-git"], "trust": true }
  },
  "hooks": {
    "AfterAgent": [
      { "hooks": [{ "name": "bell", "type": "command", "command": "printf '\\\\a' >&2" }] }
    ]
  }
}
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    (folder / ".gemini").mkdir(parents=True)
    (folder / ".gemini/settings.json").write_text(SETTINGS)
    return folder


def test_server_and_hooks_stand_beside_those_of_others(home: Path) -> None:
    assert connect(home, "gemini", "--yes").code == 0
    text = (home / ".gemini/settings.json").read_text()
    assert "// Gemini CLI strips comments" in text
    found = json.loads(text.replace("// Gemini CLI strips comments", ""))
    assert set(found["mcpServers"]) == {"git", "hippod"}
    assert set(found["hooks"]) == {"SessionStart", "AfterAgent", "PreCompress", "SessionEnd"}
    assert len(found["hooks"]["AfterAgent"]) == 2


def test_its_timeouts_are_milliseconds_and_its_hooks_have_names(home: Path) -> None:
    (home / ".gemini/settings.json").write_text("{}")
    connect(home, "gemini", "--yes", "--prompt-hook")
    found = json.loads((home / ".gemini/settings.json").read_text())["hooks"]
    handlers = {event: groups[0]["hooks"][0] for event, groups in found.items()}
    assert {handler["timeout"] for handler in handlers.values()} == {10_000}
    assert handlers["BeforeAgent"]["name"] == "hippod-prompt"
    assert handlers["AfterAgent"]["command"].endswith("hook gemini stop")


def test_that_hooks_are_off_is_said(home: Path) -> None:
    (home / ".gemini/settings.json").write_text('{"hooksConfig": {"enabled": false}}')
    assert "keeps every hook from running" in connect(home, "gemini", "--dry-run").out


def test_undo_gives_the_file_back(home: Path) -> None:
    before = tree(home)
    connect(home, "gemini", "--yes", "--instructions")
    assert connect(home, "gemini", "--undo", "--yes").code == 0
    assert tree(home) == before


def test_undo_of_a_file_that_was_written_anew_takes_out_ours(home: Path) -> None:
    (home / ".gemini/settings.json").write_text("{}")
    connect(home, "gemini", "--yes")
    file = home / ".gemini/settings.json"
    file.write_text(json.dumps({"ui": {"theme": "ANSI"}, **json.loads(file.read_text())}))
    connect(home, "gemini", "--undo", "--yes")
    assert json.loads(file.read_text()) == {"ui": {"theme": "ANSI"}}


def test_its_home_may_be_elsewhere_and_a_project_has_its_own(home: Path) -> None:
    (home / "g").mkdir()
    (home / "p").mkdir()
    environ = {"GEMINI_CLI_HOME": str(home / "g")}
    assert connect(home, "gemini", "--yes", "--force", environ=environ).code == 0
    assert set(tree(home / "g")) == {".gemini/settings.json"}
    assert connect(home, "gemini", "--yes", "--project", str(home / "p")).code == 0
    assert set(tree(home / "p")) == {".gemini/settings.json"}
    assert (home / ".gemini/settings.json").read_text() == SETTINGS


def test_where_to_find_its_sessions_stands_in_our_configuration(home: Path) -> None:
    connect(home, "gemini", "--yes")
    [source] = tomllib.loads((home / ".hippod/config.toml").read_text())["sources"]
    assert source["path"] == "~/.gemini/tmp/*/chats/**/*.{json,jsonl}"
