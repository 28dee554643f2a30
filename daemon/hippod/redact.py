"""What must never leave a transcript: secrets, private spans and our own memory blocks.

Every pattern here is anchored or bounded, so the time is linear in the length of the text.
"""

import re
from dataclasses import dataclass

from hippod.secrets import numbers, settings, shapes, spoken, tokens

REDACTED = "[REDACTED]"

_FINDERS = (shapes.find, settings.find, spoken.find, numbers.find, tokens.find)


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets; `found` names the kinds that were there, sorted."""

    text: str
    found: tuple[str, ...]


def redact(text: str) -> Redacted:
    """Replace every secret by `[REDACTED]`. Any text is safe; git hashes and UUIDs are kept."""
    spans = (secret for find in _FINDERS for secret in find(text))
    found = sorted(spans, key=lambda secret: (secret.start, -secret.end))
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


_PRIVATE = re.compile(r"<[ \t]{0,9}private\b[^<>]{0,200}>", re.IGNORECASE)
_PRIVATE_END = re.compile(r"<[ \t]{0,9}/[ \t]{0,9}private\b[^<>]{0,200}>", re.IGNORECASE)
_MEMORY = re.compile(r"<\s{0,9}hippod-memory\b[^<>]{0,200}>", re.IGNORECASE)
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


def wrap_memory(text: str) -> str:
    """Wrap what we give to an agent, so that `strip_memory` removes it whole.

    Tags of the wrapper inside `text` are escaped: nothing in it can open or close a block.
    """
    inner = re.sub(r"<(?=\s{0,9}/?\s{0,9}hippod-memory)", "&lt;", text, flags=re.IGNORECASE)
    return f"<hippod-memory>\n{inner}\n</hippod-memory>"


def _cut(
    text: str, opener: re.Pattern[str], closer: re.Pattern[str], *, keep_breaks: bool = False
) -> str:
    kept: list[str] = []
    position = 0
    while start := opener.search(text, position):
        kept.append(text[position : start.start()])
        depth, position = 1, start.end()
        while depth:
            end = closer.search(text, position)
            if end is None:
                return "".join(kept)
            depth += len(opener.findall(text, position, end.start())) - 1
            position = end.end()
        if keep_breaks:
            kept += _BREAK.findall(text, start.start(), position)
    kept.append(text[position:])
    return "".join(kept)


_BREAK = re.compile(r"\r\n|\r|\n")
