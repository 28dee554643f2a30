import contextlib
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippod.errors import InvalidInput, ModelTimeout
from hippod.index import Index
from hippod.wire import RecallAnswer
from tests.documents import Notes, ask, open_index
from tests.fakes import FakeEmbedder

RETAIN = """# Daily Log - 2026-03-03

[09:15:00] Met Bo about the boat

## Retain
- W @Ina: Keeps the spare key under the blue pot. (09:20 main/s1#m4) ^k3f9ab27qt
- O(c=0.80) @Bo @Ina: Prefers sailing in the morning. ^9qx4mt83ze
- B @Dana-Whitfield: Repaired the boat engine (2025-11-27 to 2025-12-01). ^p07d2c5hn1
"""
NOTES = {
    "memory/2026-03-03.md": RETAIN,
    "memory/2026-03-09.md": "# Daily Log - 2026-03-09\n\n[18:02:00] Sold the boat to Carla\n",
    "memory/2024-05-01.md": "# Daily Log - 2024-05-01\n\nWalked along the river with a boat\n",
    "context/boat.md": "# Boat\n\n## Engine\n\nThe boat has a diesel engine from 1987.\n",
    "projects/garden.md": "# Garden\n\nTomatoes need water.\n",
    "MEMORY.md": "The boat is called Aurora.\n",
}


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    with contextlib.closing(open_index(tmp_path, Notes(NOTES), EMBEDDER)) as made:
        made.reconcile()
        yield made


EMBEDDER = FakeEmbedder(128)


def paths(answer: RecallAnswer) -> list[str]:
    return sorted({hit.path for hit in answer.hits})


# -- hits ------------------------------------------------------------------------------------


def test_a_hit_cites_its_line_and_carries_the_fact(index: Index) -> None:
    hit = ask(index, "where is the spare key?", EMBEDDER).hits[0]
    assert hit.source == "memory/2026-03-03.md#L6"
    assert (hit.kind, hit.entities, hit.content) == (
        "world",
        ("Ina",),
        "Keeps the spare key under the blue pot.",
    )
    assert hit.timestamp == "2026-03-03T09:20:00+01:00"
    assert hit.bm25_score == 1.0
    assert hit.vector_score is not None
    assert 0 < hit.vector_score <= 1


def test_opinions_and_intervals_are_kept(index: Index) -> None:
    opinion = ask(index, "prefers sailing morning").hits[0]
    assert (opinion.kind, opinion.confidence) == ("opinion", 0.8)
    repair = ask(index, "repaired engine").hits[0]
    assert (repair.valid_from, repair.valid_until) == ("2025-11-27", "2025-12-01")


def test_the_exact_text_of_a_fact_is_first_and_passes_a_threshold(index: Index) -> None:
    text = "Prefers sailing in the morning."
    hits = ask(index, text, EMBEDDER, min_score=0.5).hits
    assert hits[0].content == text
    assert ask(index, "zyxwv qwrtp", EMBEDDER, min_score=0.5).hits == ()


def test_the_limit_and_the_budget_cut_from_the_end(index: Index) -> None:
    all_hits = ask(index, "boat", EMBEDDER).hits
    assert len(all_hits) > 3
    assert ask(index, "boat", EMBEDDER, limit=2).hits == all_hits[:2]
    assert ask(index, "boat", EMBEDDER, budget_tokens=1).hits == all_hits[:1]
    few = ask(index, "boat", EMBEDDER, budget_tokens=40).hits
    assert all_hits[: len(few)] == few
    assert 1 < len(few) < len(all_hits)


def test_more_than_fifty_hits_may_be_asked_for(tmp_path: Path) -> None:
    notes = Notes({f"n/{n}.md": f"Note {n} on wombats\n" for n in range(90)})
    with contextlib.closing(open_index(tmp_path, notes)) as index:
        index.reconcile()
        assert len(ask(index, "wombats", limit=80).hits) == 80


