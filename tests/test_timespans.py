import subprocess
import sys
import time
from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod import timespans
from hippod.timespans import Timespan, read, without

NOW = datetime(2026, 3, 11, 0, 30, tzinfo=ZoneInfo("Europe/Vienna"))  # a Wednesday
"""In UTC it is still Tuesday the 10th."""


def days(text: str) -> list[str]:
    return [f"{each.since or ''}..{each.until or ''}" for each in read(text, NOW)]


def only(text: str) -> Timespan:
    (found,) = read(text, NOW)
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what happened on 2025-11-27?", "2025-11-27..2025-11-27"),
        ("the log of 2025-11-27T10:00", "2025-11-27..2025-11-27"),
        ("invoices 2025-11", "2025-11-01..2025-11-30"),
        ("am 27.11.2025", "2025-11-27..2025-11-27"),
        ("was war am 27.11. los", "2025-11-27..2025-11-27"),
        ("on 11/27/2025", "2025-11-27..2025-11-27"),
        ("on 27/11/2025", "2025-11-27..2025-11-27"),
        ("27 November", "2025-11-27..2025-11-27"),
        ("Nov 27, 2025", "2025-11-27..2025-11-27"),
        ("the 27th of November 2025", "2025-11-27..2025-11-27"),
        ("May 5", "2025-05-05..2025-05-05"),
        ("between 5 and 12 March 2025", "2025-03-05..2025-03-12"),
        ("29 February", "2024-02-29..2024-02-29"),
        ("in Nov 2025", "2025-11-01..2025-11-30"),
        ("last november", "2025-11-01..2025-11-30"),
        ("in November last year", "2025-11-01..2025-11-30"),
        ("in May", "2025-05-01..2025-05-31"),
        ("Q3 2025", "2025-07-01..2025-09-30"),
        ("in 2024", "2024-01-01..2024-12-31"),
        ("2024", "2024-01-01..2024-12-31"),
        ("yesterday", "2026-03-10..2026-03-10"),
        ("today", "2026-03-11..2026-03-11"),
        ("the day before yesterday", "2026-03-09..2026-03-09"),
        ("tomorrow", "2026-03-12..2026-03-12"),
        ("last week", "2026-03-02..2026-03-08"),
        ("this week", "2026-03-09..2026-03-15"),
        ("last month", "2026-02-01..2026-02-28"),
        ("last year", "2025-01-01..2025-12-31"),
        ("two months ago", "2026-01-01..2026-01-31"),
        ("10 days ago", "2026-03-01..2026-03-01"),
        ("in the last 3 months", "2025-12-01..2026-03-11"),
        ("on Monday", "2026-03-09..2026-03-09"),
        ("next friday", "2026-03-13..2026-03-13"),
        ("last weekend", "2026-03-07..2026-03-08"),
        ("on march 5", "2026-03-05..2026-03-05"),
        ("since may 5", "2025-05-05.."),
        ("in Q4", "2025-10-01..2025-12-31"),
        ("2019-2021", "2019-01-01..2021-12-31"),
        ("from 9 to 17 February", "2026-02-09..2026-02-17"),
        ("Monday's meeting", "2026-03-09..2026-03-09"),
        ("last night", "2026-03-10..2026-03-10"),
        ("this morning", "2026-03-11..2026-03-11"),
        ("the day after tomorrow", "2026-03-13..2026-03-13"),
        ("half a year ago", "2025-09-01..2025-09-30"),
        ("a few days ago", "2026-03-05..2026-03-11"),
        ("in the last week", "2026-03-02..2026-03-11"),
        ("over the past month", "2026-02-01..2026-03-11"),
        ("the last week of", "2026-03-02..2026-03-08"),
    ],
)
def test_a_span_is_read_in_days(text: str, expected: str) -> None:
    assert days(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("letzte Woche", "2026-03-02..2026-03-08"),
        ("im November 2025", "2025-11-01..2025-11-30"),
        ("vorgestern", "2026-03-09..2026-03-09"),
        ("vor zwei Monaten", "2026-01-01..2026-01-31"),
        ("letzten Montag", "2026-03-09..2026-03-09"),
        ("la semana pasada", "2026-03-02..2026-03-08"),
        ("ayer", "2026-03-10..2026-03-10"),
        ("el lunes pasado", "2026-03-09..2026-03-09"),
        ("el 3 de mayo de 2025", "2025-05-03..2025-05-03"),
        ("noviembre del año pasado", "2025-11-01..2025-11-30"),
        ("hace dos meses", "2026-01-01..2026-01-31"),
        ("que s'est-il passé hier", "2026-03-10..2026-03-10"),
        ("la semaine dernière", "2026-03-02..2026-03-08"),
        ("l'an dernier", "2025-01-01..2025-12-31"),
        ("il y a 3 jours", "2026-03-08..2026-03-08"),
        ("ontem", "2026-03-10..2026-03-10"),
        ("em novembro de 2025", "2025-11-01..2025-11-30"),
        ("segunda-feira passada", "2026-03-09..2026-03-09"),
        ("la settimana scorsa", "2026-03-02..2026-03-08"),
        ("due mesi fa", "2026-01-01..2026-01-31"),
        ("2025年11月27日", "2025-11-27..2025-11-27"),
        ("11月27日に何をした", "2025-11-27..2025-11-27"),
        ("去年11月", "2025-11-01..2025-11-30"),
        ("十一月二十七日", "2025-11-27..2025-11-27"),
        ("两个月前", "2026-01-01..2026-01-31"),
        ("昨天说了什么", "2026-03-10..2026-03-10"),
        ("先週", "2026-03-02..2026-03-08"),
        ("3日前", "2026-03-08..2026-03-08"),
        ("2025년 11월 27일", "2025-11-27..2025-11-27"),
        ("지난주", "2026-03-02..2026-03-08"),
        ("übermorgen", "2026-03-13..2026-03-13"),
        ("letztes Wochenende", "2026-03-07..2026-03-08"),
        ("vom 2.3. bis 5.3.", "2026-03-02..2026-03-05"),
        ("el fin de semana pasado", "2026-03-07..2026-03-08"),
        ("depuis lundi", "2026-03-09.."),
        ("en mars", "2026-03-01..2026-03-31"),
        ("le 5 mars", "2026-03-05..2026-03-05"),
        ("在二月", "2026-02-01..2026-02-28"),
        ("上上周", "2026-02-23..2026-03-01"),
        ("大前天", "2026-03-08..2026-03-08"),
        ("半年前", "2025-09-01..2025-09-30"),
        ("昨夜", "2026-03-10..2026-03-10"),
    ],
)
def test_other_languages(text: str, expected: str) -> None:
    assert days(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "what is it on", "may I ask", "march on", "how may 12 people march", "sun and sat",
        "ADR-0231", "ticket 0231", "v2.4", "2024.1.3", "10.0.0.1", "port 2024", "error 2024",
        "RFC 2024", "CVE-2024-1234", "the 2020s", "2000 euros", "in 2024 tokens", "HTTP 2019",
        "+43 660 2024 11", "call 0660 2023", "meeting at 14:23", "the 5th", "Windows 2000",
        "#2024", "room 2012", "2025-13-45", "03/04/2025", "a mail from June", "was ist hier los",
        "drove past an old house", "mes dernières vacances", "every Monday", "second monday",
        "PR 2025-07", "order 2024-01", "the sofa cost 2025", "the pin is 2001", "zip 2020",
        "§ 2025", "chapter 2024", "at 1999", "2025 commits", "um 2015 Uhr", "version 1.2.2024",
        "in April's room", "march 12 miles", "每月", "三个月", "五月天的歌", "the day after",
        "5 times", "1,2024", "£2024", "2024 px", "in Mars", "abc2024", "2024abc", "a second", "",
    ],
)  # fmt: skip
def test_what_is_no_clear_date_is_left_alone(text: str) -> None:
    assert days(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("since March", "2026-03-01.."),
        ("from March 2025 on", "2025-03-01.."),
        ("from 2025-03-05 onwards", "2025-03-05.."),
        ("a note from 2025-03-05", "2025-03-05..2025-03-05"),
        ("mails from last week about it", "2026-03-02..2026-03-08"),
        ("as of March 2025", "2025-03-01..2025-03-31"),
        ("since the end of November", "2025-11-01.."),
        ("until May 2025", "..2025-05-31"),
        ("before May 2025", "..2025-04-30"),
        ("before Christmas 2024", "..2024-12-24"),
        ("after 2025-11-27", "2025-11-28.."),
        ("seit dem 3. Mai 2025", "2025-05-03.."),
        ("bis Ende März", "..2026-03-31"),
        ("desde el 3 de mayo de 2025", "2025-05-03.."),
        ("depuis août", "2025-08-01.."),
        ("2025年以来", "2025-01-01.."),
        ("between March and May 2024", "2024-03-01..2024-05-31"),
        ("from April to June", "2025-04-01..2025-06-30"),
        ("from November to February", "2025-11-01..2026-02-28"),
        ("from 2020 to 2023", "2020-01-01..2023-12-31"),
        ("2025-11-27 to 2025-12-01", "2025-11-27..2025-12-01"),
        ("vom 3. bis 5. Mai 2025", "2025-05-03..2025-05-05"),
        ("from 28 December to 3 January 2026", "2025-12-28..2026-01-03"),
    ],
)
def test_what_stands_around_a_date_bounds_it(text: str, expected: str) -> None:
    assert days(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("around 27 November", "2025-11-24..2025-11-30"),
        ("um den 27. November", "2025-11-24..2025-11-30"),
        ("vers le 27 novembre", "2025-11-24..2025-11-30"),
        ("11月27日前后", "2025-11-24..2025-11-30"),
    ],
)
def test_around_widens(text: str, expected: str) -> None:
    assert days(text) == [expected]
    assert only(text).around
    assert only("around March 2025").since == date(2025, 2, 14)


