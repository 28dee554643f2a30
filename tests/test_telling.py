"""When something is told, and when it is not: on verdicts and clocks of every kind."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippod.checklist.grounds import Ground
from hippod.checklist.telling import (
    PUNCTUAL,
    Kept,
    Manner,
    decide,
    dump,
    load,
    reply,
    words,
)
from hippod.checklist.verdict import State, Verdict

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
LOUD = Manner(cool_down=6 * HOUR, remind_after=24 * HOUR)
HUSHED = replace(LOUD, quiet=True)
LEAK = Verdict("attention", "The boat leaks.", ("memory/2026-05-01.md#L4",), "leak")
FIRE = Verdict("attention", "The stove is on.", (), "stove")
FINE = Verdict("fine", "")
UNKNOWN = Verdict("not judged", "nobody knows")


def told(*steps: tuple[Verdict, float], manner: Manner = LOUD) -> list[str]:
    """Return how each finding, so many hours after noon, is told."""
    kept, tells = Kept(), list[str]()
    for verdict, hours in steps:
        tell, kept = decide(verdict, "e", kept, manner, NOON + hours * HOUR)
        tells.append(tell)
    return tells


def test_news_is_told_at_once_and_once() -> None:
    assert told((LEAK, 0), (LEAK, 1), (LEAK, 7)) == ["now", "nothing", "nothing"]


def test_what_stays_as_it_is_comes_again_as_a_reminder() -> None:
    assert told((LEAK, 0), (LEAK, 23), (LEAK, 24), (LEAK, 25)) == [
        "now", "nothing", "now", "nothing",
    ]  # fmt: skip


def test_no_reminder_where_none_is_wanted() -> None:
    never = replace(LOUD, remind_after=timedelta())
    assert told((LEAK, 0), (LEAK, 24), (LEAK, 2400), manner=never) == ["now", "nothing", "nothing"]


def test_other_news_waits_for_the_end_of_the_pause() -> None:
    assert told((LEAK, 0), (FIRE, 1), (FIRE, 6)) == ["now", "nothing", "now"]


def test_a_beat_that_comes_a_little_early_is_in_time() -> None:
    almost = (6 * HOUR - PUNCTUAL) / HOUR
    assert told((LEAK, 0), (FIRE, almost)) == ["now", "now"]
    assert told((LEAK, 0), (FIRE, almost - 0.01)) == ["now", "nothing"]


@pytest.mark.parametrize("pause", [timedelta(minutes=1), timedelta(minutes=5), HOUR])
def test_reminders_keep_the_pause_too_however_short(pause: timedelta) -> None:
    often = Manner(cool_down=2 * HOUR, remind_after=pause)
    assert told((LEAK, 0), (LEAK, 1), (LEAK, 2), manner=often) == ["now", "nothing", "now"]
    short = Manner(cool_down=pause, remind_after=pause)
    soon = pause / HOUR / 2
    assert told((LEAK, 0), (LEAK, soon), (FIRE, soon), manner=short) == ["now", *["nothing"] * 2]


def test_what_is_urgent_and_was_over_is_news_at_once() -> None:
    urgent = replace(LOUD, urgent=True)
    assert told((LEAK, 0), (FIRE, 1), (FINE, 2), (FIRE, 3), manner=urgent) == [
        "now", "nothing", "nothing", "now",
    ]  # fmt: skip


def test_what_was_over_is_news_again_but_not_within_the_pause() -> None:
    assert told((LEAK, 0), (FINE, 1), (LEAK, 2), (LEAK, 6)) == ["now", "nothing", "nothing", "now"]


def test_a_reason_that_changes_its_words_is_the_same_news() -> None:
    assert told((LEAK, 0), (replace(LEAK, reason="The boat leaks a lot."), 7)) == ["now", "nothing"]


def test_without_a_sameness_the_reason_is_the_news() -> None:
    low = Verdict("attention", "2 l left")
    assert told((low, 0), (replace(low, reason="1 l left"), 7)) == ["now", "now"]


def test_a_broken_check_is_told_like_anything_else() -> None:
    broken = Verdict("failed", "no such program")
    assert told((broken, 0), (broken, 7), (broken, 24)) == ["now", "nothing", "now"]


def test_quiet_hours_leave_it_in_the_log_until_they_end() -> None:
    tell, kept = decide(LEAK, "e", Kept(), HUSHED, NOON)
    assert (tell, kept.held) == ("log", True)
    tell, kept = decide(LEAK, "e", kept, HUSHED, NOON + HOUR)
    assert (tell, kept.held) == ("nothing", True)
    tell, kept = decide(LEAK, "e", kept, LOUD, NOON + 2 * HOUR)
    assert (tell, kept.held) == ("later", False)
    assert decide(LEAK, "e", kept, LOUD, NOON + 3 * HOUR)[0] == "nothing"


def test_what_ended_in_quiet_hours_is_told_nobody() -> None:
    _, kept = decide(LEAK, "e", Kept(), HUSHED, NOON)
    _, kept = decide(FINE, "e", kept, HUSHED, NOON + HOUR)
    assert decide(FINE, "e", kept, LOUD, NOON + 2 * HOUR)[0] == "nothing"
    assert not kept.held


def test_what_changed_in_quiet_hours_is_told_as_it_is_now() -> None:
    _, kept = decide(LEAK, "e", Kept(), HUSHED, NOON)
    tell, kept = decide(FIRE, "e", kept, LOUD, NOON + HOUR)
    assert tell == "now"
    assert decide(FIRE, "e", kept, LOUD, NOON + 8 * HOUR)[0] == "nothing"


def test_urgency_breaks_quiet_hours() -> None:
    assert decide(LEAK, "e", Kept(), replace(HUSHED, urgent=True), NOON)[0] == "now"


@pytest.mark.parametrize("manner", [LOUD, HUSHED])
def test_what_nobody_can_judge_is_noted_once_for_its_evidence(manner: Manner) -> None:
    tell, kept = decide(UNKNOWN, "one", Kept(), manner, NOON)
    assert tell == "log"
    tell, kept = decide(UNKNOWN, "one", kept, manner, NOON + 240 * HOUR)
    assert tell == "nothing"
    assert decide(UNKNOWN, "two", kept, manner, NOON + 241 * HOUR)[0] == "log"


def test_what_nobody_can_judge_for_a_while_ends_nothing() -> None:
    assert told((LEAK, 0), (UNKNOWN, 1), (LEAK, 7)) == ["now", "log", "nothing"]


def test_a_clock_that_went_back_keeps_nobody_silent_for_long() -> None:
    kept = Kept(told=NOON + 900 * HOUR, sameness="other")
    tell, kept = decide(LEAK, "e", kept, LOUD, NOON)
    assert (tell, kept.told) == ("nothing", NOON)
    assert decide(LEAK, "e", kept, LOUD, NOON + 6 * HOUR)[0] == "now"


# -- words -------------------------------------------------------------------------------------


def test_the_words_are_one_line_with_what_is_cited() -> None:
    verdict = Verdict("attention", "The boat\n## leaks", ("a.md#L1", "b.md#L2"))
    assert words("Is the boat well?", verdict) == "The boat ## leaks (a.md#L1, b.md#L2)"


def test_the_words_name_the_item_where_the_reason_does_not() -> None:
    assert words("Is it?", UNKNOWN) == "not judged: Is it?: nobody knows"


def test_long_words_are_cut() -> None:
    assert len(words("x" * 900, Verdict("failed", "y" * 1900))) <= 1000


def test_nothing_told_is_said_by_the_token() -> None:
    assert reply([]) == "HEARTBEAT_OK"
    assert reply(["one", "two"]) == "- one\n- two"
    assert reply(["one"], ["two (told before)"], "2 things") == "- one\n- two (told before)"
    assert reply([], ["two"], "1 thing") == "nothing new: 1 thing\n- two"
    assert reply([], ["x"] * 25, "").splitlines()[-1] == "- … and 5 more"


# -- as it is kept -----------------------------------------------------------------------------

VERDICTS = st.builds(
    Verdict,
    st.sampled_from(get_args(State)),
    st.text(max_size=20),
    st.lists(st.text(max_size=8), max_size=3).map(tuple),
    st.text(max_size=8),
)
MOMENTS = st.datetimes(
    datetime(2000, 1, 1),
    datetime(2100, 1, 1),
    timezones=st.just(UTC),
)
KEPT = st.builds(
    Kept,
    inputs=st.text(max_size=8),
    verdict=st.none() | VERDICTS,
    told=st.none() | MOMENTS,
    sameness=st.text(max_size=8),
    held=st.booleans(),
    noted=st.text(max_size=8),
    noted_at=st.none() | MOMENTS,
    output=st.none() | st.text(max_size=8),
    grounds=st.lists(st.builds(Ground, *[st.text(max_size=4)] * 4), max_size=2).map(tuple),
    left=st.none() | MOMENTS,
)


@given(KEPT)
def test_what_is_kept_comes_back(kept: Kept) -> None:
    assert load(dump(kept)) == kept


def test_a_field_that_another_version_did_not_know_costs_nothing_else() -> None:
    kept = Kept(told=NOON, sameness="leak", held=True, output="o", grounds=(Ground("p", "a", "l"),))
    values = json.loads(dump(kept))
    for field in ("noted_at", "inputs", "verdict", "noted"):
        del values[field]
    del values["grounds"][0]["days"]
    assert load(json.dumps(values | {"newer": 1})) == kept


@given(st.text() | st.recursive(st.none() | st.text(), st.lists).map(json.dumps))
def test_anything_else_that_stands_there_is_nothing(text: str) -> None:
    assert load(text) == Kept()


@given(KEPT, st.data())
def test_what_was_blanked_in_it_breaks_nothing(kept: Kept, data: st.DataObject) -> None:
    text = dump(kept)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    load(text[:start] + " " * (end - start) + text[end:])
    load(text[:start] + text[end:])


@given(st.lists(st.tuples(VERDICTS, st.floats(0, 30), st.booleans()), max_size=12))
def test_no_two_notifications_of_an_item_come_within_its_pause(
    steps: list[tuple[Verdict, float, bool]],
) -> None:
    now, kept, sent = NOON, Kept(), list[datetime]()
    for verdict, pause, quiet in steps:
        now += pause * HOUR
        tell, kept = decide(verdict, "e", kept, replace(LOUD, quiet=quiet), now)
        sent += [now] * (tell == "now")
    assert all(b - a + PUNCTUAL >= LOUD.cool_down for a, b in pairwise(sent))


@given(st.lists(st.tuples(VERDICTS, st.floats(0, 30)), max_size=12))
def test_quiet_hours_are_quiet(steps: list[tuple[Verdict, float]]) -> None:
    now, kept = NOON, Kept()
    for verdict, pause in steps:
        now += pause * HOUR
        tell, kept = decide(verdict, "e", kept, HUSHED, now)
        assert tell in ("log", "nothing")
