"""What people and agents wrote into a workspace, and what of it an audit finds afterwards."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

from hippod import daylog, facts
from hippod.facts import Fact, Source

_SHARED = ("memory/", "daily/", "bank/", "archive/")
"""Where hippod writes beside people: more may stand there than they wrote, never less."""
_TEMPORARY = ".hippod-*.tmp"
NOTE = "Seen the {word} at the door"
_NOTED = re.compile(r"\[[0-9:]{8}\] " + NOTE.replace("{word}", r"(\w+)"))
_OURS = re.compile(r"(AGENTS|HEARTBEAT|MEMORY|README|SOUL|USER)\.md")
"""Documents that hippod lays into a workspace that it makes."""


@dataclass(slots=True)
class Ledger:
    """What must be there: files as they were saved last, what was said, what was acknowledged.

    `said` and `noted` are sentences by the one word that stands in nothing else. `offered` are
    words of notes that nobody acknowledged: they may be there, once.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    noted: dict[str, str] = field(default_factory=dict)
    offered: set[str] = field(default_factory=set)
    parts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Further words of what was said: a fact that has not all of them was cut off or mixed up."""
    days: dict[str, str] = field(default_factory=dict)
    """On which day it was said, `YYYY-MM-DD`: it stands in that day's log."""
    modes: dict[str, int] = field(default_factory=dict)
    """Of files, as they were saved."""
    strangers: set[str] = field(default_factory=set)
    """Beginnings of paths that a fault wrote by itself."""
    never: set[str] = field(default_factory=set)
    """What must stand in no document: secrets, and what models are told to write."""


@dataclass(frozen=True, slots=True)
class Loss:
    """What an audit of the files found."""

    lost_bytes: int
    duplicates: int
    findings: tuple[str, ...]
    """Each a sentence with a path or a word."""


def audit(root: Path, ledger: Ledger) -> Loss:
    """Compare the files below `root` with the ledger."""
    found = Found(root)
    lost = list(_lost_files(root, ledger)) + list(_lost_sentences(found, ledger))
    twice = list(_twice(found, ledger))
    odd = [f"{name}: was left behind" for name in found.temporary]
    odd += [f"{word}: must stand nowhere" for word in ledger.never if word in found.text]
    odd += [*_odd_lines(found, ledger), *_odd_files(found, ledger), *_odd_facts(found, ledger)]
    odd += _odd_modes(root, ledger)
    return Loss(
        sum(size for _, size in lost),
        len(twice),
        tuple([f"{what}: {size} bytes are lost" for what, size in lost] + twice + odd),
    )


class Found:
    """The Markdown of a workspace, with every fact line in its logs."""

    def __init__(self, root: Path) -> None:
        self.facts: list[Fact] = []
        self.days: list[tuple[Fact, str]] = []
        """Each fact with the day of the log that it stands in."""
        self.lines: dict[str, list[str]] = {}
        """Of logs, by path, without those of facts."""
        self.paths: set[str] = set()
        self.logs = self.text = ""
        self.temporary = sorted(each.name for each in root.rglob(_TEMPORARY))
        for path in root.rglob("*.md"):
            if not path.is_file() or {".memory", "sessions"} & set(path.relative_to(root).parts):
                continue
            content = path.read_bytes().decode(errors="replace")
            self.text += content
            name = path.relative_to(root).as_posix()
            self.paths.add(name)
            if day := daylog.day_of(name):
                self.logs += content
                found = daylog.parse(content).facts
                self.facts += [each.fact for each in found]
                self.days += [(each.fact, day.isoformat()) for each in found]
                taken = {n for each in found for n in range(each.line_start, each.line_end + 1)}
                lines = enumerate(content.splitlines(), 1)
                self.lines[name] = [line for number, line in lines if number not in taken]


def missing_bytes(expected: bytes, found: bytes) -> int:
    """Return how many bytes of `expected`, by lines, do not stand in `found` in that order."""
    if expected in found:
        return 0
    lines = expected.splitlines(keepends=True)
    matcher = SequenceMatcher(None, lines, found.splitlines(keepends=True), autojunk=False)
    kept = (match for match in matcher.get_matching_blocks() if match.size)
    return len(expected) - sum(
        len(line) for match in kept for line in lines[match.a : match.a + match.size]
    )


