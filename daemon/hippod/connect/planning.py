"""Plans a connection or its end, and carries the plan out: all that changes is shown before."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from hippod.connect import files, record
from hippod.connect.agents import Agent, Setup
from hippod.connect.entries import Entry, Trace, is_changed, is_there, take_out
from hippod.connect.record import Connection, FileRecord
from hippod.connect.source import source_entry
from hippod.errors import HippodError, NotFound


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
    old = record.load(agent.name, setup.environ).get(fresh.key)
    drafts: dict[Path, _Draft] = {}
    notes = agent.notes(setup) if setup.hooks else []
    source = agent.source(setup) if setup.keeps else None
    entries = [*agent.entries(setup), *source_entry(source, config, setup)]
    for entry in entries:
        _place(entry, drafts, old, notes, force=force)
    _drop_unwanted(entries, drafts, old)
    records = tuple(_file_record(path, draft, old) for path, draft in drafts.items())
    return Plan(agent.name, _changes(drafts), tuple(notes), replace(fresh, files=records), config)


def plan_end(agent: str, setup: Setup, config: Path) -> Plan:
    """Return what takes a connection back: the very bytes where a file was left alone since.

    Raises `NotFound` if there is no such connection.
    """
    key = Connection(setup.name, str(setup.project) if setup.project else None, "").key
    known = record.load(agent, setup.environ)
    if key not in known:
        others = f"; known are: {', '.join(known)}" if known else ""
        raise NotFound(f"{agent}: {key} is not connected{others}", "see: hippod connect")
    connection = known.pop(key)
    changes, notes = [], []
    for written in (_own_part(each, known) for each in connection.files):
        before = files.read(Path(written.path))
        if before is None:
            notes.append(f"{written.path}: is gone")
            continue
        after, note = _ended(written, before)
        notes += [note] if note else []
        changes.append(Change(Path(written.path), before, after))
    real = tuple(change for change in changes if change.before != change.after)
    return Plan(agent, real, tuple(notes), connection, config, ends=True)


def apply(made: Plan, environ: Mapping[str, str]) -> list[Done]:
    """Carry a plan out; all files are looked at before the first one is written.

    Raises `Conflict` where a file changed since the plan was made: nothing was written to it.
    """
    for change in made.changes:
        files.check(change.path, change.before)
    known = record.load(made.agent, environ)
    if made.ends:
        done = [_end(change, made.connection) for change in made.changes]
        known.pop(made.connection.key, None)
        record.save(made.agent, environ, known)
        _remove_copies(made)
        return done
    copies = _back_up(made)
    written = tuple(_with_copy(each, copies) for each in made.connection.files)
    known[made.connection.key] = replace(made.connection, files=written)
    record.save(made.agent, environ, known)  # before the files: a crash between is undone by it
    return [_write(change, copies, made.connection) for change in made.changes]


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


def _place(
    entry: Entry,
    drafts: dict[Path, _Draft],
    old: Connection | None,
    notes: list[str],
    *,
    force: bool,
) -> None:
    draft = drafts.get(entry.file) or _draft(entry.file)
    known = _traces(old, entry.file).get(entry.key)
    placed = entry.place(draft.data, known, force=force)
    if placed.note:
        notes.append(placed.note)
    if placed.trace is None:
        return
    draft.data = placed.data
    draft.traces[entry.key] = placed.trace
    draft.clean = draft.clean and placed.fresh
    drafts[entry.file] = draft


def _drop_unwanted(
    entries: list[Entry], drafts: dict[Path, _Draft], old: Connection | None
) -> None:
    """Take out what an earlier run wrote and this one was not told to."""
    wanted = {(entry.file, entry.key) for entry in entries}
    for written in old.files if old else ():
        path = Path(written.path)
        gone = [key for key in written.traces if (path, key) not in wanted]
        if not gone:
            continue
        draft = drafts.setdefault(path, _draft(path))
        for key in reversed(gone):  # the first one made what the others stand in
            if draft.data is not None:
                draft.data = take_out(draft.data, written.traces[key], written.path)


def _draft(path: Path) -> _Draft:
    data = files.read(path)
    return _Draft(data, data, {})


def _traces(old: Connection | None, path: Path) -> Mapping[str, Trace]:
    found = _record_of(old, path)
    return found.traces if found else {}


def _record_of(old: Connection | None, path: Path) -> FileRecord | None:
    return next((each for each in old.files if each.path == str(path)), None) if old else None


def _file_record(path: Path, draft: _Draft, old: Connection | None) -> FileRecord:
    """Return the record of a file: what it was before us counts on while only we change it."""
    before, after = _hash(draft.before), _hash(draft.data)
    known = _record_of(old, path)
    if known and before in (known.after, known.before):  # the latter: it was never written
        return replace(known, after=after, traces=draft.traces)
    if known and before == after:  # changed by others, and may be as we left it once more
        return replace(known, traces=draft.traces)
    clean = draft.clean and known is None
    existed = draft.before is not None
    return FileRecord(str(path), existed, None, before, after, clean, draft.traces)


def _changes(drafts: dict[Path, _Draft]) -> tuple[Change, ...]:
    return tuple(
        Change(path, draft.before, draft.data)
        for path, draft in drafts.items()
        if draft.before != draft.data
    )


def _own_part(written: FileRecord, others: Mapping[str, Connection]) -> FileRecord:
    """Return a record without the entries that other connections of the agent need as well."""
    shared = {
        key
        for other in others.values()
        for held in other.files
        if held.path == written.path
        for key, trace in held.traces.items()
        if key in written.traces and trace["value"] == written.traces[key]["value"]
    }
    if not shared:
        return written
    traces = {key: trace for key, trace in written.traces.items() if key not in shared}
    return replace(written, clean=False, traces=traces)


def _ended(written: FileRecord, before: bytes) -> tuple[bytes | None, str]:
    """Return what becomes of a file at the end of a connection, with a note."""
    if written.clean and _hash(before) == written.after:
        if not written.existed:
            return None, ""
        original = files.read(Path(written.backup)) if written.backup else None
        if original is not None and _hash(original) == written.before:
            return original, ""
    data: bytes | None = before
    for key in reversed(list(written.traces)):
        if data is not None:
            data = take_out(data, written.traces[key], written.path)
    changed = [t for t in written.traces.values() if data and is_there(data, t, written.path)]
    return data, f"{written.path}: what you changed in it stays" if changed else ""


# -- carrying out ----------------------------------------------------------------------------


def _back_up(made: Plan) -> dict[Path, Path]:
    """Keep what each file is now, unless all that changed since the last copy is ours."""
    copies = {}
    for change in made.changes:
        known = _record_of(made.connection, change.path)
        if change.before is not None and not (change.path == made.config or _has_copy(known)):
            copies[change.path] = files.back_up(change.path, change.before)
    return copies


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


def _end(change: Change, connection: Connection) -> Done:
    written = _record_of(connection, change.path)
    restored = written and written.existed and _hash(change.after) == written.before
    copy = _copy_of_changed(change, written)
    files.write(change.path, change.before, change.after, private_file=True)
    if change.after is None:
        return Done(change.path, "removed", copy)
    return Done(change.path, "restored" if restored else "changed", copy)


def _copy_of_changed(change: Change, written: FileRecord | None) -> Path | None:
    """Keep a file if a person changed what is taken out of it."""
    traces = written.traces.values() if written else ()
    where = str(change.path)
    if change.before is None or not any(is_changed(change.before, t, where) for t in traces):
        return None
    return files.back_up(change.path, change.before)


def _remove_copies(made: Plan) -> None:
    """Remove the copies of what stands again as it was."""
    for written in made.connection.files:
        if not written.backup:
            continue
        copy = files.read(Path(written.backup))
        same = copy is not None and _hash(copy) == written.before
        if same and files.read(Path(written.path)) == copy:
            files.write(Path(written.backup), copy, None, private_file=True)


def _hash(data: bytes | None) -> str:
    return hashlib.sha256(data).hexdigest() if data is not None else ""
