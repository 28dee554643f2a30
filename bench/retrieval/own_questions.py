"""Sixty questions of our own to a small workspace of our own, asked through the real recall.

`questions/notes` is the workspace, `questions/questions.toml` what is asked and the lines that
answer. A question is answered at place n if the n-th hit covers one of these lines.
"""

import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from bench.retrieval.locomo import Documents, Place
from hippod import config, wire
from hippod.index import Index
from hippod.models import Embedder
from hippod.recall import recall

FOLDER = Path(__file__).parent / "questions"
ZONE = ZoneInfo("Europe/Vienna")
NOW = datetime(2026, 3, 10, 12, 0, tzinfo=ZONE)
DEPTH = 10


@dataclass(frozen=True)
class Question:
    """What is asked; `apart` claims that it shares no content word with `lines`."""

    text: str
    kind: str
    language: str
    as_of: str | None
    apart: bool
    places: frozenset[Place]
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Asked:
    """A question and the place of the first hit that answers it, from 0; None beyond ten."""

    question: Question
    place: int | None


def notes() -> dict[str, str]:
    """Return the workspace, path to text."""
    folder = FOLDER / "notes"
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in sorted(folder.rglob("*.md"))
    }


def load(texts: Mapping[str, str]) -> list[Question]:
    """Return the questions; each answer must stand in exactly one line of the notes."""
    with (FOLDER / "questions.toml").open("rb") as file:
        return [_question(each, texts) for each in tomllib.load(file)["question"]]


def ask(embedder: Embedder | None) -> list[Asked]:
    """Ask all questions."""
    texts = notes()
    with indexed(texts, embedder) as index:
        return [Asked(each, _first_answer(index, each)) for each in load(texts)]


def recall_at(asked: Sequence[Asked], depth: int) -> float:
    """Return the share of questions that are answered within the first `depth` hits."""
    return sum(each.place is not None and each.place < depth for each in asked) / len(asked)


@contextmanager
def indexed(texts: Mapping[str, str], embedder: Embedder | None) -> Iterator[Index]:
    """Index texts in a temporary folder."""
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(
            Index(Path(folder), Documents(texts), embedder, chunking=config.Chunking(), zone=ZONE)
        ) as index,
    ):
        index.reconcile()
        yield index


def _question(given: Mapping[str, object], texts: Mapping[str, str]) -> Question:
    answers = given["answer"]
    assert isinstance(answers, list)
    places = [_place(answer, texts) for answer in answers]
    return Question(
        text=str(given["ask"]),
        kind=str(given["kind"]),
        language=str(given.get("language", "en")),
        as_of=str(given["as_of"]) if "as_of" in given else None,
        apart=bool(given.get("apart", False)),
        places=frozenset(places),
        lines=tuple(texts[path].splitlines()[line - 1] for path, line in places),
    )


def _place(answer: str, texts: Mapping[str, str]) -> Place:
    found = [
        (path, number)
        for path, text in texts.items()
        for number, line in enumerate(text.splitlines(), 1)
        if answer in line
    ]
    if len(found) != 1:
        raise ValueError(f"{answer!r} stands in {len(found)} lines")
    return found[0]


def _first_answer(index: Index, question: Question) -> int | None:
    request = wire.RecallRequest(query=question.text, limit=DEPTH, as_of=question.as_of)
    answer = recall(request, index, config.Recall(), now=NOW, zone=ZONE, group_paths=())
    for place, hit in enumerate(answer.hits):
        covered = {(hit.path, line) for line in range(hit.line_start, hit.line_end + 1)}
        if covered & question.places:
            return place
    return None
