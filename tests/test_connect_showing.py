"""The diff that `hippod connect` shows: what changes, and nothing that others keep there."""

import json
import time
from pathlib import Path

import pytest

from hippod.connect.showing import shown
from tests.connecting import connect

SECRETS = ("zxcvbnm", "tok_plain", "uiop", "hjkl")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    (folder / ".claude").mkdir(parents=True)
    (folder / ".codex").mkdir()
    return folder


def test_texts_of_others_are_not_shown(home: Path) -> None:
    (home / ".claude.json").write_text(
        '{\n  "mcpServers": {\n    "a": {\n      "args": ["--token", "tok_plain"],\n'
        '      "env": {\n        "ACME_SECRET": "zxcvbnm"\n      }\n    }\n  },\n'
        '  "accessToken": "hjkl"\n}\n'
    )
    (home / ".claude/settings.json").write_text('{"uiop": 1, "apiKeyHelper": "uiop \\"uiop"}')
    (home / ".codex/config.toml").write_text(
        '[mcp_servers.a]\nargs = ["tok_plain"]\nx = """\nzxcvbnm\nb = uiop"""\ny = \'hjkl\'\n'
    )
    said = connect(home, "claude-code", "--dry-run").out + connect(home, "codex", "--dry-run").out
    found = [secret for secret in SECRETS if secret in said.replace('"uiop":', "")]
    assert found == []
    assert "ACME_SECRET" in said
    assert '"args": ["mcp", "--start"]' in said or '"--start"' in said
    assert "hook claude-code session-start" in said


def test_what_a_person_added_to_ours_is_not_shown_either(home: Path) -> None:
    connect(home, "claude-code", "--yes")
    file = home / ".claude.json"
    file.write_text(file.read_text().replace('"stdio"', '"stdio", "env": {"A": "zxcvbnm"}'))
    said = connect(home, "claude-code", "--yes", "--tools", "all")
    assert "zxcvbnm" not in said.out
    assert '"all"' in said.out
    assert "zxcvbnm" not in connect(home, "claude-code", "--undo", "--yes").out


def test_of_one_long_line_what_changes_is_shown(home: Path) -> None:
    history = json.dumps(["word " * 18] * 500)
    (home / ".claude.json").write_text(f'{{"history": {history}, "z": {history}}}')
    said = connect(home, "claude-code", "--dry-run").out
    [line] = [line for line in said.splitlines() if line.startswith("+") and "mcpServers" in line]
    assert line.startswith("+…")
    assert "hippod" in line
    assert len(line) < 400


def test_a_large_file_of_one_line_is_no_matter_of_minutes(home: Path) -> None:
    """Two megabytes; it took longer the more a line held, five took over a minute."""
    text = json.dumps({"projects": {f"/p/{n}": {"history": ["x" * 90] * 10} for n in range(2000)}})
    (home / ".claude.json").write_text(text)
    begun = time.process_time()
    assert connect(home, "claude-code", "--dry-run").code == 0
    assert time.process_time() - begun < 8


def test_lines_without_a_partner_are_cut_at_their_end() -> None:
    text = shown("a.md", b"a\n", b"a\n" + b"x. " * 200, ())
    assert max(map(len, text.splitlines())) <= 310
    assert "+x. x. " in text
