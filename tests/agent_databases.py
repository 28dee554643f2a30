"""Databases as agents keep them, for tests: their tables, and a writer in a process of its own."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

START = 1_775_000_000
"""The time of the first message, in seconds."""

OPENCLAW = """
CREATE TABLE session_windows(session_id TEXT NOT NULL PRIMARY KEY, session_key TEXT NOT NULL,
  session_scope TEXT NOT NULL DEFAULT 'conversation', chat_type TEXT, spawned_by TEXT,
  transcript_updated_at INTEGER) STRICT;
CREATE TABLE transcript_rewrite_watermarks(session_id TEXT NOT NULL PRIMARY KEY,
  generation TEXT NOT NULL, updated_at INTEGER NOT NULL) STRICT;
CREATE TABLE transcript_events(session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT,
  created_at INTEGER NOT NULL, event_zstd BLOB, event_utf8_bytes INTEGER,
  PRIMARY KEY(session_id, seq)) STRICT;
"""
HERMES = """
CREATE TABLE sessions(id TEXT PRIMARY KEY, source TEXT NOT NULL, chat_type TEXT,
  parent_session_id TEXT REFERENCES sessions(id), started_at REAL NOT NULL, ended_at REAL,
  end_reason TEXT, model_config TEXT, hidden INTEGER NOT NULL DEFAULT 0);
CREATE TABLE messages(id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL, content TEXT,
  tool_calls TEXT, timestamp REAL NOT NULL, _compressed_summary INTEGER NOT NULL DEFAULT 0,
  active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0, display_kind TEXT);
CREATE INDEX idx_messages_session_id ON messages(session_id, id);
"""
OPENCODE_V1 = """
CREATE TABLE session(id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT NOT NULL,
  time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL);
