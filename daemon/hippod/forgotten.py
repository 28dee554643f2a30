"""Tombstones: what a person wanted forgotten, as salted hashes on `bank/forgotten.md`.

The page holds no text and no names. Each `salt:` line counts for all tombstones, wherever it
stands, so that a merge of two devices' pages, its conflict marks included, keeps both sides::

    salt: 5f0c…
    - 2026-03-04 id 3fa9…
    - 2026-03-04 turn 77d0…
    - 2026-03-04 text 6 91be…
    - 2026-03-04 note 6 40be… 9c1e
    - 2026-03-04 within 4 c2a1… 07f3

`id` is of a fact or opinion, `turn` of what was said in a source, `text` of a whole statement of
so many words, `note` of words that go wherever they stand but in facts, `within` of those that go
wherever they stand; behind the hash of these is a mark, by which most windows of a text are passed
over without a hash. A hash of something short can be guessed by whoever has the page: it keeps a
text from being read, not from being tried.
"""

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final, Literal, NamedTuple, cast

import numpy as np
import regex

from hippod import facts, windows
from hippod.facts import Fact

PATH: Final = "bank/forgotten.md"

Kind = Literal["id", "turn", "text", "note", "within"]
_TEXTS = ("text", "note", "within")
"""Kinds of texts, the one that goes furthest last."""
_WORDS = _TEXTS[1:]
"""Kinds that are found within texts."""
_NEW_PAGE = """\
# Forgotten

What is listed here is not remembered again; only salted hashes of it are kept. Delete a line to \
allow it again.
"""
_LINE = regex.compile(
    r"[-*+] (\d{4}-\d\d-\d\d) (id|turn|text|note|within)(?: ([1-9][0-9]{0,4}))?"
    r" ([0-9a-f]{64})(?: ([0-9a-f]{4}))?",
    regex.ASCII,
)
_SALT = regex.compile(r"salt: ([0-9a-f]{16,128})")
_SPACELESS = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_ASCII_WORD = re.compile("[a-z0-9]+")
_WORD = regex.compile(rf"[{_SPACELESS}]|[[\p{{L}}\p{{N}}\p{{M}}]--[{_SPACELESS}]]+", regex.V1)
_UNSEEN = regex.compile(r"[\u00ad\u200b-\u200d\u2060\ufeff]")
_PLACED = regex.compile(
    rf"[{_SPACELESS}]|(?:[[\p{{L}}\p{{N}}\p{{M}}]--[{_SPACELESS}]]|{_UNSEEN.pattern})+", regex.V1
)
TELLING_WORDS: Final = 3
"""Words from which on a text, or one with a digit, is taken for the same wherever it stands."""


class Word(NamedTuple):
    """A word as it is compared, and where in the text it stands."""

    text: str
    start: int
    end: int


