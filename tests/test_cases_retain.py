"""Replays of field cases on retain: duplicates, junk, feedback loops, what others write."""

import contextlib
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from hippod import config, daylog, wire
from hippod.extraction import selection
from hippod.index import Index
from hippod.service import Memory
from tests.fakes import FakeEmbedder, FakeGenerator
from tests.test_retain import DAY, TEA, WIKI, Home, judged, proposing

EMBEDDER = FakeEmbedder(256)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path / "w")
    yield home
    home.state.close()


@contextlib.contextmanager
def memory(home: Home) -> Iterator[Memory]:
    """All verbs over the workspace, as the library offers them."""
    index = Index(home.root / ".memory", home.workspace, EMBEDDER, chunking=config.Chunking(),
                  zone=ZoneInfo("UTC"))  # fmt: skip
    with contextlib.closing(index):
        index.reconcile()
        yield Memory(
            config=home.config,
            config_path=None,
            workspace=home.workspace,
            state=home.state,
            index=index,
            retainer=home.retainer,
            clock=lambda: home.now,
        )


def recalled(memory: Memory, query: str) -> list[str]:
    return [hit.content for hit in memory.recall(wire.RecallRequest(query=query)).hits]


def test_c096_a_flush_that_emits_old_facts_again_adds_only_what_is_new(home: Home) -> None:
    model = FakeGenerator()
    judged(home, model, select=False, transcript=True)
    home.restart(model)
    old = {"turns": [1], "kind": "W", "text": "The spare fuses hang beside the loom."}
    home.say("the spare fuses hang beside the loom")
    model.enqueue(proposing(old))
    home.run()
    first = home.log()
    home.say("the spare fuses hang beside the loom", "the ladder stands behind the red barn",
             at="T18:00")  # fmt: skip
    model.enqueue(
        proposing(
            old, {"turns": [2], "kind": "W", "text": "The ladder stands behind the red barn."}
        )
    )
    home.run()
    assert home.log().startswith(first)
    assert home.log().count("fuses") == 1
    assert home.log().count("ladder") == 1


GATE = (
    "the api gateway answers on port 7443",
    "The API gateway is answering on port 7443.",
    "On port 7443 the api gateway answers.",
)


@pytest.mark.parametrize("shape", ["bullets", "entries"])
def test_c097_restatements_are_one_line_a_negation_and_another_number_are_not(
    shape: str, home: Home
) -> None:
    said = [GATE[day % len(GATE)] for day in range(10)]
    said += [
        "the api gateway no longer answers on port 7443",
        "the api gateway answers on port 7444",
    ]
    (home.root / "memory").mkdir()
    for day, line in enumerate(said, 1):
        body = f"## Retain\n- W @gateway: {line}" if shape == "bullets" else f"[10:00:00] {line}"
        log = home.root / "memory" / f"2026-05-{day:02}.md"
        log.write_text(f"# Daily Log - 2026-05-{day:02}\n\n{body}\n")
    with memory(home) as opened:
        lines = recalled(opened, "which port does the api gateway answer on?")
    assert len(lines) == 3
    assert sum("no longer" in line for line in lines) == 1
    assert sum("7444" in line for line in lines) == 1


def test_c097_across_sessions_a_restatement_is_not_stored_again(home: Home) -> None:
    for number, line in enumerate(GATE):
        home.say(f"Remember that {line}", name=f"s{number}", at=f"T1{number}:00")
        home.run()
    home.say("Remember that the api gateway no longer answers on port 7443", name="n", at="T15:00")
    home.say("Remember that the api gateway answers on port 7444", name="m", at="T16:00")
    home.run()
    contents = [fact.content for fact in home.facts()]
    assert sum("no longer" in content for content in contents) == 1
    assert sum("7444" in content for content in contents) == 1
    assert len(contents) <= 4


def test_c098_the_same_text_is_one_fact_with_one_id_throughout(home: Home) -> None:
    bullet = "W @Olaf: Olaf has the key of the boat house."
    ids: set[str] = set()
    for _ in range(2):
        with memory(home) as opened:
            for _ in range(2):
                (stored,) = opened.retain(wire.RetainRequest(facts=(bullet,))).stored
                ids.add(stored.id)
            (home.root / stored.path).touch()
            opened.reindex()
            opened.reindex(full=True)
            assert len(recalled(opened, "key of the boat house")) == 1
            why = opened.why(stored.id)
            assert (why.standing, why.origin, why.source) == ("stands", "client", stored.source)
            assert [entry.actor for entry in opened.log(wire.LogRequest()).entries] == ["api"]
        home.restart()
        home.run()
    assert len(ids) == 1
    assert home.log("2026-05-20").count("boat house") == 1


