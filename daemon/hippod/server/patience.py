"""What routes share: threads for calls that wait, and fields that stand in the body only."""

from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import Depends, Request

from hippod.errors import InvalidInput

T = TypeVar("T")

PATIENT_CALLS = 8
"""Requests at once that may wait for work (an extraction, a job); further ones queue."""


class Patiently:
    """Runs calls that wait for work in threads of their own, so quick ones never queue behind."""

    def __init__(self) -> None:
        self._limiter = CapacityLimiter(PATIENT_CALLS)

    async def __call__(self, work: Callable[[], T]) -> T:
        """Return what `work` returns."""
        return await to_thread.run_sync(work, limiter=self._limiter)


async def _no_query(request: Request) -> None:
    # A scope that somebody wrote into the URL must not be passed over in silence. (A coroutine:
    # FastAPI would send a function to a thread at every request.)
    for name in request.query_params:
        raise InvalidInput(f"{name}: is in the URL", "this request takes its fields in the body")


BODY_ONLY = [Depends(_no_query)]
