"""What people decide about entities, as plans of edits: merge, split, rename, adopt.

Decisions stand in the front matter of entity pages. Facts in daily logs are never rewritten.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from hippod import edits, facts, markdown, pages
from hippod.entity_lookup import Seen
from hippod.errors import Conflict, InvalidInput, NotFound
from hippod.plans import Delete, Move, PageEdit
from hippod.reflection import front_matter, page_names, regions
from hippod.reflection.entities import Entity, Page, form, page_path, read_page, slug
from hippod.reflection.slugs import on_disk
from hippod.wire_bank import AdoptAction, EntityAction, MergeAction, RenameAction, SplitAction
from hippod.workspace import Document, Workspace

Step = PageEdit | Move | Delete
_FACT_PAGES = {path.rpartition("/")[2].removesuffix(".md"): path for path in pages.FACT_PAGES}


@dataclass(frozen=True, slots=True)
class Plan:
    """What a command is about to do; `gone` is a page that links will not find any more."""

    entity: str
    steps: tuple[Step, ...] = ()
    note: str = ""
    gone: str = ""


class Decisions:
    """Plans what a person decided, by what was seen of a workspace; writes nothing.

    A step that broke off is done by the same decision made again. Raises `NotFound`,
    `InvalidInput`, and `Conflict` where pages say otherwise or cannot be edited safely.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def plan(self, seen: Seen, name: str, request: EntityAction) -> Plan:
        """Return the edits by which pages say what `request` decides about the entity `name`."""
        plan = self._planned(seen, name, request)
        for edit in plan.steps:
            self._workspace.refuse_excluded(edit.to if isinstance(edit, Move) else edit.path)
        return plan

    def _planned(self, seen: Seen, name: str, request: EntityAction) -> Plan:
        match request:
            case MergeAction():
                return self._merge(seen, name, request.into)
            case SplitAction():
                return self._split(seen, seen.named(name), _as_name(request.alias))
            case RenameAction():
                return self._rename(seen, seen.named(name), _as_name(request.new))
            case AdoptAction():
                return self._adopt(seen, name)

    # -- merge -------------------------------------------------------------------------------

    def _merge(self, seen: Seen, name: str, into: str) -> Plan:
        whose, other = seen.named(into), seen.named(name)
        second = seen.second_page(other, name)
        if other is whose and second is not None:
            about = (second.entity, *second.aliases)
            new = [each for each in about if form(each) != form(whose.name)]
            return self._joined(whose, second, about, new)
        if form(name) == form(into):
            return Plan(whose.name, note=f"{name} and {into} are one name: nothing to do")
        if other is whose:
            return self._confirm(seen, whose, name)
        if seen.is_spelled(name, other):
            return self._given(seen, name, whose, second)
        _check_merge(seen, other, whose)
        names = [each for each in seen.names_of(other) if not seen.is_spelled(each, other)]
        page, reason = seen.page_of(other), f"{other.name} is {whose.name}"
        if page is None:
            return Plan(whose.name, (self._page_with(whose, names, (), reason),))
        if whose.path is None:
            return self._moved(page.path, whose.name, names, reason)
        return self._joined(whose, page, names, names)

    def _given(self, seen: Seen, name: str, whose: Entity, page: Page | None) -> Plan:
        """Plan that a name is this one's, which only its spelling gave to another."""
        if form(name) in map(form, seen.others_of(whose)):
            raise _denied(whose, name)
        if page is not None:
            names = (page.entity, *page.aliases)
            return self._joined(whose, page, names, names)
        reason = f"{name} is {whose.name}"
        return Plan(whose.name, (self._page_with(whose, [_as_name(name)], (), reason),))

    def _joined(self, whose: Entity, page: Page, names: Sequence[str], new: Sequence[str]) -> Plan:
        """Plan that the page of an entity says what `page` says, and that this one goes.

        `names` are those that `page` is about, `new` those to be written down.
        """
        gone = self._read(page.path)
        reason = f"{page.entity} is {whose.name}"
        edit = self._page_with(whose, new, page.others, reason)
        delete = Delete(gone.path, gone.etag, gone.text, reason)
        kept = _edited(gone.path, lambda: page_names.own_text(gone.text, names))
        if kept:
            title = f"From {facts.display_name(page.entity)}"
            after = _edited(edit.path, lambda: page_names.with_section(edit.after, title, kept))
            return Plan(whose.name, (replace(edit, after=after), delete), gone=gone.path)
        return Plan(whose.name, (edit, delete), gone=gone.path)

    def _confirm(self, seen: Seen, whose: Entity, name: str) -> Plan:
        """Write down an alias that facts alone gave until now."""
        page = seen.page_of(whose)
        if form(name) == form(whose.name):
            return Plan(whose.name, note="they are one already: rename changes the main name")
        reason = f"{name} is {whose.name}"
        if page and form(name) in map(form, page.aliases):
            done = f"{reason} already: nothing to do"
            broke_off = on_disk(page.path) == on_disk(f"{pages.ENTITIES}{slug(_as_name(name))}.md")
            return self._in_place(whose, reason, done) if broke_off else Plan(whose.name, note=done)
        return Plan(whose.name, (self._page_with(whose, [_as_name(name)], (), reason),))

    def _page_with(
        self, entity: Entity, aliases: Iterable[str], others: Iterable[str], reason: str
    ) -> PageEdit:
        """Plan a page, new or not, with further names."""
        names, apart = list(aliases), list(others)
        if entity.path is None:
            return self._new_page(entity.name, names, apart, reason)
        page = self._read(entity.path)
        after = _edited(page.path, lambda: page_names.with_names(page.text, names, apart))
        _check_says(page.path, after, names, apart)
        return PageEdit(page.path, page.etag, page.text, after, reason)

    # -- split, rename, adopt ----------------------------------------------------------------

    def _split(self, seen: Seen, entity: Entity, alias: str) -> Plan:
        if form(alias) == form(entity.name):
            raise InvalidInput(
                f"{alias} is the name of the entity itself", "rename it, or split another name off"
            )
        _check_known(seen, entity, alias)
        page = seen.page_of(entity)
        reason = f"{alias} is not {entity.name}"
        if page is None:
            return Plan(entity.name, (self._new_page(entity.name, [], [alias], reason),))
        document = self._read(page.path)
        after = _edited(page.path, lambda: page_names.without_alias(document.text, alias))
        if after == document.text:
            return Plan(entity.name, note=f"{page.path} says so already: nothing to do")
        _check_says(page.path, after, (), [alias])
        edit = PageEdit(page.path, document.etag, document.text, after, reason)
        known = form(alias) in map(form, (*entity.keys, *page.aliases))
        return Plan(entity.name, (edit,), "" if known else f"{alias} was no alias of it")

    def _rename(self, seen: Seen, entity: Entity, new: str) -> Plan:
        if new == entity.name:
            done = "it has that name already: nothing to do"
            return self._in_place(entity, f"its page is named {new}", done)
        _check_free(seen, entity, new)
        _check_claims(seen, entity)
        aliases = [] if form(new) == form(entity.name) else [entity.name]
        reason = f"{entity.name} goes by {new}"
        if entity.path is None:
            return Plan(new, (self._new_page(new, aliases, [], reason),))
        return self._moved(entity.path, new, aliases, reason, was=entity.name)

    def _in_place(self, entity: Entity, reason: str, done: str) -> Plan:
        """Plan that a page gets the file name of its entity, as a move that broke off left it."""
        path = entity.path
        to = self._free_path(entity.name, path) if path else ""
        if path is None or on_disk(to) == on_disk(path):
            return Plan(entity.name, note=done)
        return Plan(entity.name, (Move(path, self._read(path).etag, to, reason),), gone=path)

    def _moved(
        self, path: str, name: str, aliases: Sequence[str], reason: str, *, was: str = ""
    ) -> Plan:
        """Plan that the page at `path` is about `name`, and gets its file name.

        Its heading says the new name too if it only said the name that it `was` called by.
        """
        page = self._read(path)
        titled = page_names.retitled(page.text, was, name) if was else page.text
        after = _edited(path, lambda: page_names.renamed(titled, name, aliases))
        _check_says(path, after, aliases, ())
        edit = PageEdit(path, page.etag, page.text, after, reason)
        to = self._free_path(name, path)
        if on_disk(to) == on_disk(path):
            return Plan(name, (edit,))
        etag = edits.digest(edits.keep_mark(self._workspace.raw(path) or b"", after.encode()))
        return Plan(name, (edit, Move(path, etag, to, reason)), gone=path)

    def _adopt(self, seen: Seen, name: str) -> Plan:
        path, shown = self._adopted(seen, name)
        page = self._read(path)
        after = page_names.handed_back(page.text)
        if after == page.text:
            return Plan(shown, note=f"{path}: no region was edited: nothing to do")
        reason = "its regions are hippod's again"
        return Plan(shown, (PageEdit(path, page.etag, page.text, after, reason),))

    def _adopted(self, seen: Seen, name: str) -> tuple[str, str]:
        """Return the page that is meant, and how to call it: an entity's or one of facts."""
        entity = seen.who.named(name)
        if entity and entity.path:
            return entity.path, entity.name
        page = _FACT_PAGES.get(name.casefold().removeprefix("bank/").removesuffix(".md"))
        if page and page in seen.looks:
            return page, name
        raise NotFound(f"{name} has no page", "see: hippod entities")

    # -- pages -------------------------------------------------------------------------------

    def _read(self, path: str) -> Document:
        page = self._workspace.read(path)
        _check_editable(page)
        return page

    def _new_page(
        self, name: str, aliases: Sequence[str], others: Sequence[str], reason: str
    ) -> PageEdit:
        path = self._free_path(name)
        text = page_names.new_page(name, aliases, others)
        _check_says(path, text, aliases, others)
        return PageEdit(path, "", "", text, reason)

    def _free_path(self, name: str, own: str = "") -> str:
        """Return the path for the page of `name`, which nobody but itself has."""
        taken = [path for path in self._workspace.scan().files if path != own]
        return page_path(name, [path for path in taken if pages.is_entity_page(path)])


