"""How a match of a date pattern resolves to days, and the builders of the patterns."""

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

Days = tuple[date, date, str]
"""First day, last day, and what is written for them: `2026-03-17`, `2026-04`, `A to B`."""


@dataclass(frozen=True, slots=True)
class Context:
    """When something was said, whether of the past (None: unclear), the numbers of words.

    `planned`: the clause names an aim ("will", "moved to ..."); `since`: "since" stands before
    the date; `year`: the year that stands behind it.
    """

    today: date
    past: bool | None
    words: dict[str, int]
    planned: bool = False
    since: bool = False
    year: int | None = None


Resolver = Callable[["re.Match[str]", Context], Days | None]


@dataclass(frozen=True, slots=True)
class Grammar:
    """One language: rules (earlier ones win), what joins a range, recurring days, tense.

    `weekdays` matches two or more weekdays in a row, which recur.
    """

    rules: tuple[tuple[re.Pattern[str], Resolver], ...]
    joiner: re.Pattern[str]
    recurring: re.Pattern[str]
    weekdays: re.Pattern[str]
    past: Callable[[str, int], bool | None]
    words: dict[str, int]


_NOT_IN_NAME = r"(?<![\w/@#.\\-])"
_NAME_ENDS = r"(?![\w/@\\]|[.-]\w|['’]\w{2})"

# --- resolvers: a match and the day it was said → first day, last day, label --------------


def _single(day: date) -> Days:
    return day, day, day.isoformat()


def offset(match: re.Match[str], context: Context) -> Days | None:
    """Resolve "yesterday", "tomorrow": `word` is a number of days."""
    return _single(context.today + timedelta(days=context.words[_key(match["word"])]))


def weekday(match: re.Match[str], context: Context) -> Days | None:
    """Resolve a weekday; see the conventions in `hippod.extraction.dates`."""
    groups = match.groupdict()
    index = context.words[_key(match["weekday"])]
    ahead = (index - context.today.weekday()) % 7
    monday = context.today - timedelta(days=context.today.weekday())
    if groups.get("week_later"):
        return _single(context.today + timedelta(days=(ahead or 7) + 7))
    if groups.get("next_week"):
        return _single(monday + timedelta(days=7 + index))
    if groups.get("last_week"):
        return _single(monday + timedelta(days=index - 7))
    if groups.get("this"):
        return _single(context.today + timedelta(days=ahead))
    since = groups.get("since") or context.since
    if groups.get("last") or since or (context.past and not groups.get("next")):
        return _single(context.today - timedelta(days=7 - ahead if ahead else 7))
    return _single(context.today + timedelta(days=ahead or 7))


def week_from(match: re.Match[str], context: Context) -> Days | None:
    """Resolve "a week from tomorrow"."""
    return _single(context.today + timedelta(days=7 + context.words[_key(match["word"])]))


def last_of_month(match: re.Match[str], context: Context) -> Days | None:
    """Resolve "the last Sunday in May": `weekday` is a weekday or the weekend."""
    found = month_only(match, context)
    index = context.words.get(_key(match["weekday"]), 5)
    if found is None:
        return None
    last = found[1] - timedelta(days=(found[1].weekday() - index) % 7)
    return _single(last) if _key(match["weekday"]) in context.words else _two_days(last)


def weekend(match: re.Match[str], context: Context) -> Days | None:
    """Resolve "this weekend", "last weekend", "the weekend after next"; "next" is unclear."""
    groups = match.groupdict()
    saturday = context.today + timedelta(days=5 - context.today.weekday())
    weeks = 1 if groups.get("after_next") else -1 if groups.get("last") else 0
    return _two_days(saturday + timedelta(days=7 * weeks))


def _two_days(first: date) -> Days:
    last = first + timedelta(days=1)
    return first, last, f"{first} to {last}"


def day_of_named_month(match: re.Match[str], context: Context) -> Days | None:
    """Resolve "the 20th of next month"."""
    groups = match.groupdict()
    step = 1 if groups.get("next") else -1 if groups.get("last") else 0
    first, _, _ = _month_label(context.today, step)
    return _single(first.replace(day=_number(match["day"], context)))


