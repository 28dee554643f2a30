"""What an item was judged by: whether that changed, or recall only shows another part of it."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date

from hippod import tokens
from hippod.checklist import days, recurring, topics
from hippod.checklist.verdict import Evidence, digest
from hippod.markdown import split_lines

Text = Callable[[str], str | None]
"""Given the path of a document, its text; None if it cannot be read."""


@dataclass(frozen=True, slots=True)
class Ground:
    """One piece of evidence: its digest, its document, and the digest of its (first) line there.

    `days` are those that it names.
    """

    piece: str
    path: str
    line: str
    days: str = ""


def grounds(question: str, evidence: Sequence[Evidence], text: Text) -> tuple[Ground, ...]:
    """Return what a question is judged by."""
    found = {_ground(question, each, text) for each in evidence}
    return tuple(sorted(found, key=lambda each: (each.piece, each.path, each.line)))


def hold(before: Collection[Ground], now: Collection[Ground], text: Text) -> bool:
    """Say whether there is nothing new, and what is not found any more still stands there.

    What else is written shifts the weights of words: recall finds a bit more or less of what was
    there all the time.
    """
    found = {each.piece for each in now}
    if not found <= {each.piece for each in before}:
        return False
    return all(_stands(each, text) for each in before if each.piece not in found)


def key(question: str, judged_by: Collection[Ground], today: date) -> str:
    """Return what changes with what is known, not with the line that it stands on.

    It changes with the days too, where the question or what is known speaks of some.
    """
    told = " ".join(each.days for each in judged_by).split()
    is_of_today = topics.names_a_time(question) or _AGAIN in told
    nearness = [today.isoformat()] if is_of_today else sorted({_near(each, today) for each in told})
    return digest([*sorted({each.piece for each in judged_by}), *nearness])


def news(question: str, evidence: Sequence[Evidence]) -> str:
    """Return the digests of what speaks of the question's own things, with spaces between."""
    sought = _terms(" ".join(topics.terms(question)) or question)
    close = (each for each in evidence if _speaks_of(sought, each.text))
    return " ".join(sorted({_piece(question, each) for each in close})) or digest([question])


def _speaks_of(sought: Collection[str], text: str) -> bool:
    said = {word for term in _terms(text) for word in term.split("|")}
    shared = sum(not said.isdisjoint(term.split("|")) for term in sought)
    return 2 * shared >= len(sought)


def _terms(text: str) -> list[str]:
    """Return the words of a text, each with its other spellings."""
    return [term for term in tokens.terms(text) if " " not in term]


_AGAIN = "again"
_CLOSE = 8
"""Days before one from which on each of them counts."""


def _days(said: Evidence) -> str:
    if recurring.is_named(said.text):
        return _AGAIN
    spans = [(each.first, each.last) for each in days.named(said.text, said.day)]
    first, last = said.first or said.last, said.last or said.first
    if first and last:
        spans.append((first, last))
    return " ".join(f"{first}/{last}" for first, last in spans)


def _near(span: str, today: date) -> str:
    """Return what changes when a span of days comes closer, begins or ends."""
    try:
        first, last = map(date.fromisoformat, span.split("/"))
    except ValueError:  # it was kept by another version, or blanked in part
        return today.isoformat()
    if last < today:
        return f"{span} over"
    return f"{span} {max(0, min((first - today).days, _CLOSE))}"


def _ground(question: str, said: Evidence, text: Text) -> Ground:
    path, _, place = said.source.partition("#")
    lines = _lines(path, text)
    number = _NUMBER.match(place)
    line = lines[int(number[1]) - 1 :][:1] if number else []
    return Ground(_piece(question, said), path, digest(line), _days(said))


def _piece(question: str, said: Evidence) -> str:
    path = said.source.partition("#")[0]
    name = path.rpartition("/")[2]  # it stays when hygiene moves a log to the archive
    return digest([question, name, str(said.superseded), said.text])


_NUMBER = re.compile(r"L([1-9][0-9]{0,8})")


def _stands(ground: Ground, text: Text) -> bool:
    return any(digest([line]) == ground.line for line in _lines(ground.path, text))


def _lines(path: str, text: Text) -> list[str]:
    return [line.strip() for line in split_lines(text(path) or "")]
