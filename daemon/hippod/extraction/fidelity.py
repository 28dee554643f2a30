"""The guard of what a model words: does it say what was said, whole, and nothing else?"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from hippod.extraction import dates, foreign, names, persons, support
from hippod.language import (
    LANGUAGES,
    content_stems,
    guess,
    is_function_word,
    is_spaceless,
    word_set,
)
from hippod.redact import REDACTED

KEPT = 0.75
"""Part of the sentence's content words that its wording must keep."""
OTHER_LANGUAGE = "another language than the source"


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence that is to be worded: what it rests on and what is known about it.

    `sources` are the sentences that may support the wording, `sentence` among them; `about`
    names whom a pronoun of it means, where that is certain.
    """

    speaker: str
    sentence: str
    language: str
    sources: tuple[str, ...]
    about: str | None = None


def fault(text: str, said: Said) -> str | None:
    """Return why a model's wording must not be stored for what was said, or None."""
    return misworded(text, said) or unsupported(text, said) or _left_out(text, said)


def unsupported(text: str, said: Said) -> str | None:
    """Return what the wording adds to its sources, or changes in them; None if nothing.

    Stricter than `support.check`, which it asks as well: every content word must be said, in
    some form of it, but for the speaker's name and a word such as "group" for we.
    """
    if foreign.is_injection(text):
        return foreign.INJECTED
    if support.without_dates(text) != text:
        return "a date that code has not resolved"
    plain = _as_said(text, said)
    if reason := support.check(plain, said.sources, said.speaker, said.language):
        return reason
    return _added(plain, said)


def is_verbatim(text: str, said: Said) -> bool:
    """Tell whether a text is a part of one source, word for word, whoever it is told by."""
    words = _words(text)
    return bool(words) and any(f" {words} " in f" {_words(each)} " for each in said.sources)


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _added(plain: str, said: Said) -> str | None:
    known = _content("\n".join((*said.sources, said.speaker)), said.language)
    new = {stem.removesuffix("'s") for stem in _content(plain, said.language)} - known
    return f"word not in the source: {min(new)}" if new else None


def _as_said(text: str, said: Said) -> str:
    """Put the source's own form for each inflected word, and the name alone for "Vera's group"."""
    if is_spaceless(said.language):
        return re.sub(rf"{re.escape(said.speaker)}[的の]?", " ", text)
    owner = rf"\b({re.escape(said.speaker)})(?:'s|’s|s)?\b"  # the name, in its genitive too
    plain = re.sub(owner, r"\1", text, flags=re.IGNORECASE)
    spoken = {_folded(word): word for source in said.sources for word in _WORD.findall(source)}

    def own_form(match: re.Match[str]) -> str:
        word, folded = match[0], _folded(match[0])
        if folded in spoken:
            return word
        if folded in _FOR_WE:
            return ""
        if not word[0].islower() or support.is_negated(word, said.language):
            return word
        forms = (own for other, own in spoken.items() if _is_inflection(folded, other))
        return next((own for own in forms if not support.is_negated(own, said.language)), word)

    return _WORD.sub(own_form, plain)


_FOR_WE = word_set("group team gruppe grupo groupe equipo equipe household family familie")
_WORD = re.compile(r"[^\W\d_]{4,}")


def _folded(word: str) -> str:
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(char for char in plain if not unicodedata.combining(char))


def _is_inflection(one: str, other: str) -> bool:
    """Tell whether two words differ in their last two letters at most."""
    stem = max(4, max(len(one), len(other)) - 2)
    return one[:stem] == other[:stem] and min(len(one), len(other)) >= stem


def misworded(text: str, said: Said) -> str | None:
    """Return what is wrong with how it is told, or None.

    It changes the language, leaves the first person, or puts a name for a pronoun, or the
    speaker where the sentence has neither I nor we.
    """
    language = said.language
    if not text.strip():
        return "empty"
    if speaks_otherwise(text, (*said.sources, said.speaker), language):
        return OTHER_LANGUAGE
    if len(text) > support.LONGEST:
        return f"longer than {support.LONGEST} characters"
    if persons.first_person(text, language) or _is_echo(text, said.speaker):
        return "not told in the third person"
    if _replaces_pronoun(text, said):
        return "puts something else for a pronoun"
    return "the speaker does not speak of themselves" if _adds_speaker(text, said) else None


def speaks_otherwise(text: str, sources: Sequence[str], language: str) -> bool:
    """Tell whether a text is in another language, or another script, than its sources."""
    if not _scripts(text) <= _scripts("\n".join(sources)):
        return True
    return guess(text, LANGUAGES, default=language) != language


def _scripts(text: str) -> set[str]:
    """Return the first words of the letters' Unicode names: LATIN, CYRILLIC, CJK, …"""
    letters = {char for char in text if char.isalpha()}
    return {unicodedata.name(char, "?").partition(" ")[0] for char in letters}


def _is_echo(text: str, speaker: str) -> bool:
    """Tell whether a text only shows who said what: a quotation, or a line of the prompt."""
    start = text.casefold().startswith((f"{speaker}:".casefold(), f"{speaker}：".casefold()))
    return start or support.quotation(text) is not None


def _replaces_pronoun(text: str, said: Said) -> bool:
    if not persons.third_person(said.sentence, said.language):
        return False
    named = said.about is not None and said.about.casefold() in text.casefold()
    return not named and not persons.third_person(text, said.language)


def _adds_speaker(text: str, said: Said) -> bool:
    own = persons.speaks_of_self(said.sentence, said.language)
    return _names_speaker(text, said) and not own


def _names_speaker(text: str, said: Said) -> bool:
    name = said.speaker.casefold()
    return name in text.casefold() and name not in said.sentence.casefold()


def _left_out(text: str, said: Said) -> str | None:
    """Return what the sentence says and its wording does not; a fact takes the whole sentence."""
    for what, found in (
        ("number", support.numbers(said.sentence)),
        ("name", names.spans(said.sentence, said.language)),
    ):
        if reason := _reordered(text, found, what):
            return reason
    languages = (said.language,)
    if dates.mentions(said.sentence, languages) and not dates.mentions(text, languages):
        return "leaves out when"
    wanted = _content(said.sentence, said.language)
    kept = wanted & _content(_as_said(text, said), said.language)
    # With the speaker as its subject, what is left out may be the true one: "my brother lives".
    part = 1.0 if _names_speaker(text, said) else KEPT
    return "leaves out too much" if len(kept) < part * len(wanted) else None


def _reordered(text: str, wanted: Sequence[str], what: str) -> str | None:
    """Return a reason if a number or name is missing, or stands before one that it followed."""
    lowered = text.casefold()
    places = [lowered.find(each.casefold()) for each in wanted]
    if -1 in places:
        return f"leaves out a {what}: {wanted[places.index(-1)]}"
    return f"changes the order of {what}s" if places != sorted(places) else None


def _content(text: str, language: str) -> set[str]:
    plain = persons.without_self(text.replace(REDACTED, " "), language)
    return {s for s in content_stems(plain, language) if not is_function_word(s, language)}
