"""Dates inside sentences: append ISO dates to relative, weekday and partial expressions.

Conventions: a bare or "next" weekday is the first one after the message's day ("next Tuesday"
said on a Tuesday is seven days later), in a past sentence the last one before it. A day and
month without a year is the nearest one in the direction of the sentence, unless that is far and
the other one near. Recurring days ("every Friday", "Monday and Thursday", rent "on the 5th") and
what stays ambiguous are left alone: a wrong date is worse than none.

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
    bare: bool = False
    """Whether it is a weekday alone, which a date beside it explains."""


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
    return named or any(
        pattern.search(text) for pattern in (_ISO, _YEAR_BOUND, grammar.recurring, grammar.weekdays)
    )


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


# A weekday beside these recurs.
_ALWAYS = re.compile(
    r"\b(?:always|never|usually|normally|immer|nie|niemals|normalerweise|ruhetag|siempre|nunca|jamás|"
    r"toujours|jamais|sempre)\b|"
    # 'sexta' means Friday: a word is explained
    r"['’\"”»」]\s*(?:\w+\s+){0,2}(?:means?|bedeutet|heißt|significa|signifie|quer dizer)\b"
    r"|总是|从不|从来|休息日|定休|いつも|必ず|だけ",
    re.IGNORECASE,
)
# Weekdays that bound opening hours recur.
_HOURS = re.compile(
    r"\b(?:closed?|closes|open|opens|opening|hours|geschlossen|geöffnet|offen|cierran?|abren?|"
    r"cerrad[oa]s?|abiert[oa]s?|ferm(?:e|ent|ée?s?)|ouv(?:re|rent|erte?s?)|fecham?|abrem?|"
    r"fechad[oa]s?|abert[oa]s?|work(?:s|ing)?|arbeite[nt]?|trabaj\w+|travaill\w+|trabalh\w+)\b|"
    r"上班|上课|勤務|营业|关门|开门|营業|営業",
    re.IGNORECASE,
)
# "the first Friday": which month's is not said.
_NTH = re.compile(
    r"(?:\b(?:first|second|third|fourth|erste[nr]?|zweite[nr]?|dritte[nr]?|vierte[nr]?|"
    r"(?:prim|terc)er[oa]?|segund[oa]|cuarto|último|primeir[oa]|terceir[oa]|quart[oa]|última|"
    r"premier|deuxième|troisième|quatrième|dernier)\s+|第[一二三四1-4][个個]?|最(?:后|後)一[个個]|"
    r"最後の?|最終|第[一二三四1-4]の?|毎月の?)$",
    re.IGNORECASE,
)
# "5, 6 and 7 August": the last day alone is half of what is said.
_LISTED = re.compile(
    r"(?<!\d)\d{1,2}(?:st|nd|rd|th|er|º|\.)?\s*"
    r"(?:[,/&–-]|and|or|to|und|oder|bis|y|o|al?|et|ou|au|e)\s*(?:the|el|le|den)?\s*$",
    re.IGNORECASE,
)
_QUOTES = "\"'“”‘’«»„「」『』`"
# "5., 6. und 7. August": so is the first day alone, and "Tuesday 9 to 12" no single Tuesday.
_LIST_FOLLOWS = re.compile(
    r"\s*(?:[,/&–-]|and|or|to|und|oder|bis|y|o|al?|et|ou|au|e)\s*\d", re.IGNORECASE
)
_NUMBER_FOLLOWS = re.compile(
    r",?\s+(?:(?:the|den|dem|der|el|le|dia|día)\s+)?\d{1,2}(?!\d|\s*(?:[.:h]\d|h\b|uhr|am\b|"
    r"pm\b|[ap]\.m|horas|heures|o['’]clock))",
    re.IGNORECASE,
)
# An aim right before a date, or anywhere in its clause, looks ahead whatever the verb.
_TOWARDS = re.compile(
    r"(?:\b(?:to|until|till|for|auf|bis|zum|al|para|pro|hasta|au|pour|até)\s+"
    r"(?:(?:the|den|dem|el|le|o|dia|día)\s+){0,2}"
    r"(?:(?:\w+(?:day|tag|di|feira)|mittwoch|\w+[nrt]es|miércoles|jueves|sábado|domingo),?\s+)?"
    r"(?:(?:the|den|dem|el|le|dia|día)\s+)?|到|至|改成|改为|定在)$",
    re.IGNORECASE,
)
_AIM_BEHIND = re.compile(r"に(?:変更|延期|決|な|し)")
_PLAN = re.compile(
    r"\b(?:from|ab|dès|(?:a|à)\s+partir\s+d[eu]|will|won['’]t|\w+['’]ll|"
    r"going to|hopes?|plans?|werden?|wird|wollen|soll(?:en)?|möchten?|"
    r"voy|vamos|van|quiero|queremos|espero|esperamos|"
    # "preparé" and its like are past
    r"(?!(?:p|prep|sep|comp|decl|disp)aré\b|(?:m|adm|t|ret|g|resp)iré\b)"
    r"\w+(?:[ai]ré|[aei]remos|[aei]rá[ns]?)|"
    r"vais|allons|vont|\w+[ir](?:rons|ront)|compt(?:e|ons)|vou|vão|quero|\w+[aei](?:rei|rão))\b|"
    r"要|会|将|打算|计划|准备|予定|つもり|ます|ましょう|ことにな|ことにし|変更|延期|決ま|[月日]から",
    re.IGNORECASE,
)
_SINCE = re.compile(
    r"\b(?:since|seit|desde|depuis)\s+(?:(?:the|this|last|dem|diesem|el|este|le|ce|o|a|dia|día)\s+)*$",
    re.IGNORECASE,
)
_YEAR_BEFORE = re.compile(r"(?:同年|翌年|次の年|同じ年|第二年|那年)[的の]?$")
_YEAR_BEHIND = re.compile(
    r",?\s+(?:(?:of\s+|in\s+)?(?P<next>next\s+year)|(?:of\s+)?(?P<last>last\s+year)|"
    r"(?:of\s+|in\s+)?(?:the|that)\s+(?:(?:same|following)\s+)?year|"
    r"(?P<next_de>(?:des\s+)?(?:nächst|kommend)e[ns]\s+jahre?s)|"
    r"(?P<last_de>(?:des\s+)?(?:letzt|vorig|vergangen)en\s+jahres)|"
    r"(?:desselben|(?:des|im)\s+(?:gleichen|selben|folgenden))\s+jahre?s?|"
    r"(?P<next_es>del\s+(?:año\s+que\s+viene|próximo\s+año))|(?P<last_es>del\s+año\s+pasado)|"
    r"del\s+(?:mismo\s+año|año\s+siguiente)|"
    r"(?P<next_fr>de\s+l['’]an(?:née)?\s+prochaine?)|"
    r"(?P<last_fr>de\s+l['’]an(?:née)?\s+derni(?:er|ère))|"
    r"de\s+(?:la\s+même\s+année|l['’]année\s+suivante)|"
    r"(?P<next_pt>do\s+(?:ano\s+que\s+vem|próximo\s+ano))|(?P<last_pt>do\s+ano\s+passado)|"
    r"do\s+(?:mesmo\s+ano|ano\s+seguinte))\b",
    re.IGNORECASE,
)
_CLAUSE_ENDS = re.compile(r"[,;.!?:]\s|[，。；：！？]")


def _spans(text: str, today: date, grammar: Grammar) -> list[Found]:
    """Find what the rules match, earlier rules first, without overlaps."""
    chosen: list[Found] = []
    taken = [match.span() for match in grammar.weekdays.finditer(text)]
    for pattern, resolve in grammar.rules:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            year = _YEAR_BEHIND.match(text, match.end()) if "month" in groups else None
            start, end = match.start(), year.end() if year else match.end()
            if any(start < last and first < end for first, last in taken):
                continue
            if resolve is day_of_month and (_HABIT.search(text) or grammar.recurring.search(text)):
                continue
            context = None if _is_no_single_day(match) else _context(match, year, today, grammar)
            resolved = _resolved(match, resolve, context) if context else None
            if resolved:
                bare = "weekday" in groups and not {"day", "month"} & groups.keys()
                chosen.append(Found(start, end, *resolved, bare))
            if resolved or "weekday" in groups or "month" in groups:
                taken.append((start, end))
    return sorted(chosen, key=lambda found: found.start)


def _is_no_single_day(match: re.Match[str]) -> bool:
    """Tell whether what stands around a match makes it recurring, a part of a list or a word."""
    text, (start, end), groups = match.string, match.span(), match.groupdict()
    quoted = text[start - 1 : start] in _QUOTES and text[end : end + 1] in _QUOTES
    if start and end < len(text) and quoted and ("weekday" in groups or "word" in groups):
        return True
    before = text[max(0, start - 24) : start]
    if "weekday" not in groups:
        if "day" in groups and "month" not in groups and _LIST_FOLLOWS.match(text, end):
            return True
        day_first = {"day", "month"} <= groups.keys() and match.start("day") < match.start("month")
        return day_first and bool(_LISTED.search(before))
    if not {"day", "month"} & groups.keys() and _NUMBER_FOLLOWS.match(text, end):
        return True
    clause = _clause(text, start, end)
    row = _HOURS.search(clause) and len(list(match.re.finditer(clause))) > 1
    return bool(row or _ALWAYS.search(clause) or ("month" not in groups and _NTH.search(before)))


def _context(
    match: re.Match[str], year: re.Match[str] | None, today: date, grammar: Grammar
) -> Context | None:
    """Return what a match is resolved with, or None if its year is another sentence's."""
    text, (start, end), groups = match.string, match.span(), match.groupdict()
    named = [match.start(name) for name in ("weekday", "day", "month") if groups.get(name)]
    lead = text[: min(named, default=start)][-40:]
    if "month" in groups and _YEAR_BEFORE.search(text[:start]):
        return None
    step = _year_step(year) if year else None
    if year and step is None:
        return None
    toward = bool(named and (_TOWARDS.search(lead) or _AIM_BEHIND.match(text, end)))
    past = grammar.past(text, start)
    return Context(
        today,
        False if toward and "month" not in groups else past,
        grammar.words,
        planned=toward or bool(_PLAN.search(_clause(text, start, end))),
        since=bool(_SINCE.search(lead)),
        year=today.year + step if step else None,
    )


def _year_step(year: re.Match[str]) -> int | None:
    """Return 1 for "next year", -1 for "last year", None for "the same year"."""
    kind = next((name for name, value in year.groupdict().items() if value), "")
    return {"next": 1, "last": -1}.get(kind[:4])


def _clause(text: str, start: int, end: int) -> str:
    """Return the clause around a span, at most 100 characters to each side."""
    before, after = text[max(0, start - 100) : start], text[end : end + 100]
    return _CLAUSE_ENDS.split(before)[-1] + text[start:end] + _CLAUSE_ENDS.split(after)[0]


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
                told = first if second.bare else second
                yield replace(told, start=first.start, end=second.end)
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
