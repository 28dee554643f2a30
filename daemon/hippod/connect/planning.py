"""Plans a connection or its end, and carries the plan out: all that changes is shown before."""

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hippod.connect import files, record
from hippod.connect.agents import REGISTRY, Agent, Setup
from hippod.connect.entries import (
    Entry,
    Known,
    Placed,
    Trace,
    handed_on,
    is_changed,
    is_there,
    own_texts,
    take_out,
    what_stays,
)
from hippod.connect.record import Connection, FileRecord
from hippod.connect.source import shared_config, source_entry
from hippod.errors import Conflict, HippodError, InvalidInput, NotFound

_OTHER_NAMES = "{}: has other hard links, which keep what they say now"


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one file; None: it is not there."""

    path: Path
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes of a connection, and what is recorded once they are made."""

    agent: str
    changes: tuple[Change, ...]
    notes: tuple[str, ...]
    connection: Connection
    config: Path
    """hippod's own file, of which no copy is kept."""
    texts: frozenset[str] = frozenset()
    """The texts that are ours in what changes; others may be secrets."""
    ends: bool = False
    """Whether this takes the connection back."""


@dataclass(frozen=True, slots=True)
class Done:
    """A change that was made: changed, created, removed or restored; and where the copy lies."""

    path: Path
    done: str
    backup: Path | None = None


@dataclass(slots=True)
class _Draft:
    """A file while entries are put into it."""

    before: bytes | None
    data: bytes | None
    traces: dict[str, Trace]
    clean: bool = True


def plan(agent: Agent, setup: Setup, config: Path, *, force: bool = False) -> Plan:
    """Return what connects an agent as `setup` says. Writes nothing.

    `config` is hippod's own file. Raises `InvalidInput` with the place where a file is broken,
    `Conflict` for what others wrote at our place, `StorageError`.
    """
    fresh = Connection(setup.name, str(setup.project) if setup.project else None, setup.scope)
    every = _every(setup.environ)
    old = every.pop((agent.name, fresh.key), None)
    source = agent.source(setup) if setup.keeps else None
    entries = [*agent.entries(setup), *source_entry(source, config, setup)]
    _check_writable(agent, setup, entries)
    notes = agent.notes(setup) if setup.hooks else []
    notes += shared_config(source, config, setup)
    drafts: dict[Path, _Draft] = {}
    for entry in entries:
        _place(entry, drafts, _Records(agent.name, old, every), notes, force=force)
    _drop_unwanted(entries, drafts, old, every.values(), notes)
    records = (_file_record(path, draft, old, every.values()) for path, draft in drafts.items())
    made = replace(fresh, files=tuple(filter(_is_needed, records)))
    changes = _changes(drafts)
    notes += [_OTHER_NAMES.format(c.path) for c in changes if files.has_other_names(c.path)]
    return Plan(agent.name, changes, tuple(notes), made, config, _texts(made, old))


def plan_end(agent: str, setup: Setup, config: Path) -> Plan:
    """Return what takes a connection back: the very bytes where a file was left alone since.

    Raises `NotFound` if there is no such connection.
    """
    key = Connection(setup.name, str(setup.project) if setup.project else None, "").key
    known = record.load(agent, setup.environ)
    if key not in known:
        there = f"; known are: {', '.join(known)}" if known else ""
        raise NotFound(f"{agent}: {key} is not connected{there}", "see: hippod connect")
    others = _every(setup.environ)
    connection = others.pop((agent, key))
    changes, notes = [], []
    for written in connection.files:
        before = files.read(Path(written.path))
        if before is None:
            notes.append(f"{written.path}: is gone")
            continue
        after, said = _ended(_own_part(written, others.values()), before)
        notes += said
        changes.append(Change(Path(written.path), before, after))
    real = tuple(change for change in changes if change.before != change.after)
    notes += [_OTHER_NAMES.format(c.path) for c in real if files.has_other_names(c.path)]
    texts = _texts(connection, None)
    return Plan(agent, real, tuple(notes), connection, config, texts, ends=True)


def apply(made: Plan, environ: Mapping[str, str]) -> list[Done]:
    """Carry a plan out; all files are looked at before the first one is written.

    Raises `Conflict` where a file changed since the plan was made: nothing was written to it.
    """
    for change in made.changes:
        files.check(change.path, change.before)
    return _apply_end(made, environ) if made.ends else _apply(made, environ)


