"""`state.sqlite`: cursors, batches, journal, job history, events. The only file that migrates."""

from hippod.state.census import Census, LastRun
from hippod.state.store import (
    FACTS_BY,
    Batch,
    BatchFact,
    BatchStatus,
    Forgotten,
    Origin,
    Reflected,
    Refusal,
    Rejected,
    Run,
    State,
    Usage,
    Verdict,
)

__all__ = [
    "FACTS_BY",
    "Batch",
    "BatchFact",
    "BatchStatus",
    "Census",
    "Forgotten",
    "LastRun",
    "Origin",
    "Reflected",
    "Refusal",
    "Rejected",
    "Run",
    "State",
    "Usage",
    "Verdict",
]
