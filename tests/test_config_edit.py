"""`hippod config get|set`: one value, typed by what belongs there; the file stays a person's."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from hippod.cli import main

FILE = """# Ada's own
[retain]
# how long nobody may have written
quiet = "5m"  # minutes

[[sources]]
name = "editor"
path = "~/talks/*.jsonl"
format = "openclaw"
"""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "config.toml"
    made.write_text(FILE)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HIPPOD_CONFIG", str(made))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    for name in ("HIPPOD_SOCKET", "HIPPOD_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    return made


@pytest.fixture
def run(file: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def config(*words: str) -> tuple[int, str, str]:
        code = main(["config", *words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return config


@pytest.mark.parametrize(
    ("key", "text", "line", "value"),
    [
        ("retain.quiet", "90s", 'quiet = "90s"  # minutes', 90.0),
        ("retain.quiet", "120", "quiet = 120  # minutes", 120.0),
        ("retain.enabled", "false", "enabled = false", False),
        ("workspace.user", "42", 'user = "42"', "42"),
        ("workspace.user", "Ada Lovelace", 'user = "Ada Lovelace"', "Ada Lovelace"),
        ("privacy.group_paths", "a.md, b/**", 'group_paths = ["a.md", "b/**"]', ["a.md", "b/**"]),
        ("privacy.group_paths", '["c.md"]', 'group_paths = ["c.md"]', ["c.md"]),
        ("recall.bm25_weight", "0.25", "bm25_weight = 0.25", 0.25),
        ("schedule.reflect", "0 8 * * *", 'reflect = "0 8 * * *"', "0 8 * * *"),
    ],
)
def test_a_value_is_written_as_what_belongs_there(
    run: Run, file: Path, key: str, text: str, line: str, value: object
) -> None:
    code, out, _ = run("set", key, text)
    assert code == 0
    assert "hippod config reload" in out
    assert line in file.read_text().splitlines()
    assert json.loads(run("get", key, "--json")[1])["value"] == value


def test_all_that_a_person_wrote_stays(run: Run, file: Path) -> None:
    run("set", "retain.quiet", "90s")
    assert file.read_text() == FILE.replace('"5m"', '"90s"')


@pytest.mark.parametrize(
    ("key", "text", "said"),
    [
        ("retain.quiet", "soon", "retain.quiet: a duration such as"),
        ("retain.enabled", "perhaps", "retain.enabled: true or false"),
        ("retain.quiett", "1", "did you mean 'retain.quiet'?"),
        ("retain", "1", "is written as tables"),
        ("sources", "x", "is written as tables"),
        ("heartbeat.checks", "x", "is written as tables"),
        ("nothing.at.all", "x", "no such key"),
        ("retain.longest_wait", "1s", "shorter than retain.quiet"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_written(
    run: Run, file: Path, key: str, text: str, said: str
) -> None:
    code, _, err = run("set", key, text)
    assert code == 2
    assert said in err
    assert file.read_text() == FILE


def test_a_file_that_is_faulty_already_is_left_alone(run: Run, file: Path) -> None:
    broken = f"{FILE}\n[retain\n"
    file.write_text(broken)
    code, _, err = run("set", "retain.quiet", "1m")
    assert code == 2
    assert f"{file}:" in err
    assert file.read_text() == broken


def test_it_tells_what_a_reload_does_not_change(run: Run) -> None:
    assert "restart" in run("set", "server.max_body_bytes", "5000000")[1]


def test_it_tells_when_a_variable_wins(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIPPOD_RETAIN__QUIET", "7s")
    code, _, err = run("set", "retain.quiet", "90s")
    assert code == 0
    assert "retain.quiet is 7.0 all the same, by HIPPOD_RETAIN__QUIET" in err


def test_an_empty_file_gets_its_first_table(run: Run, file: Path) -> None:
    file.unlink()
    assert run("set", "retain.quiet", "90s")[0] == 4, "it was named, and is not there"
    file.write_text("")
    assert run("set", "retain.quiet", "90s")[0] == 0
    assert file.read_text() == '[retain]\nquiet = "90s"\n'


def test_get_prints_the_value_alone_or_with_its_source(run: Run, file: Path) -> None:
    assert run("get", "retain.quiet")[1] == "300.0\n"
    assert run("get", "retain.quiet", "--source")[1] == f"300.0  # {file}\n"
    assert run("get", "log.level", "--source")[1] == "info  # default\n"
    assert "retain.settle = 120.0  # default" in run("get", "retain")[1]
    assert run("get", "retain.quieter")[0] == 2


def test_words_that_are_missing_or_too_many_are_named(run: Run) -> None:
    assert "takes a KEY and a VALUE" in run("set", "retain.quiet")[2]
    assert "takes a KEY" in run("get")[2]
    assert "takes no words" in run("reload", "now")[2]


def test_a_reload_needs_a_daemon(run: Run) -> None:
    assert run("reload")[0] == 3


# -- what was asked for ----------------------------------------------------------------------


@pytest.mark.parametrize(("word", "value"), [("yes", True), ("Off", False), ("true", True)])
def test_a_flag_is_written_as_a_flag(run: Run, file: Path, word: str, value: bool) -> None:
    assert run("set", "reflect.enabled", word)[0] == 0
    assert tomllib.loads(file.read_text())["reflect"]["enabled"] is value


def test_the_tilde_stays(run: Run, file: Path) -> None:
    assert run("set", "log.file", "~/hippod.log")[0] == 0
    assert tomllib.loads(file.read_text())["log"]["file"] == "~/hippod.log"


def test_a_key_is_taken_out_again(run: Run, file: Path) -> None:
    before = file.read_text()
    run("set", "recall.limit", "20")
    code, out, _ = run("unset", "recall.limit")
    assert code == 0
    assert out.startswith("recall.limit = 10, by default")
    assert "limit" not in tomllib.loads(file.read_text()).get("recall", {})
    assert before.splitlines()[0] in file.read_text()
    assert "as before" in run("unset", "recall.limit")[1]
    assert "as before" in run("unset", "hygiene.enabled")[1]


@pytest.mark.parametrize("key", ["heartbeat.checks.disk.command", "schedule.max_late.hygiene"])
def test_what_is_inside_of_a_table_is_edited_by_hand(run: Run, file: Path, key: str) -> None:
    code, _, err = run("set", key, "5m")
    assert code == 2
    assert "which is written as tables" in err
    assert str(file) in err


def test_a_workspace_that_is_not_there_is_told_of(run: Run, tmp_path: Path) -> None:
    code, _, err = run("set", "workspace.path", str(tmp_path / "nowhere"))
    assert (code, "there is no such folder" in err) == (0, True)
