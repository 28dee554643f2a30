"""What a statement says of its topic: for or against, on which scale, and how surely.

One statement is read at a time; `verdicts` holds two of them against each other.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from hippod import language as tongue
from hippod.language import content_stems
from hippod.reflection import comparison_words, comparisons
from hippod.reflection.stance_words import Words, words
from hippod.reflection.telling_words import SMALL, TELLING

LIKE = "like"
"""The scale of attitudes; all others are qualities."""
GOOD = "good"
"""The quality that says no more than an attitude."""
_WORTHS = ("use", "fun", "taste", "kind", "fair")
"""Scales on which what is good is liked."""
LONGEST = 600
"""Characters of a statement that are read."""
Stems = frozenset[str]
NOTHING: Stems = frozenset()


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement, taken apart; every set holds stems."""

    words: Stems
    """All its content words but those of an attitude."""
    lacks: Stems
    """What it is without."""
    stems: Stems
    """All that it is about, without the words that take a stance."""
    subject: Stems
    """The name that it begins with."""
    thing: Stems
    """What the attitude, the ending or the negation is about."""
    heads: Stems
    """Its chief word: the last of a Germanic, the first of a Romance noun phrase."""
    circumstances: Stems
    """What stands behind "in", "for", "when"."""
    values: tuple[str, ...]
    scales: Mapping[str, int]
    """+1 or -1 for each scale, a negation before it taken in."""
    qualities: Stems
    """The scales of its chief clause, without attitude."""
    affirms: int
    """+1, or -1 for a statement that something is not, or no longer, so."""
    ends: bool
    """It says that something ended."""
    prefers: bool
    """It ranks its thing before others: there is one such thing at a time."""
    wants: bool
    small: Stems
    """The words that it writes small: no names, in most languages."""
    reports: bool
    """Who it begins with says or thinks the rest."""
    rather: "Ranking | None"
    """What it puts before what."""
    holder: Stems
    """Whose stance it is, where it begins with somebody: "the council"."""
    speaker: Stems
    """The name that it begins with, if an attitude follows at once: "Ravel loves"."""
    shifts: frozenset[str]
    """Words that may turn it, or make its thing another one: "lost", "previous"."""
    switched: tuple[Stems, Stems] | None
    """What was given up, and for what."""
    unsure: str
    """Why nothing follows from it: "question", "hedge", "hearsay", "both ways"; else empty."""
    said: str
    language: str

    @property
    def frame(self) -> Stems:
        """Small words that turn what the same words say: "to" and "from", "should", "or"."""
        return _frame(self.said, self.language)

    @property
    def past(self) -> Stems:
        """The stems of words with the ending of a past tense."""
        return _past(self.said, self.language)

    @property
    def cause(self) -> Stems:
        """Who or what makes something so: "Night buses make …"."""
        return _cause(self.said, self.language)

    @property
    def chooses(self) -> bool:
        """Whether it names one of several: "prefers", "wants"."""
        return self.prefers or self.wants

    @property
    def attitude(self) -> int:
        """+1 for liking, -1 for disliking, 0 for neither."""
        return self.scales.get(LIKE, 0)

    @property
    def worth(self) -> int:
        """What a judgement on a scale such as fun says of the thing: +1 good, -1 bad, 0 neither."""
        signs = {self.scales[scale] for scale in _WORTHS if scale in self.scales}
        return signs.pop() if len(signs) == 1 and not self.valence else 0

    @property
    def valence(self) -> int:
        """The attitude, or that of who calls the thing good or bad; 0 for neither."""
        return self.attitude or self.scales.get(GOOD, 0)


@dataclass(frozen=True, slots=True)
class Ranking:
    """One thing before another; the sides hold stems and, of qualities, "scale sign"."""

    more: Stems = NOTHING
    less: Stems = NOTHING
    quality: str = ""
    """By what; empty for what is preferred."""

    @property
    def is_read(self) -> bool:
        """Whether the order is known."""
        return bool(self.more and self.less)

    @property
    def is_preference(self) -> bool:
        """Whether it says what somebody would rather have."""
        return self.is_read and not self.quality

    def without(self, stems: Stems) -> "Ranking":
        """Return it without some words, such as the name that its clause begins with."""
        return Ranking(self.more - stems or self.more, self.less - stems or self.less, self.quality)


