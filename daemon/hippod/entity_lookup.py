"""Who is who in a workspace at one moment, and what the pages that say so look like."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain

from hippod import markdown, pages
from hippod.errors import Conflict, HippodError, NotFound
from hippod.factbook import Factbook
from hippod.reflection import front_matter
from hippod.reflection.entities import Entities, Entity, Page, form, read_page, resolve
from hippod.reflection.known import KnownFact
from hippod.reflection.proposals import PROPOSALS
from hippod.workspace import FileStat, Workspace

EDITED, BROKEN, CONFLICTED = "edited region", "broken markers", "conflict marks"
_FOLDERS = ("bank", pages.ENTITIES.removesuffix("/"))
UNREADABLE, NAMELESS = "unreadable front matter", "no name with a letter or digit"


@dataclass(frozen=True, slots=True)
class Look:
    """What a page of the bank says and what is odd about it, as long as the file is the same."""

    stat: FileStat
    page: Page | None
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """The workspace at one moment: who is who, and the pages that say so, by path."""

    who: Entities
    looks: dict[str, Look]
    problems: dict[str, str]

    @property
    def pages(self) -> list[Page]:
        """The entity pages that say whom they are about."""
        return [look.page for look in self.looks.values() if look.page]

    def page_of(self, entity: Entity) -> Page | None:
        """Return what the page of an entity says; None if it has no page."""
        look = self.looks.get(entity.path or "")
        return look.page if look else None

    def second_page(self, entity: Entity, name: str) -> Page | None:
        """Return a page named `name` about an entity, beside the one that counts, if there is."""
        spelled = (each.path for each in self.who.spelled if each.entity == entity.name)
        paths = filter(None, (*self.who.doubled, *spelled))
        found = (look.page for path in paths if (look := self.looks.get(path)))
        return next((page for page in found if page and form(page.entity) == form(name)), None)

    def is_spelled(self, name: str, entity: Entity) -> bool:
        """Say whether only its spelling makes `name` one of an entity's."""
        return any(
            form(each.alias) == form(name) and each.entity == entity.name
            for each in self.who.spelled
        )

    def others_of(self, entity: Entity) -> tuple[str, ...]:
        """Return the names that its page says are somebody else's."""
        page = self.page_of(entity)
        return page.others if page else ()

    def names_of(self, entity: Entity) -> list[str]:
        """Return all names of an entity, its main name first."""
        page = self.page_of(entity)
        learned = (each.alias for each in self.who.learned if each.entity == entity.name)
        spelled = (each.alias for each in self.who.spelled if each.entity == entity.name)
        names = [entity.name, *(page.aliases if page else ()), *learned, *spelled]
        known = {form(name) for name in entity.keys}
        return [name for name in dict.fromkeys(names) if form(name) in known]

    def named(self, name: str) -> Entity:
        """Return the entity of that name; raises `NotFound`, or `Conflict` if several claim it."""
        entity = self.who.named(name)
        if entity is not None:
            return entity
        for each in self.who.ambiguous:
            if form(each.name) == form(name):
                raise Conflict(
                    f"{name} is an alias of several: {', '.join(each.entities)}",
                    "name one of them, or take the alias off the others: hippod entities split",
                )
        close = get_close_matches(name, [entity.name for entity in self.who.all], n=3)
        hint = f"did you mean {', '.join(close)}?" if close else "see: hippod entities"
        raise NotFound(f"no entity {name!r}", hint)


class Lookup:
    """Looks through logs and bank pages; reads again only what changed. Thread-safe.

    Who asks for pages alone never waits for those who read all logs.
    """

    def __init__(self, workspace: Workspace, factbook: Factbook | None = None) -> None:
        self._workspace = workspace
        self._factbook = factbook or Factbook(workspace)
        self._lock = threading.Lock()
        self._looks: dict[str, Look] = {}

    def look(self) -> Seen:
        """Return who is who by facts and pages."""
        book = self._factbook.read()
        looks, unread = self._look_at_pages()
        return _seen(book.evidence, looks, {**book.unread, **unread}, book.user)

    def look_at_pages(self) -> Seen:
        """Return who is who by pages alone, which costs less."""
        return _seen((), *self._look_at_pages())

    def _look_at_pages(self) -> tuple[dict[str, Look], dict[str, str]]:
        with self._lock:
            return self._looked_at()

    def _looked_at(self) -> tuple[dict[str, Look], dict[str, str]]:
        looks: dict[str, Look] = {}
        unread: dict[str, str] = {}
        paths = chain.from_iterable(map(self._workspace.names_in, _FOLDERS))
        for path in sorted(filter(_is_ours, paths)):
            try:
                look = self._look_at(path)
            except HippodError as error:
                unread[path] = error.message
                continue
            if look is not None:
                looks[path] = look
        self._looks = looks
        return looks, unread

    def _look_at(self, path: str) -> Look | None:
        known = self._looks.get(path)
        if known is not None and known.stat == self._workspace.stat(path):
            return known
        loaded = self._workspace.load(path)
        if loaded is None:
            return None
        page = read_page(path, loaded.text)
        nameless = [NAMELESS] if page is None and pages.is_entity_page(path) else []
        return Look(loaded.stat, page, (*nameless, *_flags(loaded.text)))


def _seen(
    known: Sequence[KnownFact], looks: dict[str, Look], problems: dict[str, str], user: str = ""
) -> Seen:
    found = [look.page for look in looks.values() if look.page]
    return Seen(resolve(known, found, user), looks, problems)


def _is_ours(path: str) -> bool:
    return pages.is_entity_page(path) or path in (*pages.FACT_PAGES, pages.OPINIONS, PROPOSALS)


def _flags(text: str) -> Iterator[str]:
    document = markdown.parse(text)
    if document.marks:
        yield CONFLICTED
        return
    if pages.has_broken_markers(document):
        yield BROKEN
    if front_matter.fault(text):
        yield UNREADABLE
    if any(region.edited for region in pages.regions(document)):
        yield EDITED
