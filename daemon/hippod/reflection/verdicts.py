"""Whether a later statement supports or contradicts an earlier one: a verdict by rules.

A rule speaks where both are about the same thing and take a stance on the same scale; all else
is "related": undecided. A wrong reversal costs more than an open question.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from hippod.extraction import corrections
from hippod.facts import normalise
from hippod.language import word_set
from hippod.reflection import slots, stances
from hippod.reflection.stances import LIKE, Claim, Ranking, Stems

Stance = Literal["supports", "contradicts", "related", "unrelated"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one statement is to another; `score` is how much of their topics they share, 0..1."""

    stance: Stance
    reason: str
    score: float


Judge = Callable[[str, str], Verdict]
"""Given a statement and a later text about the same entity, what the text is to it."""

CLOSE = 0.5
"""Share of all topic words that two statements about one thing have in common."""


SHARED = 0.25
"""Share of the shorter topic below which two statements are about different things."""


def judge(statement: str, text: str) -> Verdict:
    """Return what `text` is to `statement`; that they share an entity is up to the caller.

    Never raises. The same statement again supports itself.
    """
    if normalise(statement) == normalise(text):
        return Verdict("supports", "the same statement", 1.0)
    language = stances.language_of(statement, text)
    old, new = _opposed(stances.read(statement, language), stances.read(text, language), language)
    score = _overlap(old, new)
    if score < SHARED:
        return Verdict("unrelated", "no shared topic", score)
    others = _hearsay(old, new) or _of_kin(statement, text, language)
    if doubt := new.unsure or old.unsure or others:
        return Verdict("related", doubt, score)
    stance, reason = _compared(old, new, statement, text, language)
    return Verdict(stance, reason, score)


def _hearsay(old: Claim, new: Claim) -> str:
    """Return "hearsay" if who takes the later stance is not who the earlier is about."""
    if new.holder - old.subject != old.holder - new.subject:
        return "hearsay"
    if old.speaker and new.speaker and not old.speaker & new.speaker:
        return "hearsay"
    apart = bool(old.subject) and not old.subject & new.subject
    return "hearsay" if apart and new.reports else ""


def _of_kin(statement: str, text: str, language: str) -> str:
    """Return "hearsay" if only one of both is about a relative or friend of the entity."""
    return "" if _kin(statement, language) == _kin(text, language) else "hearsay"


def _kin(text: str, language: str) -> str:
    found = _KIN.match(text)
    if found is None or (language != "en" and found[1].casefold() == "son"):
        return ""  # "son" is small in Spanish and French
    return found[1].casefold()


_KIN = re.compile(
    r"\W*(?:(?:one\s+of\s+)?(?:her|his|their|my|our|ihr|sein|mein|unser|su|mi|son|sa|mon|ma|seu|sua|"
    r"suo|haar|zijn|mijn)(?:e[nrs]?|s)?\s+|(?:el|la|il|o|a|an?|the)\s+(?:su[ao]\s+|seu\s+)?|"
    r"[^\W\d_]+(?:\s+[^\W\d_]+)?['’]s\s+|[^\W\d_]+s\s+(?=(?-i:[MVBSTFKCNE])))(?:[^\W\d_]+\s+)?(mother|father|mum|mom|dad|brother|sister|daughter|wife|"
    r"husband|partner|girlfriend|boyfriend|friends?|colleagues?|boss|neighbou?rs?|cousin|uncle|aunt|"
    r"parents|kids?|children|grandmother|grandfather|mutter|vater|bruder|schwester|sohn|tochter|"
    r"frau|mann|freund(?:in)?|kollege|kollegin|chef(?:in)?|nachbar(?:in)?|eltern|kinder|madre|padre|"
    r"herman[oa]|hij[oa]|espos[oa]|amig[oa]|mère|père|frère|s(?:œ|oe)ur|fils|fille|mari|femme|"
    r"mãe|pai|irmão|irmã|filh[oa]|fratello|sorella|figli[oa]|moglie|marito|moeder|vader|broer|zus|"
    r"zoon|dochter)(?!\w|['’]s\s+(?!wife|husband|partner|mother|father|brother|sister|son|friend))",
    re.I,
)


def _opposed(old: Claim, new: Claim, language: str) -> tuple[Claim, Claim]:
    """Return both with "realistic" and "unrealistic" as the two ends of a scale."""
    prefixes = _OPPOSITES.get(language, ())
    for one, other, turned in ((old, new, False), (new, old, True)):
        for stem in one.stems:
            plain = next((stem[len(p) :] for p in prefixes if stem.startswith(p)), "")
            if len(plain) > 3 and plain in other.stems:
                one, other = _on_scale(one, stem, plain, -1), _on_scale(other, plain, plain, 1)
                return (other, one) if turned else (one, other)
    return old, new


