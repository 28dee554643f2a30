"""Spans of time in a question: small patterns find them, dateparser reads only what they found.

What is digits (`2025-11-27`, `27.11.2025`, `2025年11月`, a bare year) needs no library. Words of
every language are put into the English ones that dateparser reads best: of its other languages
it knows "ayer" but not "el lunes pasado", and it takes a Japanese 11月27日 for the year 1927.
Whatever is no clear date (`may`, `march on`, `v2.4`, a port, a ticket) is left alone: a wrong
date is worse than none.
"""

import calendar
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from functools import lru_cache
from typing import Any, Literal

from hippod.language import guess

Precision = Literal["day", "week", "month", "year"]

_READ = 1_000
"""Characters of a question that are looked at: what stands behind them is pasted text."""
_MARGIN = {"day": 3, "week": 7, "month": 15, "year": 180}
"""Days by which "around" widens a span to both sides."""
_MOST = 8
"""Spans of a question: who names more has pasted a table."""


@dataclass(frozen=True, slots=True)
class Timespan:
    """Days that a question names, both inclusive; None where it is open ("since March").

    `text` is what was read and `start` its place in the question, `around` says that the days
    are widened already.
    """

    text: str
    since: date | None
    until: date | None
    precision: Precision
    around: bool = False
    start: int = 0


def read(text: str, now: datetime) -> tuple[Timespan, ...]:
    """Return the spans of time that `text` names, in order; `now` is the user's local time.

    Days without a year are the last ones that were. Any text is safe.
    """
    text = text[:_READ]
    if not _may_name_a_time(text):
        return ()
    today = now.date()
    return tuple(_related(text, each) for each in _joined(text, _found(text, today), today))


def without(text: str, spans: Sequence[Timespan]) -> str:
    """Return `text` with blanks in the place of the spans that were read in it."""
    for each in spans:
        end = each.start + len(each.text)
        text = text[: each.start] + " " * len(each.text) + text[end:]
    return text


@dataclass(frozen=True, slots=True)
class _Found:
    """A date expression: its place in the text and the days it covers."""

    start: int
    end: int
    first: date
    last: date
    precision: Precision
    has_year: bool = True
    around: bool = False
    closed: bool = False
    """Whether both ends were named: "from" before it opens nothing."""


def _found(text: str, today: date) -> list[_Found]:
    """Find what the rules match, earlier rules first, without overlaps."""
    chosen: list[_Found] = []
    taken: list[tuple[int, int]] = []
    for pattern, resolve in _RULES:
        for match in pattern.finditer(text):
            start, end = _begin(match), match.end()
            if any(start < last and first < end for first, last in taken):
                continue
            resolved = _resolved(match, resolve, today)
            if resolved:
                chosen.append(replace(resolved, start=start, end=end))
                taken.append((start, end))
            if len(taken) == _MOST:
                return sorted(chosen, key=lambda each: each.start)
    return sorted(chosen, key=lambda each: each.start)


def _begin(match: re.Match[str]) -> int:
    """Return where the date begins: behind the preposition that a pattern needs before it."""
    return max(match.start(), match.end("lead") if "lead" in match.groupdict() else 0)


def _resolved(match: re.Match[str], resolve: "_Resolver", today: date) -> _Found | None:
    try:
        return resolve(match, today)
    except (ValueError, OverflowError):  # no such day, or outside the calendar
        return None


def _joined(text: str, found: Sequence[_Found], today: date) -> Iterator[_Found]:
    """Make one span of `between X and Y`, `X to Y`; a year behind Y counts for X too."""
    place = 0
    while place < len(found):
        first = found[place]
        second = found[place + 1] if place + 1 < len(found) else None
        if second and _is_range(text, first, second):
            first = _in_year_of(first, second)
            if first.first <= second.last:
                yield replace(first, end=second.end, last=second.last, closed=True)
                place += 2
                continue
        yield first
        place += 1


def _is_range(text: str, first: _Found, second: _Found) -> bool:
    between = text[first.end : second.start]
    if _TO.fullmatch(between):
        return True
    return bool(_AND.fullmatch(between) and _BETWEEN.search(text[: first.start]))


def _in_year_of(first: _Found, second: _Found) -> _Found:
    """Put a span without a year before the one that follows it."""
    if first.has_year or first.precision not in ("day", "month"):
        return first
    for year in (second.last.year, second.last.year - 1):
        try:
            moved = _moved(first, year)
        except ValueError:  # 29 February
            continue
        if moved.first <= second.last:
            return moved
    return first


