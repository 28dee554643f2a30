"""The days that a text speaks of, for what is coming up: those without a year are the next ones."""

import re
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import lru_cache

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
    return _named(text, anchor) if _HINT.search(text.lower()) else ()


@lru_cache(maxsize=32_768)
def _named(text: str, anchor: date | None) -> tuple[Days, ...]:
    """Read a text once: each item of a checklist asks for the days of the same facts."""
    found = [*_with_year(text), *_month_of_year(text)]
    if anchor:
        found += [*_without_year(text, anchor), *_in_words(text, anchor)]
    chosen: list[Days] = []
    for each in found:  # earlier readers are surer
        if all(each.end <= other.start or other.end <= each.start for other in chosen):
            chosen.append(each)
    return tuple(sorted(chosen, key=lambda each: each.start))


def may_fall_within(text: str, said: date | None, first: date, last: date) -> bool:
    """Say whether a text may name a day from `first` to `last`: cheap, and never wrongly no.

    Most facts speak of days close to when they were said, or name a month.
    """
    may_be_close, may_be_far, months = _hints(text[:LOOKED_AT])
    if may_be_far or (may_be_close and (said is None or (first - said).days <= _CLOSE)):
        return True
    return any((month - first.month) % 12 <= _months_between(first, last) for month in months)


@lru_cache(maxsize=32_768)
def _hints(text: str) -> tuple[bool, bool, frozenset[int]]:
    """Say whether a text may name a day at all, one that is far away, and which months."""
    text = text.lower()  # patterns that take both cases are slow
    if not _HINT.search(text):
        return False, False, frozenset()
    return True, bool(_FAR.search(text)), frozenset(map(_month_of, _OF_MONTH.finditer(text)))


def _months_between(first: date, last: date) -> int:
    return min((last.year - first.year) * 12 + last.month - first.month, 11)


def _month_of(match: re.Match[str]) -> int:
    number = match["iso"] or match["dotted"]
    return int(number) if number else _MONTH_STEMS[match["name"]]


