"""The cue score of a sentence: which class of lasting statement it is, or why it is none.

The classes are those of a grammarian: decisions, preferences, standing instructions, facts
about people and things, plans with a date, lessons learnt, finished work, and what the
speaker asks to be remembered; against questions, hypotheses, requests, passing states and
small talk. The tables of each language are in `cuewords`.
"""

import re
from dataclasses import dataclass
from typing import Literal

from hippod.extraction import cuewords, dates, names, persons, wording
from hippod.language import content_stems, guess, is_spaceless, word_set

Role = Literal["user", "assistant", "tool", "system"]
Kind = Literal["W", "B", "O", "S"]
FLOOR, CEILING = -3.0, 3.0
DOUBTFUL = -2.75
"""Up to here the words speak against it, though not for certain: only the probe may keep it."""
LEAST_KNOWN, MOST_BARE = 2.5, 1.25
"""How far the look of a sentence goes against it, and for it, where no class claims it."""
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
    language = language if language in cuewords.TABLES else "en"
    table = cuewords.TABLES[language]
    sentence = sentence.replace("’", "'")
    if language == "en":
        sentence = _UNSPELT.sub(lambda match: _SPELT[match[0].casefold()], sentence)
    if role == "user":
        return _of_person(sentence, table, language)
    if role == "assistant":
        return _of_agent(sentence, table, language)
    return Cue(FLOOR, None, False, f"{role} turns state nothing")


_SPELT = {
    word.replace("'", ""): word
    for word in word_set(
        """
        don't doesn't didn't can't won't isn't aren't wasn't haven't hasn't couldn't shouldn't
        wouldn't i'm i've you're they're that's what's there's he's she's
        """
    )
}
_UNSPELT = re.compile(rf"\b(?:{'|'.join(sorted(_SPELT))})\b", re.IGNORECASE)


def finished_work(sentence: str, language: str) -> Cue | None:
    """Score a note that nobody signed as finished work, None if it has a subject or is none.

    "Fixed the deploy script" is; "Shared drive is full" and "Alfred moved" are not.
    """
    table = cuewords.TABLES.get(language, cuewords.TABLES["en"])
    begins = table.finished.search if is_spaceless(language) else table.finished.match
    plain = sentence.replace("’", "'").strip()
    if not begins(plain) or _HAS_SUBJECT.search(plain) or persons.first_person(plain, language):
        return None
    cue = _of_agent(plain, table, language)
    if cue.reason == TOO_LITTLE and _weight(plain, language) >= _LEAST_OF_WORK:
        return Cue(2.0, "B", False, "finished work")
    return cue if cue.kind else None


_LEAST_OF_WORK = 3
"""Content words of a note on finished work; whoever writes it down is brief."""
_HAS_SUBJECT = re.compile(
    r"^\W*(?:ahora|the|an?|th(?:is|at|[eo]se)|my|our|his|her|their|its|der|die|das|el|l[aeo]s?)\b|"
    r"^\W*\w+(?:\s+\S+){0,2}?(?::|\s+(?:is|are|was|were|has|have|had|will|must|should|"
    r"lives?|"
    r"likes?|prefers?|wants?|needs?)\b)"
    r"|^\W*(?:\w{2,}fried|(?:al|man|wil|wini)fred|ahmed|mehmed|m[ou]ham+ed|hamed|jared|mildred|"
    r"saeed|rasheed|majeed|waheed)\b"
    r"|^[^。]*[はが]|^\W*(?:[他她它]|(?![已刚都])\w{1,4}?(?:已经?)?把)",
    re.IGNORECASE,
)