def _moved(found: _Found, year: int) -> _Found:
    first = found.first.replace(year=year)
    last = _month(year, first.month)[1] if found.precision == "month" else first
    return replace(found, first=first, last=last)


def _related(text: str, found: _Found) -> Timespan:
    """Read what stands around a date: since, until, before, after, around."""
    before, after = text[max(0, found.start - 40) : found.start], text[found.end : found.end + 8]
    since: date | None = found.first
    until: date | None = found.last
    around = found.around or bool(_AROUND.search(before) or _AROUND_BEHIND.match(after))
    if around:
        since, until = _widened(found)
    if not found.closed:
        since, until, around = _bounded(before, after, found, since, until, around=around)
    said = text[found.start : found.end]
    return Timespan(said, since, until, found.precision, around, found.start)


def _bounded(
    before: str,
    after: str,
    found: _Found,
    since: date | None,
    until: date | None,
    *,
    around: bool,
) -> tuple[date | None, date | None, bool]:
    """Open or move the ends of a span by the words before and after it."""
    if _SINCE.search(before) or _SINCE_BEHIND.match(after):
        return since, None, around
    if _UNTIL.search(before) or _UNTIL_BEHIND.match(after):
        return None, until, around
    if _BEFORE.search(before) or _BEFORE_BEHIND.match(after):
        return None, _shifted(found.first, -1), False
    if _AFTER.search(before) or _AFTER_BEHIND.match(after):
        return _shifted(found.last, 1), None, False
    return since, until, around


def _widened(found: _Found) -> tuple[date, date]:
    margin = _MARGIN[found.precision]
    return _shifted(found.first, -margin), _shifted(found.last, margin)


def _shifted(day: date, days: int) -> date:
    return date.fromordinal(min(max(day.toordinal() + days, 1), date.max.toordinal()))


# --- what a date is to its sentence -------------------------------------------------------------

_ARTICLES = (
    r"(?:\s*(?:the|start|beginning|end|early|late|mid|middle|of|day|den|dem|der|zum|ende|anfang|mitte|"
    r"el|la|los|las|de|del|le|les|l['’]|du|au|o|a|do|da|il|lo|al|dal|fin|début|principios|finales)\b"
    r"[\s-]*)*\s*$"
)


def _before(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?:^|(?<=\W))(?:{words})\s{_ARTICLES}", re.IGNORECASE)


_SINCE = _before(r"since|seit|ab|desde|a\s+partir\s+de|depuis|dès|dal?|自从?")
_UNTIL = _before(
    r"until|till|up\s+to|by|bis|hasta|jusqu['’]?(?:en|au|à)?|até|fino\s+ad?l?",
)
_BEFORE = _before(r"before|prior\s+to|vor|antes\s+(?:d[eo]l?|da)|avant|prima\s+d(?:i|el|ell['’])")
_AFTER = _before(r"after|nach|después\s+del?|après|depois\s+d[eoa]|dopo")
_AROUND = re.compile(
    r"(?:^|(?<=\W))(?:around|about|circa|ca\.|approximately|roughly|near|etwa|ungefähr|gegen|rund\s+um|"
    r"um|alrededor\s+del?|hacia|cerca\s+del?|vers|autour\s+d[eu]|environ|aux\s+alentours\s+d[eu]|"
    rf"por\s+volta\s+d[eo]|verso|intorno\s+al?|circa\s+il)\s{_ARTICLES}|~\s*$",
    re.IGNORECASE,
)
_SINCE_BEHIND = re.compile(
    r"\s*(?:以来|以來|起|开始|以降|から|부터|이후)|\s+on(?:wards?\b|\s*(?:[,?.]|$))"
)
_UNTIL_BEHIND = re.compile(r"\s*(?:为止|まで|까지)")
_BEFORE_BEHIND = re.compile(r"\s*(?:之?前(?!后)|以前|より前|이전)")
_AFTER_BEHIND = re.compile(r"\s*(?:之后|之後|以后|后|より後)")
_AROUND_BEHIND = re.compile(r"\s*(?:左右|前后|前後|頃|ごろ|ころ|쯤)")
_TO = re.compile(
    r"\s*(?:to|until|till|through|bis(?:\s+zum)?|hasta(?:\s+el)?|al|a|au|jusqu['’]au|até|ao|"
    r"fino\s+al?|–|-|—|\.\.\.?|到|至|から|〜|~|부터)\s*(?:the\s+)?",
    re.IGNORECASE,
)
_AND = re.compile(
    r"\s*(?:and|und|(?:y|e|et)(?:\s+(?:el|o|a|il|le))?|und\s+dem|和|与)\s*(?:the\s+)?", re.I
)
_BETWEEN = re.compile(
    rf"(?:(?:^|(?<=\W))(?:between|zwischen|entre|tra|fra)\s{_ARTICLES}|(?:在|从|介于)\s*$)", re.I
)

