"""Chats in Markdown: what is a message, and when it is complete."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.transcripts import Cursor, Reading, Turn, read

CORPUS = Path(__file__).parent / "transcripts" / "markdown"
LATER = 1_790_000_000.0
"""In 2026, behind every day that is written here."""


class Follower:
    """Reads a chat again and again, as the daemon does."""

    def __init__(self, path: Path, **options: Any) -> None:
        self.path = path
        self.options = options
        self.cursor: Cursor | None = None
        self.keys: set[str] = set()
        self.last: Reading | None = None

    def poll(self) -> list[Turn]:
        new: list[Turn] = []
        more = True
        while more:
            reading = read(self.path, self.cursor, seen=self.keys.__contains__, **self.options)
            self.keys.update(turn.key for turn in reading.turns)
            self.cursor, self.last, more = reading.cursor, reading, reading.more
            new += reading.turns
        return new

    def settle(self) -> list[Turn]:
        return self.poll() + self.poll()


def rows(turns: Iterable[Turn]) -> list[tuple[str, str, str]]:
    return [(turn.id, turn.role, turn.text) for turn in turns]


def texts(turns: Iterable[Turn]) -> list[str]:
    return [turn.text for turn in turns]


def chat(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "talk.md"
    path.write_text(text, encoding="utf-8")
    return path


def held(tmp_path: Path, text: str, **options: Any) -> list[Turn]:
    return Follower(chat(tmp_path, text), **options).settle()


EXPECTED = {
    "headings.md": [
        ("L7", "user", "The lamp oil is in the cellar."),
        (
            "L13",
            "assistant",
            "Noted:\n\n```\n## User\nnot a message\n```\n\n### Notes\n\nUser: this neither.",
        ),
        ("L28", "user", "It lasts until March."),
    ],
    "bold.md": [
        ("L6", "user", "My sister is a glazier.\nShe lives in Turku."),
        ("L9", "assistant", "A glazier in Turku.\n\n- **Note:** this is a list"),
        ("L13", "user", "Quoted, and mine."),
        ("L17", "assistant", "Understood."),
    ],
    "lines.md": [
        ("L3", "user", "The bakery opens at six."),
        ("L4", "assistant", "At six.\nPrompt: this is still the assistant."),
        ("L6", "user", "On Sundays it is closed."),
    ],
    "quoted.md": [
        ("L3", "user", "The well is nine metres deep."),
        ("L5", "assistant", "Nine metres.\n\n- deep enough"),
        ("L10", "user", "It dries up in August."),
    ],
    "chatgpt.md": [
        ("L1", "user", "The gate key hangs by the door."),
        ("L4", "assistant", "By the door."),
        ("L6", "user", "The spare one is with Liv."),
    ],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_what_a_chat_holds(name: str) -> None:
    follower = Follower(CORPUS / name)
    assert rows(follower.settle()) == EXPECTED[name]
    assert follower.last is not None
    assert follower.last.alarm is None
    cursor = follower.last.cursor
    assert (cursor.format, cursor.session, cursor.kind) == ("markdown", name[:-3], "main")
    assert cursor.offset == (CORPUS / name).stat().st_size


@pytest.mark.parametrize(
    ("header", "role", "speaker"),
    [
        ("## User", "user", None),
        ("###### user:", "user", None),
        ("# 🧑‍💻 You", "user", None),
        ("## **Human**", "user", None),
        ("### Claude 3.5 Sonnet", "assistant", None),
        ("## Claude Code", "assistant", None),
        ("## ChatGPT (GPT-4o)", "assistant", None),
        ("## GPT-4o said:", "assistant", None),
        ("## User Question", "user", None),
        ("**User:**", "user", None),
        ("**You**", "user", None),
        ("__Assistant__:", "assistant", None),
        ("**User (Ada)**:", "user", "Ada"),
        ("**Ada (user):**", "user", "Ada"),
        ("- **Assistant**:", "assistant", None),
        ("user:", "user", None),
        ("Human:", "user", None),
        ("用户：", "user", None),
        ("Benutzer:", "user", None),
        ("[2026-02-03 14:05] User:", "user", None),
        ("2026-02-03T14:05:00Z - User:", "user", None),
        ("**[2026-02-03 14:05] User:**", "user", None),
        ("## [2026-02-03 14:05] Assistant", "assistant", None),
        ("## User — 2026-02-03 14:05", "user", None),
    ],
)
def test_headers(header: str, role: str, speaker: str | None, tmp_path: Path) -> None:
    (turn,) = held(tmp_path, f"{header}\n\nThe pump is blue.\n")
    assert (turn.role, turn.speaker, turn.text) == (role, speaker, "The pump is blue.")
    time = turn.time.isoformat() if turn.time else None
    assert time == ("2026-02-03T14:05:00+00:00" if "2026" in header else None)


@pytest.mark.parametrize(
    "line",
    [
        "**Note:** x",
        "**User** is a word in bold",
        "## User guide",
        "## Users",
        "User interface: x",
        "Question: is this one?",
        "    User: in code",
        "https://user:8080",
        "user:x",
        "| User: | x |",
    ],
)
def test_what_is_no_header(line: str, tmp_path: Path) -> None:
    assert held(tmp_path, f"{line}\n\ntext\n") == []


def test_times_are_the_users(tmp_path: Path) -> None:
    zone = ZoneInfo("Europe/Helsinki")
    (turn,) = held(tmp_path, "[2026-07-03 14:05] User: Hi there.\n", zone=zone)
    assert turn.time is not None
    assert turn.time.isoformat() == "2026-07-03T11:05:00+00:00"


def test_a_message_is_complete_when_the_next_begins_or_nothing_was_added(tmp_path: Path) -> None:
    path = chat(tmp_path, "**User:** The barn has")
    follower = Follower(path)
    assert follower.poll() == []
    with path.open("a") as file:
        file.write(" two doors.\n\nAnd a loft.\n")
    assert follower.poll() == []
    with path.open("a") as file:
        file.write("\n**Assistant:** Two doors.\n")
    assert texts(follower.poll()) == ["The barn has two doors.\n\nAnd a loft."]
    assert texts(follower.poll()) == ["Two doors."]
    assert follower.poll() == []


def test_a_last_line_without_an_end_counts_once_the_file_rests(tmp_path: Path) -> None:
    follower = Follower(chat(tmp_path, "User: The barn has two doors."))
    assert follower.poll() == []
    assert texts(follower.poll()) == ["The barn has two doors."]
    assert follower.poll() == []
    assert follower.cursor is not None
    assert follower.cursor.offset == follower.path.stat().st_size


def test_a_message_that_goes_on_after_all_is_returned_as_a_whole(tmp_path: Path) -> None:
    path = chat(tmp_path, "User: Hello.\nAssistant: One,\n")
    follower = Follower(path)
    follower.settle()
    with path.open("a") as file:
        file.write("two.\nUser: Three.\n")
    turns = follower.settle()
    assert rows(turns) == [("L2", "assistant", "One,\ntwo."), ("L4", "user", "Three.")]


def test_a_fence_that_stays_open_ends_at_the_next_message(tmp_path: Path) -> None:
    turns = held(tmp_path, "## User\n\nSee:\n\n```\ncode\n\n## Assistant\n\nSeen.\n")
    assert texts(turns) == ["See:\n\n```\ncode", "Seen."]


def test_a_fence_that_is_being_written_hides_what_is_in_it(tmp_path: Path) -> None:
    path = chat(tmp_path, "## User\n\nHi.\n\n## Assistant\n\n```\n\n## User\nquoted\n")
    follower = Follower(path)
    assert texts(follower.poll()) == ["Hi."]
    with path.open("a") as file:
        file.write("```\n\n## User\n\nThanks.\n")
    assert texts(follower.settle()) == ["```\n\n## User\nquoted\n```", "Thanks."]


def test_an_edit_further_up_returns_what_is_new(tmp_path: Path) -> None:
    path = chat(tmp_path, "User: One.\nAssistant: Two.\n")
    follower = Follower(path)
    follower.settle()
    path.write_text("User: Zero.\nAssistant: Two.\nUser: Three.\n")
    assert texts(follower.settle()) == ["Zero.", "Three."]


def test_line_ends_and_odd_characters(tmp_path: Path) -> None:
    path = tmp_path / "talk.md"
    path.write_bytes(
        b"\xef\xbb\xbf## User\r\n\r\none\xe2\x80\xa8two\xff\x0c\r\n## Assistant\r\nthree\r\n"
    )
    turns = Follower(path).settle()
    assert rows(turns) == [("L1", "user", "one\u2028two\ufffd\x0c"), ("L4", "assistant", "three")]


def test_limits_of_a_reading_change_nothing(tmp_path: Path) -> None:
    path = chat(tmp_path, "".join(f"User: n{n}\nAssistant: m{n}\n" for n in range(50)))
    follower = Follower(path, max_turns=7)
    expected = [text for n in range(50) for text in (f"n{n}", f"m{n}")]
    assert texts(follower.poll()) == expected[:-1]
    assert texts(follower.poll()) == expected[-1:]


def test_a_long_chat_is_read_window_by_window(tmp_path: Path) -> None:
    said = [f"{'User' if n % 2 else 'Claude'}: n{n} {'word ' * 400}" for n in range(400)]
    path = chat(tmp_path, "\n".join(said) + "\n")
    turns = Follower(path).settle()
    assert [turn.line for turn in turns] == list(range(1, 401))
    assert [turn.text.split()[0] for turn in turns] == [f"n{n}" for n in range(400)]


def test_a_message_that_is_far_too_long_is_passed_over(tmp_path: Path) -> None:
    long = ("word " * 20 + "\n") * 25_000
    path = chat(tmp_path, f"User: One.\nAssistant: {long}User: Three.\nAssistant: Four.\n")
    follower = Follower(path)
    heard, skipped, more = [], 0, True
    for _ in range(2):
        more = True
        while more:
            reading = read(path, follower.cursor, seen=follower.keys.__contains__)
            follower.keys.update(turn.key for turn in reading.turns)
            skipped += reading.skipped.get("too_long", 0)
            follower.cursor, more = reading.cursor, reading.more
            heard += texts(reading.turns)
    assert heard == ["One.", "Three.", "Four."]
    assert skipped == 1


def test_notes_that_are_no_chat_are_an_alarm(tmp_path: Path) -> None:
    path = chat(tmp_path, "# Plans\n\n" + "- plant leeks\n" * 50)
    reading = read(path, None, seen=lambda key: False)
    assert reading.turns == ()
    assert reading.alarm == f"{path}: read as a Markdown chat, but no message was found"
    assert reading.cursor.offset == path.stat().st_size
    with path.open("a") as file:
        file.write("\n## User\n\nLeeks it is.\n")
    follower = Follower(path)
    follower.cursor = reading.cursor
    assert texts(follower.settle()) == ["Leeks it is."]


def test_a_format_can_be_set(tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_text("User: The barn is red.\n")
    follower = Follower(path, format="markdown")
    assert texts(follower.settle()) == ["The barn is red."]


PARTS = ["User: a\n", "**Assistant:** b\n", "## You\n", "> User: c\n", "```\n", "---\n", "x\n"]


@settings(max_examples=60, deadline=None)
@given(
    pieces=st.lists(st.sampled_from(PARTS) | st.text(max_size=12), max_size=14),
    cut=st.integers(0, 200),
    max_turns=st.integers(1, 3),
)
def test_any_text_is_read_to_its_end(
    pieces: list[str], cut: int, max_turns: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = "".join(pieces).encode("utf-8", "surrogatepass")
    path = tmp_path_factory.mktemp("any") / "talk.md"
    path.write_bytes(data[:cut])
    os.utime(path, (1, 1))
    follower = Follower(path, max_turns=max_turns)
    turns = follower.poll()
    path.write_bytes(data)
    os.utime(path, (2, 2))
    turns += follower.settle()
    assert follower.cursor is not None
    assert follower.cursor.offset == len(data)
    assert follower.poll() == []
    for turn in turns:
        assert turn.text.strip()
        assert turn.id == f"L{turn.line}"


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "line",
    [
        "**" * 50_000,
        "# " + "*" * 100_000,
        "> " * 50_000,
        "- " * 50_000,
        "User (" * 20_000,
        "[2026-02-03 14:05] " * 5_000,
        "User\n" * 20_000,
        "## User\n```\n\n" * 3_000,
    ],
    ids=["stars", "hashes", "quotes", "bullets", "brackets", "times", "names", "fences"],
)
def test_hostile_text_takes_no_time(line: str, tmp_path: Path) -> None:
    held(tmp_path, f"{line}\n")


@pytest.mark.parametrize(
    ("name", "text", "day"),
    [
        ("2026-02-03-valencia.md", "**User:** hi\n", "2026-02-03"),
        ("talk.md", "# Trip (2026-02-03)\n\n**User:** hi 2025-01-01\n", "2026-02-03"),
        ("talk.md", "## User 2026-02-03\n\nhi\n", "2026-02-03"),
        ("2026-02-03.md", "# From 2025-01-01\n\n**User:** hi\n", "2026-02-03"),
        ("talk.md", "---\ndate: 2026-02-03\n---\n\n**User:** hi\n", "2026-02-03"),
        ("talk.md", "The 2026-02-03 trip\n\n**User:** hi\n", None),
        ("2026-13-45.md", "**User:** hi\n", None),
        ("2099-01-01-plans.md", "**User:** hi\n", None),
        ("1202026-02-031.md", "**User:** hi\n", None),
    ],
)
def test_messages_without_a_time_are_of_the_day_of_name_or_heading(
    name: str, text: str, day: str | None, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text)
    os.utime(path, (LATER, LATER))
    zone = ZoneInfo("Asia/Tokyo")
    follower = Follower(path, zone=zone)
    turns = follower.settle()
    path.write_text(text + "\n**User:** more\n\n## User\n\nmore\n")
    os.utime(path, (LATER, LATER))
    turns += follower.settle()
    assert len(turns) >= 2
    for turn in turns:
        assert turn.day_only == (day is not None)
        said = turn.time.astimezone(zone).date().isoformat() if turn.time else None
        assert said == day


def test_a_time_of_its_own_counts_more_than_the_files_day(tmp_path: Path) -> None:
    path = tmp_path / "2026-02-03.md"
    path.write_text("[2026-02-04 10:00] **User:** hi\n")
    (turn,) = Follower(path).settle()
    assert turn.time is not None
    assert (turn.time.isoformat(), turn.day_only) == ("2026-02-04T10:00:00+00:00", False)


def test_a_last_message_that_waits_is_said_to_be_unfinished(tmp_path: Path) -> None:
    follower = Follower(chat(tmp_path, "**User:** one\n\n**User:** two"))
    waiting = []
    for _ in range(2):
        follower.poll()
        waiting.append(follower.last.unfinished if follower.last else None)
    assert waiting == [True, False]
