"""The working memory of sessions: one text a session, for as long as that lasts.

It is in the state alone: no document, never indexed, never extracted, never journalled.
"""

import unicodedata
from collections.abc import Callable
from datetime import datetime, timedelta

from hippod.config import Working as Limits
from hippod.errors import InvalidInput, TooLarge
from hippod.scope import Scope
from hippod.state import State
from hippod.state.working import Working

MAX_SESSION = 200
"""Characters of a session's name."""


class WorkingMemories:
    """What sessions keep in mind. Thread-safe.

    Clients of each scope have their own: what a group sees, a group wrote. What was not written
    for `ttl` seconds is gone, whether or not it was swept yet.
    """

    def __init__(self, limits: Limits, state: State, clock: Callable[[], datetime]) -> None:
        self._limits = limits
        self._kept = state.working
        self._clock = clock

    def get(self, session: str, scope: Scope = "main") -> Working | None:
        """Return the working memory of a session; raises `InvalidInput` for no session's name."""
        return self._fresh(self._kept.get(_checked(session), scope))

    def set(self, session: str, content: str, scope: Scope = "main") -> Working:
        """Keep a text in place of what was kept; raises `TooLarge`."""
        return self._kept.change(_checked(session), scope, lambda _: self._fitting(content))

    def append(self, session: str, content: str, scope: Scope = "main") -> Working:
        """Add a text on a line of its own; raises `TooLarge` if there is no room for it."""

        def longer(kept: Working | None) -> str:
            fresh = self._fresh(kept)
            before = fresh.content if fresh else ""
            gap = "" if not before or before.endswith("\n") else "\n"
            return self._fitting(f"{before}{gap}{content}")

        return self._kept.change(_checked(session), scope, longer)

    def clear(self, session: str, scope: Scope | None = None) -> bool:
        """Drop the working memory of a session, None: for every scope; say if there was one."""
        return self._kept.clear(_checked(session), scope)

    def expires(self, working: Working) -> datetime:
        """Return when a working memory goes, unless it is written again."""
        return working.updated + timedelta(seconds=self._limits.ttl)

    def _fresh(self, working: Working | None) -> Working | None:
        return working if working and self._clock() < self.expires(working) else None

    def _fitting(self, content: str) -> str:
        size = len(content.encode())
        if size > self._limits.max_bytes:
            raise TooLarge(
                f"working memory: would have {size} bytes, at most {self._limits.max_bytes} are"
                " kept of a session",
                "set a shorter text, or raise working.max_bytes",
            )
        return content


def _checked(session: str) -> str:
    if not session.strip():
        raise InvalidInput("session: empty", "name the session as its agent does")
    if len(session) > MAX_SESSION:
        raise InvalidInput(
            f"session: has {len(session)} characters, at most {MAX_SESSION} are taken"
        )
    if any(unicodedata.category(character) == "Cc" for character in session):
        raise InvalidInput("session: holds control characters")
    return session
