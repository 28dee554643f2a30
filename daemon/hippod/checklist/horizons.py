"""The days that a question looks at: "in the next 3 days", "by Friday", "this month"."""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from hippod.checklist import days
from hippod.checklist.topics import Topic

DEFAULT_DAYS, DUE_DAYS = 2, 7
"""How far a question looks that names no time, and one about what has to be prepared for."""
EXPIRY_DAYS = 30
"""How far "about to expire" looks: a passport takes weeks."""
OVERDUE_DAYS = 366
"""How far back what is overdue is looked for."""


@dataclass(frozen=True, slots=True)
class Horizon:
    """The first and the last day; `until` is the moment for one that is counted in hours."""

    first: date
    last: date
    until: datetime | None = None


def read(question: str, topic: Topic, now: datetime) -> Horizon | None:
    """Return what a question about `topic` looks at, or None if that is the past."""
    if not topic.overdue and (
        _PAST.search(question) or (topic.language == "en" and _PAST_VERB.search(question))
    ):
        return None
    ahead = _named(question, now)
    if not topic.overdue:
        return ahead or _counted(now.date(), _DEFAULTS.get(topic.kind, DEFAULT_DAYS))
    back = now.date() - timedelta(OVERDUE_DAYS)
    return Horizon(back, ahead.last if ahead else now.date() - timedelta(1), None)


_DEFAULTS = {
    "expiry": EXPIRY_DAYS,
    **dict.fromkeys(("birthday", "deadline", "due", "event"), DUE_DAYS),
}


def _named(question: str, now: datetime) -> Horizon | None:
    """Return the widest of the times that are named."""
    today = now.date()
    counted = _by_count(question, now)
    found = [*counted, *_by_period(question, today, counted=bool(counted))]
    found = found or list(_by_date(question, today))
    if not found:
        return None
    widest = max(found, key=lambda each: each.last)
    return Horizon(min(each.first for each in found), widest.last, widest.until)


def _counted(today: date, count: int) -> Horizon:
    return Horizon(today, _shifted(today, count))


def _by_count(question: str, now: datetime) -> list[Horizon]:
    found = []
    for match in _COUNTED.finditer(question):
        number = match["most"] or match["count"]
        count = int(number) if number.isdecimal() else _NUMBERS[_plain(number)]
        unit = match["unit"].casefold()
        if unit.startswith(_HOURS):
            until = now + timedelta(hours=count)
            found.append(Horizon(now.date(), until.date(), until))
        else:
            size = next(size for size, names in _SIZES if unit.startswith(names))
            found.append(_counted(now.date(), count * size))
    return found


def _by_period(question: str, today: date, *, counted: bool) -> list[Horizon]:
    """Read "this week" and "this month", which end with it, and "the coming week"."""
    found = []
    if _THIS_WEEK.search(question):
        found.append(Horizon(today, _shifted(today, 6 - today.weekday())))
    if _THIS_MONTH.search(question):
        found.append(Horizon(today, today.replace(day=monthrange(today.year, today.month)[1])))
    if _THIS_YEAR.search(question):
        found.append(Horizon(today, date(today.year, 12, 31)))
    if _WEEKEND.search(question):
        found.append(
            Horizon(
                _shifted(today, max(5 - today.weekday(), 0)), _shifted(today, 6 - today.weekday())
            )
        )
    if not counted and _COMING_MONTH.search(question):
        found.append(_counted(today, 30))
    if not counted and _COMING_WEEK.search(question):
        found.append(_counted(today, 7))
    return found


def _by_date(question: str, today: date) -> list[Horizon]:
    """Read "tomorrow", "next week", "by Friday", "before 2026-12-10"; those of the past are
    none."""
    return [
        Horizon(today if each.until else max(each.first, today), each.last)
        for each in days.named(question, today)
        if each.last >= today
    ]


def _shifted(day: date, count: int) -> date:
    return date.fromordinal(min(day.toordinal() + count, date.max.toordinal()))


def _plain(word: str) -> str:
    return " ".join(word.casefold().split()).removesuffix(" of")


