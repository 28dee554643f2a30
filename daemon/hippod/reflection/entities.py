"""Who is who: which names of facts and pages mean one entity, decided by what people wrote.

Names that differ in accents are one, and initials are the one full name that they fit, as long as
nothing speaks against it. What is only likely is suggested: see `Candidate`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from hippod import chunks, facts, folding, markdown, pages
from hippod.questions import key
from hippod.reflection import aliases, likeness, spellings
from hippod.reflection.known import KnownFact
from hippod.reflection.likeness import Candidate as Candidate
from hippod.reflection.slugs import page_path as page_path
from hippod.reflection.slugs import slug as slug

form = key
"""What all spellings of a name share."""


@dataclass(frozen=True, slots=True)
class Page:
    """Whom a page is about; names in the grammar's form, `others` from its `not`."""

    path: str
    entity: str
    aliases: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entity:
    """Somebody or something that facts or a page are about.

    `name` is in the grammar's form. `keys` are those of its own spellings and of its other
    names. `facts` are oldest first.
    """

    name: str
    key: str
    keys: frozenset[str]
    path: str | None
    facts: tuple[KnownFact, ...]


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """A name that several entities claim: it stands for none of them."""

    name: str
    entities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Learned:
    """An alias that no page has: `fact` says that it is a name of `entity`."""

    entity: str
    alias: str
    fact: KnownFact


@dataclass(frozen=True, slots=True)
class Spelled:
    """A name that is taken for an entity's by its spelling alone, until something speaks against.

    `path` is a page that it has of its own, beside that of the entity.
    """

    entity: str
    alias: str
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Entities:
    """Who is who, by name; in the order of names.

    `doubled` are paths of pages about an entity that has another page under the same name, which
    is the one that counts.
    """

    all: tuple[Entity, ...]
    ambiguous: tuple[Ambiguity, ...]
    candidates: tuple[Candidate, ...]
    learned: tuple[Learned, ...]
    doubled: tuple[str, ...] = ()
    spelled: tuple[Spelled, ...] = ()
    _by_form: Mapping[str, Entity] = field(default_factory=dict, repr=False)

    def of(self, fact: KnownFact) -> tuple[Entity, ...]:
        """Return the entities that `fact` names at its head, each once."""
        found = map(self.named, fact.fact.entities)
        return tuple({entity.key: entity for entity in found if entity}.values())

    def named(self, name: str) -> Entity | None:
        """Return the entity of that name or alias, however it is spelled."""
        return self._by_form.get(form(name))


def read_page(path: str, text: str) -> Page | None:
    """Return whom the entity page at `path` is about; None if it is no entity page.

    What stands on `<private>` lines is not read.
    """
    if not pages.is_entity_page(path):
        return None
    document = markdown.parse(text)
    found = pages.entity_page(path, document, chunks.private_lines(document.lines))
    return Page(path, found.entity, found.aliases, found.others) if found else None


def resolve(known: Sequence[KnownFact], read: Sequence[Page], user: str = "") -> Entities:
    """Say who is who among the heads of facts and the pages; the same for the same input.

    Pages go before statements, and a page's `not` before everything. Facts count in the order
    of their days. `user` is what the user is called: facts from before that was known are theirs.
    """
    said = sorted(known, key=lambda fact: (fact.said, fact.path, fact.line))
    groups = _Groups(_spellings(said), sorted(read, key=lambda page: page.path))
    groups.join_aliases()
    groups.join_user(user)
    groups.join_accents()
    groups.join_possessives(said)
    groups.join_stated(said)
    groups.join_initials()
    return groups.entities(said)


