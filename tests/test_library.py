"""Library mode: the verbs of a client without a daemon, with a daemon's answers."""

import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import hippod
from hippod import errors
from hippod.client import Client
from hippod.library import Library
from tests.processes import Daemon, running, wait_for
from tests.test_aclient import ALIASES, fields, verbs

TURNS = [{"role": "user", "content": "I moved to Lisbon in March. I prefer green tea over coffee."}]
DAY = "2026-03-03"
LOG = f"""# Daily Log - {DAY}

## Retain
- W @Peter: Lives in Lisbon and works at Acme. ^k3f9ab27qt
- O(c=0.9) @Peter: Prefers replies under 1500 characters. ^p07d2c5hn1
- W @Anna: Married to @Peter since 2019. ^9qx4mt83ze
"""


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("HIPPOD_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TZ", "UTC")
    for model in ("GENERATOR", "EMBEDDER", "ENCODER"):
        monkeypatch.setenv(f"HIPPOD_{model}__PROVIDER", "none")
    monkeypatch.setattr("hippod.log.hand_on", lambda: None)  # other tests look at logs


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Library]:
    with hippod.open(tmp_path / "workspace") as opened:
        yield opened


def put(memory: Library, path: str, text: str) -> None:
    """Write a document as any program does."""
    file = memory.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def paths(answer: Any) -> list[str]:
    return [hit["path"] for hit in answer["hits"]]


# -- the same verbs --------------------------------------------------------------------------


def test_it_has_the_verbs_of_the_client_with_the_same_fields() -> None:
    ours, theirs = verbs(Library), verbs(Client)
    assert ours.keys() == theirs.keys()
    for name, verb in theirs.items():
        assert fields(ours[name]) == fields(verb), name
        assert ours[name].__doc__, name
        assert ours[name].__name__ == name or name in ALIASES


QUESTIONS: list[tuple[str, Callable[[Any], Any]]] = [
    ("recall", lambda m: m.recall("where does Peter live")["hits"]),
    ("recall/lexical", lambda m: m.recall("Lisbon", mode="lexical", explain=True)["hits"]),
    ("recall/agent", lambda m: m.recall("Anna", format="agent", limit=2)["text"]),
    ("recall/kind", lambda m: m.search("replies", kind=["opinion"], entity=["Peter"])["hits"]),
    ("read", lambda m: m.read("owls.md")),
    ("tree", lambda m: m.tree(recursive=True)),
    ("list", lambda m: m.list("memory")),
    ("daily_log", lambda m: m.daily_log(DAY)),
    ("today_log", lambda m: m.today_log()),
    ("context", lambda m: m.context("s", budget_tokens=500)),
    ("system_prompt", lambda m: m.system_prompt("s")),
    ("get_working", lambda m: m.get_working("s")["content"]),
    ("why", lambda m: m.why("k3f9")),
    ("log", lambda m: [(c["id"], c["path"], c["actor"]) for c in m.log()["entries"]]),
    ("logged", lambda m: m.logged(1)),
    ("undo", lambda m: m.undo(1, dry_run=True)),
    ("entities", lambda m: m.entities()),
    ("entity", lambda m: m.entity("Peter", limit=2)),
    ("merge_entities", lambda m: m.merge_entities("Anna", "Peter", dry_run=True)),
    ("split_entity", lambda m: m.split_entity("Peter", "Pete", dry_run=True)),
    ("rename_entity", lambda m: m.rename_entity("Peter", "Pete", dry_run=True)),
    ("adopt_entity", lambda m: m.adopt_entity("Peter", dry_run=True)),
    ("opinions", lambda m: m.opinions("Peter")),
    ("opinion", lambda m: m.opinion("nope")),
    ("recompute_opinions", lambda m: m.recompute_opinions(dry_run=True)),
    ("proposals", lambda m: m.proposals()),
    ("proposal", lambda m: m.proposal("nope")),
    ("accept_proposal", lambda m: m.accept_proposal("nope")),
    ("reject_proposal", lambda m: m.reject_proposal("nope")),
    ("forget", lambda m: {**m.forget("Married to @Peter since 2019"), "seconds": 0}),
    ("hygiene", lambda m: m.hygiene(dry_run=True)["items"]),
    ("reflect", lambda m: {**m.reflect(dry_run=True), "seconds": 0}),
    ("heartbeat", lambda m: m.heartbeat(dry_run=True)["reply"]),
    ("heartbeat_history", lambda m: m.heartbeat_history(3)),
    ("health", lambda m: m.health()),
    ("jobs", lambda m: [job["name"] for job in m.jobs()["jobs"]]),
    ("events", lambda m: list(m.events(after=0, follow=False, limit=1))),
    ("export", lambda m: list(m.export(types=["fact"]))[1:]),
    ("undo_import", lambda m: m.undo_import("nope")),
    ("write/etag", lambda m: m.write("owls.md", "x", etag="old")),
    ("append/reserved", lambda m: m.append(".memory/x.md", "x")),
    ("replace/absent", lambda m: m.replace("owls.md", "unicorns", "x")),
    ("insert/too far", lambda m: m.insert("owls.md", 99_999, "x")),
    ("move/exists", lambda m: m.move("owls.md", f"memory/{DAY}.md")),
    ("delete/absent", lambda m: m.delete("none.md")),
    ("recall/limit", lambda m: m.recall("x", limit=0)),
    ("recall/field", lambda m: m.recall("x", kind=["nothing"])),
    ("context/budget", lambda m: m.context(budget_tokens=-1)),
    ("logged/absent", lambda m: m.logged(99_999)),
    ("logged/no number", lambda m: m.logged("x")),
    ("logged/zero", lambda m: m.logged(0)),
    ("run_job/absent", lambda m: m.run_job("nope")),
    ("pause_job/absent", lambda m: m.pause_job("nope")),
    ("resume_job/absent", lambda m: m.resume_job("nope")),
    ("events/type", lambda m: list(m.events(types=["nope"], follow=False))),
]  # fmt: skip


