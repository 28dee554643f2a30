"""The HTTP route that Prometheus scrapes."""

from typing import Annotated, Any

from fastapi import FastAPI, Header, Query, Response

from hippod import wire
from hippod.metrics import Metrics, Requests
from hippod.service import Memory

TEXT: dict[str, Any] = {"content": {"text/plain": {"schema": {"type": "string"}}}}


def routes(app: FastAPI, memory: Memory, requests: Requests) -> None:
    """Add it to the application; `requests` counts what the application answers."""
    metrics = Metrics(lambda scope: memory.figures(scope), requests)

    @app.get("/metrics", response_class=Response, responses={200: TEXT})
    def scrape(
        request: Annotated[wire.Request, Query()], accept: Annotated[str, Header()] = ""
    ) -> Response:
        """Return counts and times in the text formats of Prometheus and OpenMetrics."""
        text, content_type = metrics.text(request.scope, accept)
        return Response(text, media_type=content_type)
