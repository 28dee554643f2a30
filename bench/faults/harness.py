"""A house to break: a workspace that people and agents wrote, and a real daemon over it.

A fault is a function that breaks something in a house and lifts it again. `run` builds the house,
lets it happen, watches the daemon recover by itself, and audits what is there afterwards.
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal

import pytest
from tests.processes import Daemon, wait_for

from bench import corpus
from bench.faults import rebuilt
from bench.faults.ledger import NOTE, Ledger, audit
from hippod.errors import HippodError

SETTINGS = {
    "HIPPOD_ENCODER__PROVIDER": "none",
    "HIPPOD_REFLECT__AFTER_FACTS": "0",
    "HIPPOD_RETAIN__LOGS": "false",
    "HIPPOD_RETAIN__QUIET": "50ms",
    "HIPPOD_RETAIN__MAX_PER_BATCH": "100",
    "HIPPOD_RETAIN__MAX_PER_DAY": "100000",
}
PATIENCE_SECONDS = 120
"""The daemon looks again by itself a minute after the last failure."""
_SETTLED_SECONDS = 0.4
DOCUMENTS = 24
TALK = "sessions/talk.jsonl"
FIRST_DAY = date(2026, 3, 3)
_FRAMES = (
    "I prefer a {a} over a {b} whenever the {c} is involved.",
    "From now on I want the {a} checked before anyone opens the {b} or the {c}.",
    "We decided to move the {a} to the {b} because the {c} is too small.",
    "My {a} is in the {b} behind the {c}, and I want it to stay there.",
    "Remember that the {a} is kept in the {b} near the {c}.",
)
_BY_HAND = {
    "MEMORY.md": b"# Memory\n\nThe cellar key hangs behind the clock.\n",
    "projects/windows.md": b"\xef\xbb\xbf# Windows\r\n\r\nWritten with CRLF and a mark.\r\n",
    "context/no-end.md": b"# No line end\n\nThe last line has none",
}
_PRIVATE = "context/no-end.md"
_LEAVING = "projects/leaving.md"
_FAILED = (HippodError, subprocess.SubprocessError)
_TROUBLE = ("Traceback (most recent call last)", '.crashed"', '_crashed"')

Save = Literal["vim", "replace", "truncate", "append"]


class NotHere(Exception):
    """This machine cannot show the fault; the message says why."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How much of a fault: rounds of it, files in a storm, megabytes of a transcript."""

    rounds: int
    files: int
    megabytes: int


FULL = Scale(rounds=25, files=20_000, megabytes=300)
QUICK = Scale(rounds=4, files=2_000, megabytes=30)


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that must be survived. `inject` returns a remark for the table."""

    name: str
    inject: Callable[["House"], str]
    settings: Mapping[str, str] = field(default_factory=dict)
    logs: tuple[str, ...] = ()
    """What the log may hold a traceback for."""
    ends: tuple[int, ...] = ()
    """Exit codes with which the daemon may end by itself; it is not restarted for any other."""
    started: bool = True
    """Whether the daemon is up, and has indexed all, before it is injected."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a fault; `reason` says why it could not be tried here."""

    name: str
    lost_bytes: int = 0
    duplicates: int = 0
    recovery_seconds: float | None = None
    remark: str = ""
    findings: tuple[str, ...] = ()
    reason: str = ""

    @property
    def survived(self) -> bool:
        """Whether nothing at all is wrong afterwards."""
        return not self.findings


