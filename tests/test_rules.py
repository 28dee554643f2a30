"""The rules of named checks: what they say of an answer, and what a wrong one is told."""

import re
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippod.checklist import printed
from hippod.checklist.rules import Answer, digest_of, parse
from hippod.checklist.verdict import Verdict

VIENNA = ZoneInfo("Europe/Vienna")
NOW = datetime(2026, 11, 30, 10, 0, tzinfo=VIENNA)


def judged(
    rule: str, output: str = "", code: int = 0, *, value: str = "", previous: str | None = None,
    truncated: bool = False,
) -> Verdict:  # fmt: skip
    return parse(rule, value).judge(Answer(code, output, previous, truncated), NOW)


# -- each condition --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "output", "code", "state", "reason"),
    [
        ("", "", 0, "fine", "The exit code is 0."),
        ("", "", 3, "attention", "The exit code is 3, not 0."),
        ("exit != 0", "", 3, "attention", "The exit code is 3, not 0."),
        ("exit == 2", "", 2, "attention", "The exit code is 2."),
        ("exit = 2", "", 0, "fine", "The exit code is 0, not 2."),
        ("exit is 2", "", 2, "attention", "The exit code is 2."),
        ("exit in 1, 2", "", 2, "attention", "The exit code is 2, one of 1, 2."),
        ("exit in 1,2", "", 3, "fine", "The exit code is 3, none of 1, 2."),
        ("exit not in 0,1", "", 2, "attention", "The exit code is 2, none of 0, 1."),
        ("number > 90", "Use%\n 93%", 0, "attention", "The number is 93, above 90."),
        ("Number > 90 %", "90", 0, "fine", "The number is 90, not above 90."),
        ("number >= 90", "90.0", 0, "attention", "The number is 90.0, at least 90."),
        ("number ≥ 90", "89.99", 0, "fine", "The number is 89.99, below 90."),
        ("number < -2.5", "-3", 0, "attention", "The number is -3, below -2.5."),
        ("number between 10 and 20", "20", 0, "attention",
         "The number is 20, between 10 and 20."),
        ("number not between 10 and 20", "9", 0, "attention",
         "The number is 9, not between 10 and 20."),
        ("lines > 0", "a\n\n  \nb\n", 0, "attention", "The number of lines is 2, above 0."),
        ("lines > 0", " \n\n", 0, "fine", "The number of lines is 0, not above 0."),
        ('output contains "down"', "eth0 is down", 0, "attention",
         'The output contains "down".'),
        ("output contains 'down'", "Down", 0, "fine", 'The output does not contain "down".'),
        ('output does not contain "up"', "eth0 down", 0, "attention",
         'The output does not contain "up".'),
        (r'output matches "^fail\w+ \d+$"', "ok\nfailures 3\n", 0, "attention",
         r'The output matches "^fail\w+ \d+$".'),
        ('output does not match "ok"', "ok", 0, "fine", 'The output matches "ok".'),
        ("output is empty", " \n", 0, "attention", "The output is empty."),
        ("output is not empty", "x", 0, "attention", "The output is not empty."),
        ("date within 3d", "2026-12-03", 0, "attention",
         "The date is 2026-12-03, in 3 days, within 3d."),
        ("date within 3 days", "2026-12-04", 0, "fine",
         "The date is 2026-12-04, in 4 days, not within 3d."),
        ("date within 2w", "expired 2026-11-29", 0, "attention",
         "The date is 2026-11-29, 1 day ago, within 2w."),
        ("date older than 2d", "2026-11-27 23:10", 0, "attention",
         "The date is 2026-11-27, 3 days ago, older than 2d."),
        ("date older than 2d", "2026-11-28", 0, "fine",
         "The date is 2026-11-28, 2 days ago, not older than 2d."),
        ("date before today", "2026-11-30 00:00", 0, "fine",
         "The date is 2026-11-30, today, not before today."),
        ("date before today", "29.11.2026", 0, "attention",
         "The date is 2026-11-29, 1 day ago, before today."),
    ],
)  # fmt: skip
def test_a_condition_says_what_it_found(
    rule: str, output: str, code: int, state: str, reason: str
) -> None:
    verdict = judged(rule, output, code)
    assert (verdict.state, verdict.reason) == (state, reason)


def test_hours_are_counted_where_the_date_has_a_time() -> None:
    assert judged("date within 12h", "2026-11-30T20:30:00Z").state == "attention"  # 21:30 here
    assert judged("date within 12h", "2026-11-30T21:30:00Z").state == "fine"
    assert judged("date older than 6h", "2026-11-30T03:59:00+01:00").state == "attention"


