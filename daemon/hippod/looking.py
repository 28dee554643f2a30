"""What memory holds about an item of the checklist: by recall, and by the days of its facts.

Never evidence are the checklist itself, what instructs agents, what hippod writes down as its own,
and what stands in a `<private>` span: an alert would carry it out of there.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property, lru_cache
from itertools import islice

from hippod import chunks, daylog, facts, tokens, wire
from hippod.checklist import dates, days, recurring, settled
from hippod.checklist.statements import MOST
from hippod.checklist.verdict import Evidence
from hippod.errors import HippodError, IndexUnavailable
from hippod.markdown import split_lines
from hippod.reflection.known import Book, KnownFact, repeated
from hippod.workspace import Loaded

NEVER = frozenset(
    f"{name}.md"
    for name in ("heartbeat", "agents", "claude", "gemini", "tools", "soul", "identity", "readme")
)
"""Names of files, in small letters, that are no evidence in whatever folder."""
_NEVER_OF_BANK = frozenset({"bank/proposals.md", "bank/forgotten.md"})
_HITS = 30
_SHOWN = 10
"""Hits that are asked for, and those of them that may count."""
_DATED_HITS = wire.MAX_LIMIT
_MOST_FACTS, _MOST_MET, _MOST_ASKED, _MOST_RELATED = 20_000, 5_000, 60, 200
"""Facts that are looked at for a question of time, those of them in its days, those that may
answer it, and others about the same things."""
_MOST_CLOSED = 10
"""Things that may be due of which notes are looked for that tell how they went."""
_SHARED = 2
"""Words that two facts have in common which speak of the same."""
_SOME_WORDS, _SOME_MEANING = 0.3, 0.35
"""Scores from which a hit has something to do with the question, as in recall."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where evidence comes from: recall, the facts, the documents, and which facts are replaced."""

    recall: Callable[[wire.RecallRequest], wire.RecallAnswer]
    book: Callable[[], Book]
    load: Callable[[str], Loaded | None]
    replaced: Callable[[Iterable[str]], Collection[str]]


@dataclass(frozen=True, slots=True)
class Found:
    """What memory holds about a question.

    `texts` are for reading, the best first; `statements` are single facts and lines, with the
    days that they speak of. `cut` says that there is more than is looked at: what was found then
    is there, but nothing is known to be fine.
    """

    texts: tuple[Evidence, ...] = ()
    statements: tuple[Evidence, ...] = ()
    cut: bool = False


