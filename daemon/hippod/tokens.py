"""The one tokeniser of index and query: text to the words that FTS5 stems and stores.

FTS5's own `unicode61` keeps a run of Chinese or Thai as one token, drops vowel marks of Indic
scripts and folds neither Arabic variants nor ligatures. So words are made here, for documents
and queries alike, and FTS5 only splits at the spaces between them and stems.

Folding: compatibility forms (NFKC), case, combining diacritics in every language (`bệnh` =
`benh`), the article, letter variants, vowel signs and tatweel of Arabic, and the letters of
`_FOLDED`. An umlaut is its vowel; a query also finds the spelling with `e` (`Zürich`, `Zurich`
and `Zuerich` find each other). `handleUpdate` is also its parts, `C++` also `cplusplus`.

A term of a query is a word, a phrase (words with spaces), the beginning of a word (with `*`), or
several of these that count as one (with `|`): the forms of `go`, the spellings of `Zürich`.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import chain

import regex

VERSION = 2
"""Part of the index fingerprint: raise it whenever the words of any text change."""

FTS5_TOKENIZE = "porter unicode61 remove_diacritics 2 categories 'L* N* Co M*'"
"""What FTS5 must do with the words: never split inside one, stem the English ones."""

MAX_TERMS = 64
"""Terms of a query that are looked up."""

# Scripts written without spaces (and Hangul, which glues particles to its nouns): bigrams.
_UNSPACED = (
    r"[[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Bopomofo}"
    r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー]&&[\p{L}\p{M}]]"
)
_LETTER = rf"[[\p{{L}}\p{{N}}\p{{M}}]--{_UNSPACED}]"
_RUN = regex.compile(rf"{_UNSPACED}+", regex.VERSION1)
_WORD = regex.compile(rf"(?P<run>{_UNSPACED}+)|{_LETTER}+", regex.VERSION1)
# Possessive and anchored behind a non-letter: linear in the query, whatever is pasted into it. A
# longer chain gives several phrases: FTS5 looks at every pair of a phrase.
_COMPOUND = regex.compile(
    rf"(?<!{_LETTER}){_LETTER}++(?:[-._/:@+#]{_LETTER}++){{1,9}}", regex.VERSION1
)
# What FTS5's older tables take for letters may be none to us, and the other way round.
_NO_WORD = regex.compile(r"[^\p{L}\p{N}\p{M}]+")
_SPACED = re.compile(r"[\w'’]+")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_BETWEEN_WORDS = re.compile(r"[-._/:@+#]")
_HUMP = re.compile(r"[A-Z](?<=[a-z].)")  # fast where there is none
_LETTERS = re.compile(r"(?<![^\W_])[A-Za-z]++(?![^\W_])")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SYMBOL = re.compile(r"(?<![\w+#])([CFJcfj])(\+\+|#)(?![\w+#])|\.NET\b|(?<![\w.])\.net\b")
_SIGNS = ("++", "C#", "F#", "J#", "c#", "f#", "j#", ".NET", ".net")
"""One of these is wherever `_SYMBOL` is: looking for them costs less."""
_SYMBOLS = {"++": "plusplus", "#": "sharp"}
_ARTICLE = re.compile(
    "(?<![\u0621-\u064a])\u0648?(?:[\u0628\u0643\u0641]?\u0627\u0644|\u0644\u0644)(?=[\u0621-\u064a]{3})"
)

_DROPPED = [
    *range(0x0300, 0x0370),  # combining diacritics, apart after NFKD
    *range(0x0591, 0x05C8),  # Hebrew points
    0x0640,  # tatweel
    *range(0x064B, 0x0660),  # harakat and hamza marks
    0x0670,
    *range(0x200B, 0x2010),  # zero-width characters and direction marks
    0x2060,
    *range(0x20D0, 0x2100),  # marks around emoji and symbols
    *range(0xFE00, 0xFE10),  # variation selectors
    0xFEFF,
]
_FOLDED = {
    "ٱ": "ا", "ى": "ي", "ی": "ي", "ک": "ك", "ة": "ه", "ۀ": "ه",
    "đ": "d", "ø": "o", "ł": "l", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe",
}  # fmt: skip
_FOLDING = str.maketrans({**dict.fromkeys(map(chr, _DROPPED), ""), **_FOLDED})

_WITH_E = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_SPELLED_WITH_E = re.compile(r"(?<![aeiouq])([aou])e(?=[b-df-hj-np-tv-z])")
_LEAST_BEGINNING = 4
_LEAST_SPELLED = 5
"""Letters of a word whose `ue` may be an umlaut."""

_STOP_WORDS = """
    a about above after again against all am an and any are as at be because been before
    being below between both but by can could did do does doing don down during each few for
    from further had has have having he her here hers herself him himself his how i if in into
    is it its itself just ll me more most my myself no nor not now of off on once only or other
    our ours ourselves out over own re s same she should so some such t than that the their
    theirs them themselves then there these they this those through to too under until up ve
    very was we were what when where which while who whom why will with would you your yours
    yourself yourselves d m
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

