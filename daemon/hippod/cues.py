"""The cue score of a sentence: which class of lasting statement it is, or why it is none.

The classes are those of a grammarian: decisions, preferences, standing instructions, facts
about people and things, plans with a date, lessons learnt, finished work, and what the
speaker asks to be remembered; against questions, hypotheses, requests, passing states and
small talk. The tables of each language are in `cuewords`.
"""

from dataclasses import dataclass
from typing import Literal

from hippod import cuewords, dates
from hippod.language import content_stems, guess, is_spaceless
from hippod.transcripts.turns import Role

Kind = Literal["W", "B", "O", "S"]
FLOOR, CEILING = -3.0, 3.0


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
        return Cue(CEILING, kind, True, "asked to remember")
    gained = best.weight + 0.5 * (len(positives) - 1) if best else 0.0
    lost = [cue for cue in table.negative if cue.pattern.search(sentence)]
    total = gained - sum(cue.weight for cue in lost)
    reason = ", ".join(cue.name for cue in [*positives, *lost]) or "no cue"
    return Cue(_clamp(total), best.kind if best else None, False, reason)


def _of_agent(sentence: str, table: cuewords.Table, language: str) -> Cue:
    """Only finished work counts: what an agent says about the world is not known to be true."""
    if sentence.rstrip(" \"')").endswith(("?", "？")) or table.agent_chatter.search(sentence):
        return Cue(FLOOR, None, False, "not finished work")
    if not table.finished.search(sentence):
        return Cue(FLOOR, None, False, "not finished work")
    if _weight(sentence, language) < 4:
        return Cue(FLOOR, None, False, "says too little")
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
        return "says too little"
    standing = any(cue.pattern.search(sentence) for cue in table.positive if cue.standing)
    if not explicit and not standing and table.request.search(sentence):
        return "request"
    return None


def _classes(
    sentence: str, table: cuewords.Table, language: str
) -> list[cuewords.Pattern]:
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
