"""`hippod connect`: shows, asks, writes, and takes back what it wrote, whatever a file is like."""

import json
import os
import stat
import sys
import tomllib
from pathlib import Path

import pytest

from hippod.connect import agents, planning, record
from tests.connecting import connect, tree
from tests.processes import Daemon, running

SETTINGS = b'{\n  // mine\n  "theme": "dark"\n}\n'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    (folder / ".claude").mkdir(parents=True)
    return folder


def servers(home: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((home / ".claude.json").read_text())["mcpServers"]
    return found


# -- showing and asking ----------------------------------------------------------------------


def test_without_a_yes_it_shows_what_it_would_write_and_writes_nothing(home: Path) -> None:
    before = tree(home)
    said = connect(home, "claude-code")
    assert said.code == 2
    assert '+    "hippod": {' in said.out
    assert "--yes" in said.err
    assert tree(home) == before


def test_a_dry_run_shows_the_same_and_is_no_failure(home: Path) -> None:
    before = tree(home)
    said = connect(home, "claude-code", "--dry-run")
    assert (said.code, said.err) == (0, "")
    assert said.out == connect(home, "claude-code").out
    assert tree(home) == before


def test_a_second_run_has_nothing_to_do(home: Path) -> None:
    assert connect(home, "claude-code", "--yes").code == 0
    before = tree(home)
    said = connect(home, "claude-code")
    assert (said.code, said.out) == (0, "nothing to do\n")
    assert connect(home, "claude-code", "--yes").code == 0
    assert tree(home) == before


def test_the_answer_as_json_says_what_was_written(home: Path) -> None:
    (home / ".claude/settings.json").write_bytes(SETTINGS)
    said = connect(home, "claude-code", "--yes", "--json")
    answer = json.loads(said.out)
    done = {Path(file["path"]).name: file for file in answer["files"]}
    assert answer["applied"] is True
    assert done[".claude.json"]["done"] == "created"
    assert done["settings.json"]["done"] == "changed"
    assert Path(done["settings.json"]["backup"]).read_bytes() == SETTINGS
    assert answer["next"]


def test_json_without_a_yes_is_an_error_of_one_document(home: Path) -> None:
    said = connect(home, "claude-code", "--json")
    assert said.code == 2
    assert json.loads(said.out)["error"]["code"] == "invalid"


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1), ("\n", 1), ("", 1)])
def test_on_a_terminal_it_asks(
    home: Path, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    from io import StringIO

    from hippod.cli import output

    asked = StringIO(answer)
    monkeypatch.setattr(asked, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stdin", asked)
    monkeypatch.setattr(output, "terminal", lambda: True)
    said = connect(home, "claude-code")
    assert said.code == code
    assert "write this? [y/N]" in said.out
    assert (home / ".claude.json").exists() == (code == 0)


def test_secrets_in_the_lines_around_are_not_shown(home: Path) -> None:
    key = "sk-ant-" + "api03-" + "Zq8" * 30
    text = f'{{\n  "env": {{\n    "ANTHROPIC_API_KEY": "{key}"\n  }}\n}}\n'
    (home / ".claude/settings.json").write_text(text)
    said = connect(home, "claude-code", "--dry-run")
    assert key not in said.out
    assert "ANTHROPIC_API_KEY" in said.out


def test_a_file_of_one_long_line_is_not_shown_whole(home: Path) -> None:
    (home / ".claude.json").write_text(json.dumps({"history": ["x" * 90] * 500}))
    said = connect(home, "claude-code", "--dry-run")
    assert max(map(len, said.out.splitlines())) < 400


# -- what cannot be --------------------------------------------------------------------------


def test_an_unknown_agent_is_told_those_that_are_known(home: Path) -> None:
    said = connect(home, "clippy")
    assert said.code == 4
    assert "claude-code" in said.err


def test_an_agent_that_is_not_installed_is_only_connected_by_force(home: Path) -> None:
    (home / ".claude").rmdir()
    said = connect(home, "claude-code", "--yes")
    assert said.code == 4
    assert "not installed" in said.err
    assert tree(home) == {}
    assert connect(home, "claude-code", "--yes", "--force").code == 0
    assert "hippod" in servers(home)


def test_a_program_on_path_is_enough_to_be_installed(home: Path) -> None:
    (home / ".claude").rmdir()
    program = home / "bin" / "claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert connect(home, "claude-code", "--yes").code == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', ".claude.json:3:3: expected , or }"),
        ('{"mcpServers": []}', ".claude.json:1:16: mcpServers is not an object"),
        ('{"a": "\udcff"}', ".claude.json:1:8: not UTF-8"),
    ],
)
def test_a_broken_file_is_named_with_its_place_and_nothing_is_written(
    home: Path, text: str, said: str
) -> None:
    (home / ".claude.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    before = tree(home)
    told = connect(home, "claude-code", "--yes")
    assert told.code == 2
    assert said in told.err
    assert tree(home) == before


def test_a_broken_configuration_of_ours_stops_all_of_it(home: Path) -> None:
    (home / ".hippod").mkdir()
    (home / ".hippod/config.toml").write_text("[retain]\nquite = 3\n")
    before = tree(home)
    told = connect(home, "claude-code", "--yes")
    assert told.code == 2
    assert "retain.quite" in told.err
    assert tree(home) == before


def test_a_server_of_another_program_under_our_name_is_not_touched(home: Path) -> None:
    text = '{"mcpServers": {"hippod": {"command": "/opt/other", "args": ["serve"]}}}'
    (home / ".claude.json").write_text(text)
    told = connect(home, "claude-code", "--yes")
    assert told.code == 5
    assert "--name" in told.err
    assert (home / ".claude.json").read_text() == text
    assert connect(home, "claude-code", "--yes", "--name", "memory").code == 0
    assert set(servers(home)) == {"hippod", "memory"}


def test_force_takes_the_name_and_undo_gives_it_back(home: Path) -> None:
    text = '{"mcpServers": {"hippod": {"command": "/opt/other"}}}'
    (home / ".claude.json").write_text(text)
    assert connect(home, "claude-code", "--yes", "--force").code == 0
    assert "/opt/other" not in (home / ".claude.json").read_text()
    assert connect(home, "claude-code", "--undo", "--yes").code == 0
    assert (home / ".claude.json").read_text() == text


def test_one_made_by_hand_under_another_name_is_enough(home: Path) -> None:
    text = '{"mcpServers": {"memory": {"command": "hippod", "args": ["mcp"]}}}'
    (home / ".claude.json").write_text(text)
    said = connect(home, "claude-code", "--yes")
    assert said.code == 0
    assert "mcpServers.memory runs hippod already" in said.out
    assert (home / ".claude.json").read_text() == text
    assert "SessionStart" in (home / ".claude/settings.json").read_text()


def test_one_made_by_hand_under_our_name_is_enough_and_stays(home: Path) -> None:
    old = {"command": "hippod", "args": ["mcp"], "env": {"A": "b"}}
    text = json.dumps({"mcpServers": {"hippod": old}})
    (home / ".claude.json").write_text(text)
    said = connect(home, "claude-code", "--yes")
    assert said.code == 0
    assert "it is yours and stays" in said.out
    assert (home / ".claude.json").read_text() == text
    assert connect(home, "claude-code", "--undo", "--yes").code == 0
    assert (home / ".claude.json").read_text() == text


def test_what_a_person_added_to_ours_stays_when_it_is_brought_up_to_date(home: Path) -> None:
    connect(home, "claude-code", "--yes")
    file = home / ".claude.json"
    file.write_text(file.read_text().replace('"stdio"', '"stdio", "env": {"A": "b"}'))
    assert connect(home, "claude-code", "--yes", "--tools", "all").code == 0
    new = servers(home)["hippod"]
    assert isinstance(new, dict)
    assert new["args"] == ["mcp", "--start", "--tools", "all"]
    assert new["env"] == {"A": "b"}
    assert connect(home, "claude-code", "--tools", "all").out == "nothing to do\n"


def test_one_for_another_workspace_is_not_turned_away_from_it(home: Path) -> None:
    assert connect(home, "claude-code", "--yes", "--workspace", str(home / "one")).code == 0
    before = tree(home)
    told = connect(home, "claude-code", "--yes", "--workspace", str(home / "two"))
    assert told.code == 5
    assert "for another workspace" in told.err
    assert tree(home) == before


@pytest.mark.parametrize("name", ["", "a b", "-x", "a" * 33, "a.b", "ü"])
def test_a_name_that_agents_would_not_take_is_refused(home: Path, name: str) -> None:
    assert connect(home, "claude-code", "--yes", f"--name={name}").code == 2


# -- files as people have them ---------------------------------------------------------------


def test_a_link_stays_a_link_and_its_file_is_written(home: Path) -> None:
    real = home / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_bytes(b"{}")
    (home / ".claude.json").symlink_to(real)
    assert connect(home, "claude-code", "--yes").code == 0
    assert (home / ".claude.json").is_symlink()
    assert b"hippod" in real.read_bytes()
    assert connect(home, "claude-code", "--undo", "--yes").code == 0
    assert (home / ".claude.json").is_symlink()
    assert real.read_bytes() == b"{}"


def test_a_mode_is_kept_and_a_new_file_is_private(home: Path) -> None:
    file = home / ".claude/settings.json"
    file.write_bytes(SETTINGS)
    file.chmod(0o640)
    connect(home, "claude-code", "--yes")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert stat.S_IMODE((home / ".claude.json").stat().st_mode) == 0o600
    for private in (home / ".hippod/connect/claude-code.json", home / ".hippod/config.toml"):
        assert stat.S_IMODE(private.stat().st_mode) == 0o600


def test_a_copy_is_no_more_open_than_its_file(home: Path) -> None:
    file = home / ".claude/settings.json"
    file.write_bytes(SETTINGS)
    file.chmod(0o600)
    connect(home, "claude-code", "--yes")
    copy = file.with_name("settings.json.hippod.bak")
    assert (copy.read_bytes(), stat.S_IMODE(copy.stat().st_mode)) == (SETTINGS, 0o600)


def test_a_copy_never_replaces_another(home: Path) -> None:
    file = home / ".claude/settings.json"
    file.write_bytes(SETTINGS)
    file.with_name("settings.json.hippod.bak").write_text("of another day")
    connect(home, "claude-code", "--yes")
    assert file.with_name("settings.json.hippod.bak").read_text() == "of another day"
    assert file.with_name("settings.json.hippod.bak.2").read_bytes() == SETTINGS


def test_a_read_only_file_is_left_and_so_is_all_else(home: Path) -> None:
    file = home / ".claude/settings.json"
    file.write_bytes(SETTINGS)
    file.chmod(0o400)
    before = tree(home)
    told = connect(home, "claude-code", "--yes")
    assert told.code == 1
    assert "read-only" in told.err
    assert tree(home) == before


def test_a_folder_in_the_place_of_a_file_is_refused(home: Path) -> None:
    (home / ".claude.json").mkdir()
    told = connect(home, "claude-code", "--yes")
    assert told.code == 1
    assert "not a regular file" in told.err


def test_a_file_that_changed_after_it_was_shown_is_not_written(home: Path) -> None:
    from hippod.errors import Conflict

    file = home / ".claude/settings.json"
    file.write_bytes(SETTINGS)
    environ = {"HOME": str(home)}
    setup = agents.Setup(home, environ, ("/opt/hippod",))
    plan = planning.plan(agents.agent("claude-code"), setup, home / ".hippod/config.toml")
    file.write_bytes(SETTINGS.replace(b"dark", b"light"))
    before = tree(home)
    with pytest.raises(Conflict, match=r"settings\.json: changed meanwhile"):
        planning.apply(plan, environ)
    assert tree(home) == before


def test_a_crash_between_two_files_is_mended_by_the_next_run(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".claude/settings.json").write_bytes(SETTINGS)
    before = tree(home)
    real = planning.files.write
    written: list[Path] = []

    def failing(path: Path, *rest: object, **more: object) -> None:
        if path.name == "settings.json":
            raise KeyboardInterrupt
        real(path, *rest, **more)  # type: ignore[arg-type]
        written.append(path)

    monkeypatch.setattr(planning.files, "write", failing)
    assert connect(home, "claude-code", "--yes").code == 130
    assert written
    monkeypatch.undo()
    assert connect(home, "claude-code", "--yes").code == 0
    assert connect(home, "claude-code").out == "nothing to do\n"
    assert connect(home, "claude-code", "--undo", "--yes").code == 0
    after = {name: data for name, data in tree(home).items() if ".hippod.bak" not in name}
    assert after == before


# -- undo ------------------------------------------------------------------------------------


def test_undo_gives_back_the_very_bytes_and_leaves_nothing(home: Path) -> None:
    (home / ".claude/settings.json").write_bytes(b"\xef\xbb\xbf{\r\n\t'a': 1, // x\r\n}")
    (home / ".claude.json").write_bytes(b'{"mcpServers":{}}')
    before = tree(home)
    assert connect(home, "claude-code", "--yes").code == 0
    assert connect(home, "claude-code", "--undo", "--yes").code == 0
    assert tree(home) == before


def test_undo_of_a_changed_file_takes_out_only_ours(home: Path) -> None:
    (home / ".claude/settings.json").write_bytes(SETTINGS)
    connect(home, "claude-code", "--yes")
    for name in (".claude.json", ".claude/settings.json"):
        text = (home / name).read_text()
        (home / name).write_text('{\n  "new": true,' + text.strip().removeprefix("{"))
    assert connect(home, "claude-code", "--undo", "--yes").code == 0
    assert json.loads((home / ".claude.json").read_text()) == {"new": True}
    settings = (home / ".claude/settings.json").read_text()
    assert settings == '{\n  "new": true,\n  // mine\n  "theme": "dark"\n}'


def test_undo_leaves_a_hook_that_a_person_changed(home: Path) -> None:
    connect(home, "claude-code", "--yes")
    file = home / ".claude/settings.json"
    file.write_text(file.read_text().replace("claude-code stop", "claude-code stop | tee /tmp/x"))
    assert connect(home, "claude-code", "--undo", "--yes").code == 0
    assert "| tee /tmp/x" in file.read_text()
    assert "session-start" not in file.read_text()


def test_undo_of_a_server_that_a_person_changed_keeps_a_copy(home: Path) -> None:
    connect(home, "claude-code", "--yes")
    file = home / ".claude.json"
    text = file.read_text().replace('"stdio"', '"stdio", "env": {"A": "b"}')
    file.write_text(text)
    said = connect(home, "claude-code", "--undo", "--yes")
    assert not file.exists(), "it was made for ours, and holds nothing else"
    copy = home / ".claude.json.hippod.bak"
    assert copy.read_text() == text
    assert str(copy) in said.out


def test_undo_where_files_are_gone_is_no_failure(home: Path) -> None:
    connect(home, "claude-code", "--yes")
    (home / ".claude.json").unlink()
    said = connect(home, "claude-code", "--undo", "--yes")
    assert said.code == 0
    assert ".claude.json: is gone" in said.out
    assert not (home / ".hippod/connect/claude-code.json").exists()


def test_undo_of_what_is_not_connected_says_so(home: Path) -> None:
    said = connect(home, "claude-code", "--undo", "--yes")
    assert said.code == 4
    assert "not connected" in said.err


def test_undo_asks_as_well(home: Path) -> None:
    connect(home, "claude-code", "--yes")
    before = tree(home)
    assert connect(home, "claude-code", "--undo").code == 2
    assert connect(home, "claude-code", "--undo", "--dry-run").code == 0
    assert tree(home) == before


def test_undo_after_an_update_goes_back_to_before_the_first(home: Path) -> None:
    (home / ".claude/settings.json").write_bytes(SETTINGS)
    before = tree(home)
    connect(home, "claude-code", "--yes")
    connect(home, "claude-code", "--yes", "--tools", "all", "--prompt-hook")
    assert "UserPromptSubmit" in (home / ".claude/settings.json").read_text()
    connect(home, "claude-code", "--undo", "--yes")
    assert tree(home) == before


def test_undo_does_not_restore_a_text_that_had_ours_in_it(home: Path) -> None:
    """The file was changed between two runs: the copy of the second holds what the first wrote."""
    (home / ".claude/settings.json").write_bytes(SETTINGS)
    connect(home, "claude-code", "--yes")
    file = home / ".claude/settings.json"
    file.write_text(file.read_text().replace("dark", "light"))
    connect(home, "claude-code", "--yes", "--prompt-hook")
    connect(home, "claude-code", "--undo", "--yes")
    assert file.read_bytes() == SETTINGS.replace(b"dark", b"light")


def test_what_is_no_longer_wished_goes_at_the_next_run(home: Path) -> None:
    (home / ".claude/settings.json").write_bytes(SETTINGS)
    connect(home, "claude-code", "--yes")
    connect(home, "claude-code", "--yes", "--no-hooks")
    assert (home / ".claude/settings.json").read_bytes() == SETTINGS
    assert "hippod" in servers(home)


def test_a_damaged_record_is_named(home: Path) -> None:
    connect(home, "claude-code", "--yes")
    file = home / ".hippod/connect/claude-code.json"
    file.write_text("{")
    told = connect(home, "claude-code", "--undo", "--yes")
    assert told.code == 1
    assert str(file) in told.err
    file.unlink()
    assert connect(home, "claude-code", "--yes").code == 0, "what stands is found by its looks"
    assert connect(home, "claude-code", "--undo", "--yes").code == 0
    assert "hippod" not in (home / ".claude.json").read_text()


# -- two workspaces, a project, a group ------------------------------------------------------


def test_two_workspaces_stand_side_by_side_and_go_one_by_one(home: Path) -> None:
    before = tree(home)
    work = ("--workspace", str(home / "work"), "--name", "hippod-work")
    assert connect(home, "claude-code", "--yes").code == 0
    alone = tree(home)
    assert connect(home, "claude-code", "--yes", *work).code == 0
    assert set(servers(home)) == {"hippod", "hippod-work"}
    hooks = json.loads((home / ".claude/settings.json").read_text())["hooks"]
    assert len(hooks["SessionStart"]) == 2
    assert connect(home, "claude-code").out == "nothing to do\n"
    assert connect(home, "claude-code", "--undo", "--yes", *work).code == 0
    assert tree(home) == alone
    assert connect(home, "claude-code", "--undo", "--yes").code == 0
    assert tree(home) == before


def test_the_source_stays_while_another_connection_needs_it(home: Path) -> None:
    work = ("--workspace", str(home / "work"), "--name", "hippod-work")
    connect(home, "claude-code", "--yes")
    connect(home, "claude-code", "--yes", *work)
    connect(home, "claude-code", "--undo", "--yes")
    assert set(servers(home)) == {"hippod-work"}
    assert "claude-code" in (home / ".hippod/config.toml").read_text()
    connect(home, "claude-code", "--undo", "--yes", *work)
    assert not (home / ".hippod").exists()


def test_a_group_is_told_but_nothing_of_it_is_kept(home: Path) -> None:
    assert connect(home, "claude-code", "--yes", "--scope", "group").code == 0
    entry = servers(home)["hippod"]
    assert isinstance(entry, dict)
    assert entry["args"][-2:] == ["--scope", "group"]
    assert set(json.loads((home / ".claude/settings.json").read_text())["hooks"]) == {
        "SessionStart"
    }
    assert not (home / ".hippod/config.toml").exists()


def test_where_hippod_is_told_its_places_the_agent_is_told_them_too(home: Path) -> None:
    (home / "h.toml").write_text("")
    environ = {"HIPPOD_WORKSPACE": str(home / "w"), "HIPPOD_CONFIG": str(home / "h.toml")}
    assert connect(home, "claude-code", "--yes", environ=environ).code == 0
    entry = servers(home)["hippod"]
    assert isinstance(entry, dict)
    wanted = ["--config", str(home / "h.toml"), "--workspace", str(home / "w")]
    assert entry["args"] == ["mcp", "--start", *wanted]
    assert "claude-code" in (home / "h.toml").read_text()


def test_a_folder_that_is_no_project_is_refused(home: Path) -> None:
    assert connect(home, "claude-code", "--yes", "--project", str(home / "none")).code == 4


# -- the source in our own configuration -----------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        'name = "claude"\npath = "~/.claude/projects/**/*.jsonl"\n',
        'name = "claude"\npath = "~/.claude/projects/-work-*/*.jsonl"\nformat = "claude-code"\n',
        'name = "all"\npath = "~/.claude/**/*.jsonl"\n',
    ],
)
def test_a_source_that_covers_it_is_enough(home: Path, source: str) -> None:
    (home / ".hippod").mkdir()
    config = home / ".hippod/config.toml"
    config.write_text(f"# mine\n[[sources]]\n{source}")
    before = config.read_bytes()
    assert connect(home, "claude-code", "--yes").code == 0
    assert config.read_bytes() == before


