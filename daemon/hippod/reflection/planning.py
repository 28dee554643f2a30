"""The plan of a reflection: what each page of the bank is to be, given what the logs hold now.

A page is looked at when its facts changed, and then with all of them, so that the pages do not
depend on when reflection ran.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cached_property, partial
from itertools import groupby
from typing import Final

from hippod import daylog, facts, markdown, packing, pages
from hippod.errors import InvalidInput
from hippod.facts import Fact
from hippod.questions import key
from hippod.reflection import (
    daily,
    entities,
    entity_pages,
    fact_pages,
    front_matter,
    ledger,
    proposals,
    regions,
    summary,
    supersession,
)
from hippod.reflection.entities import Entities, Entity, Page
from hippod.reflection.known import Book, KnownFact
from hippod.reflection.ledger import LedgerUpdate, Logs, Near
from hippod.reflection.memory import Material, Proposed, propose
from hippod.reflection.proposals import Proposal
from hippod.reflection.regions import Refreshed
from hippod.reflection.summary import Summarise
from hippod.reflection.verdicts import Judge

MEMORIES: Final = ("MEMORY.md", "memory.md")
NEVER, UNKNOWN = "never", "unknown"
CATCH_UP_DAYS: Final = 7
"""How far back a day that is over still gets its summaries."""


@dataclass(frozen=True, slots=True)
class Bank:
    """The bank's pages as they stand, by path; `unread` are those that cannot be read, and why.

    `statements` are what other documents say that people keep about themselves. `refused` says why
    there can be no page at a path; empty if there can.
    """

    texts: Mapping[str, str]
    unread: Mapping[str, str] = field(default_factory=dict)
    statements: Sequence[str] = ()
    refused: Callable[[str], str] = lambda path: ""


@dataclass(frozen=True, slots=True)
class Notes:
    """What earlier reflections noted: facts that they judged, pages as they left them, by path,
    ids of the summaries that they wrote, and of the proposals that they made, with the ids of the
    facts that those cited. All empty: the state was lost, or the first reflection is to come.

    `lost` is the newest day of the ledger when nothing was known any more (`NEVER`: it had none;
    `UNKNOWN`: it could not be read); empty again once a whole reflection has ended since.
    """

    judged: frozenset[str] = frozenset()
    pages: Mapping[str, str] = field(default_factory=dict)
    summaries: frozenset[str] = frozenset()
    proposals: Mapping[str, frozenset[str]] = field(default_factory=dict)
    lost: str = ""

    @property
    def are_lost(self) -> bool:
        """Whether nothing is known of the reflections before those that never ended."""
        return bool(self.lost) or self.are_none

    @property
    def are_none(self) -> bool:
        """Whether nothing at all is noted."""
        return not (self.judged or self.pages or self.summaries)

    def settled(self, text: str | None) -> date | None:
        """Return up to which day facts were judged of which that is not noted; None: none were.

        `text` is that of the ledger.
        """
        if self.lost:
            return None if self.lost in (NEVER, UNKNOWN) else date.fromisoformat(self.lost)
        return ledger.newest(text) if self.are_none else None


@dataclass(frozen=True, slots=True)
class Tools:
    """What may judge and word; the first two are asked for when they are first needed.

    `goes_on` says that nobody wants to stop.
    """

    judge: Callable[[], Judge]
    summarise: Callable[[], Summarise | None]
    near: Near | None = None
    goes_on: Callable[[], bool] = lambda: True


@dataclass(slots=True)
class Seen:
    """What was found out before of the same texts and facts, by their hashes; give it again."""

    pages: dict[str, Page | None] = field(default_factory=dict)
    marks: dict[str, dict[str, str]] = field(default_factory=dict)
    ledger: dict[str, tuple[str, ...]] = field(default_factory=dict)
    doubted: dict[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bounds:
    """The day, what is not to be exceeded, and from which day on facts are new (None: any)."""

    today: date
    page_facts: int
    memory_tokens: int
    daily_summary: bool = True
    since: date | None = None


@dataclass(frozen=True, slots=True)
class PagePlan:
    """A page as it is to be (`text` None: as it is), and what to note of it once it is so."""

    path: str
    text: str | None
    reason: str
    note: str


@dataclass(slots=True)
class Plan:
    """What a reflection is about to do; `problems` are pages that are left alone, and why.

    `summaries` are the facts that days get; `known_summaries` ids that a day has already.
    `proposals` are all that the page of proposals is to have. Of a plan that was broken off the
    pages count that it has: those at the paths `reached` were thought of.
    """

    new: tuple[KnownFact, ...]
    entities: Entities
    pages: list[PagePlan] = field(default_factory=list)
    ledger: LedgerUpdate | None = None
    summaries: dict[date, list[Fact]] = field(default_factory=dict)
    known_summaries: list[str] = field(default_factory=list)
    proposals: tuple[Proposal, ...] = ()
    problems: list[tuple[str, str]] = field(default_factory=list)
    reached: set[str] = field(default_factory=set)
    looked: int = 0
    interrupted: bool = False


def plan(
    book: Book, bank: Bank, notes: Notes, tools: Tools, bounds: Bounds, seen: Seen | None = None
) -> Plan:
    """Return what the facts of `book` make of the bank; unchanged input gives an empty plan.

    `seen` spares it to read what it has read before, and changes.
    """
    return _Planner(book, bank, notes, tools, bounds, seen or Seen()).run()


class _Planner:
    def __init__(
        self, book: Book, bank: Bank, notes: Notes, tools: Tools, bounds: Bounds, seen: Seen
    ) -> None:
        self._book = book
        self._bank = bank
        self._notes = notes
        self._tools = tools
        self._bounds = bounds
        self._seen = seen
        self._by_id = {fact.id: fact for fact in book.evidence}
        self._entities = entities.resolve(book.evidence, _read_pages(bank.texts, seen), book.user)
        self._marks = _marks(self._entities.all, seen)
        self._closed = _unread_days(book)
        self._taken = {path for path in (*bank.texts, *bank.unread) if pages.is_entity_page(path)}
        self._plan = Plan(self._new_facts(), self._entities)
        self._new = frozenset(fact.id for fact in self._plan.new)

    def run(self) -> Plan:
        for path, reason in {**self._book.unread, **self._bank.unread}.items():
            self._plan.problems.append((path, reason))
        for path, step in self._steps():
            if not self._tools.goes_on():
                self._plan.interrupted = True
                break
            self._plan.reached.add(path)
            try:
                step()
            except InvalidInput as error:  # one odd page is no reason to leave the others
                self._plan.problems.append((path, error.message))
        return self._plan

    def _steps(self) -> Iterator[tuple[str, Callable[[], None]]]:
        """Yield what is to be done, each with the page that it is for."""
        for entity, path in self._to_look_at():
            yield path, partial(self._look_at, entity, path)
        for path in pages.FACT_PAGES:
            yield path, partial(self._keep_facts, path)
        if self._bounds.daily_summary:
            yield "memory", self._sum_up
        yield pages.OPINIONS, self._judge
        yield proposals.PROPOSALS, self._propose

    def _to_look_at(self) -> Iterator[tuple[Entity, str]]:
        since = self._bounds.since
        for entity in self._entities.all:
            path = entity.path or self._new_path(entity)
            if path and (since is None or any(fact.day >= since for fact in entity.facts)):
                yield entity, path
        for each in self._entities.spelled:
            if each.path and "hippod:" in self._bank.texts.get(each.path, ""):
                yield Entity(each.alias, key(each.alias), frozenset(), each.path, ()), each.path

    def _new_facts(self) -> tuple[KnownFact, ...]:
        since = self._bounds.since or date.min
        return tuple(
            fact
            for fact in self._book.evidence
            if fact.id not in self._notes.judged and fact.day >= since
        )

    # -- entity pages ------------------------------------------------------------------------

    def _look_at(self, entity: Entity, path: str) -> None:
        doubted = sorted(each.id for each in entity.facts if each.id in self._doubted)
        named = (entity.name, *sorted(entity.keys))
        digest = _digest(entity.facts, self._marks, *named, *doubted)
        if not self._tools.goes_on():  # the model went while it judged
            self._plan.interrupted = True
            return
        if self._is_settled(path, digest, entity.facts):
            return
        self._plan.looked += 1
        page = self._refreshed(path, entity)
        if not self._tools.goes_on():  # the model went, and it was worded without
            self._plan.interrupted = True
            return
        count = len(entity.facts)
        reason = f"{count} fact{'s' if count != 1 else ''} about {facts.display_name(entity.name)}"
        due = summary.changes_on(entity.facts, self._bounds.today)
        self._enter(path, page, digest, reason, due)

    def _refreshed(self, path: str, entity: Entity) -> Refreshed:
        return entity_pages.refresh(
            self._bank.texts.get(path),
            entity,
            self._marks,
            self._by_id,
            self._tools.summarise(),
            self._bounds.today,
            self._doubted,
        )

    def _new_path(self, entity: Entity) -> str | None:
        """Return where the page of an entity without one goes; None if there is none to be.

        It might be the entity of a page that cannot be read as it stands: then that is seen to
        first.
        """
        if not entity.facts or any(pages.is_entity_page(path) for path in self._bank.unread):
            return None
        name = facts.display_name(entity.name).casefold()
        if any(name in text for text in self._unclear):
            return None
        path = entities.page_path(entity.name, self._taken)
        self._taken.add(path)
        return None if self._is_refused(path) else path

    @cached_property
    def _unclear(self) -> list[str]:
        """The entity pages of which it cannot be told whose other names they have."""
        found = (text for path, text in self._bank.texts.items() if pages.is_entity_page(path))
        return [text.casefold().replace("-", " ") for text in found if _is_unclear(text)]

    # -- any page ----------------------------------------------------------------------------

    def _is_refused(self, path: str) -> bool:
        """Report a page that is not there and that nobody would read if it were."""
        reason = "" if path in self._bank.texts else self._bank.refused(path)
        if reason:
            self._plan.problems.append((path, reason))
        return bool(reason)

    def _is_settled(self, path: str, digest: str, shown: Sequence[KnownFact]) -> bool:
        """Say whether a page is as its facts make it, or is to be left as a person made it."""
        left, text = _Left.read(self._notes.pages.get(path)), self._bank.texts.get(path)
        if path in self._bank.unread:
            return True
        if text is None:
            return left is not None and self._stays_away(left, digest, shown)
        if self._cites_unread(path, text):
            return True
        if left is None:
            return self._notes.are_lost and self._lacks_regions(path, digest, text)
        if left.regions and not any(f"hippod:{name}" in text for name in left.regions):
            return True  # a person took them out: they do not come back
        is_due = bool(left.due) and left.due <= self._bounds.today.isoformat()
        return left.digest == digest and not is_due and self._is_as_left(left, path, text)

    def _stays_away(self, left: "_Left", digest: str, shown: Sequence[KnownFact]) -> bool:
        """Say whether a page that is not there has no need to be."""
        if not left.text:  # it never was: nothing was to be told
            return left.digest == digest
        return not any(fact.id in self._new for fact in shown)  # a person deleted it

    def _lacks_regions(self, path: str, digest: str, text: str) -> bool:
        """Say whether a person seems to have taken our regions out before the state was lost.

        That is then noted. Where it is wrong, `hippod entities adopt` puts them there.
        """
        if not _was_ours(text):
            return False
        names = (entity_pages.SUMMARY, entity_pages.HISTORY)
        note = _Left(digest, names, text=_hash(text)).written()
        self._plan.pages.append(PagePlan(path, None, "", note))
        return True

    def _is_as_left(self, left: "_Left", path: str, text: str) -> bool:
        """Look whether a page whose facts are the same was touched, and report what is wrong.

        An older version that somebody brought back stays until there is something new to say.
        """
        same = left.text == _hash(text)
        if left.problem and not same:
            return False
        problem = left.problem or ("" if same else _edited(text))
        if problem:
            self._plan.problems.append((path, problem))
        return True

    def _cites_unread(self, path: str, text: str) -> bool:
        """Report a page whose facts cannot all be read now."""
        logs = (
            log for day, log in self._closed.items() if f"{day}#^" in text or f"{day}]]" in text
        )
        log = next(logs, None)
        if log:
            self._plan.problems.append((path, f"left as it is: {log} cannot be read now"))
        return log is not None

    def _enter(
        self,
        path: str,
        page: Refreshed,
        digest: str,
        reason: str,
        due: date | None = None,
    ) -> None:
        if page.problem:
            self._plan.problems.append((path, page.problem))
        before = self._bank.texts.get(path)
        after = before if page.text is None else page.text
        if after is None:
            left = _Left(digest)
        else:
            earlier = _Left.read(self._notes.pages.get(path))
            left = _Left.of(digest, after, page.problem, earlier, due)
        new = None if after == before else after
        self._plan.pages.append(PagePlan(path, new, reason, left.written()))

    # -- the other pages ---------------------------------------------------------------------

    def _keep_facts(self, path: str) -> None:
        kind = "W" if pages.FACT_PAGES[path] == "world" else "B"
        shown = [fact for fact in self._book.evidence if fact.fact.kind == kind]
        digest = _digest(shown, self._marks, str(self._bounds.page_facts))
        if self._is_settled(path, digest, shown) or (shown and self._is_refused(path)):
            return
        refreshed = fact_pages.refresh(
            path,
            self._bank.texts.get(path),
            shown,
            self._marks,
            self._by_id,
            self._bounds.today,
            self._bounds.page_facts,
        )
        reason = f"{len(shown)} fact{'s' if len(shown) != 1 else ''} of kind {kind}"
        self._enter(path, refreshed, digest, reason)

    def _judge(self) -> None:
        path = pages.OPINIONS
        text = self._bank.texts.get(path)
        if path in self._bank.unread:
            return
        if not self._plan.new:
            self._report(self._ledger_problems(text))
            return
        if any(fact.fact.kind == "O" for fact in self._plan.new) and self._is_refused(path):
            return
        update = self._update
        if not self._tools.goes_on():
            self._plan.interrupted = True
            return
        self._plan.ledger = update
        self._report(update.problems)

    @cached_property
    def _update(self) -> LedgerUpdate:
        """What the new facts make of the ledger: pages go by it, though it is written last."""
        text = self._bank.texts.get(pages.OPINIONS)
        return ledger.update(
            text,
            self._plan.new,
            self._entities,
            self._tools.judge(),
            self._tools.near,
            self._bounds.today,
            settled=self._notes.settled(text),
            known=self._by_id,
            logs=self._logs,
        )

    @cached_property
    def _doubted(self) -> frozenset[str]:
        """The ids of facts for opinions that are not held any more."""
        path = pages.OPINIONS
        is_judged = self._plan.new and path not in self._bank.unread
        text = self._update.text if is_judged else self._bank.texts.get(path)
        key = _hash(text or "")
        if key not in self._seen.doubted:
            self._seen.doubted = {key: ledger.doubted(text)}
        return self._seen.doubted[key]

    @cached_property
    def _logs(self) -> Logs | None:
        return Logs.of(self._book)

    def _ledger_problems(self, text: str | None) -> tuple[str, ...]:
        logs = self._logs
        standing = sorted(logs.ids) if logs else ()
        key = _hash("\0".join((text or "", *standing, *sorted(self._closed))))
        if key not in self._seen.ledger:
            self._seen.ledger = {key: ledger.problems(text, logs)}
        return self._seen.ledger[key]

    def _propose(self) -> None:
        path, texts = proposals.PROPOSALS, self._bank.texts
        memory = next((name for name in MEMORIES if name in texts), MEMORIES[0])
        self._plan.reached.add(memory)
        if path in self._bank.unread or memory in self._bank.unread:
            return
        if any(map(_may_hold_facts, self._book.unread)):
            return  # what is not read now may say that the rest is outdated
        material, text = self._material(memory), texts.get(path)
        digest = self._digest_of(material)
        left = _Left.read(self._notes.pages.get(path))
        if left and (left.digest, left.text) == (digest, _hash(text or "")):
            return
        proposed = propose(
            material,
            text,
            count=lambda said: packing.estimate([said])[0],
            limit_tokens=self._bounds.memory_tokens,
            today=self._bounds.today,
            made=self._notes.proposals,
        )
        self._report(proposed.problems)
        if proposed.text is not None and self._is_refused(path):
            return
        self._enter_proposals(proposed, text, digest, memory)

    def _material(self, memory: str) -> Material:
        texts, ledger_update = self._bank.texts, self._plan.ledger
        return Material(
            memory=texts.get(memory),
            ledger=ledger_update.text if ledger_update else texts.get(pages.OPINIONS),
            facts=self._book.evidence,
            entities=self._entities,
            superseded=self._marks,
            file=memory,
            statements=self._bank.statements,
        )

    def _digest_of(self, material: Material) -> str:
        texts = [material.memory or "", material.ledger or "", str(self._bounds.memory_tokens)]
        return _digest(material.facts, self._marks, *texts, *material.statements)

    def _enter_proposals(
        self, proposed: Proposed, text: str | None, digest: str, memory: str
    ) -> None:
        after = text if proposed.text is None else proposed.text
        note = _Left(digest, text=_hash(after or "")).written()
        count = len(proposed.new)
        reason = f"{count} new proposal{'s' if count != 1 else ''} for {memory}"
        self._plan.proposals = proposals.parse(after)
        changed = after if after != text else None
        self._plan.pages.append(PagePlan(proposals.PROPOSALS, changed, reason, note))

    def _report(self, problems: Iterable[str]) -> None:
        for problem in problems:
            where, _, reason = problem.partition(": ")
            self._plan.problems.append((where, reason))

    def _sum_up(self) -> None:
        derived = [fact for fact in self._book.facts if fact.is_derived]
        done = self._notes.summaries.union(fact.id for fact in derived)
        standing = {day: list(its) for day, its in groupby(derived, key=lambda fact: fact.day)}
        yesterday = self._bounds.today - timedelta(days=1)
        for day in self._days_over():
            for fact in daily.summaries(day, self._book.evidence, self._entities):
                is_done = not done.isdisjoint(daily.ids(day, fact, self._entities))
                is_done = is_done or daily.is_told(fact, standing.get(day, ()))
                if is_done or (self._notes.are_lost and day < yesterday):
                    self._plan.known_summaries.append(fact.id or "")
                else:
                    self._plan.summaries.setdefault(day, []).append(fact)

    def _days_over(self) -> list[date]:
        """Return the last days that are over and whose log can be read, the oldest first."""
        recent = (self._bounds.today - timedelta(days=n) for n in range(CATCH_UP_DAYS, 0, -1))
        return [day for day in recent if day.isoformat() not in self._closed]


def _read_pages(texts: Mapping[str, str], seen: Seen) -> list[Page]:
    found: dict[str, Page | None] = {}
    for path, text in texts.items():
        key = _hash(f"{path}\0{text}")
        known = key in seen.pages
        found[key] = seen.pages[key] if known else entities.read_page(path, text)
    seen.pages = found
    return [page for page in found.values() if page]


def _marks(all_: Iterable[Entity], seen: Seen) -> dict[str, str]:
    """Return what superseded what, among the facts of one entity each."""
    found: dict[str, dict[str, str]] = {}
    for entity in all_:
        key = _digest(entity.facts, {}, entity.name)
        known = seen.marks.get(key)
        found[key] = supersession.find(_by_name(entity)) if known is None else known
    seen.marks = found
    return {old: new for each in reversed(found.values()) for old, new in each.items()}


def _by_name(entity: Entity) -> Sequence[KnownFact]:
    """Return the facts of an entity as if the user's name had been known from the first one on."""
    nameless = key(facts.NAMELESS_USER)
    if nameless == entity.key or nameless not in entity.keys:
        return entity.facts
    shown = facts.display_name(entity.name)
    return [
        replace(
            each,
            fact=replace(
                each.fact,
                content=_NAMELESS.sub(lambda _: shown, each.fact.content),
                entities=tuple(
                    entity.name if key(name) == nameless else name for name in each.fact.entities
                ),
            ),
        )
        for each in entity.facts
    ]


