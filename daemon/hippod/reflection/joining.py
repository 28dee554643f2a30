"""Facts joined into one sentence: word for word, one behind the other, of one subject.

Nothing may be added, left out, bent or moved but the subject that is said once for all.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from hippod.language import word_set

_JOINTS = word_set("and but und aber y e pero et mais mas")
_PLACING = word_set(
    "in at on to from for with by of near since until into over under about as "
    "bei mit nach von aus für zu zum zur im am auf seit bis einen keinen den dem einem keinem "
    "en con de del desde hasta para por à au aux dans avec chez depuis pour du des "
    "em no na com do da até"
)
"""Words behind which a name cannot be the subject of what comes next."""
_OF = word_set("of von de du del da do des")
_REACHING = word_set(
    "and or but nor und oder y o e ou et also too "
    "that who whom whose which what where when while because if whether although though unless "
    "after before than like dass ob weil wenn während obwohl der die das welche welcher "
    "que quien quienes cuando porque mientras aunque qui dont quand parce lorsque quem quando "
    "say says said think thinks thought know knows knew believe believes believed hope hopes hoped "
    "wish wishes wished feel feels felt hear hears heard see sees saw tell tells told ask asks "
    "asked claim claims claimed mean means meant report reports reported "
    "sagt sagte denkt dachte glaubt glaubte weiß wusste hofft hoffte meint meinte findet fand "
    "dice dijo cree creía piensa sabe espera dit pense croit sait espère diz disse acha pensa "
    "may might can could should would will shall must did didn't cannot can't won't wouldn't "
    "couldn't shouldn't want wants wanted plan plans planned try tries tried intend intends let "
    "lets make makes made help helps helped "
    "never rarely seldom hardly barely only always often usually sometimes mostly longer almost "
    "nunca jamás siempre solo sólo casi sempre só quase raramente apenas no não ne "
    "he she they it his her hers their theirs its my our your we you i "
    "er sie es ihr ihre ihren ihrem sein seine seinen seinem "
    "él ella ellos su sus il elle ils son sa ses leur ele ela eles seu sua"
)
"""Words that may reach into what is joined to them, or hold another subject."""

_SPOKEN = re.compile(r"[\"“”„«»「」『』?？()\[\]]|:(?:\s|$)")
_END = ".!…。！"


def says_only(text: str, claims: Sequence[str], subjects: Collection[str]) -> bool:
    """Say whether `text` is these claims, joined or a single one, and nothing else.

    Each stands there word for word, in any order, joined by a comma, a semicolon or "and". All
    but the first begin with one of `subjects` (none given: with the words with which all begin),
    which may be left out behind one that begins so. A claim in whose words another subject may
    be meant, or that may reach into the next, comes last.
    """
    words = _words(text)
    wanted = [_words(claim) for claim in claims]
    if " ".join(text.split()) != text:
        return False
    if len(wanted) == 1:
        return bool(words) and "?" not in text and _is_same(words, wanted[0])
    if not wanted or any(map(_SPOKEN.search, (text, *claims))):
        return False
    return any(_is_joined(words, 0, each, None) for each in _with_subjects(wanted, subjects))


def tells(text: str, claim: str, subjects: Collection[str]) -> bool:
    """Say whether the words of a claim stand together in `text`, its subject left out or not."""
    words, whole = _bare(_words(text)), _words(claim)
    tails = (_bare(whole), _bare(whole[_subject(whole, subjects) :]))
    return any(
        tail and words[place : place + len(tail)] == tail
        for tail in tails
        for place in range(len(words) - len(tail) + 1)
    )


# --- the subject --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Claim:
    """The words of a claim; the first `subject` of them say whom it is about."""

    words: Sequence[str]
    subject: int

    @property
    def is_closed(self) -> bool:
        """Whether what is joined to it is said of its subject and as it stands."""
        start = max(self.subject, 1)
        pairs = zip(self.words[start - 1 :], self.words[start:], strict=False)
        return not any(map(_reaches, self.words[self.subject :])) and all(
            not word[0].isupper() or _is_placed(before) for before, word in pairs
        )


def _with_subjects(
    claims: Sequence[Sequence[str]], names: Collection[str]
) -> Iterator[list[_Claim]]:
    """Yield the claims with their subjects, in each way in which they may be taken."""
    if names:
        yield [_Claim(words, _subject(words, names)) for words in claims]
        return
    for size in range(1, min(map(len, claims))):
        alike = {_named(words[:size]) for words in claims}
        if len(alike) > 1 or any(map(_reaches, claims[0][:size])):
            return
        if all(_is_whole(words, size) for words in claims):
            yield [_Claim(words, size) for words in claims]


def _subject(words: Sequence[str], names: Collection[str]) -> int:
    """Return how many words at the beginning are one of the names, at most."""
    known = {_spelt(name) for name in names}
    longest = min(max((name.count(" ") + 1 for name in known), default=0), len(words) - 1)
    sizes = (n for n in range(longest, 0, -1) if _named(words[:n]) in known)
    return next((size for size in sizes if _is_whole(words, size)), 0)


def _is_whole(words: Sequence[str], size: int) -> bool:
    """Say whether a name ends there: not "Ana" of "Ana Maria", nor "Ana's" of "Ana's boat"."""
    last, following = words[size - 1], words[size]
    goes_on = following[0].isupper() or following.casefold() in _OF
    return not goes_on and not last.endswith(("'s", "’s", ",", ";"))


def _named(words: Sequence[str]) -> str:
    return _spelt(" ".join(words))


def _spelt(name: str) -> str:
    return " ".join(re.split(r"[\s_-]+", name.casefold().strip()))


def _is_placed(before: str) -> bool:
    """Say whether a name behind this word is no subject: "in Aue", "12 TB", "Rua Augusta"."""
    return before.casefold() in _PLACING or before[0].isupper() or before[0].isdigit()


def _reaches(word: str) -> bool:
    return word.casefold().replace("’", "'").strip(",;") in _REACHING


# --- the joints ---------------------------------------------------------------------------------


def _is_joined(
    words: Sequence[str], start: int, claims: Sequence[_Claim], before: _Claim | None
) -> bool:
    """Say whether the words from `start` on are the claims, joined one behind the other.

    `before` is the claim that ends at `start`, with the subject of which they may be.
    """
    if not claims:
        return start == len(words)
    if before:
        start = _behind_joint(words, start) if before.is_closed else 0
    if before and not start:
        return False
    for n, claim in enumerate(claims):
        rest = [*claims[:n], *claims[n + 1 :]]
        for said in _forms(claim, before):
            end = start + len(said)
            if _is_same(words[start:end], said) and _is_joined(words, end, rest, claim):
                return True
    return False


def _forms(claim: _Claim, before: _Claim | None) -> Iterator[Sequence[str]]:
    """Yield the words in which a claim may be told behind another."""
    if claim.subject or before is None:
        yield claim.words
    if claim.subject and before and before.subject:
        yield claim.words[claim.subject :]


def _behind_joint(words: Sequence[str], end: int) -> int:
    """Return where the words behind a joint begin; 0 if there is none."""
    is_marked = words[end - 1][-1] in ",;"
    is_word = end < len(words) and words[end].casefold() in _JOINTS
    return end + is_word if is_marked or is_word else 0


# --- words --------------------------------------------------------------------------------------


def _words(text: str) -> list[str]:
    """Return the words with all marks inside; those that end the sentence are left out."""
    words = text.split()
    if words:
        words[-1] = words[-1].rstrip(_END)
    return [word for word in words if word]


def _bare(words: Sequence[str]) -> list[str]:
    return [word.casefold().rstrip(",;") for word in words]


def _is_same(said: Sequence[str], claim: Sequence[str]) -> bool:
    """Say whether words are those of a claim; the case of its first may differ."""
    if len(said) != len(claim) or not claim:
        return False
    last = said[-1] if said[-1] == claim[-1] else said[-1].rstrip(",;")
    whole = [*said[:-1], last]
    return whole[0].casefold() == claim[0].casefold() and whole[1:] == list(claim[1:])
