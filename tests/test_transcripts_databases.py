"""Transcripts in SQLite databases: every message once, whatever the agent does meanwhile."""

import hashlib
import json
import os
import shutil
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod import daylog
from hippod.config import Config
from hippod.errors import NotFound, PathRefused
from hippod.retain import Retainer, SourceFile
from hippod.state import State
from hippod.transcripts import Cursor, Reading, Turn, has_changed, matches, read, subject
from hippod.transcripts.stores import KEPT_MARKS
from hippod.workspace import Workspace
from tests.agent_databases import (
    HERMES,
    OPENCLAW,
    OPENCODE_V1,
    START,
    Agent,
    Hermes,
    OpenClaw,
    OpenCode,
    message_id,
    said,
    writing,
)
from tests.processes import running, wait_for

BEGINNING = datetime.fromtimestamp(START, UTC)


class Reader:
    """Reads again and again, as the daemon does: cursor and keys are kept."""

    def __init__(self, path: Path, **options: Any) -> None:
        self.path = path
        self.options = options
        self.cursor: Cursor | None = None
        self.keys: set[str] = set()
        self.readings: list[Reading] = []

    def __call__(self) -> list[str]:
        """Return the texts that are new."""
        return [turn.text for _, turn in self.turns()]

    def turns(self) -> list[tuple[str, Turn]]:
        """Return the new turns with their sessions."""
        self.readings = []
        new: list[tuple[str, Turn]] = []
        while not self.readings or self.readings[-1].more:
            assert len(self.readings) < 5000, "it never ends"
            reading = read(self.path, self.cursor, seen=self.keys.__contains__, **self.options)
            self.cursor = reading.cursor
            self.readings.append(reading)
            self.keys.update(turn.key for turn in reading.turns)
            new += [(reading.cursor.session, turn) for turn in reading.turns]
        return new

    @property
    def last(self) -> Reading:
        return self.readings[-1]


def once(path: Path, **options: Any) -> Reading:
    return read(path, None, seen=lambda key: False, **options)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent.sqlite"


@pytest.fixture
def openclaw(path: Path) -> OpenClaw:
    agent = OpenClaw(path)
    agent.session("s1", "agent:main:main")
    return agent


@pytest.fixture
def hermes(path: Path) -> Hermes:
    agent = Hermes(path)
    agent.session("s1")
    return agent


@pytest.fixture
def opencode(path: Path) -> OpenCode:
    return OpenCode(path)


# OpenClaw


def test_a_database_grows_between_readings(openclaw: OpenClaw, path: Path) -> None:
    openclaw.say("s1", 0, 1)
    reader = Reader(path)
    assert reader() == ["Sentence number 0.", "Sentence number 1."]
    assert (reader.last.cursor.session, reader.last.cursor.format) == ("s1", "openclaw")
    assert reader() == []
    openclaw.say("s1", 2)
    assert reader() == ["Sentence number 2."]
    assert reader.last.alarm is None


def test_each_reading_is_of_one_session_the_longest_quiet_one_first(
    openclaw: OpenClaw, path: Path
) -> None:
    for name in ("s2", "s3"):
        openclaw.session(name, f"agent:main:{name}")
    openclaw.say("s2", 5, 8)
    openclaw.say("s1", 1, 9)
    openclaw.say("s3", 2)
    reader = Reader(path)
    reader()
    read_in_order = [(r.cursor.session, len(r.turns), r.more) for r in reader.readings]
    assert read_in_order == [("s3", 1, True), ("s2", 2, True), ("s1", 2, False)]


def test_the_same_messages_in_both_containers_are_the_same_turns(
    openclaw: OpenClaw, path: Path, tmp_path: Path
) -> None:
    header = {"type": "session", "version": 3, "id": "s1", "timestamp": "2026-04-01T00:00:00Z"}
    answer = said(2, "Noted.", role="assistant")
    answer["message"]["content"] = [{"type": "text", "text": "[[reply_to_current]] Noted."}]
    records = [header, said(0), said(1, "[Telegram Ada 2026-03-31 08:00] The gate is red"), answer]
    for record in records:
        openclaw.event("s1", record)
    jsonl = tmp_path / "s1.jsonl"
    jsonl.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    assert once(path).turns == once(jsonl).turns
    reader = Reader(jsonl)
    assert len(reader()) == 3
    reader.path, reader.cursor = path, None
    assert reader() == []
    assert reader.last.skipped["seen"] == 3


def test_a_rewrite_starts_anew_and_repeats_nothing(openclaw: OpenClaw, path: Path) -> None:
    openclaw.say("s1", *range(6))
    reader = Reader(path)
    assert len(reader()) == 6
    openclaw("BEGIN")
    openclaw("DELETE FROM transcript_events")
    openclaw("UPDATE transcript_rewrite_watermarks SET generation='g2'")
    openclaw.say("s1", 4, 5, 6)
    openclaw("COMMIT")
    assert reader() == ["Sentence number 6."]
    assert reader.last.rewritten
    openclaw.say("s1", 7)
    assert reader() == ["Sentence number 7."]
    assert not reader.last.rewritten


def test_without_generations_fewer_rows_tell_that_a_session_was_rewritten(
    openclaw: OpenClaw, path: Path
) -> None:
    openclaw("DROP TABLE transcript_rewrite_watermarks")
    openclaw.say("s1", *range(6))
    reader = Reader(path)
    reader()
    openclaw("DELETE FROM transcript_events")
    openclaw.say("s1", 5, 6)
    assert reader() == ["Sentence number 6."]
    assert reader.last.rewritten


