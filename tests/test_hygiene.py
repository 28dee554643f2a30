"""Tidying a workspace: what moves, what is only reported, what a person applies and undoes."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from hippod import daylog, wire
from hippod.config import load
from hippod.errors import Conflict, Forbidden, HippodError, InvalidInput, NotFound, StorageError
from hippod.hygiene import JOB, Hygiene
from hippod.index import Index
from hippod.retain import Retainer, SourceFile
from hippod.service import Memory
from hippod.state import State
from hippod.wire_bank import HygieneItem, HygieneReport, HygieneRequest
from hippod.workspace import Workspace
from tests.fakes import FakeEmbedder

NOW = datetime(2026, 6, 30, 12, tzinfo=UTC)
TODAY = NOW.date()
PROSE = """# Boat

The boat lies in the third shed behind the mill, and the key hangs in the kitchen.
Every spring the hull has to be sanded, primed and painted twice with the grey paint.
The engine was taken out by the yard in the autumn, and is to come back before Easter.
Insurance is paid until the end of the season; the papers are in the blue folder.
The harbour master wants a letter each March that says who may use the berth that year.
Spare rope, two fenders and the long boat hook hang on the wall behind the workbench.
When the water is low the mooring has to be reached from the other side of the bridge.
"""


class Bench:
    """A memory over a workspace whose clock stands still."""

    def __init__(self, root: Path, **settings: str) -> None:
        self.root = root / "workspace"
        environ = {
            "HIPPOD_WORKSPACE__PATH": str(self.root),
            "HIPPOD_WORKSPACE__TIMEZONE": "UTC",
            "HIPPOD_WORKSPACE__USER": "Ada",
            "HIPPOD_RETAIN__SETTLE": "0",
            **{f"HIPPOD_{name.upper()}": value for name, value in settings.items()},
        }
        self.config = load(None, environ)
        self.now = NOW
        self.stack = ExitStack()
        folder = self.root / ".memory"
        folder.mkdir(parents=True, exist_ok=True)
        self.state = State(folder / "state.sqlite", clock=lambda: self.now)
        self.stack.callback(self.state.close)
        self.workspace = Workspace(self.root, self.state)
        self.embedder = FakeEmbedder()
        self.index = Index(
            folder, self.workspace, self.embedder, chunking=self.config.chunking, zone=UTC
        )
        self.stack.callback(self.index.close)
        clock: Callable[[], datetime] = lambda: self.now  # noqa: E731
        self.retainer = Retainer(
            self.config, self.workspace, self.state, None, self.index.entities, clock
        )
        self.tidier = Hygiene(
            self.config, self.workspace, self.state, self.index, self.retainer, clock
        )
        self.memory = Memory(
            config=self.config,
            config_path=None,
            workspace=self.workspace,
            state=self.state,
            index=self.index,
            retainer=self.retainer,
            clock=clock,
            hygiene=self.tidier,
        )

    def put(self, path: str, text: str | bytes, *, days_old: int = 0) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        moment = (NOW - timedelta(days=days_old)).timestamp()
        os.utime(file, (moment, moment))
        return file

    def log(self, day: date, *lines: str) -> str:
        path = f"memory/{day.isoformat()}.md"
        self.put(path, "\n".join([f"# Daily Log - {day.isoformat()}", "", *lines, ""]))
        return path

    def logs(self, count: int) -> list[str]:
        """Write the logs of the last days, today's among them; return them oldest first."""
        days = [TODAY - timedelta(days=n) for n in reversed(range(count))]
        return [self.log(day, f"[08:00:00] Walked {day.isoformat()}") for day in days]

    def read_logs(self) -> None:
        """Let retain read what is in the logs."""
        for file in self.retainer.unread():
            self.retainer.process(file)
        self.retainer.confirm()

    def tree(self) -> dict[str, bytes]:
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and ".memory" not in path.parts
        }

    def run(self, *apply: str, dry_run: bool = False) -> HygieneReport:
        return self.memory.hygiene(HygieneRequest(apply=apply, dry_run=dry_run))

    def items(self, kind: str, *, dry_run: bool = True) -> list[HygieneItem]:
        return [item for item in self.run(dry_run=dry_run).items if item.kind == kind]

    def undo_last(self) -> None:
        entry = self.state.recent(1)[0]
        self.memory.undo(wire.UndoRequest(id=entry.id))

    def found(self, query: str) -> list[str]:
        answer = self.memory.recall(wire.RecallRequest(query=query, mode="lexical"))
        return [hit.path for hit in answer.hits]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path, hygiene__max_daily_logs="5", retain__logs="false")
    with made.stack:
        yield made


