"""Who a sentence speaks of, by its pronouns: the speaker, or somebody whom it does not name."""

import re

_SELF = {
    "en": r"\b(?:i|i'?m|i'?ve|i'?ll|i'd|me|my|mine|myself|"
    r"we|we're|we've|we'll|us|ours?|ourselves)\b",
    "de": r"\b(?:ich|mir|mich|mein\w*|wir|uns|unser\w*)\b",
    "es": r"\b(?:yo|me|mí|mis?|mí[oa]s?|conmigo|nosotr[oa]s|nos|nuestr[oa]s?|soy|voy|doy|estoy|"
    r"\w+[aei]mos)\b",
    "fr": r"\b(?:je|me|moi|mon|ma|mes|mien\w*|nous|notre|nos)\b|\b[jm]'",
    "pt": r"\b(?:eu|me|mim|comigo|meus?|minhas?|nós|nos|noss[oa]s?|conosco|a gente|"
    r"sou|vou|dou|estou|\w+[aei]mos)\b",
    "zh": r"我|咱",
    "ja": r"私|僕|俺|わたし|ぼく|うちの|我々|弊社",
}
# Where pronouns are left out, the ending of a first verb says who speaks.
_SELF_BY_VERB = {
    "es": r"^\W*(?:(?:no|ya|siempre|nunca|también|ahora)\s+)?"
    r"(?:\w{2,}o|he)\b",
    "pt": r"^\W*(?:(?:não|já|sempre|nunca|também|agora)\s+)?"
    r"(?:\w{2,}o)\b",
}
_SELF_WHOLE = {
    "zh": r"(?:我们|我們|咱们|我|咱)的?",
    "ja": r"(?:(?:私|僕|俺|わたし|ぼく)(?:たち|達)?|我々|弊社)の?|うちの",
}
_OTHERS = {
    "en": r"\b(?:he|she|they|him|her|hers|his|them|their|theirs)\b",
    "de": r"\b(?:er|sie|ihm|ihn|ihnen|ihre?[mnrs]?|sein(?:e[mnrs]?)?)\b",
    "es": r"\b(?:él|ella|ellos|ellas|les?|sus?)\b",
    "fr": r"\b(?:il|elle|ils|elles|lui|leurs?|sa|son|ses)\b",
    "pt": r"\b(?:ele|ela|eles|elas|del[ea]s?|lhes?|seus?|suas?)\b",
    "zh": r"他|她|它们",
    "ja": r"彼|彼女|あの人",
}


def speaks_of_self(sentence: str, language: str) -> bool:
    """Tell whether the speaker is in the sentence: I, my, we, our or a verb that says so."""
    plain = sentence.replace("’", "'")
    by_verb = _SELF_BY_VERB.get(language)
    return first_person(plain, language) or bool(by_verb and _found(by_verb, plain))


def first_person(text: str, language: str) -> bool:
    """Tell whether a word of the first person is left in a text that is told by another."""
    return _found(_SELF.get(language, _SELF["en"]), text.replace("’", "'"))


def without_self(text: str, language: str) -> str:
    """Return a text of a language without spaces with its words for I, my, we, our cut out."""
    pattern = _SELF_WHOLE.get(language)
    return re.sub(pattern, " ", text) if pattern else text


def third_person(text: str, language: str) -> bool:
    """Tell whether a text speaks of somebody by a pronoun alone."""
    return _found(_OTHERS.get(language, _OTHERS["en"]), text)


def _found(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None