_IRREGULAR = """
    arise arose arisen, awake awoke awoken, bear bore borne, beat beaten, become became,
    begin began begun, bend bent, bite bit bitten, bleed bled, blow blew blown, break broke broken,
    breed bred, bring brought, build built, burn burnt, buy bought, catch caught,
    choose chose chosen, cling clung, come came, creep crept, deal dealt, dig dug, draw drew drawn,
    dream dreamt, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed,
    feel felt, fight fought, find found, flee fled, fly flew flown, forbid forbade forbidden,
    forget forgot forgotten, forgive forgave forgiven, freeze froze frozen, get got gotten,
    give gave given, go went gone, grind ground, grow grew grown, hang hung, hear heard,
    hide hid hidden, hold held, keep kept, kneel knelt, know knew known, lay laid, lead led,
    lean leant, leap leapt, learn learnt, leave left, lend lent, lose lost, make made, mean meant,
    meet met, pay paid, ride rode ridden, ring rang rung, rise rose risen, run ran, say said,
    see saw seen, seek sought, sell sold, send sent, sew sewn, shake shook shaken, shine shone,
    shoot shot, show shown, shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat,
    sleep slept, slide slid, speak spoke spoken, speed sped, spell spelt, spend spent, spill spilt,
    spin spun, spoil spoilt, spring sprang sprung, stand stood, steal stole stolen, stick stuck,
    sting stung, strike struck, strive strove striven, swear swore sworn, sweep swept,
    swell swollen, swim swam swum, swing swung, take took taken, teach taught, tear tore torn,
    tell told, think thought, throw threw thrown, understand understood, wake woke woken,
    wear wore worn, weave wove woven, weep wept, win won, wind wound, withdraw withdrew withdrawn,
    write wrote written, child children, man men, woman women, foot feet, tooth teeth, mouse mice,
    goose geese, person people, life lives, wife wives, knife knives, leaf leaves, shelf shelves,
    half halves, wolf wolves, loaf loaves, thief thieves
"""
_FORMS = {form: tuple(group.split()) for group in _IRREGULAR.split(",") for form in group.split()}
"""Forms of English words that no stemmer brings together, by each form."""


def fts_text(text: str) -> str:
    """Return `text` as the FTS5 table stores it: folded, unspaced runs as bigrams.

    A run's last character also stands by itself, so that every character begins some token and
    a query of one character can be answered by prefix.
    """
    # Little of what is ASCII is touched: FTS5 splits and folds it, and indexing stays fast.
    named = _with_names(text)
    if named.isascii():
        return named
    return _NOT_ASCII.sub(lambda match: _spaced(match.group()), named)