# --- digits ---------------------------------------------------------------------------------------

_YEAR = r"(?:19[5-9]\d|20\d\d)"
_Resolver = Callable[["re.Match[str]", date], "_Found | None"]


def _digits(match: re.Match[str], today: date) -> _Found | None:
    """Resolve a year, with a month, with a day; without a year the last one that was."""
    groups = match.groupdict()
    month, day = groups.get("month"), groups.get("day")
    if not groups.get("year"):
        return _last_such(int(month or 0), int(day or 0), today)
    if not day and _is_numbered(match):  # "PR 2025-07"
        return None
    year = int(groups["year"])
    if day:
        return _day(date(year, int(month or 0), int(day)))
    if month:
        return _Found(0, 0, *_month(year, int(month)), "month")
    return _whole_year(year)


def _slashed(match: re.Match[str], today: date) -> _Found | None:
    """Resolve `27/11/2025` and `11/27/2025`; `03/04/2025` is one thing here, another there."""
    if _is_numbered(match):
        return None
    one, two = int(match["one"]), int(match["two"])
    day, month = (two, one) if two > 12 else (one, two)
    if one <= 12 and two <= 12 and one != two and match["mark"] == "/":
        return None
    return _day(date(int(match["year"]), month, day))


def _bare_year(match: re.Match[str], today: date) -> _Found | None:
    year = int(match["year"])
    if match["lead"]:
        return _whole_year(year)
    likely = 1970 <= year <= today.year + 1 and year != 2000
    return _whole_year(year) if likely and not _is_numbered(match) else None


def _is_numbered(match: re.Match[str]) -> bool:
    """Tell whether what stands before digits makes them the number of something."""
    before = match.string[max(0, match.start() - 24) : match.start()]
    return _NUMBERED.search(before) is not None


def _years(match: re.Match[str], today: date) -> _Found | None:
    """Resolve `2019-2021`."""
    first, last = int(match["year"]), int(match["year2"])
    if not first < last <= today.year + 1 or _is_numbered(match):
        return None
    return replace(_whole_year(first), last=date(last, 12, 31), closed=True)


def _quarter(match: re.Match[str], today: date) -> _Found | None:
    """Resolve "Q3 2025"; "in Q3" is the last one that has begun."""
    last = 3 * int(match["quarter"])
    year = int(match["year"] or 0) or today.year - (last - 2 > today.month)
    return _Found(0, 0, date(year, last - 2, 1), _month(year, last)[1], "month")


def _cjk(match: re.Match[str], today: date) -> _Found | None:
    """Resolve `2025年11月27日`, `去年11月`, `11月27日`; parts may be missing from either end."""
    groups = match.groupdict()
    year = int(groups["year"]) if groups.get("year") else None
    if groups.get("named"):
        year = today.year + _CJK_YEARS[groups["named"]]
    month, day = _cjk_number(groups.get("month")), _cjk_number(groups.get("day"))
    if year is None:
        return _last_such(month, day, today) if month else None
    if day:
        return _day(date(year, month, day))
    return _Found(0, 0, *_month(year, month), "month") if month else _whole_year(year)


def _cjk_number(text: str | None) -> int:
    if not text:
        return 0
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    return (_CJK_DIGITS.get(tens, 1) * 10 if ten else 0) + _CJK_DIGITS.get(ones, 0)


def _last_such(month: int, day: int, today: date) -> _Found | None:
    """Return the last month, or day of it, that has begun; 29 February may be years ago."""
    for year in range(today.year, today.year - 9, -1):
        try:
            first = date(year, month, day or 1)
        except ValueError:
            continue
        if first <= today:
            last = first if day else _month(year, month)[1]
            return _Found(0, 0, first, last, "day" if day else "month", has_year=False)
    return None


def _day(day: date, *, has_year: bool = True) -> _Found:
    return _Found(0, 0, day, day, "day", has_year)


def _month(year: int, month: int) -> tuple[date, date]:
    return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])


def _whole_year(year: int) -> _Found:
    return _Found(0, 0, date(year, 1, 1), date(year, 12, 31), "year")


# --- words: found in many languages, read in English ----------------------------------------------

