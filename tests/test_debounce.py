from hypothesis import given
from hypothesis import strategies as st

from hippod.debounce import Debouncer


def test_due_after_quiet() -> None:
    waiting: Debouncer[str] = Debouncer(quiet=2, longest_wait=10)
    waiting.touch("a", 0)
    waiting.touch("a", 1)
    assert waiting.take(2.9) == []
    assert waiting.next_due() == 3
    assert waiting.take(3) == ["a"]
    assert waiting.take(100) == []
    assert waiting.next_due() is None


def test_continuous_touches_are_due_after_the_longest_wait() -> None:
    waiting: Debouncer[str] = Debouncer(quiet=2, longest_wait=5)
    for now in range(5):
        waiting.touch("a", now)
        assert waiting.take(now) == []
    waiting.touch("a", 5)
    assert waiting.take(5) == ["a"]


def test_at_once_needs_no_quiet_and_is_not_put_off_by_later_touches() -> None:
    waiting: Debouncer[str] = Debouncer(quiet=60, longest_wait=600)
    waiting.touch("a", 0)
    waiting.touch("a", 1, at_once=True)
    waiting.touch("a", 1)
    assert waiting.take(1) == ["a"]


def test_longest_due_comes_first() -> None:
    waiting: Debouncer[str] = Debouncer(quiet=1, longest_wait=5)
    for key, now in (("late", 3.0), ("early", 1.0), ("middle", 2.0)):
        waiting.touch(key, now)
    assert waiting.take(9) == ["early", "middle", "late"]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 5)), max_size=40))
def test_every_touched_key_comes_out_once_and_in_time(steps: list[tuple[str, float]]) -> None:
    waiting: Debouncer[str] = Debouncer(quiet=3, longest_wait=7)
    now, first = 0.0, dict[str, float]()
    for key, gap in steps:
        for due in waiting.take(now):
            assert now - first.pop(due) <= 7 + 5  # no later than one look after the limit
        now += gap
        for due in waiting.take(now):
            first.pop(due)
        first.setdefault(key, now)
        waiting.touch(key, now)
    assert sorted(waiting.take(now + 3)) == sorted(first)
    assert len(waiting) == 0
