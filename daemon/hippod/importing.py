"""Facts, opinions and entities out of JSON lines: what is missing is added, nothing is replaced.

What stands already stays as it stands, so a second import adds nothing.
"""

import contextlib
import json
import secrets
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, tzinfo
from typing import Final

from pydantic import TypeAdapter, ValidationError

from hippod import daylog, facts, intake, markdown, pages
from hippod.documents import FileStat
from hippod.entity_lookup import Lookup
from hippod.errors import Conflict, HippodError, InvalidInput, NotFound
from hippod.facts import Fact
from hippod.intake import NewOpinion, RefusedError
from hippod.provenance import Provenance
from hippod.reflection import ledger_text, page_names, regions
from hippod.reflection.entities import Page, form
from hippod.reflection.ledger_text import Held
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
from hippod.workspace import Workspace

ACTOR: Final = "import"
"""Who wrote, in the journal; behind it stands the name of the import."""
_RECORD: TypeAdapter[object] = TypeAdapter(Record)

Logs = dict[str, tuple[FileStat, frozenset[str]]]
"""By which names the facts of each log are known, as long as the file is the same."""
Numbered = Sequence[tuple[int, object]]


@dataclass(slots=True)
class _Done:
    """What an import comes to so far."""

    added: Counter[str] = field(default_factory=Counter)
    extended: Counter[str] = field(default_factory=Counter)
    standing: Counter[str] = field(default_factory=Counter)
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

        Raises `InvalidInput` if the text does not begin an export, though it is its first part.
        """
        batch = request.batch or secrets.token_hex(4)
        actor, done = f"{ACTOR} {batch}", _Done()
        today = self._clock().astimezone(self._zone).date()
        with self._lock:
            records = list(_records(request, done))
            adding = _Adding(self._workspace, self._state, self._logs, actor, done)
            with self._workspace.held():  # between a look and a write nothing is forgotten
                adding.add(records, today, dry_run=request.dry_run)
            self._logs = {} if done.ended else self._logs
        if not request.dry_run:
            self._tell(done.paths)
        return Imported(
            batch=batch,
            dry_run=request.dry_run,
            added=_counts(done.added),
            extended=_counts(done.extended),
            standing=_counts(done.standing),
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
        try:
            record = _read(line)
            if is_first:
                _check_begin(record)
        except RefusedError as refused:
            if is_first:
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
        place = ".".join(str(part)[:50] for part in fault["loc"][1:])
        said = str(fault["msg"])[:200]
        raise RefusedError(f"{place}: {said}" if place else said) from None


def _check_begin(record: object) -> None:
    if not isinstance(record, Begin):
        raise RefusedError("does not begin an export of hippod")
    if record.format != FORMAT:
        raise RefusedError(f"format {record.format}, but this hippod knows {FORMAT}")


def _counts(counter: Mapping[str, int]) -> Counts:
    return Counts(**{name: counter.get(name, 0) for name in Counts.model_fields})


# -- adding ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _NewFact:
    line: int
    fact: Fact


class _Adding:
    """One part of an import, while the workspace is held."""

    def __init__(
        self, workspace: Workspace, state: State, logs: Logs, actor: str, done: _Done
    ) -> None:
        self._workspace = workspace
        self._state = state
        self._logs = logs
        self._actor = actor
        self._done = done
        self._stones = Remembered(workspace).tombstones()
        self._dry_run = False

    def add(self, records: Numbered, today: date, *, dry_run: bool) -> None:
        """Add what is missing of each type; opinions first, as in an export."""
        self._dry_run = dry_run
        self._add_opinions(records, today)
        for number, record in records:
            if isinstance(record, EntityRecord):
                with self._done.refusing(number):
                    self._add_entity(number, record)
        self._add_facts([(n, each) for n, each in records if isinstance(each, FactRecord)], today)

    def _read(self, path: str) -> tuple[str, str]:
        """Return text and etag of a page, both empty if there is none."""
        try:
            document = self._workspace.read(path)
        except NotFound:
            return "", ""
        if document.note:
            raise Conflict(f"{path}: {document.note}", "put it right by hand")
        return document.text, document.etag

    def _write(self, path: str, text: str, etag: str) -> None:
        if not self._dry_run:
            self._workspace.write(path, text, etag, actor=self._actor)
        self._done.paths.append(path)

    # -- facts -------------------------------------------------------------------------------

    def _add_facts(self, records: Sequence[tuple[int, FactRecord]], today: date) -> None:
        if not records:
            return
        known = self._known()
        undone = self._undone(record.id for _, record in records)
        new: dict[date, list[_NewFact]] = {}
        for number, record in records:
            with self._done.refusing(number):
                day, fact = intake.fact_of(record, self._stones, today)
                names = intake.known_as(day, fact)
                if names & known:
                    self._done.standing["facts"] += 1
                    continue
                if fact.id in undone:
                    raise RefusedError("was taken back here by undo")
                known |= names
                new.setdefault(day, []).append(_NewFact(number, fact))
        for day in sorted(new):
            self._append(day, new[day])

    def _append(self, day: date, new: Sequence[_NewFact]) -> None:
        bullets = [facts.render(each.fact) for each in new]
        try:
            if not self._dry_run:
                done = self._workspace.append_facts(day, bullets, actor=self._actor)
                self._done.paths.append(done.path)
        except HippodError as error:
            for each in new:
                self._done.refuse(each.line, error.message)
        else:
            self._done.added["facts"] += len(new)

    def _known(self) -> set[str]:
        """Return what all facts that stand are known by."""
        logs: Logs = {}
        for path in self._workspace.scan().files:
            day = daylog.day_of(path)
            if day is None:
                continue
            before = self._logs.get(path)
            if before is not None and before[0] == self._workspace.stat(path):
                logs[path] = before
            elif (loaded := self._workspace.load(path)) is not None:
                placed = daylog.parse(loaded.text).facts
                names = [intake.known_as(day, each.fact) for each in placed]
                logs[path] = loaded.stat, frozenset().union(*names)
        self._logs.clear()
        self._logs.update(logs)
        return {name for _, names in logs.values() for name in names}

    def _undone(self, ids: Iterable[str | None]) -> set[str]:
        found = self._state.known_facts(id_ for id_ in ids if id_)
        return {id_ for id_, fact in found.items() if fact.undone}

    # -- opinions ----------------------------------------------------------------------------

    def _add_opinions(self, records: Numbered, today: date) -> None:
        """Add them all by one write: new sections, and evidence that others lack."""
        found: list[tuple[int, NewOpinion]] = []
        for number, record in records:
            if isinstance(record, OpinionRecord):
                with self._done.refusing(number):
                    found.append((number, intake.opinion_of(record, self._stones)))
        if not found:
            return
        part = _Done()
        try:
            self._write_opinions(found, part, today)
        except (RefusedError, HippodError) as error:
            for number, _ in found:
                self._done.refuse(number, str(error))
            return
        self._done.added += part.added
        self._done.extended += part.extended
        self._done.standing += part.standing
        self._done.refused += part.refused

    def _write_opinions(
        self, records: Sequence[tuple[int, NewOpinion]], done: _Done, today: date
    ) -> None:
        text, etag = self._read(pages.OPINIONS)
        document = markdown.parse(text)
        if document.marks:
            raise RefusedError(f"{pages.OPINIONS}: has git conflict marks")
        held = ledger_text.held(document)
        new = [each for each in records if not self._is_there(each, held, done)]
        sections = {_key(each.opinion): each.lines for _, each in reversed(new)}
        done.added["opinions"] += len(sections)
        done.standing["opinions"] += len(new) - len(sections)
        if sections and text and not ledger_text.takes_sections(text, document):
            raise RefusedError(f"{pages.OPINIONS}: an open code block or comment would swallow it")
        after = ledger_text.rewritten(text, [each for each in held if each.touched], today)
        after = ledger_text.with_sections(after, reversed(sections.values()))
        if sections or any(each.touched for each in held):
            self._write(pages.OPINIONS, after, etag)

    def _is_there(
        self, numbered: tuple[int, NewOpinion], held: Sequence[Held], done: _Done
    ) -> bool:
        """Say whether an opinion stands there, and let it have what it lacks."""
        number, new = numbered
        there = next((each for each in held if each.id and each.id == new.opinion.id), None)
        said = facts.normalise(new.opinion.statement)
        there = there or next((e for e in held if facts.normalise(e.statement) == said), None)
        if there is None:
            return False
        with done.refusing(number):
            outcome = done.extended if _extend(there, new.opinion) else done.standing
            outcome["opinions"] += 1
        return True

    # -- entities ----------------------------------------------------------------------------

    def _add_entity(self, number: int, record: EntityRecord) -> None:
        names = intake.names_of(record, self._stones)
        seen = Lookup(self._workspace).look_at_pages().pages
        page = _owner(names.name, seen)
        aliases = self._free_aliases(number, names, page, seen)
        others = self._free_others(number, names, page)
        if page is None:
            path = page_path(names.name, [each.path for each in seen])
            self._write(path, page_names.new_page(names.name, aliases, others), "")
            self._done.added["entities"] += 1
        elif aliases or others:
            self._extend_page(page.path, aliases, others)
            self._done.extended["entities"] += 1
        else:
            self._done.standing["entities"] += 1

    def _extend_page(self, path: str, aliases: Sequence[str], others: Sequence[str]) -> None:
        text, etag = self._read(path)
        if problem := regions.fault(text, markdown.parse(text)):
            raise RefusedError(f"{path}: {problem}")
        try:
            after = page_names.with_names(text, aliases, others)
        except InvalidInput as error:
            raise RefusedError(f"{path}: {error.message}") from None
        self._write(path, after, etag)

    def _free_aliases(
        self, number: int, names: intake.Names, page: Page | None, seen: Sequence[Page]
    ) -> list[str]:
        """Return the aliases that a page lacks and may have; others are refused one by one."""
        has = _forms(names, page)
        denied = set(map(form, page.others)) if page else set()
        free: dict[str, str] = {}
        for each in names.aliases:
            owner = _owner(each, seen)
            if form(each) in has:
                continue
            if form(each) in denied:
                self._done.refuse(number, f"alias {each}: {page and page.path} denies it")
            elif owner is not None and owner is not page:
                self._done.refuse(number, f"alias {each}: {owner.path} has it")
            else:
                free.setdefault(form(each), each)
        return list(free.values())

    def _free_others(self, number: int, names: intake.Names, page: Page | None) -> list[str]:
        """Return the names under `not` that a page lacks and may have."""
        theirs = _forms(names, page)
        has = set(map(form, page.others)) if page else set()
        for each in names.others:
            if form(each) in theirs:
                self._done.refuse(number, f"not {each}: is a name of {names.name} here")
        return [each for each in names.others if form(each) not in theirs | has]


def _forms(names: intake.Names, page: Page | None) -> set[str]:
    return {form(each) for each in (names.name, *((page.entity, *page.aliases) if page else ()))}


def _owner(name: str, seen: Iterable[Page]) -> Page | None:
    """Return the page about an entity of that name, else one that has it as an alias."""
    pages_ = list(seen)
    first = next((page for page in pages_ if form(page.entity) == form(name)), None)
    return first or next((p for p in pages_ if form(name) in map(form, p.aliases)), None)


def _key(opinion: pages.Opinion) -> str:
    return opinion.id or facts.normalise(opinion.statement)


def _extend(there: Held, new: pages.Opinion) -> bool:
    """Add the evidence that an opinion lacks; say whether there was any."""
    cited = {item.block for item in there.items}
    lacks = [item for item in ledger_text.items(new) if item.block not in cited]
    if lacks and not there.is_ours:
        raise RefusedError(there.problem or f"{pages.OPINIONS}: stands there without an id")
    for item in lacks:
        there.add(replace(item, lines=None))
    if lacks:
        there.settle()
    return bool(lacks)
