import contextlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippod import tokens
from hippod.index import Index
from hippod.index import lexicon as module
from hippod.query import Where
from tests.documents import Notes, open_index

WORDS = ["wombat", "wombats", "river", "running", "runs", "a-b", "größe", "水道", "水", "zebra"]
EVERYWHERE = Where()
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
CHANGES = st.lists(
    st.dictionaries(st.integers(0, 9), st.one_of(st.none(), TEXTS), min_size=1, max_size=6),
    min_size=1,
    max_size=4,
)


def fts5(index: Index, terms: list[str]) -> dict[int, float]:
    """What FTS5 itself says, row by row."""
    with index._require().reading() as connection:
        rows = connection.execute(
            "SELECT rowid, -rank FROM words WHERE words MATCH ?", (tokens.match_expression(terms),)
        )
        return dict(rows.fetchall())


def found(index: Index, terms: list[str], limit: int = 1000) -> list[tuple[int, float]]:
    with index.view() as view:
        return view._words.rank(terms).best(limit)


def change(notes: Notes, texts: dict[int, str | None]) -> list[str]:
    for number, text in texts.items():
        if text is None:
            notes.pop(f"{number}.md", None)
        else:
            notes[f"{number}.md"] = f"{text}\n"
    return [f"{number}.md" for number in texts]


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(CHANGES, st.lists(st.sampled_from(WORDS), min_size=1, max_size=4))
def test_scores_are_those_of_fts5_whatever_changed_since_the_last_question(
    tmp_path_factory: pytest.TempPathFactory, changes: list[dict[int, str | None]], query: list[str]
) -> None:
    notes = Notes()
    terms = tokens.terms(" ".join(query))
    with contextlib.closing(open_index(tmp_path_factory.mktemp("index"), notes)) as index:
        for texts in changes:
            index.update(change(notes, texts))
            expected = fts5(index, terms)
            scores = dict(found(index, terms))
            assert scores.keys() == expected.keys()
            np.testing.assert_allclose(
                [scores[unit] for unit in expected], list(expected.values()), rtol=1e-4, atol=1e-5
            )


def test_equal_scores_come_in_the_order_of_the_units_and_a_shorter_list_is_its_beginning(
    tmp_path: Path,
) -> None:
    notes = Notes({f"{n:03}.md": f"A river {'bank ' * (n % 3)}{n}\n" for n in range(90)})
    with contextlib.closing(open_index(tmp_path, notes)) as index:
        index.reconcile()
        whole = found(index, ["river", "bank"])
        assert len(whole) == 90
        assert whole == sorted(whole, key=lambda each: (-each[1], each[0]))
        for limit in (1, 7, 30, 89):
            assert found(index, ["river", "bank"], limit) == whole[:limit]


def test_a_word_is_read_once_and_then_only_what_came_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = Notes({f"{n}.md": f"The river {n}\n" for n in range(30)})
    with contextlib.closing(open_index(tmp_path, notes)) as index:
        index.reconcile()
        found(index, ["river"])
        asked: list[int] = []
        matches = module.Words._matches
        monkeypatch.setattr(module.Words, "_all_of", lambda *_: pytest.fail("read again"))

        def noted(self: module.Words, term: str, after: int) -> object:
            asked.append(after)
            return matches(self, term, after)

        monkeypatch.setattr(module.Words, "_matches", noted)
        found(index, ["river"])
        assert asked == []
        notes["new.md"] = "One more river\n"
        index.update(["new.md"])
        assert len(found(index, ["river"])) == 31
        assert asked == [30]


def test_of_very_common_words_the_rarest_count_and_one_always_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = Notes({f"{n}.md": "common\n" for n in range(20)} | {"r.md": "rare\n", "b.md": "both\n"})
    monkeypatch.setattr(module, "_MOST_SCORED", 10)
    with contextlib.closing(open_index(tmp_path, notes)) as index:
        index.reconcile()
        with index.view() as view:
            paths = {brief.path for brief in view.briefs(range(1, 30))}
            hits = view.lexical(["common", "rare", "both"], 50, EVERYWHERE)
            assert {view.fetch([hit.unit])[hit.unit].path for hit in hits} == {"r.md", "b.md"}
            assert len(paths) == 22
            assert view.lexical(["common"], 50, EVERYWHERE)
            assert len(view.lexical(["nowhere", "common"], 50, EVERYWHERE)) == 1


