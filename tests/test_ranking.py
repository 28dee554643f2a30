import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.ranking import Candidate, Weights, rank


def candidate(number: int, **values: object) -> Candidate:
    fields = {"unit": number, "id": f"{number:04}", "path": f"{number}.md", "same": number}
    return Candidate(**{**fields, **values})  # type: ignore[arg-type]


def ids(ranked: list[tuple[Candidate, float]]) -> list[int]:
    return [found.unit for found, _ in ranked]


FLOATS = st.floats(-50, 50)
CANDIDATES = st.lists(
    st.builds(
        candidate,
        st.integers(0, 500),
        path=st.sampled_from(["a.md", "b.md", "c.md"]),
        timestamp=st.none() | st.sampled_from(["2025-01-01", "2026-01-01T10:00:00+01:00"]),
        bm25=st.none() | st.floats(0, 40),
        cosine=st.none() | st.floats(-1, 1),
        lexical_rank=st.none() | st.integers(0, 49),
        vector_rank=st.none() | st.integers(0, 49),
        bm25_score=st.none() | st.floats(0, 1),
    ),
    unique_by=lambda c: c.unit,
    max_size=30,
)
WEIGHTS = st.builds(Weights, fusion=st.sampled_from(["zscore", "rrf"]), bm25=st.floats(0, 1))


@settings(max_examples=100, deadline=None)
@given(CANDIDATES, WEIGHTS, st.randoms(use_true_random=False))
def test_scores_are_finite_ordered_and_independent_of_the_input_order(
    candidates: list[Candidate], weights: Weights, chance: random.Random
) -> None:
    ranked = rank(candidates, weights)
    assert len(ranked) == len(candidates)
    assert all(0 <= score <= 1 and math.isfinite(score) for _, score in ranked)
    scores = [round(score, 9) for _, score in ranked]
    assert scores == sorted(scores, reverse=True)
    shuffled = candidates.copy()
    chance.shuffle(shuffled)
    assert ids(rank(shuffled, weights)) == ids(ranked)


def test_a_unit_that_both_legs_like_is_first() -> None:
    both = candidate(1, bm25=4.0, cosine=0.8)
    words = candidate(2, bm25=4.5, cosine=0.1)
    vectors = candidate(3, cosine=0.85)
    neither = candidate(4, cosine=0.1, bm25=0.2)
    assert ids(rank([neither, words, vectors, both], Weights()))[0] == 1
    assert ids(rank([neither, words, vectors, both], Weights()))[-1] == 4


def test_a_leg_without_weight_decides_nothing() -> None:
    words, vectors = candidate(1, bm25=9.0, cosine=0.1), candidate(2, bm25=1.0, cosine=0.9)
    assert ids(rank([words, vectors], Weights(vector=0.0))) == [1, 2]
    assert ids(rank([words, vectors], Weights(bm25=0.0))) == [2, 1]


def test_reciprocal_ranks_are_added_up() -> None:
    first = candidate(1, lexical_rank=0)
    both = candidate(2, lexical_rank=1, vector_rank=1)
    last = candidate(3, vector_rank=49)
    ranked = rank([first, both, last], Weights("rrf", bm25=0.5, vector=0.5, file_prior=0.0))
    assert ids(ranked) == [2, 1, 3]
    raw = [0.5 / 62 + 0.5 / 62, 0.5 / 61, 0.5 / 110]
    assert ranked[1][1] == pytest.approx((raw[1] - raw[2]) / (raw[0] - raw[2]))


def test_a_unit_gains_by_a_better_one_of_its_file() -> None:
    best = candidate(1, bm25=8.0, path="good.md")
    second = candidate(2, bm25=5.0, path="good.md")
    alone = candidate(3, bm25=5.2)
    worst = candidate(4, bm25=1.0)
    found = [best, second, alone, worst]
    crowd = [candidate(n, bm25=8.0, path=f"{n}.md") for n in range(10, 15)]
    assert ids(rank([*found, *crowd], Weights(file_prior=0.0)))[-3:] == [3, 2, 4]
    assert ids(rank([*found, *crowd], Weights(file_prior=0.3)))[-3:] == [2, 3, 4]


