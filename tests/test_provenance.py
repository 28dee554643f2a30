"""`why`, `log` and `undo` over a real workspace, state, index and retain."""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from hippod import daylog, wire
from hippod.config import Config
from hippod.errors import Conflict, Forbidden, InvalidInput, NotFound, StorageError
from hippod.index import Index
from hippod.retain import Retainer
from hippod.service import Memory
from hippod.state import State
from hippod.workspace import Workspace
from tests.processes import Daemon, running, wait_for

DAY = "2026-05-18"
LOG = f"memory/{DAY}.md"
KEY = "Remember that the spare key is with Ina at the harbour."
TEA = "I prefer tea over coffee in the morning."


class Home:
    """Every part over one workspace; `restart` builds all of it anew."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.now = datetime(2026, 5, 20, 12, tzinfo=UTC)
        (root / ".memory").mkdir(parents=True)
        (root / "sessions").mkdir()
        self.transcript = root / "sessions" / "talk.jsonl"
        self.open()

    def open(self) -> None:
        folder = self.root / ".memory"
        config = Config.model_validate(
            {"workspace": {"path": self.root, "user": "Ada", "timezone": "Europe/Vienna"}}
        )
        self.state = State(folder / "state.sqlite", clock=self.clock)
        self.workspace = Workspace(self.root, self.state)
        self.index = Index(folder, self.workspace, None, chunking=config.chunking, zone=config.zone)
        self.retainer = Retainer(
            config, self.workspace, self.state, None, self.index.entities, self.clock
        )
        self.memory = Memory(
            config=config,
            config_path=None,
            workspace=self.workspace,
            state=self.state,
            index=self.index,
            retainer=self.retainer,
            clock=self.clock,
        )
        self.retainer.changed = self.memory.changed

    def close(self) -> None:
        self.state.close()
        self.index.close()

    def restart(self) -> None:
        self.close()
        self.open()

    def clock(self) -> datetime:
        return self.now

    def say(self, *texts: str) -> None:
        with self.transcript.open("a") as file:
            for number, text in enumerate(texts):
                role = "assistant" if text.startswith("Noted") else "user"
                time = f"{DAY}T10:0{number}:00Z"
                file.write(json.dumps({"role": role, "content": text, "timestamp": time}) + "\n")

    def retain(self, *texts: str) -> list[str]:
        """Say something, extract it, and return the ids of the facts in the log."""
        self.say(*texts)
        self.process()
        return [str(fact.id) for fact in self.facts()]

    def process(self) -> None:
        for file in self.retainer.unread():
            self.retainer.process(file)
        self.index.reconcile()

    def settle(self) -> None:
        self.retainer.confirm()
        self.now += timedelta(minutes=5)
        self.retainer.confirm()

    def facts(self, path: str = LOG) -> list[daylog.facts.Fact]:
        file = self.root / path
        return [p.fact for p in daylog.parse(file.read_text()).facts] if file.exists() else []

    def edit(self, path: str, old: str, new: str) -> None:
        file = self.root / path
        file.write_text(file.read_text().replace(old, new))
        self.index.reconcile()

    def undo(self, number: int, *, dry_run: bool = False) -> wire.Undone:
        return self.memory.undo(wire.UndoRequest(id=number, dry_run=dry_run))

    def entry_of_facts(self) -> int:
        entries = self.memory.log(wire.LogRequest()).entries
        return next(e.id for e in entries if e.operation == "append" and e.actor == "retain")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "w")
    yield made
    made.close()


# -- why ---------------------------------------------------------------------------------------


class TestWhy:
    def test_from_the_bullet_to_the_turn(self, home: Home) -> None:
        (id_,) = home.retain("Good morning.", KEY, "Noted.")
        why = home.memory.why(id_)
        assert (why.standing, why.origin) == ("stands", "transcript")
        assert why.source == f"{LOG}#L4" == f"{why.path}#L{why.line}"
        assert why.bullet == why.written
        assert why.bullet is not None
        assert why.bullet.endswith(f"^{id_}")
        assert why.made_by == "rules"
        said = why.said
        assert said is not None
        assert (said.source, said.session, said.turns) == ("main", "talk", ("L2",))
        assert (said.path, said.line, said.transcript) == (str(home.transcript), 2, "there")
        assert [(q.text, q.cited) for q in said.quotes] == [
            ("Good morning.", False),
            (KEY, True),
            ("Noted.", False),
        ]
        assert said.quotes[1].time == f"{DAY}T12:01:00+02:00"
        assert [q.role for q in said.quotes] == ["user", "user", "assistant"]

    def test_a_beginning_is_enough(self, home: Home) -> None:
        (id_,) = home.retain(KEY)
        for name in (id_[:4], f"^{id_}", f" {id_[:6].upper()} "):
            assert home.memory.why(name).id == id_

    def test_a_beginning_of_several(self, home: Home) -> None:
        bullets = "\n".join(f"- W @Ada: Fact {n}. ^k3f9ab27q{n}" for n in range(3))
        (home.root / "memory").mkdir()
        (home.root / LOG).write_text(f"## Retain\n{bullets}\n- W @Ada: Short. ^k3f9ab\n")
        home.index.reconcile()
        with pytest.raises(InvalidInput, match=r"begins 4 facts: \^k3f9ab \(memory/.*#L5\), \^k3"):
            home.memory.why("k3f9")
        assert home.memory.why("k3f9ab").line == 5
        assert home.memory.why("k3f9ab27q1").line == 3

    @pytest.mark.parametrize("name", ["", "^k3", "k3f", "not an id", "k3f9;", "k3f9ä"])
    def test_what_is_no_id(self, home: Home, name: str) -> None:
        with pytest.raises(InvalidInput, match="not the id of a fact"):
            home.memory.why(name)

    def test_what_nobody_knows(self, home: Home) -> None:
        with pytest.raises(NotFound, match=r"no fact or opinion \^k3f9"):
            home.memory.why("k3f9")

    def test_an_edited_bullet(self, home: Home) -> None:
        (id_,) = home.retain(KEY)
        home.edit(LOG, "with Ina", "with Olaf")
        why = home.memory.why(id_)
        assert (why.standing, why.source) == ("edited", f"{LOG}#L4")
        assert "Olaf" in str(why.bullet)
        assert "Ina" in str(why.written)

    def test_a_bullet_that_is_none_any_more(self, home: Home) -> None:
        (id_,) = home.retain(KEY)
        home.edit(LOG, "## Retain", "## Done")
        why = home.memory.why(id_)
        assert (why.standing, why.source) == ("stands", f"{LOG}#L4")

    def test_one_that_moved_with_its_log(self, home: Home) -> None:
        (id_,) = home.retain(KEY)
        target = home.root / "archive" / "2026" / f"{DAY}.md"
        target.parent.mkdir(parents=True)
        (home.root / LOG).rename(target)
        for _ in ("before the index notices", "after"):
            why = home.memory.why(id_)
            assert (why.standing, why.path) == ("stands", f"archive/2026/{DAY}.md")
            assert why.written_to == LOG
            home.index.reconcile()

    def test_one_that_a_person_put_elsewhere(self, home: Home) -> None:
        (id_,) = home.retain(KEY)
        bullet = (home.root / LOG).read_text().splitlines()[3]
        (home.root / LOG).unlink()
        (home.root / "keys.md").write_text(f"# Keys\n\n{bullet}\n")
        home.index.reconcile()
        why = home.memory.why(id_)
        assert (why.standing, why.source) == ("stands", "keys.md#L3")

    def test_a_deleted_one(self, home: Home) -> None:
        (id_,) = home.retain(KEY)
        (home.root / LOG).unlink()
        home.index.reconcile()
        why = home.memory.why(id_)
        assert (why.standing, why.path, why.bullet) == ("deleted", None, None)
        assert why.written is not None
        assert why.said is not None
        assert why.said.quotes

    def test_after_the_transcript_is_gone_and_its_turns_dropped(self, home: Home) -> None:
        (id_,) = home.retain("Good morning.", KEY, "Noted.", *["Hm."] * 6)
        home.settle()
        before = home.memory.why(id_)
        home.transcript.unlink()
        assert home.state.drop_turns(home.now + timedelta(days=1)) == 1
        after = home.memory.why(id_)
        assert after.said is not None
        assert before.said is not None
        assert after.said.transcript == "gone"
        assert after.said.quotes == before.said.quotes
        assert "Hm." not in [t.text for t in home.state.batch(1).turns][4:]

    def test_after_the_transcript_was_replaced(self, home: Home) -> None:
        (id_,) = home.retain(KEY, "Noted.")
        home.transcript.rename(home.transcript.with_suffix(".old"))
        home.say("Something else.")
        said = home.memory.why(id_).said
        assert said is not None
        assert said.transcript == "changed"

    def test_after_the_state_was_lost(self, home: Home) -> None:
        (id_,) = home.retain(KEY)
        home.close()
        for file in (home.root / ".memory").glob("state.sqlite*"):
            file.unlink()
        home.open()
        why = home.memory.why(id_)
        assert (why.standing, why.origin, why.written) == ("stands", "transcript", None)
        assert why.said is not None
        assert (why.said.session, why.said.turns, why.said.quotes) == ("talk", ("L1",), ())

    def test_one_that_a_person_wrote(self, home: Home) -> None:
        (home.root / "memory").mkdir()
        (home.root / LOG).write_text("## Retain\n- W @Ina: Likes the sea.\n")
        home.index.reconcile()
        id_ = daylog.facts.content_id(date.fromisoformat(DAY), "Likes the sea.")
        why = home.memory.why(id_[:5])
        assert (why.id, why.origin, why.standing) == (id_, "person", "stands")
        assert (why.source, why.said) == (f"{LOG}#L2", None)

    def test_one_that_a_client_stated(self, home: Home) -> None:
        answer = home.memory.retain(wire.RetainRequest(facts=("W @Ina: Likes the sea.",)))
        why = home.memory.why(answer.stored[0].id)
        assert (why.origin, why.standing, why.said) == ("client", "stands", None)

    def test_one_from_messages_of_a_client(self, home: Home) -> None:
        message = wire.Message(role="user", content=KEY)
        request = wire.RetainRequest(messages=(message,), session="chat", wait=True)
        (stored,) = home.memory.retain(request).stored
        why = home.memory.why(stored.id)
        assert why.origin == "client"
        assert why.said is not None
        assert (why.said.path, why.said.transcript) == (None, None)
        assert [q.text for q in why.said.quotes] == [KEY]

    def test_a_hit_by_its_id(self, home: Home) -> None:
        (id_,) = home.retain(KEY)
        home.memory.write("a.md", "# Notes\n\nThe pier is closed.\n")
        home.index.reconcile()
        ask = wire.RecallRequest(query="spare key", mode="lexical")
        assert home.memory.why(home.memory.recall(ask).hits[0].id).id == id_
        ask = wire.RecallRequest(query="pier", mode="lexical")
        why = home.memory.why(home.memory.recall(ask).hits[0].id)
        assert (why.origin, why.path) == ("document", "a.md")

    def test_secrets_stay_redacted(self, home: Home) -> None:
        token = "ghp_" + "a1B2c3D4e5F6" * 3
        (id_,) = home.retain(f"{KEY} The token is {token}.")
        assert token not in home.memory.why(id_).model_dump_json()


# -- log ---------------------------------------------------------------------------------------


def test_every_door_that_writes_is_journalled(home: Home) -> None:
    memory = home.memory
    memory.write("a.md", "one\n")
    memory.write("a.md", "two\n")
    memory.append("a.md", "three\n")
    memory.replace("a.md", "two", "2")
    memory.delete("a.md")
    memory.append_daily_log("Up early")
    memory.retain(wire.RetainRequest(facts=("W @Ina: Likes the sea.",)))
    home.retain(KEY)
    memory.write("context/g.md", "shared\n", scope="group")
    entries = memory.log(wire.LogRequest()).entries[::-1]
    assert [(e.operation, e.path, e.actor) for e in entries] == [
        ("create", "a.md", "api"),
        ("write", "a.md", "api"),
        ("append", "a.md", "api"),
        ("replace", "a.md", "api"),
        ("delete", "a.md", "api"),
        ("append", "memory/2026-05-20.md", "api"),
        ("append", "memory/2026-05-20.md", "api"),
        ("append", LOG, "retain"),
        ("create", "context/g.md", "api (group)"),
    ]
    assert [e.preview for e in entries][:4] == ["one", "two", "three", "2"]
    assert "Up early" in entries[5].preview
    assert "spare key" in entries[7].preview
    assert [e.bytes for e in entries][:5] == [4, 4, 6, 8, 8]
    assert all(e.finished for e in entries)
    newest = memory.log(wire.LogRequest(limit=2, path="a.md")).entries
    assert [e.operation for e in newest] == ["delete", "replace"]


def test_a_change_shows_its_diff(home: Home) -> None:
    memory = home.memory
    memory.write("a.md", "one\ntwo\n")
    memory.replace("a.md", "two", "2")
    memory.append("a.md", "three")
    memory.delete("a.md")
    diffs = [memory.logged(number).diff for number in (1, 2, 3, 4)]
    assert diffs[0] == "--- /dev/null\n+++ a.md\n@@ -0,0 +1,2 @@\n+one\n+two\n"
    assert diffs[1].endswith(" one\n-two\n+2\n")
    assert diffs[2].endswith(" one\n 2\n+three\n")
    assert diffs[3] == "--- a.md\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-2\n-three\n"
    with pytest.raises(NotFound):
        memory.logged(99)


def test_a_change_that_was_edited_since_says_so(home: Home) -> None:
    home.memory.write("a.md", "one\n")
    home.memory.append("a.md", "two\n")
    (home.root / "a.md").write_text("ONE\nTWO\n")
    written, appended = home.memory.logged(1), home.memory.logged(2)
    assert "edited since" in written.note
    assert "+TWO" in written.diff
    assert "is not kept" in appended.note
    assert appended.diff == ""


def test_a_change_of_an_archived_log(home: Home) -> None:
    home.retain(KEY)
    (home.root / "archive").mkdir()
    (home.root / LOG).rename(home.root / "archive" / f"{DAY}.md")
    assert "+- W " in home.memory.logged(home.entry_of_facts()).diff


# -- undo --------------------------------------------------------------------------------------


class TestUndo:
    def test_there_and_back(self, home: Home) -> None:
        home.memory.write("a.md", "one\n")
        home.memory.write("a.md", "two\n")
        would = home.undo(2, dry_run=True)
        assert (would.applied, would.conflict) == (False, None)
        assert would.diff.endswith("-two\n+one\n")
        done = home.undo(2)
        assert (done.applied, done.entry, done.diff) == (True, 3, would.diff)
        assert home.memory.read("a.md").content == "one\n"
        entries = {e.id: e for e in home.memory.log(wire.LogRequest()).entries}
        assert (entries[2].undone_by, entries[3].undoes) == (3, 2)
        with pytest.raises(Conflict, match="entry 2 was taken back by entry 3") as refused:
            home.undo(2)
        assert "hippod undo 3" in refused.value.hint
        home.undo(3)
        assert home.memory.read("a.md").content == "two\n"
        assert home.memory.logged(2).undone_by is None

    def test_search_forgets_it_at_once(self, home: Home) -> None:
        home.memory.append("a.md", "The pier is closed.")
        ask = wire.RecallRequest(query="pier", mode="lexical")
        assert home.memory.recall(ask).hits
        home.undo(1)
        assert not home.memory.recall(ask).hits

    def test_a_conflict_shows_what_was_edited(self, home: Home) -> None:
        home.memory.write("a.md", "one\n")
        home.memory.write("a.md", "two\n")
        home.memory.replace("a.md", "two", "three")
        with pytest.raises(Conflict, match="since entry 2, also by 3: take those back first"):
            home.undo(2)
        refused = home.undo(2, dry_run=True)
        assert refused.conflict is not None
        assert refused.since.endswith("-two\n+three\n")
        assert refused.diff.endswith("-three\n+one\n")
        home.undo(3)
        home.undo(2)
        assert home.memory.read("a.md").content == "one\n"
        (home.root / "a.md").write_text("mine\n")
        with pytest.raises(Conflict, match="not by hippod"):
            home.undo(1)

    def test_what_others_appended_is_told_apart(self, home: Home) -> None:
        home.memory.write("a.md", "one\n")
        with (home.root / "a.md").open("a") as file:
            file.write("more\n")
        refused = home.undo(1, dry_run=True)
        assert refused.since.endswith(" one\n+more\n")
        assert home.memory.logged(1).diff.endswith("@@ -0,0 +1 @@\n+one\n")

    def test_an_edited_append(self, home: Home) -> None:
        home.memory.append("a.md", "one\n")
        (home.root / "a.md").write_text("ONE\n")
        refused = home.undo(1, dry_run=True)
        assert "was edited since entry 1" in str(refused.conflict)
        assert (refused.diff, refused.since) == ("", "")

    def test_nothing_there(self, home: Home) -> None:
        with pytest.raises(NotFound, match="no entry 7"):
            home.undo(7)

    def test_facts_are_not_written_again(self, home: Home) -> None:
        (id_,) = home.retain(KEY)
        home.undo(home.entry_of_facts())
        assert home.facts() == []
        assert home.memory.why(id_).standing == "undone"
        home.settle()
        home.restart()
        home.process()
        home.settle()
        assert home.facts() == []
        assert home.state.open_batches() == []

    def test_facts_come_back_with_the_undo(self, home: Home) -> None:
        (id_,) = home.retain(KEY)
        undone = home.undo(home.entry_of_facts())
        assert undone.entry is not None
        home.undo(undone.entry)
        assert [f.id for f in home.facts()] == [id_]
        assert home.memory.why(id_).standing == "stands"
        (home.root / LOG).unlink()  # an editor's mistake: read back, so written once more
        home.retainer.confirm()
        assert [f.id for f in home.facts()] == [id_]

    def test_of_several_facts_only_those_of_the_entry_go(self, home: Home) -> None:
        home.retain(KEY)
        first = home.entry_of_facts()
        home.retain(TEA)
        home.undo(first)
        assert ["tea" in f.content for f in home.facts()] == [True]
        home.settle()
        assert ["tea" in f.content for f in home.facts()] == [True]

    def test_in_the_middle_of_a_read_back(
        self, home: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        home.retain(KEY)
        entry = home.entry_of_facts()
        real = home.state.mark_reappended
        standing = home.retainer._batches.standing

        def taken_back(day: date) -> list[daylog.facts.Fact]:
            if home.facts():
                home.undo(entry)
            return standing(day)

        monkeypatch.setattr(home.retainer._batches, "standing", taken_back)
        monkeypatch.setattr(home.state, "mark_reappended", real)
        home.retainer.confirm()
        assert home.facts() == []
        home.settle()
        assert home.facts() == []

    def test_before_the_append_was_noted(self, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
        """A crash right behind the append: the batch does not know yet that it landed."""

        def die(*_: object) -> None:
            raise StorageError("the disk is full")

        with monkeypatch.context() as patch:
            patch.setattr(home.state, "mark_appended", die)
            with pytest.raises(StorageError):
                home.retain(KEY)
        assert len(home.facts()) == 1
        home.restart()
        home.undo(home.entry_of_facts())
        home.now += timedelta(hours=1)
        home.process()
        home.settle()
        assert home.facts() == []
        assert home.state.open_batches() == []

    def test_a_failed_undo_leaves_facts_wanted(
        self, home: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (id_,) = home.retain(KEY)
        (home.root / LOG).chmod(0o444)
        with pytest.raises(StorageError):
            home.undo(home.entry_of_facts())
        (home.root / LOG).chmod(0o644)

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr("hippod.atomic.remove", full)
            with pytest.raises(StorageError, match="no space"):
                home.undo(home.entry_of_facts())
        assert home.memory.why(id_).standing == "stands"
        assert not home.state.facts_like(id_)[0].undone


def test_a_group_may_not_ask(home: Home) -> None:
    home.retain(KEY)
    for ask in (
        lambda: home.memory.why("k3f9", "group"),
        lambda: home.memory.log(wire.LogRequest(scope="group")),
        lambda: home.memory.logged(1, "group"),
        lambda: home.memory.undo(wire.UndoRequest(id=1, scope="group")),
    ):
        with pytest.raises(Forbidden):
            ask()


def test_what_was_rejected_says_where(home: Home) -> None:
    home.say("We decided to close the pier.", "The weather is nice today.")
    answer = home.memory.retain(wire.RetainRequest(flush=True, explain=True))
    for item in answer.rejected:
        assert item.source is not None
        assert item.source.startswith("main/talk#L")
        assert item.path == str(home.transcript)
    assert answer.rejected


# -- from outside ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running(tmp_path_factory.mktemp("provenance")) as daemon:
        yield daemon


def test_on_the_command_line(daemon: Daemon) -> None:
    message = {"role": "user", "content": KEY, "timestamp": f"{DAY}T10:00:00Z", "name": "Ada"}
    (stored,) = daemon.client.retain([message], session="chat", wait=True)["stored"]
    wait_for(lambda: daemon.client.recall("spare key")["hits"], "the fact in the index")

    why = daemon.cli("why", stored["id"][:6])
    assert why.returncode == 0, why.stderr
    assert f"{LOG}#L4  stands as it was written" in why.stdout
    assert f">   {KEY}" in why.stdout
    assert "said in api/chat#" in why.stdout
    assert json.loads(daemon.cli("why", f"^{stored['id']}", "--json").stdout)["id"] == stored["id"]
    assert daemon.cli("why", "zzzz").returncode == 4
    assert daemon.cli("why", "z").returncode == 2
    assert daemon.cli("why", stored["id"], "--scope", "group").returncode == 1

    daemon.cli("write", "a.md", "one\n")
    daemon.cli("write", "a.md", "two\n")
    listed = json.loads(daemon.cli("log", "--path", "a.md", "--limit", "1", "--json").stdout)
    (entry,) = listed["entries"]
    number = str(entry["id"])
    shown = daemon.cli("log", "--path", "a.md").stdout
    assert number in shown
    assert "a.md" in shown
    assert "-one\n+two\n" in daemon.cli("log", number).stdout

    looked = daemon.cli("undo", number, "--diff")
    assert (looked.returncode, "-two\n+one" in looked.stdout) == (0, True)
    assert "would take back" in daemon.cli("undo", number, "--dry-run").stdout
    assert daemon.cli("undo", number).stdout.startswith(f"took back {number} in a.md")
    assert (daemon.workspace / "a.md").read_text() == "one\n"
    again = daemon.cli("undo", number)
    assert again.returncode == 5
    assert "was taken back by entry" in again.stderr


def test_what_is_old_is_dropped_at_each_reconcile(tmp_path: Path) -> None:
    settings = {"HIPPOD_RETENTION__JOURNAL_DAYS": "0", "HIPPOD_RETENTION__TURNS_DAYS": "0"}
    with running(tmp_path, settings) as daemon:
        message = {"role": "user", "content": KEY, "timestamp": f"{DAY}T10:00:00Z"}
        noise = [{**message, "content": f"Hm {n}.", "id": f"n{n}"} for n in range(6)]
        (stored,) = daemon.client.retain([message, *noise], session="c", wait=True)["stored"]
        wait_for(lambda: not daemon.client.status()["retain"]["batches_open"], "the batch to end")
        assert daemon.client.log()["entries"]
        daemon.client.run_job("reconcile")
        assert daemon.client.log()["entries"] == []
        quotes = daemon.client.why(stored["id"])["said"]["quotes"]
        assert KEY in [quote["text"] for quote in quotes]
        assert daemon.stop() == 0
    state = State(daemon.workspace / ".memory" / "state.sqlite")
    assert len(state.batch(1).turns) == len(quotes) < 7
    state.close()


def test_a_refusal_prints_what_changed(daemon: Daemon) -> None:
    daemon.cli("write", "b.md", "one\n")
    daemon.cli("write", "b.md", "two\n")
    number = str(daemon.client.log(path="b.md", limit=1)["entries"][0]["id"])
    (daemon.workspace / "b.md").write_text("mine\n")
    refused = daemon.cli("undo", number)
    assert refused.returncode == 5
    assert "was edited since" in refused.stderr
    assert "--diff" in refused.stderr
    assert (daemon.workspace / "b.md").read_text() == "mine\n"
    shown = daemon.cli("undo", number, "--diff")
    assert shown.returncode == 5
    assert "-mine\n+one" in shown.stdout
