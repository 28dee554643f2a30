"""Dates inside sentences: append ISO dates to relative, weekday and partial expressions.

Conventions: a bare or "next" weekday is the first one after the message's day ("next Tuesday"
said on a Tuesday is seven days later), in a past sentence the last one before it. A day and
month without a year is the nearest one in the direction of the sentence, or the nearest of all
if no verb shows it. Recurring days ("every Friday", "Mondays", rent "on the 5th") and what
stays ambiguous are left alone.

The words stand in `datewords`, not in a library: dateparser 1.5 resolves none of "nächsten
Dienstag", "el próximo viernes", "mardi prochain", "sexta-feira que vem", "下周二", "来週の火曜日"
or "el 3 de mayo", and the patterns that find a span need the same words anyway.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo

from hippod.extraction.datewords import GRAMMARS, Context, Days, Grammar, Resolver
from hippod.extraction.datewords.rules import day_of_month
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
    grammar = _grammar(text, languages)
    if grammar is None:
        return []
    taken = [match.span() for match in _ANNOTATED.finditer(text)]
    notes = [match.span() for match in _NOTE.finditer(text)]
    plain = _NOTE.sub("", text)
    placed = (
        _placed(found, notes) for found in _ranges(plain, _spans(plain, today, grammar), grammar)
    )
    return [
        found
        for found in placed
        if found
        and not _ISO_NEAR.match(text, found.end)
        and not any(found.start < end and start < found.end for start, end in taken)
    ]


def _placed(found: Found, notes: Sequence[tuple[int, int]]) -> Found | None:
    """Return where an expression of the text without notes stands in the text with them."""
    start, end = found.start, found.end
    for first, last in notes:
        if first <= start:
            start, end = start + last - first, end + last - first
        elif first < end:
            return None
    return replace(found, start=start, end=end)


def mentions(text: str, languages: Sequence[str] = LANGUAGES) -> bool:
    """Tell whether `text` names a day, month or recurring time, other than today."""
    grammar = _grammar(text, languages)
    if grammar is None:
        return bool(_ISO.search(text))
    anchor = date(2001, 1, 1)
    named = any(found.first != anchor for found in _spans(text, anchor, grammar))
    return named or any(pattern.search(text) for pattern in (_ISO, _YEAR_BOUND, grammar.recurring))


def _grammar(text: str, languages: Sequence[str]) -> Grammar | None:
    words = _NOTE.sub("", text)  # annotating must not change the language
    return GRAMMARS.get(guess(words, languages, default=languages[0] if languages else "en"))


# What falls due month by month: "the rent is due on the 5th" names no single day.
_HABIT = re.compile(
    r"\b(?:rent|salary|wages?|payday|pension|allowance|mortgage|instal?ments?|subscription|always|"
    r"usually|normally|miete|gehalt|lohn|rente|kindergeld|rate|immer|normalerweise|alquiler|sueldo|"
    r"nómina|pensión|hipoteca|siempre|loyer|salaire|paie|retraite|toujours|aluguel|renda|salário|"
    r"sempre)\b|房租|工资|薪水|总是|家賃|給料|いつも",
    re.IGNORECASE,
)
_NOTE = re.compile(r" \([\d-]+(?: to [\d-]+)?\)")
_ISO = re.compile(r"\b\d{4}-\d{2}(?:-\d{2})?\b")
_YEAR_BOUND = re.compile(
    r"\b(?:until|till|since|through|seit|bis|hasta|desde|jusqu['’]en|depuis|até)\s+(?:19|20)\d\d\b",
    re.IGNORECASE,
)
_ISO_NEAR = re.compile(r"[\s,:=]{0,3}[(（\[]?\s?\d{4}-\d{2}|\s?[(（]\d{4}[)）]")
_ADJACENT = re.compile(r",?\s?(?:the\s|den\s|dem\s|el\s|le\s|dia\s)?[(（]?")
_ANNOTATED = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")


def _spans(text: str, today: date, grammar: Grammar) -> list[Found]:
    """Find what the rules match, earlier rules first, without overlaps."""
    chosen: list[Found] = []
    for pattern, resolve in grammar.rules:
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(start < other.end and other.start < end for other in chosen):
                continue
            if resolve is day_of_month and (_HABIT.search(text) or grammar.recurring.search(text)):
                continue
            context = Context(today, grammar.past(text, start), grammar.words)
            resolved = _resolved(match, resolve, context)
            if resolved:
                chosen.append(Found(start, end, *resolved))
    return sorted(chosen, key=lambda found: found.start)


def _resolved(match: re.Match[str], resolve: Resolver, context: Context) -> Days | None:
    try:
        return resolve(match, context)
    except (ValueError, OverflowError):  # no such day, or outside the calendar
        return None


def _ranges(text: str, spans: list[Found], grammar: Grammar) -> Iterator[Found]:
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