class House:
    """A workspace, its ledger and its daemon. What is random follows from `seed`."""

    def __init__(self, folder: Path, settings: Mapping[str, str], scale: Scale, seed: int) -> None:
        self.folder, self.scale = folder, scale
        self.rng = random.Random(seed)
        self.ledger = Ledger()
        self.daemon = Daemon(folder, {**SETTINGS, **settings})
        self.root = self.daemon.workspace
        self.client = self.daemon.client
        self.lifted_at = time.monotonic()
        self.undone = contextlib.ExitStack()
        """What is undone however the fault ends, after the audit."""
        self.check: Callable[[], None] | None = None
        """Asked once the daemon has recovered; AssertionError if something is wrong."""
        self.leaving = ""
        """A word of a page that is deleted when the fault is over."""
        self._turns = 0

    def move(self, folder: Path, daemon: Daemon) -> None:
        """Go on in another folder, where all of this one was copied, with another daemon."""
        self.folder, self.daemon = folder, daemon
        self.root, self.client = daemon.workspace, daemon.client

    # -- what people and agents do -----------------------------------------------------------

    def furnish(self) -> None:
        """Write what was there before: logs, notes, a page by hand, a conversation."""
        for path, text in corpus.documents(DOCUMENTS).items():
            self.save(path, text)
        for path, data in _BY_HAND.items():
            self.save(path, data)
        (self.root / _PRIVATE).chmod(0o640)
        self.ledger.modes[_PRIVATE] = (self.root / _PRIVATE).stat().st_mode
        self.leaving = self.word()
        self.save(_LEAVING, f"# Leaving\n\nThe {self.leaving} goes soon.\n")
        self.say(6)

    def save(self, path: str, content: str | bytes, how: Save = "truncate") -> None:
        """Save a file as an editor would, and note it as written."""
        data = content.encode() if isinstance(content, str) else content
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        _SAVES[how](target, data)
        written = self.ledger.files.get(path, b"") if how == "append" else b""
        self.ledger.files[path] = written + data
        self.ledger.modes[path] = target.stat().st_mode

    def delete(self, path: str) -> None:
        """Delete a file as a person would."""
        (self.root / path).unlink()
        del self.ledger.files[path], self.ledger.modes[path]

    def word(self) -> str:
        """Return a word that stands nowhere yet."""
        return corpus.unique_word(self.rng)

    def turn(self, day: date | None = None) -> dict[str, Any]:
        """Return a new turn of a user, and expect its statement to become a fact."""
        word = self.word()
        b, c = self.rng.sample(corpus.vocabulary()[60:160], 2)
        sentence = _FRAMES[self._turns % len(_FRAMES)].format(a=word, b=b, c=c)
        self._turns += 1
        self.ledger.said[word], self.ledger.parts[word] = sentence, (b, c)
        said_on = day or FIRST_DAY + timedelta(days=self._turns % 5)
        self.ledger.days[word] = said_on.isoformat()
        time_ = f"{said_on}T08:{self._turns % 60:02}:00Z"
        return {"role": "user", "id": f"m{self._turns}", "content": sentence, "timestamp": time_}

    def say(self, count: int, path: str = TALK) -> None:
        """Let an agent add turns to a transcript."""
        lines = "".join(json.dumps(self.turn()) + "\n" for _ in range(count))
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("a", encoding="utf-8") as file:
            file.write(lines)

    def note(self, day: str | None = FIRST_DAY.isoformat()) -> bool:
        """Let an agent write a note of `day` or of today; say whether it was acknowledged."""
        word = self.word()
        text = NOTE.format(word=word)
        self.ledger.offered.add(word)
        try:
            self.client.append_daily_log(text, date=day)
        except HippodError:
            return False
        self.ledger.noted[word] = text
        return True

    # -- what the daemon does ----------------------------------------------------------------

    def finds(self, word: str) -> bool:
        """Say whether recall answers a question for `word` with the text that holds it."""
        try:
            hits = self.client.recall(word, limit=3, mode="lexical")["hits"]
        except HippodError:
            return False
        return any(word in hit["content"] for hit in hits)

    def forgot(self, word: str) -> bool:
        """Say whether recall answers, and not with a text that holds `word`."""
        try:
            hits = self.client.recall(word, limit=3, mode="lexical")["hits"]
        except HippodError:
            return False
        return not any(word in hit["content"] for hit in hits)

    def retained(self) -> bool:
        """Say whether each statement stands in a log."""
        logs = "".join(path.read_text(errors="replace") for path in self.root.rglob("2026-*.md"))
        return all(word in logs for word in self.ledger.said)

    def rests(self) -> bool:
        """Say whether the daemon has nothing left to do."""
        try:
            status = self.client.status()
            fresh = self.client.recall("anything", limit=1)["freshness"]
        except HippodError:
            return False
        waiting = fresh["pending"] or fresh["vectors_pending"] or status["retain"]["batches_open"]
        return not waiting and status["index"]["state"] == "ready"

    def alive(self) -> bool:
        """Say whether the process runs."""
        process = self.daemon.process
        return process is not None and process.poll() is None

    @property
    def pid(self) -> int:
        """Of the running daemon."""
        assert self.daemon.process is not None
        return self.daemon.process.pid

    def restart(self) -> None:
        """Start the daemon again after it ended."""
        self.daemon.start()

    def wait(
        self, condition: Callable[[], object], what: str, seconds: float = PATIENCE_SECONDS
    ) -> None:
        """Look until `condition()` holds; AssertionError naming `what` if it never does."""
        wait_for(condition, what, seconds)

    def settle(self) -> None:
        """Wait until all that was said is retained, and nothing is left to do."""
        self.wait(self.retained, "the facts")
        self.wait(self.rests, "the daemon to be at rest")
        time.sleep(_SETTLED_SECONDS)  # an event of what was written last may be under way
        self.wait(self.rests, "the daemon to be at rest")

    def attempt(self, call: Callable[[], object]) -> bool:
        """Ask the daemon for something that may fail; say whether it did not."""
        try:
            call()
        except HippodError:
            return False
        return True

    def end(self) -> None:
        """Kill the daemon if it still runs, also one that is stopped."""
        if self.alive():
            self.daemon.kill()

    def lift(self) -> None:
        """Say that the fault is over from now on: recovery is counted from here."""
        self.lifted_at = time.monotonic()

    def logged(self, event: str) -> bool:
        """Say whether the daemon wrote an event of this name."""
        return f'"event": "{event}"' in self.daemon.log.read_text(errors="replace")


