"""When a person is told what was found: once, again when it changed, and later as a reminder."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, get_args

from hippod.checklist.verdict import State, Verdict, digest

Tell = Literal["now", "log", "later", "nothing"]
"""Write it down and tell it; write it down alone; tell what stands in the log already; neither."""

PUNCTUAL = timedelta(minutes=5)
"""Beats come a little sooner or later than planned: a time that is so nearly over is over."""
_TOLD: frozenset[State] = frozenset({"attention", "failed"})
_KEEPS: frozenset[State] = frozenset({"not judged", "left"})


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of an item from one beat to the next.

    `inputs` is the digest of what a model was asked about and `verdict` what it said; `told` is
    when a person was told last and `sameness` what of, empty once it was over. `held` says that
    quiet hours held it back from all but the log. `noted` is the digest of the evidence that
    could not be judged, and `output` what the command of a check printed last.
    """

    inputs: str = ""
    verdict: Verdict | None = None
    told: datetime | None = None
    sameness: str = ""
    held: bool = False
    noted: str = ""
    output: str | None = None


@dataclass(frozen=True, slots=True)
class Manner:
    """How an item is told: the pauses between, whether it is a quiet hour, what breaks that."""

    cool_down: timedelta
    remind_after: timedelta
    quiet: bool = False
    urgent: bool = False


def decide(
    verdict: Verdict, evidence: str, kept: Kept, manner: Manner, now: datetime
) -> tuple[Tell, Kept]:
    """Say how a finding is told, and what is to be kept once it was.

    `evidence` is the digest of what the item was judged by. `now` is aware. After a clock that
    went back the pauses count from now.
    """
    if verdict.state == "not judged":
        noted = replace(kept, noted=evidence)
        return ("nothing" if kept.noted == evidence else "log"), noted
    if verdict.state in _TOLD:
        return _told(verdict, replace(kept, noted=""), manner, now)
    if verdict.state in _KEEPS:
        return "nothing", kept
    return "nothing", replace(kept, sameness="", held=False, noted="")


def _told(verdict: Verdict, kept: Kept, manner: Manner, now: datetime) -> tuple[Tell, Kept]:
    if kept.told is not None and kept.told > now:
        kept = replace(kept, told=now)
    same = sameness(verdict)
    hushed = manner.quiet and not manner.urgent
    tell: Tell = "log" if hushed else "now"
    if _is_due(same, kept, manner, now):
        return tell, replace(kept, told=now, sameness=same, held=hushed)
    if kept.held and not hushed:
        tell = "later" if same == kept.sameness else "now"
        return tell, replace(kept, told=now, sameness=same, held=False)
    return "nothing", kept


def _is_due(same: str, kept: Kept, manner: Manner, now: datetime) -> bool:
    if kept.told is None:
        return True
    passed = now - kept.told + PUNCTUAL
    if same != kept.sameness:
        return passed >= manner.cool_down
    return manner.remind_after > timedelta() and passed >= manner.remind_after


def sameness(verdict: Verdict) -> str:
    """Return what is equal for two verdicts that are the same news."""
    return digest([verdict.state, verdict.sameness or verdict.reason])


# -- the words ---------------------------------------------------------------------------------

_MOST = 400
"""Characters of what is told of an item."""
_CITED = 3


def words(item: str, verdict: Verdict) -> str:
    """Return the line that tells a finding: what was found, and where it stands."""
    reason = verdict.reason
    if verdict.state in ("not judged", "failed"):
        reason = f"{verdict.state}: {_cut(item, _MOST // 4)}: {reason}"
    cited = f" ({', '.join(verdict.evidence[:_CITED])})" if verdict.evidence else ""
    return f"{_cut(reason, _MOST)}{cited}"


def _cut(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 2].rstrip()} …"


def reply(told: Sequence[str]) -> str:
    """Return what a beat says in the end."""
    return "\n".join(f"- {line}" for line in told) if told else "HEARTBEAT_OK"


# -- as it is kept -----------------------------------------------------------------------------


def dump(kept: Kept) -> str:
    """Return it as JSON."""
    values = asdict(kept) | {"told": kept.told.isoformat() if kept.told else None}
    return json.dumps(values, ensure_ascii=False)


def load(text: str) -> Kept:
    """Read what `dump` wrote; of what `forget` blanked, or another version wrote, nothing is kept.

    Whatever stands there, no error comes of it.
    """
    try:
        values = json.loads(text)
        return Kept(
            inputs=str(values["inputs"]),
            verdict=_verdict(values["verdict"]),
            told=_moment(values["told"]),
            sameness=str(values["sameness"]),
            held=bool(values["held"]),
            noted=str(values["noted"]),
            output=None if values["output"] is None else str(values["output"]),
        )
    except (ValueError, TypeError, LookupError):
        return Kept()


def _verdict(values: object) -> Verdict | None:
    if values is None:
        return None
    if not isinstance(values, dict) or values["state"] not in get_args(State):
        raise ValueError
    cited = tuple(map(str, values["evidence"]))
    return Verdict(values["state"], str(values["reason"]), cited, str(values["sameness"]))


def _moment(text: object) -> datetime | None:
    if text is None:
        return None
    moment = datetime.fromisoformat(str(text))
    if moment.tzinfo is None:
        raise ValueError
    return moment
