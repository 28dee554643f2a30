"""The rules of named checks: when what a command said wants attention. Pure.

A rule is one condition such as `number > 90`, or several with `and` and `or` between them, where
`and` binds tighter.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Literal, Protocol

import regex

from hippod.checklist import printed
from hippod.checklist.verdict import Verdict, digest

DEFAULT = "exit != 0"
SUBJECTS = "exit, number, lines, output or date"
_LONGEST = 1_000
_SEARCH_TIMEOUT = 1.0
"""Seconds that a regular expression may take for one output."""
_MOST_DAYS = 36_500


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command said: its exit code, and what it printed.

    `previous` is the `digest_of` what it printed the last time, none at the first time. With
    `truncated`, `output` is only the beginning.
    """

    exit: int
    output: str
    previous: str | None = None
    truncated: bool = False


def digest_of(output: str) -> str:
    """Return what is to be kept of an output, for the next `Answer.previous`."""
    return digest((output,))


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that was read; `text` is what stands in the configuration."""

    text: str
    ways: "tuple[tuple[_Condition, ...], ...]"
    """Attention is wanted where all conditions of one of them hold."""
    value: "regex.Pattern[str] | None" = None

    @property
    def looks_at_exit(self) -> bool:
        """Whether an exit code other than 0 is an answer to it, and no failure."""
        return any(each.subject == "exit" for way in self.ways for each in way)

    @property
    def looks_at_value(self) -> bool:
        """Whether it reads a number or date out of the output."""
        return any(each.subject in ("number", "date") for way in self.ways for each in way)

    @property
    def looks_back(self) -> bool:
        """Whether it needs what the command printed the last time."""
        return any(isinstance(each, _Changed) for way in self.ways for each in way)

    def judge(self, answer: Answer, now: datetime) -> Verdict:
        """Return `attention`, `fine` or, where the answer cannot be judged, `failed`.

        `now` is the user's local time, aware. A number or date that is missing is a failure,
        and so is an exit code other than 0 that the rule does not ask for.
        """
        if answer.exit and not self.looks_at_exit:
            reason = f"the command failed: exit code {answer.exit}, and the rule names no exit"
            return _verdict("failed", (_Finding(None, reason, "exit"),))
        asked = _Asked(answer, now, self.value)
        decided = [_decide(way, asked) for way in self.ways]
        for state in ("attention", "failed"):
            for found, findings in decided:
                if found == state:
                    return _verdict(found, findings)
        return _verdict("fine", tuple(each for _, findings in decided for each in findings))


def parse(text: str, value: str = "") -> Rule:
    """Read a rule; `value` is the expression whose first group is its number or date.

    An empty `text` means `exit != 0`. Raises `ValueError`, which says what can stand there.
    """
    if len(text) > _LONGEST:
        raise ValueError(f"a rule of at most {_LONGEST} characters")
    words = _Words(text if text.strip() else DEFAULT)
    ways = [[_condition(words)]]
    while (joint := words.after()) is not None:
        if joint == "or":
            ways.append([])
        ways[-1].append(_condition(words))
    return Rule(text, tuple(tuple(way) for way in ways), pattern_of(value) if value else None)


def pattern_of(value: str) -> "regex.Pattern[str]":
    """Compile what a number or date is read with; raises `ValueError`."""
    pattern = _compiled(value)
    if pattern.groups != 1:
        raise ValueError(
            "a regular expression with one group (…) around the number or date; other brackets "
            "are written (?:…)"
        )
    return pattern


# --- judging ------------------------------------------------------------------------------------

_Decided = Literal["attention", "fine", "failed"]


@dataclass(frozen=True, slots=True)
class _Asked:
    answer: Answer
    now: datetime
    value: "regex.Pattern[str] | None"

    @property
    def read(self) -> str:
        """What a number or date is read from; empty where `value` finds nothing."""
        if self.value is None:
            return self.answer.output
        match = self.value.search(self.answer.output, timeout=_SEARCH_TIMEOUT)
        return (match[1] or "") if match else ""


@dataclass(frozen=True, slots=True)
class _Finding:
    """Whether a condition holds (None: it cannot be told), and why.

    `key` stays the same while the news does.
    """

    holds: bool | None
    reason: str
    key: str


class _Condition(Protocol):
    @property
    def subject(self) -> str: ...

    def look(self, asked: _Asked) -> _Finding: ...


def _decide(way: Sequence[_Condition], asked: _Asked) -> tuple[_Decided, tuple[_Finding, ...]]:
    """Look at conditions from left to right, up to the first that does not hold."""
    held: list[_Finding] = []
    for condition in way:
        found = _look(condition, asked)
        if not found.holds:
            return ("failed" if found.holds is None else "fine"), (found,)
        held.append(found)
    return "attention", tuple(held)


def _look(condition: _Condition, asked: _Asked) -> _Finding:
    try:
        return condition.look(asked)
    except TimeoutError:
        reason = f"a regular expression took longer than {_SEARCH_TIMEOUT:g} s for the output"
        return _Finding(None, reason, "regex")


def _verdict(state: _Decided, findings: Sequence[_Finding]) -> Verdict:
    reasons = list(dict.fromkeys(each.reason for each in findings))
    said = " and ".join(reasons)
    keys = "" if state == "fine" else ", ".join(each.key for each in findings)
    return Verdict(state, f"{said[:1].upper()}{said[1:]}.", sameness=f"{state}: {keys}".strip(": "))


def _cut(answer: Answer, key: str) -> _Finding | None:
    """Return that nothing can be told, where the end of the output is missing."""
    if not answer.truncated:
        return None
    reason = "the output is longer than what is kept of it (output_bytes), so it cannot be judged"
    return _Finding(None, reason, key)


@dataclass(frozen=True, slots=True)
class _Compared:
    """`exit`, `number` or `lines` against one or more bounds."""

    subject: str
    sign: str
    bounds: tuple[Decimal, ...]

    def look(self, asked: _Asked) -> _Finding:
        measured = self._measure(asked)
        if isinstance(measured, _Finding):
            return measured
        holds = _SIGNS[self.sign](measured, self.bounds)
        sure = holds and self.sign in (">", ">=")  # however many lines are missing
        if self.subject == "lines" and not sure and (unsure := _cut(asked.answer, "lines")):
            return unsure
        said = f"{_NAMES[self.subject]} is {_shown(measured)}"
        phrase = self._phrase(holds=holds)
        return _Finding(holds, f"{said}, {phrase}" if phrase else said, self._side(measured))

    def _measure(self, asked: _Asked) -> Decimal | _Finding:
        if self.subject == "exit":
            return Decimal(asked.answer.exit)
        if self.subject == "lines":
            return Decimal(sum(bool(line.strip()) for line in asked.answer.output.splitlines()))
        try:
            number = printed.number(asked.read)
        except printed.Ambiguous as error:
            reason = f"the number {error} can be read in two ways: print it without a separator"
            return _Finding(None, reason, "number")
        if number is None:
            return _missing("number", asked)
        if self._depends_on_how_it_is_read(number):
            reason = f"the number {number} can be read in two ways: print it without a separator"
            return _Finding(None, reason, "number")
        return number

    def _depends_on_how_it_is_read(self, number: Decimal) -> bool:
        """Say whether `1.234` may be over a thousand, and that makes a difference."""
        is_grouped = number.as_tuple().exponent == -3 and 1 <= abs(number) < 1000
        if not is_grouped or max(map(abs, self.bounds)) < 1000:
            return False
        return _SIGNS[self.sign](number, self.bounds) != _SIGNS[self.sign](
            number.scaleb(3), self.bounds
        )

    def _phrase(self, *, holds: bool) -> str:
        bounds = [_shown(bound) for bound in self.bounds]
        phrase = _PHRASES[self.sign][not holds]
        return phrase.format(", ".join(bounds), low=bounds[0], high=bounds[-1])

    def _side(self, measured: Decimal) -> str:
        side = f"{self.subject} {self.sign} {' '.join(map(str, self.bounds))}"
        if self.sign == "not between":
            side += " low" if measured < self.bounds[0] else " high"
        return side


_NAMES = {"exit": "the exit code", "number": "the number", "lines": "the number of lines"}
_SIGNS: dict[str, Callable[[Decimal, tuple[Decimal, ...]], bool]] = {
    "=": lambda n, bounds: n == bounds[0],
    "!=": lambda n, bounds: n != bounds[0],
    "<": lambda n, bounds: n < bounds[0],
    "<=": lambda n, bounds: n <= bounds[0],
    ">": lambda n, bounds: n > bounds[0],
    ">=": lambda n, bounds: n >= bounds[0],
    "in": lambda n, bounds: n in bounds,
    "not in": lambda n, bounds: n not in bounds,
    "between": lambda n, bounds: bounds[0] <= n <= bounds[1],
    "not between": lambda n, bounds: not bounds[0] <= n <= bounds[1],
}
_PHRASES = {
    "=": ("", "not {0}"),
    "!=": ("not {0}", ""),
    "<": ("below {0}", "not below {0}"),
    "<=": ("at most {0}", "above {0}"),
    ">": ("above {0}", "not above {0}"),
    ">=": ("at least {0}", "below {0}"),
    "in": ("one of {0}", "none of {0}"),
    "not in": ("none of {0}", "one of {0}"),
    "between": ("between {low} and {high}", "not between {low} and {high}"),
    "not between": ("not between {low} and {high}", "between {low} and {high}"),
}
"""What is said where a comparison holds, and where it does not."""


@dataclass(frozen=True, slots=True)
class _Holds:
    """`output contains …` and `output matches …`, or the contrary."""

    sought: "str | regex.Pattern[str]"
    negated: bool
    subject: str = "output"

    def look(self, asked: _Asked) -> _Finding:
        output = asked.answer.output
        if isinstance(self.sought, str):
            found, said, text = self.sought in output, ("contains", "contain"), self.sought
        else:
            found = self.sought.search(output, timeout=_SEARCH_TIMEOUT) is not None
            said, text = ("matches", "match"), self.sought.pattern
        key = f"output {said[0]} {text}"
        if not found and (unsure := _cut(asked.answer, key)):
            return unsure
        verb = said[0] if found else f"does not {said[1]}"
        return _Finding(found is not self.negated, f'the output {verb} "{text}"', key)


@dataclass(frozen=True, slots=True)
class _Empty:
    """`output is empty` or `output is not empty`."""

    negated: bool
    subject: str = "output"

    def look(self, asked: _Asked) -> _Finding:
        empty = not asked.answer.output.strip() and not asked.answer.truncated
        reason = "the output is empty" if empty else "the output is not empty"
        return _Finding(empty is not self.negated, reason, "output is empty")


@dataclass(frozen=True, slots=True)
class _Changed:
    """`output changes`: each other output is news."""

    subject: str = "output"

    def look(self, asked: _Asked) -> _Finding:
        answer, current = asked.answer, digest_of(asked.answer.output)
        key = f"output changes {current}"
        if not answer.previous:
            return _Finding(False, "the output was seen for the first time", key)
        changed = current != answer.previous
        if not changed and (unsure := _cut(answer, "output changes")):
            return unsure
        said = "changed since the last time" if changed else "is what it was the last time"
        return _Finding(changed, f"the output {said}", key)


@dataclass(frozen=True, slots=True)
class _Dated:
    """`date within 3d` (or over), `date older than 3d`, `date before today`."""

    sign: Literal["within", "older than", "before today"]
    span: timedelta = timedelta()
    written: str = ""
    subject: str = "date"

    def look(self, asked: _Asked) -> _Finding:
        found = printed.moment(asked.read, asked.now.tzinfo or UTC)
        if found is None:
            return _missing("date", asked)
        holds = self._holds(found, asked.now)
        day = found.date() if isinstance(found, datetime) else found
        limit = f"{self.sign} {self.written}".rstrip()
        reason = f"the date is {day}, {_away(day, asked.now.date())}, {'' if holds else 'not '}"
        return _Finding(holds, reason + limit, f"date {limit} {day}")

    def _holds(self, found: date | datetime, now: datetime) -> bool:
        if self.sign == "before today":
            return _day(found) < now.date()
        bound = now + self.span if self.sign == "within" else now - self.span
        if isinstance(found, datetime):
            return found <= bound if self.sign == "within" else found < bound
        return found <= bound.date() if self.sign == "within" else found < bound.date()


def _day(found: date | datetime) -> date:
    return found.date() if isinstance(found, datetime) else found


def _away(day: date, today: date) -> str:
    days = (day - today).days
    count = f"{abs(days)} day{'' if abs(days) == 1 else 's'}"
    return "today" if not days else f"in {count}" if days > 0 else f"{count} ago"


def _missing(what: str, asked: _Asked) -> _Finding:
    where = "the output" if asked.value is None else "what `value` finds in the output"
    if not asked.answer.output.strip():
        where = "the output, which is empty"
    return _Finding(None, f"there is no {what} in {where}", what)


def _shown(number: Decimal) -> str:
    return f"{number:f}" if abs(number.adjusted()) < 20 else str(number)


# --- reading ------------------------------------------------------------------------------------

_WORD = re.compile(r"\"[^\"]*\"|'[^']*'|[<>!=]=|[<>=≥≤≠]|,|[^\s\"'<>!=≥≤≠,]+|\S")
_ALIASES = {"==": "=", "≥": ">=", "≤": "<=", "≠": "!=", "is": "="}


class _Words:
    """The words of a rule, taken one after the other."""

    def __init__(self, text: str) -> None:
        self._found = list(_WORD.finditer(text))
        self._text = text
        self._next = 0

    @property
    def read(self) -> str:
        """What was taken so far, as it is written."""
        return self._text[: self._found[self._next - 1].end()].strip() if self._next else ""

    def take(self, expected: str) -> str:
        """Return the next word as it is written; raises `ValueError` at the end."""
        if self._next == len(self._found):
            raise self.fault(expected)
        self._next += 1
        return self._found[self._next - 1][0]

    def has(self, *words: str) -> bool:
        """Take `words` if they are next."""
        ahead = [m[0].casefold() for m in self._found[self._next : self._next + len(words)]]
        if ahead != list(words):
            return False
        self._next += len(words)
        return True

    def after(self) -> Literal["and", "or"] | None:
        """Take what joins two conditions, None at the end."""
        if self._next == len(self._found):
            return None
        if self.has("and"):
            return "and"
        if self.has("or"):
            return "or"
        raise self.fault("the end, `and` or `or`")

    def fault(self, expected: str) -> ValueError:
        """Return the error that `expected` does not stand next."""
        ahead = self._found[self._next :]
        found = f"not {ahead[0][0]}" if ahead else "but nothing does"
        where = f"after `{self.read}`" if self.read else "at the beginning"
        return ValueError(f"{where} stands {expected}, {found}")

    def back(self) -> None:
        """Put the last word back."""
        self._next -= 1


def _condition(words: _Words) -> _Condition:
    expected = f"{SUBJECTS}, such as number > 90"
    subject = words.take(expected).casefold()
    if subject in _NAMES:
        return _compared(subject, words)
    if subject == "output":
        return _output(words)
    if subject == "date":
        return _dated(words)
    words.back()
    raise words.fault(expected)


def _compared(subject: str, words: _Words) -> _Compared:
    if words.has("between") or words.has("is", "between"):
        return _Compared(subject, "between", _range(words))
    if words.has("not", "between") or words.has("is", "not", "between"):
        return _Compared(subject, "not between", _range(words))
    if words.has("not", "in"):
        return _Compared(subject, "not in", tuple(_list(words)))
    if words.has("in"):
        return _Compared(subject, "in", tuple(_list(words)))
    expected = "=, !=, <, <=, >, >=, in, not in, between or not between"
    written = words.take(expected).casefold()
    sign = _ALIASES.get(written, written)
    if sign not in _SIGNS:
        words.back()
        raise words.fault(expected)
    return _Compared(subject, sign, (_number(words),))


def _range(words: _Words) -> tuple[Decimal, Decimal]:
    low = _number(words)
    if not words.has("and"):
        raise words.fault("`and` with the higher number")
    high = _number(words)
    if low > high:
        raise ValueError(f"between {low} and {high}: the lower number stands first")
    return low, high


def _list(words: _Words) -> Iterator[Decimal]:
    yield _number(words)
    while words.has(","):
        yield _number(words)


def _number(words: _Words) -> Decimal:
    expected = "a number such as 90 or 0.5, without a unit"
    written = words.take(expected).removesuffix("%")
    try:
        number = Decimal(written if _NUMBER.fullmatch(written) else "")
    except InvalidOperation:
        words.back()
        raise words.fault(expected) from None
    words.has("%")
    return number


_NUMBER = re.compile(r"[-+]?[0-9]{1,30}(?:\.[0-9]{1,30})?")


def _output(words: _Words) -> _Condition:
    if words.has("changes"):
        return _Changed()
    if words.has("is", "empty"):
        return _Empty(negated=False)
    if words.has("is", "not", "empty"):
        return _Empty(negated=True)
    for verbs, negated in ((("contains",), False), (("does", "not", "contain"), True)):
        if words.has(*verbs):
            return _Holds(_quoted(words), negated)
    for verbs, negated in ((("matches",), False), (("does", "not", "match"), True)):
        if words.has(*verbs):
            return _Holds(_compiled(_quoted(words)), negated)
    raise words.fault(
        'contains "…", does not contain "…", matches "…", does not match "…", is empty, '
        "is not empty or changes"
    )


def _quoted(words: _Words) -> str:
    expected = "a text in quotes"
    written = words.take(expected)
    if len(written) < 3 or written[0] not in "\"'" or written[-1] != written[0]:
        words.back()
        raise words.fault(expected)
    return written[1:-1]


def _compiled(expression: str) -> "regex.Pattern[str]":
    if len(expression) > _LONGEST:
        raise ValueError(f"a regular expression of at most {_LONGEST} characters")
    try:
        return regex.compile(expression, regex.MULTILINE | regex.VERSION0)
    except (regex.error, OverflowError, RecursionError) as error:
        raise ValueError(f"not a regular expression: {error}") from None


_SPAN = re.compile(r"(?P<count>[0-9]{1,6})(?P<unit>[a-z]*)")
_UNITS = {"h": 1, "hour": 1, "hours": 1, "d": 24, "day": 24, "days": 24, "w": 168, "week": 168,
          "weeks": 168}  # fmt: skip


def _dated(words: _Words) -> _Dated:
    if words.has("before", "today"):
        return _Dated("before today")
    if words.has("within"):
        return _Dated("within", *_span(words))
    if words.has("older", "than"):
        return _Dated("older than", *_span(words))
    raise words.fault("within 3d, older than 3d or before today")


def _span(words: _Words) -> tuple[timedelta, str]:
    expected = "a time such as 12h, 3d or 2w"
    match = _SPAN.fullmatch(words.take(expected).casefold())
    unit = match["unit"] if match else ""
    if match and not unit:
        unit = words.take("h, d or w").casefold()
    if match is None or unit not in _UNITS:
        words.back()
        raise words.fault(expected if match is None else "h, d or w")
    hours = int(match["count"]) * _UNITS[unit]
    if hours > _MOST_DAYS * 24:
        raise ValueError(f"a time of at most {_MOST_DAYS} days")
    return timedelta(hours=hours), f"{match['count']}{unit[0]}"
