"""Items with a day of their own: to be told on that day, and as long as they are not ticked off."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import lru_cache

from hippod.checklist import days, phrases, recurring, settled, topics
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


def is_mark_of_the_page(sentence: str) -> bool:
    """Say whether a line only tells when its page was written or looked at: "Updated: …"."""
    sentence = _DECORATION.sub("", sentence)
    found = days.named(sentence, None)
    if len(found) != 1 or not _OF_PAGE.search(sentence[: found[0].start]):
        return False
    return not any(map(str.isalnum, sentence[found[0].end :]))


@lru_cache(maxsize=1_024)
def may_be_one(item: str) -> bool:
    """Say whether an item has a day of its own and does not plainly ask: that memory holds
    nothing for that day then says nothing of it."""
    said = " ".join(item[: days.LOOKED_AT].split())
    if _ONE_THING.match(said):
        return True
    own = (_TODAY, _RELATIVE, _ON_WEEKDAY, _OF_MONTH, _DAILY, _WORKDAYS, _EVERY_SO_OFTEN)
    if not days.named(said, _ANY_DAY) and not any(each.search(said) for each in own):
        return False
    return not _asks_plainly(said)


def judge(item: str, evidence: Sequence[Evidence], now: datetime) -> Verdict:
    """Judge a reminder at the time of the user's clock.

    What memory says of it counts only where it says that it is done.
    """
    said, today = " ".join(item[: days.LOOKED_AT].split()), now.date()
    if (ended := _bounds(said, today)[1]) and ended < today:
        return Verdict("fine", f"It ended on {ended}.")
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


def _without_a_day(said: str) -> Verdict:
    """Say what can be written in place of words that tell no day."""
    if match := _SLASHED.search(said):
        why = f"{match[0]!r} may be either of two days; write the date as 2026-12-01"
    elif match := _EVERY_SO_OFTEN.search(said):
        why = f"nothing tells on which days {match[0]!r} falls; write {_FIXED}"
    elif match := _RELATIVE.search(said):
        why = f"nothing tells from when {match[0]!r} counts; write the date"
    else:
        why = f"it cannot be told on which days it falls; write {_FIXED}"
    return Verdict("not judged", why)


_FIXED = "the next date, or for example 'every Friday' or 'on the 1st of each month'"


def _when(said: str, today: date) -> _When | None:
    """Return when an item is told: on its date, the next of its weekdays, or each day."""
    first, last, rest = _bounds(said, today)
    if first or last:
        return _when(rest, max(today, first or today))
    dates = _dates(said, today)
    if dates and _is_yearly(said, dates):
        return _anniversary(dates[0].first, today)
    if dates:
        return _of_date(said, dates)
    if _SLASHED.search(said) or _EXCEPT.search(said):
        return None
    if recurring.is_named(said):
        return _next(said, today)
    if _EVERY_SO_OFTEN.search(said):
        return None
    if _DAILY.search(said) or _TODAY.search(said):
        return _When(today, today, comes_again=True)
    if _WORKDAYS.search(said):
        day = today + timedelta(max(0, 7 - today.weekday()) if today.weekday() > _FRIDAY else 0)
        return _When(day, day, comes_again=True)
    if match := _weekday(said):
        day = today + timedelta((recurring.weekday(match["name"]) - today.weekday()) % 7)
        return _ahead(day, until=bool(match["until"]), again=True)
    return None


_FRIDAY = 4


def _of_date(said: str, dates: Sequence[days.Days]) -> _When:
    marked = [each for each in dates if each.until or _is_due(said, each)]
    chosen = marked[0] if marked else dates[0]
    if marked:
        return _ahead(chosen.last, until=True)
    return _When(chosen.first, chosen.last)


def _is_yearly(said: str, dates: Sequence[days.Days]) -> bool:
    """Tell "Anna's birthday: 4 May 1990" from "Order the cake for her birthday by 4 May"."""
    if len(dates) != 1 or not dates[0].is_one or dates[0].until or _is_due(said, dates[0]):
        return False
    is_told = _BIRTHDAY.search(said) and not _ONCE.search(said) and not _tells_to_act(said)
    return bool(is_told or _BORN.search(said))


def _anniversary(day: date, today: date) -> _When:
    """Return that day of the next year that has it; 29 February is the 28th in others."""
    for year in (max(day.year, today.year), max(day.year, today.year) + 1):
        try:
            day = day.replace(year=year)
        except ValueError:
            day = date(year, 2, 28)
        if day >= today:
            break
    return _When(day, day, comes_again=True)


_BIRTHDAY = re.compile(
    r"\b(?:birthday|b-day|anniversary|name\s?day|geburtstag|hochzeitstag|jahrestag|namenstag|cumpleaños|aniversario|"
    r"anniversaire|aniversário)\b",
    re.IGNORECASE,
)
_BORN = re.compile(r"\b(?:born|geboren|nació|née?|nasceu)\b", re.IGNORECASE)
_ONCE = re.compile(
    r"\b(?:party|dinner|lunch|brunch|cakes?|presents?|gifts?|trip|feier|torte|geschenke?|essen|fiesta|cadeau|fête)\b",
    re.IGNORECASE,
)
"""What belongs to one birthday, not to each."""


@lru_cache(maxsize=1_024)
def _bounds(said: str, today: date) -> tuple[date | None, date | None, str]:
    """Return the first and last day of what comes again, and what is said without them."""
    if not any(each.search(said) for each in (_DAILY, _WORKDAYS)) and not recurring.is_named(said):
        return None, None, said
    first = last = None
    for each in reversed(_ranges(said, _read(said, today))):
        until = _UNTIL.search(said[: each.start]) or _UNTIL_IN.match(said[each.start : each.end])
        start = _FROM.search(said[: each.start])
        if not until and not start:
            continue
        first = each.first if start else first
        last = each.last if until or not each.is_one else last
        before = _FROM.sub("", _UNTIL.sub("", said[: each.start]))
        said = f"{before}{said[each.end :]}".strip()
    return first, last, said


_UNTIL = re.compile(
    r"[\s,(]*\b(?:until|till|through|up\s+to|bis(?:\s+zum)?|hasta|jusqu['’]au)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_UNTIL_IN = re.compile(r"(?:until|till|through|bis)\b", re.IGNORECASE)
_FROM = re.compile(
    r"[\s,(]*\b(?:from|starting(?:\s+(?:on|from))?|beginning(?:\s+on)?|as\s+of|since|ab(?:\s+dem)?|seit(?:\s+dem)?|desde|à\s+partir\s+du)"
    r"\s+(?:the\s+)?$",
    re.IGNORECASE,
)


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
    if _is_yearly(said, _dates(said, when.day)):
        return ""
    earliest = when.day - timedelta(_JUST_BEFORE if when.comes_again else _BEFORE)
    for each in evidence:
        if each.superseded or each.day is None or each.day < earliest:
            continue
        parts = settled.settled_parts(each.text)
        if any(
            settled.speaks_of_the_same(part, said) and settled.is_of_the_month(part, said, when.day)
            for part in parts
        ):
            return each.source
    return ""


_BEFORE, _JUST_BEFORE = 27, 2
"""Days before its day from which on what is done is done for this time; the second for what comes
again."""


# --- the day --------------------------------------------------------------------------------------


def _names_a_day(said: str) -> bool:
    if dates := _dates(said, _ANY_DAY):
        return any(map(str.isalpha, said[: dates[0].start] + said[dates[-1].end :]))
    if _SLASHED.search(said):
        return True
    to_act, is_work = _tells_to_act(said), phrases.is_work(said)
    weekday = _weekday(said)
    if (weekday or _RELATIVE.search(said)) and (to_act or is_work or _IMPERATIVE.match(said)):
        return True
    if topics.asks_for_more_than_time(said):
        return False
    if weekday and weekday["until"]:
        return True
    again = any(each.search(said) for each in (_DAILY, _WORKDAYS, _EVERY_SO_OFTEN))
    return recurring.is_named(said) or (to_act and (not is_work if again else _is_today(said)))


def _is_today(said: str) -> bool:
    return _TODAY.search(said) is not None


def _weekday(said: str) -> re.Match[str] | None:
    """Return the first weekday that stands for itself: not "Monday's meeting", "since Monday"."""
    found = _ON_WEEKDAY.finditer(said)
    return next((each for each in found if not _OF_ANOTHER.search(said[: each.start()])), None)


def _tells_to_act(said: str) -> bool:
    """Tell "Call Mum today" from "The weather today"."""
    plain = _AGAIN.sub("", _DECORATION.sub("", said)).strip()
    body = _LEAD.sub("", plain)
    acts = any(each.match(body) for each in (_REMINDS, _ACT))
    return bool(acts or plain.startswith(":") or _INFINITIVE.search(body))


_ANY_DAY = date(2000, 3, 1)
"""Only whether there is a date matters, not which day it is."""


@lru_cache(maxsize=1_024)
def _dates(said: str, today: date) -> tuple[days.Days, ...]:
    """Return the dates of a text that stand for themselves, without those of something told."""
    found = _ranges(said, _read(said, today))
    return tuple(each for each in found if not _is_of_another(said, each))


def _read(said: str, today: date) -> Sequence[days.Days]:
    """Return the dates with a year, or if there are none those without in the year meant now."""
    if found := days.named(said, None):
        return found
    near = days.named(said, today)
    return [_nearest(each, today) for each in near if _CALENDAR.match(said[each.start : each.end])]


def _ranges(said: str, found: Sequence[days.Days]) -> list[days.Days]:
    """Put the two ends of "from 28 November to 2 December" together."""
    joined: list[days.Days] = []
    for each in found:
        before = joined[-1] if joined else each
        if before.first < each.last and _TO.match(said[before.end : each.end]):
            joined[-1] = replace(before, last=each.last, end=each.end)
        else:
            joined.append(each)
    return joined


_TO = re.compile(r"\s*(?:(?:bis(?:\s+zum)?|to|until|till|through|al?|au)\s|[-–—]+)", re.IGNORECASE)


def _is_of_another(said: str, each: days.Days) -> bool:
    before = said[: each.start]
    if each.is_one and _OF_ANOTHER.search(before):
        return True
    if each.until or _is_due(said, each) or _BORN.search(before):
        return False
    bracket = before.count("(") > before.count(")") and re.search(r"\w", before)
    of_period = not each.exact and _FOR.search(before)
    return bool(
        of_period
        or _TOLD.search(before)
        or bracket
        or _OF_PAGE.search(before)
        or _NAME.search(before)
    )


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
_FOR = re.compile(r"\b(?:for|für|para|pour)\s+(?:the\s+)?$", re.IGNORECASE)
_OF_PAGE = re.compile(
    r"^\W*(?:(?:last|zuletzt|latest|letzte)\s+(?:update|review|change|check|edit|änderung|prüfung|"
    r"aktualisierung)|(?:(?:last|zuletzt)\s+)?(?:updated|reviewed|created|modified|changed|checked|edited|written|generated|"
    r"version|stand|aktualisiert|erstellt|geändert|geprüft|bearbeitet))\s*(?:on|at|am|vom)?\W*$",
    re.IGNORECASE,
)
"""What stands before the day on which a page was written or looked at."""
_NAME = re.compile(r"#\s*$|\b(?:invoice|ticket|issue|order|rechnung|version)\s+$", re.IGNORECASE)
"""What stands before a date that is the name of a thing."""
_TOLD = re.compile(
    r"\b(?:was|were|had|been|wurden?|waren?|hatten?)\s+(?!(?:scheduled|planned|booked|set|fixed|invited|confirmed)\b)[^.;:,]{0,30}"
    r"(?<!\bto\s)(?<!\bfor\s)(?<!\bauf\s)(?<!\bzum\s)(?<!\bden\s)$"
    r"|\b(?:wrote|sent|came|made|met|bought|told|said|left|began|signed|started|received|added|checked|written|"
    r"noted|opened|answered|reported|happened|asked|promised|called\s+(?:me|us|him|her))\s+(?:(?:on|at|in|me|us|it)\s+)*$",
    re.IGNORECASE,
)
"""What tells before a date what happened then."""
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
    r"\b(?:today|tonight|this\s+(?:morning|afternoon|evening)|heute|hoy|aujourd['’]hui|hoje)\b(?!['’]s)",
    re.IGNORECASE,
)
_DAILY = re.compile(
    r"\b(?:(?:every|each)\s+(?:single\s+)?(?:day|morning|afternoon|evening|night)|jeden\s+(?:tag|morgen|abend)|täglich)\b"
    r"|\bdaily\b(?=\W*(?:$|[:,]|at\b))",
    re.IGNORECASE,
)
_WORKDAYS = re.compile(
    r"\b(?:(?:every|each)\s+(?:week|work(?:ing)?\s?)day|on\s+(?:weekdays|workdays)|(?:jeden|an\s+jedem)\s+(?:werk|arbeits)tag|"
    r"werktags|an\s+(?:werk|arbeits)tagen)\b",
    re.IGNORECASE,
)
"""From Monday to Friday."""
_EVERY_SO_OFTEN = re.compile(
    r"\b(?:(?:every|each|alle)\s+(?:(?:other|second|third|fourth|few|two|three|four|five|six|zwei|drei|vier|fünf|sechs|paar|\d{1,3})\s+)?"
    r"(?:weeks?|months?|quarters?|years?|wochen|monate|jahre)|every\s+(?:other|second|third|few|two|three|four|five|six|\d{1,3})\s+days?"
    r"|alle\s+(?:zwei|drei|vier|fünf|sechs|paar|\d{1,3})\s+tage|jede[ns]?\s+(?:zweite[ns]?\s+)?(?:woche|monat|quartal|jahr)"
    r"|once\s+a\s+(?:week|month|year)|einmal\s+(?:die|pro|im)\s+(?:woche|monat|jahr)|fortnightly|biweekly"
    r"|(?:wöchentlich|monatlich|jährlich)|(?:weekly|monthly|yearly)(?=\W*(?:$|[:,])))\b",
    re.IGNORECASE,
)
"""What comes again on days that it does not name."""
_AGAIN = re.compile(
    rf"^(?:{_DAILY.pattern}|{_WORKDAYS.pattern}|{_EVERY_SO_OFTEN.pattern})\s*,?\s*"
    rf"|\W*(?:{_DAILY.pattern}|{_WORKDAYS.pattern}|{_EVERY_SO_OFTEN.pattern})\W*$",
    re.IGNORECASE,
)
_EXCEPT = re.compile(r"\b(?:except|unless|but\s+not|außer|usually|meistens)\b", re.IGNORECASE)
_SLASHED = re.compile(r"(?<![\w/.])(?:0?[1-9]|1[0-2])/(?:0?[1-9]|1[0-2])/(?:20)?\d\d(?![\w/])")
"""A date whose day and month may be either of its numbers."""
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
    r"(?P<name>(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)\b(?!['’]s)",
    re.IGNORECASE,
)


_ONE_THING = re.compile(
    r"\W*(?:(?:a|the|my|our|team|staff)\s+)*(?:meeting|appointment|deadline|exam|interview|call|event|party|visit|termin|treffen|"
    rf"besprechung|prüfung)\s+{_ON_WEEKDAY.pattern}\W*(?:(?:at|um)\s+)?(?:\d[^?]*)?$",
    re.IGNORECASE,
)
"""One thing on a weekday that is noted down, not asked for."""


# --- questions of what memory holds -----------------------------------------------------------


def _asks(said: str) -> bool:
    """Say whether it is asked for what is known or how things are, not told what to do."""
    plain = _DECORATION.sub("", said).strip()
    if _REMINDS.match(plain):
        return _OF_SOME.search(plain) is not None
    if phrases.is_work(plain) and not plain.endswith(("?", "？")):
        return _CONDITION.match(plain) is not None
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
    r"bake|book|bring|buy|call|cancel|change|charge|clean|clear|collect|confirm|contact|decide|feed|iron|walk|do(?=\s+(?:the|my|our|an?)\b)|e-?mail|finish|follow\s+up|cook|deliver|drop|empty|fetch|file|fill|fix|get|"
    r"give|go|hand|invite|join|leave|mail|meet|mow|order|pack|pay|phone|pick|plan|post|prepare|print|put|register|renew|repair|"
    r"replace|reply|return|ring|schedule|see\s+the|send|set|sign|start|stop|submit|take|talk|text|thank|throw|transfer|turn|"
    r"update|vacuum|visit|wash|water|wish|write|ruf|kauf|bring|hol|zahl|überweis|schick|bestell|buch|füll|gieß)\w{0,2}\b(?!\s*:)",
    re.IGNORECASE,
)
_IMPERATIVE = re.compile(
    r"(?!(?:the|an?|my|our|on|in|at|for|about|of|with|and|by|from|to|all|is|are|any|who|what|when)\b)[a-z]{2,}\s+(?:the|an?|my|our|his|her|their)\s+\w",
    re.IGNORECASE,
)
"""How it begins with some verb and one thing: "Iron the shirts"."""
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
    r"(?:please\s+|bitte\s+)?(?:any|anything|are|is|am\s+i|was|were|do(?!\s+(?:the|my|our|an?)\b)|does|did|has|have|had|can|could|will|would|should|what|which|who|"
    r"whose|when|where|why|how|if|whether|upcoming|all|(?:show|tell|notify|warn|alert)\s+(?:me|us)|list|"
    r"gibt|ist|sind|war|hat|haben|steht|stehen|läuft|laufen|kommt|was|welche\w*|wer|wann|wo|ob|wie|melde|sag\s+mir|zeig\w*|alle(?!\s+(?:zwei|drei|vier|fünf|sechs|paar|\d+)\b)|"
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
_CONDITION = re.compile(r"(?:if|when(?:ever)?|wenn|falls)\b", re.IGNORECASE)
_OF_ONE = re.compile(r"\b\w{4,}(?:termin|frist|geburtstag)\b", re.IGNORECASE)
_OF_SOME = re.compile(
    r"\b(?:any|anything|anyone|anybody|something|whatever|whether|if\s+(?:it|the|there|my|i|we|someone)|what(?:'s|\s+is)|irgend\w*|etwas|ob|"
    r"wenn|falls|birthdays|appointments|deadlines|meetings|events|bills|invoices|payments|tasks|calendar|"
    r"inbox|memory|notes|upcoming|open|pending|termine|kalender|rechnungen|fristen|offene\w*|anstehend\w*)\b",
    re.IGNORECASE,
)
