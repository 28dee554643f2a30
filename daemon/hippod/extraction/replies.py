"""What models really answer, taken apart: fences, chat, thoughts, cuts, loops and refusals.

Nothing here trusts an item: it only says what was proposed, and what is wrong with the reply.
"""

import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

Flaw = Literal[
    "empty", "cut off", "an unfinished thought", "not in the agreed form", "only invalid items",
    "loops", "a refusal",
]  # fmt: skip
"""What is wrong with a reply as a whole. `a refusal` also stands for limits and error texts."""

LONGEST_REPLY = 20_000
"""Characters of a reply that are looked at; a longer one is a loop."""
MOST_ITEMS = 60
MOST_STARTS = 500
"""Brackets at which JSON is looked for: a reply of brackets alone must not cost a minute."""
_LOOP_FROM = 400
_LOOP_RATIO = 0.07
"""A text that packs better than this says the same again and again."""


def _as_numbers(value: Any) -> Any:
    """Take `3`, `"3"`, `"L3"` and lists of them for line numbers."""
    values = value if isinstance(value, list) else [value]
    return tuple(_as_number(each) for each in values)


def _as_number(value: Any) -> Any:
    found = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    return int(found[1]) if found else None if isinstance(value, bool) else value


_NUMBER = re.compile(r"\s*(?:[LlTt#\[]|line|turn)?\s*(\d{1,4})\]?\s*")


def _as_kind(value: Any) -> Any:
    words = {"world": "W", "fact": "W", "experience": "B", "opinion": "O", "preference": "O"}
    return words.get(value.strip().casefold(), value.strip()) if isinstance(value, str) else value


def _one_line(value: Any) -> Any:
    return " ".join(_CONTROL.sub(" ", value).split()) if isinstance(value, str) else value


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class Item(BaseModel):
    """A fact that a model proposes, with the numbers of the lines that it cites."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    lines: Annotated[
        tuple[Annotated[int, Field(ge=1)], ...],
        BeforeValidator(_as_numbers),
        Field(min_length=1, max_length=8, validation_alias=AliasChoices("turns", "lines")),
    ]
    kind: Annotated[Literal["W", "B", "O", "S"], BeforeValidator(_as_kind)] = "W"
    text: Annotated[
        str, BeforeValidator(_one_line), Field(min_length=1, max_length=600, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Invalid:
    """Something in the place of an item, and why it is none."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Reply:
    """The items of a reply. Items beside a flaw are whole ones that may be used."""

    items: tuple[Item, ...] = ()
    invalid: tuple[Invalid, ...] = ()
    flaw: Flaw | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """The one line of a reply; empty when a flaw leaves nothing of it."""

    text: str
    flaw: Flaw | None = None


def parse(text: str, *, finished: bool = True) -> Reply:
    """Return the items of a reply in JSON, wherever in it they stand.

    The body is taken whole if it is JSON; else thoughts are cut, and the last object with a
    list of facts counts, then a bare list of items, then single items of one that was cut off.
    `finished`: the model ended by itself. Any text is safe.
    """
    body = text[:LONGEST_REPLY].strip().lstrip("\ufeff")
    if not body:
        return Reply(flaw="empty")
    whole = _decoded(body)
    answer = body if whole is not None else spoken(body)
    if answer is None:
        return Reply(flaw="loops" if _is_loop(text) else "an unfinished thought")
    values = [whole] if whole is not None else list(_values(answer))
    lists = [found for value in values if (found := _list_of(value)) is not None]
    if lists:
        return _judged(_last_valid(lists), text, None)
    loose = [value for value in values if isinstance(value, dict) and "text" in value]
    if loose:
        return _judged(loose, text, "cut off")
    begun = not finished or not any(isinstance(value, dict) for value in values)
    return Reply(flaw=_why_nothing(text, answer, begun=begun))


def line(text: str, *, finished: bool = True) -> Line:
    """Return the first line of a reply, without fence, label and quotes around it."""
    body = text[:LONGEST_REPLY].strip()
    if not body:
        return Line("", "empty")
    if _is_loop(text):
        return Line("", "loops")
    answer = spoken(body)
    if answer is None:
        return Line("", "an unfinished thought")
    rows = [row.strip() for row in answer.splitlines() if not _FENCE.match(row.strip())]
    first = next((row for row in rows if row), "")
    if not first:
        return Line("", "empty")
    if not finished and len([row for row in rows if row]) == 1:
        return Line("", "cut off")
    return Line(_unwrapped(_one_line(first)))


