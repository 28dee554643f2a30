"""Questions of time judged by what memory says: what is due, coming up, overdue or expiring."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import lru_cache

from hippod.checklist import (
    days,
    figures,
    horizons,
    recurring,
    reminders,
    settled,
    statements,
    topics,
)
from hippod.checklist.days import Days
from hippod.checklist.horizons import Horizon
from hippod.checklist.topics import Topic, terms
from hippod.checklist.verdict import Evidence, Verdict, digest, together

__all__ = ["dated", "horizon", "judge", "terms"]

MOST = 5
"""Things that one verdict names."""
LONGEST = 160
"""Characters of a thing in a verdict."""


def judge(question: str, evidence: Sequence[Evidence], now: datetime) -> Verdict | None:
    """Judge a question of time or a reminder, or return None if it is none or nothing is sure.

    `now` is aware, in the user's zone: its days are those that count.
    """
    if reminders.is_reminder(question):
        return reminders.judge(question, evidence, now)
    read = _read(question, now)
    if read is None:
        return None
    topic, span = read
    said = statements.current(evidence)
    found = _distinct(_due(said, topic, span, now))
    certain = [each for each in found if each.is_sure]
    if certain:
        return _attention(certain, now.date())
    if found or _may_be_named_otherwise(said, topic, span, now):
        return None
    if any(_may_fall(each, topic, span, now) for each in said) or reminders.may_be_one(question):
        return None
    if topics.names_elsewhere(question):
        reason = f"Memory names nothing {_said(span)}, and hippod cannot look elsewhere."
        return Verdict("not judged", reason)
    return Verdict("fine", f"Nothing that memory knows of falls {_said(span)}.")


def horizon(question: str, now: datetime) -> tuple[date, date] | None:
    """Return the first and last day that the question asks about, or None if it is none of time.

    What is overdue is looked for a year back.
    """
    read = _read(question, now)
    return (read[1].first, read[1].last) if read else None


def dated(evidence: Evidence) -> Evidence:
    """Widen the first and last day to those that the text names, anchored at when it was said."""
    found = days.named(evidence.text, evidence.day)
    if not found:
        return evidence
    first = min(each.first for each in found)
    last = max(each.last for each in found)
    return replace(
        evidence,
        first=min(first, evidence.first or first),
        last=max(last, evidence.last or last),
    )


def concerns(question: str, text: str, now: datetime) -> bool:
    """Say whether a text speaks of such a thing as a question of time asks for, on whatever day.

    That is cheaper to tell than its days.
    """
    read = _read(question, now)
    if read is None or not _is_of_kind(text, read[0]):
        return read is None
    return not read[0].overdue or read[0].matches(text) is not False


def _read(question: str, now: datetime) -> tuple[Topic, Horizon] | None:
    """Return what is asked for and when, or None if time alone cannot answer it."""
    return _read_at(question, now.replace(tzinfo=None))


@lru_cache(maxsize=1_024)
def _read_at(question: str, now: datetime) -> tuple[Topic, Horizon] | None:
    """Read a question at the time of the user's clock."""
    question = question[: days.LOOKED_AT]
    topic = None if reminders.is_reminder(question) else topics.topic(question)
    if topic is None or figures.names_a_threshold(question):
        return None
    span = horizons.read(question, topic, now)
    return (topic, span) if span else None


def _said(span: Horizon) -> str:
    return f"from {span.first} to {span.last}" if span.first != span.last else f"on {span.first}"


@dataclass(frozen=True, slots=True)
class _Due:
    """A thing that falls into the horizon: its day, and whether it is the one that was meant."""

    day: date
    evidence: Evidence
    is_sure: bool
    is_nameless: bool = False
    """Whether the name in front of it is not needed."""