def test_a_changed_output_is_news_each_time_and_nothing_before_there_was_one() -> None:
    first = judged("output changes", "a")
    same = judged("output changes", "a", previous=digest_of("a"))
    then = judged("output changes", "b", previous=digest_of("a"))
    later = judged("output changes", "c", previous=digest_of("b"))
    assert [v.state for v in (first, same, then, later)] == ["fine", "fine"] + ["attention"] * 2
    assert then.reason == "The output changed since the last time."
    assert then.sameness != later.sameness
    assert parse("lines > 0 and output changes").looks_back
    assert not parse("lines > 0").looks_back


# -- several ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "output", "code", "state"),
    [
        ('number > 90 and output contains "sda"', "sda 93%", 0, "attention"),
        ('number > 90 and output contains "sdb"', "sda 93%", 0, "fine"),
        ("number > 90 or exit != 0", "5", 1, "attention"),
        ("number > 90 or exit != 0", "n/a", 1, "attention"),
        ("exit != 0 or number > 90", "n/a", 0, "failed"),
        ("number > 90 and exit = 0 or lines > 3", "1\n2\n3\n4", 0, "attention"),
        ("lines > 3 or number > 90 and exit = 0", "93", 0, "attention"),
        ("lines > 3 or number > 90 and exit = 0", "93", 1, "fine"),
        ("output is not empty and number > 9", "", 0, "fine"),
        ("number > 9 and output is not empty", "", 0, "failed"),
        ("number between 1 and 5 and lines = 1", "3", 0, "attention"),
    ],
)
def test_and_binds_tighter_and_is_read_from_the_left(
    rule: str, output: str, code: int, state: str
) -> None:
    assert judged(rule, output, code).state == state


def test_the_reason_names_all_that_holds() -> None:
    verdict = judged('exit = 2 and output contains "x"', "x", 2)
    assert verdict.reason == 'The exit code is 2 and the output contains "x".'


# -- what is told once -----------------------------------------------------------------------------


def test_the_same_side_is_the_same_news_whatever_the_number() -> None:
    one, two = judged("number > 90", "91"), judged("number > 90", "99")
    assert one.sameness == two.sameness
    assert one.reason != two.reason


@pytest.mark.parametrize(
    ("rule", "one", "two"),
    [
        ("number not between 10 and 20", "9", "21"),
        ("number > 90", "91", "9"),
        ("number > 90", "91", "none"),
        ("date within 9d", "2026-12-01", "2026-12-02"),
        ('output contains "a" or output contains "b"', "a", "b"),
    ],
)
def test_another_side_is_other_news(rule: str, one: str, two: str) -> None:
    assert judged(rule, one).sameness != judged(rule, two).sameness


# -- what cannot be judged -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "output", "reason"),
    [
        ("number > 90", "no figures", "There is no number in the output."),
        ("number < 90", " ", "There is no number in the output, which is empty."),
        ("number != 90", "1,234", "The number 1,234 can be read in two ways: print it without a "
         "separator."),
        ("date within 3d", "soon", "There is no date in the output."),
        ("date older than 3d", "03/04/2026", "There is no date in the output."),
        ("date before today", "2026-02-30", "There is no date in the output."),
    ],
)  # fmt: skip
def test_a_number_or_date_that_is_missing_is_a_failure(rule: str, output: str, reason: str) -> None:
    verdict = judged(rule, output)
    assert (verdict.state, verdict.reason) == ("failed", reason)


def test_an_exit_code_that_nobody_asked_for_is_a_failure() -> None:
    verdict = judged("number > 90", "93", 2)
    assert (verdict.state, verdict.reason) == (
        "failed", "The command failed: exit code 2, and the rule names no exit.",
    )  # fmt: skip
    assert judged("number > 90 and exit in 0,2", "93", 2).state == "attention"


@pytest.mark.parametrize(
    ("rule", "output", "state"),
    [
        ('output contains "a"', "a", "attention"),
        ('output contains "a"', "b", "failed"),
        ('output does not contain "a"', "a", "fine"),
        ('output does not contain "a"', "b", "failed"),
        ('output does not match "a"', "b", "failed"),
        ("output is empty", "", "fine"),
        ("lines > 1", "a\nb\n", "attention"),
        ("lines > 2", "a\nb\n", "failed"),
        ("lines < 9", "a\nb\n", "failed"),
        ("number > 1", "2", "attention"),
        ("output changes", "same", "failed"),
        ("output changes", "other", "attention"),
    ],
)
def test_a_cut_output_is_not_judged_by_what_is_missing(rule: str, output: str, state: str) -> None:
    verdict = judged(rule, output, previous=digest_of("same"), truncated=True)
    assert verdict.state == state
    assert ("output_bytes" in verdict.reason) == (state == "failed")