def answered(door: Any, ask: Callable[[Any], Any]) -> Any:
    """Return what is answered, or which error with which words."""
    try:
        return ask(door)
    except errors.HippodError as error:
        return type(error), error.message


@dataclass(frozen=True)
class Meeting:
    """What a daemon and the library answer of one workspace, and what each says of the other.

    `refused` is what the library said while the daemon with `pid` held it, `ended` the exit code
    of a daemon while the library did.
    """

    pairs: dict[str, tuple[Any, Any]]
    pid: int
    refused: errors.Busy
    ended: int


@pytest.fixture(scope="module")
def meeting(tmp_path_factory: pytest.TempPathFactory) -> Meeting:
    """Ask a daemon, end it, and ask the library about the very same workspace."""
    folder = tmp_path_factory.mktemp("pairs")
    with running(folder) as daemon:
        daemon.client.write("owls.md", "# Owls\n\nOwls hunt at night near Lisbon.\n")
        daemon.client.write(f"memory/{DAY}.md", LOG)
        daemon.client.set_working("s", "remember the owls")
        daemon.settle()
        theirs = {name: answered(daemon.client, ask) for name, ask in QUESTIONS}
        with pytest.raises(errors.Busy) as caught:
            hippod.open(daemon.workspace)
        assert daemon.process
        pid = daemon.process.pid
        assert daemon.stop() == 0
    with pytest.MonkeyPatch.context() as patch:
        for name, value in daemon.environ.items():
            patch.setenv(name, value)
        patch.setattr("hippod.log.hand_on", lambda: None)
        with hippod.open() as memory:
            ours = {name: answered(memory, ask) for name, ask in QUESTIONS}
            ended = Daemon(folder).spawn().wait(60)
            assert memory.health()["ok"]
    pairs = {name: (ours[name], theirs[name]) for name in theirs}
    return Meeting(pairs, pid, caught.value, ended)


@pytest.mark.slow
@pytest.mark.xdist_group("library")
@pytest.mark.parametrize("name", [name for name, _ in QUESTIONS])
def test_answers_are_those_of_a_daemon(meeting: Meeting, name: str) -> None:
    ours, theirs = meeting.pairs[name]
    assert ours == theirs


@pytest.mark.slow
@pytest.mark.xdist_group("library")
def test_while_a_daemon_holds_it_the_client_is_named(meeting: Meeting) -> None:
    assert str(meeting.pid) in meeting.refused.message
    assert "hippod.Client" in meeting.refused.hint
    assert meeting.ended == errors.Busy.exit_code


def test_every_verb_but_those_of_a_process_is_compared() -> None:
    compared = {name.partition("/")[0] for name, _ in QUESTIONS} | {"search"}
    of_a_process = {
        "status", "doctor", "metrics", "config_show", "reload_config", "reindex", "backup",
        "import_", "retain", "append_daily_log", "set_working", "append_working", "clear_working",
        "close",
    }  # fmt: skip
    assert compared | of_a_process == verbs(Client).keys()
    assert not compared & of_a_process


# -- what only the library does --------------------------------------------------------------