_MONTHS = {
    "january": "january januar jänner enero janvier janeiro gennaio jan ene janv",
    "february": "february februar feber febrero février fevrier fevereiro febbraio feb févr fev",
    "march": "march märz maerz marzo março marco mars mar mär",
    "april": "april abril avril aprile apr abr avr",
    "may": "may mai mayo maio maggio",
    "june": "june juni junio juin junho giugno jun",
    "july": "july juli julio juillet julho luglio jul juil",
    "august": "august agosto août aout aug",
    "september": "september septiembre setiembre septembre setembro settembre sept sep",
    "october": "october oktober octubre octobre outubro ottobre oct okt",
    "november": "november noviembre novembre novembro nov",
    "december": "december dezember diciembre décembre decembre dezembro dicembre dec dez dic déc",
}
_WEEKDAYS = {
    "monday": "monday montag lunes lundi segunda-feira lunedì",
    "tuesday": "tuesday dienstag martes mardi terça-feira martedì",
    "wednesday": "wednesday mittwoch miércoles miercoles mercredi quarta-feira mercoledì",
    "thursday": "thursday donnerstag jueves jeudi quinta-feira giovedì",
    "friday": "friday freitag viernes vendredi sexta-feira venerdì",
    "saturday": "saturday samstag sonnabend sábado samedi sabato",
    "sunday": "sunday sonntag domingo dimanche domenica",
}
_UNITS = {
    "day": "day days tag tage tagen día días dia dias jour jours giorno giorni 天 日",
    "week": "week weeks woche wochen semana semanas semaine semaines settimana settimane"
    " 周 星期 个星期 週間",
    "month": "month months monat monate monaten monats mes meses mois mês mese mesi"
    " 个月 月 か月 ヶ月 カ月",
    "year": "year years jahr jahre jahren jahres año años ans année années ano anos anno anni 年",
}
_COUNTS = {
    "1": "a an one ein eine einem einer einen un una une um uma uno 一",
    "2": "two couple couple_of a_couple_of zwei dos deux dois duas due 二 两",
    "3": "three few a_few ein_paar drei tres trois três tre 三",
    "4": "four vier cuatro quatre quatro quattro 四",
    "5": "five fünf cinco cinq cinque 五",
    "6": "six sechs seis sei 六",
    "7": "seven sieben siete sept sete sette 七",
    "8": "eight acht ocho huit oito otto 八",
    "9": "nine neun nueve neuf nove 九",
    "10": "ten zehn diez dix dez dieci 十",
}
_NAMES = frozenset(
    "jan april june august may march mar juli mai abril avril julio agosto".split()  # noqa: SIM905
)
"""Months that are people's names or other words too: "a mail from June"."""
_DAYS = {
    "6 months ago": "half_a_year_ago vor_einem_halben_jahr hace_medio_año",
    "today": "today tonight this_morning this_evening heute hoy aujourd'hui hoje oggi",
    "yesterday": "yesterday last_night gestern ayer anoche hier ontem ieri",
    "2 days ago": "the_day_before_yesterday day_before_yesterday vorgestern anteayer avant-hier"
    " anteontem l'altro_ieri",
    "tomorrow": "tomorrow mañana demain amanhã domani",
    "in 2 days": "the_day_after_tomorrow day_after_tomorrow übermorgen pasado_mañana après-demain"
    " depois_de_amanhã dopodomani",
}
_PERIODS = {
    "today": "今天 今日 오늘",
    "yesterday": "昨天 昨日 昨晚 昨夜 어제",
    "2 days ago": "前天 一昨日 おととい 그저께",
    "3 days ago": "大前天",
    "tomorrow": "明天 明日 내일",
    "in 2 days": "后天 後天 明後日 あさって 모레",
    "6 months ago": "半年前",
    "2 weeks ago": "上上周 上上个星期 先々週",
    "2 months ago": "上上个月 先々月",
    "last week": "上周 上週 上星期 上个星期 先週 지난주",
    "this week": "这周 本周 這週 今週 이번주",
    "next week": "下周 下週 下星期 来週 다음주",
    "last month": "上个月 上月 先月 지난달",
    "this month": "这个月 本月 今月 이번달",
    "next month": "下个月 下月 来月 다음달",
    "last year": "去年 昨年 작년 l'an_dernier l'an_passé",
    "this year": "今年 올해",
    "2 years ago": "前年 一昨年",
    "next year": "明年 来年 내년",
}
_FEASTS = {
    "25 december": "christmas weihnachten navidad noël natale",
    "31 december": "new_year's_eve silvester nochevieja",
    "31 october": "halloween",
}
_LAST = (
    r"last|past|previous|letzte[nrms]?|vorige[nrms]?|vergangene[nrms]?|"
    r"pasad[oa]s?|derni(?:er|ère)s?|passée?s?|passad[oa]s?|últim[oa]s?|scors[oa]"
)
_THIS = r"this|current|diese[rsnm]?|est[ea]|este|cette|ce|quest[oa]|nest[ea]"
_NEXT = r"next|coming|nächste[nrms]?|kommende[nrms]?|próxim[oa]|que\s+viene|prochaine?|prossim[oa]"
_CJK_YEARS = {"去年": -1, "昨年": -1, "今年": 0, "前年": -2, "一昨年": -2, "明年": 1, "来年": 1,
              "작년": -1, "올해": 0}  # fmt: skip
