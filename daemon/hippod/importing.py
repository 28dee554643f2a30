"""Facts, opinions and entities out of JSON lines: what is missing is added, nothing is replaced.

What stands already stays as it stands, so a second import adds nothing.
"""

import contextlib
import json
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import date, datetime, tzinfo
from typing import Final, get_args

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from hippod import daylog, facts, intake, markdown, pages
from hippod.documents import FileStat
from hippod.entity_lookup import Lookup
from hippod.errors import Conflict, HippodError, InvalidInput, NotFound
from hippod.facts import Fact
from hippod.forgotten import Tombstones
from hippod.intake import NewOpinion, RefusedError
from hippod.provenance import Provenance
from hippod.reflection import ledger_text, page_names, regions
from hippod.reflection.entities import Page, form, read_page
from hippod.reflection.ledger_text import Held, Item
from hippod.reflection.slugs import page_path
from hippod.remembered import Remembered
from hippod.state import State
from hippod.wire_exchange import (
    FORMAT,
    AddRecords,
    Begin,
    Counts,
    End,
    EntityRecord,
    FactRecord,
    Imported,
    OpinionRecord,
    Record,
    RefusedRecord,
    UndoImport,
)
from hippod.workspace import Appended, Workspace

ACTOR: Final = "import"
"""Who wrote, in the journal; behind it stands the name of the import."""
_RECORD: TypeAdapter[object] = TypeAdapter(Record)

_FAULTS: Final = {
    "model_attributes_type": "is no JSON object",
    "union_tag_not_found": "type: is missing",
    "missing": "is missing",
    "string_type": "is no text",
    "tuple_type": "is no list",
    "string_pattern_mismatch": "is not of its form",
    "extra_forbidden": "is unknown",
    "too_short": "is empty",
}

Logs = dict[str, tuple[FileStat, frozenset[str]]]
"""By which names the facts of each log are known, as long as the file is the same."""
Numbered = Sequence[tuple[int, object]]
_MOST_KEPT: Final = 1_000_000
"""Names of facts that are kept until the next part comes; it may never come. With fewer every part
of a long import would read all logs again."""
_TURN_SECONDS: Final = 0.002
"""Pause between two writes: who waits for the workspace would not be let in otherwise."""


@dataclass(slots=True)
class _Done:
    """What an import comes to so far."""

    added: Counter[str] = field(default_factory=Counter)
    extended: Counter[str] = field(default_factory=Counter)
    standing: Counter[str] = field(default_factory=Counter)
    reworded: int = 0
    refused: list[RefusedRecord] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    ended: bool = False

    def refuse(self, line: int, reason: str) -> None:
        self.refused.append(RefusedRecord(line=line, reason=reason))

    @contextlib.contextmanager
    def refusing(self, line: int) -> Iterator[None]:
        """Refuse the line whose record cannot be taken, and go on."""
        try:
            yield
        except (RefusedError, HippodError) as error:
            self.refuse(line, str(error))


