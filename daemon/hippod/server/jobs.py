"""The HTTP routes of the scheduled jobs."""

from typing import Annotated

from fastapi import FastAPI, Query

from hippod import wire
from hippod.server.patience import BODY_ONLY, Patiently
from hippod.service import Memory

NO_FIELDS = wire.Request()


def routes(app: FastAPI, memory: Memory, patiently: Patiently) -> None:
    """Add them to the application; `patiently` runs what waits for work in threads of its own."""

    @app.get("/v1/jobs")
    def jobs(request: Annotated[wire.Request, Query()]) -> wire.JobList:
        """List the scheduled jobs with their next and last runs."""
        return wire.JobList(jobs=tuple(memory.jobs(request.scope)))

    @app.post("/v1/jobs/{name}/run", dependencies=BODY_ONLY)
    async def run_job(name: str, request: wire.Request = NO_FIELDS) -> wire.Job:
        """Run a job now and wait for it."""
        return await patiently(lambda: memory.run_job(name, request.scope))

    @app.post("/v1/jobs/{name}/pause", dependencies=BODY_ONLY)
    def pause_job(name: str, request: wire.Request = NO_FIELDS) -> wire.Job:
        """Let a job run only when asked, until it is resumed; over restarts too."""
        return memory.pause_job(name, request.scope)

    @app.post("/v1/jobs/{name}/resume", dependencies=BODY_ONLY)
    def resume_job(name: str, request: wire.Request = NO_FIELDS) -> wire.Job:
        """Let a paused job go on at its next time; what it missed meanwhile is left out."""
        return memory.resume_job(name, request.scope)
