"""Does an earlier fact already say what a new one says? Paraphrases do, contradictions do not."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from hippod.extraction import persons
from hippod.extraction.names import spans
from hippod.extraction.support import is_negated, numbers, quotation, speaker_of, without_dates
from hippod.language import content_stems, is_function_word, is_spaceless, word_set

OVERLAP = 0.75
"""Part of a fact's stems above which an earlier fact already says it."""


def is_repeated(fact: str, earlier: str, language: str) -> bool:
    """Tell whether `earlier` already says what `fact` says.

    A contradiction is none: another number or one in another's place, another name, a negation on
    one side only, one word in the place of another ("red" for "blue"), or the same words the other
    way round.
    """
    new, old = _said(fact, language), _said(earlier, language)
    if not (_covers(old, new) or (is_spaceless(language) and _is_within(new.text, old.text))):
        return False
    if not Counter(numbers(fact)) <= Counter(numbers(earlier)):
        return False
    if is_negated(new.text, language) != is_negated(old.text, language):
        return False
    return not _contradicts(new, old, language)


def is_restated(fact: str, earlier: str, language: str) -> bool:
    """Tell whether two facts say the same in the same order: "A over B" is not "B over A"."""
    same_words = _said(fact, language).stems == _said(earlier, language).stems
    return same_words and is_repeated(fact, earlier, language)


# --- what is said -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Said:
    """A fact's statement without who said it; `speaker` is empty where nobody is quoted."""

    text: str
    stems: tuple[str, ...]
    speaker: str
    about_speaker: frozenset[str]


@lru_cache(maxsize=8192)  # every new fact is held against all known ones
def _said(fact: str, language: str) -> _Said:
    text = without_dates(fact)
    quoted = quotation(text)
    speaker = speaker_of(text) if quoted is not None else ""
    stated = _ECHO.sub("", quoted if quoted is not None else text.strip())
    if is_spaceless(language) and speaker:
        stated = _CJK_SELF.sub(speaker, stated)
    stems = tuple(stem for stem in content_stems(stated, language) if stem not in _NOISE)
    return _Said(stated, stems, speaker, frozenset(content_stems(speaker, language)))


_ECHO = re.compile(
    r"^\W*(?:"
    r"(?:as\s+)?you\s+(?:once\s+|also\s+|already\s+|have\s+|had\s+)*(?:told\s+me|said|mentioned|asked)(?:\s+that|,)?\s|"
    r"(?:as|like)\s+(?:you|i)\s+(?:\w+\s+)?(?:said|mentioned|told\s+\w+|noted|recall|remember),?\s|"
    r"(?:i\s+(?:remember|recall|know|see)|from\s+(?:memory|your\s+notes)|according\s+to\s+(?:my|your)\s+(?:notes?|memory))"
    r"(?:\s+that|,|:)?\s|"
    r"(?:wie\s+)?du\s+(?:\w+\s+)?(?:sagtest|erwähntest|hast\s+(?:mir\s+)?(?:gesagt|erzählt|erwähnt)|(?:gesagt|erzählt|erwähnt)\s+hast)"
    r"(?:,?\s+dass|,)?\s|ich\s+(?:erinnere\s+mich|weiß)(?:\s+noch)?,?\s+dass\s|"
    r"(?:como\s+)?(?:me\s+)?(?:dijiste|contaste|mencionaste)(?:\s+que|,)?\s|recuerdo\s+que\s|"
    r"(?:comme\s+)?tu\s+(?:m['’]as\s+|l['’]as\s+|as\s+)(?:dit|raconté|mentionné)(?:\s+que|,)?\s|je\s+me\s+souviens\s+que\s|"
    r"(?:como\s+)?você\s+(?:me\s+)?(?:disse|contou|mencionou)(?:\s+que|,)?\s|(?:eu\s+)?lembro\s+que\s|"
    r"你(?:之前|刚才|以前)?(?:说过?|告诉(?:过)?我|提到过?)[，,：:]?|我记得[，,]?)",
    re.IGNORECASE,
)
"""How an agent begins when it says again what it was told."""
_CJK_SELF = re.compile("我们|我|私|僕|俺")
_NOISE = word_set("user users pleas bitt nutz usuari utilis utilizador")


# --- the same -----------------------------------------------------------------------------------


def _covers(old: _Said, new: _Said) -> bool:
    """Tell whether `old` has the words of `new`; where both have others, it is another fact."""
    known = set(old.stems)
    wanted = set(new.stems)
    missing = wanted - known - old.about_speaker
    more = known - wanted - new.about_speaker
    if not wanted or (missing and more):
        return False
    return len(wanted) - len(missing) > OVERLAP * len(wanted)


def _is_within(new: str, old: str) -> bool:
    """Tell whether the characters of `new` stand in `old` in their order, few of them between."""
    plain = [char for char in new if char.isalnum()]
    rest = iter(char for char in old if char.isalnum())
    return len(plain) >= 4 and all(char in rest for char in plain)


# --- and yet not the same -----------------------------------------------------------------------


