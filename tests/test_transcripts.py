"""Reading transcripts: what counts as a turn, and that none is lost or repeated."""

import json
import os
import shutil
import time
import tracemalloc
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.errors import NotFound, PathRefused
from hippod.transcripts import Cursor, Reading, Turn, read

CORPUS = Path(__file__).parent / "transcripts"
FIXTURES = sorted(CORPUS.glob("*/*.jsonl"))
LINEAR = [p for p in FIXTURES if "branch" not in p.name and "rewind" not in p.name]


class Follower:
    """Reads a transcript again and again, as the daemon does: cursor and keys are kept."""

    def __init__(self, path: Path, **options: Any) -> None:
        self.path = path
        self.options = options
        self.cursor: Cursor | None = None
        self.keys: set[str] = set()
        self.turns: list[Turn] = []
        self.last: Reading | None = None

    def poll(self) -> list[Turn]:
        new: list[Turn] = []
        while True:
            reading = read(self.path, self.cursor, seen=self.keys.__contains__, **self.options)
            self.cursor, self.last = reading.cursor, reading
            self.keys.update(turn.key for turn in reading.turns)
            new += reading.turns
            if not reading.more:
                break
        self.turns += new
        return new


def once(path: Path, **options: Any) -> Reading:
    return read(path, None, seen=lambda key: False, **options)


def say(number: int, text: str | None = None, **fields: Any) -> bytes:
    record = {
        "role": "user",
        "content": text or f"Sentence number {number}.",
        "timestamp": 1_775_000_000 + number,
        **fields,
    }
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def texts(turns: Iterable[Turn]) -> list[str]:
    return [turn.text for turn in turns]


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    return tmp_path / "chat.jsonl"


# Growing files


