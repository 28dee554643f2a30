"""Facts: the grammar of a `## Retain` bullet, its rendering, and the ids made from it.

::

    - KIND[(c=0..1)] {@Entity} : content [source] [^id]
    - O(c=0.95) @Ada: Prefers short replies. (14:23 main/3f2a#m131) ^9qx4mt83ze

The list mark is `-`, `*` or `+`. KIND is an upper-case W, B, O or S. There may be no entity at
all. Everything behind the first colon is content, up to a source and an id at the very end.
What does not fit, a confidence outside 0..1 among it, is no fact but ordinary Markdown.
"""

import base64
import hashlib
import re
import unicodedata
from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import date
from itertools import takewhile
from typing import Final, Literal, cast
from urllib.parse import quote, unquote

from hippod.errors import InvalidInput

Letter = Literal["W", "B", "O", "S"]
KindName = Literal["world", "experience", "opinion", "observation"]

KIND_NAMES: Final[dict[Letter, KindName]] = {
    "W": "world",
    "B": "experience",
    "O": "opinion",
    "S": "observation",
}

NAMELESS_USER: Final = "User"
"""Whom facts are about while nobody said how the user is called."""
ID_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base32, lower case: no i, l, o, u."""
ID_LENGTH: Final = 10
LONGEST_ID: Final = 52
SHORTEST_ID: Final = 4
ID_PATTERN: Final = rf"[{ID_ALPHABET}]{{{SHORTEST_ID},{LONGEST_ID}}}"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a fact was said: a turn of a session of a configured source.

    `time` is `HH:MM` in the user's zone.
    """

    name: str
    session: str
    turn: str
    time: str | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """One retained statement.

    `entities` are as written behind `@`; see `display_name`. `id` is None for facts that
    people wrote.
    """

    kind: Letter
    content: str
    entities: tuple[str, ...] = ()
    confidence: float | None = None
    source: Source | None = None
    id: str | None = None


