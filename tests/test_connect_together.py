"""`hippod connect` beside what people wrote by hand, and several connections in one file."""

import json
import os
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.connecting import connect, tree

CODEX = b"""\
[mcp_servers.hippod] # my own
command = "/opt/hippod"
args = ["mcp", "--start"]
startup_timeout_sec = 33
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    for agent in (".claude", ".codex", ".cursor", ".gemini"):
        (folder / agent).mkdir(parents=True)
    return folder


def read(file: Path) -> Any:
    return json.loads(file.read_bytes())


def events(home: Path) -> dict[str, list[str]]:
    held = read(home / ".claude/settings.json")["hooks"]
    return {
        event: [hook["command"] for group in groups for hook in group["hooks"]]
        for event, groups in held.items()
    }


# -- another scope ---------------------------------------------------------------------------


def test_a_second_name_for_a_group_never_takes_over_the_hook_of_the_owner(home: Path) -> None:
    assert connect(home, "claude-code", "--yes").code == 0
    before = tree(home)
    said = connect(home, "claude-code", "--yes", "--scope", "group", "--name", "g")
    assert said.code == 5
    assert "already, as hippod" in said.err
    assert "hippod connect claude-code with --scope" in said.err
    assert tree(home) == before


def test_both_side_by_side_by_force_have_hooks_of_their_own(home: Path) -> None:
    before = tree(home)
    connect(home, "claude-code", "--yes")
    alone = tree(home)
    words = ("claude-code", "--yes", "--scope", "group", "--name", "g")
    assert connect(home, *words, "--force").code == 0
    start = events(home)["SessionStart"]
    assert ["--scope group" in command for command in start] == [False, True]
    assert connect(home, "claude-code", "--undo", "--yes", "--name", "g").code == 0
    assert tree(home) == alone
    assert connect(home, "claude-code", "--undo", "--yes").code == 0
    assert tree(home) == before


@pytest.mark.parametrize("name", ["hippod", "memory"])
def test_a_server_made_by_hand_for_the_owner_is_none_for_a_group(home: Path, name: str) -> None:
    text = json.dumps({"mcpServers": {name: {"command": "hippod", "args": ["mcp"]}}})
    (home / ".claude.json").write_text(text)
    said = connect(home, "claude-code", "--yes", "--scope", "group")
    assert said.code == 5
    assert "another scope" in said.err
    assert (home / ".claude.json").read_text() == text


def test_a_hook_made_by_hand_for_the_owner_is_none_for_a_group(home: Path) -> None:
    group = {"hooks": [{"type": "command", "command": "hippod hook claude-code session-start"}]}
    (home / ".claude/settings.json").write_text(json.dumps({"hooks": {"SessionStart": [group]}}))
    before = tree(home)
    said = connect(home, "claude-code", "--yes", "--scope", "group")
    assert said.code == 5
    assert "--scope group" in said.err
    assert tree(home) == before


# -- what a person made ----------------------------------------------------------------------


def test_an_entry_made_by_hand_is_still_there_after_connecting_and_undoing(home: Path) -> None:
    file = home / ".codex/config.toml"
    file.write_bytes(CODEX)
    said = connect(home, "codex", "--no-hooks", "--yes")
    assert said.code == 0
    assert "it is yours and stays" in said.out
    assert file.read_bytes() == CODEX
    assert connect(home, "codex", "--undo", "--yes").code == 0
    assert file.read_bytes() == CODEX


def test_what_may_be_made_by_hand_is_taken_out_with_a_copy_only(home: Path) -> None:
    """It looks as ours do, but nothing is recorded of it."""
    connect(home, "claude-code", "--yes")
    (home / ".hippod/connect/claude-code.json").unlink()
    text = (home / ".claude.json").read_text()
    assert connect(home, "claude-code", "--yes").code == 0
    assert connect(home, "claude-code", "--undo", "--yes").code == 0
    assert (home / ".claude.json.hippod.bak").read_text() == text


def test_a_hook_that_a_person_changed_stays_as_it_is(home: Path) -> None:
    connect(home, "claude-code", "--yes")
    file = home / ".claude/settings.json"
    held = read(file)
    [group] = held["hooks"]["SessionStart"]
    group["matcher"] = "startup"
    group["hooks"][0]["timeout"] = 3
    group["hooks"][0]["command"] += " --budget 500"
    file.write_text(json.dumps(held))
    before = file.read_bytes()
    said = connect(home, "claude-code", "--yes")
    assert (said.code, file.read_bytes()) == (0, before)
    assert "SessionStart has a hook of yours" in said.out
    undone = connect(home, "claude-code", "--undo", "--yes")
    assert read(file)["hooks"] == {"SessionStart": [group]}
    assert undone.code == 0


def test_undo_says_what_stays(home: Path) -> None:
    connect(home, "claude-code", "--yes")
    file = home / ".claude/settings.json"
    file.write_text(file.read_text().replace('"timeout": 10', '"timeout": 3', 1))
    said = connect(home, "claude-code", "--undo", "--yes")
    assert "you changed hooks.SessionStart, so it stays" in said.out
    assert set(read(file)["hooks"]) == {"SessionStart"}


def test_of_an_older_hook_only_the_program_changes(home: Path) -> None:
    command = "/old/bin/hippod hook claude-code stop --budget 9 | tee '/tmp/a b'"
    group = {"matcher": "x", "hooks": [{"type": "command", "command": command, "timeout": 3}]}
    (home / ".claude/settings.json").write_text(json.dumps({"hooks": {"Stop": [group]}}))
    assert connect(home, "claude-code", "--yes").code == 0
    [found] = read(home / ".claude/settings.json")["hooks"]["Stop"]
    new = found["hooks"][0].pop("command")
    assert found == {"matcher": "x", "hooks": [{"type": "command", "timeout": 3}]}
    assert new.endswith(" hook claude-code stop --budget 9 | tee '/tmp/a b'")
    assert "/old/bin" not in new


def test_what_a_person_switched_off_stays_off(home: Path) -> None:
    (home / ".config/opencode").mkdir(parents=True)
    connect(home, "opencode", "--yes")
    [file] = (home / ".config/opencode").glob("opencode.json*")
    file.write_text(file.read_text().replace('"enabled": true', '"enabled": false'))
    assert connect(home, "opencode", "--yes", "--tools", "all").code == 0
    server = read(file)["mcp"]["hippod"]
    assert server["enabled"] is False
    assert server["command"][-2:] == ["--tools", "all"]


def test_a_hook_of_openclaw_that_is_switched_off_is_no_conflict(home: Path) -> None:
    (home / ".openclaw").mkdir()
    connect(home, "openclaw", "--yes")
    file = home / ".openclaw/openclaw.json"
    file.write_text(file.read_text().replace('"enabled": true', '"enabled": false'))
    assert connect(home, "openclaw", "--yes", "--tools", "all").code == 0
    assert read(file)["hooks"]["internal"]["entries"]["hippod"] == {"enabled": False}
    assert connect(home, "openclaw", "--undo", "--yes").code == 0


# -- several connections in one file ---------------------------------------------------------


def project_of(home: Path) -> Path:
    project = home / "porch"
    project.mkdir()
    return project


@pytest.mark.parametrize("first", ["codex", "cursor"])
def test_the_instructions_that_two_agents_read_go_with_the_last_of_them(
    home: Path, first: str
) -> None:
    project = project_of(home)
    (project / "AGENTS.md").write_text("# Ours\n")
    before = tree(project)
    words = ("--project", str(project), "--instructions", "--yes")
    for agent in ("codex", "cursor"):
        assert connect(home, agent, *words).code == 0
    text = (project / "AGENTS.md").read_text()
    second = {"codex": "cursor", "cursor": "codex"}[first]
    assert connect(home, first, "--undo", *words).code == 0
    assert (project / "AGENTS.md").read_text() == text
    assert connect(home, second, "--undo", *words).code == 0
    assert tree(project) == before


def test_blocks_of_two_connections_of_one_agent_go_one_by_one(home: Path) -> None:
    file = home / ".claude/CLAUDE.md"
    file.write_text("# Mine")
    work = ("--workspace", str(home / "w"), "--name", "work")
    connect(home, "claude-code", "--yes", "--instructions")
    connect(home, "claude-code", "--yes", "--instructions", *work)
    assert connect(home, "claude-code", "--undo", "--yes").code == 0
    assert "hippod:begin work" in file.read_text()
    assert "hippod:begin hippod " not in file.read_text()
    assert connect(home, "claude-code", "--undo", "--yes", *work).code == 0
    assert file.read_text() == "# Mine"


@pytest.mark.parametrize("touched", [False, True])
@pytest.mark.parametrize("there", [False, True])
def test_two_workspaces_undone_in_the_order_they_came_leave_nothing(
    home: Path, there: bool, touched: bool
) -> None:
    if there:
        (home / ".claude/settings.json").write_text('{"theme": "dark"}')
        (home / ".claude.json").write_text("{}")
    before = tree(home)
    work = ("--workspace", str(home / "w"), "--name", "work")
    connect(home, "claude-code", "--yes")
    connect(home, "claude-code", "--yes", *work)
    if touched:  # its program writes the file anew
        for name in (".claude.json", ".claude/settings.json"):
            (home / name).write_text(json.dumps(read(home / name), indent=4))
    assert connect(home, "claude-code", "--undo", "--yes").code == 0
    assert connect(home, "claude-code", "--undo", "--yes", *work).code == 0
    after = tree(home)
    if touched and there:  # the copies of what nobody can give back to the byte stay
        after = {name: data for name, data in after.items() if ".bak" not in name}
        assert [json.loads(data) for data in after.values()] == [
            json.loads(data) for data in before.values()
        ]
    else:
        assert after == before


def test_a_connection_that_becomes_a_groups_leaves_the_source_of_another(home: Path) -> None:
    work = ("--workspace", str(home / "w"), "--name", "work")
    connect(home, "claude-code", "--yes")
    connect(home, "claude-code", "--yes", *work)
    assert connect(home, "claude-code", "--yes", "--scope", "group").code == 0
    assert "claude-code" in (home / ".hippod/config.toml").read_text()


# -- a crash ---------------------------------------------------------------------------------


@pytest.mark.parametrize("at", range(6))
def test_after_a_crash_an_undo_leaves_no_copy(
    home: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """The settings hold secrets, and so do their copies."""
    from hippod.connect import files

    (home / ".claude/settings.json").write_text('{"env": {"A": "secret"}}')
    (home / ".claude.json").write_text('{"token": "secret"}')
    before = tree(home)
    left = [at]

    def dying(name: str) -> None:
        real = getattr(files, name)

        def call(*given: Any, **more: Any) -> Any:
            if left[0] == 0:
                raise KeyboardInterrupt
            left[0] -= 1
            return real(*given, **more)

        monkeypatch.setattr(files, name, call)

    dying("write")
    dying("back_up")
    assert connect(home, "claude-code", "--yes").code in (0, 130)
    monkeypatch.undo()
    connect(home, "claude-code", "--undo", "--yes")
    assert tree(home) == before


def test_a_file_that_changed_in_the_last_moment_is_given_back_as_it_is_then(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hippod.connect import files
    from hippod.errors import Conflict

    (home / ".claude.json").write_text("{}")
    real = files.write

    def late(path: Path, *given: Any, **more: Any) -> None:
        if path.name == ".claude.json":
            path.write_text('{"its":"own"}')
            raise Conflict(f"{path}: changed meanwhile")
        real(path, *given, **more)

    monkeypatch.setattr(files, "write", late)
    assert connect(home, "claude-code", "--yes").code == 5
    monkeypatch.undo()
    assert connect(home, "claude-code", "--yes").code == 0
    assert connect(home, "claude-code", "--undo", "--yes").code == 0
    assert (home / ".claude.json").read_text() == '{"its":"own"}'


def test_where_no_copy_can_be_made_nothing_is_done(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hippod.connect import files
    from hippod.errors import StorageError

    for name in (".claude.json", ".claude/settings.json"):
        (home / name).write_text("{}")
    before, real = tree(home), files.back_up

    def full(path: Path, data: bytes, copy: Path) -> None:
        if path.name == "settings.json":
            raise StorageError(f"{copy}: no space left")
        real(path, data, copy)

    monkeypatch.setattr(files, "back_up", full)
    said = connect(home, "claude-code", "--yes")
    assert (said.code, tree(home)) == (1, before)
    assert "no space left" in said.err


@pytest.mark.parametrize("at", range(7))
def test_after_a_crash_in_an_undo_the_next_one_ends_it(
    home: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    from hippod.connect import files

    (home / ".claude/settings.json").write_text('{"env": {"A": "secret"}}')
    (home / ".claude.json").write_text('{"token": "secret"}')
    before = tree(home)
    connect(home, "claude-code", "--yes")
    real, left = files.write, [at]

    def write(*given: Any, **more: Any) -> None:
        if left[0] == 0:
            raise KeyboardInterrupt
        left[0] -= 1
        real(*given, **more)

    monkeypatch.setattr(files, "write", write)
    assert connect(home, "claude-code", "--undo", "--yes").code in (0, 130)
    monkeypatch.undo()
    connect(home, "claude-code", "--undo", "--yes")
    assert tree(home) == before


# -- folders and paths -----------------------------------------------------------------------


def folders(home: Path) -> set[Path]:
    return {path for path in home.rglob("*") if path.is_dir()}


def test_folders_that_were_made_go_again_if_nothing_else_is_in_them(home: Path) -> None:
    (home / ".openclaw").mkdir()
    project = project_of(home)
    before = folders(home)
    connect(home, "openclaw", "--yes")
    connect(home, "claude-code", "--yes", "--project", str(project))
    (home / ".openclaw/hooks/mine").mkdir()
    connect(home, "claude-code", "--undo", "--yes", "--project", str(project))
    connect(home, "openclaw", "--undo", "--yes")
    assert folders(home) == before | {home / ".openclaw/hooks", home / ".openclaw/hooks/mine"}


def test_the_version_of_cursors_hooks_goes_with_the_last_hook(home: Path) -> None:
    connect(home, "cursor", "--yes")
    file = home / ".cursor/hooks.json"
    file.write_text(json.dumps(read(file), indent=8))
    assert connect(home, "cursor", "--undo", "--yes").code == 0
    assert not file.exists()


def test_a_project_is_the_same_by_whatever_way_it_is_named(home: Path) -> None:
    project = project_of(home)
    (home / "link").symlink_to(project)
    assert connect(home, "claude-code", "--yes", "--project", str(home / "link")).code == 0
    assert connect(home, "claude-code", "--project", str(project)).out == "nothing to do\n"


def test_a_project_that_is_gone_can_be_undone(home: Path) -> None:
    project = project_of(home)
    connect(home, "gemini", "--yes", "--project", str(project))
    project.rename(home / "other")
    assert connect(home, "gemini", "--undo", "--yes", "--project", str(project)).code == 0
    assert not (home / ".hippod/connect/gemini.json").exists()


@pytest.mark.parametrize("named", ["~/o[1]{a,b}", "o[1]{a,b}"])
def test_folders_of_agents_are_absolute_and_their_wildcards_are_none(
    home: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    from hippod.transcripts import places

    monkeypatch.chdir(home)
    session = home / "o[1]{a,b}/projects/p/s.jsonl"
    session.parent.mkdir(parents=True)
    session.write_text("")
    environ = {"CLAUDE_CONFIG_DIR": named}
    assert connect(home, "claude-code", "--yes", environ=environ).code == 0
    assert (home / "o[1]{a,b}/settings.json").exists()
    [line] = [
        line
        for line in (home / ".hippod/config.toml").read_text().splitlines()
        if line.startswith("path")
    ]
    pattern = line.split('"')[1].replace("~", str(home))
    assert places.discover(pattern, home) == [session]


@pytest.mark.parametrize(
    ("agent", "folder"),
    [("gemini", "a$b"), ("claude-code", "${b}"), ("cursor", "a${env:b}"), ("vscode", "${b}"),
     ("opencode", "{env:B}"), ("openclaw", "${B}")],
)  # fmt: skip
def test_a_path_that_an_agent_would_replace_is_refused(home: Path, agent: str, folder: str) -> None:
    before = tree(home)
    words = ("--yes", "--force", "--workspace", str(home / folder))
    said = connect(home, agent, *words)
    assert said.code == 2
    assert "by a value of its own" in said.err
    assert tree(home) == before
    assert connect(home, "codex", *words).code == 0


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_a_path_that_is_not_utf8_is_refused(home: Path, agent: str) -> None:
    before = tree(home)
    bad = os.fsdecode(os.fsencode(home) + b"/w\xff")
    said = connect(home, agent, "--yes", "--workspace", bad)
    assert said.code == 2
    assert "not UTF-8" in said.err
    Path(bad).mkdir()
    assert connect(home, agent, "--yes", "--project", bad).code == 2
    assert tree(home) == before


def test_a_record_that_is_nested_too_deep_is_named(home: Path) -> None:
    file = home / ".hippod/connect/codex.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"connections": ' + "[" * 100_000)
    said = connect(home, "codex", "--yes")
    assert said.code == 1
    assert str(file) in said.err


def test_values_that_equal_nothing_are_no_hindrance(home: Path) -> None:
    (home / ".claude.json").write_text('{"a": NaN, "b": [-Infinity]}')
    (home / ".claude/settings.json").write_text("{a: NaN, /* 5 */}")
    (home / ".codex/config.toml").write_text("a = nan\n")
    before = tree(home)
    for agent in ("claude-code", "codex"):
        assert connect(home, agent, "--yes").code == 0
    for agent in ("claude-code", "codex"):
        assert connect(home, agent, "--undo", "--yes").code == 0
    assert tree(home) == before


def test_of_a_hard_link_it_is_said_that_the_others_stay(home: Path) -> None:
    (home / ".claude.json").write_text("{}")
    os.link(home / ".claude.json", home / "dotfile")
    assert "dotfile" not in connect(home, "claude-code", "--dry-run").err
    assert ".claude.json: has other hard links" in connect(home, "claude-code", "--dry-run").out


def test_one_configuration_for_two_workspaces_is_warned_of(home: Path) -> None:
    work = ("--workspace", str(home / "w"), "--name", "work", "--dry-run")
    assert "of its own by --config" in connect(home, "codex", *work).out
    (home / "w.toml").write_text("")
    assert "--config" not in connect(home, "codex", *work, "--no-hooks", "--scope", "group").out
    own = connect(home, "codex", *work, "--config", str(home / "w.toml")).out
    assert "of its own by" not in own


def test_commands_are_those_that_a_shell_reads(home: Path) -> None:
    connect(home, "claude-code", "--yes", "--workspace", str(home / "a b"))
    for commands in events(home).values():
        assert shlex.split(commands[0])[-1] == str(home / "a b")
