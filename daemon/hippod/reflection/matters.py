"""What opinions are about: how alike the topics of two statements are, and whether they tell of
one aspect of one thing, so that a statement nobody can decide on needs no opinion of its own.
"""

import re
from collections.abc import Collection, Set
from typing import Final

from hippod import language as tongue
from hippod.language import word_set
from hippod.reflection import stances
from hippod.reflection.stances import GOOD, LIKE, Claim, Stems
from hippod.reflection.statements import overlap

DOUBTS: Final = ("question", "hedge", "hearsay", "both ways")
"""Reasons of a verdict for which nothing follows from a statement, whatever it is about."""
_CLOSE = 0.5
"""Share of the words of the shorter topic that the other one has too."""
_MORE = 1
"""How many words more than the shared ones a topic may have of its own before it is another."""
_WORTH = word_set("use fun taste comfort reliable ease")
"""Qualities by which people tell whether they like a thing."""
_DESCRIPTIVE = word_set("length size place heat shade company written")
"""Qualities that tell which thing is meant."""
_OF_NAMES = word_set("hour pace set open amount")
"""Qualities whose words often are a part of a name: "night bus"."""
_DEMANDS = re.compile(
    r"(?<!\w)(?:should|must|ought|needs?|has to|have to|sollten?|muss|müssen|müsste|brauch(?:t|en)|"
    r"deber?[ií]an?|debe|necesita|tiene que|devrai(?:t|ent)|doit|besoin|deveriam?|precisa|"
    r"dovrebber?o?|deve|bisogna|moet(?:en)?|zou(?:den)? moeten)(?!\w)|应该|必须|べき|必要",
    re.I,
)


def topic(text: str, language: str, names: Collection[str]) -> Stems:
    """Return what a statement is about: its stems without stance, function words and `names`.

    Empty if it says no more than a name and a quality.
    """
    stems = stances.stems_of(stances.unlabelled(text)[1], language)
    return _told(stems, language, names)


def is_same(statement: str, text: str, names: Collection[str], *, is_near: bool = False) -> bool:
    """Say whether two statements about `names` tell of the same aspect of the same thing.

    Whether for or against is not looked at: "Rowing bores her" is about "Likes rowing". With
    `is_near` they are known to be near in meaning: then the number of their words is not either.
    """
    language = stances.language_of(statement, text)
    old, new = stances.read(statement, language), stances.read(text, language)
    ours, theirs = _told(old.stems, language, names), _told(new.stems, language, names)
    if not ours or not theirs:
        return _is_alike(_told(old.words, language, names), _told(new.words, language, names))
    if _is_demand(statement) != _is_demand(text) or _are_aspects(old, new):
        return False
    if _is_alike(ours, theirs) or (is_near and ours & theirs):
        return True
    most = len(_told(old.words & new.words, language, names)) + _MORE
    return _is_around(ours, theirs, old.thing | new.thing, most)


def _told(stems: Stems, language: str, names: Collection[str]) -> Stems:
    named = frozenset[str]().union(*(stances.plain_stems(name, language) for name in names))
    return frozenset(s for s in stems - named if not tongue.is_function_word(s, language))


def _is_alike(ours: Set[str], theirs: Set[str]) -> bool:
    return len(ours & theirs) >= _CLOSE * len(ours | theirs) > 0


def _is_around(ours: Stems, theirs: Stems, things: Stems, most: int) -> bool:
    """Say whether the longer topic tells a little more about what the shorter one is about."""
    shared = ours & theirs
    more = max(len(ours), len(theirs)) - len(shared)
    if more > most or overlap(ours, theirs) < _CLOSE:
        return False
    return len(shared) > 1 or shared == min(ours, theirs, key=len) or bool(shared & things)


def _is_demand(text: str) -> bool:
    return _DEMANDS.search(text) is not None


def _are_aspects(old: Claim, new: Claim) -> bool:
    """Say whether two stances are on other things, as far as their qualities tell."""
    told, other = _described(old), _described(new)
    if any(sign != other.get(scale, sign) for scale, sign in told.items()):
        return LIKE in old.scales or LIKE in new.scales
    if old.circumstances and new.circumstances and not old.circumstances & new.circumstances:
        return True
    ours, theirs = _qualities(old), _qualities(new)
    if not ours or not theirs or ours & theirs:
        return False
    attitudes = {LIKE, GOOD}
    return not any(
        one & attitudes and other & (_WORTH | attitudes)
        for one, other in ((ours, theirs), (theirs, ours))
    )


def _described(claim: Claim) -> dict[str, int]:
    """Return the signs of what tells which thing is meant, none if a negation is about that."""
    if claim.affirms < 0:
        return {}
    told = {**claim.scales}
    for case in claim.circumstances:
        scale, _, sign = case.partition(" ")
        told |= {scale: int(sign)} if sign else {}
    return {scale: sign for scale, sign in told.items() if scale in _DESCRIPTIVE}


def _qualities(claim: Claim) -> frozenset[str]:
    return frozenset(claim.scales) - _OF_NAMES