class Importer:
    """Adds records to a workspace. Thread-safe, one import at a time; `changed` hears of writes."""

    def __init__(
        self,
        workspace: Workspace,
        state: State,
        provenance: Provenance,
        clock: Callable[[], datetime],
        zone: tzinfo,
    ) -> None:
        self.changed: Callable[[str], None] = lambda path: None
        self._workspace = workspace
        self._state = state
        self._provenance = provenance
        self._clock = clock
        self._zone = zone
        self._lock = threading.Lock()
        self._logs: Logs = {}

    def add(self, request: AddRecords) -> Imported:
        """Add what is missing, or with `dry_run` only say what that is.

        Raises `InvalidInput` if the text does not begin an export, though it is its first part,
        and if it goes on with one of another format.
        """
        batch = request.batch or secrets.token_hex(4)
        actor, done = f"{ACTOR} {batch}", _Done()
        today = self._clock().astimezone(self._zone).date()
        with self._lock:
            records = list(_records(request, done))
            adding = _Adding(
                self._workspace, self._state, self._logs, actor, done, dry_run=request.dry_run
            )
            adding.add(records, today)
            self._logs = {} if done.ended or _size(self._logs) > _MOST_KEPT else self._logs
        if not request.dry_run:
            self._tell(done.paths)
        return Imported(
            batch=batch,
            dry_run=request.dry_run,
            added=_counts(done.added),
            extended=_counts(done.extended),
            standing=_counts(done.standing),
            reworded=done.reworded,
            refused=tuple(sorted(done.refused, key=lambda each: each.line)),
            paths=tuple(dict.fromkeys(done.paths)),
            entries=() if request.dry_run else self._entries(actor),
            ended=done.ended,
        )

    def undo(self, request: UndoImport) -> Imported:
        """Take back what an import wrote, the last first; what was edited since stays.

        Raises `NotFound` if there is no such import, or all of it is taken back.
        """
        entries = self._entries(f"{ACTOR} {request.batch}")
        if not entries:
            raise NotFound(f"no import {request.batch} to take back", "see: hippod log")
        undone, paths, conflicts = [], [], []
        for number in entries:
            try:
                back = self._provenance.undo(number, dry_run=request.dry_run, actor=ACTOR)
            except HippodError as error:
                conflicts.append(f"entry {number}: {error.message}")
                continue
            if back.conflict:
                conflicts.append(f"entry {number}: {back.conflict}")
            else:
                undone.append(number)
                paths.append(back.path)
        if not request.dry_run:
            self._tell(paths)
        return Imported(
            batch=request.batch,
            dry_run=request.dry_run,
            paths=tuple(dict.fromkeys(paths)),
            undone=tuple(undone),
            conflicts=tuple(conflicts),
        )

    def _entries(self, actor: str) -> tuple[int, ...]:
        """Return what an import wrote and nobody took back, the last first."""
        found = self._state.entries_by(actor)
        return tuple(
            each.id for each in found if each.status == "committed" and each.undone_by is None
        )

    def _tell(self, paths: Iterable[str]) -> None:
        for path in dict.fromkeys(paths):
            self.changed(path)


# -- lines -----------------------------------------------------------------------------------


def _records(request: AddRecords, done: _Done) -> Iterator[tuple[int, object]]:
    """Yield the records of a text with their lines; those that cannot be read are refused."""
    is_first = request.line == 1
    for number, line in enumerate(request.text.split("\n"), request.line):
        if not line.strip():
            continue
        is_begin = is_first
        try:
            record = _read(line)
            is_begin = is_begin or isinstance(record, Begin)  # of another, joined to the first
            if is_begin:
                _check_begin(record)
        except RefusedError as refused:
            if is_begin:
                raise InvalidInput(
                    f"line {number}: {refused}", "import what `hippod export` wrote"
                ) from None
            done.refuse(number, str(refused))
            continue
        is_first = False
        done.ended = done.ended or isinstance(record, End)
        yield number, record


def _read(line: str) -> object:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise RefusedError("is not JSON") from None
    try:
        return _RECORD.validate_python(found)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        raise RefusedError(_said(fault)) from None


def _said(fault: ErrorDetails) -> str:
    """Say what is wrong with a record, in words of people who never heard of our parser."""
    if fault["type"] == "union_tag_invalid":
        tag, known = str(fault["ctx"]["tag"])[:50], fault["ctx"]["expected_tags"]
        return f"type: {tag!r} is none of {known}"
    place = ".".join(str(part)[:50] for part in fault["loc"][1:])
    said = _FAULTS.get(fault["type"]) or fault["msg"].replace("Input should be", "must be")[:200]
    return f"{place}: {said}" if place else said


def _check_begin(record: object) -> None:
    if not isinstance(record, Begin):
        raise RefusedError("does not begin an export of hippod")
    if record.format != FORMAT:
        raise RefusedError(f"format {record.format}, but this hippod knows {FORMAT}")


def _size(logs: Logs) -> int:
    return sum(len(names) for _, names in logs.values())


def _counts(counter: Mapping[str, int]) -> Counts:
    return Counts(**{name: counter.get(name, 0) for name in Counts.model_fields})


# -- adding ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _NewFact:
    line: int
    fact: Fact