def test_a_deleted_session_is_forgotten_and_the_others_go_on(
    openclaw: OpenClaw, path: Path
) -> None:
    openclaw.session("s2", "agent:main:other")
    openclaw.say("s1", 0)
    openclaw.say("s2", 1)
    reader = Reader(path)
    reader()
    for table in ("transcript_events", "session_windows", "transcript_rewrite_watermarks"):
        openclaw(f"DELETE FROM {table} WHERE session_id='s1'")
    openclaw.say("s2", 2)
    assert reader() == ["Sentence number 2."]
    assert reader.cursor is not None
    assert set(reader.cursor.marks) == {"s2"}


@pytest.mark.parametrize(
    ("key", "about", "kind"),
    [
        ("agent:main:main", {}, "main"),
        ("agent:main:telegram:direct:5", {"chat_type": "direct"}, "main"),
        ("agent:main:telegram:group:-5", {}, "group"),
        ("agent:main:slack:channel:c1", {}, "group"),
        ("agent:main:x1", {"chat_type": "channel"}, "group"),
        ("agent:main:x1", {"scope": "group"}, "group"),
        ("agent:main:cron:daily", {}, "cron"),
        ("cron:daily", {}, "cron"),
        ("hook:1b2c", {}, "cron"),
        ("agent:main:subagent:7", {}, "subagent"),
        ("agent:main:x1", {"spawned_by": "agent:main:main"}, "subagent"),
    ],
)
def test_the_session_key_tells_the_kind(
    path: Path, key: str, about: dict[str, str], kind: str
) -> None:
    agent = OpenClaw(path)
    agent.session("s9", key, **about)
    agent.say("s9", 0)
    assert once(path).cursor.kind == kind
    assert once(path, kind="group").cursor.kind == "group"


def test_where_no_key_is_listed_the_first_message_tells_the_kind(path: Path) -> None:
    agent = OpenClaw(path, OPENCLAW[OPENCLAW.index("CREATE TABLE transcript_events") :])
    agent.event("job", said(0, "[cron:7 Sweep] Look after the boiler"))
    agent.say("job", 1, 2)
    reading = once(path, max_turns=1)
    assert reading.cursor.kind == "cron"
    second = read(path, reading.cursor, seen=lambda key: False, max_turns=1)
    assert (second.turns[0].text, second.cursor.kind) == ("Sentence number 1.", "cron")


def test_a_branch_that_was_left_is_dropped(openclaw: OpenClaw, path: Path) -> None:
    for record in (
        said(0),
        said(1, "I take the train", parentId="00000000"),
        said(2, "I take the ferry", parentId="00000000"),
    ):
        openclaw.event("s1", record)
    reader = Reader(path)
    assert reader() == ["Sentence number 0.", "I take the ferry"]
    assert reader.last.skipped["abandoned"] == 1


