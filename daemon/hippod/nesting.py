"""A Markdown file as part of another text: without its title, its headings further down. Pure."""

import re
from collections.abc import Iterable

from hippod import markdown, redact, templates
from hippod.markdown import Heading, Markdown

_DEEPEST = 6
_ABOVE = 2
"""The level of the heading that a text stands below."""
_MAY_BE_TOO_HIGH = re.compile(r"^\ufeff? {0,3}(?:##?(?:[ \t]|$)|(?:=+|-+)[ \t]*$)|\r", re.MULTILINE)


def told(text: str) -> str:
    """Return what a file says below a heading of level 2; empty if nobody filled it in yet.

    Its title (a first heading of level 1), front matter and comments are left out. The headings
    move one level down, two where there are further ones of level 1, but never below level 6.
    Tags of the wrapper are escaped, as `redact.escape_memory` does: as HTML they would hide some.
    """
    document = _bare(markdown.parse(redact.escape_memory(text)))
    headings = templates.headings(document)
    if not templates.is_filled_in(document):
        return ""
    title = headings[0] if headings and headings[0].level == 1 else None
    moved = _moved(headings, 2 if any(each.level == 1 for each in headings[1:]) else 1)
    if title:
        moved |= dict.fromkeys(range(title.start, title.end + 1))
    return contained(_tidy(_lines(document, moved)))


def nested(text: str) -> str:
    """Return all of a text that is no file, with its headings moved below level 2."""
    document = _body(redact.escape_memory(text))
    headings = templates.headings(document)
    moved = _moved(headings, 2 if any(each.level == 1 for each in headings) else 1)
    lines = _lines(document, moved)
    return contained("\n".join(line for line in lines if line is not None).strip("\n"))


def contained(text: str) -> str:
    """Return a piece of such a text so that it is one below a heading of level 2 again.

    A cut may have made a heading of what was none, or left a code block open, which would take in
    what follows.
    """
    if _MAY_BE_TOO_HIGH.search(text):
        document = _body(text.strip("\n"))
        too_high = [each for each in templates.headings(document) if each.level <= _ABOVE]
        lines = _lines(document, _moved(too_high, _ABOVE))
        text = "\n".join(line for line in lines if line is not None).strip("\n")
    mark = markdown.open_fence(text)
    return f"{text}\n{mark}" if mark else text


def _body(text: str) -> Markdown:
    """Take a text apart; what is front matter in it to a file may hold no heading here."""
    document = markdown.parse(text)
    if any(line.startswith("#") for line in document.lines[: document.front_matter]):
        return markdown.parse(f"\n{text.removeprefix(markdown.BOM)}")
    return document


def _moved(headings: Iterable[Heading], down: int) -> dict[int, str | None]:
    """Map the lines of headings to what stands there then; None: nothing."""
    lines: dict[int, str | None] = {}
    for heading in headings:
        level = min(_DEEPEST, heading.level + down)
        lines |= dict.fromkeys(range(heading.start, heading.end + 1))
        lines[heading.start] = f"{'#' * level} {heading.text}".rstrip()
    return lines


def _lines(document: Markdown, moved: dict[int, str | None]) -> list[str | None]:
    return [moved.get(number, line) for number, line in enumerate(document.lines, 1)]


def _bare(document: Markdown) -> Markdown:
    """Return what people see of a file: only that may have headings."""
    if not document.front_matter and not document.uncommented:
        return document  # to parse it again would be most of the work
    numbers = range(document.front_matter + 1, len(document.lines) + 1)
    bare = _tidy(_seen(document, number) for number in numbers)
    return _body(redact.escape_memory(bare))  # a comment may have stood within a tag


def _seen(document: Markdown, number: int) -> str | None:
    line, seen = document.lines[number - 1], document.visible(number)
    return None if line.strip() and not seen.strip() else seen


def _tidy(lines: Iterable[str | None]) -> str:
    """Join lines; around one that was left out no more than one blank line stays."""
    kept: list[str] = []
    gap = False
    for line in lines:
        if line is None:
            gap = True
        elif line.strip():
            kept.append(line)
            gap = False
        elif not (gap and kept and not kept[-1].strip()):
            kept.append(line)
    return "\n".join(kept).strip("\n")
