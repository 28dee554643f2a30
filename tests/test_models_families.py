"""Which words a family of embedding models wants before its texts."""

import pytest

from hippod.models.families import Prefixes, prefixes_of

NOMIC = Prefixes("search_query: ", "search_document: ")
GEMMA = Prefixes("task: search result | query: ", "title: none | text: ")
E5 = Prefixes("query: ", "passage: ")


@pytest.mark.parametrize(
    ("name", "prefixes"),
    [
        ("nomic-embed-text", NOMIC),
        ("nomic-embed-text:v1.5", NOMIC),
        ("nomic-embed-text-v1.5.Q8_0", NOMIC),
        ("nomic-ai/nomic-embed-text-v2-moe", NOMIC),
        ("nomic-bert", NOMIC),
        ("nomic-bert-moe", NOMIC),
        ("gemma-embedding", GEMMA),
        ("embeddinggemma:300m", GEMMA),
        ("Embedding Gemma 300M", GEMMA),
        ("multilingual-e5-large", E5),
        ("intfloat/e5-base-v2", E5),
        ("bge-m3", Prefixes()),
        ("all-MiniLM-L6-v2", Prefixes()),
        ("text-embedding-3-small", Prefixes()),
        ("bert", Prefixes()),
        ("some-note5-base", Prefixes()),
        ("", Prefixes()),
    ],
)
def test_a_name_tells_the_family(name: str, prefixes: Prefixes) -> None:
    assert prefixes_of(name) == prefixes


@pytest.mark.parametrize(
    "name",
    ["BAAI/bge-small-en-v1.5", "Bge Base En v1.5", "bge_large_en_v1.5.Q8_0", "mxbai-embed-large"],
)
def test_some_want_words_before_the_question_alone(name: str) -> None:
    found = prefixes_of(name)
    assert found.query == "Represent this sentence for searching relevant passages: "
    assert found.document == ""


@pytest.mark.parametrize(
    "name", ["Qwen3-Embedding-0.6B", "qwen3-embedding:0.6b", "Qwen3 Embedding 8B"]
)
def test_an_instruction_ends_where_the_question_begins(name: str) -> None:
    found = prefixes_of(name)
    assert found.query.startswith("Instruct: ")
    assert found.query.endswith("\nQuery:")
    assert found.document == ""


def test_the_first_name_that_tells_counts() -> None:
    assert prefixes_of("my finetune", "", "nomic-bert", "e5-base") == NOMIC


def test_instructed_e5_is_no_plain_e5() -> None:
    assert prefixes_of("multilingual-e5-large-instruct").query.startswith("Instruct: ")
    assert prefixes_of("multilingual-e5-large-instruct").document == ""


def test_prefixes_can_be_overridden_one_by_one() -> None:
    own = Prefixes("q: ", "d: ")
    assert own.overridden("auto", "auto") == own
    assert own.overridden("", "auto") == Prefixes("", "d: ")
    assert own.overridden("auto", "x") == Prefixes("q: ", "x")