def _due(
    evidence: Sequence[Evidence], topic: Topic, span: Horizon, now: datetime
) -> Iterator[_Due]:
    """Yield what falls into the horizon and is not settled."""
    closing = [each for each in evidence if _closes(each.text)]
    for each in evidence:
        matches = topic.matches(each.text)
        if matches is False or not _is_of_kind(each.text, topic):
            continue
        day = _day_within(each, topic, span, now)
        if day and not any(_settles(other, each, day) for other in closing):
            yield _Due(day, each, matches is True and recurring.is_certain(each.text))


def _may_be_named_otherwise(
    evidence: Sequence[Evidence], topic: Topic, span: Horizon, now: datetime
) -> bool:
    """Say whether something of the kind falls into the horizon, and no word of the thing that is
    asked for is known."""
    if not topic.names or any(topic.matches(each.text) is not False for each in evidence):
        return False
    nameless = replace(topic, names=frozenset())
    kind = "deadline" if topic.kind == "due" else topic.kind
    alike = [each for each in evidence if kind == "anything" or kind in topics.kinds_of(each.text)]
    return next(_due(alike, nameless, span, now), None) is not None


def _may_fall(evidence: Evidence, topic: Topic, span: Horizon, now: datetime) -> bool:
    """Say whether it speaks of the thing, is open, and may fall into the horizon for all we can
    read."""
    text = evidence.text
    if topic.matches(text) is False or not _is_of_kind(text, topic) or settled.is_settled(text):
        return False
    if topic.overdue and topic.names:
        return _is_behind(evidence, replace(topic, overdue=False), now.date())
    return topics.kinds_of(text) != frozenset() and _is_unread(evidence, span, now.date())


def _is_behind(evidence: Evidence, topic: Topic, today: date) -> bool:
    """Say whether a day of the thing is over, and nothing tells how it went."""
    named = _meant(evidence, topic)
    return any(each.last < today for each in named) and not settled.is_told_as_past(evidence.text)


def _is_unread(evidence: Evidence, span: Horizon, today: date) -> bool:
    """Say whether a text names a day in words that are not read, or with nothing to count from."""
    text = evidence.text[: days.LOOKED_AT]
    named = days.named(text, evidence.day)
    if evidence.day is None and not named and not recurring.is_named(text):
        near = days.named(text, today)
        return any(each.first <= span.last and each.last >= span.first for each in near)
    age = (today - evidence.day).days if evidence.day else 0
    if named or recurring.is_named(text):
        return False
    return age <= _VAGUE_FOR and _VAGUE.search(text) is not None


_VAGUE_FOR = 62
"""Days for which "at the end of the month" may still be to come."""
_VAGUE = re.compile(
    r"(?<![\w/.])(?:0?[1-9]|[12]\d|3[01])/(?:0?[1-9]|[12]\d|3[01])(?:/(?:20)?\d\d)?(?![\w/])"
    r"|\b(?:end|start|beginning|middle|close|first|last\s+day)\s+of\s+(?:(?:the|this|next|each|every)\s+)?(?:month|quarter|year|week)\b"
    r"|\b(?:month|quarter|year|week)(?:\s+|-|['’]s\s+)end\b|\b(?:next|on)\s+payday\b|\bmid-?month\b"
    r"|\bmonats(?:ende?|ersten?|anfang|mitte|letzten?)\b|\b(?:quartals|jahres|wochen)(?:ende?|anfang)\b"
    r"|\b(?:ende|anfang|mitte)\s+(?:des|der|dieses|dieser|nächste[nrs]|kommende[nrs])\s+(?:monats|quartals|jahres|woche)\b"
    r"|\b(?:fin(?:ales)?|principios?|mediados)\s+(?:del?|du|de\s+la)\s+(?:mes|año|mois|trimestre|semana)\b|\bfin\s+(?:de|du)\s+mois\b"
    r"|\bfi[mn]\s+do\s+mês\b|\b(?:in\s+a\s+few|in\s+the\s+coming)\s+(?:days|weeks)\b|\bin\s+(?:ein\s+paar|wenigen)\s+(?:tagen|wochen)\b"
    r"|\b(?:is|are|ist|sind)\s+(?:now\s+|still\s+|soon\s+|jetzt\s+|noch\s+|bald\s+)?(?:over)?(?:due|fällig|überfällig)\b",
    re.IGNORECASE,
)
"""Days in words, or in an order of their own, which no rule reads."""


