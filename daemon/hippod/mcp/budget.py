"""What of a result fits into its budget of tokens. Pure."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from hippod import packing

_CAPS = (
    (100, 4_000), (100, 1_000), (50, 1_000), (50, 400), (30, 400), (20, 300), (10, 300),
    (10, 150), (5, 150), (3, 100), (1, 100), (0, 60),
)  # fmt: skip
"""Entries of a list and characters of a text that are kept, from generous to hardly any."""


LETTERS_A_TOKEN = 4
"""Characters that a token has at most: what is longer need not be counted."""


def cost(text: str) -> int:
    """Return how many tokens a text takes, rather too many than too few."""
    return sum(packing.estimate([text]))


def fits(text: str, tokens: int) -> bool:
    """Say whether a text takes no more tokens than that; a long one is not counted."""
    return len(text) <= tokens * LETTERS_A_TOKEN and cost(text) <= tokens


def most(longest: int, text_of: Callable[[int], str], tokens: int) -> int:
    """Return the largest size up to `longest` whose text fits; 0 if none does.

    A size counts what has at least a character.
    """
    low, high = 0, min(longest, tokens * LETTERS_A_TOKEN)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(text_of(middle), tokens):
            low = middle
        else:
            high = middle - 1
    return low


def as_json(data: object) -> str:
    """Write a result as JSON in one line, as its bytes go to the client."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def fitted(data: Mapping[str, Any], tokens: int) -> dict[str, Any]:
    """Return an answer without what is empty in it but its own lists, shortened until it fits.

    Then it says `truncated`, and `left_out` counts what its lists lost.
    """
    full: dict[str, Any] = {name: [] for name, value in data.items() if value == []}
    full = _telling(data) | full
    if fits(as_json(full), tokens):
        return full
    short: dict[str, Any] = {}
    for entries, characters in _CAPS:
        short = _cut(full, entries, characters)
        lost = {
            name: len(value) - len(short[name])
            for name, value in full.items()
            if isinstance(value, list) and len(value) > len(short[name])
        }
        short |= {"truncated": True} | ({"left_out": lost} if lost else {})
        if fits(as_json(short), tokens):
            break
    return short


def _telling(value: Any) -> Any:
    if isinstance(value, list):
        return [_telling(each) for each in value]
    if isinstance(value, dict):
        told = {name: _telling(each) for name, each in value.items()}
        return {name: each for name, each in told.items() if each not in (None, "", [], {})}
    return value


def _cut(value: Any, entries: int, characters: int) -> Any:
    if isinstance(value, list):
        return [_cut(each, entries, characters) for each in value[:entries]]
    if isinstance(value, dict):
        return {name: _cut(each, entries, characters) for name, each in value.items()}
    return packing.shortened(value, characters) if isinstance(value, str) else value
