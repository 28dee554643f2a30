"""Replays of field cases of the kind "query syntax": no text of a query is ever syntax."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippod.errors import InvalidInput
from hippod.index import Index
from hippod.wire import MAX_QUERY
from tests.documents import Notes, ask, open_index
from tests.fakes import FakeEmbedder

LINES = {
    "ticket": "Settled RFC-0417 for the upload queue",
    "near ticket": "RFC 9000 and invoice 0417 are unrelated to the upload queue, by the way",
    "apostrophe": "We shouldn't deploy on Mondays",
    "curly": "Liam O’Connor’s bike is green",
    "version": "Moved the runner to Debian 12.4.1",
    "other version": "Room 12 has 4 chairs and 1 table",
    "chinese": "上周复查 finished",
    "hyphen": "the log-book is nearly full",
    "colon": "Set cache:cold on the second host",
    "plus": "Rewrote the C++ parser in C#",
    "crab": "Rust mascot 🦀 on the mug",
}
EMBEDDER = FakeEmbedder(1024)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    notes = Notes({f"notes/{name}.md": f"{line}\n" for name, line in LINES.items()})
    folder: Path = tmp_path_factory.mktemp("index")
    with contextlib.closing(open_index(folder, notes, EMBEDDER)) as made:
        made.reconcile()
        yield made


def first(index: Index, query: str) -> str:
    answer = ask(index, query, mode="lexical")
    assert answer.legs["lexical"] == "ok"
    return answer.hits[0].content if answer.hits else ""


@pytest.mark.parametrize("query", ["RFC-0417", '"RFC-0417"', "rfc 0417", "rfc_0417", "RFC–0417"])
def test_an_identifier_with_a_hyphen_is_found(index: Index, query: str) -> None:
    assert first(index, query) == LINES["ticket"]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("shouldn't deploy", "apostrophe"),
        ("shouldn’t deploy", "apostrophe"),
        ("O'Connor's", "curly"),
        ("O’Connor", "curly"),
        ("debian 12.4", "version"),
        ("12.4.1", "version"),
        ("v12.4.1 debian", "version"),
        ("log-book", "hyphen"),
        ("-book", "hyphen"),
        ("cache:cold", "colon"),
        ("C++", "plus"),
        ("c# parser", "plus"),
        ("复查", "chinese"),
    ],
)
def test_punctuation_in_a_query_separates_words(index: Index, query: str, name: str) -> None:
    assert first(index, query) == LINES[name]


def test_one_odd_word_does_not_empty_a_broad_query(index: Index) -> None:
    answer = ask(index, "复查 OR 周记 OR log-book OR diary", mode="lexical")
    assert {hit.content for hit in answer.hits} == {LINES["chinese"], LINES["hyphen"]}


SYNTAX = [
    "host:up", 'say "later', "alpha AND", "AND", "OR OR", "NOT", "NEAR(", "NEAR(a b, 3)", "(draft",
    "draft)", "*", "wom*", "^lead", "{a b}: c", "text : queue", "words : queue", "-", "- -",
    "-band", '"', '""', '"""', 'a"b', "'", "''; DROP TABLE units; --", "a' OR '1'='1", "%", "_",
    "\\", "?1", ":x", "@y", "$z", "+", "a + b", "C++", "#", "…", "🦀", "👩🏽‍💻 deploy",
    "\x00", "a\x00b", "\ud800",
    "", "   ", "\n\t", "\u202e\u2066", "¿?", "٣", "½", "𝕏", "￼", "\ufeff", "a\u0300\u0301" * 50,
]  # fmt: skip


@pytest.mark.parametrize("query", SYNTAX)
@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
def test_nothing_in_a_query_is_syntax(index: Index, query: str, mode: str) -> None:
    answer = ask(index, query, EMBEDDER, mode=mode)
    assert not answer.degraded
    assert set(answer.legs.values()) <= {"ok", "empty", "off"}
    answer.model_dump_json()
    assert first(index, "upload queue")


@pytest.mark.parametrize("query", ["", "   ", ".", "3.", '"', "()", "🦀", "\x00"])
def test_no_words_is_an_empty_leg_or_a_plain_miss(index: Index, query: str) -> None:
    answer = ask(index, query, mode="lexical")
    assert answer.legs["lexical"] == ("ok" if any(c.isalnum() for c in query) else "empty")
    assert answer.hits == ()


def test_an_emoji_is_for_the_vectors(index: Index) -> None:
    answer = ask(index, "🦀", EMBEDDER)
    assert answer.legs == {"lexical": "empty", "vector": "ok"}
    assert answer.hits[0].content == LINES["crab"]


@pytest.mark.parametrize(
    "query",
    [
        " ".join(f"word{n}" for n in range(10_000)),
        "x" * 200_000,
        "(" * 5_000,
        " OR ".join(["queue"] * 3_000),
        "🦀" * 250_000,
        " " * 100_000,
        "数据" * 50_000,
        "a-" * 50_000,
        "upload\x00queue " * 5_000,
    ],
    ids=["words", "letters", "brackets", "ors", "emoji", "blanks", "han", "hyphens", "nuls"],
)
def test_a_pasted_wall_of_text_is_cut_and_answered_at_once(index: Index, query: str) -> None:
    began = time.monotonic()
    answer = ask(index, query, EMBEDDER)
    assert time.monotonic() - began < 1
    assert answer.truncated == (len(query) > MAX_QUERY)
    assert not answer.degraded


def test_what_follows_a_nul_is_not_lost(index: Index) -> None:
    assert first(index, "zzz\x00upload") in (LINES["ticket"], LINES["near ticket"])


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(query=st.text(max_size=80), path=st.none() | st.text(max_size=12))
def test_any_query_and_any_path_pattern(index: Index, query: str, path: str | None) -> None:
    try:
        answer = ask(index, query, EMBEDDER, path=path)
    except InvalidInput as error:
        assert error.message.startswith("path: ")  # noqa: PT017
    else:
        assert not answer.degraded
