"""What is kept in state.sqlite, and what happens to the file itself."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import apsw
import pytest

from hippod.errors import NotFound, StorageError
from hippod.journal import Appended, Change, PlannedAppend
from hippod.state import Batch, BatchFact, State, Usage
from hippod.state import database as states
from hippod.transcripts.turns import Cursor, Turn

NOW = datetime(2026, 3, 3, 9, 15, tzinfo=UTC)
DAY = date(2026, 3, 3)
LOG = "memory/2026-03-03.md"
FIRST_RELEASE = Path(__file__).parent / "state_v1.sql"


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def state(tmp_path: Path, clock: Clock) -> Iterator[State]:
    opened = State(tmp_path / "state.sqlite", clock=clock)
    yield opened
    opened.close()


def cursor(offset: int = 100) -> Cursor:
    return Cursor(1, 2**63 + 5, offset, 3, 10, "aa", "bb", "generic", "main", "main")


def turn(number: int) -> Turn:
    time = None if number == 0 else NOW.astimezone(timezone(timedelta(hours=2)))
    return Turn(f"m{number}", f"key{number}", "user", "Ada", "Größe 🦉\n", time, number + 1)


def batch(state: State, *numbers: int, after: Cursor | None = None, path: str = "a") -> Batch:
    return state.create_batch("main", "s1", path, [turn(n) for n in numbers], after)


def fact(id_: str, *, pinned: bool = False, day: date = DAY) -> BatchFact:
    return BatchFact(id_, day, f"- W @Ada: Text. ^{id_}", pinned)


def reopened(state: State) -> State:
    state.close()
    return State(state.path)


class TestCursors:
    def test_one_a_source_and_path(self, state: State) -> None:
        assert state.get_cursor("main", "a") is None
        state.set_cursor("main", "a", cursor(1))
        state.set_cursor("main", "a", cursor(2))
        state.set_cursor("other", "a", cursor(3))
        assert state.get_cursor("main", "a") == cursor(2)
        assert state.cursors() == {("main", "a"): cursor(2), ("other", "a"): cursor(3)}


class TestBatches:
    def test_a_batch_comes_back_as_it_was_stored(self, state: State) -> None:
        made = state.create_batch(
            "main", "s1", "a", [turn(0), turn(1)], cursor(), context=[turn(2)]
        )
        assert made.status == "read"
        assert [t.id for t in made.turns] == ["m0", "m1"]
        assert made.turns == (turn(0), turn(1))
        assert made.turns[1].time == NOW
        assert made.context == (turn(2),)
        assert made.cursor_after == cursor()
        assert made.created == NOW
        assert state.open_batches() == [made]

    def test_its_turns_are_seen_but_not_its_context(self, state: State) -> None:
        state.create_batch("main", "s1", "a", [turn(0), turn(1)], None, context=[turn(2)])
        assert state.seen("main", ["key0", "key1", "key2"]) == {"key0", "key1"}
        assert state.seen("other", ["key0"]) == frozenset()
        assert state.turns_seen("main") == 2
        batch(state, 1, 3)
        assert state.turns_seen("main") == 3

    def test_a_failure_in_the_middle_stores_nothing(
        self, state: State, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def die(_connection: apsw.Connection) -> None:
            raise RuntimeError("killed")

        monkeypatch.setattr(states, "commit", die)
        with pytest.raises(RuntimeError):
            batch(state, 0)
        monkeypatch.undo()
        assert state.open_batches() == []
        assert state.seen("main", ["key0"]) == frozenset()
        assert batch(state, 0).turns == (turn(0),)

    def test_the_life_of_a_batch(self, state: State) -> None:
        number = batch(state, 0, 1, after=cursor(5)).id
        facts = [fact("aaaaaaaaaa"), fact("bbbbbbbbbb", day=DAY + timedelta(days=1))]
        state.store_facts(number, facts, rejected=[("x", "small talk")], tokens=7, seconds=0.5)
        stored = state.batch(number)
        assert (stored.status, stored.facts) == ("extracted", tuple(facts))
        assert (stored.tokens, stored.seconds) == (7, 0.5)
        assert [(r.text, r.reason, r.batch) for r in state.rejected()] == [
            ("x", "small talk", number)
        ]

        planned = PlannedAppend(LOG, 40, b"- W \xff bytes\n", 2**64 - 1)
        state.plan_append(number, planned)
        stored = state.batch(number)
        assert stored.landed == frozenset()
        assert [(p.path, p.offset, p.data) for p in stored.planned] == [
            (LOG, 40, b"- W \xff bytes\n")
        ]

        state.mark_appended(number, Appended(LOG, 44, planned.data, 9), ["aaaaaaaaaa"])
        stored = state.batch(number)
        assert (stored.status, stored.landed) == ("extracted", {LOG})
        assert [f.path for f in stored.facts] == [LOG, ""]
        state.mark_appended(number, Appended("memory/x.md", 0, b"", 9), ["bbbbbbbbbb"])
        assert state.batch(number).status == "appended"

        state.mark_read_back(number, ["aaaaaaaaaa"])
        state.mark_reappended(number, ["bbbbbbbbbb"])
        assert [(f.read_back, f.reappended) for f in state.batch(number).facts] == [
            (True, False),
            (False, True),
        ]
        assert state.get_cursor("main", "a") is None
        assert state.reading_cursor("main", "a") == cursor(5)
        state.finish(number)
        assert state.get_cursor("main", "a") == cursor(5)
        assert state.open_batches() == []
        assert state.batch(number).planned == ()

    def test_a_plan_made_again_replaces_the_first(self, state: State) -> None:
        number = batch(state, 0).id
        state.plan_append(number, PlannedAppend(LOG, 1, b"one", None))
        state.mark_appended(number, Appended(LOG, 1, b"one", 5), [])
        state.plan_append(number, PlannedAppend(LOG, 2, b"two", 5))
        found = state.batch(number)
        assert found.planned == (PlannedAppend(LOG, 2, b"two", 5),)
        assert found.landed == frozenset()

    def test_the_cursor_never_passes_an_open_batch(self, state: State) -> None:
        first = batch(state, 0, after=cursor(10))
        second = batch(state, 1, after=None)
        third = batch(state, 2, after=cursor(30))
        other = batch(state, 3, after=cursor(99), path="b")
        state.finish(third.id)
        assert state.get_cursor("main", "a") is None
        state.finish(first.id)
        assert state.get_cursor("main", "a") == cursor(10)
        assert state.reading_cursor("main", "a") == cursor(10)
        state.fail(second.id, "gave up")
        assert state.get_cursor("main", "a") == cursor(30)
        assert [b.id for b in state.failed_batches()] == [second.id]
        assert [b.id for b in state.open_batches()] == [other.id]

    def test_attempts(self, state: State) -> None:
        number = batch(state, 0).id
        later = NOW + timedelta(minutes=5)
        state.retry_later(number, "model crashed", later)
        state.retry_later(number, "model crashed again", later)
        found = state.batch(number)
        assert (found.attempts, found.next_try, found.error) == (2, later, "model crashed again")
        assert found.status == "read"

    def test_turns_are_dropped_but_facts_stay(self, state: State, clock: Clock) -> None:
        done, still_open = batch(state, 0), batch(state, 1)
        state.store_facts(done.id, [fact("aaaaaaaaaa")])
        state.finish(done.id)
        assert state.drop_turns(NOW) == 0
        assert state.drop_turns(NOW + timedelta(seconds=1)) == 1
        assert state.batch(done.id).turns == ()
        assert state.batch(still_open.id).turns == (turn(1),)
        assert state.known_facts(["aaaaaaaaaa", "zz"]).keys() == {"aaaaaaaaaa"}

    def test_unknown_batches(self, state: State) -> None:
        for use in (state.batch, state.finish, lambda n: state.store_facts(n, [])):
            with pytest.raises(NotFound):
                use(7)

    def test_facts_of_a_day(self, state: State) -> None:
        number = batch(state, 0).id
        state.store_facts(
            number,
            [
                fact("aaaaaaaaaa"),
                fact("bbbbbbbbbb", pinned=True),
                fact("cccccccccc", day=DAY + timedelta(days=1)),
            ],
        )
        assert (state.facts_on(DAY), state.facts_on(DAY + timedelta(days=9))) == (1, 0)
        state.store_facts(number, [fact("dddddddddd")])
        assert state.facts_on(DAY) == 1
        assert state.known_facts(["aaaaaaaaaa"]) == {}

    def test_a_rejected_item_says_where_it_was_said(self, state: State) -> None:
        number = batch(state, 0, 1).id
        state.store_facts(number, [], rejected=[("Hm", "too little", "m1"), ("Ok", "small talk")])
        state.reject(None, [("Else", "over 40 facts a day")])
        assert [(r.text, r.turn, r.source, r.session, r.path) for r in state.rejected()] == [
            ("Else", "", "", "", ""),
            ("Ok", "", "main", "s1", "a"),
            ("Hm", "m1", "main", "s1", "a"),
        ]

    def test_rejected_items_are_bounded(
        self, state: State, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("hippod.state.store._REJECTED_KEPT", 3)
        state.reject(None, [(str(n), "why") for n in range(5)])
        state.reject(4, [("last", "why")])
        assert [item.text for item in state.rejected()] == ["last", "4", "3"]
        assert [item.text for item in state.rejected(batch=4)] == ["last"]


def cited(id_: str, turn_id: str, **fields: Any) -> BatchFact:
    return BatchFact(id_, DAY, f"- W @Ada: Text. (09:15 main/s1#{turn_id}) ^{id_}", **fields)


class TestOrigins:
    def test_the_cited_turn_with_a_little_around_it(self, state: State) -> None:
        made = state.create_batch(
            "main", "s1", "a", [turn(n) for n in range(2, 9)], cursor(), context=[turn(1)]
        )
        state.store_facts(made.id, [cited("aaaaaaaaaa", "m2"), cited("bbbbbbbbbb", "m6")])
        found = state.origin("aaaaaaaaaa")
        assert found is not None
        assert [t.id for t in found.turns] == ["m1", "m2", "m3"]
        assert (found.source, found.session, found.path) == ("main", "s1", "a")
        assert (found.batch, found.status, found.cursor) == (made.id, "extracted", cursor())
        other = state.origin("bbbbbbbbbb")
        assert other is not None
        assert [t.id for t in other.turns] == ["m4", "m5", "m6", "m7"]
        assert state.origin("cccccccccc") is None

    def test_it_may_rest_on_several_turns(self, state: State) -> None:
        number = batch(state, *range(20)).id
        made = cited("aaaaaaaaaa", "m3", turns=("m3", "m12"), made_by="rules")
        state.store_facts(number, [made])
        found = state.origin("aaaaaaaaaa")
        assert found is not None
        assert found.fact == made
        assert found.fact.cited == {"m3", "m12"}
        assert {"m3", "m12"} < {t.id for t in found.turns}

    def test_what_facts_rest_on_survives_when_turns_are_dropped(self, state: State) -> None:
        number = batch(state, *range(10)).id
        state.store_facts(number, [cited("aaaaaaaaaa", "m5")])
        state.finish(number)
        before = state.origin("aaaaaaaaaa")
        assert state.drop_turns(NOW + timedelta(days=1)) == 1
        assert [t.id for t in state.batch(number).turns] == ["m3", "m4", "m5", "m6"]
        assert state.origin("aaaaaaaaaa") == before
        assert state.drop_turns(NOW + timedelta(days=1)) == 0

    def test_neighbours_are_cut_and_empty_turns_left_out(self, state: State) -> None:
        turns = [
            replace(turn(0), text="x" * 2000),
            replace(turn(1), text="y" * 2000),
            replace(turn(2), text=""),
        ]
        number = state.create_batch("main", "s1", "a", turns, None).id
        state.store_facts(number, [cited("aaaaaaaaaa", "m1")])
        found = state.origin("aaaaaaaaaa")
        assert found is not None
        assert [len(t.text) for t in found.turns] == [500, 2000]

    def test_the_latest_batch_counts(self, state: State) -> None:
        for n in (1, 2):
            number = batch(state, n).id
            state.store_facts(number, [cited("aaaaaaaaaa", f"m{n}")])
        found = state.origin("aaaaaaaaaa")
        assert found is not None
        assert found.fact.cited == {"m2"}

    def test_facts_by_a_beginning_of_their_id(self, state: State) -> None:
        number = batch(state, 0).id
        state.store_facts(number, [fact("k3f9zzzzzz"), fact("k3f9aaaaaa"), fact("k3faaaaaaa")])
        assert [f.id for f in state.facts_like("k3f9")] == ["k3f9aaaaaa", "k3f9zzzzzz"]
        assert [f.id for f in state.facts_like("k3f9aaaaaa")] == ["k3f9aaaaaa"]
        assert state.facts_like("k3g") == []

    def test_what_is_undone_is_not_waited_for(self, state: State) -> None:
        number = batch(state, 0).id
        state.store_facts(number, [fact("aaaaaaaaaa"), fact("bbbbbbbbbb")])
        state.plan_append(number, PlannedAppend(LOG, 1, b"torn", 5))
        assert state.set_undone(["aaaaaaaaaa", "zz"], LOG, undone=True) == ["aaaaaaaaaa"]
        found = state.batch(number)
        assert [(f.undone, f.path) for f in found.facts] == [(True, LOG), (False, "")]
        assert (found.status, found.planned) == ("extracted", ())
        state.set_undone(["bbbbbbbbbb"], LOG, undone=True)
        assert state.batch(number).status == "appended"
        assert state.set_undone(["bbbbbbbbbb"], LOG, undone=False) == ["bbbbbbbbbb"]
        assert state.set_undone(["bbbbbbbbbb"], LOG, undone=False) == []
        assert [f.undone for f in state.batch(number).facts] == [True, False]


class TestUsage:
    def test_sums_by_day_and_model(self, state: State) -> None:
        assert (state.usage(DAY), state.tokens_on(DAY)) == ([], 0)
        state.add_usage(DAY, "small", tokens_in=100, tokens_out=5, seconds=0.5)
        state.add_usage(DAY, "small", tokens_in=50, tokens_out=5, seconds=0.25, calls=3)
        state.add_usage(DAY, "large", tokens_in=1, tokens_out=2, seconds=1.0)
        before = DAY - timedelta(days=1)
        state.add_usage(before, "small", tokens_in=7, tokens_out=0, seconds=0.0)
        assert state.usage(DAY) == [
            Usage(DAY, "large", 1, 1, 2, 1.0),
            Usage(DAY, "small", 4, 150, 10, 0.75),
        ]
        assert state.usage(before)[-1] == Usage(before, "small", 1, 7, 0, 0.0)
        assert (state.tokens_on(DAY), state.tokens_on(before)) == (163, 7)
        assert state.tokens_used() == 170


class TestJournal:
    CHANGE = Change("write", "a.md", "api", before=b"\0old\xff", digest="ab")

    def test_begun_committed_aborted(self, state: State) -> None:
        first, second = state.begin(self.CHANGE), state.begin(self.CHANGE)
        append = Change("append", LOG, "retain", offset=4, length=3, digest="cd")
        third = state.begin(append)
        state.commit(first)
        state.abort(second)
        state.commit(third, 9)
        newest, oldest = state.recent()
        assert (oldest.status, oldest.change, oldest.time) == ("committed", self.CHANGE, NOW)
        assert newest.change == Change("append", LOG, "retain", offset=9, length=3, digest="cd")
        state.begin(self.CHANGE)
        again = reopened(state)
        assert [e.status for e in again.recent(1)] == ["begun"]
        again.close()

    def test_an_append_that_moved(self, state: State) -> None:
        number = state.begin(Change("append", LOG, "retain", offset=4, length=3, digest="cd"))
        state.commit(number, 9)
        state.amend(number, 12, 5, "ef")
        found = state.entry(number).change
        assert (found.offset, found.length, found.digest) == (12, 5, "ef")

    def test_unfinished_entries(self, state: State) -> None:
        numbers = [state.begin(self.CHANGE) for _ in range(3)]
        state.commit(numbers[1])
        assert [entry.id for entry in state.unfinished()] == [numbers[0], numbers[2]]

    def test_by_path_or_glob(self, state: State) -> None:
        for path in ("a.md", "memory/1.md", "memory/2.md", "odd[1].md"):
            state.begin(replace(self.CHANGE, path=path))
        found = {
            asked: [entry.change.path for entry in state.recent(path=asked)]
            for asked in ("a.md", "memory/*", "odd[1].md", "*", "none.md")
        }
        assert found == {
            "a.md": ["a.md"],
            "memory/*": ["memory/2.md", "memory/1.md"],
            "odd[1].md": ["odd[1].md"],
            "*": ["odd[1].md", "memory/2.md", "memory/1.md", "a.md"],
            "none.md": [],
        }
        assert [e.change.path for e in state.recent(1, path="memory/*")] == ["memory/2.md"]

    def test_an_entry_knows_what_took_it_back(self, state: State) -> None:
        def made(undoes: int | None = None) -> int:
            number = state.begin(replace(self.CHANGE, undoes=undoes))
            state.commit(number)
            return number

        def undone_by(number: int) -> int | None:
            return state.entry(number).undone_by

        first = made()
        undo = made(first)
        assert (undone_by(first), undone_by(undo)) == (undo, None)
        redo = made(undo)
        assert (undone_by(first), undone_by(undo)) == (None, redo)
        again = made(first)
        assert (undone_by(first), undone_by(undo)) == (again, redo)
        assert state.begin(replace(self.CHANGE, undoes=again))  # broke off: counts for nothing
        assert undone_by(first) == again

    def test_an_entry_that_is_not_there(self, state: State) -> None:
        with pytest.raises(NotFound, match="no entry 9"):
            state.entry(9)

    def test_later_entries_of_a_path(self, state: State) -> None:
        numbers = [state.begin(replace(self.CHANGE, path=path)) for path in "abab"]
        assert [e.id for e in state.entries_since(numbers[0], "a")] == [numbers[2]]

    def test_expires_by_age_and_size(self, state: State, clock: Clock) -> None:
        state.begin(self.CHANGE)
        clock.now += timedelta(days=2)
        for size in (100, 50, 10):
            state.begin(Change("write", f"{size}.md", "api", before=b"x" * size))
        assert state.prune_journal(NOW + timedelta(days=1), 60) == 2
        assert [e.change.path for e in state.recent()] == ["10.md", "50.md"]

    def test_appends_have_no_image_and_only_go_by_age(self, state: State, clock: Clock) -> None:
        old = state.begin(Change("append", "old.md", "api"))
        clock.now += timedelta(days=2)
        kept = state.begin(Change("append", "log.md", "retain"))
        for size in (100, 50):
            state.begin(Change("write", f"{size}.md", "api", before=b"x" * size))
        assert state.prune_journal(NOW + timedelta(days=1), 60) == 2
        assert old not in [e.id for e in state.recent()]
        assert kept in [e.id for e in state.recent()]
        assert [e.change.path for e in state.recent()] == ["50.md", "log.md"]


class TestJobs:
    def test_last_run(self, state: State) -> None:
        assert state.last_run("reconcile") is None
        vienna = NOW.astimezone(timezone(timedelta(hours=1)))
        state.record_run("reconcile", vienna, 1.5, "ok")
        state.record_run("reconcile", NOW + timedelta(hours=1), 0.5, "failed", "disk full")
        state.record_run("other", NOW + timedelta(hours=9), 0.5, "ok")
        last = state.last_run("reconcile")
        assert last is not None
        assert (last.outcome, last.error, last.seconds) == ("failed", "disk full", 0.5)
        assert [run.started for run in state.runs("reconcile")] == [
            NOW + timedelta(hours=1),
            NOW,
        ]

    def test_a_run_that_never_ended_is_interrupted(self, state: State) -> None:
        state.start_run("reflect", NOW)
        assert state.last_run("reflect") is None
        again = reopened(state)
        last = again.last_run("reflect")
        assert last is not None
        assert last.outcome == "interrupted"
        again.start_run("reflect", NOW + timedelta(hours=1))
        again.record_run("reflect", NOW + timedelta(hours=1), 2.0, "ok")
        assert [run.outcome for run in again.runs("reflect")] == ["ok", "interrupted"]
        again.close()

    def test_history_is_bounded(self, state: State, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("hippod.state.store._RUNS_KEPT", 3)
        for n in range(6):
            state.record_run("x", NOW + timedelta(minutes=n), float(n), "ok")
        assert [run.seconds for run in state.runs("x")] == [5.0, 4.0, 3.0]


class TestSmallThings:
    def test_verdicts_meta_and_counters(self, state: State) -> None:
        assert state.get_verdict("m", "select") is None
        state.set_verdict("m", "select", True, 0.7, "ok")
        state.set_verdict("m", "select", False, 0.2, "worse than rules")
        verdict = state.get_verdict("m", "select")
        assert verdict is not None
        assert (verdict.passed, verdict.score, verdict.detail) == (False, 0.2, "worse than rules")
        state.set_meta("x", "1")
        state.set_meta("x", "2")
        assert (state.get_meta("x"), state.get_meta("y")) == ("2", None)
        state.count("a")
        state.count("a", 4)
        assert state.counters() == {"a": 5}


class TestFile:
    def test_pragmas(self, state: State) -> None:
        assert state.journal_mode == "wal"
        assert state.recovered_from is None

    def test_everything_is_there_after_reopening(self, state: State) -> None:
        made = batch(state, 0, after=cursor())
        again = reopened(state)
        assert again.open_batches() == [made]
        again.close()

    @pytest.mark.parametrize("damage", ["text", "zeros", "truncated", "random page"])
    def test_a_damaged_file_is_moved_aside(self, state: State, damage: str) -> None:
        for n in range(200):
            batch(state, n)
        path = state.path
        state.close()
        data = bytearray(path.read_bytes())
        if damage == "text":
            data = bytearray(b"this is no database\n" * 100)
        elif damage == "zeros":
            data[:4096] = bytes(4096)
        elif damage == "truncated":
            del data[len(data) // 2 :]
        else:
            data[8192 : 8192 + 4096] = os.urandom(4096)
        path.write_bytes(data)
        again = State(path, clock=Clock())
        assert again.recovered_from == path.with_name("state.sqlite.corrupt-20260303T091500Z")
        assert again.recovered_from.read_bytes() == data
        assert again.open_batches() == []
        assert batch(again, 0).turns == (turn(0),)
        again.close()
        assert State(path).recovered_from is None

    def test_an_empty_file_is_a_new_one(self, tmp_path: Path) -> None:
        (tmp_path / "state.sqlite").touch()
        state = State(tmp_path / "state.sqlite")
        assert state.recovered_from is None
        state.close()

    def test_a_newer_file_is_refused_and_untouched(self, state: State) -> None:
        path = state.path
        state.close()
        connection = apsw.Connection(str(path))
        connection.execute("PRAGMA journal_mode=DELETE")
        connection.execute("PRAGMA user_version=99")
        connection.close()
        before = path.read_bytes()
        with pytest.raises(StorageError, match="newer hippod"):
            State(path)
        assert path.read_bytes() == before
        connection = apsw.Connection(str(path))
        assert connection.execute("PRAGMA user_version").fetchall() == [(99,)]
        connection.close()

    def test_a_migration_keeps_a_copy(self, state: State, monkeypatch: pytest.MonkeyPatch) -> None:
        made = batch(state, 0)
        path = state.path
        state.close()
        step = ("CREATE TABLE extra(x TEXT) STRICT", "INSERT INTO extra VALUES ('there')")
        monkeypatch.setattr(states, "MIGRATIONS", (*states.MIGRATIONS, step))
        newer = State(path)
        assert newer.open_batches() == [made]
        newer.close()
        version = len(states.MIGRATIONS) - 1
        copy = apsw.Connection(f"{path}.v{version}.bak")
        assert copy.execute("PRAGMA user_version").fetchall() == [(version,)]
        assert copy.execute("SELECT count(*) FROM batch").fetchall() == [(1,)]
        copy.close()

    def test_a_file_of_the_first_release_migrates(self, tmp_path: Path) -> None:
        path = tmp_path / "state.sqlite"
        connection = apsw.Connection(str(path))
        connection.execute(FIRST_RELEASE.read_text())
        connection.close()
        state = State(path)
        assert state.recovered_from is None
        assert (tmp_path / "state.sqlite.v1.bak").exists()
        found = state.origin("k3f9ab27qt")
        assert found is not None
        assert [t.text for t in found.turns] == [
            "Good morning!",
            "The spare key is with Ina.",
            "Noted.",
        ]
        assert found.fact.cited == {"m2"}
        assert (found.fact.undone, found.fact.made_by) == (False, "")
        assert state.rejected()[0].session == "3f2a"
        assert [e.change.operation for e in state.recent()] == ["delete", "append", "write"]
        assert [e.change.path for e in state.unfinished()] == ["old.md"]
        assert state.get_cursor("main", "/home/ada/talk.jsonl") is not None
        assert state.tokens_on(DAY) == 0
        assert state.drop_turns(NOW + timedelta(days=1)) == 1
        assert state.origin("k3f9ab27qt") == found
        state.close()

    def test_a_failing_migration_changes_nothing(
        self, state: State, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = state.path
        state.close()
        step = ("CREATE TABLE extra(x TEXT) STRICT", "INSERT INTO nowhere VALUES (1)")
        monkeypatch.setattr(states, "MIGRATIONS", (*states.MIGRATIONS, step))
        with pytest.raises(apsw.SQLError):
            State(path)
        monkeypatch.undo()
        again = State(path)
        assert again.recovered_from is None
        again.close()

    def test_another_program_that_locks_it_is_waited_for(self, state: State) -> None:
        other = apsw.Connection(str(state.path))
        other.execute("BEGIN IMMEDIATE")
        timer = threading.Timer(0.2, lambda: other.execute("COMMIT"))
        timer.start()
        state.set_meta("x", "1")
        timer.join()
        other.close()
        assert state.get_meta("x") == "1"

    def test_a_lock_that_stays_is_a_storage_error(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(states, "_BUSY_MS", 50)
        state = State(tmp_path / "state.sqlite")
        other = apsw.Connection(str(state.path))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match="locks it"):
            state.set_meta("x", "1")
        other.close()
        state.set_meta("x", "2")
        state.close()

    def test_a_full_disk(self, state: State, tmp_path: Path) -> None:
        page = state._connection.execute("PRAGMA page_count").fetchall()[0][0]
        state._connection.execute(f"PRAGMA max_page_count={page + 2}")
        change = Change("write", "a.md", "api", before=b"x" * 100_000)
        with pytest.raises(StorageError, match="full"):
            state.begin(change)
        assert state.recent() == []
        state._connection.execute("PRAGMA max_page_count=100000")
        assert state.begin(change)

    def test_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(StorageError):
            State(tmp_path / "none" / "state.sqlite")

    def test_processes_that_open_a_new_file_at_once(self, tmp_path: Path) -> None:
        code = (
            "import sys; from pathlib import Path; from hippod.state import State\n"
            "sys.stdin.read(); s = State(Path(sys.argv[1])); s.count('opened'); s.close()\n"
        )
        path = tmp_path / "state.sqlite"
        children = [
            subprocess.Popen(
                [sys.executable, "-c", code, str(path)],
                stdin=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            for _ in range(4)
        ]
        for child in children:  # closed one right after the other: they start together
            assert child.stdin is not None
            child.stdin.close()
            child.stdin = None
        assert [child.communicate()[1] for child in children] == [b""] * 4
        state = State(path)
        assert state.counters() == {"opened": 4}
        state.close()

    def test_threads(self, state: State) -> None:
        def work() -> None:
            for _ in range(20):
                state.count("x")
                state.counters()

        run_all([work] * 4)
        assert state.counters() == {"x": 80}


def run_all(jobs: list[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=job) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_an_examination_holds_up_no_save(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole file is read, which may take seconds."""
    began, saved = threading.Event(), threading.Event()
    examine = states._faults

    def slowly(connection: apsw.Connection) -> list[str]:
        began.set()
        saved.wait(10)
        return examine(connection)

    monkeypatch.setattr(states, "_faults", slowly)
    found: list[list[str]] = []
    looking = threading.Thread(target=lambda: found.append(state.faults()))
    looking.start()
    assert began.wait(10)
    saving = threading.Thread(target=lambda: batch(state, 1))
    saving.start()
    saving.join(5)
    has_waited = saving.is_alive()
    saved.set()
    looking.join()
    saving.join()
    assert not has_waited
    assert found == [[]]
