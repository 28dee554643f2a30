"""Who is who in a workspace, told to people, and done what they decide about it."""

import re
import threading
from collections.abc import Callable, Iterator, Sequence

from hippod import markdown, pages, plans
from hippod.entity_decisions import Decisions, Step
from hippod.entity_lookup import Lookup, Seen
from hippod.errors import Conflict, HippodError
from hippod.factbook import Factbook
from hippod.facts import KIND_NAMES
from hippod.plans import Done, PageEdit
from hippod.reflection import regions
from hippod.reflection.entities import Entity, form
from hippod.reflection.known import KnownFact
from hippod.wire_bank import (
    AmbiguousName,
    EntityAction,
    EntityChanged,
    EntityDetail,
    EntityFact,
    EntityList,
    EntityOpinion,
    EntityRow,
    LearnedAlias,
    NameCandidate,
    PageChange,
    PageProblem,
)
from hippod.workspace import Workspace

ACTOR = "main"
DOUBLED, UNCLEAR, UNREAD = "second page", "ambiguous alias", "cannot be read"
_MOST_CANDIDATES = 200
_SUMMARY = "summary"


class Roster:
    """The entities of a workspace. Thread-safe; `changed` hears of every path that was written."""

    def __init__(self, workspace: Workspace, factbook: Factbook | None = None) -> None:
        self.changed: Callable[[str], None] = lambda path: None
        self._workspace = workspace
        self._lookup = Lookup(workspace, factbook)
        self._decisions = Decisions(workspace)
        self._deciding = threading.Lock()

    # -- looking -----------------------------------------------------------------------------

    def all(self) -> EntityList:
        """List the entities by name, with what is unclear or looks alike."""
        seen = self._lookup.look()
        return EntityList(
            entities=tuple(_row(seen, entity) for entity in seen.who.all),
            ambiguous=tuple(
                AmbiguousName(name=each.name, entities=each.entities) for each in seen.who.ambiguous
            ),
            candidates=tuple(
                NameCandidate(names=each.names, reason=each.reason)
                for each in seen.who.candidates[:_MOST_CANDIDATES]
            ),
            problems=tuple(_problems(seen)),
        )

    def one(self, name: str, limit: int) -> EntityDetail:
        """Describe an entity with its `limit` newest facts.

        Raises `NotFound`, and `Conflict` for a name that several claim.
        """
        seen = self._lookup.look()
        entity = seen.named(name)
        return EntityDetail(
            **_row(seen, entity).model_dump(),
            others=seen.others_of(entity),
            learned=tuple(
                LearnedAlias(alias=each.alias, fact=_fact(each.fact))
                for each in seen.who.learned
                if each.entity == entity.name
            ),
            summary=self._summary(entity.path),
            newest=tuple(map(_fact, entity.facts[::-1][:limit])),
            opinions=tuple(self._opinions(entity)),
        )

    def report(self) -> dict[str, list[str]]:
        """Return by kind of trouble the pages that hippod leaves alone, for `status`.

        Under `ambiguous alias` stand names.
        """
        seen = self._lookup.look_at_pages()
        found: dict[str, list[str]] = {}
        for path, look in seen.looks.items():
            for flag in look.flags:
                found.setdefault(flag, []).append(path)
        found[UNCLEAR] = [each.name for each in seen.who.ambiguous]
        found[DOUBLED] = list(seen.who.doubled)
        found[UNREAD] = sorted(seen.problems)
        return {trouble: where for trouble, where in found.items() if where}

    def _summary(self, path: str | None) -> tuple[str, ...]:
        loaded = self._workspace.load(path) if path else None
        if loaded is None:
            return ()
        document = markdown.parse(loaded.text)
        found = (each for each in pages.regions(document) if each.name == _SUMMARY)
        return tuple(line for region in found for line in regions.held(document, region) if line)

    def _opinions(self, entity: Entity) -> Iterator[EntityOpinion]:
        loaded = self._workspace.load(pages.OPINIONS)
        forms = {form(name) for name in entity.keys}
        for each in pages.opinions(markdown.parse(loaded.text)) if loaded else ():
            if forms & set(map(form, each.entities)):
                yield EntityOpinion(
                    statement=each.statement,
                    confidence=each.confidence,
                    updated=each.updated.isoformat() if each.updated else None,
                )

    # -- deciding ----------------------------------------------------------------------------

    def change(self, name: str, request: EntityAction) -> EntityChanged:
        """Do what a person decided about the entity `name`, or with `dry_run` only plan it.

        Raises `NotFound`, `InvalidInput`, and `Conflict` where pages say otherwise, cannot be
        edited safely or changed meanwhile; what was written until then stays and is named.
        """
        with self._deciding:
            plan = self._decisions.plan(self._lookup.look(), name, request)
            steps = [edit for edit in plan.steps if not _is_done(edit)]
            if not request.dry_run:
                self._apply(steps)
        return EntityChanged(
            entity=plan.entity,
            applied=bool(steps) and not request.dry_run,
            changes=tuple(
                PageChange(path=edit.path, reason=edit.reason, diff=plans.shown(edit))
                for edit in steps
            ),
            links=self._links_to(plan.gone) if plan.gone else {},
            note=plan.note,
        )

    def _apply(self, steps: Sequence[Step]) -> None:
        """Write one after the other, and no further than the first that fails."""
        written: list[str] = []
        for edit in steps:
            (done,) = plans.apply([edit], self._workspace, ACTOR)
            for path in done.changed:
                self.changed(path)
            if done.problem:
                raise _half_done(done, written)
            written += done.changed

    def _links_to(self, path: str) -> dict[str, int]:
        """Count the links that lead to a page by its file name, by document."""
        stem = path.rpartition("/")[2].removesuffix(".md")
        pattern = re.compile(
            rf"\[\[(?:[^\[\]|#]*/)?{re.escape(stem)}(?:\.md)?\s*(?:[|#][^\]\n]*)?\]\]"
            rf"|\]\((?:[^()\s]*/)?{re.escape(stem)}\.md[)#]",
            re.IGNORECASE,
        )
        found: dict[str, int] = {}
        for each in sorted(self._workspace.scan().files):
            text = self._text_of(each) if each != path else ""
            if count := len(pattern.findall(text)):
                found[each] = count
        return found

    def _text_of(self, path: str) -> str:
        try:
            loaded = self._workspace.load(path)
        except HippodError:
            return ""  # its links are not rewritten either
        return loaded.text if loaded else ""


