"""The fields of `context` and of the working memory of sessions.

As in `wire`: what the library, HTTP, the CLI and MCP all send and receive.
"""

from typing import Annotated

from pydantic import Field

from hippod.wire import Model, Request, Text


class ContextRequest(Request):
    """What an agent needs at the start of a session; `session` adds its working memory."""

    session: Text | None = None
    budget_tokens: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    """Most tokens of the text; without: `[context] budget_tokens`."""


class ContextPart(Model):
    """A part of the context, and of how many tokens how many stand there.

    `path` is the file, or `working memory`. Of what is `truncated` the text says so where it
    stands; with no tokens all of it is left out. `fault` says why a file could not be shown.
    """

    heading: str
    path: str
    tokens: int
    of_tokens: int
    truncated: bool = False
    fault: str = ""


class ContextBudget(Model):
    """What the text costs: `used` of `tokens`, never more, and what counted them."""

    tokens: int
    used: int
    counted_by: str


class Context(Model):
    """The text for an agent's system prompt; `day` is the one whose notes are today's.

    What is memory in it stands in one `<hippod-memory>` block.
    """

    text: str
    day: str
    parts: tuple[ContextPart, ...]
    budget: ContextBudget


class WorkingRequest(Request):
    """A text for the working memory of a session."""

    content: Text
    """The text."""


class WorkingContent(Model):
    """The working memory of a session, empty where nothing is kept; `bytes` of `max_bytes`."""

    session: str
    """Whose it is."""
    content: str
    """The text; empty if there is none."""
    bytes: int
    """How long it is, in UTF-8."""
    max_bytes: int
    """How long it may be."""
    updated: str | None = None
    """When it was last written."""
    expires: str | None = None
    """When it goes unless it is written again."""


class WorkingCleared(Model):
    """Whether there was a working memory to clear."""

    session: str
    cleared: bool