def test_compressed_rows_are_read_within_bounds(openclaw: OpenClaw, path: Path) -> None:
    insert = "INSERT INTO transcript_events VALUES('s1',?,NULL,?,?,?)"
    data = json.dumps(said(0, "The cellar key is brass")).encode()
    bomb = zstandard.ZstdCompressor().compress(b" " * 50_000_000)
    for seq, (packed, size) in enumerate(
        [(zstandard.compress(data), len(data)), (bomb, 50_000_000), (b"\x28\xb5\x2f\xfdno", 9)]
    ):
        openclaw(insert, seq, START * 1000, packed, size)
    tracemalloc.start()
    reading = once(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [turn.text for turn in reading.turns] == ["The cellar key is brass"]
    assert reading.skipped == {"too_long": 1, "malformed": 1}
    assert peak < 20_000_000


def test_rows_that_hold_no_message_are_counted(openclaw: OpenClaw, path: Path) -> None:
    openclaw.event("s1", {"type": "session", "version": 3, "id": "s1"})
    openclaw.event("s1", "{half")
    openclaw.event("s1", '["no object"]')
    openclaw.event("s1", {"type": "invented", "id": "1", "parentId": None})
    openclaw("INSERT INTO transcript_events VALUES('s1',90,CAST(x'7bff7d' AS TEXT),1,NULL,NULL)")
    openclaw.event("s1", said(3), seq=91)
    reading = once(path)
    assert [turn.text for turn in reading.turns] == ["Sentence number 3."]
    assert reading.skipped == {"no_message": 1, "malformed": 3, "unknown_type": 1}
    assert reading.alarm is None


def test_messages_of_an_unknown_make_alarm(openclaw: OpenClaw, path: Path) -> None:
    for number in range(4):
        openclaw.event("s1", {"kind": "utterance", "body": f"number {number}"})
    assert once(path).alarm == f"{path}: read as openclaw, but no message was found"


# Hermes


def test_hermes_messages_become_turns(hermes: Hermes, path: Path) -> None:
    hermes.say("s1", "The boat is called Lotte", 0)
    blocks = [{"type": "text", "text": "Noted."}, {"type": "image_url"}]
    hermes.say("s1", f"\0json:{json.dumps(blocks)}", 1, role="assistant")
    hermes.say("s1", None, 2, role="assistant", tool_calls="[]")
    hermes.say("s1", "exit 0", 3, role="tool")
    hermes.say("s1", "x", 4, role="session_meta")
    reading = once(path)
    assert [(t.id, t.role, t.text) for t in reading.turns] == [
        ("1", "user", "The boat is called Lotte"),
        ("2", "assistant", "Noted."),
        ("4", "tool", "exit 0"),
    ]
    assert reading.turns[0].time == BEGINNING
    assert reading.cursor.format == "hermes"
    assert reading.skipped == {"no_text": 1, "no_message": 1}


def test_hermes_what_no_person_said_is_hidden(hermes: Hermes, path: Path) -> None:
    review = "Review the conversation above and consider saving to memory anything of use."
    hermes.say("s1", "taken back", 0, active=0)
    hermes.say("s1", "said before a compaction", 1, active=0, compacted=1)
    hermes.say("s1", "summary", 2, _compressed_summary=1)
    hermes.say("s1", "[CONTEXT COMPACTION] Earlier turns were about boats.", 3)
    hermes.say("s1", "scaffold", 4, display_kind="hidden")
    hermes.say("s1", review, 5)
    hermes.say("s1", "I saved three skills.", 6, role="assistant")
    hermes.say("s1", "[System note: the session expired]\n\nThe gate code is 4711", 7)
    hermes.say("s1", "[System note: nothing but this]", 8)
    hermes.say("s1", "<memory-context>likes tea</memory-context>I like coffee now", 9)
    reading = once(path)
    assert [(turn.role, turn.text) for turn in reading.turns] == [
        ("user", "said before a compaction"),
        ("user", "The gate code is 4711"),
        ("system", "[System note: nothing but this]"),
        ("user", "I like coffee now"),
    ]
    assert reading.skipped == {"hidden": 5}
    assert Reader(path, max_turns=1)() == [turn.text for turn in reading.turns]


@pytest.mark.parametrize(
    ("about", "kind"),
    [
        ({}, "main"),
        ({"source": "telegram", "chat_type": "dm"}, "main"),
        ({"source": "telegram", "chat_type": "group"}, "group"),
        ({"source": "discord", "chat_type": "thread"}, "group"),
        ({"source": "cron"}, "cron"),
        ({"source": "subagent"}, "subagent"),
        ({"hidden": 1}, "subagent"),
        ({"parent_session_id": "p_open"}, "subagent"),
        ({"parent_session_id": "p_compressed"}, "main"),
        ({"parent_session_id": "p_branched"}, "main"),
        ({"parent_session_id": "p_reset"}, "main"),
        ({"parent_session_id": "p_open", "model_config": '{"_branched_from": "p_open"}'}, "main"),
        ({"parent_session_id": "gone"}, "main"),
    ],
)
def test_hermes_kinds(path: Path, about: dict[str, object], kind: str) -> None:
    agent = Hermes(path)
    agent.session("p_open")
    agent.session("p_compressed", end_reason="compression", ended_at=START)
    agent.session("p_branched", end_reason="branched", ended_at=START)
    agent.session("p_reset", end_reason="session_reset", ended_at=START)
    agent.session("s9", **about)
    agent.say("s9", "The boat is called Lotte", 1)
    assert once(path).cursor.kind == kind


@pytest.mark.parametrize("keeps_times", [True, False])
@pytest.mark.parametrize("reason", ["branched", "compression"])
def test_hermes_children_repeat_nothing(path: Path, reason: str, keeps_times: bool) -> None:
    agent = Hermes(path)
    agent.session("old", end_reason=reason, ended_at=START + 100)
    agent.session("child", parent_session_id="old", started_at=START + 100)
    agent.session("grandchild", parent_session_id="child", started_at=START + 900)
    words = ["The boat is called Lotte", "yes", "The gate is red"]
    for number, word in enumerate(words):
        agent.say("old", word, number)
    for number, word in enumerate(words):
        agent.say("child", word, number if keeps_times else 100.5)
    agent.say("child", "The mast is new", 300)
    agent.say("child", "yes", 301)
    agent.say("grandchild", "The mast is new", 300 if keeps_times else 901)
    agent.say("grandchild", "The sail is torn", 1500)
    new = ["The mast is new", "yes", "The sail is torn"]
    assert Reader(path)() == [*words, *new]
    assert Reader(path, max_turns=1)() == [*words, *new]


# OpenCode


def test_opencode_counts_a_message_when_it_is_complete(opencode: OpenCode, path: Path) -> None:
    opencode.v1("ses_a", 1)
    reader = Reader(path)
    assert reader() == []
    opencode.v1("ses_a", 1, "We ship on Friday")
    assert reader() == ["We ship on Friday"]
    opencode.v1("ses_a", 2, "I wi", role="assistant", done=False)
    assert reader() == []
    assert not reader.last.more
    opencode.v1("ses_a", 2, "I will remind you", role="assistant")
    assert reader() == ["I will remind you"]
    opencode.v1("ses_a", 3, "Cut off", role="assistant", done=False)
    opencode.v1("ses_a", 4, "Never mind, on Monday")
    assert reader() == ["Cut off", "Never mind, on Monday"]
    assert reader() == []


def test_opencode_reads_what_was_said_and_nothing_else(opencode: OpenCode, path: Path) -> None:
    opencode.v1(
        "ses_a", 1, "The van needs oil",
        parts=[
            {"type": "text", "text": "Called the Read tool", "synthetic": True},
            {"type": "text", "text": "ignored", "ignored": True},
            {"type": "reasoning", "text": "thinking"},
            {"type": "tool", "state": {"output": "x" * 5_000_000}},
            {"type": "text", "text": "and a wash"},
        ],
    )  # fmt: skip
    opencode.v1("ses_a", 2, "What the talk was about", role="assistant", summary=True)
    opencode.v1("ses_a", 3, role="assistant")
    opencode("INSERT INTO message VALUES('msg_9','ses_a',9000000000000,0,'{half')")
    reading = once(path)
    assert [(turn.id, turn.text) for turn in reading.turns] == [
        (message_id(1), "The van needs oil\nand a wash")
    ]
    assert reading.skipped == {"hidden": 1, "no_text": 1, "malformed": 1}
    assert reading.cursor.format == "opencode"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ('"We ship on Friday"', "We ship on Friday"),
        (r'"We call it \"the van\" now"', 'We call it "the van" now'),
        ('"\\nWe ship\non Friday"\n', "\\nWe ship\non Friday"),
        ('"Ship it" means "on Friday"', '"Ship it" means "on Friday"'),
        ('"', '"'),
        (r'"not closed\"', r'"not closed\"'),
    ],
)
def test_opencode_quotes_an_argument_of_its_command_line(
    opencode: OpenCode, path: Path, given: str, said: str
) -> None:
    opencode.v1("ses_a", 1, given)
    opencode.v1("ses_a", 2, given, role="assistant")
    assert {turn.role: turn.text for turn in once(path).turns} == {"user": said, "assistant": given}


