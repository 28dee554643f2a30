from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.errors import InvalidInput
from hippod.query import Query, entity_key, first_day, understand
from hippod.tokens import MAX_TERMS
from hippod.wire import MAX_QUERY, RecallRequest

VIENNA = ZoneInfo("Europe/Vienna")
NOW = datetime(2026, 3, 10, 23, 30, tzinfo=UTC)  # in Vienna it is the 11th already


def read(query: str = "tea", *, now: datetime = NOW, **fields: object) -> Query:
    request = RecallRequest.model_validate({"query": query, **fields})
    return understand(request, now=now, zone=VIENNA)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("7d", "2026-03-04 00:00:00", "2026-03-04 23:59:59"),
        ("0d", "2026-03-11 00:00:00", "2026-03-11 23:59:59"),
        (" 2W ", "2026-02-25 00:00:00", "2026-02-25 23:59:59"),
        ("1y", "2025-03-11 00:00:00", "2025-03-11 23:59:59"),
        ("6h", "2026-03-10 18:30:00", "2026-03-10 18:30:00"),
        ("2025", "2025-01-01 00:00:00", "2025-12-31 23:59:59"),
        ("2024-02", "2024-02-01 00:00:00", "2024-02-29 23:59:59"),
        ("2026-03-03", "2026-03-03 00:00:00", "2026-03-03 23:59:59"),
        ("2026-03-03T14:05", "2026-03-03 14:05:00", "2026-03-03 14:05:00"),
        ("2026-03-03T14:05Z", "2026-03-03 15:05:00", "2026-03-03 15:05:00"),
    ],
)
def test_a_date_names_its_first_and_last_second(text: str, first: str, last: str) -> None:
    assert str(read(since=text).where.since) == first
    assert str(read(until=text).where.until) == last
    assert str(read(as_of=text).where.as_of) == last


@pytest.mark.parametrize("field", ["since", "until", "as_of"])
@pytest.mark.parametrize(
    "text",
    ["yesterdayish", "-3d", "3.5d", "99999y", "2026-13", "2026-02-30", "0000", "may", "٣d", "7 m"],
)
def test_a_bad_date_is_refused_by_its_field(field: str, text: str) -> None:
    with pytest.raises(InvalidInput, match=f"{field}: ") as caught:
        read(**{field: text})
    assert "7d" in caught.value.hint


def test_a_span_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(InvalidInput, match="since"):
        read(since="2026-03-05", until="2026-03-04")
    assert read(since="2026-03-04", until="2026-03-04").where.since is not None


def test_an_hour_is_an_hour_when_the_clocks_change() -> None:
    after = datetime(2026, 3, 29, 4, 0, tzinfo=VIENNA)  # 02:00 became 03:00
    assert str(read(since="2h", now=after).where.since) == "2026-03-29 01:00:00"


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200), st.text(max_size=20))
def test_any_text_is_a_query_or_a_named_fault(query: str, since: str) -> None:
    try:
        understood = read(query, since=since)
    except InvalidInput as error:
        assert error.message.startswith("since: ")  # noqa: PT017
    else:
        understood.text.encode()
        assert "\x00" not in understood.text


def test_a_long_query_is_cut_and_says_so() -> None:
    assert read("word " * 2_000).truncated
    assert len(read("word " * 2_000).text) <= MAX_QUERY
    many = read(" ".join(f"w{number}" for number in range(200)))
    assert many.truncated
    assert len(many.terms) == MAX_TERMS
    assert not read("a short one").truncated


def test_control_characters_separate_words() -> None:
    assert read("spare\x00key").terms == ("spare", "key")


def test_filters_are_taken_over() -> None:
    where = read(kind=["world"], entity=["@Dana-Whitfield"], path="memory/*.md").where
    assert where.kinds == ("world",)
    assert where.path == "memory/*.md"
    assert where.entities == ("dana whitfield",)


@pytest.mark.parametrize(
    "name", ["Dana-Whitfield", "@dana-whitfield", "DANA  whitfield", "Dana Whitfield"]
)
def test_entities_compare_by_display_form(name: str) -> None:
    assert entity_key(name) == "dana whitfield"


def test_the_wording_is_understood_and_filters_nothing() -> None:
    found = read("where did Peter live in Nov 2025")
    assert (found.where.since, found.where.until, found.where.as_of) == (None, None, None)
    assert str(found.state_at) == "2025-11-30"
    assert "peter" in found.question.names
    assert found.dropped_terms == ("where", "did", "in")
    assert read("what happened in Nov 2025").state_at is None


def test_a_day_in_the_wording_is_the_users() -> None:
    (day,) = read("what did we say yesterday").times
    assert str(day.since) == "2026-03-10"


@pytest.mark.parametrize(("word", "day"), [("today", 3), (" Yesterday ", 2)])
def test_a_bound_may_be_named_as_the_daily_logs_name_days(word: str, day: int) -> None:
    now = datetime(2026, 3, 3, 0, 30, tzinfo=UTC)
    assert first_day("since", word, now) == now.date().replace(day=day)