def terms(query: str) -> list[str]:
    """Return the query's distinct terms, words before phrases; empty if it has no word.

    English stop words are dropped unless nothing is left. Words that punctuation or capitals tie
    together (`ADR-0231`, `3.19.1`, `handleUpdate`) also give a phrase.
    """
    named = _with_names(unicodedata.normalize("NFC", query))
    folded = _fold(named)
    words = list(_words(folded))
    spelled = named.translate(_WITH_E)
    with_e = list(_words(_fold(spelled))) if spelled != named else words
    pairs = list(zip(words, with_e, strict=True))
    telling = [pair for pair in pairs if pair[0] not in STOP_WORDS]
    phrases = [_BETWEEN_WORDS.sub(" ", compound) for compound in _COMPOUND.findall(folded)]
    humped = [" ".join(parts).lower() for parts in map(_parts, _LETTERS.findall(query)) if parts]
    found = ["|".join(dict.fromkeys(_alternatives(*pair))) for pair in telling or pairs]
    return list(dict.fromkeys([*found, *phrases, *humped]))


def without(text: str, terms: Collection[str]) -> str:
    """Return `text` without the words that mean only `terms`; all of it if they say everything.

    Stop words and numbers stay.
    """
    if not terms:
        return text
    kept = _SPACED.sub(
        lambda match: "" if _means_only(match.group(), terms) else match.group(), text
    )
    words = list(_words(_fold(kept)))
    return kept if any(word not in STOP_WORDS for word in words) else text


def beginning(term: str) -> str | None:
    """Return the term for words that begin with `term`, for where it stands nowhere itself.

    So a part finds its compound (`Garten`, `Gartenhaus`). None for what is too short or no word.
    """
    word = term.partition("|")[0]
    return f"{word}*" if len(word) >= _LEAST_BEGINNING and word.isalpha() else None


def match_expression(terms: Iterable[str]) -> str:
    """Return an FTS5 expression that matches any of `terms`; safe for any terms."""
    return " OR ".join(_quoted(each) for term in terms for each in term.split("|"))


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text).casefold()
    plain = unicodedata.normalize("NFKC", apart.translate(_FOLDING)).casefold()
    return _ARTICLE.sub("", plain)


def _with_names(text: str) -> str:
    """Write names of code and of languages as words, behind what they are made of."""
    if any(sign in text for sign in _SIGNS):
        text = _SYMBOL.sub(lambda match: f"{match.group()} {_spoken(match)}", text)
    if _HUMP.search(text):
        text = _LETTERS.sub(lambda match: " ".join([match.group(), *_parts(match.group())]), text)
    return text


def _parts(word: str) -> list[str]:
    """Return what capitals inside a word divide it into; nothing if there are none."""
    return _PART.findall(word) if _HUMP.search(word) else []


def _spoken(match: re.Match[str]) -> str:
    letter, symbol = match.groups()
    return f" {letter}{_SYMBOLS[symbol]} " if letter else " dotnet "


def _alternatives(word: str, with_e: str) -> Iterator[str]:
    """Yield the forms and spellings that count as one with a word; `with_e` is it with `ue`."""
    yield from _FORMS.get(word, (word,))
    yield with_e
    if len(word) >= _LEAST_SPELLED and word.isascii():
        yield _SPELLED_WITH_E.sub(r"\1", word)


def _means_only(word: str, terms_: Collection[str]) -> bool:
    if any(map(str.isdigit, word)):  # exact, however common: the header's date has it, too
        return False
    return all(each in terms_ for each in terms(word) if " " not in each)


@lru_cache(maxsize=4096)
def _spaced(run: str) -> str:
    words = _NO_WORD.sub(" ", _fold(run))
    return str(_RUN.sub(lambda match: f" {' '.join(_stored(match.group()))} ", words))


def _stored(run: str) -> Iterator[str]:
    return chain(_bigrams(run), run[-1])


def _words(folded: str) -> Iterator[str]:
    for match in _WORD.finditer(folded):
        word = match.group()
        if match.group("run") is None or len(word) == 1:
            yield word
        else:
            yield from _bigrams(word)


def _bigrams(run: str) -> Iterator[str]:
    return (run[start : start + 2] for start in range(len(run) - 1))


def _quoted(term: str) -> str:
    begins = term.endswith("*") or (len(term) == 1 and _RUN.match(term))
    return f'"{term.rstrip("*").replace(chr(34), "")}"{" *" if begins else ""}'
