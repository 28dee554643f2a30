"""Dates inside sentences: append ISO dates to relative, weekday and partial expressions.

Conventions: a bare or "next" weekday is the first one after the message's day ("next Tuesday"
said on a Tuesday is seven days later), in a past sentence the last one before it. A day and
month without a year is the nearest one in the direction of the sentence. Recurring days
("every Friday", "Mondays") and what stays ambiguous are left alone.
"""

import calendar
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from hippod.language import LANGUAGES, guess


@dataclass(frozen=True, slots=True)
class Found:
    """A date expression: its span in the text and the days it covers, both inclusive.

    `label` is what is written for it: `2026-03-17`, `2026-04`, `2027`, or `A to B`.
    """

    start: int
    end: int
    first: date
    last: date
    label: str


def annotate(
    text: str, said: datetime | None, zone: tzinfo, languages: Sequence[str] = LANGUAGES
) -> str:
    """Append ` (ISO)` to every date expression that `text`, said at `said`, resolves.

    `said` is aware; the day is the one it had in `zone`. None leaves the text unchanged, and
    so does an expression that is followed by an ISO date. Annotating twice changes nothing.
    """
    if said is None:
        return text
    parts: list[str] = []
    done = 0
    for found in find(text, said.astimezone(zone).date(), languages):
        parts += [text[done : found.end], f" ({found.label})"]
        done = found.end
    return "".join([*parts, text[done:]])


def find(text: str, today: date, languages: Sequence[str] = LANGUAGES) -> list[Found]:
    """Return the date expressions of `text` that have no ISO date yet, in order."""
    language = guess(text, languages, default=languages[0] if languages else "en")
    grammar = _GRAMMARS.get(language)
    if grammar is None:
        return []
    taken = [match.span() for match in _ANNOTATED.finditer(text)]
    return [
        found
        for found in _ranges(text, _spans(text, today, grammar), grammar)
        if not _ISO_NEAR.match(text, found.end)
        and not any(found.start < end and start < found.end for start, end in taken)
    ]


def mentions(text: str, languages: Sequence[str] = LANGUAGES) -> bool:
    """Tell whether `text` names a day, month or recurring time, other than today."""
    language = guess(text, languages, default=languages[0] if languages else "en")
    grammar = _GRAMMARS.get(language)
    if grammar is None:
        return bool(_ISO.search(text))
    anchor = date(2001, 1, 1)
    named = any(found.first != anchor for found in _spans(text, anchor, grammar))
    return named or bool(_ISO.search(text) or grammar.recurring.search(text))


_ISO = re.compile(r"\b\d{4}-\d{2}(?:-\d{2})?\b")
_ISO_NEAR = re.compile(r"[\s,:=]{0,3}[(（\[]?\s?\d{4}-\d{2}|\s?[(（]\d{4}[)）]")
_ADJACENT = re.compile(r",?\s?(?:the\s|den\s|dem\s|el\s|le\s|dia\s)?[(（]?")
_ANNOTATED = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_NOT_IN_NAME = r"(?<![\w/@#.\\-])"
_NAME_ENDS = r"(?![\w/@\\]|[.-]\w|['’]\w{2})"


@dataclass(frozen=True, slots=True)
class _Context:
    today: date
    past: bool
    words: dict[str, int]


_Resolver = Callable[["re.Match[str]", _Context], tuple[date, date, str] | None]


@dataclass(frozen=True, slots=True)
class _Grammar:
    rules: tuple[tuple[re.Pattern[str], _Resolver], ...]
    joiner: re.Pattern[str]
    recurring: re.Pattern[str]
    past: Callable[[str, int], bool]
    words: dict[str, int]


def _spans(text: str, today: date, grammar: _Grammar) -> list[Found]:
    """Find what the rules match, earlier rules first, without overlaps."""
    chosen: list[Found] = []
    for pattern, resolve in grammar.rules:
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(start < other.end and other.start < end for other in chosen):
                continue
            context = _Context(today, grammar.past(text, start), grammar.words)
            resolved = _resolved(match, resolve, context)
            if resolved:
                chosen.append(Found(start, end, *resolved))
    return sorted(chosen, key=lambda found: found.start)


def _resolved(
    match: re.Match[str], resolve: _Resolver, context: _Context
) -> tuple[date, date, str] | None:
    try:
        return resolve(match, context)
    except (ValueError, OverflowError):  # no such day, or outside the calendar
        return None


def _ranges(text: str, spans: list[Found], grammar: _Grammar) -> Iterator[Found]:
    """Join `A to B` into one expression."""
    position = 0
    while position < len(spans):
        first = spans[position]
        second = spans[position + 1] if position + 1 < len(spans) else None
        if second and _is_day(first) and _is_day(second):
            if _ADJACENT.fullmatch(text, first.end, second.start):
                yield Found(first.start, second.end, second.first, second.last, second.label)
                position += 2
                continue
            joined = grammar.joiner.fullmatch(text, first.end, second.start)
            last = _following(first.first, second) if joined else None
            if last:
                label = f"{first.first} to {last}"
                yield Found(first.start, second.end, first.first, last, label)
                position += 2
                continue
        yield first
        position += 1


def _is_day(found: Found) -> bool:
    return found.first == found.last


def _following(first: date, second: Found) -> date | None:
    """Return the end of a range: on or after its start, a week or a year later if need be."""
    if second.first > first:
        return second.first
    if (first - second.first).days < 7:
        return second.first + timedelta(days=7)
    try:
        return second.first.replace(year=second.first.year + 1)
    except (ValueError, OverflowError):
        return None


# --- resolvers: a match and the day it was said → first day, last day, label --------------