def many(*scores: tuple[str, float]) -> list[Candidate]:
    return [candidate(n, path=path, bm25=bm25) for n, (path, bm25) in enumerate(scores)]


def test_the_first_hits_are_of_several_files_if_these_are_nearly_as_good() -> None:
    near = many(("a", 10), ("a", 9.9), ("a", 9.8), ("b", 9.5), ("c", 9.4), ("d", 1), ("e", 0))
    assert ids(rank(near, Weights(file_prior=0.0))) == [0, 3, 4, 1, 2, 5, 6]
    far = many(("a", 10), ("a", 9.9), ("a", 9.8), ("b", 5), ("c", 4), ("d", 1), ("e", 0))
    assert ids(rank(far, Weights(file_prior=0.0))) == [0, 1, 2, 3, 4, 5, 6]


def test_beyond_the_first_five_files_do_not_count() -> None:
    five = [(name, 10.0) for name in "abcde"]
    rest = many(*five, ("a", 9.9), ("a", 9.8), ("f", 9.7), ("z", 0))
    assert ids(rank(rest, Weights(file_prior=0.0))) == [0, 1, 2, 3, 4, 5, 6, 7, 8]


def test_a_unit_that_went_ahead_has_the_score_of_the_one_behind_it() -> None:
    ranked = rank(many(("a", 10), ("a", 9), ("b", 8.5), ("c", 0)), Weights(file_prior=0.0))
    assert ids(ranked) == [0, 2, 1, 3]
    assert ranked[1][1] == ranked[2][1] == pytest.approx(0.9)


def test_equal_content_comes_once_with_its_best_unit() -> None:
    copies = [candidate(n, bm25=float(n), same=7) for n in range(1, 5)]
    other = candidate(9, bm25=0.5)
    assert ids(rank([*copies, other], Weights())) == [4, 9]


def test_ties_go_to_the_better_rank_then_the_newer_then_the_id() -> None:
    tied = [
        candidate(1, bm25=1.0, timestamp="2026-01-01", lexical_rank=3),
        candidate(2, bm25=1.0, timestamp="2026-02-01", lexical_rank=3),
        candidate(3, bm25=1.0, timestamp="2026-02-01", lexical_rank=3),
        candidate(4, bm25=1.0, timestamp=None, lexical_rank=3),
        candidate(5, bm25=1.0, timestamp="2020-01-01", lexical_rank=1),
    ]
    assert ids(rank(tied, Weights())) == [5, 2, 3, 1, 4]


def test_min_score_looks_at_evidence_not_at_the_fused_score() -> None:
    words = candidate(1, bm25=9.0, bm25_score=1.0, cosine=0.1)
    near = candidate(2, cosine=0.7)
    noise = candidate(3, bm25=0.1, bm25_score=0.1, cosine=0.2)
    ranked = rank([words, near, noise], Weights(), min_score=0.5)
    assert sorted(ids(ranked)) == [1, 2]
    assert rank([noise], Weights(), min_score=0.5) == []
    assert ids(rank([noise], Weights())) == [3]


def test_a_negative_cosine_is_no_evidence() -> None:
    assert candidate(1, cosine=-0.4).vector_score == 0.0
    assert candidate(1, cosine=1.0000001).vector_score == 1.0
    assert candidate(1).vector_score is None


def test_nothing_ranks_to_nothing() -> None:
    assert rank([], Weights()) == []


def test_candidates_without_any_evidence_still_rank() -> None:
    bare = [candidate(n)._replace(timestamp=None) for n in range(3)]
    assert ids(rank(bare, Weights())) == [0, 1, 2]
