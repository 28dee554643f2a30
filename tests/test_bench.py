"""The benchmarks: sound arithmetic, the same corpus everywhere, and a run that ends in a report."""

import json
import os
import random
import subprocess
import sys
import urllib.request
from math import isfinite
from pathlib import Path

import numpy as np
import pytest
from bench import bare, bounds, corpus, idle
from bench.peers import __main__ as peers
from bench.peers import endpoint, pipes
from bench.peers.tool import NotRunnable, Place
from bench.report import Budget, Result, Row, Spread, quantile, table

from hippod import chunks, config, tokens
from hippod.models.wordllama import WordLlamaEmbedder

ROOT = Path(__file__).parents[1]
_MCP_SERVER = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "tools/call":
        print('{"jsonrpc": "2.0", "method": "notifications/message"}')
        known = request["params"]["name"] == "search"
        said = f"found {request['params']['arguments']['query']}" if known else "no such tool"
        answer = {"content": [{"type": "text", "text": said}], "isError": not known}
    else:
        answer = {"serverInfo": {"name": "tiny"}}
    if "id" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": answer}), flush=True)
"""


def test_quantiles_are_samples_that_occurred() -> None:
    samples = [5.0, 1.0, 3.0, 2.0, 4.0]
    assert quantile(samples, 0.5) == 3.0
    assert quantile(samples, 0.99) == 5.0
    assert quantile([7.0], 0.5) == 7.0
    assert Spread.of(range(1, 201)) == Spread(100, 198, 200)


def test_a_ratio_compares_like_with_like() -> None:
    row = Row("recall", "ms", Spread(6.0, 20.0, 21.0), "bare", Spread(2.0, 5.0, 9.0))
    assert (row.ratio, row.ratio_p99, row.met) == (3.0, 4.0, None)
    assert Row("index", "ms", Spread(6.0)).ratio is None
    assert Row("index", "ms", Spread(6.0), "bare", Spread(2.0)).ratio_p99 is None


@pytest.mark.parametrize(
    ("budget", "met"),
    [
        (Budget("p50", 6.0), True),
        (Budget("p50", 5.9), False),
        (Budget("p99", 20.0), True),
        (Budget("p99", 19.0), False),
        (Budget("ratio", 3.0), True),
        (Budget("ratio", 2.9), False),
        (Budget("tail", 3.4), True),
        (Budget("tail", 3.3), False),
        (Budget("p50", least=6.0), True),
        (Budget("p50", least=6.1), False),
        (Budget("ratio", most=4.0, least=3.1), False),
    ],
)
def test_a_budget_bounds_what_it_names(budget: Budget, met: bool) -> None:
    row = Row("recall", "ms", Spread(6.0, 20.0), "bare", Spread(2.0, 5.0), budget)
    assert row.met is met
    shown = table([Result("t", (row,))])
    assert ("NOT MET" in shown) is not met
    assert f"{int(met)} met, {int(not met)} not met" in shown


def test_a_budget_is_not_met_by_what_could_not_be_measured() -> None:
    assert Row("recall", "ms", Spread(6.0), budget=Budget("ratio", 3.0)).met is False
    assert Row("recall", "ms", Spread(6.0), budget=Budget("tail", 3.0)).met is False


def test_missed_budgets_are_named_at_the_end() -> None:
    rows = (
        Row("rare words", "ms", Spread(6.0), budget=Budget("p50", 5.0)),
        Row("common words", "ms", Spread(4.0), budget=Budget("p50", 5.0)),
    )
    *_, missed = table([Result("Recall: 10 units", rows)]).splitlines()
    assert missed.strip() == "Recall: rare words [p50 <= 5.00]"


def test_the_overlap_counts_what_both_answers_have() -> None:
    whole = [("a.md", line) for line in range(20)]
    assert bounds.overlap(whole[:10], whole) == 1.0
    assert bounds.overlap(whole[5:15], whole) == 0.5
    assert bounds.overlap([], []) == 1.0
    assert bounds.overlap(whole, []) == 0.0


def test_the_bare_legs_find_a_text_by_its_words_and_by_its_vector(tmp_path: Path) -> None:
    texts = [f"the {word} stands alone" for word in corpus.vocabulary()[50:350]]
    embedder = WordLlamaEmbedder()
    matrix = bare.embed(embedder, texts)
    bare.full_text(tmp_path / "words.sqlite", texts)
    words = bare.Words(tmp_path / "words.sqlite")
    exact, graph = bare.Exact(matrix), bare.Graph(matrix)
    assert words.ask(corpus.vocabulary()[60]) == [10]
    assert exact.nearest(matrix[10])[0] == graph.nearest(matrix[10])[0] == 10
    assert len(exact.nearest(matrix[10])) == bare.DEPTH
    assert graph.widen(exact, list(matrix[:20])) >= bare.ENOUGH
    legs = bare.Legs(words, (exact, graph), embedder)
    assert bare.DEPTH <= legs.ask(texts[10]) <= 2 * bare.DEPTH
    words.close()


def test_ten_notes_have_both_words_of_a_question_to_peers() -> None:
    texts = [set(tokens.fts_text(text).split()) for text in corpus.documents(2_000).values()]
    asked = peers.questions(10)
    assert asked == peers.questions(10)
    for question in asked:
        words = set(question.split())
        assert len(words) == 2
        assert sum(words <= text for text in texts) >= 10


def test_an_mcp_server_is_asked_over_pipes_and_its_failure_is_told() -> None:
    with pipes.started([sys.executable, "-c", _MCP_SERVER], dict(os.environ)) as lines:
        server = pipes.Mcp(lines)
        assert "found tea" in server.call("search", {"query": "tea"})
        with pytest.raises(NotRunnable, match="no such tool"):
            server.call("fly", {})
    with (
        pipes.started([sys.executable, "-c", "raise SystemExit(3)"], {}) as lines,
        pytest.raises((NotRunnable, BrokenPipeError)),
    ):
        pipes.Mcp(lines)


def test_the_endpoint_embeds_as_hippod_does() -> None:
    body = json.dumps({"model": "wordllama", "input": ["tea", "a cup of coffee"]}).encode()
    with endpoint.serving() as url:
        request = urllib.request.Request(
            f"{url}/embeddings", body, {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=10) as response:
            rows = [each["embedding"] for each in json.load(response)["data"]]
    expected = WordLlamaEmbedder().embed_documents(["tea", "a cup of coffee"])
    assert np.allclose(rows, expected)


def test_a_peer_that_cannot_be_installed_is_reported_with_the_reason(tmp_path: Path) -> None:
    place = Place(tmp_path / "programs", tmp_path, tmp_path)
    with pytest.raises(NotRunnable, match="exit code 7: no such package"):
        place.run(sys.executable, "-c", "raise SystemExit(print('no such package') or 7)")
    with pytest.raises(NotRunnable, match="no-such-program"):
        place.run(tmp_path / "no-such-program")


def test_the_table_tells_what_was_not_measured_and_why() -> None:
    shown = table(
        [Result("Idle", skipped="there is no /proc"), Result("Cold", (), {"units": 1234})]
    )
    assert "not measured: there is no /proc" in shown
    assert "units 1,234" in shown


def test_the_corpus_is_the_same_every_time_and_another_for_another_seed() -> None:
    assert corpus.documents(20) == corpus.documents(20)
    assert corpus.documents(20) != corpus.documents(20, seed=1)
    assert len(corpus.documents(21)) == 21
    assert corpus.messages(3) == corpus.messages(3)


def test_a_document_makes_about_five_units_and_half_of_them_have_facts() -> None:
    made = corpus.documents(100)
    units = [u for path, text in made.items() for u in _units(path, text)]
    assert 400 <= len(units) <= 700
    assert sum(unit.kind != "document" for unit in units) == 150


def test_words_are_as_frequent_as_in_language() -> None:
    words = corpus.vocabulary()
    assert len(set(words)) == len(words) > 5_000
    text = " ".join(corpus.documents(400).values()).lower()
    assert text.count(f" {words[0]} ") > 5 * text.count(f" {words[20]} ") > 0


def test_questions_of_each_class_keep_their_words_as_terms() -> None:
    for kind, terms in (("rare", 3), ("common", 8), ("mixed", 5)):
        asked = corpus.questions(kind, 20)
        assert asked == corpus.questions(kind, 20)
        assert all(len(tokens.terms(question)) == terms for question in asked)
    assert not set(corpus.questions("rare", 20)) & set(corpus.questions("common", 20))


def test_unique_words_stand_nowhere_else() -> None:
    rng = random.Random(1)
    words = {corpus.unique_word(rng) for _ in range(1_000)}
    assert len(words) == 1_000
    assert not words & set(corpus.vocabulary())


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_usage_sees_this_process_and_its_children() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        used = idle.usage(os.getpid())
        assert child.pid in idle.children(os.getpid())
        assert used.cpu > 0
        assert used.resident > 1_000_000
        assert used.threads >= 1
        assert used.descriptors >= 3
    finally:
        child.communicate()
    assert child.pid not in idle.children(os.getpid())


def test_an_unknown_measurement_is_a_usage_error() -> None:
    ended = _bench("--only", "speed")
    assert ended.returncode == 2
    assert "idle" in ended.stderr


def test_the_report_goes_to_the_file_that_was_named(tmp_path: Path) -> None:
    target = tmp_path / "new" / "report.json"
    ended = _bench("--quick", "--only", "index", "--json", str(target))
    assert ended.returncode == 0, ended.stderr
    assert list(json.loads(target.read_text())["results"]) == ["index"]
    assert str(target) in ended.stdout


@pytest.mark.slow
@pytest.mark.timeout(300)  # half a minute by itself, more beside other tests
def test_a_quick_run_measures_everything() -> None:
    ended = _bench("--quick", "--json", "-")
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    assert report["machine"]["cores"] >= 1
    assert list(report["results"]) == [
        "index", "vectors", "recall", "common", "writes", "restart",
        "save", "cli", "mcp", "generation", "reflection", "idle",
    ]  # fmt: skip
    for name, result in report["results"].items():
        assert result["rows"] or result["skipped"]
        assert result["title"] in ended.stderr
        for row in result["rows"]:
            _check_row(row, counts_faults=name == "reflection")
    assert {row["what"] for row in report["results"]["save"]["rows"]} == {
        "plain write", "atomic rename", "PUT over the socket",
    }  # fmt: skip


def _check_row(row: dict, *, counts_faults: bool = False) -> None:
    here = [value for value in row["here"].values() if value is not None]
    assert here == sorted(here), row
    assert all(map(isfinite, here)), row
    # A processor that is idle for a second may have used no whole tick of it.
    assert here[0] > 0 or row["unit"] == "%" or (counts_faults and here[0] == 0), row
    if row["base"] is not None:
        assert row["ratio"] > 0
        assert row["against"]
    assert (row["met"] is None) == (row["budget"] is None)


def _bench(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "bench", *arguments],
        cwd=ROOT, capture_output=True, text=True, timeout=290, check=False,
    )  # fmt: skip


def _units(path: str, text: str) -> list[chunks.Unit]:
    cut = config.Chunking()
    return chunks.units(
        path, text, max_size=cut.max_chunk_size, overlap=cut.overlap, split_on=cut.split_on,
        zone=config.Config().zone,
    )  # fmt: skip
