"""What the daemon says on stderr, as another program reads it."""

import json
import subprocess
import sys

import pytest

TOKEN = "ghp_" + "q7Rk2ZpV9xLm4TnB8sWd3HfJ6yGc1Ea5q7Rk"
PROGRAM = f"""
import logging, structlog
from hippod import log
log.configure("debug", FORM)
mine, theirs = structlog.get_logger(), logging.getLogger("library")
mine.debug("document.indexed", path="notes/a b.md", units=3)
mine.warning("model.failed", reason="refused with {TOKEN}")
def fail():
    password = "{TOKEN}"
    raise ValueError("cannot read {TOKEN}")
for logger in (mine, theirs):
    try:
        fail()
    except ValueError:
        logger.exception("it.crashed")
theirs.info("chatter")
theirs.warning("header was Bearer {TOKEN}")
"""


@pytest.mark.parametrize("form", ["json", "console"])
def test_no_secret_is_said_at_any_level(form: str) -> None:
    program = PROGRAM.replace("FORM", repr(form))
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == ""
    assert "notes/a b.md" in done.stderr
    assert done.stderr.count("[REDACTED]") == 4
    assert done.stderr.count("ValueError: cannot read") == 2
    assert TOKEN not in done.stderr
    assert "password" not in done.stderr.replace('password = "', "")  # no values of variables
    assert "chatter" not in done.stderr


def test_events_are_one_json_object_a_line() -> None:
    program = PROGRAM.replace("FORM", "'json'")
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    events = [json.loads(line) for line in done.stderr.splitlines()]
    assert [event["level"] for event in events] == ["debug", "warning", "error", "error", "warning"]
    assert events[0]["event"] == "document.indexed"
    assert events[0]["units"] == 3