def count(match: re.Match[str], context: Context) -> Days | None:
    """Resolve "in three weeks", "two days ago"."""
    number = match["number"]
    count = int(number) if number.isdecimal() else context.words[_key(number)]
    sign = -1 if match.groupdict().get("ago") else 1
    unit = context.words[_key(match["unit"])]
    if unit < MONTH:
        return _single(context.today + timedelta(days=sign * count * unit))
    if unit == MONTH:
        return _month_label(context.today, sign * count)
    year = context.today.year + sign * count
    return date(year, 1, 1), date(year, 12, 31), str(year)


MONTH, YEAR = 30, 365
"""Codes of units that are no fixed number of days."""


def period(match: re.Match[str], context: Context) -> Days | None:
    """Resolve "next week", "last month", "next year"."""
    groups = match.groupdict()
    step = 1 if groups.get("next") else -1 if groups.get("last") else 0
    unit = context.words[_key(match["unit"])]
    if unit == 7:
        monday = context.today + timedelta(days=7 * step - context.today.weekday())
        sunday = monday + timedelta(days=6)
        return monday, sunday, f"{monday} to {sunday}"
    if unit == MONTH:
        return _month_label(context.today, step)
    year = context.today.year + step
    return date(year, 1, 1), date(year, 12, 31), f"{year:04d}"


def _month_label(day: date, step: int) -> Days:
    year, month = divmod(day.year * 12 + day.month - 1 + step, 12)
    return _whole_month(year, month + 1)


def _whole_month(year: int, month: int) -> Days:
    first = date(year, month, 1)
    last = date(year, month, calendar.monthrange(year, month)[1])
    return first, last, f"{year:04d}-{month:02d}"


def month_day(match: re.Match[str], context: Context) -> Days | None:
    """Resolve a day and month, or a range of days within one; "5 and 6 May" is a range too."""
    groups = match.groupdict()
    month = _number(match["month"], context)
    first = _in_year(month, _number(match["day"], context), _year(match, context), context)
    if first is None or not groups.get("day2"):
        return _single(first) if first else None
    last = first.replace(day=_number(groups["day2"], context))
    if last <= first or (groups.get("and") and (last - first).days > 1):
        return None
    return first, last, f"{first} to {last}"


def _year(match: re.Match[str], context: Context) -> int | None:
    groups = match.groupdict()
    if groups.get("year"):
        return int(groups["year"])
    for name, step in (("next_year", 1), ("last_year", -1), ("this_year", 0)):
        if groups.get(name):
            return context.today.year + step
    return context.year


def _in_year(month: int, day: int, year: int | None, context: Context) -> date | None:
    """Return the day in the given year, else the one that tense and distance speak for.

    A past verb may tell of a plan ("they moved it to 9 July"), and a verb that no list knows
    looks like none of the past: a much nearer day on the other side wins, or nothing does.
    """
    if year:
        return date(year, month, day)
    before, after = (_toward(month, day, context.today, step) for step in (-1, 1))
    if context.since or before is None or after is None:
        return before if context.since else before or after
    ago, ahead = (context.today - before).days, (after - context.today).days
    if context.past:
        doubtful = ago > 200 and ahead < 150
        return before if not doubtful else after if context.planned else None
    near = (ago < 60 and ahead > 300) if context.past is False else ago * 2 < ahead
    return before if near and not context.planned else after


def _toward(month: int, day: int, today: date, step: int) -> date | None:
    """Return the first such day from today on, into the past if `step` is -1."""
    for year in range(today.year, today.year + 9 * step, step):
        try:
            found = date(year, month, day)
        except ValueError:  # 29 February
            continue
        if (found - today).days * step >= 0:
            return found
    return None