def _apply(made: Plan, environ: Mapping[str, str]) -> list[Done]:
    """Write the record before the copies and the files: a crash between is undone by it."""
    copies = _copies(made)
    written = tuple(_with_copy(each, copies) for each in made.connection.files)
    connection = replace(made.connection, files=written)
    known = record.load(made.agent, environ)
    record.save(made.agent, environ, {**known, connection.key: connection})
    try:
        _back_up(made, copies)
    except HippodError:
        record.save(made.agent, environ, known)  # nothing was done
        raise
    done = [_write(change, copies, made.connection) for change in made.changes]
    _tell_others(made, environ)
    return done


def _apply_end(made: Plan, environ: Mapping[str, str]) -> list[Done]:
    """Remove the record last: after a crash the next undo goes on."""
    done = [_end(change, made) for change in made.changes]
    _tell_others(made, environ)
    _remove_copies(made, environ)
    known = record.load(made.agent, environ)
    known.pop(made.connection.key, None)
    record.save(made.agent, environ, known)
    for written in made.connection.files:
        for folder in reversed(written.folders):
            files.remove_empty(Path(folder))
    return done


def is_standing(connection: Connection) -> bool:
    """Say whether all that a connection wrote still stands in its files."""
    for written in connection.files:
        try:
            data = files.read(Path(written.path))
            if not all(is_there(data, trace, written.path) for trace in written.traces.values()):
                return False
        except HippodError:
            return False
    return True


# -- planning --------------------------------------------------------------------------------


def _every(environ: Mapping[str, str]) -> dict[tuple[str, str], Connection]:
    """Return the connections of all agents, by agent and key: several may write one file."""
    return {
        (agent, key): connection
        for agent in REGISTRY
        for key, connection in record.load(agent, environ).items()
    }


def _check_writable(agent: Agent, setup: Setup, entries: Iterable[Entry]) -> None:
    """Raise `InvalidInput` for a path that an agent would read as something else."""
    commands = [*setup.program, *setup.options]
    for word in [*commands, str(setup.project or ""), *(str(entry.file) for entry in entries)]:
        try:
            word.encode("utf-8")
        except UnicodeEncodeError:
            hint = "settings are UTF-8, and cannot name it"
            raise InvalidInput(f"{word!a}: a path that is not UTF-8", hint) from None
    for word in commands:
        if agent.expands and (found := re.search(agent.expands, word)):
            what = f"{agent.title} would replace {found.group()} in it by a value of its own"
            raise InvalidInput(f"{word}: {what}", "choose a path without it")


def _place(
    entry: Entry, drafts: dict[Path, _Draft], records: "_Records", notes: list[str], *, force: bool
) -> None:
    draft = drafts.get(entry.file) or _draft(entry.file)
    standing = records.others_traces(entry.file, entry.key)
    known = Known(
        _traces(records.old, entry.file).get(entry.key),
        tuple(trace.get("value") for trace in standing),
    )
    placed = entry.place(draft.data, known, force=force)
    if placed.twin:
        records.check_twin(entry.file, placed)
    if placed.note:
        notes.append(placed.note)
    draft.data = placed.data if draft.data is not None or placed.data else None
    if placed.trace is not None:
        draft.traces[entry.key] = placed.trace
        draft.clean = draft.clean and (placed.fresh or bool(standing))
    if placed.trace is not None or draft.data != draft.before or records.names(entry.file):
        drafts[entry.file] = draft


@dataclass(frozen=True, slots=True)
class _Records:
    """What is recorded already: of the connection that is made, and of all others."""

    agent: str
    old: Connection | None
    every: Mapping[tuple[str, str], Connection]

    def names(self, path: Path) -> bool:
        """Say whether the connection has a record of a file."""
        return _record_of(self.old, path) is not None

    def others_traces(self, path: Path, key: str) -> list[Trace]:
        """Return what others wrote at a place."""
        found = (_traces(other, path).get(key) for other in self.every.values())
        return [trace for trace in found if trace is not None]

    def check_twin(self, path: Path, placed: Placed) -> None:
        """Raise `Conflict` if the entry that does the same is another connection's."""
        for (agent, key), other in self.every.items():
            if placed.twin in _traces(other, path):
                raise Conflict(
                    f"{self.agent}: is connected to this workspace already, as {key}",
                    f"hippod connect {agent} with --scope, and without another --name, changes"
                    " that; --undo takes it back",
                )
        if not placed.fits:
            hint = "change that one by hand, or --force adds ours beside it"
            raise Conflict(f"{placed.note.split(', so ')[0]}, with another scope", hint)


