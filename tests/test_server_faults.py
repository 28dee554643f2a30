"""The application without a socket: faults of our own, and calls that wait for work."""

import asyncio
import json
import threading
import time
from collections.abc import Callable
from typing import Any, cast

import pytest
from structlog.testing import capture_logs

from hippod import wire
from hippod.errors import BY_CODE, ConfigError, HippodError, ModelTimeout
from hippod.server.app import build
from hippod.server.patience import PATIENT_CALLS
from hippod.service import Memory

FRESH = wire.Freshness(pending=0, vectors_pending=0, behind_seconds=0, updated=None)
FOUND = wire.RecallAnswer(hits=(), legs={}, freshness=FRESH, took_ms=0)
QUESTION = {"query": "x"}


class Verbs:
    """A memory whose verbs do as a test says."""

    def __init__(self, **verbs: Callable[..., object]) -> None:
        self.__dict__.update(verbs)


Call = Callable[..., Any]


def app_of(**verbs: Callable[..., object]) -> Call:
    app = build(cast("Memory", Verbs(**verbs)), max_body_bytes=10_000)

    async def call(method: str, target: str, body: object = None) -> tuple[int, Any]:
        data = b"" if body is None else json.dumps(body).encode()
        sent: list[dict[str, Any]] = []
        messages = [{"type": "http.request", "body": data, "more_body": False}]

        async def receive() -> dict[str, Any]:
            if messages:
                return messages.pop()
            await asyncio.Event().wait()
            raise AssertionError

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {
            "type": "http", "method": method, "path": target, "raw_path": target.encode(),
            "query_string": b"", "headers": [], "http_version": "1.1", "scheme": "http",
            "asgi": {"version": "3.0"}, "root_path": "", "server": None, "client": None,
        }  # fmt: skip
        await app(scope, receive, send)
        return sent[0]["status"], json.loads(b"".join(m.get("body", b"") for m in sent))

    return call


def failing(error: Exception) -> Callable[..., object]:
    def fail(*_args: object, **_fields: object) -> object:
        raise error

    return fail


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("no such table: units in SELECT secret FROM units"),
        KeyError("secret"),
        RecursionError("secret"),
        UnicodeEncodeError("utf-8", "secret \ud800", 7, 8, "surrogates not allowed"),
        ExceptionGroup("secret", [ValueError("secret")]),
    ],
)
def test_a_fault_of_our_own_is_logged_once_and_told_without_detail(error: Exception) -> None:
    call = app_of(recall=failing(error))
    with capture_logs() as logs:
        status, answer = asyncio.run(call("POST", "/v1/recall", QUESTION))
    assert status == 500
    assert answer["error"]["code"] == "failed"
    assert "secret" not in json.dumps(answer)
    (line,) = logs
    assert (line["event"], line["route"], line["log_level"]) == (
        "request.crashed", "/v1/recall", "error",
    )  # fmt: skip
    assert line["exc_info"]


def test_an_answer_that_breaks_its_own_contract_is_a_fault_of_ours() -> None:
    call = app_of(recall=lambda request: {"hits": "secret"})
    with capture_logs() as logs:
        status, answer = asyncio.run(call("POST", "/v1/recall", QUESTION))
    assert (status, answer["error"]["code"]) == (500, "failed")
    assert "secret" not in json.dumps(answer)
    assert [line["event"] for line in logs] == ["request.crashed"]


@pytest.mark.parametrize("error", sorted(BY_CODE.values(), key=lambda cls: cls.code))
def test_every_error_has_its_status_and_shape(error: type[HippodError]) -> None:
    raised = error("what", "do") if error is not ConfigError else ConfigError(["what"], "do")
    call = app_of(recall=failing(raised))
    with capture_logs() as logs:
        status, answer = asyncio.run(call("POST", "/v1/recall", QUESTION))
    assert status == error.http_status
    assert answer == {"error": {"code": error.code, "message": "what", "hint": "do"}}
    assert logs == []


def test_what_is_no_text_in_an_error_becomes_a_question_mark() -> None:
    call = app_of(recall=failing(ModelTimeout("half \ud83d a pair")))
    status, answer = asyncio.run(call("POST", "/v1/recall", QUESTION))
    assert status == 503
    assert answer["error"]["message"] == "half ? a pair"


def test_calls_that_wait_for_work_do_not_hold_up_the_others() -> None:
    working, done = threading.Semaphore(0), threading.Event()

    def retain(request: wire.RetainRequest) -> wire.RetainAnswer:
        if request.wait:
            working.release()
            assert done.wait(20)
        return wire.RetainAnswer(queued=0)

    call = app_of(retain=retain, recall=lambda request: FOUND)

    async def run() -> None:
        waiting = [
            asyncio.create_task(call("POST", "/v1/retain", {"flush": True, "wait": True}))
            for _ in range(100)
        ]
        for _ in range(PATIENT_CALLS):
            await asyncio.to_thread(working.acquire, timeout=10)
        began = time.monotonic()
        assert (await call("POST", "/v1/recall", QUESTION))[0] == 200
        assert (await call("POST", "/v1/retain", {"facts": []}))[0] == 200
        assert time.monotonic() - began < 2
        assert not any(task.done() for task in waiting)
        done.set()
        assert {status for status, _ in await asyncio.gather(*waiting)} == {200}

    asyncio.run(run())


def test_health_opens_nothing() -> None:
    status, answer = asyncio.run(app_of()("GET", "/v1/health"))
    assert (status, answer["ok"]) == (200, True)