def test_opencode_version_2(opencode: OpenCode, path: Path) -> None:
    opencode.v2("ses_b", 1, {"text": "The van is green"})
    opencode.v2("ses_b", 2, {"text": "injected"}, "synthetic")
    answer = [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "Gree"}]
    opencode.v2("ses_b", 3, {"content": answer}, "assistant")
    reader = Reader(path)
    assert reader() == ["The van is green"]
    answer[1]["text"] = "Green it is"
    done = {"created": 1, "completed": START * 1000}
    opencode.v2("ses_b", 3, {"content": answer, "time": done}, "assistant", changed=9)
    assert reader() == ["Green it is"]
    assert not reader.last.more


def test_opencode_tasks_are_subagents(opencode: OpenCode, path: Path) -> None:
    opencode("INSERT INTO session VALUES('ses_t','ses_a','/w',0,0)")
    opencode.v1("ses_t", 1, "Look for the bug")
    opencode("INSERT INTO session_v2 VALUES('ses_u','ses_a',NULL,0,0)")
    opencode.v2("ses_u", 2, {"text": "Look for the other bug"})
    reader = Reader(path)
    assert len(reader()) == 2
    assert [reading.cursor.kind for reading in reader.readings] == ["subagent", "subagent"]


def test_opencode_neither_forks_nor_migrated_messages_repeat(
    opencode: OpenCode, path: Path
) -> None:
    opencode.v1("ses_a", 1, "The van needs", "oil")
    reader = Reader(path)
    assert reader() == ["The van needs\noil"]
    created = (START + 1) * 1000
    opencode.v2("ses_a", 1, {"text": "The van needs oil"})
    opencode.v2("ses_a", 2, {"text": "and tyres"})
    assert reader() == ["and tyres"]
    copy = {"text": "The van needs oil", "time": {"created": created}}
    opencode.v2("ses_fork", 1, copy, id_="msg_copy")
    opencode.v2("ses_fork", 5, {"text": "and a new horn"})
    assert reader() == ["and a new horn"]


class Tree:
    """OpenCode's files before there was a database."""

    def __init__(self, root: Path) -> None:
        self.storage = root / "storage"
        self.session = self.storage / "session" / "proj" / "ses_a.json"
        self.clock = time.time_ns()

    def write(self, place: str, value: object) -> Path:
        file = self.storage / f"{place}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value))
        self.clock += 1_000_000_000
        os.utime(file, ns=(self.clock, self.clock))
        return file

    def message(self, number: int, *texts: str, role: str = "user", done: bool = True) -> Path:
        id_, at = message_id(number), (START + number) * 1000
        for n, text in enumerate(texts):
            part = {"type": "text", "text": text, "sessionID": "ses_a", "messageID": id_}
            self.write(f"part/{id_}/prt_{n}", part)
        times = {"created": at, **({"completed": at} if done else {})}
        message = {"id": id_, "sessionID": "ses_a", "role": role, "time": times}
        return self.write(f"message/ses_a/{id_}", message)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    made.write("session/proj/ses_a", {"id": "ses_a", "title": "The van", "time": {}})
    return made


def test_a_tree_of_files_is_read_by_its_session(tree: Tree) -> None:
    tree.message(1, "We ship on Friday")
    reader = Reader(tree.session)
    assert reader() == ["We ship on Friday"]
    assert not has_changed(tree.session, reader.cursor)
    tree.message(2, "I wi", role="assistant", done=False)
    assert has_changed(tree.session, reader.cursor)
    assert reader() == []
    tree.message(2, "I will remind you", role="assistant")
    assert has_changed(tree.session, reader.cursor)
    assert reader() == ["I will remind you"]
    assert (reader.last.cursor.session, reader.last.cursor.kind) == ("ses_a", "main")
    for number in range(3, 9):
        tree.message(number, f"Number {number}")
    reader.options = {"max_turns": 1}
    assert reader() == [f"Number {number}" for number in range(3, 9)]


def test_a_tree_that_moves_into_the_database_is_not_read_twice(
    tree: Tree, opencode: OpenCode, path: Path
) -> None:
    tree.message(1, "We ship on Friday")
    reader = Reader(tree.session)
    reader()
    opencode.v1("ses_a", 1, "We ship on Friday")
    opencode.v1("ses_a", 2, "Or on Monday")
    reader.path, reader.cursor = path, None
    assert reader() == ["Or on Monday"]


def test_a_damaged_session_file_alarms(tree: Tree) -> None:
    tree.message(1, "We ship on Friday")
    tree.session.write_text("{half")
    reading = once(tree.session)
    assert reading.alarm == f"{tree.session}: not an OpenCode session"
    assert has_changed(tree.session, reading.cursor)
    (tree.storage / "message" / "ses_a" / f"{message_id(1)}.json").write_text("{half")
    tree.write("session/proj/ses_a", {"id": "ses_a"})
    assert once(tree.session).turns == ()


# What all of them share


def _write_openclaw(path: Path, plan: list[tuple[int, int]]) -> None:
    agent = OpenClaw(path)
    for session in range(3):
        agent.session(f"s{session}", f"agent:main:x{session}")
    for number, (session, _) in enumerate(plan):
        agent.event(f"s{session}", said(number, parentId=None, id=f"e{number}"), at=number)