class Looking:
    """Looks at the memory as it is during one beat; each document and fact is read once."""

    def __init__(self, sources: Sources, now: datetime) -> None:
        self._sources = sources
        self._now = now
        self._pages: dict[str, _Page | None] = {}
        self._unread: Mapping[str, str] = {}

    def find(self, question: str) -> Found:
        """Return what there is about a question.

        Raises `IndexUnavailable` if recall cannot answer, `StorageError` if the workspace is gone.
        """
        about = _terms(" ".join(dates.terms(question)) or question)
        hits = self._hits(question, _HITS)
        near = [hit for hit in hits if _is_relevant(hit, about)][:_SHOWN]
        texts = [each for hit in near for each in self._texts(hit, question)]
        statements = [each for hit in near for each in self._statements(hit)]
        span = dates.horizon(question, self._now)
        cut = False
        if span is not None:
            asked, cut = self._of_days(question, span)
            texts = [*asked[:_SHOWN], *texts]
            statements = [*asked, *self._about(asked), *self._closing(asked), *statements]
        distinct = _distinct(statements)
        return Found(_distinct(texts), distinct, cut or len(distinct) > MOST)

    @property
    def unread(self) -> list[str]:
        """Say which logs could not be read: what stands in their facts was not seen."""
        return [
            f"{path}: {why}: its facts were not looked at" for path, why in self._unread.items()
        ]

    def _hits(self, text: str, limit: int) -> list[wire.Hit]:
        answer = self._sources.recall(wire.RecallRequest(query=text, limit=limit))
        if answer.legs.get("lexical") == "failed":  # no hit would look like no evidence
            raise IndexUnavailable("the index cannot be searched now", "see: hippod status")
        return [hit for hit in answer.hits if self._may_count(hit)]

    def _may_count(self, hit: wire.Hit) -> bool:
        path = hit.path.casefold()
        if path.rpartition("/")[2] in NEVER or path in _NEVER_OF_BANK:
            return False
        page = self._page(hit.path)
        lines = range(hit.line_start, hit.line_end + 1)
        return page is not None and page.private.isdisjoint(lines)

    # -- for reading -------------------------------------------------------------------------

    def _texts(self, hit: wire.Hit, question: str) -> list[Evidence]:
        """Return a hit as it is; where hippod writes too, only what fits the question."""
        if hit.fact_id in self._derived:
            found = self._originals(hit)
        elif hit.kind == "document" and _is_shared(hit.path):
            found = list(self._pieces(hit))
        else:
            return [_whole(hit)]
        sought = _words(question)
        return [each for each in found if _shares(sought, _words(each.text))]

    # -- for the rules -----------------------------------------------------------------------

    def _statements(self, hit: wire.Hit) -> list[Evidence]:
        if hit.fact_id in self._derived:
            return [_dated(each) for each in self._originals(hit)]
        if hit.kind != "document":
            return [_dated(_whole(hit))]
        return [_dated(each) for each in self._pieces(hit)]

    def _originals(self, hit: wire.Hit) -> list[Evidence]:
        """Return the facts that a derived one repeats: recall may have found it in their place."""
        ids = [each.block for each in repeated(hit.content) if each.block in self._known]
        replaced = self._sources.replaced(ids)
        return [replace(_said(self._known[id_]), superseded=id_ in replaced) for id_ in ids]

    def _pieces(self, hit: wire.Hit) -> Iterator[Evidence]:
        page = self._page(hit.path)
        for line, text in page.pieces(hit) if page else ():
            yield _evidence(hit, f"{hit.path}#L{line}", text)

    def _of_days(self, question: str, span: tuple[date, date]) -> tuple[list[Evidence], bool]:
        """Return what may answer a question of time, seen alone, and whether there is more."""
        hits = self._hits(" ".join(dates.terms(question)) or question, _DATED_HITS)
        said = [each for hit in hits for each in self._statements(hit)]
        near = (each for each in self._facts if self._may_concern(question, each, span))
        dated = (each for each in (*said, *map(_dated, near)) if _meets(each, span))
        met = list(islice(dated, _MOST_MET + 1))
        sure, possible = self._judged(question, _distinct(met[:_MOST_MET]))
        all_read = len(self._facts) < _MOST_FACTS and len(met) <= _MOST_MET
        return [*sure, *possible][:_MOST_ASKED], len(sure) > _MOST_ASKED or not all_read

    def _may_concern(self, question: str, said: Evidence, span: tuple[date, date]) -> bool:
        """Say what is cheap to say before the days of a fact are read, which is not."""
        may_fall = days.may_fall_within(said.text, said.day, *span) or said.last is not None
        return may_fall and dates.concerns(question, said.text, self._now)

    def _judged(
        self, question: str, met: Iterable[Evidence]
    ) -> tuple[list[Evidence], list[Evidence]]:
        """Return what answers a question of time, seen alone, and what may answer it."""
        sure: list[Evidence] = []
        possible: list[Evidence] = []
        for each in met:
            verdict = dates.judge(question, [each], self._now)
            if verdict is None:
                possible.append(each)
            elif verdict.state == "attention":
                sure.append(each)
        return sure, possible

    def _about(self, asked: Sequence[Evidence]) -> list[Evidence]:
        """Return facts about the same things, the newest first: some may be done, or put off."""
        sought = [_words(each.text) for each in asked]
        every = frozenset().union(*sought)
        related = (
            each
            for each in self._facts
            if (common := every & _words(each.text)) and _may_tell(each, common, sought)
        )
        return list(islice(related, _MOST_RELATED))

    def _closing(self, asked: Sequence[Evidence]) -> Iterator[Evidence]:
        """Yield notes about the same things, which may tell that they are done or put off."""
        for each in asked[:_MOST_CLOSED]:
            about = " ".join(dates.terms(each.text))
            for hit in self._hits(about, _HITS) if about else ():
                for said in self._statements(hit):
                    if settled.is_settled(said.text) or settled.is_moved(said.text):
                        yield said

    @cached_property
    def _facts(self) -> list[Evidence]:
        """All facts, the newest first; of their days only what stands beside them is known."""
        known = self._book.evidence[: -_MOST_FACTS - 1 : -1]
        replaced = self._sources.replaced([each.id for each in known])
        return [replace(_said(each), superseded=each.id in replaced) for each in known]

    @cached_property
    def _derived(self) -> frozenset[str | None]:
        return frozenset(each.id for each in self._book.facts if each.is_derived)

    @cached_property
    def _known(self) -> dict[str, KnownFact]:
        return {each.id: each for each in self._book.evidence}

    @cached_property
    def _book(self) -> Book:
        book = self._sources.book()
        self._unread = book.unread
        return book

    def _page(self, path: str) -> "_Page | None":
        if path not in self._pages:
            self._pages[path] = self._loaded(path)
        return self._pages[path]

    def _loaded(self, path: str) -> "_Page | None":
        try:
            loaded = self._sources.load(path)
        except HippodError:  # what cannot be read now is no evidence now
            return None
        return _Page(path, loaded.text) if loaded else None