def test_the_rest_of_the_verbs_works_inline(memory: Library, tmp_path: Path) -> None:
    memory.append_daily_log("Fed the owl")
    memory.set_working("s", "one")
    assert memory.append_working("s", "two")["content"] == "one\ntwo"
    assert memory.clear_working("s")["cleared"]
    assert memory.reindex(full=True)["failed"] == 0
    assert memory.status()["workspace"]["path"] == str(memory.root)  # type: ignore[index]
    assert memory.doctor(only=["index"])["findings"]
    assert memory.metrics().startswith("# HELP")
    assert memory.config_show()["generator.provider"]["value"] == "none"
    memory.retain(facts=["W @Ada: Likes tea."])
    exported = "\n".join(memory.export())
    assert memory.import_(exported)["standing"]["facts"] == 1
    about = memory.backup(tmp_path / "b.tar")
    assert about["files"] > 0
    with pytest.raises(errors.Conflict):
        memory.backup(tmp_path / "b.tar")
    with pytest.raises(errors.InvalidInput, match="nothing to reload"):
        memory.reload_config()
    with pytest.raises(errors.InvalidInput, match=r"limit: is no whole number"):
        memory.recall("x", limit="many")  # type: ignore[arg-type]


def test_answers_follow_the_files_without_a_watcher(memory: Library) -> None:
    put(memory, "bees.md", "Bees sleep in the hive.\n")
    assert paths(memory.recall("bees hive"))[0] == "bees.md"
    put(memory, "bees.md", "Wasps build with paper.\n")
    assert memory.recall("wasps paper")["hits"][0]["content"] == "Wasps build with paper."
    (memory.root / "bees.md").unlink()
    assert "bees.md" not in paths(memory.recall("wasps paper"))
    put(memory, f"memory/{DAY}.md", LOG)
    assert {each["name"] for each in memory.entities()["entities"]} == {"Peter", "Anna"}
    assert memory.recall("wasps")["freshness"]["pending"] == 0


def test_a_flush_extracts_before_it_returns(memory: Library) -> None:
    waiting = memory.retain(TURNS, session="s")
    assert waiting["queued"] > 0
    assert waiting["stored"] == []
    done = memory.retain(session="s", flush=True)
    assert done["queued"] == 0
    assert any("Lisbon" in fact["bullet"] for fact in done["stored"])
    hit = memory.recall("where did the user move")["hits"][0]
    assert hit["fact_id"] in {fact["id"] for fact in done["stored"]}


def test_jobs_run_inline_and_are_recorded_but_none_is_due(memory: Library) -> None:
    put(memory, f"memory/{DAY}.md", LOG)
    assert memory.reflect()["changes"]
    assert (memory.root / "bank/entities/Peter.md").exists()
    memory.hygiene()
    memory.heartbeat()
    assert memory.run_job("reconcile")["last_outcome"] == "ok"
    jobs = {job["name"]: job for job in memory.jobs()["jobs"]}
    assert all(jobs[name]["last_run"] for name in ("reflect", "hygiene", "heartbeat", "reconcile"))
    assert all(job["next_run"] is None for job in jobs.values())
    assert memory.pause_job("reflect")["paused"]
    assert not memory.resume_job("reflect")["paused"]


def test_forget_forgets_for_good(memory: Library) -> None:
    put(memory, f"memory/{DAY}.md", LOG)
    memory.recall("Anna")
    assert memory.forget(id="9qx4mt83ze", dry_run=False)["applied"]
    assert "Married" not in (memory.root / f"memory/{DAY}.md").read_text()
    assert not any("Married" in hit["content"] for hit in memory.recall("Anna married")["hits"])


def test_a_group_sees_no_more_than_over_the_socket(tmp_path: Path) -> None:
    with hippod.open(tmp_path / "workspace", scope="group") as memory:
        with pytest.raises(errors.Forbidden):
            memory.read("MEMORY.md")
        with pytest.raises(errors.Forbidden):
            memory.retain(facts=["W : x"])
        assert "MEMORY.md" not in paths(memory.recall("memory"))
        assert memory.status()["workspace"] is None
    with pytest.raises(errors.InvalidInput, match="scope"):
        hippod.open(tmp_path / "workspace", scope="all")  # type: ignore[arg-type]


def test_events_are_told_to_another_thread_until_the_memory_closes(memory: Library) -> None:
    heard: list[dict[str, Any]] = []

    def hear() -> None:
        for event in memory.events(after=0):
            heard.append(event)

    ended: list[str] = []

    def until_closed() -> None:
        try:
            hear()
        except errors.HippodError as error:
            ended.append(error.message)

    thread = threading.Thread(target=until_closed)
    thread.start()
    memory.write("a.md", "x\n")
    wait_for(lambda: any("a.md" in event.get("paths", ()) for event in heard), "the event")
    memory.close()
    thread.join(60)
    assert ended == ["this memory is closed"]


def test_many_threads_share_it(memory: Library) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(5):
                memory.append(f"notes/{number}.md", f"turn {turn} of worker {number}\n")
                memory.recall(f"worker {number}")
                memory.retain(facts=[f"W @W{number}: Did turn {turn}."])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(memory.today_log()["content"].split("Did turn")) == 21