@lru_cache(maxsize=4096)
def language_of(*texts: str) -> str:
    """Return the language that all `texts` together are most likely written in.

    Facts are short: beside function words the verbs tell that facts are mostly made of.
    """
    together = " ".join(texts)
    found = tongue.guess(together)
    if found not in TELLING:
        return found
    told = set(_WORD.findall(together.casefold()))
    hits = {name: 2 * len(told & telling) for name, telling in TELLING.items()}
    hits[found] += 1
    return max(hits, key=lambda name: hits[name])


@lru_cache(maxsize=4096)
def read(text: str, language: str) -> Claim:
    """Take a statement apart; never fails, whatever the text."""
    table = words(language)
    name, said = unlabelled(text[:LONGEST])
    named = _named(name or _leading_name(said, language, table), language)
    clauses = [_clause(part, language, table) for part in _clauses(said, table)]
    chief = _chief(clauses)
    scales = dict(chief.scales)
    rather = next((clause.rather for clause in clauses if clause.rather), _likes_one(clauses))
    two_sided = False
    for clause in clauses:
        for scale, sign in clause.scales.items():
            two_sided |= scales.setdefault(scale, sign) != sign and not (rather and rather.is_read)
    thing = chief.thing - named or chief.stems - named
    if _FAVOURITE.search(said) and chief.thing <= named:
        thing = chief.thing  # "winter is her favourite season"
    return Claim(
        words=plain_stems(_unliked(said, table), language),
        lacks=stems_of(_after(table.without, said), language),
        stems=frozenset().union(*(clause.stems for clause in clauses)),
        subject=named,
        thing=thing,
        heads=chief.heads - named or thing,
        circumstances=frozenset().union(*(clause.circumstances for clause in clauses)) - named,
        values=tuple(spelt(match[0]) for match in _VALUE.finditer(said)),
        scales=scales,
        affirms=chief.affirms,
        ends=chief.ends,
        prefers=table.prefers.search(said) is not None,
        wants=_WANTS.search(said) is not None,
        small=_stems(" ".join(_SMALL_WORD.findall(said)), language),
        reports=_reports(said, table),
        rather=rather and rather.without(named),
        holder=_holder(said, language, table),
        speaker=named if name or _speaks(said, table) else NOTHING,
        shifts=_shifts(said, table),
        switched=_switched(said, language, table),
        qualities=frozenset(chief.scales) - {LIKE, GOOD, "pace"},
        unsure=_unsure(said, table) or ("both ways" if two_sided else ""),
        said=said,
        language=language,
    )


def unlabelled(text: str) -> tuple[str, str]:
    """Return the name in front of a statement, empty if there is none, and the statement."""
    label = _LABEL.match(text)
    return (label["name"], text[label.end() :]) if label else ("", text)


@lru_cache(maxsize=8192)
def stems_of(text: str, language: str) -> Stems:
    """Return the stems of the topic words of `text`: no stance, no filler, no lone digit."""
    return _stems(words(language).no_topic.sub(" ", text), language)


@lru_cache(maxsize=8192)
def plain_stems(text: str, language: str) -> Stems:
    """Return the stems of all content words of `text` but fillers."""
    return _stems(words(language).filler.sub(" ", text), language)


def spelt(number: str) -> str:
    """Return a number or time spelt one way: "10:00" is "10", "1,200" is "1200"."""
    text = re.sub(r"\s+", "", number.casefold())
    text = re.sub(r"(?<=\d),(?=\d{3}(?:\D|$))", "", text)
    return re.sub(r"(?<=\d)(?:[:h]00|uhr)$", "", text).rstrip(".,")


# --- a clause ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Clause:
    stems: Stems
    thing: Stems
    heads: Stems
    circumstances: Stems
    scales: Mapping[str, int]
    affirms: int
    ends: bool
    rather: Ranking | None

    @property
    def weight(self) -> int:
        """How much of a stance it takes."""
        return 5 * (LIKE in self.scales) + 2 * self.ends + bool(self.scales) + (self.affirms < 0)


