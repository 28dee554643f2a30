"""Read OpenClaw's `sessions.json`, which tells what kind of conversation each session is."""

import json
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from hippod import untouchable
from hippod.transcripts.turns import SessionKind

_LARGEST_STORE = 64_000_000
_JOB_KEY = re.compile(r"(?:^|:)(subagent|acp|cron|hook|heartbeat)(?::|$)")
_GROUP_KEY = re.compile(r":(?:group|channel|room):")
_JOBS: dict[str, SessionKind] = {
    "subagent": "subagent",
    "acp": "subagent",
    "cron": "cron",
    "hook": "cron",
    "heartbeat": "heartbeat",
}


def listed_kind(store: Path, session: str, file_name: str) -> SessionKind | None:
    """Return the kind that `sessions.json` gives a session, None if it does not list it.

    A session is found by its id or by the name of its transcript. A store that is missing,
    too large or not readable lists nothing.
    """
    try:
        stat = store.stat()
        if stat.st_size > _LARGEST_STORE:
            return None
        kinds = _kinds(store, stat.st_mtime_ns, stat.st_size)
    except (OSError, ValueError, RecursionError):
        return None
    return kinds.get(session) or kinds.get(file_name)


def kind_of_key(key: str, chat_type: object = None) -> SessionKind:
    """Return the kind of the session with this key, such as `agent:main:telegram:group:42`."""
    rest = re.sub(r"^agent:[^:]*:", "", key.lower())
    if job := _JOB_KEY.search(rest):
        return _JOBS[job[1]]
    if _GROUP_KEY.search(f":{rest}") or chat_type in ("group", "room", "channel"):
        return "group"
    return "main"


@lru_cache(maxsize=8)
def _kinds(store: Path, mtime_ns: int, size: int) -> dict[str, SessionKind]:
    """Map session ids and transcript names to kinds; what two keys share is not `main`."""
    kinds: dict[str, SessionKind] = {}
    for key, entry in _entries(store):
        kind = kind_of_key(key, entry.get("chatType"))
        for name in (entry.get("sessionId"), _file_name(entry.get("sessionFile"))):
            if isinstance(name, str) and kinds.get(name, "main") == "main":
                kinds[name] = kind
    return kinds


def _entries(store: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    if untouchable.is_ours_at(store):
        return
    descriptor = os.open(store, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, encoding="utf-8", errors="replace") as file:
        value = json.load(file)
    if isinstance(value, dict):
        yield from ((key, entry) for key, entry in value.items() if isinstance(entry, dict))


def _file_name(path: object) -> str | None:
    return path.replace("\\", "/").rpartition("/")[2] if isinstance(path, str) else None