def _single(day: date) -> tuple[date, date, str]:
    return day, day, day.isoformat()


def _offset(match: re.Match[str], context: _Context) -> tuple[date, date, str] | None:
    return _single(context.today + timedelta(days=context.words[_key(match["word"])]))


def _weekday(match: re.Match[str], context: _Context) -> tuple[date, date, str] | None:
    groups = match.groupdict()
    index = context.words[_key(match["weekday"])]
    ahead = (index - context.today.weekday()) % 7
    monday = context.today - timedelta(days=context.today.weekday())
    if groups.get("next_week"):
        return _single(monday + timedelta(days=7 + index))
    if groups.get("last_week"):
        return _single(monday + timedelta(days=index - 7))
    if groups.get("this"):
        return _single(context.today + timedelta(days=ahead))
    if groups.get("last") or groups.get("since") or (context.past and not groups.get("next")):
        return _single(context.today - timedelta(days=7 - ahead if ahead else 7))
    return _single(context.today + timedelta(days=ahead or 7))


def _count(match: re.Match[str], context: _Context) -> tuple[date, date, str] | None:
    number = match["number"]
    count = int(number) if number.isdecimal() else context.words[_key(number)]
    sign = -1 if match.groupdict().get("ago") else 1
    unit = context.words[_key(match["unit"])]
    if unit < _MONTH:
        return _single(context.today + timedelta(days=sign * count * unit))
    if unit == _MONTH:
        return _month_label(context.today, sign * count)
    year = context.today.year + sign * count
    return date(year, 1, 1), date(year, 12, 31), str(year)


_MONTH, _YEAR = 30, 365


def _period(match: re.Match[str], context: _Context) -> tuple[date, date, str] | None:
    """Resolve "next week", "last month", "next year"."""
    groups = match.groupdict()
    step = 1 if groups.get("next") else -1 if groups.get("last") else 0
    unit = context.words[_key(match["unit"])]
    if unit == 7:
        monday = context.today + timedelta(days=7 * step - context.today.weekday())
        sunday = monday + timedelta(days=6)
        return monday, sunday, f"{monday} to {sunday}"
    if unit == _MONTH:
        return _month_label(context.today, step)
    year = context.today.year + step
    return date(year, 1, 1), date(year, 12, 31), f"{year:04d}"


def _month_label(day: date, step: int) -> tuple[date, date, str]:
    year, month = divmod(day.year * 12 + day.month - 1 + step, 12)
    return _whole_month(year, month + 1)


def _whole_month(year: int, month: int) -> tuple[date, date, str]:
    first = date(year, month, 1)
    last = date(year, month, calendar.monthrange(year, month)[1])
    return first, last, f"{year:04d}-{month:02d}"


def _month_day(match: re.Match[str], context: _Context) -> tuple[date, date, str] | None:
    groups = match.groupdict()
    month = _month_of(match["month"], context)
    first = _with_year(groups.get("year"), month, int(match["day"]), context)
    if first and groups.get("day2"):
        last = first.replace(day=int(groups["day2"]))
        return (first, last, f"{first} to {last}") if last > first else None
    return _single(first) if first else None


def _with_year(year: str | None, month: int, day: int, context: _Context) -> date | None:
    """Return the day with the given year, or the nearest one (29 February: a leap year)."""
    if year:
        return date(int(year), month, day)
    step = -1 if context.past else 1
    for candidate in range(context.today.year, context.today.year + 9 * step, step):
        try:
            found = date(candidate, month, day)
        except ValueError:
            continue
        if (found <= context.today) if context.past else (found >= context.today):
            return found
    return None


def _month_only(match: re.Match[str], context: _Context) -> tuple[date, date, str] | None:
    groups = match.groupdict()
    month = _month_of(match["month"], context)
    if groups.get("year"):
        return _whole_month(int(groups["year"]), month)
    past = context.past or bool(groups.get("since") or groups.get("last"))
    year = context.today.year
    if past and month > context.today.month:
        year -= 1
    elif not past and month < context.today.month:
        year += 1
    return _whole_month(year, month)


def _month_of(word: str, context: _Context) -> int:
    return int(word) if word.isdecimal() else context.words[_key(word)]


def _day_of_month(match: re.Match[str], context: _Context) -> tuple[date, date, str] | None:
    """Resolve "the 15th": the nearest month that has such a day, in the sentence's direction."""
    day = int(match["day"])
    for step in range(12):
        first, last, _ = _month_label(context.today, -step if context.past else step)
        if not 1 <= day <= last.day:
            continue
        found = first.replace(day=day)
        if (found < context.today) if context.past else (found >= context.today):
            return _single(found)
    return None


def _key(word: str) -> str:
    return re.sub(r"\s+", " ", word.casefold().rstrip("."))


# --- grammars ------------------------------------------------------------------------------


def _words(*tables: dict[str, int]) -> dict[str, int]:
    return {word: value for table in tables for word, value in table.items()}


def _listed(words: str, start: int = 0) -> dict[str, int]:
    """Number space-separated words from `start`; `a|b` are names of the same thing."""
    return {
        name.replace("_", " "): number
        for number, names in enumerate(words.split(), start)
        for name in names.split("|")
    }


