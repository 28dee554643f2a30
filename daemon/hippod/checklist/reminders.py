"""Items with a day of their own: to be told on that day, and as long as they are not ticked off."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import lru_cache

from hippod.checklist import days, recurring, settled, topics
from hippod.checklist.verdict import Evidence, Verdict

AHEAD = 2
"""Days before its day on which what has to be done by then is told first."""
_BACK = 60
"""Days that a date without a year may lie back: then it is overdue, before that the next one."""
_A_YEAR = 366


@dataclass(frozen=True, slots=True)
class _When:
    """The first day on which an item is told, and its day; `comes_again` if it has many."""

    told: date
    day: date
    comes_again: bool = False


@lru_cache(maxsize=1_024)
def is_reminder(item: str) -> bool:
    """Say whether an item is to be told on its own day; a question of what memory holds is not."""
    said = " ".join(item[: days.LOOKED_AT].split())
    return _names_a_day(said) and not _asks(said)


@lru_cache(maxsize=1_024)
def may_be_one(item: str) -> bool:
    """Say whether an item has a day of its own and does not plainly ask: that memory holds
    nothing for that day then says nothing of it."""
    said = " ".join(item[: days.LOOKED_AT].split())
    own = (_TODAY, _RELATIVE, _ON_WEEKDAY, _OF_MONTH)
    if not _dates(said, _ANY_DAY) and not any(each.search(said) for each in own):
        return False
    return not _asks_plainly(said)


def has_a_date(item: str) -> bool:
    """Say whether an item is to be told on a date of the calendar, once."""
    said = " ".join(item[: days.LOOKED_AT].split())
    return bool(_dates(said, _ANY_DAY)) and not _asks(said)


def judge(item: str, evidence: Sequence[Evidence], now: datetime) -> Verdict | None:
    """Judge a reminder at the time of the user's clock; None if its day cannot be told.

    What memory says of it counts only where it says that it is done.
    """
    said, today = " ".join(item[: days.LOOKED_AT].split()), now.date()
    when = _when(said, today)
    if when is None:
        return _without_a_day(said)
    if done := _done(said, evidence, when):
        return Verdict("fine", f"Memory says that it is done: {done}.", (done,))
    if when.told > today:
        return Verdict("fine", f"It will be told on {when.told}.")
    near = {0: " (today)", 1: " (tomorrow)"}.get((when.day - today).days, "")
    overdue = " (overdue)" if when.day < today else near
    return Verdict("attention", f"{when.day}{overdue}: {said}", (), f"{when.day} {said.casefold()}")


def _without_a_day(said: str) -> Verdict | None:
    if match := _RELATIVE.search(said):
        why = f"nothing tells from when {match[0]!r} counts; write the date"
        return Verdict("not judged", why)
    return None


def _when(said: str, today: date) -> _When | None:
    """Return when an item is told: on its date, the next of its weekdays, or each day."""
    dates = _dates(said, today)
    if dates:
        return _of_date(said, dates)
    if recurring.is_named(said):
        return _next(said, today)
    if _TODAY.search(said):
        return _When(today, today, comes_again=True)
    if match := _ON_WEEKDAY.search(said):
        day = today + timedelta((recurring.weekday(match["name"]) - today.weekday()) % 7)
        return _ahead(day, until=bool(match["until"]), again=True)
    return None


def _of_date(said: str, dates: Sequence[days.Days]) -> _When:
    marked = [each for each in dates if each.until or _is_due(said, each)]
    chosen = marked[0] if marked else dates[0]
    if marked:
        return _ahead(chosen.last, until=True)
    return _When(chosen.first, chosen.last)


def _is_due(said: str, each: days.Days) -> bool:
    before, after = said[max(0, each.start - 24) : each.start], said[each.end : each.end + 10]
    return bool(_DUE.search(before) or _DUE_BEHIND.match(after))


def _next(said: str, today: date) -> _When | None:
    if not recurring.is_certain(said):
        return None
    day = next(recurring.within(said, today, today + timedelta(_A_YEAR)), None)
    return _When(day, day, comes_again=True) if day else None


def _ahead(day: date, *, until: bool, again: bool = False) -> _When:
    return _When(day - timedelta(AHEAD if until else 0), day, again)


def _done(said: str, evidence: Sequence[Evidence], when: _When) -> str:
    """Return where memory says that what an item is about was done for this time."""
    earliest = when.day - timedelta(_JUST_BEFORE if when.comes_again else _BEFORE)
    for each in evidence:
        if each.superseded or each.day is None or each.day < earliest:
            continue
        parts = settled.settled_parts(each.text)
        if any(settled.speaks_of_the_same(part, said) for part in parts):
            return each.source
    return ""


_BEFORE, _JUST_BEFORE = 27, 2
"""Days before its day from which on what is done is done for this time; the second for what comes
again."""


# --- the day --------------------------------------------------------------------------------------


def _names_a_day(said: str) -> bool:
    if dates := _dates(said, _ANY_DAY):
        return any(map(str.isalpha, said[: dates[0].start] + said[dates[-1].end :]))
    if topics.asks_for_more_than_time(said):
        return False
    relative = any(each.search(said) for each in (_TODAY, _RELATIVE, _ON_WEEKDAY))
    return recurring.is_named(said) or (relative and _tells_to_act(said))


def _tells_to_act(said: str) -> bool:
    """Tell "Call Mum today" from "The weather today"."""
    body = _LEAD.sub("", _DECORATION.sub("", said).strip())
    return bool(_REMINDS.match(body) or _ACT.match(body) or _INFINITIVE.search(body))


_ANY_DAY = date(2000, 3, 1)
"""Only whether there is a date matters, not which day it is."""


@lru_cache(maxsize=1_024)
def _dates(said: str, today: date) -> tuple[days.Days, ...]:
    """Return the dates of a text that stand for themselves, without those of something told."""
    found = [*days.named(said, None)]
    if not found:
        near = days.named(said, today)
        found = [
            _nearest(each, today) for each in near if _CALENDAR.match(said[each.start : each.end])
        ]
    return tuple(each for each in found if not _is_of_another(said, each))


def _is_of_another(said: str, each: days.Days) -> bool:
    return each.is_one and _OF_ANOTHER.search(said[: each.start]) is not None


def _nearest(each: days.Days, today: date) -> days.Days:
    """Return a date without a year in the year that is meant now."""
    for year in (today.year - 1, today.year, today.year + 1):
        try:
            last = each.last.replace(year=year)
        except ValueError:
            last = date(year, 2, 28)
        if (last - today).days >= -_BACK:
            return replace(each, first=last - (each.last - each.first), last=last)
    return each


_CALENDAR = re.compile(
    r"(?!.*\b(?:days?|weeks?|months?|years?|hours?|tage?n?|wochen?|monate?n?|jahre?n?|stunden?)\b)"
    r"(?:.*\d\s?\.\s?\d|.*\d\W{0,3}(?:st|nd|rd|th|er)?\W{0,3}(?:of\s+|de\s+)?[^\W\d_]{3}|.*[^\W\d_]{3}\W{0,2}\s\d)",
    re.IGNORECASE,
)
"""What has a day and a month, or the day of one: "on the 3rd", which comes again."""
_OF_ANOTHER = re.compile(
    r"\b(?:since|seit|desde|depuis|as\s+of|dated|of|vom|started|last|from)\s+(?:the\s+|dem\s+)?$",
    re.IGNORECASE,
)
"""What stands before the date of something that was."""
_DUE = re.compile(
    r"\b(?:due|by|before|until|till|deadline|expir\w+|ends?|fällig|bis|vor|spätestens|frist|hasta|antes|vence|avant|até)\b"
    r"[^.;]{0,12}$",
    re.IGNORECASE,
)
_DUE_BEHIND = re.compile(r"\W{0,3}(?:due|deadline|fällig)\b", re.IGNORECASE)
_TODAY = re.compile(
    r"\b(?:today|tonight|this\s+(?:morning|afternoon|evening)|heute|hoy|aujourd['’]hui|hoje)\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    r"\b(?:(?:day\s+after\s+)?tomorrow|übermorgen|(?<!guten\s)(?<!jeden\s)morgen(?!s)|demain|amanhã"
    r"|in\s+(?:a|one|two|three|four|five|six|\d{1,3})\s+(?:days?|weeks?|months?)|next\s+(?:week|month)"
    r"|in\s+(?:einem|einer|zwei|drei|\d{1,3})\s+(?:tag\w*|woche\w*|monat\w*)|nächste[nr]?\s+(?:woche|monat))\b",
    re.IGNORECASE,
)
_OF_MONTH = re.compile(
    r"\b(?:on|by|before|until)\s+the\s+\d{1,2}(?:st|nd|rd|th)\b|\b(?:am|bis(?:\s+zum)?)\s+\d{1,2}\.(?=\s|$)",
    re.IGNORECASE,
)
_ON_WEEKDAY = re.compile(
    r"\b(?P<until>(?:by|before|until|bis(?:\s+zum)?|spätestens)\s+)?(?:(?:on|this|next|am|nächsten|el|le)\s+)?"
    r"(?P<name>(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)\b",
    re.IGNORECASE,
)


# --- questions of what memory holds -----------------------------------------------------------


def _asks(said: str) -> bool:
    """Say whether it is asked for what is known or how things are, not told what to do."""
    plain = _DECORATION.sub("", said).strip()
    if _REMINDS.match(plain):
        return _OF_SOME.search(plain) is not None
    if _asks_plainly(plain) or settled.is_settled(plain):
        return True
    looks = _LOOKS.match(plain) or _LOOKS.match(_LEAD.sub("", plain))
    return looks is not None and not _dates(said, _ANY_DAY)


def _asks_plainly(said: str) -> bool:
    """Say whether it is asked, or for things of a sort and not for one."""
    plain = _DECORATION.sub("", said).strip()
    if plain.endswith(("?", "？")) or _OF_SOME.search(plain):
        return True
    if _ASKING.match(plain) or _ASKING.match(_LEAD.sub("", plain)):
        return True
    topic = topics.topic(plain)
    if topic is None or _OF_ONE.search(plain):
        return False
    return not topic.names or topics.is_of_many(plain)


_ACT = re.compile(
    r"(?:please\s+|then\s+|bitte\s+|(?:today|tomorrow|tonight|on\s+\w+day|next\s+\w+|by\s+\w+)\W+)*(?:accept|apply|arrange|ask|attend|"
    r"bake|book|bring|buy|call|cancel|change|charge|clean|clear|collect|confirm|contact|decide|e-?mail|finish|follow\s+up|cook|deliver|drop|empty|fetch|file|fill|fix|get|"
    r"give|go|hand|invite|join|leave|mail|meet|mow|order|pack|pay|phone|pick|plan|post|prepare|print|put|register|renew|repair|"
    r"replace|reply|return|ring|schedule|see\s+the|send|set|sign|start|stop|submit|take|talk|text|thank|throw|transfer|turn|"
    r"update|vacuum|visit|wash|water|wish|write|ruf|kauf|bring|hol|zahl|überweis|schick|bestell|buch|füll|gieß)\w{0,2}\b(?!\s*:)",
    re.IGNORECASE,
)
_INFINITIVE = re.compile(
    r"\b(?!morgen\b)[a-zäöüß]{3,}(?:en|ern|eln)\W*(?:\b(?:heute|morgen|übermorgen)\W*)?$"
)
"""How a German note of something to do ends."""
_DECORATION = re.compile(r"[*`_\"“”„]+")
_LEAD = re.compile(r"^[^:]{1,40}:\s+")
_REMINDS = re.compile(
    r"(?:please\s+)?(?:remind\s+(?:me|us)|reminder|(?:tell|notify|ping|message)\s+me\s+(?:on|at|by)\b.*\bto\b"
    r"|(?:bitte\s+)?erinner\w*\s+(?:mich|uns)|recuérdame|rappelle[sz]?[- ]moi|lembr\w+[- ]me)\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"(?:please\s+|bitte\s+)?(?:any|anything|are|is|am\s+i|was|were|do|does|did|has|have|had|can|could|will|would|should|what|which|who|"
    r"whose|when|where|why|how|if|whether|upcoming|all|(?:show|tell|notify|warn|alert)\s+(?:me|us)|list|"
    r"gibt|ist|sind|war|hat|haben|steht|stehen|läuft|laufen|kommt|was|welche\w*|wer|wann|wo|ob|wie|melde|sag\s+mir|zeig\w*|alle|"
    r"hay|qué|cuál\w*|quién|est-ce|y\s+a-t-il|quel\w*|há|tem)\b",
    re.IGNORECASE,
)
_LOOKS = re.compile(
    r"(?:please\s+|bitte\s+)?(?:check|review|look|see|scan|find|verify|flag|make\s+sure|ensure|show|tell|report|warn|alert|notify|watch|"
    r"monitor|keep\s+an?\s+eye|summari[sz]e|search|read|confirm|prüf\w*|schau\w*|such\w*|melde\w*|sag\w*|revisa|comprueba|"
    r"vérifie\w*|verifique)\b",
    re.IGNORECASE,
)
"""How it begins where something is looked at: a thing on its date, or what is known each time."""
_OF_ONE = re.compile(r"\b\w{4,}(?:termin|frist|geburtstag)\b", re.IGNORECASE)
_OF_SOME = re.compile(
    r"\b(?:any|anything|anyone|anybody|something|whatever|whether|if\s+(?:it|the|there|my|i|we|someone)|what(?:'s|\s+is)|irgend\w*|etwas|ob|"
    r"wenn|falls|birthdays|appointments|deadlines|meetings|events|bills|invoices|payments|tasks|calendar|"
    r"inbox|memory|notes|upcoming|open|pending|termine|kalender|rechnungen|fristen|offene\w*|anstehend\w*)\b",
    re.IGNORECASE,
)
