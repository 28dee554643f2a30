"""How many tokens a text has, and which pieces of an answer fit into a budget of them. Pure.

A budget is never exceeded, whatever counts: what is handed over is counted as a whole.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

Count = Callable[[Sequence[str]], Sequence[int]]
"""Counts the tokens of each text."""
Frame = Callable[[Sequence[str]], str]
"""Puts pieces together to the text that is handed over."""
Shorten = Callable[[int], str]
"""Returns the first piece with only so many characters of its content."""

CUT = " … [cut]"
"""Stands where a text was cut to fit."""
ESTIMATE = "an estimate (3.5 letters a token, digits and CJK characters at least 1 each)"

_LETTERS = re.compile("[A-Za-z ]")
_DIGITS = re.compile("[0-9]")
_MARKS = re.compile("[!-/:-@\\[-`{-~\t\r\n]")
_ALPHABETS = re.compile("[\u00a0-\u08ff\u1e00-\u20ff]")
_FAR = re.compile("[\U00010000-\U0010ffff]")
_OTHER = 1.3
_WEIGHTS = ((_LETTERS, 1 / 3.5), (_DIGITS, 1.0), (_MARKS, 0.75), (_ALPHABETS, 0.75), (_FAR, 3.0))
"""Tokens a character of each class: rather what small vocabularies need than large ones."""


@dataclass(frozen=True, slots=True)
class Packed:
    """The pieces that fit, by number, and what they cost together.

    `cut` is set where only the first piece fits, and that only with so many characters of its
    content. `text` is what is handed over; empty where nothing fits.
    """

    chosen: tuple[int, ...]
    text: str
    used: int
    cut: int | None = None


def estimate(texts: Sequence[str]) -> list[int]:
    """Count tokens without a tokenizer, rather too many than too few."""
    return [_estimated(text) for text in texts]


def pack(
    pieces: Sequence[str],
    frame: Frame,
    shorten: Shorten,
    longest: int,
    budget: int,
    count: Count,
    only_with: Mapping[int, int] = MappingProxyType({}),
) -> Packed:
    """Choose pieces for a budget in tokens, best first.

    One that does not fit is passed over for later ones that do: a budget is there to be used.
    But the first, which answers best, is rather cut than passed over; `longest` is the length of
    its content. A piece in `only_with` is not chosen without the earlier one that it maps to.
    """
    chosen = _fitting(pieces, frame, budget, count, only_with)
    if pieces and 0 not in chosen:
        kept = _longest_that_fits(lambda size: frame([shorten(size)]), longest, budget, count)
        if kept:
            text = frame([shorten(kept)])
            return Packed((0,), text, _sum(count, text), cut=kept)
    text = frame([pieces[each] for each in chosen]) if chosen or not pieces else ""
    used = _sum(count, text) if text else 0
    return Packed(tuple(chosen), text, used) if used <= budget else Packed((), "", 0)


def shortened(text: str, size: int) -> str:
    """Return the first `size` characters, or a few less to end with a word, marked as cut."""
    if size >= len(text):
        return text
    kept = text[:size]
    whole, space, rest = kept.rpartition(" ")
    ends_inside = not text[size].isspace() and space and len(rest) <= _LONGEST_WORD
    return (whole if ends_inside and whole.strip() else kept).rstrip() + CUT


_LONGEST_WORD = 20


def _fitting(
    pieces: Sequence[str],
    frame: Frame,
    budget: int,
    count: Count,
    only_with: Mapping[int, int],
) -> list[int]:
    chosen: list[int] = []
    left = budget - _sum(count, frame([""]))
    for number, size in enumerate(count([f"{piece}\n" for piece in pieces])):
        if size <= left and only_with.get(number, number) in {*chosen, number}:
            chosen.append(number)
            left -= size
    # Tokens of a whole are not quite those of its parts.
    while chosen and _sum(count, frame([pieces[each] for each in chosen])) > budget:
        chosen.pop()
    return chosen


def _longest_that_fits(
    text_of: Callable[[int], str], longest: int, budget: int, count: Count
) -> int:
    """Return with how many characters a text fits; 0: with none."""
    low, high = 0, longest
    while low < high:
        middle = (low + high + 1) // 2
        if _sum(count, text_of(middle)) <= budget:
            low = middle
        else:
            high = middle - 1
    return low


def _sum(count: Count, text: str) -> int:
    return sum(count([text]))


def _estimated(text: str) -> int:
    tokens, seen = 0.0, 0
    for pattern, weight in _WEIGHTS:
        found = len(pattern.findall(text))
        tokens += found * weight
        seen += found
    return -int(-(tokens + (len(text) - seen) * _OTHER) // 1)
