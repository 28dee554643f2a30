"""The beats that were: as they stand in the history of runs, and what they cost."""

from collections.abc import Iterable
from datetime import date, datetime, tzinfo
from typing import get_args

from pydantic import ValidationError

from hippod.state import Run
from hippod.wire_heartbeat import Beat, Outcome


def read(run: Run, zone: tzinfo) -> Beat:
    """Return the beat of a run; of one that was broken off, or of which something was forgotten,
    what is known.
    """
    try:
        beat = Beat.model_validate_json(run.detail)
    except ValidationError:
        return Beat(
            started=local(run.started, zone),
            outcome=_outcome(run.outcome),
            reason=run.error,
            tokens=run.tokens,
            seconds=round(run.seconds, 3),
        )
    outcome = _outcome(run.outcome)
    return beat if beat.outcome == outcome else beat.model_copy(update={"outcome": outcome})


def _outcome(text: str) -> Outcome:
    known: tuple[Outcome, ...] = get_args(Outcome)
    return next((each for each in known if each == text), "failed")


def tokens_on(day: date, runs: Iterable[Run], zone: tzinfo) -> int:
    """Return what judging cost in the beats of a day of the user's."""
    return sum(read(run, zone).tokens for run in runs if run.started.astimezone(zone).date() == day)


def local(moment: datetime, zone: tzinfo) -> str:
    """Return a moment as it goes over the wire."""
    return moment.astimezone(zone).isoformat(timespec="seconds")