def _chief(clauses: list[_Clause]) -> _Clause:
    """Return the clause that takes the stance: the strongest, of equal ones the first."""
    return max(clauses, key=lambda clause: clause.weight)


def _clauses(text: str, table: Words) -> list[str]:
    parts = [part for part in table.edges.split(text) if part and part.strip()]
    return [each for part in parts or [text] for each in _turn(part, table)]


def _turn(text: str, table: Words) -> list[str]:
    """Part "gave up tea and prefers coffee" into what is over and what is liked."""
    over = table.ended.search(text) or table.faded.search(text)
    likes = {mark.start for mark in _marks(text, table) if mark.scale == LIKE}
    for match in _AND.finditer(text, over.end()) if over else ():
        if match.end() in likes:
            return [text[: match.start()], text[match.end() :]]
    return [text]


_AND = re.compile(
    r"\s(?:and|und|y|et|e|en)\s+(?:(?:now|instead|he|she|they|i|er|sie|ich|nun|jetzt|stattdessen|"
    r"ahora|maintenant|il|elle|agora|ora|nu|hij|ze|zij)\s+)*",
    re.I,
)


def _clause(text: str, language: str, table: Words) -> _Clause:
    marks = list(_marks(text, table))
    denied = [match.span() for match in table.negations.finditer(text) if not _within(match, marks)]
    denied = denied[:1] if language == "fr" else denied  # "ne … pas" is one
    marks = [mark for mark in marks if not any(s <= mark.start < e for s, e in denied)]
    ends = bool(table.ended.search(text) or table.past.search(text))
    marks, cases = _cases(text, marks, table)
    scales = _signed(marks, denied, text, language)
    odd = len(denied) % 2 == 1
    like = next((mark for mark in marks if mark.scale == LIKE), None)
    if ends and LIKE in scales:
        scales[LIKE] = -scales[LIKE]
    faded = bool(denied and table.faded.search(text))
    rather = _ranking(text, language, denied=bool(denied), over=ends or faded)
    phrase = _phrase(text, like, language, table)
    bare = table.scales.sub(" ", phrase) if marks else phrase
    was = like is None and table.past.search(text)  # "used to live in Porto": all of it is over
    thing = stems_of(bare if was else table.qualifier.split(bare)[0], language)
    circumstances = _circumstances(text, table)
    return _Clause(
        stems=stems_of(text, language),
        thing=thing,
        heads=_head(phrase, language, table),
        circumstances=stems_of(circumstances, language) | cases,
        scales=scales,
        affirms=-1 if odd or ends else 1,
        ends=ends or faded,
        rather=rather,
    )


@dataclass(frozen=True, slots=True)
class _Mark:
    scale: str
    sign: int
    start: int
    end: int


def _marks(text: str, table: Words) -> Iterator[_Mark]:
    for match in table.scales.finditer(text):
        if group := match.lastgroup:
            yield _Mark(group[:-2], 1 if group.endswith("_p") else -1, match.start(), match.end())


def _cases(text: str, marks: list[_Mark], table: Words) -> tuple[list[_Mark], Stems]:
    """Take qualities of a circumstance for a part of it: "reliable for small jobs"."""
    edge = table.qualifier.search(text)
    before = [mark for mark in marks if edge and mark.start < edge.start()]
    if not before or any(mark.scale == LIKE for mark in marks):
        return marks, NOTHING
    behind = [mark for mark in marks if mark not in before]
    return before, frozenset(f"{mark.scale} {mark.sign}" for mark in behind)


def _within(match: re.Match[str], marks: list[_Mark]) -> bool:
    """Tell whether a negation is part of a stance word: "can't stand"."""
    return any(mark.start <= match.start() and match.end() <= mark.end for mark in marks)


def _signed(
    marks: list[_Mark], denied: list[tuple[int, int]], text: str, language: str
) -> dict[str, int]:
    """Give each negation to the stance word that it turns: one of attitude, else the next one."""
    flips = dict.fromkeys(range(len(marks)), 1)
    for start, _ in denied:
        target = _target(marks, start, text, language)
        if target is not None:
            flips[target] = -flips[target]
    scales: dict[str, int] = {}
    for place, mark in enumerate(marks):
        scales.setdefault(mark.scale, mark.sign * flips[place])
    return scales