# -- checks ----------------------------------------------------------------------------------------


def _check_editable(page: Document) -> None:
    """Raise `Conflict` if a page is to be left alone."""
    problem = page.note or regions.fault(page.text, markdown.parse(page.text))
    problem = problem or front_matter.fault(page.text)
    if problem:
        raise Conflict(f"{page.path}: {problem}", "put it right by hand, then repeat the command")


def _check_says(path: str, text: str, aliases: Iterable[str], others: Iterable[str]) -> None:
    """Raise `Conflict` if a page would not be read as it is meant."""
    page = read_page(path, text)
    names = set(map(form, (page.entity, *page.aliases))) if page else set()
    apart = set(map(form, page.others)) if page else set()
    if not names >= set(map(form, aliases)) or not apart >= set(map(form, others)):
        most = pages.MOST_NAMES
        raise Conflict(
            f"{path}: more than {most} names, or one that is hidden or too long", "edit it by hand"
        )


def _edited(path: str, edit: Callable[[], str]) -> str:
    """Return what a pure edit returns; its refusals name the page."""
    try:
        return edit()
    except InvalidInput as error:
        raise Conflict(f"{path}: {error.message}", error.hint) from None


def _check_known(seen: Seen, entity: Entity, alias: str) -> None:
    """Raise `NotFound` for a name that neither facts nor pages have: there is nothing to split."""
    page = seen.page_of(entity)
    own = (*entity.keys, *page.aliases, *page.others) if page else entity.keys
    unclear = (each.name for each in seen.who.ambiguous)
    if form(alias) not in map(form, (*own, *unclear)) and seen.who.named(alias) is None:
        raise NotFound(
            f"{entity.name} has no alias {alias}", f"see its names: hippod entity {entity.name}"
        )


