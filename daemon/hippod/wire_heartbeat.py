"""The fields of the heartbeat.

As in `wire`: what the library, HTTP, the CLI and MCP all send and receive.
"""

from typing import Annotated, Literal

from pydantic import Field

from hippod.wire import Model, Request

Outcome = Literal["ok", "attention", "skipped", "failed", "interrupted"]

MOST_BEATS = 100
"""Beats that are kept."""


class HeartbeatRequest(Request):
    """Look at the checklist now; `dry_run` says what would be done: it runs and writes nothing."""

    dry_run: bool = False
    """Only say what would be done."""


class HistoryRequest(Request):
    """The last beats."""

    limit: Annotated[int, Field(ge=1, le=MOST_BEATS)] = 20


class BeatItem(Model):
    """An item of the checklist in one beat.

    `state` is `fine`, `attention`, `not judged`, `failed`, `done` (an action), `left` (to an
    agent) or, in a dry run, `to do`. `evidence` are citations. `told` says that this beat wrote
    it down or, in a dry run, would.
    """

    text: str
    kind: str
    line: int
    state: str
    reason: str = ""
    evidence: tuple[str, ...] = ()
    told: bool = False


class Beat(Model):
    """What a heartbeat did.

    `outcome` is `attention` if an item needs it, whether it was told in this beat or in an
    earlier one; `skipped` if there was nothing to look at, with the `reason`. `reflected` and
    `tidied` say whether it did so before the checklist. `tokens` and `calls` are what judging
    cost, `quiet` that it was a quiet hour. `reply` is `HEARTBEAT_OK` if nothing needs a person;
    else what is new, then what does so still, or why nothing was looked at. `problems`
    are what went wrong without ending the beat, and sentences of the checklist that were not
    understood.
    """

    started: str
    outcome: Outcome
    reason: str = ""
    items: tuple[BeatItem, ...] = ()
    reflected: bool = False
    tidied: bool = False
    tokens: int = 0
    calls: int = 0
    seconds: float = 0.0
    quiet: bool = False
    dry_run: bool = False
    reply: str = "HEARTBEAT_OK"
    problems: tuple[str, ...] = ()


class BeatList(Model):
    """Beats, the newest first."""

    beats: tuple[Beat, ...]