def _spellings(said: Iterable[KnownFact]) -> dict[str, Counter[str]]:
    """Return how often each form is spelled how, in the order of first mention."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for fact in said:
        for name in dict.fromkeys(fact.fact.entities):
            found[form(name)][name] += 1
    return dict(found)


class _Groups:
    """Forms that stand for one entity, joined step by step."""

    def __init__(self, spellings: dict[str, Counter[str]], read: Sequence[Page]) -> None:
        self._spellings = spellings
        self._pages: dict[str, list[Page]] = defaultdict(list)
        for page in read:
            self._pages[form(page.entity)].append(page)
        self._apart = {
            frozenset((form(page.entity), form(other))) for page in read for other in page.others
        }
        self._names: dict[str, str] = {}
        """A spelling of each form that only pages or statements have."""
        self._parent: dict[str, str] = {}
        self._members: dict[str, list[str]] = {}
        self._unclear: dict[str, tuple[str, ...]] = {}
        """Aliases that several pages claim: they stand for nobody."""
        self._disputed: dict[str, tuple[str, ...]] = {}
        """Names that facts give to several: each stays one of its own."""
        self._learned: list[tuple[str, str, KnownFact]] = []
        self._spelled_as: dict[str, str] = {}
        """Names that were joined by their spelling, with what they were joined to."""
        self._suggested: dict[frozenset[str], Candidate] = {}
        for each in (*spellings, *self._pages):
            self._members.setdefault(each, [each])
        self._known = {*self._members, *(form(alias) for page in read for alias in page.aliases)}

    # -- what pages say ----------------------------------------------------------------------

    def join_aliases(self) -> None:
        """Give each alias of a page to its entity, unless it is another page's too."""
        claims: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for own, found in self._pages.items():
            for alias in (alias for page in found for alias in page.aliases):
                each = form(alias)
                self._names.setdefault(each, alias)
                if each != own and not self._are_apart(own, each):
                    claims[each][own] = None
        for each, owners in claims.items():
            if each in self._pages:
                for owner in owners:
                    self._suggest(owner, each, "one page has the other's name as an alias")
            elif len(owners) > 1:
                self._unclear[each] = tuple(owners)
            else:
                self._join(each, *owners)

    # -- what the user says ------------------------------------------------------------------

    def join_user(self, name: str) -> None:
        """Join whom facts called `User` with the user's name, unless pages part them."""
        before, spelled = form(facts.NAMELESS_USER), facts.entity_name(name)
        whose = self._root(form(spelled or ""))
        if not spelled or before not in self._known or not self._is_settled(whose):
            return
        if before in self._parent or whose == before or not self._is_settled(before):
            return
        if not self._are_apart(whose, before):
            self._names.setdefault(form(spelled), spelled)
            self._join_spelled(before, whose)

    # -- what spelling says ------------------------------------------------------------------

    def join_accents(self) -> None:
        """Join names that differ in accents that were left out, unless pages part them."""
        for group in spellings.variants(sorted(self._known - self._unclear.keys())):
            roots = list(dict.fromkeys(map(self._root, group)))
            named = [each for each in roots if each not in group]
            own = [each for each in roots if each in group]
            paged = [each for each in own if each in self._pages]
            if len(named) > 1 or (named and paged) or self._has_namesakes(group):
                continue
            whose = (named or [spellings.most_accented(paged or own)])[0]
            if not any(self._are_apart(*pair) for pair in combinations(roots, 2)):
                for each in own:
                    self._join_spelled(each, whose)

    def _has_namesakes(self, group: Sequence[str]) -> bool:
        """Say whether first names may be those of several people."""
        return len(set().union(*map(self._full_names, group))) > 1

    def join_initials(self) -> None:
        """Join initials and a surname with the only full name that they fit."""
        short = [each for each in sorted(self._known) if spellings.initials(each)]
        short = [each for each in short if self._root(each) == each and self._is_settled(each)]
        if not short:
            return
        full = spellings.FullNames(filter(self._is_settled, self._known | self._names.keys()))
        for each in short:
            fitting = full.of(each)
            whose, *more = {self._root(name) for name in fitting} or {each}
            if more or not any(spellings.stands_for(each, name) for name in fitting):
                continue
            if not (self._are_apart(each, whose) or self._are_namesakes(each, whose)):
                self._join_spelled(each, whose)

    def _is_settled(self, each: str) -> bool:
        return each not in self._unclear and each not in self._disputed

    def _join_spelled(self, each: str, whose: str) -> None:
        if each != whose:
            self._join(each, whose)
            self._spelled_as[each] = whose

    # -- what facts say ----------------------------------------------------------------------

    def join_possessives(self, said: Sequence[KnownFact]) -> None:
        """Join `Peters` with Peter where each fact about it says "Peter's"."""
        clear = self._known - self._unclear.keys()
        owners = {
            each: owner
            for each in self._spellings
            for owner in (each[:-1],)
            if each.endswith("s") and owner in clear
            if self._is_free(each)
        }
        if not owners:
            return
        texts: defaultdict[str, list[str]] = defaultdict(list)
        for fact in said:
            for name in fact.fact.entities:
                if form(name) in owners:
                    texts[form(name)].append(fact.fact.content)
        for each, owner in owners.items():
            if not self._are_apart(self._root(each), self._root(owner)) and all(
                aliases.owns(owner, each, text) for text in texts[each]
            ):
                self._join(each, self._root(owner))

    def _is_free(self, each: str) -> bool:
        """Say whether no page decides whose name it is."""
        return not (each in self._pages or each in self._unclear or each in self._parent)

    def join_stated(self, said: Sequence[KnownFact]) -> None:
        """Join names of which a fact says that they are one's."""
        stated: defaultdict[str, dict[str, tuple[str, KnownFact]]] = defaultdict(dict)
        for fact in said:
            for entity, alias in aliases.stated(fact.fact, self._is_known):
                whose, other = form(entity), form(alias)
                self._names.setdefault(other, alias)
                other = self._root(other) if other in self._spelled_as else other
                if whose != other and not {whose, other} & self._unclear.keys():
                    stated[other].setdefault(self._root(whose), (alias, fact))
        for other, found in stated.items():
            owners = {self._root(whose): each for whose, each in reversed(found.items())}
            owners.pop(other, None)
            full = self._full_names(other)
            if not self._is_free(other):
                self._suggest_all(owners, other)
            elif len(owners.keys() | full) > 1:
                self._disputed[other] = (*owners, *full)
            elif owners:
                self._learn(other, *owners.items())

    def _learn(self, other: str, stated: tuple[str, tuple[str, KnownFact]]) -> None:
        """Join a name that is nobody else's, unless a page or a full name speaks against it."""
        whose, (alias, fact) = stated
        if self._are_apart(whose, other):
            return
        if self._are_namesakes(whose, other):
            self._suggest(whose, other, "a fact says that they are one, but full names differ")
            return
        self._join(other, whose)
        self._learned.append((whose, alias, fact))

    def _suggest_all(self, owners: Iterable[str], other: str) -> None:
        """Suggest what facts say of a name of which a page says whose it is."""
        theirs = self._root(other)
        for whose in owners:
            if whose != theirs and not self._are_apart(whose, theirs):
                self._suggest(
                    whose, theirs, "a fact calls one by a name that a page gives the other"
                )

    def _full_names(self, first: str) -> set[str]:
        """Return the entities whose names go on after a first name."""
        if " " in first:
            return set()
        begins = f"{folding.unaccented(first)} "
        return {
            self._root(each) for each in self._known if folding.unaccented(each).startswith(begins)
        }

    def _is_known(self, name: str) -> bool:
        return form(name) in self._known

    # -- groups ------------------------------------------------------------------------------

    def _join(self, other: str, whose: str) -> None:
        self._parent[other] = whose
        members = self._members.pop(other, [other])
        self._members.setdefault(whose, [whose]).extend(members)

    def _root(self, each: str) -> str:
        while each in self._parent:
            each = self._parent[each]
        return each

    def _are_apart(self, one: str, other: str) -> bool:
        return any(
            frozenset((ours, theirs)) in self._apart
            for ours in self._members.get(one, [one])
            for theirs in self._members.get(other, [other])
        )

    def _are_namesakes(self, one: str, other: str) -> bool:
        return any(
            likeness.are_namesakes(ours, theirs)
            for ours in self._members.get(one, [one])
            for theirs in self._members.get(other, [other])
        )

    def _suggest(self, one: str, other: str, reason: str) -> None:
        names = (self._name(one), self._name(other))
        self._suggested.setdefault(frozenset((one, other)), Candidate(names, reason))

    # -- the result --------------------------------------------------------------------------

    def entities(self, said: Sequence[KnownFact]) -> Entities:
        """Return who is who now."""
        roots = {
            each: root
            for root, members in self._members.items()
            if root not in self._unclear
            for each in members
        }
        theirs = _facts_by_root(said, roots)
        found = {
            root: self._entity(root, theirs.get(root, ())) for root in sorted(set(roots.values()))
        }
        return Entities(
            all=tuple(found.values()),
            ambiguous=tuple(self._ambiguities()),
            candidates=tuple(self._candidates(found)),
            learned=tuple(
                Learned(self._name(self._root(whose)), alias, fact)
                for whose, alias, fact in self._learned
            ),
            doubled=tuple(page.path for each in self._pages.values() for page in each[1:]),
            spelled=tuple(map(self._as_spelled, sorted(self._spelled_as))),
            _by_form={each: found[root] for each, root in roots.items()},
        )

    def _as_spelled(self, each: str) -> Spelled:
        page = self._pages[each][0].path if each in self._pages else None
        return Spelled(self._name(self._root(each)), self._name(each), page)

    def _entity(self, root: str, theirs: Sequence[KnownFact]) -> Entity:
        members = self._members[root]
        spelled = (name for each in members for name in self._spelled(each))
        name = self._name(root)
        page = self._pages[root][0].path if root in self._pages else None
        return Entity(name, key(name), frozenset(map(key, (name, *spelled))), page, tuple(theirs))

    def _spelled(self, each: str) -> Iterable[str]:
        names = (*self._spellings.get(each, ()), self._names.get(each, each))
        return (*names, *(page.entity for page in self._pages.get(each, ())))

    def _name(self, each: str) -> str:
        """Return how a page spells a name, else how most facts do, the earlier one of two."""
        if each in self._pages:
            return self._pages[each][0].entity
        counted = self._spellings.get(each)
        spelled = counted.most_common(1)[0][0] if counted else self._names.get(each, each)
        return spelled.rstrip(".-_") or spelled

    def _ambiguities(self) -> Iterable[Ambiguity]:
        for each, owners in sorted((self._unclear | self._disputed).items()):
            names = sorted({self._name(self._root(owner)) for owner in owners})
            yield Ambiguity(self._name(each), tuple(names))

    def _candidates(self, found: Mapping[str, Entity]) -> Iterable[Candidate]:
        names = {root: facts.display_name(entity.name) for root, entity in found.items()}
        alike = {
            frozenset((one, other)): Candidate((found[one].name, found[other].name), reason)
            for one, other, reason in likeness.pairs(names)
            if not self._are_apart(one, other)
        }
        every = (alike | self._suggested).values()
        return sorted(every, key=lambda candidate: (candidate.names, candidate.reason))


def _facts_by_root(
    said: Iterable[KnownFact], roots: Mapping[str, str]
) -> dict[str, list[KnownFact]]:
    theirs: defaultdict[str, list[KnownFact]] = defaultdict(list)
    for fact in said:
        for root in dict.fromkeys(roots.get(form(name)) for name in fact.fact.entities):
            if root is not None:
                theirs[root].append(fact)
    return theirs