class _Adding:
    """One part of an import.

    The workspace is held for as long as one page or one day takes: between a look and a write
    nothing is forgotten, and others get their turn in between.
    """

    def __init__(
        self,
        workspace: Workspace,
        state: State,
        logs: Logs,
        actor: str,
        done: _Done,
        *,
        dry_run: bool,
    ) -> None:
        self._workspace = workspace
        self._remembered = Remembered(workspace)
        self._state = state
        self._logs = logs
        self._actor = actor
        self._done = done
        self._dry_run = dry_run
        self._planned: dict[str, str] = {}
        """Pages as they would be by now."""

    def add(self, records: Numbered, today: date) -> None:
        """Add what is missing of each type; opinions first, as in an export."""
        self._add_opinions([(n, r) for n, r in records if isinstance(r, OpinionRecord)], today)
        self._add_entities([(n, r) for n, r in records if isinstance(r, EntityRecord)])
        self._add_facts([(n, r) for n, r in records if isinstance(r, FactRecord)], today)

    def _stones(self) -> Tombstones:
        return self._remembered.tombstones()

    def _read(self, path: str) -> tuple[str, str]:
        """Return text and etag of a page, both empty if there is none."""
        if path in self._planned:
            return self._planned[path], ""
        try:
            document = self._workspace.read(path)
        except NotFound:
            return "", ""
        if document.note:
            raise Conflict(f"{path}: {document.note}", "put it right by hand")
        return document.text, document.etag

    def _write(self, path: str, text: str, etag: str) -> None:
        if self._dry_run:
            self._planned[path] = text
        else:
            self._workspace.write(path, text, etag, actor=self._actor)
        self._done.paths.append(path)

    # -- facts -------------------------------------------------------------------------------

    def _add_facts(self, records: Sequence[tuple[int, FactRecord]], today: date) -> None:
        if not records:
            return
        known = self._known()
        undone = self._undone(record.id for _, record in records)
        new: dict[date, list[_NewFact]] = {}
        stones = self._stones()
        for number, record in records:
            with self._done.refusing(number):
                if (taken := self._taken_fact(record, known, stones, today)) is None:
                    continue
                day, fact = taken
                if self._stands(intake.known_as(day, fact), known):
                    continue
                if fact.id in undone:
                    raise RefusedError("was taken back here by undo")
                known |= intake.known_as(day, fact)
                new.setdefault(day, []).append(_NewFact(number, fact))
        for day in sorted(new):
            with self._workspace.held():
                self._append(day, self._still_new(day, new[day]))
            time.sleep(_TURN_SECONDS)

    def _taken_fact(
        self, record: FactRecord, known: Set[str], stones: Tombstones, today: date
    ) -> tuple[date, Fact] | None:
        """Return a fact as it may be written; None if it stands in other words than these."""
        try:
            return intake.fact_of(record, stones, today)
        except RefusedError:
            if f"^{record.id}" not in known:
                raise
            self._done.reworded += 1
            return None

    def _stands(self, names: frozenset[str], known: Set[str]) -> bool:
        """Say whether a fact is there, and count it: some are there in other words."""
        there = names & known
        if there and all(name.startswith("^") for name in there):
            self._done.reworded += 1
        elif there:
            self._done.standing["facts"] += 1
        return bool(there)

    def _still_new(self, day: date, found: Sequence[_NewFact]) -> list[_NewFact]:
        """Return what is still to be added, now that nobody else writes."""
        stones, known = self._stones(), self._known_of(day)
        new = []
        for each in found:
            with self._done.refusing(each.line):
                intake.check_not_forgotten(day, each.fact, stones)
                if not self._stands(intake.known_as(day, each.fact), known):
                    new.append(each)
        return new

    def _append(self, day: date, new: Sequence[_NewFact]) -> None:
        bullets = [facts.render(each.fact) for each in new]
        try:
            if new and not self._dry_run:
                done = self._workspace.append_facts(day, bullets, actor=self._actor)
                self._done.paths.append(done.path)
                self._remember(day, done, new)
        except HippodError as error:
            for each in new:
                self._done.refuse(each.line, error.message)
        else:
            self._done.added["facts"] += len(new)

    def _remember(self, day: date, done: Appended, new: Sequence[_NewFact]) -> None:
        """Note what a log is known by now; it would else be read for every part, ever longer."""
        before, stat = self._logs.get(done.path), self._workspace.stat(done.path)
        if before is None or stat is None:
            return
        size = before[0].size, stat.size, stat.inode
        if size == (done.offset, done.offset + len(done.data), done.inode):  # nobody else wrote
            names = before[1].union(*(intake.known_as(day, each.fact) for each in new))
            self._logs[done.path] = stat, names

    def _known(self) -> set[str]:
        """Return what all facts that stand are known by."""
        paths = [path for path in self._workspace.scan().files if daylog.day_of(path)]
        for gone in self._logs.keys() - set(paths):
            del self._logs[gone]
        return {name for path in paths for name in self._names_in(path)}

    def _known_of(self, day: date) -> set[str]:
        """Return what the facts of a day are known by."""
        paths = {daylog.log_path(day, layout) for layout in get_args(daylog.Layout)}
        paths |= {path for path in self._logs if daylog.day_of(path) == day}
        return {name for path in paths for name in self._names_in(path)}

    def _names_in(self, path: str) -> frozenset[str]:
        before, day = self._logs.get(path), daylog.day_of(path)
        if before is not None and before[0] == self._workspace.stat(path):
            return before[1]
        loaded = self._workspace.load(path)
        if loaded is None or day is None:
            self._logs.pop(path, None)
            return frozenset()
        placed = daylog.parse(loaded.text).facts
        names = frozenset[str]().union(*(intake.known_as(day, each.fact) for each in placed))
        self._logs[path] = loaded.stat, names
        return names

    def _undone(self, ids: Iterable[str | None]) -> set[str]:
        found = self._state.known_facts(id_ for id_ in ids if id_)
        return {id_ for id_, fact in found.items() if fact.undone}

    # -- opinions ----------------------------------------------------------------------------

    def _add_opinions(self, records: Sequence[tuple[int, OpinionRecord]], today: date) -> None:
        """Add new sections, and evidence that others lack.

        One write takes them all but those that the same part has said before: they are added to
        what that write makes of them.
        """
        while records:
            with self._workspace.held():
                now, records = self._taken(records)
                try:
                    counts = self._write_opinions(now, today)
                except (RefusedError, HippodError) as error:
                    for number, _ in now:
                        self._done.refuse(number, str(error))
                    continue
            self._done.added["opinions"] += counts.added
            self._done.extended["opinions"] += counts.extended
            self._done.standing["opinions"] += counts.standing
            self._done.refused += counts.refused

    def _taken(
        self, records: Sequence[tuple[int, OpinionRecord]]
    ) -> tuple[list[tuple[int, NewOpinion]], list[tuple[int, OpinionRecord]]]:
        """Return the opinions that may be kept, each once, and the records that say one again."""
        stones = self._stones()
        taken: list[tuple[int, NewOpinion]] = []
        later: list[tuple[int, OpinionRecord]] = []
        seen: set[str] = set()
        for number, record in records:
            with self._done.refusing(number):
                new = intake.opinion_of(record, stones)
                names = _names_of(new.opinion)
                if seen.intersection(names):
                    later.append((number, record))
                else:
                    seen.update(names)
                    taken.append((number, new))
        return taken, later

    def _write_opinions(
        self, records: Sequence[tuple[int, NewOpinion]], today: date
    ) -> "_Opinions":
        text, etag = self._read(pages.OPINIONS)
        document = markdown.parse(text)
        if document.marks:
            raise RefusedError(f"{pages.OPINIONS}: has git conflict marks")
        counts, held = _Opinions(), ledger_text.held(document)
        known = _by_name(held)
        sections = []
        for number, new in records:
            there = next((known[name] for name in _names_of(new.opinion) if name in known), None)
            if there is None:
                sections.append(new.lines)
            else:
                counts.extend(number, there, new.opinion)
        counts.added = len(sections)
        if sections and text and not ledger_text.takes_sections(text, document):
            raise RefusedError(f"{pages.OPINIONS}: an open code block or comment would swallow it")
        after = ledger_text.rewritten(text, [each for each in held if each.touched], today)
        after = ledger_text.with_sections(after, sections)
        if sections or counts.extended:
            self._write(pages.OPINIONS, after, etag)
        return counts

    # -- entities ----------------------------------------------------------------------------

    def _add_entities(self, records: Sequence[tuple[int, EntityRecord]]) -> None:
        if not records:
            return
        who = _Who(Lookup(self._workspace).look_at_pages().pages)
        for number, record in records:
            with self._done.refusing(number), self._workspace.held():
                self._add_entity(number, intake.names_of(record, self._stones()), who)
            time.sleep(_TURN_SECONDS)

    def _add_entity(self, number: int, names: intake.Names, who: "_Who") -> None:
        page = who.owner(names.name)
        aliases = self._free_aliases(number, names, page, who)
        others = self._free_others(number, names, page, aliases)
        if page is None:
            path = page_path(names.name, who.paths)
            text = page_names.new_page(names.name, aliases, others)
            self._write(path, text, "")
        elif aliases or others:
            path, text = page.path, self._extend_page(page.path, aliases, others)
        else:
            self._done.standing["entities"] += 1
            return
        outcome = self._done.extended if page else self._done.added
        outcome["entities"] += 1
        who.put(read_page(path, text))

    def _extend_page(self, path: str, aliases: Sequence[str], others: Sequence[str]) -> str:
        text, etag = self._read(path)
        if problem := regions.fault(text, markdown.parse(text)):
            raise RefusedError(f"{path}: {problem}")
        try:
            after = page_names.with_names(text, aliases, others)
        except InvalidInput as error:
            raise RefusedError(f"{path}: {error.message}") from None
        self._write(path, after, etag)
        return after

    def _free_aliases(
        self, number: int, names: intake.Names, page: Page | None, who: "_Who"
    ) -> list[str]:
        """Return the aliases that a page lacks and may have; others are refused one by one."""
        has = _forms(names, page)
        denied = set(map(form, page.others)) if page else set()
        free: dict[str, str] = {}
        for each in names.aliases:
            owner = who.owner(each)
            if form(each) in has:
                continue
            if form(each) in denied:
                self._done.refuse(number, f"alias {each}: {page and page.path} denies it")
            elif owner is not None and owner is not page:
                self._done.refuse(number, f"alias {each}: {owner.path} has it")
            else:
                free.setdefault(form(each), each)
        return list(free.values())

    def _free_others(
        self, number: int, names: intake.Names, page: Page | None, aliases: Iterable[str]
    ) -> list[str]:
        """Return the names under `not` that a page lacks and may have."""
        theirs = _forms(names, page) | set(map(form, aliases))
        has = set(map(form, page.others)) if page else set()
        free: dict[str, str] = {}
        for each in names.others:
            if form(each) in theirs:
                self._done.refuse(number, f"not {each}: is a name of {names.name} here")
            elif form(each) not in has:
                free.setdefault(form(each), each)
        return list(free.values())


