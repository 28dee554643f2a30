"""What a person sees: widths, colours, --quiet, and the help."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippod.cli import COMMANDS, columns, main, options, output
from hippod.cli.examples import EXAMPLES
from hippod.cli.output import printable
from tests.fake_door import FakeDoor
from tests.pseudoterminal import Terminal

ROOT = Path(__file__).parents[1]
SHELL_PAGE = (ROOT / "docs" / "shell.md").read_text(encoding="utf-8")

WIDE = st.text(st.sampled_from("abc de/fé—中文字漢🍵👩‍🚀e\u0301ü. "), max_size=80).map(printable)


class Home:
    """A home folder with a daemon's door; runs the command line at a terminal or into a pipe."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environ = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT / "daemon"),
            "HOME": str(folder),
            "HIPPOD_SOCKET": str(folder / "d.sock"),
            "TERM": "xterm",
            "LC_ALL": "C.UTF-8",
        }

    def see(self, *words: str, columns: int = 80, **environ: str) -> str:
        """Return what stands on a terminal so wide."""
        command = [sys.executable, "-m", "hippod", *words]
        with Terminal(command, {**self.environ, **environ}, columns=columns) as terminal:
            assert terminal.finish() == 0, terminal.text
            return terminal.text

    def pipe(self, *words: str, **environ: str) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(
            [sys.executable, "-m", "hippod", *words], env={**self.environ, **environ},
            capture_output=True, timeout=60, check=False, cwd=self.folder,
        )  # fmt: skip


@pytest.fixture
def home() -> Iterator[Home]:
    with TemporaryDirectory(prefix="hd", dir="/tmp") as name:  # a socket's path must be short
        yield Home(Path(name))


@pytest.fixture
def door(home: Home) -> Iterator[FakeDoor]:
    with FakeDoor(home.folder / "d.sock") as made:
        yield made


def hit(content: str, **more: Any) -> dict[str, Any]:
    return {
        "source": "memory/2026-03-03.md#L12", "path": "memory/2026-03-03.md", "kind": "world",
        "timestamp": "2026-03-03", "entities": ["Ina"], "content": content, **more,
    }  # fmt: skip


# -- widths --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wide"),
    [("abc", 3), ("é—…", 3), ("漢字", 4), ("e\u0301", 1), ("🍵", 2), ("👩‍👩‍👧‍👦", 2), ("", 0)],
)
def test_width_is_in_columns_of_the_terminal(text: str, wide: int) -> None:
    assert columns.width(text) == wide


@given(WIDE, st.integers(1, 60))
def test_what_is_cut_fits(text: str, room: int) -> None:
    shown = columns.cut(text, room)
    assert columns.width(shown) <= room
    assert shown == text or (shown.endswith("…") and text.startswith(shown[:-1]))


@given(WIDE, st.integers(20, 60), st.integers(0, 8))
def test_what_is_wrapped_fits_and_is_all_there(text: str, room: int, indent: int) -> None:
    lines = columns.wrapped(text, room, indent=indent)
    assert all(columns.width(line) <= room for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(WIDE, st.integers(20, 60), st.integers(1, 4))
def test_of_too_many_lines_the_rest_is_left_out(text: str, room: int, most: int) -> None:
    lines = columns.wrapped(text, room, most=most)
    assert len(lines) <= most
    assert len(lines) <= 1 or all(columns.width(line) <= room for line in lines)


LOG = {
    "entries": [
        {"id": number, "time": "2026-03-03T09:15:00", "operation": "append", "path": path,
         "actor": "api", "bytes": 12, "preview": "a preview of some length", "undoes": None,
         "undone_by": None, "finished": True}
        for number, path in enumerate(
            ("context/日本語メモ帳のとても長い名前.md", "a.md", "context/🍵.md"), 1
        )
    ]
}  # fmt: skip


def test_a_table_is_aligned_whatever_is_in_it(home: Home, door: FakeDoor) -> None:
    door.answer = LOG
    for wide in (100, 80):
        head, *rows = home.see("log", columns=wide).splitlines()
        by = head.index("by")
        assert len(rows) == 3
        for row in rows:
            assert columns.width(row) <= wide
            assert columns.width(row.partition("  api  ")[0]) == by - 2


def test_a_terminal_too_narrow_for_a_table_gets_paragraphs(home: Home, door: FakeDoor) -> None:
    door.answer = LOG
    lines = home.see("log", columns=40).splitlines()
    assert all(columns.width(line) <= 40 for line in lines)
    assert [line for line in lines if not line.startswith(" ")] == ["1", "2", "3"]
    assert "  path context/" in "\n".join(lines) or "path\n  context/" in "\n".join(lines)


def test_into_a_pipe_a_table_goes_whole(home: Home, door: FakeDoor) -> None:
    door.answer = LOG
    shown = home.pipe("log", COLUMNS="40").stdout.decode()
    assert "context/日本語メモ帳のとても長い名前.md" in shown
    assert "…" not in shown


@pytest.mark.parametrize("wide", [45, 80])
def test_a_snippet_is_wrapped_to_the_terminal(home: Home, door: FakeDoor, wide: int) -> None:
    door.answer = {"hits": [hit("A word 漢字漢字 and " * 20), hit("x" * 300)]}
    shown = home.see("recall", "word", columns=wide, NO_COLOR="1")
    assert all(columns.width(line) <= wide for line in shown.splitlines())
    assert "…" in shown


@pytest.mark.parametrize("wide", [20, 30])
def test_a_narrow_terminal_is_filled_and_no_more(
    home: Home, door: FakeDoor, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str], wide: int,
) -> None:  # fmt: skip
    monkeypatch.setenv("COLUMNS", str(wide))
    monkeypatch.setattr(output, "terminal", lambda: True)
    door.answer = {"hits": [hit("A word 漢字漢字 and " * 20, source="a.md#L1", explanation=
                                {"text": "because of this and that and more"})]}  # fmt: skip
    code, shown, _ = asked(monkeypatch, home, capsys, "recall", "word")
    assert code == 0
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert all(columns.width(line) <= wide for line in plain.splitlines())
    assert "2026-03-03" in plain