_MARK = re.compile(r"\s*[-*+]\s+")
_KIND = re.compile(r"([WBOS])(?:\(c=([0-9]{0,9}\.?[0-9]{1,9})\))?")
_ID = re.compile(ID_PATTERN)
_ID_AT_END = re.compile(rf"(?<=\S) \^({ID_PATTERN})\Z")
_TIME = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]")
_SOURCE = rf" \((?:({_TIME.pattern}) )?([^\s/()#]+)/([^\s()#]+)#([^\s()#]+)\)"
_SOURCE_AT_END = re.compile(rf"(?<=\S){_SOURCE}\Z")
_SOURCE_BEFORE_ID = re.compile(rf"(?<=\S){_SOURCE}(?= \^{ID_PATTERN}[ \t]*$)", re.MULTILINE)
_UNQUOTABLE = re.compile(r"[\s()#%\x00-\x1f\x7f-\x9f]")
_BLANKS = re.compile(r"[ \t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_MENTION = re.compile(r"(?<![\w@./+-])@(\S+)")
_ENTITY_EXTRAS = frozenset("-_.\u200c\u200d")
_DECIMALS = 4
_TO_CROCKFORD = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", ID_ALPHABET, "=")


def parse_bullet(line: str) -> Fact | None:
    """Return the fact that `line` (a whole Markdown bullet) states, or None if it states none.

    Continuation lines may follow; they are joined by spaces. Any text is safe.
    """
    mark = _MARK.match(line)
    if mark is None:
        return None
    head, colon, tail = _one_line(line[mark.end() :]).partition(":")
    kind, *names = head.split() or [""]
    kind_match = _KIND.fullmatch(kind)
    if not colon or kind_match is None or not all(_is_mention(name) for name in names):
        return None
    letter, confidence = cast(Letter, kind_match[1]), _confidence(kind_match[2])
    if confidence is not None and confidence > 1:
        return None
    content, source, id_ = _split_tail(tail.strip())
    if not content:
        return None
    return Fact(letter, content, tuple(name[1:] for name in names), confidence, source, id_)


def without_sources(text: str) -> str:
    """Return a text without the sources of the facts in it that have an id: `why` tells them.

    For readers to whom every token counts; the uuid of a session and of a turn take most of a line.
    """
    return _SOURCE_BEFORE_ID.sub("", text) if "#" in text else text


def render(fact: Fact) -> str:
    """Return `fact` as one Markdown line without line end: the line that `parse_bullet` reads.

    Raise InvalidInput if the fact has no content or a confidence outside 0..1.
    """
    fact = canonical(fact)
    confidence = "" if fact.confidence is None else f"(c={_decimal(fact.confidence)})"
    head = " ".join([f"{fact.kind}{confidence}", *(f"@{entity}" for entity in fact.entities)])
    tail = [f"({_render_source(fact.source)})"] if fact.source else []
    tail += [f"^{fact.id}"] if fact.id else []
    return " ".join([f"- {head}: {fact.content}", *tail])


def canonical(fact: Fact) -> Fact:
    """Return `fact` as it reads after being written: `parse_bullet(render(fact))`.

    Line breaks and runs of blanks in the content become one space, control characters go,
    entities lose characters that the grammar lacks, and a content that ends like a source or
    an id gets a full stop, so that it is not taken for one. Raise InvalidInput as `render`.
    """
    content = _one_line(fact.content)
    if not content:
        raise InvalidInput("a fact without content", "write something behind the colon")
    if _ends_like_tail(content, fact):
        content += "."
    return replace(
        fact,
        content=content,
        entities=tuple(filter(None, map(_as_entity, fact.entities))),
        confidence=_checked_confidence(fact.confidence),
        source=_clean_source(fact.source),
        id=_checked_id(fact.id),
    )


def fact_id(
    source_name: str, session: str, turn: str, sentence: str, length: int = ID_LENGTH
) -> str:
    """Return the id of the fact that `sentence` of that turn states: `length` characters.

    Kind, entities and wording of the fact are not in it, so another model gives the same id.
    A longer id (up to 52) begins with the shorter one.
    """
    return _digest(source_name, session, turn, normalise(sentence))[:length]


def content_id(day: date | None, content: str) -> str:
    """Return the internal id of a fact that a person wrote without `^id`: day and content."""
    return _digest("written", day.isoformat() if day else "", normalise(content))[:ID_LENGTH]


def normalise(text: str) -> str:
    """Return `text` for comparing: NFC, case-folded, blanks collapsed."""
    folded = unicodedata.normalize("NFC", text).casefold()
    return unicodedata.normalize("NFC", " ".join(folded.split()))


def writable(text: str) -> str:
    """Return `text` as UTF-8 Markdown can hold it: no control characters, no lone surrogates."""
    return _CONTROLS.sub("", _encodable(text))


def mentions(text: str) -> tuple[str, ...]:
    """Return the entities that prose mentions as `@Name`, each once, in order."""
    names = (_leading_entity(match[1]) for match in _MENTION.finditer(text))
    return tuple(dict.fromkeys(name for name in names if any(ch.isalpha() for ch in name)))


def display_name(entity: str) -> str:
    """Return how people read an entity: `Dana-Whitfield` is "Dana Whitfield"."""
    return entity.replace("-", " ").strip()


def entity_name(text: str) -> str:
    """Return `text` as an entity of the grammar: "Dana Whitfield" is `Dana-Whitfield`.

    Empty if no letter or digit is left.
    """
    words = map(_entity_characters, unicodedata.normalize("NFC", text).split())
    name = "-".join(filter(None, words)).strip("-.")
    return name if any(ch.isalnum() for ch in name) else ""


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY_NUMBER = r"[0-9]{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:19|20)[0-9]{2}(?![0-9])(?![.,/-]?[\w%€$£])"
_ISO = r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2})?(?![0-9])(?!-\w)"
_IN_WORDS = rf"(?:(?:{_DAY_NUMBER}\s+)?{_MONTH},?\s+|{_MONTH}\s+{_DAY_NUMBER},?\s+){_YEAR}"
_DAY_OR_MONTH = rf"(?:{_ISO}|{_IN_WORDS})"
_NO_YEAR = rf"(?:{_DAY_NUMBER}\s+{_MONTH}|{_MONTH}(?:\s+{_DAY_NUMBER})?)"
_ENDS = (
    r"(?=\s*(?:$|[.,;:!?)\]\u2013\u2014-])"
    r"|\s+(?:and|but|or|as|at|for|in|on(?:wards?)?|with|when|while|to|until|till)\b)"
)
"""What may follow a year that is no number of something."""
_ANY = rf"(?:{_DAY_OR_MONTH}|{_YEAR}{_ENDS})"
_TO = r"(?:to|until|till|through|[-/\u2013\u2014]|\.\.)"
_PRESENT = r"(?:present|now|today)\b"
_WORDS = r"(?:(?:[^\W\d_]+\s+){0,5}\(|on\s+)?"
_SPANS = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"(?<![\w-])({_DAY_OR_MONTH})\)?\s*{_TO}\s*{_WORDS}({_DAY_OR_MONTH}|{_PRESENT})",
        rf"(?<![\w-])({_NO_YEAR})\s*{_TO}\s*({_IN_WORDS})",
        rf"\((?:[^()]{{0,60}},\s*)?({_YEAR})\s*{_TO}\s*({_YEAR}|{_PRESENT})\)",
        rf"\bfrom\s+({_DAY_OR_MONTH}|{_YEAR})\s*{_TO}\s*({_ANY}|{_PRESENT})",
    )
)
_SINCE = re.compile(
    rf"\b(?:since|starting(?:\s+in)?|as\s+of|seit|desde|depuis)\s+{_WORDS}({_ANY})"
    rf"|\bfrom\s+\(?({_ISO})|\bfrom\s+({_ANY})(?=\s+on(?:wards?)?\b)",
    re.I,
)
_UNTIL = re.compile(
    rf"\b(?:until|till|through|bis|hasta|até)\s+(?:(?:the\s+)?end\s+of\s+)?{_WORDS}({_ANY})"
    rf"|\bup\s+to\s+{_WORDS}({_DAY_OR_MONTH})",
    re.I,
)
_TIMED = re.compile(r"[0-9]{4}|\b(?:now|today)\b", re.I)
_NOW = re.compile(r"\bfrom\s+now\s+on\b|\bas\s+of\s+(?:now|today)\b", re.I)


