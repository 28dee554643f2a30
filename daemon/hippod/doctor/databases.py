"""Checks of index and state: sound in themselves, equal to the files, and held by one SQLite."""

import mmap
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

from hippod import wire
from hippod.doctor.finding import Found, count, fail, ok, skipped, some, warn
from hippod.doctor.subject import Parts, Subject
from hippod.index import Examined, examine_file
from hippod.state.database import faults_of_file, is_outdated

_SAMPLE = 24
"""Documents whose hashes are compared."""
_SETTLE_SECONDS = 3.0
"""How long a change that the watcher may still tell of is waited for."""
_CANARIES = 3
_CANARY_HITS = 10
_LEAST_WORDS = 5
_LONGEST_QUESTION = 400
_MARK = b"SQLite format 3\0"
"""Stands in every SQLite library, as it writes it into every file."""
REBUILD = "hippod reindex --full"


def index(subject: Subject) -> Iterator[Found]:
    """The index is sound: SQLite, words, rows that belong together, vectors, graph."""
    parts = subject.parts
    path = subject.folder / "index.sqlite"
    if parts is not None:
        found: Examined | None = parts.index.examine()
        if why := parts.index.graph_fault():
            yield warn(f"the saved graph will not be used: {why}", "it is built again by itself")
    elif subject.is_locked:
        found = examine_file(path) if subject.has_folder else None
    else:
        yield skipped("another process holds the workspace")
        return
    if found is None:
        yield skipped("there is no index yet")
    elif found.faults:
        yield fail(
            f"the index is not sound: {'; '.join(found.faults)}",
            f"it is made from the notes again: {REBUILD}" if parts else "start the daemon",
            (lambda: _rebuilt(parts)) if parts else None,
        )
    else:
        if found.journal_mode.lower() != "wal":
            yield warn(f"the index is in mode {found.journal_mode}, not WAL", "use a local disk")
        told = count(found.documents, "document"), count(found.units, "unit")
        yield ok(f"{', '.join(told)}, {count(found.vectors, 'vector')}; words and rows agree")


def agrees(subject: Subject) -> Iterator[Found]:
    """The index says what the files say, for all names and a sample of contents."""
    parts = subject.parts
    assert parts is not None
    for path, reason in list(parts.describe().get("watch", {}).get("not_indexed", {}).items()):
        yield warn(f"not in the index: {path} ({reason})", "mend the document")
    if not parts.settled():
        yield skipped("documents are being read at this moment")
        return
    differ = parts.index.stale(_SAMPLE)
    if differ:  # saved this moment, maybe: the watcher may still tell of it
        time.sleep(_SETTLE_SECONDS if parts.watcher else 0.0)
        differ = [each for each in parts.index.stale(0, differ) if each in differ]
    if differ and not parts.settled():
        yield skipped(f"{count(len(differ), 'document')} are being read at this moment")
    elif differ:
        yield fail(
            f"the index is behind for {some(differ)}",
            "let it read every file again: hippod reindex",
            lambda: _looked_again(parts),
        )
    else:
        yield ok("names agree, and so does a random sample of contents")


def state(subject: Subject) -> Iterator[Found]:
    """The state is sound."""
    if subject.parts is not None:
        found = subject.parts.state.faults()
        recovered = subject.parts.state.recovered_from
        if recovered is not None:
            yield warn(
                f"the state was damaged at the last start and moved aside to {recovered.name}",
                "nothing that was written is lost; undo and the history of jobs began anew",
            )
    elif subject.is_locked:
        file = subject.folder / "state.sqlite"
        if not (subject.has_folder and file.exists()):
            yield skipped("state.sqlite is made when the daemon starts")
            return
        found = faults_of_file(file)
        if not found and is_outdated(file):
            yield ok(
                "state.sqlite is sound, and of an earlier hippod: the next start brings it up to"
                " date and keeps the file as it was"
            )
            return
    else:
        yield skipped("another process holds the workspace")
        return
    for fault in found:
        yield fail(f"state.sqlite: {fault}", "see `hippod restore`, or run the newest hippod")
    yield ok("state.sqlite is sound")


def canary(subject: Subject) -> Iterator[Found]:
    """A passage that is known to be there is found by recall."""
    parts = subject.parts
    assert parts is not None
    tried, missed = 0, list[str]()
    for path, line, content in _known_passages(parts):
        tried += 1
        began = time.monotonic()
        answer = parts.recall(
            wire.RecallRequest(query=content[:_LONGEST_QUESTION], limit=_CANARY_HITS)
        )
        if any(hit.path == path or hit.content == content for hit in answer.hits):
            yield ok(f"found what stands in {path} in {1000 * (time.monotonic() - began):.0f} ms")
            return
        missed.append(f"{path}:{line}")
    if not tried:
        yield skipped("there is no passage yet to look for")
        return
    yield fail(f"recall does not find what stands in {some(missed)}", f"try: {REBUILD}")


def one_library(subject: Subject) -> Iterator[Found]:
    """One SQLite library is loaded: a second one would not see the locks of the first."""
    found = sqlite_libraries(subject.proc / "self" / "maps")
    if found is None:
        yield skipped("this system does not tell which libraries are loaded")
        return
    others = [path for path in found if "/apsw/" not in path]
    if others:
        yield warn(
            f"other SQLite libraries are loaded beside apsw: {some(sorted(others))}",
            "they must never open what lies in .memory; uninstall what brought them",
        )
    yield ok("apsw's SQLite is the only one that is loaded")


def descriptors(subject: Subject) -> Iterator[Found]:
    """The files that are open are those that stand there."""
    folder = subject.proc / "self" / "fd"
    try:
        links = [_target(folder / name) for name in os.listdir(folder)]
    except OSError:
        yield skipped("this system does not tell which files are open")
        return
    own = os.path.realpath(subject.folder)
    gone = [each for each in links if each.endswith(" (deleted)") and each.startswith(own)]
    if gone:
        yield fail(
            f"{count(len(gone), 'file')} of {own} that were deleted are still in use",
            "restart it before anything more is written: hippod service restart",
        )
    yield ok(f"{count(len(links), 'descriptor')} open, none of a deleted database")


def sqlite_libraries(maps: Path) -> list[str] | None:
    """Return the loaded libraries that hold an SQLite; None where that cannot be told."""
    try:
        lines = maps.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    mapped = {fields[5] for line in lines if len(fields := line.split(None, 5)) == 6}
    libraries = sorted(Path(path) for path in mapped if ".so" in Path(path).name)
    return [str(path) for path in libraries if "sqlite" in path.name or _has_mark(path)]


def _has_mark(path: Path) -> bool:
    try:
        with (
            path.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            return data.find(_MARK) >= 0
    except (OSError, ValueError):
        return False


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:
        return ""


def _known_passages(parts: Parts) -> Iterator[tuple[str, int, str]]:
    """Yield some random units with words enough to ask for: path, line and content."""
    with parts.index.view() as view:
        newest = view.last_unit()
        for _ in range(4 * _CANARIES):
            for unit in view.scan(random.randrange(newest), 1) if newest else ():
                if len(unit.content.split()) >= _LEAST_WORDS:
                    yield unit.path, unit.line_start, unit.content


def _rebuilt(parts: Parts) -> str:
    now = parts.index.examine()
    if now is not None and not now.faults:
        return "the index is sound by now"
    parts.rebuild()
    return "the index was made from the notes again"


def _looked_again(parts: Parts) -> str:
    parts.index.reconcile(verify=True)
    return "every file was read again"