def _target(marks: list[_Mark], start: int, text: str, language: str) -> int | None:
    behind = [place for place, mark in enumerate(marks) if mark.start >= start]
    if language in _VERB_FIRST:
        liking = [place for place, mark in enumerate(marks) if mark.scale == LIKE]
        return next(iter(liking or behind or range(len(marks))), None)
    if behind:
        return behind[0]
    right_behind = (
        bool(marks) and marks[-1].scale == LIKE and not text[marks[-1].end : start].strip()
    )
    is_turned = right_behind and not _BUT.match(text, start)
    return len(marks) - 1 if is_turned else None  # "likes no surprises"


_BUT = re.compile(
    r"[\w’']+\s+(?:but|except|other\s+than|besides|more|better|less|only|just|que|che|más|mais|più)(?!\w)",
    re.I,
)
"""Behind a negation that leaves something out: "nothing but", "no more than"."""
_VERB_FIRST = ("de", "nl", "fr", "zh", "ja")
"""Languages in which a negation may stand behind what it denies."""


def _ranking(text: str, language: str, *, denied: bool, over: bool) -> Ranking | None:
    """Return what a clause puts before what; one that is denied cannot be read, unless it ended."""
    found = comparisons.find(text, language)
    if found is None or (over and not found.more):
        return None
    if denied and not over:
        return Ranking()
    more = _side(found.more, language)
    less = _side(_plain(found.less, words(language)), language)
    if less <= more:
        less = _side(found.less, language)  # "to working from the office"
    quality, sign = _degree(found.quality, language)
    if (sign > 0) is over:
        more, less = less, more
    return Ranking(more - less, less - more, quality)


def _side(text: str, language: str) -> Stems:
    return stems_of(text, language) | kinds(
        {mark.scale: mark.sign for mark in _marks(text, words(language))}
    )


def kinds(scales: Mapping[str, int]) -> Stems:
    """Return the qualities of a thing as one can hold them beside stems."""
    return frozenset(f"{scale} {scales[scale]}" for scale in scales if scale not in (LIKE, GOOD))


def _degree(quality: str, language: str) -> tuple[str, int]:
    """Return a comparative as a scale, or its stem, and its end of the scale; "" for better."""
    if not quality or quality == comparison_words.WEIGHT:
        return quality, 1
    mark = next(_marks(quality, words(language)), None)
    if mark is None:
        return " ".join(_ordered(quality, language)) or quality, 1
    return ("" if mark.scale == GOOD else mark.scale), mark.sign


def _likes_one(clauses: list[_Clause]) -> Ranking | None:
    """Return "likes tea, coffee annoys her", "no longer drinks coffee, likes tea" as a ranking."""
    liked = [clause for clause in clauses if clause.scales.get(LIKE) == 1]
    others = [clause for clause in clauses if clause.scales.get(LIKE, -clause.ends) == -1]
    if len(liked) != 1 or len(others) != 1:
        return None
    one, other = (_named_things(clause) for clause in (*liked, *others))
    return None if one & other or not (one and other) else Ranking(one, other)


_FAVOURITE = re.compile(r"favou?rite|favorit|préféré|preferit|preferid|lieblings|lievelings", re.I)
_IS = re.compile(r"(?<!\w)(?:is|are|remains?|ist|sind|es|son|est|sont|é|são|è|sono|zijn)(?!\w)")


def _named_things(clause: _Clause) -> Stems:
    """Return what a clause is about; "short ones" says no more than a quality."""
    found = kinds(clause.scales)
    named = clause.thing or any(scale in _THINGS for scale in clause.scales)
    return clause.thing | found if named else NOTHING


_THINGS = ("written", "company")
"""Scales whose words are things: mails and calls."""


def _phrase(text: str, like: _Mark | None, language: str, table: Words) -> str:
    """Return the part that names what the stance is about."""
    if language in ("zh", "ja"):
        return text
    ended = table.ended.search(text)
    if like is None and ended and stems_of(text[ended.end() :], language):
        return text[ended.end() :]
    if like is None:
        first = table.scales.search(text)
        before = text[: first.start()] if first else ""
        return before if stems_of(before, language) else text
    behind, before = text[like.end :], text[: like.start]
    if stems_of(before, language) and _FAVOURITE.match(text, like.start) and _IS.search(before):
        return before  # "tennis is her favourite sport"
    if stems_of(behind, language):
        over = table.over.search(behind)
        return (
            behind[: over.start()]
            if over and stems_of(behind[: over.start()], language)
            else behind
        )
    return before


