"""The only writer of Markdown: documents, daily logs, and what a scan of the workspace finds.

Every change is journalled before it happens, compares what stands there with what was read, and
either happens as a whole or not at all. Outside of this module nobody writes documents.
"""

import contextlib
import errno
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Literal

from hippod import atomic, daylog, documents, edits, reversal
from hippod.documents import FileStat as FileStat
from hippod.documents import Link as Link
from hippod.documents import Scan as Scan
from hippod.edits import Make
from hippod.errors import Conflict, InvalidInput, NotFound, PathRefused, StorageError, TooLarge
from hippod.journal import Appended as Appended
from hippod.journal import Change, Journal, JournalEntry, Operation
from hippod.journal import PlannedAppend as PlannedAppend
from hippod.root import Root, missing

Layout = Literal["openclaw", "ironclaw"]
Plan = Callable[[PlannedAppend], None]
"""Hears of an append right before it is tried; a later call replaces an earlier plan."""

ACTOR = "hippod"
_ATTEMPTS = 8

_REASONS = {
    errno.ENOSPC: ("no space left on the disk", "free some space, then try again"),
    errno.EDQUOT: ("the disk quota is used up", "free some space, then try again"),
    errno.EROFS: ("the filesystem is read-only", "mount it writable"),
    errno.EACCES: ("permission denied", "check the owner and mode of the file and its folder"),
    errno.EPERM: ("permission denied", "check the owner and mode of the file and its folder"),
    errno.ENAMETOOLONG: ("the name is too long for this filesystem", "use a shorter one"),
    errno.EIO: ("the disk reports an error", "check the disk"),
    errno.EXDEV: ("is on another filesystem", "write it there, then delete it here"),
    errno.EMFILE: ("too many open files", "raise the limit of open files (ulimit -n)"),
}