def test_the_same_text_in_many_files_comes_once_and_always_the_same(tmp_path: Path) -> None:
    notes = Notes({f"n/{n:02}.md": "Standup done\n" for n in range(20)} | NOTES)
    with contextlib.closing(open_index(tmp_path, notes, EMBEDDER)) as index:
        index.reconcile()
        expected = ask(index, "standup done", EMBEDDER).hits
        assert [hit.content for hit in expected].count("Standup done") == 1
        different: list[object] = []

        def again() -> None:
            for _ in range(10):
                hits = ask(index, "standup done", EMBEDDER).hits
                different.extend(() if hits == expected else (hits,))

        threads = [threading.Thread(target=again) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert different == []


def test_fusion_and_weights_are_taken_from_the_request(index: Index) -> None:
    z = ask(index, "boat engine morning", EMBEDDER)
    rrf = ask(index, "boat engine morning", EMBEDDER, fusion="rrf")
    words = ask(index, "boat engine morning", EMBEDDER, vector_weight=0.0)
    assert {hit.id for hit in z.hits} == {hit.id for hit in rrf.hits}
    assert [h.score for h in z.hits] != [h.score for h in rrf.hits]
    assert [h.score for h in z.hits] != [h.score for h in words.hits]


# -- legs ------------------------------------------------------------------------------------


def test_modes_switch_legs_off(index: Index) -> None:
    assert ask(index, "boat", EMBEDDER).legs == {"lexical": "ok", "vector": "ok"}
    assert ask(index, "boat", EMBEDDER, mode="lexical").legs == {"lexical": "ok", "vector": "off"}
    assert ask(index, "boat", EMBEDDER, mode="vector").legs == {"lexical": "off", "vector": "ok"}
    assert ask(index, "boat").legs == {"lexical": "ok", "vector": "off"}
    assert not ask(index, "boat").degraded


def test_an_embedder_that_fails_is_named_and_words_still_answer(index: Index) -> None:
    failing = FakeEmbedder(128)
    failing.failure = ModelTimeout("too slow")
    answer = ask(index, "boat", failing)
    assert answer.legs == {"lexical": "ok", "vector": "failed"}
    assert answer.degraded
    assert answer.hits
    assert index.status()["leg_failures"] == {"lexical": 0, "vector": 1}


@pytest.mark.parametrize(
    ("vector", "state"),
    [
        (np.zeros(128, np.float32), "empty"),
        (np.full(128, np.nan, np.float32), "failed"),
        (np.ones(64, np.float32), "failed"),
    ],
)
def test_a_query_vector_that_is_none_leaves_the_words(
    index: Index, monkeypatch: pytest.MonkeyPatch, vector: np.ndarray, state: str
) -> None:
    monkeypatch.setattr(EMBEDDER, "embed_query", lambda _text: vector)
    answer = ask(index, "boat", EMBEDDER)
    assert answer.legs == {"lexical": "ok", "vector": state}
    assert all(hit.vector_score is None for hit in answer.hits)
    assert "NaN" not in json.dumps(answer.model_dump())


def test_a_lexical_leg_that_fails_is_named_and_vectors_still_answer(index: Index) -> None:
    with index._require().writing() as connection:
        connection.execute("DROP TABLE words")
    answer = ask(index, "boat", EMBEDDER)
    assert answer.legs == {"lexical": "failed", "vector": "ok"}
    assert answer.degraded
    assert answer.hits
    assert "words" not in answer.model_dump_json(exclude={"hits"})
    assert index.status()["leg_failures"]["lexical"] == 1


def test_a_miss_is_no_failure(index: Index) -> None:
    answer = ask(index, "zyxwv")
    assert (answer.hits, answer.legs["lexical"], answer.degraded) == ((), "ok", False)


# -- filters ---------------------------------------------------------------------------------


def test_kinds_are_alternatives(index: Index) -> None:
    kinds = {
        h.kind for h in ask(index, "boat sailing key", EMBEDDER, kind=["world", "opinion"]).hits
    }
    assert kinds == {"world", "opinion"}


@pytest.mark.parametrize("name", ["dana whitfield", "@Dana-Whitfield", "DANA-WHITFIELD"])
def test_an_entity_is_found_by_any_spelling(index: Index, name: str) -> None:
    hits = ask(index, "boat", EMBEDDER, entity=[name]).hits
    assert [hit.entities for hit in hits] == [("Dana-Whitfield",)]


def test_entities_are_alternatives(index: Index) -> None:
    hits = ask(index, "anything", EMBEDDER, entity=["Ina", "Dana Whitfield"]).hits
    assert len(hits) == 3


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("context/boat.md", ["context/boat.md"]),
        ("memory/2026-*.md", ["memory/2026-03-03.md", "memory/2026-03-09.md"]),
        ("context/**", ["context/boat.md"]),
        ("context", ["context/boat.md"]),
        ("MEMORY.md", ["MEMORY.md"]),
        ("nowhere/", []),
    ],
)
def test_paths_are_globs(index: Index, pattern: str, expected: list[str]) -> None:
    assert paths(ask(index, "boat", EMBEDDER, path=pattern)) == expected


def test_a_path_with_glob_characters_is_itself(tmp_path: Path) -> None:
    notes = Notes({"a[1] #b.md": "Wombats\n", "a1 #b.md": "Wombats too\n"})
    with contextlib.closing(open_index(tmp_path, notes)) as index:
        index.reconcile()
        assert "a[1] #b.md" in paths(ask(index, "wombats", path="a[1] #b.md"))


