"""Taking changes back: exactly those bytes, or a refusal; nobody else's text is lost with them."""

import contextlib
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod import atomic, daylog, edits
from hippod.errors import Conflict, HippodError, StorageError
from hippod.journal import Change, JournalEntry, PlannedAppend
from hippod.state import State
from hippod.workspace import Workspace

DAY = date(2026, 3, 3)
LOG = "memory/2026-03-03.md"
FIRST = "- W @Ada: The boat is blue. ^k3f9ab27qt"
SECOND = "- W @Bo: The bike is red. ^p07d2c5hn1"


class Bench:
    """A workspace over a real journal."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / ".memory").mkdir(parents=True)
        self.open()

    def open(self) -> None:
        self.state = State(self.root / ".memory" / "state.sqlite")
        self.workspace = Workspace(self.root, self.state)

    def close(self) -> None:
        self.state.close()

    def put(self, path: str, data: bytes) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    def bytes(self, path: str) -> bytes | None:
        target = self.root / path
        return target.read_bytes() if target.exists() else None

    def last(self) -> JournalEntry:
        return self.state.recent(1)[0]

    def undo(self, entry: JournalEntry | None = None) -> None:
        self.workspace.undo(entry or self.last())

    def add(self, *bullets: str) -> JournalEntry:
        self.workspace.append_facts(DAY, bullets)
        return self.last()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.close()


# -- whole documents ---------------------------------------------------------------------------


class TestWhole:
    @pytest.mark.parametrize("before", [b"old\r\nlines", b"\xef\xbb\xbfold\n", b"", None])
    def test_a_write_and_back_again(self, bench: Bench, before: bytes | None) -> None:
        if before is not None:
            bench.put("deep/a.md", before)
        bench.workspace.write("deep/a.md", "new\n")
        after = bench.bytes("deep/a.md")
        bench.undo()
        assert bench.bytes("deep/a.md") == before
        bench.undo()  # the undo: it is a change as any other
        assert bench.bytes("deep/a.md") == after
        bench.undo()
        assert bench.bytes("deep/a.md") == before

    def test_a_replacement_and_a_deletion(self, bench: Bench) -> None:
        bench.put("a.md", b"one two\r\n\xff\n")
        bench.workspace.replace("a.md", "two", "2")
        replaced = bench.last()
        bench.workspace.delete("a.md")
        bench.undo()
        assert bench.bytes("a.md") == b"one 2\r\n\xff\n"
        bench.undo(replaced)
        assert bench.bytes("a.md") == b"one two\r\n\xff\n"

    def test_the_folder_of_a_deleted_document_may_be_gone(self, bench: Bench) -> None:
        bench.put("deep/er/a.md", b"one\n")
        bench.workspace.delete("deep/er/a.md")
        (bench.root / "deep" / "er").rmdir()
        (bench.root / "deep").rmdir()
        bench.undo()
        assert bench.bytes("deep/er/a.md") == b"one\n"

    def test_what_was_edited_since_is_refused(self, bench: Bench) -> None:
        bench.workspace.write("a.md", "one\n")
        bench.put("a.md", b"one and a half\n")
        with pytest.raises(Conflict, match="was edited since entry 1"):
            bench.undo()
        (bench.root / "a.md").unlink()
        with pytest.raises(Conflict, match="moved or deleted"):
            bench.undo()
        assert len(bench.state.recent()) == 1

    def test_a_deleted_document_that_exists_again_stays(self, bench: Bench) -> None:
        bench.put("a.md", b"one\n")
        bench.workspace.delete("a.md")
        bench.put("a.md", b"two\n")
        with pytest.raises(Conflict, match="exists again"):
            bench.undo()
        assert bench.bytes("a.md") == b"two\n"

    def test_a_dry_run_changes_nothing(self, bench: Bench) -> None:
        bench.workspace.write("a.md", "one\n")
        plan = bench.workspace.undo(bench.last(), dry_run=True)
        assert (plan.path, plan.before, plan.after) == ("a.md", b"one\n", None)
        assert bench.bytes("a.md") == b"one\n"
        assert len(bench.state.recent()) == 1

    @pytest.mark.parametrize("before", [b"old\r\nlines", b"\xef\xbb\xbfold\n", b""])
    def test_an_insertion_and_back_again(self, bench: Bench, before: bytes) -> None:
        bench.put("a.md", before)
        bench.workspace.insert("a.md", 1, "new")
        after = bench.bytes("a.md")
        bench.undo()
        assert bench.bytes("a.md") == before
        bench.undo()
        assert bench.bytes("a.md") == after

    @pytest.mark.parametrize("operation", ["displaced", "leftover", "move"])
    def test_what_was_no_change_of_its_own(self, bench: Bench, operation: str) -> None:
        number = bench.state.begin(Change(operation, "a.md", "hippod", before=b"x"))  # type: ignore[arg-type]
        bench.state.commit(number)
        with pytest.raises(Conflict, match="no change of its own"):
            bench.undo()

    def test_a_read_only_file_stays(self, bench: Bench) -> None:
        bench.workspace.write("a.md", "one\n")
        (bench.root / "a.md").chmod(0o444)
        with pytest.raises(StorageError, match="read-only"):
            bench.undo()
        assert bench.bytes("a.md") == b"one\n"


# -- appends -----------------------------------------------------------------------------------


class TestAppends:
    @pytest.mark.parametrize(
        "before", [b"# Log\n", b"no end", b"win\r\n", b"\xef\xbb\xbf", b"", b"\n\n", None]
    )
    def test_exactly_its_bytes_go(self, bench: Bench, before: bytes | None) -> None:
        if before is not None:
            bench.put("a.md", before)
        bench.workspace.append("a.md", "more\n")
        bench.undo()
        assert bench.bytes("a.md") == before

    def test_after_later_appends_of_others(self, bench: Bench) -> None:
        bench.put("a.md", b"one\n")
        bench.workspace.append("a.md", "two")
        with (bench.root / "a.md").open("ab") as file:
            file.write(b"three\n")
        bench.undo()
        assert bench.bytes("a.md") == b"one\nthree\n"

    def test_lines_of_others_never_run_together(self, bench: Bench) -> None:
        bench.put("a.md", b"one")
        bench.workspace.append("a.md", "two")
        with (bench.root / "a.md").open("ab") as file:
            file.write(b"three\n")
        bench.undo()
        assert bench.bytes("a.md") == b"one\nthree\n"

    def test_wherever_its_bytes_stand_now(self, bench: Bench) -> None:
        bench.put("a.md", b"one\n")
        bench.workspace.append("a.md", "two")
        bench.put("a.md", b"before\none\nbetween\ntwo\nafter\n")
        bench.undo()
        assert bench.bytes("a.md") == b"before\none\nbetween\nafter\n"

    def test_in_two_places_it_is_not_known_which(self, bench: Bench) -> None:
        bench.put("a.md", b"one\n")
        bench.workspace.append("a.md", "two")
        bench.put("a.md", b"two\nxxx\ntwo\n")
        with pytest.raises(Conflict, match="stands there 2 times"):
            bench.undo()

    def test_at_its_own_place_it_is_known(self, bench: Bench) -> None:
        bench.put("a.md", b"two\n")
        bench.workspace.append("a.md", "two")
        with (bench.root / "a.md").open("ab") as file:
            file.write(b"two\nlast\n")
        bench.undo()
        assert bench.bytes("a.md") == b"two\ntwo\nlast\n"

    @pytest.mark.parametrize("edit", [(b"\n", b"\r\n"), (b"two", b"2"), (b"two", b"two ")])
    def test_edited_text_is_refused(self, bench: Bench, edit: tuple[bytes, bytes]) -> None:
        bench.put("a.md", b"one\n")
        bench.workspace.append("a.md", "two")
        edited = (bench.bytes("a.md") or b"").replace(*edit)
        bench.put("a.md", edited)
        with pytest.raises(Conflict, match="was edited since"):
            bench.undo()
        assert bench.bytes("a.md") == edited

    def test_a_note(self, bench: Bench) -> None:
        bench.workspace.append_log(DAY, "[09:00:00] Up")
        first = bench.bytes(LOG)
        bench.workspace.append_log(DAY, "[09:01:00] Coffee")
        bench.undo()
        assert bench.bytes(LOG) == first

    def test_one_that_another_writer_moved(self, bench: Bench) -> None:
        bench.put(LOG, b"# Daily Log - 2026-03-03\n\n## Retain\n- W @Bo: Old.\n")
        real, done = atomic.append, []

        def squeezed_in(folder: int, name: str, data: bytes, inode: int | None) -> atomic.Landed:
            if not done:
                done.append(1)
                with (bench.root / LOG).open("ab") as file:
                    file.write(b"\n## Else\nText.\n")
            return real(folder, name, data, inode)

        before = b"# Daily Log - 2026-03-03\n\n## Retain\n- W @Bo: Old.\n\n## Else\nText.\n"
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(atomic, "append", squeezed_in)
            bench.add(FIRST)
        assert bench.last().change.operation == "move"
        assert [p.fact.id for p in daylog.parse((bench.bytes(LOG) or b"").decode()).facts] == [
            None,
            "k3f9ab27qt",
        ]
        append = next(e for e in bench.state.recent() if e.change.operation == "append")
        bench.undo(append)
        assert bench.bytes(LOG) == before


# -- facts -------------------------------------------------------------------------------------


class TestFacts:
    def test_a_new_log_is_gone_again(self, bench: Bench) -> None:
        bench.add(FIRST)
        bench.undo()
        assert bench.bytes(LOG) is None

    def test_later_facts_stay_facts(self, bench: Bench) -> None:
        first = bench.add(FIRST)
        bench.add(SECOND)
        bench.undo(first)
        text = (bench.bytes(LOG) or b"").decode()
        assert text == f"# Daily Log - 2026-03-03\n\n## Retain\n{SECOND}\n"

    def test_a_section_that_nobody_stands_under_goes(self, bench: Bench) -> None:
        bench.put(LOG, b"# Mine\n\nText.\n")
        first = bench.add(FIRST)
        bench.workspace.append_log(DAY, "[09:00:00] Up")
        bench.undo(first)
        assert bench.bytes(LOG) == b"# Mine\n\nText.\n\n## Log\n[09:00:00] Up\n"

    def test_the_title_stays_where_anything_stands_under_it(self, bench: Bench) -> None:
        first = bench.add(FIRST)
        bench.workspace.append_log(DAY, "[09:00:00] Up")
        bench.undo(first)
        assert bench.bytes(LOG) == b"# Daily Log - 2026-03-03\n\n## Log\n[09:00:00] Up\n"

    def test_the_log_may_be_archived(self, bench: Bench) -> None:
        first = bench.add(FIRST)
        bench.add(SECOND)
        (bench.root / "archive" / "2026").mkdir(parents=True)
        (bench.root / LOG).rename(bench.root / "archive" / "2026" / "2026-03-03.md")
        plan = bench.workspace.undo(first)
        assert plan.path == "archive/2026/2026-03-03.md"
        assert FIRST.encode() not in (bench.bytes(plan.path) or b"")
        assert bench.bytes(LOG) is None
        bench.undo()
        assert FIRST.encode() in (bench.bytes(plan.path) or b"")

    def test_a_document_that_moved_elsewhere_is_refused(self, bench: Bench) -> None:
        bench.workspace.append("a.md", "one")
        (bench.root / "a.md").rename(bench.root / "b.md")
        with pytest.raises(Conflict, match="moved or deleted"):
            bench.undo()

    def test_a_torn_append_that_was_completed_goes_as_a_whole(self, bench: Bench) -> None:
        bench.put(LOG, b"# Daily Log - 2026-03-03\n")
        before = bench.bytes(LOG) or b""
        block = f"\n## Retain\n{FIRST}\n".encode()
        bench.put(LOG, before + block[:20])
        bench.workspace.complete_append(PlannedAppend(LOG, len(before), block, None))
        assert bench.bytes(LOG) == before + block
        bench.undo()
        assert bench.bytes(LOG) == before


# -- front matter: C122, C123 ------------------------------------------------------------------

FRONT_MATTER = [
    b'---\ndescription: "the "green" room"\ntags: [a, b]\n---\n\n# Lena\n',
    b"---\nentity: Lena\naliases: [Leni\n---\n# Lena\n",
    b"---\r\nentity: Lena\r\n---\r\n# Lena\r\n",
    b"---\nentity: Lena\n\n# never closed\n",
    b"\xef\xbb\xbf---\nentity: Lena\n---\n# Lena\n",
    b"---\n\ttabs: [\n: :\n---\n# Lena\n",
]


@pytest.mark.parametrize("page", FRONT_MATTER)
def test_no_writer_loses_a_byte_of_front_matter(bench: Bench, page: bytes) -> None:
    path = "bank/entities/Lena.md"
    front = page[: page.index(b"#")]
    bench.put(path, page)
    bench.workspace.append(path, "More of her.")
    assert (bench.bytes(path) or b"").startswith(page)
    bench.workspace.replace(path, "# Lena", "# Lena B.") if b"# Lena" in page else None
    after = bench.bytes(path) or b""
    assert after.startswith(front)
    assert after.count(b"---") == page.count(b"---")
    for entry in bench.state.recent():
        bench.undo(entry)
    assert bench.bytes(path) == page


# -- the day's log is only ever added to: C121, C125 -------------------------------------------


def test_facts_of_the_day_leave_its_sections_alone(bench: Bench) -> None:
    written = b"# Monday\n\n## Plan\nShop.\n\n## Retain\n- W @Bo: Likes tea.\n\n## Evening\nRain.\n"
    bench.put(LOG, written)
    bench.add(FIRST)
    bench.add("- W @Bo: Likes tea. ^aaaaaaaaaa", FIRST)  # emits once more what stands there
    data = bench.bytes(LOG) or b""
    assert data.startswith(written)
    assert data.count(b"^k3f9ab27qt") == 1


OUTSIDE = """
import os, sys
for number in range(50):
    fd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
    os.write(fd, f"[09:00:00] outside {number}\\n".encode())
    os.close(fd)
