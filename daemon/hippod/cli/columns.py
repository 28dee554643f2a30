"""How much room text takes on a terminal: its width in columns; cutting, padding, wrapping by it.

Text is safe already: without control characters, see `output.printable`.
"""

from collections.abc import Sequence

LEAST = 16
"""Columns that a cell of a table keeps however narrow the terminal is: a date with its time."""
GAP = 2
_NARROW_BELOW = 0x300
"""Where combining marks begin: whatever comes before takes one column."""
_PUNCTUATION = range(0x2010, 0x2028)
"""Dashes, quotes and the ellipsis, which are common and take one column, too."""


def width(text: str, *, exact: bool = True) -> int:
    """Return how many columns text takes.

    Exactly, which takes tables that cost 30 ms; else nearly, as is enough where no terminal is.
    """
    if _is_narrow(text):
        return len(text)
    if not exact:
        from unicodedata import combining, east_asian_width

        return sum(2 if east_asian_width(c) in "WF" else not combining(c) for c in text)
    import wcwidth

    return wcwidth.width(text, control_codes="ignore")


def cut(text: str, room: int, mark: str = "…") -> str:
    """Return text in at most `room` columns; one that was longer ends in `mark`."""
    if width(text) <= room:
        return text
    left = max(0, room - len(mark))
    if _is_narrow(text):
        return text[:left] + mark
    import wcwidth

    return wcwidth.clip(text, 0, left, fillchar="", control_codes="ignore") + mark


def padded(text: str, room: int, *, exact: bool = True) -> str:
    """Return text with spaces behind it, up to `room` columns."""
    return text + " " * (room - width(text, exact=exact))


def wrapped(
    text: str,
    room: int,
    *,
    indent: int = 0,
    most: int | None = None,
    mark: str = "…",
    exact: bool = True,
) -> list[str]:
    """Return text as lines of `room` columns, of which all but the first are indented.

    Words, and so paths, stay whole unless one is longer than a line. Of more than `most` lines
    the rest is left out, and the last one ends in `mark`. Unless `exact`, a column is a character.
    """
    if (width(text) if exact else len(text)) <= room:
        return [text]
    # The text's own indentation is no word to break at.
    begin = text[: len(text) - len(text.lstrip(" "))]
    chosen = {
        "initial_indent": begin,
        "subsequent_indent": " " * indent,
        "max_lines": most,
        "placeholder": f" {mark}",
        "break_on_hyphens": False,
    }
    body = text[len(begin) :]
    if not exact or _is_narrow(text):
        import textwrap

        return textwrap.wrap(body, room, **chosen)  # type: ignore[arg-type]
    import wcwidth

    return wcwidth.wrap(body, room, **chosen)  # type: ignore[arg-type]


def total(widths: Sequence[int]) -> int:
    """Return the width of a table with columns so wide."""
    return sum(widths) + GAP * (len(widths) - 1)


def saying(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return a table, head first, without the columns in which no row says anything."""
    kept = [
        place
        for place in range(len(rows[0]))
        if any(row[place] not in ("", "-") for row in rows[1:])
    ]
    return [[row[place] for place in kept] for row in rows]


def fitting(widths: Sequence[int], room: int) -> list[int]:
    """Return the widths of a table's columns, the widest made narrower as long as that helps."""
    fitted = list(widths)
    over = total(fitted) - room
    while over > 0 and max(fitted) > LEAST:
        widest = max(range(len(fitted)), key=lambda place: (fitted[place], place))
        fitted[widest] -= 1
        over -= 1
    return fitted


def _is_narrow(text: str) -> bool:
    """Say whether each character takes one column, as far as that is known without tables."""
    return text.isascii() or all(
        code < _NARROW_BELOW or code in _PUNCTUATION for code in map(ord, set(text))
    )