_NAMELESS = re.compile(rf"\b{facts.NAMELESS_USER}(?=['’]s\b|\s+[a-z])")


def _may_hold_facts(path: str) -> bool:
    """Say whether what is at a path is a daily log, or a folder."""
    return daylog.day_of(path) is not None or not path.endswith(".md")


def _unread_days(book: Book) -> dict[str, str]:
    days = {path: daylog.day_of(path) for path in book.unread}
    return {day.isoformat(): path for path, day in days.items() if day}


def _digest(shown: Iterable[KnownFact], marks: Mapping[str, str], *more: str) -> str:
    """Return a hash of all that a page is made of."""
    said = (repr((fact.id, fact.day, fact.fact, marks.get(fact.id))) for fact in shown)
    return _hash("\0".join((*more, *said)))


def _is_unclear(text: str) -> bool:
    return regions.fault(text, markdown.parse(text)) in (regions.CONFLICTED, regions.UNREADABLE)


def _was_ours(text: str) -> bool:
    """Say whether a page without regions looks as if it had had some.

    Its front matter is dated as ours is, and its text links blocks of facts.
    """
    if "hippod:" in text or "#^" not in text:
        return False
    try:
        return "updated" in front_matter.fields(text)
    except InvalidInput:
        return False


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]


def _edited(text: str) -> str:
    """Return what is wrong with regions that a person edited; empty if nobody did."""
    found = pages.regions(markdown.parse(text)) if "hippod:" in text else ()
    names = [region.name for region in found if region.edited]
    return f"{' and '.join(names)} edited by hand: left as it is" if names else ""


@dataclass(frozen=True, slots=True)
class _Left:
    """A page as reflection left it: what it was made of, the names of its regions, what was wrong
    with it, a hash of its text, and from which day on it says something else of the same facts."""

    digest: str
    regions: tuple[str, ...] = ()
    problem: str = ""
    text: str = ""
    due: str = ""

    @classmethod
    def of(
        cls, digest: str, text: str, problem: str, earlier: "_Left | None", due: date | None
    ) -> "_Left":
        """Return the note of a page; regions that it had `earlier` were put there once."""
        found = pages.regions(markdown.parse(text)) if "hippod:" in text else ()
        names = tuple(region.name for region in found) or (earlier.regions if earlier else ())
        return cls(digest, names, problem, _hash(text), due.isoformat() if due else "")

    @classmethod
    def read(cls, note: str | None) -> "_Left | None":
        if note is None:
            return None
        digest, names, *others = json.loads(note)
        return cls(digest, tuple(names), *others)

    def written(self) -> str:
        return json.dumps([self.digest, self.regions, self.problem, self.text, self.due])