# -- value -----------------------------------------------------------------------------------------


def test_the_group_of_an_expression_is_the_number_or_date() -> None:
    output = "disk 12% of 500\nmemory 93% of 64\n"
    assert judged("number > 90", output, value=r"^memory (\d+)%").state == "attention"
    assert judged("date within 3d", "from 2020-01-01 to 2026-12-01", value="to (.*)").reason == (
        "The date is 2026-12-01, in 1 day, within 3d."
    )
    missing = judged("number > 90", output, value="swap (.*)")
    assert (missing.state, missing.reason) == (
        "failed", "There is no number in what `value` finds in the output.",
    )  # fmt: skip
    assert judged("number > 90", "x", value="x|y(z)").state == "failed"


def test_an_expression_without_end_is_a_failure_after_a_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hippod.checklist.rules._SEARCH_TIMEOUT", 0.05)
    for rule, value in [("number > 1", "(x+x+)+y"), ('output matches "(?:x+x+)+y"', "")]:
        verdict = judged(rule, "x" * 200, value=value)
        assert verdict.state == "failed"
        assert "regular expression took longer" in verdict.reason


# -- faults of a rule ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("disk > 90", "at the beginning stands exit, number, lines, output or date"),
        ("number over 90", "after `number` stands =, !=, <, <=, >, >=, in, not in, between or"),
        ("number >", "after `number >` stands a number such as 90"),
        ("number > much", "without a unit, not much"),
        ("number > 5GB", "without a unit, not 5GB"),
        ("number > 1,5", "after `number > 1` stands the end, `and` or `or`, not ,"),
        ("number > nan", "not nan"),
        ("number between 20 and 10", "the lower number stands first"),
        ("number between 20", "`and` with the higher number"),
        ("output contains down", "a text in quotes, not down"),
        ('output contains "down', "a text in quotes"),
        ('output contains ""', "a text in quotes"),
        ("output", 'contains "…", does not contain "…"'),
        ("output is", "is empty"),
        ('output matches "("', "not a regular expression: missing )"),
        ("date in 3d", "within 3d, older than 3d or before today"),
        ("date within 3", "h, d or w"),
        ("date within 3m", "h, d or w"),
        ("date within soon", "a time such as 12h"),
        ("date within 99999w", "at most 36500 days"),
        ("exit = 0 xor lines > 1", "the end, `and` or `or`, not xor"),
        ("exit = 0 and", "after `exit = 0 and` stands exit, number"),
        ("exit = 0 or > 1", "after `exit = 0 or` stands exit, number"),
        ("exit = 0 " * 200, "at most 1000 characters"),
    ],
)
def test_a_wrong_rule_is_told_what_can_stand_there(rule: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        parse(rule)


@pytest.mark.parametrize("value", ["(", r"\d+", "(a)(b)", "(" + "a" * 1000 + ")"])
def test_a_value_is_an_expression_with_one_group(value: str) -> None:
    with pytest.raises(ValueError, match="regular expression"):
        parse("number > 1", value)


WORDS = st.sampled_from(
    re.findall(
        r"\S+",
        "exit number lines output date = != > in not between and or contains matches is empty "
        'within older than before today 3d 12 -5 1,2 "x" changes does match contain ( \'',
    )
)


@given(st.lists(WORDS, max_size=9).map(" ".join) | st.text(max_size=40))
def test_any_text_is_a_rule_that_judges_or_a_clear_fault(text: str) -> None:
    try:
        rule = parse(text)
    except ValueError:
        return
    for output in ("", "93", "2026-12-01"):
        verdict = rule.judge(Answer(0, output), NOW)
        assert verdict.state in ("attention", "fine", "failed")
        assert verdict.reason.endswith(".")
        assert verdict.sameness


@given(st.text(max_size=60), st.integers(-3, 300))
def test_any_output_is_judged(output: str, code: int) -> None:
    for rule in ("number > 5", "date within 3d", "lines > 1", "output changes", "exit != 0"):
        assert judged(rule, output, code, previous="x").reason


@given(st.decimals(-(10**9), 10**9, places=3, allow_nan=False), st.integers(-9, 9))
def test_a_number_is_on_one_side_of_a_threshold(number: Decimal, bound: int) -> None:
    above = judged(f"number > {bound}", f"load {number} of")
    below = judged(f"number <= {bound}", f"load {number} of")
    assert {above.state, below.state} == {"attention", "fine"}
    assert (above.state == "attention") == (number > bound)


# -- numbers and dates in what is printed ----------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("93", "93"), ("/dev/sda1  93% /mnt/2", "93"), ("used=93%", "93"), ("93GB", "93"),
        ("-5.5 °C", "-5.5"), ("−5 °C", "-5"), (".93", "0.93"), ("1e3 ops", "1000"),
        ("1,234,567", "1234567"), ("1,234.5", "1234.5"), ("1.234,5", "1234.5"), ("0,15", "0.15"),
        ("1.234", "1.234"), ("0,125", "0.125"), ("2026-11-30 load 7", "7"),
        ("09:15:23 load 7", "7"), ("v2.4.1 has 7", "7"), ("10.0.0.7 7", "7"), ("name,93,ok", "93"),
        ("a1b2c3 7", "7"), ("(93)", "93"), ("Total: 93.", "93"), ("load:93", "93"),
        ("disk-2 at 7", "7"), ("1/2 7", "7"), ("5-10 7", "7"),
    ],
)  # fmt: skip
def test_the_first_number_is_read(text: str, number: str) -> None:
    assert printed.number(text) == Decimal(number)