def _lost_files(root: Path, ledger: Ledger) -> Iterator[tuple[str, int]]:
    for path, expected in ledger.files.items():
        try:
            found = (root / path).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            yield ascii(path), max(1, len(expected))
            continue
        lost = missing_bytes(expected, found)
        if lost or (found != expected and not path.startswith(_SHARED)):
            yield ascii(path), max(1, lost)


def _lost_sentences(found: Found, ledger: Ledger) -> Iterator[tuple[str, int]]:
    for word, sentence in ledger.said.items():
        parts = (word, *ledger.parts.get(word, ()))
        if not any(all(part in fact.content for part in parts) for fact in found.facts):
            yield f"fact {word}", len(sentence.encode())
    for word, sentence in ledger.noted.items():
        if word not in found.logs:
            yield f"note {word}", len(sentence.encode())


def _twice(found: Found, ledger: Ledger) -> Iterator[str]:
    """Say which facts stand twice: by id, by text, by turn; and which notes do."""
    keys = {
        "id": [fact.id for fact in found.facts if fact.id],
        "text": [facts.normalise(fact.content) for fact in found.facts],
        "turn": [_turn(fact.source) for fact in found.facts if fact.source],
    }
    for kind, values in keys.items():
        for value, count in Counter(values).items():
            if count > 1:
                yield f"{kind} {value!r}: {count} lines"
    for word in ledger.said:
        if (count := sum(word in fact.content for fact in found.facts)) > 1:
            yield f"what was said of {word}: {count} facts"
    for path, lines in found.lines.items():
        theirs = Counter(ledger.files.get(path, b"").decode(errors="replace").splitlines())
        for line, count in Counter(filter(theirs.__contains__, lines)).items():
            if line.strip() and count > theirs[line]:
                yield f"{path}: a line stands {count} times: {line[:60]!r}"
    for word in {*ledger.noted, *ledger.offered}:
        # A fact may quote a note: only the entries are counted.
        count = sum(word in line for line in found.logs.splitlines() if line.startswith("["))
        if count > 1:
            yield f"note {word}: {count} lines"


def _odd_lines(found: Found, ledger: Ledger) -> Iterator[str]:
    """Say which lines of logs are no fact, no heading, no whole note, and nobody's."""
    for path, lines in found.lines.items():
        theirs = set(ledger.files.get(path, b"").decode(errors="replace").splitlines())
        for line in lines:
            note = _NOTED.fullmatch(line)
            known = note is not None and note[1] in {*ledger.noted, *ledger.offered}
            if line.strip() and line[0] != "#" and line not in theirs and not known:
                yield f"{path}: nobody wrote {line[:60]!r}"


def _odd_files(found: Found, ledger: Ledger) -> Iterator[str]:
    """Say which documents nobody wrote, and hippod not in one of its places."""
    ours = (*_SHARED, *ledger.strangers)
    for path in sorted(found.paths - ledger.files.keys()):
        if not path.startswith(ours) and not _OURS.fullmatch(path):
            yield f"{path!a}: nobody wrote this file"


def _odd_facts(found: Found, ledger: Ledger) -> Iterator[str]:
    """Say which facts of what was said stand in the log of another day, or have no id."""
    for fact, day in found.days:
        for word in filter(fact.content.__contains__, ledger.said):
            if not fact.id:
                yield f"fact {word}: has no id"
            if ledger.days.get(word, day) != day:
                yield f"fact {word}: of {ledger.days[word]}, stands in {day}"


def _odd_modes(root: Path, ledger: Ledger) -> Iterator[str]:
    for path, mode in ledger.modes.items():
        if (root / path).is_file() and (now := (root / path).stat().st_mode) != mode:
            yield f"{path!a}: its mode was {mode:o}, and is {now:o}"


def _turn(source: Source) -> str:
    return f"{source.name}/{source.session}#{source.turn}"
