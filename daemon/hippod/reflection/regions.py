"""Regions in the text of a page: what is put between their markers, all else byte for byte."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from hippod import markdown, pages
from hippod.errors import InvalidInput
from hippod.markdown import BOM, Markdown
from hippod.reflection import front_matter

CONFLICTED = "has git conflict marks"
BROKEN = "has broken markers of a region"
UNCLOSED = "ends in an open code block or comment"
UNREADABLE = "has front matter that cannot be read"


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What a page is to be, None if it stays as it is; and what was left alone, with the reason."""

    text: str | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A region of a page that has none yet: its lines, under a heading or none."""

    name: str
    lines: tuple[str, ...]
    heading: str = ""


def refreshed(text: str, parts: Sequence[Part], today: date) -> Refreshed:
    """Return a page with these lines in its regions, appended to it if it has no region at all.

    Nothing else changes but the day of `updated` in its front matter, if it has such a field.
    A region that a person edited or took out stays so.
    """
    document = markdown.parse(text)
    if problem := fault(text, document):
        return Refreshed(None, problem)
    found = pages.regions(document)
    if not found and _ends_open(text):
        return Refreshed(None, UNCLOSED)
    new = replaced(text, document, parts) if found else appended(text, parts)
    edited = [each.name for each in found if each.edited and each.name in {p.name for p in parts}]
    problem = f"{' and '.join(edited)} edited by hand: left as it is" if edited else ""
    if new == text:
        return Refreshed(None, problem)
    try:
        return Refreshed(dated(new, today), problem)
    except InvalidInput as error:  # `updated` is written in a way that is not ours to change
        return Refreshed(None, error.message)


def fault(text: str, document: Markdown) -> str:
    """Return why hippod must not write into a page at all; empty if it may."""
    if document.marks:
        return CONFLICTED
    if pages.has_broken_markers(document):
        return BROKEN
    if not document.lines or document.lines[0].rstrip() != "---":
        return ""
    if not document.front_matter:
        return UNREADABLE
    return front_matter.fault(text)


def new_page(head: Sequence[str], parts: Sequence[Part]) -> str:
    """Return the text of a new page: what stands first, then its regions, a blank line between."""
    return "\n\n".join(["\n".join(head), *map(_block, parts)]) + "\n"


def replaced(text: str, document: Markdown, parts: Sequence[Part]) -> str:
    """Return `text` with these lines in its regions; one that a person edited stays.

    Nothing else changes, and a region that holds them already does not either.
    """
    contents = {part.name: part.lines for part in parts}
    lines = _with_ends(text)
    for region in reversed(pages.regions(document)):
        new = contents.get(region.name)
        if new is not None and not region.edited and held(document, region) != new:
            inside = slice(region.start - 2, region.end + 1)
            lines[inside] = _in_the_place_of(lines[inside], marked(region.name, new), text)
    return "".join(lines)


def marked(name: str, lines: Sequence[str]) -> list[str]:
    """Return the lines of a region with its markers around them."""
    opener = f"<!-- hippod:{name} sha256:{pages.digest(lines)} -->"
    return [opener, *lines, f"<!-- /hippod:{name} -->"]


def held(document: Markdown, region: pages.Region) -> tuple[str, ...]:
    """Return the lines between a region's markers."""
    return document.lines[region.start - 1 : region.end]


def appended(text: str, parts: Sequence[Part]) -> str:
    """Return `text` with regions behind it, in its own line ends, if there is a line for them."""
    if not any(part.lines for part in parts):
        return text
    end = line_end(text)
    added = "\n\n".join(map(_block, parts)).replace("\n", end) + end
    return f"{text}{_gap(text, end)}{added}"


def dated(text: str, today: date) -> str:
    """Return `text` with `today` as `updated` in its front matter, if that has such a field.

    Raises `InvalidInput` if that cannot be changed safely.
    """
    if "updated" not in front_matter.fields(text):
        return text
    return front_matter.with_fields(text, {"updated": today.isoformat()})


def line_end(text: str) -> str:
    """Return how the lines of a text end: as its first one does."""
    match = _LINE_END.search(text)
    return match[0] if match else "\n"


_LINE_END = re.compile(r"\r\n|\r|\n")


def _with_ends(text: str) -> list[str]:
    """Split as `markdown.split_lines` does, but keep line ends and BOM."""
    parts = _LINE_END.split(text)
    ends = [*_LINE_END.findall(text), ""]
    lines = [f"{part}{end}" for part, end in zip(parts, ends, strict=True)]
    return lines[:-1] if not lines[-1] else lines


def _in_the_place_of(old: Sequence[str], new: Sequence[str], text: str) -> list[str]:
    """Return new lines with the line ends of `text`, the BOM and the last line end of the old."""
    end = line_end(text)
    bom = BOM if old[0].startswith(BOM) else ""
    last = old[-1][len(old[-1].rstrip("\r\n")) :]
    return [f"{bom}{new[0]}{end}", *(f"{line}{end}" for line in new[1:-1]), f"{new[-1]}{last}"]


def _block(part: Part) -> str:
    heading = [f"## {part.heading}", ""] if part.heading else []
    return "\n".join([*heading, *marked(part.name, part.lines)])


def _ends_open(text: str) -> bool:
    """Tell whether what is appended to a page would be code or a comment."""
    document = markdown.parse(f"{text}{_gap(text, line_end(text))}x")
    last = document.paragraphs[-1:]
    return not last or last[0].start < len(document.lines)


def _gap(text: str, end: str) -> str:
    """Return what puts a blank line between `text` and what is appended to it."""
    lines = markdown.split_lines(text)
    if not lines:
        return ""
    ends = text.endswith(("\n", "\r"))
    return ("" if ends else end) + ("" if not lines[-1].strip() and ends else end)
