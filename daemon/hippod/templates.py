"""Whether a Markdown file says something, or is a template that nobody filled in yet. Pure."""

import re

from hippod.markdown import Heading, Markdown

_LIST_MARK = re.compile(
    r"\s*(?:>\s*)*(?:(?:[-*+]|[0-9]{1,9}[.)])(?:\s+|$))?(?:\[[ xX]?\](?:\s+|$))?"
)
_LABEL = re.compile(r"[^:：]{1,60}[:：]")
_PLACEHOLDER = re.compile(r"(?:[*_]+\s+)?[*_]+\([^()]*\)[*_]+|[*_.…\s-]*")
"""Nothing, or an instruction such as `_(optional)_`. Other brackets may hold somebody's words."""
_RULE = re.compile(r"[-*_|:=\s]*")


def is_filled_in(document: Markdown) -> bool:
    """Say whether a file holds more than a template: headings, labels, places to fill in."""
    titles = {n for each in headings(document) for n in range(each.start, each.end + 1)}
    numbers = range(document.front_matter + 1, len(document.lines) + 1)
    return any(
        _is_code(document.lines[n - 1]) if n in document.code else _says(document.visible(n))
        for n in numbers
        if n not in titles
    )


def headings(document: Markdown) -> list[Heading]:
    """Return the headings of a document, each once."""
    return list(dict.fromkeys(section.path[-1] for section in document.sections if section.path))


def _is_code(line: str) -> bool:
    return bool(line.strip(" \t`~"))


def _says(line: str) -> bool:
    if _RULE.fullmatch(line):
        return False
    said = _LIST_MARK.sub("", line, count=1).strip()
    value = _LABEL.sub("", said, count=1).strip()
    return _PLACEHOLDER.fullmatch(value) is None
