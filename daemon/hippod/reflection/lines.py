"""Changes of single lines of a text; every other byte stays, line ends and byte order mark too."""

import re

Lines = tuple[int, int]
"""First and last line, counted from 1."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_FIELD_VALUE = re.compile(r"(:\s*)\S+")
_REST = re.compile(r"(:\s*)\S.*?(?=\s*$)", re.DOTALL)

_BULLET = re.compile(r"\s*[-*+]\s")
_BLOCK = re.compile(r"\s*(?:[-*+>#|<]|\d+[.)]|```|~~~|$)")
"""How a line begins that cannot go on with the paragraph above."""


def raw_lines(text: str) -> list[str]:
    """Split into the lines that `markdown` counts, each with its line end."""
    return _LINE.findall(text)


def line_end(text: str) -> str:
    """Return the line end that a text uses."""
    found = re.search(r"\r\n|\r|\n", text)
    return found[0] if found else "\n"


class Changes:
    """Changes of single lines of a text, counted from 1, made all at once."""

    def __init__(self, text: str) -> None:
        self._end = line_end(text)
        self._lines = raw_lines(text)
        self._read = tuple(self._lines)
        self._behind: dict[int, list[str]] = {}

    def behind(self, line: int, text: str) -> None:
        """Insert a line behind line `line` and what is nested below its bullet; several in their
        order."""
        self._behind.setdefault(self._nested_end(line), []).append(text)

    def _nested_end(self, line: int) -> int:
        """Return the last line of what is nested below the bullet that ends on `line`."""
        start = self._bullet_of(line)
        end = line
        for number in range(line + 1, len(self._read) + 1 if start else 0):
            text = self._read[number - 1]
            is_nested = _indent(text) > _indent(self._read[start - 1])
            is_lazy = line < end == number - 1 and not _BLOCK.match(text)  # a paragraph goes on
            if text.strip() and not (is_nested or is_lazy):
                break
            end = number if text.strip() else end
        return end

    def _bullet_of(self, line: int) -> int:
        """Return the line on which the bullet begins that ends on `line`; 0: it is none."""
        while line and not _BULLET.match(self._read[line - 1]):
            line = line - 1 if self._read[line - 1].strip() else 0
        return line

    def drop(self, lines: Lines) -> None:
        """Take lines out."""
        for number in range(lines[0], lines[1] + 1):
            self._lines[number - 1] = ""

    def put(self, lines: Lines, value: str, *, whole: bool = False) -> None:
        """Give the field that stands on `lines` another value; `whole`: all that stands there."""
        start, end = lines[0] - 1, lines[1]
        now = "".join(self._lines[start:end])
        pattern = _REST if whole else _FIELD_VALUE
        self._lines[start] = pattern.sub(lambda found: f"{found[1]}{value}", now, count=1)
        for number in range(start + 1, end):
            self._lines[number] = ""

    def text(self) -> str:
        """Return the text with all changes."""
        out: list[str] = []
        for number, line in enumerate(self._lines, 1):
            out.append(line)
            for new in self._behind.get(number, ()):
                if out[-1] and not out[-1].endswith(("\n", "\r")):
                    out[-1] += self._end
                out.append(new + self._end)
        return "".join(out)


def _indent(text: str) -> int:
    """Return how many columns of white space a line begins with."""
    wide = text.expandtabs(4)
    return len(wide) - len(wide.lstrip(" "))
