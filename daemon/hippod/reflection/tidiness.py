"""What there is to tidy: old daily logs, facts that are said twice, documents to look at again."""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final
from urllib.parse import unquote

from hippod import daylog, facts
from hippod.extraction import repetition
from hippod.language import content_stems, guess
from hippod.questions import key
from hippod.reflection import twins
from hippod.reflection.known import KnownFact

ROOT_FILES: Final = frozenset(
    {"agents.md", "soul.md", "user.md", "identity.md", "memory.md", "heartbeat.md", "readme.md"}
    | {"tools.md", "bootstrap.md"}
)
"""Documents at the root that instruct agents, in lower case: they are for ever."""
_KEPT_FOLDERS = ("bank", "archive")
_SHOWN_LINKS = 3
_SHARED = 0.65
"""Share of their words that two facts which say the same have in common at least."""


def is_free(path: str) -> bool:
    """Say whether a document is an ordinary one, in nobody's format and not for ever."""
    folder, _, rest = path.partition("/")
    if not rest:
        return path.casefold() not in ROOT_FILES
    return folder not in _KEPT_FOLDERS and daylog.day_of(path) is None


def is_named_copy(path: str) -> bool:
    """Say whether a document is named as copies are: `plan copy.md`, `plan (1).md`, `plan 2.md`."""
    return _COPY.search(path.removesuffix(".md")) is not None


_COPY = re.compile(r"(?:[ _-]copy(?:[ _-]?[0-9]+)?| \([0-9]+\)| [0-9]+)$", re.IGNORECASE)


def item_id(kind: str, *parts: str) -> str:
    """Return the id of a proposal: the same as long as all that it is about is the same."""
    return hashlib.sha256("\0".join([kind, *parts]).encode(errors="replace")).hexdigest()[:10]


# -- daily logs ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OldLog:
    """A daily log that is to be moved from `path` to `to`."""

    path: str
    to: str
    day: date


def old_logs(paths: Iterable[str], most: int, today: date) -> list[OldLog]:
    """Return the oldest daily logs beyond `most`, never those of yesterday or later."""
    days = ((daylog.day_of(path), path) for path in paths if not path.startswith("archive/"))
    logs = sorted((day, path) for day, path in days if day is not None)
    beyond = logs[: max(0, len(logs) - most)]
    return [
        OldLog(path, daylog.archive_path(day), day)
        for day, path in beyond
        if day < today - timedelta(days=1)
    ]


# -- facts -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Repeat:
    """A fact that says again what an earlier one says."""

    first: KnownFact
    again: KnownFact


def repeats(known: Sequence[KnownFact], superseded: Collection[str] = ()) -> list[Repeat]:
    """Return the facts, given oldest first, that say what an earlier one of the same says.

    An experience on another day is another one, and an opinion said again is evidence once
    more. What was `superseded` in between is no repeat but news.
    """
    groups: defaultdict[tuple[object, ...], list[KnownFact]] = defaultdict(list)
    for each in known:
        if each.id not in superseded:
            groups[_about(each)].append(each)
    found = [repeat for group in groups.values() for repeat in _repeats_in(group)]
    return sorted(found, key=lambda repeat: (repeat.again.said, repeat.again.line))


def _about(each: KnownFact) -> tuple[object, ...]:
    fact = each.fact
    day = each.day if fact.kind in "BO" else None
    held = facts.validity(fact.content)
    return fact.kind, frozenset(map(key, fact.entities)), day, held


def _repeats_in(group: Sequence[KnownFact]) -> Iterator[Repeat]:
    """Compare only those that share one of the rarest of their words: all others differ."""
    if len(group) < 2:
        return
    stated = [_stated(each) for each in group]
    common = Counter(stem for each in stated for stem in each.stems)
    by_stem: defaultdict[str, list[_Stated]] = defaultdict(list)
    for each in stated:
        rarest = sorted(each.stems, key=lambda stem: (common[stem], stem))
        rarest = rarest[: int(len(rarest) * (1 - _SHARED)) + 1]
        near = {other.known.id: other for stem in rarest for other in by_stem[stem]}
        first = next((other for other in near.values() if _say_the_same(other, each)), None)
        if first is not None:
            yield Repeat(first.known, each.known)
            continue
        for stem in rarest:
            by_stem[stem].append(each)


@dataclass(frozen=True, slots=True)
class _Stated:
    known: KnownFact
    language: str
    stems: frozenset[str]


def _stated(each: KnownFact) -> _Stated:
    content = each.fact.content
    language = guess(content)
    return _Stated(each, language, frozenset(content_stems(content, language)))


def _say_the_same(one: _Stated, other: _Stated) -> bool:
    most = max(len(one.stems), len(other.stems))
    if len(one.stems & other.stems) < _SHARED * most:
        return False
    first, second, language = one.known.fact.content, other.known.fact.content, other.language
    if not _is_worded_alike(first, second):
        return False
    return repetition.is_repeated(second, first, language) and repetition.is_repeated(
        first, second, language
    )


