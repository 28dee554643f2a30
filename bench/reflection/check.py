"""Whether pages say only what their linked facts say: an own check, from outside.

It shares no code with what writes the pages: links and sentences are read by the patterns below,
and a sentence is supported if each of its words stands in a fact that it links to.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import takewhile
from typing import Literal

from hippod.facts import Fact

Fault = Literal["no link", "broken link", "word", "number", "name", "day"]

_LINK = re.compile(r"\[\[(\d{4}-\d\d-\d\d)(?:#\^([0-9a-z]+))?\]\]")
_ANY_LINK = re.compile(r"!?\[\[[^\[\]]*\]\]")
_DAY = re.compile(r"(\d{4}-\d\d-\d\d):? ")
_WORD = re.compile(r"[^\W_]+(?:[.,:/'’&-][^\W_]+)*")
_ENTITY = re.compile(r"@[^\s:]+")
_PART = re.compile(r"((?:(?!\[\[).)+)((?:\[\[[^\[\]]*\]\]\s*)*)")
_QUOTED = re.compile(r"(\[\[(\d{4}-\d\d-\d\d)\]\]) \"(.*)\"$")
"""How a fact without id is linked to where its day is not enough."""
_MARK = re.compile(r"superseded by")
_FIELD = re.compile(
    r"- (id|prior|c|entities|updated|supports|contradicts|related|pending|contested):"
)
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.S)
_GLUE = frozenset(
    {"and", "also", "since", "until", "on", "in", "as", "of", "the", "a", "an", "was", "is"}
)
"""Words that join facts without saying anything."""

Facts = Mapping[tuple[date, str], Sequence[Fact]]
"""By day and block id; the facts of a day that have none stand under ""."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A line of a page that says something, with the links behind it.

    One that `quotes` a fact without id, which is part of a link, has the day of the fact. `names`
    are those of an opinion's entities, which its heading may begin with.
    """

    path: str
    line: int
    text: str
    links: tuple[tuple[date, str], ...]
    quotes: date | None = None
    names: str = ""


@dataclass(frozen=True, slots=True)
class Wrong:
    """What is wrong with a sentence, and the word or link it is about."""

    sentence: Sentence
    fault: Fault
    what: str


def sentences(path: str, text: str) -> Iterator[Sentence]:
    """Yield what a bank page says: not its front matter, headings, markers and ledger fields.

    The heading of an opinion is a sentence; its links are those of its first support. Proposals
    are no page of facts: a person is to look at them.
    """
    if path.endswith("proposals.md"):
        return
    body = _FRONT.sub(lambda match: "\n" * match[0].count("\n"), text)
    lines = body.splitlines()
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if path.endswith("opinions.md") and stripped.startswith("## "):
            yield _opinion(path, number, stripped[3:], lines[number:])
        elif stripped and not stripped.startswith(("#", "<!--")) and not _FIELD.match(stripped):
            yield from parts(path, number, stripped)


def parts(path: str, number: int, line: str) -> Iterator[Sentence]:
    """Yield the sentences of a line: each ends in its links, unless there are none at all."""
    quoted = _QUOTED.search(line)
    if quoted:
        yield Sentence(path, number, quoted[3], (), date.fromisoformat(quoted[2]))
        line = line[: quoted.start()] + quoted[1]
    for text, links in _PART.findall(line):
        if _WORD.search(_said(text)):
            yield Sentence(path, number, text.strip(), _links(links))


def wrong(found: Iterable[Sentence], facts: Facts, names: Mapping[str, str]) -> Iterator[Wrong]:
    """Yield every fault of some sentences; `names` are what pages call their entity, by path."""
    for sentence in found:
        yield from _wrong(sentence, facts, names.get(sentence.path, ""))


def broken(path: str, text: str, facts: Facts) -> Iterator[str]:
    """Yield the links of a page, ledger fields too, that lead to no fact."""
    for match in _ANY_LINK.finditer(text):
        link = _LINK.fullmatch(match[0])
        if link is None or not facts.get((date.fromisoformat(link[1]), link[2] or "")):
            yield f"{path}: {match[0]}"


def _wrong(sentence: Sentence, facts: Facts, name: str) -> Iterator[Wrong]:
    if sentence.quotes is not None:
        of_day = facts.get((sentence.quotes, ""), ())
        if sentence.text not in [fact.content for fact in of_day]:
            yield Wrong(sentence, "broken link", f"{sentence.quotes}: {sentence.text}")
        return
    if not sentence.links:
        yield Wrong(sentence, "no link", "")
        return
    linked = [(day, fact) for day, block in sentence.links for fact in facts.get((day, block), ())]
    if not linked:
        yield Wrong(sentence, "broken link", str(sentence.links))
        return
    said = unicodedata.normalize("NFC", _said(sentence.text))
    day = _DAY.match(said)
    if day and date.fromisoformat(day[1]) not in {each for each, _ in linked}:
        yield Wrong(sentence, "day", day[1])
    known = _known(linked, f"{name} {sentence.names}")
    for word in _WORD.findall(said[day.end() :] if day else said):
        if _folded(word) not in known:
            yield Wrong(sentence, _sort(word), word)


def _said(text: str) -> str:
    """Return a sentence without links, marks and the mark of a list."""
    bare = _MARK.sub("", _ANY_LINK.sub("", text)).replace("~~", "")
    return re.sub(r"^(?:[-*+]|\d+\.) ", "", bare.strip()).strip()


def _known(linked: Sequence[tuple[date, Fact]], name: str) -> set[str]:
    words = set(_GLUE) | set(_words(name))
    for day, fact in linked:
        words.update(_words(fact.content), [day.isoformat()])
        for entity in fact.entities:
            words.update(_words(entity), _words(entity.replace("-", " ")))
    return words


def _words(text: str) -> Iterator[str]:
    for word in _WORD.findall(unicodedata.normalize("NFC", text)):
        yield _folded(word)
        yield from map(_folded, re.findall(r"[^\W_]+", word))


def _folded(word: str) -> str:
    return unicodedata.normalize("NFC", word).casefold()


def _sort(word: str) -> Fault:
    if any(ch.isdigit() for ch in word):
        return "number"
    return "name" if word[0].isupper() else "word"


def _links(text: str) -> tuple[tuple[date, str], ...]:
    return tuple((date.fromisoformat(day), block or "") for day, block in _LINK.findall(text))


def _opinion(path: str, number: int, statement: str, lines: Sequence[str]) -> Sentence:
    """Return the heading of an opinion with what its section links to first."""
    section = list(takewhile(lambda line: not line.startswith("## "), lines))
    founded = next((line for line in section if line.startswith("- supports:")), "")
    names = next((line for line in section if line.startswith("- entities:")), "")
    return Sentence(path, number, statement, _links(founded), names=names.replace("-", " "))
