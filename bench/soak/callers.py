"""Those who ask over the socket: readers of three kinds, a stream, writers, jobs."""

import json
import random
import subprocess
import time
from collections.abc import Iterator
from datetime import date
from typing import Any

from tests.asking import raw

from bench import corpus
from bench.soak import people
from bench.soak.ledger import Ledger
from bench.soak.stage import Part, Refused, Stage, Unknown
from hippod.errors import HippodError

BOARD = "notes/board.md"
"""A document that only callers write."""
_SESSION = "soak"
_JUNK = (
    b"GET /v1/health HTTP/1.0\r\n\r\n",
    b"GET /v1/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    b"GET /v1/he",
    b"\x16\x03\x01\x02\x00",
    b'POST /v1/recall HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n{"query": "ha',
)
_COMMANDS = (("recall", "harbor"), ("status",), ("today",), ("tree",), ("context",), ("jobs",))
_CLEAN_EXITS = (0, 3)
"""Of the command line: well, or said that no daemon answers."""


def parts(stage: Stage, ledger: Ledger) -> Iterator[Part]:
    """Yield all who ask."""
    asks = Questions(stage)
    yield Part("client, reading", asks.by_client, 0.1)
    yield Part("client, reading too", asks.by_client, 0.1)
    yield Part("raw socket", asks.by_socket, 0.5)
    yield Part("stream", asks.follow, 0.5)
    yield Part("command line", asks.by_command, 4.0)
    writes = Writes(stage, ledger)
    yield Part("client, appending", writes.append, 0.4)
    yield Part("client, replacing", Board(stage, ledger).replace, 0.5)
    yield Part("client, noting", writes.note, 0.6)
    yield Part("client, retaining", Facts(stage, ledger).retain, 0.8)
    yield Part("client, handing over", writes.hand_over, 1.2)
    yield Part("client, on tracked pages", writes.append_to_tracked, 2.0)
    yield Part("client, working memory", Working(stage, ledger).keep, 0.5)
    yield Part("jobs", asks.run_job, 6.0)


class Questions:
    """Asks for all kinds of things and wants nothing of the answers but that they come."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._heard: int | None = None
        self._questions = corpus.questions("common", 50) + corpus.questions("mixed", 50)

    def by_client(self, draw: random.Random) -> None:
        """Ask by the Python client."""
        client = self._stage.daemon.client
        asked = {
            "recall": lambda: client.recall(draw.choice(self._questions)),
            "recall of words": lambda: client.recall(draw.choice(self._questions), mode="lexical"),
            "read": lambda: client.read(draw.choice(people.SHARED)),
            "today_log": client.today_log,
            "context": lambda: client.context(budget_tokens=2000),
            "status": client.status,
            "log": lambda: client.log(limit=20),
            "entities": client.entities,
        }
        what = draw.choice(sorted(asked))
        self._stage.ask(what, asked[what])

    def by_socket(self, draw: random.Random) -> None:
        """Send bytes, whole requests and others, and close."""
        before = self._stage.shaken
        self._stage.counts["requests"] += 1
        data = draw.choice(_JUNK)
        whole = data.startswith(b"GET") and data.endswith(b"\r\n\r\n")
        try:
            answer = raw(self._stage.daemon.socket, data, finish=not whole)
        except OSError as error:
            self._stage.complain(before, f"raw socket: {error}")
            return
        if whole and b" 200 " not in answer[:20]:
            self._stage.complain(before, f"raw socket: {answer[:80]!r}")

    def by_command(self, draw: random.Random) -> None:
        """Ask by the command line, which tells by its exit code."""
        before = self._stage.shaken
        self._stage.counts["requests"] += 1
        command = draw.choice(_COMMANDS)
        done: subprocess.CompletedProcess[str] = self._stage.daemon.cli(*command)
        if "Traceback" in done.stderr:
            self._stage.unexpected.append(f"hippod {command[0]}: {done.stderr[-200:]}")
        if done.returncode != 0:
            self._stage.complain(before, f"hippod {command[0]}: {done.stderr.strip()[-200:]}")

    def follow(self, draw: random.Random) -> None:
        """Follow the events for some seconds, then go on behind the last one."""
        end = time.monotonic() + draw.uniform(0.5, 5)
        before, reloads = self._stage.shaken, self._stage.counts["reloads begun"]
        self._stage.counts["requests"] += 1
        try:
            for event in self._stage.daemon.client.events(after=self._heard):
                self._stage.counts["events"] += 1
                self._heard = event.get("id", self._heard)
                if time.monotonic() > end or self._stage.over.is_set():
                    return
        except HippodError as error:
            if self._stage.counts["reloads begun"] == reloads:  # a reload ends the streams
                self._stage.complain(before, f"events: {error}")

    def run_job(self, draw: random.Random) -> None:
        """Run one of the jobs, beside all the rest."""
        client = self._stage.daemon.client
        job = draw.choice(("reconcile", "reflect", "hygiene", "heartbeat"))
        self._stage.ask(f"job {job}", lambda: client.run_job(job))
        self._stage.counts["jobs"] += 1


class Writes:
    """Adds to documents and hands over messages; what was acknowledged must be there."""

    def __init__(self, stage: Stage, ledger: Ledger) -> None:
        self._stage, self._ledger, self._said = stage, ledger, 0

    def append(self, draw: random.Random) -> None:
        """Append to a document: where somebody saves it as a whole, it may be gone again."""
        path = draw.choice((*people.DESKS, *people.SHARED, *people.SHARED))
        word = self._ledger.word()
        line = f"By a call: {word} near the bridge."
        ended = line.encode() + (b"\r" if "crlf" in path else b"")
        self._ledger.may(word, "append", "file", path, line.encode(), ended)
        client = self._stage.daemon.client
        self._asked(word, "append", lambda: client.append(path, line))
        if path in people.SHARED:
            self._ledger.must(word, "append", "file", path, line.encode(), ended)

    def note(self, draw: random.Random) -> None:
        """Make an entry in today's log."""
        word = self._ledger.word()
        client = self._stage.daemon.client
        self._ledger.may(word, "note", "entry", "", word.encode())
        self._asked(word, "note", lambda: client.append_daily_log(f"The {word} was painted."))
        self._ledger.must(word, "note", "entry", "", word.encode())

    def hand_over(self, draw: random.Random) -> None:
        """Hand messages over; once taken, each becomes a fact, whatever happens then."""
        self._said += 1
        word = self._ledger.word()
        message = {
            "role": "user",
            "content": f"Remember that the {word} is in the attic.",
            "id": f"m{self._said}",
        }
        client = self._stage.daemon.client
        self._ledger.may(word, "messages", "fact", "", word.encode())
        wait = draw.random() < 0.3
        self._asked(word, "messages", lambda: client.retain([message], session=_SESSION, wait=wait))
        self._ledger.must(word, "messages", "fact", "", word.encode())

    def append_to_tracked(self, draw: random.Random) -> None:
        """Append to a page under git, and commit it before anybody checks another branch out."""
        client, root = self._stage.daemon.client, self._stage.root
        with self._stage.tree:
            branch = people.branch_of(root)
            page = people.a_page(root, draw)
            word = self._ledger.word()
            line = f"By a call: {word} on {branch}."
            place = f"{branch}:{page}"
            self._ledger.may(word, "append", "branch", place, line.encode())
            try:
                self._asked(word, "append", lambda: client.append(page, line))
                self._ledger.must(word, "append", "branch", place, line.encode())
            finally:
                people.commit(root)

    def _asked(self, word: str, what: str, call: Any) -> None:
        try:
            self._stage.ask(what, call)
        except Refused:
            self._ledger.never(word)
            raise
        self._stage.counts["writes"] += 1


