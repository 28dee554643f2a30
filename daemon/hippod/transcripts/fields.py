"""Read the fields that transcript formats share: text, times, names, identifiers and keys."""

import hashlib
import re
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any

Record = Mapping[str, Any]

_SURROGATE = re.compile("[\ud800-\udfff]")
_IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}")
_UNSAFE = re.compile(r"[^\w.-]+")
_TEXT_BLOCKS = ("text", "input_text", "output_text")
_LONGEST_NAME = 80
_MILLISECONDS_FROM = 1e11
_MICROSECONDS_FROM = 1e14


def word(record: Record, key: str) -> str:
    """Return a field that should be a name, such as a type or role; empty if it is no string."""
    value = record.get(key)
    return value if isinstance(value, str) else ""


def text_of(content: object) -> str:
    """Return the text of a message's content: a string, or its text blocks joined by newlines."""
    return "\n".join(texts_of(content))


def texts_of(content: object) -> list[str]:
    """Return the texts of a message's content, a string or blocks, without the empty ones."""
    blocks = content if isinstance(content, list) else [content]
    return [scalar_text(text) for block in blocks if (text := _block_text(block))]


def _block_text(block: object) -> str:
    if isinstance(block, str):
        return block
    if not isinstance(block, dict) or block.get("type", "text") not in _TEXT_BLOCKS:
        return ""
    text = block.get("text")
    return text if isinstance(text, str) else ""


def scalar_text(text: str) -> str:
    r"""Replace lone surrogates, which JSON's `\ud800` can make and UTF-8 cannot hold."""
    return _SURROGATE.sub("�", text)


def time_of(value: object, zone: tzinfo = UTC) -> datetime | None:
    """Read an ISO time or an epoch in s, ms or µs as an aware time in UTC; None if it is neither.

    An ISO time without a zone is one of `zone`.
    """
    try:
        if isinstance(value, str):
            return _text_time(value.strip(), zone)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return _epoch_time(float(value))
    except (ValueError, OverflowError, OSError):
        pass
    return None


def _text_time(text: str, zone: tzinfo) -> datetime:
    if text.isdecimal() and len(text) >= 10:
        return _epoch_time(float(text))
    time = datetime.fromisoformat(text)
    return (time.replace(tzinfo=zone) if time.tzinfo is None else time).astimezone(UTC)


def _epoch_time(number: float) -> datetime:
    if not number > 0:
        raise ValueError("an epoch of zero means that the time is not known")
    if number >= _MICROSECONDS_FROM:
        number /= 1e6
    elif number >= _MILLISECONDS_FROM:
        number /= 1e3
    return datetime.fromtimestamp(number, UTC)


def identifier(value: object) -> str | None:
    """Return a message id that may stand in a citation, else None."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if 0 <= value < 10**18 else None
    return value if isinstance(value, str) and _IDENTIFIER.fullmatch(value) else None


def session_name(value: object) -> str | None:
    """Return a session's id, made fit for a citation; None if there is nothing to make it of.

    Characters outside letters, digits, `.`, `_`, `-` become `-`; what is too long keeps its
    beginning and a hash of the whole.
    """
    if not isinstance(value, str):
        return None
    name = _UNSAFE.sub("-", scalar_text(value)).strip("-")
    if len(name) > _LONGEST_NAME:
        name = f"{name[: _LONGEST_NAME - 9]}-{digest(value)[:8]}"
    return name or None


def speaker_name(value: object) -> str | None:
    """Return a person's name on one line, None if there is none."""
    if not isinstance(value, str):
        return None
    return " ".join(scalar_text(value).split())[:_LONGEST_NAME] or None


def digest(*parts: object) -> str:
    """Hash values that together recognise a message."""
    joined = "\x1f".join(str(part) for part in parts)
    return hashlib.blake2b(joined.encode("utf-8", "replace"), digest_size=16).hexdigest()
