"""Which language a sentence is written in, by script and function words, and its stems."""

import re
import threading
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Any

import snowballstemmer

LANGUAGES = ("en", "de", "es", "fr", "pt", "zh", "ja")
"""Languages that the cue and date tables cover."""
UNKNOWN = "und"
"""The language of text in a script that none of them is written in."""

_FUNCTION_WORDS = {
    "en": """the a an is are was were am i i'm i've i'll my me we we're our you your it it's he she
        they to of and for in on at that this with not don't doesn't will have has had be from by as
        but if or so no do does did can would should there than then until every all please let's
        into about after before when who which what her his their us yesterday tomorrow today next
        last""",
    "de": """der die das den dem des und ist sind war ich wir mein meine meinen meiner nicht ein
        eine einen einem einer für im am zu zum zur mit auf bei ab habe haben hat wird werden
        immer kein keine keinen bitte sie er es uns wie dass als auch noch nie von aus nach
        vom unser unsere ihr ihre mir mich dir dich du auf über wenn aber oder sich in bei an
        seine seinen ihren hier mal denn heute gestern morgen nächsten nächste letzten
        künftig jetzt bis seit""",
    "es": """el la los las de que y en un una es son mi mis me para por con no se del al lo le su
        sus como siempre nunca yo nosotros nuestra nuestro he hemos ha han está están muy pero más
        esta este ese esa desde hasta cuando sin usar tengo soy estoy hoy ayer mañana próximo
        próxima favor porque""",
    "fr": """le la les de des et est sont je j'ai j'aime nous mon ma mes me moi ne pas un une pour
        dans sur avec que qui du au aux toujours jamais c'est il elle ils on notre nos son sa ses ce
        cette plus mais ou où par chez depuis jusqu'au suis avons ai as être quand sans vous tu
        d'accord n'est demain hier aujourd'hui prochain""",
    "pt": """o a os as de do da dos das e é são eu nós meu minha meus minhas não um uma para com em
        no na nos nas que se sempre nunca por ele ela eles nosso nossa está estão estou sou tenho
        temos muito mas mais desde até quando sem você vocês ao à pra pelo pela hoje ontem amanhã
        próxima próximo foi vamos""",
}
_WORDS = {name: frozenset(words.split()) for name, words in _FUNCTION_WORDS.items()}
_LETTERS = {
    "de": re.compile(r"[äöüß]|[a-z]sch|sch[lmnrtw]|(?:ung|ungen|keit|heit|icht|eits)\b"),
    "es": re.compile(r"[ñ¿¡]|ci(?:ón|ones)\b|(?:iones|miento|idad)\b|\bll|\b\w+ie(?:ro|re|nto)\b"),
    "fr": re.compile(
        r"[èùœêîç]|\b[cdjlmnst]['’]|-(?:moi|toi|nous|vous)\b|(?:ait|aient|eaux?|eux|euse|oir|aux|ez)\b"
    ),
    "pt": re.compile(r"[ãõ]|ç(?:ão|ões)\b|[a-z][nl]h[aeo]|(?:gens|agem|idade|amento)\b"),
}
_WORD = re.compile(r"(?<![\w-])[^\W\d_]+(?:['’][^\W\d_]+)*(?![\w-])")
_KANA = re.compile("[\u3041-\u30ff]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_STEMMERS = {
    "en": "english", "de": "german", "es": "spanish", "fr": "french", "pt": "portuguese",
}  # fmt: skip
_CJK_RUN = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
_CONTENT = re.compile(r"[^\W_]+(?:['’.:/@+-][^\W_]+)*")


def word_set(words: str) -> frozenset[str]:
    """Return the space-separated words of a list that is easier to read as one."""
    return frozenset(words.split())


def guess(text: str, candidates: Sequence[str] = LANGUAGES, default: str = "en") -> str:
    """Return the candidate that `text` is most likely written in, or `default` if none shows.

    Text in another script than theirs is `UNKNOWN`.
    """
    if _KANA.search(text):
        return "ja" if "ja" in candidates else default
    han = len(_HAN.findall(text))
    if han and han * 4 >= len(text.replace(" ", "")):
        return "zh" if "zh" in candidates else default
    letters = [char for char in text if char.isalpha()]
    if sum(char > "\u024f" for char in letters) * 2 > len(letters):
        return UNKNOWN
    scores = {name: _evidence(text, name) for name in candidates if name in _WORDS}
    best = max(scores.values(), default=0)
    leaders = [name for name, score in scores.items() if score == best]
    if best == 0 or (len(leaders) > 1 and default in leaders):
        return default
    return leaders[0]


def is_spaceless(language: str) -> bool:
    """Tell whether the language writes words without spaces."""
    return language in ("zh", "ja")


def content_stems(text: str, language: str) -> list[str]:
    """Return the stems of the content words, in order; CJK runs give character bigrams.

    Numbers, times and names with inner punctuation (`7:40`, `connection.update`) stay whole.
    """
    lowered = text.casefold().replace("’", "'")
    stops = _WORDS.get(language, frozenset())
    stems: list[str] = []
    for word in _CONTENT.findall(lowered):
        if _CJK_RUN.search(word):
            stems.extend(_bigrams(word))
        elif word not in stops:
            stems.append(_stem(word, language))
    return stems


def shows(text: str, language: str) -> bool:
    """Tell whether any word of `text` is a function word of the language."""
    return _evidence(text, language) > 0


def is_function_word(word: str, language: str) -> bool:
    """Tell whether `word` (any case) is one of the language's function words."""
    return word.casefold().replace("’", "'") in _WORDS.get(language, frozenset())


def _evidence(text: str, language: str) -> int:
    """Count function words of the language, and two for its own letters and endings."""
    lowered = text.casefold()
    hits = sum(word.replace("’", "'") in _WORDS[language] for word in _WORD.findall(lowered))
    letters = _LETTERS.get(language)
    return hits + (2 if letters and letters.search(lowered) else 0)


def _bigrams(word: str) -> Iterable[str]:
    for piece in re.split(f"({_CJK_RUN.pattern})", word):
        if not piece:
            continue
        if _CJK_RUN.fullmatch(piece) and len(piece) > 1:
            yield from (piece[i : i + 2] for i in range(len(piece) - 1))
        elif any(char.isalnum() for char in piece):
            yield piece


@lru_cache(maxsize=20_000)  # dedup compares every pair of a batch: the same words again and again
def _stem(word: str, language: str) -> str:
    if not word.isalpha() or language not in _STEMMERS:
        return word.removesuffix("'s")
    return snowball(word, _STEMMERS[language])


def snowball(word: str, algorithm: str) -> str:
    """Return the stem of a word by one of Snowball's algorithms, named as there."""
    with _STEMMING:  # a stemmer keeps the word that it works on
        return str(_stemmer(algorithm).stemWord(word))


@cache
def _stemmer(algorithm: str) -> Any:
    return snowballstemmer.stemmer(algorithm)


_STEMMING = threading.Lock()