def test_memory_for_words_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_KEPT", 1_000)
    notes = Notes({f"{n}.md": f"word{n} everywhere\n" for n in range(40)})
    with contextlib.closing(open_index(tmp_path, notes)) as index:
        index.reconcile()
        for _ in range(2):
            for n in range(40):
                assert len(found(index, [f"word{n}", "everywhere"])) == 40
        assert index._lexicon._size <= 1_000
        assert len(index._lexicon._postings) < 10


def test_many_deletions_start_the_words_afresh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_GONE_LEAST", 10)
    notes = Notes({"a.md": "A river 0\n", "b.md": "A lake\n"})
    with contextlib.closing(open_index(tmp_path, notes)) as index:
        index.reconcile()
        for n in range(40):
            notes["a.md"] = f"A river {n}\n"
            index.update(["a.md"])
            assert len(found(index, ["river"])) == 1
            assert dict(found(index, ["lake"])).keys() == fts5(index, ["lake"]).keys()
        assert len(index._lexicon._rows.ids) < 30


def test_a_reader_that_began_earlier_does_not_see_what_came_later(tmp_path: Path) -> None:
    notes = Notes({"a.md": "A river\n"})
    with contextlib.closing(open_index(tmp_path, notes)) as index:
        index.reconcile()
        with index.view() as early:
            early.epoch()  # the snapshot begins at the first question
            notes["b.md"] = "Another river\n"
            index.update(["b.md"])
            with index.view() as late:
                assert len(late.lexical(["river"], 10, EVERYWHERE)) == 2
            assert len(early.lexical(["river"], 10, EVERYWHERE)) == 1
        with index.view() as after:
            assert len(after.lexical(["river"], 10, EVERYWHERE)) == 2


def test_a_reader_may_meet_words_that_were_kept_by_one_that_sees_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = Notes({f"{n}.md": f"A river {n}\n" for n in range(5)})
    read_rows = module.Words._read_rows

    def overtaken(self: module.Words) -> object:
        rows = read_rows(self)
        monkeypatch.setattr(module.Words, "_read_rows", read_rows)
        notes["later.md"] = "Another river\n"
        index.update(["later.md"])
        assert len(found(index, ["river"])) == 6
        return rows

    with contextlib.closing(open_index(tmp_path, notes)) as index:
        index.reconcile()
        for question in ("lexical", "common"):
            notes.pop("later.md", None)
            index.update(["later.md"])
            with index.view() as early:
                early.epoch()
                monkeypatch.setattr(module.Words, "_read_rows", overtaken)
                if question == "lexical":
                    assert len(early.lexical(["river"], 10, EVERYWHERE)) == 5
                else:
                    monkeypatch.setattr(module, "_FEW", 1)
                    assert early.common(["river"], EVERYWHERE) == {"river"}
        assert len(found(index, ["river"])) == 6  # what is kept was not cut for all


def test_a_filter_finds_what_ranks_far_down(tmp_path: Path) -> None:
    notes = Notes({f"n/{n}.md": f"river {n}\n" for n in range(400)})
    notes["far/z.md"] = f"{'many other words here ' * 20}river\n"
    with contextlib.closing(open_index(tmp_path, notes)) as index:
        index.reconcile()
        with index.view() as view:
            hits = view.lexical(["river"], 3, Where(path="far/*"))
            assert [view.fetch([hit.unit])[hit.unit].path for hit in hits] == ["far/z.md"]


def test_equal_contents_come_once_however_many_there_are(tmp_path: Path) -> None:
    notes = Notes({f"n/{n}.md": "standup done\n" for n in range(500)})
    notes["other.md"] = "standup was long today and nothing was done at all\n"
    with contextlib.closing(open_index(tmp_path, notes)) as index:
        index.reconcile()
        with index.view() as view:
            assert len(view.lexical(["standup", "done"], 2, EVERYWHERE)) == 2
