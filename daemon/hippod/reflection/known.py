"""Facts as reflection sees them: where each stands, and how a page links to it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from hippod import facts
from hippod.facts import Fact

DERIVED: Final = "reflect"
"""Source name of facts that hippod derived from others: they are never evidence."""


_LINK = re.compile(r"\[\[([0-9]{4}-[0-9]{2}-[0-9]{2})(?:#\^([0-9a-z]{4,52}))?\]\]")


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A fact of a daily log; `line` and `line_end` count from 1.

    `id` is the `^id` of its line, or the internal id of one that a person wrote.
    """

    id: str
    day: date
    fact: Fact
    path: str
    line: int
    line_end: int

    @property
    def has_block(self) -> bool:
        """Whether its line ends in an id that a link can point to."""
        return self.fact.id is not None

    @property
    def is_derived(self) -> bool:
        """Whether hippod derived it from other facts."""
        return self.fact.source is not None and self.fact.source.name == DERIVED

    @property
    def link(self) -> str:
        """The link to it: to its block, or to the day of one that a person wrote."""
        block = f"#^{self.id}" if self.has_block else ""
        return f"[[{self.day.isoformat()}{block}]]"

    @property
    def said(self) -> str:
        """The time that it was said, for putting facts in order: day, then clock, then place."""
        clock = (self.fact.source.time if self.fact.source else None) or ""
        return f"{self.day.isoformat()} {clock}"


@dataclass(frozen=True, slots=True)
class Book:
    """The facts of all daily logs, oldest first; of several with one id the first.

    `unread` are logs that could not be read now, with the reason: pages that cite their days
    are left as they are. `user` is what the user is called now, empty while nobody said so.
    """

    facts: tuple[KnownFact, ...]
    unread: Mapping[str, str]
    user: str = ""

    @property
    def evidence(self) -> tuple[KnownFact, ...]:
        """The facts that count: those that hippod did not derive itself."""
        return tuple(each for each in self.facts if not each.is_derived)


@dataclass(frozen=True, slots=True)
class Repeated:
    """A fact that a derived one says again, and where; `block` is empty if a person wrote it."""

    content: str
    link: str
    day: str
    block: str


def repeated(content: str) -> Iterator[Repeated]:
    """Yield what the content of a derived fact repeats, in order."""
    end = 0
    for match in _LINK.finditer(content):
        yield Repeated(content[end : match.start()].strip(), match[0], match[1], match[2] or "")
        end = match.end()


def known(day: date, fact: Fact, path: str, line: int, line_end: int) -> KnownFact:
    """Return a fact of the log at `path` with the id that the index has for it too."""
    id_ = fact.id or facts.content_id(day, fact.content)
    return KnownFact(id_, day, fact, path, line, line_end)