@pytest.fixture
def reading(tmp_path: Path) -> Iterator[Bench]:
    """A bench whose daily logs are a source of facts, too."""
    made = Bench(tmp_path, hygiene__max_daily_logs="5", retain__backfill_days="36500")
    with made.stack:
        yield made


def test_an_empty_workspace_has_nothing_to_tidy(bench: Bench) -> None:
    report = bench.run()
    assert report.items == ()
    assert not any(report.counts.values())
    assert bench.run(dry_run=True).items == ()


def test_only_scope_main_may_tidy(bench: Bench) -> None:
    with pytest.raises(Forbidden):
        bench.memory.hygiene(HygieneRequest(scope="group"))


# -- the archive -----------------------------------------------------------------------------


class TestArchive:
    def test_the_oldest_logs_move_as_they_are(self, bench: Bench) -> None:
        logs = bench.logs(8)
        before = bench.tree()
        report = bench.run()
        assert report.archived == 3
        after = bench.tree()
        for path in logs[:3]:
            assert path not in after
            assert after[f"archive/2026/{path.rpartition('/')[2]}"] == before[path]
        assert all(after[path] == before[path] for path in logs[3:])
        assert bench.run().archived == 0

    def test_a_dry_run_changes_nothing_at_all(self, bench: Bench) -> None:
        bench.logs(8)
        bench.put("a.md", PROSE)
        bench.put("b.md", PROSE)
        before, entries = bench.tree(), bench.state.recent(10)
        report = bench.run(dry_run=True)
        assert report.counts["archive"] == 3
        assert report.archived == 0
        assert report.dry_run
        assert bench.tree() == before
        assert bench.state.recent(10) == entries
        assert bench.state.last_run(JOB) is None
        assert bench.state.get_meta("hygiene.report") is None

    def test_each_move_is_undone_and_stays_undone(self, bench: Bench) -> None:
        logs = bench.logs(6)
        before = bench.tree()
        bench.run()
        assert bench.tree() != before
        entry = bench.state.recent(1)[0]
        assert (entry.change.actor, entry.change.operation) == ("hygiene", "rename")
        bench.undo_last()
        assert bench.tree() == before
        (left,) = [item for item in bench.run().items if item.kind == "archive"]
        assert left.path == logs[0]
        assert "undo" in left.problem
        assert bench.tree() == before

    def test_todays_and_yesterdays_logs_stay(self, tmp_path: Path) -> None:
        bench = Bench(tmp_path, hygiene__max_daily_logs="2", retain__logs="false")
        with bench.stack:
            bench.logs(2)
            bench.log(TODAY + timedelta(days=3), "[08:00:00] Ahead")
            assert bench.run().archived == 0

    def test_a_name_that_is_taken_is_left_and_reported(self, bench: Bench) -> None:
        logs = bench.logs(7)
        taken = bench.put(f"archive/2026/{logs[0].rpartition('/')[2]}", "something else\n")
        report = bench.run()
        left = [item for item in report.items if item.problem]
        assert [item.path for item in left] == [logs[0]]
        assert "exists already" in left[0].problem
        assert taken.read_text() == "something else\n"
        assert (bench.root / logs[0]).exists()
        assert report.archived == 1
        with pytest.raises(Conflict, match="exists already"):
            bench.run(left[0].id)

    def test_of_two_logs_of_a_day_one_moves(self, bench: Bench) -> None:
        logs = bench.logs(6)
        bench.put(logs[0].replace("memory/", "daily/"), "# Of another program\n")
        planned = {item.path: item.problem for item in bench.items("archive")}
        done = {item.path: item.problem for item in bench.items("archive", dry_run=False)}
        assert planned == done
        assert [path for path, problem in done.items() if problem] == [logs[0]]
        assert "is of the same day: merge the two by hand" in done[logs[0]]
        assert logs[0] in bench.tree()

    @pytest.mark.parametrize(
        ("spoil", "why"),
        [
            (lambda root: (root / "archive").write_text("x"), "'archive': is a file"),
            (lambda root: (root / "archive").symlink_to(root / "memory"), "'archive': is a link"),
            (lambda root: (root / ".gitignore").write_text("/archive/\n"), "excluded"),
        ],
    )
    def test_an_archive_that_cannot_be_leaves_the_logs_and_goes_on(
        self, bench: Bench, spoil: Callable[[Path], object], why: str
    ) -> None:
        logs = bench.logs(7)
        bench.put("boat.md", PROSE)
        bench.put("boat copy.md", PROSE)
        spoil(bench.root)
        report = bench.run()
        assert [item.path for item in report.items if why in item.problem] == logs[:2]
        assert report.counts["duplicate_document"] == 1
        assert set(logs) <= bench.tree().keys()

    def test_a_log_in_the_middle_of_a_merge_stays(self, bench: Bench) -> None:
        logs = bench.logs(6)
        marks = "<<<<<<< HEAD\n- one\n=======\n- two\n>>>>>>> branch\n"
        bench.put(logs[0], f"# Daily Log\n\n{marks}")
        (item,) = bench.items("archive", dry_run=False)
        assert "conflict" in item.problem
        assert (bench.root / logs[0]).exists()

    def test_a_read_only_log_stays(self, bench: Bench) -> None:
        logs = bench.logs(6)
        (bench.root / logs[0]).chmod(0o444)
        (item,) = bench.items("archive", dry_run=False)
        assert "read-only" in item.problem
        assert (bench.root / logs[0]).exists()

    def test_one_is_archived_alone_by_its_id(self, bench: Bench) -> None:
        bench.logs(8)
        first, *others = bench.items("archive")
        report = bench.run(first.id[:6])
        assert [item.path for item in report.items if item.applied] == [first.path]
        assert all((bench.root / item.path).exists() for item in others)

    def test_recall_links_why_and_undo_go_on(self, bench: Bench) -> None:
        day = TODAY - timedelta(days=20)
        fact = "- W @Ada: The greenhouse is heated by a wood stove. ^k3f9ab27qt"
        bench.logs(5)
        before = (bench.root / bench.log(day, "[08:00:00] A walk")).read_text()
        bench.workspace.append_facts(day, [fact])
        entry = bench.state.recent(1)[0]
        bench.memory.reindex()
        assert bench.found("greenhouse stove") == [f"memory/{day}.md"]
        assert bench.run().archived == 1
        archived = f"archive/2026/{day}.md"
        assert bench.found("greenhouse stove") == [archived]
        why = bench.memory.why("k3f9ab27qt")
        assert (why.path, why.standing) == (archived, "stands")
        bench.memory.undo(wire.UndoRequest(id=entry.id))
        assert (bench.root / archived).read_text() == before
        assert not (bench.root / f"memory/{day}.md").exists()


