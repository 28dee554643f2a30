"""`hippod connect cursor` on settings as Cursor and people write them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.connecting import connect, tree

MCP = b"""{
  // servers of the team
  "mcpServers": {
    "github": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-github"] },
  },
}
"""
HOOKS = b"""{
\t"version": 1,
\t"hooks": {
\t\t"stop": [{"command": "./hooks/audit.sh", "timeout": 30}],
\t\t"afterFileEdit": [{"command": "./hooks/format.sh"}]
\t}
}
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / ".cursor").mkdir()
    return tmp_path


def read(file: Path) -> Any:
    return json.loads(file.read_bytes())


def commands(home: Path, event: str) -> list[str]:
    return [hook["command"] for hook in read(home / ".cursor/hooks.json")["hooks"][event]]


def test_new_files_have_the_forms_that_cursor_documents(home: Path) -> None:
    said = connect(home, "cursor", "--yes")
    assert said.code == 0, said
    server = read(home / ".cursor/mcp.json")["mcpServers"]["hippod"]
    assert set(server) == {"type", "command", "args"}
    assert server["type"] == "stdio"
    assert Path(server["command"]).is_absolute()
    words = server["args"]
    assert words[words.index("mcp") :][:2] == ["mcp", "--start"]
    hooks = read(home / ".cursor/hooks.json")
    assert hooks["version"] == 1
    assert list(hooks["hooks"]) == ["sessionStart", "stop", "preCompact", "sessionEnd"]
    assert " hook cursor sessionStart" in commands(home, "sessionStart")[0]
    assert "agent-transcripts" in (home / ".hippod/config.toml").read_text()


def test_what_is_there_stays_and_comes_back_to_the_byte(home: Path) -> None:
    (home / ".cursor/mcp.json").write_bytes(MCP)
    (home / ".cursor/hooks.json").write_bytes(HOOKS)
    assert connect(home, "cursor", "--yes").code == 0
    written = tree(home / ".cursor")
    assert b"// servers of the team" in written["mcp.json"]
    assert b'"github": { "command": "npx"' in written["mcp.json"]
    assert commands(home, "stop")[0] == "./hooks/audit.sh"
    assert commands(home, "afterFileEdit") == ["./hooks/format.sh"]
    again = connect(home, "cursor", "--yes")
    assert "nothing to do" in again.out
    assert tree(home / ".cursor") == written
    assert connect(home, "cursor", "--undo", "--yes").code == 0
    assert (home / ".cursor/mcp.json").read_bytes() == MCP
    assert (home / ".cursor/hooks.json").read_bytes() == HOOKS


def test_an_undo_after_other_changes_takes_out_only_ours(home: Path) -> None:
    (home / ".cursor/hooks.json").write_bytes(HOOKS)
    connect(home, "cursor", "--yes")
    file = home / ".cursor/hooks.json"
    changed = read(file)
    changed["hooks"]["stop"].append({"command": "./hooks/later.sh"})
    file.write_text(json.dumps(changed))
    assert connect(home, "cursor", "--undo", "--yes").code == 0
    assert commands(home, "stop") == ["./hooks/audit.sh", "./hooks/later.sh"]
    assert "hippod" not in file.read_text()


def test_hooks_that_others_add_to_a_new_file_keep_its_version(home: Path) -> None:
    connect(home, "cursor", "--yes")
    file = home / ".cursor/hooks.json"
    changed = read(file)
    changed["hooks"]["stop"].append({"command": "./hooks/later.sh"})
    file.write_text(json.dumps(changed))
    assert connect(home, "cursor", "--undo", "--yes").code == 0
    assert read(file) == {"version": 1, "hooks": {"stop": [{"command": "./hooks/later.sh"}]}}


def test_a_new_file_goes_again(home: Path) -> None:
    connect(home, "cursor", "--yes")
    connect(home, "cursor", "--yes", "--prompt-hook")
    assert connect(home, "cursor", "--undo", "--yes").code == 0
    assert tree(home / ".cursor") == {}


def test_a_group_gets_context_and_nothing_is_kept_of_it(home: Path) -> None:
    assert connect(home, "cursor", "--yes", "--scope", "group").code == 0
    assert list(read(home / ".cursor/hooks.json")["hooks"]) == ["sessionStart"]
    assert "--scope group" in commands(home, "sessionStart")[0]
    assert not (home / ".hippod/config.toml").exists()


def test_options_choose_hooks_and_the_files_of_a_project(home: Path, tmp_path: Path) -> None:
    project = tmp_path / "my project"
    project.mkdir()
    words = ["cursor", "--yes", "--project", str(project), "--prompt-hook", "--instructions"]
    assert connect(home, *words).code == 0
    assert set(tree(project)) == {".cursor/mcp.json", ".cursor/hooks.json", "AGENTS.md"}
    assert "beforeSubmitPrompt" in read(project / ".cursor/hooks.json")["hooks"]
    assert tree(home / ".cursor") == {}
    other = tmp_path / "other"
    other.mkdir()
    assert connect(home, "cursor", "--yes", "--no-hooks", "--project", str(other)).code == 0
    assert set(tree(other)) == {".cursor/mcp.json"}


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("mcp.json", b'{"mcpServers": {'),
        ("mcp.json", b'{"mcpServers": []}'),
        ("hooks.json", b'{"version": 1, "hooks": {"stop": "run.sh"}}'),
        ("hooks.json", b"version: 1\n"),
        ("hooks.json", b'{"version": 2, "hooks": {}}'),
    ],
)
def test_a_file_that_is_broken_or_of_another_form_is_left_alone(
    home: Path, file: str, content: bytes
) -> None:
    (home / ".cursor" / file).write_bytes(content)
    said = connect(home, "cursor", "--yes")
    assert said.code != 0
    assert file in said.err
    assert tree(home / ".cursor") == {file: content}