def _plain(text: str, table: Words) -> str:
    return table.qualifier.split(text)[0]


def _circumstances(text: str, table: Words) -> str:
    if not table.qualifier.search(text):
        return ""
    return _after(table.qualifier, table.scales.sub(" ", text))


def _after(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return text[found.end() :] if found else ""


def _unliked(text: str, table: Words) -> str:
    return table.scales.sub(lambda mark: " " if _is_like(mark) else mark[0], text)


def _is_like(mark: re.Match[str]) -> bool:
    return (mark.lastgroup or "")[:-2] == LIKE


def _head(phrase: str, language: str, table: Words) -> Stems:
    plain = table.filler.sub(" ", table.scales.sub(" ", _plain(phrase, table)))
    found = [stem for stem in _ordered(plain, language) if not stem.isdigit()]
    if not found or language in ("zh", "ja"):
        return frozenset(found)
    return frozenset((found[0] if language in _NOUN_FIRST else found[-1],))


_NOUN_FIRST = ("es", "fr", "pt", "it")


@lru_cache(maxsize=4096)
def _frame(text: str, language: str) -> Stems:
    found = words(language).frame.findall(_UNCHANGED.sub(" ", text))
    return frozenset(" ".join(word.casefold().replace("’", "'").split()) for word in found)


_UNCHANGED = re.compile(r"(?<!\w)no~doubt(?!\w)".replace("~", r"\s+"), re.I)


@lru_cache(maxsize=4096)
def _cause(text: str, language: str) -> Stems:
    verb = _MAKES.search(text)
    return plain_stems(text[: verb.start()], language) if verb else NOTHING


_MAKES = re.compile(
    r"(?<!\w)(?:makes?|macht|machen|hacen?|rend|rendent|tornam?|rende|rendono|maakt|maken)(?!\w)",
    re.I,
)


@lru_cache(maxsize=4096)
def _past(text: str, language: str) -> Stems:
    ending = _PAST.get(language)
    return _stems(" ".join(ending.findall(text)), language) if ending else NOTHING


_PAST = {
    name: re.compile(rf"(?<!\w)[^\W\d_]{{2,}}(?:{endings})(?!\w)", re.I)
    for name, endings in {
        "en": "ed",
        "de": "te|ten|test",
        "es": "ó|aba|aban|ía|ían|aron|ieron",
        "fr": "ait|aient|a|èrent",
        "pt": "ou|ava|avam|ia|iam|aram|eram|iram|iu",
        "it": "ò|ava|avano|eva|evano|iva|ivano|ì",
        "nl": "de|den|te|ten",
    }.items()
}


# --- how surely ----------------------------------------------------------------------------------


def _unsure(text: str, table: Words) -> str:
    if "?" in text or "？" in text:
        return "question"
    if table.reported.search(text):
        return "hearsay"
    return "hedge" if table.unsure.search(text) else ""


def _reports(text: str, table: Words) -> bool:
    name = _NAME.match(text)
    return bool(name and table.says.match(text, name.end() + 1))


def _holder(text: str, language: str, table: Words) -> Stems:
    """Return who takes the stance, if it is somebody whom the clause begins with."""
    if not table.holder.match(text):
        return NOTHING
    found = next((mark for mark in _marks(text, table) if mark.scale == LIKE), None)
    start, end = (found.start, found.end) if found else _said(text, table)
    if not start or _FAVOURITE.match(text, start) or not stems_of(text[end:], language):
        return NOTHING
    before = text[:start]
    return stems_of(before, language) or (_ANYBODY if _PRONOUN.match(before) else NOTHING)


_ANYBODY: Stems = frozenset(("*",))
_PRONOUN = re.compile(
    r"\W*(?:nobody|no~one|none|everyone|everybody|people|niemand|keiner|jeder|alle|man|nadie|todos|"
    r"personne|tous|on|ninguém|nessuno|tutti|iedereen)(?!\w)".replace("~", r"\s+"),
    re.I,
)


def _speaks(text: str, table: Words) -> bool:
    name = _NAME.match(text)
    verb = next(_marks(text, table), None) if name else None
    if name is None or verb is None or verb.scale != LIKE or _ADVERB.match(text, verb.start):
        return False
    return not table.filler.sub("", text[name.end() : verb.start]).strip()


_ADVERB = re.compile(r"lieb|gern|graag|liever", re.I)


def _said(text: str, table: Words) -> tuple[int, int]:
    match = table.saying.search(text)
    return match.span() if match else (0, 0)


def _shifts(text: str, table: Words) -> frozenset[str]:
    if not table.shifts.search(text):
        return frozenset()
    text = table.negations.sub(" ", table.ended.sub(" ", text))
    text = table.scales.sub(lambda mark: mark[0] if _is_hour(mark) else " ", text)
    return frozenset(match[0].casefold()[:4] for match in table.shifts.finditer(text))


def _is_hour(mark: re.Match[str]) -> bool:
    """Tell whether a word may be one of time: "frühere" is earlier, and former."""
    return (mark.lastgroup or "").startswith("hour")


def _switched(text: str, language: str, table: Words) -> tuple[Stems, Stems] | None:
    match = table.switched.search(text)
    if match is None:
        return None
    groups = match.groupdict()
    old = groups.get("old") or groups.get("old2") or ""
    new = groups.get("new") or groups.get("new2") or ""
    left = plain_stems(old, language)
    taken = plain_stems(_plain(new, table), language)
    return (left, taken) if left and taken else None


# --- words ---------------------------------------------------------------------------------------


def _leading_name(text: str, language: str, table: Words) -> str:
    """Return the capitalised words that a statement begins with, if it goes on in small ones."""
    match = _NAME.match(text)
    if match is None or any(verb.match(text) for verb in (table.scales, table.ended, table.filler)):
        return ""
    return match[0].split()[0] if language == "de" else match[0]  # nouns are capitalised there


def _named(name: str, language: str) -> Stems:
    return frozenset(_ordered(name, language))


_LABEL = re.compile(
    r"\s*(?P<name>[^\W\d_a-zß-öø-ÿ][\w.'’-]*(?:[ -][^\W\d_a-zß-öø-ÿ][\w.'’-]*){0,3}|[\w.-]{1,40})"
    r":\s+(?=[^\W\d_a-zß-öø-ÿ])"
)
"""The name of the entity in front of a statement that does not mention it."""
_NAME = re.compile(
    r"\s*(?:[A-ZÀ-ÖØ-Þ][\w.-]*)(?:\s+[A-ZÀ-ÖØ-Þ][\w.-]*){0,2}(?=(?:['’]s)?\s+[^\WA-ZÀ-ÖØ-Þ])"
)
_WANTS = re.compile(r"(?<!\w)(?:wants?|insists|will|möchte|quiere|veut|quer|vuole|wil)(?!\w)", re.I)
_SMALL_WORD = re.compile(r"(?<!\w)[a-zß-öø-ÿ][\w'’-]*")
_VALUE = re.compile(r"(?<![\w.])\d+(?:[.,:h]\d+)*\s?(?:%|am\b|pm\b|uhr\b|h\b)?", re.IGNORECASE)


def _stems(text: str, language: str) -> Stems:
    return frozenset(_ordered(text, language))


def _ordered(text: str, language: str) -> list[str]:
    text = _ELISION.sub(" ", text) if language in ("fr", "it") else text
    plain = content_stems(text, language)
    if language not in _OWN_STEMMERS:
        return [stem for stem in plain if len(stem) > 1 or not stem.isascii()]
    return [_own_stem(word, language) for word in plain if word not in SMALL[language]]


@lru_cache(maxsize=8192)
def _own_stem(word: str, language: str) -> str:
    return tongue.snowball(word, _OWN_STEMMERS[language]) if word.isalpha() else word


_ELISION = re.compile(r"\b(?:[cdjlmnst]|qu|dell|all|nell|un|sull|dall)['’]", re.IGNORECASE)
_OWN_STEMMERS = {"it": "italian", "nl": "dutch"}


_WORD = re.compile(r"[^\W\d_]+")