def _of_person(sentence: str, table: cuewords.Table, language: str) -> Cue:
    jest = bool(cuewords.JESTS[language].search(sentence))
    asked = table.explicit.search(sentence) and not table.not_explicit.search(sentence)
    explicit = bool(asked) and not jest
    if reason := _no_statement(sentence, table, language, explicit=explicit):
        return Cue(FLOOR, None, False, reason)
    if reason := _passes(sentence, language, explicit=explicit):
        return Cue(FLOOR, None, False, reason)
    positives = _classes(sentence, table, language)
    best = max(positives, key=lambda cue: cue.weight, default=None)
    if explicit:
        stated = wording.statement(sentence, language)
        kind = _kind(stated, best, positives, language) or "W"
        return Cue(CEILING, kind, True, ASKED)
    lost = [cue for cue in table.negative if cue.pattern.search(sentence)]
    lost += [cuewords.JEST] if jest else []
    if cuewords.AUTHORITIES[language].search(sentence):
        lost = [cue for cue in lost if cue.name != cuewords.RUMOUR]
    momentary = any(cue.name == cuewords.MOMENTARY for cue in lost) or _is_of_today(sentence)
    if momentary and not any(cue.name in _OUTLASTING for cue in positives):
        return Cue(FLOOR, None, False, cuewords.MOMENTARY)
    substance = _substance(sentence, language)
    gained = best.weight + 0.5 * (len(positives) - 1) + 0.4 * substance if best else substance
    total = gained - sum(cue.weight for cue in lost if cue.name != cuewords.MOMENTARY)
    reason = ", ".join(cue.name for cue in [*positives, *lost]) or "no cue"
    return Cue(_clamp(total), _kind(sentence, best, positives, language), False, reason)


def _kind(
    sentence: str, best: cuewords.Pattern | None, positives: list[cuewords.Pattern], language: str
) -> Kind | None:
    """Return the kind of a statement: O only for what the speaker wants or does not want."""
    told = any(cue.standing for cue in positives)
    if not told and cuewords.LIKINGS_OF_OTHERS[language].search(sentence):
        return "W"
    settled = any(cue.name == "decision" and cue.weight >= _CERTAIN for cue in positives)
    if not settled and cuewords.REFUSALS[language].search(sentence):
        return "O"
    if best is None:
        return None
    return "W" if best.kind == "O" and _is_procedure(sentence, language) else best.kind


_CERTAIN = 2.0
"""Weight of the words that tell a decision from a wish."""


def _is_procedure(sentence: str, language: str) -> bool:
    """Tell how a thing is done from an instruction, where their words are the same."""
    procedure = cuewords.PROCEDURES.get(language)
    return bool(
        procedure
        and procedure.search(sentence)
        and not cuewords.ADDRESSES[language].search(sentence)
    )


def _passes(sentence: str, language: str, *, explicit: bool) -> str | None:
    """Return why the sentence does not last whatever its cue words say, or None."""
    for reason, pattern in cuewords.NEVER[language]:
        if pattern.search(sentence):
            return reason
    known = cuewords.AUTHORITIES[language].search(sentence)
    if not known and cuewords.LAY_VERBS[language].search(sentence):
        return cuewords.RUMOUR
    if cuewords.HABITS[language].search(sentence):
        return None
    if cuewords.REMINDERS[language].match(sentence):
        return "reminder"
    if explicit:
        return None
    if cuewords.PRAISE.search(sentence) and cuewords.NUISANCE.search(sentence):
        return cuewords.JEST.name
    duty = cuewords.DUTIES[language].search(sentence)
    if cuewords.ERRANDS[language].search(sentence) or (duty and cuewords.AT_ONCE.search(sentence)):
        return cuewords.MOMENTARY
    if _is_vouched(sentence, language) or re.search(r"\d", sentence):
        return None
    return "chore" if duty and not dates.mentions(sentence, (language,)) else None


def _is_of_today(sentence: str) -> bool:
    """Tell a remark on how something is today from what begins, or has its day, today."""
    return bool(_TODAY.search(sentence)) and not _BEGINS_TODAY.search(sentence)


_TODAY = re.compile(
    r"\b(?:is|are|was|were|isn't|aren't|'s|tastes?|looks?|feels?|seems?|sounds?)\b.*\b(?:today|"
    r"tonight)\b|"
    r"\btoday\b.*\b(?:is|are|was|were|tastes?|feels?)\b|"
    r"\b(?:ist|sind|war|waren|schmeckt|schmecken)\b.*\bheute\b|\bheute\b.*\b(?:ist|sind|war|waren|"
    r"schmeck\w+)\b|"
    r"\b(?:es|son|está|están|fue|estuvo|sabe)\b.*\bhoy\b|\bhoy\b.*\b(?:es|son|está|están|fue)\b|"
    r"\b(?:est|sont|était|étaient)\b.*\baujourd'hui\b|\baujourd'hui\b.*\b(?:est|sont|était|"
    r"étaient)\b|"
    r"\b(?:é|são|está|estão|estava|foi)\b.*\bhoje\b|\bhoje\b.*\b(?:é|são|está|estão|foi)\b|"
    r"今天[^。]*(?:很|真|太|好|不错|难)|今日[^。]*(?:い|かった|だ|です|でした)[。！ね]*$",
    re.IGNORECASE,
)
_BEGINS_TODAY = re.compile(
    r"\b(?:from|since|as\s+of|starting|until|till|by|ab|seit|bis|desde|hasta|(?:a|"
    r"à)\s+partir\s+d[e']|"
    r"depuis|jusqu'à|dès|até)\s*(?:today|tonight|heute|hoy|aujourd'hui|hoje)|从今天|今日から|"
    r"\d|birthday|anniversary|geburtstag|jahrestag|cumpleaños|aniversario|anniversaire|"
    r"aniversário|生日|誕生日",
    re.IGNORECASE,
)
_OUTLASTING = frozenset({"decision", "preference", "standing instruction"})