def _on_scale(claim: Claim, stem: str, scale: str, sign: int) -> Claim:
    gone = frozenset((stem,))
    return replace(
        claim,
        stems=claim.stems - gone,
        thing=claim.thing - gone,
        heads=(claim.heads - gone) or (claim.thing - gone),
        scales={**claim.scales, scale: sign * claim.affirms},
    )


_OPPOSITES = {
    "en": ("un", "in", "im", "dis", "ir", "il"),
    "de": ("un",),
    "es": ("in", "im", "des", "ir"),
    "fr": ("in", "im", "dé", "ir", "mal"),
    "pt": ("in", "im", "des", "ir"),
    "it": ("in", "im", "s", "dis", "ir"),
    "nl": ("on",),
}


def _topics(old: Claim, new: Claim) -> tuple[Stems, Stems]:
    """Return the topics of both without the names that they begin with.

    "Coffee keeps her awake": what the other one writes small is no name.
    """
    names = (old.subject - new.small) | (new.subject - old.small)
    ours, theirs = _plain(old.stems - names), _plain(new.stems - names)
    if ours and theirs:
        return ours, theirs
    return _plain(old.words - names), _plain(new.words - names)


def _plain(stems: Stems) -> Stems:
    return frozenset(stem for stem in stems if not stem[0].isdigit())


def _bare(old: Claim, new: Claim) -> bool:
    """Tell whether neither says more than a name and a quality: "Redis is slow"."""
    return not (old.stems | new.stems) - old.subject - new.subject


def _overlap(old: Claim, new: Claim) -> float:
    """Return the shared part of the shorter topic; of two names nothing else may be said."""
    ours, theirs = _topics(old, new)
    shared = len(ours & theirs)
    if not shared:
        return float(_bare(old, new) and bool(set(old.scales) & set(new.scales)))
    return round(shared / min(len(ours), len(theirs)), 4)


Found = tuple[Stance, str]
UNDECIDED: Found = ("related", "undecided")


def _compared(old: Claim, new: Claim, statement: str, text: str, language: str) -> Found:
    if found := _by_switch(old, new) or _by_slot(statement, text, old, new, language):
        return found
    if found := _by_value(old, new, statement, text, language):
        return found
    for rule in (_by_preference, _by_stance, _by_ending):
        if found := rule(old, new):
            return found
    return _by_wording(old, new)


# --- the rules -----------------------------------------------------------------------------------


def _by_switch(old: Claim, new: Claim) -> Found | None:
    """Hold "switched from X to Y" against a statement for X or Y."""
    if new.switched is None or _leans(old) <= 0:
        return None
    left, taken = new.switched
    if taken <= old.words and not left <= old.words:
        return "supports", "switched to it"
    if left <= old.words and not taken <= old.words:
        return "contradicts", "switched away from it"
    return None


def _by_slot(statement: str, text: str, old: Claim, new: Claim, language: str) -> Found | None:
    """Hold two values of what has one at a time against each other."""
    (one, statement), (other_name, text) = map(stances.unlabelled, (statement, text))
    labels = stances.plain_stems(f"{one} {other_name}", language)
    names = (old.subject & new.subject) | labels
    theirs = {(slot.name, slot.about - names): slot for slot in slots.read(text, language)}
    for slot in slots.read(statement, language):
        other = theirs.get((slot.name, slot.about - names))
        if other is None:
            continue
        if slot.value == other.value:
            is_same = old.affirms == new.affirms
            return ("supports", "the same value") if is_same else UNDECIDED
        return ("contradicts", "another value") if other.excludes(slot) else UNDECIDED
    return None


def _by_preference(old: Claim, new: Claim) -> Found | None:
    """Hold two preferences, or a preference and a plain attitude, against each other."""
    if old.rather and new.rather:
        return _by_order(old, new, old.rather, new.rather)
    for rank, other in ((old.rather, new), (new.rather, old)):
        if rank is None:
            continue
        thing = other.thing | stances.kinds(other.scales)
        if rank.is_preference and other.attitude and _same(rank.more, thing):
            return ("supports" if other.attitude > 0 else "contradicts"), "what is preferred"
        return UNDECIDED
    return _by_choice(old, new) or _by_kind(old, new)


def _by_order(old: Claim, new: Claim, one: Ranking, other: Ranking) -> Found:
    """Hold "prefers tea to coffee" against "would rather have coffee than tea"."""
    if not (one.is_read and other.is_read) or one.quality != other.quality:
        return UNDECIDED
    if _apart(old, new) or _differ_in_kind(old, new, one, other):
        return UNDECIDED
    if _same(one.more, other.more) and _same(one.less, other.less):
        return "supports", "the same preference"
    if _same(one.more, other.less) and _same(one.less, other.more):
        return "contradicts", "the opposite preference"
    return UNDECIDED