@settings(max_examples=60, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("fixture", LINEAR, ids=lambda path: path.name)
def test_reading_between_any_two_appends_gives_the_turns_of_one_reading(
    fixture: Path, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    whole = fixture.read_bytes()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    path = tmp_path_factory.mktemp("grow") / fixture.name
    path.touch()
    follower = Follower(path)
    for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
        with path.open("ab") as file:
            file.write(whole[start:end])
        follower.poll()
    expected = once(fixture)
    assert follower.turns == list(expected.turns)
    assert follower.cursor is not None
    identity = {"device": follower.cursor.device, "inode": follower.cursor.inode}
    assert follower.cursor == replace(expected.cursor, **identity)


@settings(max_examples=40, deadline=None)
@given(
    lines=st.lists(
        st.one_of(
            st.binary(max_size=40).map(lambda raw: raw.replace(b"\n", b"") + b"\n"),
            st.builds(say, st.integers(0, 30), st.text(max_size=20)),
        ),
        max_size=12,
    ),
    max_turns=st.integers(1, 5),
    max_bytes=st.integers(1, 200),
)
def test_limits_of_a_reading_change_nothing_about_the_turns(
    lines: list[bytes], max_turns: int, max_bytes: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("limits") / "chat.jsonl"
    path.write_bytes(b"".join(lines))
    follower = Follower(path, max_turns=max_turns, max_bytes=max_bytes)
    follower.poll()
    expected = once(path)
    assert follower.turns == list(expected.turns)
    assert follower.cursor == expected.cursor
    assert expected.cursor.offset == path.stat().st_size


def test_half_a_line_waits_for_its_end(chat: Path) -> None:
    follower = Follower(chat)
    chat.write_bytes(say(1) + b'{"role":"user","content":"The spare key hangs ')
    assert texts(follower.poll()) == ["Sentence number 1."]
    assert follower.poll() == []
    with chat.open("ab") as file:
        file.write('behind the fuse box – ask Wiebke"}\n'.encode())
    assert texts(follower.poll()) == ["The spare key hangs behind the fuse box – ask Wiebke"]


def test_limits_stop_a_reading_and_say_that_there_is_more(chat: Path) -> None:
    chat.write_bytes(b"".join(map(say, range(5))))
    first = once(chat, max_turns=2)
    assert (len(first.turns), first.more) == (2, True)
    last = read(chat, first.cursor, seen=lambda key: False, max_turns=3)
    assert (len(last.turns), last.more) == (3, False)
    assert len(once(chat, max_bytes=1).turns) == 1


# Files that are not what they were


def test_a_rewrite_to_the_tail_gives_only_what_is_new(chat: Path) -> None:
    chat.write_bytes(b"".join(map(say, range(50))))
    follower = Follower(chat)
    assert len(follower.poll()) == 50
    chat.write_bytes(b"".join(map(say, range(46, 52))))
    assert texts(follower.poll()) == ["Sentence number 50.", "Sentence number 51."]
    assert follower.last is not None
    assert follower.last.rewritten
    assert follower.last.skipped == {"seen": 4}
    assert follower.poll() == []
    assert not follower.last.rewritten


def test_a_rewrite_that_made_the_file_longer_is_noticed(chat: Path) -> None:
    chat.write_bytes(say(1) + say(2))
    follower = Follower(chat)
    follower.poll()
    chat.write_bytes(say(9) + say(1) + say(2) + say(3))
    assert texts(follower.poll()) == ["Sentence number 9.", "Sentence number 3."]


def test_truncation_and_new_growth(chat: Path) -> None:
    chat.write_bytes(b"".join(map(say, range(5))))
    follower = Follower(chat)
    follower.poll()
    os.truncate(chat, 0)
    assert follower.poll() == []
    with chat.open("ab") as file:
        file.write(say(77))
    assert texts(follower.poll()) == ["Sentence number 77."]


def test_a_new_inode_with_the_same_content_continues(chat: Path) -> None:
    chat.write_bytes(b"".join(map(say, range(300))))
    follower = Follower(chat)
    follower.poll()
    before = follower.cursor
    copy = chat.with_name("copy")
    shutil.copyfile(chat, copy)
    with copy.open("ab") as file:
        file.write(say(300))
    copy.replace(chat)
    assert texts(follower.poll()) == ["Sentence number 300."]
    assert follower.last is not None
    assert not follower.last.rewritten
    assert follower.last.skipped == {}
    assert before is not None
    assert follower.last.cursor.inode != before.inode


def test_a_new_inode_with_other_content_is_read_from_the_start(chat: Path) -> None:
    chat.write_bytes(say(1) + say(2))
    follower = Follower(chat)
    follower.poll()
    other = chat.with_name("other")
    other.write_bytes(say(8) + say(2) + say(9))
    other.replace(chat)
    assert texts(follower.poll()) == ["Sentence number 8.", "Sentence number 9."]


def test_duplicated_lines_are_one_turn(chat: Path) -> None:
    chat.write_bytes(say(1) + say(1) + say(2, id="a") + say(2, id="a"))
    reading = once(chat)
    assert texts(reading.turns) == ["Sentence number 1.", "Sentence number 2."]
    assert reading.skipped == {"duplicate": 2}


def test_the_reader_leaves_the_file_alone(chat: Path) -> None:
    chat.write_bytes(say(1))
    chat.chmod(0o400)
    before = chat.stat()
    once(chat)
    assert chat.read_bytes() == say(1)
    assert chat.stat().st_mtime_ns == before.st_mtime_ns
    assert os.listdir(chat.parent) == [chat.name]


# Odd bytes


def test_only_a_newline_ends_a_line(chat: Path) -> None:
    odd = "one\u2028two\u0085three\x0bfour"
    chat.write_bytes(b"\xef\xbb\xbf" + say(1, odd) + say(2).replace(b"\n", b"\r\n") + b"\r\n\n")
    reading = once(chat)
    assert texts(reading.turns) == [odd, "Sentence number 2."]
    assert [turn.line for turn in reading.turns] == [1, 2]
    assert reading.skipped == {}


def test_lines_that_are_no_messages_are_counted_and_passed(chat: Path) -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    chat.write_bytes(
        say(1)
        + b'{"role":"user","content":"broken \xff byte"}\n'
        + b'[]\n42\nnull\n"x"\n{}\n{"role":"user"}\n{"content":{"a":1}}\n'
        + b'{"role":"user","content":{"a":1}}\n{"role":["user"],"content":"x"}\n'
        + b'{"role":"user","content":[["nested"],7,null,{"type":"text","text":3}]}\n'
        + b'{"role": "user", "content": "cut off\n'
        + b'{"a":' + deep + b"}\n" + b'{"n":' + b"9" * 5000 + b"}\n" + b"\0\0\0\n"
        + say(2)
    )  # fmt: skip
    reading = once(chat)
    assert texts(reading.turns) == [
        "Sentence number 1.",
        "broken \ufffd byte",
        "Sentence number 2.",
    ]
    assert reading.skipped == {
        "not_an_object": 4,
        "unknown_type": 3,
        "no_text": 3,
        "malformed": 4,
    }
    assert reading.cursor.offset == chat.stat().st_size


KEYS = [
    *("type", "role", "content", "message", "id", "uuid", "parentId", "parentUuid", "sessionId"),
    *("timestamp", "text", "name", "model", "customType", "isMeta"),
]


@settings(max_examples=100, deadline=None)
@given(
    record=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(KEYS) | st.text(max_size=3),
                inner | st.sampled_from(["user", "assistant", "message", "session", "text"]),
                max_size=6,
            )
        ),
        max_leaves=12,
    ),
    form=st.sampled_from(["auto", "openclaw", "claude-code", "generic"]),
)
def test_any_json_is_read_without_an_error(
    record: object, form: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("any") / "x.jsonl"
    path.write_text(json.dumps(record) + "\n")
    reading = once(path, format=form)
    assert reading.cursor.offset == path.stat().st_size
    for turn in reading.turns:
        turn.text.encode()
        assert turn.text.strip()
        assert not set(turn.id) & set(" #/()\n")


def test_text_fits_utf8_even_if_the_file_holds_half_a_pair(chat: Path) -> None:
    chat.write_bytes(b'{"role":"user","content":"half \\ud83d","name":"\\udc00 x"}\n')
    (turn,) = once(chat).turns
    assert (turn.text, turn.speaker) == ("half \ufffd", "\ufffd x")


def test_an_overlong_line_is_skipped_without_holding_it(chat: Path) -> None:
    with chat.open("wb") as file:
        file.write(say(1) + b'{"role":"user","content":"')
        for _ in range(6):
            file.write(b"x" * 1_000_000)
        file.write(b'"}\n' + say(2))
    follower = Follower(chat)
    tracemalloc.start()
    follower.poll()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert texts(follower.turns) == ["Sentence number 1.", "Sentence number 2."]
    assert [turn.line for turn in follower.turns] == [1, 3]
    assert follower.last is not None
    assert follower.last.skipped == {"too_long": 1}
    assert peak < 12_000_000
    with chat.open("ab") as file:
        file.write(say(3))
    assert texts(follower.poll()) == ["Sentence number 3."]
    assert not follower.last.rewritten


def test_a_large_file_is_read_in_bounded_memory(chat: Path) -> None:
    filler = json.dumps({"role": "tool", "content": "output " * 2000}).encode() + b"\n"
    with chat.open("wb") as file:
        for number in range(2200):
            file.write(filler[:-3] + b' %d"}\n' % number)
        file.write(say(1))
    assert chat.stat().st_size > 30_000_000
    cursor: Cursor | None = None
    turns = 0
    tracemalloc.start()
    while True:
        reading = read(chat, cursor, seen=lambda key: False)
        cursor, turns = reading.cursor, turns + len(reading.turns)
        if not reading.more:
            break
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert turns == 2201
    assert peak < 40_000_000


# What is old, and when


def test_turns_before_a_time_are_passed_over(chat: Path) -> None:
    chat.write_bytes(say(1) + say(2) + say(3))
    reading = once(chat, since=datetime.fromtimestamp(1_775_000_002, UTC))
    assert texts(reading.turns) == ["Sentence number 2.", "Sentence number 3."]
    assert reading.skipped == {"before_since": 1}


def test_a_turn_without_a_time_is_as_old_as_the_file(chat: Path) -> None:
    chat.write_bytes(b'{"role":"user","content":"undated"}\n')
    os.utime(chat, (1_000_000_000, 1_000_000_000))
    assert once(chat, since=datetime(2020, 1, 1, tzinfo=UTC)).skipped == {"before_since": 1}
    os.utime(chat, (time.time(), time.time()))
    assert len(once(chat, since=datetime(2020, 1, 1, tzinfo=UTC)).turns) == 1


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("2026-04-02T09:00:00+02:00", "2026-04-02T07:00:00+00:00"),
        ("2026-04-02T07:00:00.123456789Z", "2026-04-02T07:00:00.123456+00:00"),
        ("2026-04-02 07:00:00", "2026-04-02T07:00:00+00:00"),
        (1775113200, "2026-04-02T07:00:00+00:00"),
        (1775113200500, "2026-04-02T07:00:00.500000+00:00"),
        (1775113200500000, "2026-04-02T07:00:00.500000+00:00"),
        ("1775113200500", "2026-04-02T07:00:00.500000+00:00"),
        ("yesterday", None),
        ("0001-01-01T00:00:00+14:00", None),
        (0, None),
        (-5, None),
        (True, None),
        (1e300, None),
        (float("nan"), None),
        (None, None),
        ({"a": 1}, None),
    ],
)
def test_times(chat: Path, written: object, read_as: str | None) -> None:
    chat.write_bytes(say(1, timestamp=written))
    (turn,) = once(chat).turns
    assert (turn.time.isoformat() if turn.time else None) == read_as


