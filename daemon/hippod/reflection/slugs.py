"""File names of entity pages: safe on every file system, and never two for one entity."""

import hashlib
import re
import unicodedata
from collections.abc import Collection
from typing import Final

from hippod.documents import is_copy
from hippod.pages import ENTITIES
from hippod.questions import key

LONGEST: Final = 80
"""Bytes of UTF-8 of a slug, without `.md`."""
_HASH = 8
"""Hexadecimal digits that tell two slugs apart."""
_KEPT = frozenset("-_.")
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?")
_RUNS = re.compile(r"-{2,}|\.{2,}")
_AT_THE_EDGES = "-. "


def slug(name: str) -> str:
    """Return the file name, without `.md`, of the page of the entity `name`; any text is safe.

    Letters, digits, `-`, `_` and `.` stay, in NFC; a longer name than 80 bytes is cut and, like
    one that no letter is left of, that Windows reserves or that programs give to conflict copies,
    told apart by a short hash.
    """
    text = unicodedata.normalize("NFC", name)
    kept = "".join(ch if _may_stand(ch) else "-" for ch in text)
    plain = _RUNS.sub(lambda run: run[0][0], kept).strip(_AT_THE_EDGES)
    if not any(ch.isalnum() for ch in plain) or is_copy(plain):
        return f"entity-{_hash(name)}"
    if _RESERVED.fullmatch(plain) or plain.casefold().endswith(".md"):
        return _marked(plain, name)
    return plain if len(plain.encode()) <= LONGEST else _marked(plain, name)


def page_path(name: str, taken: Collection[str]) -> str:
    """Return the path for a new page of the entity `name`.

    `taken` are paths of pages of others: one that is equal but for case or normalisation, as
    some file systems compare names, is avoided by a short hash of the name.
    """
    there = set(map(on_disk, taken))
    path = f"{ENTITIES}{slug(name)}.md"
    if on_disk(path) not in there:
        return path
    digits = _HASH
    while on_disk(path) in there:
        path = f"{ENTITIES}{_marked(slug(name), name, digits)}.md"
        digits += _HASH
    return path


def on_disk(path: str) -> str:
    """Return what all paths share that some file system takes for one: APFS, NTFS."""
    folded = unicodedata.normalize("NFKD", path).casefold()
    return unicodedata.normalize("NFKD", folded)


def _may_stand(ch: str) -> bool:
    return ch in _KEPT or unicodedata.category(ch)[0] in "LMN"


def _marked(plain: str, name: str, digits: int = _HASH) -> str:
    """Put a hash behind what fits of `plain`, and behind its first dot: CON.txt is reserved."""
    head = plain.replace(".", "-") if _RESERVED.fullmatch(plain) else plain
    room = LONGEST - digits - 1
    cut = head.encode()[:room].decode(errors="ignore").rstrip(_AT_THE_EDGES)
    return f"{cut}-{_hash(name, digits)}"


def _hash(name: str, digits: int = _HASH) -> str:
    data = key(name).encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:digits]
