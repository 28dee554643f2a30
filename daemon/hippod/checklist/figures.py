"""Questions of a threshold judged by the newest figure that memory states."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from hippod.checklist import amounts, days, statements, topics
from hippod.checklist.amounts import Amount
from hippod.checklist.verdict import Evidence, Verdict, digest
from hippod.language import content_stems, guess, is_function_word

LONGEST = 160
"""Characters of the evidence in a verdict."""


def judge(question: str, evidence: Sequence[Evidence]) -> Verdict | None:
    """Judge a question of a threshold, or return None if it is none or no figure is clear.

    Figures are compared in the same unit only. What the newest evidence says counts; None if
    that contradicts itself.
    """
    threshold = _threshold(question)
    if threshold is None:
        return None
    figures = [
        figure for each in statements.current(evidence) for figure in _figures(each, threshold)
    ]
    newest = _newest(figures)
    if not newest or not _agree(newest, figures, threshold):
        return None
    return _verdict(threshold, newest[0])


def names_a_threshold(question: str) -> bool:
    """Say whether a question compares something with a number, other than one of days or hours."""
    return next(_compared(question), None) is not None


# --- the question ---------------------------------------------------------------------------------

_Comparison = Literal["below", "at most", "above", "at least"]


@dataclass(frozen=True, slots=True)
class _Threshold:
    """What is asked: whether the thing named by `about` (stems) is beyond a number.

    `wanted` says that this is how it has to be: then the contrary needs attention.
    """

    comparison: _Comparison
    amount: Amount
    about: frozenset[str]
    language: str
    wanted: bool
    of_what_is_left: bool

    def is_passed(self, number: Decimal) -> bool:
        limit = self.amount.number
        match self.comparison:
            case "below":
                return number < limit
            case "at most":
                return number <= limit
            case "above":
                return number > limit
            case "at least":
                return number >= limit


def _threshold(question: str) -> _Threshold | None:
    """Return the one threshold of a question; None if there is none, or more is asked."""
    question = question[: days.LOOKED_AT]
    found = list(_compared(question))
    if len(found) != 1 or _UNCLEAR.search(question) or topics.names_a_time(question):
        return None
    comparison, amount, start = found[0]
    rest = f"{question[:start]} {question[amount.end :]}"
    about = _about(rest, question)
    if not about:
        return None
    return _Threshold(
        comparison,
        amount,
        about,
        _language(question),
        wanted=_WANTED.search(question) is not None,
        of_what_is_left=_LEFT.search(rest) is not None,
    )


def _compared(question: str) -> Iterator[tuple[_Comparison, Amount, int]]:
    """Yield the numbers behind words of comparison, with where those begin."""
    question = question[: days.LOOKED_AT]
    for amount in amounts.read(question):
        before = question[max(0, amount.start - 40) : amount.start]
        for comparison, pattern in _COMPARISONS:
            match = pattern.search(before)
            if match and amount.unit not in amounts.OF_TIME:
                yield comparison, amount, amount.start - len(before) + match.start()
                break


def _about(rest: str, question: str) -> frozenset[str]:
    language = _language(question)
    words = (word for word in topics.terms(rest) if not _IDLE.fullmatch(word))
    return frozenset(stem for word in words for stem in content_stems(word, language))


def _language(text: str) -> str:
    return guess(text, ("en", "de", "es", "fr", "pt"))


def _behind(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{words})\s*$", re.IGNORECASE)


_COMPARISONS: tuple[tuple[_Comparison, re.Pattern[str]], ...] = (
    (
        "at least",
        _behind(
            r">=|≥|\bat\s+least|\breach(?:es|ed)?|\bhits?|\bmindestens|\bwenigstens|\bal\s+menos|"
            r"\bau\s+moins|\bpelo\s+menos|\berreicht"
        ),
    ),
    (
        "at most",
        _behind(
            r"<=|≤|\bat\s+most|\bno\s+more\s+than|\bhöchstens|\bmaximal|\bcomo\s+mucho|\bau\s+plus|"
            r"\bno\s+máximo"
        ),
    ),
    (
        "below",
        _behind(
            r"<|\bbelow|\bunder|\b(?:less|fewer|lower|smaller|colder|cooler|cheaper|shorter|lighter)\s+than|\bunter|\bweniger\s+als|"
            r"\b(?:kleiner|niedriger|kälter|kühler|leichter)\s+als|\bmenos\s+(?:de|que)|\bpor\s+debajo\s+de|\bmoins\s+de|"
            r"\ben\s+dessous\s+de|\bsous|\babaixo\s+de"
        ),
    ),
    (
        "above",
        _behind(
            r">|\babove|\bover|\b(?:more|higher|greater|larger|warmer|hotter|bigger|longer|heavier|fuller)\s+than|\bexceed(?:s|ed|ing)?|\bbeyond|"
            r"\büber|\bmehr\s+als|\b(?:höher|größer|wärmer|heißer|schwerer|länger|voller)\s+als|\bübersteigt|\bmás\s+de|\bplus\s+de|"
            r"\bpor\s+encima\s+de|\bau-dessus\s+de|\bmais\s+de|\bacima\s+de"
        ),
    ),
)


# A negation or "still" turns the question round, or does not: who knows.
_UNCLEAR = re.compile(
    r"\b(?:not|isn['’]t|aren['’]t|n['’]t|never|still|nicht|kein\w*|noch|immer|no\s+(?:more|longer)|between|or|and\s+(?:above|below|"
    r"over|under|more|less)|zwischen|oder|no\s+está|pas|não|average|per|pro|trend|since|change\w*|by\s+more|difference)\b",
    re.IGNORECASE,
)
_WANTED = re.compile(
    r"\b(?:make\s+sure|ensure|verify|confirm|(?:check|see)\s+that|stays?|remains?|keeps?|should\s+be|must\s+be|has\s+to\s+be|"
    r"sicherstellen|stell\w*\s+sicher|bleibt|bleiben|sollte?|muss|asegúra\w*|s['’]assurer|garanta)\b",
    re.IGNORECASE,
)
_LEFT = re.compile(
    r"\b(?:free|available|left|remaining|unused|frei|freie[rsn]?|verfügbar|übrig|verbleibend\w*|libres?|disponibles?|restantes?|livres?)\b",
    re.IGNORECASE,
)
_IDLE = re.compile(
    r"(?:more|less|fewer|than|below|above|over|under|exceeds?|drops?|dropped|fell|rise[sn]?|rose|goes|gone|gets?|level|number|count|"
    r"amount|value|current|currently|total|least|most|reached?|reaches|make|sure|ensure|verify|confirm|that|stays?|remains?|keeps?|"
    r"should|must|how|many|much|usage|used|using|gerade|aktuell\w*|anzahl|unter|über|mehr|weniger|als|mindestens|höchstens|liegt|"
    r"gefallen|gesunken|gestiegen|bleibt|sollte?|muss|menos|más|moins|plus|actual)",
    re.IGNORECASE,
)

# --- the evidence ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Figure:
    """What an evidence states about the thing; no amount where it is not clear which.

    `which` are the words that tell it from others of its kind: "savings" of "savings balance".
    """

    evidence: Evidence
    amount: Amount | None
    which: frozenset[str]


def _figures(evidence: Evidence, threshold: _Threshold) -> Iterator[_Figure]:
    text = evidence.text[: days.LOOKED_AT]
    stems = set(content_stems(text, threshold.language))
    if not threshold.about <= stems or _NO_STATEMENT.search(text):
        return
    if (_LEFT.search(text) is not None) != threshold.of_what_is_left:
        return
    stated = _stated(text, threshold)
    if stated:
        clear = {each.number for each in stated}
        amount = stated[0] if len(clear) == 1 else None
        yield _Figure(evidence, amount, _which(text, threshold))


def _stated(text: str, threshold: _Threshold) -> list[Amount]:
    """Return the amounts in the unit asked for that are said of the thing, the surest ones."""
    unit = threshold.amount.unit
    every = [each for each in amounts.read(text) if each.unit == unit]
    if not unit:
        every += amounts.in_words(text)
        return [each for each in every if _is_counted(text, each, threshold)]
    every = [each for each in every if not _ends_with(_FORMER, text, each)]
    if any(_ends_with(_VAGUE, text, each) for each in every):
        return []
    changed = [each for each in every if _ends_with(_CHANGED, text, each)]
    return changed if len(changed) == 1 else every


def _ends_with(words: re.Pattern[str], text: str, amount: Amount) -> bool:
    """Say whether such words stand right before an amount."""
    return words.search(text[max(0, amount.start - 24) : amount.start]) is not None


def _is_counted(text: str, amount: Amount, threshold: _Threshold) -> bool:
    """Say whether a number counts the thing: "5 open invoices", "open invoices: 5"."""
    before, after = (
        text[max(0, amount.start - 60) : amount.start],
        text[amount.end : amount.end + 60],
    )
    if _VAGUE.search(before):
        return False
    behind = content_stems(" ".join(after.split()[: len(threshold.about) + 2]), threshold.language)
    if threshold.about <= set(behind) and not _CLAUSE_END.match(after):
        return True
    link = _LINK.search(before)
    ahead = before[: link.start()].split()[-(len(threshold.about) + 3) :] if link else []
    return threshold.about <= set(content_stems(" ".join(ahead), threshold.language))


def _which(text: str, threshold: _Threshold) -> frozenset[str]:
    """Return the words right before the thing, and those behind "of"."""
    words = _WORDS.findall(text)
    language = threshold.language
    found: set[str] = set()
    for place, word in enumerate(words):
        if not threshold.about.isdisjoint(content_stems(word, language)):
            if place and not is_function_word(words[place - 1], language):
                found.update(content_stems(words[place - 1], language))
            if words[place + 1 : place + 2] and words[place + 1].casefold() in _OF:
                found.update(content_stems(" ".join(words[place + 2 : place + 5]), language)[:2])
    return frozenset(stem for stem in found - threshold.about if stem.isalpha())


_OF = (
    "of",
    "on",
    "for",
    "in",
    "von",
    "vom",
    "der",
    "des",
    "auf",
    "für",
    "de",
    "del",
    "du",
    "da",
    "do",
)
_WORDS = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_CLAUSE_END = re.compile(r"\s*[,;.:!?)]")
_LINK = re.compile(
    r"(?:\b(?:is|are|was|were|at|to|now|stands?|currently|has|have|had|shows?|reads?|of|ist|sind|war|waren|bei|auf|beträgt|betrug|"
    r"liegt|hat|jetzt|zeigt|es|son|está|están|a|en|est|sont|à|de|é|são|em)\b[\s*_]*|[:=–—→|]\s*\**)$",
    re.IGNORECASE,
)
_FORMER = re.compile(
    r"\b(?:from|instead\s+of|von|statt|desde|anstatt|au\s+lieu\s+de)\s*$", re.IGNORECASE
)
_CHANGED = re.compile(
    r"(?:\b(?:to|now|auf|jetzt|nun|ahora|maintenant|agora)\s*|[→>]\s*)$", re.IGNORECASE
)
_VAGUE = re.compile(
    r"(?:\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|some|up\s+to|less\s+than|more\s+than|over|under|below|above|at\s+"
    r"(?:least|most)|between|etwa|ungefähr|rund|circa|ca\.?|fast|knapp|gut|über|unter|mehr\s+als|weniger\s+als|mindestens|"
    r"höchstens|unos|casi|más\s+de|menos\s+de|environ|presque|plus\s+de|moins\s+de|cerca\s+de|quase|by|um)|[~≈<>±])\s*$",
    re.IGNORECASE,
)
# Limits, aims and conditions name figures that are not how things stand.
_NO_STATEMENT = re.compile(
    r"\b(?:if|when(?:ever)?|unless|should|would|could|wants?|wish\w*|goal|target|limit|threshold|alert|warn\w*|remind|notify|keep|"
    r"budget\w*|plan(?:s|ned)?|expect\w*|will|maximum|minimum|max|min|at\s+least|wenn|falls|sobald|soll\w*|möchte|will|ziel|grenze|"
    r"limit|warn\w*|melde\w*|wird|si|cuando|límite|objetivo|quand|limite|objectif|quando|meta)\b|\?\s*$",
    re.IGNORECASE,
)


def _newest(figures: Sequence[_Figure]) -> list[_Figure]:
    """Return the figures of the last day that has any; those without a day are the oldest."""
    last = max((each.evidence.day or date.min for each in figures), default=None)
    return [each for each in figures if (each.evidence.day or date.min) == last]


def _agree(newest: Sequence[_Figure], every: Sequence[_Figure], threshold: _Threshold) -> bool:
    """Say whether the newest figures are clear and on one side, and no other thing is meant."""
    sides = {each.amount and threshold.is_passed(each.amount.number) for each in newest}
    if len(sides) != 1 or None in sides:
        return False
    side = sides.pop()
    others = [each for each in every if each.which and each.amount]
    return not any(
        threshold.is_passed(other.amount.number) != side
        and any(each.which and each.which.isdisjoint(other.which) for each in newest)
        for other in others
        if other.amount
    )


def _verdict(threshold: _Threshold, figure: _Figure) -> Verdict | None:
    if figure.amount is None:
        return None
    passed = threshold.is_passed(figure.amount.number)
    day = f" on {figure.evidence.day}" if figure.evidence.day else ""
    said = " ".join(figure.evidence.text.split())
    said = said if len(said) <= LONGEST else said[: LONGEST - 1] + "…"
    relation = threshold.comparison if passed else f"not {threshold.comparison}"
    reason = f"{figure.amount}{day} is {relation} {threshold.amount}: {said}"
    if passed == threshold.wanted:
        return Verdict("fine", reason, (figure.evidence.source,))
    sides = (*sorted(threshold.about), threshold.comparison, str(threshold.amount), str(passed))
    return Verdict("attention", reason, (figure.evidence.source,), digest(sides))