def _write_hermes(path: Path, plan: list[tuple[int, int]]) -> None:
    agent = Hermes(path)
    for session in range(3):
        agent.session(f"s{session}")
    for number, (session, active) in enumerate(plan):
        agent.say(f"s{session}", f"Sentence number {number}.", number, active=active % 2)


def _write_opencode(path: Path, plan: list[tuple[int, int]]) -> None:
    agent = OpenCode(path)
    for number, (session, version) in enumerate(plan):
        text = f"Sentence number {number}."
        if session == 2 or (session == 1 and version == 2):
            agent.v2(f"ses_{session}", number, {"text": text})
        elif version == 0:
            agent.v1(f"ses_{session}", number, text, role="assistant", done=False)
        else:
            agent.v1(f"ses_{session}", number, text)


@settings(max_examples=25, deadline=None)
@given(
    plan=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=12),
    max_turns=st.integers(1, 3),
    max_bytes=st.sampled_from([1, 300, 8_000_000]),
)
@pytest.mark.parametrize("write", [_write_openclaw, _write_hermes, _write_opencode])
def test_slices_give_the_turns_of_one_reading(
    write: Any,
    plan: list[tuple[int, int]],
    max_turns: int,
    max_bytes: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("slices") / "agent.sqlite"
    write(path, plan)
    whole, sliced = Reader(path), Reader(path, max_turns=max_turns, max_bytes=max_bytes)
    assert sliced.turns() == whole.turns()
    assert all(len(reading.turns) <= max_turns for reading in sliced.readings)
    assert sliced.turns() == whole.turns() == []


def test_what_is_too_old_is_passed_over(hermes: Hermes, path: Path) -> None:
    hermes.session("s2")
    hermes.say("s1", "long ago", 0)
    hermes.say("s2", "a while ago", 10)
    hermes.say("s2", "today", 20)
    reader = Reader(path, since=BEGINNING + timedelta(seconds=15))
    assert reader() == ["today"]
    assert [reading.cursor.session for reading in reader.readings] == ["s2"]
    hermes.say("s1", "back again", 30)
    assert reader() == ["back again"]


def test_marks_stay_few_and_no_session_is_read_twice_or_missed(path: Path) -> None:
    agent = Hermes(path)
    count = KEPT_MARKS + 150
    agent("BEGIN")
    for number in range(count):
        agent.session(f"s{number}")
        agent.say(f"s{number}", f"Sentence number {number}.", number)
    agent("COMMIT")
    reader = Reader(path)
    assert reader() == [f"Sentence number {number}." for number in range(count)]
    assert reader.cursor is not None
    assert len(reader.cursor.marks) <= KEPT_MARKS + 1
    reader.keys.clear()
    assert reader() == []
    agent.say("s3", "An old talk goes on", count)
    agent.session("new")
    agent.say("new", "A new one", count + 1)
    assert reader()[-2:] == ["An old talk goes on", "A new one"]
    assert len(json.dumps(reader.cursor.marks)) < 100 * KEPT_MARKS


def test_memory_stays_bounded(openclaw: OpenClaw, path: Path) -> None:
    openclaw("BEGIN")
    for number in range(60):
        openclaw.event("s1", said(number, "word " * 100_000), at=number)
    openclaw.event("s1", said(60, "x" * 30_000_000))
    openclaw.event("s1", said(61, "The last one"))
    openclaw("COMMIT")
    reader = Reader(path, max_bytes=1_000_000)
    tracemalloc.start()
    count = 0
    while not count or reader.last.more:
        reader.readings = [read(path, reader.cursor, seen=lambda key: False, max_bytes=1_000_000)]
        reader.cursor = reader.last.cursor
        count += len(reader.last.turns)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 61
    assert reader.last.turns[-1].text == "The last one"
    assert peak < 12_000_000


def test_reading_changes_nothing_and_is_not_a_change(hermes: Hermes, path: Path) -> None:
    hermes.say("s1", "The boat is called Lotte", 0)
    wal = path.with_name(f"{path.name}-wal")
    before = [hashlib.sha256(file.read_bytes()).hexdigest() for file in (path, wal)]
    reader = Reader(path)
    assert has_changed(path, None)
    reader()
    assert not has_changed(path, reader.cursor)
    assert [hashlib.sha256(file.read_bytes()).hexdigest() for file in (path, wal)] == before
    hermes.say("s1", "The gate is red", 1)
    assert has_changed(path, reader.cursor)
    reader()
    hermes("PRAGMA wal_checkpoint(TRUNCATE)")
    hermes.connection.close()
    reader()
    assert not has_changed(path, reader.cursor)
    path.unlink()
    assert not has_changed(path, reader.cursor)


def test_another_file_in_its_place_is_read_from_the_start(
    hermes: Hermes, path: Path, tmp_path: Path
) -> None:
    for number in range(5):
        hermes.say("s1", f"Sentence number {number}.", number)
    reader = Reader(path)
    reader()
    other = Hermes(tmp_path / "other.sqlite")
    other.session("s1")
    other.say("s1", "Sentence number 4.", 4)
    other.say("s1", "A new beginning", 50)
    other("PRAGMA wal_checkpoint(TRUNCATE)")
    hermes.connection.close()
    (tmp_path / "other.sqlite").replace(path)
    assert reader() == ["A new beginning"]
    assert reader.last.rewritten


def test_what_was_a_text_may_become_a_database(path: Path, tmp_path: Path) -> None:
    with path.open("w") as file:
        for number in range(3):
            line = {"role": "user", "content": f"Number {number}", "timestamp": START + number}
            file.write(json.dumps(line) + "\n")
    reader = Reader(path)
    assert len(reader()) == 3
    assert reader.cursor is not None
    reader.cursor = replace(reader.cursor, marks={"": "no number", "s1": "no position"})
    agent = Hermes(tmp_path / "other.sqlite")
    agent.session("s1")
    agent.say("s1", "The boat is called Lotte", 9)
    agent("PRAGMA wal_checkpoint(TRUNCATE)")
    agent.connection.close()
    path.write_bytes((tmp_path / "other.sqlite").read_bytes())
    assert has_changed(path, reader.cursor)
    assert reader() == ["The boat is called Lotte"]


def test_a_name_may_hold_anything(tmp_path: Path) -> None:
    folder = tmp_path / "a b#1?mode=rwc&%20 🌍"
    folder.mkdir()
    path = folder / "state 100%.db"
    agent = Hermes(path)
    agent.session("s1")
    agent.say("s1", "The boat is called Lotte", 0)
    reader = Reader(path)
    assert reader() == ["The boat is called Lotte"]
    link = tmp_path / "link.db"
    link.symlink_to(path)
    with pytest.raises(PathRefused, match="a link"):
        Reader(link)()
    agent.say("s1", "The gate is red", 1)
    assert has_changed(path, reader.cursor)


# Writers beside us, and databases that are not well


def test_a_writer_that_holds_a_transaction_neither_hides_nor_blocks(
    hermes: Hermes, path: Path
) -> None:
    hermes.say("s1", "The boat is called Lotte", 0)
    insert = "INSERT INTO messages(session_id, role, content, timestamp) VALUES('s1', 'user', "
    with writing(path) as writer:
        writer.run("BEGIN IMMEDIATE", f"{insert} 'not yet', {START + 1})")
        reader = Reader(path)
        began = time.monotonic()
        assert reader() == ["The boat is called Lotte"]
        assert time.monotonic() - began < 1
        writer.run("COMMIT")
        assert reader() == ["not yet"]


def test_a_reader_holds_up_no_writer(openclaw: OpenClaw, path: Path) -> None:
    openclaw.say("s1", *range(50))
    with writing(path) as writer:

        def seen(key: str) -> bool:
            writer.run("UPDATE session_windows SET transcript_updated_at=1", "BEGIN", "COMMIT")
            return False

        assert len(read(path, None, seen=seen, max_turns=5).turns) == 5
        writer.run("PRAGMA wal_checkpoint(TRUNCATE)")


def test_a_killed_writer_leaves_what_it_had_committed(path: Path) -> None:
    with writing(path) as writer:
        writer.run("PRAGMA journal_mode=WAL", *OPENCLAW.strip().split(";\n")[:3])
        insert = "INSERT INTO transcript_events(session_id, seq, event_json, created_at) VALUES"
        for number in range(3):
            record = json.dumps(said(number)).replace("'", "''")
            writer.run(f"{insert} ('s1', {number}, '{record}', {START})")
        writer.run("BEGIN", "UPDATE transcript_events SET event_json='{}'")
        writer.run("DELETE FROM transcript_events WHERE seq=1")
        writer.kill()
    reader = Reader(path)
    assert reader() == [f"Sentence number {number}." for number in range(3)]
    agent = Agent(path, "SELECT 1")
    agent("INSERT INTO transcript_events(session_id, seq, event_json, created_at) VALUES(?,?,?,?)",
          "s1", 3, json.dumps(said(3)), START)  # fmt: skip
    assert reader() == ["Sentence number 3."]


def test_a_locked_database_alarms_and_is_read_later(hermes: Hermes, path: Path) -> None:
    hermes.say("s1", "The boat is called Lotte", 0)
    hermes("PRAGMA journal_mode=DELETE")
    hermes.connection.close()
    reader = Reader(path)
    with writing(path) as writer:
        writer.run("BEGIN EXCLUSIVE")
        assert reader() == []
        assert reader.last.alarm == f"{path}: the database is locked"
        assert has_changed(path, reader.cursor)
        writer.run("COMMIT")
    assert reader() == ["The boat is called Lotte"]
    assert reader.last.alarm is None
    assert not has_changed(path, reader.cursor)


def _flip(data: bytes) -> bytes:
    return data[:4096] + bytes(byte ^ 0x5A for byte in data[4096:])


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: data[:16], id="only the head"),
        pytest.param(lambda data: data[:100], id="only the header"),
        pytest.param(lambda data: data[:5000], id="cut"),
        pytest.param(lambda data: data[:16] + b"\xff" * 4000, id="garbage"),
        pytest.param(_flip, id="flipped"),
    ],
)
def test_a_damaged_database_alarms(hermes: Hermes, path: Path, damage: Any) -> None:
    for number in range(200):
        hermes.say("s1", f"Sentence number {number}. " * 20, number)
    hermes("PRAGMA wal_checkpoint(TRUNCATE)")
    hermes.connection.close()
    whole = Reader(path)
    whole()
    path.write_bytes(damage(path.read_bytes()))
    reading = read(path, whole.cursor, seen=lambda key: False)
    assert reading.turns == ()
    assert reading.alarm is not None
    assert reading.alarm.startswith(f"{path}: ")
    assert not reading.more
    assert has_changed(path, reading.cursor)
    assert reading.cursor.marks == whole.cursor.marks  # type: ignore[union-attr]