def words(text: str) -> list[str]:
    """Return the words of a text; scripts without spaces give one for each character."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    return _WORD.findall(folded(text))


def folded(text: str) -> str:
    """Return a text for comparing: one case, one width, no characters that nobody sees."""
    if text.isascii():
        return text.lower()
    seen = _UNSEEN.sub("", text)
    return facts.normalise(unicodedata.normalize("NFKC", seen))


def placed_words(text: str) -> list[Word]:
    """Return the words of a text with their places."""
    found = (Word(folded(m[0]), m.start(), m.end()) for m in _PLACED.finditer(text))
    return [word for word in found if word.text]


def is_telling(said: Sequence[str]) -> bool:
    """Say whether words are taken for the same wherever they stand."""
    return len(said) >= TELLING_WORDS or any(ch.isdigit() for word in said for ch in word)


def joined(text: str) -> str:
    """Return a text for comparing: its words alone."""
    return " ".join(words(text))


def stated(fact: Fact) -> str:
    """Return what a fact states of whom, for comparing: the same of somebody else is another."""
    return joined(" ".join([*sorted(map(facts.normalise, fact.entities)), fact.content]))


@dataclass(frozen=True, slots=True)
class Value:
    """What is to be forgotten. The text is only ever hashed."""

    kind: Kind
    text: str

    @property
    def hashed(self) -> str:
        """What the hash is made of: all kinds of texts have the same of the same words."""
        return _hashed("text" if self.kind in _TEXTS else self.kind, self.text)


def turn(source: str, session: str, name: str) -> Value:
    """Return the value of a turn."""
    return Value("turn", "\0".join((source, session, name)))


@dataclass(frozen=True, slots=True)
class Tombstone:
    """One line of the page, counted from 1; `words` is 0 where no text is meant."""

    day: date
    kind: Kind
    words: int
    line: int


@dataclass(frozen=True, slots=True)
class Tombstones:
    """All that is forgotten. Without any, everything is remembered.

    `marks` are those of texts that are found within others, by the number of their words: a table
    with 1 for each mark that there is. `unread` are the lines that begin like a tombstone and
    cannot be read.
    """

    salts: tuple[bytes, ...] = ()
    stones: Mapping[str, Tombstone] = field(default_factory=dict)
    marks: Mapping[int, bytes] = field(default_factory=dict)
    unread: tuple[int, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Tombstones":
        """Read the page; any text is safe."""
        salts: dict[bytes, None] = {}
        stones: dict[str, Tombstone] = {}
        marks: dict[int, bytearray] = {}
        unread = []
        for number, line in enumerate(text.splitlines(), 1):
            line = line.strip().removeprefix("\ufeff")
            if match := _SALT.fullmatch(line):
                salts[match[1].encode()] = None
            elif found := _read(line, number):
                hashed, stone, mark = found
                if _reach(stone) > _reach(stones.get(hashed)):
                    stones[hashed] = stone
                if mark is not None:
                    marks.setdefault(stone.words, bytearray(windows.MARKS))[mark] = 1
            elif line.startswith(("- ", "* ", "+ ", "salt")):
                unread.append(number)
        tables = {length: bytes(table) for length, table in sorted(marks.items())}
        return cls(tuple(salts), stones, tables, tuple(unread))

    def __bool__(self) -> bool:
        """Say whether anything is forgotten."""
        return bool(self.salts and self.stones)

    def forgets_id(self, id_: str) -> Tombstone | None:
        """Return the tombstone of a fact or opinion."""
        return self._find(_hashed("id", id_))

    def forgets_turn(self, source: str, session: str, name: str) -> Tombstone | None:
        """Return the tombstone of a turn."""
        return self._find(turn(source, session, name).hashed)

    def forgets_text(self, text: str) -> Tombstone | None:
        """Return the tombstone of a text that says, as a whole, what is forgotten."""
        return self._find(_hashed("text", joined(text))) if self else None

    def spans(
        self, said: Sequence[str], day: date | None = None, *, in_fact: bool = False
    ) -> list[tuple[int, int]]:
        """Return from where to where, in a sequence of words, forgotten ones stand.

        Of words that were said on a `day`, only what was forgotten on that day or later counts:
        somebody may say it anew. Undated ones count if they are telling.
        """
        found = {
            (start, start + length)
            for start, length, stone in self._within(said)
            if _reach(stone) > 1 + in_fact and _counts(stone, said[start : start + length], day)
        }
        return sorted(found)

    def _within(self, said: Sequence[str]) -> Iterator[tuple[int, int, Tombstone]]:
        """Yield where forgotten words begin, how many they are, and their tombstone."""
        for salt in self.salts if self.marks else ():
            marked = windows.Windows(said, salt)
            for length, table in self.marks.items():
                is_marked = np.frombuffer(table, bool)[marked.marks(length)]
                for start in np.flatnonzero(is_marked).tolist():
                    window = _hashed("text", " ".join(said[start : start + length]))
                    if stone := self.stones.get(_hmac(salt, window)):
                        yield start, length, stone

    def _find(self, hashed: str) -> Tombstone | None:
        for salt in self.salts:
            if stone := self.stones.get(_hmac(salt, hashed)):
                return stone
        return None


def with_stones(text: str | None, values: Iterable[Value], today: date, salt: str) -> str:
    """Return the page with tombstones of what it does not have yet, at its end.

    `text` None: a new page. `salt` (hex) is used if the page has none.
    """
    page = _NEW_PAGE if text is None else text
    end = "\r\n" if "\r\n" in page else "\n"
    known = Tombstones.parse(page)
    lines = []
    if not known.salts:
        lines += ["", f"salt: {salt}", ""]
    chosen = known.salts[-1] if known.salts else salt.encode()
    lines += dict.fromkeys(
        _line(value, today, chosen) for value in values if not _has(known, value)
    )
    if not any(line.startswith("-") for line in lines):
        return page
    fresh = "" if not page or page.endswith(("\n", "\r")) else end
    return page + fresh + "".join(f"{line}{end}" for line in lines)


def _has(known: Tombstones, value: Value) -> bool:
    stone = known._find(value.hashed)
    return stone is not None and (value.kind not in _TEXTS or _reach(stone) >= _rank(value.kind))


def _reach(stone: Tombstone | None) -> int:
    """Return how far a tombstone of a text goes; 1 is that of a whole statement alone."""
    return 0 if stone is None else _rank(stone.kind)


def _rank(kind: Kind) -> int:
    return 1 + _TEXTS.index(kind) if kind in _TEXTS else 1


def _line(value: Value, today: date, salt: bytes) -> str:
    said = value.text.split()
    count = f" {len(said)}" if value.kind in _TEXTS else ""
    mark = f" {windows.mark(said, salt):04x}" if value.kind in _WORDS else ""
    return f"- {today.isoformat()} {value.kind}{count} {_hmac(salt, value.hashed)}{mark}"


def _read(line: str, number: int) -> tuple[str, Tombstone, int | None] | None:
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    try:
        day = date.fromisoformat(match[1])
    except ValueError:
        return None
    kind = cast(Kind, match[2])
    if (kind in _TEXTS, kind in _WORDS) != (bool(match[3]), bool(match[5])):
        return None
    mark = int(match[5], 16) if match[5] else None
    return match[4], Tombstone(day, kind, int(match[3] or 0), number), mark


def _counts(stone: Tombstone, window: Sequence[str], day: date | None) -> bool:
    if day is not None:
        return day <= stone.day
    return is_telling(window)


def _hashed(kind: str, text: str) -> str:
    return f"{kind}\0{text}"


def _hmac(salt: bytes, text: str) -> str:
    return hmac.digest(salt, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hex()