class _Page:
    """A document taken apart into what it says, line by line."""

    def __init__(self, path: str, text: str) -> None:
        self._lines = split_lines(text)
        self._is_log = daylog.day_of(path) is not None
        self._is_bank = path.startswith(_BANK)
        self.private = chunks.private_lines(self._lines)

    def pieces(self, hit: wire.Hit) -> Iterator[tuple[int, str]]:
        """Yield what stands on the lines of a hit: items, entries and paragraphs, with the line.

        Each has the heading above it in front. Facts and what hippod wrote itself are left out.
        """
        start, words = 0, list[str]()
        for number in range(hit.line_start, min(hit.line_end, len(self._lines)) + 1):
            line = self._lines[number - 1].strip()
            if line not in hit.content and number not in (hit.line_start, hit.line_end):
                line = ""  # a comment, say: those at the ends may only be cut
            if start and (not line or _BEGINS.match(line)):
                yield from self._piece(start, words)
                start, words = 0, []
            if line and not _HEADING.match(line):
                start, words = start or number, [*words, line]
        if start:
            yield from self._piece(start, words)

    def _piece(self, start: int, words: Sequence[str]) -> Iterator[tuple[int, str]]:
        own = daylog.ends_in_id(words[-1]) or (self._is_bank and _CITES.search(" ".join(words)))
        fact = self._is_log and facts.parse_bullet(words[0]) is not None
        if own or fact or not any(map(str.isalnum, "".join(words))):
            return
        text = _MARK.sub("", " ".join(words))
        heading = self._heading(start)
        yield start, f"{heading}: {text}" if heading else text

    def _heading(self, line: int) -> str:
        """Return the heading above a line; that of a log only says that it is one."""
        if self._is_log:
            return ""
        above = (_HEADING.match(self._lines[n - 1].strip()) for n in range(line, 0, -1))
        return next((match[1].strip() for match in above if match), "")


_HEADING = re.compile(r"#{1,6}[ \t]+(.*?)[ \t#]*$")
_BEGINS = re.compile(r"#{1,6}[ \t]|[-*+][ \t]|[0-9]{1,9}[.)][ \t]|\[[0-9]{2}:[0-9]{2}")
_MARK = re.compile(r"^(?:[-*+]|[0-9]{1,9}[.)])[ \t]+(?:\[ \][ \t]+)?")


_BANK = "bank/"
_CITES = re.compile(r"\[\[[0-9]{4}-[0-9]{2}-[0-9]{2}(?:#\^[0-9a-z]+)?\]\]")
"""A link to a fact: what has one on a page of the bank only says again what the fact says."""