def test_what_lies_before_the_damage_is_read(hermes: Hermes, path: Path) -> None:
    hermes("PRAGMA auto_vacuum=0")
    for number in range(100):
        hermes.say("s1", f"Sentence number {number}. " + "word " * 900, number)
    hermes("PRAGMA wal_checkpoint(TRUNCATE)")
    hermes.connection.close()
    data = path.read_bytes()
    at = data.index(b"Sentence number 60.") // 4096 * 4096
    path.write_bytes(data[:at] + b"\xff" * 4096 + data[at + 4096 :])
    reading = once(path, max_turns=1000)
    assert 0 < len(reading.turns) < 100
    assert "damaged" in (reading.alarm or "")
    again = read(path, reading.cursor, seen=lambda key: False)
    assert again.turns == ()
    assert "damaged" in (again.alarm or "")


def test_without_a_shm_that_can_be_made_it_alarms(hermes: Hermes, path: Path) -> None:
    hermes.say("s1", "The boat is called Lotte", 0)
    hermes.connection.close()
    shm = path.with_name(f"{path.name}-shm")
    shm.symlink_to(path.parent / "nowhere" / "shm")
    reader = Reader(path)
    assert reader() == []
    assert reader.last.alarm == f"{path}: the database cannot be opened"
    shm.unlink()
    assert reader() == ["The boat is called Lotte"]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs to become somebody else")
