"""Secrets beside the usual order of words: told backwards, below their name, in a table."""

import re
from collections.abc import Iterator

from hippod.secrets.span import Span
from hippod.secrets.spoken import NO_PASSWORD, PASSWORD_WORDS, PIN_WORDS, is_mixed
from hippod.secrets.values import QUOTES, is_placeholder, is_talk, looks_like_key, looks_made_up


def find(text: str) -> Iterator[Span]:
    """Yield what stands before, below or beside the words that call it secret."""
    for match in _BACKWARDS.finditer(text):
        if is_mixed(match["value"].strip(QUOTES)):
            yield Span(*match.span("value"), "Password")
    for match in _BELOW.finditer(text):
        if not is_talk(match["value"]) and not is_placeholder(match["value"]):
            yield Span(*match.span("value"), "Password")
    for match in _REST.finditer(text):
        if looks_like_key(match["value"]):
            yield Span(*match.span("value"), "Key")
    yield from (Span(*match.span(1), "Combination") for match in _COMBINATION.finditer(text))
    yield from (Span(*match.span(1), "Social Security Number") for match in _SSN.finditer(text))
    yield from _cells(text)


_BACKWARDS = re.compile(
    r"(?<!\S)(?P<value>[!-~]{4,100})\s{1,3}"
    r"(?:is|was|ist|war|es|era|est|était|é|foi)\s{1,3}(?:(?:now|still|jetzt|ahora|agora)\s{1,3})?"
    r"(?:[^\W\d_]{1,12}(?:['’]\s?|\s{1,3})){0,4}?"
    rf"(?<![^\W_])(?:{PASSWORD_WORDS})(?![a-z'’])(?!{NO_PASSWORD})"
    r"(?![\s-]{1,2}(?:reset|tool|bug|issue|ticket|change|release|form|page|generator|scheme)\b)",
    re.IGNORECASE,
)
_BELOW = re.compile(
    rf"(?<![^\W_])(?:{PASSWORD_WORDS})(?:[ \t][^\s:=]{{1,20}}){{0,6}}?[ \t\"'*_`]{{0,4}}"
    r"(?:[:=：]|(?<=[ \t])(?:is|ist|es|est|é)\b:?)[*_`]{0,3}"
    r"[ \t]{0,4}(?:\r?\n(?:[ \t>]{0,12}```\w{0,12}(?=[ \t]*\r?\n))?[ \t>]{0,12}){1,4}[\"'`*]{0,3}"
    r"(?P<value>[^\s\"'`*-][^\s\"'`]{3,100})[\"'`*]{0,3}[ \t.]{0,3}(?=\r?\n|\Z)",
    re.IGNORECASE,
)
_REST = re.compile(
    r"\b(?:rest|remainder|second\shalf|other\shalf)(?:\s\w{1,12}){0,4}?\s(?:is|ist|are)\s{1,3}"
    r"(?P<value>[!-~]{8,200})",
    re.IGNORECASE,
)
_COMBINATION = re.compile(
    r"\b(?:combinations?|combo|(?:\w{0,12}|\w{1,12}-)kombination|combinación|combinaison|combinação)\b"
    r"[^.!?\n\d]{0,40}?(?:\b(?:is|ist|es|est|equals|lautet)|é|[:=])\s{0,3}"
    r"(\d{1,3}(?:[-–/, ]{1,3}\d{1,3}){2,5})(?!\w)",
    re.IGNORECASE,
)
_SSN = re.compile(
    r"\b(?:ssn|social\s+security(?:\s+(?:numbers?|no\b\.?))?)\b[^\d\n]{0,40}"
    r"(\d{3}[- ]?\d{2}[- ]?\d{4})(?![\w-])",
    re.IGNORECASE,
)


# --- tables -------------------------------------------------------------------------------------

_LABEL = re.compile(
    rf"[*_ ]*(?:[^\W\d_]{{1,20}} )?(?:{PASSWORD_WORDS}|{PIN_WORDS})[*_ ]*", re.IGNORECASE
)
_LONGEST_LABEL = 60
_RULE = re.compile(r":?-+:?")


def _cells(text: str) -> Iterator[Span]:
    """Yield the cells below a heading such as "Password", and made-up ones right of it."""
    columns: set[int] = set()
    position = 0
    for line in text.splitlines(keepends=True):
        row = _row(line) if "|" in line else []
        labels = {n for n, cell in enumerate(row) if _is_label(cell[1])}
        for n, (start, cell) in enumerate(row):
            beside = n - 1 in labels and looks_made_up(cell)
            if (beside or n in columns - labels) and _may_be_secret(cell):
                yield Span(position + start, position + start + len(cell), "Password")
        columns = (columns | labels) if row else set()
        position += len(line)


def _row(line: str) -> list[tuple[int, str]]:
    """Return each cell of a row, without blanks around it, and where it begins."""
    cells: list[tuple[int, str]] = []
    start = 0
    for cell in line.split("|"):
        cells.append((start + len(cell) - len(cell.lstrip()), cell.strip()))
        start += len(cell) + 1
    return cells


def _is_label(cell: str) -> bool:
    return len(cell) <= _LONGEST_LABEL and _LABEL.fullmatch(cell) is not None


def _may_be_secret(cell: str) -> bool:
    return (
        len(cell) >= 3
        and not _RULE.fullmatch(cell)
        and not is_placeholder(cell)
        and not is_talk(cell.split()[0])
    )