_CJK_DIGITS = {digit: place for place, digit in enumerate("一二三四五六七八九", 1)}


def _english(table: dict[str, str]) -> dict[str, str]:
    return {
        word.replace("_", " "): english
        for english, words in table.items()
        for word in words.split()
    }


_IN_ENGLISH = {
    name: _english(table)
    for name, table in {
        "month": _MONTHS, "weekday": _WEEKDAYS, "unit": _UNITS, "count": _COUNTS,
        "day": _DAYS, "period": _PERIODS, "feast": _FEASTS,
    }.items()
}  # fmt: skip


def _any(name: str) -> str:
    words = sorted(_IN_ENGLISH[name], key=len, reverse=True)
    return "|".join(re.escape(word).replace("'", "['’]").replace(r"\ ", r"\s+") for word in words)


def _word(name: str, word: str) -> str:
    return _IN_ENGLISH[name][" ".join(word.casefold().replace("’", "'").split())]


def _named_day(match: re.Match[str], today: date) -> _Found | None:
    """Resolve "27 November 2025", "November 27th", "5 to 12 March 2025"."""
    if not match["year"] and not match["mark"] and _may_be_a_verb(match):
        return None
    month, year = _word("month", match["month"]), match["year"] or ""
    first = _asked(f"{match['day']} {month} {year}", today)
    if first is None or not match["day2"]:
        return first and replace(first, has_year=bool(year))
    last = first.first.replace(day=int(match["day2"]))
    if last <= first.first:
        return None
    return replace(first, last=last, has_year=bool(year), closed=True)


def _may_be_a_verb(match: re.Match[str]) -> bool:
    if match["month"] not in ("may", "march", "mar"):
        return False
    return _LEADS_TO_DAY.search(match.string[max(0, match.start() - 10) : match.start()]) is None


_LEADS_TO_DAY = re.compile(r"\b(?:on|since|until|till|before|after|by|around)\s+$", re.I)


def _named_month(match: re.Match[str], today: date) -> _Found | None:
    """Resolve "in March", "November 2025", "last November", "November last year"."""
    groups = match.groupdict()
    is_name = match["month"].casefold() in _NAMES
    if is_name and (groups.get("weak") or _OWNS.match(match.string, match.end())):
        return None
    if match["month"].casefold() == "mars" and not _is_french(groups):
        return None
    month = _word("month", match["month"])
    year = groups.get("year")
    if groups.get("of_last"):
        year = str(today.year - 1)
    elif groups.get("of_this"):
        year = str(today.year)
    found = _asked(f"{month} {year or ''}", today, future=bool(groups.get("next")))
    return found and replace(found, has_year=bool(year))


_OWNS = re.compile(r"['’]s\b")


def _is_french(groups: dict[str, Any]) -> bool:
    """Tell a month from a planet: "en mars", "mars dernier", "mars 2026", but not "in Mars"."""
    lead = (groups.get("lead") or "").strip().casefold()
    return lead in _FRENCH_IN if lead else True


def _months(match: re.Match[str], today: date) -> _Found | None:
    """Resolve "from April to June 2025", "between March and May"."""
    year = match["year"] or ""
    first, last = (
        _asked(f"{_word('month', match[name])} {year}", today) for name in ("month", "month2")
    )
    if first is None or last is None:
        return None
    if first.first > last.first:
        first = _moved(first, last.first.year - 1)
    return replace(first, last=last.last, closed=True)


def _relative(match: re.Match[str], today: date) -> _Found | None:
    """Resolve "last week", "this month", "3 weeks ago", "the last 10 days"."""
    groups = match.groupdict()
    unit = _word("unit", match["unit"])
    if groups.get("count"):
        number = match["count"]
        count = number if number.isdecimal() else _word("count", number)
        found = _asked(f"{count} {unit}s ago", today)
        if found and groups.get("lately"):
            return replace(found, last=today)
        return found and replace(found, around=_VAGUE.search(number) is not None)
    which = "last" if groups.get("last") else "next" if groups.get("next") else "this"
    if unit == "day":
        return None
    found = _asked(f"{which} {unit}", today)
    return replace(found, last=today) if found and _is_up_to_now(match) else found


