"""What a recall request means: its terms, and what may answer it. No model, no clock."""

import re
import unicodedata
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, tzinfo
from functools import lru_cache

from pathspec import GitIgnoreSpec

from hippod import questions, timespans, tokens
from hippod.errors import InvalidInput
from hippod.questions import Question
from hippod.scope import DEFAULT_GROUP_PATHS, Scope
from hippod.timespans import Timespan
from hippod.wire import MAX_QUERY, Kind, RecallRequest

_EXAMPLES = "use an age such as 6h, 7d or 2w, or 2026-03-03, 2026-03-03T14:00, 2026-03 or 2026"
_AGE = re.compile(r"(\d{1,5})\s*(h|d|w|y)", re.ASCII | re.IGNORECASE)
_FEW = 2
_WORD = re.compile(r"\w+")
_DAYS = {"d": 1, "w": 7, "y": 365}
_PERIOD = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Where:
    """What may answer: every condition must hold, several kinds or entities are alternatives.

    `since`, `until` and `as_of` are inclusive and in the user's local time, without offset.
    Undated units pass `as_of` but neither `since` nor `until`. `path` is a gitignore pattern.
    """

    scope: Scope = "main"
    group_paths: tuple[str, ...] = DEFAULT_GROUP_PATHS
    kinds: tuple[Kind, ...] = ()
    entities: tuple[str, ...] = ()
    path: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """A request understood: `text` for the embedder, `terms` for FTS5; both may be empty.

    `question` and `times` were read from the wording: they lift hits, only `where` filters.
    """

    text: str
    terms: tuple[str, ...]
    truncated: bool
    where: Where
    question: Question = field(default_factory=Question)
    times: tuple[Timespan, ...] = ()

    @property
    def state_at(self) -> date | None:
        """The last day of the time whose state the question asks for, if it asks for one."""
        days = [time.until or time.since for time in self.times if self.question.asks_state]
        return next(filter(None, days), None)

    @property
    def asks_only_when(self) -> bool:
        """Whether the question asks for what happened at a time, and for nothing else."""
        if not any(any(map(str.isdigit, each.text)) or not each.around for each in self.times):
            return False  # the name of a feast is a word like others
        return questions.asks_what_happened(timespans.without(self.text, self.times))

    @property
    def asks_little_but_when(self) -> bool:
        """Whether the question has hardly a word that does not tell a time or an event."""
        event = self.question.event
        if not self.times and event is None:
            return False
        if self.asks_only_when:
            return True
        rest = timespans.without(self.text, self.times)
        words = tokens.terms(rest.replace(event.text, " ") if event else rest)
        return sum(each not in tokens.STOP_WORDS for each in words) <= _FEW

    @property
    def dropped_terms(self) -> tuple[str, ...]:
        """Words of the question that are not looked up: stop words, and those beyond the limit."""
        words = [each for each in _WORD.findall(self.text.casefold()) if each in tokens.STOP_WORDS]
        unread = tokens.terms(self.text)[tokens.MAX_TERMS :] if self.truncated else []
        return tuple(each for each in dict.fromkeys(words + unread) if each not in self.terms)


def understand(
    request: RecallRequest,
    *,
    now: datetime,
    zone: tzinfo,
    group_paths: Sequence[str] = DEFAULT_GROUP_PATHS,
) -> Query:
    """Read a request; any query text is safe.

    Raises `InvalidInput`, naming the field, for a date that cannot be read or a range that ends
    before it begins.
    """
    local = now.astimezone(zone)
    since = _bound("since", request.since, local, end=False)
    until = _bound("until", request.until, local, end=True)
    if since and until and since > until:
        raise InvalidInput(f"since: {request.since!r} is after until {request.until!r}", _EXAMPLES)
    if request.path:
        path_pattern(request.path)
    text = _clean(request.query[:MAX_QUERY])
    found = tokens.terms(text)
    where = Where(
        scope=request.scope,
        group_paths=tuple(group_paths),
        kinds=request.kind,
        entities=tuple(dict.fromkeys(map(entity_key, request.entity))),
        path=request.path or None,
        since=since,
        until=until,
        as_of=_bound("as_of", request.as_of, local, end=True),
    )
    times = timespans.read(text, local)
    cut = len(request.query) > MAX_QUERY or len(found) > tokens.MAX_TERMS
    return Query(
        text=text,
        terms=tuple(found[: tokens.MAX_TERMS]),
        truncated=cut,
        where=where,
        question=questions.read(text, timespans.without(text, times)),
        times=times,
    )


entity_key = questions.key


@lru_cache(maxsize=64)
def path_pattern(pattern: str) -> GitIgnoreSpec:
    """Return a path filter as a matcher; raises `InvalidInput` if it is none."""
    try:
        return GitIgnoreSpec.from_lines([pattern])
    except (ValueError, re.error):  # a range of a bracket is read by `re` alone
        raise InvalidInput(
            f"path: {pattern!r} is not a pattern", "use a path or a glob such as memory/2026-*.md"
        ) from None


def first_day(field: str, value: str, now: datetime) -> date:
    """Return the first day that a date, a period or an age such as `7d` names, in `now`'s zone.

    Raises `InvalidInput`.
    """
    moment = _bound(field, value, now, end=False)
    if moment is None:
        raise InvalidInput(f"{field}: is empty", _EXAMPLES)
    return moment.date()


def _clean(text: str) -> str:
    """Replace control characters and lone surrogates, which neither leg can take, by blanks."""
    return "".join(" " if unicodedata.category(ch) in ("Cc", "Cs") else ch for ch in text).strip()


def _bound(field: str, value: str | None, local: datetime, *, end: bool) -> datetime | None:
    """Read one date field as the first or last second that it names, local without offset."""
    text = (value or "").strip()
    if not text:
        return None
    if text.lower() in _NAMED:
        return edge(local.date() - timedelta(days=_NAMED[text.lower()]), end=end)
    try:
        if match := _AGE.fullmatch(text):
            return _age(int(match[1]), match[2].lower(), local, end=end)
        if match := _PERIOD.fullmatch(text):
            return _period(*match.groups(), end=end)
        moment = datetime.fromisoformat(text)
        return (moment.astimezone(local.tzinfo) if moment.tzinfo else moment).replace(tzinfo=None)
    except (ValueError, OverflowError):
        raise InvalidInput(f"{field}: cannot read {value!r} as a date", _EXAMPLES) from None


_NAMED = {"today": 0, "yesterday": 1}
"""Days ago, by the words that name a day for the daily logs too."""


def _age(count: int, unit: str, local: datetime, *, end: bool) -> datetime:
    if unit == "h":
        # Through UTC: an hour is an hour on the day the clocks change, too.
        moment = datetime.fromtimestamp(local.timestamp() - count * 3600, local.tzinfo)
        return moment.replace(tzinfo=None, microsecond=0)
    return edge(local.date() - timedelta(days=count * _DAYS[unit]), end=end)


def _period(year: str, month: str | None, day: str | None, *, end: bool) -> datetime:
    y, m = int(year), int(month or (12 if end else 1))
    d = int(day) if day else (monthrange(y, m)[1] if end else 1)
    return edge(date(y, m, d), end=end)


def edge(day: date, *, end: bool) -> datetime:
    """Return the first second of a day, or its last."""
    return datetime.combine(day, time(23, 59, 59) if end else time())
