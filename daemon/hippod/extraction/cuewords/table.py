"""What a cue table holds, and the builders of its patterns.

A pattern names a class of wording (a verb group with its subject, a construction), never a
topic. Weights are in the unit of the cue score; only the strongest class counts fully.
"""

import re
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Pattern:
    """One class of wording: what it adds or takes, and the kind of fact it makes.

    `standing` marks instructions that hold beyond the moment, and so are no mere requests.
    """

    name: str
    weight: float
    pattern: re.Pattern[str]
    kind: Literal["W", "O"] | None = "W"
    standing: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """The patterns of one language."""

    explicit: re.Pattern[str]
    not_explicit: re.Pattern[str]
    question: re.Pattern[str]
    hypothesis: re.Pattern[str]
    request: re.Pattern[str]
    small_talk: re.Pattern[str]
    finished: re.Pattern[str]
    agent_chatter: re.Pattern[str]
    positive: tuple[Pattern, ...]
    negative: tuple[Pattern, ...]


def compiled(pattern: str) -> re.Pattern[str]:
    """Compile ignoring case; `~` stands for white space, `~?` for white space or none."""
    return re.compile(pattern.replace("~?", r"\s*").replace("~", r"\s+"), re.IGNORECASE)


def decision(pattern: str, weight: float = 2.0) -> Pattern:
    """Something that holds from now on because somebody settled it."""
    return Pattern("decision", weight, compiled(pattern))


def preference(pattern: str, weight: float = 2.0) -> Pattern:
    """What somebody likes, dislikes or is best served with."""
    return Pattern("preference", weight, compiled(pattern), "O")


def standing(pattern: str, weight: float = 2.0) -> Pattern:
    """An instruction that holds beyond the moment."""
    return Pattern("standing instruction", weight, compiled(pattern), "O", standing=True)


def personal(pattern: str, weight: float = 1.5) -> Pattern:
    """A fact about the life of the speaker or of people around them."""
    return Pattern("personal fact", weight, compiled(pattern))


def learnt(pattern: str, weight: float = 1.25) -> Pattern:
    """How something is, works or is set up."""
    return Pattern("fact learnt", weight, compiled(pattern))


def transient(pattern: str, weight: float = 2.5) -> Pattern:
    """A state that will be over soon; a lasting statement may outweigh it."""
    return Pattern("passing state", weight, compiled(pattern), None)


def momentary(pattern: str) -> Pattern:
    """A state of minutes or hours: no statement, unless it comes with a lasting one."""
    return Pattern(MOMENTARY, 3.0, compiled(pattern), None)


def hearsay(pattern: str, weight: float = 2.0) -> Pattern:
    """What others are reported to say."""
    return Pattern("hearsay", weight, compiled(pattern), None)


def remark(pattern: str, weight: float = 2.0) -> Pattern:
    """A comment on what just happened."""
    return Pattern("remark", weight, compiled(pattern), None)


MOMENTARY = "momentary state"
JEST = Pattern("jest", 2.5, re.compile(""), None)
"""The class of what is said with a laugh."""
VOUCHED = Pattern("fact learnt", 1.25, re.compile(""))
"""The class of what somebody says who knows."""
CUSTOM = Pattern("personal fact", 1.25, re.compile(""))
"""The class of what the speaker has to do again and again."""
DATED = Pattern("dated", 1.5, re.compile(""), "W")
"""The class of statements that name a day, month or recurring time."""
