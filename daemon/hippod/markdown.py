"""Markdown as hippod reads it: lines, front matter, sections, bullets, code and comments.

Block structure is CommonMark's, by markdown-it-py. Lines end in LF, CRLF or CR and nowhere
else, and are counted from 1, as editors and `sed -n` count them.

One rule is our own: a fence or comment that nobody closed ends before the first `## Retain` or
`## Log` that stands in it behind a blank line. So what the daemon appends is seen as the section
it is, although a person is in the middle of writing a code block above it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_block.html_block import HTML_SEQUENCES
from markdown_it.token import Token

BOM: Final = "\ufeff"


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading outside of lists and quotes, on lines `start` to `end`."""

    level: int
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the lines `start` to `end` up to the next one.

    `path` holds the headings from the top down to this section's own; it is empty for what
    stands before the first heading.
    """

    path: tuple[Heading, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Bullet:
    """The first paragraph of an item of a `-`, `*` or `+` list, outside of quotes.

    `lines` are its lines from line `start` on, the first one without what stands before the
    item's text.
    """

    start: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph outside of quotes, in a list item or not.

    `lines` are its lines from line `start` on, without comments; the first one lacks what
    stands before an item's text.
    """

    start: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Markdown:
    """A document taken apart; all line numbers count from 1.

    `lines` lack line ends and BOM. `front_matter` is the number of lines of the YAML block at
    the top, fences included. `sections` cover all lines behind it, in order. `code` holds the
    lines of fenced and indented code, `marks` those of the conflict marks that git left.
    `uncommented` maps each line that a comment touches to what is left of it. `paragraphs` are
    in order, those of tables among them.
    """

    lines: tuple[str, ...]
    front_matter: int
    sections: tuple[Section, ...]
    bullets: tuple[Bullet, ...]
    code: frozenset[int]
    marks: frozenset[int]
    uncommented: dict[int, str]
    paragraphs: tuple[Paragraph, ...]

    def visible(self, line: int) -> str:
        """Return the line of that number without comments."""
        return self.uncommented.get(line, self.lines[line - 1])


def split_lines(text: str) -> tuple[str, ...]:
    """Split at LF, CRLF and CR only; a BOM at the start is dropped.

    `str.splitlines` also splits at form feeds and U+2028, where Markdown and `sed` do not.
    """
    lines = text.removeprefix(BOM).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return tuple(lines[:-1] if lines[-1] == "" else lines)


def parse(text: str) -> Markdown:
    """Take a document apart. Any text is safe."""
    lines = split_lines(text)
    front = _front_matter_length(lines)
    view = ["" if n < front else _parseable(line) for n, line in enumerate(lines)]
    tokens = _tokens(view)
    marks = _conflict_marks(lines, tokens)
    if marks:
        view = ["" if n in marks else line for n, line in enumerate(view, 1)]
        tokens = _tokens(view)
    uncommented = dict(_uncommented(tokens, view))
    return Markdown(
        lines=lines,
        front_matter=front,
        sections=tuple(_sections(tokens, front, len(lines))),
        bullets=tuple(_bullets(tokens, view)),
        code=_code(tokens),
        marks=marks,
        uncommented=uncommented,
        paragraphs=tuple(_paragraphs(tokens, view, uncommented)),
    )


_MAX_NESTING = 200
_MAX_INDENT = 100
_MAX_MARKS = 20
"""Together they keep every line below `_MAX_NESTING`, where the parser drops the rest."""

_PARSER = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING})
_PARSER.core.ruler.enableOnly(["normalize", "block"])  # no inline parsing: only lines matter
_PARSER.disable("reference")  # link definitions are text too

_MARK = r"(?:>|(?:[-*+]|[0-9]{1,9}[.)])(?=[ \t]|$))"
_MARKS = re.compile(rf"(?:[ \t]*{_MARK})*[ \t]*")
_TOO_DEEP = re.compile(rf"[ \t]{{{_MAX_INDENT}}}|(?:[ \t]*{_MARK}){{{_MAX_MARKS}}}")


def is_conflicted(text: str) -> bool:
    """Say whether git left conflict marks in `text`; quoted ones in code are none."""
    return "<<<<<<<" in text and bool(parse(text).marks)


def open_fence(text: str) -> str:
    """Return the mark of a code block that runs open to the end of a text; empty if none does."""
    if "```" not in text and "~~~" not in text:
        return ""
    view = [_parseable(line) for line in split_lines(text)]
    last = next(reversed(_tokens(view)), None)
    if last is None or last.level or last.type != "fence" or not last.map:
        return ""
    start, end = last.map
    return "" if _is_closed(last, view[start], view[end - 1], start == end - 1) else last.markup


def _parseable(line: str) -> str:
    return "" if _TOO_DEEP.match(line) else line


_KEY = re.compile(r"""[^\s:#\-\[\]{}"'][^:]*:(?:\s|$)|["'][^"']*["']\s*:|-(?:\s|$)|[#\]}\s]|$""")


