"""The benchmarks: sound arithmetic, the same corpus everywhere, and a run that ends in a report."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from bench import corpus, idle
from bench.report import Budget, Result, Row, Spread, quantile, table

from hippod import chunks, config, tokens

ROOT = Path(__file__).parents[1]


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
    ],
)
def test_a_budget_bounds_what_it_names(budget: Budget, met: bool) -> None:
    row = Row("recall", "ms", Spread(6.0, 20.0), "bare", Spread(2.0, 5.0), budget)
    assert row.met is met
    assert ("NOT MET" in table([Result("t", (row,))])) is not met


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
    for kind, terms in (("rare", 3), ("common", 3), ("mixed", 5)):
        asked = corpus.questions(kind, 20)
        assert asked == corpus.questions(kind, 20)
        assert all(1 < len(tokens.terms(question)) <= terms for question in asked)
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
def test_a_quick_run_measures_everything() -> None:
    ended = _bench("--quick", "--json", "-")
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    assert report["machine"]["cores"] >= 1
    assert list(report["results"]) == ["index", "save", "recall", "cli", "generation", "idle"]
    for result in report["results"].values():
        assert result["rows"] or result["skipped"]
        assert result["title"] in ended.stderr
        for row in result["rows"]:
            _check_row(row)
    assert {row["what"] for row in report["results"]["save"]["rows"]} == {
        "plain write", "atomic rename", "PUT over the socket",
    }  # fmt: skip


def _check_row(row: dict) -> None:
    here = [value for value in row["here"].values() if value is not None]
    assert here == sorted(here), row
    # A processor that is idle for a second may have used no whole tick of it.
    assert here[0] > 0 or row["unit"] == "%", row
    if row["base"] is not None:
        assert row["ratio"] > 0
        assert row["against"]
    assert (row["met"] is None) == (row["budget"] is None)


def _bench(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "bench", *arguments],
        cwd=ROOT, capture_output=True, text=True, timeout=110, check=False,
    )  # fmt: skip


def _units(path: str, text: str) -> list[chunks.Unit]:
    cut = config.Chunking()
    return chunks.units(
        path, text, max_size=cut.max_chunk_size, overlap=cut.overlap, split_on=cut.split_on,
        zone=config.Config().zone,
    )  # fmt: skip