def _is_of_kind(text: str, topic: Topic) -> bool:
    """Say whether a text speaks of such a thing as is asked for."""
    spoken = topics.kinds_of(text)
    if not spoken:
        return topic.kind in ("due", "anything", "appointment", "event") or bool(topic.names)
    if topic.kind in ("birthday", "expiry", "deadline", "appointment"):
        return topic.kind in spoken
    return topic.kind != "due" or bool(topic.names) or spoken != {"birthday"}


def _closes(text: str) -> bool:
    return settled.is_settled(text) or settled.is_moved(text)


def _settles(later: Evidence, earlier: Evidence, day: date) -> bool:
    """Say whether `later` tells that what `earlier` says for `day` is done, or has another day."""
    if later is earlier or not later.day or not earlier.day or later.day < earlier.day:
        return False
    if (done := settled.settled_parts(later.text)) and not _comes_each_year(earlier):
        is_of_this_time = (day - later.day).days <= _RECURS or "expiry" in topics.kinds_of(
            later.text
        )
        same = any(
            settled.speaks_of_the_same(part, earlier.text)
            and settled.is_of_the_month(part, earlier.text, day)
            for part in done
        )
        return is_of_this_time and same and not _came_between(later.day, earlier.text, day)
    if settled.is_moved(later.text) and later.day > earlier.day:
        return settled.speaks_of_the_same(later.text, earlier.text)
    return False


def _came_between(done: date, text: str, day: date) -> bool:
    """Say whether what comes again did so since it was done: then that was another time."""
    return next(recurring.within(text, done, day - timedelta(1)), None) is not None


_RECURS = 27
"""Days between what was paid and what is due that make it another month's."""


# --- the days of a text ---------------------------------------------------------------------------


def _day_within(evidence: Evidence, topic: Topic, span: Horizon, now: datetime) -> date | None:
    """Return the day of the evidence that falls into the horizon, the nearest to today."""
    today, text = now.date(), evidence.text
    possible = [
        day
        for day, at in _days(evidence, topic, span)
        if span.first <= day <= span.last
        and (_comes_each_year(evidence) or not settled.is_settled(text, at))
        and not _is_over(text, day, topic, span, now)
    ]
    return min(possible, key=lambda day: abs((day - today).days), default=None)


def _days(evidence: Evidence, topic: Topic, span: Horizon) -> Iterator[tuple[date, int | None]]:
    """Yield the days on which it may fall, with where they stand in the text."""
    named = _meant(evidence, topic)
    yearly = _recurs_yearly(evidence.text, named)
    if not topic.overdue and (topic.names or topics.kinds_of(evidence.text)):
        yield from ((day, None) for day in _again(evidence.text, named, span))
    for each in named:
        at = each.start if each.end else None
        if yearly and each.is_one:
            yield from ((day, at) for day in _in_years(each.first, span))
        elif topic.kind in ("due", "deadline", "expiry") or topic.overdue or each.until:
            yield each.last, at
        elif each.exact:
            yield each.first, at


def _again(text: str, named: Sequence[Days], span: Horizon) -> Iterator[date]:
    """Yield the days of the horizon on which it comes again, until the day that it names."""
    last = min([span.last, *(each.last for each in named if each.until)])
    yield from recurring.within(text, span.first, last)