def _contradicts(new: _Said, old: _Said, language: str) -> bool:
    names = spans(new.text, language)
    known = f"{old.speaker} {old.text}".casefold()
    if not all(_plain(name) in known for name in names):
        return True
    of_self = new.speaker and persons.speaks_of_self(new.text, language)
    if of_self and new.speaker.casefold() not in known:
        return True
    return (
        _swaps_names(names, spans(old.text, language), new.text, old.text)
        or _swaps_numbers(new, old)
        or _is_opposite(new.text, old.text)
        or _turns_round(new.text, old.text, language)
    )


def _plain(name: str) -> str:
    return name.casefold().replace("’", "'")


def _swaps_names(new: list[str], old: list[str], new_text: str, old_text: str) -> bool:
    """Tell "Ben owes Vera" from "Vera owes Ben", and "Ben's boss" from "Vera's boss"."""
    shared = set(new) & set(old)
    owners = {name for name in shared if _owns(name, new_text)}
    if owners != {name for name in shared if _owns(name, old_text)}:
        return True
    free = shared - owners
    if [name for name in new if name in free] != [name for name in old if name in free]:
        return True
    subject, other = _subject(new_text), _subject(old_text)
    return None not in (subject, other) and subject != other and str(subject) in old_text.split()


def _swaps_numbers(new: _Said, old: _Said) -> bool:
    """Tell "2 of 3 boats" from "3 of 2 boats"; a number may move together with a word beside it."""
    here, there = _numbered(new.stems), _numbered(old.stems)
    rest = iter(there)
    if all(any(each[1] == other[1] for other in rest) for each in here):
        return False
    return not all(any(_is_beside_the_same(each, other) for other in there) for each in here)


_Numbered = tuple[str, str, str]
"""A stem with a digit between the one before and the one behind it."""


def _numbered(stems: Sequence[str]) -> list[_Numbered]:
    around = zip(("", *stems), stems, (*stems[1:], ""), strict=False)
    return [each for each in around if any(map(str.isdigit, each[1]))]


def _is_beside_the_same(one: _Numbered, other: _Numbered) -> bool:
    before, behind = (one[place] == other[place] != "" for place in (0, 2))
    return one[1] == other[1] and (before or behind)


def _owns(name: str, text: str) -> bool:
    return re.search(rf"{re.escape(name)}['’]s?\b", text) is not None


def _subject(text: str) -> str | None:
    """Return the capitalised word that begins a text, if it may be a name."""
    first = _FIRST_WORD.match(text)
    return None if first is None or is_function_word(first[1], "en") else first[1]


_FIRST_WORD = re.compile(r"\W*([^\W\d_a-z][\w-]*)(?![\w'’])")


_OPPOSITES = tuple(
    (re.compile(rf"\b(?:{one})\b", re.IGNORECASE), re.compile(rf"\b(?:{other})\b", re.IGNORECASE))
    for one, other in (
        ("before", "after"), ("until", "since|from"), ("more", "less|fewer"), ("with", "without"),
        ("up", "down"), ("on", "off"), ("in", "out"), ("first", "last"), ("next", "last"),
        ("vor", "nach"), ("bis", "seit|ab"), ("mehr", "weniger"), ("mit", "ohne"), ("an", "aus"),
        ("antes", "después|depois"), ("hasta", "desde"), ("até", "desde"), ("más", "menos"),
        ("mais", "menos"), ("con", "sin"), ("com", "sem"), ("avant", "après"),
        ("jusqu\\S*", "depuis"), ("plus", "moins"), ("avec", "sans"),
    )
)  # fmt: skip


def _is_opposite(new: str, old: str) -> bool:
    """Tell whether one says "before" where the other says "after"."""
    for one, other in _OPPOSITES:
        for first, second in ((one, other), (other, one)):
            here = first.search(new) and not second.search(new)
            if here and second.search(old) and not first.search(old):
                return True
    return False


_BETWEEN = re.compile(
    r"\b(?:over|than|not|instead|before|after|from|to|statt|als|nicht|vor|nach|von|zu|que|en\s+lugar|en\s+vez|antes|"
    r"después|depois|plutôt|au\s+lieu|avant|après|em\s+vez|no|não|pas|de|a|à|al|au|aux|ao)\b|より|比|不是|而不是|ではなく",
    re.IGNORECASE,
)
_PREFERS = re.compile(
    r"\b(?:over|than|instead|rather|statt|anstatt|lieber|en\s+lugar|en\s+vez|más|plutôt|au\s+lieu|em\s+vez|mais)\b|より|比|而不是",
    re.IGNORECASE,
)


def _turns_round(new: str, old: str, language: str) -> bool:
    """Tell "tea over coffee" from "coffee over tea", and from "tea" alone the other one."""
    for match in _BETWEEN.finditer(new):
        word = match[0].casefold()
        there = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", old, re.IGNORECASE)
        if there is None:
            continue
        left, right = _sides(new, match, language)
        old_left, old_right = _sides(old, there, language)
        if (left - right) & (old_right - old_left) and (right - left) & (old_left - old_right):
            return True
    lesser = _PREFERS.search(old)
    if lesser is None or _PREFERS.search(new):
        return False
    better, worse = _sides(old, lesser, language)
    if language == "ja":  # what is preferred stands behind
        better, worse = worse, better
    return bool(set(content_stems(new, language)) & (worse - better))


def _sides(text: str, place: re.Match[str], language: str) -> tuple[set[str], set[str]]:
    return (
        set(content_stems(text[: place.start()], language)),
        set(content_stems(text[place.end() :], language)),
    )