def test_a_question_may_name_several_times() -> None:
    text = "what did Bo say yesterday about the trip in November 2025"
    assert days(text) == ["2026-03-10..2026-03-10", "2025-11-01..2025-11-30"]
    assert [each.text for each in read(text, NOW)] == ["yesterday", "November 2025"]


def test_the_precision_is_what_was_said() -> None:
    said = ["2025-11-27", "last week", "in Nov 2025", "2024"]
    assert [only(text).precision for text in said] == ["day", "week", "month", "year"]


def test_a_question_without_its_times() -> None:
    text = "what did May do in May and yesterday"
    assert without(text, read(text, NOW)) == "what did May do in     and          "


@pytest.mark.parametrize("piece", ["去年", "1 jan ", "christmas ", "last monday ", "10 days ago "])
def test_a_table_of_dates_is_read_as_fast_as_a_question(piece: str) -> None:
    text = (piece * 1_000)[:4_000]
    read(text, NOW)
    began = time.perf_counter()
    assert 0 < len(read(text, NOW)) <= 8
    assert time.perf_counter() - began < 0.2


def test_no_library_is_loaded_for_a_question_without_words_for_time() -> None:
    code = """
import sys
from datetime import datetime
from hippod.timespans import read
for text in ("where is the key", "ADR-0231 may fail on march", "on 2025-11-27", "去年11月", "2024"):
    read(text, datetime(2026, 3, 11))
assert "dateparser" not in sys.modules
read("last week", datetime(2026, 3, 11))
assert "dateparser" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


PIECES = """
    since before around between and to in on may March November 27 27. 2025 9999 0000 31 , - /
    last week ago two 2025-11-27 29.02.2025 99/99/2025 年 月 日 13 11月 十 letzten Montag vor
    il y a el de Q5 christmas the day before yesterday next year