class _Who:
    """Which page has which name, while an import adds to them."""

    def __init__(self, read: Iterable[Page]) -> None:
        self.paths: set[str] = set()
        self._named: dict[str, Page] = {}
        self._aliases: dict[str, Page] = {}
        for page in read:
            self.put(page)

    def put(self, page: Page | None) -> None:
        """Take a page, also for what was known of it; of two with one name the first has it."""
        if page is None:
            return
        self.paths.add(page.path)
        for names, known in (((page.entity,), self._named), (page.aliases, self._aliases)):
            for each in map(form, names):
                if each not in known or known[each].path == page.path:
                    known[each] = page

    def owner(self, name: str) -> Page | None:
        """Return the page about an entity of that name, else one that has it as an alias."""
        return self._named.get(form(name)) or self._aliases.get(form(name))


def _forms(names: intake.Names, page: Page | None) -> set[str]:
    return {form(each) for each in (names.name, *((page.entity, *page.aliases) if page else ()))}


# -- opinions that stand ---------------------------------------------------------------------


@dataclass(slots=True)
class _Opinions:
    """What one write does to the opinions."""

    added: int = 0
    extended: int = 0
    standing: int = 0
    refused: list[RefusedRecord] = field(default_factory=list)

    def extend(self, number: int, there: Held, new: pages.Opinion) -> None:
        """Let an opinion have what it lacks, unless it is not ours to change."""
        try:
            if _extend(there, new):
                self.extended += 1
            else:
                self.standing += 1
        except RefusedError as error:
            self.refused.append(RefusedRecord(line=number, reason=str(error)))


