"""The days that a text speaks of, for what is coming up: those without a year are the next ones."""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime, time

from hippod import timespans
from hippod.extraction import dates as sentence_dates

LOOKED_AT = 1_000
"""Characters of a text that are read."""


@dataclass(frozen=True, slots=True)
class Days:
    """Days that a text names, both inclusive, and where in the text.

    `exact` is false for a month or year as a whole; `until` says that only their end is meant
    ("by", "until").
    """

    first: date
    last: date
    start: int
    end: int
    exact: bool = True
    until: bool = False

    @property
    def is_one(self) -> bool:
        """Whether it is a single day."""
        return self.first == self.last


def named(text: str, anchor: date | None) -> tuple[Days, ...]:
    """Return the days that `text` names, in order; relative ones are counted from `anchor`.

    Without an anchor only those with a year are read. Any text is safe.
    """
    text = text[:LOOKED_AT]
    found = [*_with_year(text), *_month_of_year(text)]
    if anchor:
        found += [*_without_year(text, anchor), *_in_words(text, anchor)]
    chosen: list[Days] = []
    for each in found:  # earlier readers are surer
        if all(each.end <= other.start or other.end <= each.start for other in chosen):
            chosen.append(each)
    return tuple(sorted(chosen, key=lambda each: each.start))


_YEAR = re.compile(r"(?:19|20)\d\d")


def _with_year(text: str) -> list[Days]:
    if not _YEAR.search(text):
        return []
    found = []
    for span in timespans.read(text, _NOON):
        if span.around or span.until is None or not _YEAR.search(span.text):
            continue  # "around", "since" and "after" name no day
        first = span.since or span.until
        end = span.start + len(span.text)
        exact = span.precision in ("day", "week")
        found.append(Days(first, span.until, span.start, end, exact, span.since is None))
    return found


_NOON = datetime.combine(date(2000, 1, 1), time(12))
"""Dates with a year are the same from wherever they are read."""


def _month_of_year(text: str) -> list[Days]:
    """Read `12/2026`, as it stands on cards and passports."""
    found = []
    for match in _MONTH_OF_YEAR.finditer(text):
        year, month = int(match["year"]), int(match["month"])
        first, last = date(year, month, 1), date(year, month, monthrange(year, month)[1])
        found.append(Days(first, last, match.start(), match.end(), exact=False))
    return found


_MONTH_OF_YEAR = re.compile(r"(?<![\d./-])(?P<month>0?[1-9]|1[0-2])/(?P<year>20\d\d)(?![\d/])")


def _without_year(text: str, anchor: date) -> list[Days]:
    """Read `3.12.` and `03.12`, the next one from the anchor on, or the last one in the past."""
    found = []
    for match in _DAY_AND_MONTH.finditer(text):
        if day := _next(int(match["month"]), int(match["day"]), anchor):
            found.append(Days(day, day, match.start(), match.end(), until=bool(match["until"])))
    return found


_DAY_AND_MONTH = re.compile(
    r"(?<![\w.,:/-])(?:(?P<until>bis|spätestens)\s+(?:zum\s+|am\s+)?)?(?P<day>0?[1-9]|[12]\d|3[01])\."
    r"\s?(?P<month>0?[1-9]|1[0-2])\.(?!\s?\d)",
    re.IGNORECASE,
)


def _next(month: int, day: int, anchor: date) -> date | None:
    for year in (anchor.year, anchor.year + 1):
        try:
            found = date(year, month, day)
        except ValueError:
            continue
        if (found - anchor).days >= -_JUST_GONE:
            return found
    return None


_JUST_GONE = 60
"""Days that a date without a year may lie back from when it was said."""


def _in_words(text: str, anchor: date) -> list[Days]:
    found = []
    for each in sentence_dates.find(text, anchor):
        until = _UNTIL.search(text[max(0, each.start - 20) : each.start]) is not None
        exact = (each.last - each.first).days < 25  # a month or a year is vague
        found.append(Days(each.first, each.last, each.start, each.end, exact, until))
    return found


_UNTIL = re.compile(
    r"\b(?:by|until|till|before|bis(?:\s+zum|\s+zur)?|spätestens(?:\s+am)?|hasta(?:\s+el)?|antes\s+del?|"
    r"jusqu['’]au|avant(?:\s+le)?|até|antes\s+d[eo])\s+(?:the\s+|end\s+of\s+)?$",
    re.IGNORECASE,
)