def _substance(sentence: str, language: str) -> float:
    """Return how much a sentence looks like a general statement, in the unit of the cue score.

    Whoever states something for later says it in full: many content words, names, numbers,
    reasons and limits, clauses; a remark on the moment is short and speaks of now.
    """
    total = 0.6 * min(_weight(sentence, language), 9) - 4.5
    total += 1.2 if names.spans(sentence, language) else 0.0
    total += 0.4 if re.search(r"\d", sentence) else 0.0
    total += 0.8 if cuewords.GROUNDS[language].search(sentence) else 0.0
    total += 0.7 if _CLAUSES.search(sentence) else 0.0
    total -= 1.6 if cuewords.MOMENTS[language].search(sentence) else 0.0
    return max(-LEAST_KNOWN, min(MOST_BARE, total))


_CLAUSES = re.compile(r"\w[,:，、：;；]\s?\w")


def _of_agent(sentence: str, table: cuewords.Table, language: str) -> Cue:
    """Only finished work counts: what an agent says about the world is not known to be true."""
    if sentence.rstrip(" \"')").endswith(("?", "？")) or table.agent_chatter.search(sentence):
        return Cue(FLOOR, None, False, "not finished work")
    if table.explicit.search(sentence):  # it repeats what it was told, or gives advice
        return Cue(FLOOR, None, False, "not finished work")
    if _weight(sentence, language) < 4:
        return Cue(FLOOR, None, False, TOO_LITTLE)
    if not table.finished.search(sentence):
        return Cue(DOUBTFUL, "B", False, "no word of finished work")
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
    r"\b(?:let'?s|remind\s+(?:me|us)|lass(?:t|en\s+sie)?\s+uns|erinner\w*\s+(?:mich|uns)|hagamos|"
    r"quedemos|"
    r"recuérda(?:me|nos)|faisons|retrouvons-nous|rappelle[rz]?-(?:moi|nous)|façamos|"
    r"(?:me\s+)?lembr[ae](?:-me)?)\b|提醒我|吧[。！]?$|ましょう|リマインド",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"[:：]\s*$|^\W*(?:the\s+|my\s+|top\s+|die\s+|las?\s+|los\s+|les\s+|as\s+|os\s+)*"
    r"(?:\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|some|zwei|drei|vier|"
    r"fünf|"
    r"sechs|sieben|acht|neun|zehn|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|deux|trois|"
    r"quatre|"
    r"cinq|sept|huit|neuf|dix|dois|duas|três|quatro|sete|oito|nove|dez)\s+(?:[\w-]+\s+){0,2}?"
    r"(?:tips|ways|reasons|things|steps|ideas|tricks|mistakes|hacks|facts|lessons|rules|tipps|"
    r"gründe|"
    r"dinge|wege|schritte|fehler|regeln|ideen|consejos|razones|maneras|formas|pasos|errores|"
    r"conseils|"
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
    if _is_vouched(sentence, language):
        found.append(cuewords.VOUCHED)
    if cuewords.DUTIES[language].search(sentence) and cuewords.HABITS[language].search(sentence):
        found.append(cuewords.CUSTOM)
    return found


def _is_vouched(sentence: str, language: str) -> bool:
    """Tell whether a doctor, landlord or their like is reported to say it."""
    told = cuewords.SAYING[language].search(sentence)
    return bool(told and cuewords.AUTHORITIES[language].search(sentence))


def _weight(sentence: str, language: str) -> int:
    """Count content words; a CJK bigram is about half a word."""
    stems = content_stems(sentence, language)
    return (len(stems) + 1) // 2 if is_spaceless(language) else len(stems)


def _clamp(value: float) -> float:
    return max(FLOOR + 0.5, min(CEILING, value))
