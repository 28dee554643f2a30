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
from hippod.query import Where
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


def test_the_limit_cuts_from_the_end(index: Index) -> None:
    all_hits = ask(index, "boat", EMBEDDER).hits
    assert len(all_hits) > 3
    assert ask(index, "boat", EMBEDDER, limit=2).hits == all_hits[:2]


def test_fewer_hits_are_the_first_of_more(tmp_path: Path) -> None:
    """What a leg contributes does not grow with the limit: that would move the first hits."""
    notes = Notes({f"n/{n}.md": f"Note {n} on wombats by @Ina\n" for n in range(90)})
    with contextlib.closing(open_index(tmp_path, notes, EMBEDDER)) as index:
        index.reconcile()
        many = ask(index, "wombats of Ina", EMBEDDER, limit=100).hits
        assert 50 <= len(many) <= 90
        for limit in (1, 5, 20, 60):
            assert ask(index, "wombats of Ina", EMBEDDER, limit=limit).hits == many[:limit]


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


def test_an_embedder_that_fails_is_named_and_words_still_answer(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EMBEDDER, "failure", ModelTimeout("too slow"))
    answer = ask(index, "boat", EMBEDDER)
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


@pytest.mark.parametrize("hidden", [0, 30])
def test_a_group_gets_all_vectors_there_are_while_others_are_still_made(
    tmp_path: Path, hidden: int
) -> None:
    notes = Notes({f"context/{n:02}.md": f"Wombat number {n}\n" for n in range(40)})
    notes |= {f"memory/{n}.md": f"Hidden wombat {n}\n" for n in range(hidden)}
    with contextlib.closing(open_index(tmp_path, notes, EMBEDDER)) as index:
        index.reconcile()
        with index._require().writing() as connection:  # as if only the newest were embedded yet
            connection.execute(
                """UPDATE vectors SET vector = NULL WHERE id NOT IN (SELECT u.vector FROM units u
                   JOIN documents d ON d.id = u.document WHERE d.path >= 'context/32')"""
            )
    with contextlib.closing(open_index(tmp_path, notes, EMBEDDER)) as index:
        group = Where(scope="group", group_paths=("context/**",))
        with index.view() as view:
            found = view.nearest(EMBEDDER.embed_query("wombat"), 50, group)
        assert len(found) == 8


def test_alone_a_group_ranks_as_the_owner_does(tmp_path: Path) -> None:
    """Our BM25 over visible units is FTS5's where everything is visible."""
    notes = Notes({f"context/{n}.md": f"Note {n} wombat {'river ' * (n % 5)}\n" for n in range(30)})
    with contextlib.closing(open_index(tmp_path, notes)) as index:
        index.reconcile()
        owner = ask(index, "river note 7", limit=30).hits
        group = ask(index, "river note 7", limit=30, scope="group").hits
        assert [(h.id, h.score) for h in owner] == [(h.id, h.score) for h in group]
        assert [h.bm25_score for h in owner] == [h.bm25_score for h in group]


# -- what a question asks for ----------------------------------------------------------------

PEOPLE = {
    "bank/entities/Peter-Doe.md": f"""---
entity: Peter-Doe
aliases: [Pete, Peterle]
---
<!-- hippod:summary sha256:{"0" * 64} -->
Peter Doe is a luthier. [[2025-03-01#^aaaa2222bb]]
<!-- /hippod:summary -->
""",
    "memory/2025-03-01.md": """# Daily Log - 2025-03-01

## Retain
- W @Peter-Doe: Lives in Vienna near the opera. ^aaaa2222bb
- O(c=0.90) @Pete: Prefers oolong to coffee. ^cccc3333dd
- W @Ina: Lives in Lisbon near the river. ^hhhh7777jj
""",
    "memory/2026-01-05.md": """# Daily Log - 2026-01-05

[08:00:00] The move to Graz is done

## Retain
- W @Pete: Lives in Graz now. ^eeee4444ff
""",
    "memory/2026-02-10.md": "# Daily Log - 2026-02-10\n\nBought a bookshelf and a lamp.\n",
    "memory/2025-06-10.md": "# Daily Log - 2025-06-10\n\nBought a bookshelf and a chair.\n",
    "bank/world.md": """# World

- ~~2025-03-01 @Peter-Doe: Lives in Vienna near the opera.~~ [[2025-03-01#^aaaa2222bb]]"""
    """ superseded by [[2026-01-05#^eeee4444ff]]
""",
    "context/tea.md": "# Tea\n\nPeter is a name, and coffee is a drink that people prefer.\n",
}


@pytest.fixture
def people(tmp_path: Path) -> Iterator[Index]:
    with contextlib.closing(open_index(tmp_path, Notes(PEOPLE), EMBEDDER)) as made:
        made.reconcile()
        yield made


