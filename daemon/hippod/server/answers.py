"""How an error goes over the wire: one body for every door, every status and every cause."""

import json

from starlette.responses import Response

from hippod.errors import HippodError, TooLarge


def error_body(error: HippodError) -> bytes:
    """Return `{"error": {code, message, hint}}`; what is not text in it becomes `?`."""
    text = json.dumps({"error": error.wire()}, ensure_ascii=False)
    return text.encode(errors="replace")


def answer(error: HippodError, status: int | None = None) -> Response:
    """Return the response for an error, by default with the error's own status."""
    # What is left of a body that is too large is not worth reading.
    headers = {"connection": "close"} if isinstance(error, TooLarge) else None
    return Response(
        error_body(error),
        error.http_status if status is None else status,
        headers,
        "application/json",
    )