# Files that cannot be understood, or read


DRIFTED = b'{"type":"session","version":9,"id":"s"}\n' + b'{"type":"said"}\n' * 3
NOT_UNDERSTOOD = {
    "no known type": b'{"type":"telemetry","v":1}\n{"type":"ping"}\n{"hp":1,"mp":2}\n',
    "one large record": b'{"type":"blob","data":"' + b"x" * 3000 + b'"}\n',
    "not JSON": b"10:01 started\n10:02 stopped\n10:03 gone\n",
    "a format that drifted": DRIFTED,
    "texts elsewhere": b'{"role":"user","content":[{"kind":"text","words":"x"}]}\n' * 3,
}


@pytest.mark.parametrize("content", NOT_UNDERSTOOD.values(), ids=NOT_UNDERSTOOD.keys())
def test_a_file_that_yields_nothing_raises_an_alarm(chat: Path, content: bytes) -> None:
    chat.write_bytes(content)
    reading = once(chat)
    assert reading.turns == ()
    assert reading.alarm is not None
    assert str(chat) in reading.alarm
    assert reading.cursor.offset == len(content)


def test_an_alarm_names_the_first_record_types_and_no_content(chat: Path) -> None:
    chat.write_bytes(
        b'{"type":"telemetry","secret":"s3"}\n{"hp":1,"m p":2}\n{"type":"\\nW @x: y"}\n'
    )
    alarm = once(chat).alarm
    assert alarm == (
        f"{chat}: not a transcript format that is known"
        " (it begins with telemetry, a record with hp, a record with type)"
    )