@pytest.mark.parametrize("is_running", [True, False])
def test_in_a_folder_that_is_not_ours_the_agent_must_be_running(is_running: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.db"
        agent = Hermes(path)
        agent.session("s1")
        agent.say("s1", "The boat is called Lotte", 0)
        if not is_running:
            agent.connection.close()
        path.parent.chmod(0o755)
        for file in path.parent.iterdir():
            file.chmod(0o644)
        child = os.fork()
        if child == 0:
            os.setuid(65534)
            reader = Reader(path)
            texts = reader()
            is_read = texts == ["The boat is called Lotte"] and reader.last.alarm is None
            is_alarm = texts == [] and "cannot be opened" in (reader.last.alarm or "")
            os._exit(0 if (is_read if is_running else is_alarm) else 1)
        assert os.waitpid(child, 0)[1] == 0
        agent.connection.close()


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (HERMES.replace("content TEXT", "body TEXT"), "messages has no column content"),
        (HERMES.replace("timestamp REAL", "said_at REAL"), "messages has no column timestamp"),
        (OPENCLAW.replace("event_json", "event"), "transcript_events has no column event_json"),
        (OPENCODE_V1.replace("data TEXT", "info TEXT"), "message has no column data"),
        (HERMES[HERMES.index("CREATE TABLE messages") :], "not a transcript database"),
        ("CREATE TABLE recipes(id)", "not a transcript database that is known (it holds recipes)"),
        ("CREATE VIEW v AS SELECT 1", "not a transcript database that is known"),
    ],
)
def test_tables_that_are_not_as_expected_alarm(path: Path, schema: str, message: str) -> None:
    Agent(path, schema)
    reading = once(path)
    assert message in (reading.alarm or "")
    assert not reading.more
    assert has_changed(path, reading.cursor)


def test_a_format_that_is_asked_for_is_not_another(hermes: Hermes, path: Path) -> None:
    hermes.say("s1", "The boat is called Lotte", 0)
    assert len(once(path, format="hermes").turns) == 1
    assert "not a transcript database" in (once(path, format="openclaw").alarm or "")


def test_a_database_that_is_gone(path: Path, hermes: Hermes) -> None:
    shutil.rmtree(path.parent)
    with pytest.raises(NotFound):
        once(path)


def test_an_empty_database_is_quiet(hermes: Hermes, path: Path) -> None:
    reading = once(path)
    assert (reading.turns, reading.more, reading.alarm) == ((), False, None)
    assert (reading.cursor.session, reading.cursor.kind) == ("agent", "main")


# Which transcript a file is of


def test_a_wal_is_part_of_its_database(tmp_path: Path) -> None:
    assert subject(tmp_path / "state.db-wal") == tmp_path / "state.db"
    for name in ("state.db", "state.db-shm", "talk.jsonl"):
        assert subject(tmp_path / name) == tmp_path / name
    assert not matches("**/*", tmp_path, tmp_path / "state.db-wal")
    assert not matches("**/*", tmp_path, tmp_path / "state.db-shm")


def test_messages_and_parts_are_part_of_their_session(tree: Tree) -> None:
    message = tree.message(1, "We ship on Friday")
    assert subject(message) == tree.session
    assert subject(tree.storage / "part" / message_id(1) / "prt_0.json") == tree.session
    stray = tree.write("part/msg_9/prt_9", {"sessionID": "../../../etc/passwd"})
    assert subject(stray) == stray
    assert subject(tree.session) == tree.session


def test_one_glob_may_name_both_containers(tmp_path: Path) -> None:
    glob = "agents/*/{sessions,agent}/*.{jsonl,sqlite}"
    for name in ("sessions/a.jsonl", "agent/openclaw-agent.sqlite"):
        assert matches(glob, tmp_path, tmp_path / "agents" / "main" / name)
    for name in ("sessions/a.json", "other/a.jsonl", "agent/x.sqlite-wal"):
        assert not matches(glob, tmp_path, tmp_path / "agents" / "main" / name)


# The retainer and the daemon

DAY = BEGINNING.date().isoformat()


