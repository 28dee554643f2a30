"""JSON, JSONC and JSON5 as people write them: what it says, and where each part of it stands.

A parser of our own, since an edit needs the places of values, commas and comments, which no kept
library gives for JSON5 on every Python that we run on. It reads four megabytes in a second. Pure.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from hippod.errors import InvalidInput

_SPACE = r"[ \t\n\r\f\v\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]"
_GAP = re.compile(rf"(?:{_SPACE}+|//[^\n\r\u2028\u2029]*|/\*.*?\*/)*", re.DOTALL)
_COMMENT = re.compile(r"//[^\n\r\u2028\u2029]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(
    r'"(?:[^"\\\n\r]|\\(?:\r\n|.))*"' r"|'(?:[^'\\\n\r]|\\(?:\r\n|.))*'", re.DOTALL
)
_WORD = re.compile(r"(?:[\w$\u200c\u200d]|\\u[0-9a-fA-F]{4})+")
_NUMBER = re.compile(
    r"[+-]?(?:0[xX][0-9a-fA-F]+|Infinity|NaN|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
)
_ESCAPE = re.compile(r"\\(\r\n|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_LINE_ENDS = ("\n", "\r", "\r\n", "\u2028", "\u2029")
_NAN = float("nan")
"""One for all, so that two readings of a file are equal."""
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LITERALS = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class Part:
    """A member of an object (with its key) or an item of a list (key is None)."""

    key: str | None
    start: int
    """Where its key, else its value, begins."""
    value: "Node"
    comma: int | None
    """The place of the comma behind it."""

    @property
    def end(self) -> int:
        """Return the place behind its value."""
        return self.value.end


@dataclass(frozen=True, slots=True)
class Node:
    """A value at `text[start:end]`; `parts` are what an object or a list holds."""

    start: int
    end: int
    kind: str
    """object, list or scalar."""
    scalar: object = None
    parts: tuple[Part, ...] = ()

    @property
    def value(self) -> object:
        """Return what it says; of a key given twice the last counts, as for every reader."""
        if self.kind == "object":
            return {part.key: part.value.value for part in self.parts}
        if self.kind == "list":
            return [part.value.value for part in self.parts]
        return self.scalar

    def member(self, key: str) -> Part | None:
        """Return the member that counts under a key of an object."""
        return next((part for part in reversed(self.parts) if part.key == key), None)


def parse(text: str, where: str) -> Node:
    """Return the value that a text is; `InvalidInput` says where it is broken."""
    reader = _Reader(text, where)
    try:
        node = reader.value(reader.gap(0))
    except RecursionError:
        raise InvalidInput(f"{where}: nested too deep", "") from None
    end = reader.gap(node.end)
    if end < len(text):
        raise reader.fault(end, "more follows after the end of the value")
    return node


def is_blank(text: str) -> bool:
    """Say whether there is nothing but space and comments."""
    found = _GAP.match(text)
    return found is not None and found.end() == len(text)


def comments(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the places of the comments in a gap between values."""
    place = start
    while found := _COMMENT.search(text, place, end):
        yield found.span()
        place = found.end()


def position(text: str, place: int) -> str:
    """Return `line:column`, both from 1."""
    starts = [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text))]
    line = bisect_right(starts, place)
    return f"{line}:{place - starts[line - 1] + 1}"


class _Reader:
    def __init__(self, text: str, where: str) -> None:
        self.text = text
        self.where = where

    def fault(self, place: int, what: str) -> InvalidInput:
        place = min(place, len(self.text))
        where = f"{self.where}:{position(self.text, place)}"
        return InvalidInput(f"{where}: {what}", "mend the file there; nothing was written")

    def gap(self, place: int) -> int:
        found = _GAP.match(self.text, place)
        end = found.end() if found else place
        if self.text.startswith("/*", end):
            raise self.fault(end, "a comment that is not closed")
        return end

    def value(self, place: int) -> Node:
        mark = self.text[place : place + 1]
        if mark == "{":
            return self._held(place, "object", "}")
        if mark == "[":
            return self._held(place, "list", "]")
        if mark and mark in "\"'":
            end = self._string_end(place)
            return Node(place, end, "scalar", self._string(place, end))
        return self._bare(place)

    def _held(self, start: int, kind: str, close: str) -> Node:
        """Read what stands between brackets; a comma may stand behind the last part."""
        parts: list[Part] = []
        place = self.gap(start + 1)
        while not self.text.startswith(close, place):
            part = self._part(place, named=kind == "object")
            place = self.gap(part.end)
            comma = place if self.text.startswith(",", place) else None
            parts.append(Part(part.key, part.start, part.value, comma))
            if comma is not None:
                place = self.gap(comma + 1)
            elif not self.text.startswith(close, place):
                raise self.fault(place, f"expected , or {close}{self._found(place)}")
        return Node(start, place + 1, kind, None, tuple(parts))

    def _part(self, place: int, *, named: bool) -> Part:
        if not named:
            return Part(None, place, self.value(place), None)
        key, end = self._key(place)
        colon = self.gap(end)
        if not self.text.startswith(":", colon):
            raise self.fault(colon, f"expected : after the key{self._found(colon)}")
        return Part(key, place, self.value(self.gap(colon + 1)), None)

    def _key(self, place: int) -> tuple[str, int]:
        mark = self.text[place : place + 1]
        if mark and mark in "\"'":
            end = self._string_end(place)
            return self._string(place, end), end
        found = _WORD.match(self.text, place)
        if not found or found.group()[0].isdigit():
            raise self.fault(place, f"expected a key or }}{self._found(place)}")
        return self._unescaped(found.group()), found.end()

    def _string_end(self, place: int) -> int:
        found = _STRING.match(self.text, place)
        if not found:
            raise self.fault(place, "a string that is not closed")
        return found.end()

    def _string(self, start: int, end: int) -> str:
        return self._unescaped(self.text[start + 1 : end - 1])

    def _unescaped(self, text: str) -> str:
        if "\\" not in text:
            return text
        return _PAIR.sub(_joined, _ESCAPE.sub(_meant, text))

    def _bare(self, place: int) -> Node:
        found = _NUMBER.match(self.text, place) or _WORD.match(self.text, place)
        word = found.group() if found else ""
        end = place + len(word)
        if word in _LITERALS:
            return Node(place, end, "scalar", _LITERALS[word])
        if not word or not _NUMBER.fullmatch(word) or _WORD.match(self.text, end):
            raise self.fault(place, f"expected a value{self._found(place)}")
        return Node(place, end, "scalar", _number(word))

    def _found(self, place: int) -> str:
        if place >= len(self.text):
            return ", but the file ends"
        word = _WORD.match(self.text, place)
        shown = word.group()[:20] if word else self.text[place]
        return f", found {shown!r}"


def _meant(escape: re.Match[str]) -> str:
    said = escape.group(1)
    if said in _LINE_ENDS:
        return ""
    if len(said) > 1:
        return chr(int(said[1:], 16))
    return _ESCAPED.get(said, said)


def _joined(pair: re.Match[str]) -> str:
    return pair.group().encode("utf-16", "surrogatepass").decode("utf-16")


def constant(word: str) -> float:
    """Return what NaN, Infinity and their like say."""
    return _NAN if "NaN" in word else float(word)


def _number(word: str) -> int | float:
    if "NaN" in word:
        return _NAN
    sign, digits = (-1, word[1:]) if word[0] == "-" else (1, word.lstrip("+"))
    if digits[:2] in ("0x", "0X"):
        return sign * int(digits, 16)
    if digits.isdigit() and len(digits) < 4000:
        return sign * int(digits)
    return sign * float(digits)