class Board:
    """Replaces a line of a document again and again: the old one or the new one stands there."""

    def __init__(self, stage: Stage, ledger: Ledger) -> None:
        self._stage, self._ledger = stage, ledger
        self._line = ""
        self._word = ""

    def replace(self, draw: random.Random) -> None:
        """Replace the line by another; after a kill, look which one it is."""
        client = self._stage.daemon.client
        if not self._line:
            self._begin()
        word = self._ledger.word()
        line = f"On the board: {word} is due."
        self._ledger.must(self._word, "replace", "file", BOARD, self._line.encode(), line.encode())
        try:
            self._stage.ask("replace", lambda: client.replace(BOARD, self._line, line))
        except Refused:
            self._ledger.must(self._word, "replace", "file", BOARD, self._line.encode())
            raise
        except Unknown:
            if line.encode() not in (self._stage.root / BOARD).read_bytes():
                raise
        self._stage.counts["writes"] += 1
        self._ledger.may(self._word, "replace", "file", BOARD, self._line.encode())
        self._ledger.never(self._word)
        self._ledger.must(word, "replace", "file", BOARD, line.encode())
        self._line, self._word = line, word

    def _begin(self) -> None:
        word = self._ledger.word()
        line = f"On the board: {word} is due."
        text = f"# Board\n\n{line}\n"
        client = self._stage.daemon.client
        self._stage.ask("write", lambda: client.write(BOARD, text))
        self._ledger.must(word, "write", "file", BOARD, line.encode())
        self._line, self._word = line, word


class Facts:
    """Gives facts, each until it is taken: twice given is once kept."""

    def __init__(self, stage: Stage, ledger: Ledger) -> None:
        self._stage, self._ledger = stage, ledger
        self._open: tuple[str, str] | None = None

    def retain(self, draw: random.Random) -> None:
        """Give the fact that was not taken yet, else a new one."""
        word, fact = self._open or self._new(draw)
        self._open = word, fact
        client = self._stage.daemon.client
        self._stage.ask("facts", lambda: client.retain(facts=[fact]))
        self._stage.counts["writes"] += 1
        self._ledger.must(word, "facts", "fact", "", word.encode())
        self._open = None

    def _new(self, draw: random.Random) -> tuple[str, str]:
        word = self._ledger.word()
        self._ledger.may(word, "facts", "fact", "", word.encode())
        entity = draw.choice(("Peter", "Nadia", "warelay"))
        return word, f"W @{entity}: Owns the {word} since {date(2026, 2, draw.randint(1, 28))}."


class Working:
    """Keeps the working memory of a session; the last text that was taken is there at the end."""

    SESSION = "soak-working"

    def __init__(self, stage: Stage, ledger: Ledger) -> None:
        self._stage, self._ledger = stage, ledger
        self._kept: tuple[str, ...] = ("",)
        self._word = ledger.word()

    def keep(self, draw: random.Random) -> None:
        """Set another text, and look that it stands there."""
        client = self._stage.daemon.client
        text = f"Step {draw.randrange(10_000)}: {self._ledger.word()}"
        self._claim(*self._kept, text)
        self._stage.ask("working", lambda: client.set_working(self.SESSION, text))
        self._claim(text)
        found = self._stage.ask("working", lambda: client.get_working(self.SESSION))["content"]
        if found.strip() != text:
            self._stage.unexpected.append(f"working memory: {json.dumps(found)} after {text}")

    def _claim(self, *texts: str) -> None:
        """Claim that one of them is kept: more than one only after a call without an answer."""
        self._kept = texts
        encoded = [text.encode() for text in texts]
        self._ledger.must(self._word, "working", "working", self.SESSION, *encoded)
