"""The verbs in this process: days and zones, scope, and what status tells."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from hippod import wire
from hippod.config import Config, load
from hippod.errors import Conflict, Forbidden, HippodError, InvalidInput, NotFound, StorageError
from hippod.index import Index
from hippod.retain import Retainer
from hippod.service import Memory
from hippod.state import State
from hippod.workspace import Workspace
from tests.fakes import FakeEmbedder

NOON = datetime(2026, 3, 3, 12, tzinfo=UTC)
Open = Callable[..., Memory]


class Clock:
    """A clock that stands still, or runs on by `step` with every look at it."""

    def __init__(self, now: datetime = NOON, step: timedelta = timedelta()) -> None:
        self.now = now
        self.step = step

    def __call__(self) -> datetime:
        now = self.now
        self.now += self.step
        return now


@pytest.fixture
def open_memory(tmp_path: Path) -> Iterator[Open]:
    with ExitStack() as stack:

        def build(clock: Clock | None = None, **settings: str) -> Memory:
            environ = {
                f"HIPPOD_{name.upper()}": value
                for name, value in {
                    "workspace__path": str(tmp_path / "workspace"),
                    "workspace__timezone": "Europe/Vienna",
                    **settings,
                }.items()
            }
            return assembled(load(None, environ), clock or Clock(), stack)

        yield build


def assembled(config: Config, clock: Clock, stack: ExitStack) -> Memory:
    folder = config.workspace.path / ".memory"
    folder.mkdir(parents=True, exist_ok=True)
    state = State(folder / "state.sqlite")
    stack.callback(state.close)
    workspace = Workspace(config.workspace.path, state, layout=config.workspace.layout)
    embedder = FakeEmbedder()
    index = Index(folder, workspace, embedder, chunking=config.chunking, zone=config.zone)
    stack.callback(index.close)
    return Memory(
        config=config,
        config_path=None,
        workspace=workspace,
        state=state,
        index=index,
        retainer=Retainer(config, workspace, state, None, index.entities, clock),
        clock=clock,
    )


def found(memory: Memory, query: str, **fields: object) -> list[str]:
    request = wire.RecallRequest.model_validate({"query": query, "mode": "lexical", **fields})
    return [hit.path for hit in memory.recall(request).hits]


# -- days ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "zone", "day", "time"),
    [
        ("2026-03-02T22:59:59Z", "Europe/Vienna", "2026-03-02", "23:59:59"),
        ("2026-03-02T23:00:00Z", "Europe/Vienna", "2026-03-03", "00:00:00"),
        ("2026-03-03T02:30:00Z", "America/Los_Angeles", "2026-03-02", "18:30:00"),
        ("2026-03-02T12:30:00Z", "Pacific/Auckland", "2026-03-03", "01:30:00"),
        ("2026-03-29T01:00:00Z", "Europe/Vienna", "2026-03-29", "03:00:00"),
        ("2026-10-25T00:30:00Z", "Europe/Vienna", "2026-10-25", "02:30:00"),
        ("2026-10-25T01:30:00Z", "Europe/Vienna", "2026-10-25", "02:30:00"),
    ],
)
def test_a_note_has_the_users_day_and_time(
    open_memory: Open, now: str, zone: str, day: str, time: str
) -> None:
    memory = open_memory(Clock(datetime.fromisoformat(now)), workspace__timezone=zone)
    assert memory.today_log() == wire.DailyLog(
        date=day, path=f"memory/{day}.md", content="", exists=False
    )
    memory.append_daily_log("The heron is back")
    log = memory.today_log()
    assert log.content == f"# Daily Log - {day}\n\n[{time}] The heron is back\n"
    assert log == memory.daily_log(day) == memory.daily_log("today")


def test_day_and_time_of_a_note_are_of_one_moment(open_memory: Open) -> None:
    last = datetime(2026, 3, 2, 22, 59, 59, 999_999, tzinfo=UTC)
    memory = open_memory(Clock(last, step=timedelta(seconds=1)))
    written = memory.append_daily_log("late")
    assert written.path == "memory/2026-03-02.md"
    assert "[23:59:59] late" in memory.daily_log("2026-03-02").content


def test_a_note_is_one_line_and_no_markup(open_memory: Open) -> None:
    memory = open_memory()
    memory.append_daily_log(" Two\r\n\r\n## Retain\n- W @x: y\u2028\x85z\t! ")
    log = memory.today_log().content
    assert log.splitlines()[2:] == ["[13:00:00] Two ## Retain - W @x: y z !"]
    assert found(memory, "two", kind=["world"]) == []
    for empty in (" ", "\n\t"):
        with pytest.raises(InvalidInput, match="nothing to note"):
            memory.append_daily_log(empty)


def test_a_note_below_facts_opens_a_log_section(open_memory: Open) -> None:
    memory = open_memory()
    memory.retain(wire.RetainRequest(facts=("W @Ada: The mast is up.",)))
    memory.append_daily_log("after")
    memory.append_daily_log("more", date="today")
    content = memory.today_log().content
    assert content.endswith("\n\n## Log\n[13:00:00] after\n[13:00:00] more\n")


def test_the_layout_says_where_daily_logs_lie(open_memory: Open) -> None:
    memory = open_memory(workspace__layout="ironclaw")
    assert memory.append_daily_log("x", date="2024-02-29").path == "daily/2024-02-29.md"
    assert memory.daily_log("2024-02-29").exists


@pytest.mark.parametrize("day", ["2026-2-3", "2026-02-30", "tomorrow", "", "../x", "2026-03-03.md"])
def test_a_day_is_an_iso_date(open_memory: Open, day: str) -> None:
    with pytest.raises(InvalidInput, match="date: "):
        open_memory().daily_log(day)


# -- without a daemon ------------------------------------------------------------------------


def test_what_is_written_is_found_at_once(open_memory: Open) -> None:
    memory = open_memory()
    memory.write("a.md", "The heron fishes\n")
    assert found(memory, "heron") == ["a.md"]
    memory.replace("a.md", "heron", "egret")
    assert found(memory, "heron") == []
    assert found(memory, "egret") == ["a.md"]
    memory.delete("a.md")
    assert found(memory, "egret") == []


def test_a_moved_document_is_found_at_its_new_path_alone(open_memory: Open) -> None:
    memory = open_memory()
    memory.write("notes/a.md", "The heron nests at the weir.\n")
    before = memory.recall(wire.RecallRequest(query="heron")).hits[0]
    moved = memory.move("notes/a.md", "projects/b.md")
    assert (moved.path, moved.moved_from) == ("projects/b.md", "notes/a.md")
    (hit,) = memory.recall(wire.RecallRequest(query="heron")).hits
    assert hit.path == "projects/b.md"
    assert hit.id != before.id
    entry = memory.log(wire.LogRequest()).entries[0]
    assert (entry.operation, entry.path, entry.target) == ("rename", "notes/a.md", "projects/b.md")
    assert memory.logged(entry.id).diff == "rename from notes/a.md\nrename to projects/b.md\n"
    dry = memory.undo(wire.UndoRequest(id=entry.id, dry_run=True))
    assert dry.diff == "rename from projects/b.md\nrename to notes/a.md\n"
    done = memory.undo(wire.UndoRequest(id=entry.id))
    assert (done.path, done.moved_from, done.applied) == ("notes/a.md", "projects/b.md", True)
    assert found(memory, "heron") == ["notes/a.md"]
    refused = memory.undo(wire.UndoRequest(id=entry.id, dry_run=True))
    assert "was taken back" in str(refused.conflict)


def test_a_log_that_facts_are_written_to_stays_where_it_is(open_memory: Open) -> None:
    memory = open_memory(Clock(datetime(2026, 5, 18, 12, tzinfo=UTC)))
    said = {"role": "user", "content": "Remember that the bike lock code is with Olaf."}
    request = {"session": "talk", "messages": [said], "flush": True, "wait": True}
    (fact,) = memory.retain(wire.RetainRequest.model_validate(request)).stored
    with pytest.raises(Conflict, match="facts are being written to it"):
        memory.move(fact.path, "archive/2026/log.md")
    assert fact.bullet in memory.read(fact.path).content


def test_an_edit_that_moved_names_the_move_to_take_back_first(open_memory: Open) -> None:
    memory = open_memory()
    memory.write("a.md", "one\n")
    memory.move("a.md", "b.md")
    with pytest.raises(Conflict, match="also by 2: take those back first"):
        memory.undo(wire.UndoRequest(id=1))


def test_inserted_lines_are_found_and_go_again(open_memory: Open) -> None:
    memory = open_memory()
    memory.write("a.md", "one\ntwo\n")
    assert memory.insert("a.md", 2, "The otter swims.").line == 2
    assert found(memory, "otter") == ["a.md"]
    memory.undo(wire.UndoRequest(id=2))
    assert memory.read("a.md").content == "one\ntwo\n"
    assert found(memory, "otter") == []


def test_a_group_moves_and_inserts_only_where_it_may_write(open_memory: Open) -> None:
    shared = open_memory()
    shared.write("context/mine.md", "Ours\n", scope="group")
    shared.write("context/hidden.md", "a\n<private>\nx\n</private>\n")
    shared.write("MEMORY.md", "Mine\n")
    for path, to in (
        ("context/mine.md", "MEMORY.md"),
        ("context/mine.md", "memory/x.md"),
        ("context/mine.md", "AGENTS.md"),
        ("MEMORY.md", "context/x.md"),
        ("AGENTS.md", "context/x.md"),
        ("context/hidden.md", "context/x.md"),
    ):
        with pytest.raises(Forbidden):
            shared.move(path, to, scope="group")
    for path in ("MEMORY.md", "context/hidden.md"):
        with pytest.raises(Forbidden):
            shared.insert(path, 1, "x", scope="group")
    shared.insert("context/mine.md", 1, "x", scope="group")
    shared.move("context/mine.md", "context/ours.md", scope="group")
    assert shared.read("context/ours.md", scope="group").content == "x\nOurs\n"


def test_an_index_that_fails_does_not_fail_the_write(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()

    def full(_paths: object) -> None:
        raise StorageError("no space left on the disk")

    monkeypatch.setattr(memory._index, "update", full)
    with capture_logs() as logs:
        assert memory.write("a.md", "kept\n").changed
    assert memory.read("a.md").content == "kept\n"
    assert [line["event"] for line in logs] == ["index.update_failed"]


def test_an_unchanged_write_reports_no_change(open_memory: Open) -> None:
    memory = open_memory()
    heard: list[str] = []
    memory.changed = heard.append
    memory.write("a.md", "x\n")
    assert not memory.write("a.md", "x\n").changed
    assert heard == ["a.md"]


def test_there_are_no_jobs(open_memory: Open) -> None:
    memory = open_memory()
    assert memory.jobs() == []
    with pytest.raises(NotFound, match="'reconcile'"):
        memory.run_job("reconcile")


def test_a_workspace_that_is_gone_is_an_error_of_every_writing_verb(
    open_memory: Open, tmp_path: Path
) -> None:
    memory = open_memory()
    memory.write("a.md", "heron\n")
    (tmp_path / "workspace").rename(tmp_path / "moved")
    (tmp_path / "workspace").mkdir()  # an empty mount point
    verbs: list[Callable[[], object]] = [
        lambda: memory.read("a.md"),
        lambda: memory.write("a.md", "x"),
        lambda: memory.append("a.md", "x"),
        lambda: memory.replace("a.md", "heron", "x"),
        lambda: memory.delete("a.md"),
        memory.tree,
        memory.today_log,
        lambda: memory.append_daily_log("x"),
        lambda: memory.retain(wire.RetainRequest(facts=("W @Ada: x y.",))),
    ]
    for verb in verbs:
        with pytest.raises(StorageError, match="the workspace is gone"):
            verb()
    for full in (False, True):
        with pytest.raises(StorageError):
            memory.reindex(full=full)
    assert list((tmp_path / "workspace").iterdir()) == []
    told = memory.status().workspace
    assert told is not None
    assert "the workspace is gone" in told.gone


# -- scope -----------------------------------------------------------------------------------


GROUP_PATHS = "/shared/**, /notes/*.md, /deep/er/open.md"


@pytest.fixture
def shared(open_memory: Open) -> Memory:
    memory = open_memory(privacy__group_paths=GROUP_PATHS)
    for path in ("shared/a.md", "shared/in/b.md", "notes/c.md", "notes/in/d.md", "deep/er/open.md",
                 "deep/er/shut.md", "deep/other/e.md", "MEMORY.md"):  # fmt: skip
        memory.write(path, f"the heron of {path}\n")
    return memory


@pytest.mark.parametrize(
    ("directory", "expected"),
    [
        ("", ["deep", "notes", "shared"]),
        ("shared", ["shared/a.md", "shared/in"]),
        ("shared/", ["shared/a.md", "shared/in"]),
        ("shared/in", ["shared/in/b.md"]),
        ("notes", ["notes/c.md"]),
        ("deep", ["deep/er"]),
        ("deep/er", ["deep/er/open.md"]),
    ],
)
def test_a_group_walks_to_what_it_may_see(
    shared: Memory, directory: str, expected: list[str]
) -> None:
    tree = shared.tree(directory, scope="group")
    assert [entry.path for entry in tree.entries] == expected


def test_a_group_lists_all_that_it_may_see(shared: Memory) -> None:
    everything = [e.path for e in shared.tree(recursive=True, scope="group").entries]
    assert everything == [
        "deep", "deep/er", "deep/er/open.md", "notes", "notes/c.md", "shared", "shared/a.md",
        "shared/in", "shared/in/b.md",
    ]  # fmt: skip
    assert sorted(found(shared, "heron", scope="group")) == [
        "deep/er/open.md", "notes/c.md", "shared/a.md", "shared/in/b.md",
    ]  # fmt: skip


@pytest.mark.parametrize("directory", ["deep/other", "notes/in", "nowhere", "memory"])
def test_a_folder_that_is_shut_is_as_one_that_is_not_there(shared: Memory, directory: str) -> None:
    with pytest.raises(Forbidden):
        shared.tree(directory, scope="group")


def test_a_missing_folder_below_an_open_one_is_missing(shared: Memory) -> None:
    with pytest.raises(NotFound):
        shared.tree("shared/none", scope="group")


def test_a_group_never_overwrites_a_private_span(shared: Memory) -> None:
    shared.write("shared/a.md", "open\n<private>code 7</private>\n")
    seen = shared.read("shared/a.md", scope="group")
    assert "code" not in seen.content
    verbs: list[Callable[[], object]] = [
        lambda: shared.write("shared/a.md", seen.content, scope="group"),
        lambda: shared.write("shared/a.md", seen.content, etag=seen.etag, scope="group"),
        lambda: shared.replace("shared/a.md", "code 7", "x", scope="group"),
        lambda: shared.replace("shared/a.md", "code 8", "x", scope="group"),
        lambda: shared.delete("shared/a.md", scope="group"),
    ]
    messages = set()
    for verb in verbs:
        with pytest.raises(Forbidden) as caught:
            verb()
        messages.add(caught.value.message)
    assert len(messages) == 1
    shared.append("shared/a.md", "more", scope="group")
    assert shared.read("shared/a.md").content == "open\n<private>code 7</private>\nmore\n"


def test_a_private_span_that_comes_at_the_last_moment_is_not_lost(
    shared: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "workspace" / "shared" / "a.md"
    read = Workspace.read

    def read_then_edited(self: Workspace, path: str) -> object:
        document = read(self, path)
        file.write_text("open\n<private>code 7</private>\n")
        return document

    monkeypatch.setattr(Workspace, "read", read_then_edited)
    with pytest.raises(Conflict):
        shared.write("shared/a.md", "mine\n", scope="group")
    assert "code 7" in file.read_text()


def test_a_group_makes_documents_only_where_none_are(shared: Memory) -> None:
    assert shared.write("shared/new.md", "x\n", scope="group").changed
    with pytest.raises(Conflict):
        shared.write("shared/new.md", "y\n", etag="", scope="group")
    with pytest.raises(NotFound):
        shared.replace("shared/none.md", "x", "y", scope="group")
    with pytest.raises(NotFound):
        shared.delete("shared/none.md", scope="group")


def test_operations_are_for_main_alone(shared: Memory) -> None:
    verbs: list[Callable[[], object]] = [
        lambda: shared.retain(wire.RetainRequest(facts=("W @Ada: x y.",), scope="group")),
        lambda: shared.jobs("group"),
        lambda: shared.run_job("x", "group"),
        lambda: shared.pause_job("x", "group"),
        lambda: shared.resume_job("x", "group"),
        lambda: shared.reindex(scope="group"),
        lambda: shared.effective_config("group"),
        lambda: shared.today_log("group"),
        lambda: shared.append_daily_log("x", scope="group"),
    ]
    for verb in verbs:
        with pytest.raises(Forbidden):
            verb()


# -- status ----------------------------------------------------------------------------------


def test_status_tells_what_a_person_should_see(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory()
    workspace = tmp_path / "workspace"
    (tmp_path / "outside").mkdir()
    (workspace / "vault").symlink_to(tmp_path / "outside")
    (workspace / "loop").symlink_to(workspace)
    (workspace / "copy.sync-conflict-20260303-101112.md").write_text("x")
    (workspace / "latin.md").write_bytes(b"caf\xe9 heron")
    (workspace / "sessions").mkdir()
    memory.reindex()
    status = memory.status()
    about = status.workspace
    assert about is not None
    assert (about.path, about.timezone, about.documents) == (str(workspace), "Europe/Vienna", 1)
    assert list(about.skipped) == ["copy.sync-conflict-20260303-101112.md"]
    assert list(about.oddities) == ["latin.md"]
    assert {link.path: link.followed for link in about.links} == {"loop": False, "vault": True}
    assert status.index is not None
    assert status.index["documents"] == 1
    assert status.state is not None
    assert (status.state.journal_mode, status.state.recovered_from) == ("wal", None)
    assert status.retain is not None
    assert status.retain["sources"][0]["alarms"] == []
    assert wire.Status.model_validate_json(status.model_dump_json()) == status


def test_status_before_the_first_scan(open_memory: Open) -> None:
    about = open_memory().status().workspace
    assert about is not None
    assert about.documents is None


def test_status_names_a_damaged_state_that_was_moved_aside(
    open_memory: Open, tmp_path: Path
) -> None:
    folder = tmp_path / "workspace" / ".memory"
    folder.mkdir(parents=True)
    (folder / "state.sqlite").write_bytes(b"SQLite format 3\0" + b"garbage" * 5000)
    state = open_memory().status().state
    assert state is not None
    assert state.recovered_from is not None
    assert Path(state.recovered_from).parent == folder


def test_status_shows_what_the_daemon_adds(open_memory: Open) -> None:
    memory = open_memory()
    memory.describe = lambda: {"watch": {"mode": "events"}, "notes": {"generator": "none"}}
    status = memory.status()
    assert status.watch == {"mode": "events"}
    assert status.notes == {"generator": "none"}


def test_a_group_learns_only_the_version(open_memory: Open) -> None:
    status = open_memory().status("group")
    assert set(status.model_dump(exclude_none=True)) == {"ok", "version", "wire"}


# -- retain ----------------------------------------------------------------------------------


def test_facts_are_cleaned_and_kept_once(open_memory: Open) -> None:
    memory = open_memory()
    bullets = (
        "W @Ada: The gate key is AKIAIOSFODNN7EXAMPLE for now.",
        "W @Ada: The tent <private>is torn</private> dries.",
    )
    first = memory.retain(wire.RetainRequest(facts=bullets))
    again = memory.retain(wire.RetainRequest(facts=bullets))
    assert [fact.id for fact in first.stored] == [fact.id for fact in again.stored]
    content = memory.today_log().content
    assert content.count("\n- ") == 2
    assert "AKIA" not in content
    assert "torn" not in content
    for fact in first.stored:
        assert content.splitlines()[fact.line - 1] == fact.bullet
        assert fact.source == f"{fact.path}#L{fact.line}"


def test_a_message_is_taken_once_a_session_whatever_its_number(open_memory: Open) -> None:
    memory = open_memory()

    def hand_over(session: str, content: str) -> list[str]:
        said = wire.Message(role="user", content=content, id="1", timestamp="2026-01-05T10:00:00Z")
        request = wire.RetainRequest(messages=(said,), session=session, wait=True)
        return [fact.bullet for fact in memory.retain(request).stored]

    tin, boat = "Remember that the tin is in the attic.", "Remember that the boat is in Graz."
    assert len(hand_over("one", tin)) == 1
    assert len(hand_over("two", boat)) == 1
    assert hand_over("one", tin) == []


def test_bullets_that_say_nothing_are_refused_as_a_whole(open_memory: Open) -> None:
    memory = open_memory()
    for nothing in ("W @Ada: <private>all of it</private>", "W @Ada: ", "- "):
        with pytest.raises(InvalidInput):
            memory.retain(wire.RetainRequest(facts=("W @Ada: Something.", nothing)))
    assert not memory.today_log().exists


def test_an_error_is_never_sql(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory()
    memory.write("a.md", "heron\n")
    index = tmp_path / "workspace" / ".memory" / "index.sqlite"
    size = index.stat().st_size
    for name in (index, index.with_name("index.sqlite-wal")):
        if name.exists():
            name.write_bytes(b"\xa5" * size)
    try:
        answer = memory.recall(wire.RecallRequest(query="heron"))
        assert answer.degraded or answer.hits
        shown = answer.model_dump_json()
    except HippodError as error:
        shown = error.message
    shown += memory.status().model_dump_json()
    assert "SELECT" not in shown
    assert "units" not in shown.replace('"units"', "")


def test_a_group_reads_but_never_changes_what_instructs_the_agent(open_memory: Open) -> None:
    shared = open_memory()
    shared.write("AGENTS.md", "Be kind\n")
    assert shared.read("AGENTS.md", scope="group").content
    for change in (
        lambda: shared.write("AGENTS.md", "obey", scope="group"),
        lambda: shared.append("AGENTS.md", "obey", scope="group"),
        lambda: shared.replace("AGENTS.md", "a", "b", scope="group"),
        lambda: shared.delete("AGENTS.md", scope="group"),
    ):
        with pytest.raises(Forbidden, match="may read it"):
            change()
