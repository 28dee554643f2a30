"""Corrections and reversals: what a later sentence does to an earlier one."""

import re
from collections.abc import Iterator

from hippod.extraction.names import spans
from hippod.language import content_stems


def corrected(sentence: str, earlier: str) -> str | None:
    """Return `earlier` with what `sentence` corrects, or None if it corrects nothing there.

    Two forms are understood: "X, not Y" where Y stands in `earlier`, and a correcting word
    with exactly one value (time, date, amount, number) where `earlier` has exactly one of
    the same class.
    """
    for right, wrong in _contrasts(sentence):
        if len(wrong) > 1 and _word(wrong).search(earlier) and not _word(right).search(earlier):
            return _word(wrong).sub(_literal(right), earlier)
    if not _CORRECTING.search(sentence):
        return None
    for pattern in _VALUES:
        new, old = _matches(pattern, sentence), _matches(pattern, earlier)
        if len(new) == 1 and len(old) == 1 and new != old:
            return pattern.sub(_literal(new[0]), earlier, count=1)
    return None


def retires(sentence: str, earlier: str, language: str, *, settled: bool) -> bool:
    """Tell whether `sentence` takes back what `earlier` states about the same thing.

    `settled`: `earlier` is a decision or plan, which a later one replaces; anything else must
    be taken back in so many words ("scratch that").
    """
    if not _REVERSING.search(sentence):
        return False
    if not _TAKES_BACK.search(sentence) and not settled:
        return False
    names = {name.casefold() for name in spans(earlier, language)}
    if names & {name.casefold() for name in spans(sentence, language)}:
        return True
    new = {stem for stem in content_stems(sentence, language) if len(stem) > 3}
    return bool(new & {stem for stem in content_stems(earlier, language) if len(stem) > 3})


