"""Runs `hippod` with two things altered that cannot be waited for or set from outside.

`FAULTS_GRAPH_FROM=n`: the graph of vectors is used from n vectors on. `FAULTS_CLOCK=FILE`: the
clock is off by as many seconds as the file says, and may jump while it runs.
"""

import os
import sys
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from hippod import compose
from hippod.cli import main
from hippod.index import vectors

clock = os.environ.get("FAULTS_CLOCK")


def now() -> datetime:
    """Return the time that the file makes of the real one."""
    off = float(Path(clock or "").read_text() or 0)
    return datetime.now(UTC) + timedelta(seconds=off)


if clock:
    compose.over = partial(compose.over, clock=now)
vectors.GRAPH_FROM = int(os.environ.get("FAULTS_GRAPH_FROM", vectors.GRAPH_FROM))
sys.exit(main())
