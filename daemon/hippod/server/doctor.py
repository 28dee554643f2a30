"""The HTTP routes of the doctor."""

from typing import Annotated

from fastapi import FastAPI, Query

from hippod.server.patience import BODY_ONLY, Patiently
from hippod.service import Memory
from hippod.wire_doctor import Diagnosis, DoctorQuery, DoctorRequest

EVERYTHING = DoctorRequest()


def routes(app: FastAPI, memory: Memory, patiently: Patiently) -> None:
    """Add them to the application; `patiently` runs what waits for work in threads of its own."""

    @app.get("/v1/doctor")
    async def doctor(request: Annotated[DoctorQuery, Query()]) -> Diagnosis:
        """Test each claim of the workspace and of this daemon, changing nothing."""
        asked = DoctorRequest(scope=request.scope, only=request.only)
        return await patiently(lambda: memory.doctor(asked))

    @app.post("/v1/doctor", dependencies=BODY_ONLY)
    async def mend(request: DoctorRequest = EVERYTHING) -> Diagnosis:
        """Do the same, and with `fix` mend what can safely be mended."""
        return await patiently(lambda: memory.doctor(request))