_CLOSE = 45
"""Days that "next week" or "on Friday" reach at most from when they are said."""
_FAR = re.compile(
    r"month|monat|\bmes\b|meses|mois|mês|year|jahr|año|\ban(?:s|née)?\b|\banos?\b|quarter|quartal|week|woche|seman|semai|"
    r"in\s+\d+|\d+\s+(?:days?|tage|jours|d[ií]as)|\d/\d|[^\x00-\u024f]|\b(?:every|each|jede|cada|chaque|tous|todos|los)|"
    r"(?:day|tag)s\b|mittwochs|\d(?:st|nd|rd|th)?\s+(?:of\s+)?(?:each|every|the|this|next)\b|\d\.(?:\s(?![a-z])|$)|"
    r"\bthe\s+\d+(?:st|nd|rd|th)\b(?!\s+(?:of\s+)?[a-z])",
)
"""What may be far away, or come again, without the name of a month."""
_MONTH_STEMS = {
    stem: number
    for number, stems in enumerate(
        (
            "jan ene",
            "feb fév fev",
            "mar mär",
            "apr avr abr",
            "may mai",
            "jun juin",
            "jul juil",
            "aug ago aoû",
            "sep set",
            "oct okt out",
            "nov",
            "dec dez déc dic",
        ),
        1,
    )
    for stem in stems.split()
}
_OF_MONTH = re.compile(
    r"\d{4}-(?P<iso>\d\d)|\d\.\s?(?P<dotted>\d\d?)\b|"
    rf"\b(?P<name>{'|'.join(sorted(_MONTH_STEMS, key=len, reverse=True))})",
)
_HINT = re.compile(
    r"\d|[^\x00-\u024f]|day|tag|week|woche|month|monat|year|jahr|morning|noon|evening|night|morrow|later|ago\b|morgen|gestern|"
    r"heute|abend|nacht|mittag|wochenende|mittwoch|\b(?:mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so)\b|"
    r"\b(?:jan|feb|fév|fev|m[aä]r|apr|avr|abr|ma[iy]|jun|jui|jul|aug|ago|aoû|sep|set|o[ckt]t|out|nov|de[cz]|déc|dic|ene)|"
    r"hoy|ayer|mañana|semana|\bmes|\baño|noche|tarde|lunes|martes|coles|jueves|viernes|sábado|sabado|doming|"
    r"hier|demain|jour|semaine|mois|\ban(?:s|née)?\b|soir|nuit|matin|lundi|mardi|credi|jeudi|vendredi|samedi|dimanche|"
    r"hoje|ontem|amanhã|amanha|mês|\bano|\bdia|día|noite|feira",
)
"""What a text has that names a day in one of the languages; most facts name none."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january januar",
            "february februar",
            "march märz",
            "april",
            "may mai",
            "june juni",
            "july juli",
            "august",
            "september",
            "october oktober",
            "november",
            "december dezember",
        ),
        1,
    )
    for name in names.split()
}
_WITH_YEAR = re.compile(
    r"(?<![\w.,:/-])(?:(?P<y1>(?:19|20)\d\d)-(?P<m1>[01]\d)-(?P<d1>[0-3]\d)|(?P<d2>[0-3]?\d)\.(?P<m2>[01]?\d)\.(?P<y2>(?:19|20)\d\d)|"
    rf"(?P<d3>[0-3]?\d)(?:st|nd|rd|th|\.)?\s(?P<m3>{'|'.join(_MONTHS)})\s(?P<y3>(?:19|20)\d\d)|"
    rf"(?P<m4>{'|'.join(_MONTHS)})\s(?P<d4>[0-3]?\d)(?:st|nd|rd|th)?,?\s(?P<y4>(?:19|20)\d\d))(?![\w/-]|[.:]\d)",
    re.IGNORECASE,
)
"""Days written in full."""
_RANGE = re.compile(
    r"\b(?:since|seit|around|about|circa|ca|after|nach|from|ab|between|zwischen|depuis|desde|después|après|entre|de|du|"
    r"vers|hacia|por|apr[eè]s|depois|until|till|by|bis|before|vor|hasta|antes|jusqu|avant|até|to|and|und|or|early|late|mid|"
    r"start|end|beginning)\W{0,3}(?:\w+\W{1,3})?$|[–—~→…-]\s*$",
    re.IGNORECASE,
)
"""What makes more, or less, of a date behind it than its day."""


def _plain_dates(text: str) -> list[Days] | None:
    """Return the days written in full of a text that names years nowhere else, or None if more
    is to be read."""
    found = []
    for match in _WITH_YEAR.finditer(text):
        if _RANGE.search(text[max(0, match.start() - 24) : match.start()]):
            return None
        try:
            year, month, number = _parts(match)
            day = date(int(year), _MONTHS.get(month.casefold()) or int(month), int(number))
        except ValueError:
            return None
        found.append(Days(day, day, match.start(), match.end()))
    return None if _YEAR.search(_WITH_YEAR.sub("", text)) else found


def months(text: str) -> frozenset[int]:
    """Return the months that a text names in full, as in "the rent for December"."""
    return frozenset(_MONTHS[match[1].casefold()] for match in MONTH.finditer(text[:LOOKED_AT]))


MONTH = re.compile(
    rf"\b({'|'.join(name for name in _MONTHS if name != 'may')}|(?<=\bfor )may|(?<=\bof )may)\b",
    re.IGNORECASE,
)
"""The name of a month; "may" is one behind "for" and "of"."""


def _parts(match: re.Match[str]) -> list[str]:
    """Return the year, the month and the day as they are written."""
    return [
        next(match[f"{part}{form}"] for form in "1234" if match[f"{part}{form}"]) for part in "ymd"
    ]


def _with_year(text: str) -> list[Days]:
    if not _YEAR.search(text):
        return []
    if (plain := _plain_dates(text)) is not None:
        return plain
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
    r"(?<![\w.,:/])(?<!\w-)(?:(?P<until>bis|spätestens)\s+(?:zum\s+|am\s+)?)?(?P<day>0?[1-9]|[12]\d|3[01])\."
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
    found: list[Days] = []
    if not _HINT.search(_WITH_YEAR.sub("", text.lower())):
        return found
    text = _COLON.sub(",", text)  # "Dec 1: the cake" is no time of day
    cut = [match.span() for match in _WEEKDAY.finditer(text)]
    for each in _dates_in_words(_WEEKDAY.sub("", text), anchor):
        start, end = (_before_cuts(place, cut) for place in (each.start, each.end))
        until = _UNTIL.search(text[max(0, start - 20) : start]) is not None
        exact = (each.last - each.first).days < 25  # a month or a year is vague
        found.append(Days(each.first, each.last, start, end, exact, until))
    return found


_COLON = re.compile(r"(?<=[^\W\d_]\s\d):(?=\s)|(?<=[^\W\d_]\s\d\d):(?=\s)")
"""What stands behind a date that leads a line."""


def _dates_in_words(text: str, anchor: date) -> Sequence[sentence_dates.Found]:
    """Read a text in its language; a short one with a date may be of another than it seems."""
    found = sentence_dates.find(text, anchor)
    if found or not _NAMED_DATE.search(text):
        return found
    return sentence_dates.find(text, anchor, ("en",)) or sentence_dates.find(text, anchor, ("de",))


_NAMED_DATE = re.compile(
    rf"\d(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(?:{'|'.join(_MONTHS)})\b|\b(?:{'|'.join(_MONTHS)})\s+\d",
    re.IGNORECASE,
)


def _before_cuts(place: int, cut: Sequence[tuple[int, int]]) -> int:
    """Return where a place was before these spans were cut out."""
    for start, end in cut:
        if start < place:
            place += end - start
    return place


_WEEKDAY = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|tue|wed|thu|fri|sat|sun)\b\.?|"
    r"(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|lunes|martes|miércoles|jueves|viernes|sábado|domingo|"
    r"lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche),?\s+(?:den\s+|the\s+|el\s+|le\s+)?"
    r"(?=\d{1,2}(?:st|nd|rd|th|\.)?\s+(?:of\s+|de\s+)?[^\W\d_]{3}|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z.]*\s+\d)",
    re.IGNORECASE,
)
"""A weekday that stands before its date and says no more than that."""

_UNTIL = re.compile(
    r"\b(?:by|until|till|before|bis(?:\s+zum|\s+zur)?|spätestens(?:\s+am)?|hasta(?:\s+el)?|antes\s+del?|"
    r"jusqu['’]au|avant(?:\s+le)?|até|antes\s+d[eo])\s+(?:the\s+|end\s+of\s+)?$",
    re.IGNORECASE,
)
