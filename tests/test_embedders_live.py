"""A daemon that recalls with a GGUF embedder, and with one that is an endpoint."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.endpoints import answer, misbehaving, silent
from tests.minilm_gguf import minilm_gguf
from tests.processes import Daemon, running, wait_for

pytestmark = pytest.mark.slow

NOTES = {
    "ferry.md": "The ferry to the island leaves at six in the morning.",
    "tax.md": "Corporate tax law in Canada was reformed last year.",
    "bread.md": "Let the dough rest overnight before baking.",
}
QUESTION = "departure of the boat"
"""Shares no word with the note that answers it."""


def write(daemon: Daemon) -> None:
    for name, text in NOTES.items():
        path = daemon.workspace / "context" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{text}\n")


def first(daemon: Daemon) -> tuple[str, str]:
    """Return the path of the best hit and the state of the vector leg."""
    found: Any = json.loads(daemon.cli("recall", "--json", QUESTION).stdout)
    hits = found["hits"]
    return (hits[0]["path"] if hits else "", found["legs"]["vector"])


def embedded(daemon: Daemon) -> bool:
    vectors = daemon.client.status()["index"]["vectors"]
    return vectors["embedded"] >= len(NOTES) and not vectors["pending"]


def test_a_gguf_finds_what_shares_no_word(tmp_path: Path) -> None:
    model = minilm_gguf(tmp_path)
    options = {
        "HIPPOD_EMBEDDER__PROVIDER": "llama-cpp",
        "HIPPOD_EMBEDDER__MODEL": str(model),
        "HIPPOD_EMBEDDER__QUERY_TIMEOUT": "60s",
    }
    with running(tmp_path, options) as daemon:
        write(daemon)
        wait_for(lambda: embedded(daemon), "the vectors")
        assert first(daemon) == ("context/ferry.md", "ok")
        status = daemon.client.status()["embedder"]
        assert status["provider"] == "llama-cpp"
        assert status["model_id"].startswith("all-MiniLM-L6-v2.Q8_0#")
        assert status["dimension"] == 384
        assert "all-MiniLM-L6-v2" in daemon.cli("status").stdout


def test_without_its_file_the_words_answer_and_status_says_why(tmp_path: Path) -> None:
    options = {
        "HIPPOD_EMBEDDER__PROVIDER": "llama-cpp",
        "HIPPOD_EMBEDDER__MODEL": str(tmp_path / "gone.gguf"),
    }
    with running(tmp_path, options) as daemon:
        write(daemon)
        found = json.loads
        wait_for(
            lambda: found(daemon.cli("recall", "--json", "island ferry").stdout)["hits"],
            "the words",
        )
        assert "gone.gguf: No such file" in daemon.cli("status").stdout


def test_a_silent_endpoint_holds_up_neither_recall_nor_the_end(tmp_path: Path) -> None:
    with misbehaving() as server:
        server.enqueue(silent)
        options = {
            "HIPPOD_EMBEDDER__PROVIDER": "openai",
            "HIPPOD_EMBEDDER__MODEL": "m",
            "HIPPOD_EMBEDDER__BASE_URL": server.url,
            "HIPPOD_EMBEDDER__DIMENSIONS": "8",
            "HIPPOD_EMBEDDER__QUERY_TIMEOUT": "300ms",
        }
        with running(tmp_path, options) as daemon:
            write(daemon)
            wait_for(
                lambda: json.loads(daemon.cli("recall", "--json", "ferry").stdout)["hits"],
                "the words",
            )
            assert daemon.stop(seconds=10) == 0


def test_an_endpoint_that_ignores_the_width_gets_no_vector_in(tmp_path: Path) -> None:
    with misbehaving() as server:
        row = {"index": 0, "embedding": [0.5] * 256}
        server.enqueue(answer(200, {"data": [row]}))
        options = {
            "HIPPOD_EMBEDDER__PROVIDER": "openai",
            "HIPPOD_EMBEDDER__MODEL": "m",
            "HIPPOD_EMBEDDER__BASE_URL": server.url,
            "HIPPOD_EMBEDDER__DIMENSIONS": "1024",
            "HIPPOD_EMBEDDER__BATCH": "1",
        }
        with running(tmp_path, options) as daemon:
            write(daemon)
            wait_for(
                lambda: "256 numbers a text where 1024" in daemon.cli("status").stdout, "the reason"
            )
            assert daemon.client.status()["index"]["vectors"]["embedded"] == 0
            assert len(server.seen) < 5


@pytest.mark.parametrize(("provider", "mark"), [("openai", "! embedder"), ("none", "embedder  ")])
def test_status_marks_an_embedder_that_cannot_be_made(
    tmp_path: Path, provider: str, mark: str
) -> None:
    settings = {"HIPPOD_EMBEDDER__PROVIDER": provider, "OPENAI_API_KEY": ""}
    with running(tmp_path, settings) as daemon:
        lines = daemon.cli("status").stdout.splitlines()
    (told,) = (line for line in lines if "embedder" in line and "none: " in line)
    assert told.startswith(mark)
