"""Documents that are copies of another, or nearly so: found without comparing all with all, and
what each of two holds alone."""

import functools
import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippod import chunks, daylog, markdown
from hippod.markdown import Markdown

ALIKE: Final = 0.8
"""Share of three-word sequences that two documents have in common from which on they are twins."""
FEWEST_WORDS, FEW_WORDS = 8, 30
"""Shorter documents are nobody's copy; below the second only the very same words are one."""

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff]+")
_HASHES, _ROWS = 64, 4
"""Of two texts that are 0.8 alike 99.9 % share one of the 16 bands of 4 hashes."""
_BLOCK = 4_096
_DRAW = np.random.default_rng(20_260_303)
_FACTORS = _DRAW.integers(1, 2**63, _HASHES, dtype=np.uint64) | np.uint64(1)
_TERMS = _DRAW.integers(0, 2**63, _HASHES, dtype=np.uint64)

Shingles = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Sketch:
    """What is kept of a text to find others like it: some 300 bytes.

    `marks` are the MinHash values of its word sequences, empty for a short text.
    """

    size: int
    whole: bytes
    marks: bytes


@dataclass(frozen=True, slots=True)
class Twin:
    """Two documents that are alike (0..1); `keep` goes before `drop` in the order given."""

    keep: str
    drop: str
    alike: float


def words(text: str) -> list[str]:
    """Return the words of a text in lower case; of CJK each character is one."""
    return _WORD.findall(text.casefold())


def sketch(text: str) -> Sketch | None:
    """Return the sketch of a text; None for one too short to be a copy."""
    said = words(text)
    if len(said) < FEWEST_WORDS:
        return None
    whole = hashlib.blake2b("\0".join(said).encode(errors="replace"), digest_size=16).digest()
    marks = b"" if len(said) < FEW_WORDS else _marks(_shingles(said))
    return Sketch(len(said), whole, marks)


def twins(
    ranked: Sequence[str], sketches: Mapping[str, Sketch], text_of: Callable[[str], str | None]
) -> Iterator[Twin]:
    """Yield the documents that an earlier one of `ranked` makes superfluous, each once.

    `text_of` reads those that may be; it gives None for one that is gone.
    """
    rank = {path: place for place, path in enumerate(ranked)}
    near = _near(rank, sketches)
    looked = functools.lru_cache(maxsize=64)(lambda path: _looked(text_of(path)))
    dropped: set[str] = set()
    for path in ranked:
        for other in sorted(near.get(path, ()), key=rank.__getitem__):
            if rank[other] > rank[path]:
                break
            if other in dropped:
                continue
            alike = _alike(path, other, sketches, looked)
            if alike >= ALIKE:
                dropped.add(path)
                yield Twin(other, path, round(alike, 3))
                break


def own_lines(text: str, other: str) -> tuple[int, ...]:
    """Return the lines (from 1) of `text` that say something and do not stand in `other`."""
    there = {"", *_lines_as_compared(other)}
    lines = enumerate(_lines_as_compared(text), 1)
    return tuple(number for number, line in lines if line not in there)


def _lines_as_compared(text: str) -> Iterator[str]:
    """Yield the lines as far as they tell something: blanks do in code alone."""
    document = markdown.parse(text)
    for number, line in enumerate(document.lines, 1):
        yield line.rstrip() if number in document.code else _plain(line)


def addition(text: str, other: str, path: str) -> str | None:
    """Return what only the document `text` at `path` says, as a section to append to `other`.

    Empty if that is nothing; None where lines alone would lose their sense (in front matter,
    code, comments, private spans, facts, a merge that nobody resolved), or be hidden there.
    """
    own = own_lines(text, other)
    document = markdown.parse(text)
    if not own:
        return ""
    if document.marks or not _closed(document).isdisjoint(own):
        return None
    title = " ".join(f"From {path}".split())
    section = "\n".join([f"## {title}", "", *_runs(document.lines, own)]) + "\n"
    sections = markdown.parse(f"{other}\n\n{section}").sections
    shown = any(heading.text == title for each in sections for heading in each.path)
    return section if shown else None