"""


def test_three_writers_lose_no_line(bench: Bench) -> None:
    bench.put(LOG, b"# Daily Log - 2026-03-03\n\n")

    def write(name: str) -> None:
        for number in range(50):
            bench.workspace.append_log(DAY, f"[10:00:00] {name} {number}")

    outside = subprocess.Popen([sys.executable, "-c", OUTSIDE, str(bench.root / LOG)])
    threads = [threading.Thread(target=write, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outside.wait() == 0
    lines = (bench.bytes(LOG) or b"").decode().splitlines()
    for name in ("one", "two", "outside"):
        assert len({line for line in lines if f"] {name} " in line}) == 50
    notes = [e for e in bench.state.recent(1000) if e.change.operation == "append"]
    for entry in notes:
        bench.undo(entry)
    left = (bench.bytes(LOG) or b"").decode().splitlines()
    assert [line for line in left if line] == [
        "# Daily Log - 2026-03-03",
        *(f"[09:00:00] outside {n}" for n in range(50)),
    ]


# -- moves -------------------------------------------------------------------------------------


class TestMoves:
    def test_there_and_back_and_there_again(self, bench: Bench) -> None:
        bench.put("notes/a.md", b"one\r\n")
        bench.workspace.move("notes/a.md", "new/b.md")
        bench.undo()
        assert (bench.bytes("notes/a.md"), bench.bytes("new/b.md")) == (b"one\r\n", None)
        first, second = reversed(bench.state.recent())
        assert (first.undone_by, second.change.undoes) == (second.id, first.id)
        bench.undo()
        assert (bench.bytes("notes/a.md"), bench.bytes("new/b.md")) == (None, b"one\r\n")

    def test_what_was_edited_since_moves_along(self, bench: Bench) -> None:
        bench.put("a.md", b"one\n")
        bench.workspace.move("a.md", "b.md")
        entry = bench.last()
        bench.workspace.append("b.md", "two")
        bench.undo(entry)
        assert (bench.bytes("a.md"), bench.bytes("b.md")) == (b"one\ntwo\n", None)

    def test_never_over_another_document(self, bench: Bench) -> None:
        bench.put("a.md", b"one\n")
        bench.workspace.move("a.md", "b.md")
        bench.put("a.md", b"theirs\n")
        with pytest.raises(Conflict, match="exists again"):
            bench.undo()
        assert (bench.bytes("a.md"), bench.bytes("b.md")) == (b"theirs\n", b"one\n")

    def test_one_that_is_gone(self, bench: Bench) -> None:
        bench.put("a.md", b"one\n")
        bench.workspace.move("a.md", "b.md")
        (bench.root / "b.md").unlink()
        with pytest.raises(Conflict, match="moved or deleted since"):
            bench.undo()

    def test_a_dry_run_moves_nothing(self, bench: Bench) -> None:
        bench.put("a.md", b"one\n")
        bench.workspace.move("a.md", "b.md")
        plan = bench.workspace.undo(bench.last(), dry_run=True)
        assert (plan.path, plan.moved_from) == ("a.md", "b.md")
        assert bench.bytes("b.md") == b"one\n"
        assert len(bench.state.recent()) == 1

    def test_the_folder_that_it_left_may_be_gone(self, bench: Bench) -> None:
        bench.put("deep/er/a.md", b"one\n")
        bench.workspace.move("deep/er/a.md", "b.md")
        (bench.root / "deep/er").rmdir()
        bench.undo()
        assert bench.bytes("deep/er/a.md") == b"one\n"

    def test_an_edit_before_the_move_waits_for_it(self, bench: Bench) -> None:
        bench.put("a.md", b"one\n")
        bench.workspace.write("a.md", "two\n")
        edit = bench.last()
        bench.workspace.move("a.md", "b.md")
        move = bench.last()
        with pytest.raises(Conflict, match="moved or deleted"):
            bench.undo(edit)
        bench.undo(move)
        bench.undo(edit)
        assert bench.bytes("a.md") == b"one\n"

    def test_an_append_to_an_archived_log(self, bench: Bench) -> None:
        bench.add(FIRST)
        fact = bench.last()
        bench.workspace.move(LOG, "archive/2026-03-03.md")
        bench.undo(fact)
        assert FIRST.encode() not in (bench.bytes("archive/2026-03-03.md") or b"")

    def test_an_editor_saves_the_old_name_in_between(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bench.put("a.md", b"one\n")
        bench.workspace.move("a.md", "b.md")
        real = atomic.move

        def saved_first(*args: Any) -> None:
            bench.put("a.md", b"theirs\n")
            real(*args)

        monkeypatch.setattr(atomic, "move", saved_first)
        with pytest.raises(Conflict, match="something stands there"):
            bench.undo()
        assert (bench.bytes("a.md"), bench.bytes("b.md")) == (b"theirs\n", b"one\n")
        assert len(bench.state.recent()) == 1

    def test_the_journal_knows_both_paths(self, bench: Bench) -> None:
        bench.put("a.md", b"one\n")
        bench.workspace.move("a.md", "notes/b.md")
        for path in ("a.md", "notes/*"):
            (entry,) = bench.state.recent(path=path)
            assert (entry.change.path, entry.change.target) == ("a.md", "notes/b.md")


# -- at the same moment ------------------------------------------------------------------------


def test_an_editor_that_saves_in_between_is_never_overwritten(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.workspace.write("a.md", "one\n")
    real = atomic.remove

    def saved_first(folder: int, name: str, expected: atomic.Found, keep: atomic.Keep) -> None:
        bench.put("b.md", b"mine\n")
        (bench.root / "b.md").replace(bench.root / "a.md")
        real(folder, name, expected, keep)

    monkeypatch.setattr(atomic, "remove", saved_first)
    with pytest.raises(Conflict, match="was edited since"):
        bench.undo()
    assert bench.bytes("a.md") == b"mine\n"


def test_an_append_in_between_is_kept(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.put("a.md", b"one\n")
    bench.workspace.append("a.md", "two")
    real, done = atomic.replace, []

    def appended_first(
        folder: int, name: str, data: bytes, expected: atomic.Found, keep: atomic.Keep
    ) -> None:
        if not done:
            done.append(1)
            with (bench.root / "a.md").open("ab") as file:
                file.write(b"three\n")
        real(folder, name, data, expected, keep)

    monkeypatch.setattr(atomic, "replace", appended_first)
    bench.undo()
    assert bench.bytes("a.md") == b"one\nthree\n"
    assert [e.status for e in bench.state.recent()] == ["committed", "committed"]


# -- what broke off ----------------------------------------------------------------------------


class TestBrokenOff:
    """Entries that were begun when the process died, by what stands in their documents."""

    def reopened(self, bench: Bench) -> list[tuple[str, str]]:
        bench.close()
        bench.open()
        return [(e.change.operation, e.status) for e in bench.state.recent()]

    def begin(self, bench: Bench, operation: str, **fields: object) -> None:
        bench.state.begin(Change(operation, "a.md", "api", **fields))  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("now", "status"), [(b"new", "committed"), (b"old", None), (b"other", "committed")]
    )
    def test_a_write(self, bench: Bench, now: bytes, status: str | None) -> None:
        bench.put("a.md", now)
        self.begin(bench, "write", before=b"old", digest=edits.digest(b"new"))
        assert self.reopened(bench) == ([("write", status)] if status else [])

    @pytest.mark.parametrize(("now", "status"), [(b"new", "committed"), (None, None)])
    def test_a_creation(self, bench: Bench, now: bytes | None, status: str | None) -> None:
        if now:
            bench.put("a.md", now)
        self.begin(bench, "create", digest=edits.digest(b"new"))
        assert self.reopened(bench) == ([("create", status)] if status else [])

    @pytest.mark.parametrize(("now", "status"), [(None, "committed"), (b"old", None)])
    def test_a_deletion(self, bench: Bench, now: bytes | None, status: str | None) -> None:
        if now:
            bench.put("a.md", now)
        self.begin(bench, "delete", before=b"old")
        assert self.reopened(bench) == ([("delete", status)] if status else [])

    @pytest.mark.parametrize(
        ("now", "place"), [(b"one\ntwo\n", 4), (b"one\nx\ntwo\n", 6), (b"one\n", None)]
    )
    def test_an_append(self, bench: Bench, now: bytes, place: int | None) -> None:
        bench.put("a.md", now)
        self.begin(bench, "append", before=b"", offset=4, length=4, digest=edits.digest(b"two\n"))
        found = self.reopened(bench)
        assert found == ([("append", "committed")] if place else [])
        if place:
            assert bench.last().change.offset == place
            bench.undo()
            assert b"two" not in (bench.bytes("a.md") or b"")

    @pytest.mark.parametrize(
        ("source", "target", "status"),
        [
            (b"x", None, None),
            (None, b"x", "committed"),
            (b"newer", b"x", "committed"),
            (b"x", b"theirs", None),
            (None, None, "committed"),
        ],
    )
    def test_a_move(
        self, bench: Bench, source: bytes | None, target: bytes | None, status: str | None
    ) -> None:
        self.begin(bench, "rename", target="b.md", length=1, digest=edits.digest(b"x"))
        for path, data in (("a.md", source), ("b.md", target)):
            if data is not None:
                bench.put(path, data)
        assert self.reopened(bench) == ([("rename", status)] if status else [])
        assert (bench.bytes("a.md"), bench.bytes("b.md")) == (source, target)

    def test_what_cannot_be_told_waits(self, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        bench.put("a.md", b"new")
        self.begin(bench, "write", before=b"old", digest=edits.digest(b"new"))
        with monkeypatch.context() as patch:
            patch.setattr(
                atomic, "read", lambda *_: (_ for _ in ()).throw(PermissionError(13, "no"))
            )
            assert self.reopened(bench) == [("write", "begun")]
        assert self.reopened(bench) == [("write", "committed")]

    def test_an_undo(self, bench: Bench) -> None:
        bench.workspace.write("a.md", "new")
        written = bench.last()
        bench.state.begin(Change("delete", "a.md", "api", before=b"new", undoes=written.id))
        (bench.root / "a.md").unlink()
        self.reopened(bench)
        assert bench.state.entry(written.id).undone_by == bench.last().id
        bench.undo()
        assert bench.bytes("a.md") == b"new"


# -- anything ----------------------------------------------------------------------------------

TEXT = st.sampled_from(
    ["x", "two\nlines\n", "é\r\nü", "## Retain\n", "- W @A: b. ^aaaaaaaaab", " "]
)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["write", "append", "replace", "insert", "delete", "note", "fact"]), TEXT
    ),
    min_size=1,
    max_size=8,
)


def step(bench: Bench, verb: str, text: str, number: int) -> None:
    if verb == "write":
        bench.workspace.write(LOG, text)
    elif verb == "append":
        bench.workspace.append(LOG, text.strip() or "x")
    elif verb == "replace":
        current = bench.workspace.read(LOG).text
        bench.workspace.replace(LOG, current, text) if current else None
    elif verb == "insert":
        bench.workspace.insert(LOG, 1 + number % 3, text)
    elif verb == "delete":
        bench.workspace.delete(LOG)
    elif verb == "note":
        bench.workspace.append_log(
            DAY, f"[09:00:0{number}] {text.split()[0] if text.split() else 'x'}"
        )
    else:
        bench.workspace.append_facts(DAY, [f"- W @Ada: Fact {number}. ^k3f9ab27q{number}"])


@settings(max_examples=40, deadline=None)
@given(steps=STEPS, start=st.sampled_from([None, b"", b"# Mine", b"a\r\nb\r\n"]))
def test_the_last_change_and_all_before_it_go_back_exactly(
    steps: list[tuple[str, str]], start: bytes | None
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        if start is not None:
            bench.put(LOG, start)
        stood: list[tuple[int, bytes | None]] = []
        for number, (verb, text) in enumerate(steps):
            before, entries = bench.bytes(LOG), len(bench.state.recent())
            with contextlib.suppress(HippodError):  # a refusal is no change
                step(bench, verb, text, number)
            if len(bench.state.recent()) > entries:
                stood.append((bench.last().id, before))
        after = bench.bytes(LOG)
        for entry, before in reversed(stood):
            bench.undo(bench.state.entry(entry))
            assert bench.bytes(LOG) == before
        assert bench.bytes(LOG) == start
        undos = bench.state.recent(len(stood))
        for undo in undos:
            bench.undo(undo)
        assert bench.bytes(LOG) == after
        bench.close()
