"""What uvicorn says, and what a client is told, when the daemon ends in the middle of requests."""

import asyncio
import json
import logging
from typing import Any

import anyio
import pytest
import structlog

from hippod.server.serving import serving


def cancelled(*, begun: bool) -> list[dict[str, Any]]:
    """Return what a client is sent whose request is cut off before its answer has begun, or not."""
    said: list[dict[str, Any]] = []

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        if begun:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        await anyio.sleep_forever()

    async def send(message: Any) -> None:
        said.append(message)

    async def run() -> None:
        served: Any = serving(app).app
        task = asyncio.ensure_future(served({"type": "http"}, None, send))
        await asyncio.sleep(0)
        task.cancel()
        await task

    if begun:
        with pytest.raises(asyncio.CancelledError):
            anyio.run(run)
    else:
        anyio.run(run)
    return said


def test_who_waits_for_an_answer_at_the_end_is_told() -> None:
    start, body = cancelled(begun=False)
    assert start["status"] == 503
    error = json.loads(body["body"])["error"]
    assert error["message"] == "the daemon stopped before it had answered"
    assert len(cancelled(begun=True)) == 1


def test_the_end_of_requests_is_told_once_and_faults_are_told_still(
    caplog: pytest.LogCaptureFixture,
) -> None:
    serving(lambda *_: None)  # type: ignore[arg-type]
    uvicorn = logging.getLogger("uvicorn.error")
    with structlog.testing.capture_logs() as ours:
        uvicorn.error("Cancel %s running task(s), timeout graceful shutdown exceeded", 3)
    uvicorn.error("Exception in ASGI application\n", exc_info=asyncio.CancelledError())
    uvicorn.error("Exception in ASGI application\n", exc_info=ValueError("a fault"))
    assert [(each["event"], each["requests"]) for each in ours] == [("requests.left", 3)]
    (record,) = [each for each in caplog.records if each.name == "uvicorn.error"]
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], ValueError)
