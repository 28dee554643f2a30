"""Each example does what it says, against a real daemon and, where one is asked, a model."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from hippod.errors import DaemonDown
from tests.processes import Daemon, running, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("examples")]

EXAMPLES = Path(__file__).parents[1] / "examples"
QUIETLY = {
    "HIPPOD_RETAIN__QUIET": "5m", "HIPPOD_EMBEDDER__PROVIDER": "none",
    "HIPPOD_ENCODER__PROVIDER": "none",
}  # fmt: skip
"""Only a flush brings out what was handed over, and no model is loaded for it."""
ELSEWHERE = {"README.md", "demo.py", "demo"}
"""What no test here runs: the demonstration is run by `make demo`."""
ANSWER = "Ina has it. Remember that the porch light is on a timer until May."
COMPLETION = {"choices": [{"message": {"role": "assistant", "content": ANSWER}}]}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("examples")
    with running(folder, QUIETLY) as daemon:
        daemon.environ["PATH"] = f"{command_folder(folder)}{os.pathsep}{os.environ['PATH']}"
        daemon.client.write("notes.md", "# Keys\n\nThe spare key is with Ina.\n")
        daemon.settle()
        yield daemon


@pytest.fixture
def nobody(tmp_path: Path) -> Daemon:
    """Return a daemon that does not run."""
    daemon = Daemon(tmp_path)
    daemon.environ["PATH"] = f"{command_folder(tmp_path)}{os.pathsep}{os.environ['PATH']}"
    return daemon


def command_folder(folder: Path) -> Path:
    """Return a folder with the command `hippod` and the Python of the tests."""
    commands = folder / "commands"
    commands.mkdir()
    (commands / "hippod").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hippod "$@"\n')
    (commands / "hippod").chmod(0o755)
    (commands / "python3").symlink_to(sys.executable)
    return commands


@pytest.fixture
def model() -> Iterator["Model"]:
    with Model() as served:
        yield served


class Model(ThreadingHTTPServer):
    """An OpenAI-compatible endpoint that always answers the same."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Completions)
        self.asked: list[dict[str, Any]] = []
        self.answers: list[Any] = []
        """What it answers first, if not what it always answers."""
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,))
        self.environ = {
            "OPENAI_BASE_URL": f"http://127.0.0.1:{self.server_port}/v1",
            "NO_PROXY": "127.0.0.1",
        }

    def __enter__(self) -> "Model":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Completions(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        self.server.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        answer = self.server.answers.pop(0) if self.server.answers else COMPLETION
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def run(
    daemon: Daemon, name: str, *args: str, stdin: str = "", environ: dict[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    file = EXAMPLES / name
    words = [sys.executable, str(file)] if file.suffix == ".py" else [str(file)]
    return subprocess.run(
        [*words, *args], env={**daemon.environ, **(environ or {})},
        input=stdin, text=True, capture_output=True, timeout=60, check=False,
    )  # fmt: skip


def facts(daemon: Daemon) -> str:
    return str(daemon.client.today_log()["content"])


def waits(daemon: Daemon) -> bool:
    """Say whether turns wait for a flush."""
    return bool(daemon.client.status()["retain"]["turns_waiting"])  # type: ignore[index]


def test_an_agent_knows_what_was_said_and_remembers_what_is_said(
    daemon: Daemon, model: Model
) -> None:
    said = "Where is the spare key?\n\nI moved to Lisbon in March.\n"
    done = run(daemon, "agent_loop.py", stdin=said, environ=model.environ)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [ANSWER, ANSWER]
    first, second = (request["messages"] for request in model.asked)
    assert first[0]["role"] == "system"
    assert "## Agent Instructions" in first[0]["content"]
    assert "The spare key is with Ina." in first[0]["content"]
    assert "<hippod-memory" in first[0]["content"]
    assert [each["content"] for each in second[1:]] == [
        "Where is the spare key?", ANSWER, "I moved to Lisbon in March.",
    ]  # fmt: skip
    wait_for(lambda: "Lisbon" in facts(daemon), "the fact in today's log")


def test_an_agent_says_which_endpoint_does_not_answer(daemon: Daemon) -> None:
    environ = {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "NO_PROXY": "127.0.0.1"}
    done = run(daemon, "agent_loop.py", stdin="Hello\n", environ=environ)
    assert done.returncode == 1
    assert "127.0.0.1:1/v1: no answer" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_was_said_before_a_model_failed_is_remembered(daemon: Daemon, model: Model) -> None:
    model.answers = [COMPLETION, {"error": {"message": "quota"}}]
    said = "My cousin Espen lives in Tromso.\nAnd now?\n"
    done = run(daemon, "agent_loop.py", stdin=said, environ=model.environ)
    assert (done.returncode, done.stdout) == (1, f"{ANSWER}\n")
    assert done.stderr.startswith(f"{model.environ['OPENAI_BASE_URL']}: no answer (")
    assert "quota" in done.stderr
    wait_for(lambda: "Tromso" in facts(daemon), "the fact in today's log")


@pytest.mark.parametrize("wrong", [{"choices": []}, [], "no"])
def test_what_is_no_answer_of_a_model_is_said_to_be_none(
    daemon: Daemon, model: Model, wrong: Any
) -> None:
    model.answers = [wrong]
    done = run(daemon, "agent_loop.py", stdin="Hello\n", environ=model.environ)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"no answer ({json.dumps(wrong)})" in done.stderr
    assert "Traceback" not in done.stderr


def test_who_breaks_an_agent_off_loses_nothing(daemon: Daemon, model: Model) -> None:
    with subprocess.Popen(
        [sys.executable, str(EXAMPLES / "agent_loop.py")], env={**daemon.environ, **model.environ},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as agent:  # fmt: skip
        assert agent.stdin
        assert agent.stdout
        agent.stdin.write("My sister Tove lives in Bergen.\n")
        agent.stdin.flush()
        assert agent.stdout.readline() == f"{ANSWER}\n"
        wait_for(lambda: waits(daemon), "the turn to be handed over")
        agent.send_signal(signal.SIGINT)
        _, err = agent.communicate(timeout=60)
    assert (agent.returncode, err) == (130, "")
    wait_for(lambda: "Bergen" in facts(daemon), "the fact in today's log")


def test_facts_are_watched_over_a_restart(daemon: Daemon) -> None:
    with subprocess.Popen(
        [sys.executable, str(EXAMPLES / "async_watch.py")],
        env=daemon.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as watching:  # fmt: skip
        assert watching.stdout
        assert watching.stderr
        try:
            wait_for(lambda: "hippod_event_listeners 1.0" in daemon.client.metrics(), "a listener")
            daemon.client.retain(facts=["W @Ada: Likes tea."])
            assert next(line for line in watching.stdout if "Likes tea" in line)
            daemon.stop()
            assert "stopped" in watching.stderr.readline()
            assert "hippod run" in watching.stderr.readline()
            daemon.start()
            daemon.client.retain(facts=["W @Ada: Plays the cello."])
            assert next(line for line in watching.stdout if "Plays the cello" in line)
        finally:
            watching.send_signal(signal.SIGINT)
            watching.communicate(timeout=30)


def test_any_program_gets_a_memory_for_its_prompt(daemon: Daemon, tmp_path: Path) -> None:
    program = 'cat > "$0"; echo "My brother Jonas lives in Oslo, I will remember that."'
    got = tmp_path / "got"
    prompt = "Who has the spare key? My brother Jonas lives in Oslo."
    done = run(daemon, "shell_hook.sh", prompt, "sh", "-c", program, str(got))
    assert (done.returncode, "rror" in done.stderr) == (0, False), done.stderr
    assert done.stdout == "My brother Jonas lives in Oslo, I will remember that.\n"
    given = got.read_text()
    assert "## Agent Instructions" in given
    assert "The spare key is with Ina." in given
    assert given.endswith(f"\n{prompt}\n")
    wait_for(lambda: "Oslo" in facts(daemon), "the fact in today's log")


def test_the_hook_ends_with_the_code_of_its_program(nobody: Daemon) -> None:
    done = run(nobody, "shell_hook.sh", "Hello", "sh", "-c", "cat; exit 7")
    assert done.returncode == 7
    assert done.stdout.strip() == "Hello"


def test_without_a_program_the_hook_prints_what_is_remembered(daemon: Daemon) -> None:
    done = run(daemon, "shell_hook.sh", "the spare key")
    assert "The spare key is with Ina." in done.stdout
    assert run(daemon, "shell_hook.sh").returncode == 2


def test_the_digest_tells_of_yesterday_or_says_nothing(daemon: Daemon) -> None:
    done = run(daemon, "cron_digest.sh")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    yesterday = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()
    log = f"# Daily Log - {yesterday}\n\n## Retain\n- W @Ada: Plays the cello. ^k3f9ab27qt\n"
    daemon.client.write(f"memory/{yesterday}.md", log)
    done = run(daemon, "cron_digest.sh")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Remembered yesterday:\n- W @Ada: Plays the cello.")


def test_the_api_answers_curl(daemon: Daemon) -> None:
    done = run(daemon, "curl.sh", 'The "blue" boat is in the shed', "where is the blue boat?")
    assert (done.returncode, done.stderr) == (0, "")
    written, found, context = map(json.loads, done.stdout.splitlines())
    assert written["changed"]
    assert "hits" in found
    assert "## Agent Instructions" in context["text"]
    assert 'The "blue" boat' in facts(daemon)


@pytest.mark.parametrize(
    ("name", "args"),
    [("agent_loop.py", ()), ("cron_digest.sh", ()), ("curl.sh", ()), ("shell_hook.sh", ("x",))],
)
def test_without_a_daemon_each_says_how_to_start_it(
    nobody: Daemon, name: str, args: tuple[str, ...]
) -> None:
    done = run(nobody, name, *args)
    goes_on = name == "shell_hook.sh"
    assert done.returncode == (0 if goes_on else DaemonDown.exit_code)
    assert "no daemon answers" in done.stderr
    assert "hippod run" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_hook_without_a_daemon_still_runs_its_program(nobody: Daemon) -> None:
    done = run(nobody, "shell_hook.sh", "Hello", "cat")
    assert done.returncode == 0
    assert done.stdout.strip() == "Hello"


def test_every_example_is_listed_and_run() -> None:
    names = {file.name for file in EXAMPLES.iterdir() if file.name[0] not in "._"}
    listed = (EXAMPLES / "README.md").read_text()
    assert [name for name in names - {"README.md", "demo"} if f"({name})" not in listed] == []
    tested = Path(__file__).read_text()
    assert [name for name in names - ELSEWHERE if f'"{name}"' not in tested] == []
