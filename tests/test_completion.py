"""What the TAB key does, in the shells themselves."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippod.cli import ALIASES, COMMANDS, GROUPS, completion, completion_scripts, main
from hippod.client import Client
from tests.fake_door import FakeDoor
from tests.pseudoterminal import Terminal

SOURCE = Path(__file__).parents[1] / "daemon"
PROMPT = "READY> "

pytestmark = pytest.mark.xdist_group("completion")

EVIL = {
    "my": "my notes.md",
    "ev": "ev $(touch pwned) `touch pwned`.md",
    "se": "se;touch pwned;#.md",
    "qu": 'quo\'te "and" back\\slash.md',
    "am": "am&touch pwned|x>y<z*?[a]{b}!c~.md",
    "日": "日本語 メモ.md",
}
"""What somebody types, and the name of the document that is meant."""
IN_PARTS = {"notes:a": "notes:a b:c@d=e.md", "@bo": "@bo at:.md"}
"""What bash takes to be several words."""
NEVER_OFFERED = ["new\nline.md", "esc\x1b]0;title\x07.md", "-rf.md", "bidi\u202etxt.md"]


class House:
    """A home folder with a `hippod` on its PATH, and a door that it finds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.work.mkdir()
        bin_ = folder / "bin"
        bin_.mkdir()
        program = bin_ / "hippod"
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m hippod "$@"\n')
        program.chmod(0o755)
        self.environ = {
            "PATH": f"{bin_}:{os.environ['PATH']}",
            "PYTHONPATH": str(SOURCE),
            "HOME": str(folder),
            "HIPPOD_SOCKET": str(folder / "d.sock"),
            "TERM": "xterm",
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
        }
        for shell in completion.SHELLS:
            (folder / f"_hippod.{shell}").write_text(completion_scripts.script(shell))
        functions = folder / "functions"
        functions.mkdir()
        shutil.copy(folder / "_hippod.zsh", functions / "_hippod")

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            list(words), env=self.environ, cwd=self.work, capture_output=True, text=True,
            timeout=60, check=False,
        )  # fmt: skip

    def bash(self, *words: str) -> list[str]:
        """Return what bash offers for the last of some words."""
        script = """
            source "$HOME/_hippod.bash"
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
            compopt() { :; }
            "$(complete -p hippod | sed 's/.*-F \\([^ ]*\\) .*/\\1/')" hippod
            printf '%s\\n' "${COMPREPLY[@]}"
        """
        done = self.run("bash", "-c", script, "bash", "hippod", *words)
        assert done.stderr == ""
        return done.stdout.split("\n")[:-1]

    def fish(self, line: str) -> list[str]:
        script = f'source "$HOME/_hippod.fish"; complete -C {shlex.quote(line)}'
        done = self.run("fish", "--no-config", "-c", script)
        assert done.stderr == ""
        return [row.split("\t")[0] for row in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with TemporaryDirectory(prefix="hd", dir="/tmp") as name:  # a socket's path must be short
        yield House(Path(name))


@pytest.fixture
def door(house: House) -> Iterator[FakeDoor]:
    with FakeDoor(house.folder / "d.sock") as made:
        yield made


def tree(*names: str) -> dict[str, object]:
    return {
        "directory": "",
        "entries": [
            {"path": name.rstrip("/"), "name": name.rstrip("/"), "is_directory": name[-1] == "/"}
            for name in names
        ],
        "content": "it was read\n",
    }


def needs(shell: str) -> None:
    if not shutil.which(shell):  # CI installs all three
        pytest.skip(f"there is no {shell} here")


# -- what is offered -----------------------------------------------------------------------------


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_each_script_is_sound_and_knows_each_command(house: House, shell: str) -> None:
    needs(shell)
    file = house.folder / f"_hippod.{shell}"
    done = house.run(shell, "-n", str(file))
    assert (done.returncode, done.stderr) == (0, "")
    text = file.read_text()
    assert [name for name in (*COMMANDS, *ALIASES) if name not in text] == []
    assert text.endswith("\n")


def test_every_place_that_is_offered_for_exists() -> None:
    parser = completion_scripts.whole_parser()
    [commands] = [action for action in parser._actions if action.dest == "==SUPPRESS=="]
    assert isinstance(commands.choices, dict)
    there = {
        (name, action.dest) for name, made in commands.choices.items() for action in made._actions
    }
    there |= {("", action.dest) for action in parser._actions}
    assert set(completion_scripts.offers()) <= there


def test_bash_completes_commands_options_choices_and_files(house: House, door: FakeDoor) -> None:
    (house.work / "messages of today.json").write_text("[]")
    assert house.bash("rec") == ["recall"]
    assert set(house.bash("")) >= {*COMMANDS, *ALIASES}
    assert house.bash("--js") == ["--json"]
    assert set(house.bash("recall", "--m")) == {"--mode", "--min-score"}
    assert house.bash("recall", "x", "--mode", "") == ["hybrid", "lexical", "vector"]
    assert house.bash("--scope", "group", "search", "--kind", "w") == ["world"]
    assert house.bash("service", "unin") == ["uninstall"]
    assert house.bash("config", "get", "retain.qu") == ["retain.quiet"]
    assert house.bash("completion", "") == ["bash", "zsh", "fish"]
    assert set(house.bash("hook", "codex", "PreC")) == {"PreCompact", "PreCompress"}
    assert set(house.bash("hook", "claude-code", "s")) >= {"start", "stop"}
    assert house.bash("retain", "mess") == ["messages of today.json"]  # readline quotes files
    assert door.sent == []


def test_fish_completes_them_too(house: House, door: FakeDoor) -> None:
    needs("fish")
    door.answer = {"jobs": [{"name": "reflect"}, {"name": "hygiene"}]}
    assert house.fish("hippod rec") == ["recall"]
    assert house.fish("hippod jobs run re") == ["reflect"]
    assert house.fish("hippod recall x --mode l") == ["lexical"]
    door.answer = {"entities": [{"name": "Ina"}, {"name": "Ida"}, {"name": "Bo"}]}
    assert set(house.fish("hippod opinions @I")) == {"@Ina", "@Ida"}


@pytest.mark.parametrize(
    ("words", "answer", "offered"),
    [
        (["entity", "I"], {"entities": [{"name": "Ina"}, {"name": "Bo"}]}, ["Ina"]),
        (["jobs", "pause", "re"], {"jobs": [{"name": "reflect"}, {"name": "hygiene"}]},
         ["reflect"]),
        (["why", "4"], {"content": "## Retain\n\n- W: a ^4naq\n- W: b ^k3f9\n- W: c ^4zzz\n"},
         ["4zzz", "4naq"]),
        (["undo", ""], {"entries": [{"id": 12}, {"id": 3}]}, ["12", "3"]),
        (["proposals", "accept", ""],
         {"proposals": [{"id": "k3f9", "status": "open"}, {"id": "z9", "status": "rejected"}]},
         ["k3f9"]),
        (["tree", "me"], tree("memory/", "MEMORY.md", "me.md"), ["memory/"]),
        (["move", "a.md", "con"], tree("context/", "con.md"), ["context/", "con.md"]),
    ],
)  # fmt: skip
def test_names_come_from_the_daemon(
    house: House, door: FakeDoor, words: list[str], answer: dict[str, object], offered: list[str]
) -> None:
    door.answer = answer
    assert house.bash(*words) == offered


class Shelves:
    """A client of a daemon with a few documents."""

    def __init__(self, *paths: str) -> None:
        self.paths = paths

    def tree(self, directory: str) -> dict[str, Any]:
        inside = f"{directory}/".lstrip("/")
        below = [path[len(inside) :] for path in self.paths if path.startswith(inside)]
        names = dict.fromkeys(f"{path.split('/')[0]}{'/' * ('/' in path)}" for path in below)
        return tree(*(inside + name for name in names))


@pytest.mark.parametrize(
    ("typed", "documents", "folders"),
    [
        ("", ["a/", "MEMORY.md"], ["a/", "a/b/"]),
        ("a", ["a/b/one.md", "a/b/two.md"], ["a/", "a/b/"]),
        ("a/b/o", ["a/b/one.md"], []),
        ("nowhere/x", [], []),
    ],
)
def test_a_folder_alone_is_opened(typed: str, documents: list[str], folders: list[str]) -> None:
    """Else the shell would end the word behind it."""
    client = cast(Client, Shelves("a/b/one.md", "a/b/two.md", "MEMORY.md"))
    assert completion.candidates(client, "documents", typed) == documents
    assert completion.candidates(client, "folders", typed) == folders


# -- what a name can do --------------------------------------------------------------------------

START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], 'source "$HOME/_hippod.bash"'),
    "zsh": (["zsh", "-f", "-i"],
            'fpath=("$HOME/functions" $fpath); autoload -U compinit; compinit -u -D'),
    "fish": (["fish", "--no-config", "-i"],
             'set -g fish_autosuggestion_enabled 0; source "$HOME/_hippod.fish"'),
}  # fmt: skip
PROMPTS = {
    "bash": f"PS1='{PROMPT}'",
    "zsh": f"PS1='{PROMPT}'",
    "fish": f"function fish_prompt; echo '{PROMPT}'; end",
}