SMALL_TALK = (
    "hi", "good morning!", "how are you?", "what is your name", "lol", "ok", "thanks", "nice",
    "ls -la", "cd src && make test", "git status", "git push origin main", "docker ps -a",
    "can you run that again?", "hmm", "one sec", "brb", "grep -rn TODO .", "yes please", "no",
    "what time is it?", "tell me a joke", "haha good one", "cat /etc/hosts", "kubectl get pods",
    "sounds good", "try again", "npm run build", "great, thank you", "bye",
)  # fmt: skip


@pytest.mark.parametrize("where", ["chat", "notes"])
def test_c100_small_talk_and_shell_commands_are_nothing_to_keep(where: str, home: Home) -> None:
    assert len(SMALL_TALK) == 30
    if where == "chat":
        home.say(*SMALL_TALK)
    else:
        (home.root / "memory").mkdir()
        log = home.root / "memory" / f"{DAY}.md"
        log.write_text("".join(f"[10:00:{n:02}] {said}\n" for n, said in enumerate(SMALL_TALK)))
    home.run()
    assert home.facts() == []


@pytest.mark.parametrize(
    "text", ["# Daily Log - 2026-05-18\n\n", "# My day", "\ufeff# Log\r\n\r\n"]
)
def test_c121_what_stands_in_the_days_log_is_the_beginning_of_the_new_one(
    text: str, home: Home
) -> None:
    text += "\n".join(f"## Part {n}\n\nSomething by hand, number {n}.\n" for n in range(3))
    log = home.root / "memory" / f"{DAY}.md"
    log.parent.mkdir()
    log.write_bytes(text.encode())
    home.say(TEA, WIKI)
    home.run()
    assert log.read_bytes().startswith(text.encode())
    assert len(home.facts()) == 2


def test_c125_two_writers_of_one_log_lose_no_line_and_each_note_is_read_once(home: Home) -> None:
    log = home.root / "memory" / f"{DAY}.md"
    log.parent.mkdir()

    def outside(name: str) -> None:
        for number in range(50):
            with log.open("a") as file:
                file.write(f"[11:00:00] Line {number} of {name}\n")

    with memory(home) as opened:
        writers = [threading.Thread(target=outside, args=(name,)) for name in ("one", "two")]
        for writer in writers:
            writer.start()
        for number in range(50):
            opened.append_daily_log(f"Line {number} of ours", date=DAY)
        home.say(TEA)
        home.run()
        for writer in writers:
            writer.join()
    home.run()
    for name in ("one", "two", "ours"):
        assert all(f"Line {number} of {name}\n" in home.log() for number in range(50))
    assert home.retainer.status()["sources"][-1]["turns"] == 150
    assert len(home.facts()) == 1


def test_c129_ten_rounds_over_unchanged_notes_change_nothing_after_the_first(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[int] = []
    extract = selection.extract
    monkeypatch.setattr(
        selection, "extract", lambda *a, **k: runs.append(1) or extract(*a, **k)  # type: ignore[func-returns-value]
    )  # fmt: skip
    model = FakeGenerator()
    judged(home, model, select=True)
    home.restart(model)
    with memory(home) as opened:
        opened.append_daily_log(TEA, date=DAY)
        opened.append_daily_log("Fixed the deploy script by pinning node 22.", date=DAY)
        home.run()
        after_first, asked, extracted = home.log(), len(model.prompts), len(runs)
        for _ in range(10):
            opened.retain(wire.RetainRequest(flush=True, wait=True))
            opened.reindex(full=True)
            home.run()
    assert (home.log(), len(model.prompts), len(runs)) == (after_first, asked, extracted)
    assert len(home.facts()) == 2
    assert all(placed.fact.id for placed in daylog.parse(home.log()).facts)


def test_group_scope_can_neither_note_nor_retain(home: Home) -> None:
    with memory(home) as opened:
        for verb in (
            lambda: opened.retain(wire.RetainRequest(facts=("W: x",), scope="group")),
            lambda: opened.append_daily_log(TEA, scope="group"),
        ):
            with pytest.raises(Exception, match="scope") as refusal:
                verb()
            assert type(refusal.value).__name__ == "Forbidden"
    assert not (home.root / "memory").exists()


def test_why_of_a_note_quotes_it_and_finds_the_line_on_which_it_stands_now(home: Home) -> None:
    with memory(home) as opened:
        opened.append_daily_log(TEA, date=DAY)
        home.run()
        opened.reindex()
        (fact,) = home.facts()
        log = home.root / "memory" / f"{DAY}.md"
        log.write_text(log.read_text().replace("\n\n", "\n\nOn top.\n\n", 1))
        opened.reindex()
        why = json.loads(opened.why(fact.id or "").model_dump_json())
    said = why["said"]
    assert log.read_text().splitlines()[said["line"] - 1].endswith(TEA)
    assert (said["source"], said["session"], said["transcript"]) == ("log", DAY, "there")
    (quote,) = [quote for quote in said["quotes"] if quote["cited"]]
    assert (quote["text"], quote["role"]) == (TEA, "note")