def test_an_unknown_format_stays_an_alarm_while_nothing_is_added(chat: Path) -> None:
    follower = Follower(chat)
    for _ in range(3):
        with chat.open("ab") as file:
            file.write(b'{"type":"telemetry"}\n')
        follower.poll()
    assert follower.poll() == []
    assert follower.last is not None
    assert follower.last.alarm is not None
    with chat.open("ab") as file:
        file.write(say(1))
    assert texts(follower.poll()) == ["Sentence number 1."]
    assert follower.last.alarm is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'{"type":"telemetry"}\n',
        b'{"type":"summary","summary":"s","leafUuid":"u"}\n' * 40,
        b'{"type":"session","version":3,"id":"s","cwd":"/"}\n{"type":"model_change","id":"a"'
        b',"parentId":null}\n{"type":"custom","id":"b","parentId":"a"}\n',
    ],
    ids=["empty", "trivial", "only summaries", "a session that has just begun"],
)
def test_a_file_without_messages_yet_is_no_alarm(chat: Path, content: bytes) -> None:
    chat.write_bytes(content)
    assert once(chat).alarm is None


def test_tool_calls_alone_at_the_end_are_no_alarm(chat: Path) -> None:
    follower = Follower(chat)
    chat.write_bytes((CORPUS / "claude_code" / "4f1c.jsonl").read_bytes())
    follower.poll()
    call = b'{"type":"assistant","uuid":"%d","message":{"role":"assistant","content":[]}}\n'
    with chat.open("ab") as file:
        file.write(b"".join(call % number for number in range(9)))
    assert follower.poll() == []
    assert follower.last is not None
    assert (follower.last.alarm, follower.last.skipped) == (None, {"no_text": 9})


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize("make", [make_fifo, Path.mkdir])
def test_only_regular_files_are_read(chat: Path, make: Callable[[Path], None]) -> None:
    make(chat)
    with pytest.raises(PathRefused, match="not a regular file"):
        once(chat)


def test_a_missing_file_is_not_found(chat: Path) -> None:
    with pytest.raises(NotFound, match="no such transcript"):
        once(chat)
    with pytest.raises(NotFound):
        once(chat / "below")
