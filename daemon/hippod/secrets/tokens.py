"""Tokens that only a machine makes: told from hashes, identifiers, paths and words."""

import math
import re
from collections import Counter
from collections.abc import Iterator

from hippod.secrets.span import Span

NAME = "High Entropy Token"

_TOKEN = re.compile(r"(?<![A-Za-z0-9_+/=-])[A-Za-z0-9_+/=-]{20,}")
_HEX = re.compile(r"[0-9a-fA-F-]+")
_DIGEST_PREFIX = re.compile(r"sha(?:1|256|384|512)[-:]$|md5[-:]$|@sha256:$", re.IGNORECASE)
_WORDS = re.compile(r"[a-z]{7}|[A-Z]{8}|[A-Z]?[a-z]{4,}[-_/][A-Z]?[a-z]{3,}|\d{9}")
_LONG = 48
"""Characters from which a token may hold runs that look like words by chance."""
_TURNS = 0.4
"""Changes between small, capital and digit, per character, that only random text has."""


def find(text: str) -> Iterator[Span]:
    """Yield tokens of high entropy; digests behind `sha256:` and bare hexadecimal stay."""
    for match in _TOKEN.finditer(text):
        before = text[max(0, match.start() - 8) : match.start()]
        if _DIGEST_PREFIX.search(match[0][:7]) or _DIGEST_PREFIX.search(before):
            continue
        if is_random(match[0].strip("=-_/+")):
            yield Span(*match.span(), NAME)
            continue
        start = match.start()
        for segment in re.split("[/=]", match[0]):
            if len(segment) >= 20 and is_random(segment):
                yield Span(start, start + len(segment), NAME)
            start += len(segment) + 1


def is_random(token: str) -> bool:
    """Tell a generated token from an identifier, path, hash, UUID or word."""
    if len(token) < 20 or _HEX.fullmatch(token) or not re.search(r"\d", token):
        return False
    if len(token) >= _LONG and _turns(token) >= _TURNS * len(token):
        return _entropy(token) >= 4
    if _WORDS.search(token):
        return False
    classes = sum(bool(re.search(kind, token)) for kind in ("[a-z]", "[A-Z]", r"\d"))
    changes = len(re.findall(r"(?<=\d)[A-Za-z]|(?<=[A-Za-z])\d", token))
    if classes == 3:
        return changes >= 3 and _entropy(token) >= 3.5
    return token.isalnum() and changes >= 6 and _entropy(token) >= 3.3


def _turns(token: str) -> int:
    return len(re.findall(r"(?<=[a-z])[A-Z0-9]|(?<=[A-Z])[a-z0-9]|(?<=\d)[A-Za-z]", token))


def _entropy(token: str) -> float:
    counts = Counter(token).values()
    return -sum(n / len(token) * math.log2(n / len(token)) for n in counts)