def is_refusal(text: str) -> bool:
    """Tell whether a reply that holds no facts is a refusal, a limit or an error of a provider."""
    return bool(_REFUSAL.search(text[:2000])) or _is_error_object(_decoded(text.strip()))


# --- JSON in a text -----------------------------------------------------------------------------


def _decoded(text: str) -> Any:
    """Return the value if the whole text is a JSON object or list, else None."""
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def _values(text: str) -> Iterator[Any]:
    """Yield the objects and lists in a text, outermost first; unclosed ones are looked into."""
    decoder = json.JSONDecoder(strict=False)
    position = 0
    for _ in range(MOST_STARTS):
        start = _BRACKET.search(text, position)
        if not start:
            return
        try:
            value, position = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            position = start.end()
            continue
        yield value


_BRACKET = re.compile(r"[{\[]")


def _list_of(value: Any) -> list[Any] | None:
    """Return the list of facts in a value: under `facts`, one level down, or the value itself."""
    if isinstance(value, list):
        return (
            value if not value or any(isinstance(v, dict) and "text" in v for v in value) else None
        )
    if not isinstance(value, dict):
        return None
    for inner in (value, *value.values()):
        if isinstance(inner, dict) and isinstance(inner.get("facts"), list):
            return list(inner["facts"])
    return None


def _last_valid(lists: list[list[Any]]) -> list[Any]:
    usable = [each for each in lists if not each or any(_item(value)[0] for value in each[:5])]
    return (usable or lists)[-1]


def _judged(values: list[Any], text: str, flaw: Flaw | None) -> Reply:
    """Validate items one by one; of a reply that loops only the first stays."""
    items: dict[str, Item] = {}
    invalid: list[Invalid] = []
    repeated = 0
    for value in values[:MOST_ITEMS]:
        item, reason = _item(value)
        if item is None:
            invalid.append(Invalid(_shown(value), reason))
            continue
        repeated += item.text.casefold() in items
        items.setdefault(item.text.casefold(), item)
    unique = tuple(items.values())
    if _is_loop(text) or len(values) > MOST_ITEMS or repeated > max(2, len(unique)):
        return Reply(unique[:1], tuple(invalid[:1]), "loops")
    if flaw is None and invalid and not unique:
        flaw = "only invalid items"
    return Reply(unique, tuple(invalid), flaw)


def _item(value: Any) -> tuple[Item | None, str]:
    try:
        return Item.model_validate(value), ""
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "item"
        return None, f"{where}: {first['msg'].lower()}"


def _shown(value: Any) -> str:
    text = value.get("text") if isinstance(value, dict) else None
    shown = text if isinstance(text, str) else json.dumps(value, ensure_ascii=False)
    return str(_one_line(shown))[:300]


# --- what is wrong ------------------------------------------------------------------------------


def _why_nothing(text: str, answer: str, *, begun: bool) -> Flaw:
    if _is_loop(text):
        return "loops"
    if not answer:
        return "empty"
    if is_refusal(answer):
        return "a refusal"
    return "cut off" if begun and _STARTED.search(answer) else "not in the agreed form"


_STARTED = re.compile(r"[{\[]\s*(?:\"|\{|$)")


def _is_loop(text: str) -> bool:
    if len(text) > LONGEST_REPLY:
        return True
    data = text.encode("utf-8", "replace")
    return len(data) >= _LOOP_FROM and len(zlib.compress(data)) < _LOOP_RATIO * len(data)


def spoken(text: str) -> str | None:
    """Return what a reply says aloud, or None if it never stops thinking."""
    aloud: list[str] = []
    depth = begin = 0
    for mark in _THOUGHT.finditer(text):
        if mark["start"]:
            aloud += [] if depth else [text[begin : mark.start()]]
            depth += 1
        elif depth:
            depth -= 1
        else:
            aloud = []  # an end without a beginning: all before it was thought
        begin = mark.end()
    return None if depth else " ".join([*aloud, text[begin:]]).strip()


