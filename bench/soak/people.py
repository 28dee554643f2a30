"""Those who write files themselves: editors, other programs, git, and agents with transcripts."""

import json
import os
import random
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.soak.ledger import Ledger
from bench.soak.stage import Part, Stage

DESKS = ("notes/desk.md", "notes/crlf.md", "memory/2026-02-20.md")
"""Documents that one person saves as a whole; others only add to them."""
SHARED = ("notes/shared.md", "memory/2026-02-03.md")
"""Documents that nobody saves as a whole."""
TRACKED = "pages/page-{:03}.md"
BRANCHES = ("main", "side")
FIRST_TURN = datetime(2026, 2, 1, 8, 0, tzinfo=UTC)
_MINUTES_BETWEEN_TURNS = 47
_LAST_DAY = 28
"""Of turns, in days behind the first."""
_IDENTITY = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "gc.auto=0")
_ASKED_FOR = (
    "Remember that the {0} is kept behind the stove.",
    "Please remember that the {0} is in the attic.",
    "Remember: the {0} is with Nadia until May.",
)
"""What is taken from every conversation; of the rest only so much as a batch has room for."""
_SAID_BESIDE = (
    "We decided to move the {0} to the cellar.",
    "From now on I want the {0} checked before anyone leaves.",
    "I bought a {0} for my sister last winter.",
    "I prefer {0} over everything else for breakfast.",
    "The {0} took longer than it should.",
)


def prepare(root: Path, pages: int) -> None:
    """Make the workspace as it stands before the daemon comes: a repository with two branches."""
    for path in (*DESKS, *SHARED):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        end = "\r\n" if "crlf" in path else "\n"
        first = "# Daily Log - " + Path(path).stem if path.startswith("memory") else "# Notes"
        (root / path).write_bytes(f"{first}{end}{end}".encode())
    (root / "pages").mkdir(exist_ok=True)
    (root / "sessions").mkdir(exist_ok=True)
    git(root, "init", "-q", "-b", BRANCHES[0])
    for branch in BRANCHES:
        if branch != BRANCHES[0]:
            git(root, "checkout", "-q", "-b", branch)
        for number in range(pages):
            text = f"# Page {number}\n\nThe {branch} branch has {number} herons at the weir.\n"
            (root / TRACKED.format(number)).write_text(text)
        git(root, "add", "pages")
        git(root, "commit", "-q", "-m", branch)
    git(root, "checkout", "-q", BRANCHES[0])