def _drop_unwanted(
    entries: list[Entry],
    drafts: dict[Path, _Draft],
    old: Connection | None,
    others: Collection[Connection],
    notes: list[str],
) -> None:
    """Take out what an earlier run wrote and this one was not told to."""
    wanted = {(entry.file, entry.key) for entry in entries}
    for written in (_own_part(each, others) for each in (old.files if old else ())):
        path = Path(written.path)
        gone = [key for key in written.traces if (path, key) not in wanted]
        if not gone:
            continue
        draft = drafts.setdefault(path, _draft(path))
        placed = draft.data
        for key in reversed(gone):  # the first one made what the others stand in
            if draft.data is not None:
                draft.data = take_out(draft.data, written.traces[key], written.path)
        draft.clean = draft.clean and draft.data == placed
        notes += _left(draft.data, [written.traces[key] for key in gone], written.path)
        draft.data = _unless_empty(draft.data, written)


def _draft(path: Path) -> _Draft:
    data = files.read(path)
    return _Draft(data, data, {})


def _traces(old: Connection | None, path: Path) -> Mapping[str, Trace]:
    found = _record_of(old, path)
    return found.traces if found else {}


def _record_of(old: Connection | None, path: Path) -> FileRecord | None:
    return next((each for each in old.files if each.path == str(path)), None) if old else None


def _file_record(
    path: Path, draft: _Draft, old: Connection | None, others: Collection[Connection]
) -> FileRecord:
    """Return the record of a file: what it was before us counts on while only we change it."""
    before, after = _hash(draft.before), _hash(draft.data)
    known = _record_of(old, path)
    if known and before in (known.after, known.before):  # the latter: it was never written
        return replace(known, after=after, traces=draft.traces)
    if known and before == after:  # changed by others, and may be as we left it once more
        return replace(known, traces=draft.traces)
    shared = [found for other in others if (found := _record_of(other, path))]
    if known is None and (first := next((each for each in shared if each.after == before), None)):
        clean = first.clean and draft.clean
        return replace(first, after=after, clean=clean, traces=draft.traces)
    clean = draft.clean and not shared
    existed, folders = draft.before is not None, files.missing_folders(path)
    return FileRecord(str(path), existed, None, before, after, clean, draft.traces, folders)


def _is_needed(written: FileRecord) -> bool:
    return bool(written.traces or written.backup or written.folders)


def _changes(drafts: dict[Path, _Draft]) -> tuple[Change, ...]:
    return tuple(
        Change(path, draft.before, draft.data)
        for path, draft in drafts.items()
        if draft.before != draft.data
    )


def _own_part(written: FileRecord, others: Collection[Connection]) -> FileRecord:
    """Return a record without the entries that other connections need as well.

    A file that others write to is never given back whole.
    """
    theirs = [_traces(other, Path(written.path)) for other in others]
    if not any(theirs):
        return written
    shared = {
        key
        for held in theirs
        for key, trace in held.items()
        if key in written.traces and trace.get("value") == written.traces[key].get("value")
    }
    traces = {key: trace for key, trace in written.traces.items() if key not in shared}
    return replace(written, existed=True, clean=False, traces=traces)


def _ended(written: FileRecord, before: bytes) -> tuple[bytes | None, list[str]]:
    """Return what becomes of a file at the end of a connection, with notes."""
    if written.clean and _hash(before) == written.after:
        if not written.existed:
            return None, []
        original = files.read(Path(written.backup)) if written.backup else None
        if original is not None and _hash(original) == written.before:
            return original, []
    data: bytes | None = before
    for key in reversed(list(written.traces)):
        if data is not None:
            data = take_out(data, written.traces[key], written.path)
    notes = _left(data, list(written.traces.values()), written.path)
    return _unless_empty(data, written), notes


def _unless_empty(data: bytes | None, written: FileRecord) -> bytes | None:
    """Return a file, None for one that was made for us and says nothing any more."""
    if data is None or written.existed or data.strip() not in (b"", b"{}"):
        return data
    return None


def _left(data: bytes | None, traces: Sequence[Trace], where: str) -> list[str]:
    """Return what to say of entries that a person changed: they stay."""
    names = dict.fromkeys(what_stays(data, trace, where) for trace in traces)
    return [f"{where}: you changed {name}, so it stays" for name in names if name]


def _texts(new: Connection, old: Connection | None) -> frozenset[str]:
    written = [*new.files, *(old.files if old else ())]
    traces = [trace for each in written for trace in each.traces.values()]
    return frozenset(text for trace in traces for text in own_texts(trace))