_VAGUE = re.compile(r"couple|few|paar", re.IGNORECASE)


def _is_up_to_now(match: re.Match[str]) -> bool:
    """Tell "the last year" and "the past year" from "last year"."""
    if (match.groupdict().get("last") or "").casefold() not in ("last", "past"):
        return False
    before, after = match.string[: match.start()], match.string[match.end() :]
    is_measure = match["last"].casefold() == "past" or re.search(r"\bthe\s+$", before, re.I)
    return bool(is_measure) and re.match(r"\s+(?:of|in)\b", after, re.I) is None


def _weekday(match: re.Match[str], today: date) -> _Found | None:
    is_next = bool(match.groupdict().get("next"))
    return _asked(_word("weekday", match["weekday"]), today, future=is_next)


def _weekend(match: re.Match[str], today: date) -> _Found | None:
    saturday = _asked("saturday", today, future=bool(match["next"]))
    return saturday and replace(saturday, last=_shifted(saturday.first, 1))


def _today(match: re.Match[str], today: date) -> _Found | None:
    word = match["day"]
    if word.casefold() == "hier" and guess(match.string, ("de", "fr")) != "fr":
        return None  # German for "here"
    if word.casefold() == "mañana" and match.string[: match.start()].rstrip().endswith(" la"):
        return None  # "por la mañana": in the morning
    return _asked(_word("day", word), today)


def _period(match: re.Match[str], today: date) -> _Found | None:
    return _asked(_word("period", match["period"]), today)


def _feast(match: re.Match[str], today: date) -> _Found | None:
    found = _asked(f"{_word('feast', match['feast'])} {match['year'] or ''}", today)
    return found and replace(found, has_year=bool(match["year"]), around=True)


# --- dateparser -----------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _asked(text: str, today: date, *, future: bool = False) -> _Found | None:
    """Let dateparser read a few English words; None if it cannot."""
    data = _parser(today, future).get_date_data(text.strip())
    if data.date_obj is None:
        return None
    day = data.date_obj.date()
    if data.period == "week":
        monday = _shifted(day, -day.weekday())
        return _Found(0, 0, monday, _shifted(monday, 6), "week")
    if data.period == "month":
        return _Found(0, 0, *_month(day.year, day.month), "month")
    return _whole_year(day.year) if data.period == "year" else _day(day)


@lru_cache(maxsize=4)
def _parser(today: date, future: bool) -> Any:
    """Return a parser anchored at noon of a day: dateparser keeps what it learns per setting."""
    from dateparser.date import DateDataParser  # a tenth of a second

    return DateDataParser(
        languages=["en"],
        settings={
            "RELATIVE_BASE": datetime.combine(today, time(12)),
            "PREFER_DATES_FROM": "future" if future else "past",
            "PREFER_DAY_OF_MONTH": "first",
            "PREFER_MONTH_OF_YEAR": "first",
            "RETURN_AS_TIMEZONE_AWARE": False,
            "PARSERS": ["relative-time", "absolute-time"],
        },
    )


# --- rules: earlier ones win ----------------------------------------------------------------------

