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
REMEMBERED = timedelta(days=30)
"""How long it is kept what was told of an item that left the list."""
_TOLD: frozenset[State] = frozenset({"attention", "failed"})
_KEEPS: frozenset[State] = frozenset({"not judged", "left"})
_MOST_NOTED = 200
_SOMETHING = "?"
"""What is kept of `Kept.noted`, and of each piece of `Kept.sameness`, once something was forgotten:
what is left is no news."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of an item from one beat to the next.

    `inputs` is the digest of what a model was asked about and `verdict` what it said; `told` is
    when it was last written down and `sameness` what of, empty once it was over. `held` says that
    it stands in the log and the events alone, for no notifier took it yet: it is a quiet hour,
    they failed, or the beat was broken off. `noted` are the digests of the evidence that could not
    be judged and `noted_at` when that was written down. `output` is the digest of what the command
    of a check printed when a person was told last (or at the first time), and `grounds` what a
    question was judged by. `left` is since when it stands in the list no more.
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
    left: datetime | None = None


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
    if kept.noted == _SOMETHING:
        return "nothing", replace(kept, noted=evidence)
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
    if _SOMETHING in kept.sameness and not _is_news(same, kept):
        kept = replace(kept, sameness=same)
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
        is_back = manner.urgent and not kept.sameness
        return is_back or _is_over(manner.cool_down, kept.told, now)
    pause = max(manner.remind_after, manner.cool_down)
    return manner.remind_after > timedelta() and _is_over(pause, kept.told, now)


def _is_over(pause: timedelta, since: datetime, now: datetime) -> bool:
    """Say whether a pause is over, or so nearly that the next beat would come far too late."""
    return now - since + min(PUNCTUAL, pause / 4) >= pause


def leave(kept: Kept, now: datetime) -> Kept | None:
    """Return what is kept of an item that is not in the list; None once that is long ago.

    People take an item out for a while: what changes meanwhile is still news when it is back.
    """
    left = min(kept.left or now, now)
    return None if now - left >= REMEMBERED else replace(kept, left=left)


def is_reminder(verdict: Verdict, before: Kept) -> bool:
    """Say whether a person was told just this before."""
    return before.told is not None and not before.held and not _is_news(sameness(verdict), before)


def _is_news(same: str, kept: Kept) -> bool:
    """Say whether something of it was not told yet; what dropped out of it is no news."""
    new = members(same) - members(kept.sameness)
    return len(new) > kept.sameness.count(_SOMETHING)


def sameness(verdict: Verdict) -> str:
    """Return what is equal for two verdicts that are the same news."""
    pieces = members(verdict.sameness) or {verdict.reason}
    return together(digest([verdict.state, piece]) for piece in pieces)


# -- the words ---------------------------------------------------------------------------------

_MOST = 1_000
"""Characters of what is told of an item: room for all that a verdict lists, each cut by itself."""
_LONGEST_ITEM = 100
_CITED = 3
_MOST_STANDING = 20
"""Lines of a reply that are not told by this beat."""
_NEW = "new, told when the cool-down is over: "


def words(item: str, verdict: Verdict, *, again: bool = False) -> str:
    """Return the line that tells a finding, as a reminder or not, and where it stands."""
    reason = verdict.reason
    if verdict.state in ("not judged", "failed"):
        reason = f"{verdict.state}: {_cut(item, _LONGEST_ITEM)}: {reason}"
    cited = f" ({', '.join(verdict.evidence[:_CITED])})" if verdict.evidence else ""
    return f"{'still: ' if again else ''}{_cut(reason, _MOST)}{cited}"


def _cut(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 2].rstrip()} …"


PRESSING: Mapping[str, str] = {
    "attention": "need attention",
    "failed": "could not be looked at",
}
"""What needs a person, as it is counted."""


def counted(states: Sequence[str], of: str = "", *, still: bool = False) -> str:
    """Count the items that need a person: "2 of 9 items need attention, 1 could not …"."""
    counts = {what: states.count(state) for state, what in PRESSING.items()}
    said = [f"{count} {'still ' * still}{what}" for what, count in counts.items() if count]
    said[:1] = [first.replace(" ", f"{of} items ", 1) for first in said[:1]]
    return ", ".join(said)


def listed(lines: Sequence[str]) -> str:
    """Return lines as a list."""
    return "\n".join(f"- {line}" for line in lines)


def reply(told: Sequence[str], standing: Sequence[str] = (), summary: str = "") -> str:
    """Return what a beat says in the end.

    `told` is what it tells, `standing` what else needs a person, as `standing` says it: what is
    new comes first. `summary` counts that.
    """
    if not told and not standing:
        return "HEARTBEAT_OK"
    new = [line for line in standing if line.startswith(_NEW)]
    ordered = [*new, *(line for line in standing if not line.startswith(_NEW))]
    lines = [*told, *ordered[:_MOST_STANDING]]
    if more := len(ordered) - _MOST_STANDING if ordered[_MOST_STANDING:] else 0:
        lines.append(f"… and {more} more")
    if told:
        return listed(lines)
    return f"{f'{len(new)} new' if new else 'nothing new'}: {summary}\n{listed(lines)}"


def standing(line: str, verdict: Verdict, before: Kept) -> str:
    """Return the line of what needs a person and is not told by this beat, with why not."""
    if _is_news(sameness(verdict), before):
        return f"{_NEW}{line}"
    return f"{line} ({'held back until it can be told' if before.held else 'told before'})"


# -- as it is kept -----------------------------------------------------------------------------


def dump(kept: Kept) -> str:
    """Return it as JSON."""
    moments = {"told": kept.told, "noted_at": kept.noted_at, "left": kept.left}
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
            left=_moment(values.get("left")),
        )
    except (ValueError, TypeError, LookupError, AttributeError):
        return Kept()


def without_grounds(text: str) -> str:
    """Return what `dump` wrote without digests of what was judged: they would confirm a guess.

    When a person was told stays, and that something was noted: what is left of it is no news.
    """
    kept = load(text)
    return dump(
        Kept(
            told=kept.told,
            sameness=_blanked(kept.sameness),
            held=kept.held,
            noted=_SOMETHING if kept.noted else "",
            noted_at=kept.noted_at,
            left=kept.left,
        )
    )


def without_digests(text: str) -> str:
    """Return what `dump` wrote without digests of what was told: one may be of what is forgotten.

    What it was judged by stays.
    """
    kept = load(text)
    noted = _SOMETHING if kept.noted else ""
    return dump(replace(kept, sameness=_blanked(kept.sameness), noted=noted))


def _blanked(told: str) -> str:
    return told and "\x1e".join(_SOMETHING for _ in told.split("\x1e"))


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
