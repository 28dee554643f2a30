"""LoCoMo conversations as daily logs, one for each session, and what their questions rest on.

A file holds a list of conversations, or one: `conversation.session_N` are turns (`speaker`,
`dia_id`, `text`), `session_N_date_time` when they were said, `qa` the questions with the
`dia_id`s of their `evidence` and their `category`.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hippod.documents import FileStat, Scan
from hippod.workspace import Loaded

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single", 5: "adversarial"}
_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D\d+:\d+")

Place = tuple[str, int]
"""Where a turn stands: path and line."""


class Faulty(Exception):
    """The data cannot be used; the message is one line that says what and where."""


@dataclass(frozen=True)
class Question:
    """What is asked, and the places of the turns that answer it (at least one)."""

    text: str
    category: str
    evidence: tuple[Place, ...]


@dataclass(frozen=True)
class Conversation:
    """The daily logs of a conversation, path to text, and the questions about it."""

    name: str
    texts: Mapping[str, str]
    turns: Mapping[str, tuple[int, ...]]
    """The lines that are turns, of each path."""
    questions: tuple[Question, ...]


class Documents:
    """Texts in memory, as the index reads a workspace."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts

    def scan(self) -> Scan:
        return Scan({path: self.load(path).stat for path in self.texts}, {}, (), (), 0, 0)

    def load(self, path: str) -> Loaded:
        data = self.texts[path].encode()
        digest = hashlib.sha256(data).hexdigest()
        return Loaded(path, self.texts[path], digest, FileStat(path, len(data), 0, 0))


def conversations(folder: Path) -> list[Conversation]:
    """Read all `*.json` of a folder; raises `Faulty`."""
    files = sorted(folder.glob("*.json"))
    if not files:
        what = "holds no *.json" if folder.is_dir() else "is not a folder"
        raise Faulty(f"{folder}: {what}")
    return [each for file in files for each in _conversations_in(file)]


def _conversations_in(file: Path) -> Iterator[Conversation]:
    try:
        loaded = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise Faulty(f"{file}: {error.strerror}") from None
    except ValueError as error:
        raise Faulty(f"{file}: not JSON ({error})") from None
    for number, sample in enumerate(loaded if isinstance(loaded, list) else [loaded], 1):
        try:
            yield _conversation(sample, f"{file.stem}-{number}")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            what = f"no field {error}" if isinstance(error, KeyError) else str(error)
            raise Faulty(f"{file}: conversation {number} is not as LoCoMo has it: {what}") from None


def _conversation(sample: dict[str, Any], name: str) -> Conversation:
    said = sample["conversation"]
    numbers = sorted(int(match[1]) for key in said if (match := _SESSION.fullmatch(key)))
    texts: dict[str, str] = {}
    turns: dict[str, tuple[int, ...]] = {}
    places: dict[str, Place] = {}
    for number in numbers:
        when = _time_of(said[f"session_{number}_date_time"])
        path = _path(when, texts)
        lines = [f"# Daily Log - {when:%Y-%m-%d}", "", f"## {when:%H:%M}", ""]
        for turn in said[f"session_{number}"]:
            lines.append(f"**{turn['speaker']}**: {' '.join(turn['text'].split())}")
            places[turn["dia_id"]] = (path, len(lines))
        texts[path] = "\n".join([*lines, ""])
        turns[path] = tuple(range(5, len(lines) + 1))
    questions = tuple(_questions(sample["qa"], places))
    return Conversation(str(sample.get("sample_id", name)), texts, turns, questions)


def _time_of(text: str) -> datetime:
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def _path(when: datetime, taken: Mapping[str, str]) -> str:
    """Two sessions of one day are two files: what is found must tell which one."""
    path, number = f"memory/{when:%Y-%m-%d}.md", 1
    while path in taken:
        number += 1
        path = f"memory/{when:%Y-%m-%d}-{number}.md"
    return path


def _questions(asked: Sequence[dict[str, Any]], places: Mapping[str, Place]) -> Iterator[Question]:
    """Yield the questions whose evidence is there; some in the data set have none."""
    for each in asked:
        named = _TURN.findall(" ".join(map(str, each.get("evidence") or ())))
        evidence = tuple(dict.fromkeys(places[turn] for turn in named if turn in places))
        if evidence:
            category = CATEGORIES.get(each.get("category", 0), "other")
            yield Question(str(each["question"]), category, evidence)