@dataclass(frozen=True, slots=True)
class Document:
    """A document as a client sees it; `note` says if its text is not exactly its bytes."""

    path: str
    text: str
    etag: str
    size: int
    modified: datetime
    note: str = ""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A document as the index sees it: text without BOM and NULs, sha256 of the raw bytes."""

    path: str
    text: str
    sha256: str
    stat: FileStat
    note: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """The result of a write: `line` (1-based) is where the change begins, if that is one place."""

    path: str
    etag: str
    changed: bool
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Reversal:
    """A change taken back: what stood at `path` and what stands there then (None: no file).

    `moved_from` is set where a document only goes back to `path` from there, as it is.
    """

    path: str
    before: bytes | None
    after: bytes | None
    moved_from: str | None = None


@dataclass(frozen=True, slots=True)
class TreeItem:
    """One name in a folder of the workspace."""

    name: str
    path: str
    is_directory: bool


@dataclass(frozen=True, slots=True)
class _Begun:
    """An entry of the journal whose change is about to happen."""

    journal: Journal
    entry: int

    def done(self, offset: int | None = None) -> None:
        """Note that it happened; `offset`: where an append landed."""
        self.journal.commit(self.entry, offset)


@dataclass(frozen=True, slots=True)
class _Landed:
    """Where an append went, and its entry in the journal."""

    offset: int
    inode: int
    entry: int


class Workspace:
    """A folder of Markdown. Thread-safe and synchronous; one writer at a time.

    `sources_match(path)` names transcripts, which are never documents. Opening sweeps temporary
    files of dead runs and finds out what became of changes that broke off, so only the holder of
    the workspace's lock may open it.
    """

    def __init__(
        self,
        root: Path,
        journal: Journal,
        *,
        layout: Layout = "openclaw",
        ignore: Sequence[str] = (),
        max_file_bytes: int = 10_000_000,
        sources_match: Callable[[str], bool] = lambda path: False,
    ) -> None:
        self._root = Root(root)
        self.root = self._root.path
        self._journal = journal
        self._layout = layout
        self._chain: documents.Chain = (("", documents.rules(tuple(ignore))),) if ignore else ()
        self._max_bytes = max_file_bytes
        self._sources_match = sources_match
        self._lock = threading.RLock()
        self._noting = threading.Lock()
        """Beside the lock of who writes: a document is read without waiting for a disk."""
        self._owners: Mapping[tuple[int, int], str] = {}
        self._notes: dict[str, str] = {}
        self.last_scan: Scan | None = None
        self.swept: tuple[str, ...] = tuple(self._sweep())
        self._settle_journal()

    # -- verbs -------------------------------------------------------------------------------

    def read(self, path: str) -> Document:
        """Read a document.

        Raises `PathRefused`, `NotFound`, `TooLarge`, `StorageError`; `InvalidInput` if it is
        no text.
        """
        parts = self._document_parts(path)
        with self._guarded(path), self._root.parent(parts) as folder:
            found = self._existing(folder, path)
        decoded = edits.decode(found.data)
        if decoded is None:
            raise InvalidInput(f"{path}: is not text", "only text files can be read")
        return Document(
            path=path,
            text=decoded[0],
            etag=edits.digest(found.data),
            size=len(found.data),
            modified=datetime.fromtimestamp(found.stat.st_mtime, UTC),
            note=decoded[1],
        )

    def raw(self, path: str) -> bytes | None:
        """Return the bytes of a document, text or not; None if there is none.

        Raises `PathRefused`, `TooLarge`, `StorageError`.
        """
        found = self._found_or_none(path, self._document_parts(path))
        return found.data if found else None

    def same_day(self, path: str) -> list[str]:
        """Return the other daily logs of the day of the log at `path`, say an archived one."""
        day = daylog.day_of(path)
        if day is None:
            return []
        return [each for each in self.scan().files if daylog.day_of(each) == day and each != path]

    def exists(self, path: str) -> bool:
        """Say whether a regular file stands at `path`; raises `PathRefused`."""
        parts = self._document_parts(path)
        with self._guarded(path):
            try:
                with self._root.parent(parts) as folder:
                    info = os.stat(parts[-1], dir_fd=folder, follow_symlinks=False)
            except (FileNotFoundError, NotFound):
                return False
        return stat.S_ISREG(info.st_mode)

    def write(
        self, path: str, content: str, etag: str | None = None, *, actor: str = ACTOR
    ) -> Written:
        """Write a whole document, creating it and its folders as needed.

        `etag` None: whatever stands there; `""`: it must not exist. A byte order mark stays.
        Raises `Conflict` if something else stands there, or something that is not UTF-8 text:
        writing that whole would lose what a reader never saw.
        """
        data = edits.encode(content)

        def change(current: bytes | None) -> bytes:
            if current is None:
                return data
            edits.require_text(path, current)
            return edits.keep_mark(current, data)

        return self._edit(path, change, etag, "write", actor)

    def append(
        self, path: str, text: str, etag: str | None = None, *, actor: str = ACTOR
    ) -> Written:
        """Append text on a line of its own, creating the document and its folders as needed."""
        payload = edits.encode(text)
        if not payload.strip():
            raise InvalidInput("content: nothing to append")
        make = edits.once(lambda current: edits.fresh_line(current, payload), payload.strip())
        with self._lock:
            done = self._append(path, make, etag=etag, actor=actor)
            return self._written_append(done, payload)

    def replace(
        self, path: str, old: str, new: str, etag: str | None = None, *, actor: str = ACTOR
    ) -> Written:
        """Replace the one place where `old` stands; no other byte changes.

        Raises `NotFound` if it stands nowhere and `Conflict`, naming the lines, if it stands
        in several places.
        """
        if not old:
            raise InvalidInput("old: is empty", "give the text that is to be replaced")
        line = 0

        def change(current: bytes | None) -> bytes:
            nonlocal line
            if current is None:
                raise missing(path)
            before, after = edits.in_style(current, edits.encode(old), edits.encode(new))
            place = edits.only_place(path, current, before)
            line = edits.line_at(current, place)
            return current[:place] + after + current[place + len(before) :]

        written = self._edit(path, change, etag, "replace", actor)
        return replace(written, line=line)

    def insert(
        self, path: str, line: int, text: str, etag: str | None = None, *, actor: str = ACTOR
    ) -> Written:
        """Insert text on lines of its own before line `line` (from 1); no other byte changes.

        One more than the last line appends. Raises `NotFound`, `InvalidInput` for any other
        line, and `Conflict` for UTF-16.
        """
        payload = edits.encode(text)

        def change(current: bytes | None) -> bytes:
            if current is None:
                raise missing(path)
            if edits.is_utf16(current):
                raise Conflict(f"{path}: is UTF-16 text", "convert it to UTF-8 first")
            return edits.inserted(current, line, payload)

        written = self._edit(path, _naming(path, change), etag, "insert", actor)
        return replace(written, line=line)

    def move(self, path: str, to: str, etag: str | None = None, *, actor: str = ACTOR) -> Written:
        """Give a document another path, making folders as needed; its bytes stay as they are.

        Raises `Conflict` if anything stands at `to`, `PathRefused` if either path is excluded
        from the memory: what moves there would be lost from sight.
        """
        parts = self._document_parts(path)
        self._check_move(path, to)
        for _ in range(_ATTEMPTS):
            with self._lock, self._guarded(path), self._root.parent(parts, writing=True) as folder:
                found = self._writable_or_none(folder, path)
                if found is None:
                    raise missing(path)
                _check_etag(path, etag, found.data)
                if self._rename(folder, path, to, found, actor):
                    return Written(to, edits.digest(found.data), changed=True)
        raise _contended(path)

    def delete(self, path: str, etag: str | None = None, *, actor: str = ACTOR) -> Written:
        """Delete a document; its bytes stay in the journal."""
        parts = self._document_parts(path)
        for _ in range(_ATTEMPTS):
            with self._lock, self._guarded(path), self._root.parent(parts, writing=True) as folder:
                found = self._writable_or_none(folder, path)
                if found is None:
                    raise missing(path)
                _check_etag(path, etag, found.data)
                keep = self._keeper(path, "displaced")
                change = Change(
                    "delete", path, actor, found.data, preview=edits.preview(found.data, None)
                )
                with self._journalled(change) as begun:
                    atomic.remove(folder, parts[-1], found, keep)
                    begun.done()
                    return Written(path, "", changed=True)
        raise _contended(path)

    def forget(self, path: str, etag: str, data: bytes | None, *, actor: str = "forget") -> Written:
        """Let `data` stand at `path`, None: nothing, and keep nothing of what stood there.

        The one write that nobody can take back. Raises `Conflict` if something else stands there
        than `etag` names.
        """
        parts = self._document_parts(path)
        for _ in range(_ATTEMPTS):
            with self._lock, self._guarded(path), self._root.parent(parts, writing=True) as folder:
                found = self._writable_or_none(folder, path)
                if found is None:
                    raise missing(path)
                _check_etag(path, etag, found.data)
                digest = None if data is None else edits.digest(data)
                length = None if data is None else len(data)
                change = Change("forget", path, actor, length=length, digest=digest)
                with self._journalled(change) as begun:
                    self._put(folder, path, data, found)
                    begun.done()
                    return Written(path, digest or "", changed=True)
        raise _contended(path)

    def tree(self, directory: str = "", *, recursive: bool = False) -> list[TreeItem]:
        """List documents and folders below `directory`, sorted by path."""
        parts = documents.check_path(directory) if directory else ()
        with self._guarded(directory), self._root.folder(parts, directory) as folder:
            links = documents.root_links(self.root, self._root.fd())
            walk = self._walk(links, deepest=documents.MAX_DEPTH if recursive else len(parts))
            walk.run(folder, directory, len(parts))
        items = [TreeItem(p.rpartition("/")[2], p, is_directory=True) for p in walk.folders]
        items += [TreeItem(p.rpartition("/")[2], p, is_directory=False) for p in walk.files]
        return sorted(items, key=lambda item: item.path)

    def resolve(self, path: str) -> Path:
        """Return the absolute path of a workspace-relative one, following nothing.

        For showing; raises `PathRefused` by the same rules as every verb.
        """
        return self.root.joinpath(*documents.check_path(path))

    # -- daily logs --------------------------------------------------------------------------

    def append_log(self, day: date, line: str, *, actor: str = ACTOR) -> Written:
        """Append one entry line to the daily log of `day`, under `## Log` where needed."""
        path = daylog.log_path(day, self._layout)
        payload = edits.encode(line)
        make = edits.once(lambda current: daylog.log_block(current, day, line), payload.strip())
        with self._lock:
            done = self._append(path, _naming(path, make), actor=actor)
            return self._written_append(done, payload)

    def append_facts(
        self,
        day: date,
        bullets: Sequence[str],
        plan: Plan | None = None,
        *,
        actor: str = "retain",
    ) -> Appended:
        """Append bullets to the Retain section at the end of a daily log.

        Bullets whose `^id` already stands in the log are left out, so a repeated call writes
        nothing. `plan` hears of the bytes before they are written; give the last plan to
        `complete_append` after a crash. Raises `Conflict` while the log has merge conflict
        markers.
        """
        path = daylog.log_path(day, self._layout)

        def make(current: bytes | None) -> bytes:
            missing = edits.missing_bullets(current or b"", bullets)
            return daylog.retain_block(current, day, missing) if missing else b""

        with self._lock:
            return self._append(path, _naming(path, make), plan=plan, actor=actor)

    def complete_append(
        self, planned: PlannedAppend, plan: Plan | None = None, *, actor: str = "retain"
    ) -> Appended:
        """Bring a planned append of facts to its end after a crash, each `^id` once.

        Complete: nothing is written. A torn tail: its rest is appended. Else those bullets are
        appended (and planned anew) whose ids stand nowhere in the file.
        """
        day = daylog.day_of(planned.path)
        if day is None:
            raise InvalidInput(f"{planned.path}: not a daily log")
        parts = self._document_parts(planned.path)
        with self._lock:
            found = self._found_or_none(planned.path, parts)
            data = found.data if found else b""
            if found is not None and planned.data in data:
                offset = data.rindex(planned.data)
                return Appended(planned.path, offset, planned.data, found.stat.st_ino)
            if found is not None and (torn := edits.torn(data, planned)):
                return self._append_rest(planned, parts, found, torn, actor)
            bullets = [line for line in edits.lines(planned.data) if line.startswith("- ")]
            return self.append_facts(day, bullets, plan, actor=actor)

    # -- for the index -----------------------------------------------------------------------

    def absence(self) -> str:
        """Say that the workspace is gone or another folder stands in its place, else nothing."""
        try:
            self._root.fd()
        except StorageError as error:
            return error.message
        except OSError as error:
            return f"{self.root}: {error.strerror}"
        return ""

    def scan(self) -> Scan:
        """List every document, and say what was left out and why.

        Raises `StorageError` if the workspace is gone: that is never an empty scan. Documents
        below `Scan.unreadable` may still exist.
        """
        with self._guarded(""), self._root.folder((), "") as root:
            links = documents.root_links(self.root, root)
            walk = self._walk(links)
            walk.run(root)
            self._root.fd()  # still there? Else what was just listed is not to be believed.
        self._owners = walk.owners
        missing = [link.path for link in links if link.reason == "its target is missing"]
        self.last_scan = Scan(
            files=walk.files,
            skipped=walk.skipped,
            links=links + tuple(walk.links),
            unreadable=tuple(walk.unreadable + missing),
            excluded=walk.ignored,
            unlisted=walk.unlisted,
            folders=walk.inodes,
        )
        return self.last_scan

    def names_in(self, folder: str) -> tuple[str, ...]:
        """Return the paths of Markdown in a folder, not below it; none if the folder is gone.

        They may be no documents: see `is_document`. Raises `StorageError` as `scan`.
        """
        with self._guarded(folder):
            try:
                with self._root.folder(folder.split("/"), folder) as opened:
                    names = filter(documents.is_markdown, sorted(os.listdir(opened)))
                    paths = (f"{folder}/{name}" for name in names)
                    return tuple(path for path in paths if documents.printable(path) == path)
            except NotFound:
                return ()

    def is_document(self, path: str) -> bool:
        """Say whether `path` is a document now, by the same rules as `scan`."""
        return self._load(path, stat_only=True) is not None

    def load(self, path: str) -> Loaded | None:
        """Read a document for the index; None if it is gone or none.

        Raises `StorageError` if it is there but cannot be read: then it is not gone.
        """
        found = self._load(path, stat_only=False)
        if found is None:
            return None
        decoded = edits.decode(found.data)
        if decoded is None:
            self._remember(path, "not text")
            return None
        self._remember(path, decoded[1])
        info = found.stat
        listed = FileStat(path, info.st_size, info.st_mtime_ns, info.st_ino)
        return Loaded(path, decoded[0], edits.digest(found.data, length=64), listed, decoded[1])

    def stat(self, path: str) -> FileStat | None:
        """Look at a file without opening it or checking that it is a document.

        One system call: enough to tell whether a document that was loaded is still the same.
        """
        try:
            info = os.lstat(f"{self.root}/{path}")
        except (OSError, ValueError):
            return None
        return FileStat(path, info.st_size, info.st_mtime_ns, info.st_ino)

    @property
    def notes(self) -> Mapping[str, str]:
        """What `load` found odd about documents, by path: not text, not valid UTF-8 …"""
        with self._noting:
            return dict(self._notes)

    def _remember(self, path: str, note: str) -> None:
        with self._noting:
            self._notes.pop(path, None)
            if note and len(self._notes) < documents.MAX_LISTED:
                self._notes[path] = note

    # -- appending ---------------------------------------------------------------------------

    def _append(
        self,
        path: str,
        make: Make,
        *,
        actor: str,
        etag: str | None = None,
        plan: Plan | None = None,
    ) -> Appended:
        parts = self._document_parts(path)
        with self._guarded(path), self._root.parent(parts, writing=True, create=True) as folder:
            for _ in range(_ATTEMPTS):
                found = self._writable_or_none(folder, path)
                _check_etag(path, etag, found.data if found else None)
                done = self._try_append(folder, path, found, make, plan, actor)
                if done is not None:
                    return done
        raise _contended(path)

    def _try_append(
        self,
        folder: int,
        path: str,
        found: atomic.Found | None,
        make: Make,
        plan: Plan | None,
        actor: str,
    ) -> Appended | None:
        """Append once; None if the file was replaced meanwhile, and it must be done again."""
        current = found.data if found else None
        inode = found.stat.st_ino if found else None
        if current is None:
            documents.check_new(path)
        elif edits.is_utf16(current):
            raise Conflict(f"{path}: is UTF-16 text", "convert it to UTF-8 first")
        data = make(current)
        offset = len(current or b"")
        if not data:
            return Appended(path, offset, b"", inode or 0)
        self._check_size(path, offset + len(data))
        planned = PlannedAppend(path, offset, data, inode)
        if plan is not None:
            plan(planned)
        landed = self._land(folder, planned, actor)
        if landed is None:
            return None
        if landed.offset != offset:
            return self._put_right(folder, path, landed, data, make, actor)
        return Appended(path, landed.offset, data, landed.inode)

    def _land(
        self, folder: int, planned: PlannedAppend, actor: str, *, torn: int = 0
    ) -> _Landed | None:
        """Write planned bytes; None if they went to a file that the name no longer stands for.

        The first `torn` of them stand at the end of the file already.
        """
        change = Change(
            "append",
            planned.path,
            actor,
            before=None if planned.inode is None else b"",
            offset=planned.offset,
            length=len(planned.data),
            digest=edits.digest(planned.data),
            preview=edits.preview(None, planned.data),
        )
        with self._journalled(change) as begun:
            name = planned.path.rpartition("/")[2]
            landed = atomic.append(folder, name, planned.data[torn:], planned.inode)
            if landed.displaced:
                raise atomic.ChangedError(name)
            offset = landed.offset - torn
            begun.done(offset)
            return _Landed(offset, landed.inode, begun.entry)
        return None

    def _put_right(
        self,
        folder: int,
        path: str,
        landed: _Landed,
        data: bytes,
        make: Make,
        actor: str,
    ) -> Appended:
        """Check an append that came to stand behind somebody else's, and move it if it is wrong.

        Another program appended between our look and our write, say a new section. Where our
        bytes then belong to the wrong section they are moved to the end, as a block that is
        right there; everybody else's bytes keep their order. If the file is not left in peace,
        ours stay where they are: misplaced, but neither lost nor doubled.
        """
        name = path.rpartition("/")[2]
        there = Appended(path, landed.offset, data, landed.inode)
        for _ in range(_ATTEMPTS):
            found = self._writable_or_none(folder, path)
            if found is None:
                return there
            before, ours, after = edits.cut(found.data, landed.offset, len(data))
            if ours != data or make(before) == data:
                return there
            rest = before + after
            block = make(rest)
            moved = Change(
                "move",
                path,
                actor,
                before=found.data,
                length=len(rest + block),
                digest=edits.digest(rest + block),
                preview=edits.preview(None, block),
            )
            with self._journalled(moved) as begun:
                keep = self._keeper(path, "displaced")
                atomic.replace(folder, name, rest + block, found, keep)
                begun.done()
                self._journal.amend(landed.entry, len(rest), len(block), edits.digest(block))
                inode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_ino
                return Appended(path, len(rest), block, inode)
        return there

    def _append_rest(
        self,
        planned: PlannedAppend,
        parts: tuple[str, ...],
        found: atomic.Found,
        torn: int,
        actor: str,
    ) -> Appended:
        start = len(found.data) - torn
        whole = PlannedAppend(planned.path, start, planned.data, found.stat.st_ino)
        with self._guarded(planned.path), self._root.parent(parts, writing=True) as folder:
            landed = self._land(folder, whole, actor, torn=torn)
        if landed is None:
            raise _contended(planned.path)
        return Appended(planned.path, start, planned.data, landed.inode)

    def _written_append(self, done: Appended, payload: bytes) -> Written:
        found = self._found_or_none(done.path, documents.check_path(done.path))
        if found is None:  # removed right behind us
            return Written(done.path, "", changed=True)
        line = edits.line_at(found.data, done.offset + edits.first_line(done.data, payload))
        return Written(done.path, edits.digest(found.data), bool(done.data), line)

    # -- replacing ---------------------------------------------------------------------------

    def _edit(
        self, path: str, change: Make, etag: str | None, operation: Operation, actor: str
    ) -> Written:
        """Write what `change` makes of the bytes that stand there, if they still do."""
        parts = self._document_parts(path)
        for _ in range(_ATTEMPTS):
            with (
                self._lock,
                self._guarded(path),
                self._root.parent(parts, writing=True, create=True) as folder,
            ):
                found = self._writable_or_none(folder, path)
                current = found.data if found else None
                _check_etag(path, etag, current)
                data = change(current)
                self._check_size(path, len(data))
                if data == current:
                    return Written(path, edits.digest(data), changed=False)
                entry = Change(
                    operation if found else "create",
                    path,
                    actor,
                    current,
                    length=len(data),
                    digest=edits.digest(data),
                    preview=edits.preview(current, data),
                )
                with self._journalled(entry) as begun:
                    self._put(folder, path, data, found)
                    begun.done()
                    return Written(path, edits.digest(data), changed=True)
        raise _contended(path)

    def _put(
        self,
        folder: int,
        path: str,
        data: bytes | None,
        found: atomic.Found | None,
        *,
        again: bool = False,
    ) -> None:
        """Let `data` stand in place of what was found; None: nothing.

        What stood there before may stand there `again`, whatever its name.
        """
        name = path.rpartition("/")[2]
        if found is not None:
            keep = self._keeper(path, "displaced")
            if data is None:
                atomic.remove(folder, name, found, keep)
            else:
                atomic.replace(folder, name, data, found, keep)
            return
        if data is None:
            return
        if not again:
            documents.check_new(path)
        try:
            atomic.create(folder, name, data)
        except FileExistsError:
            raise atomic.ChangedError(name) from None

    # -- moving ------------------------------------------------------------------------------

    def _check_move(self, path: str, to: str) -> None:
        if path == to:
            raise InvalidInput(f"{to}: is where the document stands", "name another path")
        documents.check_new(to)
        self._document_parts(to)
        for each in (path, to):
            self.refuse_excluded(each)

    def refuse_excluded(self, path: str) -> None:
        """Raise `PathRefused` if no scan would find a document at `path`."""
        parts = path.split("/")
        chain = self._chain
        for count, part in enumerate(parts):
            above, prefix = "/".join(parts[:count]), "/".join(parts[: count + 1])
            with (
                contextlib.suppress(NotFound),
                self._guarded(path),
                self._root.folder(parts[:count], path, follow=False) as folder,
            ):
                chain += documents.rules_in(folder, above)
            is_folder = count < len(parts) - 1
            if documents.pruned(part) or documents.ignored(chain, prefix, folder=is_folder):
                raise PathRefused(
                    f"{path!r}: is excluded from the memory",
                    f"by an ignore file or the name {part!r}",
                )
        if documents.is_copy(parts[-1]):
            raise PathRefused(f"{path!r}: is the name of a temporary or conflict copy")

    def _rename(
        self,
        folder: int,
        path: str,
        to: str,
        found: atomic.Found,
        actor: str,
        undoes: int | None = None,
    ) -> bool:
        """Move what was found in an open folder; False if it was changed meanwhile."""
        target = self._document_parts(to)
        with self._guarded(to), self._root.parent(target, writing=True, create=True) as into:
            change = Change(
                "rename",
                path,
                actor,
                length=len(found.data),
                digest=edits.digest(found.data),
                undoes=undoes,
                preview=f"to {to}",
                target=to,
            )
            try:
                with self._journalled(change) as begun:
                    atomic.move(folder, path.rpartition("/")[2], into, target[-1], found)
                    begun.done()
                    return True
            except FileExistsError:
                raise Conflict(
                    f"{to}: something stands there already", "choose another name, or move it away"
                ) from None
        return False

    def _move_back(
        self,
        entry: JournalEntry,
        plan: Callable[[Reversal], None],
        actor: str,
        *,
        dry_run: bool,
    ) -> Reversal | None:
        """Move a document back where it was, with what was edited since; None: try again."""
        path, now = entry.change.path, entry.change.target or ""
        if self.exists(path):
            raise Conflict(f"{path}: exists again since entry {entry.id} moved it to {now}")
        if not self.exists(now):
            raise Conflict(f"{now}: was moved or deleted since entry {entry.id}")
        parts = self._document_parts(now)
        with self._guarded(now), self._root.parent(parts, writing=True) as folder:
            found = self._writable_or_none(folder, now)
            if found is None:
                return None
            back = Reversal(path, found.data, found.data, moved_from=now)
            if dry_run:
                return back
            plan(back)
            return back if self._rename(folder, now, path, found, actor, entry.id) else None

    def _settle_rename(self, entry: JournalEntry) -> None:
        """Find out whether a move that broke off happened; undo the half of one."""
        path, to = entry.change.path, entry.change.target or ""
        source, target = (self._found_or_none(p, documents.check_path(p)) for p in (path, to))
        if target is not None and source is not None and _is_half(source, target):
            with self._guarded(to), self._root.parent(to.split("/"), writing=True) as folder:
                os.unlink(to.rpartition("/")[2], dir_fd=folder)
            target = None
        moved = target is not None and edits.digest(target.data) == entry.change.digest
        if source is None or moved:
            self._journal.commit(entry.id)
        else:
            self._journal.abort(entry.id)

    # -- taking back -------------------------------------------------------------------------

    def undo(
        self,
        entry: JournalEntry,
        plan: Callable[[Reversal], None] = lambda reversal: None,
        *,
        actor: str = ACTOR,
        dry_run: bool = False,
    ) -> Reversal:
        """Take a journalled change back, where the document stands by now.

        `plan` hears of it right before it is tried, maybe more than once. Raises `Conflict` if
        what the change wrote was edited since; nothing is written then, nor with `dry_run`.
        """
        with self._lock:
            for _ in range(_ATTEMPTS):
                if entry.change.operation == "rename":
                    back = self._move_back(entry, plan, actor, dry_run=dry_run)
                    if back is not None:
                        return back
                    continue
                reversal_ = self._reversal(entry)
                if dry_run or self._take_back(reversal_, entry, plan, actor):
                    return reversal_
        raise _contended(entry.change.path)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Keep every other writer of this process out for a while."""
        with self._lock:
            yield

    def _reversal(self, entry: JournalEntry) -> Reversal:
        """Plan to take a change back, in a copy of its daily log in another folder if need be."""
        refusal: Conflict | None = None
        for path in self._places(entry.change.path):
            try:
                found = self._found_or_none(path, self._document_parts(path))
                before = found.data if found else None
                return Reversal(path, before, reversal.reverse(entry, before))
            except Conflict as conflict:
                refusal = refusal or conflict
        assert refusal is not None
        raise refusal

    def _places(self, path: str) -> Iterator[str]:
        yield path
        yield from self.same_day(path)

    def _take_back(
        self,
        reversal_: Reversal,
        entry: JournalEntry,
        plan: Callable[[Reversal], None],
        actor: str,
    ) -> bool:
        """Do it; False if the document was changed meanwhile."""
        path, before, after = reversal_.path, reversal_.before, reversal_.after
        parts = self._document_parts(path)
        creates = before is None
        with self._guarded(path), self._root.parent(parts, writing=True, create=creates) as folder:
            found = self._writable_or_none(folder, path)
            if (found.data if found else None) != before:
                return False
            plan(reversal_)
            change = Change(
                "create" if before is None else "delete" if after is None else "write",
                path,
                actor,
                before,
                length=None if after is None else len(after),
                digest=None if after is None else edits.digest(after),
                undoes=entry.id,
                preview=edits.preview(before, after),
            )
            with self._journalled(change) as begun:
                self._put(folder, path, after, found, again=True)
                begun.done()
                return True
        return False

    # -- journal -----------------------------------------------------------------------------

    def _settle_journal(self) -> None:
        """Find out what became of changes that broke off, by what stands in their documents."""
        for entry in self._journal.unfinished():
            path = entry.change.path
            try:
                if entry.change.operation == "rename":
                    self._settle_rename(entry)
                    continue
                found = self._found_or_none(path, documents.check_path(path))
            except (PathRefused, StorageError, TooLarge):
                continue  # cannot be told now; the next start looks again
            place = reversal.happened(entry.change, found.data if found else None)
            if place is None:
                self._journal.abort(entry.id)
            else:
                self._journal.commit(
                    entry.id, place if entry.change.operation == "append" else None
                )

    @contextlib.contextmanager
    def _journalled(self, change: Change) -> Iterator[_Begun]:
        """Journal a change around doing it; call `done` of what it yields once it is done.

        Swallows `atomic.ChangedError`: the block then ends early and the caller tries again.
        """
        entry = self._journal.begin(change)
        try:
            yield _Begun(self._journal, entry)
        except atomic.ChangedError:
            self._journal.abort(entry)
        except OSError:
            self._journal.abort(entry)
            raise

    def _keeper(self, path: str, operation: Operation) -> atomic.Keep:
        def keep(data: bytes) -> None:
            change = Change(operation, path, ACTOR, data, preview=edits.preview(data, None))
            self._journal.commit(self._journal.begin(change))

        return keep

    # -- finding files -----------------------------------------------------------------------

    def _document_parts(self, path: str) -> tuple[str, ...]:
        parts = documents.check_path(path)
        if not documents.is_markdown(parts[-1]):
            raise PathRefused(f"{path!r}: is not Markdown", "documents end in .md")
        if self._sources_match(path):
            raise PathRefused(f"{path!r}: is a transcript of a source, not a document")
        return parts

    def _load(self, path: str, *, stat_only: bool) -> atomic.Found | None:
        try:
            parts = self._document_parts(path)
        except PathRefused:
            return None
        with self._guarded(path):
            try:
                return self._load_from(path, parts, stat_only=stat_only)
            except (FileNotFoundError, PathRefused, NotFound):
                return None
            except (atomic.NotRegularError, atomic.TooBigError):
                return None

    def _load_from(
        self, path: str, parts: tuple[str, ...], *, stat_only: bool
    ) -> atomic.Found | None:
        chain = self._chain + documents.rules_in(self._root.fd(), "")

        def wanted(folder: int, prefix: str) -> bool:
            nonlocal chain
            if documents.pruned(prefix.rpartition("/")[2]):
                return False
            if documents.ignored(chain, prefix, folder=True):
                return False
            chain += documents.rules_in(folder, prefix)
            return True

        with self._root.folder(parts[:-1], path, wanted) as folder:
            info = os.stat(parts[-1], dir_fd=folder, follow_symlinks=False)
            if documents.skip_reason(parts[-1], info, self._max_bytes):
                return None
            if documents.ignored(chain, path, folder=False) or self._is_twin(path, info):
                return None
            if stat_only:
                return atomic.Found(b"", info)
            return atomic.read(folder, parts[-1], self._max_bytes)

    def _is_twin(self, path: str, info: os.stat_result) -> bool:
        """Say whether the last scan found this file under another name, which still stands."""
        owner = self._owners.get((info.st_dev, info.st_ino), path)
        if info.st_nlink < 2 or owner == path:
            return False
        try:
            with self._root.folder(documents.check_path(owner)[:-1], owner) as folder:
                name = owner.rpartition("/")[2]
                other = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except (OSError, PathRefused, NotFound):
            return False
        return (other.st_dev, other.st_ino) == (info.st_dev, info.st_ino)

    def _existing(self, folder: int, path: str) -> atomic.Found:
        try:
            return atomic.read(folder, path.rpartition("/")[2], self._max_bytes)
        except FileNotFoundError:
            raise missing(path) from None

    def _writable_or_none(self, folder: int, path: str) -> atomic.Found | None:
        try:
            found = atomic.read(folder, path.rpartition("/")[2], self._max_bytes)
        except FileNotFoundError:
            return None
        if not found.stat.st_mode & 0o222:
            raise StorageError(f"{path}: the file is read-only", "chmod u+w it to allow writing")
        return found

    def _found_or_none(self, path: str, parts: tuple[str, ...]) -> atomic.Found | None:
        try:
            with self._guarded(path), self._root.parent(parts) as folder:
                return self._existing(folder, path)
        except NotFound:
            return None

    def _walk(
        self,
        links: Sequence[Link] = (),
        *,
        respect: bool = True,
        deepest: int = documents.MAX_DEPTH,
        only_leftovers: bool = False,
    ) -> documents.Walk:
        return documents.Walk(
            max_bytes=self._max_bytes,
            chain=self._chain,
            excluded=self._sources_match,
            follow=[link.path for link in links if link.followed],
            respect=respect,
            deepest=deepest,
            only_leftovers=only_leftovers,
        )

    def sweep(self, older_than: float) -> tuple[str, ...]:
        """Remove temporary files of dead runs that nobody touched for so many seconds.

        Their bytes go to the journal. Returns the paths.
        """
        with self._lock:
            return tuple(self._sweep(older_than))

    def _sweep(self, older_than: float = 0.0) -> Iterator[str]:
        """Remove temporary files of dead runs; their bytes go to the journal."""
        with self._guarded(""), self._root.folder((), "") as root:
            walk = self._walk(respect=False, only_leftovers=True)
            walk.run(root)
            for folder, name in walk.leftovers:
                path = f"{folder}/{name}" if folder else name
                if older_than and not self._is_older(path, older_than):
                    continue
                parts = folder.split("/") if folder else []
                # One that cannot be removed (a read-only disk) does no harm.
                with (
                    contextlib.suppress(NotFound, PathRefused, OSError),
                    self._root.folder(parts, path, follow=False) as fd,
                ):
                    atomic.sweep(fd, name, self._keeper(path, "leftover"), self._max_bytes)
                    yield path

    def _is_older(self, path: str, seconds: float) -> bool:
        info = self.stat(path)
        return info is not None and time.time() - info.mtime_ns / 1e9 > seconds

    # -- errors ------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _guarded(self, path: str) -> Iterator[None]:
        """Turn what the system says into errors that name the path and what to do."""
        where = path or str(self.root)
        try:
            yield
        except OSError as error:
            what, hint = _REASONS.get(error.errno or 0, (error.strerror or str(error), ""))
            raise StorageError(f"{where}: {what}", hint) from error
        except atomic.NotRegularError:
            raise PathRefused(f"{where!r}: is not a regular file") from None
        except atomic.TooBigError:
            raise TooLarge(f"{where}: is larger than {self._max_bytes} bytes") from None

    def _check_size(self, path: str, size: int) -> None:
        if size > self._max_bytes:
            raise TooLarge(
                f"{path}: would be larger than {self._max_bytes} bytes",
                "split it, or raise indexing.max_file_bytes",
            )


# -- refusals --------------------------------------------------------------------------------


def _naming(path: str, make: Make) -> Make:
    """Let the refusals of a pure function, which knows no path, name it."""

    def named(current: bytes | None) -> bytes:
        try:
            return make(current)
        except (Conflict, InvalidInput) as error:
            raise type(error)(f"{path}: {error.message}", error.hint) from None

    return named


def _check_etag(path: str, etag: str | None, current: bytes | None) -> None:
    if etag is None:
        return
    actual = "" if current is None else edits.digest(current)
    if etag != actual:
        what = "it exists already" if etag == "" else "it changed since it was read"
        raise Conflict(f"{path}: {what}", "read it again and repeat the change")


def _is_half(source: atomic.Found, target: atomic.Found) -> bool:
    """Say whether a file has its new name beside the old one: linked, or the name only claimed."""
    same = (source.stat.st_dev, source.stat.st_ino) == (target.stat.st_dev, target.stat.st_ino)
    return same or (not target.data and bool(source.data))


def _contended(path: str) -> Conflict:
    return Conflict(
        f"{path}: another program keeps changing it, or has it open for writing",
        "close it there, or try again",
    )
