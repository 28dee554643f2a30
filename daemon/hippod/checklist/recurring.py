"""Days that come again as a text tells them: "every Tuesday", "on the 5th of each month"."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import lru_cache

from hippod.checklist import days


def within(text: str, first: date, last: date) -> Iterator[date]:
    """Yield the days from `first` to `last` on which what a text speaks of comes again, in order.

    Of "every other Tuesday" all are possible ones: see `is_certain`.
    """
    weekdays, numbers = _read(text[: days.LOOKED_AT])
    if not weekdays and not numbers:
        return
    for distance in range((last - first).days + 1):
        day = first + timedelta(distance)
        is_last = (day + timedelta(1)).month != day.month
        if (
            day.weekday() in weekdays
            or day.day in numbers
            or (is_last and max(numbers, default=0) > day.day)
        ):
            yield day


def is_certain(text: str) -> bool:
    """Say whether it comes again on each of those days, and not on some of them."""
    return not is_named(text) or not _SOMETIMES.search(text[: days.LOOKED_AT])


def is_named(text: str) -> bool:
    """Say whether a text tells of something that comes again on certain days."""
    return any(_read(text[: days.LOOKED_AT]))


@lru_cache(maxsize=16_384)
def _read(text: str) -> tuple[frozenset[int], frozenset[int]]:
    """Return the weekdays (Monday is 0) and the days of each month; a 31st is the last one."""
    if not _HINT.search(text) or _OVER.search(text):
        return frozenset(), frozenset()
    weekdays = {
        weekday(name.group())
        for match in _WEEKLY.finditer(text)
        for name in _WEEKDAY.finditer(match[0])
    }
    numbers = {
        int(number) for match in _MONTHLY.finditer(text) for number in match.groups() if number
    }
    if _MONTH_END.search(text):
        numbers.add(31)
    if _MONTH_START.search(text):
        numbers.add(1)
    return frozenset(weekdays), frozenset(number for number in numbers if 1 <= number <= 31)


_WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (
            "mon lun",
            "tue die mar",
            "wed mit mié mer",
            "thu don jue jeu",
            "fri fre vie ven",
            "sat sam sáb",
            "sun son dom dim",
        )
    )
    for name in names.split()
}  # fmt: skip


def weekday(name: str) -> int:
    """Return the number of a weekday by its name in one of the languages; Monday is 0."""
    return _WEEKDAYS[name.casefold()[:3]]


_STEP = r"(?:other|second|third|fourth|two|three|zweiten?|dritten?|zwei|drei|dos|[2-9])"
_NAMES = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|sonnabends?|mittwochs?|"
    r"lunes|martes|miércoles|jueves|viernes|sábados?|domingos?|lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|"
    r"dimanches?)"
)
_WEEKDAY = re.compile(_NAMES, re.IGNORECASE)
_AND = rf"(?:\s*(?:,|&|and|und|y|et|,\s*and)\s+(?:every\s+|jeden\s+|los\s+)?{_NAMES})*"
_WEEKLY = re.compile(
    rf"\b(?:every|each|jede[nmrs]?|cada|chaque|tous\s+les|todos\s+los)\s+(?:{_STEP}\s+)?{_NAMES}{_AND}\b"
    rf"|\b(?:on\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)days\b(?:\s*(?:,|&|and)\s+{_NAMES})*"
    r"|\b(?:montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags)\b(?:\s*(?:,|und)\s+\w+tags\b)*"
    rf"|\blos\s+{_NAMES}\b",
    re.IGNORECASE,
)
_DAY = r"\d{1,2}"
_MONTHLY = re.compile(
    rf"\b(?P<of>{_DAY})(?:st|nd|rd|th)\s+(?:day\s+)?of\s+(?:each|every|the)\s+month\b"
    rf"|\b(?:every|each)\s+(?:month\W{{1,3}}(?:on|by)\s+(?:the\s+)?)?(?P<on>{_DAY})(?:st|nd|rd|th)\b(?!\s+(?:of\s+)?(?:day|week|[A-Z]))"
    rf"|\b(?:jede[nms]?\s+)?(?P<de>{_DAY})\.\s+(?:eines\s+)?(?:jede[ns]|des)\s+monats\b"
    rf"|\b(?P<rom>{_DAY})(?:er)?\s+(?:de\s+cada\s+mes|de\s+chaque\s+mois|du\s+mois)\b"
    rf"|\b(?:monthly|every\s+month|each\s+month)\b\W{{1,3}}(?:on|by)\s+the\s+(?P<each>{_DAY})(?:st|nd|rd|th)\b"
    rf"|\b(?:monatlich|jeden\s+monat)\b\W{{1,3}}(?:am|zum|bis\s+zum)\s+(?P<am>{_DAY})\.(?!\s?\d)",
    re.IGNORECASE,
)
_MONTH_END = re.compile(
    r"\b(?:last\s+day\s+of\s+(?:each|every|the)\s+month|(?:at\s+the\s+)?end\s+of\s+(?:each|every)\s+month|"
    r"(?:letzten\s+tag|ende)\s+(?:jedes|jeden)\s+monats)\b",
    re.IGNORECASE,
)
_MONTH_START = re.compile(
    r"\b(?:every\s+first\s+(?:day\s+)?of\s+(?:the|each|a)\s+month|(?:on\s+)?the\s+first\s+(?:day\s+)?of\s+(?:each|every)\s+month|"
    r"jeden\s+ersten\s+(?:tag\s+)?(?:des|im)\s+monats?|(?:am|zum)\s+ersten\s+(?:tag\s+)?(?:jedes|jeden|eines\s+jeden)\s+monats)\b",
    re.IGNORECASE,
)
_HINT = re.compile(
    r"month|monat|mes\b|mois|every|each|jede|cada|chaque|tous|todos|days\b|tags\b|mittwochs|\blos\b",
    re.IGNORECASE,
)
_SOMETIMES = re.compile(
    rf"\b(?:(?:every|each|jede[nrs]?|alle|cada)\s+{_STEP}|biweekly|fortnight\w*|alternate|usually|sometimes|often|meistens|manchmal|"
    r"except|außer)\b",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"\b(?:used\s+to|früher|no\s+longer|not\s+any\s*more|nicht\s+mehr|(?:is|are)\s+over|stop(?:s|ped)|ended|vorbei|beendet|"
    r"was|were|went|had|war|waren|hatten?|ging(?:en)?|"
    r"(?:first|second|third|fourth|last|[1-5](?:st|nd|rd|th)|erste[nr]?|zweite[nr]?|dritte[nr]?|letzte[nr]?)\s+"
    rf"{_NAMES}\s+(?:of|in|im|des))\b",
    re.IGNORECASE,
)
"""What does not come again, or on a day of the month that is not read."""