CREATE TABLE message(id TEXT PRIMARY KEY, session_id TEXT NOT NULL,
  time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX message_session ON message(session_id, time_created, id);
CREATE TABLE part(id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL,
  time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX part_message ON part(message_id, id);
"""
OPENCODE_V2 = """
CREATE TABLE session_v2(id TEXT PRIMARY KEY, parent_id TEXT, fork_session_id TEXT,
  time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL);
CREATE TABLE session_message(id TEXT PRIMARY KEY, session_id TEXT NOT NULL, type TEXT NOT NULL,
  seq INTEGER NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL,
  data TEXT NOT NULL);
CREATE UNIQUE INDEX session_message_seq ON session_message(session_id, seq);
"""


class Agent:
    """A connection of an agent that writes to its database and keeps it open, in WAL mode."""

    def __init__(self, path: Path, schema: str) -> None:
        self.path = path
        self.connection = apsw.Connection(str(path))
        self.connection.execute("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0")
        self.connection.execute(schema)

    def __call__(self, sql: str, *values: object) -> list[Any]:
        return self.connection.execute(sql, values).fetchall()  # type: ignore[arg-type]


class OpenClaw(Agent):
    def __init__(self, path: Path, schema: str = OPENCLAW) -> None:
        super().__init__(path, schema)

    def session(self, session: str, key: str, generation: str = "g1", **about: str) -> None:
        self(
            "INSERT INTO session_windows(session_id, session_key, chat_type, session_scope,"
            " spawned_by) VALUES(?,?,?,?,?)",
            session, key, about.get("chat_type"), about.get("scope", "conversation"),
            about.get("spawned_by"),
        )  # fmt: skip
        self("INSERT INTO transcript_rewrite_watermarks VALUES(?,?,1)", session, generation)

    def event(self, session: str, event: object, seq: int | None = None, at: int = 0) -> None:
        if seq is None:
            ((seq,),) = self(
                "SELECT coalesce(max(seq), -1)+1 FROM transcript_events WHERE session_id=?", session
            )
        text = event if isinstance(event, str) else json.dumps(event)
        self(
            "INSERT INTO transcript_events(session_id, seq, event_json, created_at)"
            " VALUES(?,?,?,?)",
            session, seq, text, (START + at) * 1000,
        )  # fmt: skip

    def say(self, session: str, *numbers: int) -> None:
        for number in numbers:
            self.event(session, said(number, parentId=None), at=number)


class Hermes(Agent):
    def __init__(self, path: Path, schema: str = HERMES) -> None:
        super().__init__(path, schema)

    def session(self, session: str, **about: object) -> None:
        row = {"id": session, "source": "cli", "started_at": START, **about}
        self(
            f"INSERT INTO sessions({', '.join(row)}) VALUES({', '.join('?' * len(row))})",
            *row.values(),
        )

    def say(self, session: str, content: str | None, at: float, **about: object) -> None:
        row = {"session_id": session, "role": "user", "content": content, "timestamp": START + at}
        row |= about
        self(
            f"INSERT INTO messages({', '.join(row)}) VALUES({', '.join('?' * len(row))})",
            *row.values(),
        )


class OpenCode(Agent):
    """Writes both versions; messages are numbered."""

    def __init__(self, path: Path, schema: str = OPENCODE_V1 + OPENCODE_V2) -> None:
        super().__init__(path, schema)

    def v1(self, session: str, number: int, *texts: str, role: str = "user", done: bool = True,
           parts: Sequence[object] = (), **about: object) -> None:  # fmt: skip
        id_, at = message_id(number), (START + number) * 1000
        time = {"created": at, **({"completed": at + 500} if done and role != "user" else {})}
        self(
            "INSERT OR REPLACE INTO message VALUES(?,?,?,?,?)",
            id_, session, at, at + (500 if done else 0),
            json.dumps({"role": role, "time": time, **about}),
        )  # fmt: skip
        self("DELETE FROM part WHERE message_id=?", id_)
        for n, part in enumerate([*({"type": "text", "text": text} for text in texts), *parts]):
            self(
                "INSERT INTO part VALUES(?,?,?,?,?,?)",
                f"prt_{number:04}{n:03}", id_, session, at, at, json.dumps(part),
            )  # fmt: skip

    def v2(self, session: str, number: int, data: dict[str, object], kind: str = "user",
           changed: int = 0, id_: str = "") -> None:  # fmt: skip
        at = (START + number) * 1000
        data = {"time": {"created": at}, **data}
        self(
            "INSERT OR REPLACE INTO session_message VALUES(?,?,?,?,?,?,?)",
            id_ or message_id(number), session, kind, number, at, at + changed, json.dumps(data),
        )  # fmt: skip


def message_id(number: int) -> str:
    return f"msg_{number:06}"


def said(number: int, text: str | None = None, role: str = "user", **fields: Any) -> dict[str, Any]:
    """Make an OpenClaw record; it hangs on the one before it."""
    return {
        "type": "message",
        "id": f"{number:08x}",
        "parentId": f"{number - 1:08x}" if number else None,
        "timestamp": (START + number) * 1000,
        "message": {
            "role": role,
            "content": text or f"Sentence number {number}.",
            "timestamp": (START + number) * 1000,
        },
        **fields,
    }


_CHILD = """
import sys, apsw
connection = apsw.Connection(sys.argv[1])
for line in sys.stdin:
    connection.execute(line)
    print(flush=True)
"""


class Process:
    """A writer that runs one statement a line; a statement is done when `run` returns."""

    def __init__(self, path: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _CHILD, str(path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def run(self, *statements: str) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        for statement in statements:
            self.process.stdin.write(" ".join(statement.split()) + "\n")
            self.process.stdin.flush()
            assert self.process.stdout.readline() == "\n", statement

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@contextmanager
def writing(path: Path) -> Iterator[Process]:
    """Yield a writer in a process of its own, and end it whatever the test did."""
    process = Process(path)
    try:
        yield process
    finally:
        process.kill()
