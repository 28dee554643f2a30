from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.boosts import Aims, Traits, boosts, in_succession

PETER = frozenset({"peter", "pete"})


def test_nothing_is_lifted_that_was_not_asked_for() -> None:
    unit = Traits("opinion", PETER, is_summary=True)
    assert boosts(Aims(), unit) == {}
    assert boosts(Aims(entities=PETER, opinion=True), Traits("document")) == {}


def test_each_reason_is_named() -> None:
    everything = Traits("opinion", PETER, in_time=True, near_event=True, held=True)
    found = boosts(Aims(entities=PETER, opinion=True), everything)
    assert set(found) == {"entity", "opinion", "event", "held"}
    assert set(boosts(Aims(), Traits("world", in_time=True))) == {"time"}


def test_what_held_then_is_no_better_for_being_written_down_then() -> None:
    said_then, said_before = Traits("world", in_time=True, held=True), Traits("world", held=True)
    assert boosts(Aims(), said_then) == boosts(Aims(), said_before)


def test_only_the_page_of_a_subject_is_lifted_above_everything() -> None:
    summary = Traits("document", PETER, is_summary=True)
    assert "summary" in boosts(Aims(PETER, PETER), summary)
    assert "summary" not in boosts(Aims(PETER), summary)
    others = Traits("opinion", PETER, in_time=True, near_event=True, held=True)
    best_of_others = 1 + sum(boosts(Aims(PETER, PETER, opinion=True), others).values())
    worst_of_pages = sum(boosts(Aims(PETER, PETER, opinion=True), summary).values())
    assert worst_of_pages > best_of_others
    assert sum(boosts(Aims(PETER, opinion=True), others).values()) < 1


def test_what_replaced_another_comes_before_it() -> None:
    assert in_succession([1, 2, 3, 4], {2: [4]}) == [1, 4, 2, 3]
    assert in_succession([1, 2, 3], {1: [2], 2: [3]}) == [3, 2, 1]
    assert in_succession([1, 2, 3], {3: [1]}) == [1, 2, 3]
    assert in_succession([1, 2], {1: [9]}) == [1, 2]


@settings(max_examples=200, deadline=None)
@given(
    st.permutations(range(6)),
    st.dictionaries(st.integers(0, 6), st.lists(st.integers(0, 6), max_size=3), max_size=6),
)
def test_no_unit_is_lost_and_what_can_be_kept_is_kept(
    order: list[int], before: dict[int, list[int]]
) -> None:
    found = in_succession(order, before)
    assert sorted(found) == sorted(order)
    up = {each: [b for b in ahead if b < each] for each, ahead in before.items()}  # no rings
    placed = in_succession(order, up)
    for unit, ahead in up.items():
        for other in ahead:
            if unit in placed and other in placed:
                assert placed.index(other) < placed.index(unit)
