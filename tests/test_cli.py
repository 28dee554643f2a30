import io
import json
import os
import pty
import signal
import subprocess
import sys
import time
import types
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from hippod import __version__, lock, wire
from hippod.cli import COMMANDS, main, progress
from hippod.cli.output import printable
from hippod.units import calling
from tests.fake_door import FakeDoor, reply

SOURCE = Path(__file__).parents[1] / "daemon"

HIT = {
    "id": "h1", "document_id": "d1", "path": "memory/2026-03-03.md", "chunk_index": 0,
    "line_start": 12, "line_end": 12, "source": "memory/2026-03-03.md#L12", "kind": "opinion",
    "timestamp": "2026-03-03T09:15:00+01:00", "valid_from": None, "valid_until": None,
    "superseded_by": None, "entities": ["Anna"], "confidence": 0.95,
    "content": "Prefers the night train to Vienna over flying.", "score": 1.2,
    "bm25_score": 0.7, "vector_score": 0.4,
}  # fmt: skip
FRESH = {"pending": 0, "vectors_pending": 0, "behind_seconds": 0.0, "updated": None}
ANSWER: dict[str, Any] = {
    "hits": [HIT], "legs": {"lexical": "ok", "vector": "ok"}, "degraded": False,
    "truncated": False, "freshness": FRESH, "took_ms": 1.5,
}  # fmt: skip
WRITTEN = {"path": "notes/a.md", "etag": "e1", "changed": True, "line": None}


class Shell:
    """Runs the real command line against one folder as home and one socket."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(SOURCE),
            "HOME": str(folder),
            "HIPPOD_SOCKET": str(folder / "d.sock"),
            "COLUMNS": "80",
        }

    def run(
        self, *words: str, stdin: str | bytes = b"", **env: str
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "hippod", *words],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            env={**self.env, **env},
            cwd=self.folder,
            timeout=60,
            check=False,
        )
        assert b"Traceback" not in done.stderr
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
        )


@pytest.fixture
def shell() -> Iterator[Shell]:
    with TemporaryDirectory(prefix="hd", dir="/tmp") as name:  # a socket's path must be short
        yield Shell(Path(name))


@pytest.fixture
def door(shell: Shell) -> Iterator[FakeDoor]:
    with FakeDoor(shell.folder / "d.sock") as made:
        yield made


@pytest.fixture
def inside(shell: Shell, door: FakeDoor, monkeypatch: pytest.MonkeyPatch) -> FakeDoor:
    """The same without a process of its own, for what only concerns the text."""
    for name, value in shell.env.items():
        monkeypatch.setenv(name, value)
    return door


# -- the cold path -----------------------------------------------------------------------------

HEAVY = {
    "httpx", "http.client", "email", "ssl", "asyncio", "tomllib", "numpy", "fastapi", "pydantic",
    "structlog", "rich", "typing", "dataclasses", "pathlib", "urllib.parse", "inspect", "logging",
    "importlib.metadata", "tempfile", "shutil", "subprocess",
}  # fmt: skip


LIST_MODULES = """
import sys
before = set(sys.modules)
from hippod.cli import main
code = main(sys.argv[2:])
with open(sys.argv[1], "w") as file:
    print(*sys.modules.keys() - before, file=file)
