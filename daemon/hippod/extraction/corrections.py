"""Corrections and reversals: what a later sentence does to an earlier one."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from hippod.extraction.names import spans
from hippod.language import content_stems, is_function_word, is_spaceless, word_set


@dataclass(frozen=True, slots=True)
class Value:
    """A time, day, sum or number in a sentence; `unit` is the stem of the word behind it."""

    kind: str
    text: str
    unit: str
    start: int
    end: int


def corrected(sentence: str, earlier: str, language: str, *, directly_after: bool) -> str | None:
    """Return `earlier` with what `sentence` corrects, or None if it corrects nothing there.

    Three forms are understood: "I meant X" where a name in `earlier` is another one of X's, "X,
    not Y" where Y stands in `earlier`, and a correcting word with exactly one value where
    `earlier` has one of the same kind and unit. Beside its value
    the sentence must say nothing that `earlier` does not say; if it says nothing else at all,
    it must come from the same person `directly_after` it.
    """
    if meant := _MEANT.fullmatch(sentence):
        wrong = _misnamed(meant["name"], earlier, language, directly_after)
        if wrong is not None:
            return _word(wrong).sub(_literal(meant["name"]), earlier)
    for right, wrong in _contrasts(sentence):
        if len(wrong) > 1 and _word(wrong).search(earlier) and not _word(right).search(earlier):
            named = right[:1].isupper() and wrong[:1].isupper() and language != "de"
            said = _said_beside(sentence, (right, wrong), language)
            if named or _is_about(said, earlier, language, directly_after):
                return _word(wrong).sub(_literal(right), earlier)
    stands = {(old.kind, old.text) for old in _values(earlier, language)}
    values = [new for new in _values(sentence, language) if (new.kind, new.text) not in stands]
    if len(values) != 1 or not _CORRECTING.search(sentence):
        return None
    said = _said_beside(sentence, (values[0].text, values[0].unit), language)
    if not _is_about(said, earlier, language, directly_after):
        return None
    return _with_value(values[0], said, earlier, language)


def is_bare(sentence: str, language: str) -> bool:
    """Tell whether a sentence is a correction that says nothing without what it corrects."""
    values = _values(sentence, language)
    if len(values) != 1 or not _CORRECTING.search(sentence):
        return False
    return len(_said_beside(sentence, (values[0].text, values[0].unit), language)) < 2


def gives_name_only(sentence: str) -> bool:
    """Tell "sorry, I meant Anna" from a statement: nothing can be stored of it alone."""
    return _MEANT.fullmatch(sentence) is not None


def _misnamed(meant: str, earlier: str, language: str, directly_after: bool) -> str | None:
    """Return the name in `earlier` for which somebody `meant` another one.

    Both have a word in common, are spelt alike, or the only name stands in the sentence before.
    """
    told = [
        name
        for name in spans(earlier, language)
        if name.casefold() not in meant.casefold() and meant.casefold() not in name.casefold()
    ]
    related = _differing_in_part(meant, earlier) or [
        word for name in told for word in name.split() if _likeness(word, meant) >= _ALIKE
    ]
    if len(related) > 1:
        related = [max(related, key=lambda name: _likeness(name, meant))]
    if not related and directly_after:
        related = told
    return related[0] if len(related) == 1 else None


def _differing_in_part(meant: str, earlier: str) -> list[str]:
    """Return the names of as many words as `meant` that share some of its words, not all."""
    words, told = meant.split(), [word.strip(".,;:!?\"'()") for word in earlier.split()]
    runs = [told[start : start + len(words)] for start in range(len(told) - len(words) + 1)]
    shared = [run for run in runs if 0 < len(set(run) & set(words)) < len(words)]
    return [" ".join(run) for run in shared if all(word[:1].isupper() for word in run)]


def _likeness(word: str, other: str) -> float:
    return SequenceMatcher(None, word.casefold(), other.casefold()).ratio()


_ALIKE = 0.7
"""Share of letters that two spellings of a name have in common."""


def _is_about(said: set[str], earlier: str, language: str, directly_after: bool) -> bool:
    return said <= set(content_stems(earlier, language)) and (bool(said) or directly_after)


def _said_beside(sentence: str, values: Iterable[str], language: str) -> set[str]:
    """Return the stems of what a sentence says beside its values and correcting words."""
    rest = _FILLERS.sub(" ", _CORRECTING.sub(" ", sentence))
    known = {stem for value in values for stem in content_stems(value, language)}
    return {
        stem
        for stem in content_stems(rest, language)
        if stem not in known and not (is_spaceless(language) and stem.isdigit())
    }


def _with_value(new: Value, said: set[str], earlier: str, language: str) -> str | None:
    """Put `new` in the place of the one value of `earlier` that it can mean."""
    values = _values(earlier, language)
    around = {old: _said_around(old, earlier, language) for old in values}
    fitting = [old for old in values if new.unit in ("", old.unit, *around[old])]
    # "28 degrees ... 24": a value without a unit may be meant as well as its neighbour with one.
    meant = [old for old in values if old.kind == new.kind and (old in fitting or not old.unit)]
    if len(meant) > 1:
        named = said | ({new.unit} - {"", *(old.unit for old in meant)})
        meant = [old for old in meant if named and named <= around[old]]
    if len(meant) != 1 or meant[0] not in fitting or meant[0].text == new.text:
        return None
    if {new.kind} < {each.kind for each in values} & _CALENDAR:
        return None  # a weekday and a date that would contradict each other
    changed = earlier[: meant[0].start] + new.text + earlier[meant[0].end :]
    return _ISO_NOTE.sub("", changed) if new.kind in _CALENDAR else changed


def _said_around(value: Value, text: str, language: str) -> set[str]:
    """Return the stems of the part of an enumeration in which a value stands."""
    edges = [0, *(match.end() for match in _PART.finditer(text)), len(text)]
    first = max(edge for edge in edges if edge <= value.start)
    last = min((edge for edge in edges if edge >= value.end), default=len(text))
    return set(content_stems(text[first:last], language))


@lru_cache(maxsize=512)  # every later sentence is held against the same earlier ones
def _values(text: str, language: str) -> tuple[Value, ...]:
    """Return the values of a sentence; digits of a time or date are no numbers beside it."""
    found: list[Value] = []
    for kind, pattern in _VALUES.items():
        for match in pattern.finditer(text):
            start, end = match.span()
            if all(end <= other.start or other.end <= start for other in found):
                unit = _unit(text[end:], language) if kind == "number" else ""
                found.append(Value(kind, match[0], unit, start, end))
    return tuple(sorted(found, key=lambda value: value.start))


def _unit(following: str, language: str) -> str:
    match = _UNIT.match(following)
    word = match[0].strip(" -").casefold() if match else ""
    if not word or is_function_word(word, language):
        return ""
    return (content_stems(word, language) or [word])[0]


def overrules(sentence: str, earlier: str, language: str) -> bool:
    """Tell whether `sentence` objects to what its speaker stated before, and says it anew.

    It must begin as a correction ("sorry", "errei", "やっぱり") or end what was planned ("X is
    out") and share a word or a kind of value with `earlier`; a mere "no" must share more.
    """
    firm = bool(_OBJECTING.search(sentence) or _ENDING.search(sentence))
    if not (firm or _ANSWERING.search(sentence)):
        return False
    if _is_one_of_several(sentence, earlier, language):
        return False
    shared = len(topics(sentence, language) & topics(earlier, language))
    new = {value.kind for value in _values(sentence, language)}
    old = {value.kind for value in _values(earlier, language)}
    months = bool(_MONTH.search(sentence) and _MONTH.search(earlier))
    if shared:
        return shared > 1 or months or bool(new & old) or (firm and not (new or old))
    return firm and (months or bool(new & old & _EXACT)) and len(topics(sentence, language)) < 3


def denies(sentence: str) -> bool:
    """Tell whether a person says that what they were just told is not so."""
    return _DENYING.search(sentence) is not None


def revalues(sentence: str, earlier: str, language: str) -> bool:
    """Tell whether `sentence` gives another value for what has one value in `earlier`."""
    new, old = _values(sentence, language), _values(earlier, language)
    stands = {value.text for value in new} & {value.text for value in old}
    changed = [value for value in new if value.text not in stands]
    given_up = [value for value in old if value.text not in stands]
    slots = (
        [was for was in given_up if _in_same_slot(was, earlier, now, sentence, language)]
        for now in changed
    )
    return any(len(fitting) == 1 for fitting in slots)


def _in_same_slot(was: Value, earlier: str, now: Value, sentence: str, language: str) -> bool:
    """Tell whether two values have one unit or label; a day, time or sum needs none."""
    kinds = {was.kind, now.kind}
    if len(kinds) == 1 and kinds & {*_EXACT, "weekday"}:
        return True
    if not (kinds <= {"number", "money"} or kinds == {"year"}):
        return False
    if was.unit and was.unit == now.unit:
        return True
    label, named = _said_around(was, earlier, language), _said_around(now, sentence, language)
    if was.unit and now.unit:  # "22 oak posts ... 26 posts"
        return now.unit in label or was.unit in named
    return kinds == {"number", "money"} or bool(label & named)


def declines(sentence: str) -> bool:
    """Tell whether an agent says that it does not keep what it was just told."""
    return _DECLINING.search(sentence) is not None


def topic(earlier: str, language: str) -> str | None:
    """Return what a statement is about: the few words before its verb "is"."""
    pattern = _SUBJECTS.get(language)
    match = pattern.match(earlier.strip()) if pattern else None
    return match["topic"].strip() if match else None


@lru_cache(maxsize=512)
def topics(text: str, language: str) -> frozenset[str]:
    """Return the stems that can show two sentences to be about the same thing."""
    stems = set(content_stems(_GENERAL.sub(" ", text), language))
    if is_spaceless(language):
        return frozenset(filter(_HAN_PAIR.fullmatch, stems)) - _COMMON_PAIRS
    return frozenset(stem for stem in stems if len(stem) > 3 and not stem.isdigit())


_GENERAL = re.compile(
    r"\b(?:always|never|every|only|again|still|also|really|about|just|now|immer|niemals|wieder|"
    r"jetzt|"
    r"eigentlich|siempre|nunca|ahora|toujours|jamais|maintenant|sempre|agora)\b",
    re.IGNORECASE,
)
_HAN_PAIR = re.compile("[\u30a0-\u30ff\u4e00-\u9fff]{2}")
_COMMON_PAIRS = word_set("我们 现在 还是 可以 一下 时候 已经 自己 什么 这个 那个")
_MONTH = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|"
    r"december|januar|februar|märz|mai|juni|juli|oktober|dezember|enero|febrero|marzo|abril|mayo|"
    r"junio|julio|agosto|septiembre|octubre|noviembre|diciembre|janvier|février|mars|avril|juin|"
    r"juillet|août|septembre|octobre|novembre|décembre|janeiro|fevereiro|março|maio|junho|julho|"
    r"setembro|outubro|novembro|dezembro)\b|月",
    re.IGNORECASE,
)
_OBJECTING = re.compile(
    r"^\W*(?:(?:oh|ah|ay|uy|ai|hm+|ok(?:ay)?|sorry|oops|ops|ugh|argh|hang\s+on|mince|zut|ach|äh|"
    r"perdona?|desculpa)\b\W+)*"
    r"(?:sorry|nope|no\W+i\s+tell|wait|ok\s+scrap|scrap|scratch|correction|changed?\s+again|"
    r"they\s+swapped|on\s+second\s+thought|not\s+quite|i\s+was\s+wrong|"
    r"my\s+mistake|that'?s\s+wrong|strike\s+that|change\s+of\s+plan|stimmt\s+nicht|quatsch|"
    r"halt|doch\s+nicht|falsch|korrektur|ich\s+hab\w*\s+mich\s+(?:vertan|geirrt)|planänderung|"
    r"que\s+no|"
    r"espera|me\s+equivoqué|corrijo|mejor\s+dicho|cambio\s+de\s+planes?|perdona|attends|pardon|"
    r"désolée?|"
    r"je\s+me\s+suis\s+trompée?|finalement|erreur|changement\s+de\s+programme|errei|desculpa|"
    r"me\s+enganei|aliás|corrigindo|afinal|mudança\s+de\s+planos)\b"
    r"|^\W*(?:不对|不是|说错|搞错|记错|又想了想|改主意|更正|等等[，,]?不|いや|やっぱり|違[うった]|"
    r"間違え|訂正|ごめん[、。])",
    re.IGNORECASE,
)
_ANSWERING = re.compile(
    r"^\W*(?:(?:oh|ah|ay|ai|ach|hm+|ok)\W+)?(?:no|actually|nee?|nein|ne\s+moment|eigentlich|"
    r"al\s+final|en\s+realidad|"
    r"non|en\s+fait|não|na\s+verdade)\b|其实|不过现在|実は",
    re.IGNORECASE,
)
_ENDING = re.compile(
    r"\b(?:is|are)\s+(?:now\s+)?(?:out|off|cancelled|history)\b|\b(?:ist|sind)\s+(?:raus|"
    r"gestrichen|vom\s+tisch|"
    r"gestorben)\b|\bqueda\w*\s+(?:descartad|anulad)[oa]s?\b|\b(?:est|sont)\s+(?:annulée?s?|"
    r"abandonnée?s?)\b|"
    r"\b(?:está|ficou|foi)\s+(?:fora|cancelad[oa]|descartad[oa])\b|\bnos\s+ha\s+fallado\b|泡汤|作废|"
    r"なしになった|"
    r"なくなった",
    re.IGNORECASE,
)
_DENYING = re.compile(
    r"^\W*(?:no\W+)?(?:you\s+(?:didn'?t|did\s+not|haven'?t)|it\s+(?:isn'?t|didn'?t|doesn'?t|still)|"
    r"that'?s\s+not\s+(?:true|right|done|fixed)|still\s+(?:broken|failing|the\s+same)|"
    r"not\s+(?:fixed|done|true)|"
    r"(?:das\s+)?(?:stimmt|geht|klappt)\s+(?:aber\s+)?(?:immer\s+noch\s+)?nicht|hast\s+du\s+nicht|"
    r"immer\s+noch\s+"
    r"(?:kaputt|rot|falsch)|no\s+(?:lo\s+has|funciona|es\s+(?:verdad|cierto))|sigue\s+(?:fallando|"
    r"igual|sin)|"
    r"(?:ça|ce\s+n'est)\s+(?:ne\s+)?(?:marche\s+)?(?:toujours\s+)?pas|c'est\s+(?:pas\s+vrai|faux)|"
    r"não\s+(?:funcionou|"
    r"funciona|fez|é\s+verdade)|continua\s+(?:quebrado|igual|dando))\b|^\W*(?:没有|还是不行|还没|不是真的|"
    r"并没有)|"
    r"^\W*(?:できて(?:い)?ない|直って(?:い)?ない|まだ(?:ダメ|だめ|動か)|違い?ます)",
    re.IGNORECASE,
)
_DECLINING = re.compile(
    r"\b(?:won'?t|will\s+not|do\s+not|don'?t|would\s+rather\s+not|rather\s+not|shouldn'?t|can'?t|not\s+"
    r"going\s+to)\s+(?:\w+\s+)?(?:keep|store|save|note|remember|record|write|log|hold)\b|\bstays?\s+out\s+"
    r"of\s+my\b|\bnot\s+(?:stored|saved|kept)\b|"
    r"\b(?:speichere|merke|notiere|behalte)\b[^.!?]{0,30}\b(?:nicht|lieber\s+nicht)\b|\bnicht\s+(?:"
    r"speichern|notieren|merken|aufschreiben|behalten)\b|"
    r"\bno\s+(?:l[oa]s?\s+)?(?:voy\s+a\s+)?(?:guard|anot|apunt|record|almacen|memoriz)\w+|"
    r"\bne\s+(?:(?:le|la|les|l'|vais)\s*)*(?:garde|note|retiens|conserve|enregistre|stocke)\w*\s+pas\b|"
    r"\bne\s+pas\s+(?:(?:le|la|les|l')\s*)?(?:garder|noter|retenir|conserver|enregistrer|stocker)\b|"
    r"\bnão\s+(?:vou\s+)?(?:o\s+|a\s+)?(?:guard|anot|salv|armazen|memoriz|registr)\w+|"
    r"(?:不会|不能|不便|不)(?:保存|记录|存|记下|记住|留存)|(?:保存|記録|記憶|メモ|残)(?:は|し|も)*(?:ません|ない|しません)",
    re.IGNORECASE,
)
_SUBJECTS = {
    "en": re.compile(
        r"(?P<topic>(?:[\w'-]+\s+){0,4}[\w'-]+?)(?:'s|\s+(?:is|are|will\s+be|starts?|"
        r"takes\s+place))\s",
        re.I,
    ),
    "de": re.compile(
        r"(?P<topic>(?:[\w-]+\s+){0,4}[\w-]+)\s+(?:ist|sind|wird|findet|beginnt|startet|kostet)\s",
        re.I,
    ),
    "es": re.compile(
        r"(?P<topic>(?:[\w-]+\s+){0,6}[\w-]+)\s+(?:es|son|será|está|empieza|cuesta|cae)\s", re.I
    ),
    "fr": re.compile(
        r"(?P<topic>(?:[\w'-]+\s+){0,6}[\w'-]+)\s+(?:est|sont|sera|commence|tombe|coûte|"
        r"a\s+lieu)\s",
        re.I,
    ),
    "pt": re.compile(
        r"(?P<topic>(?:[\w-]+\s+){0,6}[\w-]+)\s+(?:é|são|será|fica|começa|custa|cai)\s", re.I
    ),
    "zh": re.compile(r"(?P<topic>[^，。是在定放]{2,12})(?:是|在|定在|定于|放在)"),
    "ja": re.compile(r"(?P<topic>[^、。は]{2,16})は"),
}


def retires(sentence: str, earlier: str, language: str, *, settled: bool) -> bool:
    """Tell whether `sentence` takes back what `earlier` states about the same thing.

    `settled`: `earlier` is a decision or plan, which a later one replaces; anything else must
    be taken back in so many words ("scratch that").
    """
    if not _REVERSING.search(sentence):
        return False
    takes_back = _TAKES_BACK.search(sentence) is not None
    if not takes_back and not settled:
        return False
    if _is_one_of_several(sentence, earlier, language):
        return False
    said, told = _telling(sentence, language), _telling(earlier, language)
    # "Cancel the gym contract ... drop the newspaper contract": half of it is another topic.
    outright = takes_back or _CORRECTING.search(sentence)
    least = 0.0 if outright else min(len(said), len(told)) / 2
    return len(said & told) > least


@lru_cache(maxsize=512)
def _telling(text: str, language: str) -> frozenset[str]:
    """Return the names and longer stems that tell what a sentence is about.

    That both were decided or moved, and to which day, tells nothing of it.
    """
    for value in reversed(_values(text, language)):
        if value.kind in ("weekday", "month", "time", "date"):
            text = f"{text[: value.start]} {text[value.end :]}"
    text = _SETTLING.sub(" ", _REVERSING.sub(" ", text))
    names = {name.casefold() for name in spans(text, language)}
    return frozenset(names | {stem for stem in content_stems(text, language) if len(stem) > 2})


_SETTLING = re.compile(
    r"\b(?:decid\w*|agree[ds]?|settled|plan(?:s|ned)?|mov(?:e|ing)|switch\w*|chang\w+|entschied\w*|"
    r"entschlossen|beschlossen|vereinbart|geplant|acord\w+|planead[oa]s?|movid[oa]s?|mover|"
    r"cambi\w+|décid\w+|convenu\w*|prévu\w*|déplac\w+|chang\w+|combin(?:amos|ad[oa])|mud\w+)\b",
    re.IGNORECASE,
)


def _is_one_of_several(sentence: str, earlier: str, language: str) -> bool:
    """Tell whether `sentence` is about one of two or more like values, and leaves the others."""
    kinds = [value.kind for value in _values(earlier, language)]
    new = _values(sentence, language)
    return len(new) == 1 and kinds.count(new[0].kind) > 1


_CORRECTING = re.compile(
    r"\b(?:actually|sorry|correction|wait|i\s+meant|meant|scratch\s+that|oops|make\s+that|"
    r"(?:or\s+)?rather(?=\s+\d)|my\s+mistake|my\s+bad|typo|not\s+\S+\s+but|eigentlich|korrektur|"
    r"ich\s+meinte|"
    r"(?:eher|besser|vielmehr)(?=\s+\d)|doch\s+(?:um|am|erst|lieber)|en\s+realidad|perdona?|"
    r"perdón|mejor\s+dicho|quise\s+decir|corrección|me\s+equivoqué|"
    r"(?:mejor|plutôt|antes|melhor)(?=\s+\d)|en\s+fait|pardon|désolée?|je\s+voulais\s+dire|erreur|"
    r"na\s+verdade|desculpa|quis\s+dizer|correção|"
    r"me\s+enganei)\b|^\W*(?:no|nein|non|não)\s*,|^\W*halt\b|不对|抱歉|对不起|其实|更正|说错|"
    r"应该是|間違え(?:た|ました)?|すみません|ごめん|訂正|"
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
_FILLERS = re.compile(
    r"\b(?:it'?s|it\s+is|it\s+was|should\s+be|at|on|around|about|please|rather|no|oh|uh|um|ah|i|"
    r"mean[st]?|the\s+right\s+(?:one|number|time)\s+is|nein|doch|lieber|eher|ach|also|ich|um|am|"
    r"es\s+(?:ist|sind|war|waren)|besser|erst|son|es|era|eran|digo|mejor|non|c'est|c'était|"
    r"plutôt|não|são|é|era|aliás|melhor)\b|[是应该的在到改成为了吧呢，]|すみません|"
    r"ごめん(?:なさい)?|いや|"
    r"(?:です|でした|だ|だった|ました|ます)|[はがにでのをへもね]",
    re.IGNORECASE,
)
_PART = re.compile(
    r"[,;，；、]|\s(?:and|or|but|und|oder|aber|y|o|pero|et|ou|mais|e|mas)\s", re.IGNORECASE
)
_UNIT = re.compile(
    r"\s?(?:°\s?[a-z]?|%|[\u4e00-\u9fff]|-?[^\W\d_\u3041-\u9fff]+(?![\w']))", re.IGNORECASE
)
_CALENDAR = {"date", "weekday"}
_EXACT = {"time", "date", "money"}
_ISO_NOTE = re.compile(r"\s?\(?\b\d{4}-\d\d-\d\d\b\)?")
_VALUES = {
    "time": re.compile(
        r"\b\d{1,2}(?::\d\d|h\d\d)(?:\s?[ap]m)?\b|\b\d{1,2}\s?[ap]m\b|"
        r"(?:\d{1,2}|(?<![周期])[零一二两三四五六七八九十]{1,3})[点點時时](?:半|\d{1,2}分)?",
        re.IGNORECASE,
    ),
    "date": re.compile(
        r"\b(?:january|february|march|april|may|june|july|august|september|october|november|"
        r"december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?\s+\d{1,2}(?:st|nd|rd|"
        r"th)?\b|\b\d{1,2}(?:\.|\s+de|\s+of)?\s+(?:januar|februar|märz|april|mai|juni|juli|"
        r"august|september|oktober|november|dezember|enero|febrero|marzo|abril|mayo|junio|julio|"
        r"agosto|septiembre|octubre|noviembre|diciembre|janvier|février|mars|avril|juin|juillet|"
        r"août|septembre|octobre|novembre|décembre|janeiro|fevereiro|"
        r"março|maio|junho|julho|setembro|outubro|novembro|dezembro)\b|\bthe\s+\d{1,2}(?:st|nd|rd|th)\b|"
        r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})月(?:\d{1,2}|[一二三四五六七八九十]{1,3})[日号]",
        re.IGNORECASE,
    ),
    "weekday": re.compile(
        r"\b(?:(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|montag|dienstag|"
        r"mittwoch|donnerstag|freitag|samstag|sonntag|lunes|martes|miércoles|jueves|viernes|"
        r"sábado|domingo|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)s?|(?:segunda|terça|"
        r"quarta|quinta|sexta)s?-feiras?)\b|(?:周|星期)[一二三四五六日天]|"
        r"[月火水木金土日]曜日",
        re.IGNORECASE,
    ),
    "month": re.compile(
        r"\b(?i:january|february|march|april|june|july|august|september|october|november|december|"
        r"januar|februar|märz|juni|juli|oktober|dezember|enero|febrero|marzo|abril|mayo|junio|"
        r"julio|agosto|septiembre|octubre|noviembre|diciembre|janvier|février|mars|avril|juin|"
        r"juillet|août|septembre|octobre|novembre|décembre|janeiro|fevereiro|março|maio|junho|"
        r"julho|setembro|outubro|novembro|dezembro)\b|"
        r"(?<=\b[Ii]n\s)May\b|(?<=\b[Ii]m\s)Mai\b|(?<=\b[Ee]n\s)mai\b"
    ),
    "money": re.compile(
        r"[$€£¥]\s?\d[\d.,]*|\b\d[\d.,]*\s?(?:[$€£¥]|euros?|dollars?|usd|eur|gbp)", re.IGNORECASE
    ),
    "year": re.compile(r"(?<![\w.,:-])(?:19|20)\d\d(?![A-Za-z\d:]|[.,]\d)"),
    "number": re.compile(r"(?<![A-Za-z\d_.,:-])\d+(?:[.,]\d+)?(?![A-Za-z\d_:]|[.,]\d)"),
}
_MEANT = re.compile(
    r"\W*(?i:(?:no|oh|ah|wait|sorry|oops|actually|correction|my\s+(?:bad|mistake)|nein|halt|ach|"
    r"entschuldigung|pardon|perdón|perdona|ay|désolée?|non|não|desculpa|ops)\b\W+)*"
    r"(?i:i\s+mean[t]?(?:\s+to\s+(?:say|write))?|i\s+should\s+have\s+said|ich\s+meinte?|"
    r"quise\s+decir|quería\s+decir|je\s+voulais\s+dire|quis\s+dizer|queria\s+dizer)\W+"
    r"(?P<name>[^\W\d_a-z][\w'-]*(?:\s+[^\W\d_a-z][\w'-]*){0,3})\W*"
)
"""A whole sentence that gives nothing but a name in the place of another."""
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