def month_only(match: re.Match[str], context: Context) -> Days | None:
    """Resolve "in March", the whole month; a much nearer one wins over the tense."""
    groups = match.groupdict()
    month = _number(match["month"], context)
    year = _year(match, context)
    if year is not None:
        return _whole_month(year, month)
    ago, ahead = (context.today.month - month) % 12, (month - context.today.month) % 12
    if groups.get("since") or groups.get("last") or context.since:
        return _month_label(context.today, -ago)
    if groups.get("next"):
        return _month_label(context.today, ahead)
    if context.past and ago >= 7:
        return _month_label(context.today, ahead) if context.planned else None
    back = context.past or (ahead >= 9 and not context.planned)
    return _month_label(context.today, -ago if back else ahead)


def _number(word: str, context: Context) -> int:
    return int(word) if word.isdecimal() else context.words[_key(word)]


def day_of_month(match: re.Match[str], context: Context) -> Days | None:
    """Resolve "the 15th": the nearest month that has such a day, in the sentence's direction."""
    day = _number(match["day"], context)
    for step in range(12):
        first, last, _ = _month_label(context.today, -step if context.past else step)
        if not 1 <= day <= last.day:
            continue
        found = first.replace(day=day)
        if (found < context.today) if context.past else (found >= context.today):
            return _single(found)
    return None


def weekday_of_month(match: re.Match[str], context: Context) -> Days | None:
    """Resolve "Saturday the 27th": the nearest such day of the coming or the last three months.

    Unless it is past, only a month back.
    """
    day, index = _number(match["day"], context), context.words[_key(match["weekday"])]
    back = -92 if context.past and not context.planned else -31
    around = (context.today + timedelta(days=days) for days in range(back, 93))
    fitting = [found for found in around if found.day == day and found.weekday() == index]
    near = min(fitting, key=lambda found: abs(found - context.today), default=None)
    return _single(near) if near else None


def _key(word: str) -> str:
    return re.sub(r"\s+", " ", word.casefold().rstrip("."))


# --- grammars ------------------------------------------------------------------------------


def words(*tables: dict[str, int]) -> dict[str, int]:
    """Join tables of words."""
    return {word: value for table in tables for word, value in table.items()}


def listed(words: str, start: int = 0) -> dict[str, int]:
    """Number space-separated words from `start`; `a|b` are names of the same thing."""
    return {
        name.replace("_", " "): number
        for number, names in enumerate(words.split(), start)
        for name in names.split("|")
    }


def any_of(words: dict[str, int]) -> str:
    """Return a pattern of all words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def in_a_row(days: str, joiner: str) -> re.Pattern[str]:
    """Return a pattern of two or more weekdays with only a joiner or a space between them."""
    return re.compile(rf"\b(?:{days})(?:(?:\s*(?:{joiner})\s*|\s+)(?:{days})\b)+", re.IGNORECASE)


def rule(pattern: str, resolve: Resolver) -> tuple[re.Pattern[str], Resolver]:
    """Compile one expression of a language with spaces; `_` stands for white space."""
    spaced = pattern.replace("~", r"\s+")
    return re.compile(f"{_NOT_IN_NAME}(?:{spaced}){_NAME_ENDS}", re.IGNORECASE), resolve


def last_verb_is_past(past: str, future: str) -> Callable[[str, int], bool | None]:
    """Build a test of the nearest tense marker before a date, else of the first one behind."""
    markers = re.compile(rf"(?<![\w'])(?:(?P<future>{future})|(?P<past>{past}))(?!\w)", re.I)

    def is_past(text: str, position: int) -> bool | None:
        before = list(markers.finditer(text, max(0, position - 120), position))
        nearest = before[-1] if before else markers.search(text, position, position + 120)
        return bool(nearest["past"]) if nearest else None

    return is_past


def glued(pattern: str, resolve: Resolver) -> tuple[re.Pattern[str], Resolver]:
    """Compile one expression of a language without spaces."""
    return re.compile(pattern), resolve


def contains_past(past: str, future: str) -> Callable[[str, int], bool | None]:
    """Build a test of the clause behind a date, for languages without spaces."""
    was, will = re.compile(past), re.compile(future)

    def is_past(text: str, position: int) -> bool | None:
        clause = re.split(r"[，。；、！？,;.!?]", text[position : position + 60])[0]
        if will.search(clause):
            return False
        return True if was.search(clause) else None

    return is_past