def test_the_doctor_finds_nothing_wrong_with_there_being_no_daemon(
    memory: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {each["name"]: each for each in memory.doctor()["findings"]}
    assert {name for name, each in found.items() if each["state"] == "fail"} == set()
    for name in ("daemon", "socket"):
        assert (found[name]["state"], found[name]["said"][:16]) == ("skipped", "without a daemon")
    assert "this program" in found["lock"]["said"]


def test_events_of_a_memory_that_is_closed_are_an_error(memory: Library) -> None:
    before = memory.events()
    memory.close()
    for events in (before, memory.events(), memory.events(follow=False)):
        with pytest.raises(errors.HippodError, match="this memory is closed"):
            next(events)


# -- who holds the workspace -----------------------------------------------------------------


def test_a_second_opening_in_the_same_process_is_refused(memory: Library) -> None:
    with pytest.raises(errors.Busy, match=str(os.getpid())) as caught:
        hippod.open(memory.root)
    assert "shared" in caught.value.hint
    memory.close()
    memory.close()
    with hippod.open(memory.root) as again:
        assert again.read("MEMORY.md")
    with pytest.raises(errors.HippodError, match="closed"):
        memory.read("MEMORY.md")


def test_it_is_released_after_an_exception_and_with_the_last_reference(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    with pytest.raises(ZeroDivisionError), hippod.open(root):
        _ = 1 / 0
    memory = hippod.open(root)
    memory.recall("x")
    del memory
    gc.collect()
    with hippod.open(root) as again:
        assert again.health()["ok"]


def test_a_config_with_faults_or_none_holds_nothing(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    with pytest.raises(errors.InvalidInput, match="no such config"):
        hippod.open(tmp_path / "workspace", config=config)
    config.write_text("[recall]\nlimt = 3\n")
    with pytest.raises(errors.ConfigError, match="limt"):
        hippod.open(tmp_path / "workspace", config=config)
    config.write_text('[workspace]\npath = "elsewhere"\n')
    with hippod.open(config=config) as memory:
        assert memory.root == tmp_path / "elsewhere"


def program(tmp_path: Path, code: str) -> "subprocess.CompletedProcess[str]":
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code, str(tmp_path / "workspace")],
        env=environ, text=True, capture_output=True, timeout=60, check=False,
    )  # fmt: skip


OPENED = "import sys, os, hippod\nmemory = hippod.open(sys.argv[1])\nmemory.recall('x')\n"


def test_a_program_that_just_ends_releases_it_and_says_nothing(tmp_path: Path) -> None:
    done = program(tmp_path, OPENED + "raise SystemExit(3)")
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")
    with hippod.open(tmp_path / "workspace") as memory:
        assert memory.status()["state"]["recovered_from"] is None  # type: ignore[index]


def test_a_forked_and_killed_program_leaves_a_workspace_that_opens(tmp_path: Path) -> None:
    """A process that was forked off neither uses nor releases it, and holds nothing either."""
    code = (
        "import logging; logging.basicConfig(level='INFO')\n"
        + OPENED
        + "if not (pid := os.fork()):\n"
        "    try: memory.recall('x')\n"
        "    except hippod.HippodError as error: print(error.message, flush=True)\n"
        "    memory.close(); sys.exit()\n"
        "assert os.waitpid(pid, 0)[1] == 0\n"
        "memory.write('a.md', 'after the fork\\n')\n"
        "print(memory.recall('fork')['hits'][0]['path'])\n"
        "try: hippod.open(sys.argv[1])\n"
        "except hippod.Busy: print('still held', flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = program(tmp_path, code)
    assert done.returncode == -signal.SIGKILL
    first, *rest = done.stdout.splitlines()
    assert "forked" in first
    assert rest == ["a.md", "still held"]
    assert "workspace.created" in done.stderr  # the program's own logging decides what is said
    assert "Traceback" not in done.stderr
    with hippod.open(tmp_path / "workspace") as memory:
        assert memory.read("a.md")["content"] == "after the fork\n"


def test_a_disk_that_refuses_the_index_still_lets_it_answer(
    memory: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(memory, "bees.md", "Bees sleep in the hive.\n")
    memory.recall("bees")

    def full(*_: object, **__: object) -> None:
        raise errors.StorageError("disk full", "make room")

    monkeypatch.setattr(memory._parts.index, "reconcile", full)
    answer = memory.recall("bees hive")
    assert paths(answer)[0] == "bees.md"
    assert answer["freshness"]["pending"] == 1
    assert memory.run_job("reconcile")["last_outcome"] == "failed"
