"""The opinions of the ledger for people: which there are, what each rests on, and recomputing."""

from collections.abc import Callable, Iterable

from hippod import diffs, facts, markdown, opinion_view, pagebook, pages, wire, wire_bank
from hippod.errors import Conflict, InvalidInput, NotFound
from hippod.factbook import Factbook
from hippod.opinion_view import Place
from hippod.reflection import entities, ledger
from hippod.reflection.entities import Entities, form
from hippod.workspace import Document, Workspace


class Opinions:
    """Reads `bank/opinions.md` as it stands at each call. Thread-safe.

    `changed` hears of what was written.
    """

    def __init__(self, workspace: Workspace, factbook: Factbook | None = None) -> None:
        self.changed: Callable[[str], None] = lambda path: None
        self._workspace = workspace
        self._factbook = factbook or Factbook(workspace)

    def all(self, entity: str | None = None) -> wire_bank.OpinionList:
        """List the opinions, or those about an entity, or whose id begins so.

        Raises `NotFound` if nobody knows that.
        """
        text = self._text()
        found = pages.opinions(markdown.parse(text))
        if entity is not None:
            found = self._about(entity, found)
        rows = tuple(map(opinion_view.row, found))
        return wire_bank.OpinionList(opinions=rows, problems=ledger.problems(text))

    def one(self, name: str) -> wire.OpinionDetail:
        """Return an opinion with its evidence, named by its id or a beginning of it.

        Raises `NotFound`, and `InvalidInput` if several begin so.
        """
        opinion = _only(name, pages.opinions(markdown.parse(self._text())))
        known = {fact.id: fact for fact in self._factbook.read().facts}
        places = {
            id_: Place(f"{fact.path}#L{fact.line}", fact.fact.content)
            for id_, fact in known.items()
        }
        return opinion_view.detail(opinion, places.get)

    def recompute(self, *, dry_run: bool, actor: str) -> wire_bank.OpinionsRecomputed:
        """Set every confidence to what prior and written weights give; no model is asked.

        Raises `Conflict` on a page with conflict marks, and if somebody writes to it meanwhile.
        """
        page = self._page()
        if page is None:
            return wire_bank.OpinionsRecomputed(dry_run=dry_run, opinions=0)
        if markdown.is_conflicted(page.text):
            raise Conflict(f"{pages.OPINIONS}: has git conflict marks", "resolve them first")
        after, changed = ledger.recompute(page.text)
        if changed and not dry_run:
            self._workspace.write(pages.OPINIONS, after, page.etag, actor=actor)
            self.changed(pages.OPINIONS)
        rows = (
            wire_bank.OpinionChanged(
                id=each.id or None, statement=each.statement, before=each.before, after=each.after
            )
            for each in changed
        )
        return wire_bank.OpinionsRecomputed(
            dry_run=dry_run,
            opinions=len(pages.opinions(markdown.parse(page.text))),
            changed=tuple(rows),
            diff=diffs.unified(pages.OPINIONS, page.text.encode(), after.encode()),
        )

    def _about(self, entity: str, opinions: tuple[pages.Opinion, ...]) -> tuple[pages.Opinion, ...]:
        who = self._entities()
        named = who.named(entity)
        wanted = named.keys if named else frozenset({form(entity)})
        found = tuple(each for each in opinions if wanted & _forms(each))
        if found or named:
            return found
        begun = _begun(entity, opinions) if not entity.startswith("@") else ()
        if not begun:
            raise NotFound(f"nobody knows {entity!r}", "list the names with: hippod entities")
        return begun

    def _entities(self) -> Entities:
        book = self._factbook.read()
        texts = pagebook.read(self._workspace).texts.items()
        read = (entities.read_page(path, text) for path, text in texts)
        return entities.resolve(book.facts, [page for page in read if page], book.user)

    def _page(self) -> Document | None:
        try:
            return self._workspace.read(pages.OPINIONS)
        except NotFound:
            return None

    def _text(self) -> str:
        page = self._page()
        return page.text if page else ""


def _only(name: str, opinions: Iterable[pages.Opinion]) -> pages.Opinion:
    wanted = _as_id(name)
    if len(wanted) < facts.SHORTEST_ID:
        raise InvalidInput(
            f"{name!r} is too short", f"give {facts.SHORTEST_ID} or more characters of the id"
        )
    begun = _begun(name, opinions)
    found = [each for each in begun if each.id == wanted] or begun
    if not found:
        raise NotFound(f"no opinion ^{wanted}", "list them with: hippod opinions")
    if len(found) > 1:
        ids = ", ".join(f"^{each.id}" for each in found)
        raise InvalidInput(f"^{wanted} begins several opinions: {ids}", "give more of the id")
    return found[0]


def _begun(name: str, opinions: Iterable[pages.Opinion]) -> tuple[pages.Opinion, ...]:
    """Return the opinions whose id begins with `name`; none if that is too short to say."""
    wanted = _as_id(name)
    if len(wanted) < facts.SHORTEST_ID:
        return ()
    return tuple(each for each in opinions if each.id and each.id.startswith(wanted))


def _as_id(name: str) -> str:
    return name.strip().removeprefix("^").lower()


def _forms(opinion: pages.Opinion) -> frozenset[str]:
    names = opinion.entities or facts.mentions(opinion.statement)
    return frozenset(map(form, names))