_NAMED = (
    r"(?:begin_of_|end_of_)?(?:think(?:ing)?|thoughts?|reasoning|reflection|analysis|scratchpad)"
)
_THOUGHT = re.compile(
    rf"(?P<start>[<\[◁]\|?(?!end_of_){_NAMED}(?:\s[^<>]{{0,40}})?\|?[>\]▷]|<\|channel\|>\s*analysis)|"
    rf"(?:[<\[◁]\|?/|<\|(?=end_of_)){_NAMED}\|?[>\]▷]|<\|channel\|>\s*final\s*<\|message\|>",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^(?:`{3,}|~{3,})\w*$")
_LABEL = re.compile(r"^(?:[-*•]\s+|(?:fact|answer|rewrite|output|result)\s*:\s*)+", re.IGNORECASE)


def _unwrapped(text: str) -> str:
    text = _LABEL.sub("", text.strip("` ")).strip()
    for opening, closing in ('""', "''", "“”", "«»", "„“", "「」"):
        inner = text[1:-1]
        if text[:1] == opening and text[-1:] == closing and opening not in inner:
            return inner.strip()
    return text


def _is_error_object(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    said = " ".join(str(each) for each in value.values() if isinstance(each, str | dict))
    return "error" in value or value.get("type") == "error" or bool(_REFUSAL.search(said[:2000]))


_REFUSAL = re.compile(
    r"\b(?:usage|rate|token|request|quota|spending|credit|daily|weekly|monthly|message)s?[\s_-]{0,2}"
    r"(?:limit|cap|quota)s?\b|\blimit\s+(?:reached|exceeded|will\s+reset)\b|\b(?:exceed|reach|hit)\w*\s+"
    r"(?:your|the|its)\s+(?:\w+\s+){0,3}(?:limit|quota|cap)\b|\bout\s+of\s+credits?\b|\bquota\s+exceeded\b|"
    r"\binsufficient[\s_](?:quota|credits?|balance|funds)\b|\btoo\s+many\s+requests\b|\boverloaded\b|"
    r"\b(?:invalid|incorrect|expired|missing|revoked)\s+(?:\w+\s+)?(?:api[\s_-]?key|token|credentials?|login|session)\b|"
    r"\b(?:login|session|token|subscription|key)\s+(?:has\s+|is\s+)?expired\b|\bunauthori[sz]ed\b|\bforbidden\b|"
    r"\bplease\s+(?:log|sign)\s?(?:in|-in)\b|\bauthentication\b|\bbilling\b|\bpayment\s+required\b|"
    r"\b(?:service|model)\s+(?:is\s+)?(?:temporarily\s+|currently\s+)?(?:unavailable|overloaded)\b|"
    r"\bbad\s+gateway\b|\binternal\s+server\s+error\b|<!doctype\s+html|<html\b|"
    r"\b(?:HTTP|error|status)[\s/:]{1,3}(?:code\s*)?(?:4\d\d|5\d\d)\b|"
    r"\bI(?:['’]m|\s+am)\s+(?:sorry|unable|not\s+able)\b|\bI\s+(?:can(?:['’]?t|not)|won['’]?t|will\s+not|must\s+decline)\b|"
    r"\bas\s+an?\s+(?:AI|(?:large\s+)?language\s+model)\b|\bagainst\s+(?:my|the)\s+(?:guidelines|policy|policies)\b|"
    r"\b(?:es\s+)?tut\s+mir\s+leid\b|\bich\s+kann\s+(?:dabei|das|ihnen|dir)\b|\blo\s+siento\b|\bno\s+puedo\s+(?:ayudar|cumplir|hacer)|"
    r"\bje\s+(?:suis\s+)?(?:désolée?|ne\s+peux\s+pas)\b|\bdesculpe\b|\bnão\s+posso\s+(?:ajudar|fazer|cumprir)|"
    r"\b(?:limite|límite|cuota|quota)\s+(?:de\s+\w+\s+)?(?:erreicht|alcanzad[ao]|dépassée?|atteinte?|atingid[ao]|excedid[ao])|"
    r"\b(?:Nutzungs|Anfrage|Token)limit\b|抱歉|无法(?:提供|协助|完成|帮助)|(?:超出|达到)[^。]{0,6}(?:限制|上限|配额)|"
    r"申し訳(?:ありません|ございません)|(?:上限|制限)に達し",
    re.IGNORECASE,
)