@pytest.mark.parametrize("text", ["", "none", "v2.4.1", "2026-11-30", "x1", "nan", "inf", "٣"])
def test_what_is_no_number_is_not_read(text: str) -> None:
    assert printed.number(text) is None


@pytest.mark.parametrize("text", ["1" * 10**6, "1." * 500_000, "1,1a" * 250_000, "-" * 10**6])
def test_a_long_output_is_read_in_linear_time(text: str) -> None:
    printed.number(text)
    printed.moment(text, UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-12-01", date(2026, 12, 1)),
        ("2026/12/01", date(2026, 12, 1)),
        ("on 1.12.2026, at last", date(2026, 12, 1)),
        ("December 1, 2026", date(2026, 12, 1)),
        ("01-Dec-2026", date(2026, 12, 1)),
        ("2026-12-01 13:05", datetime(2026, 12, 1, 13, 5, tzinfo=VIENNA)),
        ("2026-12-01T13:05:09.123Z", datetime(2026, 12, 1, 13, 5, 9, tzinfo=UTC)),
        ("2026-12-01 13:05:09 +0300",
         datetime(2026, 12, 1, 13, 5, 9, tzinfo=timezone(timedelta(hours=3)))),
        ("notAfter=Dec  1 13:05:09 2026 GMT", datetime(2026, 12, 1, 13, 5, 9, tzinfo=UTC)),
        ("Tue Dec  1 13:05:09 UTC 2026", datetime(2026, 12, 1, 13, 5, 9, tzinfo=UTC)),
        ("Tue, 1 Dec 2026 13:05:09 -0530",
         datetime(2026, 12, 1, 13, 5, 9, tzinfo=timezone(-timedelta(hours=5, minutes=30)))),
        ("Tue Dec  1 13:05:09 CET 2026", date(2026, 12, 1)),
        ("1796034023\n", datetime.fromtimestamp(1796034023, UTC)),
        ("2026-13-01 then 2026-12-01", date(2026, 12, 1)),
        ("Bad 31 2026, 2.12.2026, 2026-12-01", date(2026, 12, 2)),
    ],
)  # fmt: skip
def test_the_first_date_is_read(text: str, moment: date) -> None:
    assert printed.moment(text, VIENNA) == moment


@pytest.mark.parametrize("text", ["", "03/04/2026", "12:00", "v2026-12-01x", "2026", "1.2026"])
def test_what_is_no_clear_date_is_not_read(text: str) -> None:
    assert printed.moment(text, VIENNA) is None


@pytest.mark.parametrize(
    ("rule", "output", "state"),
    [
        ("number > 1000", "1.234", "failed"),
        ("number < 1000", "1.234 MB", "failed"),
        ("number > 5000", "1.234", "fine"),
        ("number > 1000", "1234", "attention"),
        ("number > 1000", "1.23", "fine"),
        ("number > 90", "12.345 %", "fine"),
        ("number > 1000", "0.999", "fine"),
        ("number not between 100 and 2000", "1.500", "failed"),
    ],
)
def test_a_point_that_may_part_thousands_is_not_judged_where_that_matters(
    rule: str, output: str, state: str
) -> None:
    verdict = parse(rule).judge(Answer(0, output), datetime(2026, 5, 4, 12, tzinfo=UTC))
    assert verdict.state == state