def _front_matter_length(lines: Sequence[str]) -> int:
    """Count the lines of the YAML block at the top; 0 if the `---` there is but a rule."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    for number, line in enumerate(lines[1:], 2):
        if line.rstrip() in ("---", "..."):
            return number
        if not _KEY.match(line):
            return 0
    return 0


def _tokens(view: Sequence[str]) -> list[Token]:
    """Return the block tokens, an open fence or comment cut where a section of ours begins."""
    tokens: list[Token] = []
    start = 0
    for _ in range(_MAX_REOPENED):
        part = _PARSER.parse("\n".join([*view[start:], ""]))
        _shift(part, start)
        tokens += part
        cut = _end_of_open_block(part, view)
        if cut is None:
            break
        part[-1].map = [part[-1].map[0] if part[-1].map else start, cut]
        start = cut
    return tokens


_MAX_REOPENED = 50
"""Open blocks that are cut in one document; each costs a parse of what stands behind it."""
_OURS = re.compile(r"##[ \t]+(?:retain|log)[ \t]*", re.IGNORECASE)


def _end_of_open_block(tokens: Sequence[Token], view: Sequence[str]) -> int | None:
    """Return the line (from 0) at which the block that runs open to the end is to be cut."""
    last = tokens[-1] if tokens else None
    if last is None or last.level or last.type not in ("fence", "html_block") or not last.map:
        return None
    start, end = last.map
    if _is_closed(last, view[start], view[end - 1], start == end - 1):
        return None
    for number in range(start + 2, end):
        if not view[number - 1].strip() and _OURS.fullmatch(view[number]):
            return number
    return None


def _is_closed(block: Token, first: str, last: str, one_line: bool) -> bool:
    if block.type == "fence":
        mark = re.escape(block.markup[0])
        closer = rf" {{0,3}}{mark}{{{len(block.markup)},}}[ \t]*"
        return not one_line and re.fullmatch(closer, last) is not None
    for opens, closes, _ in HTML_SEQUENCES:
        if opens.search(first.lstrip()):
            return bool(closes.search(last))
    return True


def _shift(tokens: Sequence[Token], lines: int) -> None:
    for token in tokens:
        if token.map and lines:
            token.map = [token.map[0] + lines, token.map[1] + lines]


def _spans(tokens: Sequence[Token], *types: str) -> Iterator[tuple[int, int]]:
    """Yield first and last line (from 1) of the tokens of these types."""
    for token in tokens:
        if token.type in types and token.map:
            yield token.map[0] + 1, token.map[1]


def _code(tokens: Sequence[Token]) -> frozenset[int]:
    spans = _spans(tokens, "fence", "code_block")
    return frozenset(number for start, end in spans for number in range(start, end + 1))


def _sections(tokens: Sequence[Token], front: int, count: int) -> Iterator[Section]:
    path: tuple[Heading, ...] = ()
    start = front + 1
    for heading in _headings(tokens):
        if heading.start > start:
            yield Section(path, start, heading.start - 1)
        path = (*(above for above in path if above.level < heading.level), heading)
        start = heading.start
    if start <= count:
        yield Section(path, start, count)


def _headings(tokens: Sequence[Token]) -> Iterator[Heading]:
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and not token.level and token.map:
            text = " ".join(_without_comments(inline.content).split())
            yield Heading(int(token.tag[1:]), text, token.map[0] + 1, token.map[1])


def _bullets(tokens: Sequence[Token], view: Sequence[str]) -> Iterator[Bullet]:
    quotes = 0
    for token, child in pairwise(tokens):
        quotes += token.nesting if token.type.startswith("blockquote") else 0
        is_bullet = token.type == "list_item_open" and token.markup in ("-", "*", "+")
        if is_bullet and child.type == "paragraph_open" and not quotes and token.map and child.map:
            first, *others = view[token.map[0] : child.map[1]]
            yield Bullet(token.map[0] + 1, (_MARKS.sub("", first, count=1), *others))


def _paragraphs(
    tokens: Sequence[Token], view: Sequence[str], uncommented: dict[int, str]
) -> Iterator[Paragraph]:
    quotes = 0
    for token in tokens:
        quotes += token.nesting if token.type.startswith("blockquote") else 0
        if token.type == "paragraph_open" and not quotes and token.map:
            numbers = range(token.map[0] + 1, token.map[1] + 1)
            first, *others = (uncommented.get(n, view[n - 1]) for n in numbers)
            yield Paragraph(numbers[0], (_MARKS.sub("", first, count=1), *others))


_CONFLICT = re.compile(r"<{7}(?: |$)")
_CONFLICT_MARK = re.compile(r"(?:<{7}|\|{7}|>{7})(?: |$)|={7}$")


def _conflict_marks(lines: Sequence[str], tokens: Sequence[Token]) -> frozenset[int]:
    """Return the lines that git's merge left: from `<<<<<<<` over `=======` to `>>>>>>>`."""
    if not any(map(_CONFLICT.match, lines)):
        return frozenset()
    code = _code(tokens)
    marks: set[int] = set()
    side: list[int] = []
    for number, line in enumerate(lines, 1):
        if _CONFLICT.match(line) and number not in code:
            side = [number]
        elif side and _CONFLICT_MARK.match(line):
            side.append(number)
            if line[0] == ">":
                marks.update(side if len(side) > 2 else ())
                side = []
    return frozenset(marks)


def _uncommented(tokens: Sequence[Token], view: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines that comments touch, with what is left of them.

    A comment inside a paragraph that has code spans stays: it may be one's content.
    """
    for token in tokens:
        if token.type not in ("html_block", "inline") or not token.map:
            continue
        start, end = token.map
        text = "\n".join(view[start:end])
        if "<!--" not in text or (token.type == "inline" and "`" in text):
            continue
        rest = _without_comments(text, open_too=token.type == "html_block").split("\n")
        for number, line in enumerate(rest, start + 1):
            if line != view[number - 1]:
                yield number, line


def _without_comments(text: str, open_too: bool = False) -> str:
    """Cut comments out, but keep the line feeds inside; `open_too` cuts an unclosed one."""
    kept: list[str] = []
    done = 0
    while (start := text.find("<!--", done)) >= 0:
        end = text.find("-->", start + 2)
        if end < 0 and not open_too:
            break
        stop = len(text) if end < 0 else end + 3
        kept += [text[done:start], "\n" * text.count("\n", start, stop)]
        done = stop
    return "".join([*kept, text[done:]])