def _meant(evidence: Evidence, topic: Topic) -> Sequence[Days]:
    """Return the days of the thing itself, not those on which it was said, sent or moved."""
    text = evidence.text[: days.LOOKED_AT]
    named = days.named(text, evidence.day) or days.named(_open(text), evidence.day)
    if settled.is_moved(text) and named:
        return _moved_to(text, named, evidence.day)
    marked = [each for each in named if _is_marked(text, each)]
    if len(named) > 1 and marked:
        return marked
    if not named:
        return _given(evidence)
    return named if not topic.overdue else marked or [named[-1]][: _is_payable(text)]


def _given(evidence: Evidence) -> Sequence[Days]:
    """Return the days that the caller knows of."""
    last = evidence.last or evidence.first
    if last is None or (evidence.first and not evidence.last and _SINCE.search(evidence.text)):
        return ()
    first = evidence.first or last
    return (Days(first, last, 0, 0, until=evidence.first is None),)


def _moved_to(text: str, named: Sequence[Days], said: date | None) -> Sequence[Days]:
    """Return the new day: that behind "to", else the last one that was to come when it was said.

    "It was postponed last week" names none.
    """
    behind = [each for each in named if _TO.search(text[: each.start])]
    ahead = [each for each in named if said is None or each.last >= said]
    chosen = behind[:1] or ahead[-1:]
    return tuple(replace(each, first=each.last) for each in chosen)


def _is_marked(text: str, each: Days) -> bool:
    """Say whether words beside a day make it the one by which something has to be done."""
    before, after = text[max(0, each.start - 30) : each.start], text[each.end : each.end + 12]
    return each.until or bool(_MARK.search(before) or _MARK_BEHIND.match(after))


def _is_payable(text: str) -> bool:
    return _PAYABLE.search(text) is not None


def _recurs_yearly(text: str, named: Sequence[Days]) -> bool:
    """Tell "Anna's birthday is on 4 March" from "bought a present for her birthday on 4 March"."""
    if _BORN.search(text) or (_EACH_YEAR.search(text) and not settled.is_told_as_past(text)):
        return True
    if "birthday" in topics.kinds_of(text) and len(named) == 1 and not _BESIDE.search(text):
        return not named[0].until and not settled.is_told_as_past(text)
    return _YEARLY.search(text) is not None and not settled.is_told_as_past(text)


def _comes_each_year(evidence: Evidence) -> bool:
    """Say whether it is a birthday or the like, which no cake and no party closes."""
    if not topics.kinds_of(evidence.text) & {"birthday"}:
        return False
    text = evidence.text[: days.LOOKED_AT]
    return _recurs_yearly(text, days.named(text, evidence.day))


def _in_years(day: date, span: Horizon) -> Iterator[date]:
    """Yield that day of each year that the horizon touches; 29 February is the 28th in others."""
    for year in range(span.first.year, span.last.year + 1):
        try:
            yield day.replace(year=year)
        except ValueError:
            yield date(year, 2, 28)


def _is_over(text: str, day: date, topic: Topic, span: Horizon, now: datetime) -> bool:
    """Say whether a day of the horizon is of the past, or too far for one counted in hours."""
    today = now.date()
    if topic.overdue and day < today:
        return False
    if day == today and _is_past(text) and not topics.kinds_of(text) & {"birthday"}:
        return True
    clock = _clock(text)
    if clock is None or topic.kind in ("birthday", "expiry", "deadline"):
        return False
    moment = (day - today) + timedelta(minutes=clock)
    passed = timedelta(hours=now.hour, minutes=now.minute)
    latest = span.until and span.until.replace(tzinfo=None) - datetime.combine(
        today, datetime.min.time()
    )
    return moment < passed or bool(latest and moment > latest)


def _is_past(text: str) -> bool:
    """Say whether a text tells what has happened, in what it says of things that are open."""
    return settled.is_told_as_past(_open(text))


def _open(text: str) -> str:
    """Return a text with blanks in place of the clauses that tell of what is done."""
    for part in settled.settled_parts(text):
        text = text.replace(part, " " * len(part))
    return text


