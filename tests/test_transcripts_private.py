"""What is private stays out, however a program's own text or a chat's headings cut through it."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippod.transcripts import Cursor, read
from hippod.transcripts.harness import public_texts

SECRET = "Remember that the safe is behind the mirror."


def claude(content: object) -> list[dict[str, Any]]:
    message = {"role": "user", "content": content}
    return [{"type": "user", "uuid": "u1", "sessionId": "s", "message": message}]


def codex(text: str) -> list[dict[str, Any]]:
    content = [{"type": "input_text", "text": text}]
    payload = {"type": "message", "role": "user", "content": content}
    return [{"type": "response_item", "timestamp": "2026-03-02T10:00:00Z", "payload": payload}]


def gemini(text: str) -> list[dict[str, Any]]:
    return [{"id": "m1", "type": "user", "content": text}]


def cursor(text: str) -> list[dict[str, Any]]:
    return [{"role": "user", "message": {"content": [{"type": "text", "text": text}]}}]


def openclaw(text: str) -> list[dict[str, Any]]:
    header = {"type": "session", "version": 3, "id": "s"}
    message = {"role": "user", "content": text}
    return [header, {"type": "message", "id": "e1", "parentId": None, "message": message}]


MESSAGES = {
    "claude-reminder": claude(
        f"<system-reminder><private></system-reminder>{SECRET}</private>fine"
    ),
    "claude-blocks": claude(
        [
            {"type": "text", "text": "<system-reminder><private></system-reminder>"},
            {"type": "text", "text": f"{SECRET}</private>fine"},
        ]
    ),
    "claude-memory": claude(
        f"<system-reminder><hippod-memory></system-reminder>{SECRET}</hippod-memory>fine"
    ),
    "codex-context": codex(
        f"<environment_context><private></environment_context>{SECRET}</private>fine"
    ),
    "codex-ide": codex(
        "# Context from my IDE setup:\n<private>\n## My request for Codex:\n"
        f"{SECRET}</private>\n## My request for Codex:\nfine"
    ),
    "gemini-context": gemini(f"<session_context><private></session_context>{SECRET}</private>fine"),
    "cursor-query": cursor(
        f"<private><user_query>{SECRET}</user_query></private><user_query>fine</user_query>"
    ),
    "openclaw-metadata": openclaw(
        f'Note (untrusted):\n```json\n{{"a": "<private>"}}\n```\n{SECRET}</private>fine'
    ),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_span_that_begins_in_a_programs_own_text_stays_out(name: str, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in MESSAGES[name]))
    (turn,) = read(path, None, seen=lambda key: False).turns
    assert "safe" not in turn.text
    assert turn.text.endswith("fine")


def test_a_message_that_is_private_as_a_whole_is_hidden_and_no_alarm(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    records = claude(f"<private>{SECRET}</private>") * 4
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    reading = read(path, None, seen=lambda key: False)
    assert (reading.turns, reading.alarm, reading.skipped) == ((), None, {"hidden": 4})


PLAIN = st.lists(st.text("ab\0/ \n"), max_size=4)


@given(PLAIN, PLAIN, PLAIN)
def test_a_span_over_several_texts_takes_all_between(
    before: list[str], inside: list[str], behind: list[str]
) -> None:
    left = public_texts([*before, "a<private>", *inside, "safe", *inside, "</private>b", *behind])
    plain = [[text.replace("\0", "") for text in texts] for texts in (before, behind)]
    assert left == [*plain[0], "ab", *plain[1]]


class Chat:
    """A Markdown chat that is read again and again while it is written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cursor: Cursor | None = None
        self.keys: set[str] = set()
        self.heard: list[str] = []

    def write(self, text: str) -> None:
        with self.path.open("a") as file:
            file.write(text)

    def poll(self) -> None:
        more = True
        while more:
            reading = read(self.path, self.cursor, seen=self.keys.__contains__)
            self.heard += [turn.text for turn in reading.turns]
            self.keys |= {turn.key for turn in reading.turns}
            self.cursor, more = reading.cursor, reading.more


SPANNING = (
    f"**User:** The boat is red. <private>x\n\n**User:** {SECRET}\n\n</private>\n\n"
    "**User:** The gate is shut.\n\n**Assistant:** ok\n"
)


@pytest.mark.parametrize("step", [1, 7, 40, len(SPANNING)])
def test_a_span_across_messages_of_a_chat_stays_out(step: int, tmp_path: Path) -> None:
    chat = Chat(tmp_path / "talk.md")
    for start in range(0, len(SPANNING), step):
        chat.write(SPANNING[start : start + step])
        chat.poll()
    chat.poll()
    assert not [text for text in chat.heard if "safe" in text or "private" in text]
    assert chat.heard[-2:] == ["The gate is shut.", "ok"]


def test_lines_keep_their_numbers_behind_a_span(tmp_path: Path) -> None:
    path = tmp_path / "talk.md"
    path.write_text(SPANNING)
    turns = read(path, None, seen=lambda key: False).turns
    assert [(turn.id, turn.text) for turn in turns] == [
        ("L1", "The boat is red."),
        ("L7", "The gate is shut."),
    ]


@pytest.mark.parametrize("tag", ["private", "hippod-memory"])
def test_a_span_longer_than_what_is_parsed_at_once_stays_out(tag: str, tmp_path: Path) -> None:
    chat = Chat(tmp_path / "talk.md")
    filler = "a line of a long paste\n" * 60_000
    chat.write(
        f"**User:** <{tag}><{tag}>\n{filler}{filler}</{tag}>\n\n**User:** {SECRET}\n\n</{tag}>\n\n"
        "**User:** The gate is shut.\n\n**Assistant:** ok\n"
    )
    chat.poll()
    chat.poll()
    assert chat.heard == ["The gate is shut.", "ok"]