def test_into_a_pipe_no_tables_of_widths_are_loaded(home: Home, door: FakeDoor) -> None:
    code = (
        "import sys; from hippod.cli import main; main(sys.argv[1:])\n"
        "sys.exit('wcwidth' in sys.modules)"
    )
    for words, answer in (
        (["recall", "x", "--explain"], {"hits": [hit("漢字 🍵 " * 60)] * 2}),
        (["log"], LOG),
    ):
        door.answer = answer
        done = subprocess.run(
            [sys.executable, "-c", code, *words], env=home.environ, capture_output=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert "🍵".encode() in done.stdout


@pytest.mark.parametrize("text", ["abc", "é—…", "漢字", "e\u0301", "🍵", ""])
def test_nearly_is_exactly_but_for_joined_emoji(text: str) -> None:
    assert columns.width(text, exact=False) == columns.width(text)


def test_the_overview_fits_too(home: Home) -> None:
    lines = home.see("--help", columns=60).splitlines()
    rows = [line for line in lines if re.match(r"  [a-z]", line)]
    assert [row.split()[0] for row in rows].count("recall") == 1
    assert {len(re.match(r" +\S+ +", row)[0]) for row in rows} == {14}  # type: ignore[index]
    assert all(len(line) <= 60 for line in lines)


# -- colours -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environ", "at_a_terminal", "into_a_pipe"),
    [
        ({"TERM": "xterm"}, True, False),
        ({"TERM": "dumb"}, False, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, True, False),
        ({"CLICOLOR": "0"}, False, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "0"}, True, False),
        ({"CLICOLOR_FORCE": "1", "TERM": "dumb"}, True, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
    ],
)
def test_colour_is_for_who_wants_it(
    monkeypatch: pytest.MonkeyPatch,
    environ: dict[str, str],
    at_a_terminal: bool,
    into_a_pipe: bool,
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    for wanted, is_terminal in ((at_a_terminal, True), (into_a_pipe, False)):
        monkeypatch.setattr(output, "terminal", lambda is_terminal=is_terminal: is_terminal)
        assert output.colour() is wanted


def test_a_document_is_never_coloured(home: Home, door: FakeDoor) -> None:
    door.answer = {"content": "# A word\r\n\x1b[31mred\n"}
    assert home.pipe("read", "a.md", FORCE_COLOR="1").stdout == b"# A word\r\n\x1b[31mred\n"


# -- what content can do -------------------------------------------------------------------------

EVIL = "\x1b]0;owned\x07\x1b[2Jx\x9b31m\u202ereversed\r"


def everywhere(value: object) -> object:
    """Put `EVIL` into each string of an answer."""
    if isinstance(value, str):
        return value + EVIL
    if isinstance(value, list):
        return [everywhere(each) for each in value]
    if isinstance(value, dict):
        return {key: everywhere(each) for key, each in value.items()}
    return value


CHANGE = {"path": "a.md", "reason": "r", "diff": "--- a\n+++ b\n+x\n", "applied": True}
ITEM = {
    "id": "k3f9", "kind": "stale_document", "action": "delete", "path": "a.md", "target": "b.md",
    "line": 1, "target_line": 2, "text": "t", "reasons": ["old"], "problem": "", "applied": False,
}  # fmt: skip
ANSWERS: list[tuple[list[str], dict[str, Any]]] = [
    (["recall", "x"], {"hits": [hit("x")]}),
    (["tree"], {"directory": "", "entries": [{"path": "a", "name": "a", "is_directory": False}]}),
    (["log"], LOG),
    (["entities"], {"entities": [{"name": "Ina", "facts": 1, "last_day": None, "aliases": ["I"],
                                  "path": "p", "flags": ["f"]}], "problems": []}),
    (["entity", "Ina"], {"name": "Ina", "facts": 1, "summary": ["s"], "path": "p",
                         "newest": [{"day": "d", "content": "c", "source": "s"}]}),
    (["opinions"], {"opinions": [{"id": "k3f9", "statement": "s", "confidence": 0.5, "supports": 1,
                                  "contradicts": 0, "updated": "d"}]}),
    (["proposals"], {"proposals": [{"id": "k3f9", "status": "open", "title": "t", "reason": "r"}]}),
    (["proposals", "show", "k3f9"], {"id": "k3f9", "status": "open", "title": "t", "reason": "r",
                                     "file": "f", "evidence": ["e"], "diff": "+x\n"}),
    (["reflect"], {"changes": [CHANGE], "problems": [], "dry_run": False, "facts": 1,
                   "quality": "q", "interrupted": False}),
    (["retain", "--flush"], {"stored": [{"path": "a.md", "line": 3, "bullet": "- W x"}],
                             "rejected": [{"text": "t", "reason": "r", "source": "s"}]}),
    (["jobs"], {"jobs": [{"name": "reflect", "schedule": "s", "next_run": None, "last_run": None,
                          "last_seconds": 1.0, "last_outcome": "ok", "last_error": "e"}]}),
    (["heartbeat", "history"], {"beats": [{"started": "2026-03-03T09:15", "outcome": "ok",
                                           "items": [], "tokens": 0, "seconds": 1.0,
                                           "reason": "r"}]}),
    (["forget", "x"], {"applied": False, "widespread": False, "left": [], "problems": [],
                       "places": [{"path": "a.md", "line": 3, "text": "t"}]}),
    (["why", "k3f9"], {"origin": "document", "source": "a.md#L1", "id": "k3f9"}),
    (["hygiene", "--dry-run"], {"counts": {"stale_document": 1}, "items": [ITEM],
                                "optimised": {}, "dry_run": True}),
    (["doctor"], {"state": "ok", "seconds": 1.0,
                  "findings": [{"name": "n", "group": "g", "said": "s", "fix": "f",
                                "fixed": False}]}),
]  # fmt: skip
FIXED = {"origin", "status", "kind", "action", "mode", "state"}
"""Fields that are one of a few words, which the daemon chooses."""
EXTRA = {"doctor": {"state": "warn"}, "forget": {"action": "remove", "why": "fact"}}


def poisoned(command: str, answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer with escape sequences in whatever stems from files and from models."""

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            kept = {k: v if k in FIXED else walk(v) for k, v in value.items()}
            is_row = "fixed" in value or "line" in value
            return kept | EXTRA.get(command, {}) if is_row else kept
        if isinstance(value, list):
            return [walk(each) for each in value]
        return everywhere(value)

    return dict(walk(answer))


@pytest.mark.parametrize(("words", "answer"), ANSWERS, ids=lambda each: str(each)[:20])
@pytest.mark.parametrize("mode", ["plain", "quiet", "json"])
def test_no_answer_writes_to_the_terminal(
    home: Home, door: FakeDoor, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str], words: list[str], answer: dict[str, Any], mode: str,
) -> None:  # fmt: skip
    for name, value in home.environ.items():
        monkeypatch.setenv(name, value)
    door.answer = poisoned(words[0], answer)
    main([*words, *{"plain": [], "quiet": ["-q"], "json": ["--json"]}[mode]])
    out, err = capsys.readouterr()
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", out + err)
    assert out
    if mode == "json":
        assert json.loads(out) == door.answer


# -- quiet ---------------------------------------------------------------------------------------

QUIET = {
    "recall": "memory/2026-03-03.md#L12", "tree": "a", "log": "1\n2\n3", "entities": "Ina",
    "entity": "s", "opinions": "^k3f9", "reflect": "a.md", "retain": "a.md#L3", "jobs": "reflect",
    "heartbeat": "2026-03-03T09:15 ok", "why": "a.md#L1",
}  # fmt: skip


def asked(
    monkeypatch: pytest.MonkeyPatch, home: Home, capsys: pytest.CaptureFixture[str], *words: str
) -> tuple[int, str, str]:
    for name, value in home.environ.items():
        monkeypatch.setenv(name, value)
    code = main(list(words))
    return (code, *capsys.readouterr())


@pytest.mark.parametrize(("command", "left"), QUIET.items())
def test_quiet_leaves_what_was_asked_for(
    home: Home, door: FakeDoor, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str], command: str, left: str,
) -> None:  # fmt: skip
    words, door.answer = next((w, a) for w, a in ANSWERS if w[0] == command)
    assert asked(monkeypatch, home, capsys, *words, "-q") == (0, f"{left}\n", "")


@pytest.mark.parametrize(
    "words",
    [["note", "x"], ["write", "a.md", "x"], ["move", "a.md", "b.md"], ["delete", "a.md"],
     ["working", "set", "x", "--session", "s"], ["working", "clear", "--session", "s"],
     ["jobs", "pause", "reflect"], ["proposals", "accept", "k3f9"], ["undo", "3"], ["reindex"]],
)  # fmt: skip
def test_quiet_says_nothing_of_what_it_did(
    home: Home, door: FakeDoor, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str], words: list[str],
) -> None:  # fmt: skip
    assert asked(monkeypatch, home, capsys, *words, "--quiet") == (0, "", "")


def test_quiet_keeps_errors_and_their_codes(
    home: Home, door: FakeDoor, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    door.fail(404, "not_found", "a.md: no such document")
    code, out, err = asked(monkeypatch, home, capsys, "read", "a.md", "-q")
    assert (code, out, err) == (4, "", "hippod: a.md: no such document\n")


def test_quiet_says_nothing_of_a_day_without_a_log(
    home: Home, door: FakeDoor, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    door.answer = {"date": "2026-03-02", "content": "", "exists": False, "others": ["a.md"]}
    for words in (["day", "yesterday"], ["today"]):
        assert asked(monkeypatch, home, capsys, *words, "--quiet") == (0, "", "")
    _, _, err = asked(monkeypatch, home, capsys, "day", "yesterday")
    assert err.splitlines()[0] == (
        "hippod: no daily log for 2026-03-02 (list those that there are with: hippod tree memory)"
    )
    assert "yet (add a line" in asked(monkeypatch, home, capsys, "today")[2]


def test_quiet_leaves_a_document_as_it_is(
    home: Home, door: FakeDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    door.answer = {"content": "no end", "exists": True}
    for words in (["read", "a.md"], ["today"]):
        assert home.pipe(*words, "-q").stdout == b"no end"


def test_the_docs_say_what_quiet_leaves_of_each_command() -> None:
    table = SHELL_PAGE.partition("<!-- quiet -->")[2].partition("\n\n<!--")[0]
    told = set(re.findall(r"`(\w+)[^`|]*`", table))
    assert set(COMMANDS) <= told


# -- JSON ----------------------------------------------------------------------------------------


def test_what_is_behind_two_dashes_asks_for_no_json(
    home: Home, door: FakeDoor, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    door.fail(503, "busy", "not now")
    _, out, err = asked(monkeypatch, home, capsys, "note", "--", "--json")
    assert (out, err) == ("", "hippod: not now\n")
    _, out, _ = asked(monkeypatch, home, capsys, "note", "--json", "--", "x")
    assert json.loads(out)["error"]["message"] == "not now"


# -- locales -------------------------------------------------------------------------------------


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1"])
def test_a_terminal_without_unicode_is_no_reason_to_fail(
    home: Home, door: FakeDoor, locale: str
) -> None:
    door.answer = {"hits": [hit("鍵 🍵 – Zürich " * 40)]}
    environ = {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = home.pipe("recall", "鍵", **environ)
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"\U0001f375" in done.stdout or "🍵".encode() in done.stdout


# -- the help ------------------------------------------------------------------------------------


def test_examples_are_of_commands_and_nearly_each_has_one() -> None:
    assert set(EXAMPLES) <= set(COMMANDS)
    assert set(COMMANDS) - set(EXAMPLES) <= {"today", "metrics"}


@pytest.mark.parametrize("command", EXAMPLES)
def test_each_example_can_be_typed(command: str) -> None:
    module, summary = COMMANDS[command]
    made = options.parser(command, summary)
    getattr(import_module(f"hippod.cli.{module}"), f"{command}_options")(made)
    for example in EXAMPLES[command]:
        words = shlex.split(example, comments=True)
        own = words[words.index("hippod") + 1 :]
        cut = next((n for n, word in enumerate(own) if word in ("|", "<", ">")), len(own))
        name, rest = options.split_command(own[:cut])
        assert name == command
        made.parse_intermixed_args(rest)  # raises InvalidInput for what is no option


def test_the_help_of_a_command_ends_in_its_examples(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["recall", "--help"], ["help", "recall"]):
        assert main(words) == 0
        assert capsys.readouterr().out.rstrip().endswith(EXAMPLES["recall"][-1])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_help_that_cannot_be_written_is_a_failure(home: Home, unbuffered: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "hippod", "--version"], stdout=full, stderr=subprocess.PIPE,
            env={**home.environ, "PYTHONUNBUFFERED": unbuffered}, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert b"cannot write the answer" in done.stderr


def test_help_alone_is_the_overview(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help"]) == 0
    assert "in your agents:" in capsys.readouterr().out