def run(fault: Fault, scale: Scale, folder: Path, seed: int = 1) -> Outcome:
    """Let a fault happen in a new house below `folder`, and audit what is left of it."""
    house = House(folder, fault.settings, scale, seed)
    with house.undone:
        house.undone.callback(house.end)
        try:
            return _happen(fault, house)
        except NotHere as why:
            return Outcome(fault.name, reason=str(why))
        except pytest.skip.Exception as why:
            return Outcome(fault.name, reason=str(why))
        except (AssertionError, LookupError, ValueError, OSError, *_FAILED) as error:
            return _given_up(fault, house, error)


def _happen(fault: Fault, house: House) -> Outcome:
    house.furnish()
    if fault.started:
        house.daemon.start()
        house.settle()
    house.lift()
    remark = fault.inject(house)
    ended = _ended(house, fault.ends)
    transcripts = _transcripts(house)
    recovered = _recovery(house)
    house.settle()
    if house.check is not None:
        house.check()
    code = house.daemon.stop(30)
    found = audit(house.root, house.ledger)
    findings = [
        *found.findings,
        *rebuilt.differences(house.folder, house.daemon.environ),
        *_trouble(house.daemon.log, fault.logs),
        *ended,
        *([f"the daemon ended with exit code {code}"] if code else []),
        *_changed(house, transcripts),
        *_left_behind(house),
    ]
    return Outcome(
        fault.name, found.lost_bytes, found.duplicates, recovered, remark, tuple(findings)
    )


def _recovery(house: House) -> float:
    """Wait for signs of life, a file found and a fact retained; return the seconds since `lift`."""
    if not house.alive():
        house.restart()
    word = house.word()
    house.delete(_LEAVING)
    house.save(f"projects/sign-{word}.md", f"# A sign\n\nThe {word} is lit again.\n")
    house.wait(lambda: house.finds(word), "what was written afterwards")
    house.wait(lambda: house.forgot(house.leaving), "what was deleted to be gone")
    house.say(1)
    house.wait(house.retained, "what was said afterwards")
    return time.monotonic() - house.lifted_at


def _ended(house: House, allowed: tuple[int, ...]) -> list[str]:
    """Say so if the daemon ended by itself; killed and stopped it may have been by the fault."""
    code = house.daemon.process.poll() if house.daemon.process else None
    if code in (None, 0, -signal.SIGKILL, *allowed):
        return []
    return [f"the daemon ended by itself with exit code {code}"]


def _transcripts(house: House) -> dict[Path, bytes]:
    """Return what agents wrote, to compare: nobody else writes there."""
    found = (house.root / "sessions").rglob("*")
    return {path: path.read_bytes() for path in found if path.is_file() and path.stat().st_size}


def _changed(house: House, transcripts: dict[Path, bytes]) -> Iterator[str]:
    for path, before in transcripts.items():
        if not path.is_file() or not path.read_bytes().startswith(before):
            yield f"{path.name}: a transcript was changed"


def _left_behind(house: House) -> Iterator[str]:
    """Say what a daemon that was stopped left: processes of its own, the socket."""
    if house.daemon.socket.exists():
        yield "the socket was left behind"
    mark = os.fsencode(f"HOME={house.daemon.environ['HOME']}\0")
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark in environ.read_bytes():
                yield f"process {environ.parent.name} was left behind"


def _given_up(fault: Fault, house: House, error: Exception) -> Outcome:
    """Return what can be said of a daemon that did not recover: its files are audited still."""
    house.end()
    # What was said and not yet retained still stands in the transcripts.
    written = Ledger(files=house.ledger.files)
    found = audit(house.root, written) if house.root.exists() else None
    end = house.daemon.log.read_text(errors="replace")[-600:] if house.daemon.log.exists() else ""
    first = f"{type(error).__name__}: {error}"
    return Outcome(
        fault.name,
        found.lost_bytes if found else sum(map(len, house.ledger.files.values())),
        found.duplicates if found else 0,
        findings=(first, *(found.findings if found else ()), end),
    )


def _trouble(log: Path, expected: tuple[str, ...]) -> list[str]:
    """Say which lines of a log tell of a crash, each kind once."""
    lines = log.read_text(errors="replace").splitlines()
    bad = (line for line in lines if any(sign in line for sign in _TROUBLE))
    kinds = {line[:60]: line for line in bad if not any(words in line for words in expected)}
    return [f"the log has: {line[:300]} … {line[-300:]}" for line in kinds.values()]


# -- how people save ---------------------------------------------------------------------------


def _vim(target: Path, data: bytes) -> None:
    """As vim does with a backup: the old file gets another name, a new one takes its place."""
    backup = target.with_name(target.name + "~")
    if target.exists():
        target.rename(backup)
    target.write_bytes(data)
    backup.unlink(missing_ok=True)


def _replace(target: Path, data: bytes) -> None:
    draft = target.with_name(f".{target.name}.draft")
    draft.write_bytes(data)
    draft.replace(target)


def _append(target: Path, data: bytes) -> None:
    with target.open("ab") as file:
        file.write(data)


_SAVES: Mapping[str, Callable[[Path, bytes], object]] = {
    "vim": _vim,
    "replace": _replace,
    "truncate": lambda target, data: target.write_bytes(data),
    "append": _append,
}