# -- carrying out ----------------------------------------------------------------------------


def _copies(made: Plan) -> dict[Path, Path]:
    """Name the copy of each file, but of those of which all that changed since the last is ours."""
    copies = {}
    for change in made.changes:
        known = _record_of(made.connection, change.path)
        if change.before is not None and not (change.path == made.config or _has_copy(known)):
            copies[change.path] = files.free_name(change.path)
    return copies


def _back_up(made: Plan, copies: Mapping[Path, Path]) -> None:
    """Write the copies: all of them or, with what is raised, none."""
    kept: list[tuple[Path, bytes]] = []
    try:
        for change in made.changes:
            if change.before is not None and change.path in copies:
                files.back_up(change.path, change.before, copies[change.path])
                kept.append((copies[change.path], change.before))
    except HippodError:
        for copy, data in kept:
            files.write(copy, data, None, private_file=True)
        raise


def _has_copy(known: FileRecord | None) -> bool:
    if known is None or not known.existed:
        return known is not None
    return known.backup is not None and files.read(Path(known.backup)) is not None


def _with_copy(written: FileRecord, copies: Mapping[Path, Path]) -> FileRecord:
    copy = copies.get(Path(written.path))
    if not written.existed or copy is None:
        return written
    return replace(written, backup=str(copy))


def _write(change: Change, copies: Mapping[Path, Path], connection: Connection) -> Done:
    project = connection.project
    private_file = project is None or not change.path.is_relative_to(project)
    files.write(change.path, change.before, change.after, private_file=private_file)
    what = "created" if change.before is None else "changed"
    return Done(change.path, "removed" if change.after is None else what, copies.get(change.path))


def _end(change: Change, made: Plan) -> Done:
    written = _record_of(made.connection, change.path)
    restored = written and written.existed and _hash(change.after) == written.before
    copy = None if change.path == made.config else _copy_of_changed(change, written)
    files.write(change.path, change.before, change.after, private_file=True)
    if change.after is None:
        return Done(change.path, "removed", copy)
    return Done(change.path, "restored" if restored else "changed", copy)


def _copy_of_changed(change: Change, written: FileRecord | None) -> Path | None:
    """Keep a file if a person changed what is taken out of it, or may have written it."""
    if change.before is None or written is None:
        return None
    where, traces = str(change.path), written.traces.values()
    untouched = _hash(change.before) == written.after
    changed = not untouched and any(is_changed(change.before, each, where) for each in traces)
    if written.clean and not changed:
        return None
    copy = files.free_name(change.path)
    files.back_up(change.path, change.before, copy)
    return copy


def _tell_others(made: Plan, environ: Mapping[str, str]) -> None:
    """Let the records of other connections follow what became of files that they name as well."""
    hashes = {str(change.path): _after_and_before(change) for change in made.changes}
    ending = {each.path: each.traces for each in made.connection.files} if made.ends else {}
    for agent in REGISTRY:
        known = record.load(agent, environ)
        followed = {
            key: other
            if (agent, key) == (made.agent, made.connection.key)
            else replace(other, files=tuple(_told(each, hashes, ending) for each in other.files))
            for key, other in known.items()
        }
        if followed != known:
            record.save(agent, environ, followed)


def _told(
    written: FileRecord, hashes: Mapping[str, tuple[str, str]], ending: Mapping[str, Any]
) -> FileRecord:
    after, before = hashes.get(written.path, ("", ""))
    if before and written.after == before:
        written = replace(written, after=after)
    gone = ending.get(written.path)
    if not gone:
        return written
    traces = {key: handed_on(key, trace, gone) for key, trace in written.traces.items()}
    return replace(written, traces=traces)


def _after_and_before(change: Change) -> tuple[str, str]:
    return _hash(change.after), _hash(change.before)


def _remove_copies(made: Plan, environ: Mapping[str, str]) -> None:
    """Remove the copies of what stands again as it was, and that no other connection needs."""
    others = _every(environ)
    others.pop((made.agent, made.connection.key), None)
    needed = {each.backup for other in others.values() for each in other.files}
    for written in made.connection.files:
        if not written.backup or written.backup in needed:
            continue
        copy = files.read(Path(written.backup))
        same = copy is not None and _hash(copy) == written.before
        if same and files.read(Path(written.path)) == copy:
            files.write(Path(written.backup), copy, None, private_file=True)


def _hash(data: bytes | None) -> str:
    return hashlib.sha256(data).hexdigest() if data is not None else ""
