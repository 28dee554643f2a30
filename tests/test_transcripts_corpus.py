"""The fixture corpus: which turns each format's transcripts hold, however they are read."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hippod.transcripts import Cursor, Reading, Turn, read

CORPUS = Path(__file__).parent / "transcripts"

# What a file holds: format, session, kind, then id, role and text of each turn.
EXPECTED: dict[str, tuple[str, str, str, list[tuple[str, str, str]]]] = {
    "codex/legacy.jsonl": (
        "codex",
        "c0de-1",
        "main",
        [
            ("L5", "user", "The kiln controller stores its curves in SQLite."),
            ("L9", "assistant", "I will look at the schema."),
            ("L14", "assistant", "It has two tables."),
            ("L15", "user", "yes"),
            ("L17", "assistant", "Shall I add an index?"),
            ("L19", "user", "yes"),
        ],
    ),
    "codex/items.jsonl": (
        "codex",
        "c0de-3",
        "main",
        [
            ("L3", "user", "The glaze is celadon."),
            ("a-1", "assistant", "Celadon, noted."),
            ("u-2", "user", "Rename the glaze table."),
            ("msg-2", "assistant", "Renamed."),
        ],
    ),
    "codex/upgraded.jsonl": (
        "codex",
        "c0de-4",
        "main",
        [
            ("L2", "user", "go"),
            ("L3", "assistant", "Went."),
            ("L4", "user", "The shelf holds 40 kg."),
            ("L6", "assistant", "40 kg."),
            ("u-9", "user", "And the lid 12 kg."),
            ("L11", "assistant", "12 kg."),
        ],
    ),
    "codex/first_version.jsonl": (
        "codex",
        "c0de-6",
        "main",
        [("L4", "user", "Cone 5 is too cold."), ("L9", "assistant", "Then cone 6.")],
    ),
    "codex/exec.jsonl": ("codex", "c0de-7", "main", [("item_2", "assistant", "The kiln is cold.")]),
    "codex/subagent.jsonl": (
        "codex",
        "c0de-5",
        "subagent",
        [("L2", "user", "Find all uses of the glaze table.")],
    ),
    "codex/rewind.jsonl": (
        "codex",
        "c0de-8",
        "main",
        [
            ("L2", "user", "Firing takes nine hours."),
            ("L3", "assistant", "Nine."),
            ("L7", "user", "Cooling takes twenty hours."),
        ],
    ),
    "gemini_cli/session-2026-03-30T10-28-a1b2c3d4.jsonl": (
        "gemini-cli",
        "a1b2c3d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d",
        "main",
        [
            ("g2", "user", "My boat is called Pinnow."),
            ("g4", "assistant", "A fine name."),
            ("g5", "user", "She was built in 1962."),
            ("s5", "assistant", "Sixty-four years old."),
        ],
    ),
    "gemini_cli/rewind.jsonl": (
        "gemini-cli",
        "b2c3",
        "main",
        [
            ("m1", "user", "The mooring costs 300 a year."),
            ("m2", "assistant", "300."),
            ("m5", "user", "The sail is red."),
        ],
    ),
    "gemini_cli/session-2026-01-05T09-00-c3d4e5f6.json": (
        "gemini-cli",
        "c3d4e5f6-0000-4000-8000-000000000000",
        "main",
        [
            ("o1", "user", "The harbour master is Knut."),
            ("o2", "assistant", "Knut."),
            ("o4", "user", "His office closes at four."),
        ],
    ),
    "cursor_agent/5d1e.jsonl": (
        "cursor-agent",
        "5d1e",
        "main",
        [
            ("L1", "user", "The orchard has 31 trees."),
            ("L2", "assistant", "31 trees."),
            ("L5", "user", "Most of them are quinces."),
            ("L7", "user", "I prune them in February."),
        ],
    ),
}
JSONL = sorted(CORPUS.glob("*/*.jsonl"))
LINEAR = [path for path in JSONL if "branch" not in path.name and "rewind" not in path.name]


def once(path: Path, seen: Iterable[str] = (), **options: Any) -> Reading:
    return read(path, None, seen=set(seen).__contains__, **options)


def rows(turns: Iterable[Turn]) -> list[tuple[str, str, str]]:
    return [(turn.id, turn.role, turn.text) for turn in turns]


def texts(turns: Iterable[Turn]) -> list[str]:
    return [turn.text for turn in turns]


def polled(path: Path, cursor: Cursor | None, keys: set[str], **options: Any) -> Reading:
    """Read on as the daemon does, until there is no more; return the last reading."""
    while True:
        reading = read(path, cursor, seen=keys.__contains__, **options)
        keys.update(turn.key for turn in reading.turns)
        cursor = reading.cursor
        if not reading.more:
            return reading


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


@pytest.mark.parametrize("name", EXPECTED)
def test_what_a_transcript_holds(name: str) -> None:
    form, session, kind, turns = EXPECTED[name]
    reading = once(CORPUS / name)
    assert rows(reading.turns) == turns
    assert (reading.cursor.format, reading.cursor.session, reading.cursor.kind) == (
        form,
        session,
        kind,
    )
    assert reading.alarm is None
    assert reading.skipped.get("unknown_type", 0) == 0
    assert len({turn.key for turn in reading.turns}) == len(turns)


# However it is read


@settings(max_examples=15, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("fixture", LINEAR, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_slices_of_any_size_give_the_turns_of_one_reading(
    fixture: Path, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("slices") / fixture.name
    whole = fixture.read_bytes()
    cut = data.draw(st.integers(0, len(whole)))
    noise = data.draw(st.binary(max_size=20)).replace(b"\n", b"").replace(b"{", b"") + b"\n"
    keys: set[str] = set()
    limits = {
        "max_turns": data.draw(st.integers(1, 4)),
        "max_bytes": data.draw(st.integers(1, 900)),
    }
    path.write_bytes(whole[:cut])
    first = polled(path, None, keys, **limits)
    with path.open("ab") as file:
        file.write(whole[cut:] + noise)
    last = polled(path, first.cursor, keys, **limits)
    assert keys == {turn.key for turn in once(fixture).turns}
    assert last.cursor.offset == len(whole) + len(noise)


OTHER_READERS = (b"SQLite format 3\0", b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
"""Databases and compressed files have no lines; Hypothesis finds these heads in our source."""


@settings(max_examples=40, deadline=None)
@given(
    pieces=st.lists(
        st.binary(max_size=30)
        | st.sampled_from([line for path in JSONL for line in path.read_bytes().split(b"\n")])
        | st.sampled_from([b"\n", b"[]\n", b"null\n", b'"x"\n', b"{}\n", b"\xe2\x80\xa8", b"\0"]),
        max_size=25,
    ),
    form=st.sampled_from(
        ["auto", "openclaw", "claude-code", "codex", "gemini-cli", "cursor-agent", "generic"]
    ),
    max_turns=st.integers(1, 3),
)
def test_any_bytes_are_read_to_the_last_line(
    pieces: list[bytes],
    form: str,
    max_turns: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("any") / "chat.jsonl"
    path.write_bytes(b"\n".join(pieces[:12]) + b"".join(pieces[12:]))
    data = path.read_bytes()
    assume(not data.startswith(OTHER_READERS))
    reading = polled(path, None, set(), format=form, max_turns=max_turns)
    assert reading.cursor.offset == data.rfind(b"\n") + 1
    assert len(json.dumps(dict(reading.cursor.marks))) < 2000


@pytest.mark.parametrize("fixture", JSONL, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_no_format_takes_the_files_of_another(fixture: Path) -> None:
    own = once(fixture).cursor.format
    assert own.replace("-", "_") == fixture.parent.name
    for other in ("openclaw", "claude-code", "codex", "gemini-cli", "cursor-agent", "generic"):
        if other != own and (own, other) != ("codex", "generic"):
            assert once(fixture, format=other).turns == ()


@pytest.mark.parametrize("name", [name for name in EXPECTED if "rewind" not in name])
def test_reading_again_under_another_name_repeats_nothing(name: str, tmp_path: Path) -> None:
    source = CORPUS / name
    keys = {turn.key for turn in once(source).turns}
    if name.startswith("cursor"):  # without ids and times, the file's name is the session
        keys |= {turn.key for turn in once(source).turns}
    copy = tmp_path / source.name
    shutil.copyfile(source, copy)
    assert once(copy, keys).turns == ()


@pytest.mark.parametrize(
    "form", ["openclaw", "claude-code", "codex", "gemini-cli", "cursor-agent", "generic"]
)
def test_records_that_no_longer_fit_their_format_are_an_alarm(form: str, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(lines(*({"kind": "said", "words": f"n{n}"} for n in range(9))))
    alarm = once(path, format=form).alarm
    assert alarm is not None
    assert f"read as {form}" in alarm


DRIFTED = {
    "codex": [
        {"type": "session_meta", "payload": {"id": "s"}},
        *({"type": "event_msg", "payload": {"type": "user_said", "t": "x"}} for _ in range(4)),
    ],
    "gemini-cli": [
        {"sessionId": "s", "projectHash": "h"},
        *({"id": f"m{n}", "type": "user", "content": {"words": "x"}} for n in range(4)),
    ],
    "cursor-agent": [{"role": "user", "message": {"content": [{"type": "prose"}]}}] * 4,
}


@pytest.mark.parametrize("form", DRIFTED)
def test_a_format_that_drifted_is_an_alarm(form: str, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(lines(*DRIFTED[form]))
    reading = once(path)
    assert reading.cursor.format == form
    assert reading.alarm is not None


# Codex


def test_a_codex_fork_repeats_no_message() -> None:
    keys = {turn.key for turn in once(CORPUS / "codex" / "legacy.jsonl").turns}
    fork = once(CORPUS / "codex" / "fork.jsonl", keys)
    assert texts(fork.turns) == ["We fire at cone 6 from now on.", "Cone 6."]
    assert (fork.cursor.session, fork.cursor.kind) == ("c0de-2", "main")


def test_a_codex_message_is_one_also_if_its_records_are_read_apart(tmp_path: Path) -> None:
    path = tmp_path / "rollout.jsonl"
    keys: set[str] = set()
    cursor = None
    for line in (CORPUS / "codex" / "legacy.jsonl").read_bytes().splitlines(keepends=True):
        with path.open("ab") as file:
            file.write(line)
        cursor = polled(path, cursor, keys).cursor
    assert keys == {turn.key for turn in once(CORPUS / "codex" / "legacy.jsonl").turns}


@pytest.mark.parametrize(
    ("texts_written", "typed"),
    [
        (["<environment_context>x</environment_context>", "Use tea."], "Use tea."),
        (["# AGENTS.md instructions for /w\n\nUse pytest.", "Use tea."], "Use tea."),
        (["<user_instructions>\nbe brief\n</user_instructions>"], None),
        (["<turn_aborted>x</turn_aborted>"], None),
        (["I like <b>bold</b> and <skill> as a word"], "I like <b>bold</b> and <skill> as a word"),
    ],
)
def test_what_codex_writes_into_a_users_message(
    texts_written: list[str], typed: str | None, tmp_path: Path
) -> None:
    content = [{"type": "input_text", "text": text} for text in texts_written]
    payload = {"type": "message", "role": "user", "content": content}
    path = tmp_path / "r.jsonl"
    path.write_bytes(lines({"type": "response_item", "payload": payload}))
    assert texts(once(path).turns) == ([typed] if typed else [])


# Gemini CLI


def test_a_rewind_takes_back_only_what_was_not_returned(tmp_path: Path) -> None:
    whole = (CORPUS / "gemini_cli" / "rewind.jsonl").read_bytes().splitlines(keepends=True)
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b"".join(whole[:4]))
    first = once(path)
    assert texts(first.turns)[-1] == "The sail is white."
    path.write_bytes(b"".join(whole))
    keys = {turn.key for turn in first.turns}
    second = read(path, first.cursor, seen=keys.__contains__)
    assert texts(second.turns) == ["The sail is red."]
    assert second.skipped["abandoned"] == 1


def test_a_chat_that_moved_from_json_to_lines_repeats_nothing(tmp_path: Path) -> None:
    old = CORPUS / "gemini_cli" / "session-2026-01-05T09-00-c3d4e5f6.json"
    record = json.loads(old.read_text())
    messages = record.pop("messages")
    path = tmp_path / "session.jsonl"
    path.write_bytes(lines(record, *messages, {"id": "o5", "type": "user", "content": "And Liv?"}))
    keys = {turn.key for turn in once(old).turns}
    assert texts(once(path, keys).turns) == ["And Liv?"]


def test_a_rewritten_json_chat_gives_what_is_new(tmp_path: Path) -> None:
    record = json.loads(
        (CORPUS / "gemini_cli" / "session-2026-01-05T09-00-c3d4e5f6.json").read_text()
    )
    path = tmp_path / "session.json"
    path.write_text(json.dumps(record))
    keys: set[str] = set()
    first = polled(path, None, keys)
    assert (len(first.turns), first.cursor.offset) == (3, path.stat().st_size)
    path.write_text(json.dumps(record)[:-40])
    torn = polled(path, first.cursor, keys)
    assert torn.turns == ()
    assert torn.alarm is not None
    assert torn.cursor.offset == 0
    record["messages"].append({"id": "o5", "type": "user", "content": "The quay is closed."})
    path.write_text(json.dumps(record, indent=2))
    last = polled(path, torn.cursor, keys)
    assert texts(last.turns) == ["The quay is closed."]
    assert last.alarm is None


def test_a_json_chat_over_the_limit_is_an_alarm_and_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    with path.open("wb") as file:
        file.write(b'{"sessionId": "s", "projectHash": "h", "messages": [], "x": "')
        file.truncate(40_000_000)
    reading = once(path)
    assert reading.alarm is not None
    assert "larger than 32 MB" in reading.alarm
    assert reading.cursor.offset == path.stat().st_size


@pytest.mark.parametrize("content", [b"", b"[]", b"3", b"[{}, 4]", b"{", b'{"messages": 3}'])
def test_json_that_is_no_chat_gives_nothing(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    assert once(path).turns == ()


def test_gemini_sub_agents_are_told_by_folder_or_header(tmp_path: Path) -> None:
    nested = tmp_path / "chats" / "b2c3" / "x.jsonl"
    nested.parent.mkdir(parents=True)
    message = {"id": "m", "type": "user", "content": "Look it up."}
    nested.write_bytes(lines({"sessionId": "x", "projectHash": "h"}, message))
    assert once(nested).cursor.kind == "subagent"
    flat = tmp_path / "chats" / "y.jsonl"
    flat.write_bytes(lines({"sessionId": "y", "projectHash": "h", "kind": "subagent"}, message))
    assert once(flat).cursor.kind == "subagent"


# Cursor


def test_a_cursor_timestamp_dates_the_message_and_its_answers() -> None:
    turns = once(CORPUS / "cursor_agent" / "5d1e.jsonl").turns
    assert [turn.time.isoformat() if turn.time else None for turn in turns] == [
        "2026-07-30T14:06:00+00:00",
        "2026-07-30T14:06:00+00:00",
        None,
        None,
    ]


def test_a_cursor_sub_agent_is_told_by_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "subagents" / "5d1e.jsonl"
    path.parent.mkdir()
    shutil.copyfile(CORPUS / "cursor_agent" / "5d1e.jsonl", path)
    assert once(path).cursor.kind == "subagent"


# Cases that others met


def test_writers_that_stay_with_a_rotated_file_are_heard_once(tmp_path: Path) -> None:
    def entry(number: int) -> dict[str, Any]:
        stamp = 1_772_600_000_000 + number * 1000
        message = {"role": "user", "content": f"n{number}", "timestamp": stamp}
        return {"type": "message", "id": f"e{number}", "parentId": None, "message": message}

    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    keys: set[str] = set()
    heard: list[str] = []
    cursors: dict[Path, Cursor] = {}
    old.write_bytes(lines({"type": "session", "id": "old"}, entry(1), entry(2)))
    new.write_bytes(lines({"type": "session", "id": "new", "parentSession": "old"}, entry(2)))
    for number in range(3, 9):
        for path in (old, new) if number % 2 else (new, old):
            with path.open("ab") as file:
                file.write(lines(entry(number)))
            reading = read(path, cursors.get(path), seen=keys.__contains__)
            cursors[path] = reading.cursor
            keys |= {turn.key for turn in reading.turns}
            heard += texts(reading.turns)
            assert not reading.more
    assert sorted(heard) == [f"n{number}" for number in range(1, 9)]


def test_of_duplicate_keys_the_last_counts(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(b'{"role":"tool","role":"user","content":"a","content":"The gate is red."}\n')
    assert texts(once(path).turns) == ["The gate is red."]


READ_ALL = """
import resource, sys
from pathlib import Path
from hippod.transcripts import read
resource.setrlimit(resource.RLIMIT_AS, (512_000_000, 512_000_000))
begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
cursor, heard, too_long, more = None, [], 0, True
while more:
    reading = read(Path(sys.argv[1]), cursor, seen=lambda key: False)
    heard += [turn.text for turn in reading.turns if turn.role == "user"]
    too_long += reading.skipped.get("too_long", 0)
    cursor, more = reading.cursor, reading.more
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - begun
print(heard, too_long, grown < 100_000)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the limit means something else elsewhere")
def test_a_file_of_300_mb_is_read_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    filler = json.dumps({"role": "tool", "content": "output " * 4000}).encode()[:-2]
    with path.open("wb") as file:
        file.write(lines({"role": "user", "content": "first"}))
        for number in range(10_600):
            file.write(filler + b' %d"}\n' % number)
        file.write(lines({"role": "user", "content": "x" * 5_000_000}))
        file.write(lines({"role": "user", "content": "last"}))
    assert path.stat().st_size > 300_000_000
    reader = subprocess.run(
        [sys.executable, "-c", READ_ALL, str(path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    path.unlink()
    assert reader.stdout == "['first', 'last'] 1 True\n", reader.stderr


def user_said(form: str, text: str) -> dict[str, Any]:
    """A user's message in the given format."""
    if form == "codex":
        content = [{"type": "input_text", "text": text}]
        return {
            "type": "response_item",
            "payload": {"type": "message", "role": "user", "content": content},
        }
    if form == "gemini-cli":
        return {"id": "m", "type": "user", "content": text}
    return {"role": "user", "message": {"content": text}}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("form", ["codex", "gemini-cli", "cursor-agent"])
@pytest.mark.parametrize(
    "text",
    [
        "</user_query>" + "<user_query>" * 100_000,
        "<user_query>" + " " * 1_000_000 + "x",
        "<environment_context>" * 60_000,
        "<session_context " * 60_000,
        "<timestamp>" * 100_000,
        "\n" * 1_000_000,
    ],
    ids=["openers", "blanks", "context", "half a tag", "stamps", "lines"],
)
def test_hostile_text_takes_no_time(form: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(lines(user_said(form, text)))
    once(path)