def read_by_tab(terminal: Terminal, door: FakeDoor, typed: str) -> str:
    """Type the beginning of a name, press TAB and Enter; return which document was asked for."""
    start, before = len(terminal.text), len(door.sent)
    terminal.send(f"hippod read {typed}\t")
    terminal.wait_for(".md", start)
    terminal.send("\n")
    terminal.wait_for(PROMPT, terminal.wait_for("it was read", start))
    [asked] = [s.target for s in door.sent[before:] if s.target.startswith("/v1/files/")]
    return unquote(asked.removeprefix("/v1/files/").partition("?")[0])


@pytest.mark.slow
@pytest.mark.parametrize("shell", completion.SHELLS)
def test_any_name_is_completed_whole_and_none_is_run(
    house: House, door: FakeDoor, shell: str
) -> None:
    needs(shell)
    names = EVIL | IN_PARTS if shell == "bash" else EVIL
    door.answer = tree(*names.values(), *NEVER_OFFERED)
    command, source = START[shell]
    with Terminal(command, house.environ, folder=house.work, columns=200) as terminal:
        terminal.send(f"{source}; {PROMPTS[shell]}\n")
        ready = terminal.wait_for(PROMPT)  # as it is echoed, or printed at once
        terminal.send("echo it is rea''dy\n")
        terminal.wait_for(PROMPT, terminal.wait_for("it is ready", ready))
        for typed, name in names.items():
            assert read_by_tab(terminal, door, typed) == name
        for quote in "'\"":
            assert read_by_tab(terminal, door, f"{quote}my") == "my notes.md"
    assert not (house.work / "pwned").exists()


