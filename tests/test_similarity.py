"""Opinions said in other words, found by the vectors that the index has."""

import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

from hippod import config, pages
from hippod.factbook import Factbook
from hippod.index import Index
from hippod.models import Embedder
from hippod.models.wordllama import WordLlamaEmbedder
from hippod.reflection import entities, ledger, verdicts
from hippod.reflection.verdicts import Verdict
from hippod.remembered import Remembered
from hippod.similarity import similar
from tests.reflecting import Home

FERRY = "aaaa111111"
CYCLING = "bbbb222222"
BIKE = "cccc333333"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path / "w")
    home.log(
        "2026-03-02",
        f"O @Ines: Loves cycling to the office. ^{CYCLING}",
        f"O @Ines: Distrusts the ferry in winter. ^{FERRY}",
    )
    home.reflect()
    home.log("2026-03-05", f"O @Ines: Enjoys riding her bike to work. ^{BIKE}")
    yield home
    home.state.close()


def indexed(home: Home, embedder: Embedder | None) -> Index:
    index = Index(
        home.root / ".memory",
        Remembered(home.workspace),
        embedder,
        chunking=config.Chunking(),
        zone=home.config.zone,
    )
    index.reconcile()
    return index


def looked_at(home: Home, near: ledger.Near | None) -> list[str]:
    """Return the statements that the last fact is held against."""
    book = Factbook(home.workspace).read()
    found: list[str] = []

    def judge(statement: str, text: str) -> Verdict:
        found.append(statement)
        return verdicts.judge(statement, text)

    new = [fact for fact in book.evidence if fact.id == BIKE]
    text = home.read(pages.OPINIONS)
    ledger.update(text, new, entities.resolve(book.evidence, []), judge, near, home.now.date())
    return found


def test_an_opinion_in_other_words_is_a_candidate(home: Home) -> None:
    index = indexed(home, WordLlamaEmbedder())
    near = functools.partial(similar, index)
    assert near(BIKE, [CYCLING])[CYCLING] > near(BIKE, [FERRY])[FERRY] + 0.05
    assert looked_at(home, near) == ["Loves cycling to the office."]
    assert looked_at(home, None) == []
    index.close()


def test_without_vectors_words_are_all_there_is(home: Home) -> None:
    index = indexed(home, None)
    assert similar(index, BIKE, [CYCLING, FERRY]) == {}
    assert looked_at(home, functools.partial(similar, index)) == []
    index.close()


def test_ids_without_a_vector_are_left_out(home: Home) -> None:
    index = indexed(home, WordLlamaEmbedder())
    assert similar(index, "zzzz999999", [CYCLING]) == {}
    assert set(similar(index, BIKE, [CYCLING, "zzzz999999"])) == {CYCLING}
    index.close()


def test_an_index_that_cannot_answer_says_nothing(home: Home) -> None:
    index = indexed(home, WordLlamaEmbedder())
    index.close()
    assert similar(index, BIKE, [CYCLING]) == {}
