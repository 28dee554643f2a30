"""`hippod connect vscode` on settings as VS Code and people write them."""

import sys
from pathlib import Path
from typing import Any

import pytest

from hippod.connect import json_text
from tests.connecting import connect, tree

MCP = b"""{
\t"inputs": [
\t\t{ "type": "promptString", "id": "key", "description": "API key", "password": true },
\t],
\t"servers": {
\t\t// from the team's handbook
\t\t"github": { "type": "http", "url": "https://api.githubcopilot.com/mcp" },
\t},
}
"""
BASE = "Library/Application Support" if sys.platform == "darwin" else ".config"


def profile(home: Path, edition: str = "Code") -> Path:
    folder = home / BASE / edition / "User"
    folder.mkdir(parents=True)
    return folder


def server(file: Path, name: str = "hippod") -> Any:
    return json_text.value(file.read_bytes(), ("servers", name), str(file))


def test_a_new_file_has_the_form_that_vscode_documents(tmp_path: Path) -> None:
    folder = profile(tmp_path)
    assert connect(tmp_path, "vscode", "--yes", "--tools", "all").code == 0
    written = server(folder / "mcp.json")
    assert set(written) == {"type", "command", "args"}
    assert written["type"] == "stdio"
    assert Path(written["command"]).is_absolute()
    words = written["args"]
    assert words[words.index("mcp") :][:4] == ["mcp", "--start", "--tools", "all"]
    assert not (tmp_path / ".hippod/config.toml").exists()  # its chats are no source


def test_comments_inputs_and_servers_stay_and_come_back_to_the_byte(tmp_path: Path) -> None:
    file = profile(tmp_path) / "mcp.json"
    file.write_bytes(MCP)
    assert connect(tmp_path, "vscode", "--yes").code == 0
    written = file.read_bytes()
    assert b"// from the team's handbook" in written
    assert server(file, "github")["type"] == "http"
    assert "nothing to do" in connect(tmp_path, "vscode", "--yes").out
    assert file.read_bytes() == written
    assert connect(tmp_path, "vscode", "--undo", "--yes").code == 0
    assert file.read_bytes() == MCP


def test_every_edition_that_is_installed_is_connected(tmp_path: Path) -> None:
    folders = [profile(tmp_path, edition) for edition in ("Code - Insiders", "VSCodium")]
    assert connect(tmp_path, "vscode", "--yes").code == 0
    assert all(server(folder / "mcp.json") for folder in folders)
    assert not (tmp_path / BASE / "Code").exists()


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS has no XDG folders")
def test_the_configured_folder_of_settings_counts(tmp_path: Path) -> None:
    folder = tmp_path / "settings/Code/User"
    folder.mkdir(parents=True)
    environ = {"XDG_CONFIG_HOME": str(tmp_path / "settings")}
    assert connect(tmp_path, "vscode", "--yes", environ=environ).code == 0
    assert server(folder / "mcp.json")


def test_a_workspace_of_vscode(tmp_path: Path) -> None:
    profile(tmp_path)
    project = tmp_path / "project"
    project.mkdir()
    assert connect(tmp_path, "vscode", "--yes", "--project", str(project)).code == 0
    assert set(tree(project)) == {".vscode/mcp.json"}
    assert server(project / ".vscode/mcp.json")


def test_a_server_of_that_name_that_is_another_program_is_refused(tmp_path: Path) -> None:
    file = profile(tmp_path) / "mcp.json"
    file.write_bytes(b'{"servers": {"hippod": {"command": "zoo"}}}')
    said = connect(tmp_path, "vscode", "--yes")
    assert said.code == 5
    assert file.read_bytes() == b'{"servers": {"hippod": {"command": "zoo"}}}'
    assert connect(tmp_path, "vscode", "--yes", "--name", "memory").code == 0
    assert server(file, "memory")
    assert server(file) == {"command": "zoo"}


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"servers": 1}', b"\xff\xfe{}", b'{"a": 1} x'])
def test_a_file_that_is_broken_or_of_another_form_is_left_alone(
    tmp_path: Path, content: bytes
) -> None:
    file = profile(tmp_path) / "mcp.json"
    file.write_bytes(content)
    said = connect(tmp_path, "vscode", "--yes")
    assert said.code != 0
    assert "mcp.json" in said.err
    assert file.read_bytes() == content