def _names_of(opinion: pages.Opinion | Held) -> tuple[str, ...]:
    """Return what an opinion is known by: its id, else its words."""
    said = facts.normalise(opinion.statement)
    return (f"^{opinion.id}", said) if opinion.id else (said,)


def _by_name(held: Iterable[Held]) -> dict[str, Held]:
    known: dict[str, Held] = {}
    for each in held:
        for name in _names_of(each):
            known.setdefault(name, each)
    return known


def _extend(there: Held, new: pages.Opinion) -> bool:
    """Add the evidence that an opinion lacks, and let count what waits; say whether any did."""
    cited = {item.block: item for item in there.items}
    theirs = ledger_text.items(new)
    lacks = [item for item in theirs if item.block not in cited]
    decided = [
        waits for item in theirs if (waits := cited.get(item.block)) and _decides(item, waits)
    ]
    if (lacks or decided) and not there.is_ours:
        raise RefusedError(there.problem or f"{pages.OPINIONS}: stands there without an id")
    there.release(decided)
    for item in lacks:
        there.add(replace(item, lines=None))
    if lacks or decided:
        there.settle()
    return bool(lacks or decided)


def _decides(item: Item, waits: Item) -> bool:
    """Say whether evidence is what waits to count here."""
    sides = {"supports": waits.weight > 0, "contradicts": waits.weight < 0}
    return waits.name == "pending" and sides.get(item.name, False)
