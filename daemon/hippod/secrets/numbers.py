"""Secrets that a checksum or a word list proves: cards, bank accounts, wallets' seed phrases."""

import re
from collections.abc import Iterator
from functools import cache
from unicodedata import normalize

from mnemonic import Mnemonic

from hippod.secrets.span import Span

_SHORTEST_SEED = 12
"""Words of a seed phrase; no prose strings so many words of one such list together."""
_SEED_LANGUAGES = ("english", "spanish", "french", "portuguese", "italian", "japanese")


def find(text: str) -> Iterator[Span]:
    """Yield card numbers, IBANs and seed phrases."""
    for match in _CARD.finditer(text):
        if _passes_luhn(match[0]):
            yield Span(*match.span(), "Card Number")
    for match in _IBAN.finditer(text):
        if end := _end_of_iban(match[0]):
            yield Span(match.start(), match.start() + end, "Bank Account")
    yield from _seeds(text)


# Issuers give their cards a first digit, a length and a grouping: other long numbers stay.
_CARD = re.compile(
    r"(?<![\d.-])(?:"
    r"(?:4\d{3}|5[0-8]\d\d|2[2-7]\d\d|6\d{3}|35\d\d)(?:([ -]?)\d{4}\1\d{4}\1\d{4})(?:\1\d{3})?|"
    r"3[47]\d\d([ -]?)\d{6}\2\d{5}|3(?:0[0-5]|[68]\d)\d([ -]?)\d{6}\3\d{4}"
    r")(?![\d.-]?\d)"
)


def _passes_luhn(number: str) -> bool:
    digits = [int(char) for char in number if char in "0123456789"]
    doubled = [sum(divmod(digit * 2, 10)) for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


_IBAN = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Z]{2}|[a-z]{2})\d{2}(?:[ -]?[A-Z0-9]{4}|[ -]?[a-z0-9]{4}){2,7}"
    r"(?:[ -]?[A-Za-z0-9]{1,4})?(?![A-Za-z0-9])"
)


def _end_of_iban(text: str) -> int:
    """Return where an account number that begins `text` ends, 0 if none does."""
    ends = [len(text), *(m.start() for m in reversed(list(re.finditer("[ -]", text))))]
    return next((end for end in ends if _is_iban(text[:end])), 0)


def _is_iban(text: str) -> bool:
    number = re.sub("[ -]", "", text).upper()
    if not 15 <= len(number) <= 34:
        return False
    turned = number[4:] + number[:4]
    return int("".join(str(int(char, 36)) for char in turned)) % 97 == 1


_SEED_WORD = re.compile(r"[^\W\d_]{2,10}")
_BETWEEN = re.compile(r"[\s,;|.:)(\"'\d\u3000-]{0,12}")


def _seeds(text: str) -> Iterator[Span]:
    words = list(_SEED_WORD.finditer(text))
    if len(words) < _SHORTEST_SEED:
        return
    for language in _SEED_LANGUAGES:
        for run in _runs(text, words, _seed_words(language)):
            if len(run) >= _SHORTEST_SEED:
                yield Span(run[0].start(), run[-1].end(), "Seed Phrase")


def _runs(
    text: str, words: list[re.Match[str]], known: frozenset[str]
) -> Iterator[list[re.Match[str]]]:
    """Yield the words of a list that follow each other, at most numbered and punctuated."""
    run: list[re.Match[str]] = []
    for word in words:
        is_known = word[0].casefold() in known
        if is_known and run and _BETWEEN.fullmatch(text, run[-1].end(), word.start()):
            run.append(word)
        else:
            yield run
            run = [word] if is_known else []
    yield run


@cache
def _seed_words(language: str) -> frozenset[str]:
    return frozenset(normalize("NFC", word) for word in Mnemonic(language).wordlist)