def _any(words: dict[str, int]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def _rule(pattern: str, resolve: _Resolver) -> tuple[re.Pattern[str], _Resolver]:
    """Compile one expression of a language with spaces; `_` stands for white space."""
    spaced = pattern.replace("~", r"\s+")
    return re.compile(f"{_NOT_IN_NAME}(?:{spaced}){_NAME_ENDS}", re.IGNORECASE), resolve


def _last_verb_is_past(past: str, future: str) -> Callable[[str, int], bool]:
    """Build a test of the nearest tense marker before a date, else of the first one behind."""
    markers = re.compile(rf"(?<![\w'])(?:(?P<future>{future})|(?P<past>{past}))(?!\w)", re.I)

    def is_past(text: str, position: int) -> bool:
        before = list(markers.finditer(text, max(0, position - 120), position))
        nearest = before[-1] if before else markers.search(text, position, position + 120)
        return bool(nearest and nearest["past"])

    return is_past


_EN_DAYS = _listed("monday tuesday wednesday thursday friday saturday sunday")
_EN_DAY_SHORT = _listed("mon tue|tues wed thu|thur|thurs fri sat sun")
_EN_MONTHS = _listed(
    "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug"
    " september|sep|sept october|oct november|nov december|dec",
    1,
)
_EN_OFFSETS = {
    "the day before yesterday": -2, "yesterday": -1, "last night": -1, "today": 0, "tonight": 0,
    "this morning": 0, "this afternoon": 0, "this evening": 0, "tomorrow": 1,
    "the day after tomorrow": 2,
}  # fmt: skip
_EN_UNITS = {
    "day": 1, "days": 1, "week": 7, "weeks": 7, "fortnight": 14, "month": _MONTH,
    "months": _MONTH, "year": _YEAR, "years": _YEAR,
}  # fmt: skip
_EN_NUMBERS = _words(
    _listed("a|an|one two three four five six seven eight nine ten eleven twelve", 1),
    {"a couple of": 2},
)
_EN_BEFORE = r"(?<!every )(?<!each )(?<!other )(?<!any )(?<!most )(?<!second )(?<!third )(?<!first )(?<! a )(?<!fourth )(?<!from )(?<!per )(?<!all )"
_EN_EVERY = _EN_BEFORE.replace("(?<!from )", "")
_EN_AFTER = (
    r"(?!\s+(?:after~next|of~(?:the|each|every)|mornings|afternoons|evenings|nights|the~13th|fortnight"
    r"|week\b|in~two)|['’]s\b)".replace("~", r"\s+")
)  # fmt: skip

_ENGLISH = _Grammar(
    rules=(
        _rule(rf"(?P<word>{_any(_EN_OFFSETS)})", _offset),
        _rule(
            rf"{_EN_EVERY}(?:(?P<next_week>next~week~(?:on~)?)|(?P<last_week>last~week~(?:on~)?))"
            rf"(?P<weekday>{_any(_EN_DAYS)})",
            _weekday,
        ),
        _rule(
            rf"{_EN_EVERY}(?:on~)?(?P<weekday>{_any(_EN_DAYS)})~(?:of~)?"
            r"(?:(?P<next_week>next~week)|(?P<last_week>last~week))",
            _weekday,
        ),
        _rule(
            rf"{_EN_EVERY}(?:(?P<next>next|coming|upcoming)~|(?P<last>last|past)~|(?P<this>this)~|"
            rf"(?P<since>since)~)?(?P<weekday>{_any(_EN_DAYS)}){_EN_AFTER}",
            _weekday,
        ),
        _rule(
            rf"(?:on|(?P<next>next)|(?P<last>last)|(?P<this>this)|by|until|till)~"
            rf"(?P<weekday>(?-i:{'|'.join(word.title() for word in _EN_DAY_SHORT)})){_EN_AFTER}",
            _weekday,
        ),
        _rule(
            # "may" and "march" are verbs, "mar" a name: written small they need a preposition
            rf"(?P<month>(?!(?-i:may|march|mar)\b)(?:{_any(_EN_MONTHS)})|(?<=on )may|(?<=by )may|"
            r"(?<=until )may|(?<=before )may|(?<=from )may|(?<=on )march|(?<=by )march|(?<=until )march|"
            r"(?<=before )march|(?<=from )march)\.?~(?P<day>\d{1,2})(?:st|nd|rd|th)?"
            r"(?:\s*[-–]\s*(?P<day2>\d{1,2})(?:st|nd|rd|th)?(?![\d:]))?(?:,?~(?P<year>(?:19|20)\d\d))?"
            r"(?!\s*(?:[:%]|am\b|pm\b))",
            _month_day,
        ),
        _rule(
            rf"(?:the~)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?~(?:of~)?(?P<month>{_any(_EN_MONTHS)})"
            r"(?:,?~(?P<year>(?:19|20)\d\d))?",
            _month_day,
        ),
        _rule(
            rf"(?:in|by|until|till|from|during|starting|mid|early|late|end~of|(?P<since>since)|this|next|"
            rf"(?P<last>last))~(?P<month>(?-i:{'|'.join(word.title() for word in _EN_MONTHS)})"
            rf"|(?!mar\b|may\b){'|'.join(w for w in _EN_MONTHS if len(w) > 3 and w != 'march')})"
            r"(?:~(?P<year>(?:19|20)\d\d))?(?!\.?~\d)",
            _month_only,
        ),
        _rule(
            r"(?:on|until|till|by|before|from|since|after|through|is|to)~the~(?P<day>\d{1,2})(?:st|nd|rd|th)"
            r"(?!~(?:floor|of|century|time|place|birthday|grade|street|avenue|\w+~of)\b)",
            _day_of_month,
        ),
        _rule(rf"in~(?P<number>\d{{1,3}}|{_any(_EN_NUMBERS)})~(?P<unit>{_any(_EN_UNITS)})", _count),
        _rule(
            rf"(?P<number>\d{{1,3}}|{_any(_EN_NUMBERS)})~(?P<unit>{_any(_EN_UNITS)})~(?P<ago>ago)",
            _count,
        ),
        _rule(
            rf"{_EN_EVERY}(?:(?P<next>next)|(?P<last>last))~(?P<unit>week|month|year){_EN_AFTER}",
            _period,
        ),
    ),
    joiner=re.compile(r"\s*(?:to|until|till|through|thru|-|–|—)\s*(?:the\s+)?", re.IGNORECASE),
    recurring=re.compile(
        r"\b(?:every|each)\s+(?:\w+\s+){0,2}(?:day|week|month|year|morning|evening|night|quarter|hour|"
        r"(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b"
        r"|\b(?:daily|weekly|biweekly|monthly|quarterly|yearly|annually|weekdays|weekends|nightly)\b",
        re.IGNORECASE,
    ),
    past=_last_verb_is_past(
        past=r"was|were|had|did|went|came|got|saw|met|left|bought|sold|lost|broke|died|born|gave|took|spent|"
        r"happened|ago|(?!need|feed|speed|seed|indeed|embed|bed|red|shed|schedul|plann|suppos|expect|book|"
        r"propos|promis)\w{2,}ed",
        future=r"will|won't|\w+'ll|is|are|am|\w+'[sm]|\w+'re|to|starts?|leaves?|must|should|going|scheduled|"
        r"planned|supposed|expected|booked|by|before|until",
    ),
    words=_words(_EN_DAYS, _EN_DAY_SHORT, _EN_MONTHS, _EN_OFFSETS, _EN_UNITS, _EN_NUMBERS),
)

_DE_DAYS = _listed("montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag")
_DE_MONTHS = _listed(
    "januar|jänner|jan februar|feber|feb märz april|apr mai juni|jun juli|jul august|aug"
    " september|sept|sep oktober|okt november|nov dezember|dez",
    1,
)
_DE_OFFSETS = {
    "vorgestern": -2, "gestern": -1, "heute": 0, "morgen": 1, "übermorgen": 2,
}  # fmt: skip
_DE_UNITS = {
    "tag": 1, "tage": 1, "tagen": 1, "woche": 7, "wochen": 7, "monat": _MONTH,
    "monate": _MONTH, "monaten": _MONTH, "jahr": _YEAR, "jahre": _YEAR, "jahren": _YEAR,
}  # fmt: skip
_DE_NUMBERS = _words(
    _listed("einem|einer|ein|eine zwei drei vier fünf sechs sieben acht neun zehn elf zwölf", 1)
)
_DE_NEXT = r"nächste[nrs]?|kommende[nrs]?"
_DE_LAST = r"letzte[nrs]?|vergangene[nrs]?|vorige[nrs]?"

_GERMAN = _Grammar(
    rules=(
        _rule(
            r"(?<!am )(?<!guten )(?<!heute )(?<!gestern )(?<!jeden )"
            rf"(?P<word>{_any(_DE_OFFSETS)})(?!~morgen\b)",
            _offset,
        ),
        _rule(r"(?P<word>heute|gestern)(?=~morgen\b)", _offset),
        _rule(
            rf"(?:(?P<next_week>(?:{_DE_NEXT})~woche)|(?P<last_week>(?:{_DE_LAST})~woche))~(?:am~)?"
            rf"(?P<weekday>{_any(_DE_DAYS)})",
            _weekday,
        ),
        _rule(
            r"(?<!jeden )(?<!jeder )(?<!zweiten )(?<!einem )(?<!einen )(?:(?:am|bis|ab|zum|bis~zum)~)?"
            rf"(?:(?P<next>{_DE_NEXT})~|(?P<last>{_DE_LAST})~|(?P<this>diesen|dieser)~|(?P<since>seit)~)?"
            rf"(?P<weekday>{_any(_DE_DAYS)})(?!~(?:im|des|der)~(?:monat|jahr))",
            _weekday,
        ),
        _rule(
            r"(?P<day>\d{1,2})\.?\s*(?:bis~(?:zum~)?|[-–]\s*)(?P<day2>\d{1,2})\.\s*"
            rf"(?P<month>{_any(_DE_MONTHS)})\.?(?:~(?P<year>(?:19|20)\d\d))?",
            _month_day,
        ),
        _rule(
            rf"(?P<day>\d{{1,2}})\.\s*(?P<month>{_any(_DE_MONTHS)})(?:\.?~(?P<year>(?:19|20)\d\d))?",
            _month_day,
        ),
        _rule(
            r"(?P<day>\d{1,2})\.(?P<month>0?[1-9]|1[0-2])\.(?P<year>(?:19|20)\d\d)", _month_day
        ),
        _rule(
            r"(?:im|ab|bis|anfang|mitte|ende|(?P<since>seit)|(?P<next>nächsten)|(?P<last>letzten))~"
            rf"(?P<month>{_any(_DE_MONTHS)})(?:~(?P<year>(?:19|20)\d\d))?",
            _month_only,
        ),
        _rule(
            r"(?:am|bis~zum|ab~dem|vor~dem|seit~dem|vom)~(?P<day>\d{1,2})\.(?!\s*\w|\d)",
            _day_of_month,
        ),
        _rule(rf"in~(?P<number>\d{{1,3}}|{_any(_DE_NUMBERS)})~(?P<unit>{_any(_DE_UNITS)})", _count),
        _rule(
            rf"(?P<ago>vor)~(?P<number>\d{{1,3}}|{_any(_DE_NUMBERS)})~(?P<unit>{_any(_DE_UNITS)})",
            _count,
        ),
        _rule(
            rf"(?:(?P<next>{_DE_NEXT})|(?P<last>{_DE_LAST}))~(?P<unit>woche|monat|jahr)", _period
        ),
    ),
    joiner=re.compile(r"\s*(?:bis|-|–|—)\s*(?:zum\s+)?", re.IGNORECASE),
    recurring=re.compile(
        r"\bjede[nrs]?\s+(?:\w+\s+)?(?:tag|woche|monat|jahr|morgen|abend|(?:mon|diens|donners|frei|sams|sonn)tag"
        r"|mittwoch)|\b(?:mon|diens|donners|frei|sams|sonn)tags\b|\bmittwochs\b|\btäglich|\bwöchentlich|"
        r"\bmonatlich|\bjährlich",
        re.IGNORECASE,
    ),
    past=_last_verb_is_past(
        past=r"war|waren|hatte|hatten|wurde|wurden|ging|kam|ge\w{2,}(?:t|en)|(?:be|ver|er|ent|zer)\w{2,}t",
        future=r"wird|werde|werden|ist|sind|bin|zu|soll|sollen|muss|will|möchte|geplant|beginnt|verreise|"
        r"besuche|besucht|besuchen|verlässt|erwarte|erwartet",
    ),
    words=_words(_DE_DAYS, _DE_MONTHS, _DE_OFFSETS, _DE_UNITS, _DE_NUMBERS),
)

_ES_DAYS = _listed("lunes martes miércoles|miercoles jueves viernes sábado|sabado domingo")
_ES_MONTHS = _listed(
    "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre"
    " diciembre",
    1,
)
_ES_OFFSETS = {
    "anteayer": -2, "antes de ayer": -2, "ayer": -1, "anoche": -1, "hoy": 0, "esta noche": 0,
    "mañana": 1, "pasado mañana": 2,
}  # fmt: skip
_ES_UNITS = {
    "día": 1, "días": 1, "dia": 1, "dias": 1, "semana": 7, "semanas": 7, "mes": _MONTH,
    "meses": _MONTH, "año": _YEAR, "años": _YEAR,
}  # fmt: skip
_ES_NUMBERS = _words(
    _listed("un|una dos tres cuatro cinco seis siete ocho nueve diez once doce", 1)
)

_SPANISH = _Grammar(
    rules=(
        _rule(
            r"(?<!la )(?<!esta )(?<!cada )(?<!buena )(?<!por )"
            rf"(?P<word>{_any(_ES_OFFSETS)})",
            _offset,
        ),
        _rule(
            rf"(?:el~)?(?P<weekday>{_any(_ES_DAYS)})~de~la~(?:(?P<next_week>(?:próxima|proxima)~semana|"
            r"semana~que~viene)|(?P<last_week>semana~pasada))",
            _weekday,
        ),
        _rule(
            rf"(?:el~)?(?P<weekday>{_any(_ES_DAYS)})~(?:(?P<next>próximo|proximo|que~viene)|"
            r"(?P<last>pasado))",
            _weekday,
        ),
        _rule(
            r"(?<!los )(?<!todos )(?<!cada )(?<!un )(?:(?P<next>próximo|proximo)~|(?P<last>pasado)~|"
            rf"(?P<this>este)~|(?P<since>desde~el)~)?(?P<weekday>{_any(_ES_DAYS)})"
            r"(?!~(?:de~cada|santo))",
            _weekday,
        ),
        _rule(
            r"(?P<day>\d{1,2})\s*(?:al|a|-|–)\s*(?P<day2>\d{1,2})~de~"
            rf"(?P<month>{_any(_ES_MONTHS)})(?:~(?:de|del)~(?P<year>(?:19|20)\d\d))?",
            _month_day,
        ),
        _rule(
            rf"(?P<day>\d{{1,2}})~de~(?P<month>{_any(_ES_MONTHS)})(?:~(?:de|del)~(?P<year>(?:19|20)\d\d))?",
            _month_day,
        ),
        _rule(
            r"(?:en|hasta|a~partir~de|para|principios~de|finales~de|mediados~de|(?P<since>desde))~"
            rf"(?P<month>{_any(_ES_MONTHS)})(?:~(?:de|del)~(?P<year>(?:19|20)\d\d))?",
            _month_only,
        ),
        _rule(r"(?:el|del|al|hasta~el)~día~(?P<day>\d{1,2})(?!~de~)", _day_of_month),
        _rule(
            rf"(?:en|dentro~de)~(?P<number>\d{{1,3}}|{_any(_ES_NUMBERS)})~(?P<unit>{_any(_ES_UNITS)})",
            _count,
        ),
        _rule(
            rf"(?P<ago>hace)~(?P<number>\d{{1,3}}|{_any(_ES_NUMBERS)})~(?P<unit>{_any(_ES_UNITS)})",
            _count,
        ),
        _rule(r"(?P<next>próxim[oa]|proxim[oa])~(?P<unit>semana|mes|año)", _period),
        _rule(r"(?P<unit>semana|mes|año)~(?:(?P<next>que~viene|próxim[oa])|(?P<last>pasad[oa]))", _period),
    ),
    joiner=re.compile(r"\s*(?:a|al|hasta|-|–|—)\s*(?:el\s+)?", re.IGNORECASE),
    recurring=re.compile(
        r"\bcada\s+(?:\w+\s+)?(?:día|semana|mes|año|mañana|noche|lunes|martes|miércoles|jueves|viernes|sábado"
        r"|domingo)|\b(?:todos\s+)?los\s+(?:lunes|martes|miércoles|jueves|viernes|sábados|domingos|días)|"
        r"\b(?:diario|diariamente|semanal|mensual|anual)\w*",
        re.IGNORECASE,
    ),
    past=_last_verb_is_past(
        past=r"fue|era|estuvo|tuvo|fui|hice|hizo|vino|vine|puse|\w{2,}(?:aron|ieron)|\w*[^r\W]ó|\w+[^r\W]é",
        future=r"será|estará|es|está|voy|va|vamos|\w+r[éá]|\w+remos|hay|tengo|tiene|tenemos|llega|sale|para",
    ),
    words=_words(_ES_DAYS, _ES_MONTHS, _ES_OFFSETS, _ES_UNITS, _ES_NUMBERS),
)  # fmt: skip

_FR_DAYS = _listed("lundi mardi mercredi jeudi vendredi samedi dimanche")
_FR_MONTHS = _listed(
    "janvier février|fevrier mars avril mai juin juillet août|aout septembre octobre novembre"
    " décembre|decembre",
    1,
)
_FR_OFFSETS = {
    "avant-hier": -2, "hier": -1, "aujourd'hui": 0, "aujourd’hui": 0, "ce soir": 0,
    "demain": 1, "après-demain": 2,
}  # fmt: skip
_FR_UNITS = {
    "jour": 1, "jours": 1, "semaine": 7, "semaines": 7, "mois": _MONTH, "an": _YEAR,
    "ans": _YEAR, "année": _YEAR,
}  # fmt: skip
_FR_NUMBERS = _words(
    _listed("un|une deux trois quatre cinq six sept huit neuf dix onze douze", 1)
)

_FRENCH = _Grammar(
    rules=(
        _rule(rf"(?P<word>{_any(_FR_OFFSETS)})", _offset),
        _rule(
            rf"(?P<weekday>{_any(_FR_DAYS)})~de~la~semaine~(?:(?P<next_week>prochaine)|(?P<last_week>dernière))",
            _weekday,
        ),
        _rule(
            rf"(?P<weekday>{_any(_FR_DAYS)})~(?:(?P<next>prochain|qui~vient)|(?P<last>dernier|passé))",
            _weekday,
        ),
        _rule(
            r"(?<!le )(?<!les )(?<!chaque )(?<!un )(?<!du )(?<!tous les )(?:(?P<this>ce)~|(?P<since>depuis)~)?"
            rf"(?P<weekday>{_any(_FR_DAYS)})(?!~(?:du|de~chaque|saint)\b)",
            _weekday,
        ),
        _rule(
            r"(?P<day>\d{1,2})\s*(?:au|-|–)\s*(?P<day2>\d{1,2})~"
            rf"(?P<month>{_any(_FR_MONTHS)})(?:~(?P<year>(?:19|20)\d\d))?",
            _month_day,
        ),
        _rule(
            rf"(?P<day>\d{{1,2}})(?:er)?~(?P<month>{_any(_FR_MONTHS)})(?:~(?P<year>(?:19|20)\d\d))?",
            _month_day,
        ),
        _rule(
            r"(?:en|dès|jusqu['’]en|à~partir~de|d['’]ici|début|mi|fin|(?P<since>depuis))~"
            rf"(?P<month>{_any(_FR_MONTHS)})(?:~(?P<year>(?:19|20)\d\d))?",
            _month_only,
        ),
        _rule(
            r"(?:jusqu['’]au|avant~le|à~partir~du|dès~le|depuis~le)~(?P<day>\d{1,2})(?!\s*(?:\w|[:h%]))",
            _day_of_month,
        ),
        _rule(
            rf"dans~(?P<number>\d{{1,3}}|{_any(_FR_NUMBERS)})~(?P<unit>{_any(_FR_UNITS)})", _count
        ),
        _rule(
            rf"(?P<ago>il~y~a)~(?P<number>\d{{1,3}}|{_any(_FR_NUMBERS)})~(?P<unit>{_any(_FR_UNITS)})",
            _count,
        ),
        _rule(
            r"(?P<unit>semaine|mois|an|année)~(?:(?P<next>prochaine?)|(?P<last>derni(?:er|ère)|passée?))",
            _period,
        ),
    ),
    joiner=re.compile(r"\s*(?:au|à|jusqu['’]au|jusqu['’]à|-|–|—)\s*", re.IGNORECASE),
    recurring=re.compile(
        r"\bchaque\s+(?:jour|semaine|mois|année|an|matin|soir|lundi|mardi|mercredi|jeudi|vendredi|samedi|"
        r"dimanche)|\b(?:tous|toutes)\s+les\s+\w+|\ble\s+(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)"
        r"\b|\bquotidien\w*|\bhebdomadaire|\bmensuel\w*|\bannuel\w*",
        re.IGNORECASE,
    ),
    past=_last_verb_is_past(
        past=r"était|étaient|avait|avaient|(?:j['’]ai|a|ont|avons|est|sont|suis)\s+(?!prévu|à\b)\w+(?:é|ée|és|ées|"
        r"i|u|it|is|ue|ert)",
        future=r"sera|vais|va|allons|vont|\w+(?:rai|ra|rons|ront)|de|d['’]\w+|prévue?|est|arrive|part",
    ),
    words=_words(_FR_DAYS, _FR_MONTHS, _FR_OFFSETS, _FR_UNITS, _FR_NUMBERS),
)

_PT_DAYS = _listed(
    "segunda|segunda-feira terça|terça-feira quarta|quarta-feira quinta|quinta-feira"
    " sexta|sexta-feira sábado domingo"
)
_PT_MONTHS = _listed(
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro", 1
)
_PT_OFFSETS = {
    "anteontem": -2, "ontem": -1, "hoje": 0, "amanhã": 1, "depois de amanhã": 2,
}  # fmt: skip
_PT_UNITS = {
    "dia": 1, "dias": 1, "semana": 7, "semanas": 7, "mês": _MONTH, "meses": _MONTH,
    "ano": _YEAR, "anos": _YEAR,
}  # fmt: skip
_PT_NUMBERS = _words(
    _listed("um|uma dois|duas três quatro cinco seis sete oito nove dez onze doze", 1)
)
# "segunda" and its like are ordinals too: "-feira", a preposition or a modifier must show a day.
_PT_ORDINAL = r"(?!~(?:vez|parte|fase|versão|opção|etapa|tentativa|metade|geração|página|pessoa|mão)\b)"

_PORTUGUESE = _Grammar(
    rules=(
        _rule(rf"(?P<word>{_any(_PT_OFFSETS)})", _offset),
        _rule(
            rf"(?P<weekday>{_any(_PT_DAYS)})~(?:(?P<next>que~vem|próxim[oa])|(?P<last>passad[oa]))",
            _weekday,
        ),
        _rule(
            r"(?<!toda )(?<!cada )(?<!as )(?<!às )(?:(?P<next>próxim[oa])~|(?P<this>nest[ea]|est[ea])~|"
            r"(?P<since>desde~(?:a~|o~)?)|na~|no~|até~)"
            rf"(?P<weekday>{_any(_PT_DAYS)}){_PT_ORDINAL}",
            _weekday,
        ),
        _rule(r"(?<!toda )(?<!cada )(?P<weekday>\w+-feira)", _weekday),
        _rule(
            r"(?P<day>\d{1,2})\s*(?:a|até|-|–)\s*(?P<day2>\d{1,2})~de~"
            rf"(?P<month>{_any(_PT_MONTHS)})(?:~de~(?P<year>(?:19|20)\d\d))?",
            _month_day,
        ),
        _rule(
            rf"(?P<day>\d{{1,2}})º?~de~(?P<month>{_any(_PT_MONTHS)})(?:~de~(?P<year>(?:19|20)\d\d))?",
            _month_day,
        ),
        _rule(
            r"(?:em|até|a~partir~de|para|início~de|fim~de|final~de|(?P<since>desde))~"
            rf"(?P<month>{_any(_PT_MONTHS)})(?:~de~(?P<year>(?:19|20)\d\d))?",
            _month_only,
        ),
        _rule(r"(?:(?:no|até|do|ao)~)?dia~(?P<day>\d{1,2})(?!~de~)", _day_of_month),
        _rule(
            rf"(?:em|daqui~a|dentro~de)~(?P<number>\d{{1,3}}|{_any(_PT_NUMBERS)})~(?P<unit>{_any(_PT_UNITS)})",
            _count,
        ),
        _rule(
            rf"(?P<ago>há|faz)~(?P<number>\d{{1,3}}|{_any(_PT_NUMBERS)})~(?P<unit>{_any(_PT_UNITS)})",
            _count,
        ),
        _rule(r"(?P<next>próxim[oa])~(?P<unit>semana|mês|ano)", _period),
        _rule(r"(?P<unit>semana|mês|ano)~(?:(?P<next>que~vem)|(?P<last>passad[oa]))", _period),
    ),
    joiner=re.compile(r"\s*(?:a|à|ao|até|-|–|—)\s*(?:o\s+|a\s+)?", re.IGNORECASE),
    recurring=re.compile(
        r"\b(?:toda|todo|cada)\s+(?:\w+\s+)?(?:dia|semana|mês|ano|manhã|noite|segunda|terça|quarta|quinta|sexta|"
        r"sábado|domingo)|\btod[ao]s\s+[ao]s\s+\w+|\bàs\s+(?:segundas|terças|quartas|quintas|sextas)|\bdiári\w+|"
        r"\bsemanal\w*|\bmensal\w*|\banual\w*",
        re.IGNORECASE,
    ),
    past=_last_verb_is_past(
        past=r"foi|era|estava|fui|fez|fiz|veio|vim|\w{2,}(?:aram|eram|iram)|\w{2,}ou|\w{2,}[^s\W]ei|\w{3,}iu",
        future=r"será|estará|é|está|vou|vai|vamos|vão|\w+rá|\w+rei|tenho|tem|para|chega|sai",
    ),
    words=_words(_PT_DAYS, _PT_MONTHS, _PT_OFFSETS, _PT_UNITS, _PT_NUMBERS),
)

_HAN_NUMBERS = _words(
    _listed("一 二|两|兩 三 四 五 六 七 八 九 十 十一 十二", 1),
)
_ZH_DAYS = _listed("一 二 三 四 五 六 日|天")
_ZH_OFFSETS = {
    "大前天": -3, "前天": -2, "昨天": -1, "昨晚": -1, "今天": 0, "今晚": 0, "明天": 1, "明晚": 1,
    "后天": 2, "後天": 2, "大后天": 3,
}  # fmt: skip
_ZH_UNITS = {"天": 1, "周": 7, "个星期": 7, "星期": 7, "个月": _MONTH, "個月": _MONTH, "年": _YEAR}


def _glued(pattern: str, resolve: _Resolver) -> tuple[re.Pattern[str], _Resolver]:
    """Compile one expression of a language without spaces."""
    return re.compile(pattern), resolve


def _han_weekday(match: re.Match[str], context: _Context) -> tuple[date, date, str] | None:
    day = match["weekday"]
    return _weekday(match, _Context(context.today, context.past, {day: _ZH_DAYS[day]}))


def _han_period(match: re.Match[str], context: _Context) -> tuple[date, date, str] | None:
    unit = {"周": 7, "星期": 7, "週": 7, "月": _MONTH, "年": _YEAR}[match["unit"]]
    return _period(match, _Context(context.today, context.past, {match["unit"]: unit}))


def _contains_past(past: str, future: str) -> Callable[[str, int], bool]:
    was, will = re.compile(past), re.compile(future)

    def is_past(text: str, position: int) -> bool:
        clause = re.split(r"[，。；、！？,;.!?]", text[position : position + 60])[0]
        return bool(was.search(clause)) and not will.search(clause)

    return is_past


_HAN_MONTH_DAY = r"(?:(?P<year>(?:19|20)\d\d)年)?(?<![\d.])(?P<month>1[0-2]|0?[1-9])月(?P<day>[0-3]?\d)[日号號]"

_CHINESE = _Grammar(
    rules=(
        _glued(rf"(?P<word>{_any(_ZH_OFFSETS)})", _offset),
        _glued(
            r"(?<!每)(?<!每个)(?:(?P<next_week>下个?)|(?P<last_week>上个?)|(?P<this_week>这个?|本)|)"
            r"(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])",
            _han_weekday,
        ),
        _glued(_HAN_MONTH_DAY, _month_day),
        _glued(
            r"(?:(?P<year>(?:19|20)\d\d)年)?(?<![\d.])(?P<month>1[0-2]|[1-9])月(?![\d一二三])份?", _month_only
        ),
        _glued(r"(?<![\d.月])(?P<day>[1-3]?\d)[号號](?!楼|线|线|门|店|机|房|码|院|公|柜)", _day_of_month),
        _glued(
            rf"(?P<number>\d{{1,3}}|{_any(_HAN_NUMBERS)})(?P<unit>{_any(_ZH_UNITS)})(?:之?(?:后|後)|以后)", _count
        ),
        _glued(
            rf"(?P<number>\d{{1,3}}|{_any(_HAN_NUMBERS)})(?P<unit>{_any(_ZH_UNITS)})之?(?P<ago>前)", _count
        ),
        _glued(r"(?:(?P<next>下)|(?P<last>上))个?(?P<unit>周|星期|月)(?![一二三四五六日天])", _han_period),
        _glued(r"(?:(?P<next>明)|(?P<last>去))(?P<unit>年)", _han_period),
    ),
    joiner=re.compile(r"\s*(?:到|至|-|–|—|~|～)\s*"),
    recurring=re.compile(r"每(?:个)?(?:天|日|周|星期|月|年|晚|早)|每隔"),
    past=_contains_past(r"了|过|已经", r"要|会|将|打算|计划|准备|得"),
    words=_words(_ZH_OFFSETS, _ZH_UNITS, _HAN_NUMBERS),
)  # fmt: skip

_JA_DAYS = _listed("月 火 水 木 金 土 日")
_JA_OFFSETS = {
    "一昨日": -2, "おととい": -2, "昨日": -1, "きのう": -1, "昨夜": -1, "今日": 0, "今夜": 0,
    "今晩": 0, "明日": 1, "あした": 1, "明後日": 2, "あさって": 2,
}  # fmt: skip
_JA_UNITS = {"日": 1, "週間": 7, "か月": _MONTH, "ヶ月": _MONTH, "カ月": _MONTH, "年": _YEAR}


def _kanji_weekday(match: re.Match[str], context: _Context) -> tuple[date, date, str] | None:
    day = match["weekday"]
    return _weekday(match, _Context(context.today, context.past, {day: _JA_DAYS[day]}))


def _kanji_period(match: re.Match[str], context: _Context) -> tuple[date, date, str] | None:
    return _han_period(match, context)


_JAPANESE = _Grammar(
    rules=(
        _glued(rf"(?P<word>{_any(_JA_OFFSETS)})", _offset),
        _glued(
            r"(?<!毎週)(?<!毎週の)(?:(?P<next_week>来週)|(?P<last_week>先週)|(?P<this_week>今週)|(?P<next>次)|)の?"
            r"(?P<weekday>[月火水木金土日])曜日?",
            _kanji_weekday,
        ),
        _glued(_HAN_MONTH_DAY, _month_day),
        _glued(r"(?:(?P<year>(?:19|20)\d\d)年)?(?<![\d.])(?P<month>1[0-2]|[1-9])月(?!\d)", _month_only),
        _glued(r"(?<![\d.月])(?P<day>[1-3]?\d)日(?![間後前目以])", _day_of_month),
        _glued(rf"(?P<number>\d{{1,3}}|{_any(_HAN_NUMBERS)})(?P<unit>{_any(_JA_UNITS)})後", _count),
        _glued(
            rf"(?P<number>\d{{1,3}}|{_any(_HAN_NUMBERS)})(?P<unit>{_any(_JA_UNITS)})(?P<ago>前)", _count
        ),
        _glued(r"(?:(?P<next>来)|(?P<last>先))(?P<unit>週|月)(?!の?[月火水木金土日]曜)", _kanji_period),
        _glued(r"(?:(?P<next>来)|(?P<last>去|昨))(?P<unit>年)", _kanji_period),
    ),
    joiner=re.compile(r"\s*(?:から|-|–|—|~|～|〜)\s*"),
    recurring=re.compile(r"毎(?:日|週|月|年|朝|晩)|隔週"),
    past=_contains_past(r"(?:まし)?た(?:[。！]|$|の|ん|よ)", r"予定|つもり"),
    words=_words(_JA_OFFSETS, _JA_UNITS, _HAN_NUMBERS),
)  # fmt: skip

_GRAMMARS = {
    "en": _ENGLISH,
    "de": _GERMAN,
    "es": _SPANISH,
    "fr": _FRENCH,
    "pt": _PORTUGUESE,
    "zh": _CHINESE,
    "ja": _JAPANESE,
}
