"""The one tokeniser of index and query: text to the words that FTS5 stems and stores.

FTS5's own `unicode61` keeps a run of Chinese or Thai as one token, drops vowel marks of Indic
scripts and folds neither Arabic variants nor ligatures. So words are made here, for documents
and queries alike, and FTS5 only splits at the spaces between them and stems.

Folding: compatibility forms (NFKC), case, combining diacritics in every language (`bệnh` =
`benh`), Arabic letter variants, vowel signs and tatweel, and the letters of `_FOLDED`.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

import regex

VERSION = 1
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
# Possessive and anchored behind a non-letter: linear in the query, whatever is pasted into it.
_COMPOUND = regex.compile(rf"(?<!{_LETTER}){_LETTER}++(?:[-._/:@+#]{_LETTER}++)+", regex.VERSION1)
# What FTS5's older tables take for letters may be none to us, and the other way round.
_NO_WORD = regex.compile(r"[^\p{L}\p{N}\p{M}]+")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_BETWEEN_WORDS = re.compile(r"[-._/:@+#]")

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


def fts_text(text: str) -> str:
    """Return `text` as the FTS5 table stores it: folded, unspaced runs as bigrams.

    A run's last character also stands by itself, so that every character begins some token and
    a query of one character can be answered by prefix.
    """
    # Only what is not ASCII is touched: FTS5 splits and folds the rest, and indexing stays fast.
    return _NOT_ASCII.sub(lambda match: _spaced(match.group()), text)


def terms(query: str) -> list[str]:
    """Return the query's distinct terms, words before phrases; empty if it has no word.

    English stop words are dropped unless nothing is left. Words that punctuation ties together
    (`ADR-0231`, `3.19.1`) also give one term with spaces inside: a phrase.
    """
    folded = _fold(query)
    words = list(_words(folded))
    telling = [word for word in words if word not in STOP_WORDS]
    phrases = [_BETWEEN_WORDS.sub(" ", compound) for compound in _COMPOUND.findall(folded)]
    return list(dict.fromkeys([*(telling or words), *phrases]))


def match_expression(terms: Iterable[str]) -> str:
    """Return an FTS5 expression that matches any of `terms`; safe for any terms."""
    return " OR ".join(map(_quoted, terms))


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text).casefold()
    return unicodedata.normalize("NFKC", apart.translate(_FOLDING)).casefold()


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
    prefix = " *" if len(term) == 1 and _RUN.match(term) else ""
    return f'"{term.replace(chr(34), "")}"{prefix}'