"""


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(
        st.text(max_size=200), st.lists(st.sampled_from(PIECES.split()), max_size=12).map(" ".join)
    )
)
def test_any_text_is_safe(text: str) -> None:
    for each in read(text, NOW):
        assert each.text in text
        assert each.since or each.until
        assert each.since is None or each.until is None or each.since <= each.until


@pytest.mark.parametrize(
    "now", [datetime.min, datetime.max, datetime(1, 1, 2), datetime(2024, 2, 29)]
)
def test_any_day_is_safe(now: datetime) -> None:
    for text in (
        "10 years ago",
        "last week",
        "next year",
        "29 February",
        "around 5 May",
        "tomorrow",
    ):
        read(text, now)


_EVERY_WORD = sorted({phrase for table in timespans._IN_ENGLISH.values() for phrase in table})


@settings(max_examples=300)
@given(
    st.lists(
        st.sampled_from(
            [*_EVERY_WORD, "last", "letzte", "pasado", "dernier", "in", "ago", "vor", "week-end",
             "fin de semana", "fine settimana", "Wochenende", "2024", "Q3", "5", "the", "garden"]
        ),
        max_size=5,
    )
)  # fmt: skip
def test_the_quick_look_overlooks_no_time(words: list[str]) -> None:
    text = " ".join(words)
    found = timespans._found(text, NOW.date())
    assert not found or timespans._may_name_a_time(text)