def contents(answer: RecallAnswer) -> list[str]:
    return [hit.content.strip() for hit in answer.hits]


@pytest.mark.parametrize(
    "query", ["tell me about Pete", "who is Peter Doe?", "Peterle", "was weißt du über Pete"]
)
def test_a_question_about_somebody_begins_with_their_page(people: Index, query: str) -> None:
    answer = ask(people, query, EMBEDDER)
    assert "luthier" in answer.hits[0].content
    facts = [hit for hit in answer.hits if hit.kind != "document"]
    mine = [hit.entities[0] != "Ina" for hit in facts]
    assert mine == sorted(mine, reverse=True)
    assert sum(mine) == 3
    assert not answer.weak


def test_an_alias_finds_what_is_said_under_the_other_name(people: Index) -> None:
    hits = ask(people, "what does Peterle prefer", EMBEDDER).hits
    assert (hits[0].kind, hits[0].entities) == ("opinion", ("Pete",))


def test_a_fact_of_the_time_asked_for_may_stand_before_what_replaced_it_later(
    people: Index,
) -> None:
    answer = contents(ask(people, "what happened in March 2025", EMBEDDER))
    assert answer.index("Lives in Vienna near the opera.") < answer.index("Lives in Graz now.")


def test_of_two_facts_the_one_that_replaced_the_other_is_first_now(people: Index) -> None:
    answer = contents(ask(people, "does Peter Doe live in Vienna near the opera", EMBEDDER))
    assert answer.index("Lives in Graz now.") < answer.index("Lives in Vienna near the opera.")
    hits = ask(people, "does Peter Doe live in Vienna near the opera", EMBEDDER).hits
    old = next(hit for hit in hits if "opera" in hit.content and hit.kind == "world")
    assert old.superseded_by == "eeee4444ff"
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_and_the_one_that_held_is_first_when_the_question_is_about_then(people: Index) -> None:
    for query in ("where did Pete live in Nov 2025", "where was Peter Doe living in 2025"):
        facts = [hit.content for hit in ask(people, query, EMBEDDER).hits if hit.kind == "world"]
        assert facts[0] == "Lives in Vienna near the opera."
    explained = ask(people, "where did Pete live in Nov 2025", EMBEDDER, explain=True)
    assert explained.understood is not None
    assert explained.understood.state_at == "2025-11-30"
    assert explained.understood.as_of is None


def test_a_time_lifts_and_never_filters(people: Index) -> None:
    plain = ask(people, "bookshelf", EMBEDDER).hits
    assert [hit.path for hit in plain[:2]] == ["memory/2026-02-10.md", "memory/2025-06-10.md"]
    timed = ask(people, "bookshelf in June 2025", EMBEDDER).hits
    assert timed[0].path == "memory/2025-06-10.md"
    assert "memory/2026-02-10.md" in {hit.path for hit in timed}


def test_an_event_stands_for_its_day(people: Index) -> None:
    answer = ask(people, "which bookshelf since the move", EMBEDDER, explain=True)
    assert answer.understood is not None
    event = answer.understood.event
    assert event is not None
    assert (event.bound, event.day) == ("since", "2026-01-05")
    assert (event.source or "").startswith("memory/2026-01-05.md#L")
    lifted = {
        hit.path for hit in answer.hits if hit.explanation and "event" in hit.explanation.boosts
    }
    assert "memory/2026-02-10.md" in lifted
    assert "memory/2025-06-10.md" not in lifted


def test_an_event_is_what_was_lived_through_not_what_has_its_word(tmp_path: Path) -> None:
    notes = PEOPLE | {
        "memory/2025-09-01.md": "# Daily Log - 2025-09-01\n\n## Retain\n- W @Ina: The move.\n",
        "memory/2026-01-04.md": (
            "# Daily Log - 2026-01-04\n\n## Retain\n- B: Moved to Graz with two cats.\n"
        ),
    }
    with contextlib.closing(open_index(tmp_path, Notes(notes), EMBEDDER)) as index:
        index.reconcile()
        understood = ask(index, "what is new since the move", EMBEDDER, explain=True).understood
    assert understood is not None
    assert understood.event is not None
    assert understood.event.day == "2026-01-04"


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("what happened on 10 February", "memory/2026-02-10.md"),
        ("what happened 9 months ago", "memory/2025-06-10.md"),
        ("was war am 10.6.2025 los?", "memory/2025-06-10.md"),
        ("2025年6月10日何をした", "memory/2025-06-10.md"),
    ],
)
def test_what_happened_then_begins_with_what_is_of_then(
    tmp_path: Path, query: str, path: str
) -> None:
    """None of its words is there; ever so many units that are nearer are of other days."""
    others = {f"n/{n}.md": f"What happened on day {n} 何をした\n" for n in range(120)}
    with contextlib.closing(open_index(tmp_path, Notes(PEOPLE | others), EMBEDDER)) as index:
        index.reconcile()
        answer = ask(index, query, EMBEDDER)
    assert answer.hits[0].path == path
    assert not answer.weak