def _is_worded_alike(one: str, other: str) -> bool:
    """Say whether one has all words of the other in the same order, and maybe more of them.

    "Works there" and "worked there", "A over B" and "B over A" are two facts each.
    """
    shorter, longer = sorted((twins.words(one), twins.words(other)), key=len)
    rest = iter(longer)
    return all(word in rest for word in shorter)


# -- documents to look at again --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Outline:
    """What a document names: the days, ascending, and the targets of its links as written."""

    days: tuple[date, ...]
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stale:
    """A document that nobody changed for `age` days, and why to look at it."""

    path: str
    age: int
    reasons: tuple[str, ...]


def outline(text: str) -> Outline:
    """Read what a document names, code left out."""
    prose = _FENCED.sub("", text)
    days = {day for match in _DAY.findall(prose) if (day := _day(match)) is not None}
    wiki = (match.strip() for match in _WIKI_LINK.findall(prose))
    paths = (unquote(match) for match in _PATH_LINK.findall(prose) if not _ELSEWHERE.match(match))
    links = dict.fromkeys(link for link in (*wiki, *paths) if _may_be_document(link))
    return Outline(tuple(sorted(days)), tuple(links))


class Links:
    """Where the links of documents lead, as editors resolve them: by path, or by name alone."""

    def __init__(self, outlines: Mapping[str, Outline]) -> None:
        self._by_path = {_bare(path): path for path in outlines}
        self._by_name = {_name(path): path for path in sorted(outlines, reverse=True)}
        self.counts: Counter[str] = Counter()
        """How many documents link to each."""
        self.gone: dict[str, tuple[str, ...]] = {}
        """The links that lead nowhere, by document."""
        for path, each in outlines.items():
            targets = {link: self._target(link, path) for link in each.links}
            self.counts.update({to for to in targets.values() if to not in (None, path)})
            lost = tuple(link for link, to in targets.items() if to is None)
            if lost:
                self.gone[path] = lost

    def _target(self, link: str, path: str) -> str | None:
        folder = path.rpartition("/")[0]
        places = (_bare(link.lstrip("/")), _bare(_joined(folder, link)))
        found = next((self._by_path[place] for place in places if place in self._by_path), None)
        return found or self._by_name.get(_name(link))


def stale(
    changed: Mapping[str, date],
    outlines: Mapping[str, Outline],
    links: Links,
    *,
    today: date,
    most_days: int,
) -> list[Stale]:
    """Return the documents to look at again, the oldest first.

    A document is as old as its last change and as the last day that it names; one that names a
    day to come is not old.
    """
    found = []
    for path, day in changed.items():
        days = outlines[path].days
        age = (today - max([day, *days[-1:]])).days
        if age > most_days:
            reasons = tuple(_reasons(path, (today - day).days, days, links))
            found.append(Stale(path, age, reasons))
    return sorted(found, key=lambda each: (-each.age, each.path))


def _reasons(path: str, unchanged: int, days: Sequence[date], links: Links) -> Iterator[str]:
    yield f"not changed for {unchanged} days"
    if days:
        yield f"its last date {days[-1].isoformat()} is past"
    gone = links.gone.get(path, ())
    if gone:
        more = f" and {len(gone) - _SHOWN_LINKS} more" if len(gone) > _SHOWN_LINKS else ""
        yield f"links to documents that are not there: {', '.join(gone[:_SHOWN_LINKS])}{more}"
    if not links.counts[path]:
        yield "nothing links to it"


_FENCED = re.compile(r"^ {0,3}(```|~~~).*?^ {0,3}\1", re.MULTILINE | re.DOTALL)
_DAY = re.compile(r"(?<![\w-])((?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2})(?![\w-])")
_WIKI_LINK = re.compile(r"\[\[([^\[\]|#\n]{1,300})(?:[|#][^\[\]\n]{0,300})?\]\]")
_PATH_LINK = re.compile(r"\]\(<?([^()<>\s#?]{1,500})(?:[#?][^()\s]{0,300})?>?(?: \"[^\"\n]*\")?\)")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|mailto", re.IGNORECASE)
_OTHER_FILE = re.compile(r"\.(?!md$)[a-z][a-z0-9]{1,4}$", re.IGNORECASE)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _may_be_document(link: str) -> bool:
    """Leave out pictures and the like, folders, and days, whose log may never be written."""
    name = link.rpartition("/")[2].removesuffix(".md")
    return bool(name) and _OTHER_FILE.search(link) is None and _day(name) is None


def _bare(path: str) -> str:
    return path.removesuffix(".md").casefold()


def _name(path: str) -> str:
    return _bare(path.rpartition("/")[2]).replace(" ", "-")


def _joined(folder: str, link: str) -> str:
    parts = folder.split("/") if folder else []
    for part in link.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
