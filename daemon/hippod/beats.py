"""The beats that were: as they stand in the history of runs, and what they cost."""

from datetime import date, datetime, tzinfo
from typing import get_args

from pydantic import ValidationError

from hippod.state import Run, State
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
            reply=f"{run.outcome}: {run.error or 'nothing more is kept of it'}",
            tokens=run.tokens,
            seconds=round(run.seconds, 3),
        )
    outcome = _outcome(run.outcome)
    if beat.outcome == outcome:
        return beat
    return beat.model_copy(update={"outcome": outcome, "reply": f"{outcome}: {run.error}"})


def _outcome(text: str) -> Outcome:
    known: tuple[Outcome, ...] = get_args(Outcome)
    return next((each for each in known if each == text), "failed")


class Spending:
    """The tokens that judging cost on a day of the user's, whoever asked for the beats."""

    def __init__(self, state: State) -> None:
        self._state = state

    def on(self, day: date) -> int:
        """Return the sum of a day."""
        kept, _, tokens = (self._state.get_meta(_SPENT) or "").partition(" ")
        return int(tokens) if kept == day.isoformat() and tokens.isdecimal() else 0

    def add(self, day: date, tokens: int) -> None:
        """Add to the sum of a day; that of another day is over."""
        self._state.set_meta(_SPENT, f"{day} {self.on(day) + tokens}")


_SPENT = "heartbeat.tokens"


def local(moment: datetime, zone: tzinfo) -> str:
    """Return a moment as it goes over the wire."""
    return moment.astimezone(zone).isoformat(timespec="seconds")