def test_two_people_of_one_name_both_answer_to_it(tmp_path: Path) -> None:
    other = "---\nentity: Peter-Roe\naliases: [Pete]\n---\n# Peter Roe\n\nRuns the ferry.\n"
    notes = PEOPLE | {
        "bank/entities/Peter-Roe.md": other,
        "memory/2025-08-01.md": "## Retain\n- W @Peter-Roe: Lives in Linz.\n",
    }
    with contextlib.closing(open_index(tmp_path, Notes(notes), EMBEDDER)) as index:
        index.reconcile()
        both = ask(index, "where does Pete live", EMBEDDER, explain=True)
        one = ask(index, "where does Peter Roe live", EMBEDDER, explain=True)
        filtered = ask(index, "lives", EMBEDDER, entity=["Pete"], kind=["world"])
    assert both.understood is not None
    assert {"peter doe", "peter roe"} <= set(both.understood.entities["pete"])
    assert {"Lives in Linz.", "Lives in Graz now."} <= {hit.content for hit in filtered.hits}
    assert one.understood is not None
    assert list(one.understood.entities) == ["peter roe"]


def test_a_month_in_a_question_is_nobodys_name(tmp_path: Path) -> None:
    notes = PEOPLE | {"memory/2025-05-02.md": "## Retain\n- B @May: Sailed to Capri.\n"}
    with contextlib.closing(open_index(tmp_path, Notes(notes), EMBEDDER)) as index:
        index.reconcile()
        month = ask(index, "who sailed in May 2025", EMBEDDER, explain=True).understood
        woman = ask(index, "what did May sail", EMBEDDER, explain=True).understood
    assert month is not None
    assert woman is not None
    assert (month.entities, list(woman.entities)) == ({}, ["may"])


def test_the_opinions_of_who_is_asked_come_before_others_and_before_their_page(
    tmp_path: Path,
) -> None:
    notes = PEOPLE | {"memory/2025-04-01.md": "## Retain\n- O @Ina: Likes rain.\n"}
    with contextlib.closing(open_index(tmp_path, Notes(notes), EMBEDDER)) as index:
        index.reconcile()
        answer = ask(index, "what does Pete like", EMBEDDER)
    assert contents(answer)[0] == "Prefers oolong to coffee."


def test_only_an_explained_answer_explains(people: Index) -> None:
    query = "what does Pete prefer"
    plain = ask(people, query, EMBEDDER)
    assert plain.understood is None
    assert {hit.explanation for hit in plain.hits} == {None}
    explained = ask(people, query, EMBEDDER, explain=True)
    assert [hit.id for hit in explained.hits] == [hit.id for hit in plain.hits]
    assert explained.understood is not None
    assert explained.understood.entities["pete"] == ("peter doe", "pete", "peterle")
    assert explained.understood.asks_opinion
    assert explained.understood.terms == ("pete", "prefer")
    assert explained.understood.dropped_terms == ("what", "does")
    why = explained.hits[0].explanation
    assert why is not None
    assert why.boosts.keys() == {"entity", "opinion"}
    assert why.lexical_rank == 1
    assert "an opinion" in why.text


def test_reciprocal_ranks_take_their_constant_from_the_request(people: Index) -> None:
    query = "coffee opera river lamp"
    scores = [
        [hit.score for hit in ask(people, query, EMBEDDER, fusion="rrf", rrf_k=k).hits]
        for k in (1, 60)
    ]
    assert scores[0] != scores[1]


def test_an_answer_without_evidence_says_so(people: Index) -> None:
    assert ask(people, "bookshelf", EMBEDDER).weak is False
    assert ask(people, "zyxwv", EMBEDDER, mode="lexical").weak is False, "no hits at all"
    answer = ask(people, "lamp quux zyzzy frobnicate grault xyzzy plugh", EMBEDDER, mode="lexical")
    assert answer.hits
    assert answer.weak


def test_a_group_learns_no_name_and_no_event(people: Index) -> None:
    answer = ask(
        people, "what does Pete prefer since the move", EMBEDDER, scope="group", explain=True
    )
    assert answer.understood is not None
    assert answer.understood.entities == {}
    assert answer.understood.event is not None
    assert answer.understood.event.day is None
    assert {hit.path for hit in answer.hits} <= {"context/tea.md"}