_NOT_IN_NAME = r"(?<!\d,)(?<![\w/@#.:\\$€£+-])"
_NAME_ENDS = r"(?![\w/@\\%€$£]|[-.:,]\w|['’]\w{2})"
_NO_MEASURE = (
    r"(?!\s*(?:[kmg]i?b|px|ms|km|kg|mm|cm|bits?|bytes?|characters?|chars|tokens?|words?|lines?|euros?|"
    r"dollars?|eur|usd|zeichen|people|times|items|steps|watts?|volts?|calories|k?cal|met(?:er|re)s?|"
    r"commits|calls|rows|users|files|pages|points|hours|uhr|punkte|zeilen|seiten|schritte)\b)"
)
_NUMBERED = re.compile(
    r"(?:(?-i:\b[A-Z]{2,}(?<!\bKW))|§|\b(?:port|error|code|status|ticket|issue|bug|case|room|page|"
    r"line|build|version|release|revision|rev|u?id|pin|zip|postcode|plz|flight|bus|route|highway|"
    r"model|number|no|nr|nummer|article|art|section|chapter|table|figure|level|score|balance|user|"
    r"exit|order|pull\s+request|costs?|paid|price|at|fehler|raum|seite|zeile|bestellung|kostete?|"
    r"puerto|sala|página|pagina|salle|porta|erreur|erro|errore)\.?)(?:\s+(?:is|was|are|ist|es|est))?"
    r"[\s:#=]*$|\d[\s()-]*$",
    re.IGNORECASE,
)
_IN = (
    r"in|since|during|until|till|before|after|around|early|late|mid|im|seit|vor|nach|anfang|mitte|ende|"
    r"en|desde|hasta|antes~de|depuis|avant|après|jusqu['’]en|début|fin|em|até|dal|fino~a|dopo"
)
_FRENCH_IN = ("en", "depuis", "avant", "après", "jusqu'en", "jusqu’en", "début", "fin")
_WEAK_IN = r"by|from|of|about|between|ab|bis|de|a~partir~de|por~volta~de"
_FROM = r"from|between|von|zwischen|de|del|entre|tra|fra|da|dal"
_TO_MONTH = (
    r"~(?:to|until|till|through|and|bis|und|a|al|y|hasta|à|et|jusqu['’]en|e|até)~|\s?[–-]\s?"
)
_ORDINAL = r"(?P<mark>st|nd|rd|th|er|º|ª|\.)?"
_BOTH = (
    r"(?:\s*(?:-|–|to|and|bis|und|al?|y|au|et|e)\s*(?:the\s+)?"
    r"(?P<day2>\d{1,2})(?:st|nd|rd|th|\.)?)?"
)
_OF_YEAR = (
    r"(?P<of_last>last~year|(?:des~)?letzten~jahre?s|letztes~jahr|(?:del~)?año~pasado|"
    r"(?:de~)?l['’]an(?:née)?~derni(?:er|ère)|(?:do~)?ano~passado|dell['’]anno~scorso)|"
    r"(?P<of_this>this~year|dieses~jahre?s?)"
)


def _rule(pattern: str, resolve: _Resolver) -> tuple[re.Pattern[str], _Resolver]:
    """Compile an expression that stands by itself; `~` is white space."""
    spaced = pattern.replace("~", r"\s+")
    return re.compile(f"{_NOT_IN_NAME}(?:{spaced}){_NAME_ENDS}", re.IGNORECASE), resolve


def _glued(pattern: str, resolve: _Resolver) -> tuple[re.Pattern[str], _Resolver]:
    """Compile an expression of a language without spaces."""
    return re.compile(pattern), resolve


_MONTH = rf"(?P<month>{_any('month')})\.?"
_BEHIND = rf"(?:,?~(?:of~|del?~|do~)?(?P<year>{_YEAR}))"
_COUNT = rf"(?P<count>\d{{1,3}}|{_any('count')})"
_UNIT = rf"(?P<unit>{_any('unit')})"
_WEEKDAY = rf"(?P<weekday>{_any('weekday')})"
_WEEKEND = r"week-?end|wochenende|f[ie][nm]~de~semana|fine~settimana"
_WHICH = rf"(?:(?P<last>{_LAST})|(?P<next>{_NEXT})|(?P<this>{_THIS}))"
_CJK_MONTH = r"(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])"
_CJK_DAY = r"(?P<day>[12]\d|3[01]|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])"
_CJK_YEAR = rf"(?:(?<!\d)(?P<year>{_YEAR})\s*[年년]|(?P<named>{'|'.join(_CJK_YEARS)})の?)"