def test_a_source_comes_below_what_is_there_under_a_free_name(home: Path) -> None:
    (home / ".hippod").mkdir()
    config = home / ".hippod/config.toml"
    config.write_text('# mine\n[[sources]]\nname = "claude-code"\npath = "other/**"\n[retain]\n')
    before = config.read_text()
    assert connect(home, "claude-code", "--yes").code == 0
    assert config.read_text().startswith(before)
    assert [source["name"] for source in tomllib.loads(config.read_text())["sources"]] == [
        "claude-code",
        "claude-code-2",
    ]
    connect(home, "claude-code", "--undo", "--yes")
    assert config.read_text() == before


@pytest.mark.slow
@pytest.mark.xdist_group("connect")
def test_a_running_daemon_takes_the_source_up_at_once(home: Path, tmp_path: Path) -> None:
    config = tmp_path / "hippod.toml"
    config.write_text("")
    with running(tmp_path, {"HIPPOD_CONFIG": str(config)}) as daemon:
        options = ("--socket", str(daemon.socket), "--config", str(config),
                   "--workspace", str(daemon.workspace))  # fmt: skip
        assert connect(home, "claude-code", "--yes", *options).code == 0
        assert "claude-code" in sources_of(daemon)
        said = connect(home, "claude-code", "--yes", *options, "--scope", "group")
        assert (said.code, said.err) == (0, "")
        assert "claude-code" not in sources_of(daemon), "a group is not listened to"