def git(root: Path, *arguments: str) -> str:
    """Run git in the workspace, with no configuration of anybody's."""
    environ = {"PATH": os.environ["PATH"], "HOME": str(root.parent), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *_IDENTITY, *arguments],
        cwd=root, env=environ, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    if done.returncode:
        raise OSError(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def parts(stage: Stage, ledger: Ledger, pause: float) -> Iterator[Part]:
    """Yield all who write files; agents pause for up to `pause` seconds."""
    for path in DESKS:
        yield Part(f"editor of {path}", Editor(stage, ledger, path).save, 0.6)
    for path in SHARED:
        yield Part(f"program at {path}", Program(stage, ledger, path).append, 0.6)
    yield Part("git", Repository(stage, ledger).work, 3.0)
    for form in FORMS:
        yield Part(f"{form} agent", Agent(stage, ledger, form).say, pause)


class Editor:
    """Adds a line somewhere to a document and saves it, each time in another way."""

    def __init__(self, stage: Stage, ledger: Ledger, path: str) -> None:
        self._stage, self._ledger, self._path = stage, ledger, path
        self._file = stage.root / path

    def save(self, draw: random.Random) -> None:
        """Read, add a line, save."""
        word = self._ledger.word()
        line = f"By hand: {word} beside the harbor."
        self._ledger.may(word, "editor", "file", self._path, self._ended(line))
        way = draw.choice((_as_vim, _by_rename, _in_place, _at_the_end))
        lines = self._file.read_bytes().split(b"\n")
        place = draw.randrange(2, len(lines)) if len(lines) > 2 else len(lines) - 1
        lines.insert(place, self._ended(line))
        way(self._file, b"\n".join(lines), self._ended(line) + b"\n")
        self._stage.counts["saves"] += 1
        self._ledger.must(word, "editor", "file", self._path, self._ended(line))

    def _ended(self, line: str) -> bytes:
        return line.encode() + (b"\r" if "crlf" in self._path else b"")


def _as_vim(file: Path, data: bytes, _line: bytes) -> None:
    """Move the old one aside, write a new one, remove the old one."""
    backup = file.with_name(file.name + "~")
    file.rename(backup)
    with file.open("wb") as new:
        new.write(data)
        new.flush()
        os.fsync(new.fileno())
    backup.unlink()


def _by_rename(file: Path, data: bytes, _line: bytes) -> None:
    temp = file.with_name(f".{file.name}.swp")
    temp.write_bytes(data)
    temp.replace(file)


def _in_place(file: Path, data: bytes, _line: bytes) -> None:
    with file.open("r+b", buffering=0) as old:
        old.truncate()
        old.write(data)


def _at_the_end(file: Path, _data: bytes, line: bytes) -> None:
    _append(file, line)


class Program:
    """A process of its own that adds lines to a document that others add to as well."""

    def __init__(self, stage: Stage, ledger: Ledger, path: str) -> None:
        self._stage, self._ledger, self._path = stage, ledger, path

    def append(self, draw: random.Random) -> None:
        """Add a line by one write, as `>>` of a shell does."""
        word = self._ledger.word()
        line = f"From a script: {word} is {draw.randrange(1000)}.".encode()
        self._ledger.may(word, "program", "file", self._path, line)
        script = 'printf "%s\\n" "$1" >> "$2"'
        file = str(self._stage.root / self._path)
        subprocess.run(["sh", "-c", script, "sh", line, file], check=True, timeout=60)
        self._stage.counts["saves"] += 1
        self._ledger.must(word, "program", "file", self._path, line)


class Repository:
    """Edits tracked pages, commits, changes branches, and now and then throws an edit away."""

    def __init__(self, stage: Stage, ledger: Ledger) -> None:
        self._stage, self._ledger = stage, ledger

    def work(self, draw: random.Random) -> None:
        """Add a line to a page, commit it or take it back, and check the other branch out."""
        root = self._stage.root
        with self._stage.tree:
            branch = branch_of(root)
            page = a_page(root, draw)
            word = self._ledger.word()
            line = f"Committed: {word} on {branch}.".encode()
            self._ledger.must(word, "git", "branch", f"{branch}:{page}", line)
            _append(root / page, line + b"\n")
            self._stage.over.wait(draw.uniform(0, 0.5))
            if draw.random() < 0.2:
                git(root, "checkout", "-q", "-f", "--", "pages")
                self._ledger.never(word)
            commit(root)
            git(root, "checkout", "-q", next(name for name in BRANCHES if name != branch))
        self._stage.counts["checkouts"] += 1


def a_page(root: Path, draw: random.Random) -> str:
    """Return the path of a tracked page."""
    return draw.choice(sorted(f"pages/{each.name}" for each in (root / "pages").iterdir()))


def commit(root: Path) -> None:
    """Commit whatever changed of the tracked pages."""
    git(root, "commit", "-q", "-a", "--allow-empty", "-m", "work")


def branch_of(root: Path) -> str:
    """Return the branch that is checked out."""
    return git(root, "symbolic-ref", "--short", "HEAD").strip()


class Agent:
    """Talks in a session of its own and appends what was said to its transcript."""

    def __init__(self, stage: Stage, ledger: Ledger, form: str) -> None:
        self._stage, self._ledger = stage, ledger
        self._name, self._head, self._line = FORMS[form]
        self._turns = 0

    def say(self, draw: random.Random) -> None:
        """Append a turn that may become a fact; one in three arrives in two pieces."""
        word = self._ledger.word()
        asked_for = draw.random() < 0.5
        text = draw.choice(_ASKED_FOR if asked_for else _SAID_BESIDE).format(word)
        self._turns += 1
        data = "".join(self._line(each) for each in self._said(text)).encode()
        if self._turns == 1:
            data = self._head.encode() + data
        claim = self._ledger.must if asked_for else self._ledger.may
        claim(word, f"{self._name}: {text}", "fact", "", word.encode())
        cut = draw.randrange(len(data)) if draw.random() < 0.3 else 0
        file = self._stage.root / "sessions" / self._name
        _append(file, data[:cut])
        self._stage.over.wait(draw.uniform(0, 0.4) if cut else 0)
        _append(file, data[cut:])
        self._stage.counts["turns"] += 1

    def _said(self, text: str) -> Iterator["Turn"]:
        minutes = _MINUTES_BETWEEN_TURNS * self._turns % (_LAST_DAY * 24 * 60)
        at = FIRST_TURN + timedelta(minutes=minutes, seconds=self._turns % 60)
        yield Turn(f"{self._turns:08x}", at, "user", text)
        yield Turn(f"{self._turns:08x}a", at + timedelta(seconds=5), "assistant", "All right.")


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a session."""

    id: str
    at: datetime
    role: str
    text: str

    @property
    def time(self) -> str:
        """When it was said, as the formats write it."""
        return self.at.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _generic(turn: Turn) -> str:
    return _json({"role": turn.role, "content": turn.text, "timestamp": turn.time, "id": turn.id})


def _claude_code(turn: Turn) -> str:
    return _json({
        "parentUuid": None, "isSidechain": False, "userType": "external", "cwd": "/src/app",
        "sessionId": "4f1c", "version": "2.1.205", "type": turn.role, "uuid": turn.id,
        "timestamp": turn.time, "message": {"role": turn.role, "content": turn.text},
    })  # fmt: skip


def _openclaw(turn: Turn) -> str:
    content = [{"type": "text", "text": turn.text}]
    return _json({
        "type": "message", "id": turn.id, "parentId": None, "timestamp": turn.time,
        "message": {"role": turn.role, "content": content},
    })  # fmt: skip


def _codex(turn: Turn) -> str:
    kind = "input_text" if turn.role == "user" else "output_text"
    content = [{"type": kind, "text": turn.text}]
    return _json({
        "timestamp": turn.time, "type": "response_item",
        "payload": {"type": "message", "role": turn.role, "content": content},
    })  # fmt: skip


def _markdown(turn: Turn) -> str:
    return f"**{turn.role.title()}** · _{turn.time}_\n\n{turn.text}\n\n"


def _json(record: dict[str, object]) -> str:
    return json.dumps(record) + "\n"


_OPENCLAW_HEAD = _json({
    "type": "session", "version": 3, "id": "6b1d", "timestamp": "2026-02-01T08:00:00.000Z",
    "cwd": "/home/ada",
})  # fmt: skip
_CODEX_HEAD = _json({
    "timestamp": "2026-02-01T08:00:00.000Z", "type": "session_meta",
    "payload": {"id": "c0de", "cwd": "/srv", "cli_version": "0.30.0"},
})  # fmt: skip

FORMS: dict[str, tuple[str, str, Callable[[Turn], str]]] = {
    "generic": ("talk.jsonl", "", _generic),
    "claude_code": ("4f1c.jsonl", "", _claude_code),
    "openclaw": ("6b1d.jsonl", _OPENCLAW_HEAD, _openclaw),
    "codex": ("rollout-c0de.jsonl", _CODEX_HEAD, _codex),
    "markdown": ("chat.md", "", _markdown),
}
"""Of each format of transcript: the file, how it begins, and how a message is written."""


def _append(file: Path, data: bytes) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(descriptor, data)
    finally:
        os.close(descriptor)
