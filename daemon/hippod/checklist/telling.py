"""When a person is told what was found: once, again when it changed, and later as a reminder."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, get_args

from hippod.checklist.grounds import Ground
from hippod.checklist.verdict import State, Verdict, digest, members, together

Tell = Literal["now", "log", "later", "nothing"]
"""Write it down and tell it; write it down alone; tell what stands in the log already; neither."""

PUNCTUAL = timedelta(minutes=5)
"""Beats come a little sooner or later than planned: a time that is so nearly over is over."""
_TOLD: frozenset[State] = frozenset({"attention", "failed"})
_KEEPS: frozenset[State] = frozenset({"not judged", "left"})
_MOST_NOTED = 200


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of an item from one beat to the next.

    `inputs` is the digest of what a model was asked about and `verdict` what it said; `told` is
    when it was last written down and `sameness` what of, empty once it was over. `held` says that
    it stands in the log and the events alone, for no notifier took it yet: it is a quiet hour,
    they failed, or the beat was broken off. `noted` are the digests of the evidence that could not
    be judged and `noted_at` when that was written down. `output` is the digest of what the command
    of a check printed when a person was told last (or at the first time), and `grounds` what a
    question was judged by.
    """

    inputs: str = ""
    verdict: Verdict | None = None
    told: datetime | None = None
    sameness: str = ""
    held: bool = False
    noted: str = ""
    noted_at: datetime | None = None
    output: str | None = None
    grounds: tuple[Ground, ...] = ()


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

    `evidence` are the digests, with spaces between, of what the item was judged by. `now` is
    aware. After a clock that went back the pauses count from now.
    """
    if verdict.state == "not judged":
        return _noted(evidence, kept, manner, now)
    if verdict.state in _TOLD:
        return _told(verdict, replace(kept, noted=""), manner, now)
    if verdict.state in _KEEPS:
        return "nothing", kept
    return "nothing", replace(kept, sameness="", held=False, noted="")


def _noted(evidence: str, kept: Kept, manner: Manner, now: datetime) -> tuple[Tell, Kept]:
    """Have it written down once, and again when there is more to it: that some went is no news."""
    before = set(kept.noted.split())
    if kept.noted and before.issuperset(evidence.split()):
        return "nothing", kept
    at = min(kept.noted_at, now) if kept.noted_at else None
    if at is not None and not _is_over(manner.cool_down, at, now):
        return "nothing", replace(kept, noted_at=at)
    noted = [*evidence.split(), *sorted(before.difference(evidence.split()))][:_MOST_NOTED]
    return "log", replace(kept, noted=" ".join(noted), noted_at=now)


def _told(verdict: Verdict, kept: Kept, manner: Manner, now: datetime) -> tuple[Tell, Kept]:
    if kept.told is not None and kept.told > now:
        kept = replace(kept, told=now)
    same = sameness(verdict)
    hushed = manner.quiet and not manner.urgent
    tell: Tell = "log" if hushed else "now"
    if _is_due(same, kept, manner, now):
        return tell, replace(kept, told=now, sameness=same, held=hushed)
    if kept.held and not hushed:
        tell = "now" if _is_news(same, kept) else "later"
        return tell, replace(kept, told=now, sameness=same, held=False)
    return "nothing", kept


def _is_due(same: str, kept: Kept, manner: Manner, now: datetime) -> bool:
    if kept.told is None:
        return True
    if _is_news(same, kept):
        return _is_over(manner.cool_down, kept.told, now)
    pause = max(manner.remind_after, manner.cool_down)
    return manner.remind_after > timedelta() and _is_over(pause, kept.told, now)


def _is_over(pause: timedelta, since: datetime, now: datetime) -> bool:
    """Say whether a pause is over, or so nearly that the next beat would come far too late."""
    return now - since + min(PUNCTUAL, pause / 4) >= pause


def is_reminder(verdict: Verdict, before: Kept) -> bool:
    """Say whether a person was told just this before."""
    return before.told is not None and not before.held and not _is_news(sameness(verdict), before)


def _is_news(same: str, kept: Kept) -> bool:
    """Say whether something of it was not told yet; what dropped out of it is no news."""
    return not members(same) <= members(kept.sameness)


def sameness(verdict: Verdict) -> str:
    """Return what is equal for two verdicts that are the same news."""
    pieces = members(verdict.sameness) or {verdict.reason}
    return together(digest([verdict.state, piece]) for piece in pieces)


# -- the words ---------------------------------------------------------------------------------

_MOST = 400
"""Characters of what is told of an item."""
_CITED = 3
_MOST_STANDING = 20
"""Lines of a reply that are no news."""


def words(item: str, verdict: Verdict, *, again: bool = False) -> str:
    """Return the line that tells a finding, as a reminder or not, and where it stands."""
    reason = verdict.reason
    if verdict.state in ("not judged", "failed"):
        reason = f"{verdict.state}: {_cut(item, _MOST // 4)}: {reason}"
    cited = f" ({', '.join(verdict.evidence[:_CITED])})" if verdict.evidence else ""
    return f"{'still: ' if again else ''}{_cut(reason, _MOST)}{cited}"


def _cut(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 2].rstrip()} …"


def listed(lines: Sequence[str]) -> str:
    """Return lines as a list."""
    return "\n".join(f"- {line}" for line in lines)


def reply(told: Sequence[str], standing: Sequence[str] = (), summary: str = "") -> str:
    """Return what a beat says in the end.

    `told` is what is new, `standing` what needs a person and is not, of which `summary` counts it.
    """
    if not told and not standing:
        return "HEARTBEAT_OK"
    lines = [*told, *standing[:_MOST_STANDING]]
    if more := len(standing) - _MOST_STANDING if standing[_MOST_STANDING:] else 0:
        lines.append(f"… and {more} more")
    return listed(lines) if told else f"nothing new: {summary}\n{listed(lines)}"


# -- as it is kept -----------------------------------------------------------------------------


def dump(kept: Kept) -> str:
    """Return it as JSON."""
    moments = {"told": kept.told, "noted_at": kept.noted_at}
    values = asdict(kept) | {key: at and at.isoformat() for key, at in moments.items()}
    return json.dumps(values, ensure_ascii=False)


def load(text: str) -> Kept:
    """Read what `dump` wrote, in this version or another; of what `forget` blanked nothing is kept.

    Whatever stands there, no error comes of it.
    """
    try:
        values = json.loads(text)
        output = values.get("output")
        return Kept(
            inputs=str(values.get("inputs", "")),
            verdict=_verdict(values.get("verdict")),
            told=_moment(values.get("told")),
            sameness=str(values.get("sameness", "")),
            held=bool(values.get("held", False)),
            noted=str(values.get("noted", "")),
            noted_at=_moment(values.get("noted_at")),
            output=None if output is None else str(output),
            grounds=tuple(map(_ground, values.get("grounds", ()))),
        )
    except (ValueError, TypeError, LookupError, AttributeError):
        return Kept()


def _verdict(values: object) -> Verdict | None:
    if values is None:
        return None
    if not isinstance(values, dict) or values["state"] not in get_args(State):
        raise ValueError
    cited = tuple(map(str, values["evidence"]))
    return Verdict(values["state"], str(values["reason"]), cited, str(values["sameness"]))


def _ground(values: Mapping[str, object]) -> Ground:
    return Ground(*(str(values.get(key, "")) for key in ("piece", "path", "line", "days")))


def _moment(text: object) -> datetime | None:
    if text is None:
        return None
    moment = datetime.fromisoformat(str(text))
    if moment.tzinfo is None:
        raise ValueError
    return moment