def _differ_in_kind(old: Claim, new: Claim, one: Ranking, other: Ranking) -> bool:
    """Tell whether qualities beside the preference differ: "for small jobs", "for big ones"."""
    ours = stances.kinds(old.scales) - one.more - one.less
    theirs = stances.kinds(new.scales) - other.more - other.less
    kinds = [kind.split()[0] for kind in ours ^ theirs]
    return any(kinds.count(kind) > 1 and kind != one.quality for kind in kinds)


def _by_choice(old: Claim, new: Claim) -> Found | None:
    """Hold "prefers Vim for letters" against "prefers Nano for letters"."""
    if not (old.prefers and new.prefers and old.scales == new.scales):
        return None
    if old.thing & new.thing or not (old.thing and new.thing and old.circumstances):
        return None
    if old.circumstances != new.circumstances:
        return None
    return "contradicts", "another choice"


def _by_kind(old: Claim, new: Claim) -> Found | None:
    """Hold "wants letters in English" against "wants letters in German"."""
    if not (old.attitude > 0 and new.attitude > 0 and old.chooses and new.chooses):
        return None
    ours, theirs = _topics(old, new)
    one, other = ours - theirs, theirs - ours
    same = bool(ours & theirs) and len(one) == len(other) == 1
    if same and any(one | other <= kind for kind in _KINDS):
        return "contradicts", "another choice"
    return None


_KINDS = tuple(
    word_set(words)
    for words in (
        "english german french spanish italian dutch portuguese polish japanes chines russian",
        "monday tuesday wednesday thursday friday saturday sunday",
        "englisch deutsch franzos franzosisch spanisch italienisch",
        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
        "spring summer autumn winter",
    )
)
"""Stems of which somebody who prefers one takes no other."""


def _by_stance(old: Claim, new: Claim) -> Found | None:
    """Compare signs on the scales that both use, if they are about the same thing."""
    scales = set(old.scales) & set(new.scales)
    if bool(old.attitude) != bool(new.attitude) or not scales:
        return _by_valence(old, new)
    if not _about_same_thing(old, new) or _apart(old, new) or old.shifts != new.shifts:
        return UNDECIDED
    if _turned(old, new):
        return UNDECIDED
    same = _agreement(old, new, scales)
    if not same:
        return UNDECIDED
    if (
        LIKE not in scales
        and len(scales) == 1
        and old.affirms != new.affirms
        and old.ends != new.ends
    ):
        same = -abs(same)
    if same > 0:
        return "supports", "the same stance"
    if _narrower(old, new):
        return UNDECIDED
    return "contradicts", "the opposite stance"


def _agreement(old: Claim, new: Claim, scales: set[str]) -> int:
    """Return +1 for the same stance, -1 for the opposite one, 0 for some of both.

    With an attitude the qualities are those of its thing: who likes short answers dislikes long
    ones.
    """
    signs = [old.scales[scale] * new.scales[scale] for scale in scales]
    if LIKE in scales:
        return math.prod(signs)
    told = dict(zip(scales, signs, strict=True))
    judged = [sign for scale, sign in told.items() if scale not in _DESCRIPTIVE]
    if judged and any(told[scale] < 0 for scale in scales & _DESCRIPTIVE):
        return 0
    deciding = judged or signs
    return deciding[0] if len(set(deciding)) == 1 else 0


_DESCRIPTIVE = word_set("length size place hour heat shade company written pace set open amount")
"""Scales that say which thing is meant, where another one says what it is worth."""


def _by_valence(old: Claim, new: Claim) -> Found | None:
    """Hold "loves the office" against "the office is awful", "the office is boring"."""
    ours, theirs = _valences(old, new)
    if not (ours and theirs and _about_same_thing(old, new)):
        return None
    if _apart(old, new) or _narrower(old, new) or old.shifts != new.shifts:
        return UNDECIDED
    same = ours == theirs
    return ("supports", "the same judgement") if same else ("contradicts", "the opposite judgement")


def _valences(old: Claim, new: Claim) -> tuple[int, int]:
    """Return whether each of both is for its thing; who dislikes what is useful is consistent."""
    ours, theirs = old.valence or old.worth, new.valence or new.worth
    if not (old.valence or new.valence) or (old.worth and new.worth):
        return 0, 0
    for one, other in ((old, new), (new, old)):
        if one.attitude < 0 < other.worth and "use" in other.scales:
            return 0, 0
    return ours, theirs


def _by_ending(old: Claim, new: Claim) -> Found | None:
    """Hold "gave up X", "no longer does X" against "does X"."""
    if old.affirms == new.affirms:
        return None
    over = new if new.affirms < 0 else old
    if over.ends and (new if over is old else old).attitude < 0:
        return UNDECIDED  # who gave it up dislikes it
    if over.ends and over.thing and over.thing <= (old.stems if over is new else new.stems):
        if over is old and new.affirms > 0 and not _close(old, new):
            return UNDECIDED
        return "contradicts", "it ended"
    if _close(old, new) and not _narrower(old, new) and set(old.scales) == set(new.scales):
        return "contradicts", "denied"
    return UNDECIDED


