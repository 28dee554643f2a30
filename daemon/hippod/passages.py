"""Where the text of a hit stands in its document as it is now, and what stands around it. Pure.

Documents are edited after they were indexed: a citation holds as long as the text stands
anywhere, whatever became of its line breaks.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, product

from hippod import markdown

_MOST_SKIPPED = 50
"""Lines between two lines of a chunk that may be left out of it: facts, comments, headings."""
_NEAR = 200
"""Lines around its old place where a text is looked for first."""
_MOST_PLACES = 10_000
_WIDEST = 4_000
"""Characters of context on each side of a passage."""
_SPACELESS = "\u0e00"
"""From here on scripts put no spaces between words."""

Span = tuple[int, int]
"""Two offsets in a text."""


@dataclass(frozen=True, slots=True)
class Sought:
    """A text and the lines (from 1) where it stood; a fact's are all those of its bullet."""

    content: str
    first: int
    last: int
    is_fact: bool


@dataclass(frozen=True, slots=True)
class Stand:
    """Where a text stands: its lines, and its offsets, of a fact those of its bullet."""

    first: int
    last: int
    span: Span


class Page:
    """A document's text by lines; line ends are LF, so offsets are those of `text`."""

    def __init__(self, text: str) -> None:
        self.lines = markdown.split_lines(text)
        self.text = "\n".join(self.lines)
        self._starts = [0, *accumulate(len(line) + 1 for line in self.lines)]

    def find(self, sought: Sought) -> Stand | None:
        """Return where a text stands, if several times then nearest to where it stood.

        White space does not count. None: it stands nowhere any more.
        """
        places = self._places(sought)
        found = min(places, key=lambda span: self._distance(span, sought), default=None)
        if found is None:
            return None
        first, last = self.line_at(found[0]), self.line_at(max(found[1] - 1, found[0]))
        height = sought.last - sought.first
        if sought.is_fact:
            last = min(max(last, first + height), len(self.lines))
            return Stand(first, last, (self.start_of(first), self._end_of(last)))
        if self.text[slice(*found)] == sought.content:
            # A chunk begins with the end of the one before, which its lines do not count.
            first = max(first, last - height)
        return Stand(first, last, found)

    def around(self, spans: Sequence[Span], count: int) -> list[tuple[str, str]]:
        """Return the text before and after each span: `count` whole lines, nothing twice.

        `spans` are sorted; what is in one of them is never context of another.
        """
        found: list[tuple[str, str]] = []
        done = 0
        for number, (start, end) in enumerate(spans):
            following = min((span[0] for span in spans[number + 1 :]), default=len(self.text))
            low = max(done, self.start_of(self.line_at(start) - count), start - _WIDEST)
            last = self.line_at(max(end - 1, start)) + count
            high = min(following, self._end_of(last), end + _WIDEST) if end >= done else end
            before, after = self.text[low:start], self.text[end:high]
            found.append((before.lstrip("\n"), after.rstrip("\n")))
            done = max(done, end, high)
        return found

    def line_at(self, offset: int) -> int:
        """Return the number of the line at an offset, from 1."""
        return max(1, min(bisect_right(self._starts, offset), len(self.lines)))

    def start_of(self, line: int) -> int:
        """Return the offset where a line begins; lines beyond the ends are the outermost."""
        return self._starts[max(0, min(line - 1, len(self.lines)))]

    def _end_of(self, line: int) -> int:
        return max(0, min(self.start_of(line + 1) - 1, len(self.text))) if self.lines else 0

    def _distance(self, span: Span, sought: Sought) -> int:
        return abs(self.line_at(span[0]) - sought.first)

    def _places(self, sought: Sought) -> Iterator[Span]:
        words = sought.content.split()
        if not words:
            return
        near = self.start_of(sought.first - _NEAR), self.start_of(sought.last + _NEAR)
        exact, loose = re.escape(sought.content), r"\s+".join(map(re.escape, words))
        for pattern, (start, end) in product((exact, loose), (near, (0, len(self.text)))):
            matches = islice(re.compile(pattern).finditer(self.text, start, end), _MOST_PLACES)
            found = [span for span in (m.span() for m in matches) if self._is_whole(*span)]
            if found:
                yield from found
                return
        if not sought.is_fact:
            yield from self._with_gaps(sought.content)

    def _is_whole(self, start: int, end: int) -> bool:
        """Say whether a span begins and ends with a word."""
        return not any(
            0 < edge < len(self.text)
            and _is_letter(self.text[edge - 1])
            and _is_letter(self.text[edge])
            for edge in (start, end)
        )

    def _with_gaps(self, content: str) -> Iterator[Span]:
        """Find lines one below the other, with others between that the chunk leaves out."""
        wanted = [" ".join(line.split()) for line in content.split("\n") if line.strip()]
        if len(wanted) < 2:
            return
        here = [" ".join(line.split()) for line in self.lines]
        for number, line in enumerate(here):
            if line.endswith(wanted[0]):
                last = _followed(here, number, wanted[1:])
                if last is not None:
                    yield self._starts[number], self._starts[last] + len(self.lines[last])


def _followed(lines: Sequence[str], number: int, wanted: Sequence[str]) -> int | None:
    """Return the line where `wanted` ends if it follows a line; the last may go on."""
    for count, each in enumerate(wanted, start=1):
        is_last = count == len(wanted)
        below = range(number + 1, min(number + 2 + _MOST_SKIPPED, len(lines)))
        fits = (n for n in below if lines[n] == each or (is_last and lines[n].startswith(each)))
        found = next(fits, None)
        if found is None:
            return None
        number = found
    return number


def _is_letter(character: str) -> bool:
    return character.isalnum() and character < _SPACELESS
