"""What an agent hands to a hook on stdin: read within bounds, and never trusted.

Cheap imports only: a hook runs in every turn.
"""

import json
import os
import select
import time

from hippod.errors import InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_PAYLOAD = 8_000_000
"""Bytes; the last answer of the model may stand in it."""
_MAX_NAME = 200
_SESSION_KEYS = ("session_id", "conversation_id", "sessionID", "sessionId")
_TRANSCRIPT_KEYS = ("transcript_path", "sessionFile")


def received(descriptor: int, seconds: float) -> "dict[str, Any]":
    """Read one JSON object until the end of the stream, or what came of it within `seconds`.

    Nothing at all is an empty object, so that a hook can be tried by hand. Raises `InvalidInput`.
    """
    if os.isatty(descriptor):
        return {}
    try:
        text = _read(descriptor, time.monotonic() + seconds).decode("utf-8-sig", "replace")
    except OSError as error:
        raise InvalidInput(f"stdin cannot be read: {error.strerror}") from None
    if not text.strip():
        return {}
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput("what stands on stdin is not JSON") from None
    if not isinstance(told, dict):
        raise InvalidInput("what stands on stdin is JSON, but not an object")
    return told


def session(told: "dict[str, Any]") -> str:
    """Return the session as the agent names it; empty if it does not."""
    return next((name for key in _SESSION_KEYS if (name := _name(told.get(key)))), "")


def transcript(told: "dict[str, Any]") -> str:
    """Return the name of the transcript's file without its ending; empty if none is told.

    By this hippod finds a transcript that it never read, whatever session stands in it.
    """
    path = next((path for key in _TRANSCRIPT_KEYS if isinstance(path := told.get(key), str)), "")
    return _name(os.path.splitext(os.path.basename(path))[0])  # noqa: PTH119, PTH122 - 8 ms


def is_of_a_subagent(told: "dict[str, Any]") -> bool:
    """Say whether the event happened inside a sub-agent, whose words are its caller's business."""
    return any(_name(told.get(key)) for key in ("agent_id", "parent_session_id", "parentID"))


def prompt(told: "dict[str, Any]") -> str:
    """Return what the user just typed; empty if there is nothing to search by."""
    typed = told.get("prompt")
    text = typed.strip() if isinstance(typed, str) else ""
    return "" if text.startswith(("/", "!")) else text


def _read(descriptor: int, deadline: float) -> bytes:
    pieces = bytearray()
    while len(pieces) < MAX_PAYLOAD:
        waiting = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))[0]
        if not waiting or not (piece := os.read(descriptor, 65_536)):
            break
        pieces += piece
    return bytes(pieces)


def _name(value: object) -> str:
    """Return a name that may go into a request and into a prompt; empty if it is none."""
    is_name = isinstance(value, str) and len(value) <= _MAX_NAME and value.isprintable()
    return str(value).strip() if is_name and not set("<>&") & set(str(value)) else ""