def _closed(document: Markdown) -> frozenset[int]:
    """Return the lines that cannot stand elsewhere."""
    front = range(1, document.front_matter + 1)
    private = chunks.private_lines(document.lines)
    facts = {
        line
        for fact in daylog.retained(document)
        for line in range(fact.line_start, fact.line_end + 1)
    }
    return frozenset({*front, *document.code, *document.uncommented, *private, *facts})


def _runs(lines: Sequence[str], own: Sequence[int]) -> Iterator[str]:
    """Yield lines as they are, headings two levels lower, a blank line where others stood."""
    before = 0
    for number in own:
        if before and number > before + 1:
            yield ""
        line = lines[number - 1]
        yield _HEADING.sub(lambda match: f"{match[0]}##"[:6], line)
        before = number


_HEADING = re.compile(r"^#{1,6}(?=\s)")


def _plain(line: str) -> str:
    return " ".join(line.split())


def _shingles(said: Sequence[str]) -> Shingles:
    """Return the distinct hashes of all sequences of three words."""
    hashes = np.fromiter(map(_hash, said), np.uint64, len(said))
    first, second, third = hashes[:-2], hashes[1:-1], hashes[2:]
    mixed = (first * _FACTORS[0] ^ second) * _FACTORS[1] ^ third
    return np.unique(mixed * _FACTORS[2])


@functools.lru_cache(maxsize=200_000)
def _hash(word: str) -> int:
    digest = hashlib.blake2b(word.encode(errors="replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _marks(shingles: Shingles) -> bytes:
    least = np.full(_HASHES, np.iinfo(np.uint64).max, dtype=np.uint64)
    for start in range(0, len(shingles), _BLOCK):
        part = shingles[start : start + _BLOCK, None] * _FACTORS + _TERMS
        least = np.minimum(least, part.min(axis=0))
    return (least >> np.uint64(32)).astype(np.uint32).tobytes()


def _near(rank: Mapping[str, int], sketches: Mapping[str, Sketch]) -> dict[str, set[str]]:
    """Return which documents share a band; those of a large bucket only with their neighbours."""
    buckets: defaultdict[tuple[int, bytes], list[str]] = defaultdict(list)
    for path in sorted(sketches, key=rank.__getitem__):
        for band in _bands(sketches[path]):
            buckets[band].append(path)
    near: defaultdict[str, set[str]] = defaultdict(set)
    for members in buckets.values():
        for before, path in pairwise(members):
            for other in (members[0], before):
                near[path].add(other)
                near[other].add(path)
    return near


def _bands(of: Sketch) -> Iterator[tuple[int, bytes]]:
    yield -1, of.whole
    width = 4 * _ROWS
    for start in range(0, len(of.marks), width):
        yield start, of.marks[start : start + width]


def _looked(text: str | None) -> Shingles:
    said = words(text or "")
    return _shingles(said) if len(said) > 2 else np.empty(0, np.uint64)


def _alike(
    one: str, other: str, sketches: Mapping[str, Sketch], looked: Callable[[str], Shingles]
) -> float:
    if sketches[one].whole == sketches[other].whole:
        return 1.0
    if not (sketches[one].marks and sketches[other].marks) or _is_series(one, other):
        return 0.0
    mine, theirs = looked(one), looked(other)
    shared = len(np.intersect1d(mine, theirs, assume_unique=True))
    return shared / max(1, len(mine) + len(theirs) - shared)


def _is_series(one: str, other: str) -> bool:
    """Tell `week-12.md` and `week-13.md`: made after one pattern, each for its own time."""
    first, second = (_NUMBERS.findall(path) for path in (one, other))
    return first != second and bool(first) and _NUMBERS.sub("0", one) == _NUMBERS.sub("0", other)


_NUMBERS = re.compile(r"[0-9]+")