def _by_value(old: Claim, new: Claim, statement: str, text: str, language: str) -> Found | None:
    """Hold two values of one slot against each other: "meetings at 9", "meetings at 14"."""
    if not old.values or not new.values or old.affirms != new.affirms:
        return None
    ours, theirs = _topics(old, new)
    if set(old.values) == set(new.values) or len(ours & theirs) < CLOSE * len(ours | theirs):
        return None
    if corrections.revalues(text, statement, language) and theirs <= ours:
        return "contradicts", "another value"
    return UNDECIDED


def _by_wording(old: Claim, new: Claim) -> Found:
    """Take a statement in nearly the same words for the same statement."""
    if old.affirms != new.affirms or set(old.values) != set(new.values):
        return UNDECIDED
    if old.shifts != new.shifts or _differ_in_frame(old, new):
        return UNDECIDED
    if (set(old.scales) ^ set(new.scales)) - {"pace"} or _apart(old, new):
        return UNDECIDED
    ours, theirs = _topics(old, new)
    shared = len(ours & theirs)
    if ours - theirs and theirs - ours:
        return UNDECIDED  # a word for another one: "buys", "sells"
    if shared > 1 and shared >= 0.6 * len(ours | theirs):
        return "supports", "the same words"
    return UNDECIDED


def _differ_in_frame(old: Claim, new: Claim) -> bool:
    """Tell whether tense, modals, prepositions, conjunctions or negations differ."""
    return old.frame != new.frame or old.past != new.past


def _turned(old: Claim, new: Claim) -> bool:
    """Tell whether only one of both says what should be, or one goes "to" and one "from"."""
    ours, theirs = old.frame - new.frame, new.frame - old.frame
    pairs = (pair for pair in _TURNS if ours & pair and theirs & pair)
    return bool((ours | theirs) & _NORMS) or next(pairs, None) is not None


_NORMS = word_set(
    "should shall must ought soll sollen sollte sollten muss müssen müsste debe deben debería "
    "deberían doit doivent devrait devraient deve devem deveria deveriam devono dovrebbe "
    "dovrebbero moet moeten"
)
"""What says how a thing should be, not how it is."""
_TURNS = tuple(
    word_set(words)
    for words in (
        "to from",
        "into out",
        "with without",
        "before after",
        "and or",
        "nach aus",
        "nach von",
        "mit ohne",
        "und oder",
        "con sin",
        "y o",
        "avec sans",
        "et ou",
        "com sem",
        "e ou",
        "con senza",
        "e o",
        "met zonder",
        "naar uit",
        "en of",
    )
)
"""Small words of which one says the opposite of the other, or another thing."""


# --- how near ------------------------------------------------------------------------------------


def _leans(claim: Claim) -> int:
    return claim.attitude or claim.affirms


def _same(one: Stems, other: Stems) -> bool:
    return bool(one and other) and (one <= other or other <= one)


def _close(old: Claim, new: Claim) -> bool:
    ours, theirs = _topics(old, new)
    return len(ours & theirs) >= CLOSE * len(ours | theirs) > 0


def _about_same_thing(old: Claim, new: Claim) -> bool:
    """Tell whether both stances are about the same thing: its chief word, or all of it."""
    if old.cause and new.cause and not old.cause & new.cause:
        return False  # "Night buses make trips easier", "Video calls make trips easier"
    if not old.thing or not new.thing:
        return _close(old, new) or _bare(old, new)
    ours, theirs = old.thing, new.thing
    if ours == theirs:
        return True
    if not (ours <= theirs or theirs <= ours):
        return False
    alike = len(old.qualities & new.qualities) if old.attitude else 0
    near = len(ours & theirs) + alike > CLOSE * (len(ours | theirs) + alike)
    return near or bool(old.heads & new.heads)


def _apart(old: Claim, new: Claim) -> bool:
    """Tell whether both hold under different circumstances: "in staging", "in production"."""
    if (old.lacks & new.stems) - new.lacks or (new.lacks & old.stems) - old.lacks:
        return True
    ours, theirs = old.circumstances, new.circumstances
    return bool(ours and theirs) and not (ours <= theirs or theirs <= ours)


def _narrower(old: Claim, new: Claim) -> bool:
    """Tell whether the later one speaks of a case only: "in pools", "hot wine"."""
    if new.circumstances - old.stems:
        return True
    more = new.thing - old.words - old.stems
    wide = len(old.thing & new.thing) <= CLOSE * len(old.thing | new.thing)
    return bool(more and wide) or bool(new.attitude and new.qualities - old.qualities)