def validity(content: str, anchor: date | None = None) -> tuple[date | None, date | None]:
    """Return from and until when (both inclusive) `content` says that it holds.

    Read are ISO days and months, days and months with English names and years: "2025-11-27 to
    2025-12-01", "27 November to 1 December 2025", "since 2026-03", "from 2026-07-01", "from
    March 2024 on", "until the end of March (2026-03-31)", "(2019–2021)", "from 2019 to 2021";
    and "from now on", which is `anchor`, the day of the fact. A year counts only where no other
    number could be meant. A bare date says when something happens, not how long it holds, and
    gives no bound. Dates that do not exist and an end before its start are ignored.
    """
    if _TIMED.search(content) is None:
        return None, None  # nearly every fact: spare it the patterns
    start, end = _span(content) or (_since(content, anchor), _until(content))
    if start and end and start > end:
        return None, None
    return start, end


def _span(content: str) -> tuple[date | None, date | None] | None:
    for pattern in _SPANS:
        if match := pattern.search(content):
            end = _last_day(match[2])
            return _first_day(match[1]) or _first_day_before(match[1], end), end
    return None


def _since(content: str, anchor: date | None) -> date | None:
    for match in _SINCE.finditer(content):
        if day := _first_day(match[1] or match[2] or match[3]):
            return day
    return anchor if anchor and _NOW.search(content) else None


def _until(content: str) -> date | None:
    found = (_last_day(match[1] or match[2]) for match in _UNTIL.finditer(content))
    return next(filter(None, found), None)


_NUMBERS = re.compile(r"[0-9]+")
_NAME = re.compile(r"[^\W\d_]{3,}")


def _first_day(text: str) -> date | None:
    parts = _parts(text)
    return _date(parts[0], parts[1] or 1, parts[2] or 1) if parts else None


def _last_day(text: str) -> date | None:
    parts = _parts(text)
    if parts is None:
        return None
    year, month, day = parts[0], parts[1] or 12, parts[2]
    if day or _date(year, month, 1) is None:
        return _date(year, month, day or 1)
    return date(year, month, monthrange(year, month)[1])


def _first_day_before(text: str, end: date | None) -> date | None:
    """Return the last day before `end` that a day or month without year names."""
    if end is None:
        return None
    days = (_first_day(f"{text} {year}") for year in (end.year, end.year - 1))
    return next((day for day in days if day and day <= end), None)