def _check_merge(seen: Seen, other: Entity, whose: Entity) -> None:
    """Raise `Conflict` where a page says that two entities are not one, or whose a name is."""
    for one, another in ((other, whose), (whose, other)):
        theirs = {form(name) for name in another.keys}
        apart = next((name for name in seen.others_of(one) if form(name) in theirs), None)
        if apart:
            raise _denied(one, apart)
    _check_claims(seen, other, whose.path)


def _check_claims(seen: Seen, entity: Entity, but: str | None = None) -> None:
    """Raise `Conflict` if another's page, `but` for one, has a name of an entity as an alias.

    As an alias of two it would be nobody's.
    """
    names = {form(name) for name in entity.keys}
    for page in seen.pages:
        claimed = next((name for name in page.aliases if form(name) in names), None)
        if claimed and page.path != but and form(page.entity) not in names:
            raise Conflict(
                f"{page.path} has {claimed} as an alias too", f"split it from {page.entity} first"
            )


def _check_free(seen: Seen, entity: Entity, new: str) -> None:
    """Raise `Conflict` if a new name is somebody else's."""
    holder = seen.who.named(new)
    if holder is not None and holder is not entity:
        raise Conflict(
            f"{new} is another entity",
            f"merge them: hippod entities merge {entity.name} {holder.name}",
        )
    unclear = next((each for each in seen.who.ambiguous if form(each.name) == form(new)), None)
    if unclear and holder is None:
        raise Conflict(
            f"{new} is an alias of several: {', '.join(unclear.entities)}",
            "take it off the others first: hippod entities split",
        )
    if form(new) in map(form, seen.others_of(entity)):
        raise _denied(entity, new)


def _denied(entity: Entity, name: str) -> Conflict:
    return Conflict(
        f"{entity.path} says under `not` that {name} is somebody else",
        "take it out of there first if that is wrong",
    )


def _as_name(text: str) -> str:
    name = facts.entity_name(text.strip().removeprefix("@"))
    if not name:
        raise InvalidInput(f"{text!r} is no name", "it needs a letter or digit")
    return name
