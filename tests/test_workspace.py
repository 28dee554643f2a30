"""The verbs on documents, daily logs, and everybody who writes at the same moment."""

import contextlib
import errno
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod import atomic, daylog, edits, markdown
from hippod.errors import (
    Conflict,
    InvalidInput,
    NotFound,
    PathRefused,
    StorageError,
    TooLarge,
)
from hippod.journal import PlannedAppend
from hippod.workspace import Workspace
from tests.ledger import ListJournal

DAY = date(2026, 3, 3)
LOG = "memory/2026-03-03.md"
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


class Bench:
    """A workspace in a temporary folder with a journal that can be looked at."""

    def __init__(self, root: Path, **options: int) -> None:
        self.root = root
        self.journal = ListJournal()
        self.workspace = Workspace(root, self.journal, max_file_bytes=options.get("limit", 10_000))

    def put(self, path: str, data: bytes) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        return target

    def bytes(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def everything(self) -> list[str]:
        return sorted(str(p.relative_to(self.root)) for p in self.root.rglob("*") if p.is_file())


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def bullet(number: int) -> str:
    digits = ALPHABET[number // 32 % 32] + ALPHABET[number % 32]
    return f"- W @Ada: Fact number {number}. ^k3f9ab27{digits}"


def ids_in_retain(data: bytes) -> list[str]:
    return [str(placed.fact.id) for placed in daylog.parse(data.decode()).facts]


def ids(numbers: range | list[int]) -> list[str]:
    return [bullet(n).rpartition("^")[2] for n in numbers]


class TestRead:
    def test_a_document(self, bench: Bench) -> None:
        bench.put("notes/a.md", "# Café\r\n".encode())
        document = bench.workspace.read("notes/a.md")
        assert document.text == "# Café\r\n"
        assert document.size == 9
        assert document.modified.tzinfo is not None
        assert (len(document.etag), document.note) == (32, "")

    def test_what_is_not_there(self, bench: Bench) -> None:
        for path in ("a.md", "no/folder/a.md"):
            with pytest.raises(NotFound):
                bench.workspace.read(path)
            assert not bench.workspace.exists(path)
        bench.put("a.md", b"")
        assert bench.workspace.exists("a.md")
        with pytest.raises(NotFound):
            bench.workspace.read("a.md/b.md")

    def test_only_markdown(self, bench: Bench) -> None:
        bench.put("config.toml", b"x")
        with pytest.raises(PathRefused, match="not Markdown"):
            bench.workspace.read("config.toml")
        with pytest.raises(PathRefused, match="not Markdown"):
            bench.workspace.write("config.toml", "x")

    @pytest.mark.parametrize(
        ("data", "text", "note"),
        [
            (b"\xef\xbb\xbf# Memory\n", "# Memory\n", ""),
            (b"- caf\xe9\n" + b"- good\n" * 100, "- caf\ufffd\n" + "- good\n" * 100, "UTF-8"),
            ("- hé\n".encode("utf-16"), "- hé\n", "UTF-16"),
            (b"- a\0b " + b"x" * 200, "- ab " + "x" * 200, "NUL"),
        ],
    )
    def test_odd_encodings(self, bench: Bench, data: bytes, text: str, note: str) -> None:
        bench.put("a.md", data)
        document, loaded = bench.workspace.read("a.md"), bench.workspace.load("a.md")
        assert loaded is not None
        assert document.text == loaded.text == text
        assert note in document.note
        assert bool(document.note) == bool(note) == ("a.md" in bench.workspace.notes)

    def test_binary_is_no_text(self, bench: Bench) -> None:
        bench.put("a.md", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0")
        with pytest.raises(InvalidInput, match="not text"):
            bench.workspace.read("a.md")
        assert bench.workspace.load("a.md") is None
        assert bench.workspace.notes == {"a.md": "not text"}

    def test_too_large(self, bench: Bench) -> None:
        bench.put("a.md", b"x" * 10_001)
        with pytest.raises(TooLarge):
            bench.workspace.read("a.md")

    def test_unreadable_is_not_gone(self, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        bench.put("a.md", b"x")
        real = os.open

        def deny(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
            if path == "a.md":
                raise PermissionError(errno.EACCES, "Permission denied", path)
            return real(path, flags, mode, dir_fd=dir_fd)

        monkeypatch.setattr(os, "open", deny)
        with pytest.raises(StorageError, match=r"a\.md: permission denied"):
            bench.workspace.load("a.md")


class TestWrite:
    def test_creates_with_folders_and_journals(self, bench: Bench) -> None:
        written = bench.workspace.write("projects/new/a.md", "one\n")
        assert bench.bytes("projects/new/a.md") == b"one\n"
        assert written.changed
        assert written.etag == bench.workspace.read("projects/new/a.md").etag
        (change,) = bench.journal.done
        assert (change.operation, change.before, change.digest) == ("create", None, written.etag)

    def test_replaces_and_keeps_the_before_image(self, bench: Bench) -> None:
        bench.put("a.md", b"old\n")
        bench.workspace.write("a.md", "new\n")
        assert bench.bytes("a.md") == b"new\n"
        assert [(c.operation, c.before) for c in bench.journal.done] == [("write", b"old\n")]
        assert bench.everything() == ["a.md"]

    def test_the_same_bytes_are_no_change(self, bench: Bench) -> None:
        path = bench.put("a.md", b"same\n")
        inode = path.stat().st_ino
        assert not bench.workspace.write("a.md", "same\n").changed
        assert path.stat().st_ino == inode
        assert bench.journal.changes == []

    def test_etags(self, bench: Bench) -> None:
        first = bench.workspace.write("a.md", "one\n", etag="")
        with pytest.raises(Conflict, match="exists already"):
            bench.workspace.write("a.md", "two\n", etag="")
        bench.put("a.md", b"theirs\n")
        with pytest.raises(Conflict, match="changed"):
            bench.workspace.write("a.md", "two\n", etag=first.etag)
        with pytest.raises(Conflict):
            bench.workspace.write("b.md", "two\n", etag=first.etag)
        with pytest.raises(Conflict):
            bench.workspace.delete("a.md", etag=first.etag)
        assert bench.bytes("a.md") == b"theirs\n"
        now = bench.workspace.read("a.md").etag
        assert bench.workspace.write("a.md", "two\n", etag=now).changed

    def test_a_byte_order_mark_stays(self, bench: Bench) -> None:
        bench.put("a.md", b"\xef\xbb\xbfold\n")
        bench.workspace.write("a.md", "new\n")
        assert bench.bytes("a.md") == b"\xef\xbb\xbfnew\n"

    @pytest.mark.parametrize("data", [b"caf\xe9\n", "é\n".encode("utf-16"), b"a\0b\n"])
    def test_bytes_that_a_reader_did_not_see_are_not_written_over(
        self, bench: Bench, data: bytes
    ) -> None:
        bench.put("a.md", data)
        with pytest.raises(Conflict, match="would lose bytes"):
            bench.workspace.write("a.md", "new\n")
        assert bench.bytes("a.md") == data

    @pytest.mark.parametrize("text", ["a\0b", "\ud800"])
    def test_what_is_no_text_is_refused(self, bench: Bench, text: str) -> None:
        with pytest.raises(InvalidInput):
            bench.workspace.write("a.md", text)
        assert bench.everything() == []

    def test_bad_names_for_new_files(self, bench: Bench) -> None:
        for path in ("CON.md", "a\nb.md", "x\\y.md", "bad /a.md"):
            for change in (bench.workspace.write, bench.workspace.append):
                with pytest.raises(PathRefused):
                    change(path, "x")
        assert list(bench.root.iterdir()) == []
        bench.put("a\nb.md", b"a person's name for it\n")
        assert bench.workspace.write("a\nb.md", "x").changed

    def test_a_read_only_file_is_respected(self, bench: Bench) -> None:
        bench.put("a.md", b"mine\n").chmod(0o444)
        for change in (
            lambda: bench.workspace.write("a.md", "x"),
            lambda: bench.workspace.append("a.md", "x"),
            lambda: bench.workspace.delete("a.md"),
        ):
            with pytest.raises(StorageError, match="read-only"):
                change()
        assert bench.bytes("a.md") == b"mine\n"

    def test_too_large(self, bench: Bench) -> None:
        for change in (bench.workspace.write, bench.workspace.append):
            with pytest.raises(TooLarge):
                change("a.md", "x" * 10_001)
        assert bench.everything() == []

    @pytest.mark.parametrize(
        ("number", "reason"),
        [
            (errno.ENOSPC, "no space"),
            (errno.EDQUOT, "quota"),
            (errno.EROFS, "read-only"),
            (errno.EACCES, "permission denied"),
        ],
    )
    @pytest.mark.parametrize("call", ["write", "fsync"])
    def test_a_disk_that_refuses(
        self,
        bench: Bench,
        monkeypatch: pytest.MonkeyPatch,
        number: int,
        reason: str,
        call: str,
    ) -> None:
        bench.put("a.md", b"old\n")

        def refuse(*_args: object) -> int:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(os, call, refuse)
        for change in (
            lambda: bench.workspace.write("a.md", "new\n"),
            lambda: bench.workspace.replace("a.md", "old", "new"),
            lambda: bench.workspace.write("b.md", "new\n"),
        ):
            with pytest.raises(StorageError, match=reason) as caught:
                change()
            assert caught.value.hint
        monkeypatch.undo()
        assert bench.bytes("a.md") == b"old\n"
        assert bench.everything() == ["a.md"]
        assert bench.journal.done == []
        assert bench.workspace.write("a.md", "new\n").changed

    def test_a_save_between_look_and_write_is_written_over_knowingly(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = bench.put("a.md", b"old\n")
        saves = [b"saved\n"]
        real = atomic.renameat2

        def rename(folder: int, old: str, new: str, flags: int, into: int | None = None) -> None:
            if saves:
                path.write_bytes(saves.pop())
            real(folder, old, new, flags, into)

        monkeypatch.setattr(atomic, "renameat2", rename)
        bench.workspace.write("a.md", "new\n")
        assert bench.bytes("a.md") == b"new\n"
        assert [c.before for c in bench.journal.done] == [b"saved\n"]
        saves.append(b"saved again\n")
        etag = bench.workspace.read("a.md").etag
        with pytest.raises(Conflict):
            bench.workspace.write("a.md", "newer\n", etag=etag)
        assert bench.bytes("a.md") == b"saved again\n"

    def test_a_new_file_never_overwrites_one_made_meanwhile(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = atomic.create

        def create(folder: int, name: str, data: bytes) -> None:
            if not (bench.root / "a.md").exists():
                bench.put("a.md", b"theirs\n")
            real(folder, name, data)

        monkeypatch.setattr(atomic, "create", create)
        with pytest.raises(Conflict):
            bench.workspace.write("a.md", "ours\n", etag="")
        assert bench.bytes("a.md") == b"theirs\n"

    def test_leftovers_of_dead_runs_are_swept(self, bench: Bench) -> None:
        ours = bench.put("memory/.hippod-0123456789abcdef.tmp", b"half")
        theirs = bench.put("memory/.hippod-config.tmp", b"not ours")
        journal = ListJournal()
        workspace = Workspace(bench.root, journal)
        assert workspace.swept == ("memory/.hippod-0123456789abcdef.tmp",)
        assert not ours.exists()
        assert theirs.exists()
        assert [(c.operation, c.before) for c in journal.done] == [("leftover", b"half")]


class TestAppend:
    @pytest.mark.parametrize(
        ("before", "text", "after"),
        [
            (b"one\n", "two", b"one\ntwo\n"),
            (b"one", "two\n", b"one\ntwo\n"),
            (b"one\r\nmore\r\n", "two\nthree", b"one\r\nmore\r\ntwo\r\nthree\r\n"),
            (b"one\r\nmore", "two", b"one\r\nmore\r\ntwo\r\n"),
            (b"\xef\xbb\xbf", "two", b"\xef\xbb\xbftwo\n"),
            (b"", "two", b"two\n"),
            (b"caf\xe9", "two", b"caf\xe9\ntwo\n"),
        ],
    )
    def test_a_line_of_its_own(self, bench: Bench, before: bytes, text: str, after: bytes) -> None:
        inode = bench.put("a.md", before).stat().st_ino
        written = bench.workspace.append("a.md", text)
        assert bench.bytes("a.md") == after
        assert (bench.root / "a.md").stat().st_ino == inode
        assert written.etag == bench.workspace.read("a.md").etag
        assert written.line == after[: after.index(b"two")].count(b"\n") + 1

    def test_a_new_document(self, bench: Bench) -> None:
        assert bench.workspace.append("new/a.md", "one").line == 1
        assert bench.bytes("new/a.md") == b"one\n"

    def test_is_journalled_with_offset_and_length(self, bench: Bench) -> None:
        bench.put("a.md", b"one\n")
        bench.workspace.append("a.md", "two")
        (change,) = bench.journal.done
        assert (change.operation, change.before) == ("append", b"")
        assert (change.offset, change.length) == (4, 4)
        assert bench.journal.offsets == {0: 4}

    def test_utf16_is_refused(self, bench: Bench) -> None:
        data = "é\n".encode("utf-16")
        bench.put("a.md", data)
        with pytest.raises(Conflict, match="UTF-16"):
            bench.workspace.append("a.md", "x")
        assert bench.bytes("a.md") == data

    def test_nothing_to_append(self, bench: Bench) -> None:
        with pytest.raises(InvalidInput):
            bench.workspace.append("a.md", " \n")

    @pytest.mark.parametrize(
        ("saved", "expected"),
        [
            (b"saved\n", b"saved\nours\n"),  # the editor had not seen our line
            (b"old\nours\nsaved\n", b"old\nours\nsaved\n"),  # it had
        ],
    )
    def test_an_editor_that_replaces_the_file_at_that_moment(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch, saved: bytes, expected: bytes
    ) -> None:
        path = bench.put("a.md", b"old\n")
        real = os.fsync
        saves = [saved]

        def fsync(fd: int) -> None:
            real(fd)
            if saves:
                (bench.root / "save").write_bytes(saves.pop())
                (bench.root / "save").replace(path)

        monkeypatch.setattr(os, "fsync", fsync)
        bench.workspace.append("a.md", "ours")
        assert bench.bytes("a.md") == expected


class TestReplace:
    def test_the_one_place(self, bench: Bench) -> None:
        bench.put("a.md", b"\xef\xbb\xbfone\r\ncaf\xe9 two\r\nthree\r\n")
        written = bench.workspace.replace("a.md", "two", "2")
        assert bench.bytes("a.md") == b"\xef\xbb\xbfone\r\ncaf\xe9 2\r\nthree\r\n"
        assert written.line == 2

    def test_line_ends_as_in_the_file(self, bench: Bench) -> None:
        bench.put("a.md", b"one\r\ntwo\r\nthree\r\n")
        bench.workspace.replace("a.md", "one\ntwo", "1\n2\n2b")
        assert bench.bytes("a.md") == b"1\r\n2\r\n2b\r\nthree\r\n"

    def test_several_places_are_a_conflict_with_their_lines(self, bench: Bench) -> None:
        bench.put("a.md", b"x\ny\nx\n")
        with pytest.raises(Conflict, match="lines 1, 3"):
            bench.workspace.replace("a.md", "x", "z")
        bench.put("a.md", b"aaa\n")
        with pytest.raises(Conflict):
            bench.workspace.replace("a.md", "aa", "b")

    def test_no_place_is_not_found_with_a_hint(self, bench: Bench) -> None:
        bench.put("a.md", b"one\nthe  quick fox\n")
        with pytest.raises(NotFound) as caught:
            bench.workspace.replace("a.md", "the quick fox", "x")
        assert "line 2" in caught.value.hint
        with pytest.raises(NotFound):
            bench.workspace.replace("none.md", "x", "y")

    def test_an_empty_old_text_is_refused(self, bench: Bench) -> None:
        bench.put("a.md", b"one\n")
        with pytest.raises(InvalidInput):
            bench.workspace.replace("a.md", "", "x")

    def test_without_exchange(self, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(atomic, "renameat2", unsupported)
        bench.workspace.write("a.md", "one\n")
        bench.workspace.replace("a.md", "one", "two")
        assert bench.bytes("a.md") == b"two\n"
        bench.workspace.delete("a.md")
        assert bench.everything() == []


def unsupported(_folder: int, old: str, *_rest: object) -> None:
    raise OSError(errno.ENOSYS, "not implemented", old)


class TestInsert:
    @pytest.mark.parametrize(
        ("before", "line", "text", "after"),
        [
            (b"one\ntwo\n", 1, "zero", b"zero\none\ntwo\n"),
            (b"one\ntwo\n", 2, "1.5\n", b"one\n1.5\ntwo\n"),
            (b"one\ntwo\n", 3, "three", b"one\ntwo\nthree\n"),
            (b"one\ntwo", 3, "three", b"one\ntwo\nthree\n"),
            (b"", 1, "one", b"one\n"),
            (b"one\n", 1, "\n", b"\none\n"),
            (b"\xef\xbb\xbfone\r\ntwo\r\n", 1, "a\nb", b"\xef\xbb\xbfa\r\nb\r\none\r\ntwo\r\n"),
            (b"\xef\xbb\xbf", 1, "a", b"\xef\xbb\xbfa\n"),
            (b"one\ntwo\r\nthree", 3, "x", b"one\ntwo\r\nx\r\nthree"),
            (b"one\rtwo", 2, "\nx", b"one\r\rx\rtwo"),
            (b"caf\xe9\n\x00\n", 2, "x", b"caf\xe9\nx\n\x00\n"),
        ],
    )
    def test_lines_of_its_own(
        self, bench: Bench, before: bytes, line: int, text: str, after: bytes
    ) -> None:
        bench.put("a.md", before)
        written = bench.workspace.insert("a.md", line, text)
        assert bench.bytes("a.md") == after
        assert (written.line, written.changed) == (line, True)
        (change,) = bench.journal.done
        assert (change.operation, change.before) == ("insert", before)

    @pytest.mark.parametrize(("data", "line"), [(b"", 2), (b"a\n", 3), (b"a", 0), (b"a", -1)])
    def test_a_line_that_cannot_be(self, bench: Bench, data: bytes, line: int) -> None:
        bench.put("a.md", data)
        with pytest.raises(InvalidInput, match=r"a\.md: line: -?\d is not in 1\.\.\d") as caught:
            bench.workspace.insert("a.md", line, "x")
        assert "appends" in caught.value.hint
        assert bench.bytes("a.md") == data

    def test_refusals(self, bench: Bench) -> None:
        with pytest.raises(NotFound):
            bench.workspace.insert("a.md", 1, "x")
        bench.put("a.md", b"a\n")
        with pytest.raises(InvalidInput, match="nothing to insert"):
            bench.workspace.insert("a.md", 1, "")
        with pytest.raises(Conflict, match="changed since"):
            bench.workspace.insert("a.md", 1, "x", etag="0" * 32)
        bench.put("a.md", "a\n".encode("utf-16"))
        with pytest.raises(Conflict, match="UTF-16"):
            bench.workspace.insert("a.md", 1, "x")
        assert bench.journal.done == []

    def test_a_person_who_saves_at_that_moment_loses_nothing(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = bench.put("a.md", b"one\ntwo\n")
        save_once_before(monkeypatch, lambda: path.write_bytes(b"one\ntwo\nmine\n"))
        bench.workspace.insert("a.md", 2, "x")
        assert bench.bytes("a.md") == b"one\nx\ntwo\nmine\n"


LINES = st.lists(
    st.tuples(
        st.sampled_from(["", "a", "é", " x ", "\u2028"]), st.sampled_from(["\n", "\r\n", "\r"])
    ),
    max_size=6,
)


@given(
    LINES,
    st.booleans(),
    st.booleans(),
    st.text(max_size=8).filter(lambda t: "\0" not in t),
    st.data(),
)
@settings(max_examples=300, deadline=None)
def test_an_insert_changes_no_other_byte(
    lines: list[tuple[str, str]], bom: bool, cut: bool, text: str, data: st.DataObject
) -> None:
    text = text or "\n"
    before = "".join(line + end for line, end in lines).encode()
    before = (b"\xef\xbb\xbf" if bom else b"") + (before.rstrip(b"\r\n") if cut else before)
    count = len(markdown.split_lines(before.decode()))
    number = data.draw(st.integers(1, count + 1))
    payload = text.encode("utf-8", "ignore") or b"x"
    after = edits.inserted(before, number, payload)
    cuts = range(len(before) + 1)
    assert any(after.startswith(before[:n]) and after.endswith(before[n:]) for n in cuts)
    added = len(markdown.split_lines(after.decode())) - count
    assert added == len(re.findall(r"\r\n|\r|\n", payload.decode())) + (payload[-1:] not in b"\r\n")
    now = markdown.split_lines(after.decode())
    kept = markdown.split_lines(before.decode())
    assert now[: number - 1] + now[number - 1 + added :] == kept


def save_once_before(
    monkeypatch: pytest.MonkeyPatch, save: Callable[[], object], call: str = "renameat2"
) -> None:
    """Let somebody save right before the next call of `atomic`."""
    real, saves = getattr(atomic, call), [save]

    def first_saved(*args: Any, **fields: Any) -> Any:
        if saves:
            saves.pop()()
        return real(*args, **fields)

    monkeypatch.setattr(atomic, call, first_saved)


class TestMove:
    def test_keeps_every_byte_and_date(self, bench: Bench) -> None:
        path = bench.put("notes/a.md", b"\xef\xbb\xbfone\r\n\xe9")
        os.utime(path, ns=(10**18, 10**18))
        path.chmod(0o640)
        before = path.stat()
        written = bench.workspace.move("notes/a.md", "projects/new/b.md")
        after = (bench.root / "projects/new/b.md").stat()
        assert bench.everything() == ["projects/new/b.md"]
        assert bench.bytes("projects/new/b.md") == b"\xef\xbb\xbfone\r\n\xe9"
        assert (after.st_ino, after.st_mtime_ns, after.st_mode) == (
            before.st_ino, before.st_mtime_ns, before.st_mode,
        )  # fmt: skip
        assert (written.path, written.changed) == ("projects/new/b.md", True)
        (change,) = bench.journal.done
        assert (change.operation, change.path, change.target, change.before) == (
            "rename", "notes/a.md", "projects/new/b.md", None,
        )  # fmt: skip

    def test_nothing_is_ever_written_over(self, bench: Bench) -> None:
        bench.put("a.md", b"one\n")
        bench.put("b.md", b"two\n")
        (bench.root / "c.md").symlink_to("b.md")
        (bench.root / "d.md").mkdir()
        for to, error in (("b.md", Conflict), ("c.md", PathRefused), ("d.md", Conflict)):
            with pytest.raises(error):
                bench.workspace.move("a.md", to)
        assert (bench.bytes("a.md"), bench.bytes("b.md")) == (b"one\n", b"two\n")
        assert bench.journal.done == []

    @pytest.mark.parametrize(
        ("to", "error"),
        [
            ("../a.md", PathRefused),
            (".hidden/a.md", PathRefused),
            ("a.txt", PathRefused),
            ("a/CON.md", PathRefused),
            ("drafts/x.md", PathRefused),
            ("deep/secret.md", PathRefused),
            ("node_modules/x.md", PathRefused),
            ("~$a.md", PathRefused),
            ("link/x.md", PathRefused),
            ("a.md", InvalidInput),
            ("a.md/b.md", NotFound),
        ],
    )
    def test_where_nothing_may_go(
        self,
        bench: Bench,
        to: str,
        error: type[Exception],
        tmp_path_factory: pytest.TempPathFactory,
    ) -> None:
        bench.put("a.md", b"one\n")
        bench.put(".hippodignore", b"drafts/\n")
        bench.put("deep/.gitignore", b"secret*\n")
        (bench.root / "link").symlink_to(tmp_path_factory.mktemp("outside"))
        with pytest.raises(error):
            bench.workspace.move("a.md", to)
        assert bench.bytes("a.md") == b"one\n"
        assert bench.journal.done == []

    def test_an_excluded_document_stays(self, bench: Bench) -> None:
        bench.put("drafts/a.md", b"one\n")
        bench.put(".hippodignore", b"drafts/\n")
        with pytest.raises(PathRefused, match="excluded from the memory"):
            bench.workspace.move("drafts/a.md", "b.md")

    def test_what_is_not_there_and_etags(self, bench: Bench) -> None:
        with pytest.raises(NotFound):
            bench.workspace.move("a.md", "new/b.md")
        assert not (bench.root / "new").exists()
        bench.put("a.md", b"one\n")
        with pytest.raises(Conflict, match="changed since"):
            bench.workspace.move("a.md", "b.md", etag="0" * 32)
        etag = bench.workspace.read("a.md").etag
        assert bench.workspace.move("a.md", "b.md", etag=etag).etag == etag

    @pytest.mark.parametrize("how", ["in place", "replaced", "removed", "other way"])
    def test_a_person_who_saves_at_that_moment_loses_nothing(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch, how: str
    ) -> None:
        path = bench.put("a.md", b"one\n")
        etag = bench.workspace.read("a.md").etag

        def save() -> None:
            if how == "in place":
                path.write_bytes(b"saved\n")
            elif how == "replaced":
                bench.put("temp", b"saved\n").replace(path)
            elif how == "removed":
                path.unlink()
            else:
                bench.put("b.md", b"theirs\n")

        save_once_before(monkeypatch, save)
        with pytest.raises(NotFound if how == "removed" else Conflict):
            bench.workspace.move("a.md", "b.md", etag=etag)
        if how == "removed":
            assert bench.everything() == []
        elif how == "other way":
            assert (bench.bytes("a.md"), bench.bytes("b.md")) == (b"one\n", b"theirs\n")
        else:
            assert bench.bytes("a.md") == b"saved\n"
            assert bench.everything() == ["a.md"]
        assert bench.journal.done == []

    def test_without_an_etag_the_newer_bytes_move(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = bench.put("a.md", b"one\n")
        save_once_before(monkeypatch, lambda: path.write_bytes(b"saved\n"))
        bench.workspace.move("a.md", "b.md")
        assert (bench.everything(), bench.bytes("b.md")) == (["b.md"], b"saved\n")

    def test_a_save_that_comes_between_there_and_back_is_kept(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = bench.put("a.md", b"one\n")
        real = atomic._undisturbed

        def disturbed(folder: int, name: str, expected: bytes) -> bool:
            (bench.root / "b.md").write_bytes(b"written through an open file\n")
            path.write_bytes(b"saved under the old name\n")
            monkeypatch.setattr(atomic, "_undisturbed", real)
            return real(folder, name, expected)

        monkeypatch.setattr(atomic, "_undisturbed", disturbed)
        with pytest.raises(Conflict):
            bench.workspace.move("a.md", "b.md")
        assert bench.bytes("a.md") == b"saved under the old name\n"
        assert bench.bytes("b.md") == b"written through an open file\n"
        assert bench.journal.done == []

    def test_one_that_is_removed_between_there_and_back(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bench.put("a.md", b"one\n")

        def removed(_folder: int, _name: str, _expected: bytes) -> bool:
            (bench.root / "b.md").unlink()
            return False

        monkeypatch.setattr(atomic, "_undisturbed", removed)
        with pytest.raises(NotFound):
            bench.workspace.move("a.md", "b.md")
        assert bench.everything() == []

    @pytest.mark.parametrize("links", [True, False])
    def test_without_a_rename_that_never_replaces(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch, links: bool
    ) -> None:
        monkeypatch.setattr(atomic, "renameat2", unsupported)
        if not links:
            monkeypatch.setattr(os, "link", Mock(side_effect=OSError(errno.EPERM, "no links")))
        bench.put("a.md", b"one\n")
        bench.workspace.move("a.md", "x/b.md")
        assert bench.everything() == ["x/b.md"]
        bench.put("a.md", b"two\n")
        with pytest.raises(Conflict):
            bench.workspace.move("a.md", "x/b.md")
        assert (bench.bytes("a.md"), bench.bytes("x/b.md")) == (b"two\n", b"one\n")

    def test_to_another_filesystem(self, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        crossing = Mock(side_effect=OSError(errno.EXDEV, "cross-device"))
        monkeypatch.setattr(atomic, "renameat2", crossing)
        bench.put("a.md", b"one\n")
        with pytest.raises(StorageError, match="another filesystem"):
            bench.workspace.move("a.md", "b.md")
        assert bench.journal.open == set()
        assert bench.journal.done == []


class TestDelete:
    def test_keeps_the_bytes_in_the_journal(self, bench: Bench) -> None:
        bench.put("memory/a.md", b"one\n")
        assert bench.workspace.delete("memory/a.md").etag == ""
        assert bench.everything() == []
        (change,) = bench.journal.done
        assert (change.operation, change.before, change.digest) == ("delete", b"one\n", None)

    def test_what_is_not_there(self, bench: Bench) -> None:
        with pytest.raises(NotFound):
            bench.workspace.delete("a.md")


class TestDailyLog:
    def test_entries_and_facts_alternate(self, bench: Bench) -> None:
        workspace = bench.workspace
        assert workspace.append_log(DAY, "[09:00:00] started").line == 3
        done = workspace.append_facts(DAY, [bullet(1)])
        assert bench.bytes(LOG)[done.offset :] == done.data
        workspace.append_facts(DAY, [bullet(2), bullet(3)])
        written = workspace.append_log(DAY, "[10:00:00] went on")
        workspace.append_facts(DAY, [bullet(4)])
        text = bench.bytes(LOG).decode()
        assert text == (
            "# Daily Log - 2026-03-03\n\n[09:00:00] started\n\n## Retain\n"
            f"{bullet(1)}\n{bullet(2)}\n{bullet(3)}\n\n## Log\n[10:00:00] went on\n\n"
            f"## Retain\n{bullet(4)}\n"
        )
        assert text.splitlines()[(written.line or 0) - 1] == "[10:00:00] went on"

    def test_the_layout_decides_the_folder(self, tmp_path: Path) -> None:
        workspace = Workspace(tmp_path, ListJournal(), layout="ironclaw")
        assert workspace.append_log(DAY, "[09:00:00] x").path == "daily/2026-03-03.md"

    def test_an_id_that_stands_there_is_not_written_again(self, bench: Bench) -> None:
        bench.workspace.append_facts(DAY, [bullet(1)])
        before = bench.bytes(LOG)
        assert bench.workspace.append_facts(DAY, [bullet(1)]).data == b""
        assert bench.bytes(LOG) == before
        bench.workspace.append_facts(DAY, [bullet(1), bullet(2), bullet(2)])
        assert ids_in_retain(bench.bytes(LOG)) == ids([1, 2])

    def test_conflict_markers_stop_it(self, bench: Bench) -> None:
        data = (
            b"# Daily Log - 2026-03-03\n\n## Retain\n<<<<<<< HEAD\n- Deploy on Monday\n=======\n"
            b"- Deploy on Tuesday\n>>>>>>> branch\n"
        )
        bench.put(LOG, data)
        with pytest.raises(Conflict, match="conflict"):
            bench.workspace.append_facts(DAY, [bullet(1)])
        assert bench.bytes(LOG) == data

    def test_hand_written_bytes_are_a_prefix(self, bench: Bench) -> None:
        data = (
            b"\xef\xbb\xbf# Mine\r\n\r\n## A\r\ntext\r\n\r\n## Retain\r\n- mine\r\n## C\r\nno end"
        )
        bench.put(LOG, data)
        bench.workspace.append_facts(DAY, [bullet(1)])
        assert bench.bytes(LOG).startswith(data)
        assert ids_in_retain(bench.bytes(LOG)) == ids([1])

    def test_the_plan_is_told_before_the_write(self, bench: Bench) -> None:
        plans: list[tuple[PlannedAppend, bool]] = []
        bench.workspace.append_facts(
            DAY, [bullet(1)], lambda p: plans.append((p, (bench.root / LOG).exists()))
        )
        ((planned, existed),) = plans
        assert not existed
        assert (planned.offset, planned.inode) == (0, None)
        assert bench.bytes(LOG) == planned.data

    def test_a_failing_plan_stops_the_write(self, bench: Bench) -> None:
        def plan(_planned: PlannedAppend) -> None:
            raise StorageError("state: disk full")

        with pytest.raises(StorageError):
            bench.workspace.append_facts(DAY, [bullet(1)], plan)
        assert bench.everything() == []

    def interfere(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch, data: bytes, *, hold: bool = False
    ) -> list[int]:
        """Let somebody append right before our own append; `hold`: and keep the file open."""
        real = os.write
        held: list[int] = []

        def write(fd: int, ours: bytes) -> int:
            if not held:
                stranger = os.open(bench.root / LOG, os.O_WRONLY | os.O_APPEND)
                held.append(stranger)
                real(stranger, data)
                if not hold:
                    os.close(stranger)
            return real(fd, ours)

        monkeypatch.setattr(os, "write", write)
        return held

    def test_a_section_that_somebody_begins_in_between(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bench.workspace.append_facts(DAY, [bullet(1)])
        before = bench.bytes(LOG)
        self.interfere(bench, monkeypatch, b"\n## Log\n[10:00:00] theirs\n")
        done = bench.workspace.append_facts(DAY, [bullet(2)])
        after = bench.bytes(LOG)
        assert after.startswith(before + b"\n## Log\n[10:00:00] theirs\n")
        assert ids_in_retain(after) == ids([1, 2])
        assert after[done.offset :] == done.data
        assert [c.operation for c in bench.journal.done][-1] == "move"

    def test_a_retain_section_that_somebody_begins_before_an_entry(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bench.workspace.append_log(DAY, "[09:00:00] first")
        theirs = f"\n## Retain\n{bullet(1)}\n".encode()
        self.interfere(bench, monkeypatch, theirs)
        bench.workspace.append_log(DAY, "[10:00:00] second")
        parsed = daylog.parse(bench.bytes(LOG).decode())
        assert [entry.text for entry in parsed.entries] == ["first", "second"]
        assert ids_in_retain(bench.bytes(LOG)) == ids([1])

    def test_bullets_that_somebody_adds_in_between_do_not_matter(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bench.workspace.append_facts(DAY, [bullet(1)])
        self.interfere(bench, monkeypatch, f"{bullet(2)}\n".encode())
        bench.workspace.append_facts(DAY, [bullet(3)])
        assert ids_in_retain(bench.bytes(LOG)) == ids([1, 2, 3])
        assert "move" not in {c.operation for c in bench.journal.changes}

    @pytest.mark.skipif(not Path("/proc").exists(), reason="leases are Linux only")
    def test_a_log_held_open_is_left_as_it_is(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(atomic, "_ATTEMPTS", 1)
        bench.workspace.append_facts(DAY, [bullet(1)])
        held = self.interfere(bench, monkeypatch, b"\n## Log\n[10:00:00] theirs\n", hold=True)
        bench.workspace.append_facts(DAY, [bullet(2)])
        os.write(held[0], b"[10:00:01] more\n")
        os.close(held[0])
        data = bench.bytes(LOG)
        assert data.endswith(b"[10:00:01] more\n")
        assert data.count(ids([2])[0].encode()) == 1


class TestCompleteAppend:
    """What a restart makes of an append that was planned, wherever the crash came."""

    def plan(self, bench: Bench, numbers: list[int]) -> PlannedAppend:
        plans: list[PlannedAppend] = []

        class Dead(Exception):
            pass

        def die(planned: PlannedAppend) -> None:
            plans.append(planned)
            raise Dead

        with pytest.raises(Dead):
            bench.workspace.append_facts(DAY, [bullet(n) for n in numbers], die)
        return plans[0]

    @pytest.mark.parametrize("existing", [None, b"# Daily Log - 2026-03-03\n\n[09:00:00] x\n"])
    def test_torn_anywhere(self, tmp_path: Path, existing: bytes | None) -> None:
        for size in range(0, 200, 7):
            (tmp_path / str(size)).mkdir()
            bench = Bench(tmp_path / str(size))
            if existing is not None:
                bench.put(LOG, existing)
            planned = self.plan(bench, [1, 2])
            bench.put(LOG, (existing or b"") + planned.data[:size])
            done = bench.workspace.complete_append(planned)
            assert bench.bytes(LOG) == (existing or b"") + planned.data
            assert (done.offset, done.data) == (planned.offset, planned.data)
            bench.workspace.complete_append(planned)
            assert bench.bytes(LOG) == (existing or b"") + planned.data

    def test_no_file(self, bench: Bench) -> None:
        planned = self.plan(bench, [1])
        plans: list[PlannedAppend] = []
        bench.workspace.complete_append(planned, plans.append)
        assert ids_in_retain(bench.bytes(LOG)) == ids([1])
        assert len(plans) == 1

    def test_others_wrote_in_the_meantime(self, bench: Bench) -> None:
        bench.put(LOG, b"# Daily Log - 2026-03-03\n\n[09:00:00] x\n")
        planned = self.plan(bench, [1, 2])
        more = b"[09:30:00] theirs\n"
        for there, expected in (
            (b"", [1, 2]),
            (planned.data, [1, 2]),
            (planned.data[:-20], [1, 2]),
        ):
            bench.put(LOG, b"# Daily Log - 2026-03-03\n\n[09:00:00] x\n" + more + there)
            bench.workspace.complete_append(planned)
            data = bench.bytes(LOG)
            assert sorted(ids_in_retain(data)) == sorted(ids(expected))
            assert more in data
            assert all(data.count(i.encode()) == 1 for i in ids(expected))

    def test_the_file_was_edited_and_holds_one_of_them(self, bench: Bench) -> None:
        planned = self.plan(bench, [1, 2])
        bench.put(LOG, f"# Daily Log - 2026-03-03\n\n## Retain\n{bullet(2)}\n\nedited\n".encode())
        bench.workspace.complete_append(planned)
        assert sorted(ids_in_retain(bench.bytes(LOG))) == sorted(ids([1, 2]))
        assert b"edited\n" in bench.bytes(LOG)

    def test_only_daily_logs(self, bench: Bench) -> None:
        with pytest.raises(InvalidInput):
            bench.workspace.complete_append(PlannedAppend("MEMORY.md", 0, b"- x\n", None))


class Killed(BaseException):
    """Stands for SIGKILL: nothing that cleans up after errors sees it."""


CALLS = ("write", "fsync", "rename", "link", "unlink", "mkdir", "open")


def die_at(monkeypatch: pytest.MonkeyPatch, number: int, how: str) -> list[str]:
    """Die at the n-th system call: before it, after it, or (a write) in the middle of it."""
    made: list[str] = []

    def wrap(where: object, name: str) -> None:
        real = getattr(where, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            made.append(name)
            if len(made) == number and how == "before":
                raise Killed
            if len(made) == number and how == "middle" and name == "write":
                real(args[0], args[1][: len(args[1]) // 2])
                raise Killed
            result = real(*args, **kwargs)
            if len(made) == number:
                raise Killed
            return result

        monkeypatch.setattr(where, name, call)

    for name in CALLS:
        wrap(os, name)
    wrap(atomic, "renameat2")
    return made


@pytest.mark.parametrize("how", ["before", "middle", "after"])
@pytest.mark.parametrize("support", ["whole", "links", "none"])
def test_a_move_killed_anywhere_happened_or_not(tmp_path: Path, support: str, how: str) -> None:
    happened = set()
    for number in range(1, 100):
        folder = tmp_path / str(number)
        folder.mkdir()
        bench = Bench(folder)
        bench.put("a.md", b"one\n")
        with pytest.MonkeyPatch.context() as patched:
            if support != "whole":
                patched.setattr(atomic, "renameat2", unsupported)
            if support == "none":
                patched.setattr(os, "link", Mock(side_effect=OSError(errno.EPERM, "no links")))
            calls = die_at(patched, number, how)
            with contextlib.suppress(Killed):
                bench.workspace.move("a.md", "new/b.md")
        Workspace(folder, bench.journal)  # finds out what became of it
        moved = (folder / "new/b.md").exists()
        assert bench.everything() == (["new/b.md"] if moved else ["a.md"])
        assert bench.bytes(bench.everything()[0]) == b"one\n"
        assert [c.operation for c in bench.journal.done] == (["rename"] if moved else [])
        assert bench.journal.open == set()
        happened.add(moved)
        if len(calls) < number:
            assert happened == {True, False}
            return
    pytest.fail("never came to its end")


@pytest.mark.parametrize("how", ["before", "middle", "after"])
class TestKilled:
    """A kill at any system call leaves the old bytes or the new ones, and a restart goes on."""

    def each_point(
        self,
        tmp_path: Path,
        how: str,
        before: bytes | None,
        act: Callable[[Workspace, list[PlannedAppend]], object],
        again: Callable[[Workspace, list[PlannedAppend]], object],
        check: Callable[[bytes | None, bytes | None], bool],
    ) -> None:
        expected: bytes | None = None
        for number in range(200):
            folder = tmp_path / str(number)
            folder.mkdir(parents=True)
            bench = Bench(folder)
            if before is not None:
                bench.put(LOG, before)
            plans: list[PlannedAppend] = []
            with pytest.MonkeyPatch.context() as patched:
                calls = die_at(patched, number, how)
                with contextlib.suppress(Killed):
                    act(bench.workspace, plans)
            path = folder / LOG
            left = path.read_bytes() if path.exists() else None
            if number == 0:
                expected = left
            assert check(left, expected)
            restarted = Bench(folder)
            again(restarted.workspace, plans)
            assert (path.read_bytes() if path.exists() else None) == expected
            assert restarted.everything() == ([LOG] if expected is not None else [])
            if 0 < len(calls) < number:
                assert number > 3
                return
        pytest.fail("never came to its end")

    def test_write(self, tmp_path: Path, how: str) -> None:
        def act(workspace: Workspace, _plans: list[PlannedAppend]) -> None:
            workspace.write(LOG, "new\n" * 10)

        self.each_point(tmp_path / "a", how, b"old\n", act, act, lambda b, e: b in (b"old\n", e))
        self.each_point(tmp_path / "b", how, None, act, act, lambda b, e: b in (None, e))

    def test_insert(self, tmp_path: Path, how: str) -> None:
        def again(workspace: Workspace, _plans: list[PlannedAppend]) -> None:
            if workspace.read(LOG).text == "old\n":
                workspace.insert(LOG, 1, "new")

        self.each_point(
            tmp_path,
            how,
            b"old\n",
            lambda workspace, _plans: workspace.insert(LOG, 1, "new"),
            again,
            lambda b, e: b in (b"old\n", e),
        )

    def test_delete(self, tmp_path: Path, how: str) -> None:
        def again(workspace: Workspace, _plans: list[PlannedAppend]) -> None:
            with contextlib.suppress(NotFound):
                workspace.delete(LOG)

        self.each_point(
            tmp_path,
            how,
            b"old\n",
            lambda workspace, _plans: workspace.delete(LOG),
            again,
            lambda b, _: b in (b"old\n", None),
        )

    @pytest.mark.parametrize("before", [None, b"# Daily Log - 2026-03-03\n\n[09:00:00] x"])
    def test_facts(self, tmp_path: Path, how: str, before: bytes | None) -> None:
        bullets = [bullet(1), bullet(2)]

        def again(workspace: Workspace, plans: list[PlannedAppend]) -> None:
            if plans:
                workspace.complete_append(plans[-1])
            workspace.append_facts(DAY, bullets)

        self.each_point(
            tmp_path,
            how,
            before,
            lambda workspace, plans: workspace.append_facts(DAY, bullets, plans.append),
            again,
            lambda b, _: (b or b"").startswith(before or b""),
        )


class TestConcurrent:
    OUTSIDE = (
        "import os, sys, time\n"
        "for n in range(50):\n"
        "    fd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT)\n"
        "    os.write(fd, b'[11:00:00] outside %d.\\n' % n)\n"
        "    os.close(fd)\n"
        "    print(n, flush=True)\n"
        "    time.sleep(0.002)\n"
    )

    def run(self, bench: Bench, *jobs: Callable[[], None]) -> None:
        outside = subprocess.Popen(
            [sys.executable, "-c", self.OUTSIDE, str(bench.root / LOG)], stdout=subprocess.PIPE
        )
        assert outside.stdout is not None
        outside.stdout.readline()  # from here on it writes while we do
        failures: list[BaseException] = []

        def guarded(job: Callable[[], None]) -> None:
            try:
                job()
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=guarded, args=(job,)) for job in jobs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert outside.communicate(timeout=60)[0].endswith(b"49\n")
        assert failures == []

    def test_three_writers(self, tmp_path: Path) -> None:
        bench = Bench(tmp_path, limit=1_000_000)
        bench.put(LOG, b"# Daily Log - 2026-03-03\n")

        def notes() -> None:
            for n in range(50):
                bench.workspace.append_log(DAY, f"[10:00:00] thread {n}.")

        def facts() -> None:
            for n in range(50):
                bench.workspace.append_facts(DAY, [bullet(n)])

        self.run(bench, notes, facts)
        data = bench.bytes(LOG)
        for n in range(50):
            assert data.count(b"[10:00:00] thread %d.\n" % n) == 1
            assert data.count(b"[11:00:00] outside %d.\n" % n) == 1
        assert sorted(re.findall(rb"\^([0-9a-z]{10})\n", data)) == sorted(
            i.encode() for i in ids(range(50))
        )

    def test_rewriting_beside_an_appender(self, tmp_path: Path) -> None:
        bench = Bench(tmp_path, limit=1_000_000)
        bench.put(LOG, b"# Daily Log - 2026-03-03\ncounter 0\n")

        def rewrite() -> None:
            done = 0
            while done < 30:
                try:
                    bench.workspace.replace(LOG, f"counter {done}\n", f"counter {done + 1}\n")
                    done += 1
                except Conflict:
                    continue

        self.run(bench, rewrite)
        data = bench.bytes(LOG)
        assert b"counter 30\n" in data
        assert [data.count(b"outside %d." % n) for n in range(50)] == [1] * 50
        assert bench.everything() == [LOG]


TEXTS = st.sampled_from(["one", "two", "two words", "three\nlines\nhere", "é🦉", "- x"])
ACTS = st.lists(
    st.tuples(
        st.sampled_from(
            ["write", "append", "replace", "insert", "move", "log", "facts", "stranger", "save"]
        ),
        TEXTS,
    ),
    max_size=12,
)


@given(ACTS, st.booleans())
@settings(max_examples=60, deadline=None)
def test_what_others_write_is_never_lost(acts: list[tuple[str, str]], bom: bool) -> None:
    """Lines that an outside program adds stay until we are told to write over all of it."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        path = bench.put(LOG, (b"\xef\xbb\xbf" if bom else b"") + b"# Daily Log - 2026-03-03\n")
        outside: list[bytes] = []
        for number, (act, text) in enumerate(acts):
            mine = f"outside {number}.".encode()
            etag = bench.workspace.read(LOG).etag
            if act == "stranger":
                with path.open("ab") as file:
                    file.write(b"\n" + mine + b"\n")
                outside.append(mine)
            elif act == "save":
                (bench.root / "save").write_bytes(path.read_bytes() + b"\n" + mine)
                (bench.root / "save").replace(path)
                outside.append(mine)
            elif act == "write":
                written = bench.workspace.write(LOG, f"{text}\n", etag=etag)
                assert written.etag != etag or not written.changed
                outside.clear()
            else:
                _edit(bench, act, text, number, etag)
            data = path.read_bytes()
            assert all(line in data for line in outside)
            assert data.startswith(b"\xef\xbb\xbf") == bom
        assert bench.everything() == [LOG]
        assert bench.journal.open == set()


def _edit(bench: Bench, act: str, text: str, number: int, etag: str) -> None:
    try:
        if act == "append":
            bench.workspace.append(LOG, text, etag=etag)
        elif act == "replace":
            bench.workspace.replace(LOG, text, f"{text} and more", etag=etag)
        elif act == "insert":
            bench.workspace.insert(LOG, 1 + number % 3, text, etag=etag)
        elif act == "move":
            bench.workspace.move(LOG, f"notes/{number}.md", etag=etag)
            bench.workspace.move(f"notes/{number}.md", LOG)
        elif act == "log":
            bench.workspace.append_log(DAY, f"[10:00:00] {text}")
        else:
            bench.workspace.append_facts(DAY, [bullet(number)])
    except (NotFound, Conflict, InvalidInput):
        pass  # the line is beyond the end, or the text stands nowhere, or in several places


def test_the_names_in_a_folder_are_those_of_its_markdown(bench: Bench) -> None:
    root = bench.workspace.root
    (root / "bank" / "entities").mkdir(parents=True, exist_ok=True)
    for name in ("world.md", "opinions.MD", "notes.txt", "entities/Ines.md"):
        (root / "bank" / name).write_text("x\n")
    assert bench.workspace.names_in("bank") == ("bank/opinions.MD", "bank/world.md")
    assert bench.workspace.names_in("bank/entities") == ("bank/entities/Ines.md",)
    assert bench.workspace.names_in("bank/none") == ()