def sources_of(daemon: Daemon) -> list[str]:
    return [source["name"] for source in daemon.client.config_show()["sources"]["value"]]


def test_a_daemon_that_goes_on_as_before_is_told_of(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hippod.client import Client
    from hippod.errors import Forbidden

    asked = []

    def refused(client: Client) -> None:
        asked.append(client)
        raise Forbidden("it is not for you")

    monkeypatch.setattr(Client, "reload_config", refused)
    said = connect(home, "claude-code", "--yes")
    assert said.code == 1
    assert "goes on with the sources that it had: it is not for you" in said.err
    assert "hippod" in servers(home)
    assert len(asked) == 1


# -- the list --------------------------------------------------------------------------------


def test_alone_it_lists_the_agents_and_what_is_connected(home: Path) -> None:
    connect(home, "claude-code", "--yes")
    said = connect(home)
    assert said.code == 0
    rows = {line.split()[0]: line for line in said.out.splitlines()}
    assert set(agents.REGISTRY) <= set(rows)
    assert rows["claude-code"].endswith("as hippod")
    assert rows["codex"].split() == ["codex", "-", "-"]


def test_the_list_says_what_was_changed_since(home: Path) -> None:
    connect(home, "claude-code", "--yes")
    (home / ".claude.json").write_text("{}")
    answer = json.loads(connect(home, "--json").out)
    found = {row["agent"]: row for row in answer["agents"]}
    assert found["claude-code"]["connections"] == [
        {"name": "hippod", "project": None, "scope": "main", "standing": False}
    ]
    assert "was changed" in connect(home).out


def test_the_record_is_read_back_as_it_was(home: Path) -> None:
    connect(home, "claude-code", "--yes")
    found = record.load("claude-code", {"HOME": str(home)})
    assert list(found) == ["hippod"]
    assert {Path(file.path).name for file in found["hippod"].files} == {
        ".claude.json", "settings.json", "config.toml",
    }  # fmt: skip


def test_it_runs_this_installation_by_its_whole_path(home: Path) -> None:
    connect(home, "claude-code", "--yes")
    entry = servers(home)["hippod"]
    assert isinstance(entry, dict)
    assert os.path.isabs(entry["command"])  # noqa: PTH117
    assert os.access(entry["command"], os.X_OK)
