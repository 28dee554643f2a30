"""Evidence by the statement: a section of a document says many things, each with its own days."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hippod.checklist.verdict import Evidence

MOST = 500
"""Statements that are looked at for one item."""
LONGEST = 1_000
"""Characters of a statement that are read."""
_READ = 20_000
"""Characters of an evidence that are read."""


def current(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return what the evidence states, line by line, without what was superseded."""
    found: list[Evidence] = []
    for each in evidence:
        if not each.superseded and len(found) < MOST:
            found += _split(each)
    return found[:MOST]


def _split(evidence: Evidence) -> Iterator[Evidence]:
    """Yield bullets and paragraphs, each below the heading that stands above it."""
    text = evidence.text[:_READ]
    parts = [part for part in _BREAK.split(text) if part.strip()]
    parts = [piece for part in parts for piece in _behind_heading(part)]
    if len(parts) < 2:
        yield replace(evidence, text=text[:LONGEST])
        return
    heading = ""
    for part in parts[:MOST]:
        if match := _HEADING.fullmatch(part.strip()):
            heading = f"{match['text'].strip()}: "
        else:
            said = heading + _MARK.sub("", part.strip()[:LONGEST])
            yield replace(evidence, text=said, first=None, last=None)


def _behind_heading(part: str) -> Iterator[str]:
    """Part a heading from the paragraph on the next line."""
    first, _, rest = part.strip().partition("\n")
    if rest and _HEADING.fullmatch(first):
        yield first
        yield rest
    else:
        yield part


_BREAK = re.compile(r"\n(?=[ \t]{0,20}(?:[-*+|#]|\d{1,3}[.)]\s|\n|\[\d))")
_HEADING = re.compile(r"#{1,6}\s+(?P<text>[^\n]{1,200}?)\s*#*")
_MARK = re.compile(r"^(?:[-*+]|\d{1,3}[.)])\s+")
