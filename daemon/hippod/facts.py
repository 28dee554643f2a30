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
from dataclasses import dataclass, replace
from datetime import date, timedelta
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
_SOURCE_AT_END = re.compile(
    rf"(?<=\S) \((?:({_TIME.pattern}) )?([^\s/()#]+)/([^\s()#]+)#([^\s()#]+)\)\Z"
)
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


_DAY = r"([0-9]{4}-[0-9]{2}(?:-[0-9]{2})?)(?![0-9])(?!-\w)"
_WORDS = r"(?:(?:[^\W\d_]+\s+){0,5}\(|on\s+)?"
_SPAN = re.compile(
    rf"(?<![0-9-]){_DAY}\)?\s*(?:to|until|till|through|[-/\u2013\u2014]|\.\.)\s*{_WORDS}{_DAY}",
    re.I,
)
_SINCE = re.compile(rf"\b(?:since|starting|as\s+of)\s+{_WORDS}{_DAY}|\bfrom\s+\(?{_DAY}", re.I)
_UNTIL = re.compile(rf"\b(?:until|till|through|up\s+to)\s+{_WORDS}{_DAY}", re.I)
_NOW = re.compile(r"\bfrom\s+now\s+on\b|\bas\s+of\s+(?:now|today)\b", re.I)


def validity(content: str, anchor: date | None = None) -> tuple[date | None, date | None]:
    """Return from and until when (both inclusive) `content` says that it holds.

    Read are ISO days and months: "2025-11-27 to 2025-12-01", "since 2026-03", "from
    2026-07-01", "until the end of March (2026-03-31)"; and "from now on", which is `anchor`,
    the day of the fact. A bare date says when something happens, not how long it holds, and
    gives no bound. Dates that do not exist and an end before its start are ignored.
    """
    span = _SPAN.search(content)
    if span:
        start, end = _first_day(span[1]), _last_day(span[2])
    else:
        start, end = _since(content, anchor), _until(content)
    if start and end and start > end:
        return None, None
    return start, end


def _since(content: str, anchor: date | None) -> date | None:
    for match in _SINCE.finditer(content):
        if day := _first_day(match[1] or match[2]):
            return day
    return anchor if anchor and _NOW.search(content) else None


def _until(content: str) -> date | None:
    return next(filter(None, (_last_day(m[1]) for m in _UNTIL.finditer(content))), None)


def _first_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text if len(text) == len("2026-03-01") else f"{text}-01")
    except ValueError:
        return None


def _last_day(text: str) -> date | None:
    day = _first_day(text)
    if day is None or len(text) == len("2026-03-01"):
        return day
    if (day.year, day.month) == (date.max.year, 12):
        return date.max
    return (day + timedelta(days=31)).replace(day=1) - timedelta(days=1)


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