sys.exit(code)
"""


def loaded_by(shell: Shell, *words: str, **env: str) -> tuple[int, set[str]]:
    listing = shell.folder / "modules"
    command = [sys.executable, "-c", LIST_MODULES, str(listing), *words]
    done = subprocess.run(command, env={**shell.env, **env}, capture_output=True, check=False)
    return done.returncode, set(listing.read_text().split())


def check_cheap(modules: set[str]) -> None:
    assert not modules & HEAVY
    assert {name.split(".")[0] for name in modules} <= {*sys.stdlib_module_names, "hippod"}


@pytest.mark.parametrize(
    "words",
    [
        ["recall", "night"],
        ["read", "a.md"],
        ["retain", "--flush"],
        ["completion", "candidates", "jobs", "--", ""],
    ],
)
def test_a_client_loads_only_the_cheap_standard_library(
    shell: Shell, door: FakeDoor, words: list[str]
) -> None:
    door.answer = {**ANSWER, "content": "", "queued": 0}
    code, modules = loaded_by(shell, *words)
    assert code == 0
    check_cheap(modules)


def test_so_does_one_whose_daemon_is_down_and_whose_config_moves_nothing(shell: Shell) -> None:
    (shell.folder / ".hippod").mkdir()
    config = shell.folder / ".hippod/config.toml"
    config.write_text("# [workspace]\n[retain]\nquiet = 60\n")
    environ = {"HIPPOD_SOCKET": "", "XDG_RUNTIME_DIR": str(shell.folder)}
    code, modules = loaded_by(shell, "status", **environ)
    assert code == 3
    check_cheap(modules)
    config.write_text("[workspace]\npath = '/w'\n")
    code, modules = loaded_by(shell, "status", **environ)
    assert (code, "tomllib" in modules) == (3, True)


# -- options, usage, exit codes ----------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ["recall", "x", "--json", "--scope", "group"],
        ["--json", "--scope", "group", "recall", "x"],
        ["--scope=group", "search", "--json", "x"],
    ],
)
def test_options_may_stand_anywhere(shell: Shell, door: FakeDoor, words: list[str]) -> None:
    door.answer = ANSWER
    done = shell.run(*words)
    assert json.loads(done.stdout) == ANSWER
    assert door.last.json == {"query": "x", "scope": "group"}


def test_scope_comes_from_the_environment_and_is_checked(shell: Shell, door: FakeDoor) -> None:
    shell.run("status", HIPPOD_SCOPE="group")
    assert door.last.target == "/v1/status?scope=group"
    shell.run("status", "--scope", "main", HIPPOD_SCOPE="group")
    assert door.last.target == "/v1/status?scope=main"
    done = shell.run("status", HIPPOD_SCOPE="everything")
    assert (done.returncode, door.sent[2:]) == (2, [])
    assert "HIPPOD_SCOPE" in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["recal", "x"], "did you mean 'recall'?"),
        (["--verbose"], "unrecognized arguments: --verbose"),
        (["--json"], "no command"),
        (["recall"], "query"),
        (["recall", "-band"], 'put -- before text that starts with "-"'),
        (["recall", "x", "--limit", "ten"], "--limit"),
        (["recall", "x", "--min-score", "nan"], "--min-score"),
        (["recall", "x", "--mode", "magic"], "--mode"),
        (["recall", "x", "--lim", "3"], "--lim"),
        (["status", "--timeout", "0"], "--timeout"),
        (["status", "--scope", "all"], "--scope"),
        (["jobs", "run"], "which one?"),
        (["jobs", "pause"], "which one?"),
        (["jobs", "reflect"], "hippod jobs run reflect"),
        (["jobs", "resum", "reflect"], "did you mean: 'resume'"),
        (["jobs", "list", "reflect"], "takes no name"),
        (["retain"], "nothing to retain"),
        (["replace", "a.md", "old"], "new"),
        (["day"], "YYYY-MM-DD"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_code_2(
    inside: FakeDoor, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err
    assert error.startswith("hippod: ")
    assert error.count("\n") == 1
    assert told in error
    assert inside.sent == []


def test_without_a_command_the_commands_are_listed(shell: Shell) -> None:
    done = shell.run()
    assert (done.returncode, done.stdout) == (2, "")
    asked = shell.run("--help")
    assert (asked.returncode, asked.stderr) == (0, "")
    assert asked.stdout == done.stderr
    assert all(f"  {name} " in asked.stdout for name in COMMANDS)


def test_version(shell: Shell) -> None:
    assert shell.run("--version").stdout == f"hippod {__version__}\n"


@pytest.mark.parametrize("command", [*COMMANDS, "search"])
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert f"usage: hippod {command}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("code", "exit_code"),
    [
        ("failed", 1), ("forbidden", 1), ("storage", 1), ("invalid", 2), ("path_refused", 2),
        ("too_large", 2), ("daemon_down", 3), ("not_responding", 3), ("not_found", 4),
        ("conflict", 5), ("busy", 5), ("from_the_future", 1),
    ],
)  # fmt: skip
def test_exit_codes(
    inside: FakeDoor, capsys: pytest.CaptureFixture[str], code: str, exit_code: int
) -> None:
    inside.fail(400, code, "a\nb\x1b[2J", "do c")
    assert main(["read", "a.md"]) == exit_code
    seen = capsys.readouterr()
    assert (seen.out, seen.err) == ("", "hippod: a\\nb\\x1b[2J (do c)\n")


def test_json_of_a_failure_is_the_error_object(shell: Shell, door: FakeDoor) -> None:
    door.fail(404, "not_found", "a.md: no such document")
    done = shell.run("read", "a.md", "--json")
    assert done.returncode == 4
    assert json.loads(done.stdout) == door.answer
    assert done.stderr == "hippod: a.md: no such document\n"


@pytest.mark.parametrize("command", ["status", "recall", "today", "jobs", "config", "tree"])
def test_a_daemon_that_is_down_is_exit_code_3_and_says_how_to_start_it(
    shell: Shell, command: str
) -> None:
    done = shell.run(command, *(["x"] if command == "recall" else []))
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        f"hippod: no daemon answers at {shell.folder}/d.sock (start it with: hippod run)\n"
    )


def test_a_stopped_daemon_is_not_responding(shell: Shell, door: FakeDoor) -> None:
    door.hang = True
    done = shell.run("status", "--timeout", "0.3")
    assert done.returncode == 3
    assert "is not responding (waited 0.3 s)" in done.stderr


def test_another_version_is_said_once(shell: Shell, door: FakeDoor) -> None:
    door.version = "7.0"
    done = shell.run("status")
    assert done.returncode == 0
    assert done.stderr.count("the daemon is 7.0") == 1
    door.fail(404, "not_found", "gone")
    assert shell.run("read", "a.md").stderr.count("the daemon is 7.0") == 1


def test_an_answer_that_an_older_daemon_gives_is_no_traceback(shell: Shell, door: FakeDoor) -> None:
    door.version = "0.0.1"
    door.answer = {"added": {}}
    (shell.folder / "a.jsonl").write_text('{"type":"end"}\n')
    done = shell.run("import", "a.jsonl")
    assert (done.returncode, done.stdout) == (1, "")
    assert "the daemon is 0.0.1, this client is" in done.stderr
    assert "hippod service restart" in done.stderr


def test_an_import_that_is_interrupted_says_how_to_take_it_back(
    shell: Shell, door: FakeDoor
) -> None:
    door.hang = True
    (shell.folder / "a.jsonl").write_text('{"type":"hippod-export","format":1}\n')
    done = shell.run("import", "a.jsonl", "--timeout", "0.3")
    assert done.returncode == 3
    assert "what was sent from line 1 on may be" in done.stderr
    assert "hippod import --undo " in done.stderr
    with subprocess.Popen(
        [sys.executable, "-m", "hippod", "import", "a.jsonl"],
        env=shell.env, cwd=shell.folder, stderr=subprocess.PIPE, text=True,
    ) as waiting:  # fmt: skip
        before = len(door.sent)
        deadline = time.monotonic() + 20
        while len(door.sent) == before:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        waiting.send_signal(signal.SIGINT)
        _, said = waiting.communicate(timeout=20)
    assert waiting.returncode == 130
    assert "hippod import --undo " in said


def test_a_backup_is_no_stream(shell: Shell) -> None:
    done = shell.run("backup", "-")
    assert (done.returncode, "which stdout cannot" in done.stderr) == (2, True)
    assert not (shell.folder / "-").exists()


def test_a_long_transfer_tells_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_LINE_EVERY_SECONDS", 0.0)
    with progress.Told() as told, progress.Told(quiet=True) as still:
        told.tell("1.0 of 2.0 MB")
        still.tell("nothing")
    assert capsys.readouterr().err == "hippod: 1.0 of 2.0 MB\n"


def test_a_config_that_is_missing_or_broken_is_named(shell: Shell, door: FakeDoor) -> None:
    assert shell.run("status", "--config", "none.toml").returncode == 4
    broken = shell.folder / "broken.toml"
    broken.write_text("[workspace\npath = 3")
    environ = {"HIPPOD_SOCKET": "", "XDG_RUNTIME_DIR": str(shell.folder)}
    done = shell.run("status", "--config", "broken.toml", **environ)
    assert done.returncode == 2
    assert f"{broken}: not valid TOML" in done.stderr
    assert door.sent == []


def test_the_socket_is_found_by_workspace_and_config(shell: Shell) -> None:
    environ = {"HIPPOD_SOCKET": "", "XDG_RUNTIME_DIR": str(shell.folder)}
    (shell.folder / "c.toml").write_text('[server]\nsocket = "own.sock"\n')
    with FakeDoor(shell.folder / "own.sock") as door:
        assert shell.run("status", "--config", "c.toml", **environ).returncode == 0
        assert shell.run("status", "--socket", "own.sock").returncode == 0
        assert len(door.sent) == 2
    elsewhere = shell.run("status", "--workspace", "other", **environ)
    assert f"{shell.folder}/hippod/other-" in elsewhere.stderr
    assert f"hippod --workspace {shell.folder / 'other'} run" in elsewhere.stderr.replace(
        "--workspace other", f"--workspace {shell.folder / 'other'}"
    )


# -- output ------------------------------------------------------------------------------------


def test_recall_prints_rank_citation_kind_and_snippet(shell: Shell, door: FakeDoor) -> None:
    long = {**HIT, "content": "word " * 400, "kind": "document", "confidence": None}
    door.answer = {**ANSWER, "hits": [HIT, {**long, "entities": [], "timestamp": None}]}
    done = shell.run("recall", "night", "train")
    lines = done.stdout.splitlines()
    assert lines[0] == " 1 memory/2026-03-03.md#L12  opinion · 2026-03-03 09:15 · @Anna · c=0.95"
    assert lines[1] == "   Prefers the night train to Vienna over flying."
    assert lines[3] == " 2 memory/2026-03-03.md#L12  document"
    assert lines[-1].endswith(" …")
    assert all(len(line) <= 80 for line in lines)
    assert "\x1b" not in done.stdout
    assert door.last.json["query"] == "night train"


def test_recall_for_an_agent_prints_the_block_as_it_is(shell: Shell, door: FakeDoor) -> None:
    block = "<hippod-memory>\n<note>\nPrefers tea. \x1b[2J\n</note>\n</hippod-memory>"
    door.answer = {**ANSWER, "hits": [HIT], "text": block}
    done = shell.run("recall", "tea", "--for-agent")
    assert done.stdout == block.replace("\x1b", "\\x1b") + "\n"
    assert door.last.json["format"] == "agent"


def test_recall_passes_every_option(shell: Shell, door: FakeDoor) -> None:
    door.answer = ANSWER
    shell.run(
        "recall", "q", "--k", "3", "--since", "30d", "--until", "2026", "--as-of", "2026-01",
        "--kind", "world,opinion", "--kind", "document", "--entity", "Anna", "--path", "memory/*",
        "--mode", "lexical", "--fusion", "rrf", "--min-score", "0.1", "--bm25-weight", "0.2",
        "--vector-weight", "0.8", "--budget", "500", "--rrf-k", "30", "--explain",
        "--context", "2", "--for-agent",
        "--context", "2",
    )  # fmt: skip
    asked = wire.RecallRequest.model_validate(door.last.json)
    assert asked.kind == ("world", "opinion", "document")
    unset = [name for name, value in door.last.json.items() if value in (None, "", [])]
    assert unset == []
    assert door.last.json.keys() == wire.RecallRequest.model_fields.keys()


@pytest.mark.parametrize("query", ["", "   ", "-", "*", 'note "later', "a\nb", "🦉", "C++", "; ls"])
def test_any_query_is_passed_on(inside: FakeDoor, query: str) -> None:
    inside.answer = {**ANSWER, "hits": []}
    assert main(["recall", query]) == 0
    assert inside.last.json["query"] == query


def test_text_after_two_dashes_may_look_like_an_option(shell: Shell, door: FakeDoor) -> None:
    door.answer = ANSWER
    assert shell.run("--json", "recall", "--", "-band", "--json").returncode == 0
    assert door.last.json["query"] == "-band --json"


def test_options_may_stand_between_the_words(shell: Shell, door: FakeDoor) -> None:
    door.answer = ANSWER
    assert shell.run("recall", "bike", "--k", "3", "lock").returncode == 0
    assert (door.last.json["query"], door.last.json["limit"]) == ("bike lock", 3)


def test_query_bytes_that_are_not_text_do_no_harm(shell: Shell, door: FakeDoor) -> None:
    door.answer = ANSWER
    command = [sys.executable, "-m", "hippod", "recall", b"caf\xc3"]
    done = subprocess.run(command, env=shell.env, capture_output=True)
    assert done.returncode == 0
    assert door.last.json["query"].startswith("caf")


def test_recall_says_what_is_lacking(inside: FakeDoor, capsys: pytest.CaptureFixture[str]) -> None:
    inside.answer = {
        **ANSWER, "hits": [], "legs": {"lexical": "ok", "vector": "failed"}, "degraded": True,
        "truncated": True, "freshness": {**FRESH, "pending": 3},
    }  # fmt: skip
    assert main(["recall", "x"]) == 0
    seen = capsys.readouterr()
    assert seen.out == "no hits\n"
    assert "vector search failed" in seen.err
    assert "too long" in seen.err
    assert "3 changed files are not" in seen.err


def test_a_note_about_one_thing_speaks_of_one(
    inside: FakeDoor, capsys: pytest.CaptureFixture[str]
) -> None:
    budget = {"tokens": 9, "used": 9, "counted_by": "x", "left_out": 1}
    fresh = {**FRESH, "pending": 1, "gone": 1}
    inside.answer = {**ANSWER, "hits": [], "freshness": fresh, "budget": budget}
    assert main(["recall", "x"]) == 0
    said = capsys.readouterr().err
    assert "1 changed file is not in the index yet" in said
    assert "1 hit is left out: its text is gone" in said
    assert "1 more hit did not fit" in said


def test_recall_explains_what_it_understood_and_why(
    inside: FakeDoor, capsys: pytest.CaptureFixture[str]
) -> None:
    understood = wire.Understood(
        terms=("anna", "train"),
        dropped_terms=("does",),
        entities={"anna": ("anna", "annie"), "bo": ("bo",)},
        about=("anna",),
        asks_opinion=True,
        times=(
            wire.ReadTime(text="since March", since="2026-03-01", until=None, precision="month"),
            wire.ReadTime(
                text="5 May", since="2025-05-02", until="2025-05-08", precision="day", around=True
            ),
        ),
        state_at="2025-05-08",
        event=wire.ReadEvent(text="move", bound="since", day="2025-01-05", source="a.md#L3"),
        until="2026-12-31T23:59:59",
    )
    why = {"fused": 0.7, "file_prior": 0.1, "text": "words #1, file +0.10"}
    hit = {**HIT, "explanation": why}
    inside.answer = {**ANSWER, "hits": [hit], "understood": understood.model_dump(mode="json")}
    assert main(["recall", "x", "--explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:10] == [
        "terms: anna train",
        "not looked up: does",
        "the question is about: anna (also annie)",
        "names: bo",
        "time: 'since March' is from 2026-03-01",
        "time: '5 May' is from 2025-05-02 until 2025-05-08 (around)",
        "asks how things were on 2025-05-08",
        "asks for an opinion",
        "event: since 'move' (2025-01-05, by a.md#L3)",
        "only: until 2026-12-31T23:59:59",
    ]
    assert lines[-1] == "   1.2: words #1, file +0.10"


def test_recall_says_when_little_speaks_for_the_hits(
    inside: FakeDoor, capsys: pytest.CaptureFixture[str]
) -> None:
    inside.answer = {**ANSWER, "weak": True}
    assert main(["recall", "x"]) == 0
    assert "little speaks for these hits" in capsys.readouterr().err


EVIL = "a\nb\x1b[2J\x9b31m\u202eevil\u2028\x7f.md"


def test_names_and_content_cannot_steer_the_terminal(
    inside: FakeDoor, capsys: pytest.CaptureFixture[str]
) -> None:
    hit = {**HIT, "source": EVIL, "content": EVIL, "kind": EVIL, "entities": [EVIL]}
    row = {"name": EVIL, "path": EVIL, "is_directory": False}
    job = dict.fromkeys(wire.Job.model_fields, EVIL)
    fact = {"id": "x", "path": EVIL, "line": 3, "source": "s", "bullet": EVIL}
    for words, answer in (
        (["recall", "x"], {**ANSWER, "hits": [hit]}),
        (["tree"], {"directory": "", "entries": [row]}),
        (["tree", "--flat"], {"directory": "", "entries": [row]}),
        (["write", "x", "y"], {**WRITTEN, "path": EVIL, "etag": EVIL}),
        (["delete", "x"], {**WRITTEN, "path": EVIL}),
        (["move", "x", "y"], {**WRITTEN, "path": EVIL, "etag": EVIL}),
        (["status"], {EVIL: EVIL, "part": {EVIL: EVIL}, EVIL + "2": [EVIL]}),
        (["jobs"], {"jobs": [job]}),
        (["config", "show"], {EVIL: {"value": EVIL, "source": EVIL}}),
        (["retain", "--fact", "x"], {"queued": 0, "stored": [fact], "rejected": []}),
        (["recall", "x", "--json"], {**ANSWER, "hits": [hit]}),
    ):
        inside.answer = answer
        assert main(words) == 0
        shown = capsys.readouterr().out
        assert shown
        assert not set(shown) & {"\x1b", "\x9b", "\u202e", "\x7f"}, words


def test_printable_keeps_ordinary_text() -> None:
    assert printable("Grüße, 日本 👩‍👩‍👧 ﷽") == "Grüße, 日本 👩‍👩‍👧 ﷽"
    assert printable("a\tb\n", lines=True) == "a\tb\n"
    assert printable("a\rb", lines=True) == "a\\rb"


def test_json_is_one_document_with_every_character(shell: Shell, door: FakeDoor) -> None:
    door.answer = {"text": EVIL + "Grüße 日本 👩‍👩‍👧 \x00"}
    for environ in ({}, {"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1"}):
        done = shell.run("status", "--json", **environ)
        assert json.loads(done.stdout) == door.answer
    assert "日本" in shell.run("status", "--json", PYTHONIOENCODING="utf-8").stdout


def test_text_that_the_terminal_cannot_show_is_escaped(shell: Shell, door: FakeDoor) -> None:
    door.answer = {**ANSWER, "hits": [{**HIT, "content": "日本 🦉"}]}
    done = shell.run("recall", "x", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "\\U0001f989" in done.stdout


@pytest.mark.parametrize(
    "content", ["", "no newline", "a\r\nb\r\n", "\ufeff# T\n", "\x1b[2J\x00\n"]
)
def test_read_is_byte_for_byte(shell: Shell, door: FakeDoor, content: str) -> None:
    door.answer = {"path": "a.md", "content": content, "etag": "e", "size": 1, "modified": ""}
    command = [sys.executable, "-m", "hippod", "read", "a.md"]
    environ = {**shell.env, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, env=environ, capture_output=True, check=True)
    assert done.stdout == content.encode()


@pytest.mark.parametrize("verb", ["write", "append"])
def test_content_from_argument_or_stdin(shell: Shell, door: FakeDoor, verb: str) -> None:
    door.answer = WRITTEN
    assert shell.run(verb, "notes/a.md", "text", "--etag", "").returncode == 0
    assert (door.last.json["content"], door.last.json["etag"]) == ("text", "")
    for words in (["-"], []):
        assert shell.run(verb, "notes/a.md", *words, stdin="Grüße\r\n🦉").returncode == 0
        assert door.last.json["content"] == "Grüße\r\n🦉"
        assert "etag" not in door.last.json
    before = len(door.sent)
    done = shell.run(verb, "notes/a.md", "-", stdin=b"caf\xe9")
    assert (done.returncode, len(door.sent)) == (2, before)
    assert "not UTF-8 at byte 3" in done.stderr


def test_recall_shows_context_and_what_is_left_out(
    inside: FakeDoor, capsys: pytest.CaptureFixture[str]
) -> None:
    hit = {**HIT, "content": "the line", "before": "one above\n", "after": "\none below"}
    freshness = {**ANSWER["freshness"], "gone": 2}
    inside.answer = {**ANSWER, "hits": [hit], "freshness": freshness, "budget": {"left_out": 3}}
    assert main(["recall", "line", "-C", "1", "--budget", "90"]) == 0
    shown = capsys.readouterr()
    assert "   one above\n   the line\n   one below\n" in shown.out
    assert "2 hits are left out" in shown.err
    assert "3 more hits did not fit" in shown.err
    assert (inside.last.json["context_lines"], inside.last.json["budget_tokens"]) == (1, 90)


def test_writes_say_what_they_did(inside: FakeDoor, capsys: pytest.CaptureFixture[str]) -> None:
    inside.answer = WRITTEN
    for words, told in (
        (["write", "notes/a.md", "x"], "wrote notes/a.md  etag e1\n"),
        (["append", "notes/a.md", "x"], "appended to notes/a.md  etag e1\n"),
        (["replace", "notes/a.md", "x", "y"], "changed notes/a.md  etag e1\n"),
        (["insert", "notes/a.md", "x", "--line", "3"], "inserted into notes/a.md  etag e1\n"),
        (["move", "old.md", "notes/a.md"], "moved old.md to notes/a.md  etag e1\n"),
        (["delete", "notes/a.md"], "deleted notes/a.md\n"),
        (["note", "tea", "with", "Anna"], "noted in notes/a.md  etag e1\n"),
    ):
        assert main(words) == 0
        assert capsys.readouterr().out == told
    assert inside.last.json["text"] == "tea with Anna"
    inside.answer = {**WRITTEN, "changed": False, "line": 7}
    main(["write", "notes/a.md", "x"])
    assert capsys.readouterr().out == "unchanged: notes/a.md#L7  etag e1\n"


def test_tree_is_indented_or_flat(inside: FakeDoor, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [("memory/a", True), ("memory/a/b c.md", False), ("memory/z.md", False)]
    entries = [{"name": p.split("/")[-1], "path": p, "is_directory": d} for p, d in paths]
    inside.answer = {"directory": "memory", "entries": entries}
    assert main(["tree", "memory"]) == 0
    assert capsys.readouterr().out == "a/\n  b c.md\nz.md\n"
    assert "directory=memory&recursive=true" in inside.last.target
    assert main(["tree", "memory", "--flat", "--no-recursive"]) == 0
    assert capsys.readouterr().out == "memory/a/\nmemory/a/b c.md\nmemory/z.md\n"
    assert "recursive=false" in inside.last.target


def test_daily_logs(inside: FakeDoor, capsys: pytest.CaptureFixture[str]) -> None:
    log = {"date": "2026-03-03", "path": "memory/2026-03-03.md", "exists": True}
    inside.answer = {**log, "content": "# Daily Log - 2026-03-03\n"}
    assert main(["day", "2026-03-03"]) == 0
    assert inside.last.target == "/v1/daily/2026-03-03?scope=main"
    inside.answer = {**log, "content": "", "exists": False}
    assert main(["today"]) == 0
    assert "no daily log for 2026-03-03 yet" in capsys.readouterr().err


def test_status_fits_on_a_screen(inside: FakeDoor, capsys: pytest.CaptureFixture[str]) -> None:
    inside.answer = {
        "ok": True, "version": "1.2", "uptime_seconds": 7200.0,
        "workspace": {"path": "/w", "timezone": "Europe/Vienna"},
        "index": {"documents": 3, "size_bytes": 2_500_000, "skipped": {}},
        "sources": [{"name": "main", "files": 0}, {"name": "claude", "files": 2}],
        "alarms": [], "jobs": None,
    }  # fmt: skip
    assert main(["status"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "ok yes · version 1.2 · uptime 2.0 h",
        "workspace  path /w · timezone Europe/Vienna",
        "index      documents 3 · size 2.5 MB · skipped -",
        "sources    name main · files 0",
        "           name claude · files 2",
        "alarms     -",
    ]


def test_status_of_a_group_has_no_empty_fields(
    inside: FakeDoor, capsys: pytest.CaptureFixture[str]
) -> None:
    inside.answer = {"version": "1.2", "ok": True, "pid": None, "bank": None, "hygiene": None}
    assert main(["status", "--scope", "group"]) == 0
    assert capsys.readouterr().out == "version 1.2 · ok yes\n"


def test_jobs(inside: FakeDoor, capsys: pytest.CaptureFixture[str]) -> None:
    job = {"name": "reconcile", "schedule": "every 15 min", "next_run": "2026-03-03T10:00:00Z",
           "last_run": None, "last_seconds": None, "last_outcome": None,
           "paused": False}  # fmt: skip
    inside.answer = {"jobs": [job]}
    assert main(["jobs"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0].split() == ["job", "schedule", "next", "last", "took", "outcome", "tokens"]
    assert rows[1].split("  ")[0] == "reconcile"
    paused = {**job, "paused": True, "next_run": None, "last_error": "disk full", "tokens": 12}
    inside.answer = {"jobs": [{**job, "running": True}, paused]}
    assert main(["jobs", "list"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert "running" in rows[1]
    assert "paused" in rows[2]
    assert rows[2].endswith("12")
    assert rows[3] == "! reconcile: disk full"
    inside.answer = paused
    assert main(["jobs", "pause", "reconcile"]) == 0
    assert inside.last.target == "/v1/jobs/reconcile/pause"
    assert "hippod jobs resume reconcile" in capsys.readouterr().out
    inside.answer = job
    assert main(["jobs", "resume", "reconcile"]) == 0
    assert inside.last.target == "/v1/jobs/reconcile/resume"
    assert "runs next at 2026-03-03T10:00:00Z" in capsys.readouterr().out
    inside.answer = job
    inside.answer = {**job, "last_seconds": 0.021, "last_outcome": "ok"}
    assert main(["jobs", "run", "reconcile"]) == 0
    assert inside.last.target == "/v1/jobs/reconcile/run"
    assert capsys.readouterr().out == "reconcile: ok, 0.021 s\n"
    inside.answer = {**inside.answer, "last_outcome": "failed", "last_error": "disk full"}
    assert main(["jobs", "run", "reconcile"]) == 1
    assert capsys.readouterr().out == "reconcile: failed, 0.021 s: disk full\n"
    assert main(["reindex", "--full"]) == 0
    assert inside.last.json == {"full": True, "scope": "main"}


def test_reindex_says_that_vectors_follow(
    inside: FakeDoor, capsys: pytest.CaptureFixture[str]
) -> None:
    inside.answer = {"indexed": 3, "embedded": 0, "vectors_pending": 12}
    assert main(["reindex"]) == 0
    out = capsys.readouterr().out
    assert "vectors follow in the background: 12 to do" in out
    inside.answer = {"indexed": 3, "embedded": 12, "vectors_pending": 0}
    assert main(["reindex"]) == 0
    assert "background" not in capsys.readouterr().out


MESSAGES = [
    {"role": "user", "content": "I moved\u2028to Graz"},
    {"role": "assistant", "content": ""},
]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(MESSAGES),
        json.dumps({"messages": MESSAGES}),
        "\n".join(json.dumps(m, ensure_ascii=False) for m in MESSAGES) + "\n\n",
        "\ufeff" + json.dumps(MESSAGES, indent=2),
    ],
)
def test_retain_takes_messages_in_every_usual_form(shell: Shell, door: FakeDoor, text: str) -> None:
    door.answer = {"queued": 2, "stored": [], "rejected": []}
    done = shell.run("retain", "-", "--session", "s1", stdin=text)
    assert done.stdout == "0 stored, 2 turns queued\n"
    assert wire.RetainRequest.model_validate(door.last.json).session == "s1"
    assert door.last.json["messages"] == MESSAGES
    (shell.folder / "m.json").write_text(text, encoding="utf-8")
    assert shell.run("retain", "m.json").returncode == 0
    assert door.last.json["messages"] == MESSAGES


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{}\nnot json", "-: line 2: not JSON"),
        ("[1]", "-: not a list of messages"),
        ("3", "-: not a list of messages"),
        ('{"a": 1}\n[]', "-: line 2: not a message"),
        ("[" * 100_000, "-: line 1: not JSON"),
    ],
)
def test_retain_names_the_line_that_is_wrong(
    inside: FakeDoor,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    told: str,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["retain", "-"]) == 2
    assert told in capsys.readouterr().err
    assert inside.sent == []


def test_retain_facts_flush_and_explain(
    inside: FakeDoor, capsys: pytest.CaptureFixture[str]
) -> None:
    fact = {"id": "x", "path": "memory/2026-03-03.md", "line": 9, "source": "",
            "bullet": "- W @Anna: Moved to Graz. ^x"}  # fmt: skip
    rejected = {"text": "ok", "reason": "no content"}
    inside.answer = {"queued": 0, "stored": [fact], "rejected": [rejected]}
    assert main(["retain", "--fact", "W @Anna: Moved", "--fact", "B : y", "--explain"]) == 0
    assert inside.last.json["facts"] == ["W @Anna: Moved", "B : y"]
    assert capsys.readouterr().out.splitlines() == [
        "memory/2026-03-03.md#L9  - W @Anna: Moved to Graz. ^x",
        "not stored: ok: no content",
        "1 stored, 1 not stored",
    ]
    assert main(["retain", "--flush", "--wait"]) == 0
    assert inside.last.json["flush"] is inside.last.json["wait"] is True
    assert main(["retain", "none.json"]) == 4


# -- terminals, pipes, signals -----------------------------------------------------------------


def on_a_terminal(shell: Shell, *words: str, **env: str) -> str:
    reader, writer = pty.openpty()
    environ = {**shell.env, "TERM": "xterm", **env}
    with subprocess.Popen(
        [sys.executable, "-m", "hippod", *words], env=environ, stdout=writer, stdin=writer
    ) as process:
        os.close(writer)
        shown = b""
        while True:
            try:
                piece = os.read(reader, 65_536)
            except OSError:  # Linux: the other end is closed
                break
            if not piece:
                break
            shown += piece
        assert process.wait(60) == 0
    os.close(reader)
    return shown.decode()


def test_terms_are_highlighted_for_people_only(shell: Shell, door: FakeDoor) -> None:
    door.answer = ANSWER
    shown = on_a_terminal(shell, "recall", "the", "NIGHT", "trains?")
    assert "\x1b[33mnight\x1b[0m" in shown
    assert "\x1b[33mthe" not in shown
    for environ in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b" not in on_a_terminal(shell, "recall", "night", **environ)
    assert "\x1b[33mnight" in on_a_terminal(shell, "recall", "night", NO_COLOR="")


def test_a_document_cannot_steer_the_terminal(shell: Shell, door: FakeDoor) -> None:
    door.answer = {"path": "a.md", "content": "a\tb\r\n\x1b]0;x\x07 c\rd", "etag": "e"}
    assert on_a_terminal(shell, "read", "a.md") == "a\tb\r\n\\x1b]0;x\\x07 c\\rd\r\n"


def test_a_closed_pipe_is_quiet(shell: Shell, door: FakeDoor) -> None:
    door.answer = {
        "directory": "",
        "entries": [{"name": f"{n}.md", "path": f"{n}.md", "is_directory": False}
                    for n in range(50_000)],
    }  # fmt: skip
    command = f"{sys.executable} -m hippod tree | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command], env=shell.env, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("0.md\n141\n", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_an_error(shell: Shell, door: FakeDoor) -> None:
    door.answer = ANSWER
    for words in (["recall", "x"], ["status", "--json"]):
        with open("/dev/full", "w") as full:  # noqa: PTH123
            done = subprocess.run(
                [sys.executable, "-m", "hippod", *words], env=shell.env, stdout=full,
                stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
        assert done.returncode == 1
        assert done.stderr == "hippod: cannot write the answer: No space left on device\n"


def test_closed_standard_streams_do_no_harm(shell: Shell, door: FakeDoor) -> None:
    door.answer = ANSWER
    command = f"{sys.executable} -m hippod write a.md <&-"
    done = subprocess.run(["bash", "-c", command], env=shell.env, capture_output=True)
    assert done.returncode == 2
    assert b"stdin is closed" in done.stderr
    for closed in (">&-", "2>&-", "<&- >&- 2>&-"):
        command = f"{sys.executable} -m hippod recall x {closed}"
        done = subprocess.run(["bash", "-c", command], env=shell.env, capture_output=True)
        assert (done.returncode, done.stderr) == (0, b"")


def test_ctrl_c_is_quiet_and_130(shell: Shell, door: FakeDoor) -> None:
    door.hang = True
    with subprocess.Popen(
        [sys.executable, "-m", "hippod", "status"],
        env=shell.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        door.asked.wait(30)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"")


def test_an_answer_of_something_else_is_an_error(shell: Shell, door: FakeDoor) -> None:
    for raw in (b"SSH-2.0\r\n\r\n", reply(200, [1]), b""):
        door.raw = raw
        done = shell.run("status")
        assert done.returncode == 1
        assert done.stderr.startswith("hippod: ")


# -- init, run, config --offline ---------------------------------------------------------------


def test_init_and_run_hand_over_to_their_modules(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: list[Any] = []
    seed, process = types.ModuleType("workspace_seed"), types.ModuleType("process")

    def init(root: Path) -> list[str]:
        calls.append(root)
        return ["MEMORY.md"]

    def run(load: Any) -> int:
        config, config_path = load()
        calls.append((config.workspace.path, config.server.socket, config_path))
        return 7

    monkeypatch.setattr(seed, "init", init, raising=False)
    monkeypatch.setattr(process, "run", run, raising=False)
    for name, module in (("workspace_seed", seed), ("process", process)):
        monkeypatch.setitem(sys.modules, f"hippod.{name}", module)
        monkeypatch.setattr(f"hippod.{name}", module, raising=False)
    for name, value in shell.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(shell.folder)

    assert main(["init"]) == 0
    assert main(["init", "here"]) == 0
    assert calls == [shell.folder / ".hippod/workspace", shell.folder / "here"]
    assert "created MEMORY.md" in capsys.readouterr().out

    config = shell.folder / "c.toml"
    config.write_text('[workspace]\npath = "notes"\n')
    assert main(["run", "--config", "c.toml", "--socket", "other.sock"]) == 7
    assert calls[-1] == (shell.folder / "notes", str(shell.folder / "other.sock"), config)
    assert main(["--workspace", "elsewhere", "run"]) == 7
    assert calls[-1] == (shell.folder / "elsewhere", shell.env["HIPPOD_SOCKET"], None)


def test_config_show_offline_needs_no_daemon(shell: Shell) -> None:
    (shell.folder / "c.toml").write_text("[retain]\nquiet = '2m'\n")
    done = shell.run("config", "show", "--offline", "--config", "c.toml", "--json")
    shown = json.loads(done.stdout)
    assert shown["retain.quiet"] == {"value": 120.0, "source": str(shell.folder / "c.toml")}
    assert shown["server.socket"]["value"] == shell.env["HIPPOD_SOCKET"]


def test_every_fault_of_a_config_is_a_line(shell: Shell) -> None:
    (shell.folder / "c.toml").write_text("[retain]\nquiett = 1\n[recall]\nlimit = 0\n")
    done = shell.run("config", "--offline", "--config", "c.toml")
    assert done.returncode == 2
    assert [line.split(": ")[2] for line in done.stderr.splitlines()] == [
        "retain.quiett", "recall.limit"
    ]  # fmt: skip
    assert "did you mean 'quiet'?" in done.stderr


# -- a daemon that does not answer yet -------------------------------------------------------


def test_who_holds_the_workspace_is_named_while_nobody_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Right after `hippod run &`; and a second daemon is refused before all is loaded."""
    monkeypatch.setenv("HIPPOD_SOCKET", str(tmp_path / "none.sock"))
    monkeypatch.setenv("HIPPOD_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("HIPPOD_CONFIG", str(tmp_path / "config.toml"))
    (tmp_path / "config.toml").touch()
    with lock.hold(tmp_path):
        assert main(["status"]) == 3
        assert f"process {os.getpid()} holds the workspace" in capsys.readouterr().err
        monkeypatch.setitem(sys.modules, "hippod.process", None)  # cannot be imported
        assert main(["run"]) == 5
        assert "another hippod holds this workspace" in capsys.readouterr().err
    assert main(["status"]) == 3
    assert "holds the workspace" not in capsys.readouterr().err


@pytest.mark.parametrize("word", ["restart", "logs", "reload"])
def test_words_that_are_no_commands_are_understood(
    word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word]) == 2
    assert f"see: hippod {'config' if word == 'reload' else 'service'} {word}" in (
        capsys.readouterr().err
    )


def test_the_logs_of_the_service_are_those_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, config = tmp_path / "daemon.log", tmp_path / "config.toml"
    file.write_text("a line\n")
    config.write_text(f'[log]\nfile = "{file}"\n')
    shown: list[list[str]] = []
    monkeypatch.setattr(calling, "show", lambda words, environ=None: shown.append(words) or 0)
    assert main(["--config", str(config), "service", "logs", "--lines", "3", "--follow"]) == 0
    assert shown == [["tail", "-n", "3", "-F", "--", str(file)]]