def _is_done(edit: Step) -> bool:
    """Say whether a page says already what an edit is to make it say."""
    return isinstance(edit, PageEdit) and bool(edit.etag) and edit.before == edit.after


def _half_done(failed: Done, written: Sequence[str]) -> Conflict:
    if not written:
        return Conflict(failed.problem, failed.hint or "repeat the command")
    return Conflict(
        f"{failed.problem}; {', '.join(written)} was written before",
        "repeat the command, or take back what was written: see hippod log",
    )


# -- answers ---------------------------------------------------------------------------------------


def _row(seen: Seen, entity: Entity) -> EntityRow:
    look = seen.looks.get(entity.path or "")
    flags = [*look.flags] if look else []
    flags += [DOUBLED for path in seen.who.doubled if _is_about(seen, path, entity)]
    flags += [f"{UNCLEAR} {each}" for each in _unclear(seen, entity)]
    return EntityRow(
        name=entity.name,
        facts=len(entity.facts),
        last_day=entity.facts[-1].day.isoformat() if entity.facts else None,
        aliases=tuple(seen.names_of(entity)[1:]),
        path=entity.path,
        flags=tuple(dict.fromkeys(flags)),
    )


def _is_about(seen: Seen, path: str, entity: Entity) -> bool:
    look = seen.looks.get(path)
    return bool(look and look.page and form(look.page.entity) == form(entity.name))


def _unclear(seen: Seen, entity: Entity) -> list[str]:
    return [each.name for each in seen.who.ambiguous if entity.name in each.entities]


def _fact(known: KnownFact) -> EntityFact:
    return EntityFact(
        id=known.id,
        day=known.day.isoformat(),
        kind=KIND_NAMES[known.fact.kind],
        content=known.fact.content,
        source=f"{known.path}#L{known.line}",
    )


def _problems(seen: Seen) -> Iterator[PageProblem]:
    for path, reason in sorted(seen.problems.items()):
        yield PageProblem(path=path, reason=reason)
    for path, look in seen.looks.items():
        if look.flags and look.page is None:  # else its entity has the flags
            yield PageProblem(path=path, reason=", ".join(look.flags))
    for path in seen.who.doubled:
        yield PageProblem(path=path, reason=DOUBLED)