class Home:
    """A workspace whose only source is a database below it, and a clock that stands still."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / ".memory").mkdir(parents=True)
        (root / "agent").mkdir()
        self.database = root / "agent" / "agent.sqlite"
        self.now = BEGINNING + timedelta(days=1)
        self.open()

    def open(self) -> None:
        self.state = State(self.root / ".memory" / "state.sqlite", clock=lambda: self.now)
        self.config = Config.model_validate(
            {
                "workspace": {"user": "Ada", "timezone": "UTC"},
                "retain": {"settle": 0},
                "sources": [{"name": "main", "path": "agent/*.{jsonl,sqlite}"}],
            }
        )
        workspace = Workspace(self.root, self.state)
        self.retainer = Retainer(self.config, workspace, self.state, None, list, lambda: self.now)

    def run(self) -> None:
        for file in self.retainer.unread():
            self.retainer.process(file)
        self.retainer.confirm()

    def facts(self) -> list[str]:
        log = self.root / "memory" / f"{DAY}.md"
        parsed = daylog.parse(log.read_text()).facts if log.exists() else ()
        return [placed.fact.content for placed in parsed]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "w")
    yield made
    made.state.close()


def test_retain_reads_databases_once_and_leaves_groups_alone(home: Home) -> None:
    agent = OpenClaw(home.database)
    agent.session("s1", "agent:main:main")
    agent.session("s2", "agent:main:whatsapp:group:9")
    agent.event("s1", said(1, "My bicycle is a Koga."))
    agent.event("s2", said(2, "My neighbour has a Gazelle."))
    home.run()
    assert len(home.facts()) == 1
    assert "Koga" in home.facts()[0]
    home.run()  # the daily log that was written has nothing new
    assert home.retainer.unread() == []
    agent.event("s1", said(3, "My cat is called Muskat."))
    assert home.retainer.unread() == [SourceFile("main", home.database)]
    home.run()
    assert len(home.facts()) == 2
    assert not any("Gazelle" in fact for fact in home.facts())
    records = [{"type": "session", "version": 3, "id": "s1"}, said(1, "My bicycle is a Koga.")]
    jsonl = home.database.with_name("s1.jsonl")
    jsonl.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    home.run()
    assert len(home.facts()) == 2


def test_with_state_lost_each_session_goes_on_after_its_last_cited_turn(home: Home) -> None:
    agent = OpenClaw(home.database)
    for name in ("s1", "s2"):
        agent.session(name, f"agent:main:{name}")
    agent.event("s1", said(1, "My bicycle is a Koga."), at=1)
    agent.event("s1", said(2, "My cat is called Muskat."), at=2)
    home.run()
    log = home.root / "memory" / f"{DAY}.md"
    kept = [line for line in log.read_text().splitlines(keepends=True) if "Koga" not in line]
    log.write_text("".join(kept))
    home.state.close()
    for file in (home.root / ".memory").glob("state.sqlite*"):
        file.unlink()
    agent.event("s2", said(3, "My sister lives in Graz."), at=3)
    home.open()
    home.run()
    assert sorted("Koga" in fact for fact in home.facts()) == [False, False]
    assert any("Graz" in fact for fact in home.facts())


def test_an_alarm_is_shown_and_goes_away(home: Home) -> None:
    Agent(home.database, "CREATE TABLE recipes(id)").connection.close()
    home.run()
    source, *_ = home.retainer.status()["sources"]
    assert "not a transcript database" in source["alarms"][0]
    home.database.unlink()
    agent = OpenClaw(home.database)
    agent.session("s1", "agent:main:main")
    agent.event("s1", said(1, "My bicycle is a Koga."))
    home.run()
    source, *_ = home.retainer.status()["sources"]
    assert source["alarms"] == []
    assert len(home.facts()) == 1


def test_a_cursor_of_an_earlier_version_still_loads(home: Home) -> None:
    cursor = {
        "device": 1, "inode": 2, "offset": 3, "line": 4, "prefix_size": 3, "prefix_hash": "p",
        "tail_hash": "t", "format": "generic", "session": "s", "kind": "main",
    }  # fmt: skip
    home.state.set_cursor("main", "a.jsonl", Cursor(**cursor))  # type: ignore[arg-type]
    home.state.close()
    store = Agent(home.root / ".memory" / "state.sqlite", "SELECT 1")
    store("UPDATE cursor SET value=?", json.dumps(cursor))
    store.connection.close()
    home.open()
    loaded = home.state.get_cursor("main", "a.jsonl")
    assert loaded == Cursor(**cursor)  # type: ignore[arg-type]
    assert loaded.marks == {}
    marked = Cursor(**cursor, marks={"s": "1 1"}, files="x")  # type: ignore[arg-type]
    home.state.set_cursor("main", "a.jsonl", marked)
    assert home.state.get_cursor("main", "a.jsonl") == marked


@pytest.mark.slow
def test_the_daemon_hears_of_what_only_the_wal_holds(tmp_path: Path) -> None:
    folder = tmp_path / "agents" / "main" / "agent"
    folder.mkdir(parents=True)
    database = folder / "openclaw-agent.sqlite"
    config = tmp_path / "config.toml"
    config.write_text(
        f'[[sources]]\nname = "claw"\npath = "{tmp_path}/agents/*/agent/*.sqlite"\n'
        '[schedule]\nreconcile = "6h"\n'
    )
    agent = OpenClaw(database)
    agent.session("s1", "agent:main:main")
    agent.event("s1", said(1, "My bicycle is a Koga."))
    insert = "INSERT INTO transcript_events(session_id, seq, event_json, created_at) VALUES"
    with running(tmp_path, {"HIPPOD_CONFIG": str(config)}) as daemon, writing(database) as writer:
        log = daemon.workspace / "memory" / f"{DAY}.md"
        wait_for(lambda: log.exists() and "Koga" in log.read_text(), "the first fact")
        size = database.stat().st_size
        record = json.dumps(said(2, "My cat is called Muskat."))
        writer.run("PRAGMA wal_autocheckpoint=0", f"{insert} ('s1', 1, '{record}', {START})")
        wait_for(lambda: "Muskat" in log.read_text(), "the fact that only the WAL holds")
        assert database.stat().st_size == size
    agent.connection.close()