def test_time_filters_use_the_day_or_the_interval_of_a_unit(index: Index) -> None:
    recent = ask(index, "boat", EMBEDDER, since="2d")
    assert paths(recent) == ["memory/2026-03-09.md"]
    old = ask(index, "boat", EMBEDDER, until="2024")
    assert paths(old) == ["memory/2024-05-01.md"]
    november = ask(index, "boat", EMBEDDER, since="2025-11", until="2025-11").hits
    assert [hit.content[:8] for hit in november] == ["Repaired"]
    morning = ask(index, "key boat", since="2026-03-03T09:18", until="2026-03-03T09:30").hits
    assert "09:15" not in " ".join(hit.content for hit in morning)
    assert any("spare key" in hit.content for hit in morning)


def test_as_of_hides_what_was_not_yet_or_no_longer(index: Index) -> None:
    then = paths(ask(index, "boat", EMBEDDER, as_of="2024-06-01"))
    assert then == ["MEMORY.md", "context/boat.md", "memory/2024-05-01.md", "projects/garden.md"]
    during = ask(index, "repaired boat engine", as_of="2025-11-28").hits
    assert any(hit.content.startswith("Repaired") for hit in during)
    after = ask(index, "repaired boat engine", as_of="2026-03-10").hits
    assert not any(hit.content.startswith("Repaired") for hit in after)


def test_a_bad_date_is_refused(index: Index) -> None:
    with pytest.raises(InvalidInput, match="since"):
        ask(index, "boat", since="soonish")


# -- scope -----------------------------------------------------------------------------------

PRIVATE = """# Boat

The hull is made of oak. <private>The alarm code is hidden wombat.</private>
"""


def test_a_group_sees_only_its_paths_and_no_private_span(tmp_path: Path) -> None:
    notes = Notes(NOTES | {"context/hull.md": PRIVATE})
    with contextlib.closing(open_index(tmp_path, notes, EMBEDDER)) as index:
        index.reconcile()
        for mode in ("lexical", "vector", "hybrid"):
            seen = ask(index, "boat alarm wombat key", EMBEDDER, scope="group", mode=mode)
            assert set(paths(seen)) <= {"context/boat.md", "context/hull.md", "projects/garden.md"}
            assert not any("wombat" in hit.content for hit in seen.hits)
        assert ask(index, "wombat", scope="group").hits == ()
        assert ask(index, "wombat").hits


def test_a_group_cannot_widen_itself_by_a_path(index: Index) -> None:
    for pattern in ("MEMORY.md", "memory/**", "**"):
        hits = ask(index, "boat", EMBEDDER, scope="group", path=pattern).hits
        assert {hit.path for hit in hits} <= {"context/boat.md", "projects/garden.md"}


WORDS = st.lists(
    st.sampled_from(["boat", "engine", "wombat", "diesel", "tomatoes", "key", "has"]), min_size=1
)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(secrets=st.lists(WORDS, max_size=6), query=WORDS)
def test_what_a_group_may_not_see_changes_nothing_in_its_answers(
    tmp_path_factory: pytest.TempPathFactory, secrets: list[list[str]], query: list[str]
) -> None:
    visible = {
        "context/boat.md": NOTES["context/boat.md"],
        "context/more.md": "# More\n\nThe engine has a key.\n",
        "projects/garden.md": NOTES["projects/garden.md"],
    }
    hidden = {f"memory/{n}.md": " ".join(words) + "\n" for n, words in enumerate(secrets)}
    answers = []
    for texts in (visible, hidden | visible):
        folder = tmp_path_factory.mktemp("index")
        with contextlib.closing(open_index(folder, Notes(texts), EMBEDDER)) as index:
            index.reconcile()
            answers.append(ask(index, " ".join(query), EMBEDDER, scope="group").hits)
    assert answers[0] == answers[1]


def test_alone_a_group_ranks_as_the_owner_does(tmp_path: Path) -> None:
    """Our BM25 over visible units is FTS5's where everything is visible."""
    notes = Notes({f"context/{n}.md": f"Note {n} wombat {'river ' * (n % 5)}\n" for n in range(30)})
    with contextlib.closing(open_index(tmp_path, notes)) as index:
        index.reconcile()
        owner = ask(index, "river note 7", limit=30).hits
        group = ask(index, "river note 7", limit=30, scope="group").hits
        assert [(h.id, h.score) for h in owner] == [(h.id, h.score) for h in group]
        assert [h.bm25_score for h in owner] == [h.bm25_score for h in group]