def _parts(text: str) -> tuple[int, int | None, int | None] | None:
    """Return year, month and day of a date that a pattern found; None if it has no year."""
    numbers = [int(number) for number in _NUMBERS.findall(text)]
    name = _NAME.search(text)
    if not numbers or (name and numbers[-1] < _FIRST_YEAR):
        return None
    if name:
        *day, year = numbers
        return year, _MONTHS.index(name[0][:3].lower()) + 1, day[0] if day else None
    year, *others = numbers
    return year, others[0] if others else None, others[1] if len(others) > 1 else None


_FIRST_YEAR = 1900


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _split_tail(text: str) -> tuple[str, Source | None, str | None]:
    """Split what stands behind the colon into content, source and id."""
    id_match = _ID_AT_END.search(text)
    text = text[: id_match.start()] if id_match else text
    source_match = _SOURCE_AT_END.search(text)
    text = text[: source_match.start()] if source_match else text
    return text, _read_source(source_match), id_match[1] if id_match else None


def _read_source(match: re.Match[str] | None) -> Source | None:
    if match is None:
        return None
    time, name, session, turn = match.groups()
    return Source(unquote(name), unquote(session), unquote(turn), time)


def _render_source(source: Source) -> str:
    time = f"{source.time} " if source.time else ""
    name = _quoted(source.name).replace("/", "%2F")
    return f"{time}{name}/{_quoted(source.session)}#{_quoted(source.turn)}"


def _quoted(part: str) -> str:
    """Percent-encode what would end a part of a source too early."""
    return _UNQUOTABLE.sub(lambda match: quote(match[0], safe=""), part)


def _clean_source(source: Source | None) -> Source | None:
    if source is None:
        return None
    if source.time is not None and not _TIME.fullmatch(source.time):
        raise InvalidInput(f"source time {source.time!r} is not HH:MM", "use the user's zone")
    name, session, turn = map(_encodable, (source.name, source.session, source.turn))
    if not (name and session and turn):
        raise InvalidInput("a source lacks its name, session or turn", "leave the source out")
    return Source(name, session, turn, source.time)


def _checked_id(id_: str | None) -> str | None:
    if id_ is not None and not _ID.fullmatch(id_):
        raise InvalidInput(
            f"{id_!r} is not a fact id", f"use {SHORTEST_ID} or more characters of {ID_ALPHABET}"
        )
    return id_


def _ends_like_tail(content: str, fact: Fact) -> bool:
    """Say whether the end of `content` would be read as the source or id that `fact` lacks."""
    if fact.source is not None:
        return False
    like_source = _SOURCE_AT_END.search(content)
    like_id = _ID_AT_END.search(content)
    return bool(like_source or (like_id and fact.id is None))


def _confidence(text: str | None) -> float | None:
    return None if text is None else float(text)


def _checked_confidence(value: float | None) -> float | None:
    if value is None:
        return None
    if not 0 <= value <= 1:  # also false for nan
        raise InvalidInput(f"confidence {value} is outside 0..1", "use a number such as 0.8")
    return abs(round(value, _DECIMALS))


def _decimal(value: float) -> str:
    return f"{value:.{_DECIMALS}f}".rstrip("0").rstrip(".")


def _is_mention(token: str) -> bool:
    return token.startswith("@") and _is_entity(token[1:])


def _is_entity(name: str) -> bool:
    return _entity_characters(name) == name and any(ch.isalnum() for ch in name)


def _as_entity(name: str) -> str:
    return name if _is_entity(name) else entity_name(name)


def _leading_entity(text: str) -> str:
    return "".join(takewhile(_is_entity_character, text)).rstrip("-_.")


def _entity_characters(text: str) -> str:
    return "".join(filter(_is_entity_character, text))


def _is_entity_character(ch: str) -> bool:
    """Say whether `ch` is a letter or its mark, a digit, `-`, `_`, `.` or an Indic joiner."""
    return ch in _ENTITY_EXTRAS or unicodedata.category(ch)[0] in "LMN"


def _one_line(text: str) -> str:
    """Put `text` on one line that UTF-8 can hold, without control characters."""
    return _BLANKS.sub(" ", writable(text)).strip()


def _encodable(text: str) -> str:
    return _SURROGATES.sub("\ufffd", text)


def _digest(*parts: str) -> str:
    """Return sha256 of the NUL-joined parts as 52 characters of `ID_ALPHABET`."""
    data = "\0".join(map(_encodable, parts)).encode()
    return base64.b32encode(hashlib.sha256(data).digest()).decode().translate(_TO_CROCKFORD)[:52]