_NUMBERS = {
    word: number
    for number, words in (
        (1, "a an one eine einer einem einen un una une um uma"),
        (2, "two couple zwei dos deux dois duas"),
        (3, "three few drei paar tres trois três unos quelques"),
        (4, "four vier cuatro quatre quatro"),
        (5, "five fünf cinco cinq"),
        (6, "six sechs seis"),
        (7, "seven sieben siete sept sete"),
        (8, "eight acht ocho huit oito"),
        (9, "nine neun nueve neuf nove"),
        (10, "ten zehn diez dix dez"),
        (14, "fourteen vierzehn quatorze"),
        (24, "twenty-four vierundzwanzig"),
        (30, "thirty dreißig treinta trente trinta"),
    )
    for word in words.split()
}
_HOURS = ("h", "std", "stunde")
_SIZES = (
    (1, ("day", "d", "tag", "jour")),
    (7, ("week", "woche", "seman", "semai")),
    (30, ("month", "monat", "mes", "mois", "mês")),
    (365, ("year", "jahr", "año", "ano", "an")),
)
_COUNTED = re.compile(
    r"(?:\b(?:next|within|in|coming|over|following|innerhalb(?:\s+(?:von|der))?|nächste[nr]?|kommende[nr]?|binnen|"
    r"próxim[oa]s|en|dentro\s+de|prochaine?s|dans|em)\s+(?:the\s+|den\s+|der\s+|los\s+|las\s+|les\s+|os\s+|as\s+|an?\s+)?"
    r"(?:next\s+|coming\s+|following\s+|nächste[nr]?\s+|kommende[nr]?\s+|próxim[oa]s\s+|prochaine?s\s+)?|(?<!\w)[<≤(]\s*)"
    rf"(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)})(?:\s*(?:-|–|to|bis)\s*(?P<most>\d{{1,3}}))?(?:\s+of)?\s*-?"
    r"(?:(?:next|coming|nächsten|kommenden|próxim[oa]s|prochaine?s)\s+)?"
    r"(?P<unit>hours?|hrs?|h|days?|d|weeks?|months?|years?|stunden?|std|tage?n?|wochen?|monate?n?|jahre?n?|horas?|"
    r"días?|dias?|semanas?|mes(?:es)?|años?|heures?|jours?|semaines?|mois|ans?|anos?)\b",
    re.IGNORECASE,
)
_THIS_WEEK = re.compile(
    r"\b(?:this\s+week|diese[rn]?\s+woche|esta\s+semana|cette\s+semaine|end\s+of\s+the\s+week)\b(?!\s*-?\s*end)|本周|今週",
    re.IGNORECASE,
)
_THIS_MONTH = re.compile(
    r"\b(?:this\s+month|end\s+of\s+(?:the|this)\s+month|month\s+end|diese[mnrs]?\s+monats?|monatsende|ende\s+des\s+monats|"
    r"este\s+mes|fin\s+de\s+mes|ce\s+mois(?:-ci)?|fin\s+du\s+mois|este\s+mês)\b|本月|今月",
    re.IGNORECASE,
)
_THIS_YEAR = re.compile(
    r"\b(?:this\s+year|end\s+of\s+(?:the|this)\s+year|diese[smr]?\s+jahr(?:es)?|este\s+año|cette\s+année|este\s+ano)\b",
    re.IGNORECASE,
)
_WEEKEND = re.compile(
    r"\b(?:(?:this|the|at|for)\s+weekend|(?:am|dieses|diesem|das|übers|fürs)\s+wochenende|(?:este|el)\s+fin\s+de\s+semana|"
    r"(?:ce|le)\s+week-?end)\b",
    re.IGNORECASE,
)
_COMING_MONTH = re.compile(
    r"\b(?:in|within|over|during|for)\s+the\s+(?:next|coming)\s+month\b", re.IGNORECASE
)
_COMING_WEEK = re.compile(
    r"\b(?:(?:the|over)\s+(?:coming|following)\s+week|(?:in|within|over|during|for)\s+the\s+next\s+week|upcoming\s+week|days\s+ahead|coming\s+days|next\s+days|nächsten\s+tage|"
    r"nächste\s+zeit|kommenden\s+tage|próximos\s+días|prochains\s+jours|próximos\s+dias)\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:yesterday|ago|since|last\s+(?:night|week|month|year|\d+|few|couple|day)|past\s+(?:\d+|few|week|month|day|hour)|"
    r"gestern|seit|vorige[nrs]?|vergangene[nrs]?|letzte[nrs]?|ayer|desde|depuis|ontem)\b",
    re.IGNORECASE,
)
_PAST_VERB = re.compile(r"\b(?:did|were|was\s+(?:there|it|the|any\w*)|happened)\b", re.IGNORECASE)