def _clock(text: str) -> int | None:
    """Return the last time of day in a text, in minutes; stamps of log lines are none."""
    found = None
    for match in _CLOCK.finditer(_STAMP.sub("", text[: days.LOOKED_AT])):
        hour, minute = int(match["hour"] or match["alone"]), int(match["minute"] or 0)
        half = (match["half"] or "").casefold()[:1]
        if half in ("a", "p"):
            hour = hour % 12 + (12 if half == "p" else 0)
        found = hour * 60 + minute if hour < 24 else found
    return found


_SINCE = re.compile(r"\b(?:since|seit|desde|depuis|from|ab)\b", re.IGNORECASE)
_TO = re.compile(
    r"(?:\b(?:to|till|until|auf|zum|al?|para|au|para\s+o)\s+(?:the\s+|den\s+|el\s+|le\s+)?|[→>]\s*)$",
    re.I,
)
_MARK = re.compile(
    r"(?:\b(?:due|deadline|by|until|till|before|pay|payable|expir\w+|ends?|ending|valid|renew\w*|submit|fällig\w*|bis|zahlbar|"
    r"frist|spätestens|läuft|endet|abgabe|vence\w*|caduca|hasta|antes|échéance|avant|expire|até)\b|截止|期限)[^.;,]{0,20}$",
    re.IGNORECASE,
)
_PAYABLE = re.compile(
    r"\b(?:due|overdue|payable|owed|deadline|expir\w+|fällig\w*|zahlbar|frist|abgelaufen|vencid\w+|vence\w*|échéance)\b",
    re.IGNORECASE,
)
_BORN = re.compile(r"\b(?:born|geboren|nació|nacid[oa]|née?|nasceu)\b", re.IGNORECASE)
_EACH_YEAR = re.compile(
    r"\b(?:(?:every|each)\s+year|yearly|annually|jedes\s+jahr|jährlich|cada\s+año|chaque\s+année)\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"\b(?:presents?|gifts?|part(?:y|ies)|cakes?|cards?|book|buy|order|invit\w+|celebrat\w*|dinner|geschenk\w*|feier\w*|"
    r"torte|bestell\w*|kauf\w*|lädt|eingeladen|regalo|fiesta|cadeau|fête)\b",
    re.IGNORECASE,
)
"""What is done for a birthday once."""
_MARK_BEHIND = re.compile(r"\W{0,3}(?:due|deadline|fällig|ab\b|abgelaufen)", re.IGNORECASE)
_YEARLY = re.compile(
    r"\b(?:birthday|b-day|anniversary|born|name\s?day|geburtstag|hochzeitstag|jahrestag|geboren|namenstag|cumpleaños|"
    r"aniversario|naci[ód]\w*|anniversaire|née?|aniversário|nasceu)\b\W{0,3}(?:(?:is|was|are|falls|on|in|the|ist|am|im|fällt|auf|den|"
    r"es|el|est|le|é|em|dia|:|=|\(|–|-)\s*){0,4}(?=\W*\w*\W*\d|\W*\w+\s+\d|$)"
    r"|\bhat\s+(?:am\s+)?\S.{0,30}\bgeburtstag\b|\d\W{0,3}(?:is\s+)?(?:\w+['’]s\s+|\w+\s+)?(?:birthday|geburtstag)\b"
    r"|\bcumple\s+años\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(?<![\d:.,-])(?:(?P<hour>[01]?\d|2[0-4])[:h](?P<minute>[0-5]\d)|(?P<alone>[01]?\d|2[0-4])(?=\s*(?:[ap]\.?m\b|uhr\b|h\b)))"
    r"(?![\d:])\s*(?P<half>[ap]\.?m\b)?",
    re.IGNORECASE,
)
_STAMP = re.compile(
    r"^\s*\[\d\d:\d\d(?::\d\d)?\]|\(\d\d:\d\d\s+\S+\)|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*"
)


# --- what is said of it ---------------------------------------------------------------------------


def _distinct(found: Iterable[_Due]) -> list[_Due]:
    """Leave out what is said twice for one day; a fact tells it better than what it came from."""
    distinct: list[_Due] = []
    for each in sorted(found, key=lambda each: _is_no_fact(each.evidence)):
        same = next((at for at, other in enumerate(distinct) if _is_same(each, other)), None)
        if same is None:
            distinct.append(each)
        elif not _parted(each)[0]:  # it does without the name in front
            distinct[same] = replace(distinct[same], is_nameless=True)
    return distinct


def _is_same(one: _Due, other: _Due) -> bool:
    """Say whether two say the same for one day, one of them perhaps with whom it is about."""
    if (one.day, one.is_sure) != (other.day, other.is_sure):
        return False
    (name, text), (other_name, other_text) = _parted(one), _parted(other)
    if name and other_name and name != other_name:
        return False
    return text == other_text or settled.says_the_same(
        settled.subject(text), settled.subject(other_text)
    )


def _parted(due: _Due) -> tuple[str, str]:
    """Return the name in front of a statement of a daily log, and the statement, in small
    letters; headings of documents belong to what stands below them."""
    text = _cleaned(due.evidence.text).casefold()
    match = _NAME.match(text) if due.evidence.source.startswith("memory/") else None
    return (match[1], text[match.end() :]) if match else ("", text)


_NAME = re.compile(r"([^\W\d_][\w .,'’-]{0,60}):\s+", re.IGNORECASE)
_OF_THE_USER = re.compile(r"user:\s+", re.IGNORECASE)


def _is_no_fact(evidence: Evidence) -> bool:
    return _STAMP.match(evidence.text) is not None or not evidence.source.startswith("memory/")


def _attention(found: Sequence[_Due], today: date) -> Verdict:
    near = sorted(found, key=lambda each: (abs((each.day - today).days), each.day < today))
    told = "; ".join(f"{_when(each.day, today)}: {_told(each)}" for each in near[:MOST])
    more = f"; and {len(near) - MOST} more" if len(near) > MOST else ""
    members = {digest([f"{each.day} {_shown(each.evidence.text).casefold()}"]) for each in near}
    cited = tuple(dict.fromkeys(each.evidence.source for each in near[:MOST]))
    return Verdict("attention", told + more, cited, together(members))


def _told(due: _Due) -> str:
    """Return what is told, without a name in front that nobody needs."""
    text = _cleaned(due.evidence.text)
    if due.evidence.source.startswith("memory/"):
        front = (_NAME if due.is_nameless else _OF_THE_USER).match(text)
        text = text[front.end() :] if front else text
    return _shown(text)


def _when(day: date, today: date) -> str:
    distance = (day - today).days
    near = {0: " (today)", 1: " (tomorrow)"}.get(distance, " (past)" if distance < 0 else "")
    return f"{day}{near}"


def _shown(text: str) -> str:
    said = _cleaned(text)
    return said if len(said) <= LONGEST else said[: LONGEST - 1] + "…"


@lru_cache(maxsize=4_096)
def _cleaned(text: str) -> str:
    """Return a text without stamps, marks, ids and sources, single-spaced."""
    said = _BEFORE.sub("", " ".join(text[: days.LOOKED_AT].split()))
    return _BEHIND.sub("", said).strip() or said


_BEFORE = re.compile(
    r"^(?:[-*+]\s+|\[[ xX]?\]\s+|\[\d\d:\d\d(?::\d\d)?\]\s*|"
    r"[WBOS](?:\(c=[\d.]+\))?(?:\s+@[^\s:]+)*\s*:\s+)+"
)
_BEHIND = re.compile(r"(?:\s+\^[0-9a-z]+|\s+\(\d\d:\d\d\s+[^()\s][^()]*\))+$")