_CORRECTING = re.compile(
    r"\b(?:actually|sorry|correction|wait|i\s+meant|meant|scratch\s+that|oops|make\s+that|"
    r"my\s+mistake|my\s+bad|typo|not\s+\S+\s+but|eigentlich|korrektur|ich\s+meinte|doch\s+(?:um|"
    r"am|erst)|en\s+realidad|perdón|mejor\s+dicho|quise\s+decir|corrección|me\s+equivoqué|"
    r"en\s+fait|pardon|je\s+voulais\s+dire|erreur|na\s+verdade|desculpa|quis\s+dizer|correção|"
    r"me\s+enganei)\b|^\W*(?:no|nein|non|não)\s*,|不对|其实|更正|说错|应该是|間違え|訂正|"
    r"やっぱり|正しくは|じゃなくて",
    re.IGNORECASE,
)
_REVERSING = re.compile(
    r"\b(?:drop|scrap|scratch|cancel\w*|forget\s+(?:it|that|about)|instead|no\s+longer|"
    r"any\s?more|changed?\s+(?:my|our)\s+minds?|mov(?:es|ed|ing)\s+to|moved|pushed|postpone\w*|"
    r"reschedul\w*|revert\w*|never\s?mind|on\s+second\s+thought|after\s+all|undo|abandon\w*|"
    r"ditch\w*|off\s+the\s+table|doch\s+(?:nicht|lieber)|stattdessen|verworfen|abgesagt|"
    r"verschoben|verschieben|nicht\s+mehr|cancelamos|cancelad[oa]|en\s+(?:su\s+)?lugar|"
    r"mejor\s+no|ya\s+no|cambiamos|al\s+final|finalement|annul\w+|report\w+|à\s+la\s+place|"
    r"plutôt|abandonn\w+|em\s+vez|afinal|adiad[oa]|adiamos|mudamos|já\s+não|desist\w+)\b|取消|"
    r"不用了|算了|改成|改为|改到|换成|推迟|"
    r"やめ|中止|延期|変更|代わりに",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(
    r"\b(?:(?:scratch|scrap|forget|undo|ignore)\s+(?:that|it)|never\s?mind|"
    r"on\s+second\s+thought|changed?\s+(?:my|our)\s+minds?|doch\s+(?:nicht|lieber)|"
    r"vergiss\s+(?:das|es)|mejor\s+no|olvida\s+eso|finalement\s+non|oublie\s+ça|esquece\s+isso|"
    r"afinal)\b"
    r"|算了|やっぱり",
    re.IGNORECASE,
)
_VALUES = (
    re.compile(
        r"\b\d{1,2}(?::\d\d|h\d\d)(?:\s?[ap]m)?\b|\b\d{1,2}\s?[ap]m\b|"
        r"[零一二两三四五六七八九十\d]{1,3}[点點時时](?:半|\d{1,2}分)?",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:january|february|march|april|may|june|july|august|september|october|november|"
        r"december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?\s+\d{1,2}(?:st|nd|rd|"
        r"th)?\b|\b\d{1,2}(?:\.|\s+de|\s+of)?\s+(?:januar|februar|märz|april|mai|juni|juli|"
        r"august|september|oktober|november|dezember|enero|febrero|marzo|abril|mayo|junio|julio|"
        r"agosto|septiembre|octubre|noviembre|diciembre|janvier|février|mars|avril|juin|juillet|"
        r"août|septembre|octobre|novembre|décembre|janeiro|fevereiro|"
        r"março|maio|junho|julho|setembro|outubro|novembro|dezembro)\b|\d{1,2}月\d{1,2}[日号]",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|montag|dienstag|"
        r"mittwoch|donnerstag|freitag|samstag|sonntag|lunes|martes|miércoles|jueves|viernes|"
        r"sábado|domingo|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|(?:segunda|terça|"
        r"quarta|quinta|sexta)-feira)\b|(?:周|星期)[一二三四五六日天]|"
        r"[月火水木金土日]曜日",
        re.IGNORECASE,
    ),
    re.compile(
        r"[$€£¥]\s?\d[\d.,]*|\b\d[\d.,]*\s?(?:[$€£¥]|euros?|dollars?|usd|eur|gbp)", re.IGNORECASE
    ),
    re.compile(r"(?<![\w.,:-])\d+(?:[.,]\d+)?(?![\w:]|[.,]\d)"),
)
_CONTRASTS = (
    re.compile(
        r"(?P<right>[\w.+#-]+)\s*,\s+(?:and\s+)?(?:not|nicht|no|pas|não)\s+(?P<wrong>[\w.+#-]+)",
        re.I,
    ),
    re.compile(
        r"\b(?:not|nicht|no|pas|não)\s+(?P<wrong>[\w.+#-]+)\s*,?\s+(?:but|sondern|sino|mais|"
        r"mas)\s+(?P<right>[\w.+#-]+)",
        re.I,
    ),
    re.compile(r"不是(?P<wrong>[^，,。是]{1,8})[，,]?\s*(?:而)?是(?P<right>[^，,。]{1,8})"),
    re.compile(
        r"(?P<wrong>[^、。\s]{1,8})(?:じゃなくて|ではなく)[、]?(?P<right>[^、。\s]{1,8}?)"
        r"(?:です|だ|。|$)"
    ),
)


def _contrasts(sentence: str) -> Iterator[tuple[str, str]]:
    for pattern in _CONTRASTS:
        for match in pattern.finditer(sentence):
            yield match["right"].strip(".-"), match["wrong"].strip(".-")


def _literal(text: str) -> str:
    """Write `text` as a replacement that stands for itself."""
    return text.replace("\\", r"\\")


def _word(text: str) -> re.Pattern[str]:
    if any("\u3041" <= char <= "\u9fff" for char in text):
        return re.compile(re.escape(text))
    return re.compile(rf"(?<!\w){re.escape(text)}(?!\w)", re.IGNORECASE)


def _matches(pattern: re.Pattern[str], text: str) -> list[str]:
    return [match[0] for match in pattern.finditer(text)]
