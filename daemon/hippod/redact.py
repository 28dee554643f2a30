"""What must never leave a transcript: secrets, private spans and our own memory blocks.

Every pattern here is anchored or bounded, so the time is linear in the length of the text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hippod import folding
from hippod.secrets import asides, numbers, settings, shapes, spoken, tokens
from hippod.secrets.span import Span

REDACTED = "[REDACTED]"

_FINDERS = (shapes.find, settings.find, spoken.find, asides.find, numbers.find, tokens.find)


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets; `found` names the kinds that were there, sorted."""

    text: str
    found: tuple[str, ...]


def redact(text: str) -> Redacted:
    """Replace every secret by `[REDACTED]`. Any text is safe; git hashes and UUIDs are kept."""
    found = sorted(_secrets(text), key=lambda secret: (secret.start, -secret.end))
    parts: list[str] = []
    done = 0
    for secret in found:
        if secret.end <= done:
            continue
        if secret.start >= done:
            parts += [text[done : secret.start], REDACTED]
        done = secret.end
    parts.append(text[done:])
    return Redacted("".join(parts), tuple(sorted({secret.name for secret in found})))


def names_key(name: str) -> bool:
    """Tell whether an identifier holds a secret; that it is random makes it none."""
    return bool(set(redact(name).found) - {tokens.NAME})


def _secrets(text: str) -> Iterator[Span]:
    """Yield what is secret in a text as it is written, and as it is seen."""
    for find in _FINDERS:
        yield from find(text)
    seen = folding.folded(text)
    if seen.places is not None:
        for secret in (secret for find in _FINDERS for secret in find(seen.text)):
            yield Span(*seen.span(secret.start, secret.end), secret.name)


def names_secret(text: str) -> bool:
    """Tell whether a text speaks of a password, PIN, key or login, or has what could be one."""
    return spoken.names_secret(folding.fold(text))


_OPEN, _CLOSE = "(?:<|&(?:lt|#60|#x3c);)", "(?:>|&(?:gt|#62|#x3e);)"
_INSIDE = r"(?:(?!&(?:lt|#60|#x3c);)[^<>])*?"
_PRIVATE = re.compile(rf"{_OPEN}[ \t]{{0,9}}private\b{_INSIDE}{_CLOSE}", re.IGNORECASE)
_PRIVATE_END = re.compile(
    rf"{_OPEN}[ \t]{{0,9}}/[ \t]{{0,9}}private\b{_INSIDE}{_CLOSE}", re.IGNORECASE
)
_MEMORY = re.compile(r"<\s{0,9}hippod-memory\b[^<>]*>", re.IGNORECASE)
_MEMORY_END = re.compile(r"<\s{0,9}/\s{0,9}hippod-memory\s{0,9}>", re.IGNORECASE)


def strip_private(text: str) -> str:
    """Cut every `<private>…</private>` span; an unclosed one goes to the end."""
    return _cut(text, _PRIVATE, _PRIVATE_END)


def strip_memory(text: str) -> str:
    """Cut every `<hippod-memory>…</hippod-memory>` block; an unclosed one goes to the end."""
    return _cut(text, _MEMORY, _MEMORY_END)


def blank(text: str) -> str:
    """Cut private spans and memory blocks as above, but keep their line breaks."""
    text = _cut(text, _PRIVATE, _PRIVATE_END, keep_breaks=True)
    return _cut(text, _MEMORY, _MEMORY_END, keep_breaks=True)


_TAG_START = re.compile(r"<(?=\s{0,9}/?\s{0,9}hippod-memory)", re.IGNORECASE)


def wrap_memory(text: str) -> str:
    """Wrap what we give to an agent, so that `strip_memory` removes it whole.

    Tags of the wrapper inside `text` are escaped: nothing in it can open or close a block.
    """
    return f"<hippod-memory>\n{escape_memory(text)}\n</hippod-memory>"


def escape_memory(text: str) -> str:
    """Escape tags of the wrapper, so that a text neither opens nor closes a block."""
    seen = folding.folded(text)
    parts: list[str] = []
    done = 0
    for match in _TAG_START.finditer(seen.text):
        start, end = seen.span(*match.span())
        parts += [text[done:start], "&lt;"]
        done = end
    return "".join([*parts, text[done:]])


def _cut(
    text: str, opener: re.Pattern[str], closer: re.Pattern[str], *, keep_breaks: bool = False
) -> str:
    kept: list[str] = []
    done = 0
    seen = folding.folded(text)
    for first, last in _spans(seen.text, opener, closer):
        start, end = seen.span(first, last or len(seen.text))
        kept.append(text[done:start])
        if last is None:
            return "".join(kept)
        if keep_breaks:
            kept += _BREAK.findall(text, start, end)
        done = end
    kept.append(text[done:])
    return "".join(kept)


def _spans(
    text: str, opener: re.Pattern[str], closer: re.Pattern[str]
) -> Iterator[tuple[int, int | None]]:
    """Yield where each outermost block begins and ends; None where it is never closed."""
    position = 0
    while start := opener.search(text, position):
        depth, position = 1, start.end()
        while depth:
            end = closer.search(text, position)
            if end is None:
                yield start.start(), None
                return
            depth += len(opener.findall(text, position, end.start())) - 1
            position = end.end()
        yield start.start(), position


_BREAK = re.compile(r"\r\n|\r|\n")