class TestArchiveAndRetain:
    NOTE = "[09:00:00] I am allergic to hazelnuts."

    def test_a_log_whose_notes_are_not_read_stays(self, reading: Bench) -> None:
        reading.logs(5)
        path = reading.log(TODAY - timedelta(days=20), self.NOTE)
        (item,) = reading.items("archive", dry_run=False)
        assert item.problem == "its notes are not read yet"
        assert (reading.root / path).exists()

    def test_notes_that_were_read_are_not_read_again(self, reading: Bench) -> None:
        reading.logs(5)
        path = reading.log(TODAY - timedelta(days=20), self.NOTE)
        reading.read_logs()
        text = (reading.root / path).read_text()
        assert text.count("hazelnuts") == 2
        reading.read_logs()
        seen = reading.state.turns_seen("log")
        assert reading.run().archived == 1
        reading.read_logs()
        assert reading.state.turns_seen("log") == seen
        everything = b"".join(reading.tree().values()).decode()
        assert everything.count("hazelnuts") == 2
        assert not (reading.root / path).exists()

    def test_a_day_that_a_batch_is_about_stays(self, reading: Bench) -> None:
        day = TODAY - timedelta(days=20)
        reading.logs(5)
        path = reading.log(day, "[09:00:00] A walk")
        reading.read_logs()
        said = wire.Message(
            role="user",
            content="Remember that the bike lock code is with Olaf.",
            timestamp=f"{day}T09:00:00Z",
        )
        reading.memory.retain(wire.RetainRequest(messages=(said,), session="s"))
        (item,) = reading.items("archive", dry_run=False)
        assert item.problem == "facts of its day are being written"
        assert (reading.root / path).exists()
        reading.retainer.process(SourceFile("api", Path("s")))
        reading.read_logs()
        assert reading.run().archived == 1
        assert not (reading.root / path).exists()
        assert "Olaf" in (reading.root / f"archive/2026/{day}.md").read_text()

    def test_what_stands_in_the_archive_is_not_written_once_more(self, bench: Bench) -> None:
        bench.logs(5)
        day = TODAY - timedelta(days=20)

        def said(session: str) -> None:
            message = wire.Message(
                role="user",
                content="Remember that the bike lock code is with Olaf.",
                timestamp=f"{day}T09:00:00Z",
            )
            request = wire.RetainRequest(messages=(message,), session=session, wait=True)
            bench.memory.retain(request)
            bench.retainer.confirm()

        said("one")
        assert bench.run().archived == 1
        said("two")  # as after the state was lost
        assert sorted(path for path in bench.tree() if str(day) in path) == [
            f"archive/2026/{day}.md"
        ]


