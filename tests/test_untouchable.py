"""A hard link to a database of ours is never opened: that would drop SQLite's locks on it."""

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hippod import atomic, copies, lock, untouchable
from hippod.doctor.tree import Tree
from hippod.errors import PathRefused
from hippod.transcripts import content, opencode_tree, session_store


@pytest.fixture
def link(tmp_path: Path) -> Iterator[Path]:
    """Yield another name, among the notes, of a file that is locked as SQLite locks its own."""
    with lock.hold(tmp_path) as folder, (folder / "state.sqlite").open("w+b") as database:
        database.write(b"{}")
        database.flush()
        fcntl.lockf(database, fcntl.LOCK_EX)
        os.link(folder / "state.sqlite", tmp_path / "note.md")
        yield tmp_path / "note.md"


def is_locked(path: Path) -> bool:
    return f":{path.stat().st_ino} " in Path("/proc/locks").read_text()


def read_a_note(link: Path) -> None:
    folder = os.open(link.parent, os.O_RDONLY)
    try:
        with contextlib.suppress(atomic.NotRegularError):
            atomic.read(folder, link.name, 1_000)
    finally:
        os.close(folder)


def read_a_transcript(link: Path) -> None:
    with contextlib.suppress(PathRefused), content.opened(link):
        pass


READERS: list[Callable[[Path], object]] = [
    read_a_note,
    read_a_transcript,
    lambda link: opencode_tree._record(link),
    lambda link: list(session_store._entries(link)),
    lambda link: copies._line_of(link, copies._pattern(["boat"])),
    lambda link: Tree.of(link.parent, 1_000).text(link.name),
]


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="only Linux tells of locks")
@pytest.mark.parametrize("read", READERS)
def test_nothing_opens_it(link: Path, read: Callable[[Path], object]) -> None:
    assert is_locked(link)
    read(link)
    assert is_locked(link)


def test_it_is_no_document_and_said_to_be_none(link: Path) -> None:
    tree = Tree.of(link.parent, 1_000)
    assert link.name not in tree.files
    assert tree.skipped[link.name] == "a file that hippod keeps for itself, under another name"


def test_other_files_with_two_names_are_read(link: Path) -> None:
    other = link.parent / "other.md"
    other.write_text("boats\n")
    os.link(other, link.parent / "again.md")
    assert not untouchable.is_ours_at(other)
    assert not untouchable.is_ours_at(link.parent / "absent.md")
    assert untouchable.is_ours_at(link)


def test_after_the_end_it_is_a_file_like_any_other(tmp_path: Path) -> None:
    with lock.hold(tmp_path) as folder:
        os.link(folder / "lock", tmp_path / "note.md")
        assert untouchable.is_ours_at(tmp_path / "note.md")
    assert not untouchable.is_ours_at(tmp_path / "note.md")
