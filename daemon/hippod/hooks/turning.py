"""What a hook does: fetch the context of a session, or have its turns extracted.

Cheap imports only, and one deadline for all of it: no agent waits for a daemon that hangs.
"""

import time

from hippod.client import Client
from hippod.hooks import agents, payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DEADLINE = 1.7
"""Seconds for all that is asked of the daemon."""
BUDGET = 2_400
"""Tokens of the context: Claude Code and Codex show no more than about these."""
RECALLED = 1_000
"""Most tokens of what is recalled for one prompt."""
LEAST_PROMPT = 12
"""Characters of a prompt that is worth a search."""
_OPEN, _CLOSE = "<hippod-memory>", "</hippod-memory>"
_OF_THE_NAME = 40
_CUT = "\n[cut: the agent takes no more]"


class Hook:
    """The hook of one event of one agent, asking the daemon behind `client`.

    Raises what `Client` raises; `NotResponding` once `seconds` have passed.
    """

    def __init__(
        self, client: Client, agent: str, *, budget: int = BUDGET, seconds: float = DEADLINE
    ) -> None:
        self._client = client
        self._agent = agent
        self._budget = budget
        self._deadline = time.monotonic() + seconds

    def answer(self, event: str, told: "dict[str, Any]") -> "dict[str, object]":
        """Do what is to be done at `event`, and return what to print for the agent."""
        at = agents.moment(self._agent, event)
        if at in (agents.START, agents.PROMPT):
            return agents.answer(self._agent, at, self._context(at, told))
        if at is not None:
            self._flush(told, ended=at == agents.END)
        return {}

    def _context(self, at: str, told: "dict[str, Any]") -> str:
        if payload.is_of_a_subagent(told):
            return ""
        text = self._recalled(told) if at == agents.PROMPT else self._start(payload.session(told))
        return _within(text, agents.LARGEST.get(self._agent))

    def _start(self, session: str) -> str:
        """Return the context in one block, of few enough bytes for the agent."""
        budget = self._budget
        text = self._fetched(session, budget)
        most = agents.LARGEST.get(self._agent)
        if most and (size := len(text.encode())) > most:
            text = self._fetched(session, int(budget * 0.95 * most / size))
        return text

    def _fetched(self, session: str, budget: int) -> str:
        most = max(1, budget - _OF_THE_NAME if session else budget)
        found = self._in_time().context(session or None, budget_tokens=most)
        return framed(str(found.get("text", "")), session)

    def _recalled(self, told: "dict[str, Any]") -> str:
        typed = payload.prompt(told)
        if len(typed) < LEAST_PROMPT:
            return ""
        most = min(self._budget, RECALLED)
        found = self._in_time().recall(typed[:2_000], limit=5, budget_tokens=most, format="agent")
        return str(found.get("text") or "") if found.get("hits") else ""

    def _flush(self, told: "dict[str, Any]", *, ended: bool) -> None:
        """Have what is new of a session extracted; a group's sessions are nobody's memory."""
        if self._client.scope != "main":
            return
        session = payload.session(told)
        if ended and session:
            self._in_time().retain(session=session, flush=True, ended=True)
        for name in self._sources(told, session):
            if not (ended and name == session):
                self._in_time().retain(session=name, flush=True)

    def _sources(self, told: "dict[str, Any]", session: str) -> list[str]:
        """Return the names by which the daemon may know what holds the session."""
        if not session:
            return []
        names = (payload.transcript(told), session, *agents.STORES.get(self._agent, ()))
        return list(dict.fromkeys(name for name in names if name))

    def _in_time(self) -> Client:
        self._client.timeout = max(0.05, self._deadline - time.monotonic())
        return self._client


def framed(context: str, session: str) -> str:
    """Return a context as one block, so that none of it is taken for something that was said.

    What the daemon gives has its memory in a block already, and no other mark of one.
    """
    body = context.replace(_OPEN, "", 1).replace(_CLOSE, "", 1).strip()
    if not body:
        return ""
    name = f"The session, for the tools of memory: {session}\n\n" if session else ""
    return f"{_OPEN}\n{name}{body}\n{_CLOSE}"


def _within(text: str, most: int | None) -> str:
    """Cut a block at the end of a line so that it has at most so many bytes."""
    if most is None or len(text.encode()) <= most:
        return text
    room = most - len(f"{_CUT}\n{_CLOSE}")
    kept = text.encode()[:room].decode("utf-8", "ignore")
    return f"{kept[: kept.rfind(chr(10))]}{_CUT}\n{_CLOSE}"
