"""The guard: is this fact supported by the sentences it claims to come from?"""

import re
import unicodedata
from collections.abc import Sequence

from hippod.extraction import persons
from hippod.extraction.names import spans
from hippod.extraction.wording import CORRECTED, statement
from hippod.language import content_stems, guess, is_function_word
from hippod.redact import REDACTED

LONGEST = 220
"""Characters of a fact without the dates that code appended."""
SUPPORTED = 0.8
"""Part of the fact's content words that must occur in the source."""

_DATE_NOTE = re.compile(r" ?\(\d{4}(?:-\d\d(?:-\d\d)?)?(?: to \d{4}-\d\d-\d\d)?\)")
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_FIRST_PERSON = re.compile(
    r"(?<![\w/.-])(?:i|i'm|i've|i'll|i'd|me|my|mine|myself|we|we're|we've|we'll|us|our|ours|"
    r"ourselves)(?![\w-])"
    r"(?!\.\w|/)",
    re.IGNORECASE,
)
_SPEAKS_OF_SELF = re.compile(
    r"(?<![\w/.-])(?:i|i'?m|i'?ve|i'?ll|i'd|me|my|mine|myself|we|we're|we've|we'll|us|our|"
    r"ours)(?![\w-])",
    re.IGNORECASE,
)
_NEGATION = {
    "en": r"\b(?:not|no|never|none|nobody|nothing|neither|nor|cannot|without|no longer|\w+n't|"
    r"\w+n’t)\b",
    "de": r"\b(?:nicht|nie|niemals|kein\w*|nichts|niemand|weder|ohne|un(?:möglich|verträglich))\b",
    "es": r"\bno\b[^.;]{0,40}?\b(?:nada|nadie|nunca|ningun[oa]?|ningún|ni|tampoco)\b|"
    r"\b(?:no|nunca|jamás|nada|nadie|ningun[oa]?|ningún|tampoco|sin|ni)\b",
    "fr": r"\b(?:ne\b|n['’])[^.;]{0,40}?\b(?:pas|plus|jamais|rien|personne|aucune?|guère|ni)\b|"
    r"\b(?:ne|pas|jamais|rien|personne|aucune?|sans|ni)\b|\bn['’]",
    "pt": r"\bnão\b[^.;]{0,40}?\b(?:nada|ninguém|nunca|nenhuma?|nem)\b|"
    r"\b(?:não|nunca|jamais|nada|ninguém|nenhuma?|sem|nem|tampouco)\b",
    "zh": r"不|没|沒|别|別|未|无|勿|非",
    "ja": r"ない|なく|なかっ|ません|ず[にっ、]|ぬ|禁止|不要",
}


def check(
    fact: str, sources: Sequence[str], speaker: str, language: str | None = None
) -> str | None:
    """Return why `fact` must not be stored, or None if `sources` support it.

    A quotation `Speaker: "…"` must stand in one source word for word. Dates that code
    appended in parentheses are left out of account; nothing else may be added except the
    speaker's name where the source speaks of I or we.
    """
    text = without_dates(fact)
    source = "\n".join(map(_plain, sources))
    language = language or guess(source)
    if not text.strip() or "\n" in text:
        return "empty" if not text.strip() else "more than one line"
    if len(text) > LONGEST:
        return f"longer than {LONGEST} characters"
    if REDACTED in text:
        return "holds a redacted secret"
    quoted = quotation(text)
    if quoted is not None and f"{CORRECTED}: " in text:
        return _unsupported(quoted, source, speaker, language, own_words=True)
    if quoted is not None:
        return None if any(quoted in _plain(each) for each in sources) else "not what was said"
    return _unsupported(_plain(text), source, speaker, language)


def without_dates(fact: str) -> str:
    """Return `fact` without the ISO dates that `dates.annotate` appended."""
    return _DATE_NOTE.sub("", fact)


def quotation(fact: str) -> str | None:
    """Return what stands inside `Name: "…"`, or None if the fact is no quotation."""
    match = re.fullmatch(r"[^\n\"]{1,120}?: \"(.+)\"", fact)
    return _plain(match[1]) if match else None


def speaker_of(fact: str) -> str:
    """Return who says `Name: "…"`; empty if the fact is no quotation."""
    return fact.partition(': "')[0].removesuffix(f" ({CORRECTED})") if quotation(fact) else ""


def is_negated(text: str, language: str) -> bool:
    """Tell whether `text` has an odd number of negations."""
    return negations(text, language) % 2 == 1


def negations(text: str, language: str) -> int:
    """Return how often `text` says no."""
    pattern = _NEGATION.get(language, _NEGATION["en"])
    return len(re.findall(pattern, text, re.IGNORECASE))


def numbers(text: str) -> list[str]:
    """Return the numbers of `text` as written, times and dates whole."""
    return _NUMBER.findall(unicodedata.normalize("NFKC", text))


def _unsupported(
    text: str, source: str, speaker: str, language: str, *, own_words: bool = False
) -> str | None:
    if not own_words and _FIRST_PERSON.search(text) and language == "en":
        return "first person left"
    missing = set(numbers(text)) - set(numbers(source))
    if missing:
        return f"number not in the source: {', '.join(sorted(missing))}"
    if reason := _name_fault(text, source, speaker, language):
        return reason
    if _negation_changed(text, source, language):
        return "negation changed"
    return _word_fault(text, source, speaker, language)


def _negation_changed(text: str, source: str, language: str) -> bool:
    """Compare with each source sentence; "don't forget" says nothing about the fact."""
    said = [statement(line, language) for line in source.split("\n")]
    return all(is_negated(line, language) != is_negated(text, language) for line in said)


def _name_fault(text: str, source: str, speaker: str, language: str) -> str | None:
    said = source.casefold()
    own = _SPEAKS_OF_SELF.search(source) is not None
    if language != "en":
        own = own or persons.speaks_of_self(source, language)
    if speaker.casefold() in text.casefold() and speaker.casefold() not in said and not own:
        return "the speaker does not speak of themselves"
    for name in spans(text, language):
        parts = [part for part in re.split(r"[\s-]+", name.casefold()) if part]
        if all(part in said or part in speaker.casefold() for part in parts):
            continue
        return f"name not in the source: {name}"
    return None


def _word_fault(text: str, source: str, speaker: str, language: str) -> str | None:
    known = set(content_stems(source, language)) | set(content_stems(speaker, language))
    stems = [stem for stem in content_stems(text, language) if not is_function_word(stem, language)]
    supported = sum(stem in known or stem.removesuffix("'s") in known for stem in stems)
    if stems and supported < SUPPORTED * len(stems):
        return "words not in the source"
    return None


def _plain(text: str) -> str:
    """Write quotes and apostrophes alike, so that only words are compared."""
    text = unicodedata.normalize("NFC", without_dates(text)).replace("’", "'")
    return re.sub(r"\s+", " ", re.sub(r"[\"“”„«»「」『』]", "'", text))
