"""What the doctor is asked and answers, as it goes over the wire."""

from collections.abc import Collection
from typing import Annotated, Literal

from pydantic import Field

from hippod.wire import Model, Request, Text

State = Literal["ok", "warn", "fail", "skipped"]
Name = Annotated[Text, Field(max_length=100)]
MAX_NAMES = 100
_WORST: tuple[State, ...] = ("fail", "warn")


class DoctorQuery(Request):
    """Which checks to make; none named: all of them."""

    only: Annotated[tuple[Name, ...], Field(max_length=MAX_NAMES)] = ()
    """Only these checks."""


class DoctorRequest(DoctorQuery):
    """The same in a body; `fix`: also mend what can safely be mended."""

    fix: bool = False
    """Also mend what can safely be mended."""


class Finding(Model):
    """What one check found: `said` in one sentence, `fix` what to do about it.

    A check that finds several things gives several. `fixed`: it was mended just now, and `said`
    tells how. Paths and counts may stand in it, never what notes say.
    """

    name: str
    group: str
    state: State
    said: str
    fix: str = ""
    fixed: bool = False


class Diagnosis(Model):
    """All findings; `state` is the worst of them (`ok`, `warn` or `fail`)."""

    state: State
    findings: tuple[Finding, ...]
    seconds: float
    version: str


def worst(states: Collection[State]) -> State:
    """Return what several findings come to."""
    return next((each for each in _WORST if each in states), "ok")
