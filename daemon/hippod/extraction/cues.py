"""The cue score of a sentence: which class of lasting statement it is, or why it is none.

The classes are those of a grammarian: decisions, preferences, standing instructions, facts
about people and things, plans with a date, lessons learnt, finished work, and what the
speaker asks to be remembered; against questions, hypotheses, requests, passing states and
small talk. The tables of each language are in `cuewords`.
"""

import re
from dataclasses import dataclass
from typing import Literal

from hippod.extraction import cuewords, dates, names
from hippod.language import content_stems, guess, is_spaceless

Role = Literal["user", "assistant", "tool", "system"]
Kind = Literal["W", "B", "O", "S"]
FLOOR, CEILING = -3.0, 3.0
NO_CUE = -1.25
ASKED, TOO_LITTLE = "asked to remember", "says too little"


@dataclass(frozen=True, slots=True)
class Cue:
    """What the words of a sentence say about keeping it.

    `score` is in -3..3; at -3 the sentence is no statement at all and no model is asked.
    `kind` is None where no class was recognised. `explicit`: the speaker asked to remember.
    """

    score: float
    kind: Kind | None
    explicit: bool
    reason: str


def score(sentence: str, role: Role, language: str | None = None) -> Cue:
    """Score one sentence of a turn; `role` decides which classes count at all."""
    language = language or guess(sentence)
    table = cuewords.TABLES.get(language, cuewords.TABLES["en"])
    sentence = sentence.replace("’", "'")
    if role == "user":
        return _of_person(sentence, table, language)
    if role == "assistant":
        return _of_agent(sentence, table, language)
    return Cue(FLOOR, None, False, f"{role} turns state nothing")


def _of_person(sentence: str, table: cuewords.Table, language: str) -> Cue:
    explicit = bool(table.explicit.search(sentence)) and not table.not_explicit.search(sentence)
    if reason := _no_statement(sentence, table, language, explicit=explicit):
        return Cue(FLOOR, None, False, reason)
    positives = _classes(sentence, table, language)
    best = max(positives, key=lambda cue: cue.weight, default=None)
    if explicit:
        kind = best.kind if best and best.kind == "O" else "W"
        return Cue(CEILING, kind, True, ASKED)
    lost = [cue for cue in table.negative if cue.pattern.search(sentence)]
    if any(cue.name == cuewords.MOMENTARY for cue in lost) and not any(
        cue.name in _OUTLASTING for cue in positives
    ):
        return Cue(FLOOR, None, False, cuewords.MOMENTARY)
    gained = best.weight + 0.5 * (len(positives) - 1) if best else _bare(sentence, language)
    total = gained - sum(cue.weight for cue in lost if cue.name != cuewords.MOMENTARY)
    reason = ", ".join(cue.name for cue in [*positives, *lost]) or "no cue"
    return Cue(_clamp(total), best.kind if best else None, False, reason)


_OUTLASTING = frozenset({"decision", "preference", "standing instruction"})
_DEICTIC = re.compile(
    r"\b(?:this|that|these|those|here|there|it|dies\w*|das|hier|es|est[aeo]s?|eso|aquí|ça|ce|"
    r"cela|ici|isso|isto|aqui)\b|这|那|これ|それ|ここ",
    re.IGNORECASE,
)


def _bare(sentence: str, language: str) -> float:
    """Return the prior of a statement without any cue.

    A model finds nearly every sentence with content more lasting than an empty message, so
    one without a cue starts below 0: the more so if it is short or points at the moment,
    the less if it names something or gives a number.
    """
    prior = NO_CUE
    prior += 0.5 if names.spans(sentence, language) or re.search(r"\d", sentence) else 0.0
    prior -= 0.75 if _weight(sentence, language) < 4 else 0.0
    prior -= 0.75 if _DEICTIC.search(sentence) else 0.0
    return prior


def _of_agent(sentence: str, table: cuewords.Table, language: str) -> Cue:
    """Only finished work counts: what an agent says about the world is not known to be true."""
    if sentence.rstrip(" \"')").endswith(("?", "？")) or table.agent_chatter.search(sentence):
        return Cue(FLOOR, None, False, "not finished work")
    if not table.finished.search(sentence):
        return Cue(FLOOR, None, False, "not finished work")
    if _weight(sentence, language) < 4:
        return Cue(FLOOR, None, False, TOO_LITTLE)
    return Cue(2.0, "B", False, "finished work")


def _no_statement(
    sentence: str, table: cuewords.Table, language: str, *, explicit: bool
) -> str | None:
    """Return why the sentence states nothing, or None."""
    if sentence.rstrip(" \"')*_~🙂").endswith(("?", "？")) or table.question.search(sentence):
        return "question"
    if table.hypothesis.search(sentence):
        return "hypothesis"
    if table.small_talk.fullmatch(sentence.strip()):
        return "small talk"
    if not explicit and _weight(sentence, language) < 2:
        return TOO_LITTLE
    standing = any(cue.pattern.search(sentence) for cue in table.positive if cue.standing)
    if not explicit and not standing and table.request.search(sentence):
        return "request"
    return None


def _classes(sentence: str, table: cuewords.Table, language: str) -> list[cuewords.Pattern]:
    found = [cue for cue in table.positive if cue.pattern.search(sentence)]
    if dates.mentions(sentence, (language,)):
        found.append(cuewords.DATED)
    return found


def _weight(sentence: str, language: str) -> int:
    """Count content words; a CJK bigram is about half a word."""
    stems = content_stems(sentence, language)
    return (len(stems) + 1) // 2 if is_spaceless(language) else len(stems)


def _clamp(value: float) -> float:
    return max(FLOOR + 0.5, min(CEILING, value))
