"""What each agent calls the moments of a session, and in which form it takes context.

Tables only, so that another agent is a row. Cheap imports only: a hook runs in every turn.
"""

START, PROMPT, STOP, COMPACT, END = MOMENTS = ("start", "prompt", "stop", "compact", "end")

_LONGER = {"session-start": START, "pre-compact": COMPACT, "session-end": END}

_CLAUDE_CODE = {
    "SessionStart": START,
    "UserPromptSubmit": PROMPT,
    "Stop": STOP,
    "SubagentStop": STOP,
    "PreCompact": COMPACT,
    "SessionEnd": END,
}

EVENTS: dict[str, dict[str, str]] = {
    "claude-code": _CLAUDE_CODE,
    "codex": _CLAUDE_CODE,  # it took them over
    "gemini": {
        "SessionStart": START,
        "BeforeAgent": PROMPT,
        "AfterAgent": STOP,
        "PreCompress": COMPACT,
        "SessionEnd": END,
    },
    "cursor": {
        "sessionStart": START,
        "beforeSubmitPrompt": PROMPT,
        "stop": STOP,
        "subagentStop": STOP,
        "preCompact": COMPACT,
        "sessionEnd": END,
    },
    "opencode": {
        "session.created": START,
        "session.idle": STOP,
        "session.compacting": COMPACT,
        "session.deleted": END,
    },
    "openclaw": {
        "agent:bootstrap": START,
        "command:stop": STOP,
        "session:compact:before": COMPACT,
        "command:new": END,
        "command:reset": END,
        "session:auto-reset": END,
    },
}
"""Names of events by agent; each agent also takes the names of the moments themselves."""

LARGEST = {"claude-code": 9_900, "codex": 9_900, "cursor": 9_900}
"""Bytes of context that an agent shows to its model: of more, only a preview and a file's name.

Claude Code and Cursor count 10,000 characters, Codex 2,500 tokens of 4 bytes.
"""

STORES = {"opencode": ("opencode",), "openclaw": ("openclaw-agent",)}
"""Databases of all sessions, without ending: by these a flush finds one that was never read."""


def moment(agent: str, event: str) -> str | None:
    """Return the moment of a session that an event is; None if nothing is to be done then."""
    return event if event in MOMENTS else {**_LONGER, **EVENTS[agent]}.get(event)


def answer(agent: str, at: str, context: str) -> dict[str, object]:
    """Return what `agent` takes context as, at the start or with a prompt; empty for no context.

    An empty object is an answer as well: it keeps an agent from reading stderr instead.
    """
    if not context:
        return {}
    if agent == "cursor":
        going_on = {"continue": True} if at == PROMPT else {}
        return {**going_on, "additional_context": context}
    if agent in ("opencode", "openclaw"):
        return {"context": context}  # read by our own plug-in
    name = next(name for name, is_at in EVENTS[agent].items() if is_at == at)
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": context}}