def _may_tell(each: Evidence, common: frozenset[str], sought: Iterable[frozenset[str]]) -> bool:
    """Say whether a fact speaks of the same: of what is told as done one word may be all."""
    fewest = 1 if settled.is_settled(each.text) else _SHARED
    return any(len(common & words) >= fewest for words in sought)


def _is_shared(path: str) -> bool:
    return daylog.day_of(path) is not None or path.startswith(_BANK)


def _whole(hit: wire.Hit) -> Evidence:
    """Return a hit as evidence; a fact with whom it is about."""
    text = hit.content if hit.kind == "document" else _about(hit.entities, hit.content)
    return _evidence(hit, hit.source, text)


def _about(entities: Sequence[str], content: str) -> str:
    """Return the content of a fact, with the names that are not in it in front."""
    names = [facts.display_name(each) for each in entities]
    missing = [name for name in names if name.casefold() not in content.casefold()]
    return f"{', '.join(missing)}: {content}" if missing else content


def _evidence(hit: wire.Hit, source: str, text: str) -> Evidence:
    """Return a hit as evidence; only of facts and logs it is known on which day they were said."""
    is_said = hit.kind != "document" or daylog.day_of(hit.path) is not None
    return Evidence(
        source=source,
        text=text,
        day=_day(hit.timestamp) if is_said else None,
        first=_day(hit.valid_from),
        last=_day(hit.valid_until),
        superseded=hit.superseded_by is not None,
    )


@lru_cache(maxsize=32_768)
def _dated(said: Evidence) -> Evidence:
    """Fill in the days that something speaks of; all facts are asked for theirs at each beat."""
    return dates.dated(said)


def _said(fact: KnownFact) -> Evidence:
    first, last = facts.validity(fact.fact.content, fact.day)
    text = _about(fact.fact.entities, fact.fact.content)
    return Evidence(f"{fact.path}#L{fact.line}", text, fact.day, first, last)


def _day(stamp: str | None) -> date | None:
    return date.fromisoformat(stamp[:10]) if stamp else None


def _meets(each: Evidence, span: tuple[date, date]) -> bool:
    """Say whether something speaks of days in the span, or of some that come again."""
    if recurring.is_named(each.text):
        return True
    first, last = each.first or each.last, each.last or each.first
    if first is None or last is None:
        return False
    if first <= span[1] and last >= span[0]:
        return True
    years = range(span[0].year, span[1].year + 1)
    return first == last and any(span[0] <= _in_year(first, year) <= span[1] for year in years)


def _in_year(day: date, year: int) -> date:
    return day.replace(year=year, day=28 if (day.month, day.day) == (2, 29) else day.day)


def _is_relevant(hit: wire.Hit, about: Sequence[str]) -> bool:
    """Say whether a hit has something to do with the question.

    The score of its words depends on what else is in the memory: half of them is enough, too.
    """
    words, meaning = hit.bm25_score or 0.0, hit.vector_score or 0.0
    if words >= _SOME_WORDS or meaning >= _SOME_MEANING:
        return True
    said = _words(" ".join((*hit.entities, hit.content)))
    shared = sum(_shares(term.split("|"), said) for term in about)
    return 0 < len(about) <= 2 * shared


def _distinct(found: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Return each place once."""
    return tuple({(each.source, each.text): each for each in found}.values())


def _terms(text: str) -> list[str]:
    """Return the words of a text, each with its other spellings."""
    return [term for term in tokens.terms(text) if " " not in term]


@lru_cache(maxsize=32_768)
def _words(text: str) -> frozenset[str]:
    return frozenset(word for term in _terms(text) for word in term.split("|"))


_STEM = 4
"""Letters from which on a word may be the beginning of another form of it."""


def _shares(sought: Collection[str], words: Collection[str]) -> bool:
    return any(
        one == other
        or (min(len(one), len(other)) >= _STEM and (one.startswith(other) or other.startswith(one)))
        for one in sought
        for other in words
    )
