"""The transcript formats and what each of them must be able to tell about a record."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from hippod.transcripts import claude_code, codex, cursor_agent, gemini, generic, openclaw
from hippod.transcripts.fields import Record
from hippod.transcripts.turns import Found, Memory, Node, SessionKind


class Format(Protocol):
    """One agent's way to write a transcript, as functions over parsed JSON objects."""

    def recognise(self, record: Record, /) -> bool:
        """Say whether only this format writes such a record."""

    def session(self, record: Record, /) -> str | None:
        """Return the session's id if the record names it."""

    def kind(self, record: Record, line: int, /) -> SessionKind | None:
        """Return what the record says about the session's kind, None if it says nothing."""

    def file_kind(self, path: Path, session: str, /) -> SessionKind | None:
        """Return what the file's name or its neighbours say about the session's kind."""

    def node(self, record: Record, /) -> Node | None:
        """Return the record's place in a tree of messages, None if it has none that is known."""

    def turns(self, record: Record, line: int, session: str, memory: Memory, /) -> Sequence[Found]:
        """Return the record's messages, or the reason why it has none.

        `memory` may be changed: the next record's call gets it.
        """


FORMATS: Mapping[str, Format] = {
    # In the order in which they are asked; the plain one takes what no other knows.
    "openclaw": openclaw,
    "claude-code": claude_code,
    "codex": codex,
    "gemini-cli": gemini,
    "cursor-agent": cursor_agent,
    "generic": generic,
}


def recognise(record: Record) -> str | None:
    """Return the name of the format that a record belongs to."""
    return next((name for name, form in FORMATS.items() if form.recognise(record)), None)
