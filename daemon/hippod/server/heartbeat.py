"""The HTTP routes of the heartbeat."""

from typing import Annotated

from fastapi import FastAPI, Query

from hippod import wire_heartbeat
from hippod.server.patience import BODY_ONLY, Patiently
from hippod.service import Memory

BEAT_NOW = wire_heartbeat.HeartbeatRequest()


def routes(app: FastAPI, memory: Memory, patiently: Patiently) -> None:
    """Add them to the application; `patiently` runs what waits for work in threads of its own."""

    @app.post("/v1/jobs/heartbeat/run", dependencies=BODY_ONLY)
    async def heartbeat(
        request: wire_heartbeat.HeartbeatRequest = BEAT_NOW,
    ) -> wire_heartbeat.Beat:
        """Reflect and tidy up if it is time to, look at the checklist, and say what it came to."""
        return await patiently(lambda: memory.heartbeat(request))

    @app.get("/v1/heartbeat")
    def heartbeat_history(
        request: Annotated[wire_heartbeat.HistoryRequest, Query()],
    ) -> wire_heartbeat.BeatList:
        """List the last heartbeats, the newest first."""
        return memory.heartbeat_history(request.limit, request.scope)
