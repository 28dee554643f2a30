"""The HTTP routes of the context and of the working memory of sessions."""

from typing import Annotated

from fastapi import FastAPI, Query

from hippod import wire
from hippod.server.patience import BODY_ONLY
from hippod.service import Memory
from hippod.wire_context import (
    Context,
    ContextRequest,
    WorkingCleared,
    WorkingContent,
    WorkingRequest,
)

_WORKING = "/v1/sessions/{id:document}/working"
"""Names of sessions may hold slashes, too."""


def routes(app: FastAPI, memory: Memory) -> None:
    """Add them to the application."""

    @app.get("/v1/context")
    def context(request: Annotated[ContextRequest, Query()]) -> Context:
        """Return what an agent is given at the start of a session."""
        return memory.context(request)

    @app.get(_WORKING)
    def get_working(id: str, request: Annotated[wire.Request, Query()]) -> WorkingContent:
        """Return the working memory of a session."""
        return memory.get_working(id, request.scope)

    @app.put(_WORKING, dependencies=BODY_ONLY)
    def set_working(id: str, request: WorkingRequest) -> WorkingContent:
        """Keep a text as the working memory of a session."""
        return memory.set_working(id, request.content, request.scope)

    @app.post(_WORKING, dependencies=BODY_ONLY)
    def append_working(id: str, request: WorkingRequest) -> WorkingContent:
        """Add a text, on a line of its own, to the working memory of a session."""
        return memory.append_working(id, request.content, request.scope)

    @app.delete(_WORKING)
    def clear_working(id: str, request: Annotated[wire.Request, Query()]) -> WorkingCleared:
        """Drop the working memory of a session."""
        return memory.clear_working(id, request.scope)
