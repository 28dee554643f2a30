"""A sentence on its way to become a fact, and what becomes of those that do not."""

from dataclasses import dataclass
from datetime import datetime

from hippod.extraction import fidelity, prompts
from hippod.extraction.cues import Cue, Kind
from hippod.transcripts.turns import Turn

CUE_LIMIT, LABEL_LIMIT = 3.0, 4.0
PROPOSED = 2.0
"""What the proposal of a model that reads the whole batch adds to a score."""
NOTED = 0.5
"""The cue score above which a note counts against a probe that was learnt on chats."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """A candidate that did not become a fact, why, and the id of its turn. Holds no secret."""

    text: str
    reason: str
    turn: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence on its way; `sources` are the sentences that support it, `said` their time.

    `rests_on` are the ids of further turns that its sources stand in. `proposal` is a model's
    wording, `backing` the further sentences that the model cites for it; an empty proposal says
    that the sentence is worth keeping in its own words. `judged` is what the probe makes of it,
    `margin` what the labels of a generator do where there is no probe. `noted`: somebody
    wrote it down to be found again; `as_stated`: a note that says nothing of its author, who
    need not be its speaker.
    """

    turn: Turn
    speaker: str
    sentence: str
    language: str
    cue: Cue
    sources: tuple[str, ...]
    said: datetime | None
    margin: float = 0.0
    judged: float | None = None
    about: str | None = None
    rests_on: tuple[str, ...] = ()
    proposal: str | None = None
    proposed_kind: Kind | None = None
    backing: tuple[str, ...] = ()
    noted: bool = False
    as_stated: bool = False

    @property
    def score(self) -> float:
        """Above 0 it is worth keeping."""
        proposed = PROPOSED if self.proposal is not None else 0.0
        if self.judged is not None and self.noted:
            return max(self.judged, self.cue.score - NOTED) + proposed
        if self.judged is not None and self._is_standing:
            return max(self.judged, self.cue.score) + proposed
        if self.judged is not None:
            return self.judged + proposed
        return _clamp(self.cue.score, CUE_LIMIT) + _clamp(self.margin, LABEL_LIMIT) + proposed

    @property
    def _is_standing(self) -> bool:
        """Whether it plainly says how things are to be done from now on: the words tell enough."""
        return "standing instruction" in self.cue.reason and self.cue.score >= 1.0

    def rejected(self, reason: str, text: str | None = None) -> Rejection:
        """Return it as one that did not become a fact; `text` in place of the sentence."""
        return Rejection(shortened(text or self.sentence), reason, self.turn.id)

    @property
    def prompted_as(self) -> str:
        """The name that a prompt gives to its speaker."""
        return self.speaker if self.turn.role == "user" else prompts.AGENT

    @property
    def words(self) -> fidelity.Said:
        """What a model's wording of it is held against."""
        sources = (*self.sources, *self.backing)
        return fidelity.Said(self.speaker, self.sentence, self.language, sources, self.about)


def _clamp(value: float, limit: float) -> float:
    return max(-limit, min(limit, value))


def shortened(text: str) -> str:
    """Return a text as one line that can be shown."""
    line = " ".join(text.split())
    return line if len(line) <= 300 else f"{line[:299]}…"