def test_what_cannot_stand_on_a_line_is_not_offered(house: House, door: FakeDoor) -> None:
    door.answer = tree(*NEVER_OFFERED, "fine.md")
    done = house.run("hippod", "completion", "candidates", "documents", "--", "")
    assert (done.stdout, done.stderr) == ("fine.md\n", "")


# -- nobody there --------------------------------------------------------------------------------


def offered(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["completion", "candidates", *words])
    out, err = capsys.readouterr()
    return code, out, err


def test_without_a_daemon_nothing_is_offered_and_nothing_said(
    house: House, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HIPPOD_SOCKET", str(house.folder / "nobody.sock"))
    assert offered(capsys, "documents", "--", "a") == (0, "", "")
    assert offered(capsys, "nonsense", "--", "a") == (0, "", "")
    assert offered(capsys) == (0, "", "")


def test_a_daemon_that_hangs_is_not_waited_for(
    house: House,
    door: FakeDoor,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HIPPOD_SOCKET", str(house.folder / "d.sock"))
    monkeypatch.setattr(completion, "_PATIENCE_SECONDS", 0.2)
    door.hang = True
    began = time.monotonic()
    assert offered(capsys, "jobs", "--", "") == (0, "", "")
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("answer", [{}, {"jobs": None}, {"jobs": [{}]}])
def test_an_answer_of_another_version_offers_nothing(
    house: House,
    door: FakeDoor,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answer: dict[str, object],
) -> None:
    monkeypatch.setenv("HIPPOD_SOCKET", str(house.folder / "d.sock"))
    door.answer, door.version = answer, "0.0.1"
    code, out, _ = offered(capsys, "jobs", "--", "")
    assert (code, out) == (0, "")


def test_the_daemon_that_the_line_means_is_asked(
    house: House, door: FakeDoor, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("HIPPOD_SOCKET", str(house.folder / "nobody.sock"))
    door.answer = {"jobs": [{"name": "reflect"}]}
    line = ["--socket", f"'{house.folder}/d.sock'", "--scope", "group", "jobs", "run"]
    assert offered(capsys, "jobs", "--", "", *line) == (0, "reflect\n", "")
    assert "scope=group" in door.last.target


# -- words as they are typed ---------------------------------------------------------------------


@given(st.text())
def test_a_whole_word_is_read_as_a_shell_does(text: str) -> None:
    assert completion.unquoted(shlex.quote(text)) == text


@given(st.text(alphabet="a 'b\"\\$`(;"))
def test_no_beginning_of_a_word_is_refused(token: str) -> None:
    assert isinstance(completion.unquoted(token), str)


@pytest.mark.parametrize(
    ("token", "meant"),
    [("my\\ no", "my no"), ("'my no", "my no"), ('"my no', "my no"), ("my\\", "my\\"), ("", "")],
)
def test_a_word_that_is_not_ended_yet(token: str, meant: str) -> None:
    assert completion.unquoted(token) == meant


# -- the command ---------------------------------------------------------------------------------


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "tcsh"]) == 2
    assert "bash, zsh, fish" in capsys.readouterr().err
    assert main(["completion", "bash", "more"]) == 2


def test_json_has_the_script_as_a_field(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["shell"], "complete -o" in answer["script"]) == ("bash", True)


def test_each_command_stands_in_one_group_of_the_overview() -> None:
    grouped = [name for names in GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(COMMANDS)
