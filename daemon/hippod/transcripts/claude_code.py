"""Claude Code's JSONL: one file a session; `uuid`s recognise messages across forks and replays."""

import re
from pathlib import Path

from hippod.transcripts.fields import (
    Record,
    digest,
    identifier,
    session_name,
    text_of,
    texts_of,
    time_of,
    word,
)
from hippod.transcripts.harness import public_texts, without_tags
from hippod.transcripts.turns import Memory, Node, Role, SessionKind, Skip, Turn

# What the harness puts into a user's message: reminders, hook output, slash commands and their
# output, IDE state, reports of background tasks.
_HARNESS_TAG = re.compile(
    r"<(system-reminder|system_instruction|(?:user-prompt-submit|session-start|stop"
    r"|(?:pre|post)-tool-use)-hook|local-command-(?:stdout|stderr|caveat)"
    r"|command-(?:name|message|args|contents)|bash-(?:input|stdout|stderr)"
    r"|ide_(?:opened_file|selection|diagnostics)|task-notification)(?: [^<>]{0,200})?>"
)
_HIDDEN = ("isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage")
_OTHER_TYPES = frozenset(
    {
        "agent-color",
        "agent-name",
        "agent-setting",
        "ai-title",
        "attachment",
        "custom-title",
        "file-history-snapshot",
        "last-prompt",
        "mode",
        "permission-mode",
        "pr-link",
        "progress",
        "queue-operation",
        "summary",
        "system",
        "tag",
        "worktree-state",
    }
)


def recognise(record: Record) -> bool:
    """Say whether a record carries Claude Code's session or message ids."""
    record_type = word(record, "type")
    if record_type in ("user", "assistant"):
        return isinstance(record.get("message"), dict)
    return record_type == "file-history-snapshot" or bool(
        record_type and (word(record, "sessionId") or word(record, "leafUuid"))
    )


def session(record: Record) -> str | None:
    """Return the session that a record names."""
    return session_name(record.get("sessionId"))


def kind(record: Record, line: int) -> SessionKind | None:
    """Return `subagent` for a background copy of a session."""
    return "subagent" if record.get("sessionKind") == "bg" else None


def file_kind(path: Path, session: str) -> SessionKind | None:
    """Return `subagent` for the files that sub-agents write beside the session's own."""
    return "subagent" if path.name.startswith("agent-") else None


def node(record: Record) -> Node | None:
    """Return None: parallel tool calls branch here too, so a branch does not mean abandoned."""
    return None


def turns(record: Record, line: int, session_id: str, memory: Memory) -> tuple[Turn | Skip]:
    """Return what `turn` returns: a record holds one message at most."""
    return (turn(record, line, session_id),)


def turn(record: Record, line: int, session_id: str) -> Turn | Skip:
    """Return the record's message, or why it has none."""
    record_type, message = word(record, "type"), record.get("message")
    if record_type not in ("user", "assistant"):
        return "no_message" if record_type in _OTHER_TYPES else "unknown_type"
    if not isinstance(message, dict):
        return "unknown_type"
    if any(record.get(flag) is True for flag in _HIDDEN):
        return "hidden"
    role, text, harness_only = _words(record_type, message.get("content"))
    if not text.strip():
        return "hidden" if harness_only else "no_text"
    time = time_of(record.get("timestamp"))
    uuid = identifier(record.get("uuid"))
    return Turn(
        id=uuid or f"L{line}",
        key=uuid or digest(session(record) or session_id, time, role, text),
        role=role,
        speaker=None,
        text=text,
        time=time,
        line=line,
    )


def _words(record_type: str, content: object) -> tuple[Role, str, bool]:
    """Return who speaks, the words, and whether the harness alone had written there."""
    if record_type == "assistant":
        return "assistant", text_of(content), False
    written = texts_of(content)
    text = "\n".join(filter(None, map(_without_harness, public_texts(written))))
    if text.strip():
        return "user", text, False
    results = _tool_results(content)
    return ("tool", results, False) if results else ("user", "", bool(written))


def _tool_results(content: object) -> str:
    if not isinstance(content, list):
        return ""
    results = (
        text_of(block.get("content"))
        for block in content
        if isinstance(block, dict) and block.get("type") == "tool_result"
    )
    return "\n".join(map(_without_harness, public_texts(filter(None, results))))


def _without_harness(text: str) -> str:
    return without_tags(text, _HARNESS_TAG)
