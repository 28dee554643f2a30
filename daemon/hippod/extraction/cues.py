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
    momentary = any(cue.name == cuewords.MOMENTARY for cue in lost) or _is_of_today(sentence)
    if momentary and not any(cue.name in _OUTLASTING for cue in positives):
        return Cue(FLOOR, None, False, cuewords.MOMENTARY)
    gained = best.weight + 0.5 * (len(positives) - 1) if best else _bare(sentence, language)
    total = gained - sum(cue.weight for cue in lost if cue.name != cuewords.MOMENTARY)
    reason = ", ".join(cue.name for cue in [*positives, *lost]) or "no cue"
    return Cue(_clamp(total), best.kind if best else None, False, reason)


def _is_of_today(sentence: str) -> bool:
    """Tell a remark on how something is today from what begins, or has its day, today."""
    return bool(_TODAY.search(sentence)) and not _BEGINS_TODAY.search(sentence)


_TODAY = re.compile(
    r"\b(?:is|are|was|were|isn't|aren't|'s|tastes?|looks?|feels?|seems?|sounds?)\b.*\b(?:today|tonight)\b|"
    r"\btoday\b.*\b(?:is|are|was|were|tastes?|feels?)\b|"
    r"\b(?:ist|sind|war|waren|schmeckt|schmecken)\b.*\bheute\b|\bheute\b.*\b(?:ist|sind|war|waren|schmeck\w+)\b|"
    r"\b(?:es|son|está|están|fue|estuvo|sabe)\b.*\bhoy\b|\bhoy\b.*\b(?:es|son|está|están|fue)\b|"
    r"\b(?:est|sont|était|étaient)\b.*\baujourd'hui\b|\baujourd'hui\b.*\b(?:est|sont|était|étaient)\b|"
    r"\b(?:é|são|está|estão|estava|foi)\b.*\bhoje\b|\bhoje\b.*\b(?:é|são|está|estão|foi)\b|"
    r"今天[^。]*(?:很|真|太|好|不错|难)|今日[^。]*(?:い|かった|だ|です|でした)[。！ね]*$",
    re.IGNORECASE,
)
_BEGINS_TODAY = re.compile(
    r"\b(?:from|since|as\s+of|starting|until|till|by|ab|seit|bis|desde|hasta|(?:a|à)\s+partir\s+d[e']|"
    r"depuis|jusqu'à|dès|até)\s*(?:today|tonight|heute|hoy|aujourd'hui|hoje)|从今天|今日から|"
    r"\d|birthday|anniversary|geburtstag|jahrestag|cumpleaños|aniversario|anniversaire|aniversário|生日|誕生日",
    re.IGNORECASE,
)
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
    if _HEADING.search(sentence):
        return "heading"
    if table.hypothesis.search(sentence):
        return "hypothesis"
    if table.small_talk.fullmatch(sentence.strip()):
        return "small talk"
    if not explicit and _weight(sentence, language) < 2:
        return TOO_LITTLE
    standing = any(cue.pattern.search(sentence) for cue in table.positive if cue.standing)
    if explicit or standing:
        return None
    if table.request.search(sentence) and not _is_plan(sentence, language):
        return "request"
    return None


def _is_plan(sentence: str, language: str) -> bool:
    """Tell a proposal or reminder for a named day from other requests."""
    return bool(_PLAN.search(sentence)) and dates.mentions(sentence, (language,))


_PLAN = re.compile(
    r"\b(?:let'?s|remind\s+(?:me|us)|lass(?:t|en\s+sie)?\s+uns|erinner\w*\s+(?:mich|uns)|hagamos|quedemos|"
    r"recuérda(?:me|nos)|faisons|retrouvons-nous|rappelle[rz]?-(?:moi|nous)|façamos|"
    r"(?:me\s+)?lembr[ae](?:-me)?)\b|提醒我|吧[。！]?$|ましょう|リマインド",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"[:：]\s*$|^\W*(?:the\s+|my\s+|top\s+|die\s+|las?\s+|los\s+|les\s+|as\s+|os\s+)*"
    r"(?:\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|some|zwei|drei|vier|fünf|"
    r"sechs|sieben|acht|neun|zehn|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|deux|trois|quatre|"
    r"cinq|sept|huit|neuf|dix|dois|duas|três|quatro|sete|oito|nove|dez)\s+(?:[\w-]+\s+){0,2}?"
    r"(?:tips|ways|reasons|things|steps|ideas|tricks|mistakes|hacks|facts|lessons|rules|tipps|gründe|"
    r"dinge|wege|schritte|fehler|regeln|ideen|consejos|razones|maneras|formas|pasos|errores|conseils|"
    r"raisons|façons|étapes|astuces|erreurs|dicas|razões|maneiras|passos|erros)\s+"
    r"(?:for|to|on|about|why|how|every|für|um|zum|zur|wie|warum|para|por|de|sobre|pour|sur|que)\b|"
    r"^[十百\d]+(?:个|個|大|条|種|种)[^。]{0,8}(?:技巧|建议|方法|理由|步骤|秘诀|错误)[。]?$|"
    r"[\d十]+(?:つ|個)?の(?:コツ|方法|理由|ステップ|ヒント)[。]?$",
    re.IGNORECASE,
)


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