_RULES: tuple[tuple[re.Pattern[str], _Resolver], ...] = (
    _rule(rf"(?P<year>{_YEAR})-(?P<month>\d\d)-(?P<day>\d\d)(?:T\d\d:\d\d(?::\d\d)?Z?)?", _digits),
    _rule(rf"(?P<year>{_YEAR})-(?P<month>0[1-9]|1[0-2])", _digits),
    _rule(rf"(?P<year>{_YEAR})/(?P<month>\d\d?)/(?P<day>\d\d?)", _digits),
    _rule(rf"(?P<one>\d\d?)(?P<mark>[./])(?P<two>\d\d?)(?P=mark)(?P<year>{_YEAR})", _slashed),
    _rule(r"(?P<lead>(?:am|vom|seit|dem|den|zum|bis)~)(?P<day>\d\d?)\.(?P<month>\d\d?)\.", _digits),
    _rule(rf"(?P<year>{_YEAR})[-–](?P<year2>{_YEAR})", _years),
    _rule(rf"Q(?P<quarter>[1-4])(?:~|/|~of~)?(?P<year>{_YEAR})", _quarter),
    _rule(r"(?P<lead>(?:in|of|for|during|since|im|en|em|nel)~)Q(?P<quarter>[1-4])(?P<year>(?!))?",
          _quarter),
    _glued(rf"{_CJK_YEAR}\s*{_CJK_MONTH}\s*[月월](?:\s*{_CJK_DAY}\s*[日号號일])?", _cjk),
    _glued(rf"(?<![\d.十]){_CJK_MONTH}\s*[月월]\s*{_CJK_DAY}\s*[日号號일]", _cjk),
    _glued(rf"(?<!\d)(?P<year>{_YEAR})\s*[年년]", _cjk),
    _glued(rf"(?<![\d.个十第每毎ヶか]){_CJK_MONTH}月(?!\s*[\d一二三四五六七八九十间間天饼])", _cjk),
    _glued(r"(?P<count>\d{1,3}|[一二两三四五六七八九十])\s*"
           r"(?P<unit>个月|か月|ヶ月|カ月|个星期|星期|週間|周|天|日|年)前", _relative),
    _glued(rf"(?i:(?P<period>{_any('period')}))", _period),
    _rule(rf"(?:{_FROM})~{_MONTH}(?:{_TO_MONTH})(?P<month2>{_any('month')})\.?{_BEHIND}?",
          _months),
    _rule(rf"(?P<day>\d\d?){_ORDINAL}{_BOTH}~(?:of~|del?~|d['’])?{_MONTH}{_BEHIND}?", _named_day),
    _rule(rf"{_MONTH}~(?P<day>\d\d?){_ORDINAL}(?!:?\d|~?[ap]m\b){_BOTH}{_BEHIND}?", _named_day),
    _rule(rf"{_MONTH}(?:{_BEHIND}|~(?:of~)?(?:{_OF_YEAR}))", _named_month),
    _rule(rf"(?:(?P<last>{_LAST})|(?P<next>{_NEXT}))~{_MONTH}", _named_month),
    _rule(rf"{_MONTH}~(?:(?P<last>{_LAST})|(?P<next>{_NEXT}))", _named_month),
    _rule(rf"(?P<lead>(?:{_IN}|(?P<weak>{_WEAK_IN}))[\s-]\s*|d['’]){_MONTH}", _named_month),
    _rule(rf"(?P<day>{_any('day')})", _today),
    _rule(rf"(?P<lately>last|past|letzten|vergangenen)~{_COUNT}~{_UNIT}", _relative),
    _rule(rf"{_COUNT}~{_UNIT}~(?:ago|fa|atrás)", _relative),
    _rule(rf"(?:vor|hace|il~y~a|há)~{_COUNT}~{_UNIT}", _relative),
    _rule(rf"{_WHICH}~(?:{_WEEKEND})", _weekend),
    _rule(rf"(?:{_WEEKEND})~(?:(?P<last>{_LAST})|(?P<next>{_NEXT}))", _weekend),
    _rule(rf"{_WHICH}~{_UNIT}", _relative),
    _rule(rf"(?!mes~derni){_UNIT}~(?:(?P<last>{_LAST})|(?P<next>{_NEXT}))", _relative),
    _rule(rf"(?P<lead>(?:on|since|until|before|after|by|am|seit|el|del|depuis|dal?)~)?(?(lead)|{_WHICH}~){_WEEKDAY}",
          _weekday),
    _rule(rf"{_WEEKDAY}~(?:(?P<last>{_LAST})|(?P<next>{_NEXT}))", _weekday),
    _rule(rf"{_WEEKDAY}(?=['’]s~\w)", _weekday),
    _rule(rf"(?P<feast>{_any('feast')}){_BEHIND}?", _feast),
    _rule(rf"(?P<lead>(?:{_IN})[\s-]\s*)?(?P<year>{_YEAR})(?!\s+\d){_NO_MEASURE}", _bare_year),
)  # fmt: skip
_DIGIT_OR_UNSPACED = re.compile("[\\d\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_LETTERS = re.compile(r"\w+")
_TIME_WORDS = frozenset(
    [_LETTERS.findall(phrase)[-1] for words in _IN_ENGLISH.values() for phrase in words]
    + ["weekend", "wochenende"]
)


def _may_name_a_time(text: str) -> bool:
    """Tell quickly whether any rule can match: to ask them all costs twenty times as much."""
    if _DIGIT_OR_UNSPACED.search(text):
        return True
    return not _TIME_WORDS.isdisjoint(_LETTERS.findall(text.casefold()))