# -- copies ----------------------------------------------------------------------------------


class TestCopies:
    def test_a_copy_that_holds_nothing_of_its_own_is_deleted_when_told(self, bench: Bench) -> None:
        bench.put("projects/boat.md", PROSE)
        bench.put("projects/boat copy.md", PROSE)
        bench.put("projects/index.md", "See [[boat]] for more.\n")
        before = bench.tree()
        (item,) = bench.items("duplicate_document", dry_run=False)
        assert bench.tree() == before
        assert (item.path, item.target) == ("projects/boat copy.md", "projects/boat.md")
        assert (item.action, item.alike, item.own_lines) == ("delete", 1.0, 0)
        report = bench.run(item.id)
        assert report.items[0].applied
        assert "projects/boat copy.md" not in bench.tree()
        assert bench.tree()["projects/boat.md"] == PROSE.encode()
        bench.undo_last()
        assert bench.tree() == before

    def test_what_only_the_copy_says_is_brought_over_first(self, bench: Bench) -> None:
        longer = PROSE + "The trailer is at Jo's, with two flat tyres and no lights at all.\n"
        bench.put("boat.md", longer)
        bench.put("old/boat.md", PROSE + "\n## Anchor\n\nThe anchor is under the stairs.\n")
        before = bench.tree()
        (item,) = bench.items("duplicate_document")
        assert (item.path, item.target, item.action) == ("old/boat.md", "boat.md", "merge")
        assert (item.own_lines, item.target_own_lines) == (2, 1)
        bench.run(item.id)
        text = bench.tree()["boat.md"].decode()
        assert text.startswith(longer)
        assert text[len(longer) :] == (
            "\n## From old/boat.md\n\n#### Anchor\n\nThe anchor is under the stairs.\n"
        )
        assert "old/boat.md" not in bench.tree()
        bench.undo_last()
        bench.memory.undo(wire.UndoRequest(id=bench.state.recent(5)[2].id))
        assert bench.tree() == before

    def test_line_ends_and_mark_of_the_one_that_stays_are_kept(self, bench: Bench) -> None:
        windows = b"\xef\xbb\xbf" + PROSE.replace("\n", "\r\n").encode()
        bench.put("boat.md", windows + b"More of it.\r\nAnd more.\r\n")
        bench.put("old/boat.md", PROSE + "The anchor is gone.\n")
        (item,) = bench.items("duplicate_document")
        bench.run(item.id)
        data = bench.tree()["boat.md"]
        assert data.startswith(windows)
        assert b"The anchor is gone.\r\n" in data
        assert data.count(b"\n") == data.count(b"\r\n")

    @pytest.mark.parametrize(
        "own",
        [
            "\n```\nsecret recipe\n```\n",
            "\n## Retain\n- W @Ada: The boat is blue. ^k3f9ab27qt\n",
            "\n<private>\nThe code is 4711.\n</private>\n",
            "\n<!-- to do: the mast -->\n",
            "\n```\nif wet:\n  bail()\n```\n",
        ],
    )
    def test_lines_that_need_their_surroundings_are_left_to_people(
        self, bench: Bench, own: str
    ) -> None:
        more = "It is blue.\nIt is old.\n```\nif wet:\nbail()\n```\nIt leaks a little at the bow.\n"
        bench.put("boat.md", PROSE + more)
        bench.put("old/boat.md", PROSE + own)
        (item,) = bench.items("duplicate_document")
        assert (item.path, item.action) == ("old/boat.md", "review")
        before = bench.tree()
        with pytest.raises(InvalidInput, match="by hand"):
            bench.run(item.id)
        assert bench.tree() == before

    @pytest.mark.parametrize(
        "odd", [PROSE.encode() + b"Caf\xe9.\n", PROSE.encode() + b"\0x.\n", PROSE.encode("utf-16")]
    )
    def test_bytes_that_are_no_text_are_left_to_people(self, bench: Bench, odd: bytes) -> None:
        bench.put("boat.md", PROSE + "It is blue.\nIt is old.\nIt leaks a little at the bow.\n")
        bench.put("old/boat.md", odd)
        (item,) = bench.items("duplicate_document")
        assert item.action == "review"
        assert "by hand" in item.reasons[0]

    def test_a_copy_of_an_impossible_name_comes_back_by_undo(self, bench: Bench) -> None:
        bench.put("boat.md", PROSE + "It is blue.\n")
        bench.put("old/bo\nat.md", PROSE)
        before = bench.tree()
        (item,) = bench.items("duplicate_document")
        bench.run(item.id)
        assert "old/bo\nat.md" not in bench.tree()
        bench.undo_last()
        assert bench.tree() == before

    def test_an_edit_since_the_report_is_a_conflict(self, bench: Bench) -> None:
        bench.put("boat.md", PROSE)
        bench.put("boat copy.md", PROSE)
        (item,) = bench.items("duplicate_document", dry_run=False)
        bench.put("boat copy.md", PROSE + "Somebody goes on writing here.\n")
        before = bench.tree()
        with pytest.raises(Conflict, match="changed since"):
            bench.run(item.id)
        assert bench.tree() == before

    def test_several_ids_and_beginnings_of_them(self, bench: Bench) -> None:
        for name in ("a.md", "b.md", "c.md"):
            bench.put(name, PROSE)
        items = bench.items("duplicate_document")
        assert [item.target for item in items] == ["a.md", "a.md"]
        bench.run(*(item.id[:5] for item in items))
        assert [path for path in bench.tree() if path.endswith(".md")] == ["a.md"]

    @pytest.mark.parametrize(
        ("name", "error"), [("zzzz", NotFound), ("ab", InvalidInput), ("", InvalidInput)]
    )
    def test_an_id_that_never_was(self, bench: Bench, name: str, error: type[HippodError]) -> None:
        with pytest.raises(error):
            bench.run(name)

    def test_nothing_is_applied_if_one_id_is_wrong(self, bench: Bench) -> None:
        bench.put("a.md", PROSE)
        bench.put("b.md", PROSE)
        (item,) = bench.items("duplicate_document")
        with pytest.raises(NotFound):
            bench.run(item.id, "zzzz")
        assert "b.md" in bench.tree()

    def test_a_dry_run_of_an_id_only_says_what_it_would_do(self, bench: Bench) -> None:
        bench.put("a.md", PROSE)
        bench.put("b.md", PROSE)
        (item,) = bench.items("duplicate_document")
        (shown,) = bench.run(item.id, dry_run=True).items
        assert not shown.applied
        assert "b.md" in bench.tree()

    def test_a_read_only_copy_is_left_and_reported(self, bench: Bench) -> None:
        bench.put("a.md", PROSE)
        bench.put("b.md", PROSE).chmod(0o444)
        (item,) = bench.items("duplicate_document")
        (done,) = bench.run(item.id).items
        assert not done.applied
        assert "read-only" in done.problem
        assert "b.md" in bench.tree()
        assert bench.tidier.status()["counts"]["duplicate_document"] == 1

    def test_nothing_moves_to_where_groups_may_see_it(self, bench: Bench) -> None:
        bench.put("projects/boat.md", PROSE)
        bench.put("own/boat.md", PROSE + "The code of the shed is 4711.\n")
        (item,) = bench.items("duplicate_document")
        assert item.action == "review"
        with pytest.raises(InvalidInput, match="groups"):
            bench.run(item.id)

    def test_a_merge_that_breaks_off_is_finished_by_the_next(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bench.put("a.md", PROSE + "The anchor is gone.\nSo is the chain.\n")
        bench.put("b.md", PROSE + "The sail is torn.\n")
        (item,) = bench.items("duplicate_document")

        def full(*_: object, **__: object) -> None:
            raise StorageError("no space left on the disk")

        with monkeypatch.context() as patch:
            patch.setattr(bench.workspace, "delete", full)
            (left,) = bench.run(item.id).items
        assert left.problem == "no space left on the disk"
        assert "b.md" in bench.tree()
        (again,) = bench.items("duplicate_document")
        assert (again.path, again.action) == ("b.md", "delete")
        bench.run(again.id)
        assert bench.tree()["a.md"].count(b"The sail is torn.") == 1
        assert "b.md" not in bench.tree()

    def test_logs_bank_and_instructions_are_nobodys_copy(self, bench: Bench) -> None:
        for path in ("AGENTS.md", "MEMORY.md", "bank/world.md", "archive/notes.md", "own.md"):
            bench.put(path, PROSE)
        bench.put(f"memory/{TODAY}.md", PROSE)
        assert bench.items("duplicate_document") == []


# -- facts -----------------------------------------------------------------------------------


class TestFacts:
    FIRST = "- W @Ada: Keeps the spare key at the bakery. (09:00 main/s1#m1) ^k3f9ab27qt"
    AGAIN = "- W @Ada: Keeps the spare key at the bakery. (10:00 main/s2#m7) ^p07d2c5hn1"

    def two(self, bench: Bench, again: str = AGAIN) -> str:
        bench.log(date(2026, 6, 1), "## Retain", self.FIRST)
        return bench.log(date(2026, 6, 9), "## Retain", again, "- W @Bo: Sings. ^9qx4mt83ze")

    def test_the_later_line_goes_when_told_and_comes_back_by_undo(self, bench: Bench) -> None:
        path = self.two(bench)
        before = bench.tree()
        (item,) = bench.items("duplicate_fact", dry_run=False)
        assert bench.tree() == before
        assert (item.fact, item.target_fact) == ("p07d2c5hn1", "k3f9ab27qt")
        assert (item.path, item.line, item.action) == (path, 4, "remove_line")
        bench.run(item.id)
        assert bench.tree()[path] == before[path].replace(self.AGAIN.encode() + b"\n", b"")
        assert bench.items("duplicate_fact") == []
        bench.undo_last()
        assert bench.tree() == before

    def test_the_last_line_of_a_windows_file_without_an_end(self, bench: Bench) -> None:
        bench.log(date(2026, 6, 1), "## Retain", self.FIRST)
        data = f"# Log\r\n\r\n## Retain\r\n{self.AGAIN}".encode()
        bench.put("memory/2026-06-09.md", data)
        (item,) = bench.items("duplicate_fact")
        bench.run(item.id)
        assert bench.tree()["memory/2026-06-09.md"] == b"# Log\r\n\r\n## Retain"

    def test_retain_does_not_write_it_again(self, bench: Bench) -> None:
        def said(session: str, day: str) -> None:
            message = wire.Message(
                role="user",
                content="Remember that the bike lock code is with Olaf.",
                timestamp=f"{day}T09:00:00Z",
            )
            request = wire.RetainRequest(messages=(message,), session=session, wait=True)
            bench.memory.retain(request)
            bench.retainer.confirm()

        said("one", "2026-06-01")
        said("two", "2026-06-20")
        (item,) = bench.items("duplicate_fact")
        assert item.fact is not None
        bench.run(item.id)
        known = bench.state.known_facts([item.fact])
        assert known[item.fact].undone
        bench.read_logs()
        assert bench.items("duplicate_fact") == []
        assert b"Olaf" not in bench.tree()[item.path]
        bench.undo_last()
        assert not bench.state.known_facts([item.fact])[item.fact].undone

    @pytest.mark.parametrize(
        ("again", "why"),
        [
            ("- W @Ada: Keeps the spare key at the bakery.", "a person wrote it"),
            (AGAIN + "\n  - and one at home", "something is written below it"),
        ],
    )
    def test_what_people_wrote_is_only_reported(self, bench: Bench, again: str, why: str) -> None:
        self.two(bench, again)
        before = bench.tree()
        (item,) = bench.items("duplicate_fact")
        assert (item.action, item.reasons) == ("review", (why,))
        with pytest.raises(InvalidInput, match=why):
            bench.run(item.id)
        assert bench.tree() == before

    def test_what_an_opinion_rests_on_stays(self, bench: Bench) -> None:
        self.two(bench)
        bench.put("bank/opinions.md", "# Opinions\n- supports: [[2026-06-09#^p07d2c5hn1]] +0.20\n")
        (item,) = bench.items("duplicate_fact")
        assert (item.action, item.reasons) == ("review", ("bank/opinions.md rests on it",))

    def test_what_was_superseded_meanwhile_is_news(self, bench: Bench) -> None:
        self.two(bench)
        mark = (
            "~~At the bakery.~~ [[2026-06-01#^k3f9ab27qt]] superseded by [[2026-06-05#^abcd2345ef]]"
        )
        bench.put("bank/world.md", f"# World\n\n- {mark}\n")
        assert bench.items("duplicate_fact") == []

    def test_it_works_in_the_archive_too(self, bench: Bench) -> None:
        path = self.two(bench)
        bench.logs(5)
        (item,) = bench.items("duplicate_fact")
        assert bench.run().archived == 2
        bench.run(item.id)
        assert self.AGAIN.encode() not in bench.tree()[path.replace("memory/", "archive/2026/")]


# -- stale documents -------------------------------------------------------------------------


class TestStale:
    def test_old_documents_are_named_with_reasons_and_kept(self, bench: Bench) -> None:
        bench.put("trip.md", "Leaves 2026-01-05, see [[Packing list]].\n", days_old=143)
        bench.put("new.md", "Fresh\n")
        before = bench.tree()
        (item,) = bench.items("stale_document", dry_run=False)
        assert (item.path, item.age_days) == ("trip.md", 143)
        assert item.reasons == (
            "not changed for 143 days",
            "its last date 2026-01-05 is past",
            "links to documents that are not there: Packing list",
            "nothing links to it",
        )
        assert bench.tree() == before
        with pytest.raises(InvalidInput, match="only to be looked at"):
            bench.run(item.id)

    def test_what_is_for_ever_is_not_old(self, bench: Bench) -> None:
        for path in ("MEMORY.md", "SOUL.md", "bank/world.md", "archive/2020/2020-01-01.md"):
            bench.put(path, "Old\n", days_old=900)
        bench.put("memory/2026-06-29.md", "Old\n", days_old=900)
        assert bench.items("stale_document") == []

    @pytest.mark.parametrize("day", ["2026-06-01", "2026-12-24"])
    def test_a_day_that_it_names_makes_it_young(self, bench: Bench, day: str) -> None:
        bench.put("plan.md", f"Due {day}\n", days_old=200)
        assert bench.items("stale_document") == []

    def test_a_link_to_it_is_no_reason_any_more(self, bench: Bench) -> None:
        bench.put("projects/Sail Plan.md", "Cloth\n", days_old=200)
        bench.put("MEMORY.md", "See [[sail plan]].\n")
        (item,) = bench.items("stale_document")
        assert item.reasons == ("not changed for 200 days",)


# -- the rest of a run -----------------------------------------------------------------------


def test_a_run_expires_journal_and_turns(bench: Bench) -> None:
    message = wire.Message(
        role="user", content="Remember that Olaf has the code.", timestamp="2026-06-01T09:00:00Z"
    )
    bench.memory.retain(wire.RetainRequest(messages=(message,), session="s", wait=True))
    bench.retainer.confirm()
    assert bench.state.recent(10)
    bench.now += timedelta(days=91)
    report = bench.run()
    assert report.expired["journal_entries"] == 1
    assert report.expired["batches"] == 1
    assert bench.state.recent(10) == []


def test_a_run_gives_parked_texts_one_more_try(bench: Bench) -> None:
    bench.put("a.md", "A heron stands in the reeds.\n")
    sound = bench.embedder.embed_documents

    def broken(texts: object) -> object:
        return [[float("nan")] * bench.embedder.dimension for _ in texts]  # type: ignore[attr-defined]

    bench.embedder.embed_documents = broken  # type: ignore[method-assign,assignment]
    bench.memory.reindex()
    assert bench.index.status()["vectors"]["rejected"] == 1
    bench.embedder.embed_documents = sound  # type: ignore[method-assign]
    report = bench.run()
    assert report.optimised["texts_retried"] == 1
    assert bench.index.status()["vectors"]["rejected"] == 0
    assert bench.index.status()["vectors"]["embedded"] == 1


def test_a_run_gives_back_the_space_that_is_free(bench: Bench) -> None:
    words = (f"word{number}" for number in range(10**9))
    for number in range(60):
        bench.put(
            f"notes/{number}.md", "\n\n".join(" ".join([next(words)] * 40) for _ in range(40))
        )
    bench.memory.reindex()
    files = [bench.root / ".memory" / f"index.sqlite{suffix}" for suffix in ("", "-wal")]
    full = sum(file.stat().st_size for file in files)
    for path in bench.root.glob("notes/*.md"):
        path.unlink()
    bench.put("kept.md", "The heron is kept.\n")
    bench.memory.reindex()
    report = bench.run()
    assert report.optimised["index_compacted"] is True
    assert sum(file.stat().st_size for file in files) < full / 2
    assert bench.found("heron") == ["kept.md"]
    assert bench.run().optimised["index_compacted"] is False


def test_status_tells_of_the_last_run_without_content(bench: Bench) -> None:
    TestFacts().two(bench)
    bench.put("trip.md", "Leaves, see [[Secret plan]].\n", days_old=143)
    assert bench.memory.status().hygiene is not None
    assert bench.tidier.status()["last_run"] is None
    bench.run()
    status = bench.tidier.status()
    assert status["last_outcome"] == "ok"
    assert status["last_run"].startswith("2026-06-30T12:00:00")
    assert status["counts"] == {
        "archive": 0, "duplicate_document": 0, "duplicate_fact": 1, "stale_document": 1,
    }  # fmt: skip
    assert {item["kind"] for item in status["items"]} == {"duplicate_fact", "stale_document"}
    assert "Secret" not in str(status)
    assert "bakery" not in str(status)
    assert "bakery" not in (bench.state.get_meta("hygiene.report") or "")


def test_a_run_that_was_stopped_says_so(bench: Bench) -> None:
    bench.logs(8)
    bench.tidier.changed = lambda path: bench.tidier.stop()
    with pytest.raises(HippodError, match="shutting down"):
        bench.run()
    last = bench.state.last_run(JOB)
    assert last is not None
    assert last.outcome == "interrupted"


def test_after_a_stop_no_run_begins(bench: Bench) -> None:
    logs = bench.logs(8)
    bench.tidier.stop()
    with pytest.raises(HippodError, match="shutting down"):
        bench.run()
    assert all((bench.root / path).exists() for path in logs)
    assert bench.state.last_run(JOB) is None  # it is not a second interruption


def test_a_workspace_that_is_gone_fails_and_is_recorded(bench: Bench) -> None:
    bench.logs(8)
    bench.root.rename(bench.root.with_name("elsewhere"))
    try:
        with pytest.raises(StorageError):
            bench.run()
    finally:
        bench.root.with_name("elsewhere").rename(bench.root)
    assert len(list((bench.root / "memory").iterdir())) == 8


def test_the_second_look_reads_only_what_changed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        bench.put(f"notes/{number}.md", f"Note {number}\n")
    bench.run(dry_run=True)
    read: list[str] = []
    load = bench.workspace.load
    monkeypatch.setattr(bench.workspace, "load", lambda path: read.append(path) or load(path))
    bench.run(dry_run=True)
    assert read == []
    bench.put("notes/3.md", "Other\n", days_old=1)
    bench.run(dry_run=True)
    assert read == ["notes/3.md"]


def test_names_and_times_that_cannot_be(bench: Bench) -> None:
    folder = os.fsencode(bench.put("notes/a.md", PROSE).parent)
    Path(os.fsdecode(folder + b"/\xff.md")).write_text(PROSE)
    os.utime(bench.put("b.md", "Old\n"), (2**60, 2**60))
    report = bench.run()
    assert report.items == ()
    report.model_dump_json()


def test_a_log_keeps_its_day_in_the_archive(bench: Bench) -> None:
    bench.logs(6)
    bench.run()
    (archived,) = [path for path in bench.tree() if path.startswith("archive/")]
    assert daylog.day_of(archived) == TODAY - timedelta(days=5)
